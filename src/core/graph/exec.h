/* Executable graphs: hipGraphExec_t.
 *
 * Instantiation copies the work of all nodes, those of child graphs in place of the child graph
 * node, in an order in which each comes after its dependencies. What is done at a launch is decided
 * then: the whole graph is a graph of the backend (graph_create of backend.h) where it can do all
 * nodes; otherwise the nodes are spread over lanes (streams of the executable graph, and the one it
 * is launched in), runs of nodes that the backend can do together are graphs of it, the others are
 * submitted one by one, and events order the lanes. A node of another driver has a lane of its own.
 *
 * Each executable graph has a lock, which a launch, an update and the destruction hold; the lock of
 * all graphs (graph.h) is taken first where both are needed, and a launch does not need it. */
#ifndef AH_EXEC_H
#define AH_EXEC_H

#include "graph.h"

struct ah_exec_plan; /* exec_plan.c */

/* A node of it. */
struct ah_exec_node {
    unsigned long long id; /* of the graph's node */
    unsigned index;        /* of the first work; of a child graph node: of its first node's */
    unsigned count;        /* of works: 1, but of child graphs */
};

/* hipGraphExec_t: the handle's slot holds the pointer. */
struct ah_exec {
    struct ah_handle handle;
    struct ah_exec_plan *plan;
};

hipError_t ah_exec_of(hipGraphExec_t handle, const char *call, struct ah_exec **out_exec);

/* The structure lock is held. out_error_node: the node to blame, or NULL. */
hipError_t ah_exec_create(struct ah_graph *graph, unsigned long long flags,
                          struct ah_exec **out_exec, struct ah_node **out_error_node,
                          hipGraphInstantiateResult *out_result);
/* Replaces the work of one node in later launches. The work becomes the executable graph's in any
 * case. hipErrorInvalidValue: it has no such node; hipErrorGraphExecUpdateFailure with the reason
 * in the log. */
hipError_t ah_exec_set_work(struct ah_exec *exec, const struct ah_node *node, struct ah_work *work);

#endif
