/* With AVX-512: see ptx_wave_eights.h. */
#ifndef PTX_WAVE_EIGHTS_AVX512_H
#define PTX_WAVE_EIGHTS_AVX512_H

/* Elements of four or eight bytes of the lanes of a mask. */
LANE void gather(u32 mask, unsigned size, unsigned char *slot, const struct eights *at,
                 const unsigned char *where)
{
    EACH_EIGHT(i)
    {
        const __mmask8 in = (__mmask8)(mask >> (8 * i));
        void *to = slot + 8 * size * i;
        if (size == 4)
            _mm256_storeu_si256(to, _mm512_mask_i64gather_epi32(_mm256_loadu_si256(to), in,
                                                                (__m512i)at->of[i], where, 1));
        else
            _mm512_storeu_si512(to, _mm512_mask_i64gather_epi64(_mm512_loadu_si512(to), in,
                                                                (__m512i)at->of[i], where, 1));
    }
}

/* The last one of several lanes with one address remains. */
LANE void scatter(u32 mask, unsigned size, const unsigned char *slot, const struct eights *at,
                  unsigned char *where)
{
    EACH_EIGHT(i)
    {
        const __mmask8 in = (__mmask8)(mask >> (8 * i));
        const void *from = slot + 8 * size * i;
        if (size == 4)
            _mm512_mask_i64scatter_epi32(where, in, (__m512i)at->of[i], _mm256_loadu_si256(from),
                                         1);
        else
            _mm512_mask_i64scatter_epi64(where, in, (__m512i)at->of[i], _mm512_loadu_si512(from),
                                         1);
    }
}

/* All bits of the lanes of a mask. */
LANE words words_in(u32 mask)
{
    union {
        __m512i of[2];
        words all;
    } in = {{_mm512_movm_epi32((__mmask16)mask), _mm512_movm_epi32((__mmask16)(mask >> 16))}};
    return in.all;
}

/* Bytes or halves in a row. */
LANE words row_of_small(u32 mask, unsigned size, const unsigned char *from)
{
    if (size == 1)
        return __builtin_convertvector((bytes)_mm256_maskz_loadu_epi8(mask, from), words);
    return __builtin_convertvector((halves)_mm512_maskz_loadu_epi16(mask, from), words);
}

/* The four bytes that an element lies in do not cross a page. */
LANE words gather_small(u32 mask, unsigned size, const struct eights *at,
                        const unsigned char *where)
{
    const __m512i low = _mm512_set1_epi64(3);
    const __m256i kept = _mm256_set1_epi32(size == 1 ? 0xff : 0xffff);
    union {
        __m256i of[PTX_LANES / 8];
        words all;
    } found;
    EACH_EIGHT(i)
    {
        __m512i address = (__m512i)(at->of[i] + (u64)where);
        __m256i word =
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), (__mmask8)(mask >> (8 * i)),
                                        _mm512_andnot_si512(low, address), NULL, 1);
        __m256i shift = _mm256_slli_epi32(_mm512_cvtepi64_epi32(_mm512_and_si512(address, low)), 3);
        found.of[i] = _mm256_and_si256(_mm256_srlv_epi32(word, shift), kept);
    }
    return found.all;
}

/* The first bytes of a vector, as a mask. */
LANE __mmask64 first_bytes(u64 bytes)
{
    return bytes < 64 ? ((u64)1 << bytes) - 1 : UINT64_MAX;
}

/* Elements of up to four bytes of sixteen lanes, if all lie in the 128 bytes from the first lane's
 * on: these are loaded as they lie, as far as the window goes, and permuted. out_value: of each
 * lane of the mask a word, with the element in its low bits and anything above. */
LANE bool load_near_half(u32 mask, unsigned size, __m512i low, __m512i high, u64 first,
                         const struct window *window, __m512i *out_value)
{
    enum { NEAR = 128, WORD = 4 };
    const u64 before = (window->start + first) & (WORD - 1), from = first - before;
    const u64 left = window->last + size - from;
    const __m512i last = _mm512_set1_epi64(NEAR - (long long)size);
    const unsigned char *where = window->where + from;
    if (from > window->last)
        return false;
    low = _mm512_sub_epi64(low, _mm512_set1_epi64((long long)from));
    high = _mm512_sub_epi64(high, _mm512_set1_epi64((long long)from));
    const u32 far = _mm512_cmpgt_epu64_mask(low, last) | (u32)_mm512_cmpgt_epu64_mask(high, last)
                                                             << 8;
    if (far & mask)
        return false;
    const __m512i at = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                                          _mm512_cvtepi64_epi32(high), 1);
    const __m512i found = _mm512_permutex2var_epi32(
        _mm512_maskz_loadu_epi8(first_bytes(left), where), _mm512_srli_epi32(at, 2),
        _mm512_maskz_loadu_epi8(first_bytes(left < 64 ? 0 : left - 64), where + 64));
    *out_value = found;
    if (size < WORD) {
        const __m512i byte = _mm512_and_si512(at, _mm512_set1_epi32(WORD - 1));
        *out_value = _mm512_srlv_epi32(found, _mm512_slli_epi32(byte, 3));
    }
    return true;
}

/* Of all lanes, by halves of the warp. at: offsets in the window. */
LANE bool load_near(const struct eights *at, const struct window *window, unsigned size,
                    words *out_value)
{
    u64 offset[PTX_LANES] __attribute__((aligned(64)));
    union {
        __m512i of[2];
        words all;
    } value = {{_mm512_setzero_si512(), _mm512_setzero_si512()}};
    __builtin_memcpy(offset, at->of, sizeof offset);
    UNROLLED for (unsigned i = 0; i < 2; i++)
    {
        const u32 mask = window->mask >> (16 * i) & UINT16_MAX;
        if (mask &&
            !load_near_half(mask, size, (__m512i)at->of[2 * i], (__m512i)at->of[2 * i + 1],
                            offset[16 * i + (unsigned)__builtin_ctz(mask)], window, &value.of[i]))
            return false;
    }
    *out_value = value.all;
    return true;
}

LANE void store_small_row(u32 mask, unsigned size, words value, unsigned char *to)
{
    if (size == 1)
        _mm256_mask_storeu_epi8(to, mask, (__m256i) __builtin_convertvector(value, bytes));
    else
        _mm512_mask_storeu_epi16(to, mask, (__m512i) __builtin_convertvector(value, halves));
}

#endif
