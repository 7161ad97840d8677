/* Reasons in words. */
#include "reason.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static void a_reason_is_as_long_as_it_needs_be(void **state)
{
    char name[1000];
    (void)state;
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    char *reason = ah_reason("%s is no library: %d", name, 7);
    assert_int_equal(strlen(reason), strlen(name) + strlen(" is no library: 7"));
    free(reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reason_is_as_long_as_it_needs_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
