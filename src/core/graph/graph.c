/* Owns the lock of all graphs, and the life of graphs and nodes. Their order is order.c's. */
#include "graph.h"

#include "log.h"
#include "order.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t structure_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ah_graph_objects *dropped; /* under the lock, and released after it */
static unsigned long long last_id;

void ah_graph_lock(void)
{
    pthread_mutex_lock(&structure_lock);
}

void ah_graph_unlock(void)
{
    struct ah_graph_objects *objects = dropped;
    dropped = NULL;
    pthread_mutex_unlock(&structure_lock);
    ah_graph_objects_release(objects);
}

/* ---- handles ------------------------------------------------------------------------- */

static void report_handle(const char *call, const char *what, const void *handle)
{
    if (handle)
        AH_LOG_ERR("%s: %p is not a %s: it was destroyed, or was never one", call, handle, what);
    else
        AH_LOG_ERR("%s: the %s is NULL", call, what);
}

hipError_t ah_graph_of(hipGraph_t handle, const char *call, struct ah_graph **out_graph)
{
    if (!ah_handle_is(handle, AH_HANDLE_GRAPH)) {
        report_handle(call, "graph", handle);
        return hipErrorInvalidValue;
    }
    *out_graph = (struct ah_graph *)(void *)handle;
    return hipSuccess;
}

hipError_t ah_node_of(hipGraphNode_t handle, const char *call, struct ah_node **out_node)
{
    if (!ah_handle_is(handle, AH_HANDLE_GRAPH_NODE)) {
        report_handle(call, "node", handle);
        return hipErrorInvalidValue;
    }
    *out_node = (struct ah_node *)(void *)handle;
    return hipSuccess;
}

hipError_t ah_node_of_type(hipGraphNode_t handle, hipGraphNodeType type, const char *call,
                           struct ah_node **out_node)
{
    struct ah_node *node;
    hipError_t error = ah_node_of(handle, call, &node);
    if (error != hipSuccess)
        return error;
    if (node->work->type->type != type) {
        const char *name = node->work->type->name;
        AH_LOG_ERR("%s: this is %s %s node", call, strchr("aeio", *name) ? "an" : "a", name);
        return hipErrorInvalidValue;
    }
    *out_node = node;
    return hipSuccess;
}

/* ---- graphs -------------------------------------------------------------------------- */

hipError_t ah_graph_create(struct ah_graph **out_graph)
{
    struct ah_graph *graph = ah_handle_create(AH_HANDLE_GRAPH, NULL);
    if (!graph)
        return hipErrorOutOfMemory;
    graph->id = ++last_id;
    *out_graph = graph;
    return hipSuccess;
}

static void free_node(struct ah_node *node)
{
    free(node->dependencies.nodes);
    free(node->dependents.nodes);
    ah_work_free(node->work);
    ah_handle_destroy(node);
}

void ah_graph_destroy(struct ah_graph *graph)
{
    if (!graph)
        return;
    for (unsigned i = 0; i < graph->count; i++)
        free_node(graph->nodes[i]);
    free(graph->nodes);
    dropped = ah_graph_objects_join(dropped, graph->objects);
    ah_handle_destroy(graph);
}

/* ---- nodes --------------------------------------------------------------------------- */

static bool room_for_a_node(struct ah_graph *graph)
{
    if (graph->count < graph->capacity)
        return true;
    unsigned capacity = graph->capacity ? 2 * graph->capacity : 8;
    struct ah_node **nodes = realloc(graph->nodes, capacity * sizeof(struct ah_node *));
    if (!nodes)
        return false;
    graph->nodes = nodes;
    graph->capacity = capacity;
    return true;
}

static void set_work(struct ah_node *node, struct ah_work *work)
{
    node->work = work;
    if (work->type->type == hipGraphNodeTypeGraph)
        work->child->owner = node;
}

static hipError_t append_node(struct ah_graph *graph, struct ah_work *work,
                              struct ah_node **out_node)
{
    struct ah_node *node =
        room_for_a_node(graph) ? ah_handle_create(AH_HANDLE_GRAPH_NODE, NULL) : NULL;
    if (!node)
        return hipErrorOutOfMemory;
    node->graph = graph;
    set_work(node, work);
    node->id = ++last_id;
    graph->nodes[graph->count++] = node;
    *out_node = node;
    return hipSuccess;
}

static hipError_t check_dependencies(struct ah_graph *graph, const hipGraphNode_t *dependencies,
                                     size_t count)
{
    unsigned long long mark = ah_order_mark();
    if (count > 0 && !dependencies) {
        AH_LOG_ERR("the new node has %zu dependencies and no list of them", count);
        return hipErrorInvalidValue;
    }
    for (size_t i = 0; i < count; i++) {
        struct ah_node *node = (struct ah_node *)(void *)dependencies[i];
        const char *why = !ah_handle_is(node, AH_HANDLE_GRAPH_NODE) ? "is not a node"
                          : node->graph != graph                    ? "is a node of another graph"
                          : node->mark == mark                      ? "is named twice"
                                                                    : NULL;
        if (why) {
            AH_LOG_ERR("dependency %zu of the new node (%p) %s", i, (void *)node, why);
            return hipErrorInvalidValue;
        }
        node->mark = mark;
    }
    return hipSuccess;
}

static hipError_t link_to_dependencies(struct ah_node *node, const hipGraphNode_t *dependencies,
                                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hipError_t error = ah_order_link((struct ah_node *)(void *)dependencies[i], node);
        if (error != hipSuccess)
            return error;
    }
    return hipSuccess;
}

hipError_t ah_node_add(struct ah_graph *graph, const hipGraphNode_t *dependencies, size_t count,
                       struct ah_work *work, struct ah_node **out_node)
{
    struct ah_node *node = NULL;
    hipError_t error = check_dependencies(graph, dependencies, count);
    if (error == hipSuccess)
        error = append_node(graph, work, &node);
    if (!node) {
        ah_work_free(work);
        return error;
    }
    error = link_to_dependencies(node, dependencies, count);
    if (error == hipSuccess)
        *out_node = node;
    else
        ah_node_destroy(node);
    return error;
}

/* Ids grow along the list. */
static unsigned index_of(const struct ah_node *node)
{
    unsigned low = 0, high = node->graph->count - 1;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (node->graph->nodes[middle]->id < node->id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ah_node_destroy(struct ah_node *node)
{
    struct ah_graph *graph = node->graph;
    unsigned index = index_of(node);
    ah_order_unlink_all(node);
    graph->count--;
    memmove(graph->nodes + index, graph->nodes + index + 1,
            (graph->count - index) * sizeof(struct ah_node *));
    free_node(node);
}

/* ---- for public functions ------------------------------------------------------------ */

hipError_t ah_graph_add_work(hipError_t made, hipGraph_t handle, const hipGraphNode_t *dependencies,
                             size_t count, struct ah_work *work, const char *call,
                             hipGraphNode_t *out_node)
{
    struct ah_graph *graph;
    struct ah_node *node;
    if (made != hipSuccess)
        return made;
    ah_graph_lock();
    hipError_t error = out_node ? ah_graph_of(handle, call, &graph) : hipErrorInvalidValue;
    if (error != hipSuccess)
        ah_work_free(work);
    else
        error = ah_node_add(graph, dependencies, count, work, &node);
    if (error == hipSuccess)
        *out_node = ah_node_handle(node);
    ah_graph_unlock();
    return error;
}

hipError_t ah_node_get(hipGraphNode_t handle, hipGraphNodeType type, const char *call,
                       size_t offset, size_t size, void *out)
{
    struct ah_node *node;
    if (!out)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_node_of_type(handle, type, call, &node);
    if (error == hipSuccess)
        memcpy(out, (const char *)node->work + offset, size);
    ah_graph_unlock();
    return error;
}

hipError_t ah_node_set_work(hipError_t made, hipGraphNode_t handle, struct ah_work *work,
                            const char *call)
{
    struct ah_node *node;
    struct ah_work *unused = work;
    if (made != hipSuccess)
        return made;
    ah_graph_lock();
    hipError_t error = ah_node_of_type(handle, work->type->type, call, &node);
    if (error == hipSuccess) {
        unused = node->work;
        if (work->type->inherit)
            work->type->inherit(unused, work);
        set_work(node, work);
    }
    ah_work_free(unused);
    ah_graph_unlock();
    return error;
}
