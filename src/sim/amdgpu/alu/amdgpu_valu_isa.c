/* The tables of vector instructions, and the choice of the one for the host's processor. */
#include "amdgpu_valu.h"

#define TABLE(isa, name)                                                                           \
    [SIM_ISA_##isa] =                                                                              \
        &(const struct amdgpu_valu_table){amdgpu_valu_run_##name, amdgpu_effects_##name,           \
                                          amdgpu_clamped_##name, amdgpu_valu_fused_##name},
const struct amdgpu_valu_table *const amdgpu_valu_tables[SIM_ISA_COUNT] = {SIM_ISAS(TABLE)};
#undef TABLE

const struct amdgpu_valu_table *amdgpu_valu_table(void)
{
    return amdgpu_valu_tables[sim_isa()];
}
