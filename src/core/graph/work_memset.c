/* Owns memset nodes, which fill rows of equal elements. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"
#include "graph_memory.h"

/* Bytes from row to row; a single row needs none. */
static size_t pitch_of(const hipMemsetParams *params)
{
    return params->height > 1 ? params->pitch : 0;
}

static hipError_t refuse(const char *call, const hipMemsetParams *params)
{
    AH_LOG_ERR("%s: %zu rows of %zu elements of %u bytes each, %zu bytes apart, at %p: sizes are "
               "not 0, elements have 1, 2 or 4 bytes and are aligned, and rows do not overlap",
               call, params->height, params->width, params->elementSize, params->pitch,
               params->dst);
    return hipErrorInvalidValue;
}

static hipError_t check(const hipMemsetParams *params, const char *call)
{
    size_t row, size = params->elementSize, pitch = pitch_of(params);
    enum ah_memory_kind kind;
    if ((size != 1 && size != 2 && size != 4) || params->width == 0 || params->height == 0 ||
        __builtin_mul_overflow(params->width, size, &row) || (params->height > 1 && row > pitch) ||
        (uintptr_t)params->dst % size != 0 || pitch % size != 0)
        return refuse(call, params);
    return ah_fill_check_range(params->dst, pitch, row, params->height, &kind);
}

static hipError_t make(const hipMemsetParams *params, struct ah_device *device, const char *call,
                       struct ah_work **out_work)
{
    if (!params)
        return hipErrorInvalidValue;
    hipError_t error = check(params, call);
    if (error != hipSuccess)
        return error;
    struct ah_work *work = ah_work_create(&ah_work_memset, device);
    if (!work)
        return hipErrorOutOfMemory;
    work->memset = (struct ah_memset_work){*params, ah_memory_owner(params->dst)};
    *out_work = work;
    return hipSuccess;
}

hipError_t ah_work_make_memset_in(const hipMemsetParams *params, hipCtx_t context, const char *call,
                                  struct ah_work **out_work)
{
    struct ah_device *device;
    hipError_t error = ah_work_device(context, &device);
    return error == hipSuccess ? make(params, device, call, out_work) : error;
}

hipError_t ah_work_make_memset(const hipMemsetParams *params, const char *call,
                               struct ah_work **out_work)
{
    return ah_work_make_memset_in(params, NULL, call, out_work);
}

hipError_t ah_work_capture_fill(const struct ah_stream *stream, const struct ah_command *command,
                                struct ah_work **out_work)
{
    const struct ah_fill *fill = &command->fill.rows;
    return make(&(hipMemsetParams){.dst = fill->dst,
                                   .elementSize = fill->element_size,
                                   .height = fill->height,
                                   .pitch = fill->pitch,
                                   .value = fill->value,
                                   .width = fill->width},
                stream->handle.device, "a captured fill", out_work);
}

/* ---- the row ------------------------------------------------------------------------------- */

static bool same_rows(const hipMemsetParams *a, const hipMemsetParams *b)
{
    return a->height == b->height && a->width * a->elementSize == b->width * b->elementSize;
}

static hipGraphExecUpdateResult update(const struct ah_work *old, const struct ah_work *work)
{
    const hipMemsetParams *was = &old->memset.given, *is = &work->memset.given;
    if (old->memset.owner != work->memset.owner) {
        AH_LOG_ERR("a memset node of an executable graph cannot go to memory of another device");
        return hipGraphExecUpdateErrorParametersChanged;
    }
    if ((was->height > 1 || is->height > 1) && !same_rows(was, is)) {
        AH_LOG_ERR("a memset node of an executable graph keeps its size if it has several rows");
        return hipGraphExecUpdateErrorParametersChanged;
    }
    return hipGraphExecUpdateSuccess;
}

static struct ah_fill fill_of(const hipMemsetParams *params)
{
    return (struct ah_fill){.dst = params->dst,
                            .pitch = pitch_of(params),
                            .value = params->value,
                            .element_size = params->elementSize,
                            .width = params->width,
                            .height = params->height};
}

static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    const struct ah_device *owner = work->memset.owner;
    if ((owner && owner->driver != work->device->driver) ||
        ah_graph_memory_has(work->memset.given.dst))
        return hipErrorNotSupported;
    out_node->kind = AH_GRAPH_FILL;
    out_node->fill = fill_of(&work->memset.given);
    return hipSuccess;
}

static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_FILL,
                                                  .blocking = AH_ASYNC,
                                                  .fill = {.rows = fill_of(&work->memset.given)}});
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    const hipMemsetParams *params = &work->memset.given;
    fprintf(out, "value|%u\nbytes|%zu\n", params->value,
            params->width * params->elementSize * params->height);
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsMemsetNodeParams))
        fprintf(out, "address|%p\npitch|%zu\nelement size|%u\nwidth|%zu\nheight|%zu\n", params->dst,
                params->pitch, params->elementSize, params->width, params->height);
}

const struct ah_work_type ah_work_memset = {
    .type = hipGraphNodeTypeMemset,
    .name = "memset",
    .can_disable = true,
    .update = update,
    .view = view,
    .submit = submit,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------------ */

static hipError_t add(hipGraphNode_t *out_node, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count,
                      const hipMemsetParams *params, hipCtx_t context, const char *call)
{
    struct ah_work *work = NULL;
    hipError_t error = ah_work_make_memset_in(params, context, call, &work);
    return ah_graph_add_work(error, graph, dependencies, count, work, call, out_node);
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t *pDependencies, size_t numDependencies,
                                 const hipMemsetParams *pMemsetParams)
{
    AH_ENTER(hipGraphAddMemsetNode);
    return AH_LEAVE(add(pGraphNode, graph, pDependencies, numDependencies, pMemsetParams, NULL,
                        "hipGraphAddMemsetNode"));
}

hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t *dependencies, size_t numDependencies,
                                    const hipMemsetParams *memsetParams, hipCtx_t ctx)
{
    AH_ENTER(hipDrvGraphAddMemsetNode);
    return AH_LEAVE(add(phGraphNode, hGraph, dependencies, numDependencies, memsetParams, ctx,
                        "hipDrvGraphAddMemsetNode"));
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *pNodeParams)
{
    AH_ENTER(hipGraphMemsetNodeGetParams);
    return AH_LEAVE(AH_NODE_GET(node, hipGraphNodeTypeMemset, memset.given, pNodeParams));
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *pNodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphMemsetNodeSetParams);
    hipError_t error = ah_work_make_memset(pNodeParams, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}
