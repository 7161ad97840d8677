/* Everything around the effects of vector instructions: signs, omod, clamp, halves, SDWA, DPP,
 * modes of floats, masks, EXEC, components of VOPD; and instructions that move values between
 * lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "valu_hand.h"
#include "valu_model.h"

enum { A = 10, B = 14, C = 18, D = 2, Y = 3 };

static struct amdgpu_inst row_of(unsigned id)
{
    struct amdgpu_inst inst = {.row = valu_row(valu.isa, id), .length = 8};
    assert_non_null(inst.row);
    inst.format = inst.row->format;
    inst.dst[0] = valu_vreg(D, 1);
    inst.src[0] = valu_vreg(A, 1);
    if (inst.row->src[1] != AMDGPU_NOTYPE)
        inst.src[1] = valu_vreg(B, 1);
    if (inst.row->src[2] != AMDGPU_NOTYPE && inst.row->src[2] != AMDGPU_MASK)
        inst.src[2] = valu_vreg(C, 1);
    if (inst.format == AMDGPU_VOP3P)
        inst.op_sel_hi = 7;
    return inst;
}

static void set_all(unsigned reg, unsigned registers, uint64_t value)
{
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++)
        valu_set(reg, registers, lane, value);
}
static void set_sources(uint64_t a, uint64_t b, uint64_t c)
{
    set_all(A, 1, a);
    set_all(B, 1, b);
    set_all(C, 1, c);
}
/* Runs it, and returns the result, which is the same in all lanes. */
static uint32_t run(const struct amdgpu_inst *inst)
{
    assert_true(valu_run(inst));
    for (unsigned lane = 1; lane < valu.wave.lanes; lane++)
        assert_int_equal(valu_get(D, 1, lane), valu_get(D, 1, 0));
    return (uint32_t)valu_get(D, 1, 0);
}
static float run_f32(const struct amdgpu_inst *inst)
{
    return m_f32(run(inst));
}

static enum sim_isa host;
static void begin(enum amdgpu_isa isa)
{
    valu_begin(isa, amdgpu_family_of(isa) == AMDGPU_GFX9 ? 64 : 32, host);
}

/* ---- signs, omod, clamp -------------------------------------------------------------------- */

static void signs_of_sources_are_cleared_then_inverted(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_FMA_F32);
    set_sources(m_bits32(-3), m_bits32(5), m_bits32(-7));
    for (unsigned abs = 0; abs < 8; abs++)
        for (unsigned neg = 0; neg < 8; neg++) {
            float s[3] = {-3, 5, -7};
            for (unsigned k = 0; k < 3; k++) {
                s[k] = abs >> k & 1 ? fabsf(s[k]) : s[k];
                s[k] = neg >> k & 1 ? -s[k] : s[k];
            }
            inst.abs = (unsigned char)abs;
            inst.neg = (unsigned char)neg;
            assert_true(run_f32(&inst) == s[0] * s[1] + s[2]);
        }
    struct amdgpu_inst twice = row_of(AMDGPU_ID_V_ADD_F64);
    twice.src[0].count = twice.src[1].count = twice.dst[0].count = 2;
    twice.neg = 2;
    twice.abs = 1;
    set_all(A, 2, m_bits64(-0.1));
    set_all(B, 2, m_bits64(0.7));
    assert_true(valu_run(&twice));
    assert_true(m_f64(valu_get(D, 2, 40)) == 0.1 - 0.7);
    struct amdgpu_inst half = row_of(AMDGPU_ID_V_ADD_F16);
    half.neg = 1;
    set_sources(0x40003c00, 0xffff4000, 0);
    assert_int_equal(run(&half), 0x3c00);
    struct amdgpu_inst move = row_of(AMDGPU_ID_V_CNDMASK_B32);
    move.src[2] = valu_sreg(AMDGPU_VCC, 2);
    move.neg = 1;
    set_sources(1, 0x3f800000, 0);
    amdgpu_set_s64(&valu.wave, AMDGPU_VCC, 0);
    assert_int_equal(run(&move), 0x80000001);
}

static void signs_of_halves_of_pairs_are_their_own(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_PK_ADD_F16);
    set_sources(0x40003c00, 0x44004200, 0); /* (1, 2) and (3, 4) */
    assert_int_equal(run(&inst), 0x46004400);
    inst.neg = 1;
    assert_int_equal(run(&inst), 0x46004000);
    inst.neg_hi = 2;
    assert_int_equal(run(&inst), 0xc0004000);
    inst.neg = inst.neg_hi = 0;
    inst.op_sel = 1;
    inst.op_sel_hi = 1;
    assert_int_equal(run(&inst), 0x45004500); /* 2 + 3, 2 + 3 */
    inst.op_sel_hi = 2;
    assert_int_equal(run(&inst), 0x45004500); /* 2 + 3, 1 + 4 */
    inst.op_sel = 3;
    assert_int_equal(run(&inst), 0x45004600); /* 2 + 4, 1 + 4 */
    struct amdgpu_inst twice = row_of(AMDGPU_ID_V_PK_FMA_F32);
    twice.dst[0].count = twice.src[0].count = twice.src[1].count = twice.src[2].count = 2;
    set_all(A, 2, m_bits32(2) | m_bits32(3) << 32);
    set_all(B, 2, m_bits32(5) | m_bits32(7) << 32);
    set_all(C, 2, m_bits32(11) | m_bits32(13) << 32);
    assert_true(valu_run(&twice));
    assert_int_equal(valu_get(D, 2, 50), m_bits32(21) | m_bits32(34) << 32);
    twice.op_sel = 4;
    twice.op_sel_hi = 6;
    twice.neg = 1;
    twice.neg_hi = 4;
    assert_true(valu_run(&twice)); /* -2 * 5 + 13, 2 * 7 - 13 */
    assert_int_equal(valu_get(D, 2, 50), m_bits32(3) | m_bits32(1) << 32);
}

static void omod_multiplies_where_subnormals_are_not_kept(void **state)
{
    (void)state;
    static const float factors[] = {1, 2, 4, 0.5f};
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_ADD_F32);
    set_sources(m_bits32(1.25f), m_bits32(2), 0);
    for (unsigned omod = 0; omod < 4; omod++) {
        inst.omod = (unsigned char)omod;
        valu.wave.mode = 0x3f0;
        assert_true(run_f32(&inst) == 3.25f); /* ignored */
        valu.wave.mode = 0x1c0;
        assert_true(run_f32(&inst) == 3.25f * factors[omod]);
        valu.wave.mode = 0x3c0;
        assert_true(run_f32(&inst) == 3.25f); /* IEEE */
    }
    struct amdgpu_inst half = row_of(AMDGPU_ID_V_MUL_F16);
    half.omod = 1;
    set_sources(0x4000, 0x4200, 0);
    valu.wave.mode = 0x130;
    assert_int_equal(run(&half), 0x4a00);
}

static void clamp_keeps_results_from_0_to_1(void **state)
{
    (void)state;
    static const float values[][2] = {{0.25f, 0.25f},        {1, 1},     {1.5f, 1},
                                      {INFINITY, 1},         {-0.0f, 0}, {-2, 0},
                                      {0x1p-149f, 0x1p-149f}};
    begin(AMDGPU_GFX1100);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_MUL_F32);
    inst.clamp = true;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        set_sources(m_bits32(values[i][0]), m_bits32(1), 0);
        assert_int_equal(run(&inst), m_bits32(values[i][1]));
    }
    set_sources(0x7fc00000, m_bits32(1), 0);
    assert_int_equal(run(&inst), 0);
    valu.wave.mode &= ~AMDGPU_MODE_DX10_CLAMP;
    assert_true(isnan(run_f32(&inst)));
    struct amdgpu_inst pair = row_of(AMDGPU_ID_V_PK_ADD_F16);
    pair.clamp = true;
    set_sources(0xc0003c00, 0x3c003800, 0);
    assert_int_equal(run(&pair), 0x00003c00);
}

/* ---- modes --------------------------------------------------------------------------------- */

static void rounding_follows_the_mode(void **state)
{
    (void)state;
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const uint32_t third16[] = {0x3555, 0x3556, 0x3555, 0x3555};
    static const uint32_t minus16[] = {0xb555, 0xb555, 0xb556, 0xb555};
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_ADD_F32);
    struct amdgpu_inst twice = row_of(AMDGPU_ID_V_MUL_F64);
    struct amdgpu_inst half = row_of(AMDGPU_ID_V_CVT_F16_F32);
    struct amdgpu_inst nearest = row_of(AMDGPU_ID_V_RNDNE_F32);
    twice.src[0].count = twice.src[1].count = twice.dst[0].count = 2;
    for (uint32_t round = 0; round < 4; round++) {
        volatile float a = 1, b = 0x1.8p-24f, sum;
        volatile double c = 0.1, d = -0.3, product;
        fesetround(roundings[round]);
        sum = a + b;
        product = c * d;
        fesetround(FE_TONEAREST);
        valu.wave.mode = 0x3f0 | round;
        set_sources(m_bits32(a), m_bits32(b), 0);
        assert_true(run_f32(&inst) == sum);
        assert_int_equal(fegetround(), FE_TONEAREST);
        valu.wave.mode = 0x3f0 | round << 2;
        set_all(A, 2, m_bits64(c));
        set_all(B, 2, m_bits64(d));
        assert_true(valu_run(&twice));
        assert_true(m_f64(valu_get(D, 2, 9)) == product);
        set_sources(m_bits32(1.0f / 3), 0, 0);
        assert_int_equal(run(&half), third16[round]);
        set_sources(m_bits32(-1.0f / 3), 0, 0);
        assert_int_equal(run(&half), minus16[round]);
        set_sources(m_bits32(0x1p-26f), 0, 0);
        assert_int_equal(run(&half), round == 1);
        set_sources(m_bits32(1e9f), 0, 0);
        assert_int_equal(run(&half), round < 2 ? 0x7c00 : 0x7bff);
        valu.wave.mode = 0x3f0 | round;
        set_sources(m_bits32(2.5f), 0, 0);
        assert_true(run_f32(&nearest) == 2);
    }
}

static void subnormals_are_kept_as_the_mode_says(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst add = row_of(AMDGPU_ID_V_ADD_F32), move = row_of(AMDGPU_ID_V_MOV_B32);
    struct amdgpu_inst test = row_of(AMDGPU_ID_V_CMP_LT_F32);
    test.dst[0] = valu_sreg(AMDGPU_VCC, 2);
    for (uint32_t keeps = 0; keeps < 4; keeps++) {
        valu.wave.mode = 0x3c0 | keeps << 4;
        bool in = keeps & 1, out = keeps & 2;
        set_sources(0x00400000, 0x80000001, 0); /* two subnormals */
        assert_int_equal(run(&add), in && out ? 0x003fffff : 0);
        set_sources(0x00800000, 0x80800001, 0); /* a subnormal difference */
        assert_int_equal(run(&add), out ? 0x80000001 : 0x80000000);
        set_sources(0x80400000, m_bits32(0), 0);
        assert_int_equal(run(&move), 0x80400000);
        assert_true(valu_run(&test));
        assert_int_equal(amdgpu_s64(&valu.wave, AMDGPU_VCC), in ? UINT64_MAX : 0);
    }
    struct amdgpu_inst half = row_of(AMDGPU_ID_V_ADD_F16);
    set_sources(0x0200, 0x0001, 0);
    valu.wave.mode = 0x330;
    assert_int_equal(run(&half), 0);
    valu.wave.mode = 0x3f0;
    assert_int_equal(run(&half), 0x0201);
}

static void some_instructions_never_keep_subnormals(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst mac = row_of(AMDGPU_ID_V_MAC_F32), log = row_of(AMDGPU_ID_V_LOG_F32);
    set_sources(m_bits32(0x1p-100f), m_bits32(0x1p-30f), 0);
    set_all(D, 1, 1);
    assert_int_equal(run(&mac), 0);
    set_sources(0x80000000 | 1, 0, 0);
    assert_int_equal(run(&log), 0xff800000);
}

/* ---- halves ------------------------------------------------------------------------------- */

static void halves_that_are_not_written_stay_or_become_0(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst add = row_of(AMDGPU_ID_V_ADD_F16), fma = row_of(AMDGPU_ID_V_FMA_F16);
    set_sources(0x77773c00, 0x77774000, 0x4200);
    set_all(D, 1, 0x12345678);
    assert_int_equal(run(&add), 0x4200);
    set_all(D, 1, 0x12345678);
    assert_int_equal(run(&fma), 0x12344500);
    fma.op_sel = 8;
    set_all(D, 1, 0x12345678);
    assert_int_equal(run(&fma), 0x45005678);
    fma.op_sel = 1;
    set_sources(0x40007777, 0x4000, 0x4200);
    assert_int_equal(run(&fma), 0x45000000 | 0x4700);
    begin(AMDGPU_GFX1100);
    add = row_of(AMDGPU_ID_V_ADD_F16);
    set_sources(0x77773c00, 0x40007777, 0);
    add.op_sel = 2;
    set_all(D, 1, 0x12345678);
    assert_int_equal(run(&add), 0x12344200);
    add.op_sel = 2 | 8;
    set_all(D, 1, 0x12345678);
    assert_int_equal(run(&add), 0x42005678);
    struct amdgpu_inst swap = row_of(AMDGPU_ID_V_SWAP_B16);
    swap.op_sel = 8;
    set_all(D, 1, 0x11112222);
    set_sources(0x33334444, 0, 0);
    assert_int_equal(run(&swap), 0x44442222);
    assert_int_equal(valu_get(A, 1, 3), 0x33331111);
}

static void the_accumulator_is_the_half_that_is_written(void **state)
{
    (void)state;
    begin(AMDGPU_GFX1100);
    struct amdgpu_inst fmac = row_of(AMDGPU_ID_V_FMAC_F16);
    set_sources(0x77773c00, 0x77774000, 0);
    fmac.op_sel = 8;
    set_all(D, 1, 0x42007777);
    assert_int_equal(run(&fmac), 0x45007777);
    fmac.op_sel = 4; /* in VOP3, where the source is not encoded */
    set_all(D, 1, 0x77774200);
    assert_int_equal(run(&fmac), 0x77774500);
    fmac.op_sel = 8;
    fmac.clamp = true;
    fmac.neg = 1;
    set_all(D, 1, 0x42007777);
    assert_int_equal(run(&fmac), 0x3c007777);
}

static void mixed_sources_are_halves_where_op_sel_hi_says(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa < 2; isa++) {
        begin(isa ? AMDGPU_GFX1100 : AMDGPU_GFX90A);
        struct amdgpu_inst mix = row_of(AMDGPU_ID_V_FMA_MIX_F32);
        mix.op_sel_hi = 0;
        set_sources(m_bits32(1.5f), m_bits32(4), m_bits32(0.25f));
        assert_true(run_f32(&mix) == 6.25f);
        set_sources(0x40003c00, m_bits32(4), 0x44000000);
        mix.op_sel_hi = 1 | 4;
        mix.op_sel = 4;
        assert_true(run_f32(&mix) == 1 * 4 + 4);
        mix.neg = 1;
        mix.abs = 1; /* of a positive number */
        assert_true(run_f32(&mix) == -1 * 4 + 4);
        struct amdgpu_inst low = row_of(AMDGPU_ID_V_FMA_MIXLO_F16);
        struct amdgpu_inst high = row_of(AMDGPU_ID_V_FMA_MIXHI_F16);
        low.op_sel_hi = high.op_sel_hi = 0;
        set_sources(m_bits32(3), m_bits32(1), m_bits32(0x1p-30f));
        set_all(D, 1, 0x12345678);
        assert_int_equal(run(&low), 0x12344200);
        assert_int_equal(run(&high), 0x42004200);
    }
}

/* ---- SDWA --------------------------------------------------------------------------------- */

static void sdwa_reads_and_writes_parts_of_registers(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_ADD_NC_U32);
    inst.has_sdwa = true;
    static const uint32_t parts[] = {0x84, 0x73, 0x62, 0x91, 0x7384, 0x9162, 0x91627384};
    static const uint32_t extended[] = {0xffffff84, 0x73,       0x62,      0xffffff91,
                                        0x7384,     0xffff9162, 0x91627384};
    set_sources(0x91627384, 0, 0);
    inst.sdwa.dst = inst.sdwa.src[1] = AMDGPU_SDWA_DWORD;
    for (unsigned select = 0; select <= AMDGPU_SDWA_DWORD; select++) {
        inst.sdwa.src[0] = (unsigned char)select;
        inst.sdwa.sext[0] = false;
        assert_int_equal(run(&inst), parts[select]);
        inst.sdwa.sext[0] = true;
        assert_int_equal(run(&inst), extended[select]);
    }
    inst.sdwa.src[0] = AMDGPU_SDWA_DWORD;
    static const uint32_t padded[] = {0x84, 0x8400, 0x840000, 0x84000000, 0x7384, 0x73840000};
    static const uint32_t signs[] = {0xffffff84, 0xffff8400, 0xff840000,
                                     0x84000000, 0x7384,     0x73840000};
    static const uint32_t kept[] = {0x11223384, 0x11228444, 0x11843344,
                                    0x84223344, 0x11227384, 0x73843344};
    for (unsigned select = 0; select < AMDGPU_SDWA_DWORD; select++) {
        inst.sdwa.dst = (unsigned char)select;
        for (unsigned unused = 0; unused < 3; unused++) {
            inst.sdwa.dst_unused = (unsigned char)unused;
            set_all(D, 1, 0x11223344);
            assert_int_equal(run(&inst), unused == 0   ? padded[select]
                                         : unused == 1 ? signs[select]
                                                       : kept[select]);
        }
    }
    struct amdgpu_inst test = row_of(AMDGPU_ID_V_CMP_EQ_U32);
    test.has_sdwa = true;
    test.dst[0] = valu_sreg(20, 2);
    test.sdwa.src[0] = AMDGPU_SDWA_BYTE2;
    test.sdwa.src[1] = AMDGPU_SDWA_DWORD;
    set_all(B, 1, 0x62);
    assert_true(valu_run(&test));
    assert_int_equal(amdgpu_s64(&valu.wave, 20), UINT64_MAX);
}

/* ---- DPP ---------------------------------------------------------------------------------- */

/* The lane from which each lane's value came; -1: the value was kept, 0xff: it is zero. */
static void expect_dpp(const struct amdgpu_dpp *dpp, uint64_t exec,
                       int (*from)(unsigned lane, unsigned lanes))
{
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_MOV_B32);
    inst.has_dpp = true;
    inst.dpp = *dpp;
    amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, exec & amdgpu_all_lanes(&valu.wave));
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
        valu_set(A, 1, lane, 1000 + lane);
        valu_set(D, 1, lane, 5);
    }
    assert_true(valu_run(&inst));
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
        int source = from(lane, valu.wave.lanes);
        bool live = amdgpu_exec(&valu.wave) >> lane & 1;
        bool there =
            source >= 0 && (dpp->fetch_inactive || (amdgpu_exec(&valu.wave) >> source & 1));
        bool masked = !dpp->is_dpp8 &&
                      !(dpp->row_mask >> (lane / 16) & 1 && dpp->bank_mask >> (lane % 16 / 4) & 1);
        uint64_t missing = dpp->bound_ctrl || dpp->is_dpp8 ? 0 : 5;
        uint64_t want = !live || masked ? 5 : there ? 1000 + (unsigned)source : missing;
        if (valu_get(D, 1, lane) != want)
            fail_msg("control %#x, lane %u: %llu, not %llu", dpp->control, lane,
                     (unsigned long long)valu_get(D, 1, lane), (unsigned long long)want);
    }
}

static int quad_0123_reversed(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return (int)(lane ^ 3);
}
static int row_left_3(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return lane % 16 + 3 < 16 ? (int)lane + 3 : -1;
}
static int row_right_1(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return lane % 16 ? (int)lane - 1 : -1;
}
static int row_rotated_5(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return (int)(lane / 16 * 16 + (lane + 16 - 5) % 16);
}
static int wave_left(unsigned lane, unsigned lanes)
{
    return lane + 1 < lanes ? (int)lane + 1 : -1;
}
static int wave_right_around(unsigned lane, unsigned lanes)
{
    return (int)((lane + lanes - 1) % lanes);
}
static int mirrored(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return (int)(lane / 16 * 16 + 15 - lane % 16);
}
static int half_mirrored(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return (int)(lane / 8 * 8 + 7 - lane % 8);
}
static int last_of_row_before(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return lane < 16 ? -1 : (int)(lane / 16 * 16) - 1;
}
static int lane_31(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return lane < 32 ? -1 : 31;
}
static int shared_9(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return (int)(lane / 16 * 16 + 9);
}
static int exchanged_6(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return (int)(lane ^ 6);
}
static int eight_swapped(unsigned lane, unsigned lanes)
{
    (void)lanes;
    return (int)(lane ^ 4);
}

static void dpp_reads_other_lanes(void **state)
{
    (void)state;
    static const struct {
        unsigned short control;
        bool gfx9, gfx11;
        int (*from)(unsigned lane, unsigned lanes);
    } kinds[] = {
        {0x1b, true, true, quad_0123_reversed},
        {0x103, true, true, row_left_3},
        {0x111, true, true, row_right_1},
        {0x125, true, true, row_rotated_5},
        {0x130, true, false, wave_left},
        {0x13c, true, false, wave_right_around},
        {0x140, true, true, mirrored},
        {0x141, true, true, half_mirrored},
        {0x142, true, false, last_of_row_before},
        {0x143, true, false, lane_31},
        {0x159, true, true, shared_9},
        {0x166, false, true, exchanged_6},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (unsigned variant = 0; variant < 32; variant++) {
            begin(variant & 1 ? AMDGPU_GFX1100 : AMDGPU_GFX90A);
            if (variant & 1 ? !kinds[i].gfx11 : !kinds[i].gfx9)
                continue;
            struct amdgpu_dpp dpp = {.control = kinds[i].control, .row_mask = 15, .bank_mask = 15};
            dpp.bound_ctrl = variant & 2;
            dpp.fetch_inactive = variant & 4;
            dpp.row_mask = variant & 8 ? 0xa : 15;
            dpp.bank_mask = variant & 8 ? 0x7 : 15;
            expect_dpp(&dpp, variant & 16 ? 0xf0f1fffe12345679 : UINT64_MAX, kinds[i].from);
        }
    begin(AMDGPU_GFX1100);
    struct amdgpu_dpp eight = {.is_dpp8 = true};
    for (unsigned k = 0; k < 8; k++)
        eight.lanes |= (k ^ 4) << 3 * k;
    expect_dpp(&eight, UINT64_MAX, eight_swapped);
    expect_dpp(&eight, 0x0f0f0f3f, eight_swapped);
    eight.fetch_inactive = true;
    expect_dpp(&eight, 0x0f0f0f3f, eight_swapped);
}

static void dpp_of_sums_moves_the_first_source_alone(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_ADD_CO_U32);
    inst.dst[1] = valu_sreg(AMDGPU_VCC, 2);
    inst.has_dpp = true;
    inst.dpp = (struct amdgpu_dpp){.control = 0x111, .row_mask = 15, .bank_mask = 15};
    for (unsigned lane = 0; lane < 64; lane++) {
        valu_set(A, 1, lane, UINT32_MAX - lane);
        valu_set(B, 1, lane, lane + 1);
        valu_set(D, 1, lane, 77);
    }
    assert_true(valu_run(&inst));
    for (unsigned lane = 0; lane < 64; lane++)
        assert_int_equal(valu_get(D, 1, lane), lane % 16 ? 1 : 77);
    assert_int_equal(amdgpu_s64(&valu.wave, AMDGPU_VCC), 0xfffefffefffefffe);
}

/* ---- EXEC, masks -------------------------------------------------------------------------- */

static void comparisons_write_masks_of_live_lanes(void **state)
{
    (void)state;
    for (unsigned gfx11 = 0; gfx11 < 2; gfx11++) {
        begin(gfx11 ? AMDGPU_GFX1100 : AMDGPU_GFX90A);
        uint64_t all = amdgpu_all_lanes(&valu.wave), odd = 0xaaaaaaaaaaaaaaaa & all;
        struct amdgpu_inst inst = row_of(AMDGPU_ID_V_CMPX_LT_U32);
        inst.dst[0] = gfx11 ? valu_sreg(AMDGPU_EXEC, 1) : valu_sreg(AMDGPU_VCC, 2);
        for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
            valu_set(A, 1, lane, lane);
            valu_set(B, 1, lane, 20);
        }
        amdgpu_set_s64(&valu.wave, AMDGPU_VCC, 0x1111);
        amdgpu_set_mask(&valu.wave, AMDGPU_EXEC, odd);
        assert_true(valu_run(&inst));
        assert_int_equal(amdgpu_exec(&valu.wave), 0xaaaaa);
        assert_int_equal(amdgpu_s64(&valu.wave, AMDGPU_VCC), gfx11 ? 0x1111 : 0xaaaaa);
    }
}

static void masks_of_waves_of_32_are_one_register(void **state)
{
    (void)state;
    begin(AMDGPU_GFX1100);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_CMP_GT_I32);
    inst.dst[0] = valu_sreg(30, 1);
    valu.wave.s[31] = 0x1234;
    set_sources(5, (uint32_t)-5, 0);
    assert_true(valu_run(&inst));
    assert_int_equal(valu.wave.s[30], UINT32_MAX);
    assert_int_equal(valu.wave.s[31], 0x1234);
    struct amdgpu_inst move = row_of(AMDGPU_ID_V_CNDMASK_B32);
    move.src[2] = valu_sreg(30, 1);
    valu.wave.s[30] = 0xff;
    assert_true(valu_run(&move));
    assert_int_equal(valu_get(D, 1, 7), (uint32_t)-5);
    assert_int_equal(valu_get(D, 1, 8), 5);
}

static void div_scale_reports_which_lanes_to_scale_back(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_DIV_SCALE_F32);
    inst.dst[1] = valu_sreg(AMDGPU_VCC, 2);
    for (unsigned lane = 0; lane < 64; lane++) { /* the denominator of 1 / 2^-100, or 1 / 2 */
        valu_set(A, 1, lane, m_bits32(lane % 2 ? 0x1p-100f : 2));
        valu_set(B, 1, lane, m_bits32(lane % 2 ? 0x1p-100f : 2));
        valu_set(C, 1, lane, m_bits32(1));
    }
    assert_true(valu_run(&inst));
    assert_int_equal(amdgpu_s64(&valu.wave, AMDGPU_VCC), 0xaaaaaaaaaaaaaaaa);
    assert_true(m_f32(valu_get(D, 1, 1)) == 0x1p-36f && m_f32(valu_get(D, 1, 2)) == 2);
    struct amdgpu_inst undo = row_of(AMDGPU_ID_V_DIV_FMAS_F32);
    set_sources(0, m_bits32(1), m_bits32(0x1p40f));
    valu.wave.s[0] = valu.wave.s[1] = 0x5555;
    assert_true(valu_run(&undo));
    assert_true(m_f32(valu_get(D, 1, 1)) == 0x1p104f && m_f32(valu_get(D, 1, 2)) == 0x1p40f);
    assert_int_equal(valu.wave.s[0], 0x5555); /* the mask is not a result */
    assert_int_equal(valu.wave.s[1], 0x5555);
}

/* ---- two components ----------------------------------------------------------------------- */

static const struct amdgpu_row *component(unsigned id)
{
    const struct amdgpu_row *row;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++)
        if (row->id == id && row->format == AMDGPU_VOPD)
            return row;
    fail();
    return NULL;
}

static void both_components_read_before_either_writes(void **state)
{
    (void)state;
    for (unsigned part = 0; part < 2; part++) {
        begin(AMDGPU_GFX1100);
        struct amdgpu_inst inst = {.row = component(AMDGPU_ID_V_MOV_B32),
                                   .row_y = component(AMDGPU_ID_V_FMAC_F32),
                                   .format = AMDGPU_VOPD,
                                   .length = 8};
        uint64_t exec = part ? 0xff00ff : UINT32_MAX;
        amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, exec);
        inst.dst[0] = valu_vreg(A, 1);
        inst.src[0] = valu_vreg(Y, 1);
        inst.dst_y = valu_vreg(Y, 1);
        inst.src_y[0] = valu_vreg(A, 1);
        inst.src_y[1] = valu_const(m_bits32(10), 1);
        set_all(A, 1, m_bits32(2));
        set_all(Y, 1, m_bits32(3));
        assert_true(valu_run(&inst));
        for (unsigned lane = 0; lane < 32; lane++) {
            bool live = exec >> lane & 1;
            assert_true(m_f32(valu_get(A, 1, lane)) == (live ? 3 : 2));
            assert_true(m_f32(valu_get(Y, 1, lane)) == (live ? 23 : 3));
        }
        inst.row = component(AMDGPU_ID_V_CNDMASK_B32);
        inst.row_y = component(AMDGPU_ID_V_ADD_NC_U32);
        inst.src[0] = valu_const(1, 1);
        inst.src[1] = valu_vreg(B, 1);
        inst.src_y[0] = valu_sreg(5, 1);
        inst.src_y[1] = valu_vreg(C, 1);
        valu.wave.s[5] = 100;
        amdgpu_set_s64(&valu.wave, AMDGPU_VCC, 0xf);
        set_all(B, 1, 44);
        set_all(C, 1, 7);
        assert_true(valu_run(&inst));
        assert_int_equal(valu_get(A, 1, 3), 44);
        assert_int_equal(valu_get(A, 1, 4), 1);
        assert_int_equal(valu_get(Y, 1, 4), 107);
    }
}

/* ---- lanes -------------------------------------------------------------------------------- */

static void fill_lanes(void)
{
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
        valu_set(A, 1, lane, 100 + lane);
        valu_set(D, 1, lane, 5);
    }
}

static void check_single_lanes(enum amdgpu_isa isa)
{
    begin(isa);
    fill_lanes();
    unsigned lanes = valu.wave.lanes;
    struct amdgpu_inst read = row_of(AMDGPU_ID_V_READLANE_B32);
    read.dst[0] = valu_sreg(8, 1);
    read.src[1] = valu_const(37, 1);
    amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, 0xf000);
    assert_true(valu_run(&read));
    assert_int_equal(valu.wave.s[8], 100 + 37 % lanes);
    read.src[1] = valu_sreg(9, 1);
    valu.wave.s[9] = 64 + 3;
    assert_true(valu_run(&read));
    assert_int_equal(valu.wave.s[8], 103);
    struct amdgpu_inst first = row_of(AMDGPU_ID_V_READFIRSTLANE_B32);
    first.dst[0] = valu_sreg(8, 1);
    assert_true(valu_run(&first));
    assert_int_equal(valu.wave.s[8], 112);
    amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, 0);
    assert_true(valu_run(&first));
    assert_int_equal(valu.wave.s[8], 100);
    struct amdgpu_inst write = row_of(AMDGPU_ID_V_WRITELANE_B32);
    write.src[0] = valu_sreg(9, 1);
    write.src[1] = valu_const(60, 1);
    assert_true(valu_run(&write));
    assert_int_equal(valu_get(D, 1, 60 % lanes), 67);
    assert_int_equal(valu_get(D, 1, 60 % lanes - 1), 5);
    write.src[1] =
        valu_vreg(B, 1); /* not a valid instruction: the lane is the same for all lanes */
    assert_false(valu_run(&write));
}

static void single_lanes_are_read_and_written(void **state)
{
    (void)state;
    check_single_lanes(AMDGPU_GFX90A);
    check_single_lanes(AMDGPU_GFX1100);
}

static void some_instructions_do_nothing(void **state)
{
    (void)state;
    static const struct {
        enum amdgpu_isa isa;
        unsigned id;
    } cases[] = {{AMDGPU_GFX90A, AMDGPU_ID_V_NOP},
                 {AMDGPU_GFX90A, AMDGPU_ID_V_CLREXCP},
                 {AMDGPU_GFX1100, AMDGPU_ID_V_NOP},
                 {AMDGPU_GFX1100, AMDGPU_ID_V_PIPEFLUSH}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(cases[i].isa);
        for (unsigned reg = 0; reg < VALU_VGPRS; reg++)
            set_all(reg, 1, 1000 + reg);
        for (unsigned reg = 0; reg < AMDGPU_SREGS; reg++)
            valu.wave.s[reg] = 77 + reg;
        struct amdgpu_inst inst = {
            .row = valu_row(cases[i].isa, cases[i].id), .format = AMDGPU_VOP1, .length = 4};
        struct valu before = valu;
        assert_true(valu_run(&inst));
        assert_memory_equal(before.v, valu.v, sizeof valu.v);
        assert_memory_equal(before.wave.s, valu.wave.s, sizeof valu.wave.s);
        assert_int_equal(before.wave.mode, valu.wave.mode);
    }
}

static void registers_are_exchanged_in_live_lanes(void **state)
{
    (void)state;
    for (unsigned gfx11 = 0; gfx11 < 2; gfx11++) {
        begin(gfx11 ? AMDGPU_GFX1100 : AMDGPU_GFX90A);
        struct amdgpu_inst inst = row_of(AMDGPU_ID_V_SWAP_B32);
        set_all(A, 1, 1);
        set_all(D, 1, 2);
        amdgpu_set_mask(&valu.wave, AMDGPU_EXEC, 0x80000001);
        assert_true(valu_run(&inst));
        for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
            bool live = lane == 0 || lane == 31;
            assert_int_equal(valu_get(A, 1, lane), live ? 2 : 1);
            assert_int_equal(valu_get(D, 1, lane), live ? 1 : 2);
        }
    }
}

static void rows_of_lanes_are_permuted(void **state)
{
    (void)state;
    for (unsigned crossed = 0; crossed < 2; crossed++)
        for (unsigned bits = 0; bits < 4; bits++) {
            begin(AMDGPU_GFX1100);
            fill_lanes();
            struct amdgpu_inst inst =
                row_of(crossed ? AMDGPU_ID_V_PERMLANEX16_B32 : AMDGPU_ID_V_PERMLANE16_B32);
            inst.src[1] = valu_const(0x76543210, 1);
            inst.src[2] = valu_const(0x00000000, 1);
            inst.op_sel = (unsigned char)bits;
            uint64_t exec = 0xfffffffe;
            amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, exec);
            assert_true(valu_run(&inst));
            for (unsigned lane = 0; lane < 32; lane++) {
                unsigned from = lane / 16 * 16 + (lane % 16 < 8 ? lane % 16 : 0);
                from ^= crossed ? 16 : 0;
                bool there = bits & 1 || exec >> from & 1;
                uint64_t want = there ? 100 + from : bits & 2 ? 0 : 5;
                assert_int_equal(valu_get(D, 1, lane), exec >> lane & 1 ? want : 5);
            }
        }
    valu_begin(AMDGPU_GFX1100, 64, host);
    fill_lanes();
    struct amdgpu_inst halves = row_of(AMDGPU_ID_V_PERMLANE64_B32);
    assert_true(valu_run(&halves));
    assert_int_equal(valu_get(D, 1, 3), 135);
    assert_int_equal(valu_get(D, 1, 40), 108);
}

static void registers_are_indexed_by_m0(void **state)
{
    (void)state;
    begin(AMDGPU_GFX1100);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_MOVRELS_B32);
    for (unsigned reg = 0; reg < 40; reg++)
        set_all(reg, 1, 1000 + reg);
    valu.wave.s[valu.wave.m0] = 7;
    assert_int_equal(run(&inst), 1000 + A + 7);
    inst = row_of(AMDGPU_ID_V_MOVRELD_B32);
    inst.src[0] = valu_const(55, 1);
    amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, 2);
    assert_true(valu_run(&inst));
    assert_int_equal(valu_get(D + 7, 1, 1), 55);
    assert_int_equal(valu_get(D + 7, 1, 0), 1000 + D + 7);
    inst = row_of(AMDGPU_ID_V_MOVRELSD_2_B32);
    valu.wave.s[valu.wave.m0] = 3 | 5 << 16;
    assert_true(valu_run(&inst));
    assert_int_equal(valu_get(D + 5, 1, 1), 1000 + A + 3);
    inst = row_of(AMDGPU_ID_V_SWAPREL_B32); /* 3 and 5, as above */
    assert_true(valu_run(&inst));
    assert_int_equal(valu_get(A + 3, 1, 1), 1000 + A + 3);
    set_all(A + 3, 1, 88);
    amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, 4);
    assert_true(valu_run(&inst));
    assert_int_equal(valu_get(A + 3, 1, 2), 1000 + D + 5);
    assert_int_equal(valu_get(D + 5, 1, 2), 88);
    assert_int_equal(valu_get(A + 3, 1, 3), 88);
    inst = row_of(AMDGPU_ID_V_MOVRELSD_B32);
    valu.wave.s[valu.wave.m0] = 4; /* both */
    assert_true(valu_run(&inst));
    assert_int_equal(valu_get(D + 4, 1, 2), 1000 + A + 4);
    assert_int_equal(valu_get(D + 4, 1, 3), 1000 + D + 4);
    inst = row_of(AMDGPU_ID_V_MOVRELS_B32);
    valu.wave.s[valu.wave.m0] = VALU_VGPRS;
    assert_int_equal(valu.faults, 0);
    assert_false(valu_run(&inst));
    assert_int_equal(valu.faults, 1);
    valu.wave.s[valu.wave.m0] = UINT32_MAX;
    assert_false(valu_run(&inst));
}

static void scalars_and_constants_are_the_same_in_all_lanes(void **state)
{
    (void)state;
    begin(AMDGPU_GFX90A);
    struct amdgpu_inst inst = row_of(AMDGPU_ID_V_LSHLREV_B64);
    inst.dst[0].count = 2;
    inst.src[0] = valu_const(4, 1);
    inst.src[1] = valu_sreg(10, 2);
    amdgpu_set_s64(&valu.wave, 10, 0x123456789abcdef);
    assert_true(valu_run(&inst));
    assert_int_equal(valu_get(D, 2, 63), 0x123456789abcdef0);
    inst.src[1] = valu_sreg(10, 1); /* one register where two are needed */
    assert_false(valu_run(&inst));
    struct amdgpu_inst agpr = row_of(AMDGPU_ID_V_ACCVGPR_WRITE_B32);
    agpr.dst[0] = valu_vreg(256 + 3, 1);
    agpr.src[0] = valu_sreg(10, 1);
    assert_true(valu_run(&agpr));
    assert_int_equal(valu_get(VALU_VGPRS + 3, 1, 20), 0x89abcdef);
}

static int run_all(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;
    for (host = SIM_ISA_BASE; host < SIM_ISA_COUNT; host++)
        if (sim_isa_has(host))
            failed += _cmocka_run_group_tests("modifiers", tests, count, NULL, NULL);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_of_sources_are_cleared_then_inverted),
        cmocka_unit_test(signs_of_halves_of_pairs_are_their_own),
        cmocka_unit_test(omod_multiplies_where_subnormals_are_not_kept),
        cmocka_unit_test(clamp_keeps_results_from_0_to_1),
        cmocka_unit_test(rounding_follows_the_mode),
        cmocka_unit_test(subnormals_are_kept_as_the_mode_says),
        cmocka_unit_test(some_instructions_never_keep_subnormals),
        cmocka_unit_test(halves_that_are_not_written_stay_or_become_0),
        cmocka_unit_test(the_accumulator_is_the_half_that_is_written),
        cmocka_unit_test(mixed_sources_are_halves_where_op_sel_hi_says),
        cmocka_unit_test(sdwa_reads_and_writes_parts_of_registers),
        cmocka_unit_test(dpp_reads_other_lanes),
        cmocka_unit_test(dpp_of_sums_moves_the_first_source_alone),
        cmocka_unit_test(comparisons_write_masks_of_live_lanes),
        cmocka_unit_test(masks_of_waves_of_32_are_one_register),
        cmocka_unit_test(div_scale_reports_which_lanes_to_scale_back),
        cmocka_unit_test(both_components_read_before_either_writes),
        cmocka_unit_test(single_lanes_are_read_and_written),
        cmocka_unit_test(some_instructions_do_nothing),
        cmocka_unit_test(registers_are_exchanged_in_live_lanes),
        cmocka_unit_test(rows_of_lanes_are_permuted),
        cmocka_unit_test(registers_are_indexed_by_m0),
        cmocka_unit_test(scalars_and_constants_are_the_same_in_all_lanes),
    };
    return run_all(tests, sizeof tests / sizeof *tests);
}
