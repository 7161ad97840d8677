/* Runs a wave from op to op, and implements the services that handlers call. */
#include "amdgpu_wave.h"

#include <string.h>

/* ---- EXEC -------------------------------------------------------------------------------- */

typedef int32_t four_lanes __attribute__((vector_size(16)));

const uint32_t *amdgpu_live(struct amdgpu_wave *wave)
{
    uint64_t exec = amdgpu_exec(wave);
    if (exec == wave->live_for)
        return wave->live;
    four_lanes *live = (four_lanes *)(void *)wave->live;
    for (unsigned i = 0; i < AMDGPU_LANES_MAX / 4; i++) {
        int32_t part = (int32_t)(exec >> (4 * i) & 15);
        four_lanes bits = {part & 1, part & 2, part & 4, part & 8};
        live[i] = bits != 0;
    }
    wave->live_for = exec;
    wave->partings += exec && exec != amdgpu_all_lanes(wave);
    return wave->live;
}

/* ---- scalar sources ------------------------------------------------------------------------ */

uint64_t amdgpu_scalar(const struct amdgpu_wave *wave, const struct amdgpu_source *source)
{
    return amdgpu_read_scalar(wave, source);
}

/* An aperture: the whole address, or its upper half. */
static uint64_t aperture(uint64_t address, unsigned count)
{
    return count > 1 ? address : address >> 32;
}

bool amdgpu_source_of(const struct amdgpu_operand *operand, struct amdgpu_source *out_source)
{
    unsigned count = operand->count;
    *out_source = (struct amdgpu_source){.kind = AMDGPU_CONST, .count = operand->count};
    switch (operand->kind) {
    case AMDGPU_SREG:
        out_source->kind = AMDGPU_SREG;
        out_source->reg = operand->reg;
        return operand->reg + count <= AMDGPU_SREGS;
    case AMDGPU_NONE:
    case AMDGPU_NULL:
    case AMDGPU_VREG:
    case AMDGPU_SCC:
    case AMDGPU_VCCZ:
    case AMDGPU_EXECZ:
        out_source->kind = operand->kind;
        out_source->reg = operand->reg;
        return true;
    case AMDGPU_CONST:
        out_source->value = operand->value;
        return true;
    case AMDGPU_SHARED_BASE:
        out_source->value = aperture(SIM_SHARED_WINDOW, count);
        return true;
    case AMDGPU_SHARED_LIMIT:
        out_source->value = aperture(SIM_SHARED_WINDOW + SIM_WINDOW_SIZE - 1, count);
        return true;
    case AMDGPU_PRIVATE_BASE:
        out_source->value = aperture(SIM_LOCAL_WINDOW, count);
        return true;
    case AMDGPU_PRIVATE_LIMIT:
        out_source->value = aperture(SIM_LOCAL_WINDOW + SIM_WINDOW_SIZE - 1, count);
        return true;
    default:
        return false;
    }
}

/* ---- addresses and clocks ------------------------------------------------------------------- */

uint64_t amdgpu_address(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return wave->page->address + op->offset;
}

uint64_t amdgpu_cycles(const struct amdgpu_wave *wave)
{
    return amdgpu_clock() * wave->block->dispatch->device->model.clock_mhz / 100;
}

const struct amdgpu_op *amdgpu_pause(struct amdgpu_wave *wave, const struct amdgpu_op *next,
                                     enum sim_wave pause)
{
    wave->next = next;
    wave->pause = pause;
    return NULL;
}

/* ---- detecting waits ---------------------------------------------------------------- */

enum { LOOP_WORDS = 96 }; /* of loops that may only wait */

static bool is_memory(const struct amdgpu_inst *inst)
{
    return inst->row->format >= AMDGPU_DS && inst->row->format <= AMDGPU_MTBUF;
}

/* A load that observes the writes of others, or an atomic whose result is used. */
static bool observes_memory(const struct amdgpu_inst *inst)
{
    bool loads = inst->dst[0].kind != AMDGPU_NONE && inst->dst[0].count > 0;
    bool coherent = inst->glc || inst->slc || inst->dlc || inst->scc;
    return is_memory(inst) && loads && (coherent || inst->row->flags & AMDGPU_ROW_ATOMIC);
}

/* Whether the wave is in a short loop that reads memory and writes none, as in the turn before: it
 * may be waiting for another wave. */
static bool may_be_waiting(struct amdgpu_wave *wave)
{
    const struct amdgpu_op *loop = wave->loop, *old = wave->old_loop;
    wave->old_loop = loop;
    if (!loop || loop != old || !loop->bits || loop->offset_bytes < -LOOP_WORDS)
        return false;
    bool found = false;
    const struct amdgpu_op *next;
    for (const struct amdgpu_op *op = loop + loop->offset_bytes; op < loop; op = next) {
        bool known = amdgpu_is_decoded(op) && op->inst;
        next = known ? amdgpu_next(op) : op + 1;
        if (!known || !is_memory(op->inst))
            continue;
        if (op->inst->row->flags & AMDGPU_ROW_STORE)
            return false;
        found |= observes_memory(op->inst);
    }
    return found;
}

/* ---- running ----------------------------------------------------------------------- */

static enum sim_wave outcome(const struct amdgpu_wave *wave)
{
    switch (wave->state) {
    case AMDGPU_RUNS:
        return wave->pause;
    case AMDGPU_AT_BARRIER:
    case AMDGPU_HALTED:
        return SIM_WAVE_WAITS;
    case AMDGPU_ENDED:
        return SIM_WAVE_ENDED;
    default:
        return SIM_WAVE_FAILED;
    }
}

/* Separate from the usual loop, which checks and counts would slow down. */
__attribute__((noinline, cold)) static const struct amdgpu_op *
run_watched(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    for (; op && wave->left > 0; --wave->left) {
        op = amdgpu_decoded(wave, op);
        if (!op || (wave->waits && !amdgpu_waits_check(wave, op)))
            op = NULL;
        else if (wave->counts)
            op = amdgpu_profile_run(wave, op);
        else
            op = __atomic_load_n(&op->run, __ATOMIC_ACQUIRE)(wave, op);
    }
    return op;
}

enum sim_wave amdgpu_wave_run(struct amdgpu_wave *wave, unsigned budget)
{
    if (wave->state != AMDGPU_RUNS)
        return outcome(wave);
    if (sim_run_cancelled(&wave->block->dispatch->launch))
        return SIM_WAVE_READY;
    const struct amdgpu_op *op = wave->next;
    wave->left = (int)budget;
    wave->pause = SIM_WAVE_READY;
    if (wave->mode & AMDGPU_MODE_GPR_INDEXING)
        op = amdgpu_run_indexed(wave, op);
    if (__builtin_expect(wave->watched, 0))
        op = run_watched(wave, op);
    for (; op && wave->left > 0; wave->left--)
        op = __atomic_load_n(&op->run, __ATOMIC_ACQUIRE)(wave, op);
    if (op) {
        wave->next = op;
        wave->pause = may_be_waiting(wave) ? SIM_WAVE_SPINS : SIM_WAVE_READY;
    }
    wave->steps += budget - (unsigned)wave->left;
    const struct amdgpu_emitters *emitters = wave->block->dispatch->shape->emitters;
    if (op && emitters->turn)
        emitters->turn(wave);
    else if (wave->state == AMDGPU_ENDED && emitters->end)
        emitters->end(wave);
    return outcome(wave);
}
