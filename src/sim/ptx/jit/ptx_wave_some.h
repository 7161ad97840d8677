/* What functions of the bitcode have in common: their arguments, and results of some lanes. */
#ifndef PTX_WAVE_SOME_H
#define PTX_WAVE_SOME_H

#include "ptx_exec.h"
#include "ptx_wave_access.h"
#include "sim_lane.h"

#define ALWAYS         static inline __attribute__((always_inline, unused))
#define OPERANDS       u64 d, u64 a, u64 b, u64 c, u64 e, u64 mods, u64 bits
#define FUNCTION(name) uint32_t name(struct ptx_warp *warp, OPERANDS)
#define GUARDED(name)  uint32_t name(struct ptx_warp *warp, OPERANDS, u64 guard, u64 inverted)

/* Called on a copy of the slots: for what indexes them by a lane's value, or changes the rounding.
 */
#define ASIDE __attribute__((noinline))

typedef u32 wave_word __attribute__((may_alias));

ALWAYS wave_word *word_slot(const struct ptx_warp *warp, u64 slot)
{
    return (void *)(warp->regs + slot);
}

/* Lanes that execute, of those that a guard names. */
ALWAYS u32 guard_mask(const struct ptx_warp *warp, u64 guard, u64 inverted)
{
    if (guard == PTX_NO_GUARD)
        return warp->now;
    return (*word_slot(warp, guard) ^ (u32)inverted) & warp->now;
}

/* ---- results of some lanes ------------------------------------------------------------------
 *
 * The op is executed for all lanes; those that are not in the mask get back what they had. */

typedef int32_t lanes_4 __attribute__((vector_size(128)));
typedef int16_t lanes_2 __attribute__((vector_size(64)));
typedef int64_t lanes_8 __attribute__((vector_size(256)));

struct kept {
    unsigned char bytes[PTX_LANES * 16];
};

ALWAYS struct kept keep(const struct ptx_warp *warp, u64 slot, unsigned size)
{
    struct kept kept;
    __builtin_memcpy(kept.bytes, warp->regs + slot, size);
    return kept;
}

static const u32 wave_bit[PTX_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* -1 for lanes in the mask, 0 for others. */
ALWAYS lanes_4 lanes_in(u32 mask)
{
    lanes_4 bits;
    __builtin_memcpy(&bits, wave_bit, sizeof bits);
    return (lanes_4)((bits & (int32_t)mask) != 0);
}

#define BLEND(type, lanes)                                                                         \
    {                                                                                              \
        type old, new;                                                                             \
        __builtin_memcpy(&old, kept->bytes, sizeof old);                                           \
        __builtin_memcpy(&new, at, sizeof new);                                                    \
        new = (new &(lanes)) | (old & ~(lanes));                                                   \
        __builtin_memcpy(at, &new, sizeof new);                                                    \
    }

ALWAYS void give_back(struct ptx_warp *warp, u64 slot, unsigned size, const struct kept *kept,
                      u32 mask)
{
    unsigned char *at = warp->regs + slot;
    const lanes_4 lanes = lanes_in(mask);
    if (size == sizeof(u32)) {
        u32 old, new;
        __builtin_memcpy(&old, kept->bytes, sizeof old);
        __builtin_memcpy(&new, at, sizeof new);
        new = (new &mask) | (old & ~mask);
        __builtin_memcpy(at, &new, sizeof new);
    } else if (size == sizeof(lanes_2)) {
        BLEND(lanes_2, __builtin_convertvector(lanes, lanes_2))
    } else if (size == sizeof(lanes_4)) {
        BLEND(lanes_4, lanes)
    } else {
        BLEND(lanes_8, __builtin_convertvector(lanes, lanes_8))
    }
}
#undef BLEND

#endif
