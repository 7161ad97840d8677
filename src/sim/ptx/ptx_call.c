/* Calls: how arguments and results travel between activations, calls by address,
 * and calls of functions that the driver defines. */
#include "ptx_builtin.h"
#include "ptx_checks.h"
#include "ptx_warp.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_WEIGHT = 16, BUILTIN_STRIDE = 64, RESULT_STRIDE = 16 };

/* Of one call instruction; the caller's side of each value is a formal of its own. */
struct call {
    const struct ptx_body *callee; /* NULL: by address, or a built-in */
    const struct ptx_builtin *builtin;
    uint32_t address; /* the slot */
    uint8_t address_size;
    unsigned arg_count, result_count;
    struct ptx_formal *args, *results;
};

/* ---- values between activations ------------------------------------------------------- */

struct side { /* one activation's memory */
    unsigned char *regs, *local;
    size_t stride;
    struct ptx_warp *checked; /* whose local memory it is, where accesses are checked */
};

static struct side side_of(struct ptx_warp *warp, const struct ptx_frame *frame)
{
    return (struct side){frame->regs, warp->local + frame->local_offset, warp->local_stride,
                         warp->shadow ? warp : NULL};
}

static bool is_mask(const struct ptx_formal *formal)
{
    return formal->slot && formal->width == 0;
}

static unsigned char *place_of(const struct side *side, const struct ptx_formal *formal,
                               unsigned lane)
{
    return formal->slot ? side->regs + formal->offset + lane * formal->width
                        : side->local + lane * side->stride + formal->offset;
}

static void copy_value(uint32_t lanes, const struct side *from, const struct ptx_formal *source,
                       const struct side *to, const struct ptx_formal *target)
{
    size_t size = source->size < target->size ? source->size : target->size;
    if (is_mask(source) && is_mask(target)) {
        uint32_t bits, old;
        memcpy(&bits, from->regs + source->offset, sizeof bits);
        memcpy(&old, to->regs + target->offset, sizeof old);
        bits = (bits & lanes) | (old & ~lanes);
        memcpy(to->regs + target->offset, &bits, sizeof bits);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned char *at = place_of(to, target, lane);
        memcpy(at, place_of(from, source, lane), size);
        if (to->checked && !target->slot)
            ptx_shadow_passed(to->checked, lane,
                              (uint64_t)(to->local - to->checked->local) + target->offset, size);
        if (target->slot && target->width > size)
            memset(at + size, 0, target->width - size);
    }
}

static void copy_values(uint32_t lanes, const struct side *from, const struct ptx_formal *sources,
                        const struct side *to, const struct ptx_formal *targets, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        copy_value(lanes, from, &sources[i], to, &targets[i]);
}

/* ---- handlers ------------------------------------------------------------------------------ */

static const struct ptx_op *enter(struct ptx_warp *warp, const struct ptx_op *op,
                                  const struct ptx_body *callee)
{
    const struct call *call = op->extra;
    if (warp->budget <= CALL_WEIGHT && warp->budget < ptx_wave_of(warp)->slice)
        return ptx_warp_yield(warp, op, false);
    warp->budget -= CALL_WEIGHT;
    struct side from = side_of(warp, warp->fragment->frame);
    const struct ptx_frame *frame = ptx_warp_enter(warp, op, &callee->code);
    if (!frame)
        return NULL;
    struct side to = side_of(warp, frame);
    copy_values(warp->mask, &from, call->args, &to, callee->params, call->arg_count);
    return callee->code.ops;
}

static const struct ptx_op *call_direct(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct call *call = op->extra;
    return enter(warp, op, call->callee);
}

static uint64_t address_of(const struct ptx_warp *warp, const struct call *call, unsigned lane)
{
    uint64_t address = 0;
    memcpy(&address, warp->regs + call->address + (size_t)lane * call->address_size,
           call->address_size);
    return address;
}

static bool fits(const struct call *call, const struct ptx_body *callee)
{
    return !callee->code.function->entry && callee->param_count == call->arg_count &&
           callee->return_count == call->result_count;
}

/* Lanes that call another function than the first one do so by themselves. */
static const struct ptx_op *call_indirect(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct call *call = op->extra;
    unsigned first = (unsigned)__builtin_ctz(warp->mask);
    uint64_t address = address_of(warp, call, first);
    uint32_t same = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        same |= (uint32_t)(address_of(warp, call, lane) == address) << lane;
    }
    const struct ptx_program *program = ptx_body_of(warp->fragment->frame->code)->program;
    const struct ptx_body *callee = ptx_program_at(program, address);
    if (!callee)
        return ptx_fault(warp, op, first, PTX_END_ILLEGAL_ADDRESS,
                         "call of 0x%llx, which is no function of the module",
                         (unsigned long long)address);
    if (!fits(call, callee))
        return ptx_fault(warp, op, first, PTX_END_ILLEGAL_INSTRUCTION,
                         "call of %s with %u arguments and %u results",
                         callee->code.function->symbol->name, call->arg_count, call->result_count);
    if (same != warp->mask) {
        ptx_warp_add(warp, warp->mask & ~same, op, warp->fragment->frame);
        ptx_warp_mask(warp, same);
    }
    return enter(warp, op, callee);
}

const struct ptx_op *ptx_return(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_frame *frame = warp->fragment->frame, *caller = frame->caller;
    (void)op;
    const struct ptx_op *back = frame->call;
    const struct call *call = back->extra;
    struct side from = side_of(warp, frame), to = side_of(warp, caller);
    copy_values(warp->mask, &from, ptx_body_of(frame->code)->returns, &to, call->results,
                call->result_count);
    ptx_warp_leave(warp);
    return warp->fragments ? ptx_warp_meet(warp, back + 1) : back + 1;
}

static const struct ptx_op *call_builtin(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct call *call = op->extra;
    unsigned char arguments[PTX_LANES * BUILTIN_STRIDE] = {0};
    unsigned char results[PTX_LANES * RESULT_STRIDE] = {0};
    struct side caller = side_of(warp, warp->fragment->frame);
    struct side packed = {NULL, arguments, BUILTIN_STRIDE, NULL};
    uint32_t offset = 0;
    for (unsigned i = 0; i < call->arg_count; i++) {
        uint32_t size = call->builtin->param_sizes[i];
        offset = (offset + size - 1) / size * size;
        struct ptx_formal formal = {.offset = offset, .size = size};
        copy_value(warp->mask, &caller, &call->args[i], &packed, &formal);
        offset += size;
    }
    if (!call->builtin->call(warp, op, arguments, BUILTIN_STRIDE,
                             call->result_count ? results : NULL, RESULT_STRIDE))
        return NULL;
    struct side result = {NULL, results, RESULT_STRIDE, NULL};
    struct ptx_formal formal = {.size = call->builtin->result_size};
    if (call->result_count > 0)
        copy_value(warp->mask, &result, &formal, &caller, &call->results[0]);
    return op + 1;
}

/* ---- translation ------------------------------------------------------------------- */

/* The parts of a call: (results), what, (arguments), list of targets or prototype. */
struct parts {
    const struct ptx_operand *results, *what, *args, *targets;
};

static struct parts take_apart(const struct ptx_inst *inst)
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

/* The declaration that says what is passed. */
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
            ptx_build_error(builder, "parameter %s of the kernel cannot be passed on",
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
                              struct call *call)
{
    const struct ptx_symbol *symbol = parts->what->symbol;
    if (parts->what->kind == PTX_OP_REG) {
        call->address = ptx_build_source(builder, parts->what, symbol->type);
        call->address_size = (uint8_t)ptx_type_size(symbol->type);
        return call_indirect;
    }
    call->callee = ptx_program_find(builder->body->program, symbol);
    if (call->callee)
        return call_direct;
    call->builtin = ptx_builtin_find(symbol->name);
    if (!call->builtin)
        ptx_build_error(builder, "function %s is not defined", symbol->name);
    else if (call->builtin->param_count != call->arg_count)
        ptx_build_error(builder, "%s takes %u arguments", symbol->name, call->builtin->param_count);
    else if (call->result_count > 1)
        ptx_build_error(builder, "%s returns at most one result", symbol->name);
    return call_builtin;
}

void ptx_build_call(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct parts parts = take_apart(inst);
    if (!parts.what || !parts.what->symbol ||
        (parts.what->kind != PTX_OP_REG && parts.what->symbol->kind != PTX_FUNCTION)) {
        ptx_build_error(builder, "call of what is no function");
        return;
    }
    const struct ptx_function *function = signature(&parts);
    struct call *call = ptx_build_alloc(builder, sizeof *call);
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
