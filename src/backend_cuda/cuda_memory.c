/* Owns allocation on the device and of page-locked and managed memory, queries of pointers, and
 * sharing between processes. */
#include "cuda_backend.h"
#include "readable.h"

#include <string.h>

enum { PITCH_ALIGNMENT = 512 }; /* the alignment of cuMemAllocPitch on every device since 2.0 */

_Static_assert(sizeof(hipIpcMemHandle_t) == sizeof(CUipcMemHandle), "IPC memory handles");
_Static_assert(sizeof(hipIpcEventHandle_t) == sizeof(CUipcEventHandle), "IPC event handles");

/* Accesses of kernels are coherent, so that fine-grained and uncached memory need no flag. */
hipError_t ahcuda_memory_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                               void **out_pointer)
{
    CUdeviceptr pointer = 0;
    hipError_t error;
    if (flags == hipDeviceMallocContiguous) {
        AH_LOG_ERR("NVIDIA's driver does not report whether memory is physically contiguous");
        return hipErrorNotSupported;
    }
    error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuMemAlloc", device->api->cuMemAlloc(&pointer, size));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

hipError_t ahcuda_memory_free(struct ah_backend_device *device, void *pointer)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemFree", device->api->cuMemFree(ahcuda_pointer(pointer)));
}

size_t ahcuda_memory_pitch_alignment(struct ah_backend_device *device)
{
    (void)device;
    return PITCH_ALIGNMENT;
}

/* HIP's portable, mapped and write-combined bits are CUDA's; the others set how AMD devices cache
 * the memory, which is always coherent on NVIDIA devices. Page-locked memory is usable from every
 * device under HIP, hence portable and mapped. */
hipError_t ahcuda_host_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                             void **out_pointer)
{
    unsigned native = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                      (flags & hipHostMallocWriteCombined ? CU_MEMHOSTALLOC_WRITECOMBINED : 0);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemHostAlloc",
                       device->api->cuMemHostAlloc(out_pointer, size, native));
}

hipError_t ahcuda_host_free(struct ah_backend_device *device, void *pointer)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemFreeHost", device->api->cuMemFreeHost(pointer));
}

hipError_t ahcuda_host_register(struct ah_backend_device *device, void *pointer, size_t size,
                                unsigned flags)
{
    unsigned native = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                      (flags & hipHostRegisterIoMemory ? CU_MEMHOSTREGISTER_IOMEMORY : 0);
    /* hipHostRegisterReadOnly is the bit of hipExtHostRegisterCoarseGrained: a hint that is
     * ignored, since the bit has two meanings. */
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    CUresult result = device->api->cuMemHostRegister(pointer, size, native);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && !(flags & hipHostRegisterIoMemory) &&
        ah_memory_readable(pointer) < size) { /* the driver's for what it could not lock */
        AH_LOG_ERR("of %zu bytes at %p the program has %zu: no others can be registered", size,
                   pointer, ah_memory_readable(pointer));
        return hipErrorInvalidValue;
    }
    return ahcuda_done(device, "cuMemHostRegister", result);
}

hipError_t ahcuda_host_unregister(struct ah_backend_device *device, void *pointer)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemHostUnregister", device->api->cuMemHostUnregister(pointer));
}

hipError_t ahcuda_host_device_pointer(struct ah_backend_device *device, void *host_pointer,
                                      void **out_pointer)
{
    CUdeviceptr pointer = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuMemHostGetDevicePointer",
                            device->api->cuMemHostGetDevicePointer(&pointer, host_pointer, 0));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

hipError_t ahcuda_managed_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                                void **out_pointer)
{
    CUdeviceptr pointer = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuMemAllocManaged",
                            device->api->cuMemAllocManaged(&pointer, size, flags));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

static CUdevice location_ordinal(const struct ah_backend_device *location)
{
    return location ? location->ordinal : CU_DEVICE_CPU;
}

hipError_t ahcuda_managed_prefetch(struct ah_backend_device *device, const void *pointer,
                                   size_t size, struct ah_backend_device *location,
                                   struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemPrefetchAsync",
                       device->api->cuMemPrefetchAsync(ahcuda_pointer(pointer), size,
                                                       location_ordinal(location),
                                                       ahcuda_stream(stream)));
}

hipError_t ahcuda_managed_advise(struct ah_backend_device *device, const void *pointer, size_t size,
                                 hipMemoryAdvise advice, struct ah_backend_device *location)
{
    if (advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain)
        return hipSuccess; /* permits incoherent caching, which does not happen */
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemAdvise",
                       device->api->cuMemAdvise(ahcuda_pointer(pointer), size, (int)advice,
                                                location_ordinal(location)));
}

hipError_t ahcuda_managed_attribute(struct ah_backend_device *device, void *out_data,
                                    size_t data_size, hipMemRangeAttribute attribute,
                                    const void *pointer, size_t size)
{
    if (attribute == hipMemRangeAttributeCoherencyMode) {
        const hipMemRangeCoherencyMode mode = hipMemRangeCoherencyModeFineGrain;
        if (data_size != sizeof mode)
            return hipErrorInvalidValue;
        memcpy(out_data, &mode, sizeof mode);
        return hipSuccess;
    }
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemRangeGetAttribute",
                       device->api->cuMemRangeGetAttribute(out_data, data_size, (int)attribute,
                                                           ahcuda_pointer(pointer), size));
}

hipError_t ahcuda_managed_attach(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 void *pointer, size_t size, unsigned flags)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuStreamAttachMemAsync",
                       device->api->cuStreamAttachMemAsync(ahcuda_stream(stream),
                                                           ahcuda_pointer(pointer), size, flags));
}

static enum ah_memory_kind memory_kind(unsigned type, unsigned managed)
{
    if (managed)
        return AH_MEMORY_MANAGED;
    return type == CU_MEMORYTYPE_HOST     ? AH_MEMORY_HOST
           : type == CU_MEMORYTYPE_DEVICE ? AH_MEMORY_DEVICE
                                          : AH_MEMORY_UNKNOWN;
}

void ahcuda_pointer_info(struct ah_backend_device *device, const void *pointer,
                         struct ah_pointer_info *out_info)
{
    unsigned type = 0, managed = 0;
    int ordinal = CU_DEVICE_INVALID;
    CUdeviceptr base = 0, device_pointer = 0;
    size_t size = 0;
    void *host_pointer = NULL;
    int attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                        CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                        CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *values[] = {&type, &managed, &ordinal, &base, &size, &device_pointer, &host_pointer};

    *out_info = (struct ah_pointer_info){.kind = AH_MEMORY_UNKNOWN, .device_index = -1};
    if (ahcuda_enter(device) != hipSuccess ||
        device->api->cuPointerGetAttributes(sizeof attributes / sizeof *attributes, attributes,
                                            values, ahcuda_pointer(pointer)) != CUDA_SUCCESS)
        return;
    out_info->kind = memory_kind(type, managed);
    if (out_info->kind == AH_MEMORY_UNKNOWN)
        return;
    out_info->device_index = ordinal >= 0 ? ordinal : -1;
    out_info->base = (void *)(uintptr_t)base;
    out_info->size = size;
    out_info->host_pointer = host_pointer;
    out_info->device_pointer = (void *)(uintptr_t)device_pointer;
}

/* HIP's attributes have CUDA's numbers. */
hipError_t ahcuda_pointer_attribute(struct ah_backend_device *device, void *out_data,
                                    hipPointer_attribute attribute, const void *pointer)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuPointerGetAttribute",
        device->api->cuPointerGetAttribute(out_data, (int)attribute, ahcuda_pointer(pointer)));
}

hipError_t ahcuda_pointer_set_attribute(struct ah_backend_device *device, const void *value,
                                        hipPointer_attribute attribute, void *pointer)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuPointerSetAttribute",
        device->api->cuPointerSetAttribute(value, (int)attribute, ahcuda_pointer(pointer)));
}

hipError_t ahcuda_ipc_export_memory(struct ah_backend_device *device, void *pointer,
                                    hipIpcMemHandle_t *out_handle)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuIpcGetMemHandle",
                       device->api->cuIpcGetMemHandle((CUipcMemHandle *)(void *)out_handle,
                                                      ahcuda_pointer(pointer)));
}

hipError_t ahcuda_ipc_import_memory(struct ah_backend_device *device,
                                    const hipIpcMemHandle_t *handle, unsigned flags,
                                    void **out_pointer)
{
    CUipcMemHandle native;
    CUdeviceptr pointer = 0;
    hipError_t error = ahcuda_enter(device);
    memcpy(&native, handle, sizeof native);
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuIpcOpenMemHandle",
                            device->api->cuIpcOpenMemHandle(&pointer, native, flags));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

hipError_t ahcuda_ipc_close_memory(struct ah_backend_device *device, void *pointer)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuIpcCloseMemHandle",
                       device->api->cuIpcCloseMemHandle(ahcuda_pointer(pointer)));
}

hipError_t ahcuda_ipc_export_event(struct ah_backend_device *device, struct ah_backend_event *event,
                                   hipIpcEventHandle_t *out_handle)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuIpcGetEventHandle",
                       device->api->cuIpcGetEventHandle((CUipcEventHandle *)(void *)out_handle,
                                                        (CUevent)(void *)event));
}

hipError_t ahcuda_ipc_import_event(struct ah_backend_device *device,
                                   const hipIpcEventHandle_t *handle,
                                   struct ah_backend_event **out_event)
{
    CUipcEventHandle native;
    hipError_t error = ahcuda_enter(device);
    memcpy(&native, handle, sizeof native);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuIpcOpenEventHandle",
                       device->api->cuIpcOpenEventHandle((CUevent *)(void *)out_event, native));
}
