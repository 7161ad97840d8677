/* The interface of jit, which has hot code of kernels compiled (src/sim/jit): exec tells it what
 * runs often, and executes what it has put in place of ops.
 *
 * jit owns the regions of a function: which ops they have, how these are described (wave.h), and
 * when they are requested. A region begins at an op that joins lanes, whose handler is then
 * ptx_run_region. It executes for the lanes that come there; those of the warp that are elsewhere
 * have to be at places that the region knows, or wait for these, and otherwise all go on as before.
 * Lanes that part in it go on in it.
 * Nothing is compiled where checks or a seed are configured.
 *
 * Threads: every function may be called by any thread that runs a block of the function's module;
 * requests take a lock, and everything else reads what was published atomically. */
#ifndef PTX_JIT_H
#define PTX_JIT_H

#include "ptx_exec.h"

/* Whether functions get regions: decided once. */
bool ptx_jit_on(void);

/* A launch begins. */
void ptx_jit_launch(const struct ptx_launch *launch);
/* What makes code hot: a warp has come to its end, after so many ops since the last of these calls,
 * of all that it executed; has used up its budget of so many ops in a loop of the function that
 * begins at op; calls the function. */
void ptx_jit_end(const struct ptx_launch *launch, uint64_t steps, uint64_t all);
void ptx_jit_loop(const struct ptx_code *code, const struct ptx_op *op,
                  const struct ptx_launch *launch, uint64_t steps);
void ptx_jit_call(const struct ptx_code *code, const struct ptx_launch *launch);

/* The handler of an op at which a region begins. */
const struct ptx_op *ptx_run_region(struct ptx_warp *warp, const struct ptx_op *op);

/* With ANYHIP_SIM_JIT=compare: how often regions were compared with the interpreter, and differed.
 */
void ptx_jit_comparisons(uint64_t *out_made, uint64_t *out_differing);

/* For tests: from here on functions get no regions, or get them again. */
void ptx_jit_suspend(bool suspended);

/* Frees all regions of a function that nobody executes any more. */
void ptx_jit_free(struct ptx_code *code);

#endif
