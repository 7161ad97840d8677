/* Private to memory: what is known of each, for the file that owns it and the one that shares it.
 */
#ifndef SIMKMT_MEMORY_H
#define SIMKMT_MEMORY_H

#include "ranges.h"
#include "simkmt.h"

enum kind {
    ALLOCATED,
    SCRATCH,  /* addresses, to parts of which memory is mapped */
    FIXED,    /* at addresses that the caller chose */
    PHYSICAL, /* memory that nothing reaches: its addresses only name it */
    OPENED,   /* of another process or driver */
    USER,     /* the program's own */
};

struct memory {
    struct ah_range range; /* in the table; of USER it is only the bounds */
    enum kind kind;
    uint32_t node;
    HsaMemFlags flags;
    struct sim_memory *sim;    /* NULL: addresses only, or memory of the program */
    struct simkmt_part *parts; /* SCRATCH: what is mapped; FIXED, of a device: all of it */
    bool covers;               /* USER: pieces were made for it */
    bool mmapped;              /* its addresses are given back by munmap */
    bool imported;             /* OPENED: it was a dma-buf */
    int file;                  /* its dma-buf, by which others know it, -1: none */
    void *user_data;
    uint32_t mapped_count, mapped[SIMKMT_NODES_MAX];
    struct memory *next; /* USER: the one that was registered before */
};

void simkmt_memory_lock(void);
void simkmt_memory_unlock(void);
/* Under the lock. What holds an address: an allocation, or the newest registration. */
struct memory *simkmt_memory_at(const void *address);
/* Under the lock: it is known from now on. */
void simkmt_memory_enter(struct memory *memory);

/* One of a kind, without addresses. NULL: no memory. */
struct memory *simkmt_memory_new(enum kind kind, uint32_t node, HsaMemFlags flags);
/* Ends it; the lock is held if it was entered. */
void simkmt_memory_free(struct memory *memory);
/* Pages of the host at start, which are memory's from now on; false: devices cannot reach them, and
 * they are unmapped. */
bool simkmt_memory_take_over(struct memory *memory, void *start, uint64_t size);

/* Memory of the host in a file of its own: the driver's buffers, which are not the program's pages.
 */
bool simkmt_export_place(struct memory *memory, uint64_t size, uint64_t alignment);
/* Memory of a device that has a name and no addresses. */
bool simkmt_export_place_physical(struct memory *memory, uint64_t size);

#endif
