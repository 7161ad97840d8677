/* Owns the functions that move texels: copies between images and memory, and clears. All of them
 * are complete when they return. */
#include "simhsa_image.h"

#include <string.h>

/* The address where a region of an image begins: layers of 1D arrays are counted by y. */
struct origin {
    uint32_t x, y, z;
};

static struct origin origin_of(const struct simhsa_image *image, const hsa_dim3_t *at)
{
    bool rows = image->image.type == AMDGPU_IMAGE_1D_ARRAY;
    return (struct origin){at->x, rows ? 0 : at->y, rows ? at->y : at->z};
}

static hsa_dim3_t range_of(const struct simhsa_image *image, const hsa_dim3_t *range)
{
    if (image->image.type == AMDGPU_IMAGE_1D_ARRAY)
        return (hsa_dim3_t){range->x, 1, range->y};
    return *range;
}

static bool is_inside(const struct simhsa_image *image, const struct origin *at,
                      const hsa_dim3_t *range)
{
    return (uint64_t)at->x + range->x <= image->image.width &&
           (uint64_t)at->y + range->y <= image->image.height &&
           (uint64_t)at->z + range->z <= image->image.depth;
}

static uint64_t address_of(const struct simhsa_image *image, const struct origin *at, uint32_t y,
                           uint32_t z)
{
    return image->image.address + (at->z + z + image->image.first) * image->image.slice_pitch +
           (uint64_t)(at->y + y) * image->image.row_pitch +
           (uint64_t)at->x * amdgpu_texel_bytes(image->image.format);
}

/* A row of texels. False: it, or the memory to copy it to, does not exist. */
static bool copy_row(uint64_t to, uint64_t from, size_t size)
{
    unsigned char *dst = simhsa_translate_any(to, size, true);
    const unsigned char *src = simhsa_translate_any(from, size, false);
    if (!dst || !src)
        return false;
    memmove(dst, src, size);
    if (sim_memory_tracking)
        sim_memory_wrote(to, size);
    return true;
}

static hsa_status_t missing(const char *function)
{
    simhsa_violation("%s: its memory does not exist completely", function);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t src_image,
                                const hsa_dim3_t *src_offset, hsa_ext_image_t dst_image,
                                const hsa_dim3_t *dst_offset, const hsa_dim3_t *range)
{
    SIMHSA_ENTER();
    struct simhsa_image src, dst;
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!src_offset || !dst_offset || !range || !simhsa_image_get(src_image.handle, false, &src) ||
        !simhsa_image_get(dst_image.handle, false, &dst) || src.agent != dst.agent)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (memcmp(&src.image.format, &dst.image.format, sizeof src.image.format) != 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct origin from = origin_of(&src, src_offset), to = origin_of(&dst, dst_offset);
    hsa_dim3_t size = range_of(&src, range);
    if (!is_inside(&src, &from, &size) || !is_inside(&dst, &to, &size))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t z = 0; z < size.z; z++)
        for (uint32_t y = 0; size.x && y < size.y; y++)
            if (!copy_row(address_of(&dst, &to, y, z), address_of(&src, &from, y, z),
                          (size_t)size.x * amdgpu_texel_bytes(src.image.format)))
                return missing("hsa_ext_image_copy");
    return HSA_STATUS_SUCCESS;
}

/* Copies between an image and memory whose pitches are 0 if rows or slices are contiguous. */
static hsa_status_t transfer(hsa_agent_t agent, hsa_ext_image_t handle,
                             const hsa_ext_image_region_t *region, uint64_t memory,
                             size_t row_pitch, size_t slice_pitch, bool to_image)
{
    struct simhsa_image image;
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!memory || !region || !simhsa_image_get(handle.handle, false, &image))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct origin at = origin_of(&image, &region->offset);
    hsa_dim3_t size = range_of(&image, &region->range);
    size_t row = (size_t)size.x * amdgpu_texel_bytes(image.image.format);
    bool layers_are_rows = image.image.type == AMDGPU_IMAGE_1D_ARRAY;
    row_pitch = row_pitch > row ? row_pitch : row;
    size_t slice = layers_are_rows ? row_pitch : row_pitch * size.y;
    slice_pitch = !layers_are_rows && slice_pitch > slice ? slice_pitch : slice;
    if (!is_inside(&image, &at, &size))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t z = 0; z < size.z; z++)
        for (uint32_t y = 0; size.x && y < size.y; y++) {
            uint64_t texels = address_of(&image, &at, y, z);
            uint64_t other = memory + z * slice_pitch + y * row_pitch;
            if (!copy_row(to_image ? texels : other, to_image ? other : texels, row))
                return missing(to_image ? "hsa_ext_image_import" : "hsa_ext_image_export");
        }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void *src_memory, size_t src_row_pitch,
                                  size_t src_slice_pitch, hsa_ext_image_t dst_image,
                                  const hsa_ext_image_region_t *image_region)
{
    SIMHSA_ENTER();
    return transfer(agent, dst_image, image_region, (uintptr_t)src_memory, src_row_pitch,
                    src_slice_pitch, true);
}

hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t src_image, void *dst_memory,
                                  size_t dst_row_pitch, size_t dst_slice_pitch,
                                  const hsa_ext_image_region_t *image_region)
{
    SIMHSA_ENTER();
    return transfer(agent, src_image, image_region, (uintptr_t)dst_memory, dst_row_pitch,
                    dst_slice_pitch, false);
}

/* data: four components as kernels would store them. */
hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t handle, const void *data,
                                 const hsa_ext_image_region_t *image_region)
{
    SIMHSA_ENTER();
    struct simhsa_image image;
    uint32_t components[4], parts[4];
    unsigned char texel[16];
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!data || !image_region || !simhsa_image_get(handle.handle, false, &image))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct origin at = origin_of(&image, &image_region->offset);
    hsa_dim3_t size = range_of(&image, &image_region->range);
    if (!is_inside(&image, &at, &size))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    memcpy(components, data, sizeof components);
    amdgpu_texel_unselect(image.image.selects, components, parts);
    amdgpu_texel_store(image.image.format, parts, texel);
    unsigned bytes = amdgpu_texel_bytes(image.image.format);
    for (uint32_t z = 0; z < size.z; z++)
        for (uint32_t y = 0; size.x && y < size.y; y++) {
            uint64_t row = address_of(&image, &at, y, z);
            unsigned char *to = simhsa_translate_any(row, (size_t)size.x * bytes, true);
            if (!to)
                return missing("hsa_ext_image_clear");
            for (uint32_t x = 0; x < size.x; x++)
                memcpy(to + (size_t)x * bytes, texel, bytes);
            if (sim_memory_tracking)
                sim_memory_wrote(row, (size_t)size.x * bytes);
        }
    return HSA_STATUS_SUCCESS;
}
