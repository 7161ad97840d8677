/* Edges between the nodes of a graph: graph.h has what others use. The lock is held. */
#ifndef AH_ORDER_H
#define AH_ORDER_H

#include "graph.h"

/* A mark that no node has yet. */
unsigned long long ah_order_mark(void);

/* Brings the positions of all nodes up to date. */
void ah_order_number(const struct ah_graph *graph);

/* An edge that is known to be new. hipErrorOutOfMemory. */
hipError_t ah_order_link(struct ah_node *from, struct ah_node *to);
/* Removes all edges of the node. */
void ah_order_unlink_all(struct ah_node *node);

#endif
