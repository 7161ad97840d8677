/* Modules that are destroyed while their regions wait or are compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit.h"
#include "one_kernel.h"

static void a_module_is_destroyed_while_it_is_compiled(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        uint32_t words[64] = {0};
        one_body("mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
                 "L: mad.lo.u32 %r2, %r2, 3, %r0; add.u32 %r1, %r1, 1;\n"
                 "setp.lt.u32 %p1, %r1, 3000; @%p1 bra L;\nst.global.u32 [%rd1], %r2;\n",
                 64, words, 64);
        assert_int_not_equal(words[5], 0);
    }
    jit_finish();
    struct jit_statistics statistics;
    jit_statistics_get(&statistics);
    assert_true(statistics.requested >= 12);
}

int main(void)
{
    setenv("ANYHIP_SIM_JIT", "on", 1);
    setenv("ANYHIP_SIM_JIT_THRESHOLD", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_is_destroyed_while_it_is_compiled),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
