/* Immediates that are printed symbolically. */
#ifndef AMDGPU_PRINT_NAMES_H
#define AMDGPU_PRINT_NAMES_H

#include "amdgpu_inst.h"

/* Whether a scalar instruction prints its immediate. */
bool amdgpu_has_immediate(const struct amdgpu_inst *inst);
bool amdgpu_is_setreg(const struct amdgpu_inst *inst);
/* "vmcnt(0)", "hwreg(HW_REG_MODE)", "0x10"; empty: nothing is printed. */
void amdgpu_immediate_text(enum amdgpu_isa isa, const struct amdgpu_inst *inst, char *out,
                           size_t out_size);
/* The offset of ds_swizzle_b32. */
void amdgpu_swizzle_text(const struct amdgpu_inst *inst, char *out, size_t out_size);
/* The format of MTBUF, "[BUF_FMT_32_FLOAT]"; empty: the usual one. */
void amdgpu_format_text(enum amdgpu_isa isa, const struct amdgpu_inst *inst, char *out,
                        size_t out_size);

#endif
