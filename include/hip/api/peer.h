// Access between devices.
#ifndef HIP_INCLUDE_HIP_API_PEER_H
#define HIP_INCLUDE_HIP_API_PEER_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipDeviceCanAccessPeer(int *canAccessPeer, int deviceId, int peerDeviceId);

hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);

hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);

hipError_t hipMemGetAddressRange(hipDeviceptr_t *pbase, size_t *psize, hipDeviceptr_t dptr);

hipError_t hipMemcpyPeer(void *dst, int dstDeviceId, const void *src, int srcDeviceId,
                         size_t sizeBytes);

hipError_t hipMemcpyPeerAsync(void *dst, int dstDeviceId, const void *src, int srcDevice,
                              size_t sizeBytes, hipStream_t stream __dparm(0));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
