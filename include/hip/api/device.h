// Initialization, versions and devices: count, current device, properties, limits, IPC.
#ifndef HIP_INCLUDE_HIP_API_DEVICE_H
#define HIP_INCLUDE_HIP_API_DEVICE_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Opens the drivers and finds the devices. Calling it is never necessary: the first function that
/// needs a device does the same.
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: flags is not 0; hipErrorNoDevice: no driver found a device;
/// hipErrorInsufficientDriver: a driver is too old.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuInit.
hipError_t hipInit(unsigned int flags);

/// The HIP version implemented, as HIP_VERSION: 70200000 is 7.2.0. Both are the same number on
/// every device; the vendor's driver version is not shown.
/// @param [out] driverVersion, runtimeVersion  the version
/// Returns: hipErrorInvalidValue: the pointer is NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDriverGetVersion (whose numbers mean something
/// else).

/// The version of the HIP driver.
hipError_t hipDriverGetVersion(int *driverVersion);
/// The version of the HIP runtime.
hipError_t hipRuntimeGetVersion(int *runtimeVersion);

/// The number of devices this process can use: those of all drivers after HIP_VISIBLE_DEVICES and
/// its relatives.
/// @param [out] count  devices; 0 when the function fails
/// Returns: hipErrorInvalidValue: count is NULL; hipErrorNoDevice: there is none.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; cuDeviceGetCount.
hipError_t hipGetDeviceCount(int *count);

/// The calling thread's current device.
/// @param [out] deviceId  its ordinal, 0 in a new thread
/// Returns: hipErrorInvalidValue: deviceId is NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; CUDA runtime cudaGetDevice.
hipError_t hipGetDevice(int *deviceId);

/// Makes a device current for the calling thread: later allocations, streams, events and launches
/// of this thread are its. Cheap; creates the device's primary context on first use. Makes that
/// context current for the context functions too.
/// @param [in] deviceId  ordinal, from 0 to the count less 1
/// Returns: hipErrorInvalidDevice: no such device; hipErrorNoDevice: there is none at all.
/// Thread safety: affects the calling thread only.
/// Stream order: none.
/// Source: HIP "Device Management"; CUDA runtime cudaSetDevice.
hipError_t hipSetDevice(int deviceId);

/// Restricts which devices the calling thread may be given when it has not chosen one itself, in
/// order of preference.
/// @param [in] device_arr  ordinals; NULL only if len is 0
/// @param [in] len  their number, 0 for every device in the default order
/// Returns: hipErrorInvalidValue: device_arr is NULL or len is out of range; hipErrorInvalidDevice:
/// an ordinal names no device.
/// Thread safety: affects the calling thread only.
/// Stream order: none.
/// Source: HIP "Device Management"; CUDA runtime cudaSetValidDevices.
hipError_t hipSetValidDevices(int *device_arr, int len);

/// Creates a device's primary context without making the device current. Of HIP 7.14.
/// @param [in] device  ordinal
/// @param [in] deviceFlags  hipDeviceSchedule* flags as of hipSetDeviceFlags(); used only if flags
///     says so
/// @param [in] flags  0 or hipInitDeviceFlagsAreValid
/// Returns: hipErrorInvalidDevice: no such device; hipErrorInvalidValue: a flag is unknown.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; CUDA runtime cudaInitDevice.
hipError_t hipInitDevice(int device, unsigned int deviceFlags, unsigned int flags);

/// Waits until all work submitted to the current device has finished.
/// Returns: an error of that work, such as hipErrorIllegalAddress or hipErrorLaunchFailure;
/// hipErrorStreamCaptureUnsupported: a stream of the device is being captured.
/// Thread safety: safe.
/// Stream order: blocks; waits for every stream of the device, non-blocking ones included.
/// Source: HIP "Device Management"; cuCtxSynchronize.
hipError_t hipDeviceSynchronize(void);

/// Destroys everything this process holds on the current device: memory, streams, events, modules.
/// Handles of it become invalid; device variables have their initial values again at next use.
/// Returns: hipSuccess; an error of unfinished work is dropped.
/// Thread safety: no other thread may use the device meanwhile.
/// Stream order: blocks until the device is idle.
/// Source: HIP "Device Management"; CUDA runtime cudaDeviceReset.
hipError_t hipDeviceReset(void);

/// One attribute of a device.
/// @param [out] pi  the value (8 bytes for the two register addresses of AMD devices, else an int)
/// @param [in] attr  which; units as the field of hipDeviceProp_t of that name
/// @param [in] deviceId  ordinal
/// Returns: hipErrorInvalidValue: pi is NULL, or attr is unknown or has no meaning for this device;
/// hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; cuDeviceGetAttribute (HIP's numbers are its own).
hipError_t hipDeviceGetAttribute(int *pi, hipDeviceAttribute_t attr, int deviceId);

/// All properties of a device. Sources call it hipGetDeviceProperties.
/// @param [out] prop  the properties; every byte of the structure is written
/// @param [in] deviceId  ordinal
/// Returns: hipErrorInvalidValue: prop is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; CUDA runtime cudaGetDeviceProperties.
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *prop, int deviceId);

/// The device that fits given properties best: the most of name, memory sizes, thread limits and
/// architecture matched. Sources call it hipChooseDevice.
/// @param [out] device  its ordinal
/// @param [in] prop  the wish; fields that are 0 do not matter
/// Returns: hipErrorInvalidValue: a pointer is NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; CUDA runtime cudaChooseDevice.
hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *prop);

/// The device of the driver API with a given ordinal: the same number.
/// @param [out] device  the device
/// @param [in] ordinal  from 0 to the count less 1
/// Returns: hipErrorInvalidValue: device is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceGet.
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);

/// A device's name, as "NVIDIA A100-SXM4-80GB".
/// @param [out] name  at most len bytes, always terminated
/// @param [in] len  bytes at name, at least 1
/// @param [in] device  the device
/// Returns: hipErrorInvalidValue: name is NULL or len is not positive; hipErrorInvalidDevice: no
/// such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceGetName.
hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device);

/// The 16 bytes that identify a physical device across processes and boots.
/// @param [out] uuid  the bytes
/// @param [in] device  the device
/// Returns: hipErrorInvalidValue: uuid is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceGetUuid.
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);

/// A device's locally unique identifier, which only Windows has. Of HIP 7.14.
/// @param [out] luid  8 bytes; unchanged on failure
/// @param [out] deviceNodeMask  one bit; unchanged on failure
/// @param [in] device  the device
/// Returns: hipErrorNotSupported: always, on Linux; hipErrorInvalidValue: a pointer is NULL;
/// hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceGetLuid.
hipError_t hipDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, hipDevice_t device);

/// A device's architecture as two numbers: 8 and 6 for sm_86, 9 and 0 for gfx90a.
/// @param [out] major  of the architecture
/// @param [out] minor  of the architecture
/// @param [in] device  the device
/// Returns: hipErrorInvalidValue: a pointer is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceComputeCapability.
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);

/// The size of a device's memory.
/// @param [out] bytes  the size
/// @param [in] device  the device
/// Returns: hipErrorInvalidValue: bytes is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceTotalMem.
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);

/// A device's place on the bus, as "0000:c1:00.0".
/// @param [out] pciBusId  at most len bytes, always terminated
/// @param [in] len  bytes at pciBusId; 13 hold the whole text
/// @param [in] device  ordinal
/// Returns: hipErrorInvalidValue: pciBusId is NULL or len is too small; hipErrorInvalidDevice: no
/// such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceGetPCIBusId.
hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device);

/// The device at a place on the bus.
/// @param [out] device  its ordinal
/// @param [in] pciBusId  domain:bus:device.function in hexadecimal, the function optional
/// Returns: hipErrorInvalidValue: a pointer is NULL or the text is not of that form;
/// hipErrorInvalidDevice: no device is there.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceGetByPCIBusId.
hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId);

/// One attribute of a pair of devices.
/// @param [out] value  rank, or 1 or 0
/// @param [in] attr  which
/// @param [in] srcDevice  ordinal of the device that accesses
/// @param [in] dstDevice  ordinal of the device that has the memory; not srcDevice
/// Returns: hipErrorInvalidValue: value is NULL or attr is unknown; hipErrorInvalidDevice: no such
/// device, or both are the same.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Initialization and Version"; cuDeviceGetP2PAttribute.
hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attr, int srcDevice,
                                    int dstDevice);

/// How two devices are connected.
/// @param [in] device1  ordinal
/// @param [in] device2  another ordinal
/// @param [out] linktype  1 HyperTransport, 2 PCI Express, 4 Infiniband, 8 XGMI or NVLink
/// @param [out] hopcount  links between them
/// Returns: hipErrorInvalidValue: a pointer is NULL or both devices are the same;
/// hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; HSA's link information; no CUDA counterpart.
hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype,
                                        uint32_t *hopcount);

/// How host threads wait for the current device: one of hipDeviceSchedule*. hipDeviceMapHost and
/// hipDeviceLmemResizeToMax are taken and have no effect.
/// @param [in] flags  the flags (of hipGetDeviceFlags(): [out])
/// Returns: hipErrorInvalidValue: the pointer is NULL, a flag is unknown, or more than one schedule
/// is set; hipErrorInvalidDevice: there is no current device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxSetFlags.

/// The current device's schedule, and the other flags if hipCtxCreate() set them last.
hipError_t hipGetDeviceFlags(unsigned int *flags);
/// Sets them; the waits of later calls follow.
hipError_t hipSetDeviceFlags(unsigned int flags);

/// The current device's preference between L1 cache and shared memory: a hint.
/// @param [in] cacheConfig  the preference (of the getter: [out])
/// Returns: hipErrorInvalidValue: the pointer is NULL or the value is unknown;
/// hipErrorStreamCaptureUnsupported (the setter, HIP 7): a stream is being captured.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; cuCtxGetCacheConfig, cuCtxSetCacheConfig.

/// The preference; hipFuncCachePreferNone where the device has none.
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *cacheConfig);
/// Sets it; ignored where the division is fixed (every AMD device).
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig);

/// Width of the current device's shared memory banks: a hint.
/// @param [in] config, pConfig  the width (of the getter: [out])
/// Returns: hipErrorInvalidValue: the pointer is NULL or the value is unknown;
/// hipErrorStreamCaptureUnsupported (the setter, HIP 7): a stream is being captured.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; cuCtxGetSharedMemConfig, cuCtxSetSharedMemConfig.

/// The bank width.
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *pConfig);
/// Sets it; ignored where the width is fixed (every current device).
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);

/// Limits of the current device.
/// @param [in] limit  which
/// @param [in] value, pValue  bytes (of the getter: [out])
/// Returns: hipErrorInvalidValue: pValue is NULL, or the value is out of range (AMD: beyond the
/// scratch bounds); hipErrorUnsupportedLimit: the device has no such limit, or it is read only.
/// Thread safety: safe.
/// Stream order: setting the heap or printf size waits for the device and must precede the first
/// kernel that uses it.
/// Source: HIP "Device Management"; cuCtxGetLimit, cuCtxSetLimit.

/// Reads a limit.
hipError_t hipDeviceGetLimit(size_t *pValue, enum hipLimit_t limit);
/// Changes a limit; a value the device cannot have is raised or lowered to one it can.
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);

/// Makes writes of a third device (a network adapter) into the current device's memory visible. Of
/// HIP 7.14.
/// @param [in] target  hipFlushGPUDirectRDMAWritesTargetCurrentDevice
/// @param [in] scope  to whom
/// Returns: hipErrorInvalidValue: an argument is unknown; hipErrorNotSupported: the device cannot:
/// hipDeviceAttributeGPUDirectRDMAFlushWritesOptions lacks hipFlushGPUDirectRDMAWritesOptionHost,
/// as on AMD devices without HDP registers, where such writes wait nowhere. Thread safety: safe.
/// Stream order: blocks until the flush is done; waits for no stream, and is not captured.
/// Source: HIP "Device Management"; cuFlushGPUDirectRDMAWrites.
hipError_t hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTarget target,
                                             hipFlushGPUDirectRDMAWritesScope scope);

/// Makes a handle by which another process can open device memory. Any number of handles of one
/// allocation are equal.
/// @param [out] handle  64 bytes to send
/// @param [in] devPtr  start of an allocation of hipMalloc() or an address inside it
/// Returns: hipErrorInvalidValue: a pointer is NULL or devPtr is not such memory;
/// hipErrorOutOfMemory: the driver is out of resources; hipErrorNotSupported: the memory cannot be
/// shared.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management" (interprocess communication); cuIpcGetMemHandle.
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr);

/// Maps another process's memory into this one, on the current device. Opening the same handle
/// again gives the same address, to be closed as often.
/// @param [out] devPtr  start of the allocation
/// @param [in] handle  from the other process
/// @param [in] flags  hipIpcMemLazyEnablePeerAccess
/// Returns: hipErrorInvalidValue: devPtr is NULL, flags is another value, or the handle is invalid;
/// hipErrorInvalidContext: the handle is of this process; hipErrorMapFailed: the driver could
/// not map it; hipErrorPeerAccessUnsupported: the device cannot reach it.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management" (interprocess communication); cuIpcOpenMemHandle.
hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags);

/// Unmaps such memory once; the other process's allocation is not touched.
/// @param [in] devPtr  from hipIpcOpenMemHandle()
/// Returns: hipErrorInvalidValue: devPtr is NULL or was not opened; hipErrorUnmapFailed: the driver
/// could not.
/// Thread safety: safe.
/// Stream order: waits for the device.
/// Source: HIP "Device Management" (interprocess communication); cuIpcCloseMemHandle.
hipError_t hipIpcCloseMemHandle(void *devPtr);

/// Makes a handle by which another process can open an event.
/// @param [out] handle  64 bytes to send
/// @param [in] event  created with hipEventInterprocess and hipEventDisableTiming
/// Returns: hipErrorInvalidValue: a pointer is NULL; hipErrorInvalidHandle: not an event;
/// hipErrorInvalidConfiguration: not such an event; hipErrorNotSupported: this driver cannot.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management" (interprocess communication); cuIpcGetEventHandle.
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event);

/// Opens another process's event. It may be recorded and waited for here as well; hipEventDestroy()
/// ends only this use. Where the process that recorded it last ends before the event is reached,
/// waiting for it and querying it return hipErrorIllegalState, except on NVIDIA's own driver.
/// @param [out] event  the event
/// @param [in] handle  from the other process
/// Returns: hipErrorInvalidValue: event is NULL or the handle is invalid; hipErrorInvalidContext:
/// the handle is of this process; hipErrorMapFailed: the other process's event is gone;
/// hipErrorInvalidHandle: the same on AMD devices; hipErrorNotSupported: this driver cannot.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management" (interprocess communication); cuIpcOpenEventHandle.
hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
