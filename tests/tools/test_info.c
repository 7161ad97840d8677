/* Tests the command's output about drivers, devices and the configuration. */
#include "command.h"

#include <cjson/cJSON.h>
#include <string.h>

static void without_a_device_every_file_is_listed_and_the_status_is_1(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("info");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.err, "");
    assert_contains(run.out, "cuda     not available: ");
    assert_int_equal(ah_test_count(run.out, "      tried "), 3);
    assert_int_equal(ah_test_count(run.out, "libcuda.so.1: file too short"), 1);
    assert_contains(run.out, "\nDevices\n  none\n");
}

static void the_configuration_in_force_and_its_file_are_shown(void **state)
{
    (void)state;
    assert_contains(anyhip("info").out, "\nConfiguration: no file, the defaults\n");
    const char *file = ah_test_write_text("c.json", "{\"log\": {\"max_size_mib\": 7}}");
    ah_test_setenv("ANYHIP_CONFIG", file);
    struct ah_test_run run = anyhip("info");
    assert_contains(run.out, ah_test_print("\nConfiguration: %s\n", file));
    assert_contains(run.out, "log.max_size_mib         7\n");
    assert_contains(run.out, "log.mask                 \"0x7fffffff\"\n");
    assert_contains(run.out, ah_test_print("\n  ANYHIP_CONFIG=%s\n", file));
    assert_contains(run.out, "\n  ANYHIP_BACKEND=cuda\n");
}

static void a_backend_that_does_not_exist_leaves_nothing_asked_for(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", "rocm");
    struct ah_test_run run = anyhip("info");
    assert_int_equal(run.status, 1);
    assert_contains(run.out, "\nDrivers\n  none was asked for\n");
    assert_contains(run.err, "there is no backend \"rocm\"");
}

static void quiet_prints_nothing(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("info", "--quiet");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, "");
}

static void json_is_the_librarys_report(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("info", "--json");
    assert_int_equal(run.status, 1);
    cJSON *report = cJSON_Parse(run.out);
    assert_true(cJSON_IsObject(report));
    static const char *const keys[] = {"anyhip", "drivers", "devices", "configuration"};
    for (int i = 0; i < 4; i++)
        assert_true(cJSON_HasObjectItem(report, keys[i]));
    cJSON_Delete(report);
}

static void devices_are_listed_and_the_status_is_0(void **state)
{
    (void)state;
    ah_test_use_devices("80,90");
    struct ah_test_run run = anyhip("info");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_contains(run.out, ah_test_print("cuda     %s, version ", AH_TEST_FAKECUDA));
    assert_contains(run.out, ", 2 device(s)\n");
    assert_contains(run.out, "\n  0   AnyHIP simulated sm_80, sm_80, ");
    assert_contains(run.out, "\n  1   AnyHIP simulated sm_90, sm_90, ");
    assert_contains(run.out, "\n      cuda:1  GPU-");
    run = anyhip("info", "--quiet");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "");
    ah_test_setenv("HIP_VISIBLE_DEVICES", "1");
    run = anyhip("info");
    assert_contains(run.out, "\n  0   AnyHIP simulated sm_90, ");
    assert_lacks(run.out, "simulated sm_80");
    assert_contains(run.out, "\n  HIP_VISIBLE_DEVICES=1\n");
}

static void simulated_devices_are_marked(void **state)
{
    (void)state;
    const char *text = ah_test_print("{\"drivers\": {\"cuda\": {\"library\": \"%s\"}, "
                                     "\"simcuda\": {\"library\": \"%s\"}}}",
                                     AH_TEST_FAKECUDA, AH_TEST_FAKESIMCUDA);
    ah_test_setenv("ANYHIP_CONFIG", ah_test_write_text("fake.json", text));
    ah_test_setenv("ANYHIP_BACKEND", "simcuda:sm_90,cuda");
    struct ah_test_run run = anyhip("info");
    assert_int_equal(run.status, 0);
    const char *first = strstr(run.out, "\n      simcuda:0  GPU-");
    assert_non_null(first);
    const char *second = strstr(first, "\n      cuda:0  GPU-");
    assert_non_null(second);
    assert_int_equal(ah_test_count(first, "  simulated\n"), 1);
    assert_int_equal(ah_test_count(second, "  simulated\n"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_COMMAND_TEST(without_a_device_every_file_is_listed_and_the_status_is_1),
        AH_COMMAND_TEST(the_configuration_in_force_and_its_file_are_shown),
        AH_COMMAND_TEST(a_backend_that_does_not_exist_leaves_nothing_asked_for),
        AH_COMMAND_TEST(quiet_prints_nothing),
        AH_COMMAND_TEST(json_is_the_librarys_report),
        AH_COMMAND_TEST(devices_are_listed_and_the_status_is_0),
        AH_COMMAND_TEST(simulated_devices_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
