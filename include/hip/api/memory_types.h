// Types of memory management: allocation flags, advice, pools, virtual memory, interop.
#ifndef HIP_INCLUDE_HIP_API_MEMORY_TYPES_H
#define HIP_INCLUDE_HIP_API_MEMORY_TYPES_H

#include <hip/api/basics.h>

/// The results of hipPointerGetAttributes().
typedef struct hipPointerAttribute_t {
    enum hipMemoryType type;
    int device;
    void *devicePointer; ///< NULL if no device can reach it
    void *hostPointer;   ///< NULL if the host cannot reach it
    int isManaged;
    unsigned allocationFlags; ///< as given when it was allocated
} hipPointerAttribute_t;

/// Flags of hipHostMalloc() and hipHostAlloc().
#define hipHostAllocDefault        0x0
#define hipHostMallocDefault       0x0
#define hipHostAllocPortable       0x1 ///< page-locked for every device
#define hipHostMallocPortable      0x1
#define hipHostAllocMapped         0x2 ///< reachable from kernels: hipHostGetDevicePointer()
#define hipHostMallocMapped        0x2
#define hipHostAllocWriteCombined  0x4 ///< written fast by the host, read slowly
#define hipHostMallocWriteCombined 0x4
#define hipHostMallocUncached      0x10000000 ///< AMD: not cached by the device
#define hipHostAllocUncached       hipHostMallocUncached
#define hipHostMallocNumaUser      0x20000000 ///< placed by the process's NUMA policy
#define hipExtHostAllocNumaUser    0x20000000
#define hipHostMallocCoherent      0x40000000 ///< kernels see host writes while they run
#define hipExtHostAllocCoherent    0x40000000
#define hipHostMallocNonCoherent   0x80000000
#define hipExtHostAllocNonCoherent 0x80000000

/// Flags of hipHostRegister().
#define hipHostRegisterDefault          0x0
#define hipHostRegisterPortable         0x1
#define hipHostRegisterMapped           0x2
#define hipHostRegisterIoMemory         0x4
#define hipHostRegisterReadOnly         0x08
#define hipExtHostRegisterCoarseGrained 0x8
#define hipExtHostRegisterUncached      0x80000000

/// Flags of managed memory: who may use it until hipStreamAttachMemAsync() says otherwise.
#define hipMemAttachGlobal 0x01 ///< every device
#define hipMemAttachHost   0x02 ///< no device
#define hipMemAttachSingle 0x04 ///< one stream

/// Flags of hipExtMallocWithFlags().
#define hipDeviceMallocDefault     0x0
#define hipDeviceMallocFinegrained 0x1 ///< coherent with the host while kernels run
#define hipMallocSignalMemory      0x2 ///< 8 bytes for hipStreamWaitValue64() and its like
#define hipDeviceMallocUncached    0x3
#define hipDeviceMallocContiguous  0x4

/// Flags of arrays.
#define hipArrayDefault          0x00
#define hipArrayLayered          0x01
#define hipArraySurfaceLoadStore 0x02 ///< may be bound to a surface
#define hipArrayCubemap          0x04
#define hipArrayTextureGather    0x08

/// Flag of hipExternalMemoryHandleDesc.
#define hipExternalMemoryDedicated 0x1

/// Advice on managed memory: see hipMemAdvise().
typedef enum hipMemoryAdvise {
    hipMemAdviseSetReadMostly = 1, ///< read by many: copies may be kept
    hipMemAdviseUnsetReadMostly = 2,
    hipMemAdviseSetPreferredLocation = 3,
    hipMemAdviseUnsetPreferredLocation = 4,
    hipMemAdviseSetAccessedBy = 5, ///< keep it mapped there
    hipMemAdviseUnsetAccessedBy = 6,
    hipMemAdviseSetCoarseGrain = 100, ///< AMD: coherent between kernels only
    hipMemAdviseUnsetCoarseGrain = 101
} hipMemoryAdvise;

/// Values of hipMemRangeAttributeCoherencyMode.
typedef enum hipMemRangeCoherencyMode {
    hipMemRangeCoherencyModeFineGrain = 0,
    hipMemRangeCoherencyModeCoarseGrain = 1,
    hipMemRangeCoherencyModeIndeterminate = 2 ///< the range has both
} hipMemRangeCoherencyMode;

/// Attributes of hipMemRangeGetAttribute(), with the type of each value.
typedef enum hipMemRangeAttribute {
    hipMemRangeAttributeReadMostly = 1,           ///< int
    hipMemRangeAttributePreferredLocation = 2,    ///< int: a device, hipCpuDeviceId, or
                                                  ///< hipInvalidDeviceId
    hipMemRangeAttributeAccessedBy = 3,           ///< int[]: devices, then hipInvalidDeviceId
    hipMemRangeAttributeLastPrefetchLocation = 4, ///< int
    hipMemRangeAttributeCoherencyMode = 100,      ///< hipMemRangeCoherencyMode
} hipMemRangeAttribute;

/// Attributes of a memory pool, with the type of each value.
typedef enum hipMemPoolAttr {
    hipMemPoolReuseFollowEventDependencies = 0x1,   ///< int: reuse what another stream freed if
                                                    ///< an event orders the two
    hipMemPoolReuseAllowOpportunistic = 0x2,        ///< int: reuse what is already free
    hipMemPoolReuseAllowInternalDependencies = 0x3, ///< int: add dependencies to reuse
    hipMemPoolAttrReleaseThreshold = 0x4,           ///< uint64_t: bytes kept when idle
    hipMemPoolAttrReservedMemCurrent = 0x5,         ///< uint64_t: bytes held from the system
    hipMemPoolAttrReservedMemHigh = 0x6,            ///< uint64_t: its maximum; set to 0 to reset
    hipMemPoolAttrUsedMemCurrent = 0x7,             ///< uint64_t: bytes in use
    hipMemPoolAttrUsedMemHigh = 0x8                 ///< uint64_t: its maximum; set to 0 to reset
} hipMemPoolAttr;

/// Rights to memory.
typedef enum hipMemAccessFlags {
    hipMemAccessFlagsProtNone = 0,
    hipMemAccessFlagsProtRead = 1,
    hipMemAccessFlagsProtReadWrite = 3
} hipMemAccessFlags;

/// Rights of one place.
typedef struct hipMemAccessDesc {
    hipMemLocation location;
    hipMemAccessFlags flags;
} hipMemAccessDesc;

/// Kinds of allocation.
typedef enum hipMemAllocationType {
    hipMemAllocationTypeInvalid = 0x0,
    hipMemAllocationTypePinned = 0x1, ///< stays where it is
    hipMemAllocationTypeManaged = 0x2,
    hipMemAllocationTypeUncached = 0x40000000, ///< AMD
    hipMemAllocationTypeMax = 0x7FFFFFFF
} hipMemAllocationType;

/// How an allocation can be given to another process: bits.
typedef enum hipMemAllocationHandleType {
    hipMemHandleTypeNone = 0x0,
    hipMemHandleTypePosixFileDescriptor = 0x1,
    hipMemHandleTypeWin32 = 0x2,
    hipMemHandleTypeWin32Kmt = 0x4,
    hipMemHandleTypeFabric = 0x8 ///< hipMemFabricHandle_t
} hipMemAllocationHandleType;

/// A pool to create: see hipMemPoolCreate().
typedef struct hipMemPoolProps {
    hipMemAllocationType allocType; ///< hipMemAllocationTypePinned
    hipMemAllocationHandleType handleTypes;
    hipMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize; ///< bytes, 0 for no limit
    unsigned char reserved[56];
} hipMemPoolProps;

/// An allocation of a shared pool, sent to another process as bytes.
typedef struct hipMemPoolPtrExportData {
    unsigned char reserved[64];
} hipMemPoolPtrExportData;

/// Physical memory to create: see hipMemCreate().
typedef struct hipMemAllocationProp {
    hipMemAllocationType type;
    union {
        hipMemAllocationHandleType requestedHandleType;
        hipMemAllocationHandleType requestedHandleTypes;
    };
    hipMemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
    } allocFlags;
} hipMemAllocationProp;

/// Which granularity hipMemGetAllocationGranularity() returns.
typedef enum hipMemAllocationGranularity_flags {
    hipMemAllocationGranularityMinimum = 0x0,
    hipMemAllocationGranularityRecommended = 0x1
} hipMemAllocationGranularity_flags;

typedef enum hipMemHandleType { hipMemHandleTypeGeneric = 0x0 } hipMemHandleType;

typedef enum hipMemOperationType {
    hipMemOperationTypeMap = 0x1,
    hipMemOperationTypeUnmap = 0x2
} hipMemOperationType;

typedef enum hipArraySparseSubresourceType {
    hipArraySparseSubresourceTypeSparseLevel = 0x0,
    hipArraySparseSubresourceTypeMiptail = 0x1
} hipArraySparseSubresourceType;

/// A part of a sparse array to map: see hipMemMapArrayAsync().
typedef struct hipArrayMapInfo {
    hipResourceType resourceType;
    union {
        hipMipmappedArray mipmap;
        hipArray_t array;
    } resource;
    hipArraySparseSubresourceType subresourceType;
    union {
        struct {
            unsigned int level;
            unsigned int layer;
            unsigned int offsetX; ///< elements, as the rest
            unsigned int offsetY;
            unsigned int offsetZ;
            unsigned int extentWidth;
            unsigned int extentHeight;
            unsigned int extentDepth;
        } sparseLevel;
        struct {
            unsigned int layer;
            unsigned long long offset; ///< bytes
            unsigned long long size;   ///< bytes
        } miptail;
    } subresource;
    hipMemOperationType memOperationType;
    hipMemHandleType memHandleType;
    union {
        hipMemGenericAllocationHandle_t memHandle;
    } memHandle;
    unsigned long long offset;  ///< into the memory, bytes
    unsigned int deviceBitMask; ///< one bit per device
    unsigned int flags;         ///< 0
    unsigned int reserved[2];   ///< 0
} hipArrayMapInfo;

/// What an array needs, bytes.
typedef struct hipArrayMemoryRequirements {
    size_t alignment;
    size_t size;
} hipArrayMemoryRequirements;

/// Kinds of handle of hipMemGetHandleForAddressRange().
typedef enum hipMemRangeHandleType {
    hipMemRangeHandleTypeDmaBufFd = 0x1, ///< int: a dma-buf file descriptor
    hipMemRangeHandleTypeMax = 0x7fffffff
} hipMemRangeHandleType;

/// Flags of hipMemGetHandleForAddressRange().
typedef enum hipMemRangeFlags {
    hipMemRangeFlagDmaBufMappingTypePcie = 0x1,
    hipMemRangeFlagsMax = 0x7fffffff
} hipMemRangeFlags;

/// Where memory of another API comes from.
typedef enum hipExternalMemoryHandleType_enum {
    hipExternalMemoryHandleTypeOpaqueFd = 1,
    hipExternalMemoryHandleTypeOpaqueWin32 = 2,
    hipExternalMemoryHandleTypeOpaqueWin32Kmt = 3,
    hipExternalMemoryHandleTypeD3D12Heap = 4,
    hipExternalMemoryHandleTypeD3D12Resource = 5,
    hipExternalMemoryHandleTypeD3D11Resource = 6,
    hipExternalMemoryHandleTypeD3D11ResourceKmt = 7,
    hipExternalMemoryHandleTypeNvSciBuf = 8
} hipExternalMemoryHandleType;

/// Memory of another API to import: see hipImportExternalMemory().
typedef struct hipExternalMemoryHandleDesc_st {
    hipExternalMemoryHandleType type;
    union {
        int fd; ///< owned by HIP after a successful import
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciBufObject;
    } handle;
    unsigned long long size; ///< bytes
    unsigned int flags;      ///< 0 or hipExternalMemoryDedicated
    unsigned int reserved[16];
} hipExternalMemoryHandleDesc;

/// A part of imported memory to map as bytes.
typedef struct hipExternalMemoryBufferDesc_st {
    unsigned long long offset; ///< bytes
    unsigned long long size;   ///< bytes
    unsigned int flags;        ///< 0
    unsigned int reserved[16];
} hipExternalMemoryBufferDesc;

/// A part of imported memory to map as a mipmapped array.
typedef struct hipExternalMemoryMipmappedArrayDesc_st {
    unsigned long long offset; ///< bytes
    hipChannelFormatDesc formatDesc;
    hipExtent extent;
    unsigned int flags; ///< hipArray* flags
    unsigned int numLevels;
} hipExternalMemoryMipmappedArrayDesc;

/// Where a semaphore of another API comes from.
typedef enum hipExternalSemaphoreHandleType_enum {
    hipExternalSemaphoreHandleTypeOpaqueFd = 1,
    hipExternalSemaphoreHandleTypeOpaqueWin32 = 2,
    hipExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3,
    hipExternalSemaphoreHandleTypeD3D12Fence = 4,
    hipExternalSemaphoreHandleTypeD3D11Fence = 5,
    hipExternalSemaphoreHandleTypeNvSciSync = 6,
    hipExternalSemaphoreHandleTypeKeyedMutex = 7,
    hipExternalSemaphoreHandleTypeKeyedMutexKmt = 8,
    hipExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9,
    hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10
} hipExternalSemaphoreHandleType;

/// A semaphore to import: see hipImportExternalSemaphore().
typedef struct hipExternalSemaphoreHandleDesc_st {
    hipExternalSemaphoreHandleType type;
    union {
        int fd; ///< owned by HIP after a successful import
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *NvSciSyncObj;
    } handle;
    unsigned int flags;
    unsigned int reserved[16];
} hipExternalSemaphoreHandleDesc;

/// A signal operation on an imported semaphore.
typedef struct hipExternalSemaphoreSignalParams_st {
    struct {
        struct {
            unsigned long long value; ///< fences and timelines: the value to set
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
        unsigned int reserved[12];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
} hipExternalSemaphoreSignalParams;

/// A wait operation on an imported semaphore.
typedef struct hipExternalSemaphoreWaitParams_st {
    struct {
        struct {
            unsigned long long value; ///< fences and timelines: the value to reach
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned int timeoutMs; ///< milliseconds
        } keyedMutex;
        unsigned int reserved[10];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
} hipExternalSemaphoreWaitParams;

/// How HIP will use a registered graphics resource.
typedef enum hipGraphicsRegisterFlags {
    hipGraphicsRegisterFlagsNone = 0,
    hipGraphicsRegisterFlagsReadOnly = 1,
    hipGraphicsRegisterFlagsWriteDiscard = 2,
    hipGraphicsRegisterFlagsSurfaceLoadStore = 4,
    hipGraphicsRegisterFlagsTextureGather = 8
} hipGraphicsRegisterFlags;

#endif
