/* Mipmapped arrays: hipMallocMipmappedArray and its kin. */
#include "api.h"
#include "api_arguments.h"
#include "texture.h"

#include <stdlib.h>

_Static_assert(sizeof(struct ah_mipmap) <= AH_HANDLE_SLOT, "struct ah_mipmap");

static unsigned most_levels(const struct ah_array_shape *shape)
{
    bool layers = shape->flags & (hipArrayLayered | hipArrayCubemap);
    size_t size = shape->width > shape->height ? shape->width : shape->height;
    unsigned levels = 0;
    if (!layers && shape->depth > size)
        size = shape->depth;
    for (; size > 0; size /= 2)
        levels++;
    return levels;
}

/* The handle of a driver's object, which is destroyed if there is no memory for it. */
static hipError_t wrap(struct ah_device *device, struct ah_backend_mipmap *native,
                       const struct ah_array_shape *shape, const hipChannelFormatDesc *description,
                       unsigned levels, hipMipmappedArray_t *out)
{
    struct ah_mipmap *mipmap = ah_handle_create(AH_HANDLE_MIPMAP, device);
    struct ah_array **arrays = calloc(levels, sizeof *arrays);
    if (!mipmap || !arrays) {
        free(arrays);
        ah_handle_destroy(mipmap);
        device->ops->mipmap_destroy(device->native, native);
        return hipErrorOutOfMemory;
    }
    mipmap->native = native;
    mipmap->shape = *shape;
    mipmap->description = *description;
    mipmap->levels = levels;
    mipmap->arrays = arrays;
    *out = (hipMipmappedArray_t)(void *)mipmap;
    return hipSuccess;
}

static bool shape_valid(const struct ah_array_shape *shape, unsigned levels)
{
    return levels > 0 && ah_array_shape_valid(shape) && !(shape->flags & hipArrayTextureGather);
}

static hipError_t create(hipMipmappedArray_t *out, struct ah_array_shape *shape,
                         const hipChannelFormatDesc *description, unsigned levels)
{
    struct ah_backend_mipmap *native;
    struct ah_device *device = ah_device_current();
    if (!out || !shape_valid(shape, levels))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    if (levels > most_levels(shape))
        levels = most_levels(shape);
    hipError_t error = device->ops->mipmap_create(device->native, shape, levels, &native);
    return error == hipSuccess ? wrap(device, native, shape, description, levels, out) : error;
}

static size_t shrunk(size_t size, unsigned level)
{
    return size == 0 || size >> level ? size >> level : 1;
}

static bool add_bytes(uint64_t *sum, size_t a, size_t b, size_t c, size_t element)
{
    uint64_t bytes;
    return !__builtin_mul_overflow((uint64_t)(a ? a : 1), b ? b : 1, &bytes) &&
           !__builtin_mul_overflow(bytes, c ? c : 1, &bytes) &&
           !__builtin_mul_overflow(bytes, element, &bytes) &&
           !__builtin_add_overflow(*sum, bytes, sum);
}

/* The texels of all levels end in the memory, however the device arranges them: NVIDIA's driver
 * does not look. */
static bool fits(const struct ah_external *external, uint64_t offset,
                 const struct ah_array_shape *shape, unsigned levels)
{
    bool layers = shape->flags & (hipArrayLayered | hipArrayCubemap);
    uint64_t end = offset;
    for (unsigned i = 0; i < levels; i++)
        if (!add_bytes(&end, shrunk(shape->width, i), shrunk(shape->height, i),
                       layers ? shape->depth : shrunk(shape->depth, i), shape->element))
            return false;
    return end <= external->size;
}

/* More levels than the size has would be another layout of the memory, which others know. */
static hipError_t map_external(hipMipmappedArray_t *out, hipExternalMemory_t handle,
                               const hipExternalMemoryMipmappedArrayDesc *given)
{
    struct ah_backend_mipmap *native;
    const struct ah_external *external = handle;
    if (!out || !given || !ah_handle_is(handle, AH_HANDLE_EXTERNAL))
        return hipErrorInvalidValue;
    struct ah_array_shape shape = {.width = given->extent.width,
                                   .height = given->extent.height,
                                   .depth = given->extent.depth,
                                   .flags = given->flags};
    hipError_t error = ah_array_format(&given->formatDesc, &shape);
    if (error != hipSuccess)
        return error;
    if (!shape_valid(&shape, given->numLevels) || given->numLevels > most_levels(&shape))
        return hipErrorInvalidValue;
    if (!fits(external, given->offset, &shape, given->numLevels)) {
        AH_LOG_ERR(
            "a mipmapped array from byte %llu on reaches beyond imported memory of %llu bytes",
            given->offset, (unsigned long long)external->size);
        return hipErrorInvalidValue;
    }
    struct ah_device *device = external->handle.device;
    error = device->ops->external_map_mipmap(device->native, external->native, given->offset,
                                             &shape, given->numLevels, &native);
    return error == hipSuccess
               ? wrap(device, native, &shape, &given->formatDesc, given->numLevels, out)
               : error;
}

hipError_t
hipExternalMemoryGetMappedMipmappedArray(hipMipmappedArray_t *mipmap, hipExternalMemory_t extMem,
                                         const hipExternalMemoryMipmappedArrayDesc *mipmapDesc)
{
    AH_ENTER_UNSAFE(hipExternalMemoryGetMappedMipmappedArray);
    return AH_LEAVE(map_external(mipmap, extMem, mipmapDesc));
}

static hipError_t create_described(hipMipmappedArray_t *out,
                                   const hipChannelFormatDesc *description, hipExtent extent,
                                   unsigned levels, unsigned flags)
{
    struct ah_array_shape shape = {
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    if (!description)
        return hipErrorInvalidValue;
    hipError_t error = ah_array_format(description, &shape);
    return error == hipSuccess ? create(out, &shape, description, levels) : error;
}

hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *mipmappedArray,
                                   const struct hipChannelFormatDesc *desc, struct hipExtent extent,
                                   unsigned int numLevels, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipMallocMipmappedArray);
    return AH_LEAVE(create_described(mipmappedArray, desc, extent, numLevels, flags));
}

static hipError_t create_driver(hipMipmappedArray_t *out, const HIP_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned levels)
{
    hipChannelFormatDesc description;
    if (!descriptor)
        return hipErrorInvalidValue;
    struct ah_array_shape shape = {
        .width = descriptor->Width,
        .height = descriptor->Height,
        .depth = descriptor->Depth,
        .format = descriptor->Format,
        .channels = descriptor->NumChannels,
        .flags = descriptor->Flags,
    };
    hipError_t error = ah_array_describe(shape.format, shape.channels, &description);
    if (error != hipSuccess)
        return error;
    shape.element = (unsigned)description.x / 8 * shape.channels;
    return create(out, &shape, &description, levels);
}

hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t *pHandle,
                                   HIP_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                   unsigned int numMipmapLevels)
{
    AH_ENTER_UNSAFE(hipMipmappedArrayCreate);
    return AH_LEAVE(create_driver(pHandle, pMipmappedArrayDesc, numMipmapLevels));
}

hipError_t ah_mipmap_check(hipMipmappedArray_const_t handle, struct ah_mipmap **out_mipmap)
{
    if (!handle)
        return hipErrorInvalidHandle;
    if (!ah_handle_is(handle, AH_HANDLE_MIPMAP))
        return hipErrorContextIsDestroyed;
    *out_mipmap = (struct ah_mipmap *)(uintptr_t)handle;
    return hipSuccess;
}

static hipError_t destroy(hipMipmappedArray_t handle)
{
    struct ah_mipmap *mipmap = (struct ah_mipmap *)(void *)handle;
    if (!handle)
        return hipErrorInvalidValue;
    if (!ah_handle_retire(handle, AH_HANDLE_MIPMAP))
        return hipErrorContextIsDestroyed;
    struct ah_device *device = mipmap->handle.device;
    hipError_t error = device->ops->mipmap_destroy(device->native, mipmap->native);
    if (ah_free_failed(error))
        return ah_handle_finish_destroy(mipmap, AH_HANDLE_MIPMAP, error);
    pthread_mutex_lock(&device->lock);
    for (unsigned i = 0; i < mipmap->levels; i++)
        if (mipmap->arrays[i] && ah_handle_retire(mipmap->arrays[i], AH_HANDLE_ARRAY))
            ah_handle_destroy(mipmap->arrays[i]);
    pthread_mutex_unlock(&device->lock);
    free(mipmap->arrays);
    return ah_handle_finish_destroy(mipmap, AH_HANDLE_MIPMAP, error);
}

hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray)
{
    AH_ENTER_UNSAFE(hipFreeMipmappedArray);
    return AH_LEAVE(destroy(mipmappedArray));
}

hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t hMipmappedArray)
{
    AH_ENTER_UNSAFE(hipMipmappedArrayDestroy);
    return AH_LEAVE(destroy(hMipmappedArray));
}

/* Called with the device's lock held. */
static hipError_t make_level(struct ah_mipmap *mipmap, unsigned level)
{
    struct ah_device *device = mipmap->handle.device;
    struct ah_backend_array *native;
    if (mipmap->arrays[level])
        return hipSuccess;
    hipError_t error = device->ops->mipmap_level(device->native, mipmap->native, level, &native);
    if (error != hipSuccess)
        return error;
    struct ah_array *array = ah_handle_create(AH_HANDLE_ARRAY, device);
    if (!array)
        return hipErrorOutOfMemory;
    array->native = native;
    array->description = mipmap->description;
    array->level_of = mipmap;
    array->shape = mipmap->shape;
    array->shape.width = shrunk(mipmap->shape.width, level);
    array->shape.height = shrunk(mipmap->shape.height, level);
    if (!(mipmap->shape.flags & (hipArrayLayered | hipArrayCubemap)))
        array->shape.depth = shrunk(mipmap->shape.depth, level);
    mipmap->arrays[level] = array;
    return hipSuccess;
}

static hipError_t get_level(hipArray_t *out, hipMipmappedArray_const_t handle, unsigned level)
{
    struct ah_mipmap *mipmap;
    if (!out)
        return hipErrorInvalidValue;
    hipError_t error = ah_mipmap_check(handle, &mipmap);
    if (error != hipSuccess)
        return hipErrorInvalidHandle;
    if (level >= mipmap->levels)
        return hipErrorInvalidValue;
    struct ah_device *device = mipmap->handle.device;
    pthread_mutex_lock(&device->lock);
    error = make_level(mipmap, level);
    pthread_mutex_unlock(&device->lock);
    if (error == hipSuccess)
        *out = (hipArray_t)(void *)mipmap->arrays[level];
    return error;
}

hipError_t hipGetMipmappedArrayLevel(hipArray_t *levelArray,
                                     hipMipmappedArray_const_t mipmappedArray, unsigned int level)
{
    AH_ENTER(hipGetMipmappedArrayLevel);
    return AH_LEAVE(get_level(levelArray, mipmappedArray, level));
}

hipError_t hipMipmappedArrayGetLevel(hipArray_t *pLevelArray, hipMipmappedArray_t hMipMappedArray,
                                     unsigned int level)
{
    AH_ENTER(hipMipmappedArrayGetLevel);
    return AH_LEAVE(get_level(pLevelArray, hMipMappedArray, level));
}
