// Types of device management: properties, attributes, limits, flags, IPC handles.
#ifndef HIP_INCLUDE_HIP_API_DEVICE_TYPES_H
#define HIP_INCLUDE_HIP_API_DEVICE_TYPES_H

#include <hip/api/basics.h>

/// What kernels on a device may use: one bit per feature.
typedef struct {
    unsigned hasGlobalInt32Atomics : 1;
    unsigned hasGlobalFloatAtomicExch : 1;
    unsigned hasSharedInt32Atomics : 1;
    unsigned hasSharedFloatAtomicExch : 1;
    unsigned hasFloatAtomicAdd : 1;
    unsigned hasGlobalInt64Atomics : 1;
    unsigned hasSharedInt64Atomics : 1;
    unsigned hasDoubles : 1;
    unsigned hasWarpVote : 1;
    unsigned hasWarpBallot : 1;
    unsigned hasWarpShuffle : 1;
    unsigned hasFunnelShift : 1;
    unsigned hasThreadFenceSystem : 1;
    unsigned hasSyncThreadsExt : 1; ///< __syncthreads_count() and its like
    unsigned hasSurfaceFuncs : 1;
    unsigned has3dGrid : 1;
    unsigned hasDynamicParallelism : 1;
} hipDeviceArch_t;

/// Identifies one physical device.
typedef struct hipUUID_t {
    char bytes[16];
} hipUUID;

/// Properties of a device: see hipGetDeviceProperties(). This is the layout of HIP 6 and 7,
/// 1472 bytes; that of HIP 5 is hipDeviceProp_tR0000 in hip_deprecated.h. Sources say
/// hipDeviceProp_t: a macro (below) renames it and the functions that take it. Sizes are in
/// bytes, rates in kilohertz, dimensions in elements, yes/no fields 1 or 0.
typedef struct hipDeviceProp_tR0600 {
    char name[256];
    hipUUID uuid;
    char luid[8]; ///< meaningful on Windows only, like the node mask
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize; ///< 32 or 64
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3]; ///< blocks
    int clockRate;
    size_t totalConstMem;
    int major; ///< of the architecture: 9 for gfx90a, 8 for sm_86
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap; ///< obsolete: see asyncEngineCount
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode; ///< hipComputeMode
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3]; ///< width, height, pitch in bytes
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2]; ///< width, layers
    int maxTexture2DLayered[3]; ///< width, height, layers
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth; ///< bits
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseHipArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions; ///< hipFlushGPUDirectRDMAWritesOptions
    int gpuDirectRDMAWritesOrdering;              ///< hipGPUDirectRDMAWritesOrdering
    unsigned int memoryPoolSupportedHandleTypes;  ///< bits of hipMemAllocationHandleType
    int deferredMappingHipArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int reserved[63];
    int hipReserved[32];
    // HIP's own from here on.
    char gcnArchName[256]; ///< "gfx90a:sramecc+:xnack-", "sm_86"
    size_t maxSharedMemoryPerMultiProcessor;
    int clockInstructionRate; ///< of clock64()
    hipDeviceArch_t arch;
    unsigned int *hdpMemFlushCntl; ///< register that flushes host writes, or NULL
    unsigned int *hdpRegFlushCntl;
    int cooperativeMultiDeviceUnmatchedFunc;
    int cooperativeMultiDeviceUnmatchedGridDim;
    int cooperativeMultiDeviceUnmatchedBlockDim;
    int cooperativeMultiDeviceUnmatchedSharedMem;
    int isLargeBar;
    int asicRevision;
} hipDeviceProp_tR0600;

// From HIP 6 on the unversioned names mean the R0600 ones; the symbols without suffix keep the
// HIP 5 layout for old binaries.
#define hipDeviceProp_t        hipDeviceProp_tR0600
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
#define hipChooseDevice        hipChooseDeviceR0600

/// Attributes of hipDeviceGetAttribute(): an int each, in the units of hipDeviceProp_t.
/// The first range has CUDA counterparts but HIP's own numbers; the second is AMD's.
typedef enum hipDeviceAttribute_t {
    hipDeviceAttributeCudaCompatibleBegin = 0,
    hipDeviceAttributeEccEnabled = hipDeviceAttributeCudaCompatibleBegin,
    hipDeviceAttributeAccessPolicyMaxWindowSize,
    hipDeviceAttributeAsyncEngineCount,
    hipDeviceAttributeCanMapHostMemory,
    hipDeviceAttributeCanUseHostPointerForRegisteredMem,
    hipDeviceAttributeClockRate,
    hipDeviceAttributeComputeMode,
    hipDeviceAttributeComputePreemptionSupported,
    hipDeviceAttributeConcurrentKernels,
    hipDeviceAttributeConcurrentManagedAccess,
    hipDeviceAttributeCooperativeLaunch,
    hipDeviceAttributeCooperativeMultiDeviceLaunch,
    hipDeviceAttributeDeviceOverlap,
    hipDeviceAttributeDirectManagedMemAccessFromHost,
    hipDeviceAttributeGlobalL1CacheSupported,
    hipDeviceAttributeHostNativeAtomicSupported,
    hipDeviceAttributeIntegrated,
    hipDeviceAttributeIsMultiGpuBoard,
    hipDeviceAttributeKernelExecTimeout,
    hipDeviceAttributeL2CacheSize,
    hipDeviceAttributeLocalL1CacheSupported,
    hipDeviceAttributeLuid,
    hipDeviceAttributeLuidDeviceNodeMask,
    hipDeviceAttributeComputeCapabilityMajor,
    hipDeviceAttributeManagedMemory,
    hipDeviceAttributeMaxBlocksPerMultiProcessor,
    hipDeviceAttributeMaxBlockDimX,
    hipDeviceAttributeMaxBlockDimY,
    hipDeviceAttributeMaxBlockDimZ,
    hipDeviceAttributeMaxGridDimX,
    hipDeviceAttributeMaxGridDimY,
    hipDeviceAttributeMaxGridDimZ,
    hipDeviceAttributeMaxSurface1D,
    hipDeviceAttributeMaxSurface1DLayered,
    hipDeviceAttributeMaxSurface2D,
    hipDeviceAttributeMaxSurface2DLayered,
    hipDeviceAttributeMaxSurface3D,
    hipDeviceAttributeMaxSurfaceCubemap,
    hipDeviceAttributeMaxSurfaceCubemapLayered,
    hipDeviceAttributeMaxTexture1DWidth,
    hipDeviceAttributeMaxTexture1DLayered,
    hipDeviceAttributeMaxTexture1DLinear,
    hipDeviceAttributeMaxTexture1DMipmap,
    hipDeviceAttributeMaxTexture2DWidth,
    hipDeviceAttributeMaxTexture2DHeight,
    hipDeviceAttributeMaxTexture2DGather,
    hipDeviceAttributeMaxTexture2DLayered,
    hipDeviceAttributeMaxTexture2DLinear,
    hipDeviceAttributeMaxTexture2DMipmap,
    hipDeviceAttributeMaxTexture3DWidth,
    hipDeviceAttributeMaxTexture3DHeight,
    hipDeviceAttributeMaxTexture3DDepth,
    hipDeviceAttributeMaxTexture3DAlt,
    hipDeviceAttributeMaxTextureCubemap,
    hipDeviceAttributeMaxTextureCubemapLayered,
    hipDeviceAttributeMaxThreadsDim, ///< x of maxThreadsDim
    hipDeviceAttributeMaxThreadsPerBlock,
    hipDeviceAttributeMaxThreadsPerMultiProcessor,
    hipDeviceAttributeMaxPitch,
    hipDeviceAttributeMemoryBusWidth,
    hipDeviceAttributeMemoryClockRate,
    hipDeviceAttributeComputeCapabilityMinor,
    hipDeviceAttributeMultiGpuBoardGroupID,
    hipDeviceAttributeMultiprocessorCount,
    hipDeviceAttributeUnused1, ///< was Name
    hipDeviceAttributePageableMemoryAccess,
    hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
    hipDeviceAttributePciBusId,
    hipDeviceAttributePciDeviceId,
    hipDeviceAttributePciDomainId,
    hipDeviceAttributePciDomainID = hipDeviceAttributePciDomainId, ///< spelling before HIP 7
    hipDeviceAttributePersistingL2CacheMaxSize,
    hipDeviceAttributeMaxRegistersPerBlock,
    hipDeviceAttributeMaxRegistersPerMultiprocessor,
    hipDeviceAttributeReservedSharedMemPerBlock,
    hipDeviceAttributeMaxSharedMemoryPerBlock,
    hipDeviceAttributeSharedMemPerBlockOptin,
    hipDeviceAttributeSharedMemPerMultiprocessor,
    hipDeviceAttributeSingleToDoublePrecisionPerfRatio,
    hipDeviceAttributeStreamPrioritiesSupported,
    hipDeviceAttributeSurfaceAlignment,
    hipDeviceAttributeTccDriver,
    hipDeviceAttributeTextureAlignment,
    hipDeviceAttributeTexturePitchAlignment,
    hipDeviceAttributeTotalConstantMemory,
    hipDeviceAttributeTotalGlobalMem, ///< saturates at INT_MAX
    hipDeviceAttributeUnifiedAddressing,
    hipDeviceAttributeUnused2, ///< was Uuid
    hipDeviceAttributeWarpSize,
    hipDeviceAttributeMemoryPoolsSupported,
    hipDeviceAttributeVirtualMemoryManagementSupported,
    hipDeviceAttributeHostRegisterSupported,
    hipDeviceAttributeMemoryPoolSupportedHandleTypes,
    hipDeviceAttributeHostNumaId, ///< the nearest NUMA node, -1 when there is none
    hipDeviceAttributeDmaBufSupported,
    hipDeviceAttributeGPUDirectRDMAWithHipVMMSupported,
    hipDeviceAttributeHandleTypeFabricSupported,
    hipDeviceAttributeHostAllocDmaBufSupported,
    hipDeviceAttributeGPUDirectRDMASupported,
    hipDeviceAttributeGPUDirectRDMAFlushWritesOptions,
    hipDeviceAttributeGPUDirectRDMAWritesOrdering,

    hipDeviceAttributeCudaCompatibleEnd = 9999,
    hipDeviceAttributeAmdSpecificBegin = 10000,

    hipDeviceAttributeClockInstructionRate = hipDeviceAttributeAmdSpecificBegin,
    hipDeviceAttributeUnused3, ///< was Arch
    hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
    hipDeviceAttributeUnused4,         ///< was GcnArch
    hipDeviceAttributeUnused5,         ///< was GcnArchName
    hipDeviceAttributeHdpMemFlushCntl, ///< the value is an unsigned int *: 8 bytes
    hipDeviceAttributeHdpRegFlushCntl, ///< the same
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem,
    hipDeviceAttributeIsLargeBar,
    hipDeviceAttributeAsicRevision,
    hipDeviceAttributeCanUseStreamWaitValue,
    hipDeviceAttributeImageSupport,
    hipDeviceAttributePhysicalMultiProcessorCount,
    hipDeviceAttributeFineGrainSupport,
    hipDeviceAttributeWallClockRate, ///< of wall_clock64()
    hipDeviceAttributeNumberOfXccs,  ///< compute dies in the device's partition
    hipDeviceAttributePciChipId,     ///< 10019 as of HIP 7.0

    hipDeviceAttributeAmdSpecificEnd = 19999,
    hipDeviceAttributeVendorSpecificBegin = 20000,
} hipDeviceAttribute_t;

/// Values of computeMode: who may use the device at once.
typedef enum hipComputeMode {
    hipComputeModeDefault = 0,   ///< any number of threads
    hipComputeModeExclusive = 1, ///< one thread
    hipComputeModeProhibited = 2,
    hipComputeModeExclusiveProcess = 3 ///< threads of one process
} hipComputeMode;

/// How writes of a third device into device memory can be made visible.
typedef enum hipFlushGPUDirectRDMAWritesOptions {
    hipFlushGPUDirectRDMAWritesOptionHost = 1 << 0, ///< hipDeviceFlushGPUDirectRDMAWrites()
    hipFlushGPUDirectRDMAWritesOptionMemOps = 1 << 1
} hipFlushGPUDirectRDMAWritesOptions;

/// To whom such writes are visible in order without a flush.
typedef enum hipGPUDirectRDMAWritesOrdering {
    hipGPUDirectRDMAWritesOrderingNone = 0,
    hipGPUDirectRDMAWritesOrderingOwner = 100,
    hipGPUDirectRDMAWritesOrderingAllDevices = 200
} hipGPUDirectRDMAWritesOrdering;

/// Whose memory hipDeviceFlushGPUDirectRDMAWrites() flushes.
typedef enum hipFlushGPUDirectRDMAWritesTarget {
    hipFlushGPUDirectRDMAWritesTargetCurrentDevice = 0
} hipFlushGPUDirectRDMAWritesTarget;

/// To whom hipDeviceFlushGPUDirectRDMAWrites() makes writes visible.
typedef enum hipFlushGPUDirectRDMAWritesScope {
    hipFlushGPUDirectRDMAWritesToOwner = 100,
    hipFlushGPUDirectRDMAWritesToAllDevices = 200
} hipFlushGPUDirectRDMAWritesScope;

/// Attributes of a pair of devices: an int each.
typedef enum hipDeviceP2PAttr {
    hipDevP2PAttrPerformanceRank = 0, ///< 0 is the fastest
    hipDevP2PAttrAccessSupported,
    hipDevP2PAttrNativeAtomicSupported,
    hipDevP2PAttrHipArrayAccessSupported
} hipDeviceP2PAttr;

/// Limits of a device, bytes.
enum hipLimit_t {
    hipLimitStackSize = 0x0,        ///< private memory of a thread
    hipLimitPrintfFifoSize = 0x01,  ///< buffer of printf() in kernels
    hipLimitMallocHeapSize = 0x02,  ///< heap of malloc() in kernels
    hipExtLimitScratchMin = 0x1000, ///< AMD: bounds of the scratch memory kept; read only
    hipExtLimitScratchMax = 0x1001,
    hipExtLimitScratchCurrent = 0x1002,
    hipLimitRange ///< one past the last (3 before HIP 7)
};

/// Preference between L1 cache and shared memory: a hint.
typedef enum hipFuncCache_t {
    hipFuncCachePreferNone,
    hipFuncCachePreferShared,
    hipFuncCachePreferL1,
    hipFuncCachePreferEqual,
} hipFuncCache_t;

/// Width of a shared memory bank: a hint.
typedef enum hipSharedMemConfig {
    hipSharedMemBankSizeDefault,
    hipSharedMemBankSizeFourByte,
    hipSharedMemBankSizeEightByte
} hipSharedMemConfig;

/// Flags of hipSetDeviceFlags(): how a host thread waits for the device (a mask of which one
/// is set), and two that are always on.
#define hipDeviceScheduleAuto         0x0 ///< the runtime chooses
#define hipDeviceScheduleSpin         0x1 ///< poll
#define hipDeviceScheduleYield        0x2 ///< poll and yield the processor
#define hipDeviceScheduleBlockingSync 0x4 ///< sleep
#define hipDeviceScheduleMask         0x7
#define hipDeviceMapHost              0x8
#define hipDeviceLmemResizeToMax      0x10

/// Flag of hipInitDevice(): deviceFlags is to be applied.
#define hipInitDeviceFlagsAreValid 0x1

/// Ordinals that do not name a device: the host, and none.
#define hipCpuDeviceId     ((int)-1)
#define hipInvalidDeviceId ((int)-2)

/// Memory and events of another process: sent to it as bytes.
#define HIP_IPC_HANDLE_SIZE 64
typedef struct hipIpcMemHandle_st {
    char reserved[HIP_IPC_HANDLE_SIZE];
} hipIpcMemHandle_t;
typedef struct hipIpcEventHandle_st {
    char reserved[HIP_IPC_HANDLE_SIZE];
} hipIpcEventHandle_t;
/// Memory of another node, likewise.
typedef struct hipMemFabricHandle_st {
    unsigned char data[HIP_IPC_HANDLE_SIZE];
} hipMemFabricHandle_t;

/// Flag of hipIpcOpenMemHandle(): enable peer access on first use.
#define hipIpcMemLazyEnablePeerAccess 0x01

#endif
