/* Loads and stores of lanes that access one address, or addresses in a row, as most accesses of
 * most kernels do: how such lanes are found, checked at once and moved at once. Included by
 * ptx_access.c only, compiled once per instruction set; everything is static. */
#ifndef PTX_ACCESS_PIECES_H
#define PTX_ACCESS_PIECES_H

#include "ptx_access_lanes.h"
#include "ptx_memory.h"
#include "sim_memory.h"

static unsigned char *within(unsigned char *start, size_t limit, uint64_t offset, size_t bytes)
{
    return offset < limit && limit - offset >= bytes ? start + offset : NULL;
}

/* ---- where they are --------------------------------------------------------------------- */

enum { HALF = PTX_LANES / 2 };

/* Lanes that access one address, or addresses in a row: a half of the warp, or the whole. */
struct piece {
    bool same;
    uint32_t mask; /* of those that execute, from its first on */
    uint64_t at;   /* the address of the first lane, which need not execute */
    uintptr_t where;
};

/* Where bytes at an address of device memory lie, of which the access's span did not know. */
__attribute__((noinline, unused)) static unsigned char *
find_span(const struct ptx_warp *warp, const struct ptx_access *access, uint64_t at, size_t bytes)
{
    struct sim_span *span = &warp->spans[ptx_span_of(access->line)];
    unsigned char *where = NULL;
    if (at - sim_space.base < sim_space.size && sim_span_fill(span, warp->device, at))
        where = sim_span_reach(span, &sim_space, warp->device, at, bytes);
    return where ? where : sim_translate_span(warp->device, at, bytes, access->write);
}

/* What lanes of a piece access together: bytes from at on. NULL: this has to be found out for each
 * lane, or is an error. */
static inline unsigned char *reach(const struct ptx_warp *warp, const struct ptx_access *access,
                                   enum ptx_space space, uint64_t at, size_t bytes)
{
    unsigned char *where;
    if (space == PTX_GENERIC && at - SIM_SHARED_WINDOW < 3 * SIM_WINDOW_SIZE) {
        if (at - SIM_SHARED_WINDOW >= SIM_WINDOW_SIZE)
            return NULL;
        at -= SIM_SHARED_WINDOW;
        space = PTX_SHARED;
    }
    switch (space) {
    case PTX_SHARED:
        return within(warp->shared, warp->shared_size, at, bytes);
    case PTX_PARAM:
        return access->write
                   ? NULL
                   : within((unsigned char *)(uintptr_t)warp->params, warp->param_size, at, bytes);
    case PTX_LOCAL: /* each lane's own */
        return NULL;
    default:
        where = sim_span_reach(&warp->spans[ptx_span_of(access->line)], &sim_space, warp->device,
                               at, bytes);
        return where ? where : find_span(warp, access, at, bytes);
    }
}

/* A half of the warp, from lane first on, some of whose lanes execute; offset: of the access;
 * bytes: of a lane's. False: it is not a piece. */
LANE bool find_piece(const struct ptx_warp *warp, const struct ptx_access *access, uint64_t offset,
                     unsigned bytes, unsigned first, uint32_t mask, struct piece *out_piece)
{
    unsigned lead = (unsigned)__builtin_ctz(mask);
    bool same = true;
    uint64_t at = offset;
    if (access->address_size == 8) {
        const slot_8 *base = (const slot_8 *)(const void *)(warp->regs + access->base) + first;
        same = sim_lanes_off_8(base, HALF, base[lead] - lead * bytes, bytes) & mask;
        if (same && sim_lanes_off_8(base, HALF, base[lead], 0) & mask)
            return false;
        at = base[lead] + offset;
    } else if (access->address_size == 4) {
        const slot_4 *base = (const slot_4 *)(const void *)(warp->regs + access->base) + first;
        same = sim_lanes_off_4(base, HALF, base[lead] - lead * bytes, bytes) & mask;
        if (same && sim_lanes_off_4(base, HALF, base[lead], 0) & mask)
            return false;
        at = (uint32_t)(base[lead] + (uint32_t)offset);
    }
    out_piece->same = same;
    out_piece->mask = mask;
    out_piece->at = at - (same ? 0 : lead * bytes);
    return (at & (bytes - 1)) == 0;
}

/* Where the lanes of a piece access memory. False: that is to be found out for each. */
LANE bool locate(const struct ptx_warp *warp, const struct ptx_access *access, enum ptx_space space,
                 unsigned bytes, struct piece *piece)
{
    unsigned lead = piece->same ? 0 : (unsigned)__builtin_ctz(piece->mask);
    unsigned lanes = piece->same ? 1 : 32 - (unsigned)__builtin_clz(piece->mask) - lead;
    unsigned char *where = reach(warp, access, space, piece->at + lead * bytes, lanes * bytes);
    piece->where = (uintptr_t)where - lead * bytes;
    return where != NULL;
}

LANE bool is_continued(const struct piece *low, const struct piece *high, unsigned bytes)
{
    return low->same == high->same && high->at - low->at == (low->same ? 0 : HALF * bytes);
}

/* ---- their elements --------------------------------------------------------------------- */

/* Moves the elements of n lanes from first on. plain: slots have elements of the size in memory. */
RACY void fetch_piece(struct ptx_warp *warp, const struct ptx_access *access,
                      const struct piece *piece, unsigned first, unsigned n, unsigned size,
                      unsigned count, bool plain)
{
    if (plain && !piece->same && has_vectors(size, count)) {
        fetch_vectors(warp->regs, access->slots, first, n, piece->where, piece->mask, size, count,
                      !is_all(piece->mask, n));
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned width = plain ? size : access->widths[i];
        unsigned char *slot = warp->regs + access->slots[i] + first * width;
        uintptr_t from = piece->where + i * size;
        if (piece->same)
            fetch_same(slot, width, (const unsigned char *)from, n, piece->mask, size,
                       access->sign);
        else
            fetch_row(slot, width, from, size * count, n, piece->mask, size, access->sign);
    }
}

RACY void put_piece(const struct ptx_warp *warp, const struct ptx_access *access,
                    const struct piece *piece, unsigned first, unsigned n, unsigned size,
                    unsigned count, bool plain)
{
    if (plain && !piece->same && has_vectors(size, count)) {
        put_vectors(warp->regs, access->slots, first, n, piece->where, piece->mask, size, count);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned width = plain ? size : access->widths[i];
        const unsigned char *slot = warp->regs + access->slots[i] + first * width;
        uintptr_t to = piece->where + i * size;
        if (piece->same) { /* the last lane's remains */
            unsigned last = 31 - (unsigned)__builtin_clz(piece->mask);
            move_element((unsigned char *)to, slot + last * width, size);
        } else {
            put_row(slot, width, to, size * count, n, piece->mask, size);
        }
    }
}

LANE void move_piece(struct ptx_warp *warp, const struct ptx_access *access,
                     const struct piece *piece, unsigned first, unsigned n, bool write,
                     unsigned size, unsigned count, bool plain)
{
    if (write)
        put_piece(warp, access, piece, first, n, size, count, plain);
    else
        fetch_piece(warp, access, piece, first, n, size, count, plain);
}

/* Where the next warp's row often is: kernels that read more arrays than the host's prefetcher has
 * streams wait for each row otherwise. */
LANE void fetch_next(uintptr_t where)
{
    enum { LINE = 64 };
    __builtin_prefetch((const void *)where);
    __builtin_prefetch((const void *)(where + LINE));
}

/* A load or a store of the lanes of mask, as one or two pieces. False: they are more, or there may
 * be an error; nothing has happened. */
LANE bool move_pieces(struct ptx_warp *warp, const struct ptx_access *access, uint32_t mask,
                      bool write, enum ptx_space space, unsigned size, unsigned count, bool plain)
{
    const unsigned bytes = size * count;
    const uint32_t of_low = (uint16_t)mask, of_high = mask >> HALF;
    struct piece low = {0}, high = {0};
    uint64_t offset = (uint64_t)access->offset;
    if (access->symbol)
        offset += access->symbol->address;
    if (of_low && !find_piece(warp, access, offset, bytes, 0, of_low, &low))
        return false;
    if (of_high && !find_piece(warp, access, offset, bytes, HALF, of_high, &high))
        return false;
    if (of_low && of_high && is_continued(&low, &high, bytes)) {
        low.mask = mask;
        if (!locate(warp, access, space, bytes, &low))
            return false;
        if (!low.same && (space == PTX_GLOBAL || space == PTX_GENERIC))
            fetch_next(low.where + PTX_LANES * bytes);
        move_piece(warp, access, &low, 0, PTX_LANES, write, size, count, plain);
        return true;
    }
    if ((of_low && !locate(warp, access, space, bytes, &low)) ||
        (of_high && !locate(warp, access, space, bytes, &high)))
        return false;
    if (of_low)
        move_piece(warp, access, &low, 0, HALF, write, size, count, plain);
    if (of_high)
        move_piece(warp, access, &high, HALF, HALF, write, size, count, plain);
    return true;
}

/* ---- several rows --------------------------------------------------------------------------- */

/* Elements of four bytes of all lanes that lie in rows of any lengths, as where a warp goes from
 * one line of an image to the next. */
enum { ROWS_MAX = 4 };

struct row {
    unsigned first, lanes;
    uint64_t at;     /* the address of the first lane */
    uintptr_t where; /* set by who moves them */
};

struct rows {
    unsigned count;
    struct row row[ROWS_MAX];
};

/* offset: of the access. False: the rows are more, or lanes are misaligned. */
LANE bool find_rows(const struct ptx_warp *warp, const struct ptx_access *access, uint64_t offset,
                    struct rows *out_rows)
{
    const slot_8 *wide = (const slot_8 *)(const void *)(warp->regs + access->base);
    const slot_4 *narrow = (const slot_4 *)(const void *)(warp->regs + access->base);
    bool is_wide = access->address_size == 8;
    uint32_t breaks = is_wide ? sim_lanes_breaks_8(wide, 4) : sim_lanes_breaks_4(narrow, 4);
    unsigned first = 0, count = 0;
    uint64_t low = 0;
    for (breaks |= 1u << (PTX_LANES - 1); breaks; breaks &= breaks - 1) {
        if (count == ROWS_MAX)
            return false;
        unsigned end = (unsigned)__builtin_ctz(breaks) + 1;
        uint64_t at = is_wide ? wide[first] + offset : (uint32_t)(narrow[first] + offset);
        out_rows->row[count++] = (struct row){.first = first, .lanes = end - first, .at = at};
        low |= at;
        first = end;
    }
    out_rows->count = count;
    return low % 4 == 0;
}

RACY void fetch_rows(unsigned char *slot, const struct rows *rows)
{
#if SIM_LANES_VECTOR
    for (unsigned at = 0; at < PTX_LANES; at += SIM_LANES_VECTOR / 4) {
        sim_lanes_vector lanes = {0};
        for (unsigned i = 0; i < rows->count; i++) {
            const struct row *row = &rows->row[i];
            u32 mask = UINT32_MAX >> (PTX_LANES - row->lanes) << row->first;
            lanes = sim_lanes_read_in(lanes, mask >> at, row->where + 4 * at - 4 * row->first, 4);
        }
        sim_lanes_write(slot + 4 * at, lanes);
    }
#else
    for (unsigned i = 0; i < rows->count; i++)
        for (unsigned lane = 0; lane < rows->row[i].lanes; lane++)
            ((slot_4 *)(void *)slot)[rows->row[i].first + lane] =
                ((const slot_4 *)rows->row[i].where)[lane];
#endif
}

/* In the order of lanes: where rows overlap, the last lane's element remains. */
RACY void put_rows(const unsigned char *slot, const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        uint32_t mask = UINT32_MAX >> (PTX_LANES - row->lanes) << row->first;
        put_row(slot, 4, row->where - 4 * row->first, 4, PTX_LANES, mask, 4);
    }
}

/* ---- local memory ------------------------------------------------------------------------- */

/* A load or a store of the lanes of mask at one offset of their local memory, where their elements
 * are PTX_LOCAL_UNIT bytes apart. False: offsets differ, or there is an error. */
LANE bool move_local(struct ptx_warp *warp, const struct ptx_access *access, uint32_t mask,
                     bool write, unsigned size, unsigned count, bool plain)
{
    const unsigned bytes = size * count;
    uint64_t offset = (uint64_t)access->offset + (access->frame ? warp->local_offset : 0);
    if (access->symbol)
        offset += access->symbol->address;
    if (access->address_size == 8) {
        const slot_8 *base = (const slot_8 *)(const void *)(warp->regs + access->base);
        offset += base[__builtin_ctz(mask)];
        if (sim_lanes_off_8(base, PTX_LANES, base[__builtin_ctz(mask)], 0) & mask)
            return false;
    } else if (access->address_size == 4) {
        const slot_4 *base = (const slot_4 *)(const void *)(warp->regs + access->base);
        offset = (uint32_t)(base[__builtin_ctz(mask)] + (uint32_t)offset);
        if (sim_lanes_off_4(base, PTX_LANES, base[__builtin_ctz(mask)], 0) & mask)
            return false;
    }
    if ((offset & (bytes - 1)) || !within(warp->local, warp->local_stride, offset, bytes))
        return false;
    uintptr_t where = (uintptr_t)warp->local + ptx_local_place(0, offset);
    for (unsigned i = 0; i < count; i++) {
        unsigned char *slot = warp->regs + access->slots[i];
        unsigned width = plain ? size : access->widths[i];
        if (write)
            put_row(slot, width, where + i * size, PTX_LOCAL_UNIT, PTX_LANES, mask, size);
        else
            fetch_row(slot, width, where + i * size, PTX_LOCAL_UNIT, PTX_LANES, mask, size,
                      access->sign);
    }
    return true;
}

/* ---- a few lanes --------------------------------------------------------------------------- */

/* So few that one after the other takes less time than operations on all lanes would. */
enum { FEW = 4 };

LANE bool is_few(uint32_t mask)
{
    for (unsigned i = 0; i < FEW; i++)
        mask &= mask - 1;
    return !mask;
}

/* Where one lane accesses memory. NULL: it may not, or that is to be found out otherwise. */
LANE unsigned char *reach_lane(const struct ptx_warp *warp, const struct ptx_access *access,
                               unsigned lane, uint64_t offset)
{
    const unsigned char *base = warp->regs + access->base;
    uint64_t at = offset;
    if (access->address_size == 8)
        at = ((const slot_8 *)(const void *)base)[lane] + offset;
    else if (access->address_size == 4)
        at = (uint32_t)(((const slot_4 *)(const void *)base)[lane] + (uint32_t)offset);
    if (at & (access->bytes - 1u))
        return NULL;
    if (access->space != PTX_LOCAL)
        return reach(warp, access, access->space, at, access->bytes);
    return within(warp->local, warp->local_stride, at, access->bytes)
               ? warp->local + ptx_local_place(lane, at)
               : NULL;
}

RACY void move_lane(const struct ptx_warp *warp, const struct ptx_access *access, unsigned lane,
                    unsigned char *where, bool write)
{
    for (unsigned i = 0; i < access->count; i++, where += access->size) {
        unsigned char *slot = warp->regs + access->slots[i];
        unsigned width = access->widths[i];
        if (write)
            move_element(where, slot + lane * width, access->size);
        else
            fetch_lane(slot, lane, width, where, access->size, access->sign);
    }
}

/* A load or a store of a few lanes. False: there may be an error; nothing has happened. */
LANE bool move_few(struct ptx_warp *warp, const struct ptx_access *access, bool write)
{
    unsigned char *where[FEW];
    uint64_t offset = (uint64_t)access->offset + (access->frame ? warp->local_offset : 0);
    unsigned n = 0;
    if (access->symbol)
        offset += access->symbol->address;
    for (uint32_t left = warp->mask; left; left &= left - 1, n++) {
        where[n] = reach_lane(warp, access, (unsigned)__builtin_ctz(left), offset);
        if (!where[n])
            return false;
    }
    n = 0; /* a load may write to what has the addresses */
    for (uint32_t left = warp->mask; left; left &= left - 1)
        move_lane(warp, access, (unsigned)__builtin_ctz(left), where[n++], write);
    return true;
}

#endif
