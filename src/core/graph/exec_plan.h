/* What a launch of an executable graph does, decided once: its plan.
 *
 * The whole graph is one graph of the backend where the backend takes all of its nodes. Otherwise
 * nodes are assigned to lanes (exec_lanes.c): lane 0 is the stream of the launch, the others are
 * non-blocking streams of the plan, and a chain of nodes stays in one lane. Consecutive nodes of a
 * lane are graphs of the backend as far as it takes them, the others are submitted by themselves,
 * and events order the lanes where an edge crosses them. The steps of all this are an array, which
 * a launch walks.
 *
 * A plan has no lock: the executable graph's is held. */
#ifndef AH_EXEC_PLAN_H
#define AH_EXEC_PLAN_H

#include "exec_list.h"

enum { AH_LANES_PER_DEVICE = 4 };

/* ---- the assignment to lanes: exec_lanes.c ------------------------------------------- */

/* What is left of a list without the nodes that do nothing and order nothing. */
struct ah_lane_item {
    unsigned node;              /* in the list */
    unsigned edges, edge_count; /* of struct ah_lanes: indices of items */
    struct ah_device *device;   /* NULL: any */
    unsigned lane, position;    /* in the lane, from 2 on */
    bool signals;               /* items of other lanes, or the end, wait for it */
    unsigned waits, wait_count; /* of struct ah_lanes */
};

enum { AH_WAIT_FOR_START = ~0u }; /* instead of an item */

struct ah_lanes {
    struct ah_lane_item *items;
    unsigned *edges, *waits; /* waits: items, or AH_WAIT_FOR_START */
    unsigned count, wait_count, wait_capacity;
    struct ah_device **devices; /* of the lanes; lane 0 has the main device */
    unsigned lane_count;
    unsigned *joins, join_count; /* items that the end waits for */
    bool starts;                 /* an item waits for the start */
};

/* Fills in items with their edges, and no lanes. After an error *lanes has to be freed too. */
hipError_t ah_lanes_items(const struct ah_exec_list *list, struct ah_lanes *lanes);
/* Assigns items to lanes, and finds what has to wait for what. */
hipError_t ah_lanes_assign(struct ah_lanes *lanes, struct ah_device *main_device);
void ah_lanes_free(struct ah_lanes *lanes);

/* ---- plans: exec_plan.c ---------------------------------------------------------------- */

struct ah_plan_step {
    enum ah_plan_step_kind {
        AH_STEP_GRAPH,  /* index: of graphs */
        AH_STEP_WORK,   /* index: of the list's nodes */
        AH_STEP_RECORD, /* index: of events */
        AH_STEP_WAIT,
    } kind;
    unsigned lane, index;
};

/* Nodes that the backend does together. */
struct ah_plan_graph {
    struct ah_backend_graph *native;
    struct ah_device *device;
    unsigned members, count; /* plan->members[members] and further: the list's nodes */
    _Atomic(unsigned) trace_number; /* struct ah_observed_nodes */
};

/* Where a node is. */
struct ah_plan_place {
    unsigned graph;  /* of graphs; AH_NO_GRAPH: it is submitted by itself, or does nothing */
    unsigned member; /* of that graph */
    enum ah_graph_node_kind kind;
};
enum { AH_NO_GRAPH = ~0u };

struct ah_exec_plan {
    struct ah_device *device; /* of lane 0 */
    struct ah_stream *lanes;  /* lane 0's is opened for launches in streams of other devices */
    unsigned lane_count;
    struct ah_event *events;
    unsigned event_count;
    struct ah_plan_graph *graphs;
    unsigned graph_count;
    unsigned *members, member_count;
    struct ah_plan_step *steps;
    unsigned step_count;
    struct ah_plan_place *places; /* of each of the list's nodes */
    unsigned *records; /* nodes of graphs of the backend that record events of the application */
    unsigned record_count;
    struct ah_event end;      /* of the latest launch; of lane 0's device, and made if needed */
    struct ah_event *entries; /* by device: what streams of other devices had before a launch */
    bool records_end;         /* each launch records its end, by which launches are ordered */
    struct ah_exec_plan *next_unclosed; /* of those that the driver failed to destroy */
};

/* Whether the whole graph is one graph of the backend. */
static inline bool ah_plan_is_whole(const struct ah_exec_plan *plan)
{
    return plan->step_count == 1 && plan->steps[0].kind == AH_STEP_GRAPH;
}

/* records_end: the end of each launch is recorded in any case. hipErrorOutOfMemory, or errors of
 * the driver. */
hipError_t ah_plan_create(const struct ah_exec_list *list, bool records_end,
                          struct ah_exec_plan **out_plan);
/* Work that is queued still completes. NULL is accepted. An error of the driver: something of its
 * is left, which the next plan's end or ah_plan_retry destroys; the plan is gone for the caller in
 * any case. */
hipError_t ah_plan_destroy(struct ah_exec_plan *plan);
/* Tries again to destroy what is left of destroyed plans. */
void ah_plan_retry(void);
/* Before the reset of a device: the plan's streams and events of it go with the reset, graphs of
 * the backend are destroyed. Whether the plan needs the device, and cannot run any more. */
bool ah_plan_forget_device(struct ah_exec_plan *plan, const struct ah_device *device);
/* The same for plans that were destroyed and of which something is left. */
void ah_plan_device_resets(const struct ah_device *device);

/* The work of this node of the list is a new one, or it was enabled or disabled.
 * hipErrorNotSupported, without a message: a new plan has to be made. */
hipError_t ah_plan_update(struct ah_exec_plan *plan, const struct ah_exec_list *list,
                          unsigned index);

/* ---- launches: exec_replay.c ------------------------------------------------------------ */

/* Queues all nodes. follows: an earlier launch was queued in another stream. After an error in the
 * middle the nodes before it are queued, and the streams are joined as they would be. */
hipError_t ah_plan_launch(struct ah_exec_plan *plan, const struct ah_exec_list *list,
                          struct ah_stream *stream, bool follows);
hipError_t ah_plan_upload(struct ah_exec_plan *plan, struct ah_stream *stream);
/* Whether the latest launch has ended, as far as the plan records ends. */
bool ah_plan_is_idle(const struct ah_exec_plan *plan);

/* The event of the plan of that device is made; flags: it has no time. */
hipError_t ah_plan_open_event(struct ah_device *device, struct ah_event *event);
hipError_t ah_plan_open_lane(struct ah_device *device, struct ah_stream *lane);

#endif
