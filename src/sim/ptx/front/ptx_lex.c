/* Splits PTX text into tokens. There are no keywords: a word is a name, or follows a dot. */
#include "ptx_lex.h"

#include <stdlib.h>
#include <string.h>

enum { DECIMAL_MAX = 400 };

void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t size)
{
    const char *nul = size > 0 ? memchr(text, '\0', size) : NULL;
    lexer->at = text;
    lexer->end = nul ? nul : text + size;
    lexer->line = 1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether c may be in a name, after the first character. */
static bool follows(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static char peek(const struct ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

/* Skips spaces and comments. False: a comment has no end. */
static bool skip(struct ptx_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '\n') {
            lexer->line++;
            lexer->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            const char *line_end = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = line_end ? line_end : lexer->end;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            const char *from = lexer->at + 2;
            const char *close = memmem(from, (size_t)(lexer->end - from), "*/", 2);
            if (!close)
                return false;
            for (; lexer->at < close + 2; lexer->at++)
                lexer->line += *lexer->at == '\n';
        } else {
            break;
        }
    }
    return true;
}

static void fail(struct ptx_token *token, const char *message)
{
    token->kind = PTX_TOKEN_ERROR;
    token->message = message;
}

static void lex_name(struct ptx_lexer *lexer, struct ptx_token *token)
{
    lexer->at++;
    while (lexer->at < lexer->end && follows(*lexer->at))
        lexer->at++;
    token->kind = PTX_TOKEN_NAME;
}

/* ".b32", ".1d", ".shared::cta" */
static void lex_dot(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->text = ++lexer->at;
    while (lexer->at < lexer->end) {
        if (follows(*lexer->at))
            lexer->at++;
        else if (*lexer->at == ':' && peek(lexer, 1) == ':' && follows(peek(lexer, 2)))
            lexer->at += 2;
        else
            break;
    }
    token->kind = PTX_TOKEN_DOT;
    if (lexer->at == token->text)
        fail(token, "a dot without a name after it");
}

static void lex_exact_float(struct ptx_lexer *lexer, struct ptx_token *token, int digits)
{
    lexer->at += 2;
    for (int i = 0; i < digits; i++, lexer->at++) {
        int value = digit_value(peek(lexer, 0));
        if (value > 15) {
            fail(token, "too few hexadecimal digits in a floating-point constant");
            return;
        }
        token->bits = token->bits << 4 | (unsigned)value;
    }
    token->kind = digits == 8 ? PTX_TOKEN_F32 : PTX_TOKEN_F64;
}

static void lex_integer(struct ptx_lexer *lexer, struct ptx_token *token, unsigned base)
{
    const char *from = lexer->at;
    bool fits = true;
    while (lexer->at < lexer->end && digit_value(*lexer->at) < (int)base) {
        fits =
            fits && !__builtin_mul_overflow(token->bits, base, &token->bits) &&
            !__builtin_add_overflow(token->bits, (unsigned)digit_value(*lexer->at), &token->bits);
        lexer->at++;
    }
    token->kind = PTX_TOKEN_INT;
    if (lexer->at == from)
        fail(token, "an integer constant without digits");
    else if (!fits)
        fail(token, "an integer constant of more than 64 bits");
    token->unsigned_suffix = peek(lexer, 0) == 'U';
    lexer->at += token->unsigned_suffix;
}

static void lex_decimal_float(struct ptx_lexer *lexer, struct ptx_token *token, size_t length)
{
    char text[DECIMAL_MAX + 1];
    double value;
    lexer->at += length;
    if (length > DECIMAL_MAX) {
        fail(token, "a floating-point constant of too many digits");
        return;
    }
    memcpy(text, token->text, length);
    text[length] = '\0';
    value = strtod(text, NULL);
    memcpy(&token->bits, &value, sizeof value);
    token->kind = PTX_TOKEN_F64;
}

/* The length of a decimal floating-point constant; 0: it is an integer. */
static size_t decimal_float_length(const struct ptx_lexer *lexer)
{
    size_t length = 0;
    bool is_float = false;
    while (is_digit(peek(lexer, length)))
        length++;
    if (peek(lexer, length) == '.' && !is_letter(peek(lexer, length + 1))) {
        is_float = true;
        for (length++; is_digit(peek(lexer, length));)
            length++;
    }
    if (peek(lexer, length) == 'e' || peek(lexer, length) == 'E') {
        size_t sign = peek(lexer, length + 1) == '-' || peek(lexer, length + 1) == '+';
        if (is_digit(peek(lexer, length + 1 + sign))) {
            is_float = true;
            for (length += 1 + sign; is_digit(peek(lexer, length));)
                length++;
        }
    }
    return is_float ? length : 0;
}

static void lex_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
    char second = *lexer->at == '0' ? peek(lexer, 1) : '\0';
    size_t length;
    if (second == 'f' || second == 'F') {
        lex_exact_float(lexer, token, 8);
    } else if (second == 'd' || second == 'D') {
        lex_exact_float(lexer, token, 16);
    } else if (second == 'x' || second == 'X') {
        lexer->at += 2;
        lex_integer(lexer, token, 16);
    } else if (second == 'b' || second == 'B') {
        lexer->at += 2;
        lex_integer(lexer, token, 2);
    } else if ((length = decimal_float_length(lexer)) > 0) {
        lex_decimal_float(lexer, token, length);
    } else {
        lex_integer(lexer, token, is_digit(second) ? 8 : 10);
    }
    if (token->kind != PTX_TOKEN_ERROR && follows(peek(lexer, 0)))
        fail(token, "a number without a space before the next name");
    while (token->kind == PTX_TOKEN_ERROR && follows(peek(lexer, 0)))
        lexer->at++;
}

static void lex_text(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->text = ++lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at +=
            *lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n' ? 2 : 1;
    token->kind = PTX_TOKEN_TEXT;
    token->length = (size_t)(lexer->at - token->text);
    if (peek(lexer, 0) == '"')
        lexer->at++;
    else
        fail(token, "a string that does not end on its line");
}

static void lex_operator(struct ptx_lexer *lexer, struct ptx_token *token)
{
    static const struct {
        char text[3];
        enum ptx_token_op op;
    } pairs[] = {{"<<", PTX_TOKEN_SHL}, {">>", PTX_TOKEN_SHR}, {"<=", PTX_TOKEN_LE},
                 {">=", PTX_TOKEN_GE},  {"==", PTX_TOKEN_EQ},  {"!=", PTX_TOKEN_NE},
                 {"&&", PTX_TOKEN_AND}, {"||", PTX_TOKEN_OR}};
    token->kind = PTX_TOKEN_OTHER;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (*lexer->at == pairs[i].text[0] && peek(lexer, 1) == pairs[i].text[1]) {
            token->op = pairs[i].op;
            lexer->at += 2;
            return;
        }
    }
    if (!strchr("()[]{}<>,;:@!+-*/%&|^~?=", *lexer->at))
        fail(token, "a character that PTX does not have");
    token->op = *lexer->at++;
}

void ptx_lex_next(struct ptx_lexer *lexer, struct ptx_token *out_token)
{
    struct ptx_token *token = out_token;
    bool comments_end = skip(lexer);
    *token = (struct ptx_token){.line = lexer->line, .text = lexer->at};
    if (!comments_end) {
        fail(token, "a comment that does not end");
        lexer->at = lexer->end;
        return;
    }
    if (lexer->at >= lexer->end)
        return;
    char c = *lexer->at;
    /* A percent sign before a letter begins a name, otherwise it is the remainder operator. */
    if (is_letter(c) || c == '_' || c == '$' || (c == '%' && follows(peek(lexer, 1))))
        lex_name(lexer, token);
    else if (is_digit(c))
        lex_number(lexer, token);
    else if (c == '.')
        lex_dot(lexer, token);
    else if (c == '"')
        lex_text(lexer, token);
    else
        lex_operator(lexer, token);
    if (token->kind != PTX_TOKEN_TEXT)
        token->length = (size_t)(lexer->at - token->text);
}
