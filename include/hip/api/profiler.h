// Profiler control, logging, and queries of tools.
#ifndef HIP_INCLUDE_HIP_API_PROFILER_H
#define HIP_INCLUDE_HIP_API_PROFILER_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Starts and stops recording by a profiler. AMD's profilers ignore this; NVIDIA's do not. A trace
/// (ANYHIP_TRACE) has nothing of what happens between hipProfilerStop and hipProfilerStart.
/// Returns: hipErrorNotSupported: on AMD devices, as in HIP, where no trace is written.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Profiler Control [Deprecated]"; cuProfilerStart, cuProfilerStop.

/// Begins.
HIP_DEPRECATED("use roctracer/rocTX instead")
hipError_t hipProfilerStart(void);
/// Ends.
HIP_DEPRECATED("use roctracer/rocTX instead")
hipError_t hipProfilerStop(void);

/// The runtime's log, as AMD_LOG_LEVEL and AMD_LOG_MASK set it at start. Of HIP 7.2.
/// @param [in] log_level  0 none, 1 errors, 2 warnings, 3 information, 4 debugging, 5 everything
/// @param [in] log_size  unused
/// @param [in] log_mask  one bit per component
/// Returns: hipErrorInvalidValue: log_level is above 5.
/// Thread safety: affects the process.
/// Stream order: none.
/// Source: HIP "Logging"; no CUDA counterpart.

/// Begins, at the level and mask set.
hipError_t hipExtEnableLogging(void);
/// Ends.
hipError_t hipExtDisableLogging(void);
/// Sets them.
hipError_t hipExtSetLoggingParams(size_t log_level, size_t log_size, size_t log_mask);

/// The name of a HIP function by its number in AMD's tracing headers.
/// @param [in] id  the number
/// Returns: the name, or "unknown" for other numbers; never NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Callback Activity APIs"; no CUDA counterpart.
const char *hipApiName(uint32_t id);

/// The name of a kernel in the object file.
/// @param [in] f, hostFunction  the kernel
/// @param [in] stream  a stream; NULL for the current device
/// Returns: the name, valid as long as the kernel; NULL if it is not a kernel.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Callback Activity APIs"; cuFuncGetName.

/// Of a module's kernel.
const char *hipKernelNameRef(const hipFunction_t f);
/// Of a kernel of this program, by its host address, on a stream's device.
const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream);

/// The device of a stream.
/// @param [in] stream  a stream; NULL for the current device
/// Returns: its ordinal; -1 if it is not a stream.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Callback Activity APIs"; cuStreamGetDevice.
int hipGetStreamDeviceId(hipStream_t stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
