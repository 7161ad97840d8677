/* Optional checks of memory accesses (SIM_CHECK_UNINITIALISED, SIM_CHECK_RACES).
 *
 * Where one is on, an op that checks stands before every op that accesses memory;
 * where none is, nothing of this runs. A block's shared and local memory has a
 * shadow, which the executor keeps beside the block. */
#ifndef PTX_CHECKS_H
#define PTX_CHECKS_H

#include "ptx_exec.h"
#include "ptx_memory.h"

struct ptx_shadow;

/* Whether translation emits checks and blocks need shadows: asked for in sim_options. */
bool ptx_checks_on(void);

/* A shadow for blocks of warps warps with shared_size bytes of shared memory and
 * local_stride bytes of local memory for each thread. NULL: no check is on, or no
 * memory. */
struct ptx_shadow *ptx_shadow_create(size_t shared_size, unsigned warps, size_t local_stride);
void ptx_shadow_destroy(struct ptx_shadow *shadow); /* accepts NULL */
/* A block begins: nothing is written. Accepts NULL, as do those below. */
void ptx_shadow_begin(struct ptx_shadow *shadow);
/* A barrier of the block has completed: what threads do from now on comes after. */
void ptx_shadow_barrier(struct ptx_shadow *shadow);
/* The same among the lanes of one warp. */
void ptx_shadow_warp_barrier(struct ptx_shadow *shadow, unsigned warp);
/* A call has written size bytes of a lane's local memory: an argument or a result. */
void ptx_shadow_passed(struct ptx_warp *warp, unsigned lane, uint64_t offset, size_t size);

/* Appends the op that checks access, if a check is on. */
void ptx_emit_checks(struct ptx_builder *builder, const struct ptx_access *access);

#endif
