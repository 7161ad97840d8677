/* Communication between lanes: shuffles, votes, matches and reductions of PTX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_kernel.h"

/* ---- shfl ---------------------------------------------------------------------------- */

/* A lane's source according to the PTX ISA; -1: the lane itself, and the predicate is false. */
static int shuffle_source(char mode, int lane, int b, int width)
{
    int first = lane / width * width, last = first + width - 1, source;
    switch (mode) {
    case 'u':
        source = lane - b;
        return source >= first ? source : -1;
    case 'd':
        source = lane + b;
        return source <= last ? source : -1;
    case 'b':
        source = lane ^ b;
        return source <= last ? source : -1;
    default:
        return first + b % width;
    }
}

static void shuffle_all(const char *name, char mode)
{
    char body[400];
    snprintf(body, sizeof body,
             "ld.global.v2.u32 {%%r1, %%r2}, [%%rd0];\n add.u32 %%r3, %%r0, 100;\n"
             "shfl.sync.%s.b32 %%r4|%%p1, %%r3, %%r1, %%r2, 0xffffffff;\n"
             "selp.u32 %%r5, 1, 0, %%p1;\n st.global.v2.u32 [%%rd2], {%%r4, %%r5};",
             name);
    struct run_module *run = run_load(one_kernel("", body));
    struct sim_memory *memory = run_memory(256);
    uint64_t address = memory->address;
    uint32_t words[64];
    for (int width = 1; width <= 32; width *= 2)
        for (int b = 0; b < 32; b++) {
            uint32_t in[2] = {(uint32_t)b, (uint32_t)(32 - width) << 8 | (mode == 'u' ? 0 : 0x1f)};
            memcpy(memory->view, in, sizeof in);
            assert_int_equal(run_launch(run, "k", 1, 32, &address), PTX_END_OK);
            memcpy(words, memory->view, sizeof words);
            for (int lane = 0; lane < 32; lane++) {
                int source = shuffle_source(mode, lane, b, width);
                assert_int_equal(words[2 * lane], 100 + (source < 0 ? lane : source));
                assert_int_equal(words[2 * lane + 1], source >= 0);
            }
        }
    sim_memory_destroy(memory);
    run_unload(run);
}

static void shuffles_up_take_from_lower_lanes_of_the_segment(void **state)
{
    (void)state;
    shuffle_all("up", 'u');
}

static void shuffles_down_take_from_higher_lanes_of_the_segment(void **state)
{
    (void)state;
    shuffle_all("down", 'd');
}

static void butterflies_take_from_the_lane_of_the_exclusive_or(void **state)
{
    (void)state;
    shuffle_all("bfly", 'b');
}

static void indexed_shuffles_take_from_a_lane_of_the_segment(void **state)
{
    (void)state;
    shuffle_all("idx", 'i');
}

static void an_index_beyond_the_clamp_keeps_the_lanes_value(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    one_body("shfl.sync.idx.b32 %r1|%p1, %r0, 9, 7, -1;\n selp.u32 %r2, 1, 0, %p1;\n"
             "st.global.v2.u32 [%rd2], {%r1, %r2};",
             32, words, 64);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(words[2 * i], i);
        assert_int_equal(words[2 * i + 1], 0);
    }
}

static void only_five_bits_of_a_shuffle_offset_count(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("shfl.sync.idx.b32 %r1, %r0, 37, 31, -1;\n st.global.u32 [%rd1], %r1;", 32, words, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], 5);
}

static void a_shuffle_may_overwrite_its_source(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("mov.u32 %r1, %r0;\n shfl.sync.bfly.b32 %r1, %r1, 31, 31, -1;\n"
             "st.global.u32 [%rd1], %r1;",
             32, words, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], 31 - i);
}

static void shuffles_carry_floats(void **state)
{
    (void)state;
    float numbers[32];
    for (unsigned i = 0; i < 32; i++)
        numbers[i] = (float)i * 0.5f;
    one_body("ld.global.f32 %f1, [%rd1];\n shfl.sync.down.b32 %f2, %f1, 1, 31, -1;\n"
             "add.f32 %f1, %f1, %f2;\n st.global.f32 [%rd1], %f1;",
             32, (uint32_t *)(void *)numbers, 32);
    for (unsigned i = 0; i < 31; i++)
        assert_true(numbers[i] == (float)i + 0.5f);
}

static void halves_of_a_warp_shuffle_apart(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("setp.lt.u32 %p1, %r0, 16;\n @%p1 bra low;\n"
             "shfl.sync.idx.b32 %r1, %r0, 20, 31, 0xffff0000;\n bra done;\n"
             "low:\n shfl.sync.idx.b32 %r1, %r0, 3, 31, 0x0000ffff;\n"
             "done:\n st.global.u32 [%rd1], %r1;",
             32, words, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], i < 16 ? 3 : 20);
}

/* ---- vote ------------------------------------------------------------------------------ */

static void votes_count_the_members(void **state)
{
    (void)state;
    static const struct {
        uint32_t votes, members, all, any, uni;
    } cases[] = {
        {0, UINT32_MAX, 0, 0, 1},          {UINT32_MAX, UINT32_MAX, 1, 1, 1},
        {1, UINT32_MAX, 0, 1, 0},          {0x0000ffff, 0x0000ffff, 1, 1, 1},
        {0xffff0000, 0x0000ffff, 0, 0, 1}, {0x00000f00, 0x0000ff00, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t words[128] = {cases[i].votes, cases[i].members};
        one_body("ld.global.v2.u32 {%r1, %r2}, [%rd0];\n bar.warp.sync -1;\n"
                 "shr.u32 %r3, %r1, %r0;\n and.b32 %r3, %r3, 1;\n setp.ne.u32 %p1, %r3, 0;\n"
                 "shr.u32 %r3, %r2, %r0;\n and.b32 %r3, %r3, 1;\n setp.eq.u32 %p2, %r3, 0;\n"
                 "@%p2 bra done;\n"
                 "vote.sync.all.pred %p3, %p1, %r2;\n vote.sync.any.pred %p4, %p1, %r2;\n"
                 "vote.sync.uni.pred %p5, %p1, %r2;\n vote.sync.ballot.b32 %r4, %p1, %r2;\n"
                 "vote.sync.ballot.b32 %r8, !%p1, %r2;\n xor.b32 %r8, %r8, %r4;\n"
                 "selp.u32 %r5, 1, 0, %p3;\n selp.u32 %r6, 2, 0, %p4;\n selp.u32 %r7, 4, 0, %p5;\n"
                 "or.b32 %r5, %r5, %r6;\n or.b32 %r5, %r5, %r7;\n"
                 "mad.wide.u32 %rd3, %r0, 16, %rd0;\n"
                 "st.global.v4.u32 [%rd3], {%r5, %r4, %r8, %r2};\n done:",
                 32, words, 128);
        uint32_t expected = cases[i].all | cases[i].any << 1 | cases[i].uni << 2;
        for (unsigned lane = 0; lane < 32; lane++) {
            if (!(cases[i].members >> lane & 1))
                continue;
            assert_int_equal(words[4 * lane], expected);
            assert_int_equal(words[4 * lane + 1], cases[i].votes & cases[i].members);
            assert_int_equal(words[4 * lane + 2], cases[i].members);
        }
    }
}

static void lanes_that_have_ended_do_not_vote(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("setp.ge.u32 %p1, %r0, 20;\n @%p1 ret;\n setp.lt.u32 %p2, %r0, 20;\n"
             "vote.sync.ballot.b32 %r1, %p2, 0xffffffff;\n"
             "vote.sync.all.pred %p3, %p2, 0xffffffff;\n @%p3 or.b32 %r1, %r1, 0x80000000;\n"
             "st.global.u32 [%rd1], %r1;",
             32, words, 32);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(words[i], 0x800fffff);
}

static void the_active_mask_is_of_those_that_execute(void **state)
{
    (void)state;
    uint32_t words[40] = {0};
    one_body("activemask.b32 %r1;\n st.global.u32 [%rd1], %r1;", 40, words, 40);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(words[i], i < 32 ? 0xffffffff : 0xff);
    one_body("and.b32 %r2, %r0, 1;\n setp.eq.u32 %p1, %r2, 0;\n mov.u32 %r1, 0;\n"
             "@%p1 activemask.b32 %r1;\n st.global.u32 [%rd1], %r1;",
             32, words, 40);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], i % 2 ? 0 : 0x55555555);
}

static void one_member_is_elected(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    one_body("setp.lt.u32 %p1, %r0, 8;\n @%p1 bra done;\n"
             "elect.sync %r1|%p2, 0xffffff00;\n selp.u32 %r2, 1, 0, %p2;\n"
             "st.global.v2.u32 [%rd2], {%r1, %r2};\n done:",
             32, words, 64);
    for (unsigned i = 8; i < 32; i++) {
        assert_int_equal(words[2 * i], 8);
        assert_int_equal(words[2 * i + 1], i == 8);
    }
}

/* ---- match ------------------------------------------------------------------------------- */

static void matches_find_equal_values(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("rem.u32 %r1, %r0, 5;\n match.any.sync.b32 %r2, %r1, -1;\n"
             "st.global.u32 [%rd1], %r2;",
             32, words, 32);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t expected = 0;
        for (unsigned other = i % 5; other < 32; other += 5)
            expected |= 1u << other;
        assert_int_equal(words[i], expected);
    }
}

static void matches_of_64_bits_see_the_upper_half(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("and.b32 %r1, %r0, 1;\n cvt.u64.u32 %rd3, %r1;\n shl.b64 %rd3, %rd3, 40;\n"
             "match.any.sync.b64 %r2, %rd3, -1;\n st.global.u32 [%rd1], %r2;",
             32, words, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], i % 2 ? 0xaaaaaaaa : 0x55555555);
}

static void all_match_or_none_do(void **state)
{
    (void)state;
    uint32_t words[128] = {0};
    one_body("mov.u32 %r1, 7;\n match.all.sync.b32 %r2|%p1, %r1, -1;\n selp.u32 %r3, 1, 0, %p1;\n"
             "setp.eq.u32 %p2, %r0, 31;\n @%p2 mov.u32 %r1, 8;\n"
             "match.all.sync.b32 %r4|%p3, %r1, -1;\n selp.u32 %r5, 1, 0, %p3;\n"
             "mad.wide.u32 %rd3, %r0, 16, %rd0;\n st.global.v4.u32 [%rd3], {%r2,%r3,%r4,%r5};",
             32, words, 128);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(words[4 * i], 0xffffffff);
        assert_int_equal(words[4 * i + 1], 1);
        assert_int_equal(words[4 * i + 2], 0);
        assert_int_equal(words[4 * i + 3], 0);
    }
}

/* ---- redux -------------------------------------------------------------------------------- */

static void reductions_combine_the_members(void **state)
{
    (void)state;
    static const struct {
        const char *operation;
        uint32_t expected;
    } cases[] = {
        {"add.u32", (uint32_t)(31 * 16 - 32 * 5)},
        {"add.s32", (uint32_t)(31 * 16 - 32 * 5)},
        {"min.u32", 0},
        {"max.u32", (uint32_t)-1},
        {"min.s32", (uint32_t)-5},
        {"max.s32", 26},
        {"or.b32", UINT32_MAX},
        {"and.b32", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t words[32] = {0};
        char body[300];
        snprintf(body, sizeof body,
                 "sub.u32 %%r1, %%r0, 5;\n redux.sync.%s %%r2, %%r1, 0xffffffff;\n"
                 "st.global.u32 [%%rd1], %%r2;",
                 cases[i].operation);
        one_body(body, 32, words, 32);
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(words[lane], cases[i].expected);
    }
}

static void exclusive_or_reduces_too(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("shl.b32 %r1, 1, %r0;\n setp.lt.u32 %p1, %r0, 4;\n @!%p1 bra done;\n"
             "redux.sync.xor.b32 %r2, %r1, 0xf;\n st.global.u32 [%rd1], %r2;\n done:",
             32, words, 32);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(words[lane], lane < 4 ? 15 : 0);
}

/* ---- participants -------------------------------------------------------------------------- */

static void a_lane_outside_its_own_mask_is_a_fault(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    assert_int_not_equal(one_run("", "shfl.sync.idx.b32 %r1, %r0, 0, 31, 0x1;", 2, words, 32),
                         PTX_END_OK);
}

static void lanes_of_different_paths_take_part_together(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    one_body("setp.lt.u32 %p1, %r0, 10;\n @%p1 bra first;\n add.u32 %r1, %r0, 1000;\n bra.uni "
             "join;\n first:\n add.u32 %r1, %r0, 2000;\n join:\n bar.warp.sync 0xffffffff;\n"
             "shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffffffff;\n st.global.u32 [%rd1], %r2;",
             32, words, 32);
    for (unsigned i = 0; i < 32; i++) {
        unsigned source = i ^ 16;
        assert_int_equal(words[i], source + (source < 10 ? 2000 : 1000));
    }
}

static void a_member_that_never_arrives_is_a_fault(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    assert_int_equal(one_run("",
                             "setp.lt.u32 %p1, %r0, 10;\n @%p1 bra first;\n"
                             "bar.warp.sync 0xffffffff;\n bra.uni done;\n"
                             "first:\n bar.sync 1, 64;\n done:",
                             32, words, 32),
                     PTX_END_HUNG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_up_take_from_lower_lanes_of_the_segment),
        cmocka_unit_test(shuffles_down_take_from_higher_lanes_of_the_segment),
        cmocka_unit_test(butterflies_take_from_the_lane_of_the_exclusive_or),
        cmocka_unit_test(indexed_shuffles_take_from_a_lane_of_the_segment),
        cmocka_unit_test(an_index_beyond_the_clamp_keeps_the_lanes_value),
        cmocka_unit_test(only_five_bits_of_a_shuffle_offset_count),
        cmocka_unit_test(a_shuffle_may_overwrite_its_source),
        cmocka_unit_test(shuffles_carry_floats),
        cmocka_unit_test(halves_of_a_warp_shuffle_apart),
        cmocka_unit_test(votes_count_the_members),
        cmocka_unit_test(lanes_that_have_ended_do_not_vote),
        cmocka_unit_test(the_active_mask_is_of_those_that_execute),
        cmocka_unit_test(one_member_is_elected),
        cmocka_unit_test(matches_find_equal_values),
        cmocka_unit_test(matches_of_64_bits_see_the_upper_half),
        cmocka_unit_test(all_match_or_none_do),
        cmocka_unit_test(reductions_combine_the_members),
        cmocka_unit_test(exclusive_or_reduces_too),
        cmocka_unit_test(a_lane_outside_its_own_mask_is_a_fault),
        cmocka_unit_test(lanes_of_different_paths_take_part_together),
        cmocka_unit_test(a_member_that_never_arrives_is_a_fault),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
