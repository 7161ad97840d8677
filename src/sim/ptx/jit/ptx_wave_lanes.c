/* Bitcode, like ptx_wave.c: what concerns several lanes of a warp. Whether those are there is found
 * out first: where they may not be, the region is left, and the interpreter waits for them. */
#include "ptx_between_lanes.h"
#include "ptx_wave_some.h"

/* Of an op that concerns all lanes: whether all that live execute. */
uint32_t ptx_wave_together(struct ptx_warp *warp);
uint32_t ptx_wave_together(struct ptx_warp *warp)
{
    return warp->now == warp->alive;
}

/* Of an op whose lanes name each other in a slot: whether none executes it, all name all and all
 * that live execute it, or all name those that execute it. The interpreter goes on then, and in a
 * few cases more. */
uint32_t ptx_wave_gathers(struct ptx_warp *warp, u64 members, u64 guard, u64 inverted);
uint32_t ptx_wave_gathers(struct ptx_warp *warp, u64 members, u64 guard, u64 inverted)
{
    const wave_word *named = word_slot(warp, members);
    const u32 mask = guard_mask(warp, guard, inverted);
    u32 missing = 0, differ = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) { /* loads of some would keep it in memory */
        const u32 word = named[lane], executes = mask & wave_bit[lane] ? UINT32_MAX : 0;
        missing |= ~word;
        differ |= (word ^ mask) & executes;
    }
    return differ == 0 || (missing == 0 && mask == warp->alive);
}

/* Nothing is left to do for lanes that have met. */
uint32_t ptx_wave_meet(struct ptx_warp *warp);
uint32_t ptx_wave_meet(struct ptx_warp *warp)
{
    (void)warp;
    return 1;
}

/* ---- results ----------------------------------------------------------------------------------
 *
 * Each op has a function that writes all lanes and one that leaves what others have. how: its
 * attributes; e: whether there is a second result, a predicate whose slot is bits. */

#define BETWEEN(name, size, second, how, effect)                                                   \
    how FUNCTION(ptx_wave_##name);                                                                 \
    FUNCTION(ptx_wave_##name)                                                                      \
    {                                                                                              \
        const u32 mask = warp->now;                                                                \
        UNUSED;                                                                                    \
        effect;                                                                                    \
        return 1;                                                                                  \
    }                                                                                              \
    how GUARDED(ptx_wave_some_##name);                                                             \
    GUARDED(ptx_wave_some_##name)                                                                  \
    {                                                                                              \
        const u32 mask = guard_mask(warp, guard, inverted);                                        \
        const u64 other = (second) ? bits : d;                                                     \
        const struct kept kept = keep(warp, d, size), also = keep(warp, other, sizeof(u32));       \
        UNUSED;                                                                                    \
        effect;                                                                                    \
        give_back(warp, d, size, &kept, mask);                                                     \
        if (second)                                                                                \
            give_back(warp, other, sizeof(u32), &also, mask);                                      \
        return 1;                                                                                  \
    }
#define UNUSED (void)mask, (void)a, (void)b, (void)c, (void)e, (void)mods, (void)bits

ALWAYS void put_words(const struct ptx_warp *warp, u64 slot, const u32 values[PTX_LANES])
{
    __builtin_memcpy(warp->regs + slot, values, sizeof(u32) * PTX_LANES);
}

/* ---- shuffles -------------------------------------------------------------------------------- */

ALWAYS void shuffle(struct ptx_warp *warp, char mode, OPERANDS)
{
    u32 result[PTX_LANES] __attribute__((aligned(64)));
    u32 in_range =
        ptx_shuffle_lanes(mode, word_slot(warp, a), word_slot(warp, b), word_slot(warp, c), result);
    (void)mods;
    put_words(warp, d, result);
    if (e)
        *word_slot(warp, bits) = in_range;
}

/* Only hosts with AVX-512 pick from a whole slot in registers. */
#ifdef __AVX512F__
#define PICKS
#else
#define PICKS ASIDE
#endif
#define SHUFFLE(name, mode)                                                                        \
    BETWEEN(name, 128, e, PICKS, shuffle(warp, mode, d, a, b, c, e, mods, bits))
SHUFFLE(shuffle_up, 'u')
SHUFFLE(shuffle_down, 'd')
SHUFFLE(shuffle_bfly, 'b')
SHUFFLE(shuffle_idx, 'i')

/* ---- votes, masks -----------------------------------------------------------------------------
 *
 * b: the slot of the lanes that each names; PTX_NO_GUARD: all that execute. */

ALWAYS void vote(struct ptx_warp *warp, char mode, u32 mask, u64 d, u64 a, u64 b)
{
    u32 ballot[PTX_LANES] __attribute__((aligned(64)));
    const u32 *named = b == PTX_NO_GUARD ? NULL : (const void *)word_slot(warp, b);
    u32 predicate = ptx_vote_lanes(mode, *word_slot(warp, a), mask, named, ballot);
    if (mode == 'B')
        put_words(warp, d, ballot);
    else
        *word_slot(warp, d) = predicate;
}

BETWEEN(vote_all, 4, false, , vote(warp, 'a', mask, d, a, b))
BETWEEN(vote_any, 4, false, , vote(warp, 'y', mask, d, a, b))
BETWEEN(vote_uni, 4, false, , vote(warp, 'n', mask, d, a, b))
BETWEEN(vote_ballot, 128, false, , vote(warp, 'B', mask, d, a, b))

ALWAYS void active(struct ptx_warp *warp, u32 mask, u64 d)
{
    u32 result[PTX_LANES] __attribute__((aligned(64)));
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        result[lane] = mask;
    put_words(warp, d, result);
}
BETWEEN(activemask, 128, false, , active(warp, mask, d))
