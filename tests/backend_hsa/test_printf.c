/* Tests the formatting of the records of a printf buffer. */
#include "hsa_printf.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096 };

/* A buffer as kernels fill it. */
static struct {
    _Alignas(8) unsigned char bytes[SIZE];
    size_t at, start; /* of the record that is being written */
} buffer;

static struct ahhsa_format formats[] = {{1, NULL}};
static struct ahhsa_formats table = {.count = 1, .list = formats}, none;
static struct ahhsa_formats *const tables[] = {&none, &table};
static char *out_text, *error_text;
static struct ahhsa_printed printed;

static void word(size_t at, uint32_t value)
{
    memcpy(buffer.bytes + at, &value, sizeof value);
}

static void empty(void)
{
    memset(&buffer, 0, sizeof buffer);
    word(4, SIZE - 8);
    buffer.at = 12;
}

static void put(const void *data, size_t size)
{
    memcpy(buffer.bytes + buffer.at, data, size);
    buffer.at += size;
}

static void put_bits(uint64_t bits)
{
    put(&bits, sizeof bits);
}

static void put_double(double value)
{
    put(&value, sizeof value);
}

static void put_text(const char *text)
{
    size_t length = strlen(text) + 1;
    put(text, length);
    buffer.at += (8 - length % 8) % 8;
}

static void begin_record(void)
{
    buffer.start = buffer.at;
    buffer.at += 4;
}

static void end_record(uint32_t bits)
{
    uint32_t size = (uint32_t)(buffer.at - buffer.start), asked;
    word(buffer.start, size << 2 | bits);
    buffer.at = buffer.start + ((size + 7) & ~7u);
    asked = (uint32_t)(buffer.at - 12);
    word(0, asked);
}

static void begin(const char *format)
{
    formats[0].text = (char *)(uintptr_t)format;
    begin_record();
    put_bits(1);
}

static const char *text(void)
{
    size_t out_size = 0, error_size = 0;
    free(out_text);
    free(error_text);
    FILE *out = open_memstream(&out_text, &out_size);
    FILE *error = open_memstream(&error_text, &error_size);
    void *guarded = ah_test_guard(buffer.bytes, SIZE);
    printed = ahhsa_printf_write(guarded, SIZE, tables, 2, out, error);
    ah_test_unguard(guarded, SIZE);
    fclose(out);
    fclose(error);
    return out_text;
}

static void assert_prints(const char *expected)
{
    end_record(2);
    assert_string_equal(text(), expected);
    assert_string_equal(error_text, "");
    assert_int_equal(printed.lost, 0);
    empty();
}

static void integers_have_the_width_in_the_format(void **state)
{
    (void)state;
    empty();
    begin("%d|%5d|%-5d|%05d|%+d");
    for (int i = 0; i < 5; i++)
        put_bits(0xffffffff & (uint64_t)-42);
    assert_prints("-42|  -42|-42  |-0042|-42");
    begin("%u|%x|%#X|%o|%hhd|%hd|%hhu");
    for (int i = 0; i < 7; i++)
        put_bits(0xffffff80);
    assert_prints("4294967168|ffffff80|0XFFFFFF80|37777777600|-128|-128|128");
    begin("%ld|%llu|%zx|%jd");
    for (int i = 0; i < 4; i++)
        put_bits(UINT64_MAX);
    assert_prints("-1|18446744073709551615|ffffffffffffffff|-1");
}

static void numbers_characters_and_pointers_are_printed_as_by_the_host(void **state)
{
    (void)state;
    empty();
    begin("%f %.3f %10.2f|%e %g %a");
    for (int i = 0; i < 6; i++)
        put_double(1.5);
    char expected[128];
    snprintf(expected, sizeof expected, "%f %.3f %10.2f|%e %g %a", 1.5, 1.5, 1.5, 1.5, 1.5, 1.5);
    assert_prints(expected);
    begin("<%c> %p 100%%");
    put_bits('x');
    put_bits(0x1234);
    assert_prints("<x> 0x1234 100%");
}

static void strings_follow_one_another(void **state)
{
    (void)state;
    empty();
    begin("%s, %10s, %.2s, %-6s|%d");
    put_text("");
    put_text("seven77");
    put_text("eight888");
    put_text("x");
    put_bits(7);
    assert_prints(",    seven77, ei, x     |7");
}

static void width_and_precision_may_be_arguments(void **state)
{
    (void)state;
    empty();
    begin("%*d|%-*d|%.*f|%*d|");
    put_bits(6);
    put_bits(42);
    put_bits(6);
    put_bits(42);
    put_bits(2);
    put_double(3.14159);
    put_bits((uint64_t)(uint32_t)-6);
    put_bits(42);
    assert_prints("    42|42    |3.14|42    |");
}

static void a_count_of_characters_is_not_stored(void **state)
{
    (void)state;
    empty();
    begin("a%nb%d");
    put_bits(0x1234);
    put_bits(5);
    assert_prints("ab5");
}

static void text_that_is_not_a_conversion_is_printed_unchanged(void **state)
{
    (void)state;
    empty();
    begin("100%y %99999999999d %");
    put_bits(1);
    assert_prints("100%y %99999999999d %");
}

static void a_record_that_is_too_short_prints_zeros(void **state)
{
    (void)state;
    empty();
    begin("%s|%d|%s|%f|");
    assert_prints("|0||0.000000|");
}

static void formats_that_are_not_constant_are_in_the_record(void **state)
{
    (void)state;
    empty();
    begin_record();
    put_text("number %d\n");
    put_bits(3);
    end_record(0);
    assert_string_equal(text(), "number 3\n");
}

static void records_come_in_order_and_on_their_stream(void **state)
{
    (void)state;
    empty();
    formats[0].text = (char *)(uintptr_t) "<%d>";
    for (uint64_t i = 0; i < 6; i++) {
        begin_record();
        put_bits(1);
        put_bits(i);
        end_record(i % 2 ? 3 : 2);
    }
    assert_string_equal(text(), "<0><2><4>");
    assert_string_equal(error_text, "<1><3><5>");
}

static void an_assertion_is_recognised_and_printed_to_stderr(void **state)
{
    (void)state;
    empty();
    begin("%s:%u: %s: Assertion `%s' failed in block\n");
    put_text("file.hip");
    put_bits(12);
    put_text("kernel()");
    put_text("a == b");
    end_record(2);
    assert_string_equal(text(), "");
    assert_string_equal(error_text, "file.hip:12: kernel(): Assertion `a == b' failed in block\n");
    assert_true(printed.assertion);
}

static void bytes_that_did_not_fit_are_counted(void **state)
{
    (void)state;
    empty();
    begin("<%d>");
    put_bits(1);
    end_record(2);
    word(0, SIZE + 1000); /* kernels reserved more */
    assert_string_equal(text(), "<1>");
    assert_int_equal(printed.lost, SIZE + 1000 - 24);
}

static void a_record_with_an_unknown_format_prints_nothing(void **state)
{
    (void)state;
    empty();
    begin_record();
    put_bits(99);
    end_record(2);
    assert_string_equal(text(), "");
    assert_true(printed.unknown);
}

/* The layout of code that is linked with ROCm's device library. */
static void packed_records_are_printed(void **state)
{
    (void)state;
    empty();
    buffer.at = 8;
    for (int i = 0; i < 3; i++) {
        begin("<%d %d>");
        put_bits((uint64_t)i);
        put_bits(40 + (uint64_t)i);
        word(buffer.start, (uint32_t)(buffer.at - buffer.start) << 2 | 2);
        word(0, (uint32_t)(buffer.at - 8));
    }
    assert_string_equal(text(), "<0 40><1 41><2 42>");
    assert_int_equal(printed.lost, 0);
}

static void a_message_has_its_stream_and_format_before_its_arguments(void **state)
{
    (void)state;
    for (uint64_t to_error = 0; to_error < 2; to_error++) {
        char *texts[2] = {NULL, NULL};
        size_t sizes[2];
        FILE *out = open_memstream(&texts[0], &sizes[0]);
        FILE *error = open_memstream(&texts[1], &sizes[1]);
        empty();
        size_t start = buffer.at;
        put_bits(to_error);
        put_text("%s and %d");
        put_text("seven letters");
        put_bits(7);
        size_t size = buffer.at - start;
        void *guarded = ah_test_guard(buffer.bytes + start, size);
        ahhsa_printf_message(guarded, size, out, error, &printed);
        ah_test_unguard(guarded, size);
        fclose(out);
        fclose(error);
        assert_string_equal(texts[to_error], "seven letters and 7");
        assert_string_equal(texts[1 - to_error], "");
        free(texts[0]);
        free(texts[1]);
    }
}

static void damaged_buffers_do_no_harm(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        empty();
        begin("%s %d %*f %.*s %n%c");
        for (int i = 0; i < 12; i++)
            put_bits((uint64_t)rand() << 33 | (unsigned)rand());
        end_record(2);
        for (int i = 0; i < 8; i++)
            buffer.bytes[rand() % 160] = (unsigned char)rand();
        text();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_the_width_in_the_format),
        cmocka_unit_test(numbers_characters_and_pointers_are_printed_as_by_the_host),
        cmocka_unit_test(strings_follow_one_another),
        cmocka_unit_test(width_and_precision_may_be_arguments),
        cmocka_unit_test(a_count_of_characters_is_not_stored),
        cmocka_unit_test(text_that_is_not_a_conversion_is_printed_unchanged),
        cmocka_unit_test(a_record_that_is_too_short_prints_zeros),
        cmocka_unit_test(formats_that_are_not_constant_are_in_the_record),
        cmocka_unit_test(records_come_in_order_and_on_their_stream),
        cmocka_unit_test(an_assertion_is_recognised_and_printed_to_stderr),
        cmocka_unit_test(bytes_that_did_not_fit_are_counted),
        cmocka_unit_test(a_record_with_an_unknown_format_prints_nothing),
        cmocka_unit_test(packed_records_are_printed),
        cmocka_unit_test(a_message_has_its_stream_and_format_before_its_arguments),
        cmocka_unit_test(damaged_buffers_do_no_harm),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(out_text);
    free(error_text);
    return failed;
}
