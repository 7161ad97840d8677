/* The nodes of an executable graph: those of a graph and of its child graphs in one list, in which
 * each comes after its dependencies. A child graph node comes after the nodes of its graph and
 * stands for the end of it: it depends on those that nothing else in the child graph depends on.
 *
 * Nothing here takes a lock. */
#ifndef AH_EXEC_LIST_H
#define AH_EXEC_LIST_H

#include "graph.h"

struct ah_exec_node {
    unsigned long long id; /* of the graph's node; 0: the start of a child graph */
    struct ah_work *work;  /* owned; NULL: a child graph node, or the start of a child graph */
    unsigned first;        /* of a child graph node: where its nodes begin; else its own index */
    unsigned edges, edge_count; /* its dependencies: list->edges[edges] and further */
    bool disabled;              /* hipGraphNodeSetEnabled */
};

struct ah_exec_list {
    struct ah_exec_node *nodes;
    unsigned *edges; /* indices of nodes, lower than that of the node that depends on them */
    unsigned count, capacity, edge_count, edge_capacity;
    unsigned top_count; /* nodes of the graph itself */
    unsigned found;     /* of the last search: the next one is likely to ask for its successor */
    struct ah_node *
        *graph_nodes; /* what each is of, while the structure lock is held; may be NULL */
};

static inline bool ah_exec_node_is_child(const struct ah_exec_node *node)
{
    return !node->work && node->id != 0;
}

/* The structure lock is held. After an error *list has to be freed too, and *out_error_node is the
 * node to blame, or NULL. call: for messages. */
hipError_t ah_exec_list_make(struct ah_graph *graph, const char *call, struct ah_exec_list *list,
                             struct ah_node **out_error_node);
void ah_exec_list_free(struct ah_exec_list *list);

/* The node of that id. NULL: there is none. */
struct ah_exec_node *ah_exec_list_find(struct ah_exec_list *list, unsigned long long id);

/* Compares list, from first on, with all of other, whose nodes are in the same order if they have
 * the same shape. hipGraphExecUpdateSuccess: the types of nodes and their dependencies among each
 * other are the same; else *out_different is the index in other of the first that differs, or
 * other->count if other ends too early. */
hipGraphExecUpdateResult ah_exec_list_compare(const struct ah_exec_list *list, unsigned first,
                                              unsigned count, const struct ah_exec_list *other,
                                              unsigned *out_different);

/* A graph of the nodes, without the child graphs that some of them came from.
 * hipErrorOutOfMemory. The structure lock is held. */
hipError_t ah_exec_list_graph(const struct ah_exec_list *list, struct ah_graph **out_graph);

#endif
