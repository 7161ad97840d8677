/* The tables of vector instructions, and which of them suits the host's processor. */
#include "amdgpu_valu.h"

#include <pthread.h>

#define TABLE(name)                                                                                \
    &(const struct amdgpu_valu_table)                                                              \
    {                                                                                              \
        amdgpu_valu_run_##name, amdgpu_effects_##name, amdgpu_clamped_##name                       \
    }
const struct amdgpu_valu_table *const amdgpu_valu_tables[SIM_ISA_COUNT] = {
    [SIM_ISA_BASE] = TABLE(base),
#if defined(__x86_64__)
    [SIM_ISA_AVX2] = TABLE(avx2),
    [SIM_ISA_AVX512] = TABLE(avx512),
#endif
};

static const struct amdgpu_valu_table *chosen;

static void choose(void)
{
    chosen = amdgpu_valu_tables[sim_isa_choose(SIM_ISA_AVX512)];
}

const struct amdgpu_valu_table *amdgpu_valu_table(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return chosen;
}
