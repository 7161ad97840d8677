/* The executable form of a function, and the warps that run it.
 *
 * A function is an array of ops; an op's handler does its effect for all lanes
 * of the warp's current mask and returns the op to go on with. Registers are
 * arrays over lanes: a slot is 32 elements of 2, 4, 8 or 16 bytes (8-bit
 * registers take 2), or one 32-bit mask for a predicate; op operands are byte
 * offsets from warp->regs. Constants are slots that are filled once.
 *
 * Two registers may share a slot only when they have the same element size:
 * lanes of a diverged warp are at different places, and only equal layouts keep
 * each lane's column its own. */
#ifndef PTX_EXEC_H
#define PTX_EXEC_H

#include "ptx.h"
#include "ptx_rows.h"

enum { PTX_LANES = 32, PTX_SLOT_ALIGN = 64 };

struct ptx_warp;
struct ptx_op;
typedef const struct ptx_op *(*ptx_handler)(struct ptx_warp *warp, const struct ptx_op *op);

struct ptx_op {
    ptx_handler run;
    uint32_t d, a, b, c, e; /* slots; what each is, the handler's family says */
    uint32_t inst;          /* index of the instruction it came from */
    uint64_t mods;          /* of the instruction */
    union {
        uint64_t bits;
        const struct ptx_op *target;
        const void *extra; /* the family's, in the code's arena */
    };
};

struct ptx_code {
    const struct ptx_function *function;
    struct ptx_op *ops;
    uint32_t op_count;
    size_t frame_size;              /* bytes of warp->regs for one activation, constants included */
    const unsigned char *constants; /* what the frame's constants_offset onwards begins with */
    size_t constants_offset, constants_size;
    size_t local_size;  /* bytes of local memory of a thread for one activation */
    size_t param_size;  /* entry: of the parameters */
    size_t shared_size; /* entry: static shared memory, with that of all it may call */
    size_t stack_need;  /* entry: local memory of the deepest call chain, SIZE_MAX: not known */
    unsigned registers; /* 32-bit registers live at once, at most */
};

struct ptx_block; /* ptx_warp.h */

struct ptx_warp {
    /* What handlers read. */
    uint32_t mask;       /* lanes that execute */
    bool whole;          /* lanes outside of mask have ended or never were: handlers may
                            write them too */
    unsigned char *regs; /* registers of the current activation, 64-byte aligned */
    int32_t lanes[PTX_LANES] __attribute__((aligned(64))); /* -1: lane is in mask, else 0 */
    uint32_t alive;                                        /* lanes that have not ended */
    uint32_t carry;  /* the condition code register CC.CF, a bit per lane */
    unsigned number; /* within the block */
    int device;      /* of sim_memory.h */
    struct ptx_block *block;
    struct ptx_launch *launch;
    unsigned char *shared; /* the block's shared memory */
    size_t shared_size;
    unsigned char *local; /* lane l's local memory of the current activation begins at
                             local + l * local_stride + local_offset */
    size_t local_stride, local_offset;
    const unsigned char *params; /* the launch's */
    size_t param_size;
    struct sim_shadow *shadow; /* the block's, of sim_shadow.h; NULL: nothing is checked */
    int budget;     /* steps left: ops that may loop count it down */
    uint64_t steps; /* warp-instructions so far, for statistics */
    /* The rest is ptx_warp.c's: fragments of the warp that have diverged. */
    struct ptx_fragment *fragment, *fragments;
    void *private;
};

/* Ends the launch: reports kernel, PTX line and source line of op, block, thread
 * of lane, and the message; the rest of the lanes are abandoned. Returns NULL,
 * for handlers to return. */
const struct ptx_op *ptx_fault(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                               enum ptx_end end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for an access that sim_reach refused, or one that is misaligned: adds
 * the nearest allocation. space: as the kernel named it. */
const struct ptx_op *ptx_fault_access(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                                      uint64_t address, size_t size, bool write,
                                      enum ptx_space space);

/* ---- translation ------------------------------------------------------------------- */

/* The function being translated; families' emit functions append ops to it.
 * Liveness is known and slots are assigned before emission begins. */
struct ptx_builder;

/* The slot of a source of a type: a register's own, or a constant's, or, for a
 * special register or a symbol's address, one that ops emitted here fill. A
 * register that is wider than type is narrowed into a temporary. negated
 * predicates are inverted into a temporary. */
uint32_t ptx_build_source(struct ptx_builder *builder, const struct ptx_operand *operand,
                          enum ptx_type type);
/* The slot to write a result of type to, for a destination operand. When the
 * register is wider, ptx_build_finish widens what was written there. A sink gives
 * a scratch slot. */
uint32_t ptx_build_destination(struct ptx_builder *builder, const struct ptx_operand *operand,
                               enum ptx_type type);
/* To be called after the op that wrote the destination was emitted. */
void ptx_build_finish(struct ptx_builder *builder, const struct ptx_operand *operand,
                      enum ptx_type type, uint32_t slot);
uint32_t ptx_build_constant(struct ptx_builder *builder, enum ptx_type type, uint64_t bits);
uint32_t ptx_build_temporary(struct ptx_builder *builder, enum ptx_type type);
/* Appends an op for the instruction being translated; its mods and inst are set.
 * The pointer is good until the next call. */
struct ptx_op *ptx_build_op(struct ptx_builder *builder, ptx_handler handler);
/* Memory that lives as long as the code, zeroed; NULL without memory (the build
 * then fails by itself). */
void *ptx_build_alloc(struct ptx_builder *builder, size_t size);
/* The symbol whose address symbol has in the function being translated. */
const struct ptx_symbol *ptx_build_symbol(const struct ptx_builder *builder,
                                          const struct ptx_symbol *symbol);
const struct ptx_function *ptx_build_function(const struct ptx_builder *builder);
unsigned ptx_build_sm(const struct ptx_builder *builder);
/* Ends the translation with an error at the instruction. */
void ptx_build_error(struct ptx_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One per family, beside the handlers it emits. */
void ptx_emit_alu(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_mov(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_control(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_barrier(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_memory(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_warp(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_missing(struct ptx_builder *builder, const struct ptx_inst *inst);

/* ---- rendezvous of a warp's lanes ------------------------------------------------------ */

/* For .sync operations: members is each executing lane's membermask slot. True:
 * the lanes of the mask that still live are all here, go on. False: some are yet
 * to come; the fragment waits and this op runs again when they are here, so the
 * handler returns NULL without any effect (or with a fault reported). */
bool ptx_warp_gather(struct ptx_warp *warp, const struct ptx_op *op, uint32_t members_slot);

/* ---- instruction sets ------------------------------------------------------------------- */

/* Handlers that loop over lanes are compiled once per instruction set of the
 * host; ptx_isa() picks the tables when the first module is loaded.
 * ANYHIP_SIM_ISA=base forces the slowest, for tests. */
enum ptx_isa { PTX_ISA_BASE, PTX_ISA_AVX2, PTX_ISA_AVX512, PTX_ISA_COUNT };
enum ptx_isa ptx_isa(void);
/* Of an ALU row: [0] without modifiers that change the arithmetic, [1] with. */
extern const ptx_handler (*const ptx_alu_handlers[PTX_ISA_COUNT])[2];

#endif
