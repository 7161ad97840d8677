/* Owns allocation on the device and of page-locked memory, the map of what was allocated, and
 * what a pointer is. */
#include "hsa_memory.h"

#include <stdlib.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 256 }; /* what copies of rows and textures like on every device */

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

struct ahhsa_allocation *ahhsa_memory_record(struct ah_backend_device *device, void *pointer,
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

static bool is_elsewhere(const struct ahhsa_allocation *allocation)
{
    return (uintptr_t)allocation->device_pointer != allocation->range.start;
}

bool ahhsa_memory_add(struct ah_backend *backend, struct ahhsa_allocation *allocation)
{
    pthread_rwlock_wrlock(&backend->memory_lock);
    bool added = ah_ranges_insert(&backend->memory, &allocation->range);
    if (added && is_elsewhere(allocation)) {
        allocation->elsewhere = (struct ah_range){.start = (uintptr_t)allocation->device_pointer,
                                                  .size = allocation->range.size};
        added = ah_ranges_insert(&backend->memory_elsewhere, &allocation->elsewhere);
        if (!added)
            ah_ranges_remove(&backend->memory, &allocation->range);
    }
    pthread_rwlock_unlock(&backend->memory_lock);
    return added;
}

/* Under the lock of the map. */
static void take_out(struct ah_backend *backend, struct ahhsa_allocation *allocation)
{
    ah_ranges_remove(&backend->memory, &allocation->range);
    if (is_elsewhere(allocation))
        ah_ranges_remove(&backend->memory_elsewhere, &allocation->elsewhere);
}

struct ahhsa_allocation *ahhsa_memory_take(struct ah_backend *backend, const void *pointer,
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
        take_out(backend, allocation);
    pthread_rwlock_unlock(&backend->memory_lock);
    return allocation;
}

/* Under the lock of the map. out_elsewhere: pointer is the devices' address. */
static struct ahhsa_allocation *find(struct ah_backend *backend, const void *pointer,
                                     bool *out_elsewhere)
{
    struct ah_range *range = ah_ranges_find(&backend->memory, (uintptr_t)pointer);
    *out_elsewhere = false;
    if (range)
        return OF(range, range);
    if (backend->memory_elsewhere.count == 0)
        return NULL;
    range = ah_ranges_find(&backend->memory_elsewhere, (uintptr_t)pointer);
    *out_elsewhere = range != NULL;
    return range ? OF(range, elsewhere) : NULL;
}

bool ahhsa_memory_find(struct ah_backend *backend, const void *pointer,
                       struct ahhsa_allocation *out_allocation)
{
    bool elsewhere;
    pthread_rwlock_rdlock(&backend->memory_lock);
    const struct ahhsa_allocation *allocation = find(backend, pointer, &elsewhere);
    if (allocation)
        *out_allocation = *allocation;
    pthread_rwlock_unlock(&backend->memory_lock);
    return allocation != NULL;
}

bool ahhsa_memory_change(struct ah_backend *backend, const void *pointer,
                         void (*change)(struct ahhsa_allocation *allocation, void *data),
                         void *data)
{
    bool elsewhere;
    pthread_rwlock_wrlock(&backend->memory_lock);
    struct ahhsa_allocation *allocation = find(backend, pointer, &elsewhere);
    if (allocation)
        change(allocation, data);
    pthread_rwlock_unlock(&backend->memory_lock);
    return allocation != NULL;
}

size_t ahhsa_memory_used(const struct ah_backend_device *device)
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

bool ahhsa_host_reaches(struct ah_backend *backend, const void *pointer)
{
    struct ahhsa_allocation allocation;
    return !ahhsa_memory_find(backend, pointer, &allocation) || kind_is_of_host(allocation.kind);
}

/* Puts memory into the map, or gives up. */
static hipError_t remember(struct ah_backend_device *device, void *pointer, size_t size,
                           enum ah_memory_kind kind, enum ahhsa_origin origin, unsigned flags)
{
    struct ahhsa_allocation *allocation = ahhsa_memory_record(device, pointer, size, kind, origin);
    if (!allocation)
        return hipErrorOutOfMemory;
    allocation->flags = flags;
    if (ahhsa_memory_add(device->backend, allocation))
        return hipSuccess;
    AH_LOG_ERR("%p overlaps memory that is known already", pointer);
    free_record(allocation);
    return hipErrorInvalidValue;
}

hipError_t ahhsa_memory_know(struct ah_backend_device *device, void *pointer, size_t size,
                             enum ah_memory_kind kind)
{
    return remember(device, pointer, size, kind, AHHSA_INTERNAL, 0);
}

void ahhsa_memory_forget(struct ah_backend_device *device, void *pointer)
{
    free_record(ahhsa_memory_take(device->backend, pointer, 1u << AHHSA_INTERNAL));
}

/* ---- who reaches it --------------------------------------------------------------------- */

int ahhsa_all_agents(struct ah_backend *backend, hsa_agent_t agents[AHHSA_DEVICES_MAX])
{
    for (int i = 0; i < backend->device_count; i++)
        agents[i] = backend->devices[i].agent;
    return backend->device_count;
}

hipError_t ahhsa_memory_share(struct ah_backend_device *device, void *pointer, uint64_t more)
{
    hsa_agent_t agents[AHHSA_DEVICES_MAX];
    uint64_t peers = atomic_load(&device->peers) | (uint64_t)1 << device->index | more;
    uint32_t count = 0;
    for (int i = 0; i < device->backend->device_count; i++)
        if (peers >> i & 1)
            agents[count++] = device->backend->devices[i].agent;
    return ahhsa_done(device, "hsa_amd_agents_allow_access",
                      device->api->hsa_amd_agents_allow_access(count, agents, NULL, pointer));
}

hipError_t ahhsa_memory_share_all(struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    hipError_t error = hipSuccess;
    pthread_rwlock_rdlock(&backend->memory_lock);
    for (struct ah_range *range = ah_ranges_above(&backend->memory, 0); range;
         range = ah_ranges_above(&backend->memory, range->start)) {
        const struct ahhsa_allocation *it = OF(range, range);
        bool own = it->device == device && it->kind == AH_MEMORY_DEVICE;
        if (own && error == hipSuccess && it->origin == AHHSA_PLAIN)
            error = ahhsa_memory_share(device, it->device_pointer, it->reach);
    }
    pthread_rwlock_unlock(&backend->memory_lock);
    return error;
}

/* ---- raw memory ------------------------------------------------------------------------- */

static hipError_t pool_allocate(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                                size_t size, uint32_t flags, void **out_pointer)
{
    hsa_status_t status = device->api->hsa_amd_memory_pool_allocate(pool, size, flags, out_pointer);
    /* That it is too large for the pool at all is no mistake in the arguments. */
    if (status == HSA_STATUS_ERROR_INVALID_ALLOCATION ||
        status == HSA_STATUS_ERROR_OUT_OF_RESOURCES)
        return hipErrorOutOfMemory;
    return ahhsa_done(device, "hsa_amd_memory_pool_allocate", status);
}

hipError_t ahhsa_shared_alloc(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                              size_t size, void **out_pointer)
{
    hsa_agent_t agents[AHHSA_DEVICES_MAX];
    void *pointer;
    hipError_t error = pool_allocate(device, pool, size, 0, &pointer);
    if (error != hipSuccess)
        return error;
    int count = ahhsa_all_agents(device->backend, agents);
    hsa_status_t status =
        device->api->hsa_amd_agents_allow_access((uint32_t)count, agents, NULL, pointer);
    if (status != HSA_STATUS_SUCCESS) {
        ahhsa_raw_free(device, pointer);
        return ahhsa_report(device, "hsa_amd_agents_allow_access", status);
    }
    *out_pointer = pointer;
    return hipSuccess;
}

static bool is_of_device(const struct ah_backend_device *device, hsa_amd_memory_pool_t pool)
{
    return pool.handle == device->pools.device_coarse.handle ||
           pool.handle == device->pools.device_fine.handle;
}

/* Of the device, for it and its peers. */
static hipError_t device_alloc(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                               size_t size, uint32_t flags, void **out_pointer)
{
    void *pointer;
    hipError_t error = pool_allocate(device, pool, size, flags, &pointer);
    if (error == hipSuccess && atomic_load(&device->peers)) {
        error = ahhsa_memory_share(device, pointer, 0);
        if (error != hipSuccess)
            ahhsa_raw_free(device, pointer);
    }
    if (error == hipSuccess)
        *out_pointer = pointer;
    return error;
}

hipError_t ahhsa_raw_alloc(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                           size_t size, void **out_pointer)
{
    return is_of_device(device, pool) ? device_alloc(device, pool, size, 0, out_pointer)
                                      : ahhsa_shared_alloc(device, pool, size, out_pointer);
}

hipError_t ahhsa_raw_free(struct ah_backend_device *device, void *pointer)
{
    if (!pointer)
        return hipSuccess;
    return ahhsa_done(device, "hsa_amd_memory_pool_free",
                      device->api->hsa_amd_memory_pool_free(pointer));
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
    error = device_alloc(
        device, pool, size,
        flags == hipDeviceMallocContiguous ? HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG : 0, &pointer);
    if (error != hipSuccess)
        return error;
    error = remember(device, pointer, size, AH_MEMORY_DEVICE, AHHSA_PLAIN, flags);
    if (error != hipSuccess)
        ahhsa_raw_free(device, pointer);
    else
        *out_pointer = pointer;
    return error;
}

/* Memory of the host may be used by any device, and so may that of a device with peers. */
static hipError_t drain_users(struct ah_backend_device *device, bool all)
{
    struct ah_backend *backend = device->backend;
    hipError_t error = ahhsa_device_drain(device);
    for (int i = 0; all && i < backend->device_count; i++) {
        struct ah_backend_device *other = &backend->devices[i];
        if (other != device && atomic_load(&other->ready))
            ahhsa_device_drain(other); /* whose errors are its own */
    }
    return error;
}

static hipError_t unknown(const void *pointer)
{
    AH_LOG_ERR("%p is not the start of an allocation", pointer);
    return hipErrorInvalidValue;
}

/* What the runtime did not take back stays in the map. */
static hipError_t given_back(struct ah_backend_device *device, struct ahhsa_allocation *allocation,
                             hipError_t error)
{
    if (error == hipSuccess || !ahhsa_memory_add(device->backend, allocation))
        free_record(allocation);
    return error;
}

/* Of a device's or of managed memory. */
static hipError_t free_plain(struct ah_backend_device *device, void *pointer)
{
    struct ahhsa_allocation *allocation =
        ahhsa_memory_take(device->backend, pointer, 1u << AHHSA_PLAIN);
    if (!allocation)
        return unknown(pointer);
    return given_back(device, allocation, ahhsa_raw_free(device, pointer));
}

hipError_t ahhsa_memory_free(struct ah_backend_device *device, void *pointer)
{
    struct ahhsa_allocation allocation;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (!ahhsa_memory_find(device->backend, pointer, &allocation) ||
        allocation.range.start != (uintptr_t)pointer)
        return unknown(pointer);
    bool all = allocation.kind != AH_MEMORY_DEVICE || atomic_load(&allocation.device->peers);
    error = drain_users(allocation.device, all);
    if (error == hipSuccess && device != allocation.device)
        error = ahhsa_device_drain(device);
    if (error != hipSuccess)
        return error;
    return allocation.origin == AHHSA_POOLED ? ahhsa_pool_give(device, pointer)
                                             : free_plain(device, pointer);
}

size_t ahhsa_memory_pitch_alignment(struct ah_backend_device *device)
{
    (void)device;
    return PITCH_ALIGNMENT;
}

/* ---- page-locked memory ----------------------------------------------------------------- */

hipError_t ahhsa_host_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                            void **out_pointer)
{
    void *pointer;
    hipError_t error = ahhsa_enter(device);
    bool coarse = flags & hipHostMallocNonCoherent && device->pools.host_coarse.handle != 0;
    if (error == hipSuccess)
        error = ahhsa_shared_alloc(
            device, coarse ? device->pools.host_coarse : device->pools.host_fine, size, &pointer);
    if (error != hipSuccess)
        return error;
    error = remember(device, pointer, size, AH_MEMORY_HOST, AHHSA_PLAIN, flags);
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
    return error == hipSuccess ? free_plain(device, pointer) : error;
}

/* The map is asked first, since locking the same pages twice is allowed. */
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
                            "the runtime locks ordinary memory only");
    error = check_unregistered(device->backend, pointer, size);
    if (error != hipSuccess)
        return error;
    int count = ahhsa_all_agents(device->backend, agents);
    error =
        ahhsa_done(device, "hsa_amd_memory_lock",
                   device->api->hsa_amd_memory_lock(pointer, size, agents, count, &device_pointer));
    if (error != hipSuccess) /* the driver says no more when there is no such memory */
        return error == hipErrorUnknown ? hipErrorInvalidValue : error;
    struct ahhsa_allocation *allocation =
        ahhsa_memory_record(device, pointer, size, AH_MEMORY_REGISTERED, AHHSA_REGISTERED);
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
        ahhsa_memory_take(device->backend, pointer, 1u << AHHSA_REGISTERED);
    if (!allocation) {
        AH_LOG_ERR("memory at %p is not registered", pointer);
        return hipErrorHostMemoryNotRegistered;
    }
    return given_back(
        device, allocation,
        ahhsa_done(device, "hsa_amd_memory_unlock", device->api->hsa_amd_memory_unlock(pointer)));
}

/* ---- what a pointer is ------------------------------------------------------------------ */

/* Under the lock of the map. */
static void describe(struct ah_backend *backend, const void *pointer,
                     struct ah_pointer_info *out_info)
{
    bool elsewhere;
    *out_info = (struct ah_pointer_info){.kind = AH_MEMORY_UNKNOWN, .device_index = -1};
    const struct ahhsa_allocation *it = find(backend, pointer, &elsewhere);
    if (it) {
        const struct ah_range *range = elsewhere ? &it->elsewhere : &it->range;
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

bool ahhsa_memory_holds(struct ah_backend_device *device, const void *pointer, size_t size)
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
        AH_LOG_ERR("%zu bytes at %p reach past the end of an allocation", size, pointer);
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
    default: /* peer-to-peer tokens are NVIDIA's */
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
        !ahhsa_memory_change(device->backend, pointer, set_sync_memops, &flag))
        return hipErrorInvalidValue;
    return hipSuccess;
}

/* ---- the end ---------------------------------------------------------------------------- */

/* What the device owns in the map, the first of it; NULL: nothing any more. */
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

void ahhsa_memory_close(struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    struct ahhsa_allocation *it;
    pthread_rwlock_wrlock(&backend->memory_lock);
    while ((it = next_of(device))) {
        void *pointer = (void *)it->range.start;
        take_out(backend, it);
        if (it->origin == AHHSA_REGISTERED)
            device->api->hsa_amd_memory_unlock(pointer);
        else if (it->origin == AHHSA_IMPORTED)
            device->api->hsa_amd_ipc_memory_detach(pointer);
        else if (it->origin == AHHSA_PLAIN)
            device->api->hsa_amd_memory_pool_free(pointer);
        free_record(it);
    }
    pthread_rwlock_unlock(&backend->memory_lock);
}
