// What there is on this machine: every device with its properties, in plain C.
#include "check.h"

#include <hip/anyhip.h>

#include <string.h>

static void show(int device)
{
    hipDeviceProp_t p;
    enum anyhipBackend backend;
    const char *driver;
    size_t free = 0, total = 0;
    int clock = 0;

    HIP_CHECK(hipGetDeviceProperties(&p, device));
    HIP_CHECK(anyhipDeviceGetBackend(device, &backend, &driver));
    HIP_CHECK(hipSetDevice(device));
    HIP_CHECK(hipMemGetInfo(&free, &total));
    HIP_CHECK(hipDeviceGetAttribute(&clock, hipDeviceAttributeClockRate, device));
    printf("device %d: %s\n", device, p.name);
    printf("  driver                     %s\n", driver);
    printf("  architecture               %s (compute capability %d.%d)\n", p.gcnArchName, p.major,
           p.minor);
    printf("  PCI                        %04x:%02x:%02x.0\n", (unsigned)p.pciDomainID,
           (unsigned)p.pciBusID, (unsigned)p.pciDeviceID);
    printf("  multiprocessors            %d at %d MHz\n", p.multiProcessorCount, clock / 1000);
    printf("  lanes of a warp            %d\n", p.warpSize);
    printf("  threads of a block         %d (%d x %d x %d)\n", p.maxThreadsPerBlock,
           p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("  blocks of a grid           %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1],
           p.maxGridSize[2]);
    printf("  memory                     %zu MiB, %zu MiB free\n", total >> 20, free >> 20);
    printf("  memory bus                 %d bits\n", p.memoryBusWidth);
    printf("  L2 cache                   %d KiB\n", p.l2CacheSize / 1024);
    printf("  shared memory of a block   %zu KiB (%zu KiB on request)\n", p.sharedMemPerBlock / 1024,
           p.sharedMemPerBlockOptin / 1024);
    printf("  registers of a block       %d\n", p.regsPerBlock);
    printf("  managed memory             %s\n", p.managedMemory ? "yes" : "no");
    printf("  cooperative launch         %s\n", p.cooperativeLaunch ? "yes" : "no");
    printf("  ECC                        %s\n", p.ECCEnabled ? "on" : "off");

    if (p.warpSize <= 0 || p.maxThreadsPerBlock <= 0 || total == 0 || free > total ||
        total > p.totalGlobalMem + (total >> 4) || strlen(p.name) == 0) {
        printf("FAILED: these properties cannot be true\n");
        exit(1);
    }
}

int main(void)
{
    int count = 0, version = 0;
    hipError_t error = hipGetDeviceCount(&count);
    HIP_CHECK(hipRuntimeGetVersion(&version));
    printf("AnyHIP %s, HIP %d.%d\n", anyhipVersion(), version / 10000000, version / 100000 % 100);
    HIP_CHECK(error);
    for (int device = 0; device < count; device++)
        show(device);
    printf("PASSED: %d device(s)\n", count);
    return 0;
}
