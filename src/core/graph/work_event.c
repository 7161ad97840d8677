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
    .view = view,
    .submit = submit_wait,
    .describe = describe,
};

const struct ah_work_type ah_work_event_record = {
    .type = hipGraphNodeTypeEventRecord,
    .name = "event record",
    .copy = copy,
    .free = release,
    .view = view,
    .submit = submit_record,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------------ */

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t *pDependencies, size_t numDependencies,
                                      hipEvent_t event)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddEventRecordNode);
    hipError_t error = ah_work_make_event(&ah_work_event_record, event, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out)
{
    AH_ENTER(hipGraphEventRecordNodeGetEvent);
    return AH_LEAVE(AH_NODE_GET(node, hipGraphNodeTypeEventRecord, event, event_out));
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphEventRecordNodeSetEvent);
    hipError_t error = ah_work_make_event(&ah_work_event_record, event, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t *pDependencies, size_t numDependencies,
                                    hipEvent_t event)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddEventWaitNode);
    hipError_t error = ah_work_make_event(&ah_work_event_wait, event, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out)
{
    AH_ENTER(hipGraphEventWaitNodeGetEvent);
    return AH_LEAVE(AH_NODE_GET(node, hipGraphNodeTypeWaitEvent, event, event_out));
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphEventWaitNodeSetEvent);
    hipError_t error = ah_work_make_event(&ah_work_event_wait, event, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}
