/* Owns the numbering of a region's slots, and what sets of slots need. */
#include "wave_set.h"

#include <stdlib.h>
#include <string.h>

int wave_slot_compare(const void *a, const void *b)
{
    const struct wave_slot *left = a, *right = b;
    if (left->base != right->base)
        return left->base < right->base ? -1 : 1;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    return (left->size > right->size) - (left->size < right->size);
}

static size_t count_slots(const struct wave_region *region)
{
    size_t count = 0;
    for (unsigned b = 0; b < region->block_count; b++) {
        const struct wave_block *block = &region->blocks[b];
        count += block->end != WAVE_JUMP ? block->read_count : 0;
        for (unsigned i = 0; i < block->inst_count; i++)
            count += block->insts[i].read_count + block->insts[i].write_count;
    }
    return count;
}

static struct wave_slot *put(struct wave_slot *at, const struct wave_slot *slots, unsigned count)
{
    if (count)
        memcpy(at, slots, count * sizeof *slots);
    return at + count;
}

static unsigned without_twins(struct wave_slot *slots, size_t count)
{
    unsigned kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || wave_slot_compare(&slots[kept - 1], &slots[i]) != 0)
            slots[kept++] = slots[i];
    return kept;
}

bool wave_slots_all(const struct wave_region *region, struct wave_slot **out_slots,
                    unsigned *out_count)
{
    size_t count = count_slots(region);
    struct wave_slot *slots = malloc((count + 1) * sizeof *slots), *at = slots;
    *out_slots = slots;
    *out_count = 0;
    if (!slots)
        return false;
    for (unsigned b = 0; b < region->block_count; b++) {
        const struct wave_block *block = &region->blocks[b];
        if (block->end != WAVE_JUMP)
            at = put(at, block->reads, block->read_count);
        for (unsigned i = 0; i < block->inst_count; i++) {
            at = put(at, block->insts[i].reads, block->insts[i].read_count);
            at = put(at, block->insts[i].writes, block->insts[i].write_count);
        }
    }
    qsort(slots, count, sizeof *slots, wave_slot_compare);
    *out_count = without_twins(slots, count);
    return true;
}

unsigned wave_slot_index(const struct wave_slot *slots, unsigned count,
                         const struct wave_slot *slot)
{
    const struct wave_slot *found = bsearch(slot, slots, count, sizeof *slots, wave_slot_compare);
    return (unsigned)(found - slots);
}

bool wave_set_join(uint64_t *set, const uint64_t *more, unsigned words)
{
    uint64_t added = 0;
    for (unsigned i = 0; i < words; i++) {
        added |= more[i] & ~set[i];
        set[i] |= more[i];
    }
    return added != 0;
}

uint64_t *wave_set_create(const struct wave_region *region, unsigned words)
{
    return calloc((size_t)region->block_count * words + 1, sizeof(uint64_t));
}
