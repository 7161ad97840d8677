/* Owns arrays, mipmapped arrays, textures and surfaces: formats, modes and flags have CUDA's
 * values in HIP, and descriptions CUDA's layout. */
#include "cuda_backend.h"

#include <string.h>

_Static_assert(sizeof(HIP_TEXTURE_DESC) == sizeof(CUDA_TEXTURE_DESC), "HIP_TEXTURE_DESC");
_Static_assert(sizeof(HIP_RESOURCE_VIEW_DESC) == sizeof(CUDA_RESOURCE_VIEW_DESC),
               "HIP_RESOURCE_VIEW_DESC");

static CUDA_ARRAY3D_DESCRIPTOR native_shape(const struct ah_array_shape *shape)
{
    return (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = shape->width,
        .Height = shape->height,
        .Depth = shape->depth,
        .Format = (int)shape->format,
        .NumChannels = shape->channels,
        .Flags = shape->flags,
    };
}

/* HIP creates surfaces over any array, CUDA only over arrays with a flag, which is therefore
 * always set. An array that is too large for surfaces is created without it. */
static bool may_be_surface(const struct ah_array_shape *shape)
{
    return shape->flags == hipArrayDefault;
}

hipError_t ahcuda_array_create(struct ah_backend_device *device, const struct ah_array_shape *shape,
                               struct ah_backend_array **out_array)
{
    CUDA_ARRAY3D_DESCRIPTOR native = native_shape(shape), surface = native;
    surface.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (may_be_surface(shape) &&
        device->api->cuArray3DCreate((CUarray *)(void *)out_array, &surface) == CUDA_SUCCESS)
        return hipSuccess;
    return ahcuda_done(device, "cuArray3DCreate",
                       device->api->cuArray3DCreate((CUarray *)(void *)out_array, &native));
}

hipError_t ahcuda_array_destroy(struct ah_backend_device *device, struct ah_backend_array *array)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuArrayDestroy",
                       device->api->cuArrayDestroy((CUarray)(void *)array));
}

hipError_t ahcuda_mipmap_create(struct ah_backend_device *device,
                                const struct ah_array_shape *shape, unsigned levels,
                                struct ah_backend_mipmap **out_mipmap)
{
    CUDA_ARRAY3D_DESCRIPTOR native = native_shape(shape), surface = native;
    surface.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (may_be_surface(shape) &&
        device->api->cuMipmappedArrayCreate((CUmipmappedArray *)(void *)out_mipmap, &surface,
                                            levels) == CUDA_SUCCESS)
        return hipSuccess;
    return ahcuda_done(device, "cuMipmappedArrayCreate",
                       device->api->cuMipmappedArrayCreate((CUmipmappedArray *)(void *)out_mipmap,
                                                           &native, levels));
}

hipError_t ahcuda_mipmap_destroy(struct ah_backend_device *device, struct ah_backend_mipmap *mipmap)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMipmappedArrayDestroy",
                       device->api->cuMipmappedArrayDestroy((CUmipmappedArray)(void *)mipmap));
}

hipError_t ahcuda_mipmap_level(struct ah_backend_device *device, struct ah_backend_mipmap *mipmap,
                               unsigned level, struct ah_backend_array **out_array)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMipmappedArrayGetLevel",
                       device->api->cuMipmappedArrayGetLevel(
                           (CUarray *)(void *)out_array, (CUmipmappedArray)(void *)mipmap, level));
}

static CUDA_RESOURCE_DESC native_source(const struct ah_texture_source *source)
{
    CUDA_RESOURCE_DESC native = {.resType = CU_RESOURCE_TYPE_ARRAY};
    switch (source->kind) {
    case AH_SOURCE_ARRAY:
        native.res.array.hArray = (CUarray)(void *)source->array;
        break;
    case AH_SOURCE_MIPMAP:
        native.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        native.res.mipmap.hMipmappedArray = (CUmipmappedArray)(void *)source->mipmap;
        break;
    case AH_SOURCE_LINEAR:
        native.resType = CU_RESOURCE_TYPE_LINEAR;
        native.res.linear.devPtr = ahcuda_pointer(source->pointer);
        native.res.linear.format = (int)source->shape.format;
        native.res.linear.numChannels = source->shape.channels;
        native.res.linear.sizeInBytes = source->shape.width * source->shape.element;
        break;
    case AH_SOURCE_PITCH:
        native.resType = CU_RESOURCE_TYPE_PITCH2D;
        native.res.pitch2D.devPtr = ahcuda_pointer(source->pointer);
        native.res.pitch2D.format = (int)source->shape.format;
        native.res.pitch2D.numChannels = source->shape.channels;
        native.res.pitch2D.width = source->shape.width;
        native.res.pitch2D.height = source->shape.height;
        native.res.pitch2D.pitchInBytes = source->pitch;
        break;
    }
    return native;
}

/* The hardware reads an image of one dimension as a plane of one row, and would mix the border
 * beyond that row into every value. */
static void clamp_unused(const struct ah_texture_source *source, CUDA_TEXTURE_DESC *texture)
{
    const struct ah_array_shape *shape = &source->shape;
    bool line = shape->height == 0 && (shape->depth == 0 || (shape->flags & hipArrayLayered));
    if (line)
        texture->addressMode[1] = texture->addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
}

hipError_t ahcuda_texture_create(struct ah_backend_device *device,
                                 const struct ah_texture_source *source,
                                 const HIP_TEXTURE_DESC *settings,
                                 const HIP_RESOURCE_VIEW_DESC *view, uint64_t *out_object)
{
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC part;
    CUDA_RESOURCE_DESC resource = native_source(source);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    memcpy(&texture, settings, sizeof texture);
    clamp_unused(source, &texture);
    if (view)
        memcpy(&part, view, sizeof part);
    return ahcuda_done(device, "cuTexObjectCreate",
                       device->api->cuTexObjectCreate((CUtexObject *)out_object, &resource,
                                                      &texture, view ? &part : NULL));
}

hipError_t ahcuda_texture_destroy(struct ah_backend_device *device, uint64_t object)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuTexObjectDestroy", device->api->cuTexObjectDestroy(object));
}

hipError_t ahcuda_surface_create(struct ah_backend_device *device, struct ah_backend_array *array,
                                 const struct ah_array_shape *shape, uint64_t *out_object)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                   .res.array.hArray = (CUarray)(void *)array};
    hipError_t error = ahcuda_enter(device);
    (void)shape;
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuSurfObjectCreate",
                       device->api->cuSurfObjectCreate((CUsurfObject *)out_object, &resource));
}

hipError_t ahcuda_surface_destroy(struct ah_backend_device *device, uint64_t object)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuSurfObjectDestroy", device->api->cuSurfObjectDestroy(object));
}
