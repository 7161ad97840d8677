/* When a device was busy: pieces of time without those in between. The pieces may come in any order
 * and overlap. Memory is bounded: where there are too many gaps, the shorter half of them is no
 * longer known, and their time counts as busy. */
#ifndef AH_ANYHIP_BUSY_H
#define AH_ANYHIP_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AH_BUSY_MAX = 1 << 16 }; /* pieces that are known at a time */

struct ah_busy_piece {
    uint64_t begin, end;
    unsigned first, last; /* what it begins and ends with, as given */
};

struct ah_busy {
    struct ah_busy_piece *pieces; /* by time, with gaps between them */
    size_t count, room;
    uint64_t unknown; /* gaps of up to this length are no longer known; 0: all are */
};

struct ah_gap {
    uint64_t begin, end;
    unsigned after, before;
};

/* Something was done from begin to end, which is not before begin. False: out of memory. */
bool ah_busy_add(struct ah_busy *busy, uint64_t begin, uint64_t end, unsigned what);
void ah_busy_fini(struct ah_busy *busy);

uint64_t ah_busy_total(const struct ah_busy *busy);
/* From the first beginning to the last end. */
uint64_t ah_busy_span(const struct ah_busy *busy);
/* The longest gaps, the longest first, at most max: *out_gaps is for free(), NULL if there are
 * none. Returns how many. */
size_t ah_busy_gaps(const struct ah_busy *busy, size_t max, struct ah_gap **out_gaps);

#endif
