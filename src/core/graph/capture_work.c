/* Owns what becomes of commands that a capturing stream is given: nodes, and forks and joins by
 * events. */
#include "capture.h"

#include "log.h"

#include <stdlib.h>

/* ---- nodes ---------------------------------------------------------------------------- */

static hipError_t capture_event(const struct ah_stream *stream, const struct ah_command *command,
                                struct ah_work **out_work)
{
    bool records = command->kind == AH_COMMAND_EVENT_RECORD;
    hipError_t error = ah_work_make_event(
        records ? &ah_work_event_record : &ah_work_event_wait, (hipEvent_t)(void *)command->event,
        records ? "hipEventRecord" : "hipStreamWaitEvent", out_work);
    if (error == hipSuccess)
        (*out_work)->device = stream->handle.device;
    return error;
}

/* By the kind of the command; NULL: a graph cannot have such work. */
static ah_work_capture *const makers[] = {
    [AH_COMMAND_EVENT_RECORD] = capture_event,
    [AH_COMMAND_EVENT_WAIT] = capture_event,
    [AH_COMMAND_LAUNCH] = ah_work_capture_launch,
    [AH_COMMAND_COPY] = ah_work_capture_copy,
    [AH_COMMAND_COPY_PEER] = ah_work_capture_copy,
    [AH_COMMAND_COPY_REGION] = ah_work_capture_region,
    [AH_COMMAND_FILL] = ah_work_capture_fill,
    [AH_COMMAND_HOST_FUNCTION] = ah_work_capture_host,
    [AH_COMMAND_CALLBACK] = ah_work_capture_callback,
    [AH_COMMAND_VALUE_WAIT] = ah_work_capture_value,
    [AH_COMMAND_VALUE_WRITE] = ah_work_capture_value,
    [AH_COMMAND_VALUE_ADD] = ah_work_capture_value,
    [AH_COMMAND_BARRIER] = ah_work_capture_value,
    [AH_COMMAND_SIGNAL] = ah_work_capture_semaphores,
    [AH_COMMAND_SEMAPHORE_WAIT] = ah_work_capture_semaphores,
    [AH_COMMAND_POOL_ALLOC] = ah_work_capture_alloc,
    [AH_COMMAND_POOL_FREE] = ah_work_capture_free,
};

static hipError_t make_work(const struct ah_stream *stream, const struct ah_command *command,
                            struct ah_work **out_work)
{
    size_t count = sizeof makers / sizeof *makers;
    ah_work_capture *make = (size_t)command->kind < count ? makers[command->kind] : NULL;
    return make ? make(stream, command, out_work) : hipErrorStreamCaptureUnsupported;
}

static hipError_t add(struct ah_captured_stream *part, struct ah_work *work)
{
    struct ah_node *node;
    struct ah_capture_nodes *after = &part->after;
    if (part->capture->invalid) {
        ah_work_free(work);
        return hipErrorStreamCaptureInvalidated;
    }
    hipError_t error = ah_node_add(part->capture->graph, after->nodes, after->count, work, &node);
    if (error != hipSuccess)
        return error;
    node->to_join = true;
    after->nodes[0] = ah_node_handle(node);
    after->count = 1;
    return hipSuccess;
}

hipError_t ah_capture_add(struct ah_stream *stream, struct ah_work *work, const char *call)
{
    hipError_t error = hipErrorStreamCaptureUnsupported;
    ah_graph_lock();
    if (stream->captured) {
        error = add(stream->captured, work);
    } else {
        AH_LOG_ERR("%s: the capture of stream %llu was ended in another thread", call, stream->id);
        ah_work_free(work);
    }
    ah_graph_unlock();
    return error;
}

static hipError_t unsupported(struct ah_stream *stream, const char *name, const char *why)
{
    ah_graph_lock();
    if (stream->captured)
        ah_capture_refuse(stream->captured->capture, name, why);
    ah_graph_unlock();
    return hipErrorStreamCaptureUnsupported;
}

/* The work is made without the lock: this may load code. */
static hipError_t capture(struct ah_stream *stream, const struct ah_command *command,
                          const char *name)
{
    struct ah_work *work;
    if (command->blocking == AH_BLOCKING)
        return unsupported(stream, name, "the host would wait for work that does not run");
    hipError_t error = make_work(stream, command, &work);
    if (error == hipErrorStreamCaptureUnsupported)
        return unsupported(stream, name, "it cannot be part of a graph");
    return error == hipSuccess ? ah_capture_add(stream, work, name) : error;
}

/* ---- events --------------------------------------------------------------------------- */

static hipError_t record(struct ah_captured_stream *part, struct ah_event *event)
{
    struct ah_captured_event *captured = atomic_load(&event->captured);
    bool recorded = captured ? captured->recorded : atomic_load(&event->recorded);
    if (captured && captured->capture != part->capture) {
        ah_captured_event_free(captured);
        captured = NULL;
    }
    if (!captured) {
        captured = calloc(1, sizeof *captured);
        if (!captured)
            return hipErrorOutOfMemory;
        captured->event = event;
        captured->recorded = recorded;
        captured->capture = part->capture;
        captured->next = part->capture->events;
        part->capture->events = captured;
        atomic_store(&event->captured, captured);
        atomic_store(&event->recorded, false);
    }
    return ah_capture_nodes_set(&captured->after, part->after.nodes, part->after.count);
}

static hipError_t wait_inside(struct ah_captured_stream *part, struct ah_event *event)
{
    const struct ah_captured_event *captured = atomic_load(&event->captured);
    bool elsewhere = atomic_load(&event->recorded) || (event->flags & hipEventInterprocess);
    if (captured && captured->capture == part->capture)
        return ah_capture_nodes_add(&part->after, captured->after.nodes, captured->after.count);
    if (captured) {
        ah_capture_refuse(part->capture, "hipStreamWaitEvent", "the event is of another capture");
        ah_capture_refuse(captured->capture, "hipStreamWaitEvent",
                          "a stream of another capture waits for an event of this one");
        return hipErrorStreamCaptureMerge;
    }
    if (!elsewhere)
        return hipSuccess; /* an event that was never recorded is complete */
    ah_capture_refuse(part->capture, "hipStreamWaitEvent",
                      "the event was recorded outside of the capture; hipEventWaitExternal makes "
                      "a node of the wait");
    return hipErrorStreamCaptureIsolation;
}

/* A stream that does not capture joins the event's capture. */
static hipError_t wait_outside(struct ah_stream *stream, const struct ah_captured_event *captured)
{
    struct ah_capture *capture = captured->capture;
    if (capture->invalid)
        return hipErrorStreamCaptureInvalidated;
    if (stream == &stream->handle.device->legacy) {
        ah_capture_refuse(capture, "hipStreamWaitEvent",
                          "the legacy default stream cannot be captured");
        return hipErrorStreamCaptureImplicit;
    }
    return ah_capture_join(capture, stream, &captured->after);
}

/* ---- commands ------------------------------------------------------------------------- */

enum taken { DRIVER, DONE, NODE };

/* A command for a stream of a capture. */
static enum taken decide_inside(struct ah_captured_stream *part, const struct ah_command *command,
                                hipError_t *out_error)
{
    if (part->capture->invalid) {
        *out_error = hipErrorStreamCaptureInvalidated;
        return DONE;
    }
    if (command->external)
        return NODE;
    if (command->kind == AH_COMMAND_EVENT_RECORD)
        *out_error = record(part, command->event);
    else if (command->kind == AH_COMMAND_EVENT_WAIT)
        *out_error = wait_inside(part, command->event);
    else
        return NODE;
    return DONE;
}

static enum taken decide_outside(struct ah_stream *stream, const struct ah_command *command,
                                 const char *name, hipError_t *out_error)
{
    bool may_join = command->kind == AH_COMMAND_EVENT_WAIT && !command->external;
    const struct ah_captured_event *captured =
        may_join ? atomic_load(&command->event->captured) : NULL;
    *out_error = hipSuccess;
    if (stream == &stream->handle.device->legacy)
        *out_error = ah_capture_refuse_legacy(stream->handle.device, name);
    if (*out_error == hipSuccess && captured) {
        *out_error = wait_outside(stream, captured);
        return DONE;
    }
    return *out_error == hipSuccess ? DRIVER : DONE;
}

bool ah_capture_take_command(struct ah_stream *stream, const struct ah_command *command,
                             const char *name, hipError_t *out_error)
{
    ah_graph_lock();
    enum taken taken = stream->captured ? decide_inside(stream->captured, command, out_error)
                                        : decide_outside(stream, command, name, out_error);
    ah_graph_unlock();
    if (taken == NODE)
        *out_error = capture(stream, command, name);
    if (taken != DRIVER)
        return true;
    if (command->blocking == AH_BLOCKING)
        *out_error = ah_capture_refuse_unsafe(name);
    return *out_error != hipSuccess;
}
