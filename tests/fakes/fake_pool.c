/* Owns memory pools and stream-ordered allocation. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static struct fake_pool *new_pool(struct fake_device *device, bool is_default)
{
    struct fake_pool *pool = fake_object_new(FAKE_POOL, sizeof *pool, NULL);
    pool->device = device;
    pool->is_default = is_default;
    for (int i = 0; i < 3; i++)
        pool->reuse[i] = 1;
    pool->access[device->ordinal] = 3;
    return pool;
}

CUresult fake_pool_of(struct fake_device *device, struct fake_pool **out_default)
{
    if (!device->default_pool)
        device->default_pool = device->current_pool = new_pool(device, true);
    *out_default = device->default_pool;
    return CUDA_SUCCESS;
}

static void settle(struct fake_object *object, void *device)
{
    struct fake_pool *pool = (struct fake_pool *)(void *)object;
    if (pool->device == device && pool->used + pool->cached > pool->threshold)
        pool->cached = pool->used > pool->threshold ? 0 : (size_t)pool->threshold - pool->used;
}

void fake_pools_settle(struct fake_device *device)
{
    fake_object_each(FAKE_POOL, settle, device);
}

void fake_pool_returned(struct fake_pool *pool, size_t size)
{
    pool->used -= size;
    pool->cached += size;
    fake_object_release(&pool->object);
}

static void pool_taken(struct fake_pool *pool, size_t size)
{
    pool->used += size;
    pool->cached -= size < pool->cached ? size : pool->cached;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    if (pool->used + pool->cached > pool->reserved_high)
        pool->reserved_high = pool->used + pool->cached;
    fake_object_retain(&pool->object);
}

static CUresult get(CUmemoryPool handle, const char *what, struct fake_pool **out)
{
    *out = fake_object_get(handle, FAKE_POOL, what);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUmemoryPool handle_of(const struct fake_pool *pool)
{
    return (CUmemoryPool)(uintptr_t)pool->object.handle;
}

CUresult fake_cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice ordinal)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuDeviceGetDefaultMemPool);
    if (!fake_device(ordinal))
        return fake_leave(FAKE_INVALID_DEVICE);
    fake_pool_of(fake_device(ordinal), &pool);
    *out = handle_of(pool);
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle)
{
    struct fake_pool *pool, *unused;
    FAKE_ENTER(cuDeviceSetMemPool);
    if (!fake_device(ordinal))
        return fake_leave(FAKE_INVALID_DEVICE);
    CUresult result = get(handle, "cuDeviceSetMemPool", &pool);
    if (result == CUDA_SUCCESS && pool->device != fake_device(ordinal))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    fake_pool_of(fake_device(ordinal), &unused);
    fake_device(ordinal)->current_pool = pool;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *properties)
{
    FAKE_ENTER(cuMemPoolCreate);
    struct fake_device *device = fake_device(properties->location.id);
    if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device ||
        (properties->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    struct fake_pool *pool = new_pool(device, false);
    pool->handle_types = properties->handleTypes;
    pool->max_size = properties->maxSize;
    *out = handle_of(pool);
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuMemPoolDestroy(CUmemoryPool handle)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemPoolDestroy);
    CUresult result = get(handle, "cuMemPoolDestroy", &pool);
    if (result != CUDA_SUCCESS || pool->is_default)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    if (pool->device->current_pool == pool)
        pool->device->current_pool = pool->device->default_pool;
    fake_object_close(&pool->object);
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuMemPoolTrimTo(CUmemoryPool handle, size_t keep)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemPoolTrimTo);
    CUresult result = get(handle, "cuMemPoolTrimTo", &pool);
    if (result == CUDA_SUCCESS && pool->used + pool->cached > keep)
        pool->cached = pool->used > keep ? 0 : keep - pool->used;
    return fake_leave(result);
}

/* ---- attributes ------------------------------------------------------------------------ */

static CUresult get_attribute(const struct fake_pool *pool, int attribute, void *value)
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

CUresult fake_cuMemPoolGetAttribute(CUmemoryPool handle, int attribute, void *value)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemPoolGetAttribute);
    CUresult result = get(handle, "cuMemPoolGetAttribute", &pool);
    return fake_leave(result == CUDA_SUCCESS ? get_attribute(pool, attribute, value) : result);
}

static CUresult set_attribute(struct fake_pool *pool, int attribute, const void *value)
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

CUresult fake_cuMemPoolSetAttribute(CUmemoryPool handle, int attribute, void *value)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemPoolSetAttribute);
    CUresult result = get(handle, "cuMemPoolSetAttribute", &pool);
    return fake_leave(result == CUDA_SUCCESS ? set_attribute(pool, attribute, value) : result);
}

CUresult fake_cuMemPoolGetAccess(int *access, CUmemoryPool handle, CUmemLocation *location)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemPoolGetAccess);
    CUresult result = get(handle, "cuMemPoolGetAccess", &pool);
    if (result == CUDA_SUCCESS &&
        (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !fake_device(location->id)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *access = (int)pool->access[location->id];
    return fake_leave(result);
}

static CUresult set_access(struct fake_pool *pool, const CUmemAccessDesc *access)
{
    struct fake_device *device = fake_device(access->location.id);
    if (access->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device ||
        (access->flags != 0 && access->flags != 1 && access->flags != 3) ||
        (device == pool->device && access->flags != 3))
        return CUDA_ERROR_INVALID_VALUE;
    pool->access[device->ordinal] = (unsigned)access->flags;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *access, size_t count)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemPoolSetAccess);
    CUresult result = get(handle, "cuMemPoolSetAccess", &pool);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = set_access(pool, &access[i]);
    return fake_leave(result);
}

/* ---- allocation ----------------------------------------------------------------------------- */

static CUresult allocate(CUdeviceptr *out, size_t size, struct fake_pool *pool, CUstream handle)
{
    struct fake_stream *stream;
    struct fake_memory *memory;
    CUresult result = fake_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pool) {
        fake_pool_of(stream->object.context->device, &pool);
        pool = pool->device->current_pool;
    }
    if (pool->imported || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (pool->max_size > 0 && size > pool->max_size - pool->used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = fake_memory_allocate(&pool->device->context, FAKE_POOL_MEMORY, size, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    memory->pool = pool;
    pool_taken(pool, size);
    *out = memory->base;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemAllocAsync(CUdeviceptr *pointer, size_t size, CUstream stream)
{
    FAKE_ENTER(cuMemAllocAsync);
    return fake_leave(allocate(pointer, size, NULL, stream));
}

CUresult fake_cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t size, CUmemoryPool handle,
                                      CUstream stream)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemAllocFromPoolAsync);
    CUresult result = get(handle, "cuMemAllocFromPoolAsync", &pool);
    return fake_leave(result == CUDA_SUCCESS ? allocate(pointer, size, pool, stream) : result);
}

struct free_op {
    struct fake_op op;
    uintptr_t base;
    uint64_t id;
};

/* Work of other streams that still uses the memory finds it gone. */
static CUresult run_free(struct fake_op *op, struct fake_context *context)
{
    const struct free_op *request = (const struct free_op *)(const void *)op;
    (void)context;
    pthread_mutex_lock(&fake.lock);
    struct fake_memory *memory = fake_memory_find(request->base);
    if (memory && memory->id == request->id)
        fake_memory_free(memory);
    pthread_mutex_unlock(&fake.lock);
    return CUDA_SUCCESS;
}

static CUresult free_async(CUdeviceptr pointer, CUstream handle)
{
    struct fake_stream *stream;
    CUresult result = fake_stream_get(handle, &stream);
    const struct fake_memory *memory = fake_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return result;
    if (!memory || memory->base != pointer ||
        (memory->kind != FAKE_POOL_MEMORY && memory->kind != FAKE_DEVICE_MEMORY)) {
        fake_violation("cuMemFreeAsync of 0x%llx", (unsigned long long)pointer);
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct free_op *op = calloc(1, sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct free_op){
        .op = {.run = run_free, .after_errors = true}, .base = pointer, .id = memory->id};
    return fake_stream_push(stream, &op->op);
}

CUresult fake_cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    FAKE_ENTER(cuMemFreeAsync);
    return fake_leave(free_async(pointer, stream));
}

/* ---- sharing, within this process
 * ---------------------------------------------------------------- */

CUresult fake_cuMemPoolExportToShareableHandle(void *out, CUmemoryPool handle, int type,
                                               uint64_t flags)
{
    struct fake_pool *pool;
    FAKE_ENTER(cuMemPoolExportToShareableHandle);
    CUresult result = get(handle, "cuMemPoolExportToShareableHandle", &pool);
    if (result != CUDA_SUCCESS || flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(pool->handle_types & type))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    int file = memfd_create("fakecuda pool", MFD_CLOEXEC);
    if (file < 0 || pwrite(file, &pool->object.handle, 8, 0) != 8)
        return fake_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *(int *)out = file;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuMemPoolImportFromShareableHandle(CUmemoryPool *out, void *shared, int type,
                                                 uint64_t flags)
{
    uint64_t exported = 0;
    FAKE_ENTER(cuMemPoolImportFromShareableHandle);
    if (flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        pread((int)(intptr_t)shared, &exported, 8, 0) != 8)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    const struct fake_pool *source = fake_object_peek((void *)(uintptr_t)exported, FAKE_POOL);
    if (!source)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    struct fake_pool *pool = new_pool(source->device, false);
    pool->imported = true;
    *out = handle_of(pool);
    return fake_leave(CUDA_SUCCESS);
}

struct exported_pointer {
    uintptr_t base;
    size_t size;
    uint64_t id;
};

CUresult fake_cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr pointer)
{
    FAKE_ENTER(cuMemPoolExportPointer);
    const struct fake_memory *memory = fake_memory_find(pointer);
    if (!memory || memory->kind != FAKE_POOL_MEMORY || !memory->pool->handle_types)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    struct exported_pointer exported = {memory->base, memory->size, memory->id};
    memset(data, 0, sizeof *data);
    memcpy(data, &exported, sizeof exported);
    return fake_leave(CUDA_SUCCESS);
}

/* The same memory at another address. */
CUresult fake_cuMemPoolImportPointer(CUdeviceptr *pointer, CUmemoryPool handle,
                                     CUmemPoolPtrExportData *data)
{
    struct exported_pointer exported;
    struct fake_pool *pool;
    uintptr_t base;
    FAKE_ENTER(cuMemPoolImportPointer);
    memcpy(&exported, data, sizeof exported);
    CUresult result = get(handle, "cuMemPoolImportPointer", &pool);
    const struct fake_memory *source = fake_memory_find(exported.base);
    if (result != CUDA_SUCCESS || !pool->imported || !source || source->id != exported.id)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    result = fake_heap_take(exported.size, 0, &base);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    struct fake_memory *memory = fake_memory_add(&(struct fake_memory){
        .kind = FAKE_POOL_MEMORY,
        .base = base,
        .size = exported.size,
        .view = source->view,
        .device = pool->device,
        .context = &pool->device->context,
        .pool = pool,
        .alias = true,
    });
    pool_taken(pool, exported.size);
    *pointer = memory->base;
    return fake_leave(CUDA_SUCCESS);
}
