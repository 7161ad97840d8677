/* Owns graphs. Nodes become those of a CUgraph, which is instantiated at once; the CUgraph stays
 * until the end, since updates name the nodes of an executable graph by the nodes that it was made
 * of. What the driver refuses to have in a graph is left to core, which does it in a stream. */
#include "cuda_attribute.h"
#include "cuda_backend.h"
#include "cuda_trace.h"
#include "readable.h"

#include <stdlib.h>
#include <string.h>

struct node {
    CUgraphNode native;
    bool works; /* the driver's node is of this kind, not an empty one in its place */
    bool enabled;
    bool cooperative;
    struct ah_launch_attributes *attributes; /* a copy of the launch's; NULL: none */
};

struct ah_backend_graph {
    CUgraphExec exec; /* first: launches need nothing else */
    CUgraph graph;
    unsigned count;
    struct node nodes[];
};

/* Where a node is added. */
struct place {
    CUgraph graph;
    const CUgraphNode *dependencies;
    size_t count;
    CUgraphNode *out;
};

/* A node of an executable graph. */
struct target {
    CUgraphExec exec;
    CUgraphNode node;
};

static CUcontext context_of(const struct ah_graph_node *node)
{
    return atomic_load_explicit(&node->device->context, memory_order_acquire);
}

/* ---- launches ---------------------------------------------------------------------------- */

static bool is_cooperative(const struct ah_graph_node *node)
{
    return node->kind == AH_GRAPH_LAUNCH &&
           (node->launch.sizes->flags & AH_LAUNCH_COOPERATIVE) != 0;
}

/* A kernel's place among those of several devices is written for each launch, and the driver takes
 * the arguments of cooperative kernels one by one. */
static bool is_plain_launch(const struct ah_launch *launch)
{
    return !launch->place && !(launch->extra && (launch->flags & AH_LAUNCH_COOPERATIVE));
}

/* extra and size: for the arguments, until the parameters were used. */
static CUDA_KERNEL_NODE_PARAMS kernel_parameters(const struct ah_graph_node *node, void *extra[5],
                                                 size_t *size)
{
    const struct ah_launch *launch = node->launch.sizes;
    CUfunction function = (CUfunction)(void *)node->launch.function;
    return (CUDA_KERNEL_NODE_PARAMS){
        .func = function,
        .gridDimX = launch->grid[0],
        .gridDimY = launch->grid[1],
        .gridDimZ = launch->grid[2],
        .blockDimX = launch->block[0],
        .blockDimY = launch->block[1],
        .blockDimZ = launch->block[2],
        .sharedMemBytes = launch->shared,
        .kernelParams = launch->params,
        .extra =
            launch->extra ? ahcuda_extra(node->device, function, launch->extra, extra, size) : NULL,
    };
}

static CUresult add_launch(const struct ahcuda_api *api, const struct place *place,
                           const struct ah_graph_node *node)
{
    void *extra[5];
    size_t size;
    CUlaunchAttribute attributes[AHCUDA_ATTRIBUTES_MAX];
    unsigned count = ahcuda_attributes(node->launch.sizes, attributes);
    if (!api->cuGraphAddKernelNode || !is_plain_launch(node->launch.sizes) ||
        (count > 0 && !api->cuGraphKernelNodeSetAttribute))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUDA_KERNEL_NODE_PARAMS params = kernel_parameters(node, extra, &size);
    CUresult result = api->cuGraphAddKernelNode(place->out, place->graph, place->dependencies,
                                                place->count, &params);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result =
            api->cuGraphKernelNodeSetAttribute(*place->out, attributes[i].id, &attributes[i].value);
    return result;
}

/* An executable node keeps the attributes with which it was made. */
static hipError_t keep_attributes(struct node *at, const struct ah_graph_node *node)
{
    if (node->kind != AH_GRAPH_LAUNCH || !(node->launch.sizes->flags & AH_LAUNCH_ATTRIBUTES))
        return hipSuccess;
    at->attributes = malloc(sizeof *at->attributes);
    if (!at->attributes)
        return hipErrorOutOfMemory;
    *at->attributes = *node->launch.sizes->attributes;
    return hipSuccess;
}

static bool has_same_attributes(const struct node *at, const struct ah_graph_node *node)
{
    bool has =
        node->kind == AH_GRAPH_LAUNCH && (node->launch.sizes->flags & AH_LAUNCH_ATTRIBUTES) != 0;
    if (is_cooperative(node) != at->cooperative || has != (at->attributes != NULL))
        return false;
    return !has ||
           memcmp(at->attributes, node->launch.sizes->attributes, sizeof *at->attributes) == 0;
}

static CUresult set_launch(const struct ahcuda_api *api, const struct target *target,
                           const struct ah_graph_node *node)
{
    void *extra[5];
    size_t size;
    if (!api->cuGraphExecKernelNodeSetParams || !is_plain_launch(node->launch.sizes))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUDA_KERNEL_NODE_PARAMS params = kernel_parameters(node, extra, &size);
    return api->cuGraphExecKernelNodeSetParams(target->exec, target->node, &params);
}

/* ---- copies and fills -------------------------------------------------------------------- */

/* Plain bytes have no rows, but the driver wants their pitch. */
static CUDA_MEMCPY3D copy_parameters(const struct ah_graph_node *node)
{
    CUDA_MEMCPY3D copy = ahcuda_copy_parameters(&node->copy);
    if (copy.Height == 1 && copy.Depth == 1) {
        copy.srcPitch = copy.srcXInBytes + copy.WidthInBytes;
        copy.dstPitch = copy.dstXInBytes + copy.WidthInBytes;
        copy.srcHeight = copy.srcY + 1;
        copy.dstHeight = copy.dstY + 1;
    }
    return copy;
}

/* The driver takes an address that it does not know for pageable memory, which it reads and writes
 * itself when the node runs: not where addresses are reserved and have no memory yet. */
static bool has_memory(const struct ahcuda_api *api, const struct ah_copy_end *end)
{
    unsigned type = 0;
    return end->kind != AH_END_POINTER ||
           api->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      ahcuda_pointer(end->pointer)) == CUDA_SUCCESS ||
           ah_memory_readable(end->pointer) > 0;
}

static bool can_copy(const struct ahcuda_api *api, const struct ah_graph_node *node)
{
    return has_memory(api, &node->copy.src) && has_memory(api, &node->copy.dst);
}

static CUresult add_copy(const struct ahcuda_api *api, const struct place *place,
                         const struct ah_graph_node *node)
{
    CUDA_MEMCPY3D copy = copy_parameters(node);
    if (!api->cuGraphAddMemcpyNode || !can_copy(api, node))
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphAddMemcpyNode(place->out, place->graph, place->dependencies, place->count,
                                     &copy, context_of(node));
}

static CUresult set_copy(const struct ahcuda_api *api, const struct target *target,
                         const struct ah_graph_node *node)
{
    CUDA_MEMCPY3D copy = copy_parameters(node);
    if (!api->cuGraphExecMemcpyNodeSetParams || !can_copy(api, node))
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphExecMemcpyNodeSetParams(target->exec, target->node, &copy, context_of(node));
}

static CUDA_MEMSET_NODE_PARAMS fill_parameters(const struct ah_graph_node *node)
{
    const struct ah_fill *fill = &node->fill;
    return (CUDA_MEMSET_NODE_PARAMS){
        .dst = ahcuda_pointer(fill->dst),
        .pitch = fill->pitch,
        .value = fill->value & (UINT32_MAX >> (32 - 8 * fill->element_size)),
        .elementSize = fill->element_size,
        .width = fill->width,
        .height = fill->height,
    };
}

static CUresult add_fill(const struct ahcuda_api *api, const struct place *place,
                         const struct ah_graph_node *node)
{
    CUDA_MEMSET_NODE_PARAMS fill = fill_parameters(node);
    if (!api->cuGraphAddMemsetNode)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphAddMemsetNode(place->out, place->graph, place->dependencies, place->count,
                                     &fill, context_of(node));
}

static CUresult set_fill(const struct ahcuda_api *api, const struct target *target,
                         const struct ah_graph_node *node)
{
    CUDA_MEMSET_NODE_PARAMS fill = fill_parameters(node);
    if (!api->cuGraphExecMemsetNodeSetParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphExecMemsetNodeSetParams(target->exec, target->node, &fill, context_of(node));
}

/* ---- host functions, events, values -------------------------------------------------------- */

static CUresult add_host(const struct ahcuda_api *api, const struct place *place,
                         const struct ah_graph_node *node)
{
    const CUDA_HOST_NODE_PARAMS host = {node->host.function, node->host.data};
    if (!api->cuGraphAddHostNode)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphAddHostNode(place->out, place->graph, place->dependencies, place->count,
                                   &host);
}

static CUresult set_host(const struct ahcuda_api *api, const struct target *target,
                         const struct ah_graph_node *node)
{
    const CUDA_HOST_NODE_PARAMS host = {node->host.function, node->host.data};
    if (!api->cuGraphExecHostNodeSetParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphExecHostNodeSetParams(target->exec, target->node, &host);
}

static CUevent event_of(const struct ah_graph_node *node)
{
    return (CUevent)(void *)node->event;
}

static CUresult add_record(const struct ahcuda_api *api, const struct place *place,
                           const struct ah_graph_node *node)
{
    if (!api->cuGraphAddEventRecordNode)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphAddEventRecordNode(place->out, place->graph, place->dependencies,
                                          place->count, event_of(node));
}

static CUresult set_record(const struct ahcuda_api *api, const struct target *target,
                           const struct ah_graph_node *node)
{
    if (!api->cuGraphExecEventRecordNodeSetEvent)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphExecEventRecordNodeSetEvent(target->exec, target->node, event_of(node));
}

static CUresult add_event_wait(const struct ahcuda_api *api, const struct place *place,
                               const struct ah_graph_node *node)
{
    if (!api->cuGraphAddEventWaitNode)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphAddEventWaitNode(place->out, place->graph, place->dependencies, place->count,
                                        event_of(node));
}

static CUresult set_event_wait(const struct ahcuda_api *api, const struct target *target,
                               const struct ah_graph_node *node)
{
    if (!api->cuGraphExecEventWaitNodeSetEvent)
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphExecEventWaitNodeSetEvent(target->exec, target->node, event_of(node));
}

static CUstreamBatchMemOpParams value_parameters(const struct ah_graph_node *node)
{
    bool wide = node->value.bits == 64;
    bool wait = node->kind == AH_GRAPH_VALUE_WAIT;
    int waits = wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
    int writes = wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
    return (CUstreamBatchMemOpParams){
        .value = {.operation = wait ? waits : writes,
                  .address = ahcuda_pointer(node->value.pointer),
                  .value = wide ? node->value.value : (uint32_t)node->value.value,
                  .flags = wait ? ahcuda_wait_flag(node->value.condition)
                                : CU_STREAM_WRITE_VALUE_DEFAULT}};
}

/* Waits for a part of the bits need a kernel (cuda_value.c). */
static bool is_masked(const struct ah_graph_node *node)
{
    uint64_t all = node->value.bits == 32 ? UINT32_MAX : UINT64_MAX;
    return node->kind == AH_GRAPH_VALUE_WAIT && (node->value.mask & all) != all;
}

static CUresult add_value(const struct ahcuda_api *api, const struct place *place,
                          const struct ah_graph_node *node)
{
    CUstreamBatchMemOpParams value = value_parameters(node);
    const CUDA_BATCH_MEM_OP_NODE_PARAMS batch = {context_of(node), 1, &value, 0};
    if (!api->cuGraphAddBatchMemOpNode || is_masked(node))
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphAddBatchMemOpNode(place->out, place->graph, place->dependencies,
                                         place->count, &batch);
}

static CUresult set_value(const struct ahcuda_api *api, const struct target *target,
                          const struct ah_graph_node *node)
{
    CUstreamBatchMemOpParams value = value_parameters(node);
    const CUDA_BATCH_MEM_OP_NODE_PARAMS batch = {context_of(node), 1, &value, 0};
    if (!api->cuGraphExecBatchMemOpNodeSetParams || is_masked(node))
        return CUDA_ERROR_NOT_SUPPORTED;
    return api->cuGraphExecBatchMemOpNodeSetParams(target->exec, target->node, &batch);
}

/* ---- kinds of nodes ------------------------------------------------------------------------ */

static CUresult add_empty(const struct ahcuda_api *api, const struct place *place,
                          const struct ah_graph_node *node)
{
    (void)node;
    return api->cuGraphAddEmptyNode(place->out, place->graph, place->dependencies, place->count);
}

static CUresult set_empty(const struct ahcuda_api *api, const struct target *target,
                          const struct ah_graph_node *node)
{
    (void)api, (void)target, (void)node;
    return CUDA_SUCCESS;
}

/* What is missing in an older driver, or is no node of its, is CUDA_ERROR_NOT_SUPPORTED. */
static const struct kind {
    const char *name;
    CUresult (*add)(const struct ahcuda_api *api, const struct place *place,
                    const struct ah_graph_node *node);
    CUresult (*set)(const struct ahcuda_api *api, const struct target *target,
                    const struct ah_graph_node *node);
    /* cuGraphNodeSetEnabled takes it, and a disabled one still orders others: what comes after a
     * disabled fill does not wait for a kernel before it (driver 580, measured) */
    bool can_disable;
} kinds[] = {
    [AH_GRAPH_EMPTY] = {"empty", add_empty, set_empty, false},
    [AH_GRAPH_LAUNCH] = {"kernel", add_launch, set_launch, true},
    [AH_GRAPH_COPY] = {"copy", add_copy, set_copy, true},
    [AH_GRAPH_FILL] = {"fill", add_fill, set_fill, false},
    [AH_GRAPH_HOST_FUNCTION] = {"host", add_host, set_host, false},
    [AH_GRAPH_EVENT_RECORD] = {"event record", add_record, set_record, false},
    [AH_GRAPH_EVENT_WAIT] = {"event wait", add_event_wait, set_event_wait, false},
    [AH_GRAPH_VALUE_WAIT] = {"value wait", add_value, set_value, false},
    [AH_GRAPH_VALUE_WRITE] = {"value write", add_value, set_value, false},
};

/* A result that concerns the node makes it one that the driver does not have in graphs; any other
 * is an error. */
static hipError_t node_result(const struct ah_backend_device *device, const char *what,
                              const struct ah_graph_node *node, CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return hipSuccess;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_NOT_SUPPORTED:
        AH_LOG(AH_LOG_INFO, AH_LOG_CMD, "%s:%d: result %d for %s a %s node of a graph",
               device->backend->name, device->ordinal, result, what, kinds[node->kind].name);
        return hipErrorNotSupported;
    default:
        return ahcuda_report(device, what, result);
    }
}

/* ---- creation ------------------------------------------------------------------------------- */

static bool has_graphs(const struct ahcuda_api *api)
{
    return api->cuGraphCreate && api->cuGraphDestroy && api->cuGraphInstantiateWithFlags &&
           api->cuGraphExecDestroy && api->cuGraphUpload && api->cuGraphLaunch &&
           api->cuGraphAddEmptyNode;
}

/* A disabled node that the driver cannot disable is an empty one. */
static hipError_t add_node(struct ah_backend_graph *graph, const struct ah_graph_node *node,
                           struct node *out, const CUgraphNode *dependencies)
{
    const struct ahcuda_api *api = node->device->api;
    const struct kind *kind = &kinds[node->kind];
    const struct place place = {graph->graph, dependencies, node->dependency_count, &out->native};
    bool can_disable = kind->can_disable && api->cuGraphNodeSetEnabled;
    hipError_t error = ahcuda_enter(node->device);
    if (error != hipSuccess)
        return error;
    out->works = node->enabled || can_disable;
    out->enabled = out->works;
    out->cooperative = is_cooperative(node);
    error = keep_attributes(out, node);
    if (error != hipSuccess)
        return error;
    return node_result(node->device, "adding", node,
                       out->works ? kind->add(api, &place, node) : add_empty(api, &place, node));
}

static hipError_t add_nodes(struct ah_backend_graph *graph, const struct ah_graph_node *nodes)
{
    unsigned most = 1;
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < graph->count; i++)
        most = nodes[i].dependency_count > most ? nodes[i].dependency_count : most;
    CUgraphNode *dependencies = calloc(most, sizeof(CUgraphNode));
    if (!dependencies)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < graph->count && error == hipSuccess; i++) {
        for (unsigned k = 0; k < nodes[i].dependency_count; k++)
            dependencies[k] = graph->nodes[nodes[i].dependencies[k]].native;
        error = add_node(graph, &nodes[i], &graph->nodes[i], dependencies);
    }
    free(dependencies);
    return error;
}

static hipError_t set_enabled(struct ah_backend_graph *graph, const struct ah_graph_node *node,
                              struct node *at)
{
    const struct ahcuda_api *api = node->device->api;
    if (at->enabled == node->enabled)
        return hipSuccess;
    if (!api->cuGraphNodeSetEnabled || !kinds[node->kind].can_disable)
        return hipErrorNotSupported;
    hipError_t error =
        node_result(node->device, "enabling or disabling", node,
                    api->cuGraphNodeSetEnabled(graph->exec, at->native, node->enabled));
    if (error == hipSuccess)
        at->enabled = node->enabled;
    return error;
}

static CUgraphNode node_of(const struct ah_backend_graph *graph, unsigned index)
{
    return graph->nodes[index].native;
}

/* Some restrictions are checked here alone, so that nodes may be refused as by add_node. */
static hipError_t instantiate(struct ah_backend_device *device, struct ah_backend_graph *graph,
                              const struct ah_graph_node *nodes)
{
    struct ahcuda_trace_nodes traced = {.graph = graph, .count = graph->count, .node = node_of};
    ahcuda_trace_instantiate(&traced);
    CUresult result = device->api->cuGraphInstantiateWithFlags(&graph->exec, graph->graph, 0);
    ahcuda_trace_instantiate(NULL);
    hipError_t error = node_result(device, "instantiating", &nodes[graph->count - 1], result);
    for (unsigned i = 0; i < graph->count && error == hipSuccess; i++)
        if (graph->nodes[i].works)
            error = set_enabled(graph, &nodes[i], &graph->nodes[i]);
    return error;
}

static void free_graph(struct ah_backend_graph *graph)
{
    for (unsigned i = 0; i < graph->count; i++)
        free(graph->nodes[i].attributes);
    free(graph);
}

hipError_t ahcuda_graph_create(struct ah_backend_device *device, const struct ah_graph_node *nodes,
                               unsigned count, struct ah_backend_graph **out_graph)
{
    if (!has_graphs(device->api))
        return hipErrorNotSupported;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    struct ah_backend_graph *graph = calloc(1, sizeof *graph + count * sizeof *graph->nodes);
    if (!graph)
        return hipErrorOutOfMemory;
    graph->count = count;
    error = ahcuda_done(device, "cuGraphCreate", device->api->cuGraphCreate(&graph->graph, 0));
    if (error == hipSuccess)
        error = add_nodes(graph, nodes);
    if (error == hipSuccess)
        error = instantiate(device, graph, nodes);
    hipError_t entered = ahcuda_enter(device); /* nodes may have been of others */
    if (error == hipSuccess)
        error = entered;
    if (error == hipSuccess) {
        *out_graph = graph;
        return hipSuccess;
    }
    if (ahcuda_graph_destroy(device, graph) != hipSuccess)
        free_graph(graph);
    return error;
}

hipError_t ahcuda_graph_destroy(struct ah_backend_device *device, struct ah_backend_graph *graph)
{
    const struct ahcuda_api *api = device->api;
    CUresult result = graph->exec ? api->cuGraphExecDestroy(graph->exec) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return ahcuda_report(device, "cuGraphExecDestroy", result);
    graph->exec = NULL;
    result = graph->graph ? api->cuGraphDestroy(graph->graph) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return ahcuda_report(device, "cuGraphDestroy", result);
    free_graph(graph);
    return hipSuccess;
}

/* ---- use --------------------------------------------------------------------------------------
 */

/* The work of a disabled node is set when it is enabled. */
static hipError_t update(struct ah_backend_graph *graph, struct node *at,
                         const struct ah_graph_node *node)
{
    const struct target target = {graph->exec, at->native};
    hipError_t error = hipSuccess;
    if (!at->works)
        return node->enabled ? hipErrorNotSupported : hipSuccess;
    if (node->enabled && !has_same_attributes(at, node))
        return hipErrorNotSupported;
    if (node->enabled)
        error = node_result(node->device, "updating", node,
                            kinds[node->kind].set(node->device->api, &target, node));
    return error == hipSuccess ? set_enabled(graph, node, at) : error;
}

hipError_t ahcuda_graph_update(struct ah_backend_device *device, struct ah_backend_graph *graph,
                               unsigned index, const struct ah_graph_node *node)
{
    hipError_t error = ahcuda_enter(node->device);
    if (error == hipSuccess)
        error = update(graph, &graph->nodes[index], node);
    hipError_t entered = node->device != device ? ahcuda_enter(device) : hipSuccess;
    return error == hipSuccess ? entered : error;
}

hipError_t ahcuda_graph_upload(struct ah_backend_device *device, struct ah_backend_graph *graph,
                               struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuGraphUpload",
                       device->api->cuGraphUpload(graph->exec, ahcuda_stream(stream)));
}

AH_LAUNCH_CODE __attribute__((no_stack_protector)) hipError_t
ahcuda_graph_launch(struct ah_backend_device *device, struct ah_backend_graph *graph,
                    struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter_stream(device, stream);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuGraphLaunch",
                       device->graph_launch(graph->exec, ahcuda_stream(stream)));
}
