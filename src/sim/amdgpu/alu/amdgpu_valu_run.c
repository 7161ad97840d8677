/* The handlers of vector instructions: they fetch sources, compute the effect for all lanes, and
 * write the results of live lanes.
 *
 * Compiled once for each instruction set of the host (AMDGPU_ISA_NAME), for waves of 32 and of 64.
 * Registers are used in place; anything else is expanded to lanes first. run_modified handles
 * modifiers and modes other than the default. */
#include "amdgpu_valu_lanes.h"

#include <fenv.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Room for a source or a result: four registers at most. */
#define ROOM(name, registers) u32 name[(registers)*AMDGPU_LANES_MAX] __attribute__((aligned(64)))

/* ---- masks ------------------------------------------------------------------------------ */

/* 0 or ~0 per lane. */
LANE void spread(u64 bits, u32 *lanes, unsigned n)
{
    for (unsigned word = 0; word < n / 32; ++word) {
        u32 part = (u32)(bits >> 32 * word);
        INDEPENDENT for (unsigned i = 0; i < 32; ++i) lanes[32 * word + i] =
            part & 1u << i ? UINT32_MAX : 0;
    }
}

LANE const u32 *live_lanes(struct amdgpu_wave *wave, u64 exec)
{
    return wave->live_for == exec ? wave->live : amdgpu_live(wave);
}

LANE void blend(u32 *d, const u32 *from, const u32 *live, unsigned n, unsigned registers)
{
    for (unsigned r = 0; r < registers; ++r, d += n, from += n)
        INDEPENDENT for (unsigned i = 0; i < n; ++i) d[i] = live[i] ? from[i] : d[i];
}

LANE void write_mask(struct amdgpu_wave *wave, unsigned reg, u64 bits, unsigned n)
{
    wave->s[reg] = (u32)bits;
    if (n == 64)
        wave->s[reg + 1] = (u32)(bits >> 32);
}
LANE u64 read_mask(const struct amdgpu_wave *wave, const struct amdgpu_source *source, unsigned n)
{
    if (source->reg == AMDGPU_VCC || source->count)
        return n == 64 ? amdgpu_s64(wave, source->reg) : wave->s[source->reg];
    return source->value;
}

/* ---- sources ------------------------------------------------------------------------------ */

LANE void fill(u32 *room, u32 value, unsigned n)
{
    INDEPENDENT for (unsigned i = 0; i < n; ++i) room[i] = value;
}

static __attribute__((noinline)) const u32 *fetch_other(const struct amdgpu_wave *wave,
                                                        const struct amdgpu_source *source,
                                                        u32 *room, unsigned n)
{
    if (source->kind == AMDGPU_LANE_MASK) {
        spread(read_mask(wave, source, n), room, n);
        return room;
    }
    u64 value = amdgpu_scalar(wave, source);
    for (unsigned r = 0; r < source->count; ++r)
        fill(room + r * n, r == 0 ? (u32)value : r == 1 ? (u32)(value >> 32) : 0, n);
    return room;
}

/* The lanes of a source: in place, or expanded in room. */
LANE const u32 *fetch(const struct amdgpu_wave *wave, const struct amdgpu_source *source, u32 *room,
                      unsigned n)
{
    if (source->kind == AMDGPU_VREG) {
        unsigned index = source->reg < 256 ? source->reg : wave->vgprs + (source->reg - 256u);
        return wave->v + (size_t)index * n;
    }
    if (source->count == 1 && source->kind == AMDGPU_SREG) {
        fill(room, wave->s[source->reg], n);
        return room;
    }
    if (source->count == 1 && source->kind == AMDGPU_CONST) {
        fill(room, (u32)source->value, n);
        return room;
    }
    return fetch_other(wave, source, room, n);
}

LANE u32 *destination(const struct amdgpu_wave *wave, unsigned reg, unsigned n)
{
    unsigned index = reg < 256 ? reg : wave->vgprs + (reg - 256);
    return wave->v + (size_t)index * n;
}

LANE u64 everyone(unsigned n)
{
    return n == 64 ? UINT64_MAX : UINT32_MAX;
}
LANE amdgpu_effect effect_of(const struct amdgpu_op *op)
{
    return *(const amdgpu_effect *)op->effect;
}
LANE bool usual_mode(const struct amdgpu_wave *wave)
{
    return (wave->mode & AMDGPU_MODE_FLOATS) == AMDGPU_MODE_DEFAULT;
}

/* ---- without modifiers ---------------------------------------------------------------------- */

/* The bits of the mode, of those that affect op, that differ from the default. */
LANE u32 oddities(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return (wave->mode ^ AMDGPU_MODE_DEFAULT) & op->bits >> AMDGPU_VALU_MODE & AMDGPU_MODE_FLOATS;
}
enum { F32_SUBNORMALS = AMDGPU_MODE_F32_SOURCES | AMDGPU_MODE_F32_RESULTS };

static const struct amdgpu_op *run_edited3_32(struct amdgpu_wave *, const struct amdgpu_op *);
static const struct amdgpu_op *run_edited3_64(struct amdgpu_wave *, const struct amdgpu_op *);
static const struct amdgpu_op *run_modified_32(struct amdgpu_wave *, const struct amdgpu_op *);
static const struct amdgpu_op *run_modified_64(struct amdgpu_wave *, const struct amdgpu_op *);
static __attribute__((noinline)) const struct amdgpu_op *
run_in_mode(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned n)
{
    bool edited = op->bits & AMDGPU_VALU_EDITABLE && !(oddities(wave, op) & ~(u32)F32_SUBNORMALS);
    if (n == 64)
        return edited ? run_edited3_64(wave, op) : run_modified_64(wave, op);
    return edited ? run_edited3_32(wave, op) : run_modified_32(wave, op);
}

/* Some lanes are live: results are computed in a buffer. */
static __attribute__((noinline)) void apply_to_some(struct amdgpu_wave *wave,
                                                    const struct amdgpu_op *op,
                                                    struct amdgpu_lanes *l, u64 exec, u32 *d,
                                                    unsigned n)
{
    ROOM(aside, 4);
    if (!exec)
        return;
    l->d = aside;
    effect_of(op)(l);
    const u32 *live = live_lanes(wave, exec);
    if (n == 64)
        blend(d, aside, live, 64, op->count);
    else
        blend(d, aside, live, 32, op->count);
}

LANE const struct amdgpu_op *run_plain(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                       unsigned n, unsigned sources, bool floats)
{
    if (floats && !usual_mode(wave))
        return run_in_mode(wave, op, n);
    ROOM(rooms, 3 * 2);
    struct amdgpu_lanes l;
    for (unsigned k = 0; k < sources; ++k)
        l.s[k] = fetch(wave, &op->src[k], rooms + k * 2 * n, n);
    l.mode = wave->mode;
    u32 *d = destination(wave, op->dst, n);
    u64 exec = amdgpu_exec_of(wave, n);
    if (exec == everyone(n)) {
        l.d = d;
        effect_of(op)(&l);
    } else {
        apply_to_some(wave, op, &l, exec, d, n);
    }
    return amdgpu_next(op);
}

/* ---- with edits ------------------------------------------------------------------------------ */

LANE void flush_f32(u32 *d, const u32 *x, unsigned n)
{
    INDEPENDENT for (unsigned i = 0; i < n; ++i) d[i] =
        x[i] & 0x7f800000u ? x[i] : x[i] & UINT32_C(0x80000000);
}

/* A source whose sign changes (of f64 that is in the second register), or that is the upper half
 * of a register. */
LANE const u32 *edit_source(const struct amdgpu_op *op, unsigned k, const u32 *x, u32 *room,
                            unsigned n)
{
    const struct amdgpu_inst *inst = op->inst;
    bool half = op->bits >> AMDGPU_VALU_HALF >> k & 1;
    u32 sign = half ? 0x8000u : UINT32_C(0x80000000),
        shift = half && amdgpu_valu_upper(inst, k) ? 16 : 0;
    u32 clear = inst->abs >> k & 1 ? sign : 0, invert = inst->neg >> k & 1 ? sign : 0;
    u32 *out = room;
    if (!(clear | invert | shift))
        return x;
    if (op->src[k].count == 2) {
        memcpy(room, x, sizeof(u32) * n);
        x += n;
        out += n;
    }
    INDEPENDENT for (unsigned i = 0; i < n; ++i) out[i] = (x[i] >> shift & ~clear) ^ invert;
    return room;
}

/* A result that is one half of a register; the upper half becomes 0 unless it is kept. */
LANE void place_half(u32 *d, const u32 *old, bool high, bool keep, unsigned n)
{
    u32 shift = high ? 16 : 0, kept = high ? 0xffff : keep ? 0xffff0000u : 0;
    INDEPENDENT for (unsigned i = 0; i < n; ++i) d[i] = (old[i] & kept) | (d[i] & 0xffff) << shift;
}

/* Up to so many sources. */
LANE const struct amdgpu_op *run_edited(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                        unsigned n, unsigned sources)
{
    u32 odd = oddities(wave, op);
    if (odd & ~(u32)F32_SUBNORMALS)
        return run_in_mode(wave, op, n);
    ROOM(rooms, 3 * 2);
    ROOM(aside, 2);
    struct amdgpu_lanes l;
    for (unsigned k = 0; k < sources && op->src[k].kind != AMDGPU_NONE; ++k) {
        u32 *room = rooms + k * 2 * n;
        l.s[k] = edit_source(op, k, fetch(wave, &op->src[k], room, n), room, n);
        if (odd & AMDGPU_MODE_F32_SOURCES && op->bits >> AMDGPU_VALU_F32 >> k & 1) {
            flush_f32(room, l.s[k], n);
            l.s[k] = room;
        }
    }
    l.mode = wave->mode;
    u32 *d = destination(wave, op->dst, n);
    u64 exec = amdgpu_exec_of(wave, n);
    bool whole = exec == everyone(n), half = op->bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP);
    l.d = whole && !half ? d : aside;
    effect_of(op)(&l);
    if (odd & AMDGPU_MODE_F32_RESULTS && op->bits & AMDGPU_VALU_F32_RESULT)
        flush_f32(l.d, l.d, n);
    if (half)
        place_half(aside, d, op->bits & AMDGPU_VALU_HIGH, op->bits & AMDGPU_VALU_KEEP, n);
    if (whole && half)
        memcpy(d, aside, sizeof(u32) * n);
    else if (!whole)
        blend(d, aside, live_lanes(wave, exec), n, op->count);
    return amdgpu_next(op);
}

/* ---- masks as results ------------------------------------------------------------------------ */

/* A mask of the live lanes for which the comparison holds. */
LANE void set_test(struct amdgpu_wave *wave, const struct amdgpu_op *op, u64 bits, unsigned n)
{
    if (!(op->bits & AMDGPU_VALU_NO_MASK))
        write_mask(wave, op->dst, bits, n);
    if (op->bits & AMDGPU_VALU_TO_EXEC)
        write_mask(wave, AMDGPU_EXEC, bits, n);
}

LANE const struct amdgpu_op *run_test(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                      unsigned n)
{
    u32 odd = oddities(wave, op);
    if (odd & ~(u32)F32_SUBNORMALS)
        return run_in_mode(wave, op, n);
    ROOM(rooms, 2 * 2);
    ROOM(holds, 1);
    struct amdgpu_lanes l;
    l.d = holds;
    l.mode = wave->mode;
    for (unsigned k = 0; k < 2; ++k) {
        l.s[k] = fetch(wave, &op->src[k], rooms + k * 2 * n, n);
        if (odd & AMDGPU_MODE_F32_SOURCES && op->bits >> AMDGPU_VALU_F32 >> k & 1) {
            flush_f32(rooms + k * 2 * n, l.s[k], n);
            l.s[k] = rooms + k * 2 * n;
        }
    }
    effect_of(op)(&l);
    set_test(wave, op, lane_signs(holds, n) & amdgpu_exec_of(wave, n), n);
    return amdgpu_next(op);
}

static const struct amdgpu_source vcc = {.kind = AMDGPU_LANE_MASK, .count = 1, .reg = AMDGPU_VCC};

LANE unsigned fetch_all(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                        struct amdgpu_lanes *l, u32 *rooms, unsigned n)
{
    unsigned count = 0;
    for (; count < 3 && op->src[count].kind != AMDGPU_NONE; ++count)
        l->s[count] = fetch(wave, &op->src[count], rooms + count * 4 * n, n);
    if (op->bits & AMDGPU_VALU_VCC)
        l->s[count] = fetch_other(wave, &vcc, rooms + count * 4 * n, n);
    return count;
}

LANE const struct amdgpu_op *run_carry(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                       unsigned n)
{
    if (oddities(wave, op))
        return run_in_mode(wave, op, n);
    ROOM(rooms, 4 * 4);
    ROOM(carries, 1);
    struct amdgpu_lanes l;
    l.d1 = carries;
    l.mode = wave->mode;
    fetch_all(wave, op, &l, rooms, n);
    u32 *d = destination(wave, op->dst, n);
    u64 exec = amdgpu_exec_of(wave, n);
    if (exec == everyone(n)) {
        l.d = d;
        effect_of(op)(&l);
    } else {
        fill(carries, 0, n);
        apply_to_some(wave, op, &l, exec, d, n);
    }
    if (!(op->bits & AMDGPU_VALU_NO_MASK))
        write_mask(wave, op->dst1, lane_signs(carries, n) & exec, n);
    return amdgpu_next(op);
}

/* ---- with modifiers ----------------------------------------------------------------------- */

/* The width of the parts of a type to which neg, abs and flushing apply. */
enum { PART_16, PART_32, PART_64, PART_PAIR, PART_FLOATS, PART_NONE };
static unsigned part_of(unsigned type)
{
    switch (type) {
    case AMDGPU_B16:
    case AMDGPU_I16:
    case AMDGPU_U16:
    case AMDGPU_F16:
    case AMDGPU_BF16:
        return PART_16;
    case AMDGPU_B64:
    case AMDGPU_I64:
    case AMDGPU_U64:
    case AMDGPU_F64:
        return PART_64;
    case AMDGPU_PK16:
    case AMDGPU_PKF16:
    case AMDGPU_PKBF16:
        return PART_PAIR;
    case AMDGPU_PKF32:
        return PART_FLOATS;
    case AMDGPU_MASK:
    case AMDGPU_NOTYPE:
        return PART_NONE;
    default:
        return PART_32;
    }
}

/* A source while modifiers are applied: its lanes, and a buffer of its own for them. */
struct taken {
    const u32 *lanes;
    u32 *room;
    unsigned registers;
};

LANE u32 *own(struct taken *taken, unsigned n)
{
    if (taken->lanes != taken->room)
        memcpy(taken->room, taken->lanes, sizeof(u32) * n * taken->registers);
    taken->lanes = taken->room;
    return taken->room;
}

/* Clears and inverts bits of a register. */
LANE void edit(u32 *lanes, u32 clear, u32 invert, unsigned n)
{
    INDEPENDENT for (unsigned i = 0; i < n; ++i) lanes[i] = (lanes[i] & ~clear) ^ invert;
}

/* Lanes of other lanes. Returns the lanes that have a source; the others read 0. */
static u64 permute(const struct amdgpu_wave *wave, const struct amdgpu_dpp *dpp,
                   struct taken *taken, unsigned n)
{
    u64 exec = amdgpu_exec(wave), valid = 0;
    ROOM(result, 2);
    for (unsigned i = 0; i < n; ++i) {
        unsigned from = 0;
        bool there =
            amdgpu_dpp_lane(dpp, n, i, &from) && (dpp->fetch_inactive || (exec >> from & 1));
        for (unsigned r = 0; r < taken->registers && r < 2; ++r)
            result[r * n + i] = there ? taken->lanes[r * n + from] : 0;
        valid |= (u64)there << i;
    }
    memcpy(taken->room, result, sizeof(u32) * n * (taken->registers < 2 ? taken->registers : 2));
    taken->lanes = taken->room;
    return valid;
}

/* The lanes that may write in an instruction with DPP. */
static u64 permitted(const struct amdgpu_dpp *dpp, u64 valid, unsigned n)
{
    if (dpp->is_dpp8)
        return UINT64_MAX;
    u64 lanes = 0;
    for (unsigned i = 0; i < n; ++i)
        if (dpp->row_mask >> (i / 16) & 1 && dpp->bank_mask >> (i / 4 % 4) & 1)
            lanes |= (u64)1 << i;
    return dpp->bound_ctrl ? lanes : lanes & valid;
}

LANE u32 sdwa_part(u32 x, unsigned select, bool extended)
{
    unsigned at = select < AMDGPU_SDWA_WORD0   ? 8 * select
                  : select < AMDGPU_SDWA_DWORD ? 16 * (select - AMDGPU_SDWA_WORD0)
                                               : 0;
    unsigned unused = select < AMDGPU_SDWA_WORD0 ? 24 : select < AMDGPU_SDWA_DWORD ? 16 : 0;
    u32 up = x >> at << unused;
    return extended ? (u32)((s32)up >> unused) : up >> unused;
}

/* Halves of pairs, f32 of pairs, halves: as op_sel and op_sel_hi say. Only VOP3P has the
 * latter. */
static void select_parts(const struct amdgpu_inst *inst, unsigned flags, unsigned part, unsigned k,
                         struct taken *taken, unsigned n)
{
    bool low = inst->op_sel >> k & 1, high = inst->op_sel_hi >> k & 1;
    bool packed = inst->format == AMDGPU_VOP3P;
    if (flags & AMDGPU_VALU_MIX) {
        if (!high)
            return;
        u32 *x = own(taken, n);
        for (unsigned i = 0; i < n; ++i)
            x[i] = bits_f32(widen_f16(x[i] >> (low ? 16 : 0) & 0xffff));
    } else if (part == PART_16 && amdgpu_valu_upper(inst, k)) {
        edit(own(taken, n), 0, 0, n);
        for (unsigned i = 0; i < n; ++i)
            taken->room[i] >>= 16;
    } else if (part == PART_PAIR && packed && (low || !high)) {
        u32 *x = own(taken, n);
        for (unsigned i = 0; i < n; ++i)
            x[i] = (x[i] >> (low ? 16 : 0) & 0xffff) | x[i] >> (high ? 16 : 0) << 16;
    } else if (part == PART_FLOATS && packed && (low || !high)) {
        u32 *x = own(taken, n);
        for (unsigned i = 0; i < n; ++i) {
            u32 words[2] = {x[i], x[i + n]};
            x[i] = words[low];
            x[i + n] = words[high];
        }
    }
}

/* abs, neg: signs are cleared, then inverted. */
static void change_signs(const struct amdgpu_inst *inst, unsigned flags, unsigned part, unsigned k,
                         struct taken *taken, unsigned n)
{
    bool abs = inst->abs >> k & 1, neg = inst->neg >> k & 1, neg_hi = inst->neg_hi >> k & 1;
    if (flags & AMDGPU_VALU_MIX) {
        abs |= neg_hi;
        neg_hi = false;
    }
    if (!(abs | neg | neg_hi) || flags & AMDGPU_VALU_RAW_NEG)
        return;
    u32 sign = part == PART_16 ? 0x8000u : UINT32_C(0x80000000);
    switch (part) {
    case PART_16:
    case PART_32:
        edit(own(taken, n), abs ? sign : 0, neg ? sign : 0, n);
        break;
    case PART_64:
        edit(own(taken, n) + n, abs ? sign : 0, neg ? sign : 0, n);
        break;
    case PART_PAIR:
        edit(own(taken, n), 0, (neg ? 0x8000u : 0) | (neg_hi ? sign : 0), n);
        break;
    case PART_FLOATS:
        edit(own(taken, n), 0, neg ? sign : 0, n);
        edit(own(taken, n) + n, 0, neg_hi ? sign : 0, n);
        break;
    default:
        break;
    }
}

/* Subnormals of a type become 0. */
static void flush(u32 *x, unsigned type, unsigned n)
{
    switch (type) {
    case AMDGPU_PKF32:
    case AMDGPU_F32:
        flush_f32(x, x, type == AMDGPU_F32 ? n : 2 * n);
        break;
    case AMDGPU_F64:
        for (unsigned i = 0; i < n; ++i) {
            bool keep = x[i + n] & 0x7ff00000u;
            x[i] = keep ? x[i] : 0;
            x[i + n] = keep ? x[i + n] : x[i + n] & UINT32_C(0x80000000);
        }
        break;
    case AMDGPU_F16:
    case AMDGPU_PKF16:
        for (unsigned i = 0; i < n; ++i) {
            u32 low = x[i] & 0x7c00u ? 0xffff : 0x8000;
            u32 high = x[i] & 0x7c000000u ? 0xffff0000u : 0x80000000u;
            x[i] &= type == AMDGPU_F16 ? low : low | high;
        }
        break;
    default:
        break;
    }
}

/* The two bits of the mode for a type: 1: sources, 2: results keep their subnormals. */
LANE unsigned kept_subnormals(unsigned type, u32 mode)
{
    return type == AMDGPU_F32 || type == AMDGPU_PKF32 ? mode >> 4 & 3 : mode >> 6 & 3;
}

/* The host's rounding for results of a type; halves are rounded by effects. */
LANE int host_rounding(const struct amdgpu_valu_row *row, u32 mode)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (row->flags & AMDGPU_VALU_OWN_ROUNDING)
        return FE_TONEAREST;
    if (row->d == AMDGPU_F32 || row->d == AMDGPU_PKF32)
        return modes[mode & 3];
    return row->d == AMDGPU_F64 ? modes[mode >> 2 & 3] : FE_TONEAREST;
}
static void compute(amdgpu_effect effect, const struct amdgpu_valu_row *row, struct amdgpu_lanes *l)
{
    int rounding = host_rounding(row, l->mode);
    if (rounding == FE_TONEAREST) {
        effect(l);
        return;
    }
    int saved = fegetround();
    fesetround(rounding);
    effect(l);
    fesetround(saved);
}

/* ---- results ------------------------------------------------------------------------------ */

/* omod and clamp of one number. A NaN becomes 0 if the mode says so. */
LANE f64 limited(f64 x, bool clamp, bool nan_to_0)
{
    return !clamp ? x : x >= 1 ? 1 : x > 0 ? x : x == x || nan_to_0 ? 0 : x;
}
static void modify_result(u32 *d, unsigned type, const struct amdgpu_inst *inst, u32 mode,
                          unsigned n)
{
    static const f32 factors[] = {1, 2, 4, 0.5f};
    unsigned keeps = kept_subnormals(type, mode);
    bool nan_to_0 = mode & AMDGPU_MODE_DX10_CLAMP, clamp = inst->clamp;
    /* omod is ignored if subnormals are kept or in IEEE mode. */
    bool omod = inst->omod && !(keeps & 2) && !(mode & AMDGPU_MODE_IEEE);
    f32 factor = factors[omod ? inst->omod & 3 : 0];
    if (!(keeps & 2))
        flush(d, type, n);
    if (!omod && !clamp)
        return;
    for (unsigned i = 0; i < n; ++i) {
        if (type == AMDGPU_F32 || type == AMDGPU_PKF32) {
            for (unsigned h = 0; h < (type == AMDGPU_F32 ? 1u : 2u); ++h) {
                f32 x = f32_of(d[i + h * n]);
                x = omod ? x * factor + 0.0f : x;
                d[i + h * n] = clamp ? bits_f32((f32)limited(x, true, nan_to_0)) : bits_f32(x);
            }
        } else if (type == AMDGPU_F64) {
            f64 x = load_f64(d, i, n);
            x = omod ? x * factor + 0.0 : x;
            store_f64(d, i, n, 0, limited(x, clamp, nan_to_0));
        } else {
            u32 low = d[i] & 0xffff, high = d[i] >> 16;
            f32 x = widen_f16(low), y = widen_f16(high);
            low = near_f16((f32)limited(omod ? x * factor + 0.0f : x, clamp, nan_to_0));
            high = type == AMDGPU_F16
                       ? 0
                       : near_f16((f32)limited(omod ? y * factor + 0.0f : y, clamp, nan_to_0));
            d[i] = low | high << 16;
        }
    }
    if (!(keeps & 2))
        flush(d, type, n);
}

/* Results that are part of a register, as SDWA says. */
static void place_sdwa(u32 *d, const u32 *old, const struct amdgpu_sdwa *sdwa, unsigned n)
{
    unsigned select = sdwa->dst;
    if (select >= AMDGPU_SDWA_DWORD)
        return;
    unsigned at = select < AMDGPU_SDWA_WORD0 ? 8 * select : 16 * (select - AMDGPU_SDWA_WORD0);
    u32 ones = select < AMDGPU_SDWA_WORD0 ? 0xff : 0xffff, sign = (ones >> 1) + 1;
    for (unsigned i = 0; i < n; ++i) {
        u32 x = d[i] & ones, extended = (x ^ sign) - sign;
        d[i] = sdwa->dst_unused == 2   ? (old[i] & ~(ones << at)) | x << at
               : sdwa->dst_unused == 1 ? extended << at
                                       : x << at;
    }
}

static void write_lanes(struct amdgpu_wave *wave, u32 *d, const u32 *from, u64 lanes,
                        unsigned registers, unsigned n)
{
    ROOM(spreaded, 1);
    const u32 *live = spreaded;
    if (lanes == amdgpu_exec(wave))
        live = live_lanes(wave, lanes);
    else
        spread(lanes, spreaded, n);
    blend(d, from, live, n, registers);
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Fetches sources and applies their modifiers. Returns the lanes that may write. */
LANE u64 take_sources(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct amdgpu_valu_row *row, struct amdgpu_lanes *l, u32 *rooms,
                      unsigned n)
{
    const struct amdgpu_inst *inst = op->inst;
    u64 lanes = amdgpu_exec(wave);
    unsigned count = fetch_all(wave, op, l, rooms, n);
    for (unsigned k = 0; k < count; ++k) {
        unsigned part = part_of(row->s[k]);
        struct taken taken = {l->s[k], rooms + k * 4 * n, op->src[k].count};
        if (part == PART_NONE)
            continue;
        if (k == 0 && inst->has_dpp)
            lanes &= permitted(&inst->dpp, permute(wave, &inst->dpp, &taken, n), n);
        if (k < 2 && inst->has_sdwa &&
            (inst->sdwa.src[k] != AMDGPU_SDWA_DWORD || inst->sdwa.sext[k])) {
            u32 *x = own(&taken, n);
            for (unsigned i = 0; i < n; ++i)
                x[i] = sdwa_part(x[i], inst->sdwa.src[k], inst->sdwa.sext[k]);
        }
        if (!(row->flags & AMDGPU_VALU_RAW_OP_SEL))
            select_parts(inst, row->flags, part, k, &taken, n);
        change_signs(inst, row->flags, part, k, &taken, n);
        if (amdgpu_valu_is_float(row->s[k]) && !(kept_subnormals(row->s[k], l->mode) & 1))
            flush(own(&taken, n), row->s[k], n);
        l->s[k] = taken.lanes;
    }
    return lanes;
}

LANE const struct amdgpu_op *run_modified(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                          unsigned n)
{
    const struct amdgpu_inst *inst = op->inst;
    const struct amdgpu_valu_row *row = amdgpu_valu_row(inst->row->id);
    ROOM(rooms, 4 * 4);
    ROOM(aside, 4);
    ROOM(masks, 1);
    struct amdgpu_lanes l;
    l.d = aside;
    l.d1 = masks;
    l.mode = wave->mode;
    l.bits = row->flags & AMDGPU_VALU_RAW_OP_SEL ? inst->op_sel : inst->neg;
    u64 lanes = take_sources(wave, op, row, &l, rooms, n);
    compute(effect_of(op), row, &l);
    if (row->d == AMDGPU_MASK) {
        set_test(wave, op, lane_signs(aside, n) & lanes, n);
        return amdgpu_next(op);
    }
    if (amdgpu_valu_is_float(row->d))
        modify_result(aside, row->d, inst, wave->mode, n);
    u32 *d = destination(wave, op->dst, n);
    if (inst->has_sdwa)
        place_sdwa(aside, d, &inst->sdwa, n);
    else if (op->bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP))
        place_half(aside, d, op->bits & AMDGPU_VALU_HIGH, op->bits & AMDGPU_VALU_KEEP, n);
    write_lanes(wave, d, aside, lanes, op->count, n);
    if (row->d1 == AMDGPU_MASK && !(op->bits & AMDGPU_VALU_NO_MASK))
        write_mask(wave, op->dst1, lane_signs(masks, n) & lanes, n);
    return amdgpu_next(op);
}

/* ---- VOPD --------------------------------------------------------------------------------- */

/* A source of a component. If the instruction does not encode it, it is the destination; a mask is
 * VCC. */
LANE const u32 *fetch_operand(const struct amdgpu_wave *wave, const struct amdgpu_operand *operand,
                              bool is_mask, unsigned reg, u32 *room, unsigned n)
{
    if (is_mask) {
        spread(wave->s[AMDGPU_VCC], room, n);
        return room;
    }
    switch (operand->kind) {
    case AMDGPU_VREG:
        return destination(wave, operand->reg, n);
    case AMDGPU_NONE:
        return destination(wave, reg, n);
    case AMDGPU_CONST:
    case AMDGPU_SREG:
        fill(room, operand->kind == AMDGPU_CONST ? (u32)operand->value : wave->s[operand->reg], n);
        return room;
    default: {
        struct amdgpu_source source;
        amdgpu_source_of(operand, &source);
        fill(room, (u32)amdgpu_scalar(wave, &source), n);
        return room;
    }
    }
}

/* Subnormals and rounding as the mode says. */
static __attribute__((noinline)) void
compute_in_mode(amdgpu_effect effect, unsigned id, struct amdgpu_lanes *l, u32 *rooms, unsigned n)
{
    const struct amdgpu_valu_row *row = amdgpu_valu_row(id);
    for (unsigned k = 0; k < row->count; ++k) {
        struct taken taken = {l->s[k], rooms + k * n, 1};
        if (amdgpu_valu_is_float(row->s[k]) && !(kept_subnormals(row->s[k], l->mode) & 1))
            flush(own(&taken, n), row->s[k], n);
        l->s[k] = taken.lanes;
    }
    compute(effect, row, l);
    if (amdgpu_valu_is_float(row->d) && !(kept_subnormals(row->d, l->mode) & 2))
        flush(l->d, row->d, n);
}

/* One component of a VOPD instruction, its result to d; bits: AMDGPU_VALU_SOURCES and
 * AMDGPU_VALU_MASKED. */
LANE void compute_component(const struct amdgpu_wave *wave, const struct amdgpu_operand *operands,
                            unsigned bits, amdgpu_effect effect, unsigned id, unsigned reg, u32 *d,
                            unsigned n)
{
    unsigned count = bits & AMDGPU_VALU_SOURCES;
    ROOM(rooms, 3);
    struct amdgpu_lanes l;
    l.d = d;
    l.mode = wave->mode;
    for (unsigned k = 0; k < 3; ++k)
        if (k < count)
            l.s[k] = fetch_operand(wave, &operands[k], k == 2 && bits & AMDGPU_VALU_MASKED, reg,
                                   rooms + k * n, n);
    if (usual_mode(wave))
        effect(&l);
    else
        compute_in_mode(effect, id, &l, rooms, n);
}

/* Both components read before either writes. */
static const struct amdgpu_op *run_dual_32(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const unsigned n = 32; /* waves of 64 do not have it */
    const struct amdgpu_inst *inst = op->inst;
    ROOM(x_aside, 1);
    ROOM(y_aside, 1);
    u32 *x = destination(wave, op->dst, n), *y = destination(wave, op->dst1, n);
    u64 exec = amdgpu_exec_of(wave, n);
    bool whole = exec == everyone(n), apart = whole && op->bits & AMDGPU_VALU_APART;
    compute_component(wave, inst->src, op->bits >> AMDGPU_VALU_X, effect_of(op), inst->row->id,
                      op->dst, apart ? x : x_aside, n);
    compute_component(wave, inst->src_y, op->bits >> AMDGPU_VALU_Y,
                      *(const amdgpu_effect *)(uintptr_t)op->imm, inst->row_y->id, op->dst1,
                      whole ? y : y_aside, n);
    if (whole && !apart)
        memcpy(x, x_aside, sizeof(u32) * n);
    if (!whole) {
        const u32 *live = live_lanes(wave, exec);
        blend(x, x_aside, live, n, 1);
        blend(y, y_aside, live, n, 1);
    }
    return amdgpu_next(op);
}

/* ---- the table ---------------------------------------------------------------------------- */

#define HANDLER(name, ...)                                                                         \
    static const struct amdgpu_op *name##_32(struct amdgpu_wave *wave, const struct amdgpu_op *op) \
    {                                                                                              \
        const unsigned n = 32;                                                                     \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    static const struct amdgpu_op *name##_64(struct amdgpu_wave *wave, const struct amdgpu_op *op) \
    {                                                                                              \
        const unsigned n = 64;                                                                     \
        return __VA_ARGS__;                                                                        \
    }
HANDLER(run_plain1, run_plain(wave, op, n, 1, false))
HANDLER(run_plain2, run_plain(wave, op, n, 2, false))
HANDLER(run_plain3, run_plain(wave, op, n, 3, false))
HANDLER(run_float1, run_plain(wave, op, n, 1, true))
HANDLER(run_float2, run_plain(wave, op, n, 2, true))
HANDLER(run_float3, run_plain(wave, op, n, 3, true))
HANDLER(run_edited1, run_edited(wave, op, n, 1))
HANDLER(run_edited2, run_edited(wave, op, n, 2))
HANDLER(run_edited3, run_edited(wave, op, n, 3))
HANDLER(run_test, run_test(wave, op, n))
HANDLER(run_carry, run_carry(wave, op, n))
HANDLER(run_modified, run_modified(wave, op, n))

#if !defined(AMDGPU_BITCODE)
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)
const amdgpu_handler JOIN(amdgpu_valu_run_, AMDGPU_ISA_NAME)[AMDGPU_VALU_KINDS][2] = {
    [AMDGPU_VALU_PLAIN1] = {run_plain1_32, run_plain1_64},
    [AMDGPU_VALU_PLAIN2] = {run_plain2_32, run_plain2_64},
    [AMDGPU_VALU_PLAIN3] = {run_plain3_32, run_plain3_64},
    [AMDGPU_VALU_FLOAT1] = {run_float1_32, run_float1_64},
    [AMDGPU_VALU_FLOAT2] = {run_float2_32, run_float2_64},
    [AMDGPU_VALU_FLOAT3] = {run_float3_32, run_float3_64},
    [AMDGPU_VALU_EDITED1] = {run_edited1_32, run_edited1_64},
    [AMDGPU_VALU_EDITED2] = {run_edited2_32, run_edited2_64},
    [AMDGPU_VALU_EDITED3] = {run_edited3_32, run_edited3_64},
    [AMDGPU_VALU_TEST] = {run_test_32, run_test_64},
    [AMDGPU_VALU_CARRY] = {run_carry_32, run_carry_64},
    [AMDGPU_VALU_MODIFIED] = {run_modified_32, run_modified_64},
    [AMDGPU_VALU_DUAL] = {run_dual_32, NULL},
};
#endif
