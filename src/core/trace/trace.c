/* Owns what the trace file is told: the observer, and the records that it makes in the threads of
 * the application and of drivers. */
#include "trace.h"
#include "trace_records.h"
#include "tracer.h"

#include "api.h"
#include "clocks.h"
#include "config.h"
#include "log.h"

#include <hip/anyhip.h>

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ah_trace ah_trace = {.file = {.file = -1}};

static _Thread_local struct ah_trace_thread *this_thread __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_key;

static bool runs(void)
{
    return atomic_load_explicit(&ah_trace.runs, memory_order_relaxed);
}

static void *begin_record(enum ah_trace_record_kind kind, size_t size)
{
    void *record = runs() ? ah_trace_ring_begin(&ah_trace.ring, kind, size) : NULL;
    if (ah_trace_ring_is_filling(&ah_trace.ring))
        ah_trace_writer_wake();
    return record;
}

/* ---- threads ------------------------------------------------------------------------------ */

static void thread_ends(void *value)
{
    struct ah_trace_thread *thread = value;
    atomic_store(&thread->open, 0);
    atomic_store(&thread->in_use, false);
    this_thread = NULL;
}

static struct ah_trace_thread *reuse_thread(void)
{
    struct ah_trace_thread *thread = atomic_load(&ah_trace.threads);
    for (; thread; thread = thread->next) {
        bool expected = false;
        if (atomic_compare_exchange_strong(&thread->in_use, &expected, true))
            return thread;
    }
    return NULL;
}

static struct ah_trace_thread *add_thread(void)
{
    struct ah_trace_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    atomic_store(&thread->in_use, true);
    thread->next = atomic_load(&ah_trace.threads);
    while (!atomic_compare_exchange_weak(&ah_trace.threads, &thread->next, thread))
        ;
    return thread;
}

static struct ah_trace_thread *thread_of_call(const struct ah_call *call)
{
    if (this_thread)
        return this_thread;
    struct ah_trace_thread *thread = reuse_thread();
    if (!thread)
        thread = add_thread();
    if (!thread)
        return NULL;
    atomic_store(&thread->number, call->thread);
    this_thread = thread;
    pthread_setspecific(thread_key, thread);
    return thread;
}

/* ---- calls --------------------------------------------------------------------------------- */

/* What <<<>>> consists of besides the launch. */
static bool is_shown(const struct ah_call *call)
{
    return strncmp(call->name, "__hip", 5) != 0;
}

static void call_enters(const struct ah_call *call)
{
    if (!runs() || call->outer || !is_shown(call))
        return;
    struct ah_trace_thread *thread = thread_of_call(call);
    if (!thread)
        return;
    atomic_store_explicit(&thread->open_name, call->name, memory_order_relaxed);
    atomic_store_explicit(&thread->open_begin, call->begin, memory_order_relaxed);
    atomic_store_explicit(&thread->open, call->correlation, memory_order_release);
}

static void read_result(struct ah_call_record *record, int arg, char code)
{
    const void *at = record->args[arg].as_pointer;
    int i = record->result_count;
    uint64_t value;
    if (!at || i >= AH_TRACE_RESULTS_MAX)
        return;
    if (code == 'i')
        value = (uint64_t)(int64_t) * (const int *)at;
    else if (code == 'u')
        value = *(const unsigned *)at;
    else if (code == 'f')
        value = (uint64_t)(int64_t)(*(const float *)at * 1e6F);
    else
        value = (uint64_t) * (const uintptr_t *)at;
    record->results[i] = value;
    record->result_of[i] = (uint8_t)arg;
    record->result_code[i] = code;
    record->result_count++;
}

static void read_results(struct ah_call_record *record, const char *codes)
{
    if (!codes || !record->has_result || record->result != hipSuccess)
        return;
    for (int i = 0; i < record->arg_count && codes[i]; i++)
        if (codes[i] != '.' && codes[i] != 't' && record->args[i].kind == AH_ARG_POINTER)
            read_result(record, i, codes[i]);
}

/* A buffer for text need not be text. */
static bool is_text(const struct ah_call *call, const char *codes, int arg)
{
    return call->args[arg].kind == AH_ARG_TEXT && call->args[arg].as_text &&
           !(codes && codes[arg] == 't');
}

static size_t text_sizes(const struct ah_call *call, const char *codes)
{
    size_t size = 0;
    for (int i = 0; i < call->arg_count; i++)
        if (is_text(call, codes, i))
            size += strnlen(call->args[i].as_text, AH_TRACE_TEXT_MAX) + 1;
    return size;
}

static void copy_args(struct ah_call_record *record, const struct ah_call *call, const char *codes)
{
    char *text = (char *)&record->args[call->arg_count];
    for (int i = 0; i < call->arg_count; i++) {
        struct ah_api_arg *arg = &record->args[i];
        *arg = call->args[i];
        if (is_text(call, codes, i)) {
            size_t length = strnlen(arg->as_text, AH_TRACE_TEXT_MAX);
            memcpy(text, arg->as_text, length);
            text[length] = '\0';
            text += length + 1;
        } else if (arg->kind == AH_ARG_TEXT) {
            arg->kind = AH_ARG_POINTER;
            arg->as_pointer = call->args[i].as_text;
        }
    }
}

static void call_leaves(const struct ah_call *call)
{
    if (this_thread && !call->outer)
        atomic_store_explicit(&this_thread->open, 0, memory_order_release);
    if (!is_shown(call))
        return;
    const char *codes = ah_api_argument_types(call->id);
    if (codes && strlen(codes) != (size_t)call->arg_count)
        codes = NULL;
    struct ah_call_record *record = begin_record(
        AH_RECORD_CALL, sizeof *record + (size_t)call->arg_count * sizeof(struct ah_api_arg) +
                            text_sizes(call, codes));
    if (!record)
        return;
    *record = (struct ah_call_record){
        .name = call->name,
        .id = call->id,
        .correlation = call->correlation,
        .begin = call->begin,
        .end = call->end,
        .thread = call->thread,
        .result = call->result,
        .has_result = call->has_result,
        .arg_count = (uint8_t)call->arg_count,
    };
    copy_args(record, call, codes);
    read_results(record, codes);
    ah_trace_ring_end(record);
}

/* ---- commands ------------------------------------------------------------------------------ */

static unsigned number_of_thread(void)
{
    static _Thread_local unsigned number __attribute__((tls_model("initial-exec")));
    if (!number)
        number = (unsigned)syscall(SYS_gettid);
    return number;
}

static struct ah_trace_stream stream_of(const struct ah_stream *stream)
{
    enum { OF_A_THREAD = 2 };
    return (struct ah_trace_stream){
        .device = stream->handle.device->ordinal,
        .id = stream->id,
        .thread = stream->id == OF_A_THREAD ? number_of_thread() : 0,
    };
}

/* The number of a kernel's name, which is written before anything refers to it. 0: there is no
 * space now. */
static unsigned number_of_name(struct ah_function *function)
{
    static _Atomic(unsigned) last;
    unsigned number = atomic_load_explicit(&function->trace_name, memory_order_acquire);
    if (number)
        return number;
    size_t length = strnlen(function->name, AH_TRACE_NAME_MAX);
    struct ah_name_record *record = begin_record(AH_RECORD_NAME, sizeof *record + length + 1);
    if (!record)
        return 0;
    record->number = number = atomic_fetch_add(&last, 1) + 1;
    memcpy(record->text, function->name, length);
    record->text[length] = '\0';
    ah_trace_ring_end(record);
    atomic_store_explicit(&function->trace_name, number, memory_order_release);
    return number;
}

static unsigned number_of_nodes(const struct ah_observed_nodes *nodes)
{
    static _Atomic(unsigned) last;
    struct ah_observed_node node;
    unsigned number = nodes ? atomic_load_explicit(nodes->number, memory_order_acquire) : 0;
    if (number || !nodes)
        return number;
    /* Names come first, since they are records themselves. */
    for (unsigned i = 0; i < nodes->count; i++) {
        nodes->describe(nodes, i, &node);
        if (node.function)
            number_of_name(node.function);
    }
    struct ah_graph_record *record = begin_record(
        AH_RECORD_GRAPH, sizeof *record + nodes->count * sizeof(struct ah_graph_record_node));
    if (!record)
        return 0;
    record->number = number = atomic_fetch_add(&last, 1) + 1;
    record->count = nodes->count;
    for (unsigned i = 0; i < nodes->count; i++) {
        nodes->describe(nodes, i, &node);
        record->nodes[i] = (struct ah_graph_record_node){
            .type = node.type,
            .name = node.function ? atomic_load(&node.function->trace_name) : 0,
            .node = node.node,
        };
    }
    ah_trace_ring_end(record);
    atomic_store_explicit(nodes->number, number, memory_order_release);
    return number;
}

static bool is_on_device(const void *pointer)
{
    struct ah_allocation allocation;
    return ah_memory_find(pointer, &allocation) &&
           (allocation.kind == AH_MEMORY_DEVICE || allocation.kind == AH_MEMORY_MANAGED);
}

static enum ah_trace_copy direction(bool to_device, bool from_device)
{
    return to_device ? (from_device ? AH_COPY_DTOD : AH_COPY_HTOD)
                     : (from_device ? AH_COPY_DTOH : AH_COPY_HTOH);
}

static enum ah_trace_copy direction_of_copy(const struct ah_command *command)
{
    switch ((int)command->copy.kind) {
    case hipMemcpyHostToDevice:
        return AH_COPY_HTOD;
    case hipMemcpyDeviceToHost:
        return AH_COPY_DTOH;
    case hipMemcpyHostToHost:
        return AH_COPY_HTOH;
    case hipMemcpyDeviceToDevice:
    case hipMemcpyDeviceToDeviceNoCU:
        return AH_COPY_DTOD;
    default:
        return direction(is_on_device(command->copy.dst), is_on_device(command->copy.src));
    }
}

static bool end_is_on_device(const struct ah_copy_end *end)
{
    return end->kind == AH_END_ARRAY || is_on_device(end->pointer);
}

/* What is particular to the kind of command. */
static void fill_command(struct ah_command_record *record, const struct ah_command *command)
{
    const struct ah_launch *launch;
    const struct ah_copy_region *region;
    switch (command->kind) {
    case AH_COMMAND_LAUNCH:
        launch = command->launch.sizes;
        memcpy(record->grid, launch->grid, sizeof record->grid);
        memcpy(record->block, launch->block, sizeof record->block);
        record->shared = launch->shared;
        break;
    case AH_COMMAND_COPY:
        record->copy = direction_of_copy(command);
        record->bytes = command->copy.size;
        break;
    case AH_COMMAND_COPY_PEER:
        record->copy = AH_COPY_PTOP;
        record->bytes = command->copy.size;
        break;
    case AH_COMMAND_COPY_BATCH:
        for (size_t i = 0; i < command->batch.copies->count; i++)
            record->bytes += command->batch.copies->sizes[i];
        break;
    case AH_COMMAND_COPY_REGION:
        region = command->region;
        record->copy = direction(end_is_on_device(&region->dst), end_is_on_device(&region->src));
        record->bytes = (uint64_t)region->width * region->height * region->depth;
        break;
    case AH_COMMAND_FILL:
        record->bytes = (uint64_t)command->fill.rows.width * command->fill.rows.height *
                        command->fill.rows.element_size;
        break;
    default:
        break;
    }
}

static void command_begins(const struct ah_observed_command *observed)
{
    const struct ah_command *command = observed->command;
    if (!runs())
        return;
    unsigned name = command->kind == AH_COMMAND_LAUNCH  ? number_of_name(command->launch.function)
                    : command->kind == AH_COMMAND_GRAPH ? number_of_nodes(command->graph.nodes)
                                                        : 0;
    struct ah_command_record *record = begin_record(AH_RECORD_COMMAND, sizeof *record);
    if (!record)
        return;
    *record = (struct ah_command_record){
        .id = observed->id,
        .correlation = observed->correlation,
        .begin = observed->begin,
        .kind = command->kind,
        .kind_name = observed->name,
        .thread = number_of_thread(),
        .stream = stream_of(observed->stream),
        .graph = observed->graph ? observed->graph->id : 0,
        .node = observed->graph ? observed->graph->node : -1,
        .name = name,
    };
    if (observed->graph)
        record->graph_stream = stream_of(observed->graph->stream);
    fill_command(record, command);
    ah_trace_ring_end(record);
}

/* ---- devices and memory -------------------------------------------------------------------- */

static void device_did(struct ah_device *device, const struct ah_trace_record *did)
{
    struct ah_device_record *record = begin_record(AH_RECORD_DEVICE, sizeof *record);
    if (!record)
        return;
    *record = (struct ah_device_record){.device = device->ordinal, .did = *did};
    record->did.kernel = ah_tracer_keep(did->kernel);
    ah_trace_ring_end(record);
}

static void memory_changes(struct ah_device *device, const struct ah_memory_use *use, uint64_t time)
{
    struct ah_memory_record *record = begin_record(AH_RECORD_MEMORY, sizeof *record);
    if (!record)
        return;
    *record = (struct ah_memory_record){.device = device->ordinal, .time = time, .use = *use};
    ah_trace_ring_end(record);
}

/* ---- ranges -------------------------------------------------------------------------------- */

static void put_mark(enum anyhipTraceMarkKind kind, uint64_t id, const char *text)
{
    size_t length = text ? strnlen(text, AH_TRACE_NAME_MAX) : 0;
    struct ah_range_record *record = begin_record(AH_RECORD_RANGE, sizeof *record + length + 1);
    if (!record)
        return;
    record->kind = (int)kind;
    record->thread = number_of_thread();
    record->time = ah_clock_now();
    record->id = id;
    if (length)
        memcpy(record->text, text, length);
    record->text[length] = '\0';
    ah_trace_ring_end(record);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static void update_state(void)
{
    int state = atomic_load(&ah_api_state);
    if (state == AH_API_QUIET || state == AH_API_OBSERVED)
        ah_api_update_state(); /* otherwise the first call does so */
}

static const struct ah_observer observer = {
    .call_enters = call_enters,
    .call_leaves = call_leaves,
    .command_begins = command_begins,
    .memory_changes = memory_changes,
    .device_did = device_did,
};

void ah_trace_turn_off(void)
{
    atomic_store(&ah_trace.runs, false);
    ah_observe_on_profiler(NULL);
    ah_observe_remove(&observer);
    update_state();
}

/* The calls of a pause are not seen to return. */
static void forget_open_calls(void)
{
    struct ah_trace_thread *thread = atomic_load(&ah_trace.threads);
    for (; thread; thread = thread->next)
        atomic_store(&thread->open, 0);
}

static void pause_trace(void)
{
    atomic_store(&ah_trace.device_lost, ah_observe_collect(true));
    ah_observe_remove(&observer);
    ah_observe_release_devices();
    forget_open_calls();
}

static void pause_all(bool paused)
{
    if (paused && ah_tracer_callback())
        ah_tracer_deliver(AH_TRACER_ALL);
    ah_observe_pause(paused);
    if (paused)
        forget_open_calls();
    update_state();
}

/* hipProfilerStart and hipProfilerStop. */
static void profile(bool start)
{
    if (!runs())
        return;
    if (start)
        ah_observe_add(&observer);
    else
        pause_trace();
    ah_api_update_state();
}

/* Drivers end after this, so that devices cannot be asked later on. */
static void at_end(void)
{
    if (ah_api_forked() || !runs())
        return;
    ah_trace_writer_end();
}

/* The child has no writer. The parent's file is not kept open by it. */
static void mark_child(void)
{
    atomic_store(&ah_trace.runs, false);
    if (ah_trace.file.file >= 0)
        close(ah_trace.file.file);
}

/* The name is to be freed. The registry reports what is wrong with the configuration. */
static char *configured(uint64_t *out_max_size, size_t *out_buffer)
{
    struct ah_config config;
    ah_config_init(&config);
    ah_config_load(&config, false);
    ah_config_set_trace(&config);
    char *name = config.trace_file;
    config.trace_file = NULL;
    *out_max_size = (uint64_t)config.trace_max_size_mib << 20;
    *out_buffer = config.trace_buffer_mib << 20;
    ah_config_fini(&config);
    return name;
}

static bool start_with(const char *name, uint64_t max_size, size_t buffer)
{
    if (!ah_trace_file_open(&ah_trace.file, name, max_size))
        return false;
    if (!ah_trace_ring_open(&ah_trace.ring, buffer) ||
        pthread_key_create(&thread_key, thread_ends) != 0 || !ah_trace_writer_start()) {
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "no memory or no thread for the trace file %s: there will be "
                      "no trace",
                      ah_trace.file.path);
        ah_trace_file_close(&ah_trace.file);
        return false;
    }
    pthread_atfork(NULL, NULL, mark_child);
    return atexit(at_end) == 0;
}

static void start(void)
{
    uint64_t max_size;
    size_t buffer;
    char *name = configured(&max_size, &buffer);
    if (name && *name && start_with(name, max_size, buffer)) {
        atomic_store(&ah_trace.runs, true);
        ah_observe_add(&observer);
        ah_observe_on_profiler(profile);
    }
    free(name);
}

static void start_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

void anyhipTraceMark(enum anyhipTraceMarkKind kind, uint64_t id, const char *text)
{
    bool paused = kind == anyhipTraceMarkPause;
    if (ah_api_forked() || (unsigned)kind > anyhipTraceMarkResume)
        return;
    start_once();
    if (kind < anyhipTraceMarkPause && runs())
        put_mark(kind, id, text);
    else if (kind >= anyhipTraceMarkPause && id == 0)
        pause_all(paused);
    else if (kind >= anyhipTraceMarkPause && id == 1)
        ah_observe_pause_thread(paused);
}

/* The API asks for this at its first call. ROCTX may come before. */
__attribute__((constructor)) static void register_start(void)
{
    ah_api_at_start(start_once);
}
