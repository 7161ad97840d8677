/* With AVX2: see ptx_wave_eights.h, and ptx_wave_eights_avx512.h for what each function does. AVX2
 * has no scatter, and no loads and stores of some bytes or halves. */
#ifndef PTX_WAVE_EIGHTS_AVX2_H
#define PTX_WAVE_EIGHTS_AVX2_H

/* Of four lanes, whose bits are the lowest of mask. */
LANE __m128i four_words_in(u32 mask)
{
    const __m128i bits = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits);
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
                                                                index, sim_lanes_in(in, 8), 1));
    }
}

LANE void scatter(u32 mask, unsigned size, const unsigned char *slot, const struct eights *at,
                  unsigned char *where)
{
    store_each(mask, size, slot, size, at, where);
}

LANE words words_in(u32 mask)
{
    words in;
    UNROLLED for (unsigned i = 0; i < 4; i++)
    {
        __m256i eight_words = sim_lanes_in(mask >> (8 * i), 4);
        __builtin_memcpy((u8 *)&in + 32 * i, &eight_words, sizeof eight_words);
    }
    return in;
}

LANE words gather_small(u32 mask, unsigned size, const struct eights *at,
                        const unsigned char *where)
{
    u64 offset[PTX_LANES] __attribute__((aligned(64)));
    u32 value[PTX_LANES] __attribute__((aligned(64))) = {0};
    words all;
    __builtin_memcpy(offset, at->of, sizeof offset);
    _Pragma("clang loop unroll(disable)") for (; mask; mask &= mask - 1)
    {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        move_element((unsigned char *)&value[lane], where + offset[lane], size);
    }
    __builtin_memcpy(&all, value, sizeof all);
    return all;
}

/* Where the elements of a row are. */
LANE struct eights places_in_row(unsigned size)
{
    struct eights at;
    EACH_EIGHT(i)
    {
        at.of[i] = eight_lanes(i, size);
    }
    return at;
}

LANE words row_of_small(u32 mask, unsigned size, const unsigned char *from)
{
    const struct eights at = places_in_row(size);
    bytes all_bytes;
    halves all_halves;
    if (mask != UINT32_MAX)
        return gather_small(mask, size, &at, from);
    if (size == 1) {
        __builtin_memcpy(&all_bytes, from, sizeof all_bytes);
        return __builtin_convertvector(all_bytes, words);
    }
    __builtin_memcpy(&all_halves, from, sizeof all_halves);
    return __builtin_convertvector(all_halves, words);
}

/* Never: AVX2 permutes only the eight words of one vector. */
LANE bool load_near(const struct eights *at, const struct window *window, unsigned size,
                    words *out_value)
{
    (void)at, (void)window, (void)size, (void)out_value;
    return false;
}

LANE void store_small_row(u32 mask, unsigned size, words value, unsigned char *to)
{
    const struct eights at = places_in_row(size);
    if (mask != UINT32_MAX) {
        store_each(mask, size, (const unsigned char *)&value, sizeof(u32), &at, to);
    } else if (size == 1) {
        bytes all = __builtin_convertvector(value, bytes);
        __builtin_memcpy(to, &all, sizeof all);
    } else {
        halves all = __builtin_convertvector(value, halves);
        __builtin_memcpy(to, &all, sizeof all);
    }
}

#endif
