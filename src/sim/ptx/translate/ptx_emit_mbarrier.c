/* Emits cp.async and mbarrier. */
#include "ptx_build.h"
#include "ptx_emit.h"

static struct ptx_access *sized_access(struct ptx_builder *builder,
                                       const struct ptx_operand *address, enum ptx_space space,
                                       unsigned size, bool write, unsigned line)
{
    struct ptx_access_modifiers modifiers = {
        .space = space, .type = PTX_B8, .vector = 1, .line = line};
    struct ptx_access *access = ptx_access_create(builder, address, &modifiers, write);
    if (access)
        access->size = access->bytes = (uint8_t)size;
    return access;
}

void ptx_emit_copy(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    uint64_t size = inst->operands[2].bits;
    if (size != 16 && (ptx_inst_has(inst, "cg") || (size != 4 && size != 8))) {
        ptx_build_error(builder, "cp.async does not copy %llu bytes", (unsigned long long)size);
        return;
    }
    struct ptx_copy *copy = ptx_build_alloc(builder, sizeof *copy);
    struct ptx_access *to =
        sized_access(builder, &inst->operands[0], PTX_SHARED, (unsigned)size, true, inst->line);
    struct ptx_access *from =
        sized_access(builder, &inst->operands[1], PTX_GLOBAL, (unsigned)size, false, inst->line);
    if (!copy || !to || !from)
        return;
    copy->to = *to;
    copy->from = from;
    unsigned optional = inst->operand_count - ptx_inst_has(inst, "L2::cache_hint");
    if (optional > 3) {
        const struct ptx_operand *operand = &inst->operands[3];
        bool is_predicate = operand->kind == PTX_OP_REG && operand->symbol->type == PTX_PRED;
        copy->has_ignore = is_predicate;
        copy->has_size = !is_predicate;
        uint32_t slot = ptx_build_source(builder, operand, is_predicate ? PTX_PRED : PTX_U32);
        copy->ignore = copy->size = slot;
    }
    if (!copy->has_size && !copy->has_ignore) /* otherwise a part of it may not be read */
        ptx_emit_checks(builder, from);
    else
        ptx_emit_count_access(builder, from);
    ptx_access_op(builder, ptx_run_copy_async, &copy->to);
}

static struct ptx_mbarrier_op *barrier_create(struct ptx_builder *builder,
                                              const struct ptx_operand *address,
                                              const struct ptx_inst *inst)
{
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    struct ptx_access *access =
        sized_access(builder, address, modifiers.space, 8, true, inst->line);
    struct ptx_mbarrier_op *barrier = ptx_build_alloc(builder, sizeof *barrier);
    if (!access || !barrier)
        return NULL;
    barrier->access = *access;
    barrier->access.atomic = true;
    return barrier;
}

void ptx_emit_mbarrier_test(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_mbarrier_op *barrier = barrier_create(builder, &inst->operands[1], inst);
    if (!barrier)
        return;
    barrier->parity = ptx_inst_has(inst, "parity");
    barrier->state =
        ptx_build_source(builder, &inst->operands[2], barrier->parity ? PTX_U32 : PTX_B64);
    barrier->d = ptx_build_destination(builder, &inst->operands[0], PTX_PRED);
    ptx_access_op(builder, ptx_run_mbarrier_test, &barrier->access);
    ptx_build_finish(builder, &inst->operands[0], PTX_PRED, barrier->d);
}

void ptx_emit_mbarrier_pending(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    uint32_t a = ptx_build_source(builder, &inst->operands[1], PTX_B64);
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], PTX_U32);
    struct ptx_op *op = ptx_build_op(builder, ptx_run_mbarrier_pending);
    op->d = d;
    op->a = a;
    ptx_build_finish(builder, &inst->operands[0], PTX_U32, d);
}

/* arrives: the instruction may have a destination, which gets the previous state. */
static void emit_change(struct ptx_builder *builder, const struct ptx_inst *inst,
                        enum ptx_mbarrier_action action, bool arrives)
{
    const struct ptx_operand *operands = inst->operands + arrives;
    struct ptx_mbarrier_op *barrier = barrier_create(builder, &operands[0], inst);
    if (!barrier)
        return;
    barrier->action = action;
    barrier->has_count = inst->operand_count > arrives + 1;
    barrier->returns = arrives && inst->operands[0].kind != PTX_OP_SINK;
    if (barrier->has_count)
        barrier->count = ptx_build_source(builder, &operands[1], PTX_U32);
    if (barrier->returns)
        barrier->d = ptx_build_destination(builder, &inst->operands[0], PTX_B64);
    barrier->access.write = true;
    barrier->access.atomic = action != PTX_MBARRIER_INITIALISE; /* it does not read memory */
    ptx_access_op(builder, ptx_run_mbarrier, &barrier->access);
    if (barrier->returns)
        ptx_build_finish(builder, &inst->operands[0], PTX_B64, barrier->d);
}

void ptx_emit_mbarrier_init(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_change(builder, inst, PTX_MBARRIER_INITIALISE, false);
}

void ptx_emit_mbarrier_inval(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_change(builder, inst, PTX_MBARRIER_INVALIDATE, false);
}

void ptx_emit_mbarrier_arrive(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    bool bytes = ptx_inst_has(inst, "expect_tx");
    emit_change(builder, inst, bytes ? PTX_MBARRIER_ARRIVE_BYTES : PTX_MBARRIER_ARRIVE, true);
}

void ptx_emit_mbarrier_drop(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    bool bytes = ptx_inst_has(inst, "expect_tx");
    emit_change(builder, inst, bytes ? PTX_MBARRIER_DROP_BYTES : PTX_MBARRIER_ARRIVE_DROP, true);
}

void ptx_emit_mbarrier_expect(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_change(builder, inst, PTX_MBARRIER_EXPECT_BYTES, false);
}

void ptx_emit_mbarrier_complete(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_change(builder, inst, PTX_MBARRIER_COMPLETE_BYTES, false);
}

/* Arrives when the thread's previous copies are done. With .noinc this counts as an arrival;
 * otherwise the pending count is incremented and decremented, which changes nothing. */
void ptx_emit_copy_arrive(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_mbarrier_op *barrier = barrier_create(builder, &inst->operands[0], inst);
    if (!barrier)
        return;
    barrier->action = ptx_inst_has(inst, "noinc") ? PTX_MBARRIER_ARRIVE : PTX_MBARRIER_NOTHING;
    ptx_build_op(builder,
                 ptx_run_wait_all); /* threads that wait for the barrier wait for the copies too */
    ptx_access_op(builder, ptx_run_mbarrier, &barrier->access);
}

void ptx_emit_copy_commit(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_commit_group);
}

void ptx_emit_copy_wait(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    ptx_build_op(builder, ptx_run_wait_group)->bits = inst->operands[0].bits;
}

void ptx_emit_copy_wait_all(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_wait_all);
}
