/* What an access found out about the allocation that it touched last, so that it need not ask the
 * table of granules about each of its lanes again. A span belongs to one thread. */
#ifndef SIM_SPAN_H
#define SIM_SPAN_H

#include "sim_memory.h"

struct sim_span {
    uint64_t stamp;       /* of when it was filled, and of the device; 0: it was not */
    uint64_t start, size; /* of the allocation */
    unsigned char *where; /* of its first byte */
    uint64_t fills;       /* how often it was asked for another allocation */
};

/* No span is of use any longer than this is the same. */
static inline uint64_t sim_span_stamp(const struct sim_space *space, int device)
{
    return (atomic_load_explicit(&space->epoch, memory_order_relaxed) + 1) * SIM_DEVICES_MAX +
           (uint64_t)(unsigned)device;
}

/* Where size bytes at address lie, if they are all in the span; NULL: that has to be found out. */
static inline unsigned char *sim_span_reach(const struct sim_span *span,
                                            const struct sim_space *space, int device,
                                            uint64_t address, size_t size)
{
    uint64_t offset = address - span->start;
    if (span->stamp != sim_span_stamp(space, device) || offset >= span->size ||
        size > span->size - offset)
        return NULL;
    return span->where + offset;
}

/* Makes it the span of the allocation that has the address, if device may access that and the table
 * of granules knows it. False: it is as before. */
bool sim_span_fill(struct sim_span *span, int device, uint64_t address);

#endif
