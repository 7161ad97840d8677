/* Regions: from an op on, along branches, through decoded code.
 *
 * A node is an op with what is known of the lanes that are live there, and begins a block. Where an
 * op may change EXEC, its block ends with a branch to nodes of other lanes. */
#include "amdgpu_jit_region.h"

#include "sim_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_MAX = 1500, NODES_MAX = 512, NODE_BUCKETS = 1024 };

/* SOME: any, which EXEC tells. NONE: only in regions for all lanes, which pass over code that none
 * of their lanes executes. */
enum lanes { LANES_ALL, LANES_SOME, LANES_NONE };

struct node {
    const struct amdgpu_op *op;
    enum lanes lanes;
    bool entry;
    unsigned next; /* of its bucket, plus 1 */
};

struct finder {
    const struct amdgpu_plan *plan;
    struct amdgpu_region *region;
    struct amdgpu_describer describer;
    struct wave_block *blocks; /* of nodes */
    struct node nodes[NODES_MAX];
    unsigned *entries; /* of the region */
    unsigned node_count, ops, insts;
    enum lanes lanes;               /* of the block that is described */
    unsigned buckets[NODE_BUCKETS]; /* plus 1 */
};

/* ---- nodes ------------------------------------------------------------------------------- */

static unsigned *bucket_of(struct finder *f, const struct amdgpu_op *op, enum lanes lanes)
{
    return &f->buckets[((uintptr_t)op / sizeof *op * 3 + lanes) % NODE_BUCKETS];
}

/* The number of a node; UINT32_MAX: there is none. */
static unsigned find_node(struct finder *f, const struct amdgpu_op *op, enum lanes lanes)
{
    for (unsigned n = *bucket_of(f, op, lanes); n; n = f->nodes[n - 1].next)
        if (f->nodes[n - 1].op == op && f->nodes[n - 1].lanes == lanes)
            return n - 1;
    return UINT32_MAX;
}

static unsigned add_node(struct finder *f, const struct amdgpu_op *op, enum lanes lanes)
{
    unsigned found = find_node(f, op, lanes), *bucket = bucket_of(f, op, lanes);
    if (found != UINT32_MAX)
        return found;
    if (f->node_count == NODES_MAX) { /* has_room() was not asked */
        f->region->arena.failed = true;
        return 0;
    }
    f->nodes[f->node_count] = (struct node){.op = op, .lanes = lanes, .next = *bucket};
    *bucket = ++f->node_count;
    return f->node_count - 1;
}

/* Where none of its lanes is live, a wave does not stay for long. */
static void add_entry(struct finder *f, const struct amdgpu_op *op, enum lanes lanes)
{
    if (lanes != LANES_NONE)
        f->nodes[add_node(f, op, lanes)].entry = true;
}

/* For the nodes of an op that ends a block. */
static bool has_room(const struct finder *f)
{
    return f->node_count + 3 < NODES_MAX && f->ops < OPS_MAX;
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

static void add_target(struct finder *f, struct wave_block *block, const struct amdgpu_op *op,
                       enum lanes lanes)
{
    block->targets[block->target_count++] = add_node(f, settle(op), lanes);
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
    const enum lanes lanes = f->lanes;
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
    block->addresses = 2; /* the op */
    block->all = always;
    if (!always)
        add_target(f, block, next, lanes);
    add_target(f, block, target, lanes);
    if (back) /* where turns end */
        add_entry(f, settle(target), lanes);
}

/* EXEC may have changed. */
static void end_in_choice(struct finder *f, struct wave_block *block, const struct amdgpu_op *next)
{
    struct amdgpu_describer *d = &f->describer;
    const bool both = f->plan->kind == AMDGPU_FOR_BOTH;
    const uint64_t arguments[] = {d->shape->lanes};
    amdgpu_read_mask(d, AMDGPU_EXEC);
    set_function(f, block, both ? "amdgpu_wave_is_parted" : "amdgpu_wave_lanes", arguments, 1);
    add_target(f, block, next, LANES_ALL);
    add_target(f, block, next, both ? LANES_SOME : LANES_NONE);
    block->op = next;
}

static void end_in_jump(struct finder *f, struct wave_block *block, const struct amdgpu_op *next)
{
    block->end = WAVE_JUMP;
    add_target(f, block, next, f->lanes);
    block->op = next;
}

static void turn_page(struct finder *f, const struct amdgpu_op *op)
{
    struct amdgpu_describer *d = &f->describer;
    d->op = d->next = op;
    amdgpu_argue_address(d, amdgpu_page_of(op));
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

static void note_cut(struct finder *f, const struct amdgpu_op *op)
{
    struct amdgpu_region *region = f->region;
    for (unsigned i = 0; i < region->cut_count; i++)
        if (region->cuts[i] == op)
            return;
    if (region->cut_count < AMDGPU_CUTS_MAX)
        region->cuts[region->cut_count++] = op;
}

/* A barrier accesses no registers: those that are not read behind it need not be in place. EXEC
 * has to be, which functions where all lanes are live do not read. */
static void note_way_back(struct finder *f, struct wave_block *block, const struct amdgpu_op *next)
{
    amdgpu_read_mask(&f->describer, AMDGPU_EXEC);
    block->reads = copy_reads(f, &block->read_count);
    block->comes_to = find_node(f, next, f->lanes);
    block->comes_back = block->reads && block->comes_to != UINT32_MAX;
}

/* The wave may come back behind an op at which the region is left. */
static void note_after(struct finder *f, struct wave_block *block, const struct amdgpu_op *op)
{
    const struct amdgpu_op *next = settle(amdgpu_next(op));
    if (!amdgpu_comes_back(op->inst->row->id) || is_pseudo(next))
        return;
    if (has_room(f))
        add_entry(f, next, f->lanes);
    else
        note_cut(f, next);
    if (op->inst->row->id == AMDGPU_ID_S_BARRIER)
        note_way_back(f, block, next);
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

/* Where EXEC is known, branches on it are none. */
static enum amdgpu_flow flow_of(const struct finder *f, const struct amdgpu_op *op,
                                const char **out_condition)
{
    enum amdgpu_flow flow = amdgpu_flow_of(op->inst->row->id, out_condition);
    if (flow != AMDGPU_FLOW_BRANCH || f->lanes == LANES_SOME || !strstr(*out_condition, "exec"))
        return flow;
    bool taken = (strcmp(*out_condition, "execz") == 0) == (f->lanes == LANES_NONE);
    *out_condition = "always";
    return taken ? AMDGPU_FLOW_BRANCH : AMDGPU_FLOW_NOTHING;
}

/* Describes an op, or ends the block with it. False: the block has ended, before op or with it;
 * *ops: those that were executed and not counted. */
static bool describe_next(struct finder *f, struct wave_block *block, const struct amdgpu_op *op,
                          unsigned *ops)
{
    struct amdgpu_describer *d = &f->describer;
    const char *condition;
    unsigned first = d->inst_count;
    if (!is_known(op))
        return false;
    enum amdgpu_flow flow = flow_of(f, op, &condition);
    if (flow == AMDGPU_FLOW_NOTHING)
        return true;
    if (flow == AMDGPU_FLOW_BRANCH) {
        d->op = op;
        count_ops(f, op, *ops);
        *ops = 0;
        end_in_branch(f, block, op, condition);
        return false;
    }
    bool repeats = jit_mode() != JIT_COMPARE || amdgpu_repeats(op);
    if (!repeats || !amdgpu_describe_op(d, op)) {
        note_after(f, block, op);
        return false;
    }
    if (f->lanes == LANES_NONE)
        amdgpu_drop_idle(d, first);
    d->op = op;
    if (f->plan->kind == AMDGPU_FOR_SOME || !amdgpu_changes_exec(d))
        return true;
    count_ops(f, op, *ops + 1);
    *ops = 0;
    end_in_choice(f, block, settle(amdgpu_next(op)));
    return false;
}

/* Whether a block ends before op: it is the first of another node, or of another region, or the
 * region is long enough. */
static bool ends_before(struct finder *f, struct wave_block *block, const struct node *node,
                        const struct amdgpu_op *op)
{
    if (op != node->op && find_node(f, op, node->lanes) != UINT32_MAX) {
        end_in_jump(f, block, op);
        return true;
    }
    if (!is_pseudo(op) && f->plan->is_of_another(f->plan->data, op))
        return true;
    if (has_room(f))
        return false;
    note_cut(f, op);
    return true;
}

/* Describes the block of a node, up to a branch, the first op of another node, or an op at which
 * the region is left. */
static void describe_block(struct finder *f, unsigned number)
{
    struct amdgpu_describer *d = &f->describer;
    const struct node node = f->nodes[number];
    const struct amdgpu_op *op = node.op, *page_op = NULL;
    struct wave_block block = {.end = WAVE_LEAVE};
    unsigned ops = 0;
    f->lanes = node.lanes;
    d->full = node.lanes == LANES_ALL;
    d->insts = NULL;
    d->inst_count = d->inst_room = 0;
    for (;; op = settle(amdgpu_next(op)), ops++, f->ops++) {
        block.op = op;
        if (ends_before(f, &block, &node, op))
            break;
        if (!is_pseudo(op) && (!page_op || amdgpu_page_of(op) != amdgpu_page_of(page_op)))
            turn_page(f, op);
        page_op = op;
        if (!describe_next(f, &block, op, &ops))
            break;
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
        f->region->cut_count = 0;
        for (unsigned i = 0; i < f->node_count && !f->region->arena.failed; i++)
            describe_block(f, i);
    } while (f->node_count != before && !f->region->arena.failed);
}

/* ---- blocks that nothing leads to -------------------------------------------------------- */

static void mark(const struct finder *f, unsigned number, bool *reached)
{
    unsigned stack[NODES_MAX], depth = 0;
    if (reached[number])
        return;
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
    for (unsigned e = 0; e < f->region->region.entry_count; e++)
        mark(f, f->region->region.entries[e], reached);
    for (unsigned i = 0; i < f->node_count; i++) {
        struct wave_block *block = &f->blocks[i];
        block->comes_back = block->comes_back && reached[block->comes_to];
        numbers[i] = count;
        if (reached[i])
            f->blocks[count++] = *block;
    }
    f->node_count = count;
    for (unsigned i = 0; i < count; i++) {
        struct wave_block *block = &f->blocks[i];
        for (unsigned k = 0; k < block->target_count; k++)
            block->targets[k] = numbers[block->targets[k]];
        block->comes_to = block->comes_back ? numbers[block->comes_to] : 0;
    }
    for (unsigned e = 0; e < f->region->region.entry_count; e++)
        f->entries[e] = numbers[f->entries[e]];
}

/* ---- regions ----------------------------------------------------------------------------- */

/* An entry is worth it if more than an op or two follow. */
static bool is_worth_entering(const struct finder *f, unsigned number)
{
    const struct wave_block *block = &f->blocks[number];
    return block->inst_count + (block->end != WAVE_LEAVE) > 2;
}

static void set_entries(struct finder *f)
{
    struct amdgpu_region *region = f->region;
    unsigned *numbers = amdgpu_arena_take(&region->arena, NODES_MAX * sizeof *numbers);
    struct amdgpu_entry *entries = amdgpu_arena_take(&region->arena, NODES_MAX * sizeof *entries);
    unsigned count = 0;
    for (unsigned i = 0; numbers && entries && i < f->node_count; i++) {
        const struct node *node = &f->nodes[i];
        if (!node->entry || !is_worth_entering(f, i))
            continue;
        numbers[count] = i;
        entries[count++] = (struct amdgpu_entry){node->op, node->lanes == LANES_ALL};
    }
    region->entries = entries;
    region->region.entries = f->entries = numbers;
    region->region.entry_count = count;
}

static void add_root(struct finder *f)
{
    const struct amdgpu_plan *plan = f->plan;
    if (plan->kind != AMDGPU_FOR_SOME)
        add_entry(f, plan->root, LANES_ALL);
    if (plan->kind != AMDGPU_FOR_ALL)
        add_entry(f, plan->root, LANES_SOME);
}

/* False: it is not worth it, or no memory. */
static bool find(struct finder *f)
{
    struct amdgpu_region *region = f->region;
    f->describer.arena = &region->arena;
    f->describer.shape = amdgpu_page_of(f->plan->root)->shape;
    f->blocks = amdgpu_arena_take(&region->arena, NODES_MAX * sizeof *f->blocks);
    add_root(f);
    if (f->blocks)
        describe_blocks(f);
    if (region->arena.failed)
        return false;
    set_entries(f);
    drop_unreached(f);
    amdgpu_region_describe(region, f->plan->root);
    region->region.blocks = f->blocks;
    region->region.block_count = f->node_count;
    return !region->arena.failed && region->region.entry_count && f->insts > 1 &&
           f->insts < JIT_REGION_MAX;
}

struct amdgpu_region *amdgpu_region_create(const struct amdgpu_plan *plan)
{
    struct amdgpu_region *region = calloc(1, sizeof *region);
    struct finder *f = calloc(1, sizeof *f);
    bool made = false;
    if (region && f) {
        region->kind = plan->kind;
        region->mode = plan->mode;
        f->plan = plan;
        f->region = region;
        made = find(f);
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
