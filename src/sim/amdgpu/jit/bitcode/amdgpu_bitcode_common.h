/* What sources of bitcode take from the interpreter: how it fetches sources, and keeps masks of
 * lanes (amdgpu_valu_run.c), compiled by clang to bitcode once for each instruction set of the host
 * (AMDGPU_ISA_NAME).
 *
 * Everything is inlined, because the compiler of regions keeps registers in registers of the host
 * only while no address of them is passed on. */
#ifndef AMDGPU_BITCODE_COMMON_H
#define AMDGPU_BITCODE_COMMON_H

#include "amdgpu_bitcode.h"
#include "amdgpu_wave.h"

#include <fenv.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define noinline      always_inline
#define amdgpu_scalar amdgpu_read_scalar
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)

#include "amdgpu_valu_run.c"
#undef HANDLER

LANE struct amdgpu_source source_of(u64 word, u64 value)
{
    struct amdgpu_source source = {.kind = (unsigned char)AMDGPU_BITCODE_KIND(word),
                                   .count = (unsigned char)AMDGPU_BITCODE_COUNT(word),
                                   .reg = (unsigned short)AMDGPU_BITCODE_REG(word),
                                   .value = value};
    return source;
}

#pragma clang attribute pop

#endif
