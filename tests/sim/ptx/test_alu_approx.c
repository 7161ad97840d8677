/* The approximations of f32 keep the bounds that they name: of every value of which STEP says. */
#include "ptx_alu_approx.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { STEP = 4099 }; /* odd, so that all exponents and signs are there */

/* Units in the last place of the f32 that is nearest to a normal number. */
static double units_between(f32 found, double exact)
{
    int exponent;
    frexp(exact, &exponent);
    return fabs(found - exact) / ldexp(1, exponent - 24);
}

static void check_power(f32 x, bool flush)
{
    f32 found = power(x, flush ? PTX_MOD_FTZ : 0);
    double exact = exp2((double)x);
    if (flush && exact < 0x1p-126)
        exact = 0;
    if (exact == 0 || exact >= 0x1p128)
        assert_true((double)found == exact || (exact != 0 && isinf(found)));
    else if (exact < 0x1p-126) /* a subnormal is rounded once more */
        assert_true(fabs(found - exact) <= 0x1.8p-149);
    else if (units_between(found, exact) > 1.15)
        fail_msg("ex2(%a): %a and not %a", (double)x, (double)found, exact);
}

static void powers_are_near_and_exact_for_integers(void **state)
{
    (void)state;
    for (u64 bits = 0; bits >> 32 == 0; bits += STEP) {
        f32 x = f32_of((u32)bits);
        if (x != x)
            continue;
        check_power(x, false);
        check_power(x, true);
    }
    for (int n = -149; n < 128; n++) {
        assert_true(power((f32)n, 0) == ldexpf(1, n));
        assert_true(power((f32)n, PTX_MOD_FTZ) == (n < -126 ? 0 : ldexpf(1, n)));
    }
    static const f32 special[] = {0, 1, -1, 127, 128, -126, -127, -149, -150, -151, 200, -200};
    for (unsigned k = 0; k < sizeof special / sizeof *special; k++)
        for (u32 i = 0; i < 32; i++) {
            check_power(f32_of(bits_f32(special[k]) + i - 16), false);
            check_power(f32_of(bits_f32(special[k]) + i - 16), true);
        }
}

static void sines_are_near_and_at_most_1(void **state)
{
    (void)state;
    for (s32 n = -(1 << 24); n <= 1 << 24; n += 3) { /* angles are multiples of 2^-25 turns */
        double turn = n * 0x1p-25;
        if (n >= -(1 << 23) && n <= 1 << 23) {
            f32 found = sine_of_quarter((f32)turn);
            assert_true(fabsf(found) <= 1);
            assert_true(fabs(found - sin(2 * M_PI * turn)) < 0x1p-22);
        }
        f32 angle = (f32)(2 * M_PI * turn);
        assert_true(fabs(sine(angle) - sin((double)angle)) < 0x1p-20);
        assert_true(fabs(cosine(angle) - cos((double)angle)) < 0x1p-20);
    }
    assert_true(cosine(0) == 1 && sine_of_quarter(0.25f) == 1);
    assert_true(sine(0) == 0 && !signbit(sine(0.0f)) && signbit(sine(-0.0f)));
    assert_true(isnan(sine(INFINITY)) && isnan(cosine(-INFINITY)) && isnan(sine(NAN)));
    assert_true(sine(1e30f) == 0 && cosine(1e30f) == 1); /* no fraction of a turn is left */
}

static void logarithms_are_near_and_exact_for_powers(void **state)
{
    (void)state;
    for (u32 bits = 1; bits < INF_F32; bits += STEP) {
        f32 x = f32_of(bits);
        double exact = log2((double)x);
        if (x > 0.5f && x < 2)
            assert_true(fabs(logarithm(x) - exact) < 0x1p-23);
        else
            assert_true(units_between(logarithm(x), exact) < 3);
    }
    for (int n = -149; n < 128; n++)
        assert_true(logarithm(ldexpf(1, n)) == (f32)n);
    assert_true(logarithm(0) == -INFINITY && logarithm(-0.0f) == -INFINITY);
    assert_true(isnan(logarithm(-1)) && isnan(logarithm(-INFINITY)) && isnan(logarithm(NAN)));
    assert_true(logarithm(INFINITY) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_near_and_exact_for_integers),
        cmocka_unit_test(sines_are_near_and_at_most_1),
        cmocka_unit_test(logarithms_are_near_and_exact_for_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
