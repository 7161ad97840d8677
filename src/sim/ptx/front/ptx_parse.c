/* The module, functions and directives. Source: PTX ISA, "Directives". */
#include "ptx_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* .alias name, of; */
struct ptx_alias {
    struct ptx_alias *next;
    struct ptx_name *name, *of;
    unsigned line;
};

/* ---- tokens -------------------------------------------------------------------------- */

void ptx_parse_next(struct ptx_parser *parser)
{
    ptx_lex_next(&parser->lexer, &parser->token);
}

bool ptx_parse_is(const struct ptx_parser *parser, int op)
{
    return parser->token.kind == PTX_TOKEN_OTHER && parser->token.op == op;
}

static bool is_word(const struct ptx_parser *parser, enum ptx_token_kind kind, const char *word)
{
    size_t length = strlen(word);
    return parser->token.kind == kind && parser->token.length == length &&
           memcmp(parser->token.text, word, length) == 0;
}

bool ptx_parse_is_dot(const struct ptx_parser *parser, const char *word)
{
    return is_word(parser, PTX_TOKEN_DOT, word);
}

bool ptx_parse_is_name(const struct ptx_parser *parser, const char *word)
{
    return is_word(parser, PTX_TOKEN_NAME, word);
}

bool ptx_parse_accept(struct ptx_parser *parser, int op)
{
    if (!ptx_parse_is(parser, op))
        return false;
    ptx_parse_next(parser);
    return true;
}

bool ptx_parse_accept_dot(struct ptx_parser *parser, const char *word)
{
    if (!ptx_parse_is_dot(parser, word))
        return false;
    ptx_parse_next(parser);
    return true;
}

static void stop(struct ptx_parser *parser)
{
    parser->lexer.at = parser->lexer.end;
    parser->token.kind = PTX_TOKEN_END;
}

bool ptx_parse_error(struct ptx_parser *parser, unsigned line, enum ptx_result result,
                     const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (parser->errors++ >= PTX_ERRORS_MAX)
        return false;
    if (parser->result == PTX_OK)
        parser->result = result;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ptx_log_error(parser->log, line, "%s", message);
    if (parser->errors == PTX_ERRORS_MAX) {
        ptx_log_error(parser->log, line, "more than %d errors", PTX_ERRORS_MAX);
        stop(parser);
    }
    return false;
}

/* A token's text for messages. */
static const char *show(const struct ptx_token *token, char *out, size_t size)
{
    size_t length = token->length < size - 6 ? token->length : size - 6;
    if (token->kind == PTX_TOKEN_END)
        return "the end of the text";
    int begin = snprintf(out, size, "'%s", token->kind == PTX_TOKEN_DOT ? "." : "");
    for (size_t i = 0; i < length; i++)
        out[(size_t)begin + i] =
            token->text[i] >= ' ' && token->text[i] <= '~' ? token->text[i] : '?';
    memcpy(out + begin + length, "'", 2);
    return out;
}

bool ptx_parse_expected(struct ptx_parser *parser, const char *what)
{
    char text[64];
    if (parser->token.kind == PTX_TOKEN_ERROR)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID, "%s: %s",
                               parser->token.message, show(&parser->token, text, sizeof text));
    return ptx_parse_error(parser, parser->token.line, PTX_INVALID, "expected %s, found %s", what,
                           show(&parser->token, text, sizeof text));
}

bool ptx_parse_expect(struct ptx_parser *parser, int op)
{
    char what[4] = {'\'', (char)op, '\'', '\0'};
    return ptx_parse_accept(parser, op) || ptx_parse_expected(parser, what);
}

struct ptx_name *ptx_parse_name(struct ptx_parser *parser, const char *what)
{
    struct ptx_name *name;
    if (parser->token.kind != PTX_TOKEN_NAME) {
        ptx_parse_expected(parser, what);
        return NULL;
    }
    name = ptx_arena_name(parser->arena, parser->token.text, parser->token.length);
    ptx_parse_next(parser);
    return name;
}

bool ptx_parse_enter(struct ptx_parser *parser)
{
    if (parser->nesting >= PTX_NESTING_MAX)
        return ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                               "brackets are nested too deeply");
    parser->nesting++;
    return true;
}

void ptx_parse_leave(struct ptx_parser *parser)
{
    parser->nesting--;
}

void ptx_parse_no_memory(struct ptx_parser *parser)
{
    longjmp(*parser->arena->no_memory, 1);
}

/* Skips the rest of a statement: to behind the next semicolon or balanced braces, or to a closing
 * brace that ends the block around it. */
static void recover(struct ptx_parser *parser)
{
    unsigned depth = 0;
    while (parser->token.kind != PTX_TOKEN_END) {
        bool close = ptx_parse_is(parser, '}'), end = ptx_parse_is(parser, ';');
        if (close && depth == 0)
            return;
        depth += ptx_parse_is(parser, '{');
        depth -= close;
        ptx_parse_next(parser);
        if (depth == 0 && end)
            return;
    }
}

/* ---- directives ------------------------------------------------------------------------ */

/* .section name { ... }: debug information, which is not used. */
static bool skip_section(struct ptx_parser *parser)
{
    unsigned depth = 0;
    if (parser->token.kind == PTX_TOKEN_DOT || parser->token.kind == PTX_TOKEN_NAME)
        ptx_parse_next(parser);
    if (!ptx_parse_is(parser, '{'))
        return ptx_parse_expected(parser, "'{'");
    do {
        if (parser->token.kind == PTX_TOKEN_END)
            return ptx_parse_expected(parser, "'}'");
        depth += ptx_parse_is(parser, '{');
        depth -= ptx_parse_is(parser, '}');
        ptx_parse_next(parser);
    } while (depth > 0);
    return true;
}

/* .file 1 "name", timestamp, size */
static bool parse_file(struct ptx_parser *parser)
{
    struct ptx_file *file = ptx_arena_alloc(parser->arena, sizeof *file);
    uint64_t number, ignored;
    if (!ptx_parse_count(parser, 0, UINT32_MAX, &number))
        return false;
    if (parser->token.kind != PTX_TOKEN_TEXT)
        return ptx_parse_expected(parser, "the name of a file");
    file->number = (unsigned)number;
    file->name = ptx_arena_name(parser->arena, parser->token.text, parser->token.length)->text;
    *parser->files_end = file;
    parser->files_end = &file->next;
    ptx_parse_next(parser);
    while (ptx_parse_accept(parser, ','))
        if (!ptx_parse_count(parser, 0, UINT64_MAX, &ignored))
            return false;
    return true;
}

/* , function_name label + offset, inlined_at file line column */
static bool parse_inlined(struct ptx_parser *parser)
{
    uint64_t number;
    int64_t offset = 0;
    while (ptx_parse_accept(parser, ',')) {
        if (ptx_parse_is_name(parser, "function_name")) {
            ptx_parse_next(parser);
            if (!ptx_parse_name(parser, "a label") || !ptx_parse_offset(parser, &offset))
                return false;
        } else if (ptx_parse_is_name(parser, "inlined_at")) {
            ptx_parse_next(parser);
            for (int i = 0; i < 3; i++)
                if (!ptx_parse_count(parser, 0, UINT32_MAX, &number))
                    return false;
        } else {
            return ptx_parse_expected(parser, "function_name or inlined_at");
        }
    }
    return true;
}

/* .loc file line column */
static bool parse_loc(struct ptx_parser *parser)
{
    uint64_t file, line, column;
    if (!ptx_parse_count(parser, 0, UINT32_MAX, &file) ||
        !ptx_parse_count(parser, 0, UINT32_MAX, &line) ||
        !ptx_parse_count(parser, 0, UINT32_MAX, &column))
        return false;
    parser->file = (unsigned)file;
    parser->source_line = (unsigned)line;
    return parse_inlined(parser);
}

static bool parse_pragma(struct ptx_parser *parser)
{
    do {
        if (parser->token.kind != PTX_TOKEN_TEXT)
            return ptx_parse_expected(parser, "a string");
        ptx_parse_next(parser);
    } while (ptx_parse_accept(parser, ','));
    return ptx_parse_expect(parser, ';');
}

/* ---- functions ------------------------------------------------------------------------- */

static struct ptx_function *new_function(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_function *function = ptx_arena_alloc(parser->arena, sizeof *function);
    function->symbol = symbol;
    function->module = parser->module;
    function->declared_only = true;
    return function;
}

/* (.param .b32 a, .param .b64 b) */
static bool parse_parameters(struct ptx_parser *parser, struct ptx_symbol **end)
{
    if (ptx_parse_accept(parser, ')'))
        return true;
    do {
        if (!ptx_parse_parameter(parser, end))
            return false;
        end = &(*end)->next;
    } while (ptx_parse_accept(parser, ','));
    return ptx_parse_expect(parser, ')');
}

static bool parse_signature(struct ptx_parser *parser, struct ptx_function *function,
                            struct ptx_name **out_name)
{
    if (ptx_parse_accept(parser, '(') && !parse_parameters(parser, &function->returns))
        return false;
    *out_name = ptx_parse_name(parser, "the name of a function");
    if (!*out_name)
        return false;
    return !ptx_parse_accept(parser, '(') || parse_parameters(parser, &function->params);
}

static bool parse_triple(struct ptx_parser *parser, unsigned out[3])
{
    uint64_t count;
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!ptx_parse_count(parser, 0, INT32_MAX, &count))
            return false;
        out[i] = (unsigned)count;
        if (!ptx_parse_accept(parser, ','))
            break;
    }
    return true;
}

static bool parse_single(struct ptx_parser *parser, unsigned *out)
{
    uint64_t count;
    if (!ptx_parse_count(parser, 0, INT32_MAX, &count))
        return false;
    *out = (unsigned)count;
    return true;
}

/* .attribute(.unified(1, 2)) */
static bool skip_parentheses(struct ptx_parser *parser)
{
    unsigned depth = 0;
    do {
        if (parser->token.kind == PTX_TOKEN_END)
            return ptx_parse_expected(parser, "')'");
        depth += ptx_parse_is(parser, '(');
        depth -= depth > 0 && ptx_parse_is(parser, ')');
        ptx_parse_next(parser);
    } while (depth > 0);
    return true;
}

/* One of the directives between a function's parameters and its body. */
static bool parse_tuning(struct ptx_parser *parser, struct ptx_function *function)
{
    unsigned ignored[3];
    if (ptx_parse_accept_dot(parser, "maxntid"))
        return parse_triple(parser, function->max_threads);
    if (ptx_parse_accept_dot(parser, "reqntid"))
        return parse_triple(parser, function->required_threads);
    if (ptx_parse_accept_dot(parser, "minnctapersm"))
        return parse_single(parser, &function->min_blocks);
    if (ptx_parse_accept_dot(parser, "maxnreg"))
        return parse_single(parser, &function->max_registers);
    if (ptx_parse_accept_dot(parser, "reqnctapercluster"))
        return parse_triple(parser, ignored);
    if (ptx_parse_accept_dot(parser, "maxclusterrank") ||
        ptx_parse_accept_dot(parser, "maxnctapersm") ||
        ptx_parse_accept_dot(parser, "abi_preserve") ||
        ptx_parse_accept_dot(parser, "abi_preserve_control"))
        return parse_single(parser, ignored);
    if (ptx_parse_accept_dot(parser, "pragma"))
        return parse_pragma(parser);
    if (ptx_parse_accept_dot(parser, "attribute"))
        return skip_parentheses(parser);
    if (ptx_parse_accept_dot(parser, "noreturn")) {
        function->noreturn = true;
        return true;
    }
    if (ptx_parse_accept_dot(parser, "explicitcluster") ||
        ptx_parse_accept_dot(parser, "blocksareclusters"))
        return true;
    return ptx_parse_expected(parser, "'{', ';' or a directive for the function");
}

/* ---- bodies ---------------------------------------------------------------------------- */

/* name: .branchtargets a, b; and the like. */
static bool parse_label_list(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_pending *pending, *first = NULL;
    unsigned count = 0;
    symbol->kind = PTX_LABEL_LIST;
    do {
        unsigned line = parser->token.line;
        struct ptx_name *name = ptx_parse_name(parser, "a label or function");
        if (!name)
            return false;
        pending = ptx_scope_add_pending(parser, name, line);
        pending->symbol = &symbol->next; /* a list until their number is known */
        first = pending;
        count++;
    } while (ptx_parse_accept(parser, ','));
    symbol->labels = ptx_arena_alloc(parser->arena, count * sizeof(struct ptx_symbol *));
    symbol->label_count = count;
    for (pending = first; count-- > 0; pending = pending->next)
        pending->symbol = &symbol->labels[count];
    return ptx_parse_expect(parser, ';');
}

/* name: .callprototype (.param .b32 _) _ (.param .b64 _); */
static bool parse_prototype(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_name *name;
    struct ptx_function *function = new_function(parser, symbol);
    symbol->kind = PTX_PROTOTYPE;
    symbol->function = function;
    if (!parse_signature(parser, function, &name))
        return false;
    while (!ptx_parse_is(parser, ';'))
        if (!parse_tuning(parser, function))
            return false;
    return ptx_parse_expect(parser, ';');
}

/* The part after "name:". */
static bool parse_label(struct ptx_parser *parser, struct ptx_name *name, unsigned line)
{
    struct ptx_symbol *symbol = ptx_new_symbol(parser, name, PTX_LABEL);
    symbol->line = line;
    symbol->index = parser->inst_count;
    if (!ptx_scope_bind(parser, name, symbol))
        return false;
    if (ptx_parse_accept_dot(parser, "branchtargets") ||
        ptx_parse_accept_dot(parser, "calltargets"))
        return parse_label_list(parser, symbol);
    if (ptx_parse_accept_dot(parser, "callprototype"))
        return parse_prototype(parser, symbol);
    return true;
}

static bool parse_guarded(struct ptx_parser *parser)
{
    unsigned line = parser->token.line;
    bool negated = ptx_parse_accept(parser, '!');
    struct ptx_name *name = ptx_parse_name(parser, "a predicate");
    struct ptx_symbol *guard = name ? ptx_scope_find(parser, name) : NULL;
    struct ptx_name *opcode;
    if (!name)
        return false;
    if (!guard || guard->kind != PTX_REGISTER || guard->type != PTX_PRED)
        return ptx_parse_error(parser, line, PTX_INVALID, "'%.200s' is not a predicate register",
                               name->text);
    line = parser->token.line;
    opcode = ptx_parse_name(parser, "an instruction");
    return opcode && ptx_parse_instruction(parser, opcode, line, guard, negated);
}

static bool parse_linkage(struct ptx_parser *parser, enum ptx_linkage *out_linkage)
{
    static const struct {
        const char *word;
        enum ptx_linkage linkage;
    } words[] = {{"visible", PTX_VISIBLE},
                 {"weak", PTX_WEAK},
                 {"extern", PTX_EXTERN},
                 {"common", PTX_COMMON}};
    *out_linkage = PTX_PRIVATE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ptx_parse_accept_dot(parser, words[i].word)) {
            *out_linkage = words[i].linkage;
            return true;
        }
    }
    return false;
}

static bool parse_body_directive(struct ptx_parser *parser)
{
    enum ptx_linkage linkage;
    if (ptx_parse_accept_dot(parser, "loc"))
        return parse_loc(parser);
    if (ptx_parse_accept_dot(parser, "pragma"))
        return parse_pragma(parser);
    if (ptx_parse_accept_dot(parser, "file"))
        return parse_file(parser);
    if (ptx_parse_accept_dot(parser, "section"))
        return skip_section(parser);
    parse_linkage(parser, &linkage);
    return ptx_parse_declaration(parser, linkage);
}

static bool parse_statement(struct ptx_parser *parser)
{
    if (parser->token.kind == PTX_TOKEN_DOT)
        return parse_body_directive(parser);
    if (ptx_parse_accept(parser, '@'))
        return parse_guarded(parser);
    if (ptx_parse_accept(parser, ';'))
        return true;
    unsigned line = parser->token.line;
    struct ptx_name *name = ptx_parse_name(parser, "an instruction, a label or a directive");
    if (!name)
        return false;
    if (ptx_parse_accept(parser, ':'))
        return parse_label(parser, name, line);
    return ptx_parse_instruction(parser, name, line, NULL, false);
}

/* From the opening brace to the closing one. */
static void parse_block(struct ptx_parser *parser)
{
    unsigned outermost = parser->depth;
    do {
        if (ptx_parse_accept(parser, '{')) {
            if (!ptx_scope_open(parser))
                stop(parser);
        } else if (ptx_parse_accept(parser, '}')) {
            ptx_scope_close(parser);
        } else if (parser->token.kind == PTX_TOKEN_END) {
            ptx_parse_expected(parser, "'}'");
            while (parser->depth > outermost)
                ptx_scope_close(parser);
        } else if (!parse_statement(parser)) {
            recover(parser);
        }
    } while (parser->depth > outermost);
}

static void bind_parameters(struct ptx_parser *parser, struct ptx_symbol *list)
{
    for (struct ptx_symbol *symbol = list; symbol; symbol = symbol->next) {
        if (strcmp(symbol->name, "_") != 0)
            ptx_scope_bind(parser, ptx_name_of(symbol->name), symbol);
        if (symbol->space == PTX_REG)
            symbol->index = parser->function->register_count++;
    }
}

static void keep_instructions(struct ptx_parser *parser, struct ptx_function *function)
{
    size_t size = parser->inst_count * sizeof *function->insts;
    function->inst_count = parser->inst_count;
    if (size == 0)
        return;
    function->insts = ptx_arena_alloc(parser->arena, size);
    memcpy(function->insts, parser->insts, size);
}

static void parse_body(struct ptx_parser *parser, struct ptx_function *function)
{
    function->declared_only = false;
    parser->function = function;
    parser->registers_end = &function->registers;
    parser->locals_end = &function->variables;
    parser->inst_count = 0;
    parser->file = parser->source_line = 0;
    if (!ptx_scope_open(parser))
        return;
    bind_parameters(parser, function->returns);
    bind_parameters(parser, function->params);
    parse_block(parser);
    ptx_scope_close(parser);
    keep_instructions(parser, function);
    parser->function = NULL;
}

static unsigned count_of(const struct ptx_symbol *list)
{
    unsigned count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

/* Calls refer to the first declaration of a function, which is kept. */
static struct ptx_function *merge_declaration(struct ptx_parser *parser, struct ptx_symbol *symbol,
                                              const struct ptx_function *function, bool has_body,
                                              unsigned line)
{
    struct ptx_function *first = symbol->function;
    if (symbol->kind != PTX_FUNCTION || first->entry != function->entry ||
        (has_body && !first->declared_only)) {
        ptx_parse_error(parser, line, PTX_INVALID, "'%.200s' is declared twice, first in line %u",
                        symbol->name, symbol->line);
        return NULL;
    }
    if (count_of(first->params) != count_of(function->params) ||
        count_of(first->returns) != count_of(function->returns)) {
        ptx_parse_error(parser, line, PTX_INVALID,
                        "'%.200s' has different parameters than in line %u", symbol->name,
                        symbol->line);
        return NULL;
    }
    if (has_body) {
        struct ptx_function *next = first->next;
        *first = *function;
        first->next = next;
        first->symbol = symbol;
        symbol->line = line;
    }
    return first;
}

static struct ptx_function *declare_function(struct ptx_parser *parser, struct ptx_name *name,
                                             struct ptx_function *function,
                                             enum ptx_linkage linkage, bool has_body, unsigned line)
{
    struct ptx_symbol *symbol = name->global;
    if (symbol) {
        function = merge_declaration(parser, symbol, function, has_body, line);
        if (function && (has_body || symbol->linkage == PTX_EXTERN))
            symbol->linkage = linkage;
        return function;
    }
    symbol = ptx_new_symbol(parser, name, PTX_FUNCTION);
    symbol->line = line;
    symbol->linkage = linkage;
    symbol->function = function;
    function->symbol = symbol;
    ptx_scope_bind(parser, name, symbol);
    *parser->functions_end = function;
    parser->functions_end = &function->next;
    return function;
}

/* The part after .entry or .func. */
static bool parse_function(struct ptx_parser *parser, enum ptx_linkage linkage, bool entry)
{
    struct ptx_function *function = new_function(parser, NULL);
    struct ptx_name *name;
    unsigned line = parser->token.line;
    bool has_body;
    function->entry = entry;
    while (!entry &&
           (ptx_parse_is_dot(parser, "attribute") || ptx_parse_is_dot(parser, "noreturn")))
        if (!parse_tuning(parser, function))
            return false;
    if (!parse_signature(parser, function, &name))
        return false;
    while (!ptx_parse_is(parser, '{') && !ptx_parse_is(parser, ';'))
        if (!parse_tuning(parser, function))
            return false;
    has_body = ptx_parse_is(parser, '{');
    function = declare_function(parser, name, function, linkage, has_body, line);
    if (!function)
        return false;
    if (!has_body)
        return ptx_parse_expect(parser, ';');
    parse_body(parser, function);
    return true;
}

/* ---- the module ------------------------------------------------------------------------ */

/* "7.0" as 70; the token is a decimal constant. */
static bool parse_version(struct ptx_parser *parser)
{
    double number;
    memcpy(&number, &parser->token.bits, sizeof number);
    if (parser->token.kind != PTX_TOKEN_F64 || !(number >= 1 && number < 100))
        return ptx_parse_expected(parser, "a version like 7.0");
    parser->module->version = (unsigned)(number * 10 + 0.5);
    if (parser->module->version >= 100)
        return ptx_parse_error(parser, parser->token.line, PTX_UNSUPPORTED,
                               "PTX version %.1f is newer than 9.x", number);
    ptx_parse_next(parser);
    return true;
}

/* sm_80, sm_90a; false without an error: it is not an architecture. */
static bool read_target(struct ptx_parser *parser)
{
    struct ptx_module *module = parser->module;
    const char *text = parser->token.text, *end = text + parser->token.length;
    unsigned number = 0;
    if (parser->token.length < 5 || parser->token.length > 8 || memcmp(text, "sm_", 3) != 0)
        return false;
    for (text += 3; text < end && *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (unsigned)(*text - '0');
    if (end - text > 1)
        return false;
    module->target = number;
    module->target_suffix = text < end ? *text : '\0';
    return true;
}

static bool parse_target(struct ptx_parser *parser)
{
    static const char *const known[] = {"debug", "texmode_unified", "texmode_independent",
                                        "map_f64_to_f32"};
    do {
        bool good = parser->token.kind == PTX_TOKEN_NAME && read_target(parser);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            good = good || ptx_parse_is_name(parser, known[i]);
        if (!good)
            return ptx_parse_expected(parser, "a target like sm_80");
        ptx_parse_next(parser);
    } while (ptx_parse_accept(parser, ','));
    return true;
}

static bool parse_address_size(struct ptx_parser *parser)
{
    unsigned line = parser->token.line;
    uint64_t bits;
    if (!ptx_parse_count(parser, 0, UINT64_MAX, &bits))
        return false;
    if (bits == 64)
        return true;
    return ptx_parse_error(parser, line, bits == 32 ? PTX_UNSUPPORTED : PTX_INVALID,
                           "addresses of %llu bits, expected 64", (unsigned long long)bits);
}

static bool parse_alias(struct ptx_parser *parser)
{
    struct ptx_alias *alias = ptx_arena_alloc(parser->arena, sizeof *alias);
    alias->line = parser->token.line;
    alias->name = ptx_parse_name(parser, "the name of a function");
    if (!alias->name || !ptx_parse_expect(parser, ','))
        return false;
    alias->of = ptx_parse_name(parser, "the name of a function");
    if (!alias->of || !ptx_parse_expect(parser, ';'))
        return false;
    alias->next = parser->aliases;
    parser->aliases = alias;
    return true;
}

static bool parse_directive(struct ptx_parser *parser)
{
    enum ptx_linkage linkage;
    if (ptx_parse_accept_dot(parser, "version"))
        return parse_version(parser);
    if (parser->module->version == 0)
        return ptx_parse_expected(parser, ".version");
    if (ptx_parse_accept_dot(parser, "target"))
        return parse_target(parser);
    if (ptx_parse_accept_dot(parser, "address_size"))
        return parse_address_size(parser);
    if (ptx_parse_accept_dot(parser, "file"))
        return parse_file(parser);
    if (ptx_parse_accept_dot(parser, "loc"))
        return parse_loc(parser);
    if (ptx_parse_accept_dot(parser, "section"))
        return skip_section(parser);
    if (ptx_parse_accept_dot(parser, "pragma"))
        return parse_pragma(parser);
    if (ptx_parse_accept_dot(parser, "alias"))
        return parse_alias(parser);
    parse_linkage(parser, &linkage);
    if (ptx_parse_accept_dot(parser, "entry"))
        return parse_function(parser, linkage, true);
    if (ptx_parse_accept_dot(parser, "func"))
        return parse_function(parser, linkage, false);
    return ptx_parse_declaration(parser, linkage);
}

static void unlink_function(struct ptx_module *module, const struct ptx_function *function)
{
    for (struct ptx_function **at = &module->functions; *at; at = &(*at)->next) {
        if (*at == function) {
            *at = function->next;
            return;
        }
    }
}

/* An alias was declared as a function; from here on, the name stands for the other function. */
static void resolve_aliases(struct ptx_parser *parser)
{
    for (struct ptx_alias *alias = parser->aliases; alias; alias = alias->next) {
        struct ptx_symbol *symbol = alias->name->global, *of = alias->of->global;
        if (!symbol || symbol->kind != PTX_FUNCTION || !symbol->function->declared_only || !of ||
            of->kind != PTX_FUNCTION || of->function->declared_only || of->function->entry) {
            ptx_parse_error(parser, alias->line, PTX_INVALID,
                            "'%.200s' cannot be an alias of '%.200s'", alias->name->text,
                            alias->of->text);
            continue;
        }
        unlink_function(parser->module, symbol->function);
        symbol->function = of->function;
    }
}

static void number_symbols(struct ptx_module *module)
{
    unsigned number = 0;
    for (struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next)
        symbol->index = number++;
    number = 0;
    for (struct ptx_function *function = module->functions; function; function = function->next)
        function->symbol->index = number++;
}

bool ptx_parse_module(struct ptx_parser *parser)
{
    parser->variables_end = &parser->module->variables;
    parser->functions_end = &parser->module->functions;
    parser->files_end = &parser->module->files;
    ptx_parse_next(parser);
    while (parser->token.kind != PTX_TOKEN_END) {
        bool good =
            parser->token.kind == PTX_TOKEN_DOT
                ? parse_directive(parser)
                : ptx_parse_expected(parser, parser->module->version ? "a directive" : ".version");
        if (good)
            continue;
        if (parser->module->version == 0)
            return false;
        parser->nesting = 0;
        recover(parser);
        if (ptx_parse_is(parser, '}'))
            ptx_parse_next(parser);
    }
    if (parser->errors == 0 && (parser->module->version == 0 || parser->module->target == 0))
        ptx_parse_error(parser, parser->token.line, PTX_INVALID,
                        parser->module->version ? "no .target" : "no .version");
    ptx_scope_finish(parser);
    resolve_aliases(parser);
    number_symbols(parser->module);
    return parser->errors == 0;
}
