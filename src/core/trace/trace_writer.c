/* Owns the thread that writes the trace: when it writes, and what happens when it cannot. */
#include "trace_events.h"

#include "api.h"
#include "clocks.h"
#include "log.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    MS = 1000000,
    INTERVAL_MIN = 2 * MS,
    INTERVAL_MAX = 64 * MS,
    BUFFER_SIZE = 4 * AH_TRACE_EVENT_MAX,
    END_SECONDS = 5,
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake, ended;
    bool is_woken, ends, has_ended; /* guarded by the lock */
    _Atomic(bool) was_woken;        /* since the writer slept last */
    struct ah_trace_text out;       /* the writer's, as what follows */
    uint64_t lost_said;
} writer = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- waking and ending, for other threads --------------------------------------------------- */

void ah_trace_writer_wake(void)
{
    if (atomic_load_explicit(&writer.was_woken, memory_order_relaxed) ||
        atomic_exchange(&writer.was_woken, true))
        return;
    pthread_mutex_lock(&writer.lock);
    writer.is_woken = true;
    pthread_cond_signal(&writer.wake);
    pthread_mutex_unlock(&writer.lock);
}

static struct timespec after(uint64_t ns)
{
    uint64_t time = ah_clock_now() + ns;
    return (struct timespec){.tv_sec = (time_t)(time / (1000 * MS)),
                             .tv_nsec = (long)(time % (1000 * MS))};
}

void ah_trace_writer_end(void)
{
    struct timespec limit = after((uint64_t)END_SECONDS * 1000 * MS);
    int error = 0;
    pthread_mutex_lock(&writer.lock);
    writer.ends = true;
    pthread_cond_signal(&writer.wake);
    while (!writer.has_ended && error == 0)
        error = pthread_cond_timedwait(&writer.ended, &writer.lock, &limit);
    pthread_mutex_unlock(&writer.lock);
}

/* Whether the trace is to end. */
static bool sleep_for(uint64_t ns)
{
    struct timespec limit = after(ns);
    int error = 0;
    pthread_mutex_lock(&writer.lock);
    while (!writer.is_woken && !writer.ends && error == 0)
        error = pthread_cond_timedwait(&writer.wake, &writer.lock, &limit);
    writer.is_woken = false;
    bool ends = writer.ends;
    pthread_mutex_unlock(&writer.lock);
    atomic_store(&writer.was_woken, false);
    return ends;
}

/* ---- writing -----------------------------------------------------------------------------------
 */

static bool flush(void)
{
    size_t size = writer.out.used;
    writer.out.used = 0;
    return size == 0 || ah_trace_file_append(&ah_trace.file, writer.out.data, size);
}

static bool make_room(void)
{
    return writer.out.size - writer.out.used >= AH_TRACE_EVENT_MAX || flush();
}

static void write_record(const void *record, unsigned kind)
{
    switch ((enum ah_trace_record_kind)kind) {
    case AH_RECORD_CALL:
        ah_trace_write_call(&writer.out, record);
        break;
    case AH_RECORD_COMMAND:
        ah_trace_note_command(record);
        break;
    case AH_RECORD_DEVICE:
        ah_trace_write_device(&writer.out, record);
        break;
    case AH_RECORD_GRAPH:
        ah_trace_note_graph(record);
        break;
    case AH_RECORD_NAME:
        ah_trace_note_name(record);
        break;
    case AH_RECORD_MEMORY:
        ah_trace_write_memory(&writer.out, record);
        break;
    case AH_RECORD_RANGE:
        ah_trace_write_range(&writer.out, record);
        break;
    }
}

/* The ring. *out_any: there was something in it. False: the file cannot be written. */
static bool write_records(bool *out_any)
{
    unsigned kind;
    const void *record;
    *out_any = false;
    while ((record = ah_trace_ring_next(&ah_trace.ring, &kind)) != NULL) {
        if (!make_room())
            return false;
        write_record(record, kind);
        ah_trace_ring_done(&ah_trace.ring);
        *out_any = true;
    }
    return true;
}

static bool write_open_calls(void)
{
    const struct ah_trace_thread *thread = atomic_load(&ah_trace.threads);
    for (; thread; thread = thread->next) {
        if (!make_room())
            return false;
        ah_trace_write_open_call(&writer.out, thread);
    }
    return true;
}

static bool write_graphs(bool ending)
{
    do {
        if (!make_room())
            return false;
    } while (ah_trace_write_graph(&writer.out, ending));
    return true;
}

static bool write_lost(void)
{
    uint64_t lost = atomic_load(&ah_trace.ring.lost);
    if (lost == writer.lost_said)
        return true;
    if (writer.lost_said == 0)
        AH_LOG_WARN("the trace is not complete: more happens than can be written; a greater "
                    "trace.buffer_mib helps with short bursts");
    writer.lost_said = lost;
    if (!make_room())
        return false;
    ah_trace_write_lost(&writer.out, lost);
    return true;
}

/* False: the file cannot be written. */
static bool write_all(bool ending, bool *out_any)
{
    atomic_store(&ah_trace.device_lost, ah_observe_collect(ending));
    if (!write_records(out_any) || !write_graphs(ending) || !write_open_calls() || !write_lost() ||
        !make_room())
        return false;
    ah_trace_write_methods(&writer.out);
    if (ending)
        ah_trace_write_end(&writer.out, atomic_load(&ah_trace.ring.lost),
                           atomic_load(&ah_trace.device_lost));
    return flush();
}

static void report_problem(void)
{
    AH_LOG_NOTICE(AH_LOG_WARNING, "the trace file %s ends before the program does: %s",
                  ah_trace.file.path, ah_trace.file.problem);
}

static void *run(void *unused)
{
    uint64_t interval = INTERVAL_MIN;
    bool ends = false, any, good = true;
    ah_trace_write_start(&writer.out);
    while (good && !ends) {
        ends = sleep_for(interval);
        good = write_all(ends, &any);
        interval = any ? INTERVAL_MIN : interval < INTERVAL_MAX ? 2 * interval : INTERVAL_MAX;
    }
    if (!good) /* while the end of the process still waits for this thread */
        report_problem();
    ah_trace_turn_off();
    ah_trace_file_close(&ah_trace.file);
    ah_trace_device_fini();
    ah_trace_tracks_fini();
    pthread_mutex_lock(&writer.lock);
    writer.has_ended = true;
    pthread_cond_broadcast(&writer.ended);
    pthread_mutex_unlock(&writer.lock);
    return unused;
}

/* Signals are for the application's threads. */
static bool start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, &attributes, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        pthread_setname_np(thread, "anyhip-trace");
    return error == 0;
}

bool ah_trace_writer_start(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&writer.wake, &monotonic);
    pthread_cond_init(&writer.ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    writer.out.data = malloc(BUFFER_SIZE + AH_TRACE_FILE_TAIL);
    writer.out.size = BUFFER_SIZE;
    return writer.out.data && start_thread();
}
