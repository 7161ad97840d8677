/* Compiled regions of PTX: that they are entered, left where they have to be, and freed. Every
 * kernel is compiled before it runs, unless a test says otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit.h"
#include "one_kernel.h"
#include "log.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "support.h"

static struct jit_statistics statistics(void)
{
    struct jit_statistics now;
    jit_statistics_get(&now);
    return now;
}

static uint64_t compiled(void)
{
    return statistics().compiled;
}

static bool is_long;

/* Where bodies are to be of long functions, which have other functions for accesses: with an end
 * that no lane comes to. To be freed. */
static char *lengthen(const char *body)
{
    enum { COUNT = 260, SIZE = 24 };
    char *text = malloc(strlen(body) + 64 + COUNT * SIZE), *at = text;
    at += sprintf(at, "%s", body);
    if (is_long)
        at += sprintf(at, "setp.lt.u32 %%p7, %%r0, 4096; @%%p7 ret;\n");
    for (int i = 0; is_long && i < COUNT; i++)
        at += sprintf(at, "mov.u32 %%r31, %d;\n", i);
    return text;
}

/* A body for some threads, compiled and interpreted: words are the same, and some region was
 * compiled. */
static void expect_same_of(unsigned threads, const char *given, uint32_t *words, size_t count)
{
    char *body = lengthen(given);
    uint32_t *expected = calloc(count, sizeof *expected);
    memcpy(expected, words, count * sizeof *words);
    ptx_jit_suspend(true);
    one_body(body, threads, expected, count);
    ptx_jit_suspend(false);
    uint64_t before = compiled();
    one_body(body, threads, words, count);
    assert_true(compiled() > before);
    assert_memory_equal(expected, words, count * sizeof *words);
    free(expected);
    free(body);
}

static void expect_same(const char *body, uint32_t *words, size_t count)
{
    expect_same_of(64, body, words, count);
}

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

static void accesses_of_all_shapes_find_their_elements(void **state)
{
    (void)state;
    uint32_t words[512];
    for (unsigned i = 0; i < 512; i++)
        words[i] = i * 2654435761u;
    expect_same(
        "ld.global.u32 %r1, [%rd0+4]; ld.global.u32 %r2, [%rd1];\n" /* same, row */
        "and.b32 %r3, %r0, 15; mad.wide.u32 %rd3, %r3, 4, %rd0;\n"
        "ld.global.u32 %r4, [%rd3];\n" /* halves */
        "mul.lo.u32 %r5, %r0, 7; and.b32 %r5, %r5, 63; mad.wide.u32 %rd4, %r5, 4, %rd0;\n"
        "ld.global.u32 %r6, [%rd4];\n" /* any */
        "mad.wide.u32 %rd5, %r0, 16, %rd0; ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd5];\n"
        "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r4; xor.b32 %r1, %r1, %r6;\n"
        "add.u32 %r1, %r1, %r7; add.u32 %r1, %r1, %r10; bar.sync 0;\n"
        "st.global.v2.u32 [%rd2+1024], {%r1, %r8};\n",
        words, 512);
}

/* Compiled and interpreted: words at places of several rows, which may overlap. */
static void lanes_in_several_rows_find_their_elements(void **state)
{
    (void)state;
    static const unsigned widths[] = {11, 16, 7, 31, 1};
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++)
        for (unsigned pitch = 3; pitch <= 15; pitch += 6) {
            unsigned width = widths[w];
            uint32_t words[2048], expected[2048];
            char body[1024];
            for (unsigned i = 0; i < 2048; i++)
                expected[i] = words[i] = i * 2654435761u;
            for (unsigned t = 0; t < 64; t++)
                expected[1024 + t / width * pitch + t % width] =
                    words[t / width * pitch + t % width] + t;
            snprintf(body, sizeof body,
                     "div.u32 %%r3, %%r0, %u; rem.u32 %%r4, %%r0, %u;\n"
                     "mad.lo.u32 %%r4, %%r3, %u, %%r4; mad.wide.u32 %%rd3, %%r4, 4, %%rd0;\n"
                     "ld.global.u32 %%r1, [%%rd3]; add.u32 %%r1, %%r1, %%r0;\n"
                     "st.global.u32 [%%rd3+4096], %%r1;\n",
                     width, width, pitch);
            expect_same(body, words, 2048);
            assert_memory_equal(words, expected, sizeof words);
        }
}

/* Rows of the warp, of which some lanes wait, and lines of an image, which overlap where they are
 * stored: the last lane's word remains. */
static void rows_of_some_lanes_find_their_elements(void **state)
{
    (void)state;
    uint32_t words[512];
    for (unsigned i = 0; i < 512; i++)
        words[i] = i * 2654435761u;
    expect_same("mad.wide.u32 %rd5, %r0, 8, %rd0; and.b32 %r1, %r0, 31; shr.u32 %r2, %r0, 5;\n"
                "div.u32 %r3, %r1, 10; rem.u32 %r4, %r1, 10; mad.lo.u32 %r5, %r3, 8, %r4;\n"
                "mad.lo.u32 %r5, %r2, 64, %r5; mad.wide.u32 %rd3, %r5, 4, %rd0;\n"
                "mov.u32 %r6, 1; rem.u32 %r7, %r0, 7; setp.lt.u32 %p1, %r7, 2; @%p1 bra M;\n"
                "ld.global.u32 %r6, [%rd1+512]; ld.global.u64 %rd4, [%rd5+768];\n"
                "cvt.u32.u64 %r8, %rd4; add.u32 %r6, %r6, %r8; ld.global.u32 %r8, [%rd3+516];\n"
                "mad.lo.u32 %r6, %r6, 3, %r8; st.global.u32 [%rd3+1536], %r6;\n"
                "st.global.u64 [%rd5+1024], %rd4;\n"
                "M: add.u32 %r6, %r6, %r7; st.global.u32 [%rd1], %r6;\n",
                words, 512);
    assert_int_not_equal(words[2], words[3]);
    assert_int_equal(words[0], 1);
}

/* Loads and stores of vectors: a row of the warp, of its halves, and others, at places that are
 * known or not, of all lanes and of some, in global and in shared memory. */
static void expect_vectors(const char *type, const char *values, unsigned bytes, const char *place,
                           const char *guard)
{
    enum { COUNT = 4096 };
    uint32_t words[COUNT];
    char body[2048];
    for (unsigned i = 0; i < COUNT; i++)
        words[i] = i * 2654435761u;
    snprintf(body, sizeof body,
             ".shared .align 16 .b8 sh[4096];\n%s mov.u32 %%r16, sh;\n"
             "mad.wide.u32 %%rd3, %%r1, %u, %%rd0; mad.lo.u32 %%r3, %%r1, %u, %%r16;\n"
             "mov.u32 %%r4, %%r0; mov.u32 %%r5, 5; mov.u32 %%r6, 6; mov.u32 %%r7, 7;\n"
             "mov.u64 %%rd4, 4; mov.u64 %%rd5, 5; mad.lo.u32 %%r8, %%r0, 16, %%r16;\n"
             "mov.u32 %%r9, 0; st.shared.v4.u32 [%%r8], {%%r9, %%r9, %%r9, %%r9}; bar.sync 0;\n"
             "%s ld.global.%s %s, [%%rd3+16]; st.shared.%s [%%r3], %s;\n"
             "bar.sync 0; ld.shared.%s %s, [%%r3]; st.global.%s [%%rd3+8192], %s;\n"
             "M: mad.wide.u32 %%rd6, %%r0, 16, %%rd0; add.u32 %%r4, %%r4, %%r5;\n"
             "cvt.u32.u64 %%r8, %%rd5; add.u32 %%r4, %%r4, %%r8; bar.sync 0;\n"
             "st.global.v2.u32 [%%rd6+12288], {%%r4, %%r7};\n",
             place, bytes, bytes, guard, type, values, type, values, type, values, type, values);
    expect_same(body, words, COUNT);
    unsigned stored = 0;
    for (unsigned i = 2048; i < 2048 + 256; i++)
        stored += words[i] != i * 2654435761u;
    assert_in_range(stored, 2 * (bytes < 8 ? bytes : 8), 256);
}

static void vectors_find_their_elements(void **state)
{
    (void)state;
    static const char *const places[] = {
        "mov.u32 %r1, %r0;", "and.b32 %r1, %r0, 15;",
        "and.b32 %r2, %r0, 7; shr.u32 %r1, %r0, 3; mad.lo.u32 %r1, %r1, 6, %r2;",
        "mul.lo.u32 %r1, %r0, 37; and.b32 %r1, %r1, 63;",
        "ld.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, %r0;"};
    static const char *const guards[] = {
        "", "setp.eq.u32 %p1, %r0, 70; @%p1 bra M;",
        "rem.u32 %r9, %r0, 5; setp.eq.u32 %p1, %r9, 0; @%p1 bra M;"};
    for (unsigned p = 0; p < sizeof places / sizeof *places; p++)
        for (unsigned g = 0; g < sizeof guards / sizeof *guards; g++) {
            expect_vectors("v2.u32", "{%r4, %r5}", 8, places[p], guards[g]);
            expect_vectors("v4.u32", "{%r4, %r5, %r6, %r7}", 16, places[p], guards[g]);
            expect_vectors("v2.u64", "{%rd4, %rd5}", 16, places[p], guards[g]);
            expect_vectors("v2.u8", "{%r4, %r5}", 2, places[p], guards[g]);
            expect_vectors("v4.s8", "{%r4, %r5, %r6, %r7}", 4, places[p], guards[g]);
            expect_vectors("v2.s16", "{%r4, %r5}", 4, places[p], guards[g]);
            expect_vectors("v4.b16", "{%rs1, %rs2, %rs3, %rs4}", 8, places[p], guards[g]);
        }
}

/* What is wider in its slot than in memory: at one place for all lanes, in a row and elsewhere, of
 * all lanes and of some. */
static void short_elements_are_extended(void **state)
{
    (void)state;
    static const char *const types[] = {"u32", "s32"}, *const smalls[] = {"u16", "s16"};
    static const char *const guards[] = {
        "", "rem.u32 %r9, %r0, 5; setp.eq.u32 %p1, %r9, 0; @%p1 bra M;"};
    for (unsigned t = 0; t < 2; t++)
        for (unsigned g = 0; g < 2; g++) {
            uint32_t words[1024];
            char body[2048];
            for (unsigned i = 0; i < 1024; i++)
                words[i] = i * 2654435761u;
            snprintf(body, sizeof body,
                     "mad.wide.u32 %%rd3, %%r0, 8, %%rd0; mul.lo.u32 %%r1, %%r0, 37;\n"
                     "and.b32 %%r1, %%r1, 63; mad.wide.u32 %%rd4, %%r1, 4, %%rd0;\n"
                     "mad.wide.u32 %%rd10, %%r1, 2, %%rd0; mov.u64 %%rd5, 5; mov.u32 %%r2, 2;\n"
                     "%s ld.global.%s %%rd5, [%%rd0+4]; ld.global.%s %%rd6, [%%rd1+8];\n"
                     "ld.global.%s %%rd7, [%%rd4+12]; ld.global.%s %%r2, [%%rd0+18];\n"
                     "ld.global.%s %%r3, [%%rd10]; xor.b64 %%rd6, %%rd6, %%rd7;\n"
                     "cvt.u64.u32 %%rd8, %%r3; add.u64 %%rd6, %%rd6, %%rd8;\n"
                     "st.global.u64 [%%rd3+1024], %%rd6; st.global.b32 [%%rd1+2048], %%rd7;\n"
                     "M: cvt.u64.u32 %%rd8, %%r2; add.u64 %%rd5, %%rd5, %%rd8;\n"
                     "st.global.u64 [%%rd3+3072], %%rd5;\n",
                     guards[g], types[t], types[t], types[t], smalls[t], smalls[t]);
            const uint64_t first = words[1], half = words[4] >> 16;
            const uint64_t sum =
                t ? (uint64_t)(int32_t)first + (uint32_t)(int16_t)half : first + half;
            expect_same(body, words, 1024);
            assert_int_equal(words[768 + 2], (uint32_t)sum);
            assert_int_equal(words[768 + 3], (uint32_t)(sum >> 32));
        }
}

/* Bytes and halves in a row that the first lanes have no part in. */
static void small_rows_begin_with_any_lane(void **state)
{
    (void)state;
    uint32_t words[128];
    for (unsigned i = 0; i < 128; i++)
        words[i] = i * 2654435761u;
    expect_same("mov.u32 %r1, 1;\n"
                "L: cvt.u64.u32 %rd3, %r0; add.u64 %rd3, %rd3, %rd0; mad.wide.u32 %rd4, %r0, 2, "
                "%rd0;\nsetp.lt.u32 %p1, %r0, %r1; @%p1 bra M;\n"
                "ld.global.u8 %r2, [%rd3]; ld.global.s16 %r3, [%rd4+128];\n"
                "add.u32 %r2, %r2, %r3; st.global.u8 [%rd3+256], %r2; st.global.u16 [%rd4+384], "
                "%r2;\nM: add.u32 %r1, %r1, 9; setp.lt.u32 %p2, %r1, 80; @%p2 bra L;\n",
                words, 128);
}

/* Bytes and halves that are stored to places in no order, some of them by several lanes. */
static void small_elements_are_scattered(void **state)
{
    (void)state;
    uint32_t words[128], expected[128];
    unsigned char *bytes = (unsigned char *)expected;
    for (unsigned i = 0; i < 128; i++)
        expected[i] = words[i] = i * 2654435761u;
    for (unsigned t = 0; t < 64; t++) /* warps, and lanes of a warp, in their order */
        if (t % 3) {
            const uint16_t half = (uint16_t)(7 * t);
            bytes[(t * 37 + 11) % 61 + t / 32 * 64] = (unsigned char)t;
            memcpy(bytes + 256 + (t * 5 % 27 + t / 32 * 32) * 2, &half, sizeof half);
        }
    expect_same("mul.lo.u32 %r1, %r0, 37; add.u32 %r1, %r1, 11; rem.u32 %r1, %r1, 61;\n"
                "shr.u32 %r2, %r0, 5; mad.lo.u32 %r1, %r2, 64, %r1; cvt.u64.u32 %rd3, %r1;\n"
                "add.u64 %rd3, %rd3, %rd0; mul.lo.u32 %r3, %r0, 5; rem.u32 %r3, %r3, 27;\n"
                "mad.lo.u32 %r3, %r2, 32, %r3; mad.wide.u32 %rd4, %r3, 2, %rd0;\n"
                "mul.lo.u32 %r4, %r0, 7; rem.u32 %r5, %r0, 3; setp.eq.u32 %p1, %r5, 0;\n"
                "@%p1 bra M; st.global.u8 [%rd3], %r0; st.global.u16 [%rd4+256], %r4;\nM:\n",
                words, 128);
    assert_memory_equal(words, expected, sizeof words);
}

static unsigned calls_of_ordered; /* of handlers */
static ptx_handler ordered_handler;

static const struct ptx_op *count_ordered(struct ptx_warp *warp, const struct ptx_op *op)
{
    calls_of_ordered++;
    return ordered_handler(warp, op);
}

/* Two warps tell each other a number, which goes up, and what they have stored before. */
#define PING_PONG                                                                                  \
    ".shared .align 4 .b8 sh[16];\nmov.u32 %r2, sh; mov.u32 %r3, 0; mov.u32 %r5, 0;\n"             \
    "st.volatile.shared.u32 [%r2], %r3; st.volatile.shared.u32 [%r2+4], %r3; bar.sync 0;\n"        \
    "setp.ge.u32 %p1, %r0, 32; @%p1 bra W;\n"                                                      \
    "L: add.u32 %r3, %r3, 1; mul.lo.u32 %r6, %r3, 7; st.volatile.shared.u32 [%r2+8], %r6;\n"       \
    "st.volatile.shared.u32 [%r2], %r3;\n"                                                         \
    "P: ld.volatile.shared.u32 %r4, [%r2+4]; setp.lt.u32 %p2, %r4, %r3; @%p2 bra P;\n"             \
    "ld.relaxed.cta.shared.u32 %r4, [%r2+12]; add.u32 %r5, %r5, %r4;\n"                            \
    "setp.lt.u32 %p3, %r3, 60; @%p3 bra L; bra E;\n"                                               \
    "W: add.u32 %r3, %r3, 1;\n"                                                                    \
    "Q: ld.volatile.shared.u32 %r4, [%r2]; setp.lt.u32 %p2, %r4, %r3; @%p2 bra Q;\n"               \
    "ld.volatile.shared.u32 %r4, [%r2+8]; add.u32 %r5, %r5, %r4; mul.lo.u32 %r6, %r3, 5;\n"        \
    "st.relaxed.cta.shared.u32 [%r2+12], %r6; st.volatile.shared.u32 [%r2+4], %r3;\n"              \
    "setp.lt.u32 %p3, %r3, 60; @%p3 bra W;\nE: st.global.u32 [%rd1], %r5;\n"

static void warps_that_poll_see_what_others_store(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    expect_same(PING_PONG, words, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(words[i], (i < 32 ? 5 : 7) * 60 * 61 / 2);
}

/* The end of an old reduction: what is known to be a row, or one place, needs no handler. */
static void volatile_accesses_are_compiled(void **state)
{
    (void)state;
    const char *body =
        ".shared .align 4 .b8 sh[512];\nmov.u32 %r2, sh; mad.lo.u32 %r2, %r0, 4, %r2;\n"
        "st.volatile.shared.u32 [%r2], %r0; st.volatile.shared.u32 [%r2+256], %r0; bar.sync 0;\n"
        "ld.volatile.shared.u32 %r3, [%r2]; ld.volatile.shared.u32 %r4, [%r2+64];\n"
        "add.u32 %r3, %r3, %r4; st.volatile.shared.u32 [%r2], %r3;\n"
        "ld.volatile.shared.u32 %r4, [%r2+32]; ld.volatile.shared.u32 %r5, [%r2];\n"
        "add.u32 %r3, %r5, %r4; st.volatile.shared.u32 [%r2], %r3;\n"
        "ld.volatile.shared.u32 %r4, [%r2+16]; add.u32 %r3, %r3, %r4;\n"
        "st.global.u32 [%rd1], %r3;\n";
    struct run_module *run = run_load(one_kernel("", body));
    struct sim_memory *memory = run_memory(256);
    const struct ptx_code *code = ptx_module_kernel(run->module, "k")->code;
    uint64_t params = memory->address;
    uint32_t words[32] = {0};
    one_body(body, 32, words, 32);
    assert_int_equal(words[2], 2 + 18 + 10 + 26 + 6 + 22 + 14 + 30);
    assert_int_equal(run_launch(run, "k", 1, 32, &params), PTX_END_OK);
    for (uint32_t i = 0; i < code->op_count; i++)
        if (code->ops[i].mods & PTX_MOD_VOLATILE) {
            ordered_handler = code->ops[i].run;
            ((struct ptx_op *)(uintptr_t)&code->ops[i])->run = count_ordered;
        }
    calls_of_ordered = 0;
    assert_int_equal(run_launch(run, "k", 1, 32, &params), PTX_END_OK);
    assert_int_equal(calls_of_ordered, 0);
    sim_memory_destroy(memory);
    run_unload(run);
}

/* A loop whose bound and indices are loaded, by all lanes or while the first of them wait behind
 * it. */
static void what_all_lanes_load_from_one_place_is_the_same(void **state)
{
    (void)state;
    static const char *const ways[] = {"", "setp.lt.u32 %p2, %r5, 5; @%p2 bra M;\n"};
    for (unsigned w = 0; w < 2; w++) {
        uint32_t words[256];
        char body[1024];
        for (unsigned i = 0; i < 256; i++)
            words[i] = i * 2654435761u;
        words[0] = 40; /* rounds */
        words[2] = 3;  /* the first index */
        snprintf(body, sizeof body,
                 "mov.u32 %%r4, 0; and.b32 %%r5, %%r0, 31; mov.u32 %%r7, %%r0; %s"
                 "ld.global.u32 %%r1, [%%rd0]; ld.global.v2.u32 {%%r2, %%r3}, [%%rd0+8];\n"
                 "L: add.u32 %%r6, %%r2, %%r4; mad.wide.u32 %%rd3, %%r6, 4, %%rd0;\n"
                 "ld.global.u32 %%r7, [%%rd3]; mad.lo.u32 %%r5, %%r5, 3, %%r7;\n"
                 "xor.b32 %%r5, %%r5, %%r3; add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p1, %%r4, %%r1;\n"
                 "@%%p1 bra L;\n"
                 "M: add.u32 %%r5, %%r5, %%r4; add.u32 %%r5, %%r5, %%r7;\n"
                 "st.global.u32 [%%rd1+512], %%r5;\n",
                 ways[w]);
        expect_same(body, words, 256);
        assert_int_not_equal(words[128 + 6], words[128 + 7]);
        words[2] = 1 << 20; /* far behind the words */
        assert_int_equal(one_run("", body, 64, words, 256), PTX_END_ILLEGAL_ADDRESS);
    }
}

static void rows_that_leave_memory_or_are_misaligned_are_faults(void **state)
{
    (void)state;
    uint32_t words[1024] = {0};
    const char *body = "div.u32 %r3, %r0, 20; mad.lo.u32 %r4, %r3, 1000, %r0;\n"
                       "mad.wide.u32 %rd3, %r4, 4, %rd0; ld.global.u32 %r1, [%rd3];\n"
                       "st.global.u32 [%rd1], %r1;\n";
    assert_int_equal(one_run("", body, 32, words, 1024), PTX_END_ILLEGAL_ADDRESS);
    body = "div.u32 %r3, %r0, 20; mad.lo.u32 %r4, %r3, 30, %r0; mul.lo.u32 %r3, %r3, 2;\n"
           "mad.wide.u32 %rd3, %r4, 4, %rd0; cvt.u64.u32 %rd4, %r3; add.u64 %rd3, %rd3, %rd4;\n"
           "ld.global.u32 %r1, [%rd3]; st.global.u32 [%rd1], %r1;\n";
    assert_int_equal(one_run("", body, 32, words, 1024), PTX_END_MISALIGNED);
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

/* One address, of which nothing is known, of all lanes and of some; arrays of the lanes that they
 * index alike. */
static void lanes_with_one_address_find_their_element(void **state)
{
    (void)state;
    uint32_t words[512], sums[64];
    for (unsigned i = 0; i < 512; i++)
        words[i] = i * 2654435761u;
    for (unsigned t = 0; t < 64; t++) {
        sums[t] = words[5] + 7 * t;
        if (t % 5)
            sums[t] += words[8] + words[9] + (words[10] >> 8 & 0xff) + (words[12] ^ words[13]);
    }
    expect_same(".local .align 8 .b8 own[64];\n"
                "and.b32 %r1, %r0, 0; add.u32 %r1, %r1, 5; mad.wide.u32 %rd3, %r1, 4, %rd0;\n"
                "mul.wide.u32 %rd4, %r1, 8; mov.u64 %rd5, own; add.u64 %rd4, %rd4, %rd5;\n"
                "mul.lo.u32 %r8, %r0, 7; cvt.u64.u32 %rd6, %r8; st.local.u64 [%rd4], %rd6;\n"
                "rem.u32 %r9, %r0, 5; setp.eq.u32 %p1, %r9, 0; mov.u32 %r6, 0;\n"
                "mov.u32 %r8, 0; ld.global.u32 %r2, [%rd3]; @%p1 bra M;\n"
                "ld.global.v2.u32 {%r3, %r4}, [%rd3+12]; ld.global.u8 %r5, [%rd3+21];\n"
                "ld.global.u64 %rd7, [%rd3+28]; st.local.u32 [%rd4+8], %rd7;\n"
                "shr.u64 %rd7, %rd7, 32; st.local.u8 [%rd4+12], %rd7; shr.u64 %rd7, %rd7, 8;\n"
                "cvt.u32.u64 %r7, %rd7; st.local.u8 [%rd4+13], %r7; shr.u32 %r7, %r7, 8;\n"
                "st.local.u16 [%rd4+14], %r7; ld.local.v2.u32 {%r6, %r8}, [%rd4+8];\n"
                "add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4;\n"
                "M: xor.b32 %r6, %r6, %r8; add.u32 %r2, %r2, %r6; ld.local.u64 %rd7, [%rd4];\n"
                "cvt.u32.u64 %r7, %rd7; add.u32 %r2, %r2, %r7; st.global.u32 [%rd1+512], %r2;\n"
                "setp.eq.u32 %p1, %r9, 3; @%p1 st.global.u32 [%rd3+1024], %r0;\n",
                words, 512);
    assert_memory_equal(words + 128, sums, sizeof sums);
    assert_int_equal(words[256 + 5], 63);
}

static void accesses_of_long_functions_find_their_elements(void **state)
{
    static const char place[] = "mul.lo.u32 %r1, %r0, 37; and.b32 %r1, %r1, 63;",
                      guard[] = "rem.u32 %r9, %r0, 5; setp.eq.u32 %p1, %r9, 0; @%p1 bra M;";
    is_long = true;
    rows_of_some_lanes_find_their_elements(state);
    lanes_with_one_address_find_their_element(state);
    expect_vectors("v2.u32", "{%r4, %r5}", 8, place, guard);
    expect_vectors("v4.u32", "{%r4, %r5, %r6, %r7}", 16, place, "");
    expect_vectors("v2.u64", "{%rd4, %rd5}", 16, place, guard);
    is_long = false;
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
        cmocka_unit_test(lanes_in_several_rows_find_their_elements),
        cmocka_unit_test(rows_of_some_lanes_find_their_elements),
        cmocka_unit_test(vectors_find_their_elements),
        cmocka_unit_test(warps_that_poll_see_what_others_store),
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
        cmocka_unit_test(accesses_of_all_shapes_find_their_elements),
        cmocka_unit_test(lanes_in_several_rows_find_their_elements),
        cmocka_unit_test(rows_of_some_lanes_find_their_elements),
        cmocka_unit_test(vectors_find_their_elements),
        cmocka_unit_test(accesses_of_long_functions_find_their_elements),
        cmocka_unit_test(lanes_with_one_address_find_their_element),
        cmocka_unit_test(short_elements_are_extended),
        cmocka_unit_test(small_rows_begin_with_any_lane),
        cmocka_unit_test(small_elements_are_scattered),
        cmocka_unit_test(warps_that_poll_see_what_others_store),
        cmocka_unit_test(volatile_accesses_are_compiled),
        cmocka_unit_test(what_all_lanes_load_from_one_place_is_the_same),
        cmocka_unit_test(rows_that_leave_memory_or_are_misaligned_are_faults),
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
