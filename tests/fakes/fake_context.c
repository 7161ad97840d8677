/* Owns primary contexts: their life, which is current where, and their settings. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_SIZE = 1024, PRINTF_SIZE = 1 << 20, HEAP_SIZE = 8 << 20 };
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

/* ---- life ------------------------------------------------------------------------ */

static CUcontext handle_of(const struct fake_context *context)
{
    return (CUcontext)(uintptr_t)context->handle;
}

static void start_context(struct fake_context *context)
{
    context->active = true;
    context->aborting = false;
    context->error = CUDA_SUCCESS;
    context->limits[CU_LIMIT_STACK_SIZE] = STACK_SIZE;
    context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = PRINTF_SIZE;
    context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = HEAP_SIZE;
    context->cache_config = context->shared_config = 0;
    memset(context->peers, 0, sizeof context->peers);
    fake_stream_new(context, CU_STREAM_DEFAULT, 0, &context->legacy);
    context->legacy->is_default = true;
}

static void close_of_context(struct fake_object *object, void *context)
{
    if (object->context != context)
        return;
    if (object->kind == FAKE_STREAM)
        fake_stream_close((struct fake_stream *)(void *)object);
    else if (object->kind == FAKE_MODULE)
        fake_module_close(object);
    else
        fake_object_close(object);
}

static void close_pool_of_device(struct fake_object *object, void *device)
{
    struct fake_pool *pool = (struct fake_pool *)(void *)object;
    if (pool->device == device)
        fake_object_close(object);
}

/* Everything of the context goes: work first, then what it used. */
static void end_context(struct fake_context *context)
{
    struct fake_memory *memory;
    context->aborting = true;
    pthread_cond_broadcast(&fake.changed);
    fake_context_wait(context);
    fake_object_each(FAKE_MODULE, close_of_context, context);
    fake_object_each(FAKE_EVENT, close_of_context, context);
    fake_object_each(FAKE_ARRAY, close_of_context, context);
    fake_object_each(FAKE_STREAM, close_of_context, context);
    for (size_t i = 0; (memory = fake_memory_at(i));) {
        if (memory->context == context && memory->kind != FAKE_MAPPING)
            fake_memory_free(memory);
        else
            i++;
    }
    fake_object_each(FAKE_POOL, close_pool_of_device, context->device);
    context->device->default_pool = context->device->current_pool = NULL;
    context->legacy = NULL;
    context->active = false;
    context->error = CUDA_SUCCESS;
    context->flags = 0;
}

CUresult fake_cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice ordinal)
{
    FAKE_ENTER(cuDevicePrimaryCtxRetain);
    struct fake_device *device = fake_device(ordinal);
    if (!device)
        return fake_leave(FAKE_INVALID_DEVICE);
    if (!device->context.active)
        start_context(&device->context);
    device->context.retained++;
    *out = handle_of(&device->context);
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDevicePrimaryCtxRelease(CUdevice ordinal)
{
    FAKE_ENTER(cuDevicePrimaryCtxRelease);
    struct fake_device *device = fake_device(ordinal);
    if (!device)
        return fake_leave(FAKE_INVALID_DEVICE);
    if (device->context.retained == 0) {
        fake_violation("cuDevicePrimaryCtxRelease without a retain");
        return fake_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (--device->context.retained == 0)
        end_context(&device->context);
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDevicePrimaryCtxReset(CUdevice ordinal)
{
    FAKE_ENTER(cuDevicePrimaryCtxReset);
    struct fake_device *device = fake_device(ordinal);
    if (!device)
        return fake_leave(FAKE_INVALID_DEVICE);
    if (device->context.active)
        end_context(&device->context);
    device->context.retained = 0;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDevicePrimaryCtxSetFlags(CUdevice ordinal, unsigned flags)
{
    FAKE_ENTER(cuDevicePrimaryCtxSetFlags);
    struct fake_device *device = fake_device(ordinal);
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    if (!device)
        return fake_leave(FAKE_INVALID_DEVICE);
    if ((flags & ~(unsigned)(CU_CTX_SCHED_MASK | CU_CTX_LMEM_RESIZE_TO_MAX)) != 0 ||
        (schedule & (schedule - 1)) != 0)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    device->context.flags = flags;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned *flags, int *active)
{
    FAKE_ENTER(cuDevicePrimaryCtxGetState);
    struct fake_device *device = fake_device(ordinal);
    if (!device)
        return fake_leave(FAKE_INVALID_DEVICE);
    *flags = device->context.flags;
    *active = device->context.active;
    return fake_leave(CUDA_SUCCESS);
}

/* ---- the current one -------------------------------------------------------------- */

static CUresult usable(struct fake_context *context)
{
    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    return context->active ? context->error : FAKE_CONTEXT_IS_DESTROYED;
}

CUresult fake_current(struct fake_context **out)
{
    *out = fake_thread.context;
    return usable(*out);
}

static struct fake_context *context_with(CUcontext handle)
{
    for (int i = 0; i < fake.device_count; i++)
        if (handle_of(&fake.devices[i].context) == handle)
            return &fake.devices[i].context;
    return NULL;
}

CUresult fake_context_of(CUcontext handle, struct fake_context **out)
{
    *out = context_with(handle);
    if (!*out)
        fake_violation("%p is not a context", (void *)handle);
    return usable(*out);
}

CUresult fake_cuCtxGetCurrent(CUcontext *out)
{
    FAKE_ENTER(cuCtxGetCurrent);
    *out = fake_thread.context ? handle_of(fake_thread.context) : NULL;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuCtxSetCurrent(CUcontext handle)
{
    FAKE_ENTER(cuCtxSetCurrent);
    struct fake_context *context = context_with(handle);
    if (handle && !context) {
        fake_violation("%p is not a context", (void *)handle);
        return fake_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (context && !context->active)
        return fake_leave(FAKE_CONTEXT_IS_DESTROYED);
    fake_thread.context = context;
    return fake_leave(CUDA_SUCCESS);
}

bool fake_reaches(const struct fake_context *context, const struct fake_device *device)
{
    return context->device == device || context->peers[device->ordinal];
}

CUresult fake_cuCtxSynchronize(void)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxSynchronize);
    CUresult result = fake_current(&context);
    return fake_leave(result == CUDA_SUCCESS ? fake_context_wait(context) : result);
}

/* ---- settings ------------------------------------------------------------------------ */

CUresult fake_cuCtxGetLimit(size_t *value, int limit)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxGetLimit);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS && (limit < 0 || limit > CU_LIMIT_MALLOC_HEAP_SIZE))
        result = FAKE_UNSUPPORTED_LIMIT;
    if (result == CUDA_SUCCESS)
        *value = context->limits[limit];
    return fake_leave(result);
}

CUresult fake_cuCtxSetLimit(int limit, size_t value)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxSetLimit);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS && (limit < 0 || limit > CU_LIMIT_MALLOC_HEAP_SIZE))
        result = FAKE_UNSUPPORTED_LIMIT;
    if (result == CUDA_SUCCESS)
        context->limits[limit] = value;
    return fake_leave(result);
}

CUresult fake_cuCtxGetCacheConfig(int *config)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxGetCacheConfig);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        *config = context->cache_config;
    return fake_leave(result);
}

CUresult fake_cuCtxSetCacheConfig(int config)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxSetCacheConfig);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        context->cache_config = config;
    return fake_leave(result);
}

CUresult fake_cuCtxGetSharedMemConfig(int *config)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxGetSharedMemConfig);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        *config = context->shared_config;
    return fake_leave(result);
}

CUresult fake_cuCtxSetSharedMemConfig(int config)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxSetSharedMemConfig);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        context->shared_config = config;
    return fake_leave(result);
}

CUresult fake_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    struct fake_context *context;
    FAKE_ENTER(cuCtxGetStreamPriorityRange);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS && least)
        *least = LEAST_PRIORITY;
    if (result == CUDA_SUCCESS && greatest)
        *greatest = GREATEST_PRIORITY;
    return fake_leave(result);
}

static CUresult set_peer(CUcontext handle, bool enable)
{
    struct fake_context *context, *peer;
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        result = fake_context_of(handle, &peer);
    if (result != CUDA_SUCCESS)
        return result;
    int ordinal = peer->device->ordinal;
    if (peer == context)
        return FAKE_INVALID_DEVICE;
    if (!fake.peers)
        return FAKE_PEER_UNSUPPORTED;
    if (context->peers[ordinal] == enable)
        return enable ? FAKE_PEER_ALREADY_ENABLED : FAKE_PEER_NOT_ENABLED;
    context->peers[ordinal] = enable;
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    FAKE_ENTER(cuCtxEnablePeerAccess);
    return fake_leave(flags ? CUDA_ERROR_INVALID_VALUE : set_peer(peer, true));
}

CUresult fake_cuCtxDisablePeerAccess(CUcontext peer)
{
    FAKE_ENTER(cuCtxDisablePeerAccess);
    return fake_leave(set_peer(peer, false));
}

CUresult fake_cuProfilerStart(void)
{
    struct fake_context *context;
    FAKE_ENTER(cuProfilerStart);
    return fake_leave(fake_current(&context));
}

CUresult fake_cuProfilerStop(void)
{
    struct fake_context *context;
    FAKE_ENTER(cuProfilerStop);
    return fake_leave(fake_current(&context));
}
