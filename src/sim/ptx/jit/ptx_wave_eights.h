/* The addresses of a warp's lanes as vectors of eight, which clang compiles for either instruction
 * set, and what each of these does with them in a way of its own (ptx_wave_eights_*.h). Included by
 * ptx_wave_any.h only; everything is static. */
#ifndef PTX_WAVE_EIGHTS_H
#define PTX_WAVE_EIGHTS_H

#include "ptx_access_lanes.h"
#include "ptx_exec.h"
#include "ptx_wave_access.h"

#define UNROLLED      _Pragma("clang loop unroll(full)")
#define EACH_EIGHT(i) UNROLLED for (unsigned i = 0; i < PTX_LANES / 8; i++)

struct any {
    enum ptx_space space;
    unsigned size, count, width; /* width: bytes of an element in a slot */
    bool write, sign, kept, called;
    u32 mask;
    u32 slots[4];
};

LANE unsigned bytes_of(const struct any *any)
{
    return any->size * any->count;
}

struct window {
    u64 start, last; /* addresses of an access's first byte, of which the last one is relative */
    unsigned char *where;
    bool crosswise; /* it is the lanes' local memory */
    u32 mask;       /* lanes that access it */
};

#if SIM_LANES_VECTOR

/* ---- addresses ------------------------------------------------------------------------------ */

typedef u64 eight __attribute__((vector_size(64)));
typedef u32 narrow_eight __attribute__((vector_size(32)));

struct eights { /* of all lanes */
    eight of[PTX_LANES / 8];
};

#if SIM_LANES_VECTOR == 32
/* Four lanes, as instructions take them. */
LANE __m256i four_of(const struct eights *at, unsigned i)
{
    union {
        eight of_eight;
        __m256i of_four[2];
    } lanes = {at->of[i / 2]};
    return lanes.of_four[i % 2];
}
#endif

/* A bit for each lane from its sign. */
LANE u32 signs_of(const struct eights *lanes)
{
    u32 signs = 0;
#if SIM_LANES_VECTOR == 64
    EACH_EIGHT(i)
    {
        signs |= (u32)_mm512_movepi64_mask((__m512i)lanes->of[i]) << (8 * i);
    }
#else
    UNROLLED for (unsigned i = 0; i < PTX_LANES / 4; i++)
    {
        signs |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(four_of(lanes, i))) << (4 * i);
    }
#endif
    return signs;
}

LANE u64 first_of(const struct eights *at)
{
    return at->of[0][0];
}

/* Makes addresses of lanes offsets in the window. False: a lane is outside, or misaligned. */
LANE bool place(struct eights *at, const struct window *window, unsigned bytes)
{
    struct eights bad;
    EACH_EIGHT(i)
    {
        eight address = at->of[i];
        at->of[i] = address - window->start;
        bad.of[i] = (eight)(at->of[i] > (eight){0} + window->last);
        if (bytes > 1)
            bad.of[i] |= (eight)((address & (bytes - 1)) != 0);
    }
    return (signs_of(&bad) & window->mask) == 0;
}

LANE eight eight_lanes(unsigned i, unsigned step)
{
    return ((eight){0, 1, 2, 3, 4, 5, 6, 7} + 8 * i) * step;
}

/* Whether the lanes' elements follow each other from lane 0's on, which is at *out_first. Others
 * than those of the mask are not looked at, but lane 0 has to be one of them. */
LANE bool is_row(const struct eights *at, const struct window *window, unsigned size,
                 u64 *out_first)
{
    const u64 first = first_of(at);
    struct eights off;
    EACH_EIGHT(i)
    {
        off.of[i] = (eight)(at->of[i] != eight_lanes(i, size) + first);
    }
    *out_first = first;
    return !window->crosswise && window->mask & 1 && (signs_of(&off) & window->mask) == 0;
}

/* The same, and where lane 0's is or would be, which need not execute. */
LANE bool is_small_row(const struct eights *at, const struct window *window, unsigned size,
                       u64 *out_first)
{
    u64 key[PTX_LANES] __attribute__((aligned(64)));
    struct eights keys, off;
    EACH_EIGHT(i)
    {
        keys.of[i] = at->of[i] - eight_lanes(i, size);
    }
    __builtin_memcpy(key, keys.of, sizeof key);
    *out_first = key[__builtin_ctz(window->mask | 1u << (PTX_LANES - 1))];
    EACH_EIGHT(i)
    {
        off.of[i] = (eight)(keys.of[i] != (eight){0} + *out_first);
    }
    return !window->crosswise && (signs_of(&off) & window->mask) == 0;
}

/* Local memory lies crosswise: ptx_local_place. */
LANE void cross(struct eights *at)
{
    const u64 low = PTX_LOCAL_UNIT - 1;
    EACH_EIGHT(i)
    {
        at->of[i] = ((at->of[i] & ~low) << 5) + (at->of[i] & low) + eight_lanes(i, PTX_LOCAL_UNIT);
    }
}
_Static_assert(PTX_LANES == 32, "a unit of all lanes is 2^5 units");

/* A bit for each lane behind the first one whose element does not follow that of the lane before
 * it. out_keys: where lane 0's element would be, by the lane's address. */
LANE u32 find_breaks(const struct eights *at, unsigned size, struct eights *out_keys)
{
    struct eights off;
    EACH_EIGHT(i)
    {
        out_keys->of[i] = at->of[i] - eight_lanes(i, size);
    }
    EACH_EIGHT(i)
    {
        eight before = __builtin_shufflevector(out_keys->of[i ? i - 1 : 0], out_keys->of[i], 7, 8,
                                               9, 10, 11, 12, 13, 14);
        off.of[i] = (eight)(out_keys->of[i] != before);
    }
    return signs_of(&off) & ~1u;
}

LANE struct eights addresses_of(const struct ptx_warp *warp, u64 base, u64 address_size, u64 offset)
{
    const unsigned char *slot = warp->regs + base;
    struct eights at;
    EACH_EIGHT(i)
    {
        narrow_eight narrow;
        at.of[i] = (eight){0} + offset;
        if (address_size == 8) {
            __builtin_memcpy(&at.of[i], slot + 64 * i, sizeof at.of[i]);
            at.of[i] += offset;
        } else if (address_size == 4) {
            __builtin_memcpy(&narrow, slot + 32 * i, sizeof narrow);
            at.of[i] = __builtin_convertvector(narrow + (u32)offset, eight);
        }
    }
    return at;
}

/* One after the other, in the order of lanes: the last one of several with one address remains.
 * step: from lane to lane in values. All lanes have a loop of their own: without their mask, stores
 * of structures take an eighth less time. */
LANE void store_each(u32 mask, unsigned size, const unsigned char *values, unsigned step,
                     const struct eights *at, unsigned char *where)
{
    u64 offset[PTX_LANES] __attribute__((aligned(64)));
    __builtin_memcpy(offset, at->of, sizeof offset);
    if (mask == UINT32_MAX) {
        _Pragma("clang loop unroll_count(4)") for (unsigned lane = 0; lane < PTX_LANES; lane++)
            move_element(where + offset[lane], values + step * lane, size);
        return;
    }
    _Pragma("clang loop unroll(disable)") for (; mask; mask &= mask - 1)
    {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        move_element(where + offset[lane], values + step * lane, size);
    }
}

/* ---- elements on their way ------------------------------------------------------------------
 *
 * Bytes and halves are words, and vectors of them that have eight bytes are long ones. */

typedef u64 long_words __attribute__((vector_size(256)));
typedef s64 signed_long_words __attribute__((vector_size(256)));
typedef u32 words __attribute__((vector_size(128)));
typedef s32 signed_words __attribute__((vector_size(128)));
typedef u16 halves __attribute__((vector_size(64)));
typedef u8 bytes __attribute__((vector_size(32)));

#if SIM_LANES_VECTOR == 64
#include "ptx_wave_eights_avx512.h"
#else
#include "ptx_wave_eights_avx2.h"
#endif

LANE long_words extended(words word, bool sign)
{
    if (sign)
        return (long_words) __builtin_convertvector((signed_words)word, signed_long_words);
    return __builtin_convertvector(word, long_words);
}

/* Whether the lanes of the mask have zeros. */
LANE bool are_zero(const struct eights *lanes, u32 mask)
{
    const long_words wide = extended(words_in(mask), true);
    struct eights in;
    eight all = {0};
    __builtin_memcpy(&in, &wide, sizeof in);
    EACH_EIGHT(i)
    {
        all |= mask == UINT32_MAX ? lanes->of[i] : lanes->of[i] & in.of[i];
    }
    return __builtin_reduce_or(all) == 0;
}

/* Puts words of the lanes of a mask; others keep what they have. */
LANE void put_words(u32 mask, words value, unsigned char *slot)
{
    const words in = words_in(mask);
    words old;
    __builtin_memcpy(&old, slot, sizeof old);
    value = (value & in) | (old & ~in);
    __builtin_memcpy(slot, &value, sizeof value);
}

/* Extends what is in the low bits of words to a slot, for the lanes of the mask; others keep what
 * they have, if that is needed. */
LANE void put_small(const struct any *any, unsigned char *slot, words word)
{
    const u32 up = 32 - 8 * any->size;
    const u32 mask = any->kept ? any->mask : UINT32_MAX;
    if (any->sign)
        word = (words)((signed_words)(word << up) >> (s32)up);
    else
        word = word << up >> up;
    if (any->width == 2) {
        const words in = words_in(mask);
        halves half;
        __builtin_memcpy(&half, slot, sizeof half);
        const words old = __builtin_convertvector(half, words);
        half = __builtin_convertvector((word & in) | (old & ~in), halves);
        __builtin_memcpy(slot, &half, sizeof half);
    } else {
        put_words(mask, word, slot);
    }
}

/* Zeros above the element, whatever the slot has there. */
LANE words get_small(const struct any *any, const unsigned char *slot)
{
    const u32 up = 32 - 8 * any->size;
    words word;
    halves half;
    if (any->width == 2) {
        __builtin_memcpy(&half, slot, sizeof half);
        word = __builtin_convertvector(half, words);
    } else {
        __builtin_memcpy(&word, slot, sizeof word);
    }
    return word << up >> up;
}

LANE void put_wide(const struct any *any, unsigned char *slot, const unsigned char *values)
{
    const long_words in = extended(words_in(any->kept ? any->mask : UINT32_MAX), true);
    words word;
    long_words old;
    __builtin_memcpy(&word, values, sizeof word);
    __builtin_memcpy(&old, slot, sizeof old);
    old = (extended(word, any->sign) & in) | (old & ~in);
    __builtin_memcpy(slot, &old, sizeof old);
}

LANE void get_wide(const unsigned char *slot, unsigned char *values)
{
    long_words wide;
    __builtin_memcpy(&wide, slot, sizeof wide);
    words word = __builtin_convertvector(wide, words);
    __builtin_memcpy(values, &word, sizeof word);
}

#endif

#endif
