/* Vector instructions that move values between lanes, exchange registers, or name registers by
 * M0; and those that do nothing. Where DPP takes lanes from. */
#include "amdgpu_valu.h"

/* ---- DPP ------------------------------------------------------------------------------------- */

enum { /* DPP_CTRL: the first of each kind, and single ones */
       ROW_SHL = 0x100,
       ROW_SHR = 0x110,
       ROW_ROR = 0x120,
       WAVE_SHL = 0x130,
       WAVE_ROL = 0x134,
       WAVE_SHR = 0x138,
       WAVE_ROR = 0x13c,
       ROW_MIRROR = 0x140,
       ROW_HALF_MIRROR = 0x141,
       ROW_BCAST15 = 0x142,
       ROW_BCAST31 = 0x143,
       ROW_SHARE = 0x150, /* row_newbcast of gfx9 */
       ROW_XMASK = 0x160,
};

/* Within a row of 16 lanes: in bounds while position is 0 to 15. */
static bool in_row(unsigned lane, int position, unsigned *out_lane)
{
    *out_lane = (lane & ~15u) + ((unsigned)position & 15);
    return position >= 0 && position < 16;
}

/* Of the whole wave. */
static bool lane_in_wave(unsigned lanes, unsigned lane, unsigned control, unsigned *out_lane)
{
    switch (control) {
    case WAVE_SHL:
        *out_lane = (lane + 1) % lanes;
        return lane + 1 < lanes;
    case WAVE_ROL:
        *out_lane = (lane + 1) % lanes;
        return true;
    case WAVE_SHR:
        *out_lane = (lane + lanes - 1) % lanes;
        return lane > 0;
    case WAVE_ROR:
        *out_lane = (lane + lanes - 1) % lanes;
        return true;
    case ROW_BCAST15:
        *out_lane = (lane & ~15u) - 1;
        return lane >= 16;
    case ROW_BCAST31:
        *out_lane = 31;
        return lane >= 32;
    default:
        return false;
    }
}

bool amdgpu_dpp_lane(const struct amdgpu_dpp *dpp, unsigned lanes, unsigned lane,
                     unsigned *out_lane)
{
    unsigned control = dpp->control, by = control & 15;
    int at = (int)(lane & 15);
    if (dpp->is_dpp8) {
        *out_lane = (lane & ~7u) + (dpp->lanes >> 3 * (lane & 7) & 7);
        return true;
    }
    if (control < ROW_SHL) {
        *out_lane = (lane & ~3u) + (control >> 2 * (lane & 3) & 3);
        return true;
    }
    switch (control & ~15u) {
    case ROW_SHL:
        return in_row(lane, at + (int)by, out_lane);
    case ROW_SHR:
        return in_row(lane, at - (int)by, out_lane);
    case ROW_ROR:
        return in_row(lane, (at - (int)by) & 15, out_lane);
    case ROW_SHARE:
        return in_row(lane, (int)by, out_lane);
    case ROW_XMASK:
        return in_row(lane, at ^ (int)by, out_lane);
    default:
        break;
    }
    if (control == ROW_MIRROR)
        return in_row(lane, 15 - at, out_lane);
    if (control == ROW_HALF_MIRROR)
        return in_row(lane, at ^ 7, out_lane);
    return lane_in_wave(lanes, lane, control, out_lane);
}

/* ---- one lane ----------------------------------------------------------------------------- */

/* A source's value in a lane. */
static uint32_t value_in(const struct amdgpu_wave *wave, const struct amdgpu_source *source,
                         unsigned lane)
{
    return source->kind == AMDGPU_VREG ? amdgpu_v(wave, source->reg)[lane]
                                       : (uint32_t)amdgpu_scalar(wave, source);
}

static const struct amdgpu_op *run_readlane(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    unsigned lane = (unsigned)amdgpu_scalar(wave, &op->src[1]) & (wave->lanes - 1);
    wave->s[op->dst] = value_in(wave, &op->src[0], lane);
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_readfirstlane(struct amdgpu_wave *wave,
                                                 const struct amdgpu_op *op)
{
    uint64_t exec = amdgpu_exec(wave);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    wave->s[op->dst] = value_in(wave, &op->src[0], lane);
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_writelane(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    unsigned lane = (unsigned)amdgpu_scalar(wave, &op->src[1]) & (wave->lanes - 1);
    amdgpu_v(wave, op->dst)[lane] = (uint32_t)amdgpu_scalar(wave, &op->src[0]);
    return amdgpu_next(op);
}

/* ---- among lanes -------------------------------------------------------------------------- */

enum { FETCH_INACTIVE = 1, BOUND_CTRL = 2 }; /* of op_sel */

/* Lanes of a row, or of the row beside it, as 16 times 4 bits say. */
static const struct amdgpu_op *run_permlane16(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t select = (uint32_t)amdgpu_scalar(wave, &op->src[1]) |
                      (uint64_t)(uint32_t)amdgpu_scalar(wave, &op->src[2]) << 32;
    uint64_t exec = amdgpu_exec(wave);
    uint32_t *d = amdgpu_v(wave, op->dst), result[AMDGPU_LANES_MAX];
    unsigned other = op->inst->row->id == AMDGPU_ID_V_PERMLANEX16_B32 ? 16 : 0;
    for (unsigned i = 0; i < wave->lanes; i++) {
        unsigned from = ((i & ~15u) ^ other) + (select >> 4 * (i & 15) & 15);
        bool there = op->bits & FETCH_INACTIVE || exec >> from & 1;
        uint32_t missing = op->bits & BOUND_CTRL ? 0 : d[i];
        result[i] = there ? value_in(wave, &op->src[0], from) : missing;
    }
    for (unsigned i = 0; i < wave->lanes; i++)
        if (exec >> i & 1)
            d[i] = result[i];
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_permlane64(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t exec = amdgpu_exec(wave);
    uint32_t *d = amdgpu_v(wave, op->dst), result[AMDGPU_LANES_MAX];
    for (unsigned i = 0; i < wave->lanes; i++)
        result[i] = value_in(wave, &op->src[0], wave->lanes == 64 ? i ^ 32 : i);
    for (unsigned i = 0; i < wave->lanes; i++)
        if (exec >> i & 1)
            d[i] = result[i];
    return amdgpu_next(op);
}

/* ---- registers by M0 ---------------------------------------------------------------------- */

/* What is added to the source and to the destination. */
static void offsets(const struct amdgpu_wave *wave, unsigned id, unsigned *out_src,
                    unsigned *out_dst)
{
    uint32_t m0 = wave->s[wave->m0];
    bool apart = id == AMDGPU_ID_V_MOVRELSD_2_B32 || id == AMDGPU_ID_V_SWAPREL_B32;
    *out_src = id == AMDGPU_ID_V_MOVRELD_B32 ? 0 : apart ? m0 & 0x3ff : m0;
    *out_dst = id == AMDGPU_ID_V_MOVRELS_B32 ? 0 : apart ? m0 >> 16 & 0x3ff : m0;
}

/* A VGPR, moved by an offset. NULL: the wave has no such register. */
static uint32_t *moved(const struct amdgpu_wave *wave, unsigned reg, unsigned by)
{
    uint64_t index = (uint64_t)reg + by;
    return reg < 256 && index < wave->vgprs ? amdgpu_v(wave, (unsigned)index) : NULL;
}

static const struct amdgpu_op *fail(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return amdgpu_fail(
        wave, op,
        &(struct amdgpu_fault){.kind = AMDGPU_END_INSTRUCTION,
                               .what = "indexes a register by M0 that was not allocated to it",
                               .lane = -1});
}

static const struct amdgpu_op *run_movrel(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    unsigned by_src, by_dst;
    offsets(wave, op->inst->row->id, &by_src, &by_dst);
    uint64_t exec = amdgpu_exec(wave);
    uint32_t *d = moved(wave, op->dst, by_dst);
    bool is_register = op->src[0].kind == AMDGPU_VREG;
    const uint32_t *s = is_register ? moved(wave, op->src[0].reg, by_src) : NULL;
    if (!d || (is_register && !s))
        return fail(wave, op);
    for (unsigned i = 0; i < wave->lanes; i++)
        if (exec >> i & 1)
            d[i] = s ? s[i] : (uint32_t)amdgpu_scalar(wave, &op->src[0]);
    return amdgpu_next(op);
}

/* ---- exchanges ---------------------------------------------------------------------------- */

static void exchange(const struct amdgpu_wave *wave, uint32_t *a, uint32_t *b)
{
    uint64_t exec = amdgpu_exec(wave);
    for (unsigned i = 0; i < wave->lanes; i++)
        if (exec >> i & 1) {
            uint32_t kept = a[i];
            a[i] = b[i];
            b[i] = kept;
        }
}

static const struct amdgpu_op *run_swap(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    exchange(wave, amdgpu_v(wave, op->dst), amdgpu_v(wave, op->src[0].reg));
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_swaprel(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    unsigned by_src, by_dst;
    offsets(wave, op->inst->row->id, &by_src, &by_dst);
    uint32_t *a = moved(wave, op->dst, by_dst), *b = moved(wave, op->src[0].reg, by_src);
    if (!a || !b)
        return fail(wave, op);
    exchange(wave, a, b);
    return amdgpu_next(op);
}

/* Halves; op_sel says which: bit 0 of the source, bit 3 of the destination. */
static const struct amdgpu_op *run_swap16(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t exec = amdgpu_exec(wave);
    uint32_t *a = amdgpu_v(wave, op->dst), *b = amdgpu_v(wave, op->src[0].reg);
    unsigned at_a = op->bits & 8 ? 16 : 0, at_b = op->bits & 1 ? 16 : 0;
    for (unsigned i = 0; i < wave->lanes; i++)
        if (exec >> i & 1) {
            uint32_t x = a[i] >> at_a & 0xffff, y = b[i] >> at_b & 0xffff;
            a[i] = (a[i] & ~(0xffffu << at_a)) | y << at_a;
            b[i] = (b[i] & ~(0xffffu << at_b)) | x << at_b;
        }
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_nothing(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    (void)wave;
    return amdgpu_next(op);
}

/* ---- emission ----------------------------------------------------------------------------- */

enum destination { NOWHERE, SCALAR, VECTOR };
static const struct {
    unsigned short id;
    unsigned char dst, sources;
    bool registers; /* the source is a register */
    amdgpu_handler run;
} rows[] = {
    {AMDGPU_ID_V_NOP, NOWHERE, 0, false, run_nothing},
    {AMDGPU_ID_V_CLREXCP, NOWHERE, 0, false, run_nothing},
    {AMDGPU_ID_V_PIPEFLUSH, NOWHERE, 0, false, run_nothing},
    {AMDGPU_ID_V_READLANE_B32, SCALAR, 2, false, run_readlane},
    {AMDGPU_ID_V_READFIRSTLANE_B32, SCALAR, 1, false, run_readfirstlane},
    {AMDGPU_ID_V_WRITELANE_B32, VECTOR, 2, false, run_writelane},
    {AMDGPU_ID_V_PERMLANE16_B32, VECTOR, 3, false, run_permlane16},
    {AMDGPU_ID_V_PERMLANEX16_B32, VECTOR, 3, false, run_permlane16},
    {AMDGPU_ID_V_PERMLANE64_B32, VECTOR, 1, false, run_permlane64},
    {AMDGPU_ID_V_MOVRELD_B32, VECTOR, 1, false, run_movrel},
    {AMDGPU_ID_V_MOVRELS_B32, VECTOR, 1, true, run_movrel},
    {AMDGPU_ID_V_MOVRELSD_B32, VECTOR, 1, true, run_movrel},
    {AMDGPU_ID_V_MOVRELSD_2_B32, VECTOR, 1, true, run_movrel},
    {AMDGPU_ID_V_SWAP_B32, VECTOR, 1, true, run_swap},
    {AMDGPU_ID_V_SWAP_B16, VECTOR, 1, true, run_swap16},
    {AMDGPU_ID_V_SWAPREL_B32, VECTOR, 1, true, run_swaprel},
};

static bool is_scalar(const struct amdgpu_source *source)
{
    return source->kind != AMDGPU_VREG && source->kind != AMDGPU_NONE;
}

static bool emit_operands(const struct amdgpu_inst *inst, size_t row, struct amdgpu_op *op)
{
    const struct amdgpu_operand *dst = &inst->dst[0];
    for (unsigned k = 0; k < rows[row].sources; k++) {
        if (!amdgpu_source_of(&inst->src[k], &op->src[k]))
            return false;
        /* Which lane, and what is written to one, is the same for all. */
        bool same = k > 0 || inst->row->id == AMDGPU_ID_V_WRITELANE_B32;
        if (same && !is_scalar(&op->src[k]))
            return false;
    }
    if (rows[row].registers && op->src[0].kind != AMDGPU_VREG)
        return false;
    op->dst = dst->kind == AMDGPU_NULL ? 0 : dst->reg;
    if (rows[row].dst == SCALAR)
        return dst->kind == AMDGPU_SREG && dst->reg < AMDGPU_SREGS;
    return rows[row].dst == NOWHERE || dst->kind == AMDGPU_VREG;
}

bool amdgpu_lanes_emit(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].id == inst->row->id && !inst->has_dpp && !inst->has_sdwa) {
            op->run = rows[i].run;
            op->bits = inst->op_sel;
            op->count = 1;
            if (emit_operands(inst, i, op))
                return true;
            break;
        }
    return false;
}
