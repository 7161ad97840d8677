/* Owns the list of observers, the record of the call that a thread is in, and the numbers by which
 * calls, commands and what devices do belong together. */
#include "observe.h"
#include "registry.h"
#include "stream.h"
#include "submit.h"
#include "thread.h"

#include "clocks.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic(const struct ah_observer *) observers[AH_OBSERVERS_MAX];
static pthread_mutex_t observers_lock = PTHREAD_MUTEX_INITIALIZER; /* changes of the list */
static _Atomic(uint64_t) last_correlation, last_command;
static _Atomic(unsigned) removals;
static _Atomic(bool) is_paused;

static int find(const struct ah_observer *observer)
{
    for (int i = 0; i < AH_OBSERVERS_MAX; i++)
        if (atomic_load_explicit(&observers[i], memory_order_acquire) == observer)
            return i;
    return -1;
}

static const struct ah_observer *observer_at(int i)
{
    return atomic_load_explicit(&is_paused, memory_order_relaxed)
               ? NULL
               : atomic_load_explicit(&observers[i], memory_order_acquire);
}

bool ah_observe_add(const struct ah_observer *observer)
{
    pthread_mutex_lock(&observers_lock);
    int place = find(observer);
    if (place < 0)
        place = find(NULL);
    if (place >= 0)
        atomic_store_explicit(&observers[place], observer, memory_order_release);
    pthread_mutex_unlock(&observers_lock);
    return place >= 0;
}

void ah_observe_remove(const struct ah_observer *observer)
{
    pthread_mutex_lock(&observers_lock);
    int place = find(observer);
    if (place >= 0)
        atomic_store_explicit(&observers[place], NULL, memory_order_release);
    atomic_fetch_add_explicit(&removals, 1, memory_order_relaxed);
    pthread_mutex_unlock(&observers_lock);
}

bool ah_observe_calls(void)
{
    for (int i = 0; i < AH_OBSERVERS_MAX; i++) {
        const struct ah_observer *observer = observer_at(i);
        if (observer && (observer->call_enters || observer->call_leaves))
            return true;
    }
    return false;
}

bool ah_observe_commands(void)
{
    for (int i = 0; i < AH_OBSERVERS_MAX; i++) {
        const struct ah_observer *observer = observer_at(i);
        if (observer &&
            (observer->command_begins || observer->command_ends || observer->device_did))
            return true;
    }
    return false;
}

void ah_observe_pause(bool paused)
{
    if (paused)
        ah_observe_collect(true);
    atomic_store(&is_paused, paused);
    atomic_fetch_add_explicit(&removals, 1, memory_order_relaxed);
    if (paused)
        ah_observe_release_devices();
}

void ah_observe_pause_thread(bool paused)
{
    ah_thread.unobserved = paused;
}

static void (*_Atomic on_profiler)(bool start);

void ah_observe_on_profiler(void (*function)(bool start))
{
    atomic_store(&on_profiler, function);
}

bool ah_observe_has_profiler(void)
{
    return atomic_load(&on_profiler) != NULL;
}

void ah_observe_profiler(bool start)
{
    void (*function)(bool) = atomic_load(&on_profiler);
    if (function)
        function(start);
}

/* ---- calls ------------------------------------------------------------------------------ */

/* A thread keeps the records of its calls, as many as were ever nested. */
static struct ah_call *take_record(void)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    if (!extra)
        return NULL;
    struct ah_call *call = extra->free_calls;
    if (call)
        extra->free_calls = call->outer;
    else
        call = malloc(sizeof *call);
    return call;
}

static void give_record(struct ah_call *call)
{
    struct ah_thread_extra *extra = ah_thread_extra();
    if (!extra) {
        free(call);
        return;
    }
    call->outer = extra->free_calls;
    extra->free_calls = call;
}

/* Without observers calls end without ah_observe_leave: those that began before an observer was
 * removed may have ended. */
static void forget_ended(unsigned now)
{
    while (ah_thread.call && ah_thread.call->removals != now) {
        struct ah_call *call = ah_thread.call;
        ah_thread.call = call->outer;
        give_record(call);
    }
}

static unsigned this_thread(void)
{
    if (!ah_thread.number)
        ah_thread.number = (unsigned)syscall(SYS_gettid);
    return ah_thread.number;
}

static void tell_entry(struct ah_call *call)
{
    ah_thread.reporting = true;
    for (int i = 0; i < AH_OBSERVERS_MAX; i++) {
        const struct ah_observer *observer = observer_at(i);
        if (!observer || (!observer->call_enters && !observer->call_leaves))
            continue;
        call->observers |= 1u << i;
        if (observer->call_enters)
            observer->call_enters(call);
    }
    ah_thread.reporting = false;
}

void ah_observe_enter(const char *name, int id, const struct ah_api_arg *args, int count,
                      const void *values, uint64_t begin)
{
    if (ah_thread.reporting || ah_thread.unobserved || !ah_observe_calls())
        return;
    unsigned now = atomic_load_explicit(&removals, memory_order_relaxed);
    forget_ended(now);
    struct ah_call *call = take_record();
    if (!call)
        return;
    call->name = name;
    call->removals = now;
    call->id = id;
    call->correlation = atomic_fetch_add_explicit(&last_correlation, 1, memory_order_relaxed) + 1;
    call->thread = this_thread();
    call->end = 0;
    call->has_result = false;
    call->result = hipSuccess;
    call->observers = 0;
    call->arg_count = count < AH_CALL_ARGS_MAX ? count : AH_CALL_ARGS_MAX;
    if (call->arg_count > 0)
        memcpy(call->args, args, (size_t)call->arg_count * sizeof *args);
    call->outer = ah_thread.call;
    ah_thread.call = call;
    call->begin = begin ? begin : ah_clock_now();
    call->values = values;
    tell_entry(call);
    call->values = NULL;
}

void ah_observe_leave(const char *name, hipError_t result, bool has_result)
{
    struct ah_call *call = ah_thread.call;
    if (ah_thread.reporting || !call || call->name != name)
        return;
    call->end = ah_clock_now();
    call->result = result;
    call->has_result = has_result;
    ah_thread.reporting = true;
    for (int i = AH_OBSERVERS_MAX - 1; i >= 0; i--) {
        const struct ah_observer *observer = observer_at(i);
        if (observer && observer->call_leaves && (call->observers & 1u << i))
            observer->call_leaves(call);
    }
    ah_thread.reporting = false;
    ah_thread.call = call->outer;
    give_record(call);
}

uint64_t ah_observe_correlation(void)
{
    return ah_thread.call ? ah_thread.call->correlation : 0;
}

/* ---- graphs and memory -------------------------------------------------------------------- */

void ah_observe_graph_begin(struct ah_observed_graph *graph, struct ah_stream *stream)
{
    *graph = (struct ah_observed_graph){
        .id = atomic_fetch_add_explicit(&last_command, 1, memory_order_relaxed) + 1,
        .stream = stream,
        .node = -1,
    };
    ah_thread.graph = graph;
}

void ah_observe_graph_end(struct ah_observed_graph *graph)
{
    if (ah_thread.graph == graph)
        ah_thread.graph = NULL;
}

void ah_observe_memory(struct ah_device *device, const struct ah_memory_use *use, uint64_t time)
{
    for (int i = 0; i < AH_OBSERVERS_MAX; i++) {
        const struct ah_observer *observer = observer_at(i);
        if (observer && observer->memory_changes)
            observer->memory_changes(device, use, time);
    }
}

/* ---- devices ----------------------------------------------------------------------------- */

/* Called by the backend, possibly in a thread of the driver. */
static void device_did(void *user, const struct ah_trace_record *record)
{
    for (int i = 0; i < AH_OBSERVERS_MAX; i++) {
        const struct ah_observer *observer = observer_at(i);
        if (observer && observer->device_did)
            observer->device_did(user, record);
    }
}

static void start_device(struct ah_device *device)
{
    struct ah_trace_sink sink = {.record = device_did, .user = device};
    const char *method = NULL;
    pthread_mutex_lock(&device->lock);
    if (atomic_load(&device->trace_state) == AH_TRACE_NOT_STARTED && ah_observe_commands()) {
        device->trace_error = device->ops->trace_start(device->native, &sink, &method);
        atomic_store(&device->trace_method, method);
        atomic_store(&device->trace_state,
                     device->trace_error == hipSuccess ? AH_TRACE_STARTED : AH_TRACE_IMPOSSIBLE);
    }
    pthread_mutex_unlock(&device->lock);
}

/* A thread that uses the trace counts itself and then looks at the state; this is the other way
 * round, so that one of the two sees the other. The last user tries again. */
static void stop_device(struct ah_device *device)
{
    pthread_mutex_lock(&device->lock);
    if (atomic_load(&device->trace_state) == AH_TRACE_STARTED && !ah_observe_commands()) {
        atomic_store(&device->trace_state, AH_TRACE_STOPPING);
        bool used = atomic_load(&device->trace_users) > 0;
        if (!used)
            device->ops->trace_stop(device->native);
        atomic_store(&device->trace_state, used ? AH_TRACE_STARTED : AH_TRACE_NOT_STARTED);
    }
    pthread_mutex_unlock(&device->lock);
}

static void leave_trace(struct ah_device *device)
{
    if (atomic_fetch_sub(&device->trace_users, 1) == 1 && !ah_observe_commands())
        stop_device(device);
}

/* Whether the device reports; it goes on doing so until leave_trace. */
static bool enter_trace(struct ah_device *device, bool start)
{
    atomic_fetch_add(&device->trace_users, 1);
    int state = atomic_load(&device->trace_state);
    if (start && (state == AH_TRACE_NOT_STARTED || state == AH_TRACE_STOPPING)) {
        start_device(device);
        state = atomic_load(&device->trace_state);
    }
    if (state == AH_TRACE_STARTED)
        return true;
    leave_trace(device);
    return false;
}

void ah_observe_release_devices(void)
{
    for (int i = 0; i < ah_registry.device_count && !ah_observe_commands(); i++)
        stop_device(&ah_registry.devices[i]);
}

void ah_observe_graph_create(struct ah_device *device)
{
    if (ah_observe_commands() && enter_trace(device, true))
        leave_trace(device);
}

/* idle: wait for this one alone; NULL: for all, or for none. */
static uint64_t collect(bool wait, const struct ah_device *idle)
{
    enum { PATIENCE = 2000000000 }; /* for the devices together: each has a limit of its own */
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t lost; /* so far; under the lock */
    uint64_t begin = ah_clock_now();
    if (!atomic_load_explicit(&ah_registry.listed, memory_order_acquire))
        return 0;
    pthread_mutex_lock(&one_at_a_time);
    for (int i = 0; i < ah_registry.device_count; i++) {
        struct ah_device *device = &ah_registry.devices[i];
        bool waits = device == idle || (wait && ah_clock_now() - begin < PATIENCE);
        if (!enter_trace(device, false))
            continue;
        device->ops->trace_collect(device->native, waits, &lost);
        leave_trace(device);
    }
    uint64_t lost_so_far = lost;
    pthread_mutex_unlock(&one_at_a_time);
    return lost_so_far;
}

uint64_t ah_observe_collect(bool wait)
{
    return collect(wait, NULL);
}

uint64_t ah_observe_collect_idle(const struct ah_device *device)
{
    return collect(false, device);
}

const char *ah_observe_method(const struct ah_device *device, hipError_t *out_error)
{
    int state = atomic_load_explicit(&device->trace_state, memory_order_acquire);
    *out_error = state == AH_TRACE_IMPOSSIBLE ? device->trace_error : hipSuccess;
    return state == AH_TRACE_IMPOSSIBLE ? NULL : atomic_load(&device->trace_method);
}

/* ---- commands ----------------------------------------------------------------------------- */

/* What a record of the command is, where the driver does not say. */
static enum ah_trace_kind kind_of(const struct ah_command *command)
{
    switch (command->kind) {
    case AH_COMMAND_LAUNCH:
        return AH_TRACE_KERNEL;
    case AH_COMMAND_COPY:
    case AH_COMMAND_COPY_PEER:
    case AH_COMMAND_COPY_REGION:
    case AH_COMMAND_COPY_BATCH:
        return AH_TRACE_COPY;
    case AH_COMMAND_FILL:
        return AH_TRACE_FILL;
    case AH_COMMAND_HOST_FUNCTION:
    case AH_COMMAND_CALLBACK:
        return AH_TRACE_HOST;
    case AH_COMMAND_EVENT_RECORD:
    case AH_COMMAND_EVENT_WAIT:
    case AH_COMMAND_VALUE_WAIT:
        return AH_TRACE_BARRIER;
    default:
        return AH_TRACE_OTHER;
    }
}

void ah_observe_command_begin(struct ah_stream *stream, struct ah_backend_stream *native,
                              const struct ah_command *command, const char *name,
                              struct ah_observed_command *out_command)
{
    struct ah_device *device = stream->handle.device;
    *out_command = (struct ah_observed_command){
        .id = atomic_fetch_add_explicit(&last_command, 1, memory_order_relaxed) + 1,
        .correlation = ah_observe_correlation(),
        .stream = stream,
        .command = command,
        .name = name,
        .graph = ah_thread.graph,
        .begin = ah_clock_now(),
    };
    bool outer = ah_thread.reporting;
    ah_thread.reporting = true;
    for (int i = 0; i < AH_OBSERVERS_MAX; i++) {
        const struct ah_observer *observer = observer_at(i);
        if (observer && observer->command_begins)
            observer->command_begins(out_command);
    }
    ah_thread.reporting = outer;
    out_command->is_traced = enter_trace(device, true);
    if (out_command->is_traced)
        device->ops->trace_begin(device->native, native, out_command->id, kind_of(command));
}

void ah_observe_command_end(const struct ah_observed_command *command,
                            struct ah_backend_stream *native, hipError_t error)
{
    struct ah_device *device = command->stream->handle.device;
    if (command->is_traced) {
        device->ops->trace_end(device->native, native, command->id);
        leave_trace(device);
    }
    bool outer = ah_thread.reporting;
    ah_thread.reporting = true;
    for (int i = AH_OBSERVERS_MAX - 1; i >= 0; i--) {
        const struct ah_observer *observer = observer_at(i);
        if (observer && observer->command_ends)
            observer->command_ends(command, error);
    }
    ah_thread.reporting = outer;
}
