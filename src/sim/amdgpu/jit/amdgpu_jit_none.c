/* In place of bitcode in trees that have none for AMDGPU code: everything stays with the
 * interpreter. */
#include "amdgpu_jit_region.h"

const struct wave_bitcode *sim_amdgpu_bitcode(void)
{
    return NULL;
}
