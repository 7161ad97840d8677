/* How the blocks of a region end: where lanes may wait meanwhile, and which of them go on. */
#include "ptx_building.h"
#include "ptx_facts.h"
#include "ptx_parts.h"

#include <stdlib.h>

/* ---- places --------------------------------------------------------------------------------- */

static uint32_t line_of(const struct ptx_building *building, unsigned block)
{
    return ptx_parts_line(building->known->parts, building->code->ops + building->begins[block]);
}

static int compare_lines(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether lanes may wait at a line while some block of the region is executed. */
static bool is_place(const struct ptx_building *building, uint32_t line)
{
    const struct ptx_parts *parts = building->known->parts;
    for (unsigned b = 1; b < building->block_count; b++) {
        const struct ptx_op *op = building->code->ops + building->begins[b];
        if (ptx_parts_next(parts, op, line) == line)
            return true;
    }
    return false;
}

/* Sets the region's places. False: they are too many. */
static bool find_places(struct ptx_building *building)
{
    struct ptx_region *region = building->region;
    uint32_t lines[PTX_PLACES];
    unsigned count = 0;
    for (unsigned b = 1; b < building->block_count; b++) {
        if (!is_place(building, line_of(building, b)))
            continue;
        if (count == PTX_PLACES)
            return false;
        lines[count++] = line_of(building, b);
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (unsigned i = 0; i < count; i++)
        region->places[i] = ptx_parts_begin(building->known->parts, lines[i]);
    region->place_count = count;
    return true;
}

/* The places at which lanes may wait while others execute op. */
static uint64_t places_at(const struct ptx_building *building, const struct ptx_op *op)
{
    const struct ptx_region *region = building->region;
    const struct ptx_parts *parts = building->known->parts;
    uint64_t places = 0;
    for (unsigned i = 0; i < region->place_count; i++) {
        uint32_t line = ptx_parts_line(parts, region->places[i]);
        places |= (uint64_t)(ptx_parts_next(parts, op, line) == line) << i;
    }
    return places;
}

static uint64_t places_below(const struct ptx_building *building, const struct ptx_op *op)
{
    const struct ptx_region *region = building->region;
    const struct ptx_parts *parts = building->known->parts;
    uint64_t below = 0;
    for (unsigned i = 0; i < region->place_count; i++)
        below |= (uint64_t)(ptx_parts_line(parts, region->places[i]) < ptx_parts_line(parts, op))
                 << i;
    return below;
}

static uint64_t place_at(const struct ptx_building *building, const struct ptx_op *op)
{
    const struct ptx_region *region = building->region;
    for (unsigned i = 0; i < region->place_count; i++)
        if (region->places[i] == op)
            return UINT64_C(1) << i;
    return 0;
}

static uint64_t joining_places(const struct ptx_building *building)
{
    uint64_t joins = 0;
    for (unsigned i = 0; i < building->region->place_count; i++)
        joins |= (uint64_t)ptx_building_joins(building->region->places[i]) << i;
    return joins;
}

/* ---- ways ------------------------------------------------------------------------------------
 */

/* Adds the places of a set to a block's targets. False: they are too many. */
static bool add_targets(struct ptx_building *building, struct wave_block *block, uint64_t places)
{
    while (block->target_count < 2) /* results are numbered behind a branch's two */
        block->targets[block->target_count++] = block->targets[0];
    for (; places; places &= places - 1) {
        if (block->target_count == WAVE_TARGETS_MAX)
            return false;
        const struct ptx_op *op = building->region->places[__builtin_ctzll(places)];
        block->targets[block->target_count++] = ptx_building_block(building, op);
    }
    return true;
}

unsigned ptx_region_allowance(const struct ptx_op *op)
{
    enum { ALLOWANCE = 1 << 16 };
    return op->d ? 0 : ALLOWANCE;
}

static uint64_t cost_of(const struct ptx_op *op)
{
    return op->c ? op->c | (uint64_t)ptx_region_allowance(op) << 32 : 0;
}

static void set_function(struct ptx_building *building, struct wave_block *block, const char *name,
                         const uint64_t *arguments, unsigned count)
{
    block->end = WAVE_BRANCH;
    block->function = name;
    block->arguments = ptx_building_keep(building, arguments, count * sizeof *arguments);
    block->argument_count = count;
}

/* A jump, or a line that ends where another one begins. */
static bool end_jump(struct ptx_building *building, struct wave_block *block,
                     const struct ptx_op *last)
{
    const struct ptx_op *op = block->op, *to = ptx_building_joins(op) ? op : op->target;
    uint64_t waiting = places_at(building, last), below = places_below(building, to) & waiting;
    uint64_t cost = op->run == ptx_run_jump_back ? cost_of(op) : 0;
    block->end = WAVE_JUMP;
    if (!waiting && !cost)
        return true;
    block->stays = !cost;
    const uint64_t arguments[] = {cost,  place_at(building, to),  below, to->e,
                                  below, joining_places(building)};
    set_function(building, block, "ptx_wave_jump", arguments, 6);
    return !below || add_targets(building, block, below);
}

static bool end_branch(struct ptx_building *building, struct wave_block *block)
{
    const struct ptx_op *op = block->op, *to = op->target, *other = op + 1;
    const struct ptx_parts *parts = building->known->parts;
    bool may = parts && !building->whole && ptx_parts_may(parts, op) && to != other;
    bool first = may && ptx_parts_line(parts, to) < ptx_parts_line(parts, other);
    uint64_t waiting = places_at(building, op);
    uint64_t below = places_below(building, to) & waiting;
    uint64_t other_below = places_below(building, other) & waiting;
    uint64_t places = below | other_below;
    uint64_t flags = (may ? PTX_WAVE_PARTS : 0) | (first ? PTX_WAVE_TAKEN_FIRST : 0) |
                     (ptx_building_joins(other) ? PTX_WAVE_JOINED : 0);
    const struct wave_slot slot = {WAVE_FRAME, op->a, sizeof(uint32_t)};
    bool uniform = building->known->facts && ptx_facts_uniform(building->known->facts, op);
    flags |= !may && !uniform ? PTX_WAVE_AGREE : 0;
    block->stays = op->run == ptx_run_branch && !(flags & PTX_WAVE_AGREE);
    const uint64_t arguments[] = {op->a,
                                  op->b,
                                  flags,
                                  cost_of(op),
                                  place_at(building, to),
                                  below,
                                  to->e,
                                  place_at(building, other),
                                  other_below,
                                  op->e,
                                  places,
                                  joining_places(building)};
    set_function(building, block, "ptx_wave_branch", arguments, 12);
    block->reads = ptx_building_keep(building, &slot, sizeof slot);
    block->read_count = 1;
    return add_targets(building, block, places);
}

/* ---- branches by index ------------------------------------------------------------------------
 *
 * Such a branch goes to a block of each of its targets, which does what coming there takes. */

enum { WAYS_MAX = 16, TABLES = 4, PER_TABLE = 16 };

/* The number of a target among the different ones of a table, of which there are count before. */
static unsigned way_of(const struct ptx_op *ways[WAYS_MAX], unsigned count,
                       const struct ptx_op *target)
{
    unsigned way = 0;
    while (way < count && ways[way] != target)
        way++;
    return way;
}

/* Fills the tables of ptx_wave_indexed(). 0: the targets are too many. */
static unsigned find_ways(const struct ptx_targets *targets, const struct ptx_op *ways[WAYS_MAX],
                          uint64_t tables[TABLES])
{
    unsigned count = 0;
    if (targets->count > TABLES * PER_TABLE)
        return 0;
    for (unsigned t = 0; t < targets->count; t++) {
        unsigned way = way_of(ways, count, targets->ops[t]);
        if (way == WAYS_MAX || !ptx_building_joins(targets->ops[t]))
            return 0;
        if (way == count)
            ways[count++] = targets->ops[t];
        tables[t / PER_TABLE] |= (uint64_t)way << t % PER_TABLE * 4;
    }
    return count;
}

bool ptx_building_can_index(const struct ptx_op *op)
{
    const struct ptx_op *ways[WAYS_MAX];
    uint64_t tables[TABLES] = {0};
    return find_ways(op->extra, ways, tables) > 0;
}

/* A block from a branch to one of its targets. False: there are too many places. */
static bool add_way(struct ptx_building *building, const struct ptx_op *branch,
                    const struct ptx_op *target, unsigned *out_number)
{
    *out_number = ptx_building_new_block(building, target);
    if (building->failed)
        return true;
    struct wave_block *block = &building->blocks[*out_number];
    block->targets[0] = ptx_building_block(building, target);
    block->target_count = 1;
    return end_jump(building, block, branch);
}

static bool end_indexed(struct ptx_building *building, unsigned number)
{
    const struct ptx_op *op = building->blocks[number].op, *ways[WAYS_MAX];
    const struct ptx_targets *targets = op->extra;
    const struct wave_slot slot = {WAVE_FRAME, op->a, PTX_LANES * sizeof(uint32_t)};
    uint64_t tables[TABLES] = {0};
    unsigned count = find_ways(targets, ways, tables), blocks[WAYS_MAX] = {0};
    bool fine = true;
    for (unsigned i = 0; i < count && fine; i++)
        fine = add_way(building, op, ways[i], &blocks[i]);
    const uint64_t arguments[] = {op->a,     cost_of(op), targets->count, tables[0],
                                  tables[1], tables[2],   tables[3]};
    struct wave_block *block = &building->blocks[number];
    block->stays = false;
    set_function(building, block, "ptx_wave_indexed", arguments, 7);
    block->reads = ptx_building_keep(building, &slot, sizeof slot);
    block->read_count = 1;
    block->target_count = count;
    for (unsigned i = 0; i < count; i++)
        block->targets[i] = blocks[i];
    return fine;
}

/* False: there are too many places. */
static bool end_ways(struct ptx_building *building)
{
    bool fine = true;
    for (unsigned b = 1, count = building->block_count; fine && b < count; b++) {
        struct wave_block *block = &building->blocks[b];
        const struct ptx_op *op = block->op;
        if (block->end == WAVE_LEAVE)
            continue;
        if (op->run == ptx_run_branch_indexed) {
            fine = end_indexed(building, b);
            continue;
        }
        bool branch = op->run == ptx_run_branch || op->run == ptx_run_branch_back;
        block->target_count = branch ? 2 : 1;
        const struct ptx_op *first = building->code->ops + building->begins[b];
        fine = branch ? end_branch(building, block)
                      : end_jump(building, block, ptx_building_joins(op) ? first : op);
    }
    return fine;
}

void ptx_building_end_blocks(struct ptx_building *building)
{
    struct ptx_region *region = building->region;
    const struct ptx_op *entry = building->code->ops + building->begins[1];
    unsigned count = building->block_count;
    building->whole = !building->known->parts || !find_places(building) || !end_ways(building);
    if (building->whole) {
        region->place_count = 0;
        building->block_count = count;
        end_ways(building);
    }
    region->entered = places_at(building, entry);
}
