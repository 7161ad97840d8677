/* Owns objects of OpenGL: the driver shares them with its own OpenGL, without copies. A handle is
 * the driver's CUgraphicsResource. */
#include "cuda_backend.h"
#include "gl.h"

_Static_assert(
    hipGraphicsRegisterFlagsReadOnly == (int)CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY &&
        hipGraphicsRegisterFlagsWriteDiscard == (int)CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD &&
        hipGraphicsRegisterFlagsSurfaceLoadStore == (int)CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST &&
        hipGraphicsRegisterFlagsTextureGather == (int)CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER,
    "flags have the driver's values");

static CUgraphicsResource resource_of(struct ah_backend_graphics *graphics)
{
    return (CUgraphicsResource)(void *)graphics;
}

/* A driver has all of the functions or none. */
static hipError_t enter(struct ah_backend_device *device)
{
    const struct ahcuda_api *api = device->api;
    bool all = api->cuGLGetDevices && api->cuGraphicsGLRegisterBuffer &&
               api->cuGraphicsGLRegisterImage && api->cuGraphicsUnregisterResource &&
               api->cuGraphicsMapResources && api->cuGraphicsUnmapResources &&
               api->cuGraphicsResourceGetMappedPointer && api->cuGraphicsSubResourceGetMappedArray;
    return all ? ahcuda_enter(device) : ahcuda_missing(device, "cuGraphicsMapResources");
}

hipError_t ahcuda_gl_devices(struct ah_backend_device *device, int list, unsigned capacity,
                             int *out_indices, unsigned *out_count)
{
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuGLGetDevices",
                       device->api->cuGLGetDevices(out_count, out_indices, capacity, list));
}

hipError_t ahcuda_gl_register_buffer(struct ah_backend_device *device, unsigned buffer,
                                     unsigned flags, struct ah_backend_graphics **out_graphics)
{
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuGraphicsGLRegisterBuffer",
                       device->api->cuGraphicsGLRegisterBuffer(
                           (CUgraphicsResource *)(void *)out_graphics, buffer, flags));
}

/* The driver takes a texture of another target for one of this. What OpenGL can have and this
 * library cannot describe is the driver's to judge. */
static hipError_t check_target(unsigned image, unsigned target)
{
    struct ah_gl_object object;
    if (!ah_gl_is_target(target) || ah_gl_describe_image(image, target, &object) != AH_GL_NO_OBJECT)
        return hipSuccess;
    AH_LOG_ERR("the OpenGL context has no such object of that target: image %u, target 0x%x", image,
               target);
    return hipErrorInvalidValue;
}

hipError_t ahcuda_gl_register_image(struct ah_backend_device *device, unsigned image,
                                    unsigned target, unsigned flags,
                                    struct ah_backend_graphics **out_graphics)
{
    hipError_t error = enter(device);
    if (error == hipSuccess)
        error = check_target(image, target);
    if (error != hipSuccess)
        return error;
    error = ahcuda_done(device, "cuGraphicsGLRegisterImage",
                        device->api->cuGraphicsGLRegisterImage(
                            (CUgraphicsResource *)(void *)out_graphics, image, target, flags));
    /* the driver's for a texture that is named as a renderbuffer; HIP has one code for all */
    return error == hipErrorInvalidHandle ? hipErrorInvalidValue : error;
}

hipError_t ahcuda_graphics_unregister(struct ah_backend_device *device,
                                      struct ah_backend_graphics *graphics)
{
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuGraphicsUnregisterResource",
                       device->api->cuGraphicsUnregisterResource(resource_of(graphics)));
}

hipError_t ahcuda_graphics_map(struct ah_backend_device *device, struct ah_backend_stream *stream,
                               unsigned count, struct ah_backend_graphics *const *graphics)
{
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuGraphicsMapResources",
        device->api->cuGraphicsMapResources(count, (CUgraphicsResource *)(uintptr_t)graphics,
                                            ahcuda_stream(stream)));
}

hipError_t ahcuda_graphics_unmap(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 unsigned count, struct ah_backend_graphics *const *graphics)
{
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuGraphicsUnmapResources",
        device->api->cuGraphicsUnmapResources(count, (CUgraphicsResource *)(uintptr_t)graphics,
                                              ahcuda_stream(stream)));
}

hipError_t ahcuda_graphics_pointer(struct ah_backend_device *device,
                                   struct ah_backend_graphics *graphics, void **out_pointer,
                                   size_t *out_size)
{
    CUdeviceptr pointer;
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    error = ahcuda_done(
        device, "cuGraphicsResourceGetMappedPointer",
        device->api->cuGraphicsResourceGetMappedPointer(&pointer, out_size, resource_of(graphics)));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

static unsigned channel_size(int format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 2;
    }
}

hipError_t ahcuda_graphics_array(struct ah_backend_device *device,
                                 struct ah_backend_graphics *graphics, unsigned layer,
                                 unsigned level, struct ah_backend_array **out_array,
                                 struct ah_array_shape *out_shape)
{
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    hipError_t error = enter(device);
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuGraphicsSubResourceGetMappedArray",
                            device->api->cuGraphicsSubResourceGetMappedArray(
                                &array, resource_of(graphics), layer, level));
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuArray3DGetDescriptor",
                            device->api->cuArray3DGetDescriptor(&shape, array));
    if (error != hipSuccess)
        return error;
    *out_array = (struct ah_backend_array *)(void *)array;
    *out_shape = (struct ah_array_shape){
        .width = shape.Width,
        .height = shape.Height,
        .depth = shape.Depth,
        .format = (hipArray_Format)shape.Format,
        .channels = shape.NumChannels,
        .element = channel_size(shape.Format) * shape.NumChannels,
        .flags = shape.Flags & (hipArraySurfaceLoadStore | hipArrayTextureGather | hipArrayLayered |
                                hipArrayCubemap),
    };
    return hipSuccess;
}
