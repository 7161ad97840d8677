/* Declarations of variables, registers and parameters, and the initialisers
 * of variables. Source: PTX ISA, "Variables". */
#include "ptx_parse.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT (UINT64_C(1) << 40) /* of a variable; one this large is an error */

/* The part of a declaration before the name of a variable. */
struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    enum ptx_linkage linkage;
    unsigned vector, align;
    bool managed, opaque;
};

/* The shape of the variable whose initialiser is being read. */
struct shape {
    struct ptx_symbol *symbol;
    unsigned element; /* bytes of an element */
    unsigned levels;
    uint64_t strides[PTX_DIMENSIONS_MAX + 2]; /* [0]: the whole array; [levels]: an element */
    uint64_t end;                             /* UINT64_MAX: an array without a size */
    uint64_t written;                         /* bytes up to the last one */
    size_t run; /* bytes of the current piece, in the parser's buffer */
    struct ptx_piece **pieces_end;
};

enum ptx_type ptx_type_find(const char *word, size_t length)
{
    for (enum ptx_type type = PTX_PRED; type < PTX_TYPE_COUNT; type++) {
        const char *name = ptx_type_name(type);
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            return type;
    }
    return PTX_NOTYPE;
}

static bool find_space(const struct ptx_token *token, enum ptx_space *out_space)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = {{"reg", PTX_REG},       {"global", PTX_GLOBAL}, {"const", PTX_CONST},
                  {"shared", PTX_SHARED}, {"local", PTX_LOCAL},   {"param", PTX_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (strlen(spaces[i].word) == token->length &&
            memcmp(spaces[i].word, token->text, token->length) == 0) {
            *out_space = spaces[i].space;
            return true;
        }
    }
    return false;
}

/* .align N */
static bool parse_align(struct ptx_parser *parser, unsigned *out_align)
{
    uint64_t align;
    unsigned line = parser->token.line;
    if (!ptx_parse_count(parser, 1, 1 << 16, &align))
        return false;
    if (align & (align - 1))
        return ptx_parse_error(parser, line, PTX_INVALID, "the alignment %u is not a power of two",
                               (unsigned)align);
    if (out_align)
        *out_align = (unsigned)align;
    return true;
}

/* .attribute(.managed, .unified(1, 2)) */
static bool parse_attributes(struct ptx_parser *parser, struct declaration *d)
{
    unsigned depth = 0;
    do {
        if (parser->token.kind == PTX_TOKEN_END || ptx_parse_is(parser, ';'))
            return ptx_parse_expected(parser, "')'");
        if (ptx_parse_is_dot(parser, "managed"))
            d->managed = true;
        depth += ptx_parse_is(parser, '(');
        depth -= depth > 0 && ptx_parse_is(parser, ')');
        ptx_parse_next(parser);
    } while (depth > 0);
    return true;
}

/* .ptr, the space and the alignment that it points to: hints without an effect. */
static bool parse_pointer(struct ptx_parser *parser)
{
    enum ptx_space space;
    if (parser->token.kind == PTX_TOKEN_DOT && find_space(&parser->token, &space))
        ptx_parse_next(parser);
    return !ptx_parse_accept_dot(parser, "align") || parse_align(parser, NULL);
}

static bool is_opaque(const struct ptx_parser *parser)
{
    return ptx_parse_is_dot(parser, "texref") || ptx_parse_is_dot(parser, "samplerref") ||
           ptx_parse_is_dot(parser, "surfref");
}

static bool parse_one_attribute(struct ptx_parser *parser, struct declaration *d)
{
    enum ptx_type type;
    if (ptx_parse_accept_dot(parser, "align"))
        return parse_align(parser, &d->align);
    if (ptx_parse_accept_dot(parser, "attribute"))
        return parse_attributes(parser, d);
    if (ptx_parse_accept_dot(parser, "ptr"))
        return parse_pointer(parser);
    type = ptx_type_find(parser->token.text, parser->token.length);
    if (ptx_parse_is_dot(parser, "v2")) {
        d->vector = 2;
    } else if (ptx_parse_is_dot(parser, "v4")) {
        d->vector = 4;
    } else if (ptx_parse_is_dot(parser, "v8")) {
        d->vector = 8;
    } else if (is_opaque(parser) && d->type == PTX_NOTYPE) {
        d->type = PTX_B64;
        d->opaque = true;
    } else if (type != PTX_NOTYPE && d->type == PTX_NOTYPE) {
        d->type = type;
    } else {
        return ptx_parse_expected(parser, "a type, .align, .v2, .v4 or .attribute");
    }
    ptx_parse_next(parser);
    return true;
}

/* Everything between the space and the first name. */
static bool parse_attributes_and_type(struct ptx_parser *parser, struct declaration *d)
{
    d->type = PTX_NOTYPE;
    d->vector = 1;
    d->align = 0;
    while (parser->token.kind == PTX_TOKEN_DOT)
        if (!parse_one_attribute(parser, d))
            return false;
    if (d->type == PTX_NOTYPE)
        return ptx_parse_expected(parser, "a type");
    if (d->type == PTX_PRED && d->space != PTX_REG)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               ".pred is for registers only");
    if (d->vector * ptx_type_size(d->type) > 16 && d->space != PTX_REG)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "a vector of more than 16 bytes");
    return true;
}

/* [3][4], [] */
static bool parse_dimensions(struct ptx_parser *parser, struct ptx_symbol *symbol, uint64_t *counts,
                             unsigned *out_count)
{
    unsigned count = 0;
    while (ptx_parse_accept(parser, '[')) {
        if (count == PTX_DIMENSIONS_MAX)
            return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                                   "an array of more than %d dimensions", PTX_DIMENSIONS_MAX);
        counts[count] = 0;
        if (count == 0 && ptx_parse_is(parser, ']'))
            symbol->unsized = true;
        else if (!ptx_parse_count(parser, 0, SIZE_LIMIT - 1, &counts[count]))
            return false;
        count++;
        if (!ptx_parse_expect(parser, ']'))
            return false;
    }
    *out_count = count;
    return true;
}

/* Strides from the innermost outwards; sets the symbol's size. */
static bool measure(struct ptx_parser *parser, struct ptx_symbol *symbol, const uint64_t *counts,
                    unsigned count, struct shape *shape)
{
    uint64_t stride = ptx_type_size(symbol->type);
    *shape = (struct shape){.symbol = symbol, .element = (unsigned)stride};
    shape->levels = count + (symbol->vector > 1);
    shape->strides[shape->levels] = stride;
    if (symbol->vector > 1) {
        stride *= symbol->vector;
        shape->strides[count] = stride;
    }
    for (unsigned i = count; i-- > 0;) {
        uint64_t n = i == 0 && symbol->unsized ? 1 : counts[i];
        if (__builtin_mul_overflow(stride, n, &stride) || stride >= SIZE_LIMIT)
            return ptx_parse_error(parser, symbol->line, PTX_INVALID,
                                   "variable '%.200s' is too large", symbol->name);
        if (i > 0 || !symbol->unsized)
            shape->strides[i] = stride;
    }
    symbol->size = symbol->unsized ? 0 : stride;
    shape->end = symbol->unsized ? UINT64_MAX : stride;
    return true;
}

/* A variable cannot be larger than the memory of its space. */
static bool fits(struct ptx_parser *parser, const struct ptx_symbol *symbol)
{
    uint64_t limit = SIZE_LIMIT;
    if (symbol->space == PTX_CONST)
        limit = PTX_CONST_LIMIT;
    else if (symbol->space == PTX_LOCAL || symbol->space == PTX_PARAM)
        limit = PTX_LOCAL_LIMIT;
    return symbol->size <= limit ||
           ptx_parse_error(parser, symbol->line, PTX_INVALID,
                           "variable '%.200s' has %zu bytes, at most %zu fit into its memory",
                           symbol->name, symbol->size, (size_t)limit);
}

/* ---- initialisers -------------------------------------------------------------------- */

/* Ends the current piece, which consists of contiguous elements. */
static void end_run(struct ptx_parser *parser, struct shape *shape)
{
    struct ptx_piece *piece;
    if (shape->run == 0)
        return;
    piece = ptx_arena_alloc(parser->arena, sizeof *piece + shape->run);
    piece->next = NULL;
    piece->offset = shape->written - shape->run;
    piece->size = shape->run;
    memcpy(piece->bytes, parser->bytes, shape->run);
    *shape->pieces_end = piece;
    shape->pieces_end = &piece->next;
    shape->run = 0;
}

static void reserve(struct ptx_parser *parser, size_t size)
{
    unsigned char *bytes;
    size_t capacity = parser->byte_capacity ? parser->byte_capacity * 2 : 4096;
    if (size <= parser->byte_capacity)
        return;
    bytes = realloc(parser->bytes, capacity);
    if (!bytes)
        ptx_parse_no_memory(parser);
    parser->bytes = bytes;
    parser->byte_capacity = capacity;
}

/* Elements come in order of their offsets, with gaps where braces end early. */
static void put(struct ptx_parser *parser, struct shape *shape, uint64_t at, uint64_t bits)
{
    unsigned char number[16] = {0};
    if (at != shape->written)
        end_run(parser, shape);
    reserve(parser, shape->run + shape->element);
    memcpy(number, &bits, sizeof bits);
    memcpy(parser->bytes + shape->run, number, shape->element);
    shape->run += shape->element;
    shape->written = at + shape->element;
}

/* symbol, generic(symbol), followed by + and - constants. */
static bool parse_symbol_address(struct ptx_parser *parser, struct ptx_relocation *relocation)
{
    unsigned line = parser->token.line;
    bool generic = ptx_parse_is_name(parser, "generic");
    struct ptx_name *name = ptx_parse_name(parser, "a symbol");
    struct ptx_symbol *symbol;
    if (name && generic && ptx_parse_accept(parser, '(')) {
        relocation->generic = true;
        name = ptx_parse_name(parser, "a symbol");
        if (name && !ptx_parse_expect(parser, ')'))
            return false;
    }
    if (!name)
        return false;
    symbol = ptx_scope_find(parser, name);
    if (!symbol)
        ptx_scope_add_pending(parser, name, line)->symbol = &relocation->symbol;
    else if (symbol->kind != PTX_VARIABLE && symbol->kind != PTX_FUNCTION)
        return ptx_parse_error(parser, line, PTX_INVALID, "'%.200s' has no address", name->text);
    relocation->symbol = symbol;
    return ptx_parse_offset(parser, &relocation->addend);
}

/* A mask operator selects a byte of an address: 0xFF00(symbol) is its second byte. */
static bool apply_mask(struct ptx_parser *parser, uint64_t mask, struct ptx_relocation *relocation)
{
    unsigned shift = mask ? (unsigned)__builtin_ctzll(mask) : 0;
    if (mask >> shift != 0xff || shift % 8 != 0)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "a mask that is not one byte of an address");
    relocation->size = 1;
    relocation->shift = shift;
    return true;
}

static bool add_relocation(struct ptx_parser *parser, struct shape *shape, uint64_t at,
                           const uint64_t *mask)
{
    struct ptx_relocation *relocation = ptx_arena_alloc(parser->arena, sizeof *relocation);
    relocation->offset = at;
    relocation->size = shape->element;
    if (mask && !apply_mask(parser, *mask, relocation))
        return false;
    if (!parse_symbol_address(parser, relocation))
        return false;
    if (!mask && shape->element < 4)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "an address does not fit into .%s",
                               ptx_type_name(shape->symbol->type));
    relocation->next = shape->symbol->relocations;
    shape->symbol->relocations = relocation;
    put(parser, shape, at, 0);
    return true;
}

static uint64_t float_bits(double number, enum ptx_type type)
{
    uint64_t bits = 0;
    float single = (float)number;
    if (type == PTX_F64)
        memcpy(&bits, &number, sizeof number);
    else
        memcpy(&bits, &single, sizeof single);
    return bits;
}

/* The bits of a number in an element of a type. */
static bool convert(struct ptx_parser *parser, const struct ptx_value *value, enum ptx_type type,
                    uint64_t *out_bits)
{
    bool is_float = type == PTX_F32 || type == PTX_F64;
    double number;
    *out_bits = value->bits;
    if (value->kind == PTX_VALUE_INT) {
        if (is_float)
            *out_bits = float_bits(
                value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits, type);
        return true;
    }
    if (value->kind == PTX_VALUE_F32)
        return ptx_type_size(type) == 4 ||
               ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "a single-precision constant for .%s", ptx_type_name(type));
    if (!is_float && type != PTX_B64)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "a floating-point constant for .%s", ptx_type_name(type));
    memcpy(&number, &value->bits, sizeof number);
    if (is_float)
        *out_bits = float_bits(number, type);
    return true;
}

static bool parse_number_at(struct ptx_parser *parser, struct shape *shape, uint64_t at)
{
    struct ptx_value value;
    uint64_t bits;
    if (parser->token.kind == PTX_TOKEN_NAME && !ptx_parse_is_name(parser, "WARP_SZ"))
        return add_relocation(parser, shape, at, NULL);
    if (!ptx_parse_constant(parser, &value))
        return false;
    if (value.kind == PTX_VALUE_INT && ptx_parse_accept(parser, '('))
        return add_relocation(parser, shape, at, &value.bits) && ptx_parse_expect(parser, ')');
    if (!convert(parser, &value, shape->symbol->type, &bits))
        return false;
    put(parser, shape, at, bits);
    return true;
}

/* The braces of one level, from at to end; numbers without braces of their own
 * fill the levels below in order, as in C. */
static bool parse_braces(struct ptx_parser *parser, struct shape *shape, unsigned level,
                         uint64_t at, uint64_t end)
{
    if (!ptx_parse_enter(parser))
        return false;
    bool good = ptx_parse_expect(parser, '{');
    uint64_t from = at;
    while (good && !ptx_parse_is(parser, '}')) {
        uint64_t stride = shape->strides[level + 1];
        bool nested = ptx_parse_is(parser, '{');
        if (nested && stride > 0)
            at = from + (at - from + stride - 1) / stride * stride;
        if (at >= end || (nested && level + 1 >= shape->levels))
            good = ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                                   "too many initialisers for '%.200s'", shape->symbol->name);
        else if (nested)
            good = parse_braces(parser, shape, level + 1, at, at + stride);
        else
            good = parse_number_at(parser, shape, at);
        at += nested ? stride : shape->element;
        if (!good || !ptx_parse_accept(parser, ','))
            break;
    }
    ptx_parse_leave(parser);
    return good && ptx_parse_expect(parser, '}');
}

/* An array without a size has as many elements as values. */
static void set_size(struct shape *shape)
{
    struct ptx_symbol *symbol = shape->symbol;
    uint64_t unit = shape->strides[1];
    if (symbol->unsized)
        symbol->size = unit ? (shape->written + unit - 1) / unit * unit : 0;
    symbol->unsized = false;
}

static bool parse_initialiser(struct ptx_parser *parser, struct shape *shape)
{
    struct ptx_symbol *symbol = shape->symbol;
    bool good;
    if (symbol->space != PTX_GLOBAL && symbol->space != PTX_CONST)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "only variables in .global and .const have initial values");
    shape->pieces_end = &symbol->pieces;
    if (shape->levels == 0)
        good = parse_number_at(parser, shape, 0);
    else
        good = parse_braces(parser, shape, 0, 0, shape->end);
    if (!good)
        return false;
    end_run(parser, shape);
    set_size(shape);
    return fits(parser, symbol);
}

/* { attribute = value, ... } of a texture, surface or sampler. */
static bool skip_opaque_initialiser(struct ptx_parser *parser)
{
    while (!ptx_parse_is(parser, ';') && !ptx_parse_is(parser, ',')) {
        if (parser->token.kind == PTX_TOKEN_END)
            return ptx_parse_expected(parser, "';'");
        if (ptx_parse_accept(parser, '{')) {
            while (!ptx_parse_is(parser, '}') && parser->token.kind != PTX_TOKEN_END)
                ptx_parse_next(parser);
            if (!ptx_parse_expect(parser, '}'))
                return false;
        } else {
            ptx_parse_next(parser);
        }
    }
    return true;
}

/* ---- declarations ---------------------------------------------------------------------- */

static struct ptx_symbol *new_variable(struct ptx_parser *parser, struct ptx_name *name,
                                       const struct declaration *d)
{
    struct ptx_symbol *symbol =
        ptx_new_symbol(parser, name, d->space == PTX_REG ? PTX_REGISTER : PTX_VARIABLE);
    unsigned natural = ptx_type_size(d->type) * d->vector;
    symbol->space = d->space;
    symbol->type = d->type;
    symbol->vector = d->vector;
    symbol->linkage = d->linkage;
    symbol->managed = d->managed;
    symbol->align = d->align > natural ? d->align : natural;
    if (d->align > 0 && d->vector == 1 && d->align < natural)
        symbol->align = d->align;
    if (symbol->align == 0)
        symbol->align = 1;
    symbol->size = natural;
    return symbol;
}

bool ptx_parse_parameter(struct ptx_parser *parser, struct ptx_symbol **out_symbol)
{
    struct declaration d = {.space = PTX_PARAM};
    struct ptx_name *name;
    uint64_t counts[PTX_DIMENSIONS_MAX];
    unsigned count;
    struct shape shape;
    if (ptx_parse_accept_dot(parser, "reg"))
        d.space = PTX_REG;
    else if (!ptx_parse_accept_dot(parser, "param"))
        return ptx_parse_expected(parser, ".param or .reg");
    if (!parse_attributes_and_type(parser, &d))
        return false;
    name = ptx_parse_name(parser, "the name of a parameter");
    if (!name)
        return false;
    *out_symbol = new_variable(parser, name, &d);
    return parse_dimensions(parser, *out_symbol, counts, &count) &&
           measure(parser, *out_symbol, counts, count, &shape) && fits(parser, *out_symbol);
}

static void append_variable(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_symbol ***end = parser->function ? &parser->locals_end : &parser->variables_end;
    **end = symbol;
    *end = &symbol->next;
}

static bool may_redeclare(const struct ptx_symbol *symbol, const struct ptx_symbol *other)
{
    return symbol->kind == PTX_VARIABLE && symbol->space == other->space &&
           (symbol->linkage == PTX_EXTERN || other->linkage == PTX_EXTERN ||
            (symbol->linkage == PTX_COMMON && other->linkage == PTX_COMMON));
}

/* A second declaration of a variable of the module is merged with the first one, so that all
 * references are to the definition. */
static struct ptx_symbol *declare_variable(struct ptx_parser *parser, struct ptx_name *name,
                                           struct ptx_symbol *symbol)
{
    struct ptx_symbol *first = parser->depth == 0 ? name->global : NULL;
    if (!first || !may_redeclare(first, symbol)) {
        if (!ptx_scope_bind(parser, name, symbol))
            return NULL;
        append_variable(parser, symbol);
        return symbol;
    }
    if (symbol->linkage != PTX_EXTERN) {
        struct ptx_symbol *next = first->next;
        *first = *symbol;
        first->next = next;
    }
    return first;
}

static bool parse_variable(struct ptx_parser *parser, const struct declaration *d)
{
    uint64_t counts[PTX_DIMENSIONS_MAX];
    unsigned count;
    struct shape shape;
    struct ptx_name *name = ptx_parse_name(parser, "the name of a variable");
    struct ptx_symbol *symbol;
    if (!name)
        return false;
    symbol = new_variable(parser, name, d);
    if (!parse_dimensions(parser, symbol, counts, &count) ||
        !measure(parser, symbol, counts, count, &shape) || !fits(parser, symbol))
        return false;
    symbol = declare_variable(parser, name, symbol);
    if (!symbol)
        return false;
    shape.symbol = symbol;
    if (ptx_parse_accept(parser, '=')) {
        if (d->linkage == PTX_EXTERN)
            return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                                   "an initial value for .extern '%.200s'", symbol->name);
        if (d->opaque ? !skip_opaque_initialiser(parser) : !parse_initialiser(parser, &shape))
            return false;
    }
    if (symbol->unsized && symbol->linkage != PTX_EXTERN && symbol->space != PTX_PARAM)
        return ptx_parse_error(parser, symbol->line, PTX_INVALID,
                               "array '%.200s' has neither a size nor initial values",
                               symbol->name);
    return true;
}

/* %r<12>, after the "<"; the count is not an expression, in which ">" would be an operator. */
static bool parse_range(struct ptx_parser *parser, struct ptx_name *prefix,
                        const struct ptx_symbol *like)
{
    uint64_t count = parser->token.bits;
    if (parser->token.kind != PTX_TOKEN_INT || count > UINT32_MAX)
        return ptx_parse_expected(parser, "a number of registers");
    ptx_parse_next(parser);
    return ptx_parse_expect(parser, '>') &&
           ptx_scope_bind_range(parser, prefix, (uint32_t)count, like);
}

static bool parse_register(struct ptx_parser *parser, const struct declaration *d)
{
    struct ptx_name *name = ptx_parse_name(parser, "the name of a register");
    struct ptx_symbol *symbol;
    if (!name)
        return false;
    symbol = new_variable(parser, name, d);
    if (ptx_parse_accept(parser, '<'))
        return parse_range(parser, name, symbol);
    if (!ptx_scope_bind(parser, name, symbol))
        return false;
    symbol->index = parser->function->register_count++;
    *parser->registers_end = symbol;
    parser->registers_end = &symbol->next;
    return true;
}

/* Whether variables of this space may be declared in this scope. */
static bool is_allowed_here(struct ptx_parser *parser, const struct declaration *d)
{
    bool inside = parser->function;
    switch (d->space) {
    case PTX_REG:
    case PTX_PARAM:
        return inside || ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                                         "a register or parameter outside of a function");
    case PTX_GLOBAL:
    case PTX_CONST:
        return !inside || ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                                          "a .global or .const variable inside of a function");
    case PTX_LOCAL:
        return inside || ptx_parse_error(parser, parser->token.line, PTX_UNSUPPORTED,
                                         "a .local variable outside of a function");
    default:
        return true;
    }
}

bool ptx_parse_declaration(struct ptx_parser *parser, enum ptx_linkage linkage)
{
    struct declaration d = {.linkage = linkage};
    if (parser->token.kind != PTX_TOKEN_DOT || !find_space(&parser->token, &d.space))
        return ptx_parse_expected(parser, "a state space");
    ptx_parse_next(parser);
    if (!is_allowed_here(parser, &d) || !parse_attributes_and_type(parser, &d))
        return false;
    do {
        if (d.space == PTX_REG ? !parse_register(parser, &d) : !parse_variable(parser, &d))
            return false;
    } while (ptx_parse_accept(parser, ','));
    return ptx_parse_expect(parser, ';');
}
