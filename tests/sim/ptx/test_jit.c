/* Compiled regions of PTX: that they are entered, left where they have to be, and freed. Every
 * kernel is compiled before it runs, unless a test says otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit_same.h"
#include "log.h"
#include "ptx_handlers.h"
#include "support.h"

static void a_loop_of_all_lanes_is_compiled(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    expect_same("mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
                "L: mad.lo.u32 %r2, %r2, 3, %r0; add.u32 %r1, %r1, 1;\n"
                "setp.lt.u32 %p1, %r1, 1000; @%p1 bra L;\nst.global.u32 [%rd1], %r2;\n",
                words, 64);
    assert_int_not_equal(words[1], words[2]);
}

static void lanes_that_part_leave_the_region_and_come_back(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    expect_same("mov.u32 %r1, 0; mov.u32 %r2, 7;\n"
                "L: and.b32 %r3, %r0, 3; setp.eq.u32 %p2, %r3, %r1; @%p2 bra M;\n"
                "mul.lo.u32 %r2, %r2, 5;\nM: add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1;\n"
                "setp.lt.u32 %p1, %r1, 50; @%p1 bra L;\nst.global.u32 [%rd1], %r2;\n",
                words, 64);
}

/* clang makes no vectors of some functions: those would index slots by lane. */
static void instructions_that_go_lane_by_lane_keep_no_slots_in_memory(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    uint64_t before = statistics().in_memory;
    expect_same("cvt.rn.f32.u32 %f1, %r0; cos.approx.f32 %f2, %f1; sin.approx.f32 %f3, %f1;\n"
                "mul.f32 %f2, %f2, %f3; clz.b32 %r3, %r0; cvt.rn.bf16.f32 %rs1, %f2;\n"
                "cvt.u32.u16 %r4, %rs1; bfi.b32 %r3, %r3, %r4, 16, 8; mov.b32 %r5, %f2;\n"
                "xor.b32 %r3, %r3, %r5; st.global.u32 [%rd1], %r3;\n",
                words, 64);
    assert_int_not_equal(words[3], words[4]);
    assert_int_equal(statistics().in_memory, before);
}

static void guarded_instructions_change_only_their_lanes(void **state)
{
    (void)state;
    uint32_t words[128];
    for (unsigned i = 0; i < 128; i++)
        words[i] = i * 3;
    expect_same("setp.lt.u32 %p1, %r0, 21; setp.ge.u32 %p2, %r0, 40; mov.u32 %r1, 5;\n"
                "@%p1 add.u32 %r1, %r1, %r0; @!%p1 mul.lo.u32 %r1, %r1, 9;\n"
                "@%p1 ld.global.u32 %r2, [%rd1]; @!%p1 mov.u32 %r2, 1;\n"
                "@%p1 ld.global.u32 %r2, [%rd1+4]; add.u32 %r1, %r1, %r2;\n"
                "@%p2 st.global.u32 [%rd1+256], %r1;\n@%p1 st.global.u32 [%rd1], %r1;\n",
                words, 128);
    assert_int_equal(words[70], 210); /* of a lane that stores nothing */
}

/* Rows, halves, one address, any; shared memory and a barrier; lanes that part. */
static void blocks_of_any_number_of_threads_have_their_own_results(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 5, 8, 16, 31, 33, 50, 63};
    for (unsigned t = 0; t < sizeof threads / sizeof *threads; t++) {
        uint32_t words[512];
        for (unsigned i = 0; i < 512; i++)
            words[i] = i * 2654435761u;
        expect_same_of(
            threads[t],
            "mov.u32 %r1, 0; mov.u32 %r2, 7; .shared .u32 tile[64];\n"
            "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd0+8];\n"
            "and.b32 %r6, %r0, 15; mad.wide.u32 %rd3, %r6, 4, %rd0;\n"
            "ld.global.u32 %r6, [%rd3]; mul.lo.u32 %r7, %r0, 7; and.b32 %r7, %r7, 63;\n"
            "mad.wide.u32 %rd4, %r7, 4, %rd0; ld.global.u32 %r7, [%rd4];\n"
            "mov.u32 %r8, tile; mad.lo.u32 %r9, %r0, 4, %r8; st.shared.u32 [%r9], %r7;\n"
            "bar.sync 0; ld.shared.u32 %r10, [%r8]; add.u32 %r4, %r4, %r10;\n"
            "L: and.b32 %r3, %r0, 3; setp.eq.u32 %p2, %r3, %r1; @%p2 bra M;\n"
            "mul.lo.u32 %r2, %r2, 5;\nM: add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1;\n"
            "setp.lt.u32 %p1, %r1, 20; @%p1 bra L;\n"
            "xor.b32 %r2, %r2, %r4; xor.b32 %r2, %r2, %r5; add.u32 %r2, %r2, %r6;\n"
            "st.global.u32 [%rd1+1024], %r2; st.global.v2.u32 [%rd2+1280], {%r2, %r7};\n",
            words, 512);
    }
}

/* Of regions that leave the digits of a NaN to the host where nobody can see them, and compute what
 * NaNs of f64 become only where there are any. */
static void nans_are_those_of_the_interpreter_wherever_they_can_be_told_apart(void **state)
{
    (void)state;
    static const uint32_t floats[] = {0x7f800000, 0xff800000, 0x7fffffff, 0xffc00001, 0x7f812345,
                                      0xff801000, 0x3f800000, 0xc0400000, 0x80000000, 0x00000001};
    static const uint64_t doubles[] = {0x7ff0000000000000, 0xfff0000000000000,
                                       0x7fffffffffffffff, 0xfff8000000000001,
                                       0x7ff0000012345678, 0xfff4000000000000,
                                       0x3ff0000000000000, 0xc008000000000000,
                                       0x8000000000000000, 1};
    enum { F64_AT = 128, RESULTS_AT = F64_AT + 256, COUNT = RESULTS_AT + 16 * 64 };
    uint32_t words[COUNT] = {0};
    for (unsigned i = 0; i < 64; i++) {
        words[i] = floats[i % 10];
        words[64 + i] = floats[i / 6 % 10];
        memcpy(&words[F64_AT + 2 * i], &doubles[i % 10], 8);
        memcpy(&words[F64_AT + 128 + 2 * i], &doubles[i / 6 % 10], 8);
    }
    expect_same(
        "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+256];\n"
        "ld.global.f64 %fd1, [%rd2+512]; ld.global.f64 %fd2, [%rd2+1024];\n"
        "mad.wide.u32 %rd3, %r0, 64, %rd0;\n"
        /* told apart: stored, as bits, by its sign, in a conversion */
        "sub.f32 %f3, %f1, %f2; st.global.f32 [%rd3+1536], %f3;\n"
        "mul.f32 %f4, %f1, %f2; mov.b32 %r1, %f4; shr.u32 %r1, %r1, 3;\n"
        "st.global.u32 [%rd3+1540], %r1;\n"
        "add.f32 %f5, %f1, %f2; min.xorsign.abs.f32 %f5, %f5, %f2;\n"
        "st.global.f32 [%rd3+1544], %f5;\n"
        "fma.rn.f32 %f6, %f1, %f2, %f1; cvt.f64.f32 %fd3, %f6; st.global.f64 [%rd3+1552], %fd3;\n"
        "div.rn.f32 %f7, %f1, %f2; copysign.f32 %f7, %f7, %f1; st.global.f32 [%rd3+1560], %f7;\n"
        /* not told apart, until something may store it */
        "sub.f32 %f8, %f1, %f1; fma.rn.f32 %f8, %f8, %f2, %f2; max.f32 %f8, %f8, %f1;\n"
        "setp.lt.f32 %p1, %f8, %f2; mul.f32 %f9, %f8, %f8; add.f32 %f10, %f9, %f8;\n"
        "selp.f32 %f9, %f9, %f10, %p1; mov.f32 %f11, %f9; @%p1 add.f32 %f11, %f9, %f2;\n"
        "mul.f32 %f12, %f11, %f2; @%p1 mov.f32 %f12, %f11; st.global.f32 [%rd3+1564], %f12;\n"
        "mov.u32 %r2, 0; mov.f32 %f13, %f1;\n"
        "L: sub.f32 %f14, %f13, %f2; fma.rn.f32 %f13, %f14, %f14, %f1; add.u32 %r2, %r2, 1;\n"
        "setp.lt.u32 %p2, %r2, 5; @%p2 bra L; neg.f32 %f13, %f13;\n"
        "st.global.f32 [%rd3+1568], %f13;\n"
        "neg.f32 %f3, %f1; abs.f32 %f4, %f2; min.f32 %f5, %f1, %f2; max.ftz.f32 %f6, %f2, %f1;\n"
        "add.ftz.f32 %f7, %f1, %f2; mov.b32 %r1, %f3; mov.b32 %r3, %f4; shl.b32 %r3, %r3, 1;\n"
        "xor.b32 %r1, %r1, %r3; mov.b32 %r3, %f5; shl.b32 %r3, %r3, 2; xor.b32 %r1, %r1, %r3;\n"
        "mov.b32 %r3, %f6; shl.b32 %r3, %r3, 3; xor.b32 %r1, %r1, %r3; mov.b32 %r3, %f7;\n"
        "shl.b32 %r3, %r3, 4; xor.b32 %r1, %r1, %r3; st.global.u32 [%rd3+1592], %r1;\n"
        "neg.f32 %f15, %f1; mul.ftz.f32 %f15, %f15, %f2; abs.f32 %f15, %f15;\n"
        "min.f32 %f15, %f15, %f2; ex2.approx.ftz.f32 %f15, %f15; st.global.f32 [%rd3+1596], %f15;\n"
        /* f64, where NaNs keep their digits */
        "add.f64 %fd4, %fd1, %fd2; mul.f64 %fd5, %fd2, %fd1; fma.rn.f64 %fd6, %fd5, %fd1, %fd2;\n"
        "sub.f64 %fd7, %fd6, %fd4; div.rn.f64 %fd8, %fd1, %fd2; neg.f64 %fd9, %fd8;\n"
        "min.f64 %fd10, %fd9, %fd4; max.f64 %fd11, %fd10, %fd5; abs.f64 %fd12, %fd11;\n"
        "mov.b64 %rd4, %fd4; mov.b64 %rd5, %fd6; xor.b64 %rd4, %rd4, %rd5;\n"
        "mov.b64 %rd5, %fd7; shl.b64 %rd5, %rd5, 1; xor.b64 %rd4, %rd4, %rd5;\n"
        "st.global.u64 [%rd3+1576], %rd4; mov.b64 %rd4, %fd9; mov.b64 %rd5, %fd10;\n"
        "shl.b64 %rd5, %rd5, 3; xor.b64 %rd4, %rd4, %rd5; mov.b64 %rd5, %fd12;\n"
        "shl.b64 %rd5, %rd5, 7; xor.b64 %rd4, %rd4, %rd5; st.global.u64 [%rd3+1584], %rd4;\n",
        words, COUNT);
}

/* Warps that come to a barrier whole, with lanes apart, not at all, and to several ones. */
static void warps_meet_at_barriers(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    expect_same(".shared .align 4 .b8 sh[256];\nmov.u32 %r1, 0; mov.u32 %r2, sh; mad.lo.u32 %r3, "
                "%r0, 4, %r2;\n"
                "mov.u32 %r6, 3; xor.b32 %r5, %r0, 32; mad.lo.u32 %r5, %r5, 4, %r2;\n"
                "L: setp.gt.u32 %p1, %r0, 40; @%p1 bra M; mad.lo.u32 %r1, %r1, 3, %r0;\n"
                "M: add.u32 %r1, %r1, 1; st.shared.u32 [%r3], %r1; bar.sync 0;\n"
                "ld.shared.u32 %r4, [%r5]; add.u32 %r1, %r1, %r4; bar.sync %r6;\n"
                "sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra L;\n"
                "st.global.u32 [%rd1], %r1; setp.ge.u32 %p1, %r0, 32; @%p1 bra E;\n"
                "add.u32 %r1, %r1, 5; bar.sync 0; st.global.u32 [%rd1], %r1;\nE:\n",
                words, 64);
    assert_int_not_equal(words[3], words[50]);
}

/* What the kernel below computes: in each round, lanes that have not ended add to three times their
 * word that of another one, as it was before the round or when that one ended. */
static bool ends_in(unsigned thread, unsigned round)
{
    return thread >= 96 || (round >= 5 && thread / 32 == 1) || (round >= 7 && thread < 16);
}

static void run_rounds(unsigned threads, uint32_t words[])
{
    const unsigned count = threads < 96 ? threads : 96;
    uint32_t shown[96];
    for (unsigned t = 0; t < threads; t++)
        words[t] = t;
    for (unsigned round = 0; round < 10; round++) {
        for (unsigned t = 0; t < count; t++)
            shown[t] = ends_in(t, round) ? shown[t] : words[t];
        for (unsigned t = 0; t < count; t++)
            if (!ends_in(t, round))
                words[t] = words[t] * 3 + shown[(t + 17) % count];
    }
}

/* Warps and lanes that end leave barriers to the others, also in blocks with a warp that is not
 * whole. */
static void barriers_go_on_without_what_has_ended(void **state)
{
    (void)state;
    static const unsigned sizes[] = {32, 64, 70, 96, 100, 129};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t words[129] = {0}, expected[129];
        char body[1024];
        run_rounds(sizes[s], expected);
        snprintf(
            body, sizeof body,
            ".shared .align 4 .b8 sh[512];\nmov.u32 %%r1, sh; mad.lo.u32 %%r2, %%r0, 4, %%r1;\n"
            "add.u32 %%r3, %%r0, 17; rem.u32 %%r3, %%r3, %u; mad.lo.u32 %%r3, %%r3, 4, %%r1;\n"
            "mov.u32 %%r4, %%r0; mov.u32 %%r5, 0; shr.u32 %%r6, %%r0, 5;\n"
            "setp.ge.u32 %%p1, %%r0, 96; @%%p1 bra E;\n"
            "L: setp.ge.u32 %%p1, %%r5, 5; setp.eq.and.u32 %%p1, %%r6, 1, %%p1; @%%p1 bra E;\n"
            "setp.ge.u32 %%p1, %%r5, 7; setp.lt.and.u32 %%p1, %%r0, 16, %%p1; @%%p1 bra E;\n"
            "st.shared.u32 [%%r2], %%r4; bar.sync 0; ld.shared.u32 %%r7, [%%r3];\n"
            "mad.lo.u32 %%r4, %%r4, 3, %%r7; bar.sync 0; add.u32 %%r5, %%r5, 1;\n"
            "setp.lt.u32 %%p1, %%r5, 10; @%%p1 bra L;\nE: st.global.u32 [%%rd1], %%r4;\n",
            sizes[s] < 96 ? sizes[s] : 96);
        expect_same_of(sizes[s], body, words, 129);
        assert_memory_equal(words, expected, sizes[s] * sizeof *words);
    }
}

static void a_fault_in_a_region_is_reported_as_ever(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    const char *body =
        "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, 64; ld.global.u32 %r1, [%rd3];"
        "st.global.u32 [%rd1], %r1;\n";
    assert_int_equal(one_run("", body, 64, words, 64), PTX_END_ILLEGAL_ADDRESS);
    body = "add.u64 %rd3, %rd1, 2; ld.global.u32 %r1, [%rd3]; st.global.u32 [%rd1], %r1;\n";
    assert_int_equal(one_run("", body, 64, words, 64), PTX_END_MISALIGNED);
}

/* What a kernel that loads from and stores to the address that each of its 32 lanes is given does
 * when the lanes' addresses are good, and then when they are those that follow; the report, if it
 * ends with one. */
static enum ptx_end access_at(bool compile, const char *body, const uint64_t good[32],
                              const uint64_t then[32], struct sim_memory *freed, char report[512])
{
    ptx_jit_suspend(!compile);
    uint64_t before = compiled();
    struct run_module *run = run_load(one_kernel("", body));
    struct sim_memory *at = run_memory(256);
    uint64_t params = at->address;
    memcpy(at->view, good, 256);
    assert_int_equal(run_launch(run, "k", 1, 32, &params), PTX_END_OK);
    memcpy(at->view, then, 256);
    sim_memory_destroy(freed);
    ah_test_capture();
    enum ptx_end end = run_launch(run, "k", 1, 32, &params);
    const char *said = strstr(ah_test_captured(), "kernel k:");
    snprintf(report, 512, "%s", said ? said : "");
    sim_memory_destroy(at);
    run_unload(run);
    assert_true(compiled() > before || !compile);
    ptx_jit_suspend(false);
    return end;
}

static void lanes_that_may_not_access_what_others_may_are_reported_as_ever(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "ld.global.u64 %rd3, [%rd2]; ld.global.u32 %r1, [%rd3]; st.global.u32 [%rd1], %r1;\n",
        "ld.global.u64 %rd3, [%rd2]; st.global.u32 [%rd3], %r0;\n",
        "ld.global.u64 %rd3, [%rd2]; setp.gt.u32 %p1, %r0, 5; @%p1 ld.u32 %r0, [%rd3];\n"
        "add.u32 %r0, %r0, 1; @%p1 st.u32 [%rd3], %r0;\n",
    };
    struct sim_memory *memory = run_memory(4096);
    for (unsigned b = 0; b < 3; b++)
        for (unsigned bad = 0; bad < 4; bad++) {
            char reports[2][512];
            enum ptx_end ends[2];
            uint64_t freed[2];
            for (unsigned compile = 0; compile < 2; compile++) {
                struct sim_memory *other = run_memory(4096);
                uint64_t good[32], then[32];
                for (unsigned i = 0; i < 32; i++)
                    good[i] = (bad == 3 ? other : memory)->address + 4 * (i * 37 % 64);
                memcpy(then, good, sizeof then);
                then[9] = bad == 0   ? 0
                          : bad == 1 ? memory->address + 4096
                          : bad == 2 ? memory->address + 2
                                     : good[9];
                freed[compile] = other->address;
                ends[compile] = access_at(compile, bodies[b], good, then, other, reports[compile]);
            }
            assert_int_equal(ends[0], bad == 2 ? PTX_END_MISALIGNED : PTX_END_ILLEGAL_ADDRESS);
            assert_int_equal(ends[1], ends[0]);
            assert_contains(reports[1], bad < 3 ? "thread (9,0,0)" : "freed");
            if (bad < 3) /* the same addresses */
                assert_string_equal(reports[1], reports[0]);
            assert_true(freed[0] != freed[1]);
        }
    sim_memory_destroy(memory);
}

/* Of other sizes than the first one, blocks run as ever. */
static void blocks_of_several_sizes_have_their_own_results(void **state)
{
    (void)state;
    struct run_module *run = run_load(
        one_kernel("", "mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;\n"
                       "mad.wide.u32 %rd3, %r3, 4, %rd0; ld.global.u32 %r4, [%rd3];\n"
                       "mad.lo.u32 %r4, %r1, 1000, %r4; st.global.u32 [%rd3], %r4;\n"));
    static const uint32_t shapes[][2] = {{64, 1}, {16, 4}, {8, 8}, {32, 2}, {64, 1}};
    for (unsigned s = 0; s < 5; s++) {
        struct sim_memory *memory = run_memory(256);
        uint32_t *words = (uint32_t *)(void *)memory->view;
        for (unsigned i = 0; i < 64; i++)
            words[i] = i;
        uint64_t params = memory->address;
        const uint32_t shape[6] = {1, 1, 1, shapes[s][0], shapes[s][1], 1};
        assert_int_equal(run_shape(run, "k", shape, 0, &params), PTX_END_OK);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(words[i], i + 1000 * (i / shapes[s][0]));
        sim_memory_destroy(memory);
    }
    run_unload(run);
}

static jit_code watched;
static const struct ptx_op *watched_left; /* where the region was left last */

static const void *watched_code(void *state)
{
    return watched_left = watched(state);
}

/* A loop with a branch by %r4, which is %r1 % 4 xor what every lane has of its own. */
#define SWITCH                                                                                     \
    "mov.u32 %r2, 1; mov.u32 %r1, 0; ld.global.u32 %r3, [%rd1];\n"                                 \
    "L: and.b32 %r4, %r1, 3; xor.b32 %r4, %r4, %r3;\nT: .branchtargets A, B, C, B;\n"              \
    "brx.idx %r4, T;\nA: add.u32 %r2, %r2, %r0; bra E;\nB: mul.lo.u32 %r2, %r2, 3;\n"              \
    "C: add.u32 %r2, %r2, 7;\nE: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 50; @%p1 bra L;\n"     \
    "st.global.u32 [%rd1], %r2;\n"

/* A body for 64 threads that ends in the region in which it begins. */
static void expect_stays(const char *body)
{
    struct run_module *run = run_load(one_kernel("", body));
    struct sim_memory *memory = run_memory(256);
    const struct ptx_code *code = ptx_module_kernel(run->module, "k")->code;
    uint64_t params = memory->address;
    assert_int_equal(run_launch(run, "k", 1, 64, &params), PTX_END_OK);
    assert_ptr_equal(code->ops->run, ptx_run_region);
    _Atomic(jit_code) *of_entry = (_Atomic(jit_code) *)(uintptr_t)code->ops->extra;
    watched = atomic_exchange(of_entry, watched_code);
    watched_left = NULL;
    memset(memory->view, 0, 256);
    assert_int_equal(run_launch(run, "k", 1, 64, &params), PTX_END_OK);
    assert_non_null(watched_left);
    assert_ptr_equal(watched_left->run, ptx_run_exit);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void branches_by_index_stay_in_their_region(void **state)
{
    (void)state;
    expect_stays(SWITCH);
}

/* Of all lanes, of those that a guard names, and of those that went another way. */
#define BETWEEN                                                                                    \
    "mov.u32 %r1, 0; mad.lo.u32 %r2, %r0, 77, 5;\n"                                                \
    "L: activemask.b32 %r3; shfl.sync.bfly.b32 %r4, %r2, 5, 31, %r3; add.u32 %r2, %r2, %r4;\n"     \
    "shfl.sync.down.b32 %r4|%p2, %r2, 3, 31, -1; @%p2 add.u32 %r2, %r2, %r4;\n"                    \
    "shfl.sync.up.b32 %r4|%p2, %r2, 1, 0x1800, -1; @%p2 xor.b32 %r2, %r2, %r4;\n"                  \
    "and.b32 %r5, %r2, 1; setp.ne.u32 %p2, %r5, 0; vote.sync.ballot.b32 %r4, %p2, -1;\n"           \
    "@%p2 vote.sync.any.pred %p3, %p2, %r4; @%p2 shfl.sync.idx.b32 %r5, %r2, %r1, 31, %r4;\n"      \
    "add.u32 %r2, %r2, %r5; bar.warp.sync -1;\n"                                                   \
    "and.b32 %r5, %r0, 31; setp.gt.u32 %p2, %r5, %r1; @%p2 bra M;\n"                               \
    "activemask.b32 %r3; popc.b32 %r4, %r3; vote.sync.uni.pred %p2, %p2, %r3;\n"                   \
    "shfl.sync.idx.b32 %r5, %r2, 0, 31, %r3; add.u32 %r2, %r5, %r4; @%p2 add.u32 %r2, %r2, 1;\n"   \
    "M: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 40; @%p1 bra L;\n"                              \
    "xor.b32 %r2, %r2, %r0; st.global.u32 [%rd1], %r2;\n"

static void shuffles_and_votes_stay_in_their_region(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    uint64_t before = statistics().in_memory;
    expect_stays(BETWEEN);
    expect_same(BETWEEN, words, 64);
    assert_int_not_equal(words[1], words[2]);
    assert_int_equal(statistics().in_memory, before);
}

/* Lanes that name others that are elsewhere wait for them, and those in no mask are reported. */
static void shuffles_wait_for_lanes_that_are_elsewhere(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    expect_same("mov.u32 %r1, 0; mov.u32 %r2, 3; mov.u32 %r5, 0;\n" /* each lane leaves out one */
                "L: add.u32 %r5, %r5, %r0; and.b32 %r3, %r0, 3; setp.eq.u32 %p2, %r3, %r1;\n"
                "@%p2 bra N; mul.lo.u32 %r2, %r2, 5;\nshfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;\n"
                "add.u32 %r2, %r2, %r4;\nN: add.u32 %r2, %r2, %r5; add.u32 %r1, %r1, 1;\n"
                "setp.lt.u32 %p1, %r1, 9; @%p1 bra L;\nst.global.u32 [%rd1], %r2;\n",
                words, 64);
    assert_int_not_equal(words[1], words[2]);
    const char *body = "shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;\nst.global.u32 [%rd1], %r1;\n";
    assert_int_equal(one_run("", body, 64, words, 64), PTX_END_ILLEGAL_INSTRUCTION);
}

static void branches_by_index_go_where_the_interpreter_goes(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    expect_same(SWITCH, words, 64);
    assert_int_not_equal(words[1], words[2]);
    for (unsigned i = 0; i < 64; i++)
        words[i] = i < 32 ? i & 3 : 2;
    expect_same(SWITCH, words, 64);
    for (unsigned i = 0; i < 64; i++)
        words[i] = 4;
    assert_int_equal(one_run("", SWITCH, 64, words, 64), PTX_END_ILLEGAL_INSTRUCTION);
}

/* Ways of a body that take from the budget, after the body has done the same both ways. */
static unsigned ways_with_a_cost(const char *body)
{
    uint32_t words[64] = {0};
    expect_same(body, words, 64);
    struct run_module *run = run_load(one_kernel("", body));
    const struct ptx_code *code = ptx_module_kernel(run->module, "k")->code;
    unsigned count = 0;
    for (uint32_t i = 0; i < code->op_count; i++)
        count += code->ops[i].run == ptx_run_jump_back || code->ops[i].run == ptx_run_branch_back;
    run_unload(run);
    return count;
}

static void one_way_of_a_loop_takes_from_the_budget(void **state)
{
    (void)state;
    const char *moved =
        "mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
        "L: and.b32 %r3, %r1, 3; setp.eq.u32 %p2, %r3, 2; @%p2 bra R;\n"
        "C: add.u32 %r2, %r2, %r0; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 90;\n"
        "@%p1 bra L; st.global.u32 [%rd1], %r2; ret; R: add.u32 %r2, %r2, 7; bra C;\n";
    const char *entered_below =
        "mov.u32 %r1, 0; mov.u32 %r2, 0; bra M;\n"
        "L: mad.lo.u32 %r2, %r2, 3, %r0; add.u32 %r1, %r1, 1;\n"
        "M: setp.lt.u32 %p1, %r1, 90; @%p1 bra L; st.global.u32 [%rd1], %r2;\n";
    const char *header_below = "mov.u32 %r1, 0; mov.u32 %r2, 0; bra M;\n"
                               "L: st.global.u32 [%rd1], %r2; ret;\n"
                               "N: mad.lo.u32 %r2, %r2, 3, %r0; add.u32 %r1, %r1, 1;\n"
                               "setp.lt.u32 %p1, %r1, 90; @!%p1 bra L;\n"
                               "M: add.u32 %r2, %r2, 5; bra N;\n";
    assert_int_equal(ways_with_a_cost(moved), 1);
    assert_int_equal(ways_with_a_cost(entered_below), 1);
    assert_int_equal(ways_with_a_cost(header_below), 1);
}

static void a_kernel_of_many_instructions_runs(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    char *text = malloc(COUNT * 32 + 1024), *at = text;
    at += sprintf(at, RUN_HEAD(80) ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<4>;\n"
                                   ".reg .b64 %%rd<4>;\nld.param.u64 %%rd0, [p];\n"
                                   "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, 1;\n"
                                   "mad.wide.u32 %%rd1, %%r0, 4, %%rd0;\n");
    for (unsigned i = 0; i < COUNT; i++)
        at += sprintf(at, "add.u32 %%r1, %%r1, %%r0;\n");
    sprintf(at, "st.global.u32 [%%rd1], %%r1;\nret;\n}\n");
    uint32_t words[32] = {0};
    assert_int_equal(run_once(text, "k", 32, words, sizeof words), PTX_END_OK);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], 1 + COUNT * i);
    free(text);
}

/* ---- ANYHIP_SIM_JIT=compare, in a process of its own ------------------------------------- */

static void expect_comparisons(uint64_t at_least, uint64_t differing)
{
    uint64_t made, found;
    ptx_jit_comparisons(&made, &found);
    assert_true(made >= at_least);
    assert_int_equal(found, differing);
}

static void regions_that_change_what_they_read_are_compared(void **state)
{
    (void)state;
    uint32_t words[128] = {0};
    uint64_t before, differing;
    ptx_jit_comparisons(&before, &differing);
    expect_same(".shared .align 4 .b8 sh[256];\nmov.u32 %r1, 0; mov.u32 %r2, sh;\n"
                "mad.lo.u32 %r3, %r0, 4, %r2; st.shared.u32 [%r3], %r0; setp.lt.u32 %p2, %r0, 9;\n"
                "L: ld.global.u32 %r4, [%rd1]; mad.lo.u32 %r4, %r4, 3, %r1;\n"
                "st.global.u32 [%rd1], %r4; ld.shared.u32 %r5, [%r3]; add.u32 %r5, %r5, %r4;\n"
                "st.shared.u32 [%r3], %r5; @%p2 st.global.u32 [%rd1+256], %r5;\n"
                "red.global.add.u32 [%rd0+508], 1; add.u32 %r1, %r1, 1;\n"
                "setp.lt.u32 %p1, %r1, 40; @%p1 bra L;\nst.global.u32 [%rd1], %r5;\n",
                words, 128);
    expect_comparisons(before + 2, differing);
    assert_int_equal(words[127], 40 * 64); /* atomics are executed once */
    assert_int_not_equal(words[64], 0);
    assert_int_equal(words[64 + 9], 0);
}

static jit_code right_code;
static const struct ptx_op *wrong_op; /* whose result the wrong code changes, in lane 5 */

static const void *wrong_code(void *state)
{
    struct ptx_warp *warp = state;
    const void *left = right_code(state);
    warp->regs[wrong_op->d + 4 * 5] ^= 1;
    return left;
}

static void a_difference_is_reported_with_its_instruction(void **state)
{
    (void)state;
    struct run_module *run =
        run_load(one_kernel("", "ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, %r0;\n"
                                "add.u32 %r1, %r1, 1; mul.lo.u32 %r2, %r1, 7;\n"
                                "xor.b32 %r3, %r2, %r1; bar.sync 0;\n"
                                "add.u32 %r3, %r3, %r2; st.global.u32 [%rd1], %r3;\n"));
    struct sim_memory *memory = run_memory(256);
    const struct ptx_code *code = ptx_module_kernel(run->module, "k")->code;
    uint64_t params = memory->address, made, differing;
    assert_int_equal(run_launch(run, "k", 1, 64, &params), PTX_END_OK);
    assert_ptr_equal(code->ops->run, ptx_run_region);
    for (const struct ptx_op *op = code->ops; op->run != ptx_run_barrier; op++)
        if (strcmp(code->function->insts[op->inst].opcode, "mul") == 0)
            wrong_op = op;
    _Atomic(jit_code) *of_entry = (_Atomic(jit_code) *)(uintptr_t)code->ops->extra;
    right_code = atomic_exchange(of_entry, wrong_code);
    ptx_jit_comparisons(&made, &differing);
    memset(memory->view, 0, 256);
    ah_test_capture();
    assert_int_equal(run_launch(run, "k", 1, 64, &params), PTX_END_OK);
    const char *said = ah_test_captured();
    assert_contains(said, "Compiled code of k differs from the interpreter at line");
    assert_contains(said, "mul.lo.u32: warp 0, lane 5: 0x2b and not 0x2a");
    assert_int_equal(ah_test_count(said, "differs"), 1); /* the interpreter goes on with it */
    expect_comparisons(made + 1, differing + 1);
    const uint32_t *words = (const uint32_t *)(const void *)memory->view;
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(words[i], (((i + 1) * 7) ^ (i + 1)) + (i + 1) * 7);
    sim_memory_destroy(memory);
    run_unload(run);
}

int main(int argc, char **argv)
{
    setenv("ANYHIP_SIM_JIT", argc > 1 ? argv[1] : "on", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", "off", 1);
    setenv("ANYHIP_SIM_JIT_THRESHOLD", "1", 1);
    const struct CMUnitTest of_compare[] = {
        cmocka_unit_test(regions_that_change_what_they_read_are_compared),
        cmocka_unit_test(guarded_instructions_change_only_their_lanes),
        cmocka_unit_test(warps_meet_at_barriers),
        cmocka_unit_test(barriers_go_on_without_what_has_ended),
        cmocka_unit_test(branches_by_index_go_where_the_interpreter_goes),
        cmocka_unit_test(a_fault_in_a_region_is_reported_as_ever),
        cmocka_unit_test(a_difference_is_reported_with_its_instruction),
    };
    if (argc > 1)
        return cmocka_run_group_tests(of_compare, run_open, run_close);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_of_all_lanes_is_compiled),
        cmocka_unit_test(lanes_that_part_leave_the_region_and_come_back),
        cmocka_unit_test(instructions_that_go_lane_by_lane_keep_no_slots_in_memory),
        cmocka_unit_test(guarded_instructions_change_only_their_lanes),
        cmocka_unit_test(blocks_of_any_number_of_threads_have_their_own_results),
        cmocka_unit_test(nans_are_those_of_the_interpreter_wherever_they_can_be_told_apart),
        cmocka_unit_test(warps_meet_at_barriers),
        cmocka_unit_test(barriers_go_on_without_what_has_ended),
        cmocka_unit_test(a_fault_in_a_region_is_reported_as_ever),
        cmocka_unit_test(lanes_that_may_not_access_what_others_may_are_reported_as_ever),
        cmocka_unit_test(blocks_of_several_sizes_have_their_own_results),
        cmocka_unit_test(branches_by_index_stay_in_their_region),
        cmocka_unit_test(branches_by_index_go_where_the_interpreter_goes),
        cmocka_unit_test(shuffles_and_votes_stay_in_their_region),
        cmocka_unit_test(shuffles_wait_for_lanes_that_are_elsewhere),
        cmocka_unit_test(one_way_of_a_loop_takes_from_the_budget),
        cmocka_unit_test(a_kernel_of_many_instructions_runs),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
