/* Owns virtual memory management, with address ranges and physical memory that are allocated
 * separately. It needs ROCm 6 or later. */
#include "hsa_allocation.h"

#include <stdlib.h>

struct ah_backend_memory {
    hsa_amd_vmem_alloc_handle_t handle;
};

/* The beginning of all entries here. */
static hipError_t enter(struct ah_backend_device *device)
{
    const struct ahhsa_api *api = device->api;
    bool supported = false;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (!api->hsa_amd_vmem_address_reserve || !api->hsa_amd_vmem_address_free ||
        !api->hsa_amd_vmem_handle_create || !api->hsa_amd_vmem_handle_release ||
        !api->hsa_amd_vmem_map || !api->hsa_amd_vmem_unmap || !api->hsa_amd_vmem_set_access ||
        !api->hsa_amd_vmem_get_access)
        return ahhsa_missing(device, "hsa_amd_vmem_handle_create");
    if (api->hsa_system_get_info((hsa_system_info_t)HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED,
                                 &supported) == HSA_STATUS_SUCCESS &&
        supported)
        return hipSuccess;
    return ahhsa_refuse(device, "virtual memory management", "the kernel driver is too old for it");
}

static hipError_t granule(struct ah_backend_device *device, hsa_amd_memory_pool_info_t which,
                          size_t *out_size)
{
    return ahhsa_done(
        device, "hsa_amd_memory_pool_get_info",
        device->api->hsa_amd_memory_pool_get_info(device->pools.device_coarse, which, out_size));
}

hipError_t ahhsa_virtual_granularity(struct ah_backend_device *device,
                                     hipMemAllocationGranularity_flags which, size_t *out_size)
{
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    return granule(device,
                   which == hipMemAllocationGranularityRecommended
                       ? HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE
                       : HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE,
                   out_size);
}

hipError_t ahhsa_virtual_reserve(struct ah_backend_device *device, size_t size, size_t alignment,
                                 void *hint, void **out_pointer)
{
    const struct ahhsa_api *api = device->api;
    uint64_t address = (uintptr_t)hint;
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    if (alignment == 0)
        return ahhsa_done(device, "hsa_amd_vmem_address_reserve",
                          api->hsa_amd_vmem_address_reserve(out_pointer, size, address, 0));
    if (!api->hsa_amd_vmem_address_reserve_align)
        return ahhsa_missing(device, "hsa_amd_vmem_address_reserve_align");
    return ahhsa_done(
        device, "hsa_amd_vmem_address_reserve_align",
        api->hsa_amd_vmem_address_reserve_align(out_pointer, size, address, alignment, 0));
}

hipError_t ahhsa_virtual_release(struct ah_backend_device *device, void *pointer, size_t size)
{
    hipError_t error = enter(device);
    return error == hipSuccess ? ahhsa_done(device, "hsa_amd_vmem_address_free",
                                            device->api->hsa_amd_vmem_address_free(pointer, size))
                               : error;
}

static hipError_t wrap(struct ah_backend_device *device, hsa_amd_vmem_alloc_handle_t handle,
                       struct ah_backend_memory **out_memory)
{
    struct ah_backend_memory *memory = malloc(sizeof *memory);
    if (!memory) {
        device->api->hsa_amd_vmem_handle_release(handle);
        return hipErrorOutOfMemory;
    }
    memory->handle = handle;
    *out_memory = memory;
    return hipSuccess;
}

hipError_t ahhsa_virtual_create(struct ah_backend_device *device, size_t size,
                                const hipMemAllocationProp *properties,
                                struct ah_backend_memory **out_memory)
{
    hsa_amd_vmem_alloc_handle_t handle;
    size_t unit = 0;
    hipError_t error = enter(device);
    (void)properties; /* only pinned memory of the device is supported, and all of it can be
                         exported */
    if (error == hipSuccess)
        error = granule(device, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &unit);
    if (error != hipSuccess)
        return error;
    if (unit == 0 || size % unit != 0) {
        AH_LOG_ERR("the size of %zu bytes is not a multiple of the granularity, %zu", size, unit);
        return hipErrorInvalidValue;
    }
    hsa_status_t status = device->api->hsa_amd_vmem_handle_create(device->pools.device_coarse, size,
                                                                  MEMORY_TYPE_PINNED, 0, &handle);
    if (status == HSA_STATUS_ERROR_INVALID_ALLOCATION)
        return hipErrorOutOfMemory;
    error = ahhsa_done(device, "hsa_amd_vmem_handle_create", status);
    return error == hipSuccess ? wrap(device, handle, out_memory) : error;
}

hipError_t ahhsa_virtual_destroy(struct ah_backend_device *device, struct ah_backend_memory *memory)
{
    hipError_t error = enter(device);
    if (error != hipSuccess)
        return error;
    error = ahhsa_done(device, "hsa_amd_vmem_handle_release",
                       device->api->hsa_amd_vmem_handle_release(memory->handle));
    if (error == hipSuccess)
        free(memory);
    return error;
}

hipError_t ahhsa_virtual_map(struct ah_backend_device *device, void *pointer, size_t size,
                             size_t offset, struct ah_backend_memory *memory)
{
    hipError_t error = enter(device);
    if (error == hipSuccess)
        error = ahhsa_done(device, "hsa_amd_vmem_map",
                           device->api->hsa_amd_vmem_map(pointer, size, offset, memory->handle, 0));
    if (error != hipSuccess)
        return error;
    struct ahhsa_allocation *allocation =
        ahhsa_allocation_create(device, pointer, size, AH_MEMORY_DEVICE, AHHSA_MAPPED);
    if (allocation && ahhsa_memory_add(device->backend, allocation))
        return hipSuccess;
    error = allocation ? hipErrorInvalidValue : hipErrorOutOfMemory;
    free(allocation);
    device->api->hsa_amd_vmem_unmap(pointer, size);
    return error;
}

/* A range may contain several mappings, but no part of one. */
hipError_t ahhsa_virtual_unmap(struct ah_backend_device *device, void *pointer, size_t size)
{
    struct ahhsa_allocation it;
    char *at = pointer, *end = at + size;
    hipError_t error = enter(device);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    while (error == hipSuccess && at < end) {
        if (!ahhsa_memory_find(device->backend, at, &it) || it.origin != AHHSA_MAPPED ||
            it.range.start != (uintptr_t)at || it.range.size > (size_t)(end - at)) {
            AH_LOG_ERR("no mapping begins at %p, or it ends beyond %p", (void *)at, (void *)end);
            return hipErrorInvalidValue;
        }
        error = ahhsa_done(device, "hsa_amd_vmem_unmap",
                           device->api->hsa_amd_vmem_unmap(at, it.range.size));
        if (error == hipSuccess)
            free(ahhsa_memory_remove(device->backend, at, 1u << AHHSA_MAPPED));
        at += it.range.size;
    }
    return error;
}

struct access_change {
    uint64_t device; /* its bit */
    bool accessible;
};

static void change_access(struct ahhsa_allocation *allocation, void *data)
{
    const struct access_change *change = data;
    allocation->accessible_by &= ~change->device;
    allocation->accessible_by |= change->accessible ? change->device : 0;
}

/* Records which device reaches the mappings of a range, for copies. */
static void record_access(struct ah_backend *backend, const char *at, const char *end,
                          const struct ah_backend_device *location, bool accessible)
{
    struct ahhsa_allocation it;
    struct access_change change = {(uint64_t)1 << location->index, accessible};
    while (at < end && ahhsa_memory_find(backend, at, &it)) {
        (void)ahhsa_memory_update(backend, at, change_access, &change);
        at = (const char *)it.range.start + it.range.size;
    }
}

hipError_t ahhsa_virtual_set_access(struct ah_backend_device *device, void *pointer, size_t size,
                                    struct ah_backend_device *location, hipMemAccessFlags access)
{
    hsa_amd_memory_access_desc_t native = {.agent_handle = location->agent};
    native.permissions = access == hipMemAccessFlagsProtReadWrite ? HSA_ACCESS_PERMISSION_RW
                         : access == hipMemAccessFlagsProtRead    ? HSA_ACCESS_PERMISSION_RO
                                                                  : HSA_ACCESS_PERMISSION_NONE;
    hipError_t error = enter(device);
    if (access != hipMemAccessFlagsProtNone && access != hipMemAccessFlagsProtRead &&
        access != hipMemAccessFlagsProtReadWrite)
        return hipErrorInvalidValue;
    if (error == hipSuccess)
        error = ahhsa_done(device, "hsa_amd_vmem_set_access",
                           device->api->hsa_amd_vmem_set_access(pointer, size, &native, 1));
    if (error == hipSuccess)
        record_access(device->backend, pointer, (const char *)pointer + size, location,
                      access != hipMemAccessFlagsProtNone);
    return error;
}

hipError_t ahhsa_virtual_get_access(struct ah_backend_device *device, void *pointer,
                                    struct ah_backend_device *location,
                                    hipMemAccessFlags *out_access)
{
    hsa_access_permission_t native;
    hipError_t error = enter(device);
    if (error == hipSuccess)
        error = ahhsa_done(device, "hsa_amd_vmem_get_access",
                           device->api->hsa_amd_vmem_get_access(pointer, &native, location->agent));
    if (error != hipSuccess)
        return error;
    *out_access = native == HSA_ACCESS_PERMISSION_RW   ? hipMemAccessFlagsProtReadWrite
                  : native == HSA_ACCESS_PERMISSION_RO ? hipMemAccessFlagsProtRead
                                                       : hipMemAccessFlagsProtNone;
    return hipSuccess;
}

static hipError_t check_type(struct ah_backend_device *device, hipMemAllocationHandleType type)
{
    if (type == hipMemHandleTypePosixFileDescriptor)
        return hipSuccess;
    return ahhsa_refuse(device, "sharing memory", "it can be shared as a file descriptor only");
}

hipError_t ahhsa_virtual_export(struct ah_backend_device *device, struct ah_backend_memory *memory,
                                hipMemAllocationHandleType type, void *out_handle)
{
    hipError_t error = enter(device);
    if (error == hipSuccess)
        error = check_type(device, type);
    if (error != hipSuccess)
        return error;
    if (!device->api->hsa_amd_vmem_export_shareable_handle)
        return ahhsa_missing(device, "hsa_amd_vmem_export_shareable_handle");
    return ahhsa_done(
        device, "hsa_amd_vmem_export_shareable_handle",
        device->api->hsa_amd_vmem_export_shareable_handle(out_handle, memory->handle, 0));
}

hipError_t ahhsa_virtual_import(struct ah_backend_device *device, void *handle,
                                hipMemAllocationHandleType type,
                                struct ah_backend_memory **out_memory)
{
    hsa_amd_vmem_alloc_handle_t native;
    hipError_t error = enter(device);
    if (error == hipSuccess)
        error = check_type(device, type);
    if (error != hipSuccess)
        return error;
    if (!device->api->hsa_amd_vmem_import_shareable_handle)
        return ahhsa_missing(device, "hsa_amd_vmem_import_shareable_handle");
    error = ahhsa_done(
        device, "hsa_amd_vmem_import_shareable_handle",
        device->api->hsa_amd_vmem_import_shareable_handle((int)(intptr_t)handle, &native));
    return error == hipSuccess ? wrap(device, native, out_memory) : error;
}
