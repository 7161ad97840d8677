/* What lanes of a warp say to each other: shuffles, votes, matches, reductions.
 * How lanes that have diverged meet is ptx_warp.c's (ptx_warp_gather). */
#include "ptx_checks.h"
#include "ptx_memory.h"
#include "ptx_warp.h"

#include <math.h>
#include <string.h>

enum { ALL_LANES = 0x1f };

/* The lanes that take part with a lane: of its mask, those that execute. */
static uint32_t members_of(const struct ptx_warp *warp, uint32_t slot, unsigned lane)
{
    const uint32_t *members = (const uint32_t *)(const void *)(warp->regs + slot);
    return members[lane] & warp->mask;
}

static uint32_t *slot32(struct ptx_warp *warp, uint32_t slot)
{
    return (uint32_t *)(void *)(warp->regs + slot);
}

static void write_predicate(struct ptx_warp *warp, uint32_t slot, uint32_t value)
{
    uint32_t *d = slot32(warp, slot);
    *d = (*d & ~warp->mask) | (value & warp->mask);
}

static void write_lanes(struct ptx_warp *warp, uint32_t slot, const uint32_t values[PTX_LANES])
{
    uint32_t *d = slot32(warp, slot);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? values[lane] : d[lane];
}

/* What an op needs beyond its slots. */
struct talk {
    bool sync, has_predicate, abs, nan, wide;
    char mode; /* u d b i; a y n (uni) B; + < > & | ^ */
    bool is_signed;
    bool is_float;
    uint32_t predicate; /* slot of the second destination */
    uint32_t members;   /* slot */
};

/* ---- shfl --------------------------------------------------------------------------- */

static inline bool shuffle_source(char mode, unsigned lane, unsigned b, unsigned c,
                                  unsigned *out_source)
{
    unsigned segment = c >> 8 & ALL_LANES, clamp = c & ALL_LANES;
    unsigned shift = b & ALL_LANES, low = lane & segment;
    unsigned limit = low | (clamp & ~segment);
    int source;
    switch (mode) {
    case 'u':
        source = (int)lane - (int)shift;
        break;
    case 'd':
        source = (int)(lane + shift);
        break;
    case 'b':
        source = (int)(lane ^ shift);
        break;
    default:
        source = (int)(low | (shift & ~segment));
    }
    bool in_range = mode == 'u' ? source >= (int)limit : source <= (int)limit;
    *out_source = in_range ? (unsigned)source & ALL_LANES : lane;
    return in_range;
}

/* For SIM_CHECK_SYNC: what a lane gets from one that does not take part is undefined, and no number
 * that a program may take for a result. It is no fault, for a program may throw it away. */
static void spoil(const struct ptx_warp *warp, const struct ptx_op *op, char mode,
                  uint32_t result[PTX_LANES])
{
    const uint32_t *b = (const uint32_t *)(const void *)(warp->regs + op->b);
    const uint32_t *c = (const uint32_t *)(const void *)(warp->regs + op->c);
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), source;
        if (shuffle_source(mode, lane, b[lane], c[lane], &source) && !(warp->mask >> source & 1))
            result[lane] = (uint32_t)SIM_UNUSED_WORD;
    }
}

static inline __attribute__((always_inline)) const struct ptx_op *
shuffle(struct ptx_warp *warp, const struct ptx_op *op, char mode)
{
    const struct talk *talk = op->extra;
    if (talk->sync && !ptx_warp_gather(warp, op, talk->members))
        return NULL;
    const uint32_t *a = slot32(warp, op->a), *b = slot32(warp, op->b), *c = slot32(warp, op->c);
    uint32_t result[PTX_LANES], predicate = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        unsigned source;
        predicate |= (uint32_t)shuffle_source(mode, lane, b[lane], c[lane], &source) << lane;
        result[lane] = a[source];
    }
    if (__builtin_expect(ptx_wave_of(warp)->strict, 0))
        spoil(warp, op, mode, result);
    write_lanes(warp, op->d, result);
    if (talk->has_predicate)
        write_predicate(warp, talk->predicate, predicate);
    return op + 1;
}

static const struct ptx_op *shuffle_up(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'u');
}

static const struct ptx_op *shuffle_down(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'd');
}

static const struct ptx_op *shuffle_bfly(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'b');
}

static const struct ptx_op *shuffle_idx(struct ptx_warp *warp, const struct ptx_op *op)
{
    return shuffle(warp, op, 'i');
}

/* ---- vote ------------------------------------------------------------------------------- */

static bool decide(char mode, uint32_t votes, uint32_t members)
{
    switch (mode) {
    case 'a':
        return votes == members;
    case 'y':
        return votes != 0;
    default:
        return votes == 0 || votes == members;
    }
}

static const struct ptx_op *vote(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct talk *talk = op->extra;
    if (talk->sync && !ptx_warp_gather(warp, op, talk->members))
        return NULL;
    uint32_t votes = *slot32(warp, op->a), predicate = 0, ballot[PTX_LANES];
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        uint32_t members = talk->sync ? members_of(warp, talk->members, lane) : warp->mask;
        ballot[lane] = votes & members;
        predicate |= (uint32_t)decide(talk->mode, ballot[lane], members) << lane;
    }
    if (talk->mode == 'B')
        write_lanes(warp, op->d, ballot);
    else
        write_predicate(warp, op->d, predicate);
    return op + 1;
}

/* ---- match -------------------------------------------------------------------------------- */

static uint64_t match_value(const struct ptx_warp *warp, const struct ptx_op *op, unsigned lane)
{
    const struct talk *talk = op->extra;
    uint64_t value = 0;
    unsigned size = talk->wide ? 8 : 4;
    memcpy(&value, warp->regs + op->a + lane * size, size);
    return value;
}

/* The lanes of members that hold what lane holds. */
static uint32_t equals(const uint64_t values[PTX_LANES], unsigned lane, uint32_t members)
{
    uint32_t same = 0;
    for (unsigned other = 0; other < PTX_LANES; other++)
        same |= (uint32_t)(values[other] == values[lane]) << other;
    return same & members;
}

static const struct ptx_op *match(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct talk *talk = op->extra;
    if (!ptx_warp_gather(warp, op, talk->members))
        return NULL;
    uint64_t values[PTX_LANES];
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        values[lane] = match_value(warp, op, lane);
    uint32_t result[PTX_LANES] = {0}, predicate = 0, same = 0;
    for (uint32_t left = warp->mask; left; left &= ~same) { /* each value once */
        same = equals(values, (unsigned)__builtin_ctz(left), left);
        for (uint32_t these = same; these; these &= these - 1) {
            unsigned lane = (unsigned)__builtin_ctz(these);
            uint32_t members = members_of(warp, talk->members, lane);
            bool all = (same & members) == members;
            predicate |= (uint32_t)all << lane;
            result[lane] = talk->mode == 'a' && !all ? 0 : same & members;
        }
    }
    write_lanes(warp, op->d, result);
    if (talk->has_predicate)
        write_predicate(warp, talk->predicate, predicate);
    return op + 1;
}

/* ---- redux --------------------------------------------------------------------------------- */

static uint32_t reduce_integers(const struct talk *talk, const uint32_t *values, uint32_t members)
{
    uint32_t flip = talk->is_signed ? 0x80000000 : 0; /* orders signed values as unsigned */
    uint32_t result = values[__builtin_ctz(members)] ^ flip;
    for (uint32_t left = members & (members - 1); left; left &= left - 1) {
        uint32_t value = values[__builtin_ctz(left)] ^ flip;
        switch (talk->mode) {
        case '<':
            result = value < result ? value : result;
            break;
        case '>':
            result = value > result ? value : result;
            break;
        case '&':
            result &= value;
            break;
        case '|':
            result |= value;
            break;
        case '^':
            result ^= value;
            break;
        default:
            result = (result ^ flip) + (value ^ flip);
            result ^= flip;
        }
    }
    return result ^ flip;
}

/* Order of floats that are no NaN, -0 before +0. */
static uint32_t float_key(uint32_t bits)
{
    return bits >> 31 ? ~bits : bits | 0x80000000;
}

static uint32_t reduce_floats(const struct talk *talk, const uint32_t *values, uint32_t members)
{
    uint32_t result = 0x7fffffff; /* the NaN when all are */
    bool found = false;
    for (uint32_t left = members; left; left &= left - 1) {
        uint32_t value = values[__builtin_ctz(left)] & (talk->abs ? 0x7fffffff : UINT32_MAX);
        if ((value & 0x7fffffff) > 0x7f800000) {
            if (talk->nan)
                return 0x7fffffff;
            continue;
        }
        bool less = found && float_key(value) < float_key(result);
        if (!found || less == (talk->mode == '<'))
            result = value;
        found = true;
    }
    return result;
}

static const struct ptx_op *reduce(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct talk *talk = op->extra;
    if (!ptx_warp_gather(warp, op, talk->members))
        return NULL;
    const uint32_t *a = slot32(warp, op->a);
    uint32_t result[PTX_LANES] = {0}, members = 0, value = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t own = members_of(warp, talk->members, lane);
        if (own && own != members) {
            members = own;
            value = talk->is_float ? reduce_floats(talk, a, members)
                                   : reduce_integers(talk, a, members);
        }
        result[lane] = value;
    }
    write_lanes(warp, op->d, result);
    return op + 1;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static const struct ptx_op *active_lanes(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t result[PTX_LANES];
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        result[lane] = warp->mask;
    write_lanes(warp, op->d, result);
    return op + 1;
}

static const struct ptx_op *warp_barrier(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct talk *talk = op->extra;
    if (!ptx_warp_gather(warp, op, talk->members))
        return NULL;
    sim_shadow_wave_barrier(warp->shadow, warp->number);
    return op + 1;
}

/* The lowest of the members leads. */
static const struct ptx_op *elect(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct talk *talk = op->extra;
    if (!ptx_warp_gather(warp, op, talk->members))
        return NULL;
    uint32_t result[PTX_LANES] = {0}, predicate = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t members = members_of(warp, talk->members, lane);
        result[lane] = members ? (uint32_t)__builtin_ctz(members) : 0;
        predicate |= (uint32_t)(result[lane] == lane) << lane;
    }
    write_lanes(warp, op->d, result);
    if (talk->has_predicate)
        write_predicate(warp, talk->predicate, predicate);
    return op + 1;
}

/* ---- translation ------------------------------------------------------------------- */

static const struct {
    const char *opcode, *word;
    char mode;
    ptx_handler handler;
} handlers[] = {
    {"shfl", "up", 'u', shuffle_up},
    {"shfl", "down", 'd', shuffle_down},
    {"shfl", "bfly", 'b', shuffle_bfly},
    {"shfl", "idx", 'i', shuffle_idx},
    {"vote", "all", 'a', vote},
    {"vote", "any", 'y', vote},
    {"vote", "uni", 'n', vote},
    {"vote", "ballot", 'B', vote},
    {"match", "any", 'y', match},
    {"match", "all", 'a', match},
    {"redux", "add", '+', reduce},
    {"redux", "min", '<', reduce},
    {"redux", "max", '>', reduce},
    {"redux", "and", '&', reduce},
    {"redux", "or", '|', reduce},
    {"redux", "xor", '^', reduce},
    {"activemask", "b32", 0, active_lanes},
    {"bar", "warp", 0, warp_barrier},
    {"elect", "sync", 0, elect},
};

static ptx_handler find_handler(const struct ptx_inst *inst, char *out_mode)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(handlers[i].opcode, inst->opcode) == 0 && ptx_inst_has(inst, handlers[i].word)) {
            *out_mode = handlers[i].mode;
            return handlers[i].handler;
        }
    return NULL;
}

/* Types of destination, value and further operands; the member mask is the last
 * operand of what is .sync. */
static void types_of(const struct ptx_inst *inst, const struct talk *talk,
                     enum ptx_type *out_result, enum ptx_type *out_value)
{
    bool is_vote = strcmp(inst->opcode, "vote") == 0;
    *out_result = is_vote && talk->mode != 'B' ? PTX_PRED : PTX_B32;
    *out_value = is_vote ? PTX_PRED : talk->wide ? PTX_B64 : PTX_B32;
}

static struct talk *talk_create(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct talk *talk = ptx_build_alloc(builder, sizeof *talk);
    if (!talk)
        return NULL;
    talk->sync = ptx_inst_has(inst, "sync");
    talk->wide = ptx_inst_has(inst, "b64");
    talk->is_signed = ptx_inst_has(inst, "s32");
    talk->is_float = ptx_inst_has(inst, "f32");
    talk->abs = ptx_inst_has(inst, "abs");
    talk->nan = ptx_inst_has(inst, "NaN");
    return talk;
}

void ptx_emit_warp(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct talk *talk = talk_create(builder, inst);
    if (!talk)
        return;
    ptx_handler handler = find_handler(inst, &talk->mode);
    if (!handler) {
        ptx_build_error(builder, "%s has no translation", inst->opcode);
        return;
    }
    bool has_result = handler != warp_barrier;
    unsigned sources = inst->operand_count - has_result - talk->sync;
    enum ptx_type result, value;
    types_of(inst, talk, &result, &value);
    const struct ptx_operand *d = &inst->operands[0];
    uint32_t slots[3] = {0}, slot = 0;
    for (unsigned i = 0; i < sources && i < 3; i++)
        slots[i] =
            ptx_build_source(builder, &inst->operands[has_result + i], i == 0 ? value : PTX_B32);
    if (talk->sync)
        talk->members =
            ptx_build_source(builder, &inst->operands[inst->operand_count - 1], PTX_B32);
    if (has_result)
        slot = ptx_build_destination(builder, d, result);
    if (has_result && d->pair) {
        talk->has_predicate = true;
        talk->predicate = ptx_build_destination(builder, d->pair, PTX_PRED);
    }
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->d = slot;
    op->a = slots[0];
    op->b = slots[1];
    op->c = slots[2];
    op->extra = talk;
    if (has_result)
        ptx_build_finish(builder, d, result, slot);
    if (has_result && d->pair)
        ptx_build_finish(builder, d->pair, PTX_PRED, talk->predicate);
}
