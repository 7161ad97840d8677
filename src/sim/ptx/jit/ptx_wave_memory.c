/* Loads and stores of compiled regions: pieces of lanes as ptx_access_pieces.h finds them, with
 * what is known about addresses when the region is made. Bitcode, like ptx_wave.c: a function for
 * each space, size, count and shape, so that slots are accessed at constant offsets.
 *
 * Functions return 0 where lanes are not pieces, or where there may be an error: nothing has
 * happened then. They have no address of the library in them, so that the table of granules is an
 * argument. */
#include "ptx_access_pieces.h"
#include "ptx_wave_access.h"

#define UNROLLED _Pragma("clang loop unroll(full)")

/* ---- where ---------------------------------------------------------------------------------- */

/* What several lanes access together lies in one piece; NULL: it does not, or may not be accessed.
 */
LANE unsigned char *translate(const struct sim_space *space, int device, u64 at, size_t bytes)
{
    unsigned char *where, *here;
    size_t part = SIM_GRANULE - at % SIM_GRANULE;
    if (!sim_look_up(space, device, at, part < bytes ? part : bytes, &where) || !where)
        return NULL;
    for (size_t done = part; done < bytes; done += SIM_GRANULE) {
        part = bytes - done < SIM_GRANULE ? bytes - done : SIM_GRANULE;
        if (!sim_look_up(space, device, at + done, part, &here) || here != where + done)
            return NULL;
    }
    return where;
}

LANE unsigned char *reach_in(const struct ptx_warp *warp, enum ptx_space in,
                             const struct sim_space *space, u64 at, size_t bytes)
{
    if (in == PTX_GENERIC && at - SIM_SHARED_WINDOW < 3 * SIM_WINDOW_SIZE) {
        if (at - SIM_SHARED_WINDOW >= SIM_WINDOW_SIZE)
            return NULL;
        at -= SIM_SHARED_WINDOW;
        in = PTX_SHARED;
    }
    if (in == PTX_SHARED)
        return within(warp->shared, warp->shared_size, at, bytes);
    return translate(space, warp->device, at, bytes);
}

LANE u64 address(const struct ptx_warp *warp, const struct ptx_access *access, unsigned lane)
{
    u64 offset = (u64)access->offset;
    if (access->address_size == 8)
        return ((const slot_8 *)(const void *)(warp->regs + access->base))[lane] + offset;
    if (access->address_size == 4)
        return (u32)(((const slot_4 *)(const void *)(warp->regs + access->base))[lane] +
                     (u32)offset);
    return offset;
}

/* ---- elements ---------------------------------------------------------------------------------
 */

/* The vectors of n lanes from first on, which lie in a row. */
LANE void move_row(const struct ptx_warp *warp, const struct ptx_access *access, unsigned first,
                   unsigned n, unsigned char *where)
{
    const unsigned size = access->size, count = access->count;
    if (count == 1) {
        unsigned char *slot = warp->regs + access->slots[0] + first * size;
        if (access->write)
            __builtin_memcpy(where, slot, n * size);
        else
            __builtin_memcpy(slot, where, n * size);
        return;
    }
    UNROLLED for (unsigned i = 0; i < count; i++)
    {
        unsigned char *slot = warp->regs + access->slots[i] + first * size;
        UNROLLED for (unsigned lane = 0; lane < n; lane++)
        {
            unsigned char *element = where + (lane * count + i) * size;
            if (access->write)
                move_element(element, slot + lane * size, size);
            else
                move_element(slot + lane * size, element, size);
        }
    }
}

/* One address: the last lane's value remains. */
LANE void move_same(const struct ptx_warp *warp, const struct ptx_access *access, unsigned first,
                    unsigned n, unsigned char *where)
{
    const unsigned size = access->size;
    UNROLLED for (unsigned i = 0; i < access->count; i++)
    {
        unsigned char *slot = warp->regs + access->slots[i] + first * size;
        unsigned char *element = where + i * size;
        if (access->write)
            move_element(element, slot + (n - 1) * size, size);
        else
            fetch_same(slot, size, element, n, UINT32_MAX >> (32 - n), size, false);
    }
}

/* ---- shapes -------------------------------------------------------------------------------------
 */

struct run { /* n lanes from first on */
    bool same;
    u64 at;
    unsigned char *where;
};

/* Lanes of which it is known that they have one address, or that they lie in a row unless addresses
 * wrap. False: they do, or are misaligned. */
LANE bool is_known(const struct ptx_warp *warp, const struct ptx_access *access, bool same,
                   unsigned first, unsigned n, struct run *out_run)
{
    u64 at = address(warp, access, first);
    *out_run = (struct run){.same = same, .at = at};
    if (at & (access->bytes - 1u))
        return false;
    return same || address(warp, access, first + n - 1) - at == (u64)(n - 1) * access->bytes;
}

/* The same, where nothing is known. */
LANE bool is_found(const struct ptx_warp *warp, const struct ptx_access *access, unsigned first,
                   struct run *out_run)
{
    struct piece piece;
    if (access->address_size == 0)
        return is_known(warp, access, true, first, HALF, out_run);
    if (!find_piece(warp, access, (u64)access->offset, access->bytes, first, 0xffff, &piece))
        return false;
    *out_run = (struct run){.same = piece.same, .at = piece.at};
    return true;
}

LANE bool locate_run(const struct ptx_warp *warp, const struct ptx_access *access,
                     const struct sim_space *space, unsigned n, struct run *run)
{
    size_t bytes = (size_t)access->bytes * (run->same ? 1 : n);
    run->where = reach_in(warp, access->space, space, run->at, bytes);
    return run->where != NULL;
}

LANE void move_run(const struct ptx_warp *warp, const struct ptx_access *access, unsigned first,
                   unsigned n, const struct run *run)
{
    if (run->same)
        move_same(warp, access, first, n, run->where);
    else
        move_row(warp, access, first, n, run->where);
}

LANE bool move_all(const struct ptx_warp *warp, const struct ptx_access *access,
                   const struct sim_space *space, struct run *run)
{
    if (!locate_run(warp, access, space, PTX_LANES, run))
        return false;
    move_run(warp, access, 0, PTX_LANES, run);
    return true;
}

LANE bool move_halves(const struct ptx_warp *warp, const struct ptx_access *access,
                      const struct sim_space *space, struct run *low, struct run *high)
{
    if (!locate_run(warp, access, space, HALF, low) || !locate_run(warp, access, space, HALF, high))
        return false;
    move_run(warp, access, 0, HALF, low);
    move_run(warp, access, HALF, HALF, high);
    return true;
}

/* Words in a few rows. */
LANE bool move_in_rows(const struct ptx_warp *warp, const struct ptx_access *access,
                       const struct sim_space *space)
{
    struct rows rows;
    if (access->address_size == 0 || !find_rows(warp, access, (u64)access->offset, &rows))
        return false;
    for (unsigned i = 0; i < rows.count; i++) {
        struct row *row = &rows.row[i];
        row->where = (uintptr_t)reach_in(warp, access->space, space, row->at, row->lanes * 4);
        if (!row->where)
            return false;
    }
    if (access->write)
        put_rows(warp->regs + access->slots[0], &rows);
    else
        fetch_rows(warp->regs + access->slots[0], &rows);
    return true;
}

LANE bool move_shaped(const struct ptx_warp *warp, const struct ptx_access *access,
                      const struct sim_space *space, enum ptx_wave_shape shape)
{
    struct run low, high;
    bool same = shape == PTX_WAVE_ALL_SAME || shape == PTX_WAVE_HALVES_SAME;
    if (shape == PTX_WAVE_ALL_SAME || shape == PTX_WAVE_ALL_ROW)
        return is_known(warp, access, same, 0, PTX_LANES, &low) &&
               move_all(warp, access, space, &low);
    if (shape != PTX_WAVE_UNKNOWN)
        return is_known(warp, access, same, 0, HALF, &low) &&
               is_known(warp, access, same, HALF, HALF, &high) &&
               move_halves(warp, access, space, &low, &high);
    if (!is_found(warp, access, 0, &low) || !is_found(warp, access, HALF, &high))
        return access->size == 4 && access->count == 1 && move_in_rows(warp, access, space);
    if (low.same == high.same && high.at - low.at == (low.same ? 0 : HALF * access->bytes))
        return move_all(warp, access, space, &low);
    return move_halves(warp, access, space, &low, &high);
}

/* ---- the functions ------------------------------------------------------------------------------
 */

#define ACCESS_ARGUMENTS                                                                           \
    struct ptx_warp *warp, u64 base, u64 address_size, u64 offset, u64 slots0, u64 slots1, u64 table
#define ACCESS(of_space, of_size, of_count, writes)                                                \
    {                                                                                              \
        .space = PTX_##of_space, .address_size = (uint8_t)address_size, .size = of_size,           \
        .count = of_count, .bytes = of_size * of_count, .write = writes, .base = (u32)base,        \
        .offset = (int64_t)offset,                                                                 \
        .slots = {(u32)slots0, (u32)(slots0 >> 32), (u32)slots1, (u32)(slots1 >> 32)}, .widths = { \
            of_size,                                                                               \
            of_size,                                                                               \
            of_size,                                                                               \
            of_size                                                                                \
        }                                                                                          \
    }
/* Where nothing is known, lanes are found by their numbers, and the function works on a copy of its
 * slots. */
#define CALLED_UNKNOWN __attribute__((noinline))
#define CALLED_ALL_SAME
#define CALLED_ALL_ROW
#define CALLED_HALVES_SAME
#define CALLED_HALVES_ROW
#define SHAPED(space, size, count, shape, name, writes)                                            \
    uint32_t ptx_wave_##name##_##space##_##size##_##count##_##shape(ACCESS_ARGUMENTS);             \
    CALLED_##shape uint32_t ptx_wave_##name##_##space##_##size##_##count##_##shape(                \
        ACCESS_ARGUMENTS)                                                                          \
    {                                                                                              \
        const struct ptx_access access = ACCESS(space, size, count, writes);                       \
        return move_shaped(warp, &access, (const struct sim_space *)table, PTX_WAVE_##shape);      \
    }
#define SHAPES(space, size, count, name, writes)                                                   \
    SHAPED(space, size, count, UNKNOWN, name, writes)                                              \
    SHAPED(space, size, count, ALL_SAME, name, writes)                                             \
    SHAPED(space, size, count, ALL_ROW, name, writes)                                              \
    SHAPED(space, size, count, HALVES_SAME, name, writes)                                          \
    SHAPED(space, size, count, HALVES_ROW, name, writes)                                           \
    SOME(space, size, count, name, writes)

/* Of some lanes: the first of them is an index, so that the function works on a copy of its slots.
 */
LANE bool locate_some(const struct ptx_warp *warp, const struct ptx_access *access,
                      const struct sim_space *space, struct piece *piece)
{
    unsigned bytes = access->bytes;
    unsigned lead = piece->same ? 0 : (unsigned)__builtin_ctz(piece->mask);
    unsigned lanes = piece->same ? 1 : 32 - (unsigned)__builtin_clz(piece->mask) - lead;
    unsigned char *where =
        reach_in(warp, access->space, space, piece->at + lead * bytes, (size_t)lanes * bytes);
    piece->where = (uintptr_t)where - lead * bytes;
    return where != NULL;
}

LANE bool move_some(struct ptx_warp *warp, const struct ptx_access *access,
                    const struct sim_space *space, u32 mask, bool moves)
{
    const unsigned bytes = access->bytes;
    const u32 of_low = (u16)mask, of_high = mask >> HALF;
    struct piece low = {0}, high = {0};
    if ((of_low && !find_piece(warp, access, (u64)access->offset, bytes, 0, of_low, &low)) ||
        (of_high && !find_piece(warp, access, (u64)access->offset, bytes, HALF, of_high, &high)) ||
        (of_low && !locate_some(warp, access, space, &low)) ||
        (of_high && !locate_some(warp, access, space, &high)))
        return false;
    if (of_low && moves)
        move_piece(warp, access, &low, 0, HALF, access->write, access->size, access->count, true);
    if (of_high && moves)
        move_piece(warp, access, &high, HALF, HALF, access->write, access->size, access->count,
                   true);
    return true;
}

/* can: whether the other function would succeed. */
#define SOME(space, size, count, name, writes)                                                     \
    SOME_OR_NONE(space, size, count, some_##name, writes, true)                                    \
    SOME_OR_NONE(space, size, count, can_##name, writes, false)
#define SOME_OR_NONE(space, size, count, name, writes, moves)                                      \
    uint32_t ptx_wave_##name##_##space##_##size##_##count(ACCESS_ARGUMENTS, u64 guard,             \
                                                          u64 inverted);                           \
    __attribute__((noinline)) uint32_t ptx_wave_##name##_##space##_##size##_##count(               \
        ACCESS_ARGUMENTS, u64 guard, u64 inverted)                                                 \
    {                                                                                              \
        const struct ptx_access access = ACCESS(space, size, count, writes);                       \
        u32 mask = *(const slot_4 *)(const void *)(warp->regs + guard) ^ (u32)inverted;            \
        return move_some(warp, &access, (const struct sim_space *)table, mask, moves);             \
    }

#define KIND(space, size, count)                                                                   \
    SHAPES(space, size, count, load, false)                                                        \
    SHAPES(space, size, count, store, true)
#include "ptx_wave_kinds.def"
