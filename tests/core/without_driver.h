/* For tests of the library where there is no driver: runs tests/core/calls.c in such an
 * environment, also on machines that have one. */
#ifndef AH_TEST_WITHOUT_DRIVER_H
#define AH_TEST_WITHOUT_DRIVER_H

#include "support.h"

/* Runs the calls of a list separated by blanks. Fails the test when the program fails. */
struct ah_test_run ah_test_call(const char *calls);

/* What the calls print, line by line as "a\nb\n", must be this; nothing may be logged. */
#define assert_calls(calls, expected) ah_test_assert_calls(calls, expected, __FILE__, __LINE__)
void ah_test_assert_calls(const char *calls, const char *expected, const char *file, int line);

#define AH_DRIVERLESS_TEST(function)                                                               \
    cmocka_unit_test_setup_teardown(function, ah_test_without_driver, ah_test_tear_down)

#endif
