/* Names while parsing: scopes, registers that are created on first use, and names that are used
 * before they are declared. */
#include "ptx_parse.h"

#include <string.h>

enum { RANGE_DIGITS_MAX = 10 };

struct ptx_symbol *ptx_new_symbol(struct ptx_parser *parser, struct ptx_name *name,
                                  enum ptx_symbol_kind kind)
{
    struct ptx_symbol *symbol = ptx_arena_alloc(parser->arena, sizeof *symbol);
    symbol->name = name ? name->text : "_";
    symbol->kind = kind;
    symbol->vector = 1;
    symbol->line = parser->token.line;
    return symbol;
}

bool ptx_scope_open(struct ptx_parser *parser)
{
    if (parser->depth + 1 >= PTX_SCOPES_MAX)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "braces are nested too deeply");
    parser->scopes[++parser->depth] = (struct ptx_scope){0};
    return true;
}

static struct ptx_operand *pending_operand(struct ptx_parser *parser, struct ptx_pending *pending)
{
    struct ptx_inst *insts;
    if (pending->operand)
        return pending->operand;
    insts = pending->function->insts ? pending->function->insts : parser->insts;
    return &insts[pending->inst].operands[pending->number];
}

static void resolve(struct ptx_parser *parser, struct ptx_pending *pending,
                    struct ptx_symbol *symbol)
{
    struct ptx_operand *operand;
    if (pending->symbol) {
        *pending->symbol = symbol;
        return;
    }
    operand = pending_operand(parser, pending);
    operand->symbol = symbol;
    if (symbol->kind == PTX_VARIABLE || symbol->kind == PTX_FUNCTION)
        operand->kind = PTX_OP_SYMBOL;
    else
        operand->kind = symbol->kind == PTX_REGISTER ? PTX_OP_REG : PTX_OP_LABEL;
}

/* Names that this scope cannot resolve are left to the scope around it. */
static void resolve_pending(struct ptx_parser *parser, struct ptx_scope *scope)
{
    for (struct ptx_pending *pending = scope->pending, *next; pending; pending = next) {
        struct ptx_binding *binding = pending->name->binding;
        struct ptx_scope *outer = scope - 1;
        next = pending->next;
        if (binding && binding->depth == parser->depth) {
            resolve(parser, pending, binding->symbol);
        } else {
            pending->next = outer->pending;
            outer->pending = pending;
        }
    }
}

void ptx_scope_close(struct ptx_parser *parser)
{
    struct ptx_scope *scope = &parser->scopes[parser->depth];
    resolve_pending(parser, scope);
    for (struct ptx_binding *binding = scope->bindings; binding; binding = binding->next)
        binding->name->binding = binding->outer;
    for (struct ptx_binding *range = scope->ranges; range; range = range->next)
        range->name->range = range->outer;
    parser->depth--;
}

void ptx_scope_finish(struct ptx_parser *parser)
{
    for (struct ptx_pending *pending = parser->scopes[0].pending; pending;
         pending = pending->next) {
        if (pending->name->global)
            resolve(parser, pending, pending->name->global);
        else
            ptx_parse_error(parser, pending->line, PTX_INVALID, "unknown symbol '%.200s'",
                            pending->name->text);
    }
}

static struct ptx_binding *bind_at(struct ptx_parser *parser, struct ptx_name *name,
                                   struct ptx_symbol *symbol, unsigned depth)
{
    struct ptx_binding *binding = ptx_arena_alloc(parser->arena, sizeof *binding);
    *binding = (struct ptx_binding){.outer = name->binding,
                                    .next = parser->scopes[depth].bindings,
                                    .name = name,
                                    .symbol = symbol,
                                    .depth = depth};
    name->binding = binding;
    parser->scopes[depth].bindings = binding;
    if (depth == 0)
        name->global = symbol;
    return binding;
}

bool ptx_scope_bind(struct ptx_parser *parser, struct ptx_name *name, struct ptx_symbol *symbol)
{
    if (name->binding && name->binding->depth == parser->depth)
        return ptx_parse_error(parser, symbol->line, PTX_INVALID,
                               "'%.200s' is declared twice, first in line %u", name->text,
                               name->binding->symbol->line);
    bind_at(parser, name, symbol, parser->depth);
    return true;
}

bool ptx_scope_bind_range(struct ptx_parser *parser, struct ptx_name *prefix, uint32_t count,
                          const struct ptx_symbol *like)
{
    struct ptx_binding *range = ptx_arena_alloc(parser->arena, sizeof *range);
    struct ptx_symbol *symbol = ptx_new_symbol(parser, prefix, PTX_REGISTER);
    *symbol = *like;
    if (prefix->range && prefix->range->depth == parser->depth)
        return ptx_parse_error(parser, like->line, PTX_INVALID,
                               "registers %.200s<> are declared twice, first in line %u",
                               prefix->text, prefix->range->symbol->line);
    *range = (struct ptx_binding){.outer = prefix->range,
                                  .next = parser->scopes[parser->depth].ranges,
                                  .name = prefix,
                                  .symbol = symbol,
                                  .depth = parser->depth,
                                  .count = count};
    prefix->range = range;
    parser->scopes[parser->depth].ranges = range;
    return true;
}

/* The innermost range that %r12 is one of. The number may begin after any digit:
 * %f1<4> has %f10, and so has %f<20>. */
static struct ptx_binding *find_range(struct ptx_parser *parser, const struct ptx_name *name)
{
    struct ptx_binding *best = NULL;
    uint64_t number = 0, scale = 1;
    for (uint32_t digits = 1; digits < name->length && digits <= RANGE_DIGITS_MAX; digits++) {
        uint32_t at = name->length - digits;
        struct ptx_name *prefix;
        if (name->text[at] < '0' || name->text[at] > '9')
            break;
        number += scale * (uint64_t)(name->text[at] - '0');
        scale *= 10;
        if (name->text[at] == '0' && digits > 1)
            continue;
        prefix = ptx_arena_find(parser->arena, name->text, at);
        if (prefix && prefix->range && number < prefix->range->count &&
            (!best || prefix->range->depth > best->depth))
            best = prefix->range;
    }
    return best;
}

static struct ptx_symbol *make_register(struct ptx_parser *parser, struct ptx_name *name,
                                        const struct ptx_binding *range)
{
    struct ptx_symbol *symbol = ptx_new_symbol(parser, name, PTX_REGISTER);
    *symbol = *range->symbol;
    symbol->name = name->text;
    symbol->index = parser->function->register_count++;
    *parser->registers_end = symbol;
    parser->registers_end = &symbol->next;
    bind_at(parser, name, symbol, range->depth);
    return symbol;
}

struct ptx_symbol *ptx_scope_find(struct ptx_parser *parser, struct ptx_name *name)
{
    struct ptx_binding *binding = name->binding, *range;
    if (binding && binding->depth == parser->depth)
        return binding->symbol;
    range = parser->function ? find_range(parser, name) : NULL;
    if (range && (!binding || binding->depth < range->depth))
        return make_register(parser, name, range);
    return binding ? binding->symbol : NULL;
}

struct ptx_pending *ptx_scope_add_pending(struct ptx_parser *parser, struct ptx_name *name,
                                          unsigned line)
{
    struct ptx_scope *scope = &parser->scopes[parser->depth];
    struct ptx_pending *pending = ptx_arena_alloc(parser->arena, sizeof *pending);
    *pending = (struct ptx_pending){
        .next = scope->pending, .name = name, .line = line, .function = parser->function};
    scope->pending = pending;
    return pending;
}

enum ptx_special ptx_special_find(struct ptx_name *name)
{
    static const char *const names[] = {
#define PTX_SPECIAL(id, text, type) text,
#include "ptx_specials.def"
#undef PTX_SPECIAL
    };
    if (name->special < 0) {
        name->special = PTX_SPECIAL_COUNT;
        for (int16_t i = 0; i < PTX_SPECIAL_COUNT; i++)
            if (strcmp(names[i], name->text) == 0)
                name->special = i;
    }
    return (enum ptx_special)name->special;
}
