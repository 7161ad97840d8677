/* Public functions for the life of graphs and of nodes of any kind. */
#include "api.h"
#include "api_arguments.h"
#include "exec_plan.h"
#include "graph.h"

/* ---- graphs ---------------------------------------------------------------------------- */

static hipError_t create(hipGraph_t *out_graph, unsigned flags)
{
    struct ah_graph *graph;
    if (!out_graph || flags != 0)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_graph_create(&graph);
    ah_graph_unlock();
    if (error == hipSuccess)
        *out_graph = ah_graph_handle(graph);
    return error;
}

hipError_t hipGraphCreate(hipGraph_t *pGraph, unsigned int flags)
{
    AH_ENTER(hipGraphCreate);
    return AH_LEAVE(create(pGraph, flags));
}

/* hipErrorIllegalState is HIP's answer to a graph that was destroyed before. */
static hipError_t destroy_locked(hipGraph_t handle)
{
    struct ah_graph *graph;
    hipError_t error = ah_graph_of(handle, "hipGraphDestroy", &graph);
    if (error != hipSuccess)
        return handle ? hipErrorIllegalState : error;
    if (graph->owner) {
        AH_LOG_ERR("hipGraphDestroy: the graph belongs to a child graph node, and goes with it");
        return hipErrorInvalidValue;
    }
    if (graph->captures > 0) {
        AH_LOG_ERR("hipGraphDestroy: a stream is being captured into the graph; end the capture "
                   "first");
        return hipErrorIllegalState;
    }
    ah_graph_destroy(graph);
    return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    AH_ENTER(hipGraphDestroy);
    ah_graph_lock();
    hipError_t error = destroy_locked(graph);
    ah_graph_unlock();
    ah_plan_retry();
    return AH_LEAVE(error);
}

static hipError_t clone_locked(hipGraph_t *out_clone, hipGraph_t handle)
{
    struct ah_graph *graph, *clone;
    hipError_t error = ah_graph_of(handle, "hipGraphClone", &graph);
    if (error == hipSuccess)
        error = ah_graph_clone(graph, &clone);
    if (error == hipSuccess)
        *out_clone = ah_graph_handle(clone);
    return error;
}

hipError_t hipGraphClone(hipGraph_t *pGraphClone, hipGraph_t originalGraph)
{
    AH_ENTER(hipGraphClone);
    if (!pGraphClone)
        return AH_LEAVE(hipErrorInvalidValue);
    ah_graph_lock();
    hipError_t error = clone_locked(pGraphClone, originalGraph);
    ah_graph_unlock();
    return AH_LEAVE(error);
}

/* ---- nodes ----------------------------------------------------------------------------- */

/* The copies come first in the list, in the order of their originals; what was added later has no
 * original. */
static struct ah_node *find_copy(const struct ah_node *original, const struct ah_graph *clone)
{
    unsigned low = 0, high = clone->count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        unsigned long long origin = clone->nodes[middle]->origin;
        if (origin == original->id)
            return clone->nodes[middle];
        if (origin && origin < original->id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static hipError_t find_locked(hipGraphNode_t *out_node, hipGraphNode_t node, hipGraph_t graph)
{
    struct ah_node *original;
    struct ah_graph *clone;
    hipError_t error = ah_node_of(node, "hipGraphNodeFindInClone", &original);
    if (error == hipSuccess)
        error = ah_graph_of(graph, "hipGraphNodeFindInClone", &clone);
    if (error != hipSuccess)
        return error;
    struct ah_node *copy = find_copy(original, clone);
    if (!copy) {
        AH_LOG_ERR("hipGraphNodeFindInClone: the graph has no copy of node %p", (void *)node);
        return hipErrorInvalidValue;
    }
    *out_node = ah_node_handle(copy);
    return hipSuccess;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *pNode, hipGraphNode_t originalNode,
                                   hipGraph_t clonedGraph)
{
    AH_ENTER(hipGraphNodeFindInClone);
    if (!pNode)
        return AH_LEAVE(hipErrorInvalidValue);
    ah_graph_lock();
    hipError_t error = find_locked(pNode, originalNode, clonedGraph);
    ah_graph_unlock();
    return AH_LEAVE(error);
}

static hipError_t destroy_node_locked(hipGraphNode_t handle)
{
    struct ah_node *node;
    hipError_t error = ah_node_of(handle, "hipGraphDestroyNode", &node);
    if (error != hipSuccess)
        return error;
    hipGraphNodeType type = node->work->type->type;
    if (type == hipGraphNodeTypeMemAlloc || type == hipGraphNodeTypeMemFree) {
        AH_LOG_ERR("hipGraphDestroyNode: a %s node goes with its graph only",
                   node->work->type->name);
        return hipErrorNotSupported;
    }
    if (node->graph->captures > 0) {
        AH_LOG_ERR("hipGraphDestroyNode: a stream is being captured into the graph; end the "
                   "capture first");
        return hipErrorIllegalState;
    }
    ah_node_destroy(node);
    return hipSuccess;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node)
{
    AH_ENTER(hipGraphDestroyNode);
    ah_graph_lock();
    hipError_t error = destroy_node_locked(node);
    ah_graph_unlock();
    return AH_LEAVE(error);
}

static hipError_t get_type(hipGraphNode_t handle, hipGraphNodeType *out_type)
{
    struct ah_node *node;
    if (!out_type)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_node_of(handle, "hipGraphNodeGetType", &node);
    if (error == hipSuccess)
        *out_type = node->work->type->type;
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *pType)
{
    AH_ENTER(hipGraphNodeGetType);
    return AH_LEAVE(get_type(node, pType));
}
