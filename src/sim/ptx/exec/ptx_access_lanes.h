/* Elements between memory and slots, for lanes that access one address, addresses in a row, or any:
 * the building blocks of ptx_access.c. Included by ptx_access.c only, compiled once per instruction
 * set; everything is static.
 *
 * Lanes are those of a piece, 16 or 32 of them, and a mask has a bit for each. Kernels may have
 * races, so that nothing here is instrumented for the thread sanitizer, and no element is read or
 * written in two parts. */
#ifndef PTX_ACCESS_LANES_H
#define PTX_ACCESS_LANES_H

#include "sim_lanes.h"

#include <stdbool.h>
#include <string.h>

#define RACY LANE __attribute__((no_sanitize("thread")))

typedef u16 slot_2 __attribute__((may_alias));
typedef sim_lane_4 slot_4;
typedef sim_lane_8 slot_8;
/* In memory. */
typedef u8 element_1 __attribute__((may_alias));
typedef u16 element_2 __attribute__((may_alias));

LANE bool is_all(u32 mask, unsigned n)
{
    return mask == UINT32_MAX >> (32 - n);
}

/* ---- elements of one lane -------------------------------------------------------------- */

/* Sizes are powers of two up to 16. Each is a case of its own, so that no element is moved by a
 * call where the size is known only when the kernel runs. */
RACY void move_element(unsigned char *to, const unsigned char *from, unsigned size)
{
    switch (size) {
    case 1:
        __builtin_memcpy(to, from, 1);
        break;
    case 2:
        __builtin_memcpy(to, from, 2);
        break;
    case 4:
        __builtin_memcpy(to, from, 4);
        break;
    case 8:
        __builtin_memcpy(to, from, 8);
        break;
    default:
        __builtin_memcpy(to, from, 16);
    }
}

/* Reads size bytes into an element of a slot, which may be wider. */
RACY void fetch_lane(unsigned char *slot, unsigned lane, unsigned width, const unsigned char *from,
                     unsigned size, bool sign)
{
    u64 value[2] = {0};
    if (size == width) {
        move_element(slot + lane * width, from, size);
        return;
    }
    move_element((unsigned char *)value, from, size);
    if (sign && size < 8)
        value[0] = (u64)((int64_t)(value[0] << (64 - 8 * size)) >> (64 - 8 * size));
    if (sign && value[0] >> 63)
        value[1] = UINT64_MAX;
    move_element(slot + lane * width, (const unsigned char *)value, width);
}

/* ---- one address for all lanes ----------------------------------------------------------- */

#define SPREAD(bytes)                                                                              \
    RACY void spread_##bytes(slot_##bytes *slot, unsigned n, u32 mask, u##bytes##_value value)     \
    {                                                                                              \
        if (is_all(mask, n))                                                                       \
            for (unsigned lane = 0; lane < n; lane++)                                              \
                slot[lane] = value;                                                                \
        else                                                                                       \
            for (; mask; mask &= mask - 1)                                                         \
                slot[__builtin_ctz(mask)] = value;                                                 \
    }
typedef u16 u2_value;
typedef u32 u4_value;
typedef u64 u8_value;
SPREAD(2)
SPREAD(4)
SPREAD(8)
#undef SPREAD

/* Reads one element into all lanes. */
RACY void fetch_same(unsigned char *slot, unsigned width, const unsigned char *from, unsigned n,
                     u32 mask, unsigned size, bool sign)
{
    u64 value[2];
    fetch_lane((unsigned char *)value, 0, width, from, size, sign);
    if (width == 2)
        spread_2((slot_2 *)(void *)slot, n, mask, *(slot_2 *)(void *)value);
    else if (width == 4)
        spread_4((slot_4 *)(void *)slot, n, mask, *(slot_4 *)(void *)value);
    else if (width == 8)
        spread_8((slot_8 *)(void *)slot, n, mask, value[0]);
    else
        for (; mask; mask &= mask - 1)
            move_element(slot + (unsigned)__builtin_ctz(mask) * width, (unsigned char *)value,
                         width);
}

/* ---- addresses in a row -------------------------------------------------------------------- */

/* Widens elements of memory that lie in a row. */
#define WIDEN(from_bytes, to_bytes, is_signed)                                                     \
    for (unsigned lane = 0; lane < n; lane++)                                                      \
        ((slot_##to_bytes *)(void *)slot)[lane] = (u##to_bytes##_value)(                           \
            is_signed)((const element_##from_bytes *)(const void *)from)[lane];
RACY bool widen_row(unsigned char *slot, unsigned width, const unsigned char *from, unsigned n,
                    unsigned size, bool sign)
{
    switch (size << 16 | width << 8 | sign) {
    case 0x010200:
        WIDEN(1, 2, u8)
        return true;
    case 0x010201:
        WIDEN(1, 2, s8)
        return true;
    case 0x010400:
        WIDEN(1, 4, u8)
        return true;
    case 0x010401:
        WIDEN(1, 4, s8)
        return true;
    case 0x020400:
        WIDEN(2, 4, u16)
        return true;
    case 0x020401:
        WIDEN(2, 4, s16)
        return true;
    default:
        return false;
    }
}
#undef WIDEN

/* Bytes and halves that lie in a row, of the lanes of a mask; false: there is no such instruction.
 */
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
RACY bool fetch_narrow(unsigned char *slot, unsigned width, uintptr_t from, u32 mask, unsigned size,
                       bool sign)
{
    if ((size != 1 && size != 2) || (width != 2 && width != 4))
        return false;
    __m512i halves;
    if (size == 2) {
        halves = _mm512_maskz_loadu_epi16(mask, (const void *)from);
    } else {
        __m256i bytes = _mm256_maskz_loadu_epi8(mask, (const void *)from);
        halves = sign ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
    }
    if (width == 2) {
        _mm512_mask_storeu_epi16(slot, mask, halves);
        return true;
    }
    __m256i low = _mm512_castsi512_si256(halves), high = _mm512_extracti64x4_epi64(halves, 1);
    _mm512_mask_storeu_epi32(slot, (__mmask16)mask,
                             sign ? _mm512_cvtepi16_epi32(low) : _mm512_cvtepu16_epi32(low));
    _mm512_mask_storeu_epi32(slot + 64, (__mmask16)(mask >> 16),
                             sign ? _mm512_cvtepi16_epi32(high) : _mm512_cvtepu16_epi32(high));
    return true;
}

RACY bool put_narrow(const unsigned char *slot, unsigned width, uintptr_t to, u32 mask,
                     unsigned size)
{
    if ((size != 1 && size != 2) || (width != 2 && width != 4))
        return false;
    __m512i halves;
    if (width == 2) {
        halves = _mm512_maskz_loadu_epi16(mask, slot);
    } else {
        __m512i low = _mm512_maskz_loadu_epi32((__mmask16)mask, slot);
        __m512i high = _mm512_maskz_loadu_epi32((__mmask16)(mask >> 16), slot + 64);
        halves = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)),
                                    _mm512_cvtepi32_epi16(high), 1);
    }
    if (size == 2)
        _mm512_mask_storeu_epi16((void *)to, mask, halves);
    else
        _mm512_mask_cvtepi16_storeu_epi8((void *)to, mask, halves);
    return true;
}
#else
RACY bool fetch_narrow(unsigned char *slot, unsigned width, uintptr_t from, u32 mask, unsigned size,
                       bool sign)
{
    (void)slot, (void)width, (void)from, (void)mask, (void)size, (void)sign;
    return false;
}

RACY bool put_narrow(const unsigned char *slot, unsigned width, uintptr_t to, u32 mask,
                     unsigned size)
{
    (void)slot, (void)width, (void)to, (void)mask, (void)size;
    return false;
}
#endif

/* Words in a row, of lanes of a mask, on hosts that have loads and stores of those. */
#if SIM_LANES_VECTOR
#if defined(__clang__)
#define PARTS(i, n, step)                                                                          \
    _Pragma("clang loop unroll(full)") for (unsigned i = 0; i < (n); i += (step))
#else
#define PARTS(i, n, step) _Pragma("GCC unroll 8") for (unsigned i = 0; i < (n); i += (step))
#endif

/* kept: lanes that are not in the mask keep what they have in the slot. */
RACY void fetch_some(unsigned char *slot, uintptr_t from, unsigned n, u32 mask, unsigned size,
                     bool kept)
{
    PARTS(at, n * size, SIM_LANES_VECTOR)
    {
        sim_lanes_vector old = {0};
        if (kept)
            old = sim_lanes_read(slot + at);
        sim_lanes_write(slot + at, sim_lanes_read_in(old, mask >> (at / size), from + at, size));
    }
}

RACY void put_some(const unsigned char *slot, uintptr_t to, unsigned n, u32 mask, unsigned size)
{
    PARTS(at, n * size, SIM_LANES_VECTOR)
    {
        sim_lanes_write_in(to + at, mask >> (at / size), sim_lanes_read(slot + at), size);
    }
}
#endif

/* from: of the first lane of the piece, which need not be in the mask; step: between lanes. */
RACY void fetch_row(unsigned char *slot, unsigned width, uintptr_t from, unsigned step, unsigned n,
                    u32 mask, unsigned size, bool sign)
{
    if (is_all(mask, n)) {
        const unsigned char *at = (const unsigned char *)from;
        if (size == width && step == size)
            __builtin_memcpy(slot, at, n * size);
        else if (step != size || !widen_row(slot, width, at, n, size, sign))
            for (unsigned lane = 0; lane < n; lane++)
                fetch_lane(slot, lane, width, at + lane * step, size, sign);
        return;
    }
#if SIM_LANES_VECTOR
    if (size == 4 && width == 4 && step == 4) {
        fetch_some(slot, from, n, mask, size, true);
        return;
    }
#endif
    if (step == size && fetch_narrow(slot, width, from, mask, size, sign))
        return;
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        fetch_lane(slot, lane, width, (const unsigned char *)(from + lane * step), size, sign);
    }
}

RACY void put_row(const unsigned char *slot, unsigned width, uintptr_t to, unsigned step,
                  unsigned n, u32 mask, unsigned size)
{
    if (is_all(mask, n)) {
        if (size == width && step == size)
            __builtin_memcpy((unsigned char *)to, slot, n * size);
        else if (step != size || !put_narrow(slot, width, to, mask, size))
            for (unsigned lane = 0; lane < n; lane++)
                move_element((unsigned char *)to + lane * step, slot + lane * width, size);
        return;
    }
#if SIM_LANES_VECTOR
    if (size == 4 && width == 4 && step == 4) {
        put_some(slot, to, n, mask, size);
        return;
    }
#endif
    if (step == size && put_narrow(slot, width, to, mask, size))
        return;
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        move_element((unsigned char *)(to + lane * step), slot + lane * width, size);
    }
}

/* ---- vectors of several elements in a row ---------------------------------------------------
 *
 * Loaded and stored as they lie in memory, and permuted between that and the slots of elements. */

#if SIM_LANES_VECTOR
LANE bool has_vectors(unsigned size, unsigned count)
{
    return (size == 4 || size == 8) && count > 1 && size * count <= 16 &&
           (count & (count - 1)) == 0;
}

#if defined(__AVX512F__)
/* Makes of a and b their elements at even places, then those at odd ones. */
LANE void split_pairs(unsigned size, __m512i *a, __m512i *b)
{
    const __m512i x = *a, y = *b;
    if (size == 4) {
        const __m512i even =
            _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        const __m512i odd =
            _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        *a = _mm512_permutex2var_epi32(x, even, y);
        *b = _mm512_permutex2var_epi32(x, odd, y);
    } else {
        *a = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), y);
        *b = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), y);
    }
}

/* The other way round. */
LANE void join_pairs(unsigned size, __m512i *a, __m512i *b)
{
    const __m512i x = *a, y = *b;
    if (size == 4) {
        const __m512i low =
            _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const __m512i high =
            _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        *a = _mm512_permutex2var_epi32(x, low, y);
        *b = _mm512_permutex2var_epi32(x, high, y);
    } else {
        *a = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), y);
        *b = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), y);
    }
}
#else /* AVX2 */
LANE void split_pairs(unsigned size, __m256i *a, __m256i *b)
{
    const __m256 x = _mm256_castsi256_ps(*a), y = _mm256_castsi256_ps(*b);
    __m256i even = _mm256_unpacklo_epi64(*a, *b), odd = _mm256_unpackhi_epi64(*a, *b);
    if (size == 4) {
        even = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88));
        odd = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd));
    }
    *a = _mm256_permute4x64_epi64(even, 0xd8);
    *b = _mm256_permute4x64_epi64(odd, 0xd8);
}

LANE void join_pairs(unsigned size, __m256i *a, __m256i *b)
{
    const __m256i x = *a, y = *b;
    __m256i low = size == 4 ? _mm256_unpacklo_epi32(x, y) : _mm256_unpacklo_epi64(x, y);
    __m256i high = size == 4 ? _mm256_unpackhi_epi32(x, y) : _mm256_unpackhi_epi64(x, y);
    *a = _mm256_permute2x128_si256(low, high, 0x20);
    *b = _mm256_permute2x128_si256(low, high, 0x31);
}
#endif

/* Of the part of a row that is number i: a bit for each element, from one for each lane. */
LANE u32 elements_in(u32 mask, unsigned size, unsigned count, unsigned i)
{
    const unsigned lanes = SIM_LANES_VECTOR / (size * count);
    const u32 first = (count == 4 ? 0x1111 : 0x5555) & UINT16_MAX >> (16 - SIM_LANES_VECTOR / size);
    return _pdep_u32(mask >> (i * lanes), first) * ((1u << count) - 1);
}

/* Vectors of n lanes from first on, of which those of the mask, from lane first on, execute. from:
 * that of lane first. kept: other lanes keep what they have. */
RACY void fetch_vectors(unsigned char *regs, const u32 *slots, unsigned first, unsigned n,
                        uintptr_t from, u32 mask, unsigned size, unsigned count, bool kept)
{
    const unsigned lanes = SIM_LANES_VECTOR / size;
    PARTS(at, n, lanes)
    {
        sim_lanes_vector of[4];
        const uintptr_t part = from + (size_t)at * size * count;
        PARTS(i, count, 1)
        {
            const u32 in = elements_in(mask >> at, size, count, i);
            const uintptr_t memory = part + SIM_LANES_VECTOR * i;
            of[i] = sim_lanes_read_in((sim_lanes_vector){0}, in, memory, size);
        }
        split_pairs(size, &of[0], &of[1]);
        if (count == 4) {
            split_pairs(size, &of[2], &of[3]);
            split_pairs(size, &of[0], &of[2]);
            split_pairs(size, &of[1], &of[3]);
        }
        PARTS(i, count, 1)
        {
            unsigned char *slot = regs + slots[i] + (first + at) * size;
            if (kept)
                of[i] = sim_lanes_choose(sim_lanes_read(slot), mask >> at, of[i], size);
            sim_lanes_write(slot, of[i]);
        }
    }
}

RACY void put_vectors(const unsigned char *regs, const u32 *slots, unsigned first, unsigned n,
                      uintptr_t to, u32 mask, unsigned size, unsigned count)
{
    const unsigned lanes = SIM_LANES_VECTOR / size;
    PARTS(at, n, lanes)
    {
        sim_lanes_vector of[4];
        const uintptr_t part = to + (size_t)at * size * count;
        PARTS(i, count, 1)
        {
            of[i] = sim_lanes_read(regs + slots[i] + (first + at) * size);
        }
        if (count == 4) {
            join_pairs(size, &of[0], &of[2]);
            join_pairs(size, &of[1], &of[3]);
            join_pairs(size, &of[2], &of[3]);
        }
        join_pairs(size, &of[0], &of[1]);
        PARTS(i, count, 1)
        {
            const u32 in = elements_in(mask >> at, size, count, i);
            sim_lanes_write_in(part + SIM_LANES_VECTOR * i, in, of[i], size);
        }
    }
}
#else
LANE bool has_vectors(unsigned size, unsigned count)
{
    (void)size, (void)count;
    return false;
}

RACY void fetch_vectors(unsigned char *regs, const u32 *slots, unsigned first, unsigned n,
                        uintptr_t from, u32 mask, unsigned size, unsigned count, bool kept)
{
    (void)regs, (void)slots, (void)first, (void)n, (void)from, (void)mask, (void)size;
    (void)count, (void)kept;
}

RACY void put_vectors(const unsigned char *regs, const u32 *slots, unsigned first, unsigned n,
                      uintptr_t to, u32 mask, unsigned size, unsigned count)
{
    (void)regs, (void)slots, (void)first, (void)n, (void)to, (void)mask, (void)size, (void)count;
}
#endif

/* ---- any addresses --------------------------------------------------------------------------- */

RACY void fetch_lanes(unsigned char *slot, unsigned width, unsigned char *const *where,
                      unsigned shift, u32 mask, unsigned size, bool sign)
{
    if (SIM_LANES_FAST && size == 4 && width == 4) {
        sim_lanes_gather_4(slot, where, shift, mask, 32);
        return;
    }
    if (SIM_LANES_FAST && size == 8 && width == 8) {
        sim_lanes_gather_8(slot, where, shift, mask, 32);
        return;
    }
    if (mask == UINT32_MAX)
        for (unsigned lane = 0; lane < 32; lane++)
            fetch_lane(slot, lane, width, where[lane] + shift, size, sign);
    else
        for (; mask; mask &= mask - 1) {
            unsigned lane = (unsigned)__builtin_ctz(mask);
            fetch_lane(slot, lane, width, where[lane] + shift, size, sign);
        }
}

/* Where lanes have one address, the last one's element remains. */
RACY void put_lanes(const unsigned char *slot, unsigned width, unsigned char *const *where,
                    unsigned shift, u32 mask, unsigned size)
{
    if (SIM_LANES_FAST && size == 4 && width == 4) {
        sim_lanes_scatter_4(slot, where, shift, mask, 32);
        return;
    }
    if (SIM_LANES_FAST && size == 8 && width == 8) {
        sim_lanes_scatter_8(slot, where, shift, mask, 32);
        return;
    }
    if (mask == UINT32_MAX)
        for (unsigned lane = 0; lane < 32; lane++)
            move_element(where[lane] + shift, slot + lane * width, size);
    else
        for (; mask; mask &= mask - 1) {
            unsigned lane = (unsigned)__builtin_ctz(mask);
            move_element(where[lane] + shift, slot + lane * width, size);
        }
}

#endif
