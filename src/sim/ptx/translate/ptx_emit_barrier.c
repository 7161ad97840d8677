/* Emits the barriers of a block and of a cluster. */
#include "ptx_build.h"
#include "ptx_emit.h"

static enum ptx_barrier_action action_of(const struct ptx_inst *inst)
{
    if (ptx_inst_has(inst, "arrive"))
        return PTX_BAR_ARRIVE;
    if (ptx_inst_has(inst, "popc"))
        return PTX_BAR_POPC;
    if (ptx_inst_has(inst, "and"))
        return PTX_BAR_AND;
    return ptx_inst_has(inst, "or") ? PTX_BAR_OR : PTX_BAR_SYNC;
}

static void emit_reduction(struct ptx_builder *builder, const struct ptx_inst *inst,
                           struct ptx_barrier_op *b)
{
    const struct ptx_operand *last = &inst->operands[inst->operand_count - 1];
    enum ptx_type type = b->action == PTX_BAR_POPC ? PTX_U32 : PTX_PRED;
    b->counted = inst->operand_count == 4;
    b->number = ptx_build_source(builder, &inst->operands[1], PTX_U32);
    b->count = b->counted ? ptx_build_source(builder, &inst->operands[2], PTX_U32) : b->number;
    b->predicate = ptx_build_source(builder, last, PTX_PRED);
    b->result = ptx_build_destination(builder, &inst->operands[0], type);
    ptx_build_op(builder, ptx_run_barrier)->extra = b;
    ptx_build_finish(builder, &inst->operands[0], type, b->result);
}

static void emit(struct ptx_builder *builder, const struct ptx_inst *inst, bool aligned)
{
    struct ptx_barrier_op *b = ptx_build_alloc(builder, sizeof *b);
    if (!b)
        return;
    b->action = action_of(inst);
    b->aligned = aligned;
    if (ptx_inst_has(inst, "red")) {
        emit_reduction(builder, inst, b);
        return;
    }
    b->constant = inst->operands[0].kind == PTX_OP_INT;
    b->counted = inst->operand_count > 1;
    b->number = ptx_build_source(builder, &inst->operands[0], PTX_U32);
    b->count = b->counted ? ptx_build_source(builder, &inst->operands[1], PTX_U32) : b->number;
    ptx_build_op(builder, ptx_run_barrier)->extra = b;
}

/* bar is always aligned. */
void ptx_emit_bar(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit(builder, inst, true);
}

void ptx_emit_barrier(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit(builder, inst, ptx_inst_has(inst, "aligned"));
}

void ptx_emit_cluster_arrive(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_cluster_arrive);
}

void ptx_emit_cluster_wait(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_cluster_wait);
}
