/* What the lanes of a warp get from one another in a shuffle. Compiled once per instruction set of
 * the host (PTX_ISA_NAME); ptx_warp_ops.c chooses among these functions, and has all else of
 * shuffles. */
#include "ptx_between_lanes.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define SHUFFLE(name, mode)                                                                        \
    static uint32_t shuffle_##name(const uint32_t *a, const uint32_t *b, const uint32_t *c,        \
                                   uint32_t result[PTX_LANES])                                     \
    {                                                                                              \
        return ptx_shuffle_lanes(mode, a, b, c, result);                                           \
    }
SHUFFLE(up, 'u')
SHUFFLE(down, 'd')
SHUFFLE(bfly, 'b')
SHUFFLE(idx, 'i')
#undef SHUFFLE

const struct ptx_shuffle_functions JOIN(ptx_shuffle_, PTX_ISA_NAME) = {
    .up = shuffle_up,
    .down = shuffle_down,
    .bfly = shuffle_bfly,
    .idx = shuffle_idx,
};
