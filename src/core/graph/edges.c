/* Public functions that list the nodes and edges of graphs, and change edges. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

#include <stdlib.h>

/* ---- lists ------------------------------------------------------------------------------ */

/* HIP's way to return a list: without an array, its length; else as many as the array has places,
 * the rest of which become NULL. */
static void give_list(struct ah_node *const *nodes, size_t count, hipGraphNode_t *out_nodes,
                      size_t *inout_count)
{
    size_t places = *inout_count;
    if (!out_nodes || places > count)
        *inout_count = count;
    for (size_t i = 0; out_nodes && i < places; i++)
        out_nodes[i] = i < count ? ah_node_handle(nodes[i]) : NULL;
}

static unsigned take_roots(struct ah_node **nodes, unsigned count)
{
    unsigned roots = 0;
    for (unsigned i = 0; i < count; i++)
        if (nodes[i]->dependencies.count == 0)
            nodes[roots++] = nodes[i];
    return roots;
}

static hipError_t list_sorted(struct ah_graph *graph, const char *call, bool roots,
                              hipGraphNode_t *out_nodes, size_t *inout_count)
{
    unsigned count = graph->count;
    struct ah_node **nodes = malloc((count + 1) * sizeof *nodes);
    if (!nodes)
        return hipErrorOutOfMemory;
    hipError_t error = ah_graph_sort(graph, call, nodes);
    if (error == hipSuccess && roots)
        count = take_roots(nodes, count);
    if (error == hipSuccess)
        give_list(nodes, count, out_nodes, inout_count);
    free(nodes);
    return error;
}

static hipError_t get_nodes(hipGraph_t handle, const char *call, bool roots,
                            hipGraphNode_t *out_nodes, size_t *inout_count)
{
    struct ah_graph *graph;
    if (!inout_count)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_graph_of(handle, call, &graph);
    if (error == hipSuccess)
        error = list_sorted(graph, call, roots, out_nodes, inout_count);
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *numNodes)
{
    AH_ENTER(hipGraphGetNodes);
    return AH_LEAVE(get_nodes(graph, "hipGraphGetNodes", false, nodes, numNodes));
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *pRootNodes, size_t *pNumRootNodes)
{
    AH_ENTER(hipGraphGetRootNodes);
    return AH_LEAVE(get_nodes(graph, "hipGraphGetRootNodes", true, pRootNodes, pNumRootNodes));
}

static hipError_t get_neighbours(hipGraphNode_t handle, const char *call, bool dependents,
                                 hipGraphNode_t *out_nodes, size_t *inout_count)
{
    struct ah_node *node;
    if (!inout_count)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_node_of(handle, call, &node);
    if (error == hipSuccess) {
        const struct ah_node_list *list = dependents ? &node->dependents : &node->dependencies;
        give_list(list->nodes, list->count, out_nodes, inout_count);
    }
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *pDependencies,
                                       size_t *pNumDependencies)
{
    AH_ENTER(hipGraphNodeGetDependencies);
    return AH_LEAVE(get_neighbours(node, "hipGraphNodeGetDependencies", false, pDependencies,
                                   pNumDependencies));
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *pDependentNodes,
                                         size_t *pNumDependentNodes)
{
    AH_ENTER(hipGraphNodeGetDependentNodes);
    return AH_LEAVE(get_neighbours(node, "hipGraphNodeGetDependentNodes", true, pDependentNodes,
                                   pNumDependentNodes));
}

/* ---- edges ------------------------------------------------------------------------------ */

/* As give_list, with an edge for each place. */
static void give_edges(const struct ah_graph *graph, hipGraphNode_t *out_from,
                       hipGraphNode_t *out_to, size_t *inout_count)
{
    size_t places = out_from ? *inout_count : 0, edges = 0;
    for (unsigned i = 0; i < graph->count; i++) {
        struct ah_node *from = graph->nodes[i];
        for (unsigned k = 0; k < from->dependents.count; k++, edges++) {
            if (edges >= places)
                continue;
            out_from[edges] = ah_node_handle(from);
            out_to[edges] = ah_node_handle(from->dependents.nodes[k]);
        }
    }
    for (size_t i = edges; i < places; i++)
        out_from[i] = out_to[i] = NULL;
    if (!out_from || edges < places)
        *inout_count = edges;
}

static hipError_t get_edges(hipGraph_t handle, hipGraphNode_t *out_from, hipGraphNode_t *out_to,
                            size_t *inout_count)
{
    struct ah_graph *graph;
    if (!inout_count || !out_from != !out_to)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_graph_of(handle, "hipGraphGetEdges", &graph);
    if (error == hipSuccess)
        give_edges(graph, out_from, out_to, inout_count);
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to,
                            size_t *numEdges)
{
    AH_ENTER(hipGraphGetEdges);
    return AH_LEAVE(get_edges(graph, from, to, numEdges));
}

typedef hipError_t change_edge(struct ah_node *from, struct ah_node *to);

static hipError_t check_ends(struct ah_graph *graph, const char *call, const hipGraphNode_t *nodes,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ah_node *node;
        hipError_t error = ah_node_of(nodes[i], call, &node);
        if (error != hipSuccess)
            return error;
        if (node->graph != graph) {
            AH_LOG_ERR("%s: node %p is of another graph", call, (void *)node);
            return hipErrorInvalidValue;
        }
    }
    return hipSuccess;
}

/* All edges are changed, or none. */
static hipError_t change_all(const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count,
                             change_edge *change, change_edge *undo)
{
    for (size_t i = 0; i < count; i++) {
        hipError_t error =
            change((struct ah_node *)(void *)from[i], (struct ah_node *)(void *)to[i]);
        if (error == hipSuccess)
            continue;
        while (i-- > 0)
            undo((struct ah_node *)(void *)from[i], (struct ah_node *)(void *)to[i]);
        return error;
    }
    return hipSuccess;
}

static hipError_t change_edges(hipGraph_t handle, const char *call, const hipGraphNode_t *from,
                               const hipGraphNode_t *to, size_t count, change_edge *change,
                               change_edge *undo)
{
    struct ah_graph *graph;
    if (count > 0 && (!from || !to)) {
        AH_LOG_ERR("%s: there are %zu dependencies, and a list of their ends is NULL", call, count);
        return hipErrorInvalidValue;
    }
    ah_graph_lock();
    hipError_t error = ah_graph_of(handle, call, &graph);
    if (error == hipSuccess)
        error = check_ends(graph, call, from, count);
    if (error == hipSuccess)
        error = check_ends(graph, call, to, count);
    if (error == hipSuccess)
        error = change_all(from, to, count, change, undo);
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t numDependencies)
{
    AH_ENTER(hipGraphAddDependencies);
    return AH_LEAVE(change_edges(graph, "hipGraphAddDependencies", from, to, numDependencies,
                                 ah_edge_add, ah_edge_remove));
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                      const hipGraphNode_t *to, size_t numDependencies)
{
    AH_ENTER(hipGraphRemoveDependencies);
    return AH_LEAVE(change_edges(graph, "hipGraphRemoveDependencies", from, to, numDependencies,
                                 ah_edge_remove, ah_edge_add));
}
