/* Owns the making of plans, their update, and their end. */
#include "exec_plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A plan that is being made. */
struct making {
    struct ah_exec_plan *plan;
    const struct ah_exec_list *list;
    struct ah_lanes lanes;
    struct ah_graph_node *views; /* of each item */
    bool *has_view;
    unsigned *event;    /* of each item that signals: of plan->events */
    unsigned *run_next; /* of each item: the next one in its lane that is not in the plan yet */
    unsigned *run_first, *run_last, *run_count; /* of each lane */
    unsigned *local;                            /* of each item in a run: its number there */
    unsigned *edges;                            /* the dependencies of the nodes of a run */
    struct ah_graph_node *run;
    unsigned step_capacity, graph_capacity;
};

enum { NOTHING = ~0u };

/* ---- streams and events -------------------------------------------------------------- */

hipError_t ah_plan_open_event(struct ah_device *device, struct ah_event *event)
{
    event->handle.device = device;
    event->flags = hipEventDisableTiming;
    return device->ops->event_create(device->native, event->flags, &event->native);
}

hipError_t ah_plan_open_lane(struct ah_device *device, struct ah_stream *lane)
{
    struct ah_backend_stream *native;
    hipError_t error =
        device->ops->stream_create(device->native, hipStreamNonBlocking, lane->priority, &native);
    if (error != hipSuccess)
        return error;
    lane->handle.device = device;
    lane->flags = hipStreamNonBlocking;
    atomic_store(&lane->native, native);
    return hipSuccess;
}

/* What the driver fails to destroy stays open, and may be closed again. */
static hipError_t close_event(struct ah_event *event)
{
    struct ah_device *device = event->handle.device;
    hipError_t error =
        event->native ? device->ops->event_destroy(device->native, event->native) : hipSuccess;
    if (!ah_free_failed(error))
        event->native = NULL;
    return error;
}

static hipError_t close_lane(struct ah_stream *lane)
{
    struct ah_device *device = lane->handle.device;
    struct ah_backend_stream *native = atomic_load(&lane->native);
    hipError_t error = native ? device->ops->stream_destroy(device->native, native) : hipSuccess;
    if (!ah_free_failed(error))
        atomic_store(&lane->native, NULL);
    return error;
}

static hipError_t close_graph(struct ah_plan_graph *graph)
{
    hipError_t error = graph->native
                           ? graph->device->ops->graph_destroy(graph->device->native, graph->native)
                           : hipSuccess;
    if (!ah_free_failed(error))
        graph->native = NULL;
    return error;
}

static void note_failure(hipError_t error, hipError_t *first)
{
    if (ah_free_failed(error) && *first == hipSuccess)
        *first = error;
}

/* The first error; what could be closed is closed. */
static hipError_t close_plan(struct ah_exec_plan *plan)
{
    hipError_t first = hipSuccess;
    for (unsigned i = 0; i < plan->graph_count; i++)
        note_failure(close_graph(&plan->graphs[i]), &first);
    for (unsigned i = 0; plan->lanes && i < plan->lane_count; i++)
        note_failure(close_lane(&plan->lanes[i]), &first);
    for (unsigned i = 0; plan->events && i < plan->event_count; i++)
        note_failure(close_event(&plan->events[i]), &first);
    for (int i = 0; plan->entries && i < ah_registry.device_count; i++)
        note_failure(close_event(&plan->entries[i]), &first);
    note_failure(close_event(&plan->end), &first);
    return first;
}

static void free_plan(struct ah_exec_plan *plan)
{
    free(plan->lanes);
    free(plan->events);
    free(plan->graphs);
    free(plan->members);
    free(plan->steps);
    free(plan->places);
    free(plan->records);
    free(plan->entries);
    free(plan);
}

/* Plans that a driver failed to close: they are closed with the next one. */
static struct {
    pthread_mutex_t lock;
    struct ah_exec_plan *first;
} unclosed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void push_unclosed(struct ah_exec_plan *plan)
{
    plan->next_unclosed = unclosed.first;
    unclosed.first = plan;
}

/* Frees the plan, or keeps it for later. The caller holds the lock. */
static hipError_t destroy_plan(struct ah_exec_plan *plan)
{
    hipError_t error = close_plan(plan);
    if (error == hipSuccess)
        free_plan(plan);
    else
        push_unclosed(plan);
    return error;
}

/* The caller holds the lock. */
static void destroy_unclosed(void)
{
    struct ah_exec_plan *plan = unclosed.first;
    unclosed.first = NULL;
    while (plan) {
        struct ah_exec_plan *next = plan->next_unclosed;
        (void)destroy_plan(plan);
        plan = next;
    }
}

hipError_t ah_plan_destroy(struct ah_exec_plan *plan)
{
    if (!plan)
        return hipSuccess;
    pthread_mutex_lock(&unclosed.lock);
    destroy_unclosed();
    hipError_t error = destroy_plan(plan);
    pthread_mutex_unlock(&unclosed.lock);
    return error;
}

void ah_plan_retry(void)
{
    pthread_mutex_lock(&unclosed.lock);
    destroy_unclosed();
    pthread_mutex_unlock(&unclosed.lock);
}

/* The reset of the device frees its streams and events, and graphs must not be used after it. */
bool ah_plan_forget_device(struct ah_exec_plan *plan, const struct ah_device *device)
{
    bool any = plan->device == device;
    for (unsigned i = 0; i < plan->graph_count; i++)
        if (plan->graphs[i].device == device) {
            (void)close_graph(&plan->graphs[i]);
            any = true;
        }
    for (unsigned i = 0; i < plan->lane_count; i++)
        if (plan->lanes[i].handle.device == device) {
            atomic_store(&plan->lanes[i].native, NULL);
            any = true;
        }
    for (unsigned i = 0; i < plan->event_count; i++)
        if (plan->events[i].handle.device == device)
            plan->events[i].native = NULL;
    for (int i = 0; plan->entries && i < ah_registry.device_count; i++)
        if (plan->entries[i].handle.device == device)
            plan->entries[i].native = NULL;
    if (plan->end.handle.device == device)
        plan->end.native = NULL;
    return any;
}

void ah_plan_device_resets(const struct ah_device *device)
{
    pthread_mutex_lock(&unclosed.lock);
    for (struct ah_exec_plan *plan = unclosed.first; plan; plan = plan->next_unclosed)
        (void)ah_plan_forget_device(plan, device);
    destroy_unclosed();
    pthread_mutex_unlock(&unclosed.lock);
}

/* ---- the backend's view ---------------------------------------------------------------- */

/* Without dependencies. hipErrorNotSupported: there is none. */
static hipError_t view_of(const struct ah_exec_node *node, struct ah_graph_node *out_view)
{
    *out_view = (struct ah_graph_node){.kind = AH_GRAPH_EMPTY};
    if (node->work) {
        if (!node->work->type->view)
            return hipErrorNotSupported;
        hipError_t error = node->work->type->view(node->work, out_view);
        if (error != hipSuccess)
            return error;
        out_view->device = node->work->device->native;
    }
    out_view->enabled = !node->disabled;
    return hipSuccess;
}

static hipError_t make_views(struct making *making)
{
    for (unsigned i = 0; i < making->lanes.count; i++) {
        struct ah_lane_item *item = &making->lanes.items[i];
        hipError_t error = view_of(&making->list->nodes[item->node], &making->views[i]);
        if (error != hipSuccess && error != hipErrorNotSupported)
            return error;
        making->has_view[i] = error == hipSuccess;
    }
    return hipSuccess;
}

/* ---- steps ----------------------------------------------------------------------------- */

static hipError_t add_step(struct making *making, enum ah_plan_step_kind kind, unsigned lane,
                           unsigned index)
{
    struct ah_exec_plan *plan = making->plan;
    if (plan->step_count == making->step_capacity) {
        unsigned capacity = making->step_capacity ? 2 * making->step_capacity : 16;
        struct ah_plan_step *steps = realloc(plan->steps, capacity * sizeof *steps);
        if (!steps)
            return hipErrorOutOfMemory;
        plan->steps = steps;
        making->step_capacity = capacity;
    }
    plan->steps[plan->step_count++] = (struct ah_plan_step){kind, lane, index};
    return hipSuccess;
}

static bool room_for_a_graph(struct making *making)
{
    struct ah_exec_plan *plan = making->plan;
    if (plan->graph_count < making->graph_capacity)
        return true;
    unsigned capacity = making->graph_capacity ? 2 * making->graph_capacity : 4;
    struct ah_plan_graph *graphs = realloc(plan->graphs, capacity * sizeof *graphs);
    if (!graphs)
        return false;
    plan->graphs = graphs;
    making->graph_capacity = capacity;
    return true;
}

/* ---- runs: consecutive items of a lane ------------------------------------------------ */

/* Dependencies on items outside of the run are older work of the lane, or were waited for. */
static void fill_run(struct making *making, unsigned first, unsigned count)
{
    unsigned edge_count = 0, item = first;
    for (unsigned i = 0; i < count; i++, item = making->run_next[item]) {
        const struct ah_lane_item *this = &making->lanes.items[item];
        struct ah_graph_node *node = &making->run[i];
        *node = making->views[item];
        if (!node->device)
            node->device = making->lanes.devices[this->lane]->native;
        node->dependencies = making->edges + edge_count;
        making->local[item] = i;
        for (unsigned k = 0; k < this->edge_count; k++) {
            unsigned before = making->lanes.edges[this->edges + k];
            if (making->local[before] != NOTHING)
                making->edges[edge_count++] = making->local[before];
        }
        node->dependency_count = (unsigned)(making->edges + edge_count - node->dependencies);
    }
}

static void forget_run(struct making *making, unsigned first, unsigned count)
{
    for (unsigned item = first; count-- > 0; item = making->run_next[item])
        making->local[item] = NOTHING;
}

static void place_run(struct making *making, unsigned first, unsigned count)
{
    struct ah_exec_plan *plan = making->plan;
    unsigned item = first;
    for (unsigned i = 0; i < count; i++, item = making->run_next[item]) {
        unsigned node = making->lanes.items[item].node;
        plan->members[plan->member_count++] = node;
        if (making->run[i].kind == AH_GRAPH_EVENT_RECORD)
            plan->records[plan->record_count++] = node;
        plan->places[node] = (struct ah_plan_place){plan->graph_count, i, making->run[i].kind};
    }
}

/* As one graph of the backend. hipErrorNotSupported: it does not take it. */
static hipError_t add_as_graph(struct making *making, unsigned lane, unsigned first, unsigned count)
{
    struct ah_exec_plan *plan = making->plan;
    struct ah_device *device = making->lanes.devices[lane];
    struct ah_plan_graph graph = {.device = device, .members = plan->member_count, .count = count};
    if (!room_for_a_graph(making))
        return hipErrorOutOfMemory;
    fill_run(making, first, count);
    ah_observe_graph_create(device);
    hipError_t error = device->ops->graph_create(device->native, making->run, count, &graph.native);
    forget_run(making, first, count);
    if (error != hipSuccess)
        return error;
    error = add_step(making, AH_STEP_GRAPH, lane, plan->graph_count);
    if (error != hipSuccess) {
        close_graph(&graph);
        return error;
    }
    place_run(making, first, count);
    plan->graphs[plan->graph_count++] = graph;
    return hipSuccess;
}

static hipError_t add_one(struct making *making, unsigned item)
{
    const struct ah_lane_item *this = &making->lanes.items[item];
    if (!making->list->nodes[this->node].work || !this->device)
        return hipSuccess; /* it only orders others */
    return add_step(making, AH_STEP_WORK, this->lane, this->node);
}

static bool can_be_in_a_graph(const struct making *making, unsigned item, bool launches_only)
{
    enum ah_graph_node_kind kind = making->views[item].kind;
    return making->has_view[item] &&
           (!launches_only || kind == AH_GRAPH_LAUNCH || kind == AH_GRAPH_EMPTY);
}

static hipError_t add_run(struct making *making, unsigned lane, unsigned first, unsigned count,
                          bool launches_only);

/* A backend that does not take all kinds of nodes may take launches. */
static hipError_t add_piece(struct making *making, unsigned lane, unsigned first, unsigned count,
                            bool launches_only)
{
    hipError_t error = count > 1 ? add_as_graph(making, lane, first, count) : hipErrorNotSupported;
    if (error != hipErrorNotSupported)
        return error;
    if (!launches_only && count > 1)
        return add_run(making, lane, first, count, true);
    error = hipSuccess;
    for (unsigned item = first; error == hipSuccess && count-- > 0; item = making->run_next[item])
        error = add_one(making, item);
    return error;
}

/* Adds the items in pieces that may be graphs of the backend, and those that may not be. */
static hipError_t add_run(struct making *making, unsigned lane, unsigned first, unsigned count,
                          bool launches_only)
{
    hipError_t error = hipSuccess;
    unsigned item = first;
    while (error == hipSuccess && count > 0) {
        unsigned start = item, length = 0;
        while (length < count && can_be_in_a_graph(making, item, launches_only)) {
            item = making->run_next[item];
            length++;
        }
        if (length > 0) {
            error = add_piece(making, lane, start, length, launches_only);
        } else {
            error = add_one(making, item);
            item = making->run_next[item];
            length = 1;
        }
        count -= length;
    }
    return error;
}

/* Adds what is left of the lane. */
static hipError_t flush(struct making *making, unsigned lane)
{
    unsigned count = making->run_count[lane];
    making->run_count[lane] = 0;
    return count ? add_run(making, lane, making->run_first[lane], count, false) : hipSuccess;
}

static void append_to_run(struct making *making, unsigned lane, unsigned item)
{
    if (making->run_count[lane]++ == 0)
        making->run_first[lane] = item;
    else
        making->run_next[making->run_last[lane]] = item;
    making->run_last[lane] = item;
}

/* ---- lanes ----------------------------------------------------------------------------- */

/* Event 0 is the start's, if anything waits for it. */
static hipError_t add_item(struct making *making, unsigned index)
{
    const struct ah_lane_item *item = &making->lanes.items[index];
    hipError_t error = item->wait_count ? flush(making, item->lane) : hipSuccess;
    for (unsigned i = 0; error == hipSuccess && i < item->wait_count; i++) {
        unsigned before = making->lanes.waits[item->waits + i];
        error = add_step(making, AH_STEP_WAIT, item->lane,
                         before == AH_WAIT_FOR_START ? 0 : making->event[before]);
    }
    append_to_run(making, item->lane, index);
    if (error == hipSuccess && item->signals) {
        error = flush(making, item->lane);
        if (error == hipSuccess)
            error = add_step(making, AH_STEP_RECORD, item->lane, making->event[index]);
    }
    return error;
}

static hipError_t add_joins(struct making *making)
{
    hipError_t error = hipSuccess;
    for (unsigned lane = 0; error == hipSuccess && lane < making->lanes.lane_count; lane++)
        error = flush(making, lane);
    for (unsigned i = 0; error == hipSuccess && i < making->lanes.join_count; i++)
        error = add_step(making, AH_STEP_WAIT, 0, making->event[making->lanes.joins[i]]);
    return error;
}

static hipError_t open_lanes(struct making *making)
{
    struct ah_exec_plan *plan = making->plan;
    hipError_t error = hipSuccess;
    plan->lane_count = making->lanes.lane_count ? making->lanes.lane_count : 1;
    plan->lanes = calloc(plan->lane_count, sizeof *plan->lanes);
    if (!plan->lanes)
        return hipErrorOutOfMemory;
    for (unsigned i = 1; error == hipSuccess && i < plan->lane_count; i++)
        error = ah_plan_open_lane(making->lanes.devices[i], &plan->lanes[i]);
    return error;
}

static hipError_t open_events(struct making *making)
{
    struct ah_exec_plan *plan = making->plan;
    const struct ah_lanes *lanes = &making->lanes;
    hipError_t error = hipSuccess;
    plan->event_count = lanes->starts;
    for (unsigned i = 0; i < lanes->count; i++)
        if (lanes->items[i].signals)
            making->event[i] = plan->event_count++;
    plan->events = calloc(plan->event_count + 1, sizeof *plan->events);
    if (!plan->events)
        return hipErrorOutOfMemory;
    if (lanes->starts)
        error = ah_plan_open_event(plan->device, &plan->events[0]);
    for (unsigned i = 0; error == hipSuccess && i < lanes->count; i++)
        if (lanes->items[i].signals)
            error = ah_plan_open_event(lanes->devices[lanes->items[i].lane],
                                       &plan->events[making->event[i]]);
    return error;
}

static hipError_t make_lanes(struct making *making)
{
    hipError_t error = ah_lanes_assign(&making->lanes, making->plan->device);
    if (error == hipSuccess)
        error = open_lanes(making);
    if (error == hipSuccess)
        error = open_events(making);
    if (error == hipSuccess && making->lanes.starts)
        error = add_step(making, AH_STEP_RECORD, 0, 0);
    for (unsigned i = 0; error == hipSuccess && i < making->lanes.count; i++)
        error = add_item(making, i);
    return error == hipSuccess ? add_joins(making) : error;
}

/* ---- the whole graph as one of the backend --------------------------------------------- */

/* All nodes as one run of lane 0. hipErrorNotSupported: that is not possible. */
static hipError_t make_whole(struct making *making)
{
    const struct ah_driver *driver = making->plan->device->driver;
    const struct ah_lanes *lanes = &making->lanes;
    for (unsigned i = 0; i < lanes->count; i++) {
        const struct ah_device *device = lanes->items[i].device;
        if (!making->has_view[i] || (device && device->driver != driver))
            return hipErrorNotSupported;
        making->run_next[i] = i + 1;
    }
    struct ah_device *devices[] = {making->plan->device};
    making->lanes.devices = devices;
    hipError_t error = add_as_graph(making, 0, 0, lanes->count);
    making->lanes.devices = NULL;
    if (error != hipSuccess)
        return error;
    making->plan->lane_count = 1;
    making->plan->lanes = calloc(1, sizeof *making->plan->lanes);
    return making->plan->lanes ? hipSuccess : hipErrorOutOfMemory;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* That of the first node which has to run on a certain one. */
static struct ah_device *main_device(const struct making *making)
{
    for (unsigned i = 0; i < making->lanes.count; i++)
        if (making->lanes.items[i].device)
            return making->lanes.items[i].device;
    return ah_device_current();
}

static bool allocate(struct making *making)
{
    size_t items = making->lanes.count + 1, nodes = making->list->count + 1;
    size_t lanes = (size_t)(ah_registry.device_count + 1) * AH_LANES_PER_DEVICE;
    size_t edges = making->list->edge_count + 1;
    struct ah_exec_plan *plan = making->plan;
    making->views = malloc(items * sizeof *making->views);
    making->has_view = malloc(items * sizeof *making->has_view);
    making->event = malloc(items * sizeof *making->event);
    making->run_next = malloc(items * sizeof *making->run_next);
    making->run_first = malloc(lanes * sizeof *making->run_first);
    making->run_last = malloc(lanes * sizeof *making->run_last);
    making->run_count = calloc(lanes, sizeof *making->run_count);
    making->local = malloc(items * sizeof *making->local);
    making->edges = malloc(edges * sizeof *making->edges);
    making->run = malloc(items * sizeof *making->run);
    plan->members = malloc(items * sizeof *plan->members);
    plan->places = malloc(nodes * sizeof *plan->places);
    plan->records = malloc(items * sizeof *plan->records);
    if (!making->views || !making->has_view || !making->event || !making->run_next ||
        !making->run_first || !making->run_last || !making->run_count || !making->local ||
        !making->edges || !making->run || !plan->members || !plan->places || !plan->records)
        return false;
    memset(making->local, 0xff, items * sizeof *making->local); // NOTHING
    for (size_t i = 0; i < nodes; i++)
        plan->places[i].graph = AH_NO_GRAPH;
    return true;
}

static void end_making(struct making *making)
{
    ah_lanes_free(&making->lanes);
    free(making->views);
    free(making->has_view);
    free(making->event);
    free(making->run_next);
    free(making->run_first);
    free(making->run_last);
    free(making->run_count);
    free(making->local);
    free(making->edges);
    free(making->run);
}

static hipError_t make(struct making *making)
{
    struct ah_exec_plan *plan = making->plan;
    hipError_t error = ah_lanes_items(making->list, &making->lanes);
    if (error == hipSuccess && !allocate(making))
        error = hipErrorOutOfMemory;
    if (error != hipSuccess)
        return error;
    plan->device = main_device(making);
    if (!plan->device)
        return ah_device_missing_error();
    if (making->lanes.count == 0)
        return open_lanes(making);
    error = make_views(making);
    if (error == hipSuccess) {
        error = make_whole(making);
        if (error == hipErrorNotSupported)
            error = make_lanes(making);
    }
    return error;
}

/* A backend orders the launches of one graph; the plan does so where there is more. */
hipError_t ah_plan_create(const struct ah_exec_list *list, bool records_end,
                          struct ah_exec_plan **out_plan)
{
    struct making making = {.list = list, .plan = calloc(1, sizeof *making.plan)};
    if (!making.plan)
        return hipErrorOutOfMemory;
    hipError_t error = make(&making);
    struct ah_exec_plan *plan = making.plan;
    if (error == hipSuccess) {
        plan->records_end = records_end || (plan->step_count > 0 && !ah_plan_is_whole(plan));
        error = plan->records_end ? ah_plan_open_event(plan->device, &plan->end) : hipSuccess;
    }
    end_making(&making);
    if (error == hipSuccess)
        *out_plan = plan;
    else
        (void)ah_plan_destroy(plan);
    return error;
}

/* ---- update ------------------------------------------------------------------------------ */

hipError_t ah_plan_update(struct ah_exec_plan *plan, const struct ah_exec_list *list,
                          unsigned index)
{
    const struct ah_plan_place *place = &plan->places[index];
    struct ah_graph_node view;
    if (place->graph == AH_NO_GRAPH)
        return hipSuccess;
    hipError_t error = view_of(&list->nodes[index], &view);
    if (error != hipSuccess)
        return error;
    if (view.kind != place->kind)
        return hipErrorNotSupported;
    struct ah_plan_graph *graph = &plan->graphs[place->graph];
    if (!graph->native) /* its device was reset */
        return hipErrorInvalidValue;
    atomic_store_explicit(&graph->trace_number, 0, memory_order_relaxed);
    return graph->device->ops->graph_update(graph->device->native, graph->native, place->member,
                                            &view);
}
