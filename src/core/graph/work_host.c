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

static hipGraphExecUpdateResult update(const struct ah_work *old, const struct ah_work *work)
{
    (void)old;
    (void)work;
    return hipGraphExecUpdateSuccess;
}

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
    .update = update,
    .view = view,
    .submit = submit,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------------ */

static hipError_t add(hipGraphNode_t *out_node, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count,
                      const hipHostNodeParams *params)
{
    struct ah_work *work;
    hipError_t error = ah_work_make_host(params, "hipGraphAddHostNode", &work);
    if (error != hipSuccess)
        return error;
    return ah_graph_add_work(graph, dependencies, count, work, "hipGraphAddHostNode", out_node);
}

hipError_t hipGraphAddHostNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                               const hipGraphNode_t *pDependencies, size_t numDependencies,
                               const hipHostNodeParams *pNodeParams)
{
    AH_ENTER(hipGraphAddHostNode);
    return AH_LEAVE(add(pGraphNode, graph, pDependencies, numDependencies, pNodeParams));
}

static hipError_t get(hipGraphNode_t handle, hipHostNodeParams *out_params)
{
    struct ah_node *node;
    if (!out_params)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error =
        ah_node_of_type(handle, hipGraphNodeTypeHost, "hipGraphHostNodeGetParams", &node);
    if (error == hipSuccess)
        *out_params = node->work->host;
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *pNodeParams)
{
    AH_ENTER(hipGraphHostNodeGetParams);
    return AH_LEAVE(get(node, pNodeParams));
}

static hipError_t set(hipGraphNode_t node, const hipHostNodeParams *params)
{
    struct ah_work *work;
    hipError_t error = ah_work_make_host(params, "hipGraphHostNodeSetParams", &work);
    return error == hipSuccess ? ah_node_set_work(node, work, "hipGraphHostNodeSetParams") : error;
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *pNodeParams)
{
    AH_ENTER(hipGraphHostNodeSetParams);
    return AH_LEAVE(set(node, pNodeParams));
}
