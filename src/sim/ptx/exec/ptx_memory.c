/* Fences, hints, and which of the handlers of loads and stores (ptx_access.c) suits the host. */
#include "ptx_memory.h"

#include <stdatomic.h>

/* ---- fences ------------------------------------------------------------------------------ */

/* Between threads of a block, which all run on one thread of the host, and for
 * the compiler's sake: nothing to do. */
const struct ptx_op *ptx_run_fence_block(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_signal_fence(memory_order_seq_cst);
    return op + 1;
}

const struct ptx_op *ptx_run_fence_device(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_thread_fence(memory_order_seq_cst);
    return op + 1;
}

const struct ptx_op *ptx_run_fence_acquire(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_thread_fence(memory_order_acquire);
    return op + 1;
}

const struct ptx_op *ptx_run_fence_release(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_thread_fence(memory_order_release);
    return op + 1;
}

/* Any policy does: it is only ever a hint. */
const struct ptx_op *ptx_run_policy(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint64_t *d = (uint64_t *)(void *)(warp->regs + op->d);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? op->bits : d[lane];
    return op + 1;
}

/* ---- loads and stores -------------------------------------------------------------------- */

const struct ptx_access_functions *ptx_access_functions(void)
{
#define TABLE(isa, name) [SIM_ISA_##isa] = &ptx_access_##name,
    static const struct ptx_access_functions *const functions[SIM_ISA_COUNT] = {SIM_ISAS(TABLE)};
#undef TABLE
    return functions[sim_isa()];
}

ptx_handler ptx_access_handler(const struct ptx_access *access)
{
    return ptx_access_functions()->handler(access);
}

bool ptx_is_access_handler(ptx_handler handler)
{
    return ptx_access_functions()->is_handler(handler);
}
