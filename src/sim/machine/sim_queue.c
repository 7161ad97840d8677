/* Chooses the next block: launches by priority and in turns, new blocks and parked ones of a
 * launch. Only bookkeeping: nothing runs and nothing is allocated here. */
#include "sim_queue.h"

/* For each new block that begins while so many are parked, one more of those has
 * a turn first: they may only be long, and each new one costs memory. */
enum {
    PATIENCE_DIVISOR = 16,
    SPIN_IMPATIENCE = 4, /* a turn of one that may be waiting counts as so many */
    LOWEST_TURNS = 4,    /* every such turn of a parked block is the lowest one's */
};

/* Blocks of a span: a share of what is left, so that threads end together. */
enum { SPAN_MAX = 32, SPANS_PER_THREAD = 8 };

/* ---- spans -------------------------------------------------------------------------- */

static struct sim_launch *load_launch(const struct sim_span *span)
{
    return atomic_load_explicit(&span->launch, memory_order_acquire);
}

static uint64_t load(const _Atomic(uint64_t) *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static bool is_given_back(const struct sim_span *span)
{
    return atomic_load_explicit(&span->given_back, memory_order_acquire);
}

bool sim_span_is_empty(const struct sim_span *span)
{
    return !load_launch(span) || load(&span->next) == load(&span->end);
}

static uint64_t choose_size(const struct sim_launch *launch, unsigned threads)
{
    uint64_t begun = load(&launch->begun);
    uint64_t left = begun < launch->block_count ? launch->block_count - begun : 0;
    uint64_t size = left / ((uint64_t)threads * SPANS_PER_THREAD);
    return size > SPAN_MAX ? SPAN_MAX : size;
}

static uint64_t take(struct sim_span *span)
{
    uint64_t number = load(&span->next);
    atomic_store_explicit(&span->next, number + 1, memory_order_relaxed);
    return number;
}

/* Takes so many blocks, the first of them at once. */
static bool fill(struct sim_span *span, struct sim_launch *launch, uint64_t size,
                 uint64_t *out_number)
{
    atomic_store_explicit(&span->filling, size - 1, memory_order_relaxed);
    uint64_t first = atomic_fetch_add_explicit(&launch->begun, size, memory_order_release);
    bool some = first < launch->block_count;
    if (some) {
        uint64_t left = launch->block_count - first;
        uint64_t end = first + (size < left ? size : left);
        atomic_store_explicit(&span->next, first + 1, memory_order_relaxed);
        atomic_store_explicit(&span->end, end, memory_order_relaxed);
        atomic_store_explicit(&span->launch, launch, memory_order_release);
    }
    atomic_store_explicit(&span->filling, 0, memory_order_release);
    *out_number = first;
    return some;
}

bool sim_span_take(struct sim_span *span, struct sim_launch *launch, unsigned threads,
                   uint64_t *out_number)
{
    bool given_back = is_given_back(span);
    if (!given_back && !sim_span_is_empty(span)) {
        *out_number = take(span);
        return true;
    }
    bool singly =
        given_back || threads == 1 || atomic_load_explicit(&launch->singly, memory_order_relaxed);
    uint64_t size = singly ? 1 : choose_size(launch, threads);
    if (size > 1)
        return fill(span, launch, size, out_number);
    *out_number = atomic_fetch_add_explicit(&launch->begun, 1, memory_order_relaxed);
    return *out_number < launch->block_count;
}

void sim_queue_add_span(struct sim_queue *queue, struct sim_span *span)
{
    span->other = queue->spans;
    queue->spans = span;
}

void sim_queue_remove_span(struct sim_queue *queue, const struct sim_span *span)
{
    struct sim_span **place = &queue->spans;
    while (*place != span)
        place = &(*place)->other;
    *place = span->other;
}

void sim_span_give_back(struct sim_span *span)
{
    if (is_given_back(span) || sim_span_is_empty(span))
        return;
    atomic_store_explicit(&span->given_back, true, memory_order_release);
    load_launch(span)->given_back++;
}

/* A span that was given back; from here on its owner fills it again. */
static void empty(struct sim_span *span)
{
    load_launch(span)->given_back--;
    atomic_store_explicit(&span->launch, NULL, memory_order_relaxed);
    atomic_store_explicit(&span->given_back, false, memory_order_release);
}

/* The lowest block of those that were given back, of which there is one. */
static uint64_t take_given_back(struct sim_launch *launch)
{
    struct sim_span *first = NULL;
    for (struct sim_span *span = launch->queue->spans; span; span = span->other)
        if (is_given_back(span) && load_launch(span) == launch &&
            (!first || load(&span->next) < load(&first->next)))
            first = span;
    uint64_t number = take(first);
    if (sim_span_is_empty(first))
        empty(first);
    return number;
}

uint64_t sim_queue_ended(const struct sim_launch *launch)
{
    uint64_t waiting = launch->resident;
    /* Before spans, so that what is in them then counts as not ended. */
    uint64_t begun = atomic_load_explicit(&launch->begun, memory_order_acquire);
    for (const struct sim_span *span = launch->queue->spans; span; span = span->other) {
        waiting += atomic_load_explicit(&span->filling, memory_order_acquire);
        uint64_t next = load(&span->next), end = load(&span->end);
        if (load_launch(span) == launch && next < end)
            waiting += end - next;
    }
    for (const struct sim_block *block = launch->deferred; block; block = block->next)
        waiting++;
    begun = begun < launch->block_count ? begun : launch->block_count;
    return begun > waiting ? begun - waiting : 0;
}

/* ---- launches ----------------------------------------------------------------------- */

void sim_queue_add(struct sim_queue *queue, struct sim_launch *launch)
{
    atomic_init(&launch->cancelled, false);
    atomic_init(&launch->begun, 0);
    atomic_init(&launch->singly, false);
    launch->queue = queue;
    launch->given_back = 0;
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
    launch->queue = NULL;
    queue->launches--;
    for (const struct sim_block *block = launch->deferred; block; block = block->next)
        queue->deferred--; /* of one that was cancelled */
    for (struct sim_span *span = queue->spans; span; span = span->other)
        if (is_given_back(span) && load_launch(span) == launch)
            empty(span);
}

static bool has_unbegun(const struct sim_launch *launch)
{
    return launch->deferred || launch->given_back ||
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

/* Mostly the block that was parked first. But where each block waits for the one before it, only
 * the lowest can go on, and to wait for all others before it has its turn takes long. */
static struct sim_block **choose_parked(struct sim_queue *queue, struct sim_launch *launch)
{
    struct sim_block **lowest = &launch->parked;
    if (++queue->continued % LOWEST_TURNS == 0)
        for (struct sim_block **place = lowest; *place; place = &(*place)->next)
            if ((*place)->number < (*lowest)->number)
                lowest = place;
    return lowest;
}

static struct sim_pick go_on(struct sim_queue *queue, struct sim_launch *launch)
{
    struct sim_block **place = choose_parked(queue, launch);
    struct sim_pick pick = {.launch = launch, .block = pop(place)};
    if (!*place)
        launch->parked_end = place;
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
        if (launch->given_back)
            pick.number = take_given_back(launch);
        else
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
    atomic_store_explicit(&launch->singly, true, memory_order_relaxed);
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
    return queue->launches > 1 || queue->parked || queue->deferred ||
           (queue->first && queue->first->given_back);
}
