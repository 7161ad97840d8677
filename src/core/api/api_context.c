/* Contexts: HIP has one per device, its primary context; a hipCtx_t names it. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"

#include <stdlib.h>

enum { CONTEXT_API_VERSION = 4 };

struct context {
    struct ah_handle handle;
};

static hipError_t check(hipCtx_t handle, struct ah_device **out_device)
{
    if (!ah_handle_is(handle, AH_HANDLE_CONTEXT))
        return hipErrorInvalidContext;
    *out_device = ((const struct ah_handle *)(const void *)handle)->device;
    return hipSuccess;
}

static bool is_primary(hipCtx_t handle)
{
    struct ah_device *device;
    return check(handle, &device) == hipSuccess && device->primary_context == handle;
}

/* The stack of the calling thread: its top decides the current device. */
static hipError_t push(hipCtx_t handle)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    if (!extra)
        return hipErrorOutOfMemory;
    if (extra->context_count == extra->context_capacity) {
        size_t capacity = extra->context_capacity ? extra->context_capacity * 2 : 4;
        hipCtx_t *grown = realloc(extra->contexts, capacity * sizeof *grown);
        if (!grown)
            return hipErrorOutOfMemory;
        extra->contexts = grown;
        extra->context_capacity = capacity;
    }
    extra->contexts[extra->context_count++] = handle;
    return hipSuccess;
}

static hipError_t make_current(struct ah_device *device)
{
    hipError_t error = device->ops->device_make_current(device->native);
    if (error == hipSuccess)
        ah_thread.device = device->ordinal;
    return error;
}

static hipError_t push_current(hipCtx_t handle)
{
    struct ah_device *device;
    hipError_t error = check(handle, &device);
    if (error == hipSuccess)
        error = make_current(device);
    return error == hipSuccess ? push(handle) : error;
}

static hipError_t create(hipCtx_t *out_context, unsigned flags, int ordinal)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!out_context || !ah_device_flags_valid(flags))
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    struct context *context = ah_handle_create(AH_HANDLE_CONTEXT, device);
    if (!context)
        return hipErrorOutOfMemory;
    hipError_t error = ah_device_set_flags(device, flags);
    if (error == hipSuccess)
        error = push_current((hipCtx_t)(void *)context);
    if (error != hipSuccess) {
        ah_handle_destroy(context);
        return error;
    }
    atomic_store(&device->context_flags, flags & ~(unsigned)hipDeviceScheduleMask);
    *out_context = (hipCtx_t)(void *)context;
    return hipSuccess;
}

hipError_t hipCtxCreate(hipCtx_t *ctx, unsigned int flags, hipDevice_t device)
{
    AH_ENTER(hipCtxCreate);
    return AH_LEAVE(create(ctx, flags, device));
}

static hipError_t pop(hipCtx_t *out_context)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    struct ah_device *device;
    if (!extra || extra->context_count == 0)
        return hipErrorInvalidContext;
    hipCtx_t popped = extra->contexts[--extra->context_count];
    if (out_context)
        *out_context = popped;
    if (extra->context_count == 0)
        return hipSuccess;
    hipError_t error = check(extra->contexts[extra->context_count - 1], &device);
    return error == hipSuccess ? make_current(device) : error;
}

static hipError_t destroy(hipCtx_t handle)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    if (!handle)
        return hipErrorInvalidValue;
    if (is_primary(handle)) /* the primary context belongs to the device and is not destroyed */
        return hipErrorInvalidContext;
    if (!ah_handle_retire(handle, AH_HANDLE_CONTEXT))
        return hipErrorInvalidContext;
    if (extra && extra->context_count > 0 && extra->contexts[extra->context_count - 1] == handle)
        pop(NULL);
    ah_handle_destroy(handle);
    return hipSuccess;
}

hipError_t hipCtxDestroy(hipCtx_t ctx)
{
    AH_ENTER(hipCtxDestroy);
    return AH_LEAVE(destroy(ctx));
}

hipError_t hipCtxPopCurrent(hipCtx_t *ctx)
{
    AH_ENTER(hipCtxPopCurrent);
    return AH_LEAVE(pop(ctx));
}

hipError_t hipCtxPushCurrent(hipCtx_t ctx)
{
    AH_ENTER(hipCtxPushCurrent);
    return AH_LEAVE(push_current(ctx));
}

/* Replaces the top of the stack; NULL removes it. */
static hipError_t set_current(hipCtx_t handle)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    if (!extra)
        return hipErrorOutOfMemory;
    if (!handle)
        return extra->context_count > 0 ? pop(NULL) : hipSuccess;
    struct ah_device *device;
    hipError_t error = check(handle, &device);
    if (error != hipSuccess)
        return error;
    if (extra->context_count > 0)
        extra->context_count--;
    return push_current(handle);
}

hipError_t hipCtxSetCurrent(hipCtx_t ctx)
{
    AH_ENTER(hipCtxSetCurrent);
    return AH_LEAVE(set_current(ctx));
}

/* The device's primary context, always the same handle. */
static hipError_t primary_context(struct ah_device *device, hipCtx_t *out_context)
{
    pthread_mutex_lock(&device->lock);
    if (!device->primary_context)
        device->primary_context = ah_handle_create(AH_HANDLE_CONTEXT, device);
    *out_context = device->primary_context;
    pthread_mutex_unlock(&device->lock);
    return *out_context ? hipSuccess : hipErrorOutOfMemory;
}

/* The thread's current context; if it has none, the current device's primary one. */
static hipError_t get_current(hipCtx_t *out_context)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    struct ah_device *device = ah_device_current();
    if (!out_context)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    if (!extra || extra->context_count == 0)
        return primary_context(device, out_context);
    *out_context = extra->contexts[extra->context_count - 1];
    return hipSuccess;
}

hipError_t hipCtxGetCurrent(hipCtx_t *ctx)
{
    AH_ENTER(hipCtxGetCurrent);
    return AH_LEAVE(get_current(ctx));
}

hipError_t hipCtxGetDevice(hipDevice_t *device)
{
    AH_ENTER(hipCtxGetDevice);
    if (!device)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!ah_device_current())
        return AH_LEAVE(hipErrorNoDevice);
    *device = ah_thread.device;
    return AH_LEAVE(hipSuccess);
}

static hipError_t api_version(hipCtx_t handle, int *out_version)
{
    struct ah_device *device;
    if (!out_version)
        return hipErrorInvalidValue;
    hipError_t error = handle ? check(handle, &device) : hipSuccess;
    if (error == hipSuccess)
        *out_version = CONTEXT_API_VERSION;
    return error;
}

hipError_t hipCtxGetApiVersion(hipCtx_t ctx, unsigned int *apiVersion)
{
    AH_ENTER(hipCtxGetApiVersion);
    return AH_LEAVE(api_version(ctx, (int *)apiVersion));
}

hipError_t hipCtxGetCacheConfig(hipFuncCache_t *cacheConfig)
{
    AH_ENTER(hipCtxGetCacheConfig);
    return AH_LEAVE(ah_device_get_cache_config(cacheConfig));
}

hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig)
{
    AH_ENTER(hipCtxSetCacheConfig);
    return AH_LEAVE(ah_device_set_cache_config(cacheConfig));
}

hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *pConfig)
{
    AH_ENTER(hipCtxGetSharedMemConfig);
    return AH_LEAVE(ah_device_get_shared_config(pConfig));
}

hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config)
{
    AH_ENTER(hipCtxSetSharedMemConfig);
    return AH_LEAVE(ah_device_set_shared_config(config));
}

hipError_t hipCtxSynchronize(void)
{
    AH_ENTER_PLAIN(hipCtxSynchronize);
    return AH_LEAVE(ah_device_synchronize("hipCtxSynchronize"));
}

static hipError_t primary_state(int ordinal, unsigned *out_flags, int *out_active)
{
    struct ah_device *device = ah_device_at(ordinal);
    unsigned flags = 0;
    bool active = false;
    if (!device)
        return ah_device_missing_error();
    hipError_t error = device->ops->device_get_flags(device->native, &flags, &active);
    if (error == hipSuccess && out_flags)
        *out_flags = flags | atomic_load(&device->context_flags);
    if (error == hipSuccess && out_active)
        *out_active = active;
    return error;
}

hipError_t hipCtxGetFlags(unsigned int *flags)
{
    AH_ENTER(hipCtxGetFlags);
    if (!flags)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(primary_state(ah_thread.device, flags, NULL));
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int *flags, int *active)
{
    AH_ENTER(hipDevicePrimaryCtxGetState);
    if (!flags || !active)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(primary_state(dev, flags, active));
}

static hipError_t set_peer(hipCtx_t peer, bool enable)
{
    struct ah_device *device;
    hipError_t error = check(peer, &device);
    return error == hipSuccess ? ah_peer_set_access(ah_device_current(), device->ordinal, enable)
                               : error;
}

hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags)
{
    AH_ENTER(hipCtxEnablePeerAccess);
    return AH_LEAVE(flags ? hipErrorInvalidValue : set_peer(peerCtx, true));
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx)
{
    AH_ENTER(hipCtxDisablePeerAccess);
    return AH_LEAVE(set_peer(peerCtx, false));
}

/* The library itself holds the primary context until the process ends or the
 * device is reset, so that releasing it changes nothing. */
static hipError_t retain_primary(hipCtx_t *out_context, int ordinal)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!out_context)
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    hipError_t error = device->ops->device_make_current(device->native);
    return error == hipSuccess ? primary_context(device, out_context) : error;
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *pctx, hipDevice_t dev)
{
    AH_ENTER(hipDevicePrimaryCtxRetain);
    return AH_LEAVE(retain_primary(pctx, dev));
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev)
{
    AH_ENTER(hipDevicePrimaryCtxRelease);
    return AH_LEAVE(ah_device_at(dev) ? hipSuccess : ah_device_missing_error());
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t dev)
{
    AH_ENTER(hipDevicePrimaryCtxReset);
    return AH_LEAVE(ah_device_reset(ah_device_at(dev)));
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int flags)
{
    AH_ENTER(hipDevicePrimaryCtxSetFlags);
    return AH_LEAVE(ah_device_set_flags(ah_device_at(dev), flags));
}
