// Occupancy: how many blocks of a kernel fit a multiprocessor, and which sizes use it best. All
// answers are for the current device.
#ifndef HIP_INCLUDE_HIP_API_OCCUPANCY_H
#define HIP_INCLUDE_HIP_API_OCCUPANCY_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// The block size with the most resident threads, and the grid that fills the device with such
/// blocks.
/// @param [out] gridSize  blocks
/// @param [out] blockSize  threads
/// @param [in] f  the kernel
/// @param [in] dynSharedMemPerBlk  dynamic shared memory of a block, bytes
/// @param [in] blockSizeLimit  threads at most, 0 for the kernel's own limit
/// @param [in] flags  hipOccupancyDefault or hipOccupancyDisableCachingOverride
/// Returns: hipErrorInvalidValue: a pointer is NULL, the limit is negative or flags is unknown;
/// hipErrorInvalidDeviceFunction: not a kernel; hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Occupancy"; cuOccupancyMaxPotentialBlockSize.

/// A kernel of this program, by its host address.
hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *f,
                                             size_t dynSharedMemPerBlk, int blockSizeLimit);
/// A kernel of a module.
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t f,
                                                   size_t dynSharedMemPerBlk, int blockSizeLimit);
/// The same with flags.
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize,
                                                            hipFunction_t f,
                                                            size_t dynSharedMemPerBlk,
                                                            int blockSizeLimit, unsigned int flags);

/// How many blocks of a size a multiprocessor can hold at once.
/// @param [out] numBlocks  blocks; 0 if one does not fit
/// @param [in] f  the kernel
/// @param [in] blockSize  threads
/// @param [in] dynSharedMemPerBlk  dynamic shared memory of a block, bytes
/// @param [in] flags  hipOccupancyDefault or hipOccupancyDisableCachingOverride
/// Returns: hipErrorInvalidValue: numBlocks is NULL, blockSize is not positive or flags is unknown;
/// hipErrorInvalidDeviceFunction: not a kernel; hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Occupancy"; cuOccupancyMaxActiveBlocksPerMultiprocessor.

/// A kernel of this program, by its host address.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *f,
                                                        int blockSize, size_t dynSharedMemPerBlk);
/// The same with flags.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *f, int blockSize, size_t dynSharedMemPerBlk,
    unsigned int flags __dparm(hipOccupancyDefault));
/// A kernel of a module.
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, hipFunction_t f,
                                                              int blockSize,
                                                              size_t dynSharedMemPerBlk);
/// The same with flags.
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags);

/// How much dynamic shared memory a block can have if several are to fit a multiprocessor.
/// @param [out] dynamicSmemSize  bytes
/// @param [in] f  the kernel, by its host address
/// @param [in] numBlocks  blocks
/// @param [in] blockSize  threads
/// Returns: hipErrorInvalidValue: dynamicSmemSize is NULL, a size is not positive, or that many
/// blocks do not fit in any case; hipErrorInvalidDeviceFunction: not a kernel;
/// hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Occupancy"; cuOccupancyAvailableDynamicSMemPerBlock.
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *f,
                                                    int numBlocks, int blockSize);

/// Clusters of blocks.
/// @param [out] clusterSize  blocks
/// @param [out] numClusters  clusters
/// @param [in] f  the kernel, by its host address
/// @param [in] config  grid, block, shared memory and attributes
/// Returns: hipErrorInvalidValue: a pointer is NULL or config is wrong;
/// hipErrorInvalidDeviceFunction: not a kernel; hipErrorInvalidClusterSize: the attributes' size is
/// impossible, or the device has no clusters (clusterLaunch of hipDeviceProp_t);
/// hipErrorNotSupported: the driver has no such function.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Occupancy"; cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxActiveClusters.

/// The most blocks a cluster of such a launch can have.
hipError_t hipOccupancyMaxPotentialClusterSize(int *clusterSize, const void *f,
                                               const hipLaunchConfig_t *config);
/// The most clusters of the size in the attributes that run at once.
hipError_t hipOccupancyMaxActiveClusters(int *numClusters, const void *f,
                                         const hipLaunchConfig_t *config);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
