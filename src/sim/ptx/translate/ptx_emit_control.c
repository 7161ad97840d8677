/* Emits branches, exits and guards. */
#include "ptx_build.h"
#include "ptx_emit.h"

enum {
    SPIN_LENGTH = 64,    /* a loop that waits for another thread is assumed to be shorter */
    SPIN_WEIGHT = 16,    /* and its steps count for more */
    ROUND_MAX = 1 << 16, /* instructions that are counted */
};

bool ptx_op_joins(const struct ptx_op *op)
{
    return op->run == ptx_run_join;
}

bool ptx_op_counts(const struct ptx_op *op)
{
    return ptx_op_joins(op) || op->run == ptx_run_branch || op->run == ptx_run_branch_back;
}

void ptx_build_join(struct ptx_builder *builder)
{
    ptx_build_op(builder, ptx_run_join);
}

static void set_predicate(struct ptx_op *op, const struct ptx_builder *builder, bool inverted)
{
    op->a = ptx_slots_find(&builder->body->slots, builder->inst->guard, 0);
    op->b = builder->inst->guard_negated != inverted ? UINT32_MAX : 0;
}

unsigned ptx_build_guard(struct ptx_builder *builder)
{
    set_predicate(ptx_build_op(builder, ptx_run_guard), builder, false);
    return builder->op_count - 1;
}

void ptx_build_unguard(struct ptx_builder *builder, unsigned begun)
{
    ptx_build_op(builder, ptx_run_unguard);
    ptx_build_fixup(builder, PTX_FIXUP_OP, builder->op_count, begun, NULL);
}

unsigned ptx_build_skip(struct ptx_builder *builder)
{
    set_predicate(ptx_build_op(builder, ptx_run_branch), builder, true);
    return builder->op_count - 1;
}

void ptx_build_skipped(struct ptx_builder *builder, unsigned begun)
{
    ptx_build_fixup(builder, PTX_FIXUP_OP, builder->op_count, begun, NULL);
    ptx_build_join(builder);
}

/* Whether a loop with this instruction may be waiting for other threads. */
static bool may_wait_for_others(const struct ptx_inst *inst)
{
    if (inst->mods & (PTX_MOD_VOLATILE | PTX_MOD_RELAXED | PTX_MOD_ACQUIRE))
        return true;
    switch (inst->row->emitter) {
    case PTX_EMIT_ATOM:
    case PTX_EMIT_SLEEP:
    case PTX_EMIT_FENCE:
    case PTX_EMIT_FENCE_PROXY:
        return true;
    default: /* cp.async and mbarrier */
        return inst->row->emitter >= PTX_EMIT_COPY &&
               inst->row->emitter <= PTX_EMIT_MBARRIER_PENDING;
    }
}

static const struct ptx_flow_block *block_at(const struct ptx_flow *flow, unsigned order)
{
    return &flow->blocks[flow->postorder[flow->reached_count - 1 - order]];
}

/* Sets the cost of the way from the block that is being emitted to another one. False: it ends no
 * round of a loop. The blocks of a loop come between its first and its last one in the order. */
static bool set_weight(const struct ptx_builder *builder, struct ptx_op *op, unsigned block)
{
    const struct ptx_flow *flow = &builder->body->flow;
    const struct ptx_function *function = ptx_build_function(builder);
    unsigned first = flow->blocks[block].order, last = flow->blocks[builder->block].order;
    if (!ptx_flow_goes_back(flow, builder->block, block))
        return false;
    op->c = 0;
    for (unsigned i = first; i <= last && op->c < ROUND_MAX; i++)
        op->c += block_at(flow, i)->end - block_at(flow, i)->first;
    for (unsigned i = first; i <= last && op->c <= SPIN_LENGTH; i++)
        for (unsigned k = block_at(flow, i)->first; k < block_at(flow, i)->end; k++)
            op->d |= may_wait_for_others(&function->insts[k]);
    if (op->d)
        op->c *= SPIN_WEIGHT;
    return true;
}

void ptx_emit_branch(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    unsigned block = ptx_build_label(builder, inst->operands[0].symbol);
    struct ptx_op *op = ptx_build_op(builder, inst->guard ? ptx_run_branch : ptx_run_jump);
    if (set_weight(builder, op, block))
        op->run = inst->guard ? ptx_run_branch_back : ptx_run_jump_back;
    if (inst->guard)
        set_predicate(op, builder, false);
    ptx_build_fixup(builder, PTX_FIXUP_BLOCK, block, builder->op_count - 1, NULL);
}

void ptx_build_fall(struct ptx_builder *builder)
{
    unsigned block = builder->block;
    if (!ptx_flow_falls(ptx_build_function(builder), &builder->body->flow.blocks[block]) ||
        !ptx_flow_goes_back(&builder->body->flow, block, block + 1))
        return;
    set_weight(builder, ptx_build_op(builder, ptx_run_jump_back), block + 1);
    ptx_build_fixup(builder, PTX_FIXUP_BLOCK, block + 1, builder->op_count - 1, NULL);
}

void ptx_emit_branch_indexed(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    const struct ptx_symbol *list = inst->operands[1].symbol;
    uint32_t a = ptx_build_source(builder, &inst->operands[0], PTX_U32);
    struct ptx_targets *targets =
        ptx_build_alloc(builder, sizeof *targets + list->label_count * sizeof(struct ptx_op *));
    struct ptx_op *op = ptx_build_op(builder, ptx_run_branch_indexed);
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

void ptx_emit_return(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_build_function(builder)->entry ? ptx_run_exit : ptx_run_return);
}

void ptx_emit_exit(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_exit);
}

void ptx_emit_trap(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_trap);
}

void ptx_emit_breakpoint(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_breakpoint);
}

void ptx_emit_sleep(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_sleep);
}

/* Hints without an op: pmevent, setmaxnreg, and griddepcontrol, since a launch begins only when
 * those before it have ended. */
void ptx_emit_nothing(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)builder;
    (void)inst;
}

void ptx_emit_missing(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_missing);
}
