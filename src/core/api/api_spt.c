/* The functions of programs compiled with per-thread default streams: as without _spt, and a null
 * stream means the calling thread's own. Their parameters come from api.def. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"

#include <hip/api/per_thread_default_stream.h>

/* Defines name as a call of the function without _spt. */
#define AH_SPT(name, ...)                                                                          \
    hipError_t name AH_PARAMETERS_##name                                                           \
    {                                                                                              \
        AH_ENTER(name);                                                                            \
        return AH_LEAVE(__VA_ARGS__);                                                              \
    }

AH_SPT(hipMemcpy_spt, ah_copy(dst, src, sizeBytes, kind, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpyAsync_spt, ah_copy(dst, src, sizeBytes, kind, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemcpyToSymbol_spt,
       ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpyToSymbolAsync_spt,
       ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemcpyFromSymbol_spt,
       ah_copy_symbol(symbol, dst, sizeBytes, offset, kind, false, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpyFromSymbolAsync_spt,
       ah_copy_symbol(symbol, dst, sizeBytes, offset, kind, false, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemcpy2D_spt,
       ah_copy_rows(&(const struct ah_copy_region){.dst = ah_pointer_end(dst, dpitch),
                                                   .src = ah_pointer_end(src, spitch),
                                                   .width = width,
                                                   .height = height},
                    kind, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpy2DAsync_spt,
       ah_copy_rows(&(const struct ah_copy_region){.dst = ah_pointer_end(dst, dpitch),
                                                   .src = ah_pointer_end(src, spitch),
                                                   .width = width,
                                                   .height = height},
                    kind, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemcpy2DToArray_spt,
       ah_copy_rows(&(const struct ah_copy_region){.dst = ah_array_end(dst, wOffset, hOffset),
                                                   .src = ah_pointer_end(src, spitch),
                                                   .width = width,
                                                   .height = height},
                    kind, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpy2DToArrayAsync_spt,
       ah_copy_rows(&(const struct ah_copy_region){.dst = ah_array_end(dst, wOffset, hOffset),
                                                   .src = ah_pointer_end(src, spitch),
                                                   .width = width,
                                                   .height = height},
                    kind, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemcpy2DFromArray_spt,
       ah_copy_rows(&(const struct ah_copy_region){.dst = ah_pointer_end(dst, dpitch),
                                                   .src = ah_array_end(src, wOffset, hOffset),
                                                   .width = width,
                                                   .height = height},
                    kind, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpy2DFromArrayAsync_spt,
       ah_copy_rows(&(const struct ah_copy_region){.dst = ah_pointer_end(dst, dpitch),
                                                   .src = ah_array_end(src, wOffsetSrc, hOffsetSrc),
                                                   .width = width,
                                                   .height = height},
                    kind, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemcpyFromArray_spt,
       ah_copy_array_run(&(const struct ah_array_run){src, wOffsetSrc, hOffset, dst, count, false},
                         kind, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpy3D_spt, ah_copy_3d(p, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemcpy3DAsync_spt, ah_copy_3d(p, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemset_spt,
       ah_fill(dst, 0, (unsigned char)value, 1, sizeBytes, 1, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemsetAsync_spt,
       ah_fill(dst, 0, (unsigned char)value, 1, sizeBytes, 1, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemset2D_spt,
       ah_fill(dst, pitch, (unsigned char)value, 1, width, height, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemset2DAsync_spt,
       ah_fill(dst, pitch, (unsigned char)value, 1, width, height, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipMemset3D_spt, ah_fill_3d(pitchedDevPtr, value, extent, hipStreamPerThread, AH_BLOCKING))
AH_SPT(hipMemset3DAsync_spt,
       ah_fill_3d(pitchedDevPtr, value, extent, ah_stream_spt(stream), AH_ASYNC))
AH_SPT(hipStreamQuery_spt, ah_stream_query_handle(ah_stream_spt(stream)))
AH_SPT(hipStreamSynchronize_spt, ah_stream_synchronize_handle(ah_stream_spt(stream)))
AH_SPT(hipStreamGetPriority_spt, ah_stream_get_priority(ah_stream_spt(stream), priority))
AH_SPT(hipStreamGetFlags_spt, ah_stream_get_flags(ah_stream_spt(stream), flags))
AH_SPT(hipStreamWaitEvent_spt, ah_stream_wait_event(ah_stream_spt(stream), event, flags))
AH_SPT(hipStreamAddCallback_spt,
       ah_stream_add_callback(ah_stream_spt(stream), callback, userData, flags))
AH_SPT(hipLaunchHostFunc_spt, ah_stream_host_function(ah_stream_spt(stream), fn, userData))
AH_SPT(hipEventRecord_spt, ah_event_record(event, ah_stream_spt(stream)))
AH_SPT(hipLaunchKernel_spt, ah_launch_kernel(function_address, numBlocks, dimBlocks, args,
                                             sharedMemBytes, ah_stream_spt(stream), 0))
AH_SPT(hipLaunchCooperativeKernel_spt,
       ah_launch_cooperative(f, gridDim, blockDim, kernelParams, sharedMemBytes,
                             ah_stream_spt(hStream)))
