/* Owns the opening of NVIDIA's driver (or of the simulated one), the primary contexts of its
 * devices, and the translation of its errors. */
#include "cuda_backend.h"
#include "cuda_parameters.h"
#include "cuda_trace.h"
#include "reason.h"
#include "simulated.h"

#include <stdlib.h>
#include <string.h>

enum { DRIVER_VERSION_MIN = 11040, STREAMS_CARRY_CONTEXT_SINCE = 13000 };

const struct ah_backend_ops ahcuda_ops = {
#define AH_OP(name) .name = ahcuda_##name,
#include "backend_ops.def"
#undef AH_OP
};

static const struct ah_dynlib_symbol symbols[] = {
#define REQUIRED                                   AH_REQUIRED
#define OPTIONAL                                   AH_OPTIONAL
#define CUDA_SYMBOL(need, field, name, parameters) {name, offsetof(struct ahcuda_api, field), need},
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
#undef REQUIRED
#undef OPTIONAL
};

hipError_t ahcuda_error(CUresult result)
{
    switch (result) {
#define CUDA_ERROR_ROW(value, name, error)                                                         \
    case value:                                                                                    \
        return error;
#include "cuda_errors.def"
#undef CUDA_ERROR_ROW
    default:
        return hipErrorUnknown;
    }
}

hipError_t ahcuda_report(const struct ah_backend_device *device, const char *what, CUresult result)
{
    const char *name = NULL, *text = NULL;
    bool expected = result == CUDA_ERROR_NOT_READY ||
                    result == CUDA_ERROR_DEINITIALIZED; /* the process is ending */
    if (!expected && ah_log_on(AH_LOG_ERROR, AH_LOG_ALWAYS)) {
        device->api->cuGetErrorName(result, &name);
        device->api->cuGetErrorString(result, &text);
        AH_LOG_ERR("%s on %s:%d failed: %s (%d), %s", what, device->backend->name, device->ordinal,
                   name ? name : "unknown result", result, text ? text : "");
    }
    return ahcuda_error(result);
}

hipError_t ahcuda_missing(const struct ah_backend_device *device, const char *function)
{
    AH_LOG_ERR("%s is not in this driver (CUDA %d.%d): update the NVIDIA driver to use it",
               function, device->backend->driver_version / 1000,
               device->backend->driver_version % 1000 / 10);
    return hipErrorNotSupported;
}

hipError_t ahcuda_attribute(const struct ah_backend_device *device, int attribute, int *out_value)
{
    *out_value = 0;
    CUresult result = device->api->cuDeviceGetAttribute(out_value, attribute, device->ordinal);
    return result == CUDA_ERROR_INVALID_VALUE ? hipSuccess
                                              : ahcuda_done(device, "cuDeviceGetAttribute", result);
}

hipError_t ahcuda_retain(struct ah_backend_device *device)
{
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&device->lock);
    if (!atomic_load_explicit(&device->context, memory_order_relaxed)) {
        CUcontext context = NULL;
        result = device->api->cuDevicePrimaryCtxRetain(&context, device->ordinal);
        if (result == CUDA_SUCCESS)
            atomic_store_explicit(&device->context, context, memory_order_release);
    }
    pthread_mutex_unlock(&device->lock);
    return ahcuda_done(device, "cuDevicePrimaryCtxRetain", result);
}

hipError_t ahcuda_device_make_current(struct ah_backend_device *device)
{
    return ahcuda_enter(device);
}

hipError_t ahcuda_device_reset(struct ah_backend_device *device)
{
    CUresult result;
    ahcuda_trace_settle(device);
    pthread_mutex_lock(&device->lock);
    if (atomic_exchange(&device->context, NULL))
        device->api->cuDevicePrimaryCtxRelease(device->ordinal);
    atomic_store(&device->wait_kernel, NULL);
    atomic_store(&device->add_kernel, NULL);
    device->placed = NULL;
    result = device->api->cuDevicePrimaryCtxReset(device->ordinal);
    pthread_mutex_unlock(&device->lock);
    ahcuda_trace_forget(device);
    ahcuda_parameters_forget_all(device);
    return ahcuda_done(device, "cuDevicePrimaryCtxReset", result);
}

hipError_t ahcuda_device_native(struct ah_backend_device *device, void **out_device,
                                void **out_context)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    *out_device = (void *)(intptr_t)device->ordinal;
    *out_context = atomic_load(&device->context);
    return hipSuccess;
}

static hipError_t no_device(char **out_reason)
{
    *out_reason = ah_reason("the driver reports no device%s",
                            getenv("CUDA_VISIBLE_DEVICES") ? " (CUDA_VISIBLE_DEVICES is set)" : "");
    return hipErrorNoDevice;
}

static hipError_t start_driver(struct ah_backend *backend, char **out_reason)
{
    const char *name = NULL;
    CUresult result = backend->api.cuInit(0);
    if (result == CUDA_SUCCESS)
        result = backend->api.cuDriverGetVersion(&backend->driver_version);
    if (result == CUDA_SUCCESS)
        result = backend->api.cuDeviceGetCount(&backend->device_count);
    if (result == CUDA_ERROR_NO_DEVICE)
        return no_device(out_reason);
    if (result != CUDA_SUCCESS) {
        backend->api.cuGetErrorName(result, &name);
        *out_reason = ah_reason("the driver does not start: %s", name ? name : "unknown error");
        return ahcuda_error(result);
    }
    if (backend->driver_version < DRIVER_VERSION_MIN) {
        *out_reason = ah_reason("the driver is older than CUDA 11.4: update it");
        return hipErrorInsufficientDriver;
    }
    return backend->device_count > 0 ? hipSuccess : no_device(out_reason);
}

static hipError_t list_devices(struct ah_backend *backend)
{
    size_t size = (size_t)backend->device_count * sizeof *backend->devices;
    backend->devices = aligned_alloc(_Alignof(struct ah_backend_device), size);
    if (!backend->devices)
        return hipErrorOutOfMemory;
    memset(backend->devices, 0, size);
    for (int i = 0; i < backend->device_count; i++) {
        struct ah_backend_device *device = &backend->devices[i];
        device->backend = backend;
        device->api = &backend->api;
        device->launch = backend->api.cuLaunchKernelEx;
        device->graph_launch = backend->api.cuGraphLaunch;
        device->copy = backend->api.cuMemcpyAsync;
        device->streams_carry_context = backend->driver_version >= STREAMS_CARRY_CONTEXT_SINCE;
        pthread_mutex_init(&device->lock, NULL);
        CUresult result = backend->api.cuDeviceGet(&device->ordinal, i);
        if (result != CUDA_SUCCESS)
            return ahcuda_report(device, "cuDeviceGet", result);
        int major, minor;
        hipError_t error =
            ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major);
        if (error == hipSuccess)
            error = ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor);
        if (error != hipSuccess)
            return error;
        device->sm = (unsigned)(major * 10 + minor);
    }
    return hipSuccess;
}

hipError_t ahcuda_open(const struct ah_backend_options *options, struct ah_dynlib *lib,
                       struct ah_backend **out_backend, char **out_reason)
{
    *out_reason = NULL;
    if (!ah_dynlib_open(lib, options->candidates)) {
        *out_reason = ah_reason("no driver library could be opened");
        return hipErrorSharedObjectInitFailed;
    }
    struct ah_backend *backend = calloc(1, sizeof *backend);
    if (!backend)
        return hipErrorOutOfMemory;
    backend->name = options->name;
    hipError_t error;
    if (!ah_dynlib_bind(lib, symbols, sizeof symbols / sizeof *symbols, &backend->api)) {
        *out_reason =
            ah_reason("%s is too old, or not NVIDIA's: it lacks %s", lib->path, lib->missing);
        error = hipErrorInsufficientDriver;
    } else {
        error = ah_simulated_configure(backend->api.anyhipSimConfigure, options->devices, "driver",
                                       backend->name, out_reason)
                    ? hipSuccess
                    : hipErrorInvalidValue;
        if (error == hipSuccess)
            error = start_driver(backend, out_reason);
    }
    if (error == hipSuccess)
        error = list_devices(backend);
    if (error != hipSuccess) {
        ahcuda_close(backend);
        return error;
    }
    *out_backend = backend;
    return hipSuccess;
}

void ahcuda_close(struct ah_backend *backend)
{
    for (int i = 0; backend->devices && i < backend->device_count; i++) {
        struct ah_backend_device *device = &backend->devices[i];
        if (!device->backend)
            break;
        if (atomic_load(&device->context))
            backend->api.cuDevicePrimaryCtxRelease(device->ordinal);
        ahcuda_trace_destroy(device);
        pthread_mutex_destroy(&device->lock);
    }
    free(backend->devices);
    free(backend);
}

int ahcuda_device_count(struct ah_backend *backend)
{
    return backend->device_count;
}

struct ah_backend_device *ahcuda_device_at(struct ah_backend *backend, int index)
{
    return &backend->devices[index];
}

/* CUDA's number is 12040 for 12.4. HIP encodes versions differently on AMD, but has always
 * reported CUDA's number on NVIDIA. */
hipError_t ahcuda_driver_version(struct ah_backend *backend, int *out_version)
{
    *out_version = backend->driver_version;
    return hipSuccess;
}
