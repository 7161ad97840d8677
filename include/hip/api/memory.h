// Memory: allocation on device and host, copies, fills, arrays, device variables, pointers.
//
// Every copy and fill is checked before it is submitted: both ranges must lie inside what HIP
// knows or, for the host, what the process can read; a size of 0 does nothing and succeeds.
#ifndef HIP_INCLUDE_HIP_API_MEMORY_H
#define HIP_INCLUDE_HIP_API_MEMORY_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ---- Allocation

/// Allocates memory of the current device, aligned to 256 bytes. The contents are undefined.
/// @param [out] ptr  the address; NULL when size is 0
/// @param [in] size  bytes
/// Returns: hipErrorInvalidValue: ptr is NULL; hipErrorOutOfMemory: not that much memory is free;
/// hipErrorStreamCaptureUnsupported: a capture that is not relaxed forbids it.
/// Thread safety: safe.
/// Stream order: none; may wait for the device.
/// Source: HIP "Memory Management"; cuMemAlloc.
hipError_t hipMalloc(void **ptr, size_t size);

/// The same with a kind of coherence.
/// @param [out] ptr  the address; NULL when sizeBytes is 0
/// @param [in] sizeBytes  bytes; 8 for hipMallocSignalMemory
/// @param [in] flags  hipDeviceMallocDefault, hipDeviceMallocFinegrained, hipDeviceMallocUncached,
///     hipDeviceMallocContiguous or hipMallocSignalMemory, which is page-locked host memory. On
///     NVIDIA all device memory is coherent between kernels, none is the host's to read, and
///     contiguous memory is refused with hipErrorNotSupported
/// Returns: hipErrorInvalidValue: ptr is NULL, flags is unknown, or the size does not fit the flag;
/// hipErrorOutOfMemory: not that much memory is free.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; no CUDA counterpart.
hipError_t hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags);

/// Allocates rows of device memory with a spacing that suits the device.
/// @param [out] ptr, dptr  the address; NULL when a size is 0
/// @param [out] pitch  bytes from row to row, at least the width
/// @param [in] width, widthInBytes  bytes of a row
/// @param [in] height  rows
/// @param [in] elementSizeBytes  4, 8 or 16: the widest access a kernel makes
/// Returns: hipErrorInvalidValue: a pointer is NULL, a size is 0 (hipMemAllocPitch()), or
/// elementSizeBytes is another value; hipErrorOutOfMemory: not that much memory is free.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemAllocPitch.

/// The runtime API's form.
hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
/// The driver API's form.
hipError_t hipMemAllocPitch(hipDeviceptr_t *dptr, size_t *pitch, size_t widthInBytes, size_t height,
                            unsigned int elementSizeBytes);

/// Allocates slices of rows of device memory with a spacing that suits the device.
/// @param [out] pitchedDevPtr  the address, the pitch, and the extent's width and height
/// @param [in] extent  bytes of a row, rows of a slice, slices
/// Returns: hipErrorInvalidValue: pitchedDevPtr is NULL or the size overflows; hipErrorOutOfMemory:
/// not that much memory is free.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; CUDA runtime cudaMalloc3D.
hipError_t hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent);

/// Frees memory of hipMalloc(), hipMallocPitch(), hipMalloc3D(), hipMallocManaged(),
/// hipExtMallocWithFlags(), or of the stream-ordered allocator.
/// @param [in] ptr  the start of an allocation, or NULL, which does nothing
/// Returns: hipErrorInvalidValue: ptr is not the start of an allocation, or was freed;
/// hipErrorStreamCaptureUnsupported: a capture that is not relaxed forbids it; an error of earlier
/// work.
/// Thread safety: the memory must not be in use by another call.
/// Stream order: waits for the device (HIP 7: not for memory of hipMallocAsync() and
/// hipMallocFromPoolAsync()).
/// Source: HIP "Memory Management"; cuMemFree.
hipError_t hipFree(void *ptr);

/// Allocates page-locked host memory which every device can reach. On a device with unified
/// addresses kernels use the same pointer.
/// @param [out] ptr  the address; NULL when size is 0
/// @param [in] size  bytes
/// @param [in] flags  hipHostMalloc* flags, combined
/// Returns: hipErrorInvalidValue: ptr is NULL, a flag is unknown, or hipHostMallocCoherent and
/// hipHostMallocNonCoherent are both set; hipErrorOutOfMemory: not that much memory is free.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemHostAlloc.

/// HIP's name.
hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags);
/// CUDA's name; takes the flags hipHostAlloc* only.
hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags);
/// Another name of hipHostMalloc(), of a preview of HIP 6.3.
hipError_t hipExtHostAlloc(void **ptr, size_t size, unsigned int flags);

/// As hipHostMalloc() with default flags.
/// @param [out] ptr  the address
/// @param [in] size  bytes
/// Returns: as hipHostMalloc().
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management [Deprecated]"; cuMemAllocHost.

/// The runtime API's name.
HIP_DEPRECATED("use hipHostAlloc instead")
hipError_t hipMallocHost(void **ptr, size_t size);
/// The driver API's name.
HIP_DEPRECATED("use hipHostAlloc instead")
hipError_t hipMemAllocHost(void **ptr, size_t size);

/// Frees page-locked host memory.
/// @param [in] ptr  the start of an allocation of hipHostMalloc() or its relatives, or NULL, which
///     does nothing
/// Returns: hipErrorInvalidValue: ptr is not such memory.
/// Thread safety: the memory must not be in use by another call.
/// Stream order: waits for the device.
/// Source: HIP "Memory Management"; cuMemFreeHost.

/// HIP's name.
hipError_t hipHostFree(void *ptr);
/// CUDA's name.
hipError_t hipFreeHost(void *ptr);

/// The address at which the current device reaches page-locked or registered host memory.
/// @param [out] devPtr  the device's address
/// @param [in] hstPtr  inside such memory
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: a pointer is NULL, flags is not 0, or hstPtr is not such memory;
/// hipErrorOutOfMemory (HIP's code): the memory is not mapped to the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemHostGetDevicePointer.
hipError_t hipHostGetDevicePointer(void **devPtr, void *hstPtr, unsigned int flags);

/// The flags with which page-locked or registered memory was made.
/// @param [out] flagsPtr  the flags
/// @param [in] hostPtr  inside such memory
/// Returns: hipErrorInvalidValue: a pointer is NULL or hostPtr is not such memory.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemHostGetFlags.
hipError_t hipHostGetFlags(unsigned int *flagsPtr, void *hostPtr);

/// Page-locks existing host memory and lets devices reach it.
/// @param [in] hostPtr  start of the range, page-aligned or not
/// @param [in] sizeBytes  bytes, not 0
/// @param [in] flags  hipHostRegister* flags, combined
/// Returns: hipErrorInvalidValue: hostPtr is NULL, sizeBytes is 0, a part of the range is no memory of
/// the program, or flags is unknown;
/// hipErrorHostMemoryAlreadyRegistered: part of the range is; hipErrorOutOfMemory: the system
/// refuses to lock that much; hipErrorNotSupported: the device cannot.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemHostRegister.
hipError_t hipHostRegister(void *hostPtr, size_t sizeBytes, unsigned int flags);

/// Ends a registration; the memory itself stays.
/// @param [in] hostPtr  the start of a registered range
/// Returns: hipErrorInvalidValue: hostPtr is NULL; hipErrorHostMemoryNotRegistered: it is not the
/// start of one.
/// Thread safety: safe.
/// Stream order: waits for the device.
/// Source: HIP "Memory Management"; cuMemHostUnregister.
hipError_t hipHostUnregister(void *hostPtr);

/// Memory of the current device.
/// @param [out] free  bytes that can be allocated now, an estimate
/// @param [out] total  bytes in all
/// Returns: hipErrorInvalidValue: a pointer is NULL; hipErrorInvalidDevice: there is no current
/// device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemGetInfo.
hipError_t hipMemGetInfo(size_t *free, size_t *total);

/// The size of an allocation.
/// @param [in] ptr  the start of an allocation of device or page-locked memory
/// @param [out] size  bytes as asked for
/// Returns: hipErrorInvalidValue: a pointer is NULL or ptr is not such memory.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; no CUDA counterpart.
hipError_t hipMemPtrGetInfo(void *ptr, size_t *size);

// ---- Copies of linear memory

/// Copies and waits for the copy.
/// @param [out] dst  destination
/// @param [in] src  source; must not overlap dst
/// @param [in] sizeBytes  bytes
/// @param [in] kind  direction; hipMemcpyDefault takes it from the addresses
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: dst or src is NULL, a range reaches beyond its allocation, or
/// kind says device where both addresses are pageable memory; hipErrorInvalidMemcpyDirection: kind
/// is unknown; hipErrorContextIsDestroyed: not a stream; hipErrorStreamCaptureImplicit: a blocking
/// stream is being captured (hipMemcpy()); hipErrorStreamCaptureUnsupported: the stream is being
/// captured; an error of earlier work.
/// Thread safety: safe.
/// Stream order: ordered in the stream, then blocks until the copy is done. From pageable host
/// memory hipMemcpy() may return when the source has been read; between two ranges of one device it
/// may return when the copy is enqueued.
/// Source: HIP "Memory Management"; cuMemcpy.

/// Copies in the legacy default stream.
hipError_t hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind);
/// Copies in a given stream and waits for it.
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                               hipStream_t stream);

/// Enqueues a copy.
/// @param [out] dst  destination
/// @param [in] src  source; must not overlap dst, and stays unchanged until the copy is done
/// @param [in] sizeBytes  bytes
/// @param [in] kind  direction; hipMemcpyDefault takes it from the addresses
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: dst or src is NULL, a range reaches beyond its allocation, or
/// kind says device where both addresses are pageable memory; hipErrorInvalidMemcpyDirection: kind
/// is unknown; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: enqueued. With pageable host memory the call may block until that side has been
/// read or written; with page-locked memory it does not.
/// Source: HIP "Memory Management"; cuMemcpyAsync.
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                          hipStream_t stream __dparm(0));

/// Copies in one direction and waits, as hipMemcpy().
/// @param [out] dst  destination
/// @param [in] src  source
/// @param [in] sizeBytes  bytes
/// Returns: hipErrorInvalidValue: a pointer is NULL, or a range reaches beyond its allocation;
/// hipErrorStreamCaptureImplicit: a blocking stream is being captured; an error of earlier work.
/// Thread safety: safe.
/// Stream order: as hipMemcpy().
/// Source: HIP "Memory Management"; cuMemcpyHtoD, cuMemcpyDtoH, cuMemcpyDtoD.

/// Host to device.
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t sizeBytes);
/// Device to host.
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t sizeBytes);
/// Device to device.
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes);

/// Enqueues a copy in one direction, as hipMemcpyAsync().
/// @param [out] dst  destination
/// @param [in] src  source
/// @param [in] sizeBytes  bytes
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: a pointer is NULL, or a range reaches beyond its allocation;
/// hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: as hipMemcpyAsync().
/// Source: HIP "Memory Management"; cuMemcpyHtoDAsync, cuMemcpyDtoHAsync, cuMemcpyDtoDAsync.

/// Host to device.
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void *src, size_t sizeBytes,
                              hipStream_t stream);
/// Device to host.
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream);
/// Device to device.
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes,
                              hipStream_t stream);

/// Enqueues many copies at once. They may run in any order among themselves. If one of them is
/// wrong none is enqueued.
/// @param [out] dsts  destinations
/// @param [in] srcs  sources
/// @param [in] sizes  bytes of each copy, none 0
/// @param [in] count  copies; length of the three arrays
/// @param [in] attrs  attributes, each for a run of copies; places and flags are hints, but for
///     hipMemcpyFlagExtOpSwap
/// @param [in] attrsIdxs  index of the first copy of each run; rising from 0
/// @param [in] numAttrs  runs; length of those two arrays, up to count; 0: every source is read in
///     stream order, and both arrays may be NULL
/// @param [out] failIdx  the copy that failed, SIZE_MAX if no copy in particular; may be NULL
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: a pointer is NULL, a count is 0 or too large, or a copy is wrong;
/// hipErrorContextIsDestroyed: not a stream; hipErrorNotSupported: hipMemcpyFlagExtOpSwap for other
/// memory than that of AMD's gfx94, gfx95 and gfx125, or for pageable memory;
/// hipErrorStreamCaptureUnsupported: hipMemcpySrcAccessOrderDuringApiCall while the stream is being
/// captured.
/// Thread safety: safe.
/// Stream order: enqueued; sources with hipMemcpySrcAccessOrderDuringApiCall have been read when
/// the call returns. In a captured stream each copy becomes a node, in the order of the arrays.
/// Source: HIP "Memory Management"; cuMemcpyBatchAsync.
hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                               hipMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                               size_t *failIdx, hipStream_t stream __dparm(0));

/// Enqueues many three-dimensional copies at once, which are done in their order. If one of them is
/// wrong none is enqueued.
/// @param [in] numOps  copies
/// @param [in] opList  the copies; lengths count elements of the arrays that take part, and bytes
///     between pointers; a row length or layer height of 0 means that there is no space between
/// @param [out] failIdx  the copy that failed, SIZE_MAX if no copy in particular; may be NULL
/// @param [in] flags  0
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: opList is NULL, numOps is 0, flags is not 0, or a copy is wrong;
/// hipErrorContextIsDestroyed: not a stream; hipErrorStreamCaptureUnsupported:
/// hipMemcpySrcAccessOrderDuringApiCall while the stream is being captured.
/// Thread safety: safe.
/// Stream order: as hipMemcpyBatchAsync().
/// Source: HIP "Memory Management"; cuMemcpy3DBatchAsync.
hipError_t hipMemcpy3DBatchAsync(size_t numOps, struct hipMemcpy3DBatchOp *opList, size_t *failIdx,
                                 unsigned long long flags, hipStream_t stream __dparm(0));

// ---- Copies of rows and boxes

/// Copies rows between linear memories.
/// @param [out] dst  first row of the destination
/// @param [in] dpitch  bytes from row to row there, at least width
/// @param [in] src  first row of the source
/// @param [in] spitch  bytes from row to row there, at least width
/// @param [in] width  bytes of a row
/// @param [in] height  rows
/// @param [in] kind  direction
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: a pointer is NULL, or a range reaches beyond its allocation;
/// hipErrorInvalidPitchValue: a pitch is less than width or beyond memPitch;
/// hipErrorInvalidMemcpyDirection: kind is unknown; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: as hipMemcpy() and hipMemcpyAsync().
/// Source: HIP "Memory Management"; CUDA runtime cudaMemcpy2D; cuMemcpy2D.

/// Copies and waits.
hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, hipMemcpyKind kind);
/// Enqueues the copy.
hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream __dparm(0));

/// Copies rows between linear memories and arrays, described as the driver API does.
/// @param [in] pCopy  the copy
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: pCopy is NULL, a memory type is unknown, an address is NULL, a
/// pitch is too small, or a range reaches beyond its allocation; hipErrorContextIsDestroyed: not a
/// stream.
/// Thread safety: safe.
/// Stream order: as hipMemcpy() and hipMemcpyAsync().
/// Source: HIP "Memory Management"; cuMemcpy2D, cuMemcpy2DAsync, cuMemcpy2DUnaligned.

/// Copies and waits.
hipError_t hipMemcpyParam2D(const hip_Memcpy2D *pCopy);
/// Enqueues the copy.
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *pCopy, hipStream_t stream __dparm(0));
/// Copies and waits; pitches need no alignment.
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *pCopy);

/// Copies a box between linear memories and arrays.
/// @param [in] p  the copy; if either side is an array, extent.width counts its elements
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: p is NULL, a side has both or neither of array and pointer, or
/// the box reaches beyond a side; hipErrorInvalidPitchValue: a pitch is too small;
/// hipErrorInvalidMemcpyDirection: kind is unknown; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: as hipMemcpy() and hipMemcpyAsync().
/// Source: HIP "Memory Management"; CUDA runtime cudaMemcpy3D; cuMemcpy3D.

/// Copies and waits.
hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *p);
/// Enqueues the copy.
hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *p, hipStream_t stream __dparm(0));

/// Copies a box, described as the driver API does.
/// @param [in] pCopy  the copy
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: pCopy is NULL, a memory type is unknown, an address is NULL or
/// the box reaches beyond a side; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: as hipMemcpy() and hipMemcpyAsync().
/// Source: HIP "Memory Management"; cuMemcpy3D, cuMemcpy3DAsync.

/// Copies and waits.
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *pCopy);
/// Enqueues the copy.
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *pCopy, hipStream_t stream);

/// Copies a box between two devices.
/// @param [in] p  the copy and both devices
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: as hipMemcpy3D(), and hipErrorInvalidDevice: a device does not exist.
/// Thread safety: safe.
/// Stream order: hipMemcpy3DPeer(): ordered after all work of both devices and before later work.
/// hipMemcpy3DPeerAsync(): in the stream.
/// Source: HIP "Memory Management"; cuMemcpy3DPeer, cuMemcpy3DPeerAsync.

/// Copies and waits.
hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms *p);
/// Enqueues the copy.
hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream __dparm(0));

// ---- Fills

/// Fills memory with a value.
/// @param [out] dst, dest  start
/// @param [in] value  the value; hipMemset() uses its low byte
/// @param [in] sizeBytes, count  values (bytes for hipMemset())
/// Returns: hipErrorInvalidValue: the address is NULL, unaligned, or the range reaches beyond its
/// allocation; hipErrorStreamCaptureImplicit: a blocking stream is being captured.
/// Thread safety: safe.
/// Stream order: ordered in the legacy default stream. Device memory: may return before the fill is
/// done; host memory: blocks.
/// Source: HIP "Memory Management"; cuMemsetD8, cuMemsetD16, cuMemsetD32.

/// Fills bytes.
hipError_t hipMemset(void *dst, int value, size_t sizeBytes);
/// Fills bytes.
hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count);
/// Fills 16-bit values; dest is a multiple of 2.
hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count);
/// Fills 32-bit values; dest is a multiple of 4.
hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count);

/// Enqueues such a fill.
/// @param [out] dst, dest  start
/// @param [in] value  the value; hipMemsetAsync() uses its low byte
/// @param [in] sizeBytes, count  values (bytes for hipMemsetAsync())
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: the address is NULL, unaligned, or the range reaches beyond its
/// allocation; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Memory Management"; cuMemsetD8Async, cuMemsetD16Async, cuMemsetD32Async.

/// Fills bytes.
hipError_t hipMemsetAsync(void *dst, int value, size_t sizeBytes, hipStream_t stream __dparm(0));
/// Fills bytes.
hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count,
                            hipStream_t stream __dparm(0));
/// Fills 16-bit values; dest is a multiple of 2.
hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count,
                             hipStream_t stream __dparm(0));
/// Fills 32-bit values; dst is a multiple of 4.
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count,
                             hipStream_t stream __dparm(0));

/// Fills rows with a value.
/// @param [out] dst  first row
/// @param [in] pitch, dstPitch  bytes from row to row; ignored for one row
/// @param [in] value  the value; hipMemset2D() uses its low byte
/// @param [in] width  values of a row
/// @param [in] height  rows
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: dst is NULL or unaligned, the pitch is less than a row, or the
/// rows reach beyond the allocation; hipErrorContextIsDestroyed: not a stream;
/// hipErrorStreamCaptureImplicit (without stream): a blocking stream is being captured.
/// Thread safety: safe.
/// Stream order: as hipMemset() and hipMemsetAsync().
/// Source: HIP "Memory Management"; cuMemsetD2D8, cuMemsetD2D16, cuMemsetD2D32 and their Async
/// forms.

/// Fills bytes; width counts bytes.
hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
/// Enqueues that.
hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream __dparm(0));
/// Fills bytes.
hipError_t hipMemsetD2D8(hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width,
                         size_t height);
/// Enqueues that.
hipError_t hipMemsetD2D8Async(hipDeviceptr_t dst, size_t dstPitch, unsigned char value,
                              size_t width, size_t height, hipStream_t stream __dparm(0));
/// Fills 16-bit values.
hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width,
                          size_t height);
/// Enqueues that.
hipError_t hipMemsetD2D16Async(hipDeviceptr_t dst, size_t dstPitch, unsigned short value,
                               size_t width, size_t height, hipStream_t stream __dparm(0));
/// Fills 32-bit values.
hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width,
                          size_t height);
/// Enqueues that.
hipError_t hipMemsetD2D32Async(hipDeviceptr_t dst, size_t dstPitch, unsigned int value,
                               size_t width, size_t height, hipStream_t stream __dparm(0));

/// Fills a box of linear memory with a byte.
/// @param [in] pitchedDevPtr  the memory
/// @param [in] value  its low byte is used
/// @param [in] extent  bytes of a row, rows of a slice, slices
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: the address is NULL or the box reaches beyond the allocation;
/// hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: as hipMemset() and hipMemsetAsync().
/// Source: HIP "Memory Management"; CUDA runtime cudaMemset3D.

/// Fills bytes.
hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);
/// Enqueues that.
hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
                            hipStream_t stream __dparm(0));

// ---- Arrays

/// Allocates an array of the current device.
/// @param [out] array  the array
/// @param [in] desc  what an element holds: 1, 2 or 4 channels of 8, 16 or 32 bits
/// @param [in] width  elements
/// @param [in] height  rows, 0 for one dimension
/// @param [in] extent  elements, rows, and slices or layers
/// @param [in] flags  hipArray* flags
/// Returns: hipErrorInvalidValue: a pointer is NULL, width is 0, the description or flags is
/// unknown, or a size is beyond the device's limits; hipErrorOutOfMemory: not that much memory is
/// free; hipErrorNotSupported: the device has no images (hipDeviceAttributeImageSupport).
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; CUDA runtime cudaMallocArray, cudaMalloc3DArray.

/// One or two dimensions.
hipError_t hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width,
                          size_t height __dparm(0), unsigned int flags __dparm(hipArrayDefault));
/// Up to three dimensions, layers, cube maps.
hipError_t hipMalloc3DArray(hipArray_t *array, const struct hipChannelFormatDesc *desc,
                            struct hipExtent extent, unsigned int flags);

/// The same as the driver API describes it.
/// @param [out] pHandle, array  the array
/// @param [in] pAllocateArray  the description
/// Returns: hipErrorInvalidValue: a pointer is NULL or the description is wrong;
/// hipErrorOutOfMemory: not that much memory is free; hipErrorNotSupported: the device has no
/// images.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuArrayCreate, cuArray3DCreate.

/// One or two dimensions.
hipError_t hipArrayCreate(hipArray_t *pHandle, const HIP_ARRAY_DESCRIPTOR *pAllocateArray);
/// Up to three dimensions, layers, cube maps.
hipError_t hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *pAllocateArray);

/// Frees an array.
/// @param [in] array  an array
/// Returns: hipErrorInvalidValue: array is NULL; hipErrorContextIsDestroyed: it is not an array, or
/// was freed.
/// Thread safety: the array must not be in use by another call.
/// Stream order: waits for the device.
/// Source: HIP "Memory Management"; cuArrayDestroy.

/// The runtime API's name.
hipError_t hipFreeArray(hipArray_t array);
/// The driver API's name.
hipError_t hipArrayDestroy(hipArray_t array);

/// An array's description, runtime API.
/// @param [out] desc  the element; may be NULL
/// @param [out] extent  the size; may be NULL
/// @param [out] flags  the flags; may be NULL
/// @param [in] array  an array
/// Returns: hipErrorInvalidHandle: not an array.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; CUDA runtime cudaArrayGetInfo.
hipError_t hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags,
                           hipArray_t array);

/// An array's description, driver API.
/// @param [out] pArrayDescriptor  the description
/// @param [in] array  an array
/// Returns: hipErrorInvalidValue: pArrayDescriptor is NULL; hipErrorInvalidHandle: not an array.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuArrayGetDescriptor, cuArray3DGetDescriptor.

/// Of one or two dimensions.
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *pArrayDescriptor, hipArray_t array);
/// Of any array.
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *pArrayDescriptor, hipArray_t array);

/// Copies rows to and from arrays.
/// @param [in] dst, src  the two sides (dst: [out])
/// @param [in] wOffset, wOffsetDst, wOffsetSrc  start within a row of the array, bytes
/// @param [in] hOffset, hOffsetDst, hOffsetSrc  first row of the array
/// @param [in] dpitch, spitch  bytes from row to row of the linear side, at least width
/// @param [in] width  bytes of a row
/// @param [in] height  rows
/// @param [in] kind  direction
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: a side is NULL or a range reaches beyond it;
/// hipErrorInvalidPitchValue: a pitch is less than width; hipErrorInvalidMemcpyDirection: kind is
/// unknown; hipErrorInvalidHandle: the array is NULL; hipErrorContextIsDestroyed: not a stream, or
/// not an array.
/// Thread safety: safe.
/// Stream order: as hipMemcpy() and hipMemcpyAsync().
/// Source: HIP "Memory Management"; CUDA runtime cudaMemcpy2DToArray and its relatives.

/// Linear memory to array; waits.
hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t spitch, size_t width, size_t height, hipMemcpyKind kind);
/// Enqueues that.
hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream __dparm(0));
/// Array to linear memory; waits.
hipError_t hipMemcpy2DFromArray(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                size_t hOffset, size_t width, size_t height, hipMemcpyKind kind);
/// Enqueues that.
hipError_t hipMemcpy2DFromArrayAsync(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t width, size_t height,
                                     hipMemcpyKind kind, hipStream_t stream __dparm(0));
/// Array to array; waits.
hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   hipArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t width, size_t height, hipMemcpyKind kind);

/// Copies bytes to and from an array, row after row, starting in the middle; waits.
/// @param [in] dst, src, srcArray  the two sides (dst: [out])
/// @param [in] wOffset  start within a row of the array, bytes
/// @param [in] hOffset  first row of the array
/// @param [in] count  bytes
/// @param [in] kind  direction
/// Returns: hipErrorInvalidValue: a side is NULL or no array, or a range reaches beyond it;
/// hipErrorInvalidMemcpyDirection: kind is unknown.
/// Thread safety: safe.
/// Stream order: as hipMemcpy().
/// Source: HIP "Memory Management" (deprecated functions); CUDA runtime cudaMemcpyToArray,
/// cudaMemcpyFromArray.

/// To the array.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                            size_t count, hipMemcpyKind kind);
/// From the array.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipMemcpyFromArray(void *dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset,
                              size_t count, hipMemcpyKind kind);

/// Copies bytes of one-dimensional arrays.
/// @param [in] dst, dstHost, dstDevice, dstArray  destination ([out])
/// @param [in] srcArray, srcHost, srcDevice  source
/// @param [in] dstOffset, srcOffset  start within the array, bytes, a multiple of the element
/// @param [in] count, ByteCount  bytes, a multiple of the element
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: a side is NULL or no array, or a range reaches beyond it;
/// hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: as hipMemcpy() and hipMemcpyAsync().
/// Source: HIP "Memory Management"; cuMemcpyAtoH, cuMemcpyHtoA, cuMemcpyAtoD, cuMemcpyDtoA,
/// cuMemcpyAtoA, cuMemcpyAtoHAsync, cuMemcpyHtoAAsync.

/// Array to host; waits.
hipError_t hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count);
/// Host to array; waits.
hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t count);
/// Array to device; waits.
hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset,
                         size_t ByteCount);
/// Device to array; waits.
hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice,
                         size_t ByteCount);
/// Array to array; waits.
hipError_t hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray,
                         size_t srcOffset, size_t ByteCount);
/// Enqueues array to host.
hipError_t hipMemcpyAtoHAsync(void *dstHost, hipArray_t srcArray, size_t srcOffset,
                              size_t ByteCount, hipStream_t stream);
/// Enqueues host to array.
hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, hipStream_t stream);

/// The memory that a mipmapped array made with anyhipArrayDeferredMapping (hip/anyhip.h) needs. Of
/// HIP 7.2.
/// @param [out] memoryRequirements  bytes and alignment
/// @param [in] mipmap  a mipmapped array
/// @param [in] device  its device
/// Returns: hipErrorInvalidValue: memoryRequirements is NULL, or mipmap is no mipmapped array or
/// has memory of its own; hipErrorInvalidDevice: not its device; hipErrorNotSupported: the device
/// has no arrays without memory, as AMD's, or the driver is older than CUDA 11.6.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMipmappedArrayGetMemoryRequirements.
hipError_t hipMipmappedArrayGetMemoryRequirements(hipArrayMemoryRequirements *memoryRequirements,
                                                  hipMipmappedArray_t mipmap, hipDevice_t device);

// ---- Device variables

/// A device variable's address on the current device. The code that holds it is loaded if need be.
/// @param [out] devPtr  the address
/// @param [in] symbol  the variable, by its host address (C++: the variable itself)
/// Returns: hipErrorInvalidValue: devPtr is NULL; hipErrorInvalidSymbol: not a device variable;
/// hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; CUDA runtime cudaGetSymbolAddress; cuModuleGetGlobal.
hipError_t hipGetSymbolAddress(void **devPtr, const void *symbol);

/// A device variable's size.
/// @param [out] size  bytes
/// @param [in] symbol  the variable, by its host address (C++: the variable itself)
/// Returns: hipErrorInvalidValue: size is NULL; hipErrorInvalidSymbol: not a device variable;
/// hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; CUDA runtime cudaGetSymbolSize; cuModuleGetGlobal.
hipError_t hipGetSymbolSize(size_t *size, const void *symbol);

/// Copies to and from a device variable of the current device.
/// @param [in] symbol  the variable, by its host address (C++: the variable itself)
/// @param [in] src  the other side of a copy to the variable
/// @param [out] dst  the other side of a copy from the variable
/// @param [in] sizeBytes  bytes
/// @param [in] offset  into the variable, bytes
/// @param [in] kind  direction; to: HostToDevice, DeviceToDevice or Default; from: DeviceToHost,
///     DeviceToDevice or Default
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidSymbol: not a device variable; hipErrorInvalidValue: the other side is
/// NULL, or a range reaches beyond the variable or the other side; hipErrorInvalidMemcpyDirection:
/// kind is another direction; hipErrorNoBinaryForGpu: no image fits the device;
/// hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: as hipMemcpy() and hipMemcpyAsync().
/// Source: HIP "Memory Management"; CUDA runtime cudaMemcpyToSymbol, cudaMemcpyFromSymbol.

/// To the variable; waits.
hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t sizeBytes,
                             size_t offset __dparm(0),
                             hipMemcpyKind kind __dparm(hipMemcpyHostToDevice));
/// Enqueues that.
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t sizeBytes,
                                  size_t offset, hipMemcpyKind kind, hipStream_t stream __dparm(0));
/// From the variable; waits.
hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t sizeBytes,
                               size_t offset __dparm(0),
                               hipMemcpyKind kind __dparm(hipMemcpyDeviceToHost));
/// Enqueues that.
hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream __dparm(0));

// ---- What an address is

/// Attributes of an address.
/// @param [out] attributes  for memory unknown to HIP, type hipMemoryTypeUnregistered, device
///     hipInvalidDeviceId and a NULL device address; may be NULL, which does nothing
/// @param [in] ptr  any address; NULL gives the same as unknown memory
/// Returns: hipSuccess for every argument (HIP 7; up to HIP 6 a NULL gave hipErrorInvalidValue).
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; CUDA runtime cudaPointerGetAttributes.
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);

/// Attributes of an address, driver API.
/// @param [out] data  the value, or addresses of values, of the types listed at
///     hipPointer_attribute
/// @param [in] attribute, attributes  which
/// @param [in] numAttributes  their number, not 0
/// @param [in] ptr  inside memory that HIP knows (hipDrvPointerGetAttributes(): any)
/// Returns: hipErrorInvalidValue: a pointer is NULL, or (hipPointerGetAttribute()) the attribute is
/// unknown or ptr is unknown memory; hipErrorNotSupported: (hipPointerGetAttribute()) HIP does not
/// tell the attribute.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuPointerGetAttribute, cuPointerGetAttributes.

/// One attribute.
hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
/// Several; those that have no value for this address become 0 or NULL, those that HIP does not
/// tell are not written.
hipError_t hipDrvPointerGetAttributes(unsigned int numAttributes, hipPointer_attribute *attributes,
                                      void **data, hipDeviceptr_t ptr);

/// Sets an attribute of an allocation; only HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS can be.
/// @param [in] value  bool: synchronous copies of this memory always wait to the end
/// @param [in] attribute  which
/// @param [in] ptr  inside the allocation
/// Returns: hipErrorInvalidValue: value is NULL or attribute cannot be set;
/// hipErrorInvalidDevicePointer: ptr is not device memory.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuPointerSetAttribute.
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                  hipDeviceptr_t ptr);

/// Makes a handle of device memory which other drivers can import.
/// @param [out] handle  int: a dma-buf file descriptor, which the caller closes
/// @param [in] dptr  start, a multiple of the page size
/// @param [in] size  bytes, a multiple of the page size
/// @param [in] handleType  hipMemRangeHandleTypeDmaBufFd
/// @param [in] flags  0 or hipMemRangeFlagDmaBufMappingTypePcie
/// Returns: hipErrorInvalidValue: a pointer is NULL, unaligned or not device memory, or an argument
/// is unknown; hipErrorNotSupported: the driver cannot (hipDeviceAttributeDmaBufSupported), or on AMD
/// dptr is not the start of an allocation.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemGetHandleForAddressRange.
hipError_t hipMemGetHandleForAddressRange(void *handle, hipDeviceptr_t dptr, size_t size,
                                          hipMemRangeHandleType handleType,
                                          unsigned long long flags);

// ---- Functions by name

/// The address of a HIP function as of a version. hipGetDeviceProperties and hipChooseDevice mean
/// the functions with the R0600 structure from version 600 on, and those with the HIP 5 structure
/// before.
/// @param [in] symbol  the name, as in C
/// @param [out] pfn  the address; NULL when there is none
/// @param [in] hipVersion  100 x major + minor: 702 for HIP 7.2
/// @param [in] flags  HIP_GET_PROC_ADDRESS_*
/// @param [out] symbolStatus  what happened; may be NULL
/// Returns: hipErrorInvalidValue: symbol or pfn is NULL, symbol is empty, flags is unknown, or
/// there is no such function.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuGetProcAddress.
hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult *symbolStatus);

/// The same for the version of the headers the library was built with.
/// @param [in] symbol  the name, as in C
/// @param [out] funcPtr  the address; NULL when there is none
/// @param [in] flags  hipEnableDefault, hipEnableLegacyStream or hipEnablePerThreadDefaultStream
/// @param [out] status  what happened; may be NULL
/// Returns: hipErrorInvalidValue: symbol or funcPtr is NULL, symbol is empty, flags is unknown, or
/// there is no such function.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; CUDA runtime cudaGetDriverEntryPoint.
hipError_t hipGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                  hipDriverEntryPointQueryResult *status);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
