/* Emits loads and stores, fences and hints. */
#include "ptx_build.h"
#include "ptx_emit.h"

/* The slot has the register's width: a load widens values that are narrower in memory, and a store
 * writes the low bytes. */
static enum ptx_type data_type(const struct ptx_operand *operand, enum ptx_type type)
{
    bool is_register = operand->kind == PTX_OP_REG || operand->kind == PTX_OP_COMPONENT;
    return is_register && operand->symbol->type != PTX_PRED ? operand->symbol->type : type;
}

static uint8_t slot_width(enum ptx_type type)
{
    unsigned size = ptx_type_size(type);
    return (uint8_t)(size < 2 ? 2 : size);
}

void ptx_emit_load(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    struct ptx_access *access = ptx_access_create(builder, &inst->operands[1], &modifiers, false);
    if (!access)
        return;
    enum ptx_type types[PTX_VECTOR_MAX];
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(&inst->operands[0], i);
        types[i] = data_type(&element, modifiers.type);
        access->widths[i] = slot_width(types[i]);
        access->slots[i] = ptx_build_destination(builder, &element, types[i]);
    }
    ptx_access_op(builder, ptx_access_handler(access), access);
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(&inst->operands[0], i);
        ptx_build_finish(builder, &element, types[i], access->slots[i]);
    }
    if (inst->mods & PTX_MOD_ACQUIRE)
        ptx_build_op(builder, ptx_run_fence_acquire);
}

void ptx_emit_store(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    struct ptx_access *access = ptx_access_create(builder, &inst->operands[0], &modifiers, true);
    if (!access)
        return;
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(&inst->operands[1], i);
        enum ptx_type type = data_type(&element, modifiers.type);
        access->widths[i] = slot_width(type);
        access->slots[i] = ptx_build_source(builder, &element, type);
    }
    if (inst->mods & PTX_MOD_RELEASE)
        ptx_build_op(builder, ptx_run_fence_release);
    ptx_access_op(builder, ptx_access_handler(access), access);
}

void ptx_emit_fence(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    ptx_build_op(builder, inst->mods & PTX_MOD_CTA ? ptx_run_fence_block : ptx_run_fence_device);
}

/* Orders accesses through different proxies, of which simulated devices have only one. */
void ptx_emit_fence_proxy(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_fence_block);
}

/* Caches are not simulated: the hint has no effect, and its address never faults. */
void ptx_emit_cache_hint(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, ptx_run_fence_block);
}

void ptx_emit_policy(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], PTX_B64);
    struct ptx_op *op = ptx_build_op(builder, ptx_run_policy);
    op->d = d;
    op->bits = UINT64_C(1) << 60;
    ptx_build_finish(builder, &inst->operands[0], PTX_B64, d);
}
