/* Products of matrices that lie in the registers of a whole wave. All lanes take part, whatever
 * EXEC is. Products are added one by one, in the order of A's columns, each sum rounded.
 *
 * Lanes that are neighbours have neighbouring columns of D, and B's elements of one k: sums of a
 * row are vectors, to which k times one element of A is added. Compiled once for each instruction
 * set of the host (AMDGPU_ISA_NAME). */
#include "amdgpu_matrix.h"
#include "sim_lane.h"

#include <math.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* Elements of A, or of B turned over: all rows of all blocks for k = 0, then for k = 1, and on. */
enum { ELEMENTS_MAX = 512, SUMS_MAX = 32 * 32 * 2, DOUBLES_MAX = 16 * 16, LANES = 64 };
struct operand {
    union {
        f32 floats[ELEMENTS_MAX];
        s32 integers[ELEMENTS_MAX];
        f64 doubles[ELEMENTS_MAX];
    } __attribute__((aligned(64)));
};
struct sums { /* by register, and lane in it */
    union {
        f32 floats[SUMS_MAX];
        s32 integers[SUMS_MAX];
        f64 doubles[DOUBLES_MAX];
    } __attribute__((aligned(64)));
};

static bool is_small(unsigned element) /* of 16 bits */
{
    return element == AMDGPU_MATRIX_F16 || element == AMDGPU_MATRIX_BF16;
}

/* ---- elements ------------------------------------------------------------------------------ */

/* The elements of an index of those that each of n lanes has from a register on, as 32 bits. Floats
 * below least are 0. */
LANE void decode(const struct amdgpu_wave *wave, unsigned reg, unsigned n, unsigned element,
                 unsigned index, bool has_sign, f32 least, u32 *restrict out)
{
    static const unsigned char sizes[] = {32, 16, 16, 8, 4};
    unsigned bits = sizes[element], at = index * bits, shift = at % 32, unused = 32 - bits;
    const u32 *words = amdgpu_v(wave, reg + at / 32);
    if (element == AMDGPU_MATRIX_F32)
        memcpy(out, words, n * sizeof *words);
    else if (element == AMDGPU_MATRIX_F16)
        for (unsigned lane = 0; lane < n; lane++)
            out[lane] = bits_f32(sim_widen_half(words[lane] >> shift & 0xffff));
    else if (element == AMDGPU_MATRIX_BF16)
        for (unsigned lane = 0; lane < n; lane++)
            out[lane] = words[lane] >> shift << 16;
    else if (has_sign)
        for (unsigned lane = 0; lane < n; lane++)
            out[lane] = (u32)((s32)(words[lane] >> shift << unused) >> unused);
    else
        for (unsigned lane = 0; lane < n; lane++)
            out[lane] = words[lane] >> shift << unused >> unused;
    for (unsigned lane = 0; least > 0 && lane < n; lane++)
        out[lane] = fabsf(f32_of(out[lane])) < least ? out[lane] & 0x80000000 : out[lane];
}

/* Which of B's lanes a lane's are taken from. */
static unsigned pattern_lane(unsigned pattern, unsigned lane)
{
    enum { TURNED = 3 };
    if (pattern == 0 || pattern == TURNED)
        return (lane + (pattern ? 16 : 0)) % LANES;
    return pattern < 4 ? (pattern - 1) * 32 + lane % 32 : (pattern - 4) * 16 + lane % 16;
}

static void spread(u32 values[LANES], unsigned pattern)
{
    u32 old[LANES];
    memcpy(old, values, sizeof old);
    for (unsigned lane = 0; lane < LANES; lane++)
        values[lane] = old[pattern_lane(pattern, lane)];
}

/* A lane has each elements of a row of a block, one k after the other. */
static void read_operand(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                         const struct amdgpu_matrix *shape, unsigned index, unsigned pattern,
                         struct operand *out)
{
    unsigned rows = shape->size * shape->blocks, groups = LANES / rows;
    unsigned each = shape->depth / groups, reg = op->inst->src[index].reg;
    bool flush = op->bits == AMDGPU_GFX90A && is_small(shape->element);
    f32 least = !flush ? 0 : shape->element == AMDGPU_MATRIX_F16 ? 0x1p-14f : 0x1p-126f;
    for (unsigned i = 0; i < each; i++) {
        u32 values[LANES] __attribute__((aligned(64)));
        decode(wave, reg, LANES, shape->element, i, true, least, values);
        if (pattern)
            spread(values, pattern);
        for (unsigned group = 0; group < groups; group++)
            memcpy(&out->integers[(group * each + i) * rows], &values[group * rows],
                   rows * sizeof *values);
    }
}

/* One element of each lane, as of all rows of doubles. */
static void read_doubles(const struct amdgpu_wave *wave, unsigned reg, f64 out[LANES])
{
    const u32 *low = amdgpu_v(wave, reg), *high = amdgpu_v(wave, reg + 1);
    for (unsigned lane = 0; lane < LANES; lane++)
        out[lane] = f64_of(low[lane] | (u64)high[lane] << 32);
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* Adds the products of a row of A, elements of which are rows apart, and of size columns. */
#define ADD(name, type, size)                                                                      \
    static void name(type *restrict sums, const type *restrict a, const type *restrict b,          \
                     unsigned rows, unsigned depth)                                                \
    {                                                                                              \
        type total[size];                                                                          \
        for (unsigned i = 0; i < size; i++)                                                        \
            total[i] = sums[i];                                                                    \
        for (unsigned k = 0; k < depth; k++, a += rows, b += rows)                                 \
            for (unsigned i = 0; i < size; i++)                                                    \
                total[i] = STEP(*a, b[i], total[i]);                                               \
        for (unsigned i = 0; i < size; i++)                                                        \
            sums[i] = total[i];                                                                    \
    }
#define STEP(a, b, sum) __builtin_fmaf(a, b, sum)
ADD(add_floats_4, f32, 4)
ADD(add_floats_16, f32, 16)
ADD(add_floats_32, f32, 32)
#undef STEP
#define STEP(a, b, sum) __builtin_fma(a, b, sum)
ADD(add_doubles_4, f64, 4)
ADD(add_doubles_16, f64, 16)
#undef STEP
#define STEP(a, b, sum) (s32)((u32)(sum) + (u32)((a) * (b)))
ADD(add_integers_4, s32, 4)
ADD(add_integers_16, s32, 16)
ADD(add_integers_32, s32, 32)
#undef STEP
#undef ADD

/* The sums of one register and size lanes of it, from a first one on. */
static void add_products(const struct amdgpu_matrix *shape, struct sums *sums, unsigned first,
                         const struct operand *a, unsigned a_row, const struct operand *b,
                         unsigned b_row)
{
    unsigned rows = shape->size * shape->blocks, depth = shape->depth, size = shape->size;
    if (shape->result == AMDGPU_MATRIX_F64)
        (size == 4 ? add_doubles_4 : add_doubles_16)(&sums->doubles[first], &a->doubles[a_row],
                                                     &b->doubles[b_row], rows, depth);
    else if (shape->result == AMDGPU_MATRIX_I32)
        (size == 4    ? add_integers_4
         : size == 16 ? add_integers_16
                      : add_integers_32)(&sums->integers[first], &a->integers[a_row],
                                         &b->integers[b_row], rows, depth);
    else
        (size == 4    ? add_floats_4
         : size == 16 ? add_floats_16
                      : add_floats_32)(&sums->floats[first], &a->floats[a_row], &b->floats[b_row],
                                       rows, depth);
}

/* ---- MFMA ---------------------------------------------------------------------------------- */

struct place { /* of the sums of a register in a group of as many lanes as D has columns */
    unsigned block, row;
};

static struct place place_of(const struct amdgpu_matrix *shape, unsigned group, unsigned reg)
{
    unsigned size = shape->size;
    if (shape->element == AMDGPU_MATRIX_F64)
        return (struct place){group % shape->blocks,
                              reg * (LANES / (size * shape->blocks)) + group / shape->blocks};
    if (size == 4)
        return (struct place){group, reg};
    unsigned each = size * size / LANES, within = reg % each;
    return (struct place){reg / each, within / 4 * (4 * LANES / size) + group * 4 + within % 4};
}

/* C, before D's registers change: they may be the same. */
static void read_addends(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                         const struct amdgpu_matrix *shape, unsigned registers, struct sums *out)
{
    const struct amdgpu_operand *c = &op->inst->src[2];
    bool doubles = shape->result == AMDGPU_MATRIX_F64;
    for (unsigned reg = 0; reg < registers; reg++)
        if (c->kind == AMDGPU_VREG && doubles)
            read_doubles(wave, c->reg + 2 * reg, &out->doubles[reg * LANES]);
        else if (c->kind == AMDGPU_VREG)
            memcpy(&out->integers[reg * LANES], amdgpu_v(wave, c->reg + reg), 4 * LANES);
    if (c->kind == AMDGPU_VREG)
        return;
    for (unsigned i = 0; i < registers * LANES; i++)
        if (doubles)
            out->doubles[i] = f64_of(c->value);
        else
            out->integers[i] = (s32)c->value;
}

static void write_sums(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                       const struct amdgpu_matrix *shape, unsigned registers, struct sums *sums)
{
    unsigned dst = op->inst->dst[0].reg;
    bool flush = op->bits == AMDGPU_GFX90A && is_small(shape->element);
    for (unsigned i = 0; flush && i < registers * LANES; i++)
        if (fabsf(sums->floats[i]) < 0x1p-126f)
            sums->integers[i] &= INT32_MIN;
    for (unsigned reg = 0; reg < registers; reg++) {
        if (shape->result != AMDGPU_MATRIX_F64) {
            memcpy(amdgpu_v(wave, dst + reg), &sums->integers[reg * LANES], 4 * LANES);
            continue;
        }
        u32 *low = amdgpu_v(wave, dst + 2 * reg), *high = amdgpu_v(wave, dst + 2 * reg + 1);
        for (unsigned lane = 0; lane < LANES; lane++) {
            u64 bits = bits_f64(sums->doubles[reg * LANES + lane]);
            low[lane] = (u32)bits;
            high[lane] = (u32)(bits >> 32);
        }
    }
}

static void read_operands(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          const struct amdgpu_matrix *shape, struct operand *a, struct operand *b)
{
    if (shape->element == AMDGPU_MATRIX_F64) { /* a lane has one element */
        read_doubles(wave, op->inst->src[0].reg, a->doubles);
        read_doubles(wave, op->inst->src[1].reg, b->doubles);
        return;
    }
    read_operand(wave, op, shape, 0, 0, a);
    read_operand(wave, op, shape, 1, op->inst->neg, b);
}

static const struct amdgpu_op *run_mfma(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_matrix *shape = op->effect;
    const struct amdgpu_inst *inst = op->inst;
    unsigned size = shape->size, registers = size * size * shape->blocks / LANES;
    unsigned shared = (1u << inst->neg_hi) - 1; /* blocks that have one A */
    struct operand a, b;
    struct sums sums;
    read_operands(wave, op, shape, &a, &b);
    read_addends(wave, op, shape, registers, &sums);
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned group = 0; group < LANES / size; group++) {
            struct place at = place_of(shape, group, reg);
            unsigned block = shared ? (at.block & ~shared) | (inst->op_sel & shared) : at.block;
            add_products(shape, &sums, reg * LANES + group * size, &a, block * size + at.row, &b,
                         at.block * size);
        }
    write_sums(wave, op, shape, registers, &sums);
    return amdgpu_next(op);
}

/* ---- WMMA ---------------------------------------------------------------------------------- */

enum { TILE = 16 };

/* Halves of C and D lie in the lower or the upper half of a register, of which D's other half
 * stays. */
static void read_tile(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct amdgpu_matrix *tile, struct sums *out)
{
    const struct amdgpu_operand *c = &op->inst->src[2];
    unsigned lanes = wave->lanes, shift = c->kind == AMDGPU_VREG && op->inst->op_sel & 4 ? 16 : 0;
    for (unsigned i = 0; i < TILE * TILE; i++) {
        u32 word = (u32)c->value;
        if (c->kind == AMDGPU_VREG)
            word = amdgpu_v(wave, c->reg + i / lanes)[i % lanes];
        if (tile->result == AMDGPU_MATRIX_F16)
            out->floats[i] = sim_widen_half(word >> shift & 0xffff);
        else if (tile->result == AMDGPU_MATRIX_BF16)
            out->floats[i] = sim_widen_bfloat(word >> shift & 0xffff);
        else
            out->integers[i] = (s32)word;
    }
}

static void write_tile(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                       const struct amdgpu_matrix *tile, const struct sums *sums)
{
    unsigned lanes = wave->lanes, shift = op->inst->op_sel & 4 ? 16 : 0;
    for (unsigned i = 0; i < TILE * TILE; i++) {
        u32 *to = &amdgpu_v(wave, op->inst->dst[0].reg + i / lanes)[i % lanes];
        if (!is_small(tile->result)) {
            *to = (u32)sums->integers[i];
            continue;
        }
        u32 half = tile->result == AMDGPU_MATRIX_F16 ? sim_narrow_half(sums->floats[i])
                                                     : sim_narrow_bfloat(sums->floats[i]);
        *to = (*to & ~(UINT32_C(0xffff) << shift)) | half << shift;
    }
}

/* Sums of products in products, and C: the nearest that 32 bits can hold. */
static void add_clamped(struct sums *sums, const struct sums *products)
{
    for (unsigned i = 0; i < TILE * TILE; i++) {
        s64 total = (s64)sums->integers[i] + products->integers[i];
        sums->integers[i] = total < INT32_MIN   ? INT32_MIN
                            : total > INT32_MAX ? INT32_MAX
                                                : (s32)total;
    }
}

static const struct amdgpu_op *run_wmma(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_matrix *tile = op->effect;
    const struct amdgpu_inst *inst = op->inst;
    struct operand operands[2];
    struct sums sums, products;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < TILE; k++)
            decode(wave, inst->src[i].reg, TILE, tile->element, k, inst->neg >> i & 1, 0,
                   (u32 *)&operands[i].integers[k * TILE]);
    read_tile(wave, op, tile, &sums);
    if (inst->clamp)
        memset(products.integers, 0, TILE * TILE * sizeof *products.integers);
    for (unsigned row = 0; row < TILE; row++)
        add_products(tile, inst->clamp ? &products : &sums, row * TILE, &operands[0], row,
                     &operands[1], 0);
    if (inst->clamp)
        add_clamped(&sums, &products);
    write_tile(wave, op, tile, &sums);
    return amdgpu_next(op);
}

const struct amdgpu_matrix_table JOIN(amdgpu_matrix_, AMDGPU_ISA_NAME) = {
    .mfma = run_mfma,
    .wmma = run_wmma,
};
