/* The last step of PTX: what clang wrote becomes what NVIDIA's drivers take. */
#ifndef AH_HIPCC_PTX_H
#define AH_HIPCC_PTX_H

#include "jobs.h"
#include "passes.h"

/* After job, which writes the PTX at path for the target: constant variables that do not fit are
 * placed in global memory, symbol names are corrected, and a function that is defined nowhere is an
 * error. */
void ah_ptx_want_fit(struct ah_plan *plan, struct ah_job *job, const struct ah_target *target,
                     const char *path);
/* The constant variables alone: for text that somebody asked for, which is no whole program. */
void ah_ptx_want_constants(struct ah_plan *plan, struct ah_job *job, const struct ah_target *target,
                           const char *path);

#endif
