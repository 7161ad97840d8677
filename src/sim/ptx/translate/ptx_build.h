/* Shared by the files of the translator: the control flow of a function, its layout, and the
 * builder behind the ptx_build_ functions. */
#ifndef PTX_BUILD_H
#define PTX_BUILD_H

#include "ptx_emit.h"

/* ---- flow ------------------------------------------------------------------------ */

struct ptx_flow_block {
    unsigned first, end;             /* instructions [first, end) */
    unsigned order;                  /* in reverse postorder; UINT_MAX: unreachable */
    bool target;                     /* of a branch */
    unsigned next_first, next_count; /* successors: in ptx_flow.next */
};

struct ptx_flow {
    struct ptx_flow_block *blocks;
    unsigned block_count;
    unsigned *block_of;  /* of each instruction, and of the end */
    unsigned *next;      /* blocks */
    unsigned *postorder; /* reached_count blocks */
    unsigned reached_count;
};

/* False: out of memory. */
bool ptx_flow_init(struct ptx_flow *flow, const struct ptx_function *function);
void ptx_flow_fini(struct ptx_flow *flow);

/* Whether the way from a block to the other ends a round of a loop: each loop has such a way. What
 * the compiler has moved behind the rest of a function also ends with a branch back in the text,
 * but is no loop. */
bool ptx_flow_goes_back(const struct ptx_flow *flow, unsigned from, unsigned to);
/* Whether the block goes on with the one behind it, and not by a branch. */
bool ptx_flow_falls(const struct ptx_function *function, const struct ptx_flow_block *block);

/* ---- registers ------------------------------------------------------------------- */

/* A class of slots per size of elements; predicates are masks. */
enum ptx_slot_class { PTX_SLOT_PRED, PTX_SLOT_2, PTX_SLOT_4, PTX_SLOT_8, PTX_SLOT_16 };
enum { PTX_SLOT_CLASSES = PTX_SLOT_16 + 1 };
enum ptx_slot_class ptx_slot_class(enum ptx_type type);
size_t ptx_slot_size(enum ptx_slot_class slot_class); /* bytes */

/* The slot of each register of a function. A vector counts as one register per component. */
struct ptx_slots {
    unsigned *first;  /* by ptx_symbol.index: its number, component 0 */
    uint32_t *offset; /* by number: the slot */
    uint8_t *classes;
    uint8_t *definitions; /* by number: instructions that write it, or 2 for more than one */
    unsigned count;
    size_t size;        /* bytes of all slots */
    unsigned registers; /* 32-bit registers for the values that are live at once */
};

/* False: out of memory. */
bool ptx_slots_init(struct ptx_slots *slots, const struct ptx_function *function,
                    const struct ptx_flow *flow);
void ptx_slots_fini(struct ptx_slots *slots);
uint32_t ptx_slots_find(const struct ptx_slots *slots, const struct ptx_symbol *symbol,
                        unsigned component);
unsigned ptx_slots_number(const struct ptx_slots *slots, const struct ptx_symbol *symbol,
                          unsigned component);

/* ---- code ------------------------------------------------------------------------ */

struct ptx_arena_chunk {
    struct ptx_arena_chunk *next;
};

/* An address in the constants, which is known when the module is placed. */
struct ptx_patch {
    struct ptx_patch *next;
    const struct ptx_symbol *symbol;
    int64_t addend;
    size_t offset; /* into the constants */
    enum ptx_slot_class slot_class;
};

/* A function's translation; ptx_function.code points to the first member. */
struct ptx_body {
    struct ptx_code code;
    struct ptx_program *program;
    struct ptx_patch *patches;
    struct ptx_arena_chunk *chunks;
    size_t dynamic_align;             /* entry: of "extern .shared" */
    struct ptx_symbol dynamic_symbol; /* the symbol of "extern .shared" in this function */
    /* While translating. */
    struct ptx_flow flow;
    struct ptx_slots slots;
    bool *calls;         /* by number: functions that it may call */
    bool indirect;       /* it calls by address, without a list of targets */
    bool *shared;        /* by ptx_program.shared: variables that it uses */
    unsigned char visit; /* mark of a walk over calls */
};

/* A module's translation: shared by its bodies. */
struct ptx_program {
    struct ptx_code_table table; /* ptx_code.table points to this */
    struct ptx_module *module;
    unsigned sm;
    struct ptx_body **bodies;
    unsigned body_count;
    struct ptx_symbol **shared; /* all variables in .shared */
    unsigned shared_count;
    bool *address_taken; /* by number: it may be called indirectly */
};

static inline struct ptx_body *ptx_body_of(const struct ptx_code *code)
{
    return (struct ptx_body *)(uintptr_t)code;
}

/* The body of the function of a symbol; NULL: it has none. */
struct ptx_body *ptx_program_find(const struct ptx_program *program,
                                  const struct ptx_symbol *symbol);

/* Offsets of variables, the call graph, and the memory that a function needs (ptx_layout.c). False:
 * an error was logged, or out of memory. */
bool ptx_layout_function(struct ptx_body *body);
enum ptx_result ptx_layout_program(struct ptx_program *program, struct ptx_log *log);

/* ---- the builder ------------------------------------------------------------------ */

enum ptx_fixup_kind { PTX_FIXUP_BLOCK, PTX_FIXUP_OP };

/* A pointer to an op, which is known when all ops have been emitted. */
struct ptx_fixup {
    enum ptx_fixup_kind kind;
    unsigned number;             /* of the block or the op */
    unsigned op;                 /* the op whose target it is, if place is NULL */
    const struct ptx_op **place; /* of a table */
};

struct ptx_constant {
    enum ptx_slot_class slot_class;
    uint64_t bits;
    const struct ptx_symbol *symbol; /* bits: the addend */
    uint32_t slot;
};

struct ptx_temporaries {
    uint32_t *slots;
    unsigned count, capacity, used;
};

struct ptx_build_ops {
    struct ptx_op *ops;
    uint32_t *orders;
    unsigned count, capacity;
};

struct ptx_builder {
    struct ptx_body *body;
    const struct ptx_inst *inst;
    unsigned inst_index, block;
    struct ptx_log *log;
    enum ptx_result result;
    struct ptx_op *ops;
    unsigned op_count, op_capacity;
    struct ptx_op spare; /* is written to when there is no memory */
    bool *once; /* by instruction: it runs once in a launch (ptx_once.c); NULL: none does */
    struct ptx_build_ops other_ops; /* of these instructions */
    unsigned *block_ops;            /* first op of each block */
    uint32_t *orders;
    struct ptx_fixup *fixups;
    unsigned fixup_count, fixup_capacity;
    struct ptx_constant *constants; /* open addressing */
    unsigned constant_count, constant_capacity;
    size_t frame_size;    /* so far */
    unsigned char *image; /* the contents after the registers */
    size_t image_size, image_capacity;
    struct ptx_temporaries temporaries[PTX_SLOT_CLASSES];
};

/* Sets the op's target when all ops are emitted: a block's first op, or an op by number. */
void ptx_build_fixup(struct ptx_builder *builder, enum ptx_fixup_kind kind, unsigned number,
                     unsigned op, const struct ptx_op **place);
/* Whether symbol is a parameter of function, which is a kernel: those of other functions are in
 * local memory. */
bool ptx_is_kernel_param(const struct ptx_function *function, const struct ptx_symbol *symbol);
unsigned ptx_build_label(const struct ptx_builder *builder, const struct ptx_symbol *label);
/* A new slot beyond the registers, in which all lanes have the initial value bits. */
uint32_t ptx_build_slot(struct ptx_builder *builder, enum ptx_slot_class slot_class, uint64_t bits);
/* Writes bits to all lanes of a slot; to a predicate: whether they are not 0. */
void ptx_slot_fill(unsigned char *slot, enum ptx_slot_class slot_class, uint64_t bits);
void ptx_build_no_memory(struct ptx_builder *builder);
/* Grows an array of elements of size to hold at least needed; NULL: out of memory, and the old
 * array is unchanged. */
void *ptx_grow(void *array, unsigned *capacity, unsigned needed, size_t size);

/* ptx_once.c: finds what runs once in a launch, and gives the results slots. */
void ptx_once_find(struct ptx_builder *builder);
/* Calls emit for such an instruction. */
void ptx_once_emit(struct ptx_builder *builder, void (*emit)(struct ptx_builder *builder));

/* ptx_emit_mov.c: registers of other sizes, special registers. */
void ptx_build_resize(struct ptx_builder *builder, uint32_t d, enum ptx_type to, uint32_t a,
                      enum ptx_type from);
void ptx_build_special(struct ptx_builder *builder, uint32_t d, enum ptx_special special);
enum ptx_type ptx_special_type(enum ptx_special special);
void ptx_build_not(struct ptx_builder *builder, uint32_t d, uint32_t a);
void ptx_build_local_address(struct ptx_builder *builder, uint32_t d, enum ptx_type type,
                             uint64_t offset);

/* ptx_emit_control.c: around an instruction that only some lanes execute. The first function of a
 * pair returns the argument of the second one. */
void ptx_build_join(struct ptx_builder *builder);
unsigned ptx_build_guard(struct ptx_builder *builder);
void ptx_build_unguard(struct ptx_builder *builder, unsigned begun);
unsigned ptx_build_skip(struct ptx_builder *builder);
void ptx_build_skipped(struct ptx_builder *builder, unsigned begun);
/* At the end of a block: a jump to the one behind it, if going on there ends a round of a loop,
 * which takes something from the budget. */
void ptx_build_fall(struct ptx_builder *builder);
/* Whether op is the first of a straight-line sequence, whose instructions it counts in e. */
bool ptx_op_counts(const struct ptx_op *op);
/* Whether op is where lanes join, which is no instruction. */
bool ptx_op_joins(const struct ptx_op *op);

#endif
