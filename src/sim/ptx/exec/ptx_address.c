/* Addresses of accesses as instructions that are not loads or stores use them; handlers of the
 * instructions that convert generic addresses and test them. */
#include "ptx_checks.h"
#include "ptx_memory.h"
#include "sim_memory.h"

#include <string.h>

/* ---- accesses ----------------------------------------------------------------------- */

void ptx_access_addresses(const struct ptx_warp *warp, const struct ptx_access *access,
                          uint64_t out_at[PTX_LANES])
{
    ptx_access_functions()->addresses(warp, access, out_at);
}

bool ptx_access_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                         const struct ptx_access *access, const uint64_t at[PTX_LANES],
                         unsigned char *out_where[PTX_LANES])
{
    return ptx_access_functions()->pointers(warp, op, access, at, out_where);
}

enum ptx_space ptx_generic_space(uint64_t address, uint64_t *out_offset)
{
    static const struct {
        uint64_t start;
        enum ptx_space space;
    } windows[] = {{SIM_SHARED_WINDOW, PTX_SHARED},
                   {SIM_LOCAL_WINDOW, PTX_LOCAL},
                   {SIM_PARAM_WINDOW, PTX_PARAM}};
    for (unsigned i = 0; i < 3; i++) {
        *out_offset = address - windows[i].start;
        if (*out_offset < SIM_WINDOW_SIZE)
            return windows[i].space;
    }
    *out_offset = address;
    return PTX_GLOBAL;
}

/* ---- cvta, isspacep --------------------------------------------------------------------- */

uint64_t ptx_window_of(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return SIM_SHARED_WINDOW;
    case PTX_LOCAL:
        return SIM_LOCAL_WINDOW;
    case PTX_PARAM:
        return SIM_PARAM_WINDOW;
    default:
        return 0;
    }
}

/* d = a + bits, for 64-bit addresses. */
const struct ptx_op *ptx_run_shift_address(struct ptx_warp *warp, const struct ptx_op *op)
{
    const uint64_t *a = (const uint64_t *)(const void *)(warp->regs + op->a);
    uint64_t *d = (uint64_t *)(void *)(warp->regs + op->d);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? a[lane] + op->bits : d[lane];
    return op + 1;
}

/* 32-bit generic addresses cannot name a window: only what is identical converts. */
const struct ptx_op *ptx_run_keep_address(struct ptx_warp *warp, const struct ptx_op *op)
{
    const uint32_t *a = (const uint32_t *)(const void *)(warp->regs + op->a);
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? a[lane] : d[lane];
    return op + 1;
}

static bool in_constants(const struct ptx_module *module, uint64_t address)
{
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next)
        if (symbol->space == PTX_CONST && address - symbol->address < symbol->size)
            return true;
    return false;
}

const struct ptx_op *ptx_run_is_in_space(struct ptx_warp *warp, const struct ptx_op *op)
{
    const uint64_t *a = (const uint64_t *)(const void *)(warp->regs + op->a);
    const struct ptx_module *module = warp->launch->kernel->module;
    uint32_t yes = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t offset;
        enum ptx_space space = ptx_generic_space(a[lane], &offset);
        if (space == PTX_GLOBAL && in_constants(module, a[lane]))
            space = PTX_CONST;
        bool in = space == (enum ptx_space)op->bits ||
                  (space == PTX_PARAM && op->bits == PTX_GLOBAL); /* contains that window */
        yes |= (uint32_t)in << lane;
    }
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    *d = (*d & ~warp->mask) | yes;
    return op + 1;
}
