// Profiler control and what tools ask.
#ifndef HIP_INCLUDE_HIP_API_PROFILER_H
#define HIP_INCLUDE_HIP_API_PROFILER_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

HIP_DEPRECATED("use roctracer/rocTX instead")
hipError_t hipProfilerStart(void);

HIP_DEPRECATED("use roctracer/rocTX instead")
hipError_t hipProfilerStop(void);

const char *hipApiName(uint32_t id);

const char *hipKernelNameRef(const hipFunction_t f);

const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream);

int hipGetStreamDeviceId(hipStream_t stream);

hipError_t hipExtDisableLogging(void);

hipError_t hipExtEnableLogging(void);

hipError_t hipExtSetLoggingParams(size_t log_level, size_t log_size, size_t log_mask);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
