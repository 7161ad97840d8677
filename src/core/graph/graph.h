/* Graphs as an application builds them: hipGraph_t and hipGraphNode_t.
 *
 * A graph is a list of nodes with edges between them. What a node does is its work (work.h); a
 * graph does nothing itself: exec.h makes it executable. One lock, ah_graph_lock, guards the
 * structure of all graphs and the work of their nodes, since nodes of several graphs meet in clones
 * and child graphs; public functions take it once, and everything in this header is called with it
 * held unless it says otherwise. No user code runs and no stream is waited for under the lock. */
#ifndef AH_GRAPH_H
#define AH_GRAPH_H

#include "runtime.h"
#include "work.h"

struct ah_graph_objects; /* references to user objects */

/* hipGraph_t */
struct ah_graph {
    struct ah_handle handle; /* no device: each node has its own */
    struct ah_node **nodes;  /* in the order in which they were added, and so of their ids */
    unsigned count, capacity;
    struct ah_node *owner; /* the child graph node whose graph this is, or NULL */
    unsigned captures;     /* that add nodes to it */
    struct ah_graph_objects *objects;
    unsigned long long id; /* never used again */
};

struct ah_node_list {
    struct ah_node **nodes;
    unsigned count, capacity;
};

/* hipGraphNode_t */
struct ah_node {
    struct ah_handle handle; /* no device: see work */
    struct ah_graph *graph;
    struct ah_work *work;                         /* owned */
    struct ah_node_list dependencies, dependents; /* in the order in which edges were added */
    unsigned long long id;     /* never used again: what an executable graph knows its nodes by */
    unsigned long long origin; /* of a node of a clone: the id of the node that it is a copy of */
    unsigned position; /* graph->nodes[position]; from ah_graph_sort on, until one is removed */
    bool to_join;      /* added by a capture, whose streams have to be joined after it */
    unsigned long long mark; /* set by the last walk that saw this node */
};

_Static_assert(sizeof(struct ah_graph) <= AH_HANDLE_SLOT, "struct ah_graph");
_Static_assert(sizeof(struct ah_node) <= AH_HANDLE_SLOT, "struct ah_node");

/* Not recursive. */
void ah_graph_lock(void);
/* Also gives back the references to user objects that were dropped under the lock, after it is
 * released: their destructors are the application's. */
void ah_graph_unlock(void);

static inline hipGraph_t ah_graph_handle(struct ah_graph *graph)
{
    return (hipGraph_t)(void *)graph;
}
static inline hipGraphNode_t ah_node_handle(struct ah_node *node)
{
    return (hipGraphNode_t)(void *)node;
}

/* The graph or node behind an application's handle. hipErrorInvalidValue, with a message that says
 * what is asked for (call: "hipGraphAddEmptyNode"). */
hipError_t ah_graph_of(hipGraph_t handle, const char *call, struct ah_graph **out_graph);
hipError_t ah_node_of(hipGraphNode_t handle, const char *call, struct ah_node **out_node);
/* The same, and the work has this type. hipErrorInvalidValue. */
hipError_t ah_node_of_type(hipGraphNode_t handle, hipGraphNodeType type, const char *call,
                           struct ah_node **out_node);

/* An empty graph. hipErrorOutOfMemory. */
hipError_t ah_graph_create(struct ah_graph **out_graph);
/* Frees the graph with its nodes and child graphs. References to user objects are given back by
 * ah_graph_unlock. NULL is accepted. */
void ah_graph_destroy(struct ah_graph *graph);

/* Adds a node that comes after count nodes of the same graph, each named once. The work becomes the
 * node's in any case: after an error it is freed. hipErrorInvalidValue: a dependency that is not a
 * node of this graph, or is named twice; hipErrorOutOfMemory. */
hipError_t ah_node_add(struct ah_graph *graph, const hipGraphNode_t *dependencies, size_t count,
                       struct ah_work *work, struct ah_node **out_node);
/* Removes the node with its edges. */
void ah_node_destroy(struct ah_node *node);

/* What the public functions that add a node or change one do once they have made its work: they
 * take the lock, check the handles and add the work or put it in place of a work of the same type.
 * The work becomes the node's in any case. made: the result of making it; an error is returned, and
 * there is no work then. call: for messages. */
hipError_t ah_graph_add_work(hipError_t made, hipGraph_t graph, const hipGraphNode_t *dependencies,
                             size_t count, struct ah_work *work, const char *call,
                             hipGraphNode_t *out_node);
hipError_t ah_node_set_work(hipError_t made, hipGraphNode_t node, struct ah_work *work,
                            const char *call);

/* Copies a part of the work of a node of that type; takes the lock. hipErrorInvalidValue: it is not
 * such a node, or out is NULL. */
hipError_t ah_node_get(hipGraphNode_t node, hipGraphNodeType type, const char *call, size_t offset,
                       size_t size, void *out);
/* In the public function: a member of the work, of the type that out points to. */
#define AH_NODE_GET(node, type, member, out)                                                       \
    ah_node_get(node, type, __func__, offsetof(struct ah_work, member), sizeof *(out), out)

/* Edges between nodes of one graph. As in HIP, an edge may close a cycle, which is found by
 * ah_graph_sort: an application may put edges in before it takes others out. hipErrorInvalidValue:
 * the edge exists (or, to remove it, does not), or leads from a node to itself;
 * hipErrorOutOfMemory. */
hipError_t ah_edge_add(struct ah_node *from, struct ah_node *to);
hipError_t ah_edge_remove(struct ah_node *from, struct ah_node *to);

/* The nodes, each after those that it depends on; of those without an order, the one that was added
 * first comes first. The array has graph->count places. hipErrorInvalidValue: there is a cycle,
 * which call cannot take; hipErrorOutOfMemory. */
hipError_t ah_graph_sort(const struct ah_graph *graph, const char *call,
                         struct ah_node **out_nodes);

/* A copy with child graphs and references to user objects. Each node of the copy has its original's
 * id as its origin, and the same position. hipErrorNotSupported: it allocates or frees memory;
 * hipErrorOutOfMemory. */
hipError_t ah_graph_clone(const struct ah_graph *graph, struct ah_graph **out_clone);

/* ---- user objects: user_object.c ----------------------------------------------------- */

/* A further list with the same references, each as often. NULL stays NULL. hipErrorOutOfMemory. */
hipError_t ah_graph_objects_copy(const struct ah_graph_objects *objects,
                                 struct ah_graph_objects **out_copy);
/* Puts the lists objects and more together. Either may be NULL. */
struct ah_graph_objects *ah_graph_objects_join(struct ah_graph_objects *objects,
                                               struct ah_graph_objects *more);
/* Gives the references back; destructors of the application run here, so that the graph lock must
 * not be held. NULL is accepted. */
void ah_graph_objects_release(struct ah_graph_objects *objects);

#endif
