/* Owns graphs: their nodes and the edges between them. Edges come with nodes alone, so that each
 * node is behind those that it depends on. */
#include "simcuda_graph.h"

#include <stdlib.h>
#include <string.h>

CUresult simcuda_graph_get(CUgraph handle, struct simcuda_graph **out)
{
    *out = handle ? simcuda_object_get(handle, SIMCUDA_GRAPH, "graph") : NULL;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult simcuda_graph_node_get(CUgraphNode handle, struct simcuda_graph_node **out)
{
    *out = handle ? simcuda_object_get(handle, SIMCUDA_GRAPH_NODE, "node of a graph") : NULL;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- graphs -------------------------------------------------------------------------------- */

static void fini_node(struct simcuda_object *object)
{
    struct simcuda_graph_node *node = (struct simcuda_graph_node *)(void *)object;
    simcuda_work_release(node->work);
    free(node->dependencies);
}

static void fini_graph(struct simcuda_object *object)
{
    struct simcuda_graph *graph = (struct simcuda_graph *)(void *)object;
    for (size_t i = 0; i < graph->count; i++)
        simcuda_object_close(&graph->nodes[i]->object);
    free(graph->nodes);
}

CUresult simcuda_cuGraphCreate(CUgraph *out, unsigned flags)
{
    SIMCUDA_ENTER(cuGraphCreate);
    if (!out || flags != 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    struct simcuda_graph *graph = simcuda_object_new(SIMCUDA_GRAPH, sizeof *graph, NULL);
    if (!graph)
        return simcuda_leave(CUDA_ERROR_OUT_OF_MEMORY);
    graph->object.fini = fini_graph;
    *out = (CUgraph)(uintptr_t)graph->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuGraphDestroy(CUgraph handle)
{
    struct simcuda_graph *graph;
    SIMCUDA_ENTER(cuGraphDestroy);
    CUresult result = simcuda_graph_get(handle, &graph);
    if (result == CUDA_SUCCESS)
        simcuda_object_close(&graph->object);
    return simcuda_leave(result);
}

/* Fills an array of *count places, or counts: then nodes is NULL. */
static CUresult list_nodes(CUgraph handle, CUgraphNode *nodes, size_t *count, bool roots_only)
{
    struct simcuda_graph *graph;
    size_t found = 0;
    CUresult result = count ? simcuda_graph_get(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    for (size_t i = 0; i < graph->count; i++) {
        if (roots_only && graph->nodes[i]->dependency_count > 0)
            continue;
        if (nodes && found < *count)
            nodes[found] = (CUgraphNode)(uintptr_t)graph->nodes[i]->object.handle;
        found++;
    }
    for (size_t i = found; nodes && i < *count; i++)
        nodes[i] = NULL;
    *count = nodes && *count < found ? *count : found;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    SIMCUDA_ENTER(cuGraphGetNodes);
    return simcuda_leave(list_nodes(graph, nodes, count, false));
}

CUresult simcuda_cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    SIMCUDA_ENTER(cuGraphGetRootNodes);
    return simcuda_leave(list_nodes(graph, nodes, count, true));
}

CUresult simcuda_cuGraphNodeGetType(CUgraphNode handle, int *type)
{
    struct simcuda_graph_node *node;
    SIMCUDA_ENTER(cuGraphNodeGetType);
    CUresult result = type ? simcuda_graph_node_get(handle, &node) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *type = node->work->type;
    return simcuda_leave(result);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static CUresult set_dependencies(struct simcuda_graph_node *node, const CUgraphNode *handles,
                                 size_t count)
{
    if (count > 0 && !handles)
        return CUDA_ERROR_INVALID_VALUE;
    node->dependencies = calloc(count + 1, sizeof(struct simcuda_graph_node *));
    if (!node->dependencies)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        CUresult result = simcuda_graph_node_get(handles[i], &node->dependencies[i]);
        if (result != CUDA_SUCCESS || node->dependencies[i]->graph != node->graph)
            return CUDA_ERROR_INVALID_VALUE;
        for (size_t k = 0; k < i; k++)
            if (node->dependencies[k] == node->dependencies[i])
                return CUDA_ERROR_INVALID_VALUE;
    }
    node->dependency_count = count;
    return CUDA_SUCCESS;
}

static bool make_space(struct simcuda_graph *graph)
{
    size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
    if (graph->count < graph->capacity)
        return true;
    struct simcuda_graph_node **grown = realloc(graph->nodes, capacity * sizeof *grown);
    if (!grown)
        return false;
    graph->nodes = grown;
    graph->capacity = capacity;
    return true;
}

/* Where a node is added, as the functions have it. */
struct place {
    CUgraphNode *out;
    CUgraph graph;
    const CUgraphNode *dependencies;
    size_t count;
};

static CUresult insert(const struct place *place, struct simcuda_graph *graph,
                       struct simcuda_work *work)
{
    struct simcuda_graph_node *node =
        make_space(graph) ? simcuda_object_new(SIMCUDA_GRAPH_NODE, sizeof *node, NULL) : NULL;
    if (!node)
        return CUDA_ERROR_OUT_OF_MEMORY;
    node->object.fini = fini_node;
    node->graph = graph;
    CUresult result = set_dependencies(node, place->dependencies, place->count);
    if (result != CUDA_SUCCESS) {
        simcuda_object_close(&node->object);
        return result;
    }
    node->work = simcuda_work_retain(work);
    node->index = graph->count;
    graph->nodes[graph->count++] = node;
    *place->out = (CUgraphNode)(uintptr_t)node->object.handle;
    return CUDA_SUCCESS;
}

/* made: what the work's function returned. */
static CUresult add(const struct place *place, CUresult made, struct simcuda_work *work)
{
    struct simcuda_graph *graph;
    if (made != CUDA_SUCCESS)
        return made;
    CUresult result =
        place->out ? simcuda_graph_get(place->graph, &graph) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = insert(place, graph, work);
    simcuda_work_release(work);
    return result;
}

CUresult simcuda_cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *dependencies, size_t count,
                                      const CUDA_KERNEL_NODE_PARAMS *params)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddKernelNode);
    CUresult made = simcuda_work_kernel(params, &work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

CUresult simcuda_cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *dependencies, size_t count,
                                      const CUDA_MEMCPY3D *params, CUcontext context)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddMemcpyNode);
    CUresult made = simcuda_work_copy(params, context, &work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

CUresult simcuda_cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *dependencies, size_t count,
                                      const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddMemsetNode);
    CUresult made = simcuda_work_fill(params, context, &work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

CUresult simcuda_cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                                    const CUgraphNode *dependencies, size_t count,
                                    const CUDA_HOST_NODE_PARAMS *params)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddHostNode);
    CUresult made = simcuda_work_host(params, &work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

CUresult simcuda_cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *dependencies, size_t count)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddEmptyNode);
    CUresult made = simcuda_work_empty(&work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

CUresult simcuda_cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *dependencies, size_t count,
                                           CUevent event)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddEventRecordNode);
    CUresult made = simcuda_work_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, &work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

CUresult simcuda_cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                                         const CUgraphNode *dependencies, size_t count,
                                         CUevent event)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddEventWaitNode);
    CUresult made = simcuda_work_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, &work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

CUresult simcuda_cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph,
                                          const CUgraphNode *dependencies, size_t count,
                                          const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphAddBatchMemOpNode);
    CUresult made = simcuda_work_batch(params, &work);
    return simcuda_leave(add(&(struct place){node, graph, dependencies, count}, made, work));
}

/* ---- attributes of kernels ------------------------------------------------------------------ */

static CUresult kernel_node(CUgraphNode handle, const void *value, struct simcuda_graph_node **out)
{
    CUresult result = value ? simcuda_graph_node_get(handle, out) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && (*out)->work->type != CU_GRAPH_NODE_TYPE_KERNEL)
        result = CUDA_ERROR_INVALID_VALUE;
    return result;
}

static CUresult set_attribute(struct simcuda_graph_node *node, int attribute,
                              const CUlaunchAttributeValue *value)
{
    struct simcuda_work *work;
    struct simcuda_shape shape = node->work->kernel.shape;
    CUresult result = simcuda_shape_add(&shape, attribute, value);
    if (result == CUDA_SUCCESS)
        result = simcuda_work_reshape(node->work, &shape, &work);
    if (result != CUDA_SUCCESS)
        return result;
    simcuda_work_release(node->work);
    node->work = work;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuGraphKernelNodeSetAttribute(CUgraphNode handle, int attribute,
                                               const CUlaunchAttributeValue *value)
{
    struct simcuda_graph_node *node;
    SIMCUDA_ENTER(cuGraphKernelNodeSetAttribute);
    CUresult result = kernel_node(handle, value, &node);
    return simcuda_leave(result == CUDA_SUCCESS ? set_attribute(node, attribute, value) : result);
}

static CUresult get_attribute(const struct simcuda_graph_node *node, int attribute, void *value)
{
    const struct simcuda_shape *shape = &node->work->kernel.shape;
    int number =
        attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE ? shape->cooperative : shape->priority;
    if (attribute != CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute != CU_LAUNCH_ATTRIBUTE_PRIORITY)
        return CUDA_ERROR_NOT_SUPPORTED;
    memcpy(value, &number, sizeof number);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuGraphKernelNodeGetAttribute(CUgraphNode handle, int attribute, void *value)
{
    struct simcuda_graph_node *node;
    SIMCUDA_ENTER(cuGraphKernelNodeGetAttribute);
    CUresult result = kernel_node(handle, value, &node);
    return simcuda_leave(result == CUDA_SUCCESS ? get_attribute(node, attribute, value) : result);
}
