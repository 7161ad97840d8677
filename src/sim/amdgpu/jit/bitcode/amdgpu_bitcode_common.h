/* What the sources of bitcode have in common: the interpreter's effects, and how sources are
 * fetched (amdgpu_valu.c, amdgpu_valu_run.c), compiled by clang to bitcode once for each
 * instruction set of the host (AMDGPU_ISA_NAME).
 *
 * Everything is inlined, because the compiler of regions keeps registers in registers of the host
 * only while no address of them is passed on. The sources are several so that they are compiled
 * side by side. */
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

#include "amdgpu_valu.c"

#define flush_f32 run_flush_f32 /* which both have */
#include "amdgpu_valu_run.c"
#undef flush_f32
#undef HANDLER

#include "amdgpu_bitcode_valu.h"
#pragma clang attribute pop

#endif
