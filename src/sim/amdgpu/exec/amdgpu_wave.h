/* What the files of exec share: pages of ops, and waves, work-groups and dispatches at work.
 *
 * Code is decoded in pages of 4096 bytes, one op for each word in which an instruction may
 * begin. Waves that differ in their registers have pages of their own, so that an op need not
 * look whether a register is there. Pages are found without a lock. */
#ifndef AMDGPU_WAVE_H
#define AMDGPU_WAVE_H

#include "amdgpu_exec.h"

enum {
    AMDGPU_PAGE_SIZE = 4096,
    AMDGPU_PAGE_WORDS = AMDGPU_PAGE_SIZE / 4,
    AMDGPU_INST_WORDS = 5, /* the longest instruction */
};

/* What waves may be alike in, as far as their code goes. Lives for ever. */
struct amdgpu_shape {
    int device; /* of sim_memory.h */
    enum amdgpu_isa isa;
    unsigned lanes, vgprs, agprs;
    const struct amdgpu_emitters *emitters;
};

struct amdgpu_page {
    uint64_t address;
    uint64_t memory; /* sim_memory.id of what it was decoded from */
    const struct amdgpu_shape *shape;
    _Atomic(struct amdgpu_page *) next;      /* of its bucket */
    _Atomic(struct amdgpu_page *) following; /* the page after it, if it is the same memory's */
    struct amdgpu_page *retired;             /* the next of those that wait to be freed */
    struct amdgpu_slab *slabs;               /* of instructions */
    /* Those beyond the page's end go on in the page after it. */
    struct amdgpu_op ops[AMDGPU_PAGE_WORDS + AMDGPU_INST_WORDS];
};

/* NULL: no memory. */
const struct amdgpu_shape *amdgpu_shape_of(const struct amdgpu_shape *like);

/* A dispatch begins and ends: between them no page is freed. A page whose code has gone from
 * entry meanwhile is forgotten. */
void amdgpu_code_enter(uint64_t entry);
void amdgpu_code_leave(void);

/* The op at an address of code; NULL after a fault was reported. For jumps only: it makes the
 * page of the address the wave's, so the handler must return it. */
const struct amdgpu_op *amdgpu_goto(struct amdgpu_wave *wave, uint64_t address);
/* Goes on op->offset_bytes words from op, in another page, which it remembers in effect. */
const struct amdgpu_op *amdgpu_jump_far(struct amdgpu_wave *wave, const struct amdgpu_op *op);

/* Whether op is there to be looked at; another thread may be about to make it. */
bool amdgpu_is_decoded(const struct amdgpu_op *op);

/* Whether what is words from op on lies in its page. */
static inline bool amdgpu_is_near(const struct amdgpu_op *op, int64_t words)
{
    int64_t index = (int64_t)(op->offset / 4) + words;
    return index >= 0 && index < AMDGPU_PAGE_WORDS;
}

/* Executes ops from op on as MODE.gpr_idx_en asks, until it is off; may pause. */
const struct amdgpu_op *amdgpu_run_indexed(struct amdgpu_wave *wave, const struct amdgpu_op *op);

static inline void amdgpu_set_length(struct amdgpu_op *op, unsigned length)
{
    op->length = (unsigned char)length;
    op->step = (unsigned short)(length / 4 * sizeof *op);
}

/* ---- scalar instructions: amdgpu_scalar.c, and what it leaves to others ------------------ */

/* Where results go that nobody wants: trap registers, which no kernel reads. */
enum { AMDGPU_NOWHERE = 122 };
/* False: no operand of size bytes. */
bool amdgpu_emit_source(const struct amdgpu_operand *operand, unsigned size,
                        struct amdgpu_source *out_source);
bool amdgpu_emit_destination(const struct amdgpu_operand *operand, unsigned size,
                             struct amdgpu_op *op);
/* As amdgpu_emit_scalar, for rows whose effect is more than their result. */
bool amdgpu_emit_control(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
/* The same for s_getreg, s_setreg and their kin (amdgpu_hwreg.c). */
bool amdgpu_emit_hwreg(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
enum { AMDGPU_TRAP_ABORT = 2, AMDGPU_TRAP_DEBUG = 3 }; /* operands of s_trap */
enum { AMDGPU_MODE_GPR_INDEXING = 1 << 27 };           /* gfx9 */

/* ---- amdgpu_wave.c ---------------------------------------------------------------------- */

enum sim_wave amdgpu_wave_run(struct amdgpu_wave *wave, unsigned budget);

/* ---- amdgpu_trap.c ---------------------------------------------------------------------- */

/* Whether there is one to go to, for a wave that is not there already; and for this. */
bool amdgpu_trap_has_handler(const struct amdgpu_wave *wave);
bool amdgpu_trap_is_taken(const struct amdgpu_wave *wave, const struct amdgpu_end *end);
/* The wave goes on in the handler; address: of the code that trapped. Returns NULL. */
const struct amdgpu_op *amdgpu_trap_enter(struct amdgpu_wave *wave, uint64_t address,
                                          const struct amdgpu_end *end);
/* The handler sends an interrupt; and returns to target. */
void amdgpu_trap_tell(struct amdgpu_wave *wave, uint32_t message);
const struct amdgpu_op *amdgpu_trap_leave(struct amdgpu_wave *wave, uint64_t target);
uint32_t amdgpu_status(const struct amdgpu_wave *wave); /* HW_REG_STATUS */

/* ---- amdgpu_dispatch.c ------------------------------------------------------------------ */

/* Work-items of a block in each dimension: the last ones may be cut off by the grid's end. */
void amdgpu_block_size(const struct amdgpu_block *block, uint32_t out_size[3]);

/* ---- what a work-group has -------------------------------------------------------------- */

/* Memory for a block's scratch, and back. NULL: there is none left. */
struct sim_memory *amdgpu_private_take(struct amdgpu_private *kept, int device, size_t size);
void amdgpu_private_give(struct amdgpu_private *kept, struct sim_memory *memory); /* may be NULL */

/* A part of a dispatch's ring for a group, its number, and back. False: all are in use. */
bool amdgpu_ring_take(struct amdgpu_dispatch *dispatch, unsigned *out_group);
void amdgpu_ring_give(struct amdgpu_dispatch *dispatch, unsigned group);

/* Whether waves have come to a barrier of global wave sync which others are to come to
 * (amdgpu_gws.c). */
bool amdgpu_gws_is_awaited(struct amdgpu_dispatch *dispatch);

/* Whether waves wait for memory (amdgpu_waits.c): of all waves of a block. NULL: no memory. */
struct amdgpu_waits *amdgpu_waits_create(unsigned waves);
void amdgpu_waits_begin(struct amdgpu_waits *waits, unsigned waves); /* accepts NULL */
struct amdgpu_waits *amdgpu_waits_of(struct amdgpu_waits *waits, unsigned wave);
/* Before op is executed. False: it uses what it has not waited for, which was reported. */
bool amdgpu_waits_check(struct amdgpu_wave *wave, const struct amdgpu_op *op);

/* ---- amdgpu_report.c ---------------------------------------------------------------------- */

/* Reports that no wave of the block can go on. */
void amdgpu_report_stuck(struct amdgpu_block *block);
/* Reports that groups wait for others, of which some have ended. */
void amdgpu_report_grid(struct amdgpu_dispatch *dispatch, uint64_t ended);
/* Says why a dispatch cannot start, and sets *out_end. Returns false. */
bool amdgpu_refuse_dispatch(const struct amdgpu_dispatch *dispatch, enum amdgpu_end_kind kind,
                            uint64_t address, struct amdgpu_end *out_end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
