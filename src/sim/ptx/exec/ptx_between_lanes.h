/* What the lanes of a warp get from one another in shuffles and votes, as loops over lanes: for the
 * interpreter's handlers and for the bitcode of compiled regions. Values of lanes that do not
 * execute are what their registers hold. */
#ifndef PTX_BETWEEN_LANES_H
#define PTX_BETWEEN_LANES_H

#include "ptx_shuffle.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define PTX_BETWEEN static inline __attribute__((always_inline, unused))

/* ---- shuffles ------------------------------------------------------------------------------ */

PTX_BETWEEN void ptx_pick(const uint32_t *values, const uint32_t sources[PTX_LANES],
                          uint32_t result[PTX_LANES])
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

/* a: the values; b and c: the other operands; mode as of ptx_shuffle_source. Returns a bit for each
 * lane whose source is in range. */
PTX_BETWEEN uint32_t ptx_shuffle_lanes(char mode, const uint32_t *a, const uint32_t *b,
                                       const uint32_t *c, uint32_t result[PTX_LANES])
{
    uint32_t sources[PTX_LANES], in_range = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        unsigned source;
        in_range |= (uint32_t)ptx_shuffle_source(mode, lane, b[lane], c[lane], &source) << lane;
        sources[lane] = source;
    }
    ptx_pick(a, sources, result);
    return in_range;
}

/* ---- votes ----------------------------------------------------------------------------------
 *
 * mode: 'a' all, 'y' any, 'n' uni, 'B' ballot. */

PTX_BETWEEN bool ptx_vote_decide(char mode, uint32_t votes, uint32_t members)
{
    switch (mode) {
    case 'a':
        return votes == members;
    case 'y':
        return votes != 0;
    default:
        return votes == 0 || votes == members;
    }
}

/* Of the lanes that execute; named: those that each lane names, or NULL for all. Returns a bit for
 * each lane that gets true, and what a ballot is. */
PTX_BETWEEN uint32_t ptx_vote_lanes(char mode, uint32_t votes, uint32_t executing,
                                    const uint32_t *named, uint32_t ballot[PTX_LANES])
{
    uint32_t predicate = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        uint32_t members = named ? named[lane] & executing : executing;
        ballot[lane] = votes & members;
        predicate |= (uint32_t)ptx_vote_decide(mode, ballot[lane], members) << lane;
    }
    return predicate;
}

#endif
