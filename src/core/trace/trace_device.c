/* Owns the events of devices: what commands and nodes of graphs are called, the flows from calls,
 * and launches of graphs around their nodes. */
#include "trace_events.h"

#include "clocks.h"
#include "demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMMANDS = 16384, /* that are known at a time; older ones are forgotten */
    NAMES_MAX = 65536,
    GRAPHS_MAX = 4096,
    LAUNCHES = 64,
    DEVICES_MAX = 256,
};

static struct ah_command_record *commands;
static char **names;
static struct ah_graph_record **graphs;

/* Launches of graphs of which nodes are done. */
static struct launch {
    uint64_t id; /* 0: there is none */
    struct ah_command_record command;
    uint64_t begin, end;
    unsigned nodes;
    uint64_t last_command; /* that has a piece */
    int last_node;
    /* A piece of it that the device did as a whole, with no times of its nodes. It has an event of
     * its own if it turns out not to be the only one. */
    bool has_whole;
    struct ah_command_record whole_command;
    struct ah_device_record whole;
} launches[LAUNCHES];

/* ---- names ---------------------------------------------------------------------------------- */

void ah_trace_note_command(const struct ah_command_record *command)
{
    if (!commands)
        commands = calloc(COMMANDS, sizeof *commands);
    if (commands)
        commands[command->id % COMMANDS] = *command;
}

static const struct ah_command_record *find_command(uint64_t id)
{
    const struct ah_command_record *command = commands ? &commands[id % COMMANDS] : NULL;
    return command && command->id == id ? command : NULL;
}

/* Where the parameters of a function begin: its last parentheses. */
static size_t length_without_parameters(const char *name)
{
    size_t length = strlen(name);
    int depth = 0;
    if (length == 0 || name[length - 1] != ')')
        return length;
    for (size_t i = length; i-- > 0;) {
        depth += (name[i] == ')') - (name[i] == '(');
        if (depth == 0)
            return i > 0 ? i : length;
    }
    return length;
}

/* "scale<float>" of "void scale<float>(float*, float)". */
static char *short_name(const char *symbol)
{
    const char *name = ah_demangle(symbol);
    size_t length = length_without_parameters(name);
    if (strncmp(name, "void ", 5) == 0 && length > 5) {
        name += 5;
        length -= 5;
    }
    return strndup(name, length < AH_TRACE_SLICE_NAME_MAX ? length : AH_TRACE_SLICE_NAME_MAX);
}

void ah_trace_note_name(const struct ah_name_record *name)
{
    if (!names)
        names = calloc(NAMES_MAX, sizeof(char *));
    if (names && name->number < NAMES_MAX && !names[name->number])
        names[name->number] = short_name(name->text);
}

static const char *kernel_name(unsigned number)
{
    return names && number > 0 && number < NAMES_MAX && names[number] ? names[number] : "kernel";
}

void ah_trace_note_graph(const struct ah_graph_record *graph)
{
    size_t size = sizeof *graph + graph->count * sizeof *graph->nodes;
    if (!graphs)
        graphs = calloc(GRAPHS_MAX, sizeof(struct ah_graph_record *));
    struct ah_graph_record *copy = graphs ? malloc(size) : NULL;
    if (!copy)
        return;
    memcpy(copy, graph, size);
    free(graphs[graph->number % GRAPHS_MAX]);
    graphs[graph->number % GRAPHS_MAX] = copy;
}

static const struct ah_graph_record_node *find_node(unsigned graph, int index)
{
    const struct ah_graph_record *found = graphs && graph ? graphs[graph % GRAPHS_MAX] : NULL;
    bool is_it = found && found->number == graph && index >= 0 && (unsigned)index < found->count;
    return is_it ? &found->nodes[index] : NULL;
}

/* Of a symbol that stays where it is; until the next one. */
static const char *symbol_name(const char *symbol)
{
    static const char *latest;
    static char *name;
    if (symbol != latest) {
        free(name);
        name = short_name(symbol);
        latest = symbol;
    }
    return name ? name : "kernel";
}

static const char *copy_name(enum ah_trace_copy copy)
{
    static const char *const copies[AH_COPY_COUNT] = {[AH_COPY_HTOD] = "copy host to device",
                                                      [AH_COPY_DTOH] = "copy device to host",
                                                      [AH_COPY_DTOD] = "copy on device",
                                                      [AH_COPY_HTOH] = "copy host to host",
                                                      [AH_COPY_PTOP] = "copy between devices"};
    return copies[copy];
}

static const char *category(const struct ah_trace_record *did)
{
    static const char *const kinds[] = {
        [AH_TRACE_KERNEL] = "kernel", [AH_TRACE_COPY] = "copy", [AH_TRACE_FILL] = "fill",
        [AH_TRACE_BARRIER] = "wait",  [AH_TRACE_HOST] = "host", [AH_TRACE_OTHER] = "other"};
    return kinds[did->kind];
}

/* A graph, or a part of one, of which the device tells nothing but when it ran. */
static bool is_whole(const struct ah_command_record *command, const struct ah_trace_record *did)
{
    return command->kind == AH_COMMAND_GRAPH && did->node < 0 && did->kind == AH_TRACE_OTHER;
}

static const char *slice_name(const struct ah_command_record *command,
                              const struct ah_trace_record *did)
{
    if (!command)
        return category(did);
    if (command->kind == AH_COMMAND_GRAPH) {
        const struct ah_graph_record_node *node = find_node(command->name, did->node);
        return node          ? (node->name ? kernel_name(node->name) : node->type)
               : did->kernel ? symbol_name(did->kernel)
                             : (is_whole(command, did) ? "part of a graph" : category(did));
    }
    if (did->kind == AH_TRACE_BARRIER)
        return command->kind == AH_COMMAND_LAUNCH ? "wait" : command->kind_name;
    if (command->kind == AH_COMMAND_LAUNCH)
        return kernel_name(command->name);
    if (command->kind == AH_COMMAND_COPY || command->kind == AH_COMMAND_COPY_PEER ||
        command->kind == AH_COMMAND_COPY_REGION)
        return copy_name(command->copy);
    return command->kind_name;
}

/* ---- devices --------------------------------------------------------------------------------- */

static struct {
    bool named, has_method;
} devices[DEVICES_MAX];

static void know_device(struct ah_trace_text *out, int ordinal)
{
    char name[400];
    const struct ah_device *device = ah_device_at(ordinal);
    if (ordinal >= DEVICES_MAX || !device || devices[ordinal].named)
        return;
    devices[ordinal].named = true;
    snprintf(name, sizeof name, "GPU %d: %s (%s)", ordinal, device->identity.name,
             device->driver->name);
    ah_trace_name_event(out, "process", ah_trace_device_pid(ordinal), 0, name,
                        (unsigned)ordinal + 1);
}

static void write_method(struct ah_trace_text *out, int ordinal, const char *method,
                         hipError_t error)
{
    char text[160];
    if (method)
        snprintf(text, sizeof text, "times: %s", method);
    else
        snprintf(text, sizeof text, "no times of the device: %s", ah_error_name(error));
    devices[ordinal].has_method = true;
    ah_trace_event(out, "M", NULL, "process_labels", ah_trace_device_pid(ordinal), 0, 0);
    ah_trace_put(out, ",\"args\":{\"labels\":");
    ah_trace_put_string(out, text, sizeof text);
    ah_trace_put(out, "}}");
}

void ah_trace_write_methods(struct ah_trace_text *out)
{
    for (int i = 0; i < DEVICES_MAX; i++) {
        /* A trace may begin before devices are listed; what named one came after that. */
        if (!devices[i].named || devices[i].has_method)
            continue;
        hipError_t error;
        const struct ah_device *device = ah_device_at(i);
        if (!device)
            continue;
        const char *method = ah_observe_method(device, &error);
        if (method || error != hipSuccess)
            write_method(out, i, method, error);
    }
}

/* ---- slices ------------------------------------------------------------------------------------
 */

static void put_member(struct ah_trace_text *out, const char *name, uint64_t value)
{
    ah_trace_put(out, ",\"");
    ah_trace_put(out, name);
    ah_trace_put(out, "\":");
    ah_trace_put_unsigned(out, value);
}

static void put_sizes(struct ah_trace_text *out, const struct ah_command_record *command)
{
    char text[160];
    const unsigned *grid = command->grid, *block = command->block;
    snprintf(text, sizeof text, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u]", grid[0], grid[1],
             grid[2], block[0], block[1], block[2]);
    ah_trace_put(out, text);
    if (command->shared)
        put_member(out, "dynamic shared memory", command->shared);
}

static void put_bytes(struct ah_trace_text *out, uint64_t bytes, uint64_t ns)
{
    put_member(out, "bytes", bytes);
    if (ns == 0)
        return;
    ah_trace_put(out, ",\"GB/s\":");
    ah_trace_put_float(out, (double)bytes / (double)ns);
}

static void put_args(struct ah_trace_text *out, const struct ah_command_record *command,
                     const struct ah_trace_record *did)
{
    bool in_graph = did->node >= 0;
    uint64_t bytes = did->bytes ? did->bytes : command && !in_graph ? command->bytes : 0;
    ah_trace_put(out, ",\"args\":{\"command\":");
    ah_trace_put_unsigned(out, did->id);
    if (command && command->correlation)
        put_member(out, "call", command->correlation);
    if (command && command->kind == AH_COMMAND_LAUNCH && did->kind == AH_TRACE_KERNEL)
        put_sizes(out, command);
    if (bytes)
        put_bytes(out, bytes, did->end - did->begin);
    if (command && command->graph) {
        const struct ah_graph_record_node *node =
            in_graph ? find_node(command->name, did->node) : NULL;
        int number = node ? node->node : in_graph ? did->node : command->node;
        put_member(out, "graph launch", command->graph);
        if (number >= 0)
            put_member(out, "node", (uint64_t)number);
    }
    if (did->engine) {
        ah_trace_put(out, ",\"engine\":");
        ah_trace_put_string(out, did->engine, 64);
    }
    ah_trace_put(out, "}}");
}

/* An arrow from the call to what it caused. */
static void write_flow(struct ah_trace_text *out, const struct ah_command_record *command,
                       uint64_t id, unsigned pid, unsigned tid, uint64_t time)
{
    ah_trace_event(out, "s", "flow", "submitted", ah_trace_host_pid(), command->thread,
                   command->begin);
    put_member(out, "id", id);
    ah_trace_put(out, "}");
    ah_trace_event(out, "f", "flow", "submitted", pid, tid, time);
    put_member(out, "id", id);
    ah_trace_put(out, ",\"bp\":\"e\"}");
}

static void write_slice(struct ah_trace_text *out, const struct ah_command_record *command,
                        const struct ah_device_record *record, unsigned tid)
{
    const struct ah_trace_record *did = &record->did;
    ah_trace_event(out, "X", category(did), slice_name(command, did),
                   ah_trace_device_pid(record->device), tid, did->begin);
    ah_trace_put(out, ",\"dur\":");
    ah_trace_put_time(out, did->end - did->begin);
    put_args(out, command, did);
}

/* ---- launches of graphs -------------------------------------------------------------------------
 */

static void write_launch(struct ah_trace_text *out, struct launch *launch)
{
    const struct ah_trace_stream *stream = &launch->command.graph_stream;
    unsigned pid = ah_trace_device_pid(stream->device);
    know_device(out, stream->device);
    unsigned tid = ah_trace_row(out, stream, AH_ROWS_STREAM, launch->begin, launch->end);
    ah_trace_event(out, "X", "graph", "graph launch", pid, tid, launch->begin);
    ah_trace_put(out, ",\"dur\":");
    ah_trace_put_time(out, launch->end - launch->begin);
    ah_trace_put(out, ",\"args\":{\"graph launch\":");
    ah_trace_put_unsigned(out, launch->id);
    if (!launch->has_whole)
        put_member(out, "nodes", launch->nodes);
    put_member(out, "call", launch->command.correlation);
    ah_trace_put(out, "}}");
    if (launch->command.correlation)
        write_flow(out, &launch->command, launch->id, pid, tid, launch->begin);
    launch->id = 0;
}

bool ah_trace_write_graph(struct ah_trace_text *out, bool ending)
{
    enum { LONG_NS = 1000000000 };
    struct launch *first = NULL;
    uint64_t now = ah_clock_now();
    for (int i = 0; i < LAUNCHES; i++) {
        bool is_due = launches[i].id &&
                      (ending || (launches[i].has_whole && launches[i].end + LONG_NS < now));
        if (is_due && (!first || launches[i].id < first->id))
            first = &launches[i];
    }
    if (first)
        write_launch(out, first);
    return first != NULL;
}

static struct launch *launch_of(struct ah_trace_text *out, const struct ah_command_record *command)
{
    struct launch *free_place = NULL, *oldest = &launches[0];
    for (int i = 0; i < LAUNCHES; i++) {
        if (launches[i].id == command->graph)
            return &launches[i];
        if (!launches[i].id)
            free_place = &launches[i];
        if (launches[i].id < oldest->id)
            oldest = &launches[i];
    }
    if (!free_place) {
        write_launch(out, oldest);
        free_place = oldest;
    }
    *free_place = (struct launch){.id = command->graph, .command = *command, .begin = UINT64_MAX};
    return free_place;
}

static void add_to_launch(struct launch *launch, const struct ah_command_record *command,
                          const struct ah_trace_record *did)
{
    if (did->kind == AH_TRACE_BARRIER)
        return;
    launch->begin = did->begin < launch->begin ? did->begin : launch->begin;
    launch->end = did->end > launch->end ? did->end : launch->end;
    bool is_unknown = command->kind == AH_COMMAND_GRAPH && did->node < 0;
    launch->nodes +=
        is_unknown || did->id != launch->last_command || did->node != launch->last_node;
    launch->last_command = did->id;
    launch->last_node = did->node;
}

static void write_node(struct ah_trace_text *out, const struct ah_command_record *command,
                       const struct ah_device_record *record)
{
    struct ah_trace_stream stream =
        record->device == command->graph_stream.device ? command->graph_stream : command->stream;
    stream.device = record->device;
    unsigned tid = ah_trace_row(out, &stream, AH_ROWS_NODES, record->did.begin, record->did.end);
    write_slice(out, command, record, tid);
}

static void write_part(struct ah_trace_text *out, const struct ah_command_record *command,
                       const struct ah_device_record *record)
{
    struct launch *launch = launch_of(out, command);
    add_to_launch(launch, command, &record->did);
    if (is_whole(command, &record->did) && launch->nodes == 1) {
        launch->has_whole = true;
        launch->whole_command = *command;
        launch->whole = *record;
        return;
    }
    if (launch->has_whole && launch->nodes > 1) {
        launch->has_whole = false;
        write_node(out, &launch->whole_command, &launch->whole);
    }
    write_node(out, command, record);
}

static bool is_same_stream(const struct ah_trace_stream *a, const struct ah_trace_stream *b)
{
    return a->device == b->device && a->id == b->id && a->thread == b->thread;
}

static bool is_over(const struct launch *launch, const struct ah_command_record *command)
{
    return launch->id && launch->id < command->id && launch->id != command->graph &&
           launch->end > 0 &&
           is_same_stream(&launch->command.graph_stream,
                          command->graph ? &command->graph_stream : &command->stream);
}

/* What comes later in a stream is done later. */
static void end_launches_before(struct ah_trace_text *out, const struct ah_command_record *command)
{
    for (int i = 0; i < LAUNCHES; i++)
        if (is_over(&launches[i], command))
            write_launch(out, &launches[i]);
}

/* ---- records
 * ------------------------------------------------------------------------------------- */

void ah_trace_write_device(struct ah_trace_text *out, const struct ah_device_record *record)
{
    const struct ah_trace_record *did = &record->did;
    struct ah_command_record *command =
        (struct ah_command_record *)(uintptr_t)find_command(did->id);
    struct ah_trace_stream stream = {.device = record->device};
    if (did->end < did->begin)
        return;
    know_device(out, record->device);
    if (command)
        stream = command->stream;
    stream.device = record->device;
    if (command)
        end_launches_before(out, command);
    if (command && command->graph) {
        write_part(out, command, record);
        return;
    }
    unsigned tid = ah_trace_row(out, &stream, AH_ROWS_STREAM, did->begin, did->end);
    write_slice(out, command, record, tid);
    if (command && command->correlation) {
        write_flow(out, command, command->id, ah_trace_device_pid(record->device), tid, did->begin);
        command->correlation = 0; /* the arrow goes to the first piece */
    }
}

void ah_trace_write_memory(struct ah_trace_text *out, const struct ah_memory_record *memory)
{
    know_device(out, memory->device);
    ah_trace_event(out, "C", NULL, "memory in use", ah_trace_device_pid(memory->device), 0,
                   memory->time);
    ah_trace_put(out, ",\"args\":{\"device\":");
    ah_trace_put_unsigned(out, memory->use.device);
    put_member(out, "managed", memory->use.managed);
    put_member(out, "host", memory->use.host);
    put_member(out, "graphs", memory->use.graphs);
    put_member(out, "other processes", memory->use.opened);
    ah_trace_put(out, "}}");
}

void ah_trace_device_fini(void)
{
    for (unsigned i = 0; names && i < NAMES_MAX; i++)
        free(names[i]);
    for (unsigned i = 0; graphs && i < GRAPHS_MAX; i++)
        free(graphs[i]);
    free(names);
    free(graphs);
    free(commands);
    names = NULL;
    graphs = NULL;
    commands = NULL;
}
