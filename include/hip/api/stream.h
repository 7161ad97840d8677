// Streams: queues of work of a device. Work of one stream runs in order; work of two streams is
// ordered by events, or through the legacy default stream.
#ifndef HIP_INCLUDE_HIP_API_STREAM_H
#define HIP_INCLUDE_HIP_API_STREAM_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/device_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Creates a stream of the current device. A blocking stream orders itself with the legacy default
/// stream: each waits for what the other was given before.
/// @param [out] stream  the stream, destroyed by hipStreamDestroy()
/// @param [in] flags  hipStreamDefault or hipStreamNonBlocking
/// @param [in] priority  lower is more urgent; a value outside hipDeviceGetStreamPriorityRange()
///     becomes the nearest inside
/// Returns: hipErrorInvalidValue: stream is NULL or flags is unknown; hipErrorOutOfMemory: the
/// driver is out of resources.
/// Thread safety: safe.
/// Stream order: none; hipStreamCreate() does not wait.
/// Source: HIP "Stream Management"; cuStreamCreate, cuStreamCreateWithPriority.

/// A blocking stream of normal priority.
hipError_t hipStreamCreate(hipStream_t *stream);
/// The same with flags.
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
/// The same with flags and a priority.
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);

/// Creates a blocking stream whose kernels run on some compute units only.
/// @param [out] stream  the stream
/// @param [in] cuMaskSize  32-bit words at cuMask, at least 1
/// @param [in] cuMask  one bit for each compute unit, the first in bit 0 of word 0; a missing bit
///     is 0; without any, all compute units
/// Returns: hipErrorInvalidHandle: stream is NULL; hipErrorInvalidValue: cuMask is NULL or
/// cuMaskSize is 0; hipErrorNotSupported: the mask names one of two units that belong together (AMD
/// from gfx10 on: the two of a work-group processor; NVIDIA: a group of multiprocessors, as
/// minSmPartitionSize of hipDevSmResource counts them), or the driver has no parts of devices
/// (NVIDIA: before 12.5). On NVIDIA events order the stream with the legacy default stream, which
/// costs each piece of work some microseconds.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; cuGreenCtxStreamCreate.
hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize,
                                        const uint32_t *cuMask);

/// The compute units of a stream.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] cuMaskSize  32-bit words at cuMask, enough for every compute unit
/// @param [out] cuMask  one bit for each compute unit
/// Returns: hipErrorInvalidValue: cuMask is NULL or too small; hipErrorContextIsDestroyed: not a
/// stream.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; no CUDA counterpart.
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask);

/// The priorities the current device's streams can have. Both are 0 where there is only one.
/// @param [out] leastPriority  the greatest number; may be NULL
/// @param [out] greatestPriority  the least number; may be NULL
/// Returns: hipSuccess.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; cuCtxGetStreamPriorityRange.
hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);

/// Destroys a stream. Work in it still runs to its end; its resources are freed then.
/// @param [in] stream  a stream; not NULL nor a default stream. A capture in it ends without a
///     graph
/// Returns: hipErrorInvalidHandle: stream is NULL or a default stream; hipErrorContextIsDestroyed:
/// not a stream.
/// Thread safety: no other call may use the stream at the same time or later.
/// Stream order: does not wait.
/// Source: HIP "Stream Management"; cuStreamDestroy.
hipError_t hipStreamDestroy(hipStream_t stream);

/// Queries whether all work of a stream is done.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipSuccess: it is; hipErrorNotReady: it is not (no error: the last error stays);
/// hipErrorContextIsDestroyed: not a stream; hipErrorStreamCaptureUnsupported: the stream is being
/// captured, or a capture in another thread or stream forbids it; an error of the work.
/// Thread safety: safe.
/// Stream order: does not wait.
/// Source: HIP "Stream Management"; cuStreamQuery.
hipError_t hipStreamQuery(hipStream_t stream);

/// Waits until all work of a stream is done.
/// @param [in] stream  a stream; NULL for the legacy default stream, for which all blocking streams
///     are waited for
/// Returns: hipErrorContextIsDestroyed: not a stream; hipErrorStreamCaptureUnsupported: the stream
/// is being captured, or a capture in another thread or stream forbids it; an error of the work.
/// Thread safety: safe.
/// Stream order: blocks.
/// Source: HIP "Stream Management"; cuStreamSynchronize.
hipError_t hipStreamSynchronize(hipStream_t stream);

/// Makes later work of a stream wait for an event's last record, on any device. An event never
/// recorded is already complete.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] event  an event
/// @param [in] flags  hipEventWaitDefault or hipEventWaitExternal
/// Returns: hipErrorInvalidHandle: not an event, not a stream; hipErrorInvalidValue: flags is
/// unknown, or hipEventWaitExternal outside of a capture; hipErrorStreamCaptureIsolation: the stream
/// is captured and the event was recorded outside; hipErrorStreamCaptureMerge: the event is of
/// another capture.
/// Thread safety: safe.
/// Stream order: enqueued; the host does not wait. In a capture it joins the event's stream to it.
/// Source: HIP "Stream Management"; cuStreamWaitEvent.
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags __dparm(0));

/// The flags a stream was created with.
/// @param [in] stream  a stream; not NULL
/// @param [out] flags  hipStreamDefault or hipStreamNonBlocking
/// Returns: hipErrorInvalidValue: stream or flags is NULL; hipErrorContextIsDestroyed: not a
/// stream.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; cuStreamGetFlags.
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);

/// A stream's priority.
/// @param [in] stream  a stream; NULL for the legacy default stream, whose priority is 0
/// @param [out] priority  lower is more urgent
/// Returns: hipErrorInvalidValue: priority is NULL; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; cuStreamGetPriority.
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);

/// A stream's device.
/// @param [in] stream  a stream; NULL for the current device
/// @param [out] device  its ordinal
/// Returns: hipErrorInvalidValue: device is NULL; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; cuStreamGetDevice.
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);

/// A number no other stream of the process has or will have.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [out] streamId  the number
/// Returns: hipErrorInvalidValue: streamId is NULL; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; cuStreamGetId.
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId);

/// Calls a function when a stream reaches it. Prefer hipLaunchHostFunc(), which graphs can hold.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] callback  called in a thread of the runtime with the stream, the stream's error so
///     far, and userData; must not call HIP
/// @param [in] userData  passed on; may be NULL
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: callback is NULL or flags is not 0; hipErrorContextIsDestroyed:
/// not a stream; hipErrorStreamCaptureUnsupported: a blocking stream is being captured, and every
/// such capture becomes invalid (HIP 7).
/// Thread safety: safe.
/// Stream order: the callback runs after all earlier work; later work waits for it.
/// Source: HIP "Stream Management"; cuStreamAddCallback.
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData,
                                unsigned int flags);

/// Makes later work of a stream wait until memory has a value.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] ptr  aligned to its size; memory of hipExtMallocWithFlags(hipMallocSignalMemory) on
///     AMD, any the device can reach on NVIDIA
/// @param [in] value  what to compare with
/// @param [in] flags  hipStreamWaitValueGte, Eq, And or Nor: (*ptr & mask) against value
/// @param [in] mask  bits that count; on NVIDIA a kernel of one thread waits where some do not
/// Returns: hipErrorInvalidValue: ptr is NULL, unaligned or no such memory, or flags is unknown;
/// hipErrorContextIsDestroyed: not a stream; hipErrorNotSupported: the device cannot
/// (hipDeviceAttributeCanUseStreamWaitValue).
/// Thread safety: safe.
/// Stream order: enqueued; does not end if the value is never written.
/// Source: HIP "Stream Memory Operations"; cuStreamWaitValue32, cuStreamWaitValue64.

/// 32 bits.
hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags,
                                uint32_t mask __dparm(0xFFFFFFFF));
/// 64 bits.
hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
                                uint64_t mask __dparm(0xFFFFFFFFFFFFFFFF));

/// Writes a value to memory, or adds to the one that is there, when a stream reaches it.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] ptr  aligned to its size, reachable from the device
/// @param [in] value  what to write, add or subtract
/// @param [in] flags  hipStreamWriteValueDefault, hipExtStreamWriteValueIncrement or
///     hipExtStreamWriteValueDecrement; a kernel of one thread adds on NVIDIA, from compute
///     capability 6.0 on, and the host on AMD: additions of streams are atomic among themselves
/// Returns: hipErrorInvalidValue: ptr is NULL, unaligned or not reachable, or flags is unknown;
/// hipErrorContextIsDestroyed: not a stream; hipErrorNotSupported: the device cannot.
/// Thread safety: safe.
/// Stream order: enqueued, after all earlier work has finished and its writes are visible.
/// Source: HIP "Stream Memory Operations"; cuStreamWriteValue32, cuStreamWriteValue64.

/// 32 bits.
hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags);
/// 64 bits.
hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags);

/// Several such waits and writes, and barriers, in order, at one call. If one of them is wrong none
/// is enqueued.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] count  operations, up to 256
/// @param [in] paramArray  the operations. The flags of hipStreamMemOpBarrier are 0 for a barrier
///     towards the host and all devices, 1 towards the device alone.
///     hipStreamMemOpFlushRemoteWrites makes visible what other devices have written to the
///     device's memory; its flags are 0
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: paramArray is NULL, count is 0 or too large, flags is not 0, or
/// an operation is wrong; hipErrorContextIsDestroyed: not a stream; hipErrorNotSupported: the
/// device cannot; flushes need hipFlushGPUDirectRDMAWritesOptionMemOps in
/// hipDeviceAttributeGPUDirectRDMAFlushWritesOptions.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Stream Memory Operations"; cuStreamBatchMemOp.
hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count,
                               hipStreamBatchMemOpParams *paramArray, unsigned int flags);

/// Attributes of streams: access policy window, synchronization policy, priority (read only),
/// memory domains.
/// @param [in] stream, dst, src  a stream; NULL for the legacy default stream
/// @param [in] attr  hipStreamAttribute*
/// @param [in] value, value_out  the member that belongs to attr (of the getter: [out])
/// Returns: hipErrorInvalidValue: the value is NULL or out of range, or the device has no such
/// attribute of streams (AMD: all but the policy and the priority);
/// hipErrorInvalidResourceHandle: not a stream; hipErrorStreamCaptureUnsupported: the stream of the
/// setter is being captured; hipErrorNotSupported: the driver has no attributes of streams. A launch
/// that is captured takes the stream's priority, window and domains with it.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Stream Management"; cuStreamGetAttribute, cuStreamSetAttribute,
/// cuStreamCopyAttributes.

/// Reads an attribute.
hipError_t hipStreamGetAttribute(hipStream_t stream, hipStreamAttrID attr,
                                 hipStreamAttrValue *value_out);
/// Changes an attribute for later work.
hipError_t hipStreamSetAttribute(hipStream_t stream, hipStreamAttrID attr,
                                 const hipStreamAttrValue *value);
/// Copies all that can be set from src to dst.
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
