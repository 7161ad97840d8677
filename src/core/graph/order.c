/* Owns the edges of graphs: cycles, and the order of nodes. */
#include "order.h"

#include "log.h"

#include <stdlib.h>

unsigned long long ah_order_mark(void)
{
    static unsigned long long last;
    return ++last;
}

/* ---- lists of nodes ------------------------------------------------------------------ */

static bool append(struct ah_node_list *list, struct ah_node *node)
{
    if (list->count == list->capacity) {
        unsigned capacity = list->capacity ? 2 * list->capacity : 2;
        struct ah_node **nodes = realloc(list->nodes, capacity * sizeof(struct ah_node *));
        if (!nodes)
            return false;
        list->nodes = nodes;
        list->capacity = capacity;
    }
    list->nodes[list->count++] = node;
    return true;
}

static bool contains(const struct ah_node_list *list, const struct ah_node *node)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->nodes[i] == node)
            return true;
    return false;
}

static void take_out(struct ah_node_list *list, const struct ah_node *node)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < list->count; i++)
        if (list->nodes[i] != node)
            list->nodes[kept++] = list->nodes[i];
    list->count = kept;
}

/* ---- edges --------------------------------------------------------------------------- */

hipError_t ah_order_link(struct ah_node *from, struct ah_node *to)
{
    if (!append(&from->dependents, to))
        return hipErrorOutOfMemory;
    if (append(&to->dependencies, from))
        return hipSuccess;
    from->dependents.count--;
    return hipErrorOutOfMemory;
}

void ah_order_unlink_all(struct ah_node *node)
{
    for (unsigned i = 0; i < node->dependencies.count; i++)
        take_out(&node->dependencies.nodes[i]->dependents, node);
    for (unsigned i = 0; i < node->dependents.count; i++)
        take_out(&node->dependents.nodes[i]->dependencies, node);
    node->dependencies.count = node->dependents.count = 0;
}

static bool is_linked(const struct ah_node *from, const struct ah_node *to)
{
    return from->dependents.count < to->dependencies.count ? contains(&from->dependents, to)
                                                           : contains(&to->dependencies, from);
}

hipError_t ah_edge_add(struct ah_node *from, struct ah_node *to)
{
    if (from == to) {
        AH_LOG_ERR("node %p cannot depend on itself", (void *)from);
        return hipErrorInvalidValue;
    }
    if (is_linked(from, to)) {
        AH_LOG_ERR("node %p depends on node %p already", (void *)to, (void *)from);
        return hipErrorInvalidValue;
    }
    return ah_order_link(from, to);
}

hipError_t ah_edge_remove(struct ah_node *from, struct ah_node *to)
{
    if (!is_linked(from, to)) {
        AH_LOG_ERR("node %p does not depend on node %p", (void *)to, (void *)from);
        return hipErrorInvalidValue;
    }
    take_out(&from->dependents, to);
    take_out(&to->dependencies, from);
    return hipSuccess;
}

/* ---- order --------------------------------------------------------------------------- */

void ah_order_number(const struct ah_graph *graph)
{
    for (unsigned i = 0; i < graph->count; i++)
        graph->nodes[i]->position = i;
}

static bool is_sorted(const struct ah_graph *graph)
{
    for (unsigned i = 0; i < graph->count; i++) {
        const struct ah_node_list *before = &graph->nodes[i]->dependencies;
        for (unsigned k = 0; k < before->count; k++)
            if (before->nodes[k]->position > i)
                return false;
    }
    return true;
}

/* Positions of nodes that may come next; the smallest is at the top of the heap. */
struct ready {
    unsigned *heap;
    unsigned count;
};

static void exchange(unsigned *a, unsigned *b)
{
    unsigned value = *a;
    *a = *b;
    *b = value;
}

static void push(struct ready *ready, unsigned position)
{
    unsigned at = ready->count++;
    ready->heap[at] = position;
    for (; at > 0 && ready->heap[(at - 1) / 2] > ready->heap[at]; at = (at - 1) / 2)
        exchange(&ready->heap[at], &ready->heap[(at - 1) / 2]);
}

static unsigned pop(struct ready *ready)
{
    unsigned top = ready->heap[0];
    ready->heap[0] = ready->heap[--ready->count];
    for (unsigned at = 0, child; (child = 2 * at + 1) < ready->count; at = child) {
        if (child + 1 < ready->count && ready->heap[child + 1] < ready->heap[child])
            child++;
        if (ready->heap[at] <= ready->heap[child])
            break;
        exchange(&ready->heap[at], &ready->heap[child]);
    }
    return top;
}

/* waits[i]: how many dependencies of node i have not come yet. Nodes of a cycle, and those after
 * it, never come. Returns how many nodes do. */
static unsigned sort(const struct ah_graph *graph, unsigned *waits, struct ready *ready,
                     struct ah_node **out_nodes)
{
    unsigned done = 0;
    for (unsigned i = 0; i < graph->count; i++) {
        waits[i] = graph->nodes[i]->dependencies.count;
        if (waits[i] == 0)
            push(ready, i);
    }
    while (ready->count > 0) {
        struct ah_node *node = graph->nodes[pop(ready)];
        out_nodes[done++] = node;
        for (unsigned i = 0; i < node->dependents.count; i++) {
            unsigned position = node->dependents.nodes[i]->position;
            if (--waits[position] == 0)
                push(ready, position);
        }
    }
    return done;
}

hipError_t ah_graph_sort(const struct ah_graph *graph, const char *call, struct ah_node **out_nodes)
{
    ah_order_number(graph);
    if (is_sorted(graph)) {
        for (unsigned i = 0; i < graph->count; i++)
            out_nodes[i] = graph->nodes[i];
        return hipSuccess;
    }
    unsigned *numbers = malloc(2 * (size_t)graph->count * sizeof *numbers);
    if (!numbers)
        return hipErrorOutOfMemory;
    struct ready ready = {.heap = numbers + graph->count};
    unsigned done = sort(graph, numbers, &ready, out_nodes);
    free(numbers);
    if (done == graph->count)
        return hipSuccess;
    AH_LOG_ERR("%s: the dependencies of %u nodes of the graph form a cycle or follow one", call,
               graph->count - done);
    return hipErrorInvalidValue;
}
