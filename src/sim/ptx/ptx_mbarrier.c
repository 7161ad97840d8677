/* cp.async, and barriers that lie in shared memory. Copies are done at once; that a thread does
 * not wait for one before it is used is for a check to see (ptx_checks.h). */
#include "ptx_checks.h"
#include "ptx_memory.h"

#include <string.h>

static struct ptx_access *sized_access(struct ptx_builder *builder,
                                       const struct ptx_operand *address, enum ptx_space space,
                                       unsigned size, bool write, unsigned line)
{
    struct ptx_words words = {.space = space, .type = PTX_B8, .vector = 1, .line = line};
    struct ptx_access *access = ptx_access_create(builder, address, &words, write);
    if (access)
        access->size = access->bytes = (uint8_t)size;
    return access;
}

/* ---- cp.async ------------------------------------------------------------------------ */

struct copy {
    struct ptx_access to; /* first: it is the op's extra */
    struct ptx_access *from;
    bool has_size, has_ignore;
    uint32_t size, ignore; /* slots: bytes to copy, the rest is zeros; whether to copy nothing */
};

static uint32_t copy_size(const struct ptx_warp *warp, const struct copy *copy, unsigned lane)
{
    const uint32_t *sizes = (const uint32_t *)(const void *)(warp->regs + copy->size);
    const uint32_t *ignore = (const uint32_t *)(const void *)(warp->regs + copy->ignore);
    if (copy->has_ignore && *ignore >> lane & 1)
        return 0;
    return copy->has_size && sizes[lane] < copy->to.bytes ? sizes[lane] : copy->to.bytes;
}

/* Lanes that copy nothing do not touch their source. */
static bool reach_sources(struct ptx_warp *warp, const struct ptx_op *op, const struct copy *copy,
                          unsigned char *where[PTX_LANES])
{
    uint64_t at[PTX_LANES];
    uint32_t mask = warp->mask, reading = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        reading |= (uint32_t)(copy_size(warp, copy, lane) > 0) << lane;
    }
    if (!reading)
        return true;
    ptx_access_addresses(warp, copy->from, at);
    for (unsigned lane = 0; lane < PTX_LANES; lane++) /* as a lane that does read */
        if (!(reading >> lane & 1))
            at[lane] = at[__builtin_ctz(reading)];
    return ptx_access_reach(warp, op, copy->from, at, where) != PTX_SHAPE_FAULT;
}

__attribute__((no_sanitize("thread"))) static const struct ptx_op *
copy_async(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct copy *copy = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *to[PTX_LANES], *from[PTX_LANES];
    ptx_access_addresses(warp, &copy->to, at);
    if (ptx_access_reach(warp, op, &copy->to, at, to) == PTX_SHAPE_FAULT ||
        !reach_sources(warp, op, copy, from))
        return NULL;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t size = copy_size(warp, copy, lane);
        if (size > 0)
            memcpy(to[lane], from[lane], size);
        memset(to[lane] + size, 0, copy->to.bytes - size);
    }
    ptx_checks_copy(warp, &copy->to, at);
    return op + 1;
}

/* Copies are done already, and only the checks want to know. bits: groups that need not be. */
static const struct ptx_op *commit_group(struct ptx_warp *warp, const struct ptx_op *op)
{
    for (uint32_t left = warp->shadow ? warp->mask : 0; left; left &= left - 1)
        sim_shadow_commit(warp->shadow, warp->number * PTX_LANES + (unsigned)__builtin_ctz(left));
    return op + 1;
}

static const struct ptx_op *wait_group(struct ptx_warp *warp, const struct ptx_op *op)
{
    for (uint32_t left = warp->shadow ? warp->mask : 0; left; left &= left - 1)
        sim_shadow_wait(warp->shadow, warp->number * PTX_LANES + (unsigned)__builtin_ctz(left),
                        op->bits < UINT32_MAX ? (unsigned)op->bits : UINT32_MAX);
    return op + 1;
}

static const struct ptx_op *wait_all(struct ptx_warp *warp, const struct ptx_op *op)
{
    for (uint32_t left = warp->shadow ? warp->mask : 0; left; left &= left - 1)
        sim_shadow_wait_all(warp->shadow, warp->number * PTX_LANES + (unsigned)__builtin_ctz(left));
    return op + 1;
}

static void emit_copy(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    uint64_t size = inst->operands[2].bits;
    if (size != 16 && (ptx_inst_has(inst, "cg") || (size != 4 && size != 8))) {
        ptx_build_error(builder, "cp.async does not copy %llu bytes", (unsigned long long)size);
        return;
    }
    struct copy *copy = ptx_build_alloc(builder, sizeof *copy);
    struct ptx_access *to =
        sized_access(builder, &inst->operands[0], PTX_SHARED, (unsigned)size, true, inst->line);
    struct ptx_access *from =
        sized_access(builder, &inst->operands[1], PTX_GLOBAL, (unsigned)size, false, inst->line);
    if (!copy || !to || !from)
        return;
    copy->to = *to;
    copy->from = from;
    unsigned optional = inst->operand_count - ptx_inst_has(inst, "L2::cache_hint");
    if (optional > 3) {
        const struct ptx_operand *operand = &inst->operands[3];
        bool is_predicate = operand->kind == PTX_OP_REG && operand->symbol->type == PTX_PRED;
        copy->has_ignore = is_predicate;
        copy->has_size = !is_predicate;
        uint32_t slot = ptx_build_source(builder, operand, is_predicate ? PTX_PRED : PTX_U32);
        copy->ignore = copy->size = slot;
    }
    if (!copy->has_size && !copy->has_ignore) /* otherwise not all of it is read */
        ptx_emit_checks(builder, from);
    ptx_access_op(builder, copy_async, &copy->to);
}

/* ---- mbarrier --------------------------------------------------------------------------- */

/* A barrier's 64 bits, and a state's: arrivals that are pending in this phase,
 * arrivals of the next, bytes expected (two's complement), and the phase. */
enum { COUNT_BITS = 20, EXPECTED_AT = 20, BYTES_AT = 40, BYTES_BITS = 22, PHASE_AT = 63 };
enum { COUNT_MAX = (1 << COUNT_BITS) - 1 };

struct barrier {
    uint32_t pending, expected;
    int32_t bytes;
    bool phase;
};

static struct barrier barrier_read(const unsigned char *where)
{
    uint64_t bits;
    memcpy(&bits, where, sizeof bits);
    uint32_t bytes = (uint32_t)(bits >> BYTES_AT) << (32 - BYTES_BITS);
    return (struct barrier){.pending = bits & COUNT_MAX,
                            .expected = bits >> EXPECTED_AT & COUNT_MAX,
                            .bytes = (int32_t)bytes >> (32 - BYTES_BITS),
                            .phase = bits >> PHASE_AT};
}

static uint64_t barrier_bits(const struct barrier *barrier)
{
    uint64_t bytes = (uint32_t)barrier->bytes & ((1u << BYTES_BITS) - 1);
    return barrier->pending | (uint64_t)barrier->expected << EXPECTED_AT | bytes << BYTES_AT |
           (uint64_t)barrier->phase << PHASE_AT;
}

enum barrier_action {
    ACT_INIT,
    ACT_INVAL,
    ACT_ARRIVE,
    ACT_ARRIVE_DROP,
    ACT_EXPECT_BYTES,
    ACT_COMPLETE_BYTES,
    ACT_ARRIVE_BYTES,
    ACT_DROP_BYTES,
    ACT_NOTHING,
};

struct barrier_op {
    struct ptx_access access; /* first: it is the op's extra */
    enum barrier_action action;
    bool has_count, parity;
    uint32_t count, state, d; /* slots */
    bool returns;
};

static const char *arrive(struct barrier *barrier, uint32_t count)
{
    if (count == 0 || count > barrier->pending)
        return "more arrivals at an mbarrier than it expects";
    barrier->pending -= count;
    return NULL;
}

/* NULL, or what is wrong. */
static const char *act(struct barrier *barrier, enum barrier_action action, uint32_t count)
{
    switch (action) {
    case ACT_INIT:
        *barrier = (struct barrier){.pending = count, .expected = count};
        return count == 0 || count > COUNT_MAX ? "an mbarrier for no valid count" : NULL;
    case ACT_INVAL:
        *barrier = (struct barrier){0};
        return NULL;
    case ACT_EXPECT_BYTES:
        barrier->bytes += (int32_t)count;
        return NULL;
    case ACT_COMPLETE_BYTES:
        barrier->bytes -= (int32_t)count;
        return NULL;
    case ACT_ARRIVE_BYTES:
        barrier->bytes += (int32_t)count;
        return arrive(barrier, 1);
    case ACT_DROP_BYTES:
        barrier->bytes += (int32_t)count;
        barrier->expected -= barrier->expected > 0;
        return arrive(barrier, 1);
    case ACT_ARRIVE_DROP:
        if (count > barrier->expected)
            return "more arrivals dropped from an mbarrier than it expects";
        barrier->expected -= count;
        return arrive(barrier, count);
    case ACT_ARRIVE:
        return arrive(barrier, count);
    default:
        return NULL;
    }
}

/* The number of a barrier in the shadow, beyond those of the block's own. */
static uint64_t number_of(const struct ptx_warp *warp, const unsigned char *where)
{
    return UINT32_MAX + (uint64_t)(where - warp->shared);
}

static void arrive_in_shadow(struct ptx_warp *warp, const unsigned char *where,
                             enum barrier_action action)
{
    if (action == ACT_ARRIVE || action == ACT_ARRIVE_DROP || action == ACT_ARRIVE_BYTES ||
        action == ACT_DROP_BYTES)
        sim_shadow_arrive(warp->shadow, number_of(warp, where), warp->number);
}

static void complete(struct ptx_warp *warp, struct barrier *barrier, const unsigned char *where,
                     enum barrier_action action)
{
    if (action == ACT_INIT || action == ACT_INVAL || barrier->pending > 0 || barrier->bytes != 0)
        return;
    barrier->phase = !barrier->phase;
    barrier->pending = barrier->expected;
    sim_shadow_complete(warp->shadow, number_of(warp, where));
}

static bool reach_barriers(struct ptx_warp *warp, const struct ptx_op *op,
                           unsigned char *where[PTX_LANES])
{
    const struct barrier_op *barrier = op->extra;
    uint64_t at[PTX_LANES];
    ptx_access_addresses(warp, &barrier->access, at);
    return ptx_access_reach(warp, op, &barrier->access, at, where) != PTX_SHAPE_FAULT;
}

static const struct ptx_op *change_barrier(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct barrier_op *extra = op->extra;
    const uint32_t *counts = (const uint32_t *)(const void *)(warp->regs + extra->count);
    uint64_t *d = (uint64_t *)(void *)(warp->regs + extra->d);
    unsigned char *where[PTX_LANES];
    if (!reach_barriers(warp, op, where))
        return NULL;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct barrier barrier = barrier_read(where[lane]);
        uint64_t before = barrier_bits(&barrier);
        const char *wrong = act(&barrier, extra->action, extra->has_count ? counts[lane] : 1);
        if (wrong)
            return ptx_fault(warp, op, lane, PTX_END_TRAP, "%s", wrong);
        arrive_in_shadow(warp, where[lane], extra->action);
        complete(warp, &barrier, where[lane], extra->action);
        uint64_t after = barrier_bits(&barrier);
        memcpy(where[lane], &after, sizeof after);
        if (extra->returns)
            d[lane] = before;
    }
    return op + 1;
}

/* A state that is not of the current phase has completed; so has the phase of the
 * other parity. Who finds it has not is likely to ask again: others go first. */
static const struct ptx_op *test_barrier(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct barrier_op *extra = op->extra;
    unsigned char *where[PTX_LANES];
    uint32_t done = 0;
    if (!reach_barriers(warp, op, where))
        return NULL;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct barrier barrier = barrier_read(where[lane]);
        const unsigned char *state = warp->regs + extra->state + lane * (extra->parity ? 4u : 8u);
        bool phase = extra->parity ? *state & 1 : barrier_read(state).phase;
        if (phase == barrier.phase)
            continue;
        done |= 1u << lane;
        sim_shadow_leave(warp->shadow, number_of(warp, where[lane]), warp->number);
    }
    uint32_t *d = (uint32_t *)(void *)(warp->regs + extra->d);
    *d = (*d & ~warp->mask) | done;
    if (done != warp->mask && warp->budget > 0)
        warp->budget = 0;
    return op + 1;
}

static const struct ptx_op *pending_count(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        d[lane] = barrier_read(warp->regs + op->a + lane * 8).pending;
    }
    return op + 1;
}

/* ---- translation ---------------------------------------------------------------------------- */

static struct barrier_op *barrier_create(struct ptx_builder *builder,
                                         const struct ptx_operand *address,
                                         const struct ptx_inst *inst)
{
    struct ptx_words words;
    ptx_words_read(inst, &words);
    struct ptx_access *access = sized_access(builder, address, words.space, 8, true, inst->line);
    struct barrier_op *barrier = ptx_build_alloc(builder, sizeof *barrier);
    if (!access || !barrier)
        return NULL;
    barrier->access = *access;
    barrier->access.atomic = true;
    return barrier;
}

static void emit_test(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct barrier_op *barrier = barrier_create(builder, &inst->operands[1], inst);
    if (!barrier)
        return;
    barrier->parity = ptx_inst_has(inst, "parity");
    barrier->state =
        ptx_build_source(builder, &inst->operands[2], barrier->parity ? PTX_U32 : PTX_B64);
    barrier->d = ptx_build_destination(builder, &inst->operands[0], PTX_PRED);
    ptx_access_op(builder, test_barrier, &barrier->access);
    ptx_build_finish(builder, &inst->operands[0], PTX_PRED, barrier->d);
}

static void emit_pending(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    uint32_t a = ptx_build_source(builder, &inst->operands[1], PTX_B64);
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], PTX_U32);
    struct ptx_op *op = ptx_build_op(builder, pending_count);
    op->d = d;
    op->a = a;
    ptx_build_finish(builder, &inst->operands[0], PTX_U32, d);
}

static enum barrier_action action_of(const struct ptx_inst *inst)
{
    const char *what = inst->modifiers[0];
    bool bytes = ptx_inst_has(inst, "expect_tx");
    if (strcmp(what, "init") == 0)
        return ACT_INIT;
    if (strcmp(what, "inval") == 0)
        return ACT_INVAL;
    if (strcmp(what, "complete_tx") == 0)
        return ACT_COMPLETE_BYTES;
    if (strcmp(what, "arrive") == 0)
        return bytes ? ACT_ARRIVE_BYTES : ACT_ARRIVE;
    if (strcmp(what, "arrive_drop") == 0)
        return bytes ? ACT_DROP_BYTES : ACT_ARRIVE_DROP;
    return ACT_EXPECT_BYTES;
}

static void emit_change(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    enum barrier_action action = action_of(inst);
    bool arrives = strncmp(inst->modifiers[0], "arrive", 6) == 0;
    const struct ptx_operand *operands = inst->operands + arrives;
    struct barrier_op *barrier = barrier_create(builder, &operands[0], inst);
    if (!barrier)
        return;
    barrier->action = action;
    barrier->has_count = inst->operand_count > arrives + 1;
    barrier->returns = arrives && inst->operands[0].kind != PTX_OP_SINK;
    if (barrier->has_count)
        barrier->count = ptx_build_source(builder, &operands[1], PTX_U32);
    if (barrier->returns)
        barrier->d = ptx_build_destination(builder, &inst->operands[0], PTX_B64);
    barrier->access.write = true;
    barrier->access.atomic = action != ACT_INIT; /* which reads nothing */
    ptx_access_op(builder, change_barrier, &barrier->access);
    if (barrier->returns)
        ptx_build_finish(builder, &inst->operands[0], PTX_B64, barrier->d);
}

void ptx_emit_mbarrier(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    if (ptx_inst_has(inst, "test_wait") || ptx_inst_has(inst, "try_wait"))
        emit_test(builder, inst);
    else if (ptx_inst_has(inst, "pending_count"))
        emit_pending(builder, inst);
    else
        emit_change(builder, inst);
}

/* The copies so far are done: with .noinc the thread arrives; without, the pending
 * count is raised and lowered again. */
static void emit_copy_arrive(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct barrier_op *barrier = barrier_create(builder, &inst->operands[0], inst);
    if (!barrier)
        return;
    barrier->action = ptx_inst_has(inst, "noinc") ? ACT_ARRIVE : ACT_NOTHING;
    ptx_build_op(builder, wait_all); /* who waits for the barrier waits for the copies too */
    ptx_access_op(builder, change_barrier, &barrier->access);
}

void ptx_emit_copy_async(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    if (ptx_inst_has(inst, "mbarrier"))
        emit_copy_arrive(builder, inst);
    else if (inst->operand_count >= 3)
        emit_copy(builder, inst);
    else if (ptx_inst_has(inst, "commit_group"))
        ptx_build_op(builder, commit_group);
    else if (ptx_inst_has(inst, "wait_group"))
        ptx_build_op(builder, wait_group)->bits = inst->operands[0].bits;
    else
        ptx_build_op(builder, wait_all);
}
