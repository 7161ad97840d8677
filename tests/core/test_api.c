/* Tests the API boundary without a driver: results, arguments and the log of calls. */
#include "without_driver.h"

#include <string.h>

static void without_a_driver_there_are_no_devices_and_no_memory(void **state)
{
    (void)state;
    assert_calls("count", "0 devices, hipErrorNoDevice\n");
    assert_calls("init count", "hipErrorNoDevice\n0 devices, hipErrorNoDevice\n");
    assert_calls("allocate", "hipErrorNoDevice\n");
    assert_calls("stream synchronize copy", "hipErrorNoDevice\nhipErrorNoDevice\n"
                                            "hipErrorNoDevice\n");
    assert_calls("set_device get_device properties", "hipErrorNoDevice\n77, hipErrorNoDevice\n"
                                                     "hipErrorNoDevice\n");
}

static void versions_are_known_without_a_driver(void **state)
{
    (void)state;
    assert_calls("runtime_version driver_version free_null", "hipSuccess\nhipSuccess\n"
                                                             "hipSuccess\n");
    assert_calls("runtime_version_null", "hipErrorInvalidValue\n");
}

static void null_arguments_are_invalid_values(void **state)
{
    (void)state;
    assert_calls("count_null allocate_null get_device_null properties_null stream_null event_null",
                 "hipErrorInvalidValue\nhipErrorInvalidValue\nhipErrorInvalidValue\n"
                 "hipErrorInvalidValue\nhipErrorInvalidValue\nhipErrorInvalidValue\n");
}

static void flags_that_init_does_not_know_are_invalid_values(void **state)
{
    (void)state;
    assert_calls("init_flags", "hipErrorInvalidValue\n");
}

static void foreign_handles_are_refused_without_a_crash(void **state)
{
    (void)state;
    struct ah_test_run run = ah_test_call("stream_foreign event_foreign");
    assert_lacks(run.out, "hipSuccess");
    assert_int_equal(ah_test_count_lines(run.out), 2);
}

static void what_anyhip_adds_says_that_there_is_no_device_too(void **state)
{
    (void)state;
    struct ah_test_run run = ah_test_call("can_run backend");
    assert_contains(run.out, "0 0 0, hipSuccess\n");
    assert_true(ah_test_matches(run.out, "0 0 0, hipSuccess\nhipError(NoDevice|InvalidDevice)\n"));
}

/* ---- the log ------------------------------------------------------------ */

static void nothing_is_logged_at_level_0(void **state)
{
    (void)state;
    assert_string_equal(ah_test_call("count init allocate").err, "");
}

static void level_1_lists_every_file_that_was_tried_and_why_it_failed(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "1");
    ah_test_setenv("ANYHIP_CONFIG",
                   ah_test_write_text("c.json", "{\"drivers\": {\"cuda\": {\"library\":"
                                                " \"/nonexistent/libcuda.so.9\"}}}"));
    struct ah_test_run run = ah_test_call("count");
    static const char *const files[] = {"/nonexistent/libcuda.so.9", "/libcuda.so.1:",
                                        "/libcuda.so:", "/usr/lib/wsl/lib/libcuda.so.1"};
    assert_contains(run.err, "cuda is not available");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_contains(run.err, files[i]);
    assert_int_equal(ah_test_count(run.err, "cuda: tried "), 4);
    assert_int_equal(ah_test_count(run.err, "file too short"), 2);
    assert_int_equal(ah_test_count(run.err, "No such file or directory"), 2);
    assert_int_equal(ah_test_count(run.err, "\n"), ah_test_count(run.err, ":1:"));
}

static void level_3_shows_calls_as_rocm_does(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "3");
    ah_test_setenv("AMD_LOG_MASK", "0x1");
    struct ah_test_run run = ah_test_call("init count allocate last");
    static const char head[] = ":3: {25}:0   : [0-9]{10,} us:  ";
    const char *calls = strstr(run.err, ":3:");
    assert_non_null(calls);
    assert_true(
        ah_test_matches(calls, ah_test_print("%s hipInit \\( 0 \\) \n"
                                             "%shipInit: Returned hipErrorNoDevice : \n"
                                             "%s hipGetDeviceCount \\( 0x[0-9a-f]+ \\) \n"
                                             "%shipGetDeviceCount: Returned hipErrorNoDevice : \n"
                                             "%s hipMalloc \\( 0x[0-9a-f]+, 64 \\) \n"
                                             "%shipMalloc: Returned hipErrorNoDevice : \n"
                                             "%s hipGetLastError \\(  \\) \n",
                                             head, head, head, head, head, head, head)));
}

static void a_null_pointer_is_logged_as_rocm_does(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "3");
    ah_test_setenv("AMD_LOG_MASK", "1");
    assert_contains(ah_test_call("allocate_null").err, " hipMalloc ( <null>, 64 ) \n");
}

static void calls_are_not_logged_without_their_bit(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "3");
    ah_test_setenv("AMD_LOG_MASK", "0x800");
    assert_lacks(ah_test_call("count allocate").err, "hipMalloc");
}

static void the_log_goes_to_a_file_where_a_level_is_set(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL_FILE", ah_test_path("log"));
    assert_string_equal(ah_test_call("count").err, "");
    ah_test_setenv("AMD_LOG_LEVEL", "3");
    assert_string_equal(ah_test_call("count").err, "");
    ah_test_setenv("AMD_LOG_LEVEL_FILE", ah_test_path("no folder/log"));
    struct ah_test_run run = ah_test_call("count");
    assert_int_equal(ah_test_count(run.err, "cannot open the log file"), 1);
    assert_contains(run.err, "hipGetDeviceCount: Returned hipErrorNoDevice");
    assert_string_equal(run.out, "0 devices, hipErrorNoDevice\n");
}

static void the_configuration_sets_the_level_and_the_variable_beats_it(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_CONFIG",
                   ah_test_write_text("c.json", "{\"log\": {\"level\": 3, \"mask\": \"0x1\"}}"));
    assert_contains(ah_test_call("count").err, "hipGetDeviceCount: Returned");
    ah_test_setenv("AMD_LOG_LEVEL", "0");
    assert_string_equal(ah_test_call("count").err, "");
    ah_test_setenv("AMD_LOG_LEVEL", "three");
    struct ah_test_run run = ah_test_call("count");
    assert_contains(run.err, "AMD_LOG_LEVEL=three is not a number");
    assert_contains(run.err, "hipGetDeviceCount: Returned");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_DRIVERLESS_TEST(without_a_driver_there_are_no_devices_and_no_memory),
        AH_DRIVERLESS_TEST(versions_are_known_without_a_driver),
        AH_DRIVERLESS_TEST(null_arguments_are_invalid_values),
        AH_DRIVERLESS_TEST(flags_that_init_does_not_know_are_invalid_values),
        AH_DRIVERLESS_TEST(foreign_handles_are_refused_without_a_crash),
        AH_DRIVERLESS_TEST(what_anyhip_adds_says_that_there_is_no_device_too),
        AH_DRIVERLESS_TEST(nothing_is_logged_at_level_0),
        AH_DRIVERLESS_TEST(level_1_lists_every_file_that_was_tried_and_why_it_failed),
        AH_DRIVERLESS_TEST(level_3_shows_calls_as_rocm_does),
        AH_DRIVERLESS_TEST(a_null_pointer_is_logged_as_rocm_does),
        AH_DRIVERLESS_TEST(calls_are_not_logged_without_their_bit),
        AH_DRIVERLESS_TEST(the_log_goes_to_a_file_where_a_level_is_set),
        AH_DRIVERLESS_TEST(the_configuration_sets_the_level_and_the_variable_beats_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
