/* Regions: from an op on, along branches, through decoded code.
 *
 * An op is in a region once for waves all of whose lanes are live, once for others, or both: a
 * node. Where an op may change EXEC, its block ends with a branch to the node of either kind. */
#include "amdgpu_jit_region.h"

#include "sim_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_MAX = 1500, NODES_MAX = 512, NODE_BUCKETS = 1024 };

struct node {
    const struct amdgpu_op *op;
    bool full;
    unsigned next; /* of its bucket, plus 1 */
};

struct finder {
    struct amdgpu_region *region;
    struct amdgpu_describer describer;
    struct wave_block *blocks; /* of nodes */
    struct node nodes[NODES_MAX];
    unsigned node_count, ops, insts;
    unsigned buckets[NODE_BUCKETS]; /* plus 1 */
};

/* ---- nodes ------------------------------------------------------------------------------- */

static unsigned *bucket_of(struct finder *f, const struct amdgpu_op *op, bool full)
{
    return &f->buckets[((uintptr_t)op / sizeof *op * 2 + full) % NODE_BUCKETS];
}

/* The number of a node, which begins a block; UINT_MAX: there are too many. */
static unsigned find_node(struct finder *f, const struct amdgpu_op *op, bool full)
{
    for (unsigned n = *bucket_of(f, op, full); n; n = f->nodes[n - 1].next)
        if (f->nodes[n - 1].op == op && f->nodes[n - 1].full == full)
            return n - 1;
    return UINT32_MAX;
}

static unsigned add_node(struct finder *f, const struct amdgpu_op *op, bool full)
{
    unsigned found = find_node(f, op, full), *bucket = bucket_of(f, op, full);
    if (found != UINT32_MAX)
        return found;
    if (f->node_count == NODES_MAX) {
        f->region->arena.failed = true;
        return 0;
    }
    f->nodes[f->node_count] = (struct node){op, full, *bucket};
    *bucket = ++f->node_count;
    return f->node_count - 1;
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* The op that the interpreter comes to at op: at the end of a page that of the next one. */
static const struct amdgpu_op *settle(const struct amdgpu_op *op)
{
    const struct amdgpu_op *ahead = amdgpu_ahead(op);
    return ahead ? ahead : op;
}

/* At the end of a page that has none after it. */
static bool is_pseudo(const struct amdgpu_op *op)
{
    return op->offset / 4 >= AMDGPU_PAGE_WORDS;
}

static void set_targets(struct finder *f, struct wave_block *block, const struct amdgpu_op *first,
                        bool first_full, const struct amdgpu_op *second, bool second_full)
{
    block->targets[0] = add_node(f, settle(first), first_full);
    block->target_count = 1;
    if (!second)
        return;
    block->targets[1] = add_node(f, settle(second), second_full);
    block->target_count = 2;
}

static const struct wave_slot *copy_reads(struct finder *f, unsigned *out_count)
{
    struct amdgpu_slots *reads = &f->describer.reads;
    struct wave_slot *slots =
        amdgpu_arena_take(&f->region->arena, (reads->count + 1) * sizeof *slots);
    *out_count = slots ? reads->count : 0;
    if (slots)
        memcpy(slots, reads->at, reads->count * sizeof *slots);
    reads->count = 0;
    return slots;
}

static void set_function(struct finder *f, struct wave_block *block, const char *function,
                         const uint64_t *arguments, unsigned count)
{
    char *name = amdgpu_arena_take(&f->region->arena, strlen(function) + 1);
    uint64_t *copies = amdgpu_arena_take(&f->region->arena, count * sizeof *copies);
    if (!name || !copies)
        return;
    strcpy(name, function);
    memcpy(copies, arguments, count * sizeof *copies);
    block->end = WAVE_BRANCH;
    block->function = name;
    block->arguments = copies;
    block->argument_count = count;
    block->reads = copy_reads(f, &block->read_count);
}

static void end_in_branch(struct finder *f, struct wave_block *block, const struct amdgpu_op *op,
                          const char *condition)
{
    struct amdgpu_describer *d = &f->describer;
    const struct amdgpu_op *next = amdgpu_next(op), *target = amdgpu_ahead_target(op);
    bool always = strcmp(condition, "always") == 0, back = op->offset_bytes < 0;
    char function[64];
    block->op = op;
    if (!target)
        return;
    if (strstr(condition, "scc"))
        amdgpu_read_scc(d);
    if (strstr(condition, "vcc"))
        amdgpu_read_mask(d, AMDGPU_VCC);
    /* Where the region may be left: functions of a target say of EXEC that all lanes are live,
     * which looks as if nothing read what it was before. */
    if (strstr(condition, "exec") || back)
        amdgpu_read_mask(d, AMDGPU_EXEC);
    const uint64_t arguments[] = {d->shape->lanes, back ? (uintptr_t)op : 0};
    snprintf(function, sizeof function, "amdgpu_wave_branch_%s", condition);
    set_function(f, block, function, arguments, 2);
    set_targets(f, block, always ? target : next, d->full, always ? NULL : target, d->full);
}

/* EXEC may have changed: one of both kinds is next. */
static void end_in_choice(struct finder *f, struct wave_block *block, const struct amdgpu_op *next)
{
    struct amdgpu_describer *d = &f->describer;
    const uint64_t arguments[] = {d->shape->lanes};
    amdgpu_read_mask(d, AMDGPU_EXEC);
    set_function(f, block, "amdgpu_wave_is_full", arguments, 1);
    set_targets(f, block, next, false, next, true);
    block->op = next;
}

static void end_in_jump(struct finder *f, struct wave_block *block, const struct amdgpu_op *next)
{
    block->end = WAVE_JUMP;
    set_targets(f, block, next, f->describer.full, NULL, false);
    block->op = next;
}

static void turn_page(struct finder *f, const struct amdgpu_op *op)
{
    struct amdgpu_describer *d = &f->describer;
    d->op = d->next = op;
    amdgpu_argue(d, (uintptr_t)amdgpu_page_of(op));
    amdgpu_describe(d, WAVE_EFFECT, "amdgpu_wave_turn_page");
}

static void count_ops(struct finder *f, const struct amdgpu_op *op, unsigned ops)
{
    struct amdgpu_describer *d = &f->describer;
    if (!ops)
        return;
    d->op = d->next = op;
    amdgpu_argue(d, ops);
    amdgpu_describe(d, WAVE_EFFECT, "amdgpu_wave_count");
}

/* The wave may come back behind an op at which the region is left. */
static void note_after(struct finder *f, const struct amdgpu_op *op)
{
    struct amdgpu_region *region = f->region;
    const struct amdgpu_op *next = settle(amdgpu_next(op));
    if (op->inst->row->id == AMDGPU_ID_S_ENDPGM || region->after_count >= 16 || is_pseudo(next))
        return;
    for (unsigned i = 0; i < region->after_count; i++)
        if (region->after[i] == next)
            return;
    region->after[region->after_count++] = next;
}

static bool is_known(const struct amdgpu_op *op)
{
    return !is_pseudo(op) && amdgpu_is_decoded(op) && op->inst &&
           !amdgpu_is_refused(amdgpu_jit_handler(op));
}

bool amdgpu_describe_op(struct amdgpu_describer *d, const struct amdgpu_op *op)
{
    d->op = op;
    d->next = amdgpu_next(op);
    return amdgpu_describe_scalar(d) || amdgpu_describe_vector(d) || amdgpu_describe_memory(d);
}

/* Describes the block of a node, up to a branch, the first op of another node, or an op at which
 * the region is left. */
static void describe_block(struct finder *f, unsigned number)
{
    struct amdgpu_describer *d = &f->describer;
    const struct node node = f->nodes[number];
    const struct amdgpu_op *op = node.op, *page_op = NULL;
    struct wave_block block = {.end = WAVE_LEAVE};
    const char *condition;
    unsigned ops = 0;
    d->full = node.full;
    d->insts = NULL;
    d->inst_count = d->inst_room = 0;
    for (;; op = settle(amdgpu_next(op)), ops++) {
        block.op = op;
        if (op != node.op && find_node(f, op, node.full) != UINT32_MAX) {
            end_in_jump(f, &block, op);
            break;
        }
        if (!is_pseudo(op) && (!page_op || amdgpu_page_of(op) != amdgpu_page_of(page_op)))
            turn_page(f, op);
        page_op = op;
        if (!is_known(op) || f->ops++ > OPS_MAX)
            break;
        enum amdgpu_flow flow = amdgpu_flow_of(op->inst->row->id, &condition);
        if (flow == AMDGPU_FLOW_BRANCH && node.full && strcmp(condition, "execz") == 0)
            flow = AMDGPU_FLOW_NOTHING;
        if (flow == AMDGPU_FLOW_BRANCH && node.full && strcmp(condition, "execnz") == 0)
            condition = "always";
        if (flow == AMDGPU_FLOW_NOTHING)
            continue;
        if (flow == AMDGPU_FLOW_BRANCH) {
            d->op = op;
            count_ops(f, op, ops);
            ops = 0;
            end_in_branch(f, &block, op, condition);
            break;
        }
        bool repeats = jit_mode() != JIT_COMPARE || amdgpu_repeats(op);
        if (!repeats || !amdgpu_describe_op(d, op)) {
            note_after(f, op);
            break;
        }
        d->op = op;
        if (amdgpu_changes_exec(d)) {
            const struct amdgpu_op *next = settle(amdgpu_next(op));
            count_ops(f, op, ops + 1);
            ops = 0;
            end_in_choice(f, &block, next);
            break;
        }
    }
    count_ops(f, node.op, ops);
    block.insts = d->insts;
    block.inst_count = d->inst_count;
    f->insts += d->inst_count;
    f->blocks[number] = block;
}

/* Blocks are described until no other node has come up within one of them. */
static void describe_blocks(struct finder *f)
{
    unsigned before;
    do {
        before = f->node_count;
        f->ops = f->insts = 0;
        f->region->after_count = 0;
        for (unsigned i = 0; i < f->node_count && !f->region->arena.failed; i++)
            describe_block(f, i);
    } while (f->node_count != before && !f->region->arena.failed);
}

/* ---- blocks that nothing leads to -------------------------------------------------------- */

static void mark(const struct finder *f, unsigned number, bool *reached)
{
    unsigned stack[NODES_MAX], depth = 0;
    reached[number] = true;
    stack[depth++] = number;
    while (depth) {
        const struct wave_block *block = &f->blocks[stack[--depth]];
        for (unsigned k = 0; k < block->target_count; k++)
            if (!reached[block->targets[k]]) {
                reached[block->targets[k]] = true;
                stack[depth++] = block->targets[k];
            }
    }
}

/* Ends of blocks that later nodes have divided may have had targets of their own. */
static void drop_unreached(struct finder *f)
{
    bool reached[NODES_MAX] = {false};
    unsigned numbers[NODES_MAX], count = 0;
    mark(f, 0, reached);
    for (unsigned i = 0; i < f->node_count; i++) {
        numbers[i] = count;
        if (reached[i])
            f->blocks[count++] = f->blocks[i];
    }
    f->node_count = count;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < f->blocks[i].target_count; k++)
            f->blocks[i].targets[k] = numbers[f->blocks[i].targets[k]];
}

/* ---- machines ---------------------------------------------------------------------------- */

static void describe_op_text(const void *op, const void *data, char *out, size_t out_size)
{
    const struct amdgpu_op *at = op;
    const struct amdgpu_page *page = amdgpu_page_of(at);
    int length =
        snprintf(out, out_size, "0x%llx: ", (unsigned long long)(page->address + at->offset));
    (void)data;
    if (length > 0 && (size_t)length < out_size && at->inst)
        amdgpu_print(page->shape->isa, page->shape->lanes, at->inst, out + length,
                     out_size - (size_t)length);
}

/* Nothing is when the wave ends. */
static bool is_live(const void *data, const void *op, const struct wave_slot *slot)
{
    const struct amdgpu_op *at = op;
    (void)data;
    (void)slot;
    return is_pseudo(at) || !amdgpu_is_decoded(at) || !at->inst ||
           at->inst->row->id != AMDGPU_ID_S_ENDPGM;
}

#define FIELD(kind_, field, value_)                                                                \
    {                                                                                              \
        .kind = WAVE_##kind_, .offset = offsetof(struct amdgpu_wave, field),                       \
        .size = sizeof((struct amdgpu_wave *)0)->field, .value = value_                            \
    }

static void set_machine(struct amdgpu_region *region, const struct amdgpu_shape *shape)
{
    unsigned m0 = amdgpu_family_of(shape->isa) == AMDGPU_GFX11 ? 125 : 124;
    const struct wave_field fields[] = {
        FIELD(CONSTANT, lanes, shape->lanes),
        FIELD(CONSTANT, vgprs, shape->vgprs),
        FIELD(CONSTANT, m0, m0),
        FIELD(CONSTANT, mode, region->mode),
        FIELD(KEPT, left, 0),
        FIELD(KEPT, loop, 0),
        FIELD(KEPT, page, 0),
        FIELD(COPIED, block, 0),
    };
    struct wave_field *copies = amdgpu_arena_take(&region->arena, sizeof fields);
    if (copies)
        memcpy(copies, fields, sizeof fields);
    region->machine = (struct wave_machine){
        .name = amdgpu_isa_name(shape->isa),
        .state_size = offsetof(struct amdgpu_wave, live),
        .frame_field = offsetof(struct amdgpu_wave, v),
        .fields = copies,
        .field_count = sizeof fields / sizeof *fields,
        .bitcode = sim_amdgpu_bitcode(),
        .handler_offset = offsetof(struct amdgpu_op, run),
        .describe = describe_op_text,
    };
}

/* ---- regions ----------------------------------------------------------------------------- */

static bool is_worth_it(const struct finder *f)
{
    return !f->region->arena.failed && f->insts > 1 && f->insts < JIT_REGION_MAX &&
           f->blocks[0].inst_count + (f->blocks[0].end != WAVE_LEAVE) > 2;
}

struct amdgpu_region *amdgpu_region_create(const struct amdgpu_op *op, bool full, uint32_t mode)
{
    const struct amdgpu_shape *shape = amdgpu_page_of(op)->shape;
    struct amdgpu_region *region = calloc(1, sizeof *region);
    struct finder *f = calloc(1, sizeof *f);
    bool made = false;
    if (region && f) {
        region->mode = mode;
        f->region = region;
        f->describer.arena = &region->arena;
        f->describer.shape = shape;
        f->blocks = amdgpu_arena_take(&region->arena, NODES_MAX * sizeof *f->blocks);
        add_node(f, op, full);
        if (f->blocks)
            describe_blocks(f);
        if (!region->arena.failed)
            drop_unreached(f);
        set_machine(region, shape);
        char *name = amdgpu_arena_take(&region->arena, 64);
        if (name)
            snprintf(name, 64, "0x%llx%s",
                     (unsigned long long)(amdgpu_page_of(op)->address + op->offset),
                     full ? "" : ", some lanes");
        made = !region->arena.failed && is_worth_it(f);
        region->region = (struct wave_region){
            .machine = &region->machine,
            .name = name,
            .frame_size = (shape->vgprs + shape->agprs) * shape->lanes * (uint32_t)sizeof(uint32_t),
            .blocks = f->blocks,
            .block_count = f->node_count,
            .data = region,
            .live = is_live};
    }
    free(f);
    if (made)
        return region;
    amdgpu_region_destroy(region);
    return NULL;
}

void amdgpu_region_destroy(struct amdgpu_region *region)
{
    if (region)
        amdgpu_arena_free(&region->arena);
    free(region);
}
