/* The functions of programs compiled with per-thread default streams: as without
 * _spt, and a null stream means the calling thread's own. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"

#include <hip/api/per_thread_default_stream.h>

hipError_t hipMemcpy_spt(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy_spt);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, kind, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemcpyAsync_spt(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                              hipStream_t stream)
{
    AH_ENTER(hipMemcpyAsync_spt);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, kind, ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemcpyToSymbol_spt(const void *symbol, const void *src, size_t sizeBytes,
                                 size_t offset, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpyToSymbol_spt);
    return AH_LEAVE(ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true, hipStreamPerThread,
                                   AH_BLOCKING));
}

hipError_t hipMemcpyToSymbolAsync_spt(const void *symbol, const void *src, size_t sizeBytes,
                                      size_t offset, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpyToSymbolAsync_spt);
    return AH_LEAVE(ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true,
                                   ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemcpyFromSymbol_spt(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
                                   hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpyFromSymbol_spt);
    return AH_LEAVE(ah_copy_symbol(symbol, dst, sizeBytes, offset, kind, false, hipStreamPerThread,
                                   AH_BLOCKING));
}

hipError_t hipMemcpyFromSymbolAsync_spt(void *dst, const void *symbol, size_t sizeBytes,
                                        size_t offset, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpyFromSymbolAsync_spt);
    return AH_LEAVE(ah_copy_symbol(symbol, dst, sizeBytes, offset, kind, false,
                                   ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemcpy2D_spt(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy2D_spt);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemcpy2DAsync_spt(void *dst, size_t dpitch, const void *src, size_t spitch,
                                size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpy2DAsync_spt);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemcpy2DToArray_spt(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                  size_t spitch, size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy2DToArray_spt);
    const struct ah_copy_region rows = {.dst = ah_array_end(dst, wOffset, hOffset),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemcpy2DToArrayAsync_spt(hipArray_t dst, size_t wOffset, size_t hOffset,
                                       const void *src, size_t spitch, size_t width, size_t height,
                                       hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpy2DToArrayAsync_spt);
    const struct ah_copy_region rows = {.dst = ah_array_end(dst, wOffset, hOffset),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemcpy2DFromArray_spt(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                    size_t hOffset, size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy2DFromArray_spt);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_array_end(src, wOffset, hOffset),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemcpy2DFromArrayAsync_spt(void *dst, size_t dpitch, hipArray_const_t src,
                                         size_t wOffsetSrc, size_t hOffsetSrc, size_t width,
                                         size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpy2DFromArrayAsync_spt);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_array_end(src, wOffsetSrc, hOffsetSrc),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemcpyFromArray_spt(void *dst, hipArray_const_t src, size_t wOffsetSrc,
                                  size_t hOffset, size_t count, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpyFromArray_spt);
    const struct ah_array_run run = {src, wOffsetSrc, hOffset, dst, count, false};
    return AH_LEAVE(ah_copy_array_run(&run, kind, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemcpy3D_spt(const struct hipMemcpy3DParms *p)
{
    AH_ENTER(hipMemcpy3D_spt);
    return AH_LEAVE(ah_copy_3d(p, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemcpy3DAsync_spt(const struct hipMemcpy3DParms *p, hipStream_t stream)
{
    AH_ENTER(hipMemcpy3DAsync_spt);
    return AH_LEAVE(ah_copy_3d(p, ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemset_spt(void *dst, int value, size_t sizeBytes)
{
    AH_ENTER(hipMemset_spt);
    return AH_LEAVE(
        ah_fill(dst, 0, (unsigned char)value, 1, sizeBytes, 1, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemsetAsync_spt(void *dst, int value, size_t sizeBytes, hipStream_t stream)
{
    AH_ENTER(hipMemsetAsync_spt);
    return AH_LEAVE(
        ah_fill(dst, 0, (unsigned char)value, 1, sizeBytes, 1, ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemset2D_spt(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    AH_ENTER(hipMemset2D_spt);
    return AH_LEAVE(ah_fill(dst, pitch, (unsigned char)value, 1, width, height, hipStreamPerThread,
                            AH_BLOCKING));
}

hipError_t hipMemset2DAsync_spt(void *dst, size_t pitch, int value, size_t width, size_t height,
                                hipStream_t stream)
{
    AH_ENTER(hipMemset2DAsync_spt);
    return AH_LEAVE(ah_fill(dst, pitch, (unsigned char)value, 1, width, height,
                            ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipMemset3D_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent)
{
    AH_ENTER(hipMemset3D_spt);
    return AH_LEAVE(ah_fill_3d(pitchedDevPtr, value, extent, hipStreamPerThread, AH_BLOCKING));
}

hipError_t hipMemset3DAsync_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
                                hipStream_t stream)
{
    AH_ENTER(hipMemset3DAsync_spt);
    return AH_LEAVE(ah_fill_3d(pitchedDevPtr, value, extent, ah_stream_spt(stream), AH_ASYNC));
}

hipError_t hipStreamQuery_spt(hipStream_t stream)
{
    AH_ENTER(hipStreamQuery_spt);
    return AH_LEAVE(ah_stream_query_handle(ah_stream_spt(stream)));
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream)
{
    AH_ENTER(hipStreamSynchronize_spt);
    return AH_LEAVE(ah_stream_synchronize_handle(ah_stream_spt(stream)));
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int *priority)
{
    AH_ENTER(hipStreamGetPriority_spt);
    return AH_LEAVE(ah_stream_get_priority(ah_stream_spt(stream), priority));
}

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int *flags)
{
    AH_ENTER(hipStreamGetFlags_spt);
    return AH_LEAVE(ah_stream_get_flags(ah_stream_spt(stream), flags));
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned int flags)
{
    AH_ENTER(hipStreamWaitEvent_spt);
    return AH_LEAVE(ah_stream_wait_event(ah_stream_spt(stream), event, flags));
}

hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback,
                                    void *userData, unsigned int flags)
{
    AH_ENTER(hipStreamAddCallback_spt);
    return AH_LEAVE(ah_stream_add_callback(ah_stream_spt(stream), callback, userData, flags));
}

hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t fn, void *userData)
{
    AH_ENTER(hipLaunchHostFunc_spt);
    return AH_LEAVE(ah_stream_host_function(ah_stream_spt(stream), fn, userData));
}

hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream)
{
    AH_ENTER(hipEventRecord_spt);
    return AH_LEAVE(ah_event_record(event, ah_stream_spt(stream)));
}

hipError_t hipLaunchKernel_spt(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                               void **args, size_t sharedMemBytes, hipStream_t stream)
{
    AH_ENTER(hipLaunchKernel_spt);
    return AH_LEAVE(ah_launch_kernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes,
                                     ah_stream_spt(stream), 0));
}

hipError_t hipLaunchCooperativeKernel_spt(const void *f, dim3 gridDim, dim3 blockDim,
                                          void **kernelParams, uint32_t sharedMemBytes,
                                          hipStream_t hStream)
{
    AH_ENTER(hipLaunchCooperativeKernel_spt);
    return AH_LEAVE(ah_launch_cooperative(f, gridDim, blockDim, kernelParams, sharedMemBytes,
                                          ah_stream_spt(hStream)));
}
