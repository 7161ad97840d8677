/* Owns arrays: rows of elements in device memory, each at a multiple of the pitch alignment. */
#include "hsa_allocation.h"

#include <hip/anyhip.h>

#include <stdlib.h>

size_t ahhsa_format_size(hipArray_Format format)
{
    switch ((int)format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
    case HIP_AD_FORMAT_SIGNED_INT8:
        return 1;
    case HIP_AD_FORMAT_UNSIGNED_INT16:
    case HIP_AD_FORMAT_SIGNED_INT16:
    case HIP_AD_FORMAT_HALF:
        return 2;
    case HIP_AD_FORMAT_UNSIGNED_INT32:
    case HIP_AD_FORMAT_SIGNED_INT32:
    case HIP_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

hipError_t ahhsa_refuse_parts(struct ah_backend_device *device, const char *what)
{
    return ahhsa_refuse(device, what,
                        "the runtime has no function that binds memory to parts of images");
}

hipError_t ahhsa_array_map(struct ah_backend_device *device, struct ah_backend_stream *stream,
                           unsigned count, const struct ah_array_mapping *mappings)
{
    (void)stream, (void)count, (void)mappings;
    return ahhsa_refuse_parts(device, "hipMemMapArrayAsync");
}

/* False: the size overflows. */
static bool lay_out(const struct ah_array_shape *shape, size_t alignment,
                    struct ah_backend_array *array, size_t *out_size)
{
    size_t row, height = shape->height ? shape->height : 1, depth = shape->depth ? shape->depth : 1;
    if (__builtin_mul_overflow(shape->width, ahhsa_format_size(shape->format) * shape->channels,
                               &row) ||
        row > SIZE_MAX - alignment)
        return false;
    array->pitch = (row + alignment - 1) & ~(alignment - 1);
    return !__builtin_mul_overflow(array->pitch, height, &array->slice) &&
           !__builtin_mul_overflow(array->slice, depth, out_size);
}

hipError_t ahhsa_array_create(struct ah_backend_device *device, const struct ah_array_shape *shape,
                              struct ah_backend_array **out_array)
{
    size_t size;
    void *memory;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (shape->flags & (anyhipArraySparse | anyhipArrayDeferredMapping))
        return ahhsa_refuse_parts(device, "array without memory");
    if (ahhsa_format_size(shape->format) == 0 || shape->width == 0 ||
        !ahhsa_device_fits_images(device, shape))
        return hipErrorInvalidValue;
    struct ah_backend_array *array = calloc(1, sizeof *array);
    if (!array)
        return hipErrorOutOfMemory;
    error = lay_out(shape, ahhsa_memory_pitch_alignment(device), array, &size)
                ? ahhsa_raw_alloc(device, device->pools.device_coarse, size, &memory)
                : hipErrorOutOfMemory;
    if (error == hipSuccess) {
        error = ahhsa_memory_register(device, memory, size, AH_MEMORY_DEVICE);
        if (error != hipSuccess)
            ahhsa_raw_free(device, memory);
    }
    if (error != hipSuccess) {
        free(array);
        return error;
    }
    array->device = device;
    array->memory = memory;
    ahhsa_lock(device);
    array->next = device->arrays;
    device->arrays = array;
    ahhsa_unlock(device);
    *out_array = array;
    return hipSuccess;
}

hipError_t ahhsa_array_destroy(struct ah_backend_device *device, struct ah_backend_array *array)
{
    struct ah_backend_array **link;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    if (error == hipSuccess)
        error = ahhsa_memory_free_internal(device, array->memory);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    for (link = &device->arrays; *link && *link != array; link = &(*link)->next) {
    }
    if (*link)
        *link = array->next;
    ahhsa_unlock(device);
    free(array);
    return hipSuccess;
}

void ahhsa_arrays_destroy(struct ah_backend_device *device)
{
    while (device->arrays) {
        struct ah_backend_array *array = device->arrays;
        device->arrays = array->next;
        ahhsa_memory_unregister(device, array->memory);
        (void)ahhsa_raw_free(device, array->memory);
        free(array);
    }
}
