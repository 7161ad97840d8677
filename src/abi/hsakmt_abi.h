/* The ABI of libhsakmt.so.1, the library through which AMD's HSA runtime reaches the kernel
 * driver: types, constants and functions, as far as that runtime uses them.
 *
 * Source: hsakmt.h and hsakmttypes.h of Debian's libhsakmt-dev 5.2.3. All structures are packed
 * to 4 bytes. Names are AMD's, and so are the names of fields. */
#ifndef HSAKMT_ABI_H
#define HSAKMT_ABI_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t HSA_QUEUEID;

typedef enum {
    HSAKMT_STATUS_SUCCESS = 0,
    HSAKMT_STATUS_ERROR = 1,
    HSAKMT_STATUS_DRIVER_MISMATCH = 2,
    HSAKMT_STATUS_INVALID_PARAMETER = 3,
    HSAKMT_STATUS_INVALID_HANDLE = 4,
    HSAKMT_STATUS_INVALID_NODE_UNIT = 5,
    HSAKMT_STATUS_NO_MEMORY = 6,
    HSAKMT_STATUS_BUFFER_TOO_SMALL = 7,
    HSAKMT_STATUS_NOT_IMPLEMENTED = 10,
    HSAKMT_STATUS_NOT_SUPPORTED = 11,
    HSAKMT_STATUS_UNAVAILABLE = 12,
    HSAKMT_STATUS_OUT_OF_RESOURCES = 13,
    HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED = 20,
    HSAKMT_STATUS_KERNEL_COMMUNICATION_ERROR = 21,
    HSAKMT_STATUS_KERNEL_ALREADY_OPENED = 22,
    HSAKMT_STATUS_HSAMMU_UNAVAILABLE = 23,
    HSAKMT_STATUS_WAIT_FAILURE = 30,
    HSAKMT_STATUS_WAIT_TIMEOUT = 31,
    HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED = 35,
    HSAKMT_STATUS_MEMORY_NOT_REGISTERED = 36,
    HSAKMT_STATUS_MEMORY_ALIGNMENT = 37,
} HSAKMT_STATUS;

#pragma pack(push, 4)

/* ---- topology -------------------------------------------------------------------------- */

typedef struct {
    uint32_t KernelInterfaceMajorVersion, KernelInterfaceMinorVersion;
} HsaVersionInfo;

typedef struct {
    uint32_t NumNodes, PlatformOem, PlatformId, PlatformRev;
} HsaSystemProperties;

/* Bits of HsaNodeProperties.Capability. */
enum {
    HSA_CAP_QUEUE_SIZE_POWER_OF_TWO = 1u << 3,
    HSA_CAP_WATCH_POINTS = 1u << 7,
    HSA_CAP_WATCH_POINTS_SHIFT = 8, /* the logarithm of their number */
    HSA_CAP_DOORBELL_TYPE_SHIFT = 12,
    HSA_CAP_DOORBELL_64_BIT = 2, /* a doorbell type: the number of an AQL packet */
    HSA_CAP_SRAM_EDC = 1u << 26,
    HSA_CAP_SVM_API = 1u << 27,
};

enum { HSA_PUBLIC_NAME_SIZE = 64 };

typedef struct {
    uint32_t NumCPUCores, NumFComputeCores, NumMemoryBanks, NumCaches, NumIOLinks;
    uint32_t CComputeIdLo, FComputeIdLo;
    uint32_t Capability;
    uint32_t MaxWavesPerSIMD, LDSSizeInKB, GDSSizeInKB, WaveFrontSize;
    uint32_t NumShaderBanks, NumArrays, NumCUPerArray, NumSIMDPerCU, MaxSlotsScratchCU;
    uint32_t EngineId; /* ucode 10 bits, major 6, minor 8, stepping 8 */
    uint16_t VendorId, DeviceId;
    uint32_t LocationId;
    uint64_t LocalMemSize;
    uint32_t MaxEngineClockMhzFCompute, MaxEngineClockMhzCCompute;
    int32_t DrmRenderMinor;
    uint16_t MarketingName[HSA_PUBLIC_NAME_SIZE];
    uint8_t AMDName[HSA_PUBLIC_NAME_SIZE];
    uint32_t uCodeEngineVersions;
    uint64_t DebugProperties;
    uint64_t HiveID;
    uint32_t NumSdmaEngines, NumSdmaXgmiEngines;
    uint8_t NumSdmaQueuesPerEngine, NumCpQueues, NumGws, Reserved2;
    uint32_t Domain;
    uint64_t UniqueID;
    uint32_t VGPRSizePerCU, SGPRSizePerCU;
    uint8_t Reserved[12];
} HsaNodeProperties;

enum {
    HSA_HEAPTYPE_SYSTEM = 0,
    HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC = 1,
    HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE = 2, /* the host cannot reach it */
    HSA_HEAPTYPE_GPU_GDS = 3,
    HSA_HEAPTYPE_GPU_LDS = 4,
    HSA_HEAPTYPE_GPU_SCRATCH = 5,
};

typedef struct {
    uint32_t HeapType;
    uint64_t SizeInBytes;
    uint32_t Flags, Width, MemoryClockMax;
    uint64_t VirtualBaseAddress;
} HsaMemoryProperties;

enum { /* HsaCacheProperties.CacheType */
       HSA_CACHE_DATA = 1,
       HSA_CACHE_INSTRUCTION = 2,
       HSA_CACHE_CPU = 4,
       HSA_CACHE_GPU = 8,
};
enum { HSA_CPU_SIBLINGS = 256 };

typedef struct {
    uint32_t ProcessorIdLow, CacheLevel, CacheSize, CacheLineSize, CacheLinesPerTag;
    uint32_t CacheAssociativity, CacheLatency, CacheType;
    uint32_t SiblingMap[HSA_CPU_SIBLINGS];
} HsaCacheProperties;

enum { HSA_IOLINKTYPE_PCIEXPRESS = 2, HSA_IOLINK_TYPE_XGMI = 11 };

typedef struct {
    uint32_t IoLinkType, VersionMajor, VersionMinor, NodeFrom, NodeTo, Weight;
    uint32_t MinimumLatency, MaximumLatency, MinimumBandwidth, MaximumBandwidth;
    uint32_t RecTransferSize, Flags;
} HsaIoLinkProperties;

typedef struct {
    uint32_t *TileConfig, *MacroTileConfig;
    uint32_t NumTileConfigs, NumMacroTileConfigs, GbAddrConfig, NumBanks, NumRanks;
    uint32_t Reserved[7];
} HsaGpuTileConfig;

typedef struct {
    uint64_t GPUClockCounter, CPUClockCounter, SystemClockCounter, SystemClockFrequencyHz;
} HsaClockCounters;

/* ---- memory ---------------------------------------------------------------------------- */

typedef struct {
    union {
        struct {
            uint32_t NonPaged : 1, CachePolicy : 2, ReadOnly : 1, PageSize : 2, HostAccess : 1,
                NoSubstitute : 1, GDSMemory : 1, Scratch : 1, AtomicAccessFull : 1,
                AtomicAccessPartial : 1, ExecuteAccess : 1, CoarseGrain : 1, AQLQueueMemory : 1,
                FixedAddress : 1, NoNUMABind : 1, Uncached : 1, NoAddress : 1, OnlyAddress : 1,
                ExtendedCoherent : 1, GTTAccess : 1, /* from NoAddress on: of later runtimes */
                Reserved : 10;
        } ui32;
        uint32_t Value;
    };
} HsaMemFlags;

typedef struct {
    uint32_t Value;
} HsaMemMapFlags;

typedef enum {
    HSA_POINTER_UNKNOWN = 0,
    HSA_POINTER_ALLOCATED = 1,
    HSA_POINTER_REGISTERED_USER = 2,
    HSA_POINTER_REGISTERED_GRAPHICS = 3,
    HSA_POINTER_REGISTERED_SHARED = 4,
    HSA_POINTER_RESERVED_ADDR = 5, /* ROCm 6 and later */
} HSA_POINTER_TYPE;

typedef struct {
    HSA_POINTER_TYPE Type;
    uint32_t Node;
    HsaMemFlags MemFlags;
    void *CPUAddress;
    uint64_t GPUAddress, SizeInBytes;
    uint32_t NRegisteredNodes, NMappedNodes;
    const uint32_t *RegisteredNodes, *MappedNodes;
    void *UserData;
} HsaPointerInfo;

typedef uint32_t HsaSharedMemoryHandle[8];

typedef struct {
    void *MemoryAddress;
    uint64_t SizeInBytes;
    const void *Metadata;
    uint32_t MetadataSizeInBytes, NodeId; /* NodeId: reserved before ROCm 6 */
} HsaGraphicsResourceInfo;

enum {
    HSA_SVM_ATTR_PREFERRED_LOC,
    HSA_SVM_ATTR_PREFETCH_LOC,
    HSA_SVM_ATTR_ACCESS,
    HSA_SVM_ATTR_ACCESS_IN_PLACE,
    HSA_SVM_ATTR_NO_ACCESS,
    HSA_SVM_ATTR_SET_FLAGS,
    HSA_SVM_ATTR_CLR_FLAGS,
    HSA_SVM_ATTR_GRANULARITY,
};
enum { /* of HSA_SVM_ATTR_SET_FLAGS and HSA_SVM_ATTR_CLR_FLAGS */
       HSA_SVM_FLAG_HOST_ACCESS = 1,
       HSA_SVM_FLAG_COHERENT = 2,
};
enum { HSA_INVALID_NODE = 0xffffffff }; /* of a location: none */
typedef struct {
    uint32_t type, value;
} HSA_SVM_ATTRIBUTE;

/* ---- events ---------------------------------------------------------------------------- */

enum { HSA_EVENTTYPE_SIGNAL = 0, HSA_EVENTTYPE_MEMORY = 8, HSA_EVENTTYPE_MAXID };
enum { HSA_EVENTTIMEOUT_INFINITE = 0xFFFFFFFF }; /* milliseconds */

typedef struct {
    uint64_t UserData, SyncVarSize;
} HsaSyncVar;

/* Bits of HsaMemoryAccessFault.Failure. */
enum { HSA_FAULT_NOT_PRESENT = 1, HSA_FAULT_READ_ONLY = 2 };
enum { HSA_EVENTID_MEMORY_FATAL_PROCESS = 1 };

typedef struct {
    uint32_t NodeId;
    uint64_t VirtualAddress;
    uint32_t Failure, Flags;
} HsaMemoryAccessFault;

typedef struct {
    uint32_t EventType;
    union {
        HsaSyncVar SyncVar;
        HsaMemoryAccessFault MemoryAccessFault;
    } EventData;
    uint64_t HWData1, HWData2; /* HWData2: the address of the event's mailbox */
    uint32_t HWData3;
} HsaEventData;

typedef struct {
    uint32_t EventType, NodeId;
    HsaSyncVar SyncVar;
} HsaEventDescriptor;

typedef struct {
    uint32_t EventId;
    HsaEventData EventData;
} HsaEvent;

/* ---- queues ---------------------------------------------------------------------------- */

enum {
    HSA_QUEUE_COMPUTE = 1,
    HSA_QUEUE_SDMA = 2,
    HSA_QUEUE_SDMA_XGMI = 5,
    HSA_QUEUE_COMPUTE_AQL = 21,
};
enum { HSA_QUEUE_PRIORITY_MINIMUM = -3, HSA_QUEUE_PRIORITY_MAXIMUM = 3 };

typedef struct {
    HSA_QUEUEID QueueId;
    uint64_t QueueDoorBell; /* the doorbell's address */
    uint64_t
        QueueWptrValue; /* the addresses of both indices: given by the caller for AQL queues, */
    uint64_t QueueRptrValue; /* and to the caller for others */
    volatile int64_t *ErrorReason;
} HsaQueueResource;

#pragma pack(pop)

/* Reasons of queues that fail, bits of *ErrorReason: 1 << (code - 1). */
enum {
    KFD_EC_QUEUE_WAVE_ABORT = 1,
    KFD_EC_QUEUE_WAVE_TRAP = 2,
    KFD_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION = 4,
    KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION = 5,
    KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION = 6,
    KFD_EC_QUEUE_PACKET_DISPATCH_DIM_INVALID = 16,
    KFD_EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID = 17,
    KFD_EC_QUEUE_PACKET_DISPATCH_CODE_INVALID = 18,
    KFD_EC_QUEUE_PACKET_UNSUPPORTED = 20,
    KFD_EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID = 21,
};

#define HSAKMT_FUNCTION(name, parameters) HSAKMT_STATUS name parameters;
#include "hsakmt_functions.def"
#undef HSAKMT_FUNCTION

#endif
