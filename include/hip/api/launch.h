// Launching kernels. `<<<grid, block, shared, stream>>>` and hipLaunchKernelGGL() end here.
//
// All launches: an error the device meets while the kernel runs appears at a later call. The
// arguments are read before the call returns. These errors are common to all launches and named
// below as "launch errors":
//   hipErrorInvalidValue           a dimension of the grid or block is 0; of a module's function
//                                  also whatever is larger than the device allows
//   hipErrorInvalidConfiguration   a block or grid is larger than the device allows (HIP 7; up to
//                                  HIP 6 hipErrorInvalidValue); of a cooperative launch also a
//                                  dimension of 0
//   hipErrorOutOfMemory            more shared memory than the device has for a block
//   hipErrorLaunchFailure          a block is larger than the kernel's __launch_bounds__
//   hipErrorContextIsDestroyed     not a stream (HIP 7)
//   hipErrorNoBinaryForGpu         no image fits the stream's device
//   hipErrorLaunchOutOfResources   not enough registers
//   hipErrorIllegalAddress, hipErrorLaunchFailure and others of earlier work on the device
#ifndef HIP_INCLUDE_HIP_API_LAUNCH_H
#define HIP_INCLUDE_HIP_API_LAUNCH_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Launches a kernel of this program.
/// @param [in] function_address  the kernel, by its host address
/// @param [in] numBlocks  grid, blocks
/// @param [in] dimBlocks  block, threads
/// @param [in] args  address of each argument, in order; may be NULL for a kernel without
/// @param [in] sharedMemBytes  dynamic shared memory of a block
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidDeviceFunction: not a kernel; launch errors.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Launch API"; CUDA runtime cudaLaunchKernel; cuLaunchKernel.
hipError_t hipLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                           void **args, size_t sharedMemBytes __dparm(0),
                           hipStream_t stream __dparm(0));

/// Launches with attributes: cooperative, priority, access policy window, size and scheduling of
/// clusters, memory domain and its map. On AMD, whose packets have no such fields, the priority and
/// the domain have no effect, and there are no windows and no clusters of several blocks.
/// @param [in] config  grid, block, shared memory, stream and attributes
/// @param [in] fPtr, f  the kernel
/// @param [in] args, params  address of each argument, in order; may be NULL for a kernel without
/// @param [in] extra  HIP_LAUNCH_PARAM_* array instead of params, or NULL
/// Returns: hipErrorInvalidValue: config is NULL, or an attribute is unknown or wrong (a window that
/// is larger than hipDeviceAttributeAccessPolicyMaxWindowSize);
/// hipErrorInvalidDeviceFunction: not a kernel; hipErrorInvalidClusterSize: a cluster the grid or
/// the device does not allow; hipErrorNotSupported: the driver has no such attribute;
/// hipErrorCooperativeLaunchTooLarge: as hipLaunchCooperativeKernel(); launch errors.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Execution Control"; CUDA runtime cudaLaunchKernelExC; cuLaunchKernelEx.

/// A kernel of this program, by its host address.
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *fPtr, void **args);
/// A kernel of a module.
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params,
                                void **extra);

/// Launches a kernel of this program between two events.
/// @param [in] function_address  the kernel, by its host address
/// @param [in] numBlocks  grid, blocks
/// @param [in] dimBlocks  block, threads
/// @param [in] args  address of each argument, in order
/// @param [in] sharedMemBytes  dynamic shared memory of a block
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] startEvent  recorded when the kernel starts; may be NULL
/// @param [in] stopEvent  recorded when the kernel ends; may be NULL
/// @param [in] flags  0 or hipExtAnyOrderLaunch, which is a hint
/// Returns: hipErrorInvalidDeviceFunction: not a kernel; hipErrorInvalidHandle: not an event;
/// launch errors.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Launch API"; no CUDA counterpart.
hipError_t hipExtLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                              void **args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags);

/// Launches a kernel all of whose blocks run at once, so that the grid can synchronize.
/// @param [in] f  the kernel, by its host address
/// @param [in] gridDim  grid, blocks
/// @param [in] blockDim  block, threads
/// @param [in] kernelParams  address of each argument, in order; may be NULL for a kernel without
/// @param [in] sharedMemBytes  dynamic shared memory of a block
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorCooperativeLaunchTooLarge: the blocks, or the shared memory of one, do not fit
/// the device at once; hipErrorInvalidDeviceFunction: not a kernel; hipErrorInvalidHandle: not a
/// stream (HIP 7); hipErrorNotSupported: the device has no cooperative launch; else launch errors.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Cooperative Groups"; CUDA runtime cudaLaunchCooperativeKernel;
/// cuLaunchCooperativeKernel.
hipError_t hipLaunchCooperativeKernel(const void *f, dim3 gridDim, dim3 blockDim,
                                      void **kernelParams, unsigned int sharedMemBytes,
                                      hipStream_t stream);

/// Launches kernels of this program on several devices, one each, before any other work of the
/// streams.
/// @param [in] launchParamsList  the launches; streams of different devices, grid, block and shared
///     memory alike where blocks synchronize
/// @param [in] numDevices  launches, at most the count of devices
/// @param [in] flags  hipCooperativeLaunchMultiDevice* flags
/// Returns: hipErrorInvalidValue: launchParamsList is NULL, numDevices is out of range or flags is
/// unknown; hipErrorInvalidDevice: two streams are of one device; hipErrorInvalidResourceHandle: a
/// stream is NULL or the legacy one (HIP 7); hipErrorStreamCaptureUnsupported,
/// hipErrorStreamCaptureInvalidated: a stream is being captured (HIP 7);
/// hipErrorCooperativeLaunchTooLarge: the blocks do not fit at once; hipErrorNotSupported: blocks
/// synchronize and the devices are of several drivers, or one has no cooperative launch;
/// hipErrorInvalidDeviceFunction: not a kernel; launch errors, after which the launches before the
/// failed one run, and do not wait for the others.
/// Thread safety: safe.
/// Stream order: enqueued in each stream; without NoPreSync after all earlier work of all the
/// streams, without NoPostSync before all later work of all of them.
/// Source: HIP "Cooperative Groups"; CUDA runtime cudaLaunchCooperativeKernelMultiDevice.

/// Blocks of all devices can synchronize.
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
                                                 unsigned int flags);
/// They cannot; the kernels may differ.
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
                                              unsigned int flags);

/// Launches a kernel of a module.
/// @param [in] f  the kernel
/// @param [in] gridDimX, gridDimY, gridDimZ  grid, blocks
/// @param [in] blockDimX, blockDimY, blockDimZ  block, threads
/// @param [in] sharedMemBytes  dynamic shared memory of a block
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] kernelParams  address of each argument, in order; NULL if extra is given or there
///     are none
/// @param [in] extra  { HIP_LAUNCH_PARAM_BUFFER_POINTER, buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE,
///     &size, HIP_LAUNCH_PARAM_END } with the arguments laid out as the kernel reads them; else
///     NULL
/// Returns: hipErrorInvalidResourceHandle: not a kernel; hipErrorInvalidValue: both kernelParams
/// and extra are given, or extra is malformed; launch errors.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Module Management"; cuLaunchKernel.
hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                 unsigned int gridDimZ, unsigned int blockDimX,
                                 unsigned int blockDimY, unsigned int blockDimZ,
                                 unsigned int sharedMemBytes, hipStream_t stream,
                                 void **kernelParams, void **extra);

/// Launches a kernel of a module all of whose blocks run at once.
/// @param [in] f  the kernel
/// @param [in] gridDimX, gridDimY, gridDimZ  grid, blocks
/// @param [in] blockDimX, blockDimY, blockDimZ  block, threads
/// @param [in] sharedMemBytes  dynamic shared memory of a block
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] kernelParams  address of each argument, in order; NULL if there are none
/// Returns: hipErrorInvalidResourceHandle: not a kernel; hipErrorCooperativeLaunchTooLarge: the
/// blocks, or the shared memory of one, do not fit the device at once; hipErrorNotSupported: the
/// device has no cooperative launch; launch errors.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Module Management"; cuLaunchCooperativeKernel.
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX,
                                            unsigned int gridDimY, unsigned int gridDimZ,
                                            unsigned int blockDimX, unsigned int blockDimY,
                                            unsigned int blockDimZ, unsigned int sharedMemBytes,
                                            hipStream_t stream, void **kernelParams);

/// hipLaunchCooperativeKernelMultiDevice() with kernels of modules.
/// @param [in] launchParamsList  the launches, as there
/// @param [in] numDevices  launches, at most the count of devices
/// @param [in] flags  hipCooperativeLaunchMultiDevice* flags
/// Returns: as there, and hipErrorInvalidResourceHandle: not a kernel.
/// Thread safety: safe.
/// Stream order: as there.
/// Source: HIP "Module Management"; cuLaunchCooperativeKernelMultiDevice.
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *launchParamsList,
                                                       unsigned int numDevices, unsigned int flags);

/// Calls a function when a stream reaches it. Graphs can hold it.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] fn  called in a thread of the runtime; must not call HIP; not called after an error
///     of earlier work
/// @param [in] userData  passed on; may be NULL
/// Returns: hipErrorInvalidValue: fn is NULL; hipErrorContextIsDestroyed: not a stream;
/// hipErrorStreamCaptureImplicit: a blocking stream is being captured and stream is the legacy one.
/// Thread safety: safe.
/// Stream order: the function runs after all earlier work; later work waits for it.
/// Source: HIP "Launch API"; cuLaunchHostFunc.
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData);

/// The launch of HIP before version 3, still made by old binaries.
/// @param [in] gridDim  grid, blocks
/// @param [in] blockDim  block, threads
/// @param [in] sharedMem  dynamic shared memory of a block, bytes
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] arg  the argument; copied
/// @param [in] size  its bytes
/// @param [in] offset  where the kernel reads it, bytes
/// @param [in] func  the kernel, by its host address
/// Returns: hipErrorMissingConfiguration: hipConfigureCall() was not called; hipErrorInvalidValue:
/// arg is NULL; hipErrorInvalidDeviceFunction: not a kernel; launch errors.
/// Thread safety: the state is the calling thread's.
/// Stream order: enqueued.
/// Source: HIP "Launch API"; CUDA runtime cudaConfigureCall, cudaSetupArgument, cudaLaunch.

/// Sets grid, block, shared memory and stream of the next launch of this thread.
hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem __dparm(0),
                            hipStream_t stream __dparm(0));
/// Adds an argument to it.
hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset);
/// Launches.
hipError_t hipLaunchByPtr(const void *func);

// ---- The two halves of <<<...>>>, called by code that the compiler adds

/// Passes grid, block, shared memory and stream from a launch to the kernel's stub, on a stack of
/// the thread.
/// @param [in,out] gridDim  grid, blocks (pop: [out])
/// @param [in,out] blockDim  block, threads (pop: [out])
/// @param [in,out] sharedMem  dynamic shared memory of a block, bytes (pop: [out])
/// @param [in,out] stream  the stream (pop: [out])
/// Returns: hipErrorMissingConfiguration: the stack is empty (pop).
/// Thread safety: the stack is the calling thread's.
/// Stream order: none.
/// Source: clang's HIP support; CUDA's __cudaPushCallConfiguration, __cudaPopCallConfiguration.

/// The caller's side of `<<<...>>>`.
hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem __dparm(0),
                                      hipStream_t stream __dparm(0));
/// The kernel stub's side.
hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                     hipStream_t *stream);

/// Changes an attribute of a kernel on the current device.
/// @param [in] func  the kernel, by its host address
/// @param [in] attr  hipFuncAttributeMaxDynamicSharedMemorySize, which a launch beyond 48 KiB needs
///     on NVIDIA; others are hints
/// @param [in] value  bytes, or percent, or -1 for no preference
/// Returns: hipErrorInvalidValue: attr is unknown or value is out of range;
/// hipErrorInvalidDeviceFunction: not a kernel; hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Control"; CUDA runtime cudaFuncSetAttribute; cuFuncSetAttribute.
hipError_t hipFuncSetAttribute(const void *func, hipFuncAttribute attr, int value);

/// Hints for one kernel on the current device.
/// @param [in] func  the kernel, by its host address
/// @param [in] config  the hint
/// Returns: hipErrorInvalidValue: config is unknown; hipErrorInvalidDeviceFunction: not a kernel.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Control"; cuFuncSetCacheConfig, cuFuncSetSharedMemConfig.

/// Preference between L1 cache and shared memory.
hipError_t hipFuncSetCacheConfig(const void *func, hipFuncCache_t config);
/// Width of shared memory banks.
hipError_t hipFuncSetSharedMemConfig(const void *func, hipSharedMemConfig config);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
