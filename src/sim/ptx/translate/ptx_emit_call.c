/* Emits calls: arguments and results of direct, indirect and built-in calls. */
#include "ptx_build.h"
#include "ptx_emit.h"

/* The parts of a call: (results), target, (arguments), list of targets or prototype. */
struct parts {
    const struct ptx_operand *results, *what, *args, *targets;
};

static struct parts parse_call(const struct ptx_inst *inst)
{
    struct parts parts = {0};
    for (unsigned i = 0; i < inst->operand_count; i++) {
        const struct ptx_operand *operand = &inst->operands[i];
        if (operand->kind == PTX_OP_LIST)
            *(parts.what ? &parts.args : &parts.results) = operand;
        else if (!parts.what)
            parts.what = operand;
        else
            parts.targets = operand;
    }
    return parts;
}

/* The declaration with the types of arguments and results. */
static const struct ptx_function *signature(const struct parts *parts)
{
    const struct ptx_symbol *symbol = parts->what->symbol;
    if (parts->what->kind == PTX_OP_SYMBOL)
        return symbol->function;
    symbol = parts->targets ? parts->targets->symbol : NULL;
    if (symbol && symbol->kind == PTX_LABEL_LIST)
        symbol = symbol->label_count ? symbol->labels[0] : NULL;
    return symbol ? symbol->function : NULL;
}

static bool is_argument_variable(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OP_SYMBOL && operand->symbol->kind == PTX_VARIABLE &&
           operand->symbol->space == PTX_PARAM;
}

static void set_slot(struct ptx_formal *formal, uint32_t slot, enum ptx_type type)
{
    unsigned size = ptx_type_size(type);
    *formal = (struct ptx_formal){.slot = true,
                                  .offset = slot,
                                  .size = size,
                                  .width = (uint8_t)(type == PTX_PRED ? 0
                                                     : size < 2       ? 2
                                                                      : size)};
}

static void set_value(struct ptx_builder *builder, const struct ptx_operand *operand,
                      enum ptx_type type, bool result, struct ptx_formal *out_formal)
{
    if (is_argument_variable(operand)) {
        if (ptx_is_kernel_param(ptx_build_function(builder), operand->symbol))
            ptx_build_error(builder, "parameter %s of the kernel cannot be an argument or result",
                            operand->symbol->name);
        *out_formal = (struct ptx_formal){.offset = (uint32_t)operand->symbol->address,
                                          .size = (uint32_t)operand->symbol->size};
        return;
    }
    if (operand->kind == PTX_OP_REG && operand->symbol)
        type = operand->symbol->type;
    set_slot(out_formal,
             result ? ptx_build_destination(builder, operand, type)
                    : ptx_build_source(builder, operand, type),
             type);
}

static struct ptx_formal *set_values(struct ptx_builder *builder, const struct ptx_operand *list,
                                     const struct ptx_symbol *formals, bool results,
                                     unsigned *out_count)
{
    *out_count = list ? list->element_count : 0;
    struct ptx_formal *values =
        ptx_build_alloc(builder, (*out_count + 1) * sizeof(struct ptx_formal));
    for (unsigned i = 0; values && i < *out_count; i++) {
        enum ptx_type type = formals ? formals->type : PTX_B32;
        set_value(builder, &list->elements[i], type, results, &values[i]);
        formals = formals ? formals->next : NULL;
    }
    return values;
}

static unsigned length(const struct ptx_symbol *list)
{
    unsigned count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

static ptx_handler set_callee(struct ptx_builder *builder, const struct parts *parts,
                              struct ptx_call *call)
{
    const struct ptx_symbol *symbol = parts->what->symbol;
    if (parts->what->kind == PTX_OP_REG) {
        call->address = ptx_build_source(builder, parts->what, symbol->type);
        call->address_size = (uint8_t)ptx_type_size(symbol->type);
        return ptx_run_call_indirect;
    }
    const struct ptx_body *callee = ptx_program_find(builder->body->program, symbol);
    if (callee) {
        call->callee = &callee->code;
        return ptx_run_call;
    }
    call->builtin = ptx_builtin_find(symbol->name);
    if (!call->builtin)
        ptx_build_error(builder, "function %s is not defined", symbol->name);
    else if (call->builtin->param_count != call->arg_count)
        ptx_build_error(builder, "%s takes %u arguments", symbol->name, call->builtin->param_count);
    else if (call->result_count > 1)
        ptx_build_error(builder, "%s returns at most one result", symbol->name);
    return ptx_run_call_builtin;
}

void ptx_emit_call(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct parts parts = parse_call(inst);
    if (!parts.what || !parts.what->symbol ||
        (parts.what->kind != PTX_OP_REG && parts.what->symbol->kind != PTX_FUNCTION)) {
        ptx_build_error(builder, "the target of the call is not a function");
        return;
    }
    const struct ptx_function *function = signature(&parts);
    struct ptx_call *call = ptx_build_alloc(builder, sizeof *call);
    if (!call)
        return;
    call->args = set_values(builder, parts.args, function ? function->params : NULL, false,
                            &call->arg_count);
    call->results = set_values(builder, parts.results, function ? function->returns : NULL, true,
                               &call->result_count);
    if (function && (length(function->params) != call->arg_count ||
                     length(function->returns) != call->result_count))
        ptx_build_error(builder, "call of %s with %u arguments and %u results",
                        function->symbol ? function->symbol->name : "a function", call->arg_count,
                        call->result_count);
    ptx_handler handler = set_callee(builder, &parts, call);
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->extra = call;
}
