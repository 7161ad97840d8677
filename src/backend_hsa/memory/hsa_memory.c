/* Owns allocation on the device and of page-locked memory, the map of allocations, and queries of
 * pointers. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 256 }; /* fast for copies of rows and valid for textures on every device */

#define OF(range_pointer, member)                                                                  \
    ((struct ahhsa_allocation *)(void *)((char *)(range_pointer)-offsetof(struct ahhsa_allocation, \
                                                                          member)))

/* ---- the map ---------------------------------------------------------------------------- */

static void free_record(struct ahhsa_allocation *allocation)
{
    if (allocation)
        ahhsa_managed_destroy(allocation->managed);
    free(allocation);
}

struct ahhsa_allocation *ahhsa_allocation_create(struct ah_backend_device *device, void *pointer,
                                                 size_t size, enum ah_memory_kind kind,
                                                 enum ahhsa_origin origin)
{
    struct ahhsa_allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation)
        return NULL;
    allocation->range = (struct ah_range){.start = (uintptr_t)pointer, .size = size};
    allocation->device = device;
    allocation->kind = kind;
    allocation->origin = origin;
    allocation->device_pointer = pointer;
    allocation->buffer_id = atomic_fetch_add(&device->backend->last_buffer, 1) + 1;
    return allocation;
}

static bool has_device_address(const struct ahhsa_allocation *allocation)
{
    return (uintptr_t)allocation->device_pointer != allocation->range.start;
}

bool ahhsa_memory_add(struct ah_backend *backend, struct ahhsa_allocation *allocation)
{
    pthread_rwlock_wrlock(&backend->memory_lock);
    bool added = ah_ranges_insert(&backend->memory, &allocation->range);
    if (added && has_device_address(allocation)) {
        allocation->device_range = (struct ah_range){.start = (uintptr_t)allocation->device_pointer,
                                                     .size = allocation->range.size};
        added = ah_ranges_insert(&backend->memory_by_device_address, &allocation->device_range);
        if (!added)
            ah_ranges_remove(&backend->memory, &allocation->range);
    }
    pthread_rwlock_unlock(&backend->memory_lock);
    return added;
}

/* Under memory_lock. */
static void remove_from_maps(struct ah_backend *backend, struct ahhsa_allocation *allocation)
{
    ah_ranges_remove(&backend->memory, &allocation->range);
    if (has_device_address(allocation))
        ah_ranges_remove(&backend->memory_by_device_address, &allocation->device_range);
}

struct ahhsa_allocation *ahhsa_memory_remove(struct ah_backend *backend, const void *pointer,
                                             unsigned origins)
{
    struct ahhsa_allocation *allocation = NULL;
    pthread_rwlock_wrlock(&backend->memory_lock);
    struct ah_range *range = ah_ranges_find(&backend->memory, (uintptr_t)pointer);
    if (range && range->start == (uintptr_t)pointer)
        allocation = OF(range, range);
    if (allocation && !(origins & 1u << allocation->origin))
        allocation = NULL;
    if (allocation)
        remove_from_maps(backend, allocation);
    pthread_rwlock_unlock(&backend->memory_lock);
    return allocation;
}

/* Under memory_lock. *out_by_device_address: pointer is the devices' address. */
static struct ahhsa_allocation *find(struct ah_backend *backend, const void *pointer,
                                     bool *out_by_device_address)
{
    struct ah_range *range = ah_ranges_find(&backend->memory, (uintptr_t)pointer);
    *out_by_device_address = false;
    if (range)
        return OF(range, range);
    if (backend->memory_by_device_address.count == 0)
        return NULL;
    range = ah_ranges_find(&backend->memory_by_device_address, (uintptr_t)pointer);
    *out_by_device_address = range != NULL;
    return range ? OF(range, device_range) : NULL;
}

bool ahhsa_memory_find(struct ah_backend *backend, const void *pointer,
                       struct ahhsa_allocation *out_allocation)
{
    bool device_range;
    pthread_rwlock_rdlock(&backend->memory_lock);
    const struct ahhsa_allocation *allocation = find(backend, pointer, &device_range);
    if (allocation)
        *out_allocation = *allocation;
    pthread_rwlock_unlock(&backend->memory_lock);
    return allocation != NULL;
}

bool ahhsa_memory_update(struct ah_backend *backend, const void *pointer,
                         void (*change)(struct ahhsa_allocation *allocation, void *data),
                         void *data)
{
    bool device_range;
    pthread_rwlock_wrlock(&backend->memory_lock);
    struct ahhsa_allocation *allocation = find(backend, pointer, &device_range);
    if (allocation)
        change(allocation, data);
    pthread_rwlock_unlock(&backend->memory_lock);
    return allocation != NULL;
}

static size_t memory_used(const struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    size_t used = 0;
    pthread_rwlock_rdlock(&backend->memory_lock);
    for (struct ah_range *range = ah_ranges_above(&backend->memory, 0); range;
         range = ah_ranges_above(&backend->memory, range->start)) {
        const struct ahhsa_allocation *allocation = OF(range, range);
        if (allocation->device == device && allocation->kind == AH_MEMORY_DEVICE)
            used += range->size;
    }
    pthread_rwlock_unlock(&backend->memory_lock);
    return used;
}

static bool kind_is_of_host(enum ah_memory_kind kind)
{
    return kind == AH_MEMORY_HOST || kind == AH_MEMORY_REGISTERED || kind == AH_MEMORY_MANAGED;
}

bool ahhsa_memory_is_host_accessible(struct ah_backend *backend, const void *pointer)
{
    struct ahhsa_allocation allocation;
    return !ahhsa_memory_find(backend, pointer, &allocation) || kind_is_of_host(allocation.kind);
}

/* Puts memory into the map. */
static hipError_t add_to_map(struct ah_backend_device *device, void *pointer, size_t size,
                             enum ah_memory_kind kind, enum ahhsa_origin origin, unsigned flags)
{
    struct ahhsa_allocation *allocation =
        ahhsa_allocation_create(device, pointer, size, kind, origin);
    if (!allocation)
        return hipErrorOutOfMemory;
    allocation->flags = flags;
    if (ahhsa_memory_add(device->backend, allocation))
        return hipSuccess;
    AH_LOG_ERR("memory at %p overlaps another allocation", pointer);
    free_record(allocation);
    return hipErrorInvalidValue;
}

hipError_t ahhsa_memory_register(struct ah_backend_device *device, void *pointer, size_t size,
                                 enum ah_memory_kind kind)
{
    return add_to_map(device, pointer, size, kind, AHHSA_INTERNAL, 0);
}

void ahhsa_memory_unregister(struct ah_backend_device *device, void *pointer)
{
    free_record(ahhsa_memory_remove(device->backend, pointer, 1u << AHHSA_INTERNAL));
}

/* ---- who reaches it --------------------------------------------------------------------- */

hipError_t ahhsa_memory_update_access(struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    hipError_t error = hipSuccess;
    pthread_rwlock_rdlock(&backend->memory_lock);
    for (struct ah_range *range = ah_ranges_above(&backend->memory, 0); range;
         range = ah_ranges_above(&backend->memory, range->start)) {
        const struct ahhsa_allocation *it = OF(range, range);
        bool own = it->device == device && it->kind == AH_MEMORY_DEVICE;
        if (own && error == hipSuccess && it->origin == AHHSA_PLAIN)
            error = ahhsa_raw_allow_access(device, it->device_pointer, it->accessible_by);
    }
    pthread_rwlock_unlock(&backend->memory_lock);
    return error;
}

/* ---- device memory ---------------------------------------------------------------------- */

hipError_t ahhsa_memory_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                              void **out_pointer)
{
    hsa_amd_memory_pool_t pool = device->pools.device_coarse;
    void *pointer;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (flags == hipDeviceMallocFinegrained || flags == hipDeviceMallocUncached)
        pool = device->pools.device_fine;
    if (pool.handle == 0)
        return ahhsa_refuse(device, "fine-grained device memory", "the device has none");
    error = ahhsa_raw_alloc_device(
        device, pool, size,
        flags == hipDeviceMallocContiguous ? HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG : 0, &pointer);
    if (error != hipSuccess)
        return error;
    error = add_to_map(device, pointer, size, AH_MEMORY_DEVICE, AHHSA_PLAIN, flags);
    if (error != hipSuccess)
        ahhsa_raw_free(device, pointer);
    else
        *out_pointer = pointer;
    return error;
}

/* Waits for all devices that may use the memory: every device may use host memory, and memory of
 * a device with peers. */
static hipError_t drain_users(struct ah_backend_device *device, bool all)
{
    struct ah_backend *backend = device->backend;
    hipError_t error = ahhsa_device_drain(device);
    for (int i = 0; all && i < backend->device_count; i++) {
        struct ah_backend_device *other = &backend->devices[i];
        if (other != device && atomic_load(&other->ready))
            ahhsa_device_drain(other); /* an error of another device is not reported here */
    }
    return error;
}

static hipError_t not_an_allocation(const void *pointer)
{
    AH_LOG_ERR("%p is not the start of an allocation", pointer);
    return hipErrorInvalidValue;
}

/* Puts the allocation back into the map if the runtime could not free it. */
static hipError_t finish_free(struct ah_backend_device *device, struct ahhsa_allocation *allocation,
                              hipError_t error)
{
    if (error == hipSuccess || !ahhsa_memory_add(device->backend, allocation))
        free_record(allocation);
    return error;
}

/* Frees device memory that is in no pool, or managed memory. The map comes first: another thread
 * may be given the memory before the runtime returns. */
static hipError_t free_unpooled(struct ah_backend_device *device, void *pointer,
                                enum ahhsa_origin origin)
{
    struct ahhsa_allocation *allocation =
        ahhsa_memory_remove(device->backend, pointer, 1u << origin);
    if (!allocation)
        return not_an_allocation(pointer);
    return finish_free(device, allocation, ahhsa_raw_free(device, pointer));
}

hipError_t ahhsa_memory_free_internal(struct ah_backend_device *device, void *pointer)
{
    return free_unpooled(device, pointer, AHHSA_INTERNAL);
}

hipError_t ahhsa_memory_free(struct ah_backend_device *device, void *pointer)
{
    struct ahhsa_allocation allocation;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (!ahhsa_memory_find(device->backend, pointer, &allocation) ||
        allocation.range.start != (uintptr_t)pointer)
        return not_an_allocation(pointer);
    bool all = allocation.kind != AH_MEMORY_DEVICE || atomic_load(&allocation.device->peers);
    error = drain_users(allocation.device, all);
    if (error == hipSuccess && device != allocation.device)
        error = ahhsa_device_drain(device);
    if (error != hipSuccess)
        return error;
    switch (allocation.origin) {
    case AHHSA_POOLED:
        return ahhsa_pool_release(device, pointer);
    case AHHSA_IMPORTED:
        return ahhsa_ipc_close_memory(allocation.device, pointer);
    case AHHSA_EXTERNAL:
        return ahhsa_external_unmap(allocation.device, pointer);
    default:
        return free_unpooled(device, pointer, AHHSA_PLAIN);
    }
}

size_t ahhsa_memory_pitch_alignment(struct ah_backend_device *device)
{
    (void)device;
    return PITCH_ALIGNMENT;
}

hipError_t ahhsa_device_memory_info(struct ah_backend_device *device, size_t *out_free,
                                    size_t *out_total)
{
    uint64_t available = 0;
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || !info)
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    hsa_status_t status = device->api->hsa_agent_get_info(
        device->agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_MEMORY_AVAIL, &available);
    if (status == HSA_STATUS_ERROR_INVALID_ARGUMENT) { /* before ROCm 5.3: what this process has not
                                                          allocated */
        size_t used = memory_used(device);
        available = used < info->memory_size ? info->memory_size - used : 0;
        status = HSA_STATUS_SUCCESS;
    }
    error = ahhsa_done(device, "hsa_agent_get_info(MEMORY_AVAIL)", status);
    if (error != hipSuccess)
        return error;
    *out_total = info->memory_size;
    *out_free = available < info->memory_size ? available : info->memory_size;
    return hipSuccess;
}

/* ---- page-locked memory ----------------------------------------------------------------- */

hipError_t ahhsa_host_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                            void **out_pointer)
{
    void *pointer;
    hipError_t error = ahhsa_enter(device);
    bool coarse = flags & hipHostMallocNonCoherent && device->pools.host_coarse.handle != 0;
    if (error == hipSuccess)
        error = ahhsa_raw_alloc_shared(
            device, coarse ? device->pools.host_coarse : device->pools.host_fine, size, &pointer);
    if (error != hipSuccess)
        return error;
    error = add_to_map(device, pointer, size, AH_MEMORY_HOST, AHHSA_PLAIN, flags);
    if (error != hipSuccess)
        ahhsa_raw_free(device, pointer);
    else
        *out_pointer = pointer;
    return error;
}

hipError_t ahhsa_host_free(struct ah_backend_device *device, void *pointer)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = drain_users(device, true);
    return error == hipSuccess ? free_unpooled(device, pointer, AHHSA_PLAIN) : error;
}

/* The map decides, since the runtime allows locking the same pages twice. */
static hipError_t check_unregistered(struct ah_backend *backend, void *pointer, size_t size)
{
    pthread_rwlock_rdlock(&backend->memory_lock);
    bool overlaps = ah_ranges_overlaps(&backend->memory, (uintptr_t)pointer, size);
    pthread_rwlock_unlock(&backend->memory_lock);
    if (!overlaps)
        return hipSuccess;
    AH_LOG_ERR("memory from %p is page-locked already", pointer);
    return hipErrorHostMemoryAlreadyRegistered;
}

hipError_t ahhsa_host_register(struct ah_backend_device *device, void *pointer, size_t size,
                               unsigned flags)
{
    hsa_agent_t agents[AHHSA_DEVICES_MAX];
    void *device_pointer = NULL;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (flags & hipHostRegisterIoMemory)
        return ahhsa_refuse(device, "hipHostRegisterIoMemory",
                            "AMD's kernel driver page-locks ordinary memory only");
    error = check_unregistered(device->backend, pointer, size);
    if (error != hipSuccess)
        return error;
    int count = ahhsa_all_agents(device->backend, agents);
    error =
        ahhsa_done(device, "hsa_amd_memory_lock",
                   device->api->hsa_amd_memory_lock(pointer, size, agents, count, &device_pointer));
    if (error != hipSuccess) /* the driver's result for an address without memory */
        return error == hipErrorUnknown ? hipErrorInvalidValue : error;
    struct ahhsa_allocation *allocation =
        ahhsa_allocation_create(device, pointer, size, AH_MEMORY_REGISTERED, AHHSA_REGISTERED);
    if (allocation) {
        allocation->device_pointer = device_pointer;
        allocation->flags = flags;
        if (ahhsa_memory_add(device->backend, allocation))
            return hipSuccess;
    }
    device->api->hsa_amd_memory_unlock(pointer);
    error = allocation ? hipErrorHostMemoryAlreadyRegistered : hipErrorOutOfMemory;
    free_record(allocation);
    return error;
}

hipError_t ahhsa_host_unregister(struct ah_backend_device *device, void *pointer)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = drain_users(device, true);
    if (error != hipSuccess)
        return error;
    struct ahhsa_allocation *allocation =
        ahhsa_memory_remove(device->backend, pointer, 1u << AHHSA_REGISTERED);
    if (!allocation) {
        AH_LOG_ERR("memory at %p is not registered", pointer);
        return hipErrorHostMemoryNotRegistered;
    }
    return finish_free(
        device, allocation,
        ahhsa_done(device, "hsa_amd_memory_unlock", device->api->hsa_amd_memory_unlock(pointer)));
}

/* ---- what a pointer is ------------------------------------------------------------------ */

/* Under memory_lock. */
static void describe(struct ah_backend *backend, const void *pointer,
                     struct ah_pointer_info *out_info)
{
    bool device_range;
    *out_info = (struct ah_pointer_info){.kind = AH_MEMORY_UNKNOWN, .device_index = -1};
    const struct ahhsa_allocation *it = find(backend, pointer, &device_range);
    if (it) {
        const struct ah_range *range = device_range ? &it->device_range : &it->range;
        size_t offset = (uintptr_t)pointer - range->start;
        out_info->kind = it->kind;
        out_info->device_index = it->device->index;
        out_info->base = (void *)range->start;
        out_info->size = it->range.size;
        if (kind_is_of_host(it->kind))
            out_info->host_pointer = (char *)it->range.start + offset;
        out_info->device_pointer = (char *)it->device_pointer + offset;
    }
}

void ahhsa_pointer_info(struct ah_backend_device *device, const void *pointer,
                        struct ah_pointer_info *out_info)
{
    ahhsa_pointer_infos(device, &pointer, 1, out_info);
}

void ahhsa_pointer_infos(struct ah_backend_device *device, const void *const *pointers,
                         unsigned count, struct ah_pointer_info *out_infos)
{
    struct ah_backend *backend = device->backend;
    pthread_rwlock_rdlock(&backend->memory_lock);
    for (unsigned i = 0; i < count; i++)
        describe(backend, pointers[i], &out_infos[i]);
    pthread_rwlock_unlock(&backend->memory_lock);
}

bool ahhsa_memory_contains(struct ah_backend_device *device, const void *pointer, size_t size)
{
    const char *at = pointer;
    size_t left = size, here;
    bool found = true;
    pthread_rwlock_rdlock(&device->backend->memory_lock);
    while (found && left > 0) {
        struct ah_pointer_info info;
        describe(device->backend, at, &info);
        found = info.kind != AH_MEMORY_UNKNOWN;
        here = found ? info.size - (size_t)(at - (char *)info.base) : 0;
        here = here < left ? here : left;
        at += here;
        left -= here;
    }
    pthread_rwlock_unlock(&device->backend->memory_lock);
    if (!found)
        AH_LOG_ERR("%zu bytes at %p extend past the end of their allocation", size, pointer);
    return found;
}

hipError_t ahhsa_host_device_pointer(struct ah_backend_device *device, void *host_pointer,
                                     void **out_pointer)
{
    struct ah_pointer_info info;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    ahhsa_pointer_info(device, host_pointer, &info);
    if (!kind_is_of_host(info.kind)) {
        AH_LOG_ERR("%p is not page-locked memory", host_pointer);
        return hipErrorInvalidValue;
    }
    *out_pointer = info.device_pointer;
    return hipSuccess;
}

static hipError_t put_unsigned(void *out, uint64_t value, size_t size)
{
    uint32_t small = (uint32_t)value;
    memcpy(out, size == sizeof small ? (const void *)&small : &value, size);
    return hipSuccess;
}

hipError_t ahhsa_pointer_attribute(struct ah_backend_device *device, void *out_data,
                                   hipPointer_attribute attribute, const void *pointer)
{
    struct ahhsa_allocation it;
    void *context = NULL, *native = NULL;
    if (!ahhsa_memory_find(device->backend, pointer, &it))
        return hipErrorInvalidValue;
    switch ((int)attribute) {
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        return put_unsigned(out_data, it.buffer_id, sizeof(uint64_t));
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        return put_unsigned(out_data, it.sync_memops, sizeof(uint32_t));
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
        return put_unsigned(out_data,
                            it.kind == AH_MEMORY_DEVICE && it.origin == AHHSA_PLAIN &&
                                device->api->hsa_amd_ipc_memory_create != NULL,
                            sizeof(uint32_t));
    case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return put_unsigned(out_data,
                            it.kind == AH_MEMORY_DEVICE &&
                                device->api->hsa_amd_portable_export_dmabuf != NULL,
                            sizeof(uint32_t));
    case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return put_unsigned(out_data, hipMemHandleTypeNone, sizeof(uint32_t));
    case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return put_unsigned(out_data, (uintptr_t)it.pool, sizeof(uint64_t));
    case HIP_POINTER_ATTRIBUTE_CONTEXT: {
        hipError_t error = ahhsa_device_native(it.device, &native, &context);
        return error == hipSuccess ? put_unsigned(out_data, (uintptr_t)context, sizeof(uint64_t))
                                   : error;
    }
    default: /* peer-to-peer tokens exist on NVIDIA devices only */
        return hipErrorInvalidValue;
    }
}

static void set_sync_memops(struct ahhsa_allocation *allocation, void *data)
{
    allocation->sync_memops = *(const unsigned *)data != 0;
}

hipError_t ahhsa_pointer_set_attribute(struct ah_backend_device *device, const void *value,
                                       hipPointer_attribute attribute, void *pointer)
{
    unsigned flag;
    memcpy(&flag, value, sizeof flag);
    if (attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        !ahhsa_memory_update(device->backend, pointer, set_sync_memops, &flag))
        return hipErrorInvalidValue;
    return hipSuccess;
}

/* ---- the end ---------------------------------------------------------------------------- */

/* The first allocation of the device in the map; NULL: there is none. */
static struct ahhsa_allocation *next_of(struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    for (struct ah_range *range = ah_ranges_above(&backend->memory, 0); range;
         range = ah_ranges_above(&backend->memory, range->start)) {
        struct ahhsa_allocation *it = OF(range, range);
        if (it->device == device && it->origin != AHHSA_MAPPED) /* mappings outlive a reset */
            return it;
    }
    return NULL;
}

void ahhsa_device_memory_stop(struct ah_backend_device *device)
{
    ahhsa_textures_destroy(device);
    ahhsa_graphics_destroy(device);
    ahhsa_mipmaps_destroy(device);
    ahhsa_arrays_destroy(device);
    ahhsa_pools_destroy(device);
    ahhsa_staging_destroy(device);
}

void ahhsa_memory_free_all(struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    struct ahhsa_allocation *it;
    pthread_rwlock_wrlock(&backend->memory_lock);
    while ((it = next_of(device))) {
        void *pointer = (void *)it->range.start;
        remove_from_maps(backend, it);
        if (it->origin == AHHSA_REGISTERED)
            device->api->hsa_amd_memory_unlock(pointer);
        else if (it->origin == AHHSA_IMPORTED)
            while (it->opened-- > 0)
                device->api->hsa_amd_ipc_memory_detach(pointer);
        else if (it->origin == AHHSA_EXTERNAL)
            device->api->hsa_amd_interop_unmap_buffer(it->mapping);
        else if (it->origin == AHHSA_PLAIN)
            device->api->hsa_amd_memory_pool_free(pointer);
        free_record(it);
    }
    pthread_rwlock_unlock(&backend->memory_lock);
}
