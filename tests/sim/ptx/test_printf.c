/* printf of device code, whose output must equal the host's. */
#include "ptx_printf.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

/* Device memory: SIZE bytes from BASE on, and not a byte more. */
enum { BASE = 0x1000, ARGUMENTS = 0x1000, STRINGS = 0x1200, SIZE = 0x400 };
static unsigned char memory[SIZE];

static bool read_memory(void *data, uint64_t address, void *out, size_t size)
{
    (void)data;
    uint64_t offset = address - BASE;
    if (offset > SIZE || size > SIZE - offset)
        return false;
    memcpy(out, memory + offset, size);
    return true;
}

struct output {
    enum ptx_printf_result result;
    int count;
    char text[1 << 18];
    uint64_t fault;
};

static struct output *print(const char *format)
{
    static struct output output;
    struct ptx_printf printer = {.read = read_memory};
    output.result = ptx_printf_format(&printer, format, ARGUMENTS, &output.count);
    output.fault = printer.fault_address;
    assert_true(printer.length < sizeof(output.text));
    if (printer.length)
        memcpy(output.text, printer.text, printer.length);
    output.text[printer.length] = 0;
    free(printer.text);
    return &output;
}

/* Puts arguments: 'i' an int, 'l' a long, 'f' a double, 's' the address of a string. */
static void put(const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    size_t at = ARGUMENTS - BASE, string = STRINGS - BASE;
    memset(memory, 0xee, sizeof(memory));
    for (; *kinds; kinds++) {
        size_t size = *kinds == 'i' ? 4 : 8;
        uint64_t bits;
        double number;
        at = (at + size - 1) & ~(size - 1);
        if (*kinds == 'f') {
            number = va_arg(list, double);
            memcpy(&bits, &number, 8);
        } else if (*kinds == 's') {
            const char *text = va_arg(list, const char *);
            strcpy((char *)memory + string, text);
            bits = BASE + string;
            string += strlen(text) + 1;
        } else {
            bits = *kinds == 'i' ? va_arg(list, unsigned) : va_arg(list, uint64_t);
        }
        memcpy(memory + at, &bits, size);
        at += size;
    }
    va_end(list);
}

static void expect(const char *format, int count, const char *expected)
{
    struct output *output = print(format);
    if (strcmp(output->text, expected) != 0)
        fail_msg("\"%s\" printed \"%s\", not \"%s\"", format, output->text, expected);
    assert_int_equal(output->result, PTX_PRINTF_OK);
    assert_int_equal(output->count, count);
}

/* Calls test with every combination of these conversions and lengths. */
static void each_spec(const char *letters, const char *const *lengths,
                      void (*test)(const char *spec, const char *length))
{
    static const char *const flags[] = {"", "-", "+", " ", "#", "0", "-0", "+0", "# ", "-+ #0"};
    static const char *const widths[] = {"", "1", "7", "25"};
    static const char *const precisions[] = {"", ".", ".0", ".3", ".12"};
    for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++)
        for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++)
            for (size_t p = 0; p < sizeof(precisions) / sizeof(*precisions); p++)
                for (const char *const *length = lengths; *length; length++)
                    for (const char *letter = letters; *letter; letter++) {
                        char spec[64];
                        snprintf(spec, sizeof(spec), "<%%%s%s%s%s%c>", flags[f], widths[w],
                                 precisions[p], *length, *letter);
                        test(spec, *length);
                    }
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void check_integer(const char *spec, const char *length)
{
    static const uint64_t values[] = {
        0,         1,          42,         127,        128,         255,
        65535,     0x7fffffff, 0x80000000, 0xffffffff, 0x123456789, UINT64_C(0x8000000000000000),
        UINT64_MAX};
    bool wide = length[0] && length[0] != 'h';
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        char expected[128];
        if (wide) {
            put("l", values[i]);
            snprintf(expected, sizeof(expected), spec, values[i]);
        } else {
            put("i", (unsigned)values[i]);
            snprintf(expected, sizeof(expected), spec, (unsigned)values[i]);
        }
        expect(spec, 1, expected);
    }
}

static void integers_print_as_on_the_host(void **unused)
{
    (void)unused;
    static const char *const lengths[] = {"", "hh", "h", "l", "ll", "z", "j", "t", NULL};
    each_spec("diuxXo", lengths, check_integer);
}

static void check_number(const char *spec, const char *length)
{
    (void)length;
    static const double values[] = {0.0,     -0.0,   1.0,       -1.5,     0.1,  1e10, 123456789.125,
                                    1.7e308, 5e-324, -INFINITY, INFINITY, 1e-5, 2.5};
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        char expected[512];
        put("f", values[i]);
        snprintf(expected, sizeof(expected), spec, values[i]);
        expect(spec, 1, expected);
    }
}

static void numbers_print_as_on_the_host(void **unused)
{
    (void)unused;
    static const char *const lengths[] = {"", "l", NULL};
    each_spec("fFeEgGaA", lengths, check_number);
    put("f", (double)NAN);
    expect("%f %", 1, "nan %");
}

static void strings_and_characters_print_as_on_the_host(void **unused)
{
    (void)unused;
    put("si", "hello", 'x');
    expect("[%s|%c]", 2, "[hello|x]");
    expect("[%10s|%-4c]", 2, "[     hello|x   ]");
    expect("[%-10s|%4c]", 2, "[hello     |   x]");
    expect("[%.3s|%c]", 2, "[hel|x]");
    expect("[%10.2s]", 1, "[        he]");
    expect("[%.0s]", 1, "[]");
    put("s", "");
    expect("[%s]", 1, "[]");
    put("l", UINT64_C(0));
    expect("[%s]", 1, "[(null)]");
    expect("[%8s]", 1, "[  (null)]");
}

static void a_character_may_be_nul(void **unused)
{
    (void)unused;
    struct ptx_printf printer = {.read = read_memory};
    int count;
    put("ii", 0, 'b');
    assert_int_equal(ptx_printf_format(&printer, "a%c%c", ARGUMENTS, &count), PTX_PRINTF_OK);
    assert_int_equal(printer.length, 3);
    assert_memory_equal(printer.text, "a\0b", 3);
    free(printer.text);
}

static void pointers_print_as_on_the_host(void **unused)
{
    (void)unused;
    char expected[64];
    put("ll", UINT64_C(0x7f1234567890), UINT64_C(0));
    snprintf(expected, sizeof(expected), "%p|%20p", (void *)0x7f1234567890, NULL);
    expect("%p|%20p", 2, expected);
}

static void arguments_lie_at_their_natural_alignment(void **unused)
{
    (void)unused;
    put("ifillsi", 1, 2.5, 3, UINT64_C(4), UINT64_C(5), "six", 7);
    expect("%d %.1f %d %ld %llu %s %d", 7, "1 2.5 3 4 5 six 7");
}

static void stars_take_arguments(void **unused)
{
    (void)unused;
    put("iiiif", 8, 42, 10, 3, 3.14159);
    expect("[%*d|%*.*f]", 5, "[      42|     3.142]");
    put("ii", -8, 42);
    expect("[%*d]", 2, "[42      ]");
    put("if", -1, 0.5);
    expect("[%.*f]", 2, "[0.500000]");
}

static void text_that_is_not_a_conversion_is_printed_unchanged(void **unused)
{
    (void)unused;
    put("i", 42);
    expect("100%% of %d", 1, "100% of 42");
    expect("%y %d", 1, "%y 42");
    expect("%", 0, "%");
    expect("50%", 0, "50%");
    expect("%5.", 0, "%5.");
    expect("%n%d", 1, "%n42");
    expect("%99999999999d %d", 1, "%99999999999d 42");
    expect("", 0, "");
}

static void long_texts_are_printed_whole(void **unused)
{
    (void)unused;
    char expected[60001];
    put("i", 7);
    snprintf(expected, sizeof(expected), "%060000d", 7);
    expect("%060000d", 1, expected);
    char format[5000];
    memset(format, 'a', sizeof(format));
    format[4999] = 0;
    expect(format, 0, format);
}

static void arguments_out_of_reach_are_faults(void **unused)
{
    (void)unused;
    put("l", UINT64_C(0x10));
    struct output *output = print("%s");
    assert_int_equal(output->result, PTX_PRINTF_FAULT);
    assert_int_equal(output->fault, 0x10);
    char format[4 * SIZE];
    for (size_t i = 0; i + 2 < sizeof(format); i += 2)
        memcpy(format + i, "%d", 3);
    output = print(format);
    assert_int_equal(output->result, PTX_PRINTF_FAULT);
    assert_int_equal(output->fault, BASE + SIZE);
}

/* The last bytes of the memory have no NUL. */
static void a_string_is_read_no_further_than_needed(void **unused)
{
    (void)unused;
    put("l", (uint64_t)(BASE + SIZE - 3));
    memcpy(memory + SIZE - 3, "end", 3);
    expect("%.3s", 1, "end");
    assert_int_equal(print("%s")->result, PTX_PRINTF_FAULT);
    assert_int_equal(print("%s")->fault, BASE + SIZE);
    memory[SIZE - 1] = 0;
    expect("%s", 1, "en");
}

static void a_format_is_read_from_memory(void **unused)
{
    (void)unused;
    char text[200];
    memset(text, 'x', sizeof(text));
    text[199] = 0;
    put("s", text);
    struct ptx_printf printer = {.read = read_memory};
    char *string;
    size_t length;
    assert_int_equal(ptx_printf_string(&printer, STRINGS, SIZE_MAX, &string, &length),
                     PTX_PRINTF_OK);
    assert_int_equal(length, 199);
    assert_string_equal(string, text);
    free(string);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_print_as_on_the_host),
        cmocka_unit_test(numbers_print_as_on_the_host),
        cmocka_unit_test(strings_and_characters_print_as_on_the_host),
        cmocka_unit_test(a_character_may_be_nul),
        cmocka_unit_test(pointers_print_as_on_the_host),
        cmocka_unit_test(arguments_lie_at_their_natural_alignment),
        cmocka_unit_test(stars_take_arguments),
        cmocka_unit_test(text_that_is_not_a_conversion_is_printed_unchanged),
        cmocka_unit_test(long_texts_are_printed_whole),
        cmocka_unit_test(arguments_out_of_reach_are_faults),
        cmocka_unit_test(a_string_is_read_no_further_than_needed),
        cmocka_unit_test(a_format_is_read_from_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
