/* Counts of AMDGPU code (profile_code.S), on waves of 32 and 64 lanes: each is computed by hand
 * here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel.h"
#include "sim_profile_state.h"

enum { ITEMS = 64, MODELS = 6 };

static const char *const models[MODELS] = {"gfx900",  "gfx90a",  "gfx942",
                                           "gfx1010", "gfx1030", "gfx1100"};
static struct code *codes[MODELS];
static struct sim_profile_counts counts;

#define EACH(code) for (struct code **code = codes; code < codes + MODELS; code++)

static void count_groups(struct code *code, const char *kernel, uint32_t groups)
{
    struct sim_memory *memory = device_memory(64 << 10);
    struct run run = {.grid = {groups * ITEMS}, .group = {ITEMS}};
    assert_int_equal(memory->address % 256, 0);
    sim_profile_forget();
    assert_int_equal(run_kernel(code, kernel, &run, &memory->address, sizeof memory->address).kind,
                     AMDGPU_END_OK);
    assert_true(sim_profile_find(kernel, &counts));
    sim_memory_destroy(memory);
}

/* Runs a group of 64 work-items; counts gets what the kernel did. Returns its waves. */
static unsigned count(struct code *code, const char *kernel)
{
    count_groups(code, kernel, 1);
    return ITEMS / code->device.model.lanes;
}

static void assert_access(enum sim_access_kind kind, uint64_t accesses, uint64_t lanes,
                          uint64_t bytes)
{
    assert_int_equal(counts.accesses[kind].accesses, accesses);
    assert_int_equal(counts.accesses[kind].lanes, lanes);
    assert_int_equal(counts.accesses[kind].bytes, bytes);
}

static void assert_moved(enum sim_access_kind kind, uint64_t transactions, uint64_t distinct)
{
    assert_int_equal(counts.accesses[kind].transactions, transactions);
    assert_int_equal(counts.accesses[kind].lines, transactions);
    assert_int_equal(counts.accesses[kind].distinct, distinct);
}

static void assert_passes(enum sim_access_kind kind, uint64_t passes, uint64_t conflicts)
{
    assert_int_equal(counts.accesses[kind].passes, passes);
    assert_int_equal(counts.accesses[kind].passes - counts.accesses[kind].least, conflicts);
}

static unsigned line_of(const struct code *code)
{
    static const char *const narrow[] = {"gfx900", "gfx906", "gfx908", "gfx90a"};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (strcmp(code->device.model.name, narrow[i]) == 0)
            return 64;
    return 128;
}

/* ---- global memory -----------------------------------------------------------------------------
 */

static void addresses_in_a_row_are_whole_lines(void **state)
{
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "row"), line = line_of(*code);
        assert_access(SIM_GLOBAL_LOAD, waves, 64, 256);
        assert_moved(SIM_GLOBAL_LOAD, 256 / line, 256);
        assert_access(SIM_GLOBAL_STORE, waves, 64, 256);
        assert_moved(SIM_GLOBAL_STORE, 256 / line, 256);
        assert_int_equal(counts.executed[SIM_CLASS_GLOBAL_LOAD], waves);
        assert_int_equal(counts.executed[SIM_CLASS_GLOBAL_STORE], waves);
        count(*code, "wide_row");
        assert_access(SIM_GLOBAL_LOAD, waves, 64, 1024);
        assert_moved(SIM_GLOBAL_LOAD, 1024 / line, 1024);
    }
}

static void a_stride_of_64_bytes_uses_a_part_of_each_line(void **state)
{
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "stride");
        assert_access(SIM_GLOBAL_LOAD, waves, 64, 256);
        assert_moved(SIM_GLOBAL_LOAD, 4096 / line_of(*code), 256);
    }
}

static void one_address_is_one_line_of_each_wave(void **state)
{
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "same");
        assert_access(SIM_GLOBAL_LOAD, waves, 64, 256);
        assert_moved(SIM_GLOBAL_LOAD, waves, 4 * waves);
        assert_access(SIM_GLOBAL_ATOMIC, waves, 64, 256);
        assert_moved(SIM_GLOBAL_ATOMIC, waves, 4 * waves);
        assert_int_equal(counts.executed[SIM_CLASS_ATOMIC], waves);
    }
}

/* ---- LDS
 * ------------------------------------------------------------------------------------------ */

static void banks_conflict_as_often_as_lanes_share_one(void **state)
{
    static const struct {
        const char *kernel;
        unsigned degree;
    } cases[] = {{"banks_1", 1}, {"banks_2", 2}, {"banks_4", 4}, {"banks_32", 32}};
    (void)state;
    EACH(code)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned waves = count(*code, cases[i].kernel), degree = cases[i].degree;
        assert_access(SIM_SHARED_LOAD, waves, 64, 256);
        assert_passes(SIM_SHARED_LOAD, 2 * degree, 2 * (degree - 1));
        assert_access(SIM_SHARED_STORE, waves, 64, 256);
        assert_passes(SIM_SHARED_STORE, 2 * degree, 2 * (degree - 1));
    }
}

static void a_word_for_all_lanes_is_a_conflict_of_atomics_alone(void **state)
{
    (void)state;
    EACH(code)
    {
        count(*code, "broadcast");
        assert_passes(SIM_SHARED_LOAD, 2, 0);
        assert_passes(SIM_SHARED_ATOMIC, 64, 62);
    }
}

static void wider_elements_take_the_wave_in_parts(void **state)
{
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "wide_banks");
        assert_access(SIM_SHARED_LOAD, waves, 64, 512);
        assert_passes(SIM_SHARED_LOAD, 4, 0);
        count(*code, "two_elements");
        assert_access(SIM_SHARED_LOAD, 2 * waves, 128, 512);
        assert_passes(SIM_SHARED_LOAD, 8, 4);
    }
}

static void flat_addresses_count_where_they_lead(void **state)
{
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "generic");
        assert_int_equal(counts.executed[SIM_CLASS_GENERIC_LOAD], waves);
        assert_access(SIM_SHARED_LOAD, waves, 64, 256);
        assert_passes(SIM_SHARED_LOAD, 2, 0);
        assert_access(SIM_GLOBAL_LOAD, 0, 0, 0);
    }
}

/* ---- instructions and branches
 * ------------------------------------------------------------------- */

static void a_branch_that_leaves_lanes_behind_is_divergent(void **state)
{
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "branch");
        assert_int_equal(counts.branches, waves);
        assert_int_equal(counts.divergent, 1); /* no lane of another wave goes on */
        assert_int_equal(counts.executed[SIM_CLASS_F32], 1);
        assert_int_equal(counts.lanes[SIM_CLASS_F32], 10);
        assert_int_equal(counts.executed[SIM_CLASS_F64], waves);
        assert_int_equal(counts.lanes[SIM_CLASS_F64], 64);
    }
}

static void a_loop_counts_each_round(void **state)
{
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "loop");
        assert_int_equal(counts.branches, 10 * waves);
        assert_int_equal(counts.divergent, 0);
        assert_int_equal(counts.executed[SIM_CLASS_F32], 10 * waves);
        assert_int_equal(counts.lanes[SIM_CLASS_F32], 640);
        assert_int_equal(counts.executed[SIM_CLASS_SCALAR], 21 * waves);
        assert_int_equal(counts.lanes[SIM_CLASS_SCALAR], 0);
        assert_int_equal(counts.executed[SIM_CLASS_CONTROL], 12 * waves);
        assert_int_equal(counts.by_lanes, 12 * waves); /* and two integers */
    }
}

static void instructions_count_by_class(void **state)
{
    static const uint64_t executed[SIM_CLASS_COUNT] = {
        [SIM_CLASS_MOVE] = 1,    [SIM_CLASS_HALF] = 1,    [SIM_CLASS_SPECIAL] = 2,
        [SIM_CLASS_CONVERT] = 2, [SIM_CLASS_COMPARE] = 2, [SIM_CLASS_F32] = 1,
        [SIM_CLASS_INT] = 3,     [SIM_CLASS_WARP] = 3,    [SIM_CLASS_SCALAR] = 1,
        [SIM_CLASS_BARRIER] = 1, [SIM_CLASS_CONTROL] = 2, [SIM_CLASS_CONSTANT] = 1};
    (void)state;
    EACH(code)
    {
        unsigned waves = count(*code, "classes");
        for (unsigned i = 0; i < SIM_CLASS_COUNT; i++)
            if (counts.executed[i] != executed[i] * waves)
                fail_msg("%s: class %u: %u", (*code)->device.model.name, i,
                         (unsigned)counts.executed[i]);
        assert_int_equal(counts.lanes[SIM_CLASS_INT], 3 * 64);
    }
}

/* Each row has the class that its name says. */
static void rows_have_the_classes_of_their_names(void **state)
{
    static const struct {
        const char *name;
        enum sim_class kind;
    } cases[] = {
        {"v_exp_f32", SIM_CLASS_SPECIAL},
        {"v_sin_f16", SIM_CLASS_SPECIAL},
        {"v_cvt_i32_f64", SIM_CLASS_CONVERT},
        {"v_cvt_u32_u16", SIM_CLASS_CONVERT},
        {"v_cvt_f16_f32", SIM_CLASS_CONVERT},
        {"v_not_b32", SIM_CLASS_INT},
        {"v_mov_b32", SIM_CLASS_MOVE},
        {"v_swap_b32", SIM_CLASS_MOVE},
        {"v_accvgpr_read_b32", SIM_CLASS_MOVE},
        {"v_readfirstlane_b32", SIM_CLASS_WARP},
        {"v_permlanex16_b32", SIM_CLASS_WARP},
        {"ds_bpermute_b32", SIM_CLASS_WARP},
        {"v_mfma_f32_32x32x1f32", SIM_CLASS_MATRIX},
        {"v_pk_fma_f16", SIM_CLASS_HALF},
        {"v_fma_f64", SIM_CLASS_F64},
        {"v_cmp_eq_u32", SIM_CLASS_COMPARE},
        {"v_cmpx_lt_f32", SIM_CLASS_COMPARE},
        {"v_addc_co_u32", SIM_CLASS_INT},
        {"s_and_b64", SIM_CLASS_SCALAR},
        {"s_cbranch_execz", SIM_CLASS_CONTROL},
        {"s_setpc_b64", SIM_CLASS_CONTROL},
        {"s_barrier", SIM_CLASS_BARRIER},
        {"s_load_dword", SIM_CLASS_CONSTANT},
        {"s_dcache_inv", SIM_CLASS_FENCE},
        {"ds_read_b128", SIM_CLASS_SHARED_LOAD},
        {"ds_write2_b32", SIM_CLASS_SHARED_STORE},
        {"ds_add_rtn_u32", SIM_CLASS_ATOMIC},
        {"ds_gws_barrier", SIM_CLASS_BARRIER},
        {"global_load_ubyte", SIM_CLASS_GLOBAL_LOAD},
        {"global_atomic_add", SIM_CLASS_ATOMIC},
        {"scratch_store_dword", SIM_CLASS_LOCAL_STORE},
        {"flat_store_dword", SIM_CLASS_GENERIC_STORE},
        {"buffer_load_dword", SIM_CLASS_GENERIC_LOAD},
        {"buffer_wbinvl1", SIM_CLASS_FENCE},
        {"image_sample", SIM_CLASS_TEXTURE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct amdgpu_row *row = NULL;
        for (size_t at = 0; (row = amdgpu_row_at(at)); at++)
            if (strcmp(row->name, cases[i].name) == 0)
                break;
        if (!row)
            fail_msg("no row is called %s", cases[i].name);
        struct amdgpu_inst inst = {.row = row};
        if (amdgpu_class_of(&inst) != cases[i].kind)
            fail_msg("%s has class %d", cases[i].name, (int)amdgpu_class_of(&inst));
    }
}

/* ---- always the same
 * -------------------------------------------------------------------------------- */

static void counts_are_the_same_with_any_number_of_threads(void **state)
{
    static const char *const kernels[] = {"row", "banks_4", "branch", "loop", "classes"};
    struct sim_profile_counts first[5] = {0};
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        sim_run_stop();
        sim_run_configure(&(struct sim_run_settings){.threads = threads});
        for (size_t i = 0; i < 5; i++) {
            count_groups(codes[1], kernels[i], 200);
            if (threads == 1)
                first[i] = counts;
            assert_memory_equal(&first[i], &counts, sizeof counts);
        }
    }
    assert_int_equal(counts.executed[SIM_CLASS_BARRIER], 200);
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){.threads = 0});
}

static char folder[] = "/tmp/anyhip-test-profile-XXXXXX";

static int open_all(void **state)
{
    if (!mkdtemp(folder) || setenv("ANYHIP_SIM_PROFILE", folder, 1) != 0 || space_open(state))
        return -1;
    for (size_t i = 0; i < MODELS; i++)
        codes[i] = code_open("profile", models[i]);
    return 0;
}

/* Nothing is written after this. */
static int close_all(void **state)
{
    char command[100];
    EACH(code) code_close(*code);
    int result = space_close(state);
    bool written = sim_profile_write();
    sim_profile_forget();
    snprintf(command, sizeof command, "rm -r %s", folder);
    return written && system(command) == 0 ? result : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_in_a_row_are_whole_lines),
        cmocka_unit_test(a_stride_of_64_bytes_uses_a_part_of_each_line),
        cmocka_unit_test(one_address_is_one_line_of_each_wave),
        cmocka_unit_test(banks_conflict_as_often_as_lanes_share_one),
        cmocka_unit_test(a_word_for_all_lanes_is_a_conflict_of_atomics_alone),
        cmocka_unit_test(wider_elements_take_the_wave_in_parts),
        cmocka_unit_test(flat_addresses_count_where_they_lead),
        cmocka_unit_test(a_branch_that_leaves_lanes_behind_is_divergent),
        cmocka_unit_test(a_loop_counts_each_round),
        cmocka_unit_test(instructions_count_by_class),
        cmocka_unit_test(rows_have_the_classes_of_their_names),
        cmocka_unit_test(counts_are_the_same_with_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
