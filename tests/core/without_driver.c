/* Owns how the calls of calls.c are run. */
#include "without_driver.h"

#include <string.h>

struct ah_test_run ah_test_call(const char *calls)
{
    const char *argv[32] = {AH_TEST_CALLS};
    size_t count = 1;
    char *rest = ah_test_print("%s", calls), *call;
    while ((call = strsep(&rest, " ")) && count + 1 < sizeof argv / sizeof *argv)
        argv[count++] = call;
    struct ah_test_run run = ah_test_execute(argv);
    if (run.status != 0)
        print_error("status %d\n%s%s", run.status, run.out, run.err);
    assert_int_equal(run.status, 0);
    return run;
}

void ah_test_assert_calls(const char *calls, const char *expected, const char *file, int line)
{
    struct ah_test_run run = ah_test_call(calls);
    _assert_string_equal(run.out, expected, file, line);
    _assert_string_equal(run.err, "", file, line);
}
