/* Loads and stores whose addresses are not known when a region is made, of all lanes or of some.
 * Included by ptx_wave_any.c, whose functions are inlined into regions, and by ptx_movers.c, which
 * has the same functions for regions to call; everything is static. On hosts that have loads and
 * stores of some lanes (AVX2, AVX-512).
 *
 * All addresses are compared with one window of memory: the block's, the lanes' own, or the
 * allocation that the access touched last (sim_span.h). Functions return 0 where a lane is outside
 * of it or misaligned, or where the host cannot do it: nothing has happened then, and the op's
 * handler finds out. */
#ifndef PTX_WAVE_ANY_H
#define PTX_WAVE_ANY_H

#include "ptx_wave_eights.h"

#define ANY_ARGUMENTS                                                                              \
    struct ptx_warp *warp, u64 base, u64 address_size, u64 offset, u64 slots0, u64 slots1,         \
        u64 table, u64 how, u64 span, u64 form, u64 guard, u64 inverted
#define ANY_VALUES                                                                                 \
    warp, base, address_size, offset, slots0, slots1, table, how, span, form, guard, inverted

#if SIM_LANES_VECTOR

/* ---- words of four and eight bytes ---------------------------------------------------------- */

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
        put_some(values, (uintptr_t)where, PTX_LANES, mask, size);
    else
        fetch_some(values, (uintptr_t)where, PTX_LANES, mask, size, true);
}

/* ---- rows of some lanes -------------------------------------------------------------------------
 *
 * What a warp accesses of an image, whose lines it goes through by lanes, is a few rows: as many
 * loads of vectors cost less than gathering elements. */

enum { ROWS_MAX = 4 };

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
    if (__builtin_popcount(breaks) >= ROWS_MAX || (count > 1 && !has_vectors(size, count)))
        return false;
    __builtin_memcpy(key, keys.of, sizeof key);
    _Pragma("clang loop unroll(disable)") for (u32 left = window->mask, row; left; left &= ~row)
    {
        unsigned char *where = window->where + key[__builtin_ctz(left)];
        row = first_row(left, breaks);
        move_row(row, size, count, write, values, where);
        if (!write)
            sim_lanes_fetch_behind((uintptr_t)where + (PTX_LANES - __builtin_clz(row)) * bytes);
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

/* ---- bytes and halves -------------------------------------------------------------------------
 */

/* Elements, or vectors of two bytes, are words here, which loads do not extend the sign to. Longer
 * vectors are moved as words. */
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
        store_each(window->mask, size, values, sizeof(u32), &at, window->where);
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

/* ---- one address --------------------------------------------------------------------------------
 *
 * Arrays of a thread are mostly indexed alike by all of them. */

LANE bool is_same(const struct eights *at, u32 mask, u64 *out_address)
{
    u64 address[PTX_LANES] __attribute__((aligned(64)));
    struct eights off;
    __builtin_memcpy(address, at->of, sizeof address);
    if (!mask || ((mask & 3) == 3 && at->of[0][0] != at->of[0][1]))
        return false;
    *out_address = address[__builtin_ctz(mask)];
    EACH_EIGHT(i)
    {
        off.of[i] = at->of[i] ^ ((eight){0} + *out_address);
    }
    return are_zero(&off, mask);
}

/* Of each lane its own where they are step bytes apart; others than those of the mask remain. */
LANE void load_same(u32 mask, unsigned size, unsigned step, const unsigned char *where,
                    unsigned char *values)
{
    words word;
    long_words long_word, old_long;
    UNROLLED for (unsigned lane = 0; lane < PTX_LANES; lane++)
    {
        u64 element = 0;
        __builtin_memcpy(&element, where + step * lane, size);
        word[lane] = (u32)element;
        long_word[lane] = element;
    }
    if (size == 8) {
        const long_words in = extended(words_in(mask), true);
        __builtin_memcpy(&old_long, values, sizeof old_long);
        long_word = (long_word & in) | (old_long & ~in);
        __builtin_memcpy(values, &long_word, sizeof long_word);
    } else {
        put_words(mask, word, values);
    }
}

/* Of several lanes with one place the last one's element remains. */
LANE void store_same(u32 mask, unsigned size, unsigned step, const unsigned char *values,
                     unsigned char *where)
{
    const unsigned width = size < 4 ? 4 : size;
    if (!step)
        mask = 1u << (31 - __builtin_clz(mask));
    if (mask == UINT32_MAX)
        UNROLLED for (unsigned lane = 0; lane < PTX_LANES; lane++)
            move_element(where + step * lane, values + width * lane, size);
    else
        _Pragma("clang loop unroll(disable)") for (; mask; mask &= mask - 1)
        {
            const unsigned lane = (unsigned)__builtin_ctz(mask);
            move_element(where + step * lane, values + width * lane, size);
        }
}

/* Values are words, long words, or words with smaller elements. */
LANE bool move_same(const struct window *window, u64 address, unsigned size, unsigned count,
                    bool write, unsigned char *values)
{
    const u64 offset = address - window->start;
    if (offset > window->last || (address & (size * count - 1)))
        return false;
    unsigned char *const where =
        window->where + (window->crosswise ? ptx_local_place(0, offset) : offset);
    UNROLLED for (unsigned i = 0; i < count; i++)
    {
        unsigned char *const slot = values + PTX_LANES * size * i;
        if (write && window->crosswise)
            store_same(window->mask, size, PTX_LOCAL_UNIT, slot, where + i * size);
        else if (write)
            store_same(window->mask, size, 0, slot, where + i * size);
        else if (window->crosswise)
            load_same(window->mask, size, PTX_LOCAL_UNIT, where + i * size, slot);
        else
            load_same(window->mask, size, 0, where + i * size, slot);
    }
    return true;
}

/* ---- near each other ----------------------------------------------------------------------------
 *
 * Words, or smaller elements as words, of which those of each half of the warp are near each other:
 * one place, rows, every third byte. Others than those of the mask remain. */

LANE bool move_near(struct eights at, const struct window *window, unsigned size,
                    unsigned char *values)
{
    words value;
    if (window->crosswise || !place(&at, window, size) || !load_near(&at, window, size, &value))
        return false;
    put_words(window->mask, value, values);
    return true;
}

/* ---- slots ------------------------------------------------------------------------------------
 */

LANE void copy_slot(unsigned char *to, const unsigned char *from, unsigned size)
{
    UNROLLED for (unsigned i = 0; i < PTX_LANES * size; i += SIM_LANES_VECTOR)
    {
        sim_lanes_write(to + i, sim_lanes_read(from + i));
    }
}

/* The elements of each lane, side by side as in memory. */
LANE void pack(const struct ptx_warp *warp, const struct any *any, unsigned char *values)
{
    words word = {0};
    long_words long_word = {0};
    UNROLLED for (unsigned i = 0; i < any->count; i++)
    {
        const words element = get_small(any, warp->regs + any->slots[i]);
        if (bytes_of(any) == 8)
            long_word |= __builtin_convertvector(element, long_words) << (8 * any->size * i);
        else
            word |= element << (8 * any->size * i);
    }
    if (bytes_of(any) == 8)
        __builtin_memcpy(values, &long_word, sizeof long_word);
    else
        __builtin_memcpy(values, &word, sizeof word);
}

LANE void unpack(struct ptx_warp *warp, const struct any *any, const unsigned char *values)
{
    words word;
    long_words long_word;
    UNROLLED for (unsigned i = 0; i < any->count; i++)
    {
        if (bytes_of(any) == 8) {
            __builtin_memcpy(&long_word, values, sizeof long_word);
            word = __builtin_convertvector(long_word >> (8 * any->size * i), words);
        } else {
            __builtin_memcpy(&word, values, sizeof word);
            word >>= 8 * any->size * i;
        }
        put_small(any, warp->regs + any->slots[i], word);
    }
}

/* Before the call. */
LANE void bring(const struct ptx_warp *warp, const struct any *any, unsigned char *values)
{
    if (!any->write && (any->size < 4 || any->size < any->width || !any->kept))
        return;
    if (any->size < 4)
        pack(warp, any, values);
    else if (any->size < any->width)
        get_wide(warp->regs + any->slots[0], values);
    else
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
        unpack(warp, any, values);
    else if (any->size < any->width)
        put_wide(any, warp->regs + any->slots[0], values);
    else
        UNROLLED for (unsigned i = 0; i < any->count; i++)
        {
            copy_slot(warp->regs + any->slots[i], values + PTX_LANES * any->size * i, any->size);
        }
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
    const unsigned bytes = bytes_of(any);
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

/* ---- an access ------------------------------------------------------------------------------ */

LANE u32 lanes_of(const struct ptx_warp *warp, u64 guard, u64 inverted)
{
    if (guard == PTX_NO_GUARD)
        return warp->now;
    return (*(const slot_4 *)(const void *)(warp->regs + guard) ^ (u32)inverted) & warp->now;
}

LANE bool move_any(struct ptx_warp *warp, const struct any *any, const struct eights *at,
                   const struct sim_space *space, u64 span)
{
    unsigned char values[PTX_LANES * 16] __attribute__((aligned(64)));
    const unsigned size = any->size < 4 ? bytes_of(any) : any->size;
    const unsigned count = any->size < 4 ? 1 : any->count;
    struct window window;
    u64 address;
    bool moved;
    if (!find_window(warp, any, space, span, first_of(at), &window))
        return false;
    bring(warp, any, values);
    if (any->called && !any->write && size <= 4 && count == 1 &&
        move_near(*at, &window, size, values))
        moved = true;
    else if (any->called && is_same(at, window.mask, &address))
        moved = move_same(&window, address, size, count, any->write, values);
    else if (size < 4)
        moved = move_small(*at, &window, size, any->write, values);
    else
        moved = move_words(*at, &window, size, count, any->write, values);
    if (moved)
        take(warp, any, values);
    return moved;
}

/* The body of an access's function. One that is called need not be short. */
#define DO_ANY(of_space, of_size, of_count, writes, is_called)                                     \
    const struct any any = {                                                                       \
        .space = PTX_##of_space,                                                                   \
        .size = of_size,                                                                           \
        .count = of_count,                                                                         \
        .width = form & PTX_ANY_WIDTH,                                                             \
        .write = writes,                                                                           \
        .called = is_called,                                                                       \
        .sign = how & PTX_ACCESS_SIGNED,                                                           \
        .kept = how & PTX_ACCESS_KEEPS,                                                            \
        .mask = lanes_of(warp, guard, inverted),                                                   \
        .slots = {(u32)slots0, (u32)(slots0 >> 32), (u32)slots1, (u32)(slots1 >> 32)}};            \
    u64 in = form & PTX_ANY_FRAME ? warp->local_offset : 0;                                        \
    struct eights at = addresses_of(warp, base, address_size, offset + in);                        \
    ptx_in_order(how);                                                                             \
    bool done = move_any(warp, &any, &at, (const struct sim_space *)table, span);                  \
    ptx_in_order(how);                                                                             \
    return done;

#else

#define DO_ANY(space, size, count, writes, called)                                                 \
    (void)warp, (void)base, (void)address_size, (void)offset, (void)slots0, (void)slots1;          \
    (void)table, (void)how, (void)span, (void)form, (void)guard, (void)inverted;                   \
    return 0;

#endif

#endif
