// Events: marks in streams, which other streams and the host can wait for and measure time with.
#ifndef HIP_INCLUDE_HIP_API_EVENT_H
#define HIP_INCLUDE_HIP_API_EVENT_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Creates an event of the current device.
/// @param [out] event  the event, destroyed by hipEventDestroy()
/// @param [in] flags  hipEvent* flags, combined
/// Returns: hipErrorInvalidValue: event is NULL, a flag is unknown, or hipEventInterprocess comes
/// without hipEventDisableTiming; hipErrorOutOfMemory: the driver is out of resources.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Event Management"; cuEventCreate.

/// A timing event, waited for by polling.
hipError_t hipEventCreate(hipEvent_t *event);
/// The same with flags.
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags);

/// Marks the point a stream has reached. Recording again moves the mark; calls that already wait
/// keep waiting for the old one.
/// @param [in] event  an event of the stream's device
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [in] flags  hipEventRecordDefault or hipEventRecordExternal
/// Returns: hipErrorInvalidHandle: not an event, or of another device than the stream;
/// hipErrorContextIsDestroyed: not a stream; hipErrorInvalidValue: flags is unknown.
/// Thread safety: safe.
/// Stream order: enqueued; complete when all earlier work of the stream is.
/// Source: HIP "Event Management"; cuEventRecord, cuEventRecordWithFlags.

/// With the default meaning.
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream __dparm(NULL));
/// With hipEventRecordExternal, which in a capture makes a node of it, and elsewhere nothing else.
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream __dparm(NULL),
                                   unsigned int flags __dparm(hipEventRecordDefault));

/// Destroys an event. A wait or record already enqueued still happens.
/// @param [in] event  an event
/// Returns: hipErrorInvalidHandle: event is NULL; hipErrorContextIsDestroyed: not an event.
/// Thread safety: no other call may use the event at the same time or later.
/// Stream order: does not wait.
/// Source: HIP "Event Management"; cuEventDestroy.
hipError_t hipEventDestroy(hipEvent_t event);

/// Waits until an event's last record is reached. An event never recorded is complete.
/// @param [in] event  an event
/// Returns: hipErrorInvalidHandle: not an event; hipErrorCapturedEvent: it was last recorded in a
/// capture; hipErrorStreamCaptureUnsupported: a capture forbids it; an error of the work before it.
/// Thread safety: safe.
/// Stream order: blocks, polling or sleeping as the event's and the device's flags say.
/// Source: HIP "Event Management"; cuEventSynchronize.
hipError_t hipEventSynchronize(hipEvent_t event);

/// Queries whether an event's last record has been reached.
/// @param [in] event  an event
/// Returns: hipSuccess: it has, or there was none; hipErrorNotReady: it has not (no error: the last
/// error stays); hipErrorInvalidHandle: not an event; hipErrorCapturedEvent: it was last recorded
/// in a capture; hipErrorStreamCaptureUnsupported (HIP 7): a capture in global mode forbids it.
/// Thread safety: safe.
/// Stream order: does not wait.
/// Source: HIP "Event Management"; cuEventQuery.
hipError_t hipEventQuery(hipEvent_t event);

/// The time between two records.
/// @param [out] ms  milliseconds, with a resolution of about a microsecond; negative if stop came
///     first
/// @param [in] start  an event with timing
/// @param [in] stop  an event with timing, of the same device
/// Returns: hipErrorInvalidValue: ms is NULL; hipErrorInvalidHandle: not an event, has no timing,
/// was never recorded, or the two are of different devices; hipErrorNotReady: one is not yet
/// reached; hipErrorCapturedEvent: one was last recorded in a capture.
/// Thread safety: safe.
/// Stream order: does not wait.
/// Source: HIP "Event Management"; cuEventElapsedTime.
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
