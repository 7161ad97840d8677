/* Tests the self test. */
#include "command.h"

static void without_a_device_the_self_test_fails_and_says_where_to_look(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("check");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out, "");
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_contains(run.err, "anyhip info");
}

static void each_good_device_is_one_line(void **state)
{
    (void)state;
    ah_test_use_devices("80,90");
    struct ah_test_run run = anyhip("check");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "device 0, AnyHIP simulated sm_80 (cuda): good\n"
                                 "device 1, AnyHIP simulated sm_90 (cuda): good\n");
}

static void a_device_that_fails_is_told_with_the_call_and_its_error(void **state)
{
    (void)state;
    ah_test_use_devices("80,90");
    ah_test_setenv("FAKECUDA_FAULTS", "cuMemAlloc_v2:2:2");
    struct ah_test_run run = anyhip("check");
    assert_int_equal(run.status, 1);
    assert_contains(run.out, "device 0, AnyHIP simulated sm_80 (cuda): FAILED: hipMalloc: "
                             "hipErrorOutOfMemory (out of memory)\n");
    assert_contains(run.out, "device 1, AnyHIP simulated sm_90 (cuda): good\n");
}

static void nothing_is_left_behind_wherever_it_fails(void **state)
{
    (void)state;
    static const char *const functions[] = {"cuMemAlloc_v2", "cuStreamCreateWithPriority",
                                            "cuEventCreate", "cuEventRecord", "cuEventSynchronize"};
    ah_test_use_devices("80");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        ah_test_setenv("FAKECUDA_FAULTS", ah_test_print("%s:1:999", functions[i]));
        struct ah_test_run run = anyhip("check");
        assert_true(run.status <= 1);
        assert_int_equal(ah_test_count_lines(run.out), 1);
        assert_string_equal(run.err, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_COMMAND_TEST(without_a_device_the_self_test_fails_and_says_where_to_look),
        AH_COMMAND_TEST(each_good_device_is_one_line),
        AH_COMMAND_TEST(a_device_that_fails_is_told_with_the_call_and_its_error),
        AH_COMMAND_TEST(nothing_is_left_behind_wherever_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
