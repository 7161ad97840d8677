// Streams and operations on memory in stream order.
#ifndef HIP_INCLUDE_HIP_API_STREAM_H
#define HIP_INCLUDE_HIP_API_STREAM_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipStreamCreate(hipStream_t *stream);

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);

hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);

hipError_t hipStreamDestroy(hipStream_t stream);

hipError_t hipStreamQuery(hipStream_t stream);

hipError_t hipStreamSynchronize(hipStream_t stream);

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags __dparm(0));

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);

hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize,
                                        const uint32_t *cuMask);

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask);

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData,
                                unsigned int flags);

hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags,
                                uint32_t mask __dparm(0xFFFFFFFF));

hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
                                uint64_t mask __dparm(0xFFFFFFFFFFFFFFFF));

hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags);

hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags);

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count,
                               hipStreamBatchMemOpParams *paramArray, unsigned int flags);

hipError_t hipStreamGetAttribute(hipStream_t stream, hipStreamAttrID attr,
                                 hipStreamAttrValue *value_out);

hipError_t hipStreamSetAttribute(hipStream_t stream, hipStreamAttrID attr,
                                 const hipStreamAttrValue *value);

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId);

hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
