// Initialization, versions and devices.
#ifndef HIP_INCLUDE_HIP_API_DEVICE_H
#define HIP_INCLUDE_HIP_API_DEVICE_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipInit(unsigned int flags);

hipError_t hipDriverGetVersion(int *driverVersion);

hipError_t hipRuntimeGetVersion(int *runtimeVersion);

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);

hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device);

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);

hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attr, int srcDevice,
                                    int dstDevice);

hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device);

hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId);

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);

hipError_t hipDeviceSynchronize(void);

hipError_t hipDeviceReset(void);

hipError_t hipSetDevice(int deviceId);

hipError_t hipSetValidDevices(int *device_arr, int len);

hipError_t hipGetDevice(int *deviceId);

hipError_t hipGetDeviceCount(int *count);

hipError_t hipDeviceGetAttribute(int *pi, hipDeviceAttribute_t attr, int deviceId);

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *prop, int deviceId);

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig);

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *cacheConfig);

hipError_t hipDeviceGetLimit(size_t *pValue, enum hipLimit_t limit);

hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *pConfig);

hipError_t hipGetDeviceFlags(unsigned int *flags);

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);

hipError_t hipSetDeviceFlags(unsigned int flags);

hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *prop);

hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype,
                                        uint32_t *hopcount);

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr);

hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags);

hipError_t hipIpcCloseMemHandle(void *devPtr);

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event);

hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle);

hipError_t hipDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, hipDevice_t device);

hipError_t hipInitDevice(int device, unsigned int deviceFlags, unsigned int flags);

hipError_t hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTarget target,
                                             hipFlushGPUDirectRDMAWritesScope scope);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
