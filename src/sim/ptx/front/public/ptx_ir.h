/* A PTX module as written: the parser creates it, and the translator reads it.
 *
 * Everything lives in the module's arena and is freed with it. Names are
 * interned: equal names are equal pointers within a module. Source: PTX ISA,
 * "Syntax", "State Spaces, Types, and Variables", "Directives". */
#ifndef PTX_IR_H
#define PTX_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_type {
    PTX_NOTYPE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_TYPE_COUNT,
};
unsigned ptx_type_size(enum ptx_type type);    /* bytes; 0 for PTX_PRED */
const char *ptx_type_name(enum ptx_type type); /* "b32" */

enum ptx_space {
    PTX_REG,
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_CONST,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_PARAM,
};

/* Bytes: of all .const variables of a module; of .local memory of a thread; of a kernel's
 * parameters. */
enum { PTX_CONST_LIMIT = 64 << 10, PTX_LOCAL_LIMIT = 512 << 10, PTX_PARAM_LIMIT = 32764 };

enum ptx_linkage { PTX_PRIVATE, PTX_VISIBLE, PTX_WEAK, PTX_COMMON, PTX_EXTERN };

enum ptx_symbol_kind {
    PTX_VARIABLE,
    PTX_REGISTER,
    PTX_LABEL,
    PTX_FUNCTION,
    PTX_PROTOTYPE,
    PTX_LABEL_LIST
};

/* The address of a symbol in an initialiser. */
struct ptx_relocation {
    struct ptx_relocation *next;
    size_t offset;             /* bytes into the variable */
    unsigned size;             /* bytes: 1, 2, 4 or 8 */
    unsigned shift;            /* right shift of the address: mask() operators */
    bool generic;              /* generic(symbol): the generic address; otherwise the offset
                                  in its space, which for .global is the same */
    struct ptx_symbol *symbol; /* a variable or a function */
    int64_t addend;
};

/* Contiguous bytes of an initial value. */
struct ptx_piece {
    struct ptx_piece *next; /* at a larger offset */
    size_t offset, size;    /* in the variable */
    unsigned char bytes[];
};

struct ptx_symbol {
    const char *name;
    enum ptx_symbol_kind kind;
    enum ptx_space space; /* of variables and registers */
    enum ptx_type type;   /* of an element */
    unsigned vector;      /* 1, 2, 4: .v2, .v4 of registers and variables */
    enum ptx_linkage linkage;
    unsigned align;           /* bytes */
    size_t size;              /* bytes in all; 0 for "extern .shared x[]" */
    bool unsized;             /* declared with [] */
    bool managed;             /* .attribute(.managed) */
    struct ptx_piece *pieces; /* of the initial value, which is zero elsewhere */
    struct ptx_relocation *relocations;
    unsigned line;
    unsigned index;                /* registers: number within the function, from 0;
                                      labels: index of the instruction that follows it;
                                      functions and module variables: number within the module */
    struct ptx_function *function; /* PTX_FUNCTION and PTX_PROTOTYPE */
    struct ptx_symbol **labels;    /* PTX_LABEL_LIST (.branchtargets, .calltargets): label_count */
    unsigned label_count;
    uint64_t address;        /* variables in .global and .const: set by ptx_module_place;
                                .shared, .local, .param: offset, set by the translator */
    struct ptx_symbol *next; /* of the same list */
};

enum ptx_operand_kind {
    PTX_NO_OPERAND,
    PTX_OP_REG,       /* symbol; component 0 */
    PTX_OP_COMPONENT, /* symbol.x: symbol, component 0..3 */
    PTX_OP_INT,       /* bits: an integer constant, two's complement */
    PTX_OP_F32,       /* bits: 0f... */
    PTX_OP_F64,       /* bits: of a double: 0d... or a decimal constant */
    PTX_OP_SYMBOL,    /* the address of symbol + offset: a variable or a function */
    PTX_OP_ADDRESS,   /* [base + offset]: base is a register or a variable (symbol), or NULL
                         for an absolute address */
    PTX_OP_VECTOR,    /* {elements}: element_count of them */
    PTX_OP_LABEL,     /* symbol */
    PTX_OP_SPECIAL,   /* %tid.x and so on: bits is enum ptx_special */
    PTX_OP_SINK,      /* _ */
    PTX_OP_LIST,      /* (a, b): of calls */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated; /* !p */
    uint8_t component;
    uint8_t element_count; /* of PTX_OP_VECTOR and PTX_OP_LIST */
    uint64_t bits;
    int64_t offset;
    struct ptx_symbol *symbol;
    struct ptx_operand *elements;
    struct ptx_operand *pair; /* the q of "p|q", NULL: none */
};

enum ptx_special {
#define PTX_SPECIAL(id, name, type) PTX_SPECIAL_##id,
#include "ptx_specials.def"
#undef PTX_SPECIAL
    PTX_SPECIAL_COUNT,
};

enum { PTX_OPERANDS_MAX = 6, PTX_MODIFIERS_MAX = 12 };

struct ptx_row; /* of the instruction table, see ptx_rows.h */

struct ptx_inst {
    const char *opcode;                       /* "add"; interned */
    const char *modifiers[PTX_MODIFIERS_MAX]; /* "rn", "f32": without dots, in order */
    uint8_t modifier_count;
    uint8_t operand_count;
    bool guard_negated;
    struct ptx_symbol *guard; /* @p, NULL: none */
    struct ptx_operand operands[PTX_OPERANDS_MAX];
    unsigned line;              /* in the PTX text, from 1 */
    unsigned file, source_line; /* from .loc; 0: unknown */
    const struct ptx_row *row;  /* set by the checker */
    uint64_t mods;              /* set by the checker: bits of PTX_MOD_ */
};

struct ptx_function {
    struct ptx_symbol *symbol;
    struct ptx_module *module;
    bool entry;         /* .entry: a kernel */
    bool declared_only; /* no body: resolved to a definition, a built-in, or an error */
    bool noreturn;
    struct ptx_symbol *returns; /* lists, in order */
    struct ptx_symbol *params;
    struct ptx_symbol *registers;
    unsigned register_count;
    struct ptx_symbol *variables; /* .local, .shared and .param of the body, all scopes */
    struct ptx_inst *insts;
    unsigned inst_count;
    unsigned max_threads[3], required_threads[3]; /* .maxntid, .reqntid; 0: not said */
    unsigned min_blocks;                          /* .minnctapersm */
    unsigned max_registers;                       /* .maxnreg */
    struct ptx_function *next;
    struct ptx_code *code; /* set by the translator */
};

struct ptx_file {
    unsigned number;
    const char *name;
    struct ptx_file *next;
};

struct ptx_module {
    unsigned version;             /* 70 for ".version 7.0" */
    unsigned target;              /* 70 for "sm_70" */
    char target_suffix;           /* 'a' for sm_90a, else 0 */
    struct ptx_symbol *variables; /* of the module: .global, .const, .shared */
    struct ptx_function *functions;
    struct ptx_file *files;
    void *arena; /* private to front */
};

struct ptx_symbol *ptx_module_find(const struct ptx_module *module, const char *name);
const char *ptx_file_name(const struct ptx_module *module, unsigned number); /* NULL: unknown */

#endif
