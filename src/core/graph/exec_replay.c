/* Owns the launches of plans. What can be known before is in the plan's steps. */
#include "exec_plan.h"

#include <stdlib.h>

static struct ah_stream *stream_of(struct ah_exec_plan *plan, struct ah_stream *main, unsigned lane)
{
    return lane == 0 ? main : &plan->lanes[lane];
}

static hipError_t record(struct ah_stream *stream, struct ah_event *event)
{
    return ah_submit_record(stream, event);
}

static hipError_t wait(struct ah_stream *stream, struct ah_event *event)
{
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_EVENT_WAIT, .event = event});
}

/* What observers may ask about the nodes of a graph of the backend. */
struct nodes {
    struct ah_observed_nodes base;
    const struct ah_exec_plan *plan;
    const struct ah_exec_list *list;
    const struct ah_plan_graph *graph;
};

static void describe(const struct ah_observed_nodes *base, unsigned index,
                     struct ah_observed_node *out_node)
{
    const struct nodes *nodes = (const struct nodes *)(const void *)base;
    unsigned node = nodes->plan->members[nodes->graph->members + index];
    const struct ah_work *work = nodes->list->nodes[node].work;
    *out_node = (struct ah_observed_node){
        .type = work ? work->type->name : "empty",
        .function = work && work->type->type == hipGraphNodeTypeKernel ? work->kernel.function
                                                                       : NULL,
        .node = (int)node,
    };
}

static hipError_t run_graph(struct ah_exec_plan *plan, const struct ah_exec_list *list,
                            unsigned index, struct ah_stream *stream)
{
    struct ah_plan_graph *graph = &plan->graphs[index];
    const struct nodes nodes = {{graph->count, describe, &graph->trace_number}, plan, list, graph};
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_GRAPH,
                                                  .graph = {graph->native, &nodes.base}});
}

static hipError_t run_work(const struct ah_exec_node *node, struct ah_stream *stream)
{
    return node->disabled ? hipSuccess : node->work->type->submit(node->work, stream);
}

/* After an error only the order of the lanes is kept up, so that what is queued is joined. */
static hipError_t run_steps(struct ah_exec_plan *plan, const struct ah_exec_list *list,
                            struct ah_stream *main, struct ah_observed_graph *observed)
{
    hipError_t first = hipSuccess;
    for (unsigned i = 0; i < plan->step_count; i++) {
        const struct ah_plan_step *step = &plan->steps[i];
        struct ah_stream *stream = stream_of(plan, main, step->lane);
        hipError_t error = hipSuccess;
        observed->node = step->kind == AH_STEP_WORK ? (int)step->index : -1;
        if (step->kind == AH_STEP_RECORD)
            error = record(stream, &plan->events[step->index]);
        else if (step->kind == AH_STEP_WAIT)
            error = wait(stream, &plan->events[step->index]);
        else if (first == hipSuccess)
            error = step->kind == AH_STEP_GRAPH ? run_graph(plan, list, step->index, stream)
                                                : run_work(&list->nodes[step->index], stream);
        if (first == hipSuccess)
            first = error;
    }
    return first;
}

/* ---- streams of other devices ------------------------------------------------------------ */

static hipError_t open_entry(struct ah_exec_plan *plan, struct ah_device *device)
{
    hipError_t error = hipSuccess;
    if (!atomic_load(&plan->lanes[0].native))
        error = ah_plan_open_lane(plan->device, &plan->lanes[0]);
    if (error == hipSuccess && !plan->end.native)
        error = ah_plan_open_event(plan->device, &plan->end);
    if (error == hipSuccess && !plan->entries) {
        plan->entries = calloc((size_t)ah_registry.device_count, sizeof *plan->entries);
        error = plan->entries ? hipSuccess : hipErrorOutOfMemory;
    }
    if (error == hipSuccess && !plan->entries[device->ordinal].native)
        error = ah_plan_open_event(device, &plan->entries[device->ordinal]);
    return error;
}

/* A stream of the plan's device that waits for what the launch's stream has. */
static hipError_t enter(struct ah_exec_plan *plan, struct ah_stream *stream,
                        struct ah_stream **out_main)
{
    struct ah_device *device = stream->handle.device;
    *out_main = stream;
    if (device == plan->device)
        return hipSuccess;
    hipError_t error = open_entry(plan, device);
    if (error == hipSuccess)
        error = record(stream, &plan->entries[device->ordinal]);
    if (error == hipSuccess)
        error = wait(&plan->lanes[0], &plan->entries[device->ordinal]);
    *out_main = &plan->lanes[0];
    return error;
}

/* ---- launch --------------------------------------------------------------------------------- */

/* Functions that ask for the time of an event look at this. */
static void note_records(const struct ah_exec_plan *plan, const struct ah_exec_list *list)
{
    for (unsigned i = 0; i < plan->record_count; i++)
        atomic_store_explicit(&list->nodes[plan->records[i]].work->event->recorded, true,
                              memory_order_relaxed);
}

static bool ends(const struct ah_exec_plan *plan, const struct ah_stream *stream,
                 const struct ah_stream *main)
{
    return plan->records_end || stream != main;
}

hipError_t ah_plan_launch(struct ah_exec_plan *plan, const struct ah_exec_list *list,
                          struct ah_stream *stream, bool follows)
{
    struct ah_observed_graph observed;
    struct ah_stream *main;
    hipError_t error = enter(plan, stream, &main);
    if (error == hipSuccess && follows && plan->records_end)
        error = wait(main, &plan->end);
    if (error != hipSuccess)
        return error;
    ah_observe_graph_begin(&observed, stream);
    error = run_steps(plan, list, main, &observed);
    ah_observe_graph_end(&observed);
    if (error == hipSuccess)
        note_records(plan, list);
    hipError_t joined = ends(plan, stream, main) ? record(main, &plan->end) : hipSuccess;
    if (joined == hipSuccess && stream != main)
        joined = wait(stream, &plan->end);
    return error == hipSuccess ? joined : error;
}

hipError_t ah_plan_upload(struct ah_exec_plan *plan, struct ah_stream *stream)
{
    struct ah_backend_stream *native;
    struct ah_stream *main;
    hipError_t error = enter(plan, stream, &main);
    for (unsigned i = 0; error == hipSuccess && i < plan->step_count; i++) {
        const struct ah_plan_step *step = &plan->steps[i];
        if (step->kind != AH_STEP_GRAPH)
            continue;
        const struct ah_plan_graph *graph = &plan->graphs[step->index];
        error = ah_stream_native(stream_of(plan, main, step->lane), &native);
        if (error == hipSuccess)
            error = graph->device->ops->graph_upload(graph->device->native, graph->native, native);
    }
    return error;
}

bool ah_plan_is_idle(const struct ah_exec_plan *plan)
{
    struct ah_device *device = plan->end.handle.device;
    return !plan->end.native ||
           device->ops->event_query(device->native, plan->end.native) != hipErrorNotReady;
}
