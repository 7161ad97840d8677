/* Tests what is opened at the start: what was asked for, and nothing else. */
#include "without_driver.h"

static void a_backend_that_does_not_exist_is_reported(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", "rocm");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "0 devices, hipErrorNoDevice\n");
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_contains(run.err, "there is no backend \"rocm\"");
    assert_contains(run.err, "cuda");
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
    assert_contains(run.err, "ANYHIP_BACKEND: \"cuda*none\"");
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
    assert_contains(run.err, "HIP_LAUNCH_BLOCKING=maybe");
    assert_contains(run.err, "AMD_LOG_LEVEL_SIZE=much");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
