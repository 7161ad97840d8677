/* Loads and stores: from addresses in registers to checked memory, and the bytes themselves.
 * Compiled once for each instruction set of the host (AMDGPU_ISA_NAME). amdgpu_memory.c chooses
 * among these functions and handles rare cases. */
#include "amdgpu_pieces.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* Kernels may race, so the host's compiler must not assume that they do not. */
#define RACY __attribute__((no_sanitize("thread")))

/* ---- global memory -------------------------------------------------------------------- */

/* Whether sim_lanes.h has what the lanes of an access need. */
INLINE bool is_fast(const struct amdgpu_access *access)
{
    return SIM_LANES_FAST && access->element == AMDGPU_ELEMENT_32 && !access->atomic;
}

/* Addresses that are close together are checked as one range: one address for all lanes, a small
 * table. */
enum { NEAR = 4096 };

/* Live lanes' elements at start + low[lane], with upper halves that are added (high NULL: there
 * are none). */
INLINE bool translate_near(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                           unsigned lanes, uint64_t start, const uint32_t *low,
                           const uint32_t *high, struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    const uint32_t *live = amdgpu_live(wave);
    unsigned first = (unsigned)__builtin_ctzll(exec);
    uint32_t own = low[first], least = own, most = own, odd = 0, different = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint32_t value = live[lane] ? low[lane] : own;
        least = value < least ? value : least;
        most = value > most ? value : most;
        odd |= value + (uint32_t)start;
    }
    for (unsigned lane = 0; high && lane < lanes; lane++)
        different |= (high[lane] ^ high[first]) & live[lane];
    if (different || most - least > NEAR || (access->atomic && odd & (access->bytes - 1u)))
        return false;
    start += least + (high ? (uint64_t)high[first] << 32 : 0);
    if (amdgpu_is_lds(start) || amdgpu_is_scratch(start))
        return false;
    unsigned char *where = sim_translate_span(wave->block->dispatch->device->device, start,
                                              most - least + access->bytes, access->write);
    if (!where) /* bytes between the lanes' elements may be inaccessible */
        return false;
    for (unsigned lane = 0; lane < lanes; lane++)
        places->where[lane] =
            (unsigned char *)((uintptr_t)where + ((live[lane] ? low[lane] : own) - least));
    return true;
}

/* Each element in one granule, and none in a window: translates places->at, lane by lane. False: an
 * element is not. */
INLINE bool translate_far(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                          struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    int device = wave->block->dispatch->device->device;
    unsigned bytes = access->bytes;
    bool write = access->write;
    if (access->atomic)
        return false;
    if (is_fast(access) &&
        sim_lanes_translate(device, places->at, exec, wave->lanes, bytes, places->where))
        return true;
    for (uint64_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t at = places->at[lane];
        if (at % SIM_GRANULE + bytes > SIM_GRANULE || amdgpu_is_lds(at) || amdgpu_is_scratch(at))
            return false;
        places->where[lane] = sim_translate(device, at, bytes, write);
        if (!places->where[lane])
            return false;
    }
    return true;
}

INLINE bool translate_global(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                             unsigned lanes, struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    if (op->src[0].kind == AMDGPU_NONE || op->bits & AMDGPU_TID) {
        amdgpu_addresses(wave, op, places);
        return amdgpu_translate_lanes(wave, op, places);
    }
    bool has_base = op->src[1].kind != AMDGPU_NONE;
    const uint32_t *low = amdgpu_v(wave, op->src[0].reg), *high = has_base ? NULL : low + lanes;
    uint64_t base = (uint64_t)op->offset_bytes;
    if (has_base)
        base += amdgpu_s64(wave, op->src[1].reg);
    if (!is_fast(access) && /* else as quick lane by lane */
        translate_near(wave, op, exec, lanes, base, low, high, places))
        return true;
    for (unsigned lane = 0; lane < lanes; lane++)
        places->at[lane] = base + low[lane];
    for (unsigned lane = 0; high && lane < lanes; lane++)
        places->at[lane] += (uint64_t)high[lane] << 32;
    places->windows = access->space == AMDGPU_SPACE_FLAT;
    return translate_far(wave, op, exec, places) || amdgpu_translate_lanes(wave, op, places);
}

/* ---- LDS and scratch ------------------------------------------------------------------ */

/* Offsets below limit of a window, lane l's from start + l * stride on; low NULL: the same for
 * all lanes. */
INLINE bool translate_window(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lanes,
                             uint64_t window, const uint32_t *low, uint32_t offset,
                             unsigned char *start, size_t limit, size_t stride,
                             struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    const uint32_t *live = amdgpu_live(wave);
    uint32_t bytes = access->bytes, odd = access->atomic ? bytes - 1 : 0;
    uint32_t last = (uint32_t)(limit - bytes), bad = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint32_t at = (low ? low[lane] : 0) + offset;
        bad |= ((at > last ? UINT32_MAX : 0) | (at & odd)) & live[lane];
        places->where[lane] = (unsigned char *)((uintptr_t)start + lane * stride + at);
    }
    if (__builtin_expect(!bad && limit >= bytes, 1))
        return true;
    for (unsigned lane = 0; lane < lanes; lane++)
        places->at[lane] = window + (uint32_t)((low ? low[lane] : 0) + offset);
    places->windows = true;
    return amdgpu_translate_lanes(wave, op, places);
}

INLINE bool translate_lds(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lanes,
                          uint32_t offset, struct amdgpu_places *places)
{
    const struct amdgpu_block *block = wave->block;
    return translate_window(wave, op, lanes, SIM_SHARED_WINDOW, amdgpu_v(wave, op->src[0].reg),
                            offset, block->lds, block->lds_size, 0, places);
}

INLINE bool translate_scratch(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lanes,
                              const uint32_t *low, uint32_t offset, struct amdgpu_places *places)
{
    const struct amdgpu_block *block = wave->block;
    return translate_window(wave, op, lanes, SIM_LOCAL_WINDOW, low, offset, amdgpu_scratch(wave, 0),
                            block->scratch_size, block->scratch_stride, places);
}

INLINE bool translate_scratch_op(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                 unsigned lanes, struct amdgpu_places *places)
{
    uint32_t offset = (uint32_t)op->offset_bytes;
    if (op->src[1].kind != AMDGPU_NONE)
        offset += (uint32_t)amdgpu_scalar(wave, &op->src[1]);
    const uint32_t *low = op->src[0].kind == AMDGPU_NONE ? NULL : amdgpu_v(wave, op->src[0].reg);
    return low ? translate_scratch(wave, op, lanes, low, offset, places)
               : translate_scratch(wave, op, lanes, NULL, offset, places);
}

INLINE bool translate_buffer(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                             unsigned lanes, struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    uint32_t offset;
    if (amdgpu_buffer_is_scratch(wave, op, &offset)) {
        if (!(op->bits & AMDGPU_OFFEN))
            return translate_scratch(wave, op, lanes, NULL, offset, places);
        return translate_scratch(wave, op, lanes, amdgpu_v(wave, op->src[0].reg), offset, places);
    }
    uint32_t offsets[AMDGPU_LANES_MAX];
    uint64_t base;
    if (amdgpu_buffer_offsets(wave, op, &base, offsets) && !is_fast(access) &&
        translate_near(wave, op, exec, lanes, base, offsets, NULL, places))
        return true;
    amdgpu_buffer_addresses(wave, op, places);
    return (!places->copied && translate_far(wave, op, exec, places)) ||
           amdgpu_translate_lanes(wave, op, places);
}

INLINE bool translate_space(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                            unsigned lanes, enum amdgpu_space space, struct amdgpu_places *places)
{
    places->copied = 0;
    places->piece = 0;
    switch (space) {
    case AMDGPU_SPACE_LDS:
        if (op->src[0].kind == AMDGPU_NONE || op->bits & AMDGPU_TID)
            break;
        return translate_lds(wave, op, lanes, (uint32_t)op->offset_bytes, places);
    case AMDGPU_SPACE_SCRATCH:
        return translate_scratch_op(wave, op, lanes, places);
    case AMDGPU_SPACE_BUFFER:
        return translate_buffer(wave, op, exec, lanes, places);
    default:
        return translate_global(wave, op, exec, lanes, places);
    }
    amdgpu_addresses(wave, op, places);
    return amdgpu_translate_lanes(wave, op, places);
}

/* For atomics and other instructions that are neither loads nor stores. */
static bool translate_where(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                            struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    return translate_space(wave, op, amdgpu_exec(wave), wave->lanes, access->space, places);
}

/* ---- lanes whose elements are anywhere -------------------------------------------------- */

INLINE void fetch_lanes(uint32_t *restrict v, unsigned lanes, uint64_t exec,
                        const struct amdgpu_places *places, enum amdgpu_element element)
{
    if (element == AMDGPU_ELEMENT_32 && SIM_LANES_FAST)
        sim_lanes_gather_4(v, places->where, 0, exec, lanes);
    else if (is_all(exec, lanes))
        for (unsigned lane = 0; lane < lanes; lane++)
            fetch(v + lane, lanes, places->where[lane], element);
    else
        for (uint64_t left = exec; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            fetch(v + lane, lanes, places->where[lane], element);
        }
}

INLINE void put_lanes(const uint32_t *restrict v, unsigned lanes, uint64_t exec,
                      const struct amdgpu_places *places, enum amdgpu_element element)
{
    if (element == AMDGPU_ELEMENT_32 && SIM_LANES_FAST)
        sim_lanes_scatter_4(v, places->where, 0, exec, lanes);
    else if (is_all(exec, lanes))
        for (unsigned lane = 0; lane < lanes; lane++)
            put(v + lane, lanes, places->where[lane], element);
    else
        for (uint64_t left = exec; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            put(v + lane, lanes, places->where[lane], element);
        }
}

/* ---- elements of any kind ----------------------------------------------------------------- */

/* Calls with constants. */
#define LOADED(CASE)                                                                               \
    CASE(AMDGPU_ELEMENT_U8, 1)                                                                     \
    CASE(AMDGPU_ELEMENT_I8, 1)                                                                     \
    CASE(AMDGPU_ELEMENT_U16, 2)                                                                    \
    CASE(AMDGPU_ELEMENT_I16, 2)                                                                    \
    CASE(AMDGPU_ELEMENT_32, 4)                                                                     \
    CASE(AMDGPU_ELEMENT_64, 8)                                                                     \
    CASE(AMDGPU_ELEMENT_96, 12)                                                                    \
    CASE(AMDGPU_ELEMENT_128, 16)                                                                   \
    CASE(AMDGPU_ELEMENT_LOW_U8, 1)                                                                 \
    CASE(AMDGPU_ELEMENT_LOW_I8, 1)                                                                 \
    CASE(AMDGPU_ELEMENT_LOW_16, 2)                                                                 \
    CASE(AMDGPU_ELEMENT_HIGH_U8, 1)                                                                \
    CASE(AMDGPU_ELEMENT_HIGH_I8, 1)                                                                \
    CASE(AMDGPU_ELEMENT_HIGH_16, 2)
#define STORED(CASE)                                                                               \
    CASE(AMDGPU_ELEMENT_U8, 1)                                                                     \
    CASE(AMDGPU_ELEMENT_U16, 2)                                                                    \
    CASE(AMDGPU_ELEMENT_32, 4)                                                                     \
    CASE(AMDGPU_ELEMENT_64, 8)                                                                     \
    CASE(AMDGPU_ELEMENT_96, 12)                                                                    \
    CASE(AMDGPU_ELEMENT_128, 16)                                                                   \
    CASE(AMDGPU_ELEMENT_HIGH_U8, 1)                                                                \
    CASE(AMDGPU_ELEMENT_HIGH_16, 2)

#define LANES(element, bytes)                                                                      \
    case element:                                                                                  \
        if (write)                                                                                 \
            put_lanes(v, lanes, exec, places, element);                                            \
        else                                                                                       \
            fetch_lanes(v, lanes, exec, places, element);                                          \
        break;
#define PIECES(element, bytes)                                                                     \
    case element:                                                                                  \
        move_pieces(wave, reg, lanes, pieces, write, element, bytes);                              \
        break;

INLINE void move_lanes(const struct amdgpu_wave *wave, unsigned reg, unsigned lanes, uint64_t exec,
                       const struct amdgpu_places *places, bool write, enum amdgpu_element of)
{
    uint32_t *v = amdgpu_v(wave, reg);
    if (write)
        switch (of) {
            STORED(LANES)
        default:
            break;
        }
    else
        switch (of) {
            LOADED(LANES)
        default:
            break;
        }
}

INLINE void move_kind(struct amdgpu_wave *wave, unsigned reg, unsigned lanes,
                      const struct pieces *pieces, bool write, enum amdgpu_element of)
{
    if (write)
        switch (of) {
            STORED(PIECES)
        default:
            break;
        }
    else
        switch (of) {
            LOADED(PIECES)
        default:
            break;
        }
}
#undef LANES
#undef PIECES
#undef LOADED
#undef STORED

/* Separate functions for each kind of wave, since they are long. */
#define TRANSFERS(lanes, name, write)                                                              \
    __attribute__((noinline)) RACY static void name##_pieces_##lanes(                              \
        struct amdgpu_wave *wave, unsigned reg, const struct pieces *pieces,                       \
        enum amdgpu_element element)                                                               \
    {                                                                                              \
        move_kind(wave, reg, lanes, pieces, write, element);                                       \
    }                                                                                              \
    __attribute__((noinline)) RACY static void name##_lanes_##lanes(                               \
        const struct amdgpu_wave *wave, unsigned reg, uint64_t exec,                               \
        const struct amdgpu_places *places, enum amdgpu_element element)                           \
    {                                                                                              \
        move_lanes(wave, reg, lanes, exec, places, write, element);                                \
    }
TRANSFERS(64, load, false)
TRANSFERS(32, load, false)
TRANSFERS(64, store, true)
TRANSFERS(32, store, true)
#undef TRANSFERS

INLINE void move_at(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned reg,
                    unsigned lanes, uint64_t exec, struct amdgpu_places *places, bool write)
{
    const struct amdgpu_access *access = op->effect;
    if (write) {
        (lanes == 64 ? store_lanes_64 : store_lanes_32)(wave, reg, exec, places,
                                                        (enum amdgpu_element)access->element);
        if (places->copied)
            amdgpu_write_copies(wave, op, places);
    } else {
        (lanes == 64 ? load_lanes_64 : load_lanes_32)(wave, reg, exec, places,
                                                      (enum amdgpu_element)access->element);
    }
}

/* ---- reading other lanes --------------------------------------------------------------- */

/* DS: each lane reads the data of the lane that its address selects within its group; a lane that
 * is not live gives 0. */
INLINE const struct amdgpu_op *permute_lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                             unsigned lanes, unsigned group)
{
    uint32_t given[AMDGPU_LANES_MAX], from[AMDGPU_LANES_MAX];
    const uint32_t *live = amdgpu_live(wave), *data = amdgpu_v(wave, op->dst1);
    const uint32_t *at = amdgpu_v(wave, op->src[0].reg);
    uint32_t *v = amdgpu_v(wave, op->dst), offset = (uint32_t)op->offset_bytes;
    for (unsigned lane = 0; lane < lanes; lane++) {
        given[lane] = data[lane] & live[lane];
        from[lane] = ((at[lane] + offset) / 4 & (group - 1)) | (lane & ~(group - 1));
    }
    if (amdgpu_exec_of(wave, lanes) == (lanes == 64 ? UINT64_MAX : UINT32_MAX))
        for (unsigned lane = 0; lane < lanes; lane++)
            v[lane] = given[from[lane]];
    else
        for (unsigned lane = 0; lane < lanes; lane++)
            v[lane] = live[lane] ? given[from[lane]] : v[lane];
    return amdgpu_next(op);
}

static const struct amdgpu_op *permute_64(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return permute_lanes(wave, op, 64, 64);
}

static const struct amdgpu_op *permute_32(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return permute_lanes(wave, op, 32, 32);
}

static const struct amdgpu_op *permute_halves(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return permute_lanes(wave, op, 64, 32);
}

/* ---- pieces --------------------------------------------------------------------------- */

INLINE bool find_in_buffer(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                           unsigned lanes, struct pieces *out)
{
    const struct amdgpu_access *access = op->effect;
    uint32_t offset, offsets[AMDGPU_LANES_MAX];
    uint64_t base;
    if (amdgpu_buffer_is_scratch(wave, op, &offset))
        return find_scratch(wave, op->bits & AMDGPU_OFFEN ? amdgpu_v(wave, op->src[0].reg) : NULL,
                            offset, lanes, exec, access->bytes, out);
    return amdgpu_buffer_offsets(wave, op, &base, offsets) &&
           find_pieces(wave, access, AMDGPU_SPACE_BUFFER, base, offsets, NULL, lanes, exec,
                       access->bytes, out);
}

/* What the live lanes, of which there are some, access, of bytes each. False: they are not in
 * pieces, or there may be an error. */
INLINE bool find(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                 unsigned lanes, enum amdgpu_space space, unsigned bytes, struct pieces *out)
{
    const struct amdgpu_access *access = op->effect;
    const uint32_t *low = NULL;
    uint64_t base = (uint64_t)op->offset_bytes;
    if (space == AMDGPU_SPACE_BUFFER)
        return find_in_buffer(wave, op, exec, lanes, out);
    if (op->bits & AMDGPU_TID)
        return false;
    if (op->src[0].kind != AMDGPU_NONE)
        low = amdgpu_v(wave, op->src[0].reg);
    if (space == AMDGPU_SPACE_SCRATCH) {
        if (op->src[1].kind != AMDGPU_NONE)
            base += amdgpu_scalar(wave, &op->src[1]);
        return find_scratch(wave, low, (uint32_t)base, lanes, exec, bytes, out);
    }
    if (!low)
        return false;
    if (space == AMDGPU_SPACE_LDS)
        return find_pieces(wave, access, space, base, low, NULL, lanes, exec, bytes, out);
    bool has_base = op->src[1].kind != AMDGPU_NONE;
    if (has_base)
        base += amdgpu_s64(wave, op->src[1].reg);
    return find_pieces(wave, access, space, base, low, has_base ? NULL : low + lanes, lanes, exec,
                       bytes, out);
}

/* ---- handlers ------------------------------------------------------------------------- */

#define ANY AMDGPU_ELEMENT_COUNT /* the row says which */

INLINE unsigned bytes_of(const struct amdgpu_access *access, enum amdgpu_element element)
{
    switch (element) {
    case AMDGPU_ELEMENT_32:
        return 4;
    case AMDGPU_ELEMENT_64:
        return 8;
    case AMDGPU_ELEMENT_128:
        return 16;
    default:
        return access->bytes;
    }
}

INLINE void move(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned reg, unsigned lanes,
                 const struct pieces *pieces, bool write, enum amdgpu_element element)
{
    const struct amdgpu_access *access = op->effect;
    enum amdgpu_element own = (enum amdgpu_element)access->element;
    if (element != ANY &&
        move_whole(wave, reg, lanes, pieces, write, element, bytes_of(access, element)))
        return;
    if (element == AMDGPU_ELEMENT_32)
        move_pieces(wave, reg, lanes, pieces, write, element, 4);
    else if (write)
        (lanes == 64 ? store_pieces_64 : store_pieces_32)(wave, reg, pieces, own);
    else
        (lanes == 64 ? load_pieces_64 : load_pieces_32)(wave, reg, pieces, own);
}

/* Loads or stores; each lane is looked at. */
INLINE const struct amdgpu_op *transfer_lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                              unsigned lanes, enum amdgpu_space space, bool write)
{
    struct amdgpu_places places;
    uint64_t exec = amdgpu_exec_of(wave, lanes);
    if (!translate_space(wave, op, exec, lanes, space, &places))
        return NULL;
    move_at(wave, op, write ? op->dst1 : op->dst, lanes, exec, &places, write);
    return amdgpu_next(op);
}

/* Loads or stores; in_lanes: transfer_lanes. */
INLINE const struct amdgpu_op *transfer(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                        unsigned lanes, enum amdgpu_space space, bool write,
                                        enum amdgpu_element element, amdgpu_handler in_lanes)
{
    struct pieces pieces;
    uint64_t exec = amdgpu_exec_of(wave, lanes);
    if (!exec)
        return amdgpu_next(op);
    if (!find(wave, op, exec, lanes, space, bytes_of(op->effect, element), &pieces))
        return in_lanes(wave, op);
    move(wave, op, write ? op->dst1 : op->dst, lanes, &pieces, write, element);
    return amdgpu_next(op);
}

/* The same for two elements of each lane; both are translated before a register changes. */
INLINE const struct amdgpu_op *
transfer_two_lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lanes, bool write)
{
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_places first, second;
    uint64_t exec = amdgpu_exec_of(wave, lanes);
    uint32_t offset = (uint32_t)op->offset_bytes;
    first.copied = second.copied = 0;
    first.piece = second.piece = 0;
    if (!translate_lds(wave, op, lanes, offset, &first) ||
        !translate_lds(wave, op, lanes, offset + amdgpu_second(op), &second))
        return NULL;
    unsigned further = write ? op->src[2].reg : op->dst + access->bytes / 4u;
    move_at(wave, op, write ? op->dst1 : op->dst, lanes, exec, &first, write);
    move_at(wave, op, further, lanes, exec, &second, write);
    return amdgpu_next(op);
}

INLINE const struct amdgpu_op *transfer_two(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                            unsigned lanes, bool write, enum amdgpu_element element,
                                            amdgpu_handler in_lanes)
{
    const struct amdgpu_access *access = op->effect;
    const uint32_t *low = amdgpu_v(wave, op->src[0].reg);
    const unsigned bytes = bytes_of(access, element);
    struct pieces first, second;
    uint64_t exec = amdgpu_exec_of(wave, lanes);
    uint32_t offset = (uint32_t)op->offset_bytes;
    if (!exec)
        return amdgpu_next(op);
    if (!find_pieces(wave, access, AMDGPU_SPACE_LDS, offset, low, NULL, lanes, exec, bytes,
                     &first) ||
        !find_pieces(wave, access, AMDGPU_SPACE_LDS, offset + amdgpu_second(op), low, NULL, lanes,
                     exec, bytes, &second))
        return in_lanes(wave, op);
    unsigned further = write ? op->src[2].reg : op->dst + bytes / 4;
    move(wave, op, write ? op->dst1 : op->dst, lanes, &first, write, element);
    move(wave, op, further, lanes, &second, write, element);
    return amdgpu_next(op);
}

/* In lanes, and by pieces: with the element that the row says, and with those that programs mostly
 * have. */
#define LANES(name, write, space, lanes)                                                           \
    __attribute__((noinline)) RACY static const struct amdgpu_op *name##_lanes_##space##_##lanes(  \
        struct amdgpu_wave *wave, const struct amdgpu_op *op)                                      \
    {                                                                                              \
        return transfer_lanes(wave, op, lanes, AMDGPU_SPACE_##space, write);                       \
    }
#define HANDLER(name, write, space, lanes, kind, element)                                          \
    RACY static const struct amdgpu_op *name##_##kind##_##space##_##lanes(                         \
        struct amdgpu_wave *wave, const struct amdgpu_op *op)                                      \
    {                                                                                              \
        return transfer(wave, op, lanes, AMDGPU_SPACE_##space, write, element,                     \
                        name##_lanes_##space##_##lanes);                                           \
    }
#define SOME(name, write, space, lanes)                                                            \
    LANES(name, write, space, lanes)                                                               \
    HANDLER(name, write, space, lanes, any, ANY)                                                   \
    HANDLER(name, write, space, lanes, 32, AMDGPU_ELEMENT_32)
#define MOST(name, write, space, lanes)                                                            \
    SOME(name, write, space, lanes)                                                                \
    HANDLER(name, write, space, lanes, 64, AMDGPU_ELEMENT_64)                                      \
    HANDLER(name, write, space, lanes, 128, AMDGPU_ELEMENT_128)
#define TWO(name, write, kind, lanes, element)                                                     \
    RACY static const struct amdgpu_op *name##_two_##kind##_##lanes(struct amdgpu_wave *wave,      \
                                                                    const struct amdgpu_op *op)    \
    {                                                                                              \
        return transfer_two(wave, op, lanes, write, element, name##_two_lanes_##lanes);            \
    }
#define TWICE(name, write, lanes)                                                                  \
    __attribute__((noinline)) RACY static const struct amdgpu_op *name##_two_lanes_##lanes(        \
        struct amdgpu_wave *wave, const struct amdgpu_op *op)                                      \
    {                                                                                              \
        return transfer_two_lanes(wave, op, lanes, write);                                         \
    }                                                                                              \
    TWO(name, write, any, lanes, ANY)                                                              \
    TWO(name, write, 32, lanes, AMDGPU_ELEMENT_32)
#define WAVES(name, write, lanes)                                                                  \
    MOST(name, write, GLOBAL, lanes)                                                               \
    MOST(name, write, LDS, lanes)                                                                  \
    SOME(name, write, SCRATCH, lanes)                                                              \
    SOME(name, write, BUFFER, lanes)                                                               \
    TWICE(name, write, lanes)
WAVES(load, false, 64)
WAVES(load, false, 32)
WAVES(store, true, 64)
WAVES(store, true, 32)
#undef LANES
#undef HANDLER
#undef SOME
#undef MOST
#undef TWO
#undef TWICE
#undef WAVES

/* By the element: any, and 32, 64 and 128 bits. */
enum { KINDS = 4 };
#define SOME(name, space, lanes)                                                                   \
    {                                                                                              \
        name##_any_##space##_##lanes, name##_32_##space##_##lanes, name##_any_##space##_##lanes,   \
            name##_any_##space##_##lanes                                                           \
    }
#define MOST(name, space, lanes)                                                                   \
    {                                                                                              \
        name##_any_##space##_##lanes, name##_32_##space##_##lanes, name##_64_##space##_##lanes,    \
            name##_128_##space##_##lanes                                                           \
    }
#define SPACES(name, lanes)                                                                        \
    {                                                                                              \
        [AMDGPU_SPACE_GLOBAL] = MOST(name, GLOBAL, lanes),                                         \
        [AMDGPU_SPACE_FLAT] = MOST(name, GLOBAL, lanes),                                           \
        [AMDGPU_SPACE_LDS] = MOST(name, LDS, lanes),                                               \
        [AMDGPU_SPACE_SCRATCH] = SOME(name, SCRATCH, lanes),                                       \
        [AMDGPU_SPACE_BUFFER] = SOME(name, BUFFER, lanes)                                          \
    }
static amdgpu_handler handler_of(const struct amdgpu_access *access, unsigned lanes)
{
    static const amdgpu_handler load[2][AMDGPU_SPACE_COUNT][KINDS] = {SPACES(load, 32),
                                                                      SPACES(load, 64)};
    static const amdgpu_handler store[2][AMDGPU_SPACE_COUNT][KINDS] = {SPACES(store, 32),
                                                                       SPACES(store, 64)};
    static const unsigned char kinds[AMDGPU_ELEMENT_COUNT] = {
        [AMDGPU_ELEMENT_32] = 1, [AMDGPU_ELEMENT_64] = 2, [AMDGPU_ELEMENT_128] = 3};
    unsigned kind = kinds[access->element];
    return (access->write ? store : load)[lanes == 64][access->space][kind];
}
#undef SOME
#undef MOST
#undef SPACES

static amdgpu_handler handler_of_two(const struct amdgpu_access *access, unsigned lanes)
{
    static const amdgpu_handler load[2][2] = {{load_two_any_32, load_two_any_64},
                                              {load_two_32_32, load_two_32_64}};
    static const amdgpu_handler store[2][2] = {{store_two_any_32, store_two_any_64},
                                               {store_two_32_32, store_two_32_64}};
    return (access->write ? store : load)[access->element == AMDGPU_ELEMENT_32][lanes == 64];
}

const struct amdgpu_access_functions JOIN(amdgpu_access_, AMDGPU_ISA_NAME) = {
    .handler = handler_of,
    .handler_of_two = handler_of_two,
    .translate = translate_where,
    .permute = {permute_32, permute_64},
    .permute_halves = permute_halves,
};
