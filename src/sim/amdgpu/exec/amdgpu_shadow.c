/* Owns the shadow of a work-group, which records who wrote each byte of its LDS and scratch.
 * Handlers of memory instructions consult it (memory/amdgpu_checks.c). */
#include "amdgpu_wave.h"
#include "sim_options.h"
#include "sim_shadow.h"

bool amdgpu_checks_on(void)
{
    return sim_options()->checks & (SIM_CHECK_UNINITIALISED | SIM_CHECK_RACES);
}

struct amdgpu_checks *amdgpu_checks_create(const struct amdgpu_block *block)
{
    struct sim_shadow_shape shape = {.shared_size = block->lds_size,
                                     .local_stride = block->scratch_size,
                                     .waves = block->wave_count,
                                     .lanes = block->dispatch->lanes,
                                     .checks = sim_options()->checks};
    return (struct amdgpu_checks *)sim_shadow_create(&shape);
}

void amdgpu_checks_destroy(struct amdgpu_checks *checks)
{
    sim_shadow_destroy((struct sim_shadow *)checks);
}

void amdgpu_checks_begin(struct amdgpu_checks *checks)
{
    sim_shadow_begin((struct sim_shadow *)checks);
}

void amdgpu_checks_barrier(struct amdgpu_checks *checks)
{
    sim_shadow_barrier((struct sim_shadow *)checks);
}
