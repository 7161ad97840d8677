/* Vector instructions in regions. */
#include "amdgpu_jit_region.h"
#include "amdgpu_valu.h"

/* ---- names of functions: amdgpu_valu.def ------------------------------------------------- */

#define EACH_ROW(id, effect) [AMDGPU_ID_##id] = #effect,
#include "amdgpu_valu_forms.h"
static const char *const names[AMDGPU_ID_COUNT] = {
#include "amdgpu_valu.def"
};

/* ---- one row ----------------------------------------------------------------------------- */

/* A row with its operands, as the function takes them. */
struct vector {
    unsigned id;
    unsigned dst, dst1;
    uint32_t bits;
    uint64_t edits;
    struct amdgpu_source src[3];
};

static void read_mask_source(struct amdgpu_describer *d, const struct amdgpu_source *source)
{
    if (source->reg == AMDGPU_VCC || source->count)
        amdgpu_read_mask(d, source->reg);
}

static void read_sources(struct amdgpu_describer *d, const struct vector *vector,
                         const struct amdgpu_valu_row *row)
{
    for (unsigned k = 0; k < row->count && k < 3; k++) {
        struct amdgpu_source source = vector->src[k];
        if (source.kind == AMDGPU_LANE_MASK) {
            read_mask_source(d, &source);
            continue;
        }
        source.count = (unsigned char)amdgpu_valu_registers(row->s[k]);
        amdgpu_read_source(d, &source);
    }
    if (row->count == 4)
        amdgpu_read_mask(d, AMDGPU_VCC);
}

static void write_results(struct amdgpu_describer *d, const struct vector *vector,
                          const struct amdgpu_valu_row *row)
{
    bool has_mask = !(vector->bits & AMDGPU_VALU_NO_MASK);
    unsigned registers = amdgpu_valu_registers(row->d);
    if (row->d == AMDGPU_MASK) {
        if (has_mask)
            amdgpu_write_mask(d, vector->dst);
        if (vector->bits & AMDGPU_VALU_TO_EXEC)
            amdgpu_write_mask(d, AMDGPU_EXEC);
        return;
    }
    if (!d->full || vector->bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP))
        amdgpu_read_vectors(d, vector->dst, registers);
    amdgpu_write_vectors(d, vector->dst, registers);
    if (row->d1 == AMDGPU_MASK && has_mask)
        amdgpu_write_mask(d, vector->dst1);
}

static void describe_row(struct amdgpu_describer *d, const struct vector *vector)
{
    const struct amdgpu_valu_row *row = amdgpu_valu_row(vector->id);
    read_sources(d, vector, row);
    amdgpu_use_exec(d);
    write_results(d, vector, row);
    amdgpu_argue(d, (uint64_t)vector->dst << AMDGPU_BITCODE_DST |
                        (uint64_t)vector->dst1 << AMDGPU_BITCODE_DST1 |
                        (uint64_t)d->full << AMDGPU_BITCODE_FULL);
    amdgpu_argue(d, vector->bits);
    amdgpu_argue(d, vector->edits);
    for (unsigned k = 0; k < 3; k++)
        amdgpu_argue_source(d, &vector->src[k]);
    amdgpu_describe(d, WAVE_EFFECT, "amdgpu_wave_%s_%u", names[vector->id], d->shape->lanes);
}

/* ---- instructions ------------------------------------------------------------------------ */

static uint64_t parts_of(const struct amdgpu_inst *inst)
{
    uint64_t bits = 0;
    for (unsigned k = 0; k < 2 && inst->has_sdwa; k++)
        bits |= (uint64_t)((AMDGPU_SDWA_DWORD - inst->sdwa.src[k]) | inst->sdwa.sext[k] << 3)
                << (AMDGPU_BITCODE_SDWA + 4 * k);
    return bits;
}

static uint64_t edits_of(const struct amdgpu_inst *inst)
{
    uint64_t accumulates = inst->row->flags & AMDGPU_ROW_ACCUMULATES ? 1 : 0;
    return (uint64_t)inst->neg << AMDGPU_BITCODE_NEG | (uint64_t)inst->abs << AMDGPU_BITCODE_ABS |
           (uint64_t)inst->neg_hi << AMDGPU_BITCODE_NEG_HI |
           (uint64_t)inst->op_sel << AMDGPU_BITCODE_OP_SEL |
           (uint64_t)inst->op_sel_hi << AMDGPU_BITCODE_OP_SEL_HI |
           (uint64_t)inst->format << AMDGPU_BITCODE_FORMAT |
           accumulates << AMDGPU_BITCODE_ACCUMULATES | parts_of(inst);
}

/* LLVM 22 ends with an error on unsigned comparisons of upper halves with AVX2. */
static bool compares_upper_halves(const struct amdgpu_inst *inst, const struct amdgpu_valu_row *row)
{
    bool upper =
        (inst->op_sel & 3) == 3 || (inst->has_sdwa && inst->sdwa.src[0] == AMDGPU_SDWA_WORD1 &&
                                    inst->sdwa.src[1] == AMDGPU_SDWA_WORD1);
    return upper && row->d == AMDGPU_MASK && row->s[0] == AMDGPU_U16;
}

/* One row, without what only the interpreter does: DPP, parts of registers as results of SDWA,
 * clamp, omod. */
static bool describe_single(struct amdgpu_describer *d)
{
    const struct amdgpu_op *op = d->op;
    const struct amdgpu_inst *inst = op->inst;
    unsigned id = inst->row->id;
    const struct amdgpu_valu_row *row = amdgpu_valu_row(id);
    if (!row || !names[id] || inst->has_dpp || inst->clamp)
        return false;
    if (inst->has_sdwa && inst->sdwa.dst != AMDGPU_SDWA_DWORD)
        return false;
    if (compares_upper_halves(inst, row))
        return false;
    uint32_t halves = inst->has_sdwa ? 0 : AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP;
    if (amdgpu_valu_is_float(row->d) && inst->omod)
        return false;
    struct vector vector = {.id = id,
                            .dst = op->dst,
                            .dst1 = op->dst1,
                            .bits = op->bits & (AMDGPU_VALU_TO_EXEC | AMDGPU_VALU_NO_MASK | halves),
                            .edits = edits_of(inst)};
    for (unsigned k = 0; k < 3; k++)
        vector.src[k] = op->src[k];
    describe_row(d, &vector);
    return true;
}

/* ---- VOPD -------------------------------------------------------------------------------- */

/* A component as an instruction of its own. */
static bool component_of(const struct amdgpu_operand *operands, unsigned id, unsigned dst,
                         struct vector *out_vector)
{
    const struct amdgpu_valu_row *row = amdgpu_valu_row(id);
    if (!row || !names[id] || row->count > 3 || amdgpu_valu_registers(row->d) != 1)
        return false;
    *out_vector = (struct vector){.id = id, .dst = dst, .bits = AMDGPU_VALU_NO_MASK};
    for (unsigned k = 0; k < row->count; k++) {
        struct amdgpu_source *source = &out_vector->src[k];
        if (row->s[k] == AMDGPU_MASK)
            *source =
                (struct amdgpu_source){.kind = AMDGPU_LANE_MASK, .count = 1, .reg = AMDGPU_VCC};
        else if (operands[k].kind == AMDGPU_NONE)
            *source =
                (struct amdgpu_source){.kind = AMDGPU_VREG, .count = 1, .reg = (unsigned short)dst};
        else if (!amdgpu_source_of(&operands[k], source))
            return false;
    }
    return true;
}

static bool reads(const struct vector *vector, unsigned reg)
{
    for (unsigned k = 0; k < 3; k++)
        if (vector->src[k].kind == AMDGPU_VREG && vector->src[k].reg == reg)
            return true;
    return false;
}

/* One component after the other, where neither reads what the first has written. */
static bool describe_dual(struct amdgpu_describer *d)
{
    const struct amdgpu_inst *inst = d->op->inst;
    struct vector x, y;
    if (!component_of(inst->src, inst->row->id, d->op->dst, &x) ||
        !component_of(inst->src_y, inst->row_y->id, d->op->dst1, &y))
        return false;
    if (x.dst == y.dst || (reads(&y, x.dst) && reads(&x, y.dst)))
        return false;
    bool x_first = !reads(&y, x.dst);
    describe_row(d, x_first ? &x : &y);
    describe_row(d, x_first ? &y : &x);
    return true;
}

/* ---- between lanes ----------------------------------------------------------------------- */

/* v_readfirstlane, and v_readlane with a constant. */
static bool describe_read_lane(struct amdgpu_describer *d)
{
    const struct amdgpu_op *op = d->op;
    unsigned id = op->inst->row->id;
    bool first = id == AMDGPU_ID_V_READFIRSTLANE_B32;
    if (!first && (id != AMDGPU_ID_V_READLANE_B32 || op->src[1].kind != AMDGPU_CONST))
        return false;
    if (op->src[0].kind != AMDGPU_VREG || op->inst->has_dpp || op->inst->has_sdwa)
        return false;
    amdgpu_read_vectors(d, op->src[0].reg, 1);
    amdgpu_write_scalars(d, op->dst, 1);
    amdgpu_read_mask(d, AMDGPU_EXEC);
    amdgpu_argue(d, op->dst);
    amdgpu_argue(d, op->src[0].reg);
    amdgpu_argue(d, first ? UINT64_MAX : op->src[1].value & (d->shape->lanes - 1));
    amdgpu_argue(d, d->full);
    amdgpu_describe(d, WAVE_EFFECT, "amdgpu_wave_read_lane_%u", d->shape->lanes);
    return true;
}

/* What the operands say all registers of. */
static bool has_plain_registers(unsigned id)
{
    switch (id) {
    case AMDGPU_ID_V_MOVRELD_B32:
    case AMDGPU_ID_V_MOVRELS_B32:
    case AMDGPU_ID_V_MOVRELSD_B32:
    case AMDGPU_ID_V_MOVRELSD_2_B32:
    case AMDGPU_ID_V_SWAP_B32:
    case AMDGPU_ID_V_SWAP_B16:
    case AMDGPU_ID_V_SWAPREL_B32:
        return false;
    default:
        return true;
    }
}

static bool does_nothing(unsigned id)
{
    return id == AMDGPU_ID_V_NOP || id == AMDGPU_ID_V_CLREXCP || id == AMDGPU_ID_V_PIPEFLUSH;
}

bool amdgpu_describe_vector(struct amdgpu_describer *d)
{
    const struct amdgpu_inst *inst = d->op->inst;
    unsigned format = inst->row->format, id = inst->row->id;
    if (format < AMDGPU_VOP1 || format > AMDGPU_VOPD)
        return false;
    if (does_nothing(id))
        return true;
    if (!has_plain_registers(id))
        return false;
    if (inst->format == AMDGPU_VOPD ? !describe_dual(d)
                                    : !describe_read_lane(d) && !describe_single(d))
        amdgpu_describe_handler(d);
    return true;
}
