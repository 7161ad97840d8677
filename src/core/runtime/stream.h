/* Streams and events of core. Work enters a stream through submit.h only. */
#ifndef AH_STREAM_H
#define AH_STREAM_H

#include "handle.h"
#include "registry.h"

struct ah_captured_event;

struct ah_event {
    struct ah_handle handle;
    struct ah_backend_event *native;
    unsigned flags;
    _Atomic(bool) recorded; /* outside of captures */
    _Atomic(unsigned) users; /* the application, until it destroys the event, and works of graphs */
    /* By the stream of a capture, since then: recorded is false meanwhile. */
    _Atomic(struct ah_captured_event *) captured;
};

_Static_assert(sizeof(struct ah_event) <= AH_HANDLE_SLOT, "struct ah_event");

/* The calling thread's default stream of a device. hipErrorOutOfMemory. */
hipError_t ah_stream_of_thread(struct ah_device *device, struct ah_stream **out_stream);

static inline bool ah_stream_is_detached(hipStream_t handle)
{
    return ah_handle_is(handle, AH_HANDLE_DETACHED_STREAM);
}

/* The stream behind any value of hipStream_t: a default stream is one of the current device. Calls
 * no driver. hipErrorContextIsDestroyed, which HIP returns for a stream that does not exist;
 * hipErrorStreamDetached: its execution context was destroyed; hipErrorNoDevice;
 * hipErrorOutOfMemory. */
static inline hipError_t ah_stream_resolve(hipStream_t handle, struct ah_stream **out_stream)
{
    if ((uintptr_t)handle <= (uintptr_t)hipStreamPerThread) {
        struct ah_device *device = ah_device_current();
        if (__builtin_expect(!device, 0))
            return hipErrorNoDevice;
        *out_stream = &device->legacy;
        return handle == hipStreamPerThread ? ah_stream_of_thread(device, out_stream) : hipSuccess;
    }
    if (__builtin_expect(!ah_handle_is(handle, AH_HANDLE_STREAM), 0))
        return ah_stream_is_detached(handle) ? hipErrorStreamDetached
                                             : hipErrorContextIsDestroyed;
    *out_stream = (struct ah_stream *)(void *)handle;
    return hipSuccess;
}

/* The same for questions about a stream, which may be detached. */
hipError_t ah_stream_resolve_any(hipStream_t handle, struct ah_stream **out_stream);

/* The same for functions that return hipErrorInvalidHandle for an invalid stream. */
static inline hipError_t ah_stream_resolve_handle(hipStream_t handle, struct ah_stream **out_stream)
{
    hipError_t error = ah_stream_resolve(handle, out_stream);
    return error == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : error;
}

/* Under -fgpu-default-stream=per-thread a null stream means the thread's own. */
static inline hipStream_t ah_stream_spt(hipStream_t stream)
{
    return stream ? stream : hipStreamPerThread;
}

/* The driver's stream, which a default stream creates when it is first needed. */
hipError_t ah_stream_native(struct ah_stream *stream, struct ah_backend_stream **out_native);

/* hipSuccess or hipErrorNotReady. */
hipError_t ah_stream_query(struct ah_stream *stream);

/* Waits, once, for all work of the stream: the ends of blocking calls. */
hipError_t ah_stream_synchronize(struct ah_stream *stream);

/* The handle of a new stream of the driver, which is destroyed if there is no memory for it. */
hipError_t ah_stream_wrap(enum ah_handle_type type, struct ah_device *device,
                          struct ah_backend_stream *native, unsigned flags, int priority,
                          struct ah_stream **out_stream);
/* Destroys the events that order the stream with the legacy one, if it has any. What the driver
 * fails to destroy stays. */
hipError_t ah_stream_end_order(struct ah_stream *stream);
/* Before the handle is destroyed: frees what the stream owns. */
void ah_stream_free_owned(struct ah_stream *stream);

hipError_t ah_event_check(hipEvent_t event, struct ah_event **out_event);

/* After the first record of an event, and the first after one in a capture. */
void ah_event_recorded(struct ah_event *event);

/* One user more or less of an event, which ends with its last one. While graphs use an event that
 * the application destroyed, its handle is invalid (AH_HANDLE_KEPT_EVENT); if its device is reset,
 * native is NULL. False: another thread has just destroyed it. The error is the driver's, which
 * failed to destroy the event. */
bool ah_event_retain(struct ah_event *event);
hipError_t ah_event_release(struct ah_event *event);

/* Before the reset of a device: invalidates its streams and events, and closes its default
 * streams. */
void ah_stream_release_device(struct ah_device *device);

/* Closes the device's default streams, which are opened again when they are next needed; also
 * called after the reset, for those that a thread opened during it. */
void ah_stream_close_defaults(struct ah_device *device);

#endif
