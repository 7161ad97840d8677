/* Arithmetic against results that are computed in another way: exact integers, the host's rounding
 * modes, every value of the small formats. sim.ptx_alu_golden compares with the results of an H200
 * (golden/). */
#include "alu_lanes.h"
#include "sim_bits.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct alu_spelling *spellings;
static unsigned spelling_count;

static int read_spellings(void **state)
{
    (void)state;
    spellings = alu_read_list(ALU_LIST, &spelling_count);
    return spellings ? 0 : -1;
}

static int free_spellings(void **state)
{
    (void)state;
    free(spellings);
    return 0;
}

/* ---- calling one spelling ---------------------------------------------------------- */

struct call {
    const struct alu_spelling *spelling;
    struct ptx_op op;
    struct alu_warp warp;
};

static const struct alu_spelling *find(const char *text)
{
    static const struct alu_spelling *recent[256];
    unsigned hash = 0;
    for (const char *at = text; *at; ++at)
        hash = hash * 31 + (unsigned char)*at;
    const struct alu_spelling **place = &recent[hash % ALU_COUNT(recent)];
    if (*place && strcmp((*place)->text, text) == 0)
        return *place;
    for (unsigned i = 0; i < spelling_count; ++i)
        if (strcmp(spellings[i].text, text) == 0)
            return *place = &spellings[i];
    fail_msg("no spelling %s", text);
    return NULL;
}

static void call_init(struct call *call, const char *text, enum sim_isa isa)
{
    call->spelling = find(text);
    alu_op_init(call->spelling, isa, &call->op);
    alu_warp_init(&call->warp, UINT32_MAX, true);
}

static void call_put(struct call *call, unsigned source, unsigned lane, uint64_t value)
{
    alu_put(&call->warp, (source + 1) * ALU_SLOT, call->spelling->sources[source], lane, value);
}

static void call_run(struct call *call)
{
    assert_ptr_equal(call->op.run(&call->warp.warp, &call->op), &call->op + 1);
}

static uint64_t call_get(const struct call *call, unsigned lane)
{
    return alu_get(&call->warp, ALU_SLOT_D, call->spelling->result, lane);
}

/* One lane. */
static uint64_t apply(const char *text, uint64_t a, uint64_t b, uint64_t c)
{
    static struct call call;
    const uint64_t values[] = {a, b, c};
    call_init(&call, text, sim_isa());
    for (unsigned s = 0; s < call.spelling->count && s < 3; ++s)
        call_put(&call, s, 0, values[s]);
    call_run(&call);
    return call_get(&call, 0);
}

static void expect(const char *text, uint64_t a, uint64_t b, uint64_t c, uint64_t wanted)
{
    uint64_t found = apply(text, a, b, c);
    if (found != wanted)
        fail_msg("%s %llx %llx %llx: %llx, not %llx", text, (unsigned long long)a,
                 (unsigned long long)b, (unsigned long long)c, (unsigned long long)found,
                 (unsigned long long)wanted);
}

/* ---- f32 and f64 in every rounding mode ----------------------------------------------- */

static const struct {
    const char *name;
    int mode;
} modes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

static float host_f32(const char *opcode, volatile float a, volatile float b, volatile float c)
{
    return !strcmp(opcode, "add")    ? a + b
           : !strcmp(opcode, "sub")  ? a - b
           : !strcmp(opcode, "mul")  ? a * b
           : !strcmp(opcode, "div")  ? a / b
           : !strcmp(opcode, "rcp")  ? 1 / a
           : !strcmp(opcode, "sqrt") ? sqrtf(a)
                                     : fmaf(a, b, c);
}

/* Random mantissas; exponents are often close to each other. */
static uint32_t random_f32(uint64_t n)
{
    uint64_t x = alu_mix(n);
    return x >> 40 & 1 ? (uint32_t)x
                       : ((uint32_t)x & 0x807fffff) | (uint32_t)(120 + (x >> 41) % 16) << 23;
}

static void check_f32(const char *opcode, unsigned mode, enum sim_isa isa)
{
    static struct call call;
    char text[32];
    snprintf(text, sizeof text, "%s.%s.f32", opcode, modes[mode].name);
    call_init(&call, text, isa);
    for (unsigned batch = 0; batch < 300; ++batch) {
        uint32_t in[PTX_LANES][3];
        for (unsigned i = 0; i < PTX_LANES; ++i)
            for (unsigned s = 0; s < 3; ++s) {
                in[i][s] = random_f32(((uint64_t)batch * PTX_LANES + i) * 3 + s);
                if (s < call.spelling->count)
                    call_put(&call, s, i, in[i][s]);
            }
        call_run(&call);
        fesetround(modes[mode].mode);
        uint32_t wanted[PTX_LANES];
        for (unsigned i = 0; i < PTX_LANES; ++i) {
            float x = host_f32(opcode, sim_float_of(in[i][0]), sim_float_of(in[i][1]),
                               sim_float_of(in[i][2]));
            wanted[i] = x != x ? 0x7fffffff : sim_bits_of(x);
        }
        fesetround(FE_TONEAREST);
        for (unsigned i = 0; i < PTX_LANES; ++i)
            if (call_get(&call, i) != wanted[i])
                fail_msg("%s %x %x %x: %llx, not %x", text, in[i][0], in[i][1], in[i][2],
                         (unsigned long long)call_get(&call, i), wanted[i]);
    }
}

static void f32_rounds_as_the_host_does_in_every_mode(void **state)
{
    (void)state;
    static const char *const opcodes[] = {"add", "sub", "mul", "div", "rcp", "sqrt", "fma"};
    for (enum sim_isa isa = SIM_ISA_BASE; isa < SIM_ISA_COUNT; ++isa)
        for (unsigned o = 0; sim_isa_has(isa) && o < ALU_COUNT(opcodes); ++o)
            for (unsigned mode = 0; mode < ALU_COUNT(modes); ++mode)
                check_f32(opcodes[o], mode, isa);
}

/* ---- small formats --------------------------------------------------------------------- */

/* The value of a number of a format without infinities and NaNs. */
static double small_value(uint32_t bits, unsigned exponent_bits, unsigned mantissa)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    unsigned exponent = bits >> mantissa & ((1u << exponent_bits) - 1);
    unsigned digits = bits & ((1u << mantissa) - 1);
    double value = exponent ? ldexp(1 + ldexp(digits, -(int)mantissa), (int)exponent - bias)
                            : ldexp(digits, 1 - bias - (int)mantissa);
    return bits >> (exponent_bits + mantissa) & 1 ? -value : value;
}

static void every_f16_and_bf16_widens_to_its_value(void **state)
{
    (void)state;
    for (uint32_t x = 0; x < 65536; ++x) {
        if ((x & 0x7c00) != 0x7c00)
            assert_true(sim_float_of((uint32_t)apply("cvt.f32.f16", x, 0, 0)) ==
                        (float)small_value(x, 5, 10));
        if ((x & 0x7f80) != 0x7f80)
            assert_true(sim_float_of((uint32_t)apply("cvt.f32.bf16", x, 0, 0)) ==
                        (float)small_value(x, 8, 7));
    }
}

/* The nearest of the values that a mode allows, found by a search of all of them. */
static uint32_t small_nearest(double x, int mode, unsigned exponent_bits, unsigned mantissa,
                              uint32_t largest)
{
    double size = fabs(x);
    uint32_t low = 0, high = largest;
    while (low < high) { /* the largest that is not above */
        uint32_t middle = (low + high + 1) / 2;
        if (small_value(middle, exponent_bits, mantissa) <= size)
            low = middle;
        else
            high = middle - 1;
    }
    double below = size - small_value(low, exponent_bits, mantissa);
    double above = small_value(low + 1, exponent_bits, mantissa) - size;
    bool up = mode == FE_TONEAREST    ? below > above || (below == above && (low & 1))
              : mode == FE_TOWARDZERO ? false
              : mode == FE_UPWARD     ? below > 0 && x > 0
                                      : below > 0 && x < 0;
    return low + up;
}

static void f32_becomes_f16_and_bf16_in_every_mode(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < ALU_COUNT(modes); ++mode)
        for (unsigned n = 0; n < 20000; ++n) {
            char text[32];
            uint32_t bits = random_f32(n + 77);
            /* Exponents in the range of f16, and ties. */
            bits = n % 2 ? (bits & 0x807fe000) | (100 + n % 50) << 23 : bits;
            bits = n % 4 == 1 ? bits | 0x1000 : bits;
            if ((bits & INT32_MAX) >= 0x7f800000)
                continue;
            double x = sim_float_of(bits);
            uint32_t sign = bits >> 16 & 0x8000;
            snprintf(text, sizeof text, "cvt.%s.f16.f32", modes[mode].name);
            expect(text, bits, 0, 0, small_nearest(x, modes[mode].mode, 5, 10, 0x7bff) | sign);
            snprintf(text, sizeof text, "cvt.%s.bf16.f32", modes[mode].name);
            expect(text, bits, 0, 0, small_nearest(x, modes[mode].mode, 8, 7, 0x7f7f) | sign);
        }
}

static void every_byte_of_e5m2_and_e4m3_comes_back(void **state)
{
    (void)state;
    for (uint32_t x = 0; x < 256; ++x) {
        uint64_t wide = apply("cvt.rn.f16x2.e4m3x2", x, 0, 0) & 0xffff;
        if ((x & 0x7f) != 0x7f) {
            assert_true(small_value((uint32_t)wide, 5, 10) == small_value(x, 4, 3));
            expect("cvt.rn.satfinite.e4m3x2.f16x2", wide, 0, 0, x);
        }
        wide = apply("cvt.rn.f16x2.e5m2x2", x << 8, 0, 0) >> 16;
        if ((x & 0x7c) != 0x7c) {
            assert_true(small_value((uint32_t)wide, 5, 10) == small_value(x, 5, 2));
            expect("cvt.rn.satfinite.e5m2x2.f16x2", wide << 16, 0, 0, x << 8);
        }
    }
}

/* ---- f16: exact sums and products ---------------------------------------------------------- */

/* In units of 2^-24. */
static int64_t f16_units(uint32_t x)
{
    int64_t size = (int64_t)ldexp(fabs(small_value(x, 5, 10)), 24);
    return x & 0x8000 ? -size : size;
}

/* x * 2^-48 rounded to f16, to nearest. */
static uint32_t f16_of_units(__int128 x)
{
    bool negative = x < 0;
    unsigned __int128 size = (unsigned __int128)(negative ? -x : x);
    unsigned bits = 0;
    for (unsigned __int128 rest = size; rest; rest >>= 1)
        ++bits;
    unsigned shift = bits > 35 ? bits - 11 : 24; /* subnormals and small ones: units of 2^-24 */
    unsigned __int128 kept = size >> shift, lost = size - (kept << shift);
    unsigned __int128 half = (unsigned __int128)1 << (shift - 1);
    kept += lost > half || (lost == half && (kept & 1));
    uint32_t result = (uint32_t)kept + ((shift - 24) << 10);
    return (result > 0x7c00 ? 0x7c00 : result) | (negative ? 0x8000 : 0);
}

static void fma_of_f16_rounds_once(void **state)
{
    (void)state;
    static struct call call;
    for (enum sim_isa isa = SIM_ISA_BASE; isa < SIM_ISA_COUNT; ++isa) {
        if (!sim_isa_has(isa))
            continue;
        call_init(&call, "fma.rn.f16", isa);
        for (unsigned batch = 0; batch < 4000; ++batch) {
            uint32_t in[PTX_LANES][3];
            for (unsigned i = 0; i < PTX_LANES; ++i)
                for (unsigned s = 0; s < 3; ++s) {
                    uint64_t random = alu_mix(((uint64_t)batch * PTX_LANES + i) * 3 + s);
                    in[i][s] =
                        random % 3 ? random >> 16 & 0xfbff : (random >> 16 & 0x83ff) | 0x3c00;
                    in[i][s] -= (in[i][s] & 0x7c00) == 0x7c00 ? 0x400 : 0;
                    call_put(&call, s, i, in[i][s]);
                }
            call_run(&call);
            for (unsigned i = 0; i < PTX_LANES; ++i) {
                __int128 exact = (__int128)f16_units(in[i][0]) * f16_units(in[i][1]) +
                                 (__int128)f16_units(in[i][2]) * (1 << 24);
                uint32_t wanted = f16_of_units(exact), found = (uint32_t)call_get(&call, i);
                if (exact == 0 ? (found & 0x7fff) != 0 : found != wanted)
                    fail_msg("fma.rn.f16 %x %x %x: %x, not %x", in[i][0], in[i][1], in[i][2], found,
                             wanted);
            }
        }
    }
}

/* Sums and products of all kinds of halves, packed: each half is rounded once where it is a number,
 * and what the same op gives unpacked on the plainest instruction set where it is not. */
static void expect_f16(const char *single, const char *packed, enum sim_isa isa, unsigned seed)
{
    static struct call one, two;
    call_init(&one, single, SIM_ISA_BASE);
    call_init(&two, packed, isa);
    for (unsigned half = 0; half < 2; ++half) {
        uint32_t in[PTX_LANES][3];
        for (unsigned i = 0; i < PTX_LANES; ++i)
            for (unsigned s = 0; s < one.spelling->count; ++s) {
                uint32_t both = (uint32_t)alu_mix(((uint64_t)seed * PTX_LANES + i) * 3 + s);
                in[i][s] = both >> 16 * half & 0xffff;
                call_put(&one, s, i, in[i][s]);
                call_put(&two, s, i, both);
            }
        call_run(&one);
        call_run(&two);
        for (unsigned i = 0; i < PTX_LANES; ++i) {
            uint32_t wanted = (uint32_t)call_get(&one, i) & 0xffff;
            uint32_t found = (uint32_t)call_get(&two, i) >> 16 * half & 0xffff;
            bool finite = (in[i][0] & 0x7c00) != 0x7c00 && (in[i][1] & 0x7c00) != 0x7c00;
            __int128 sum = (__int128)(f16_units(in[i][0]) + f16_units(in[i][1])) * (1 << 24);
            if (finite && sum != 0 && strncmp(single, "add", 3) == 0)
                assert_int_equal(wanted, f16_of_units(sum));
            if (found != wanted)
                fail_msg("%s %x %x: %x, not %x", packed, in[i][0], in[i][1], found, wanted);
        }
    }
}

static void f16_is_the_same_packed_and_with_every_instruction_set(void **state)
{
    (void)state;
    for (enum sim_isa isa = SIM_ISA_BASE; isa < SIM_ISA_COUNT; ++isa)
        for (unsigned batch = 0; sim_isa_has(isa) && batch < 2000; ++batch) {
            expect_f16("add.f16", "add.f16x2", isa, batch);
            expect_f16("sub.f16", "sub.f16x2", isa, batch + 2000);
            expect_f16("mul.f16", "mul.f16x2", isa, batch + 4000);
            expect_f16("fma.rn.f16", "fma.rn.f16x2", isa, batch + 6000);
        }
}

static void funnel_shifts_wrap(void **state)
{
    (void)state;
    for (uint32_t by = 0; by < 100; ++by) {
        uint32_t a = (uint32_t)alu_mix(by), b = (uint32_t)alu_mix(by + 1000);
        uint64_t both = (uint64_t)b << 32 | a;
        expect("shf.l.wrap.b32", a, b, by, (uint32_t)(both << by % 32 >> 32));
        expect("shf.r.wrap.b32", a, b, by, (uint32_t)(both >> by % 32));
    }
}

/* ---- integers --------------------------------------------------------------------------- */

static void division_is_exact_for_hard_cases(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 50000; ++n) {
        uint64_t random = alu_mix(n);
        uint32_t a = (uint32_t)random, b = (uint32_t)(random >> 32) >> (n % 32);
        if (!b)
            continue;
        a = n % 3 ? a : a / b * b - (n & 1); /* multiples of b, and numbers next to them */
        expect("div.u32", a, b, 0, a / b);
        expect("rem.u32", a, b, 0, a % b);
        expect("div.s32", a, b, 0, (uint32_t)((int64_t)(int32_t)a / (int32_t)b));
        expect("rem.s32", a, b, 0, (uint32_t)((int64_t)(int32_t)a % (int32_t)b));
        expect("div.u16", a & 0xffff, (b & 0xffff) | 1, 0, (a & 0xffff) / ((b & 0xffff) | 1));
    }
}

static void division_by_zero_and_overflow_do_not_trap(void **state)
{
    (void)state;
    expect("div.s32", 7, 0, 0, 0xffffffff);
    expect("rem.s32", 7, 0, 0, 0xffffffff);
    expect("div.u64", 7, 0, 0, UINT64_MAX);
    expect("div.s32", 0x80000000, 0xffffffff, 0, 0x80000000);
    expect("rem.s32", 0x80000000, 0xffffffff, 0, 0);
    expect("div.s64", UINT64_C(1) << 63, UINT64_MAX, 0, UINT64_C(1) << 63);
    expect("rem.s64", UINT64_C(1) << 63, UINT64_MAX, 0, 0);
    expect("div.s16", 0x8000, 0xffff, 0, 0x8000);
}

static void wide_products_agree_with_128_bits(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 20000; ++n) {
        uint64_t a = alu_mix(n), b = alu_mix(n + 1000000), c = alu_mix(n + 2000000);
        unsigned __int128 u = (unsigned __int128)a * b;
        __int128 s = (__int128)(int64_t)a * (int64_t)b;
        expect("mul.hi.u64", a, b, 0, (uint64_t)(u >> 64));
        expect("mul.hi.s64", a, b, 0, (uint64_t)(s >> 64));
        expect("mad.lo.s64", a, b, c, (uint64_t)s + c);
        expect("mad.wide.s32", (uint32_t)a, (uint32_t)b, c,
               (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + c);
    }
}

static void shifts_beyond_the_width_clamp(void **state)
{
    (void)state;
    static const uint32_t beyond[] = {32, 33, 63, 64, 255, 256, 0x80000000, 0xffffffff};
    for (unsigned i = 0; i < ALU_COUNT(beyond); ++i) {
        expect("shl.b32", 0xffffffff, beyond[i], 0, 0);
        expect("shr.u32", 0xffffffff, beyond[i], 0, 0);
        expect("shr.s32", 0x80000000, beyond[i], 0, 0xffffffff);
        expect("shr.s32", 0x7fffffff, beyond[i], 0, 0);
        expect("shl.b16", 0xffff, beyond[i], 0, 0);
        expect("shr.s16", 0x8000, beyond[i], 0, 0xffff);
        expect("shf.l.clamp.b32", 0x11111111, 0x22222222, beyond[i], 0x11111111);
        expect("shf.r.clamp.b32", 0x11111111, 0x22222222, beyond[i], 0x22222222);
    }
    expect("shl.b64", 1, 63, 0, UINT64_C(1) << 63);
    expect("shl.b64", 1, 64, 0, 0);
    expect("shf.l.wrap.b32", 0x11111111, 0x22222222, 32, 0x22222222);
}

static void lop3_looks_up_every_table(void **state)
{
    (void)state;
    static struct call call;
    call_init(&call, "lop3.b32", sim_isa());
    for (uint64_t table = 0; table < 256; ++table) {
        call.op.bits = table;
        for (unsigned i = 0; i < PTX_LANES; ++i)
            for (unsigned s = 0; s < 3; ++s)
                call_put(&call, s, i, alu_mix(table * 96 + i * 3 + s));
        call_run(&call);
        for (unsigned i = 0; i < PTX_LANES; ++i)
            for (unsigned bit = 0; bit < 32; ++bit) {
                uint64_t in[3];
                for (unsigned s = 0; s < 3; ++s)
                    in[s] = alu_mix(table * 96 + i * 3 + s) >> bit & 1;
                assert_int_equal(call_get(&call, i) >> bit & 1,
                                 table >> (in[0] * 4 + in[1] * 2 + in[2]) & 1);
            }
    }
}

static void a_chain_of_carries_adds_128_bits(void **state)
{
    (void)state;
    static struct call low, high;
    call_init(&low, "add.cc.u64", sim_isa());
    call_init(&high, "addc.u64", sim_isa());
    unsigned __int128 a[PTX_LANES], b[PTX_LANES];
    for (unsigned i = 0; i < PTX_LANES; ++i) {
        a[i] = (unsigned __int128)alu_mix(i) << 64 | (i % 3 ? alu_mix(i + 100) : UINT64_MAX);
        b[i] = (unsigned __int128)alu_mix(i + 200) << 64 | (i % 2 ? alu_mix(i + 300) : 1);
        call_put(&low, 0, i, (uint64_t)a[i]);
        call_put(&low, 1, i, (uint64_t)b[i]);
        call_put(&high, 0, i, (uint64_t)(a[i] >> 64));
        call_put(&high, 1, i, (uint64_t)(b[i] >> 64));
    }
    call_run(&low);
    high.warp.warp.carry = low.warp.warp.carry;
    call_run(&high);
    for (unsigned i = 0; i < PTX_LANES; ++i) {
        assert_true((uint64_t)(a[i] + b[i]) == call_get(&low, i));
        assert_true((uint64_t)((a[i] + b[i]) >> 64) == call_get(&high, i));
    }
    assert_int_equal(high.warp.warp.carry,
                     low.warp.warp.carry); /* without .cc the carry is unchanged */
}

/* ---- special values -------------------------------------------------------------------------- */

static void zeros_nans_and_subnormals_follow_the_rules(void **state)
{
    (void)state;
    expect("min.f32", 0, 0x80000000, 0, 0x80000000);
    expect("max.f32", 0x80000000, 0, 0, 0);
    expect("min.f32", 0x7fc00000, 0x40000000, 0, 0x40000000);
    expect("max.NaN.f32", 0x7fc00000, 0x40000000, 0, 0x7fffffff);
    expect("add.sat.f32", 0x7fc00000, 0x40000000, 0, 0);
    expect("add.sat.f32", 0x40000000, 0x40000000, 0, 0x3f800000);
    expect("mul.ftz.f32", 0x80400000, 0x3f800000, 0, 0x80000000);
    expect("mul.f32", 0x80400000, 0x3f800000, 0, 0x80400000);
    expect("cvt.rzi.s32.f32", 0x7fc00000, 0, 0, 0);
    expect("cvt.rzi.s32.f32", 0xff800000, 0, 0, 0x80000000);
    expect("cvt.rzi.u32.f32", 0xbf800000, 0, 0, 0);
    expect("cvt.rzi.u64.f32", 0x7f800000, 0, 0, UINT64_MAX);
    expect("cvt.rzi.s64.f64", UINT64_C(0x7ff8000000000000), 0, 0, UINT64_C(1) << 63);
    expect("cvt.rm.f32.s32", 0, 0, 0, 0);
    expect("cvt.rm.f64.u64", 0, 0, 0, 0);
    expect("ex2.approx.f32", sim_bits_of(-1e30f), 0, 0, 0);
    expect("ex2.approx.f32", sim_bits_of(10), 0, 0, sim_bits_of(1024));
    expect("lg2.approx.f32", sim_bits_of(1), 0, 0, 0);
    expect("lg2.approx.f32", sim_bits_of(0.125f), 0, 0, sim_bits_of(-3));
    expect("lg2.approx.f32", 0, 0, 0, 0xff800000);
    expect("rcp.approx.f32", 0x80000000, 0, 0, 0xff800000);
    expect("rsqrt.approx.f32", 0x7f800000, 0, 0, 0);
}

static void oob_ignores_only_its_own_nan(void **state)
{
    (void)state;
    expect("fma.rn.oob.f16", 0x7ff7, 0x3c00, 0x4000, 0);
    expect("fma.rn.oob.f16", 0x3c00, 0xfff7, 0x4000, 0);
    expect("fma.rn.oob.f16", 0x3c00, 0x3c00, 0x7ff7, 0x7fff);
    expect("fma.rn.oob.f16", 0xffff, 0x3c00, 0x4000, 0x7fff);
    expect("fma.rn.oob.bf16", 0x7ff7, 0x3f80, 0x4000, 0);
    expect("fma.rn.oob.bf16", 0x7fc0, 0x3f80, 0x4000, 0x7fff);
}

static void approximations_stay_within_the_bounds_of_the_isa(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 40000; ++n) {
        float x = sim_float_of(random_f32(n));
        if (x != x || isinf(x))
            continue;
        float size = fabsf(x);
        float e = sim_float_of((uint32_t)apply("ex2.approx.f32", sim_bits_of(x), 0, 0));
        if (x > -120 && x < 128)
            assert_true(fabs(e / exp2((double)x) - 1) < 0x1p-22);
        float l = sim_float_of((uint32_t)apply("lg2.approx.f32", sim_bits_of(size), 0, 0));
        if (size > 0)
            assert_true(fabs(l - log2((double)size)) <= 0x1p-22 + fabs(l) * 0x1p-23);
        if (size <= 3.14f) {
            float s = sim_float_of((uint32_t)apply("sin.approx.f32", sim_bits_of(x), 0, 0));
            float c = sim_float_of((uint32_t)apply("cos.approx.f32", sim_bits_of(x), 0, 0));
            assert_true(fabs(s - sin((double)x)) < 0x1p-20);
            assert_true(fabs(c - cos((double)x)) < 0x1p-20);
        }
        float t = sim_float_of((uint32_t)apply("tanh.approx.f32", sim_bits_of(x), 0, 0));
        assert_true(fabs(t - tanh((double)x)) <= 0x1p-11 * fabs(tanh((double)x)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_rounds_as_the_host_does_in_every_mode),
        cmocka_unit_test(every_f16_and_bf16_widens_to_its_value),
        cmocka_unit_test(f32_becomes_f16_and_bf16_in_every_mode),
        cmocka_unit_test(every_byte_of_e5m2_and_e4m3_comes_back),
        cmocka_unit_test(fma_of_f16_rounds_once),
        cmocka_unit_test(f16_is_the_same_packed_and_with_every_instruction_set),
        cmocka_unit_test(funnel_shifts_wrap),
        cmocka_unit_test(division_is_exact_for_hard_cases),
        cmocka_unit_test(division_by_zero_and_overflow_do_not_trap),
        cmocka_unit_test(wide_products_agree_with_128_bits),
        cmocka_unit_test(shifts_beyond_the_width_clamp),
        cmocka_unit_test(lop3_looks_up_every_table),
        cmocka_unit_test(a_chain_of_carries_adds_128_bits),
        cmocka_unit_test(zeros_nans_and_subnormals_follow_the_rules),
        cmocka_unit_test(oob_ignores_only_its_own_nan),
        cmocka_unit_test(approximations_stay_within_the_bounds_of_the_isa),
    };
    return cmocka_run_group_tests(tests, read_spellings, free_spellings);
}
