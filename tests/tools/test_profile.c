/* Tests `anyhip profile` with a program that launches kernels on a simulated device (counted.c). */
#include "command.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTED AH_TEST_COUNTED, AH_TEST_SIMCUDA

static int set_up(void **state)
{
    int result = ah_test_without_driver(state);
    ah_test_setenv("ANYHIP_BACKEND", "simcuda");
    ah_test_setenv("ANYHIP_SIM_DEVICES", "sm_80");
    ah_test_setenv("TMPDIR", ah_test_path(""));
    return result;
}

static struct ah_test_run good(struct ah_test_run run)
{
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    return run;
}

static cJSON *parsed(const char *text)
{
    cJSON *json = cJSON_Parse(text);
    if (!json)
        fail_msg("it is not JSON: %s", text);
    return json;
}

/* The kernels of a process of a profile. */
static const cJSON *kernels_of(const cJSON *profile, int process)
{
    const cJSON *processes = cJSON_GetObjectItemCaseSensitive(profile, "processes");
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(processes, process), "kernels");
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

/* Writes a profile of a run for blocks blocks; returns the name of its file. */
static const char *profile_of(const char *name, const char *blocks)
{
    const char *file = ah_test_path(name);
    good(anyhip("profile", "-o", file, COUNTED, blocks));
    return file;
}

/* ---- what is printed ----------------------------------------------------------------------------
 */

static void text_has_each_kernel_with_its_counts(void **state)
{
    (void)state;
    struct ah_test_run run = good(anyhip("profile", COUNTED, "3", "3", "5"));
    assert_contains(run.out, "walk(float*), on simulated sm_80\n");
    assert_contains(run.out, "  2 launches of (3,1,1) blocks of (64,1,1) threads");
    assert_contains(run.out, "  1 launch of (5,1,1) blocks of (64,1,1) threads");
    /* 2 launches of 3 blocks of 2 warps, 6 instructions each */
    assert_contains(run.out, "  instructions                       72  32.00 of 32 lanes active\n");
    assert_contains(run.out, "    global load                      12   16.7%\n");
    assert_contains(run.out, "    constant                         12   16.7%\n");
    assert_contains(run.out, "  branches                            0  0 with lanes that differ");
    assert_contains(run.out, "    global load                      12             48       1536 B"
                             "       1536 B   100.0%\n");
    assert_contains(run.out, "    global store                     12             12       1536 B"
                             "        384 B    12.5%\n");
    assert_contains(run.out, "100.0%  64 of 64 warps, 32 blocks; the limit: ");
    assert_contains(run.out, "  time of the host ");
}

static void json_is_alone_on_standard_output(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("profile", "--json", COUNTED, "print", "4");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "the program's own line\n");
    cJSON *profile = parsed(run.out);
    assert_int_equal(number(profile, "anyhip_profile"), 1);
    assert_int_equal(number(profile, "status"), 0);
    const cJSON *kernel = cJSON_GetArrayItem(kernels_of(profile, 0), 0);
    assert_int_equal(number(kernel, "launches"), 1);
    assert_int_equal(number(cJSON_GetObjectItemCaseSensitive(kernel, "instructions"), "executed"),
                     4 * 2 * 6);
    cJSON_Delete(profile);
}

static void a_file_gets_json_beside_the_text(void **state)
{
    (void)state;
    const char *file = ah_test_path("profile.json");
    struct ah_test_run run = good(anyhip("profile", "-o", file, COUNTED, "print", "4"));
    assert_contains(run.out, "the program's own line\n");
    assert_contains(run.out, "walk(float*)");
    cJSON *profile = parsed(ah_test_read_file(file, &(size_t){0}));
    assert_int_equal(cJSON_GetArraySize(kernels_of(profile, 0)), 1);
    cJSON_Delete(profile);
    run = good(anyhip("profile", "--json", "-o", file, COUNTED, "print", "4"));
    assert_string_equal(run.out, "the program's own line\n");
}

static void the_option_for_devices_chooses_them(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", NULL);
    struct ah_test_run run =
        anyhip("profile", "--device", "sm_90,gfx90a", "/bin/sh", "-c", "echo \"$ANYHIP_BACKEND\"");
    assert_string_equal(run.out, "simcuda:sm_90,simhsa:gfx90a\n");
}

static void each_process_has_its_part(void **state)
{
    (void)state;
    struct ah_test_run run = good(anyhip("profile", "--json", COUNTED, "child", "4"));
    cJSON *profile = parsed(run.out);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(profile, "processes")), 2);
    double blocks[2];
    for (int i = 0; i < 2; i++)
        blocks[i] = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(
                                           cJSON_GetArrayItem(kernels_of(profile, i), 0), "grid"),
                                       0)
                        ->valuedouble;
    assert_int_equal(blocks[0] + blocks[1], 11);
    cJSON_Delete(profile);
}

static void nothing_is_left_in_the_folder_for_temporary_files(void **state)
{
    (void)state;
    const struct dirent *entry;
    good(anyhip("profile", COUNTED, "child", "4"));
    DIR *files = opendir(ah_test_path(""));
    assert_non_null(files);
    while ((entry = readdir(files)))
        assert_null(strstr(entry->d_name, "anyhip-profile"));
    closedir(files);
}

/* ---- comparing
 * ------------------------------------------------------------------------------------- */

static void the_same_counts_are_the_same(void **state)
{
    (void)state;
    const char *old = profile_of("old.json", "4");
    for (int threads = 1; threads <= 2; threads++) {
        ah_test_setenv("ANYHIP_SIM_THREADS", ah_test_print("%d", threads));
        struct ah_test_run run = good(anyhip("profile", "--compare", old, COUNTED, "4"));
        assert_string_equal(run.out, ah_test_print("the same counts as in %s\n", old));
    }
}

static void what_changed_is_told_with_status_1(void **state)
{
    (void)state;
    const char *old = profile_of("old.json", "4");
    struct ah_test_run run = anyhip("profile", "--compare", old, COUNTED, "4", "4");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.err, "");
    assert_contains(run.out, "walk(float*), grid [4,1,1], block [64,1,1], on simulated sm_80\n");
    assert_contains(run.out, "  launches                                                   1 "
                             "              2  +100.00%\n");
    assert_contains(run.out, "  memory.global_store.transactions                           8 "
                             "             16  +100.00%\n");
    assert_lacks(run.out, "registers");
    assert_lacks(run.out, "seconds");
}

static void kernels_that_come_and_go_are_named(void **state)
{
    (void)state;
    const char *old = profile_of("old.json", "4");
    struct ah_test_run run = anyhip("profile", "--compare", old, COUNTED, "5");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out,
                        "walk(float*), grid [4,1,1], block [64,1,1], on simulated sm_80: is gone\n"
                        "walk(float*), grid [5,1,1], block [64,1,1], on simulated sm_80: is new\n");
}

/* ---- what goes wrong
 * ------------------------------------------------------------------------------- */

static void assert_fails(struct ah_test_run run, int status, const char *message)
{
    assert_contains(run.err, message);
    assert_int_equal(run.status, status);
}

static void the_status_of_the_program_comes_first(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("profile", COUNTED, "4", "exit", "7");
    assert_int_equal(run.status, 7);
    assert_contains(run.out, "walk(float*)");
    const char *old = profile_of("old.json", "4");
    assert_int_equal(anyhip("profile", "--compare", old, COUNTED, "5", "exit", "7").status, 7);
}

static void a_program_that_is_killed_has_a_profile(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("profile", COUNTED, "4", "abort");
    assert_fails(run, 128 + SIGKILL, "was killed by signal 9");
    assert_contains(run.out, "  it did not end by itself: work of its last moments may be missing");
    assert_contains(run.out, "walk(float*)");
}

static void a_program_without_kernels_is_told(void **state)
{
    (void)state;
    assert_fails(anyhip("profile", "/bin/true"), 1,
                 "/bin/true: no kernel has run on a simulated device");
    assert_fails(anyhip("profile", "/bin/sh", "-c", "exit 5"), 5, "no kernel has run");
}

static void a_program_that_cannot_be_started_is_named(void **state)
{
    (void)state;
    assert_fails(anyhip("profile", "no-such-program"), 127,
                 "anyhip: no-such-program: No such file or directory\n");
    assert_fails(anyhip("profile", ah_test_path("")), 126, "Permission denied\n");
}

static void a_file_that_cannot_be_written_stops_it_at_once(void **state)
{
    (void)state;
    struct ah_test_run run =
        anyhip("profile", "-o", ah_test_path("none/x.json"), COUNTED, "print", "4");
    assert_fails(run, 1, "none/x.json: No such file or directory\n");
    assert_string_equal(run.out, "");
    ah_test_setenv("TMPDIR", ah_test_path("none"));
    assert_fails(anyhip("profile", COUNTED, "4"), 1, "No such file or directory\n");
}

static void old_profiles_that_cannot_be_read_stop_it_at_once(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "it is no profile: it is not JSON"},
        {"{\"anyhip_profile\": 1, \"processes\": [", "it is no profile: it is not JSON"},
        {"[1]", "it is no profile: it has no \"anyhip_profile\""},
        {"{\"schema\": 1}", "it is no profile: it has no \"anyhip_profile\""},
        {"{\"anyhip_profile\": 2}", "it is a profile of version 2; this anyhip reads version 1"},
        {"{\"anyhip_profile\": 1}", "it is no profile: \"processes\" or what is in it is missing"},
        {"{\"anyhip_profile\": 1, \"processes\": [{}]}", "\"processes\" or what is in it"},
        {"{\"anyhip_profile\": 1, \"processes\": [{\"kernels\": [{}]}]}", "\"processes\" or what"},
        {"{\"anyhip_profile\": 1, \"processes\": [7]}", "\"processes\" or what is in it"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *old = ah_test_write_text("old.json", cases[i].text);
        struct ah_test_run run = anyhip("profile", "--compare", old, COUNTED, "print", "4");
        assert_fails(run, 1, ah_test_print("old.json: %s", ""));
        assert_contains(run.err, cases[i].message);
        assert_string_equal(run.out, "");
    }
    assert_fails(anyhip("profile", "--compare", ah_test_path("none"), COUNTED), 1,
                 "none: No such file or directory\n");
    assert_fails(anyhip("profile", "--compare", ah_test_path(""), COUNTED), 1, "Is a directory\n");
}

static void a_process_that_writes_nonsense_is_named(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("profile", "/bin/sh", "-c",
                                    "mkdir -p $ANYHIP_SIM_PROFILE;"
                                    "echo '{\"anyhip_profile\": 1}' >$ANYHIP_SIM_PROFILE/1-x.json;"
                                    "echo x >$ANYHIP_SIM_PROFILE/2-x.json;"
                                    ": >$ANYHIP_SIM_PROFILE/3-x.json");
    assert_fails(run, 1, "1-x.json: it is no profile: \"kernels\" or what is in it is missing\n");
    assert_contains(run.err, "2-x.json: it is no profile: it is not JSON\n");
    assert_lacks(run.err, "3-x.json");
}

static void a_gpu_is_refused_with_the_profilers_for_it(void **state)
{
    (void)state;
    const char *message = "counts on simulated devices, and the program would run on";
    ah_test_setenv("ANYHIP_BACKEND", NULL);
    ah_test_setenv("ANYHIP_SIM_DEVICES", NULL);
    assert_fails(anyhip("profile", "--device", "cuda", COUNTED, "4"), 2, message);
    struct ah_test_run run = anyhip("profile", "--device", "hsa", COUNTED, "4");
    assert_fails(run, 2, message);
    assert_contains(run.err, "NVIDIA's ncu and AMD's rocprofv3");
    ah_test_setenv("ANYHIP_BACKEND", "cuda");
    assert_fails(anyhip("profile", COUNTED, "4"), 2, "would run on cuda: name one");
    ah_test_setenv("ANYHIP_BACKEND", NULL);
    ah_test_use_devices("80");
    assert_fails(anyhip("profile", COUNTED, "4"), 2, "would run on AnyHIP simulated sm_80: ");
    good(anyhip("profile", "--device", "sm_80", COUNTED, "4"));
}

static void amds_runtime_may_have_simulated_gpus(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_SIM_DEVICES", "gfx90a");
    assert_fails(anyhip("profile", "--device", "hsa", "/bin/true"), 1, "no kernel has run");
}

static void what_is_misspelt_is_refused(void **state)
{
    (void)state;
    assert_fails(anyhip("profile"), 2, "anyhip: profile needs a program; `anyhip --help`");
    assert_fails(anyhip("profile", "-o"), 2, "profile -o needs a value");
    assert_fails(anyhip("profile", "--jsn", "x"), 2,
                 "profile the command line has no \"--jsn\" (did you mean \"--json\"?): options are "
                 "--device, --json, -o and --compare");
    assert_fails(anyhip("profile", "--json=yes", "x"), 2, "profile --json takes no value");
    assert_fails(anyhip("profile", "--device", "sm80", "x"), 2,
                 "anyhip: profile --device has no \"sm80\"");
}

int main(void)
{
#define RUN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, ah_test_tear_down)
    const struct CMUnitTest tests[] = {
        RUN_TEST(text_has_each_kernel_with_its_counts),
        RUN_TEST(json_is_alone_on_standard_output),
        RUN_TEST(a_file_gets_json_beside_the_text),
        RUN_TEST(the_option_for_devices_chooses_them),
        RUN_TEST(each_process_has_its_part),
        RUN_TEST(nothing_is_left_in_the_folder_for_temporary_files),
        RUN_TEST(the_same_counts_are_the_same),
        RUN_TEST(what_changed_is_told_with_status_1),
        RUN_TEST(kernels_that_come_and_go_are_named),
        RUN_TEST(the_status_of_the_program_comes_first),
        RUN_TEST(a_program_that_is_killed_has_a_profile),
        RUN_TEST(a_program_without_kernels_is_told),
        RUN_TEST(a_program_that_cannot_be_started_is_named),
        RUN_TEST(a_file_that_cannot_be_written_stops_it_at_once),
        RUN_TEST(old_profiles_that_cannot_be_read_stop_it_at_once),
        RUN_TEST(a_process_that_writes_nonsense_is_named),
        RUN_TEST(a_gpu_is_refused_with_the_profilers_for_it),
        RUN_TEST(amds_runtime_may_have_simulated_gpus),
        RUN_TEST(what_is_misspelt_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
