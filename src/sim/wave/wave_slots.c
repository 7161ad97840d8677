/* Owns wave_slots_in and wave_slots_out. */
#include "wave_set.h"

#include <stdlib.h>
#include <string.h>

/* Goes back through a block: live is what its ends need, and becomes what it needs. */
static void go_back(const struct wave_block *block, const struct wave_slot *slots, unsigned count,
                    uint64_t *live)
{
    if (block->end == WAVE_BRANCH)
        for (unsigned i = 0; i < block->read_count; i++)
            wave_set_add(live, wave_slot_index(slots, count, &block->reads[i]));
    for (unsigned n = block->inst_count; n-- > 0;) {
        const struct wave_inst *inst = &block->insts[n];
        for (unsigned i = 0; i < inst->write_count; i++)
            wave_set_remove(live, wave_slot_index(slots, count, &inst->writes[i]));
        for (unsigned i = 0; i < inst->read_count; i++)
            wave_set_add(live, wave_slot_index(slots, count, &inst->reads[i]));
    }
}

/* The sets of slots that are read at first from each block on. */
static bool find_live(const struct wave_region *region, const struct wave_slot *slots,
                      unsigned count, uint64_t *live)
{
    unsigned words = wave_set_words(count);
    uint64_t *now = calloc(words + 1, sizeof *now);
    bool changed = now != NULL;
    while (changed) {
        changed = false;
        for (unsigned b = region->block_count; b-- > 0;) {
            const struct wave_block *block = &region->blocks[b];
            memset(now, 0, words * sizeof *now);
            for (unsigned t = 0; t < block->target_count; t++)
                wave_set_join(now, live + (size_t)block->targets[t] * words, words);
            go_back(block, slots, count, now);
            changed |= wave_set_join(live + (size_t)b * words, now, words);
        }
    }
    free(now);
    return now != NULL;
}

/* Leaves the slots that are in the set. */
static unsigned select_slots(struct wave_slot *slots, unsigned count, const uint64_t *set)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (wave_set_has(set, i))
            slots[kept++] = slots[i];
    return kept;
}

bool wave_slots_in(const struct wave_region *region, struct wave_slot **out_slots,
                   unsigned *out_count)
{
    if (!wave_slots_all(region, out_slots, out_count))
        return false;
    const unsigned words = wave_set_words(*out_count);
    uint64_t *live = wave_set_create(region, words);
    bool found = live && find_live(region, *out_slots, *out_count, live);
    for (unsigned e = 0; found && e < wave_entry_count(region); e++)
        wave_set_join(live, live + (size_t)wave_entry(region, e) * words, words);
    if (found)
        *out_count = select_slots(*out_slots, *out_count, live);
    else
        free(*out_slots);
    free(live);
    return found;
}

bool wave_slots_out(const struct wave_region *region, struct wave_slot **out_slots,
                    unsigned *out_count)
{
    if (!wave_slots_all(region, out_slots, out_count))
        return false;
    uint64_t *written = calloc(wave_set_words(*out_count) + 1, sizeof *written);
    if (!written) {
        free(*out_slots);
        return false;
    }
    for (unsigned b = 0; b < region->block_count; b++)
        for (unsigned n = 0; n < region->blocks[b].inst_count; n++) {
            const struct wave_inst *inst = &region->blocks[b].insts[n];
            for (unsigned i = 0; i < inst->write_count; i++)
                wave_set_add(written, wave_slot_index(*out_slots, *out_count, &inst->writes[i]));
        }
    *out_count = select_slots(*out_slots, *out_count, written);
    free(written);
    return true;
}
