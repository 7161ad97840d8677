/* Owns streams: the order of work within one and between them, default streams, what is
 * done when work has ended, and waiting for it.
 *
 * A stream's kernels and barriers follow one another in its queue. Most have no signal:
 * whoever has to know when they end puts a barrier with one behind them ("marks" it). What
 * does not go through the queue has a signal, and the next packet a barrier for it. */
#include "hsa_queue.h"
#include "hsa_memory.h"

#include <stdlib.h>
#include <string.h>

enum { HOOK_ROOM_FIRST = 16, WAIT_ROOM_FIRST = 4, BATCH = 16 };
enum { PRIORITY_LEAST = 1, PRIORITY_GREATEST = -1 };

struct ahhsa_hook {
    void (*function)(void *data); /* NULL: data is a signal to let go of */
    void *data;
    bool checkpoint; /* ... when it is done, and with it everything before */
};

/* ---- hooks ------------------------------------------------------------------------------ */

static struct ahhsa_hook *hook_at(const struct ah_backend_stream *stream, unsigned number)
{
    return &stream->hooks[(stream->hook_first + number) & (stream->hook_room - 1)];
}

hipError_t ahhsa_stream_reserve_hooks(struct ah_backend_stream *stream, unsigned count)
{
    unsigned room = stream->hook_room ? stream->hook_room : HOOK_ROOM_FIRST;
    if (stream->hook_count + count <= stream->hook_room)
        return hipSuccess;
    while (room < stream->hook_count + count)
        room *= 2;
    struct ahhsa_hook *hooks = malloc(room * sizeof *hooks);
    if (!hooks)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < stream->hook_count; i++)
        hooks[i] = *hook_at(stream, i);
    free(stream->hooks);
    stream->hooks = hooks;
    stream->hook_first = 0;
    stream->hook_room = room;
    return hipSuccess;
}

void ahhsa_stream_hook(struct ah_backend_stream *stream, void (*function)(void *data), void *data)
{
    *hook_at(stream, stream->hook_count++) = (struct ahhsa_hook){function, data, false};
}

void ahhsa_stream_set_tail(struct ah_backend_stream *stream, struct ahhsa_signal *signal,
                           bool elsewhere)
{
    *hook_at(stream, stream->hook_count++) = (struct ahhsa_hook){NULL, signal, true};
    if (stream->checkpoint == 0)
        stream->checkpoint = stream->hook_count;
    if (!elsewhere)
        stream->soft |= ahhsa_queue_is_soft(stream->queue);
    signal->soft = stream->soft;
    stream->tail = signal;
    stream->loose = false;
    stream->elsewhere = elsewhere;
}

static void find_checkpoint(struct ah_backend_stream *stream)
{
    for (unsigned i = 0; i < stream->hook_count; i++)
        if (hook_at(stream, i)->checkpoint) {
            stream->checkpoint = i + 1;
            return;
        }
}

/* The first hook, whose time has come. */
static struct ahhsa_hook pop_hook(struct ah_backend_stream *stream)
{
    struct ahhsa_hook hook = *hook_at(stream, 0);
    stream->hook_first = (stream->hook_first + 1) & (stream->hook_room - 1);
    stream->hook_count--;
    stream->checkpoint--;
    if (hook.checkpoint && stream->tail == hook.data) {
        stream->tail = NULL;
        stream->elsewhere = false;
        stream->soft &= stream->loose || stream->wait_count > 0;
    }
    if (hook.checkpoint)
        find_checkpoint(stream);
    return hook;
}

static bool has_due_hook(const struct ah_backend_stream *stream)
{
    return stream->checkpoint != 0 &&
           ahhsa_signal_is_done(hook_at(stream, stream->checkpoint - 1)->data);
}

/* The hook of a signal that failed: what came after it did not have what it needs. */
static void check_signal(void *data)
{
    ahhsa_signal_check(data);
    ahhsa_signal_release(data);
}

void ahhsa_stream_retire(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    struct ahhsa_hook batch[BATCH];
    do {
        unsigned count = 0;
        while (count < BATCH && has_due_hook(stream)) {
            struct ahhsa_hook hook = pop_hook(stream);
            if (!hook.function && ahhsa_signal_has_failed(hook.data))
                hook.function = check_signal;
            if (hook.function)
                batch[count++] = hook;
            else
                ahhsa_signal_release(hook.data);
        }
        if (count == 0)
            return;
        stream->users++;
        ahhsa_unlock(device);
        for (unsigned i = 0; i < count; i++)
            batch[i].function(batch[i].data);
        ahhsa_lock(device);
        stream->users--;
    } while (has_due_hook(stream));
}

/* ---- what a stream waits for ------------------------------------------------------------ */

hipError_t ahhsa_stream_wait(struct ah_backend_stream *stream, struct ahhsa_signal *signal)
{
    if (ahhsa_signal_is_done(signal))
        return hipSuccess;
    for (unsigned i = 0; i < stream->wait_count; i++)
        if (stream->waits[i] == signal)
            return hipSuccess;
    if (stream->wait_count == stream->wait_room) {
        unsigned room = stream->wait_room ? stream->wait_room * 2 : WAIT_ROOM_FIRST;
        struct ahhsa_signal **waits = realloc(stream->waits, room * sizeof *waits);
        if (!waits)
            return hipErrorOutOfMemory;
        stream->waits = waits;
        stream->wait_room = room;
    }
    stream->waits[stream->wait_count++] = ahhsa_signal_hold(signal);
    stream->soft |= signal->soft;
    return hipSuccess;
}

static void forget_done_waits(struct ah_backend_stream *stream)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < stream->wait_count; i++)
        if (ahhsa_signal_is_done(stream->waits[i]))
            ahhsa_signal_release(stream->waits[i]);
        else
            stream->waits[kept++] = stream->waits[i];
    stream->wait_count = kept;
}

static bool is_pending(const struct ahhsa_signal *signal)
{
    return signal && !ahhsa_signal_is_done(signal);
}

hipError_t ahhsa_stream_make_room(struct ah_backend_stream *stream, unsigned packets,
                                  unsigned hooks)
{
    for (;;) {
        hipError_t error = hipSuccess;
        forget_done_waits(stream);
        if (stream->elsewhere && is_pending(stream->tail))
            error = ahhsa_stream_wait(stream, stream->tail);
        if (error == hipSuccess)
            error = ahhsa_stream_reserve_hooks(stream, stream->wait_count + hooks);
        if (error != hipSuccess)
            return error;
        unsigned needed = packets + ahhsa_barriers_for(stream->wait_count);
        if (ahhsa_queue_has_room(stream->queue, needed))
            return hipSuccess;
        stream->users++; /* it may be destroyed meanwhile, if it is not the caller's */
        error = ahhsa_queue_wait(stream->queue, needed);
        stream->users--;
        if (error != hipSuccess)
            return error;
    }
}

static bool must_wait(const struct ah_backend_stream *stream)
{
    return stream->loose || (!stream->elsewhere && is_pending(stream->tail));
}

/* A barrier for everything that the stream waits for; there is room. */
static void put_barrier(struct ah_backend_stream *stream, hsa_signal_t completion)
{
    ahhsa_queue_barrier(stream->queue, must_wait(stream), stream->waits, stream->wait_count,
                        completion);
    for (unsigned i = 0; i < stream->wait_count; i++)
        ahhsa_stream_hook(stream, NULL, stream->waits[i]);
    stream->wait_count = 0;
    stream->loose = true;
    stream->elsewhere = false;
}

bool ahhsa_stream_put_waits(struct ah_backend_stream *stream)
{
    if (stream->wait_count > 0)
        put_barrier(stream, (hsa_signal_t){0});
    return must_wait(stream);
}

hipError_t ahhsa_stream_mark(struct ah_backend_stream *stream, bool fresh)
{
    forget_done_waits(stream);
    if (!fresh && !stream->loose && stream->wait_count == 0)
        return hipSuccess;
    hipError_t error = ahhsa_device_error(stream->device); /* nobody would ever complete it */
    if (error == hipSuccess)
        error = ahhsa_stream_make_room(stream, 1, 1);
    if (error != hipSuccess)
        return error;
    struct ahhsa_signal *signal = ahhsa_signal_take(stream->device);
    if (!signal)
        return hipErrorOutOfMemory;
    put_barrier(stream, signal->hsa);
    ahhsa_stream_set_tail(stream, signal, false);
    return hipSuccess;
}

bool ahhsa_stream_is_idle(const struct ah_backend_stream *stream)
{
    for (unsigned i = 0; i < stream->wait_count; i++)
        if (!ahhsa_signal_is_done(stream->waits[i]))
            return false;
    return !stream->loose && !is_pending(stream->tail);
}

static void enter_joined(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    stream->joins = true;
    stream->next_joined = device->joined;
    stream->joined_link = &device->joined;
    if (stream->next_joined)
        stream->next_joined->joined_link = &stream->next_joined;
    device->joined = stream;
}

static void leave_joined(struct ah_backend_stream *stream)
{
    if (!stream->joins)
        return;
    *stream->joined_link = stream->next_joined;
    if (stream->next_joined)
        stream->next_joined->joined_link = stream->joined_link;
    stream->joins = false;
}

/* Whether a barrier for the signal would keep the packets of other streams waiting for the host. */
static bool must_move(const struct ah_backend_stream *stream, const struct ahhsa_signal *signal)
{
    return is_pending(signal) && signal->soft && !stream->queue->exclusive;
}

/* The legacy stream waits for what blocking streams were given since it was last used. */
static hipError_t join_all(struct ah_backend_stream *legacy)
{
    struct ah_backend_device *device = legacy->device;
    struct ah_backend_stream *stream;
    bool moved = false; /* as far as there are queues left */
    device->legacy_work++;
    while ((stream = device->joined)) {
        hipError_t error = ahhsa_stream_mark(stream, false);
        if (error != hipSuccess)
            return error;
        if (device->joined != stream)
            continue;
        if (!moved && must_move(legacy, stream->tail)) {
            moved = true;
            error = ahhsa_stream_move(legacy);
            if (error != hipSuccess)
                return error;
            continue; /* the lock may have been let go */
        }
        error = stream->tail ? ahhsa_stream_wait(legacy, stream->tail) : hipSuccess;
        if (error != hipSuccess)
            return error;
        leave_joined(stream);
    }
    return hipSuccess;
}

hipError_t ahhsa_stream_join(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    if (stream->legacy)
        return join_all(stream);
    if (!stream->blocking)
        return hipSuccess;
    if (stream->legacy_seen != device->legacy_work) {
        hipError_t error = ahhsa_stream_mark(device->legacy, false);
        if (error == hipSuccess && must_move(stream, device->legacy->tail)) {
            error = ahhsa_stream_move(stream);
            if (error == hipSuccess) /* the lock may have been let go */
                error = ahhsa_stream_mark(device->legacy, false);
        }
        if (error == hipSuccess && device->legacy->tail)
            error = ahhsa_stream_wait(stream, device->legacy->tail);
        if (error != hipSuccess)
            return error;
        stream->legacy_seen = device->legacy_work;
    }
    if (!stream->joins)
        enter_joined(stream);
    return hipSuccess;
}

/* ---- work that happens elsewhere -------------------------------------------------------- */

hipError_t ahhsa_work_begin(struct ah_backend_stream *stream, struct ahhsa_work *out_work)
{
    enum { HOOKS = 6 };
    struct ah_backend_device *device = stream->device;
    struct ahhsa_work work = {.stream = stream};
    ahhsa_lock(device);
    ahhsa_stream_tidy(stream);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_join(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_mark(stream, false);
    if (error == hipSuccess)
        error = ahhsa_stream_reserve_hooks(stream, HOOKS);
    if (error == hipSuccess && !(work.after = ahhsa_signal_take(device)))
        error = hipErrorOutOfMemory;
    if (error != hipSuccess) {
        ahhsa_unlock(device);
        return error;
    }
    if (is_pending(stream->tail)) {
        work.before = ahhsa_signal_hold(stream->tail);
        work.soft = stream->soft;
        ahhsa_stream_hook(stream, NULL, work.before);
    }
    *out_work = work;
    return hipSuccess;
}

void ahhsa_work_end(struct ahhsa_work *work)
{
    ahhsa_stream_set_tail(work->stream, work->after, true);
    ahhsa_unlock(work->stream->device);
}

void ahhsa_work_cancel(struct ahhsa_work *work)
{
    if (work->before) { /* its hook is the latest */
        work->stream->hook_count--;
        ahhsa_signal_release(work->before);
    }
    ahhsa_signal_release(work->after);
    ahhsa_unlock(work->stream->device);
}

void ahhsa_work_failed(struct ahhsa_work *work)
{
    struct ahhsa_job job = {.kind = AHHSA_JOB_NOTHING};
    hipError_t error = hipErrorNotReady;
    if (is_pending(work->before)) {
        ahhsa_lock(work->stream->device);
        error = ahhsa_host_put(work, &job);
        ahhsa_unlock(work->stream->device);
        if (error != hipSuccess) /* there is no thread that could */
            ahhsa_signal_wait(work->before);
    }
    if (error != hipSuccess)
        ahhsa_signal_subtract(work->after, 1);
}

/* ---- waiting ---------------------------------------------------------------------------- */

/* The signal of all of the stream's work, held; NULL: it has ended. */
static hipError_t last_signal(struct ah_backend_stream *stream, struct ahhsa_signal **out_signal)
{
    hipError_t error = ahhsa_device_error(stream->device);
    if (error == hipSuccess && stream->legacy)
        error = ahhsa_stream_join(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_mark(stream, false);
    *out_signal = NULL;
    if (error == hipSuccess && is_pending(stream->tail))
        *out_signal = ahhsa_signal_hold(stream->tail);
    return error;
}

/* Whether the hooks of others may be due as well. */
static void retire_after_wait(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    if (stream->legacy) {
        ahhsa_device_retire(device);
        return;
    }
    ahhsa_lock(device);
    ahhsa_stream_retire(stream);
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

hipError_t ahhsa_stream_synchronize(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream)
{
    struct ahhsa_signal *signal;
    hipError_t error = enter_last(device, stream, &signal);
    if (error != hipSuccess)
        return error;
    if (signal)
        error = ahhsa_signal_wait(signal);
    ahhsa_signal_release(signal);
    if (error != hipSuccess)
        return error;
    retire_after_wait(stream);
    ahhsa_pools_trim(device);
    return ahhsa_device_error(device);
}

hipError_t ahhsa_stream_follow(struct ah_backend_device *device, struct ah_backend_stream *stream,
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
        error = ahhsa_stream_depend(device, stream, signal);
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
    retire_after_wait(stream);
    return ahhsa_device_error(device);
}

/* Waits for all that was put into the stream so far, during which the lock is not held. */
static hipError_t drain_stream(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    hipError_t error = ahhsa_stream_mark(stream, false);
    if (error != hipSuccess || !is_pending(stream->tail))
        return error;
    struct ahhsa_signal *signal = ahhsa_signal_hold(stream->tail);
    ahhsa_unlock(device);
    error = ahhsa_signal_wait(signal);
    ahhsa_signal_release(signal);
    ahhsa_lock(device);
    return error;
}

/* Streams that are made meanwhile come before the first, and are not waited for. */
hipError_t ahhsa_device_drain(struct ah_backend_device *device)
{
    hipError_t error = hipSuccess;
    ahhsa_lock(device);
    uint64_t generation = atomic_load(&device->generation);
    for (struct ah_backend_stream *stream = device->streams; stream && error == hipSuccess;) {
        stream->users++; /* so that it is not freed */
        error = drain_stream(stream);
        if (atomic_load(&device->generation) != generation)
            break; /* a reset has freed them all */
        stream->users--;
        stream = stream->next;
    }
    ahhsa_unlock(device);
    ahhsa_device_retire(device);
    return error == hipSuccess ? ahhsa_device_error(device) : error;
}

hipError_t ahhsa_device_synchronize(struct ah_backend_device *device)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    if (error == hipSuccess)
        ahhsa_pools_trim(device);
    return error;
}

/* ---- making and ending ------------------------------------------------------------------ */

hipError_t ahhsa_device_priority_range(struct ah_backend_device *device, int *out_least,
                                       int *out_greatest)
{
    bool has = device->api->hsa_amd_queue_set_priority != NULL;
    *out_least = has ? PRIORITY_LEAST : 0;
    *out_greatest = has ? PRIORITY_GREATEST : 0;
    return hipSuccess;
}

static hsa_amd_queue_priority_t native_priority(int priority)
{
    return priority < 0   ? HSA_AMD_QUEUE_PRIORITY_HIGH
           : priority > 0 ? HSA_AMD_QUEUE_PRIORITY_LOW
                          : HSA_AMD_QUEUE_PRIORITY_NORMAL;
}

/* Under the lock. */
static hipError_t open_stream(struct ah_backend_device *device, bool blocking, int priority,
                              bool exclusive, struct ah_backend_stream **out_stream)
{
    static _Atomic uint64_t last_id;
    struct ah_backend_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return hipErrorOutOfMemory;
    stream->device = device;
    stream->blocking = blocking;
    stream->priority = priority;
    stream->id = atomic_fetch_add(&last_id, 1) + 1;
    hipError_t error =
        ahhsa_queue_choose(device, native_priority(priority), exclusive, &stream->queue);
    if (error != hipSuccess) {
        free(stream);
        return error;
    }
    stream->next = device->streams;
    stream->link = &device->streams;
    if (stream->next)
        stream->next->link = &stream->next;
    device->streams = stream;
    *out_stream = stream;
    return hipSuccess;
}

hipError_t ahhsa_stream_open(struct ah_backend_device *device, bool blocking, int priority,
                             struct ah_backend_stream **out_stream)
{
    ahhsa_lock(device);
    hipError_t error = open_stream(device, blocking, priority, false, out_stream);
    ahhsa_unlock(device);
    return error;
}

hipError_t ahhsa_stream_create(struct ah_backend_device *device, unsigned flags, int priority,
                               struct ah_backend_stream **out_stream)
{
    hipError_t error = ahhsa_enter(device);
    return error == hipSuccess
               ? ahhsa_stream_open(device, !(flags & hipStreamNonBlocking), priority, out_stream)
               : error;
}

hipError_t ahhsa_stream_legacy(struct ah_backend_device *device,
                               struct ah_backend_stream **out_stream)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        *out_stream = device->legacy;
    return error;
}

hipError_t ahhsa_stream_per_thread(struct ah_backend_device *device,
                                   struct ah_backend_stream **out_stream)
{
    return ahhsa_stream_create(device, hipStreamDefault, 0, out_stream);
}

hipError_t ahhsa_stream_create_masked(struct ah_backend_device *device, const uint32_t *mask,
                                      unsigned words, struct ah_backend_stream **out_stream)
{
    enum { BITS = 32 };
    struct ah_backend_stream *stream = NULL;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->hsa_amd_queue_cu_set_mask)
        return ahhsa_missing(device, "hsa_amd_queue_cu_set_mask");
    ahhsa_lock(device);
    error = open_stream(device, true, 0, true, &stream);
    if (error == hipSuccess) {
        hsa_status_t status =
            device->api->hsa_amd_queue_cu_set_mask(stream->queue->hsa, words * BITS, mask);
        if (status != (hsa_status_t)HSA_STATUS_CU_MASK_REDUCED)
            error = ahhsa_done(device, "hsa_amd_queue_cu_set_mask", status);
        stream->queue->masked = true;
    }
    ahhsa_unlock(device);
    if (error == hipSuccess)
        *out_stream = stream;
    else if (stream)
        ahhsa_stream_destroy(device, stream);
    return error;
}

hipError_t ahhsa_stream_move(struct ah_backend_stream *stream)
{
    struct ahhsa_queue *queue;
    hipError_t error;
    if (stream->queue->exclusive)
        return hipSuccess;
    if (stream->queue->streams == 1) {
        stream->queue->exclusive = true;
        return hipSuccess;
    }
    error = ahhsa_stream_mark(stream, false);
    if (error != hipSuccess)
        return error;
    if (ahhsa_queue_choose(stream->device, stream->queue->priority, true, &queue) != hipSuccess)
        return hipSuccess; /* none left: goes on sharing */
    ahhsa_queue_leave(stream->queue);
    stream->queue = queue;
    stream->elsewhere = stream->tail != NULL;
    return hipSuccess;
}

/* Takes the stream out of the device's lists and frees it. Its work has ended. */
static void close_stream(struct ah_backend_stream *stream)
{
    *stream->link = stream->next;
    if (stream->next)
        stream->next->link = stream->link;
    leave_joined(stream);
    stream->device->dying -= stream->dying;
    for (unsigned i = 0; i < stream->wait_count; i++)
        ahhsa_signal_release(stream->waits[i]);
    ahhsa_queue_leave(stream->queue);
    ahhsa_kernarg_leave(stream);
    free(stream->waits);
    free(stream->hooks);
    free(stream);
}

/* A stream that others still wait for, or whose hooks did not run, is freed later. */
static bool is_over(const struct ah_backend_stream *stream)
{
    return stream->dying && stream->users == 0 && stream->hook_count == 0 &&
           ahhsa_stream_is_idle(stream);
}

void ahhsa_device_retire(struct ah_backend_device *device)
{
    ahhsa_lock(device);
    for (struct ah_backend_stream *stream = device->streams, *next; stream; stream = next) {
        ahhsa_stream_retire(stream);
        next = stream->next;
        if (is_over(stream))
            close_stream(stream);
    }
    device->dying_before = device->dying;
    ahhsa_unlock(device);
    ahhsa_workers_reap(device);
}

hipError_t ahhsa_stream_destroy(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    enum { FEW = 16 };
    ahhsa_lock(device);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_mark(stream, false);
    if (error != hipSuccess) {
        ahhsa_unlock(device);
        return error;
    }
    if (stream->worker)
        ahhsa_worker_stop(stream->worker);
    stream->worker = NULL;
    stream->dying = true;
    device->dying++;
    ahhsa_stream_retire(stream);
    if (is_over(stream))
        close_stream(stream);
    bool many = device->dying > 2 * device->dying_before + FEW;
    ahhsa_unlock(device);
    if (many) /* of those that were busy some may be done by now */
        ahhsa_device_retire(device);
    return hipSuccess;
}

void ahhsa_streams_close(struct ah_backend_device *device)
{
    ahhsa_workers_end(device);
    ahhsa_lock(device);
    while (device->streams) {
        struct ah_backend_stream *stream = device->streams;
        while (stream->hook_count > 0) {
            stream->checkpoint = stream->checkpoint ? stream->checkpoint : 1;
            struct ahhsa_hook hook = pop_hook(stream);
            if (!hook.function) {
                ahhsa_signal_release(hook.data);
                continue;
            }
            ahhsa_unlock(device);
            hook.function(hook.data);
            ahhsa_lock(device);
        }
        close_stream(stream);
    }
    device->legacy = NULL;
    ahhsa_unlock(device);
}

/* ---- from outside ------------------------------------------------------------------------ */

hipError_t ahhsa_stream_depend(struct ah_backend_device *device, struct ah_backend_stream *stream,
                               struct ahhsa_signal *signal)
{
    ahhsa_lock(device);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_join(stream); /* it counts as work: others wait for it */
    if (error == hipSuccess && signal->soft)
        error = ahhsa_stream_move(stream);
    if (error == hipSuccess)
        error = ahhsa_stream_wait(stream, signal);
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
