/* Counts instructions and accesses of launches that are profiled. */
#include "ptx_memory.h"

#include <stdio.h>
#include <string.h>

enum { SECTOR = 32, LINE = 128 }; /* bytes: of a transaction, and of a line of the caches */

/* An instruction whose guard is false for all lanes is issued all the same. */
static uint32_t lanes_of(const struct ptx_warp *warp, const struct ptx_count *count)
{
    uint32_t mask;
    if (!count->guarded)
        return warp->mask;
    memcpy(&mask, warp->regs + count->guard, sizeof mask);
    return (mask ^ count->inverted) & warp->mask;
}

static bool is_split(const struct ptx_warp *warp, const struct ptx_count *count, uint32_t lanes)
{
    const uint32_t *index = (const uint32_t *)(const void *)(warp->regs + count->index);
    if (count->counted != PTX_COUNT_BRANCH_INDEXED)
        return lanes && lanes != warp->mask;
    for (uint32_t left = warp->mask; left; left &= left - 1)
        if (index[__builtin_ctz(left)] != index[__builtin_ctz(warp->mask)])
            return true;
    return false;
}

const struct ptx_op *ptx_run_count(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_count *count = op->extra;
    struct sim_profile_counts *counts = warp->block->counts;
    uint32_t lanes = lanes_of(warp, count);
    sim_profile_instruction(counts, count->kind, (unsigned)__builtin_popcount(lanes));
    if (count->counted != PTX_COUNT_PLAIN) {
        counts->branches++;
        counts->divergent += is_split(warp, count, lanes);
    }
    return op + 1;
}

/* ---- accesses ------------------------------------------------------------------------------ */

static enum sim_access_kind kind_of(const struct ptx_access *access, enum sim_access_kind load)
{
    if (access->atomic && load != SIM_LOCAL_LOAD)
        return load + 2;
    return load + access->write;
}

/* The lanes whose addresses are in a space. */
static uint32_t lanes_in(const struct ptx_warp *warp, const struct ptx_access *access,
                         const uint64_t at[PTX_LANES], enum ptx_space space)
{
    uint64_t offset;
    uint32_t lanes = 0;
    if (access->space != PTX_GENERIC)
        return access->space == space ? warp->mask : 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        lanes |= (uint32_t)(ptx_generic_space(at[lane], &offset) == space) << lane;
    }
    return lanes;
}

const struct ptx_op *ptx_run_count_access(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    struct sim_profile_counts *counts = warp->block->counts;
    uint64_t at[PTX_LANES];
    struct sim_profile_access of = {
        .at = at, .bytes = access->bytes, .transaction = SECTOR, .line = LINE};
    ptx_access_addresses(warp, access, at);
    of.mask = lanes_in(warp, access, at, PTX_GLOBAL);
    sim_profile_memory(counts, kind_of(access, SIM_GLOBAL_LOAD), &of);
    of.mask = lanes_in(warp, access, at, PTX_LOCAL);
    sim_profile_memory(counts, kind_of(access, SIM_LOCAL_LOAD), &of);
    of.mask = lanes_in(warp, access, at, PTX_SHARED); /* windows are whole rows of banks */
    sim_profile_banks(counts, kind_of(access, SIM_SHARED_LOAD), &of);
    return op + 1;
}

/* ---- launches ------------------------------------------------------------------------------- */

struct sim_profile_launch *ptx_profile_begin(const struct ptx_launch *launch,
                                             const struct ptx_shape_of_block *shape)
{
    const struct ptx_code *code = launch->kernel->code;
    struct sim_profile_kernel kernel = {.engine = "ptx",
                                        .name = launch->kernel->symbol->name,
                                        .device = launch->context->device,
                                        .shared = shape->shared_size,
                                        .local = shape->local_stride,
                                        .registers = code->registers,
                                        .lanes = PTX_LANES,
                                        .transaction = SECTOR,
                                        .line = LINE,
                                        .warps_per_block = launch->run.waves_per_block,
                                        .blocks_per_unit = launch->occupancy.blocks,
                                        .warps_per_unit_max = launch->occupancy.warps_max,
                                        .limit = launch->occupancy.limit};
    snprintf(kernel.model, sizeof kernel.model, "sm_%u", launch->context->sm);
    memcpy(kernel.grid, launch->run.grid, sizeof kernel.grid);
    memcpy(kernel.block, launch->block, sizeof kernel.block);
    if (!kernel.limit)
        kernel.limit = "";
    return sim_profile_begin(&kernel);
}
