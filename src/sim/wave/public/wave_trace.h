/* What the interpreter does from the state at which a region begins, noted so that it can be taken
 * back and compared with what the region does (ANYHIP_SIM_JIT=compare). Front ends say which ops
 * were executed, and note a store before it is made. Allocates with malloc, takes no lock. */
#ifndef WAVE_TRACE_H
#define WAVE_TRACE_H

#include "wave.h"

enum { WAVE_ELEMENT_MAX = 16 };

struct wave_store {
    const void *op;
    unsigned char *where;
    unsigned size;
    unsigned char old[WAVE_ELEMENT_MAX], found[WAVE_ELEMENT_MAX]; /* before, and by the region */
};

/* Zeroed at first. */
struct wave_trace {
    const void **ops;
    unsigned op_count, op_room;
    struct wave_store *stores;
    unsigned store_count, store_room;
    bool limited; /* no memory, or too many ops: nothing can be compared */
};

void wave_trace_fini(struct wave_trace *trace);
void wave_trace_op(struct wave_trace *trace, const void *op);
void wave_trace_store(struct wave_trace *trace, const void *op, unsigned char *where,
                      unsigned size);

/* Memory becomes what it was before all stores. */
void wave_trace_undo(const struct wave_trace *trace);
/* Notes what the region has stored there. */
void wave_trace_keep(struct wave_trace *trace);

/* Slots as the region has left them, and as the interpreter has, by enum wave_base; NULL: there are
 * none of this base. */
struct wave_images {
    const unsigned char *found[2], *expected[2];
};

/* The first op whose result differs in a slot that no later op writes, and that slot. writes_of
 * gives the slots that an op may write, at most WAVE_WRITES_MAX. False: there is none. */
enum { WAVE_WRITES_MAX = 64 };
bool wave_trace_slot(const struct wave_trace *trace, const struct wave_images *images,
                     unsigned (*writes_of)(void *data, const void *op, struct wave_slot *out_slots),
                     void *data, const void **out_op, struct wave_slot *out_slot);
/* The first store that the region has made differently; NULL: there is none. */
const void *wave_trace_differing_store(const struct wave_trace *trace);

/* Writes how a slot differs: "lane 5: 0x2b and not 0x2a", or without a lane for a slot of one. */
void wave_describe_difference(const struct wave_images *images, const struct wave_slot *slot,
                              unsigned lanes, char *out, size_t out_size);

#endif
