/* Loads and stores: from addresses in registers to checked host memory. Compiled once per
 * instruction set of the host (PTX_ISA_NAME); ptx_memory.c chooses among these functions. */
#include "ptx_access_pieces.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* Of functions that access the memory of kernels, which may have races: the functions into which
 * the accesses are inlined. */
#define RACES __attribute__((no_sanitize("thread")))

/* ---- addresses ---------------------------------------------------------------------- */

static void access_addresses(const struct ptx_warp *warp, const struct ptx_access *access,
                             uint64_t out_at[PTX_LANES])
{
    uint64_t offset = (uint64_t)access->offset;
    if (access->symbol)
        offset += access->symbol->address;
    if (access->frame)
        offset += warp->local_offset;
    if (access->address_size == 8) {
        const uint64_t *base = (const uint64_t *)(const void *)(warp->regs + access->base);
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            out_at[lane] = base[lane] + offset;
    } else if (access->address_size == 4) {
        const uint32_t *base = (const uint32_t *)(const void *)(warp->regs + access->base);
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            out_at[lane] = (uint32_t)(base[lane] + (uint32_t)offset);
    } else {
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            out_at[lane] = offset;
    }
}

/* Sizes are powers of two. */
static bool is_misaligned(const struct ptx_access *access, uint64_t address)
{
    return address & (access->bytes - 1u);
}

static bool refuse(struct ptx_warp *warp, const struct ptx_op *op, const struct ptx_access *access,
                   unsigned lane, uint64_t address)
{
    ptx_fault_access(warp, op, lane, address, access->bytes, access->write, access->named);
    return false;
}

static bool refuse_first(struct ptx_warp *warp, const struct ptx_op *op,
                         const struct ptx_access *access, const uint64_t at[PTX_LANES],
                         uint64_t limit)
{
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (at[lane] >= limit || limit - at[lane] < access->bytes ||
            is_misaligned(access, at[lane]))
            return refuse(warp, op, access, lane, at[lane]);
    }
    return false;
}

/* A small space: offsets below limit, the block's, or crosswise each lane's. */
static inline bool window_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                                   const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                   unsigned char *start, size_t limit, bool crosswise,
                                   unsigned char *out_where[PTX_LANES])
{
    uint64_t last = limit - access->bytes, low = access->bytes - 1u, bad = limit < access->bytes;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        uint64_t in = (uint64_t)(int64_t)warp->lanes[lane];
        bad |= ((at[lane] & low) | (at[lane] > last)) & in;
        uint64_t place = crosswise ? ptx_local_place(lane, at[lane]) : at[lane];
        out_where[lane] = (unsigned char *)((uintptr_t)start + place);
    }
    return bad ? refuse_first(warp, op, access, at, limit) : true;
}

static bool lane_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                          const struct ptx_access *access, const uint64_t at[PTX_LANES],
                          unsigned char *out_where[PTX_LANES])
{
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (!is_misaligned(access, at[lane]))
            out_where[lane] = sim_translate(warp->device, at[lane], access->bytes, access->write);
        else
            out_where[lane] = NULL;
        if (!out_where[lane])
            return refuse(warp, op, access, lane, at[lane]);
    }
    return true;
}

/* What lies near the first lane's address is checked as one piece: a run of
 * elements, one address for all, a small table. */
enum { NEAR = 2048 };

/* False: lanes are far from each other, or what lies between them may be out of reach. */
static bool near_pointers(const struct ptx_warp *warp, const struct ptx_access *access,
                          const uint64_t at[PTX_LANES], unsigned char *out_where[PTX_LANES])
{
    int32_t bytes = access->bytes, least = 0, most = 0;
    uint64_t start = at[__builtin_ctz(warp->mask)], far = 0;
    for (int32_t lane = 0; lane < PTX_LANES; lane++) {
        int32_t distance = (int32_t)(uint32_t)(at[lane] - start) & warp->lanes[lane];
        far |= ((at[lane] - start + NEAR) / (2 * NEAR)) & (uint64_t)(int64_t)warp->lanes[lane];
        least = distance < least ? distance : least;
        most = distance > most ? distance : most;
    }
    if (far)
        return false;
    start += (uint64_t)(int64_t)least;
    unsigned char *where =
        sim_translate_span(warp->device, start, (size_t)(most - least + bytes), access->write);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        out_where[lane] = (unsigned char *)((uintptr_t)where + (at[lane] - start));
    return where != NULL;
}

/* Each lane in the access's span. False: one is not. */
static bool span_pointers(const struct ptx_warp *warp, const struct ptx_access *access,
                          const uint64_t at[PTX_LANES], unsigned char *out_where[PTX_LANES])
{
    const struct sim_span *span = &warp->spans[ptx_span_of(access->line)];
    const uint64_t start = span->start, last = span->size - access->bytes;
    const uintptr_t where = (uintptr_t)span->where - start;
    uint64_t far = 0;
    if (span->stamp != sim_span_stamp(&sim_space, warp->device) || span->size < access->bytes)
        return false;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        uint64_t in = (uint64_t)(int64_t)warp->lanes[lane];
        far |= at[lane] - start > last ? in : 0;
        out_where[lane] = (unsigned char *)(where + at[lane]);
    }
    return !far;
}

/* The same, of the span of the first lane's allocation. */
static bool new_span_pointers(const struct ptx_warp *warp, const struct ptx_access *access,
                              const uint64_t at[PTX_LANES], unsigned char *out_where[PTX_LANES])
{
    struct sim_span *span = &warp->spans[ptx_span_of(access->line)];
    uint64_t first = at[__builtin_ctz(warp->mask)];
    bool known =
        span->stamp == sim_span_stamp(&sim_space, warp->device) && first - span->start < span->size;
    return !known && first - sim_space.base < sim_space.size &&
           sim_span_fill(span, warp->device, first) && span_pointers(warp, access, at, out_where);
}

static bool global_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                            const struct ptx_access *access, const uint64_t at[PTX_LANES],
                            unsigned char *out_where[PTX_LANES])
{
    uint64_t low = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        low |= at[lane] & (uint64_t)(int64_t)warp->lanes[lane];
    if (!is_misaligned(access, low)) {
        if (span_pointers(warp, access, at, out_where) ||
            new_span_pointers(warp, access, at, out_where))
            return true;
        if (SIM_LANES_FAST &&
            sim_lanes_translate(warp->device, at, warp->mask, PTX_LANES, access->bytes, out_where))
            return true;
        if (near_pointers(warp, access, at, out_where))
            return true;
    }
    return lane_pointers(warp, op, access, at, out_where);
}

static unsigned char *generic_pointer(struct ptx_warp *warp, const struct ptx_access *access,
                                      unsigned lane, uint64_t address)
{
    uint64_t offset;
    if (is_misaligned(access, address))
        return NULL;
    switch (ptx_generic_space(address, &offset)) {
    case PTX_SHARED:
        return within(warp->shared, warp->shared_size, offset, access->bytes);
    case PTX_LOCAL:
        return within(warp->local, warp->local_stride, offset, access->bytes)
                   ? warp->local + ptx_local_place(lane, offset)
                   : NULL;
    case PTX_PARAM:
        return access->write ? NULL
                             : within((unsigned char *)(uintptr_t)warp->params, warp->param_size,
                                      offset, access->bytes);
    default:
        return sim_translate(warp->device, address, access->bytes, access->write);
    }
}

static bool generic_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                             const struct ptx_access *access, const uint64_t at[PTX_LANES],
                             unsigned char *out_where[PTX_LANES])
{
    uint64_t windowed = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        windowed |= (uint64_t)(at[lane] - SIM_SHARED_WINDOW < 3 * SIM_WINDOW_SIZE) &
                    (uint64_t)(int64_t)warp->lanes[lane];
    if (!windowed)
        return global_pointers(warp, op, access, at, out_where);
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        out_where[lane] = generic_pointer(warp, access, lane, at[lane]);
        if (!out_where[lane])
            return refuse(warp, op, access, lane, at[lane]);
    }
    return true;
}

static bool access_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                            const struct ptx_access *access, const uint64_t at[PTX_LANES],
                            unsigned char *out_where[PTX_LANES])
{
    switch (access->space) {
    case PTX_SHARED:
        return window_pointers(warp, op, access, at, warp->shared, warp->shared_size, false,
                               out_where);
    case PTX_LOCAL:
        return window_pointers(warp, op, access, at, warp->local, warp->local_stride, true,
                               out_where);
    case PTX_PARAM:
        return window_pointers(warp, op, access, at, (unsigned char *)(uintptr_t)warp->params,
                               access->write ? 0 : warp->param_size, false, out_where);
    case PTX_GLOBAL:
        return global_pointers(warp, op, access, at, out_where);
    default:
        return generic_pointers(warp, op, access, at, out_where);
    }
}

/* ---- loads and stores ------------------------------------------------------------------ */

/* Words of all lanes in a few rows. False: they are not, or there may be an error; nothing has
 * happened. */
RACES static bool move_rows(struct ptx_warp *warp, const struct ptx_access *access)
{
    struct rows rows;
    uint64_t offset = (uint64_t)access->offset + (access->symbol ? access->symbol->address : 0);
    if (warp->mask != UINT32_MAX || access->size != 4 || access->count != 1 ||
        access->widths[0] != 4 || access->space == PTX_LOCAL || access->address_size == 0 ||
        !find_rows(warp, access, offset, &rows))
        return false;
    for (unsigned i = 0; i < rows.count; i++) {
        struct row *row = &rows.row[i];
        row->where = (uintptr_t)reach(warp, access, access->space, row->at, row->lanes * 4);
        if (!row->where)
            return false;
        if (!access->write && access->space != PTX_SHARED)
            sim_lanes_fetch_behind(row->where + 4 * row->lanes);
    }
    if (access->write)
        put_rows(warp->regs + access->slots[0], &rows);
    else
        fetch_rows(warp->regs + access->slots[0], &rows);
    return true;
}

/* Lanes whose addresses have no order. */
__attribute__((noinline)) RACES static const struct ptx_op *load_lanes(struct ptx_warp *warp,
                                                                       const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    if (move_rows(warp, access))
        return op + 1;
    access_addresses(warp, access, at);
    if (!access_pointers(warp, op, access, at, where))
        return NULL;
    for (unsigned i = 0; i < access->count; i++) {
        unsigned char *slot = warp->regs + access->slots[i];
        unsigned shift = i * access->size, width = access->widths[i];
        switch (access->size << 8 | width) { /* what programs mostly do */
        case 0x0404:
            fetch_lanes(slot, 4, where, shift, warp->mask, 4, false);
            break;
        case 0x0808:
            fetch_lanes(slot, 8, where, shift, warp->mask, 8, false);
            break;
        case 0x0202:
            fetch_lanes(slot, 2, where, shift, warp->mask, 2, false);
            break;
        case 0x0102:
            fetch_lanes(slot, 2, where, shift, warp->mask, 1, access->sign);
            break;
        case 0x0104:
            fetch_lanes(slot, 4, where, shift, warp->mask, 1, access->sign);
            break;
        case 0x0204:
            fetch_lanes(slot, 4, where, shift, warp->mask, 2, access->sign);
            break;
        default:
            fetch_lanes(slot, width, where, shift, warp->mask, access->size, access->sign);
        }
    }
    return op + 1;
}

__attribute__((noinline)) RACES static const struct ptx_op *store_lanes(struct ptx_warp *warp,
                                                                        const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    if (move_rows(warp, access))
        return op + 1;
    access_addresses(warp, access, at);
    if (!access_pointers(warp, op, access, at, where))
        return NULL;
    for (unsigned i = 0; i < access->count; i++) {
        const unsigned char *slot = warp->regs + access->slots[i];
        unsigned shift = i * access->size, width = access->widths[i];
        switch (access->size) { /* no element is written in two parts */
        case 1:
            put_lanes(slot, width, where, shift, warp->mask, 1);
            break;
        case 2:
            put_lanes(slot, width, where, shift, warp->mask, 2);
            break;
        case 4:
            put_lanes(slot, width, where, shift, warp->mask, 4);
            break;
        case 8:
            put_lanes(slot, width, where, shift, warp->mask, 8);
            break;
        default:
            put_lanes(slot, width, where, shift, warp->mask, 16);
        }
    }
    return op + 1;
}

/* A kernel's parameter by its name: the same bytes for all lanes. */
RACES static const struct ptx_op *load_parameter(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t offset = access->symbol->address + (uint64_t)access->offset;
    if (offset % access->bytes || offset > warp->param_size ||
        warp->param_size - offset < access->bytes)
        return ptx_fault_access(warp, op, (unsigned)__builtin_ctz(warp->mask), offset,
                                access->bytes, false, PTX_PARAM);
    for (unsigned i = 0; i < access->count; i++)
        fetch_same(warp->regs + access->slots[i], access->widths[i],
                   warp->params + offset + i * access->size, PTX_LANES,
                   warp->whole ? UINT32_MAX : warp->mask, access->size, access->sign);
    return op + 1;
}

/* ---- the handlers ---------------------------------------------------------------------- */

/* What programs mostly do has handlers of its own. */
#define KINDS(KIND)                                                                                \
    KIND(SHARED, 4, 1)                                                                             \
    KIND(SHARED, 4, 2)                                                                             \
    KIND(SHARED, 4, 4)                                                                             \
    KIND(SHARED, 8, 1)                                                                             \
    KIND(SHARED, 8, 2)                                                                             \
    KIND(GLOBAL, 4, 1)                                                                             \
    KIND(GLOBAL, 4, 2)                                                                             \
    KIND(GLOBAL, 4, 4)                                                                             \
    KIND(GLOBAL, 8, 1)                                                                             \
    KIND(GLOBAL, 8, 2)                                                                             \
    KIND(LOCAL, 4, 1)                                                                              \
    KIND(LOCAL, 4, 2)                                                                              \
    KIND(LOCAL, 4, 4)                                                                              \
    KIND(LOCAL, 8, 1)                                                                              \
    KIND(GENERIC, 4, 1)                                                                            \
    KIND(GENERIC, 8, 1)

static bool is_plain(const struct ptx_access *access)
{
    for (unsigned i = 0; i < access->count; i++)
        if (access->widths[i] != access->size)
            return false;
    return true;
}

/* All that the kinds do not handle, and divergent warps. */
__attribute__((noinline)) RACES static bool move_any(struct ptx_warp *warp,
                                                     const struct ptx_access *access, bool write)
{
    if (access->space == PTX_LOCAL)
        return move_local(warp, access, warp->mask, write, access->size, access->count, false);
    if (access->size == 4 && access->count == 1 && access->widths[0] == 4)
        return move_pieces(warp, access, warp->mask, write, access->space, 4, 1, true);
    if (access->size == 1 && access->count == 1)
        return move_pieces(warp, access, warp->mask, write, access->space, 1, 1, false);
    return move_pieces(warp, access, warp->mask, write, access->space, access->size, access->count,
                       false);
}

/* The same where few lanes execute, each way in a function of its own. */
__attribute__((noinline)) RACES static bool load_few(struct ptx_warp *warp,
                                                     const struct ptx_access *access)
{
    return move_few(warp, access, false);
}

__attribute__((noinline)) RACES static bool store_few(struct ptx_warp *warp,
                                                      const struct ptx_access *access)
{
    return move_few(warp, access, true);
}

RACES static const struct ptx_op *load_any(struct ptx_warp *warp, const struct ptx_op *op)
{
    if (is_few(warp->mask) && load_few(warp, op->extra))
        return op + 1;
    return move_any(warp, op->extra, false) ? op + 1 : load_lanes(warp, op);
}

RACES static const struct ptx_op *store_any(struct ptx_warp *warp, const struct ptx_op *op)
{
    if (is_few(warp->mask) && store_few(warp, op->extra))
        return op + 1;
    return move_any(warp, op->extra, true) ? op + 1 : store_lanes(warp, op);
}

LANE bool move_space(struct ptx_warp *warp, const struct ptx_access *access, bool write,
                     enum ptx_space space, unsigned size, unsigned count)
{
    if (space == PTX_LOCAL)
        return move_local(warp, access, UINT32_MAX, write, size, count, true);
    return move_pieces(warp, access, UINT32_MAX, write, space, size, count, true);
}

#define HANDLERS(space, size, count)                                                               \
    RACES static const struct ptx_op *load_##space##_##size##_##count(struct ptx_warp *warp,       \
                                                                      const struct ptx_op *op)     \
    {                                                                                              \
        if (warp->mask != UINT32_MAX)                                                              \
            return load_any(warp, op);                                                             \
        return move_space(warp, op->extra, false, PTX_##space, size, count)                        \
                   ? op + 1                                                                        \
                   : load_lanes(warp, op);                                                         \
    }                                                                                              \
    RACES static const struct ptx_op *store_##space##_##size##_##count(struct ptx_warp *warp,      \
                                                                       const struct ptx_op *op)    \
    {                                                                                              \
        if (warp->mask != UINT32_MAX)                                                              \
            return store_any(warp, op);                                                            \
        return move_space(warp, op->extra, true, PTX_##space, size, count)                         \
                   ? op + 1                                                                        \
                   : store_lanes(warp, op);                                                        \
    }
KINDS(HANDLERS)
#undef HANDLERS

static ptx_handler handler_of(const struct ptx_access *access)
{
    if (access->space == PTX_PARAM && access->symbol && !access->address_size)
        return load_parameter;
#define HANDLER(of_space, of_size, of_count)                                                       \
    if (access->space == PTX_##of_space && access->size == of_size && access->count == of_count && \
        is_plain(access))                                                                          \
        return access->write ? store_##of_space##_##of_size##_##of_count                           \
                             : load_##of_space##_##of_size##_##of_count;
    KINDS(HANDLER)
#undef HANDLER
    return access->write ? store_any : load_any;
}

static bool is_handler(ptx_handler handler)
{
#define IS_HANDLER(space, size, count)                                                             \
    if (handler == load_##space##_##size##_##count || handler == store_##space##_##size##_##count) \
        return true;
    KINDS(IS_HANDLER)
#undef IS_HANDLER
    return handler == load_any || handler == store_any || handler == load_parameter;
}

const struct ptx_access_functions JOIN(ptx_access_, PTX_ISA_NAME) = {
    .addresses = access_addresses,
    .pointers = access_pointers,
    .handler = handler_of,
    .is_handler = is_handler,
};
