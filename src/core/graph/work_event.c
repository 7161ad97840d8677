/* Owns nodes that record events and wait for them. A node keeps its event: after hipEventDestroy it
 * is still recorded and waited for. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

static hipError_t retain(hipEvent_t handle, const char *call, struct ah_event **out_event)
{
    if (ah_event_check(handle, out_event) == hipSuccess && ah_event_retain(*out_event))
        return hipSuccess;
    AH_LOG_ERR("%s: %p is not an event", call, (void *)handle);
    return hipErrorInvalidValue;
}

/* An event is recorded on its own device, and waited for anywhere. */
hipError_t ah_work_make_event(const struct ah_work_type *type, hipEvent_t handle, const char *call,
                              struct ah_work **out_work)
{
    struct ah_event *event;
    struct ah_device *device;
    hipError_t error = ah_work_device(NULL, &device);
    if (error == hipSuccess)
        error = retain(handle, call, &event);
    if (error != hipSuccess)
        return error;
    struct ah_work *work =
        ah_work_create(type, type == &ah_work_event_record ? event->handle.device : device);
    if (!work) {
        (void)ah_event_release(event);
        return hipErrorOutOfMemory;
    }
    work->event = event;
    *out_work = work;
    return hipSuccess;
}

/* ---- the rows ------------------------------------------------------------------------------- */

static hipError_t copy(const struct ah_work *from, struct ah_work *to)
{
    (void)from;
    (void)ah_event_retain(to->event); /* from is a user */
    return hipSuccess;
}

static void release(struct ah_work *work)
{
    (void)ah_event_release(work->event);
}

static hipGraphExecUpdateResult update(const struct ah_work *old, const struct ah_work *work)
{
    (void)old, (void)work;
    return hipGraphExecUpdateSuccess;
}

static hipError_t check_alive(const struct ah_event *event)
{
    if (event->native)
        return hipSuccess;
    AH_LOG_ERR("the event of a graph went when its device was reset");
    return hipErrorInvalidHandle;
}

/* An event that a driver's graph records is, for all that core can see, recorded from then on. */
static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    bool waits = work->type == &ah_work_event_wait;
    hipError_t error = check_alive(work->event);
    if (error != hipSuccess)
        return error;
    if (work->event->handle.device->driver != work->device->driver)
        return hipErrorNotSupported;
    if (!waits)
        atomic_store(&work->event->recorded, true);
    out_node->kind = waits ? AH_GRAPH_EVENT_WAIT : AH_GRAPH_EVENT_RECORD;
    out_node->event = work->event->native;
    return hipSuccess;
}

static hipError_t submit_wait(const struct ah_work *work, struct ah_stream *stream)
{
    hipError_t error = check_alive(work->event);
    if (error != hipSuccess)
        return error;
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_EVENT_WAIT,
                                                  .external = true,
                                                  .event = work->event});
}

static hipError_t submit_record(const struct ah_work *work, struct ah_stream *stream)
{
    hipError_t error = check_alive(work->event);
    return error == hipSuccess ? ah_submit_record(stream, work->event) : error;
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsEventNodeParams))
        fprintf(out, "event|%p\n", (void *)work->event);
}

const struct ah_work_type ah_work_event_wait = {
    .type = hipGraphNodeTypeWaitEvent,
    .name = "event wait",
    .copy = copy,
    .free = release,
    .update = update,
    .view = view,
    .submit = submit_wait,
    .describe = describe,
};

const struct ah_work_type ah_work_event_record = {
    .type = hipGraphNodeTypeEventRecord,
    .name = "event record",
    .copy = copy,
    .free = release,
    .update = update,
    .view = view,
    .submit = submit_record,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------------ */

static hipError_t add(const struct ah_work_type *type, hipGraphNode_t *out_node, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count, hipEvent_t event,
                      const char *call)
{
    struct ah_work *work;
    hipError_t error = ah_work_make_event(type, event, call, &work);
    if (error != hipSuccess)
        return error;
    return ah_graph_add_work(graph, dependencies, count, work, call, out_node);
}

static hipError_t get(const struct ah_work_type *type, hipGraphNode_t handle, const char *call,
                      hipEvent_t *out_event)
{
    struct ah_node *node;
    if (!out_event)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_node_of_type(handle, type->type, call, &node);
    if (error == hipSuccess)
        *out_event = (hipEvent_t)(void *)node->work->event;
    ah_graph_unlock();
    return error;
}

static hipError_t set(const struct ah_work_type *type, hipGraphNode_t node, hipEvent_t event,
                      const char *call)
{
    struct ah_work *work;
    hipError_t error = ah_work_make_event(type, event, call, &work);
    return error == hipSuccess ? ah_node_set_work(node, work, call) : error;
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t *pDependencies, size_t numDependencies,
                                      hipEvent_t event)
{
    AH_ENTER(hipGraphAddEventRecordNode);
    return AH_LEAVE(add(&ah_work_event_record, pGraphNode, graph, pDependencies, numDependencies,
                        event, "hipGraphAddEventRecordNode"));
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out)
{
    AH_ENTER(hipGraphEventRecordNodeGetEvent);
    return AH_LEAVE(get(&ah_work_event_record, node, "hipGraphEventRecordNodeGetEvent", event_out));
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    AH_ENTER(hipGraphEventRecordNodeSetEvent);
    return AH_LEAVE(set(&ah_work_event_record, node, event, "hipGraphEventRecordNodeSetEvent"));
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t *pDependencies, size_t numDependencies,
                                    hipEvent_t event)
{
    AH_ENTER(hipGraphAddEventWaitNode);
    return AH_LEAVE(add(&ah_work_event_wait, pGraphNode, graph, pDependencies, numDependencies,
                        event, "hipGraphAddEventWaitNode"));
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out)
{
    AH_ENTER(hipGraphEventWaitNodeGetEvent);
    return AH_LEAVE(get(&ah_work_event_wait, node, "hipGraphEventWaitNodeGetEvent", event_out));
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    AH_ENTER(hipGraphEventWaitNodeSetEvent);
    return AH_LEAVE(set(&ah_work_event_wait, node, event, "hipGraphEventWaitNodeSetEvent"));
}
