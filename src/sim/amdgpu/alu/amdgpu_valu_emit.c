/* Selects the effect and the handler of a vector instruction, from the types of its row in
 * amdgpu_valu.def and from its operands and modifiers. */
#include "amdgpu_alu.h"
#include "amdgpu_valu.h"

/* ---- the types of effects ------------------------------------------------------------------ */

#define TYPED_ROW(id, d, d1, count, a, b, c, e, flags)                                             \
    [AMDGPU_ID_##id] = {d, d1, count, {a, b, c, e}, flags},
#include "amdgpu_valu_types.h"
#define SAME(id, other, A, B) ROW2(id, mask, NO, A, B, 0)
static const struct amdgpu_valu_row rows[AMDGPU_ID_COUNT] = {
#include "amdgpu_valu.def"
};

const struct amdgpu_valu_row *amdgpu_valu_row(unsigned id)
{
    return id < AMDGPU_ID_COUNT && rows[id].count ? &rows[id] : NULL;
}

static bool is_half(unsigned type)
{
    return type == AMDGPU_B16 || type == AMDGPU_I16 || type == AMDGPU_U16 || type == AMDGPU_F16 ||
           type == AMDGPU_BF16;
}
static bool is_pair(unsigned type)
{
    return type == AMDGPU_PK16 || type == AMDGPU_PKF16 || type == AMDGPU_PKBF16 ||
           type == AMDGPU_PKF32;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool mask_source(const struct amdgpu_operand *operand, struct amdgpu_source *out_source)
{
    *out_source = (struct amdgpu_source){.kind = AMDGPU_LANE_MASK};
    if (operand->kind == AMDGPU_NONE || operand->kind == AMDGPU_SREG) {
        out_source->reg = operand->kind == AMDGPU_NONE ? AMDGPU_VCC : operand->reg;
        out_source->count = 1; /* a register, not a value */
        return out_source->reg + 1 < AMDGPU_SREGS;
    }
    out_source->value = operand->value;
    return operand->kind == AMDGPU_CONST || operand->kind == AMDGPU_NULL;
}

/* The source for an operand of a type; an operand that the instruction does not encode is VCC
 * (masks) or the destination. False: the operand is invalid. */
static bool source_of(const struct amdgpu_operand *operand, unsigned type, unsigned destination,
                      struct amdgpu_source *out_source)
{
    if (type == AMDGPU_MASK)
        return mask_source(operand, out_source);
    if (operand->kind == AMDGPU_NONE) {
        *out_source = (struct amdgpu_source){.kind = AMDGPU_VREG, .reg = (uint16_t)destination};
    } else if (!amdgpu_source_of(operand, out_source) ||
               operand->count < amdgpu_valu_registers(type)) {
        return false;
    }
    out_source->count = (unsigned char)amdgpu_valu_registers(type);
    return true;
}

static bool emit_sources(const struct amdgpu_inst *inst, const struct amdgpu_valu_row *row,
                         struct amdgpu_op *op)
{
    for (unsigned k = 0; k < row->count && k < 3; k++) {
        /* Only the last source is ever implicit. */
        if (inst->src[k].kind == AMDGPU_NONE && k + 1 < row->count && k + 1 < 3)
            return false;
        if (!source_of(&inst->src[k], row->s[k], inst->dst[0].reg, &op->src[k]))
            return false;
    }
    if (row->count == 4)
        op->bits |= AMDGPU_VALU_VCC;
    return true;
}

/* The destination of a mask. */
static bool emit_mask(const struct amdgpu_operand *operand, unsigned short *out_reg,
                      struct amdgpu_op *op)
{
    *out_reg = operand->kind == AMDGPU_SREG ? operand->reg : AMDGPU_VCC;
    if (operand->kind == AMDGPU_NULL)
        op->bits |= AMDGPU_VALU_NO_MASK;
    return *out_reg + 1 < AMDGPU_SREGS;
}

static bool emit_results(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                         const struct amdgpu_valu_row *row, struct amdgpu_op *op)
{
    op->count = (unsigned char)amdgpu_valu_registers(row->d);
    if (row->d == AMDGPU_MASK) {
        bool gfx9 = amdgpu_family_of(isa) == AMDGPU_GFX9;
        if (inst->row->flags & AMDGPU_ROW_EXEC)
            op->bits |= AMDGPU_VALU_TO_EXEC | (gfx9 ? 0 : AMDGPU_VALU_NO_MASK);
        return emit_mask(&inst->dst[0], &op->dst, op);
    }
    op->dst = inst->dst[0].reg;
    if (inst->dst[0].kind != AMDGPU_VREG || inst->dst[0].count < op->count)
        return false;
    if (row->d1 == AMDGPU_MASK)
        return emit_mask(&inst->dst[1], &op->dst1, op);
    op->bits |= AMDGPU_VALU_NO_MASK;
    return true;
}

/* ---- halves ------------------------------------------------------------------------------- */

/* gfx9: rows with half results that keep the other half; most clear it. */
static bool keeps_in_gfx9(unsigned id)
{
    switch (id) {
    case AMDGPU_ID_V_MAD_F16:
    case AMDGPU_ID_V_MADAK_F16:
    case AMDGPU_ID_V_MADMK_F16:
    case AMDGPU_ID_V_MAC_F16:
    case AMDGPU_ID_V_FMAAK_F16:
    case AMDGPU_ID_V_FMAMK_F16:
    case AMDGPU_ID_V_FMA_F16:
    case AMDGPU_ID_V_FMAC_F16:
    case AMDGPU_ID_V_MAD_U16:
    case AMDGPU_ID_V_MAD_I16:
    case AMDGPU_ID_V_DIV_FIXUP_F16:
    case AMDGPU_ID_V_ADD_NC_I16:
    case AMDGPU_ID_V_SUB_NC_I16:
    case AMDGPU_ID_V_MIN3_F16:
    case AMDGPU_ID_V_MIN3_I16:
    case AMDGPU_ID_V_MIN3_U16:
    case AMDGPU_ID_V_MAX3_F16:
    case AMDGPU_ID_V_MAX3_I16:
    case AMDGPU_ID_V_MAX3_U16:
    case AMDGPU_ID_V_MED3_F16:
    case AMDGPU_ID_V_MED3_I16:
    case AMDGPU_ID_V_MED3_U16:
    case AMDGPU_ID_V_FMA_MIXLO_F16:
    case AMDGPU_ID_V_FMA_MIXHI_F16:
    case AMDGPU_ID_V_MAD_MIXLO_F16:
    case AMDGPU_ID_V_MAD_MIXHI_F16:
        return true;
    default:
        return false;
    }
}

static void emit_halves(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                        const struct amdgpu_valu_row *row, struct amdgpu_op *op)
{
    unsigned id = inst->row->id;
    if (!is_half(row->d))
        return;
    if (amdgpu_family_of(isa) != AMDGPU_GFX9 || keeps_in_gfx9(id))
        op->bits |= AMDGPU_VALU_KEEP;
    bool upper = row->flags & AMDGPU_VALU_MIX
                     ? id == AMDGPU_ID_V_FMA_MIXHI_F16 || id == AMDGPU_ID_V_MAD_MIXHI_F16
                     : inst->op_sel >> 3 & 1;
    if (upper)
        op->bits |= AMDGPU_VALU_HIGH;
}

/* ---- modifiers ---------------------------------------------------------------------------- */

/* Whether it has modifiers beyond the edits below. */
static bool is_modified(const struct amdgpu_inst *inst, const struct amdgpu_valu_row *row)
{
    if (inst->has_dpp || inst->has_sdwa || inst->neg_hi)
        return true;
    if (amdgpu_valu_is_float(row->d) && (inst->clamp || inst->omod))
        return true;
    if (row->flags & (AMDGPU_VALU_RAW_NEG | AMDGPU_VALU_RAW_OP_SEL))
        return true;
    for (unsigned k = 0; k < row->count; k++) {
        bool low = inst->op_sel >> k & 1, high = inst->op_sel_hi >> k & 1;
        if ((row->flags & AMDGPU_VALU_MIX && high) ||
            (is_pair(row->s[k]) && inst->format == AMDGPU_VOP3P && (low || !high)))
            return true;
    }
    return false;
}

/* Edits: sign changes, and halves of registers that are read or written. */
static bool is_edited(const struct amdgpu_inst *inst, const struct amdgpu_valu_row *row,
                      const struct amdgpu_op *op)
{
    bool edited = inst->neg || inst->abs || op->bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP);
    for (unsigned k = 0; k < row->count; k++)
        edited |= is_half(row->s[k]) && amdgpu_valu_upper(inst, k);
    return edited;
}

/* Up to three sources that can be edited, and a result in registers. */
static bool is_editable(const struct amdgpu_inst *inst, const struct amdgpu_valu_row *row)
{
    if (row->d == AMDGPU_MASK || row->d1 == AMDGPU_MASK || row->count == 4 ||
        row->flags & AMDGPU_VALU_MIX)
        return false;
    for (unsigned k = 0; k < row->count; k++) {
        bool sign = row->s[k] == AMDGPU_F32 || row->s[k] == AMDGPU_F64 || row->s[k] == AMDGPU_F16;
        if ((!sign && (inst->neg | inst->abs) >> k & 1) || row->s[k] == AMDGPU_MASK ||
            row->s[k] == AMDGPU_PKF32 || amdgpu_valu_registers(row->s[k]) > 2)
            return false;
    }
    return row->d != AMDGPU_PKF32;
}

static uint32_t bits_of_types(const struct amdgpu_valu_row *row)
{
    uint32_t bits = row->d == AMDGPU_F32 ? AMDGPU_VALU_F32_RESULT : 0;
    for (unsigned k = 0; k < row->count && k < 3; k++)
        bits |= (row->s[k] == AMDGPU_F32 ? 1u << AMDGPU_VALU_F32 << k : 0) |
                (is_half(row->s[k]) ? 1u << AMDGPU_VALU_HALF << k : 0);
    for (unsigned k = 0; k <= row->count; k++) {
        unsigned type = k < row->count ? row->s[k] : row->d;
        bool single = type == AMDGPU_F32 || type == AMDGPU_PKF32;
        if (amdgpu_valu_is_float(type))
            bits |= (single ? AMDGPU_MODE_F32 : AMDGPU_MODE_F64_F16) << AMDGPU_VALU_MODE;
    }
    return bits;
}

static enum amdgpu_valu_kind kind_of(const struct amdgpu_inst *inst,
                                     const struct amdgpu_valu_row *row, struct amdgpu_op *op)
{
    bool floats = amdgpu_valu_is_float(row->d);
    for (unsigned k = 0; k < row->count; k++)
        floats |= amdgpu_valu_is_float(row->s[k]);
    bool edited = is_edited(inst, row, op), editable = is_editable(inst, row);
    if (is_modified(inst, row) || (edited && !editable))
        return AMDGPU_VALU_MODIFIED;
    op->bits |= bits_of_types(row) | (editable ? AMDGPU_VALU_EDITABLE : 0);
    if (edited)
        return AMDGPU_VALU_EDITED1 + (row->count - 1u);
    if (row->d == AMDGPU_MASK)
        return AMDGPU_VALU_TEST;
    if (row->d1 == AMDGPU_MASK || row->count == 4 || amdgpu_valu_registers(row->s[2]) == 4)
        return AMDGPU_VALU_CARRY;
    return (floats ? AMDGPU_VALU_FLOAT1 : AMDGPU_VALU_PLAIN1) + (row->count - 1u);
}

/* ---- instructions --------------------------------------------------------------------------- */

/* One component of VOPD: up to three sources of one register each; a mask is the last one, in
 * VCC. */
static bool emit_component(const struct amdgpu_operand *operands, const struct amdgpu_valu_row *row,
                           unsigned destination, unsigned shift, struct amdgpu_op *op)
{
    struct amdgpu_source source;
    unsigned bits = row->count;
    if (row->count > 3 || amdgpu_valu_registers(row->d) != 1)
        return false;
    for (unsigned k = 0; k < row->count; k++) {
        if (!source_of(&operands[k], row->s[k], destination, &source))
            return false;
        if (operands[k].kind == AMDGPU_NONE && k != 2) /* only the last is ever implicit */
            return false;
        if (row->s[k] == AMDGPU_MASK && (k != 2 || source.reg != AMDGPU_VCC))
            return false;
        bits |= row->s[k] == AMDGPU_MASK ? AMDGPU_VALU_MASKED : 0;
    }
    op->bits |= bits << shift;
    return true;
}

static bool emit_dual(const struct amdgpu_valu_table *table, unsigned lanes,
                      const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    const struct amdgpu_valu_row *x = amdgpu_valu_row(inst->row->id);
    const struct amdgpu_valu_row *y = inst->row_y ? amdgpu_valu_row(inst->row_y->id) : NULL;
    if (!x || !y || inst->dst[0].kind != AMDGPU_VREG || inst->dst_y.kind != AMDGPU_VREG)
        return false;
    if (lanes != 32 || !emit_component(inst->src, x, inst->dst[0].reg, AMDGPU_VALU_X, op) ||
        !emit_component(inst->src_y, y, inst->dst_y.reg, AMDGPU_VALU_Y, op))
        return false;
    op->count = 1;
    op->dst = inst->dst[0].reg;
    op->dst1 = inst->dst_y.reg;
    bool apart = op->dst != op->dst1;
    for (unsigned k = 0; k < y->count; k++)
        apart &= inst->src_y[k].kind != AMDGPU_VREG || inst->src_y[k].reg != op->dst;
    op->bits |= apart ? AMDGPU_VALU_APART : 0;
    op->effect = &table->effects[inst->row->id][lanes == 64];
    op->imm = (uintptr_t)&table->effects[inst->row_y->id][lanes == 64];
    op->run = table->run[AMDGPU_VALU_DUAL][lanes == 64];
    return true;
}

bool amdgpu_valu_emit(const struct amdgpu_valu_table *table, enum amdgpu_isa isa, unsigned lanes,
                      const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    unsigned id = inst->row->id;
    op->bits = 0;
    for (unsigned k = 0; k < 3; k++)
        op->src[k].kind = AMDGPU_NONE;
    if (inst->format == AMDGPU_VOPD)
        return emit_dual(table, lanes, inst, op);
    if (amdgpu_lanes_emit(inst, op))
        return true;
    const struct amdgpu_valu_row *row = amdgpu_valu_row(id);
    if (!row || !emit_sources(inst, row, op) || !emit_results(isa, inst, row, op))
        return false;
    emit_halves(isa, inst, row, op);
    bool clamped = inst->clamp && !amdgpu_valu_is_float(row->d) && table->clamped[id][0];
    op->effect = &(clamped ? table->clamped : table->effects)[id][lanes == 64];
    enum amdgpu_valu_kind kind = kind_of(inst, row, op);
    bool fused = kind <= AMDGPU_VALU_FLOAT3 && !clamped && table->fused[id][0];
    op->run = fused ? table->fused[id][lanes == 64] : table->run[kind][lanes == 64];
    return true;
}

bool amdgpu_emit_vector(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                        struct amdgpu_op *op)
{
    return amdgpu_valu_emit(amdgpu_valu_table(), isa, lanes, inst, op);
}
