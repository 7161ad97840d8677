/* Atomics of FLAT, GLOBAL, MUBUF and DS. In LDS and scratch they are ordinary operations, since a
 * block runs on one thread of the host; in other memory they are atomics of the host, which host
 * code and other devices may use at the same time. */
#include "amdgpu_mimg.h"
#include "log.h"
#include "sim_half.h"
#include "sim_lines.h"
#include "sim_memory.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- arithmetic ----------------------------------------------------------------------- */

static uint32_t flushed(uint32_t bits, bool flush)
{
    return flush && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
}

static uint32_t add_f32(uint32_t a, uint32_t b, const struct amdgpu_atomic_lanes *flags)
{
    float sum =
        sim_float_of(flushed(a, flags->flush_in)) + sim_float_of(flushed(b, flags->flush_in));
    return flushed(sim_bits_of(sum), flags->flush_out);
}

/* Of a number and a NaN, the number; -0 is less than +0. */
static uint32_t pick_f32(uint32_t old, uint32_t b, bool less,
                         const struct amdgpu_atomic_lanes *flags)
{
    uint32_t left = flushed(old, flags->flush_in), right = flushed(b, flags->flush_in);
    float x = sim_float_of(left), y = sim_float_of(right);
    if (x != x || y != y)
        return x != x ? right : left;
    bool smaller = x < y || (x == y && signbit(x) && !signbit(y));
    return smaller == less ? left : right;
}

static uint64_t pick_f64(uint64_t old, uint64_t b, bool less)
{
    double x = sim_double_of(old), y = sim_double_of(b);
    if (x != x || y != y)
        return x != x ? b : old;
    bool smaller = x < y || (x == y && signbit(x) && !signbit(y));
    return smaller == less ? old : b;
}

static uint16_t add_half(uint16_t a, uint16_t b)
{
    return sim_narrow_half(sim_widen_half(a) + sim_widen_half(b));
}

static uint16_t add_bfloat(uint16_t a, uint16_t b)
{
    return sim_narrow_bfloat(sim_widen_bfloat(a) + sim_widen_bfloat(b));
}

static uint32_t pair(uint32_t a, uint32_t b, uint16_t (*add)(uint16_t a, uint16_t b))
{
    uint32_t high = add((uint16_t)(a >> 16), (uint16_t)(b >> 16));
    return high << 16 | add((uint16_t)a, (uint16_t)b);
}

/* If the data's highest bit is set, its other bits; otherwise the old value. */
static uint32_t condxchg(uint32_t old, uint32_t b)
{
    return b >> 31 ? b & 0x7fffffff : old;
}

/* ---- all lanes ------------------------------------------------------------------------ */

static inline uint64_t value_of(struct amdgpu_halves halves, unsigned lane)
{
    return (halves.low ? halves.low[lane] : 0) |
           (halves.high ? (uint64_t)halves.high[lane] << 32 : 0);
}

static inline void set_value(struct amdgpu_halves halves, unsigned lane, uint64_t value)
{
    if (halves.low)
        halves.low[lane] = (uint32_t)value;
    if (halves.high)
        halves.high[lane] = (uint32_t)(value >> 32);
}

/* Registers of a lane are read before they are written: they may be the same. */
#define EFFECT(name, value, next_value)                                                            \
    __attribute__((no_sanitize("thread"))) static void effect_##name(                              \
        const struct amdgpu_atomic_lanes *flags)                                                   \
    {                                                                                              \
        for (uint64_t left = flags->exec; left; left &= left - 1) {                                \
            unsigned lane = (unsigned)__builtin_ctzll(left);                                       \
            value *place = (value *)(void *)flags->where[lane], next;                              \
            value b = (value)value_of(flags->b, lane), c = (value)value_of(flags->c, lane);        \
            value old = __atomic_load_n(place, __ATOMIC_RELAXED);                                  \
            (void)b, (void)c;                                                                      \
            do                                                                                     \
                next = (value)(next_value);                                                        \
            while (!flags->plain &&                                                                \
                   !__atomic_compare_exchange_n(place, &old, next, false, __ATOMIC_SEQ_CST,        \
                                                __ATOMIC_RELAXED));                                \
            if (flags->plain)                                                                      \
                __atomic_store_n(place, next, __ATOMIC_RELAXED);                                   \
            set_value(flags->dst, lane, old);                                                      \
        }                                                                                          \
    }
#include "amdgpu_atomic.def"

/* Operations whose contention makes a host instruction worthwhile; and if all lanes add to one
 * address and none uses the old value, the sum is added once. */
#define ADD(name, value)                                                                           \
    __attribute__((no_sanitize("thread"))) static void add_up_##name(                              \
        const struct amdgpu_atomic_lanes *lanes)                                                   \
    {                                                                                              \
        value sum = 0, *place = NULL;                                                              \
        for (uint64_t left = lanes->exec; left; left &= left - 1) {                                \
            unsigned lane = (unsigned)__builtin_ctzll(left);                                       \
            place = (value *)(void *)lanes->where[lane];                                           \
            sum += (value)value_of(lanes->b, lane);                                                \
        }                                                                                          \
        __atomic_fetch_add(place, sum, __ATOMIC_SEQ_CST);                                          \
    }                                                                                              \
    __attribute__((no_sanitize("thread"))) static void effect_##name(                              \
        const struct amdgpu_atomic_lanes *lanes)                                                   \
    {                                                                                              \
        if (!lanes->dst.low && lanes->one_place) {                                                 \
            add_up_##name(lanes);                                                                  \
            return;                                                                                \
        }                                                                                          \
        for (uint64_t left = lanes->exec; left; left &= left - 1) {                                \
            unsigned lane = (unsigned)__builtin_ctzll(left);                                       \
            value *place = (value *)(void *)lanes->where[lane], old;                               \
            value b = (value)value_of(lanes->b, lane);                                             \
            if (lanes->plain) {                                                                    \
                old = *place;                                                                      \
                *place = (value)(old + b);                                                         \
            } else {                                                                               \
                old = __atomic_fetch_add(place, b, __ATOMIC_SEQ_CST);                              \
            }                                                                                      \
            set_value(lanes->dst, lane, old);                                                      \
        }                                                                                          \
    }
ADD(add_u32, uint32_t)
ADD(add_u64, uint64_t)
#undef ADD

/* ---- rows ----------------------------------------------------------------------------- */

static const struct amdgpu_access rows[] = {
#define ROW(row, where, does, size, units)                                                         \
    {.id = AMDGPU_ID_##row,                                                                        \
     .space = AMDGPU_SPACE_##where,                                                                \
     .element = size == 8 ? AMDGPU_ELEMENT_64 : AMDGPU_ELEMENT_32,                                 \
     .bytes = size,                                                                                \
     .scale = units,                                                                               \
     .write = true,                                                                                \
     .atomic = effect_##does},
#define ATOMIC(name, effect, size)                                                                 \
    ROW(GLOBAL_ATOMIC_##name, GLOBAL, effect, size, 0)                                             \
    ROW(FLAT_ATOMIC_##name, FLAT, effect, size, 0)                                                 \
    ROW(BUFFER_ATOMIC_##name, BUFFER, effect, size, 0)
#define DS_ATOMIC(name, type, effect, size)                                                        \
    ROW(DS_##name##_##type, LDS, effect, size, 0)                                                  \
    ROW(DS_##name##_RTN_##type, LDS, effect, size, 0)
#define ONE(name, where, effect, size, units) ROW(name, where, effect, size, units)
#include "amdgpu_atomic.def"
#undef ROW
};

/* ---- handlers ------------------------------------------------------------------------- */

static struct amdgpu_halves halves_of(const struct amdgpu_wave *wave, unsigned reg, unsigned bytes)
{
    return (struct amdgpu_halves){amdgpu_v(wave, reg), bytes == 8 ? amdgpu_v(wave, reg + 1) : NULL};
}

static bool is_within(const unsigned char *where, const unsigned char *start, size_t size)
{
    return (uintptr_t)where - (uintptr_t)start < size;
}

/* Each lane's memory belongs to the block, which runs on this thread only. */
static uint64_t lanes_in_block(const struct amdgpu_wave *wave, const struct amdgpu_access *access,
                               unsigned char *const where[AMDGPU_LANES_MAX])
{
    const struct amdgpu_block *block = wave->block;
    uint64_t exec = amdgpu_exec(wave), own = 0;
    if (access->space == AMDGPU_SPACE_LDS)
        return exec;
    if (access->space == AMDGPU_SPACE_GLOBAL)
        return 0;
    for (uint64_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (is_within(where[lane], block->lds, block->lds_size) ||
            is_within(where[lane], amdgpu_scratch(wave, 0), wave->lanes * block->scratch_stride))
            own |= UINT64_C(1) << lane;
    }
    return own;
}

/* gfx90a's floating-point atomics leave fine-grained memory unchanged and return 0, since the bus
 * to the host does not support them; the program is not interrupted. Returns the lanes in
 * fine-grained memory. */
static uint64_t lost_lanes(const struct amdgpu_op *op, unsigned char *const where[AMDGPU_LANES_MAX],
                           uint64_t exec)
{
    enum { PAGE = 4096 }; /* a page has one kind of memory */
    uintptr_t page = UINTPTR_MAX;
    bool fine = false;
    uint64_t lost = 0;
    if (!(op->bits & AMDGPU_COARSE_ONLY))
        return 0;
    for (uint64_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if ((uintptr_t)where[lane] / PAGE != page)
            fine = sim_memory_is_fine(where[lane]);
        page = (uintptr_t)where[lane] / PAGE;
        lost |= (uint64_t)fine << lane;
    }
    return lost;
}

static void discard_lanes(const struct amdgpu_atomic_lanes *lanes, const struct amdgpu_op *op,
                          uint64_t lost)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (lost && !atomic_flag_test_and_set(&said))
        AH_LOG_WARN("%s on fine-grained memory has no effect on gfx90a: use an atomic that is safe "
                    "there (safeAtomicAdd), or coarse-grained memory",
                    op->inst->row->name);
    for (; lost; lost &= lost - 1)
        set_value(lanes->dst, (unsigned)__builtin_ctzll(lost), 0);
}

/* LDS uses the mode of the wave, bits 4 and 5: whether subnormal floats are kept as sources and
 * results; memory has its own mode. */
static void do_lanes(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                     struct amdgpu_atomic_lanes *lanes, uint64_t exec, bool own)
{
    const struct amdgpu_access *access = op->effect;
    bool flushes = op->bits & AMDGPU_FLUSHES;
    if (!exec)
        return;
    lanes->exec = exec;
    lanes->plain = own;
    lanes->flush_in = own ? !(wave->mode >> 4 & 1) : flushes;
    lanes->flush_out = own ? !(wave->mode >> 5 & 1) : flushes;
    lanes->one_place = !(own && lanes->dst.low) && sim_is_one_place(lanes->where, exec);
    if (!own && !lanes->one_place)
        sim_fetch_lines(lanes->where, exec);
    access->atomic(lanes);
}

static const struct amdgpu_op *run_atomic(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_places places;
    uint64_t exec = amdgpu_exec(wave);
    if (!exec)
        return amdgpu_next(op);
    if (!amdgpu_access_functions()->translate(wave, op, &places))
        return NULL;
    struct amdgpu_atomic_lanes lanes = {.where = places.where};
    lanes.b = halves_of(wave, op->dst1, access->bytes);
    if (op->bits & AMDGPU_TWO_DATA) {
        bool lds = access->space == AMDGPU_SPACE_LDS;
        unsigned further = lds ? op->src[2].reg : op->dst1 + access->bytes / 4u;
        lanes.c = halves_of(wave, further, access->bytes);
    }
    if (op->bits & AMDGPU_SWAPS_DATA) {
        struct amdgpu_halves first = lanes.b;
        lanes.b = lanes.c;
        lanes.c = first;
    }
    if (op->bits & AMDGPU_RETURNS)
        lanes.dst = halves_of(wave, op->dst, access->bytes);
    uint64_t own = lanes_in_block(wave, access, places.where);
    uint64_t lost = lost_lanes(op, places.where, exec & ~own);
    discard_lanes(&lanes, op, lost);
    do_lanes(wave, op, &lanes, own, true);
    do_lanes(wave, op, &lanes, exec & ~own & ~lost, false);
    return amdgpu_next(op);
}

/* DS: exchanges two elements of each lane; both addresses are translated and all data read before a
 * register changes. */
static const struct amdgpu_op *run_two(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_op other = *op; /* if both elements are at one address */
    struct amdgpu_places first, second;
    uint32_t data[2][AMDGPU_LANES_MAX];
    uint64_t exec = amdgpu_exec(wave);
    size_t size = wave->lanes * sizeof **data;
    if (!exec)
        return amdgpu_next(op);
    other.offset_bytes += amdgpu_second(op);
    if (!amdgpu_access_functions()->translate(wave, op, &first) ||
        !amdgpu_access_functions()->translate(wave, &other, &second))
        return NULL;
    struct amdgpu_atomic_lanes lanes = {.where = first.where};
    lanes.b = halves_of(wave, op->dst1, access->bytes);
    lanes.dst = halves_of(wave, op->dst, access->bytes);
    struct amdgpu_halves further = halves_of(wave, op->src[2].reg, access->bytes);
    memcpy(data[0], further.low, size);
    if (further.high)
        memcpy(data[1], further.high, size);
    do_lanes(wave, op, &lanes, exec, true);
    lanes.where = second.where;
    lanes.b = (struct amdgpu_halves){data[0], further.high ? data[1] : NULL};
    lanes.dst = halves_of(wave, op->dst + access->bytes / 4u, access->bytes);
    do_lanes(wave, op, &lanes, exec, true);
    return amdgpu_next(op);
}

/* ---- emit ----------------------------------------------------------------------------- */

static bool is_f32_add(const struct amdgpu_access *access)
{
    return access->atomic == effect_add_f32;
}

static bool is_coarse_only(const struct amdgpu_access *access)
{
    amdgpu_atomic atomic = access->atomic;
    return access->space != AMDGPU_SPACE_LDS &&
           (atomic == effect_add_f32 || atomic == effect_add_f64 || atomic == effect_min_f64 ||
            atomic == effect_max_f64 || atomic == effect_pk_add_f16);
}

static bool has_two_data(const struct amdgpu_access *access)
{
    amdgpu_atomic atomic = access->atomic;
    return atomic == effect_cmpswap_b32 || atomic == effect_cmpswap_b64 ||
           atomic == effect_cmpswap_f32 || atomic == effect_cmpswap_f64 ||
           atomic == effect_mskor_b32 || atomic == effect_mskor_b64 || atomic == effect_wrap_b32;
}

/* DS of gfx9 and gfx10 has the value to compare with first, and then the value to write. */
static bool compares_first(unsigned id)
{
    switch (id) {
    case AMDGPU_ID_DS_CMPST_B32:
    case AMDGPU_ID_DS_CMPST_B64:
    case AMDGPU_ID_DS_CMPST_F32:
    case AMDGPU_ID_DS_CMPST_F64:
    case AMDGPU_ID_DS_CMPST_RTN_B32:
    case AMDGPU_ID_DS_CMPST_RTN_B64:
    case AMDGPU_ID_DS_CMPST_RTN_F32:
    case AMDGPU_ID_DS_CMPST_RTN_F64:
        return true;
    default:
        return false;
    }
}

static const struct amdgpu_access *find_atomic(unsigned id)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}

bool amdgpu_emit_atomic(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    const struct amdgpu_access *access = find_atomic(inst->row->id);
    if (!access)
        return false;
    bool returns = inst->row->flags & AMDGPU_ROW_RETURNS || inst->glc;
    op->effect = access;
    op->run = access->scale ? run_two : run_atomic;
    if (access->scale) {
        amdgpu_set_offsets(inst, access, op);
        return true;
    }
    if (returns && inst->dst[0].kind == AMDGPU_NONE)
        op->dst = op->dst1; /* MUBUF: over the data */
    op->bits |= (returns ? AMDGPU_RETURNS : 0) | (has_two_data(access) ? AMDGPU_TWO_DATA : 0) |
                (compares_first(inst->row->id) ? AMDGPU_SWAPS_DATA : 0) |
                (is_f32_add(access) && isa <= AMDGPU_GFX90A ? AMDGPU_FLUSHES : 0) |
                (is_coarse_only(access) && isa == AMDGPU_GFX90A ? AMDGPU_COARSE_ONLY : 0);
    return true;
}

/* ---- images --------------------------------------------------------------------------- */

/* Atomics on global memory, for texels of 32 and of 64 bits. */
static const struct {
    unsigned short image, of32, of64;
} of_images[] = {
#define IMAGE(name, of32, of64)                                                                    \
    {                                                                                              \
        AMDGPU_ID_IMAGE_ATOMIC_##name, AMDGPU_ID_GLOBAL_ATOMIC_##of32,                             \
            AMDGPU_ID_GLOBAL_ATOMIC_##of64                                                         \
    }
    IMAGE(SWAP, SWAP_B32, SWAP_B64), IMAGE(CMPSWAP, CMPSWAP_B32, CMPSWAP_B64),
    IMAGE(ADD, ADD_U32, ADD_U64),    IMAGE(SUB, SUB_U32, SUB_U64),
    IMAGE(SMIN, MIN_I32, MIN_I64),   IMAGE(UMIN, MIN_U32, MIN_U64),
    IMAGE(SMAX, MAX_I32, MAX_I64),   IMAGE(UMAX, MAX_U32, MAX_U64),
    IMAGE(AND, AND_B32, AND_B64),    IMAGE(OR, OR_B32, OR_B64),
    IMAGE(XOR, XOR_B32, XOR_B64),    IMAGE(INC, INC_U32, INC_U64),
    IMAGE(DEC, DEC_U32, DEC_U64),
#undef IMAGE
};

bool amdgpu_emit_image_atomic(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    const struct amdgpu_access *access = NULL;
    unsigned data = inst->data.count;
    bool compares = inst->row->id == AMDGPU_ID_IMAGE_ATOMIC_CMPSWAP;
    for (size_t i = 0; i < sizeof of_images / sizeof *of_images; i++)
        if (of_images[i].image == inst->row->id)
            access =
                find_atomic(data == (compares ? 4 : 2) ? of_images[i].of64 : of_images[i].of32);
    op->effect = access;
    return access && (data == (compares ? 2 : 1) || data == (compares ? 4 : 2));
}

void amdgpu_atomic_at(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct amdgpu_places *places, uint64_t exec)
{
    const struct amdgpu_access *access = op->effect;
    const struct amdgpu_inst *inst = op->inst;
    struct amdgpu_atomic_lanes lanes = {.where = places->where};
    lanes.b = halves_of(wave, inst->data.reg, access->bytes);
    if (has_two_data(access))
        lanes.c = halves_of(wave, inst->data.reg + access->bytes / 4u, access->bytes);
    if (inst->glc)
        lanes.dst = halves_of(wave, inst->data.reg, access->bytes);
    do_lanes(wave, op, &lanes, exec, false);
}
