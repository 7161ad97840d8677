/* Owns the copying of graphs. */
#include "graph.h"
#include "graph_memory.h"
#include "order.h"

#include "log.h"

#include <stdlib.h>

static hipError_t copy_node(const struct ah_node *node, struct ah_graph *clone)
{
    struct ah_work *work;
    struct ah_node *copy;
    hipError_t error = ah_work_copy(node->work, &work);
    if (error == hipSuccess)
        error = ah_node_add(clone, NULL, 0, work, &copy);
    if (error == hipSuccess)
        copy->origin = node->id;
    return error;
}

static hipError_t copy_list(const struct ah_node_list *list, const struct ah_graph *clone,
                            struct ah_node_list *out_copy)
{
    if (list->count == 0)
        return hipSuccess;
    out_copy->nodes = malloc(list->count * sizeof(struct ah_node *));
    if (!out_copy->nodes)
        return hipErrorOutOfMemory;
    out_copy->count = out_copy->capacity = list->count;
    for (unsigned i = 0; i < list->count; i++)
        out_copy->nodes[i] = clone->nodes[list->nodes[i]->position];
    return hipSuccess;
}

static hipError_t copy_edges(const struct ah_node *node, const struct ah_graph *clone)
{
    struct ah_node *copy = clone->nodes[node->position];
    hipError_t error = copy_list(&node->dependencies, clone, &copy->dependencies);
    return error == hipSuccess ? copy_list(&node->dependents, clone, &copy->dependents) : error;
}

static hipError_t copy_into(const struct ah_graph *graph, struct ah_graph *clone)
{
    hipError_t error = ah_graph_objects_copy(graph->objects, &clone->objects);
    ah_order_number(graph);
    for (unsigned i = 0; error == hipSuccess && i < graph->count; i++)
        error = copy_node(graph->nodes[i], clone);
    for (unsigned i = 0; error == hipSuccess && i < graph->count; i++)
        error = copy_edges(graph->nodes[i], clone);
    return error;
}

static bool allocates(const struct ah_graph *graph)
{
    for (unsigned i = 0; i < graph->count; i++)
        if (ah_graph_memory_is(graph->nodes[i]->work))
            return true;
    return false;
}

hipError_t ah_graph_clone(const struct ah_graph *graph, struct ah_graph **out_clone)
{
    struct ah_graph *clone;
    if (allocates(graph)) {
        AH_LOG_ERR("a graph that allocates or frees memory cannot be cloned, nor be a child: two "
                   "graphs would own the memory");
        return hipErrorNotSupported;
    }
    hipError_t error = ah_graph_create(&clone);
    if (error != hipSuccess)
        return error;
    error = copy_into(graph, clone);
    if (error == hipSuccess)
        *out_clone = clone;
    else
        ah_graph_destroy(clone);
    return error;
}
