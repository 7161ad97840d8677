/* Owns stream-ordered allocation and virtual memory management. */
#include "cuda_backend.h"

_Static_assert(sizeof(hipMemPoolPtrExportData) == sizeof(CUmemPoolPtrExportData),
               "pool pointer export data");
_Static_assert(sizeof(struct ah_backend_memory *) == sizeof(CUmemGenericAllocationHandle),
               "physical memory handles travel as pointers");

static CUmemoryPool native_pool(struct ah_backend_pool *pool)
{
    return (CUmemoryPool)(void *)pool;
}

static CUmemGenericAllocationHandle native_memory(struct ah_backend_memory *memory)
{
    return (CUmemGenericAllocationHandle)(uintptr_t)memory;
}

static CUmemLocation native_location(const struct ah_backend_device *location)
{
    return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = location->ordinal};
}

hipError_t ahcuda_pool_alloc(struct ah_backend_device *device, struct ah_backend_pool *pool,
                             size_t size, struct ah_backend_stream *stream, void **out_pointer)
{
    CUdeviceptr pointer = 0;
    CUresult result;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    result = pool ? device->api->cuMemAllocFromPoolAsync(&pointer, size, native_pool(pool),
                                                         ahcuda_stream(stream))
                  : device->api->cuMemAllocAsync(&pointer, size, ahcuda_stream(stream));
    error = ahcuda_done(device, "cuMemAllocAsync", result);
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

hipError_t ahcuda_pool_free(struct ah_backend_device *device, void *pointer,
                            struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemFreeAsync",
                       device->api->cuMemFreeAsync(ahcuda_pointer(pointer), ahcuda_stream(stream)));
}

hipError_t ahcuda_pool_default(struct ah_backend_device *device, struct ah_backend_pool **out_pool)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuDeviceGetDefaultMemPool",
        device->api->cuDeviceGetDefaultMemPool((CUmemoryPool *)(void *)out_pool, device->ordinal));
}

hipError_t ahcuda_pool_set_current(struct ah_backend_device *device, struct ah_backend_pool *pool)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuDeviceSetMemPool",
                       device->api->cuDeviceSetMemPool(device->ordinal, native_pool(pool)));
}

hipError_t ahcuda_pool_create(struct ah_backend_device *device, const hipMemPoolProps *properties,
                              struct ah_backend_pool **out_pool)
{
    CUmemPoolProps native = {
        .allocType = (int)properties->allocType,
        .handleTypes = (int)properties->handleTypes,
        .location = native_location(device),
        .maxSize = properties->maxSize,
    };
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemPoolCreate",
                       device->api->cuMemPoolCreate((CUmemoryPool *)(void *)out_pool, &native));
}

hipError_t ahcuda_pool_destroy(struct ah_backend_device *device, struct ah_backend_pool *pool)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemPoolDestroy",
                       device->api->cuMemPoolDestroy(native_pool(pool)));
}

hipError_t ahcuda_pool_trim(struct ah_backend_device *device, struct ah_backend_pool *pool,
                            size_t keep)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemPoolTrimTo",
                       device->api->cuMemPoolTrimTo(native_pool(pool), keep));
}

/* hipMemPoolAttr has CUDA's values and types. */
hipError_t ahcuda_pool_get_attribute(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                     hipMemPoolAttr attribute, void *out_value)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuMemPoolGetAttribute",
        device->api->cuMemPoolGetAttribute(native_pool(pool), (int)attribute, out_value));
}

hipError_t ahcuda_pool_set_attribute(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                     hipMemPoolAttr attribute, void *value)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuMemPoolSetAttribute",
        device->api->cuMemPoolSetAttribute(native_pool(pool), (int)attribute, value));
}

hipError_t ahcuda_pool_get_access(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                  struct ah_backend_device *location, hipMemAccessFlags *out_access)
{
    CUmemLocation native = native_location(location);
    int access = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuMemPoolGetAccess",
                            device->api->cuMemPoolGetAccess(&access, native_pool(pool), &native));
    if (error == hipSuccess)
        *out_access = (hipMemAccessFlags)access;
    return error;
}

hipError_t ahcuda_pool_set_access(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                  struct ah_backend_device *location, hipMemAccessFlags access)
{
    CUmemAccessDesc native = {.location = native_location(location), .flags = (int)access};
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemPoolSetAccess",
                       device->api->cuMemPoolSetAccess(native_pool(pool), &native, 1));
}

hipError_t ahcuda_pool_export(struct ah_backend_device *device, struct ah_backend_pool *pool,
                              hipMemAllocationHandleType type, void *out_handle)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuMemPoolExportToShareableHandle",
        device->api->cuMemPoolExportToShareableHandle(out_handle, native_pool(pool), (int)type, 0));
}

hipError_t ahcuda_pool_import(struct ah_backend_device *device, void *handle,
                              hipMemAllocationHandleType type, struct ah_backend_pool **out_pool)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemPoolImportFromShareableHandle",
                       device->api->cuMemPoolImportFromShareableHandle(
                           (CUmemoryPool *)(void *)out_pool, handle, (int)type, 0));
}

hipError_t ahcuda_pool_export_pointer(struct ah_backend_device *device, void *pointer,
                                      hipMemPoolPtrExportData *out_data)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemPoolExportPointer",
                       device->api->cuMemPoolExportPointer(
                           (CUmemPoolPtrExportData *)(void *)out_data, ahcuda_pointer(pointer)));
}

hipError_t ahcuda_pool_import_pointer(struct ah_backend_device *device,
                                      struct ah_backend_pool *pool, hipMemPoolPtrExportData *data,
                                      void **out_pointer)
{
    CUdeviceptr pointer = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error =
            ahcuda_done(device, "cuMemPoolImportPointer",
                        device->api->cuMemPoolImportPointer(
                            &pointer, native_pool(pool), (CUmemPoolPtrExportData *)(void *)data));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

static CUmemAllocationProp native_properties(const struct ah_backend_device *device,
                                             const hipMemAllocationProp *properties)
{
    return (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = properties ? (int)properties->requestedHandleType : 0,
        .location = native_location(device),
        .allocFlags.gpuDirectRDMACapable =
            properties ? properties->allocFlags.gpuDirectRDMACapable : 0,
        .allocFlags.usage = properties ? properties->allocFlags.usage : 0,
    };
}

hipError_t ahcuda_virtual_granularity(struct ah_backend_device *device,
                                      hipMemAllocationGranularity_flags which, size_t *out_size)
{
    CUmemAllocationProp native = native_properties(device, NULL);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemGetAllocationGranularity",
                       device->api->cuMemGetAllocationGranularity(out_size, &native, (int)which));
}

hipError_t ahcuda_virtual_reserve(struct ah_backend_device *device, size_t size, size_t alignment,
                                  void *hint, void **out_pointer)
{
    CUdeviceptr pointer = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = ahcuda_done(
            device, "cuMemAddressReserve",
            device->api->cuMemAddressReserve(&pointer, size, alignment, ahcuda_pointer(hint), 0));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

hipError_t ahcuda_virtual_release(struct ah_backend_device *device, void *pointer, size_t size)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemAddressFree",
                       device->api->cuMemAddressFree(ahcuda_pointer(pointer), size));
}

hipError_t ahcuda_virtual_create(struct ah_backend_device *device, size_t size,
                                 const hipMemAllocationProp *properties,
                                 struct ah_backend_memory **out_memory)
{
    CUmemAllocationProp native = native_properties(device, properties);
    CUmemGenericAllocationHandle handle = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error =
            ahcuda_done(device, "cuMemCreate", device->api->cuMemCreate(&handle, size, &native, 0));
    if (error == hipSuccess)
        *out_memory = (struct ah_backend_memory *)(uintptr_t)handle;
    return error;
}

hipError_t ahcuda_virtual_destroy(struct ah_backend_device *device,
                                  struct ah_backend_memory *memory)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemRelease", device->api->cuMemRelease(native_memory(memory)));
}

hipError_t ahcuda_virtual_map(struct ah_backend_device *device, void *pointer, size_t size,
                              size_t offset, struct ah_backend_memory *memory)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuMemMap",
        device->api->cuMemMap(ahcuda_pointer(pointer), size, offset, native_memory(memory), 0));
}

hipError_t ahcuda_virtual_unmap(struct ah_backend_device *device, void *pointer, size_t size)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemUnmap",
                       device->api->cuMemUnmap(ahcuda_pointer(pointer), size));
}

hipError_t ahcuda_virtual_set_access(struct ah_backend_device *device, void *pointer, size_t size,
                                     struct ah_backend_device *location, hipMemAccessFlags access)
{
    CUmemAccessDesc native = {.location = native_location(location), .flags = (int)access};
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemSetAccess",
                       device->api->cuMemSetAccess(ahcuda_pointer(pointer), size, &native, 1));
}

hipError_t ahcuda_virtual_get_access(struct ah_backend_device *device, void *pointer,
                                     struct ah_backend_device *location,
                                     hipMemAccessFlags *out_access)
{
    CUmemLocation native = native_location(location);
    uint64_t access = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuMemGetAccess",
                            device->api->cuMemGetAccess(&access, &native, ahcuda_pointer(pointer)));
    if (error == hipSuccess)
        *out_access = (hipMemAccessFlags)access;
    return error;
}

hipError_t ahcuda_virtual_export(struct ah_backend_device *device, struct ah_backend_memory *memory,
                                 hipMemAllocationHandleType type, void *out_handle)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuMemExportToShareableHandle",
        device->api->cuMemExportToShareableHandle(out_handle, native_memory(memory), (int)type, 0));
}

hipError_t ahcuda_virtual_import(struct ah_backend_device *device, void *handle,
                                 hipMemAllocationHandleType type,
                                 struct ah_backend_memory **out_memory)
{
    CUmemGenericAllocationHandle memory = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error =
            ahcuda_done(device, "cuMemImportFromShareableHandle",
                        device->api->cuMemImportFromShareableHandle(&memory, handle, (int)type));
    if (error == hipSuccess)
        *out_memory = (struct ah_backend_memory *)(uintptr_t)memory;
    return error;
}
