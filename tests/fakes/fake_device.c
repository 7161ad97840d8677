/* Owns the driver's start, the names of its errors, and what devices say about
 * themselves: numbers like those of a data-centre GPU. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NEWEST_VERSION = 13000, MEMORY_MB = 512, WARP = 32 };

/* ---- start --------------------------------------------------------------------- */

static void make_device(struct fake_device *device, int ordinal, int position, unsigned sm)
{
    device->ordinal = ordinal;
    device->sm = sm;
    device->total = (size_t)fake_setting_number("MEMORY_MB", MEMORY_MB) << 20;
    snprintf(device->name, sizeof device->name, "Fake GPU %d sm_%u", position, sm);
    memset(device->uuid.bytes, 0x10 + position, sizeof device->uuid.bytes);
    memcpy(device->uuid.bytes + 10, fake_prefix, 6); /* two fakes have different devices */
    device->uuid.bytes[15] = (char)position;
    device->context.device = device;
    device->context.handle = UINT64_C(0xfa) << 56 | (uint64_t)(ordinal + 1);
}

static bool uuid_starts(const struct fake_device *device, const char *text)
{
    char uuid[48] = "GPU-";
    size_t used = 4;
    for (int i = 0; i < 16; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        used += (size_t)snprintf(uuid + used, sizeof uuid - used, "%s%02x", dash ? "-" : "",
                                 (unsigned char)device->uuid.bytes[i]);
    }
    return strncmp(uuid, text, strlen(text)) == 0;
}

/* CUDA_VISIBLE_DEVICES ends at the first element that names no device. */
static int apply_visibility(struct fake_device *all, int count)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    struct fake_device chosen[FAKE_DEVICES_MAX];
    int left = 0;
    char *copy, *rest, *element;
    if (!list)
        return count;
    copy = rest = strdup(list);
    while ((element = strsep(&rest, ",")) && left < FAKE_DEVICES_MAX) {
        char *end;
        long position = strtol(element, &end, 10);
        if (strncmp(element, "GPU-", 4) == 0) {
            for (position = 0; position < count; position++)
                if (uuid_starts(&all[position], element))
                    break;
            end = element + strlen(element);
        }
        if (end == element || *end || position < 0 || position >= count)
            break;
        chosen[left] = all[position];
        chosen[left].ordinal = left;
        left++;
    }
    free(copy);
    memcpy(all, chosen, (size_t)left * sizeof *all);
    return left;
}

/* The list that was handed over as fake_setting("DEVICES") writes it, "" without one. */
static char configured[4 * FAKE_DEVICES_MAX + 1];

static bool append_model(const char *model, unsigned repeat)
{
    unsigned sm = 80;
    if (strcmp(model, "default") != 0 && sscanf(model, "sm_%u", &sm) != 1)
        return false;
    for (unsigned i = 0; i < repeat; i++) {
        size_t used = strlen(configured);
        if (used + 5 > sizeof configured)
            return false;
        snprintf(configured + used, sizeof configured - used, "%s%u", used ? "," : "", sm % 1000);
    }
    return true;
}

CUresult fake_anyhipSimConfigure(const char *devices)
{
    char model[32];
    unsigned repeat;
    int used;
    bool good = true;
    FAKE_ENTER(anyhipSimConfigure);
    if (fake.initialised || !devices)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    for (*configured = '\0'; good && *devices; devices += used, devices += *devices == ',')
        good = sscanf(devices, "%31[^*,]*%u%n", model, &repeat, &used) == 2 &&
               append_model(model, repeat);
    if (!good)
        *configured = '\0';
    return fake_leave(good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

static void list_devices(void)
{
    const char *list = *configured ? configured : fake_setting("DEVICES");
    int count = 0, used;
    unsigned sm;
    for (list = list ? list : "80";
         count < FAKE_DEVICES_MAX && sscanf(list, "%u%n", &sm, &used) == 1; list += *list == ',') {
        make_device(&fake.devices[count], count, count, sm);
        list += used;
        count++;
    }
    fake.device_count = apply_visibility(fake.devices, count);
    for (int i = 0; i < fake.device_count; i++) {
        fake.devices[i].context.device = &fake.devices[i];
        fake.devices[i].context.handle = UINT64_C(0xfa) << 56 | (uint64_t)(i + 1);
    }
}

CUresult fake_cuInit(unsigned flags)
{
    FAKE_ENTER(cuInit);
    if (flags != 0)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    if (!fake.initialised) {
        list_devices();
        fake.version = (int)fake_setting_number("VERSION", NEWEST_VERSION);
        fake.peers = fake_setting_number("PEERS", 1) != 0;
        fake.initialised = fake.device_count > 0;
        atomic_store(&fake.pid, (int)getpid());
    }
    return fake_leave(fake.initialised ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE);
}

CUresult fake_cuDriverGetVersion(int *version)
{
    FAKE_ENTER(cuDriverGetVersion);
    if (!version)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    *version = (int)fake_setting_number("VERSION", NEWEST_VERSION);
    return fake_leave(CUDA_SUCCESS);
}

static const struct {
    CUresult value;
    const char *name, *text;
} errors[] = {
#define CUDA_ERROR_ROW(value, name, hip)                                                           \
    {value, value ? "CUDA_ERROR_" #name : "CUDA_SUCCESS", "fake text of " #name},
#include "cuda_errors.def"
#undef CUDA_ERROR_ROW
};

static CUresult describe_error(CUresult error, const char **out, bool text)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].value == error) {
            *out = text ? errors[i].text : errors[i].name;
            return CUDA_SUCCESS;
        }
    }
    *out = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult fake_cuGetErrorName(CUresult error, const char **name)
{
    FAKE_ENTER(cuGetErrorName);
    return fake_leave(describe_error(error, name, false));
}

CUresult fake_cuGetErrorString(CUresult error, const char **text)
{
    FAKE_ENTER(cuGetErrorString);
    return fake_leave(describe_error(error, text, true));
}

/* ---- devices ------------------------------------------------------------------------ */

struct fake_device *fake_device(CUdevice ordinal)
{
    return ordinal >= 0 && ordinal < fake.device_count ? &fake.devices[ordinal] : NULL;
}

CUresult fake_cuDeviceGetCount(int *count)
{
    FAKE_ENTER(cuDeviceGetCount);
    *count = fake.device_count;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDeviceGet(CUdevice *device, int ordinal)
{
    FAKE_ENTER(cuDeviceGet);
    if (!fake_device(ordinal))
        return fake_leave(FAKE_INVALID_DEVICE);
    *device = ordinal;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDeviceGetName(char *name, int size, CUdevice device)
{
    FAKE_ENTER(cuDeviceGetName);
    if (!fake_device(device))
        return fake_leave(FAKE_INVALID_DEVICE);
    snprintf(name, (size_t)size, "%s", fake_device(device)->name);
    return fake_leave(CUDA_SUCCESS);
}

static CUresult get_uuid(CUuuid *uuid, CUdevice device)
{
    if (!fake_device(device))
        return FAKE_INVALID_DEVICE;
    *uuid = fake_device(device)->uuid;
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    FAKE_ENTER(cuDeviceGetUuid);
    return fake_leave(get_uuid(uuid, device));
}

CUresult fake_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    FAKE_ENTER(cuDeviceGetUuid_v2);
    return fake_leave(get_uuid(uuid, device));
}

CUresult fake_cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    FAKE_ENTER(cuDeviceTotalMem);
    if (!fake_device(device))
        return fake_leave(FAKE_INVALID_DEVICE);
    *bytes = fake_device(device)->total;
    return fake_leave(CUDA_SUCCESS);
}

/* Those that are the same on all devices; what is not here is 0. */
static const struct {
    int attribute, value;
} constants[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 166912},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 167936},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, WARP},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1410000},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 108},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1215000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 41943040},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, 131072},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 131072},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, 65536},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, 16384},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT, 16384},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH, 16384},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 1},
    {CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 1},
    {CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID, 0x20b010de},
};

static int constant(int attribute)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (constants[i].attribute == attribute)
            return constants[i].value;
    return 0;
}

static CUresult get_attribute(int *value, int attribute, const struct fake_device *device)
{
    enum { ATTRIBUTE_END = 145, FIRST_BUS = 0x10 };
    if (!device)
        return FAKE_INVALID_DEVICE;
    if (!value || attribute < 1 || attribute >= ATTRIBUTE_END)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = (int)device->sm / 10;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = (int)device->sm % 10;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        *value = FIRST_BUS + device->uuid.bytes[15];
        return CUDA_SUCCESS;
    default:
        *value = constant(attribute);
        return CUDA_SUCCESS;
    }
}

CUresult fake_cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    FAKE_ENTER(cuDeviceGetAttribute);
    return fake_leave(get_attribute(value, attribute, fake_device(device)));
}

CUresult fake_cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, int format, unsigned channels,
                                                 CUdevice device)
{
    enum { TEXELS = 1 << 28 };
    FAKE_ENTER(cuDeviceGetTexture1DLinearMaxWidth);
    if (!fake_device(device))
        return fake_leave(FAKE_INVALID_DEVICE);
    if (format <= 0 || channels == 0 || channels > 4)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    *elements = TEXELS / channels;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    FAKE_ENTER(cuDeviceCanAccessPeer);
    if (!fake_device(device) || !fake_device(peer))
        return fake_leave(FAKE_INVALID_DEVICE);
    *can = device != peer && fake.peers;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to)
{
    enum { RANK = 1, ARRAYS = 4 };
    FAKE_ENTER(cuDeviceGetP2PAttribute);
    if (!fake_device(from) || !fake_device(to) || from == to)
        return fake_leave(FAKE_INVALID_DEVICE);
    if (attribute < RANK || attribute > ARRAYS)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    *value = attribute == RANK ? 0 : fake.peers;
    return fake_leave(CUDA_SUCCESS);
}
