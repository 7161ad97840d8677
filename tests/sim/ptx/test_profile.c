/* Counts of PTX: each is computed by hand here, from the kernel's text and shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_kernel.h"
#include "sim_profile_state.h"

enum { WORDS = 64 << 10 };

static struct sim_profile_counts counts;

/* Runs body for blocks of threads threads; counts gets what the kernel did. The lines before body
 * are a constant, a move and two integer instructions, and the one after it is a control
 * instruction. */
static void count(const char *variables, const char *body, uint32_t blocks, uint32_t threads)
{
    struct run_module *run = run_load(one_kernel(variables, body));
    struct sim_memory *memory = run_memory(WORDS * 4);
    uint64_t params = memory->address;
    assert_int_equal(params % 256, 0);
    sim_profile_forget();
    assert_int_equal(run_launch(run, "k", blocks, threads, &params), PTX_END_OK);
    assert_true(sim_profile_find("k", &counts));
    sim_memory_destroy(memory);
    run_unload(run);
}

static void assert_access(enum sim_access_kind kind, uint64_t accesses, uint64_t lanes,
                          uint64_t bytes)
{
    assert_int_equal(counts.accesses[kind].accesses, accesses);
    assert_int_equal(counts.accesses[kind].lanes, lanes);
    assert_int_equal(counts.accesses[kind].bytes, bytes);
}

static void assert_moved(enum sim_access_kind kind, uint64_t transactions, uint64_t lines,
                         uint64_t distinct)
{
    assert_int_equal(counts.accesses[kind].transactions, transactions);
    assert_int_equal(counts.accesses[kind].lines, lines);
    assert_int_equal(counts.accesses[kind].distinct, distinct);
}

/* passes with conflicts among them, of one access of 32 lanes. */
static void assert_passes(enum sim_access_kind kind, uint64_t passes, uint64_t conflicts)
{
    assert_int_equal(counts.accesses[kind].accesses, 1);
    assert_int_equal(counts.accesses[kind].passes, passes);
    assert_int_equal(counts.accesses[kind].passes - counts.accesses[kind].least, conflicts);
}

/* ---- instructions ------------------------------------------------------------------------------
 */

static void instructions_count_by_class_and_lane(void **state)
{
    (void)state;
    count("",
          "add.u32 %r1, %r0, 1;\nfma.rn.f32 %f1, %f2, %f3, %f4;\nadd.f64 %fd1, %fd2, %fd3;\n"
          "add.f16x2 %r2, %r3, %r4;\nsin.approx.f32 %f1, %f2;\ncvt.rn.f32.u32 %f1, %r1;\n"
          "setp.lt.u32 %p1, %r0, 9;\nselp.u32 %r1, 1, 2, %p1;\nmov.u32 %r5, 7;\n"
          "bar.sync 0;\nvote.sync.any.pred %p2, %p1, -1;\nmembar.gl;\n"
          "atom.global.add.u32 %r6, [%rd0], 1;\n",
          3, 48);
    static const uint64_t executed[SIM_CLASS_COUNT] = {
        [SIM_CLASS_INT] = 3,      [SIM_CLASS_F32] = 1,     [SIM_CLASS_F64] = 1,
        [SIM_CLASS_HALF] = 1,     [SIM_CLASS_SPECIAL] = 1, [SIM_CLASS_CONVERT] = 1,
        [SIM_CLASS_COMPARE] = 2,  [SIM_CLASS_MOVE] = 2,    [SIM_CLASS_CONTROL] = 1,
        [SIM_CLASS_CONSTANT] = 1, [SIM_CLASS_ATOMIC] = 1,  [SIM_CLASS_FENCE] = 1,
        [SIM_CLASS_BARRIER] = 1,  [SIM_CLASS_WARP] = 1};
    uint64_t all = 0;
    for (unsigned i = 0; i < SIM_CLASS_COUNT; i++) {
        assert_int_equal(counts.executed[i], executed[i] * 6);
        assert_int_equal(counts.lanes[i], executed[i] * 3 * 48);
        all += executed[i] * 6;
    }
    assert_int_equal(counts.by_lanes, all);
    assert_access(SIM_GLOBAL_ATOMIC, 6, 144, 576);
    assert_moved(SIM_GLOBAL_ATOMIC, 6, 6, 24);
}

static void a_guard_that_is_false_issues_the_instruction_without_lanes(void **state)
{
    (void)state;
    count("",
          "setp.lt.u32 %p1, %r0, 10;\n@%p1 add.f32 %f1, %f2, %f3;\n"
          "@!%p1 ld.global.u32 %r1, [%rd0];\n",
          1, 64);
    assert_int_equal(counts.executed[SIM_CLASS_F32], 2);
    assert_int_equal(counts.lanes[SIM_CLASS_F32], 10);
    assert_int_equal(counts.executed[SIM_CLASS_GLOBAL_LOAD], 2);
    assert_int_equal(counts.lanes[SIM_CLASS_GLOBAL_LOAD], 54);
    assert_access(SIM_GLOBAL_LOAD, 2, 54, 216);
    assert_int_equal(counts.branches, 0);
}

static void functions_count_in_their_kernel(void **state)
{
    (void)state;
    count(".func (.reg .b32 %o) twice(.reg .b32 %i)\n{\nadd.u32 %o, %i, %i;\nret;\n}\n",
          "call (%r1), twice, (%r0);\ncall (%r1), twice, (%r1);\n", 1, 32);
    assert_int_equal(counts.executed[SIM_CLASS_INT], 4);
    assert_int_equal(counts.executed[SIM_CLASS_CONTROL], 5);
}

/* ---- branches
 * ------------------------------------------------------------------------------------ */

static void a_branch_on_which_lanes_differ_is_divergent(void **state)
{
    (void)state;
    count("",
          "setp.lt.u32 %p1, %r0, 40;\n@%p1 bra L;\nadd.f32 %f1, %f2, %f3;\nL:\n"
          "mul.f64 %fd1, %fd2, %fd3;\n",
          1, 96);
    assert_int_equal(counts.branches, 3);
    assert_int_equal(counts.divergent, 1); /* of lanes 32 to 63 */
    assert_int_equal(counts.executed[SIM_CLASS_F32], 2);
    assert_int_equal(counts.lanes[SIM_CLASS_F32], 56);
    assert_int_equal(counts.executed[SIM_CLASS_F64], 3); /* lanes are together again */
    assert_int_equal(counts.lanes[SIM_CLASS_F64], 96);
}

static void a_loop_counts_each_round(void **state)
{
    (void)state;
    count("",
          "mov.u32 %r1, 0;\nL:\nadd.f32 %f1, %f1, %f2;\nadd.u32 %r1, %r1, 1;\n"
          "setp.lt.u32 %p1, %r1, 10;\n@%p1 bra L;\n",
          1, 32);
    assert_int_equal(counts.executed[SIM_CLASS_F32], 10);
    assert_int_equal(counts.lanes[SIM_CLASS_F32], 320);
    assert_int_equal(counts.branches, 10);
    assert_int_equal(counts.divergent, 0);
}

static void lanes_that_leave_a_loop_one_by_one_differ_each_time(void **state)
{
    (void)state;
    count("",
          "mov.u32 %r1, 0;\nL:\nadd.f32 %f1, %f1, %f2;\nadd.u32 %r1, %r1, 1;\n"
          "setp.le.u32 %p1, %r1, %r0;\n@%p1 bra L;\n",
          1, 32);
    assert_int_equal(counts.executed[SIM_CLASS_F32], 32);
    assert_int_equal(counts.lanes[SIM_CLASS_F32], 32 * 33 / 2);
    assert_int_equal(counts.branches, 32);
    assert_int_equal(counts.divergent, 31);
}

static void indexed_branches_and_guarded_ends_are_branches(void **state)
{
    (void)state;
    count("",
          "and.b32 %r1, %r0, 1;\nts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA:\nB:\n"
          "setp.lt.u32 %p1, %r0, 5;\n@%p1 exit;\n",
          1, 32);
    assert_int_equal(counts.branches, 2);
    assert_int_equal(counts.divergent, 2);
    count("",
          "mov.u32 %r1, 1;\nts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA:\nB:\nbra.uni C;\nC:\n",
          1, 32);
    assert_int_equal(counts.branches, 2);
    assert_int_equal(counts.divergent, 0);
}

/* ---- global memory
 * -------------------------------------------------------------------------------- */

static void addresses_in_a_row_are_as_few_transactions_as_can_be(void **state)
{
    (void)state;
    count("", "ld.global.u32 %r1, [%rd1];\nst.global.f64 [%rd2], %fd1;\n", 2, 64);
    assert_access(SIM_GLOBAL_LOAD, 4, 128, 512);
    assert_moved(SIM_GLOBAL_LOAD, 16, 4, 512);
    assert_access(SIM_GLOBAL_STORE, 4, 128, 1024);
    assert_moved(SIM_GLOBAL_STORE, 32, 8, 1024);
}

static void a_row_that_is_not_aligned_takes_one_more(void **state)
{
    (void)state;
    count("", "ld.global.u32 %r1, [%rd1+16];\n", 1, 32);
    assert_moved(SIM_GLOBAL_LOAD, 5, 2, 128);
}

static void a_stride_takes_a_transaction_for_each_lane(void **state)
{
    (void)state;
    count("", "mad.wide.u32 %rd3, %r0, 32, %rd0;\nld.global.u32 %r1, [%rd3];\n", 1, 32);
    assert_access(SIM_GLOBAL_LOAD, 1, 32, 128);
    assert_moved(SIM_GLOBAL_LOAD, 32, 8, 128);
}

static void one_address_is_one_transaction(void **state)
{
    (void)state;
    count("", "ld.global.u32 %r1, [%rd0+8];\n", 1, 32);
    assert_access(SIM_GLOBAL_LOAD, 1, 32, 128);
    assert_moved(SIM_GLOBAL_LOAD, 1, 1, 4);
}

static void lanes_in_any_order_share_transactions(void **state)
{
    (void)state;
    count("",
          "xor.b32 %r1, %r0, 21;\nmad.wide.u32 %rd3, %r1, 4, %rd0;\n"
          "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd0];\nld.global.u16 %rs1, [%rd3];\n",
          1, 32);
    assert_access(SIM_GLOBAL_LOAD, 2, 64, 512 + 64);
    assert_moved(SIM_GLOBAL_LOAD, 1 + 4, 1 + 1, 16 + 64);
}

/* ---- shared memory
 * --------------------------------------------------------------------------------- */

/* An access of lane l to words l * stride. */
static void stride(unsigned words, const char *access)
{
    char body[300];
    snprintf(body, sizeof body, "mov.u32 %%r1, s;\nmad.lo.u32 %%r1, %%r0, %u, %%r1;\n%s\n",
             words * 4, access);
    count(".shared .align 128 .b8 s[8192];\n", body, 1, 32);
}

static void banks_conflict_as_often_as_lanes_share_one(void **state)
{
    static const unsigned degrees[][2] = {{1, 1}, {2, 2},   {3, 1}, {4, 4},
                                          {8, 8}, {32, 32}, {33, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        stride(degrees[i][0], "ld.shared.u32 %r2, [%r1];");
        assert_passes(SIM_SHARED_LOAD, degrees[i][1], degrees[i][1] - 1);
        stride(degrees[i][0], "st.shared.u32 [%r1], %r2;");
        assert_passes(SIM_SHARED_STORE, degrees[i][1], degrees[i][1] - 1);
    }
}

static void a_word_for_all_lanes_is_one_pass(void **state)
{
    (void)state;
    stride(0, "ld.shared.u32 %r2, [%r1];");
    assert_passes(SIM_SHARED_LOAD, 1, 0);
    assert_access(SIM_SHARED_LOAD, 1, 32, 128);
}

static void wider_elements_take_the_warp_in_parts(void **state)
{
    (void)state;
    stride(2, "ld.shared.u64 %rd3, [%r1];");
    assert_passes(SIM_SHARED_LOAD, 2, 0);
    stride(4, "ld.shared.u64 %rd3, [%r1];");
    assert_passes(SIM_SHARED_LOAD, 4, 2);
    stride(4, "ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [%r1];");
    assert_passes(SIM_SHARED_LOAD, 4, 0);
}

static void atomics_on_one_word_take_a_pass_each(void **state)
{
    (void)state;
    stride(0, "red.shared.add.u32 [%r1], 1;");
    assert_passes(SIM_SHARED_ATOMIC, 32, 31);
    stride(1, "red.shared.add.u32 [%r1], 1;");
    assert_passes(SIM_SHARED_ATOMIC, 1, 0);
}

static void generic_addresses_count_where_they_lead(void **state)
{
    (void)state;
    count(".shared .align 128 .b8 s[8192];\n",
          "mov.u64 %rd3, s;\ncvta.shared.u64 %rd3, %rd3;\nmad.wide.u32 %rd4, %r0, 8, %rd3;\n"
          "setp.lt.u32 %p1, %r0, 12;\nselp.u64 %rd5, %rd4, %rd1, %p1;\nst.u32 [%rd5], %r0;\n",
          1, 32);
    assert_int_equal(counts.executed[SIM_CLASS_GENERIC_STORE], 1);
    assert_int_equal(counts.lanes[SIM_CLASS_GENERIC_STORE], 32);
    assert_passes(SIM_SHARED_STORE, 1, 0); /* words 0 to 22 */
    assert_access(SIM_SHARED_STORE, 1, 12, 48);
    assert_access(SIM_GLOBAL_STORE, 1, 20, 80);
    assert_moved(SIM_GLOBAL_STORE, 3, 1, 80); /* from byte 48 on */
}

static void local_memory_and_constants_are_no_transactions(void **state)
{
    (void)state;
    count(".const .u32 c = 5;\n",
          "{\n.local .b32 l;\nld.const.u32 %r1, [c];\n"
          "st.local.u32 [l], %r1;\nld.local.u32 %r2, [l];\n}\n",
          1, 40);
    assert_int_equal(counts.executed[SIM_CLASS_CONSTANT], 4);
    assert_access(SIM_LOCAL_STORE, 2, 40, 160);
    assert_access(SIM_LOCAL_LOAD, 2, 40, 160);
    assert_moved(SIM_LOCAL_LOAD, 0, 0, 0);
    assert_access(SIM_GLOBAL_LOAD, 0, 0, 0);
}

static void asynchronous_copies_load_and_store(void **state)
{
    (void)state;
    stride(4, "cp.async.ca.shared.global [%r1], [%rd0], 16;\ncp.async.wait_all;");
    assert_moved(SIM_GLOBAL_LOAD, 1, 1, 16);
    assert_passes(SIM_SHARED_STORE, 4, 0);
}

/* ---- always the same
 * -------------------------------------------------------------------------------- */

static const char *const busy =
    "mov.u32 %r1, %ctaid.x;\nand.b32 %r2, %r1, 7;\nxor.b32 %r2, %r2, %r0;\nmov.u32 %r3, 0;\n"
    "L:\nmad.wide.u32 %rd3, %r2, 4, %rd0;\nld.global.u32 %r4, [%rd3];\n"
    "shl.b32 %r5, %r2, 3;\nmov.u32 %r6, s;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r6], %r4;\n"
    "bar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 200;\n"
    "and.b32 %r7, %r2, %r3;\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra M;\nadd.f32 %f1, %f1, %f2;\nM:\n"
    "@%p1 bra L;\n";

static void counts_are_the_same_with_any_number_of_threads(void **state)
{
    struct sim_profile_counts first = {0};
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        sim_run_stop();
        sim_run_configure(&(struct sim_run_settings){.threads = threads});
        count(".shared .align 128 .b8 s[8192];\n", busy, 60, 160);
        if (threads == 1)
            first = counts;
        assert_memory_equal(&first, &counts, sizeof counts);
    }
    assert_int_equal(counts.executed[SIM_CLASS_BARRIER], 60 * 5 * 200);
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){.threads = 0});
}

static void launches_add_up(void **state)
{
    struct run_module *run = run_load(one_kernel("", ""));
    struct sim_memory *memory = run_memory(64);
    uint64_t params = memory->address;
    (void)state;
    sim_profile_forget();
    for (uint32_t blocks = 1; blocks <= 3; blocks++)
        assert_int_equal(run_launch(run, "k", blocks, 32, &params), PTX_END_OK);
    assert_true(sim_profile_find("k", &counts));
    assert_int_equal(counts.executed[SIM_CLASS_MOVE], 6);
    assert_false(sim_profile_find("no kernel", &counts));
    sim_memory_destroy(memory);
    run_unload(run);
}

static char folder[] = "/tmp/anyhip-test-profile-XXXXXX";

static int open_profile(void **state)
{
    if (!mkdtemp(folder) || setenv("ANYHIP_SIM_PROFILE", folder, 1) != 0)
        return -1;
    return run_open(state);
}

/* Nothing is written after this. */
static int close_profile(void **state)
{
    char command[100];
    int result = run_close(state);
    bool written = sim_profile_write();
    sim_profile_forget();
    snprintf(command, sizeof command, "rm -r %s", folder);
    return written && system(command) == 0 ? result : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_count_by_class_and_lane),
        cmocka_unit_test(a_guard_that_is_false_issues_the_instruction_without_lanes),
        cmocka_unit_test(functions_count_in_their_kernel),
        cmocka_unit_test(a_branch_on_which_lanes_differ_is_divergent),
        cmocka_unit_test(a_loop_counts_each_round),
        cmocka_unit_test(lanes_that_leave_a_loop_one_by_one_differ_each_time),
        cmocka_unit_test(indexed_branches_and_guarded_ends_are_branches),
        cmocka_unit_test(addresses_in_a_row_are_as_few_transactions_as_can_be),
        cmocka_unit_test(a_row_that_is_not_aligned_takes_one_more),
        cmocka_unit_test(a_stride_takes_a_transaction_for_each_lane),
        cmocka_unit_test(one_address_is_one_transaction),
        cmocka_unit_test(lanes_in_any_order_share_transactions),
        cmocka_unit_test(banks_conflict_as_often_as_lanes_share_one),
        cmocka_unit_test(a_word_for_all_lanes_is_one_pass),
        cmocka_unit_test(wider_elements_take_the_warp_in_parts),
        cmocka_unit_test(atomics_on_one_word_take_a_pass_each),
        cmocka_unit_test(generic_addresses_count_where_they_lead),
        cmocka_unit_test(local_memory_and_constants_are_no_transactions),
        cmocka_unit_test(asynchronous_copies_load_and_store),
        cmocka_unit_test(counts_are_the_same_with_any_number_of_threads),
        cmocka_unit_test(launches_add_up),
    };
    return cmocka_run_group_tests(tests, open_profile, close_profile);
}
