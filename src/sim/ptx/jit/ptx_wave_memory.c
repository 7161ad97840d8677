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
    if (in == PTX_PARAM)
        return within((unsigned char *)(uintptr_t)warp->params, warp->param_size, at, bytes);
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
    if (has_vectors(size, count) && access->write) {
        put_vectors(warp->regs, access->slots, first, n, (uintptr_t)where, UINT32_MAX, size, count);
        return;
    }
    if (has_vectors(size, count)) {
        fetch_vectors(warp->regs, access->slots, first, n, (uintptr_t)where, UINT32_MAX, size,
                      count, false);
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

/* What all lanes load from one place, whether they execute or not; mask: of those that take it. */
LANE bool move_one(struct ptx_warp *warp, const struct ptx_access *access,
                   const struct sim_space *space, u32 mask)
{
    struct run run;
    if (!is_known(warp, access, true, 0, PTX_LANES, &run) ||
        !locate_run(warp, access, space, PTX_LANES, &run))
        return false;
    UNROLLED for (unsigned i = 0; i < access->count; i++)
        fetch_same(warp->regs + access->slots[i], access->widths[i], run.where + i * access->size,
                   PTX_LANES, mask, access->size, access->sign);
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
    return is_known(warp, access, same, 0, HALF, &low) &&
           is_known(warp, access, same, HALF, HALF, &high) &&
           move_halves(warp, access, space, &low, &high);
}

/* ---- rows of some lanes -------------------------------------------------------------------------
 *
 * On hosts that load and store the lanes of a mask, where others wait. What is known of addresses
 * is true of those that wait, too. */

#if SIM_LANES_VECTOR

#define SOME_ROWS(size, count) (((count) == 1 && (size) >= 4) || has_vectors(size, count))

struct some {
    u32 mask; /* from lane first on */
    unsigned first;
    unsigned char *where; /* of lane first, whether it executes or not */
};

/* n lanes from first on that are in a row unless addresses wrap; no bytes of lanes that do not
 * execute have to be there. */
LANE bool locate_some(const struct ptx_warp *warp, const struct ptx_access *access,
                      const struct sim_space *space, unsigned first, unsigned n, u32 mask,
                      struct some *out_some)
{
    struct run run;
    *out_some = (struct some){.mask = mask >> first & UINT32_MAX >> (32 - n), .first = first};
    if (!out_some->mask)
        return true;
    if (!is_known(warp, access, false, first, n, &run))
        return false;
    size_t start = (size_t)__builtin_ctz(out_some->mask) * access->bytes;
    size_t end = (size_t)(32 - __builtin_clz(out_some->mask)) * access->bytes;
    out_some->where = reach_in(warp, access->space, space, run.at + start, end - start);
    if (!out_some->where)
        return false;
    out_some->where -= start;
    return true;
}

LANE void move_some(const struct ptx_warp *warp, const struct ptx_access *access, unsigned n,
                    const struct some *some, bool kept)
{
    const unsigned size = access->size, count = access->count;
    const uintptr_t where = (uintptr_t)some->where;
    unsigned char *slot = warp->regs + access->slots[0] + some->first * size;
    if (count > 1 && access->write)
        put_vectors(warp->regs, access->slots, some->first, n, where, some->mask, size, count);
    else if (count > 1)
        fetch_vectors(warp->regs, access->slots, some->first, n, where, some->mask, size, count,
                      kept);
    else if (access->write)
        put_some(slot, where, n, some->mask, size);
    else
        fetch_some(slot, where, n, some->mask, size, kept);
}

LANE bool move_rows(const struct ptx_warp *warp, const struct ptx_access *access,
                    const struct sim_space *space, bool all, bool kept)
{
    const unsigned n = all ? PTX_LANES : HALF;
    struct some low, high = {0};
    if (!locate_some(warp, access, space, 0, n, warp->now, &low) ||
        (!all && !locate_some(warp, access, space, HALF, n, warp->now, &high)))
        return false;
    move_some(warp, access, n, &low, kept);
    if (!all)
        move_some(warp, access, n, &high, kept);
    return true;
}

#else

#define SOME_ROWS(size, count) false

LANE bool move_rows(const struct ptx_warp *warp, const struct ptx_access *access,
                    const struct sim_space *space, bool all, bool kept)
{
    (void)warp, (void)access, (void)space, (void)all, (void)kept;
    return false;
}

#endif

LANE bool is_row(enum ptx_wave_shape shape)
{
    return shape == PTX_WAVE_ALL_ROW || shape == PTX_WAVE_HALVES_ROW;
}

/* Where some lanes wait, the handler does what is neither a load of all from one place nor a row
 * of words or of vectors of words. */
LANE bool move(struct ptx_warp *warp, const struct ptx_access *access,
               const struct sim_space *space, enum ptx_wave_shape shape, bool kept)
{
    if (!access->write && shape == PTX_WAVE_ALL_SAME)
        return move_one(warp, access, space, kept ? warp->now : UINT32_MAX);
    bool rows = SOME_ROWS(access->size, access->count) && is_row(shape);
    if (rows && (access->count == 1 || warp->now != UINT32_MAX)) /* vectors' masks cost more */
        return move_rows(warp, access, space, shape == PTX_WAVE_ALL_ROW, kept);
    return warp->now == UINT32_MAX && move_shaped(warp, access, space, shape);
}

/* ---- the functions ------------------------------------------------------------------------------
 */

#define ACCESS_ARGUMENTS                                                                           \
    struct ptx_warp *warp, u64 base, u64 address_size, u64 offset, u64 slots0, u64 slots1,         \
        u64 table, u64 how
#define ACCESS(of_space, of_size, of_count, width, writes)                                         \
    {                                                                                              \
        .space = PTX_##of_space, .address_size = (uint8_t)address_size, .size = of_size,           \
        .count = of_count, .bytes = of_size * of_count, .write = writes,                           \
        .sign = how & PTX_ACCESS_SIGNED, .base = (u32)base, .offset = (int64_t)offset,             \
        .slots = {(u32)slots0, (u32)(slots0 >> 32), (u32)slots1, (u32)(slots1 >> 32)}, .widths = { \
            width,                                                                                 \
            width,                                                                                 \
            width,                                                                                 \
            width                                                                                  \
        }                                                                                          \
    }
#define FUNCTION(name, shape, ...)                                                                 \
    uint32_t ptx_wave_##name##_##shape(ACCESS_ARGUMENTS);                                          \
    uint32_t ptx_wave_##name##_##shape(ACCESS_ARGUMENTS)                                           \
    {                                                                                              \
        const struct ptx_access access = ACCESS(__VA_ARGS__);                                      \
        ptx_in_order(how);                                                                         \
        bool done = move(warp, &access, (const struct sim_space *)table, PTX_WAVE_##shape,         \
                         how & PTX_ACCESS_KEEPS);                                                  \
        ptx_in_order(how);                                                                         \
        return done;                                                                               \
    }
#define SHAPED(space, size, count, shape, name, writes)                                            \
    FUNCTION(name##_##space##_##size##_##count, shape, space, size, count, size, writes)
#define SHAPES(space, size, count, name, writes)                                                   \
    SHAPED(space, size, count, ALL_SAME, name, writes)                                             \
    SHAPED(space, size, count, ALL_ROW, name, writes)                                              \
    SHAPED(space, size, count, HALVES_SAME, name, writes)                                          \
    SHAPED(space, size, count, HALVES_ROW, name, writes)

#define KIND(space, size, count)                                                                   \
    SHAPES(space, size, count, load, false)                                                        \
    SHAPES(space, size, count, store, true)
#define WIDENED(space, size, width)                                                                \
    FUNCTION(load_##space##_##size##_to_##width, ALL_SAME, space, size, 1, width, false)
#include "ptx_wave_kinds.def"
