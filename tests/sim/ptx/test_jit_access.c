/* Loads and stores in compiled regions of PTX: of all shapes, compiled and interpreted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit_same.h"

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

static void expect_same_accesses(const char *body, uint32_t *words, size_t count)
{
    char *text = lengthen(body);
    expect_same(text, words, count);
    free(text);
}

static void accesses_of_all_shapes_find_their_elements(void **state)
{
    (void)state;
    uint32_t words[512];
    for (unsigned i = 0; i < 512; i++)
        words[i] = i * 2654435761u;
    expect_same_accesses(
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
            expect_same_accesses(body, words, 2048);
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
    expect_same_accesses(
        "mad.wide.u32 %rd5, %r0, 8, %rd0; and.b32 %r1, %r0, 31; shr.u32 %r2, %r0, 5;\n"
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
    expect_same_accesses(body, words, COUNT);
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
            expect_same_accesses(body, words, 1024);
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
    expect_same_accesses(
        "mov.u32 %r1, 1;\n"
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
    expect_same_accesses(
        "mul.lo.u32 %r1, %r0, 37; add.u32 %r1, %r1, 11; rem.u32 %r1, %r1, 61;\n"
        "shr.u32 %r2, %r0, 5; mad.lo.u32 %r1, %r2, 64, %r1; cvt.u64.u32 %rd3, %r1;\n"
        "add.u64 %rd3, %rd3, %rd0; mul.lo.u32 %r3, %r0, 5; rem.u32 %r3, %r3, 27;\n"
        "mad.lo.u32 %r3, %r2, 32, %r3; mad.wide.u32 %rd4, %r3, 2, %rd0;\n"
        "mul.lo.u32 %r4, %r0, 7; rem.u32 %r5, %r0, 3; setp.eq.u32 %p1, %r5, 0;\n"
        "@%p1 bra M; st.global.u8 [%rd3], %r0; st.global.u16 [%rd4+256], %r4;\nM:\n",
        words, 128);
    assert_memory_equal(words, expected, sizeof words);
}

/* Elements of which those of each half of a warp are near each other, or not quite, up to the last
 * byte of an allocation and from its first on, of all lanes and of some. */
static void lanes_near_each_other_find_their_elements(void **state)
{
    (void)state;
    static const int steps[] = {0, 1, 2, 3, 4, 5, 7, 8, -1, -3};
    static const char *const guards[] = {
        "", "rem.u32 %r9, %r0, 5; setp.lt.u32 %p1, %r9, 2; @%p1 bra M;",
        "and.b32 %r9, %r0, 31; setp.lt.u32 %p1, %r9, 21; @%p1 bra M;"};
    enum { WORDS = 256 }; /* what is loaded is the second half */
    for (unsigned s = 0; s < sizeof steps / sizeof *steps; s++)
        for (unsigned g = 0; g < sizeof guards / sizeof *guards; g++) {
            uint32_t words[WORDS];
            char body[2048];
            const int step = steps[s], first = step < 0 ? 63 * -step : 0;
            for (unsigned i = 0; i < WORDS; i++)
                words[i] = i * 2654435761u;
            snprintf(
                body, sizeof body,
                ".shared .align 4 .b8 sh[768];\nmov.u32 %%r15, sh; mad.lo.u32 %%r16, %%r0, 8, "
                "%%r15;\nld.global.u32 %%r4, [%%rd1+512]; ld.global.u32 %%r5, [%%rd1+768];\n"
                "st.shared.u32 [%%r16], %%r4; st.shared.u32 [%%r16+4], %%r5; bar.sync 0;\n"
                "mul.lo.s32 %%r1, %%r0, %d; add.s32 %%r1, %%r1, %d; rem.u32 %%r2, %%r1, 256;\n"
                "rem.u32 %%r3, %%r1, 128; cvt.u64.u32 %%rd3, %%r1; add.u64 %%rd3, %%rd3, %%rd0;\n"
                "mad.wide.u32 %%rd4, %%r2, 2, %%rd0; mad.wide.u32 %%rd5, %%r3, 4, %%rd0;\n"
                "sub.u32 %%r10, 511, %%r1; cvt.u64.u32 %%rd6, %%r10; add.u64 %%rd6, %%rd6, "
                "%%rd0;\nmov.u32 %%r6, 9; add.u32 %%r11, %%r15, %%r10;\n%s\n"
                "ld.global.u8 %%r4, [%%rd3+512]; ld.global.s8 %%r5, [%%rd6+512];\n"
                "ld.global.u16 %%r6, [%%rd4+512]; ld.global.u32 %%r7, [%%rd5+512];\n"
                "ld.shared.u8 %%r8, [%%r11];\n"
                "mad.lo.u32 %%r6, %%r6, 5, %%r4; mad.lo.u32 %%r6, %%r6, 7, %%r5;\n"
                "mad.lo.u32 %%r6, %%r6, 9, %%r7; mad.lo.u32 %%r6, %%r6, 11, %%r8;\n"
                "M: st.global.u32 [%%rd1], %%r6;\n",
                step, first, guards[g]);
            expect_same_accesses(body, words, WORDS);
            assert_true(step == 0 || words[23] != words[29]);
        }
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
    expect_same_accesses(PING_PONG, words, 64);
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
        expect_same_accesses(body, words, 256);
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
    expect_same_accesses(
        ".local .align 8 .b8 own[64];\n"
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

int main(int argc, char **argv)
{
    setenv("ANYHIP_SIM_JIT", argc > 1 ? argv[1] : "on", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", "off", 1);
    setenv("ANYHIP_SIM_JIT_THRESHOLD", "1", 1);
    const struct CMUnitTest of_compare[] = {
        cmocka_unit_test(lanes_in_several_rows_find_their_elements),
        cmocka_unit_test(rows_of_some_lanes_find_their_elements),
        cmocka_unit_test(vectors_find_their_elements),
        cmocka_unit_test(warps_that_poll_see_what_others_store),
    };
    if (argc > 1)
        return cmocka_run_group_tests(of_compare, run_open, run_close);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_of_all_shapes_find_their_elements),
        cmocka_unit_test(lanes_in_several_rows_find_their_elements),
        cmocka_unit_test(rows_of_some_lanes_find_their_elements),
        cmocka_unit_test(vectors_find_their_elements),
        cmocka_unit_test(accesses_of_long_functions_find_their_elements),
        cmocka_unit_test(lanes_with_one_address_find_their_element),
        cmocka_unit_test(short_elements_are_extended),
        cmocka_unit_test(small_rows_begin_with_any_lane),
        cmocka_unit_test(small_elements_are_scattered),
        cmocka_unit_test(lanes_near_each_other_find_their_elements),
        cmocka_unit_test(warps_that_poll_see_what_others_store),
        cmocka_unit_test(volatile_accesses_are_compiled),
        cmocka_unit_test(what_all_lanes_load_from_one_place_is_the_same),
        cmocka_unit_test(rows_that_leave_memory_or_are_misaligned_are_faults),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
