/* Regions that are compiled while kernels run: what makes code hot, and modules that are destroyed
 * while their regions wait or are compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit.h"
#include "one_kernel.h"

static uint64_t requested(void)
{
    struct jit_statistics statistics;
    jit_statistics_get(&statistics);
    return statistics.requested;
}

/* A loop of three instructions, so many times. Returns how many regions it had requested. */
static uint64_t requested_by_loop_with(const char *begin, unsigned threads, unsigned times)
{
    uint32_t words[64] = {0};
    uint64_t before = requested();
    char body[512];
    snprintf(body, sizeof body,
             "mov.u32 %%r1, 0; mov.u32 %%r2, 0;\n"
             "L: %s mad.lo.u32 %%r2, %%r2, 3, %%r0; add.u32 %%r1, %%r1, 1;\n"
             "setp.lt.u32 %%p1, %%r1, %u; @%%p1 bra L;\nst.global.u32 [%%rd1], %%r2;\n",
             begin, times);
    one_body(body, threads, words, 64);
    assert_int_not_equal(words[5], 0);
    return requested() - before;
}

static uint64_t requested_by_loop(unsigned threads, unsigned times)
{
    return requested_by_loop_with("", threads, times);
}

static void what_is_executed_makes_code_hot_and_not_its_length(void **state)
{
    (void)state;
    assert_int_equal(requested_by_loop(64, 4), 0);
    assert_int_equal(requested_by_loop(64, 500), 1);
    assert_int_equal(requested_by_loop(64, 10000), 2); /* the loop too, in the midst of it */
}

/* Each part of the warp uses up little of the budget before another one goes on. */
static void loops_in_which_lanes_part_become_hot(void **state)
{
    (void)state;
    const char *parts = "and.b32 %r3, %r0, 1; setp.eq.u32 %p2, %r3, 0;\n"
                        "@%p2 bra N; add.u32 %r2, %r2, 5; bra M; N: add.u32 %r2, %r2, 7; M:";
    assert_int_equal(requested_by_loop_with(parts, 32, 5000), 2);
}

static void warps_that_are_not_whole_make_nothing_hot(void **state)
{
    (void)state;
    assert_int_equal(requested_by_loop(31, 10000), 0);
    assert_true(requested_by_loop(33, 10000) > 0);
}

static void a_module_is_destroyed_while_it_is_compiled(void **state)
{
    (void)state;
    uint64_t before = requested();
    for (unsigned i = 0; i < 12; i++)
        requested_by_loop(64, 3000);
    jit_finish();
    assert_true(requested() >= before + 12);
}

int main(void)
{
    setenv("ANYHIP_SIM_JIT", "on", 1);
    setenv("ANYHIP_SIM_JIT_THRESHOLD", "200", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", "off", 1); /* what was kept is requested earlier */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_executed_makes_code_hot_and_not_its_length),
        cmocka_unit_test(loops_in_which_lanes_part_become_hot),
        cmocka_unit_test(warps_that_are_not_whole_make_nothing_hot),
        cmocka_unit_test(a_module_is_destroyed_while_it_is_compiled),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
