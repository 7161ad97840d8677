/* Devices: count, current, identity, attributes, limits, peers. */
#include "support.h"

#include <ctype.h>
#include <hip/hip_deprecated.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const dim3 one = {1, 1, 1};

/* ---- count and current ------------------------------------------------------------------- */

static void versions_are_those_of_hip(void **state)
{
    int driver, runtime;
    (void)state;
    ok(hipInit(0));
    expect(hipInit(1), hipErrorInvalidValue);
    ok(hipDriverGetVersion(&driver));
    ok(hipRuntimeGetVersion(&runtime));
    check(driver == HIP_VERSION && runtime == HIP_VERSION);
    expect(hipDriverGetVersion(NULL), hipErrorInvalidValue);
    expect(hipRuntimeGetVersion(NULL), hipErrorInvalidValue);
    check(strlen(anyhipVersion()) > 0);
}

static void devices_are_counted_and_made_current(void **state)
{
    int count, device;
    (void)state;
    ok(hipGetDeviceCount(&count));
    check(count == 2);
    for (int i = 1; i >= 0; i--) {
        ok(hipSetDevice(i));
        ok(hipGetDevice(&device));
        check(device == i);
        ok(hipDeviceGet(&device, i));
        check(device == i);
    }
    expect(hipSetDevice(2), hipErrorInvalidDevice);
    expect(hipSetDevice(-1), hipErrorInvalidDevice);
    ok(hipGetDevice(&device));
    check(device == 0);
    expect(hipGetDeviceCount(NULL), hipErrorInvalidValue);
    expect(hipGetDevice(NULL), hipErrorInvalidValue);
    expect(hipDeviceGet(NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceGet(&device, 2), hipErrorInvalidDevice);
    expect(hipDeviceGet(&device, -1), hipErrorInvalidDevice);
}

static void *first_device_of_thread(void *out)
{
    ok(hipGetDevice(out));
    return NULL;
}

static void the_current_device_is_the_threads_own(void **state)
{
    pthread_t thread;
    int device = -1;
    (void)state;
    ok(hipSetDevice(1));
    pthread_create(&thread, NULL, first_device_of_thread, &device);
    pthread_join(thread, NULL);
    check(device == 0);
}

static void valid_devices_are_set(void **state)
{
    int devices[] = {1, 0}, wrong[] = {0, 5}, device;
    (void)state;
    ok(hipSetValidDevices(devices, 2));
    ok(hipSetValidDevices(devices, 1));
    ok(hipSetValidDevices(NULL, 0));
    expect(hipSetValidDevices(NULL, 1), hipErrorInvalidValue);
    expect(hipSetValidDevices(devices, -1), hipErrorInvalidValue);
    expect(hipSetValidDevices(devices, 3), hipErrorInvalidValue);
    expect(hipSetValidDevices(wrong, 2), hipErrorInvalidDevice);
    ok(hipGetDevice(&device));
}

static void a_device_is_initialised_without_being_current(void **state)
{
    unsigned flags;
    int active, device;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipDeviceReset());
    ok(hipSetDevice(0));
    ok(hipDevicePrimaryCtxGetState(1, &flags, &active));
    check(!active);
    ok(hipInitDevice(1, hipDeviceScheduleYield, hipInitDeviceFlagsAreValid));
    ok(hipDevicePrimaryCtxGetState(1, &flags, &active));
    check(active && flags == hipDeviceScheduleYield);
    ok(hipGetDevice(&device));
    check(device == 0);
    ok(hipInitDevice(1, hipDeviceScheduleSpin, 0)); /* flags do not count */
    ok(hipDevicePrimaryCtxGetState(1, &flags, &active));
    check(flags == hipDeviceScheduleYield);
    expect(hipInitDevice(2, 0, 0), hipErrorInvalidDevice);
    expect(hipInitDevice(1, 0, 2), hipErrorInvalidValue);
    expect(hipInitDevice(1, 0x800, hipInitDeviceFlagsAreValid), hipErrorInvalidValue);
    ok(hipInitDevice(1, hipDeviceScheduleAuto, hipInitDeviceFlagsAreValid));
}

/* ---- identity -------------------------------------------------------------------------------- */

/* AMD's is sixteen hexadecimal digits, after "GPU-". */
static void a_uuid_of_amd_is_text(void **state)
{
    hipUUID uuid[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        ok(hipDeviceGetUuid(&uuid[i], i));
        for (size_t k = 0; k < sizeof uuid[i].bytes; k++)
            check(isxdigit((unsigned char)uuid[i].bytes[k]));
    }
    check(memcmp(&uuid[0], &uuid[1], sizeof uuid[0]) != 0);
}

static void a_device_has_a_name_a_uuid_and_a_place(void **state)
{
    char name[64], shorter[5], pci[2][32];
    hipUUID uuid[2];
    int device, major, minor;
    size_t bytes;
    (void)state;
    ok(hipDeviceGetName(name, sizeof name, 1));
    check(strcmp(name, "AnyHIP simulated sm_90") == 0);
    ok(hipDeviceGetName(shorter, sizeof shorter, 0));
    check(strcmp(shorter, "AnyH") == 0);
    for (int i = 0; i < 2; i++) {
        ok(hipDeviceGetUuid(&uuid[i], i));
        ok(hipDeviceGetPCIBusId(pci[i], sizeof pci[i], i));
        ok(hipDeviceGetByPCIBusId(&device, pci[i]));
        check(device == i);
    }
    check(strcmp(pci[0], "0000:10:00.0") == 0);
    check(strcmp(pci[1], "0000:11:01.0") == 0);
    check(memcmp(&uuid[0], &uuid[1], sizeof uuid[0]) != 0);
    ok(hipDeviceGetByPCIBusId(&device, "0000:11:01"));
    check(device == 1);
    ok(hipDeviceGetByPCIBusId(&device, "11:01.0"));
    check(device == 1);
    expect(hipDeviceGetByPCIBusId(&device, "0000:11:00.0"), hipErrorInvalidDevice);
    ok(hipDeviceComputeCapability(&major, &minor, 1));
    check(major == 9 && minor == 0);
    ok(hipDeviceTotalMem(&bytes, 0));
    check(bytes == (size_t)512 << 20);

    expect(hipDeviceGetName(NULL, 5, 0), hipErrorInvalidValue);
    expect(hipDeviceGetName(name, 0, 0), hipErrorInvalidValue);
    expect(hipDeviceGetName(name, -1, 0), hipErrorInvalidValue);
    expect(hipDeviceGetName(name, 5, 2), hipErrorInvalidDevice);
    expect(hipDeviceGetUuid(NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceGetUuid(&uuid[0], -1), hipErrorInvalidDevice);
    expect(hipDeviceGetPCIBusId(NULL, 32, 0), hipErrorInvalidValue);
    expect(hipDeviceGetPCIBusId(pci[0], 12, 0), hipErrorInvalidValue);
    ok(hipDeviceGetPCIBusId(pci[0], 13, 0));
    expect(hipDeviceGetPCIBusId(pci[0], 32, 7), hipErrorInvalidDevice);
    expect(hipDeviceGetByPCIBusId(NULL, "0000:10:00.0"), hipErrorInvalidValue);
    expect(hipDeviceGetByPCIBusId(&device, NULL), hipErrorInvalidValue);
    expect(hipDeviceGetByPCIBusId(&device, ""), hipErrorInvalidValue);
    expect(hipDeviceGetByPCIBusId(&device, "nonsense"), hipErrorInvalidValue);
    expect(hipDeviceGetByPCIBusId(&device, "0000:7f:00.0"), hipErrorInvalidDevice);
    expect(hipDeviceComputeCapability(NULL, &minor, 0), hipErrorInvalidValue);
    expect(hipDeviceComputeCapability(&major, NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceComputeCapability(&major, &minor, 2), hipErrorInvalidDevice);
    expect(hipDeviceTotalMem(NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceTotalMem(&bytes, 2), hipErrorInvalidDevice);
}

static void properties_and_attributes_agree(void **state)
{
    hipDeviceProp_tR0600 properties;
    int value;
    (void)state;
    memset(&properties, 0xee, sizeof properties);
    ok(hipGetDevicePropertiesR0600(&properties, 0));
    check(strcmp(properties.name, "AnyHIP simulated sm_80") == 0);
    check(strcmp(properties.gcnArchName, "sm_80") == 0);
    check(properties.totalGlobalMem == (size_t)512 << 20);
    check(properties.arch.hasDoubles && properties.arch.hasWarpShuffle);
    const struct {
        hipDeviceAttribute_t attribute;
        long long property;
    } rows[] = {
        {hipDeviceAttributeWarpSize, properties.warpSize},
        {hipDeviceAttributeMaxThreadsPerBlock, properties.maxThreadsPerBlock},
        {hipDeviceAttributeMaxBlockDimX, properties.maxThreadsDim[0]},
        {hipDeviceAttributeMaxBlockDimZ, properties.maxThreadsDim[2]},
        {hipDeviceAttributeMaxGridDimX, properties.maxGridSize[0]},
        {hipDeviceAttributeMaxGridDimY, properties.maxGridSize[1]},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, (long long)properties.sharedMemPerBlock},
        {hipDeviceAttributeSharedMemPerBlockOptin, (long long)properties.sharedMemPerBlockOptin},
        {hipDeviceAttributeTotalConstantMemory, (long long)properties.totalConstMem},
        {hipDeviceAttributeMaxRegistersPerBlock, properties.regsPerBlock},
        {hipDeviceAttributeClockRate, properties.clockRate},
        {hipDeviceAttributeMemoryClockRate, properties.memoryClockRate},
        {hipDeviceAttributeMemoryBusWidth, properties.memoryBusWidth},
        {hipDeviceAttributeMultiprocessorCount, properties.multiProcessorCount},
        {hipDeviceAttributeL2CacheSize, properties.l2CacheSize},
        {hipDeviceAttributeComputeCapabilityMajor, properties.major},
        {hipDeviceAttributeComputeCapabilityMinor, properties.minor},
        {hipDeviceAttributeMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
        {hipDeviceAttributePciBusId, properties.pciBusID},
        {hipDeviceAttributeManagedMemory, properties.managedMemory},
        {hipDeviceAttributeConcurrentManagedAccess, properties.concurrentManagedAccess},
        {hipDeviceAttributeCooperativeLaunch, properties.cooperativeLaunch},
        {hipDeviceAttributeMaxTexture1DLinear, properties.maxTexture1DLinear},
        {hipDeviceAttributeTextureAlignment, (long long)properties.textureAlignment},
        {hipDeviceAttributeEccEnabled, properties.ECCEnabled},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ok(hipDeviceGetAttribute(&value, rows[i].attribute, 0));
        if (value != rows[i].property)
            fail_msg("attribute %d is %d, not %lld", (int)rows[i].attribute, value,
                     rows[i].property);
    }
    check(properties.warpSize == 32 && properties.multiProcessorCount == 108);
    expect(hipGetDevicePropertiesR0600(NULL, 0), hipErrorInvalidValue);
    expect(hipGetDevicePropertiesR0600(&properties, 2), hipErrorInvalidDevice);
    expect(hipGetDevicePropertiesR0600(&properties, -1), hipErrorInvalidDevice);
}

static void every_attribute_is_answered_or_refused_with_a_reason(void **state)
{
    int value, answered = 0;
    (void)state;
    for (int i = hipDeviceAttributeGPUDirectRDMAFlushWritesOptions;
         i <= hipDeviceAttributeGPUDirectRDMAWritesOrdering; i++)
        ok(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)i, 0));
    for (int i = 0; i < 11000; i++) {
        value = -77;
        hipError_t error = hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)i, 0);
        check(error == hipSuccess || error == hipErrorInvalidValue ||
              error == hipErrorNotSupported);
        check((error == hipSuccess) == (value != -77));
        check((error == hipErrorNotSupported) ==
              (i == hipDeviceAttributeHdpMemFlushCntl || i == hipDeviceAttributeHdpRegFlushCntl));
        answered += error == hipSuccess;
    }
    check(answered > 100);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeTotalGlobalMem, 0));
    check(value == 512 << 20);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeWallClockRate, 0));
    check(value == 1000000);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeCanUseStreamWaitValue, 0));
    check(value == 1);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributePciChipId, 0));
    check(value == 0x20b0);
    expect(hipDeviceGetAttribute(NULL, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
    expect(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 2), hipErrorInvalidDevice);
    expect(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, -1), hipErrorInvalidDevice);
    expect(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)-1, 0), hipErrorInvalidValue);
}

#undef hipGetDeviceProperties
#undef hipChooseDevice

static void the_structure_of_hip_5_is_filled_too(void **state)
{
    hipDeviceProp_tR0000 old, again;
    (void)state;
    memset(&old, 0xee, sizeof old);
    memset(&again, 0xee, sizeof again);
    ok(hipGetDeviceProperties(&old, 1));
    ok(hipGetDevicePropertiesR0000(&again, 1));
    check(memcmp(&old, &again, sizeof old) == 0);
    check(strcmp(old.name, "AnyHIP simulated sm_90") == 0 && strcmp(old.gcnArchName, "sm_90") == 0);
    check(old.warpSize == 32 && old.multiProcessorCount == 132 && old.maxThreadsDim[2] == 64 &&
          old.maxGridSize[1] == 65535 && old.pciBusID == 0x11 &&
          old.totalGlobalMem == (size_t)512 << 20);
    expect(hipGetDeviceProperties(NULL, 0), hipErrorInvalidValue);
    expect(hipGetDevicePropertiesR0000(NULL, 0), hipErrorInvalidValue);
    expect(hipGetDeviceProperties(&old, 9), hipErrorInvalidDevice);
    expect(hipGetDevicePropertiesR0000(&old, -1), hipErrorInvalidDevice);
}

static void a_device_is_chosen_by_what_is_wished(void **state)
{
    hipDeviceProp_tR0600 wish;
    hipDeviceProp_tR0000 old;
    int device = -1;
    (void)state;
    memset(&wish, 0, sizeof wish);
    memset(&old, 0, sizeof old);
    ok(hipChooseDeviceR0600(&device, &wish));
    check(device == 0);
    wish.major = old.major = 9;
    ok(hipChooseDeviceR0600(&device, &wish));
    check(device == 1);
    ok(hipChooseDevice(&device, &old));
    check(device == 1);
    wish.major = old.major = 8;
    snprintf(wish.gcnArchName, sizeof wish.gcnArchName, "sm_90");
    ok(hipChooseDeviceR0600(&device, &wish));
    check(device == 1);
    ok(hipChooseDeviceR0000(&device, &old));
    check(device == 0);
    expect(hipChooseDeviceR0600(NULL, &wish), hipErrorInvalidValue);
    expect(hipChooseDeviceR0600(&device, NULL), hipErrorInvalidValue);
    expect(hipChooseDevice(NULL, &old), hipErrorInvalidValue);
    expect(hipChooseDevice(&device, NULL), hipErrorInvalidValue);
    expect(hipChooseDeviceR0000(NULL, &old), hipErrorInvalidValue);
    expect(hipChooseDeviceR0000(&device, NULL), hipErrorInvalidValue);
}

static void a_linear_texture_has_a_limit(void **state)
{
    hipChannelFormatDesc format = hipCreateChannelDesc(32, 32, 0, 0, hipChannelFormatKindFloat),
                         bad = hipCreateChannelDesc(31, 0, 0, 0, hipChannelFormatKindFloat);
    hipDeviceProp_tR0600 properties;
    size_t elements;
    int floats;
    (void)state;
    ok(hipDeviceGetTexture1DLinearMaxWidth(&elements, &format, 0));
    check(elements == 1 << 27);
    ok(hipDeviceGetAttribute(&floats, hipDeviceAttributeMaxTexture1DLinear, 0));
    ok(hipGetDevicePropertiesR0600(&properties, 0));
    check(floats >= 1 << 27 && properties.maxTexture1DLinear == floats);
    expect(hipDeviceGetTexture1DLinearMaxWidth(NULL, &format, 0), hipErrorInvalidValue);
    expect(hipDeviceGetTexture1DLinearMaxWidth(&elements, NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceGetTexture1DLinearMaxWidth(&elements, &bad, 0), hipErrorInvalidValue);
    expect(hipDeviceGetTexture1DLinearMaxWidth(&elements, &format, 2), hipErrorInvalidDevice);
}

static void a_device_whose_properties_are_not_known_is_not_chosen(void **state)
{
    hipDeviceProp_tR0600 wanted = {.major = 8};
    int device = 7;
    (void)state;
    fakecuda_fail("cuDeviceGetName", 1, 2);
    expect(hipChooseDeviceR0600(&device, &wanted), hipErrorOutOfMemory);
    check(device == 7);
    ok(hipChooseDeviceR0600(&device, &wanted));
}

static void what_hsa_does_not_have_is_none(void **state)
{
    static const hipDeviceAttribute_t none[] = {
        hipDeviceAttributeLuid, hipDeviceAttributeGPUDirectRDMAWithHipVMMSupported,
        hipDeviceAttributeHandleTypeFabricSupported, hipDeviceAttributeHostAllocDmaBufSupported};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        int value = 7;
        ok(hipDeviceGetAttribute(&value, none[i], 0));
        check(value == 0);
    }
}

/* ---- settings
 * ------------------------------------------------------------------------------------ */

static void flags_of_the_device_are_kept(void **state)
{
    unsigned flags;
    static const unsigned good[] = {
        hipDeviceScheduleSpin, hipDeviceScheduleYield, hipDeviceScheduleBlockingSync,
        hipDeviceScheduleSpin | hipDeviceLmemResizeToMax, hipDeviceScheduleAuto};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ok(hipSetDeviceFlags(good[i]));
        ok(hipGetDeviceFlags(&flags));
        check(flags == (good[i] & hipDeviceScheduleMask));
    }
    ok(hipSetDeviceFlags(hipDeviceMapHost));
    expect(hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield), hipErrorInvalidValue);
    expect(hipSetDeviceFlags(0x1000), hipErrorInvalidValue);
    expect(hipGetDeviceFlags(NULL), hipErrorInvalidValue);
}

static void limits_are_read_and_set(void **state)
{
    size_t value;
    (void)state;
    for (int limit = hipLimitStackSize; limit <= hipLimitMallocHeapSize; limit++) {
        size_t before;
        ok(hipDeviceGetLimit(&before, (enum hipLimit_t)limit));
        ok(hipDeviceSetLimit((enum hipLimit_t)limit, 2 * before));
        ok(hipDeviceGetLimit(&value, (enum hipLimit_t)limit));
        check(value == 2 * before);
        ok(hipDeviceSetLimit((enum hipLimit_t)limit, before));
    }
    expect(hipDeviceGetLimit(NULL, hipLimitStackSize), hipErrorInvalidValue);
    expect(hipDeviceGetLimit(&value, (enum hipLimit_t) - 1), hipErrorUnsupportedLimit);
    expect(hipDeviceSetLimit((enum hipLimit_t) - 1, 1), hipErrorUnsupportedLimit);
    expect(hipDeviceGetLimit(&value, hipExtLimitScratchMin), hipErrorUnsupportedLimit);
}

static void a_limit_may_be_as_small_as_it_gets(void **state)
{
    size_t stack, value;
    (void)state;
    ok(hipDeviceGetLimit(&stack, hipLimitStackSize));
    ok(hipDeviceSetLimit(hipLimitStackSize, 0));
    ok(hipDeviceGetLimit(&value, hipLimitStackSize));
    check(value == 0);
    ok(hipDeviceSetLimit(hipLimitStackSize, 1));
    ok(hipDeviceGetLimit(&value, hipLimitStackSize));
    check(value == 16); /* in steps of as much */
    ok(hipDeviceSetLimit(hipLimitStackSize, stack));
}

static void cache_preferences_are_kept_and_banks_stay_as_they_are(void **state)
{
    hipFuncCache_t cache;
    hipSharedMemConfig bank;
    (void)state;
    for (int i = hipFuncCachePreferNone; i <= hipFuncCachePreferEqual; i++) {
        ok(hipDeviceSetCacheConfig((hipFuncCache_t)i));
        ok(hipDeviceGetCacheConfig(&cache));
        check((int)cache == i);
    }
    for (int i = hipSharedMemBankSizeDefault; i <= hipSharedMemBankSizeEightByte; i++) {
        ok(hipDeviceSetSharedMemConfig((hipSharedMemConfig)i));
        ok(hipDeviceGetSharedMemConfig(&bank));
        check(bank == hipSharedMemBankSizeFourByte); /* as on devices of today */
    }
    expect(hipDeviceSetCacheConfig((hipFuncCache_t)4), hipErrorInvalidValue);
    expect(hipDeviceSetCacheConfig((hipFuncCache_t)-1), hipErrorInvalidValue);
    expect(hipDeviceGetCacheConfig(NULL), hipErrorInvalidValue);
    expect(hipDeviceSetSharedMemConfig((hipSharedMemConfig)3), hipErrorInvalidValue);
    expect(hipDeviceGetSharedMemConfig(NULL), hipErrorInvalidValue);
}

static void profiling_is_switched(void **state)
{
    (void)state;
    ok(hipProfilerStart());
    ok(hipProfilerStop());
    fakecuda_fail("cuProfilerStart", 1, 5);
    expect(hipProfilerStart(), hipErrorProfilerDisabled);
}

static void synchronising_waits_for_every_stream(void **state)
{
    hipStream_t stream;
    uint32_t *pinned, milliseconds = 10;
    void *args[] = {&milliseconds};
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4096, 0));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipLaunchKernel(&spin_kernel, one, one, args, 0, stream));
    ok(launch_fill(pinned, 4, 1024, stream));
    ok(hipDeviceSynchronize());
    check_words(pinned, 1024, 4);
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(pinned));
}

/* ---- peers
 * ------------------------------------------------------------------------------------------ */

static void access_between_devices_is_given_and_taken(void **state)
{
    uint32_t *second, back = 0;
    int can, value;
    (void)state;
    ok(hipDeviceCanAccessPeer(&can, 0, 1));
    check(can == 1);
    ok(hipDeviceCanAccessPeer(&can, 0, 0));
    check(can == 0);
    ok(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 1));
    check(value == 1);
    ok(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrPerformanceRank, 0, 1));
    check(over_hsa() || value == 0);
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&second, 4));
    ok(hipSetDevice(0));
    ok(hipDeviceEnablePeerAccess(1, 0));
    expect(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
    ok(launch_fill(second, 8, 1, NULL)); /* a kernel of device 0 */
    ok(hipMemcpy(&back, second, 4, hipMemcpyDeviceToHost));
    check(back == 8);
    ok(hipDeviceDisablePeerAccess(1));
    expect(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
    ok(launch_fill(second, 9, 1, NULL));
    expect(hipDeviceSynchronize(), hipErrorIllegalAddress);
    ok(hipDeviceReset());
    ok(hipSetDevice(1));
    ok(hipFree(second));
}

static void atomics_reach_the_host_as_the_link_says(void **state)
{
    int value = 0;
    (void)state;
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeHostNativeAtomicSupported, 0));
    check(value == 1);
}

static void must_not_be_called(void *data)
{
    *(bool *)data = true;
}

/* HIP: a reset deletes all streams and what they have to do. */
static void a_reset_does_not_wait_for_values_that_nobody_writes(void **state)
{
    static bool called;
    hipStream_t stream;
    uint32_t *flag, *memory;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 8, 0));
    flag[0] = flag[1] = 0;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipStreamWaitValue32(stream, flag, 1, hipStreamWaitValueEq, ~0u));
    ok(hipLaunchHostFunc(stream, must_not_be_called, &called));
    ok(hipStreamWaitValue32(stream, flag + 1, 1, hipStreamWaitValueEq, ~0u));
    ok(hipDeviceReset());
    check(!called);
    ok(hipMalloc((void **)&memory, 4));
    ok(launch_fill(memory, 3, 1, NULL));
    ok(hipDeviceSynchronize());
    ok(hipFree(memory));
    ok(hipHostMalloc((void **)&flag, 4, 0));
    *flag = 0;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipStreamWaitValue32(stream, flag, 1, hipStreamWaitValueEq, ~0u));
    expect(hipStreamQuery(stream), hipErrorNotReady); /* values are waited for again */
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(flag));
}

static void peer_functions_check_their_arguments(void **state)
{
    int can, value;
    uint32_t type, hops;
    (void)state;
    expect(hipDeviceCanAccessPeer(NULL, 0, 1), hipErrorInvalidValue);
    expect(hipDeviceCanAccessPeer(&can, 0, 2), hipErrorInvalidDevice);
    expect(hipDeviceCanAccessPeer(&can, -1, 1), hipErrorInvalidDevice);
    expect(hipDeviceEnablePeerAccess(1, 1), hipErrorInvalidValue);
    expect(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice); /* itself */
    expect(hipDeviceEnablePeerAccess(2, 0), hipErrorInvalidDevice);
    expect(hipDeviceEnablePeerAccess(-1, 0), hipErrorInvalidDevice);
    expect(hipDeviceDisablePeerAccess(0), hipErrorInvalidDevice);
    expect(hipDeviceDisablePeerAccess(2), hipErrorInvalidDevice);
    expect(hipDeviceGetP2PAttribute(NULL, hipDevP2PAttrAccessSupported, 0, 1),
           hipErrorInvalidValue);
    expect(hipDeviceGetP2PAttribute(&value, (hipDeviceP2PAttr)10, 0, 1), hipErrorInvalidValue);
    expect(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 0),
           hipErrorInvalidDevice);
    expect(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 2),
           hipErrorInvalidDevice);
    expect(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops),
           over_hsa() ? hipSuccess : hipErrorNotSupported);
    expect(hipExtGetLinkTypeAndHopCount(1, 0, &type, &hops),
           over_hsa() ? hipSuccess : hipErrorNotSupported);
    expect(hipExtGetLinkTypeAndHopCount(0, 1, NULL, &hops), hipErrorInvalidValue);
    expect(hipExtGetLinkTypeAndHopCount(0, 1, &type, NULL), hipErrorInvalidValue);
    expect(hipExtGetLinkTypeAndHopCount(0, 0, &type, &hops), hipErrorInvalidValue);
    expect(hipExtGetLinkTypeAndHopCount(0, -1, &type, &hops), hipErrorInvalidValue);
    expect(hipExtGetLinkTypeAndHopCount(0, 2, &type, &hops), hipErrorInvalidDevice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(versions_are_those_of_hip),
        TEST(devices_are_counted_and_made_current),
        TEST(the_current_device_is_the_threads_own),
        TEST(valid_devices_are_set),
        TEST(a_device_is_initialised_without_being_current),
        TEST_OVER("cuda", "the expected values are those of sm_80 and sm_90",
                  a_device_has_a_name_a_uuid_and_a_place),
        TEST_OVER("hsa", "the text is AMD's", a_uuid_of_amd_is_text),
        TEST_OVER("cuda", "the expected values are those of sm_80",
                  properties_and_attributes_agree),
        TEST_OVER("cuda", "the expected values are those of sm_90",
                  every_attribute_is_answered_or_refused_with_a_reason),
        TEST_OVER("cuda", "the expected values are those of sm_90",
                  the_structure_of_hip_5_is_filled_too),
        TEST_OVER("cuda", "it asks for compute capabilities", a_device_is_chosen_by_what_is_wished),
        TEST_OVER("cuda", "the limit is that of NVIDIA", a_linear_texture_has_a_limit),
        TEST_OVER("cuda", "what HSA says of a device is asked once",
                  a_device_whose_properties_are_not_known_is_not_chosen),
        TEST_OVER("hsa", "NVIDIA's devices have some of it", what_hsa_does_not_have_is_none),
        TEST(flags_of_the_device_are_kept),
        TEST(limits_are_read_and_set),
        TEST_OVER("hsa", "CUDA has a least stack", a_limit_may_be_as_small_as_it_gets),
        TEST(cache_preferences_are_kept_and_banks_stay_as_they_are),
        TEST_OVER("cuda", "HSA has no such switch", profiling_is_switched),
        TEST(synchronising_waits_for_every_stream),
        TEST(access_between_devices_is_given_and_taken),
        TEST_OVER("hsa", "it is asked of the link to the host",
                  atomics_reach_the_host_as_the_link_says),
        TEST(a_reset_does_not_wait_for_values_that_nobody_writes),
        TEST(peer_functions_check_their_arguments),
    };
    use_fake("80,90");
    return run_group("driver.device", tests);
}
