/* Private to the memory of graphs: an allocation, which works of several graphs may share.
 * Everything here takes the lock of this memory itself. */
#ifndef AH_GRAPH_ALLOCATION_H
#define AH_GRAPH_ALLOCATION_H

#include "runtime.h"

struct ah_graph_allocation {
    struct ah_graph_allocation *next; /* of all */
    struct ah_device *device;
    void *address;
    size_t size, reserved; /* as asked for, and as the driver counts it */
    hipMemAccessDesc *access;
    size_t access_count;
    bool is_virtual;                  /* else it is memory as of hipMalloc */
    struct ah_backend_memory *memory; /* virtual: what is or was mapped, or NULL */
    bool mapped, accessible;          /* virtual: of memory; both, and it can be used */
    bool denied;                    /* virtual: the driver once said that nothing is mapped there */
    struct ah_backend_event *event; /* of event_device: the latest use of freed memory */
    struct ah_device *event_device;
    bool pending;                     /* that use may not have ended */
    bool lost;                        /* with a reset of the device */
    bool allocated;                   /* in the order of launches */
    bool has_free_node;               /* a graph's node frees it */
    bool alloc_claimed, free_claimed; /* by executable graphs */
    unsigned references;              /* works */
};

/* Reserves addresses for it, for one reference. hipErrorOutOfMemory. */
hipError_t ah_graph_allocation_create(struct ah_device *device, size_t size,
                                      const hipMemAccessDesc *access, size_t access_count,
                                      struct ah_graph_allocation **out_allocation);
/* The one that starts at address, for one more reference; NULL: there is none, or it was lost.
 * for_free_node: there was no free node yet, and now there is. */
struct ah_graph_allocation *ah_graph_allocation_find(void *address, bool for_free_node);
struct ah_graph_allocation *ah_graph_allocation_retain(struct ah_graph_allocation *allocation);
void ah_graph_allocation_release(struct ah_graph_allocation *allocation);

/* Held by callers of what follows. */
void ah_graph_allocations_lock(void);
void ah_graph_allocations_unlock(void);
/* hipErrorOutOfMemory; hipErrorInvalidValue: it was lost. */
hipError_t ah_graph_allocation_map(struct ah_graph_allocation *allocation);
void ah_graph_allocation_set(struct ah_graph_allocation *allocation, bool allocated);
/* It was used until now in the stream. */
void ah_graph_allocation_used(struct ah_graph_allocation *allocation, struct ah_stream *stream);

#endif
