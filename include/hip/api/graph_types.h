// Types of graphs and stream capture.
#ifndef HIP_INCLUDE_HIP_API_GRAPH_TYPES_H
#define HIP_INCLUDE_HIP_API_GRAPH_TYPES_H

#include <hip/api/basics.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

/// Kinds of node. HIP 5 numbered them from 1.
typedef enum hipGraphNodeType {
    hipGraphNodeTypeKernel = 0,
    hipGraphNodeTypeMemcpy = 1,
    hipGraphNodeTypeMemset = 2,
    hipGraphNodeTypeHost = 3,
    hipGraphNodeTypeGraph = 4, ///< a child graph
    hipGraphNodeTypeEmpty = 5,
    hipGraphNodeTypeWaitEvent = 6,
    hipGraphNodeTypeEventRecord = 7,
    hipGraphNodeTypeExtSemaphoreSignal = 8,
    hipGraphNodeTypeExtSemaphoreWait = 9,
    hipGraphNodeTypeMemAlloc = 10,
    hipGraphNodeTypeMemFree = 11,
    hipGraphNodeTypeMemcpyFromSymbol = 12,
    hipGraphNodeTypeMemcpyToSymbol = 13,
    hipGraphNodeTypeBatchMemOp = 14,
    hipGraphNodeTypeCount
} hipGraphNodeType;

typedef struct hipHostNodeParams {
    hipHostFn_t fn;
    void *userData;
} hipHostNodeParams;

/// A kernel node. The order of the fields is not CUDA's.
typedef struct hipKernelNodeParams {
    dim3 blockDim; ///< threads
    void **extra;  ///< HIP_LAUNCH_PARAM_* array, or NULL
    void *func;    ///< host address of the kernel
    dim3 gridDim;  ///< blocks
    void **kernelParams;
    unsigned int sharedMemBytes; ///< dynamic
} hipKernelNodeParams;

/// A memset node. The order of the fields is not CUDA's.
typedef struct hipMemsetParams {
    void *dst;
    unsigned int elementSize; ///< 1, 2 or 4 bytes
    size_t height;            ///< rows
    size_t pitch;             ///< bytes from row to row; unused for one row
    unsigned int value;
    size_t width; ///< elements of a row
} hipMemsetParams;

typedef struct hipMemAllocNodeParams {
    hipMemPoolProps poolProps;
    const hipMemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr; ///< [out] the address the allocation will have
} hipMemAllocNodeParams;

typedef struct hipExternalSemaphoreSignalNodeParams {
    hipExternalSemaphore_t *extSemArray;
    const hipExternalSemaphoreSignalParams *paramsArray;
    unsigned int numExtSems; ///< length of both
} hipExternalSemaphoreSignalNodeParams;
typedef struct hipExternalSemaphoreWaitNodeParams {
    hipExternalSemaphore_t *extSemArray;
    const hipExternalSemaphoreWaitParams *paramsArray;
    unsigned int numExtSems; ///< length of both
} hipExternalSemaphoreWaitNodeParams;

typedef struct hipMemcpyNodeParams {
    int flags;       ///< 0
    int reserved[3]; ///< 0
    hipMemcpy3DParms copyParams;
} hipMemcpyNodeParams;
typedef struct hipChildGraphNodeParams {
    hipGraph_t graph;
} hipChildGraphNodeParams;
typedef struct hipEventWaitNodeParams {
    hipEvent_t event;
} hipEventWaitNodeParams;
typedef struct hipEventRecordNodeParams {
    hipEvent_t event;
} hipEventRecordNodeParams;
typedef struct hipMemFreeNodeParams {
    void *dptr;
} hipMemFreeNodeParams;

/// A node of any kind; `type` selects the member.
typedef struct hipGraphNodeParams {
    hipGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        hipKernelNodeParams kernel;
        hipMemcpyNodeParams memcpy;
        hipMemsetParams memset;
        hipHostNodeParams host;
        hipChildGraphNodeParams graph;
        hipEventWaitNodeParams eventWait;
        hipEventRecordNodeParams eventRecord;
        hipExternalSemaphoreSignalNodeParams extSemSignal;
        hipExternalSemaphoreWaitNodeParams extSemWait;
        hipMemAllocNodeParams alloc;
        hipMemFreeNodeParams free;
    };
    long long reserved2;
} hipGraphNodeParams;

/// Ports of a kernel node: when a dependency on it is met.
#define hipGraphKernelNodePortDefault          0 ///< the kernel has finished
#define hipGraphKernelNodePortProgrammatic     1 ///< every block has said so or finished
#define hipGraphKernelNodePortLaunchCompletion 2 ///< every block has started

typedef enum hipGraphDependencyType {
    hipGraphDependencyTypeDefault = 0,
    hipGraphDependencyTypeProgrammatic = 1
} hipGraphDependencyType;

/// Data of an edge.
typedef struct hipGraphEdgeData {
    unsigned char from_port;
    unsigned char reserved[5]; ///< 0
    unsigned char to_port;     ///< 0
    unsigned char type;        ///< hipGraphDependencyType
} hipGraphEdgeData;

/// Outcome of hipGraphExecUpdate().
typedef enum hipGraphExecUpdateResult {
    hipGraphExecUpdateSuccess = 0x0,
    hipGraphExecUpdateError = 0x1, ///< see the function's result
    hipGraphExecUpdateErrorTopologyChanged = 0x2,
    hipGraphExecUpdateErrorNodeTypeChanged = 0x3,
    hipGraphExecUpdateErrorFunctionChanged = 0x4,
    hipGraphExecUpdateErrorParametersChanged = 0x5,
    hipGraphExecUpdateErrorNotSupported = 0x6,
    hipGraphExecUpdateErrorUnsupportedFunctionChange = 0x7
} hipGraphExecUpdateResult;

/// Which unsafe calls are refused while a capture runs.
typedef enum hipStreamCaptureMode {
    hipStreamCaptureModeGlobal = 0,  ///< of every thread
    hipStreamCaptureModeThreadLocal, ///< of the capturing thread
    hipStreamCaptureModeRelaxed      ///< none
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
    hipStreamCaptureStatusNone = 0,
    hipStreamCaptureStatusActive,
    hipStreamCaptureStatusInvalidated ///< broken, but not yet ended
} hipStreamCaptureStatus;

/// Flags of hipStreamUpdateCaptureDependencies().
typedef enum hipStreamUpdateCaptureDependenciesFlags {
    hipStreamAddCaptureDependencies = 0,
    hipStreamSetCaptureDependencies,
} hipStreamUpdateCaptureDependenciesFlags;

/// Memory of a device's graphs: uint64_t each, bytes. The High ones may be set to 0.
typedef enum hipGraphMemAttributeType {
    hipGraphMemAttrUsedMemCurrent = 0,
    hipGraphMemAttrUsedMemHigh,
    hipGraphMemAttrReservedMemCurrent,
    hipGraphMemAttrReservedMemHigh,
} hipGraphMemAttributeType;

/// Flag of hipUserObjectCreate(): required.
typedef enum hipUserObjectFlags {
    hipUserObjectNoDestructorSync = 0x1,
} hipUserObjectFlags;

/// Flag of hipGraphRetainUserObject(): the caller's references become the graph's.
typedef enum hipUserObjectRetainFlags {
    hipGraphUserObjectMove = 0x1,
} hipUserObjectRetainFlags;

/// Flags of hipGraphInstantiateWithFlags().
typedef enum hipGraphInstantiateFlags {
    hipGraphInstantiateFlagAutoFreeOnLaunch = 1, ///< free what the last launch left allocated
    hipGraphInstantiateFlagUpload = 2,           ///< hipGraphInstantiateWithParams() only
    hipGraphInstantiateFlagDeviceLaunch = 4,
    hipGraphInstantiateFlagUseNodePriority = 8,
} hipGraphInstantiateFlags;

/// Flags of hipGraphDebugDotPrint(): what is printed of each node.
typedef enum hipGraphDebugDotFlags {
    hipGraphDebugDotFlagsVerbose = 1 << 0, ///< everything
    hipGraphDebugDotFlagsKernelNodeParams = 1 << 2,
    hipGraphDebugDotFlagsMemcpyNodeParams = 1 << 3,
    hipGraphDebugDotFlagsMemsetNodeParams = 1 << 4,
    hipGraphDebugDotFlagsHostNodeParams = 1 << 5,
    hipGraphDebugDotFlagsEventNodeParams = 1 << 6,
    hipGraphDebugDotFlagsExtSemasSignalNodeParams = 1 << 7,
    hipGraphDebugDotFlagsExtSemasWaitNodeParams = 1 << 8,
    hipGraphDebugDotFlagsKernelNodeAttributes = 1 << 9,
    hipGraphDebugDotFlagsHandles = 1 << 10
} hipGraphDebugDotFlags;

/// Outcome of hipGraphInstantiateWithParams().
typedef enum hipGraphInstantiateResult {
    hipGraphInstantiateSuccess = 0,
    hipGraphInstantiateError = 1, ///< see the function's result
    hipGraphInstantiateInvalidStructure = 2,
    hipGraphInstantiateNodeOperationNotSupported = 3,
    hipGraphInstantiateMultipleDevicesNotSupported = 4,
} hipGraphInstantiateResult;

typedef struct hipGraphInstantiateParams {
    hipGraphNode_t errNode_out; ///< [out] the node to blame, or NULL
    unsigned long long flags;   ///< hipGraphInstantiateFlags
    hipGraphInstantiateResult result_out;
    hipStream_t uploadStream; ///< where an upload goes
} hipGraphInstantiateParams;

#endif
