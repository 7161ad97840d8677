/* Loads and stores: from addresses in registers to checked memory, and the bytes themselves.
 * Compiled once for each instruction set of the host (AMDGPU_ISA_NAME). amdgpu_memory.c chooses
 * among these functions and handles rare cases. */
#include "amdgpu_access.h"
#include "sim_lanes.h"

#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define INLINE      __attribute__((always_inline, no_sanitize("thread"))) static inline
/* Kernels may race, so the host's compiler must not assume that they do not. */
#define RACY __attribute__((no_sanitize("thread")))

/* Words of memory, anywhere. */
typedef uint16_t any16 __attribute__((aligned(1), may_alias));
typedef uint32_t any32 __attribute__((aligned(1), may_alias));

INLINE void start(struct amdgpu_places *places)
{
    places->run = NULL;
    places->copied = 0;
    places->piece = 0;
}

/* ---- global memory -------------------------------------------------------------------- */

/* Whether lane l's address is lane 0's plus l * bytes, for live lanes, as far as the lower
 * half says; the upper halves are the same (high NULL: there are none). */
INLINE bool is_run(uint64_t exec, unsigned lanes, const uint32_t *low, const uint32_t *high,
                   unsigned bytes)
{
    unsigned first = (unsigned)__builtin_ctzll(exec);
    unsigned last = 63 - (unsigned)__builtin_clzll(exec);
    if (low[first] + (uint64_t)(last - first) * bytes > UINT32_MAX)
        return false;
    return !(sim_lanes_off_4(low, lanes, low[first] - first * bytes, bytes) & exec) &&
           !(high && sim_lanes_off_4(high, lanes, high[first], 0) & exec);
}

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

/* Live lanes' elements at base + low[lane] and, unless NULL, high[lane] in the upper half: in one
 * piece of memory. False: they are not, or they are inaccessible. */
INLINE bool translate_piece(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                            unsigned lanes, uint64_t base, const uint32_t *low,
                            const uint32_t *high, bool write, struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    if (is_run(exec, lanes, low, high, access->bytes)) {
        unsigned first = (unsigned)__builtin_ctzll(exec);
        unsigned last = 63 - (unsigned)__builtin_clzll(exec);
        uint64_t at = base + low[first] + (high ? (uint64_t)high[first] << 32 : 0);
        unsigned char *where = NULL;
        if (!amdgpu_is_lds(at) && !amdgpu_is_scratch(at) &&
            !(access->atomic && at & (access->bytes - 1u)))
            where = sim_translate_span(wave->block->dispatch->device->device, at,
                                       (size_t)(last - first + 1) * access->bytes, write);
        if (where) {
            places->run = (unsigned char *)((uintptr_t)where - first * (uintptr_t)access->bytes);
            return true;
        }
    }
    if (is_fast(access)) /* as quick lane by lane */
        return false;
    return translate_near(wave, op, exec, lanes, base, low, high, places);
}

INLINE bool translate_global(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                             unsigned lanes, bool write, struct amdgpu_places *places)
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
    if (translate_piece(wave, op, exec, lanes, base, low, high, write, places))
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

INLINE bool translate_lds(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                          unsigned lanes, uint32_t offset, struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    const struct amdgpu_block *block = wave->block;
    const uint32_t *low = amdgpu_v(wave, op->src[0].reg);
    unsigned first = (unsigned)__builtin_ctzll(exec);
    uint32_t start = low[first] + offset;
    size_t size = (size_t)(64 - (unsigned)__builtin_clzll(exec) - first) * access->bytes;
    if (!access->atomic && start < block->lds_size && size <= block->lds_size - start &&
        is_run(exec, lanes, low, NULL, access->bytes)) {
        places->run =
            (unsigned char *)((uintptr_t)block->lds + start - first * (uintptr_t)access->bytes);
        return true;
    }
    return translate_window(wave, op, lanes, SIM_SHARED_WINDOW, low, offset, block->lds,
                            block->lds_size, 0, places);
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
    if (amdgpu_buffer_offsets(wave, op, &base, offsets) &&
        translate_piece(wave, op, exec, lanes, base, offsets, NULL, access->write, places))
        return true;
    amdgpu_buffer_addresses(wave, op, places);
    return (!places->copied && translate_far(wave, op, exec, places)) ||
           amdgpu_translate_lanes(wave, op, places);
}

INLINE bool translate_space(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                            unsigned lanes, enum amdgpu_space space, bool write,
                            struct amdgpu_places *places)
{
    switch (space) {
    case AMDGPU_SPACE_LDS:
        if (op->src[0].kind == AMDGPU_NONE || op->bits & AMDGPU_TID)
            break;
        return translate_lds(wave, op, exec, lanes, (uint32_t)op->offset_bytes, places);
    case AMDGPU_SPACE_SCRATCH:
        return translate_scratch_op(wave, op, lanes, places);
    case AMDGPU_SPACE_BUFFER:
        return translate_buffer(wave, op, exec, lanes, places);
    default:
        return translate_global(wave, op, exec, lanes, write, places);
    }
    amdgpu_addresses(wave, op, places);
    return amdgpu_translate_lanes(wave, op, places);
}

/* For atomics and other instructions that are neither loads nor stores. */
static bool translate_where(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                            struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    uint64_t exec = amdgpu_exec(wave);
    start(places);
    if (!translate_space(wave, op, exec, wave->lanes, access->space, access->write, places))
        return false;
    for (unsigned lane = 0; places->run && lane < wave->lanes; lane++)
        places->where[lane] =
            (unsigned char *)((uintptr_t)places->run + lane * (uintptr_t)access->bytes);
    return true;
}

/* ---- one lane ------------------------------------------------------------------------- */

/* v: the lane's first register; registers of a lane are lanes words apart. */
INLINE void fetch(uint32_t *restrict v, unsigned lanes, const unsigned char *from,
                  enum amdgpu_element element)
{
    const any32 *words = (const any32 *)(const void *)from;
    switch (element) {
    case AMDGPU_ELEMENT_U8:
        v[0] = *from;
        break;
    case AMDGPU_ELEMENT_I8:
        v[0] = (uint32_t)(int32_t)(signed char)*from;
        break;
    case AMDGPU_ELEMENT_U16:
        v[0] = *(const any16 *)(const void *)from;
        break;
    case AMDGPU_ELEMENT_I16:
        v[0] = (uint32_t)(int32_t)(int16_t) * (const any16 *)(const void *)from;
        break;
    case AMDGPU_ELEMENT_128:
        v[0] = words[0], v[lanes] = words[1], v[2 * lanes] = words[2], v[3 * lanes] = words[3];
        break;
    case AMDGPU_ELEMENT_96:
        v[0] = words[0], v[lanes] = words[1], v[2 * lanes] = words[2];
        break;
    case AMDGPU_ELEMENT_64:
        v[0] = words[0], v[lanes] = words[1];
        break;
    case AMDGPU_ELEMENT_32:
        v[0] = words[0];
        break;
    case AMDGPU_ELEMENT_LOW_U8:
        v[0] = (v[0] & 0xffff0000) | *from;
        break;
    case AMDGPU_ELEMENT_LOW_I8:
        v[0] = (v[0] & 0xffff0000) | (uint16_t)(int16_t)(signed char)*from;
        break;
    case AMDGPU_ELEMENT_LOW_16:
        v[0] = (v[0] & 0xffff0000) | *(const any16 *)(const void *)from;
        break;
    case AMDGPU_ELEMENT_HIGH_U8:
        v[0] = (v[0] & 0xffff) | (uint32_t)*from << 16;
        break;
    case AMDGPU_ELEMENT_HIGH_I8:
        v[0] = (v[0] & 0xffff) | (uint32_t)(int32_t)(signed char)*from << 16;
        break;
    default: /* AMDGPU_ELEMENT_HIGH_16 */
        v[0] = (v[0] & 0xffff) | (uint32_t) * (const any16 *)(const void *)from << 16;
    }
}

INLINE void put(const uint32_t *restrict v, unsigned lanes, unsigned char *to,
                enum amdgpu_element element)
{
    any32 *words = (any32 *)(void *)to;
    switch (element) {
    case AMDGPU_ELEMENT_U8:
        *to = (unsigned char)v[0];
        break;
    case AMDGPU_ELEMENT_U16:
        *(any16 *)(void *)to = (uint16_t)v[0];
        break;
    case AMDGPU_ELEMENT_HIGH_U8:
        *to = (unsigned char)(v[0] >> 16);
        break;
    case AMDGPU_ELEMENT_HIGH_16:
        *(any16 *)(void *)to = (uint16_t)(v[0] >> 16);
        break;
    case AMDGPU_ELEMENT_128:
        words[0] = v[0], words[1] = v[lanes], words[2] = v[2 * lanes], words[3] = v[3 * lanes];
        break;
    case AMDGPU_ELEMENT_96:
        words[0] = v[0], words[1] = v[lanes], words[2] = v[2 * lanes];
        break;
    case AMDGPU_ELEMENT_64:
        words[0] = v[0], words[1] = v[lanes];
        break;
    default: /* AMDGPU_ELEMENT_32 */
        words[0] = v[0];
    }
}

/* ---- all lanes ------------------------------------------------------------------------ */

INLINE unsigned char *place(const struct amdgpu_places *places, unsigned lane, unsigned bytes)
{
    return places->run ? (unsigned char *)((uintptr_t)places->run + (uintptr_t)lane * bytes)
                       : places->where[lane];
}

INLINE void fetch_lanes(uint32_t *restrict v, unsigned lanes, uint64_t exec,
                        const struct amdgpu_places *places, enum amdgpu_element element,
                        unsigned bytes)
{
    const unsigned char *run = places->run;
    if (exec != (lanes == 64 ? UINT64_MAX : UINT32_MAX))
        for (uint64_t left = exec; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            fetch(v + lane, lanes, place(places, lane, bytes), element);
        }
    else if (run)
        for (unsigned lane = 0; lane < lanes; lane++)
            fetch(v + lane, lanes, run + (size_t)lane * bytes, element);
    else
        for (unsigned lane = 0; lane < lanes; lane++)
            fetch(v + lane, lanes, places->where[lane], element);
}

INLINE void put_lanes(const uint32_t *restrict v, unsigned lanes, uint64_t exec,
                      const struct amdgpu_places *places, enum amdgpu_element element,
                      unsigned bytes)
{
    unsigned char *run = places->run;
    if (exec != (lanes == 64 ? UINT64_MAX : UINT32_MAX))
        for (uint64_t left = exec; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            put(v + lane, lanes, place(places, lane, bytes), element);
        }
    else if (run)
        for (unsigned lane = 0; lane < lanes; lane++)
            put(v + lane, lanes, run + (size_t)lane * bytes, element);
    else
        for (unsigned lane = 0; lane < lanes; lane++)
            put(v + lane, lanes, places->where[lane], element);
}

/* Common cases, several lanes at a time. */
INLINE void fetch_some(uint32_t *restrict v, unsigned lanes, const uint32_t *live,
                       const unsigned char *run)
{
    const any32 *from = (const any32 *)(const void *)run;
    for (unsigned lane = 0; lane < lanes; lane++)
        if (live[lane])
            v[lane] = from[lane];
}

INLINE void put_some(const uint32_t *restrict v, unsigned lanes, const uint32_t *live,
                     unsigned char *run)
{
    any32 *to = (any32 *)(void *)run;
    for (unsigned lane = 0; lane < lanes; lane++)
        if (live[lane])
            to[lane] = v[lane];
}

/* Calls with constants. */
INLINE void fetch_all(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned dst,
                      unsigned lanes, uint64_t exec, const struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    uint32_t *v = amdgpu_v(wave, dst);
    switch (access->element) {
#define CASE(element, bytes)                                                                       \
    case element:                                                                                  \
        fetch_lanes(v, lanes, exec, places, element, bytes);                                       \
        break;
        CASE(AMDGPU_ELEMENT_U8, 1)
        CASE(AMDGPU_ELEMENT_I8, 1)
        CASE(AMDGPU_ELEMENT_U16, 2)
        CASE(AMDGPU_ELEMENT_I16, 2)
        CASE(AMDGPU_ELEMENT_64, 8)
        CASE(AMDGPU_ELEMENT_96, 12)
        CASE(AMDGPU_ELEMENT_128, 16)
        CASE(AMDGPU_ELEMENT_LOW_U8, 1)
        CASE(AMDGPU_ELEMENT_LOW_I8, 1)
        CASE(AMDGPU_ELEMENT_LOW_16, 2)
        CASE(AMDGPU_ELEMENT_HIGH_U8, 1)
        CASE(AMDGPU_ELEMENT_HIGH_I8, 1)
        CASE(AMDGPU_ELEMENT_HIGH_16, 2)
#undef CASE
    default:
        if (places->run && exec == amdgpu_all_lanes(wave))
            memcpy(v, places->run, (size_t)lanes * 4);
        else if (places->run)
            fetch_some(v, lanes, amdgpu_live(wave), places->run);
        else if (SIM_LANES_FAST)
            sim_lanes_gather_4(v, places->where, 0, exec, lanes);
        else
            fetch_lanes(v, lanes, exec, places, AMDGPU_ELEMENT_32, 4);
    }
}

INLINE void put_all(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned data,
                    unsigned lanes, uint64_t exec, const struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    const uint32_t *v = amdgpu_v(wave, data);
    switch (access->element) {
#define CASE(element, bytes)                                                                       \
    case element:                                                                                  \
        put_lanes(v, lanes, exec, places, element, bytes);                                         \
        break;
        CASE(AMDGPU_ELEMENT_U8, 1)
        CASE(AMDGPU_ELEMENT_U16, 2)
        CASE(AMDGPU_ELEMENT_64, 8)
        CASE(AMDGPU_ELEMENT_96, 12)
        CASE(AMDGPU_ELEMENT_128, 16)
        CASE(AMDGPU_ELEMENT_HIGH_U8, 1)
        CASE(AMDGPU_ELEMENT_HIGH_16, 2)
#undef CASE
    default:
        if (places->run && exec == amdgpu_all_lanes(wave))
            memcpy(places->run, v, (size_t)lanes * 4);
        else if (places->run)
            put_some(v, lanes, amdgpu_live(wave), places->run);
        else if (SIM_LANES_FAST)
            sim_lanes_scatter_4(v, places->where, 0, exec, lanes);
        else
            put_lanes(v, lanes, exec, places, AMDGPU_ELEMENT_32, 4);
    }
}

/* Separate functions for each kind of wave, since they are long. */
#define TRANSFERS(lanes)                                                                           \
    RACY static void fetch_##lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op,           \
                                   unsigned dst, uint64_t exec,                                    \
                                   const struct amdgpu_places *places)                             \
    {                                                                                              \
        fetch_all(wave, op, dst, lanes, exec, places);                                             \
    }                                                                                              \
    RACY static void put_##lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op,             \
                                 unsigned data, uint64_t exec, struct amdgpu_places *places)       \
    {                                                                                              \
        put_all(wave, op, data, lanes, exec, places);                                              \
        if (places->copied)                                                                        \
            amdgpu_write_copies(wave, op, places);                                                 \
    }
TRANSFERS(64)
TRANSFERS(32)
#undef TRANSFERS

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

/* ---- handlers ------------------------------------------------------------------------- */

/* Loads or stores. */
INLINE const struct amdgpu_op *transfer(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                        unsigned lanes, enum amdgpu_space space, bool write)
{
    struct amdgpu_places places;
    uint64_t exec = amdgpu_exec_of(wave, lanes);
    if (!exec)
        return amdgpu_next(op);
    start(&places);
    if (!translate_space(wave, op, exec, lanes, space, write, &places))
        return NULL;
    if (write)
        (lanes == 64 ? put_64 : put_32)(wave, op, op->dst1, exec, &places);
    else
        (lanes == 64 ? fetch_64 : fetch_32)(wave, op, op->dst, exec, &places);
    return amdgpu_next(op);
}

/* The same for two elements of each lane; both are translated before a register changes. */
INLINE const struct amdgpu_op *transfer_two(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                            unsigned lanes, bool write)
{
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_places first, second;
    uint64_t exec = amdgpu_exec_of(wave, lanes);
    uint32_t offset = (uint32_t)op->offset_bytes;
    if (!exec)
        return amdgpu_next(op);
    start(&first);
    start(&second);
    if (!translate_lds(wave, op, exec, lanes, offset, &first) ||
        !translate_lds(wave, op, exec, lanes, offset + amdgpu_second(op), &second))
        return NULL;
    if (write) {
        (lanes == 64 ? put_64 : put_32)(wave, op, op->dst1, exec, &first);
        (lanes == 64 ? put_64 : put_32)(wave, op, op->src[2].reg, exec, &second);
    } else {
        (lanes == 64 ? fetch_64 : fetch_32)(wave, op, op->dst, exec, &first);
        (lanes == 64 ? fetch_64 : fetch_32)(wave, op, op->dst + access->bytes / 4u, exec, &second);
    }
    return amdgpu_next(op);
}

#define HANDLERS(lanes, name, space)                                                               \
    RACY static const struct amdgpu_op *load_##name##_##lanes(struct amdgpu_wave *wave,            \
                                                              const struct amdgpu_op *op)          \
    {                                                                                              \
        return transfer(wave, op, lanes, space, false);                                            \
    }                                                                                              \
    RACY static const struct amdgpu_op *store_##name##_##lanes(struct amdgpu_wave *wave,           \
                                                               const struct amdgpu_op *op)         \
    {                                                                                              \
        return transfer(wave, op, lanes, space, true);                                             \
    }
#define TWO(lanes)                                                                                 \
    RACY static const struct amdgpu_op *load_two_##lanes(struct amdgpu_wave *wave,                 \
                                                         const struct amdgpu_op *op)               \
    {                                                                                              \
        return transfer_two(wave, op, lanes, false);                                               \
    }                                                                                              \
    RACY static const struct amdgpu_op *store_two_##lanes(struct amdgpu_wave *wave,                \
                                                          const struct amdgpu_op *op)              \
    {                                                                                              \
        return transfer_two(wave, op, lanes, true);                                                \
    }
HANDLERS(64, global, AMDGPU_SPACE_GLOBAL)
HANDLERS(32, global, AMDGPU_SPACE_GLOBAL)
HANDLERS(64, lds, AMDGPU_SPACE_LDS)
HANDLERS(32, lds, AMDGPU_SPACE_LDS)
HANDLERS(64, scratch, AMDGPU_SPACE_SCRATCH)
HANDLERS(32, scratch, AMDGPU_SPACE_SCRATCH)
HANDLERS(64, buffer, AMDGPU_SPACE_BUFFER)
HANDLERS(32, buffer, AMDGPU_SPACE_BUFFER)
TWO(64)
TWO(32)
#undef HANDLERS
#undef TWO

const struct amdgpu_access_functions JOIN(amdgpu_access_, AMDGPU_ISA_NAME) = {
    .load = {[AMDGPU_SPACE_GLOBAL] = {load_global_32, load_global_64},
             [AMDGPU_SPACE_FLAT] = {load_global_32, load_global_64},
             [AMDGPU_SPACE_LDS] = {load_lds_32, load_lds_64},
             [AMDGPU_SPACE_SCRATCH] = {load_scratch_32, load_scratch_64},
             [AMDGPU_SPACE_BUFFER] = {load_buffer_32, load_buffer_64}},
    .store = {[AMDGPU_SPACE_GLOBAL] = {store_global_32, store_global_64},
              [AMDGPU_SPACE_FLAT] = {store_global_32, store_global_64},
              [AMDGPU_SPACE_LDS] = {store_lds_32, store_lds_64},
              [AMDGPU_SPACE_SCRATCH] = {store_scratch_32, store_scratch_64},
              [AMDGPU_SPACE_BUFFER] = {store_buffer_32, store_buffer_64}},
    .load_two = {load_two_32, load_two_64},
    .store_two = {store_two_32, store_two_64},
    .translate = translate_where,
    .permute = {permute_32, permute_64},
    .permute_halves = permute_halves,
};
