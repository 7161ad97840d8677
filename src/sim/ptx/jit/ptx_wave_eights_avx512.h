/* With AVX-512: see ptx_wave_eights.h. */
#ifndef PTX_WAVE_EIGHTS_AVX512_H
#define PTX_WAVE_EIGHTS_AVX512_H

struct eights { /* of all lanes */
    __m512i of[PTX_LANES / 8];
};

/* As they are passed in registers, and what is to be added to each. */
#define EIGHTS                  __m512i at0, __m512i at1, __m512i at2, __m512i at3, u64 offset
#define EIGHTS_OF()             offset_by((struct eights){{at0, at1, at2, at3}}, offset)
#define EIGHTS_PASS(at, offset) at.of[0], at.of[1], at.of[2], at.of[3], offset

LANE struct eights offset_by(struct eights at, u64 offset)
{
    EACH_EIGHT(i)
    {
        at.of[i] = _mm512_add_epi64(at.of[i], _mm512_set1_epi64((long long)offset));
    }
    return at;
}

LANE u64 first_of(const struct eights *at)
{
    return (u64)_mm_cvtsi128_si64(_mm512_castsi512_si128(at->of[0]));
}

/* Makes addresses of lanes offsets in the window. False: a lane is outside, or misaligned. */
LANE bool place(struct eights *at, const struct window *window, unsigned bytes)
{
    const __m512i start = _mm512_set1_epi64((long long)window->start);
    const __m512i last = _mm512_set1_epi64((long long)window->last);
    u32 bad = 0;
    EACH_EIGHT(i)
    {
        __m512i address = at->of[i];
        at->of[i] = _mm512_sub_epi64(address, start);
        bad |= (u32)_mm512_cmpgt_epu64_mask(at->of[i], last) << (8 * i);
        if (bytes > 1)
            bad |= (u32)_mm512_test_epi64_mask(address, _mm512_set1_epi64(bytes - 1)) << (8 * i);
    }
    return (bad & window->mask) == 0;
}

LANE __m512i eight_lanes(unsigned i, unsigned step)
{
    return _mm512_mullo_epi64(
        _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(8 * i)),
        _mm512_set1_epi64(step));
}

/* Whether the lanes' elements follow each other from lane 0's on, which is at *out_first. Others
 * than those of the mask are not looked at, but lane 0 has to be one of them. */
LANE bool is_row(const struct eights *at, const struct window *window, unsigned size,
                 u64 *out_first)
{
    const u64 first = first_of(at);
    u32 off = 0;
    EACH_EIGHT(i)
    {
        __m512i expected =
            _mm512_add_epi64(_mm512_set1_epi64((long long)first), eight_lanes(i, size));
        off |= (u32)_mm512_cmpneq_epi64_mask(at->of[i], expected) << (8 * i);
    }
    *out_first = first;
    return !window->crosswise && window->mask & 1 && (off & window->mask) == 0;
}

/* Local memory lies crosswise: ptx_local_place. */
LANE void cross(struct eights *at)
{
    const __m512i low = _mm512_set1_epi64(PTX_LOCAL_UNIT - 1);
    EACH_EIGHT(i)
    {
        __m512i units = _mm512_slli_epi64(_mm512_andnot_si512(low, at->of[i]), 5);
        __m512i in =
            _mm512_add_epi64(_mm512_and_si512(at->of[i], low), eight_lanes(i, PTX_LOCAL_UNIT));
        at->of[i] = _mm512_add_epi64(units, in);
    }
}
_Static_assert(PTX_LANES == 32, "a unit of all lanes is 2^5 units");

/* A bit for each lane behind the first one whose element does not follow that of the lane before
 * it. out_keys: where lane 0's element would be, by the lane's address. */
LANE u32 find_breaks(const struct eights *at, unsigned size, struct eights *out_keys)
{
    u32 breaks = 0;
    EACH_EIGHT(i)
    {
        out_keys->of[i] = _mm512_sub_epi64(at->of[i], eight_lanes(i, size));
    }
    EACH_EIGHT(i)
    {
        __m512i before =
            _mm512_alignr_epi64(out_keys->of[i], out_keys->of[i ? i - 1 : 0], PTX_LANES / 4 - 1);
        breaks |= (u32)_mm512_cmpneq_epi64_mask(out_keys->of[i], before) << (8 * i);
    }
    return breaks & ~1u;
}

/* Without the offset of the access, unless that is in out_offset. */
LANE struct eights addresses_of(const struct ptx_warp *warp, u64 base, u64 address_size, u64 offset,
                                u64 *out_offset)
{
    const unsigned char *slot = warp->regs + base;
    struct eights at;
    *out_offset = address_size == 4 ? 0 : offset;
    EACH_EIGHT(i)
    {
        if (address_size == 8)
            at.of[i] = _mm512_loadu_si512(slot + 64 * i);
        else if (address_size == 4)
            at.of[i] = _mm512_cvtepu32_epi64(_mm256_add_epi32(
                _mm256_loadu_si256((const void *)(slot + 32 * i)), _mm256_set1_epi32((int)offset)));
        else
            at.of[i] = _mm512_setzero_si512();
    }
    return at;
}

/* ---- words of four and eight bytes ---------------------------------------------------------- */

LANE void load_row(u32 mask, unsigned size, unsigned char *slot, const unsigned char *from)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size / 64; i++)
    {
        void *to = slot + 64 * i;
        __m512i old = _mm512_loadu_si512(to);
        if (size == 4)
            old = _mm512_mask_loadu_epi32(old, (__mmask16)(mask >> (16 * i)), from + 64 * i);
        else
            old = _mm512_mask_loadu_epi64(old, (__mmask8)(mask >> (8 * i)), from + 64 * i);
        _mm512_storeu_si512(to, old);
    }
}

LANE void store_row(u32 mask, unsigned size, const unsigned char *slot, unsigned char *to)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size / 64; i++)
    {
        __m512i value = _mm512_loadu_si512(slot + 64 * i);
        if (size == 4)
            _mm512_mask_storeu_epi32(to + 64 * i, (__mmask16)(mask >> (16 * i)), value);
        else
            _mm512_mask_storeu_epi64(to + 64 * i, (__mmask8)(mask >> (8 * i)), value);
    }
}

LANE void gather(u32 mask, unsigned size, unsigned char *slot, const struct eights *at,
                 const unsigned char *where)
{
    EACH_EIGHT(i)
    {
        const __mmask8 in = (__mmask8)(mask >> (8 * i));
        void *to = slot + 8 * size * i;
        if (size == 4)
            _mm256_storeu_si256(
                to, _mm512_mask_i64gather_epi32(_mm256_loadu_si256(to), in, at->of[i], where, 1));
        else
            _mm512_storeu_si512(
                to, _mm512_mask_i64gather_epi64(_mm512_loadu_si512(to), in, at->of[i], where, 1));
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
            _mm512_mask_i64scatter_epi32(where, in, at->of[i], _mm256_loadu_si256(from), 1);
        else
            _mm512_mask_i64scatter_epi64(where, in, at->of[i], _mm512_loadu_si512(from), 1);
    }
}

LANE void copy_slot(unsigned char *to, const unsigned char *from, unsigned size)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size / 64; i++)
    {
        _mm512_storeu_si512(to + 64 * i, _mm512_loadu_si512(from + 64 * i));
    }
}

/* ---- bytes and halves -------------------------------------------------------------------------
 */

typedef u32 words __attribute__((vector_size(128)));
typedef u16 halves __attribute__((vector_size(64)));
typedef u8 bytes __attribute__((vector_size(32)));

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
        __m512i address = _mm512_add_epi64(at->of[i], _mm512_set1_epi64((long long)where));
        __m256i word =
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), (__mmask8)(mask >> (8 * i)),
                                        _mm512_andnot_si512(low, address), NULL, 1);
        __m256i shift = _mm256_slli_epi32(_mm512_cvtepi64_epi32(_mm512_and_si512(address, low)), 3);
        found.of[i] = _mm256_and_si256(_mm256_srlv_epi32(word, shift), kept);
    }
    return found.all;
}

LANE void store_small_row(u32 mask, unsigned size, words value, unsigned char *to)
{
    if (size == 1)
        _mm256_mask_storeu_epi8(to, mask, (__m256i) __builtin_convertvector(value, bytes));
    else
        _mm512_mask_storeu_epi16(to, mask, (__m512i) __builtin_convertvector(value, halves));
}

/* Whether they follow each other, and where lane 0's is or would be, which need not execute. */
LANE bool is_small_row(const struct eights *at, const struct window *window, unsigned size,
                       u64 *out_first)
{
    u64 key[PTX_LANES] __attribute__((aligned(64)));
    struct eights keys;
    u32 off = 0;
    EACH_EIGHT(i)
    {
        keys.of[i] = _mm512_sub_epi64(at->of[i], eight_lanes(i, size));
        _mm512_store_si512(key + 8 * i, keys.of[i]);
    }
    *out_first = key[__builtin_ctz(window->mask | 1u << (PTX_LANES - 1))];
    EACH_EIGHT(i)
    {
        const __m512i first = _mm512_set1_epi64((long long)*out_first);
        off |= (u32)_mm512_cmpneq_epi64_mask(keys.of[i], first) << (8 * i);
    }
    return !window->crosswise && (off & window->mask) == 0;
}

/* From words to a slot, for the lanes of the mask; others keep what they have, if that is needed.
 */
LANE void put_small(const struct any *any, unsigned char *slot, const unsigned char *values)
{
    const __m512i up = _mm512_set1_epi32((int)(32 - 8 * any->size));
    UNROLLED for (unsigned i = 0; i < 2; i++)
    {
        unsigned char *to = slot + 16 * any->width * i;
        __mmask16 in = (__mmask16)(any->kept ? any->mask >> (16 * i) : UINT16_MAX);
        __m512i word = _mm512_loadu_si512(values + 64 * i);
        if (any->sign)
            word = _mm512_srav_epi32(_mm512_sllv_epi32(word, up), up);
        if (any->width == 2) {
            __m256i old = any->kept ? _mm256_loadu_si256((void *)to) : _mm256_setzero_si256();
            old = _mm256_mask_mov_epi16(old, in, _mm512_cvtepi32_epi16(word));
            _mm256_storeu_si256((void *)to, old);
        } else {
            __m512i old = any->kept ? _mm512_loadu_si512(to) : word;
            _mm512_storeu_si512(to, _mm512_mask_mov_epi32(old, in, word));
        }
    }
}

LANE void get_small(const struct any *any, const unsigned char *slot, unsigned char *values)
{
    UNROLLED for (unsigned i = 0; i < 2; i++)
    {
        const unsigned char *from = slot + 16 * any->width * i;
        __m512i word = any->width == 2
                           ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)from))
                           : _mm512_loadu_si512(from);
        _mm512_storeu_si512(values + 64 * i, word);
    }
}

#endif
