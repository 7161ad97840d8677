/* Memory that graphs allocate and free: the work of allocation and free nodes.
 *
 * An allocation node has its address from its creation on. Where the device has virtual memory
 * management, memory is behind the address from the first launch that allocates it; it stays there
 * when it is freed, so that the next launch has it without asking the driver, until
 * hipDeviceGraphMemTrim, or a query of the device's attributes, gives unused memory back. Other
 * devices allocate it with the node. The driver never sees such nodes: whether memory is allocated
 * is bookkeeping of the host, in the order of launches, and the nodes order other work only.
 *
 * Memory lives as long as a node, an executable graph or an allocation that was not freed needs it;
 * memory that nothing needs is given to later nodes of the same size. One lock guards it, which is
 * held while the driver maps memory, and may be taken under the lock of graphs or that of an
 * executable graph. */
#ifndef AH_GRAPH_MEMORY_H
#define AH_GRAPH_MEMORY_H

#include "work.h"

/* Whether it allocates or frees. Graphs with such nodes cannot be cloned or be children, and keep
 * their edges. */
bool ah_graph_memory_is(const struct ah_work *work);

/* Whether pointer is in such memory, which may have nothing behind it now. A driver looks at an
 * address when a copy or a fill becomes a node of its graphs, so that core submits those that use
 * this memory when they are due. */
bool ah_graph_memory_has(const void *pointer);

/* Of an executable graph that is made: its works that allocate or free become its own until they
 * are freed. hipErrorNotSupported: another executable graph has the memory. */
hipError_t ah_graph_memory_claim(struct ah_work *const *works, size_t count);

/* Before a launch: the works that allocate or free, of one executable graph in its order.
 * auto_free: what an earlier launch allocated, and nobody freed, is freed first.
 * hipErrorInvalidValue: memory is allocated already, or is not allocated when it is to be freed;
 * hipErrorOutOfMemory. After an error nothing has changed. */
hipError_t ah_graph_memory_begin(struct ah_work *const *works, size_t count, bool auto_free);
/* After the launch in stream, or after its failure, which undoes begin. */
void ah_graph_memory_end(struct ah_work *const *works, size_t count, struct ah_stream *stream,
                         hipError_t error);

#endif
