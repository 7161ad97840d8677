/* Control flow: branches, calls, the end of a wave, barriers, messages and traps, and instructions
 * that index registers by M0. */
#include "amdgpu_wave.h"

#include "log.h"

/* ---- messages ------------------------------------------------------------------------------ */

enum {
    MSG_INTERRUPT = 1,
    MSG_DEALLOC_VGPRS = 3,
    MSG_GET_DOORBELL = 10, /* gfx10 and older: the result is in EXEC */
    MSG_RTN_GET_DOORBELL = 128,
    MSG_RTN_GET_REALTIME = 131,
};

static void (*_Atomic on_interrupt)(uint32_t);

void amdgpu_on_interrupt(void (*interrupt)(uint32_t))
{
    atomic_store(&on_interrupt, interrupt);
}

static void send(struct amdgpu_wave *wave, unsigned message)
{
    void (*interrupt)(uint32_t) = atomic_load(&on_interrupt);
    if (message == MSG_GET_DOORBELL)
        amdgpu_set_s64(wave, AMDGPU_EXEC, wave->block->dispatch->doorbell);
    else if (message == MSG_INTERRUPT && wave->privileged)
        amdgpu_trap_interrupt(wave, wave->s[wave->m0]);
    else if (message == MSG_INTERRUPT && interrupt)
        interrupt(0);
}

/* ---- branches -------------------------------------------------------------------------------- */

static inline const struct amdgpu_op *jump(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    if (op->offset_bytes < 0)
        wave->loop = op;
    return __builtin_expect(op->bits, 1) ? op + op->offset_bytes : amdgpu_jump_far(wave, op);
}

#define HANDLER(id)                                                                                \
    static const struct amdgpu_op *exec_##id(struct amdgpu_wave *wave, const struct amdgpu_op *op)
#define BRANCH(id, condition)                                                                      \
    HANDLER(id)                                                                                    \
    {                                                                                              \
        return (condition) ? jump(wave, op) : amdgpu_next(op);                                     \
    }
#define NOTHING(id)
#define CONTROL(id, prepare)
#include "amdgpu_control.def"
#undef BRANCH
#undef CONTROL

static uint64_t after(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return amdgpu_address(wave, op) + op->length;
}

HANDLER(S_GETPC_B64)
{
    amdgpu_set_s64(wave, op->dst, after(wave, op));
    return amdgpu_next(op);
}

HANDLER(S_SETPC_B64)
{
    return amdgpu_goto(wave, amdgpu_scalar(wave, &op->src[0]));
}

HANDLER(S_SWAPPC_B64)
{
    uint64_t target = amdgpu_scalar(wave, &op->src[0]);
    amdgpu_set_s64(wave, op->dst, after(wave, op));
    return amdgpu_goto(wave, target);
}

HANDLER(S_CALL_B64)
{
    amdgpu_set_s64(wave, op->dst, after(wave, op));
    return jump(wave, op);
}

/* ---- waves of a block -------------------------------------------------------------- */

/* All waves that have not ended are at the barrier. */
static void open_barrier(struct amdgpu_block *block)
{
    block->arrived = 0;
    for (unsigned i = 0; i < block->wave_count; i++)
        if (block->waves[i].state == AMDGPU_AT_BARRIER) {
            block->waves[i].state = AMDGPU_RUNS;
            block->block->waves[i] = SIM_WAVE_READY;
        }
    amdgpu_checks_barrier(block->checks);
}

HANDLER(S_BARRIER)
{
    struct amdgpu_block *block = wave->block;
    if (block->arrived + 1 == block->wave_count - block->ended) {
        open_barrier(block);
        return amdgpu_next(op);
    }
    block->arrived++;
    wave->state = AMDGPU_AT_BARRIER;
    wave->next = amdgpu_next(op);
    return NULL;
}

HANDLER(S_ENDPGM)
{
    struct amdgpu_block *block = wave->block;
    (void)op;
    wave->state = AMDGPU_ENDED;
    block->ended++;
    if (block->arrived && block->arrived == block->wave_count - block->ended)
        open_barrier(block);
    return NULL;
}

HANDLER(S_SLEEP)
{
    return amdgpu_pause(wave, amdgpu_next(op), SIM_WAVE_RESTS);
}

/* The wave halts for good, since nothing could resume it. A trap handler runs to its end first. */
static const struct amdgpu_op *halt(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    if (wave->privileged) {
        wave->halts = true;
        return amdgpu_next(op);
    }
    wave->state = AMDGPU_HALTED;
    wave->next = amdgpu_next(op);
    return NULL;
}

HANDLER(S_SETHALT)
{
    return op->imm & 1 ? halt(wave, op) : amdgpu_next(op);
}

HANDLER(S_SENDMSG)
{
    send(wave, (unsigned)op->imm);
    return amdgpu_next(op);
}

HANDLER(S_SENDMSGHALT)
{
    send(wave, (unsigned)op->imm);
    return halt(wave, op);
}

static uint64_t answer(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return op->imm == MSG_RTN_GET_DOORBELL ? wave->block->dispatch->doorbell : amdgpu_clock();
}

HANDLER(S_SENDMSG_RTN_B32)
{
    wave->s[op->dst] = (uint32_t)answer(wave, op);
    return amdgpu_next(op);
}

HANDLER(S_SENDMSG_RTN_B64)
{
    amdgpu_set_s64(wave, op->dst, answer(wave, op));
    return amdgpu_next(op);
}

/* Without a handler a breakpoint does nothing, as with AMD's handler. */
HANDLER(S_TRAP)
{
    unsigned number = op->imm & 0xff;
    if (number == AMDGPU_TRAP_DEBUG && !amdgpu_trap_has_handler(wave))
        return amdgpu_next(op);
    return amdgpu_fail(
        wave, op,
        &(struct amdgpu_fault){.kind = AMDGPU_END_TRAP,
                               .what = number == AMDGPU_TRAP_ABORT ? "aborts (trap 2)" : "traps",
                               .address = number,
                               .lane = -1});
}

HANDLER(S_RFE_B64)
{
    if (wave->privileged)
        return amdgpu_trap_leave(wave, amdgpu_scalar(wave, &op->src[0]));
    return amdgpu_fail(wave, op,
                       &(struct amdgpu_fault){.kind = AMDGPU_END_INSTRUCTION,
                                              .what = "returns from a trap handler outside of one,",
                                              .lane = -1});
}

HANDLER(S_CODE_END)
{
    return amdgpu_fail(wave, op,
                       &(struct amdgpu_fault){.kind = AMDGPU_END_INSTRUCTION,
                                              .what = "runs past the end of its code",
                                              .lane = -1});
}

/* ---- registers indexed by M0 ------------------------------------------------------- */

/* As in hardware: a source that does not exist reads s0, and such a destination is not written. */
static unsigned source_at(const struct amdgpu_op *op, unsigned by)
{
    unsigned reg = op->src[0].reg + by;
    return reg + op->count <= AMDGPU_VCC + 2 ? reg : 0;
}

static unsigned destination_at(const struct amdgpu_op *op, unsigned by)
{
    unsigned reg = op->dst + by;
    return reg + op->count <= AMDGPU_VCC + 2 ? reg : AMDGPU_DISCARDED;
}

static unsigned limited(uint32_t index)
{
    return index < AMDGPU_SREGS ? index : AMDGPU_SREGS;
}

HANDLER(S_MOVRELS_B32)
{
    wave->s[op->dst] = wave->s[source_at(op, limited(wave->s[wave->m0]))];
    return amdgpu_next(op);
}

HANDLER(S_MOVRELS_B64)
{
    unsigned from = source_at(op, limited(wave->s[wave->m0]));
    amdgpu_set_s64(wave, op->dst, amdgpu_s64(wave, from));
    return amdgpu_next(op);
}

HANDLER(S_MOVRELD_B32)
{
    unsigned to = destination_at(op, limited(wave->s[wave->m0]));
    wave->s[to] = (uint32_t)amdgpu_scalar(wave, &op->src[0]);
    return amdgpu_next(op);
}

HANDLER(S_MOVRELD_B64)
{
    unsigned to = destination_at(op, limited(wave->s[wave->m0]));
    amdgpu_set_s64(wave, to, amdgpu_scalar(wave, &op->src[0]));
    return amdgpu_next(op);
}

HANDLER(S_MOVRELSD_2_B32)
{
    uint32_t m0 = wave->s[wave->m0];
    unsigned to = destination_at(op, limited(m0 >> 16 & 0x3ff));
    wave->s[to] = wave->s[source_at(op, limited(m0 & 0x3ff))];
    return amdgpu_next(op);
}

/* ---- vector registers indexed by M0: gfx9 ------------------------------------------ */

enum { INDEX = 0xff, INDEXED = 0xf000 }; /* in M0 */

static void set_m0(struct amdgpu_wave *wave, uint32_t mask, uint32_t value)
{
    uint32_t *m0 = &wave->s[wave->m0];
    *m0 = (*m0 & ~mask) | (value & mask);
}

HANDLER(S_SET_GPR_IDX_ON)
{
    set_m0(wave, INDEX, (uint32_t)amdgpu_scalar(wave, &op->src[0]));
    set_m0(wave, INDEXED, (uint32_t)op->imm << 12);
    wave->mode |= AMDGPU_MODE_GPR_INDEXING;
    return amdgpu_run_indexed(wave, amdgpu_next(op));
}

HANDLER(S_SET_GPR_IDX_IDX)
{
    set_m0(wave, INDEX, (uint32_t)amdgpu_scalar(wave, &op->src[0]));
    return amdgpu_next(op);
}

HANDLER(S_SET_GPR_IDX_MODE)
{
    set_m0(wave, INDEXED, (uint32_t)op->imm << 12);
    return amdgpu_next(op);
}

HANDLER(S_SET_GPR_IDX_OFF)
{
    wave->mode &= ~(uint32_t)AMDGPU_MODE_GPR_INDEXING;
    return amdgpu_next(op);
}

HANDLER(nothing)
{
    (void)wave;
    return amdgpu_next(op);
}

/* ---- emission ---------------------------------------------------------------------- */

static bool prepare_nothing(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                            struct amdgpu_op *op)
{
    (void)isa;
    (void)inst;
    (void)op;
    return true;
}

static bool prepare_imm(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    (void)isa;
    op->imm = (uint16_t)inst->imm;
    return true;
}

static bool prepare_branch(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                           struct amdgpu_op *op)
{
    (void)isa;
    op->offset_bytes = 1 + (int64_t)inst->imm; /* in words */
    op->bits = amdgpu_is_near(op, op->offset_bytes);
    return true;
}

static bool prepare_message(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                            struct amdgpu_op *op)
{
    bool gfx11 = amdgpu_family_of(isa) == AMDGPU_GFX11;
    op->imm = (uint64_t)inst->imm & (gfx11 ? 0xff : 0xf);
    return op->imm == MSG_INTERRUPT ||
           op->imm == (gfx11 ? (uint64_t)MSG_DEALLOC_VGPRS : (uint64_t)MSG_GET_DOORBELL);
}

static bool prepare_address(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                            struct amdgpu_op *op)
{
    (void)isa;
    return amdgpu_emit_destination(&inst->dst[0], 8, op);
}

static bool prepare_answer(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                           struct amdgpu_op *op)
{
    unsigned size = inst->row->id == AMDGPU_ID_S_SENDMSG_RTN_B64 ? 8 : 4;
    (void)isa;
    op->imm = (uint64_t)inst->imm & 0xff;
    return (op->imm == MSG_RTN_GET_REALTIME || op->imm == MSG_RTN_GET_DOORBELL) &&
           amdgpu_emit_destination(&inst->dst[0], size, op);
}

static bool prepare_target(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                           struct amdgpu_op *op)
{
    (void)isa;
    return amdgpu_emit_source(&inst->src[0], 8, &op->src[0]);
}

static bool prepare_call(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    return prepare_target(isa, inst, op) && prepare_address(isa, inst, op);
}

static bool prepare_near_call(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                              struct amdgpu_op *op)
{
    return prepare_branch(isa, inst, op) && prepare_address(isa, inst, op);
}

static bool prepare_index(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    (void)isa;
    op->imm = (uint64_t)inst->imm & 15;
    return amdgpu_emit_source(&inst->src[0], 4, &op->src[0]);
}

static bool prepare_relative(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                             struct amdgpu_op *op)
{
    unsigned id = inst->row->id;
    bool from = id == AMDGPU_ID_S_MOVRELS_B32 || id == AMDGPU_ID_S_MOVRELS_B64 ||
                id == AMDGPU_ID_S_MOVRELSD_2_B32;
    unsigned size = id == AMDGPU_ID_S_MOVRELS_B64 || id == AMDGPU_ID_S_MOVRELD_B64 ? 8 : 4;
    (void)isa;
    op->count = (unsigned char)(size / 4);
    return amdgpu_emit_source(&inst->src[0], size, &op->src[0]) &&
           amdgpu_emit_destination(&inst->dst[0], size, op) &&
           (!from || op->src[0].kind == AMDGPU_SREG);
}

struct control_row {
    amdgpu_handler run;
    bool (*prepare)(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
};

static const struct control_row rows[] = {
#define BRANCH(id, condition) [AMDGPU_ID_##id] = {exec_##id, prepare_branch},
#undef NOTHING
#define NOTHING(id)          [AMDGPU_ID_##id] = {exec_nothing, prepare_nothing},
#define CONTROL(id, prepare) [AMDGPU_ID_##id] = {exec_##id, prepare_##prepare},
#include "amdgpu_control.def"
#undef BRANCH
#undef NOTHING
#undef CONTROL
#undef HANDLER
};

bool amdgpu_emit_control(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    unsigned id = inst->row->id;
    if (id >= sizeof rows / sizeof *rows || !rows[id].run)
        return false;
    op->run = rows[id].run;
    return rows[id].prepare(isa, inst, op);
}
