/* Owns memory pools and stream-ordered allocation. */
#include "simcuda_driver.h"

#include <stdlib.h>
#include <string.h>

/* CUmemPool_attribute */
enum {
    REUSE_FIRST = 1,
    REUSE_LAST = 3,
    RELEASE_THRESHOLD = 4,
    RESERVED_CURRENT = 5,
    RESERVED_HIGH = 6,
    USED_CURRENT = 7,
    USED_HIGH = 8,
};

/* ---- pools -------------------------------------------------------------------------- */

static struct simcuda_pool *new_pool(struct simcuda_device *device, bool is_default)
{
    struct simcuda_pool *pool = simcuda_object_new(SIMCUDA_POOL, sizeof *pool, NULL);
    if (!pool)
        return NULL;
    pool->device = device;
    pool->is_default = is_default;
    for (int i = 0; i < 3; i++)
        pool->reuse[i] = 1;
    pool->access[device->ordinal] = 3;
    return pool;
}

struct simcuda_pool *simcuda_pool_new(struct simcuda_device *device)
{
    return new_pool(device, false);
}

CUresult simcuda_pool_of(struct simcuda_device *device, struct simcuda_pool **out_default)
{
    if (!device->default_pool)
        device->default_pool = device->current_pool = new_pool(device, true);
    *out_default = device->default_pool;
    return *out_default ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static void reap(struct simcuda_object *object, void *device)
{
    struct simcuda_pool *pool = (struct simcuda_pool *)(void *)object;
    if (pool->device == device && pool->used + pool->cached > pool->threshold)
        pool->cached = pool->used > pool->threshold ? 0 : (size_t)pool->threshold - pool->used;
}

void simcuda_pools_reap(struct simcuda_device *device)
{
    simcuda_object_each(SIMCUDA_POOL, reap, device);
}

void simcuda_pool_returned(struct simcuda_pool *pool, size_t size)
{
    pool->used -= size;
    pool->cached += size;
    simcuda_object_release(&pool->object);
}

void simcuda_pool_taken(struct simcuda_pool *pool, size_t size)
{
    pool->used += size;
    pool->cached -= size < pool->cached ? size : pool->cached;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    if (pool->used + pool->cached > pool->reserved_high)
        pool->reserved_high = pool->used + pool->cached;
    simcuda_object_retain(&pool->object);
}

static CUresult get(CUmemoryPool handle, const char *what, struct simcuda_pool **out)
{
    *out = simcuda_object_get(handle, SIMCUDA_POOL, what);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUmemoryPool handle_of(const struct simcuda_pool *pool)
{
    return (CUmemoryPool)(uintptr_t)pool->object.handle;
}

CUresult simcuda_cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice ordinal)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuDeviceGetDefaultMemPool);
    if (!simcuda_device(ordinal))
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    CUresult result =
        out ? simcuda_pool_of(simcuda_device(ordinal), &pool) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *out = handle_of(pool);
    return simcuda_leave(result);
}

CUresult simcuda_cuDeviceGetMemPool(CUmemoryPool *out, CUdevice ordinal)
{
    struct simcuda_pool *unused;
    SIMCUDA_ENTER(cuDeviceGetMemPool);
    struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    CUresult result = out ? simcuda_pool_of(device, &unused) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *out = handle_of(device->current_pool);
    return simcuda_leave(result);
}

CUresult simcuda_cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle)
{
    struct simcuda_pool *pool, *unused;
    SIMCUDA_ENTER(cuDeviceSetMemPool);
    if (!simcuda_device(ordinal))
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    CUresult result = get(handle, "cuDeviceSetMemPool", &pool);
    if (result == CUDA_SUCCESS && pool->device != simcuda_device(ordinal))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = simcuda_pool_of(simcuda_device(ordinal), &unused);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    simcuda_device(ordinal)->current_pool = pool;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *properties)
{
    SIMCUDA_ENTER(cuMemPoolCreate);
    if (!out || !properties)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    struct simcuda_device *device = simcuda_device(properties->location.id);
    if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device ||
        (properties->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    struct simcuda_pool *pool = simcuda_pool_new(device);
    if (!pool)
        return simcuda_leave(CUDA_ERROR_OUT_OF_MEMORY);
    pool->handle_types = properties->handleTypes;
    pool->max_size = properties->maxSize;
    *out = handle_of(pool);
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuMemPoolDestroy(CUmemoryPool handle)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuMemPoolDestroy);
    CUresult result = get(handle, "cuMemPoolDestroy", &pool);
    if (result != CUDA_SUCCESS || pool->is_default)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (pool->device->current_pool == pool)
        pool->device->current_pool = pool->device->default_pool;
    simcuda_object_close(&pool->object);
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuMemPoolTrimTo(CUmemoryPool handle, size_t keep)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuMemPoolTrimTo);
    CUresult result = get(handle, "cuMemPoolTrimTo", &pool);
    if (result == CUDA_SUCCESS && pool->used + pool->cached > keep)
        pool->cached = pool->used > keep ? 0 : keep - pool->used;
    return simcuda_leave(result);
}

/* ---- attributes ------------------------------------------------------------------------ */

static CUresult get_attribute(const struct simcuda_pool *pool, int attribute, void *value)
{
    uint64_t wide;
    switch (attribute) {
    case RELEASE_THRESHOLD:
        wide = pool->threshold;
        break;
    case RESERVED_CURRENT:
        wide = pool->used + pool->cached;
        break;
    case RESERVED_HIGH:
        wide = pool->reserved_high;
        break;
    case USED_CURRENT:
        wide = pool->used;
        break;
    case USED_HIGH:
        wide = pool->used_high;
        break;
    default:
        if (attribute < REUSE_FIRST || attribute > REUSE_LAST)
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(value, &pool->reuse[attribute - REUSE_FIRST], sizeof(int));
        return CUDA_SUCCESS;
    }
    memcpy(value, &wide, sizeof wide);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemPoolGetAttribute(CUmemoryPool handle, int attribute, void *value)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuMemPoolGetAttribute);
    CUresult result =
        value ? get(handle, "cuMemPoolGetAttribute", &pool) : CUDA_ERROR_INVALID_VALUE;
    return simcuda_leave(result == CUDA_SUCCESS ? get_attribute(pool, attribute, value) : result);
}

static CUresult set_attribute(struct simcuda_pool *pool, int attribute, const void *value)
{
    uint64_t wide = 0;
    if (attribute >= REUSE_FIRST && attribute <= REUSE_LAST) {
        memcpy(&pool->reuse[attribute - REUSE_FIRST], value, sizeof(int));
        return CUDA_SUCCESS;
    }
    memcpy(&wide, value, sizeof wide);
    if (attribute == RELEASE_THRESHOLD)
        pool->threshold = wide;
    else if (attribute == RESERVED_HIGH && wide == 0)
        pool->reserved_high = pool->used + pool->cached;
    else if (attribute == USED_HIGH && wide == 0)
        pool->used_high = pool->used;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemPoolSetAttribute(CUmemoryPool handle, int attribute, void *value)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuMemPoolSetAttribute);
    CUresult result =
        value ? get(handle, "cuMemPoolSetAttribute", &pool) : CUDA_ERROR_INVALID_VALUE;
    return simcuda_leave(result == CUDA_SUCCESS ? set_attribute(pool, attribute, value) : result);
}

CUresult simcuda_cuMemPoolGetAccess(int *access, CUmemoryPool handle, CUmemLocation *location)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuMemPoolGetAccess);
    CUresult result = get(handle, "cuMemPoolGetAccess", &pool);
    if (result == CUDA_SUCCESS &&
        (!access || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
         !simcuda_device(location->id)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *access = (int)pool->access[location->id];
    return simcuda_leave(result);
}

static CUresult set_access(struct simcuda_pool *pool, const CUmemAccessDesc *access)
{
    struct simcuda_device *device = simcuda_device(access->location.id);
    if (access->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device ||
        (access->flags != 0 && access->flags != 1 && access->flags != 3) ||
        (device == pool->device && access->flags != 3))
        return CUDA_ERROR_INVALID_VALUE;
    pool->access[device->ordinal] = (unsigned)access->flags;
    simcuda_peers_changed();
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *access,
                                    size_t count)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuMemPoolSetAccess);
    CUresult result =
        access || count == 0 ? get(handle, "cuMemPoolSetAccess", &pool) : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = set_access(pool, &access[i]);
    return simcuda_leave(result);
}

static void add_access(struct simcuda_object *object, void *data)
{
    const struct simcuda_pool *pool = (const struct simcuda_pool *)(const void *)object;
    bool(*accessible)[SIMCUDA_DEVICES_MAX] = data;
    for (int i = 0; i < simcuda.device_count; i++)
        accessible[i][pool->device->ordinal] |= pool->access[i] != 0;
}

/* sim_memory.h knows which devices can access all of another's memory, and not contexts and pools:
 * kernels can access more than programs have to enable. */
void simcuda_peers_changed(void)
{
    static bool accessible[SIMCUDA_DEVICES_MAX][SIMCUDA_DEVICES_MAX]; /* under the lock */
    memset(accessible, 0, sizeof accessible);
    for (const struct simcuda_context *at = simcuda.contexts; at; at = at->next)
        for (int i = 0; i < simcuda.device_count; i++)
            accessible[at->device->ordinal][i] |= at->peers[i];
    simcuda_object_each(SIMCUDA_POOL, add_access, accessible);
    for (int i = 0; i < simcuda.device_count; i++)
        for (int j = 0; j < simcuda.device_count; j++)
            if (i != j && sim_peer_get(i, j) != accessible[i][j])
                sim_peer_set(i, j, accessible[i][j]);
}

/* ---- allocation ----------------------------------------------------------------------------- */

static CUresult allocate(CUdeviceptr *out, size_t size, struct simcuda_pool *pool, CUstream handle)
{
    struct simcuda_stream *stream;
    struct simcuda_memory *memory;
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS && !pool) {
        result = simcuda_pool_of(stream->object.context->device, &pool);
        pool = result == CUDA_SUCCESS ? pool->device->current_pool : NULL;
    }
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || pool->imported || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (pool->max_size > 0 && size > pool->max_size - pool->used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result =
        simcuda_memory_allocate(pool->device->primary, pool, SIMCUDA_POOL_MEMORY, size, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    simcuda_pool_taken(pool, memory->size);
    *out = memory->base;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemAllocAsync(CUdeviceptr *pointer, size_t size, CUstream stream)
{
    SIMCUDA_ENTER(cuMemAllocAsync);
    return simcuda_leave(allocate(pointer, size, NULL, stream));
}

CUresult simcuda_cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t size, CUmemoryPool handle,
                                         CUstream stream)
{
    struct simcuda_pool *pool;
    SIMCUDA_ENTER(cuMemAllocFromPoolAsync);
    CUresult result = get(handle, "cuMemAllocFromPoolAsync", &pool);
    return simcuda_leave(result == CUDA_SUCCESS ? allocate(pointer, size, pool, stream) : result);
}

struct free_op {
    struct simcuda_op op;
    uint64_t base, id;
};

/* Work in other streams that still uses the memory faults. */
static CUresult run_free(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct free_op *request = (const struct free_op *)(const void *)op;
    (void)context;
    pthread_mutex_lock(&simcuda.lock);
    struct simcuda_memory *memory = simcuda_memory_find(request->base);
    if (memory && memory->id == request->id)
        simcuda_memory_free(memory);
    pthread_mutex_unlock(&simcuda.lock);
    return CUDA_SUCCESS;
}

static CUresult free_async(CUdeviceptr pointer, CUstream handle)
{
    struct simcuda_stream *stream;
    CUresult result = simcuda_stream_get(handle, &stream);
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return result;
    if (!memory || memory->base != pointer ||
        (memory->kind != SIMCUDA_POOL_MEMORY && memory->kind != SIMCUDA_DEVICE_MEMORY)) {
        simcuda_violation("cuMemFreeAsync of 0x%llx", (unsigned long long)pointer);
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct free_op *op = simcuda_op_new(sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct free_op){
        .op = {.run = run_free, .after_errors = true}, .base = pointer, .id = memory->id};
    return simcuda_stream_push(stream, &op->op);
}

CUresult simcuda_cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    SIMCUDA_ENTER(cuMemFreeAsync);
    return simcuda_leave(free_async(pointer, stream));
}
