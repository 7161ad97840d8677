/* Looking functions up by name, changing the log, and the names behind handles
 * that the driver understands. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <hip/anyhip.h>
#include <hip/api/per_thread_default_stream.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- functions by name ------------------------------------------------------- */

/* Only this library's: a search through its handle finds those it needs too. */
static void *symbol_named(const char *name)
{
    Dl_info self, found;
    static _Atomic(void *) library;
    if (!dladdr((const void *)(uintptr_t)&symbol_named, &self))
        return NULL;
    void *handle = atomic_load(&library);
    if (!handle) {
        handle = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        atomic_store(&library, handle); /* never closed: the library is not unloaded */
    }
    void *address = handle ? dlsym(handle, name) : NULL;
    return address && dladdr(address, &found) && found.dli_fbase == self.dli_fbase ? address : NULL;
}

/* From HIP 6 on the plain names mean the functions of the new structure. */
static const char *versioned_name(const char *name, int version)
{
    enum { HIP_6 = 600 };
    if (version < HIP_6)
        return name;
    if (strcmp(name, "hipGetDeviceProperties") == 0)
        return "hipGetDevicePropertiesR0600";
    if (strcmp(name, "hipChooseDevice") == 0)
        return "hipChooseDeviceR0600";
    return name;
}

static void *address_of(const char *name, int version, bool per_thread)
{
    char spt[128];
    void *address = NULL;
    snprintf(spt, sizeof spt, "%s_spt", name);
    if (per_thread)
        address = symbol_named(spt);
    return address ? address : symbol_named(versioned_name(name, version));
}

static hipError_t proc_address(const char *name, void **out_address, int version, uint64_t flags,
                               hipDriverProcAddressQueryResult *out_status, bool per_thread)
{
    enum { DEFAULT = 0, LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };
    if (!name || !*name || !out_address || flags > PER_THREAD_STREAM)
        return hipErrorInvalidValue;
    per_thread = flags == PER_THREAD_STREAM || (flags == DEFAULT && per_thread);
    *out_address = address_of(name, version, per_thread);
    if (out_status)
        *out_status =
            *out_address ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *out_address ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult *symbolStatus)
{
    AH_ENTER(hipGetProcAddress);
    return AH_LEAVE(proc_address(symbol, pfn, hipVersion, flags, symbolStatus, false));
}

hipError_t hipGetProcAddress_spt(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                                 hipDriverProcAddressQueryResult *symbolStatus)
{
    AH_ENTER(hipGetProcAddress_spt);
    return AH_LEAVE(proc_address(symbol, pfn, hipVersion, flags, symbolStatus, true));
}

static hipError_t entry_point(const char *name, void **out_address, unsigned long long flags,
                              hipDriverEntryPointQueryResult *out_status, bool per_thread)
{
    hipDriverProcAddressQueryResult found = HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    enum { THIS_VERSION = HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR };
    hipError_t error = proc_address(name, out_address, THIS_VERSION, flags, &found, per_thread);
    if (out_status)
        *out_status =
            error == hipSuccess ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
    return error;
}

hipError_t hipGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                  hipDriverEntryPointQueryResult *status)
{
    AH_ENTER(hipGetDriverEntryPoint);
    return AH_LEAVE(entry_point(symbol, funcPtr, flags, status, false));
}

hipError_t hipGetDriverEntryPoint_spt(const char *symbol, void **funcPtr, unsigned long long flags,
                                      hipDriverEntryPointQueryResult *status)
{
    AH_ENTER(hipGetDriverEntryPoint_spt);
    return AH_LEAVE(entry_point(symbol, funcPtr, flags, status, true));
}

/* ---- the log --------------------------------------------------------------------- */

static int level_before_disabling = -1;

hipError_t hipExtDisableLogging(void)
{
    AH_ENTER_PLAIN(hipExtDisableLogging);
    if (ah_log_threshold > AH_LOG_NONE)
        level_before_disabling = ah_log_threshold;
    ah_log_threshold = AH_LOG_NONE;
    ah_api_update_state();
    return AH_LEAVE(hipSuccess);
}

hipError_t hipExtEnableLogging(void)
{
    AH_ENTER_PLAIN(hipExtEnableLogging);
    if (level_before_disabling >= 0)
        ah_log_threshold = level_before_disabling;
    ah_api_update_state();
    return AH_LEAVE(hipSuccess);
}

hipError_t hipExtSetLoggingParams(size_t log_level, size_t log_size, size_t log_mask)
{
    AH_ENTER(hipExtSetLoggingParams);
    if (log_level > AH_LOG_EXTRA)
        return AH_LEAVE(hipErrorInvalidValue);
    ah_log_configure(&(struct ah_log_settings){
        .level = (int)log_level,
        .mask = (int)log_mask,
        .file = ah_registry.config.log_file,
        .max_size_mib = log_size,
    });
    ah_api_update_state();
    return AH_LEAVE(hipSuccess);
}

/* ---- the driver's own handles ------------------------------------------------------ */

const char *anyhipVersion(void)
{
    return ANYHIP_VERSION;
}

hipError_t anyhipDeviceGetBackend(int device, enum anyhipBackend *out_backend,
                                  const char **out_name)
{
    AH_ENTER(anyhipDeviceGetBackend);
    const struct ah_device *found = ah_device_at(device);
    if (!out_backend)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!found)
        return AH_LEAVE(ah_device_missing_error());
    *out_backend = found->driver->id;
    if (out_name)
        *out_name = found->driver->name;
    return AH_LEAVE(hipSuccess);
}

hipError_t anyhipDeviceGetNative(int device, uint64_t *out_device, void **out_context)
{
    void *native, *context;
    AH_ENTER(anyhipDeviceGetNative);
    struct ah_device *found = ah_device_at(device);
    if (!out_device)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!found)
        return AH_LEAVE(ah_device_missing_error());
    hipError_t error = found->ops->device_native(found->native, &native, &context);
    if (error == hipSuccess)
        *out_device = (uint64_t)(uintptr_t)native;
    if (error == hipSuccess && out_context)
        *out_context = context;
    return AH_LEAVE(error);
}

static hipError_t stream_native(hipStream_t handle, void **out_stream)
{
    struct ah_stream *stream;
    struct ah_backend_stream *native;
    uint64_t value;
    if (!out_stream)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_handle(handle, &stream);
    if (error == hipSuccess)
        error = ah_stream_native(stream, &native);
    if (error != hipSuccess)
        return error;
    struct ah_device *device = stream->handle.device;
    error = device->ops->stream_native(device->native, native, &value);
    if (error == hipSuccess)
        *out_stream = (void *)(uintptr_t)value;
    return error;
}

hipError_t anyhipStreamGetNative(hipStream_t stream, void **out_stream)
{
    AH_ENTER(anyhipStreamGetNative);
    return AH_LEAVE(stream_native(stream, out_stream));
}

static hipError_t check_native(const void *handle, enum ah_handle_type type,
                               const uint64_t *out_native)
{
    if (!out_native)
        return hipErrorInvalidValue;
    return ah_handle_is(handle, type) ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t anyhipEventGetNative(hipEvent_t event, uint64_t *out_event)
{
    AH_ENTER(anyhipEventGetNative);
    const struct ah_event *object = (const struct ah_event *)(const void *)event;
    hipError_t error = check_native(event, AH_HANDLE_EVENT, out_event);
    return AH_LEAVE(error != hipSuccess
                        ? error
                        : object->handle.device->ops->event_native(object->handle.device->native,
                                                                   object->native, out_event));
}

hipError_t anyhipModuleGetNative(hipModule_t module, uint64_t *out_module)
{
    AH_ENTER(anyhipModuleGetNative);
    const struct ah_module *object = (const struct ah_module *)(const void *)module;
    hipError_t error = check_native(module, AH_HANDLE_MODULE, out_module);
    return AH_LEAVE(error != hipSuccess
                        ? error
                        : object->handle.device->ops->module_native(object->handle.device->native,
                                                                    object->native, out_module));
}

hipError_t anyhipFunctionGetNative(hipFunction_t function, uint64_t *out_function)
{
    AH_ENTER(anyhipFunctionGetNative);
    const struct ah_function *object = (const struct ah_function *)(const void *)function;
    hipError_t error = check_native(function, AH_HANDLE_FUNCTION, out_function);
    return AH_LEAVE(error != hipSuccess
                        ? error
                        : object->handle.device->ops->function_native(
                              object->handle.device->native, object->native, out_function));
}

hipError_t anyhipPointerGetNative(const void *pointer, int *out_device, uint64_t *out_address)
{
    struct ah_pointer_info info;
    AH_ENTER(anyhipPointerGetNative);
    const struct ah_device *device = pointer ? ah_memory_describe(pointer, &info) : NULL;
    if (!device || !out_address)
        return AH_LEAVE(hipErrorInvalidValue);
    bool on_host = info.kind == AH_MEMORY_HOST || info.kind == AH_MEMORY_REGISTERED;
    *out_address = (uint64_t)(uintptr_t)info.device_pointer;
    if (out_device)
        *out_device = on_host ? hipCpuDeviceId : device->ordinal;
    return AH_LEAVE(hipSuccess);
}
