/* A region that is being made: of ptx_region.c, which makes its blocks, and ptx_region_ways.c,
 * which makes their ends. */
#ifndef PTX_BUILDING_H
#define PTX_BUILDING_H

#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "ptx_region.h"

struct ptx_building {
    const struct ptx_code *code;
    const struct ptx_known *known;
    struct ptx_region *region;
    uint32_t *block_of; /* of each op: the block that begins there, or UINT32_MAX */
    uint32_t *begins;   /* of each block: its op */
    unsigned block_count, block_capacity;
    struct wave_block *blocks;
    struct wave_inst *insts; /* of the block that is being made */
    bool *any;               /* of each: the handler may access every slot */
    unsigned count, capacity;
    size_t total; /* instructions of all blocks */
    bool failed;  /* no memory */
    bool whole;   /* lanes part nowhere in the region */
};

/* Memory that belongs to the region, with a copy of size bytes unless from is NULL. NULL: failed is
 * set. */
void *ptx_building_keep(struct ptx_building *building, const void *from, size_t size);
/* The number of the block that begins at an op, which is a new one if there was none. */
unsigned ptx_building_block(struct ptx_building *building, const struct ptx_op *op);
/* That of one more block that begins there; other blocks do not go to it of themselves. */
unsigned ptx_building_new_block(struct ptx_building *building, const struct ptx_op *op);
/* Whether a region can have the targets of a branch by index, as ways of one block. */
bool ptx_building_can_index(const struct ptx_op *op);
/* Makes the ends of all blocks, and the region's places. */
void ptx_building_end_blocks(struct ptx_building *building);

/* Whether lanes may come to an op from elsewhere than from the op before it. */
static inline bool ptx_building_joins(const struct ptx_op *op)
{
    return op->run == ptx_run_join || op->run == ptx_run_region;
}

#endif
