/* The decoder's results: values, modifiers, addresses, and invalid encodings. */
#include "amdgpu_inst.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 5 };

struct line {
    enum amdgpu_isa isa;
    unsigned lanes, length;
    uint32_t words[WORDS];
    const char *text;
};

/* One or more of every format. */
static const struct line lines[] = {
    {AMDGPU_GFX90A, 64, 4, {0xbe940028}, "s_mov_b32 s20, s40"},
    {AMDGPU_GFX90A, 64, 8, {0xbefe01ff, 0x12345678}, "s_mov_b64 exec, 0x12345678"},
    {AMDGPU_GFX90A, 64, 4, {0x8e8a8584}, "s_lshl_b64 s[10:11], 4, 5"},
    {AMDGPU_GFX90A, 64, 4, {0xbf068028}, "s_cmp_eq_u32 s40, 0"},
    {AMDGPU_GFX90A, 64, 4, {0xb0208000}, "s_movk_i32 s32, 0x8000"},
    {AMDGPU_GFX90A, 64, 4, {0xb8a0f801}, "s_getreg_b32 s32, hwreg(HW_REG_MODE)"},
    {AMDGPU_GFX90A, 64, 4, {0xbf8cc07f}, "s_waitcnt lgkmcnt(0)"},
    {AMDGPU_GFX90A, 64, 8, {0xc0024814, 0x0a000010}, "s_load_dword s32, s[40:41], s5 offset:0x10"},
    {AMDGPU_GFX90A, 64, 4, {0x024060f2}, "v_add_f32_e32 v32, 1.0, v48"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0x024060f9, 0x36163428},
     "v_add_f32_sdwa v32, -v40, -|v48| clamp dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE "
     "src0_sel:DWORD src1_sel:DWORD"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0x024060fa, 0xff011128},
     "v_add_f32_dpp v32, v40, v48 row_shr:1 row_mask:0xf bank_mask:0xf"},
    {AMDGPU_GFX90A, 64, 8, {0xd1010220, 0x60026128}, "v_add_f32_e64 v32, -v40, -|v48|"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0xd2034020, 0x04e26128},
     "v_mad_f16 v32, v40, v48, v56 op_sel:[0,0,0,1]"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0xd38f0120, 0x58026128},
     "v_pk_add_f16 v32, v40, v48 neg_lo:[0,1] neg_hi:[1,0]"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0xd3c58020, 0xe4e26128},
     "v_mfma_f32_16x16x4f32 a[32:35], v40, v48, a[56:59] blgp:7"},
    {AMDGPU_GFX908,
     64,
     8,
     {0xd3c53cc1, 0xadafbb15},
     "v_mfma_f32_16x16x4f32 a[193:196], a21, v221, a[107:110] cbsz:4 abid:7 blgp:5"},
    {AMDGPU_GFX1010, 32, 4, {0x0d315a2a}, "v_mac_legacy_f32_e32 v152, s42, v173"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0xdc518fff, 0x20840018},
     "global_load_dword a32, v24, s[4:5] "
     "offset:4095 glc"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0xe052ffff, 0x80042818},
     "buffer_load_dword v40, v[24:25], s[16:19], 0 idxen offen offset:4095 glc slc scc"},
    {AMDGPU_GFX90A,
     64,
     8,
     {0xd86e0810, 0x20000018},
     "ds_read2_b32 v[32:33], v24 offset0:16 "
     "offset1:8"},
    {AMDGPU_GFX942, 64, 8, {0xdc506005, 0x20040018}, "scratch_load_dword v32, v24, s4 offset:5"},
    {AMDGPU_GFX1030,
     32,
     8,
     {0xdc308fff, 0x207d0018},
     "global_load_dword v32, v[24:25], off "
     "offset:-1"},
    {AMDGPU_GFX1100, 32, 4, {0x654161a8}, "v_add_f16_e32 v32.h, v40.h, v48.h"},
    {AMDGPU_GFX1100, 32, 4, {0x7c8260f2}, "v_cmp_lt_i32_e32 vcc_lo, 1.0, v48"},
    {AMDGPU_GFX1100, 64, 4, {0x7c8260f2}, "v_cmp_lt_i32_e32 vcc, 1.0, v48"},
    {AMDGPU_GFX1100,
     32,
     12,
     {0xd5030020, 0x280260fa, 0xff010128},
     "v_add_f32_e64_dpp v32, -v40, v48 mul:2 row_shl:1 row_mask:0xf bank_mask:0xf"},
    {AMDGPU_GFX1100,
     32,
     12,
     {0xca2000ff, 0x202082ff, 0x00001234},
     "v_dual_mov_b32 v32, 0x1234 :: v_dual_add_nc_u32 v33, 0x1234, v65"},
    {AMDGPU_GFX1100, 32, 8, {0xdc510005, 0x20040018}, "scratch_load_b32 v32, off, s4 offset:5"},
    {AMDGPU_GFX1100,
     32,
     4,
     {0xbf8705a1},
     "s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_3)"},
};
enum { LINE_COUNT = sizeof lines / sizeof *lines };

static void decode(const struct line *line, struct amdgpu_inst *out_inst)
{
    assert_int_equal(
        amdgpu_decode(line->isa, line->lanes, line->words, sizeof line->words, out_inst),
        AMDGPU_DECODED);
}

static struct amdgpu_inst decoded(enum amdgpu_isa isa, unsigned lanes, uint32_t word0,
                                  uint32_t word1, uint32_t word2)
{
    struct amdgpu_inst inst;
    struct line line = {isa, lanes, 0, {word0, word1, word2}, ""};
    decode(&line, &inst);
    return inst;
}

static void instructions_are_printed_as_llvm_does(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LINE_COUNT; i++) {
        struct amdgpu_inst inst;
        char text[256];
        decode(&lines[i], &inst);
        amdgpu_print(lines[i].isa, lines[i].lanes, &inst, text, sizeof text);
        assert_string_equal(text, lines[i].text);
        assert_int_equal(inst.length, lines[i].length);
    }
}

/* In memory of exactly that size, so that sanitizers detect reads beyond it. */
static void code_that_ends_too_early_is_cut_off(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LINE_COUNT; i++)
        for (unsigned size = 0; size < lines[i].length; size++) {
            struct amdgpu_inst inst;
            unsigned char *code = malloc(size ? size : 1);
            assert_non_null(code);
            memcpy(code, lines[i].words, size);
            assert_int_equal(amdgpu_decode(lines[i].isa, lines[i].lanes, code, size, &inst),
                             AMDGPU_CUT_OFF);
            free(code);
        }
}

static void text_that_does_not_fit_is_cut(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LINE_COUNT; i++)
        for (unsigned size = 0; size < 40; size++) {
            struct amdgpu_inst inst;
            char text[41];
            memset(text, '#', sizeof text);
            decode(&lines[i], &inst);
            amdgpu_print(lines[i].isa, lines[i].lanes, &inst, text, size);
            assert_int_equal(text[size], '#');
            if (size > 0)
                assert_int_equal(strncmp(text, lines[i].text, strlen(text)), 0);
        }
}

/* ---- values --------------------------------------------------------------------------------- */

static void inline_constants_are_of_their_operands_type(void **state)
{
    (void)state;
    /* v_add_f32, v_add_f16, v_fma_f64, s_mov_b64, v_pk_add_f16, v_pk_add_u16, v_pk_add_f32:
     * 1.0, and -1 */
    static const struct {
        uint32_t word0, word1_one, word1_minus, word0_minus;
        uint64_t one, minus;
    } cases[] = {
        {0x024060f2, 0, 0, 0x024060c1, 0x3f800000, 0xffffffff},
        {0x3e4060f2, 0, 0, 0x3e4060c1, 0x3c00, 0xffff},
        {0xd1cc0020, 0x04e260f2, 0x04e260c1, 0xd1cc0020, 0x3ff0000000000000, UINT64_MAX},
        {0xbea001f2, 0, 0, 0xbea001c1, 0x3ff0000000000000, UINT64_MAX},
        {0xd38f4020, 0x180260f2, 0x180260c1, 0xd38f4020, 0x3c00, 0xffffffff},
        {0xd38a4020, 0x180260f2, 0x180260c1, 0xd38a4020, 0x3f800000, 0xffffffff},
        {0xd3b24020, 0x180260f2, 0x180260c1, 0xd3b24020, 0x3f800000, 0xffffffff},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct amdgpu_inst inst = decoded(AMDGPU_GFX90A, 64, cases[i].word0, cases[i].word1_one, 0);
        assert_int_equal(inst.src[0].kind, AMDGPU_CONST);
        assert_false(inst.src[0].literal);
        assert_true(inst.src[0].value == cases[i].one);
        inst = decoded(AMDGPU_GFX90A, 64, cases[i].word0_minus, cases[i].word1_minus, 0);
        assert_true(inst.src[0].value == cases[i].minus);
    }
}

static void literals_are_of_their_operands_type(void **state)
{
    struct amdgpu_inst inst;
    (void)state;
    inst = decoded(AMDGPU_GFX1100, 32, 0xd6140020, 0x04e260ff, 0x40080000); /* v_fma_f64 */
    assert_true(inst.src[0].literal && inst.length == 12);
    assert_true(inst.src[0].value == 0x4008000000000000);
    inst = decoded(AMDGPU_GFX90A, 64, 0xbea001ff, 0x80000000, 0); /* s_mov_b64 */
    assert_true(inst.src[0].value == 0x80000000);
    inst = decoded(AMDGPU_GFX90A, 64, 0x90a000ff, 0x80000000, 0); /* s_ashr_i64 */
    assert_true(inst.src[0].value == 0xffffffff80000000);
    inst = decoded(AMDGPU_GFX90A, 64, 0x3e4060ff, 0x12345678, 0); /* v_add_f16 */
    assert_true(inst.src[0].value == 0x5678);
}

static void a_literal_between_sources_is_the_second(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX90A, 64, 0x2e406128, 0x12345678, 0);
    (void)state;
    assert_string_equal(inst.row->name, "v_madmk_f32");
    assert_int_equal(inst.src[0].reg, 40);
    assert_true(inst.src[1].kind == AMDGPU_CONST && inst.src[1].value == 0x12345678);
    assert_int_equal(inst.src[2].reg, 48);
}

static void masks_are_as_wide_as_waves(void **state)
{
    struct amdgpu_inst inst;
    (void)state;
    inst = decoded(AMDGPU_GFX1100, 32, 0x404060f2, 0, 0); /* v_add_co_ci_u32_e32 */
    assert_int_equal(inst.dst[1].reg, 106);
    assert_int_equal(inst.dst[1].count, 1);
    assert_int_equal(inst.src[2].count, 1);
    inst = decoded(AMDGPU_GFX1100, 64, 0x404060f2, 0, 0);
    assert_int_equal(inst.dst[1].count, 2);
    assert_int_equal(inst.src[2].count, 2);
    inst = decoded(AMDGPU_GFX90A, 64, 0x7c8260f2, 0, 0); /* v_cmp_lt_f32_e32 */
    assert_int_equal(inst.dst[0].reg, 106);
}

static void comparisons_that_write_exec_alone_have_no_destination(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX1100, 32, 0x7d8260f2, 0, 0);
    (void)state;
    assert_string_equal(inst.row->name, "v_cmpx_lt_i32");
    assert_true(inst.row->flags & AMDGPU_ROW_EXEC);
    assert_int_equal(inst.dst[0].kind, AMDGPU_NONE);
}

static void halves_of_registers_are_bits_of_op_sel(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX1100, 32, 0x654160a8 | 1u << 8, 0, 0);
    (void)state;
    assert_int_equal(inst.dst[0].reg, 32);
    assert_int_equal(inst.src[0].reg, 40);
    assert_int_equal(inst.src[1].reg, 48);
    assert_int_equal(inst.op_sel, 1 | 2 | 8);
}

static void mixed_precision_has_constants_of_both(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX90A, 64, 0xd3a00020, 0x0ce1e4f2, 0);
    (void)state;
    assert_string_equal(inst.row->name, "v_fma_mix_f32");
    assert_int_equal(inst.op_sel_hi, 1);
    assert_true(inst.src[0].value == 0x3c00);
    assert_true(inst.src[1].value == 0x3f800000);
}

static void duals_are_two_instructions(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX1100, 32, 0xc8446128, 0x20208339, 0x00012345);
    (void)state;
    assert_int_equal(inst.row->id, AMDGPU_ID_V_FMAAK_F32);
    assert_int_equal(inst.row_y->id, AMDGPU_ID_V_FMAMK_F32);
    assert_int_equal(inst.dst[0].reg, 32);
    assert_int_equal(inst.dst_y.reg, 33);
    assert_true(inst.src[2].value == 0x12345 && inst.src_y[1].value == 0x12345);
    assert_int_equal(inst.src_y[2].reg, 65);
    assert_int_equal(inst.length, 12);
}

static void what_gets_lanes_from_others_says_how(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX1030, 32, 0x064060fa, 0x350ce428, 0);
    (void)state;
    assert_true(inst.has_dpp && !inst.dpp.is_dpp8);
    assert_int_equal(inst.dpp.control, 0xe4);
    assert_int_equal(inst.dpp.row_mask, 3);
    assert_int_equal(inst.dpp.bank_mask, 5);
    assert_true(inst.dpp.bound_ctrl && inst.dpp.fetch_inactive);
    inst = decoded(AMDGPU_GFX1030, 32, 0x064060ea, 0xfac68828, 0);
    assert_true(inst.has_dpp && inst.dpp.is_dpp8 && inst.dpp.fetch_inactive);
    assert_int_equal(inst.dpp.lanes, 0xfac688);
    assert_int_equal(inst.src[0].reg, 40);
}

/* ---- memory ------------------------------------------------------------------------------- */

static void atomics_have_a_destination_when_they_return(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX90A, 64, 0xdd058000, 0x207f2818, 0);
    (void)state;
    assert_int_equal(inst.row->id, AMDGPU_ID_GLOBAL_ATOMIC_CMPSWAP_B32);
    assert_int_equal(inst.dst[0].reg, 32);
    assert_int_equal(inst.dst[0].count, 1);
    assert_int_equal(inst.data.count, 2);
    assert_int_equal(inst.addr.count, 2);
    assert_int_equal(inst.saddr.kind, AMDGPU_NONE);
    inst = decoded(AMDGPU_GFX90A, 64, 0xdd048000, 0x007f2818, 0);
    assert_int_equal(inst.dst[0].kind, AMDGPU_NONE);
}

static void addresses_of_scratch_are_of_lanes_or_of_all(void **state)
{
    struct amdgpu_inst inst;
    (void)state;
    inst = decoded(AMDGPU_GFX90A, 64, 0xdc505000, 0x207f0018, 0);
    assert_int_equal(inst.addr.count, 1);
    assert_int_equal(inst.saddr.kind, AMDGPU_NONE);
    assert_int_equal(inst.offset, -4096);
    inst = decoded(AMDGPU_GFX90A, 64, 0xdc504005, 0x20040018, 0);
    assert_int_equal(inst.addr.kind, AMDGPU_NONE);
    assert_int_equal(inst.saddr.reg, 4);
    inst = decoded(AMDGPU_GFX1100, 32, 0xdc510005, 0x207c0018, 0);
    assert_int_equal(inst.addr.kind, AMDGPU_NONE);
    assert_int_equal(inst.saddr.kind, AMDGPU_NONE);
}

static void accumulation_registers_are_numbered_from_256(void **state)
{
    struct amdgpu_inst inst = decoded(AMDGPU_GFX90A, 64, 0xd3d84020, 0x18000128, 0);
    (void)state;
    assert_int_equal(inst.row->id, AMDGPU_ID_V_ACCVGPR_READ_B32);
    assert_int_equal(inst.dst[0].reg, 32);
    assert_int_equal(inst.src[0].reg, 256 + 40);
    inst = decoded(AMDGPU_GFX90A, 64, 0xda6c0000, 0x20000018, 0); /* ds_read_b32 */
    assert_int_equal(inst.dst[0].reg, 256 + 32);
    assert_int_equal(inst.addr.reg, 24);
}

/* ---- rows, and rubbish ---------------------------------------------------------------------- */

static void every_number_is_one_row(void **state)
{
    const struct amdgpu_row *row, *other;
    (void)state;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
        assert_true(row->name && *row->name);
        assert_true(row->isas != 0 && row->isas < 1 << AMDGPU_ISA_COUNT);
        for (size_t j = 0; j < i; j++) {
            other = amdgpu_row_at(j);
            for (unsigned isa = 0; isa < AMDGPU_ISA_COUNT; isa++) {
                unsigned family = amdgpu_family_of((enum amdgpu_isa)isa);
                if (!(row->isas & other->isas & 1u << isa) || row->format != other->format)
                    continue;
                assert_int_not_equal(row->opcode[family], other->opcode[family]);
            }
        }
    }
}

static void rubbish_is_decoded_or_refused(void **state)
{
    uint64_t seed = 1;
    unsigned long known = 0;
    (void)state;
    for (unsigned i = 0; i < 600000; i++) {
        uint32_t words[WORDS];
        struct amdgpu_inst inst;
        enum amdgpu_isa isa = (enum amdgpu_isa)(i % AMDGPU_ISA_COUNT);
        unsigned lanes = amdgpu_family_of(isa) != AMDGPU_GFX9 && i & 8 ? 32 : 64,
                 count = 1 + i % WORDS;
        char text[160];
        for (unsigned j = 0; j < WORDS; j++)
            words[j] =
                (uint32_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 32);
        switch (amdgpu_decode(isa, lanes, words, count * 4, &inst)) {
        case AMDGPU_DECODED:
            known++;
            assert_true(inst.length >= 4 && inst.length <= count * 4);
            amdgpu_print(isa, lanes, &inst, text, i % sizeof text + 1);
            break;
        case AMDGPU_CUT_OFF:
            assert_true(count < WORDS);
            break;
        default:
            break;
        }
    }
    assert_true(known > 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_printed_as_llvm_does),
        cmocka_unit_test(code_that_ends_too_early_is_cut_off),
        cmocka_unit_test(text_that_does_not_fit_is_cut),
        cmocka_unit_test(inline_constants_are_of_their_operands_type),
        cmocka_unit_test(literals_are_of_their_operands_type),
        cmocka_unit_test(a_literal_between_sources_is_the_second),
        cmocka_unit_test(masks_are_as_wide_as_waves),
        cmocka_unit_test(comparisons_that_write_exec_alone_have_no_destination),
        cmocka_unit_test(halves_of_registers_are_bits_of_op_sel),
        cmocka_unit_test(mixed_precision_has_constants_of_both),
        cmocka_unit_test(duals_are_two_instructions),
        cmocka_unit_test(what_gets_lanes_from_others_says_how),
        cmocka_unit_test(atomics_have_a_destination_when_they_return),
        cmocka_unit_test(addresses_of_scratch_are_of_lanes_or_of_all),
        cmocka_unit_test(accumulation_registers_are_numbered_from_256),
        cmocka_unit_test(every_number_is_one_row),
        cmocka_unit_test(rubbish_is_decoded_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
