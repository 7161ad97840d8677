// Memory pools and the stream-ordered allocator: memory whose life begins and ends in stream
// order. A device has a default pool and a current one; a pool keeps freed memory for reuse.
#ifndef HIP_INCLUDE_HIP_API_MEMORY_POOL_H
#define HIP_INCLUDE_HIP_API_MEMORY_POOL_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Allocates memory in stream order. The address is known at once but may be used only by work
/// ordered after the allocation.
/// @param [out] dev_ptr  the address; NULL when size is 0
/// @param [in] size  bytes
/// @param [in] mem_pool  a pool of the stream's device
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: dev_ptr is NULL or mem_pool is not a pool;
/// hipErrorInvalidHandle: not a stream; hipErrorOutOfMemory: not that much memory is free, or
/// the pool's maxSize is reached; hipErrorNotSupported: the device has no pools.
/// Thread safety: safe.
/// Stream order: enqueued. In a capture it makes an allocation node.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemAllocAsync, cuMemAllocFromPoolAsync.

/// From the current pool of the stream's device.
hipError_t hipMallocAsync(void **dev_ptr, size_t size, hipStream_t stream);
/// From a given pool.
hipError_t hipMallocFromPoolAsync(void **dev_ptr, size_t size, hipMemPool_t mem_pool,
                                  hipStream_t stream);

/// Frees memory in stream order. Memory of hipMalloc() may be freed so as well.
/// @param [in] dev_ptr  start of an allocation, or NULL, which does nothing
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: dev_ptr is not such memory; hipErrorInvalidHandle: not a
/// stream.
/// Thread safety: safe.
/// Stream order: enqueued; reuse waits until the stream is there. In a capture it makes a free
/// node.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemFreeAsync.
hipError_t hipFreeAsync(void *dev_ptr, hipStream_t stream);

/// Creates a pool.
/// @param [out] mem_pool  the pool
/// @param [in] pool_props  where, how large and how shareable; reserved bytes 0
/// Returns: hipErrorInvalidValue: a pointer is NULL or a property (the device too) is wrong;
/// hipErrorNotSupported: the device has no pools, or no such handles;
/// hipErrorStreamCaptureUnsupported (HIP 7): a stream is being captured.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolCreate.
hipError_t hipMemPoolCreate(hipMemPool_t *mem_pool, const hipMemPoolProps *pool_props);

/// Destroys a pool. Its allocations stay valid until they are freed. If it was a device's current
/// pool, the default pool becomes that.
/// @param [in] mem_pool  a pool; not a default pool
/// Returns: hipErrorInvalidValue: mem_pool is not a pool, or a default one;
/// hipErrorStreamCaptureUnsupported (HIP 7): a stream is being captured.
/// Thread safety: no other call may use the pool at the same time or later.
/// Stream order: does not wait.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolDestroy.
hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool);

/// Returns unused memory of a pool to the system.
/// @param [in] mem_pool  a pool
/// @param [in] min_bytes_to_hold  bytes the pool may keep
/// Returns: hipErrorInvalidValue: mem_pool is not a pool.
/// Thread safety: safe.
/// Stream order: does not wait: memory still in use by enqueued work is kept.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolTrimTo.
hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold);

/// Attributes of a pool.
/// @param [in] mem_pool  a pool
/// @param [in] attr  which
/// @param [in,out] value  int or uint64_t, as hipMemPoolAttr says
/// Returns: hipErrorInvalidValue: mem_pool is not a pool, value is NULL or not allowed, or attr is
/// unknown.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolSetAttribute, cuMemPoolGetAttribute.

/// Sets it; of the counters only the High ones, and only to 0.
hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value);
/// Reads it.
hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value);

/// Lets other devices use a pool's memory, or no longer. A pool's own device always can.
/// @param [in] mem_pool  a pool
/// @param [in] desc_list  devices and rights
/// @param [in] count  their number
/// Returns: hipErrorInvalidValue: mem_pool is not a pool, desc_list is NULL, count is 0, or a right
/// is unknown or would take the own device's; hipErrorInvalidDevice: no such device;
/// hipErrorPeerAccessUnsupported: a device cannot reach the pool's.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolSetAccess.
hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc *desc_list,
                               size_t count);

/// A device's rights to a pool's memory.
/// @param [out] flags  the rights
/// @param [in] mem_pool  a pool
/// @param [in] location  the device
/// Returns: hipErrorInvalidValue: a pointer is NULL, mem_pool is not a pool, or there is no such
/// device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolGetAccess.
hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t mem_pool,
                               hipMemLocation *location);

/// Gives a pool to another process.
/// @param [in,out] shared_handle  int * (export), (void *)(intptr_t)fd (import): a file descriptor
/// @param [in,out] mem_pool  a pool created with that handle type; import: [out] the pool
/// @param [in] handle_type  hipMemHandleTypePosixFileDescriptor
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: an argument is NULL or unknown, or the pool cannot be shared;
/// hipErrorOutOfMemory: the driver is out of resources; hipErrorNotSupported: the driver cannot.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolExportToShareableHandle,
/// cuMemPoolImportFromShareableHandle.

/// Makes the handle.
hipError_t hipMemPoolExportToShareableHandle(void *shared_handle, hipMemPool_t mem_pool,
                                             hipMemAllocationHandleType handle_type,
                                             unsigned int flags);
/// Makes a pool of it, from which nothing can be allocated.
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *mem_pool, void *shared_handle,
                                               hipMemAllocationHandleType handle_type,
                                               unsigned int flags);

/// Gives an allocation of such a pool to another process.
/// @param [in,out] export_data  64 bytes to send (export: [out])
/// @param [in,out] dev_ptr  the allocation (import: [out])
/// @param [in] mem_pool  the imported pool
/// Returns: hipErrorInvalidValue: an argument is NULL, or the memory is not of such a pool;
/// hipErrorOutOfMemory: the driver is out of resources; hipErrorNotSupported: the driver cannot.
/// Thread safety: safe.
/// Stream order: using the memory must be ordered after its allocation, by an event of the other
/// process.
/// Source: HIP "Stream Ordered Memory Allocator"; cuMemPoolExportPointer, cuMemPoolImportPointer.

/// Makes the data.
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *export_data, void *dev_ptr);
/// Gives the address of the same memory here, to be freed here before it is freed there.
hipError_t hipMemPoolImportPointer(void **dev_ptr, hipMemPool_t mem_pool,
                                   hipMemPoolPtrExportData *export_data);

/// Pools of a device.
/// @param [in] device  ordinal
/// @param [in,out] mem_pool  the pool (of the getters: [out])
/// Returns: hipErrorInvalidValue: mem_pool is NULL or a pool of another device, or there is no such
/// device (hipDeviceGetDefaultMemPool(): hipErrorInvalidDevice); hipErrorNotSupported: the device
/// has no pools; hipErrorStreamCaptureUnsupported (the setter, HIP 7): a stream is being captured.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Device Management"; cuDeviceGetDefaultMemPool, cuDeviceGetMemPool,
/// cuDeviceSetMemPool.

/// The default pool, which lives as long as the device.
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *mem_pool, int device);
/// The current pool.
hipError_t hipDeviceGetMemPool(hipMemPool_t *mem_pool, int device);
/// Makes a pool current: hipMallocAsync() takes from it.
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool);

/// Pools of a location and kind of memory. Of HIP 7.2.
/// @param [in] location  a device, the host or a NUMA node
/// @param [in] type  pinned or managed
/// @param [in,out] pool, memPool  the pool (of the getters: [out])
/// Returns: hipErrorInvalidValue: an argument is NULL or unknown, or the pool is of another
/// location; hipErrorInvalidDevice: no such device; hipErrorNotSupported: there are no pools there.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Memory Management"; cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemSetMemPool.

/// The default pool.
hipError_t hipMemGetDefaultMemPool(hipMemPool_t *memPool, hipMemLocation *location,
                                   hipMemAllocationType type);
/// The current pool.
hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location,
                            hipMemAllocationType type);
/// Makes a pool current.
hipError_t hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
