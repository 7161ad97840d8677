/* With AVX2: see ptx_wave_eights.h, and ptx_wave_eights_avx512.h for what each function does. */
#ifndef PTX_WAVE_EIGHTS_AVX2_H
#define PTX_WAVE_EIGHTS_AVX2_H

typedef u64 eight __attribute__((vector_size(64)));
typedef u32 small_eight __attribute__((vector_size(32)));

struct eights {
    eight of[PTX_LANES / 8];
};

#define EIGHTS                  const struct eights *all, u64 offset
#define EIGHTS_OF()             offset_by(*all, offset)
#define EIGHTS_PASS(at, offset) &at, offset

LANE struct eights offset_by(struct eights at, u64 offset)
{
    EACH_EIGHT(i)
    {
        at.of[i] += offset;
    }
    return at;
}

LANE u64 first_of(const struct eights *at)
{
    return at->of[0][0];
}

/* Four lanes, as instructions take them. */
LANE __m256i four_of(const struct eights *at, unsigned i)
{
    union {
        eight of_eight;
        __m256i of_four[2];
    } lanes = {at->of[i / 2]};
    return lanes.of_four[i % 2];
}

/* A bit for each lane from its sign. */
LANE u32 signs_of(const struct eights *lanes)
{
    u32 signs = 0;
    UNROLLED for (unsigned i = 0; i < PTX_LANES / 4; i++)
    {
        signs |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(four_of(lanes, i))) << (4 * i);
    }
    return signs;
}

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

LANE void cross(struct eights *at)
{
    const u64 low = PTX_LOCAL_UNIT - 1;
    EACH_EIGHT(i)
    {
        at->of[i] = ((at->of[i] & ~low) << 5) + (at->of[i] & low) + eight_lanes(i, PTX_LOCAL_UNIT);
    }
}
_Static_assert(PTX_LANES == 32, "a unit of all lanes is 2^5 units");

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

LANE struct eights addresses_of(const struct ptx_warp *warp, u64 base, u64 address_size, u64 offset,
                                u64 *out_offset)
{
    const unsigned char *slot = warp->regs + base;
    struct eights at;
    *out_offset = address_size == 4 ? 0 : offset;
    EACH_EIGHT(i)
    {
        small_eight narrow;
        at.of[i] = (eight){0};
        if (address_size == 8) {
            __builtin_memcpy(&at.of[i], slot + 64 * i, sizeof at.of[i]);
        } else if (address_size == 4) {
            __builtin_memcpy(&narrow, slot + 32 * i, sizeof narrow);
            at.of[i] = __builtin_convertvector(narrow + (u32)offset, eight);
        }
    }
    return at;
}

/* ---- words of four and eight bytes ---------------------------------------------------------- */

/* Of four lanes, whose bits are the lowest of mask. */
LANE __m128i four_words_in(u32 mask)
{
    const __m128i bits = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits);
}

LANE void load_row(u32 mask, unsigned size, unsigned char *slot, const unsigned char *from)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size / 32; i++)
    {
        const uintptr_t part = (uintptr_t)from + 32 * i;
        __m256i lanes = sim_lanes_read(slot + 32 * i);
        lanes = size == 4 ? sim_lanes_read_in_4(lanes, mask >> (8 * i), part)
                          : sim_lanes_read_in_8(lanes, mask >> (4 * i), part);
        sim_lanes_write(slot + 32 * i, lanes);
    }
}

LANE void store_row(u32 mask, unsigned size, const unsigned char *slot, unsigned char *to)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size / 32; i++)
    {
        const uintptr_t part = (uintptr_t)to + 32 * i;
        if (size == 4)
            sim_lanes_write_in_4(part, mask >> (8 * i), sim_lanes_read(slot + 32 * i));
        else
            sim_lanes_write_in_8(part, mask >> (4 * i), sim_lanes_read(slot + 32 * i));
    }
}

LANE void gather(u32 mask, unsigned size, unsigned char *slot, const struct eights *at,
                 const unsigned char *where)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES / 4; i++)
    {
        const __m256i index = four_of(at, i);
        const u32 in = mask >> (4 * i);
        void *to = slot + 4 * size * i;
        if (size == 4)
            _mm_storeu_si128(to, _mm256_mask_i64gather_epi32(_mm_loadu_si128(to),
                                                             (const int *)(uintptr_t)where, index,
                                                             four_words_in(in), 1));
        else
            _mm256_storeu_si256(to, _mm256_mask_i64gather_epi64(_mm256_loadu_si256(to),
                                                                (const long long *)(uintptr_t)where,
                                                                index, sim_lanes_mask_8(in), 1));
    }
}

LANE void scatter(u32 mask, unsigned size, const unsigned char *slot, const struct eights *at,
                  unsigned char *where)
{
    u64 offset[PTX_LANES] __attribute__((aligned(64)));
    __builtin_memcpy(offset, at->of, sizeof offset);
    if (mask == UINT32_MAX) {
        _Pragma("clang loop unroll_count(4)") for (unsigned lane = 0; lane < PTX_LANES; lane++)
            move_element(where + offset[lane], slot + size * lane, size);
        return;
    }
    _Pragma("clang loop unroll(disable)") for (; mask; mask &= mask - 1)
    {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        move_element(where + offset[lane], slot + size * lane, size);
    }
}

LANE void copy_slot(unsigned char *to, const unsigned char *from, unsigned size)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size / 32; i++)
    {
        sim_lanes_write(to + 32 * i, sim_lanes_read(from + 32 * i));
    }
}

/* ---- bytes and halves -------------------------------------------------------------------------
 */

typedef u32 words __attribute__((vector_size(128)));
typedef s32 signed_words __attribute__((vector_size(128)));
typedef u16 halves __attribute__((vector_size(64)));
typedef u8 bytes __attribute__((vector_size(32)));

/* All bits of the lanes of a mask. */
LANE words words_in(u32 mask)
{
    words in;
    UNROLLED for (unsigned i = 0; i < 4; i++)
    {
        __m256i eight_words = sim_lanes_mask_4(mask >> (8 * i));
        __builtin_memcpy((u8 *)&in + 32 * i, &eight_words, sizeof eight_words);
    }
    return in;
}

/* Of lanes that begin at offsets from `from`. */
LANE words small_elements(u32 mask, unsigned size, const u64 *offset, const unsigned char *from)
{
    u32 value[PTX_LANES] __attribute__((aligned(64))) = {0};
    words all;
    _Pragma("clang loop unroll(disable)") for (; mask; mask &= mask - 1)
    {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        u16 half;
        if (size == 1) {
            value[lane] = from[offset[lane]];
        } else {
            __builtin_memcpy(&half, from + offset[lane], sizeof half);
            value[lane] = half;
        }
    }
    __builtin_memcpy(&all, value, sizeof all);
    return all;
}

LANE words gather_small(u32 mask, unsigned size, const struct eights *at,
                        const unsigned char *where)
{
    u64 offset[PTX_LANES] __attribute__((aligned(64)));
    __builtin_memcpy(offset, at->of, sizeof offset);
    return small_elements(mask, size, offset, where);
}

LANE words row_of_small(u32 mask, unsigned size, const unsigned char *from)
{
    struct eights at;
    bytes all_bytes;
    halves all_halves;
    EACH_EIGHT(i)
    {
        at.of[i] = eight_lanes(i, size);
    }
    if (mask != UINT32_MAX)
        return gather_small(mask, size, &at, from);
    if (size == 1) {
        __builtin_memcpy(&all_bytes, from, sizeof all_bytes);
        return __builtin_convertvector(all_bytes, words);
    }
    __builtin_memcpy(&all_halves, from, sizeof all_halves);
    return __builtin_convertvector(all_halves, words);
}

LANE void store_small_row(u32 mask, unsigned size, words value, unsigned char *to)
{
    u32 word[PTX_LANES] __attribute__((aligned(64)));
    if (mask == UINT32_MAX && size == 1) {
        bytes all = __builtin_convertvector(value, bytes);
        __builtin_memcpy(to, &all, sizeof all);
        return;
    }
    if (mask == UINT32_MAX) {
        halves all = __builtin_convertvector(value, halves);
        __builtin_memcpy(to, &all, sizeof all);
        return;
    }
    __builtin_memcpy(word, &value, sizeof word);
    _Pragma("clang loop unroll(disable)") for (; mask; mask &= mask - 1)
    {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        move_element(to + size * lane, (const unsigned char *)&word[lane], size);
    }
}

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

LANE void put_small(const struct any *any, unsigned char *slot, const unsigned char *values)
{
    const u32 up = 32 - 8 * any->size;
    const words in = words_in(any->kept ? any->mask : UINT32_MAX);
    words word, old;
    halves half;
    __builtin_memcpy(&word, values, sizeof word);
    if (any->sign)
        word = (words)((signed_words)(word << up) >> (s32)up);
    if (any->width == 2) {
        __builtin_memcpy(&half, slot, sizeof half);
        old = __builtin_convertvector(half, words);
        half = __builtin_convertvector((word & in) | (old & ~in), halves);
        __builtin_memcpy(slot, &half, sizeof half);
    } else {
        __builtin_memcpy(&old, slot, sizeof old);
        word = (word & in) | (old & ~in);
        __builtin_memcpy(slot, &word, sizeof word);
    }
}

LANE void get_small(const struct any *any, const unsigned char *slot, unsigned char *values)
{
    words word;
    halves half;
    if (any->width == 2) {
        __builtin_memcpy(&half, slot, sizeof half);
        word = __builtin_convertvector(half, words);
    } else {
        __builtin_memcpy(&word, slot, sizeof word);
    }
    __builtin_memcpy(values, &word, sizeof word);
}

#endif
