/* The optional checks: reads of uninitialised memory, and races in shared memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_kernel.h"

static int open_with_checks(void **state)
{
    setenv("ANYHIP_SIM_CHECK", "uninitialised,races", 1);
    sim_memory_track_writes(true);
    return run_open(state);
}

/* Runs body with p pointing to 256 uninitialised bytes. */
static enum ptx_end fresh(const char *variables, const char *body, uint32_t threads)
{
    struct run_module *run = run_load(one_kernel(variables, body));
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, 256, 0);
    assert_non_null(memory);
    uint64_t address = memory->address;
    enum ptx_end end = run_launch(run, "k", 1, threads, &address);
    sim_memory_destroy(memory);
    run_unload(run);
    return end;
}

static const char words[] = ".shared .align 8 .b8 s[256];";

/* ---- uninitialised memory ------------------------------------------------------------- */

static void global_memory_must_be_written_before_it_is_read(void **state)
{
    (void)state;
    assert_int_equal(fresh("", "ld.global.u32 %r1, [%rd0];", 1), PTX_END_TRAP);
    assert_int_equal(fresh("", "st.global.u32 [%rd1], 1;\n ld.global.u32 %r1, [%rd1];", 32),
                     PTX_END_OK);
    assert_int_equal(fresh("", "st.global.u16 [%rd0], 1;\n ld.global.u32 %r1, [%rd0];", 1),
                     PTX_END_TRAP);
    assert_int_equal(fresh("", "atom.global.add.u32 %r1, [%rd0], 1;", 1), PTX_END_TRAP);
    assert_int_equal(fresh("", "st.u32 [%rd0], 0;\n red.global.add.u32 [%rd0], 1;", 1), PTX_END_OK);
}

static void shared_memory_must_be_written_before_it_is_read(void **state)
{
    (void)state;
    assert_int_equal(fresh(words, "ld.shared.u32 %r1, [s+8];", 1), PTX_END_TRAP);
    assert_int_equal(fresh(words, "st.shared.u32 [s+8], 1;\n ld.shared.u32 %r1, [s+8];", 1),
                     PTX_END_OK);
    assert_int_equal(fresh(words, "st.shared.u32 [s+8], 1;\n ld.shared.u64 %rd3, [s+8];", 1),
                     PTX_END_TRAP);
}

static void local_memory_must_be_written_before_it_is_read(void **state)
{
    (void)state;
    assert_int_equal(fresh("", ".local .align 4 .b8 l[16];\n ld.local.u32 %r1, [l+4];", 1),
                     PTX_END_TRAP);
    assert_int_equal(fresh("",
                           ".local .align 4 .b8 l[16];\n st.local.u32 [l+4], 1;\n"
                           "ld.local.u32 %r1, [l+4];",
                           40),
                     PTX_END_OK);
}

static void arguments_and_results_of_calls_are_initialised(void **state)
{
    (void)state;
    static const char twice[] =
        ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>;\n"
        "ld.param.b32 %r1, [a];\n add.s32 %r2, %r1, %r1;\n st.param.b32 [r], %r2;\n ret;\n}\n";
    assert_int_equal(fresh(twice,
                           "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0;\n"
                           "call.uni (y), twice, (x);\n ld.param.b32 %r1, [y]; }",
                           40),
                     PTX_END_OK);
    assert_int_equal(fresh(".extern .func (.param .b64 r) malloc(.param .b64 size);\n",
                           "{ .param .b64 x; .param .b64 y; st.param.b64 [x], 16;\n"
                           "call.uni (y), malloc, (x);\n ld.param.b64 %rd3, [y]; }",
                           1),
                     PTX_END_OK);
    assert_int_equal(fresh("", "{ .param .b32 x; ld.param.b32 %r1, [x]; }", 1), PTX_END_TRAP);
}

static void every_block_begins_with_unwritten_memory(void **state)
{
    (void)state;
    struct run_module *run =
        run_load(one_kernel(words, "mov.u32 %r1, %ctaid.x;\n setp.ne.u32 %p1, %r1, 0;\n"
                                   "@!%p1 st.shared.u32 [s], 1;\n ld.shared.u32 %r2, [s];"));
    uint64_t address = 0;
    assert_int_equal(run_launch(run, "k", 1, 1, &address), PTX_END_OK);
    assert_int_equal(run_launch(run, "k", 2, 1, &address), PTX_END_TRAP);
    run_unload(run);
}

/* ---- races ------------------------------------------------------------------------------ */

static const char exchange[] = "mov.u32 %%r1, s;\n mad.lo.u32 %%r2, %%r0, 4, %%r1;\n"
                               "st.shared.u32 [%%r2], %%r0;\n %s\n xor.b32 %%r3, %%r0, %u;\n"
                               "mad.lo.u32 %%r3, %%r3, 4, %%r1;\n ld.shared.u32 %%r4, [%%r3];";

static enum ptx_end exchanged(const char *between, unsigned partner, uint32_t threads)
{
    char body[500];
    snprintf(body, sizeof body, exchange, between, partner);
    return fresh(words, body, threads);
}

static void threads_that_exchange_without_a_barrier_race(void **state)
{
    (void)state;
    assert_int_equal(exchanged("", 1, 32), PTX_END_TRAP);
    assert_int_equal(exchanged("bar.sync 0;", 1, 32), PTX_END_OK);
    assert_int_equal(exchanged("bar.warp.sync 0xffffffff;", 1, 32), PTX_END_OK);
    assert_int_equal(exchanged("bar.sync 0;", 32, 64), PTX_END_OK);
    assert_int_equal(exchanged("", 0, 64), PTX_END_OK);
}

static void a_warps_own_barrier_does_not_order_two_warps(void **state)
{
    (void)state;
    assert_int_not_equal(exchanged("bar.warp.sync 0xffffffff;", 32, 64), PTX_END_OK);
}

static void a_write_after_a_read_races_too(void **state)
{
    (void)state;
    const char *body = "setp.eq.u32 %%p1, %%r0, 0;\n @%%p1 st.shared.u32 [s], 1;\n bar.sync 0;\n"
                       "ld.shared.u32 %%r1, [s];\n %s\n @%%p1 st.shared.u32 [s], 2;";
    char racing[400], ordered[400];
    snprintf(racing, sizeof racing, body, "");
    snprintf(ordered, sizeof ordered, body, "bar.sync 0;");
    assert_int_equal(fresh(words, racing, 64), PTX_END_TRAP);
    assert_int_equal(fresh(words, ordered, 64), PTX_END_OK);
}

static void a_write_races_with_the_first_of_two_readers(void **state)
{
    (void)state;
    const char *body = "setp.eq.u32 %p1, %r0, 0;\n @%p1 st.shared.u32 [s], 1;\n bar.sync 0;\n"
                       "@!%p1 ld.shared.u32 %r1, [s];\n bar.warp.sync 0xffffffff;\n"
                       "@%p1 ld.shared.u32 %r1, [s];\n bar.warp.sync 0xffffffff;\n"
                       "@%p1 st.shared.u32 [s], 2;";
    assert_int_equal(fresh(words, body, 64), PTX_END_TRAP);
    assert_int_equal(fresh(words, body, 32), PTX_END_OK);
}

/* Thread 0 writes, a barrier of two warps follows, and a thread reads. */
static const char partial[] =
    "setp.eq.u32 %%p1, %%r0, 0;\n setp.eq.u32 %%p2, %%r0, %u;\n setp.lt.u32 %%p3, %%r0, 64;\n"
    "@%%p1 st.shared.u32 [s], 1;\n @%%p3 bar.sync 1, 64;\n @%%p2 ld.shared.u32 %%r1, [s];";

static void a_barrier_of_some_warps_orders_those(void **state)
{
    (void)state;
    char body[500];
    snprintf(body, sizeof body, partial, 32u);
    assert_int_equal(fresh(words, body, 96), PTX_END_OK);
    snprintf(body, sizeof body, partial, 1u);
    assert_int_equal(fresh(words, body, 96), PTX_END_OK);
    snprintf(body, sizeof body, partial, 64u);
    assert_int_equal(fresh(words, body, 96), PTX_END_TRAP);
}

/* The first warp stores a word for the second one, which waits. */
static void accesses_after_an_arrival_are_not_ordered(void **state)
{
    (void)state;
    static const char handed[] = "setp.lt.u32 %%p1, %%r0, 32;\n setp.eq.u32 %%p2, %%r0, 0;\n"
                                 "setp.eq.u32 %%p3, %%r0, 32;\n @!%%p1 bra second;\n"
                                 "%s\n %s\n bra out;\n"
                                 "second: bar.sync 1, 64;\n @%%p3 ld.shared.u32 %%r1, [s];\n out:";
    static const char write[] = "@%p2 st.shared.u32 [s], 1;", arrive[] = "bar.arrive 1, 64;";
    char body[600];
    snprintf(body, sizeof body, handed, write, arrive);
    assert_int_equal(fresh(words, body, 64), PTX_END_OK);
    snprintf(body, sizeof body, handed, arrive, write);
    assert_int_equal(fresh(words, body, 64), PTX_END_TRAP);
}

/* Thread 0 writes and arrives; the others wait, or do not wait. */
static void an_mbarrier_orders_accesses_of_waiting_threads(void **state)
{
    (void)state;
    static const char handed[] =
        "setp.eq.u32 %%p1, %%r0, 0;\n @%%p1 mbarrier.init.shared.b64 [s+64], 1;\n bar.sync 0;\n"
        "@!%%p1 bra others;\n st.shared.u32 [s], 1;\n"
        "mbarrier.arrive.shared.b64 %%rd5, [s+64];\n bra out;\n others: %s\n"
        "setp.eq.u32 %%p2, %%r0, %u;\n @%%p2 ld.shared.u32 %%r1, [s];\n out:";
    static const char wait[] = "again: mbarrier.test_wait.parity.shared.b64 %p3, [s+64], 0;\n"
                               "@!%p3 bra again;";
    static const char some_wait[] = "setp.lt.u32 %p4, %r0, 64;\n @!%p4 bra around;\n"
                                    "again: mbarrier.test_wait.parity.shared.b64 %p3, [s+64], 0;\n"
                                    "@!%p3 bra again;\n around:";
    char body[900];
    snprintf(body, sizeof body, handed, wait, 32u);
    assert_int_equal(fresh(words, body, 96), PTX_END_OK);
    snprintf(body, sizeof body, handed, some_wait, 32u);
    assert_int_equal(fresh(words, body, 96), PTX_END_OK);
    snprintf(body, sizeof body, handed, some_wait, 64u);
    assert_int_equal(fresh(words, body, 96), PTX_END_TRAP);
}

static void atomics_do_not_race(void **state)
{
    (void)state;
    assert_int_equal(fresh(words,
                           "setp.eq.u32 %p1, %r0, 0;\n @%p1 st.shared.u32 [s], 0;\n"
                           "bar.sync 0;\n atom.shared.add.u32 %r1, [s], 1;\n"
                           "red.shared.add.u32 [s], 1;",
                           64),
                     PTX_END_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_memory_must_be_written_before_it_is_read),
        cmocka_unit_test(shared_memory_must_be_written_before_it_is_read),
        cmocka_unit_test(local_memory_must_be_written_before_it_is_read),
        cmocka_unit_test(arguments_and_results_of_calls_are_initialised),
        cmocka_unit_test(every_block_begins_with_unwritten_memory),
        cmocka_unit_test(threads_that_exchange_without_a_barrier_race),
        cmocka_unit_test(a_warps_own_barrier_does_not_order_two_warps),
        cmocka_unit_test(a_write_after_a_read_races_too),
        cmocka_unit_test(a_write_races_with_the_first_of_two_readers),
        cmocka_unit_test(a_barrier_of_some_warps_orders_those),
        cmocka_unit_test(accesses_after_an_arrival_are_not_ordered),
        cmocka_unit_test(an_mbarrier_orders_accesses_of_waiting_threads),
        cmocka_unit_test(atomics_do_not_race),
    };
    return cmocka_run_group_tests(tests, open_with_checks, run_close);
}
