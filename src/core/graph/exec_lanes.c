/* Owns the assignment of nodes to lanes, and what has to wait for what there.
 *
 * Which waits are needed is known from clocks: for each lane, how far every other lane is known to
 * have come. An edge whose end is known to come later already needs no event. */
#include "exec_plan.h"

#include <stdlib.h>
#include <string.h>

enum { NOTHING = ~0u };

/* ---- items ------------------------------------------------------------------------- */

static bool orders_only(const struct ah_exec_node *node)
{
    if (!node->work)
        return true;
    hipGraphNodeType type = node->work->type->type;
    return type == hipGraphNodeTypeEmpty || type == hipGraphNodeTypeMemAlloc ||
           type == hipGraphNodeTypeMemFree;
}

/* The items that stand for the node's dependencies, each once. */
static unsigned find_edges(const struct ah_exec_list *list, const struct ah_exec_node *node,
                           const unsigned *stands_for, unsigned *seen, unsigned mark,
                           unsigned *out_edges)
{
    unsigned count = 0;
    for (unsigned i = 0; i < node->edge_count; i++) {
        unsigned item = stands_for[list->edges[node->edges + i]];
        if (item == NOTHING || seen[item] == mark)
            continue;
        seen[item] = mark;
        out_edges[count++] = item;
    }
    return count;
}

/* A node that only orders others, and comes after at most one item, is no item: that one stands
 * for it. */
static void make_items(const struct ah_exec_list *list, struct ah_lanes *lanes,
                       unsigned *stands_for, unsigned *seen)
{
    unsigned edge_count = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const struct ah_exec_node *node = &list->nodes[i];
        unsigned *edges = lanes->edges + edge_count;
        unsigned count = find_edges(list, node, stands_for, seen, i + 1, edges);
        bool nothing = orders_only(node);
        if (nothing && count <= 1) {
            stands_for[i] = count ? edges[0] : NOTHING;
            continue;
        }
        stands_for[i] = lanes->count;
        lanes->items[lanes->count++] =
            (struct ah_lane_item){.node = i,
                                  .edges = edge_count,
                                  .edge_count = count,
                                  .device = nothing ? NULL : node->work->device};
        edge_count += count;
    }
}

hipError_t ah_lanes_items(const struct ah_exec_list *list, struct ah_lanes *lanes)
{
    size_t count = list->count ? list->count : 1;
    unsigned *stands_for = malloc(count * sizeof *stands_for);
    unsigned *seen = calloc(count, sizeof *seen);
    *lanes = (struct ah_lanes){0};
    lanes->items = malloc(count * sizeof *lanes->items);
    lanes->edges = malloc((list->edge_count ? list->edge_count : 1) * sizeof *lanes->edges);
    hipError_t error = hipErrorOutOfMemory;
    if (stands_for && seen && lanes->items && lanes->edges) {
        make_items(list, lanes, stands_for, seen);
        error = hipSuccess;
    }
    free(stands_for);
    free(seen);
    return error;
}

void ah_lanes_free(struct ah_lanes *lanes)
{
    free(lanes->items);
    free(lanes->edges);
    free(lanes->waits);
    free(lanes->devices);
    free(lanes->joins);
    *lanes = (struct ah_lanes){0};
}

/* ---- lanes ------------------------------------------------------------------------- */

/* What is known while items are assigned. Clocks say of each lane how far it has come; the start is
 * position 1 of lane 0. */
struct state {
    unsigned max;     /* lanes, and the length of a clock */
    unsigned *tail;   /* the last item of each lane, or NOTHING */
    unsigned *length; /* items in each lane */
    unsigned *known;  /* a clock per lane: what it knows now */
    unsigned *at;     /* a clock per item: what is known at its end */
    unsigned *reach;  /* a clock: what the item that is being assigned depends on */
};

static unsigned *clock_of_lane(const struct state *state, unsigned lane)
{
    return state->known + (size_t)lane * state->max;
}

static unsigned *clock_of_item(const struct state *state, unsigned item)
{
    return state->at + (size_t)item * state->max;
}

static void learn(const struct state *state, unsigned *known, const unsigned *more)
{
    for (unsigned i = 0; i < state->max; i++)
        if (known[i] < more[i])
            known[i] = more[i];
}

/* A lane that ends with something that the item comes after. */
static unsigned lane_to_continue(const struct ah_lanes *lanes, const struct state *state,
                                 const struct ah_lane_item *item)
{
    for (unsigned i = 0; i < item->edge_count; i++) {
        unsigned before = lanes->edges[item->edges + i], lane = lanes->items[before].lane;
        if (state->tail[lane] == before && (!item->device || lanes->devices[lane] == item->device))
            return lane;
    }
    return NOTHING;
}

/* A lane of the device all of which the item comes after anyway; else a further one; else that with
 * the fewest items. */
static unsigned other_lane(struct ah_lanes *lanes, const struct state *state,
                           struct ah_device *device)
{
    unsigned shortest = NOTHING, count = 0;
    for (unsigned lane = 0; lane < lanes->lane_count; lane++) {
        if (lanes->devices[lane] != device)
            continue;
        unsigned tail = state->tail[lane];
        if (tail == NOTHING || lanes->items[tail].position <= state->reach[lane])
            return lane;
        if (shortest == NOTHING || state->length[lane] < state->length[shortest])
            shortest = lane;
        count++;
    }
    if (count == AH_LANES_PER_DEVICE)
        return shortest;
    lanes->devices[lanes->lane_count] = device;
    return lanes->lane_count++;
}

static void choose_lane(struct ah_lanes *lanes, struct state *state, unsigned index)
{
    struct ah_lane_item *item = &lanes->items[index];
    struct ah_device *device = item->device;
    memset(state->reach, 0, state->max * sizeof(unsigned));
    for (unsigned i = 0; i < item->edge_count; i++)
        learn(state, state->reach, clock_of_item(state, lanes->edges[item->edges + i]));
    item->lane = lane_to_continue(lanes, state, item);
    if (item->lane == NOTHING && !device) /* it comes after several */
        device = lanes->devices[lanes->items[lanes->edges[item->edges]].lane];
    if (item->lane == NOTHING)
        item->lane = other_lane(lanes, state, device);
    item->position = 2 + state->length[item->lane]++;
    state->tail[item->lane] = index;
}

/* ---- waits ------------------------------------------------------------------------- */

static bool add_wait(struct ah_lanes *lanes, unsigned what)
{
    if (lanes->wait_count == lanes->wait_capacity) {
        unsigned capacity = lanes->wait_capacity ? 2 * lanes->wait_capacity : 16;
        unsigned *waits = realloc(lanes->waits, capacity * sizeof *waits);
        if (!waits)
            return false;
        lanes->waits = waits;
        lanes->wait_capacity = capacity;
    }
    lanes->waits[lanes->wait_count++] = what;
    return true;
}

/* Whether the lane needs an event to know that the item has ended. */
static bool must_wait(struct ah_lanes *lanes, const struct state *state, unsigned lane,
                      unsigned before)
{
    struct ah_lane_item *item = &lanes->items[before];
    unsigned *known = clock_of_lane(state, lane);
    if (item->lane == lane || known[item->lane] >= item->position)
        return false;
    learn(state, known, clock_of_item(state, before));
    item->signals = true;
    return true;
}

/* The latest dependencies come first, since they may make waits for others unnecessary. */
static bool find_waits(struct ah_lanes *lanes, const struct state *state, unsigned index)
{
    struct ah_lane_item *item = &lanes->items[index];
    unsigned *known = clock_of_lane(state, item->lane);
    item->waits = lanes->wait_count;
    for (unsigned i = item->edge_count; i-- > 0;) {
        unsigned before = lanes->edges[item->edges + i];
        if (must_wait(lanes, state, item->lane, before) && !add_wait(lanes, before))
            return false;
    }
    if (item->lane != 0 && known[0] == 0) {
        known[0] = 1;
        lanes->starts = true;
        if (!add_wait(lanes, AH_WAIT_FOR_START))
            return false;
    }
    item->wait_count = lanes->wait_count - item->waits;
    known[item->lane] = item->position;
    memcpy(clock_of_item(state, index), known, state->max * sizeof(unsigned));
    return true;
}

/* Lane 0 waits for the ends of the others. */
static void find_joins(struct ah_lanes *lanes, const struct state *state)
{
    for (unsigned lane = 1; lane < lanes->lane_count; lane++)
        if (must_wait(lanes, state, 0, state->tail[lane]))
            lanes->joins[lanes->join_count++] = state->tail[lane];
}

/* ---- all of it --------------------------------------------------------------------- */

static unsigned count_devices(const struct ah_lanes *lanes)
{
    unsigned count = 1; /* the main device */
    for (int ordinal = 0; ordinal < ah_registry.device_count; ordinal++)
        for (unsigned i = 0; i < lanes->count; i++)
            if (lanes->items[i].device == &ah_registry.devices[ordinal]) {
                count++;
                break;
            }
    return count;
}

static bool begin(struct ah_lanes *lanes, struct state *state, struct ah_device *main_device)
{
    unsigned max = count_devices(lanes) * AH_LANES_PER_DEVICE;
    *state = (struct state){.max = max};
    state->tail = malloc(max * sizeof(unsigned));
    state->length = calloc(max, sizeof(unsigned));
    state->known = calloc((size_t)max * max, sizeof(unsigned));
    state->at = malloc(((size_t)lanes->count + 1) * max * sizeof(unsigned));
    state->reach = malloc(max * sizeof(unsigned));
    lanes->devices = calloc(max, sizeof(struct ah_device *));
    lanes->joins = calloc(max, sizeof(unsigned));
    if (!state->tail || !state->length || !state->known || !state->at || !state->reach ||
        !lanes->devices || !lanes->joins)
        return false;
    for (unsigned i = 0; i < max; i++)
        state->tail[i] = NOTHING;
    lanes->devices[0] = main_device;
    lanes->lane_count = 1;
    return true;
}

hipError_t ah_lanes_assign(struct ah_lanes *lanes, struct ah_device *main_device)
{
    struct state state;
    bool good = begin(lanes, &state, main_device);
    for (unsigned i = 0; good && i < lanes->count; i++) {
        choose_lane(lanes, &state, i);
        good = find_waits(lanes, &state, i);
    }
    if (good)
        find_joins(lanes, &state);
    free(state.tail);
    free(state.length);
    free(state.known);
    free(state.at);
    free(state.reach);
    return good ? hipSuccess : hipErrorOutOfMemory;
}
