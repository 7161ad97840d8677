/* Emits atom and red. */
#include "ptx_build.h"
#include "ptx_emit.h"

static bool find_element(const struct ptx_inst *inst, enum ptx_type type, struct ptx_atomic *atomic)
{
    for (unsigned i = 0; i < inst->modifier_count; i++)
        if (ptx_atomic_find(inst->modifiers[i], type, atomic))
            return true;
    return false;
}

static bool all_sinks(const struct ptx_operand *operand, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (ptx_vector_element(operand, i).kind != PTX_OP_SINK)
            return false;
    return true;
}

static void finish(struct ptx_builder *builder, const struct ptx_operand *d, enum ptx_type type,
                   const struct ptx_atomic *atomic)
{
    for (unsigned i = 0; atomic->returns && i < atomic->access.count; i++) {
        struct ptx_operand element = ptx_vector_element(d, i);
        ptx_build_finish(builder, &element, type, atomic->d[i]);
    }
}

/* atom: the instruction has a destination. */
static void emit(struct ptx_builder *builder, const struct ptx_inst *inst, bool atom)
{
    const struct ptx_operand *operands = inst->operands + atom;
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    struct ptx_access *access = ptx_access_create(builder, &operands[0], &modifiers, true);
    struct ptx_atomic *atomic = ptx_build_alloc(builder, sizeof *atomic);
    if (!access || !atomic)
        return;
    atomic->access = *access;
    atomic->access.atomic = true;
    atomic->width = (uint8_t)ptx_type_size(modifiers.type);
    if (!find_element(inst, modifiers.type, atomic)) {
        ptx_build_error(builder, "%s has no such operation", inst->opcode);
        return;
    }
    atomic->returns = atom && !all_sinks(&inst->operands[0], access->count);
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand b = ptx_vector_element(&operands[1], i);
        atomic->access.slots[i] = ptx_build_source(builder, &b, modifiers.type);
    }
    if (ptx_inst_has(inst, "cas"))
        atomic->c = ptx_build_source(builder, &operands[2], modifiers.type);
    for (unsigned i = 0; atomic->returns && i < access->count; i++) {
        struct ptx_operand d = ptx_vector_element(&inst->operands[0], i);
        atomic->d[i] = ptx_build_destination(builder, &d, modifiers.type);
    }
    ptx_access_op(builder, ptx_run_atomic, &atomic->access);
    finish(builder, &inst->operands[0], modifiers.type, atomic);
}

void ptx_emit_atom(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit(builder, inst, true);
}

void ptx_emit_red(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit(builder, inst, false);
}
