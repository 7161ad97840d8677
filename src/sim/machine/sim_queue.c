/* Chooses the next block: launches by priority and in turns, new blocks and parked ones of a
 * launch. Only bookkeeping: nothing runs and nothing is allocated here. */
#include "sim_queue.h"

/* For each new block that begins while so many are parked, one more of those has
 * a turn first: they may only be long, and each new one costs memory. */
enum {
    PATIENCE_DIVISOR = 16,
    SPIN_IMPATIENCE = 4, /* a turn of one that may be waiting counts as so many */
};

void sim_queue_add(struct sim_queue *queue, struct sim_launch *launch)
{
    atomic_init(&launch->cancelled, false);
    atomic_init(&launch->begun, 0);
    launch->block_count =
        launch->is_empty ? 1 : (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    launch->resident_max += launch->resident_max == 0;
    launch->resident = launch->parked_count = launch->unused_count = 0;
    launch->parked = launch->unused = launch->deferred = NULL;
    launch->parked_end = &launch->parked;
    launch->patience = launch->starved = 0;
    launch->late = false;
    launch->last_pick = queue->picks;
    struct sim_launch **place = &queue->first;
    while (*place && (*place)->priority <= launch->priority)
        place = &(*place)->next;
    launch->next = *place;
    *place = launch;
    queue->launches++;
}

void sim_queue_remove(struct sim_queue *queue, struct sim_launch *launch)
{
    struct sim_launch **place = &queue->first;
    while (*place != launch)
        place = &(*place)->next;
    *place = launch->next;
    queue->launches--;
}

static bool has_unbegun(const struct sim_launch *launch)
{
    return launch->deferred ||
           atomic_load_explicit(&launch->begun, memory_order_relaxed) < launch->block_count;
}

bool sim_queue_finished(const struct sim_launch *launch)
{
    return !launch->resident && (sim_run_cancelled(launch) || !has_unbegun(launch));
}

static bool may_begin(const struct sim_queue *queue, const struct sim_launch *launch)
{
    if (sim_run_cancelled(launch) || launch->resident >= launch->resident_max)
        return false;
    bool starved = launch->starved == queue->ends + 1 && queue->resident;
    return !starved && has_unbegun(launch);
}

static bool is_due(const struct sim_queue *queue, const struct sim_launch *launch)
{
    return launch->parked || may_begin(queue, launch) || sim_queue_finished(launch);
}

/* Of a launch; an estimate while other threads begin blocks of it. */
static uint64_t count_due(const struct sim_queue *queue, const struct sim_launch *launch)
{
    uint64_t due = launch->parked_count + sim_queue_finished(launch);
    if (!may_begin(queue, launch))
        return due;
    uint64_t begun = atomic_load_explicit(&launch->begun, memory_order_relaxed);
    uint64_t left = begun < launch->block_count ? launch->block_count - begun : 1;
    uint64_t room = launch->resident_max - launch->resident;
    return due + (left < room ? left : room);
}

unsigned sim_queue_due(const struct sim_queue *queue, unsigned limit)
{
    uint64_t due = 0;
    for (struct sim_launch *launch = queue->first; launch && due < limit; launch = launch->next)
        due += count_due(queue, launch);
    return due < limit ? (unsigned)due : limit;
}

bool sim_queue_has_new(const struct sim_queue *queue)
{
    for (struct sim_launch *launch = queue->first; launch; launch = launch->next)
        if (may_begin(queue, launch) || sim_run_cancelled(launch))
            return true;
    return false;
}

static struct sim_launch *pick_launch(const struct sim_queue *queue, bool fair)
{
    struct sim_launch *best = NULL;
    for (struct sim_launch *launch = queue->first; launch; launch = launch->next) {
        if (best && !fair && launch->priority > best->priority)
            break;
        if (is_due(queue, launch) && (!best || launch->last_pick < best->last_pick))
            best = launch;
    }
    return best;
}

static struct sim_block *pop(struct sim_block **list)
{
    struct sim_block *block = *list;
    *list = block->next;
    return block;
}

static struct sim_pick go_on(struct sim_queue *queue, struct sim_launch *launch)
{
    struct sim_pick pick = {.launch = launch, .block = pop(&launch->parked)};
    if (!launch->parked)
        launch->parked_end = &launch->parked;
    launch->parked_count--;
    queue->parked--;
    if (launch->patience)
        launch->patience--;
    return pick;
}

/* Reserves a block number and unused memory. False: threads that do not take the lock began the
 * last blocks meanwhile. */
static bool begin(struct sim_queue *queue, struct sim_launch *launch, struct sim_pick *out_pick)
{
    struct sim_pick pick = {.launch = launch, .begins = true};
    if (launch->deferred) {
        pick.block = pop(&launch->deferred);
        pick.number = pick.block->number;
        queue->deferred--;
        if (launch->unused) {
            pick.spare = pick.block;
            pick.block = pop(&launch->unused);
            launch->unused_count--;
        }
    } else {
        pick.number = atomic_fetch_add_explicit(&launch->begun, 1, memory_order_relaxed);
        if (pick.number >= launch->block_count)
            return false;
        if (launch->unused) {
            pick.block = pop(&launch->unused);
            launch->unused_count--;
        }
    }
    launch->resident++;
    queue->resident++;
    pick.alone = queue->resident == 1;
    launch->patience = 1 + launch->parked_count / PATIENCE_DIVISOR;
    *out_pick = pick;
    return true;
}

struct sim_pick sim_queue_pick(struct sim_queue *queue, bool fair)
{
    for (;;) {
        struct sim_launch *launch = pick_launch(queue, fair);
        if (!launch)
            return (struct sim_pick){0};
        launch->last_pick = ++queue->picks;
        if (sim_queue_finished(launch))
            return (struct sim_pick){.launch = launch, .finished = true};
        bool begins = may_begin(queue, launch) && (!launch->parked || !launch->patience);
        struct sim_pick pick;
        if (begins && begin(queue, launch, &pick))
            return pick;
        if (!begins && launch->parked)
            return go_on(queue, launch);
        /* Threads that do not take the lock began its last blocks since it was chosen. */
    }
}

void sim_queue_park(struct sim_queue *queue, struct sim_block *block, enum sim_turn turn)
{
    struct sim_launch *launch = block->launch;
    if (turn == SIM_TURN_RESTED || turn == SIM_TURN_IDLE)
        launch->patience = 0;
    else if (turn == SIM_TURN_SPUN)
        launch->patience -=
            launch->patience < SPIN_IMPATIENCE ? launch->patience : SPIN_IMPATIENCE - 1;
    block->parks++;
    block->next = NULL;
    *launch->parked_end = block;
    launch->parked_end = &block->next;
    launch->parked_count++;
    queue->parked++;
}

bool sim_queue_defer(struct sim_queue *queue, struct sim_block *block, bool alone)
{
    struct sim_launch *launch = block->launch;
    launch->resident--;
    queue->resident--;
    if (!queue->resident && alone)
        return false;
    launch->starved = queue->ends + 1;
    block->next = launch->deferred;
    launch->deferred = block;
    queue->deferred++;
    return true;
}

void sim_queue_end(struct sim_queue *queue, struct sim_launch *launch)
{
    launch->resident--;
    queue->resident--;
    queue->ends++;
}

bool sim_queue_crowded(const struct sim_queue *queue)
{
    return queue->launches > 1 || queue->parked || queue->deferred;
}
