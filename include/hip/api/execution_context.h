// Execution contexts: parts of a device (HIP 7.14).
#ifndef HIP_INCLUDE_HIP_API_EXECUTION_CONTEXT_H
#define HIP_INCLUDE_HIP_API_EXECUTION_CONTEXT_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipGreenCtxCreate(hipExecutionCtx_t *ctx, hipDevResourceDesc_t desc, int device,
                             unsigned int flags);

hipError_t hipExecutionCtxDestroy(hipExecutionCtx_t ctx);

hipError_t hipExecutionCtxStreamCreate(hipStream_t *stream, hipExecutionCtx_t greenctx,
                                       unsigned int flags, int priority);

hipError_t hipDeviceGetDevResource(hipDevice_t device, hipDevResource *resource,
                                   hipDevResourceType type);

hipError_t hipDevSmResourceSplitByCount(hipDevResource *result, unsigned int *nbGroups,
                                        const hipDevResource *input, hipDevResource *remainder,
                                        unsigned int flags, unsigned int minCount);

hipError_t hipDevSmResourceSplit(hipDevResource *result, unsigned int nbGroups,
                                 const hipDevResource *input, hipDevResource *remainder,
                                 unsigned int flags, hipDevSmResourceGroupParams *groupParams);

hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t *desc, hipDevResource *resources,
                                      unsigned int nbResources);

hipError_t hipDeviceGetExecutionCtx(hipExecutionCtx_t *ctx, int device);

hipError_t hipExecutionCtxGetDevResource(hipExecutionCtx_t ctx, hipDevResource *resource,
                                         hipDevResourceType type);

hipError_t hipExecutionCtxGetDevice(int *device, hipExecutionCtx_t ctx);

hipError_t hipExecutionCtxGetId(hipExecutionCtx_t ctx, unsigned long long *ctxId);

hipError_t hipStreamGetDevResource(hipStream_t hStream, hipDevResource *resource,
                                   hipDevResourceType type);

hipError_t hipExecutionCtxRecordEvent(hipExecutionCtx_t ctx, hipEvent_t event);

hipError_t hipExecutionCtxSynchronize(hipExecutionCtx_t ctx);

hipError_t hipExecutionCtxWaitEvent(hipExecutionCtx_t ctx, hipEvent_t event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
