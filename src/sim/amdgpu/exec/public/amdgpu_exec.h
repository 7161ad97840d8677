/* The interface of exec, which executes kernels: waves, work-groups, ops, and what handlers of
 * instructions need of them.
 *
 * exec owns dispatches while they run (amdgpu.h), decoded code, scalar instructions and control
 * flow, trap handlers, the checks of waits, and the reports of kernels that fail. Handlers of
 * vector and memory instructions belong to alu and memory, which are above: exec knows them only as
 * the emitters that amdgpu_exec_start is given. It uses isa, device and code.
 *
 * Code is decoded when it is first executed, one op for each instruction, in pages of ops
 * (amdgpu_page.c); afterwards a wave runs from op to op. Which file handles a row:
 *   exec/amdgpu_scalar.c, amdgpu_control.c   SOP1, SOP2, SOPK, SOPC, SOPP
 *   alu/amdgpu_valu*.c, amdgpu_matrix.c      VOP1, VOP2, VOPC, VOP3, VOP3P, VOPD
 *   alu/amdgpu_lanes.c                       DPP, v_readlane and similar instructions
 *   memory/amdgpu_memory.c and others        SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MIMG, atomics
 * Each group has an emit function, which fills in an op or refuses the instruction.
 *
 * Threads: a work-group with its waves belongs to the one thread that runs it at the time
 * (sim_run.h), and handlers take no lock. The pages of ops are shared by all threads: finding one
 * takes no lock, and decoding takes that of amdgpu_page.c. */
#ifndef AMDGPU_EXEC_H
#define AMDGPU_EXEC_H

#include "amdgpu.h"
#include "amdgpu_inst.h"
#include "sim_memory.h"
#include "sim_run.h"

struct amdgpu_wave;
struct amdgpu_op;

/* Executes op and returns the next one, or NULL when the wave's turn ends. */
typedef const struct amdgpu_op *(*amdgpu_handler)(struct amdgpu_wave *wave,
                                                  const struct amdgpu_op *op);

/* A source of a vector instruction: a register of each lane, or one value for all lanes. */
struct amdgpu_source {
    unsigned char kind;  /* enum amdgpu_operand_kind */
    unsigned char count; /* registers */
    unsigned short reg;
    uint64_t value;
};

/* A decoded instruction that is ready to run. It is part of a page of ops and never moves. */
struct amdgpu_op {
    amdgpu_handler run; /* published last */
    uint32_t offset;    /* bytes from the start of the page; may be read before run is published */
    unsigned char length; /* bytes */
    unsigned char count;  /* registers of the destination */
    unsigned short dst, dst1;
    unsigned short step; /* bytes from here to the op of the next instruction */
    uint32_t bits;       /* specific to the group */
    const void *effect;  /* specific to the group: a function over lanes, or a row */
    struct amdgpu_source src[3];
    union {
        uint64_t imm;
        int64_t offset_bytes;
    };
    struct amdgpu_inst *inst; /* the whole instruction, for rare cases and for reports */
    void *site;               /* of jit: compiled code may be entered here; NULL: not */
};

static inline const struct amdgpu_op *amdgpu_next(const struct amdgpu_op *op)
{
    /* Ops are at the index of their word; a page ends in ops that continue on the following
     * page. */
    return (const struct amdgpu_op *)(const void *)((const char *)op + op->step);
}

/* ---- waves ------------------------------------------------------------------------- */

enum { AMDGPU_LANES_MAX = 64, AMDGPU_SREGS = 128 };

/* Indices in amdgpu_wave.s of scalar registers. M0 is there too, at the index that its family's
 * encoding gives it: use amdgpu_wave.m0. */
enum { AMDGPU_VCC = 106, AMDGPU_EXEC = 126 };

/* The state of a wave; the scheduler sees enum sim_wave. */
enum amdgpu_state { AMDGPU_RUNS, AMDGPU_AT_BARRIER, AMDGPU_ENDED, AMDGPU_FAILED, AMDGPU_HALTED };

struct amdgpu_wave {
    _Alignas(64) uint32_t s[AMDGPU_SREGS]; /* SGPRs; VCC, M0 and EXEC under their numbers */
    uint32_t *v;    /* VGPRs, then AGPRs: register r of lane l is v[r * lanes + l] */
    unsigned lanes; /* 64 or 32 */
    unsigned vgprs; /* allocated; registers from vgprs on do not exist */
    unsigned agprs; /* AGPR n is register vgprs + n */
    unsigned m0;    /* index of M0 in s */
    uint32_t scc;   /* 0 or 1 */
    uint32_t mode;  /* as HW_REG_MODE: rounding and denormals in its low byte */
    int left;       /* ops until the turn ends; at most 0: now */
    enum amdgpu_state state;
    const struct amdgpu_op *next;   /* the op to continue with */
    const struct amdgpu_page *page; /* the page of next */
    struct amdgpu_block *block;
    unsigned number;     /* in its block */
    enum sim_wave pause; /* READY, or how the turn ends: RESTS, SPINS */
    uint64_t steps;
    uint32_t flat_scratch[2], traps; /* HW_REG_FLAT_SCR_LO and _HI; HW_REG_TRAPSTS */
    bool indexing;                   /* amdgpu_run_indexed is running */
    uint64_t gws_turn; /* 0, or the turn of a barrier that it waits for, plus 1 (amdgpu_gws.c) */
    bool privileged, halts;     /* it is in its trap handler; it halts when the handler returns */
    struct amdgpu_end trapped;  /* why it entered the handler */
    uint64_t trapped_at;        /* the address of the instruction that trapped */
    struct amdgpu_waits *waits; /* NULL: waits are not checked */
    struct sim_profile_counts *counts; /* the block's; NULL: launches are not profiled */
    bool watched;                      /* one of these two: each instruction is looked at */
    /* The last backward branch that was taken, and the one at the end of the turn before. */
    const struct amdgpu_op *loop, *old_loop;
    bool compiled;  /* it executes a compiled region */
    uint32_t entry; /* at which it has entered that */
    /* For jit: of steps, those that it knows of. The unit whose code it left because its lanes
     * parted, and what left was then; NULL: none. */
    uint64_t charged;
    unsigned partings; /* how often live was computed for some of the lanes */
    void *parted;
    int parted_left;
    /* The live lanes, as 0 or ~0 per lane, for the EXEC in live_for. */
    uint64_t live_for;
    _Alignas(64) uint32_t live[AMDGPU_LANES_MAX];
};

static inline uint64_t amdgpu_all_lanes(const struct amdgpu_wave *wave)
{
    return wave->lanes == 64 ? UINT64_MAX : UINT32_MAX;
}
/* The live lanes. In waves of 32, EXEC_HI is an ordinary register. */
static inline uint64_t amdgpu_exec_of(const struct amdgpu_wave *wave, unsigned lanes)
{
    uint64_t upper = lanes == 64 ? wave->s[AMDGPU_EXEC + 1] : 0;
    return wave->s[AMDGPU_EXEC] | upper << 32;
}
static inline uint64_t amdgpu_exec(const struct amdgpu_wave *wave)
{
    return amdgpu_exec_of(wave, wave->lanes);
}
/* Returns wave->live, computed again if EXEC has changed. */
const uint32_t *amdgpu_live(struct amdgpu_wave *wave);

/* A 64-bit scalar (or a mask, in waves of 32 a register) by number. */
static inline uint64_t amdgpu_s64(const struct amdgpu_wave *wave, unsigned reg)
{
    return wave->s[reg] | (uint64_t)wave->s[reg + 1] << 32;
}
static inline void amdgpu_set_s64(struct amdgpu_wave *wave, unsigned reg, uint64_t value)
{
    wave->s[reg] = (uint32_t)value;
    wave->s[reg + 1] = (uint32_t)(value >> 32);
}
static inline uint64_t amdgpu_mask(const struct amdgpu_wave *wave, unsigned reg)
{
    return wave->lanes == 64 ? amdgpu_s64(wave, reg) : wave->s[reg];
}
static inline void amdgpu_set_mask(struct amdgpu_wave *wave, unsigned reg, uint64_t value)
{
    wave->s[reg] = (uint32_t)value;
    if (wave->lanes == 64)
        wave->s[reg + 1] = (uint32_t)(value >> 32);
}

/* A scalar source of any kind, 64 bits of it; the second in line. */
uint64_t amdgpu_scalar(const struct amdgpu_wave *wave, const struct amdgpu_source *source);
static inline uint64_t amdgpu_read_scalar(const struct amdgpu_wave *wave,
                                          const struct amdgpu_source *source)
{
    switch (source->kind) {
    case AMDGPU_SREG:
        return source->count > 1 ? amdgpu_s64(wave, source->reg) : wave->s[source->reg];
    case AMDGPU_SCC:
        return wave->scc;
    case AMDGPU_VCCZ:
        return amdgpu_mask(wave, AMDGPU_VCC) == 0;
    case AMDGPU_EXECZ:
        return amdgpu_exec(wave) == 0;
    default:
        return source->value;
    }
}
/* Fills in a source from an operand; apertures become constants, and NONE and NULL are kept. False:
 * no instruction can have such an operand. */
bool amdgpu_source_of(const struct amdgpu_operand *operand, struct amdgpu_source *out_source);
/* The index in wave->v of the first lane of VGPR or AGPR reg (AGPRs: 256 and up). */
static inline uint32_t *amdgpu_v(const struct amdgpu_wave *wave, unsigned reg)
{
    unsigned index = reg < 256 ? reg : wave->vgprs + (reg - 256);
    return wave->v + (size_t)index * wave->lanes;
}

/* ---- blocks --------------------------------------------------------------------------- */

struct amdgpu_block { /* the state of a resident work-group */
    struct sim_block *block;
    struct amdgpu_dispatch *dispatch;
    unsigned char *lds; /* lds_size bytes, with the contents that the group before left */
    size_t lds_size;
    /* wave_scratch bytes for each wave, one after the other; in them scratch_size bytes for each
     * lane, scratch_stride apart. Kernels address them scratch_first bytes after
     * scratch_address. */
    unsigned char *scratch;
    size_t scratch_size, scratch_stride, wave_scratch;
    uint64_t scratch_address, scratch_first;
    struct sim_memory *scratch_memory;   /* NULL: no scratch, or the ring's */
    unsigned scratch_part;               /* the part of the ring that it uses, plus 1 */
    unsigned wave_count, arrived, ended; /* arrived: waves at the barrier */
    bool together;                       /* no wave has ended a turn but at a barrier or its end */
    struct amdgpu_wave *waves;           /* wave_count */
    const struct amdgpu_op *first;       /* of the kernel; NULL: no wave has begun yet */
    const struct amdgpu_page *page;      /* in which that is */
    struct amdgpu_checks *checks;        /* NULL: accesses are not checked */
    struct amdgpu_waits *waits;          /* of each wave, or NULL */
    struct sim_profile_counts *counts;   /* NULL: launches are not profiled */
    /* The initial v0 to v2 of each wave in turn, for a block of items_of work-items. */
    uint32_t *items;
    uint32_t items_of[3];
    uint32_t sgprs[AMDGPU_SREGS]; /* that its waves begin with */
};

/* The index of a lane's work-item in its group. */
static inline unsigned amdgpu_item(const struct amdgpu_wave *wave, unsigned lane)
{
    return wave->number * wave->lanes + lane;
}
static inline unsigned char *amdgpu_scratch(const struct amdgpu_wave *wave, unsigned lane)
{
    const struct amdgpu_block *block = wave->block;
    return block->scratch + wave->number * block->wave_scratch + lane * block->scratch_stride;
}

/* ---- control flow and faults --------------------------------------------------------------- */

/* The address of an op that wave executes. */
uint64_t amdgpu_address(const struct amdgpu_wave *wave, const struct amdgpu_op *op);
/* The value of s_memtime: cycles of the device. */
uint64_t amdgpu_cycles(const struct amdgpu_wave *wave);
/* Ends the wave's turn; the wave continues at next. pause: READY, RESTS or SPINS. */
const struct amdgpu_op *amdgpu_pause(struct amdgpu_wave *wave, const struct amdgpu_op *next,
                                     enum sim_wave pause);

/* Reports a fault of the wave at op (NULL: between ops) and ends the launch. Returns NULL, for
 * handlers to return. lane: the one that caused it, -1: all. */
enum amdgpu_whose { AMDGPU_OF_DEVICE, AMDGPU_OF_BLOCK, AMDGPU_OF_THREAD }; /* memory */
struct amdgpu_fault {
    enum amdgpu_end_kind kind;
    const char *what; /* "reads 4 bytes of global memory"; the report appends the address */
    bool has_address;
    uint64_t address;        /* AMDGPU_END_TRAP: the trap's number */
    enum amdgpu_whose whose; /* but of the device, the address is an offset of its memory */
    int lane;
    /* Of a race: the access before, by code at this address (0: there was none), of a thread. */
    uint64_t other;
    unsigned other_thread;
    bool other_wrote;
};
const struct amdgpu_op *amdgpu_fail(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                    const struct amdgpu_fault *fault);

/* ---- checks ------------------------------------------------------------------------------- */

/* The shadow of a work-group's LDS and scratch, by which SIM_CHECK_* finds reads of uninitialised
 * memory and races (amdgpu_shadow.c); it is a struct sim_shadow. */
bool amdgpu_checks_on(void);
/* NULL: no memory. block: wave_count, lds_size, scratch_size and scratch_stride are set. */
struct amdgpu_checks *amdgpu_checks_create(const struct amdgpu_block *block);
void amdgpu_checks_destroy(struct amdgpu_checks *checks); /* accepts NULL */
/* A group begins: nothing is written yet. Accepts NULL, as does the next. */
void amdgpu_checks_begin(struct amdgpu_checks *checks);
/* All waves have arrived at a barrier; their later accesses are ordered after it. */
void amdgpu_checks_barrier(struct amdgpu_checks *checks);

/* ---- emitters ------------------------------------------------------------------------------ */

/* An emitter fills in run, effect, dst, src, bits and imm of an op whose other fields are set. It
 * returns false when the row is not simulated; the op then stops the kernel, and the report has the
 * instruction's text. Registers were checked before: the wave has the VGPRs and AGPRs that the
 * instruction names, whichever wave it is (handlers that index registers by M0 check the result).
 * op is a temporary copy of the op that will run, so no emitter may keep its address; inst is
 * permanent. While s_set_gpr_idx_on is in effect, an instruction is emitted each time that it is
 * executed, with other registers. */
typedef bool (*amdgpu_emitter)(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                               struct amdgpu_op *op);
/* The emitters of the rooms above exec, and what compiles frequent code (amdgpu_jit.h). */
struct amdgpu_emitters {
    amdgpu_emitter vector, memory;
    bool (*matrix)(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
    /* Called when a wave begins, at its first op, when its turn has ended within code, and when it
     * has ended. NULL: nothing is compiled. */
    void (*begin)(struct amdgpu_wave *wave);
    void (*turn)(struct amdgpu_wave *wave);
    void (*end)(struct amdgpu_wave *wave);
    /* Frees the sites of a page's ops, which has some (amdgpu_page.has_sites), when nothing
     * executes it any more. */
    void (*free)(struct amdgpu_page *page);
};
bool amdgpu_emit_scalar(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                        struct amdgpu_op *op);
/* Global wave sync, which is encoded as a memory instruction (DS). */
bool amdgpu_emit_gws(const struct amdgpu_inst *inst, struct amdgpu_op *op);

/* amdgpu_dispatch_start, with the emitters of what exec does not handle; they must be the same for
 * every dispatch. */
bool amdgpu_exec_start(struct amdgpu_dispatch *dispatch, const struct amdgpu_emitters *emitters,
                       struct amdgpu_end *out_end);

#endif
