/* Hardware registers: s_getreg, s_setreg, s_round_mode, s_denorm_mode. */
#include "amdgpu_wave.h"

enum hwreg { /* as encoded */
             HW_MODE = 1,
             HW_STATUS = 2,
             HW_TRAPSTS = 3,
             HW_HW_ID = 4, /* gfx9 */
             HW_GPR_ALLOC = 5,
             HW_LDS_ALLOC = 6,
             HW_IB_STS = 7,
             HW_XCC_ID = 20,      /* gfx942 */
             HW_FLAT_SCR_LO = 20, /* gfx10 and later */
             HW_FLAT_SCR_HI = 21,
             HW_HW_ID1 = 23,
             HW_HW_ID2 = 24,
             HW_SHADER_CYCLES = 29,
};

/* ---- the place where a wave reports that it runs ----------------------------------------- */

enum { UNITS_PER_ARRAY = 16, UNITS_PER_XCC = 38 };

/* The index of the compute unit that has so many enabled units before it. */
static unsigned masked_unit(const struct amdgpu_dispatch *dispatch, unsigned before)
{
    unsigned unit = 0;
    while (!(dispatch->unit_mask[unit / 32] >> unit % 32 & 1) || before-- > 0)
        unit++;
    return unit;
}

static unsigned unit_of(const struct amdgpu_wave *wave)
{
    const struct amdgpu_block *block = wave->block;
    const struct amdgpu_dispatch *dispatch = block->dispatch;
    unsigned units = dispatch->units ? dispatch->units : dispatch->device->model.units;
    unsigned unit = (unsigned)(block->block->number % (units ? units : 1));
    return dispatch->units ? masked_unit(dispatch, unit) : unit;
}

static uint32_t gfx9_hw_id(const struct amdgpu_wave *wave)
{
    unsigned unit = unit_of(wave);
    if (wave->page->shape->isa == AMDGPU_GFX942)
        unit %= UNITS_PER_XCC;
    return (wave->number >> 2 & 15) | (wave->number & 3) << 4 | unit % UNITS_PER_ARRAY << 8 |
           (unit / UNITS_PER_ARRAY & 7) << 13;
}

/* Pairs of units (WGPs), in two arrays of each shader engine. */
static uint32_t hw_id1(const struct amdgpu_wave *wave)
{
    unsigned unit = unit_of(wave), pair = unit / 2;
    return (wave->number >> 2 & 31) | ((wave->number & 1) | (unit & 1) << 1) << 8 |
           (pair % 8) << 10 | (pair / 8 & 1) << 16 | (pair / 16 & 7) << 18;
}

enum {
    STATUS_PRIV = 1 << 5,
    STATUS_TRAP_EN = 1 << 6,
    STATUS_HALT = 1 << 13,
    STATUS_VALID = 1 << 16
};

uint32_t amdgpu_status(const struct amdgpu_wave *wave)
{
    return wave->scc | STATUS_TRAP_EN | STATUS_VALID |
           (wave->privileged ? (uint32_t)STATUS_PRIV : 0) |
           (wave->halts ? (uint32_t)STATUS_HALT : 0) | (uint32_t)(amdgpu_exec(wave) == 0) << 9 |
           (uint32_t)(amdgpu_mask(wave, AMDGPU_VCC) == 0) << 10 |
           (uint32_t)(wave->block->wave_count > 1) << 11;
}

static uint32_t gpr_alloc(const struct amdgpu_wave *wave)
{
    unsigned agprs = amdgpu_has_own_agprs(wave->page->shape->isa) ? 0 : wave->agprs;
    unsigned vgprs = (wave->vgprs + agprs + 3) / 4;
    unsigned sgprs = (wave->block->dispatch->sgprs + 15) / 16;
    return (vgprs ? vgprs - 1 : 0) << 8 | (sgprs ? sgprs - 1 : 0) << 24;
}

static uint32_t read_hwreg(const struct amdgpu_wave *wave, unsigned reg)
{
    bool gfx9 = amdgpu_family_of(wave->page->shape->isa) == AMDGPU_GFX9;
    switch (reg) {
    case HW_MODE:
        return wave->mode;
    case HW_STATUS:
        return amdgpu_status(wave);
    case HW_TRAPSTS:
        return wave->traps;
    case HW_HW_ID:
        return gfx9_hw_id(wave);
    case HW_GPR_ALLOC:
        return gpr_alloc(wave);
    case HW_LDS_ALLOC:
        return (uint32_t)((wave->block->lds_size + 511) / 512) << 12;
    case HW_FLAT_SCR_LO:
        return gfx9 ? unit_of(wave) / UNITS_PER_XCC % 8 : wave->flat_scratch[0];
    case HW_FLAT_SCR_HI:
        return wave->flat_scratch[1];
    case HW_HW_ID1:
        return hw_id1(wave);
    case HW_SHADER_CYCLES:
        return (uint32_t)amdgpu_cycles(wave) & 0xfffff;
    default: /* IB_STS, HW_ID2: nothing is outstanding, and queues have no number */
        return 0;
    }
}

static void write_hwreg(struct amdgpu_wave *wave, unsigned reg, uint32_t value)
{
    bool gfx9 = amdgpu_family_of(wave->page->shape->isa) == AMDGPU_GFX9;
    switch (reg) {
    case HW_MODE:
        wave->mode = gfx9 ? value : value & ~(uint32_t)AMDGPU_MODE_GPR_INDEXING;
        break;
    case HW_TRAPSTS:
        wave->traps = value;
        break;
    case HW_STATUS:
        if (wave->privileged) {
            wave->scc = value & 1;
            wave->halts = value & STATUS_HALT;
        }
        break;
    case HW_IB_STS: /* its writable bits control how instructions are replayed */
        break;
    default: /* FLAT_SCR_LO, FLAT_SCR_HI */
        wave->flat_scratch[reg - HW_FLAT_SCR_LO] = value;
    }
}

/* ---- handlers: bits is the operand, src[0] the value ------------------------------- */

static unsigned reg_of(uint32_t bits)
{
    return bits & 63;
}
static unsigned first_of(uint32_t bits)
{
    return bits >> 6 & 31;
}
static uint32_t mask_of(uint32_t bits)
{
    return UINT32_MAX >> (31 - (bits >> 11 & 31));
}

static const struct amdgpu_op *get(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    wave->s[op->dst] = read_hwreg(wave, reg_of(op->bits)) >> first_of(op->bits) & mask_of(op->bits);
    return amdgpu_next(op);
}

static const struct amdgpu_op *set(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    unsigned reg = reg_of(op->bits), first = first_of(op->bits);
    uint32_t mask = mask_of(op->bits) << first;
    uint32_t value = (uint32_t)amdgpu_scalar(wave, &op->src[0]) << first;
    write_hwreg(wave, reg, (read_hwreg(wave, reg) & ~mask) | (value & mask));
    return amdgpu_run_indexed(wave, amdgpu_next(op));
}

static const struct amdgpu_op *set_mode(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    wave->mode = (wave->mode & ~op->bits) | ((uint32_t)op->imm & op->bits);
    return amdgpu_next(op);
}

/* ---- emission ---------------------------------------------------------------------- */

static bool is_readable(enum amdgpu_isa isa, unsigned reg)
{
    bool gfx9 = amdgpu_family_of(isa) == AMDGPU_GFX9;
    switch (reg) {
    case HW_MODE:
    case HW_STATUS:
    case HW_TRAPSTS:
    case HW_GPR_ALLOC:
    case HW_LDS_ALLOC:
    case HW_IB_STS:
        return true;
    case HW_HW_ID:
        return gfx9;
    case HW_XCC_ID:
        return !gfx9 || isa == AMDGPU_GFX942;
    case HW_FLAT_SCR_HI:
    case HW_HW_ID1:
    case HW_HW_ID2:
        return !gfx9;
    case HW_SHADER_CYCLES:
        return isa >= AMDGPU_GFX1030;
    default:
        return false;
    }
}

static bool is_writable(enum amdgpu_isa isa, unsigned reg)
{
    bool gfx9 = amdgpu_family_of(isa) == AMDGPU_GFX9;
    return reg == HW_MODE || reg == HW_STATUS || reg == HW_TRAPSTS || reg == HW_IB_STS ||
           (!gfx9 && (reg == HW_FLAT_SCR_LO || reg == HW_FLAT_SCR_HI));
}

bool amdgpu_emit_hwreg(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    op->bits = (uint16_t)inst->imm;
    switch (inst->row->id) {
    case AMDGPU_ID_S_GETREG_B32:
        op->run = get;
        return is_readable(isa, reg_of(op->bits)) && amdgpu_emit_destination(&inst->dst[0], 4, op);
    case AMDGPU_ID_S_SETREG_B32:
    case AMDGPU_ID_S_SETREG_IMM32_B32:
        op->run = set;
        return is_writable(isa, reg_of(op->bits)) &&
               amdgpu_emit_source(&inst->src[0], 4, &op->src[0]);
    case AMDGPU_ID_S_ROUND_MODE:
        op->run = set_mode;
        op->imm = (uint64_t)inst->imm & 15;
        op->bits = 0xf;
        return true;
    case AMDGPU_ID_S_DENORM_MODE:
        op->run = set_mode;
        op->imm = ((uint64_t)inst->imm & 15) << 4;
        op->bits = 0xf0;
        return true;
    default:
        return false;
    }
}
