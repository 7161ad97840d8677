// Memory pools and stream-ordered allocation.
#ifndef HIP_INCLUDE_HIP_API_MEMORY_POOL_H
#define HIP_INCLUDE_HIP_API_MEMORY_POOL_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipMallocAsync(void **dev_ptr, size_t size, hipStream_t stream);

hipError_t hipFreeAsync(void *dev_ptr, hipStream_t stream);

hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold);

hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value);

hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value);

hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc *desc_list,
                               size_t count);

hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t mem_pool,
                               hipMemLocation *location);

hipError_t hipMemPoolCreate(hipMemPool_t *mem_pool, const hipMemPoolProps *pool_props);

hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool);

hipError_t hipMallocFromPoolAsync(void **dev_ptr, size_t size, hipMemPool_t mem_pool,
                                  hipStream_t stream);

hipError_t hipMemPoolExportToShareableHandle(void *shared_handle, hipMemPool_t mem_pool,
                                             hipMemAllocationHandleType handle_type,
                                             unsigned int flags);

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *mem_pool, void *shared_handle,
                                               hipMemAllocationHandleType handle_type,
                                               unsigned int flags);

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *export_data, void *dev_ptr);

hipError_t hipMemPoolImportPointer(void **dev_ptr, hipMemPool_t mem_pool,
                                   hipMemPoolPtrExportData *export_data);

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *mem_pool, int device);

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool);

hipError_t hipDeviceGetMemPool(hipMemPool_t *mem_pool, int device);

hipError_t hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool);

hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location,
                            hipMemAllocationType type);

hipError_t hipMemGetDefaultMemPool(hipMemPool_t *memPool, hipMemLocation *location,
                                   hipMemAllocationType type);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
