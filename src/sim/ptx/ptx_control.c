/* Branches, ends and guards: handlers and their translation. Calls are ptx_call.c's. */
#include "ptx_warp.h"

#include <string.h>

enum {
    SPIN_LENGTH = 64, /* a loop that waits for somebody is shorter */
    SPIN_WEIGHT = 16, /* and its steps count for more */
};

static inline uint32_t predicate(const struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t mask;
    memcpy(&mask, warp->regs + op->a, sizeof mask);
    return (mask ^ op->b) & warp->mask;
}

/* ---- straight lines: e is the length of the one that begins ------------------------------ */

static const struct ptx_op *join(struct ptx_warp *warp, const struct ptx_op *op)
{
    warp->steps += op->e;
    if (__builtin_expect(!warp->fragments, 1))
        return op + 1;
    op = ptx_warp_meet(warp, op);
    return op ? op + 1 : NULL;
}

/* ---- guards: a: predicate, b: what inverts it --------------------------------------------- */

static const struct ptx_op *guard(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t mask = predicate(warp, op);
    if (!mask)
        return op->target;
    ptx_wave_of(warp)->guarded = warp->mask;
    if (mask != warp->mask)
        ptx_warp_mask(warp, mask);
    return op + 1;
}

static const struct ptx_op *unguard(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t mask = ptx_wave_of(warp)->guarded;
    if (mask != warp->mask)
        ptx_warp_mask(warp, mask);
    return op + 1;
}

/* ---- branches: c: what going there takes from the budget, d: the loop may wait ------------ */

static const struct ptx_op *jump(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    return op->target;
}

static const struct ptx_op *jump_back(struct ptx_warp *warp, const struct ptx_op *op)
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
    return __builtin_expect(!warp->fragments, 1) ? op + 1 : ptx_warp_meet(warp, op + 1);
}

/* Both sides have lanes: those that go the way that comes first go first. */
static const struct ptx_op *diverge(struct ptx_warp *warp, const struct ptx_op *op, uint32_t taken)
{
    struct ptx_frame *frame = warp->fragment->frame;
    const uint32_t *orders = ptx_body_of(frame->code)->orders;
    uint32_t stays = warp->mask & ~taken;
    const struct ptx_op *base = frame->code->ops;
    if (orders[op->target - base] < orders[op + 1 - base]) {
        ptx_warp_add(warp, stays, op + 1, frame);
        ptx_warp_mask(warp, taken);
        return jump_back(warp, op);
    }
    ptx_warp_add(warp, taken, op->target, frame);
    ptx_warp_mask(warp, stays);
    return go_on(warp, op);
}

static const struct ptx_op *branch(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t taken = predicate(warp, op);
    if (taken == warp->mask)
        return op->target;
    return taken ? diverge(warp, op, taken) : go_on(warp, op);
}

static const struct ptx_op *branch_back(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t taken = predicate(warp, op);
    if (taken == warp->mask)
        return jump_back(warp, op);
    return taken ? diverge(warp, op, taken) : go_on(warp, op);
}

struct targets { /* of brx.idx */
    unsigned count;
    const struct ptx_op *ops[];
};

static const struct ptx_op *branch_indexed(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct targets *targets = op->extra;
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
    return ptx_warp_drop(warp);
}

/* ---- ends --------------------------------------------------------------------------------- */

static const struct ptx_op *exit_lanes(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)op;
    return ptx_warp_exit(warp);
}

static const struct ptx_op *trap(struct ptx_warp *warp, const struct ptx_op *op)
{
    return ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_TRAP, "trap");
}

static const struct ptx_op *breakpoint(struct ptx_warp *warp, const struct ptx_op *op)
{
    return ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_TRAP,
                     "breakpoint without a debugger");
}

static const struct ptx_op *sleep_lanes(struct ptx_warp *warp, const struct ptx_op *op)
{
    return ptx_warp_sleep(warp, op + 1);
}

/* ---- translation ---------------------------------------------------------------------------- */

bool ptx_op_counts(const struct ptx_op *op)
{
    return op->run == join || op->run == branch || op->run == branch_back;
}

void ptx_build_join(struct ptx_builder *builder)
{
    ptx_build_op(builder, join);
}

static void set_predicate(struct ptx_op *op, const struct ptx_builder *builder, bool inverted)
{
    op->a = ptx_slots_find(&builder->body->slots, builder->inst->guard, 0);
    op->b = builder->inst->guard_negated != inverted ? UINT32_MAX : 0;
}

unsigned ptx_build_guard(struct ptx_builder *builder)
{
    set_predicate(ptx_build_op(builder, guard), builder, false);
    return builder->op_count - 1;
}

void ptx_build_unguard(struct ptx_builder *builder, unsigned begun)
{
    ptx_build_op(builder, unguard);
    ptx_build_fixup(builder, PTX_FIXUP_OP, builder->op_count, begun, NULL);
}

unsigned ptx_build_skip(struct ptx_builder *builder)
{
    set_predicate(ptx_build_op(builder, branch), builder, true);
    return builder->op_count - 1;
}

void ptx_build_skipped(struct ptx_builder *builder, unsigned begun)
{
    ptx_build_fixup(builder, PTX_FIXUP_OP, builder->op_count, begun, NULL);
    ptx_build_join(builder);
}

/* Whether an instruction is one that a loop contains that waits for other threads. */
static bool may_see_others(const struct ptx_inst *inst)
{
    static const char *const opcodes[] = {"atom", "nanosleep", "mbarrier", "fence", "membar", "cp"};
    if (inst->mods & (PTX_MOD_VOLATILE | PTX_MOD_RELAXED | PTX_MOD_ACQUIRE))
        return true;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (strcmp(inst->opcode, opcodes[i]) == 0)
            return true;
    return false;
}

/* Sets what the way back to a block costs. False: it is a way forward. */
static bool set_weight(const struct ptx_builder *builder, struct ptx_op *op, unsigned block)
{
    const struct ptx_function *function = ptx_build_function(builder);
    unsigned first = builder->body->flow.blocks[block].first, last = builder->inst_index;
    if (first > last)
        return false;
    op->c = last - first + 1;
    for (unsigned i = first; i <= last && op->c <= SPIN_LENGTH; i++)
        op->d |= may_see_others(&function->insts[i]);
    if (op->d)
        op->c *= SPIN_WEIGHT;
    return true;
}

static void emit_branch(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    unsigned block = ptx_build_label(builder, inst->operands[0].symbol);
    struct ptx_op *op = ptx_build_op(builder, inst->guard ? branch : jump);
    if (set_weight(builder, op, block))
        op->run = inst->guard ? branch_back : jump_back;
    if (inst->guard)
        set_predicate(op, builder, false);
    ptx_build_fixup(builder, PTX_FIXUP_BLOCK, block, builder->op_count - 1, NULL);
}

static void emit_indexed(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    const struct ptx_symbol *list = inst->operands[1].symbol;
    uint32_t a = ptx_build_source(builder, &inst->operands[0], PTX_U32);
    struct targets *targets =
        ptx_build_alloc(builder, sizeof *targets + list->label_count * sizeof(struct ptx_op *));
    struct ptx_op *op = ptx_build_op(builder, branch_indexed);
    if (!targets)
        return;
    targets->count = list->label_count;
    op->a = a;
    op->extra = targets;
    for (unsigned i = 0; i < list->label_count; i++) {
        unsigned block = ptx_build_label(builder, list->labels[i]);
        set_weight(builder, op, block);
        ptx_build_fixup(builder, PTX_FIXUP_BLOCK, block, 0, &targets->ops[i]);
    }
}

static void emit_return(struct ptx_builder *builder)
{
    ptx_build_op(builder, ptx_build_function(builder)->entry ? exit_lanes : ptx_return);
}

static void emit_simple(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    static const struct {
        const char *opcode;
        ptx_handler handler;
    } handlers[] = {
        {"exit", exit_lanes}, {"trap", trap}, {"brkpt", breakpoint}, {"nanosleep", sleep_lanes}};
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(handlers[i].opcode, inst->opcode) == 0) {
            ptx_build_op(builder, handlers[i].handler);
            return;
        }
    /* What remains are hints without an op: pmevent, setmaxnreg, and griddepcontrol, as
     * a launch begins when those before it have ended. */
}

static const struct ptx_op *missing(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_inst *inst = &warp->fragment->frame->code->function->insts[op->inst];
    char spelling[160];
    return ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_ILLEGAL_INSTRUCTION,
                     "simulated devices do not have %s",
                     ptx_inst_spelling(inst, spelling, sizeof spelling));
}

void ptx_emit_missing(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, missing);
}

void ptx_emit_control(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    if (strcmp(inst->opcode, "bra") == 0)
        emit_branch(builder, inst);
    else if (strcmp(inst->opcode, "brx") == 0)
        emit_indexed(builder, inst);
    else if (strcmp(inst->opcode, "call") == 0)
        ptx_build_call(builder, inst);
    else if (strcmp(inst->opcode, "ret") == 0)
        emit_return(builder);
    else
        emit_simple(builder, inst);
}
