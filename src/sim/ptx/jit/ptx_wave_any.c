/* Loads and stores of compiled regions whose addresses are not known when the region is made, of
 * all lanes or of some. Bitcode, like ptx_wave.c: a function for each space, size and count
 * (ptx_wave_any.def), on hosts that gather and scatter (AVX-512).
 *
 * All addresses are compared with one window of memory: the block's, the lanes' own, or the
 * allocation that the access touched last (sim_span.h). Functions return 0 where a lane is outside
 * of it or misaligned, or where the host cannot do it: nothing has happened then, and the op's
 * handler finds out. */
#include "ptx_access_lanes.h"
#include "ptx_exec.h"
#include "ptx_wave_access.h"

#define ANY_ARGUMENTS                                                                              \
    struct ptx_warp *warp, u64 base, u64 address_size, u64 offset, u64 slots0, u64 slots1,         \
        u64 table, u64 kept, u64 span, u64 form, u64 guard, u64 inverted
#define ANY_FUNCTION(name) uint32_t name(ANY_ARGUMENTS)

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

/* ---- an access ---------------------------------------------------------------------------- */

struct any {
    enum ptx_space space;
    unsigned size, count, width; /* width: bytes of an element in a slot */
    bool write, sign, kept;
    u32 mask;
    u32 slots[4];
};

struct window {
    u64 start, last; /* addresses of an access's first byte, of which the last one is relative */
    unsigned char *where;
};

struct eights { /* of all lanes */
    __m512i of[PTX_LANES / 8];
};

#define EACH_EIGHT(i) UNROLLED for (unsigned i = 0; i < PTX_LANES / 8; i++)
#define UNROLLED      _Pragma("clang loop unroll(full)")

LANE struct eights addresses_of(const struct ptx_warp *warp, u64 base, u64 address_size, u64 offset)
{
    const unsigned char *slot = warp->regs + base;
    struct eights at;
    EACH_EIGHT(i)
    {
        if (address_size == 8)
            at.of[i] = _mm512_add_epi64(_mm512_loadu_si512(slot + 64 * i),
                                        _mm512_set1_epi64((long long)offset));
        else if (address_size == 4)
            at.of[i] = _mm512_cvtepu32_epi64(_mm256_add_epi32(
                _mm256_loadu_si256((const void *)(slot + 32 * i)), _mm256_set1_epi32((int)offset)));
        else
            at.of[i] = _mm512_set1_epi64((long long)offset);
    }
    return at;
}

LANE bool is_within(size_t limit, unsigned bytes, unsigned char *where, struct window *out_window)
{
    *out_window = (struct window){.start = 0, .last = limit - bytes, .where = where};
    return limit >= bytes;
}

/* first: the address of lane 0. */
LANE bool find_window(const struct ptx_warp *warp, const struct any *any,
                      const struct sim_space *space, u64 span, u64 first, struct window *out_window)
{
    const unsigned bytes = any->size * any->count;
    if (any->space == PTX_SHARED)
        return is_within(warp->shared_size, bytes, warp->shared, out_window);
    if (any->space == PTX_LOCAL)
        return is_within(warp->local_stride, bytes, warp->local, out_window);
    if (any->space == PTX_GENERIC && first - SIM_SHARED_WINDOW < SIM_WINDOW_SIZE) {
        bool fits = is_within(warp->shared_size, bytes, warp->shared, out_window);
        out_window->start = SIM_SHARED_WINDOW;
        return fits;
    }
    const struct sim_span *of = &warp->spans[span];
    *out_window = (struct window){.start = of->start, .last = of->size - bytes, .where = of->where};
    return of->stamp == sim_span_stamp(space, warp->device) && of->size >= bytes;
}

/* Makes addresses of lanes offsets in the window. False: a lane is outside, or misaligned. */
LANE bool place(struct eights *at, const struct window *window, u32 mask, unsigned bytes)
{
    const __m512i start = _mm512_set1_epi64((long long)window->start);
    const __m512i last = _mm512_set1_epi64((long long)window->last);
    u32 bad = 0;
    EACH_EIGHT(i)
    {
        __m512i address = at->of[i];
        at->of[i] = _mm512_sub_epi64(address, start);
        bad |= _mm512_cmpgt_epu64_mask(at->of[i], last) & (__mmask8)(mask >> (8 * i));
        if (bytes > 1)
            bad |= _mm512_test_epi64_mask(address, _mm512_set1_epi64(bytes - 1)) &
                   (__mmask8)(mask >> (8 * i));
    }
    return bad == 0;
}

LANE __m512i eight_lanes(unsigned i, unsigned step)
{
    return _mm512_mullo_epi64(
        _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(8 * i)),
        _mm512_set1_epi64(step));
}

/* Whether the lanes' elements follow each other from lane 0's on, which is at *out_first. */
LANE bool is_row(const struct eights *at, u32 mask, unsigned size, u64 *out_first)
{
    const u64 first = (u64)_mm_cvtsi128_si64(_mm512_castsi512_si128(at->of[0]));
    u32 off = ~mask & 1;
    EACH_EIGHT(i)
    {
        __m512i expected =
            _mm512_add_epi64(_mm512_set1_epi64((long long)first), eight_lanes(i, size));
        off |= _mm512_cmpneq_epi64_mask(at->of[i], expected) & (__mmask8)(mask >> (8 * i));
    }
    *out_first = first;
    return off == 0;
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

/* ---- words of four and eight bytes ---------------------------------------------------------- */

LANE void load_row(const struct any *any, unsigned char *slot, const unsigned char *from)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * any->size / 64; i++)
    {
        __m512i old = _mm512_setzero_si512(), *to = (void *)(slot + 64 * i);
        if (any->kept)
            old = _mm512_loadu_si512(to);
        if (any->size == 4)
            old = _mm512_mask_loadu_epi32(old, (__mmask16)(any->mask >> (16 * i)), from + 64 * i);
        else
            old = _mm512_mask_loadu_epi64(old, (__mmask8)(any->mask >> (8 * i)), from + 64 * i);
        _mm512_storeu_si512(to, old);
    }
}

LANE void store_row(const struct any *any, const unsigned char *slot, unsigned char *to)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * any->size / 64; i++)
    {
        __m512i value = _mm512_loadu_si512(slot + 64 * i);
        if (any->size == 4)
            _mm512_mask_storeu_epi32(to + 64 * i, (__mmask16)(any->mask >> (16 * i)), value);
        else
            _mm512_mask_storeu_epi64(to + 64 * i, (__mmask8)(any->mask >> (8 * i)), value);
    }
}

LANE void gather(const struct any *any, unsigned char *slot, const struct eights *at,
                 const unsigned char *where)
{
    EACH_EIGHT(i)
    {
        const __mmask8 in = (__mmask8)(any->mask >> (8 * i));
        void *to = slot + 8 * any->size * i;
        if (any->size == 4) {
            __m256i old = any->kept ? _mm256_loadu_si256(to) : _mm256_setzero_si256();
            old = _mm512_mask_i64gather_epi32(old, in, at->of[i], where, 1);
            _mm256_storeu_si256(to, old);
        } else {
            __m512i old = any->kept ? _mm512_loadu_si512(to) : _mm512_setzero_si512();
            old = _mm512_mask_i64gather_epi64(old, in, at->of[i], where, 1);
            _mm512_storeu_si512(to, old);
        }
    }
}

/* The last one of several lanes with one address remains. */
LANE void scatter(const struct any *any, const unsigned char *slot, const struct eights *at,
                  unsigned char *where)
{
    EACH_EIGHT(i)
    {
        const __mmask8 in = (__mmask8)(any->mask >> (8 * i));
        const void *from = slot + 8 * any->size * i;
        if (any->size == 4)
            _mm512_mask_i64scatter_epi32(where, in, at->of[i], _mm256_loadu_si256(from), 1);
        else
            _mm512_mask_i64scatter_epi64(where, in, at->of[i], _mm512_loadu_si512(from), 1);
    }
}

LANE bool move_words(const struct ptx_warp *warp, const struct any *any, const struct eights *at,
                     unsigned char *where)
{
    u64 first;
    bool in_row =
        any->count == 1 && any->space != PTX_LOCAL && is_row(at, any->mask, any->size, &first);
    if (in_row && any->write)
        store_row(any, warp->regs + any->slots[0], where + first);
    else if (in_row)
        load_row(any, warp->regs + any->slots[0], where + first);
    else
        UNROLLED for (unsigned i = 0; i < any->count; i++)
        {
            if (any->write)
                scatter(any, warp->regs + any->slots[i], at, where + i * any->size);
            else
                gather(any, warp->regs + any->slots[i], at, where + i * any->size);
        }
    return true;
}

/* ---- bytes and halves -------------------------------------------------------------------------
 */

typedef u32 words __attribute__((vector_size(128)));
typedef u16 halves __attribute__((vector_size(64)));
typedef s16 signed_halves __attribute__((vector_size(64)));
typedef u8 bytes __attribute__((vector_size(32)));
typedef s8 signed_bytes __attribute__((vector_size(32)));

/* Elements of a row, as words. */
LANE words row_of_small(const struct any *any, const unsigned char *from)
{
    if (any->size == 1) {
        bytes row = (bytes)_mm256_maskz_loadu_epi8(any->mask, from);
        return any->sign ? (words) __builtin_convertvector((signed_bytes)row, words)
                         : __builtin_convertvector(row, words);
    }
    halves row = (halves)_mm512_maskz_loadu_epi16(any->mask, from);
    return any->sign ? (words) __builtin_convertvector((signed_halves)row, words)
                     : __builtin_convertvector(row, words);
}

/* The four bytes that an element lies in do not cross a page. */
LANE words gather_small(const struct any *any, const struct eights *at, const unsigned char *where)
{
    const __m512i low = _mm512_set1_epi64(3);
    const __m256i up = _mm256_set1_epi32((int)(32 - 8 * any->size));
    union {
        __m256i of[PTX_LANES / 8];
        words all;
    } found;
    EACH_EIGHT(i)
    {
        __m512i address = _mm512_add_epi64(at->of[i], _mm512_set1_epi64((long long)where));
        __m256i word =
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), (__mmask8)(any->mask >> (8 * i)),
                                        _mm512_andnot_si512(low, address), NULL, 1);
        __m256i shift = _mm256_slli_epi32(_mm512_cvtepi64_epi32(_mm512_and_si512(address, low)), 3);
        word = _mm256_sllv_epi32(_mm256_srlv_epi32(word, shift), up);
        found.of[i] = any->sign ? _mm256_srav_epi32(word, up) : _mm256_srlv_epi32(word, up);
    }
    return found.all;
}

LANE void put_small(const struct any *any, unsigned char *slot, words value)
{
    if (any->width == 2) {
        const __m512i found = (__m512i) __builtin_convertvector(value, halves);
        const __m512i old = any->kept ? _mm512_loadu_si512(slot) : found;
        _mm512_storeu_si512(slot, _mm512_mask_mov_epi16(old, any->mask, found));
        return;
    }
    UNROLLED for (unsigned i = 0; i < 2; i++)
    {
        __m512i found;
        __builtin_memcpy(&found, (const char *)&value + 64 * i, sizeof found);
        const __m512i old = any->kept ? _mm512_loadu_si512(slot + 64 * i) : found;
        _mm512_storeu_si512(slot + 64 * i,
                            _mm512_mask_mov_epi32(old, (__mmask16)(any->mask >> (16 * i)), found));
    }
}

LANE words get_small(const struct any *any, const unsigned char *slot)
{
    words value;
    halves narrow;
    if (any->width == 4) {
        __builtin_memcpy(&value, slot, sizeof value);
        return value;
    }
    __builtin_memcpy(&narrow, slot, sizeof narrow);
    return __builtin_convertvector(narrow, words);
}

LANE void store_small_row(const struct any *any, words value, unsigned char *to)
{
    if (any->size == 1)
        _mm256_mask_storeu_epi8(to, any->mask, (__m256i) __builtin_convertvector(value, bytes));
    else
        _mm512_mask_storeu_epi16(to, any->mask, (__m512i) __builtin_convertvector(value, halves));
}

LANE bool move_small(const struct ptx_warp *warp, const struct any *any, const struct eights *at,
                     unsigned char *where)
{
    unsigned char *slot = warp->regs + any->slots[0];
    u64 first;
    bool in_row = any->space != PTX_LOCAL && is_row(at, any->mask, any->size, &first);
    if (any->write && in_row)
        store_small_row(any, get_small(any, slot), where + first);
    else if (any->write)
        return false;
    else
        put_small(any, slot,
                  in_row ? row_of_small(any, where + first) : gather_small(any, at, where));
    return true;
}

/* ---- the functions ------------------------------------------------------------------------------
 */

LANE u32 lanes_of(const struct ptx_warp *warp, u64 guard, u64 inverted)
{
    if (guard == PTX_NO_GUARD)
        return warp->now;
    return (*(const slot_4 *)(const void *)(warp->regs + guard) ^ (u32)inverted) & warp->now;
}

LANE bool move_any(const struct ptx_warp *warp, const struct any *any, struct eights at,
                   const struct sim_space *space, u64 span)
{
    struct window window;
    u64 first = (u64)_mm_cvtsi128_si64(_mm512_castsi512_si128(at.of[0]));
    if (!find_window(warp, any, space, span, first, &window) ||
        !place(&at, &window, any->mask, any->size * any->count))
        return false;
    if (any->space == PTX_LOCAL)
        cross(&at);
    return any->size < 4 ? move_small(warp, any, &at, window.where)
                         : move_words(warp, any, &at, window.where);
}

#define DO_ANY(of_space, of_size, of_count, writes)                                                \
    const struct any any = {                                                                       \
        .space = PTX_##of_space,                                                                   \
        .size = of_size,                                                                           \
        .count = of_count,                                                                         \
        .width = form & PTX_ANY_WIDTH,                                                             \
        .write = writes,                                                                           \
        .sign = form & PTX_ANY_SIGN,                                                               \
        .kept = kept,                                                                              \
        .mask = lanes_of(warp, guard, inverted),                                                   \
        .slots = {(u32)slots0, (u32)(slots0 >> 32), (u32)slots1, (u32)(slots1 >> 32)}};            \
    u64 in = form & PTX_ANY_FRAME ? warp->local_offset : 0;                                        \
    return move_any(warp, &any, addresses_of(warp, base, address_size, offset + in),               \
                    (const struct sim_space *)table, span);
#else
#define DO_ANY(space, size, count, writes)                                                         \
    (void)warp, (void)base, (void)address_size, (void)offset, (void)slots0, (void)slots1;          \
    (void)table, (void)kept, (void)span, (void)form, (void)guard, (void)inverted;                  \
    return 0;
#endif

#define ANY(space, size, count)                                                                    \
    ANY_FUNCTION(ptx_wave_load_##space##_##size##_##count##_ANY);                                  \
    ANY_FUNCTION(ptx_wave_load_##space##_##size##_##count##_ANY){DO_ANY(                           \
        space, size, count, false)} ANY_FUNCTION(ptx_wave_store_##space##_##size##_##count##_ANY); \
    ANY_FUNCTION(ptx_wave_store_##space##_##size##_##count##_ANY)                                  \
    {                                                                                              \
        DO_ANY(space, size, count, true)                                                           \
    }
#include "ptx_wave_any.def"
