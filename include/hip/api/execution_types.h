// Types of streams, events, launches and execution contexts.
#ifndef HIP_INCLUDE_HIP_API_EXECUTION_TYPES_H
#define HIP_INCLUDE_HIP_API_EXECUTION_TYPES_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>

/// Flags of hipStreamCreateWithFlags().
#define hipStreamDefault     0x00
#define hipStreamNonBlocking 0x01 ///< takes no part in the legacy default stream's ordering

/// Flags of hipEventCreateWithFlags().
#define hipEventDefault            0x0
#define hipEventBlockingSync       0x1        ///< hipEventSynchronize() sleeps
#define hipEventDisableTiming      0x2        ///< no time stamp: cheaper
#define hipEventInterprocess       0x4        ///< for hipIpcGetEventHandle(); needs DisableTiming
#define hipEventDisableSystemFence 0x20000000 ///< AMD: no cache flush; for timing only
#define hipEventReleaseToDevice    0x40000000 ///< AMD: flush for this device only
#define hipEventReleaseToSystem    0x80000000 ///< AMD: flush for the whole system

/// Flags of hipEventRecordWithFlags() and hipStreamWaitEvent().
#define hipEventRecordDefault  0x00
#define hipEventRecordExternal 0x01 ///< in a capture: a node, not an edge
#define hipEventWaitDefault    0x00
#define hipEventWaitExternal   0x01 ///< in a capture: a node, not an edge

/// Flags of hipGetProcAddress(): which names a lookup means. The default follows
/// HIP_API_PER_THREAD_DEFAULT_STREAM.
#define HIP_GET_PROC_ADDRESS_DEFAULT                   0x0
#define HIP_GET_PROC_ADDRESS_LEGACY_STREAM             0x1
#define HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM 0x2

/// Outcome of hipGetProcAddress().
typedef enum hipDriverProcAddressQueryResult {
    HIP_GET_PROC_ADDRESS_SUCCESS = 0,
    HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
    HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} hipDriverProcAddressQueryResult;

/// The same two for hipGetDriverEntryPoint().
#define hipEnableDefault                0x0
#define hipEnableLegacyStream           0x1
#define hipEnablePerThreadDefaultStream 0x2
typedef enum hipDriverEntryPointQueryResult {
    hipDriverEntryPointSuccess = 0,
    hipDriverEntryPointSymbolNotFound = 1,
    hipDriverEntryPointVersionNotSufficent = 2
} hipDriverEntryPointQueryResult;

/// Called when a stream reaches hipStreamAddCallback(); must not call HIP.
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *userData);
/// Called by hipLaunchHostFunc() and host nodes; must not call HIP.
typedef void (*hipHostFn_t)(void *userData);

/// Comparisons of hipStreamWaitValue32() and hipStreamWaitValue64(), on the masked value.
#define hipStreamWaitValueGte 0x0 ///< cyclic: (int)(*ptr - value) >= 0
#define hipStreamWaitValueEq  0x1
#define hipStreamWaitValueAnd 0x2 ///< (*ptr & value) != 0
#define hipStreamWaitValueNor 0x3 ///< ~(*ptr | value) != 0

/// Operations of hipStreamWriteValue32() and hipStreamWriteValue64().
#define hipStreamWriteValueDefault      0x0
#define hipExtStreamWriteValueIncrement 0x1000
#define hipExtStreamWriteValueDecrement 0x1001

/// Operations of hipStreamBatchMemOp().
typedef enum hipStreamBatchMemOpType {
    hipStreamMemOpWaitValue32 = 0x1,
    hipStreamMemOpWriteValue32 = 0x2,
    hipStreamMemOpWaitValue64 = 0x4,
    hipStreamMemOpWriteValue64 = 0x5,
    hipStreamMemOpBarrier = 0x6,
    hipStreamMemOpFlushRemoteWrites = 0x3
} hipStreamBatchMemOpType;

/// One operation of hipStreamBatchMemOp(); `operation` selects the member.
typedef union hipStreamBatchMemOpParams_union {
    hipStreamBatchMemOpType operation;
    struct hipStreamMemOpWaitValueParams_t {
        hipStreamBatchMemOpType operation;
        hipDeviceptr_t address;
        union {
            uint32_t value;
            uint64_t value64;
        };
        unsigned int flags; ///< hipStreamWaitValue*
        hipDeviceptr_t alias;
    } waitValue;
    struct hipStreamMemOpWriteValueParams_t {
        hipStreamBatchMemOpType operation;
        hipDeviceptr_t address;
        union {
            uint32_t value;
            uint64_t value64;
        };
        unsigned int flags; ///< hipStreamWriteValueDefault and its like
        hipDeviceptr_t alias;
    } writeValue;
    struct hipStreamMemOpFlushRemoteWritesParams_t {
        hipStreamBatchMemOpType operation;
        unsigned int flags;
    } flushRemoteWrites;
    struct hipStreamMemOpMemoryBarrierParams_t {
        hipStreamBatchMemOpType operation;
        unsigned int flags;
    } memoryBarrier;
    uint64_t pad[6];
} hipStreamBatchMemOpParams;

/// A graph node of such operations.
typedef struct hipBatchMemOpNodeParams {
    hipCtx_t ctx;
    unsigned int count;
    hipStreamBatchMemOpParams *paramArray;
    unsigned int flags; ///< 0
} hipBatchMemOpNodeParams;

/// The results of hipFuncGetAttributes().
typedef struct hipFuncAttributes {
    int binaryVersion; ///< 10 x major + minor
    int cacheModeCA;
    size_t constSizeBytes; ///< of the kernel's code; AMD: 0 for kernels of modules
    size_t localSizeBytes; ///< private memory of a thread
    int maxDynamicSharedSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int preferredShmemCarveout; ///< percent, or -1 for no preference
    int ptxVersion;             ///< 10 x major + minor
    size_t sharedSizeBytes;     ///< static shared memory of a block
} hipFuncAttributes;

/// Attributes of hipFuncSetAttribute().
typedef enum hipFuncAttribute {
    hipFuncAttributeMaxDynamicSharedMemorySize = 8,    ///< bytes a launch may ask for
    hipFuncAttributePreferredSharedMemoryCarveout = 9, ///< percent
    hipFuncAttributeMax = 10,                          ///< end of the list as of HIP 7.0
    hipFuncAttributeClusterDimMustBeSet = 10,          ///< from here on: HIP 7.14
    hipFuncAttributeRequiredClusterWidth = 11,         ///< blocks
    hipFuncAttributeRequiredClusterHeight = 12,
    hipFuncAttributeRequiredClusterDepth = 13,
    hipFuncAttributeNonPortableClusterSizeAllowed = 14,
    hipFuncAttributeClusterSchedulingPolicyPreference = 15,
} hipFuncAttribute;

/// Flags of the occupancy functions.
#define hipOccupancyDefault                0x00
#define hipOccupancyDisableCachingOverride 0x01

/// Flags of hipLaunchCooperativeKernelMultiDevice(): do not wait for, or hold back, other work
/// of the streams.
#define hipCooperativeLaunchMultiDeviceNoPreSync  0x01
#define hipCooperativeLaunchMultiDeviceNoPostSync 0x02

/// Flag of the hipExt*Launch* functions: the kernel may start before earlier work is done.
#define hipExtAnyOrderLaunch 0x01

/// One launch of a multi-device launch; the kernel by its host address.
typedef struct hipLaunchParams_t {
    void *func;
    dim3 gridDim;  ///< blocks
    dim3 blockDim; ///< threads
    void **args;
    size_t sharedMem; ///< dynamic, bytes
    hipStream_t stream;
} hipLaunchParams;

/// The same with a kernel of a module.
typedef struct hipFunctionLaunchParams_t {
    hipFunction_t function;
    unsigned int gridDimX; ///< blocks
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX; ///< threads
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes; ///< dynamic
    hipStream_t hStream;
    void **kernelParams;
} hipFunctionLaunchParams;

/// How likely lines of a window stay in the L2 cache.
typedef enum hipAccessProperty {
    hipAccessPropertyNormal = 0,
    hipAccessPropertyStreaming = 1,
    hipAccessPropertyPersisting = 2,
} hipAccessProperty;

/// A window of memory with a cache policy.
typedef struct hipAccessPolicyWindow {
    void *base_ptr;
    hipAccessProperty hitProp;  ///< of the lines chosen
    float hitRatio;             ///< share of the lines chosen, 0 to 1
    hipAccessProperty missProp; ///< of the others
    size_t num_bytes;
} hipAccessPolicyWindow;

/// Domains which a fence need not cross.
typedef struct hipLaunchMemSyncDomainMap {
    unsigned char default_;
    unsigned char remote;
} hipLaunchMemSyncDomainMap;
typedef enum hipLaunchMemSyncDomain {
    hipLaunchMemSyncDomainDefault = 0,
    hipLaunchMemSyncDomainRemote = 1
} hipLaunchMemSyncDomain;

/// How a host thread waits for a stream.
typedef enum hipSynchronizationPolicy {
    hipSyncPolicyAuto = 1,
    hipSyncPolicySpin = 2,        ///< poll
    hipSyncPolicyYield = 3,       ///< poll and yield the processor
    hipSyncPolicyBlockingSync = 4 ///< sleep
} hipSynchronizationPolicy;

/// How blocks of a cluster are spread: a hint.
typedef enum hipClusterSchedulingPolicy {
    hipClusterSchedulingPolicyDefault = 0,
    hipClusterSchedulingPolicySpread = 1,
    hipClusterSchedulingPolicyLoadBalancing = 2
} hipClusterSchedulingPolicy;

/// Attributes of launches, streams and kernel nodes.
typedef enum hipLaunchAttributeID {
    hipLaunchAttributeIgnore = 0,
    hipLaunchAttributeAccessPolicyWindow = 1,
    hipLaunchAttributeCooperative = 2,
    hipLaunchAttributeSynchronizationPolicy = 3, ///< streams
    hipLaunchAttributeClusterDimension = 4,
    hipLaunchAttributeClusterSchedulingPolicyPreference = 5,
    hipLaunchAttributePriority = 8,
    hipLaunchAttributeMax = 9, ///< end of the list as of HIP 7.0
    hipLaunchAttributeMemSyncDomainMap = 9,
    hipLaunchAttributeMemSyncDomain = 10,
} hipLaunchAttributeID;

/// Value of such an attribute: 64 bytes since HIP 7, 32 before.
typedef union hipLaunchAttributeValue {
    char pad[64];
    hipAccessPolicyWindow accessPolicyWindow;
    int cooperative; ///< 1 or 0
    int priority;    ///< as of hipStreamCreateWithPriority()
    hipSynchronizationPolicy syncPolicy;
    hipLaunchMemSyncDomainMap memSyncDomainMap;
    hipLaunchMemSyncDomain memSyncDomain;
    struct {
        unsigned int x; ///< blocks
        unsigned int y;
        unsigned int z;
    } clusterDim;
    hipClusterSchedulingPolicy clusterSchedulingPolicyPreference;
} hipLaunchAttributeValue;

// The same types and values under their names for streams, kernel nodes and the driver API.
#define hipStreamAttrID                          hipLaunchAttributeID
#define hipStreamAttrValue                       hipLaunchAttributeValue
#define hipStreamAttributeAccessPolicyWindow     hipLaunchAttributeAccessPolicyWindow
#define hipStreamAttributeSynchronizationPolicy  hipLaunchAttributeSynchronizationPolicy
#define hipStreamAttributeMemSyncDomainMap       hipLaunchAttributeMemSyncDomainMap
#define hipStreamAttributeMemSyncDomain          hipLaunchAttributeMemSyncDomain
#define hipStreamAttributePriority               hipLaunchAttributePriority
#define hipKernelNodeAttrID                      hipLaunchAttributeID
#define hipKernelNodeAttrValue                   hipLaunchAttributeValue
#define hipKernelNodeAttributeAccessPolicyWindow hipLaunchAttributeAccessPolicyWindow
#define hipKernelNodeAttributeCooperative        hipLaunchAttributeCooperative
#define hipKernelNodeAttributePriority           hipLaunchAttributePriority
#define hipDrvLaunchAttributeID                  hipLaunchAttributeID
#define hipDrvLaunchAttributeValue               hipLaunchAttributeValue
#define hipDrvLaunchAttribute                    hipLaunchAttribute
#define hipDrvLaunchAttributeCooperative         hipLaunchAttributeCooperative

/// One attribute of a launch.
typedef struct hipLaunchAttribute_st {
    hipLaunchAttributeID id;
    char pad[8 - sizeof(hipLaunchAttributeID)];
    union {
        hipLaunchAttributeValue val;
        hipLaunchAttributeValue value;
    };
} hipLaunchAttribute;

/// A launch with attributes: see hipLaunchKernelExC().
typedef struct hipLaunchConfig_st {
    dim3 gridDim;            ///< blocks
    dim3 blockDim;           ///< threads
    size_t dynamicSmemBytes; ///< dynamic shared memory of a block
    hipStream_t stream;
    hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} hipLaunchConfig_t;

/// The same for the driver API: see hipDrvLaunchKernelEx().
typedef struct HIP_LAUNCH_CONFIG_st {
    unsigned int gridDimX; ///< blocks
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX; ///< threads
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes;
    hipStream_t hStream;
    hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} HIP_LAUNCH_CONFIG;

/// Parts of a device an execution context can be given (HIP 7.14).
typedef enum hipDevResourceType {
    hipDevResourceTypeInvalid = 0,
    hipDevResourceTypeSm = 1, ///< multiprocessors
    hipDevResourceTypeWorkqueueConfig = 1000,
    hipDevResourceTypeWorkqueue = 10000,
} hipDevResourceType;
typedef enum hipDevSmResourceGroup_flags {
    hipDevSmResourceGroupDefault = 0,
    hipDevSmResourceGroupBackfill = 0x1,
} hipDevSmResourceGroup_flags;
typedef enum hipDevSmResourceSplitByCount_flags {
    hipDevSmResourceSplitIgnoreSmCoscheduling = 0x1,
    hipDevSmResourceSplitMaxPotentialClusterSize = 0x2,
} hipDevSmResourceSplitByCount_flags;
typedef enum hipDevWorkqueueConfigScope {
    hipDevWorkqueueConfigScopeDeviceCtx = 0,
    hipDevWorkqueueConfigScopeGreenCtxBalanced = 1,
} hipDevWorkqueueConfigScope;

#define HIP_RESOURCE_ABI_BYTES 40

typedef struct hipDevSmResource {
    unsigned int smCount; ///< multiprocessors
    unsigned int minSmPartitionSize;
    unsigned int smCoscheduledAlignment;
    unsigned int flags; ///< hipDevSmResourceGroup_flags
} hipDevSmResource;
typedef struct hipDevWorkqueueConfigResource {
    int device;
    unsigned int wqConcurrencyLimit;
    hipDevWorkqueueConfigScope sharingScope;
} hipDevWorkqueueConfigResource;
typedef struct hipDevWorkqueueResource {
    unsigned char reserved[HIP_RESOURCE_ABI_BYTES];
} hipDevWorkqueueResource;

/// A part of a device; `type` selects the member.
typedef struct hipDevResource_st {
    hipDevResourceType type;
    unsigned char _internal_padding[92];
    union {
        hipDevSmResource sm;
        hipDevWorkqueueConfigResource wqConfig;
        hipDevWorkqueueResource wq;
        unsigned char _oversize[HIP_RESOURCE_ABI_BYTES];
    };
    struct hipDevResource_st *nextResource;
} hipDevResource;

/// One group of hipDevSmResourceSplit().
typedef struct hipDevSmResourceGroupParams_st {
    unsigned int smCount;
    unsigned int coscheduledSmCount;
    unsigned int preferredCoscheduledSmCount;
    unsigned int flags; ///< hipDevSmResourceGroup_flags
    unsigned int reserved[12];
} hipDevSmResourceGroupParams;

#endif
