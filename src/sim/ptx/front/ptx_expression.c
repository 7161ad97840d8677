/* Constant expressions: C's operators on 64-bit integers, and the four
 * arithmetic ones on doubles. Source: PTX ISA, "Constant Expressions". */
#include "ptx_parse.h"

#include <string.h>

static double as_double(const struct ptx_value *value)
{
    double number;
    if (value->kind == PTX_VALUE_INT)
        return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
    memcpy(&number, &value->bits, sizeof number);
    return number;
}

static struct ptx_value of_double(double number)
{
    struct ptx_value value = {.kind = PTX_VALUE_F64};
    memcpy(&value.bits, &number, sizeof number);
    return value;
}

static struct ptx_value of_int(uint64_t bits, bool is_unsigned)
{
    return (struct ptx_value){.kind = PTX_VALUE_INT, .bits = bits, .is_unsigned = is_unsigned};
}

static bool parse_binary(struct ptx_parser *parser, int least, struct ptx_value *out_value);

/* "(.s64)" or "(.u64)", then the operand. */
static bool parse_cast(struct ptx_parser *parser, struct ptx_value *out_value);

static bool parse_primary(struct ptx_parser *parser, struct ptx_value *out_value)
{
    const struct ptx_token *token = &parser->token;
    switch (token->kind) {
    case PTX_TOKEN_INT:
        /* Constants that do not fit a signed integer are unsigned. */
        *out_value = of_int(token->bits, token->unsigned_suffix || token->bits > INT64_MAX);
        break;
    case PTX_TOKEN_F32:
    case PTX_TOKEN_F64:
        *out_value =
            (struct ptx_value){.kind = token->kind == PTX_TOKEN_F32 ? PTX_VALUE_F32 : PTX_VALUE_F64,
                               .bits = token->bits};
        break;
    case PTX_TOKEN_NAME:
        if (!ptx_parse_is_name(parser, "WARP_SZ"))
            return ptx_parse_expected(parser, "a constant");
        *out_value = of_int(32, false);
        break;
    default:
        if (!ptx_parse_accept(parser, '('))
            return ptx_parse_expected(parser, "a constant");
        if (parser->token.kind == PTX_TOKEN_DOT)
            return parse_cast(parser, out_value);
        return ptx_parse_constant(parser, out_value) && ptx_parse_expect(parser, ')');
    }
    ptx_parse_next(parser);
    return true;
}

static bool negate(struct ptx_value *value)
{
    if (value->kind == PTX_VALUE_INT)
        value->bits = -value->bits;
    else
        value->bits ^= UINT64_C(1) << (value->kind == PTX_VALUE_F32 ? 31 : 63);
    return true;
}

static bool parse_unary(struct ptx_parser *parser, struct ptx_value *out_value)
{
    int op = parser->token.kind == PTX_TOKEN_OTHER ? parser->token.op : 0;
    unsigned line = parser->token.line;
    bool good;
    if (op != '-' && op != '+' && op != '!' && op != '~')
        return parse_primary(parser, out_value);
    if (!ptx_parse_enter(parser))
        return false;
    ptx_parse_next(parser);
    good = parse_unary(parser, out_value);
    ptx_parse_leave(parser);
    if (!good || op == '+')
        return good;
    if (op == '-')
        return negate(out_value);
    if (out_value->kind != PTX_VALUE_INT)
        return ptx_parse_error(parser, line, PTX_INVALID, "'%c' of a floating-point constant", op);
    *out_value =
        op == '~' ? of_int(~out_value->bits, out_value->is_unsigned) : of_int(!out_value->bits, 0);
    return true;
}

static bool parse_cast(struct ptx_parser *parser, struct ptx_value *out_value)
{
    bool is_unsigned = ptx_parse_is_dot(parser, "u64"), good;
    unsigned line = parser->token.line;
    if (!is_unsigned && !ptx_parse_is_dot(parser, "s64"))
        return ptx_parse_expected(parser, ".s64 or .u64");
    ptx_parse_next(parser);
    if (!ptx_parse_expect(parser, ')') || !ptx_parse_enter(parser))
        return false;
    good = parse_unary(parser, out_value);
    ptx_parse_leave(parser);
    if (!good)
        return false;
    if (out_value->kind != PTX_VALUE_INT)
        return ptx_parse_error(parser, line, PTX_INVALID, "a cast of a floating-point constant");
    out_value->is_unsigned = is_unsigned;
    return true;
}

/* 0: not a binary operator. */
static int precedence(const struct ptx_token *token)
{
    if (token->kind != PTX_TOKEN_OTHER)
        return 0;
    switch (token->op) {
    case PTX_TOKEN_OR:
        return 1;
    case PTX_TOKEN_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case PTX_TOKEN_EQ:
    case PTX_TOKEN_NE:
        return 6;
    case '<':
    case '>':
    case PTX_TOKEN_LE:
    case PTX_TOKEN_GE:
        return 7;
    case PTX_TOKEN_SHL:
    case PTX_TOKEN_SHR:
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return 0;
    }
}

/* -1, 0 or 1. */
static int order(const struct ptx_value *a, const struct ptx_value *b)
{
    if (a->kind != PTX_VALUE_INT || b->kind != PTX_VALUE_INT)
        return (as_double(a) > as_double(b)) - (as_double(a) < as_double(b));
    if (a->is_unsigned || b->is_unsigned)
        return (a->bits > b->bits) - (a->bits < b->bits);
    return ((int64_t)a->bits > (int64_t)b->bits) - ((int64_t)a->bits < (int64_t)b->bits);
}

static bool compare(int op, int relation, struct ptx_value *out_value)
{
    bool yes;
    switch (op) {
    case '<':
        yes = relation < 0;
        break;
    case '>':
        yes = relation > 0;
        break;
    case PTX_TOKEN_LE:
        yes = relation <= 0;
        break;
    case PTX_TOKEN_GE:
        yes = relation >= 0;
        break;
    default:
        yes = (relation == 0) == (op == PTX_TOKEN_EQ);
    }
    *out_value = of_int(yes, false);
    return true;
}

/* C leaves division by zero and overflow undefined: the first is an error here, the second wraps
 * around. */
static bool divide(struct ptx_parser *parser, int op, uint64_t a, uint64_t b, bool is_unsigned,
                   uint64_t *out_bits)
{
    if (b == 0)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "division by zero in a constant expression");
    if (is_unsigned)
        *out_bits = op == '/' ? a / b : a % b;
    else if (b == UINT64_MAX)
        *out_bits = op == '/' ? -a : 0;
    else
        *out_bits = (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    return true;
}

static uint64_t shift(int op, uint64_t a, uint64_t count, bool is_unsigned)
{
    if (count > 63)
        return op == PTX_TOKEN_SHR && !is_unsigned && (int64_t)a < 0 ? UINT64_MAX : 0;
    if (op == PTX_TOKEN_SHL)
        return a << count;
    return is_unsigned ? a >> count : (uint64_t)((int64_t)a >> count);
}

static bool apply_int(struct ptx_parser *parser, int op, const struct ptx_value *a,
                      const struct ptx_value *b, struct ptx_value *out_value)
{
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    uint64_t bits = 0;
    switch (op) {
    case '+':
        bits = a->bits + b->bits;
        break;
    case '-':
        bits = a->bits - b->bits;
        break;
    case '*':
        bits = a->bits * b->bits;
        break;
    case '/':
    case '%':
        if (!divide(parser, op, a->bits, b->bits, is_unsigned, &bits))
            return false;
        break;
    case '&':
        bits = a->bits & b->bits;
        break;
    case '|':
        bits = a->bits | b->bits;
        break;
    case '^':
        bits = a->bits ^ b->bits;
        break;
    case PTX_TOKEN_SHL:
    case PTX_TOKEN_SHR:
        is_unsigned = a->is_unsigned;
        bits = shift(op, a->bits, b->bits, is_unsigned);
        break;
    case PTX_TOKEN_AND:
        bits = a->bits && b->bits;
        is_unsigned = false;
        break;
    case PTX_TOKEN_OR:
        bits = a->bits || b->bits;
        is_unsigned = false;
        break;
    default:
        return compare(op, order(a, b), out_value);
    }
    *out_value = of_int(bits, is_unsigned);
    return true;
}

static bool apply(struct ptx_parser *parser, int op, const struct ptx_value *a,
                  const struct ptx_value *b, struct ptx_value *out_value)
{
    double x = 0, y = 0;
    if (a->kind == PTX_VALUE_INT && b->kind == PTX_VALUE_INT)
        return apply_int(parser, op, a, b, out_value);
    if (a->kind == PTX_VALUE_F32 || b->kind == PTX_VALUE_F32)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "arithmetic with a single-precision constant");
    x = as_double(a);
    y = as_double(b);
    switch (op) {
    case '+':
        *out_value = of_double(x + y);
        return true;
    case '-':
        *out_value = of_double(x - y);
        return true;
    case '*':
        *out_value = of_double(x * y);
        return true;
    case '/':
        if (y == 0) {
            uint64_t none;
            return divide(parser, op, 0, 0, true, &none);
        }
        *out_value = of_double(x / y);
        return true;
    case '<':
    case '>':
    case PTX_TOKEN_LE:
    case PTX_TOKEN_GE:
    case PTX_TOKEN_EQ:
    case PTX_TOKEN_NE:
        return compare(op, order(a, b), out_value);
    default:
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "an operator that floating-point constants do not have");
    }
}

static bool parse_binary(struct ptx_parser *parser, int least, struct ptx_value *out_value)
{
    if (!ptx_parse_enter(parser))
        return false;
    bool good = parse_unary(parser, out_value);
    while (good && precedence(&parser->token) >= least) {
        int op = parser->token.op;
        int above = precedence(&parser->token) + 1;
        struct ptx_value left = *out_value, right;
        ptx_parse_next(parser);
        good = parse_binary(parser, above, &right) && apply(parser, op, &left, &right, out_value);
    }
    ptx_parse_leave(parser);
    return good;
}

static bool is_true(const struct ptx_value *value)
{
    return value->kind == PTX_VALUE_INT ? value->bits != 0 : value->bits << 1 != 0;
}

static bool parse_choice(struct ptx_parser *parser, struct ptx_value *out_value)
{
    struct ptx_value yes, no;
    bool condition = is_true(out_value);
    if (!ptx_parse_constant(parser, &yes) || !ptx_parse_expect(parser, ':') ||
        !ptx_parse_constant(parser, &no))
        return false;
    *out_value = condition ? yes : no;
    if (yes.kind == PTX_VALUE_INT && no.kind == PTX_VALUE_INT)
        out_value->is_unsigned = yes.is_unsigned || no.is_unsigned;
    return true;
}

bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_value *out_value)
{
    if (!ptx_parse_enter(parser))
        return false;
    bool good = parse_binary(parser, 1, out_value);
    if (good && ptx_parse_accept(parser, '?'))
        good = parse_choice(parser, out_value);
    ptx_parse_leave(parser);
    return good;
}

static bool require_int(struct ptx_parser *parser, const struct ptx_value *value, unsigned line)
{
    return value->kind == PTX_VALUE_INT ||
           ptx_parse_error(parser, line, PTX_INVALID, "expected an integer constant");
}

bool ptx_parse_integer(struct ptx_parser *parser, int64_t *out_value)
{
    struct ptx_value value;
    unsigned line = parser->token.line;
    if (!ptx_parse_constant(parser, &value) || !require_int(parser, &value, line))
        return false;
    *out_value = (int64_t)value.bits;
    return true;
}

bool ptx_parse_count(struct ptx_parser *parser, uint64_t min, uint64_t max, uint64_t *out_value)
{
    int64_t value;
    unsigned line = parser->token.line;
    if (!ptx_parse_integer(parser, &value))
        return false;
    *out_value = (uint64_t)value;
    return (*out_value >= min && *out_value <= max) ||
           ptx_parse_error(parser, line, PTX_INVALID, "%lld is out of range, expected %llu to %llu",
                           (long long)value, (unsigned long long)min, (unsigned long long)max);
}

bool ptx_parse_offset(struct ptx_parser *parser, int64_t *offset)
{
    while (ptx_parse_is(parser, '+') || ptx_parse_is(parser, '-')) {
        bool minus = ptx_parse_is(parser, '-');
        unsigned line = parser->token.line;
        struct ptx_value value;
        ptx_parse_next(parser);
        if (!parse_binary(parser, 10, &value) || !require_int(parser, &value, line))
            return false;
        *offset = (int64_t)((uint64_t)*offset + (minus ? -value.bits : value.bits));
    }
    return true;
}
