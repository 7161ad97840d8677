/* Owns the events of the host: calls, ranges, and what is said about the trace itself. */
#include "trace_events.h"

#include "api.h"
#include "clocks.h"
#include "process.h"

#include <hip/anyhip.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEVICE_PIDS = 100000000, THREADS_KNOWN = 4096, OPEN_MAX = 64 };

unsigned ah_trace_host_pid(void)
{
    static unsigned pid;
    if (!pid)
        pid = (unsigned)getpid();
    return pid;
}

unsigned ah_trace_device_pid(int device)
{
    return DEVICE_PIDS + (unsigned)device;
}

void ah_trace_event(struct ah_trace_text *out, const char *phase, const char *cat, const char *name,
                    unsigned pid, unsigned tid, uint64_t time)
{
    ah_trace_put(out, ",\n{\"ph\":\"");
    ah_trace_put(out, phase);
    if (cat) {
        ah_trace_put(out, "\",\"cat\":\"");
        ah_trace_put(out, cat);
    }
    ah_trace_put(out, "\",\"name\":");
    ah_trace_put_string(out, name, AH_TRACE_SLICE_NAME_MAX);
    ah_trace_put(out, ",\"pid\":");
    ah_trace_put_unsigned(out, pid);
    ah_trace_put(out, ",\"tid\":");
    ah_trace_put_unsigned(out, tid);
    if (time == 0)
        return;
    ah_trace_put(out, ",\"ts\":");
    ah_trace_put_time(out, time);
}

void ah_trace_name_event(struct ah_trace_text *out, const char *what, unsigned pid, unsigned tid,
                         const char *name, unsigned place)
{
    char event[32];
    snprintf(event, sizeof event, "%s_name", what);
    ah_trace_event(out, "M", NULL, event, pid, tid, 0);
    ah_trace_put(out, ",\"args\":{\"name\":");
    ah_trace_put_string(out, name, AH_TRACE_SLICE_NAME_MAX);
    ah_trace_put(out, "}}");
    snprintf(event, sizeof event, "%s_sort_index", what);
    ah_trace_event(out, "M", NULL, event, pid, tid, 0);
    ah_trace_put(out, ",\"args\":{\"sort_index\":");
    ah_trace_put_unsigned(out, place);
    ah_trace_put(out, "}}");
}

/* ---- threads -------------------------------------------------------------------------------- */

static void read_name(unsigned thread, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, out, size - 1) : -1;
    if (file >= 0)
        close(file);
    if (length <= 0)
        length = snprintf(out, size, "thread");
    out[length] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

/* Names the thread when it is first seen. */
static void know_thread(struct ah_trace_text *out, unsigned thread)
{
    static unsigned known[THREADS_KNOWN];
    char name[64];
    for (unsigned i = 0; i < THREADS_KNOWN; i++) {
        unsigned *place = &known[(thread + i) % THREADS_KNOWN];
        if (*place == thread)
            return;
        if (*place == 0) {
            *place = thread;
            read_name(thread, name, sizeof name);
            bool first = thread == ah_trace_host_pid();
            ah_trace_name_event(out, "thread", ah_trace_host_pid(), thread, name, !first);
            return;
        }
    }
}

/* ---- the trace itself ------------------------------------------------------------------------ */

void ah_trace_write_start(struct ah_trace_text *out)
{
    char text[128];
    unsigned pid = ah_trace_host_pid();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    ah_trace_event(out, "M", NULL, "anyhip_trace", pid, pid, ah_clock_now());
    snprintf(text, sizeof text, ",\"args\":{\"process\":\"%016llx\",\"version\":\"%s\",",
             (unsigned long long)ah_process_self(), ANYHIP_VERSION);
    ah_trace_put(out, text);
    snprintf(text, sizeof text, "\"clock\":\"CLOCK_MONOTONIC\",\"unix_time\":%lld.%06ld}}",
             (long long)now.tv_sec, now.tv_nsec / 1000);
    ah_trace_put(out, text);
    snprintf(text, sizeof text, "%s (%u)", program_invocation_short_name, pid);
    ah_trace_name_event(out, "process", pid, pid, text, 0);
}

void ah_trace_write_lost(struct ah_trace_text *out, uint64_t lost)
{
    unsigned pid = ah_trace_host_pid();
    ah_trace_event(out, "i", "trace", "records lost", pid, pid, ah_clock_now());
    ah_trace_put(out, ",\"s\":\"p\",\"args\":{\"lost\":");
    ah_trace_put_unsigned(out, lost);
    ah_trace_put(out, "}}");
}

void ah_trace_write_end(struct ah_trace_text *out, uint64_t lost, uint64_t device_lost)
{
    unsigned pid = ah_trace_host_pid();
    ah_trace_event(out, "M", NULL, "anyhip_trace_end", pid, pid, ah_clock_now());
    ah_trace_put(out, ",\"args\":{\"lost\":");
    ah_trace_put_unsigned(out, lost);
    ah_trace_put(out, ",\"lost_by_devices\":");
    ah_trace_put_unsigned(out, device_lost);
    ah_trace_put(out, "}}");
}

/* ---- calls ------------------------------------------------------------------------------------
 */

/* Calls of which the beginning is written, and the end will be. */
static uint64_t open_calls[OPEN_MAX];

static uint64_t *open_place(uint64_t correlation)
{
    for (int i = 0; i < OPEN_MAX; i++)
        if (open_calls[i] == correlation)
            return &open_calls[i];
    return NULL;
}

void ah_trace_write_open_call(struct ah_trace_text *out, const struct ah_trace_thread *thread)
{
    enum { LONG_NS = 100000000 };
    uint64_t open = atomic_load_explicit(&thread->open, memory_order_acquire);
    uint64_t begin = atomic_load_explicit(&thread->open_begin, memory_order_relaxed);
    const char *name = atomic_load_explicit(&thread->open_name, memory_order_relaxed);
    unsigned number = atomic_load_explicit(&thread->number, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (!open || atomic_load_explicit(&thread->open, memory_order_relaxed) != open ||
        ah_clock_now() - begin < LONG_NS || open_place(open))
        return;
    uint64_t *place = open_place(0);
    if (!place)
        return;
    *place = open;
    know_thread(out, number);
    ah_trace_event(out, "B", "hip", name, ah_trace_host_pid(), number, begin);
    ah_trace_put(out, ",\"args\":{\"call\":");
    ah_trace_put_unsigned(out, open);
    ah_trace_put(out, "}}");
}

static void put_value(struct ah_trace_text *out, const struct ah_api_arg *arg, const char **text)
{
    char dims[64];
    switch (arg->kind) {
    case AH_ARG_SIGNED:
        ah_trace_put_signed(out, arg->as_signed);
        break;
    case AH_ARG_UNSIGNED:
        ah_trace_put_unsigned(out, arg->as_unsigned);
        break;
    case AH_ARG_FLOAT:
        ah_trace_put_float(out, arg->as_float);
        break;
    case AH_ARG_TEXT:
        ah_trace_put_string(out, *text, AH_TRACE_TEXT_MAX);
        *text += strlen(*text) + 1;
        break;
    case AH_ARG_DIM3:
        snprintf(dims, sizeof dims, "[%u,%u,%u]", arg->as_dim3.x, arg->as_dim3.y, arg->as_dim3.z);
        ah_trace_put(out, dims);
        break;
    case AH_ARG_POINTER:
        ah_trace_put_pointer(out, (uintptr_t)arg->as_pointer);
        break;
    }
}

/* The next name of "dst, src, size", or "arg2" where there is none. */
static void put_arg_name(struct ah_trace_text *out, const char **names, int index)
{
    char name[64];
    size_t length = *names ? strcspn(*names, ",") : 0;
    if (length > 0 && length < sizeof name) {
        memcpy(name, *names, length);
        name[length] = '\0';
        *names += length;
        *names += strspn(*names, ", ");
    } else {
        snprintf(name, sizeof name, "arg%d", index);
    }
    ah_trace_put_string(out, name, sizeof name);
    ah_trace_put(out, ":");
}

static void put_result(struct ah_trace_text *out, const struct ah_call_record *call, int i)
{
    uint64_t value = call->results[i];
    char code = call->result_code[i];
    if (code == 'p')
        ah_trace_put_pointer(out, value);
    else if (code == 'i')
        ah_trace_put_signed(out, (int64_t)value);
    else if (code == 'f')
        ah_trace_put_float(out, (double)(int64_t)value * 1e-6);
    else
        ah_trace_put_unsigned(out, value);
}

static void put_results(struct ah_trace_text *out, const struct ah_call_record *call)
{
    const char *names = ah_api_argument_names(call->id);
    int arg = 0;
    for (int i = 0; i < call->result_count; i++) {
        for (; names && arg < call->result_of[i]; arg++) {
            names += strcspn(names, ",");
            names += strspn(names, ", ");
        }
        char name[72];
        size_t length = names ? strcspn(names, ",") : 0;
        snprintf(name, sizeof name, ",\"*%.*s\":", (int)(length < 60 ? length : 60),
                 length ? names : "");
        ah_trace_put(out, name);
        put_result(out, call, i);
    }
}

static void put_args(struct ah_trace_text *out, const struct ah_call_record *call)
{
    const char *names = ah_api_argument_names(call->id);
    const char *text = (const char *)&call->args[call->arg_count];
    ah_trace_put(out, ",\"args\":{");
    for (int i = 0; i < call->arg_count; i++) {
        put_arg_name(out, &names, i);
        put_value(out, &call->args[i], &text);
        ah_trace_put(out, ",");
    }
    if (call->has_result) {
        ah_trace_put(out, "\"result\":\"");
        ah_trace_put(out, ah_error_name(call->result));
        ah_trace_put(out, "\",");
    }
    ah_trace_put(out, "\"call\":");
    ah_trace_put_unsigned(out, call->correlation);
    put_results(out, call);
    ah_trace_put(out, "}}");
}

void ah_trace_write_call(struct ah_trace_text *out, const struct ah_call_record *call)
{
    uint64_t *open = open_place(call->correlation);
    know_thread(out, call->thread);
    ah_trace_event(out, open ? "E" : "X", "hip", call->name, ah_trace_host_pid(), call->thread,
                   open ? call->end : call->begin);
    if (!open) {
        ah_trace_put(out, ",\"dur\":");
        ah_trace_put_time(out, call->end - call->begin);
    } else {
        *open = 0;
    }
    put_args(out, call);
}

/* ---- ranges -------------------------------------------------------------------------------- */

void ah_trace_write_range(struct ah_trace_text *out, const struct ah_range_record *range)
{
    static const char *const phases[] = {
        [anyhipTraceMarkInstant] = "i", [anyhipTraceMarkPush] = "B", [anyhipTraceMarkPop] = "E",
        [anyhipTraceMarkStart] = "b",   [anyhipTraceMarkStop] = "e",
    };
    bool has_id = range->kind == anyhipTraceMarkStart || range->kind == anyhipTraceMarkStop;
    know_thread(out, range->thread);
    ah_trace_event(out, phases[range->kind], "roctx", range->text, ah_trace_host_pid(),
                   range->thread, range->time);
    if (range->kind == anyhipTraceMarkInstant)
        ah_trace_put(out, ",\"s\":\"t\"");
    if (has_id) {
        ah_trace_put(out, ",\"id\":");
        ah_trace_put_pointer(out, range->id);
    }
    ah_trace_put(out, "}");
}
