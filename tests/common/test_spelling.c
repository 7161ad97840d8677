/* Words that are nearly alike. */
#include "spelling.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static const char *const words[] = {"devices", "drivers", "backends", "log", "ANYHIP_SIM_SEED"};

static const char *nearest(const char *word)
{
    const char *found = ah_spelling_nearest(word, words, sizeof words / sizeof *words);
    return found ? found : "";
}

static void changed_missing_and_added_letters_are_found(void **state)
{
    (void)state;
    assert_string_equal(nearest("devces"), "devices");
    assert_string_equal(nearest("device"), "devices");
    assert_string_equal(nearest("devicess"), "devices");
    assert_string_equal(nearest("drivres"), "drivers");
    assert_string_equal(nearest("loc"), "log");
    assert_string_equal(nearest("ANYHIP_SIMSED"), "ANYHIP_SIM_SEED");
    assert_string_equal(nearest("log"), "log");
}

static void words_of_another_kind_are_not(void **state)
{
    char longer[512];
    (void)state;
    memset(longer, 'd', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_string_equal(nearest(""), "");
    assert_string_equal(nearest("x"), "");
    assert_string_equal(nearest("lo"), "log");
    assert_string_equal(nearest("zzz"), "");
    assert_string_equal(nearest("configuration"), "");
    assert_string_equal(nearest(longer), "");
    const char *const one[] = {longer};
    assert_null(ah_spelling_nearest("devices", one, 1));
    assert_null(ah_spelling_nearest("devices", NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_missing_and_added_letters_are_found),
        cmocka_unit_test(words_of_another_kind_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
