// Events.
#ifndef HIP_INCLUDE_HIP_API_EVENT_H
#define HIP_INCLUDE_HIP_API_EVENT_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags);

hipError_t hipEventCreate(hipEvent_t *event);

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);

hipError_t hipEventDestroy(hipEvent_t event);

hipError_t hipEventSynchronize(hipEvent_t event);

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);

hipError_t hipEventQuery(hipEvent_t event);

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
