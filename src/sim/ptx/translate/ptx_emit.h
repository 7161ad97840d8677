/* Emitters, which append the ops of one instruction, and the functions that they call. An emitter
 * is a row of ptx_emitters.def and a function ptx_emit_<name>; rows of the instruction table name
 * it. */
#ifndef PTX_EMIT_H
#define PTX_EMIT_H

#include "ptx_handlers.h"

/* ---- operands and ops -------------------------------------------------------------- */

/* The function being translated. Liveness is known and slots are assigned before emission begins.
 */
struct ptx_builder;

/* The slot of a source of a type: that of a register or a constant, or, for a special register or a
 * symbol's address, one that ops emitted here write. A register that is wider than type is narrowed
 * into a temporary. Negated predicates are inverted into a temporary. */
uint32_t ptx_build_source(struct ptx_builder *builder, const struct ptx_operand *operand,
                          enum ptx_type type);
/* The slot to write a result of type to, for a destination operand. If the register is wider,
 * ptx_build_finish widens the result. A sink (_) has a scratch slot. */
uint32_t ptx_build_destination(struct ptx_builder *builder, const struct ptx_operand *operand,
                               enum ptx_type type);
/* To be called after the op that wrote the destination was emitted. */
void ptx_build_finish(struct ptx_builder *builder, const struct ptx_operand *operand,
                      enum ptx_type type, uint32_t slot);
uint32_t ptx_build_constant(struct ptx_builder *builder, enum ptx_type type, uint64_t bits);
uint32_t ptx_build_temporary(struct ptx_builder *builder, enum ptx_type type);
/* Appends an op for the instruction being translated; its mods and inst are set. The pointer is
 * valid until the next call. */
struct ptx_op *ptx_build_op(struct ptx_builder *builder, ptx_handler handler);
/* Zeroed memory that is freed with the code; NULL: out of memory, and the translation fails without
 * further action. */
void *ptx_build_alloc(struct ptx_builder *builder, size_t size);
/* The symbol that a symbol stands for in the function being translated: "extern .shared" has one
 * per function. */
const struct ptx_symbol *ptx_build_symbol(const struct ptx_builder *builder,
                                          const struct ptx_symbol *symbol);
const struct ptx_function *ptx_build_function(const struct ptx_builder *builder);
unsigned ptx_build_sm(const struct ptx_builder *builder);
/* Ends the translation with an error at the instruction. */
void ptx_build_error(struct ptx_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- emitters ---------------------------------------------------------------------- */

typedef void (*ptx_emit_function)(struct ptx_builder *builder, const struct ptx_inst *inst);
#define PTX_EMITTER(id, name, ...)                                                                 \
    void ptx_emit_##name(struct ptx_builder *builder, const struct ptx_inst *inst);
#include "ptx_emitters.def"
#undef PTX_EMITTER

/* ---- memory ------------------------------------------------------------------------ */

/* The modifiers of a memory instruction. */
struct ptx_access_modifiers {
    enum ptx_space space; /* PTX_GENERIC: no space is named */
    enum ptx_type type;   /* the last type named */
    unsigned vector;      /* 1, 2, 4, 8 */
    bool entry, func;     /* .param::entry, .param::func */
    unsigned line;        /* of the instruction */
};
void ptx_access_modifiers_read(const struct ptx_inst *inst,
                               struct ptx_access_modifiers *out_modifiers);
/* Whether modifier is among the instruction's. */
bool ptx_inst_has(const struct ptx_inst *inst, const char *modifier);

/* A new access to an address operand, of count elements of type; NULL: out of memory. */
struct ptx_access *ptx_access_create(struct ptx_builder *builder, const struct ptx_operand *address,
                                     const struct ptx_access_modifiers *modifiers, bool write);
/* Element index of a vector operand, or the scalar operand itself. */
struct ptx_operand ptx_vector_element(const struct ptx_operand *operand, unsigned index);
/* Appends an op for access, after the checks that are enabled. */
struct ptx_op *ptx_access_op(struct ptx_builder *builder, ptx_handler handler,
                             const struct ptx_access *access);
/* Appends the ops that count and check access, if it is to be counted or checked. */
void ptx_emit_checks(struct ptx_builder *builder, const struct ptx_access *access);
/* The op that counts it, by itself. */
void ptx_emit_count_access(struct ptx_builder *builder, const struct ptx_access *access);

#endif
