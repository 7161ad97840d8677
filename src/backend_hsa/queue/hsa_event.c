/* Owns events. A record of an event that measures time inserts a marker, whose end is the time; a
 * record of any other event is the last signal of the stream. An event that processes share
 * counts its records in shared memory. */
#include "hsa_stream.h"

#include <stdlib.h>

struct ah_backend_event {
    struct ah_backend_device *device;
    struct ah_backend_event *next, **link; /* in the device's list */
    unsigned flags;
    bool recorded;
    struct ahhsa_signal *signal; /* of the latest record, retained; NULL: all work had ended then */
    struct ahhsa_shared_event *shared; /* hipEventInterprocess */
};

/* Under the lock. */
static void add_to_list(struct ah_backend_event *event)
{
    struct ah_backend_device *device = event->device;
    event->next = device->queues->events;
    event->link = &device->queues->events;
    if (event->next)
        event->next->link = &event->next;
    device->queues->events = event;
}

static void free_event(struct ah_backend_event *event)
{
    *event->link = event->next;
    if (event->next)
        event->next->link = event->link;
    ahhsa_signal_release(event->signal);
    ahhsa_shared_event_release(event->shared);
    free(event);
}

void ahhsa_events_destroy(struct ah_backend_device *device)
{
    ahhsa_lock(device);
    while (device->queues->events)
        free_event(device->queues->events);
    ahhsa_unlock(device);
}

static hipError_t create(struct ah_backend_device *device, unsigned flags,
                         struct ahhsa_shared_event *shared, struct ah_backend_event **out_event)
{
    struct ah_backend_event *event = calloc(1, sizeof *event);
    if (!event)
        return hipErrorOutOfMemory;
    event->device = device;
    event->flags = flags;
    event->shared = shared;
    ahhsa_lock(device);
    add_to_list(event);
    ahhsa_unlock(device);
    *out_event = event;
    return hipSuccess;
}

hipError_t ahhsa_event_create(struct ah_backend_device *device, unsigned flags,
                              struct ah_backend_event **out_event)
{
    struct ahhsa_shared_event *shared = NULL;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess && (flags & hipEventInterprocess))
        error = ahhsa_shared_event_create(&shared);
    if (error == hipSuccess)
        error = create(device, flags, shared, out_event);
    if (error != hipSuccess)
        ahhsa_shared_event_release(shared);
    return error;
}

hipError_t ahhsa_event_destroy(struct ah_backend_device *device, struct ah_backend_event *event)
{
    ahhsa_lock(device);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess) /* after a failure the reset frees it */
        free_event(event);
    ahhsa_unlock(device);
    return error;
}

/* Under the lock. */
static hipError_t record(struct ah_backend_event *event, struct ah_backend_stream *stream)
{
    uint64_t id;
    bool timed = !(event->flags & hipEventDisableTiming);
    hipError_t error = ahhsa_stream_order_with_default(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_insert_marker(stream, timed);
    if (error != hipSuccess)
        return error;
    if (timed && (id = ahhsa_trace_command(stream)) != 0)
        ahhsa_trace_add(stream->device, &(struct ahhsa_traced){.id = id,
                                                               .kind = AH_TRACE_BARRIER,
                                                               .node = -1,
                                                               .signal = stream->last_signal,
                                                               .in_queue = true});
    struct ahhsa_signal *before = event->signal;
    event->signal = stream->last_signal ? ahhsa_signal_retain(stream->last_signal) : NULL;
    event->recorded = true;
    ahhsa_signal_release(before);
    return hipSuccess;
}

hipError_t ahhsa_event_record(struct ah_backend_device *device, struct ah_backend_event *event,
                              struct ah_backend_stream *stream)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (event->shared)
        return ahhsa_shared_event_record(event->shared, stream);
    ahhsa_lock(device);
    ahhsa_stream_reap(stream);
    error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = record(event, stream);
    ahhsa_unlock(device);
    return error;
}

static void flush(void *device)
{
    hipError_t error = ahhsa_device_flush_remote_writes(device, hipFlushGPUDirectRDMAWritesToOwner);
    if (error != hipSuccess)
        ahhsa_fail(device, error, "remote writes could not be flushed");
}

/* Packets begin and end with fences of the system, and later work waits for the marker. */
static hipError_t put_barrier(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    ahhsa_lock(device);
    ahhsa_stream_reap(stream);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_order_with_default(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_insert_marker(stream, true);
    ahhsa_unlock(device);
    return error;
}

hipError_t ahhsa_stream_barrier(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                enum ah_barrier barrier)
{
    int options = 0;
    struct ahhsa_job job = {.kind = AHHSA_JOB_FUNCTION, .function = flush, .data = device};
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (barrier != AH_BARRIER_REMOTE_WRITES)
        return put_barrier(device, stream);
    error =
        ahhsa_device_attribute(device, hipDeviceAttributeGPUDirectRDMAFlushWritesOptions, &options);
    if (error == hipSuccess && !(options & hipFlushGPUDirectRDMAWritesOptionMemOps))
        return ahhsa_refuse(device, "a flush of remote writes", "it has no HDP flush registers");
    return error == hipSuccess ? ahhsa_host_enqueue(stream, &job, false) : error;
}

/* The signal to wait for, retained; NULL: none. */
static struct ahhsa_signal *pending_signal(struct ah_backend_event *event)
{
    ahhsa_lock(event->device);
    struct ahhsa_signal *signal = event->signal;
    signal = signal && !ahhsa_signal_is_done(signal) ? ahhsa_signal_retain(signal) : NULL;
    ahhsa_unlock(event->device);
    return signal;
}

hipError_t ahhsa_stream_wait_event(struct ah_backend_device *device,
                                   struct ah_backend_stream *stream, struct ah_backend_event *event)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (event->shared)
        return ahhsa_shared_event_wait(event->shared, stream);
    struct ahhsa_signal *signal = pending_signal(event);
    if (signal)
        error = ahhsa_stream_wait_signal(device, stream, signal);
    ahhsa_signal_release(signal);
    return error;
}

hipError_t ahhsa_event_query(struct ah_backend_device *device, struct ah_backend_event *event)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    struct ahhsa_signal *signal = pending_signal(event);
    bool pending = signal || (event->shared && !ahhsa_shared_event_is_reached(event->shared));
    ahhsa_signal_release(signal);
    if (pending && event->shared && ahhsa_shared_event_is_abandoned(event->shared))
        return hipErrorIllegalState;
    if (pending)
        return hipErrorNotReady;
    ahhsa_device_reap(device);
    return ahhsa_device_error(device);
}

hipError_t ahhsa_event_synchronize(struct ah_backend_device *device, struct ah_backend_event *event)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    struct ahhsa_signal *signal = pending_signal(event);
    if (event->shared)
        error = ahhsa_shared_event_synchronize(event->shared, device);
    else if (signal)
        error = ahhsa_signal_wait(signal);
    ahhsa_signal_release(signal);
    ahhsa_device_reap(device);
    return error == hipSuccess ? ahhsa_device_error(device) : error;
}

/* When the event was reached, in ticks of the system's clock. */
static hipError_t reached_at(struct ah_backend_event *event, uint64_t *out_ticks)
{
    hsa_amd_profiling_dispatch_time_t time = {0};
    struct ah_backend_device *device = event->device;
    if (!event->recorded || (event->flags & hipEventDisableTiming))
        return hipErrorInvalidHandle;
    if (!event->signal || !ahhsa_signal_is_done(event->signal))
        return hipErrorNotReady;
    hsa_status_t status =
        device->api->hsa_amd_profiling_get_dispatch_time(device->agent, event->signal->hsa, &time);
    *out_ticks = time.end;
    return ahhsa_done(device, "hsa_amd_profiling_get_dispatch_time", status);
}

static hipError_t locked_reached_at(struct ah_backend_event *event, uint64_t *out_ticks)
{
    ahhsa_lock(event->device);
    hipError_t error = reached_at(event, out_ticks);
    ahhsa_unlock(event->device);
    return error;
}

hipError_t ahhsa_event_elapsed(struct ah_backend_device *device, struct ah_backend_event *start,
                               struct ah_backend_event *stop, float *out_milliseconds)
{
    uint64_t from, to;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = locked_reached_at(start, &from);
    if (error == hipSuccess)
        error = locked_reached_at(stop, &to);
    if (error != hipSuccess)
        return error;
    double ticks = (double)(int64_t)(to - from);
    *out_milliseconds = (float)(ticks * 1e3 / (double)device->backend->timestamp_frequency);
    return hipSuccess;
}

hipError_t ahhsa_event_native(struct ah_backend_device *device, struct ah_backend_event *event,
                              uint64_t *out_native)
{
    ahhsa_lock(device);
    *out_native = event->signal ? event->signal->hsa.handle : 0;
    ahhsa_unlock(device);
    return hipSuccess;
}

/* ---- between processes ------------------------------------------------------------------ */

hipError_t ahhsa_ipc_export_event(struct ah_backend_device *device, struct ah_backend_event *event,
                                  hipIpcEventHandle_t *out_handle)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (!event->shared) {
        AH_LOG_ERR("the event was not created with hipEventInterprocess");
        return hipErrorInvalidConfiguration;
    }
    ahhsa_shared_event_export(event->shared, out_handle);
    return hipSuccess;
}

hipError_t ahhsa_ipc_import_event(struct ah_backend_device *device,
                                  const hipIpcEventHandle_t *handle,
                                  struct ah_backend_event **out_event)
{
    struct ahhsa_shared_event *shared = NULL;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_shared_event_open(handle, &shared);
    if (error == hipSuccess)
        error = create(device, hipEventInterprocess | hipEventDisableTiming, shared, out_event);
    if (error != hipSuccess)
        ahhsa_shared_event_release(shared);
    return error;
}
