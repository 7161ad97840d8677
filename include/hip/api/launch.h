// Launching kernels.
#ifndef HIP_INCLUDE_HIP_API_LAUNCH_H
#define HIP_INCLUDE_HIP_API_LAUNCH_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipFuncSetAttribute(const void *func, hipFuncAttribute attr, int value);

hipError_t hipFuncSetCacheConfig(const void *func, hipFuncCache_t config);

hipError_t hipFuncSetSharedMemConfig(const void *func, hipSharedMemConfig config);

hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem __dparm(0),
                            hipStream_t stream __dparm(0));

hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset);

hipError_t hipLaunchByPtr(const void *func);

hipError_t hipLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                           void **args, size_t sharedMemBytes __dparm(0),
                           hipStream_t stream __dparm(0));

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData);

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *pCopy);

hipError_t hipExtLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                              void **args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags);

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *fPtr, void **args);

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params,
                                void **extra);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
