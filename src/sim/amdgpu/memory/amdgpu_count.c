/* Counts what memory instructions of launches that are profiled access: each lane's element by
 * where its address leads to. Scalar loads, images and typed buffers are counted as instructions
 * alone. */
#include "amdgpu_access.h"

static enum sim_access_kind kind_of(const struct amdgpu_access *access, enum sim_access_kind load)
{
    if (access->atomic && load != SIM_LOCAL_LOAD)
        return load + 2;
    return load + (access->write || access->atomic);
}

/* further: of the second element of DS instructions that have two. */
static void count_elements(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                           const struct amdgpu_places *places, uint32_t further)
{
    const struct amdgpu_access *access = op->effect;
    unsigned line = wave->block->dispatch->device->model.line_size;
    uint64_t at[AMDGPU_LANES_MAX], masks[3] = {0}; /* global, LDS, scratch */
    struct sim_profile_access of = {
        .at = at, .bytes = access->bytes, .transaction = line, .line = line};
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t address = places->at[lane];
        bool lds = places->windows && amdgpu_is_lds(address);
        bool scratch = places->windows && amdgpu_is_scratch(address);
        at[lane] = lds ? (uint32_t)(address + further) : address;
        masks[lds ? 1 : scratch ? 2 : 0] |= UINT64_C(1) << lane;
    }
    of.mask = masks[0];
    sim_profile_memory(wave->counts, kind_of(access, SIM_GLOBAL_LOAD), &of);
    of.mask = masks[1];
    sim_profile_banks(wave->counts, kind_of(access, SIM_SHARED_LOAD), &of);
    of.mask = masks[2];
    sim_profile_memory(wave->counts, kind_of(access, SIM_LOCAL_LOAD), &of);
}

void amdgpu_count_accesses(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                           const struct amdgpu_places *places)
{
    count_elements(wave, op, places, 0);
    if (amdgpu_second(op) && ((const struct amdgpu_access *)op->effect)->scale)
        count_elements(wave, op, places, amdgpu_second(op));
}
