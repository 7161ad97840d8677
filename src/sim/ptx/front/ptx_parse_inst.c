/* Instructions and their operands, as written; ptx_check.c checks them. Source: PTX ISA,
 * "Instruction Operands". */
#include "ptx_parse.h"
#include "ptx_rows.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 255 };

/* Names of elements of vectors and lists have to be declared before. */
enum place { PLACE_OPERAND, PLACE_ELEMENT };

static bool parse_operand(struct ptx_parser *parser, struct ptx_operand *operand, bool is_call,
                          enum place place);

static bool parse_elements(struct ptx_parser *parser, struct ptx_operand *operand, int close);

static int component_number(const struct ptx_token *token)
{
    static const char words[] = "xyzwrgba";
    const char *found = token->length == 1 ? memchr(words, *token->text, 8) : NULL;
    return token->kind == PTX_TOKEN_DOT && found ? (int)(found - words) % 4 : -1;
}

static bool unknown_name(struct ptx_parser *parser, const struct ptx_name *name, unsigned line)
{
    return ptx_parse_error(parser, line, PTX_INVALID, "unknown symbol '%.200s'", name->text);
}

/* %tid.x; false without an error: it is not a special register. */
static bool parse_special(struct ptx_parser *parser, struct ptx_name *name,
                          struct ptx_operand *operand)
{
    char dotted[64];
    enum ptx_special special = ptx_special_find(name);
    int component = component_number(&parser->token);
    if (component >= 0 && name->length + 2 < sizeof dotted) {
        memcpy(dotted, name->text, name->length);
        dotted[name->length] = '.';
        dotted[name->length + 1] = "xyzw"[component];
        special = ptx_special_find(ptx_arena_name(parser->arena, dotted, name->length + 2));
        if (special != PTX_SPECIAL_COUNT)
            ptx_parse_next(parser);
    }
    operand->kind = PTX_OP_SPECIAL;
    operand->bits = special;
    return special != PTX_SPECIAL_COUNT;
}

/* array[3]: the address of an element. */
static bool parse_subscript(struct ptx_parser *parser, struct ptx_operand *operand)
{
    int64_t index;
    uint64_t size = ptx_type_size(operand->symbol->type) * (uint64_t)operand->symbol->vector;
    if (!ptx_parse_integer(parser, &index) || !ptx_parse_expect(parser, ']'))
        return false;
    operand->offset = (int64_t)((uint64_t)index * size);
    return ptx_parse_offset(parser, &operand->offset);
}

/* A register declared as a vector stands for its components. */
static void expand_components(struct ptx_parser *parser, struct ptx_symbol *symbol,
                              struct ptx_operand *operand)
{
    operand->kind = PTX_OP_VECTOR;
    operand->symbol = NULL;
    operand->element_count = (uint8_t)symbol->vector;
    operand->elements = ptx_arena_alloc(parser->arena, symbol->vector * sizeof *operand->elements);
    for (unsigned i = 0; i < symbol->vector; i++)
        operand->elements[i] = (struct ptx_operand){
            .kind = PTX_OP_COMPONENT, .component = (uint8_t)i, .symbol = symbol};
}

static bool parse_symbol(struct ptx_parser *parser, struct ptx_symbol *symbol,
                         struct ptx_operand *operand)
{
    int component = component_number(&parser->token);
    operand->symbol = symbol;
    switch (symbol->kind) {
    case PTX_REGISTER:
        operand->kind = component >= 0 ? PTX_OP_COMPONENT : PTX_OP_REG;
        operand->component = (uint8_t)(component >= 0 ? component : 0);
        if (component >= 0)
            ptx_parse_next(parser);
        else if (symbol->vector > 1)
            expand_components(parser, symbol, operand);
        return true;
    case PTX_VARIABLE:
        operand->kind = PTX_OP_SYMBOL;
        if (ptx_parse_accept(parser, '['))
            return parse_subscript(parser, operand);
        return ptx_parse_offset(parser, &operand->offset);
    case PTX_FUNCTION:
        operand->kind = PTX_OP_SYMBOL;
        return true;
    default:
        operand->kind = PTX_OP_LABEL;
        return true;
    }
}

/* A label or function further down. */
static void add_pending_operand(struct ptx_parser *parser, struct ptx_name *name, unsigned line,
                                struct ptx_operand *operand)
{
    struct ptx_pending *pending = ptx_scope_add_pending(parser, name, line);
    operand->kind = PTX_OP_LABEL;
    pending->inst = parser->inst_count;
    pending->number = (uint32_t)(operand - parser->insts[parser->inst_count].operands);
}

static bool parse_named(struct ptx_parser *parser, struct ptx_operand *operand, enum place place)
{
    unsigned line = parser->token.line;
    struct ptx_name *name = ptx_parse_name(parser, "an operand");
    struct ptx_symbol *symbol;
    if (!name)
        return false;
    if (strcmp(name->text, "_") == 0) {
        operand->kind = PTX_OP_SINK;
        return true;
    }
    symbol = ptx_scope_find(parser, name);
    if (!symbol && *name->text == '%' && parse_special(parser, name, operand))
        return true;
    /* A label of this name in an inner scope may follow. */
    if (place == PLACE_OPERAND && (!symbol || symbol->kind == PTX_LABEL)) {
        add_pending_operand(parser, name, line, operand);
        return true;
    }
    return symbol ? parse_symbol(parser, symbol, operand) : unknown_name(parser, name, line);
}

static bool parse_number(struct ptx_parser *parser, struct ptx_operand *operand)
{
    static const enum ptx_operand_kind kinds[] = {
        [PTX_VALUE_INT] = PTX_OP_INT, [PTX_VALUE_F32] = PTX_OP_F32, [PTX_VALUE_F64] = PTX_OP_F64};
    struct ptx_value value;
    if (!ptx_parse_constant(parser, &value))
        return false;
    operand->kind = kinds[value.kind];
    operand->bits = value.bits;
    return true;
}

static bool is_plain_name(const struct ptx_parser *parser)
{
    return parser->token.kind == PTX_TOKEN_NAME && !ptx_parse_is_name(parser, "WARP_SZ");
}

/* [register + constant], [variable + constant], [constant], [object, {coordinates}] */
static bool parse_address(struct ptx_parser *parser, struct ptx_operand *operand)
{
    operand->kind = PTX_OP_ADDRESS;
    if (is_plain_name(parser)) {
        unsigned line = parser->token.line;
        struct ptx_name *name = ptx_parse_name(parser, "an address");
        operand->symbol = name ? ptx_scope_find(parser, name) : NULL;
        if (!name || !operand->symbol)
            return name && unknown_name(parser, name, line);
        if (operand->symbol->kind != PTX_REGISTER && operand->symbol->kind != PTX_VARIABLE)
            return ptx_parse_error(parser, line, PTX_INVALID, "'%.200s' is not an address",
                                   name->text);
        if (!ptx_parse_offset(parser, &operand->offset))
            return false;
    } else if (!ptx_parse_integer(parser, &operand->offset)) {
        return false;
    }
    if (ptx_parse_accept(parser, ','))
        return ptx_parse_expect(parser, '{') && parse_elements(parser, operand, '}') &&
               ptx_parse_expect(parser, ']');
    return ptx_parse_expect(parser, ']');
}

/* The elements up to the closing bracket, which is taken. */
static bool parse_elements(struct ptx_parser *parser, struct ptx_operand *operand, int close)
{
    struct ptx_operand elements[ELEMENTS_MAX];
    unsigned count = 0;
    while (!ptx_parse_is(parser, close)) {
        if (count == ELEMENTS_MAX)
            return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                                   "more than %d operands in brackets", ELEMENTS_MAX);
        elements[count] = (struct ptx_operand){0};
        if (!parse_operand(parser, &elements[count++], false, PLACE_ELEMENT))
            return false;
        if (!ptx_parse_accept(parser, ','))
            break;
    }
    operand->element_count = (uint8_t)count;
    operand->elements = ptx_arena_alloc(parser->arena, count * sizeof *elements);
    memcpy(operand->elements, elements, count * sizeof *elements);
    return ptx_parse_expect(parser, close);
}

static bool parse_bracketed(struct ptx_parser *parser, struct ptx_operand *operand,
                            enum ptx_operand_kind kind, int close)
{
    operand->kind = kind;
    return parse_elements(parser, operand, close);
}

/* The q of "p|q". */
static bool parse_pair(struct ptx_parser *parser, struct ptx_operand *operand)
{
    operand->pair = ptx_arena_alloc(parser->arena, sizeof *operand->pair);
    return parse_named(parser, operand->pair, PLACE_ELEMENT);
}

static bool parse_operand(struct ptx_parser *parser, struct ptx_operand *operand, bool is_call,
                          enum place place)
{
    struct ptx_lexer before = parser->lexer;
    struct ptx_token first = parser->token;
    if (place == PLACE_OPERAND) {
        if (ptx_parse_accept(parser, '['))
            return parse_address(parser, operand);
        if (ptx_parse_accept(parser, '{'))
            return parse_bracketed(parser, operand, PTX_OP_VECTOR, '}');
        if (is_call && ptx_parse_accept(parser, '('))
            return parse_bracketed(parser, operand, PTX_OP_LIST, ')');
    }
    if (ptx_parse_accept(parser, '!')) {
        if (is_plain_name(parser)) {
            operand->negated = true;
        } else { /* "!1": an expression */
            parser->lexer = before;
            parser->token = first;
        }
    }
    if (!is_plain_name(parser))
        return parse_number(parser, operand);
    if (!parse_named(parser, operand, place))
        return false;
    return !ptx_parse_accept(parser, '|') || parse_pair(parser, operand);
}

static struct ptx_inst *new_instruction(struct ptx_parser *parser)
{
    if (parser->inst_count == parser->inst_capacity) {
        uint32_t capacity = parser->inst_capacity ? parser->inst_capacity * 2 : 256;
        struct ptx_inst *insts = NULL;
        if (capacity > parser->inst_capacity)
            insts = realloc(parser->insts, capacity * sizeof *insts);
        if (!insts)
            ptx_parse_no_memory(parser);
        parser->insts = insts;
        parser->inst_capacity = capacity;
    }
    return memset(&parser->insts[parser->inst_count], 0, sizeof *parser->insts);
}

static bool parse_modifiers(struct ptx_parser *parser, struct ptx_inst *inst)
{
    while (parser->token.kind == PTX_TOKEN_DOT) {
        if (inst->modifier_count == PTX_MODIFIERS_MAX)
            return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                                   "an instruction of more than %d modifiers", PTX_MODIFIERS_MAX);
        inst->modifiers[inst->modifier_count++] =
            ptx_arena_name(parser->arena, parser->token.text, parser->token.length)->text;
        ptx_parse_next(parser);
    }
    return true;
}

static bool too_many_operands(struct ptx_parser *parser)
{
    return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                           "an instruction of more than %d operands", PTX_OPERANDS_MAX);
}

/* The coordinates of [object, {coordinates}] are an operand of their own. */
static bool split_coordinates(struct ptx_parser *parser, struct ptx_inst *inst)
{
    if (inst->operand_count == PTX_OPERANDS_MAX)
        return too_many_operands(parser);
    struct ptx_operand *address = &inst->operands[inst->operand_count - 1];
    inst->operands[inst->operand_count++] =
        (struct ptx_operand){.kind = PTX_OP_VECTOR,
                             .element_count = address->element_count,
                             .elements = address->elements};
    address->element_count = 0;
    address->elements = NULL;
    return true;
}

static bool parse_operands(struct ptx_parser *parser, struct ptx_inst *inst)
{
    bool is_call = strcmp(inst->opcode, "call") == 0;
    if (ptx_parse_is(parser, ';'))
        return true;
    do {
        if (inst->operand_count == PTX_OPERANDS_MAX)
            return too_many_operands(parser);
        struct ptx_operand *operand = &inst->operands[inst->operand_count++];
        if (!parse_operand(parser, operand, is_call, PLACE_OPERAND))
            return false;
        if (operand->kind == PTX_OP_ADDRESS && operand->elements &&
            !split_coordinates(parser, inst))
            return false;
    } while (ptx_parse_accept(parser, ','));
    return true;
}

/* Skips the operands of an instruction that the table does not have. */
static bool skip_operands(struct ptx_parser *parser)
{
    while (!ptx_parse_is(parser, ';') && parser->token.kind != PTX_TOKEN_END)
        ptx_parse_next(parser);
    return true;
}

static bool parse_rest(struct ptx_parser *parser, struct ptx_inst *inst)
{
    if (!parse_modifiers(parser, inst))
        return false;
    inst->row = ptx_row_missing(inst);
    if (inst->row)
        return skip_operands(parser) && ptx_parse_expect(parser, ';');
    return parse_operands(parser, inst) && ptx_parse_expect(parser, ';');
}

bool ptx_parse_instruction(struct ptx_parser *parser, struct ptx_name *opcode, unsigned line,
                           struct ptx_symbol *guard, bool guard_negated)
{
    struct ptx_inst *inst = new_instruction(parser);
    struct ptx_pending *pending = parser->scopes[parser->depth].pending;
    inst->opcode = opcode->text;
    inst->line = line;
    inst->file = parser->file;
    inst->source_line = parser->source_line;
    inst->guard = guard;
    inst->guard_negated = guard_negated;
    if (!parse_rest(parser, inst)) {
        /* The instruction is discarded, so pending names must not refer to it. */
        parser->scopes[parser->depth].pending = pending;
        return false;
    }
    parser->inst_count++;
    return true;
}
