/* From the ops of a function to a region: blocks that are reached from an entry without leaving. */
#include "ptx_building.h"
#include "jit.h"
#include "ptx_alu.h"
#include "ptx_facts.h"
#include "ptx_live.h"
#include "ptx_movers.h"
#include "ptx_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiling takes longer than in proportion to the size. */
enum { INSTRUCTIONS_MAX = 1500 };
enum { NONE = UINT32_MAX };

/* ---- memory ------------------------------------------------------------------------------ */

void *ptx_building_keep(struct ptx_building *building, const void *from, size_t size)
{
    struct ptx_region_chunk *chunk = malloc(sizeof(uint64_t[2]) + size);
    if (!chunk) {
        building->failed = true;
        return NULL;
    }
    chunk->next = building->region->chunks;
    building->region->chunks = chunk;
    void *kept = (unsigned char *)chunk + sizeof(uint64_t[2]);
    if (from && size)
        memcpy(kept, from, size);
    return kept;
}

void ptx_region_destroy(struct ptx_region *region)
{
    while (region && region->chunks) {
        struct ptx_region_chunk *next = region->chunks->next;
        free(region->chunks);
        region->chunks = next;
    }
    free(region);
}

unsigned ptx_building_new_block(struct ptx_building *building, const struct ptx_op *op)
{
    if (building->block_count == building->block_capacity) {
        unsigned capacity = 2 * building->block_capacity + 64;
        uint32_t *begins = realloc(building->begins, capacity * sizeof *begins);
        if (begins)
            building->begins = begins;
        struct wave_block *blocks = realloc(building->blocks, capacity * sizeof *blocks);
        if (blocks)
            building->blocks = blocks;
        if (!begins || !blocks) {
            building->failed = true;
            return 0;
        }
        building->block_capacity = capacity;
    }
    building->begins[building->block_count] = (uint32_t)(op - building->code->ops);
    building->blocks[building->block_count] = (struct wave_block){.end = WAVE_LEAVE, .op = op};
    return building->block_count++;
}

unsigned ptx_building_block(struct ptx_building *building, const struct ptx_op *op)
{
    uint32_t *number = &building->block_of[op - building->code->ops];
    if (*number == NONE)
        *number = ptx_building_new_block(building, op);
    return *number;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Where nobody can tell NaNs apart behind an op, it need not see to which one its result is. */
static void take_any_nan(const struct ptx_building *building, const struct ptx_op *op,
                         struct ptx_form *form)
{
    const struct ptx_live *nans = building->known->nans;
    if (form->any_nan && nans && !ptx_live_at(nans, op + 1, op->d)) {
        form->function = form->any_nan;
        form->arguments[PTX_FORM_MODS] |= PTX_ALU_ANY_NAN;
    }
}

/* op: what the interpreter executes instead, as wave.h says. */
static void append(struct ptx_building *building, const struct ptx_form *form,
                   const struct ptx_op *op, const struct ptx_op *next)
{
    if (building->count == building->capacity) {
        unsigned capacity = 2 * building->capacity + 256;
        struct wave_inst *insts = realloc(building->insts, capacity * sizeof *insts);
        if (insts)
            building->insts = insts;
        bool *any = realloc(building->any, capacity * sizeof *any);
        if (any)
            building->any = any;
        if (!insts || !any) {
            building->failed = true;
            return;
        }
        building->capacity = capacity;
    }
    building->any[building->count] = form->any;
    struct wave_inst *inst = &building->insts[building->count++];
    *inst = (struct wave_inst){
        .kind = form->kind,
        .plain = form->plain && form->kind != WAVE_GUARD && form->kind != WAVE_EFFECT,
        .function = form->function,
        .arguments =
            ptx_building_keep(building, form->arguments, form->argument_count * sizeof(uint64_t)),
        .argument_count = form->argument_count,
        .addresses = form->addresses,
        .op = op,
        .next = next,
        .reads = ptx_building_keep(building, form->reads, form->read_count * sizeof *form->reads),
        .writes =
            ptx_building_keep(building, form->writes, form->write_count * sizeof *form->writes),
        .read_count = form->read_count,
        .write_count = form->write_count};
}

/* Whether the lanes that a guard names, and no others, can execute all ops up to its end. */
static bool can_guard(const struct ptx_building *building, const struct ptx_op *guard)
{
    struct ptx_form form;
    for (const struct ptx_op *op = guard + 1; op + 1 < guard->target; op++) {
        bool repeats = jit_mode() != JIT_COMPARE || ptx_form_repeats(building->code, op);
        if (!repeats || !ptx_form_some(building->code, op, guard, &form) ||
            (form.gathers && op != guard + 1)) /* the region would be left in between */
            return false;
    }
    return true;
}

static void add_form(struct ptx_form *to, const struct ptx_form *from)
{
    for (unsigned i = 0; i < from->read_count; i++)
        ptx_form_read(to, from->reads[i].offset, from->reads[i].size);
    for (unsigned i = 0; i < from->write_count; i++) {
        ptx_form_read(to, from->writes[i].offset, from->writes[i].size);
        ptx_form_write(to, from->writes[i].offset, from->writes[i].size);
    }
}

/* Whether handlers can execute the ops from a guard to its end, as one instruction. */
static bool form_guarded(const struct ptx_building *building, const struct ptx_op *guard,
                         struct ptx_form *out_form)
{
    struct ptx_form form;
    *out_form = (struct ptx_form){.kind = WAVE_HANDLER, .plain = true};
    ptx_form_read(out_form, guard->a, sizeof(uint32_t));
    for (const struct ptx_op *op = guard + 1; op + 1 < guard->target; op++) {
        bool repeats = jit_mode() != JIT_COMPARE || ptx_form_repeats(building->code, op);
        if (!repeats || !ptx_form_of(building->code, op, &form) || form.any || form.gathers ||
            (form.kind != WAVE_EFFECT && !form.plain))
            return false;
        add_form(out_form, &form);
    }
    return out_form->read_count < PTX_REGION_SLOTS && out_form->write_count < PTX_REGION_SLOTS;
}

/* Whether the guard is one of a single load or store that has a function for some lanes. Where that
 * declines, the guard's handler executes both. */
static bool form_guarded_access(const struct ptx_building *building, const struct ptx_op *guard,
                                struct ptx_form *out_form)
{
    const struct ptx_op *op = guard + 1;
    if (guard->target != guard + 3 || !ptx_form_is_access(building->code, op) ||
        !ptx_form_is_any(op) ||
        (jit_mode() == JIT_COMPARE && !ptx_form_repeats(building->code, op)))
        return false;
    ptx_form_shape(building->code, op, PTX_WAVE_UNKNOWN, out_form);
    out_form->arguments[PTX_ACCESS_HOW] |= PTX_ACCESS_KEEPS;
    out_form->arguments[PTX_ANY_GUARD] = guard->a;
    out_form->arguments[PTX_ANY_INVERTED] = guard->b;
    ptx_form_read(out_form, guard->a, sizeof(uint32_t));
    for (unsigned i = 0; i < out_form->write_count; i++)
        ptx_form_read(out_form, out_form->writes[i].offset, out_form->writes[i].size);
    return out_form->kind == WAVE_ATTEMPT;
}

/* Leaves the region before op, or before its guard, unless the lanes that execute it meet. */
static void append_gathering(struct ptx_building *building, const struct ptx_form *form,
                             const struct ptx_op *guard, const struct ptx_op *op)
{
    struct ptx_form gathers = {
        .kind = WAVE_GUARD,
        .function = "ptx_wave_gathers",
        .arguments = {form->members, guard ? guard->a : PTX_NO_GUARD, guard ? guard->b : 0},
        .argument_count = 3};
    ptx_form_read(&gathers, form->members, 4 * PTX_LANES);
    if (guard)
        ptx_form_read(&gathers, guard->a, sizeof(uint32_t));
    append(building, &gathers, guard ? guard : op, guard ? guard->target : op + 1);
}

/* Appends the ops from a guard to its end, which is returned. */
static const struct ptx_op *append_guarded(struct ptx_building *building,
                                           const struct ptx_op *guard)
{
    struct ptx_form form;
    if (can_guard(building, guard)) {
        for (const struct ptx_op *op = guard + 1; op + 1 < guard->target; op++) {
            ptx_form_some(building->code, op, guard, &form);
            take_any_nan(building, op, &form);
            if (form.gathers)
                append_gathering(building, &form, guard, op);
            append(building, &form, op, op + 1);
        }
        return guard->target;
    }
    if (!form_guarded_access(building, guard, &form) && !form_guarded(building, guard, &form)) {
        form = (struct ptx_form){.kind = WAVE_GUARD,
                                 .function = "ptx_wave_none",
                                 .arguments = {guard->a, guard->b},
                                 .argument_count = 2};
        ptx_form_read(&form, guard->a, sizeof(uint32_t));
    }
    append(building, &form, guard, guard->target);
    return guard->target;
}

/* An op for the lanes that execute, where others that wait may keep what they have. */
static void append_for_lanes(struct ptx_building *building, struct ptx_form *form,
                             const struct ptx_op *op)
{
    const struct ptx_parts *parts = building->known->parts;
    static const struct ptx_form together = {.kind = WAVE_GUARD, .function = "ptx_wave_together"};
    if (form->any)
        append(building, &together, op, op + 1);
    if (form->gathers)
        append_gathering(building, form, NULL, op);
    if (!form->any && parts && ptx_parts_keeps(parts, op, form)) {
        bool effect = form->kind == WAVE_EFFECT;
        if (effect && !ptx_form_some(building->code, op, NULL, form))
            building->failed = true; /* each effect has both forms */
        for (unsigned i = 0; !effect && i < form->write_count; i++)
            ptx_form_read(form, form->writes[i].offset, form->writes[i].size);
        if (form->kind == WAVE_ATTEMPT)
            form->arguments[PTX_ACCESS_HOW] |= PTX_ACCESS_KEEPS;
    }
    take_any_nan(building, op, form);
    append(building, form, op, op + 1);
}

/* ---- ends of blocks ------------------------------------------------------------------------ */

static bool is_branch(const struct ptx_op *op)
{
    return op->run == ptx_run_jump || op->run == ptx_run_jump_back || op->run == ptx_run_branch ||
           op->run == ptx_run_branch_back || op->run == ptx_run_branch_indexed;
}

/* The region goes to the blocks of a table's targets; false: it is left there. */
static bool end_indexed(struct ptx_building *building, const struct ptx_op *op)
{
    const struct ptx_targets *targets = op->extra;
    if (!ptx_building_can_index(op))
        return false;
    for (unsigned t = 0; t < targets->count; t++)
        ptx_building_block(building, targets->ops[t]);
    return true;
}

/* What ends the block is described by end_ways, when all blocks are known. */
static void end_block(struct ptx_building *building, struct wave_block *block,
                      const struct ptx_op *op)
{
    struct wave_block end = {.end = WAVE_LEAVE, .op = op};
    bool jump = op->run == ptx_run_jump || op->run == ptx_run_jump_back;
    if (op->run == ptx_run_branch_indexed) {
        end.end = end_indexed(building, op) ? WAVE_BRANCH : WAVE_LEAVE;
    } else if (is_branch(op) && ptx_building_joins(op->target)) {
        end.end = WAVE_BRANCH;
        end.targets[0] = ptx_building_block(building, op->target);
        end.targets[1] = jump ? 0 : ptx_building_block(building, op + 1);
        end.target_count = jump ? 1 : 2;
    } else if (ptx_building_joins(op)) {
        end.end = WAVE_JUMP;
        end.targets[0] = ptx_building_block(building, op);
        end.target_count = 1;
    }
    *block = end;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

/* Where lanes may wait while others execute, or there are fewer, functions for all lanes would be
 * in vain. */
static enum ptx_wave_shape shape_of(const struct ptx_known *known, const struct ptx_op *op)
{
    enum ptx_wave_shape shape = ptx_facts_shape(known->facts, op);
    bool some =
        known->ragged || (known->parts && ptx_parts_next(known->parts, op, 0) != PTX_NO_LINE);
    bool all = shape != PTX_WAVE_ALL_SAME || ptx_form_is_store(known->code, op);
    return some && all && ptx_form_is_any(op) && !ptx_form_is_some(op, shape) ? PTX_WAVE_UNKNOWN
                                                                              : shape;
}

/* Where all lanes have to have what a load finds, its handler, which executes some, cannot take the
 * place of its function: the region is left. */
static void form_known_access(const struct ptx_building *building, const struct ptx_op *op,
                              struct ptx_form *form)
{
    const struct ptx_known *known = building->known;
    ptx_form_shape(building->code, op, shape_of(known, op), form);
    if (ptx_facts_spreads(known->facts, op))
        form->kind = WAVE_GUARD;
}

static void make_block(struct ptx_building *building, unsigned number)
{
    const struct ptx_op *first = building->code->ops + building->begins[number], *op = first;
    const struct ptx_op *limit = building->code->ops + building->code->op_count;
    struct ptx_form form;
    struct wave_block block = {.end = WAVE_LEAVE, .op = op};
    building->count = 0;
    for (;;) {
        bool full = building->total + building->count >= INSTRUCTIONS_MAX;
        if (op == limit || full || is_branch(op) || (op != first && ptx_building_joins(op))) {
            block.op = op;
            if (op != limit && !full)
                end_block(building, &block, op);
            break;
        }
        if (op->run == ptx_run_guard) {
            op = append_guarded(building, op);
            continue;
        }
        bool repeats = jit_mode() != JIT_COMPARE || ptx_form_repeats(building->code, op);
        if (!repeats || !ptx_form_of(building->code, op, &form)) {
            block.op = op;
            break;
        }
        if (building->known->facts && ptx_form_is_access(building->code, op))
            form_known_access(building, op, &form);
        append_for_lanes(building, &form, op++);
    }
    block.inst_count = building->count;
    struct wave_inst *insts =
        ptx_building_keep(building, building->insts, building->count * sizeof *building->insts);
    for (unsigned i = 0; insts && i < block.inst_count; i++)
        if (building->any[i])
            insts[i].read_count = NONE; /* set by finish_any */
    block.insts = insts;
    building->total += building->count;
    building->blocks[number] = block;
}

/* ---- handlers that may access every slot --------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct wave_slot *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static size_t add_all(struct wave_slot *to, const struct wave_slot *from, unsigned count)
{
    if (to && count)
        memcpy(to, from, count * sizeof *from);
    return count;
}

/* All slots of the region into to, unless it is NULL; returns their number, some several times. */
static size_t list_slots(const struct ptx_building *building, struct wave_slot *to)
{
    size_t count = 0;
    for (unsigned b = 0; b < building->block_count; b++) {
        const struct wave_block *block = &building->blocks[b];
        for (unsigned i = 0; i < block->inst_count; i++) {
            const struct wave_inst *inst = &block->insts[i];
            if (inst->read_count == NONE)
                continue;
            count += add_all(to ? to + count : NULL, inst->reads, inst->read_count);
            count += add_all(to ? to + count : NULL, inst->writes, inst->write_count);
        }
        count += add_all(to ? to + count : NULL, block->reads, block->read_count);
    }
    return count;
}

static unsigned remove_copies(struct wave_slot *slots, size_t count)
{
    unsigned kept = 0;
    qsort(slots, count, sizeof *slots, compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || slots[kept - 1].offset != slots[i].offset)
            slots[kept++] = slots[i];
    return kept;
}

static void finish_any(struct ptx_building *building)
{
    size_t count = list_slots(building, NULL);
    struct wave_slot *slots = ptx_building_keep(building, NULL, (count + 1) * sizeof *slots);
    if (!slots)
        return;
    list_slots(building, slots);
    unsigned kept = remove_copies(slots, count);
    for (unsigned b = 0; b < building->block_count; b++) {
        struct wave_inst *insts = (struct wave_inst *)(uintptr_t)building->blocks[b].insts;
        for (unsigned i = 0; i < building->blocks[b].inst_count; i++)
            if (insts[i].read_count == NONE) {
                insts[i].reads = insts[i].writes = slots;
                insts[i].read_count = insts[i].write_count = kept;
            }
    }
}

/* ---- what is known ------------------------------------------------------------------------------
 */

/* Where lanes may part depends on what is known, which depends on where they part: both grow until
 * they agree. */
void ptx_known_init(struct ptx_known *known, const struct ptx_code *code, const uint32_t block[3])
{
    known->code = code;
    known->ragged = (uint64_t)block[0] * block[1] * block[2] % PTX_LANES != 0;
    known->live = ptx_live_create(code);
    if (jit_mode() != JIT_COMPARE) /* which compares every bit */
        known->nans = ptx_live_create_nans(code);
    known->parts = ptx_parts_create(code, known->live);
    do {
        ptx_facts_destroy(known->facts);
        known->facts = ptx_facts_create(code, block, known->parts);
    } while (known->parts && ptx_parts_grow(known->parts, known->facts));
}

void ptx_known_fini(struct ptx_known *known)
{
    ptx_facts_destroy(known->facts);
    ptx_parts_destroy(known->parts);
    ptx_live_destroy(known->live);
    ptx_live_destroy(known->nans);
}

/* ---- regions ------------------------------------------------------------------------------------
 */

static void describe(const void *op, const void *data, char *out, size_t out_size)
{
    const struct ptx_code *code = ((const struct ptx_known *)data)->code;
    const struct ptx_inst *inst = &code->function->insts[((const struct ptx_op *)op)->inst];
    char spelling[160];
    snprintf(out, out_size, "%s (line %u)", ptx_inst_spelling(inst, spelling, sizeof spelling),
             inst->line);
}

static bool is_live(const void *data, const void *op, const struct wave_slot *slot)
{
    const struct ptx_known *known = data;
    uint64_t value;
    if (known->facts && ptx_facts_constant(known->facts, slot->offset, &value))
        return false; /* the frame always has it */
    return !known->live || ptx_live_at(known->live, op, slot->offset) ||
           (known->parts && ptx_parts_reads(known->parts, op, slot->offset));
}

const struct wave_bitcode *ptx_wave_bitcode(void);

#define COPIED(field)                                                                              \
    {                                                                                              \
        WAVE_COPIED, offsetof(struct ptx_warp, field), sizeof(((struct ptx_warp *)0)->field), 0, 0 \
    }
#define KEPT(field)                                                                                \
    {                                                                                              \
        WAVE_KEPT, offsetof(struct ptx_warp, field), sizeof(((struct ptx_warp *)0)->field), 0, 0   \
    }
static const struct wave_field fields[] = {
    {WAVE_CONSTANT, offsetof(struct ptx_warp, mask), 4, UINT32_MAX, 0},
    {WAVE_CONSTANT, offsetof(struct ptx_warp, whole), 1, 1, 0},
    {WAVE_CONSTANT, offsetof(struct ptx_warp, lanes), 4, UINT32_MAX, PTX_LANES},
    KEPT(carry),
    KEPT(now),
    KEPT(apart),
    COPIED(waiting),
    COPIED(alive),
    COPIED(number),
    COPIED(device),
    COPIED(spans),
    COPIED(block),
    COPIED(launch),
    COPIED(shared),
    COPIED(shared_size),
    COPIED(local),
    COPIED(local_stride),
    COPIED(local_offset),
    COPIED(params),
    COPIED(param_size),
    KEPT(budget),
    KEPT(steps),
    COPIED(private),
};

static struct wave_machine machine = {
    .name = "ptx",
    .state_size = sizeof(struct ptx_warp),
    .frame_field = offsetof(struct ptx_warp, regs),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .handler_offset = offsetof(struct ptx_op, run),
    .call = ptx_region_call,
    .compares_live = true,
    .describe = describe,
};

/* What depends on the host. */
static void complete_machine(void)
{
#define MOVERS(isa, name) [SIM_ISA_##isa] = &ptx_movers_##name,
    static const struct ptx_movers *const tables[SIM_ISA_COUNT] = {SIM_ISAS(MOVERS)};
#undef MOVERS
    const struct ptx_movers *movers = tables[sim_isa()];
    machine.bitcode = ptx_wave_bitcode();
    machine.symbols = movers->symbols;
    machine.symbol_count = (unsigned)movers->count;
}

const struct wave_machine *ptx_region_machine(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, complete_machine);
    return &machine;
}

/* ---- the first block ---------------------------------------------------------------------------
 */

static void append_constant(struct ptx_building *building, const struct wave_slot *slot,
                            uint64_t value, const struct ptx_op *op)
{
    struct ptx_form form = {.kind = WAVE_EFFECT,
                            .function = slot->size == 64    ? "ptx_wave_constant_2"
                                        : slot->size == 128 ? "ptx_wave_constant_4"
                                                            : "ptx_wave_constant_8",
                            .arguments = {slot->offset, value},
                            .argument_count = 2};
    ptx_form_write(&form, slot->offset, slot->size);
    append(building, &form, op, op + 1);
}

static void append_constants(struct ptx_building *building, const struct ptx_op *op)
{
    size_t count = list_slots(building, NULL);
    struct wave_slot *slots = malloc((count + 1) * sizeof *slots);
    if (!slots) {
        building->failed = true;
        return;
    }
    list_slots(building, slots);
    unsigned kept = remove_copies(slots, count);
    uint64_t value;
    for (unsigned i = 0; i < kept; i++)
        if (ptx_facts_constant(building->known->facts, slots[i].offset, &value))
            append_constant(building, &slots[i], value, op);
    free(slots);
}

static void append_checks(struct ptx_building *building, const struct ptx_op *op)
{
    enum { CHECKS_MAX = 64 };
    struct ptx_checked checked[CHECKS_MAX];
    unsigned count = ptx_facts_needed(building->known->facts, op, checked, CHECKS_MAX);
    if (count == UINT32_MAX)
        building->failed = true;
    for (unsigned i = 0; i < count && count != UINT32_MAX; i++) {
        const struct ptx_live *live = building->known->live;
        if (live && !ptx_live_at(live, op, checked[i].offset))
            continue;
        bool mask = checked[i].size == sizeof(uint32_t);
        struct ptx_form form = {
            .kind = WAVE_GUARD,
            .function = mask                     ? "ptx_wave_check_mask"
                        : checked[i].size == 128 ? "ptx_wave_check_4"
                                                 : "ptx_wave_check_8",
            .arguments = {checked[i].offset, checked[i].fact.group, (uint64_t)checked[i].fact.step},
            .argument_count = mask ? 1 : 3};
        ptx_form_read(&form, checked[i].offset, checked[i].size);
        append(building, &form, op, op + 1);
    }
}

/* Before what lanes do: constants, and the facts that the rest relies on. */
static void make_first(struct ptx_building *building, const struct ptx_op *op)
{
    building->count = 0;
    if (building->known->facts) {
        append_checks(building, op);
        append_constants(building, op);
    }
    struct wave_block first = {.end = WAVE_JUMP, .op = op, .targets = {1}, .target_count = 1};
    first.inst_count = building->count;
    first.insts =
        ptx_building_keep(building, building->insts, building->count * sizeof *building->insts);
    building->blocks[0] = first;
}

static bool build(struct ptx_building *building, uint32_t entry)
{
    const struct ptx_code *code = building->code;
    building->block_of = malloc(((size_t)code->op_count + 1) * sizeof(uint32_t));
    if (!building->block_of)
        return false;
    memset(building->block_of, 0xff, ((size_t)code->op_count + 1) * sizeof(uint32_t));
    ptx_building_new_block(building, code->ops + entry);
    ptx_building_block(building, code->ops + entry);
    for (unsigned b = 1; b < building->block_count && !building->failed; b++)
        make_block(building, b);
    if (!building->failed)
        ptx_building_end_blocks(building);
    if (!building->failed)
        make_first(building, code->ops + entry);
    if (!building->failed)
        finish_any(building);
    building->region->wave.blocks = ptx_building_keep(
        building, building->blocks, building->block_count * sizeof *building->blocks);
    building->region->wave.block_count = building->block_count;
    return !building->failed;
}

struct ptx_region *ptx_region_create(const struct ptx_known *known, uint32_t entry)
{
    const struct ptx_code *code = known->code;
    enum { LEAST = 3 }; /* instructions, that of the entry included */
    struct ptx_region *region = calloc(1, sizeof *region);
    if (!region)
        return NULL;
    struct ptx_building building = {.code = code, .known = known, .region = region};
    bool fine = build(&building, entry) && building.total >= LEAST;
    free(building.block_of);
    free(building.begins);
    free(building.blocks);
    free(building.insts);
    free(building.any);
    if (!fine) {
        ptx_region_destroy(region);
        return NULL;
    }
    snprintf(region->name, sizeof region->name, "%.96s, op %u", code->function->symbol->name,
             (unsigned)entry);
    region->count = building.total;
    region->wave.machine = ptx_region_machine();
    region->wave.name = region->name;
    region->wave.frame_size = (uint32_t)code->frame_size;
    region->wave.data = known;
    region->wave.live = is_live;
    return region;
}
