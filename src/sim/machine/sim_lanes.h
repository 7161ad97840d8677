/* Accesses of many lanes: how their addresses lie to each other, vectors of the words of some
 * lanes, look-ups of many addresses at once, and gathers and scatters of words, where the host has
 * them. For .c files that are compiled once for each instruction set of the host (ah_isa_module);
 * everything is static. */
#ifndef SIM_LANES_H
#define SIM_LANES_H

#include "sim_lane.h"
#include "sim_memory.h"

/* ---- which lanes are where ---------------------------------------------------------- */

typedef u32 sim_lane_4 __attribute__((may_alias));
typedef u64 sim_lane_8 __attribute__((may_alias));

/* A bit for each of n lanes, 16 or a multiple of it, that is not start + lane * step. */
LANE u64 sim_lanes_off_4(const sim_lane_4 *lanes, unsigned n, u32 start, u32 step)
{
#if defined(__AVX512F__)
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i expected = _mm512_add_epi32(_mm512_set1_epi32((int)start),
                                        _mm512_mullo_epi32(numbers, _mm512_set1_epi32((int)step)));
    u64 off = 0;
    for (unsigned i = 0; i < n; i += 16) {
        off |= (u64)_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(lanes + i), expected) << i;
        expected = _mm512_add_epi32(expected, _mm512_set1_epi32((int)(16 * step)));
    }
    return off;
#elif defined(__AVX2__)
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i expected = _mm256_add_epi32(_mm256_set1_epi32((int)start),
                                        _mm256_mullo_epi32(numbers, _mm256_set1_epi32((int)step)));
    u64 on = 0;
    for (unsigned i = 0; i < n; i += 8) {
        __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256((const void *)(lanes + i)), expected);
        on |= (u64)(u32)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << i;
        expected = _mm256_add_epi32(expected, _mm256_set1_epi32((int)(8 * step)));
    }
    return ~on & UINT64_MAX >> (64 - n);
#else
    s32 off[64] __attribute__((aligned(64)));
    for (unsigned i = 0; i < n; i++)
        off[i] = lanes[i] != start + i * step ? -1 : 0;
    return lane_signs(off, n);
#endif
}

LANE u64 sim_lanes_off_8(const sim_lane_8 *lanes, unsigned n, u64 start, u64 step)
{
#if defined(__AVX512F__)
    __m512i expected = _mm512_add_epi64(
        _mm512_set1_epi64((long long)start),
        _mm512_setr_epi64(0, (long long)step, (long long)(2 * step), (long long)(3 * step),
                          (long long)(4 * step), (long long)(5 * step), (long long)(6 * step),
                          (long long)(7 * step)));
    u64 off = 0;
    for (unsigned i = 0; i < n; i += 8) {
        off |= (u64)_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(lanes + i), expected) << i;
        expected = _mm512_add_epi64(expected, _mm512_set1_epi64((long long)(8 * step)));
    }
    return off;
#elif defined(__AVX2__)
    __m256i expected = _mm256_add_epi64(
        _mm256_set1_epi64x((long long)start),
        _mm256_setr_epi64x(0, (long long)step, (long long)(2 * step), (long long)(3 * step)));
    u64 on = 0;
    for (unsigned i = 0; i < n; i += 4) {
        __m256i equal = _mm256_cmpeq_epi64(_mm256_loadu_si256((const void *)(lanes + i)), expected);
        on |= (u64)(u32)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) << i;
        expected = _mm256_add_epi64(expected, _mm256_set1_epi64x((long long)(4 * step)));
    }
    return ~on & UINT64_MAX >> (64 - n);
#else
    s32 off[64] __attribute__((aligned(64)));
    for (unsigned i = 0; i < n; i++)
        off[i] = lanes[i] != start + i * step ? -1 : 0;
    return lane_signs(off, n);
#endif
}

/* A bit for each of 31 lanes whose successor is not at its address + step. */
LANE u32 sim_lanes_breaks_4(const sim_lane_4 *lanes, u32 step)
{
#if defined(__AVX512F__)
    /* Successors are not loaded: lanes have often just been stored as vectors. */
    const __m512i by = _mm512_set1_epi32((int)step);
    __m512i low = _mm512_loadu_si512(lanes), high = _mm512_loadu_si512(lanes + 16);
    __m512i next_low = _mm512_alignr_epi32(high, low, 1);
    __m512i next_high = _mm512_alignr_epi32(high, high, 1);
    return (u32)_mm512_cmpneq_epi32_mask(_mm512_add_epi32(low, by), next_low) |
           (u32)_mm512_mask_cmpneq_epi32_mask(0x7fff, _mm512_add_epi32(high, by), next_high) << 16;
#elif defined(__AVX2__)
    const __m256i by = _mm256_set1_epi32((int)step);
    __m256i here = _mm256_loadu_si256((const void *)lanes);
    u32 on = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        __m256i after = _mm256_loadu_si256((const void *)(lanes + (i < 24 ? i + 8 : i)));
        __m256i next = _mm256_alignr_epi8(_mm256_permute2x128_si256(here, after, 0x21), here, 4);
        __m256i equal = _mm256_cmpeq_epi32(_mm256_add_epi32(here, by), next);
        on |= (u32)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << i;
        here = after;
    }
    return ~on & 0x7fffffff;
#else
    s32 off[32] __attribute__((aligned(64)));
    for (unsigned i = 0; i < 31; i++)
        off[i] = lanes[i + 1] - lanes[i] != step ? -1 : 0;
    off[31] = 0;
    return (u32)lane_signs(off, 32);
#endif
}

LANE u32 sim_lanes_breaks_8(const sim_lane_8 *lanes, u64 step)
{
#if defined(__AVX512F__)
    const __m512i by = _mm512_set1_epi64((long long)step);
    __m512i here = _mm512_loadu_si512(lanes);
    u32 breaks = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        __m512i after = _mm512_loadu_si512(lanes + (i < 24 ? i + 8 : i));
        __m512i next = _mm512_alignr_epi64(after, here, 1);
        breaks |= (u32)_mm512_cmpneq_epi64_mask(_mm512_add_epi64(here, by), next) << i;
        here = after;
    }
    return breaks & 0x7fffffff;
#elif defined(__AVX2__)
    const __m256i by = _mm256_set1_epi64x((long long)step);
    __m256i here = _mm256_loadu_si256((const void *)lanes);
    u32 on = 0;
    for (unsigned i = 0; i < 32; i += 4) {
        __m256i after = _mm256_loadu_si256((const void *)(lanes + (i < 28 ? i + 4 : i)));
        __m256i next = _mm256_alignr_epi8(_mm256_permute2x128_si256(here, after, 0x21), here, 8);
        __m256i equal = _mm256_cmpeq_epi64(_mm256_add_epi64(here, by), next);
        on |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) << i;
        here = after;
    }
    return ~on & 0x7fffffff;
#else
    s32 off[32] __attribute__((aligned(64)));
    for (unsigned i = 0; i < 31; i++)
        off[i] = lanes[i + 1] - lanes[i] != step ? -1 : 0;
    off[31] = 0;
    return (u32)lane_signs(off, 32);
#endif
}

/* ---- elements of some lanes, as vectors ------------------------------------------------------
 *
 * SIM_LANES_VECTOR bytes at once; 0: the host has no loads and stores with masks, and loops over
 * lanes have to do. Elements have size bytes, 4 or 8. mask: a bit for each lane of a vector, and
 * others, which are ignored. Nothing is accessed for lanes that are not in it. */

#if defined(__AVX512F__)
#define SIM_LANES_VECTOR 64
typedef __m512i sim_lanes_vector;

LANE sim_lanes_vector sim_lanes_read(const void *from)
{
    return _mm512_loadu_si512(from);
}

LANE void sim_lanes_write(void *to, sim_lanes_vector lanes)
{
    _mm512_storeu_si512(to, lanes);
}

/* Lanes that are not in the mask are those of old. */
LANE sim_lanes_vector sim_lanes_read_in(sim_lanes_vector old, u32 mask, uintptr_t from,
                                        unsigned size)
{
    return size == 4 ? _mm512_mask_loadu_epi32(old, (__mmask16)mask, (const void *)from)
                     : _mm512_mask_loadu_epi64(old, (__mmask8)mask, (const void *)from);
}

/* Those of lanes that are in the mask, else those of old. */
LANE sim_lanes_vector sim_lanes_choose(sim_lanes_vector old, u32 mask, sim_lanes_vector lanes,
                                       unsigned size)
{
    return size == 4 ? _mm512_mask_mov_epi32(old, (__mmask16)mask, lanes)
                     : _mm512_mask_mov_epi64(old, (__mmask8)mask, lanes);
}

LANE void sim_lanes_write_in(uintptr_t to, u32 mask, sim_lanes_vector lanes, unsigned size)
{
    if (size == 4)
        _mm512_mask_storeu_epi32((void *)to, (__mmask16)mask, lanes);
    else
        _mm512_mask_storeu_epi64((void *)to, (__mmask8)mask, lanes);
}
#elif defined(__AVX2__)
#define SIM_LANES_VECTOR 32
typedef __m256i sim_lanes_vector;

LANE sim_lanes_vector sim_lanes_read(const void *from)
{
    return _mm256_loadu_si256(from);
}

LANE void sim_lanes_write(void *to, sim_lanes_vector lanes)
{
    _mm256_storeu_si256(to, lanes);
}

/* All bits of the lanes of a mask. */
LANE sim_lanes_vector sim_lanes_in(u32 mask, unsigned size)
{
    const __m256i bits_4 = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i bits_8 = _mm256_setr_epi64x(1, 2, 4, 8);
    return size == 4
               ? _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bits_4), bits_4)
               : _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bits_8), bits_8);
}

LANE sim_lanes_vector sim_lanes_read_in(sim_lanes_vector old, u32 mask, uintptr_t from,
                                        unsigned size)
{
    const __m256i in = sim_lanes_in(mask, size);
    const __m256i lanes = size == 4 ? _mm256_maskload_epi32((const void *)from, in)
                                    : _mm256_maskload_epi64((const void *)from, in);
    return _mm256_or_si256(_mm256_andnot_si256(in, old), lanes);
}

LANE sim_lanes_vector sim_lanes_choose(sim_lanes_vector old, u32 mask, sim_lanes_vector lanes,
                                       unsigned size)
{
    return _mm256_blendv_epi8(old, lanes, sim_lanes_in(mask, size));
}

/* Some hosts need much longer for a store with a mask. */
LANE void sim_lanes_write_in(uintptr_t to, u32 mask, sim_lanes_vector lanes, unsigned size)
{
    const u32 all = size == 4 ? 0xff : 0xf;
    if ((mask & all) == all)
        _mm256_storeu_si256((void *)to, lanes);
    else if ((mask & all) != 0 && size == 4)
        _mm256_maskstore_epi32((void *)to, sim_lanes_in(mask, 4), lanes);
    else if ((mask & all) != 0)
        _mm256_maskstore_epi64((void *)to, sim_lanes_in(mask, 8), lanes);
}
#else
#define SIM_LANES_VECTOR 0
#endif

/* ---- the host's cache ----------------------------------------------------------------------- */

/* Fetches what lies behind a row of words that was loaded, since the next block's often begins
 * there. */
LANE void sim_lanes_fetch_behind(uintptr_t end)
{
    enum { LINE = 64, WORD = 4 };
    __builtin_prefetch((const void *)(end + LINE - WORD));
}

/* ---- look-ups and moves of many lanes ------------------------------------------------------- */

#if defined(__AVX512F__)
enum { SIM_LANES_FAST = 1 };

/* What sim_translate does for each of n lanes, a multiple of 8, of mask; bytes: a power of two of
 * which addresses are multiples, at most SIM_GRANULE. False: one of the lanes is not in memory that
 * the table of granules knows, or may not be there. */
LANE bool sim_lanes_translate(int device, const u64 *at, u64 mask, unsigned n, unsigned bytes,
                              unsigned char **out_where)
{
    const __m512i base = _mm512_set1_epi64((long long)sim_space.base);
    const __m512i owners = _mm512_set1_epi64(
        (long long)atomic_load_explicit(&sim_space.accessible[device], memory_order_relaxed));
    for (unsigned i = 0; i < n; i += 8) {
        __mmask8 in = (__mmask8)(mask >> i);
        __m512i address = _mm512_loadu_si512(at + i), offset = _mm512_sub_epi64(address, base);
        if (_mm512_mask_cmpge_epu64_mask(in, offset, _mm512_set1_epi64((long long)sim_space.size)))
            return false;
        __m512i granule = _mm512_cvtepu32_epi64(_mm512_mask_i64gather_epi32(
            _mm256_setzero_si256(), in, _mm512_srli_epi64(offset, 8), sim_space.granules, 2));
        __m512i owner = _mm512_and_si512(_mm512_srli_epi64(granule, 9), _mm512_set1_epi64(0x7f));
        __m512i end = _mm512_add_epi64(_mm512_and_si512(offset, _mm512_set1_epi64(SIM_GRANULE - 1)),
                                       _mm512_set1_epi64(bytes));
        __mmask8 beyond =
            _mm512_cmpgt_epi64_mask(end, _mm512_and_si512(granule, _mm512_set1_epi64(0x1ff)));
        __mmask8 of_device = _mm512_cmplt_epi64_mask(owner, _mm512_set1_epi64(SIM_DEVICES_MAX));
        __mmask8 barred = _mm512_mask_testn_epi64_mask(of_device, _mm512_srlv_epi64(owners, owner),
                                                       _mm512_set1_epi64(1));
        if (in & (beyond | barred))
            return false;
        __m512i view = _mm512_mask_add_epi64(address, of_device, address,
                                             _mm512_set1_epi64((long long)sim_space.to_view));
        _mm512_storeu_si512(out_where + i, view);
    }
    return true;
}

LANE __m512i sim_lanes_eight(unsigned char *const *where, unsigned shift)
{
    return _mm512_add_epi64(_mm512_loadu_si512(where), _mm512_set1_epi64((long long)shift));
}

/* Words at where[lane] + shift, for the n lanes of mask. */
LANE void sim_lanes_gather_4(void *to, unsigned char *const *where, unsigned shift, u64 mask,
                             unsigned n)
{
    for (unsigned i = 0; i < n; i += 8) {
        __m256i old = _mm256_loadu_si256((const void *)((u8 *)to + 4 * i));
        old = _mm512_mask_i64gather_epi32(old, (__mmask8)(mask >> i),
                                          sim_lanes_eight(where + i, shift), NULL, 1);
        _mm256_storeu_si256((void *)((u8 *)to + 4 * i), old);
    }
}

LANE void sim_lanes_gather_8(void *to, unsigned char *const *where, unsigned shift, u64 mask,
                             unsigned n)
{
    for (unsigned i = 0; i < n; i += 8) {
        __m512i old = _mm512_loadu_si512((u8 *)to + 8 * i);
        old = _mm512_mask_i64gather_epi64(old, (__mmask8)(mask >> i),
                                          sim_lanes_eight(where + i, shift), NULL, 1);
        _mm512_storeu_si512((u8 *)to + 8 * i, old);
    }
}

/* The last one of several lanes with one address remains. */
LANE void sim_lanes_scatter_4(const void *from, unsigned char *const *where, unsigned shift,
                              u64 mask, unsigned n)
{
    for (unsigned i = 0; i < n; i += 8)
        _mm512_mask_i64scatter_epi32(NULL, (__mmask8)(mask >> i), sim_lanes_eight(where + i, shift),
                                     _mm256_loadu_si256((const void *)((const u8 *)from + 4 * i)),
                                     1);
}

LANE void sim_lanes_scatter_8(const void *from, unsigned char *const *where, unsigned shift,
                              u64 mask, unsigned n)
{
    for (unsigned i = 0; i < n; i += 8)
        _mm512_mask_i64scatter_epi64(NULL, (__mmask8)(mask >> i), sim_lanes_eight(where + i, shift),
                                     _mm512_loadu_si512((const u8 *)from + 8 * i), 1);
}

#else
/* Loops over lanes have to do; these are never called. */
enum { SIM_LANES_FAST = 0 };

LANE bool sim_lanes_translate(int device, const u64 *at, u64 mask, unsigned n, unsigned bytes,
                              unsigned char **out_where)
{
    (void)device, (void)at, (void)mask, (void)n, (void)bytes, (void)out_where;
    return false;
}
#define SIM_LANES_NONE(name, constant)                                                             \
    LANE void name(constant void *a, unsigned char *const *where, unsigned shift, u64 mask,        \
                   unsigned n)                                                                     \
    {                                                                                              \
        (void)a, (void)where, (void)shift, (void)mask, (void)n;                                    \
    }
SIM_LANES_NONE(sim_lanes_gather_4, )
SIM_LANES_NONE(sim_lanes_gather_8, )
SIM_LANES_NONE(sim_lanes_scatter_4, const)
SIM_LANES_NONE(sim_lanes_scatter_8, const)
#undef SIM_LANES_NONE
#endif

#endif
