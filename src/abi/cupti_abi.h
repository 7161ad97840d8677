/* Facts about the binary interface of CUPTI, NVIDIA's library for profilers: types, constants,
 * layouts. No code. Source: the CUPTI reference, versions 11.6 to 13.0; names are NVIDIA's. Records
 * grow from version to version, and keep what is here at its place. */
#ifndef AH_CUPTI_ABI_H
#define AH_CUPTI_ABI_H

#include "cuda_abi.h"

typedef int CUptiResult;
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;

enum {
    CUPTI_SUCCESS = 0,
    CUPTI_ERROR_INVALID_PARAMETER = 1,
    CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
    CUPTI_ERROR_NOT_INITIALIZED = 15,
    CUPTI_ERROR_QUEUE_EMPTY = 18,
    CUPTI_ERROR_INVALID_KIND = 21,
    CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
};

enum {
    CUPTI_ACTIVITY_KIND_MEMCPY = 1,
    CUPTI_ACTIVITY_KIND_MEMSET = 2,
    CUPTI_ACTIVITY_KIND_DRIVER = 4,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
    CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
};

enum { CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3 };
enum { CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1 };
enum { CUPTI_CB_DOMAIN_RESOURCE = 3, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20 };

/* Functions of the driver, as CUPTI numbers them. */
enum {
    CUPTI_DRIVER_TRACE_CBID_cuEventQuery = 120,
    CUPTI_DRIVER_TRACE_CBID_cuStreamQuery = 125,
    CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent = 303,
    CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent = 304,
    CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttribute = 310,
    CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttributes = 450,
    CUPTI_DRIVER_TRACE_CBID_cuStreamGetCtx = 483,
};

/* How each record begins. */
typedef struct {
    int32_t kind;
} CUpti_Activity;

typedef struct {
    int32_t kind;
    int32_t externalKind;
    uint64_t externalId;
    uint32_t correlationId;
    uint32_t reserved;
} CUpti_ActivityExternalCorrelation;

/* The beginning of CUpti_ActivityKernel5 and its successors. */
typedef struct {
    int32_t kind;
    uint8_t reserved[12];
    uint64_t start, end, completed;
    uint32_t deviceId, contextId, streamId;
    int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
    int32_t staticSharedMemory, dynamicSharedMemory;
    uint32_t localMemoryPerThread, localMemoryTotal;
    uint32_t correlationId;
    int64_t gridId;
    const char *name;
    void *reserved0;
    uint64_t queued, submitted;
    uint32_t reserved1, reserved2;
    uint64_t graphNodeId;
} CUpti_ActivityKernel;

/* The beginning of CUpti_ActivityMemcpy3 and its successors. */
typedef struct {
    int32_t kind;
    uint8_t copyKind, srcKind, dstKind, flags;
    uint64_t bytes, start, end;
    uint32_t deviceId, contextId, streamId, correlationId, runtimeCorrelationId, pad;
    void *reserved0;
    uint64_t graphNodeId;
} CUpti_ActivityMemcpy;

/* The beginning of CUpti_ActivityMemcpyPtoP2 and its successors. */
typedef struct {
    int32_t kind;
    uint8_t copyKind, srcKind, dstKind, flags;
    uint64_t bytes, start, end;
    uint32_t deviceId, contextId, streamId;
    uint32_t srcDeviceId, srcContextId, dstDeviceId, dstContextId;
    uint32_t correlationId;
    void *reserved0;
    uint64_t graphNodeId;
} CUpti_ActivityMemcpyPtoP;

/* The beginning of CUpti_ActivityMemset2 and its successors. */
typedef struct {
    int32_t kind;
    uint32_t value;
    uint64_t bytes, start, end;
    uint32_t deviceId, contextId, streamId, correlationId;
    uint16_t flags, memoryKind;
    uint32_t pad;
    void *reserved0;
    uint64_t graphNodeId;
} CUpti_ActivityMemset;

typedef struct {
    CUcontext context;
    union {
        CUstream stream;
    } resourceHandle;
    void *resourceDescriptor;
} CUpti_ResourceData;

/* Of the callbacks about graphs. */
typedef struct {
    CUgraph graph, originalGraph;
    CUgraphNode node, originalNode;
    int32_t nodeType;
    CUgraphNode dependency;
    CUgraphExec graphExec;
} CUpti_GraphData;

typedef void (*CUpti_CallbackFunc)(void *userdata, int32_t domain, uint32_t cbid,
                                   const void *cbdata);
typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size,
                                                 size_t *maxNumRecords);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t streamId,
                                                  uint8_t *buffer, size_t size, size_t validSize);
typedef uint64_t (*CUpti_TimestampCallbackFunc)(void);

#define AH_CUPTI_LAYOUT(type, member, offset)                                                      \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)
AH_CUPTI_LAYOUT(CUpti_ActivityExternalCorrelation, correlationId, 16);
AH_CUPTI_LAYOUT(CUpti_ActivityKernel, start, 16);
AH_CUPTI_LAYOUT(CUpti_ActivityKernel, deviceId, 40);
AH_CUPTI_LAYOUT(CUpti_ActivityKernel, correlationId, 92);
AH_CUPTI_LAYOUT(CUpti_ActivityKernel, graphNodeId, 144);
AH_CUPTI_LAYOUT(CUpti_ActivityMemcpy, correlationId, 44);
AH_CUPTI_LAYOUT(CUpti_ActivityMemcpy, graphNodeId, 64);
AH_CUPTI_LAYOUT(CUpti_ActivityMemcpyPtoP, correlationId, 60);
AH_CUPTI_LAYOUT(CUpti_ActivityMemcpyPtoP, graphNodeId, 72);
AH_CUPTI_LAYOUT(CUpti_ActivityMemset, correlationId, 44);
AH_CUPTI_LAYOUT(CUpti_ActivityMemset, graphNodeId, 64);
AH_CUPTI_LAYOUT(CUpti_GraphData, originalNode, 24);
AH_CUPTI_LAYOUT(CUpti_GraphData, graphExec, 48);
#undef AH_CUPTI_LAYOUT

#endif
