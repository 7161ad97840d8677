/* Owns the attributes of devices. */
#include "simcuda_driver.h"

#include <stdio.h>
#include <string.h>

struct simcuda_device *simcuda_device(CUdevice ordinal)
{
    return ordinal >= 0 && ordinal < simcuda.device_count ? &simcuda.devices[ordinal] : NULL;
}

CUresult simcuda_cuDeviceGetCount(int *count)
{
    SIMCUDA_ENTER(cuDeviceGetCount);
    if (!count)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *count = simcuda.device_count;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuDeviceGet(CUdevice *device, int ordinal)
{
    SIMCUDA_ENTER(cuDeviceGet);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!simcuda_device(ordinal))
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    *device = ordinal;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuDeviceGetName(char *name, int size, CUdevice device)
{
    SIMCUDA_ENTER(cuDeviceGetName);
    if (!name || size <= 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!simcuda_device(device))
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    snprintf(name, (size_t)size, "%s", simcuda_device(device)->name);
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult get_uuid(CUuuid *uuid, CUdevice device)
{
    if (!simcuda_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    *uuid = simcuda_device(device)->uuid;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    SIMCUDA_ENTER(cuDeviceGetUuid);
    return simcuda_leave(get_uuid(uuid, device));
}

CUresult simcuda_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    SIMCUDA_ENTER(cuDeviceGetUuid_v2);
    return simcuda_leave(get_uuid(uuid, device));
}

CUresult simcuda_cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    SIMCUDA_ENTER(cuDeviceTotalMem);
    if (!bytes)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!simcuda_device(device))
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    *bytes = simcuda_device(device)->total;
    return simcuda_leave(CUDA_SUCCESS);
}

static int attribute_of(const struct simcuda_device *device, int attribute)
{
    const struct simcuda_model *model = &device->model;
    switch (attribute) {
#define SIMCUDA_ATTRIBUTE(number, value)                                                           \
    case number:                                                                                   \
        return value;
#include "simcuda_attributes.def"
#undef SIMCUDA_ATTRIBUTE
    default:
        return 0;
    }
}

static CUresult get_attribute(int *value, int attribute, const struct simcuda_device *device)
{
    if (!value || attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_END)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute_of(device, attribute);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    SIMCUDA_ENTER(cuDeviceGetAttribute);
    return simcuda_leave(get_attribute(value, attribute, simcuda_device(device)));
}

CUresult simcuda_cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, int format, unsigned channels,
                                                    CUdevice device)
{
    enum { TEXELS = 1 << 28 };
    SIMCUDA_ENTER(cuDeviceGetTexture1DLinearMaxWidth);
    if (!elements)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!simcuda_device(device))
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (format <= 0 || channels == 0 || channels > 4)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *elements = TEXELS / channels;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    SIMCUDA_ENTER(cuDeviceCanAccessPeer);
    if (!can)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!simcuda_device(device) || !simcuda_device(peer))
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    *can = device != peer && !simcuda_script.apart;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to)
{
    enum { RANK = 1, ARRAYS = 4 };
    SIMCUDA_ENTER(cuDeviceGetP2PAttribute);
    if (!value)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!simcuda_device(from) || !simcuda_device(to) || from == to)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (attribute < RANK || attribute > ARRAYS)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *value = attribute != RANK && !simcuda_script.apart;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuDeviceComputeCapability(int *major, int *minor, CUdevice ordinal)
{
    SIMCUDA_ENTER(cuDeviceComputeCapability);
    const struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (!major || !minor)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *major = (int)device->model.sm / 10;
    *minor = (int)device->model.sm % 10;
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- places on the bus ------------------------------------------------------------ */

CUresult simcuda_cuDeviceGetByPCIBusId(CUdevice *out, const char *id)
{
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    SIMCUDA_ENTER(cuDeviceGetByPCIBusId);
    if (!out || !id)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = 0;
        if (sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2)
            return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (int i = 0; i < simcuda.device_count; i++) {
        const struct simcuda_device *device = &simcuda.devices[i];
        if (domain == 0 && function == 0 &&
            (int)bus == attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) &&
            (int)slot == attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)) {
            *out = i;
            return simcuda_leave(CUDA_SUCCESS);
        }
    }
    return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
}

CUresult simcuda_cuDeviceGetPCIBusId(char *id, int size, CUdevice ordinal)
{
    SIMCUDA_ENTER(cuDeviceGetPCIBusId);
    const struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    if (!id || size <= 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    snprintf(id, (size_t)size, "0000:%02x:%02x.0",
             (unsigned)attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
             (unsigned)attribute_of(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    return simcuda_leave(CUDA_SUCCESS);
}
