/* Owns the default streams, and the code of streams and events below their public functions. */
#include "stream.h"
#include "capture.h"
#include "relay.h"
#include "stream_attribute.h"

#include <stdlib.h>

/* ---- default streams ---------------------------------------------------------- */

static hipError_t ask_driver(struct ah_stream *stream, struct ah_backend_stream **out_native)
{
    struct ah_device *device = stream->handle.device;
    return stream == &device->legacy ? device->ops->stream_legacy(device->native, out_native)
                                     : device->ops->stream_per_thread(device->native, out_native);
}

/* Several threads may open a legacy stream at once; only its own thread opens any other. */
static hipError_t open_default(struct ah_stream *stream)
{
    struct ah_backend_stream *native;
    struct ah_device *device = stream->handle.device;
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&device->lock);
    if (atomic_load(&stream->state) & AH_STREAM_CLOSED) {
        error = ask_driver(stream, &native);
        if (error == hipSuccess) {
            atomic_store(&stream->native, native);
            atomic_fetch_and(&stream->state, ~(unsigned)AH_STREAM_CLOSED);
        }
    }
    pthread_mutex_unlock(&device->lock);
    return error;
}

hipError_t ah_stream_native(struct ah_stream *stream, struct ah_backend_stream **out_native)
{
    hipError_t error = hipSuccess;
    if (atomic_load_explicit(&stream->state, memory_order_acquire) & AH_STREAM_CLOSED)
        error = open_default(stream);
    if (error == hipSuccess)
        *out_native = atomic_load_explicit(&stream->native, memory_order_relaxed);
    return error;
}

static void close_default(struct ah_stream *stream)
{
    ah_stream_attributes_free(stream);
    atomic_fetch_or(&stream->state, AH_STREAM_CLOSED);
}

static void close_of_thread(void *handle, void *device)
{
    struct ah_stream *stream = handle;
    if (stream->handle.device != device)
        return;
    ah_capture_leave(stream, "hipDeviceReset");
    close_default(stream);
}

void ah_stream_close_defaults(struct ah_device *device)
{
    close_default(&device->legacy);
    ah_handle_each(AH_HANDLE_THREAD_STREAM, close_of_thread, device);
}

/* At the end of a thread. Queued work is still done. */
static void end_of_thread(struct ah_stream **streams)
{
    for (int i = 0; i < ah_registry.device_count; i++) {
        struct ah_stream *stream = streams[i];
        if (!stream)
            continue;
        struct ah_device *device = stream->handle.device;
        ah_capture_leave(stream, NULL);
        unsigned state = atomic_fetch_or(&stream->state, AH_STREAM_CLOSED);
        if (!(state & AH_STREAM_CLOSED))
            device->ops->stream_destroy(device->native, atomic_load(&stream->native));
        ah_stream_free_owned(stream);
        ah_handle_destroy(stream);
    }
    free(streams);
}

static hipError_t make_streams(struct ah_stream ***out_streams)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    if (extra && !extra->streams) {
        extra->end_streams = end_of_thread;
        extra->streams = calloc((size_t)ah_registry.device_count, sizeof(struct ah_stream *));
    }
    if (!extra || !extra->streams)
        return hipErrorOutOfMemory;
    *out_streams = extra->streams;
    return hipSuccess;
}

hipError_t ah_stream_of_thread(struct ah_device *device, struct ah_stream **out_stream)
{
    struct ah_stream **streams;
    if (__builtin_expect(ah_thread.extra && ah_thread.extra->streams, 1))
        streams = ah_thread.extra->streams;
    else if (make_streams(&streams) != hipSuccess)
        return hipErrorOutOfMemory;
    struct ah_stream **stream = &streams[device->ordinal];
    if (__builtin_expect(!*stream, 0)) {
        *stream = ah_handle_create(AH_HANDLE_THREAD_STREAM, device);
        if (!*stream)
            return hipErrorOutOfMemory;
        (*stream)->id = 2;
        atomic_store(&(*stream)->state, AH_STREAM_CLOSED);
    }
    *out_stream = *stream;
    return hipSuccess;
}

/* ---- handles --------------------------------------------------------------------- */

hipError_t ah_stream_resolve_any(hipStream_t handle, struct ah_stream **out_stream)
{
    hipError_t error = ah_stream_resolve(handle, out_stream);
    if (error != hipErrorStreamDetached)
        return error;
    *out_stream = (struct ah_stream *)(void *)handle;
    return hipSuccess;
}

hipError_t ah_stream_wrap(enum ah_handle_type type, struct ah_device *device,
                          struct ah_backend_stream *native, unsigned flags, int priority,
                          struct ah_stream **out_stream)
{
    static _Atomic(unsigned long long) next_id = 3; /* 1 and 2 are the default streams */
    struct ah_stream *stream = ah_handle_create(type, device);
    if (!stream) {
        device->ops->stream_destroy(device->native, native);
        return hipErrorOutOfMemory;
    }
    atomic_store(&stream->native, native);
    stream->flags = flags;
    stream->priority = priority;
    stream->id = atomic_fetch_add(&next_id, 1);
    *out_stream = stream;
    return hipSuccess;
}

static hipError_t end_event(const struct ah_device *device, struct ah_backend_event **event)
{
    hipError_t error = *event ? device->ops->event_destroy(device->native, *event) : hipSuccess;
    if (!ah_free_failed(error))
        *event = NULL;
    return error;
}

hipError_t ah_stream_end_order(struct ah_stream *stream)
{
    const struct ah_device *device = stream->handle.device;
    hipError_t error = end_event(device, &stream->before);
    hipError_t second = ah_free_failed(error) ? error : end_event(device, &stream->after);
    return error == hipSuccess || ah_free_failed(second) ? second : error;
}

void ah_stream_free_owned(struct ah_stream *stream)
{
    free(stream->mask);
    ah_stream_attributes_free(stream);
}

/* ---- waiting ------------------------------------------------------------------- */

hipError_t ah_stream_query(struct ah_stream *stream)
{
    struct ah_backend_stream *native;
    struct ah_device *device = stream->handle.device;
    hipError_t error = ah_stream_native(stream, &native);
    return error == hipSuccess ? device->ops->stream_query(device->native, native) : error;
}

hipError_t ah_stream_synchronize(struct ah_stream *stream)
{
    struct ah_backend_stream *native;
    struct ah_device *device = stream->handle.device;
    hipError_t error = ah_stream_native(stream, &native);
    return error == hipSuccess ? device->ops->stream_synchronize(device->native, native) : error;
}

hipError_t ah_event_check(hipEvent_t event, struct ah_event **out_event)
{
    if (!ah_handle_is(event, AH_HANDLE_EVENT))
        return hipErrorInvalidHandle;
    *out_event = (struct ah_event *)(void *)event;
    return hipSuccess;
}

void ah_event_recorded(struct ah_event *event)
{
    ah_capture_forget_event(event);
    atomic_store_explicit(&event->recorded, true, memory_order_relaxed);
}

bool ah_event_retain(struct ah_event *event)
{
    unsigned users = atomic_load(&event->users);
    while (users > 0)
        if (atomic_compare_exchange_weak(&event->users, &users, users + 1))
            return true;
    return false;
}

/* Where the driver fails to destroy it, the event is the application's again. */
hipError_t ah_event_release(struct ah_event *event)
{
    struct ah_device *device = event->handle.device;
    hipError_t error = hipSuccess;
    if (atomic_fetch_sub(&event->users, 1) > 1)
        return hipSuccess;
    if (event->native)
        error = device->ops->event_destroy(device->native, event->native);
    if (ah_free_failed(error))
        atomic_store(&event->users, 1);
    return ah_handle_finish_destroy(event, AH_HANDLE_EVENT, error);
}

/* ---- reset ---------------------------------------------------------------------- */

static void release_stream(void *handle, void *device)
{
    struct ah_stream *stream = handle;
    if (stream->handle.device == device && (ah_handle_retire(handle, AH_HANDLE_STREAM) ||
                                            ah_handle_retire(handle, AH_HANDLE_DETACHED_STREAM))) {
        ah_capture_leave(stream, "hipDeviceReset");
        ah_stream_free_owned(stream);
        ah_handle_destroy(handle);
    }
}

static void release_event(void *handle, void *device)
{
    struct ah_event *event = handle;
    if (event->handle.device != device)
        return;
    ah_capture_forget_event(event);
    event->native = NULL;
    if (ah_handle_retire(handle, AH_HANDLE_EVENT))
        (void)ah_event_release(event);
}

void ah_stream_release_device(struct ah_device *device)
{
    ah_capture_device_resets(device);
    ah_handle_each(AH_HANDLE_STREAM, release_stream, device);
    ah_handle_each(AH_HANDLE_DETACHED_STREAM, release_stream, device);
    ah_handle_each(AH_HANDLE_KEPT_EVENT, release_event, device);
    ah_handle_each(AH_HANDLE_EVENT, release_event, device);
    ah_stream_close_defaults(device);
    ah_relay_detach_device(device);
}
