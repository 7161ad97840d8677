/* Barriers of a block: bar, barrier, and the cluster's barrier for clusters of one
 * block. They count threads; the thread that completes one wakes all that wait at it. */
#include "ptx_checks.h"
#include "ptx_jit.h"
#include "ptx_warp.h"

#include <string.h>

enum { CLUSTER = PTX_BARRIERS }; /* its barrier's number in the shadow */

/* ---- completion ------------------------------------------------------------------------- */

static uint32_t load_mask(const unsigned char *slot)
{
    uint32_t mask;
    memcpy(&mask, slot, sizeof mask);
    return mask;
}

static void deliver(const struct ptx_fragment *fragment, const struct ptx_barrier *barrier)
{
    const struct ptx_barrier_op *b = fragment->op->extra;
    unsigned char *slot = fragment->frame->regs + b->result;
    if (b->action == PTX_BAR_POPC) {
        for (uint32_t left = fragment->mask; left; left &= left - 1)
            memcpy(slot + 4 * (unsigned)__builtin_ctz(left), &barrier->count, 4);
    } else if (b->action == PTX_BAR_AND || b->action == PTX_BAR_OR) {
        bool holds = b->action == PTX_BAR_AND ? barrier->all : barrier->any;
        uint32_t mask = (load_mask(slot) & ~fragment->mask) | (holds ? fragment->mask : 0);
        memcpy(slot, &mask, sizeof mask);
    }
}

static void wake(struct ptx_block *block, unsigned warp)
{
    if (block->sim->waves[warp] == SIM_WAVE_WAITS)
        block->sim->waves[warp] = SIM_WAVE_READY;
}

static void clear(struct ptx_barrier *barrier)
{
    *barrier = (struct ptx_barrier){.all = true};
}

/* Those that are not open are clear already. */
void ptx_barrier_begin(struct ptx_block *block, bool fresh)
{
    for (unsigned i = 0; i < PTX_BARRIERS && (fresh || block->open); i++)
        clear(&block->barriers[i]);
    block->cluster = (struct ptx_barrier){0};
    block->open = 0;
}

static struct sim_shadow *shadow_of(const struct ptx_block *block)
{
    return block->waves[0].warp.shadow;
}

/* Orders what waits at the barrier after what arrived there; threads that have ended count as
 * arrived where the barrier names no count. */
static void order(struct ptx_block *block, unsigned number)
{
    unsigned waiting = 0;
    sim_shadow_complete(shadow_of(block), number);
    for (unsigned w = 0; w < block->wave_count; w++)
        for (struct ptx_fragment *f = block->waves[w].warp.fragments; f; f = f->next)
            if (f->wait == PTX_WAIT_BARRIER && f->barrier == number) {
                sim_shadow_leave(shadow_of(block), number, w);
                waiting += (unsigned)__builtin_popcount(f->mask);
            }
    if (waiting == (block->barriers[number].expected ? block->thread_count : block->alive))
        sim_shadow_barrier(shadow_of(block));
}

static void release(struct ptx_block *block, unsigned number)
{
    struct ptx_barrier *barrier = &block->barriers[number];
    if (shadow_of(block))
        order(block, number);
    for (unsigned w = 0; w < block->wave_count; w++)
        for (struct ptx_fragment *f = block->waves[w].warp.fragments; f; f = f->next) {
            if (f->wait != PTX_WAIT_BARRIER || f->barrier != number)
                continue;
            deliver(f, barrier);
            f->wait = PTX_WAIT_NONE;
            f->op++;
            wake(block, w);
        }
    clear(barrier);
    block->open &= ~(1u << number);
    for (unsigned w = 0; w < block->wave_count; w++)
        block->waves[w].arrived[number] = 0;
}

static void release_cluster(struct ptx_block *block)
{
    for (unsigned w = 0; w < block->wave_count; w++) {
        block->waves[w].cluster_pending = 0;
        for (struct ptx_fragment *f = block->waves[w].warp.fragments; f; f = f->next)
            if (f->wait == PTX_WAIT_CLUSTER) {
                f->wait = PTX_WAIT_NONE;
                wake(block, w);
            }
    }
    clear(&block->cluster);
    sim_shadow_complete(shadow_of(block), CLUSTER);
}

static bool is_complete(const struct ptx_block *block, const struct ptx_barrier *barrier)
{
    unsigned expected = barrier->expected ? barrier->expected : block->alive;
    return barrier->arrived > 0 && barrier->arrived >= expected;
}

void ptx_barrier_exit(struct ptx_block *block)
{
    for (uint32_t left = block->open; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);
        const struct ptx_barrier *barrier = &block->barriers[number];
        if (barrier->expected == 0 && is_complete(block, barrier))
            release(block, number);
    }
    if (is_complete(block, &block->cluster))
        release_cluster(block);
}

/* ---- arrival -------------------------------------------------------------------------------- */

/* Hardware counts whole warps: with a count, lanes that are no more count with the
 * first of their warp. */
static void arrive(struct ptx_warp *warp, unsigned number, unsigned expected)
{
    struct ptx_barrier *barrier = &warp->block->barriers[number];
    warp->block->open |= 1u << number;
    barrier->expected = expected;
    barrier->arrived += ptx_count_lanes(warp->mask);
    if (expected && !(barrier->warps >> warp->number & 1))
        barrier->arrived += (unsigned)__builtin_popcount(~warp->alive);
    barrier->warps |= 1u << warp->number;
}

static void reduce(const struct ptx_warp *warp, struct ptx_barrier *barrier, uint32_t predicate)
{
    uint32_t holds = load_mask(warp->regs + predicate) & warp->mask;
    barrier->count += (unsigned)__builtin_popcount(holds);
    barrier->any |= holds != 0;
    barrier->all &= holds == warp->mask;
}

/* Lanes that name another barrier than the first one go by themselves. */
static void split(struct ptx_warp *warp, const struct ptx_op *op, const uint32_t *a,
                  const uint32_t *b)
{
    unsigned first = (unsigned)__builtin_ctz(warp->mask);
    uint32_t same = 0, differ = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        differ |= ((a[lane] ^ a[first]) | (b[lane] ^ b[first])) & (uint32_t)warp->lanes[lane];
    if (!differ)
        return;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        same |= (uint32_t)(a[lane] == a[first] && b[lane] == b[first]) << lane;
    }
    ptx_warp_add(warp, warp->mask & ~same, op, warp->fragment->frame);
    ptx_warp_mask(warp, same);
}

/* The threads that a barrier waits for, ended ones included. */
static unsigned threads_of(const struct ptx_block *block, unsigned expected)
{
    return expected ? expected : (block->thread_count + PTX_LANES - 1) / PTX_LANES * PTX_LANES;
}

/* What nothing but SIM_CHECK_SYNC looks at. False: a misuse, which was reported. */
static bool is_valid_arrival(struct ptx_warp *warp, const struct ptx_op *op, unsigned number,
                             unsigned expected)
{
    const struct ptx_barrier *barrier = &warp->block->barriers[number];
    uint32_t *arrived = &ptx_wave_of(warp)->arrived[number];
    unsigned before = threads_of(warp->block, barrier->expected);
    if (barrier->arrived && before != threads_of(warp->block, expected)) {
        ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_ILLEGAL_INSTRUCTION,
                  "barrier %u for %u threads, at which others have arrived as one for %u", number,
                  threads_of(warp->block, expected), before);
        return false;
    }
    if (*arrived & warp->mask) {
        ptx_fault(warp, op, (unsigned)__builtin_ctz(*arrived & warp->mask),
                  PTX_END_ILLEGAL_INSTRUCTION,
                  "lanes 0x%08x arrive at barrier %u again before it is complete",
                  *arrived & warp->mask, number);
        return false;
    }
    *arrived |= warp->mask;
    return true;
}

/* Where a barrier has let go all lanes of a block that have not ended, its warps go on together
 * (ptx_launch.c). The one that came last, too: it ends its turn. */
static void come_together(struct ptx_warp *warp, const struct ptx_op *next)
{
    struct ptx_block *block = warp->block;
    if (!block->may_be_together)
        return;
    for (unsigned w = 0; w < block->wave_count; w++) {
        const struct ptx_warp *of = &block->waves[w].warp;
        const struct ptx_fragment *f = of->fragments;
        if (of->alive && (!f || f->mask != of->alive || f->op != next || f->wait != PTX_WAIT_NONE))
            return;
    }
    block->together = true;
    ptx_wave_of(warp)->left = 0;
}

const struct ptx_op *ptx_run_barrier(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_barrier_op *b = op->extra;
    const uint32_t *numbers = (const uint32_t *)(const void *)(warp->regs + b->number);
    const uint32_t *counts = (const uint32_t *)(const void *)(warp->regs + b->count);
    bool strict = ptx_wave_of(warp)->strict;
    if (strict && b->aligned && !ptx_warp_align(warp, op))
        return NULL;
    if (!b->constant || b->counted)
        split(warp, op, numbers, counts);
    unsigned lane = (unsigned)__builtin_ctz(warp->mask), number = numbers[lane];
    unsigned expected = b->counted ? counts[lane] : 0;
    if (number >= PTX_BARRIERS)
        return ptx_fault(warp, op, lane, PTX_END_ILLEGAL_INSTRUCTION, "there is no barrier %u",
                         number);
    if (b->counted && (expected == 0 || expected % PTX_LANES))
        return ptx_fault(warp, op, lane, PTX_END_ILLEGAL_INSTRUCTION,
                         "barrier %u for %u threads, which is not a multiple of %d", number,
                         expected, PTX_LANES);
    struct ptx_barrier *barrier = &warp->block->barriers[number];
    if (strict && !is_valid_arrival(warp, op, number, expected))
        return NULL;
    arrive(warp, number, expected);
    sim_shadow_arrive(warp->shadow, number, warp->number);
    if (b->action == PTX_BAR_ARRIVE) {
        if (is_complete(warp->block, barrier))
            release(warp->block, number);
        return op + 1;
    }
    if (b->action != PTX_BAR_SYNC)
        reduce(warp, barrier, b->predicate);
    warp->fragment->barrier = number;
    ptx_warp_wait(warp, op, PTX_WAIT_BARRIER);
    if (is_complete(warp->block, barrier)) {
        release(warp->block, number);
        come_together(warp, op + 1);
    }
    return NULL;
}

/* The number that all lanes name, which are all of the warp; PTX_BARRIERS: they differ. */
static unsigned number_of_all(const struct ptx_warp *warp, const struct ptx_barrier_op *b)
{
    const uint32_t *numbers = (const uint32_t *)(const void *)(warp->regs + b->number);
    bool same = b->constant || memcmp(numbers, numbers + 1, (PTX_LANES - 1) * sizeof *numbers) == 0;
    return same && numbers[0] < PTX_BARRIERS ? numbers[0] : PTX_BARRIERS;
}

/* The first warp that has not ended. */
static unsigned first_of(const struct ptx_block *block)
{
    unsigned first = 0;
    while (first + 1 < block->wave_count && !block->waves[first].warp.alive)
        first++;
    return first;
}

bool ptx_barrier_is_passed(const struct ptx_block *block, const struct ptx_op *op)
{
    const struct ptx_barrier_op *b = op->extra;
    const unsigned first = first_of(block);
    const unsigned number = number_of_all(&block->waves[first].warp, b);
    if (b->action != PTX_BAR_SYNC || b->counted || number == PTX_BARRIERS ||
        block->open >> number & 1)
        return false;
    for (unsigned w = first + 1; w < block->wave_count && !b->constant; w++)
        if (block->waves[w].warp.alive && number_of_all(&block->waves[w].warp, b) != number)
            return false;
    return true;
}

bool ptx_barrier_is_aligned(const struct ptx_op *op)
{
    return op->run == ptx_run_barrier && ((const struct ptx_barrier_op *)op->extra)->aligned;
}

const struct ptx_op *ptx_run_cluster_arrive(struct ptx_warp *warp, const struct ptx_op *op)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    if (wave->cluster_pending & warp->mask)
        return ptx_fault(warp, op, (unsigned)__builtin_ctz(wave->cluster_pending & warp->mask),
                         PTX_END_ILLEGAL_INSTRUCTION,
                         "arrival at the cluster's barrier without a wait since the last one");
    wave->cluster_pending |= warp->mask;
    sim_shadow_arrive(warp->shadow, CLUSTER, warp->number);
    warp->block->cluster.arrived += (unsigned)__builtin_popcount(warp->mask);
    if (is_complete(warp->block, &warp->block->cluster))
        release_cluster(warp->block);
    return op + 1;
}

const struct ptx_op *ptx_run_cluster_wait(struct ptx_warp *warp, const struct ptx_op *op)
{
    if (ptx_wave_of(warp)->cluster_pending & warp->mask)
        return ptx_warp_wait(warp, op, PTX_WAIT_CLUSTER);
    sim_shadow_leave(warp->shadow, CLUSTER, warp->number);
    return op + 1;
}
