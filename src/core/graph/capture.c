/* Owns the captures that are under way: their streams, events and graphs. What the calls of an
 * application do to them is in capture_work.c, capture_rules.c and capture_api.c. */
#include "capture.h"
#include "order.h"

#include "log.h"

#include <stdlib.h>
#include <string.h>

struct ah_capture *ah_capture_first;

/* ---- sets of nodes -------------------------------------------------------------------- */

static hipError_t make_room(struct ah_capture_nodes *set, unsigned count)
{
    if (count <= set->capacity && set->nodes)
        return hipSuccess;
    unsigned capacity = count > 2 * set->capacity ? count : 2 * set->capacity;
    capacity = capacity ? capacity : 1;
    hipGraphNode_t *nodes = realloc(set->nodes, capacity * sizeof(hipGraphNode_t));
    if (!nodes)
        return hipErrorOutOfMemory;
    set->nodes = nodes;
    set->capacity = capacity;
    return hipSuccess;
}

bool ah_capture_nodes_have(const struct ah_capture_nodes *set, hipGraphNode_t node)
{
    for (unsigned i = 0; i < set->count; i++)
        if (set->nodes[i] == node)
            return true;
    return false;
}

hipError_t ah_capture_nodes_add(struct ah_capture_nodes *set, const hipGraphNode_t *nodes,
                                unsigned count)
{
    hipError_t error = make_room(set, set->count + count);
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        if (!ah_capture_nodes_have(set, nodes[i]))
            set->nodes[set->count++] = nodes[i];
    return error;
}

hipError_t ah_capture_nodes_set(struct ah_capture_nodes *set, const hipGraphNode_t *nodes,
                                unsigned count)
{
    hipError_t error = make_room(set, count);
    if (error != hipSuccess)
        return error;
    set->count = 0;
    return ah_capture_nodes_add(set, nodes, count);
}

/* ---- streams -------------------------------------------------------------------------- */

/* Counts the streams that the device's legacy stream would be ordered with. */
static void count_beside(const struct ah_captured_stream *part, int change)
{
    const struct ah_stream *stream = part->stream;
    if (stream->flags & hipStreamNonBlocking)
        return;
    struct ah_device *device = stream->handle.device;
    device->beside_legacy += (unsigned)change;
    if (device->beside_legacy > 0)
        atomic_fetch_or(&device->legacy.state, AH_STREAM_BESIDE_CAPTURE);
    else
        atomic_fetch_and(&device->legacy.state, ~(unsigned)AH_STREAM_BESIDE_CAPTURE);
}

static void stop_capturing(struct ah_captured_stream *part)
{
    if (!part->stream)
        return;
    count_beside(part, -1);
    part->stream->captured = NULL;
    atomic_fetch_and(&part->stream->state, ~(unsigned)AH_STREAM_CAPTURING);
    part->stream = NULL;
}

hipError_t ah_capture_join(struct ah_capture *capture, struct ah_stream *stream,
                           const struct ah_capture_nodes *after)
{
    struct ah_captured_stream *part = calloc(1, sizeof *part);
    if (!part)
        return hipErrorOutOfMemory;
    hipError_t error = ah_capture_nodes_set(&part->after, after->nodes, after->count);
    if (error != hipSuccess) {
        free(part);
        return error;
    }
    part->capture = capture;
    part->stream = stream;
    part->next = capture->streams;
    capture->streams = part;
    stream->captured = part;
    count_beside(part, 1);
    atomic_fetch_or(&stream->state, AH_STREAM_CAPTURING);
    return hipSuccess;
}

/* ---- events --------------------------------------------------------------------------- */

static void free_unlinked_event(struct ah_captured_event *event)
{
    atomic_store(&event->event->captured, NULL);
    free(event->after.nodes);
    free(event);
}

void ah_captured_event_free(struct ah_captured_event *event)
{
    struct ah_captured_event **link = &event->capture->events;
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    free_unlinked_event(event);
}

static void forget_event(struct ah_event *event)
{
    ah_graph_lock();
    struct ah_captured_event *captured = atomic_load(&event->captured);
    if (captured)
        ah_captured_event_free(captured);
    ah_graph_unlock();
}

/* ---- beginning and end ---------------------------------------------------------------- */

/* At the end of a thread nobody else may end its captures in the right thread. */
static void end_of_thread(void)
{
    ah_graph_lock();
    for (struct ah_capture *capture = ah_capture_first; capture; capture = capture->next) {
        if (capture->thread != &ah_thread)
            continue;
        capture->thread = NULL;
        if (capture->mode == hipStreamCaptureModeRelaxed)
            continue;
        ah_capture_refuse(capture, "the end of its thread",
                          "hipStreamEndCapture has to be called in the thread that began it");
        capture->mode = hipStreamCaptureModeRelaxed;
    }
    ah_graph_unlock();
}

static void leave(struct ah_stream *stream, const char *call)
{
    ah_graph_lock();
    struct ah_captured_stream *part = stream->captured;
    if (part && part == part->capture->origin) {
        AH_LOG(AH_LOG_WARNING, AH_LOG_API,
               "%s: stream %llu is being captured; its capture ends without a graph",
               call ? call : "the end of a thread", stream->id);
        ah_capture_finish(part->capture, false);
    } else if (part) {
        stop_capturing(part);
    }
    ah_graph_unlock();
}

static void register_functions(void)
{
    static const struct ah_capture_functions functions = {
        .take = ah_capture_take_command,
        .refuse_unsafe = ah_capture_refuse_unsafe,
        .refuse_stream = ah_capture_refuse_stream,
        .refuse_device = ah_capture_refuse_device,
        .refuse_event = ah_capture_refuse_event,
        .forget_event = forget_event,
        .leave = leave,
    };
    ah_capture_register(&functions);
}

static void unlink_capture(struct ah_capture *capture)
{
    struct ah_capture **link = &ah_capture_first;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    atomic_fetch_sub(&ah_captures, 1);
}

hipError_t ah_capture_begin(struct ah_stream *stream, struct ah_graph *graph,
                            hipStreamCaptureMode mode, struct ah_capture **out_capture)
{
    static unsigned long long last_id;
    const struct ah_capture_nodes none = {0};
    struct ah_thread_extra *extra = ah_thread_extra();
    struct ah_capture *capture = extra ? calloc(1, sizeof *capture) : NULL;
    if (!capture)
        return hipErrorOutOfMemory;
    capture->own_graph = !graph;
    register_functions();
    atomic_fetch_add(&ah_captures, 1); /* before the stream's state says that it captures */
    hipError_t error = graph ? hipSuccess : ah_graph_create(&graph);
    if (error == hipSuccess)
        error = ah_capture_join(capture, stream, &none);
    if (error != hipSuccess) {
        if (capture->own_graph)
            ah_graph_destroy(graph);
        atomic_fetch_sub(&ah_captures, 1);
        free(capture);
        return error;
    }
    extra->end_captures = end_of_thread;
    graph->captures++;
    capture->graph = graph;
    capture->origin = capture->streams;
    capture->id = ++last_id;
    capture->mode = mode;
    capture->thread = &ah_thread;
    capture->next = ah_capture_first;
    ah_capture_first = capture;
    *out_capture = capture;
    return hipSuccess;
}

void ah_capture_finish(struct ah_capture *capture, bool keep_graph)
{
    for (struct ah_captured_event *event = capture->events, *next; event; event = next) {
        next = event->next;
        atomic_store(&event->event->recorded, event->recorded);
        free_unlinked_event(event);
    }
    capture->events = NULL;
    for (struct ah_captured_stream *part = capture->streams, *next; part; part = next) {
        next = part->next;
        stop_capturing(part);
        free(part->after.nodes);
        free(part);
    }
    unlink_capture(capture);
    capture->graph->captures--;
    if (capture->own_graph && !keep_graph)
        ah_graph_destroy(capture->graph);
    free(capture);
}

/* ---- joining ---------------------------------------------------------------------------- */

/* Nodes that a walk has marked and not yet left. */
struct walk {
    unsigned long long mark;
    struct ah_node **stack; /* a place for each node of the graph */
    unsigned count;
};

static void visit(struct walk *walk, struct ah_node *node)
{
    if (node->mark == walk->mark)
        return;
    node->mark = walk->mark;
    walk->stack[walk->count++] = node;
}

/* Marks the nodes of a set and all their ancestors. */
static void mark_ancestors(struct walk *walk, const struct ah_capture_nodes *set)
{
    for (unsigned i = 0; i < set->count; i++)
        visit(walk, (struct ah_node *)(void *)set->nodes[i]);
    while (walk->count > 0) {
        const struct ah_node_list *before = &walk->stack[--walk->count]->dependencies;
        for (unsigned i = 0; i < before->count; i++)
            visit(walk, before->nodes[i]);
    }
}

hipError_t ah_capture_check_joined(const struct ah_capture *capture)
{
    struct walk walk = {.mark = ah_order_mark()};
    if (capture->graph->count == 0)
        return hipSuccess;
    walk.stack = malloc(capture->graph->count * sizeof(struct ah_node *));
    if (!walk.stack)
        return hipErrorOutOfMemory;
    mark_ancestors(&walk, &capture->origin->after);
    free(walk.stack);
    for (const struct ah_captured_stream *part = capture->streams; part; part = part->next)
        for (unsigned i = 0; i < part->after.count; i++) {
            const struct ah_node *node = (const struct ah_node *)(void *)part->after.nodes[i];
            if (node->to_join && node->mark != walk.mark)
                return hipErrorStreamCaptureUnjoined;
        }
    return hipSuccess;
}
