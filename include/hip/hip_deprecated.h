// The device properties of HIP 5 and the symbols that use them. Binaries built with HIP 5 call
// the symbols without suffix; sources built with HIP 6 or later never do (a macro renames them).
#ifndef HIP_INCLUDE_HIP_HIP_DEPRECATED_H
#define HIP_INCLUDE_HIP_HIP_DEPRECATED_H

#include <hip/api/error_types.h>
#include <hip/api/device_types.h>

/// Properties of a device as of HIP 5: 792 bytes. Units as in hipDeviceProp_t.
typedef struct hipDeviceProp_tR0000 {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    int memoryClockRate;
    int memoryBusWidth;
    size_t totalConstMem;
    int major;
    int minor;
    int multiProcessorCount;
    int l2CacheSize;
    int maxThreadsPerMultiProcessor;
    int computeMode;
    int clockInstructionRate;
    hipDeviceArch_t arch;
    int concurrentKernels;
    int pciDomainID;
    int pciBusID;
    int pciDeviceID;
    size_t maxSharedMemoryPerMultiProcessor;
    int isMultiGpuBoard;
    int canMapHostMemory;
    int gcnArch; ///< 906, 908 ...; no letters, so gfx90a is 910
    char gcnArchName[256];
    int integrated;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    int maxTexture1DLinear;
    int maxTexture1D;
    int maxTexture2D[2];
    int maxTexture3D[3];
    unsigned int *hdpMemFlushCntl;
    unsigned int *hdpRegFlushCntl;
    size_t memPitch;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int kernelExecTimeoutEnabled;
    int ECCEnabled;
    int tccDriver;
    int cooperativeMultiDeviceUnmatchedFunc;
    int cooperativeMultiDeviceUnmatchedGridDim;
    int cooperativeMultiDeviceUnmatchedBlockDim;
    int cooperativeMultiDeviceUnmatchedSharedMem;
    int isLargeBar;
    int asicRevision;
    int managedMemory;
    int directManagedMemAccessFromHost;
    int concurrentManagedAccess;
    int pageableMemoryAccess;
    int pageableMemoryAccessUsesHostPageTables;
} hipDeviceProp_tR0000;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)
#pragma push_macro("hipGetDeviceProperties")
#pragma push_macro("hipChooseDevice")
#undef hipGetDeviceProperties
#undef hipChooseDevice

/// As hipGetDevicePropertiesR0600(), into the structure of HIP 5.
/// @param [out] prop, props  the properties
/// @param [in] device  ordinal
/// Returns: hipErrorInvalidValue: the pointer is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP 5 "Device Management"; CUDA runtime cudaGetDeviceProperties.

/// The symbol binaries of HIP 5 call.
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *props, hipDevice_t device);
/// The same by its other name.
hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *prop, int device);

/// As hipChooseDeviceR0600(), from the structure of HIP 5.
/// @param [out] device  ordinal
/// @param [in] properties  the wish
/// Returns: hipErrorInvalidValue: a pointer is NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP 5 "Device Management"; CUDA runtime cudaChooseDevice.

/// The symbol binaries of HIP 5 call.
hipError_t hipChooseDevice(int *device, const hipDeviceProp_tR0000 *properties);
/// The same by its other name.
hipError_t hipChooseDeviceR0000(int *device, const hipDeviceProp_tR0000 *properties);

#pragma pop_macro("hipChooseDevice")
#pragma pop_macro("hipGetDeviceProperties")
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
