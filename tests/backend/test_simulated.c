/* The choice of simulated devices. */
#include "simulated.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static int only_one(const char *devices)
{
    return strcmp(devices, "one") != 0;
}

static void nothing_is_chosen_when_nothing_was_asked_for(void **state)
{
    char *reason = NULL;
    (void)state;
    assert_true(ah_simulated_configure(NULL, NULL, "driver", "libdriver.so", &reason));
    assert_true(ah_simulated_configure(only_one, NULL, "driver", "libdriver.so", &reason));
    assert_null(reason);
}

static void only_simulated_drivers_make_devices(void **state)
{
    char *reason = NULL;
    (void)state;
    assert_true(ah_simulated_configure(only_one, "one", "driver", "libdriver.so", &reason));
    assert_null(reason);
    assert_false(ah_simulated_configure(only_one, "two", "driver", "libdriver.so", &reason));
    assert_string_equal(reason, "there are no simulated devices \"two\"");
    free(reason);
    assert_false(ah_simulated_configure(NULL, "one", "driver", "libdriver.so", &reason));
    assert_non_null(strstr(reason, "libdriver.so is not a simulated driver"));
    free(reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_chosen_when_nothing_was_asked_for),
        cmocka_unit_test(only_simulated_drivers_make_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
