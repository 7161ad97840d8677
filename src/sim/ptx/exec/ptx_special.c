/* Special registers: where a thread is, what it runs on, what time it is. An op's
 * bits say which one. */
#include "ptx_warp.h"

#include "clocks.h"

#include <string.h>

static void coordinates(const uint32_t *triple, enum ptx_special special, enum ptx_special x,
                        uint64_t *out_value)
{
    if (special >= x && special <= x + 2)
        *out_value = triple[special - x];
}

/* One cluster is one block. */
static uint64_t of_cluster(const struct ptx_warp *warp, enum ptx_special special)
{
    const struct sim_block *block = warp->block->sim;
    uint64_t value = 0;
    coordinates(block->index, special, PTX_SPECIAL_CLUSTERID_X, &value);
    coordinates(block->launch->grid, special, PTX_SPECIAL_NCLUSTERID_X, &value);
    if ((special >= PTX_SPECIAL_CLUSTER_NCTAID_X && special <= PTX_SPECIAL_CLUSTER_NCTAID_Z) ||
        special == PTX_SPECIAL_CLUSTER_NCTARANK)
        value = 1;
    return value;
}

/* What is the same for all lanes. */
static uint64_t of_warp(const struct ptx_warp *warp, enum ptx_special special)
{
    const struct ptx_launch *launch = warp->launch;
    uint64_t value = 0;
    coordinates(launch->block, special, PTX_SPECIAL_NTID_X, &value);
    coordinates(launch->run.grid, special, PTX_SPECIAL_NCTAID_X, &value);
    if (special >= PTX_SPECIAL_CLUSTERID_X && special <= PTX_SPECIAL_CLUSTER_NCTARANK)
        return of_cluster(warp, special);
    if (special >= PTX_SPECIAL_ENVREG0 && special <= PTX_SPECIAL_ENVREG31)
        return launch->envregs[special - PTX_SPECIAL_ENVREG0];
    switch (special) {
    case PTX_SPECIAL_WARPID:
        return warp->number;
    case PTX_SPECIAL_NWARPID: /* of the multiprocessor */
        return launch->context->sm >= 90 || launch->context->sm < 86 ? 64 : 48;
    case PTX_SPECIAL_SMID:
        return warp->block->smid;
    case PTX_SPECIAL_NSMID:
        return launch->context->units;
    case PTX_SPECIAL_GRIDID:
        return launch->id;
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_CLOCK64:
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_GLOBALTIMER_LO:
        return ah_clock_now();
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_GLOBALTIMER_HI:
        return ah_clock_now() >> 32;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
        return warp->shared_size;
    default:
        return value;
    }
}

static uint32_t lanes_of(enum ptx_special special, unsigned lane)
{
    uint32_t self = 1u << lane, below = self - 1;
    switch (special) {
    case PTX_SPECIAL_LANEMASK_EQ:
        return self;
    case PTX_SPECIAL_LANEMASK_LT:
        return below;
    case PTX_SPECIAL_LANEMASK_LE:
        return below | self;
    case PTX_SPECIAL_LANEMASK_GE:
        return ~below;
    case PTX_SPECIAL_LANEMASK_GT:
        return ~(below | self);
    default:
        return lane; /* %laneid */
    }
}

const struct ptx_op *ptx_run_special_tid(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    const uint32_t *tid = ptx_wave_of(warp)->tid[op->bits - PTX_SPECIAL_TID_X];
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? tid[lane] : d[lane];
    return op + 1;
}

const struct ptx_op *ptx_run_special_lane(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? lanes_of((enum ptx_special)op->bits, lane) : d[lane];
    return op + 1;
}

static const struct ptx_op *spread(struct ptx_warp *warp, const struct ptx_op *op, uint32_t value)
{
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    if (warp->whole)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            d[lane] = value;
    else
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            d[lane] = warp->lanes[lane] ? value : d[lane];
    return op + 1;
}

const struct ptx_op *ptx_run_special_block(struct ptx_warp *warp, const struct ptx_op *op)
{
    return spread(warp, op, warp->block->sim->index[op->bits - PTX_SPECIAL_CTAID_X]);
}

const struct ptx_op *ptx_run_special_4(struct ptx_warp *warp, const struct ptx_op *op)
{
    return spread(warp, op, (uint32_t)of_warp(warp, (enum ptx_special)op->bits));
}

const struct ptx_op *ptx_run_special_8(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint64_t *d = (uint64_t *)(void *)(warp->regs + op->d);
    uint64_t value = of_warp(warp, (enum ptx_special)op->bits);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? value : d[lane];
    return op + 1;
}

const struct ptx_op *ptx_run_special_mask(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t mask; /* %is_explicit_cluster: no */
    memcpy(&mask, warp->regs + op->d, sizeof mask);
    mask &= ~warp->mask;
    memcpy(warp->regs + op->d, &mask, sizeof mask);
    return op + 1;
}
