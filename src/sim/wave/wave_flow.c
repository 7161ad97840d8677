/* Owns the flow of values between slots: which slots hold values that the wave's memory does not
 * have (dirty, found forwards), and which of them the interpreter or the region still read (live,
 * found backwards).
 *
 * A slot that is written back on a path on which the region has not written it has to be loaded at
 * an entry, so that points where slots are written back count as reads of them (needed). */
#include "wave_flow.h"

#include "wave_set.h"

#include <stdlib.h>
#include <string.h>

struct work {
    const struct wave_region *region;
    const struct wave_slot *slots;
    unsigned count, words;
    bool all_live;
    uint64_t *dirty, *live, *needed; /* at the beginning of each block */
    uint64_t *now;                   /* of where a walk is */
};

static void add_all(const struct work *w, uint64_t *set, const struct wave_slot *slots,
                    unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        wave_set_add(set, wave_slot_index(w->slots, w->count, &slots[i]));
}

static void remove_all(const struct work *w, uint64_t *set, const struct wave_slot *slots,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        wave_set_remove(set, wave_slot_index(w->slots, w->count, &slots[i]));
}

/* ---- forwards: dirty ----------------------------------------------------------------- */

static void dirty_after(const struct work *w, const struct wave_inst *inst, uint64_t *dirty)
{
    if (inst->kind == WAVE_HANDLER && !inst->plain) { /* all is in place then */
        memset(dirty, 0, w->words * sizeof *dirty);
    } else if (inst->kind == WAVE_HANDLER) {
        remove_all(w, dirty, inst->reads, inst->read_count);
        remove_all(w, dirty, inst->writes, inst->write_count);
    } else {
        add_all(w, dirty, inst->writes, inst->write_count);
    }
}

static void find_dirty(struct work *w)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned b = 0; b < w->region->block_count; b++) {
            const struct wave_block *block = &w->region->blocks[b];
            memcpy(w->now, w->dirty + (size_t)b * w->words, w->words * sizeof *w->now);
            for (unsigned n = 0; n < block->inst_count; n++)
                dirty_after(w, &block->insts[n], w->now);
            for (unsigned t = 0; t < block->target_count; t++)
                changed |= wave_set_join(w->dirty + (size_t)block->targets[t] * w->words, w->now,
                                         w->words);
        }
    }
}

/* ---- backwards: live ------------------------------------------------------------------- */

/* What the interpreter may read when it goes on at op, where the region does not say. */
static void live_outside(const struct work *w, const void *op, uint64_t *live)
{
    for (unsigned i = 0; i < w->count; i++)
        if (w->all_live || !w->region->live || w->region->live(w->region->data, op, &w->slots[i]))
            wave_set_add(live, i);
}

static void live_at_end(const struct work *w, const struct wave_block *block, uint64_t *live)
{
    memset(live, 0, w->words * sizeof *live);
    for (unsigned t = 0; t < block->target_count; t++)
        wave_set_join(live, w->live + (size_t)block->targets[t] * w->words, w->words);
    bool more = block->end == WAVE_LEAVE
                    ? !block->comes_back
                    : block->end == WAVE_BRANCH && block->target_count < 2 && !block->all;
    if (more || w->all_live)
        live_outside(w, block->op, live);
    if (block->end == WAVE_LEAVE && block->comes_back)
        wave_set_join(live, w->live + (size_t)block->comes_to * w->words, w->words);
    if (block->end != WAVE_JUMP)
        add_all(w, live, block->reads, block->read_count);
}

static void live_before(const struct work *w, const struct wave_inst *inst, uint64_t *live)
{
    remove_all(w, live, inst->writes, inst->write_count);
    add_all(w, live, inst->reads, inst->read_count);
    if (w->all_live || inst->kind == WAVE_GUARD || (inst->kind == WAVE_HANDLER && !inst->plain))
        live_outside(w, inst->op, live);
}

static void find_live(struct work *w)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned b = w->region->block_count; b-- > 0;) {
            const struct wave_block *block = &w->region->blocks[b];
            live_at_end(w, block, w->now);
            for (unsigned n = block->inst_count; n-- > 0;)
                live_before(w, &block->insts[n], w->now);
            changed |= wave_set_join(w->live + (size_t)b * w->words, w->now, w->words);
        }
    }
}

/* ---- where slots are written back -------------------------------------------------------- */

/* For a handler that reads nothing but what it names. */
static bool put_reads_back(const struct work *w, const struct wave_inst *inst,
                           const uint64_t *dirty, struct wave_back *out_back)
{
    unsigned *slots = malloc((inst->read_count + 1) * sizeof *slots);
    if (!slots)
        return false;
    *out_back = (struct wave_back){.slots = slots};
    for (unsigned i = 0; i < inst->read_count; i++) {
        unsigned slot = wave_slot_index(w->slots, w->count, &inst->reads[i]);
        if (wave_set_has(dirty, slot))
            slots[out_back->count++] = slot;
    }
    return true;
}

static bool put_back(const struct work *w, const uint64_t *dirty, const uint64_t *live,
                     struct wave_back *out_back)
{
    unsigned count = 0;
    for (unsigned i = 0; i < w->words; i++)
        count += (unsigned)__builtin_popcountll(dirty[i] & live[i]);
    unsigned *slots = malloc((count + 1) * sizeof *slots);
    if (!slots)
        return false;
    *out_back = (struct wave_back){.slots = slots};
    for (unsigned i = 0; i < w->count; i++)
        if (wave_set_has(dirty, i) && wave_set_has(live, i))
            slots[out_back->count++] = i;
    return true;
}

/* Sets of a block before each instruction and at its end: live going back, then dirty going on. */
static bool find_back(const struct work *w, unsigned b, uint64_t *live, struct wave_back *back)
{
    const struct wave_block *block = &w->region->blocks[b];
    unsigned last = block->inst_count;
    live_at_end(w, block, live + (size_t)last * w->words);
    for (unsigned n = last; n-- > 0;) {
        uint64_t *before = live + (size_t)n * w->words;
        memcpy(before, before + w->words, w->words * sizeof *before);
        live_before(w, &block->insts[n], before);
    }
    memcpy(w->now, w->dirty + (size_t)b * w->words, w->words * sizeof *w->now);
    for (unsigned n = 0; n < last; n++) {
        const struct wave_inst *inst = &block->insts[n];
        bool fine = inst->kind == WAVE_EFFECT ||
                    (inst->plain && inst->kind != WAVE_GUARD
                         ? put_reads_back(w, inst, w->now, &back[n])
                         : put_back(w, w->now, live + (size_t)n * w->words, &back[n]));
        if (!fine)
            return false;
        dirty_after(w, &block->insts[n], w->now);
    }
    return block->end == WAVE_JUMP || block->stays ||
           put_back(w, w->now, live + (size_t)last * w->words, &back[last]);
}

static bool find_backs(const struct work *w, struct wave_flow *flow)
{
    unsigned most = 0;
    for (unsigned b = 0; b < w->region->block_count; b++)
        most = w->region->blocks[b].inst_count > most ? w->region->blocks[b].inst_count : most;
    uint64_t *live = calloc(((size_t)most + 1) * w->words + 1, sizeof *live);
    flow->back = calloc(w->region->block_count + 1, sizeof *flow->back);
    flow->block_count = flow->back ? w->region->block_count : 0;
    bool all = live && flow->back;
    for (unsigned b = 0; all && b < flow->block_count; b++) {
        flow->back[b] = calloc((size_t)w->region->blocks[b].inst_count + 1, sizeof **flow->back);
        all = flow->back[b] && find_back(w, b, live, flow->back[b]);
    }
    free(live);
    return all;
}

/* ---- backwards: needed ------------------------------------------------------------------- */

static void need(uint64_t *needed, const struct wave_back *back)
{
    for (unsigned i = 0; i < back->count; i++)
        wave_set_add(needed, back->slots[i]);
}

static void needed_before(const struct work *w, const struct wave_inst *inst,
                          const struct wave_back *back, uint64_t *needed)
{
    remove_all(w, needed, inst->writes, inst->write_count);
    if (inst->kind != WAVE_HANDLER)
        add_all(w, needed, inst->reads, inst->read_count);
    need(needed, back);
}

static void find_needed(struct work *w, const struct wave_flow *flow)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned b = w->region->block_count; b-- > 0;) {
            const struct wave_block *block = &w->region->blocks[b];
            memset(w->now, 0, w->words * sizeof *w->now);
            for (unsigned t = 0; t < block->target_count; t++)
                wave_set_join(w->now, w->needed + (size_t)block->targets[t] * w->words, w->words);
            if (block->end == WAVE_BRANCH)
                add_all(w, w->now, block->reads, block->read_count);
            need(w->now, &flow->back[b][block->inst_count]);
            for (unsigned n = block->inst_count; n-- > 0;)
                needed_before(w, &block->insts[n], &flow->back[b][n], w->now);
            changed |= wave_set_join(w->needed + (size_t)b * w->words, w->now, w->words);
        }
    }
}

static bool take_entries(const struct work *w, struct wave_flow *flow)
{
    unsigned count = wave_entry_count(w->region);
    flow->entries = calloc(count, sizeof *flow->entries);
    flow->entry_count = flow->entries ? count : 0;
    bool all = flow->entries;
    for (unsigned e = 0; all && e < count; e++) {
        const uint64_t *needed = w->needed + (size_t)wave_entry(w->region, e) * w->words;
        all = put_back(w, needed, needed, &flow->entries[e]);
    }
    return all;
}

/* ---- interface ------------------------------------------------------------------------------ */

static bool find_flow(struct work *w, struct wave_flow *flow)
{
    w->dirty = wave_set_create(w->region, w->words);
    w->live = wave_set_create(w->region, w->words);
    w->needed = wave_set_create(w->region, w->words);
    w->now = calloc(w->words + 1, sizeof *w->now);
    if (!w->dirty || !w->live || !w->needed || !w->now)
        return false;
    find_dirty(w);
    find_live(w);
    if (!find_backs(w, flow))
        return false;
    find_needed(w, flow);
    return take_entries(w, flow);
}

bool wave_flow_init(struct wave_flow *out_flow, const struct wave_region *region, bool all_live)
{
    *out_flow = (struct wave_flow){.region = region};
    if (!wave_slots_all(region, &out_flow->slots, &out_flow->slot_count))
        return false;
    struct work w = {.region = region,
                     .slots = out_flow->slots,
                     .count = out_flow->slot_count,
                     .words = wave_set_words(out_flow->slot_count),
                     .all_live = all_live};
    bool found = find_flow(&w, out_flow);
    free(w.dirty);
    free(w.live);
    free(w.needed);
    free(w.now);
    if (!found)
        wave_flow_fini(out_flow);
    return found;
}

void wave_flow_fini(struct wave_flow *flow)
{
    for (unsigned b = 0; b < flow->block_count; b++) {
        for (unsigned n = 0; flow->back[b] && n <= flow->region->blocks[b].inst_count; n++)
            free(flow->back[b][n].slots);
        free(flow->back[b]);
    }
    for (unsigned e = 0; e < flow->entry_count; e++)
        free(flow->entries[e].slots);
    free(flow->back);
    free(flow->slots);
    free(flow->entries);
    *flow = (struct wave_flow){0};
}

unsigned wave_flow_index(const struct wave_flow *flow, const struct wave_slot *slot)
{
    return wave_slot_index(flow->slots, flow->slot_count, slot);
}
