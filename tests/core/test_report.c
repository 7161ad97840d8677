/* Tests the report on this machine, as far as it goes without a driver. */
#include "without_driver.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static cJSON *report(void)
{
    struct ah_test_run run = ah_test_call("report");
    cJSON *parsed = cJSON_ParseWithOpts(run.out, NULL, false);
    assert_non_null(parsed);
    assert_contains(run.out, "\nhipSuccess\n");
    return parsed;
}

static const char *text_at(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    assert_non_null(text);
    return text;
}

static void a_driver_that_cannot_be_opened_is_reported_with_every_file(void **state)
{
    (void)state;
    cJSON *root = report();
    assert_true(*text_at(root, "anyhip"));
    cJSON *drivers = cJSON_GetObjectItemCaseSensitive(root, "drivers");
    assert_int_equal(cJSON_GetArraySize(drivers), 1);
    cJSON *driver = cJSON_GetArrayItem(drivers, 0);
    assert_string_equal(text_at(driver, "name"), "cuda");
    assert_true(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(driver, "available")));
    assert_string_equal(text_at(driver, "error"), "hipErrorSharedObjectInitFailed");
    assert_true(*text_at(driver, "reason"));
    const cJSON *attempt, *tried = cJSON_GetObjectItemCaseSensitive(driver, "tried");
    assert_int_equal(cJSON_GetArraySize(tried), 3);
    cJSON_ArrayForEach(attempt, tried)
    {
        assert_contains(text_at(attempt, "file"), "libcuda.so");
        assert_true(*text_at(attempt, "error"));
    }
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "devices")), 0);
    cJSON_Delete(root);
}

static void simulated_devices_are_told_from_real_ones(void **state)
{
    (void)state;
    const char *text = ah_test_print(
        "{\"drivers\": {\"cuda\": {\"library\": \"%s\"}, \"simcuda\": {\"library\": \"%s\"}}}",
        AH_TEST_FAKECUDA, AH_TEST_FAKESIMCUDA);
    ah_test_setenv("ANYHIP_CONFIG", ah_test_write_text("c.json", text));
    ah_test_setenv("ANYHIP_BACKEND", "cuda,simcuda");
    cJSON *root = report();
    static const char *const lists[] = {"drivers", "devices"};
    for (int i = 0; i < 2; i++) {
        cJSON *list = cJSON_GetObjectItemCaseSensitive(root, lists[i]);
        assert_int_equal(cJSON_GetArraySize(list), 2);
        for (int k = 0; k < 2; k++) {
            cJSON *entry = cJSON_GetArrayItem(list, k);
            assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "simulated")), k);
            assert_int_equal(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(entry, "simulated")),
                             !k);
        }
    }
    cJSON_Delete(root);
}

static void the_configuration_is_the_one_in_force(void **state)
{
    (void)state;
    const char *file = ah_test_write_text(
        "c.json", "{\"devices\": [1], \"log\": {\"level\": 3, \"max_size_mib\": 5}}");
    ah_test_setenv("ANYHIP_CONFIG", file);
    ah_test_setenv("AMD_LOG_LEVEL", "0");
    cJSON *root = report();
    cJSON *configuration = cJSON_GetObjectItemCaseSensitive(root, "configuration");
    cJSON *log = cJSON_GetObjectItemCaseSensitive(configuration, "log");
    assert_string_equal(text_at(configuration, "file"), file);
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(log, "level")->valueint, 0);
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(log, "max_size_mib")->valueint, 5);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(configuration, "devices")),
                     1);
    cJSON_Delete(root);
}

static void without_a_configuration_file_none_is_named(void **state)
{
    (void)state;
    cJSON *root = report();
    cJSON *configuration = cJSON_GetObjectItemCaseSensitive(root, "configuration");
    assert_non_null(configuration);
    assert_false(cJSON_HasObjectItem(configuration, "file"));
    cJSON_Delete(root);
}

static void a_report_needs_a_place_to_go(void **state)
{
    (void)state;
    assert_calls("report_null", "hipErrorInvalidValue\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_DRIVERLESS_TEST(a_driver_that_cannot_be_opened_is_reported_with_every_file),
        AH_DRIVERLESS_TEST(simulated_devices_are_told_from_real_ones),
        AH_DRIVERLESS_TEST(the_configuration_is_the_one_in_force),
        AH_DRIVERLESS_TEST(without_a_configuration_file_none_is_named),
        AH_DRIVERLESS_TEST(a_report_needs_a_place_to_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
