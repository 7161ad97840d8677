/* How each op is executed in a region: by a function of the bitcode, by its handler, or not. */
#include "ptx_front.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "ptx_region.h"

void ptx_form_read(struct ptx_form *form, uint32_t offset, uint32_t size)
{
    if (size && form->read_count < PTX_REGION_SLOTS)
        form->reads[form->read_count++] = (struct wave_slot){WAVE_FRAME, offset, size};
}

void ptx_form_write(struct ptx_form *form, uint32_t offset, uint32_t size)
{
    if (size && form->write_count < PTX_REGION_SLOTS)
        form->writes[form->write_count++] = (struct wave_slot){WAVE_FRAME, offset, size};
}

/* ---- moves, special registers, addresses ------------------------------------------------------
 */

enum { MASK = 4, SLOT_2 = 64, SLOT_4 = 128, SLOT_8 = 256, SLOT_16 = 512, BY_OP = 1 };

struct simple {
    ptx_handler run;
    const char *function, *some;
    uint32_t d, a; /* bytes of slots; BY_OP: the op has them */
};

static const struct simple simples[] = {
#define SIMPLE(name, d, a) {ptx_run_##name, "ptx_wave_" #name, "ptx_wave_some_" #name, d, a},
    SIMPLE(move_2, SLOT_2, SLOT_2)        /**/
    SIMPLE(move_4, SLOT_4, SLOT_4)        /**/
    SIMPLE(move_8, SLOT_8, SLOT_8)        /**/
    SIMPLE(move_16, SLOT_16, SLOT_16)     /**/
    SIMPLE(move_mask, MASK, MASK)         /**/
    SIMPLE(resize, BY_OP, BY_OP)          /**/
    SIMPLE(narrow_8_4, SLOT_4, SLOT_8)    /**/
    SIMPLE(narrow_4_2, SLOT_2, SLOT_4)    /**/
    SIMPLE(local_address, BY_OP, 0)       /**/
    SIMPLE(special_tid, SLOT_4, 0)        /**/
    SIMPLE(special_lane, SLOT_4, 0)       /**/
    SIMPLE(special_4, SLOT_4, 0)          /**/
    SIMPLE(special_8, SLOT_8, 0)          /**/
    SIMPLE(special_block, SLOT_4, 0)      /**/
    SIMPLE(special_mask, MASK, 0)         /**/
    SIMPLE(shift_address, SLOT_8, SLOT_8) /**/
    SIMPLE(keep_address, SLOT_4, SLOT_4)  /**/
#undef SIMPLE
};

static bool reads_clock(const struct ptx_op *op)
{
    if (op->run != ptx_run_special_4 && op->run != ptx_run_special_8)
        return false;
    switch ((enum ptx_special)op->bits) {
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_CLOCK64:
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_GLOBALTIMER_LO:
    case PTX_SPECIAL_GLOBALTIMER_HI:
        return true;
    default:
        return false;
    }
}

static void put_op(const struct ptx_op *op, struct ptx_form *form)
{
    const uint64_t arguments[] = {op->d, op->a, op->b, op->c, op->e, op->mods, op->bits};
    for (unsigned i = 0; i < 7; i++)
        form->arguments[i] = arguments[i];
    form->argument_count = 7;
}

static bool form_simple(const struct ptx_op *op, bool some, struct ptx_form *form)
{
    const struct simple *simple = NULL;
    for (size_t i = 0; i < sizeof simples / sizeof *simples; i++)
        if (simples[i].run == op->run)
            simple = &simples[i];
    if (!simple)
        return false;
    uint32_t d = simple->d, a = simple->a;
    if (op->run == ptx_run_local_address)
        d = PTX_LANES * op->c;
    if (op->run == ptx_run_resize) {
        d = PTX_LANES * op->e;
        a = PTX_LANES * op->c;
    }
    ptx_form_read(form, op->a, a);
    ptx_form_write(form, op->d, d);
    if (reads_clock(op)) {
        form->kind = WAVE_HANDLER;
        form->plain = true;
        return !some;
    }
    form->kind = WAVE_EFFECT;
    form->copies = op->run == ptx_run_move_4;
    form->function = some ? simple->some : simple->function;
    put_op(op, form);
    return true;
}

/* ---- packing -------------------------------------------------------------------------------- */

struct packing {
    ptx_handler run;
    const char *function, *some;
    bool packs;
};

static const struct packing packings[] = {
#define PACKING(name, packs) {ptx_run_##name, "ptx_wave_" #name, "ptx_wave_some_" #name, packs},
    PACKING(pack, true)        /**/
    PACKING(pack_2x4, true)    /**/
    PACKING(pack_2x2, true)    /**/
    PACKING(unpack, false)     /**/
    PACKING(unpack_2x4, false) /**/
    PACKING(unpack_2x2, false) /**/
#undef PACKING
};

static bool form_packing(const struct ptx_op *op, bool some, struct ptx_form *form)
{
    const struct packing *packing = NULL;
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++)
        if (packings[i].run == op->run)
            packing = &packings[i];
    if (!packing)
        return false;
    const struct ptx_pieces *pieces = op->extra;
    uint32_t whole = PTX_LANES * pieces->count * pieces->size;
    if (packing->packs)
        ptx_form_write(form, op->d, whole);
    else
        ptx_form_read(form, op->a, whole);
    for (unsigned i = 0; i < pieces->count; i++)
        (packing->packs ? ptx_form_read : ptx_form_write)(form, pieces->slots[i],
                                                          PTX_LANES * pieces->width);
    const uint64_t arguments[] = {op->d,
                                  op->a,
                                  pieces->slots[0],
                                  pieces->slots[1],
                                  pieces->slots[2],
                                  pieces->count | pieces->size << 8 | pieces->width << 16,
                                  pieces->slots[3]};
    for (unsigned i = 0; i < 7; i++)
        form->arguments[i] = arguments[i];
    form->argument_count = 7;
    form->kind = WAVE_EFFECT;
    form->function = some ? packing->some : packing->function;
    return true;
}

/* ---- what handlers execute --------------------------------------------------------------------
 */

static bool form_fence(const struct ptx_op *op, struct ptx_form *form)
{
    if (op->run != ptx_run_fence_block && op->run != ptx_run_fence_device &&
        op->run != ptx_run_fence_acquire && op->run != ptx_run_fence_release)
        return false;
    form->kind = WAVE_HANDLER;
    form->plain = true;
    return true;
}

static bool form_atomic(const struct ptx_op *op, struct ptx_form *form)
{
    if (op->run != ptx_run_atomic)
        return false;
    const struct ptx_atomic *atomic = op->extra;
    uint32_t size = PTX_LANES * (atomic->width < 2 ? 2u : atomic->width);
    form->kind = WAVE_HANDLER;
    form->plain = true;
    if (atomic->access.address_size)
        ptx_form_read(form, atomic->access.base, PTX_LANES * atomic->access.address_size);
    for (unsigned i = 0; i < atomic->access.count; i++) {
        ptx_form_read(form, atomic->access.slots[i], size);
        if (atomic->returns)
            ptx_form_write(form, atomic->d[i], size);
    }
    ptx_form_read(form, atomic->c, atomic->c ? size : 0);
    return true;
}

/* Ops at which lanes may wait, part or end, or that go to another function. */
static bool leaves(const struct ptx_op *op)
{
    static const ptx_handler handlers[] = {
        ptx_run_jump,           ptx_run_jump_back, ptx_run_branch,         ptx_run_branch_back,
        ptx_run_branch_indexed, ptx_run_exit,      ptx_run_trap,           ptx_run_breakpoint,
        ptx_run_sleep,          ptx_run_missing,   ptx_run_call,           ptx_run_call_indirect,
        ptx_run_return,         ptx_run_barrier,   ptx_run_cluster_arrive, ptx_run_cluster_wait,
        ptx_run_guard,          ptx_run_unguard,   ptx_run_check,          ptx_run_call_builtin,
    };
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (handlers[i] == op->run)
            return true;
    return false;
}

bool ptx_form_is_access(const struct ptx_code *code, const struct ptx_op *op)
{
    unsigned emitter = code->function->insts[op->inst].row->emitter;
    return (emitter == PTX_EMIT_LOAD || emitter == PTX_EMIT_STORE) &&
           ptx_is_access_handler(op->run); /* which guards and changes of size are not */
}

bool ptx_form_is_parameter(const struct ptx_code *code, const struct ptx_op *op)
{
    if (code->function->insts[op->inst].row->emitter != PTX_EMIT_LOAD ||
        !ptx_form_is_access(code, op))
        return false;
    const struct ptx_access *access = op->extra;
    return access->space == PTX_PARAM && !access->address_size && access->count == 1;
}

/* Accesses that other threads may wait for, or that wait for them. */
static bool is_ordered(const struct ptx_op *op)
{
    return op->mods & (PTX_MOD_VOLATILE | PTX_MOD_RELAXED | PTX_MOD_ACQUIRE | PTX_MOD_RELEASE);
}

static void form_access(const struct ptx_code *code, const struct ptx_op *op,
                        enum ptx_wave_shape shape, struct ptx_form *form)
{
    enum { INLINED_OPS = 256 };
    ptx_form_access(op, shape, code->op_count > INLINED_OPS, form);
    if (is_ordered(op))
        form->arguments[PTX_ACCESS_HOW] |= PTX_ACCESS_ORDERED;
}

bool ptx_form_is_store(const struct ptx_code *code, const struct ptx_op *op)
{
    return ptx_form_is_access(code, op) && ((const struct ptx_access *)op->extra)->write;
}

bool ptx_form_loads_same(const struct ptx_code *code, const struct ptx_op *op)
{
    if (!ptx_form_is_access(code, op) || is_ordered(op) || !ptx_form_is_shaped(op))
        return false;
    const struct ptx_access *access = op->extra;
    return !access->write && access->widths[0] >= sizeof(uint32_t);
}

bool ptx_form_repeats(const struct ptx_code *code, const struct ptx_op *op)
{
    struct ptx_form form, alu = {0};
    if (!ptx_form_of(code, op, &form) || form.any || form.gathers)
        return false;
    if (ptx_form_is_access(code, op))
        return !is_ordered(op);
    return form.kind == WAVE_EFFECT || ptx_form_alu(code, op, false, &alu);
}

bool ptx_form_of(const struct ptx_code *code, const struct ptx_op *op, struct ptx_form *out_form)
{
    *out_form = (struct ptx_form){.kind = WAVE_EFFECT};
    if (op->run == ptx_run_join || op->run == ptx_run_region) {
        out_form->function = "ptx_wave_join";
        out_form->arguments[0] = op->e;
        out_form->argument_count = 1;
        return true;
    }
    if (leaves(op))
        return false;
    if (ptx_form_alu(code, op, false, out_form) || form_simple(op, false, out_form) ||
        form_packing(op, false, out_form))
        return true;
    if (ptx_form_is_access(code, op)) {
        form_access(code, op, PTX_WAVE_UNKNOWN, out_form);
        return true;
    }
    if (ptx_form_lanes(op, false, out_form) || form_atomic(op, out_form) ||
        form_fence(op, out_form))
        return true;
    *out_form = (struct ptx_form){.kind = WAVE_HANDLER, .any = true};
    return true;
}

void ptx_form_shape(const struct ptx_code *code, const struct ptx_op *op, enum ptx_wave_shape shape,
                    struct ptx_form *form)
{
    *form = (struct ptx_form){0};
    form_access(code, op, shape, form);
}

bool ptx_form_some(const struct ptx_code *code, const struct ptx_op *op, const struct ptx_op *guard,
                   struct ptx_form *out_form)
{
    *out_form = (struct ptx_form){.kind = WAVE_EFFECT};
    bool found = ptx_form_alu(code, op, true, out_form) || form_simple(op, true, out_form) ||
                 form_packing(op, true, out_form) || ptx_form_lanes(op, true, out_form);
    if (!found)
        return false;
    out_form->arguments[out_form->argument_count++] = guard ? guard->a : PTX_NO_GUARD;
    out_form->arguments[out_form->argument_count++] = guard ? guard->b : 0;
    if (guard)
        ptx_form_read(out_form, guard->a, MASK);
    for (unsigned i = 0; i < out_form->write_count; i++) /* what other lanes have remains */
        ptx_form_read(out_form, out_form->writes[i].offset, out_form->writes[i].size);
    return true;
}
