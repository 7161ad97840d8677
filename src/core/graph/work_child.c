/* Owns child graph nodes. A node has a copy of the graph that it was given, so that a graph may
 * well be a child of itself. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

hipError_t ah_work_make_child(const struct ah_graph *graph, const char *call,
                              struct ah_work **out_work)
{
    struct ah_device *device;
    (void)call;
    hipError_t error = ah_work_device(NULL, &device);
    if (error != hipSuccess)
        return error;
    struct ah_work *work = ah_work_create(&ah_work_child, device);
    if (!work)
        return hipErrorOutOfMemory;
    error = ah_graph_clone(graph, &work->child);
    if (error == hipSuccess)
        *out_work = work;
    else
        ah_work_free(work);
    return error;
}

/* ---- the row ------------------------------------------------------------------------------- */

static hipError_t copy(const struct ah_work *from, struct ah_work *to)
{
    return ah_graph_clone(from->child, &to->child);
}

static void destroy(struct ah_work *work)
{
    ah_graph_destroy(work->child);
}

/* An executable graph has the nodes of the child in place of this one, and compares those. */
static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    (void)work;
    (void)stream;
    return hipErrorNotSupported;
}

const struct ah_work_type ah_work_child = {
    .type = hipGraphNodeTypeGraph,
    .name = "child graph",
    .copy = copy,
    .free = destroy,
    .submit = submit,
};

/* ---- public functions ------------------------------------------------------------------------ */

static hipError_t make_locked(hipGraph_t handle, const char *call, struct ah_work **out_work)
{
    struct ah_graph *graph;
    hipError_t error = ah_graph_of(handle, call, &graph);
    return error == hipSuccess ? ah_work_make_child(graph, call, out_work) : error;
}

hipError_t ah_work_make_child_of(hipGraph_t graph, const char *call, struct ah_work **out_work)
{
    ah_graph_lock();
    hipError_t error = make_locked(graph, call, out_work);
    ah_graph_unlock();
    return error;
}

static hipError_t add(hipGraphNode_t *out_node, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count, hipGraph_t child)
{
    struct ah_work *work = NULL;
    hipError_t error = ah_work_make_child_of(child, "hipGraphAddChildGraphNode", &work);
    return ah_graph_add_work(error, graph, dependencies, count, work, "hipGraphAddChildGraphNode",
                             out_node);
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t *pDependencies, size_t numDependencies,
                                     hipGraph_t childGraph)
{
    AH_ENTER(hipGraphAddChildGraphNode);
    return AH_LEAVE(add(pGraphNode, graph, pDependencies, numDependencies, childGraph));
}

static hipError_t get(hipGraphNode_t handle, hipGraph_t *out_graph)
{
    struct ah_node *node;
    if (!out_graph)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error =
        ah_node_of_type(handle, hipGraphNodeTypeGraph, "hipGraphChildGraphNodeGetGraph", &node);
    if (error == hipSuccess)
        *out_graph = ah_graph_handle(node->work->child);
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *pGraph)
{
    AH_ENTER(hipGraphChildGraphNodeGetGraph);
    return AH_LEAVE(get(node, pGraph));
}
