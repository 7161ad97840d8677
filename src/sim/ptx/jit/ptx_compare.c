/* Executes regions both ways, and finds the first instruction whose result differs. */
#include "ptx_compare.h"

#include "demangle.h"
#include "log.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "ptx_live.h"
#include "ptx_memory.h"
#include "ptx_warp.h"
#include "wave_trace.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
    struct ptx_warp *warp;
    struct ptx_wave start;
    const struct ptx_code *code;
    const struct ptx_known *known;
    unsigned char *registers; /* at the start */
    unsigned char *found;     /* the region's */
    struct wave_trace trace;
    bool notes;  /* stores are noted */
    bool failed; /* an access has, which was reported */
};

static _Atomic(uint64_t) made, differing;

void ptx_jit_comparisons(uint64_t *out_made, uint64_t *out_differing)
{
    *out_made = atomic_load(&made);
    *out_differing = atomic_load(&differing);
}

/* ---- what is noted ------------------------------------------------------------------------ */

/* False: the access fails, which was reported. */
static bool note_store(struct comparison *c, const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    ptx_access_addresses(c->warp, access, at);
    if (!ptx_access_pointers(c->warp, op, access, at, where))
        return false;
    for (uint32_t left = c->warp->mask; left; left &= left - 1)
        wave_trace_store(&c->trace, op, where[__builtin_ctz(left)], access->bytes);
    return true;
}

/* ---- the interpreter --------------------------------------------------------------------- */

/* After an op that lanes may have left for others which then run. */
static const struct ptx_op *go_on(const struct comparison *c, const struct ptx_op *next)
{
    return !next && !c->warp->fragment ? ptx_warp_next(c->warp) : next;
}

/* Regions look at the budget on ways back only, and may take more than there is. */
enum { MORE = 1 << 24 };

static void add_budget(struct ptx_warp *warp, int more)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    wave->left += more;
    wave->slice += more;
    warp->budget += more;
}

/* Whether the region would go back. */
static bool may_go(const struct comparison *c, const struct ptx_op *op)
{
    int left = c->warp->budget - MORE - (int)op->c;
    return op->c == 0 || left > -(int)ptx_region_allowance(op);
}

static const struct ptx_op *execute(struct comparison *c, const struct ptx_op *op)
{
    if (c->trace.limited || !ptx_form_repeats(c->code, op))
        return NULL;
    wave_trace_op(&c->trace, op);
    c->failed = c->notes && ptx_form_is_store(c->code, op) && !note_store(c, op);
    if (c->failed || c->trace.limited)
        return NULL;
    const struct ptx_op *next = op->run(c->warp, op);
    c->failed = !next;
    return next;
}

static const struct ptx_op *execute_guarded(struct comparison *c, const struct ptx_op *guard)
{
    const struct ptx_op *op = guard->run(c->warp, guard);
    if (op == guard->target)
        return op;
    while (op && op->run != ptx_run_unguard)
        op = execute(c, op);
    return op ? op->run(c->warp, op) : NULL;
}

/* Where lanes part, or an index is too large, the region is left. */
static const struct ptx_op *execute_indexed(struct comparison *c, const struct ptx_op *op)
{
    const struct ptx_targets *targets = op->extra;
    uint32_t index[PTX_LANES], left = c->warp->mask;
    memcpy(index, c->warp->regs + op->a, sizeof index);
    uint32_t first = index[__builtin_ctz(left)];
    for (; left; left &= left - 1)
        if (index[__builtin_ctz(left)] != first)
            return NULL;
    return first < targets->count && may_go(c, op) ? op->run(c->warp, op) : NULL;
}

static const struct ptx_op *execute_branch(struct comparison *c, const struct ptx_op *op)
{
    bool jumps = op->run == ptx_run_jump || op->run == ptx_run_jump_back;
    uint32_t taken = UINT32_MAX;
    if (!jumps) {
        memcpy(&taken, c->warp->regs + op->a, sizeof taken);
        taken = (taken ^ (uint32_t)op->b) & c->warp->mask;
    }
    bool back = op->run == ptx_run_jump_back || op->run == ptx_run_branch_back;
    if (taken && back && !may_go(c, op))
        return NULL;
    return go_on(c, op->run(c->warp, op));
}

/* NULL: this ends what can be executed once more, or an access has failed. */
static const struct ptx_op *step(struct comparison *c, const struct ptx_op *op)
{
    if (op->run == ptx_run_join || op->run == ptx_run_region)
        return go_on(c, ptx_run_join(c->warp, op));
    if (op->run == ptx_run_jump || op->run == ptx_run_jump_back || op->run == ptx_run_branch ||
        op->run == ptx_run_branch_back)
        return execute_branch(c, op);
    if (op->run == ptx_run_branch_indexed)
        return execute_indexed(c, op);
    return op->run == ptx_run_guard ? execute_guarded(c, op) : execute(c, op);
}

/* As far as it goes. */
static void go_ahead(struct comparison *c, const struct ptx_op *op)
{
    c->notes = true;
    add_budget(c->warp, MORE);
    while (op)
        op = step(c, op);
    c->notes = false;
}

/* To where the region was left. False: the interpreter does not come there. */
static bool follow(struct comparison *c, const struct ptx_op *op, const struct ptx_op *left,
                   uint64_t steps, int budget)
{
    c->trace.op_count = 0;
    add_budget(c->warp, MORE);
    while (op && (op != left || c->warp->steps != steps || c->warp->budget - MORE != budget))
        op = step(c, op);
    add_budget(c->warp, -MORE);
    return op != NULL;
}

/* ---- states ------------------------------------------------------------------------------- */

static void go_back(struct comparison *c)
{
    wave_trace_undo(&c->trace);
    *ptx_wave_of(c->warp) = c->start;
    memcpy(c->warp->regs, c->registers, c->code->frame_size);
}

static void keep_found(struct comparison *c)
{
    memcpy(c->found, c->warp->regs, c->code->frame_size);
    wave_trace_keep(&c->trace);
}

/* ---- differences ---------------------------------------------------------------------------- */

/* op: whose result it is; NULL: of none that was executed. */
static void report(const struct comparison *c, const struct ptx_op *op, const char *what)
{
    char spelling[160] = "";
    const struct ptx_inst *inst = op ? &c->code->function->insts[op->inst] : NULL;
    AH_LOG_NOTICE(AH_LOG_ERROR,
                  "Compiled code of %s differs from the interpreter at line %u, %s: warp %u, %s",
                  ah_demangle(c->code->function->symbol->name), inst ? inst->line : 0,
                  inst ? ptx_inst_spelling(inst, spelling, sizeof spelling) : "no instruction",
                  c->warp->number, what);
}

static unsigned writes_of(void *data, const void *op, struct wave_slot *out_slots)
{
    const struct comparison *c = data;
    struct ptx_form form;
    ptx_form_of(c->code, op, &form);
    memcpy(out_slots, form.writes, form.write_count * sizeof *out_slots);
    return form.write_count;
}

/* ---- where lanes are ------------------------------------------------------------------------ */

/* The op at which each lane of the frame goes on; at: of those that execute. */
static void find_lanes(const struct comparison *c, const struct ptx_op *at,
                       const struct ptx_op *out_ops[PTX_LANES])
{
    const struct ptx_frame *frame = c->warp->fragment->frame;
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        out_ops[lane] = c->warp->mask >> lane & 1 ? at : NULL;
    for (const struct ptx_fragment *f = c->warp->fragments; f; f = f->next)
        for (uint32_t left = f->frame == frame ? f->mask : 0; left; left &= left - 1)
            out_ops[__builtin_ctz(left)] = f->op;
}

/* What no lane reads is taken from the interpreter's registers: regions write it or not. */
static void forget(struct comparison *c, const struct wave_slot *slot, unsigned lane)
{
    if (slot->size == sizeof(uint32_t)) {
        uint32_t expected, found, bit = UINT32_C(1) << lane;
        memcpy(&expected, c->warp->regs + slot->offset, sizeof expected);
        memcpy(&found, c->found + slot->offset, sizeof found);
        found = (found & ~bit) | (expected & bit);
        memcpy(c->found + slot->offset, &found, sizeof found);
        return;
    }
    size_t size = slot->size / PTX_LANES, at = slot->offset + lane * size;
    memcpy(c->found + at, c->warp->regs + at, size);
}

static void forget_dead(struct comparison *c, const struct ptx_op *const ops[PTX_LANES])
{
    unsigned count = 0;
    const struct wave_slot *slots = ptx_live_slots(c->known->live, &count);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        for (unsigned s = 0; s < count; s++)
            if (!ops[lane] || !ptx_live_at(c->known->live, ops[lane], slots[s].offset))
                forget(c, &slots[s], lane);
}

/* Whether registers differ; of the first instruction that has written one of these last. */
static bool find_register(struct comparison *c)
{
    const struct wave_images images = {.found = {[WAVE_FRAME] = c->found},
                                       .expected = {[WAVE_FRAME] = c->warp->regs}};
    struct wave_slot slot;
    const void *op;
    char what[160];
    if (memcmp(c->found, c->warp->regs, c->code->frame_size) == 0)
        return false;
    if (!wave_trace_slot(&c->trace, &images, writes_of, c, &op, &slot)) {
        report(c, NULL, "a register that nothing has written");
        return true;
    }
    wave_describe_difference(&images, &slot, PTX_LANES, what, sizeof what);
    report(c, op, what);
    return true;
}

static bool find_store(const struct comparison *c)
{
    const struct ptx_op *op = wave_trace_differing_store(&c->trace);
    if (op)
        report(c, op, "what is stored");
    return op;
}

/* ---- both ways ---------------------------------------------------------------------------------
 */

/* The region has been executed, and everything but what was found is as at the start. Returns the
 * op to go on with. */
static const struct ptx_op *check(struct comparison *c, const struct ptx_op *op,
                                  const struct ptx_op *left, const struct ptx_warp *after,
                                  const struct ptx_op *const after_ops[PTX_LANES],
                                  bool *out_differs)
{
    const struct ptx_op *ops[PTX_LANES];
    atomic_fetch_add(&made, 1);
    bool same_way = follow(c, op, left, after->steps, after->budget);
    if (!same_way) {
        go_back(c);
        report(c, left, "the interpreter does not come there");
        left = op;
    }
    find_lanes(c, left, ops);
    forget_dead(c, ops);
    if (same_way && memcmp(ops, after_ops, sizeof ops) != 0) {
        report(c, left, "lanes are elsewhere");
        same_way = false;
    }
    *out_differs = !same_way || find_register(c) || find_store(c);
    if (!*out_differs && (c->warp->carry ^ after->carry) & c->warp->alive) {
        report(c, NULL, "the carry");
        *out_differs = true;
    }
    atomic_fetch_add(&differing, *out_differs);
    return left;
}

const struct ptx_op *ptx_compare(struct ptx_warp *warp, const struct ptx_op *op,
                                 const struct ptx_known *known, ptx_handler region,
                                 bool *out_differs)
{
    struct comparison c = {.warp = warp,
                           .start = *ptx_wave_of(warp),
                           .code = warp->fragment->frame->code,
                           .known = known};
    const struct ptx_op *ops[PTX_LANES];
    size_t size = c.code->frame_size;
    const struct ptx_op *left = op;
    c.registers = malloc(2 * size + 1);
    c.found = c.registers + size;
    *out_differs = false;
    if (!c.registers)
        return op;
    memcpy(c.registers, warp->regs, size);
    go_ahead(&c, op);
    if (!c.failed)
        go_back(&c);
    if (!c.failed && !c.trace.limited) {
        left = region(warp, op);
        struct ptx_warp after = *warp;
        find_lanes(&c, left, ops);
        keep_found(&c);
        go_back(&c);
        left = check(&c, op, left, &after, ops, out_differs);
    }
    free(c.registers);
    wave_trace_fini(&c.trace);
    return c.failed ? NULL : left;
}
