/* Handlers of branches, ends and guards. Calls are ptx_call.c's. */
#include "ptx_warp.h"

#include <string.h>

static inline uint32_t predicate(const struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t mask;
    memcpy(&mask, warp->regs + op->a, sizeof mask);
    return (mask ^ op->b) & warp->mask;
}

/* ---- straight lines: e is the length of the one that begins ------------------------------ */

const struct ptx_op *ptx_run_join(struct ptx_warp *warp, const struct ptx_op *op)
{
    warp->steps += op->e;
    if (__builtin_expect(!warp->fragments, 1))
        return op + 1;
    op = ptx_warp_reconverge(warp, op);
    return op ? op + 1 : NULL;
}

/* ---- guards: a: predicate, b: what inverts it --------------------------------------------- */

const struct ptx_op *ptx_run_guard(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t mask = predicate(warp, op);
    if (!mask)
        return op->target;
    ptx_wave_of(warp)->guarded = warp->mask;
    if (mask != warp->mask)
        ptx_warp_mask(warp, mask);
    return op + 1;
}

const struct ptx_op *ptx_run_unguard(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t mask = ptx_wave_of(warp)->guarded;
    if (mask != warp->mask)
        ptx_warp_mask(warp, mask);
    return op + 1;
}

/* ---- branches: c: what going there takes from the budget, d: the loop may wait ------------ */

const struct ptx_op *ptx_run_jump(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    return op->target;
}

const struct ptx_op *ptx_run_jump_back(struct ptx_warp *warp, const struct ptx_op *op)
{
    warp->budget -= (int)op->c;
    if (__builtin_expect(warp->budget > 0, 1))
        return op->target;
    return ptx_warp_yield(warp, op->target, op->d);
}

/* Not taken. Lanes that came here before may wait for these behind the branch. */
static inline const struct ptx_op *go_on(struct ptx_warp *warp, const struct ptx_op *op)
{
    warp->steps += op->e;
    if (__builtin_expect(!warp->fragments, 1))
        return op + 1;
    return ptx_warp_reconverge(warp, op + 1);
}

/* Both sides have lanes: those that go the way that comes first go first. */
static const struct ptx_op *diverge(struct ptx_warp *warp, const struct ptx_op *op, uint32_t taken)
{
    struct ptx_frame *frame = warp->fragment->frame;
    const uint32_t *orders = frame->code->orders;
    uint32_t stays = warp->mask & ~taken;
    const struct ptx_op *base = frame->code->ops;
    if (orders[op->target - base] < orders[op + 1 - base]) {
        ptx_warp_add(warp, stays, op + 1, frame);
        ptx_warp_mask(warp, taken);
        return ptx_run_jump_back(warp, op);
    }
    ptx_warp_add(warp, taken, op->target, frame);
    ptx_warp_mask(warp, stays);
    return go_on(warp, op);
}

const struct ptx_op *ptx_run_branch(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t taken = predicate(warp, op);
    if (taken == warp->mask)
        return op->target;
    return taken ? diverge(warp, op, taken) : go_on(warp, op);
}

const struct ptx_op *ptx_run_branch_back(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t taken = predicate(warp, op);
    if (taken == warp->mask)
        return ptx_run_jump_back(warp, op);
    return taken ? diverge(warp, op, taken) : go_on(warp, op);
}

const struct ptx_op *ptx_run_branch_indexed(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_targets *targets = op->extra;
    const uint32_t *index = (const uint32_t *)(const void *)(warp->regs + op->a);
    struct ptx_frame *frame = warp->fragment->frame;
    for (uint32_t left = warp->mask; left;) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t same = 0;
        if (index[lane] >= targets->count)
            return ptx_fault(warp, op, lane, PTX_END_ILLEGAL_INSTRUCTION,
                             "index %u is beyond the %u branch targets", index[lane],
                             targets->count);
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            unsigned other = (unsigned)__builtin_ctz(rest);
            same |= (uint32_t)(index[other] == index[lane]) << other;
        }
        if (same == warp->mask) {
            warp->budget -= (int)op->c;
            if (warp->budget > 0)
                return targets->ops[index[lane]];
            return ptx_warp_yield(warp, targets->ops[index[lane]], op->d);
        }
        left &= ~same;
        ptx_warp_add(warp, same, targets->ops[index[lane]], frame);
    }
    return ptx_warp_retire(warp);
}

/* ---- ends --------------------------------------------------------------------------------- */

const struct ptx_op *ptx_run_exit(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)op;
    return ptx_warp_exit(warp);
}

const struct ptx_op *ptx_run_trap(struct ptx_warp *warp, const struct ptx_op *op)
{
    return ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_TRAP, "trap");
}

const struct ptx_op *ptx_run_breakpoint(struct ptx_warp *warp, const struct ptx_op *op)
{
    return ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_TRAP,
                     "breakpoint without a debugger");
}

const struct ptx_op *ptx_run_sleep(struct ptx_warp *warp, const struct ptx_op *op)
{
    return ptx_warp_sleep(warp, op + 1);
}

const struct ptx_op *ptx_run_missing(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_inst *inst = &warp->fragment->frame->code->function->insts[op->inst];
    char spelling[160];
    return ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_ILLEGAL_INSTRUCTION,
                     "simulated devices do not have %s",
                     ptx_inst_spelling(inst, spelling, sizeof spelling));
}
