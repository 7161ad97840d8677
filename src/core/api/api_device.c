/* Initialisation, versions, devices: hipInit, hipGetDeviceCount, hipSetDevice,
 * hipDeviceGetAttribute and their kin. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hipError_t hipInit(unsigned int flags)
{
    AH_ENTER(hipInit);
    if (flags != 0)
        return AH_LEAVE(hipErrorInvalidValue);
    if (ah_registry.device_count > 0)
        return AH_LEAVE(hipSuccess);
    for (size_t i = 0; i < ah_registry.driver_count; i++)
        if (ah_registry.drivers[i].error == hipErrorInsufficientDriver)
            return AH_LEAVE(hipErrorInsufficientDriver);
    return AH_LEAVE(hipErrorNoDevice);
}

/* Both versions are HIP's; the vendor's driver has its own, which anyhip info shows. */
static hipError_t version(int *out_version)
{
    if (!out_version)
        return hipErrorInvalidValue;
    *out_version = HIP_VERSION;
    return hipSuccess;
}

hipError_t hipDriverGetVersion(int *driverVersion)
{
    AH_ENTER(hipDriverGetVersion);
    return AH_LEAVE(version(driverVersion));
}

hipError_t hipRuntimeGetVersion(int *runtimeVersion)
{
    AH_ENTER(hipRuntimeGetVersion);
    return AH_LEAVE(version(runtimeVersion));
}

hipError_t hipGetDeviceCount(int *count)
{
    AH_ENTER(hipGetDeviceCount);
    if (!count)
        return AH_LEAVE(hipErrorInvalidValue);
    *count = ah_registry.device_count;
    return AH_LEAVE(ah_registry.device_count ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipGetDevice(int *deviceId)
{
    AH_ENTER(hipGetDevice);
    if (__builtin_expect(!deviceId, 0))
        return AH_LEAVE(hipErrorInvalidValue);
    if (__builtin_expect(ah_registry.device_count == 0, 0))
        return AH_LEAVE(hipErrorNoDevice);
    *deviceId = ah_thread.device;
    return AH_LEAVE(hipSuccess);
}

/* The vendor's own libraries follow the driver's current context, so a device in
 * use becomes current there too. */
static hipError_t set_device(int ordinal)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!device)
        return ah_device_missing_error();
    hipError_t error = device->ops->device_make_current(device->native);
    if (error == hipSuccess)
        ah_thread.device = ordinal;
    return error;
}

hipError_t hipSetDevice(int deviceId)
{
    AH_ENTER(hipSetDevice);
    return AH_LEAVE(set_device(deviceId));
}

/* The first of the list that can be used becomes current. */
static hipError_t set_valid_devices(const int *devices, int count)
{
    if ((!devices && count > 0) || count < 0 || count > ah_registry.device_count)
        return hipErrorInvalidValue;
    for (int i = 0; i < count; i++)
        if (!ah_device_at(devices[i]))
            return ah_device_missing_error();
    return set_device(count > 0 ? devices[0] : 0);
}

hipError_t hipSetValidDevices(int *device_arr, int len)
{
    AH_ENTER(hipSetValidDevices);
    return AH_LEAVE(set_valid_devices(device_arr, len));
}

/* Makes the device's context without making the device current. */
static hipError_t init_device(int ordinal, unsigned device_flags, unsigned flags)
{
    enum { DEVICE_FLAGS_ARE_VALID = 1 };
    struct ah_device *device = ah_device_at(ordinal);
    struct ah_device *current = ah_device_current();
    if (!device)
        return ah_device_missing_error();
    if ((flags & ~(unsigned)DEVICE_FLAGS_ARE_VALID) != 0)
        return hipErrorInvalidValue;
    hipError_t error = flags ? ah_device_set_flags(device, device_flags) : hipSuccess;
    if (error == hipSuccess)
        error = device->ops->device_make_current(device->native);
    return error == hipSuccess ? current->ops->device_make_current(current->native) : error;
}

hipError_t hipInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    AH_ENTER(hipInitDevice);
    return AH_LEAVE(init_device(device, deviceFlags, flags));
}

hipError_t ah_device_synchronize(const char *call)
{
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = ah_capture_any() ? ah_capture_check_device(device, call) : hipSuccess;
    return error == hipSuccess ? device->ops->device_synchronize(device->native) : error;
}

hipError_t hipDeviceSynchronize(void)
{
    AH_ENTER_PLAIN(hipDeviceSynchronize);
    return AH_LEAVE(ah_device_synchronize("hipDeviceSynchronize"));
}

hipError_t hipDeviceReset(void)
{
    AH_ENTER_PLAIN(hipDeviceReset);
    return AH_LEAVE(ah_device_reset(ah_device_current()));
}

static hipError_t attribute(int *out_value, hipDeviceAttribute_t which, int ordinal)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!out_value)
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    return device->ops->device_attribute(device->native, which, out_value);
}

hipError_t hipDeviceGetAttribute(int *pi, hipDeviceAttribute_t attr, int deviceId)
{
    AH_ENTER(hipDeviceGetAttribute);
    return AH_LEAVE(attribute(pi, attr, deviceId));
}

hipError_t ah_device_properties(hipDeviceProp_tR0600 *out, int ordinal)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!out)
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    return device->ops->device_properties(device->native, out);
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *prop, int deviceId)
{
    AH_ENTER(hipGetDevicePropertiesR0600);
    return AH_LEAVE(ah_device_properties(prop, deviceId));
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
    AH_ENTER(hipDeviceGet);
    if (!device)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!ah_device_at(ordinal))
        return AH_LEAVE(ah_device_missing_error());
    *device = ordinal;
    return AH_LEAVE(hipSuccess);
}

static hipError_t device_name(char *out, int size, int ordinal)
{
    const struct ah_device *device = ah_device_at(ordinal);
    if (!out || size <= 0)
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    snprintf(out, (size_t)size, "%s", device->identity.name);
    return hipSuccess;
}

hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device)
{
    AH_ENTER(hipDeviceGetName);
    return AH_LEAVE(device_name(name, len, device));
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device)
{
    AH_ENTER(hipDeviceGetUuid);
    const struct ah_device *found = ah_device_at(device);
    if (!uuid)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!found)
        return AH_LEAVE(ah_device_missing_error());
    *uuid = found->identity.uuid;
    return AH_LEAVE(hipSuccess);
}

hipError_t hipDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, hipDevice_t device)
{
    AH_ENTER(hipDeviceGetLuid);
    if (!luid || !deviceNodeMask)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!ah_device_at(device))
        return AH_LEAVE(ah_device_missing_error());
    AH_LOG_ERR("hipDeviceGetLuid: only adapters of Windows have a LUID; hipDeviceGetUuid names the "
               "device");
    return AH_LEAVE(hipErrorNotSupported);
}

static hipError_t flush_remote_writes(hipFlushGPUDirectRDMAWritesTarget target,
                                      hipFlushGPUDirectRDMAWritesScope scope)
{
    int options = 0;
    struct ah_device *device = ah_device_current();
    if ((int)target != hipFlushGPUDirectRDMAWritesTargetCurrentDevice ||
        ((int)scope != hipFlushGPUDirectRDMAWritesToOwner &&
         (int)scope != hipFlushGPUDirectRDMAWritesToAllDevices))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->device_attribute(
        device->native, hipDeviceAttributeGPUDirectRDMAFlushWritesOptions, &options);
    if (error == hipSuccess && !(options & hipFlushGPUDirectRDMAWritesOptionHost)) {
        AH_LOG_ERR("device %d cannot flush writes of other devices for the host", device->ordinal);
        return hipErrorNotSupported;
    }
    return error == hipSuccess ? device->ops->device_flush_remote_writes(device->native, scope)
                               : error;
}

hipError_t hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTarget target,
                                             hipFlushGPUDirectRDMAWritesScope scope)
{
    AH_ENTER(hipDeviceFlushGPUDirectRDMAWrites);
    return AH_LEAVE(flush_remote_writes(target, scope));
}

static hipError_t compute_capability(int *major, int *minor, int ordinal)
{
    if (!major || !minor)
        return hipErrorInvalidValue;
    hipError_t error = attribute(major, hipDeviceAttributeComputeCapabilityMajor, ordinal);
    if (error != hipSuccess)
        return error;
    return attribute(minor, hipDeviceAttributeComputeCapabilityMinor, ordinal);
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device)
{
    AH_ENTER(hipDeviceComputeCapability);
    return AH_LEAVE(compute_capability(major, minor, device));
}

static hipError_t total_memory(size_t *bytes, int ordinal)
{
    hipDeviceProp_tR0600 properties;
    if (!bytes)
        return hipErrorInvalidValue;
    hipError_t error = ah_device_properties(&properties, ordinal);
    if (error == hipSuccess)
        *bytes = properties.totalGlobalMem;
    return error;
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
{
    AH_ENTER(hipDeviceTotalMem);
    return AH_LEAVE(total_memory(bytes, device));
}

static hipError_t pci_bus_id(char *out, int size, int ordinal)
{
    const struct ah_device *device = ah_device_at(ordinal);
    if (!out || size <= 0)
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    int length =
        snprintf(out, (size_t)size, "%04x:%02x:%02x.0", (unsigned)device->identity.pci_domain,
                 (unsigned)device->identity.pci_bus, (unsigned)device->identity.pci_device);
    return length < size ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    AH_ENTER(hipDeviceGetPCIBusId);
    return AH_LEAVE(pci_bus_id(pciBusId, len, device));
}

static hipError_t device_by_pci_bus_id(int *out_ordinal, const char *text)
{
    unsigned domain = 0, bus = 0, slot = 0;
    if (!out_ordinal || !text)
        return hipErrorInvalidValue;
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(text, "%x:%x", &bus, &slot) != 2)
            return hipErrorInvalidValue;
    }
    for (int i = 0; i < ah_registry.device_count; i++) {
        const struct ah_device_identity *identity = &ah_registry.devices[i].identity;
        if (identity->pci_domain == (int)domain && identity->pci_bus == (int)bus &&
            identity->pci_device == (int)slot) {
            *out_ordinal = i;
            return hipSuccess;
        }
    }
    return hipErrorInvalidDevice;
}

hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    AH_ENTER(hipDeviceGetByPCIBusId);
    return AH_LEAVE(device_by_pci_bus_id(device, pciBusId));
}

/* ---- flags, limits, cache configurations --------------------------------- */

static hipError_t device_flags(unsigned *out_flags)
{
    bool active;
    struct ah_device *device = ah_device_current();
    if (!out_flags)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->device_get_flags(device->native, out_flags, &active);
    if (error == hipSuccess) /* as on AMD, where hipSetDeviceFlags keeps no others */
        *out_flags = (*out_flags & hipDeviceScheduleMask) | atomic_load(&device->context_flags);
    return error;
}

hipError_t hipGetDeviceFlags(unsigned int *flags)
{
    AH_ENTER(hipGetDeviceFlags);
    return AH_LEAVE(device_flags(flags));
}

bool ah_device_flags_valid(unsigned flags)
{
    unsigned known = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
    unsigned schedule = flags & hipDeviceScheduleMask;
    return (flags & ~known) == 0 && (schedule & (schedule - 1)) == 0;
}

hipError_t ah_device_set_flags(struct ah_device *device, unsigned flags)
{
    if (!device)
        return ah_device_missing_error();
    if (!ah_device_flags_valid(flags))
        return hipErrorInvalidValue;
    hipError_t error = device->ops->device_set_flags(device->native, flags);
    if (error == hipSuccess)
        atomic_store(&device->context_flags, 0);
    return error;
}

hipError_t hipSetDeviceFlags(unsigned int flags)
{
    AH_ENTER(hipSetDeviceFlags);
    return AH_LEAVE(ah_device_set_flags(ah_device_current(), flags));
}

static hipError_t get_limit(size_t *out_value, enum hipLimit_t limit)
{
    struct ah_device *device = ah_device_current();
    if (!out_value)
        return hipErrorInvalidValue;
    return device ? device->ops->device_get_limit(device->native, limit, out_value)
                  : hipErrorNoDevice;
}

hipError_t hipDeviceGetLimit(size_t *pValue, enum hipLimit_t limit)
{
    AH_ENTER(hipDeviceGetLimit);
    return AH_LEAVE(get_limit(pValue, limit));
}

static hipError_t set_limit(enum hipLimit_t limit, size_t value)
{
    struct ah_device *device = ah_device_current();
    return device ? device->ops->device_set_limit(device->native, limit, value) : hipErrorNoDevice;
}

hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value)
{
    AH_ENTER(hipDeviceSetLimit);
    return AH_LEAVE(set_limit(limit, value));
}

hipError_t ah_device_get_cache_config(hipFuncCache_t *out_config)
{
    struct ah_device *device = ah_device_current();
    if (!out_config)
        return hipErrorInvalidValue;
    return device ? device->ops->device_get_cache_config(device->native, out_config)
                  : hipErrorNoDevice;
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *cacheConfig)
{
    AH_ENTER(hipDeviceGetCacheConfig);
    return AH_LEAVE(ah_device_get_cache_config(cacheConfig));
}

hipError_t ah_device_set_cache_config(hipFuncCache_t config)
{
    struct ah_device *device = ah_device_current();
    if ((int)config < hipFuncCachePreferNone || (int)config > hipFuncCachePreferEqual)
        return hipErrorInvalidValue;
    return device ? device->ops->device_set_cache_config(device->native, config) : hipErrorNoDevice;
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig)
{
    AH_ENTER_UNSAFE(hipDeviceSetCacheConfig);
    return AH_LEAVE(ah_device_set_cache_config(cacheConfig));
}

hipError_t ah_device_get_shared_config(hipSharedMemConfig *out_config)
{
    struct ah_device *device = ah_device_current();
    if (!out_config)
        return hipErrorInvalidValue;
    return device ? device->ops->device_get_shared_config(device->native, out_config)
                  : hipErrorNoDevice;
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *pConfig)
{
    AH_ENTER(hipDeviceGetSharedMemConfig);
    return AH_LEAVE(ah_device_get_shared_config(pConfig));
}

hipError_t ah_device_set_shared_config(hipSharedMemConfig config)
{
    struct ah_device *device = ah_device_current();
    if ((int)config < hipSharedMemBankSizeDefault || (int)config > hipSharedMemBankSizeEightByte)
        return hipErrorInvalidValue;
    return device ? device->ops->device_set_shared_config(device->native, config)
                  : hipErrorNoDevice;
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config)
{
    AH_ENTER_UNSAFE(hipDeviceSetSharedMemConfig);
    return AH_LEAVE(ah_device_set_shared_config(config));
}

static hipError_t texture_1d_width(size_t *out_elements, const hipChannelFormatDesc *format,
                                   int ordinal)
{
    struct ah_array_shape shape;
    struct ah_device *device = ah_device_at(ordinal);
    if (!out_elements || !format)
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    hipError_t error = ah_array_format(format, &shape);
    if (error != hipSuccess)
        return error;
    return device->ops->device_texture_1d_width(device->native, shape.format, shape.channels,
                                                out_elements);
}

hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                               const hipChannelFormatDesc *fmtDesc, int device)
{
    AH_ENTER(hipDeviceGetTexture1DLinearMaxWidth);
    return AH_LEAVE(texture_1d_width(maxWidthInElements, fmtDesc, device));
}

/* A vendor may have no profiler that can be told. */
static hipError_t profile(bool start)
{
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = start ? device->ops->profiler_start(device->native)
                             : device->ops->profiler_stop(device->native);
    return error == hipErrorNotSupported && ah_observe_has_profiler() ? hipSuccess : error;
}

hipError_t hipProfilerStart(void)
{
    AH_ENTER_PLAIN(hipProfilerStart);
    hipError_t error = profile(true);
    ah_observe_profiler(true);
    return AH_LEAVE(error);
}

/* The call is a part of what is recorded. */
hipError_t hipProfilerStop(void)
{
    AH_ENTER_PLAIN(hipProfilerStop);
    hipError_t error = AH_LEAVE(profile(false));
    ah_observe_profiler(false);
    return error;
}
