/* What the files of exec share: pages of ops, and waves, work-groups and dispatches in progress.
 *
 * Code is decoded in pages of 4096 bytes, with one op for each word at which an instruction may
 * begin. Waves with different register counts have separate pages, so that an op need not check
 * whether a register exists. Pages are found without a lock. */
#ifndef AMDGPU_WAVE_H
#define AMDGPU_WAVE_H

#include "amdgpu_exec.h"

#include <stddef.h>

enum {
    AMDGPU_PAGE_SIZE = 4096,
    AMDGPU_PAGE_WORDS = AMDGPU_PAGE_SIZE / 4,
    AMDGPU_INST_WORDS = 5, /* the longest instruction */
};

/* What waves have in common that run the same decoded code. Never freed. */
struct amdgpu_shape {
    int device; /* of sim_memory.h */
    enum amdgpu_isa isa;
    unsigned lanes, vgprs, agprs;
    const struct amdgpu_emitters *emitters;
};

struct amdgpu_page {
    uint64_t address;
    uint64_t memory; /* sim_memory.id of the memory that it was decoded from */
    const struct amdgpu_shape *shape;
    _Atomic(struct amdgpu_page *) next; /* of its bucket */
    _Atomic(struct amdgpu_page *)
        following;               /* the page after it, if it belongs to the same memory */
    struct amdgpu_page *retired; /* the next in the list of pages that wait to be freed */
    struct amdgpu_slab *slabs;   /* of instructions */
    atomic_bool has_sites;       /* some of the ops have */
    /* Instructions that extend beyond the page continue on the page after it. */
    struct amdgpu_op ops[AMDGPU_PAGE_WORDS + AMDGPU_INST_WORDS];
};

/* Whether AGPRs are a file of their own, of which a wave has as many as it has VGPRs. */
static inline bool amdgpu_has_own_agprs(enum amdgpu_isa isa)
{
    return isa == AMDGPU_GFX908;
}

/* NULL: no memory. */
const struct amdgpu_shape *amdgpu_shape_of(const struct amdgpu_shape *like);

/* Called when a dispatch begins and ends; no page is freed in between. Pages at entry whose code is
 * no longer there are discarded. */
void amdgpu_code_enter(uint64_t entry);
void amdgpu_code_leave(void);

/* The op at an address of code; NULL after a fault was reported. For jumps only: it switches the
 * wave to the page of the address, so the handler must return the op. */
const struct amdgpu_op *amdgpu_goto(struct amdgpu_wave *wave, uint64_t address);
/* Jumps op->offset_bytes words from op, to another page, which it caches in effect. */
const struct amdgpu_op *amdgpu_jump_far(struct amdgpu_wave *wave, const struct amdgpu_op *op);

/* Whether op is decoded and may be read; another thread may be decoding it. */
bool amdgpu_is_decoded(const struct amdgpu_op *op);
/* op, which the wave has come to, decoded; NULL after a fault was reported. For what looks at an op
 * before it is executed: another thread might decode it in between otherwise. */
const struct amdgpu_op *amdgpu_decoded(struct amdgpu_wave *wave, const struct amdgpu_op *op);

/* Whether a decoded op's handler only reports that it cannot be executed. */
bool amdgpu_is_refused(amdgpu_handler run);

/* For what looks at code that no wave may have come to. The op that a wave comes to at op, the one
 * on the next page where op is the end of one, decoded; and the op that a branch goes to, which
 * need not be decoded. NULL: there is none in the same memory. */
const struct amdgpu_op *amdgpu_ahead(const struct amdgpu_op *op);
const struct amdgpu_op *amdgpu_ahead_target(const struct amdgpu_op *op);

/* The page that holds an op. */
static inline struct amdgpu_page *amdgpu_page_of(const struct amdgpu_op *op)
{
    uintptr_t first = (uintptr_t)op - op->offset / 4 * sizeof *op;
    return (struct amdgpu_page *)(first - offsetof(struct amdgpu_page, ops));
}

/* Whether the op that is words away from op is on the same page. */
static inline bool amdgpu_is_near(const struct amdgpu_op *op, int64_t words)
{
    int64_t index = (int64_t)(op->offset / 4) + words;
    return index >= 0 && index < AMDGPU_PAGE_WORDS;
}

/* Executes ops from op on with indexed registers, until MODE.gpr_idx_en is off; may pause. */
const struct amdgpu_op *amdgpu_run_indexed(struct amdgpu_wave *wave, const struct amdgpu_op *op);

static inline void amdgpu_set_length(struct amdgpu_op *op, unsigned length)
{
    op->length = (unsigned char)length;
    op->step = (unsigned short)(length / 4 * sizeof *op);
}

/* ---- scalar instructions: amdgpu_scalar.c and what it delegates --------------------------- */

/* The destination of results that are discarded: trap registers, which no kernel reads. */
enum { AMDGPU_DISCARDED = 122 };
/* False: the operand does not have size bytes. */
bool amdgpu_emit_source(const struct amdgpu_operand *operand, unsigned size,
                        struct amdgpu_source *out_source);
bool amdgpu_emit_destination(const struct amdgpu_operand *operand, unsigned size,
                             struct amdgpu_op *op);
/* As amdgpu_emit_scalar, for rows with side effects. */
bool amdgpu_emit_control(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
/* The same for instructions that access hardware registers, such as s_getreg and s_setreg
 * (amdgpu_hwreg.c). */
bool amdgpu_emit_hwreg(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
enum { AMDGPU_TRAP_ABORT = 2, AMDGPU_TRAP_DEBUG = 3 }; /* operands of s_trap */
enum { AMDGPU_MODE_GPR_INDEXING = 1 << 27 };           /* gfx9 */

/* ---- amdgpu_wave.c ---------------------------------------------------------------------- */

enum sim_wave amdgpu_wave_run(struct amdgpu_wave *wave, unsigned budget);

/* ---- amdgpu_trap.c ---------------------------------------------------------------------- */

/* Whether there is a trap handler, and the wave is not in it already; and whether it handles
 * end. */
bool amdgpu_trap_has_handler(const struct amdgpu_wave *wave);
bool amdgpu_trap_is_taken(const struct amdgpu_wave *wave, const struct amdgpu_end *end);
/* The wave continues in the handler; address: of the instruction that trapped. Returns NULL. */
const struct amdgpu_op *amdgpu_trap_enter(struct amdgpu_wave *wave, uint64_t address,
                                          const struct amdgpu_end *end);
/* The handler sends an interrupt; and returns to target. */
void amdgpu_trap_interrupt(struct amdgpu_wave *wave, uint32_t message);
const struct amdgpu_op *amdgpu_trap_leave(struct amdgpu_wave *wave, uint64_t target);
uint32_t amdgpu_status(const struct amdgpu_wave *wave); /* HW_REG_STATUS */

/* ---- amdgpu_dispatch.c ------------------------------------------------------------------ */

/* Work-items of a block in each dimension; blocks at the grid's end may be smaller. */
void amdgpu_block_size(const struct amdgpu_block *block, uint32_t out_size[3]);

/* ---- resources of a work-group ------------------------------------------------------------- */

/* Allocates a block's scratch, and releases it. NULL: out of memory. */
struct sim_memory *amdgpu_scratch_pool_acquire(struct amdgpu_scratch_pool *pool, int device,
                                               size_t size);
void amdgpu_scratch_pool_release(struct amdgpu_scratch_pool *pool,
                                 struct sim_memory *memory); /* memory may be NULL */

/* Acquires a part of a dispatch's scratch ring for a group, and releases it. False: all are in
 * use. */
bool amdgpu_scratch_ring_acquire(struct amdgpu_dispatch *dispatch, unsigned *out_group);
void amdgpu_scratch_ring_release(struct amdgpu_dispatch *dispatch, unsigned group);

/* Whether waves have arrived at a barrier of global wave sync that other waves have not reached
 * (amdgpu_gws.c). */
bool amdgpu_gws_is_pending(struct amdgpu_dispatch *dispatch);

/* The checks of s_waitcnt (amdgpu_waits.c), for all waves of a block. NULL: out of memory. */
struct amdgpu_waits *amdgpu_waits_create(unsigned waves);
void amdgpu_waits_begin(struct amdgpu_waits *waits, unsigned waves); /* accepts NULL */
struct amdgpu_waits *amdgpu_waits_of(struct amdgpu_waits *waits, unsigned wave);
/* Called before op, which is decoded, is executed. False: op uses a register whose load the wave has not waited for,
 * which was reported. */
bool amdgpu_waits_check(struct amdgpu_wave *wave, const struct amdgpu_op *op);

/* ---- amdgpu_profile.c: where launches are profiled ---------------------------------------- */

/* Counts op, which is decoded, and which the wave is about to execute. */
void amdgpu_profile_count(struct amdgpu_wave *wave, const struct amdgpu_op *op);
/* Executes op, which is decoded, and counts it. */
const struct amdgpu_op *amdgpu_profile_run(struct amdgpu_wave *wave, const struct amdgpu_op *op);
/* A dispatch that is profiled begins. */
struct sim_profile_launch *amdgpu_profile_begin(const struct amdgpu_dispatch *dispatch);

/* ---- amdgpu_report.c ---------------------------------------------------------------------- */

/* Reports that no wave of the block can continue. */
void amdgpu_report_stuck(struct amdgpu_block *block);
/* For reports on dispatches in progress: what a dispatch is, and where a wave is. */
void amdgpu_report_dispatch(const struct amdgpu_dispatch *dispatch, struct sim_report *text);
void amdgpu_report_place(const struct amdgpu_wave *wave, struct sim_report *text);
/* Logs, at the level of all detail, how many instructions a wave that has ended has executed. */
void amdgpu_report_end(const struct amdgpu_wave *wave);
/* Reports that groups wait for other groups, some of which have ended. */
void amdgpu_report_grid(struct amdgpu_dispatch *dispatch, uint64_t ended);
/* Logs why a dispatch cannot start, and sets *out_end. Returns false. */
bool amdgpu_reject_dispatch(const struct amdgpu_dispatch *dispatch, enum amdgpu_end_kind kind,
                            uint64_t address, struct amdgpu_end *out_end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
