/* What the lanes of a warp get from one another in a shuffle. Compiled once per instruction set of
 * the host (PTX_ISA_NAME); ptx_warp_ops.c chooses among these functions, and has all else of
 * shuffles. */
#include "ptx_shuffle.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

static inline __attribute__((always_inline)) void
pick(const uint32_t *values, const uint32_t sources[PTX_LANES], uint32_t result[PTX_LANES])
{
#ifdef __AVX512F__
    __m512i low = _mm512_loadu_si512(values), high = _mm512_loadu_si512(values + 16);
    for (unsigned lane = 0; lane < PTX_LANES; lane += 16)
        _mm512_storeu_si512(result + lane, _mm512_permutex2var_epi32(
                                               low, _mm512_loadu_si512(sources + lane), high));
#else
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        result[lane] = values[sources[lane]];
#endif
}

static inline __attribute__((always_inline)) uint32_t shuffle(char mode, const uint32_t *a,
                                                              const uint32_t *b, const uint32_t *c,
                                                              uint32_t result[PTX_LANES])
{
    uint32_t sources[PTX_LANES], in_range = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        unsigned source;
        in_range |= (uint32_t)ptx_shuffle_source(mode, lane, b[lane], c[lane], &source) << lane;
        sources[lane] = source;
    }
    pick(a, sources, result);
    return in_range;
}

#define SHUFFLE(name, mode)                                                                        \
    static uint32_t shuffle_##name(const uint32_t *a, const uint32_t *b, const uint32_t *c,        \
                                   uint32_t result[PTX_LANES])                                     \
    {                                                                                              \
        return shuffle(mode, a, b, c, result);                                                     \
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
