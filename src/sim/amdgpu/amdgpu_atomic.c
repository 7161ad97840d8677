/* Atomics of FLAT, GLOBAL, MUBUF and DS. In LDS and scratch they are plain, since a
 * block runs on one thread of the host; elsewhere they are atomics of the host, so that
 * host code and other devices may take part. */
#include "amdgpu_access.h"
#include "sim_half.h"

#include <math.h>
#include <string.h>

/* ---- arithmetic ---------------------------------------------------------------------------- */

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t flushed(uint32_t bits, bool flush)
{
    return flush && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
}

static uint32_t add_f32(uint32_t a, uint32_t b, struct amdgpu_effect_flags flags)
{
    float sum = sim_float_of(flushed(a, flags.flush_in)) + sim_float_of(flushed(b, flags.flush_in));
    return flushed(sim_bits_of(sum), flags.flush_out);
}

/* Of a number and a NaN the number; -0 is less than +0. */
static uint32_t pick_f32(uint32_t old, uint32_t b, bool less, struct amdgpu_effect_flags flags)
{
    uint32_t left = flushed(old, flags.flush_in), right = flushed(b, flags.flush_in);
    float x = sim_float_of(left), y = sim_float_of(right);
    if (x != x || y != y)
        return x != x ? right : left;
    bool smaller = x < y || (x == y && signbit(x) && !signbit(y));
    return smaller == less ? left : right;
}

static uint64_t pick_f64(uint64_t old, uint64_t b, bool less)
{
    double x = double_of(old), y = double_of(b);
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

/* Where the data's highest bit is set, the others of it; else what was there. */
static uint32_t condxchg(uint32_t old, uint32_t b)
{
    return b >> 31 ? b & 0x7fffffff : old;
}

/* ---- one element ------------------------------------------------------------------------------
 */

#define EFFECT(name, value, next_value)                                                            \
    __attribute__((no_sanitize("thread"))) static uint64_t effect_##name(                          \
        unsigned char *where, uint64_t b_bits, uint64_t c_bits, struct amdgpu_effect_flags flags)  \
    {                                                                                              \
        value *place = (value *)(void *)where, b = (value)b_bits, c = (value)c_bits, next;         \
        value old = __atomic_load_n(place, __ATOMIC_RELAXED);                                      \
        (void)b, (void)c;                                                                          \
        do                                                                                         \
            next = (value)(next_value);                                                            \
        while (!flags.plain && !__atomic_compare_exchange_n(place, &old, next, false,              \
                                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));  \
        if (flags.plain)                                                                           \
            __atomic_store_n(place, next, __ATOMIC_RELAXED);                                       \
        return old;                                                                                \
    }
#include "amdgpu_atomic.def"

/* What contention is worth one instruction of the host for. */
#define ADD(name, value)                                                                           \
    __attribute__((no_sanitize("thread"))) static uint64_t effect_##name(                          \
        unsigned char *where, uint64_t b, uint64_t c, struct amdgpu_effect_flags flags)            \
    {                                                                                              \
        value *place = (value *)(void *)where, old;                                                \
        (void)c;                                                                                   \
        if (!flags.plain)                                                                          \
            return __atomic_fetch_add(place, (value)b, __ATOMIC_SEQ_CST);                          \
        old = *place;                                                                              \
        *place = (value)(old + b);                                                                 \
        return old;                                                                                \
    }
ADD(add_u32, uint32_t)
ADD(add_u64, uint64_t)
#undef ADD

/* ---- rows ---------------------------------------------------------------------------------------
 */

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

/* ---- handlers
 * ------------------------------------------------------------------------------------- */

/* Registers of one operand: the lower half of each lane's value, and the upper, or NULL. */
struct halves {
    uint32_t *low, *high;
};

static struct halves halves_of(const struct amdgpu_wave *wave, unsigned reg, unsigned bytes)
{
    return (struct halves){amdgpu_v(wave, reg), bytes == 8 ? amdgpu_v(wave, reg + 1) : NULL};
}

static uint64_t value_of(struct halves halves, unsigned lane)
{
    return halves.low[lane] | (halves.high ? (uint64_t)halves.high[lane] << 32 : 0);
}

static bool is_within(const unsigned char *where, const unsigned char *start, size_t size)
{
    return (uintptr_t)where - (uintptr_t)start < size;
}

/* Nobody else is at what is the block's own. */
static bool is_own(const struct amdgpu_wave *wave, const struct amdgpu_access *access,
                   const unsigned char *where)
{
    const struct amdgpu_block *block = wave->block;
    return access->space == AMDGPU_SPACE_LDS ||
           (access->space != AMDGPU_SPACE_GLOBAL &&
            (is_within(where, block->lds, block->lds_size) ||
             is_within(where, amdgpu_scratch(wave, 0), wave->lanes * block->scratch_stride)));
}

/* LDS follows the mode of the wave, bits 4 and 5: whether subnormal floats are taken and given;
 * memory has its own. */
static struct amdgpu_effect_flags flags_of(const struct amdgpu_wave *wave,
                                           const struct amdgpu_op *op, bool own)
{
    bool flushes = op->bits & AMDGPU_FLUSHES;
    return (struct amdgpu_effect_flags){.plain = own,
                                        .flush_in = own ? !(wave->mode >> 4 & 1) : flushes,
                                        .flush_out = own ? !(wave->mode >> 5 & 1) : flushes};
}

/* All lanes add to one place and none asks what was there. */
static bool add_up(struct amdgpu_wave *wave, const struct amdgpu_op *op, struct halves data,
                   unsigned char *const where[AMDGPU_LANES_MAX])
{
    const struct amdgpu_access *access = op->effect;
    uint64_t exec = amdgpu_exec(wave), sum = 0;
    unsigned first = (unsigned)__builtin_ctzll(exec);
    for (uint64_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (where[lane] != where[first])
            return false;
        sum += value_of(data, lane);
    }
    access->atomic(where[first], sum, 0, flags_of(wave, op, is_own(wave, access, where[first])));
    return true;
}

static const struct amdgpu_op *run_atomic(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_places places;
    uint64_t exec = amdgpu_exec(wave);
    if (!exec)
        return amdgpu_next(op);
    if (!amdgpu_access_functions()->reach(wave, op, &places))
        return NULL;
    bool lds = access->space == AMDGPU_SPACE_LDS;
    struct halves b = halves_of(wave, op->dst1, access->bytes);
    struct halves c =
        halves_of(wave, lds ? op->src[2].reg : op->dst1 + access->bytes / 4u, access->bytes);
    struct halves dst = halves_of(wave, op->dst, access->bytes);
    bool returns = op->bits & AMDGPU_RETURNS, swaps = op->bits & AMDGPU_SWAPS_DATA;
    if (!returns && op->bits & AMDGPU_SUMS && add_up(wave, op, b, places.where))
        return amdgpu_next(op);
    for (uint64_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        unsigned char *where = places.where[lane];
        uint64_t first = value_of(b, lane),
                 second = op->bits & AMDGPU_TWO_DATA ? value_of(c, lane) : 0;
        uint64_t old = access->atomic(where, swaps ? second : first, swaps ? first : second,
                                      flags_of(wave, op, is_own(wave, access, where)));
        if (returns)
            dst.low[lane] = (uint32_t)old;
        if (returns && dst.high)
            dst.high[lane] = (uint32_t)(old >> 32);
    }
    return amdgpu_next(op);
}

/* DS: exchanges at two places of each lane, one after the other. */
static const struct amdgpu_op *run_two(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_op other = *op; /* where the second place is the first */
    struct amdgpu_places first, second;
    if (!amdgpu_exec(wave))
        return amdgpu_next(op);
    other.offset_bytes += amdgpu_second(op);
    if (!amdgpu_access_functions()->reach(wave, op, &first) ||
        !amdgpu_access_functions()->reach(wave, &other, &second))
        return NULL;
    struct amdgpu_effect_flags flags = flags_of(wave, op, true);
    struct halves b = halves_of(wave, op->dst1, access->bytes);
    struct halves c = halves_of(wave, op->src[2].reg, access->bytes);
    struct halves low = halves_of(wave, op->dst, access->bytes);
    struct halves high = halves_of(wave, op->dst + access->bytes / 4u, access->bytes);
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t data = value_of(b, lane), data1 = value_of(c, lane);
        uint64_t old = access->atomic(first.where[lane], data, 0, flags);
        uint64_t old1 = access->atomic(second.where[lane], data1, 0, flags);
        low.low[lane] = (uint32_t)old;
        high.low[lane] = (uint32_t)old1;
        if (low.high) {
            low.high[lane] = (uint32_t)(old >> 32);
            high.high[lane] = (uint32_t)(old1 >> 32);
        }
    }
    return amdgpu_next(op);
}

/* ---- emit
 * ---------------------------------------------------------------------------------------- */

static bool is_f32_add(const struct amdgpu_access *access)
{
    return access->atomic == effect_add_f32;
}

static bool has_two_data(const struct amdgpu_access *access)
{
    amdgpu_atomic atomic = access->atomic;
    return atomic == effect_cmpswap_b32 || atomic == effect_cmpswap_b64 ||
           atomic == effect_cmpswap_f32 || atomic == effect_cmpswap_f64 ||
           atomic == effect_mskor_b32 || atomic == effect_mskor_b64 || atomic == effect_wrap_b32;
}

/* DS of gfx9 and gfx10 has first what is compared with, and then what is written. */
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

bool amdgpu_emit_atomic(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    const struct amdgpu_access *access = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !access; i++)
        if (rows[i].id == inst->row->id)
            access = &rows[i];
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
    op->bits |=
        (returns ? AMDGPU_RETURNS : 0) | (has_two_data(access) ? AMDGPU_TWO_DATA : 0) |
        (compares_first(inst->row->id) ? AMDGPU_SWAPS_DATA : 0) |
        (access->atomic == effect_add_u32 || access->atomic == effect_add_u64 ? AMDGPU_SUMS : 0) |
        (is_f32_add(access) && isa <= AMDGPU_GFX90A ? AMDGPU_FLUSHES : 0);
    return true;
}
