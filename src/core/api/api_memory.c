/* Allocation: device, page-locked and managed memory, registration, free memory. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <stdlib.h>

/* ---- device memory ------------------------------------------------------- */

/* Registers the allocation; frees it if that fails, so that it does not leak. */
static hipError_t remember(const struct ah_allocation *allocation)
{
    if (ah_memory_register(allocation) == hipSuccess)
        return hipSuccess;
    struct ah_device *device = allocation->device;
    void *pointer = (void *)allocation->range.start;
    if (allocation->kind == AH_MEMORY_HOST)
        device->ops->host_free(device->native, pointer);
    else
        device->ops->memory_free(device->native, pointer);
    return hipErrorOutOfMemory;
}

static hipError_t out_of_memory(struct ah_device *device, size_t size)
{
    size_t free = 0, total = 0;
    if (ah_log_on(AH_LOG_ERROR, AH_LOG_ALWAYS) &&
        device->ops->device_memory_info(device->native, &free, &total) == hipSuccess)
        AH_LOG_ERR("Allocation failed : Device memory : required :%zu | free :%zu | total :%zu",
                   size, free, total);
    return hipErrorOutOfMemory;
}

hipError_t ah_memory_alloc(void **out_pointer, size_t size, unsigned flags)
{
    void *pointer;
    struct ah_device *device = ah_device_current();
    if (!out_pointer)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    if (size == 0) {
        *out_pointer = NULL;
        return hipSuccess;
    }
    hipError_t error = device->ops->memory_alloc(device->native, size, flags, &pointer);
    if (error == hipErrorOutOfMemory)
        return out_of_memory(device, size);
    if (error == hipSuccess)
        error = remember(&(struct ah_allocation){
            .range = {.start = (uintptr_t)pointer, .size = size},
            .device = device,
            .kind = AH_MEMORY_DEVICE,
            .flags = flags,
        });
    if (error == hipSuccess)
        *out_pointer = pointer;
    return error;
}

hipError_t hipMalloc(void **ptr, size_t size)
{
    AH_ENTER_UNSAFE(hipMalloc);
    return AH_LEAVE(ah_memory_alloc(ptr, size, hipDeviceMallocDefault));
}

static bool extended_flags_valid(size_t size, unsigned flags)
{
    enum { SIGNAL_SIZE = 8 };
    return flags <= hipDeviceMallocContiguous &&
           (flags != hipMallocSignalMemory || size == SIGNAL_SIZE);
}

hipError_t hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipExtMallocWithFlags);
    if (!extended_flags_valid(sizeBytes, flags))
        return AH_LEAVE(hipErrorInvalidValue);
    if (flags == hipMallocSignalMemory) /* which both the host and a stream read and write */
        return AH_LEAVE(ah_host_alloc(ptr, sizeBytes, hipHostMallocCoherent));
    return AH_LEAVE(ah_memory_alloc(ptr, sizeBytes, flags));
}

hipError_t ah_memory_alloc_pitch(void **out_pointer, size_t *out_pitch, size_t width, size_t height)
{
    struct ah_device *device = ah_device_current();
    size_t size, pitch;
    if (!out_pointer || !out_pitch)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    size_t alignment = device->ops->memory_pitch_alignment(device->native);
    if (width > SIZE_MAX - alignment)
        return hipErrorInvalidValue;
    pitch = (width + alignment - 1) & ~(alignment - 1);
    if (__builtin_mul_overflow(pitch, height, &size))
        return hipErrorOutOfMemory;
    hipError_t error = ah_memory_alloc(out_pointer, size, hipDeviceMallocDefault);
    if (error == hipSuccess)
        *out_pitch = pitch;
    return error;
}

hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    AH_ENTER_UNSAFE(hipMallocPitch);
    return AH_LEAVE(ah_memory_alloc_pitch(ptr, pitch, width, height));
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *dptr, size_t *pitch, size_t widthInBytes, size_t height,
                            unsigned int elementSizeBytes)
{
    AH_ENTER_UNSAFE(hipMemAllocPitch);
    if (widthInBytes == 0 || height == 0 ||
        (elementSizeBytes != 4 && elementSizeBytes != 8 && elementSizeBytes != 16))
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(ah_memory_alloc_pitch(dptr, pitch, widthInBytes, height));
}

static hipError_t alloc_3d(hipPitchedPtr *out, hipExtent extent)
{
    size_t rows;
    if (!out)
        return hipErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return hipErrorOutOfMemory;
    hipError_t error = ah_memory_alloc_pitch(&out->ptr, &out->pitch, extent.width, rows);
    if (error == hipSuccess) {
        out->xsize = extent.width;
        out->ysize = extent.height;
    }
    return error;
}

hipError_t hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent)
{
    AH_ENTER_UNSAFE(hipMalloc3D);
    return AH_LEAVE(alloc_3d(pitchedDevPtr, extent));
}

/* Memory that a vendor's library allocated is freed by the driver that knows it. */
static hipError_t free_foreign(void *pointer)
{
    struct ah_pointer_info info;
    struct ah_device *device = ah_memory_describe(pointer, &info);
    bool whole = info.base == pointer;
    if (!device || !whole || (info.kind != AH_MEMORY_DEVICE && info.kind != AH_MEMORY_MANAGED)) {
        AH_LOG_ERR("%p is not the start of an allocation", pointer);
        return hipErrorInvalidValue;
    }
    return device->ops->memory_free(device->native, pointer);
}

static bool may_free(const struct ah_allocation *allocation)
{
    return allocation->kind != AH_MEMORY_REGISTERED &&
           (allocation->origin == AH_ORIGIN_PLAIN || allocation->origin == AH_ORIGIN_POOL);
}

hipError_t ah_memory_free(void *pointer)
{
    struct ah_allocation allocation;
    if (!pointer)
        return hipSuccess;
    if (!ah_device_current())
        return hipErrorNoDevice;
    if (!ah_memory_find(pointer, &allocation))
        return free_foreign(pointer);
    if (allocation.origin == AH_ORIGIN_GRAPH)
        return allocation.free(pointer, NULL);
    if (!may_free(&allocation) || !ah_memory_unregister(pointer, &allocation)) {
        AH_LOG_ERR("%p is not the start of an allocation that can be freed", pointer);
        return hipErrorInvalidValue;
    }
    struct ah_device *device = allocation.device;
    return ah_memory_finish_free(&allocation,
                                 allocation.kind == AH_MEMORY_HOST
                                     ? device->ops->host_free(device->native, pointer)
                                     : device->ops->memory_free(device->native, pointer));
}

hipError_t hipFree(void *ptr)
{
    AH_ENTER_UNSAFE(hipFree);
    return AH_LEAVE(ah_memory_free(ptr));
}

static hipError_t memory_info(size_t *out_free, size_t *out_total)
{
    size_t free, total;
    struct ah_device *device = ah_device_current();
    if (!out_free && !out_total)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->device_memory_info(device->native, &free, &total);
    if (error == hipSuccess && out_free)
        *out_free = free;
    if (error == hipSuccess && out_total)
        *out_total = total;
    return error;
}

hipError_t hipMemGetInfo(size_t *free, size_t *total)
{
    AH_ENTER(hipMemGetInfo);
    return AH_LEAVE(memory_info(free, total));
}

static hipError_t allocation_size(void *pointer, size_t *out_size)
{
    struct ah_pointer_info info;
    if (!pointer || !out_size)
        return hipErrorInvalidValue;
    if (!ah_memory_describe(pointer, &info))
        return hipErrorInvalidValue;
    *out_size = info.size;
    return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void *ptr, size_t *size)
{
    AH_ENTER(hipMemPtrGetInfo);
    return AH_LEAVE(allocation_size(ptr, size));
}

static hipError_t address_range(void **out_base, size_t *out_size, void *pointer)
{
    struct ah_pointer_info info;
    if (!ah_memory_describe(pointer, &info))
        return hipErrorNotFound;
    if (out_base)
        *out_base = info.base;
    if (out_size)
        *out_size = info.size;
    return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *pbase, size_t *psize, hipDeviceptr_t dptr)
{
    AH_ENTER(hipMemGetAddressRange);
    return AH_LEAVE(address_range(pbase, psize, dptr));
}

/* ---- page-locked host memory --------------------------------------------- */

hipError_t ah_host_alloc(void **out_pointer, size_t size, unsigned flags)
{
    const unsigned coherence = hipHostMallocCoherent | hipHostMallocNonCoherent;
    const unsigned known = hipHostMallocPortable | hipHostMallocMapped |
                           hipHostMallocWriteCombined | hipHostMallocNumaUser | coherence;
    void *pointer, *device_pointer;
    struct ah_device *device = ah_device_current();
    if (!out_pointer || (flags & ~known) != 0 || (flags & coherence) == coherence)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    if (size == 0) {
        *out_pointer = NULL;
        return hipSuccess;
    }
    hipError_t error = device->ops->host_alloc(device->native, size, flags, &pointer);
    if (error != hipSuccess)
        return error;
    if (device->ops->host_device_pointer(device->native, pointer, &device_pointer) != hipSuccess)
        device_pointer = pointer;
    error = remember(&(struct ah_allocation){
        .range = {.start = (uintptr_t)pointer, .size = size},
        .device = device,
        .kind = AH_MEMORY_HOST,
        .flags = flags,
        .device_pointer = device_pointer,
    });
    if (error == hipSuccess)
        *out_pointer = pointer;
    return error;
}

hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipHostMalloc);
    return AH_LEAVE(ah_host_alloc(ptr, size, flags));
}

hipError_t hipExtHostAlloc(void **ptr, size_t size, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipExtHostAlloc);
    return AH_LEAVE(ah_host_alloc(ptr, size, flags));
}

hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipHostAlloc);
    if (flags & ~(unsigned)(hipHostAllocPortable | hipHostAllocMapped | hipHostAllocWriteCombined))
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(ah_host_alloc(ptr, size, flags));
}

hipError_t hipMallocHost(void **ptr, size_t size)
{
    AH_ENTER_UNSAFE(hipMallocHost);
    return AH_LEAVE(ah_host_alloc(ptr, size, hipHostMallocDefault));
}

hipError_t hipMemAllocHost(void **ptr, size_t size)
{
    AH_ENTER_UNSAFE(hipMemAllocHost);
    return AH_LEAVE(ah_host_alloc(ptr, size, hipHostMallocDefault));
}

hipError_t ah_host_free(void *pointer)
{
    struct ah_allocation allocation;
    if (!pointer)
        return hipSuccess;
    if (!ah_memory_find(pointer, &allocation) || allocation.kind != AH_MEMORY_HOST ||
        !ah_memory_unregister(pointer, &allocation)) {
        AH_LOG_ERR("%p was not allocated as page-locked host memory", pointer);
        return hipErrorInvalidValue;
    }
    return ah_memory_finish_free(
        &allocation, allocation.device->ops->host_free(allocation.device->native, pointer));
}

hipError_t hipHostFree(void *ptr)
{
    AH_ENTER_UNSAFE(hipHostFree);
    return AH_LEAVE(ah_host_free(ptr));
}

hipError_t hipFreeHost(void *ptr)
{
    AH_ENTER_UNSAFE(hipFreeHost);
    return AH_LEAVE(ah_host_free(ptr));
}

static hipError_t host_flags(unsigned *out_flags, void *pointer)
{
    struct ah_allocation allocation;
    if (!out_flags || !pointer || !ah_memory_find(pointer, &allocation) ||
        (allocation.kind != AH_MEMORY_HOST && allocation.kind != AH_MEMORY_REGISTERED))
        return hipErrorInvalidValue;
    *out_flags = allocation.flags;
    return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned int *flagsPtr, void *hostPtr)
{
    AH_ENTER(hipHostGetFlags);
    return AH_LEAVE(host_flags(flagsPtr, hostPtr));
}

static hipError_t host_device_pointer(void **out_pointer, void *host, unsigned flags)
{
    struct ah_pointer_info info;
    if (!out_pointer || !host || flags != 0)
        return hipErrorInvalidValue;
    if (!ah_device_current())
        return hipErrorNoDevice;
    if (!ah_memory_describe(host, &info) || info.kind == AH_MEMORY_DEVICE) {
        AH_LOG_ERR("%p is not page-locked memory", host);
        return hipErrorInvalidValue;
    }
    *out_pointer = info.device_pointer;
    return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void **devPtr, void *hstPtr, unsigned int flags)
{
    AH_ENTER(hipHostGetDevicePointer);
    return AH_LEAVE(host_device_pointer(devPtr, hstPtr, flags));
}

static hipError_t register_host(void *pointer, size_t size, unsigned flags)
{
    const unsigned known = hipHostRegisterPortable | hipHostRegisterMapped |
                           hipHostRegisterIoMemory | hipHostRegisterReadOnly;
    void *device_pointer = pointer;
    struct ah_device *device = ah_device_current();
    if (!pointer || size == 0 || size > SIZE_MAX - (uintptr_t)pointer || (flags & ~known) != 0)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->host_register(device->native, pointer, size, flags);
    if (error != hipSuccess)
        return error;
    device->ops->host_device_pointer(device->native, pointer, &device_pointer);
    error = ah_memory_register(&(struct ah_allocation){
        .range = {.start = (uintptr_t)pointer, .size = size},
        .device = device,
        .kind = AH_MEMORY_REGISTERED,
        .flags = flags,
        .device_pointer = device_pointer,
    });
    if (error != hipSuccess)
        device->ops->host_unregister(device->native, pointer);
    return error;
}

hipError_t hipHostRegister(void *hostPtr, size_t sizeBytes, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipHostRegister);
    return AH_LEAVE(register_host(hostPtr, sizeBytes, flags));
}

static hipError_t unregister_host(void *pointer)
{
    struct ah_allocation allocation;
    if (!pointer)
        return hipErrorInvalidValue;
    if (!ah_memory_find(pointer, &allocation) || allocation.kind != AH_MEMORY_REGISTERED ||
        !ah_memory_unregister(pointer, &allocation)) {
        AH_LOG_ERR("memory at %p is not registered", pointer);
        return hipErrorHostMemoryNotRegistered;
    }
    return ah_memory_finish_free(
        &allocation, allocation.device->ops->host_unregister(allocation.device->native, pointer));
}

hipError_t hipHostUnregister(void *hostPtr)
{
    AH_ENTER_UNSAFE(hipHostUnregister);
    return AH_LEAVE(unregister_host(hostPtr));
}

/* ---- managed memory ------------------------------------------------------ */

static hipError_t alloc_managed(void **out_pointer, size_t size, unsigned flags)
{
    void *pointer;
    struct ah_device *device = ah_device_current();
    if (!out_pointer || size == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->managed_alloc(device->native, size, flags, &pointer);
    if (error == hipErrorOutOfMemory)
        return out_of_memory(device, size);
    if (error == hipSuccess)
        error = remember(&(struct ah_allocation){
            .range = {.start = (uintptr_t)pointer, .size = size},
            .device = device,
            .kind = AH_MEMORY_MANAGED,
            .flags = flags,
        });
    if (error == hipSuccess)
        *out_pointer = pointer;
    return error;
}

hipError_t hipMallocManaged(void **dev_ptr, size_t size, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipMallocManaged);
    return AH_LEAVE(alloc_managed(dev_ptr, size, flags));
}

/* ---- memory of other processes -------------------------------------------- */

static hipError_t export_memory(hipIpcMemHandle_t *out_handle, void *pointer)
{
    struct ah_allocation allocation;
    if (!out_handle || !pointer)
        return hipErrorInvalidValue;
    if (!ah_memory_find(pointer, &allocation) || allocation.kind != AH_MEMORY_DEVICE) {
        AH_LOG_ERR("%p is not device memory that can be shared", pointer);
        return hipErrorInvalidValue;
    }
    return allocation.device->ops->ipc_export_memory(allocation.device->native, pointer,
                                                     out_handle);
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr)
{
    AH_ENTER(hipIpcGetMemHandle);
    return AH_LEAVE(export_memory(handle, devPtr));
}

static hipError_t import_memory(void **out_pointer, const hipIpcMemHandle_t *handle, unsigned flags)
{
    void *pointer;
    struct ah_pointer_info info;
    struct ah_device *device = ah_device_current();
    if (!out_pointer || flags != hipIpcMemLazyEnablePeerAccess)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->ipc_import_memory(device->native, handle, flags, &pointer);
    if (error != hipSuccess)
        return error;
    device->ops->pointer_info(device->native, pointer, &info);
    if (ah_memory_register(&(struct ah_allocation){
            .range = {.start = (uintptr_t)pointer, .size = info.size},
            .device = device,
            .kind = AH_MEMORY_DEVICE,
            .origin = AH_ORIGIN_IPC,
        }) != hipSuccess) {
        device->ops->ipc_close_memory(device->native, pointer);
        return hipErrorOutOfMemory;
    }
    *out_pointer = pointer;
    return hipSuccess;
}

hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags)
{
    AH_ENTER(hipIpcOpenMemHandle);
    return AH_LEAVE(import_memory(devPtr, &handle, flags));
}

static hipError_t close_memory(void *pointer)
{
    struct ah_allocation allocation;
    if (!pointer || !ah_memory_find(pointer, &allocation) || allocation.origin != AH_ORIGIN_IPC ||
        !ah_memory_unregister(pointer, &allocation))
        return hipErrorInvalidValue;
    return ah_memory_finish_free(
        &allocation, allocation.device->ops->ipc_close_memory(allocation.device->native, pointer));
}

hipError_t hipIpcCloseMemHandle(void *devPtr)
{
    AH_ENTER(hipIpcCloseMemHandle);
    return AH_LEAVE(close_memory(devPtr));
}
