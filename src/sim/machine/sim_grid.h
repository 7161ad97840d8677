/* The barrier of a cooperative launch's grid, as this project's kernels have it
 * (docs/kernel-abi.md): what the scheduler's engines query when blocks have ended and others wait.
 */
#ifndef SIM_GRID_H
#define SIM_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* Whether some blocks of a cooperative launch have arrived at the grid's barrier and others have
 * not. workspace: that of the barrier, an address of device; 0: the launch has none. */
bool sim_grid_waits(int device, uint64_t workspace);

#endif
