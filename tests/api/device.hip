// Devices: their properties, through every function that queries them.
#include "../support/hip_test.h"

#include <set>

#define SAME(attribute, want)                                                                      \
    do {                                                                                           \
        int value_ = -1;                                                                           \
        CHECK_EQ(hipDeviceGetAttribute(&value_, hipDeviceAttribute##attribute, device),            \
                 hipSuccess);                                                                      \
        CHECK_CASE((long long)value_ == (long long)(want), #attribute ": %d, not %lld", value_,    \
                   (long long)(want));                                                             \
    } while (0)

TEST("attributes and properties agree")
{
    int devices = 0;
    CHECK_HIP(hipGetDeviceCount(&devices));
    for (int device = 0; device < devices; ++device) {
        hipDeviceProp_t p;
        CHECK_HIP(hipGetDeviceProperties(&p, device));
        CHECK(p.name[0] != 0);
        CHECK(p.totalGlobalMem > (64u << 20));
        CHECK(p.warpSize == 32 || p.warpSize == 64);
        CHECK(p.gcnArchName[0] != 0);
        SAME(WarpSize, p.warpSize);
        SAME(MaxThreadsPerBlock, p.maxThreadsPerBlock);
        SAME(MaxBlockDimX, p.maxThreadsDim[0]);
        SAME(MaxBlockDimY, p.maxThreadsDim[1]);
        SAME(MaxBlockDimZ, p.maxThreadsDim[2]);
        SAME(MaxGridDimX, p.maxGridSize[0]);
        SAME(MaxGridDimY, p.maxGridSize[1]);
        SAME(MaxGridDimZ, p.maxGridSize[2]);
        SAME(MaxSharedMemoryPerBlock, p.sharedMemPerBlock);
        SAME(SharedMemPerBlockOptin, p.sharedMemPerBlockOptin);
        SAME(MaxSharedMemoryPerMultiprocessor, p.maxSharedMemoryPerMultiProcessor);
        SAME(TotalConstantMemory, p.totalConstMem);
        SAME(MaxRegistersPerBlock, p.regsPerBlock);
        SAME(ClockRate, p.clockRate);
        SAME(MemoryClockRate, p.memoryClockRate);
        SAME(MemoryBusWidth, p.memoryBusWidth);
        SAME(MultiprocessorCount, p.multiProcessorCount);
        SAME(ComputeMode, p.computeMode);
        SAME(L2CacheSize, p.l2CacheSize);
        SAME(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor);
        SAME(ComputeCapabilityMajor, p.major);
        SAME(ComputeCapabilityMinor, p.minor);
        SAME(ConcurrentKernels, p.concurrentKernels);
        SAME(PciBusId, p.pciBusID);
        SAME(PciDeviceId, p.pciDeviceID);
        SAME(PciDomainId, p.pciDomainID);
        SAME(Integrated, p.integrated);
        SAME(CooperativeLaunch, p.cooperativeLaunch);
        SAME(ManagedMemory, p.managedMemory);
        SAME(UnifiedAddressing, p.unifiedAddressing);
        SAME(CanMapHostMemory, p.canMapHostMemory);
        SAME(KernelExecTimeout, p.kernelExecTimeoutEnabled);
        SAME(EccEnabled, p.ECCEnabled);
        SAME(AsyncEngineCount, p.asyncEngineCount);
        SAME(TextureAlignment, p.textureAlignment);
        SAME(MaxPitch, p.memPitch > 0x7fffffff ? 0x7fffffff : p.memPitch);
        SAME(MaxTexture1DWidth, p.maxTexture1D);
        SAME(MaxTexture2DHeight, p.maxTexture2D[1]);
        SAME(MaxTexture3DDepth, p.maxTexture3D[2]);
        SAME(ConcurrentManagedAccess, p.concurrentManagedAccess);
        SAME(PageableMemoryAccess, p.pageableMemoryAccess);
        SAME(HostNativeAtomicSupported, p.hostNativeAtomicSupported);
        SAME(StreamPrioritiesSupported, p.streamPrioritiesSupported);
        SAME(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor);
        SAME(MemoryPoolsSupported, p.memoryPoolsSupported);
    }
}
#undef SAME

TEST("every device has its own name, UUID and bus id, and is found by them")
{
    int devices = 0;
    CHECK_HIP(hipGetDeviceCount(&devices));
    std::set<std::string> ids;
    for (int i = 0; i < devices; ++i) {
        hipDevice_t device;
        char name[256], bus[32];
        hipUUID uuid;
        size_t bytes = 0;
        int back = -1, major = 0, minor = 0;
        hipDeviceProp_t p;
        CHECK_HIP(hipGetDeviceProperties(&p, i));
        CHECK_HIP(hipDeviceGet(&device, i));
        CHECK_HIP(hipDeviceGetName(name, sizeof name, device));
        CHECK_EQ(std::string(name), std::string(p.name));
        CHECK_HIP(hipDeviceGetUuid(&uuid, device));
        CHECK(memcmp(&uuid, &p.uuid, sizeof uuid) == 0);
        CHECK_HIP(hipDeviceTotalMem(&bytes, device));
        CHECK_EQ(bytes, p.totalGlobalMem);
        CHECK_HIP(hipDeviceComputeCapability(&major, &minor, device));
        CHECK_EQ(major, p.major);
        CHECK_EQ(minor, p.minor);
        CHECK_HIP(hipDeviceGetPCIBusId(bus, sizeof bus, i));
        CHECK_HIP(hipDeviceGetByPCIBusId(&back, bus));
        CHECK_EQ(back, i);
        ids.insert(bus);
        char short_name[4];
        CHECK_HIP(hipDeviceGetName(short_name, sizeof short_name, device));
        CHECK_EQ(short_name[3], 0);
    }
    CHECK_EQ(int(ids.size()), devices);
}

TEST("a device that does not exist is refused")
{
    int devices = 0, value = 0;
    hipDeviceProp_t p;
    hipDevice_t device;
    CHECK_HIP(hipGetDeviceCount(&devices));
    CHECK_EQ(hipSetDevice(devices), hipErrorInvalidDevice);
    CHECK_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
    CHECK_EQ(hipGetDeviceProperties(&p, devices), hipErrorInvalidDevice);
    CHECK_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, devices),
             hipErrorInvalidDevice);
    CHECK_EQ(hipDeviceGet(&device, devices), hipErrorInvalidDevice);
    CHECK_EQ(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(9999999), 0),
             hipErrorInvalidValue);
    CHECK_EQ(hipDeviceGetAttribute(nullptr, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
    CHECK_EQ(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
    CHECK_EQ(hipGetDeviceCount(nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipDeviceGetByPCIBusId(&value, "no bus"), hipErrorInvalidValue);
    CHECK_EQ(hipGetDevice(&value), hipSuccess);
    CHECK_EQ(value, 0);
    (void)hipGetLastError();
}

TEST("the device closest to the requested properties is chosen")
{
    hipDeviceProp_t wish = {};
    int device = -1;
    CHECK_HIP(hipChooseDevice(&device, &wish));
    CHECK(device >= 0);
    wish.totalGlobalMem = ~size_t(0);
    CHECK_HIP(hipChooseDevice(&device, &wish));
    CHECK(device >= 0);
}

TEST("versions are those of HIP")
{
    int driver = 0, runtime = 0;
    CHECK_HIP(hipDriverGetVersion(&driver));
    CHECK_HIP(hipRuntimeGetVersion(&runtime));
    CHECK_EQ(runtime, HIP_VERSION);
    CHECK_EQ(driver, HIP_VERSION);
}

TEST("limits, cache preferences and flags are kept")
{
    size_t heap = 0, stack = 0;
    CHECK_HIP(hipDeviceGetLimit(&heap, hipLimitMallocHeapSize));
    CHECK(heap > 0);
    CHECK_HIP(hipDeviceGetLimit(&stack, hipLimitStackSize));
    CHECK_HIP(hipDeviceSetLimit(hipLimitStackSize, 4096));
    CHECK_HIP(hipDeviceGetLimit(&stack, hipLimitStackSize));
    CHECK(stack >= 4096);
    CHECK_EQ(hipDeviceGetLimit(&heap, static_cast<hipLimit_t>(99)), hipErrorUnsupportedLimit);
    CHECK_HIP(hipDeviceSetCacheConfig(hipFuncCachePreferNone));
    unsigned flags = 99;
    CHECK_HIP(hipGetDeviceFlags(&flags));
    CHECK_HIP(hipSetDeviceFlags(hipDeviceScheduleYield));
    CHECK_HIP(hipGetDeviceFlags(&flags));
    CHECK_EQ(flags & hipDeviceScheduleMask, unsigned(hipDeviceScheduleYield));
    CHECK_EQ(hipSetDeviceFlags(0xff00), hipErrorInvalidValue);
    CHECK_HIP(hipSetDeviceFlags(hipDeviceScheduleAuto));
    (void)hipGetLastError();
}

TEST("a device can reach its peers as it says")
{
    int devices = 0, can = -1;
    CHECK_HIP(hipGetDeviceCount(&devices));
    CHECK_HIP(hipDeviceCanAccessPeer(&can, 0, 0));
    CHECK_EQ(can, 0);
    CHECK_EQ(hipDeviceCanAccessPeer(&can, 0, devices), hipErrorInvalidDevice);
    CHECK_EQ(hipDeviceEnablePeerAccess(devices, 0), hipErrorInvalidDevice);
    for (int a = 0; a < devices; ++a)
        for (int b = 0; b < devices; ++b) {
            if (a == b)
                continue;
            CHECK_HIP(hipSetDevice(a));
            CHECK_HIP(hipDeviceCanAccessPeer(&can, a, b));
            if (!can)
                continue;
            CHECK_HIP(hipDeviceEnablePeerAccess(b, 0));
            CHECK_EQ(hipDeviceEnablePeerAccess(b, 0), hipErrorPeerAccessAlreadyEnabled);
            CHECK_HIP(hipDeviceDisablePeerAccess(b));
            CHECK_EQ(hipDeviceDisablePeerAccess(b), hipErrorPeerAccessNotEnabled);
        }
    CHECK_HIP(hipSetDevice(0));
    (void)hipGetLastError();
}

// Each device works on memory of its own, and what it made reaches the others.
__global__ void mark(int *p, int value)
{
    p[threadIdx.x] = value + threadIdx.x;
}

TEST("memory goes from device to device")
{
    int devices = 0;
    CHECK_HIP(hipGetDeviceCount(&devices));
    std::vector<int *> memory(devices);
    for (int i = 0; i < devices; ++i) {
        CHECK_HIP(hipSetDevice(i));
        CHECK_HIP(hipMalloc(&memory[i], 32 * sizeof(int)));
        mark<<<1, 32>>>(memory[i], 100 * i);
        CHECK_LAUNCH();
        hipPointerAttribute_t a;
        CHECK_HIP(hipPointerGetAttributes(&a, memory[i]));
        CHECK_EQ(a.device, i);
    }
    for (int i = 1; i < devices; ++i) {
        CHECK_HIP(hipMemcpyPeer(memory[i], i, memory[i - 1], i - 1, 16 * sizeof(int)));
        std::vector<int> got(32);
        CHECK_HIP(hipMemcpy(got.data(), memory[i], 128, hipMemcpyDeviceToHost));
        CHECK_EQ(got[3], 3); // it comes all the way from the first
        CHECK_EQ(got[20], 100 * i + 20);
    }
    for (int i = 0; i < devices; ++i)
        CHECK_HIP(hipFree(memory[i])); // from another device
    CHECK_HIP(hipSetDevice(0));
    int *a = nullptr, *b = nullptr;
    CHECK_HIP(hipMalloc(&a, 64));
    CHECK_HIP(hipMalloc(&b, 64));
    CHECK_HIP(hipMemset(a, 4, 64));
    CHECK_HIP(hipMemcpyPeerAsync(b, 0, a, 0, 64, nullptr));
    char got[64];
    CHECK_HIP(hipMemcpy(got, b, 64, hipMemcpyDeviceToHost));
    CHECK_EQ(got[63], 4);
    CHECK_HIP(hipFree(a));
    CHECK_HIP(hipFree(b));
}

HIP_TEST_MAIN
