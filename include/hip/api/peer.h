// Access between devices: rights, copies, and where an allocation begins.
#ifndef HIP_INCLUDE_HIP_API_PEER_H
#define HIP_INCLUDE_HIP_API_PEER_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Queries whether kernels of one device can use another's memory.
/// @param [out] canAccessPeer  1 or 0; 0 for a device and itself, and for devices of two vendors
/// @param [in] deviceId  ordinal of the device that accesses
/// @param [in] peerDeviceId  ordinal of the device that has the memory
/// Returns: hipErrorInvalidValue: canAccessPeer is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Peer to Peer Device Memory Access"; cuDeviceCanAccessPeer.
hipError_t hipDeviceCanAccessPeer(int *canAccessPeer, int deviceId, int peerDeviceId);

/// Lets the current device use another's memory: all that is and will be allocated there.
/// @param [in] peerDeviceId  ordinal of the device that has the memory
/// @param [in] flags  0
/// Returns: hipErrorInvalidDevice: no such device, the current one, or one it cannot reach;
/// hipErrorInvalidValue: flags is not 0; hipErrorPeerAccessAlreadyEnabled: it was allowed.
/// Thread safety: affects the process.
/// Stream order: none.
/// Source: HIP "Peer to Peer Device Memory Access"; cuCtxEnablePeerAccess.
hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);

/// Ends that.
/// @param [in] peerDeviceId  ordinal of the device that has the memory
/// Returns: hipErrorInvalidDevice: no such device, the current one, or one it cannot reach;
/// hipErrorPeerAccessNotEnabled: it was not allowed.
/// Thread safety: affects the process.
/// Stream order: waits for both devices.
/// Source: HIP "Peer to Peer Device Memory Access"; cuCtxDisablePeerAccess.
hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);

/// Copies between devices, through the host where they cannot reach each other.
/// @param [out] dst  address on the destination device
/// @param [in] dstDeviceId  its ordinal
/// @param [in] src  address on the source device
/// @param [in] srcDeviceId, srcDevice  its ordinal
/// @param [in] sizeBytes  bytes
/// @param [in] stream  a stream of either device; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: a pointer is NULL, or a range reaches beyond its allocation;
/// hipErrorInvalidDevice: no such device; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: hipMemcpyPeer(): ordered after all work of both devices and before later work.
/// hipMemcpyPeerAsync(): in the stream.
/// Source: HIP "Peer to Peer Device Memory Access"; cuMemcpyPeer, cuMemcpyPeerAsync.

/// Copies and waits.
hipError_t hipMemcpyPeer(void *dst, int dstDeviceId, const void *src, int srcDeviceId,
                         size_t sizeBytes);
/// Enqueues the copy.
hipError_t hipMemcpyPeerAsync(void *dst, int dstDeviceId, const void *src, int srcDevice,
                              size_t sizeBytes, hipStream_t stream __dparm(0));

/// The allocation an address is in.
/// @param [out] pbase  its start; may be NULL
/// @param [out] psize  its size, bytes; may be NULL
/// @param [in] dptr  a device address
/// Returns: hipErrorNotFound: dptr is in no allocation; hipErrorInvalidValue: both results are
/// NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Peer to Peer Device Memory Access"; cuMemGetAddressRange.
hipError_t hipMemGetAddressRange(hipDeviceptr_t *pbase, size_t *psize, hipDeviceptr_t dptr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
