/* Scalar arithmetic: handlers of the rows in amdgpu_scalar.def. Other scalar instructions are in
 * amdgpu_control.c. */
#include "amdgpu_wave.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* ---- functions that rows use -------------------------------------------------------------- */

static inline u32 absolute(u32 value)
{
    return value >> 31 ? -value : value;
}

/* width: up to 127. */
static inline u64 low_bits(u32 width)
{
    return width < 64 ? ((u64)1 << width) - 1 : UINT64_MAX;
}

/* The low bits of a value, signed. */
static inline i64 extend(i64 value, u32 width)
{
    return width == 0 ? 0 : width < 64 ? (i64)((u64)value << (64 - width)) >> (64 - width) : value;
}

static inline u64 reverse(u64 value)
{
    value = (value >> 1 & 0x5555555555555555) | (value & 0x5555555555555555) << 1;
    value = (value >> 2 & 0x3333333333333333) | (value & 0x3333333333333333) << 2;
    value = (value >> 4 & 0x0f0f0f0f0f0f0f0f) | (value & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(value);
}

/* Bit n of 32 goes to bit 2n. */
static inline u64 spread_bits(u32 value)
{
    u64 spread = value;
    spread = (spread | spread << 16) & 0x0000ffff0000ffff;
    spread = (spread | spread << 8) & 0x00ff00ff00ff00ff;
    spread = (spread | spread << 4) & 0x0f0f0f0f0f0f0f0f;
    spread = (spread | spread << 2) & 0x3333333333333333;
    return (spread | spread << 1) & 0x5555555555555555;
}

/* The lowest set bit of each group of four bits. */
static inline u64 any_of_quads(u64 value)
{
    value |= value >> 2;
    return (value | value >> 1) & 0x1111111111111111;
}

static inline u64 whole_quads(u64 value)
{
    return any_of_quads(value) * 15;
}

/* One bit for each group of four. */
static inline u64 quads(u64 value)
{
    value = any_of_quads(value);
    value = (value | value >> 3) & 0x0303030303030303;
    value = (value | value >> 6) & 0x000f000f000f000f;
    value = (value | value >> 12) & 0x000000ff000000ff;
    return (value | value >> 24) & 0xffff;
}

/* ---- operands ------------------------------------------------------------------------------- */

static inline u64 read_source(const struct amdgpu_wave *wave, const struct amdgpu_source *source,
                              size_t size)
{
    if (__builtin_expect(source->kind == AMDGPU_SREG, 1))
        return size == 8 ? amdgpu_s64(wave, source->reg) : wave->s[source->reg];
    if (__builtin_expect(source->kind == AMDGPU_CONST, 1))
        return source->value;
    return amdgpu_scalar(wave, source);
}

static inline u64 read_register(const struct amdgpu_wave *wave, unsigned reg, size_t size)
{
    return size == 8 ? amdgpu_s64(wave, reg) : wave->s[reg];
}

static inline void write_register(struct amdgpu_wave *wave, unsigned reg, u64 value, size_t size)
{
    if (size == 8)
        amdgpu_set_s64(wave, reg, value);
    else
        wave->s[reg] = (u32)value;
}

static inline void write_exec(struct amdgpu_wave *wave, u64 value, size_t size)
{
    write_register(wave, AMDGPU_EXEC, size == 8 ? value & amdgpu_all_lanes(wave) : value, size);
}

/* ---- handlers ---------------------------------------------------------------------- */

#define HANDLER(id)                                                                                \
    static const struct amdgpu_op *exec_##id(struct amdgpu_wave *wave, const struct amdgpu_op *op)
#define SOURCE(type, i) (type) read_source(wave, &op->src[i], sizeof(type))
#define RESULT(type, d)                                                                            \
    write_register(wave, op->dst, sizeof(type) == 8 ? (u64)(d) : (u32)(d), sizeof(type))

/* An effect, and the result and SCC that it computed. */
#define EFFECT(td, result, ...)                                                                    \
    u32 scc = wave->scc;                                                                           \
    result;                                                                                        \
    __VA_ARGS__;                                                                                   \
    RESULT(td, d);                                                                                 \
    wave->scc = scc;                                                                               \
    return amdgpu_next(op);
#define TWO(id, td, ta, tb, ...)                                                                   \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        ta a = SOURCE(ta, 0);                                                                      \
        tb b = SOURCE(tb, 1);                                                                      \
        EFFECT(td, td d, __VA_ARGS__)                                                              \
    }
#define ONE(id, td, ta, ...)                                                                       \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        ta a = SOURCE(ta, 0);                                                                      \
        EFFECT(td, td d, __VA_ARGS__)                                                              \
    }
#define CHANGE(id, td, ta, ...)                                                                    \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        ta a = SOURCE(ta, 0);                                                                      \
        EFFECT(td, td d = (td)read_register(wave, op->dst, sizeof(td)), __VA_ARGS__)               \
    }
#define CONSTANT(id, ...)                                                                          \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        i32 k = (i32)op->offset_bytes;                                                             \
        u32 scc = wave->scc;                                                                       \
        u32 d = wave->s[op->dst];                                                                  \
        __VA_ARGS__;                                                                               \
        wave->s[op->dst] = d;                                                                      \
        wave->scc = scc;                                                                           \
        return amdgpu_next(op);                                                                    \
    }
#define COMPARE(id, ta, tb, condition)                                                             \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        ta a = SOURCE(ta, 0);                                                                      \
        tb b = SOURCE(tb, 1);                                                                      \
        wave->scc = (condition);                                                                   \
        return amdgpu_next(op);                                                                    \
    }
#define COMPARE_CONSTANT(id, ta, condition)                                                        \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        ta a = SOURCE(ta, 0);                                                                      \
        ta k = (ta)op->offset_bytes;                                                               \
        wave->scc = (condition);                                                                   \
        return amdgpu_next(op);                                                                    \
    }
#define SAVE(id, type, effect)                                                                     \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        type a = SOURCE(type, 0);                                                                  \
        type e = (type)amdgpu_exec(wave);                                                          \
        RESULT(type, e);                                                                           \
        write_exec(wave, effect, sizeof(type));                                                    \
        wave->scc = (type)amdgpu_exec(wave) != 0;                                                  \
        return amdgpu_next(op);                                                                    \
    }
#define WRITE(id, type, effect)                                                                    \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        type a = SOURCE(type, 0);                                                                  \
        type e = (type)amdgpu_exec(wave);                                                          \
        write_exec(wave, effect, sizeof(type));                                                    \
        RESULT(type, amdgpu_exec(wave));                                                           \
        wave->scc = (type)amdgpu_exec(wave) != 0;                                                  \
        return amdgpu_next(op);                                                                    \
    }
#include "amdgpu_scalar.def"
#undef TWO
#undef ONE
#undef CHANGE
#undef EFFECT
#undef CONSTANT
#undef COMPARE
#undef COMPARE_CONSTANT
#undef SAVE
#undef WRITE
#undef HANDLER
#undef SOURCE
#undef RESULT

/* ---- emission ---------------------------------------------------------------------- */

struct scalar_row {
    amdgpu_handler run;
    unsigned char dst, src[2]; /* bytes; 0: none */
    bool is_unsigned;          /* SOPK: the constant is an unsigned 16-bit value */
};

static const struct scalar_row rows[] = {
#define TWO(id, td, ta, tb, ...)                                                                   \
    [AMDGPU_ID_##id] = {exec_##id, sizeof(td), {sizeof(ta), sizeof(tb)}, false},
#define ONE(id, td, ta, ...)    [AMDGPU_ID_##id] = {exec_##id, sizeof(td), {sizeof(ta), 0}, false},
#define CHANGE(id, td, ta, ...) [AMDGPU_ID_##id] = {exec_##id, sizeof(td), {sizeof(ta), 0}, false},
#define CONSTANT(id, ...)       [AMDGPU_ID_##id] = {exec_##id, 4, {0, 0}, false},
#define COMPARE(id, ta, tb, condition)                                                             \
    [AMDGPU_ID_##id] = {exec_##id, 0, {sizeof(ta), sizeof(tb)}, false},
#define COMPARE_CONSTANT(id, ta, condition)                                                        \
    [AMDGPU_ID_##id] = {exec_##id, 0, {sizeof(ta), 0}, (ta)-1 > 0},
#define SAVE(id, type, effect)                                                                     \
    [AMDGPU_ID_##id] = {exec_##id, sizeof(type), {sizeof(type), 0}, false},
#define WRITE(id, type, effect)                                                                    \
    [AMDGPU_ID_##id] = {exec_##id, sizeof(type), {sizeof(type), 0}, false},
#include "amdgpu_scalar.def"
#undef TWO
#undef ONE
#undef CHANGE
#undef CONSTANT
#undef COMPARE
#undef COMPARE_CONSTANT
#undef SAVE
#undef WRITE
};

bool amdgpu_emit_source(const struct amdgpu_operand *operand, unsigned size,
                        struct amdgpu_source *out_source)
{
    return amdgpu_source_of(operand, out_source) && operand->kind != AMDGPU_VREG &&
           operand->kind != AMDGPU_NONE &&
           (out_source->kind != AMDGPU_SREG || operand->count * 4u >= size);
}

bool amdgpu_emit_destination(const struct amdgpu_operand *operand, unsigned size,
                             struct amdgpu_op *op)
{
    if (operand->kind == AMDGPU_NULL) {
        op->dst = AMDGPU_DISCARDED;
        return true;
    }
    op->dst = operand->reg;
    return operand->kind == AMDGPU_SREG && operand->count * 4u >= size;
}

static bool emit_arithmetic(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    unsigned id = inst->row->id;
    if (id >= sizeof rows / sizeof *rows || !rows[id].run)
        return false;
    const struct scalar_row *row = &rows[id];
    op->run = row->run;
    op->offset_bytes = row->is_unsigned ? inst->imm & 0xffff : inst->imm;
    for (unsigned i = 0; i < 2; i++)
        if (row->src[i] && !amdgpu_emit_source(&inst->src[i], row->src[i], &op->src[i]))
            return false;
    if (row->dst && !amdgpu_emit_destination(&inst->dst[0], row->dst, op))
        return false;
    return true;
}

bool amdgpu_emit_scalar(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                        struct amdgpu_op *op)
{
    (void)lanes;
    return emit_arithmetic(inst, op) || amdgpu_emit_hwreg(isa, inst, op) ||
           amdgpu_emit_control(isa, inst, op);
}
