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
        u64 table, u64 how, u64 span, u64 form, u64 guard, u64 inverted
#define ANY_FUNCTION(name) uint32_t name(ANY_ARGUMENTS)

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

/* ---- an access ------------------------------------------------------------------------------
 *
 * There are two functions of each kind. ANY is inlined as a whole. Of FEW, regions have little each
 * time, where the window is and a call, and what is called once: for those with many accesses,
 * which would take long to compile. What is called gets addresses in registers, and elements in
 * memory as slots have them, one slot after the other.
 */

#define ONCE          static __attribute__((noinline, unused))
#define UNROLLED      _Pragma("clang loop unroll(full)")
#define EACH_EIGHT(i) UNROLLED for (unsigned i = 0; i < PTX_LANES / 8; i++)

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
    bool crosswise; /* it is the lanes' local memory */
    u32 mask;       /* lanes that access it */
};

struct eights { /* of all lanes */
    __m512i of[PTX_LANES / 8];
};

/* As they are passed in registers, and what is to be added to each. */
#define EIGHTS      __m512i at0, __m512i at1, __m512i at2, __m512i at3, u64 offset
#define EIGHTS_OF() offset_by((struct eights){{at0, at1, at2, at3}}, offset)

LANE struct eights offset_by(struct eights at, u64 offset)
{
    EACH_EIGHT(i)
    {
        at.of[i] = _mm512_add_epi64(at.of[i], _mm512_set1_epi64((long long)offset));
    }
    return at;
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
    const u64 first = (u64)_mm_cvtsi128_si64(_mm512_castsi512_si128(at->of[0]));
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

/* A row of vectors of several words; values are slots, one after the other. */
LANE void move_row(u32 mask, unsigned size, unsigned count, bool write, unsigned char *values,
                   unsigned char *where)
{
    const u32 slots[] = {0, PTX_LANES * size, 2 * PTX_LANES * size, 3 * PTX_LANES * size};
    if (count > 1 && write)
        put_vectors(values, slots, 0, PTX_LANES, (uintptr_t)where, mask, size, count);
    else if (count > 1)
        fetch_vectors(values, slots, 0, PTX_LANES, (uintptr_t)where, mask, size, count, true);
    else if (write)
        store_row(mask, size, values, where);
    else
        load_row(mask, size, values, where);
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

/* ---- rows of some lanes -------------------------------------------------------------------------
 *
 * What a warp accesses of an image, whose lines it goes through by lanes, is a few rows: as many
 * loads of vectors cost less than gathering elements. */

enum { ROWS_MAX = 4, LINE = 64 };

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

/* The first lanes of left that are in one row. */
LANE u32 first_row(u32 left, u32 breaks)
{
    u32 behind = breaks & (u32)(UINT64_MAX << 1 << __builtin_ctz(left));
    return behind ? left & ((behind & -behind) - 1) : left;
}

/* In the order of lanes: where rows overlap, the last lane's element remains. The host's cache
 * fetches what lies behind what is loaded, since the next block often begins there. False: there
 * are too many. */
LANE bool move_rows(const struct window *window, const struct eights *at, unsigned size,
                    unsigned count, bool write, unsigned char *values)
{
    struct eights keys;
    const unsigned bytes = size * count;
    const u32 breaks = find_breaks(at, bytes, &keys);
    u64 key[PTX_LANES] __attribute__((aligned(64)));
    if (__builtin_popcount(breaks) >= ROWS_MAX)
        return false;
    EACH_EIGHT(i)
    {
        _mm512_store_si512(key + 8 * i, keys.of[i]);
    }
    _Pragma("clang loop unroll(disable)") for (u32 left = window->mask, row; left; left &= ~row)
    {
        unsigned char *where = window->where + key[__builtin_ctz(left)];
        row = first_row(left, breaks);
        move_row(row, size, count, write, values, where);
        if (!write)
            __builtin_prefetch(where + (PTX_LANES - __builtin_clz(row)) * bytes + LINE - 4);
    }
    return true;
}

LANE bool move_words(struct eights at, const struct window *window, unsigned size, unsigned count,
                     bool write, unsigned char *values)
{
    unsigned char *const where = window->where;
    u64 first;
    if (!place(&at, window, size * count))
        return false;
    bool in_row = count == 1 && is_row(&at, window, size, &first);
    if (window->crosswise)
        cross(&at);
    if (in_row)
        move_row(window->mask, size, 1, write, values, where + first);
    else if (window->crosswise || !move_rows(window, &at, size, count, write, values))
        UNROLLED for (unsigned i = 0; i < count; i++)
        {
            unsigned char *slot = values + PTX_LANES * size * i;
            if (write)
                scatter(window->mask, size, slot, &at, where + i * size);
            else
                gather(window->mask, size, slot, &at, where + i * size);
        }
    return true;
}

#define MOVER(kind, name, call)                                                                    \
    kind bool name(EIGHTS, const struct window *window, unsigned char *values)                     \
    {                                                                                              \
        return call;                                                                               \
    }
#define WORDS_OF(kind, form, size, count)                                                          \
    MOVER(kind, form##_load_##size##_##count,                                                      \
          move_words(EIGHTS_OF(), window, size, count, false, values))                             \
    MOVER(kind, form##_store_##size##_##count,                                                     \
          move_words(EIGHTS_OF(), window, size, count, true, values))
#define WORDS(size, count)                                                                         \
    WORDS_OF(LANE, ANY, size, count)                                                               \
    WORDS_OF(ONCE, FEW, size, count)
WORDS(4, 1)
WORDS(4, 2)
WORDS(4, 4)
WORDS(8, 1)
WORDS(8, 2)

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

/* One after the other, in the order of lanes: the last one of several with one address remains. */
LANE void store_small(u32 mask, unsigned size, const unsigned char *values, const struct eights *at,
                      unsigned char *where)
{
    u64 offset[PTX_LANES] __attribute__((aligned(64)));
    EACH_EIGHT(i)
    {
        _mm512_store_si512(offset + 8 * i, at->of[i]);
    }
    _Pragma("clang loop unroll(disable)") for (; mask; mask &= mask - 1)
    {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        move_element(where + offset[lane], values + 4 * lane, size);
    }
}

/* Elements are words here, which loads do not extend the sign to. */
LANE bool move_small(struct eights at, const struct window *window, unsigned size, bool write,
                     unsigned char *values)
{
    words value;
    u64 first;
    if (!place(&at, window, size))
        return false;
    bool in_row = is_small_row(&at, window, size, &first);
    if (window->crosswise)
        cross(&at);
    if (write && !in_row) {
        store_small(window->mask, size, values, &at, window->where);
        return true;
    }
    if (write) {
        __builtin_memcpy(&value, values, sizeof value);
        store_small_row(window->mask, size, value, window->where + first);
        return true;
    }
    if (in_row)
        value = row_of_small(window->mask, size, window->where + first);
    else
        value = gather_small(window->mask, size, &at, window->where);
    __builtin_memcpy(values, &value, sizeof value);
    return true;
}

#define SMALL_OF(kind, form, size)                                                                 \
    MOVER(kind, form##_load_##size##_1, move_small(EIGHTS_OF(), window, size, false, values))      \
    MOVER(kind, form##_store_##size##_1, move_small(EIGHTS_OF(), window, size, true, values))
#define SMALL(size)                                                                                \
    SMALL_OF(LANE, ANY, size)                                                                      \
    SMALL_OF(ONCE, FEW, size)
SMALL(1)
SMALL(2)

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

/* ---- slots ------------------------------------------------------------------------------------
 */

LANE void copy_slot(unsigned char *to, const unsigned char *from, unsigned size)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size / 64; i++)
    {
        _mm512_storeu_si512(to + 64 * i, _mm512_loadu_si512(from + 64 * i));
    }
}

/* Before the call. */
LANE void bring(const struct ptx_warp *warp, const struct any *any, unsigned char *values)
{
    if (any->size < 4 && any->write)
        get_small(any, warp->regs + any->slots[0], values);
    else if (any->size >= 4 && (any->write || any->kept))
        UNROLLED for (unsigned i = 0; i < any->count; i++)
        {
            copy_slot(values + PTX_LANES * any->size * i, warp->regs + any->slots[i], any->size);
        }
}

/* After it. */
LANE void take(struct ptx_warp *warp, const struct any *any, const unsigned char *values)
{
    if (any->write)
        return;
    if (any->size < 4)
        put_small(any, warp->regs + any->slots[0], values);
    else
        UNROLLED for (unsigned i = 0; i < any->count; i++)
        {
            copy_slot(warp->regs + any->slots[i], values + PTX_LANES * any->size * i, any->size);
        }
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

LANE bool is_within(size_t limit, unsigned bytes, unsigned char *where, struct window *out_window)
{
    out_window->start = 0;
    out_window->last = limit - bytes;
    out_window->where = where;
    return limit >= bytes;
}

/* first: the address of lane 0. */
LANE bool find_window(const struct ptx_warp *warp, const struct any *any,
                      const struct sim_space *space, u64 span, u64 first, struct window *out_window)
{
    const unsigned bytes = any->size * any->count;
    out_window->mask = any->mask;
    out_window->crosswise = any->space == PTX_LOCAL;
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
    out_window->start = of->start;
    out_window->last = of->size - bytes;
    out_window->where = of->where;
    return of->stamp == sim_span_stamp(space, warp->device) && of->size >= bytes;
}

/* ---- the functions ------------------------------------------------------------------------------
 */

LANE u32 lanes_of(const struct ptx_warp *warp, u64 guard, u64 inverted)
{
    if (guard == PTX_NO_GUARD)
        return warp->now;
    return (*(const slot_4 *)(const void *)(warp->regs + guard) ^ (u32)inverted) & warp->now;
}

typedef bool (*any_mover)(EIGHTS, const struct window *window, unsigned char *values);

LANE bool move_any(struct ptx_warp *warp, const struct any *any, struct eights at, u64 offset,
                   const struct sim_space *space, u64 span, any_mover move)
{
    unsigned char values[PTX_LANES * 16] __attribute__((aligned(64)));
    struct window window;
    u64 first = (u64)_mm_cvtsi128_si64(_mm512_castsi512_si128(at.of[0])) + offset;
    if (!find_window(warp, any, space, span, first, &window))
        return false;
    bring(warp, any, values);
    if (!move(at.of[0], at.of[1], at.of[2], at.of[3], offset, &window, values))
        return false;
    take(warp, any, values);
    return true;
}

#define DO_ANY(kind, of_space, of_size, of_count, writes)                                          \
    const struct any any = {                                                                       \
        .space = PTX_##of_space,                                                                   \
        .size = of_size,                                                                           \
        .count = of_count,                                                                         \
        .width = form & PTX_ANY_WIDTH,                                                             \
        .write = writes,                                                                           \
        .sign = form & PTX_ANY_SIGN,                                                               \
        .kept = how & PTX_ACCESS_KEEPS,                                                            \
        .mask = lanes_of(warp, guard, inverted),                                                   \
        .slots = {(u32)slots0, (u32)(slots0 >> 32), (u32)slots1, (u32)(slots1 >> 32)}};            \
    u64 in = form & PTX_ANY_FRAME ? warp->local_offset : 0, rest;                                  \
    struct eights at = addresses_of(warp, base, address_size, offset + in, &rest);                 \
    ptx_in_order(how);                                                                             \
    bool done = move_any(warp, &any, at, rest, (const struct sim_space *)table, span,              \
                         writes ? kind##_store_##of_size##_##of_count                              \
                                : kind##_load_##of_size##_##of_count);                             \
    ptx_in_order(how);                                                                             \
    return done;
#else
#define DO_ANY(kind, space, size, count, writes)                                                   \
    (void)warp, (void)base, (void)address_size, (void)offset, (void)slots0, (void)slots1;          \
    (void)table, (void)how, (void)span, (void)form, (void)guard, (void)inverted;                   \
    return 0;
#endif

#define ANY_OF(kind, name, space, size, count, writes)                                             \
    ANY_FUNCTION(ptx_wave_##name##_##space##_##size##_##count##_##kind);                           \
    ANY_FUNCTION(ptx_wave_##name##_##space##_##size##_##count##_##kind)                            \
    {                                                                                              \
        DO_ANY(kind, space, size, count, writes)                                                   \
    }
#define ANY(space, size, count)                                                                    \
    ANY_OF(ANY, load, space, size, count, false)                                                   \
    ANY_OF(ANY, store, space, size, count, true)                                                   \
    ANY_OF(FEW, load, space, size, count, false)                                                   \
    ANY_OF(FEW, store, space, size, count, true)
#include "ptx_wave_any.def"
