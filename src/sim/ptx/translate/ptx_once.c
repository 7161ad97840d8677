/* Instructions of a kernel that give a warp the same values in every block of a launch: loads of
 * parameters, the thread's number, and arithmetic on them. They leave the kernel's code and run
 * once, when a warp's memory is made; their results have slots that no other register shares. */
#include "ptx_build.h"

#include <stdlib.h>
#include <string.h>

enum { ONCE_MAX = 128 }; /* instructions: each result takes a slot of every warp */

static bool is_special_of_launch(enum ptx_special special)
{
    switch (special) {
    case PTX_SPECIAL_TID_X:
    case PTX_SPECIAL_TID_Y:
    case PTX_SPECIAL_TID_Z:
    case PTX_SPECIAL_NTID_X:
    case PTX_SPECIAL_NTID_Y:
    case PTX_SPECIAL_NTID_Z:
    case PTX_SPECIAL_NCTAID_X:
    case PTX_SPECIAL_NCTAID_Y:
    case PTX_SPECIAL_NCTAID_Z:
    case PTX_SPECIAL_LANEID:
    case PTX_SPECIAL_WARPID:
    case PTX_SPECIAL_LANEMASK_EQ:
    case PTX_SPECIAL_LANEMASK_LE:
    case PTX_SPECIAL_LANEMASK_LT:
    case PTX_SPECIAL_LANEMASK_GE:
    case PTX_SPECIAL_LANEMASK_GT:
        return true;
    default:
        return false;
    }
}

struct search {
    struct ptx_builder *builder;
    const struct ptx_slots *slots;
    bool *known; /* by number of a register */
    unsigned found;
};

static bool is_scalar(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OP_REG && operand->symbol->kind == PTX_REGISTER &&
           operand->symbol->vector <= 1;
}

static bool is_known(const struct search *search, const struct ptx_operand *operand)
{
    if (operand->pair)
        return false;
    switch (operand->kind) {
    case PTX_OP_REG:
        return is_scalar(operand) &&
               search->known[ptx_slots_number(search->slots, operand->symbol, 0)];
    case PTX_OP_SPECIAL:
        return is_special_of_launch((enum ptx_special)operand->bits);
    case PTX_OP_INT:
    case PTX_OP_F32:
    case PTX_OP_F64:
    case PTX_OP_SYMBOL:
        return true;
    default:
        return false;
    }
}

/* Of a parameter by its name, where it is whole. */
static bool is_good_parameter(const struct ptx_builder *builder, const struct ptx_inst *inst,
                              const struct ptx_operand *address)
{
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    const struct ptx_symbol *symbol = address->symbol;
    if (address->kind != PTX_OP_ADDRESS || !symbol || modifiers.space != PTX_PARAM ||
        !ptx_is_kernel_param(ptx_build_function(builder), symbol))
        return false;
    uint64_t offset = symbol->address + (uint64_t)address->offset;
    uint64_t bytes = (uint64_t)ptx_type_size(modifiers.type) * modifiers.vector;
    uint64_t limit = builder->body->code.param_size;
    return bytes > 0 && offset % bytes == 0 && offset <= limit && bytes <= limit - offset;
}

/* Results are written nowhere else. */
static bool is_only_definition(const struct search *search, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OP_VECTOR) {
        for (unsigned i = 0; i < operand->element_count; i++)
            if (!is_only_definition(search, &operand->elements[i]))
                return false;
        return true;
    }
    if (operand->kind == PTX_OP_SINK)
        return true;
    return is_scalar(operand) && !operand->pair &&
           search->slots->definitions[ptx_slots_number(search->slots, operand->symbol, 0)] == 1;
}

/* addc and subc read the carry, and .cc writes it. */
static bool has_carry(const struct ptx_inst *inst)
{
    return inst->mods & PTX_MOD_CC || strcmp(inst->opcode, "addc") == 0 ||
           strcmp(inst->opcode, "subc") == 0 || strcmp(inst->opcode, "madc") == 0;
}

static bool may_run_once(const struct search *search, const struct ptx_inst *inst)
{
    if (inst->guard || inst->operand_count < 2 || !is_only_definition(search, &inst->operands[0]))
        return false;
    switch (inst->row->emitter) {
    case PTX_EMIT_LOAD:
        return is_good_parameter(search->builder, inst, &inst->operands[1]);
    case PTX_EMIT_ALU:
        if (has_carry(inst))
            return false;
        break;
    case PTX_EMIT_MOVE:
    case PTX_EMIT_CVTA:
        break;
    default:
        return false;
    }
    for (unsigned i = 1; i < inst->operand_count; i++)
        if (!is_known(search, &inst->operands[i]))
            return false;
    return true;
}

/* Gives a result its slot, behind those of all other registers. */
static void keep(struct search *search, const struct ptx_operand *operand)
{
    struct ptx_slots *slots = &search->builder->body->slots;
    if (operand->kind == PTX_OP_VECTOR)
        for (unsigned i = 0; i < operand->element_count; i++)
            keep(search, &operand->elements[i]);
    if (operand->kind != PTX_OP_REG)
        return;
    unsigned number = ptx_slots_number(slots, operand->symbol, 0);
    size_t size = ptx_slot_size((enum ptx_slot_class)slots->classes[number]);
    slots->offset[number] = (uint32_t)slots->size;
    slots->size += (size + PTX_SLOT_ALIGN - 1) & ~(size_t)(PTX_SLOT_ALIGN - 1);
    search->known[number] = true;
}

void ptx_once_find(struct ptx_builder *builder)
{
    const struct ptx_function *function = ptx_build_function(builder);
    const struct ptx_flow *flow = &builder->body->flow;
    struct search search = {.builder = builder, .slots = &builder->body->slots};
    if (!function->entry || sim_profile_on()) /* profiles count what each block executes */
        return;
    search.known = calloc(search.slots->count + 1, sizeof *search.known);
    builder->once = calloc(function->inst_count + 1, sizeof *builder->once);
    if (!search.known || !builder->once)
        ptx_build_no_memory(builder);
    for (unsigned i = 0; builder->result == PTX_OK && i < function->inst_count; i++) {
        bool reached = flow->blocks[flow->block_of[i]].order != ~0u;
        if (!reached || search.found == ONCE_MAX || !may_run_once(&search, &function->insts[i]))
            continue;
        builder->once[i] = true;
        keep(&search, &function->insts[i].operands[0]);
        search.found++;
    }
    free(search.known);
}

/* The ops of one kind become those that are built, and back. */
static void exchange(struct ptx_builder *builder)
{
    struct ptx_build_ops ops = builder->other_ops;
    builder->other_ops = (struct ptx_build_ops){builder->ops, builder->orders, builder->op_count,
                                                builder->op_capacity};
    builder->ops = ops.ops;
    builder->orders = ops.orders;
    builder->op_count = ops.count;
    builder->op_capacity = ops.capacity;
}

void ptx_once_emit(struct ptx_builder *builder, void (*emit)(struct ptx_builder *builder))
{
    exchange(builder);
    emit(builder);
    exchange(builder);
}
