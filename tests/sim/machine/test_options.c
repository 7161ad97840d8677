/* Tests the settings of simulated devices, and faults on demand. */
#include <stdlib.h>

#include "sim_memory.h"
#include "sim_options.h"
#include "support.h"

static struct sim_options options;
static const char *said;

static const char *const variables[] = {
    "ANYHIP_SIM_DEVICES", "ANYHIP_SIM_MEMORY",   "ANYHIP_SIM_THREADS", "ANYHIP_SIM_SEED",
    "ANYHIP_SIM_CHECK",   "ANYHIP_SIM_UNITS",    "ANYHIP_SIM_SHARED",  "ANYHIP_SIM_FAULTS",
    "ANYHIP_SIM_TIMEOUT", "ANYHIP_SIM_PROGRESS", "ANYHIP_SIM_PROFILE",
};

static int set_up(void **state)
{
    int result = ah_test_set_up(state);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        ah_test_setenv(variables[i], NULL);
    ah_test_setenv("ANYHIP_CONFIG", NULL);
    ah_test_setenv("XDG_CONFIG_HOME", ah_test_path("none"));
    return result;
}

static int tear_down(void **state)
{
    (void)sim_fault_set(NULL);
    return ah_test_tear_down(state);
}

static void read_options(void)
{
    ah_test_capture();
    sim_options_read(&options);
    said = ah_test_captured();
}

static void use_file(const char *sim)
{
    ah_test_setenv("ANYHIP_CONFIG",
                   ah_test_write_text("sim.json", ah_test_print("{\"sim\": {%s}}", sim)));
}

static void nothing_set_leaves_the_defaults(void **state)
{
    (void)state;
    read_options();
    assert_string_equal(said, "");
    assert_string_equal(options.devices, "");
    assert_int_equal(options.memory, (size_t)16 << 30);
    assert_int_equal(options.run.threads, 0);
    assert_false(options.run.deterministic);
    assert_int_equal(options.checks, 0);
    assert_int_equal(options.compute_units, 0);
    assert_int_equal(options.shared_per_block, 0);
    assert_string_equal(options.faults, "");
    assert_string_equal(options.profile, "");
    assert_int_equal(options.run.timeout_ns, 0);
    assert_int_equal(options.run.progress_ns, 30000000000);
}

static void empty_variables_count_as_unset(void **state)
{
    (void)state;
    use_file("\"threads\": 3, \"seed\": \"5\", \"memory\": \"\"");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        ah_test_setenv(variables[i], "");
    read_options();
    assert_string_equal(said, "");
    assert_int_equal(options.run.threads, 3);
    assert_int_equal(options.run.seed, 5);
    assert_int_equal(options.memory, (size_t)16 << 30);
}

static void every_key_of_the_file_is_read(void **state)
{
    (void)state;
    use_file("\"devices\": \"sm_80*2,sm_90\", \"memory\": \"512MiB\", \"threads\": 3,"
             "\"seed\": \"0x2a\", \"checks\": [\"races\", \"sync\"], \"units\": 4,"
             "\"shared\": \"48KiB\", \"timeout\": \"2.5\", \"progress\": \"0\","
             "\"faults\": [\"alloc:2\", \"slow:5ms\"], \"profile\": \"counts\"");
    read_options();
    assert_string_equal(said, "");
    assert_string_equal(options.devices, "sm_80*2,sm_90");
    assert_int_equal(options.memory, 512 << 20);
    assert_int_equal(options.run.threads, 3);
    assert_true(options.run.deterministic);
    assert_int_equal(options.run.seed, 42);
    assert_int_equal(options.checks, SIM_CHECK_RACES | SIM_CHECK_SYNC);
    assert_int_equal(options.compute_units, 4);
    assert_int_equal(options.shared_per_block, 48 << 10);
    assert_string_equal(options.faults, "alloc:2,slow:5ms");
    assert_string_equal(options.profile, "counts");
    assert_int_equal(options.run.timeout_ns, 2500000000);
    assert_int_equal(options.run.progress_ns, 0);
}

static void every_variable_overrides_the_file(void **state)
{
    (void)state;
    use_file("\"devices\": \"x\", \"memory\": \"1MiB\", \"threads\": 1, \"seed\": \"1\","
             "\"checks\": [\"races\"], \"units\": 1, \"shared\": \"1\", \"faults\": [\"alloc:1\"],"
             "\"timeout\": \"1\", \"progress\": \"1\", \"profile\": \"x\"");
    static const char *const values[] = {"sm_90", "2GiB", "2",      "-1",   "uninitialised,sync",
                                         "2",     "2KiB", "lost:3", "0.25", "0",
                                         "counts"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        ah_test_setenv(variables[i], values[i]);
    read_options();
    assert_string_equal(said, "");
    assert_string_equal(options.devices, "sm_90");
    assert_int_equal(options.memory, (size_t)2 << 30);
    assert_int_equal(options.run.threads, 2);
    assert_true(options.run.seed == UINT64_MAX);
    assert_int_equal(options.checks, SIM_CHECK_UNINITIALISED | SIM_CHECK_SYNC);
    assert_int_equal(options.compute_units, 2);
    assert_int_equal(options.shared_per_block, 2048);
    assert_string_equal(options.faults, "lost:3");
    assert_string_equal(options.profile, "counts");
    assert_int_equal(options.run.timeout_ns, 250000000);
    assert_int_equal(options.run.progress_ns, 0);
}

static void what_is_profiled_is_not_compiled(void **state)
{
    (void)state;
    unsetenv("ANYHIP_SIM_JIT"); /* tests are run without */
    read_options();
    assert_int_equal(options.jit, SIM_JIT_ON);
    ah_test_setenv("ANYHIP_SIM_PROFILE", "counts"); /* unset again when the test ends */
    read_options();
    assert_int_equal(options.jit, SIM_JIT_OFF);
}

static void compiled_code_is_kept_in_a_folder_or_not_at_all(void **state)
{
    (void)state;
    read_options();
    assert_string_equal(options.jit_cache, "");
    ah_test_setenv("ANYHIP_SIM_JIT_CACHE", "off");
    read_options();
    assert_string_equal(options.jit_cache, "off");
}

static void text_that_does_not_parse_is_named_and_counts_as_unset(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
    } wrong[] = {
        {"ANYHIP_SIM_MEMORY", "much"},         {"ANYHIP_SIM_MEMORY", "0"},
        {"ANYHIP_SIM_MEMORY", "-1"},           {"ANYHIP_SIM_MEMORY", "1.5GiB"},
        {"ANYHIP_SIM_MEMORY", "16GiBs"},       {"ANYHIP_SIM_MEMORY", "99999999TiB"},
        {"ANYHIP_SIM_THREADS", "-1"},          {"ANYHIP_SIM_THREADS", "1025"},
        {"ANYHIP_SIM_THREADS", "all"},         {"ANYHIP_SIM_SEED", "dice"},
        {"ANYHIP_SIM_CHECK", "everything"},    {"ANYHIP_SIM_CHECK", "races,,sync"},
        {"ANYHIP_SIM_CHECK", "race"},          {"ANYHIP_SIM_UNITS", "4x"},
        {"ANYHIP_SIM_SHARED", "48QiB"},        {"ANYHIP_SIM_TIMEOUT", "soon"},
        {"ANYHIP_SIM_TIMEOUT", "-1"},          {"ANYHIP_SIM_TIMEOUT", "1."},
        {"ANYHIP_SIM_TIMEOUT", ".5"},          {"ANYHIP_SIM_TIMEOUT", "1s"},
        {"ANYHIP_SIM_TIMEOUT", "1e3"},         {"ANYHIP_SIM_PROGRESS", "1.5.2"},
        {"ANYHIP_SIM_PROGRESS", "9999999999"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ah_test_setenv(wrong[i].name, wrong[i].value);
        read_options();
        ah_test_setenv(wrong[i].name, NULL);
        assert_int_equal(ah_test_count_lines(said), 1);
        assert_contains(said, ah_test_print("%s=%s is not ", wrong[i].name, wrong[i].value));
        struct sim_options got = options;
        read_options();
        assert_memory_equal(&got, &options, sizeof options);
    }
    use_file("\"memory\": \"much\"");
    read_options();
    assert_contains(said, "sim.memory=much is not a size");
    ah_test_setenv("ANYHIP_SIM_DEVICES", ah_test_print("%0300d", 1));
    use_file("\"units\": 1");
    read_options();
    assert_string_equal(options.devices, "");
    assert_int_equal(ah_test_count_lines(said), 1);
}

static void sizes_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } sizes[] = {
        {"0", 0},
        {"4096", 4096},
        {"4096B", 4096},
        {"1k", 1024},
        {"1K", 1024},
        {"1KB", 1024},
        {"48KiB", 49152},
        {"3 MiB", 3 << 20},
        {"2g", 2ull << 30},
        {"1TiB", 1ull << 40},
        {"17179869183G", 17179869183ull << 30},
    };
    static const char *const wrong[] = {"",    " ",     "GiB",          "1 k i",
                                        "1ii", "1KiBB", "1e3",          "+1",
                                        " 1",  "0x10",  "17179869184G", "99999999999999999999"};
    size_t size;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(sim_parse_size(sizes[i].text, &size));
        assert_int_equal(size, sizes[i].size);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(sim_parse_size(wrong[i], &size));
}

static void all_checks_have_one_name(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_SIM_CHECK", "all");
    read_options();
    assert_int_equal(options.checks,
                     SIM_CHECK_UNINITIALISED | SIM_CHECK_RACES | SIM_CHECK_SYNC | SIM_CHECK_GUARDS);
}

/* ---- faults ------------------------------------------------------------------------------ */

static void without_faults_nothing_fails(void **state)
{
    (void)state;
    assert_true(sim_fault_set(NULL));
    assert_false(sim_fault_allocation(0, 100));
    assert_int_equal(sim_fault_launch("kernel"), SIM_FAULT_NONE);
    assert_int_equal(sim_fault_delay(), 0);
}

static void the_configured_allocation_fails(void **state)
{
    (void)state;
    assert_true(sim_fault_set("alloc:2,alloc:4"));
    for (int i = 1; i <= 5; i++)
        assert_int_equal(sim_fault_allocation(0, 1), i == 2 || i == 4);
    assert_true(sim_fault_set("alloc:1"));
    assert_true(sim_fault_allocation(1, 1));
    assert_false(sim_fault_allocation(1, 1));
}

static void devices_have_the_configured_free_memory(void **state)
{
    (void)state;
    const size_t bytes[] = {1 << 20, 1 << 20};
    assert_true(sim_space_open(bytes, 2));
    struct sim_memory *before = sim_memory_create(SIM_MEMORY_DEVICE, 0, 4096, 0);
    assert_true(sim_fault_set("memory:64KiB"));
    assert_true(sim_fault_allocation(0, 65537));
    assert_false(sim_fault_allocation(0, 65536));
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, 65536, 0);
    assert_true(sim_fault_allocation(0, 1));
    assert_false(sim_fault_allocation(1, 65536));
    sim_memory_destroy(memory);
    assert_false(sim_fault_allocation(0, 65536));
    sim_memory_destroy(before);
    sim_space_close();
}

static void the_configured_launch_fails(void **state)
{
    (void)state;
    assert_true(sim_fault_set("launch:2"));
    for (int i = 1; i <= 4; i++)
        assert_int_equal(sim_fault_launch("k"), i == 2 ? SIM_FAULT_LAUNCH : SIM_FAULT_NONE);
}

static void launches_of_a_named_kernel_fail(void **state)
{
    (void)state;
    assert_true(sim_fault_set("kernel:add,kernel:_Z3subPf"));
    static const char *const failing[] = {"add", "_Z3addPfS_", "_Z3subPf"};
    static const char *const others[] = {"added", "_Z5addedPf", "sub", "_Z3subPd", "_ZN1a3addEv"};
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++)
        assert_int_equal(sim_fault_launch(failing[i]), SIM_FAULT_LAUNCH);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(sim_fault_launch(others[i]), SIM_FAULT_NONE);
}

static void the_loss_of_one_device_is_reported_once(void **state)
{
    (void)state;
    assert_true(sim_fault_set("lost:2,launch:2"));
    assert_int_equal(sim_fault_launch("k"), SIM_FAULT_NONE);
    assert_int_equal(sim_fault_launch("k"), SIM_FAULT_LOST);
    for (int i = 0; i < 3; i++) /* on another device */
        assert_int_equal(sim_fault_launch("k"), SIM_FAULT_NONE);
}

static void delays_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t nanoseconds;
    } delays[] = {
        {"slow:5ms", 5000000}, {"slow:200us", 200000}, {"slow:2s", 2000000000}, {"slow:7ns", 7}};
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        assert_true(sim_fault_set(delays[i].text));
        assert_int_equal(sim_fault_delay(), delays[i].nanoseconds);
    }
}

static void faults_that_do_not_parse_are_named_and_change_nothing(void **state)
{
    (void)state;
    static const char *const wrong[] = {"alloc",     "alloc:",  "alloc:0",    "alloc:x",
                                        "alloc:-1",  "memory:", "memory:lot", "kernel:",
                                        "launch:1x", "lost:",   "slow:5",     "slow:ms",
                                        "slow:-1ms", "crash:1", ":1",         "slow:5min"};
    assert_true(sim_fault_set("alloc:1"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ah_test_capture();
        bool good = sim_fault_set(ah_test_print("launch:1,%s", wrong[i]));
        said = ah_test_captured();
        assert_false(good);
        assert_int_equal(ah_test_count_lines(said), 1);
        assert_contains(said, ah_test_print("\"%s\" is not a fault", wrong[i]));
    }
    ah_test_capture();
    bool good = sim_fault_set(ah_test_print("kernel:%0300d", 1));
    (void)ah_test_captured();
    assert_false(good);
    assert_true(sim_fault_allocation(0, 1));
}

#define OPTIONS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPTIONS_TEST(nothing_set_leaves_the_defaults),
        OPTIONS_TEST(empty_variables_count_as_unset),
        OPTIONS_TEST(every_key_of_the_file_is_read),
        OPTIONS_TEST(every_variable_overrides_the_file),
        OPTIONS_TEST(text_that_does_not_parse_is_named_and_counts_as_unset),
        OPTIONS_TEST(what_is_profiled_is_not_compiled),
        OPTIONS_TEST(compiled_code_is_kept_in_a_folder_or_not_at_all),
        OPTIONS_TEST(sizes_have_units),
        OPTIONS_TEST(all_checks_have_one_name),
        OPTIONS_TEST(without_faults_nothing_fails),
        OPTIONS_TEST(the_configured_allocation_fails),
        OPTIONS_TEST(devices_have_the_configured_free_memory),
        OPTIONS_TEST(the_configured_launch_fails),
        OPTIONS_TEST(launches_of_a_named_kernel_fail),
        OPTIONS_TEST(the_loss_of_one_device_is_reported_once),
        OPTIONS_TEST(delays_have_units),
        OPTIONS_TEST(faults_that_do_not_parse_are_named_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
