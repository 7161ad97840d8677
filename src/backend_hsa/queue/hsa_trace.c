/* Owns what a device reports of its work, with times: which command the calling thread submits, the
 * pieces of work that have not been reported yet, and the way from the runtime's clock to the
 * host's.
 *
 * A piece of work that is reported has a signal of its own. The device, a copy engine or a thread
 * of the host notes there when the work began and ended, and trace_collect reads it. */
#include "hsa_stream.h"
#include "clocks.h"

#include <stdlib.h>

enum {
    NESTED_MAX = 8,        /* commands of one thread at a time */
    PIECES_MAX = 1 << 17,  /* that have not been reported */
    CHUNK = 256,           /* pieces that are allocated together */
    PATIENCE = 1000000000, /* ns: how long a piece that does not end is waited for */
    SAMPLE_EVERY = 100000000,
    SAMPLE_TRIES = 10,
    SAMPLE_GOOD = 2000, /* ns between two looks at the host's clock */
    SAMPLE_BAD = 50000,
};

struct piece {
    struct piece *next;
    struct ahhsa_signal *signal; /* held */
    struct ah_trace_record record;
    bool in_queue; /* a queue did it, and not an engine or the host */
};

struct chunk {
    struct chunk *next;
    struct piece pieces[CHUNK];
};

struct pieces {
    struct piece *first, **end;
};

struct ahhsa_trace {
    struct ah_backend_device *device;
    pthread_mutex_t collecting; /* held by the thread that collects */
    struct ah_trace_sink sink;  /* guarded by collecting */
    struct ah_clocks clocks;    /* the same */
    uint64_t sampled;           /* the same: when */

    pthread_mutex_t lock; /* of what follows; taken under the device's lock */
    struct chunk *chunks;
    struct piece *free;
    unsigned count; /* of pieces that were allocated */
    struct pieces submitted;
    uint64_t lost;
};

/* ---- the commands that a thread submits -------------------------------------------------- */

static _Thread_local struct {
    const struct ah_backend_stream *stream;
    uint64_t id;
} commands[NESTED_MAX];
static _Thread_local unsigned depth; /* may exceed NESTED_MAX: the innermost have no records */

void ahhsa_trace_begin(struct ah_backend_device *device, struct ah_backend_stream *stream,
                       uint64_t id, enum ah_trace_kind kind)
{
    (void)device;
    (void)kind;
    if (depth < NESTED_MAX) {
        commands[depth].stream = stream;
        commands[depth].id = id;
    }
    depth++;
}

void ahhsa_trace_end(struct ah_backend_device *device, struct ah_backend_stream *stream,
                     uint64_t id)
{
    (void)device;
    (void)stream;
    (void)id;
    if (depth > 0)
        depth--;
}

uint64_t ahhsa_trace_find(const struct ah_backend_stream *stream)
{
    for (unsigned i = depth < NESTED_MAX ? depth : NESTED_MAX; i-- > 0;)
        if (commands[i].stream == stream)
            return commands[i].id;
    return 0;
}

/* ---- pieces ------------------------------------------------------------------------------ */

/* Under the lock. */
static void add_chunk(struct ahhsa_trace *trace)
{
    struct chunk *chunk = trace->count < PIECES_MAX ? malloc(sizeof *chunk) : NULL;
    if (!chunk)
        return;
    chunk->next = trace->chunks;
    trace->chunks = chunk;
    trace->count += CHUNK;
    for (unsigned i = 0; i < CHUNK; i++) {
        chunk->pieces[i].next = trace->free;
        trace->free = &chunk->pieces[i];
    }
}

static struct piece *take_free(struct ahhsa_trace *trace)
{
    if (!trace->free)
        add_chunk(trace);
    struct piece *piece = trace->free;
    if (piece)
        trace->free = piece->next;
    else
        trace->lost++;
    return piece;
}

static void give_back(struct ahhsa_trace *trace, struct piece *piece)
{
    ahhsa_signal_release(piece->signal);
    pthread_mutex_lock(&trace->lock);
    piece->next = trace->free;
    trace->free = piece;
    pthread_mutex_unlock(&trace->lock);
}

static void add(struct pieces *pieces, struct piece *piece)
{
    piece->next = NULL;
    *pieces->end = piece;
    pieces->end = &piece->next;
}

void ahhsa_trace_add(struct ah_backend_device *device, const struct ahhsa_traced *what)
{
    struct ahhsa_trace *trace = device->queues->trace;
    pthread_mutex_lock(&trace->lock);
    struct piece *piece = take_free(trace);
    if (piece) {
        *piece = (struct piece){
            .signal = ahhsa_signal_retain(what->signal),
            .record = {.id = what->id,
                       .kind = what->kind,
                       .node = what->node,
                       .bytes = what->bytes},
            .in_queue = what->in_queue,
        };
        add(&trace->submitted, piece);
    }
    pthread_mutex_unlock(&trace->lock);
}

void ahhsa_trace_lose(struct ah_backend_device *device, unsigned count)
{
    struct ahhsa_trace *trace = device->queues->trace;
    pthread_mutex_lock(&trace->lock);
    trace->lost += count;
    pthread_mutex_unlock(&trace->lock);
}

/* ---- times ------------------------------------------------------------------------------- */

/* Looks at both clocks at the same moment, as far as that is possible on a machine that is busy.
 * Returns the time that it took, UINT64_MAX: one of them cannot be read. */
static uint64_t look(struct ah_backend_device *device, uint64_t *out_ticks, uint64_t *out_ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < SAMPLE_TRIES && best > SAMPLE_GOOD; i++) {
        uint64_t ticks, before = ah_clock_now();
        if (device->api->hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &ticks) !=
            HSA_STATUS_SUCCESS)
            return UINT64_MAX;
        uint64_t passed = ah_clock_now() - before;
        if (passed < best) {
            best = passed;
            *out_ticks = ticks;
            *out_ns = before + passed / 2;
        }
    }
    return best;
}

static void sample(struct ahhsa_trace *trace)
{
    uint64_t ticks = 0, ns = 0, now = ah_clock_now();
    if (trace->sampled != 0 && now - trace->sampled < SAMPLE_EVERY)
        return;
    uint64_t took = look(trace->device, &ticks, &ns);
    if (took < SAMPLE_BAD || (took != UINT64_MAX && trace->clocks.count == 0))
        ah_clocks_sample(&trace->clocks, ticks, ns);
    trace->sampled = now;
}

/* In ticks of the system's clock. False: nothing was noted, as where the device has failed. Engines
 * may note in a place that the runtime alone knows. */
static bool read_times(const struct piece *piece, const struct ahhsa_signal *signal,
                       uint64_t *out_begin, uint64_t *out_end)
{
    const struct ah_backend_device *device = signal->device;
    if (piece->in_queue) {
        const amd_signal_t *memory = ahhsa_signal_memory(signal);
        if (memory->start_ts == 0 || memory->end_ts == 0)
            return false; /* which the runtime would convert like any other tick */
        hsa_amd_profiling_dispatch_time_t time = {0};
        if (device->api->hsa_amd_profiling_get_dispatch_time(device->agent, signal->hsa, &time) !=
            HSA_STATUS_SUCCESS)
            return false;
        *out_begin = time.start;
        *out_end = time.end;
    } else {
        hsa_amd_profiling_async_copy_time_t time = {0};
        if (!device->api->hsa_amd_profiling_get_async_copy_time ||
            device->api->hsa_amd_profiling_get_async_copy_time(signal->hsa, &time) !=
                HSA_STATUS_SUCCESS)
            return false;
        *out_begin = time.start;
        *out_end = time.end;
    }
    return *out_begin != 0 && *out_end >= *out_begin;
}

/* When a thread of the host did the work. */
static bool read_host_times(struct piece *piece)
{
    piece->record.begin = atomic_load_explicit(&piece->signal->began, memory_order_relaxed);
    piece->record.end = atomic_load_explicit(&piece->signal->ended, memory_order_relaxed);
    return piece->record.begin != 0 && piece->record.end >= piece->record.begin;
}

static bool find_times(struct ahhsa_trace *trace, struct piece *piece)
{
    uint64_t begin, end, ignored;
    if (ahhsa_signal_has_failed(piece->signal))
        return false;
    if (!piece->in_queue && !atomic_load_explicit(&piece->signal->copying, memory_order_relaxed))
        return read_host_times(piece);
    if (!read_times(piece, piece->signal, &begin, &end) ||
        (piece->signal->part && !read_times(piece, piece->signal->part, &begin, &ignored)))
        return false;
    piece->record.begin = ah_clocks_convert(&trace->clocks, begin);
    piece->record.end = ah_clocks_convert(&trace->clocks, end);
    return true;
}

/* ---- reporting --------------------------------------------------------------------------- */

static bool wait_for(const struct ahhsa_signal *signal)
{
    const struct ah_backend_device *device = signal->device;
    uint64_t begin = ah_clock_now(), timeout = device->backend->timestamp_frequency / 4;
    while (!ahhsa_signal_is_done(signal) && ah_clock_now() - begin < PATIENCE &&
           ahhsa_device_error(device) == hipSuccess)
        device->api->hsa_signal_wait_scacquire(signal->hsa, HSA_SIGNAL_CONDITION_LT, 1, timeout,
                                               HSA_WAIT_STATE_BLOCKED);
    return ahhsa_signal_is_done(signal);
}

static struct pieces take_submitted(struct ahhsa_trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    struct pieces taken = trace->submitted;
    trace->submitted.first = NULL;
    trace->submitted.end = &trace->submitted.first;
    pthread_mutex_unlock(&trace->lock);
    return taken;
}

/* Puts pieces before those that were submitted meanwhile. */
static void put_back(struct ahhsa_trace *trace, struct pieces *pieces)
{
    if (!pieces->first)
        return;
    pthread_mutex_lock(&trace->lock);
    *pieces->end = trace->submitted.first;
    if (!trace->submitted.first)
        trace->submitted.end = pieces->end;
    trace->submitted.first = pieces->first;
    pthread_mutex_unlock(&trace->lock);
}

/* Reports what is done. The sink is called without a lock that submission needs. */
static void report(struct ahhsa_trace *trace, bool wait)
{
    uint64_t lost = 0;
    struct pieces taken = take_submitted(trace), left = {NULL, &left.first};
    for (struct piece *piece = taken.first, *next; piece; piece = next) {
        next = piece->next;
        if (wait && !ahhsa_signal_is_done(piece->signal))
            wait = wait_for(piece->signal); /* the others are not waited for in vain as well */
        if (!ahhsa_signal_is_done(piece->signal)) {
            add(&left, piece);
            continue;
        }
        if (find_times(trace, piece))
            trace->sink.record(trace->sink.user, &piece->record);
        else
            lost++;
        give_back(trace, piece);
    }
    put_back(trace, &left);
    if (lost > 0)
        ahhsa_trace_lose(trace->device, (unsigned)lost);
}

static void discard(struct ahhsa_trace *trace)
{
    struct pieces taken = take_submitted(trace);
    for (struct piece *piece = taken.first, *next; piece; piece = next) {
        next = piece->next;
        give_back(trace, piece);
    }
}

void ahhsa_trace_collect(struct ah_backend_device *device, bool wait, uint64_t *out_lost)
{
    struct ahhsa_trace *trace = device->queues->trace;
    pthread_mutex_lock(&trace->collecting);
    sample(trace);
    report(trace, wait);
    pthread_mutex_lock(&trace->lock);
    *out_lost += trace->lost;
    trace->lost = 0;
    pthread_mutex_unlock(&trace->lock);
    pthread_mutex_unlock(&trace->collecting);
}

/* ---- beginning and end ------------------------------------------------------------------- */

static struct ahhsa_trace *create(struct ah_backend_device *device)
{
    struct ahhsa_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->device = device;
    trace->submitted.end = &trace->submitted.first;
    pthread_mutex_init(&trace->collecting, NULL);
    pthread_mutex_init(&trace->lock, NULL);
    return trace;
}

void ahhsa_trace_destroy(struct ahhsa_trace *trace)
{
    struct chunk *next;
    if (!trace)
        return;
    discard(trace);
    for (struct chunk *chunk = trace->chunks; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    pthread_mutex_destroy(&trace->collecting);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

/* Copies have times from now on, in the whole process. A runtime without this has times of kernels
 * alone, which is better than none. */
static void profile_copies(const struct ah_backend_device *device)
{
    hsa_status_t status = device->api->hsa_amd_profiling_async_copy_enable
                              ? device->api->hsa_amd_profiling_async_copy_enable(true)
                              : HSA_STATUS_ERROR;
    if (status != HSA_STATUS_SUCCESS)
        AH_LOG_WARN("%s:%d: a trace has no times of copies: the runtime does not take them",
                    device->backend->name, device->index);
}

hipError_t ahhsa_trace_start(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                             const char **out_method)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    struct ahhsa_trace *trace = device->queues->trace;
    if (!trace)
        trace = device->queues->trace = create(device);
    ahhsa_unlock(device);
    if (!trace)
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&trace->collecting);
    trace->sink = *sink;
    trace->sampled = 0;
    ah_clocks_init(&trace->clocks, (double)device->backend->timestamp_frequency);
    sample(trace);
    pthread_mutex_unlock(&trace->collecting);
    profile_copies(device);
    atomic_store_explicit(&device->queues->traced, true, memory_order_release);
    *out_method = "HSA profiled signals";
    return hipSuccess;
}

void ahhsa_trace_stop(struct ah_backend_device *device)
{
    struct ahhsa_trace *trace = device->queues->trace;
    atomic_store(&device->queues->traced, false);
    pthread_mutex_lock(&trace->collecting);
    discard(trace);
    pthread_mutex_unlock(&trace->collecting);
}
