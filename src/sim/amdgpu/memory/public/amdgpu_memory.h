/* The interface of memory: instructions that access memory, LDS and scratch.
 *
 * memory owns the handlers of SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF and MIMG instructions:
 * the translation of each lane's address, loads, stores, atomics, images, and the checks of these
 * accesses. Loads and stores are compiled once for each instruction set of the host. It uses isa
 * and exec, and accesses memory only through sim_memory.h, whose functions synchronise themselves;
 * it has no lock of its own. Only amdgpu.c calls it, to hand its emitter to exec. */
#ifndef AMDGPU_MEMORY_H
#define AMDGPU_MEMORY_H

#include "amdgpu_exec.h"

/* An emitter; amdgpu_exec.h says what is expected of it. */
bool amdgpu_emit_memory(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                        struct amdgpu_op *op);

#endif
