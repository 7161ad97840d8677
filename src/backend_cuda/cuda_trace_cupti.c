/* Owns times by CUPTI, which reports each kernel, copy and fill, those of graphs' nodes too.
 *
 * A record names the call of the driver that it comes from by a number. While a command is
 * submitted its id is the calling thread's external id, and CUPTI says in a record of its own which
 * external id the call of that number had. The two come in any order, from buffers of different
 * threads. */
#include "cuda_cupti.h"
#include "cuda_trace.h"
#include "clocks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COMMANDS = 1 << 16, /* that are known at a time; a power of two, as the following */
    CALLS = 1 << 16,
    NODES = 1 << 16,
    NODE_PLACES = 8, /* where a number may be, from its own place on */
    WAITING = 1 << 13,
    SLEEP = 50000, /* ns */
    FLUSH_EVERY = 20000000,
    FLUSH_FOR = 1000000000, /* after the latest command, of which more may come than one record */
};

static const int32_t EXTERNAL = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

struct trace {
    struct ahcuda_trace common;
    struct trace *next; /* of all that are on; guarded by lock */
    struct ah_trace_sink sink;
    const struct ahcuda_cupti *cupti;
    _Atomic uint64_t flushed; /* when, by the host's clock */
    bool on;                  /* guarded by lock, as the following */
    unsigned outstanding;     /* commands that have no record yet, and should get one */
    uint64_t latest;          /* when a command was submitted */
};

/* What a device has done, and for which call. */
struct work {
    uint32_t call;
    uint64_t node; /* 0: of no graph */
    struct ah_trace_record record;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace *traces;  /* guarded by lock, as the following */
static _Atomic bool ended;    /* with the process */
static _Atomic uint64_t lost; /* no one knows of which device */

/* In all of these a new entry takes the place of an old one. */
struct tables {
    struct {
        uint64_t id; /* 0: there is none */
        struct trace *trace;
        bool expected; /* it counts as outstanding */
    } commands[COMMANDS];
    struct {
        uint64_t id;
        uint32_t number;
    } calls[CALLS];
    struct {
        uint64_t number, age;
        int index;
    } nodes[NODES];
    uint64_t node_count;
    struct work waiting[WAITING]; /* for the id of its call; call 0: none */
    unsigned waiting_next, waiting_count;
};
static struct tables *tables; /* guarded by lock; while there are traces */

static struct trace *full(struct ahcuda_trace *trace)
{
    return (struct trace *)(void *)trace; /* its first member */
}

/* ---- nodes of graphs ------------------------------------------------------------------------ */

static size_t node_place(uint64_t number)
{
    return (size_t)(number * 0x9E3779B97F4A7C15u >> 48) % NODES;
}

static void note_node(uint64_t number, int index)
{
    size_t place = node_place(number), oldest = place;
    for (size_t i = 0; i < NODE_PLACES; i++) {
        size_t at = (place + i) % NODES;
        if (tables->nodes[at].age < tables->nodes[oldest].age)
            oldest = at;
    }
    tables->nodes[oldest].number = number;
    tables->nodes[oldest].index = index;
    tables->nodes[oldest].age = ++tables->node_count;
}

/* -1: it is not known, or no longer. */
static int find_node(uint64_t number)
{
    size_t place = node_place(number);
    for (size_t i = 0; number != 0 && i < NODE_PLACES; i++)
        if (tables->nodes[(place + i) % NODES].number == number)
            return tables->nodes[(place + i) % NODES].index;
    return -1;
}

/* Nodes are mostly cloned in the order in which they were made. */
static int index_of(struct ahcuda_trace_nodes *nodes, CUgraphNode node)
{
    for (unsigned i = 0; i < nodes->count; i++) {
        unsigned at = (nodes->next + i) % nodes->count;
        if (nodes->node(nodes->graph, at) == node) {
            nodes->next = at + 1;
            return (int)at;
        }
    }
    return -1;
}

static void cloned(CUgraphNode from, uint64_t number)
{
    struct ahcuda_trace_nodes *nodes = ahcuda_trace_instantiating();
    int index = nodes ? index_of(nodes, from) : -1;
    if (index < 0)
        return;
    pthread_mutex_lock(&lock);
    if (tables)
        note_node(number, index);
    pthread_mutex_unlock(&lock);
}

/* ---- records -------------------------------------------------------------------------------- */

/* Under the lock: the trace that the work is of, NULL if it is not known. */
static struct trace *resolve(struct work *work)
{
    uint64_t id = tables->calls[work->call % CALLS].id;
    if (tables->calls[work->call % CALLS].number != work->call || id == 0 ||
        tables->commands[id % COMMANDS].id != id)
        return NULL;
    struct trace *trace = tables->commands[id % COMMANDS].trace;
    if (tables->commands[id % COMMANDS].expected) {
        tables->commands[id % COMMANDS].expected = false;
        trace->outstanding--;
    }
    work->record.id = id;
    work->record.node = find_node(work->node);
    if (work->record.node >= 0)
        work->record.kernel = NULL;
    return trace;
}

static void report(struct trace *trace, const struct work *work)
{
    if (work->record.begin == 0 || work->record.end < work->record.begin)
        atomic_fetch_add(&lost, 1); /* CUPTI had no memory for the times */
    else
        trace->sink.record(trace->sink.user, &work->record);
}

static void add_waiting(const struct work *work)
{
    struct work *place = &tables->waiting[tables->waiting_next++ % WAITING];
    tables->waiting_count += place->call == 0;
    *place = *work;
}

/* Calls of others have no id, and what they did waits until its place is needed. */
static void take_work(struct work *work)
{
    pthread_mutex_lock(&lock);
    struct trace *trace = tables ? resolve(work) : NULL;
    bool on = trace && trace->on;
    if (tables && !trace)
        add_waiting(work);
    pthread_mutex_unlock(&lock);
    if (on)
        report(trace, work);
}

static void take_call(const CUpti_ActivityExternalCorrelation *record)
{
    if (record->externalKind != EXTERNAL)
        return;
    pthread_mutex_lock(&lock);
    if (tables) {
        tables->calls[record->correlationId % CALLS].id = record->externalId;
        tables->calls[record->correlationId % CALLS].number = record->correlationId;
    }
    pthread_mutex_unlock(&lock);
}

static struct work of_kernel(const CUpti_ActivityKernel *kernel)
{
    return (struct work){.call = kernel->correlationId,
                         .node = kernel->graphNodeId,
                         .record = {.kind = AH_TRACE_KERNEL,
                                    .begin = kernel->start,
                                    .end = kernel->end,
                                    .kernel = kernel->graphNodeId ? kernel->name : NULL}};
}

static struct work of_copy(const CUpti_ActivityMemcpy *copy)
{
    return (struct work){
        .call = copy->correlationId,
        .node = copy->graphNodeId,
        .record = {
            .kind = AH_TRACE_COPY, .begin = copy->start, .end = copy->end, .bytes = copy->bytes}};
}

static struct work of_peer_copy(const CUpti_ActivityMemcpyPtoP *copy)
{
    return (struct work){
        .call = copy->correlationId,
        .node = copy->graphNodeId,
        .record = {
            .kind = AH_TRACE_COPY, .begin = copy->start, .end = copy->end, .bytes = copy->bytes}};
}

static struct work of_fill(const CUpti_ActivityMemset *fill)
{
    return (struct work){
        .call = fill->correlationId,
        .node = fill->graphNodeId,
        .record = {
            .kind = AH_TRACE_FILL, .begin = fill->start, .end = fill->end, .bytes = fill->bytes}};
}

static void take(const CUpti_Activity *record)
{
    struct work work;
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        take_call((const void *)record);
        return;
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        work = of_kernel((const void *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        work = of_copy((const void *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        work = of_peer_copy((const void *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
        work = of_fill((const void *)record);
        break;
    default:
        return;
    }
    take_work(&work);
}

static void take_loss(uint64_t count)
{
    atomic_fetch_add(&lost, count);
}

/* Takes out one that waited and whose call is known now. *at: where to look on. */
static bool next_settled(unsigned *at, struct work *out, struct trace **out_trace)
{
    for (; tables && tables->waiting_count > 0 && *at < WAITING; ++*at) {
        struct work *waiting = &tables->waiting[*at];
        struct trace *trace = waiting->call ? resolve(waiting) : NULL;
        if (!trace)
            continue;
        *out = *waiting;
        *out_trace = trace;
        waiting->call = 0;
        tables->waiting_count--;
        return true;
    }
    return false;
}

static void settle(void)
{
    struct work work;
    struct trace *trace;
    bool found, on = false;
    unsigned at = 0;
    do {
        pthread_mutex_lock(&lock);
        found = next_settled(&at, &work, &trace);
        on = found && trace->on;
        pthread_mutex_unlock(&lock);
        if (on)
            report(trace, &work);
    } while (found);
}

/* ---- the commands that a thread submits ----------------------------------------------------- */

/* A bit for each command of the thread that has begun: it has an external id. The innermost last.
 */
static _Thread_local uint64_t pushed;

static bool gets_record(enum ah_trace_kind kind)
{
    return kind == AH_TRACE_KERNEL || kind == AH_TRACE_COPY || kind == AH_TRACE_FILL;
}

static bool push(const struct ahcuda_cupti *api, uint64_t id)
{
    static _Atomic bool said;
    return ahcuda_cupti_check(&said, "cuptiActivityPushExternalCorrelationId",
                              api->cuptiActivityPushExternalCorrelationId(EXTERNAL, id));
}

/* After a failure the id stays under those that the thread pushes later. */
static bool pop(const struct ahcuda_cupti *api)
{
    static _Atomic bool said;
    return ahcuda_cupti_check(&said, "cuptiActivityPopExternalCorrelationId",
                              api->cuptiActivityPopExternalCorrelationId(EXTERNAL, NULL));
}

static void begin(struct ahcuda_trace *common, struct ah_backend_stream *stream, uint64_t id,
                  enum ah_trace_kind kind)
{
    struct trace *trace = full(common);
    (void)stream;
    bool ok = !atomic_load(&ended) && push(trace->cupti, id);
    pushed = pushed << 1 | ok;
    pthread_mutex_lock(&lock);
    if (trace->on && ok) {
        bool expected = gets_record(kind);
        trace->latest = ah_clock_now();
        if (tables->commands[id % COMMANDS].expected)
            tables->commands[id % COMMANDS].trace->outstanding--;
        tables->commands[id % COMMANDS].id = id;
        tables->commands[id % COMMANDS].trace = trace;
        tables->commands[id % COMMANDS].expected = expected;
        trace->outstanding += expected;
    } else if (trace->on) {
        atomic_fetch_add(&lost, 1);
    }
    pthread_mutex_unlock(&lock);
}

static void end(struct ahcuda_trace *common, struct ah_backend_stream *stream, uint64_t id)
{
    (void)stream, (void)id;
    if ((pushed & 1) && !atomic_load(&ended))
        (void)pop(full(common)->cupti);
    pushed >>= 1;
}

/* ---- reporting ------------------------------------------------------------------------------ */

/* Under the lock. */
static void forget_commands(struct trace *trace)
{
    for (size_t i = 0; tables && i < COMMANDS; i++) {
        if (tables->commands[i].trace != trace)
            continue;
        tables->commands[i].id = 0;
        tables->commands[i].trace = NULL;
        tables->commands[i].expected = false;
    }
    trace->outstanding = 0;
}

/* What has no record by now, as a launch that failed, is not waited for again. */
static void expect_no_more(struct trace *trace)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; tables && i < COMMANDS; i++)
        if (tables->commands[i].trace == trace)
            tables->commands[i].expected = false;
    trace->outstanding = 0;
    pthread_mutex_unlock(&lock);
}

/* trace: NULL: of any */
static bool has_outstanding(const struct trace *trace)
{
    bool has = false;
    pthread_mutex_lock(&lock);
    for (const struct trace *at = traces; at; at = at->next)
        has |= (!trace || at == trace) && at->outstanding > 0;
    pthread_mutex_unlock(&lock);
    return has;
}

static void flush(void)
{
    ahcuda_cupti_flush();
    settle();
}

static bool is_time(struct trace *trace)
{
    uint64_t now = ah_clock_now();
    pthread_mutex_lock(&lock);
    bool expects = trace->outstanding > 0 || now - trace->latest < FLUSH_FOR;
    pthread_mutex_unlock(&lock);
    return expects && now - atomic_load(&trace->flushed) >= FLUSH_EVERY;
}

/* trace: NULL: for all */
static void wait_for(const struct trace *trace)
{
    uint64_t begin = ah_clock_now();
    flush();
    while (has_outstanding(trace) && ah_clock_now() - begin < AHCUDA_TRACE_PATIENCE) {
        nanosleep(&(struct timespec){.tv_nsec = SLEEP}, NULL);
        flush();
    }
    flush(); /* a command's further records */
}

static void collect(struct ahcuda_trace *common, bool wait, uint64_t *out_lost)
{
    struct trace *trace = full(common);
    pthread_mutex_lock(&lock);
    bool on = trace->on;
    pthread_mutex_unlock(&lock);
    if (on && wait) {
        wait_for(trace);
        expect_no_more(trace);
    } else if (on && is_time(trace)) {
        atomic_store(&trace->flushed, ah_clock_now());
        flush();
    }
    *out_lost += atomic_exchange(&lost, 0);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static void ending(void)
{
    wait_for(NULL);
    atomic_store(&ended, true);
}

static const struct ahcuda_cupti_user user = {take, cloned, take_loss, ending};

/* Makes *trace if it is not there. */
static bool add_trace(struct trace **out_trace)
{
    struct trace *trace = *out_trace ? *out_trace : calloc(1, sizeof *trace);
    if (!trace)
        return false;
    *out_trace = trace;
    pthread_mutex_lock(&lock);
    if (!tables)
        tables = calloc(1, sizeof *tables);
    bool added = tables != NULL;
    if (added) {
        trace->next = traces;
        traces = trace;
    }
    pthread_mutex_unlock(&lock);
    return added;
}

static void remove_trace(struct trace *trace)
{
    pthread_mutex_lock(&lock);
    for (struct trace **link = &traces; *link; link = &(*link)->next) {
        if (*link == trace) {
            *link = trace->next;
            break;
        }
    }
    if (!traces) {
        free(tables);
        tables = NULL;
    }
    pthread_mutex_unlock(&lock);
}

static hipError_t start(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                        struct ahcuda_trace **common)
{
    struct trace *trace = *common ? full(*common) : NULL;
    bool added = add_trace(&trace);
    if (trace)
        *common = &trace->common;
    if (!added)
        return hipErrorOutOfMemory;
    const struct ahcuda_cupti *cupti = ahcuda_cupti_start(device, &user);
    if (!cupti) {
        remove_trace(trace);
        return hipErrorNotSupported;
    }
    pthread_mutex_lock(&lock);
    trace->cupti = cupti;
    trace->sink = *sink;
    trace->on = true;
    pthread_mutex_unlock(&lock);
    return hipSuccess;
}

static void stop(struct ahcuda_trace *common)
{
    struct trace *trace = full(common);
    pthread_mutex_lock(&lock);
    bool was_on = trace->on;
    trace->on = false;
    forget_commands(trace);
    pthread_mutex_unlock(&lock);
    if (!was_on)
        return;
    ahcuda_cupti_stop();
    remove_trace(trace);
}

static void forget(struct ahcuda_trace *common)
{
    struct trace *trace = full(common);
    pthread_mutex_lock(&lock);
    if (trace->on)
        forget_commands(trace);
    pthread_mutex_unlock(&lock);
}

static void destroy(struct ahcuda_trace *common)
{
    stop(common);
    free(full(common));
}

const struct ahcuda_trace_method ahcuda_trace_cupti = {
    .name = "CUPTI",
    .start = start,
    .begin = begin,
    .end = end,
    .collect = collect,
    .stop = stop,
    .forget = forget,
    .destroy = destroy,
};
