// What AnyHIP adds to HIP: which driver a device belongs to, and the driver's own handles
// behind HIP's. For programs that also call the driver, and for tools; portable programs need
// nothing of this. Symbol version ANYHIP_0.
#ifndef HIP_INCLUDE_HIP_ANYHIP_H
#define HIP_INCLUDE_HIP_ANYHIP_H

#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

/// Drivers. The simulated ones have the same handles as the real ones.
enum anyhipBackend {
    anyhipBackendNone = 0,
    anyhipBackendCuda = 1,    ///< NVIDIA's libcuda
    anyhipBackendHsa = 2,     ///< AMD's libhsa-runtime64
    anyhipBackendSimCuda = 3, ///< AnyHIP's simulated libcuda
    anyhipBackendSimHsa = 4   ///< AnyHIP's simulated libhsa-runtime64
};

/// Flags of hipMallocArray(), hipMalloc3DArray(), hipMallocMipmappedArray(), hipArray3DCreate() and
/// hipMipmappedArrayCreate() for which HIP has no names. On devices with sparseHipArraySupported
/// and deferredMappingHipArraySupported of hipDeviceProp_t; elsewhere hipErrorNotSupported.
/// NVIDIA's driver (580) has no sparse arrays with hipArraySurfaceLoadStore: hipErrorInvalidValue.
enum anyhipArrayFlags {
    anyhipArraySparse = 0x40,         ///< hipMemMapArrayAsync() binds memory to parts
    anyhipArrayDeferredMapping = 0x80 ///< memory is bound to the whole
};

/// What anyhipTraceMark() puts into a trace. The names are those of ROCTX.
enum anyhipTraceMarkKind {
    anyhipTraceMarkInstant = 0, ///< a mark
    anyhipTraceMarkPush = 1,    ///< a range of the thread begins, within those that it is in
    anyhipTraceMarkPop = 2,     ///< the range that began last in the thread ends; has no text
    anyhipTraceMarkStart = 3,   ///< a range of the process begins, which any thread may end
    anyhipTraceMarkStop = 4,    ///< the range with this id ends; has no text
    anyhipTraceMarkPause = 5,   ///< calls and work are not recorded any more, nor told to profilers;
                                ///< id 0: of the process, 1: of the calling thread
    anyhipTraceMarkResume = 6   ///< they are again. Pauses do not nest, and the process's and each
                                ///< thread's are independent of each other
};

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// AnyHIP's own version.
/// Returns: a string like "1.2.3", never NULL, valid for the process's lifetime.
/// Thread safety: safe. Stream order: none.
const char *anyhipVersion(void);

/// The driver behind a device.
/// @param [in]  device       ordinal
/// @param [out] out_backend  which driver
/// @param [out] out_name     its name ("cuda", "hsa", "simcuda", "simhsa"), valid for the
///                           process's lifetime; may be NULL
/// Returns: hipSuccess; hipErrorInvalidDevice: no such device; hipErrorInvalidValue:
/// out_backend is NULL.
/// Thread safety: safe. Stream order: none.
hipError_t anyhipDeviceGetBackend(int device, enum anyhipBackend *out_backend,
                                  const char **out_name);

/// The driver's device and context.
/// @param [in]  device       ordinal
/// @param [out] out_device   CUDA: the CUdevice; HSA: the handle of the hsa_agent_t
/// @param [out] out_context  CUDA: the primary CUcontext, retained until the process ends or
///                           hipDeviceReset(); HSA: NULL. May be NULL
/// Returns: hipSuccess; hipErrorInvalidDevice: no such device; hipErrorInvalidValue:
/// out_device is NULL; the driver's error if it cannot create the context.
/// Thread safety: safe. Stream order: none.
hipError_t anyhipDeviceGetNative(int device, uint64_t *out_device, void **out_context);

/// The driver's stream.
/// @param [in]  stream      NULL and the two default streams included
/// @param [out] out_stream  CUDA: the CUstream; HSA: an hsa_queue_t *, which other streams may
///                          share. Only AnyHIP may write packets to it, since it alone counts
///                          them
/// Returns: hipSuccess; hipErrorInvalidHandle: not a stream; hipErrorInvalidValue: out_stream
/// is NULL.
/// Thread safety: safe, but the handle must not outlive the stream. Stream order: none; on CUDA
/// work submitted through the handle is ordered after what was submitted before through HIP.
hipError_t anyhipStreamGetNative(hipStream_t stream, void **out_stream);

/// The driver's event.
/// @param [in]  event      an event
/// @param [out] out_event  CUDA: the CUevent; HSA: the handle of the hsa_signal_t of the last
///                         record, 0 if it was never recorded or has been reached
/// Returns: hipSuccess; hipErrorInvalidHandle: not an event; hipErrorInvalidValue: out_event
/// is NULL.
/// Thread safety: safe, but the handle must not outlive the event or, on HSA, its next record.
/// Stream order: none.
hipError_t anyhipEventGetNative(hipEvent_t event, uint64_t *out_event);

/// The driver's module.
/// @param [in]  module      a module, which is loaded on the device that was current then
/// @param [out] out_module  CUDA: the CUmodule; HSA: the handle of the hsa_executable_t
/// Returns: hipSuccess; hipErrorInvalidHandle: not a module; hipErrorInvalidValue: out_module
/// is NULL.
/// Thread safety: safe, but the handle must not outlive the module. Stream order: none.
hipError_t anyhipModuleGetNative(hipModule_t module, uint64_t *out_module);

/// The driver's function.
/// @param [in]  function      a kernel, of a module or from hipGetFuncBySymbol()
/// @param [out] out_function  CUDA: the CUfunction; HSA: the kernel object, which is the
///                            address of its descriptor as dispatch packets take it
/// Returns: hipSuccess; hipErrorInvalidHandle: not a function; hipErrorInvalidValue:
/// out_function is NULL.
/// Thread safety: safe, but the handle must not outlive the kernel's module. Stream order:
/// none.
hipError_t anyhipFunctionGetNative(hipFunction_t function, uint64_t *out_function);

/// The driver's address of memory that HIP knows.
/// @param [in]  pointer      inside an allocation, mapping or registered host range
/// @param [out] out_device   ordinal of the device it belongs to, hipCpuDeviceId for host
///                           memory; may be NULL
/// @param [out] out_address  CUDA: the CUdeviceptr; HSA: the address agents use
/// Returns: hipSuccess; hipErrorInvalidValue: not such memory, or out_address is NULL.
/// Thread safety: safe. Stream order: none.
hipError_t anyhipPointerGetNative(const void *pointer, int *out_device, uint64_t *out_address);

/// What this process found on this machine, for tools and bug reports: every driver that was
/// asked for with the files tried and why each failed, every device, the configuration in force.
/// @param [out] out_json  a JSON object as text; the caller frees it with free()
/// Returns: hipSuccess, also without any device; hipErrorInvalidValue: out_json is NULL;
/// hipErrorOutOfMemory.
/// Thread safety: safe. Stream order: none.
hipError_t anyhipGetReport(char **out_json);

/// Whether a device can run an image, without loading it.
/// @param [in] device  ordinal
/// @param [in] image   a code object, PTX, a CUDA fatbin, or a bundle of such
/// @param [in] size    bytes at image
/// Returns: 1 if it has code for the device, else 0, also for an invalid image or device.
/// Thread safety: safe. Stream order: none.
int anyhipDeviceCanRunImage(int device, const void *image, size_t size);

/// Puts a mark, or one end of a range, into the trace file (ANYHIP_TRACE); does nothing where there
/// is none. Pauses concern AMD's tracers too. The beginning of a pause of the process waits up to
/// two seconds for work under way, which was submitted before and is recorded. It needs no device,
/// and may come before any function of HIP. ROCTX's functions use it.
/// @param [in] kind  which
/// @param [in] id    of ranges of the process: one number for both ends, of this range alone; of
///                   pauses see anyhipTraceMarkPause; else 0
/// @param [in] text  UTF-8, copied; may be NULL
/// Thread safety: safe. Stream order: none.
void anyhipTraceMark(enum anyhipTraceMarkKind kind, uint64_t id, const char *text);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
