/* The steps between clang's LLVM IR for NVIDIA and what NVIDIA's drivers take. */
#ifndef AH_HIPCC_PTX_H
#define AH_HIPCC_PTX_H

#include "jobs.h"
#include "passes.h"

/* Adds the step that makes the PTX at path of a module in LLVM's textual form, which job writes. In
 * the module copies are widened (copies.h) and arrays aligned (arrays.h) before; constant variables
 * that do not fit are placed in global memory. With whole, symbol names are corrected, and a
 * function that is defined nowhere is an error; without, it is text that somebody asked for. */
struct ah_job *ah_ptx_add(struct ah_plan *plan, struct ah_job *job, const struct ah_target *target,
                          const char *module, const char *path, bool whole);

#endif
