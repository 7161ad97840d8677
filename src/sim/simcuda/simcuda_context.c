/* Owns contexts: creation and destruction, which is current on which thread, and their settings. */
#include "simcuda_texture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CUsharedconfig: present devices use the first one, whatever is set. */
enum { FOUR_BYTE_BANKS = 1, EIGHT_BYTE_BANKS };
enum { STACK_SIZE = 1024, PRINTF_SIZE = 1 << 20, HEAP_SIZE = 8 << 20 };
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };
enum { API_VERSION = 3020, STACK_MAX = 524288 - 16384 };
/* How long the destruction of a context waits for its kernels. */
enum { GRACE_SECONDS = 10 };

/* ---- life ------------------------------------------------------------------------ */

static CUcontext handle_of(const struct simcuda_context *context)
{
    return (CUcontext)(uintptr_t)context->object.handle;
}

static void apply_limits(struct simcuda_context *context)
{
    context->ptx.stack_size = context->limits[CU_LIMIT_STACK_SIZE];
    context->ptx.heap_size = context->limits[CU_LIMIT_MALLOC_HEAP_SIZE];
}

static CUresult start_context(struct simcuda_context *context, unsigned flags)
{
    struct simcuda_device *device = context->device;
    if (device->lost)
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    context->print = context->print ? context->print : simcuda_print_new();
    if (!context->print)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = simcuda_stream_new(context, CU_STREAM_DEFAULT, 0, &context->legacy);
    if (result != CUDA_SUCCESS)
        return result;
    context->legacy->is_default = true;
    context->active = true;
    context->ending = context->aborting = false;
    context->error = CUDA_SUCCESS;
    context->flags = flags;
    context->version = API_VERSION;
    context->limits[CU_LIMIT_STACK_SIZE] = STACK_SIZE;
    context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = PRINTF_SIZE;
    context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = HEAP_SIZE;
    context->cache_config = 0;
    memset(context->peers, 0, sizeof context->peers);
    context->ptx.device = device->ordinal;
    context->ptx.sm = device->model.sm;
    context->ptx.units = (unsigned)device->model.units;
    context->ptx.print = simcuda_print;
    context->ptx.texture = simcuda_texture;
    context->ptx.surface = simcuda_surface;
    context->ptx.data = context;
    atomic_store(&context->ptx.heap_used, 0);
    apply_limits(context);
    context->next = simcuda.contexts;
    simcuda.contexts = context;
    return CUDA_SUCCESS;
}

static void close_of_context(struct simcuda_object *object, void *context)
{
    if (object->context != context)
        return;
    if (object->kind == SIMCUDA_STREAM)
        simcuda_stream_close((struct simcuda_stream *)(void *)object);
    else if (object->kind == SIMCUDA_MODULE)
        simcuda_module_close(object);
    else
        simcuda_object_close(object);
}

static void close_pool_of_device(struct simcuda_object *object, void *device)
{
    struct simcuda_pool *pool = (struct simcuda_pool *)(void *)object;
    if (pool->device == device)
        simcuda_object_close(object);
}

static bool is_busy(const struct simcuda_context *context)
{
    const struct simcuda_stream *stream = context->streams;
    while (stream && stream->done == stream->queued)
        stream = stream->next;
    return stream != NULL;
}

/* Kernels may end, and waits return; what is left after a while is stopped. */
static void end_work(struct simcuda_context *context)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += GRACE_SECONDS;
    context->ending = true;
    pthread_cond_broadcast(&simcuda.changed);
    while (is_busy(context) && !context->aborting)
        if (pthread_cond_timedwait(&simcuda.changed, &simcuda.lock, &until) != 0)
            context->aborting = is_busy(context);
    if (context->aborting)
        AH_LOG_WARN("simulated CUDA driver: a context ends while its kernels still run");
    simcuda_launches_cancel(context);
    pthread_cond_broadcast(&simcuda.changed);
    simcuda_context_wait(context);
}

static bool free_if_of(struct sim_memory *memory, void *context)
{
    if (memory->kind == SIM_MEMORY_HEAP && memory->owner == context)
        sim_memory_destroy(memory);
    return true;
}

/* Frees the memory that the program allocated in it, and that its kernels allocated. */
static void free_memory_of(struct simcuda_context *context)
{
    sim_memory_each(free_if_of, &context->ptx);
    atomic_store(&context->ptx.heap_used, 0);
    struct simcuda_memory *memory = simcuda_memory_first();
    while (memory) {
        struct simcuda_memory *next = memory->next;
        if (memory->context == context && memory->kind != SIMCUDA_MAPPING)
            simcuda_memory_free(memory);
        memory = next;
    }
}

/* Destroys everything of the context: work first, then the objects that it used. */
static void end_context(struct simcuda_context *context)
{
    end_work(context);
    simcuda_object_each(SIMCUDA_MODULE, close_of_context, context);
    simcuda_object_each(SIMCUDA_LINK, close_of_context, context);
    simcuda_object_each(SIMCUDA_EVENT, close_of_context, context);
    simcuda_graphics_end(context);
    simcuda_object_each(SIMCUDA_TEXTURE, close_of_context, context);
    simcuda_object_each(SIMCUDA_SURFACE, close_of_context, context);
    simcuda_object_each(SIMCUDA_MIPMAP, close_of_context, context);
    simcuda_object_each(SIMCUDA_ARRAY, close_of_context, context);
    simcuda_object_each(SIMCUDA_STREAM, close_of_context, context);
    simcuda_object_each(SIMCUDA_EXTERNAL, close_of_context, context);
    simcuda_object_each(SIMCUDA_SEMAPHORE, close_of_context, context);
    free_memory_of(context);
    simcuda_print_flush(context);
    if (context->primary) {
        simcuda_object_each(SIMCUDA_POOL, close_pool_of_device, context->device);
        context->device->default_pool = context->device->current_pool = NULL;
    }
    struct simcuda_context **link = &simcuda.contexts;
    while (*link != context)
        link = &(*link)->next;
    *link = context->next;
    context->legacy = NULL;
    context->active = false;
    context->error = CUDA_SUCCESS;
    context->flags = 0;
    memset(context->peers, 0, sizeof context->peers);
    simcuda_peers_changed();
}

/* ---- primary contexts -------------------------------------------------------------- */

CUresult simcuda_primary_retain(CUcontext *out, struct simcuda_device *device)
{
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = device->primary->active
                          ? CUDA_SUCCESS
                          : start_context(device->primary, device->primary->flags);
    if (result != CUDA_SUCCESS)
        return result;
    device->primary->retained++;
    *out = handle_of(device->primary);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice ordinal)
{
    SIMCUDA_ENTER(cuDevicePrimaryCtxRetain);
    return simcuda_leave(simcuda_primary_retain(out, simcuda_device(ordinal)));
}

void simcuda_primary_release(struct simcuda_device *device)
{
    if (--device->primary->retained == 0 && device->primary->active && !device->primary->ending)
        end_context(device->primary);
}

CUresult simcuda_cuDevicePrimaryCtxRelease(CUdevice ordinal)
{
    SIMCUDA_ENTER(cuDevicePrimaryCtxRelease);
    struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (device->primary->retained == 0) {
        simcuda_violation("cuDevicePrimaryCtxRelease without a retain");
        return simcuda_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    simcuda_primary_release(device);
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuDevicePrimaryCtxReset(CUdevice ordinal)
{
    SIMCUDA_ENTER(cuDevicePrimaryCtxReset);
    struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (device->primary->active && !device->primary->ending)
        end_context(device->primary);
    device->primary->retained = 0;
    return simcuda_leave(CUDA_SUCCESS);
}

static bool flags_are_good(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    unsigned known = CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX;
    return (flags & ~known) == 0 && (schedule & (schedule - 1)) == 0;
}

CUresult simcuda_cuDevicePrimaryCtxSetFlags(CUdevice ordinal, unsigned flags)
{
    SIMCUDA_ENTER(cuDevicePrimaryCtxSetFlags);
    struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (!flags_are_good(flags))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    device->primary->flags = flags;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned *flags, int *active)
{
    SIMCUDA_ENTER(cuDevicePrimaryCtxGetState);
    struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (!flags || !active)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *flags = device->primary->flags;
    *active = device->primary->active;
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- the current one -------------------------------------------------------------- */

CUresult simcuda_context_error(const struct simcuda_context *context)
{
    return context->error == CUDA_SUCCESS && context->device->lost ? CUDA_ERROR_LAUNCH_FAILED
                                                                   : context->error;
}

void simcuda_context_fail(struct simcuda_context *context, CUresult error)
{
    if (context->error == CUDA_SUCCESS)
        context->error = error;
}

static CUresult usable(struct simcuda_context *context)
{
    return context->active && !context->ending ? simcuda_context_error(context)
                                               : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static struct simcuda_context *context_with(CUcontext handle)
{
    return simcuda_object_peek(handle, SIMCUDA_CONTEXT);
}

static uint64_t current_handle(void)
{
    return simcuda_thread.depth > 0 ? simcuda_thread.stack[simcuda_thread.depth - 1] : 0;
}

CUresult simcuda_current(struct simcuda_context **out)
{
    uint64_t handle = current_handle();
    *out = handle ? context_with((CUcontext)(uintptr_t)handle) : NULL;
    if (!handle)
        return CUDA_ERROR_INVALID_CONTEXT;
    return *out ? usable(*out) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult simcuda_context_of(CUcontext handle, struct simcuda_context **out)
{
    *out = context_with(handle);
    if (!*out) {
        simcuda_violation("%p is not a context", (void *)handle);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return usable(*out);
}

CUresult simcuda_cuCtxGetCurrent(CUcontext *out)
{
    SIMCUDA_ENTER(cuCtxGetCurrent);
    if (!out)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *out = (CUcontext)(uintptr_t)current_handle();
    return simcuda_leave(CUDA_SUCCESS);
}

/* The handle of a context that may be made current. */
static CUresult check_settable(CUcontext handle)
{
    const struct simcuda_context *context = context_with(handle);
    if (!context) {
        simcuda_violation("%p is not a context", (void *)handle);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return context->active ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult simcuda_cuCtxSetCurrent(CUcontext handle)
{
    SIMCUDA_ENTER(cuCtxSetCurrent);
    CUresult result = handle ? check_settable(handle) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    if (simcuda_thread.depth > 0)
        simcuda_thread.depth--;
    if (handle)
        simcuda_thread.stack[simcuda_thread.depth++] = (uint64_t)(uintptr_t)handle;
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult push_current(CUcontext handle)
{
    CUresult result = check_settable(handle);
    if (result == CUDA_SUCCESS && simcuda_thread.depth == SIMCUDA_STACK_MAX)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS)
        simcuda_thread.stack[simcuda_thread.depth++] = (uint64_t)(uintptr_t)handle;
    return result;
}

CUresult simcuda_cuCtxPushCurrent(CUcontext handle)
{
    SIMCUDA_ENTER(cuCtxPushCurrent);
    return simcuda_leave(push_current(handle));
}

CUresult simcuda_cuCtxPopCurrent(CUcontext *out)
{
    SIMCUDA_ENTER(cuCtxPopCurrent);
    if (simcuda_thread.depth == 0)
        return simcuda_leave(CUDA_ERROR_INVALID_CONTEXT);
    if (out)
        *out = (CUcontext)(uintptr_t)current_handle();
    simcuda_thread.depth--;
    return simcuda_leave(CUDA_SUCCESS);
}

static void fini_context(struct simcuda_object *object)
{
    simcuda_print_free(((struct simcuda_context *)(void *)object)->print);
}

/* ---- contexts that programs make ----------------------------------------------------- */

static CUresult create(CUcontext *out, unsigned flags, CUdevice ordinal)
{
    struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!out || !flags_are_good(flags))
        return CUDA_ERROR_INVALID_VALUE;
    struct simcuda_context *context = simcuda_object_new(SIMCUDA_CONTEXT, sizeof *context, NULL);
    if (!context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->object.fini = fini_context;
    context->device = device;
    CUresult result = start_context(context, flags);
    if (result == CUDA_SUCCESS)
        result = push_current(handle_of(context));
    if (result != CUDA_SUCCESS) {
        if (context->active)
            end_context(context);
        simcuda_object_close(&context->object);
        return result;
    }
    *out = handle_of(context);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuCtxCreate(CUcontext *out, unsigned flags, CUdevice device)
{
    SIMCUDA_ENTER(cuCtxCreate);
    return simcuda_leave(create(out, flags, device));
}

CUresult simcuda_cuCtxCreate_v3(CUcontext *out, void *affinities, int count, unsigned flags,
                                CUdevice device)
{
    SIMCUDA_ENTER(cuCtxCreate_v3);
    bool none = !affinities && count == 0;
    return simcuda_leave(none ? create(out, flags, device) : CUDA_ERROR_NOT_SUPPORTED);
}

CUresult simcuda_cuCtxCreate_v4(CUcontext *out, void *parameters, unsigned flags, CUdevice device)
{
    SIMCUDA_ENTER(cuCtxCreate_v4);
    return simcuda_leave(parameters ? CUDA_ERROR_NOT_SUPPORTED : create(out, flags, device));
}

CUresult simcuda_cuCtxDestroy(CUcontext handle)
{
    SIMCUDA_ENTER(cuCtxDestroy);
    struct simcuda_context *context = context_with(handle);
    if (!context || context->primary || context->ending) {
        simcuda_violation("cuCtxDestroy of %p", (void *)handle);
        return simcuda_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (current_handle() == context->object.handle)
        simcuda_thread.depth--;
    end_context(context);
    simcuda_object_close(&context->object);
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- queries of the current one -------------------------------------------------------- */

CUresult simcuda_cuCtxGetDevice(CUdevice *out)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetDevice);
    CUresult result = simcuda_current(&context);
    if (!out)
        result = CUDA_ERROR_INVALID_VALUE;
    else if (context && context->active) /* errors of its kernels are ignored */
        *out = context->device->ordinal, result = CUDA_SUCCESS;
    return simcuda_leave(result);
}

static CUresult named_or_current(CUcontext handle, struct simcuda_context **out)
{
    return handle ? simcuda_context_of(handle, out) : simcuda_current(out);
}

CUresult simcuda_cuCtxGetApiVersion(CUcontext handle, unsigned *version)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetApiVersion);
    CUresult result = version ? named_or_current(handle, &context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *version = context->version;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxGetId(CUcontext handle, uint64_t *id)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetId);
    CUresult result = id ? named_or_current(handle, &context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *id = context->object.handle & 0xffffffffffff;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxGetFlags(unsigned *flags)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetFlags);
    CUresult result = flags ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *flags = context->flags;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxSetFlags(unsigned flags)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxSetFlags);
    CUresult result = flags_are_good(flags) ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        context->flags = flags;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxSynchronize(void)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxSynchronize);
    CUresult result = simcuda_current(&context);
    return simcuda_leave(result == CUDA_SUCCESS ? simcuda_context_wait(context) : result);
}

/* ---- settings ------------------------------------------------------------------------ */

CUresult simcuda_cuCtxGetLimit(size_t *value, int limit)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetLimit);
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS && !value)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && (limit < 0 || limit >= SIMCUDA_LIMITS))
        result = CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (result == CUDA_SUCCESS)
        *value = context->limits[limit];
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxSetLimit(int limit, size_t value)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxSetLimit);
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS && (limit < 0 || limit >= SIMCUDA_LIMITS))
        result = CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (result == CUDA_SUCCESS && limit == CU_LIMIT_STACK_SIZE && value > STACK_MAX)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) /* running kernels keep the settings that they were started with */
        result = simcuda_context_wait(context);
    if (result == CUDA_SUCCESS) {
        context->limits[limit] = value;
        apply_limits(context);
    }
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxGetCacheConfig(int *config)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetCacheConfig);
    CUresult result = config ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *config = context->cache_config;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxSetCacheConfig(int config)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxSetCacheConfig);
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS)
        context->cache_config = config;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxGetSharedMemConfig(int *config)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetSharedMemConfig);
    CUresult result = config ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *config = FOUR_BYTE_BANKS;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxSetSharedMemConfig(int config)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxSetSharedMemConfig);
    bool known = config >= 0 && config <= EIGHT_BYTE_BANKS;
    CUresult result = known ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    return simcuda_leave(result);
}

CUresult simcuda_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuCtxGetStreamPriorityRange);
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS && least)
        *least = LEAST_PRIORITY;
    if (result == CUDA_SUCCESS && greatest)
        *greatest = GREATEST_PRIORITY;
    return simcuda_leave(result);
}

static CUresult set_peer(CUcontext handle, bool enable)
{
    struct simcuda_context *context, *peer;
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS)
        result = simcuda_context_of(handle, &peer);
    if (result != CUDA_SUCCESS)
        return result;
    int ordinal = peer->device->ordinal;
    if (peer == context)
        return CUDA_ERROR_INVALID_DEVICE;
    if (peer->device == context->device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (context->peers[ordinal] == enable)
        return enable ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    context->peers[ordinal] = enable;
    simcuda_peers_changed();
    return CUDA_SUCCESS;
}

CUresult simcuda_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    SIMCUDA_ENTER(cuCtxEnablePeerAccess);
    return simcuda_leave(flags ? CUDA_ERROR_INVALID_VALUE : set_peer(peer, true));
}

CUresult simcuda_cuCtxDisablePeerAccess(CUcontext peer)
{
    SIMCUDA_ENTER(cuCtxDisablePeerAccess);
    return simcuda_leave(set_peer(peer, false));
}

CUresult simcuda_cuProfilerStart(void)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuProfilerStart);
    return simcuda_leave(simcuda_current(&context));
}

CUresult simcuda_cuProfilerStop(void)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuProfilerStop);
    return simcuda_leave(simcuda_current(&context));
}
