/* Owns the order of work within a stream and between streams, completion callbacks, and waiting for
 * work. hsa_stream.h explains the states of a stream. */
#include "hsa_stream.h"

#include <stdlib.h>
#include <string.h>

enum { INITIAL_CALLBACKS = 16, INITIAL_DEPENDENCIES = 4, BATCH = 16 };

/* ---- completion callbacks
 * ------------------------------------------------------------------------------ */

hipError_t ahhsa_stream_reserve_callbacks(struct ah_backend_stream *stream, unsigned count)
{
    unsigned room = stream->callback_capacity ? stream->callback_capacity : INITIAL_CALLBACKS;
    if (stream->callback_count + count <= stream->callback_capacity)
        return hipSuccess;
    while (room < stream->callback_count + count)
        room *= 2;
    struct ahhsa_callback *callbacks = malloc(room * sizeof *callbacks);
    if (!callbacks)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < stream->callback_count; i++)
        callbacks[i] = *ahhsa_stream_callback_at(stream, i);
    free(stream->callbacks);
    stream->callbacks = callbacks;
    stream->callback_first = 0;
    stream->callback_capacity = room;
    return hipSuccess;
}

void ahhsa_stream_add_callback(struct ah_backend_stream *stream, void (*function)(void *data),
                               void *data)
{
    *ahhsa_stream_callback_at(stream, stream->callback_count++) =
        (struct ahhsa_callback){function, data, false};
}

void ahhsa_stream_set_last_signal(struct ah_backend_stream *stream, struct ahhsa_signal *signal,
                                  bool off_queue)
{
    *ahhsa_stream_callback_at(stream, stream->callback_count++) =
        (struct ahhsa_callback){NULL, signal, true};
    if (stream->checkpoint == 0)
        stream->checkpoint = stream->callback_count;
    if (!off_queue)
        stream->host_dependent |= ahhsa_queue_is_host_dependent(stream->queue);
    signal->host_dependent = stream->host_dependent;
    stream->last_signal = signal;
    stream->unsignaled = false;
    stream->off_queue = off_queue;
}

static void find_checkpoint(struct ah_backend_stream *stream)
{
    for (unsigned i = 0; i < stream->callback_count; i++)
        if (ahhsa_stream_callback_at(stream, i)->checkpoint) {
            stream->checkpoint = i + 1;
            return;
        }
}

/* Removes and returns the first callback, which is due. */
static struct ahhsa_callback pop_callback(struct ah_backend_stream *stream)
{
    struct ahhsa_callback callback = *ahhsa_stream_callback_at(stream, 0);
    stream->callback_first = (stream->callback_first + 1) & (stream->callback_capacity - 1);
    stream->callback_count--;
    stream->checkpoint--;
    if (callback.checkpoint && stream->last_signal == callback.data) {
        stream->last_signal = NULL;
        stream->off_queue = false;
        stream->host_dependent &= stream->unsignaled || stream->dependency_count > 0;
    }
    if (callback.checkpoint)
        find_checkpoint(stream);
    return callback;
}

/* The callback of a signal that failed: later work used data that was not copied. */
static void check_signal(void *data)
{
    ahhsa_signal_check(data);
    ahhsa_signal_release(data);
}

void ahhsa_stream_run_callbacks(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    struct ahhsa_callback batch[BATCH];
    do {
        unsigned count = 0;
        while (count < BATCH && ahhsa_stream_has_due_callback(stream)) {
            struct ahhsa_callback callback = pop_callback(stream);
            if (!callback.function && ahhsa_signal_has_failed(callback.data))
                callback.function = check_signal;
            if (callback.function)
                batch[count++] = callback;
            else
                ahhsa_signal_release(callback.data);
        }
        if (count == 0)
            return;
        stream->pins++;
        ahhsa_unlock(device);
        for (unsigned i = 0; i < count; i++)
            batch[i].function(batch[i].data);
        ahhsa_lock(device);
        stream->pins--;
    } while (ahhsa_stream_has_due_callback(stream));
}

void ahhsa_stream_run_all_callbacks(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    while (stream->callback_count > 0) {
        stream->checkpoint = stream->checkpoint ? stream->checkpoint : 1;
        struct ahhsa_callback callback = pop_callback(stream);
        if (!callback.function) {
            ahhsa_signal_release(callback.data);
            continue;
        }
        ahhsa_unlock(device);
        callback.function(callback.data);
        ahhsa_lock(device);
    }
}

/* ---- what a stream waits for ------------------------------------------------------------ */

hipError_t ahhsa_stream_add_dependency(struct ah_backend_stream *stream,
                                       struct ahhsa_signal *signal)
{
    if (ahhsa_signal_is_done(signal))
        return hipSuccess;
    for (unsigned i = 0; i < stream->dependency_count; i++)
        if (stream->dependencies[i] == signal)
            return hipSuccess;
    if (stream->dependency_count == stream->dependency_capacity) {
        unsigned room =
            stream->dependency_capacity ? stream->dependency_capacity * 2 : INITIAL_DEPENDENCIES;
        struct ahhsa_signal **dependencies =
            realloc(stream->dependencies, room * sizeof *dependencies);
        if (!dependencies)
            return hipErrorOutOfMemory;
        stream->dependencies = dependencies;
        stream->dependency_capacity = room;
    }
    stream->dependencies[stream->dependency_count++] = ahhsa_signal_retain(signal);
    stream->host_dependent |= signal->host_dependent;
    return hipSuccess;
}

static void remove_done_dependencies(struct ah_backend_stream *stream)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < stream->dependency_count; i++)
        if (ahhsa_signal_is_done(stream->dependencies[i]))
            ahhsa_signal_release(stream->dependencies[i]);
        else
            stream->dependencies[kept++] = stream->dependencies[i];
    stream->dependency_count = kept;
}

static bool is_pending(const struct ahhsa_signal *signal)
{
    return signal && !ahhsa_signal_is_done(signal);
}

hipError_t ahhsa_stream_reserve(struct ah_backend_stream *stream, unsigned packets,
                                unsigned callbacks)
{
    for (;;) {
        hipError_t error = hipSuccess;
        remove_done_dependencies(stream);
        if (stream->off_queue && is_pending(stream->last_signal))
            error = ahhsa_stream_add_dependency(stream, stream->last_signal);
        if (error == hipSuccess)
            error = ahhsa_stream_reserve_callbacks(stream, stream->dependency_count + callbacks);
        if (error != hipSuccess)
            return error;
        unsigned needed = packets + ahhsa_barriers_for(stream->dependency_count);
        if (ahhsa_queue_has_space(stream->queue, needed))
            return hipSuccess;
        stream->pins++; /* another stream than the caller's may be destroyed meanwhile */
        error = ahhsa_queue_wait_for_space(stream->queue, needed);
        stream->pins--;
        if (error != hipSuccess)
            return error;
    }
}

/* A barrier for everything that the stream waits for; there is room. */
static void insert_barrier(struct ah_backend_stream *stream, hsa_signal_t completion)
{
    ahhsa_queue_barrier(stream->queue, ahhsa_stream_needs_barrier_bit(stream), stream->dependencies,
                        stream->dependency_count, completion);
    for (unsigned i = 0; i < stream->dependency_count; i++)
        ahhsa_stream_add_callback(stream, NULL, stream->dependencies[i]);
    stream->dependency_count = 0;
    stream->unsignaled = true;
    stream->off_queue = false;
}

void ahhsa_stream_insert_dependencies(struct ah_backend_stream *stream)
{
    if (stream->dependency_count > 0)
        insert_barrier(stream, (hsa_signal_t){0});
}

hipError_t ahhsa_stream_insert_marker(struct ah_backend_stream *stream, bool fresh)
{
    remove_done_dependencies(stream);
    if (!fresh && !stream->unsignaled && stream->dependency_count == 0)
        return hipSuccess;
    hipError_t error = ahhsa_device_error(stream->device); /* no device would complete the marker */
    if (error == hipSuccess)
        error = ahhsa_stream_reserve(stream, 1, 1);
    if (error != hipSuccess)
        return error;
    struct ahhsa_signal *signal = ahhsa_signal_acquire(stream->device);
    if (!signal)
        return hipErrorOutOfMemory;
    insert_barrier(stream, signal->hsa);
    ahhsa_stream_set_last_signal(stream, signal, false);
    return hipSuccess;
}

bool ahhsa_stream_is_idle(const struct ah_backend_stream *stream)
{
    for (unsigned i = 0; i < stream->dependency_count; i++)
        if (!ahhsa_signal_is_done(stream->dependencies[i]))
            return false;
    return !stream->unsignaled && !is_pending(stream->last_signal);
}

hipError_t ahhsa_stream_use_own_queue(struct ah_backend_stream *stream)
{
    struct ahhsa_queue *queue;
    hipError_t error;
    if (stream->queue->exclusive)
        return hipSuccess;
    if (stream->queue->streams == 1) {
        stream->queue->exclusive = true;
        return hipSuccess;
    }
    error = ahhsa_stream_insert_marker(stream, false);
    if (error != hipSuccess)
        return error;
    if (ahhsa_queue_assign(stream->device, stream->queue->priority, true, &queue) != hipSuccess)
        return hipSuccess; /* none left: the stream goes on sharing its queue */
    ahhsa_queue_detach(stream->queue);
    stream->queue = queue;
    stream->off_queue = stream->last_signal != NULL;
    return hipSuccess;
}

static void activate(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    stream->is_active = true;
    stream->next_active = device->queues->active_blocking;
    stream->active_link = &device->queues->active_blocking;
    if (stream->next_active)
        stream->next_active->active_link = &stream->next_active;
    device->queues->active_blocking = stream;
}

void ahhsa_stream_deactivate(struct ah_backend_stream *stream)
{
    if (!stream->is_active)
        return;
    *stream->active_link = stream->next_active;
    if (stream->next_active)
        stream->next_active->active_link = stream->active_link;
    stream->is_active = false;
}

/* Whether a barrier for the signal would make packets of other streams wait for the host. */
static bool needs_own_queue(const struct ah_backend_stream *stream,
                            const struct ahhsa_signal *signal)
{
    return is_pending(signal) && signal->host_dependent && !stream->queue->exclusive;
}

/* Orders the legacy stream after the work of blocking streams since its last use. */
static hipError_t order_legacy(struct ah_backend_stream *legacy)
{
    struct ah_backend_device *device = legacy->device;
    struct ah_backend_stream *stream;
    bool moved = false; /* at most once: there may be no queue left */
    device->queues->legacy_work++;
    while ((stream = device->queues->active_blocking)) {
        hipError_t error = ahhsa_stream_insert_marker(stream, false);
        if (error != hipSuccess)
            return error;
        if (device->queues->active_blocking != stream)
            continue;
        if (!moved && needs_own_queue(legacy, stream->last_signal)) {
            moved = true;
            error = ahhsa_stream_use_own_queue(legacy);
            if (error != hipSuccess)
                return error;
            continue; /* the lock may have been released */
        }
        error = stream->last_signal ? ahhsa_stream_add_dependency(legacy, stream->last_signal)
                                    : hipSuccess;
        if (error != hipSuccess)
            return error;
        ahhsa_stream_deactivate(stream);
    }
    return hipSuccess;
}

hipError_t ahhsa_stream_order_with_default(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    if (stream->legacy)
        return order_legacy(stream);
    if (!stream->blocking)
        return hipSuccess;
    if (stream->legacy_work_seen != device->queues->legacy_work) {
        hipError_t error = ahhsa_stream_insert_marker(device->queues->legacy, false);
        if (error == hipSuccess && needs_own_queue(stream, device->queues->legacy->last_signal)) {
            error = ahhsa_stream_use_own_queue(stream);
            if (error == hipSuccess) /* the lock may have been released */
                error = ahhsa_stream_insert_marker(device->queues->legacy, false);
        }
        if (error == hipSuccess && device->queues->legacy->last_signal)
            error = ahhsa_stream_add_dependency(stream, device->queues->legacy->last_signal);
        if (error != hipSuccess)
            return error;
        stream->legacy_work_seen = device->queues->legacy_work;
    }
    if (!stream->is_active)
        activate(stream);
    return hipSuccess;
}

/* ---- work outside of the hardware queue ------------------------------------------------- */

hipError_t ahhsa_work_begin(struct ah_backend_stream *stream, struct ahhsa_work *out_work)
{
    enum { CALLBACKS = 6 };
    struct ah_backend_device *device = stream->device;
    struct ahhsa_work work = {.stream = stream, .device = device, .kind = AH_TRACE_HOST};
    ahhsa_lock(device);
    ahhsa_stream_reap(stream);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_order_with_default(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_insert_marker(stream, false);
    if (error == hipSuccess)
        error = ahhsa_stream_reserve_callbacks(stream, CALLBACKS);
    if (error == hipSuccess && !(work.after = ahhsa_signal_acquire(device)))
        error = hipErrorOutOfMemory;
    if (error != hipSuccess) {
        ahhsa_unlock(device);
        return error;
    }
    work.traced = ahhsa_trace_command(stream);
    atomic_store_explicit(&work.after->timed, work.traced != 0, memory_order_relaxed);
    if (is_pending(stream->last_signal)) {
        work.before = ahhsa_signal_retain(stream->last_signal);
        work.host_dependent = stream->host_dependent;
        ahhsa_stream_add_callback(stream, NULL, work.before);
    }
    *out_work = work;
    return hipSuccess;
}

static void report_work(const struct ahhsa_work *work)
{
    ahhsa_trace_add(work->device, &(struct ahhsa_traced){.id = work->traced,
                                                         .kind = work->kind,
                                                         .node = -1,
                                                         .bytes = work->bytes,
                                                         .signal = work->after});
}

void ahhsa_work_end(struct ahhsa_work *work)
{
    if (__builtin_expect(work->traced != 0, 0))
        report_work(work);
    ahhsa_stream_set_last_signal(work->stream, work->after, true);
    ahhsa_unlock(work->stream->device);
}

void ahhsa_work_cancel(struct ahhsa_work *work)
{
    if (work->before) { /* its callback is the latest */
        work->stream->callback_count--;
        ahhsa_signal_release(work->before);
    }
    ahhsa_signal_release(work->after);
    ahhsa_unlock(work->stream->device);
}

void ahhsa_work_abandon(struct ahhsa_work *work)
{
    struct ahhsa_job job = {.kind = AHHSA_JOB_COMPLETE};
    hipError_t error = hipErrorNotReady;
    if (is_pending(work->before)) {
        ahhsa_lock(work->stream->device);
        error = ahhsa_host_enqueue_at(work, &job);
        ahhsa_unlock(work->stream->device);
        if (error != hipSuccess) /* there is no thread to wait for it */
            ahhsa_signal_wait(work->before);
    }
    if (error != hipSuccess)
        ahhsa_signal_subtract(work->after, 1);
}

/* ---- waiting ---------------------------------------------------------------------------- */

/* The signal of all of the stream's work, retained; NULL: it has ended. */
static hipError_t last_signal(struct ah_backend_stream *stream, struct ahhsa_signal **out_signal)
{
    hipError_t error = ahhsa_device_error(stream->device);
    if (error == hipSuccess && stream->legacy)
        error = ahhsa_stream_order_with_default(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_insert_marker(stream, false);
    *out_signal = NULL;
    if (error == hipSuccess && is_pending(stream->last_signal))
        *out_signal = ahhsa_signal_retain(stream->last_signal);
    return error;
}

/* After a wait for the legacy stream, callbacks of other streams may be due as well. */
static void reap_after_wait(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    if (stream->legacy) {
        ahhsa_device_reap(device);
        return;
    }
    ahhsa_lock(device);
    ahhsa_stream_run_callbacks(stream);
    ahhsa_unlock(device);
}

/* The signal of all of the stream's work, as above. */
static hipError_t enter_last(struct ah_backend_device *device, struct ah_backend_stream *stream,
                             struct ahhsa_signal **out_signal)
{
    hipError_t error = ahhsa_enter(device);
    *out_signal = NULL;
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    error = last_signal(stream, out_signal);
    ahhsa_unlock(device);
    return error;
}

/* HSA polls or sleeps: a thread that yields between polls sleeps here. */
static bool spins(const struct ah_backend_stream *stream)
{
    int policy = atomic_load(&stream->policy);
    return policy == hipSyncPolicySpin ||
           (policy < hipSyncPolicySpin && stream->device->flags & hipDeviceScheduleSpin);
}

hipError_t ahhsa_stream_synchronize(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream)
{
    struct ahhsa_signal *signal;
    hipError_t error = enter_last(device, stream, &signal);
    if (error != hipSuccess)
        return error;
    if (signal)
        error = ahhsa_signal_wait_as(signal, spins(stream));
    ahhsa_signal_release(signal);
    if (error != hipSuccess)
        return error;
    reap_after_wait(stream);
    device->backend->callbacks->trim_pools(device);
    return ahhsa_device_error(device);
}

hipError_t ahhsa_stream_order_after_device(struct ah_backend_device *device,
                                           struct ah_backend_stream *stream,
                                           struct ah_backend_device *other)
{
    struct ah_backend_stream *legacy;
    struct ahhsa_signal *signal = NULL;
    if (!stream->legacy || !other || other == device)
        return hipSuccess;
    hipError_t error = ahhsa_stream_legacy(other, &legacy);
    if (error == hipSuccess)
        error = enter_last(other, legacy, &signal);
    if (signal)
        error = ahhsa_stream_wait_signal(device, stream, signal);
    ahhsa_signal_release(signal);
    return error;
}

hipError_t ahhsa_stream_query(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    struct ahhsa_signal *signal;
    hipError_t error = enter_last(device, stream, &signal);
    if (error != hipSuccess)
        return error;
    ahhsa_signal_release(signal);
    if (signal)
        return hipErrorNotReady;
    reap_after_wait(stream);
    return ahhsa_device_error(device);
}

/* Waits for all that was put into the stream so far, during which the lock is not held. */
static hipError_t drain_stream(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    hipError_t error = ahhsa_stream_insert_marker(stream, false);
    if (error != hipSuccess || !is_pending(stream->last_signal))
        return error;
    struct ahhsa_signal *signal = ahhsa_signal_retain(stream->last_signal);
    ahhsa_unlock(device);
    error = ahhsa_signal_wait(signal);
    ahhsa_signal_release(signal);
    ahhsa_lock(device);
    return error;
}

/* Streams that are created meanwhile are put before the first, and are not waited for. */
hipError_t ahhsa_device_drain(struct ah_backend_device *device)
{
    hipError_t error = hipSuccess;
    ahhsa_lock(device);
    uint64_t generation = atomic_load(&device->generation);
    for (struct ah_backend_stream *stream = device->queues->streams;
         stream && error == hipSuccess;) {
        stream->pins++; /* so that it is not freed */
        error = drain_stream(stream);
        if (atomic_load(&device->generation) != generation)
            break; /* a reset has freed them all */
        stream->pins--;
        stream = stream->next;
    }
    ahhsa_unlock(device);
    ahhsa_device_reap(device);
    return error == hipSuccess ? ahhsa_device_error(device) : error;
}

hipError_t ahhsa_device_synchronize(struct ah_backend_device *device)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    if (error == hipSuccess)
        device->backend->callbacks->trim_pools(device);
    return error;
}

/* ---- for other rooms -------------------------------------------------------------------- */

struct ah_backend_device *ahhsa_stream_device(const struct ah_backend_stream *stream)
{
    return stream->device;
}

uint64_t ahhsa_stream_id(const struct ah_backend_stream *stream)
{
    return stream->id;
}

bool ahhsa_stream_is_legacy(const struct ah_backend_stream *stream)
{
    return stream->legacy;
}

struct ahhsa_stream_output *ahhsa_stream_output(struct ah_backend_stream *stream)
{
    return &stream->output;
}

hipError_t ahhsa_stream_last_signal(struct ah_backend_stream *stream,
                                    struct ahhsa_signal **out_signal)
{
    *out_signal = NULL;
    ahhsa_lock(stream->device);
    hipError_t error = ahhsa_device_error(stream->device);
    if (error == hipSuccess)
        error = ahhsa_stream_order_with_default(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_insert_marker(stream, false);
    if (error == hipSuccess && stream->last_signal)
        *out_signal = ahhsa_signal_retain(stream->last_signal);
    ahhsa_unlock(stream->device);
    return error;
}

hipError_t ahhsa_stream_wait_signal(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream, struct ahhsa_signal *signal)
{
    ahhsa_lock(device);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_order_with_default(
            stream); /* the wait is work of the stream: other streams are ordered after it */
    if (error == hipSuccess && signal->host_dependent)
        error = ahhsa_stream_use_own_queue(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_add_dependency(stream, signal);
    ahhsa_unlock(device);
    return error;
}

hipError_t ahhsa_stream_native(struct ah_backend_device *device, struct ah_backend_stream *stream,
                               uint64_t *out_native)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    *out_native = (uintptr_t)stream->queue->hsa;
    ahhsa_unlock(device);
    return hipSuccess;
}
