/* Why drivers cannot be used, and which of them make the devices that were asked for. */
#include "reason.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static int only_one(const char *devices)
{
    return strcmp(devices, "one") != 0;
}

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

static void nothing_is_chosen_when_nothing_was_asked_for(void **state)
{
    char *reason = NULL;
    (void)state;
    assert_true(ah_choose_devices(NULL, NULL, "driver", "libdriver.so", &reason));
    assert_true(ah_choose_devices(only_one, NULL, "driver", "libdriver.so", &reason));
    assert_null(reason);
}

static void only_simulated_drivers_make_devices(void **state)
{
    char *reason = NULL;
    (void)state;
    assert_true(ah_choose_devices(only_one, "one", "driver", "libdriver.so", &reason));
    assert_null(reason);
    assert_false(ah_choose_devices(only_one, "two", "driver", "libdriver.so", &reason));
    assert_string_equal(reason, "there are no simulated devices \"two\"");
    free(reason);
    assert_false(ah_choose_devices(NULL, "one", "driver", "libdriver.so", &reason));
    assert_non_null(strstr(reason, "libdriver.so is not a simulated driver"));
    free(reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reason_is_as_long_as_it_needs_be),
        cmocka_unit_test(nothing_is_chosen_when_nothing_was_asked_for),
        cmocka_unit_test(only_simulated_drivers_make_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
