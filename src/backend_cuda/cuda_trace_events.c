/* Owns times by pairs of events, one recorded before a command and one behind it.
 *
 * The driver says how much time is between two events, in milliseconds as a float, which is exact
 * for short times only. So there are bases: events on a stream of their own, recorded twice a
 * second while there is something to report, which the host watches. A pair belongs to the base
 * that was the latest when it was recorded. The time from base to base is a clock of the device,
 * and the moments at which the host sees a base end are samples of it (clocks.h). */
#include "cuda_trace.h"
#include "clocks.h"

#include <stdlib.h>
#include <time.h>

enum {
    NESTED_MAX = 8,      /* commands of one thread at a time */
    PAIRS_MAX = 1 << 15, /* that have not been reported */
    STREAMS = 64,        /* whose latest end is remembered; a power of two */
    BLOCKED_MAX = 32,    /* streams whose next pair has not ended, in one look at all pairs */
    BASE_EVERY = 500000000,
    BASE_WAIT = 300000,    /* ns: how long a base is watched */
    BASE_GOOD = 40000,     /* ns in which the base ended, as far as the host knows */
    FIRST_WAIT = 20000000, /* the same, before there is a sample */
    BASE_TRIES = 5,        /* for the first sample: the best of these, if none is good */
    SLEEP = 20000,
    ROUNDING = 2000, /* ns: how much two commands of a stream may overlap by */
};

/* Ticks are nanoseconds since a while before the first base. */
static const uint64_t FIRST_TICKS = 3600000000000;

struct base {
    CUevent event;
    struct base *before; /* held until this one has ended; NULL: there was none */
    uint64_t recorded;   /* by the host's clock */
    uint64_t generation; /* of the trace */
    bool ended, failed;  /* failed: it has no time */
    uint64_t ticks;      /* when it ended */
    unsigned references; /* of pairs, of the next base, and of the trace */
};

struct pair {
    struct pair *next;
    CUevent events[2];
    uint64_t generation; /* of the trace */
    struct base *base;
    const struct ah_backend_stream *stream;
    uint64_t id;
    enum ah_trace_kind kind;
};

struct pairs {
    struct pair *first, **end;
};

struct trace {
    struct ahcuda_trace common;
    pthread_mutex_t collecting; /* held by the thread that collects; taken before lock */
    struct ah_trace_sink sink;  /* guarded by collecting, as the following */
    struct ah_clocks clocks;
    unsigned tries; /* to get the first sample */
    struct {
        uint64_t ticks, ns, took;
    } best; /* of these */
    struct {
        const struct ah_backend_stream *stream;
        uint64_t end;
    } latest[STREAMS];

    pthread_mutex_t lock; /* of what follows */
    bool on;
    _Atomic uint64_t generation; /* counts resets; written under the lock */
    CUstream stream;             /* of bases; NULL: there is none yet */
    struct base *base;           /* the latest; NULL: there is none yet */
    struct pair *free;
    unsigned count; /* of pairs that were made */
    struct pairs submitted;
    uint64_t lost;
};

static struct trace *full(struct ahcuda_trace *trace)
{
    return (struct trace *)(void *)trace; /* its first member */
}

static const struct ahcuda_api *api_of(const struct trace *trace)
{
    return trace->common.device->api;
}

/* A reset has destroyed the events of earlier generations. */
static void destroy_event(const struct trace *trace, CUevent event, uint64_t generation)
{
    if (event && generation == atomic_load(&trace->generation))
        api_of(trace)->cuEventDestroy(event);
}

/* Nanoseconds between two events that have ended. */
static bool elapsed(const struct trace *trace, CUevent from, CUevent to, double *out_ns)
{
    float milliseconds;
    if (api_of(trace)->cuEventElapsedTime(&milliseconds, from, to) != CUDA_SUCCESS)
        return false;
    *out_ns = (double)milliseconds * 1e6;
    return true;
}

/* ---- bases: under the lock --------------------------------------------------------------- */

static void release_base(const struct trace *trace, struct base *base)
{
    while (base && base->references == 0) {
        struct base *before = base->before;
        if (before)
            before->references--;
        destroy_event(trace, base->event, base->generation);
        free(base);
        base = before;
    }
}

/* The driver works on streams of high priority first, and this one has hardly any work. */
static bool open_stream(struct trace *trace)
{
    const struct ahcuda_api *api = api_of(trace);
    int least = 0, greatest = 0;
    if (trace->stream)
        return true;
    api->cuCtxGetStreamPriorityRange(&least, &greatest);
    return api->cuStreamCreateWithPriority(&trace->stream, CU_STREAM_NON_BLOCKING, greatest) ==
           CUDA_SUCCESS;
}

/* Records another base. The context is current. */
static void record_base(struct trace *trace)
{
    const struct ahcuda_api *api = api_of(trace);
    struct base *base = calloc(1, sizeof *base);
    if (!base)
        return;
    base->recorded = ah_clock_now();
    base->generation = trace->generation;
    if (!open_stream(trace) || api->cuEventCreate(&base->event, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
        api->cuEventRecord(base->event, trace->stream) != CUDA_SUCCESS) {
        destroy_event(trace, base->event, base->generation);
        free(base);
        return;
    }
    base->references = 1;
    base->before = trace->base; /* whose reference is this one's now */
    trace->base = base;
}

/* ---- bases: by the thread that collects --------------------------------------------------- */

/* Watches a base end: by the host's clock it did so within *out_took nanoseconds around *out_ns. */
static CUresult watch(const struct trace *trace, const struct base *base, uint64_t *out_ns,
                      uint64_t *out_took)
{
    uint64_t begin = ah_clock_now(), now = begin, not_before = base->recorded;
    uint64_t longest = trace->clocks.count == 0 ? FIRST_WAIT : BASE_WAIT;
    CUresult result;
    do {
        result = api_of(trace)->cuEventQuery(base->event);
        uint64_t asked = now;
        now = ah_clock_now();
        if (result == CUDA_ERROR_NOT_READY)
            not_before = asked;
    } while (result == CUDA_ERROR_NOT_READY && now - begin < longest);
    *out_took = now - not_before;
    *out_ns = not_before + *out_took / 2;
    return result;
}

/* Gives a base that has ended its place on the device's clock. */
static void place(struct trace *trace, struct base *base, bool failed)
{
    double passed = 0;
    struct base *before = base->before;
    base->failed =
        failed ||
        (before && (before->failed || !elapsed(trace, before->event, base->event, &passed)));
    base->ticks = before ? before->ticks + (uint64_t)passed : FIRST_TICKS;
    base->ended = true;
    pthread_mutex_lock(&trace->lock);
    base->before = NULL;
    if (before) {
        before->references--;
        release_base(trace, before);
    }
    pthread_mutex_unlock(&trace->lock);
}

/* A sample that is not good, before there is one that is. */
static void try_sample(struct trace *trace, uint64_t ticks, uint64_t ns, uint64_t took)
{
    if (trace->tries == 0 || took < trace->best.took) {
        trace->best.ticks = ticks;
        trace->best.ns = ns;
        trace->best.took = took;
    }
    if (++trace->tries == BASE_TRIES)
        ah_clocks_sample(&trace->clocks, trace->best.ticks, trace->best.ns);
}

/* True: the latest base has ended. The first sample may take several bases until one is good. */
static bool watch_base(struct trace *trace)
{
    uint64_t ns, took;
    struct base *base = trace->base; /* which no other thread replaces, once there is one */
    if (base->ended)
        return true;
    CUresult result = watch(trace, base, &ns, &took);
    if (result == CUDA_ERROR_NOT_READY)
        return false;
    place(trace, base, result != CUDA_SUCCESS);
    if (base->failed)
        return true;
    if (took <= BASE_GOOD)
        ah_clocks_sample(&trace->clocks, base->ticks, ns);
    else if (trace->clocks.count == 0)
        try_sample(trace, base->ticks, ns, took);
    return true;
}

static void update_base(struct trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    bool has = trace->base != NULL, work = trace->submitted.first != NULL;
    pthread_mutex_unlock(&trace->lock);
    if (!has || !work || !watch_base(trace))
        return;
    for (int i = 0; i < BASE_TRIES; i++) {
        if (trace->clocks.count > 0 && ah_clock_now() - trace->base->recorded < BASE_EVERY)
            return;
        pthread_mutex_lock(&trace->lock);
        record_base(trace);
        pthread_mutex_unlock(&trace->lock);
        if (!watch_base(trace) || trace->clocks.count > 0)
            return;
    }
}

/* ---- pairs: under the lock ---------------------------------------------------------------- */

static void unbind(const struct trace *trace, struct pair *pair)
{
    if (!pair->base)
        return;
    pair->base->references--;
    release_base(trace, pair->base);
    pair->base = NULL;
}

static void free_pair(const struct trace *trace, struct pair *pair)
{
    unbind(trace, pair);
    destroy_event(trace, pair->events[0], pair->generation);
    destroy_event(trace, pair->events[1], pair->generation);
    free(pair);
}

static struct pair *make_pair(struct trace *trace)
{
    const struct ahcuda_api *api = api_of(trace);
    struct pair *pair = trace->count < PAIRS_MAX ? calloc(1, sizeof *pair) : NULL;
    if (!pair)
        return NULL;
    pair->generation = trace->generation;
    if (api->cuEventCreate(&pair->events[0], CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
        api->cuEventCreate(&pair->events[1], CU_EVENT_DEFAULT) != CUDA_SUCCESS) {
        free_pair(trace, pair);
        return NULL;
    }
    trace->count++;
    return pair;
}

/* NULL: there is none, which was counted. */
static struct pair *take_pair(struct trace *trace)
{
    if (!trace->base)
        record_base(trace);
    struct pair *pair = trace->base ? trace->free : NULL;
    if (pair)
        trace->free = pair->next;
    else if (trace->base)
        pair = make_pair(trace);
    if (pair) {
        pair->base = trace->base;
        pair->base->references++;
    } else {
        trace->lost++;
    }
    return pair;
}

static void give_pair(struct trace *trace, struct pair *pair)
{
    unbind(trace, pair);
    if (pair->generation != trace->generation) {
        free_pair(trace, pair);
        return;
    }
    pair->next = trace->free;
    trace->free = pair;
}

static void add(struct pairs *pairs, struct pair *pair)
{
    pair->next = NULL;
    *pairs->end = pair;
    pairs->end = &pair->next;
}

static struct pairs take_submitted(struct trace *trace)
{
    struct pairs taken = trace->submitted;
    trace->submitted.first = NULL;
    trace->submitted.end = &trace->submitted.first;
    return taken;
}

/* ---- the commands that a thread submits -------------------------------------------------- */

struct command {
    struct trace *trace;
    struct pair *pair; /* NULL: it has no record */
};

static _Thread_local struct command commands[NESTED_MAX];
static _Thread_local unsigned depth; /* may exceed NESTED_MAX: the innermost have no records */

/* The pair was recorded, or else it is lost. */
static void finish_command(struct command *command, bool recorded)
{
    struct trace *trace = command->trace;
    pthread_mutex_lock(&trace->lock);
    if (recorded && command->pair->generation == trace->generation) {
        add(&trace->submitted, command->pair);
    } else {
        trace->lost++;
        give_pair(trace, command->pair);
    }
    pthread_mutex_unlock(&trace->lock);
    command->pair = NULL;
}

static bool record(const struct command *command, int which)
{
    const struct pair *pair = command->pair;
    return pair->generation == atomic_load(&command->trace->generation) &&
           api_of(command->trace)
                   ->cuEventRecord(pair->events[which], (CUstream)(uintptr_t)pair->stream) ==
               CUDA_SUCCESS;
}

static void begin(struct ahcuda_trace *common, struct ah_backend_stream *stream, uint64_t id,
                  enum ah_trace_kind kind)
{
    struct trace *trace = full(common);
    if (depth >= NESTED_MAX) {
        depth++;
        return;
    }
    struct command *command = &commands[depth++];
    *command = (struct command){.trace = trace};
    if (ahcuda_enter(common->device) != hipSuccess)
        return;
    pthread_mutex_lock(&trace->lock);
    command->pair = trace->on ? take_pair(trace) : NULL;
    pthread_mutex_unlock(&trace->lock);
    if (!command->pair)
        return;
    command->pair->stream = stream;
    command->pair->id = id;
    command->pair->kind = kind;
    if (!record(command, 0))
        finish_command(command, false);
}

static void end(struct ahcuda_trace *common, struct ah_backend_stream *stream, uint64_t id)
{
    struct trace *trace = full(common);
    (void)id;
    if (depth == 0 || --depth >= NESTED_MAX)
        return;
    struct command *command = &commands[depth];
    if (command->trace != trace || !command->pair)
        return;
    finish_command(command,
                   ahcuda_enter_stream(common->device, stream) == hipSuccess && record(command, 1));
}

/* ---- reporting --------------------------------------------------------------------------- */

/* Commands of a stream come one after the other, and times are rounded. */
static void order(struct trace *trace, const struct pair *pair, struct ah_trace_record *record)
{
    unsigned place = (unsigned)((uintptr_t)pair->stream / 64 % STREAMS);
    uint64_t end = trace->latest[place].end;
    if (trace->latest[place].stream == pair->stream && record->begin < end &&
        end - record->begin < ROUNDING) {
        record->begin = end;
        record->end = record->end < end ? end : record->end;
    }
    trace->latest[place].stream = pair->stream;
    trace->latest[place].end = record->end;
}

static bool report_pair(struct trace *trace, const struct pair *pair)
{
    double since, length;
    if (!elapsed(trace, pair->base->event, pair->events[0], &since) ||
        !elapsed(trace, pair->events[0], pair->events[1], &length))
        return false;
    uint64_t begun = pair->base->ticks + (uint64_t)(int64_t)since;
    struct ah_trace_record record = {.id = pair->id, .kind = pair->kind, .node = -1};
    record.begin = ah_clocks_convert(&trace->clocks, begun);
    record.end = ah_clocks_convert(&trace->clocks, begun + (uint64_t)(length > 0 ? length : 0));
    order(trace, pair, &record);
    trace->sink.record(trace->sink.user, &record);
    return true;
}

/* Streams whose next pair has not ended: nor have those behind it. */
struct blocked {
    const struct ah_backend_stream *streams[BLOCKED_MAX];
    unsigned count;
};

static bool is_blocked(const struct blocked *blocked, const struct ah_backend_stream *stream)
{
    for (unsigned i = 0; i < blocked->count; i++)
        if (blocked->streams[i] == stream)
            return true;
    return blocked->count == BLOCKED_MAX;
}

static CUresult wait_for(const struct trace *trace, CUevent event)
{
    uint64_t begin = ah_clock_now();
    CUresult result;
    while ((result = api_of(trace)->cuEventQuery(event)) == CUDA_ERROR_NOT_READY &&
           ah_clock_now() - begin < AHCUDA_TRACE_PATIENCE)
        nanosleep(&(struct timespec){.tv_nsec = SLEEP}, NULL);
    return result;
}

/* Whether the pair was reported or is lost. */
static bool finish(struct trace *trace, struct pair *pair, struct blocked *blocked, bool *wait,
                   uint64_t *lost)
{
    bool has_no_clock = trace->clocks.count == 0 && trace->base->failed;
    if (pair->base->failed || has_no_clock) {
        ++*lost;
        return true;
    }
    if (!pair->base->ended || trace->clocks.count == 0 || is_blocked(blocked, pair->stream))
        return false;
    CUresult result =
        *wait ? wait_for(trace, pair->events[1]) : api_of(trace)->cuEventQuery(pair->events[1]);
    if (result == CUDA_ERROR_NOT_READY) {
        *wait = false; /* the others are not waited for in vain as well */
        blocked->streams[blocked->count++] = pair->stream;
        return false;
    }
    if (result != CUDA_SUCCESS || !report_pair(trace, pair))
        ++*lost;
    return true;
}

/* Reports what has ended. Submission needs the lock, which is not held meanwhile. */
static void report(struct trace *trace, bool wait)
{
    uint64_t lost = 0;
    struct blocked blocked = {.count = 0};
    struct pairs left = {NULL, &left.first};
    pthread_mutex_lock(&trace->lock);
    struct pairs taken = take_submitted(trace);
    pthread_mutex_unlock(&trace->lock);
    for (struct pair *pair = taken.first, *next; pair; pair = next) {
        next = pair->next;
        if (!finish(trace, pair, &blocked, &wait, &lost)) {
            add(&left, pair);
            continue;
        }
        pthread_mutex_lock(&trace->lock);
        give_pair(trace, pair);
        pthread_mutex_unlock(&trace->lock);
    }
    pthread_mutex_lock(&trace->lock);
    *left.end = trace->submitted.first;
    if (left.first) {
        if (!trace->submitted.first)
            trace->submitted.end = left.end;
        trace->submitted.first = left.first;
    }
    trace->lost += lost;
    pthread_mutex_unlock(&trace->lock);
}

/* A base that does not end within this is no reason to wait longer. */
static void wait_for_base(struct trace *trace)
{
    uint64_t begin = ah_clock_now();
    do
        update_base(trace);
    while (ah_clock_now() - begin < AHCUDA_TRACE_PATIENCE &&
           (!trace->base->ended || (trace->clocks.count == 0 && !trace->base->failed)));
}

static bool has_work(struct trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    bool work = trace->submitted.first != NULL;
    pthread_mutex_unlock(&trace->lock);
    return work;
}

static void collect(struct ahcuda_trace *common, bool wait, uint64_t *out_lost)
{
    struct trace *trace = full(common);
    pthread_mutex_lock(&trace->collecting);
    if (has_work(trace) && ahcuda_enter(common->device) == hipSuccess) {
        if (wait)
            wait_for_base(trace);
        else
            update_base(trace);
        report(trace, wait);
    }
    pthread_mutex_lock(&trace->lock);
    *out_lost += trace->lost;
    trace->lost = 0;
    pthread_mutex_unlock(&trace->lock);
    pthread_mutex_unlock(&trace->collecting);
}

/* ---- beginning and end ------------------------------------------------------------------- */

/* Under both locks: frees all pairs but those of commands under way, and counts what is lost. */
static void drop(struct trace *trace)
{
    struct pairs taken = take_submitted(trace);
    for (struct pair *pair = taken.first, *next; pair; pair = next) {
        next = pair->next;
        trace->lost++;
        free_pair(trace, pair);
    }
    for (struct pair *pair = trace->free, *next; pair; pair = next) {
        next = pair->next;
        free_pair(trace, pair);
    }
    trace->free = NULL;
    trace->count = 0;
    if (trace->base) {
        trace->base->references--;
        release_base(trace, trace->base);
    }
    trace->base = NULL;
}

static void lock_all(struct trace *trace)
{
    pthread_mutex_lock(&trace->collecting);
    pthread_mutex_lock(&trace->lock);
}

static void unlock_all(struct trace *trace)
{
    pthread_mutex_unlock(&trace->lock);
    pthread_mutex_unlock(&trace->collecting);
}

static struct ahcuda_trace *create(void)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    pthread_mutex_init(&trace->collecting, NULL);
    pthread_mutex_init(&trace->lock, NULL);
    trace->submitted.end = &trace->submitted.first;
    return &trace->common;
}

static hipError_t start(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                        struct ahcuda_trace **common)
{
    (void)device;
    if (!*common)
        *common = create();
    if (!*common)
        return hipErrorOutOfMemory;
    struct trace *trace = full(*common);
    lock_all(trace);
    trace->sink = *sink;
    trace->tries = 0;
    ah_clocks_init(&trace->clocks, 1e9);
    trace->on = true;
    unlock_all(trace);
    return hipSuccess;
}

static void stop(struct ahcuda_trace *common)
{
    struct trace *trace = full(common);
    lock_all(trace);
    trace->on = false;
    if (ahcuda_enter(common->device) == hipSuccess) {
        drop(trace);
        if (trace->stream)
            api_of(trace)->cuStreamDestroy(trace->stream);
        trace->stream = NULL;
    }
    unlock_all(trace);
}

static void forget(struct ahcuda_trace *common)
{
    struct trace *trace = full(common);
    lock_all(trace);
    atomic_fetch_add(&trace->generation, 1);
    drop(trace);
    trace->stream = NULL;
    trace->tries = 0;
    ah_clocks_init(&trace->clocks, 1e9);
    unlock_all(trace);
}

static void destroy(struct ahcuda_trace *common)
{
    struct trace *trace = full(common);
    pthread_mutex_destroy(&trace->collecting);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

const struct ahcuda_trace_method ahcuda_trace_events = {
    .name = "event pairs",
    .start = start,
    .begin = begin,
    .end = end,
    .collect = collect,
    .stop = stop,
    .forget = forget,
    .destroy = destroy,
};
