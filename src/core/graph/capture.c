/* Queries of stream capture, which does not exist yet: no stream captures. */
#include "api.h"
#include "api_arguments.h"

#include <hip/api/per_thread_default_stream.h>

static hipError_t capture_status(hipStream_t handle, hipStreamCaptureStatus *out_status,
                                 unsigned long long *out_id)
{
    struct ah_stream *stream;
    if (!out_status)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess)
        return error;
    *out_status = hipStreamCaptureStatusNone;
    if (out_id)
        *out_id = 0;
    return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus)
{
    AH_ENTER(hipStreamIsCapturing);
    return AH_LEAVE(capture_status(stream, pCaptureStatus, NULL));
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus)
{
    AH_ENTER(hipStreamIsCapturing_spt);
    return AH_LEAVE(capture_status(ah_stream_spt(stream), pCaptureStatus, NULL));
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus,
                                   unsigned long long *pId)
{
    AH_ENTER(hipStreamGetCaptureInfo);
    return AH_LEAVE(capture_status(stream, pCaptureStatus, pId));
}

hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus,
                                       unsigned long long *pId)
{
    AH_ENTER(hipStreamGetCaptureInfo_spt);
    return AH_LEAVE(capture_status(ah_stream_spt(stream), pCaptureStatus, pId));
}

static hipError_t capture_info(hipStream_t stream, hipStreamCaptureStatus *out_status,
                               unsigned long long *out_id, hipGraph_t *out_graph,
                               const hipGraphNode_t **out_dependencies, size_t *out_count)
{
    hipError_t error = capture_status(stream, out_status, out_id);
    if (error != hipSuccess)
        return error;
    if (out_graph)
        *out_graph = NULL;
    if (out_dependencies)
        *out_dependencies = NULL;
    if (out_count)
        *out_count = 0;
    return hipSuccess;
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *captureStatus_out,
                                      unsigned long long *id_out, hipGraph_t *graph_out,
                                      const hipGraphNode_t **dependencies_out,
                                      size_t *numDependencies_out)
{
    AH_ENTER(hipStreamGetCaptureInfo_v2);
    return AH_LEAVE(capture_info(stream, captureStatus_out, id_out, graph_out, dependencies_out,
                                 numDependencies_out));
}

hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream,
                                          hipStreamCaptureStatus *captureStatus_out,
                                          unsigned long long *id_out, hipGraph_t *graph_out,
                                          const hipGraphNode_t **dependencies_out,
                                          size_t *numDependencies_out)
{
    AH_ENTER(hipStreamGetCaptureInfo_v2_spt);
    return AH_LEAVE(capture_info(ah_stream_spt(stream), captureStatus_out, id_out, graph_out,
                                 dependencies_out, numDependencies_out));
}

/* The mode determines what other calls may do while a stream captures. */
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode)
{
    AH_ENTER(hipThreadExchangeStreamCaptureMode);
    if (!mode || (int)*mode < hipStreamCaptureModeGlobal ||
        (int)*mode > hipStreamCaptureModeRelaxed)
        return AH_LEAVE(hipErrorInvalidValue);
    hipStreamCaptureMode previous = ah_thread.capture_mode;
    ah_thread.capture_mode = *mode;
    *mode = previous;
    return AH_LEAVE(hipSuccess);
}
