/* Which of several NaNs arithmetic gives is not determined: the compilers of the host order its
 * operands as they like. What a program computes from the bits of one may be different, therefore,
 * compiled and interpreted. */
#ifndef RANDOM_NANS_H
#define RANDOM_NANS_H

#include "amdgpu_exec.h"

/* Gives NaNs that an op has computed other signs and payloads; quiet ones stay quiet. exec: the
 * lanes that have executed it; before: registers of lanes as they were. */
void random_nans_change(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                        const uint32_t *before, uint64_t *state);

#endif
