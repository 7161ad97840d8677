// What every part of the host API builds on: helper macros, opaque handles, dim3.
#ifndef HIP_INCLUDE_HIP_API_BASICS_H
#define HIP_INCLUDE_HIP_API_BASICS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <hip/hip_version.h>
#include <hip/hip_common.h>
#include <hip/device/qualifiers.h>
#include <hip/linker_types.h>
#include <hip/driver_types.h>
#include <hip/texture_types.h>
#include <hip/surface_types.h>

#ifndef GENERIC_GRID_LAUNCH
#define GENERIC_GRID_LAUNCH 1 // tested by programs that still know another way to launch
#endif

#if defined(HIP_ABI_IMPL) // the implementation itself may use what is deprecated
#define HIP_DEPRECATED(msg)
#else
#define HIP_DEPRECATED(msg) __attribute__((deprecated(msg)))
#endif
#define HIP_DEPRECATED_MSG "deprecated by HIP; it may be absent from a later version"

/// A default argument where the language has them.
#ifdef __cplusplus
#define __dparm(x) = x
#else
#define __dparm(x)
#endif

/// Keys of the `extra` array of hipModuleLaunchKernel() and hipGraphAddKernelNode().
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)
#define HIP_LAUNCH_PARAM_END            ((void *)0x03)

/// Device variables are named as they are: hipMemcpyToSymbol(HIP_SYMBOL(var), ...).
#ifndef HIP_SYMBOL
#define HIP_SYMBOL(X) X
#endif

/// A device of the driver API is its ordinal.
typedef int hipDevice_t;

// Opaque handles. Each is created and destroyed by functions of its own group.
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipLinkState_t *hipLinkState_t;
typedef struct ihipLibrary_t *hipLibrary_t;
typedef struct ihipKernel_t *hipKernel_t;
typedef struct ihipMemPoolHandle_t *hipMemPool_t;
typedef struct ihipMemGenericAllocationHandle *hipMemGenericAllocationHandle_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct hipUserObject *hipUserObject_t;
typedef struct ihipExecutionCtx_t *hipExecutionCtx_t;
typedef struct ihipDevResourceDesc_t *hipDevResourceDesc_t;
typedef void *hipExternalMemory_t;
typedef void *hipExternalSemaphore_t;
typedef struct _hipGraphicsResource hipGraphicsResource;
typedef hipGraphicsResource *hipGraphicsResource_t;

/// The legacy default stream, which orders itself with every blocking stream of its device
/// (a NULL stream means the same unless per-thread default streams are compiled in), and the
/// default stream of the calling thread.
#define hipStreamLegacy    ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)

/// A size of a grid or block. Passed by value: 12 bytes.
typedef struct dim3 {
    uint32_t x;
    uint32_t y;
    uint32_t z;
#ifdef __cplusplus
    constexpr __host__ __device__ dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
#endif
} dim3;

#endif
