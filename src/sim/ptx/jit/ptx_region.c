/* From the ops of a function to a region: blocks that are reached from an entry without leaving. */
#include "ptx_region.h"
#include "jit.h"
#include "ptx_facts.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "ptx_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiling takes longer than in proportion to the size. */
enum { INSTRUCTIONS_MAX = 1500 };
enum { NONE = UINT32_MAX };

struct building {
    const struct ptx_code *code;
    const struct ptx_known *known;
    struct ptx_region *region;
    uint32_t *block_of; /* of each op: the block that begins there, or NONE */
    uint32_t *begins;   /* of each block: its op */
    unsigned block_count, block_capacity;
    struct wave_block *blocks;
    struct wave_inst *insts; /* of the block that is being made */
    bool *any;               /* of each: the handler may access every slot */
    unsigned count, capacity;
    size_t total; /* instructions of all blocks */
    bool failed;  /* no memory */
};

/* ---- memory ------------------------------------------------------------------------------ */

static void *keep(struct building *building, const void *from, size_t size)
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

/* The number of the block that begins at an op. */
static unsigned block_at(struct building *building, const struct ptx_op *op)
{
    uint32_t index = (uint32_t)(op - building->code->ops);
    if (building->block_of[index] != NONE)
        return building->block_of[index];
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
    building->begins[building->block_count] = index;
    building->blocks[building->block_count] = (struct wave_block){.end = WAVE_LEAVE, .op = op};
    return building->block_of[index] = building->block_count++;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* op: what the interpreter executes instead, as wave.h says. */
static void append(struct building *building, const struct ptx_form *form, const struct ptx_op *op)
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
        .function = form->function,
        .arguments = keep(building, form->arguments, form->argument_count * sizeof(uint64_t)),
        .argument_count = form->argument_count,
        .op = op,
        .next = op + 1,
        .reads = keep(building, form->reads, form->read_count * sizeof *form->reads),
        .writes = keep(building, form->writes, form->write_count * sizeof *form->writes),
        .read_count = form->read_count,
        .write_count = form->write_count};
}

/* Whether the lanes that a guard names, and no others, can execute all ops up to its end. */
static bool can_guard(const struct building *building, const struct ptx_op *guard)
{
    struct ptx_form form;
    for (const struct ptx_op *op = guard + 1; op + 1 < guard->target; op++)
        if (!ptx_form_some(building->code, op, guard, &form))
            return false;
    return true;
}

/* An op under a guard, where the region is left if it cannot be executed. A guard must not write.
 */
static void append_some(struct building *building, const struct ptx_form *form,
                        const struct ptx_op *guard, const struct ptx_op *op)
{
    struct ptx_form effect = *form;
    if (form->kind == WAVE_GUARD && form->can) {
        struct ptx_form check = *form;
        check.function = form->can;
        check.write_count = 0;
        append(building, &check, guard);
        effect.kind = WAVE_EFFECT;
    }
    append(building, &effect, effect.kind == WAVE_GUARD ? guard : op);
}

/* Appends the ops from a guard to its end, which is returned. */
static const struct ptx_op *append_guarded(struct building *building, const struct ptx_op *guard)
{
    struct ptx_form form;
    if (can_guard(building, guard)) {
        for (const struct ptx_op *op = guard + 1; op + 1 < guard->target; op++) {
            ptx_form_some(building->code, op, guard, &form);
            append_some(building, &form, guard, op);
        }
        return guard->target;
    }
    form = (struct ptx_form){.kind = WAVE_GUARD,
                             .function = "ptx_wave_none",
                             .arguments = {guard->a, guard->b},
                             .argument_count = 2};
    ptx_form_read(&form, guard->a, sizeof(uint32_t));
    append(building, &form, guard);
    return guard->target;
}

/* ---- ends of blocks ------------------------------------------------------------------------ */

static void end_branch(struct building *building, struct wave_block *block, const struct ptx_op *op)
{
    bool jump = op->run == ptx_run_jump || op->run == ptx_run_jump_back;
    const uint64_t of_jump[] = {op->c}, of_branch[] = {op->a, op->b, op->c, op->e};
    const struct wave_slot slot = {WAVE_FRAME, op->a, sizeof(uint32_t)};
    unsigned first = block_at(building, op->target), second = jump ? 0 : block_at(building, op + 1);
    block->op = op;
    block->targets[0] = first;
    block->targets[1] = second;
    block->target_count = jump ? 1 : 2;
    block->end = WAVE_BRANCH;
    if (op->run == ptx_run_jump) {
        block->end = WAVE_JUMP;
        return;
    }
    block->function = jump ? "ptx_wave_jump" : "ptx_wave_branch";
    block->argument_count = jump ? 1 : 4;
    block->arguments = jump ? keep(building, of_jump, sizeof of_jump)
                            : keep(building, of_branch, sizeof of_branch);
    block->reads = keep(building, &slot, sizeof slot);
    block->read_count = jump ? 0 : 1;
}

static bool is_branch(const struct ptx_op *op)
{
    return op->run == ptx_run_jump || op->run == ptx_run_jump_back || op->run == ptx_run_branch ||
           op->run == ptx_run_branch_back;
}

/* Whether lanes may come to an op from elsewhere than from the op before it. */
static bool is_joined(const struct ptx_op *op)
{
    return op->run == ptx_run_join || op->run == ptx_run_region;
}

static void end_block(struct building *building, struct wave_block *block, const struct ptx_op *op)
{
    struct wave_block end = {.end = WAVE_LEAVE, .op = op};
    if (is_branch(op)) {
        end_branch(building, &end, op);
    } else if (is_joined(op)) {
        end.end = WAVE_JUMP;
        end.targets[0] = block_at(building, op);
        end.target_count = 1;
    }
    *block = end;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static void make_block(struct building *building, unsigned number)
{
    const struct ptx_op *first = building->code->ops + building->begins[number], *op = first;
    const struct ptx_op *limit = building->code->ops + building->code->op_count;
    struct ptx_form form;
    struct wave_block block = {.end = WAVE_LEAVE, .op = op};
    building->count = 0;
    for (;;) {
        bool full = building->total + building->count >= INSTRUCTIONS_MAX;
        if (op == limit || full || is_branch(op) || (op != first && is_joined(op))) {
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
        if (form.kind == WAVE_ATTEMPT && building->known->facts)
            ptx_form_shape(op, ptx_facts_shape(building->known->facts, op), &form);
        append(building, &form, op++);
    }
    block.inst_count = building->count;
    struct wave_inst *insts =
        keep(building, building->insts, building->count * sizeof *building->insts);
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
static size_t list_slots(const struct building *building, struct wave_slot *to)
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

static void finish_any(struct building *building)
{
    size_t count = list_slots(building, NULL);
    struct wave_slot *slots = keep(building, NULL, (count + 1) * sizeof *slots);
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
    return !known->live || ptx_live_at(known->live, op, slot->offset);
}

const struct wave_bitcode *ptx_wave_bitcode(void);

const struct wave_machine *ptx_region_machine(void)
{
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
        COPIED(number),
        COPIED(device),
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
        .describe = describe,
    };
    machine.bitcode = ptx_wave_bitcode();
    return &machine;
}

/* ---- the first block ---------------------------------------------------------------------------
 */

static void append_constant(struct building *building, const struct wave_slot *slot, uint64_t value,
                            const struct ptx_op *op)
{
    struct ptx_form form = {.kind = WAVE_EFFECT,
                            .function = slot->size == 64    ? "ptx_wave_constant_2"
                                        : slot->size == 128 ? "ptx_wave_constant_4"
                                                            : "ptx_wave_constant_8",
                            .arguments = {slot->offset, value},
                            .argument_count = 2};
    ptx_form_write(&form, slot->offset, slot->size);
    append(building, &form, op);
}

static void append_constants(struct building *building, const struct ptx_op *op)
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

static void append_checks(struct building *building, const struct ptx_op *op)
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
        struct ptx_form form = {
            .kind = WAVE_GUARD,
            .function = checked[i].size == 128 ? "ptx_wave_check_4" : "ptx_wave_check_8",
            .arguments = {checked[i].offset, checked[i].fact.group, (uint64_t)checked[i].fact.step},
            .argument_count = 3};
        ptx_form_read(&form, checked[i].offset, checked[i].size);
        append(building, &form, op);
    }
}

/* Before what lanes do: constants, and the facts that the rest relies on. */
static void make_first(struct building *building, const struct ptx_op *op)
{
    building->count = 0;
    if (building->known->facts) {
        append_checks(building, op);
        append_constants(building, op);
    }
    struct wave_block first = {.end = WAVE_JUMP, .op = op, .targets = {1}, .target_count = 1};
    first.inst_count = building->count;
    first.insts = keep(building, building->insts, building->count * sizeof *building->insts);
    building->blocks[0] = first;
}

static bool build(struct building *building, uint32_t entry)
{
    const struct ptx_code *code = building->code;
    building->block_of = malloc(((size_t)code->op_count + 1) * sizeof(uint32_t));
    if (!building->block_of)
        return false;
    memset(building->block_of, 0xff, ((size_t)code->op_count + 1) * sizeof(uint32_t));
    block_at(building, code->ops + entry);
    building->block_of[entry] = NONE;
    block_at(building, code->ops + entry);
    for (unsigned b = 1; b < building->block_count && !building->failed; b++)
        make_block(building, b);
    if (!building->failed)
        make_first(building, code->ops + entry);
    if (!building->failed)
        finish_any(building);
    building->region->wave.blocks =
        keep(building, building->blocks, building->block_count * sizeof *building->blocks);
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
    struct building building = {.code = code, .known = known, .region = region};
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
