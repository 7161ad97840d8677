/* Scalar arithmetic: every row of SOP1, SOP2, SOPK and SOPC, in every instruction set that has it,
 * for edge cases, against models that compute in wider numbers or bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "amdgpu_exec.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

/* ---- models -------------------------------------------------------------------------------- */

typedef __int128 wide;

struct state { /* bits: the width of the instruction's values; b of shifts has 32 */
    unsigned bits;
    uint64_t a, b, d, exec, lanes; /* lanes: of a wave */
    bool scc;
    const char *table; /* for logic: the results for the bits 00, 01, 10 and 11 of a and b */
};

static uint64_t cut(const struct state *s, wide value)
{
    return s->bits == 64 ? (uint64_t)value : (uint64_t)value & 0xffffffff;
}

static wide signed_of(const struct state *s, uint64_t value)
{
    return s->bits == 64 ? (wide)(int64_t)value : (wide)(int32_t)value;
}

static bool bit(uint64_t value, unsigned i)
{
    return value >> i & 1;
}

static wide power(unsigned exponent)
{
    return (wide)1 << exponent;
}

static bool fits_signed(const struct state *s, wide value)
{
    return value >= -power(s->bits - 1) && value < power(s->bits - 1);
}

static void result(struct state *s, wide value)
{
    s->d = cut(s, value);
}

static void result_scc(struct state *s, wide value)
{
    result(s, value);
    s->scc = s->d != 0;
}

static void add_unsigned(struct state *s)
{
    wide sum = (wide)s->a + s->b;
    result(s, sum);
    s->scc = sum >= power(32);
}
static void add_carry(struct state *s)
{
    wide sum = (wide)s->a + s->b + s->scc;
    result(s, sum);
    s->scc = sum >= power(32);
}
static void sub_unsigned(struct state *s)
{
    wide difference = (wide)s->a - s->b;
    result(s, difference);
    s->scc = difference < 0;
}
static void sub_borrow(struct state *s)
{
    wide difference = (wide)s->a - s->b - s->scc;
    result(s, difference);
    s->scc = difference < 0;
}
static void add_signed(struct state *s)
{
    wide sum = signed_of(s, s->a) + signed_of(s, s->b);
    result(s, sum);
    s->scc = !fits_signed(s, sum);
}
static void sub_signed(struct state *s)
{
    wide difference = signed_of(s, s->a) - signed_of(s, s->b);
    result(s, difference);
    s->scc = !fits_signed(s, difference);
}
static void choose(struct state *s, bool first)
{
    s->scc = first;
    s->d = first ? s->a : s->b;
}
static void min_signed(struct state *s)
{
    choose(s, signed_of(s, s->a) < signed_of(s, s->b));
}
static void min_unsigned(struct state *s)
{
    choose(s, s->a < s->b);
}
static void max_signed(struct state *s)
{
    choose(s, signed_of(s, s->a) >= signed_of(s, s->b));
}
static void max_unsigned(struct state *s)
{
    choose(s, s->a >= s->b);
}
static void absolute_difference(struct state *s)
{
    /* As in hardware: the difference is cut to 32 bits before its absolute value is taken. */
    wide difference = signed_of(s, cut(s, signed_of(s, s->a) - signed_of(s, s->b)));
    result_scc(s, difference < 0 ? -difference : difference);
}
static void absolute(struct state *s)
{
    wide value = signed_of(s, s->a);
    result_scc(s, value < 0 ? -value : value);
}
static void multiply(struct state *s)
{
    result(s, signed_of(s, s->a) * signed_of(s, s->b));
}
static void multiply_high_unsigned(struct state *s)
{
    result(s, (wide)s->a * s->b / power(32));
}
static void multiply_high_signed(struct state *s)
{
    wide product = signed_of(s, s->a) * signed_of(s, s->b);
    wide rest = product % power(32);
    result(s, (product - (rest < 0 ? rest + power(32) : rest)) / power(32));
}
static void shift_add(struct state *s, unsigned shift)
{
    wide sum = (wide)s->a * power(shift) + s->b;
    result(s, sum);
    s->scc = sum >= power(32);
}
static void shift1_add(struct state *s)
{
    shift_add(s, 1);
}
static void shift2_add(struct state *s)
{
    shift_add(s, 2);
}
static void shift3_add(struct state *s)
{
    shift_add(s, 3);
}
static void shift4_add(struct state *s)
{
    shift_add(s, 4);
}
static void sign_extend(struct state *s, unsigned from)
{
    wide low = (wide)(s->a % (uint64_t)power(from));
    result(s, bit(s->a, from - 1) ? low - power(from) : low);
}
static void extend8(struct state *s)
{
    sign_extend(s, 8);
}
static void extend16(struct state *s)
{
    sign_extend(s, 16);
}
static void move(struct state *s)
{
    s->d = s->a;
}
static void move_if(struct state *s)
{
    if (s->scc)
        s->d = s->a;
}
static void selection(struct state *s)
{
    s->d = s->scc ? s->a : s->b;
}

static uint64_t logic_of(const struct state *s, uint64_t a, uint64_t b)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < s->bits; i++)
        value |= (uint64_t)(s->table[bit(a, i) * 2 + bit(b, i)] == '1') << i;
    return value;
}
static void logic(struct state *s)
{
    result_scc(s, logic_of(s, s->a, s->b));
}
static void save(struct state *s)
{
    uint64_t exec = s->bits == 64 ? s->exec : s->exec & 0xffffffff;
    s->d = exec;
    exec = logic_of(s, s->a, exec);
    s->exec = s->bits == 64 ? exec : (s->exec & ~UINT64_C(0xffffffff)) | exec;
    s->exec &= s->lanes;
    s->scc = cut(s, s->exec) != 0;
}
static void write_exec(struct state *s)
{
    save(s);
    s->d = cut(s, s->exec);
}
static void shift_left(struct state *s)
{
    result_scc(s, (wide)((unsigned __int128)s->a << s->b % s->bits));
}
static void shift_right(struct state *s)
{
    result_scc(s, (wide)s->a / power((unsigned)(s->b % s->bits)));
}
static void shift_right_signed(struct state *s)
{
    uint64_t value = 0;
    unsigned by = (unsigned)(s->b % s->bits);
    for (unsigned i = 0; i < s->bits; i++)
        value |= (uint64_t)bit(s->a, i + by < s->bits ? i + by : s->bits - 1) << i;
    result_scc(s, (wide)value);
}
static void bit_field_mask(struct state *s)
{
    result(s, (power((unsigned)(s->a % s->bits)) - 1) << (unsigned)(s->b % s->bits));
}
static void bit_field(struct state *s, bool is_signed)
{
    unsigned first = (unsigned)(s->b % s->bits), width = (unsigned)(s->b >> 16) & 127;
    uint64_t value = 0;
    bool top = false;
    for (unsigned i = 0; i < s->bits; i++) {
        if (i < width)
            top = first + i < s->bits ? bit(s->a, first + i) : is_signed && bit(s->a, s->bits - 1);
        value |= (uint64_t)(i < width ? top : is_signed && top) << i;
    }
    result_scc(s, (wide)value);
}
static void bit_field_unsigned(struct state *s)
{
    bit_field(s, false);
}
static void bit_field_signed(struct state *s)
{
    bit_field(s, true);
}
static void pack(struct state *s, bool high_a, bool high_b)
{
    uint64_t low = high_a ? s->a / 65536 : s->a % 65536;
    uint64_t high = high_b ? s->b / 65536 : s->b % 65536;
    s->d = high * 65536 + low;
}
static void pack_ll(struct state *s)
{
    pack(s, false, false);
}
static void pack_lh(struct state *s)
{
    pack(s, false, true);
}
static void pack_hh(struct state *s)
{
    pack(s, true, true);
}
static void pack_hl(struct state *s)
{
    pack(s, true, false);
}
static void reversed(struct state *s)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < s->bits; i++)
        value |= (uint64_t)bit(s->a, i) << (s->bits - 1 - i);
    s->d = value;
}
static void count_bits(struct state *s, bool what)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->bits; i++)
        count += bit(s->a, i) == what;
    s->d = count;
    s->scc = count != 0;
}
static void count0(struct state *s)
{
    count_bits(s, false);
}
static void count1(struct state *s)
{
    count_bits(s, true);
}
static void find_low(struct state *s, bool what)
{
    s->d = UINT32_MAX;
    for (unsigned i = s->bits; i-- > 0;)
        if (bit(s->a, i) == what)
            s->d = i;
}
static void find_low0(struct state *s)
{
    find_low(s, false);
}
static void find_low1(struct state *s)
{
    find_low(s, true);
}
static void find_high(struct state *s, bool what)
{
    s->d = UINT32_MAX;
    for (unsigned i = 0; i < s->bits; i++)
        if (bit(s->a, i) == what)
            s->d = s->bits - 1 - i;
}
static void find_high1(struct state *s)
{
    find_high(s, true);
}
static void find_sign(struct state *s)
{
    find_high(s, !bit(s->a, s->bits - 1));
}
static void set_bit(struct state *s, bool what)
{
    uint64_t mask = (uint64_t)power((unsigned)(s->a % s->bits));
    s->d = what ? s->d | mask : s->d & ~mask;
}
static void clear_bit(struct state *s)
{
    set_bit(s, false);
}
static void put_bit(struct state *s)
{
    set_bit(s, true);
}
static void replicate(struct state *s)
{
    s->d = 0;
    for (unsigned i = 0; i < 32; i++)
        s->d |= bit(s->a, i) ? (uint64_t)3 << 2 * i : 0;
}
static void whole_quads(struct state *s)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < s->bits; i++)
        value |= (uint64_t)((s->a >> i / 4 * 4 & 15) != 0) << i;
    result_scc(s, (wide)value);
}
static void quad_mask(struct state *s)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < s->bits / 4; i++)
        value |= (uint64_t)((s->a >> i * 4 & 15) != 0) << i;
    result_scc(s, (wide)value);
}
static int order_signed(const struct state *s)
{
    wide a = signed_of(s, s->a), b = signed_of(s, s->b);
    return (a > b) - (a < b);
}
static int order_unsigned(const struct state *s)
{
    return (s->a > s->b) - (s->a < s->b);
}
#define ORDER(name, condition)                                                                     \
    static void name##_signed(struct state *s)                                                     \
    {                                                                                              \
        int order = order_signed(s);                                                               \
        s->scc = condition;                                                                        \
    }                                                                                              \
    static void name##_unsigned(struct state *s)                                                   \
    {                                                                                              \
        int order = order_unsigned(s);                                                             \
        s->scc = condition;                                                                        \
    }
ORDER(equal, order == 0)
ORDER(unequal, order != 0)
ORDER(greater, order > 0)
ORDER(not_less, order >= 0)
ORDER(less, order < 0)
ORDER(not_greater, order <= 0)
#undef ORDER
static void bit_is_0(struct state *s)
{
    s->scc = !bit(s->a, (unsigned)(s->b % s->bits));
}
static void bit_is_1(struct state *s)
{
    s->scc = bit(s->a, (unsigned)(s->b % s->bits));
}

/* bits: the width of d and a, unless d always has 32. SOPK: b is the constant. */
struct model {
    const char *name;
    void (*run)(struct state *s);
    unsigned bits;
    unsigned dst, src; /* registers: of the result, of a */
    const char *table;
};
#define LOGIC(name, run, table)                                                                    \
    {name "b32", run, 32, 32, 32, table},                                                          \
    {                                                                                              \
        name "b64", run, 64, 64, 64, table                                                         \
    }
#define BOTH(name, run) LOGIC(name, run, NULL)
static const struct model models[] = {
    {"s_add_u32", add_unsigned, 32, 32, 32, NULL},
    {"s_sub_u32", sub_unsigned, 32, 32, 32, NULL},
    {"s_add_i32", add_signed, 32, 32, 32, NULL},
    {"s_sub_i32", sub_signed, 32, 32, 32, NULL},
    {"s_addc_u32", add_carry, 32, 32, 32, NULL},
    {"s_subb_u32", sub_borrow, 32, 32, 32, NULL},
    {"s_min_i32", min_signed, 32, 32, 32, NULL},
    {"s_min_u32", min_unsigned, 32, 32, 32, NULL},
    {"s_max_i32", max_signed, 32, 32, 32, NULL},
    {"s_max_u32", max_unsigned, 32, 32, 32, NULL},
    {"s_absdiff_i32", absolute_difference, 32, 32, 32, NULL},
    {"s_abs_i32", absolute, 32, 32, 32, NULL},
    {"s_mul_i32", multiply, 32, 32, 32, NULL},
    {"s_mul_hi_u32", multiply_high_unsigned, 32, 32, 32, NULL},
    {"s_mul_hi_i32", multiply_high_signed, 32, 32, 32, NULL},
    {"s_lshl1_add_u32", shift1_add, 32, 32, 32, NULL},
    {"s_lshl2_add_u32", shift2_add, 32, 32, 32, NULL},
    {"s_lshl3_add_u32", shift3_add, 32, 32, 32, NULL},
    {"s_lshl4_add_u32", shift4_add, 32, 32, 32, NULL},
    {"s_sext_i32_i8", extend8, 32, 32, 32, NULL},
    {"s_sext_i32_i16", extend16, 32, 32, 32, NULL},
    BOTH("s_mov_", move),
    BOTH("s_cmov_", move_if),
    BOTH("s_cselect_", selection),
    LOGIC("s_and_", logic, "0001"),
    LOGIC("s_or_", logic, "0111"),
    LOGIC("s_xor_", logic, "0110"),
    LOGIC("s_andn2_", logic, "0010"),
    LOGIC("s_orn2_", logic, "1011"),
    LOGIC("s_and_not1_", logic, "0010"),
    LOGIC("s_or_not1_", logic, "1011"),
    LOGIC("s_nand_", logic, "1110"),
    LOGIC("s_nor_", logic, "1000"),
    LOGIC("s_xnor_", logic, "1001"),
    LOGIC("s_not_", logic, "1100"),
    BOTH("s_lshl_", shift_left),
    BOTH("s_lshr_", shift_right),
    {"s_ashr_i32", shift_right_signed, 32, 32, 32, NULL},
    {"s_ashr_i64", shift_right_signed, 64, 64, 64, NULL},
    {"s_bfm_b32", bit_field_mask, 32, 32, 32, NULL},
    {"s_bfm_b64", bit_field_mask, 64, 64, 32, NULL},
    {"s_bfe_u32", bit_field_unsigned, 32, 32, 32, NULL},
    {"s_bfe_u64", bit_field_unsigned, 64, 64, 64, NULL},
    {"s_bfe_i32", bit_field_signed, 32, 32, 32, NULL},
    {"s_bfe_i64", bit_field_signed, 64, 64, 64, NULL},
    {"s_pack_ll_b32_b16", pack_ll, 32, 32, 32, NULL},
    {"s_pack_lh_b32_b16", pack_lh, 32, 32, 32, NULL},
    {"s_pack_hh_b32_b16", pack_hh, 32, 32, 32, NULL},
    {"s_pack_hl_b32_b16", pack_hl, 32, 32, 32, NULL},
    BOTH("s_brev_", reversed),
    {"s_bcnt0_i32_b32", count0, 32, 32, 32, NULL},
    {"s_bcnt0_i32_b64", count0, 64, 32, 64, NULL},
    {"s_bcnt1_i32_b32", count1, 32, 32, 32, NULL},
    {"s_bcnt1_i32_b64", count1, 64, 32, 64, NULL},
    {"s_ff0_i32_b32", find_low0, 32, 32, 32, NULL},
    {"s_ff0_i32_b64", find_low0, 64, 32, 64, NULL},
    {"s_ff1_i32_b32", find_low1, 32, 32, 32, NULL},
    {"s_ff1_i32_b64", find_low1, 64, 32, 64, NULL},
    {"s_ctz_i32_b32", find_low1, 32, 32, 32, NULL},
    {"s_ctz_i32_b64", find_low1, 64, 32, 64, NULL},
    {"s_flbit_i32_b32", find_high1, 32, 32, 32, NULL},
    {"s_flbit_i32_b64", find_high1, 64, 32, 64, NULL},
    {"s_clz_i32_u32", find_high1, 32, 32, 32, NULL},
    {"s_clz_i32_u64", find_high1, 64, 32, 64, NULL},
    {"s_flbit_i32", find_sign, 32, 32, 32, NULL},
    {"s_flbit_i32_i64", find_sign, 64, 32, 64, NULL},
    {"s_cls_i32", find_sign, 32, 32, 32, NULL},
    {"s_cls_i32_i64", find_sign, 64, 32, 64, NULL},
    {"s_bitset0_b32", clear_bit, 32, 32, 32, NULL},
    {"s_bitset0_b64", clear_bit, 64, 64, 32, NULL},
    {"s_bitset1_b32", put_bit, 32, 32, 32, NULL},
    {"s_bitset1_b64", put_bit, 64, 64, 32, NULL},
    {"s_bitreplicate_b64_b32", replicate, 64, 64, 32, NULL},
    BOTH("s_wqm_", whole_quads),
    BOTH("s_quadmask_", quad_mask),
    {"s_cmp_eq_i32", equal_signed, 32, 0, 32, NULL},
    {"s_cmp_lg_i32", unequal_signed, 32, 0, 32, NULL},
    {"s_cmp_gt_i32", greater_signed, 32, 0, 32, NULL},
    {"s_cmp_ge_i32", not_less_signed, 32, 0, 32, NULL},
    {"s_cmp_lt_i32", less_signed, 32, 0, 32, NULL},
    {"s_cmp_le_i32", not_greater_signed, 32, 0, 32, NULL},
    {"s_cmp_eq_u32", equal_unsigned, 32, 0, 32, NULL},
    {"s_cmp_lg_u32", unequal_unsigned, 32, 0, 32, NULL},
    {"s_cmp_gt_u32", greater_unsigned, 32, 0, 32, NULL},
    {"s_cmp_ge_u32", not_less_unsigned, 32, 0, 32, NULL},
    {"s_cmp_lt_u32", less_unsigned, 32, 0, 32, NULL},
    {"s_cmp_le_u32", not_greater_unsigned, 32, 0, 32, NULL},
    {"s_cmp_eq_u64", equal_unsigned, 64, 0, 64, NULL},
    {"s_cmp_lg_u64", unequal_unsigned, 64, 0, 64, NULL},
    {"s_bitcmp0_b32", bit_is_0, 32, 0, 32, NULL},
    {"s_bitcmp1_b32", bit_is_1, 32, 0, 32, NULL},
    {"s_bitcmp0_b64", bit_is_0, 64, 0, 64, NULL},
    {"s_bitcmp1_b64", bit_is_1, 64, 0, 64, NULL},
    {"s_movk_i32", move, 32, 32, 0, NULL},
    {"s_cmovk_i32", move_if, 32, 32, 0, NULL},
    {"s_addk_i32", add_signed, 32, 32, 0, NULL},
    {"s_mulk_i32", multiply, 32, 32, 0, NULL},
    {"s_cmpk_eq_i32", equal_signed, 32, 0, 32, NULL},
    {"s_cmpk_lg_i32", unequal_signed, 32, 0, 32, NULL},
    {"s_cmpk_gt_i32", greater_signed, 32, 0, 32, NULL},
    {"s_cmpk_ge_i32", not_less_signed, 32, 0, 32, NULL},
    {"s_cmpk_lt_i32", less_signed, 32, 0, 32, NULL},
    {"s_cmpk_le_i32", not_greater_signed, 32, 0, 32, NULL},
    {"s_cmpk_eq_u32", equal_unsigned, 32, 0, 32, NULL},
    {"s_cmpk_lg_u32", unequal_unsigned, 32, 0, 32, NULL},
    {"s_cmpk_gt_u32", greater_unsigned, 32, 0, 32, NULL},
    {"s_cmpk_ge_u32", not_less_unsigned, 32, 0, 32, NULL},
    {"s_cmpk_lt_u32", less_unsigned, 32, 0, 32, NULL},
    {"s_cmpk_le_u32", not_greater_unsigned, 32, 0, 32, NULL},
    LOGIC("s_and_saveexec_", save, "0001"),
    LOGIC("s_or_saveexec_", save, "0111"),
    LOGIC("s_xor_saveexec_", save, "0110"),
    LOGIC("s_nand_saveexec_", save, "1110"),
    LOGIC("s_nor_saveexec_", save, "1000"),
    LOGIC("s_xnor_saveexec_", save, "1001"),
    LOGIC("s_andn1_saveexec_", save, "0100"),
    LOGIC("s_orn1_saveexec_", save, "1101"),
    LOGIC("s_andn2_saveexec_", save, "0010"),
    LOGIC("s_orn2_saveexec_", save, "1011"),
    LOGIC("s_and_not0_saveexec_", save, "0100"),
    LOGIC("s_or_not0_saveexec_", save, "1101"),
    LOGIC("s_and_not1_saveexec_", save, "0010"),
    LOGIC("s_or_not1_saveexec_", save, "1011"),
    LOGIC("s_andn1_wrexec_", write_exec, "0100"),
    LOGIC("s_andn2_wrexec_", write_exec, "0010"),
    LOGIC("s_and_not0_wrexec_", write_exec, "0100"),
    LOGIC("s_and_not1_wrexec_", write_exec, "0010"),
};

/* Rows that are not arithmetic: test_control.c tests them, or the simulator refuses them. */
static const char *const others[] = {
    "s_getpc_b64",
    "s_setpc_b64",
    "s_swappc_b64",
    "s_rfe_b64",
    "s_movrels_b32",
    "s_movrels_b64",
    "s_movreld_b32",
    "s_movreld_b64",
    "s_movrelsd_2_b32",
    "s_cbranch_join",
    "s_set_gpr_idx_idx",
    "s_sendmsg_rtn_b32",
    "s_call_b64",
    "s_sendmsg_rtn_b64",
    "s_cbranch_g_fork",
    "s_rfe_restore_b64",
    "s_getreg_b32",
    "s_cbranch_i_fork",
    "s_setreg_b32",
    "s_setreg_imm32_b32",
    "s_version",
    "s_waitcnt_vscnt",
    "s_waitcnt_vmcnt",
    "s_waitcnt_expcnt",
    "s_setvskip",
    "s_waitcnt_lgkmcnt",
    "s_set_gpr_idx_on",
    "s_subvector_loop_begin",
    "s_subvector_loop_end",
};

static const struct model *model_of(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

static bool is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], name) == 0)
            return true;
    return false;
}

/* ---- running one instruction -------------------------------------------------------------- */

enum { A = 10, B = 12, D = 20, VCC = 106, EXEC = 126 };

static uint32_t encode(const struct amdgpu_row *row, enum amdgpu_isa isa, unsigned dst, unsigned a,
                       unsigned b)
{
    uint32_t number = (uint32_t)row->opcode[amdgpu_family_of(isa)];
    switch (row->format) {
    case AMDGPU_SOP2:
        return 0x80000000 | number << 23 | dst << 16 | b << 8 | a;
    case AMDGPU_SOP1:
        return 0xbe800000 | number << 8 | dst << 16 | a;
    case AMDGPU_SOPC:
        return 0xbf000000 | number << 16 | b << 8 | a;
    default: /* SOPK: b is the constant */
        return 0xb0000000 | number << 23 | dst << 16 | (b & 0xffff);
    }
}

/* Decodes and emits words; false: not simulated. */
static bool emit(enum amdgpu_isa isa, unsigned lanes, const uint32_t *words, size_t size,
                 struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    memset(inst, 0, sizeof *inst);
    assert_int_equal(amdgpu_decode(isa, lanes, words, size, inst), AMDGPU_DECODED);
    *op = (struct amdgpu_op){.step = sizeof *op, .count = inst->dst[0].count, .inst = inst};
    return amdgpu_emit_scalar(isa, lanes, inst, op);
}

static void run_words(struct amdgpu_wave *wave, enum amdgpu_isa isa, const uint32_t *words,
                      size_t size)
{
    struct amdgpu_inst inst;
    struct amdgpu_op op;
    assert_true(emit(isa, wave->lanes, words, size, &inst, &op));
    rows_executed(isa, &inst);
    assert_ptr_equal(op.run(wave, &op), amdgpu_next(&op));
}

static const uint64_t values[] = {
    0,          1,          2,          31,         32,         0x7f,       0x80,
    0x7fff,     0x8000,     0xffff,     0x10000,    0x200010,   0x7f0005,   0x7fffffff,
    0x80000000, 0xffffffff, 0xfffffffe, 0x12345678, 0xdeadbeef, 0x5500aa00,
};
enum { VALUES = sizeof values / sizeof *values };

/* The same for registers with an upper half. */
static uint64_t value_at(unsigned index, unsigned bits)
{
    if (bits != 64)
        return values[index % VALUES];
    uint64_t low = values[index % VALUES], high = values[(index * 7 + index / VALUES) % VALUES];
    return index % 3 == 0 ? low : low | high << 32;
}

static void check(const char *name, enum amdgpu_isa isa, const char *what, const struct state *s,
                  uint64_t got, uint64_t expected)
{
    if (got != expected)
        fail_msg("%s on %s: %s is 0x%llx, not 0x%llx; a 0x%llx, b 0x%llx, scc %d", name,
                 amdgpu_isa_name(isa), what, (unsigned long long)got, (unsigned long long)expected,
                 (unsigned long long)s->a, (unsigned long long)s->b, s->scc);
}

static void run_case(const struct amdgpu_row *row, const struct model *model, enum amdgpu_isa isa,
                     uint64_t a, uint64_t b, bool scc)
{
    unsigned lanes = amdgpu_family_of(isa) == AMDGPU_GFX9 ? 64 : 32;
    uint64_t all = lanes == 64 ? UINT64_MAX : UINT32_MAX;
    bool constant = row->format == AMDGPU_SOPK;
    struct amdgpu_wave wave = {.lanes = lanes, .scc = scc};
    struct state before = {
        .bits = model->bits, .a = a, .b = b, .scc = scc, .table = model->table, .lanes = all};
    before.d = 0x0123456789abcdef;
    before.exec = 0xf0f0123487654321 & all;
    if (constant) { /* the constant has 16 bits; it is sign-extended except in comparisons of u32 */
        b = b & 0xffff;
        bool is_unsigned = strstr(model->name, "u32") != NULL;
        before.b = is_unsigned ? b : (uint32_t)(int16_t)b;
        before.d = a;
        if (model->run == move || model->run == move_if)
            before.a = before.b;
    }
    amdgpu_set_s64(&wave, A, a);
    amdgpu_set_s64(&wave, B, b);
    amdgpu_set_s64(&wave, D, before.d);
    amdgpu_set_s64(&wave, EXEC, before.exec);
    uint32_t word = encode(row, isa, D, A, constant ? (uint32_t)b : B);
    run_words(&wave, isa, &word, sizeof word);
    struct state after = before;
    if (model->bits == 32)
        after.d &= 0xffffffff;
    model->run(&after);
    if (model->dst) {
        uint64_t got = amdgpu_s64(&wave, D);
        uint64_t kept =
            before.d & ~UINT64_C(0xffffffff); /* what a result of 32 bits leaves unchanged */
        check(model->name, isa, "the result", &before, got,
              model->dst == 64 ? after.d : kept | (after.d & 0xffffffff));
    }
    check(model->name, isa, "scc", &before, wave.scc, after.scc);
    check(model->name, isa, "exec", &before, amdgpu_exec(&wave), after.exec);
}

static unsigned run_row(const struct amdgpu_row *row, enum amdgpu_isa isa)
{
    const struct model *model = model_of(row->name);
    if (!model) {
        if (!is_other(row->name))
            fail_msg("no model of %s", row->name);
        return 0;
    }
    for (unsigned i = 0; i < 2 * VALUES; i++)
        for (unsigned j = 0; j < VALUES; j++)
            for (int scc = 0; scc < 2; scc++) {
                bool shifts = strstr("s_lshl_b64 s_lshr_b64 s_ashr_i64 s_bfm_b64 s_bfe_u64 "
                                     "s_bfe_i64 s_bitcmp0_b64 s_bitcmp1_b64",
                                     row->name);
                run_case(row, model, isa, value_at(i, model->src),
                         value_at(j, shifts ? 32 : model->bits), scc);
            }
    return 1;
}

static void every_row_does_what_its_model_does(void **state)
{
    (void)state;
    unsigned count = 0;
    const struct amdgpu_row *row;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
        if (row->format != AMDGPU_SOP1 && row->format != AMDGPU_SOP2 &&
            row->format != AMDGPU_SOPC && row->format != AMDGPU_SOPK)
            continue;
        for (unsigned isa = 0; isa < AMDGPU_ISA_COUNT; isa++)
            if (row->isas >> isa & 1)
                count += run_row(row, (enum amdgpu_isa)isa);
    }
    assert_true(count > 500);
}

/* ---- operands ----------------------------------------------------------------------------- */

static const struct amdgpu_row *row_named(const char *name, enum amdgpu_isa isa)
{
    const struct amdgpu_row *row;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++)
        if (strcmp(row->name, name) == 0 && row->isas >> isa & 1)
            return row;
    fail_msg("no row %s", name);
    return NULL;
}

static uint64_t run_source(enum amdgpu_isa isa, struct amdgpu_wave *wave, const char *name,
                           unsigned source, uint32_t literal)
{
    uint32_t words[2] = {encode(row_named(name, isa), isa, D, source, 0), literal};
    run_words(wave, isa, words, sizeof words);
    return amdgpu_s64(wave, D);
}

static void sources_are_constants_literals_and_conditions(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        enum amdgpu_isa isa = i ? AMDGPU_GFX1100 : AMDGPU_GFX90A;
        struct amdgpu_wave wave = {.lanes = i ? 32 : 64, .scc = 1};
        assert_int_equal(run_source(isa, &wave, "s_mov_b32", 128 + 17, 0), 17);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 193, 0), UINT64_MAX);
        assert_int_equal(run_source(isa, &wave, "s_mov_b32", 242, 0) & UINT32_MAX, 0x3f800000);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 242, 0), 0x3ff0000000000000);
        assert_int_equal(run_source(isa, &wave, "s_mov_b32", 255, 0xcafef00d) & UINT32_MAX,
                         0xcafef00d);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 255, 0xcafef00d), 0xcafef00d);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 253, 0), 1);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 251, 0), 1);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 252, 0), 1);
        amdgpu_set_mask(&wave, VCC, 4);
        amdgpu_set_mask(&wave, EXEC, 8);
        wave.scc = 0;
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 253, 0), 0);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 251, 0), 0);
        assert_int_equal(run_source(isa, &wave, "s_mov_b64", 252, 0), 0);
    }
}

static void waves_of_32_use_half_of_vcc(void **state)
{
    (void)state;
    struct amdgpu_wave wave = {.lanes = 32};
    wave.s[VCC + 1] = 1;
    assert_int_equal(run_source(AMDGPU_GFX1100, &wave, "s_mov_b64", 251, 0), 1);
    wave.lanes = 64;
    assert_int_equal(run_source(AMDGPU_GFX1100, &wave, "s_mov_b64", 251, 0), 0);
}

static void apertures_are_the_windows(void **state)
{
    (void)state;
    struct amdgpu_wave wave = {.lanes = 64};
    assert_int_equal(run_source(AMDGPU_GFX90A, &wave, "s_mov_b64", 235, 0), SIM_SHARED_WINDOW);
    assert_int_equal(run_source(AMDGPU_GFX90A, &wave, "s_mov_b64", 237, 0), SIM_LOCAL_WINDOW);
    assert_int_equal(run_source(AMDGPU_GFX90A, &wave, "s_mov_b64", 236, 0),
                     SIM_SHARED_WINDOW + SIM_WINDOW_SIZE - 1);
    assert_int_equal(run_source(AMDGPU_GFX90A, &wave, "s_mov_b64", 238, 0),
                     SIM_LOCAL_WINDOW + SIM_WINDOW_SIZE - 1);
    assert_int_equal(run_source(AMDGPU_GFX90A, &wave, "s_mov_b32", 235, 0) & UINT32_MAX,
                     SIM_SHARED_WINDOW >> 32);
}

static void writes_to_null_are_discarded(void **state)
{
    (void)state;
    struct amdgpu_wave wave = {.lanes = 32}, old;
    const struct amdgpu_row *row = row_named("s_mov_b64", AMDGPU_GFX1100);
    uint32_t word = encode(row, AMDGPU_GFX1100, 124, 193, 0);
    old = wave;
    run_words(&wave, AMDGPU_GFX1100, &word, sizeof word);
    for (unsigned i = 0; i < AMDGPU_SREGS; i++)
        if (i < 108 || i > 123) /* between them are the trap handler's */
            assert_int_equal(wave.s[i], old.s[i]);
    assert_int_equal(run_source(AMDGPU_GFX1100, &wave, "s_mov_b64", 124, 0), 0);
}

static void waves_of_32_have_no_upper_half_of_exec(void **state)
{
    (void)state;
    struct amdgpu_wave wave = {.lanes = 32};
    uint32_t both = encode(row_named("s_mov_b64", AMDGPU_GFX1100), AMDGPU_GFX1100, EXEC, 193, 0);
    uint32_t upper =
        encode(row_named("s_mov_b32", AMDGPU_GFX1100), AMDGPU_GFX1100, EXEC + 1, 193, 0);
    run_words(&wave, AMDGPU_GFX1100, &both, sizeof both);
    assert_int_equal(amdgpu_exec(&wave), UINT32_MAX);
    run_words(&wave, AMDGPU_GFX1100, &upper, sizeof upper);
    assert_int_equal(amdgpu_exec(&wave), UINT32_MAX);
}

static void registers_beyond_the_last_are_refused(void **state)
{
    (void)state;
    struct amdgpu_inst inst;
    struct amdgpu_op op;
    uint32_t word = encode(row_named("s_mov_b64", AMDGPU_GFX90A), AMDGPU_GFX90A, 127, 0, 0);
    memset(&inst, 0, sizeof inst);
    if (amdgpu_decode(AMDGPU_GFX90A, 64, &word, sizeof word, &inst) != AMDGPU_DECODED)
        return; /* the decoder has checked this before */
    op = (struct amdgpu_op){.length = 4, .inst = &inst};
    inst.dst[0].count = 1; /* as if the destination were one register */
    assert_false(amdgpu_emit_scalar(AMDGPU_GFX90A, 64, &inst, &op));
}

static void rows_that_need_hardware_are_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {"s_cbranch_join", "s_cbranch_g_fork", "s_cbranch_i_fork",
                                          "s_setvskip", "s_rfe_restore_b64"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct amdgpu_inst inst;
        struct amdgpu_op op;
        uint32_t word = encode(row_named(refused[i], AMDGPU_GFX90A), AMDGPU_GFX90A, D, A, B);
        assert_false(emit(AMDGPU_GFX90A, 64, &word, sizeof word, &inst, &op));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_does_what_its_model_does),
        cmocka_unit_test(sources_are_constants_literals_and_conditions),
        cmocka_unit_test(waves_of_32_use_half_of_vcc),
        cmocka_unit_test(apertures_are_the_windows),
        cmocka_unit_test(writes_to_null_are_discarded),
        cmocka_unit_test(waves_of_32_have_no_upper_half_of_exec),
        cmocka_unit_test(registers_beyond_the_last_are_refused),
        cmocka_unit_test(rows_that_need_hardware_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
