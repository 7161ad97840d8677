/* An ordered set of disjoint address ranges, searched by an address inside one.
 *
 * Nodes are embedded in the caller's objects (first member or container-of) and owned by the
 * caller; nothing here allocates. The caller locks. A range of size 0 counts as one byte, so that
 * it can be found and cannot be added twice. */
#ifndef AH_RANGES_H
#define AH_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ah_range {
    uintptr_t start;
    size_t size;
    struct ah_range *child[2]; /* lower, higher */
    uint32_t priority;
};

struct ah_ranges {
    struct ah_range *root;
    size_t count;
    uint32_t seed;
};

/* Adds node, whose start and size are set. False if it overlaps a range of the set. */
bool ah_ranges_insert(struct ah_ranges *ranges, struct ah_range *node);

/* Removes node, which must be in the set. */
void ah_ranges_remove(struct ah_ranges *ranges, struct ah_range *node);

/* The range that contains address, or NULL. */
struct ah_range *ah_ranges_find(const struct ah_ranges *ranges, uintptr_t address);

/* The last range that starts at or below address, or NULL. */
struct ah_range *ah_ranges_floor(const struct ah_ranges *ranges, uintptr_t address);

/* The first range that starts above address, or NULL. */
struct ah_range *ah_ranges_above(const struct ah_ranges *ranges, uintptr_t address);

/* Whether [start, start + size) shares a byte with a range of the set. */
bool ah_ranges_overlaps(const struct ah_ranges *ranges, uintptr_t start, size_t size);

#endif
