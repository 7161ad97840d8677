/* Tests the sums of profiles and their file, without devices: kernels are numbers here. What the
 * counts of real kernels are is tested with the instruction sets. */
#include "sim_profile_state.h"
#include "support.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder;

static struct sim_profile_kernel kernel_of(const char *name, uint32_t blocks)
{
    return (struct sim_profile_kernel){.engine = "test",
                                       .model = "sm_80",
                                       .name = name,
                                       .grid = {blocks, 1, 1},
                                       .block = {64, 1, 1},
                                       .registers = 20,
                                       .lanes = 32,
                                       .transaction = 32,
                                       .line = 128,
                                       .warps_per_block = 2,
                                       .blocks_per_unit = 16,
                                       .warps_per_unit_max = 64,
                                       .limit = "blocks"};
}

static void launch(const char *name, uint32_t blocks, bool failed)
{
    struct sim_profile_kernel kernel = kernel_of(name, blocks);
    struct sim_profile_counts counts = {.branches = 3, .divergent = 1};
    struct sim_profile_launch *begun = sim_profile_begin(&kernel);
    sim_profile_instruction(&counts, SIM_CLASS_F32, 31);
    counts.executed[SIM_CLASS_SCALAR] = 2;
    counts.accesses[SIM_GLOBAL_LOAD] = (struct sim_access_counts){1, 32, 128, 4, 1, 128, 0, 0};
    counts.accesses[SIM_SHARED_STORE] = (struct sim_access_counts){1, 32, 128, 0, 0, 0, 5, 1};
    sim_profile_add(begun, &counts);
    sim_profile_end(begun, failed);
}

/* Runs act in a process of its own, where the folder is set, which ends as act does, or by exit.
 * Returns its status. */
static int in_process(void (*act)(void))
{
    pid_t child = fork();
    int status;
    if (child == 0) {
        setenv("ANYHIP_SIM_PROFILE", folder, 1);
        act();
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static unsigned file_count(void)
{
    unsigned count = 0;
    DIR *files = opendir(folder);
    const struct dirent *entry;
    while (files && (entry = readdir(files)))
        count += entry->d_name[0] != '.';
    if (files)
        closedir(files);
    return count;
}

/* What is in the only file of the folder. */
static cJSON *read_only_file(void)
{
    cJSON *parsed = NULL;
    DIR *files = opendir(folder);
    const struct dirent *entry;
    assert_non_null(files);
    while ((entry = readdir(files)))
        if (entry->d_name[0] != '.') {
            size_t size;
            char *text = ah_test_read_file(ah_test_print("%s/%s", folder, entry->d_name), &size);
            assert_null(parsed);
            parsed = cJSON_ParseWithLength(text, size);
            assert_non_null(parsed);
        }
    closedir(files);
    assert_non_null(parsed);
    return parsed;
}

/* A number by its path, "kernels.0.launches". */
static double at(const cJSON *object, const char *path)
{
    char *copy = strdup(path), *rest = copy, *word;
    while (object && (word = strsep(&rest, ".")))
        object = cJSON_IsArray(object) ? cJSON_GetArrayItem(object, atoi(word))
                                       : cJSON_GetObjectItemCaseSensitive(object, word);
    free(copy);
    if (!cJSON_IsNumber(object) && !cJSON_IsBool(object))
        fail_msg("there is no %s", path);
    return cJSON_IsTrue(object) ? 1 : cJSON_IsBool(object) ? 0 : object->valuedouble;
}

static void assert_at(const cJSON *object, const char *path, double value)
{
    if (at(object, path) != value)
        fail_msg("%s is %g, not %g", path, at(object, path), value);
}

static const char *text_at(const cJSON *profile, int kernel, const char *name)
{
    const cJSON *kernels = cJSON_GetObjectItemCaseSensitive(profile, "kernels");
    return cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(kernels, kernel), name));
}

/* ---- the file
 * ------------------------------------------------------------------------------------ */

static void launch_some(void)
{
    launch("_Z3addPf", 4, false);
    launch("_Z3addPf", 4, true);
    launch("_Z3addPf", 5, false);
    launch("a \"quoted\\ name\n", 4, false);
}

static void launches_add_up_by_kernel_and_shape(void **state)
{
    (void)state;
    assert_int_equal(in_process(launch_some), 0);
    cJSON *profile = read_only_file();
    assert_at(profile, "anyhip_profile", 1);
    assert_at(profile, "complete", 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(profile, "kernels")), 3);
    assert_string_equal(text_at(profile, 0, "name"), "_Z3addPf");
    assert_string_equal(text_at(profile, 0, "title"), "add(float*)");
    assert_string_equal(text_at(profile, 2, "title"), "a \"quoted\\ name\n");
    assert_at(profile, "kernels.0.launches", 2);
    assert_at(profile, "kernels.0.ended", 2);
    assert_at(profile, "kernels.0.failed", 1);
    assert_at(profile, "kernels.0.grid.0", 4);
    assert_at(profile, "kernels.1.grid.0", 5);
    assert_at(profile, "kernels.1.launches", 1);
    cJSON_Delete(profile);
}

static void every_count_has_its_place(void **state)
{
    (void)state;
    assert_int_equal(in_process(launch_some), 0);
    cJSON *profile = read_only_file();
    static const struct {
        const char *path;
        double value;
    } counts[] = {
        {"instructions.executed", 6},
        {"instructions.by_lanes", 2},
        {"instructions.lanes", 62},
        {"instructions.classes.float32.executed", 2},
        {"instructions.classes.float32.lanes", 62},
        {"instructions.classes.scalar_unit.executed", 4},
        {"branches", 6},
        {"divergent_branches", 2},
        {"memory.transaction_bytes", 32},
        {"memory.global_load.accesses", 2},
        {"memory.global_load.lanes", 64},
        {"memory.global_load.bytes", 256},
        {"memory.global_load.transactions", 8},
        {"memory.global_load.lines", 2},
        {"memory.global_load.bytes_moved", 256},
        {"memory.global_load.bytes_used", 256},
        {"memory.shared_store.passes", 10},
        {"memory.shared_store.conflicts", 8},
        {"occupancy.blocks_per_unit", 16},
        {"occupancy.warps_per_unit", 32},
        {"occupancy.warps_per_unit_max", 64},
        {"registers", 20},
        {"warp", 32},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_at(profile, ah_test_print("kernels.0.%s", counts[i].path), counts[i].value);
    assert_true(at(profile, "kernels.0.host.seconds") >= 0);
    cJSON_Delete(profile);
}

static void launch_many(void)
{
    for (uint32_t i = 1; i <= SIM_PROFILE_RECORDS + 500; i++)
        launch("many", i, false);
}

static void shapes_beyond_the_limit_have_one_sum(void **state)
{
    (void)state;
    assert_int_equal(in_process(launch_many), 0);
    cJSON *profile = read_only_file();
    assert_string_equal(text_at(profile, SIM_PROFILE_RECORDS, "title"), "(other kernels)");
    assert_at(profile, ah_test_print("kernels.%d.launches", SIM_PROFILE_RECORDS), 500);
    assert_at(profile, ah_test_print("kernels.%d.branches", SIM_PROFILE_RECORDS), 1500);
    cJSON_Delete(profile);
}

/* ---- ends of processes
 * ------------------------------------------------------------------------------ */

static void launch_and_be_killed(void)
{
    launch_some();
    while (file_count() == 0 || !sim_profile_write())
        usleep(1000);
    kill(getpid(), SIGKILL);
}

static void a_process_that_is_killed_leaves_what_was_written(void **state)
{
    (void)state;
    int status = in_process(launch_and_be_killed);
    assert_true(WIFSIGNALED(status));
    cJSON *profile = read_only_file();
    assert_at(profile, "complete", 0);
    assert_at(profile, "kernels.0.launches", 2);
    cJSON_Delete(profile);
}

static void launch_in_both(void)
{
    launch("parent", 1, false);
    pid_t child = fork();
    if (child == 0) {
        launch("child", 1, false);
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    launch("parent", 1, false);
}

static void a_child_has_a_file_of_its_own(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it ends a child of a process with threads that starts one */
#elif defined(__SANITIZE_ADDRESS__)
    skip(); /* gcc's allocator stays locked in the child if a thread was in it at the fork */
#endif
    assert_int_equal(in_process(launch_in_both), 0);
    assert_int_equal(file_count(), 2);
}

static void leave_a_file(void)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/%d-test.json", folder, (int)getpid());
    mkdir(folder, 0777);
    FILE *file = fopen(name, "w");
    fputs("{}", file);
    fclose(file);
    launch_some();
}

static void a_file_that_is_there_stays(void **state)
{
    (void)state;
    assert_int_equal(in_process(leave_a_file), 0);
    assert_int_equal(file_count(), 2);
}

static void write_nowhere(void)
{
    launch_some();
    if (sim_profile_write())
        exit(1);
    if (sim_profile_write()) /* is told once */
        exit(1);
}

static void a_folder_that_cannot_be_is_told_once(void **state)
{
    (void)state;
    folder = ah_test_path("none/deeper");
    ah_test_capture();
    assert_int_equal(in_process(write_nowhere), 0);
    const char *said = ah_test_captured();
    assert_int_equal(ah_test_count(said, "cannot be written: No such file or directory"), 1);
    assert_contains(said, "the profile in ");
}

static void launch_nothing(void)
{
    if (!sim_profile_on())
        exit(1);
}

static void nothing_is_written_without_launches(void **state)
{
    (void)state;
    assert_int_equal(in_process(launch_nothing), 0);
    assert_int_equal(file_count(), 0);
}

/* ---- counting
 * ------------------------------------------------------------------------------------------ */

static struct sim_access_counts memory_of(const uint64_t *at, uint64_t mask, unsigned bytes)
{
    struct sim_profile_counts counts = {0};
    sim_profile_memory(&counts, SIM_GLOBAL_LOAD,
                       &(struct sim_profile_access){at, mask, bytes, 32, 128});
    return counts.accesses[SIM_GLOBAL_LOAD];
}

static void overlaps_count_once(void **state)
{
    const uint64_t at[] = {1000, 1008, 992, 1000, 1004, 4096};
    (void)state;
    struct sim_access_counts counts = memory_of(at, 0x3f, 16);
    assert_int_equal(counts.accesses, 1);
    assert_int_equal(counts.lanes, 6);
    assert_int_equal(counts.bytes, 96);
    assert_int_equal(counts.distinct, 32 + 16); /* 992 to 1024, and 4096 to 4112 */
    assert_int_equal(counts.transactions, 2);
    assert_int_equal(counts.lines, 2);
    assert_int_equal(memory_of(at, 0x21, 16).transactions, 2);
    assert_int_equal(memory_of(at, 0, 16).accesses, 0);
}

static void elements_across_borders_take_both_sides(void **state)
{
    const uint64_t at[] = {124};
    (void)state;
    assert_int_equal(memory_of(at, 1, 8).transactions, 2);
    assert_int_equal(memory_of(at, 1, 8).lines, 2);
    assert_int_equal(memory_of(at, 1, 4).transactions, 1);
}

/* A model that is not the code's: passes by brute force over groups and banks. */
static unsigned passes_of(const uint64_t *at, uint64_t mask, unsigned group)
{
    unsigned passes = 0;
    for (unsigned first = 0; first < 64; first += group) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            uint64_t words[64];
            unsigned count = 0;
            for (unsigned lane = first; lane < first + group; lane++) {
                bool known = !(mask >> lane & 1) || at[lane] / 4 % 32 != bank;
                for (unsigned i = 0; i < count; i++)
                    known |= words[i] == at[lane] / 4;
                if (!known)
                    words[count++] = at[lane] / 4;
            }
            most = count > most ? count : most;
        }
        passes += most;
    }
    return passes;
}

static void passes_are_those_of_the_fullest_bank(void **state)
{
    uint64_t seed = 1, at[64];
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        struct sim_profile_counts counts = {0};
        uint64_t mask = ah_test_random(&seed) | ah_test_random(&seed);
        for (unsigned lane = 0; lane < 64; lane++)
            at[lane] = ah_test_random(&seed) % (1u << (4 + round % 10)) * 4;
        sim_profile_banks(&counts, SIM_SHARED_LOAD,
                          &(struct sim_profile_access){.at = at, .mask = mask, .bytes = 4});
        assert_int_equal(counts.accesses[SIM_SHARED_LOAD].passes, passes_of(at, mask, 32));
    }
}

static int set_up(void **state)
{
    int result = ah_test_set_up(state);
    ah_test_setenv("ANYHIP_CONFIG", NULL);
    ah_test_setenv("XDG_CONFIG_HOME", ah_test_path("none"));
    folder = ah_test_path("profile");
    return result;
}

int main(void)
{
#define RUN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, ah_test_tear_down)
    const struct CMUnitTest tests[] = {
        RUN_TEST(launches_add_up_by_kernel_and_shape),
        RUN_TEST(every_count_has_its_place),
        RUN_TEST(shapes_beyond_the_limit_have_one_sum),
        RUN_TEST(a_process_that_is_killed_leaves_what_was_written),
        RUN_TEST(a_child_has_a_file_of_its_own),
        RUN_TEST(a_file_that_is_there_stays),
        RUN_TEST(a_folder_that_cannot_be_is_told_once),
        RUN_TEST(nothing_is_written_without_launches),
        RUN_TEST(overlaps_count_once),
        RUN_TEST(elements_across_borders_take_both_sides),
        RUN_TEST(passes_are_those_of_the_fullest_bank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
