/* Owns copies and fills. The driver distinguishes host memory and device memory by address (unified
 * addressing), so that there are no directions of copies here. */
#include "cuda_backend.h"

hipError_t ahcuda_copy(struct ah_backend_device *device, void *dst, const void *src, size_t size)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemcpy",
                       device->api->cuMemcpy(ahcuda_pointer(dst), ahcuda_pointer(src), size));
}

AH_LAUNCH_CODE hipError_t ahcuda_copy_async(struct ah_backend_device *device, void *dst,
                                            const void *src, size_t size,
                                            struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter_stream(device, stream);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuMemcpyAsync",
        device->copy(ahcuda_pointer(dst), ahcuda_pointer(src), size, ahcuda_stream(stream)));
}

/* Creates the contexts of all three devices, and makes the stream's current. */
static hipError_t enter_all_devices(struct ah_backend_device *device,
                                    struct ah_backend_device *dst_device,
                                    struct ah_backend_device *src_device)
{
    hipError_t error = ahcuda_enter(src_device);
    if (error == hipSuccess)
        error = ahcuda_enter(dst_device);
    return error == hipSuccess ? ahcuda_enter(device) : error;
}

hipError_t ahcuda_copy_peer(struct ah_backend_device *device, struct ah_backend_device *dst_device,
                            void *dst, struct ah_backend_device *src_device, const void *src,
                            size_t size, struct ah_backend_stream *stream)
{
    hipError_t error = enter_all_devices(device, dst_device, src_device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuMemcpyPeerAsync",
        device->api->cuMemcpyPeerAsync(ahcuda_pointer(dst), atomic_load(&dst_device->context),
                                       ahcuda_pointer(src), atomic_load(&src_device->context), size,
                                       ahcuda_stream(stream)));
}

static int end_type(const struct ah_copy_end *end)
{
    return end->kind == AH_END_ARRAY ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
}

CUDA_MEMCPY3D ahcuda_copy_parameters(const struct ah_copy_region *region)
{
    const struct ah_copy_end *src = &region->src, *dst = &region->dst;
    return (CUDA_MEMCPY3D){
        .srcXInBytes = src->x,
        .srcY = src->y,
        .srcZ = src->z,
        .srcMemoryType = end_type(src),
        .srcDevice = ahcuda_pointer(src->pointer),
        .srcArray = (CUarray)(void *)src->array,
        .srcPitch = src->pitch,
        .srcHeight = src->rows,
        .dstXInBytes = dst->x,
        .dstY = dst->y,
        .dstZ = dst->z,
        .dstMemoryType = end_type(dst),
        .dstDevice = ahcuda_pointer(dst->pointer),
        .dstArray = (CUarray)(void *)dst->array,
        .dstPitch = dst->pitch,
        .dstHeight = dst->rows,
        .WidthInBytes = region->width,
        .Height = region->height,
        .Depth = region->depth,
    };
}

hipError_t ahcuda_copy_region(struct ah_backend_device *device, const struct ah_copy_region *region,
                              struct ah_backend_stream *stream)
{
    CUDA_MEMCPY3D copy = ahcuda_copy_parameters(region);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemcpy3DAsync",
                       device->api->cuMemcpy3DAsync(&copy, ahcuda_stream(stream)));
}

hipError_t ahcuda_copy_region_peer(struct ah_backend_device *device,
                                   struct ah_backend_device *dst_device,
                                   struct ah_backend_device *src_device,
                                   const struct ah_copy_region *region,
                                   struct ah_backend_stream *stream)
{
    union {
        CUDA_MEMCPY3D plain;
        CUDA_MEMCPY3D_PEER peer;
    } copy = {.plain = ahcuda_copy_parameters(region)};
    hipError_t error = enter_all_devices(device, dst_device, src_device);
    if (error != hipSuccess)
        return error;
    copy.peer.srcContext = atomic_load(&src_device->context);
    copy.peer.dstContext = atomic_load(&dst_device->context);
    return ahcuda_done(device, "cuMemcpy3DPeerAsync",
                       device->api->cuMemcpy3DPeerAsync(&copy.peer, ahcuda_stream(stream)));
}

static CUresult fill_row(const struct ahcuda_api *api, const struct ah_fill *fill, CUdeviceptr dst,
                         CUstream stream)
{
    switch (fill->element_size) {
    case 1:
        return api->cuMemsetD8Async(dst, (unsigned char)fill->value, fill->width, stream);
    case 2:
        return api->cuMemsetD16Async(dst, (unsigned short)fill->value, fill->width, stream);
    default:
        return api->cuMemsetD32Async(dst, fill->value, fill->width, stream);
    }
}

static CUresult fill_rows(const struct ahcuda_api *api, const struct ah_fill *fill, CUdeviceptr dst,
                          CUstream stream)
{
    switch (fill->element_size) {
    case 1:
        return api->cuMemsetD2D8Async(dst, fill->pitch, (unsigned char)fill->value, fill->width,
                                      fill->height, stream);
    case 2:
        return api->cuMemsetD2D16Async(dst, fill->pitch, (unsigned short)fill->value, fill->width,
                                       fill->height, stream);
    default:
        return api->cuMemsetD2D32Async(dst, fill->pitch, fill->value, fill->width, fill->height,
                                       stream);
    }
}

hipError_t ahcuda_fill(struct ah_backend_device *device, const struct ah_fill *fill,
                       struct ah_backend_stream *stream)
{
    CUdeviceptr dst = ahcuda_pointer(fill->dst);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    CUresult result = fill->height == 1 ? fill_row(device->api, fill, dst, ahcuda_stream(stream))
                                        : fill_rows(device->api, fill, dst, ahcuda_stream(stream));
    return ahcuda_done(device, "cuMemset", result);
}
