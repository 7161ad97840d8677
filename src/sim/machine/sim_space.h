/* What the files of the simulated memory share; no other file includes it. */
#ifndef SIM_SPACE_H
#define SIM_SPACE_H

#include "ranges.h"
#include "sim_addresses.h"
#include "sim_memory.h"

#include <pthread.h>

struct sim_record { /* one allocation, as the table of allocations has it */
    struct sim_memory memory;
    struct ah_range range;
    uint64_t taken; /* addresses, with the guard after the end; 0: not its own */
    bool opened;    /* a mapping whose reservation ends with it */
};

struct sim_reservation { /* addresses for mappings */
    struct ah_range range;
    unsigned mappings;
    bool spoiled; /* memory that was mapped there is still there */
};

struct sim_part { /* addresses for allocations */
    struct sim_addresses addresses;
    uint64_t kept; /* a chunk that is free but not discarded yet, 0: none */
    uint64_t wide; /* bytes that wide guards take beyond what others would */
};

struct sim_state {
    pthread_mutex_t lock; /* of all below, and of writing the lookup table */
    bool open;
    int device_count;
    size_t capacity[SIM_DEVICES_MAX], used[SIM_DEVICES_MAX];
    size_t host_capacity, host_used;
    struct sim_part device_part, host_part;
    struct ah_ranges table;        /* struct sim_record */
    struct ah_ranges reservations; /* struct sim_reservation */
    uint64_t last_id;
};
extern struct sim_state sim_state;

/* ---- sim_space.c: the addresses and what is behind them ---------------------- */

enum { SIM_PAGE = 4096 }; /* a size that every x86-64 and most other machines map by */

static inline uint64_t sim_round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & -unit;
}

/* In the devices' part. */
static inline bool sim_is_device_address(uint64_t address)
{
    return address - sim_space.base < sim_space.device_size;
}

/* Where the simulator finds what lies at an address of either part. */
static inline unsigned char *sim_view(uint64_t address)
{
    return (unsigned char *)(uintptr_t)(sim_is_device_address(address) ? address + sim_space.to_view
                                                                       : address);
}

/* Makes size bytes at address (a multiple of a granule) valid for owner. */
void sim_granules_set(uint64_t address, uint64_t size, unsigned owner);
void sim_granules_clear(uint64_t address, uint64_t size);
/* Returns to the kernel the table's large page for address, where nothing is allocated in any of
 * the addresses in it and the next allocation is not to be there. Under the lock. */
void sim_granules_trim(const struct sim_addresses *addresses, uint64_t address);

/* Zeroes memory of the tables, by giving whole pages back where that is less work. */
void sim_table_zero(void *start, size_t size);

/* Counts bytes against a device (-1: the host); false: it has less left. */
bool sim_charge(int device, uint64_t bytes);
void sim_discharge(int device, uint64_t bytes);

/* ---- sim_contents.c: memory that is returned to the kernel ------------------------ */

/* How an allocation should be aligned to have as many large pages as its size allows. */
uint64_t sim_contents_alignment(size_t size);
/* Gives an allocation large pages, if it has room for some: those that were kept, with what they
 * contain, and requests others. */
void sim_contents_expect(const struct sim_memory *memory);
/* Returns the pages that only [start, end) has, when they are many, or keeps some for other
 * allocations: what is at these addresses reads as zero. */
void sim_contents_discard_own(uint64_t start, uint64_t end);
/* Returns those it shared with others, when it was just released to part. Under the lock. */
void sim_contents_discard_edges(struct sim_part *part, uint64_t start, uint64_t end);
void sim_contents_close(void); /* returns the pages that were kept */

/* ---- sim_memory.c ---------------------------------------------------------------- */

/* Under the lock. */
struct sim_record *sim_record_find(uint64_t address);
/* A record with the next id, not in the table. NULL without memory. */
struct sim_record *sim_record_create(enum sim_kind kind, int device, uint64_t address, size_t size);

/* ---- sim_mapping.c: reservations and mappings -------------------------------------- */

/* Takes a mapping's memory off its addresses; not under the lock. */
void sim_mapping_end(struct sim_record *record);
/* Under the lock. */
struct sim_reservation *sim_reservation_find(uint64_t address);
void sim_reservations_clear(void);

/* ---- sim_shared.c: memory that other processes may open ------------------------------ */

/* Returns whole pages of the file that holds what is shared. */
void sim_shared_discard(uint64_t start, uint64_t end);
/* Whether any of the addresses are in the file; under the lock. */
bool sim_shared_any(uint64_t start, uint64_t end);
void sim_shared_remove(const struct sim_memory *memory); /* it is destroyed; under the lock */
void sim_shared_close(void);

/* ---- sim_lookup.c: look-ups beyond granules ----------------------------------------- */

struct sim_lookup { /* memory that devices reach where the mask has their bit */
    uint64_t start, size, to_view, readers, writers;
};
/* Bytes of the table's memory, which must be zeroed and stay. */
size_t sim_lookup_size(void);
/* Under the lock. */
void sim_lookup_open(void *memory); /* NULL: closed */
bool sim_lookup_add(const struct sim_lookup *entry);
void sim_lookup_change(uint64_t start, uint64_t readers, uint64_t writers);
void sim_lookup_remove(uint64_t start);

/* ---- sim_describe.c ------------------------------------------------------------------- */

/* Remembers an allocation that ends; under the lock. */
void sim_freed_remember(const struct sim_memory *memory);
void sim_freed_clear(void);

/* ---- sim_written.c: which bytes were written ------------------------------------------- */

size_t sim_written_size(uint64_t device_size); /* bytes of its table, 0: not tracking */
void sim_written_open(void *memory);           /* NULL: closed */
void sim_written_clear(uint64_t address, uint64_t size);

#endif
