/* Calls: how arguments and results travel between activations, calls by address,
 * and calls of functions that the driver defines. */
#include "ptx_builtin.h"
#include "ptx_checks.h"
#include "ptx_jit.h"
#include "ptx_warp.h"

#include <string.h>

enum { CALL_WEIGHT = 16, BUILTIN_STRIDE = 64, RESULT_STRIDE = 16 };

/* ---- values between activations ------------------------------------------------------- */

struct side { /* one activation's memory */
    unsigned char *regs, *local;
    size_t stride; /* bytes of a lane in local */
    struct ptx_warp
        *warp; /* local is this warp's, from an offset on, and lies crosswise; or NULL */
    size_t offset;
};

static struct side side_of(struct ptx_warp *warp, const struct ptx_frame *frame)
{
    return (struct side){
        .regs = frame->regs, .local = warp->local, .warp = warp, .offset = frame->local_offset};
}

static bool is_mask(const struct ptx_formal *formal)
{
    return formal->slot && formal->width == 0;
}

/* Of a value's bytes from at on; *out_size: reduced to those that are contiguous. */
static unsigned char *place_of(const struct side *side, const struct ptx_formal *formal,
                               unsigned lane, size_t at, size_t *out_size)
{
    if (formal->slot)
        return side->regs + formal->offset + lane * formal->width + at;
    if (!side->warp)
        return side->local + lane * side->stride + formal->offset + at;
    size_t offset = side->offset + formal->offset + at;
    size_t left = PTX_LOCAL_UNIT - offset % PTX_LOCAL_UNIT;
    *out_size = left < *out_size ? left : *out_size;
    return side->local + ptx_local_place(lane, offset);
}

static void copy_lane(unsigned lane, const struct side *from, const struct ptx_formal *source,
                      const struct side *to, const struct ptx_formal *target, size_t size)
{
    for (size_t at = 0, piece; at < size; at += piece) {
        piece = size - at;
        const unsigned char *bytes = place_of(from, source, lane, at, &piece);
        unsigned char *place = place_of(to, target, lane, at, &piece);
        memcpy(place, bytes, piece);
    }
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
        copy_lane(lane, from, source, to, target, size);
        if (to->warp && to->warp->shadow && !target->slot)
            ptx_shadow_passed(to->warp, lane, to->offset + target->offset, size);
        if (target->slot && target->width > size)
            memset(to->regs + target->offset + lane * target->width + size, 0,
                   target->width - size);
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
                                  const struct ptx_code *callee)
{
    const struct ptx_call *call = op->extra;
    if (warp->budget <= CALL_WEIGHT && warp->budget < ptx_wave_of(warp)->slice)
        return ptx_warp_yield(warp, op, false);
    warp->budget -= CALL_WEIGHT;
    if (warp->mask == UINT32_MAX)
        ptx_jit_call(callee, warp->launch);
    struct side from = side_of(warp, warp->fragment->frame);
    const struct ptx_frame *frame = ptx_warp_enter(warp, op, callee);
    if (!frame)
        return NULL;
    struct side to = side_of(warp, frame);
    copy_values(warp->mask, &from, call->args, &to, callee->params, call->arg_count);
    return callee->ops;
}

const struct ptx_op *ptx_run_call(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_call *call = op->extra;
    return enter(warp, op, call->callee);
}

static uint64_t address_of(const struct ptx_warp *warp, const struct ptx_call *call, unsigned lane)
{
    uint64_t address = 0;
    memcpy(&address, warp->regs + call->address + (size_t)lane * call->address_size,
           call->address_size);
    return address;
}

static bool fits(const struct ptx_call *call, const struct ptx_code *callee)
{
    return !callee->function->entry && callee->param_count == call->arg_count &&
           callee->return_count == call->result_count;
}

/* NULL: no function of the module has the address. */
static const struct ptx_code *function_at(const struct ptx_code_table *table, uint64_t address)
{
    uint64_t offset = address - table->first_address;
    if (offset % PTX_FUNCTION_STEP || offset / PTX_FUNCTION_STEP >= table->count)
        return NULL;
    return table->codes[offset / PTX_FUNCTION_STEP];
}

/* Lanes that call another function than the first one do so by themselves. */
const struct ptx_op *ptx_run_call_indirect(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_call *call = op->extra;
    unsigned first = (unsigned)__builtin_ctz(warp->mask);
    uint64_t address = address_of(warp, call, first);
    uint32_t same = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        same |= (uint32_t)(address_of(warp, call, lane) == address) << lane;
    }
    const struct ptx_code *callee = function_at(warp->fragment->frame->code->table, address);
    if (!callee)
        return ptx_fault(warp, op, first, PTX_END_ILLEGAL_ADDRESS,
                         "call of 0x%llx, which is not a function of the module",
                         (unsigned long long)address);
    if (!fits(call, callee))
        return ptx_fault(warp, op, first, PTX_END_ILLEGAL_INSTRUCTION,
                         "call of %s with %u arguments and %u results",
                         callee->function->symbol->name, call->arg_count, call->result_count);
    if (same != warp->mask) {
        ptx_warp_add(warp, warp->mask & ~same, op, warp->fragment->frame);
        ptx_warp_mask(warp, same);
    }
    return enter(warp, op, callee);
}

const struct ptx_op *ptx_run_return(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_frame *frame = warp->fragment->frame, *caller = frame->caller;
    (void)op;
    const struct ptx_op *back = frame->call;
    const struct ptx_call *call = back->extra;
    struct side from = side_of(warp, frame), to = side_of(warp, caller);
    copy_values(warp->mask, &from, frame->code->returns, &to, call->results, call->result_count);
    ptx_warp_return(warp);
    return warp->fragments ? ptx_warp_reconverge(warp, back + 1) : back + 1;
}

const struct ptx_op *ptx_run_call_builtin(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_call *call = op->extra;
    unsigned char arguments[PTX_LANES * BUILTIN_STRIDE] = {0};
    unsigned char results[PTX_LANES * RESULT_STRIDE] = {0};
    struct side caller = side_of(warp, warp->fragment->frame);
    struct side packed = {.local = arguments, .stride = BUILTIN_STRIDE};
    uint32_t offset = 0;
    for (unsigned i = 0; i < call->arg_count; i++) {
        uint32_t size = call->builtin->param_sizes[i];
        offset = (offset + size - 1) / size * size;
        struct ptx_formal formal = {.offset = offset, .size = size};
        copy_value(warp->mask, &caller, &call->args[i], &packed, &formal);
        offset += size;
    }
    if (!ptx_builtin_call(call->builtin, warp, op, arguments, BUILTIN_STRIDE,
                          call->result_count ? results : NULL, RESULT_STRIDE))
        return NULL;
    struct side result = {.local = results, .stride = RESULT_STRIDE};
    struct ptx_formal formal = {.size = call->builtin->result_size};
    if (call->result_count > 0)
        copy_value(warp->mask, &result, &formal, &caller, &call->results[0]);
    return op + 1;
}
