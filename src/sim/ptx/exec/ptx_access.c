/* Loads and stores: from addresses in registers to checked host memory. Compiled once per
 * instruction set of the host (PTX_ISA_NAME); ptx_memory.c chooses among these functions. */
#include "ptx_memory.h"
#include "sim_memory.h"

#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

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

static enum ptx_shape refuse(struct ptx_warp *warp, const struct ptx_op *op,
                             const struct ptx_access *access, unsigned lane, uint64_t address)
{
    ptx_fault_access(warp, op, lane, address, access->bytes, access->write, access->named);
    return PTX_SHAPE_FAULT;
}

static enum ptx_shape refuse_first(struct ptx_warp *warp, const struct ptx_op *op,
                                   const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                   uint64_t limit)
{
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (at[lane] >= limit || limit - at[lane] < access->bytes ||
            is_misaligned(access, at[lane]))
            return refuse(warp, op, access, lane, at[lane]);
    }
    return PTX_SHAPE_FAULT;
}

/* A small space: offsets below limit, lane l's bytes at start + l * stride. */
static inline enum ptx_shape window_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                                             const struct ptx_access *access,
                                             const uint64_t at[PTX_LANES], unsigned char *start,
                                             size_t limit, size_t stride,
                                             unsigned char *out_where[PTX_LANES])
{
    uint64_t last = limit - access->bytes, low = access->bytes - 1u, bad = limit < access->bytes;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        uint64_t in = (uint64_t)(int64_t)warp->lanes[lane];
        bad |= ((at[lane] & low) | (at[lane] > last)) & in;
        out_where[lane] = (unsigned char *)((uintptr_t)start + lane * stride + at[lane]);
    }
    return bad ? refuse_first(warp, op, access, at, limit) : PTX_SHAPE_ANY;
}

static enum ptx_shape lane_pointers(struct ptx_warp *warp, const struct ptx_op *op,
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
    return PTX_SHAPE_ANY;
}

/* What lies near the first lane's address is checked as one piece: a run of
 * elements, one address for all, a small table. */
enum { NEAR = 2048 };

static enum ptx_shape global_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                                      const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                      unsigned char *out_where[PTX_LANES])
{
    int32_t first = __builtin_ctz(warp->mask), bytes = access->bytes;
    uint64_t start = at[first], far = 0, low = 0;
    int32_t least = 0, most = 0;
    uint32_t run = 0;
    for (int32_t lane = 0; lane < PTX_LANES; lane++) {
        uint64_t in = (uint64_t)(int64_t)warp->lanes[lane];
        int32_t distance = (int32_t)(uint32_t)(at[lane] - start) & warp->lanes[lane];
        far |= ((at[lane] - start + NEAR) / (2 * NEAR)) & in;
        low |= at[lane] & in;
        least = distance < least ? distance : least;
        most = distance > most ? distance : most;
        run |=
            ((uint32_t)distance - (uint32_t)((lane - first) * bytes)) & (uint32_t)warp->lanes[lane];
    }
    if (far || is_misaligned(access, low))
        return lane_pointers(warp, op, access, at, out_where);
    start += (uint64_t)(int64_t)least;
    unsigned char *where =
        sim_translate_span(warp->device, start, (size_t)(most - least + bytes), access->write);
    if (!where) /* what lies between the lanes' may be what is out of reach */
        return lane_pointers(warp, op, access, at, out_where);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        out_where[lane] = (unsigned char *)((uintptr_t)where + (at[lane] - start));
    return run ? PTX_SHAPE_ANY : PTX_SHAPE_RUN;
}

static unsigned char *within(unsigned char *start, size_t limit, uint64_t offset, size_t bytes)
{
    return offset < limit && limit - offset >= bytes ? start + offset : NULL;
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
        return within(warp->local + lane * warp->local_stride, warp->local_stride, offset,
                      access->bytes);
    case PTX_PARAM:
        return access->write ? NULL
                             : within((unsigned char *)(uintptr_t)warp->params, warp->param_size,
                                      offset, access->bytes);
    default:
        return sim_translate(warp->device, address, access->bytes, access->write);
    }
}

static enum ptx_shape generic_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                                       const struct ptx_access *access,
                                       const uint64_t at[PTX_LANES],
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
    return PTX_SHAPE_ANY;
}

static enum ptx_shape access_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                                      const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                      unsigned char *out_where[PTX_LANES])
{
    switch (access->space) {
    case PTX_SHARED:
        return window_pointers(warp, op, access, at, warp->shared, warp->shared_size, 0, out_where);
    case PTX_LOCAL:
        return window_pointers(warp, op, access, at, warp->local, warp->local_stride,
                               warp->local_stride, out_where);
    case PTX_PARAM:
        return window_pointers(warp, op, access, at, (unsigned char *)(uintptr_t)warp->params,
                               access->write ? 0 : warp->param_size, 0, out_where);
    case PTX_GLOBAL:
        return global_pointers(warp, op, access, at, out_where);
    default:
        return generic_pointers(warp, op, access, at, out_where);
    }
}

/* ---- one element of every lane ------------------------------------------------------- */

__attribute__((always_inline, no_sanitize("thread"))) static inline void
fetch_lane(unsigned char *slot, unsigned lane, unsigned width, const unsigned char *from,
           unsigned size, bool sign)
{
    if (size == width) {
        __builtin_memcpy(slot + lane * width, from, size);
        return;
    }
    uint64_t value = 0;
    __builtin_memcpy(&value, from, size < 8 ? size : 8);
    if (sign && size < 8)
        value = (uint64_t)((int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
    __builtin_memcpy(slot + lane * width, &value, width < 8 ? width : 8);
    if (width > 8)
        memset(slot + lane * width + 8, sign && value >> 63 ? 0xff : 0, width - 8);
}

__attribute__((always_inline, no_sanitize("thread"))) static inline void
fetch_lanes(unsigned char *slot, unsigned width, unsigned char *const *where, unsigned shift,
            uint32_t mask, unsigned size, bool sign)
{
    if (mask == UINT32_MAX)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            fetch_lane(slot, lane, width, where[lane] + shift, size, sign);
    else
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            fetch_lane(slot, lane, width, where[lane] + shift, size, sign);
        }
}

/* Calls with constants for what programs mostly do. */
__attribute__((no_sanitize("thread"))) static void fetch(unsigned char *slot, unsigned width,
                                                         unsigned char *const *where,
                                                         unsigned shift, uint32_t mask,
                                                         unsigned size, bool sign)
{
    switch (size << 8 | width) {
    case 0x0404:
        fetch_lanes(slot, 4, where, shift, mask, 4, false);
        break;
    case 0x0808:
        fetch_lanes(slot, 8, where, shift, mask, 8, false);
        break;
    case 0x0202:
        fetch_lanes(slot, 2, where, shift, mask, 2, false);
        break;
    case 0x1010:
        fetch_lanes(slot, 16, where, shift, mask, 16, false);
        break;
    case 0x0102:
        fetch_lanes(slot, 2, where, shift, mask, 1, sign);
        break;
    case 0x0104:
        fetch_lanes(slot, 4, where, shift, mask, 1, sign);
        break;
    case 0x0204:
        fetch_lanes(slot, 4, where, shift, mask, 2, sign);
        break;
    default:
        fetch_lanes(slot, width, where, shift, mask, size, sign);
    }
}

__attribute__((always_inline, no_sanitize("thread"))) static inline void
put_lanes(const unsigned char *slot, unsigned width, unsigned char *const *where, unsigned shift,
          uint32_t mask, unsigned size)
{
    if (mask == UINT32_MAX)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            __builtin_memcpy(where[lane] + shift, slot + lane * width, size);
    else
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            __builtin_memcpy(where[lane] + shift, slot + lane * width, size);
        }
}

__attribute__((no_sanitize("thread"))) static void put(const unsigned char *slot, unsigned width,
                                                       unsigned char *const *where, unsigned shift,
                                                       uint32_t mask, unsigned size)
{
    switch (size) { /* no element is written in two parts */
    case 1:
        put_lanes(slot, width, where, shift, mask, 1);
        break;
    case 2:
        put_lanes(slot, width, where, shift, mask, 2);
        break;
    case 4:
        put_lanes(slot, width, where, shift, mask, 4);
        break;
    case 8:
        put_lanes(slot, width, where, shift, mask, 8);
        break;
    default:
        put_lanes(slot, width, where, shift, mask, 16);
    }
}

/* ---- loads and stores ------------------------------------------------------------------ */

/* Both sides are arrays of one layout, and all lanes take part. */
static bool is_copy(const struct ptx_warp *warp, const struct ptx_access *access,
                    enum ptx_shape shape)
{
    return shape == PTX_SHAPE_RUN && warp->mask == UINT32_MAX && access->count == 1 &&
           access->size == access->widths[0] && (access->size == 4 || access->size == 8);
}

__attribute__((no_sanitize("thread"))) static const struct ptx_op *load(struct ptx_warp *warp,
                                                                        const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    access_addresses(warp, access, at);
    enum ptx_shape shape = access_pointers(warp, op, access, at, where);
    if (shape == PTX_SHAPE_FAULT)
        return NULL;
    if (is_copy(warp, access, shape)) {
        unsigned char *slot = warp->regs + access->slots[0];
        if (access->size == 4)
            __builtin_memcpy(slot, where[0], PTX_LANES * 4);
        else
            __builtin_memcpy(slot, where[0], PTX_LANES * 8);
        return op + 1;
    }
    for (unsigned i = 0; i < access->count; i++)
        fetch(warp->regs + access->slots[i], access->widths[i], where, i * access->size, warp->mask,
              access->size, access->sign);
    return op + 1;
}

/* A kernel's parameter by its name: the same bytes for all lanes. */
static const struct ptx_op *load_parameter(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t offset = access->symbol->address + (uint64_t)access->offset;
    if (offset % access->bytes || offset > warp->param_size ||
        warp->param_size - offset < access->bytes)
        return ptx_fault_access(warp, op, (unsigned)__builtin_ctz(warp->mask), offset,
                                access->bytes, false, PTX_PARAM);
    unsigned char *where[PTX_LANES];
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        where[lane] = (unsigned char *)(uintptr_t)(warp->params + offset);
    for (unsigned i = 0; i < access->count; i++)
        fetch(warp->regs + access->slots[i], access->widths[i], where, i * access->size,
              warp->whole ? UINT32_MAX : warp->mask, access->size, access->sign);
    return op + 1;
}

__attribute__((no_sanitize("thread"))) static const struct ptx_op *store(struct ptx_warp *warp,
                                                                         const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    access_addresses(warp, access, at);
    enum ptx_shape shape = access_pointers(warp, op, access, at, where);
    if (shape == PTX_SHAPE_FAULT)
        return NULL;
    if (is_copy(warp, access, shape)) {
        const unsigned char *slot = warp->regs + access->slots[0];
        if (access->size == 4)
            __builtin_memcpy(where[0], slot, PTX_LANES * 4);
        else
            __builtin_memcpy(where[0], slot, PTX_LANES * 8);
        return op + 1;
    }
    for (unsigned i = 0; i < access->count; i++)
        put(warp->regs + access->slots[i], access->widths[i], where, i * access->size, warp->mask,
            access->size);
    return op + 1;
}

const struct ptx_access_functions JOIN(ptx_access_, PTX_ISA_NAME) = {
    .addresses = access_addresses,
    .pointers = access_pointers,
    .load = load,
    .load_parameter = load_parameter,
    .store = store,
};
