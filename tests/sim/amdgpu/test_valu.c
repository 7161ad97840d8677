/* Vector arithmetic, row by row: every effect, for edge cases and random values, on every
 * instruction set of the host, in waves of 32 and of 64, against the models of valu_model.h; and
 * that every row of the decoder has an effect, except for those listed here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "valu_hand.h"
#include "valu_model.h"

/* ---- names -------------------------------------------------------------------------------- */

#define EACH_ROW(id, effect) [AMDGPU_ID_##id] = #id + 2,
#include "amdgpu_valu_forms.h"
static const char *const effect_names[AMDGPU_ID_COUNT] = {
#include "amdgpu_valu.def"
};
static const char *const clamped_names[AMDGPU_ID_COUNT] = {
#include "amdgpu_valu_clamp.def"
};

/* ---- values --------------------------------------------------------------------------------- */

static uint64_t seed = 1;
static uint32_t random_word(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}
static uint64_t random_long(void)
{
    return (uint64_t)random_word() << 32 | random_word();
}

static const uint32_t edges_f32[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000,
    0x4b000000, 0x4b800000, 0xcb800001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
    0x4f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
    0xff8fffff, 0x33800000, 0x38800000, 0x387fe000, 0x477fe000, 0x477ff000, 0x47800000, 0x42280000,
    0x40490fdb, 0x2f800000, 0x5f800000, 0x1f800000, 0x7e800001, 0x7f000000, 0x437f8000, 0x42ff0000,
};
static const uint64_t edges_f64[] = {
    0,
    0x8000000000000000,
    1,
    0x8000000000000001,
    0x000fffffffffffff,
    0x0010000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fefffffffffffff,
    0x3ff0000000000001,
    0x3fe0000000000000,
    0xbfe0000000000000,
    0x3ff8000000000000,
    0x4004000000000000,
    0x4330000000000000,
    0x4340000000000001,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000000000,
    0xc1e0000000200000,
    0x41efffffffe00000,
    0x41f0000000000000,
    0x47efffffe0000000,
    0x47effffff0000000,
    0x3810000000000000,
    0x36a0000000000000,
    0x3690000000000001,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000000001,
    0x7ff0000000000001,
    0x400921fb54442d18,
};
static const uint16_t edges_f16[] = {
    0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3bff,
    0x3c01, 0x3800, 0xb800, 0x3e00, 0x4100, 0x6400, 0x6bff, 0x77ff, 0x7800, 0xf800, 0x7bff,
    0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfdff, 0x4248, 0x1400, 0x0800,
};
static const uint64_t edges_integer[] = {
    0,
    1,
    2,
    3,
    7,
    15,
    16,
    24,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffff,
    0x800000,
    0xffffff,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffff80000000,
    0xfffffffffffffffe,
    0xffffffffffffffff,
    0x00ff00ff7fff8000,
    0x8000800080008000,
    0x0706050403020100,
    0x0d0c0b0a09080706,
};
#define PICK(list) (list)[random_word() % (sizeof(list) / sizeof *(list))]

static uint64_t pick_half(void)
{
    uint32_t kind = random_word() % 4;
    return kind < 2    ? PICK(edges_f16)
           : kind == 2 ? 0x3000 + random_word() % 0x2000
                       : random_word() & 0xffff;
}
static uint64_t pick_single(void)
{
    uint32_t kind = random_word() % 4;
    return kind < 2    ? PICK(edges_f32)
           : kind == 2 ? 0x3e000000 + random_word() % 0x05000000
                       : random_word();
}
static uint64_t pick(unsigned type)
{
    switch (type) {
    case AMDGPU_F16:
        return pick_half() | (uint64_t)random_word() << 16; /* the bits above are ignored */
    case AMDGPU_PKF16:
        return pick_half() | pick_half() << 16;
    case AMDGPU_PKBF16:
    case AMDGPU_F32:
        return pick_single();
    case AMDGPU_PKF32:
        return pick_single() | pick_single() << 32;
    case AMDGPU_F64:
        return random_word() % 2   ? PICK(edges_f64)
               : random_word() % 2 ? random_long()
                                   : m_bits64(m_f32(0x3e000000 + random_word() % 0x05000000));
    default:
        return random_word() % 3 ? PICK(edges_integer) : random_long();
    }
}
static bool is_two(unsigned type)
{
    return type == AMDGPU_B64 || type == AMDGPU_U64 || type == AMDGPU_I64 || type == AMDGPU_F64 ||
           type == AMDGPU_PKF32;
}
static bool is_16(unsigned type)
{
    return type == AMDGPU_B16 || type == AMDGPU_U16 || type == AMDGPU_I16 || type == AMDGPU_F16 ||
           type == AMDGPU_BF16;
}
static bool is_float_type(unsigned type)
{
    return type == AMDGPU_F16 || type == AMDGPU_F32 || type == AMDGPU_F64;
}

/* ---- one row -------------------------------------------------------------------------------- */

enum { DST = 2, SRC = 10, MASK = 20, CARRIES = 30 };

/* The registers that a test's instructions use. */
static struct amdgpu_inst make(const struct amdgpu_row *row, unsigned mask_words)
{
    struct amdgpu_inst inst = {.row = row, .format = row->format, .length = 8};
    if (row->format == AMDGPU_VOPD)
        inst.format = AMDGPU_VOP2;
    unsigned count = row->flags & AMDGPU_ROW_ACCUMULATES ? 2 : 3;
    inst.op_sel_hi =
        row->format == AMDGPU_VOP3P && !m_is(row->name, "v_pk_mov_b32") && !strstr(row->name, "mix")
            ? 7
            : 0;
    for (unsigned k = 0; k < count; k++) {
        if (row->src[k] == AMDGPU_NOTYPE)
            continue;
        inst.src[k] = row->src[k] == AMDGPU_MASK ? valu_sreg(MASK, mask_words)
                                                 : valu_vreg(SRC + 4 * k, 1 + is_two(row->src[k]));
        if (row->src[k] == AMDGPU_B128)
            inst.src[k].count = 4;
    }
    inst.dst[0] = row->dst[0] == AMDGPU_MASK || row->flags & AMDGPU_ROW_COMPARE
                      ? valu_sreg(CARRIES, mask_words)
                      : valu_vreg(DST, 1 + is_two(row->dst[0]));
    if (row->dst[0] == AMDGPU_B128)
        inst.dst[0].count = 4;
    if (row->dst[1] == AMDGPU_MASK)
        inst.dst[1] = valu_sreg(CARRIES, mask_words);
    return inst;
}

struct trial {
    const char *name;
    const struct amdgpu_row *row;
    struct amdgpu_inst inst;
    enum sim_isa host;
    uint64_t old[64], exec;
    struct given given[64];
};

static void fill(struct trial *trial, bool saturate)
{
    const struct amdgpu_row *row = trial->row;
    bool accumulates = row->flags & AMDGPU_ROW_ACCUMULATES;
    uint64_t mask = random_long();
    amdgpu_set_s64(&valu.wave, MASK, mask);
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
        struct given *g = &trial->given[lane];
        *g = (struct given){.lane = lane, .saturate = saturate};
        trial->old[lane] = accumulates ? pick(row->dst[0]) : random_long();
        valu_set(DST, 2, lane, trial->old[lane]);
        for (unsigned k = 0; k < 3; k++) {
            if (row->src[k] == AMDGPU_MASK) {
                g->s[k] = mask >> lane & 1;
                continue;
            }
            g->s[k] = pick(row->src[k]);
            valu_set(SRC + 4 * k, 2, lane, g->s[k]);
        }
        if (accumulates)
            g->s[2] = is_two(row->dst[0]) ? trial->old[lane] : (uint32_t)trial->old[lane];
    }
}

static void complain(const struct trial *trial, unsigned lane, uint64_t got, uint64_t want)
{
    const struct given *g = &trial->given[lane];
    fail_msg("V_%s, host %d, lane %u of %u: %#llx %#llx %#llx gives %#llx, not %#llx", trial->name,
             (int)trial->host, lane, valu.wave.lanes, (unsigned long long)g->s[0],
             (unsigned long long)g->s[1], (unsigned long long)g->s[2], (unsigned long long)got,
             (unsigned long long)want);
}

static void compare_value(const struct trial *trial, unsigned lane, const struct expected *want)
{
    unsigned type = trial->row->dst[0], width = is_16(type) ? 16 : is_two(type) ? 64 : 32;
    uint64_t got = valu_get(DST, 1 + is_two(type), lane);
    uint64_t part = width == 16 ? got & 0xffff : got;
    if (want->ulps == UINT32_MAX)
        return;
    if (want->nan) {
        if (!m_is_nan(part, width))
            complain(trial, lane, part, want->d);
        return;
    }
    bool near = is_float_type(type) && want->ulps && !m_is_nan(part, width) &&
                m_distance(part, want->d, width) <= want->ulps;
    if (part != want->d && !near)
        complain(trial, lane, part, want->d);
}

static void compare(const struct trial *trial)
{
    bool test = trial->inst.dst[0].kind == AMDGPU_SREG;
    uint64_t carries = amdgpu_mask(&valu.wave, CARRIES);
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
        struct expected want = {0};
        bool live = trial->exec >> lane & 1;
        assert_true(model_one(trial->name, &trial->given[lane], &want));
        if (test || trial->row->dst[1] == AMDGPU_MASK) {
            uint64_t bit = carries >> lane & 1, holds = test ? want.d : want.carry;
            if (bit != (live ? holds : 0))
                complain(trial, lane, bit, holds);
        }
        if (!test && live)
            compare_value(trial, lane, &want);
        if (!test && !live)
            assert_int_equal(valu_get(DST, 2, lane), trial->old[lane]);
    }
}

/* Finds a row of an instruction set that has it, with waves of this size if possible. */
static const struct amdgpu_row *find(unsigned id, unsigned lanes, enum amdgpu_isa *out_isa)
{
    static const enum amdgpu_isa order[2][AMDGPU_ISA_COUNT] = {
        {AMDGPU_GFX1100, AMDGPU_GFX1030, AMDGPU_GFX90A, AMDGPU_GFX942, AMDGPU_GFX906, AMDGPU_GFX900,
         AMDGPU_GFX908, AMDGPU_GFX1010},
        {AMDGPU_GFX90A, AMDGPU_GFX942, AMDGPU_GFX906, AMDGPU_GFX900, AMDGPU_GFX1030, AMDGPU_GFX1100,
         AMDGPU_GFX908, AMDGPU_GFX1010}};
    const struct amdgpu_row *row = NULL;
    for (unsigned i = 0; i < AMDGPU_ISA_COUNT && !row; i++) {
        *out_isa = order[lanes == 64][i];
        row = valu_row(*out_isa, id);
    }
    return row;
}

static void try_row(unsigned id, const char *name, enum sim_isa host, unsigned lanes, bool saturate)
{
    enum amdgpu_isa isa;
    struct trial trial = {.name = name, .host = host, .row = find(id, lanes, &isa)};
    if (!trial.row)
        fail_msg("V_%s: no instruction set has it", name);
    for (unsigned round = 0; round < 24; round++) {
        valu_begin(isa, lanes, host);
        trial.exec = round % 2 ? amdgpu_all_lanes(&valu.wave) : random_long();
        trial.exec &= amdgpu_all_lanes(&valu.wave);
        amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, trial.exec);
        trial.inst = make(trial.row, lanes / 32);
        trial.inst.clamp = saturate;
        fill(&trial, saturate);
        if (!valu_run(&trial.inst))
            fail_msg("V_%s does not run", name);
        if (trial.row->flags & AMDGPU_ROW_EXEC)
            amdgpu_set_mask(&valu.wave, CARRIES, amdgpu_exec(&valu.wave));
        compare(&trial);
    }
}

/* Rows that are tested below, or in the tests of modifiers and division. */
static bool has_own_test(const char *name)
{
    static const char *const names[] = {
        "DIV_SCALE_F32",  "DIV_SCALE_F64", "DIV_FMAS_F32",   "DIV_FMAS_F64",
        "DIV_FIXUP_F32",  "DIV_FIXUP_F64", "DIV_FIXUP_F16",  "DIV_FIXUP_LEGACY_F16",
        "TRIG_PREOP_F64", "DOT2_F16_F16",  "DOT2_BF16_BF16", "DOT4_I32_IU8",
        "DOT8_I32_IU4",   "PK_MOV_B32",    "MQSAD_U32_U8",   "FMA_MIX_F32",
        "FMA_MIXLO_F16",  "FMA_MIXHI_F16", "MAD_MIX_F32",    "MAD_MIXLO_F16",
        "MAD_MIXHI_F16",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (m_is(name, names[i]))
            return true;
    return false;
}

static void every_effect_is_what_its_model_says(void **state)
{
    (void)state;
    unsigned count = 0;
    for (unsigned id = 0; id < AMDGPU_ID_COUNT; id++) {
        struct expected nothing = {0};
        if (!effect_names[id] || has_own_test(effect_names[id]))
            continue;
        if (!model_one(effect_names[id], &(struct given){.lane = 0}, &nothing))
            fail_msg("V_%s has no model", effect_names[id]);
        count++;
        for (enum sim_isa host = SIM_ISA_BASE; host < SIM_ISA_COUNT; host++)
            for (unsigned lanes = 32; sim_isa_has(host) && lanes <= 64; lanes += 32)
                try_row(id, effect_names[id], host, lanes, false);
    }
    assert_true(count > 450);
}

static void integers_with_clamp_saturate(void **state)
{
    (void)state;
    for (unsigned id = 0; id < AMDGPU_ID_COUNT; id++) {
        if (!clamped_names[id] || has_own_test(clamped_names[id]))
            continue;
        for (enum sim_isa host = SIM_ISA_BASE; host < SIM_ISA_COUNT; host++)
            for (unsigned lanes = 32; sim_isa_has(host) && lanes <= 64; lanes += 32)
                try_row(id, clamped_names[id], host, lanes, true);
    }
}

/* ---- rows without an effect ------------------------------------------------------------------ */

static bool may_lack_effect(const char *name)
{
    static const char *const starts[] = {
        "v_mfma",           "v_smfmac",         "v_wmma",       "v_screen_partition",
        "v_cvt_f32_bf8",    "v_cvt_f32_fp8",    "v_cvt_pk_bf8", "v_cvt_pk_fp8",
        "v_cvt_pk_f32_bf8", "v_cvt_pk_f32_fp8", "v_cvt_sr_",
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (m_begins(name, starts[i]))
            return true;
    return false;
}

static struct amdgpu_inst operands_for(const struct amdgpu_row *row)
{
    struct amdgpu_inst inst = make(row, 2);
    bool scalars = m_begins(row->name, "v_permlane") || m_is(row->name, "v_readlane_b32") ||
                   m_is(row->name, "v_writelane_b32");
    for (unsigned k = 0; scalars && k < 3; k++)
        if (k > 0 || m_is(row->name, "v_writelane_b32"))
            inst.src[k] = row->src[k] == AMDGPU_NOTYPE ? inst.src[k] : valu_sreg(4, 1);
    if (row->flags & AMDGPU_ROW_SCALAR_DST)
        inst.dst[0] = valu_sreg(6, 1);
    if (row->format == AMDGPU_VOPD) {
        inst.format = AMDGPU_VOPD;
        inst.src[2] = row->src[2] == AMDGPU_MASK ? valu_sreg(AMDGPU_VCC, 1) : inst.src[2];
        inst.row_y = row;
        inst.dst_y = valu_vreg(DST + 1, 1);
        memcpy(inst.src_y, inst.src, sizeof inst.src);
    }
    return inst;
}

static void every_row_of_the_decoder_has_an_effect(void **state)
{
    (void)state;
    const struct amdgpu_row *row;
    unsigned refused = 0, lacking = 0;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
        if (row->format < AMDGPU_VOP1 || row->format > AMDGPU_VOPD)
            continue;
        for (enum amdgpu_isa isa = 0; isa < AMDGPU_ISA_COUNT; isa++) {
            if (!(row->isas >> isa & 1))
                continue;
            unsigned lanes = row->format == AMDGPU_VOPD ? 32 : 64;
            valu_begin(isa, lanes, SIM_ISA_BASE);
            struct amdgpu_inst inst = operands_for(row);
            struct amdgpu_op op = {.inst = &inst, .length = 8};
            bool has = amdgpu_valu_emit(valu.table, isa, lanes, &inst, &op);
            lacking += !has;
            if (has == may_lack_effect(row->name)) {
                print_error("%s of %s: %s\n", row->name, amdgpu_isa_name(isa),
                            has ? "has an effect, and is listed as lacking" : "no effect");
                refused++;
            }
        }
    }
    assert_int_equal(refused, 0);
    assert_true(lacking > 0);
}

/* ---- rows of their own -------------------------------------------------------------------- */

/* Sets lane values, runs, and returns the result of lane 3. */
static uint64_t result_of(struct amdgpu_inst *inst, const uint64_t *s, unsigned registers)
{
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++)
        for (unsigned k = 0; k < 3; k++)
            valu_set(SRC + 4 * k, 2, lane, s[k]);
    assert_true(valu_run(inst));
    return valu_get(DST, registers, 3);
}

static void signalling_nans_are_results_of_extremes_when_the_mode_is_ieee(void **state)
{
    (void)state;
    valu_begin(AMDGPU_GFX90A, 64, SIM_ISA_BASE);
    struct amdgpu_inst inst = make(valu_row(AMDGPU_GFX90A, AMDGPU_ID_V_MAX_F32), 2);
    const uint64_t first[3] = {0x7f800001, 0x3f800000}, second[3] = {0x3f800000, 0xff812345};
    const uint64_t both[3] = {0x7fc00007, 0x7f800001}, quiet[3] = {0x7fc00007, 0xbf800000};
    assert_int_equal(result_of(&inst, first, 1), 0x7fc00001);
    assert_int_equal(result_of(&inst, second, 1), 0xffc12345);
    assert_int_equal(result_of(&inst, both, 1), 0x7fc00001);
    assert_int_equal(result_of(&inst, quiet, 1), 0xbf800000);
    valu.wave.mode &= ~AMDGPU_MODE_IEEE;
    assert_int_equal(result_of(&inst, first, 1), 0x3f800000);
    assert_int_equal(result_of(&inst, second, 1), 0x3f800000);
}

static void masked_sums_of_differences_fill_four_registers(void **state)
{
    (void)state;
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
        enum amdgpu_isa isa = lanes == 64 ? AMDGPU_GFX90A : AMDGPU_GFX1100;
        valu_begin(isa, lanes, SIM_ISA_BASE);
        struct amdgpu_inst inst = make(valu_row(isa, AMDGPU_ID_V_MQSAD_U32_U8), 2);
        inst.dst[0] = valu_vreg(SRC + 8, 4); /* in place of the third source */
        for (unsigned lane = 0; lane < lanes; lane++) {
            valu_set(SRC, 2, lane, random_long());
            valu_set(SRC + 4, 1, lane, random_word() & 0xff00ffff);
            for (unsigned k = 0; k < 4; k++)
                valu_set(SRC + 8 + k, 1, lane, 1000 * k + lane);
        }
        assert_true(valu_run(&inst));
        for (unsigned lane = 0; lane < lanes; lane++)
            for (unsigned k = 0; k < 4; k++)
                assert_int_equal(valu_get(SRC + 8 + k, 1, lane),
                                 1000 * k + lane +
                                     m_difference(valu_get(SRC, 2, lane) >> 8 * k,
                                                  valu_get(SRC + 4, 1, lane), true));
    }
}

static void products_of_bytes_are_signed_as_neg_says(void **state)
{
    (void)state;
    valu_begin(AMDGPU_GFX1100, 32, SIM_ISA_BASE);
    struct amdgpu_inst inst = make(valu_row(AMDGPU_GFX1100, AMDGPU_ID_V_DOT4_I32_IU8), 1);
    const uint64_t s[3] = {0xff010280, 0x80ff0302, 7};
    static const int64_t signs[4][4] = {
        {0xff * 0x80 + 0xff + 6 + 0x80 * 2}, /* both unsigned */
        {-1 * 0x80 + 0xff + 6 - 0x80 * 2},   /* the first is signed */
        {0xff * -0x80 - 1 + 6 + 0x80 * 2},   /* the second */
        {-1 * -0x80 - 1 + 6 - 0x80 * 2},     /* both */
    };
    for (unsigned neg = 0; neg < 4; neg++) {
        inst.neg = (unsigned char)neg;
        assert_int_equal((int32_t)result_of(&inst, s, 1), signs[neg][0] + 7);
    }
    struct amdgpu_inst four = make(valu_row(AMDGPU_GFX1100, AMDGPU_ID_V_DOT8_I32_IU4), 1);
    const uint64_t t[3] = {0x8, 0xf, UINT32_MAX};
    assert_int_equal((int32_t)result_of(&four, t, 1), 8 * 15 - 1);
    four.neg = 3;
    assert_int_equal((int32_t)result_of(&four, t, 1), -8 * -1 - 1);
    four.clamp = true;
    const uint64_t large[3] = {0x8, 0x8, INT32_MAX};
    assert_int_equal((int32_t)result_of(&four, large, 1), INT32_MAX);
}

static void words_are_taken_from_two_pairs(void **state)
{
    (void)state;
    valu_begin(AMDGPU_GFX90A, 64, SIM_ISA_AVX2 * sim_isa_has(SIM_ISA_AVX2));
    struct amdgpu_inst inst = make(valu_row(AMDGPU_GFX90A, AMDGPU_ID_V_PK_MOV_B32), 2);
    const uint64_t s[3] = {0x1111111122222222, 0x3333333344444444};
    static const uint64_t want[4] = {0x4444444422222222, 0x4444444411111111, 0x3333333322222222,
                                     0x3333333311111111};
    for (unsigned op_sel = 0; op_sel < 4; op_sel++) {
        inst.op_sel = (unsigned char)op_sel;
        inst.op_sel_hi = 3;
        assert_int_equal(result_of(&inst, s, 2), want[op_sel]);
    }
    /* The result overwrites its own sources, in reverse order. */
    inst.dst[0] = valu_vreg(SRC, 2);
    inst.src[1] = inst.src[0];
    inst.op_sel = 1;
    for (unsigned lane = 0; lane < 64; lane++)
        valu_set(SRC, 2, lane, 0x1111111122222222 + lane);
    assert_true(valu_run(&inst));
    assert_int_equal(valu_get(SRC, 2, 9), 0x2222222b11111111);
}

static void sources_and_results_may_lie_one_register_apart(void **state)
{
    (void)state;
    for (enum sim_isa host = SIM_ISA_BASE; host < SIM_ISA_COUNT; host++) {
        if (!sim_isa_has(host))
            continue;
        for (unsigned by = 0; by < 3; by++) {
            valu_begin(AMDGPU_GFX90A, 64, host);
            struct amdgpu_inst inst = make(valu_row(AMDGPU_GFX90A, AMDGPU_ID_V_LSHLREV_B64), 2);
            uint64_t old[64];
            inst.src[0] = valu_const(4, 1);
            inst.src[1] = valu_vreg(41, 2);
            inst.dst[0] = valu_vreg(40 + by, 2);
            for (unsigned lane = 0; lane < 64; lane++)
                valu_set(41, 2, lane, old[lane] = random_long());
            assert_true(valu_run(&inst));
            for (unsigned lane = 0; lane < 64; lane++)
                assert_int_equal(valu_get(40 + by, 2, lane), old[lane] << 4);
            valu_begin(AMDGPU_GFX90A, 64, host);
            inst = make(valu_row(AMDGPU_GFX90A, AMDGPU_ID_V_PK_ADD_F32), 2);
            inst.src[0] = inst.src[1] = valu_vreg(41, 2);
            inst.dst[0] = valu_vreg(40 + by, 2);
            for (unsigned lane = 0; lane < 64; lane++)
                valu_set(41, 2, lane, m_bits32((float)lane) | m_bits32(-(float)lane) << 32);
            assert_true(valu_run(&inst));
            for (unsigned lane = 0; lane < 64; lane++)
                assert_int_equal(valu_get(40 + by, 2, lane),
                                 m_bits32(2 * (float)lane) | m_bits32(-2 * (float)lane) << 32);
        }
    }
}

/* Each result is 53 bits of 2 / pi, chosen so that the angle times the bits after them is small. */
static void check_trig_preop(enum amdgpu_isa isa, unsigned lanes)
{
    valu_begin(isa, lanes, SIM_ISA_BASE);
    struct amdgpu_inst inst = make(valu_row(isa, AMDGPU_ID_V_TRIG_PREOP_F64), lanes / 32);
    const double two_over_pi = 0.63661977236758134308;
    uint64_t s[3] = {m_bits64(1.0), 0};
    double first = m_f64(result_of(&inst, s, 2));
    s[1] = 1;
    double second = m_f64(result_of(&inst, s, 2));
    assert_true(first == two_over_pi || nextafter(first, 1) == two_over_pi);
    assert_true(second > 0 && second < 0x1p-53);
    assert_true((long double)first + second == 0.63661977236758134307553505349005745L);
    /* An angle of 2^60: the 7 bits of 2 / pi that give whole turns are left out. */
    s[0] = m_bits64(0x1p60);
    s[1] = 0;
    double cut = m_f64(result_of(&inst, s, 2));
    long double scaled = 0.63661977236758134307553505349005745L * 0x1p6L;
    long double rest = (scaled - floorl(scaled)) * 0x1p-6L;
    assert_true(fabsl(cut - rest) < 0x1p-58L);
    s[0] = m_bits64(0x1p1000);
    assert_true(m_f64(result_of(&inst, s, 2)) < 0x1p-700); /* and scaled by 2^128 */
    s[0] = m_bits64(INFINITY);
    s[1] = 31;
    assert_true(m_f64(result_of(&inst, s, 2)) == 0);
}

static void trig_preop_gives_the_bits_of_two_over_pi_that_matter(void **state)
{
    (void)state;
    check_trig_preop(AMDGPU_GFX90A, 64);
    check_trig_preop(AMDGPU_GFX1100, 32);
}

/* The expected result for the quotient a of c / b: a, with their signs, unless there is a special
 * case. A quotient that is a NaN overflowed in an intermediate step. */
static uint16_t fixed_up(uint16_t a, uint16_t b, uint16_t c)
{
    const uint16_t infinity = 0x7c00, nan = 0x7e00;
    uint16_t sign = (b ^ c) & 0x8000, size_b = b & 0x7fff, size_c = c & 0x7fff;
    if (size_b > infinity || size_c > infinity)
        return nan;
    if ((size_b == 0 && size_c == 0) || (size_b == infinity && size_c == infinity))
        return nan;
    if (size_b == 0 || size_c == infinity)
        return sign | infinity;
    if (size_b == infinity || size_c == 0)
        return sign;
    return sign | ((a & 0x7fff) > infinity ? infinity : a & 0x7fff);
}

static void quotients_of_halves_are_fixed_up(void **state)
{
    (void)state;
    static const struct {
        enum amdgpu_isa isa;
        unsigned id, lanes, above;
    } cases[] = {{AMDGPU_GFX90A, AMDGPU_ID_V_DIV_FIXUP_LEGACY_F16, 64, 0},
                 {AMDGPU_GFX90A, AMDGPU_ID_V_DIV_FIXUP_F16, 64, 0xabcd},
                 {AMDGPU_GFX1100, AMDGPU_ID_V_DIV_FIXUP_F16, 32, 0xabcd}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned round = 0; round < 400; round++) {
            valu_begin(cases[i].isa, cases[i].lanes, SIM_ISA_BASE);
            struct amdgpu_inst inst = make(valu_row(cases[i].isa, cases[i].id), 1);
            uint16_t a[64], b[64], c[64];
            for (unsigned lane = 0; lane < cases[i].lanes; lane++) {
                uint32_t above = random_word() << 16; /* which is ignored */
                valu_set(DST, 1, lane, 0xabcd1234);
                valu_set(SRC, 1, lane, above | (a[lane] = (uint16_t)pick_half()));
                valu_set(SRC + 4, 1, lane, above | (b[lane] = (uint16_t)pick_half()));
                valu_set(SRC + 8, 1, lane, above | (c[lane] = (uint16_t)pick_half()));
            }
            assert_true(valu_run(&inst));
            for (unsigned lane = 0; lane < cases[i].lanes; lane++) {
                uint32_t got = (uint32_t)valu_get(DST, 1, lane);
                uint16_t want = fixed_up(a[lane], b[lane], c[lane]);
                assert_int_equal(got >> 16, cases[i].above);
                if (m_is_nan(want, 16) ? !m_is_nan(got & 0xffff, 16) : (got & 0xffff) != want)
                    fail_msg("%s: 0x%x 0x%x 0x%x gives 0x%x, not 0x%x", inst.row->name, a[lane],
                             b[lane], c[lane], got & 0xffff, want);
            }
        }
}

/* ---- two components ------------------------------------------------------------------------- */

enum { OTHER = 41 }; /* the distance of the second component's registers */

/* Its sources in registers, in VCC and in the literal; old results in DST. */
static void prepare_dual(struct trial *trial, uint64_t mask, uint32_t literal,
                         struct amdgpu_operand *out_sources)
{
    const struct amdgpu_row *row = trial->row;
    unsigned constant = !(row->flags & AMDGPU_ROW_LITERAL) ? 3
                        : row->id == AMDGPU_ID_V_FMAMK_F32 ? 1
                                                           : 2;
    trial->inst = make(row, 1);
    trial->name = effect_names[row->id];
    fill(trial, false);
    for (unsigned k = 0; k < 3; k++) {
        bool is_mask = row->src[k] == AMDGPU_MASK;
        for (unsigned lane = 0; lane < 32 && (is_mask || k == constant); lane++)
            trial->given[lane].s[k] = is_mask ? mask >> lane & 1 : literal;
        out_sources[k] = is_mask         ? valu_sreg(AMDGPU_VCC, 1)
                         : k == constant ? valu_const(literal, 1)
                                         : trial->inst.src[k];
    }
}

static void move_registers(unsigned to, unsigned from)
{
    for (unsigned lane = 0; lane < 32; lane++)
        valu_set(to, 1, lane, valu_get(from, 1, lane));
}

static void try_pair(const struct amdgpu_row *row, const struct amdgpu_row *row_y,
                     enum sim_isa host)
{
    struct trial x = {.row = row, .host = host}, y = {.row = row_y, .host = host};
    valu_begin(AMDGPU_GFX1100, 32, host);
    struct amdgpu_inst inst = {.row = row, .row_y = row_y, .format = AMDGPU_VOPD, .length = 8};
    uint64_t mask = random_long();
    uint32_t literal = (uint32_t)pick_single();
    prepare_dual(&y, mask, literal, inst.src_y);
    for (unsigned k = 0; k < 3; k++) {
        move_registers(SRC + 4 * k + OTHER, SRC + 4 * k);
        if (inst.src_y[k].kind == AMDGPU_VREG)
            inst.src_y[k].reg += OTHER;
    }
    move_registers(DST + OTHER, DST);
    prepare_dual(&x, mask, literal, inst.src);
    inst.dst[0] = valu_vreg(DST, 1), inst.dst_y = valu_vreg(DST + OTHER, 1);
    amdgpu_set_s64(&valu.wave, AMDGPU_VCC, mask);
    amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, random_word());
    x.exec = y.exec = amdgpu_exec(&valu.wave);
    assert_true(valu_run(&inst));
    for (unsigned part = 0; part < 2; part++) {
        const struct trial *trial = part ? &y : &x;
        if (part)
            move_registers(DST, DST + OTHER);
        for (unsigned lane = 0; lane < 32; lane++) {
            struct expected want = {0};
            assert_true(model_one(trial->name, &trial->given[lane], &want));
            if (trial->exec >> lane & 1)
                compare_value(trial, lane, &want);
            else
                assert_int_equal(valu_get(DST, 1, lane), (uint32_t)trial->old[lane]);
        }
    }
}

static void every_pair_of_components_does_what_both_do(void **state)
{
    (void)state;
    const struct amdgpu_row *x, *y;
    unsigned count = 0;
    for (enum sim_isa host = SIM_ISA_BASE; host < SIM_ISA_COUNT; host++)
        for (size_t i = 0; sim_isa_has(host) && (x = amdgpu_row_at(i)); i++)
            for (size_t k = 0; (y = amdgpu_row_at(k)); k++) {
                if (x->format != AMDGPU_VOPD || y->format != AMDGPU_VOPD ||
                    x->opcode[AMDGPU_GFX11] > 15) /* only the second component can have these */
                    continue;
                for (unsigned round = 0; round < 4; round++)
                    try_pair(x, y, host);
                count++;
            }
    assert_true(count >= 14 * 17);
}

static void halves_of_a_dot_product_stay_halves(void **state)
{
    (void)state;
    valu_begin(AMDGPU_GFX1100, 32, SIM_ISA_BASE);
    struct amdgpu_inst inst = make(valu_row(AMDGPU_GFX1100, AMDGPU_ID_V_DOT2_F16_F16), 1);
    const uint64_t s[3] = {0x40003c00, 0x42004200, 0x3c00}; /* (1, 2) (3, 3) + 1 */
    assert_int_equal(result_of(&inst, s, 1) & 0xffff, m_bits16(10));
    struct amdgpu_inst brain = make(valu_row(AMDGPU_GFX1100, AMDGPU_ID_V_DOT2_BF16_BF16), 1);
    const uint64_t t[3] = {0x40003f80, 0x40404040, 0x3f80};
    assert_int_equal(result_of(&brain, t, 1) & 0xffff, 0x4120);
}

/* ---- handlers ----------------------------------------------------------------------------- */

/* Many subnormals of f32 and of halves. */
static uint32_t any_word(void)
{
    uint32_t word = random_word();
    switch (random_word() % 4) {
    case 0:
        return word & UINT32_C(0x807fffff);
    case 1:
        return word & UINT32_C(0x83ff83ff);
    default:
        return word;
    }
}

static bool is_general(amdgpu_handler run)
{
    return run == valu.table->run[AMDGPU_VALU_MODIFIED][valu.wave.lanes == 64];
}
static bool has_general(amdgpu_handler run)
{
    for (unsigned kind = 0; kind < AMDGPU_VALU_DUAL; kind++)
        if (valu.table->run[kind][valu.wave.lanes == 64] == run)
            return !is_general(run);
    return false; /* of amdgpu_lanes.c */
}

/* Runs an instruction with its own handler and with the general one, and returns whether both have
 * the same result. */
static bool handlers_agree(struct amdgpu_inst *inst, unsigned *count)
{
    struct amdgpu_op ops[3] = {{.inst = inst, .length = 8, .step = 2 * sizeof *ops}};
    assert_true(amdgpu_valu_emit(valu.table, valu.isa, valu.wave.lanes, inst, &ops[0]));
    if (!has_general(ops[0].run))
        return true;
    struct valu before = valu;
    assert_ptr_equal(ops[0].run(&valu.wave, &ops[0]), &ops[2]);
    struct valu own = valu;
    valu = before;
    assert_ptr_equal(
        valu.table->run[AMDGPU_VALU_MODIFIED][valu.wave.lanes == 64](&valu.wave, &ops[0]), &ops[2]);
    (*count)++;
    return memcmp(own.v, valu.v, sizeof valu.v) == 0 &&
           memcmp(own.wave.s, valu.wave.s, sizeof valu.wave.s) == 0;
}

static unsigned different(const struct amdgpu_row *row, enum amdgpu_isa isa, unsigned *count)
{
    static const uint32_t modes[] = {0x3f0, 0x3c0, 0x3d0, 0x3e0, 0x330, 0x3f5};
    unsigned found = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct amdgpu_inst inst = operands_for(row);
        bool vop3 = row->format != AMDGPU_VOP3P;
        inst.neg = vop3 ? random_word() & random_word() & 7 : 0;
        inst.abs = vop3 ? random_word() & random_word() & 7 : 0;
        inst.op_sel = vop3 ? random_word() & random_word() & 15 : 0;
        valu.wave.mode = modes[i];
        amdgpu_set_s64(&valu.wave, AMDGPU_EXEC,
                       i % 2 ? random_long() & amdgpu_all_lanes(&valu.wave)
                             : amdgpu_all_lanes(&valu.wave));
        for (size_t v = 0; v < sizeof valu.v / sizeof *valu.v; v++)
            valu.v[v] = any_word();
        if (!handlers_agree(&inst, count)) {
            print_error("%s of %s, lanes %u, mode 0x%x, neg %x, abs %x, op_sel %x\n", row->name,
                        amdgpu_isa_name(isa), valu.wave.lanes, modes[i], inst.neg, inst.abs,
                        inst.op_sel);
            found++;
        }
    }
    return found;
}

static void every_handler_does_what_the_general_one_does(void **state)
{
    static const enum amdgpu_isa isas[] = {AMDGPU_GFX90A, AMDGPU_GFX1100};
    (void)state;
    unsigned found = 0, count = 0;
    for (enum sim_isa host = SIM_ISA_BASE; host < SIM_ISA_COUNT; host++) {
        const struct amdgpu_row *row;
        for (size_t i = 0; sim_isa_has(host) && (row = amdgpu_row_at(i)); i++) {
            if (row->format < AMDGPU_VOP1 || row->format > AMDGPU_VOP3P)
                continue;
            for (unsigned k = 0; k < 2; k++) {
                valu_begin(isas[k], k ? 32 : 64, host);
                if (row->isas >> isas[k] & 1 && !may_lack_effect(row->name))
                    found += different(row, isas[k], &count);
            }
        }
    }
    assert_int_equal(found, 0);
    assert_true(count > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_effect_is_what_its_model_says),
        cmocka_unit_test(integers_with_clamp_saturate),
        cmocka_unit_test(every_row_of_the_decoder_has_an_effect),
        cmocka_unit_test(signalling_nans_are_results_of_extremes_when_the_mode_is_ieee),
        cmocka_unit_test(masked_sums_of_differences_fill_four_registers),
        cmocka_unit_test(products_of_bytes_are_signed_as_neg_says),
        cmocka_unit_test(words_are_taken_from_two_pairs),
        cmocka_unit_test(sources_and_results_may_lie_one_register_apart),
        cmocka_unit_test(trig_preop_gives_the_bits_of_two_over_pi_that_matter),
        cmocka_unit_test(quotients_of_halves_are_fixed_up),
        cmocka_unit_test(every_pair_of_components_does_what_both_do),
        cmocka_unit_test(halves_of_a_dot_product_stay_halves),
        cmocka_unit_test(every_handler_does_what_the_general_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
