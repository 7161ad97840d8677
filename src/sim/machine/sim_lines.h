/* Where the lanes of an atomic meet in memory: at one place, or in lines of the host's cache that
 * each have to be fetched. */
#ifndef SIM_LINES_H
#define SIM_LINES_H

#include <stdbool.h>
#include <stdint.h>

/* The first of lanes, of which there is one or more, and those that follow it with its address. */
static inline uint64_t sim_neighbours(unsigned char *const *where, uint64_t lanes)
{
    const unsigned char *first = where[__builtin_ctzll(lanes)];
    uint64_t left = lanes & (lanes - 1);
    while (left && where[__builtin_ctzll(left)] == first)
        left &= left - 1;
    return lanes & ~left;
}

/* Whether all lanes, of which there is one or more, have one address. */
static inline bool sim_is_one_place(unsigned char *const *where, uint64_t lanes)
{
    return sim_neighbours(where, lanes) == lanes;
}

/* Atomics of the host wait for each other's cache lines: asks for those of all lanes, before the
 * first atomic. As a function of its own, gcc would take it for one without effect. */
static inline __attribute__((always_inline)) void sim_fetch_lines(unsigned char *const *where,
                                                                  uint64_t lanes)
{
    for (uint64_t left = lanes; left; left &= left - 1)
        __builtin_prefetch(where[__builtin_ctzll(left)], true);
}

#endif
