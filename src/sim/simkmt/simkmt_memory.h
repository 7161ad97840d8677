/* Private to memory: the records of allocations, for the file that owns them and the one that
 * shares them. */
#ifndef SIMKMT_MEMORY_H
#define SIMKMT_MEMORY_H

#include "ranges.h"
#include "simkmt.h"

enum kind {
    ALLOCATED,
    SCRATCH,  /* reserved addresses; memory is mapped to parts of them */
    FIXED,    /* at an address that the caller chose */
    PHYSICAL, /* memory that cannot be accessed: its address only identifies it */
    OPENED,   /* of another process or driver */
    USER,     /* the program's own */
};

struct memory {
    struct ah_range range; /* in the table; for USER only the bounds */
    enum kind kind;
    uint32_t node;
    HsaMemFlags flags;
    struct sim_memory *sim;    /* NULL: addresses only, or memory of the program */
    struct simkmt_part *parts; /* SCRATCH: the mappings; FIXED, of a device: all of it */
    bool covers;               /* USER: its pages were registered */
    bool mmapped;              /* munmap releases its addresses */
    bool imported;             /* OPENED: it was a dma-buf */
    int file;                  /* its dma-buf, -1: none */
    void *user_data;
    uint32_t mapped_count, mapped[SIMKMT_NODES_MAX];
    struct memory *next; /* USER: the registration before it */
};

void simkmt_memory_lock(void);
void simkmt_memory_unlock(void);
/* Under the lock. The memory that contains an address: an allocation, or the newest
 * registration. */
struct memory *simkmt_memory_at(const void *address);
/* Under the lock: adds it to the table. */
void simkmt_memory_enter(struct memory *memory);

/* Creates a record of a kind, without addresses. NULL: out of memory. */
struct memory *simkmt_memory_new(enum kind kind, uint32_t node, HsaMemFlags flags);
/* Destroys it; under the lock if it is in the table. */
void simkmt_memory_free(struct memory *memory);
/* Takes ownership of pages of the host at start; false: devices cannot access them, and they are
 * unmapped. */
bool simkmt_memory_adopt(struct memory *memory, void *start, uint64_t size);

/* Memory of the host in a file of its own: the driver's buffers, which are not pages of the
 * program. */
bool simkmt_export_place(struct memory *memory, uint64_t size, uint64_t alignment);
/* Memory of a device that has an identifier and no address. */
bool simkmt_export_place_physical(struct memory *memory, uint64_t size);

#endif
