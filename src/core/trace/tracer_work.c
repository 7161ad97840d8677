/* Owns what is known of commands whose work AMD's tracer has not been told of yet, turns what
 * devices did into its records, and keeps those until they are delivered: when a call has waited
 * for work, and now and then. The tracer's function may wait for another thread that calls HIP. */
#include "tracer.h"

#include "log.h"
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* A command that a device may still report on. */
struct submitted {
    uint64_t id; /* 0: none */
    uint64_t correlation, queue;
    const char *kernel;       /* or NULL */
    const char *const *nodes; /* kernels of a graph's nodes, or NULL for others; NULL: no graph */
    unsigned node_count;
    size_t bytes;
    uint32_t copy_kind; /* enum of roctracer_abi.h; 0: it copies nothing */
};

/* Commands have their places in turn. Whatever is submitted this many commands later takes the
 * place of one whose work has not ended by then. */
enum { PLACES = 1 << 16, DELIVERED_AFTER = 1 << 12 };
static struct submitted *submitted;      /* by id */
static _Atomic(unsigned) since_delivery; /* commands and nodes of graphs */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool ah_tracer_work_init(void)
{
    pthread_mutex_lock(&lock);
    if (!submitted)
        submitted = calloc(PLACES, sizeof *submitted);
    bool there = submitted;
    pthread_mutex_unlock(&lock);
    return there;
}

/* ---- commands ------------------------------------------------------------------------------ */

static bool is_on_device(const void *pointer)
{
    return ah_memory_owner(pointer);
}

static bool end_is_on_device(const struct ah_copy_end *end)
{
    return end->array || is_on_device(end->pointer);
}

static uint32_t kind_of_copy(bool from_device, bool to_device)
{
    return !from_device ? ROCTRACER_KIND_HOST_TO_DEVICE
           : to_device  ? ROCTRACER_KIND_DEVICE_TO_DEVICE
                        : ROCTRACER_KIND_DEVICE_TO_HOST;
}

static uint32_t kind_of_region(const struct ah_copy_region *region)
{
    uint32_t flat = kind_of_copy(end_is_on_device(&region->src), end_is_on_device(&region->dst));
    return flat + (ROCTRACER_KIND_DEVICE_TO_HOST_2D - ROCTRACER_KIND_DEVICE_TO_HOST);
}

static void describe_graph(const struct ah_observed_nodes *nodes, struct submitted *out)
{
    const char **names = nodes ? calloc(nodes->count, sizeof *names) : NULL;
    if (!names)
        return;
    for (unsigned i = 0; i < nodes->count; i++) {
        struct ah_observed_node node;
        nodes->describe(nodes, i, &node);
        names[i] = node.function ? ah_tracer_keep(node.function->name) : NULL;
    }
    out->nodes = ah_tracer_keep_bytes(names, nodes->count * sizeof *names);
    out->node_count = out->nodes ? nodes->count : 0;
    free(names);
}

static void describe_batch(const struct ah_copy_batch *copies, struct submitted *out)
{
    out->copy_kind = kind_of_copy(is_on_device(copies->srcs[0]), is_on_device(copies->dsts[0]));
    for (size_t i = 0; i < copies->count; i++)
        out->bytes += copies->sizes[i];
}

static void describe(const struct ah_command *command, struct submitted *out)
{
    switch (command->kind) {
    case AH_COMMAND_LAUNCH:
        out->kernel = ah_tracer_keep(command->launch.function->name);
        break;
    case AH_COMMAND_COPY:
    case AH_COMMAND_COPY_PEER:
        out->copy_kind =
            kind_of_copy(is_on_device(command->copy.src), is_on_device(command->copy.dst));
        out->bytes = command->copy.size;
        break;
    case AH_COMMAND_COPY_REGION:
        out->copy_kind = kind_of_region(command->region);
        out->bytes = command->region->width * command->region->height * command->region->depth;
        break;
    case AH_COMMAND_COPY_BATCH:
        describe_batch(command->batch.copies, out);
        break;
    case AH_COMMAND_GRAPH:
        describe_graph(command->graph.nodes, out);
        break;
    case AH_COMMAND_FILL:
        out->bytes =
            command->fill.rows.width * command->fill.rows.height * command->fill.rows.element_size;
        break;
    default:
        break;
    }
}

void ah_tracer_command_begins(const struct ah_observed_command *command)
{
    struct submitted described = {
        .id = command->id,
        .correlation = ah_tracer_correlation(),
        .queue = command->stream->id,
    };
    describe(command->command, &described);
    pthread_mutex_lock(&lock);
    submitted[command->id % PLACES] = described;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add_explicit(&since_delivery, described.node_count + 1, memory_order_relaxed);
}

bool ah_tracer_delivery_is_due(void)
{
    return atomic_load_explicit(&since_delivery, memory_order_relaxed) >= DELIVERED_AFTER;
}

/* ---- records ------------------------------------------------------------------------------- */

/* False: the command was submitted before there was a tracer, or its place was taken: then out is
 * of a later command. */
static bool find(uint64_t id, struct submitted *out)
{
    pthread_mutex_lock(&lock);
    *out = submitted[id % PLACES];
    pthread_mutex_unlock(&lock);
    return out->id == id;
}

/* A driver that has no times of a graph's nodes reports a launch of the graph as a whole. */
static bool is_graph(const struct ah_trace_record *record, const struct submitted *command)
{
    return record->kind == AH_TRACE_OTHER && command->nodes;
}

static uint32_t operation_of(const struct ah_trace_record *record, const struct submitted *command)
{
    switch (record->kind) {
    case AH_TRACE_KERNEL:
        return ROCTRACER_OP_DISPATCH;
    case AH_TRACE_COPY:
    case AH_TRACE_FILL:
        return ROCTRACER_OP_COPY;
    case AH_TRACE_BARRIER:
        return ROCTRACER_OP_BARRIER;
    default:
        return is_graph(record, command) ? ROCTRACER_OP_DISPATCH : ROCTRACER_OP_COUNT;
    }
}

static uint32_t kind_of(const struct ah_trace_record *record, const struct submitted *command)
{
    switch (record->kind) {
    case AH_TRACE_KERNEL:
        return record->node < 0 ? ROCTRACER_KIND_KERNEL : ROCTRACER_KIND_TASK;
    case AH_TRACE_FILL:
        return ROCTRACER_KIND_FILL;
    case AH_TRACE_COPY:
        return command->copy_kind ? command->copy_kind : ROCTRACER_KIND_DEVICE_TO_DEVICE;
    default:
        return is_graph(record, command) ? ROCTRACER_KIND_TASK : ROCTRACER_KIND_MARKER;
    }
}

/* From CLOCK_MONOTONIC to HSA's clock, which goes on while the machine sleeps. */
static uint64_t slept(void)
{
    struct timespec with, without;
    clock_gettime(CLOCK_MONOTONIC, &without);
    clock_gettime(CLOCK_BOOTTIME, &with);
    int64_t difference =
        (int64_t)(with.tv_sec - without.tv_sec) * 1000000000 + (with.tv_nsec - without.tv_nsec);
    return difference > 1000000 ? (uint64_t)difference : 0; // less is between the two readings
}

static const char *kernel_of(const struct ah_trace_record *record, const struct submitted *command)
{
    if (record->node >= 0 && (unsigned)record->node < command->node_count)
        return command->nodes[record->node];
    return is_graph(record, command) ? "graph"
           : record->kernel          ? ah_tracer_keep(record->kernel)
                                     : command->kernel;
}

/* False: the tracer is not to be told. */
static bool fill_in(struct ah_device *device, const struct ah_trace_record *record,
                    struct roctracer_record *out)
{
    struct submitted command;
    bool found = find(record->id, &command);
    if (!found && command.id > record->id)
        AH_LOG_WARN(
            "a tracer is not told of work on device %d: %d commands were submitted after it",
            device->ordinal, PLACES);
    if (!found)
        return false;
    uint32_t operation = operation_of(record, &command);
    if (operation == ROCTRACER_OP_COUNT)
        return false;
    uint64_t shift = slept();
    *out = (struct roctracer_record){
        .domain = ROCTRACER_HIP_OPS,
        .kind = kind_of(record, &command),
        .operation = operation,
        .correlation = command.correlation,
        .begin = record->begin + shift,
        .end = record->end + shift,
        .device = device->ordinal,
        .queue = command.queue,
    };
    if (out->operation == ROCTRACER_OP_DISPATCH)
        out->kernel = kernel_of(record, &command);
    else
        out->bytes = record->bytes ? record->bytes : command.bytes;
    return true;
}

/* ---- delivery ------------------------------------------------------------------------------ */

struct records {
    struct roctracer_record *items;
    size_t count, capacity;
};
static struct records waiting; /* under the lock */

static bool append(struct records *records, const struct roctracer_record *record)
{
    if (records->count == records->capacity) {
        size_t capacity = records->capacity ? 2 * records->capacity : 256;
        struct roctracer_record *items = realloc(records->items, capacity * sizeof *records->items);
        if (!items)
            return false;
        records->items = items;
        records->capacity = capacity;
    }
    records->items[records->count++] = *record;
    return true;
}

void ah_tracer_device_did(struct ah_device *device, const struct ah_trace_record *record)
{
    struct roctracer_record filled;
    if (!fill_in(device, record, &filled))
        return;
    pthread_mutex_lock(&lock);
    bool kept = append(&waiting, &filled);
    pthread_mutex_unlock(&lock);
    if (!kept)
        AH_LOG_ERR("a tracer is not told of work on device %d: no memory", device->ordinal);
}

/* The backend keeps a limited number of pieces of work that have not ended. */
static void tell_lost(uint64_t lost)
{
    static uint64_t told; // under the lock
    pthread_mutex_lock(&lock);
    uint64_t more = lost > told ? lost - told : 0;
    told += more;
    pthread_mutex_unlock(&lock);
    if (more > 0)
        AH_LOG_WARN("a tracer is not told of %llu pieces of work: too many are under way",
                    (unsigned long long)more);
}

void ah_tracer_deliver(enum ah_tracer_wait wait)
{
    struct records delivered;
    atomic_store_explicit(&since_delivery, 0, memory_order_relaxed);
    tell_lost(wait == AH_TRACER_THIS_DEVICE ? ah_observe_collect_idle(ah_device_current())
                                            : ah_observe_collect(wait == AH_TRACER_ALL));
    pthread_mutex_lock(&lock);
    delivered = waiting;
    waiting = (struct records){0};
    pthread_mutex_unlock(&lock);
    roctracer_callback *callback = ah_tracer_callback();
    for (size_t i = 0; callback && i < delivered.count; i++) {
        uint32_t operation = delivered.items[i].operation;
        if (callback(ROCTRACER_HIP_OPS, operation, NULL) == 0)
            callback(ROCTRACER_HIP_OPS, operation, &delivered.items[i]);
    }
    free(delivered.items);
}
