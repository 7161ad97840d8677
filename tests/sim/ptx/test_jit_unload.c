/* Regions that are compiled while kernels run: what makes code hot, and modules that are destroyed
 * while their regions wait or are compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit.h"
#include "one_kernel.h"
#include "ptx_jit.h"

static uint64_t requested(void)
{
    struct jit_statistics statistics;
    jit_statistics_get(&statistics);
    return statistics.requested;
}

/* A loop of three instructions and what it begins with, so many times. */
static const char *loop(const char *begin, unsigned times)
{
    static char body[512];
    snprintf(body, sizeof body,
             "mov.u32 %%r1, 0; mov.u32 %%r2, 0;\n"
             "L: %s mad.lo.u32 %%r2, %%r2, 3, %%r0; add.u32 %%r1, %%r1, 1;\n"
             "setp.lt.u32 %%p1, %%r1, %u; @%%p1 bra L;\nst.global.u32 [%%rd1], %%r2;\n",
             begin, times);
    return body;
}

/* Returns how many regions the loop had requested. */
static uint64_t requested_by_loop_with(const char *begin, unsigned threads, unsigned times)
{
    uint32_t words[64] = {0};
    uint64_t before = requested();
    one_body(loop(begin, times), threads, words, 64);
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
    assert_int_equal(requested_by_loop(64, 350), 1);
    assert_int_equal(requested_by_loop(64, 10000), 2); /* the loop too, in the midst of it */
}

/* Runs a loop in some blocks of a warp each, until its regions are compiled. Returns the op at
 * which the first region begins. */
static uint32_t first_region(unsigned blocks, unsigned times)
{
    struct run_module *run = run_load(one_kernel("", loop("", times)));
    struct sim_memory *memory = run_memory(256);
    const struct ptx_code *code = ptx_module_kernel(run->module, "k")->code;
    uint64_t params = memory->address;
    assert_int_equal(run_launch(run, "k", blocks, 32, &params), PTX_END_OK);
    jit_finish();
    uint32_t first = 0;
    while (first < code->op_count && code->ops[first].run != ptx_run_region)
        first++;
    sim_memory_destroy(memory);
    run_unload(run);
    return first;
}

/* A region that begins where the kernel does is of no use to a warp that has begun. */
static void the_loop_comes_first_where_warps_last(void **state)
{
    (void)state;
    assert_int_equal(first_region(40, 40), 0);
    assert_true(first_region(1, 800) > 0);
}

/* Each part of the warp uses up little of the budget before another one goes on. */
static void loops_in_which_lanes_part_become_hot(void **state)
{
    (void)state;
    const char *parts = "and.b32 %r3, %r0, 1; setp.eq.u32 %p2, %r3, 0;\n"
                        "@%p2 bra N; add.u32 %r2, %r2, 5; bra M; N: add.u32 %r2, %r2, 7; M:";
    assert_int_equal(requested_by_loop_with(parts, 32, 5000), 2);
}

static void warps_that_are_not_whole_make_code_hot_too(void **state)
{
    (void)state;
    assert_int_equal(requested_by_loop(31, 4), 0);
    assert_true(requested_by_loop(31, 10000) > 0);
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
        cmocka_unit_test(the_loop_comes_first_where_warps_last),
        cmocka_unit_test(loops_in_which_lanes_part_become_hot),
        cmocka_unit_test(warps_that_are_not_whole_make_code_hot_too),
        cmocka_unit_test(a_module_is_destroyed_while_it_is_compiled),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
