/* Events: recording, waiting, elapsed time, sharing between processes. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

static bool flags_valid(unsigned flags)
{
    unsigned release = hipEventReleaseToDevice | hipEventReleaseToSystem;
    unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                     hipEventDisableSystemFence | release;
    if ((flags & ~known) != 0 || (flags & release) == release)
        return false;
    return !(flags & hipEventInterprocess) || (flags & hipEventDisableTiming);
}

static hipError_t wrap(struct ah_device *device, struct ah_backend_event *native, unsigned flags,
                       hipEvent_t *out_event)
{
    struct ah_event *event = ah_handle_create(AH_HANDLE_EVENT, device);
    if (!event) {
        device->ops->event_destroy(device->native, native);
        return hipErrorOutOfMemory;
    }
    event->native = native;
    event->flags = flags;
    atomic_store(&event->users, 1);
    *out_event = (hipEvent_t)(void *)event;
    return hipSuccess;
}

static hipError_t create(hipEvent_t *out_event, unsigned flags)
{
    struct ah_backend_event *native;
    struct ah_device *device = ah_device_current();
    if (!out_event || !flags_valid(flags))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->event_create(device->native, flags, &native);
    return error == hipSuccess ? wrap(device, native, flags, out_event) : error;
}

hipError_t hipEventCreate(hipEvent_t *event)
{
    AH_ENTER(hipEventCreate);
    return AH_LEAVE(create(event, hipEventDefault));
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
    AH_ENTER(hipEventCreateWithFlags);
    return AH_LEAVE(create(event, flags));
}

static hipError_t destroy(hipEvent_t handle)
{
    struct ah_event *event = (struct ah_event *)(void *)handle;
    if (!handle)
        return hipErrorInvalidHandle;
    if (!ah_handle_retire(handle, AH_HANDLE_EVENT))
        return hipErrorContextIsDestroyed;
    ah_capture_forget_event(event);
    atomic_store(&event->handle.type, AH_HANDLE_KEPT_EVENT);
    return ah_event_release(event);
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    AH_ENTER(hipEventDestroy);
    return AH_LEAVE(destroy(event));
}

hipError_t ah_event_record(hipEvent_t handle, hipStream_t stream_handle)
{
    struct ah_event *event;
    struct ah_stream *stream;
    hipError_t error = ah_event_check(handle, &event);
    if (error == hipSuccess)
        error = ah_stream_resolve(stream_handle, &stream);
    return error == hipSuccess ? ah_submit_record(stream, event) : error;
}

/* In a stream that captures the record is a node of the graph, as that of a launch has to be. */
hipError_t ah_event_record_node(hipEvent_t handle, hipStream_t stream_handle)
{
    struct ah_event *event;
    struct ah_stream *stream;
    hipError_t error = ah_event_check(handle, &event);
    if (error == hipSuccess)
        error = ah_stream_resolve(stream_handle, &stream);
    if (error != hipSuccess)
        return error;
    if (!(atomic_load(&stream->state) & AH_STREAM_CAPTURING))
        return ah_submit_record(stream, event);
    return ah_submit(
        stream,
        &(struct ah_command){.kind = AH_COMMAND_EVENT_RECORD, .external = true, .event = event});
}

AH_LAUNCH_CODE hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    AH_ENTER(hipEventRecord);
    return AH_LEAVE(ah_event_record(event, stream));
}

/* hipEventRecordExternal means something only while a stream is captured. */
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags)
{
    AH_ENTER(hipEventRecordWithFlags);
    if (flags == hipEventRecordExternal)
        return AH_LEAVE(ah_event_record_node(event, stream));
    if (flags != hipEventRecordDefault)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(ah_event_record(event, stream));
}

static hipError_t query(hipEvent_t handle)
{
    struct ah_event *event;
    hipError_t error = ah_event_check(handle, &event);
    if (error == hipSuccess && ah_capture_any()) {
        error = ah_capture_check_event(event, "hipEventQuery");
        if (error == hipSuccess)
            error = ah_capture_check_unsafe("hipEventQuery");
    }
    if (error != hipSuccess)
        return error;
    return event->handle.device->ops->event_query(event->handle.device->native, event->native);
}

hipError_t hipEventQuery(hipEvent_t event)
{
    AH_ENTER(hipEventQuery);
    return AH_LEAVE(query(event));
}

static hipError_t synchronize(hipEvent_t handle)
{
    struct ah_event *event;
    hipError_t error = ah_event_check(handle, &event);
    if (error == hipSuccess && ah_capture_any()) {
        error = ah_capture_check_event(event, "hipEventSynchronize");
        if (error == hipSuccess)
            error = ah_capture_check_unsafe("hipEventSynchronize");
    }
    if (error != hipSuccess)
        return error;
    return event->handle.device->ops->event_synchronize(event->handle.device->native,
                                                        event->native);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    AH_ENTER(hipEventSynchronize);
    return AH_LEAVE(synchronize(event));
}

static bool can_time(const struct ah_event *event)
{
    return !(event->flags & hipEventDisableTiming) && atomic_load(&event->recorded);
}

static hipError_t elapsed(float *out_milliseconds, hipEvent_t start_handle, hipEvent_t stop_handle)
{
    struct ah_event *start, *stop;
    if (!out_milliseconds)
        return hipErrorInvalidValue;
    hipError_t error = ah_event_check(start_handle, &start);
    if (error == hipSuccess)
        error = ah_event_check(stop_handle, &stop);
    if (error != hipSuccess)
        return error;
    if (ah_capture_any()) {
        error = ah_capture_check_event(start, "hipEventElapsedTime");
        if (error == hipSuccess)
            error = ah_capture_check_event(stop, "hipEventElapsedTime");
        if (error != hipSuccess)
            return error;
    }
    struct ah_device *device = start->handle.device;
    if (!can_time(start) || !can_time(stop) || device != stop->handle.device)
        return hipErrorInvalidHandle;
    return device->ops->event_elapsed(device->native, start->native, stop->native,
                                      out_milliseconds);
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop)
{
    AH_ENTER(hipEventElapsedTime);
    return AH_LEAVE(elapsed(ms, start, stop));
}

static hipError_t export_event(hipIpcEventHandle_t *out_handle, hipEvent_t handle)
{
    struct ah_event *event;
    if (!out_handle || !handle)
        return hipErrorInvalidValue;
    hipError_t error = ah_event_check(handle, &event);
    if (error != hipSuccess)
        return error;
    if (!(event->flags & hipEventInterprocess)) {
        AH_LOG_ERR("the event was not created with hipEventInterprocess");
        return hipErrorInvalidConfiguration;
    }
    return event->handle.device->ops->ipc_export_event(event->handle.device->native, event->native,
                                                       out_handle);
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event)
{
    AH_ENTER(hipIpcGetEventHandle);
    return AH_LEAVE(export_event(handle, event));
}

static hipError_t import_event(hipEvent_t *out_event, const hipIpcEventHandle_t *handle)
{
    struct ah_backend_event *native;
    struct ah_device *device = ah_device_current();
    if (!out_event)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->ipc_import_event(device->native, handle, &native);
    return error == hipSuccess
               ? wrap(device, native, hipEventInterprocess | hipEventDisableTiming, out_event)
               : error;
}

hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle)
{
    AH_ENTER(hipIpcOpenEventHandle);
    return AH_LEAVE(import_event(event, &handle));
}
