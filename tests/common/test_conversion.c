/* Conversions of printf's formats, taken apart and put together. */
#include "conversion.h"

#include <stdarg.h>
#include <stdio.h>

#include <setjmp.h>

#include <cmocka.h>

static const char letters[] = "diuxXocspfFeEgGaA%";

static void a_conversion_has_its_parts(void **state)
{
    struct ah_conversion conversion;
    (void)state;
    assert_true(ah_conversion_parse("%-+08.3hhd and more", letters, &conversion));
    assert_string_equal(conversion.flags, "-+0");
    assert_int_equal(conversion.width, 8);
    assert_int_equal(conversion.precision, 3);
    assert_int_equal(conversion.length, 'H');
    assert_int_equal(conversion.letter, 'd');
    assert_int_equal(conversion.size, strlen("%-+08.3hhd"));
    assert_true(ah_conversion_parse("%*.*f", letters, &conversion));
    assert_true(conversion.star_width && conversion.star_precision);
    assert_true(ah_conversion_parse("%.f", letters, &conversion));
    assert_int_equal(conversion.width, -1);
    assert_int_equal(conversion.precision, 0);
}

static void lengths_are_those_of_the_host(void **state)
{
    static const struct {
        const char *text;
        char length;
    } rows[] = {{"%d", 0},    {"%hd", 'h'}, {"%hhd", 'H'}, {"%ld", 'l'}, {"%lld", 'l'},
                {"%zd", 'l'}, {"%jd", 'l'}, {"%td", 'l'},  {"%qd", 'l'}, {"%Lf", 'l'}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ah_conversion conversion;
        assert_true(ah_conversion_parse(rows[i].text, letters, &conversion));
        assert_int_equal(conversion.length, rows[i].length);
        assert_int_equal(conversion.size, strlen(rows[i].text));
    }
}

static void what_is_none_is_refused(void **state)
{
    static const char *const texts[] = {"%", "%y", "%n", "%5", "%.", "%l", "%99999d", "%.70000s"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(ah_conversion_parse(texts[i], letters, &(struct ah_conversion){0}));
    assert_true(ah_conversion_parse("%n", "n", &(struct ah_conversion){0}));
}

static void arguments_stay_within_reason(void **state)
{
    struct ah_conversion conversion;
    (void)state;
    assert_true(ah_conversion_parse("%+ #0*.*x", letters, &conversion));
    ah_conversion_set_width(&conversion, -7);
    assert_int_equal(conversion.width, 7);
    assert_string_equal(conversion.flags, "+ #0-");
    ah_conversion_set_width(&conversion, INT32_MIN);
    assert_string_equal(conversion.flags, "+ #0-");
    assert_int_equal(conversion.width, 1 << 16);
    ah_conversion_set_precision(&conversion, INT32_MAX);
    assert_int_equal(conversion.precision, 1 << 16);
    ah_conversion_set_precision(&conversion, -3);
    assert_true(conversion.precision < 0);
}

static void values_have_the_size_of_their_length(void **state)
{
    const uint64_t bits = UINT64_C(0xfedcba9876543291);
    struct ah_conversion conversion = {.length = 'H'};
    (void)state;
    assert_int_equal(ah_conversion_signed(&conversion, bits), (int8_t)0x91);
    assert_int_equal(ah_conversion_unsigned(&conversion, bits), 0x91);
    conversion.length = 'h';
    assert_int_equal(ah_conversion_signed(&conversion, bits), 0x3291);
    assert_int_equal(ah_conversion_unsigned(&conversion, bits), 0x3291);
    conversion.length = 0;
    assert_int_equal(ah_conversion_signed(&conversion, UINT64_C(0x1ffffffff)), -1);
    assert_int_equal(ah_conversion_unsigned(&conversion, bits), 0x76543291);
    conversion.length = 'l';
    assert_true(ah_conversion_unsigned(&conversion, bits) == bits);
    assert_true(ah_conversion_signed(&conversion, bits) == (int64_t)bits);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void the_host_prints_them(void **state)
{
    char format[AH_CONVERSION_FORMAT], text[64];
    struct ah_conversion conversion;
    (void)state;
    assert_true(ah_conversion_parse("%#8hx", letters, &conversion));
    ah_conversion_format(&conversion, format);
    snprintf(text, sizeof text, format, ah_conversion_width(&conversion), conversion.precision,
             (unsigned long long)ah_conversion_unsigned(&conversion, 0x12345));
    assert_string_equal(text, "  0x2345");
    assert_true(ah_conversion_parse("%.2f", letters, &conversion));
    ah_conversion_format(&conversion, format);
    snprintf(text, sizeof text, format, ah_conversion_width(&conversion), conversion.precision,
             2.5);
    assert_string_equal(text, "2.50");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversion_has_its_parts),
        cmocka_unit_test(lengths_are_those_of_the_host),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(arguments_stay_within_reason),
        cmocka_unit_test(values_have_the_size_of_their_length),
        cmocka_unit_test(the_host_prints_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
