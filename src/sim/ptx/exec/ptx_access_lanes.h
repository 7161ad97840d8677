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
#if defined(__AVX512F__)
    if (size == 4 && width == 4 && step == 4) {
        for (unsigned i = 0; i < n; i += 16)
            _mm512_mask_storeu_epi32(
                slot + 4 * i, (__mmask16)(mask >> i),
                _mm512_maskz_loadu_epi32((__mmask16)(mask >> i), (const void *)(from + 4 * i)));
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
#if defined(__AVX512F__)
    if (size == 4 && width == 4 && step == 4) {
        for (unsigned i = 0; i < n; i += 16)
            _mm512_mask_storeu_epi32((void *)(to + 4 * i), (__mmask16)(mask >> i),
                                     _mm512_loadu_si512(slot + 4 * i));
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
