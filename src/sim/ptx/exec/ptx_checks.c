/* Reads of memory that has not been written, accesses of different threads to shared memory that
 * nothing orders, and such as do not wait for an asynchronous copy. Accesses that are out of bounds
 * are left to the op that follows. */
#include "ptx_checks.h"
#include "sim_memory.h"
#include "sim_options.h"

#include <stdio.h>

bool ptx_checks_on(void)
{
    return sim_options()->checks & (SIM_CHECK_UNINITIALISED | SIM_CHECK_RACES | SIM_CHECK_SYNC);
}

struct sim_shadow *ptx_shadow_create(size_t shared_size, unsigned warps, size_t local_stride)
{
    struct sim_shadow_shape shape = {.shared_size = shared_size,
                                     .local_stride = local_stride,
                                     .waves = warps,
                                     .lanes = PTX_LANES,
                                     .checks = sim_options()->checks};
    return ptx_checks_on() ? sim_shadow_create(&shape) : NULL;
}

static unsigned thread_of(const struct ptx_warp *warp, unsigned lane)
{
    return warp->number * PTX_LANES + lane;
}

void ptx_shadow_passed(struct ptx_warp *warp, unsigned lane, uint64_t offset, size_t size)
{
    sim_shadow_passed(warp->shadow, thread_of(warp, lane), offset, size);
}

/* ---- uninitialised memory --------------------------------------------------------------- */

static bool unwritten(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                      const char *space, uint64_t address)
{
    const struct ptx_access *access = op->extra;
    ptx_fault(warp, op, lane, PTX_END_TRAP,
              "reads %u bytes of %s memory at 0x%llx which nothing has written", access->bytes,
              space, (unsigned long long)address);
    return false;
}

static bool check_global(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                         uint64_t address)
{
    const struct ptx_access *access = op->extra;
    if (!sim_memory_tracking || address % access->bytes ||
        !sim_translate(warp->device, address, access->bytes, access->write))
        return true;
    if ((!access->write || access->atomic) && !sim_memory_written(address, access->bytes))
        return unwritten(warp, op, lane, "global", address);
    if (access->write)
        sim_memory_wrote(address, access->bytes);
    return true;
}

/* ---- shared and local memory ------------------------------------------------------------ */

static struct sim_shadow_access shadowed(const struct ptx_warp *warp, const struct ptx_op *op,
                                         unsigned lane, uint64_t offset)
{
    const struct ptx_access *access = op->extra;
    return (struct sim_shadow_access){.thread = thread_of(warp, lane),
                                      .offset = offset,
                                      .place = access->line,
                                      .size = access->bytes,
                                      .write = access->write,
                                      .atomic = access->atomic};
}

static bool check_local(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                        uint64_t offset)
{
    struct sim_shadow_access access = shadowed(warp, op, lane, offset);
    return sim_shadow_local(warp->shadow, &access) == SIM_SHADOW_OK ||
           unwritten(warp, op, lane, "local", offset);
}

static bool race(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                 const struct sim_shadow_race *found)
{
    const struct ptx_access *access = op->extra;
    const struct ptx_other other = {.what = found->wrote ? "write" : "read",
                                    .line = (unsigned)found->place,
                                    .thread = found->thread,
                                    .offset = found->offset};
    char what[128];
    snprintf(what, sizeof what,
             "races: %s shared memory which another thread %s, with no barrier between",
             access->write ? "writes" : "reads", found->wrote ? "wrote" : "read");
    ptx_fault_shared(warp, op, lane, what, &other);
    return false;
}

static bool coming(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                   const struct sim_shadow_race *found)
{
    const struct ptx_access *access = op->extra;
    const struct ptx_other other = {.what = "cp.async",
                                    .line = (unsigned)found->place,
                                    .thread = found->thread,
                                    .offset = found->offset};
    char what[160];
    snprintf(what, sizeof what,
             "%s shared memory which cp.async may not have written yet: the thread has not waited "
             "for it",
             access->write ? "writes" : "reads");
    ptx_fault_shared(warp, op, lane, what, &other);
    return false;
}

void ptx_checks_copy(struct ptx_warp *warp, const struct ptx_access *access,
                     const uint64_t at[PTX_LANES])
{
    for (uint32_t left = warp->shadow ? warp->mask : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct sim_shadow_access copy = {.thread = thread_of(warp, lane),
                                         .offset = at[lane],
                                         .place = access->line,
                                         .size = access->bytes,
                                         .write = true};
        sim_shadow_copy(warp->shadow, &copy);
    }
}

static bool check_shared(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                         uint64_t offset)
{
    struct sim_shadow_access access = shadowed(warp, op, lane, offset);
    struct sim_shadow_race found;
    switch (sim_shadow_shared(warp->shadow, &access, &found)) {
    case SIM_SHADOW_UNWRITTEN:
        return unwritten(warp, op, lane, "shared", offset);
    case SIM_SHADOW_RACE:
        return race(warp, op, lane, &found);
    case SIM_SHADOW_PENDING:
        return coming(warp, op, lane, &found);
    default:
        return true;
    }
}

/* ---- the op ------------------------------------------------------------------------------- */

static bool check_lane(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                       uint64_t address)
{
    const struct ptx_access *access = op->extra;
    uint64_t offset = address;
    enum ptx_space space =
        access->space == PTX_GENERIC ? ptx_generic_space(address, &offset) : access->space;
    if (space == PTX_GLOBAL)
        return check_global(warp, op, lane, address);
    if (space == PTX_SHARED && warp->shadow)
        return check_shared(warp, op, lane, offset);
    if (space == PTX_LOCAL && warp->shadow)
        return check_local(warp, op, lane, offset);
    return true;
}

const struct ptx_op *ptx_run_check(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint64_t at[PTX_LANES];
    ptx_access_addresses(warp, op->extra, at);
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (!check_lane(warp, op, lane, at[lane]))
            return NULL;
    }
    return op + 1;
}
