/* Emits the operations between the lanes of a warp. */
#include "ptx_build.h"
#include "ptx_emit.h"

/* The mode of an operation by its modifier. */
struct mode {
    const char *modifier;
    char mode;
};

static char mode_of(const struct ptx_inst *inst, const struct mode *modes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (ptx_inst_has(inst, modes[i].modifier))
            return modes[i].mode;
    return 0;
}

static struct ptx_warp_op *extra_create(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_warp_op *extra = ptx_build_alloc(builder, sizeof *extra);
    if (!extra)
        return NULL;
    extra->sync = ptx_inst_has(inst, "sync");
    extra->wide = ptx_inst_has(inst, "b64");
    extra->is_signed = ptx_inst_has(inst, "s32");
    extra->is_float = ptx_inst_has(inst, "f32");
    extra->abs = ptx_inst_has(inst, "abs");
    extra->nan = ptx_inst_has(inst, "NaN");
    return extra;
}

/* The member mask is the last operand of .sync instructions; d: whether there is a destination. */
static void emit(struct ptx_builder *builder, const struct ptx_inst *inst, ptx_handler handler,
                 struct ptx_warp_op *extra, bool has_result, enum ptx_type result,
                 enum ptx_type value)
{
    unsigned sources = inst->operand_count - has_result - extra->sync;
    const struct ptx_operand *d = &inst->operands[0];
    uint32_t slots[3] = {0}, slot = 0;
    for (unsigned i = 0; i < sources && i < 3; i++)
        slots[i] =
            ptx_build_source(builder, &inst->operands[has_result + i], i == 0 ? value : PTX_B32);
    if (extra->sync)
        extra->members =
            ptx_build_source(builder, &inst->operands[inst->operand_count - 1], PTX_B32);
    if (has_result)
        slot = ptx_build_destination(builder, d, result);
    if (has_result && d->pair) {
        extra->has_predicate = true;
        extra->predicate = ptx_build_destination(builder, d->pair, PTX_PRED);
    }
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->d = slot;
    op->a = slots[0];
    op->b = slots[1];
    op->c = slots[2];
    op->extra = extra;
    if (has_result)
        ptx_build_finish(builder, d, result, slot);
    if (has_result && d->pair)
        ptx_build_finish(builder, d->pair, PTX_PRED, extra->predicate);
}

/* Instructions with a destination of 32 bits and values of 32 or 64. */
static void emit_words(struct ptx_builder *builder, const struct ptx_inst *inst,
                       ptx_handler handler, char mode)
{
    struct ptx_warp_op *extra = extra_create(builder, inst);
    if (!extra)
        return;
    extra->mode = mode;
    emit(builder, inst, handler, extra, true, PTX_B32, extra->wide ? PTX_B64 : PTX_B32);
}

void ptx_emit_shuffle(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    ptx_handler handler = ptx_inst_has(inst, "up")     ? ptx_run_shuffle_up
                          : ptx_inst_has(inst, "down") ? ptx_run_shuffle_down
                          : ptx_inst_has(inst, "bfly") ? ptx_run_shuffle_bfly
                                                       : ptx_run_shuffle_idx;
    emit_words(builder, inst, handler, 0);
}

void ptx_emit_vote(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    static const struct mode modes[] = {{"all", 'a'}, {"any", 'y'}, {"uni", 'n'}, {"ballot", 'B'}};
    struct ptx_warp_op *extra = extra_create(builder, inst);
    if (!extra)
        return;
    extra->mode = mode_of(inst, modes, sizeof modes / sizeof *modes);
    emit(builder, inst, ptx_run_vote, extra, true, extra->mode == 'B' ? PTX_B32 : PTX_PRED,
         PTX_PRED);
}

void ptx_emit_match(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    static const struct mode modes[] = {{"any", 'y'}, {"all", 'a'}};
    emit_words(builder, inst, ptx_run_match, mode_of(inst, modes, sizeof modes / sizeof *modes));
}

void ptx_emit_redux(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    static const struct mode modes[] = {{"add", '+'}, {"min", '<'}, {"max", '>'},
                                        {"and", '&'}, {"or", '|'},  {"xor", '^'}};
    emit_words(builder, inst, ptx_run_redux, mode_of(inst, modes, sizeof modes / sizeof *modes));
}

void ptx_emit_activemask(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_words(builder, inst, ptx_run_activemask, 0);
}

void ptx_emit_elect(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_words(builder, inst, ptx_run_elect, 0);
}

void ptx_emit_warp_barrier(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_warp_op *extra = extra_create(builder, inst);
    if (extra)
        emit(builder, inst, ptx_run_warp_barrier, extra, false, PTX_B32, PTX_B32);
}
