/* Operations between the lanes of a warp: shuffles, votes, matches, reductions.
 * How lanes that have diverged reconverge for them is ptx_warp.c's (ptx_warp_gather). */
#include "ptx_between_lanes.h"
#include "ptx_checks.h"
#include "ptx_memory.h"
#include "ptx_warp.h"
#include "sim_isa.h"

#include <math.h>
#include <string.h>

/* The lanes that take part with a lane: of its mask, those that execute. */
static uint32_t members_of(const struct ptx_warp *warp, uint32_t slot, unsigned lane)
{
    const uint32_t *members = (const uint32_t *)(const void *)(warp->regs + slot);
    return members[lane] & warp->mask;
}

static uint32_t *slot32(struct ptx_warp *warp, uint32_t slot)
{
    return (uint32_t *)(void *)(warp->regs + slot);
}

static void write_predicate(struct ptx_warp *warp, uint32_t slot, uint32_t value)
{
    uint32_t *d = slot32(warp, slot);
    *d = (*d & ~warp->mask) | (value & warp->mask);
}

static void write_lanes(struct ptx_warp *warp, uint32_t slot, const uint32_t values[PTX_LANES])
{
    uint32_t *d = slot32(warp, slot);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? values[lane] : d[lane];
}

/* ---- shfl --------------------------------------------------------------------------- */

static const struct ptx_shuffle_functions *functions(void)
{
#define TABLE(isa, name) [SIM_ISA_##isa] = &ptx_shuffle_##name,
    static const struct ptx_shuffle_functions *const tables[SIM_ISA_COUNT] = {SIM_ISAS(TABLE)};
#undef TABLE
    return tables[sim_isa()];
}

/* For SIM_CHECK_SYNC: the value of a lane that does not take part is undefined, so the result is a
 * value that a program cannot mistake for a number. It is not a fault, since a program may ignore
 * it. */
static void poison(const struct ptx_warp *warp, const struct ptx_op *op, char mode,
                   uint32_t result[PTX_LANES])
{
    const uint32_t *b = (const uint32_t *)(const void *)(warp->regs + op->b);
    const uint32_t *c = (const uint32_t *)(const void *)(warp->regs + op->c);
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), source;
        if (ptx_shuffle_source(mode, lane, b[lane], c[lane], &source) &&
            !(warp->mask >> source & 1))
            result[lane] = (uint32_t)SIM_UNUSED_WORD;
    }
}

static const struct ptx_op *shuffle(struct ptx_warp *warp, const struct ptx_op *op, char mode,
                                    ptx_shuffle_function function)
{
    const struct ptx_warp_op *extra = op->extra;
    if (extra->sync && !ptx_warp_gather(warp, op, extra->members))
        return NULL;
    uint32_t result[PTX_LANES];
    uint32_t predicate =
        function(slot32(warp, op->a), slot32(warp, op->b), slot32(warp, op->c), result);
    if (__builtin_expect(ptx_wave_of(warp)->strict, 0))
        poison(warp, op, mode, result);
    write_lanes(warp, op->d, result);
    if (extra->has_predicate)
        write_predicate(warp, extra->predicate, predicate);
    return op + 1;
}

const struct ptx_op *ptx_run_shuffle_up(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'u', functions()->up);
}

const struct ptx_op *ptx_run_shuffle_down(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'd', functions()->down);
}

const struct ptx_op *ptx_run_shuffle_bfly(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'b', functions()->bfly);
}

const struct ptx_op *ptx_run_shuffle_idx(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'i', functions()->idx);
}

/* ---- vote ------------------------------------------------------------------------------- */

const struct ptx_op *ptx_run_vote(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_warp_op *extra = op->extra;
    if (extra->sync && !ptx_warp_gather(warp, op, extra->members))
        return NULL;
    const uint32_t *named = extra->sync ? slot32(warp, extra->members) : NULL;
    uint32_t ballot[PTX_LANES];
    uint32_t predicate =
        ptx_vote_lanes(extra->mode, *slot32(warp, op->a), warp->mask, named, ballot);
    if (extra->mode == 'B')
        write_lanes(warp, op->d, ballot);
    else
        write_predicate(warp, op->d, predicate);
    return op + 1;
}

/* ---- match -------------------------------------------------------------------------------- */

static uint64_t match_value(const struct ptx_warp *warp, const struct ptx_op *op, unsigned lane)
{
    const struct ptx_warp_op *extra = op->extra;
    uint64_t value = 0;
    unsigned size = extra->wide ? 8 : 4;
    memcpy(&value, warp->regs + op->a + lane * size, size);
    return value;
}

/* The lanes of members that hold what lane holds. */
static uint32_t equals(const uint64_t values[PTX_LANES], unsigned lane, uint32_t members)
{
    uint32_t same = 0;
    for (unsigned other = 0; other < PTX_LANES; other++)
        same |= (uint32_t)(values[other] == values[lane]) << other;
    return same & members;
}

const struct ptx_op *ptx_run_match(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_warp_op *extra = op->extra;
    if (!ptx_warp_gather(warp, op, extra->members))
        return NULL;
    uint64_t values[PTX_LANES];
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        values[lane] = match_value(warp, op, lane);
    uint32_t result[PTX_LANES] = {0}, predicate = 0, same = 0;
    for (uint32_t left = warp->mask; left; left &= ~same) { /* each value once */
        same = equals(values, (unsigned)__builtin_ctz(left), left);
        for (uint32_t these = same; these; these &= these - 1) {
            unsigned lane = (unsigned)__builtin_ctz(these);
            uint32_t members = members_of(warp, extra->members, lane);
            bool all = (same & members) == members;
            predicate |= (uint32_t)all << lane;
            result[lane] = extra->mode == 'a' && !all ? 0 : same & members;
        }
    }
    write_lanes(warp, op->d, result);
    if (extra->has_predicate)
        write_predicate(warp, extra->predicate, predicate);
    return op + 1;
}

/* ---- redux --------------------------------------------------------------------------------- */

static uint32_t reduce_integers(const struct ptx_warp_op *extra, const uint32_t *values,
                                uint32_t members)
{
    uint32_t flip = extra->is_signed ? 0x80000000 : 0; /* orders signed values as unsigned */
    uint32_t result = values[__builtin_ctz(members)] ^ flip;
    for (uint32_t left = members & (members - 1); left; left &= left - 1) {
        uint32_t value = values[__builtin_ctz(left)] ^ flip;
        switch (extra->mode) {
        case '<':
            result = value < result ? value : result;
            break;
        case '>':
            result = value > result ? value : result;
            break;
        case '&':
            result &= value;
            break;
        case '|':
            result |= value;
            break;
        case '^':
            result ^= value;
            break;
        default:
            result = (result ^ flip) + (value ^ flip);
            result ^= flip;
        }
    }
    return result ^ flip;
}

/* Order of floats that are no NaN, -0 before +0. */
static uint32_t float_key(uint32_t bits)
{
    return bits >> 31 ? ~bits : bits | 0x80000000;
}

static uint32_t reduce_floats(const struct ptx_warp_op *extra, const uint32_t *values,
                              uint32_t members)
{
    uint32_t result = 0x7fffffff; /* the NaN when all are */
    bool found = false;
    for (uint32_t left = members; left; left &= left - 1) {
        uint32_t value = values[__builtin_ctz(left)] & (extra->abs ? 0x7fffffff : UINT32_MAX);
        if ((value & 0x7fffffff) > 0x7f800000) {
            if (extra->nan)
                return 0x7fffffff;
            continue;
        }
        bool less = found && float_key(value) < float_key(result);
        if (!found || less == (extra->mode == '<'))
            result = value;
        found = true;
    }
    return result;
}

const struct ptx_op *ptx_run_redux(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_warp_op *extra = op->extra;
    if (!ptx_warp_gather(warp, op, extra->members))
        return NULL;
    const uint32_t *a = slot32(warp, op->a);
    uint32_t result[PTX_LANES] = {0}, members = 0, value = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t own = members_of(warp, extra->members, lane);
        if (own && own != members) {
            members = own;
            value = extra->is_float ? reduce_floats(extra, a, members)
                                    : reduce_integers(extra, a, members);
        }
        result[lane] = value;
    }
    write_lanes(warp, op->d, result);
    return op + 1;
}

/* ---- the rest -------------------------------------------------------------------------------- */

const struct ptx_op *ptx_run_activemask(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t result[PTX_LANES];
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        result[lane] = warp->mask;
    write_lanes(warp, op->d, result);
    return op + 1;
}

const struct ptx_op *ptx_run_warp_barrier(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_warp_op *extra = op->extra;
    if (!ptx_warp_gather(warp, op, extra->members))
        return NULL;
    sim_shadow_wave_barrier(warp->shadow, warp->number);
    return op + 1;
}

/* The lowest of the members leads. */
const struct ptx_op *ptx_run_elect(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_warp_op *extra = op->extra;
    if (!ptx_warp_gather(warp, op, extra->members))
        return NULL;
    uint32_t result[PTX_LANES] = {0}, predicate = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t members = members_of(warp, extra->members, lane);
        result[lane] = members ? (uint32_t)__builtin_ctz(members) : 0;
        predicate |= (uint32_t)(result[lane] == lane) << lane;
    }
    write_lanes(warp, op->d, result);
    if (extra->has_predicate)
        write_predicate(warp, extra->predicate, predicate);
    return op + 1;
}
