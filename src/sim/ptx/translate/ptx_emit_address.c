/* Addresses of instructions: their space and base; emits the instructions that convert and test
 * addresses. */
#include "ptx_build.h"
#include "ptx_emit.h"

#include <string.h>

static const struct {
    const char *name;
    enum ptx_space space;
} spaces[] = {
    {"global", PTX_GLOBAL},      {"const", PTX_CONST},        {"shared", PTX_SHARED},
    {"shared::cta", PTX_SHARED}, {"local", PTX_LOCAL},        {"shared::cluster", PTX_SHARED},
    {"param", PTX_PARAM},        {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM},
};

static enum ptx_type type_of_name(const char *name)
{
    for (int type = PTX_NOTYPE + 1; type < PTX_TYPE_COUNT; type++)
        if (strcmp(ptx_type_name((enum ptx_type)type), name) == 0)
            return (enum ptx_type)type;
    return PTX_NOTYPE;
}

static void modifier_read(const char *modifier, struct ptx_access_modifiers *modifiers)
{
    enum ptx_type type = type_of_name(modifier);
    if (type != PTX_NOTYPE)
        modifiers->type = type;
    else if (modifier[0] == 'v' && strchr("248", modifier[1]) && modifier[1] && !modifier[2])
        modifiers->vector = (unsigned)(modifier[1] - '0');
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(spaces[i].name, modifier) == 0)
            modifiers->space = spaces[i].space;
    modifiers->entry |= strcmp(modifier, "param::entry") == 0;
    modifiers->func |= strcmp(modifier, "param::func") == 0;
}

void ptx_access_modifiers_read(const struct ptx_inst *inst,
                               struct ptx_access_modifiers *out_modifiers)
{
    *out_modifiers =
        (struct ptx_access_modifiers){.space = PTX_GENERIC, .vector = 1, .line = inst->line};
    for (unsigned i = 0; i < inst->modifier_count; i++)
        modifier_read(inst->modifiers[i], out_modifiers);
}

bool ptx_inst_has(const struct ptx_inst *inst, const char *modifier)
{
    for (unsigned i = 0; i < inst->modifier_count; i++)
        if (strcmp(inst->modifiers[i], modifier) == 0)
            return true;
    return false;
}

static bool is_launch_parameter(const struct ptx_function *function,
                                const struct ptx_symbol *symbol)
{
    if (!function->entry)
        return false;
    for (const struct ptx_symbol *param = function->params; param; param = param->next)
        if (param == symbol)
            return true;
    return false;
}

/* A .param address is in the launch's parameters if it names a parameter of a kernel, or if it is
 * in a register and the instruction (or else the kind of the function) says that it is. */
static void place_param(struct ptx_access *access, const struct ptx_function *function,
                        const struct ptx_access_modifiers *modifiers)
{
    bool launch = access->symbol ? is_launch_parameter(function, access->symbol)
                                 : modifiers->entry || (function->entry && !modifiers->func);
    access->space = launch ? PTX_PARAM : PTX_LOCAL;
}

static void place_symbol(const struct ptx_builder *builder, struct ptx_access *access,
                         const struct ptx_symbol *symbol)
{
    access->symbol = ptx_build_symbol(builder, symbol);
    if (access->space == PTX_GENERIC) { /* a variable has a space */
        access->space = symbol->space;
        access->named = symbol->space;
    }
}

struct ptx_access *ptx_access_create(struct ptx_builder *builder, const struct ptx_operand *address,
                                     const struct ptx_access_modifiers *modifiers, bool write)
{
    struct ptx_access *access = ptx_build_alloc(builder, sizeof *access);
    if (!access)
        return NULL;
    access->space = access->named = modifiers->space;
    access->write = write;
    access->line = modifiers->line;
    access->size = (uint8_t)ptx_type_size(modifiers->type);
    access->count = (uint8_t)modifiers->vector;
    access->bytes = (uint8_t)(access->size * access->count);
    access->sign = modifiers->type >= PTX_S8 && modifiers->type <= PTX_S64;
    access->offset = address->offset;
    const struct ptx_symbol *symbol = address->symbol;
    if (symbol && symbol->kind == PTX_REGISTER) {
        struct ptx_operand base = *address;
        base.kind = PTX_OP_REG;
        access->address_size = (uint8_t)ptx_type_size(symbol->type);
        if (access->address_size != 4 && access->address_size != 8)
            ptx_build_error(builder, "register %s is not an address", symbol->name);
        access->base = ptx_build_source(builder, &base, symbol->type);
    } else if (symbol) {
        place_symbol(builder, access, symbol);
    } else {
        access->offset += (int64_t)address->bits;
    }
    if (access->space == PTX_PARAM)
        place_param(access, ptx_build_function(builder), modifiers);
    if (access->space == PTX_CONST)
        access->space = PTX_GLOBAL;
    access->frame = access->space == PTX_LOCAL && access->symbol;
    return access;
}

struct ptx_operand ptx_vector_element(const struct ptx_operand *operand, unsigned index)
{
    if (operand->kind == PTX_OP_VECTOR)
        return operand->elements[index];
    struct ptx_operand element = *operand;
    if (operand->kind == PTX_OP_REG && operand->symbol->vector > 1) {
        element.kind = PTX_OP_COMPONENT;
        element.component = (uint8_t)index;
    }
    return element;
}

struct ptx_op *ptx_access_op(struct ptx_builder *builder, ptx_handler handler,
                             const struct ptx_access *access)
{
    ptx_emit_checks(builder, access);
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->extra = access;
    return op;
}

void ptx_emit_cvta(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    enum ptx_space space = modifiers.space;
    const struct ptx_function *function = ptx_build_function(builder);
    if (space == PTX_PARAM && !modifiers.entry && !function->entry)
        space = PTX_LOCAL; /* a function's parameters whose address is taken are in local memory */
    if (modifiers.type == PTX_U32 && ptx_window_of(space))
        ptx_build_error(builder, "a 32-bit generic address cannot reach this space");
    uint32_t source = ptx_build_source(builder, &inst->operands[1], modifiers.type);
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], modifiers.type);
    struct ptx_op *op = ptx_build_op(builder, modifiers.type == PTX_U32 ? ptx_run_keep_address
                                                                        : ptx_run_shift_address);
    op->d = d;
    op->a = source;
    op->bits = ptx_window_of(space);
    if (ptx_inst_has(inst, "to"))
        op->bits = -op->bits;
    ptx_build_finish(builder, &inst->operands[0], modifiers.type, d);
}

void ptx_emit_isspacep(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    uint32_t a = ptx_build_source(builder, &inst->operands[1], PTX_U64);
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], PTX_PRED);
    struct ptx_op *op = ptx_build_op(builder, ptx_run_is_in_space);
    op->d = d;
    op->a = a;
    op->bits = modifiers.space;
    ptx_build_finish(builder, &inst->operands[0], PTX_PRED, d);
}

void ptx_emit_count_access(struct ptx_builder *builder, const struct ptx_access *access)
{
    bool constant = access->named == PTX_CONST || access->named == PTX_PARAM;
    if (sim_profile_on() && access->bytes > 0 && !constant)
        ptx_build_op(builder, ptx_run_count_access)->extra = access;
}

void ptx_emit_checks(struct ptx_builder *builder, const struct ptx_access *access)
{
    ptx_emit_count_access(builder, access);
    if (!ptx_checks_on() || access->space == PTX_PARAM || access->bytes == 0)
        return;
    struct ptx_op *op = ptx_build_op(builder, ptx_run_check);
    op->extra = access;
}
