/* The public functions of stream capture. */
#include "api.h"
#include "api_arguments.h"
#include "capture.h"

#include <hip/api/per_thread_default_stream.h>

#include <stdlib.h>

static bool is_mode(hipStreamCaptureMode mode)
{
    return (int)mode >= hipStreamCaptureModeGlobal && (int)mode <= hipStreamCaptureModeRelaxed;
}

static bool is_legacy(const struct ah_stream *stream)
{
    return stream == &stream->handle.device->legacy;
}

/* ---- beginning ------------------------------------------------------------------------ */

static hipError_t check_nodes(const struct ah_graph *graph, const hipGraphNode_t *nodes,
                              size_t count, const char *call)
{
    hipError_t error = hipSuccess;
    struct ah_node *node;
    for (size_t i = 0; i < count && error == hipSuccess; i++) {
        error = ah_node_of(nodes[i], call, &node);
        if (error == hipSuccess && node->graph != graph) {
            AH_LOG_ERR("%s: node %p is not of the graph that is captured", call, (void *)node);
            error = hipErrorInvalidValue;
        }
    }
    return error;
}

static hipError_t check_begin(const struct ah_stream *stream, hipStreamCaptureMode mode)
{
    if (is_legacy(stream)) {
        AH_LOG_ERR("hipStreamBeginCapture: the legacy default stream cannot be captured; create "
                   "a stream");
        return hipErrorStreamCaptureUnsupported;
    }
    return is_mode(mode) ? hipSuccess : hipErrorInvalidValue;
}

/* The lock is held. graph NULL: a new one. */
static hipError_t begin(struct ah_stream *stream, struct ah_graph *graph,
                        const hipGraphNode_t *nodes, size_t count, hipStreamCaptureMode mode)
{
    struct ah_capture *capture;
    if (stream->captured) {
        AH_LOG_ERR("hipStreamBeginCapture: stream %llu is being captured", stream->id);
        return hipErrorIllegalState;
    }
    hipError_t error = check_nodes(graph, nodes, count, "hipStreamBeginCaptureToGraph");
    if (error == hipSuccess)
        error = ah_capture_begin(stream, graph, mode, &capture);
    if (error != hipSuccess)
        return error;
    error = ah_capture_nodes_add(&capture->origin->after, nodes, (unsigned)count);
    if (error != hipSuccess)
        ah_capture_finish(capture, false);
    return error;
}

static hipError_t begin_capture(hipStream_t handle, hipStreamCaptureMode mode)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error == hipSuccess)
        error = check_begin(stream, mode);
    if (error != hipSuccess)
        return error;
    ah_graph_lock();
    error = begin(stream, NULL, NULL, 0, mode);
    ah_graph_unlock();
    return error;
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    AH_ENTER(hipStreamBeginCapture);
    return AH_LEAVE(begin_capture(stream, mode));
}

hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode)
{
    AH_ENTER(hipStreamBeginCapture_spt);
    return AH_LEAVE(begin_capture(ah_stream_spt(stream), mode));
}

static hipError_t begin_capture_to_graph(hipStream_t stream_handle, hipGraph_t graph_handle,
                                         const hipGraphNode_t *nodes, size_t count,
                                         hipStreamCaptureMode mode)
{
    struct ah_stream *stream;
    struct ah_graph *graph;
    if (!nodes != (count == 0))
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(stream_handle, &stream);
    if (error == hipSuccess)
        error = check_begin(stream, mode);
    if (error != hipSuccess)
        return error;
    ah_graph_lock();
    error = ah_graph_of(graph_handle, "hipStreamBeginCaptureToGraph", &graph);
    if (error == hipSuccess)
        error = begin(stream, graph, nodes, count, mode);
    ah_graph_unlock();
    return error;
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t *dependencies,
                                        const hipGraphEdgeData *dependencyData,
                                        size_t numDependencies, hipStreamCaptureMode mode)
{
    AH_ENTER(hipStreamBeginCaptureToGraph);
    if (dependencyData) {
        AH_LOG_ERR("hipStreamBeginCaptureToGraph: data of edges are not supported; pass NULL");
        return AH_LEAVE(hipErrorNotSupported);
    }
    return AH_LEAVE(begin_capture_to_graph(stream, graph, dependencies, numDependencies, mode));
}

/* ---- end ------------------------------------------------------------------------------ */

static hipError_t check_end(const struct ah_stream *stream)
{
    const struct ah_capture *capture = stream->captured ? stream->captured->capture : NULL;
    if (!capture) {
        AH_LOG_ERR("hipStreamEndCapture: stream %llu is not being captured", stream->id);
        return hipErrorIllegalState;
    }
    if (capture->origin->stream != stream) {
        AH_LOG_ERR("hipStreamEndCapture: the capture of stream %llu began in stream %llu and has "
                   "to end there",
                   stream->id, capture->origin->stream->id);
        return hipErrorStreamCaptureUnmatched;
    }
    if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != &ah_thread) {
        AH_LOG_ERR("hipStreamEndCapture: the capture of stream %llu began in another thread and "
                   "has to end there, as its mode is not hipStreamCaptureModeRelaxed",
                   stream->id);
        return hipErrorStreamCaptureWrongThread;
    }
    return hipSuccess;
}

static hipError_t check_result(const struct ah_capture *capture)
{
    if (capture->invalid) {
        AH_LOG_ERR("hipStreamEndCapture: an earlier call invalidated the capture of stream %llu",
                   capture->origin->stream->id);
        return hipErrorStreamCaptureInvalidated;
    }
    hipError_t error = ah_capture_check_joined(capture);
    if (error == hipErrorStreamCaptureUnjoined)
        AH_LOG_ERR("hipStreamEndCapture: work of a stream that joined the capture of stream %llu "
                   "is not joined back: record an event behind it, and let stream %llu wait for "
                   "that",
                   capture->origin->stream->id, capture->origin->stream->id);
    return error;
}

static hipError_t end(struct ah_stream *stream, hipGraph_t *out_graph)
{
    hipError_t error = check_end(stream);
    if (error != hipSuccess)
        return error;
    struct ah_capture *capture = stream->captured->capture;
    error = check_result(capture);
    *out_graph = error == hipSuccess ? ah_graph_handle(capture->graph) : NULL;
    ah_capture_finish(capture, error == hipSuccess);
    return error;
}

static hipError_t end_capture(hipStream_t handle, hipGraph_t *out_graph)
{
    struct ah_stream *stream;
    if (!out_graph)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess)
        return error;
    ah_graph_lock();
    error = end(stream, out_graph);
    ah_graph_unlock();
    return error;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *pGraph)
{
    AH_ENTER(hipStreamEndCapture);
    return AH_LEAVE(end_capture(stream, pGraph));
}

hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t *pGraph)
{
    AH_ENTER(hipStreamEndCapture_spt);
    return AH_LEAVE(end_capture(ah_stream_spt(stream), pGraph));
}

/* ---- questions ------------------------------------------------------------------------ */

struct info {
    hipStreamCaptureStatus *status;
    unsigned long long *id;
    hipGraph_t *graph;
    const hipGraphNode_t **nodes;
    size_t *count;
};

static void fill_in(const struct info *out, const struct ah_captured_stream *part)
{
    const struct ah_capture *capture = part ? part->capture : NULL;
    bool active = capture && !capture->invalid;
    *out->status = active    ? hipStreamCaptureStatusActive
                   : capture ? hipStreamCaptureStatusInvalidated
                             : hipStreamCaptureStatusNone;
    if (out->id)
        *out->id = active ? capture->id : 0;
    if (out->graph)
        *out->graph = active ? ah_graph_handle(capture->graph) : NULL;
    if (out->nodes)
        *out->nodes = active ? part->after.nodes : NULL;
    if (out->count)
        *out->count = active ? part->after.count : 0;
}

/* Whether a valid capture makes the legacy stream unusable. */
static bool is_beside_capture(const struct ah_device *device)
{
    for (const struct ah_capture *capture = ah_capture_first; capture; capture = capture->next)
        if (!capture->invalid && ah_capture_uses(capture, device, true))
            return true;
    return false;
}

/* A question does not invalidate the capture that makes it one without an answer. */
static hipError_t get_info(hipStream_t handle, const struct info *out)
{
    struct ah_stream *stream;
    if (!out->status)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_any(handle, &stream);
    if (error != hipSuccess)
        return error;
    ah_graph_lock();
    if (is_legacy(stream) && is_beside_capture(stream->handle.device))
        error = hipErrorStreamCaptureImplicit;
    else
        fill_in(out, stream->captured);
    ah_graph_unlock();
    return error;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus)
{
    AH_ENTER(hipStreamIsCapturing);
    return AH_LEAVE(get_info(stream, &(const struct info){.status = pCaptureStatus}));
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus)
{
    AH_ENTER(hipStreamIsCapturing_spt);
    return AH_LEAVE(
        get_info(ah_stream_spt(stream), &(const struct info){.status = pCaptureStatus}));
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus,
                                   unsigned long long *pId)
{
    AH_ENTER(hipStreamGetCaptureInfo);
    return AH_LEAVE(get_info(stream, &(const struct info){.status = pCaptureStatus, .id = pId}));
}

hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus,
                                       unsigned long long *pId)
{
    AH_ENTER(hipStreamGetCaptureInfo_spt);
    return AH_LEAVE(
        get_info(ah_stream_spt(stream), &(const struct info){.status = pCaptureStatus, .id = pId}));
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *captureStatus_out,
                                      unsigned long long *id_out, hipGraph_t *graph_out,
                                      const hipGraphNode_t **dependencies_out,
                                      size_t *numDependencies_out)
{
    AH_ENTER(hipStreamGetCaptureInfo_v2);
    const struct info info = {captureStatus_out, id_out, graph_out, dependencies_out,
                              numDependencies_out};
    return AH_LEAVE(get_info(stream, &info));
}

hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream,
                                          hipStreamCaptureStatus *captureStatus_out,
                                          unsigned long long *id_out, hipGraph_t *graph_out,
                                          const hipGraphNode_t **dependencies_out,
                                          size_t *numDependencies_out)
{
    AH_ENTER(hipStreamGetCaptureInfo_v2_spt);
    const struct info info = {captureStatus_out, id_out, graph_out, dependencies_out,
                              numDependencies_out};
    return AH_LEAVE(get_info(ah_stream_spt(stream), &info));
}

/* ---- changes -------------------------------------------------------------------------- */

/* Nodes that the application takes out of a set need not be joined. */
static hipError_t replace_nodes(struct ah_captured_stream *part, const hipGraphNode_t *nodes,
                                unsigned count)
{
    struct ah_capture_nodes old = part->after;
    part->after = (struct ah_capture_nodes){0};
    hipError_t error = ah_capture_nodes_set(&part->after, nodes, count);
    if (error != hipSuccess) {
        part->after = old;
        return error;
    }
    for (unsigned i = 0; i < old.count; i++)
        if (!ah_capture_nodes_have(&part->after, old.nodes[i]))
            ((struct ah_node *)(void *)old.nodes[i])->to_join = false;
    free(old.nodes);
    return hipSuccess;
}

/* The lock is held. */
static hipError_t update(struct ah_captured_stream *part, const hipGraphNode_t *nodes, size_t count,
                         bool replace)
{
    if (!part) {
        AH_LOG_ERR("hipStreamUpdateCaptureDependencies: the stream is not being captured");
        return hipErrorIllegalState;
    }
    if (part->capture->invalid)
        return hipErrorStreamCaptureInvalidated;
    if (count > part->capture->graph->count)
        return hipErrorInvalidValue;
    hipError_t error =
        check_nodes(part->capture->graph, nodes, count, "hipStreamUpdateCaptureDependencies");
    if (error != hipSuccess)
        return error;
    return replace ? replace_nodes(part, nodes, (unsigned)count)
                   : ah_capture_nodes_add(&part->after, nodes, (unsigned)count);
}

static hipError_t update_dependencies(hipStream_t handle, const hipGraphNode_t *nodes, size_t count,
                                      unsigned flags)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess)
        return error;
    if ((count > 0 && !nodes) ||
        (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies))
        return hipErrorInvalidValue;
    ah_graph_lock();
    error = update(stream->captured, nodes, count, flags == hipStreamSetCaptureDependencies);
    ah_graph_unlock();
    return error;
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *dependencies,
                                              size_t numDependencies, unsigned int flags)
{
    AH_ENTER(hipStreamUpdateCaptureDependencies);
    return AH_LEAVE(update_dependencies(stream, dependencies, numDependencies, flags));
}

/* The mode determines what other calls may do while a stream captures. */
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode)
{
    AH_ENTER(hipThreadExchangeStreamCaptureMode);
    if (!mode || !is_mode(*mode))
        return AH_LEAVE(hipErrorInvalidValue);
    hipStreamCaptureMode previous = ah_thread.capture_mode;
    ah_thread.capture_mode = *mode;
    *mode = previous;
    return AH_LEAVE(hipSuccess);
}
