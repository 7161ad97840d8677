/* Division and roots as clang expands them, for edge cases and many other values: with v_div_scale,
 * v_div_fmas, v_div_fixup, v_rcp, v_rsq and v_ldexp as they are documented, the results are bit by
 * bit those of IEEE 754. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "valu_hand.h"
#include "valu_model.h"

/* ---- code ------------------------------------------------------------------------------- */

enum function {
    DIVIDE_F32,
    DIVIDE_F64,
    DIVIDE_F16,
    ROOT_F32,
    ROOT_F64,
    ROOT_F16,
    INVERSE_F32,
    DIVIDE_U32,
    REST_I32,
};

static unsigned char code[1 << 16];
static size_t code_size;

static void read_code(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/valu_%s.text", CODE_FOLDER, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    code_size = fread(code, 1, sizeof code, file);
    fclose(file);
    assert_true(code_size > 0 && code_size < sizeof code);
}

static struct amdgpu_inst decode_at(size_t at)
{
    struct amdgpu_inst inst;
    assert_true(at < code_size);
    if (amdgpu_decode(valu.isa, valu.wave.lanes, code + at, code_size - at, &inst) !=
        AMDGPU_DECODED)
        fail_msg("%s: unknown code at %#zx", amdgpu_isa_name(valu.isa), at);
    return inst;
}
static bool is(const struct amdgpu_inst *inst, const char *name)
{
    return m_begins(inst->row->name, name);
}
static bool ends(const struct amdgpu_inst *inst)
{
    return is(inst, "s_setpc_b64");
}

/* Functions follow each other, with padding between them. */
static size_t start_of(enum function function)
{
    size_t at = 0;
    for (unsigned left = function; left > 0;) {
        struct amdgpu_inst inst = decode_at(at);
        at += inst.length;
        left -= ends(&inst);
    }
    for (;;) {
        struct amdgpu_inst inst = decode_at(at);
        if (!is(&inst, "s_nop") && !is(&inst, "s_code_end"))
            return at;
        at += inst.length;
    }
}

static void run_scalar(const struct amdgpu_inst *inst)
{
    static const char *const nothing[] = {"s_waitcnt", "s_nop", "s_delay_alu", "s_clause"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if (is(inst, nothing[i]))
            return;
    struct amdgpu_source source;
    assert_true(amdgpu_source_of(&inst->src[0], &source));
    uint64_t value = amdgpu_scalar(&valu.wave, &source), reversed = 0;
    for (unsigned k = 0; k < 32; k++)
        reversed |= (value >> k & 1) << (31 - k);
    if (is(inst, "s_mov_b64"))
        amdgpu_set_s64(&valu.wave, inst->dst[0].reg, value);
    else if (is(inst, "s_mov_b32") || is(inst, "s_brev_b32"))
        valu.wave.s[inst->dst[0].reg] = (uint32_t)(is(inst, "s_brev") ? reversed : value);
    else
        fail_msg("this test does not know %s", inst->row->name);
}

static void run_function(enum function function)
{
    for (size_t at = start_of(function);;) {
        struct amdgpu_inst inst = decode_at(at);
        if (ends(&inst))
            return;
        if (inst.row->name[0] == 's')
            run_scalar(&inst);
        else if (!valu_run(&inst))
            fail_msg("%s does not run", inst.row->name);
        at += inst.length;
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static uint64_t seed = 7;
static uint64_t random_long(void)
{
    uint64_t x = 0;
    for (int k = 0; k < 2; k++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x = x << 32 | seed >> 32;
    }
    return x;
}

/* All kinds of exponents, and mantissas that have few digits or are near a power of two. */
static uint64_t random_float(unsigned width)
{
    unsigned digits = width == 16 ? 10 : width == 32 ? 23 : 52;
    uint64_t all = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    uint64_t mantissa = ((uint64_t)1 << digits) - 1, x = random_long() & all;
    uint64_t top = all >> 1 & ~mantissa;
    switch (random_long() % 12) {
    case 0: /* zero, infinity, NaN */
        return (x & ~(all >> 1)) | (random_long() % 2 ? top : 0) |
               (random_long() % 3 ? 0 : x & mantissa);
    case 1: /* subnormal */
        return x & ~top;
    case 2: /* a power of two */
        return x & ~mantissa;
    case 3: /* just below a power of two */
        return x | mantissa;
    case 4: /* few digits */
        return x & ~(mantissa >> 4);
    case 5: /* the smallest and largest */
        return (x & ~top) | (random_long() % 2 ? top - mantissa - 1 : mantissa + 1);
    case 6: /* about one */
    case 7:
        return (x & ~top) | (top >> 1 & ~mantissa);
    default:
        return x;
    }
}
static uint64_t random_integer(unsigned width)
{
    uint64_t x = random_long() >> (64 - width);
    return x >> random_long() % width;
}

/* ---- trials ------------------------------------------------------------------------------- */

struct kind {
    enum function function;
    unsigned width, sources;
    bool floats;
    uint64_t (*want)(uint64_t a, uint64_t b);
};

static uint64_t want_divide_f32(uint64_t a, uint64_t b)
{
    return m_bits32(m_f32(a) / m_f32(b));
}
static uint64_t want_divide_f64(uint64_t a, uint64_t b)
{
    return m_bits64(m_f64(a) / m_f64(b));
}
static uint64_t want_divide_f16(uint64_t a, uint64_t b)
{
    return m_bits16((quad)(m_f16(a) / m_f16(b)));
}
static uint64_t want_root_f32(uint64_t a, uint64_t b)
{
    (void)b;
    return m_bits32(sqrtf(m_f32(a)));
}
static uint64_t want_root_f64(uint64_t a, uint64_t b)
{
    (void)b;
    return m_bits64(sqrt(m_f64(a)));
}
static uint64_t want_root_f16(uint64_t a, uint64_t b)
{
    (void)b;
    return m_bits16((quad)sqrt(m_f16(a)));
}
static uint64_t want_inverse_f32(uint64_t a, uint64_t b)
{
    (void)b;
    return m_bits32(1 / m_f32(a));
}
static uint64_t want_divide_u32(uint64_t a, uint64_t b)
{
    return a / b;
}
static uint64_t want_rest_i32(uint64_t a, uint64_t b)
{
    return (uint32_t)((int64_t)(int32_t)a % (int32_t)b);
}

static void try_lanes(const struct kind *kind)
{
    uint64_t a[64], b[64];
    unsigned registers = kind->width == 64 ? 2 : 1;
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
        a[lane] = kind->floats ? random_float(kind->width) : random_integer(kind->width);
        b[lane] = kind->floats ? random_float(kind->width) : random_integer(kind->width);
        b[lane] += !kind->floats && b[lane] == 0;
        valu_set(0, registers, lane, a[lane]);
        if (kind->sources == 2)
            valu_set(registers, registers, lane, b[lane]);
    }
    run_function(kind->function);
    for (unsigned lane = 0; lane < valu.wave.lanes; lane++) {
        uint64_t want = kind->want(a[lane], b[lane]), got = valu_get(0, registers, lane);
        got &= kind->width == 16 ? 0xffff : UINT64_MAX;
        bool nan = kind->floats && m_is_nan(want, kind->width);
        if (nan ? !m_is_nan(got, kind->width) : got != want)
            fail_msg("%s, function %d: of %#llx and %#llx %#llx, not %#llx",
                     amdgpu_isa_name(valu.isa), (int)kind->function, (unsigned long long)a[lane],
                     (unsigned long long)b[lane], (unsigned long long)got,
                     (unsigned long long)want);
    }
}

static void try_kind(const struct kind *kind)
{
    static const struct {
        enum amdgpu_isa isa;
        const char *name;
        unsigned lanes;
    } models[] = {{AMDGPU_GFX90A, "gfx90a", 64}, {AMDGPU_GFX1100, "gfx1100", 32}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        read_code(models[i].name);
        for (enum sim_isa host = SIM_ISA_BASE; host < SIM_ISA_COUNT; host++) {
            if (!sim_isa_has(host))
                continue;
            valu_begin(models[i].isa, models[i].lanes, host);
            for (unsigned round = 0; round < (host == SIM_ISA_AVX2 ? 3000 : 100); round++)
                try_lanes(kind);
        }
    }
}

static void quotients_of_f32_are_rounded_correctly(void **state)
{
    (void)state;
    try_kind(&(struct kind){DIVIDE_F32, 32, 2, true, want_divide_f32});
    try_kind(&(struct kind){INVERSE_F32, 32, 1, true, want_inverse_f32});
}
static void quotients_of_f64_are_rounded_correctly(void **state)
{
    (void)state;
    try_kind(&(struct kind){DIVIDE_F64, 64, 2, true, want_divide_f64});
}
static void quotients_of_f16_are_rounded_correctly(void **state)
{
    (void)state;
    try_kind(&(struct kind){DIVIDE_F16, 16, 2, true, want_divide_f16});
}
static void roots_are_rounded_correctly(void **state)
{
    (void)state;
    try_kind(&(struct kind){ROOT_F32, 32, 1, true, want_root_f32});
    try_kind(&(struct kind){ROOT_F64, 64, 1, true, want_root_f64});
    try_kind(&(struct kind){ROOT_F16, 16, 1, true, want_root_f16});
}
static void quotients_and_remainders_of_integers_are_exact(void **state)
{
    (void)state;
    try_kind(&(struct kind){DIVIDE_U32, 32, 2, false, want_divide_u32});
    try_kind(&(struct kind){REST_I32, 32, 2, false, want_rest_i32});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_of_f32_are_rounded_correctly),
        cmocka_unit_test(quotients_of_f64_are_rounded_correctly),
        cmocka_unit_test(quotients_of_f16_are_rounded_correctly),
        cmocka_unit_test(roots_are_rounded_correctly),
        cmocka_unit_test(quotients_and_remainders_of_integers_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
