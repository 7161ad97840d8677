/* PTX text as tokens. Source: PTX ISA, "Syntax": comments, identifiers, constants. */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,  /* abc, %r1, $L_1, _ */
    PTX_TOKEN_DOT,   /* .b32, .L1::no_allocate: text is the part after the dot */
    PTX_TOKEN_INT,   /* bits; unsigned_suffix */
    PTX_TOKEN_F32,   /* 0f...: bits */
    PTX_TOKEN_F64,   /* 0d..., or decimal: bits of the double */
    PTX_TOKEN_TEXT,  /* "...": text is the part between the quotes, as written */
    PTX_TOKEN_OTHER, /* an operator or a bracket: op */
    PTX_TOKEN_ERROR, /* not PTX: text is the position, message the reason */
};

/* Operators of two characters, in ptx_token.op, which holds single characters as themselves. */
enum ptx_token_op {
    PTX_TOKEN_SHL = 256,
    PTX_TOKEN_SHR,
    PTX_TOKEN_LE,
    PTX_TOKEN_GE,
    PTX_TOKEN_EQ,
    PTX_TOKEN_NE,
    PTX_TOKEN_AND,
    PTX_TOKEN_OR
};

struct ptx_token {
    enum ptx_token_kind kind;
    int op; /* of PTX_TOKEN_OTHER: a character or enum ptx_token_op */
    unsigned line;
    const char *text;
    size_t length;
    uint64_t bits;
    bool unsigned_suffix;
    const char *message;
};

struct ptx_lexer {
    const char *at, *end;
    unsigned line;
};

/* Text that ends at size or at a NUL. */
void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t size);
void ptx_lex_next(struct ptx_lexer *lexer, struct ptx_token *out_token);

#endif
