/* Bitcode, like ptx_wave.c: constants, and facts that are checked where a region begins. */
#include "ptx_exec.h"
#include "sim_lane.h"

enum { HALF = PTX_LANES / 2 };

typedef u16 slot_2 __attribute__((may_alias));
typedef u32 slot_4 __attribute__((may_alias));
typedef u64 slot_8 __attribute__((may_alias));

/* The last lane that lives. Behind it there are only lanes that have ended, or that the block never
 * had, and whose registers nobody has written. */
static inline __attribute__((always_inline)) unsigned last_lane(const struct ptx_warp *warp)
{
    return 31 - (unsigned)__builtin_clz(warp->alive | 1);
}

/* check: whether the lanes of each group, of 16 or 32, have values that lie step apart. */
#define KNOWN(bytes)                                                                               \
    uint32_t ptx_wave_constant_##bytes(struct ptx_warp *warp, u64 slot, u64 value);                \
    uint32_t ptx_wave_constant_##bytes(struct ptx_warp *warp, u64 slot, u64 value)                 \
    {                                                                                              \
        slot_##bytes *to = (void *)(warp->regs + slot);                                            \
        for (unsigned lane = 0; lane < PTX_LANES; lane++)                                          \
            to[lane] = (slot_##bytes)value;                                                        \
        return 1;                                                                                  \
    }                                                                                              \
    uint32_t ptx_wave_check_##bytes(struct ptx_warp *warp, u64 slot, u64 group, u64 step);         \
    uint32_t ptx_wave_check_##bytes(struct ptx_warp *warp, u64 slot, u64 group, u64 step)          \
    {                                                                                              \
        const slot_##bytes *at = (const void *)(warp->regs + slot);                                \
        slot_##bytes low = at[0];                                                                  \
        bool off = false; /* a mask and not a reduction of vectors */                              \
        slot_##bytes high = group == PTX_LANES ? (slot_##bytes)(low + step * HALF) : at[HALF];     \
        const unsigned last = last_lane(warp);                                                     \
        for (unsigned lane = 0; lane < HALF; lane++)                                               \
            off |= (lane <= last) & (at[lane] != (slot_##bytes)(low + step * lane));               \
        for (unsigned lane = 0; lane < HALF; lane++)                                               \
            off |= (HALF + lane <= last) &                                                         \
                   (at[HALF + lane] != (slot_##bytes)(high + step * lane));                        \
        return !off;                                                                               \
    }
/* Whether a predicate is the same in all lanes. */
uint32_t ptx_wave_check_mask(struct ptx_warp *warp, u64 slot);
uint32_t ptx_wave_check_mask(struct ptx_warp *warp, u64 slot)
{
    u32 there = UINT32_MAX >> (31 - last_lane(warp));
    u32 mask = *(const slot_4 *)(const void *)(warp->regs + slot) & there;
    return mask == 0 || mask == there;
}

KNOWN(2)
KNOWN(4)
KNOWN(8)
