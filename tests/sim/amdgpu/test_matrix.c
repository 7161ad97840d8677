/* MFMA and WMMA: matrices are put into registers as AMD's documentation of the instructions
 * describes, and the results are compared with products computed here. The values have exact
 * sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amdgpu_alu.h"
#include "rows.h"
#include "sim_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VGPRS = 128, V_A = 0, V_B = 16, V_C = 32, V_D = 64 };

static struct amdgpu_wave wave;
static uint32_t registers[(VGPRS + 64) * 64];
static uint64_t seed;

static uint32_t next(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33);
}

static void begin(unsigned lanes)
{
    wave = (struct amdgpu_wave){.v = registers, .lanes = lanes, .vgprs = VGPRS, .agprs = 64};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        registers[i] = next();
}

static uint32_t *v(unsigned reg, unsigned lane)
{
    return &amdgpu_v(&wave, reg)[lane];
}

static const struct amdgpu_row *find_row(enum amdgpu_isa isa, const char *name)
{
    const struct amdgpu_row *row;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++)
        if (row->isas >> isa & 1 && strcmp(row->name, name) == 0)
            return row;
    fail_msg("no row %s", name);
    return NULL;
}

static struct amdgpu_operand vregs(unsigned reg)
{
    return (struct amdgpu_operand){.kind = AMDGPU_VREG, .count = 1, .reg = (unsigned short)reg};
}

static struct amdgpu_inst make(enum amdgpu_isa isa, const char *name)
{
    return (struct amdgpu_inst){.row = find_row(isa, name),
                                .format = AMDGPU_VOP3P,
                                .length = 8,
                                .dst = {vregs(V_D)},
                                .src = {vregs(V_A), vregs(V_B), vregs(V_C)}};
}

static void run(enum amdgpu_isa isa, struct amdgpu_inst *inst)
{
    struct amdgpu_op op = {.inst = inst};
    if (!amdgpu_emit_matrix(isa, inst, &op))
        fail_msg("%s is refused", inst->row->name);
    rows_executed(isa, inst);
    assert_ptr_equal(op.run(&wave, &op), amdgpu_next(&op));
}

/* ---- elements ---------------------------------------------------------------------------- */

enum type { F32, F16, BF16, I8, I4, F64 };

static void put(enum type type, unsigned reg, unsigned lane, unsigned index, double value)
{
    static const unsigned char bits[] = {32, 16, 16, 8, 4, 64};
    unsigned at = index * bits[type];
    uint32_t *word = v(reg + at / 32, lane), mask = bits[type] < 32 ? (1u << bits[type]) - 1 : ~0u;
    uint32_t part;
    uint64_t wide;
    memcpy(&wide, &value, sizeof wide);
    switch (type) {
    case F32:
        part = sim_bits_of((float)value);
        break;
    case F16:
        part = sim_narrow_half((float)value);
        break;
    case BF16:
        part = sim_narrow_bfloat((float)value);
        break;
    case F64:
        part = (uint32_t)wide;
        *v(reg + at / 32 + 1, lane) = (uint32_t)(wide >> 32);
        break;
    default:
        part = (uint32_t)(int32_t)value;
    }
    *word = (*word & ~(mask << at % 32)) | (part & mask) << at % 32;
}

static double get(enum type type, unsigned reg, unsigned lane)
{
    double value;
    uint64_t wide = *v(reg, lane) | (uint64_t)*v(reg + (type == F64), lane) << 32;
    if (type == I8)
        return (double)(int32_t)*v(reg, lane);
    if (type != F64)
        return (double)sim_float_of(*v(reg, lane));
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* ---- MFMA --------------------------------------------------------------------------------- */

static const struct matrix {
    enum amdgpu_isa isa;
    const char *name;
    unsigned size, depth, blocks;
    enum type type;
} matrices[] = {
    {AMDGPU_GFX908, "v_mfma_f32_32x32x1f32", 32, 1, 2, F32},
    {AMDGPU_GFX908, "v_mfma_f32_16x16x1f32", 16, 1, 4, F32},
    {AMDGPU_GFX908, "v_mfma_f32_4x4x1f32", 4, 1, 16, F32},
    {AMDGPU_GFX908, "v_mfma_f32_32x32x2f32", 32, 2, 1, F32},
    {AMDGPU_GFX908, "v_mfma_f32_16x16x4f32", 16, 4, 1, F32},
    {AMDGPU_GFX908, "v_mfma_f32_32x32x4f16", 32, 4, 2, F16},
    {AMDGPU_GFX908, "v_mfma_f32_16x16x4f16", 16, 4, 4, F16},
    {AMDGPU_GFX908, "v_mfma_f32_4x4x4f16", 4, 4, 16, F16},
    {AMDGPU_GFX908, "v_mfma_f32_32x32x8f16", 32, 8, 1, F16},
    {AMDGPU_GFX908, "v_mfma_f32_16x16x16f16", 16, 16, 1, F16},
    {AMDGPU_GFX908, "v_mfma_i32_32x32x4i8", 32, 4, 2, I8},
    {AMDGPU_GFX908, "v_mfma_i32_16x16x4i8", 16, 4, 4, I8},
    {AMDGPU_GFX908, "v_mfma_i32_4x4x4i8", 4, 4, 16, I8},
    {AMDGPU_GFX908, "v_mfma_i32_32x32x8i8", 32, 8, 1, I8},
    {AMDGPU_GFX908, "v_mfma_i32_16x16x16i8", 16, 16, 1, I8},
    {AMDGPU_GFX908, "v_mfma_f32_32x32x2bf16", 32, 2, 2, BF16},
    {AMDGPU_GFX908, "v_mfma_f32_16x16x2bf16", 16, 2, 4, BF16},
    {AMDGPU_GFX908, "v_mfma_f32_4x4x2bf16", 4, 2, 16, BF16},
    {AMDGPU_GFX908, "v_mfma_f32_32x32x4bf16", 32, 4, 1, BF16},
    {AMDGPU_GFX908, "v_mfma_f32_16x16x8bf16", 16, 8, 1, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x1f32", 32, 1, 2, F32},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x1f32", 16, 1, 4, F32},
    {AMDGPU_GFX90A, "v_mfma_f32_4x4x1f32", 4, 1, 16, F32},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x2f32", 32, 2, 1, F32},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x4f32", 16, 4, 1, F32},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x4f16", 32, 4, 2, F16},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x4f16", 16, 4, 4, F16},
    {AMDGPU_GFX90A, "v_mfma_f32_4x4x4f16", 4, 4, 16, F16},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x8f16", 32, 8, 1, F16},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x16f16", 16, 16, 1, F16},
    {AMDGPU_GFX90A, "v_mfma_i32_32x32x4i8", 32, 4, 2, I8},
    {AMDGPU_GFX90A, "v_mfma_i32_16x16x4i8", 16, 4, 4, I8},
    {AMDGPU_GFX90A, "v_mfma_i32_4x4x4i8", 4, 4, 16, I8},
    {AMDGPU_GFX90A, "v_mfma_i32_32x32x8i8", 32, 8, 1, I8},
    {AMDGPU_GFX90A, "v_mfma_i32_16x16x16i8", 16, 16, 1, I8},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x2bf16", 32, 2, 2, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x2bf16", 16, 2, 4, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_4x4x2bf16", 4, 2, 16, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x4bf16", 32, 4, 1, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x8bf16", 16, 8, 1, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x4bf16_1k", 32, 4, 2, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x4bf16_1k", 16, 4, 4, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_4x4x4bf16_1k", 4, 4, 16, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_32x32x8bf16_1k", 32, 8, 1, BF16},
    {AMDGPU_GFX90A, "v_mfma_f32_16x16x16bf16_1k", 16, 16, 1, BF16},
    {AMDGPU_GFX90A, "v_mfma_f64_16x16x4f64", 16, 4, 1, F64},
    {AMDGPU_GFX90A, "v_mfma_f64_4x4x4f64", 4, 4, 4, F64},
    {AMDGPU_GFX942, "v_mfma_i32_32x32x16_i8", 32, 16, 1, I8},
    {AMDGPU_GFX942, "v_mfma_i32_16x16x32_i8", 16, 32, 1, I8},
    {AMDGPU_GFX942, "v_mfma_f32_16x16x16_bf16", 16, 16, 1, BF16},
    {AMDGPU_GFX942, "v_mfma_f32_32x32x8_f16", 32, 8, 1, F16},
};
enum { MATRICES = sizeof matrices / sizeof *matrices };

static double a[16][32][32], b[16][32][32], c[16][32][32]; /* by block; b turned over */

static void fill(void)
{
    for (unsigned i = 0; i < 16 * 32 * 32; i++) {
        ((double *)a)[i] = (double)(int)(next() % 31) - 15;
        ((double *)b)[i] = (double)(int)(next() % 31) - 15;
        ((double *)c)[i] = (double)(int)(next() % 2001) - 1000;
    }
}

/* Elements of a row that lie in one lane come one after the other; then the next block, or where
 * there is one the next elements. */
static void put_inputs(const struct matrix *m)
{
    unsigned each = m->depth * m->size * m->blocks / 64;
    for (unsigned block = 0; block < m->blocks; block++)
        for (unsigned row = 0; row < m->size; row++)
            for (unsigned k = 0; k < m->depth; k++) {
                unsigned lane = row + m->size * (block + m->blocks * (k / each));
                put(m->type, V_A, lane, k % each, a[block][row][k]);
                put(m->type, V_B, lane, k % each, b[block][row][k]);
            }
}

static void find_sum(const struct matrix *m, unsigned block, unsigned row, unsigned column,
                     unsigned *out_lane, unsigned *out_reg)
{
    if (m->type == F64 && m->size == 16)
        *out_lane = column + 16 * (row % 4), *out_reg = 2 * (row / 4);
    else if (m->type == F64)
        *out_lane = column + 4 * block + 16 * row, *out_reg = 0;
    else if (m->size == 32)
        *out_lane = column + 32 * (row / 4 % 2), *out_reg = 16 * block + row / 8 * 4 + row % 4;
    else if (m->size == 16)
        *out_lane = column + 16 * (row / 4), *out_reg = 4 * block + row % 4;
    else
        *out_lane = 4 * block + column, *out_reg = row;
}

static enum type sum_type(const struct matrix *m)
{
    return m->type == I8 || m->type == F64 ? m->type : F32;
}

static void put_sums(const struct matrix *m)
{
    for (unsigned block = 0; block < m->blocks; block++)
        for (unsigned row = 0; row < m->size; row++)
            for (unsigned column = 0; column < m->size; column++) {
                unsigned lane, reg;
                find_sum(m, block, row, column, &lane, &reg);
                if (sum_type(m) == I8)
                    *v(V_C + reg, lane) = (uint32_t)(int32_t)c[block][row][column];
                else
                    put(sum_type(m), V_C + reg, lane, 0, c[block][row][column]);
            }
}

/* Rounded, where the sum is of floats. */
static double added(const struct matrix *m, double x, double y, double sum)
{
    if (sum_type(m) == F32)
        return (double)fmaf((float)x, (float)y, (float)sum);
    return fma(x, y, sum);
}

/* of_a, of_b: the block of A and the lane of the column that a sum belongs to. */
static void check_sums(const struct matrix *m, unsigned first, unsigned shared, unsigned chosen,
                       bool constant)
{
    for (unsigned block = 0; block < m->blocks; block++)
        for (unsigned row = 0; row < m->size; row++)
            for (unsigned column = 0; column < m->size; column++) {
                unsigned lane, reg, of_a = block / shared * shared + chosen;
                double want = constant ? 1 : c[block][row][column];
                if (shared == 1)
                    of_a = block;
                for (unsigned k = 0; k < m->depth; k++)
                    want = added(m, a[of_a][row][k], b[block][column][k], want);
                find_sum(m, block, row, column, &lane, &reg);
                double got = get(sum_type(m), first + reg, lane);
                if (got != want)
                    fail_msg("%s: block %u, %u, %u is %g, not %g", m->name, block, row, column, got,
                             want);
            }
}

static void products_are_those_of_matrices(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MATRICES; i++) {
        const struct matrix *m = &matrices[i];
        struct amdgpu_inst inst = make(m->isa, m->name);
        begin(64);
        fill();
        put_inputs(m);
        put_sums(m);
        run(m->isa, &inst);
        check_sums(m, V_D, 1, 0, false);
        inst.dst[0] = vregs(V_C); /* the destination is the accumulator's registers */
        run(m->isa, &inst);
        check_sums(m, V_C, 1, 0, false);
        inst.dst[0] = vregs(256); /* AGPRs; the accumulator is 1 */
        inst.src[2] = (struct amdgpu_operand){.kind = AMDGPU_CONST,
                                              .value = m->type == F64 ? UINT64_C(0x3ff0000000000000)
                                                       : m->type == I8 ? 1
                                                                       : 0x3f800000};
        run(m->isa, &inst);
        check_sums(m, 256, 1, 0, true);
    }
}

/* Sums that have to be rounded, of elements that are exact. */
static void products_are_added_one_by_one(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MATRICES; i++) {
        const struct matrix *m = &matrices[i];
        struct amdgpu_inst inst = make(m->isa, m->name);
        begin(64);
        fill();
        for (unsigned at = 0; m->type != I8 && at < 16 * 32 * 32; at++) {
            ((double *)a)[at] = ldexp(next() % 256 - 127.5, (int)(next() % 6) - 8);
            ((double *)b)[at] = ldexp(next() % 256 - 127.5, (int)(next() % 6) - 8);
            ((double *)c)[at] = (double)((float)next() * 0x1p-25f);
            if (m->type == BF16) /* 8 bits of precision */
                ((double *)a)[at] = floor(((double *)a)[at]), ((double *)b)[at] = next() % 255;
        }
        put_inputs(m);
        put_sums(m);
        run(m->isa, &inst);
        check_sums(m, V_D, 1, 0, false);
    }
}

static void blocks_may_share_one_a(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MATRICES; i++)
        for (unsigned cbsz = 0; cbsz < 5; cbsz++) {
            const struct matrix *m = &matrices[i];
            struct amdgpu_inst inst = make(m->isa, m->name);
            struct amdgpu_op op = {.inst = &inst};
            unsigned shared = 1u << cbsz, chosen = cbsz ? next() % shared : 0;
            inst.neg_hi = (unsigned char)cbsz, inst.op_sel = (unsigned char)chosen;
            if (shared > m->blocks || (m->type == F64 && cbsz)) {
                assert_false(amdgpu_emit_matrix(m->isa, &inst, &op));
                continue;
            }
            begin(64);
            fill();
            put_inputs(m);
            put_sums(m);
            run(m->isa, &inst);
            check_sums(m, V_D, shared, chosen, false);
        }
}

static void lanes_of_b_may_be_spread(void **state)
{
    (void)state;
    static const unsigned char patterns[] = {1, 2, 3, 4, 5, 6, 7};
    const struct matrix *m = &matrices[3]; /* 32x32x2: a lane has a column and one of two rows */
    for (unsigned i = 0; i < sizeof patterns; i++) {
        struct amdgpu_inst inst = make(m->isa, m->name);
        inst.neg = patterns[i];
        begin(64);
        fill();
        put_inputs(m);
        put_sums(m);
        double old[32][2];
        for (unsigned column = 0; column < 32; column++)
            for (unsigned k = 0; k < 2; k++)
                old[column][k] = b[0][column][k];
        for (unsigned lane = 0; lane < 64; lane++) {
            unsigned from = patterns[i] == 1   ? lane % 32
                            : patterns[i] == 2 ? 32 + lane % 32
                            : patterns[i] == 3 ? (lane + 16) % 64
                                               : (patterns[i] - 4u) * 16 + lane % 16;
            b[0][lane % 32][lane / 32] = old[from % 32][from / 32];
        }
        run(m->isa, &inst);
        check_sums(m, V_D, 1, 0, false);
    }
}

/* Halves that are subnormal are 0 to MI200, and not to MI100 and MI300. */
static void small_halves_vanish_on_gfx90a(void **state)
{
    (void)state;
    static const struct {
        enum amdgpu_isa isa;
        const char *name;
        float sum;
    } cases[] = {{AMDGPU_GFX908, "v_mfma_f32_16x16x16f16", 16 * 0x1p-24f},
                 {AMDGPU_GFX90A, "v_mfma_f32_16x16x16f16", 0},
                 {AMDGPU_GFX942, "v_mfma_f32_16x16x16_f16", 16 * 0x1p-24f}};
    for (unsigned i = 0; i < 3; i++) {
        struct amdgpu_inst inst = make(cases[i].isa, cases[i].name);
        begin(64);
        for (unsigned lane = 0; lane < 64; lane++)
            for (unsigned k = 0; k < 4; k++) {
                put(F16, V_A, lane, k, 0x1p-24);
                put(F16, V_B, lane, k, 1);
                put(F32, V_C + k, lane, 0, 0);
            }
        run(cases[i].isa, &inst);
        assert_true(sim_float_of(*v(V_D, 5)) == cases[i].sum);
    }
}

/* ---- WMMA --------------------------------------------------------------------------------- */

/* Rows of A and columns of B in lanes 0 to 15 and again in 16 to 31, and on. */
static void put_tile(enum type type, unsigned lanes)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned k = 0; k < 16; k++) {
            put(type, V_A, lane, k, a[0][lane % 16][k]);
            put(type, V_B, lane, k, b[0][lane % 16][k]);
        }
}

static double product(unsigned row, unsigned column)
{
    double sum = c[0][row][column];
    for (unsigned k = 0; k < 16; k++)
        sum += a[0][row][k] * b[0][column][k];
    return sum;
}

static void tiles_are_multiplied_by_waves_of_either_size(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum type in, out;
        unsigned char neg;
        int least, most;
    } cases[] = {
        {"v_wmma_f32_16x16x16_f16", F16, F32, 0, -15, 15},
        {"v_wmma_f32_16x16x16_bf16", BF16, F32, 0, -15, 15},
        {"v_wmma_f16_16x16x16_f16", F16, F16, 0, -7, 7},
        {"v_wmma_bf16_16x16x16_bf16", BF16, BF16, 0, -1, 1},
        {"v_wmma_i32_16x16x16_iu8", I8, I8, 3, -128, 127},
        {"v_wmma_i32_16x16x16_iu8", I8, I8, 0, 0, 255},
        {"v_wmma_i32_16x16x16_iu4", I4, I8, 3, -8, 7},
        {"v_wmma_i32_16x16x16_iu4", I4, I8, 0, 0, 15},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases * 4; i++) {
        unsigned n = i / 4, lanes = i & 1 ? 64 : 32, upper = i >> 1 & 1;
        struct amdgpu_inst inst = make(AMDGPU_GFX1100, cases[n].name);
        bool halves = cases[n].out == F16 || cases[n].out == BF16;
        unsigned span = (unsigned)(cases[n].most - cases[n].least + 1);
        inst.neg = cases[n].neg;
        inst.op_sel = halves && upper ? 4 : 0;
        begin(lanes);
        fill();
        for (unsigned e = 0; e < 16 * 16; e++) {
            a[0][e / 16][e % 16] = (double)((int)(next() % span) + cases[n].least);
            b[0][e / 16][e % 16] = (double)((int)(next() % span) + cases[n].least);
            c[0][e / 16][e % 16] = (double)(int)(next() % 100);
        }
        put_tile(cases[n].in, lanes);
        for (unsigned lane = 0; lane < lanes; lane++)
            for (unsigned reg = 0; reg < 256 / lanes; reg++) {
                double value = c[0][reg * (lanes / 16) + lane / 16][lane % 16];
                if (cases[n].out == I8)
                    *v(V_C + reg, lane) = (uint32_t)(int32_t)value;
                else
                    put(cases[n].out, V_C + reg, lane, halves && upper, value);
                *v(V_D + reg, lane) = 0x12345678;
            }
        run(AMDGPU_GFX1100, &inst);
        for (unsigned lane = 0; lane < lanes; lane++)
            for (unsigned reg = 0; reg < 256 / lanes; reg++) {
                double want = product(reg * (lanes / 16) + lane / 16, lane % 16);
                uint32_t word = *v(V_D + reg, lane);
                if (halves) {
                    uint16_t half = cases[n].out == F16 ? sim_narrow_half((float)want)
                                                        : sim_narrow_bfloat((float)want);
                    assert_int_equal(word,
                                     upper ? 0x5678 | (uint32_t)half << 16 : 0x12340000 | half);
                } else if (get(cases[n].out, V_D + reg, lane) != want) {
                    fail_msg("%s, %u lanes: lane %u, register %u is 0x%x, not %g", cases[n].name,
                             lanes, lane, reg, word, want);
                }
            }
    }
}

static void integers_are_clamped_on_request(void **state)
{
    (void)state;
    for (unsigned clamp = 0; clamp < 2; clamp++) {
        struct amdgpu_inst inst = make(AMDGPU_GFX1100, "v_wmma_i32_16x16x16_iu8");
        begin(32);
        for (unsigned e = 0; e < 16 * 16; e++)
            a[0][e / 16][e % 16] = b[0][e / 16][e % 16] = 1;
        put_tile(I8, 32);
        for (unsigned lane = 0; lane < 32; lane++)
            *v(V_C, lane) = INT32_MAX - 3;
        inst.clamp = clamp;
        run(AMDGPU_GFX1100, &inst);
        assert_int_equal((int32_t)*v(V_D, 7), clamp ? INT32_MAX : INT32_MIN + 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_matrices),
        cmocka_unit_test(products_are_added_one_by_one),
        cmocka_unit_test(blocks_may_share_one_a),
        cmocka_unit_test(lanes_of_b_may_be_spread),
        cmocka_unit_test(small_halves_vanish_on_gfx90a),
        cmocka_unit_test(tiles_are_multiplied_by_waves_of_either_size),
        cmocka_unit_test(integers_are_clamped_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
