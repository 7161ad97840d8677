/* Facts about slots, forwards over the ops of a function until nothing changes. */
#include "ptx_facts.h"
#include "ptx_alu.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "ptx_parts.h"
#include "ptx_region.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERED_BY = 4, FACTS_MAX = 1 << 20 };

struct slot {
    uint32_t offset, size;
    bool fixed;  /* written by no op but those that run once */
    bool needed; /* an address, or a branch's predicate, that is known depends on it */
};

struct ptx_facts {
    const struct ptx_code *code;
    const struct ptx_parts *parts;
    uint32_t block[3];
    uint32_t *numbers; /* of the slot at offset / NUMBERED_BY, plus one */
    struct slot *slots;
    uint32_t slot_count, slot_capacity;
    uint32_t *leaders; /* of each op that begins a straight line: its number plus one */
    uint32_t leader_count;
    struct ptx_fact *at; /* by leader and slot */
    bool *reached;       /* by leader */
    uint8_t *shapes;     /* of each op */
    bool *uniform;       /* of each branch: its predicate is the same in all lanes */
    bool *spread;        /* of each load: all lanes have what it loads from one place */
};

static const struct ptx_fact unknown = {0};
static const struct ptx_fact uniform = {.group = PTX_LANES};

/* ---- slots -------------------------------------------------------------------------------------
 */

static struct slot *slot_at(const struct ptx_facts *facts, uint32_t offset)
{
    uint32_t number = facts->numbers[offset / NUMBERED_BY];
    return number ? &facts->slots[number - 1] : NULL;
}

static bool add_slot(struct ptx_facts *facts, const struct wave_slot *slot, bool written)
{
    uint32_t *number = &facts->numbers[slot->offset / NUMBERED_BY];
    if (*number == 0) {
        if (facts->slot_count == facts->slot_capacity) {
            uint32_t capacity = 2 * facts->slot_capacity + 64;
            struct slot *slots = realloc(facts->slots, capacity * sizeof *slots);
            if (!slots)
                return false;
            facts->slots = slots;
            facts->slot_capacity = capacity;
        }
        facts->slots[facts->slot_count++] =
            (struct slot){.offset = slot->offset, .size = slot->size, .fixed = true};
        *number = facts->slot_count;
    }
    if (written)
        facts->slots[*number - 1].fixed = false;
    return true;
}

/* Barriers write nothing that is an address; what else has no form may write everything. */
static bool form_of(const struct ptx_facts *facts, const struct ptx_op *op, struct ptx_form *form)
{
    *form = (struct ptx_form){0};
    if (op->run == ptx_run_branch || op->run == ptx_run_branch_back ||
        op->run == ptx_run_branch_indexed || op->run == ptx_run_jump ||
        op->run == ptx_run_jump_back || op->run == ptx_run_guard || op->run == ptx_run_unguard ||
        op->run == ptx_run_exit)
        return true;
    if (op->run == ptx_run_barrier) {
        const struct ptx_barrier_op *barrier = op->extra;
        if (barrier->action == PTX_BAR_POPC)
            ptx_form_write(form, barrier->result, PTX_LANES * sizeof(uint32_t));
        else if (barrier->action == PTX_BAR_AND || barrier->action == PTX_BAR_OR)
            ptx_form_write(form, barrier->result, sizeof(uint32_t));
        return true;
    }
    return ptx_form_of(facts->code, op, form) && !form->any;
}

static bool number_slots(struct ptx_facts *facts, const struct ptx_op *op, bool once)
{
    struct ptx_form form;
    if (!form_of(facts, op, &form))
        return true;
    for (unsigned s = 0; s < form.read_count; s++)
        if (!add_slot(facts, &form.reads[s], false))
            return false;
    for (unsigned s = 0; s < form.write_count; s++)
        if (!add_slot(facts, &form.writes[s], !once))
            return false;
    return true;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static bool equal(const struct ptx_fact *a, const struct ptx_fact *b)
{
    return a->group == b->group && a->wraps == b->wraps && a->constant == b->constant &&
           a->step == b->step && a->value == b->value;
}

static struct ptx_fact meet(const struct ptx_fact *a, const struct ptx_fact *b)
{
    struct ptx_fact both = *a;
    if (a->group == 0 || b->group == 0 || a->step != b->step)
        return unknown;
    both.group = a->group < b->group ? a->group : b->group;
    both.wraps = a->wraps || b->wraps;
    both.constant = a->constant && b->constant && a->value == b->value;
    both.value = both.constant ? a->value : 0;
    return both;
}

static uint64_t truncated(uint64_t value, unsigned bytes)
{
    return bytes < 8 ? value & ((UINT64_C(1) << (8 * bytes)) - 1) : value;
}

/* Steps are small: values of a warp then wrap at one lane at most. */
static struct ptx_fact row(unsigned group, int64_t step, bool wraps)
{
    enum { STEP_MAX = 1 << 20 };
    if (group == 0 || step > STEP_MAX || step < -STEP_MAX)
        return unknown;
    return (struct ptx_fact){.group = (uint8_t)group, .step = step, .wraps = wraps};
}

static unsigned least(const struct ptx_fact *a, const struct ptx_fact *b)
{
    return a->group < b->group ? a->group : b->group;
}

static struct ptx_fact add(const struct ptx_fact *a, const struct ptx_fact *b, int sign,
                           unsigned bytes)
{
    if (a->constant && b->constant)
        return (struct ptx_fact){
            .group = PTX_LANES,
            .constant = true,
            .value = truncated(sign > 0 ? a->value + b->value : a->value - b->value, bytes)};
    if (a->wraps && b->wraps)
        return unknown;
    return row(least(a, b), a->step + sign * b->step,
               a->wraps || b->wraps || (bytes < 8 && (a->step || b->step)));
}

/* wide: the product has twice as many bytes as the factors, which are signed or not. */
static struct ptx_fact multiply(const struct ptx_fact *a, const struct ptx_fact *b, unsigned bytes,
                                bool wide, bool is_signed)
{
    if (a->step == 0 && b->step != 0)
        return multiply(b, a, bytes, wide, is_signed);
    if (a->constant && b->constant) {
        bool extends = wide && is_signed;
        uint64_t x = extends ? (uint64_t)(int64_t)(int32_t)a->value : a->value;
        uint64_t y = extends ? (uint64_t)(int64_t)(int32_t)b->value : b->value;
        return (struct ptx_fact){
            .group = PTX_LANES, .constant = true, .value = truncated(x * y, wide ? 8 : bytes)};
    }
    if (a->step == 0)
        return row(least(a, b), 0, a->wraps || b->wraps);
    if (b->step != 0 || !b->constant)
        return unknown;
    uint64_t factor = b->value;
    int64_t times = bytes == 4 ? (int32_t)factor : (int64_t)factor;
    if (times > 4096 || times < -4096)
        return unknown;
    return row(least(a, b), a->step * times, a->wraps || (bytes < 8 && a->step));
}

/* Any function of values that are the same. */
static struct ptx_fact of_same(const struct ptx_fact *sources, unsigned count)
{
    unsigned group = PTX_LANES;
    for (unsigned i = 0; i < count; i++) {
        if (sources[i].group == 0 || sources[i].step != 0 || sources[i].wraps)
            return unknown;
        group = sources[i].group < group ? sources[i].group : group;
    }
    return row(group, 0, false);
}

/* ---- effects of ops ----------------------------------------------------------------------------
 */

static struct ptx_fact fact_of(const struct ptx_facts *facts, const struct ptx_fact *state,
                               uint32_t offset)
{
    uint32_t number = facts->numbers[offset / NUMBERED_BY];
    return number ? state[number - 1] : unknown;
}

static bool reads_carry(const struct ptx_inst *inst)
{
    return strcmp(inst->opcode, "addc") == 0 || strcmp(inst->opcode, "subc") == 0 ||
           strcmp(inst->opcode, "madc") == 0;
}

static struct ptx_fact of_arithmetic(const struct ptx_facts *facts, const struct ptx_op *op,
                                     const struct ptx_fact *state, const struct ptx_form *form)
{
    struct ptx_fact sources[PTX_REGION_SLOTS];
    for (unsigned i = 0; i < form->read_count; i++)
        sources[i] = fact_of(facts, state, form->reads[i].offset);
    const struct ptx_fact *a = &sources[0], *b = &sources[1], *c = &sources[2];
    struct ptx_fact product;
    if (reads_carry(&facts->code->function->insts[op->inst]))
        return unknown;
    switch (facts->code->function->insts[op->inst].row->alu) {
    case PTX_ALU_add_32:
        return add(a, b, 1, 4);
    case PTX_ALU_add_64:
        return add(a, b, 1, 8);
    case PTX_ALU_sub_32:
        return add(a, b, -1, 4);
    case PTX_ALU_sub_64:
        return add(a, b, -1, 8);
    case PTX_ALU_mul_lo_32:
        return multiply(a, b, 4, false, false);
    case PTX_ALU_mul_lo_64:
        return multiply(a, b, 8, false, false);
    case PTX_ALU_mad_lo_32:
        product = multiply(a, b, 4, false, false);
        return add(&product, c, 1, 4);
    case PTX_ALU_mad_lo_64:
        product = multiply(a, b, 8, false, false);
        return add(&product, c, 1, 8);
    case PTX_ALU_mul_wide_u32:
    case PTX_ALU_mul_wide_s32:
        return multiply(a, b, 4, true,
                        facts->code->function->insts[op->inst].row->alu == PTX_ALU_mul_wide_s32);
    case PTX_ALU_mad_wide_u32:
    case PTX_ALU_mad_wide_s32:
        product = multiply(a, b, 4, true,
                           facts->code->function->insts[op->inst].row->alu == PTX_ALU_mad_wide_s32);
        return add(&product, c, 1, 8);
    case PTX_ALU_shl_b32:
    case PTX_ALU_shl_b64:
        if (a->group && a->step != 0 && b->constant && b->value < 12)
            return row(a->group, a->step * (INT64_C(1) << b->value),
                       a->wraps || form->writes[0].size == 128);
        break;
    case PTX_ALU_cvt_u64_u32:
    case PTX_ALU_cvt_s64_s32:
        if (!a->constant)
            return *a;
        break;
    default:
        break;
    }
    return of_same(sources, form->read_count);
}

static struct ptx_fact of_special(const struct ptx_facts *facts, const struct ptx_op *op)
{
    uint32_t x = facts->block[0];
    if (op->run == ptx_run_special_lane)
        return op->bits == PTX_SPECIAL_LANEID ? row(PTX_LANES, 1, false) : unknown;
    if (op->run != ptx_run_special_tid)
        return uniform;
    bool halves = x == PTX_LANES / 2;
    if (x % PTX_LANES && !halves)
        return unknown;
    unsigned group = halves ? PTX_LANES / 2 : PTX_LANES;
    return row(group, op->bits == PTX_SPECIAL_TID_X ? 1 : 0, false);
}

static bool is_special(const struct ptx_op *op)
{
    return op->run == ptx_run_special_tid || op->run == ptx_run_special_lane ||
           op->run == ptx_run_special_4 || op->run == ptx_run_special_8 ||
           op->run == ptx_run_special_block;
}

static enum ptx_wave_shape shape_of(const struct ptx_access *access, const struct ptx_fact *base)
{
    if (base->group == 0 || (base->step == 0 && base->wraps))
        return PTX_WAVE_UNKNOWN;
    bool all = base->group == PTX_LANES;
    if (base->step == 0)
        return all ? PTX_WAVE_ALL_SAME : PTX_WAVE_HALVES_SAME;
    if (base->step == access->bytes)
        return all ? PTX_WAVE_ALL_ROW : PTX_WAVE_HALVES_ROW;
    return PTX_WAVE_UNKNOWN;
}

/* What all lanes load from one place. */
static bool loads_same(const struct ptx_facts *facts, const struct ptx_op *op,
                       const struct ptx_fact *state)
{
    if (!ptx_form_loads_same(facts->code, op))
        return false;
    const struct ptx_access *access = op->extra;
    if (!access->address_size)
        return true;
    struct ptx_fact base = fact_of(facts, state, access->base);
    return shape_of(access, &base) == PTX_WAVE_ALL_SAME;
}

/* What the first slot that an op writes has then, or all slots that a load writes. */
static struct ptx_fact result_of(const struct ptx_facts *facts, const struct ptx_op *op,
                                 const struct ptx_fact *state, const struct ptx_form *form)
{
    if (loads_same(facts, op, state))
        return uniform;
    if (form->kind != WAVE_EFFECT)
        return unknown;
    if (is_special(op))
        return of_special(facts, op);
    if (op->run == ptx_run_move_4 || op->run == ptx_run_move_8 || op->run == ptx_run_move_mask)
        return fact_of(facts, state, op->a);
    if (op->run == ptx_run_shift_address) {
        struct ptx_fact a = fact_of(facts, state, op->a);
        a.value += op->bits;
        return a;
    }
    struct ptx_form alu = {0};
    if (ptx_form_alu(facts->code, op, false, &alu))
        return of_arithmetic(facts, op, state, form);
    return unknown;
}

/* A predicate is the same in all lanes, or nothing is known of it. */
static struct ptx_fact of_slot(const struct wave_slot *slot, const struct ptx_fact *result)
{
    if (slot->size == sizeof(uint32_t))
        return result->group == PTX_LANES && !result->step && !result->wraps ? uniform : unknown;
    return slot->size >= 128 && slot->size <= 256 ? *result : unknown;
}

/* state becomes what is known behind the op. kept: some lanes may keep what they have. */
static void apply(const struct ptx_facts *facts, const struct ptx_op *op, bool kept,
                  struct ptx_fact *state)
{
    struct ptx_form form;
    if (!form_of(facts, op, &form)) {
        for (uint32_t s = 0; s < facts->slot_count; s++)
            if (!facts->slots[s].fixed)
                state[s] = unknown;
        return;
    }
    struct ptx_fact result = kept ? unknown : result_of(facts, op, state, &form);
    bool all = form.kind != WAVE_EFFECT;
    for (unsigned s = 0; s < form.write_count; s++)
        state[facts->numbers[form.writes[s].offset / NUMBERED_BY] - 1] =
            s == 0 || all ? of_slot(&form.writes[s], &result) : unknown;
}

static void apply_once(const struct ptx_facts *facts, const struct ptx_op *op,
                       struct ptx_fact *state)
{
    struct ptx_form form;
    apply(facts, op, false, state);
    if (ptx_form_is_parameter(facts->code, op) && form_of(facts, op, &form))
        state[facts->numbers[form.writes[0].offset / NUMBERED_BY] - 1] =
            of_slot(&form.writes[0], &uniform);
}

static bool is_kept(const struct ptx_facts *facts, const struct ptx_op *op)
{
    struct ptx_form form;
    return facts->parts && form_of(facts, op, &form) && ptx_parts_keeps(facts->parts, op, &form);
}

/* ---- ways
 * ---------------------------------------------------------------------------------------- */

static void lead(struct ptx_facts *facts, const struct ptx_op *op)
{
    uint32_t *leader = &facts->leaders[op - facts->code->ops];
    if (*leader == 0)
        *leader = ++facts->leader_count;
}

static void find_leaders(struct ptx_facts *facts)
{
    const struct ptx_code *code = facts->code;
    lead(facts, code->ops);
    for (uint32_t i = 0; i < code->op_count; i++) {
        const struct ptx_op *op = &code->ops[i];
        if (op->run == ptx_run_join || op->run == ptx_run_region)
            lead(facts, op);
        if (op->run == ptx_run_jump || op->run == ptx_run_jump_back || op->run == ptx_run_branch ||
            op->run == ptx_run_branch_back) {
            lead(facts, op->target);
            if (i + 1 < code->op_count)
                lead(facts, op + 1);
        }
        if (op->run == ptx_run_branch_indexed) {
            const struct ptx_targets *targets = op->extra;
            for (unsigned t = 0; t < targets->count; t++)
                lead(facts, targets->ops[t]);
        }
    }
}

static bool come(struct ptx_facts *facts, const struct ptx_op *op, const struct ptx_fact *state)
{
    uint32_t leader = facts->leaders[op - facts->code->ops] - 1;
    struct ptx_fact *at = facts->at + (size_t)leader * facts->slot_count;
    bool changed = !facts->reached[leader];
    for (uint32_t s = 0; s < facts->slot_count; s++) {
        struct ptx_fact both = facts->reached[leader] ? meet(&at[s], &state[s]) : state[s];
        if (facts->reached[leader] && !equal(&both, &at[s]))
            changed = true;
        at[s] = both;
    }
    facts->reached[leader] = true;
    return changed;
}

/* The same, and to where lanes that wait further behind may go on. */
static bool go(struct ptx_facts *facts, const struct ptx_op *from, const struct ptx_op *to,
               const struct ptx_fact *state)
{
    bool changed = come(facts, to, state);
    uint32_t line = facts->parts ? ptx_parts_line(facts->parts, to) : PTX_NO_LINE;
    if (line == PTX_NO_LINE)
        return changed;
    for (uint32_t k = ptx_parts_next(facts->parts, from, 0); k < line;
         k = ptx_parts_next(facts->parts, from, k + 1))
        changed |= come(facts, ptx_parts_begin(facts->parts, k), state);
    return changed;
}

static bool is_access(const struct ptx_facts *facts, const struct ptx_op *op)
{
    struct ptx_form form;
    return form_of(facts, op, &form) && ptx_form_is_access(facts->code, op);
}

static void note_shape(struct ptx_facts *facts, const struct ptx_op *op,
                       const struct ptx_fact *state, bool kept)
{
    if ((op->run == ptx_run_branch || op->run == ptx_run_branch_back) &&
        fact_of(facts, state, op->a).group == PTX_LANES) {
        facts->uniform[op - facts->code->ops] = true;
        slot_at(facts, op->a)->needed = true;
    }
    if (!is_access(facts, op))
        return;
    const struct ptx_access *access = op->extra;
    facts->spread[op - facts->code->ops] = !kept && loads_same(facts, op, state);
    if (!access->address_size)
        return;
    struct ptx_fact base = fact_of(facts, state, access->base);
    enum ptx_wave_shape shape = shape_of(access, &base);
    facts->shapes[op - facts->code->ops] = (uint8_t)shape;
    if (shape != PTX_WAVE_UNKNOWN)
        slot_at(facts, access->base)->needed = true;
}

/* From a leader to the next one; returns whether something has changed there. */
static bool walk(struct ptx_facts *facts, const struct ptx_op *op, struct ptx_fact *state,
                 bool note)
{
    const struct ptx_op *first = op, *end = facts->code->ops + facts->code->op_count;
    bool guarded = false, changed = false;
    for (; op < end && (op == first || !facts->leaders[op - facts->code->ops]); op++) {
        if (op->run == ptx_run_guard || op->run == ptx_run_unguard)
            guarded = op->run == ptx_run_guard;
        bool kept = guarded || is_kept(facts, op);
        if (note)
            note_shape(facts, op, state, kept);
        if (op->run == ptx_run_jump || op->run == ptx_run_jump_back)
            return go(facts, op, op->target, state);
        if (op->run == ptx_run_exit)
            return false;
        if (op->run == ptx_run_branch || op->run == ptx_run_branch_back)
            changed |= go(facts, op, op->target, state);
        if (op->run == ptx_run_branch_indexed) {
            const struct ptx_targets *targets = op->extra;
            for (unsigned t = 0; t < targets->count; t++)
                changed |= go(facts, op, targets->ops[t], state);
            return changed;
        }
        apply(facts, op, kept, state);
    }
    return op < end ? go(facts, op - 1, op, state) || changed : changed;
}

static bool solve(struct ptx_facts *facts)
{
    enum { ROUNDS_MAX = 32 };
    const struct ptx_code *code = facts->code;
    struct ptx_fact *state = calloc(facts->slot_count + 1, sizeof *state);
    if (!state)
        return false;
    for (uint32_t s = 0; s < facts->slot_count; s++) {
        const struct slot *slot = &facts->slots[s];
        bool constant = slot->fixed && slot->offset >= code->constants_offset && slot->size >= 64 &&
                        slot->size <= 256;
        if (!constant)
            continue;
        state[s] = (struct ptx_fact){.group = PTX_LANES, .constant = true};
        memcpy(&state[s].value, code->constants + slot->offset - code->constants_offset,
               slot->size / PTX_LANES);
    }
    for (const struct ptx_op *op = code->once; op && op->run; op++)
        apply_once(facts, op, state);
    come(facts, code->ops, state);
    bool changed = true;
    for (unsigned round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (uint32_t i = 0; i < code->op_count; i++) {
            uint32_t leader = facts->leaders[i];
            if (!leader || !facts->reached[leader - 1])
                continue;
            memcpy(state, facts->at + (size_t)(leader - 1) * facts->slot_count,
                   facts->slot_count * sizeof *state);
            changed |= walk(facts, &code->ops[i], state, false);
        }
    }
    for (uint32_t i = 0; !changed && i < code->op_count; i++) {
        uint32_t leader = facts->leaders[i];
        if (!leader || !facts->reached[leader - 1])
            continue;
        memcpy(state, facts->at + (size_t)(leader - 1) * facts->slot_count,
               facts->slot_count * sizeof *state);
        walk(facts, &code->ops[i], state, true);
    }
    free(state);
    return !changed;
}

/* Marks what the addresses that are known are computed from. */
static void find_needed(struct ptx_facts *facts)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = facts->code->op_count; i-- > 0;) {
            struct ptx_form form;
            bool feeds = false;
            if (!form_of(facts, &facts->code->ops[i], &form) || form.kind != WAVE_EFFECT)
                continue;
            for (unsigned s = 0; s < form.write_count; s++)
                feeds |= slot_at(facts, form.writes[s].offset)->needed;
            for (unsigned s = 0; feeds && s < form.read_count; s++) {
                struct slot *slot = slot_at(facts, form.reads[s].offset);
                changed |= !slot->needed;
                slot->needed = true;
            }
        }
    }
}

/* ---- interface
 * ----------------------------------------------------------------------------------- */

static bool prepare(struct ptx_facts *facts)
{
    const struct ptx_code *code = facts->code;
    facts->numbers = calloc(code->frame_size / NUMBERED_BY + 1, sizeof *facts->numbers);
    facts->leaders = calloc((size_t)code->op_count + 1, sizeof *facts->leaders);
    facts->shapes = calloc((size_t)code->op_count + 1, 1);
    facts->uniform = calloc((size_t)code->op_count + 1, sizeof *facts->uniform);
    facts->spread = calloc((size_t)code->op_count + 1, sizeof *facts->spread);
    if (!facts->numbers || !facts->leaders || !facts->shapes || !facts->uniform || !facts->spread)
        return false;
    for (uint32_t i = 0; i < code->op_count; i++)
        if (!number_slots(facts, &code->ops[i], false))
            return false;
    for (const struct ptx_op *op = code->once; op && op->run; op++)
        if (!number_slots(facts, op, true))
            return false;
    for (unsigned i = 0; i < code->temporary_count; i++) {
        struct slot *slot = slot_at(facts, code->temporaries[i]);
        if (slot)
            slot->fixed = false;
    }
    find_leaders(facts);
    if ((uint64_t)facts->slot_count * facts->leader_count > FACTS_MAX)
        return false;
    facts->at = calloc((size_t)facts->slot_count * facts->leader_count + 1, sizeof *facts->at);
    facts->reached = calloc(facts->leader_count + 1, 1);
    return facts->at && facts->reached;
}

struct ptx_facts *ptx_facts_create(const struct ptx_code *code, const uint32_t block[3],
                                   const struct ptx_parts *parts)
{
    struct ptx_facts *facts = calloc(1, sizeof *facts);
    if (!facts)
        return NULL;
    facts->code = code;
    facts->parts = parts;
    memcpy(facts->block, block, sizeof facts->block);
    if (prepare(facts) && solve(facts)) {
        find_needed(facts);
        return facts;
    }
    ptx_facts_destroy(facts);
    return NULL;
}

void ptx_facts_destroy(struct ptx_facts *facts)
{
    if (!facts)
        return;
    free(facts->numbers);
    free(facts->slots);
    free(facts->leaders);
    free(facts->at);
    free(facts->reached);
    free(facts->shapes);
    free(facts->uniform);
    free(facts->spread);
    free(facts);
}

enum ptx_wave_shape ptx_facts_shape(const struct ptx_facts *facts, const struct ptx_op *op)
{
    return (enum ptx_wave_shape)facts->shapes[op - facts->code->ops];
}

bool ptx_facts_spreads(const struct ptx_facts *facts, const struct ptx_op *load)
{
    return facts->spread[load - facts->code->ops];
}

bool ptx_facts_uniform(const struct ptx_facts *facts, const struct ptx_op *branch)
{
    return facts->uniform[branch - facts->code->ops];
}

bool ptx_facts_constant(const struct ptx_facts *facts, uint32_t offset, uint64_t *out_value)
{
    uint32_t number = facts->numbers[offset / NUMBERED_BY];
    if (number == 0 || !facts->slots[number - 1].fixed || !facts->at[number - 1].constant ||
        offset < facts->code->constants_offset)
        return false;
    *out_value = facts->at[number - 1].value;
    return true;
}

unsigned ptx_facts_needed(const struct ptx_facts *facts, const struct ptx_op *op,
                          struct ptx_checked *out, unsigned most)
{
    uint32_t leader = facts->leaders[op - facts->code->ops];
    unsigned count = 0;
    if (leader == 0 || !facts->reached[leader - 1])
        return 0;
    const struct ptx_fact *at = facts->at + (size_t)(leader - 1) * facts->slot_count;
    for (uint32_t s = 0; s < facts->slot_count; s++) {
        const struct slot *slot = &facts->slots[s];
        if (slot->fixed || !slot->needed || at[s].group == 0)
            continue;
        if (count == most)
            return UINT32_MAX;
        out[count++] = (struct ptx_checked){slot->offset, slot->size, at[s]};
    }
    return count;
}
