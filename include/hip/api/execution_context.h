// Execution contexts: a part of a device's multiprocessors with streams of its own (HIP 7.14).
// A resource is queried, split, turned into a description, and made a context of.
#ifndef HIP_INCLUDE_HIP_API_EXECUTION_CONTEXT_H
#define HIP_INCLUDE_HIP_API_EXECUTION_CONTEXT_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// What can be given to contexts.
/// @param [in] device, ctx, hStream  whose (hStream NULL: the legacy default stream)
/// @param [out] resource  the resource
/// @param [in] type  which kind
/// Returns: hipErrorInvalidValue: resource is NULL or ctx is invalid; hipErrorInvalidDevice: no such
/// device; hipErrorInvalidHandle: not a stream; hipErrorInvalidResourceType: type is not
/// hipDevResourceTypeSm; hipErrorNotSupported: the driver has no parts of devices (NVIDIA: before
/// 12.5).
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; cuDeviceGetDevResource, cuCtxGetDevResource,
/// cuStreamGetDevResource.
///
/// A resource carries all that belongs to it, and a copy is as good. minSmPartitionSize and
/// smCoscheduledAlignment are 1 on AMD's gfx9, 2 on later ones, whose units share a work-group
/// processor in pairs, and the smallest group of multiprocessors (2) on NVIDIA, where larger clusters
/// are not guaranteed to fit into a context.

/// Of a whole device.
hipError_t hipDeviceGetDevResource(hipDevice_t device, hipDevResource *resource,
                                   hipDevResourceType type);
/// Of a context.
hipError_t hipExecutionCtxGetDevResource(hipExecutionCtx_t ctx, hipDevResource *resource,
                                         hipDevResourceType type);
/// Of the context a stream belongs to.
hipError_t hipStreamGetDevResource(hipStream_t hStream, hipDevResource *resource,
                                   hipDevResourceType type);

/// Splits multiprocessors into equal groups.
/// @param [out] result  the groups; NULL to learn only their number
/// @param [in,out] nbGroups  how many are wanted; how many there are
/// @param [in] input  from a query or an earlier split
/// @param [out] remainder  what is left over, of type hipDevResourceTypeInvalid if nothing is; may be
///     NULL
/// @param [in] flags  hipDevSmResourceSplitMaxPotentialClusterSize, a hint that is not used, or 0
/// @param [in] minCount  multiprocessors of a group, rounded up to smCoscheduledAlignment
/// Returns: hipErrorInvalidValue: nbGroups or input is NULL or flags is unknown;
/// hipErrorInvalidResourceType: input is of another kind; hipErrorInvalidResourceConfiguration: HIP
/// has not made input; hipErrorNotSupported: hipDevSmResourceSplitIgnoreSmCoscheduling, as in AMD's
/// HIP.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; cuDevSmResourceSplitByCount.
hipError_t hipDevSmResourceSplitByCount(hipDevResource *result, unsigned int *nbGroups,
                                        const hipDevResource *input, hipDevResource *remainder,
                                        unsigned int flags, unsigned int minCount);

/// Splits multiprocessors into groups of given sizes.
/// @param [out] result  the groups; NULL to learn only what would result
/// @param [in] nbGroups  groups; length of both arrays
/// @param [in] input  from a query or an earlier split
/// @param [out] remainder  what is left over; may be NULL
/// @param [in] flags  0
/// @param [in,out] groupParams  the wishes; counts of 0 are chosen and written
/// Returns: hipErrorInvalidValue: input or groupParams is NULL, nbGroups is 0 or flags is not 0;
/// hipErrorInvalidResourceType: input is of another kind; hipErrorInvalidResourceConfiguration: HIP
/// has not made input, there are not so many multiprocessors, or a group without
/// hipDevSmResourceGroupBackfill is no multiple of its coscheduledSmCount.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; cuDevSmResourceSplit.
hipError_t hipDevSmResourceSplit(hipDevResource *result, unsigned int nbGroups,
                                 const hipDevResource *input, hipDevResource *remainder,
                                 unsigned int flags, hipDevSmResourceGroupParams *groupParams);

/// Turns resources of one device into a description, which lives as long as the process.
/// @param [out] desc  the description
/// @param [in] resources  the resources
/// @param [in] nbResources  their number
/// Returns: hipErrorInvalidValue: a pointer is NULL or the count is 0; hipErrorInvalidResourceType:
/// one is not of multiprocessors; hipErrorInvalidResourceConfiguration: HIP has not made one, or
/// several are not different results of one split. Equal resources have the same description.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; cuDevResourceGenerateDesc.
hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t *desc, hipDevResource *resources,
                                      unsigned int nbResources);

/// Makes a context of a description.
/// @param [out] ctx  the context
/// @param [in] desc  the description
/// @param [in] device  ordinal of the device the resources are of
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: ctx is NULL, desc is invalid or flags is not 0;
/// hipErrorInvalidDevice: no such device, or another one; hipErrorOutOfMemory: the driver is out of
/// resources; hipErrorNotSupported: the driver cannot. A context may share units with others.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; cuGreenCtxCreate.
hipError_t hipGreenCtxCreate(hipExecutionCtx_t *ctx, hipDevResourceDesc_t desc, int device,
                             unsigned int flags);

/// The context of a whole device: that of its primary context.
/// @param [out] ctx  the context; not to be destroyed
/// @param [in] device  ordinal
/// Returns: hipErrorInvalidValue: ctx is NULL; hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; CUDA runtime cudaDeviceGetExecutionCtx.
hipError_t hipDeviceGetExecutionCtx(hipExecutionCtx_t *ctx, int device);

/// Destroys a context. Its streams are detached: later use of them gives hipErrorStreamDetached,
/// except for destroying them and for questions about them and their attributes. Captures in them
/// become invalid.
/// @param [in] ctx  from hipGreenCtxCreate()
/// Returns: hipErrorInvalidValue: ctx is invalid, or a device's own.
/// Thread safety: no other call may use the context at the same time or later.
/// Stream order: does not wait.
/// Source: HIP "Execution Context Management"; cuGreenCtxDestroy.
hipError_t hipExecutionCtxDestroy(hipExecutionCtx_t ctx);

/// Creates a stream whose work runs in a context.
/// @param [out] stream  the stream, destroyed by hipStreamDestroy()
/// @param [in] greenctx  the context
/// @param [in] flags  hipStreamNonBlocking, or hipStreamDefault: NVIDIA's driver has no such streams
///     of parts of a device, so that events order them with the legacy default stream, which costs
///     each piece of work some microseconds
/// @param [in] priority  as of hipStreamCreateWithPriority()
/// Returns: hipErrorInvalidValue: stream is NULL, greenctx is invalid or flags is wrong;
/// hipErrorOutOfMemory: the driver is out of resources. On AMD each stream of a context has a hardware
/// queue of its own, of which a device has 32 in a process, and cooperative kernels run on all units.
/// On NVIDIA, nodes of graphs run on all units, whatever stream the graph is launched in.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; cuGreenCtxStreamCreate.
hipError_t hipExecutionCtxStreamCreate(hipStream_t *stream, hipExecutionCtx_t greenctx,
                                       unsigned int flags, int priority);

/// What a context is.
/// @param [out] device, ctxId  the answer
/// @param [in] ctx  a context
/// Returns: hipErrorInvalidValue: the pointer is NULL or ctx is invalid.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Execution Context Management"; CUDA runtime cudaExecutionCtxGetDevice;
/// cuGreenCtxGetId.

/// The ordinal of its device.
hipError_t hipExecutionCtxGetDevice(int *device, hipExecutionCtx_t ctx);
/// A number no other context of the process has or will have.
hipError_t hipExecutionCtxGetId(hipExecutionCtx_t ctx, unsigned long long *ctxId);

/// A context as if it were one stream: that is, the streams that it has at the time of the call. Of
/// a device's own context these are the streams that were created with it, and
/// hipExecutionCtxSynchronize() waits for the whole device.
/// @param [in] ctx  a context
/// @param [in] event  an event of its device
/// Returns: hipErrorInvalidValue: ctx is invalid; hipErrorInvalidHandle: not an event;
/// hipErrorStreamCaptureUnsupported: one of the streams is being captured; an error of the work
/// (hipExecutionCtxSynchronize()).
/// Thread safety: safe.
/// Stream order: over all streams of the context; only hipExecutionCtxSynchronize() blocks.
/// Source: HIP "Execution Context Management"; cuGreenCtxRecordEvent, cuGreenCtxWaitEvent.

/// Records an event when all earlier work of the context's streams is done.
hipError_t hipExecutionCtxRecordEvent(hipExecutionCtx_t ctx, hipEvent_t event);
/// Makes later work of all its streams wait for an event.
hipError_t hipExecutionCtxWaitEvent(hipExecutionCtx_t ctx, hipEvent_t event);
/// Waits until all work of its streams is done.
hipError_t hipExecutionCtxSynchronize(hipExecutionCtx_t ctx);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
