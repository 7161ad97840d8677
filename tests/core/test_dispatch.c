/* Tests the tables of functions that profilers get by way of rocprofiler-register, with a library
 * of that name which puts functions of its own into them (profiler.c). */
#include "without_driver.h"

#include <stdlib.h>

static const char heading[] = "[hip_compiler 70200 70200 1 of 80 bytes]\n"
                              "[hip 70200 70200 1 of 4152 bytes]\n";

static int with_profiler(void **state)
{
    int error = ah_test_without_driver(state);
    const char *path = getenv("LD_LIBRARY_PATH");
    ah_test_setenv("LD_LIBRARY_PATH",
                   ah_test_print("%s%s%s", AH_TEST_PROFILER, path ? ":" : "", path ? path : ""));
    ah_test_setenv("PROFILER_ANSWER", NULL);
    ah_test_setenv("PROFILER_WRAPS", NULL);
    ah_test_setenv("PROFILER_CALLS", NULL);
    return error;
}

static void a_function_of_the_table_is_called_instead_of_ours_and_calls_it(void **state)
{
    (void)state;
    /* calls.c asks for the name of what each call returned */
    assert_calls("allocate count",
                 ah_test_print("%s[profiler: hipMalloc 64] [profiler: hipGetErrorName] "
                               "hipErrorNoDevice\n"
                               "[profiler: hipGetDeviceCount hipErrorNoDevice] 0 devices, "
                               "[profiler: hipGetErrorName] hipErrorNoDevice\n",
                               heading));
}

static void functions_of_a_thread_alone_are_redirected_too(void **state)
{
    (void)state;
    assert_calls("allocate_null last last_of_thread",
                 ah_test_print("%s[profiler: hipMalloc 64] [profiler: hipGetErrorName] "
                               "hipErrorInvalidValue\n"
                               "[profiler: hipGetLastError] [profiler: hipGetErrorName] "
                               "hipErrorInvalidValue\n"
                               "[profiler: hipGetLastError] [profiler: hipGetErrorName] "
                               "hipSuccess\n",
                               heading));
}

static void others_are_not_touched(void **state)
{
    (void)state;
    ah_test_setenv("PROFILER_WRAPS", "0");
    assert_calls("count allocate last",
                 ah_test_print("%s0 devices, hipErrorNoDevice\nhipErrorNoDevice\n"
                               "hipErrorNoDevice\n",
                               heading));
}

static void a_function_that_is_taken_away_is_ours(void **state)
{
    (void)state;
    ah_test_setenv("PROFILER_WRAPS", "2");
    assert_calls("allocate", ah_test_print("%shipErrorNoDevice\n", heading));
}

static void a_table_may_change_at_any_time(void **state)
{
    (void)state;
    ah_test_setenv("PROFILER_WRAPS", "4");
    assert_calls("count count", ah_test_print("%s[profiler: once] 0 devices, hipErrorNoDevice\n"
                                              "0 devices, hipErrorNoDevice\n",
                                              heading));
}

static void threads_call_functions_of_the_table_at_once(void **state)
{
    (void)state;
    ah_test_setenv("PROFILER_WRAPS", "3");
    assert_calls("count_in_threads",
                 ah_test_print("%shipSuccess\n[profiler: 200 calls]\n", heading));
}

static void a_library_that_takes_no_tables_is_a_warning(void **state)
{
    (void)state;
    ah_test_setenv("LD_LIBRARY_PATH", AH_TEST_NO_PROFILER);
    ah_test_setenv("AMD_LOG_LEVEL", "2");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, "0 devices, hipErrorNoDevice\n");
    assert_contains(run.err, "librocprofiler-register.so.0 gets no table of functions: it has no "
                             "rocprofiler_register_library_api_table\n");
}

static void a_profiler_may_call_hip_while_it_is_given_the_table(void **state)
{
    (void)state;
    ah_test_setenv("PROFILER_CALLS", "1");
    ah_test_setenv("PROFILER_WRAPS", "0");
    assert_calls("count", ah_test_print("%s[count: 100]\n0 devices, hipErrorNoDevice\n", heading));
}

static void a_table_that_nobody_wants_is_not_used(void **state)
{
    (void)state;
    ah_test_setenv("PROFILER_ANSWER", "1"); /* no tools */
    assert_calls("count", ah_test_print("%s0 devices, hipErrorNoDevice\n", heading));
}

static void a_table_that_is_refused_is_a_warning(void **state)
{
    (void)state;
    ah_test_setenv("PROFILER_ANSWER", "6");
    ah_test_setenv("AMD_LOG_LEVEL", "2");
    struct ah_test_run run = ah_test_call("count");
    assert_string_equal(run.out, ah_test_print("%s0 devices, hipErrorNoDevice\n", heading));
    assert_contains(run.err, "librocprofiler-register.so.0 does not take the table of functions "
                             "\"hip\": error 6\n");
}

static void the_log_has_each_call_once(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "3");
    ah_test_setenv("AMD_LOG_MASK", "1");
    struct ah_test_run run = ah_test_call("count");
    assert_int_equal(ah_test_count(run.err, "hipGetDeviceCount ("), 1);
    assert_int_equal(ah_test_count(run.err, "hipGetDeviceCount: Returned"), 1);
}

/* Functions that do not return hipError_t are redirected in another way. */
static void the_log_has_calls_that_return_no_error_once(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "3");
    ah_test_setenv("AMD_LOG_MASK", "1");
    struct ah_test_run run = ah_test_call("count device_of_stream");
    assert_contains(run.out, "\n[profiler: hipGetStreamDeviceId] -1, ");
    assert_int_equal(ah_test_count(run.err, "hipGetStreamDeviceId ("), 1);
}

#define PROFILER_TEST(function)                                                                    \
    cmocka_unit_test_setup_teardown(function, with_profiler, ah_test_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROFILER_TEST(a_function_of_the_table_is_called_instead_of_ours_and_calls_it),
        PROFILER_TEST(functions_of_a_thread_alone_are_redirected_too),
        PROFILER_TEST(others_are_not_touched),
        PROFILER_TEST(a_function_that_is_taken_away_is_ours),
        PROFILER_TEST(a_table_may_change_at_any_time),
        PROFILER_TEST(threads_call_functions_of_the_table_at_once),
        PROFILER_TEST(a_library_that_takes_no_tables_is_a_warning),
        PROFILER_TEST(a_profiler_may_call_hip_while_it_is_given_the_table),
        PROFILER_TEST(a_table_that_nobody_wants_is_not_used),
        PROFILER_TEST(a_table_that_is_refused_is_a_warning),
        PROFILER_TEST(the_log_has_each_call_once),
        PROFILER_TEST(the_log_has_calls_that_return_no_error_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
