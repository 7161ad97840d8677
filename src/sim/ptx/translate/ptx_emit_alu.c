/* Emits arithmetic instructions. */
#include "ptx_alu.h"
#include "ptx_emit.h"

/* Whether .and, .or or .xor is present exactly if there is a predicate to combine with, the
 * optional last operand. */
static bool combination_fits(const struct ptx_inst *inst, uint64_t bits)
{
    struct ptx_operand_rule rule;
    if (!ptx_row_operand(inst->row, 3, &rule) || !rule.optional)
        return true;
    bool combined = bits >> PTX_ALU_COMBINE_SHIFT & 3;
    return combined == (inst->operand_count == 4);
}

static void emit(struct ptx_builder *builder, const struct ptx_inst *inst, uint64_t bits)
{
    struct ptx_operand_rule rule, result_rule = {0}, second_rule = {.type = PTX_PRED};
    const struct ptx_operand *result = NULL;
    uint32_t sources[4] = {0};
    unsigned count = 0;
    if (!combination_fits(inst, bits)) {
        ptx_build_error(builder,
                        "%s combines with a predicate if and only if it names .and, .or "
                        "or .xor",
                        inst->opcode);
        return;
    }
    for (unsigned i = 0; i < inst->operand_count && ptx_row_operand(inst->row, i, &rule); ++i) {
        const struct ptx_operand *operand = &inst->operands[i];
        if (rule.destination) {
            result = operand;
            result_rule = rule;
        } else if (rule.form == PTX_RULE_CONSTANT) {
            if (operand->bits > PTX_ALU_IMMEDIATE) {
                ptx_build_error(builder, "%s: %llu is out of range", inst->opcode,
                                (unsigned long long)operand->bits);
                return;
            }
            bits |= operand->bits;
        } else if (count < 4) {
            sources[count++] = ptx_build_source(builder, operand, rule.type);
        }
    }
    if (!result) {
        ptx_build_error(builder, "%s without a destination", inst->opcode);
        return;
    }
    uint32_t slot = ptx_build_destination(builder, result, result_rule.type), second = 0;
    if (result->pair) {
        second = ptx_build_destination(builder, result->pair, second_rule.type);
        bits |= 1ull << PTX_ALU_SECOND_SHIFT | (uint64_t)second << PTX_ALU_SECOND_SLOT;
    }
    struct ptx_op *op = ptx_build_op(
        builder, ptx_alu_handlers[sim_isa()][inst->row->alu][ptx_alu_is_plain(inst->mods) ? 0 : 1]);
    if (!op)
        return;
    op->d = slot;
    op->a = sources[0];
    op->b = sources[1];
    op->c = sources[2];
    op->e = sources[3];
    op->bits = bits;
    ptx_build_finish(builder, result, result_rule.type, slot);
    if (result->pair)
        ptx_build_finish(builder, result->pair, second_rule.type, second);
}

void ptx_emit_alu(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit(builder, inst, ptx_alu_modifier_bits(inst));
}

void ptx_emit_video(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit(builder, inst, ptx_alu_modifier_bits(inst) | ptx_alu_video_bits(inst));
}
