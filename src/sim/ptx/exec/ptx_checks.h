/* Optional checks of memory accesses (SIM_CHECK_UNINITIALISED, SIM_CHECK_RACES, SIM_CHECK_SYNC).
 *
 * Where one is on, an op that checks stands before every op that accesses memory;
 * where none is, nothing of this runs. A block's shared and local memory has a
 * shadow, which exists as long as the block. */
#ifndef PTX_CHECKS_H
#define PTX_CHECKS_H

#include "ptx_memory.h"
#include "sim_shadow.h"

/* A shadow for blocks of warps warps with shared_size bytes of shared memory and
 * local_stride bytes of local memory for each thread. NULL: no check is on, or no
 * memory. */
struct sim_shadow *ptx_shadow_create(size_t shared_size, unsigned warps, size_t local_stride);
/* A call has written size bytes of a lane's local memory: an argument or a result. */
void ptx_shadow_passed(struct ptx_warp *warp, unsigned lane, uint64_t offset, size_t size);

/* The lanes have begun asynchronous copies to shared memory at offsets. */
void ptx_checks_copy(struct ptx_warp *warp, const struct ptx_access *access,
                     const uint64_t at[PTX_LANES]);

#endif
