/* Powers of two by the short series are those of the long one, bit for bit: of every value of which
 * STEP says, and of those around what is special. */
#include "ptx_alu_approx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { STEP = 4099 }; /* odd, so that all exponents and signs are there */

static void compare(const f32 *values)
{
    f32 found[PTX_LANES], expected[PTX_LANES];
    powers(found, values);
    exact_powers(expected, values);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        bool nan = expected[i] != expected[i] && found[i] != found[i];
        if (!nan && bits_f32(found[i]) != bits_f32(expected[i]))
            fail_msg("ex2(%a): %a and not %a", (double)values[i], (double)found[i],
                     (double)expected[i]);
    }
}

static void powers_are_those_of_the_long_series(void **state)
{
    (void)state;
    f32 values[PTX_LANES];
    for (u64 bits = 0; bits >> 32 == 0;) {
        for (unsigned i = 0; i < PTX_LANES; i++, bits += STEP)
            values[i] = f32_of((u32)bits);
        compare(values);
    }
    static const f32 special[] = {0, 1, -1, 127, 128, -126, -127, -149, -150, -151, 200, -200};
    for (unsigned k = 0; k < sizeof special / sizeof *special; k++) {
        for (u32 i = 0; i < PTX_LANES; i++)
            values[i] = f32_of(bits_f32(special[k]) + i - PTX_LANES / 2);
        compare(values);
    }
}

/* A value whose f64 lies as near as that to the middle of two f32 needs the long series. */
static void doubts_are_found(void **state)
{
    (void)state;
    unsigned doubts = 0;
    for (u32 bits = 0x3f000000; bits < 0x3f800000; bits += 3) {
        u64 doubt;
        power_soon(f32_of(bits), &doubt);
        doubts += doubt != 0;
    }
    assert_in_range(doubts, 1, 0x800000 / 3 / 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_those_of_the_long_series),
        cmocka_unit_test(doubts_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
