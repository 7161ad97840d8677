/* The parser's state, and the functions that its files share:
 *
 *   ptx_parse.c       the module, functions, directives
 *   ptx_parse_data.c  declarations of variables and registers, initialisers
 *   ptx_parse_inst.c  instructions and operands
 *   ptx_parse_scope.c scopes and the meaning of names
 *   ptx_expression.c  constant expressions
 *
 * Functions that return bool have logged an error when they return false; the caller continues
 * after the statement. */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "ptx_arena.h"
#include "ptx_lex.h"
#include "ptx_log.h"

enum {
    PTX_ERRORS_MAX = 20,
    PTX_SCOPES_MAX = 128,    /* nested braces of a function */
    PTX_NESTING_MAX = 256,   /* of expressions and initialisers */
    PTX_DIMENSIONS_MAX = 16, /* of an array */
};

/* The meaning of a name in one scope. */
struct ptx_binding {
    struct ptx_binding *outer; /* the same name further out */
    struct ptx_binding *next;  /* of the scope */
    struct ptx_name *name;
    struct ptx_symbol *symbol;
    unsigned depth;
    uint32_t count; /* of a range of registers, else 0 */
};

/* A name that was used before it was declared: of a label or a function. */
struct ptx_pending {
    struct ptx_pending *next;
    struct ptx_name *name;
    unsigned line;
    /* What is set when the name is declared: a symbol, or an operand, or an operand of an
     * instruction. */
    struct ptx_symbol **symbol;
    struct ptx_operand *operand;
    struct ptx_function *function;
    uint32_t inst, number;
};

struct ptx_scope {
    struct ptx_binding *bindings, *ranges;
    struct ptx_pending *pending;
};

struct ptx_parser {
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next one */
    struct ptx_log *log;
    enum ptx_result result; /* of the first error */
    unsigned errors;
    struct ptx_module *module;
    struct ptx_arena *arena;
    struct ptx_scope scopes[PTX_SCOPES_MAX]; /* 0: the module; 1: a function's parameters */
    unsigned depth;                          /* of the innermost */
    unsigned nesting;
    struct ptx_symbol **variables_end; /* of the module */
    struct ptx_function **functions_end;
    struct ptx_file **files_end;
    struct ptx_alias *aliases;
    /* The function that is being parsed. */
    struct ptx_function *function;
    struct ptx_symbol **registers_end, **locals_end;
    unsigned file, source_line; /* from .loc */
    /* Buffers of malloc, which are reused. */
    struct ptx_inst *insts;
    uint32_t inst_count, inst_capacity;
    unsigned char *bytes; /* of an initialiser */
    size_t byte_capacity;
};

struct ptx_value {
    enum { PTX_VALUE_INT, PTX_VALUE_F32, PTX_VALUE_F64 } kind;
    uint64_t bits;
    bool is_unsigned;
};

/* ---- tokens -------------------------------------------------------------------------- */

void ptx_parse_next(struct ptx_parser *parser);
bool ptx_parse_is(const struct ptx_parser *parser, int op);
bool ptx_parse_is_dot(const struct ptx_parser *parser, const char *word);
bool ptx_parse_is_name(const struct ptx_parser *parser, const char *word);
/* Takes the next token if it is op. */
bool ptx_parse_accept(struct ptx_parser *parser, int op);
bool ptx_parse_accept_dot(struct ptx_parser *parser, const char *word);
bool ptx_parse_expect(struct ptx_parser *parser, int op);
/* NULL: the next token is not a name; what describes the expected name in the message. */
struct ptx_name *ptx_parse_name(struct ptx_parser *parser, const char *what);
/* Both return false. */
bool ptx_parse_error(struct ptx_parser *parser, unsigned line, enum ptx_result result,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
bool ptx_parse_expected(struct ptx_parser *parser, const char *what);
/* Counts the nesting of expressions and initialisers; false: too deep. */
bool ptx_parse_enter(struct ptx_parser *parser);
void ptx_parse_leave(struct ptx_parser *parser);
void ptx_parse_no_memory(struct ptx_parser *parser) __attribute__((noreturn));

/* ---- names --------------------------------------------------------------------------- */

bool ptx_scope_open(struct ptx_parser *parser);
void ptx_scope_close(struct ptx_parser *parser);
/* Declares the name in the innermost scope. False: it is declared there already. */
bool ptx_scope_bind(struct ptx_parser *parser, struct ptx_name *name, struct ptx_symbol *symbol);
/* %r<count>: registers that are created when they are first used. */
bool ptx_scope_bind_range(struct ptx_parser *parser, struct ptx_name *prefix, uint32_t count,
                          const struct ptx_symbol *like);
/* NULL: the name is not declared here (yet). */
struct ptx_symbol *ptx_scope_find(struct ptx_parser *parser, struct ptx_name *name);
/* The name will be resolved at the end of a scope around it. */
struct ptx_pending *ptx_scope_add_pending(struct ptx_parser *parser, struct ptx_name *name,
                                          unsigned line);
/* At the end of the text: names that are still pending are errors. */
void ptx_scope_finish(struct ptx_parser *parser);
struct ptx_symbol *ptx_new_symbol(struct ptx_parser *parser, struct ptx_name *name,
                                  enum ptx_symbol_kind kind);
/* The special register of a name; PTX_SPECIAL_COUNT: it is not one. */
enum ptx_special ptx_special_find(struct ptx_name *name);

/* ---- the grammar --------------------------------------------------------------------- */

bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_value *out_value);
bool ptx_parse_integer(struct ptx_parser *parser, int64_t *out_value);
/* At least min, at most max; for directives. */
bool ptx_parse_count(struct ptx_parser *parser, uint64_t min, uint64_t max, uint64_t *out_value);
/* Any number of "+ constant" and "- constant", added to *offset. */
bool ptx_parse_offset(struct ptx_parser *parser, int64_t *offset);

enum ptx_type ptx_type_find(const char *word, size_t length);
/* One variable after its space and up to its initialiser: for parameters of functions. name NULL:
 * "_". Does not bind it. */
bool ptx_parse_parameter(struct ptx_parser *parser, struct ptx_symbol **out_symbol);
/* .reg, .local, .shared, .param, .global, .const: the statement that begins here. */
bool ptx_parse_declaration(struct ptx_parser *parser, enum ptx_linkage linkage);

/* An instruction, whose opcode has been read. */
bool ptx_parse_instruction(struct ptx_parser *parser, struct ptx_name *opcode, unsigned line,
                           struct ptx_symbol *guard, bool guard_negated);
/* Parses the whole text; true: there was no error. */
bool ptx_parse_module(struct ptx_parser *parser);

#endif
