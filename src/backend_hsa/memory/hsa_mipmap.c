/* Owns arrays with levels. The runtime creates images with one level only, so that hsa_texture.c
 * writes the numbers of the levels into their descriptors; here is where levels lie in memory, as
 * the address library of AMD's runtime has it (HwlComputeSurfaceInfoLinear of addrlib's gfx11). */
#include "hsa_allocation.h"

#include <hip/anyhip.h>

#include <stdlib.h>
#include <string.h>

enum { ROW_ALIGNMENT = 256 };

/* gfx11 alone: other families have levels elsewhere in their descriptors and in memory. */
static hipError_t check_levels(struct ah_backend_device *device)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info)
        return hipErrorOutOfMemory;
    if (!ahhsa_device_has_images(device))
        return ahhsa_refuse(device, "mipmapped array", "the device has no images");
    if (strcmp(info->target.processor, "gfx90a") == 0)
        return ahhsa_refuse(device, "mipmapped array",
                            "the device has no instruction that reads a level of an image");
    return info->target.major == 11
               ? hipSuccess
               : ahhsa_refuse(device, "mipmapped array",
                              "the runtime makes no images with levels, and their descriptors are "
                              "known of gfx11 only");
}

static size_t rounded_up(size_t size, unsigned level)
{
    size_t half = (size + ((size_t)1 << level) - 1) >> level;
    return half ? half : 1;
}

/* Sizes of levels are rounded up in memory, but down where texels are counted. False: the size
 * overflows. */
static bool lay_out(struct ah_backend_mipmap *mipmap, size_t *out_size)
{
    const struct ah_array_shape *shape = &mipmap->shape;
    size_t slice = 0, depth = shape->depth ? shape->depth : 1;
    for (unsigned i = mipmap->level_count; i-- > 0;) {
        struct ah_backend_array *level = &mipmap->levels[i];
        size_t row = rounded_up(shape->width, i) * shape->element;
        level->memory = (char *)slice; /* from the start, until the start is known */
        level->pitch = (row + ROW_ALIGNMENT - 1) & ~(size_t)(ROW_ALIGNMENT - 1);
        slice += level->pitch * rounded_up(shape->height, i);
    }
    for (unsigned i = 0; i < mipmap->level_count; i++)
        mipmap->levels[i].slice = slice;
    return !__builtin_mul_overflow(slice, depth, out_size);
}

static hipError_t allocate(struct ah_backend_device *device, size_t size, void **out_memory)
{
    hipError_t error = ahhsa_raw_alloc(device, device->pools.device_coarse, size, out_memory);
    if (error != hipSuccess)
        return error;
    error = ahhsa_memory_register(device, *out_memory, size, AH_MEMORY_DEVICE);
    if (error != hipSuccess)
        ahhsa_raw_free(device, *out_memory);
    return error;
}

/* In imported memory from offset on, or, if that is NULL, in memory of its own. */
static hipError_t place(struct ah_backend_mipmap *mipmap, struct ah_backend_external *external,
                        uint64_t offset)
{
    struct ah_backend_device *device = mipmap->device;
    size_t size;
    void *memory;
    if (!lay_out(mipmap, &size))
        return hipErrorOutOfMemory;
    hipError_t error = external
                           ? ahhsa_external_map_checked(device, external, offset, size, &memory)
                           : allocate(device, size, &memory);
    if (error != hipSuccess)
        return error;
    mipmap->memory = memory;
    mipmap->is_external = external != NULL;
    for (unsigned i = 0; i < mipmap->level_count; i++) {
        struct ah_backend_array *level = &mipmap->levels[i];
        level->memory = mipmap->memory + (size_t)level->memory;
        level->device = device;
        level->level_of = mipmap;
        level->level = i;
    }
    return hipSuccess;
}

static hipError_t create(struct ah_backend_device *device, const struct ah_array_shape *shape,
                         unsigned levels, struct ah_backend_external *external, uint64_t offset,
                         struct ah_backend_mipmap **out_mipmap)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = check_levels(device);
    if (error != hipSuccess)
        return error;
    if (shape->flags & (anyhipArraySparse | anyhipArrayDeferredMapping))
        return ahhsa_refuse_parts(device, "array without memory");
    if (ahhsa_format_size(shape->format) == 0 || !ahhsa_device_fits_images(device, shape))
        return hipErrorInvalidValue;
    struct ah_backend_mipmap *mipmap =
        calloc(1, sizeof *mipmap + levels * sizeof(struct ah_backend_array));
    if (!mipmap)
        return hipErrorOutOfMemory;
    mipmap->device = device;
    mipmap->shape = *shape;
    mipmap->level_count = levels;
    error = place(mipmap, external, offset);
    if (error != hipSuccess) {
        free(mipmap);
        return error;
    }
    ahhsa_lock(device);
    mipmap->next = device->mipmaps;
    device->mipmaps = mipmap;
    ahhsa_unlock(device);
    *out_mipmap = mipmap;
    return hipSuccess;
}

hipError_t ahhsa_mipmap_create(struct ah_backend_device *device, const struct ah_array_shape *shape,
                               unsigned levels, struct ah_backend_mipmap **out_mipmap)
{
    return create(device, shape, levels, NULL, 0, out_mipmap);
}

hipError_t ahhsa_external_map_mipmap(struct ah_backend_device *device,
                                     struct ah_backend_external *external, uint64_t offset,
                                     const struct ah_array_shape *shape, unsigned levels,
                                     struct ah_backend_mipmap **out_mipmap)
{
    if (offset % ROW_ALIGNMENT != 0) {
        AH_LOG_ERR("an image cannot begin %llu bytes into memory: this is not a multiple of %d",
                   (unsigned long long)offset, ROW_ALIGNMENT);
        return hipErrorInvalidValue;
    }
    return create(device, shape, levels, external, offset, out_mipmap);
}

hipError_t ahhsa_mipmap_destroy(struct ah_backend_device *device, struct ah_backend_mipmap *mipmap)
{
    struct ah_backend_mipmap **link;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    if (error == hipSuccess)
        error = mipmap->is_external ? ahhsa_external_unmap(device, mipmap->memory)
                                    : ahhsa_memory_free_internal(device, mipmap->memory);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    for (link = &device->mipmaps; *link && *link != mipmap; link = &(*link)->next) {
    }
    if (*link)
        *link = mipmap->next;
    ahhsa_unlock(device);
    free(mipmap);
    return hipSuccess;
}

hipError_t ahhsa_mipmap_level(struct ah_backend_device *device, struct ah_backend_mipmap *mipmap,
                              unsigned level, struct ah_backend_array **out_array)
{
    (void)device;
    *out_array = &mipmap->levels[level];
    return hipSuccess;
}

hipError_t ahhsa_mipmap_requirements(struct ah_backend_device *device,
                                     struct ah_backend_mipmap *mipmap, size_t *out_size,
                                     size_t *out_alignment)
{
    (void)mipmap, (void)out_size, (void)out_alignment;
    return ahhsa_refuse_parts(device, "hipMipmappedArrayGetMemoryRequirements");
}

void ahhsa_mipmaps_destroy(struct ah_backend_device *device)
{
    while (device->mipmaps) {
        struct ah_backend_mipmap *mipmap = device->mipmaps;
        device->mipmaps = mipmap->next;
        if (!mipmap->is_external) { /* else it goes with the allocations */
            ahhsa_memory_unregister(device, mipmap->memory);
            (void)ahhsa_raw_free(device, mipmap->memory);
        }
        free(mipmap);
    }
}
