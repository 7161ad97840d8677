/* Atomics of PTX: every operation and type, in every space, alone and contended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_kernel.h"

/* Runs one atomic of one thread at p, on old with operand b, in global memory, by generic
 * address and in shared memory. Memory must then contain the expected value, and the register
 * the old one. */
static void expect(const char *operation, uint64_t old, uint64_t b, uint64_t c, uint64_t expected,
                   unsigned bits)
{
    static const struct {
        const char *space, *plain_space, *address;
    } places[] = {
        {".global", ".global", "mov.u64 %rd3, %rd0;"},
        {"", "", "mov.u64 %rd3, %rd0;"},
        {".shared", ".shared", "mov.u64 %rd3, s;"},
        {".shared::cta", ".shared::cta", "mov.u64 %rd3, s;"},
        {"", "", "mov.u64 %rd3, s;\n cvta.shared.u64 %rd3, %rd3;"},
    };
    const char *reg = bits == 16 ? "%rs" : bits == 32 ? "%r" : "%rd";
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char body[1000], third[20] = "";
        if (strstr(operation, "cas"))
            snprintf(third, sizeof third, ", %s11", reg);
        snprintf(body, sizeof body,
                 "ld.global.b%u %s9, [%%rd0];\n ld.global.b%u %s10, [%%rd0+8];\n"
                 "ld.global.b%u %s11, [%%rd0+16];\n%s\n"
                 "st%s.b%u [%%rd3], %s9;\n"
                 "atom%s.%s %s12, [%%rd3], %s10%s;\n"
                 "ld%s.b%u %s13, [%%rd3];\n"
                 "st.global.b%u [%%rd0], %s13;\n st.global.b%u [%%rd0+24], %s12;\n",
                 bits, reg, bits, reg, bits, reg, places[i].address, places[i].plain_space, bits,
                 reg, places[i].space, operation, reg, reg, third, places[i].plain_space, bits, reg,
                 bits, reg, bits, reg);
        uint64_t words[4] = {old, b, c, 0};
        assert_int_equal(one_run(".shared .align 8 .b64 s;", body, 1, (uint32_t *)(void *)words, 8),
                         PTX_END_OK);
        uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        if ((words[0] & mask) != expected)
            fail_msg("%s, %s of %llx with %llx: %llx, not %llx", operation, places[i].address,
                     (unsigned long long)old, (unsigned long long)b,
                     (unsigned long long)(words[0] & mask), (unsigned long long)expected);
        assert_int_equal(words[3] & mask, old & mask);
    }
}

static void integers_add_and_wrap(void **state)
{
    (void)state;
    expect("add.u32", 5, 7, 0, 12, 32);
    expect("add.u32", UINT32_MAX, 2, 0, 1, 32);
    expect("add.s32", 5, (uint32_t)-7, 0, (uint32_t)-2, 32);
    expect("add.u64", UINT64_MAX, 3, 0, 2, 64);
}

static void inc_and_dec_wrap_at_their_bound(void **state)
{
    (void)state;
    expect("inc.u32", 4, 5, 0, 5, 32);
    expect("inc.u32", 5, 5, 0, 0, 32);
    expect("inc.u32", 9, 5, 0, 0, 32);
    expect("inc.u32", 0, 0, 0, 0, 32);
    expect("inc.u32", UINT32_MAX, UINT32_MAX, 0, 0, 32);
    expect("dec.u32", 4, 5, 0, 3, 32);
    expect("dec.u32", 0, 5, 0, 5, 32);
    expect("dec.u32", 9, 5, 0, 5, 32);
    expect("dec.u32", 5, 5, 0, 4, 32);
}

static void min_and_max_compare_signed_values_signed(void **state)
{
    (void)state;
    expect("min.u32", UINT32_MAX, 1, 0, 1, 32);
    expect("min.s32", UINT32_MAX, 1, 0, UINT32_MAX, 32);
    expect("max.u32", UINT32_MAX, 1, 0, UINT32_MAX, 32);
    expect("max.s32", UINT32_MAX, 1, 0, 1, 32);
    expect("min.u64", UINT64_MAX, 1, 0, 1, 64);
    expect("min.s64", UINT64_MAX, 1, 0, UINT64_MAX, 64);
    expect("max.u64", UINT64_MAX, 1, 0, UINT64_MAX, 64);
    expect("max.s64", UINT64_MAX, 1, 0, 1, 64);
}

static void bits_are_combined(void **state)
{
    (void)state;
    expect("and.b32", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00, 32);
    expect("or.b32", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0, 32);
    expect("xor.b32", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0, 32);
    expect("and.b64", UINT64_C(0xff00000000000001), UINT64_C(0xf000000000000003), 0,
           UINT64_C(0xf000000000000001), 64);
    expect("or.b64", UINT64_C(0x0f00000000000001), UINT64_C(0xf000000000000002), 0,
           UINT64_C(0xff00000000000003), 64);
    expect("xor.b64", UINT64_C(0xff00000000000001), UINT64_C(0xf000000000000003), 0,
           UINT64_C(0x0f00000000000002), 64);
}

static void values_are_exchanged(void **state)
{
    (void)state;
    expect("exch.b32", 3, 0xabcdef01, 0, 0xabcdef01, 32);
    expect("exch.b64", 3, UINT64_C(0xabcdef0123456789), 0, UINT64_C(0xabcdef0123456789), 64);
    expect("cas.b32", 3, 3, 9, 9, 32);
    expect("cas.b32", 3, 4, 9, 3, 32);
    expect("cas.b64", UINT64_C(0x300000003), UINT64_C(0x300000003), 9, 9, 64);
    expect("cas.b64", UINT64_C(0x300000003), 3, 9, UINT64_C(0x300000003), 64);
    expect("cas.b16", 3, 3, 9, 9, 16);
    expect("cas.b16", 3, 4, 9, 3, 16);
}

static void half_words_do_not_touch_their_neighbours(void **state)
{
    (void)state;
    uint32_t words[2] = {0x11112222, 0x33334444};
    one_body("mov.b16 %rs1, 0x1111;\n mov.b16 %rs2, 7;\n"
             "atom.global.cas.b16 %rs3, [%rd0+2], %rs1, %rs2;\n"
             "atom.global.cas.b16 %rs3, [%rd0+4], %rs1, %rs2;",
             1, words, 2);
    assert_int_equal(words[0], 0x00072222);
    assert_int_equal(words[1], 0x33334444);
}

static void sixteen_bytes_are_exchanged_and_compared(void **state)
{
    (void)state;
    uint32_t words[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    one_body("ld.global.b128 %rq1, [%rd0];\n ld.global.b128 %rq2, [%rd0+16];\n"
             "atom.global.exch.b128 %rq3, [%rd0], %rq2;\n st.global.b128 [%rd0+32], %rq3;\n"
             "atom.global.cas.b128 %rq3, [%rd0+16], %rq2, %rq1;\n"
             "atom.global.cas.b128 %rq3, [%rd0+16], %rq2, %rq2;\n"
             "st.global.b128 [%rd0+48], %rq3;",
             1, words, 16);
    static const uint32_t expected[16] = {5, 6, 7, 8, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
    assert_memory_equal(words, expected, sizeof expected);
}

/* ---- floats ------------------------------------------------------------------------------ */

static void floats_add(void **state)
{
    (void)state;
    float numbers[6] = {1.5f, 2.25f};
    one_body("ld.global.f32 %f1, [%rd0+4];\n atom.global.add.f32 %f2, [%rd0], %f1;\n"
             "st.global.f32 [%rd0+4], %f2;",
             1, (uint32_t *)(void *)numbers, 2);
    assert_true(numbers[0] == 3.75f && numbers[1] == 1.5f);
    double wide[2] = {1.5, 0x1p-50};
    one_body("ld.global.f64 %fd1, [%rd0+8];\n red.global.add.f64 [%rd0], %fd1;", 1,
             (uint32_t *)(void *)wide, 4);
    assert_true(wide[0] == 1.5 + 0x1p-50);
}

static void subnormals_are_flushed_in_global_memory_only(void **state)
{
    (void)state;
    uint32_t words[4] = {0x00000003, 0x80000005, 0, 0};
    assert_int_equal(one_run(".shared .align 4 .f32 s;",
                             "ld.global.f32 %f1, [%rd0];\n ld.global.f32 %f2, [%rd0+4];\n"
                             "st.shared.f32 [s], %f1;\n atom.shared.add.f32 %f3, [s], %f2;\n"
                             "ld.shared.f32 %f4, [s];\n st.global.f32 [%rd0+8], %f4;\n"
                             "atom.global.add.f32 %f3, [%rd0], %f2;\n"
                             "st.global.f32 [%rd0+12], %f3;",
                             1, words, 4),
                     PTX_END_OK);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[2], 0x80000002);
    assert_int_equal(words[3], 3);
}

static void a_sum_that_is_nan_is_the_canonical_nan(void **state)
{
    (void)state;
    uint32_t words[2] = {0xffc12345, 0x3f800000};
    one_body("ld.global.f32 %f1, [%rd0+4];\n red.global.add.f32 [%rd0], %f1;", 1, words, 2);
    assert_int_equal(words[0], 0x7fffffff);
}

static void pairs_of_halves_add_separately(void **state)
{
    (void)state;
    uint32_t words[4] = {0x3c004000, 0x4400c000, 0x3f804000, 0x3f80bf80};
    one_body("ld.global.b32 %r1, [%rd0+4];\n atom.global.add.noftz.f16x2 %r2, [%rd0], %r1;\n"
             "ld.global.b32 %r1, [%rd0+12];\n atom.global.add.noftz.bf16x2 %r2, [%rd0+8], %r1;\n",
             1, words, 4);
    assert_int_equal(words[0], 0x45000000);
    assert_int_equal(words[2], 0x40003f80);
}

static void halves_round_to_nearest_even(void **state)
{
    (void)state;
    /* 2048 + 1 ties to 2048, 2048 + 3 to 2052; subnormals stay; too large is infinite */
    static const uint16_t cases[][3] = {{0x6800, 0x3c00, 0x6800}, {0x6800, 0x4200, 0x6802},
                                        {0x0001, 0x0001, 0x0002}, {0x7bff, 0x7bff, 0x7c00},
                                        {0x0400, 0x8001, 0x03ff}, {0x7c00, 0xfc00, 0x7fff},
                                        {0x03ff, 0x0001, 0x0400}, {0x8000, 0x8000, 0x8000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t words[2] = {cases[i][0], cases[i][1]};
        one_body("ld.global.b16 %rs1, [%rd0+4];\n red.global.add.noftz.f16 [%rd0], %rs1;", 1, words,
                 2);
        assert_int_equal(words[0], cases[i][2]);
    }
}

static void vectors_combine_element_by_element(void **state)
{
    (void)state;
    float numbers[8] = {1, 2, 3, 4, 10, 20, 30, 40};
    one_body("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd0+16];\n"
             "atom.global.add.v4.f32 {%f5,%f6,%f7,%f8}, [%rd0], {%f1,%f2,%f3,%f4};\n"
             "st.global.v4.f32 [%rd0+16], {%f5,%f6,%f7,%f8};",
             1, (uint32_t *)(void *)numbers, 8);
    static const float expected[8] = {11, 22, 33, 44, 1, 2, 3, 4};
    assert_memory_equal(numbers, expected, sizeof expected);
    uint32_t halves[2] = {0x3c004000, 0xc0003c00}; /* (2, 1), (1, -2) */
    one_body("mov.b16 %rs1, 0x3c00;\n mov.b16 %rs2, 0x4200;\n"
             "red.global.min.noftz.v4.f16 [%rd0], {%rs1,%rs2,%rs1,%rs2};",
             1, halves, 2);
    assert_int_equal(halves[0], 0x3c003c00);
    assert_int_equal(halves[1], 0xc0003c00);
}

static void a_vector_may_return_to_its_own_operands(void **state)
{
    (void)state;
    float numbers[4] = {1, 2, 10, 20};
    one_body("ld.global.v2.f32 {%f1,%f2}, [%rd0+8];\n"
             "atom.global.add.v2.f32 {%f2,%f1}, [%rd0], {%f1,%f2};\n"
             "st.global.v2.f32 [%rd0+8], {%f1,%f2};",
             1, (uint32_t *)(void *)numbers, 4);
    static const float expected[4] = {11, 22, 2, 1};
    assert_memory_equal(numbers, expected, sizeof expected);
}

/* ---- many threads -------------------------------------------------------------------------- */

static void every_thread_of_a_grid_counts(void **state)
{
    (void)state;
    struct run_module *run =
        run_load(one_kernel("", "atom.global.add.u32 %r1, [%rd0], 1;\n"
                                "red.global.add.u32 [%rd0+4], 2;\n"
                                "red.global.add.u64 [%rd0+8], 3;\n"
                                "mov.f32 %f1, 0f3F800000;\n red.global.add.f32 [%rd0+16], %f1;\n"
                                "red.global.max.u32 [%rd0+20], %r1;\n"
                                "atom.global.inc.u32 %r2, [%rd0+24], 99;"));
    struct sim_memory *memory = run_memory(32);
    uint64_t address = memory->address;
    assert_int_equal(run_launch(run, "k", 100, 100, &address), PTX_END_OK);
    uint32_t words[8];
    memcpy(words, memory->view, sizeof words);
    float sum;
    memcpy(&sum, &words[4], sizeof sum);
    assert_int_equal(words[0], 10000);
    assert_int_equal(words[1], 20000);
    assert_int_equal(words[2], 30000);
    assert_true(sum == 10000);
    assert_int_equal(words[5], 9999);
    assert_int_equal(words[6], 0);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void every_lane_gets_a_number_of_its_own(void **state)
{
    (void)state;
    uint32_t words[101] = {0};
    one_body("atom.global.add.u32 %r1, [%rd0], 1;\n mad.wide.u32 %rd3, %r1, 4, %rd0;\n"
             "st.global.u32 [%rd3+4], %r0;",
             100, words, 101);
    assert_int_equal(words[0], 100);
    bool seen[100] = {false};
    for (unsigned i = 1; i <= 100; i++) {
        assert_in_range(words[i], 0, 99);
        assert_false(seen[words[i]]);
        seen[words[i]] = true;
    }
}

/* Of 24 lanes, 2^shift use the first word, those behind them the second, and so on. */
static void expect_order(unsigned shift)
{
    static const struct {
        const char *space, *body;
    } spaces[] = {{".global", "mov.u64 %rd3, %rd0;"},
                  {".shared", "mov.u64 %rd3, s;\n st.shared.v2.u32 [s], {0, 0};"},
                  {"", "mov.u64 %rd3, s;\n st.shared.v2.u32 [s], {0, 0};\n"
                       "cvta.shared.u64 %rd3, %rd3;"}};
    static const char *const operations[] = {"add.u32", "add.f32", "exch.b32", "cas.b32"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces * 4; i++) {
        const char *operation = operations[i % 4];
        bool cas = operation[0] == 'c', exchange = operation[0] == 'e', add = !cas && !exchange;
        char body[1000];
        snprintf(body, sizeof body,
                 "%s\n shr.u32 %%r1, %%r0, %u;\n and.b32 %%r1, %%r1, 1;\n"
                 "mad.wide.u32 %%rd3, %%r1, 4, %%rd3;\n"
                 "add.u32 %%r2, %%r0, 1;\n cvt.rn.f32.u32 %%f2, %%r2;\n %s\n"
                 "atom%s.%s %%r4, [%%rd3], %s;\n"
                 "mad.wide.u32 %%rd4, %%r0, 4, %%rd0;\n st.global.u32 [%%rd4+8], %%r4;",
                 spaces[i / 4].body, shift, i % 4 == 1 ? "mov.b32 %r3, %f2;" : "mov.b32 %r3, %r2;",
                 spaces[i / 4].space, operation, cas ? "%r0, %r3" : "%r3");
        uint32_t words[26] = {0}, expected[2] = {0};
        assert_int_equal(one_run(".shared .align 8 .b32 s[2];", body, 24, words, 26), PTX_END_OK);
        for (uint32_t lane = 0; lane < 24; lane++) {
            uint32_t *place = &expected[lane >> shift & 1], old = words[2 + lane];
            float number;
            memcpy(&number, &old, sizeof number);
            if ((i % 4 == 1 ? (uint32_t)number : old) != *place)
                fail_msg("%s%s, lane %u: %#x, not %#x", operation, spaces[i / 4].space, lane, old,
                         *place);
            *place = add ? *place + lane + 1 : exchange || *place == lane ? lane + 1 : *place;
        }
    }
}

static void lanes_at_one_address_come_in_their_order(void **state)
{
    (void)state;
    expect_order(3);
    expect_order(0);
}

static void an_atomic_without_a_result_has_the_same_effect(void **state)
{
    (void)state;
    uint32_t words[1] = {7};
    one_body("atom.global.add.u32 _, [%rd0], %r0;\n atom.global.add.s32 _, [%rd0], -1;", 32, words,
             1);
    assert_int_equal(words[0], 7 + 31 * 16 - 32);
}

static void a_lock_of_compare_and_swap_excludes(void **state)
{
    (void)state;
    uint32_t words[2] = {0};
    struct run_module *run =
        run_load(one_kernel("", "again:\n atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1;\n"
                                "setp.ne.u32 %p1, %r1, 0;\n @%p1 bra again;\n"
                                "ld.volatile.global.u32 %r2, [%rd0+4];\n add.u32 %r2, %r2, 1;\n"
                                "st.volatile.global.u32 [%rd0+4], %r2;\n membar.gl;\n"
                                "atom.release.gpu.global.exch.b32 %r1, [%rd0], 0;"));
    struct sim_memory *memory = run_memory(8);
    uint64_t address = memory->address;
    assert_int_equal(run_launch(run, "k", 8, 64, &address), PTX_END_OK);
    memcpy(words, memory->view, sizeof words);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 512);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void atomics_work_in_local_memory_too(void **state)
{
    (void)state;
    uint32_t words[40] = {0};
    one_body(".local .align 4 .b8 l[4];\n st.local.u32 [l], %r0;\n mov.u64 %rd3, l;\n"
             "cvta.local.u64 %rd3, %rd3;\n atom.add.u32 %r1, [%rd3], 5;\n"
             "ld.local.u32 %r2, [l];\n mad.lo.u32 %r1, %r1, 100, %r2;\n"
             "st.global.u32 [%rd1], %r1;",
             40, words, 40);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(words[i], 100 * i + i + 5);
}

/* Like an H200. */
static void sums_of_doubles_keep_a_nan_as_it_is(void **state)
{
    (void)state;
    static const uint64_t cases[][3] = {
        {UINT64_C(0x7ff0000000000001), UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff0000000000001)},
        {UINT64_C(0xfff8000000000000), UINT64_C(0x7ff8000000000005), UINT64_C(0x7ff8000000000005)},
        {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000), UINT64_C(0xfff8000000000000)},
        {3, 5, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t words[2] = {cases[i][0], cases[i][1]};
        one_body("ld.global.f64 %fd1, [%rd0+8];\n red.global.add.f64 [%rd0], %fd1;", 1,
                 (uint32_t *)(void *)words, 4);
        assert_true(words[0] == cases[i][2]);
    }
}

/* Like min and max of an H200. */
static void numbers_win_over_nans_of_halves(void **state)
{
    (void)state;
    static const uint16_t cases[][4] = {
        {0x7e01, 0x3c00, 0x3c00, 0x3c00}, {0x3c00, 0x7d01, 0x3c00, 0x3c00},
        {0xfe00, 0xfe00, 0x7fff, 0x7fff}, {0x8000, 0x0000, 0x8000, 0x0000},
        {0x0000, 0x8000, 0x8000, 0x0000}, {0x7c00, 0xfc00, 0xfc00, 0x7c00},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t words[3] = {cases[i][0], cases[i][0], cases[i][1]};
        one_body("ld.global.b16 %rs1, [%rd0+8];\n mov.b16 %rs2, 0;\n"
                 "red.global.min.noftz.v2.f16 [%rd0], {%rs1, %rs2};\n"
                 "red.global.max.noftz.v2.f16 [%rd0+4], {%rs1, %rs2};",
                 1, words, 3);
        assert_int_equal(words[0] & 0xffff, cases[i][2]);
        assert_int_equal(words[1] & 0xffff, cases[i][3]);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void invalid_atomics_are_faults(void **state)
{
    (void)state;
    uint32_t word = 0;
    assert_int_equal(one_run("", "atom.global.add.u32 %r1, [%rd0+4], 1;", 1, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(one_run("", "atom.global.add.u32 %r1, [%rd0+2], 1;", 1, &word, 1),
                     PTX_END_MISALIGNED);
    assert_int_equal(one_run("", "mov.u64 %rd3, 0;\n red.add.u32 [%rd3], 1;", 1, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(
        one_run(".shared .align 4 .u32 s;", "atom.shared.add.u32 %r1, [s+1024], 1;", 1, &word, 1),
        PTX_END_ILLEGAL_ADDRESS);
}

/* Bytes of what a thread has: its operand, the two places, and what it found in each. */
enum { SUM_PLACES = 256, SUM_OLDS = 272, SUM_STEP = 264, SUM_WORDS = 200 };

/* 32 lanes add to one place at once, and one after the other to another one. */
static void expect_sums(const char *type, const uint64_t values[4], uint64_t first, bool shared)
{
    static char body[4096];
    const char *reg = strcmp(type, "f32") == 0 ? "%r" : "%rd", *in = shared ? "shared" : "global";
    int length =
        snprintf(body, sizeof body,
                 "mov.u64 %%rd3, %s; ld.global.b%s %s10, [%%rd2]; ld.global.b%s %s11, [%%rd0+%d];\n"
                 "st.%s.b%s [%%rd3], %s11; st.%s.b%s [%%rd3+8], %s11; bar.warp.sync -1;\n"
                 "atom.%s.add.%s %s12, [%%rd3], %s10;\nmov.u32 %%r1, 0;\n"
                 "L: setp.eq.u32 %%p1, %%r0, %%r1;\n@%%p1 atom.%s.add.%s %s13, [%%rd3+8], %s10;\n"
                 "add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p2, %%r1, 32; @%%p2 bra L;\n",
                 shared ? "s" : "%rd4", type + 1, reg, type + 1, reg, SUM_PLACES, in, type + 1, reg,
                 in, type + 1, reg, in, type, reg, reg, in, type, reg, reg);
    snprintf(body + length, sizeof body - (size_t)length,
             "ld.%s.b%s %s14, [%%rd3]; ld.%s.b%s %s15, [%%rd3+8];\n"
             "st.global.b%s [%%rd2+%d], %s12; st.global.b%s [%%rd2+%d], %s13;\n"
             "st.global.b%s [%%rd0+%d], %s14; st.global.b%s [%%rd0+%d], %s15;\n",
             in, type + 1, reg, in, type + 1, reg, type + 1, SUM_OLDS, reg, type + 1,
             SUM_OLDS + SUM_STEP, reg, type + 1, SUM_OLDS + 256, reg, type + 1,
             SUM_OLDS + SUM_STEP + 256, reg);
    static char all[5000];
    snprintf(all, sizeof all, "add.u64 %%rd4, %%rd0, %d;\n%s", SUM_PLACES, body);
    uint64_t words[SUM_WORDS / 2 + 8] = {0};
    for (unsigned i = 0; i < 32; i++)
        words[i] = values[i * 7 % 4];
    words[SUM_PLACES / 8] = first;
    assert_int_equal(one_run(".shared .align 8 .b64 s[2];", all, 32, (uint32_t *)(void *)words,
                             2 * (sizeof words / sizeof *words)),
                     PTX_END_OK);
    assert_memory_equal(words + SUM_OLDS / 8, words + (SUM_OLDS + SUM_STEP) / 8, SUM_STEP);
    assert_int_equal(words[SUM_OLDS / 8], first);
}

static void sums_of_several_lanes_are_those_of_one_after_the_other(void **state)
{
    (void)state;
    static const uint64_t singles[][5] = {
        {0x3f800001, 0x40490fdb, 0xc2280000, 0x33000001, 0},          /* ordinary ones */
        {0, 0x80000000, 0x00000001, 0x3f800000, 0x80000000},          /* a subnormal operand */
        {0, 0x80000000, 0, 0x80000000, 0x00000007},                   /* one that is there */
        {0x00800001, 0x80800000, 0x00800003, 0x80800002, 0},          /* sums that are */
        {0x7f800000, 0xff800000, 0x3f800000, 0, 0x3f800000},          /* a NaN of infinities */
        {0x3f800000, 0x7fc12345, 0xffc00001, 0x7f800001, 0x40000000}, /* NaNs */
    };
    static const uint64_t doubles[][5] = {
        {0x3ff0000000000001, 0x400921fb54442d18, 0xc045000000000000, 0x3ca0000000000001, 0},
        {0x7ff0000000000000, 0xfff0000000000000, 0x3ff0000000000000, 0, 0},
        {0x3ff0000000000000, 0x7ff8000000012345, 0xfff0000000000001, 1, 0x4000000000000000},
    };
    for (unsigned shared = 0; shared < 2; shared++) {
        for (unsigned i = 0; i < sizeof singles / sizeof *singles; i++)
            expect_sums("f32", singles[i], singles[i][4], shared);
        for (unsigned i = 0; i < sizeof doubles / sizeof *doubles; i++)
            expect_sums("f64", doubles[i], doubles[i][4], shared);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_add_and_wrap),
        cmocka_unit_test(inc_and_dec_wrap_at_their_bound),
        cmocka_unit_test(min_and_max_compare_signed_values_signed),
        cmocka_unit_test(bits_are_combined),
        cmocka_unit_test(values_are_exchanged),
        cmocka_unit_test(half_words_do_not_touch_their_neighbours),
        cmocka_unit_test(sixteen_bytes_are_exchanged_and_compared),
        cmocka_unit_test(floats_add),
        cmocka_unit_test(subnormals_are_flushed_in_global_memory_only),
        cmocka_unit_test(a_sum_that_is_nan_is_the_canonical_nan),
        cmocka_unit_test(sums_of_several_lanes_are_those_of_one_after_the_other),
        cmocka_unit_test(pairs_of_halves_add_separately),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(vectors_combine_element_by_element),
        cmocka_unit_test(a_vector_may_return_to_its_own_operands),
        cmocka_unit_test(every_thread_of_a_grid_counts),
        cmocka_unit_test(every_lane_gets_a_number_of_its_own),
        cmocka_unit_test(lanes_at_one_address_come_in_their_order),
        cmocka_unit_test(an_atomic_without_a_result_has_the_same_effect),
        cmocka_unit_test(a_lock_of_compare_and_swap_excludes),
        cmocka_unit_test(atomics_work_in_local_memory_too),
        cmocka_unit_test(sums_of_doubles_keep_a_nan_as_it_is),
        cmocka_unit_test(numbers_win_over_nans_of_halves),
        cmocka_unit_test(invalid_atomics_are_faults),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
