/* Compiled regions that an earlier process has kept: this program runs itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "child.h"
#include "jit.h"
#include "one_kernel.h"
#include "ptx_jit.h"

/* Accesses of device memory, whose table is somewhere else in each process, a loop that lanes leave
 * one by one, and one behind a barrier. */
static const char body[] =
    "ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0;\n"
    "L: mad.lo.u32 %r1, %r1, 3, %r0; add.u32 %r2, %r2, 1;\n"
    "add.u32 %r4, %r0, 200; setp.lt.u32 %p1, %r2, %r4; @%p1 bra L;\nbar.sync 0;\n"
    "M: mad.lo.u32 %r1, %r1, 5, %r2; sub.u32 %r2, %r2, 1;\n"
    "setp.gt.u32 %p1, %r2, 0; @%p1 bra M;\nst.global.u32 [%rd1], %r1;\n";

enum { THREADS = 64, RUNS = 20 };

static void run_kernel(uint32_t words[THREADS])
{
    for (uint32_t i = 0; i < THREADS; i++)
        words[i] = i * i;
    one_body(body, THREADS, words, THREADS);
}

/* Compiles what is worth it, and says how much of it was loaded. */
static void the_kernel_runs(void **state)
{
    (void)state;
    struct jit_statistics statistics;
    uint32_t expected[THREADS], words[THREADS];
    ptx_jit_suspend(true);
    run_kernel(expected);
    ptx_jit_suspend(false);
    struct run_module *run = run_load(one_kernel("", body));
    struct sim_memory *memory = run_memory(sizeof words);
    uint64_t params = memory->address;
    for (int i = 0; i < RUNS; i++) {
        for (uint32_t k = 0; k < THREADS; k++)
            words[k] = k * k;
        memcpy(memory->view, words, sizeof words);
        assert_int_equal(run_launch(run, "k", 1, THREADS, &params), PTX_END_OK);
        assert_memory_equal(memory->view, expected, sizeof expected);
        jit_finish();
    }
    jit_statistics_get(&statistics);
    sim_memory_destroy(memory);
    run_unload(run);
    assert_true(statistics.compiled > 0);
    print_message("%d of %d loaded\n", (int)statistics.loaded, (int)statistics.compiled);
}

static int loaded_by_child(int *out_compiled)
{
    int loaded = -1;
    struct ah_test_run done = ah_child_run("/proc/self/exe", "--program");
    assert_int_equal(done.status, 0);
    const char *line = strstr(done.out, " of ");
    assert_non_null(line);
    while (line > done.out && line[-1] != '\n')
        line--;
    assert_int_equal(sscanf(line, "%d of %d loaded", &loaded, out_compiled), 2);
    return loaded;
}

static void the_next_process_loads_what_was_compiled(void **state)
{
    (void)state;
    int first, second, loaded;
    ah_test_setenv("ANYHIP_SIM_JIT_CACHE", ah_test_path("regions"));
    assert_int_equal(loaded_by_child(&first), 0);
    loaded = loaded_by_child(&second);
    assert_int_equal(loaded, second);
    assert_true(second >= first);
}

int main(int argc, char **argv)
{
    setenv("ANYHIP_SIM_JIT", "on", 1);
    setenv("ANYHIP_SIM_JIT_THRESHOLD", "200", 1);
    const struct CMUnitTest program[] = {cmocka_unit_test(the_kernel_runs)};
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        the_next_process_loads_what_was_compiled, ah_test_set_up, ah_test_tear_down)};
    if (argc > 1 && strcmp(argv[1], "--program") == 0)
        return cmocka_run_group_tests(program, run_open, run_close);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
