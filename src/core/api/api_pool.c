/* Stream-ordered allocation: hipMallocAsync and memory pools. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <stdlib.h>

struct pool {
    struct ah_handle handle;
    struct ah_backend_pool *native;
    bool is_default; /* the device's own: not to be destroyed */
};
_Static_assert(sizeof(struct pool) <= AH_HANDLE_SLOT, "struct pool");

static hipError_t check(hipMemPool_t handle, struct pool **out_pool)
{
    if (!ah_handle_is(handle, AH_HANDLE_POOL))
        return hipErrorInvalidValue;
    *out_pool = (struct pool *)(void *)handle;
    return hipSuccess;
}

static hipError_t wrap(struct ah_device *device, struct ah_backend_pool *native, bool is_default,
                       hipMemPool_t *out_pool)
{
    struct pool *pool = ah_handle_create(AH_HANDLE_POOL, device);
    if (!pool)
        return hipErrorOutOfMemory;
    pool->native = native;
    pool->is_default = is_default;
    *out_pool = (hipMemPool_t)(void *)pool;
    return hipSuccess;
}

/* Called with the device's lock held. */
static hipError_t make_default(struct ah_device *device)
{
    struct ah_backend_pool *native;
    if (device->default_pool)
        return hipSuccess;
    hipError_t error = device->ops->pool_default(device->native, &native);
    if (error == hipSuccess)
        error = wrap(device, native, true, &device->default_pool);
    if (error == hipSuccess)
        device->current_pool = device->default_pool;
    return error;
}

static hipError_t pool_of_device(struct ah_device *device, bool current, hipMemPool_t *out_pool)
{
    pthread_mutex_lock(&device->lock);
    hipError_t error = make_default(device);
    if (error == hipSuccess)
        *out_pool = current ? device->current_pool : device->default_pool;
    pthread_mutex_unlock(&device->lock);
    return error;
}

static void release_pool(void *handle, void *device)
{
    struct pool *pool = handle;
    if (pool->handle.device == device && ah_handle_retire(handle, AH_HANDLE_POOL))
        ah_handle_destroy(handle);
}

static void free_of_device(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_POOL, release_pool, device);
    pthread_mutex_lock(&device->lock);
    device->default_pool = device->current_pool = NULL;
    pthread_mutex_unlock(&device->lock);
}

const struct ah_dependent ah_pool_dependent = {.device_resets = free_of_device};

/* ---- allocation ------------------------------------------------------------ */

static bool is_captured(struct ah_stream *stream)
{
    return (atomic_load(&stream->state) & AH_STREAM_CAPTURING) != 0;
}

static hipError_t free_in(struct ah_stream *stream, void *pointer)
{
    return ah_submit(stream,
                     &(struct ah_command){.kind = AH_COMMAND_POOL_FREE, .pool_free = pointer});
}

static hipError_t allocate(void **out_pointer, size_t size, struct ah_backend_pool *pool,
                           struct ah_device *pool_device, hipStream_t handle)
{
    struct ah_stream *stream;
    void *pointer = NULL;
    if (!out_pointer)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_handle(handle, &stream);
    if (error != hipSuccess)
        return error;
    struct ah_device *device = stream->handle.device;
    if (pool_device && pool_device->driver != device->driver)
        return hipErrorInvalidValue;
    if (size == 0) {
        *out_pointer = NULL;
        return hipSuccess;
    }
    bool captured = is_captured(stream);
    error =
        ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_POOL_ALLOC,
                                               .pool_alloc = {pool, size, &pointer, pool_device}});
    if (error != hipSuccess)
        return error;
    if (captured) { /* it is the graph's, which has registered it */
        *out_pointer = pointer;
        return hipSuccess;
    }
    if (ah_memory_register(&(struct ah_allocation){
            .range = {.start = (uintptr_t)pointer, .size = size},
            .device = pool_device ? pool_device : device,
            .kind = AH_MEMORY_DEVICE,
            .origin = AH_ORIGIN_POOL,
        }) != hipSuccess) {
        free_in(stream, pointer);
        return hipErrorOutOfMemory;
    }
    *out_pointer = pointer;
    return hipSuccess;
}

hipError_t hipMallocAsync(void **dev_ptr, size_t size, hipStream_t stream)
{
    AH_ENTER(hipMallocAsync);
    return AH_LEAVE(allocate(dev_ptr, size, NULL, NULL, stream));
}

hipError_t hipMallocFromPoolAsync(void **dev_ptr, size_t size, hipMemPool_t mem_pool,
                                  hipStream_t stream)
{
    struct pool *pool;
    AH_ENTER(hipMallocFromPoolAsync);
    hipError_t error = check(mem_pool, &pool);
    return AH_LEAVE(error == hipSuccess
                        ? allocate(dev_ptr, size, pool->native, pool->handle.device, stream)
                        : error);
}

/* Memory of hipMalloc may be freed in stream order as well; the driver decides. */
static hipError_t release(void *pointer, hipStream_t handle)
{
    struct ah_stream *stream;
    struct ah_allocation allocation;
    hipError_t error = ah_stream_resolve_handle(handle, &stream);
    if (error != hipSuccess || !pointer)
        return error;
    if (!ah_memory_find(pointer, &allocation) || allocation.kind != AH_MEMORY_DEVICE ||
        (allocation.origin > AH_ORIGIN_POOL && allocation.origin != AH_ORIGIN_GRAPH) ||
        allocation.device->driver != stream->handle.device->driver)
        return hipErrorInvalidValue;
    if (is_captured(stream))
        return free_in(stream, pointer);
    if (allocation.origin == AH_ORIGIN_GRAPH)
        return allocation.free(pointer, stream);
    if (!ah_memory_unregister(pointer, &allocation))
        return hipErrorInvalidValue;
    return ah_memory_finish_free(&allocation, free_in(stream, pointer));
}

hipError_t hipFreeAsync(void *dev_ptr, hipStream_t stream)
{
    AH_ENTER(hipFreeAsync);
    return AH_LEAVE(release(dev_ptr, stream));
}

/* ---- pools ----------------------------------------------------------------- */

static hipError_t create(hipMemPool_t *out_pool, const hipMemPoolProps *properties)
{
    struct ah_backend_pool *native;
    if (!out_pool || !properties)
        return hipErrorInvalidValue;
    if (properties->allocType != hipMemAllocationTypePinned ||
        properties->location.type != hipMemLocationTypeDevice)
        return hipErrorInvalidValue;
    struct ah_device *device = ah_device_at(properties->location.id);
    if (!device)
        return ah_registry.device_count ? hipErrorInvalidValue : hipErrorNoDevice;
    hipError_t error = device->ops->pool_create(device->native, properties, &native);
    if (error != hipSuccess)
        return error;
    error = wrap(device, native, false, out_pool);
    if (error != hipSuccess)
        device->ops->pool_destroy(device->native, native);
    return error;
}

hipError_t hipMemPoolCreate(hipMemPool_t *mem_pool, const hipMemPoolProps *pool_props)
{
    AH_ENTER_UNSAFE(hipMemPoolCreate);
    return AH_LEAVE(create(mem_pool, pool_props));
}

/* A device whose current pool goes returns to its default one. */
static hipError_t destroy(hipMemPool_t handle)
{
    struct pool *pool;
    hipError_t error = check(handle, &pool);
    if (error != hipSuccess || pool->is_default)
        return hipErrorInvalidValue;
    if (!ah_handle_retire(handle, AH_HANDLE_POOL))
        return hipErrorInvalidValue;
    struct ah_device *device = pool->handle.device;
    struct ah_backend_pool *native = pool->native;
    pthread_mutex_lock(&device->lock);
    if (device->current_pool == handle)
        device->current_pool = device->default_pool;
    pthread_mutex_unlock(&device->lock);
    return ah_handle_finish_destroy(pool, AH_HANDLE_POOL,
                                    device->ops->pool_destroy(device->native, native));
}

hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool)
{
    AH_ENTER_UNSAFE(hipMemPoolDestroy);
    return AH_LEAVE(destroy(mem_pool));
}

static hipError_t get_pool(hipMemPool_t *out_pool, int ordinal, bool current)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!out_pool)
        return hipErrorInvalidValue;
    return device ? pool_of_device(device, current, out_pool) : ah_device_missing_error();
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *mem_pool, int device)
{
    AH_ENTER(hipDeviceGetDefaultMemPool);
    return AH_LEAVE(get_pool(mem_pool, device, false));
}

hipError_t hipDeviceGetMemPool(hipMemPool_t *mem_pool, int device)
{
    AH_ENTER(hipDeviceGetMemPool);
    hipError_t error = get_pool(mem_pool, device, true);
    return AH_LEAVE(error == hipErrorInvalidDevice ? hipErrorInvalidValue : error);
}

static hipError_t set_pool(int ordinal, hipMemPool_t handle)
{
    struct pool *pool;
    hipMemPool_t unused;
    struct ah_device *device = ah_device_at(ordinal);
    if (!device)
        return hipErrorInvalidValue;
    hipError_t error = check(handle, &pool);
    if (error != hipSuccess || pool->handle.device != device)
        return hipErrorInvalidValue;
    error = pool_of_device(device, false, &unused);
    if (error == hipSuccess)
        error = device->ops->pool_set_current(device->native, pool->native);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&device->lock);
    device->current_pool = handle;
    pthread_mutex_unlock(&device->lock);
    return hipSuccess;
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool)
{
    AH_ENTER_UNSAFE(hipDeviceSetMemPool);
    return AH_LEAVE(set_pool(device, mem_pool));
}

static hipError_t located_ordinal(const hipMemLocation *location, hipMemAllocationType type,
                                  int *out_ordinal)
{
    if (!location || type != hipMemAllocationTypePinned ||
        location->type != hipMemLocationTypeDevice)
        return hipErrorInvalidValue;
    *out_ordinal = location->id;
    return hipSuccess;
}

hipError_t hipMemGetDefaultMemPool(hipMemPool_t *memPool, hipMemLocation *location,
                                   hipMemAllocationType type)
{
    int ordinal;
    AH_ENTER(hipMemGetDefaultMemPool);
    hipError_t error = located_ordinal(location, type, &ordinal);
    return AH_LEAVE(error == hipSuccess ? get_pool(memPool, ordinal, false) : error);
}

hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location, hipMemAllocationType type)
{
    int ordinal;
    AH_ENTER(hipMemGetMemPool);
    hipError_t error = located_ordinal(location, type, &ordinal);
    return AH_LEAVE(error == hipSuccess ? get_pool(pool, ordinal, true) : error);
}

hipError_t hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool)
{
    int ordinal;
    AH_ENTER(hipMemSetMemPool);
    hipError_t error = located_ordinal(location, type, &ordinal);
    return AH_LEAVE(error == hipSuccess ? set_pool(ordinal, pool) : error);
}

hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold)
{
    struct pool *pool;
    AH_ENTER(hipMemPoolTrimTo);
    hipError_t error = check(mem_pool, &pool);
    if (error == hipSuccess)
        error = pool->handle.device->ops->pool_trim(pool->handle.device->native, pool->native,
                                                    min_bytes_to_hold);
    return AH_LEAVE(error);
}

static hipError_t pool_attribute(hipMemPool_t handle, hipMemPoolAttr attribute, void *value,
                                 bool set)
{
    struct pool *pool;
    if (!value || (int)attribute < hipMemPoolReuseFollowEventDependencies ||
        (int)attribute > hipMemPoolAttrUsedMemHigh)
        return hipErrorInvalidValue;
    hipError_t error = check(handle, &pool);
    if (error != hipSuccess)
        return error;
    struct ah_device *device = pool->handle.device;
    return set ? device->ops->pool_set_attribute(device->native, pool->native, attribute, value)
               : device->ops->pool_get_attribute(device->native, pool->native, attribute, value);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value)
{
    AH_ENTER(hipMemPoolSetAttribute);
    return AH_LEAVE(pool_attribute(mem_pool, attr, value, true));
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value)
{
    AH_ENTER(hipMemPoolGetAttribute);
    return AH_LEAVE(pool_attribute(mem_pool, attr, value, false));
}

/* The device of a location, if it is one of the pool's driver. */
static struct ah_device *location_device(const struct pool *pool, const hipMemLocation *location)
{
    struct ah_device *device =
        location->type == hipMemLocationTypeDevice ? ah_device_at(location->id) : NULL;
    return device && device->driver == pool->handle.device->driver ? device : NULL;
}

static hipError_t set_one_access(const struct pool *pool, const hipMemAccessDesc *access)
{
    struct ah_device *owner = pool->handle.device;
    struct ah_device *device = location_device(pool, &access->location);
    if (access->location.type != hipMemLocationTypeDevice)
        return hipErrorInvalidValue;
    return device ? owner->ops->pool_set_access(owner->native, pool->native, device->native,
                                                access->flags)
                  : hipErrorInvalidDevice;
}

static hipError_t set_access(hipMemPool_t handle, const hipMemAccessDesc *list, size_t count)
{
    struct pool *pool;
    hipError_t error = check(handle, &pool);
    if (error != hipSuccess || !list || count == 0)
        return hipErrorInvalidValue;
    if (count > (size_t)ah_registry.device_count)
        return hipErrorInvalidDevice;
    for (size_t i = 0; i < count && error == hipSuccess; i++)
        error = set_one_access(pool, &list[i]);
    return error;
}

hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc *desc_list,
                               size_t count)
{
    AH_ENTER(hipMemPoolSetAccess);
    return AH_LEAVE(set_access(mem_pool, desc_list, count));
}

static hipError_t get_access(hipMemAccessFlags *out_flags, hipMemPool_t handle,
                             const hipMemLocation *location)
{
    struct pool *pool;
    hipError_t error = check(handle, &pool);
    if (error != hipSuccess || !out_flags || !location)
        return hipErrorInvalidValue;
    struct ah_device *device = location_device(pool, location);
    return device ? device->ops->pool_get_access(pool->handle.device->native, pool->native,
                                                 device->native, out_flags)
                  : hipErrorInvalidValue;
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t mem_pool,
                               hipMemLocation *location)
{
    AH_ENTER(hipMemPoolGetAccess);
    return AH_LEAVE(get_access(flags, mem_pool, location));
}

/* ---- between processes ------------------------------------------------------- */

hipError_t hipMemPoolExportToShareableHandle(void *shared_handle, hipMemPool_t mem_pool,
                                             hipMemAllocationHandleType handle_type,
                                             unsigned int flags)
{
    struct pool *pool;
    AH_ENTER_UNSAFE(hipMemPoolExportToShareableHandle);
    hipError_t error = check(mem_pool, &pool);
    if (error != hipSuccess || !shared_handle || flags != 0)
        return AH_LEAVE(hipErrorInvalidValue);
    struct ah_device *device = pool->handle.device;
    return AH_LEAVE(
        device->ops->pool_export(device->native, pool->native, handle_type, shared_handle));
}

static hipError_t import_pool(hipMemPool_t *out_pool, void *shared, hipMemAllocationHandleType type,
                              unsigned flags)
{
    struct ah_backend_pool *native;
    struct ah_device *device = ah_device_current();
    if (!out_pool || flags != 0)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->pool_import(device->native, shared, type, &native);
    if (error != hipSuccess)
        return error;
    error = wrap(device, native, false, out_pool);
    if (error != hipSuccess)
        device->ops->pool_destroy(device->native, native);
    return error;
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *mem_pool, void *shared_handle,
                                               hipMemAllocationHandleType handle_type,
                                               unsigned int flags)
{
    AH_ENTER_UNSAFE(hipMemPoolImportFromShareableHandle);
    return AH_LEAVE(import_pool(mem_pool, shared_handle, handle_type, flags));
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *export_data, void *dev_ptr)
{
    struct ah_allocation allocation;
    AH_ENTER_UNSAFE(hipMemPoolExportPointer);
    if (!export_data || !dev_ptr || !ah_memory_find(dev_ptr, &allocation) ||
        allocation.origin != AH_ORIGIN_POOL)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(allocation.device->ops->pool_export_pointer(allocation.device->native, dev_ptr,
                                                                export_data));
}

static hipError_t import_pointer(void **out_pointer, hipMemPool_t handle,
                                 hipMemPoolPtrExportData *data)
{
    struct pool *pool;
    struct ah_pointer_info info;
    void *pointer;
    hipError_t error = check(handle, &pool);
    if (error != hipSuccess || !out_pointer || !data)
        return hipErrorInvalidValue;
    struct ah_device *device = pool->handle.device;
    error = device->ops->pool_import_pointer(device->native, pool->native, data, &pointer);
    if (error != hipSuccess)
        return error;
    device->ops->pointer_info(device->native, pointer, &info);
    if (ah_memory_register(&(struct ah_allocation){
            .range = {.start = (uintptr_t)pointer, .size = info.size},
            .device = device,
            .kind = AH_MEMORY_DEVICE,
            .origin = AH_ORIGIN_POOL,
            .imported = true,
        }) != hipSuccess) {
        free_in(&device->legacy, pointer);
        return hipErrorOutOfMemory;
    }
    *out_pointer = pointer;
    return hipSuccess;
}

hipError_t hipMemPoolImportPointer(void **dev_ptr, hipMemPool_t mem_pool,
                                   hipMemPoolPtrExportData *export_data)
{
    AH_ENTER_UNSAFE(hipMemPoolImportPointer);
    return AH_LEAVE(import_pointer(dev_ptr, mem_pool, export_data));
}
