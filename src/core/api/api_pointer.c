/* What a pointer is: hipPointerGetAttributes and its kin. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <string.h>

static hipMemoryType memory_type(enum ah_memory_kind kind)
{
    switch (kind) {
    case AH_MEMORY_DEVICE:
        return hipMemoryTypeDevice;
    case AH_MEMORY_HOST:
    case AH_MEMORY_REGISTERED:
        return hipMemoryTypeHost;
    case AH_MEMORY_MANAGED:
        return hipMemoryTypeManaged;
    case AH_MEMORY_UNKNOWN:
        break;
    }
    return hipMemoryTypeUnregistered;
}

/* HIP 7: memory that HIP does not know is not an error, and neither is a NULL result. */
static hipError_t attributes_of(hipPointerAttribute_t *out, const void *pointer)
{
    struct ah_pointer_info info;
    struct ah_allocation allocation;
    if (!ah_device_current())
        return hipErrorNoDevice;
    if (!out)
        return hipSuccess;
    struct ah_device *device = ah_memory_describe(pointer, &info);
    *out = (hipPointerAttribute_t){.type = hipMemoryTypeUnregistered, .device = hipInvalidDeviceId};
    if (!device)
        return hipSuccess;
    out->type = memory_type(info.kind);
    out->device = device->ordinal;
    out->devicePointer = info.device_pointer;
    out->hostPointer = info.kind == AH_MEMORY_DEVICE ? NULL : info.host_pointer;
    out->isManaged = info.kind == AH_MEMORY_MANAGED;
    if (ah_memory_find(pointer, &allocation))
        out->allocationFlags = allocation.flags;
    return hipSuccess;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr)
{
    AH_ENTER(hipPointerGetAttributes);
    return AH_LEAVE(attributes_of(attributes, ptr));
}

/* The size of what is written is part of the ABI: bool, 32 bits, or a pointer. */
static void write_bool(void *data, bool value)
{
    memcpy(data, &value, sizeof value);
}

static void write_word(void *data, uint32_t value)
{
    memcpy(data, &value, sizeof value);
}

static void write_pointer(void *data, const void *value)
{
    memcpy(data, &value, sizeof value);
}

/* Attributes that only the driver knows; 0 for memory of no driver. */
static hipError_t driver_attribute(struct ah_device *device, void *data,
                                   hipPointer_attribute attribute, const void *pointer)
{
    uint64_t value = 0;
    hipError_t error = hipErrorInvalidValue;
    if (device)
        error = device->ops->pointer_attribute(device->native, &value, attribute, pointer);
    if (error != hipSuccess)
        value = 0;
    if (attribute == HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        write_bool(data, value != 0);
    else
        write_word(data, (uint32_t)value);
    return error;
}

static hipError_t one_attribute(void *data, hipPointer_attribute attribute, const void *pointer)
{
    struct ah_pointer_info info;
    struct ah_allocation allocation = {.flags = 0};
    struct ah_device *device = ah_memory_describe(pointer, &info);
    if (attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE && ah_handle_is(pointer, AH_HANDLE_ARRAY)) {
        write_word(data, hipMemoryTypeArray);
        return hipSuccess;
    }
    bool on_host = info.kind == AH_MEMORY_HOST || info.kind == AH_MEMORY_REGISTERED;
    switch ((int)attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        write_word(data, !device   ? 0
                         : on_host ? (uint32_t)hipMemoryTypeHost
                                   : (uint32_t)hipMemoryTypeDevice);
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        write_pointer(data, info.device_pointer);
        break;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        write_pointer(data, info.kind == AH_MEMORY_DEVICE ? NULL : info.host_pointer);
        if (info.kind == AH_MEMORY_DEVICE)
            return hipErrorInvalidValue;
        break;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        write_bool(data, info.kind == AH_MEMORY_MANAGED);
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        write_word(data, (uint32_t)(device ? device->ordinal : hipInvalidDeviceId));
        break;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        write_pointer(data, info.base);
        break;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        write_word(data, (uint32_t)info.size);
        break;
    case HIP_POINTER_ATTRIBUTE_MAPPED:
        write_bool(data, device != NULL);
        break;
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        ah_memory_find(pointer, &allocation);
        write_word(data, allocation.flags);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        return driver_attribute(device, data, attribute, pointer);
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
    case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
    case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        AH_LOG_ERR("pointer attribute %d is not supported", (int)attribute);
        return hipErrorNotSupported;
    default:
        return hipErrorInvalidValue;
    }
    return device ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t attribute_of(void *data, hipPointer_attribute attribute, const void *pointer)
{
    if (!data || !pointer)
        return hipErrorInvalidValue;
    return ah_device_current() ? one_attribute(data, attribute, pointer) : hipErrorNoDevice;
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr)
{
    AH_ENTER(hipPointerGetAttribute);
    return AH_LEAVE(attribute_of(data, attribute, ptr));
}

/* An attribute without a value for this pointer is zero, one that HIP does not support is not
 * written; neither is an error. */
static hipError_t several_attributes(unsigned count, const hipPointer_attribute *attributes,
                                     void **data, const void *pointer)
{
    if (count == 0 || !attributes || !data || !pointer)
        return hipErrorInvalidValue;
    if (!ah_device_current())
        return hipErrorNoDevice;
    for (unsigned i = 0; i < count; i++) {
        if (!data[i])
            return hipErrorInvalidValue;
        (void)one_attribute(data[i], attributes[i], pointer);
    }
    return hipSuccess;
}

hipError_t hipDrvPointerGetAttributes(unsigned int numAttributes, hipPointer_attribute *attributes,
                                      void **data, hipDeviceptr_t ptr)
{
    AH_ENTER(hipDrvPointerGetAttributes);
    return AH_LEAVE(several_attributes(numAttributes, attributes, data, ptr));
}

static hipError_t set_attribute(const void *value, hipPointer_attribute attribute, void *pointer)
{
    struct ah_pointer_info info;
    if (!value || !pointer)
        return hipErrorInvalidValue;
    if (attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return hipErrorInvalidValue;
    struct ah_device *device = ah_memory_describe(pointer, &info);
    unsigned flag = 0;
    if (!device)
        return hipErrorInvalidDevicePointer;
    memcpy(&flag, value, 1); /* a bool in HIP, a word for the driver */
    if (flag)
        ah_memory_has_synchronous();
    return device->ops->pointer_set_attribute(device->native, &flag, attribute, pointer);
}

hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                  hipDeviceptr_t ptr)
{
    AH_ENTER(hipPointerSetAttribute);
    return AH_LEAVE(set_attribute(value, attribute, ptr));
}
