/* Private to wave: the slots of a region, numbered, and sets of their numbers. */
#ifndef WAVE_SET_H
#define WAVE_SET_H

#include "wave.h"

/* All slots that a region names, each once, sorted by base, offset and size. False: no memory. */
bool wave_slots_all(const struct wave_region *region, struct wave_slot **out_slots,
                    unsigned *out_count);

int wave_slot_compare(const void *a, const void *b);

/* The number of a slot that is among them. */
unsigned wave_slot_index(const struct wave_slot *slots, unsigned count,
                         const struct wave_slot *slot);

static inline unsigned wave_set_words(unsigned slots)
{
    return (slots + 63) / 64;
}

static inline void wave_set_add(uint64_t *set, unsigned slot)
{
    set[slot / 64] |= UINT64_C(1) << slot % 64;
}

static inline void wave_set_remove(uint64_t *set, unsigned slot)
{
    set[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static inline bool wave_set_has(const uint64_t *set, unsigned slot)
{
    return set[slot / 64] >> slot % 64 & 1;
}

/* Adds the elements of one set to another. Returns whether it has grown. */
bool wave_set_join(uint64_t *set, const uint64_t *more, unsigned words);

/* A set for each block of a region. NULL: no memory. */
uint64_t *wave_set_create(const struct wave_region *region, unsigned words);

#endif
