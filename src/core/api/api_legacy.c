/* The ABI of HIP 5 and before, and functions that tools of that time look up: the older
 * hipDeviceProp_t, C++ names of functions that have C names now, tracers. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"

#include <hip/api/registration.h>
#include <hip/hip_deprecated.h>
#include <hip/hip_ext.h>

#include <stdio.h>
#include <string.h>

/* ---- hipDeviceProp_t -------------------------------------------------------- */

/* The fields that both layouts have under one name. */
/* clang-format off */
#define SHARED_FIELDS(FIELD) \
    FIELD(totalGlobalMem) FIELD(sharedMemPerBlock) FIELD(regsPerBlock) FIELD(warpSize) \
    FIELD(maxThreadsPerBlock) FIELD(clockRate) FIELD(memoryClockRate) FIELD(memoryBusWidth) \
    FIELD(totalConstMem) FIELD(major) FIELD(minor) FIELD(multiProcessorCount) FIELD(l2CacheSize) \
    FIELD(maxThreadsPerMultiProcessor) FIELD(computeMode) FIELD(clockInstructionRate) \
    FIELD(arch) FIELD(concurrentKernels) FIELD(pciDomainID) FIELD(pciBusID) FIELD(pciDeviceID) \
    FIELD(maxSharedMemoryPerMultiProcessor) FIELD(isMultiGpuBoard) FIELD(canMapHostMemory) \
    FIELD(integrated) FIELD(cooperativeLaunch) FIELD(cooperativeMultiDeviceLaunch) \
    FIELD(maxTexture1DLinear) FIELD(maxTexture1D) FIELD(hdpMemFlushCntl) FIELD(hdpRegFlushCntl) \
    FIELD(memPitch) FIELD(textureAlignment) FIELD(texturePitchAlignment) \
    FIELD(kernelExecTimeoutEnabled) FIELD(ECCEnabled) FIELD(tccDriver) \
    FIELD(cooperativeMultiDeviceUnmatchedFunc) FIELD(cooperativeMultiDeviceUnmatchedGridDim) \
    FIELD(cooperativeMultiDeviceUnmatchedBlockDim) \
    FIELD(cooperativeMultiDeviceUnmatchedSharedMem) FIELD(isLargeBar) FIELD(asicRevision) \
    FIELD(managedMemory) FIELD(directManagedMemAccessFromHost) FIELD(concurrentManagedAccess) \
    FIELD(pageableMemoryAccess) FIELD(pageableMemoryAccessUsesHostPageTables)
/* clang-format on */

static void to_legacy(hipDeviceProp_tR0000 *out, const hipDeviceProp_tR0600 *from)
{
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", from->name);
    snprintf(out->gcnArchName, sizeof out->gcnArchName, "%s", from->gcnArchName);
    memcpy(out->maxThreadsDim, from->maxThreadsDim, sizeof out->maxThreadsDim);
    memcpy(out->maxGridSize, from->maxGridSize, sizeof out->maxGridSize);
    memcpy(out->maxTexture2D, from->maxTexture2D, sizeof out->maxTexture2D);
    memcpy(out->maxTexture3D, from->maxTexture3D, sizeof out->maxTexture3D);
#define COPY(field) out->field = from->field;
    SHARED_FIELDS(COPY)
#undef COPY
}

static hipError_t legacy_properties(hipDeviceProp_tR0000 *out, int ordinal)
{
    hipDeviceProp_tR0600 properties;
    if (!out)
        return hipErrorInvalidValue;
    hipError_t error = ah_device_properties(&properties, ordinal);
    if (error == hipSuccess)
        to_legacy(out, &properties);
    return error;
}

#undef hipGetDeviceProperties
#undef hipChooseDevice

hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *props, hipDevice_t device)
{
    AH_ENTER(hipGetDeviceProperties);
    return AH_LEAVE(legacy_properties(props, device));
}

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *prop, int device)
{
    AH_ENTER(hipGetDevicePropertiesR0000);
    return AH_LEAVE(legacy_properties(prop, device));
}

/* ---- hipChooseDevice ----------------------------------------------------------- */

/* How many of the requirements that are not zero a device meets. */
static int met(const hipDeviceProp_tR0600 *wanted, const hipDeviceProp_tR0600 *device)
{
    int count = 0;
#define REQUIRE(field) count += wanted->field != 0 && device->field >= wanted->field;
    REQUIRE(major)
    REQUIRE(minor)
    REQUIRE(totalGlobalMem)
    REQUIRE(sharedMemPerBlock)
    REQUIRE(maxThreadsPerBlock)
    REQUIRE(totalConstMem)
    REQUIRE(multiProcessorCount)
    REQUIRE(maxThreadsPerMultiProcessor)
    REQUIRE(memoryClockRate)
    REQUIRE(memoryBusWidth)
    REQUIRE(l2CacheSize)
    REQUIRE(regsPerBlock)
    REQUIRE(maxSharedMemoryPerMultiProcessor)
#undef REQUIRE
    return count;
}

/* The first device that meets most of the requirements; the architecture's name has priority. */
static hipError_t choose(int *out_ordinal, const hipDeviceProp_tR0600 *wanted)
{
    hipDeviceProp_tR0600 device;
    int best = -1;
    if (!out_ordinal || !wanted)
        return hipErrorInvalidValue;
    if (ah_registry.device_count == 0)
        return hipErrorNoDevice;
    for (int i = 0; i < ah_registry.device_count; i++) {
        hipError_t error = ah_device_properties(&device, i);
        if (error != hipSuccess)
            return error;
        bool named = *wanted->gcnArchName && strcmp(wanted->gcnArchName, device.gcnArchName) == 0;
        int score = met(wanted, &device) + (named ? 100 : 0);
        if (score > best) {
            best = score;
            *out_ordinal = i;
        }
    }
    return hipSuccess;
}

hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *prop)
{
    AH_ENTER(hipChooseDeviceR0600);
    return AH_LEAVE(choose(device, prop));
}

static hipError_t choose_legacy(int *out_ordinal, const hipDeviceProp_tR0000 *wanted)
{
    hipDeviceProp_tR0600 properties;
    if (!wanted)
        return hipErrorInvalidValue;
    memset(&properties, 0, sizeof properties);
    snprintf(properties.gcnArchName, sizeof properties.gcnArchName, "%s", wanted->gcnArchName);
#define COPY(field) properties.field = wanted->field;
    SHARED_FIELDS(COPY)
#undef COPY
    return choose(out_ordinal, &properties);
}

hipError_t hipChooseDevice(int *device, const hipDeviceProp_tR0000 *properties)
{
    AH_ENTER(hipChooseDevice);
    return AH_LEAVE(choose_legacy(device, properties));
}

hipError_t hipChooseDeviceR0000(int *device, const hipDeviceProp_tR0000 *properties)
{
    AH_ENTER(hipChooseDeviceR0000);
    return AH_LEAVE(choose_legacy(device, properties));
}

/* ---- a C++ name with parameters of its own
 * --------------------------------------------------------------------- */

__attribute__((visibility("default"))) void launch_ggl(
    unsigned long kernel, const dim3 *grid, const dim3 *block, uint32_t shared, hipStream_t stream,
    void *
        *arguments) __asm__("_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv");
void launch_ggl(unsigned long kernel, const dim3 *grid, const dim3 *block, uint32_t shared,
                hipStream_t stream, void **arguments)
{
    ah_launch_ggl(kernel, grid, block, shared, stream, arguments);
}

/* ---- names of builds ---------------------------------------------------------------------- */

const char *amd_dbgapi_get_build_name(void)
{
    return "AnyHIP " ANYHIP_VERSION;
}

const char *amd_dbgapi_get_git_hash(void)
{
    return "";
}

size_t amd_dbgapi_get_build_id(void)
{
    return 0;
}

/* There is no precompiled header: run-time compilation reads the headers. */
void __hipGetPCH(const char **pch, unsigned int *size)
{
    *pch = NULL;
    *size = 0;
}

float __gnu_h2f_ieee(unsigned short bits)
{
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (float)half;
}

unsigned short __gnu_f2h_ieee(float value)
{
    _Float16 half = (_Float16)value;
    unsigned short bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}
