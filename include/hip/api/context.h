// Contexts of the driver API. All are deprecated: a device has one context in HIP, its primary
// one, and setting a device sets it. They remain for programs translated from CUDA's driver API.
#ifndef HIP_INCLUDE_HIP_API_CONTEXT_H
#define HIP_INCLUDE_HIP_API_CONTEXT_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Makes a context of a device and pushes it on the calling thread's stack. It stands for the
/// device's primary context: memory and modules are shared with it, and flags become the device's,
/// as with hipSetDeviceFlags().
/// @param [out] ctx  the context
/// @param [in] flags  hipDeviceSchedule* flags, hipDeviceMapHost and hipDeviceLmemResizeToMax
/// @param [in] device  the device
/// Returns: hipErrorInvalidValue: ctx is NULL or flags is unknown; hipErrorInvalidDevice: no such
/// device.
/// Thread safety: affects the calling thread's stack.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuCtxCreate.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxCreate(hipCtx_t *ctx, unsigned int flags, hipDevice_t device);

/// Ends a context, and pops it if it is the current one.
/// @param [in] ctx  from hipCtxCreate()
/// Returns: hipErrorInvalidValue: ctx is NULL; hipErrorInvalidContext: not a context, or a device's
/// primary one.
/// Thread safety: no other call may use the context at the same time or later.
/// Stream order: does not wait.
/// Source: HIP "Context Management [Deprecated]"; cuCtxDestroy.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxDestroy(hipCtx_t ctx);

/// The calling thread's stack of contexts.
/// @param [in,out] ctx  the context (pop: [out]; may be NULL)
/// Returns: hipErrorInvalidContext: not a context, or the stack is empty.
/// Thread safety: affects the calling thread only.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuCtxPushCurrent, cuCtxPopCurrent.

/// Pushes a context, which becomes current.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxPushCurrent(hipCtx_t ctx);
/// Pops the current one; the one below becomes current.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxPopCurrent(hipCtx_t *ctx);

/// The calling thread's current context.
/// @param [in,out] ctx, device  the context or device (of the getters: [out])
/// Returns: hipErrorInvalidValue: the result is NULL; hipErrorInvalidContext: not a context.
/// Thread safety: affects the calling thread only.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuCtxSetCurrent, cuCtxGetCurrent, cuCtxGetDevice.

/// Replaces the top of the stack; NULL pops it.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxSetCurrent(hipCtx_t ctx);
/// The top of the stack; if it is empty, the current device's primary context.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxGetCurrent(hipCtx_t *ctx);
/// The device of the current context.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxGetDevice(hipDevice_t *device);

/// The API version a context was made for. The second parameter is int * up to HIP 6.
/// @param [in] ctx  a context; NULL for the current one
/// @param [out] apiVersion  the version
/// Returns: hipErrorInvalidValue: apiVersion is NULL; hipErrorInvalidContext: not a context;
/// hipErrorNotSupported: AMD devices, as in HIP.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuCtxGetApiVersion.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxGetApiVersion(hipCtx_t ctx, unsigned int *apiVersion);

/// Hints of the current context: those of its device.
/// @param [in] cacheConfig, config, pConfig  the hint (of the getters: [out])
/// Returns: hipErrorInvalidValue: the pointer is NULL or the value is unknown;
/// hipErrorNotSupported: AMD devices, as in HIP.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuCtxGetCacheConfig and its relatives.

/// As hipDeviceGetCacheConfig().
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *cacheConfig);
/// As hipDeviceSetCacheConfig().
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig);
/// As hipDeviceGetSharedMemConfig().
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *pConfig);
/// As hipDeviceSetSharedMemConfig().
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config);

/// As hipDeviceSynchronize().
/// Returns: as hipDeviceSynchronize(); hipErrorNotSupported: AMD devices, as in HIP.
/// Thread safety: safe.
/// Stream order: blocks.
/// Source: HIP "Context Management [Deprecated]"; cuCtxSynchronize.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxSynchronize(void);

/// The flags of the current context.
/// @param [out] flags  hipDeviceSchedule* flags
/// Returns: hipErrorInvalidValue: flags is NULL; hipErrorNotSupported: AMD devices, as in HIP.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuCtxGetFlags.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxGetFlags(unsigned int *flags);

/// As hipDeviceEnablePeerAccess() and hipDeviceDisablePeerAccess(), by context.
/// @param [in] peerCtx  a context of the other device
/// @param [in] flags  0
/// Returns: hipErrorInvalidContext: not a context; hipErrorInvalidValue: flags is not 0;
/// hipErrorPeerAccessUnsupported, hipErrorPeerAccessAlreadyEnabled, hipErrorPeerAccessNotEnabled:
/// as there.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuCtxEnablePeerAccess, cuCtxDisablePeerAccess.

/// Lets the current context use another's memory.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags);
/// Ends that.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx);

/// A device's primary context: the one every function outside this file uses.
/// @param [in] dev  the device
/// @param [out] pctx  the context
/// @param [in,out] flags  hipDeviceSchedule* flags (hipDevicePrimaryCtxGetState(): [out])
/// @param [out] active  1 or 0
/// Returns: hipErrorInvalidValue: a pointer is NULL or flags is unknown; hipErrorInvalidDevice: no
/// such device.
/// Thread safety: affects the process.
/// Stream order: none.
/// Source: HIP "Context Management [Deprecated]"; cuDevicePrimaryCtxRetain and its relatives.

/// Takes a reference, and creates the context with the first.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *pctx, hipDevice_t dev);
/// Drops a reference. With the last one nothing is destroyed, as in HIP.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev);
/// Destroys what the process holds on the device, as hipDeviceReset(); AMD: does nothing, as in
/// HIP.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipDevicePrimaryCtxReset(hipDevice_t dev);
/// Its flags, and whether it exists.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int *flags, int *active);
/// Sets its flags; whether those of a context that exists can change is the driver's affair.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
