/* Tests that exactly the requested drivers are opened at the start. */
#include "without_driver.h"

#include <string.h>
#include <unistd.h>

static void a_backend_that_does_not_exist_is_reported(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", "rocm");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "0 devices, hipErrorNoDevice\n");
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_contains(run.err, "there is no backend \"rocm\" in this build; it has: cuda, ");
}

static void backends_beside_one_that_does_not_exist_are_opened(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", "rocm,cuda");
    ah_test_setenv("AMD_LOG_LEVEL", "1");
    struct ah_test_run run = ah_test_call("count");
    assert_contains(run.err, "there is no backend \"rocm\"");
    assert_contains(run.err, "cuda: tried ");
}

static void junk_in_the_list_of_backends_is_reported(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", "cuda*none");
    struct ah_test_run run = ah_test_call("count");
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_contains(run.err, "ANYHIP_BACKEND: \"cuda*none\" is not name[:model][*count]: ignored");
}

static void the_configurations_backends_count_where_the_variable_is_unset(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_CONFIG", ah_test_write_text("c.json", "{\"backends\": [\"rocm\"]}"));
    assert_string_equal(ah_test_call("count").err, "");
    ah_test_setenv("ANYHIP_BACKEND", NULL);
    assert_contains(ah_test_call("count").err, "there is no backend \"rocm\"");
    ah_test_setenv("ANYHIP_BACKEND", "");
    assert_contains(ah_test_call("count").err, "there is no backend \"rocm\"");
}

static void a_driver_that_was_not_asked_for_is_not_opened(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", "simcuda");
    ah_test_setenv("AMD_LOG_LEVEL", "4");
    ah_test_setenv("AMD_LOG_MASK", "0x800");
    assert_lacks(ah_test_call("count").err, "dlopen libcuda");
}

static void settings_that_are_no_numbers_are_reported_once(void **state)
{
    (void)state;
    ah_test_setenv("AMD_SERIALIZE_KERNEL", "both");
    ah_test_setenv("AMD_SERIALIZE_COPY", "1x");
    ah_test_setenv("HIP_LAUNCH_BLOCKING", "maybe");
    ah_test_setenv("AMD_LOG_LEVEL_SIZE", "much");
    struct ah_test_run run = ah_test_call("count init allocate");
    assert_int_equal(ah_test_count_lines(run.err), 4);
    assert_contains(run.err, "AMD_SERIALIZE_KERNEL=both");
    assert_contains(run.err, "AMD_SERIALIZE_COPY=1x");
    assert_contains(run.err,
                    "HIP_LAUNCH_BLOCKING=maybe is ignored: it has to be 1, true, yes or on, "
                    "or else 0, false, no or off");
    assert_contains(run.err, "AMD_LOG_LEVEL_SIZE=much");
}

/* ---- simulated devices ----------------------------------------------------- */

/* Simulated devices are those of a scripted driver here; real ones may be too. */
static void use_scripted(const char *backends, const char *cuda)
{
    const char *text = ah_test_print(
        "{\"backends\": [%s], \"drivers\": {\"simcuda\": {\"library\": \"%s\"}%s%s%s}}", backends,
        AH_TEST_FAKESIMCUDA, cuda ? ", \"cuda\": {\"library\": \"" : "", cuda ? cuda : "",
        cuda ? "\"}" : "");
    ah_test_setenv("ANYHIP_CONFIG", ah_test_write_text("c.json", text));
    ah_test_setenv("ANYHIP_BACKEND", NULL);
    ah_test_setenv("AMD_LOG_LEVEL", "2");
}

static void without_a_gpu_devices_are_simulated_and_the_log_says_so(void **state)
{
    (void)state;
    use_scripted("", NULL);
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "1 devices, hipSuccess\n");
    assert_int_equal(ah_test_count(run.err, "simulated"), 1);
    assert_contains(run.err, ":2:");
    assert_contains(run.err, "ANYHIP_BACKEND=cuda");
    ah_test_setenv("AMD_LOG_LEVEL", NULL);
    run = ah_test_call("count");
    assert_string_equal(run.out, "1 devices, hipSuccess\n");
    assert_int_equal(ah_test_count_lines(run.err), 1); /* without a log too, unless asked for */
    assert_contains(run.err, "simulated devices (simcuda)");
    ah_test_setenv("ANYHIP_BACKEND", "simcuda");
    assert_calls("count", "1 devices, hipSuccess\n");
}

static void who_asks_for_a_driver_gets_no_simulated_devices(void **state)
{
    (void)state;
    use_scripted("\"cuda\"", NULL);
    assert_string_equal(ah_test_call("count").out, "0 devices, hipErrorNoDevice\n");
    use_scripted("", NULL);
    ah_test_setenv("ANYHIP_BACKEND", "cuda");
    assert_string_equal(ah_test_call("count").out, "0 devices, hipErrorNoDevice\n");
    ah_test_setenv("ANYHIP_BACKEND", "rocm");
    assert_string_equal(ah_test_call("count").out, "0 devices, hipErrorNoDevice\n");
}

static void beside_a_gpu_no_device_is_simulated(void **state)
{
    (void)state;
    use_scripted("", AH_TEST_FAKECUDA);
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "1 devices, hipSuccess\n");
    assert_string_equal(run.err, "");
    ah_test_setenv("HIP_VISIBLE_DEVICES", "");
    assert_string_equal(ah_test_call("count").out, "0 devices, hipErrorNoDevice\n");
    ah_test_setenv("HIP_VISIBLE_DEVICES", NULL);
    ah_test_setenv("CUDA_VISIBLE_DEVICES", ""); /* the driver hides them */
    assert_string_equal(ah_test_call("count").out, "0 devices, hipErrorNoDevice\n");
}

static void a_driver_whose_gpus_are_gone_leaves_simulated_devices(void **state)
{
    (void)state;
    use_scripted("", AH_TEST_FAKECUDA);
    ah_test_setenv("FAKECUDA_FAULTS", "cuInit:0:100");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "1 devices, hipSuccess\n");
    assert_contains(run.err, "cuda is not available: ");
    assert_contains(run.err, "simulated");
}

static void both_kinds_of_devices_are_there_when_both_are_asked_for(void **state)
{
    (void)state;
    use_scripted("\"cuda\", \"simcuda:sm_90*2\"", AH_TEST_FAKECUDA);
    ah_test_setenv("FAKECUDA_DEVICES", "70,80");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "4 devices, hipSuccess\n");
    assert_string_equal(run.err, "");
}

static void simulated_devices_are_made_as_the_list_says(void **state)
{
    (void)state;
    use_scripted("", NULL);
    ah_test_setenv("ANYHIP_BACKEND", "simcuda:sm_90*2,simcuda*1");
    assert_string_equal(ah_test_call("count").out, "3 devices, hipSuccess\n");
    ah_test_setenv("ANYHIP_BACKEND", "simcuda");
    assert_string_equal(ah_test_call("count").out, "1 devices, hipSuccess\n");
    ah_test_setenv("ANYHIP_BACKEND", "simcuda:nonsense");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "0 devices, hipErrorNoDevice\n");
    assert_contains(run.err, "no simulated devices \"nonsense*1\"");
}

static void the_devices_of_a_real_driver_cannot_be_chosen_by_model(void **state)
{
    (void)state;
    const char *driver = ah_test_path("libcuda.so.1");
    use_scripted("", driver);
    size_t size;
    char *image = ah_test_read_file(AH_TEST_FAKECUDA, &size);
    assert_non_null(image);
    char *name = memmem(image, size, "\0anyhipSimConfigure", sizeof "\0anyhipSimConfigure");
    assert_non_null(name);
    name[1] = 'x'; /* as NVIDIA's: without that function */
    ah_test_write_file("libcuda.so.1", image, size);
    ah_test_setenv("ANYHIP_BACKEND", "cuda");
    assert_string_equal(ah_test_call("count").out, "1 devices, hipSuccess\n");
    ah_test_setenv("ANYHIP_BACKEND", "cuda:sm_80");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "0 devices, hipErrorNoDevice\n");
    assert_contains(run.err, "cuda is not a simulated driver");
}

/* A copy of the library by itself, in the folder where drivers are looked for first: of a link it
 * would follow to the folder of the real one, which has simulated drivers. */
static void copy_library(void)
{
    size_t size;
    char *library = ah_test_read_file(AH_TEST_LIBRARY, &size);
    ah_test_setenv("ANYHIP_BACKEND", NULL);
    assert_non_null(library);
    ah_test_write_file("libraries/libanyhip.so.0", library, size);
}

static void a_simulated_driver_is_found_beside_the_library(void **state)
{
    (void)state;
    copy_library();
    assert_calls("count", "0 devices, hipErrorNoDevice\n"); /* without a word: there is none */
    ah_test_setenv("ANYHIP_BACKEND", "simcuda");
    ah_test_setenv("AMD_LOG_LEVEL", "1");
    assert_contains(ah_test_call("count").err, ah_test_path("libraries/libsimcuda.so.1"));
    ah_test_setenv("AMD_LOG_LEVEL", NULL);
    assert_int_equal(symlink(AH_TEST_FAKESIMCUDA, ah_test_path("libraries/libsimcuda.so.1")), 0);
    assert_calls("count", "1 devices, hipSuccess\n");
    ah_test_setenv("ANYHIP_BACKEND", NULL);
    assert_string_equal(ah_test_call("count").out, "1 devices, hipSuccess\n");
}

/* The simulated driver is another library that reads the same file and variables. */
static void what_is_wrong_with_the_settings_is_said_once_in_a_process(void **state)
{
    (void)state;
    use_scripted("", NULL);
    ah_test_setenv("AMD_LOG_LEVEL", "loud");
    ah_test_setenv("ANYHIP_BACKENT", "cuda");
    ah_test_setenv("ANYHIP_CONFIG", ah_test_write_text("c.json", "{\"devces\": []}"));
    ah_test_setenv("ANYHIP_BACKEND", "simcuda");
    struct ah_test_run run = ah_test_call("count init allocate");
    assert_contains(run.out, "1 devices, hipSuccess\n");
    assert_int_equal(ah_test_count(run.err, "AMD_LOG_LEVEL=loud"), 1);
    assert_int_equal(ah_test_count(run.err, "ANYHIP_BACKENT"), 1);
    assert_int_equal(ah_test_count(run.err, "\"devces\""), 1);
    ah_test_setenv("ANYHIP_CONFIG", ah_test_write_text("c.json", "{\"devices\": []"));
    run = ah_test_call("count init allocate");
    assert_int_equal(ah_test_count(run.err, "not valid JSON"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_DRIVERLESS_TEST(a_backend_that_does_not_exist_is_reported),
        AH_DRIVERLESS_TEST(backends_beside_one_that_does_not_exist_are_opened),
        AH_DRIVERLESS_TEST(junk_in_the_list_of_backends_is_reported),
        AH_DRIVERLESS_TEST(the_configurations_backends_count_where_the_variable_is_unset),
        AH_DRIVERLESS_TEST(a_driver_that_was_not_asked_for_is_not_opened),
        AH_DRIVERLESS_TEST(settings_that_are_no_numbers_are_reported_once),
        AH_DRIVERLESS_TEST(without_a_gpu_devices_are_simulated_and_the_log_says_so),
        AH_DRIVERLESS_TEST(what_is_wrong_with_the_settings_is_said_once_in_a_process),
        AH_DRIVERLESS_TEST(who_asks_for_a_driver_gets_no_simulated_devices),
        AH_DRIVERLESS_TEST(beside_a_gpu_no_device_is_simulated),
        AH_DRIVERLESS_TEST(a_driver_whose_gpus_are_gone_leaves_simulated_devices),
        AH_DRIVERLESS_TEST(both_kinds_of_devices_are_there_when_both_are_asked_for),
        AH_DRIVERLESS_TEST(simulated_devices_are_made_as_the_list_says),
        AH_DRIVERLESS_TEST(the_devices_of_a_real_driver_cannot_be_chosen_by_model),
        AH_DRIVERLESS_TEST(a_simulated_driver_is_found_beside_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
