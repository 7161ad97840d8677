/* Tests that what is not there yet says so. */
#include "without_driver.h"

#include <string.h>

static void every_unsupported_function_refuses_and_logs_its_name_and_reason(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "1");
    struct ah_test_run run = ah_test_call("unsupported");
    assert_string_equal(run.out, "hipSuccess\n");
    char *text = ah_test_print("%s", run.err), *line, *logged = ah_test_print("%s", "");
    while ((line = strsep(&text, "\n"))) {
        const char *expected = strstr(line, "expected: ");
        if (expected)
            assert_contains(logged, expected + strlen("expected: "));
        logged = line;
    }
}

static void an_unsupported_function_sets_the_last_error(void **state)
{
    (void)state;
    struct ah_test_run run = ah_test_call("unsupported last extended");
    assert_string_equal(run.out, "hipSuccess\nhipErrorNotSupported\nhipErrorNotSupported\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_DRIVERLESS_TEST(every_unsupported_function_refuses_and_logs_its_name_and_reason),
        AH_DRIVERLESS_TEST(an_unsupported_function_sets_the_last_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
