/* Products of matrices that lie in the registers of a whole wave: MFMA of CDNA, WMMA of RDNA3.
 * All lanes take part, whatever EXEC is. Products are added one by one, each sum rounded. */
#include "amdgpu_alu.h"
#include "amdgpu_exec.h"
#include "sim_half.h"

#include <math.h>

enum element { F32, F16, BF16, I8, I4, F64 };

/* D = A * B + C, of blocks of them side by side. */
struct shape {
    unsigned short id;
    unsigned char size, depth, blocks, element; /* of D: size by size; of A: size by depth */
};

/* Elements of A, or of B turned over: that of a row and a column is at row * depth + column. */
enum { ELEMENTS_MAX = 1024, SUMS_MAX = 32 * 32 * 2 };
struct operand {
    double elements[ELEMENTS_MAX];
};

/* ---- elements ---------------------------------------------------------------------------- */

static unsigned bits_of(enum element element)
{
    static const unsigned char bits[] = {32, 16, 16, 8, 4, 64};
    return bits[element];
}

static float flushed(float value, bool flush)
{
    return flush && fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

/* The element at an index of those that a lane has from a register on. */
static double element_at(const struct amdgpu_wave *wave, unsigned reg, unsigned lane,
                         enum element element, unsigned index, bool has_sign)
{
    unsigned bits = bits_of(element), at = index * bits;
    uint32_t word = amdgpu_v(wave, reg + at / 32)[lane];
    uint32_t part = bits < 32 ? word >> at % 32 & ((1u << bits) - 1) : word;
    switch (element) {
    case F32:
        return (double)sim_float_of(word);
    case F16:
        return (double)sim_widen_half((uint16_t)part);
    case BF16:
        return (double)sim_widen_bfloat((uint16_t)part);
    case F64:
        return sim_double_of(word | (uint64_t)amdgpu_v(wave, reg + at / 32 + 1)[lane] << 32);
    default:
        return has_sign ? (double)((int32_t)(part << (32 - bits)) >> (32 - bits)) : (double)part;
    }
}

/* ---- sums --------------------------------------------------------------------------------- */

static double multiply_floats(const double *row, const double *column, unsigned depth, double sum)
{
    float total = (float)sum;
    for (unsigned k = 0; k < depth; k++)
        total = fmaf((float)row[k], (float)column[k], total);
    return (double)total;
}

static double multiply_doubles(const double *row, const double *column, unsigned depth, double sum)
{
    for (unsigned k = 0; k < depth; k++)
        sum = fma(row[k], column[k], sum);
    return sum;
}

/* 32 bits of it, or the nearest that they can hold. */
static double multiply_integers(const double *row, const double *column, unsigned depth, double sum,
                                bool clamp)
{
    int64_t total = (int64_t)sum;
    for (unsigned k = 0; k < depth; k++)
        total += (int64_t)row[k] * (int64_t)column[k];
    if (clamp)
        return (double)(total < INT32_MIN ? INT32_MIN : total > INT32_MAX ? INT32_MAX : total);
    return (double)(int32_t)(uint32_t)total;
}

static double multiply(const struct shape *shape, const double *row, const double *column,
                       double sum, bool clamp)
{
    switch (shape->element) {
    case F64:
        return multiply_doubles(row, column, shape->depth, sum);
    case I8:
    case I4:
        return multiply_integers(row, column, shape->depth, sum, clamp);
    default:
        return multiply_floats(row, column, shape->depth, sum);
    }
}

/* ---- MFMA --------------------------------------------------------------------------------- */

enum { LANES = 64 };

/* Which of B's lanes a lane's are taken from. */
static unsigned pattern_lane(unsigned pattern, unsigned lane)
{
    enum { TURNED = 3 };
    if (pattern == 0 || pattern == TURNED)
        return (lane + (pattern ? 16 : 0)) % LANES;
    return pattern < 4 ? (pattern - 1) * 32 + lane % 32 : (pattern - 4) * 16 + lane % 16;
}

static void read_operand(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                         const struct shape *shape, unsigned index, unsigned pattern,
                         struct operand *out)
{
    unsigned each = shape->size * shape->depth * shape->blocks / LANES; /* of a lane */
    bool flush = op->bits == AMDGPU_GFX90A && (shape->element == F16 || shape->element == BF16);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned row = lane % shape->size, block = lane / shape->size % shape->blocks;
        unsigned first = lane / (shape->size * shape->blocks) * each;
        for (unsigned i = 0; i < each; i++) {
            double value = element_at(wave, op->inst->src[index].reg, pattern_lane(pattern, lane),
                                      (enum element)shape->element, i, true);
            if (flush && shape->element == F16 && fabs(value) < 0x1p-14)
                value = copysign(0, value);
            else if (flush)
                value = (double)flushed((float)value, true);
            out->elements[(block * shape->size + row) * shape->depth + first + i] = value;
        }
    }
}

struct place { /* of a sum */
    unsigned block, row, column;
};

static struct place place_of(const struct shape *shape, unsigned lane, unsigned reg)
{
    unsigned size = shape->size, group = lane / size;
    if (shape->element == F64)
        return (struct place){group % shape->blocks,
                              reg * (LANES / (size * shape->blocks)) + group / shape->blocks,
                              lane % size};
    if (size == 4)
        return (struct place){group, reg, lane % size};
    unsigned each = size * size / LANES, within = reg % each;
    return (struct place){reg / each, within / 4 * (4 * LANES / size) + group * 4 + within % 4,
                          lane % size};
}

/* C's, before D's registers change: they may be the same. */
static double addend(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                     const struct shape *shape, unsigned lane, unsigned reg)
{
    const struct amdgpu_operand *c = &op->inst->src[2];
    bool integers = shape->element == I8;
    enum element element = shape->element == F64 ? F64 : F32;
    if (c->kind == AMDGPU_VREG)
        return integers ? (double)(int32_t)amdgpu_v(wave, c->reg + reg)[lane]
                        : element_at(wave, c->reg, lane, element, reg, true);
    if (element == F64)
        return sim_double_of(c->value);
    return integers ? (double)(int32_t)c->value : (double)sim_float_of((uint32_t)c->value);
}

static void write_sum(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct shape *shape, unsigned lane, unsigned reg, double sum)
{
    unsigned dst = op->inst->dst[0].reg;
    if (shape->element == F64) {
        uint64_t bits = sim_bits_of_double(sum);
        amdgpu_v(wave, dst + 2 * reg)[lane] = (uint32_t)bits;
        amdgpu_v(wave, dst + 2 * reg + 1)[lane] = (uint32_t)(bits >> 32);
        return;
    }
    bool flush = op->bits == AMDGPU_GFX90A && (shape->element == F16 || shape->element == BF16);
    amdgpu_v(wave, dst + reg)[lane] =
        shape->element == I8 ? (uint32_t)(int32_t)sum : sim_bits_of(flushed((float)sum, flush));
}

static const struct amdgpu_op *run_mfma(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct shape *shape = op->effect;
    const struct amdgpu_inst *inst = op->inst;
    unsigned registers = shape->size * shape->size * shape->blocks / LANES;
    unsigned shared = (1u << inst->neg_hi) - 1; /* blocks that have one A */
    struct operand a, b;
    double sums[SUMS_MAX];
    read_operand(wave, op, shape, 0, 0, &a);
    read_operand(wave, op, shape, 1, inst->neg, &b);
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            struct place at = place_of(shape, lane, reg);
            unsigned block = shared ? (at.block & ~shared) | (inst->op_sel & shared) : at.block;
            const double *row = &a.elements[(block * shape->size + at.row) * shape->depth];
            const double *column = &b.elements[(at.block * shape->size + at.column) * shape->depth];
            sums[reg * LANES + lane] =
                multiply(shape, row, column, addend(wave, op, shape, lane, reg), false);
        }
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < LANES; lane++)
            write_sum(wave, op, shape, lane, reg, sums[reg * LANES + lane]);
    return amdgpu_next(op);
}

/* ---- WMMA --------------------------------------------------------------------------------- */

enum { TILE = 16 };

/* Halves of D lie in the lower or the upper half of a register, of which the other stays. */
struct tile {
    struct shape shape;
    enum element result; /* I8: 32-bit integers */
};

static double tile_addend(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          const struct tile *tile, unsigned lane, unsigned reg)
{
    const struct amdgpu_operand *c = &op->inst->src[2];
    uint32_t word =
        c->kind == AMDGPU_VREG ? amdgpu_v(wave, c->reg + reg)[lane] : (uint32_t)c->value;
    uint16_t half = (uint16_t)(c->kind == AMDGPU_VREG && op->inst->op_sel & 4 ? word >> 16 : word);
    switch (tile->result) {
    case I8:
        return (double)(int32_t)word;
    case F16:
        return (double)sim_widen_half(half);
    case BF16:
        return (double)sim_widen_bfloat(half);
    default:
        return (double)sim_float_of(word);
    }
}

static void write_tile(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                       const struct tile *tile, unsigned lane, unsigned reg, double sum)
{
    uint32_t *to = &amdgpu_v(wave, op->inst->dst[0].reg + reg)[lane], half;
    if (tile->result == I8) {
        *to = (uint32_t)(int32_t)sum;
    } else if (tile->result == F32) {
        *to = sim_bits_of((float)sum);
    } else {
        half = tile->result == F16 ? sim_narrow_half((float)sum) : sim_narrow_bfloat((float)sum);
        *to = op->inst->op_sel & 4 ? (*to & 0xffff) | half << 16 : (*to & 0xffff0000) | half;
    }
}

static const struct amdgpu_op *run_wmma(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct tile *tile = op->effect;
    const struct amdgpu_inst *inst = op->inst;
    unsigned registers = TILE * TILE / wave->lanes, step = wave->lanes / TILE;
    struct operand operands[2];
    double sums[TILE * TILE];
    for (unsigned i = 0; i < 2; i++)
        for (unsigned row = 0; row < TILE; row++)
            for (unsigned k = 0; k < TILE; k++)
                operands[i].elements[row * TILE + k] =
                    element_at(wave, inst->src[i].reg, row, (enum element)tile->shape.element, k,
                               inst->neg >> i & 1);
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < wave->lanes; lane++)
            sums[reg * wave->lanes + lane] =
                multiply(&tile->shape, &operands[0].elements[(reg * step + lane / TILE) * TILE],
                         &operands[1].elements[lane % TILE * TILE],
                         tile_addend(wave, op, tile, lane, reg), inst->clamp);
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < wave->lanes; lane++)
            write_tile(wave, op, tile, lane, reg, sums[reg * wave->lanes + lane]);
    return amdgpu_next(op);
}

/* ---- rows --------------------------------------------------------------------------------- */

static const struct shape shapes[] = {
#define MATRIX(id, size, depth, blocks, element) {AMDGPU_ID_##id, size, depth, blocks, element},
#include "amdgpu_matrix.def"
};

static const struct tile tiles[] = {
    {{AMDGPU_ID_V_WMMA_F32_16X16X16_F16, TILE, TILE, 1, F16}, F32},
    {{AMDGPU_ID_V_WMMA_F32_16X16X16_BF16, TILE, TILE, 1, BF16}, F32},
    {{AMDGPU_ID_V_WMMA_F16_16X16X16_F16, TILE, TILE, 1, F16}, F16},
    {{AMDGPU_ID_V_WMMA_BF16_16X16X16_BF16, TILE, TILE, 1, BF16}, BF16},
    {{AMDGPU_ID_V_WMMA_I32_16X16X16_IU8, TILE, TILE, 1, I8}, I8},
    {{AMDGPU_ID_V_WMMA_I32_16X16X16_IU4, TILE, TILE, 1, I4}, I8},
};

static bool is_constant_or_register(const struct amdgpu_operand *operand)
{
    return operand->kind == AMDGPU_VREG || operand->kind == AMDGPU_CONST;
}

/* Signs of doubles, which gfx942 has in the pattern's place, are not here. */
static bool emit_mfma(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                      const struct shape *shape, struct amdgpu_op *op)
{
    if ((shape->element == F64 && (inst->neg || inst->neg_hi)) ||
        1u << inst->neg_hi > shape->blocks)
        return false;
    op->effect = shape;
    op->bits = isa;
    op->run = run_mfma;
    return true;
}

/* neg of integers: which are signed. Signs of floats are not here. */
static bool emit_wmma(const struct amdgpu_inst *inst, const struct tile *tile, struct amdgpu_op *op)
{
    bool integers = tile->result == I8;
    if (inst->op_sel & 3 || inst->neg_hi || inst->neg & (integers ? 4 : 7) ||
        (inst->clamp && !integers))
        return false;
    op->effect = tile;
    op->run = run_wmma;
    return true;
}

bool amdgpu_emit_matrix(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    if (inst->src[0].kind != AMDGPU_VREG || inst->src[1].kind != AMDGPU_VREG ||
        !is_constant_or_register(&inst->src[2]))
        return false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].id == inst->row->id)
            return emit_mfma(isa, inst, &shapes[i], op);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (tiles[i].shape.id == inst->row->id)
            return emit_wmma(inst, &tiles[i], op);
    return false;
}
