/* Reads of memory that nobody wrote, and accesses of different threads to shared
 * memory that nothing orders. Accesses that are out of bounds are left to the op
 * that follows. */
#include "ptx_checks.h"
#include "sim_memory.h"
#include "sim_options.h"

#include <stdlib.h>
#include <string.h>

/* The last access of a kind to a byte of shared memory. */
struct access_record {
    uint32_t thread; /* plus one; 0: none */
    uint32_t line;
    uint64_t block_time, warp_time;
};

struct shared_byte {
    struct access_record write, read;
    bool written;
};

struct ptx_shadow {
    uint64_t time;        /* barriers of the block so far */
    uint64_t *warp_times; /* barriers of each warp */
    unsigned warps;
    size_t shared_size, local_stride;
    struct shared_byte *shared;
    unsigned char *local; /* of every thread, whether each byte is written */
};

bool ptx_checks_on(void)
{
    return sim_options()->checks & (SIM_CHECK_UNINITIALISED | SIM_CHECK_RACES);
}

/* ---- shadows ------------------------------------------------------------------------ */

struct ptx_shadow *ptx_shadow_create(size_t shared_size, unsigned warps, size_t local_stride)
{
    if (!ptx_checks_on())
        return NULL;
    struct ptx_shadow *shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->warps = warps;
    shadow->shared_size = shared_size;
    shadow->local_stride = local_stride;
    shadow->warp_times = calloc(warps + 1, sizeof *shadow->warp_times);
    shadow->shared = calloc(shared_size + 1, sizeof *shadow->shared);
    shadow->local = calloc((size_t)warps * PTX_LANES * local_stride + 1, 1);
    if (shadow->warp_times && shadow->shared && shadow->local)
        return shadow;
    ptx_shadow_destroy(shadow);
    return NULL;
}

void ptx_shadow_destroy(struct ptx_shadow *shadow)
{
    if (!shadow)
        return;
    free(shadow->warp_times);
    free(shadow->shared);
    free(shadow->local);
    free(shadow);
}

void ptx_shadow_begin(struct ptx_shadow *shadow)
{
    if (!shadow)
        return;
    shadow->time = 0;
    memset(shadow->warp_times, 0, shadow->warps * sizeof *shadow->warp_times);
    memset(shadow->shared, 0, shadow->shared_size * sizeof *shadow->shared);
    memset(shadow->local, 0, (size_t)shadow->warps * PTX_LANES * shadow->local_stride);
}

void ptx_shadow_barrier(struct ptx_shadow *shadow)
{
    if (shadow)
        shadow->time++;
}

void ptx_shadow_warp_barrier(struct ptx_shadow *shadow, unsigned warp)
{
    if (shadow && warp < shadow->warps)
        shadow->warp_times[warp]++;
}

static unsigned char *local_bytes(const struct ptx_warp *warp, unsigned lane, uint64_t offset,
                                  size_t size)
{
    const struct ptx_shadow *shadow = warp->shadow;
    if (!shadow || warp->number >= shadow->warps || offset >= shadow->local_stride ||
        shadow->local_stride - offset < size)
        return NULL;
    return shadow->local + (warp->number * PTX_LANES + lane) * shadow->local_stride + offset;
}

void ptx_shadow_passed(struct ptx_warp *warp, unsigned lane, uint64_t offset, size_t size)
{
    unsigned char *written = local_bytes(warp, lane, offset, size);
    if (written)
        memset(written, 1, size);
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
        !sim_reach(warp->device, address, access->bytes, access->write))
        return true;
    if ((!access->write || access->atomic) && !sim_memory_written(address, access->bytes))
        return unwritten(warp, op, lane, "global", address);
    if (access->write)
        sim_memory_wrote(address, access->bytes);
    return true;
}

static bool check_local(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                        uint64_t offset)
{
    const struct ptx_access *access = op->extra;
    unsigned char *written = local_bytes(warp, lane, offset, access->bytes);
    if (!(sim_options()->checks & SIM_CHECK_UNINITIALISED) || !written)
        return true;
    if (access->write)
        memset(written, 1, access->bytes);
    else if (memchr(written, 0, access->bytes))
        return unwritten(warp, op, lane, "local", offset);
    return true;
}

/* ---- shared memory ------------------------------------------------------------------------ */

/* Whether nothing orders an earlier access before one of thread now. */
static bool unordered(const struct ptx_shadow *shadow, const struct access_record *earlier,
                      uint32_t thread)
{
    if (!earlier->thread || earlier->thread == thread + 1 || earlier->block_time != shadow->time)
        return false;
    unsigned warp = thread / PTX_LANES;
    return (earlier->thread - 1) / PTX_LANES != warp ||
           earlier->warp_time == shadow->warp_times[warp];
}

static bool race(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane, uint64_t offset,
                 const struct access_record *earlier, const char *what)
{
    const struct ptx_access *access = op->extra;
    ptx_fault(warp, op, lane, PTX_END_TRAP,
              "races: thread %u %s shared memory at 0x%llx (PTX line %u) which thread %u %s (PTX "
              "line %u), with no barrier between",
              warp->number * PTX_LANES + lane, access->write ? "writes" : "reads",
              (unsigned long long)offset, access->line, earlier->thread - 1, what, earlier->line);
    return false;
}

static bool check_shared_byte(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                              uint64_t offset)
{
    const struct ptx_access *access = op->extra;
    struct ptx_shadow *shadow = warp->shadow;
    struct shared_byte *byte = &shadow->shared[offset];
    uint32_t thread = warp->number * PTX_LANES + lane;
    struct access_record now = {.thread = thread + 1,
                                .line = access->line,
                                .block_time = shadow->time,
                                .warp_time = shadow->warp_times[warp->number]};
    /* lanes of one instruction that write to one place: one of them wins, as often meant */
    bool together = access->write && byte->write.line == access->line && byte->write.thread &&
                    (byte->write.thread - 1) / PTX_LANES == warp->number;
    if (!together && unordered(shadow, &byte->write, thread))
        return race(warp, op, lane, offset, &byte->write, "wrote");
    if (access->write && unordered(shadow, &byte->read, thread))
        return race(warp, op, lane, offset, &byte->read, "read");
    if (access->write)
        byte->write = now;
    else
        byte->read = now;
    return true;
}

static bool check_shared(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                         uint64_t offset)
{
    const struct ptx_access *access = op->extra;
    struct ptx_shadow *shadow = warp->shadow;
    unsigned checks = sim_options()->checks;
    if (warp->number >= shadow->warps || offset >= shadow->shared_size ||
        shadow->shared_size - offset < access->bytes)
        return true;
    for (uint64_t at = offset; at < offset + access->bytes; at++) {
        struct shared_byte *byte = &shadow->shared[at];
        if (checks & SIM_CHECK_UNINITIALISED && (!access->write || access->atomic) &&
            !byte->written)
            return unwritten(warp, op, lane, "shared", offset);
        byte->written |= access->write;
        if (checks & SIM_CHECK_RACES && !access->atomic && !check_shared_byte(warp, op, lane, at))
            return false;
    }
    return true;
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

static const struct ptx_op *check(struct ptx_warp *warp, const struct ptx_op *op)
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

void ptx_emit_checks(struct ptx_builder *builder, const struct ptx_access *access)
{
    if (!ptx_checks_on() || access->space == PTX_PARAM || access->bytes == 0)
        return;
    struct ptx_op *op = ptx_build_op(builder, check);
    op->extra = access;
}
