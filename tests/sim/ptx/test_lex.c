/* Tokens of PTX text. */
#include "ptx_lex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ptx_lexer lexer;
static struct ptx_token token;

static void begin(const char *text)
{
    ptx_lex_init(&lexer, text, strlen(text));
}

static void next_is(enum ptx_token_kind kind, const char *text)
{
    ptx_lex_next(&lexer, &token);
    assert_int_equal(token.kind, kind);
    assert_int_equal(token.length, strlen(text));
    assert_memory_equal(token.text, text, token.length);
}

static void next_is_number(enum ptx_token_kind kind, uint64_t bits)
{
    ptx_lex_next(&lexer, &token);
    assert_int_equal(token.kind, kind);
    assert_true(token.bits == bits);
}

static void next_is_op(int op)
{
    ptx_lex_next(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_OTHER);
    assert_int_equal(token.op, op);
}

static void names_may_begin_with_percent_dollar_and_underscore(void **state)
{
    (void)state;
    begin("add %r1 $L__BB0_1 _Z1fv _ %SP x$y");
    next_is(PTX_TOKEN_NAME, "add");
    next_is(PTX_TOKEN_NAME, "%r1");
    next_is(PTX_TOKEN_NAME, "$L__BB0_1");
    next_is(PTX_TOKEN_NAME, "_Z1fv");
    next_is(PTX_TOKEN_NAME, "_");
    next_is(PTX_TOKEN_NAME, "%SP");
    next_is(PTX_TOKEN_NAME, "x$y");
    next_is(PTX_TOKEN_END, "");
    next_is(PTX_TOKEN_END, "");
}

static void a_dot_ends_a_name(void **state)
{
    (void)state;
    begin("ld.shared::cta.L2::128B x.managed %tid.x .1d");
    next_is(PTX_TOKEN_NAME, "ld");
    next_is(PTX_TOKEN_DOT, "shared::cta");
    next_is(PTX_TOKEN_DOT, "L2::128B");
    next_is(PTX_TOKEN_NAME, "x");
    next_is(PTX_TOKEN_DOT, "managed");
    next_is(PTX_TOKEN_NAME, "%tid");
    next_is(PTX_TOKEN_DOT, "x");
    next_is(PTX_TOKEN_DOT, "1d");
}

static void integers_have_four_bases_and_a_suffix(void **state)
{
    (void)state;
    begin("42 0x2A 0X2a 052 0b101010 0 18446744073709551615 7U");
    for (int i = 0; i < 5; i++)
        next_is_number(PTX_TOKEN_INT, 42);
    next_is_number(PTX_TOKEN_INT, 0);
    next_is_number(PTX_TOKEN_INT, UINT64_MAX);
    assert_false(token.unsigned_suffix);
    next_is_number(PTX_TOKEN_INT, 7);
    assert_true(token.unsigned_suffix);
}

static void floats_are_exact_or_decimal(void **state)
{
    (void)state;
    begin("0f3F800000 0F3f800000 0d3FF0000000000000 1.0 1. 1e0 10.0E-1 0.5");
    next_is_number(PTX_TOKEN_F32, 0x3f800000);
    next_is_number(PTX_TOKEN_F32, 0x3f800000);
    for (int i = 0; i < 5; i++)
        next_is_number(PTX_TOKEN_F64, UINT64_C(0x3ff0000000000000));
    next_is_number(PTX_TOKEN_F64, UINT64_C(0x3fe0000000000000));
    next_is(PTX_TOKEN_END, "");
}

static void wrong_numbers_are_errors(void **state)
{
    static const char *const texts[] = {"0f3F80000",
                                        "0f3F8000000",
                                        "0x",
                                        "09",
                                        "0b2",
                                        "12abc",
                                        "0d0",
                                        "18446744073709551616",
                                        "0x10000000000000000"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        begin(texts[i]);
        ptx_lex_next(&lexer, &token);
        assert_int_equal(token.kind, PTX_TOKEN_ERROR);
        assert_non_null(token.message);
        ptx_lex_next(&lexer, &token);
        assert_int_equal(token.kind, PTX_TOKEN_END);
    }
}

static void a_number_of_thousands_of_digits_is_an_error(void **state)
{
    static char text[5000];
    (void)state;
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 3] = '.';
    begin(text);
    ptx_lex_next(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_ERROR);
}

static void comments_of_both_kinds_count_lines(void **state)
{
    (void)state;
    begin("a // b\n/* c\n d */ e\n\n/**/f//");
    next_is(PTX_TOKEN_NAME, "a");
    assert_int_equal(token.line, 1);
    next_is(PTX_TOKEN_NAME, "e");
    assert_int_equal(token.line, 3);
    next_is(PTX_TOKEN_NAME, "f");
    assert_int_equal(token.line, 5);
    next_is(PTX_TOKEN_END, "");
}

static void what_does_not_end_is_an_error(void **state)
{
    (void)state;
    begin("a /* b");
    next_is(PTX_TOKEN_NAME, "a");
    ptx_lex_next(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_ERROR);
    next_is(PTX_TOKEN_END, "");
    begin("\"abc\n;");
    ptx_lex_next(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_ERROR);
    next_is_op(';');
}

static void strings_keep_their_escapes(void **state)
{
    (void)state;
    begin("\"a\\\"b\" \"\"");
    next_is(PTX_TOKEN_TEXT, "a\\\"b");
    next_is(PTX_TOKEN_TEXT, "");
    next_is(PTX_TOKEN_END, "");
}

static void operators_of_two_characters_are_one_token(void **state)
{
    static const int ops[] = {PTX_TOKEN_SHL, PTX_TOKEN_SHR, PTX_TOKEN_LE,  PTX_TOKEN_GE,
                              PTX_TOKEN_EQ,  PTX_TOKEN_NE,  PTX_TOKEN_AND, PTX_TOKEN_OR};
    (void)state;
    begin("<< >> <= >= == != && || < | @ ! % ~");
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        next_is_op(ops[i]);
    for (const char *op = "<|@!%~"; *op; op++)
        next_is_op(*op);
}

static void a_nul_ends_the_text(void **state)
{
    static const char text[] = "a\0b";
    (void)state;
    ptx_lex_init(&lexer, text, sizeof text);
    next_is(PTX_TOKEN_NAME, "a");
    next_is(PTX_TOKEN_END, "");
}

static void any_byte_is_a_token_or_an_error(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) {
        char text[] = {(char)c, '\0'};
        begin(text);
        ptx_lex_next(&lexer, &token);
        ptx_lex_next(&lexer, &token);
        assert_int_equal(token.kind, PTX_TOKEN_END);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_may_begin_with_percent_dollar_and_underscore),
        cmocka_unit_test(a_dot_ends_a_name),
        cmocka_unit_test(integers_have_four_bases_and_a_suffix),
        cmocka_unit_test(floats_are_exact_or_decimal),
        cmocka_unit_test(wrong_numbers_are_errors),
        cmocka_unit_test(a_number_of_thousands_of_digits_is_an_error),
        cmocka_unit_test(comments_of_both_kinds_count_lines),
        cmocka_unit_test(what_does_not_end_is_an_error),
        cmocka_unit_test(strings_keep_their_escapes),
        cmocka_unit_test(operators_of_two_characters_are_one_token),
        cmocka_unit_test(a_nul_ends_the_text),
        cmocka_unit_test(any_byte_is_a_token_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
