/* What is in which slots of a region, and where they have to be written back: for jit, which keeps
 * slots in registers of the host. Allocates with malloc, takes no lock. */
#ifndef WAVE_FLOW_H
#define WAVE_FLOW_H

#include "wave.h"

/* The slots that are written back, or loaded, at a point, as indices into wave_flow.slots. */
struct wave_back {
    unsigned *slots;
    unsigned count;
};

struct wave_flow {
    const struct wave_region *region;
    struct wave_slot *slots; /* all of the region, each once, sorted by base and offset */
    unsigned slot_count;
    /* By entry: the slots whose values are needed from there on. */
    struct wave_back *entries;
    unsigned entry_count; /* of entries */
    /* By block and instruction: before an instruction that calls a handler or leaves, the slots
     * that hold another value than the wave's memory, and that the interpreter may read. The one
     * after the last instruction is for the block's end. */
    struct wave_back **back;
    unsigned block_count; /* of back */
};

/* all_live: slots are written back whether anything reads them or not. False: no memory;
 * *out_flow is then zeroed. The region is one that wave_verify accepts. */
bool wave_flow_init(struct wave_flow *out_flow, const struct wave_region *region, bool all_live);

/* Accepts a zeroed struct. */
void wave_flow_fini(struct wave_flow *flow);

/* The index of a slot that the region has. */
unsigned wave_flow_index(const struct wave_flow *flow, const struct wave_slot *slot);

#endif
