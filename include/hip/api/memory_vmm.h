// Virtual memory: ranges of addresses, physical memory, and which is behind which. Sizes,
// addresses and offsets are multiples of hipMemGetAllocationGranularity().
#ifndef HIP_INCLUDE_HIP_API_MEMORY_VMM_H
#define HIP_INCLUDE_HIP_API_MEMORY_VMM_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Reserves addresses. Nothing is behind them yet.
/// @param [out] ptr  the start
/// @param [in] size  bytes
/// @param [in] alignment  of the start, a power of two; 0 for the granularity
/// @param [in] addr  a wish; NULL for any
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: ptr is NULL or flags is not 0; hipErrorOutOfMemory: size is 0 or
/// not a multiple of a page, alignment is not a power of two, or no such range is free;
/// hipErrorNotSupported: the device cannot
/// (hipDeviceAttributeVirtualMemoryManagementSupported).
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemAddressReserve.
hipError_t hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr,
                                unsigned long long flags);

/// Gives addresses back.
/// @param [in] devPtr  from hipMemAddressReserve()
/// @param [in] size  the same as there
/// Returns: hipErrorInvalidValue: devPtr or size is not that of a reservation, or something is
/// still mapped.
/// Thread safety: the range must not be in use by another call.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemAddressFree.
hipError_t hipMemAddressFree(void *devPtr, size_t size);

/// Allocates physical memory.
/// @param [out] handle  the memory, released by hipMemRelease()
/// @param [in] size  bytes
/// @param [in] prop  where and how shareable
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: a pointer is NULL, size is 0 or no multiple, or a property (the
/// device too) is wrong; hipErrorOutOfMemory: not that much memory is free; hipErrorNotSupported:
/// the device cannot.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemCreate.
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
                        const hipMemAllocationProp *prop, unsigned long long flags);

/// Drops a reference to physical memory, which is freed when no reference and no mapping is left.
/// @param [in] handle  the memory
/// Returns: hipErrorInvalidValue: not such memory.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemRelease.
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);

/// Puts physical memory behind addresses. It can be used only after hipMemSetAccess().
/// @param [in] ptr  inside a reservation, nothing mapped there
/// @param [in] size  bytes
/// @param [in] offset  into the memory: 0
/// @param [in] handle  the memory
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: an argument is wrong, the range is not reserved or is mapped, or
/// the memory is smaller; hipErrorOutOfMemory: the driver is out of resources.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemMap.
hipError_t hipMemMap(void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags);

/// Takes physical memory away from addresses.
/// @param [in] ptr  start of a mapping
/// @param [in] size  bytes: whole mappings
/// Returns: hipErrorInvalidValue: the range is not that of mappings.
/// Thread safety: the range must not be in use by another call.
/// Stream order: waits for the device.
/// Source: HIP "Virtual Memory Management"; cuMemUnmap.
hipError_t hipMemUnmap(void *ptr, size_t size);

/// Gives devices rights to mapped addresses.
/// @param [in] ptr  start of a mapping
/// @param [in] size  bytes: whole mappings
/// @param [in] desc  places and rights
/// @param [in] count  their number
/// Returns: hipErrorInvalidValue: a pointer is NULL, count is 0, the range is not mapped, or a
/// device or right is unknown; hipErrorPeerAccessUnsupported: a device cannot reach the memory.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemSetAccess.
hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count);

/// A device's rights to mapped addresses.
/// @param [out] flags  hipMemAccessFlags
/// @param [in] location  the device
/// @param [in] ptr  a mapped address
/// Returns: hipErrorInvalidValue: a pointer is NULL, ptr is not mapped, or there is no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemGetAccess.
hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr);

/// What sizes and addresses must be multiples of.
/// @param [out] granularity  bytes
/// @param [in] prop  the kind of memory
/// @param [in] option  the least, or the best for speed
/// Returns: hipErrorInvalidValue: a pointer is NULL, an argument is unknown, or there is no such
/// device; hipErrorNotSupported: the device cannot.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemGetAllocationGranularity.
hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop,
                                          hipMemAllocationGranularity_flags option);

/// The properties with which physical memory was created.
/// @param [out] prop  the properties
/// @param [in] handle  the memory
/// Returns: hipErrorInvalidValue: prop is NULL or not such memory.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemGetAllocationPropertiesFromHandle.
hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *prop,
                                                   hipMemGenericAllocationHandle_t handle);

/// The physical memory behind an address, with a new reference.
/// @param [out] handle  the memory, released by hipMemRelease()
/// @param [in] addr  a mapped address
/// Returns: hipErrorInvalidValue: a pointer is NULL or addr is not mapped.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemRetainAllocationHandle.
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *addr);

/// Gives physical memory to another process.
/// @param [in,out] shareableHandle, osHandle  int * (export), (void *)(intptr_t)fd (import): a file
///     descriptor; or hipMemFabricHandle_t *
/// @param [in,out] handle  memory created with that handle type (import: [out])
/// @param [in] handleType, shHandleType  which kind
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: an argument is NULL or unknown, or the memory cannot be shared
/// so; hipErrorNotSupported: the driver cannot.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Virtual Memory Management"; cuMemExportToShareableHandle,
/// cuMemImportFromShareableHandle.

/// Makes the handle.
hipError_t hipMemExportToShareableHandle(void *shareableHandle,
                                         hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType handleType,
                                         unsigned long long flags);
/// Makes memory of it. osHandle is the file descriptor as a pointer, or the address of an int that
/// holds it, as before HIP 7.1.
hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *osHandle,
                                           hipMemAllocationHandleType shHandleType);

/// Binds memory to parts of arrays that were made with anyhipArraySparse (hip/anyhip.h), or takes
/// it away. Parts are tiles of 64 KiB, in the shapes of CUDA's arrays; memory is made for them by
/// hipMemCreate() with 1 in allocFlags.usage (CU_MEM_CREATE_USAGE_TILE_POOL). In resource.mipmap,
/// which HIP declares as a structure, is a copy of what the handle of a mipmapped array points to;
/// the handle itself may be in resource.array.
/// @param [in] mapInfoList  the parts
/// @param [in] count  their number
/// @param [in] stream  a stream of the arrays' device; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: mapInfoList is NULL, count is 0, a field has an unknown value,
/// memory is no handle of hipMemCreate(), or the part is not whole tiles; hipErrorInvalidHandle:
/// not an array; hipErrorNotSupported: the device has no sparse arrays, as AMD's;
/// hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Virtual Memory Management"; cuMemMapArrayAsync.
hipError_t hipMemMapArrayAsync(hipArrayMapInfo *mapInfoList, unsigned int count,
                               hipStream_t stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
