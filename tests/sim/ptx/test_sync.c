/* The check of synchronisation: barriers that are misused, shuffles from lanes that do not take
 * part, asynchronous copies without a wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_kernel.h"

static int open_with_checks(void **state)
{
    setenv("ANYHIP_SIM_CHECK", "sync", 1);
    return run_open(state);
}

static enum ptx_end run_body(const char *body, uint32_t threads)
{
    uint32_t words[64] = {0};
    return one_run(".shared .align 16 .b8 s[1024];", body, threads, words, 64);
}

/* ---- barriers ----------------------------------------------------------------------------- */

static void all_threads_expect_the_same_number(void **state)
{
    (void)state;
    static const char body[] =
        "setp.lt.u32 %%p1, %%r0, 32;\n @%%p1 bra first;\n bar.sync 1, %s;\n bra out;\n"
        "first: bar.sync 1, %s;\n out:";
    char text[400];
    snprintf(text, sizeof text, body, "64", "96");
    assert_int_equal(run_body(text, 64), PTX_END_ILLEGAL_INSTRUCTION);
    snprintf(text, sizeof text, body, "64", "64");
    assert_int_equal(run_body(text, 64), PTX_END_OK);
    /* All threads of the block, with or without a count. */
    assert_int_equal(run_body("setp.lt.u32 %p1, %r0, 32;\n @%p1 bra first;\n bar.sync 1;\n"
                              "bra out;\n first: bar.sync 1, 64;\n out:",
                              50),
                     PTX_END_OK);
}

static void a_warp_arrives_once_in_a_phase(void **state)
{
    (void)state;
    static const char body[] = "setp.lt.u32 %%p1, %%r0, 32;\n @%%p1 bra first;\n"
                               "bar.sync 1, %s;\n bra out;\n"
                               "first: bar.arrive 1, %s;\n bar.arrive 1, %s;\n out:";
    char text[400];
    snprintf(text, sizeof text, body, "96", "96", "96");
    assert_int_equal(run_body(text, 64), PTX_END_ILLEGAL_INSTRUCTION);
    assert_int_equal(run_body("bar.arrive 1, 32;\n bar.arrive 1, 32;\n bar.sync 2, 64;\n"
                              "bar.sync 2, 64;",
                              64),
                     PTX_END_OK);
}

static void lanes_of_a_warp_arrive_at_a_barrier_together(void **state)
{
    (void)state;
    static const char body[] = "and.b32 %%r1, %%r0, 1;\n setp.eq.u32 %%p1, %%r1, 0;\n"
                               "@%%p1 bra even;\n %s;\n bra out;\n even: %s;\n out:";
    static const char *const aligned[] = {"bar.sync 0", "barrier.sync.aligned 0",
                                          "bar.red.popc.u32 %r2, 0, %p1"};
    char text[400];
    for (size_t i = 0; i < sizeof aligned / sizeof *aligned; i++) {
        snprintf(text, sizeof text, body, aligned[i], aligned[i]);
        assert_int_equal(run_body(text, 64), PTX_END_ILLEGAL_INSTRUCTION);
    }
    snprintf(text, sizeof text, body, "barrier.sync 0", "barrier.sync 0");
    assert_int_equal(run_body(text, 64), PTX_END_OK);
    /* The other lanes wait at another barrier. */
    assert_int_equal(run_body("setp.eq.u32 %p1, %r0, 0;\n @%p1 bar.sync 0;\n"
                              "bar.warp.sync 0xffffffff;",
                              32),
                     PTX_END_HUNG);
}

/* Lanes that arrive late, and lanes that have ended. */
static void lanes_may_arrive_at_a_barrier_one_after_the_other(void **state)
{
    (void)state;
    assert_int_equal(run_body("setp.gt.u32 %p1, %r0, 20;\n @%p1 bra out;\n mov.u32 %r1, 0;\n"
                              "again: add.u32 %r1, %r1, 1;\n setp.lt.u32 %p2, %r1, %r0;\n"
                              "@%p2 bra again;\n bar.sync 0;\n bar.sync 0;\n out:",
                              64),
                     PTX_END_OK);
}

/* ---- shuffles ----------------------------------------------------------------------------- */

static void values_of_lanes_that_do_not_take_part_are_not_numbers(void **state)
{
    (void)state;
    uint32_t words[32];
    for (unsigned i = 0; i < 32; i++)
        words[i] = i;
    one_body("ld.global.u32 %r1, [%rd1];\n setp.ge.u32 %p1, %r0, 16;\n @%p1 bra out;\n"
             "shfl.sync.down.b32 %r2, %r1, 4, 0x1f, 0xffff;\n st.global.u32 [%rd1], %r2;\n out:",
             32, words, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], i < 12 ? i + 4 : i < 16 ? 0xfff8dead : i);
}

/* ---- copies ------------------------------------------------------------------------------- */

/* Each thread starts two copies of 16 bytes, to two stages, and executes then. */
static enum ptx_end run_copies(const char *then, uint32_t threads)
{
    static const char begin[] =
        "mul.lo.u32 %%r1, %%r0, 16;\n mov.u32 %%r2, s;\n add.u32 %%r2, %%r2, %%r1;\n"
        "add.u32 %%r3, %%r2, 512;\n xor.b32 %%r4, %%r2, 16;\n"
        "cp.async.cg.shared.global [%%r2], [%%rd0], 16;\n cp.async.commit_group;\n"
        "cp.async.cg.shared.global [%%r3], [%%rd0], 16;\n cp.async.commit_group;\n%s";
    char text[2000];
    snprintf(text, sizeof text, begin, then);
    return run_body(text, threads);
}

static void copies_are_waited_for(void **state)
{
    (void)state;
    static const struct {
        const char *then;
        enum ptx_end end;
    } cases[] = {
        {"ld.shared.u32 %r5, [%r2];", PTX_END_TRAP},
        {"cp.async.wait_group 2;\n ld.shared.u32 %r5, [%r2];", PTX_END_TRAP},
        {"cp.async.wait_group 1;\n ld.shared.u32 %r5, [%r2];", PTX_END_OK},
        {"cp.async.wait_group 1;\n ld.shared.u32 %r5, [%r3];", PTX_END_TRAP},
        {"cp.async.wait_group 0;\n ld.shared.u32 %r5, [%r3];", PTX_END_OK},
        {"cp.async.wait_all;\n ld.shared.u32 %r5, [%r3];", PTX_END_OK},
        {"bar.sync 0;\n ld.shared.u32 %r5, [%r4];", PTX_END_TRAP},
        {"cp.async.wait_group 1;\n bar.sync 0;\n ld.shared.u32 %r5, [%r4];", PTX_END_OK},
        {"st.shared.u32 [%r2+4], %r0;", PTX_END_TRAP},
        {"atom.shared.add.u32 %r5, [%r2], 1;", PTX_END_TRAP},
        {"cp.async.ca.shared.global [%r2], [%rd0], 4;", PTX_END_TRAP},
        /* not yet in a group */
        {"cp.async.wait_all;\n cp.async.ca.shared.global [%r2], [%rd0], 4;\n"
         "cp.async.wait_group 0;\n ld.shared.u32 %r5, [%r2];",
         PTX_END_TRAP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (run_copies(cases[i].then, 32) != cases[i].end)
            fail_msg("%s", cases[i].then);
}

static void an_mbarrier_waits_for_copies(void **state)
{
    (void)state;
    static const char copy[] =
        "setp.eq.u32 %%p1, %%r0, 0;\n @%%p1 mbarrier.init.shared.b64 [s], 32;\n bar.sync 0;\n"
        "mov.u32 %%r2, s;\n mad.lo.u32 %%r2, %%r0, 4, %%r2;\n"
        "cp.async.ca.shared.global [%%r2+64], [%%rd0], 4;\n %s"
        "wait: mbarrier.test_wait.parity.shared.b64 %%p2, [s], 0;\n @!%%p2 bra wait;\n"
        "xor.b32 %%r3, %%r2, 4;\n ld.shared.u32 %%r5, [%%r3+64];";
    char text[1000];
    snprintf(text, sizeof text, copy, "cp.async.mbarrier.arrive.noinc.shared.b64 [s];\n");
    assert_int_equal(run_body(text, 32), PTX_END_OK);
    snprintf(text, sizeof text, copy, "mbarrier.arrive.shared.b64 %rd5, [s];\n");
    assert_int_equal(run_body(text, 32), PTX_END_TRAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_threads_expect_the_same_number),
        cmocka_unit_test(a_warp_arrives_once_in_a_phase),
        cmocka_unit_test(lanes_of_a_warp_arrive_at_a_barrier_together),
        cmocka_unit_test(lanes_may_arrive_at_a_barrier_one_after_the_other),
        cmocka_unit_test(values_of_lanes_that_do_not_take_part_are_not_numbers),
        cmocka_unit_test(copies_are_waited_for),
        cmocka_unit_test(an_mbarrier_waits_for_copies),
    };
    return cmocka_run_group_tests(tests, open_with_checks, run_close);
}
