/* Warps: lanes diverge and reconverge, wait for each other, call, end and hang. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log.h"
#include "run.h"

#include <unistd.h>

/* A kernel "k" with parameter out in %out, thread in %t; 32-bit results: %result of
 * each thread at the end, unless it ended before. */
#define KERNEL(declarations, body)                                                                 \
    RUN_HEAD(80)                                                                                   \
    declarations ".visible .entry k(.param .u64 out) {\n"                                          \
                 ".reg .b64 %out, %at, %rd<20>; .reg .b32 %t, %result, %r<20>;\n"                  \
                 ".reg .pred %p<10>;\n"                                                            \
                 "ld.param.u64 %out, [out];\n"                                                     \
                 "mov.u32 %t, %tid.x;\n"                                                           \
                 "mul.wide.u32 %at, %t, 4; add.u64 %at, %at, %out;\n"                              \
                 "mov.u32 %result, 0;\n" body "st.global.u32 [%at], %result;\n"                    \
                 "ret;\n}\n"

static uint32_t out[4096];

static enum ptx_end try_kernel(const char *text, unsigned threads)
{
    memset(out, 0, sizeof out);
    return run_once(text, "k", threads, out, sizeof out);
}

static void run_kernel(const char *text, unsigned threads)
{
    assert_int_equal(try_kernel(text, threads), PTX_END_OK);
}

/* Runs a kernel that fails, and captures its report. */
static enum ptx_end capture(const char *text, unsigned threads, char *report, size_t size)
{
    char name[] = "/tmp/warp-XXXXXX";
    int file = mkstemp(name), saved = dup(2);
    assert_true(file >= 0 && saved >= 0);
    fflush(stderr);
    dup2(file, 2);
    enum ptx_end end = try_kernel(text, threads);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    ssize_t length = pread(file, report, size - 1, 0);
    report[length > 0 ? length : 0] = '\0';
    close(file);
    unlink(name);
    return end;
}

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

/* ---- branches ---------------------------------------------------------------------------- */

static void diverged_lanes_reconverge(void **state)
{
    (void)state;
    /* Two levels: t & 1, then t & 2; all lanes reconverge before activemask. */
    run_kernel(KERNEL("", "and.b32 %r1, %t, 1; and.b32 %r2, %t, 2;\n"
                          "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0;\n"
                          "@%p1 bra even;\n"
                          "  @%p2 bra odd0;\n"
                          "    mov.u32 %result, 3; bra odd_end;\n"
                          "  odd0: mov.u32 %result, 1;\n"
                          "  odd_end: activemask.b32 %r3; bra end;\n"
                          "even:\n"
                          "  @%p2 bra even0;\n"
                          "    mov.u32 %result, 2; bra even_end;\n"
                          "  even0: mov.u32 %result, 4;\n"
                          "  even_end: activemask.b32 %r3;\n"
                          "end: activemask.b32 %r4;\n"
                          "popc.b32 %r3, %r3; popc.b32 %r4, %r4;\n"
                          "mad.lo.u32 %result, %r3, 100, %result;\n"
                          "mad.lo.u32 %result, %r4, 10000, %result;\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 321600 + (i % 4 ? i % 4 : 4));
}

static void lanes_leave_a_loop_one_by_one_and_reconverge(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "mov.u32 %r1, 0;\n"
                          "again: add.u32 %result, %result, %r1; add.u32 %r1, %r1, 1;\n"
                          "setp.le.u32 %p1, %r1, %t; @%p1 bra again;\n"
                          "activemask.b32 %r2; popc.b32 %r2, %r2;\n"
                          "mad.lo.u32 %result, %r2, 1000, %result;\n"),
               64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], 32000 + i * (i + 1) / 2);
}

static void a_loop_within_a_loop_diverges_anew_each_time(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "mov.u32 %r1, 0;\n"
                          "outer: mov.u32 %r2, 0; xor.b32 %r4, %r1, %t; and.b32 %r4, %r4, 7;\n"
                          "inner: setp.ge.u32 %p1, %r2, %r4; @%p1 bra inner_end;\n"
                          "add.u32 %result, %result, %r2; add.u32 %r2, %r2, 1; bra.uni inner;\n"
                          "inner_end: activemask.b32 %r5; setp.ne.u32 %p3, %r5, -1;\n"
                          "@%p3 add.u32 %result, %result, 100000;\n"
                          "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 50; @%p2 bra outer;\n"),
               32);
    for (unsigned t = 0; t < 32; t++) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 50; i++)
            for (unsigned j = 0; j < ((i ^ t) & 7); j++)
                sum += j;
        assert_int_equal(out[t], sum);
    }
}

static void lanes_that_end_early_leave_the_others_alone(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "setp.lt.u32 %p1, %t, 3; @%p1 ret;\n"
                          "setp.gt.u32 %p1, %t, 40; @%p1 exit;\n"
                          "mov.u32 %result, 1;\n"
                          "setp.ne.u32 %p1, %t, 7; @%p1 bra on; exit;\n"
                          "on: add.u32 %result, %result, 1;\n"),
               100);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(out[i], i < 3 || i > 40 || i == 7 ? 0 : 2);
}

static void an_indexed_branch_jumps_to_the_target_of_each_lane(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "ts: .branchtargets a, b, c, a;\n"
                          "and.b32 %r1, %t, 3;\n"
                          "brx.idx %r1, ts;\n"
                          "a: mov.u32 %result, 10; bra end;\n"
                          "b: mov.u32 %result, 20; bra end;\n"
                          "c: mov.u32 %result, 30;\n"
                          "end: activemask.b32 %r2; popc.b32 %r2, %r2;\n"
                          "add.u32 %result, %result, %r2;\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 32 + (i % 4 == 1 ? 20 : i % 4 == 2 ? 30 : 10));
}

static void an_index_beyond_the_targets_is_a_fault(void **state)
{
    (void)state;
    char report[4096];
    assert_int_equal(capture(KERNEL("", "ts: .branchtargets a, b;\n brx.idx %t, ts;\n"
                                        "a: mov.u32 %result, 10;\nb:\n"),
                             3, report, sizeof report),
                     PTX_END_ILLEGAL_INSTRUCTION);
    assert_contains(report, "index 2 is beyond the 2 branch targets");
    assert_contains(report, "thread (2,0,0)");
}

/* ---- lanes that wait for lanes --------------------------------------------------------------- */

static void a_lock_passes_from_lane_to_lane(void **state)
{
    (void)state;
    /* The lane that holds the lock is after the loop in which the others spin. */
    run_kernel(KERNEL(".global .u32 lock; .global .u32 counter;\n",
                      "spin: atom.global.cas.b32 %r1, [lock], 0, 1;\n"
                      "setp.ne.u32 %p1, %r1, 0; @%p1 bra spin;\n"
                      "ld.global.u32 %r2, [counter]; add.u32 %r2, %r2, 1;\n"
                      "st.global.u32 [counter], %r2; mov.u32 %result, %r2;\n"
                      "membar.gl; atom.global.exch.b32 %r1, [lock], 0;\n"),
               256);
    uint32_t seen[257] = {0};
    for (unsigned i = 0; i < 256; i++) {
        assert_in_range(out[i], 1, 256);
        assert_int_equal(seen[out[i]]++, 0);
    }
}

static void a_lock_is_released_within_the_loop(void **state)
{
    (void)state;
    run_kernel(KERNEL(".global .u32 lock; .global .u32 counter;\n",
                      "spin: atom.global.cas.b32 %r1, [lock], 0, 1;\n"
                      "setp.ne.u32 %p1, %r1, 0; @%p1 bra next;\n"
                      "ld.volatile.global.u32 %r2, [counter]; add.u32 %result, %r2, 1;\n"
                      "st.volatile.global.u32 [counter], %result;\n"
                      "atom.global.exch.b32 %r3, [lock], 0;\n"
                      "next: setp.eq.u32 %p2, %result, 0; @%p2 bra spin;\n"
                      "activemask.b32 %r4; setp.ne.u32 %p3, %r4, -1;\n"
                      "@%p3 add.u32 %result, %result, 1000;\n"),
               32);
    uint32_t seen[33] = {0};
    for (unsigned i = 0; i < 32; i++) {
        assert_in_range(out[i], 1, 32);
        assert_int_equal(seen[out[i]]++, 0);
    }
}

static void a_lane_waits_for_what_another_one_will_write(void **state)
{
    (void)state;
    /* Lane n waits for lane n + 1: the last one starts, and its code is last in the text. */
    run_kernel(KERNEL(".shared .align 4 .u32 flags[64];\n",
                      "mov.u32 %r1, flags; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2;\n"
                      "st.shared.u32 [%r1], 0; bar.sync 0;\n"
                      "setp.eq.u32 %p1, %t, 63; @%p1 bra last;\n"
                      "wait: ld.volatile.shared.u32 %r3, [%r1+4];\n"
                      "setp.eq.u32 %p2, %r3, 0; @%p2 bra wait;\n"
                      "add.u32 %result, %r3, 1; st.volatile.shared.u32 [%r1], %result;\n"
                      "bra end;\n"
                      "last: mov.u32 %result, 1; st.volatile.shared.u32 [%r1], 1;\n"
                      "end:\n"),
               64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], 64 - i);
}

static void warp_barriers_in_different_branches_synchronise(void **state)
{
    (void)state;
    run_kernel(KERNEL(".shared .align 4 .u32 x[32];\n",
                      "mov.u32 %r1, x; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2;\n"
                      "setp.lt.u32 %p1, %t, 16; @%p1 bra low;\n"
                      "st.shared.u32 [%r1], %t; bar.warp.sync -1;\n"
                      "ld.shared.u32 %result, [%r1-64]; bar.warp.sync 0xffff0000; bra end;\n"
                      "low: add.u32 %r3, %t, 100; st.shared.u32 [%r1], %r3; bar.warp.sync -1;\n"
                      "ld.shared.u32 %result, [%r1+64];\n"
                      "end:\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 16 ? i + 16 : i - 16 + 100);
}

static void a_lane_that_ends_is_not_waited_for(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "setp.eq.u32 %p1, %t, 5; @%p1 bra late;\n"
                          "setp.eq.u32 %p2, %t, 6; @%p2 bra late;\n"
                          "shfl.sync.idx.b32 %result, %t, 9, 31, -1; bra end;\n"
                          "late: ret;\n"
                          "end:\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i == 5 || i == 6 ? 0 : 9);
}

static void lanes_that_wait_for_each_other_at_different_places_hang(void **state)
{
    (void)state;
    char report[4096];
    assert_int_equal(capture(KERNEL("", "setp.eq.u32 %p1, %t, 0; @%p1 bra other;\n"
                                        "shfl.sync.idx.b32 %result, %t, 0, 31, -1;\n"
                                        "bra end;\n"
                                        "other: vote.sync.any.pred %p2, %p1, -1;\n"
                                        "end:\n"),
                             32, report, sizeof report),
                     PTX_END_HUNG);
    assert_contains(report, "kernel k: block (0,0,0) hangs");
    assert_contains(report, "lanes 0x00000001 wait at k, PTX line 14: vote.sync.any.pred for "
                            "lanes 0xffffffff");
    assert_contains(report, "lanes 0xfffffffe wait at k, PTX line 12: shfl.sync.idx.b32");
}

/* ---- calls -------------------------------------------------------------------------------- */

#define FIB                                                                                        \
    ".func (.param .b32 r) fib(.param .b32 n) {\n"                                                 \
    ".reg .b32 %n, %a, %b; .reg .pred %p;\n"                                                       \
    "ld.param.b32 %n, [n]; setp.lt.u32 %p, %n, 2; @%p bra small;\n"                                \
    "{ .param .b32 x; .param .b32 y; sub.u32 %a, %n, 1; st.param.b32 [x], %a;\n"                   \
    "  call.uni (y), fib, (x); ld.param.b32 %b, [y]; }\n"                                          \
    "{ .param .b32 x; .param .b32 y; sub.u32 %a, %n, 2; st.param.b32 [x], %a;\n"                   \
    "  call.uni (y), fib, (x); ld.param.b32 %a, [y]; }\n"                                          \
    "add.u32 %b, %b, %a; st.param.b32 [r], %b; ret;\n"                                             \
    "small: st.param.b32 [r], %n; ret; }\n"
#define CALL_FIB                                                                                   \
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call.uni (y), fib, (x);\n"             \
    "  ld.param.b32 %result, [y]; }\n"

static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void a_function_calls_itself(void **state)
{
    (void)state;
    run_kernel(KERNEL(FIB, "rem.u32 %r1, %t, 12;\n" CALL_FIB
                           "activemask.b32 %r2; setp.ne.u32 %p1, %r2, -1;\n"
                           "@%p1 add.u32 %result, %result, 1000;\n"),
               64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], fib(i % 12));
}

static void recursion_ends_where_the_stack_does(void **state)
{
    (void)state;
    char report[8192];
    assert_int_equal(
        capture(KERNEL(FIB, "mov.u32 %r1, 100000;\n" CALL_FIB), 32, report, sizeof report),
        PTX_END_STACK);
    assert_contains(report, "out of stack");
    assert_contains(report, "called from fib, PTX line 8: call.uni");
}

/* Functions that return a and 10 times their argument, and so on. */
#define TABLE                                                                                      \
    ".func (.param .b32 r) times10(.param .b32 n) { .reg .b32 %n; ld.param.b32 %n, [n];\n"         \
    "mul.lo.u32 %n, %n, 10; st.param.b32 [r], %n; ret; }\n"                                        \
    ".func (.param .b32 r) plus5(.param .b32 n) { .reg .b32 %n; ld.param.b32 %n, [n];\n"           \
    "add.u32 %n, %n, 5; st.param.b32 [r], %n; ret; }\n"                                            \
    ".func (.param .b32 r) minus1(.param .b32 n) { .reg .b32 %n; ld.param.b32 %n, [n];\n"          \
    "sub.u32 %n, %n, 1; st.param.b32 [r], %n; ret; }\n"                                            \
    ".global .align 8 .u64 table[3] = {times10, plus5, minus1};\n"
#define CALL_POINTER                                                                               \
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t;\n"                                      \
    "  proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                                 \
    "  call (y), %rd3, (x), proto; ld.param.b32 %result, [y]; }\n"

static void functions_are_called_through_a_table(void **state)
{
    (void)state;
    run_kernel(KERNEL(TABLE, "rem.u32 %r1, %t, 3; mul.wide.u32 %rd1, %r1, 8;\n"
                             "mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1;\n"
                             "ld.global.u64 %rd3, [%rd2];\n" CALL_POINTER
                             "activemask.b32 %r2; setp.ne.u32 %p1, %r2, -1;\n"
                             "@%p1 add.u32 %result, %result, 1000;\n"),
               64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i % 3 == 0 ? i * 10 : i % 3 == 1 ? i + 5 : i - 1);
}

static void a_function_has_one_address_wherever_it_is_taken(void **state)
{
    (void)state;
    run_kernel(KERNEL(TABLE, "mov.u64 %rd3, plus5; ld.global.u64 %rd4, [table+8];\n"
                             "setp.ne.u64 %p1, %rd3, %rd4; @%p1 trap;\n" CALL_POINTER),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i + 5);
}

static void a_call_of_an_invalid_address_is_a_fault(void **state)
{
    (void)state;
    char report[4096];
    assert_int_equal(
        capture(KERNEL(TABLE, "mov.u64 %rd3, 0;\n" CALL_POINTER), 32, report, sizeof report),
        PTX_END_ILLEGAL_ADDRESS);
    assert_contains(report, "call of 0x0, which is not a function");
}

static void only_lanes_whose_guard_holds_call(void **state)
{
    (void)state;
    run_kernel(KERNEL(FIB, "setp.gt.u32 %p1, %t, 20; mov.u32 %r1, 7;\n"
                           ".param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
                           "mov.u32 %result, 1; st.param.b32 [y], %result;\n"
                           "@%p1 call (y), fib, (x); ld.param.b32 %result, [y];\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i > 20 ? 13 : 1);
}

static void values_are_passed_in_registers_too(void **state)
{
    (void)state;
    run_kernel(KERNEL(".func (.reg .u32 %s, .reg .u64 %l) f(.reg .u32 %a, .reg .u64 %b) {\n"
                      "add.u32 %s, %a, 1; add.u64 %l, %b, %b; ret; }\n",
                      "cvt.u64.u32 %rd1, %t;\n"
                      "call (%r1, %rd2), f, (%t, %rd1); call (%r2, %rd3), f, (5, %rd2);\n"
                      "cvt.u32.u64 %r3, %rd3; add.u32 %result, %r1, %r2;\n"
                      "add.u32 %result, %result, %r3;\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i + 1 + 6 + 4 * i);
}

static void each_activation_has_local_memory_of_its_own(void **state)
{
    (void)state;
    /* down(n): writes n to its own variable, calls down(n - 1), reads it again. */
    run_kernel(KERNEL(".func (.param .b32 r) down(.param .b32 n) {\n"
                      ".local .align 4 .b32 mine; .reg .b32 %n, %a; .reg .pred %p;\n"
                      ".reg .b64 %rd<3>;\n"
                      "ld.param.b32 %n, [n]; mov.u64 %rd1, mine; cvta.local.u64 %rd1, %rd1;\n"
                      "st.u32 [%rd1], %n; mov.u32 %a, 0;\n"
                      "setp.eq.u32 %p, %n, 0; @%p bra done;\n"
                      "{ .param .b32 x; .param .b32 y; sub.u32 %a, %n, 1; st.param.b32 [x], %a;\n"
                      "  call (y), down, (x); ld.param.b32 %a, [y]; }\n"
                      "done: ld.local.u32 %n, [mine]; add.u32 %a, %a, %n;\n"
                      "st.param.b32 [r], %a; ret; }\n",
                      "{ .param .b32 x; .param .b32 y; and.b32 %r1, %t, 15;\n"
                      "  st.param.b32 [x], %r1; call (y), down, (x);\n"
                      "  ld.param.b32 %result, [y]; }\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], (i % 16) * (i % 16 + 1) / 2);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void a_barrier_waits_for_a_thousand_threads(void **state)
{
    (void)state;
    run_kernel(KERNEL(".shared .align 4 .u32 x[1024];\n",
                      "mov.u32 %r1, x; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;\n"
                      "mov.u32 %r4, 0;\n"
                      "again: add.u32 %r5, %t, %r4; st.shared.u32 [%r3], %r5; bar.sync 0;\n"
                      "xor.b32 %r6, %r2, 4092; add.u32 %r6, %r6, %r1;\n"
                      "ld.shared.u32 %r7, [%r6]; add.u32 %result, %result, %r7; bar.sync 0;\n"
                      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 10; @%p1 bra again;\n"),
               1024);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(out[i], 10 * (1023 - i) + 45);
}

static void barriers_in_diverged_code_count_threads(void **state)
{
    (void)state;
    run_kernel(KERNEL(".shared .align 4 .u32 x[40];\n",
                      "mov.u32 %r1, x; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;\n"
                      "and.b32 %r4, %t, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra even;\n"
                      "st.shared.u32 [%r3], 5; barrier.sync 0; ld.shared.u32 %result, [%r3-4];\n"
                      "bra end;\n"
                      "even: st.shared.u32 [%r3], 6; barrier.sync 0;\n"
                      "ld.shared.u32 %result, [%r3+4];\n"
                      "end:\n"),
               40);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(out[i], i % 2 ? 6 : 5);
}

static void barriers_with_counts_join_some_warps_only(void **state)
{
    (void)state;
    /* Warps 0 and 1 produce and arrive, 2 and 3 wait; a pair for each barrier. */
    run_kernel(KERNEL(".shared .align 4 .u32 x[128];\n",
                      "mov.u32 %r1, x; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;\n"
                      "shr.u32 %r4, %t, 5; and.b32 %r5, %r4, 1; add.u32 %r5, %r5, 1;\n"
                      "setp.lt.u32 %p1, %t, 64; @%p1 bra produce;\n"
                      "bar.sync %r5, 64; ld.shared.u32 %result, [%r3-256]; bra end;\n"
                      "produce: add.u32 %r6, %t, 7; st.shared.u32 [%r3], %r6;\n"
                      "bar.arrive %r5, 64;\n"
                      "end:\n"),
               128);
    for (unsigned i = 64; i < 128; i++)
        assert_int_equal(out[i], i - 64 + 7);
}

static void barriers_reduce_predicates_of_the_block(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "setp.lt.u32 %p1, %t, 77; setp.lt.u32 %p2, %t, 100;\n"
                          "barrier.red.popc.u32 %result, 1, %p1;\n"
                          "barrier.red.and.pred %p3, 2, %p1; bar.red.and.pred %p4, 3, %p2;\n"
                          "bar.red.or.pred %p5, 4, !%p2; bar.red.or.pred %p6, 5, %p1;\n"
                          "bar.red.popc.u32 %r1, 6, 128, %p1;\n"
                          "@%p3 add.u32 %result, %result, 1000;\n"
                          "@%p4 add.u32 %result, %result, 2000;\n"
                          "@%p5 add.u32 %result, %result, 4000;\n"
                          "@%p6 add.u32 %result, %result, 8000;\n"
                          "mad.lo.u32 %result, %r1, 100000, %result;\n"),
               100);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(out[i], 77 + 2000 + 8000 + 7700000);
}

static void threads_that_end_are_not_waited_for_at_a_barrier(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "setp.gt.u32 %p1, %t, 50; @%p1 bra wait;\n"
                          "setp.gt.u32 %p1, %t, 9; @%p1 exit;\n"
                          "nanosleep.u32 100; exit;\n"
                          "wait: bar.sync 0; mov.u32 %result, 1;\n"),
               100);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(out[i], i > 50);
}

static void a_barrier_that_never_completes_is_reported(void **state)
{
    (void)state;
    char report[4096];
    assert_int_equal(capture(KERNEL("", ".loc 1 42 7\n"
                                        "setp.lt.u32 %p1, %t, 128; @%p1 bar.sync 3, 256;\n"
                                        "@!%p1 bar.sync 4;\n"),
                             256, report, sizeof report),
                     PTX_END_HUNG);
    assert_contains(report, "hangs: 256 of its 256 threads wait");
    assert_contains(report, "warp 0, lanes 0xffffffff and 96 other threads wait at k, PTX line "
                            "12: bar.sync for barrier 3, which expects 256 threads, 128 arrived");
    assert_contains(report, "barrier 4, which expects 256 threads, 128 arrived");
}

static void a_cluster_of_one_block_has_its_barrier(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".shared .align 4 .u32 x[96];\n"
        ".visible .entry k(.param .u64 out) { .reg .b64 %rd<3>; .reg .b32 %r<9>; .reg .pred %p;\n"
        "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, x; add.u32 %r4, %r3, %r2;\n"
        "mov.u32 %r7, 0; mov.u32 %r8, 0;\n"
        "again: add.u32 %r5, %r1, %r7; st.shared.u32 [%r4], %r5;\n"
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        "sub.u32 %r5, 380, %r2; add.u32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5];\n"
        "add.u32 %r8, %r8, %r6; barrier.cluster.arrive; barrier.cluster.wait;\n"
        "add.u32 %r7, %r7, 1; setp.lt.u32 %p, %r7, 3; @%p bra again;\n"
        "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
        "st.global.u32 [%rd1], %r8; ret; }\n";
    run_kernel(text, 96);
    for (unsigned i = 0; i < 96; i++)
        assert_int_equal(out[i], 3 * (95 - i) + 3);
}

/* ---- ends --------------------------------------------------------------------------------- */

static void a_trap_ends_the_launch(void **state)
{
    (void)state;
    char report[4096];
    assert_int_equal(capture(KERNEL(".file 7 \"some/kernel.cu\"\n",
                                    "setp.eq.u32 %p1, %t, 9;\n.loc 7 33 1\n@%p1 trap;\n"),
                             32, report, sizeof report),
                     PTX_END_TRAP);
    assert_contains(report, "kernel k: trap");
    assert_contains(report, "PTX line 14: trap (some/kernel.cu:33)");
    assert_contains(report, "block (0,0,0), thread (9,0,0)");
}

static void blocks_may_wait_for_blocks(void **state)
{
    (void)state;
    /* Every one of the twelve blocks waits until all have started, on any number of cores. */
    struct run_module *run = run_load(RUN_HEAD(
        80) ".visible .entry k(.param .u64 out) { .reg .b64 %rd; .reg .b32 %r<4>; .reg .pred %p;\n"
            "ld.param.u64 %rd, [out]; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x;\n"
            "setp.ne.u32 %p, %r3, 0; @%p bra end; red.global.add.u32 [%rd], 1;\n"
            "wait: ld.volatile.global.u32 %r1, [%rd]; setp.lt.u32 %p, %r1, %r2; @%p bra wait;\n"
            "end: bar.sync 0; red.global.add.u32 [%rd+4], 1; ret; }\n");
    struct sim_memory *memory = run_memory(8);
    uint64_t params = memory->address;
    assert_int_equal(run_launch(run, "k", 12, 64, &params), PTX_END_OK);
    assert_int_equal(((uint32_t *)(void *)memory->view)[1], 12 * 64);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void many_blocks_use_the_same_memory_one_after_the_other(void **state)
{
    (void)state;
    struct run_module *run = run_load(
        RUN_HEAD(80) FIB
        ".shared .u32 x;\n"
        ".visible .entry k(.param .u64 out) { .reg .b64 %out; .reg .b32 %t, %result, %r<9>;\n"
        ".reg .pred %p; mov.u32 %t, %tid.x; and.b32 %r1, %t, 7;\n" CALL_FIB
        "setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [x], 0; bar.sync 0;\n"
        "atom.shared.add.u32 %r2, [x], %result; bar.sync 0; @!%p exit;\n"
        "ld.shared.u32 %r3, [x]; ld.param.u64 %out, [out]; red.global.add.u32 [%out], %r3;\n"
        "ret; }\n");
    struct sim_memory *memory = run_memory(4);
    uint64_t params = memory->address;
    assert_int_equal(run_launch(run, "k", 500, 70, &params), PTX_END_OK);
    unsigned sum = 0;
    for (unsigned i = 0; i < 70; i++)
        sum += fib(i % 8);
    assert_int_equal(*(uint32_t *)(void *)memory->view, 500 * sum);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void *cancel_soon(void *launch)
{
    usleep(20000);
    sim_run_cancel(launch);
    return NULL;
}

static void a_loop_without_an_end_is_cancelled(void **state)
{
    (void)state;
    struct run_module *run = run_load(KERNEL("", "again: add.u32 %r1, %r1, 1; bra again;\n"));
    struct run_wait wait = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    uint64_t params = 0;
    struct ptx_launch launch = {
        .run = {.grid = {3, 1, 1}, .resident_max = 3, .done = run_ended, .data = &wait},
        .context = &run->context,
        .kernel = ptx_module_kernel(run->module, "k"),
        .block = {64, 1, 1},
        .params = (const unsigned char *)&params,
    };
    assert_true(ptx_launch(&launch));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &launch.run), 0);
    pthread_mutex_lock(&wait.lock);
    while (!wait.done)
        pthread_cond_wait(&wait.ended, &wait.lock);
    pthread_mutex_unlock(&wait.lock);
    pthread_join(thread, NULL);
    assert_true(wait.failed);
    assert_int_equal(launch.end, PTX_END_CANCELLED);
    run_unload(run);
}

static void clusters_of_several_blocks_are_refused(void **state)
{
    (void)state;
    struct run_module *run = run_load(KERNEL("", ""));
    struct ptx_launch launch = {
        .run = {.grid = {2, 1, 1}, .resident_max = 1, .done = run_ended},
        .context = &run->context,
        .kernel = ptx_module_kernel(run->module, "k"),
        .block = {1, 1, 1},
        .cluster = {2, 1, 1},
    };
    assert_false(ptx_launch(&launch));
    run_unload(run);
}

/* ---- every order of execution -------------------------------------------------------------- */

static void waits_end_in_every_order_of_execution(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sim_run_stop();
        sim_run_configure(&(struct sim_run_settings){.deterministic = true, .seed = seed});
        a_lock_passes_from_lane_to_lane(state);
        a_lock_is_released_within_the_loop(state);
        a_lane_waits_for_what_another_one_will_write(state);
        a_function_calls_itself(state);
        functions_are_called_through_a_table(state);
        a_barrier_waits_for_a_thousand_threads(state);
        barriers_with_counts_join_some_warps_only(state);
        blocks_may_wait_for_blocks(state);
    }
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){0});
}

/* ---- grids --------------------------------------------------------------------------------- */

/* The grid's barrier, for block 0 and for the others; the block whose number is the parameter ends
 * before it. */
static const char grid_kernel[] =
    RUN_HEAD(80) ".visible .entry k(.param .u32 leaves) {\n"
                 ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                 "ld.param.u32 %r1, [leaves]; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r1, %r2;\n"
                 "@%p1 ret; mov.u32 %r3, %envreg1; mov.u32 %r4, %envreg2;\n"
                 "mov.b64 %rd1, {%r4, %r3}; mov.u32 %r5, %nctaid.x;\n"
                 "sub.u32 %r5, 0x80000001, %r5; setp.eq.u32 %p2, %r2, 0;\n"
                 "selp.u32 %r5, %r5, 1, %p2; mov.u32 %r8, 0;\n"
                 "round: atom.global.add.u32 %r6, [%rd1+4], %r5;\n"
                 "wait: nanosleep.u32 64; ld.volatile.global.u32 %r7, [%rd1+4];\n"
                 "xor.b32 %r7, %r7, %r6; setp.ge.s32 %p3, %r7, 0; @%p3 bra wait;\n"
                 "add.u32 %r8, %r8, 1; setp.lt.u32 %p4, %r8, 20; @%p4 bra round; ret; }\n";

static void a_grid_does_not_wait_for_blocks_that_have_ended(void **state)
{
    (void)state;
    enum { BLOCKS = 5 };
    struct run_module *run = run_load(grid_kernel);
    for (uint32_t leaves = 0; leaves <= BLOCKS; leaves++) {
        struct sim_memory *memory = run_memory(64);
        run->workspace = memory->address;
        assert_int_equal(run_launch(run, "k", BLOCKS, 1, &leaves),
                         leaves < BLOCKS ? PTX_END_HUNG : PTX_END_OK);
        sim_memory_destroy(memory);
    }
    run_unload(run);
}

static void the_log_has_the_number_of_instructions_of_each_warp(void **state)
{
    (void)state;
    const char *loop = KERNEL("", "mov.u32 %r1, 0;\n"
                                  "again: add.u32 %r1, %r1, 1;\n"
                                  "setp.lt.u32 %p1, %r1, %ntid.x;\n"
                                  "@%p1 bra again;\n");
    char report[1000];
    ah_log_configure(
        &(struct ah_log_settings){AH_LOG_EXTRA, AH_LOG_KERN, NULL, AH_LOG_DEFAULT_SIZE_MIB});
    enum ptx_end end = capture(loop, 40, report, sizeof report);
    ah_log_configure(&(struct ah_log_settings){0, 0, NULL, AH_LOG_DEFAULT_SIZE_MIB});
    assert_int_equal(end, PTX_END_OK);
    /* 6 before the loop, 3 in each of 40 turns, 2 after it */
    assert_contains(report, "k: warp 0 of block 0 has executed 128 instructions");
    assert_contains(report, "k: warp 1 of block 0 has executed 128 instructions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diverged_lanes_reconverge),
        cmocka_unit_test(lanes_leave_a_loop_one_by_one_and_reconverge),
        cmocka_unit_test(a_loop_within_a_loop_diverges_anew_each_time),
        cmocka_unit_test(lanes_that_end_early_leave_the_others_alone),
        cmocka_unit_test(an_indexed_branch_jumps_to_the_target_of_each_lane),
        cmocka_unit_test(an_index_beyond_the_targets_is_a_fault),
        cmocka_unit_test(a_lock_passes_from_lane_to_lane),
        cmocka_unit_test(a_lock_is_released_within_the_loop),
        cmocka_unit_test(a_lane_waits_for_what_another_one_will_write),
        cmocka_unit_test(warp_barriers_in_different_branches_synchronise),
        cmocka_unit_test(a_lane_that_ends_is_not_waited_for),
        cmocka_unit_test(lanes_that_wait_for_each_other_at_different_places_hang),
        cmocka_unit_test(a_function_calls_itself),
        cmocka_unit_test(recursion_ends_where_the_stack_does),
        cmocka_unit_test(functions_are_called_through_a_table),
        cmocka_unit_test(a_function_has_one_address_wherever_it_is_taken),
        cmocka_unit_test(a_call_of_an_invalid_address_is_a_fault),
        cmocka_unit_test(only_lanes_whose_guard_holds_call),
        cmocka_unit_test(values_are_passed_in_registers_too),
        cmocka_unit_test(each_activation_has_local_memory_of_its_own),
        cmocka_unit_test(a_barrier_waits_for_a_thousand_threads),
        cmocka_unit_test(barriers_in_diverged_code_count_threads),
        cmocka_unit_test(barriers_with_counts_join_some_warps_only),
        cmocka_unit_test(barriers_reduce_predicates_of_the_block),
        cmocka_unit_test(threads_that_end_are_not_waited_for_at_a_barrier),
        cmocka_unit_test(a_barrier_that_never_completes_is_reported),
        cmocka_unit_test(a_cluster_of_one_block_has_its_barrier),
        cmocka_unit_test(a_trap_ends_the_launch),
        cmocka_unit_test(blocks_may_wait_for_blocks),
        cmocka_unit_test(many_blocks_use_the_same_memory_one_after_the_other),
        cmocka_unit_test(a_loop_without_an_end_is_cancelled),
        cmocka_unit_test(clusters_of_several_blocks_are_refused),
        cmocka_unit_test(waits_end_in_every_order_of_execution),
        cmocka_unit_test(a_grid_does_not_wait_for_blocks_that_have_ended),
        cmocka_unit_test(the_log_has_the_number_of_instructions_of_each_warp),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
