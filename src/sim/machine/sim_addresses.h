/* A range of addresses of which parts are reserved and released.
 *
 * Next fit: a search continues where the last one ended, so that released addresses are reserved
 * again as late as possible. Each operation takes logarithmic time in the number of holes. The
 * caller does the locking. */
#ifndef SIM_ADDRESSES_H
#define SIM_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

struct sim_hole { /* addresses that are not reserved */
    uint64_t start, size;
    uint64_t largest;          /* size of the largest hole of this subtree */
    struct sim_hole *child[2]; /* lower, higher */
    uint32_t priority;
};

struct sim_addresses {
    uint64_t cursor;
    struct sim_hole *root;
    struct sim_hole *spare; /* spare nodes for later holes, linked by child[0] */
    uint32_t seed;
};

/* All of [start, start + size) is free. False: no memory. */
bool sim_addresses_init(struct sim_addresses *addresses, uint64_t start, uint64_t size);
void sim_addresses_fini(struct sim_addresses *addresses);

/* Reserves size bytes (> 0) at a multiple of alignment (a power of two). 0: none left. */
uint64_t sim_addresses_reserve(struct sim_addresses *addresses, uint64_t size, uint64_t alignment);

/* Reserves [address, address + size). False: not all of it is free. */
bool sim_addresses_reserve_at(struct sim_addresses *addresses, uint64_t address, uint64_t size);

/* Releases what was reserved. */
void sim_addresses_release(struct sim_addresses *addresses, uint64_t address, uint64_t size);

/* Whether all of [address, address + size) is free. */
bool sim_addresses_are_free(const struct sim_addresses *addresses, uint64_t address, uint64_t size);

#endif
