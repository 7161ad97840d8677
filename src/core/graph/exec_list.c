/* Owns the list of an executable graph's nodes. */
#include "exec_list.h"

#include <stdlib.h>
#include <string.h>

/* ---- building ---------------------------------------------------------------------- */

static bool grow(void **array, unsigned *capacity, unsigned needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    unsigned larger = needed > 2 * *capacity ? needed : 2 * *capacity;
    void *grown = realloc(*array, larger * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = larger;
    return true;
}

static bool room_for_a_node(struct ah_exec_list *list)
{
    unsigned capacity = list->capacity;
    return grow((void **)&list->graph_nodes, &capacity, list->count + 1,
                sizeof(struct ah_node *)) &&
           grow((void **)&list->nodes, &list->capacity, list->count + 1,
                sizeof(struct ah_exec_node));
}

/* The work becomes the list's in any case. */
static hipError_t append(struct ah_exec_list *list, struct ah_node *node, struct ah_work *work,
                         const unsigned *edges, unsigned edge_count)
{
    if (!room_for_a_node(list) || !grow((void **)&list->edges, &list->edge_capacity,
                                        list->edge_count + edge_count, sizeof(unsigned))) {
        ah_work_free(work);
        return hipErrorOutOfMemory;
    }
    list->graph_nodes[list->count] = node;
    list->nodes[list->count] = (struct ah_exec_node){.id = node ? node->id : 0,
                                                     .work = work,
                                                     .first = list->count,
                                                     .edges = list->edge_count,
                                                     .edge_count = edge_count};
    if (edge_count > 0)
        memcpy(list->edges + list->edge_count, edges, edge_count * sizeof *edges);
    list->edge_count += edge_count;
    list->count++;
    return hipSuccess;
}

/* A graph that is being appended. */
struct level {
    struct ah_graph *graph;
    const char *call;
    struct ah_node **sorted;
    unsigned *index;       /* in the list, of graph->nodes[i] */
    unsigned *edges;       /* room for the dependencies of one node, or for all nodes */
    const unsigned *entry; /* what nodes without dependencies come after */
    unsigned entry_count;
};

static void free_level(struct level *level)
{
    free(level->sorted);
    free(level->index);
    free(level->edges);
}

static hipError_t begin_level(struct level *level, struct ah_graph *graph, const unsigned *entry,
                              unsigned entry_count)
{
    size_t count = graph->count ? graph->count : 1;
    level->graph = graph;
    level->entry = entry;
    level->entry_count = entry_count;
    level->sorted = calloc(count, sizeof(struct ah_node *));
    level->index = calloc(count, sizeof(unsigned));
    level->edges = calloc(count, sizeof(unsigned));
    if (!level->sorted || !level->index || !level->edges)
        return hipErrorOutOfMemory;
    return ah_graph_sort(graph, level->call, level->sorted);
}

static unsigned count_roots(const struct ah_graph *graph)
{
    unsigned roots = 0;
    for (unsigned i = 0; i < graph->count; i++)
        roots += graph->nodes[i]->dependencies.count == 0;
    return roots;
}

static unsigned find_leaves(const struct level *level, unsigned *out_leaves)
{
    unsigned count = 0;
    for (unsigned i = 0; i < level->graph->count; i++)
        if (level->graph->nodes[i]->dependents.count == 0)
            out_leaves[count++] = level->index[i];
    return count;
}

static hipError_t append_graph(struct ah_exec_list *list, struct ah_graph *graph,
                               const unsigned *entry, unsigned entry_count, struct level *level,
                               struct ah_node **out_error_node);

/* Many nodes without dependencies that all come after many others do so by way of one node. */
static hipError_t append_child(struct ah_exec_list *list, struct ah_node *node,
                               const unsigned *edges, unsigned edge_count, const char *call,
                               struct ah_node **out_error_node)
{
    struct level child = {.call = call};
    struct ah_graph *graph = node->work->child;
    hipError_t error = hipSuccess;
    unsigned start = list->count, first;
    bool gathers = edge_count > 1 && count_roots(graph) > 1;
    if (gathers)
        error = append(list, NULL, NULL, edges, edge_count);
    first = list->count;
    if (error == hipSuccess)
        error = append_graph(list, graph, gathers ? &start : edges, gathers ? 1 : edge_count,
                             &child, out_error_node);
    if (error == hipSuccess) {
        unsigned leaves = find_leaves(&child, child.edges);
        error = leaves ? append(list, node, NULL, child.edges, leaves)
                       : append(list, node, NULL, edges, edge_count);
    }
    free_level(&child);
    if (error == hipSuccess)
        list->nodes[list->count - 1].first = first;
    return error;
}

static hipError_t append_node(struct ah_exec_list *list, struct level *level, struct ah_node *node,
                              struct ah_node **out_error_node)
{
    struct ah_work *work;
    const unsigned *edges = level->entry;
    unsigned count = node->dependencies.count;
    for (unsigned i = 0; i < count; i++)
        level->edges[i] = level->index[node->dependencies.nodes[i]->position];
    if (count > 0)
        edges = level->edges;
    else
        count = level->entry_count;
    hipError_t error;
    *out_error_node = node;
    if (node->work->type->type == hipGraphNodeTypeGraph) {
        error = append_child(list, node, edges, count, level->call, out_error_node);
    } else {
        error = ah_work_copy(node->work, &work);
        if (error == hipSuccess)
            error = append(list, node, work, edges, count);
    }
    level->index[node->position] = list->count - 1;
    return error;
}

static hipError_t append_graph(struct ah_exec_list *list, struct ah_graph *graph,
                               const unsigned *entry, unsigned entry_count, struct level *level,
                               struct ah_node **out_error_node)
{
    hipError_t error = begin_level(level, graph, entry, entry_count);
    for (unsigned i = 0; error == hipSuccess && i < graph->count; i++)
        error = append_node(list, level, level->sorted[i], out_error_node);
    return error;
}

hipError_t ah_exec_list_make(struct ah_graph *graph, const char *call, struct ah_exec_list *list,
                             struct ah_node **out_error_node)
{
    struct level level = {.call = call};
    *list = (struct ah_exec_list){.top_count = graph->count};
    *out_error_node = NULL;
    hipError_t error = append_graph(list, graph, NULL, 0, &level, out_error_node);
    free_level(&level);
    if (error == hipSuccess)
        *out_error_node = NULL;
    return error;
}

void ah_exec_list_free(struct ah_exec_list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        ah_work_free(list->nodes[i].work);
    free(list->nodes);
    free(list->edges);
    free(list->graph_nodes);
    *list = (struct ah_exec_list){0};
}

/* ---- looking at it ----------------------------------------------------------------- */

struct ah_exec_node *ah_exec_list_find(struct ah_exec_list *list, unsigned long long id)
{
    for (unsigned i = 0; i < list->count; i++) {
        list->found = list->found + 1 < list->count ? list->found + 1 : 0;
        if (list->nodes[list->found].id == id)
            return &list->nodes[list->found];
    }
    return NULL;
}

static const struct ah_work_type *type_of(const struct ah_exec_node *node)
{
    return node->work ? node->work->type : NULL;
}

/* Dependencies outside of what is compared are those of the child graph node. */
static unsigned inner_edges(const struct ah_exec_list *list, const struct ah_exec_node *node,
                            unsigned first, unsigned *out_sum)
{
    unsigned count = 0;
    *out_sum = 0;
    for (unsigned i = 0; i < node->edge_count; i++) {
        if (list->edges[node->edges + i] < first)
            continue;
        *out_sum += list->edges[node->edges + i] - first;
        count++;
    }
    return count;
}

static bool has_edge(const struct ah_exec_list *list, const struct ah_exec_node *node,
                     unsigned target)
{
    for (unsigned i = 0; i < node->edge_count; i++)
        if (list->edges[node->edges + i] == target)
            return true;
    return false;
}

static bool edges_equal(const struct ah_exec_list *list, unsigned first,
                        const struct ah_exec_node *node, const struct ah_exec_list *other,
                        const struct ah_exec_node *other_node)
{
    unsigned sum, other_sum;
    if (inner_edges(list, node, first, &sum) != inner_edges(other, other_node, 0, &other_sum) ||
        sum != other_sum)
        return false;
    for (unsigned i = 0; i < other_node->edge_count; i++) {
        unsigned edge = other->edges[other_node->edges + i];
        bool in_place = i < node->edge_count && list->edges[node->edges + i] == first + edge;
        if (!in_place && !has_edge(list, node, first + edge))
            return false;
    }
    return true;
}

hipGraphExecUpdateResult ah_exec_list_compare(const struct ah_exec_list *list, unsigned first,
                                              unsigned count, const struct ah_exec_list *other,
                                              unsigned *out_different)
{
    for (unsigned i = 0; i < other->count; i++) {
        *out_different = i;
        if (i == count)
            return hipGraphExecUpdateErrorTopologyChanged;
        const struct ah_exec_node *node = &list->nodes[first + i], *new = &other->nodes[i];
        bool child = ah_exec_node_is_child(node), new_child = ah_exec_node_is_child(new);
        if (type_of(node) != type_of(new) || child != new_child)
            return hipGraphExecUpdateErrorNodeTypeChanged;
        if (node->first - first != new->first || !edges_equal(list, first, node, other, new))
            return hipGraphExecUpdateErrorTopologyChanged;
    }
    *out_different = other->count;
    return other->count == count ? hipGraphExecUpdateSuccess
                                 : hipGraphExecUpdateErrorTopologyChanged;
}

/* ---- back to a graph --------------------------------------------------------------- */

static hipError_t append_to_graph(const struct ah_exec_list *list, unsigned index,
                                  hipGraphNode_t *edges, struct ah_graph *graph)
{
    const struct ah_exec_node *node = &list->nodes[index];
    struct ah_node *added;
    struct ah_work *work;
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < node->edge_count; i++)
        edges[i] = ah_node_handle(graph->nodes[list->edges[node->edges + i]]);
    if (node->work && !node->disabled)
        error = ah_work_copy(node->work, &work);
    else if (!(work = ah_work_create(&ah_work_empty, ah_device_current())))
        error = hipErrorOutOfMemory;
    return error == hipSuccess ? ah_node_add(graph, edges, node->edge_count, work, &added) : error;
}

hipError_t ah_exec_list_graph(const struct ah_exec_list *list, struct ah_graph **out_graph)
{
    struct ah_graph *graph;
    hipGraphNode_t *edges = calloc(list->count ? list->count : 1, sizeof *edges);
    hipError_t error = edges ? ah_graph_create(&graph) : hipErrorOutOfMemory;
    if (error != hipSuccess) {
        free(edges);
        return error;
    }
    for (unsigned i = 0; error == hipSuccess && i < list->count; i++)
        error = append_to_graph(list, i, edges, graph);
    free(edges);
    if (error == hipSuccess)
        *out_graph = graph;
    else
        ah_graph_destroy(graph);
    return error;
}
