/* Tests how values of environment variables are read. */
#include "env.h"
#include "support.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "ANYHIP_TEST_VARIABLE";

static void assert_string(const char *value, const char *expected)
{
    ah_test_setenv(name, value);
    char *text = ah_env_string(name);
    char *path = ah_env_path(name);
    if (expected) {
        assert_non_null(text);
        assert_string_equal(text, expected);
        assert_string_equal(path, expected);
    } else {
        assert_null(text);
        assert_null(path);
    }
    free(text);
    free(path);
}

static void an_unset_string_is_null_and_an_empty_one_is_empty(void **state)
{
    (void)state;
    assert_string(NULL, NULL);
    assert_string("", "");
}

static void one_pair_of_quotes_around_a_string_is_stripped(void **state)
{
    (void)state;
    assert_string("plain text", "plain text");
    assert_string("\"quoted text\"", "quoted text");
    assert_string("'quoted text'", "quoted text");
    assert_string("\"\"", "");
    assert_string("\"\"twice\"\"", "\"twice\"");
}

static void quotes_that_are_no_pair_are_kept(void **state)
{
    (void)state;
    assert_string("\"", "\"");
    assert_string("\"open", "\"open");
    assert_string("close'", "close'");
    assert_string("\"mixed'", "\"mixed'");
    assert_string("in\"side", "in\"side");
}

static long long integer(const char *value)
{
    ah_test_setenv(name, value);
    return ah_env_integer(name, 42);
}

static void integers_are_decimal_hexadecimal_or_octal(void **state)
{
    (void)state;
    assert_int_equal(integer("4"), 4);
    assert_int_equal(integer("-1"), -1);
    assert_int_equal(integer("+7"), 7);
    assert_int_equal(integer("0x7fffffff"), 0x7fffffff);
    assert_int_equal(integer("0X1F"), 0x1f);
    assert_int_equal(integer("017"), 15);
    assert_int_equal(integer(" 3 "), 3);
    assert_int_equal(integer("\"3\""), 3);
    assert_true(integer("9223372036854775807") == LLONG_MAX);
    assert_true(integer("-9223372036854775808") == LLONG_MIN);
}

static void an_integer_that_is_unset_or_empty_is_the_fallback_without_a_word(void **state)
{
    (void)state;
    ah_test_capture();
    assert_int_equal(integer(NULL), 42);
    assert_int_equal(integer(""), 42);
    assert_int_equal(integer("''"), 42);
    assert_string_equal(ah_test_captured(), "");
}

static void an_integer_that_does_not_parse_is_the_fallback_and_reported_by_name(void **state)
{
    (void)state;
    static const char *const junk[] = {"four",
                                       "4x",
                                       "0x",
                                       "08",
                                       "1 2",
                                       "-",
                                       " ",
                                       "1.5",
                                       "--1",
                                       "1,",
                                       "0b",
                                       "\"1'",
                                       "9223372036854775808"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        ah_test_capture();
        long long value = integer(junk[i]);
        const char *said = ah_test_captured();
        assert_int_equal(value, 42);
        assert_int_equal(ah_test_count_lines(said), 1);
        assert_contains(said, ah_test_print("%s=", name));
        assert_contains(said, "42 is used");
    }
}

static bool boolean(const char *value, bool fallback)
{
    ah_test_setenv(name, value);
    return ah_env_bool(name, fallback);
}

static void booleans_are_words_or_numbers(void **state)
{
    (void)state;
    static const char *const yes[] = {"true", "TRUE", "Yes", "on", "1", "2", "-1", "0x10", "'on'"};
    static const char *const no[] = {"false", "No", "OFF", "0", "0x0", "\"0\""};
    ah_test_capture();
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(boolean(yes[i], false));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(boolean(no[i], true));
    assert_string_equal(ah_test_captured(), "");
}

static void a_boolean_that_is_unset_or_empty_is_the_fallback_without_a_word(void **state)
{
    (void)state;
    ah_test_capture();
    assert_true(boolean(NULL, true));
    assert_false(boolean(NULL, false));
    assert_true(boolean("", true));
    assert_false(boolean("", false));
    assert_string_equal(ah_test_captured(), "");
}

static void a_boolean_that_is_junk_is_the_fallback_and_reported_by_name(void **state)
{
    (void)state;
    ah_test_capture();
    assert_true(boolean("maybe", true));
    assert_false(boolean("maybe", false));
    const char *said = ah_test_captured();
    assert_int_equal(ah_test_count_lines(said), 2);
    assert_int_equal(ah_test_count(said, "ANYHIP_TEST_VARIABLE=maybe"), 2);
}

static void numbers_are_parsed_whole_and_leave_the_result_alone_otherwise(void **state)
{
    (void)state;
    long long value = 7;
    assert_false(ah_parse_integer("", &value));
    assert_false(ah_parse_integer("12three", &value));
    assert_false(ah_parse_integer("99999999999999999999", &value));
    assert_int_equal(value, 7);
    assert_true(ah_parse_integer("12\n", &value));
    assert_int_equal(value, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(an_unset_string_is_null_and_an_empty_one_is_empty),
        AH_TEST(one_pair_of_quotes_around_a_string_is_stripped),
        AH_TEST(quotes_that_are_no_pair_are_kept),
        AH_TEST(integers_are_decimal_hexadecimal_or_octal),
        AH_TEST(an_integer_that_is_unset_or_empty_is_the_fallback_without_a_word),
        AH_TEST(an_integer_that_does_not_parse_is_the_fallback_and_reported_by_name),
        AH_TEST(booleans_are_words_or_numbers),
        AH_TEST(a_boolean_that_is_unset_or_empty_is_the_fallback_without_a_word),
        AH_TEST(a_boolean_that_is_junk_is_the_fallback_and_reported_by_name),
        AH_TEST(numbers_are_parsed_whole_and_leave_the_result_alone_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
