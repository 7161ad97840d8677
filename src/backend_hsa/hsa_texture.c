/* Owns mipmapped arrays, textures and surfaces: this backend has none yet. */
#include "hsa_memory.h"

static const char no_images[] = "textures and surfaces are not there yet on AMD devices";

hipError_t ahhsa_mipmap_create(struct ah_backend_device *device, const struct ah_array_shape *shape,
                               unsigned levels, struct ah_backend_mipmap **out_mipmap)
{
    (void)shape, (void)levels, (void)out_mipmap;
    return ahhsa_refuse(device, "mipmapped array", no_images);
}

hipError_t ahhsa_mipmap_destroy(struct ah_backend_device *device, struct ah_backend_mipmap *mipmap)
{
    (void)mipmap;
    return ahhsa_refuse(device, "mipmapped array", no_images);
}

hipError_t ahhsa_mipmap_level(struct ah_backend_device *device, struct ah_backend_mipmap *mipmap,
                              unsigned level, struct ah_backend_array **out_array)
{
    (void)mipmap, (void)level, (void)out_array;
    return ahhsa_refuse(device, "mipmapped array", no_images);
}

hipError_t ahhsa_texture_create(struct ah_backend_device *device,
                                const struct ah_texture_source *source,
                                const HIP_TEXTURE_DESC *settings,
                                const HIP_RESOURCE_VIEW_DESC *view, uint64_t *out_object)
{
    (void)source, (void)settings, (void)view, (void)out_object;
    return ahhsa_refuse(device, "texture", no_images);
}

hipError_t ahhsa_texture_destroy(struct ah_backend_device *device, uint64_t object)
{
    (void)object;
    return ahhsa_refuse(device, "texture", no_images);
}

hipError_t ahhsa_surface_create(struct ah_backend_device *device, struct ah_backend_array *array,
                                const struct ah_array_shape *shape, uint64_t *out_object)
{
    (void)array, (void)shape, (void)out_object;
    return ahhsa_refuse(device, "surface", no_images);
}

hipError_t ahhsa_surface_destroy(struct ah_backend_device *device, uint64_t object)
{
    (void)object;
    return ahhsa_refuse(device, "surface", no_images);
}
