/* Global wave sync: barriers across all waves of a dispatch that use one, in any group. ROCm's
 * device library waits for a whole grid with it. Each dispatch has resources of its own, which
 * begin as if the runtime had initialised them for the number of waves that the first wave
 * gives. */
#include "amdgpu_wave.h"

#include <stdatomic.h>

/* The bits of a resource's state: how many waves have yet to arrive, whether that is known, and how
 * many times the barrier has completed. */
enum { KNOWN = 32, TURN = 33 };

static uint64_t state_of(uint64_t turn, uint32_t missing)
{
    return turn << TURN | UINT64_C(1) << KNOWN | missing;
}

static unsigned number_of(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return ((wave->s[wave->m0] >> 16) + (unsigned)op->offset_bytes) % AMDGPU_GWS_RESOURCES;
}

static _Atomic(uint64_t) *resource_of(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return &wave->block->dispatch->gws_states[number_of(wave, op)];
}

bool amdgpu_gws_is_pending(struct amdgpu_dispatch *dispatch)
{
    for (unsigned i = 0; i < AMDGPU_GWS_RESOURCES; i++) {
        uint64_t state = atomic_load(&dispatch->gws_states[i]);
        if (state >> KNOWN & 1 && (uint32_t)state < atomic_load(&dispatch->gws_counts[i]))
            return true;
    }
    return false;
}

/* The operand of the first live lane: how many waves take part besides one. */
static uint32_t others(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t exec = amdgpu_exec(wave);
    return amdgpu_v(wave, op->src[0].reg)[exec ? __builtin_ctzll(exec) : 0];
}

static const struct amdgpu_op *run_init(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    atomic_store(resource_of(wave, op), state_of(0, others(wave, op)));
    return amdgpu_next(op);
}

/* Whether the wave was the last to arrive; otherwise *out_turn is the turn that it waits for. */
static bool arrive(_Atomic(uint64_t) *resource, uint32_t count, uint64_t *out_turn)
{
    uint64_t old = atomic_load(resource), new;
    uint32_t missing;
    do {
        missing = old >> KNOWN & 1 ? (uint32_t)old : count;
        *out_turn = old >> TURN;
        new = missing ? state_of(*out_turn, missing - 1) : state_of(*out_turn + 1, count);
    } while (!atomic_compare_exchange_weak(resource, &old, new));
    return missing == 0;
}

/* Why so many waves can never arrive; NULL: they may. */
static const char *never(const struct amdgpu_dispatch *dispatch, uint32_t count)
{
    const uint32_t *grid = dispatch->launch.grid;
    uint64_t waves = (uint64_t)grid[0] * grid[1] * grid[2] * dispatch->launch.waves_per_block;
    if (!dispatch->cooperative)
        return "waits for other blocks, which are resident only in a cooperative launch,";
    return count < waves ? NULL : "waits for more waves than the grid has";
}

/* Runs again until all waves have arrived. */
static const struct amdgpu_op *run_barrier(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    _Atomic(uint64_t) *resource = resource_of(wave, op);
    uint64_t turn = wave->gws_turn - 1;
    if (wave->gws_turn == 0) {
        const char *why = never(wave->block->dispatch, others(wave, op));
        if (why)
            return amdgpu_fail(
                wave, op, &(struct amdgpu_fault){.kind = AMDGPU_END_HUNG, .what = why, .lane = -1});
        atomic_store(&wave->block->dispatch->gws_counts[number_of(wave, op)], others(wave, op));
        if (arrive(resource, others(wave, op), &turn))
            return amdgpu_next(op);
        wave->gws_turn = turn + 1;
    }
    if (atomic_load(resource) >> TURN == turn)
        return amdgpu_pause(wave, op, SIM_WAVE_RESTS);
    wave->gws_turn = 0;
    return amdgpu_next(op);
}

bool amdgpu_emit_gws(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    bool barrier = inst->row->id == AMDGPU_ID_DS_GWS_BARRIER;
    if (!barrier && inst->row->id != AMDGPU_ID_DS_GWS_INIT)
        return false;
    op->offset_bytes = inst->offset;
    op->run = barrier ? run_barrier : run_init;
    return inst->addr.kind == AMDGPU_VREG && amdgpu_source_of(&inst->addr, &op->src[0]);
}
