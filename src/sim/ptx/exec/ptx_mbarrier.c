/* cp.async, and barriers that lie in shared memory. Copies are done at once; that a thread does
 * not wait for one before it is used is for a check to see (ptx_checks.h). */
#include "ptx_checks.h"
#include "ptx_memory.h"

#include <string.h>

/* ---- cp.async ------------------------------------------------------------------------ */

static uint32_t copy_size(const struct ptx_warp *warp, const struct ptx_copy *copy, unsigned lane)
{
    const uint32_t *sizes = (const uint32_t *)(const void *)(warp->regs + copy->size);
    const uint32_t *ignore = (const uint32_t *)(const void *)(warp->regs + copy->ignore);
    if (copy->has_ignore && *ignore >> lane & 1)
        return 0;
    return copy->has_size && sizes[lane] < copy->to.bytes ? sizes[lane] : copy->to.bytes;
}

/* Lanes that copy nothing do not touch their source. */
static bool source_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                            const struct ptx_copy *copy, unsigned char *where[PTX_LANES])
{
    uint64_t at[PTX_LANES];
    uint32_t mask = warp->mask, reading = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        reading |= (uint32_t)(copy_size(warp, copy, lane) > 0) << lane;
    }
    if (!reading)
        return true;
    ptx_access_addresses(warp, copy->from, at);
    for (unsigned lane = 0; lane < PTX_LANES; lane++) /* as a lane that does read */
        if (!(reading >> lane & 1))
            at[lane] = at[__builtin_ctz(reading)];
    return ptx_access_pointers(warp, op, copy->from, at, where);
}

__attribute__((no_sanitize("thread"))) const struct ptx_op *
ptx_run_copy_async(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_copy *copy = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *to[PTX_LANES], *from[PTX_LANES];
    ptx_access_addresses(warp, &copy->to, at);
    if (!ptx_access_pointers(warp, op, &copy->to, at, to) || !source_pointers(warp, op, copy, from))
        return NULL;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t size = copy_size(warp, copy, lane);
        if (size > 0)
            memcpy(to[lane], from[lane], size);
        memset(to[lane] + size, 0, copy->to.bytes - size);
    }
    ptx_checks_copy(warp, &copy->to, at);
    return op + 1;
}

/* Copies are done already, and only the checks want to know. bits: groups that need not be. */
const struct ptx_op *ptx_run_commit_group(struct ptx_warp *warp, const struct ptx_op *op)
{
    for (uint32_t left = warp->shadow ? warp->mask : 0; left; left &= left - 1)
        sim_shadow_commit(warp->shadow, warp->number * PTX_LANES + (unsigned)__builtin_ctz(left));
    return op + 1;
}

const struct ptx_op *ptx_run_wait_group(struct ptx_warp *warp, const struct ptx_op *op)
{
    for (uint32_t left = warp->shadow ? warp->mask : 0; left; left &= left - 1)
        sim_shadow_wait(warp->shadow, warp->number * PTX_LANES + (unsigned)__builtin_ctz(left),
                        op->bits < UINT32_MAX ? (unsigned)op->bits : UINT32_MAX);
    return op + 1;
}

const struct ptx_op *ptx_run_wait_all(struct ptx_warp *warp, const struct ptx_op *op)
{
    for (uint32_t left = warp->shadow ? warp->mask : 0; left; left &= left - 1)
        sim_shadow_wait_all(warp->shadow, warp->number * PTX_LANES + (unsigned)__builtin_ctz(left));
    return op + 1;
}

/* ---- mbarrier --------------------------------------------------------------------------- */

/* A barrier's 64 bits, and a state's: arrivals that are pending in this phase,
 * arrivals of the next, bytes expected (two's complement), and the phase. */
enum { COUNT_BITS = 20, EXPECTED_AT = 20, BYTES_AT = 40, BYTES_BITS = 22, PHASE_AT = 63 };
enum { COUNT_MAX = (1 << COUNT_BITS) - 1 };

struct barrier {
    uint32_t pending, expected;
    int32_t bytes;
    bool phase;
};

static struct barrier barrier_read(const unsigned char *where)
{
    uint64_t bits;
    memcpy(&bits, where, sizeof bits);
    uint32_t bytes = (uint32_t)(bits >> BYTES_AT) << (32 - BYTES_BITS);
    return (struct barrier){.pending = bits & COUNT_MAX,
                            .expected = bits >> EXPECTED_AT & COUNT_MAX,
                            .bytes = (int32_t)bytes >> (32 - BYTES_BITS),
                            .phase = bits >> PHASE_AT};
}

static uint64_t barrier_bits(const struct barrier *barrier)
{
    uint64_t bytes = (uint32_t)barrier->bytes & ((1u << BYTES_BITS) - 1);
    return barrier->pending | (uint64_t)barrier->expected << EXPECTED_AT | bytes << BYTES_AT |
           (uint64_t)barrier->phase << PHASE_AT;
}

static const char *arrive(struct barrier *barrier, uint32_t count)
{
    if (count == 0 || count > barrier->pending)
        return "more arrivals at an mbarrier than it expects";
    barrier->pending -= count;
    return NULL;
}

/* NULL, or what is wrong. */
static const char *act(struct barrier *barrier, enum ptx_mbarrier_action action, uint32_t count)
{
    switch (action) {
    case PTX_MBARRIER_INITIALISE:
        *barrier = (struct barrier){.pending = count, .expected = count};
        return count == 0 || count > COUNT_MAX ? "an mbarrier for no valid count" : NULL;
    case PTX_MBARRIER_INVALIDATE:
        *barrier = (struct barrier){0};
        return NULL;
    case PTX_MBARRIER_EXPECT_BYTES:
        barrier->bytes += (int32_t)count;
        return NULL;
    case PTX_MBARRIER_COMPLETE_BYTES:
        barrier->bytes -= (int32_t)count;
        return NULL;
    case PTX_MBARRIER_ARRIVE_BYTES:
        barrier->bytes += (int32_t)count;
        return arrive(barrier, 1);
    case PTX_MBARRIER_DROP_BYTES:
        barrier->bytes += (int32_t)count;
        barrier->expected -= barrier->expected > 0;
        return arrive(barrier, 1);
    case PTX_MBARRIER_ARRIVE_DROP:
        if (count > barrier->expected)
            return "more arrivals dropped from an mbarrier than it expects";
        barrier->expected -= count;
        return arrive(barrier, count);
    case PTX_MBARRIER_ARRIVE:
        return arrive(barrier, count);
    default:
        return NULL;
    }
}

/* The number of a barrier in the shadow, beyond those of the block's own. */
static uint64_t number_of(const struct ptx_warp *warp, const unsigned char *where)
{
    return UINT32_MAX + (uint64_t)(where - warp->shared);
}

static void arrive_in_shadow(struct ptx_warp *warp, const unsigned char *where,
                             enum ptx_mbarrier_action action)
{
    if (action == PTX_MBARRIER_ARRIVE || action == PTX_MBARRIER_ARRIVE_DROP ||
        action == PTX_MBARRIER_ARRIVE_BYTES || action == PTX_MBARRIER_DROP_BYTES)
        sim_shadow_arrive(warp->shadow, number_of(warp, where), warp->number);
}

static void complete(struct ptx_warp *warp, struct barrier *barrier, const unsigned char *where,
                     enum ptx_mbarrier_action action)
{
    if (action == PTX_MBARRIER_INITIALISE || action == PTX_MBARRIER_INVALIDATE ||
        barrier->pending > 0 || barrier->bytes != 0)
        return;
    barrier->phase = !barrier->phase;
    barrier->pending = barrier->expected;
    sim_shadow_complete(warp->shadow, number_of(warp, where));
}

static bool barrier_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                             unsigned char *where[PTX_LANES])
{
    const struct ptx_mbarrier_op *barrier = op->extra;
    uint64_t at[PTX_LANES];
    ptx_access_addresses(warp, &barrier->access, at);
    return ptx_access_pointers(warp, op, &barrier->access, at, where);
}

const struct ptx_op *ptx_run_mbarrier(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_mbarrier_op *extra = op->extra;
    const uint32_t *counts = (const uint32_t *)(const void *)(warp->regs + extra->count);
    uint64_t *d = (uint64_t *)(void *)(warp->regs + extra->d);
    unsigned char *where[PTX_LANES];
    if (!barrier_pointers(warp, op, where))
        return NULL;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct barrier barrier = barrier_read(where[lane]);
        uint64_t before = barrier_bits(&barrier);
        const char *wrong = act(&barrier, extra->action, extra->has_count ? counts[lane] : 1);
        if (wrong)
            return ptx_fault(warp, op, lane, PTX_END_TRAP, "%s", wrong);
        arrive_in_shadow(warp, where[lane], extra->action);
        complete(warp, &barrier, where[lane], extra->action);
        uint64_t after = barrier_bits(&barrier);
        memcpy(where[lane], &after, sizeof after);
        if (extra->returns)
            d[lane] = before;
    }
    return op + 1;
}

/* A state that is not of the current phase has completed; so has the phase of the
 * other parity. A warp that finds that it has not is likely to test again: others run first. */
const struct ptx_op *ptx_run_mbarrier_test(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_mbarrier_op *extra = op->extra;
    unsigned char *where[PTX_LANES];
    uint32_t done = 0;
    if (!barrier_pointers(warp, op, where))
        return NULL;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct barrier barrier = barrier_read(where[lane]);
        const unsigned char *state = warp->regs + extra->state + lane * (extra->parity ? 4u : 8u);
        bool phase = extra->parity ? *state & 1 : barrier_read(state).phase;
        if (phase == barrier.phase)
            continue;
        done |= 1u << lane;
        sim_shadow_leave(warp->shadow, number_of(warp, where[lane]), warp->number);
    }
    uint32_t *d = (uint32_t *)(void *)(warp->regs + extra->d);
    *d = (*d & ~warp->mask) | done;
    if (done != warp->mask && warp->budget > 0)
        warp->budget = 0;
    return op + 1;
}

const struct ptx_op *ptx_run_mbarrier_pending(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        d[lane] = barrier_read(warp->regs + op->a + lane * 8).pending;
    }
    return op + 1;
}
