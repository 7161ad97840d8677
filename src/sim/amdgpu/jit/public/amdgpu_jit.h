/* The interface of jit: code of the host for AMDGPU code that is executed often.
 *
 * jit finds regions in decoded code (exec), describes them for src/sim/jit, which compiles them in
 * the background, and enters compiled ones by replacing the handler of the op that they begin with.
 * A region knows which lanes are live only as one of two kinds, all or some; each op of a region is
 * there for one kind or for both. jit uses alu and memory to know what ops do. Only amdgpu.c calls
 * it, to hand these functions to exec; they may be called by any thread.
 *
 * Nothing is compiled in processes whose simulated devices have checks or a seed. Waves in trap
 * handlers, with indexed registers, or in another mode than the default of floats stay with the
 * interpreter. */
#ifndef AMDGPU_JIT_H
#define AMDGPU_JIT_H

#include "amdgpu_exec.h"

/* A wave begins, at its first op; its turn has ended within code; it has ended. */
void amdgpu_jit_begin(struct amdgpu_wave *wave);
void amdgpu_jit_turn(struct amdgpu_wave *wave);
void amdgpu_jit_end(struct amdgpu_wave *wave);
/* With ANYHIP_SIM_JIT=compare: how often regions were compared with the interpreter, and differed.
 */
void amdgpu_jit_comparisons(uint64_t *out_made, uint64_t *out_differing);
/* Frees the regions that begin in a page, which nothing executes any more. */
void amdgpu_jit_free(struct amdgpu_page *page);

#endif
