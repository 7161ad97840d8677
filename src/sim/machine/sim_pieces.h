/* Memory of the program that devices may access, where what makes it so (a lock, a registration)
 * may overlap: it is cut into disjoint pieces, each of which is registered once and counts what
 * covers it. Every function is called under the caller's lock of its set of pieces. */
#ifndef SIM_PIECES_H
#define SIM_PIECES_H

#include "ranges.h"
#include "sim_memory.h"

struct sim_piece {
    struct ah_range range;
    struct sim_memory *memory;
    unsigned count; /* of sim_pieces_cover */
    void *owner;    /* the caller's */
};

/* Zeroed is empty. */
struct sim_pieces {
    struct ah_ranges ranges;
    /* Both or neither. begin takes a new piece's memory over, also where it returns false (no
     * memory of the host); end destroys it. */
    bool (*begin)(struct sim_piece *piece);
    void (*end)(struct sim_piece *piece);
};

/* Counts one more on every piece of [start, end), and makes those that are missing. False: the
 * program has no memory there, other memory of devices is there, or no memory of the host is left;
 * nothing is counted then. */
bool sim_pieces_cover(struct sim_pieces *pieces, uint64_t start, uint64_t end);
/* Counts one less; pieces that nothing covers end. [start, end) was covered. */
void sim_pieces_uncover(struct sim_pieces *pieces, uint64_t start, uint64_t end);
/* The piece that has an address; NULL: none. */
struct sim_piece *sim_pieces_find(const struct sim_pieces *pieces, uint64_t address);

/* Whether the program has memory in all of [start, end), of whatever kind. */
bool sim_host_is_mapped(uint64_t start, uint64_t end);

static inline uint64_t sim_piece_end(const struct sim_piece *piece)
{
    return piece->range.start + piece->range.size;
}

#endif
