/* Owns host nodes, which call a function of the application. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

hipError_t ah_work_make_host(const hipHostNodeParams *params, const char *call,
                             struct ah_work **out_work)
{
    struct ah_device *device;
    if (!params || !params->fn) {
        AH_LOG_ERR("%s: there is no function to call", call);
        return hipErrorInvalidValue;
    }
    hipError_t error = ah_work_device(NULL, &device);
    if (error != hipSuccess)
        return error;
    struct ah_work *work = ah_work_create(&ah_work_host, device);
    if (!work)
        return hipErrorOutOfMemory;
    work->host = *params;
    *out_work = work;
    return hipSuccess;
}

hipError_t ah_work_capture_host(const struct ah_stream *stream, const struct ah_command *command,
                                struct ah_work **out_work)
{
    struct ah_work *work = ah_work_create(&ah_work_host, stream->handle.device);
    if (!work)
        return hipErrorOutOfMemory;
    work->host = (hipHostNodeParams){command->host.function, command->host.data};
    *out_work = work;
    return hipSuccess;
}

hipError_t ah_work_capture_callback(const struct ah_stream *stream,
                                    const struct ah_command *command, struct ah_work **out_work)
{
    (void)stream;
    (void)command;
    (void)out_work;
    AH_LOG_ERR("hipStreamAddCallback cannot be captured, since its function is called once: use "
               "hipLaunchHostFunc");
    return hipErrorStreamCaptureUnsupported;
}

/* ---- the row ------------------------------------------------------------------------------- */

static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    out_node->kind = AH_GRAPH_HOST_FUNCTION;
    out_node->host.function = work->host.fn;
    out_node->host.data = work->host.userData;
    return hipSuccess;
}

static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_HOST_FUNCTION,
                                                  .host = {work->host.fn, work->host.userData}});
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsHostNodeParams))
        fprintf(out, "function|%p\nargument|%p\n", (void *)(uintptr_t)work->host.fn,
                work->host.userData);
}

const struct ah_work_type ah_work_host = {
    .type = hipGraphNodeTypeHost,
    .name = "host",
    .view = view,
    .submit = submit,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------------ */

hipError_t hipGraphAddHostNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                               const hipGraphNode_t *pDependencies, size_t numDependencies,
                               const hipHostNodeParams *pNodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddHostNode);
    hipError_t error = ah_work_make_host(pNodeParams, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *pNodeParams)
{
    AH_ENTER(hipGraphHostNodeGetParams);
    return AH_LEAVE(AH_NODE_GET(node, hipGraphNodeTypeHost, host, pNodeParams));
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *pNodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphHostNodeSetParams);
    hipError_t error = ah_work_make_host(pNodeParams, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}
