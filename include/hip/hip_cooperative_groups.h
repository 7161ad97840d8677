// Cooperative groups: the threads of a grid, a block, a tile of a warp, or those that happen
// to run together, as objects with a size, a rank, a barrier and collective functions.
#ifndef HIP_INCLUDE_HIP_HIP_COOPERATIVE_GROUPS_H
#define HIP_INCLUDE_HIP_HIP_COOPERATIVE_GROUPS_H

#include <hip/hip_runtime.h>

#if defined(__clang__) && defined(__HIP__) && defined(__cplusplus)
#include "hip/device/cooperative_algorithms.h"
#include "hip/device/cooperative_groups.h"
#endif

#endif
