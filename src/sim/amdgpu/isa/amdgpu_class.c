/* The classes of instructions in profiles, by the columns of their rows: format, types, flags. */
#include "amdgpu_isa.h"

/* What kind of number a type is; NOTYPE and masks are integers. */
static enum sim_class number_of(unsigned type)
{
    switch (type) {
    case AMDGPU_F16:
    case AMDGPU_BF16:
    case AMDGPU_PKF16:
    case AMDGPU_PKBF16:
        return SIM_CLASS_HALF;
    case AMDGPU_F32:
    case AMDGPU_PKF32:
        return SIM_CLASS_F32;
    case AMDGPU_F64:
        return SIM_CLASS_F64;
    default:
        return SIM_CLASS_INT;
    }
}

static bool is_narrow(unsigned type)
{
    return type == AMDGPU_I16 || type == AMDGPU_U16 || type == AMDGPU_B16;
}

/* One number to another kind of number, or two to a packed one. Products that are added up in wider
 * numbers are not conversions. */
static bool converts(const struct amdgpu_row *row)
{
    if (row->src[2] != AMDGPU_NOTYPE || row->flags & AMDGPU_ROW_ACCUMULATES ||
        row->src[0] == AMDGPU_NOTYPE)
        return false;
    return number_of(row->dst[0]) != number_of(row->src[0]) ||
           (row->format == AMDGPU_VOP1 && is_narrow(row->dst[0]) != is_narrow(row->src[0]));
}

static bool selects(const struct amdgpu_row *row)
{
    bool bits = row->dst[0] == AMDGPU_B32 || row->dst[0] == AMDGPU_B16;
    return row->flags & AMDGPU_ROW_CARRY_IN && bits;
}

static enum sim_class class_of_vector(const struct amdgpu_inst *inst)
{
    const struct amdgpu_row *row = inst->row;
    if (row->flags & AMDGPU_ROW_MOVE)
        return inst->has_dpp ? SIM_CLASS_WARP : SIM_CLASS_MOVE;
    if (row->flags & AMDGPU_ROW_LANES)
        return SIM_CLASS_WARP;
    if (row->flags & AMDGPU_ROW_MATRIX)
        return SIM_CLASS_MATRIX;
    if (row->flags & AMDGPU_ROW_SPECIAL)
        return SIM_CLASS_SPECIAL;
    if (row->flags & (AMDGPU_ROW_COMPARE | AMDGPU_ROW_EXEC) || selects(row))
        return SIM_CLASS_COMPARE;
    if (row->dst[0] == AMDGPU_NOTYPE)
        return SIM_CLASS_CONTROL;
    return converts(row) ? SIM_CLASS_CONVERT : number_of(row->dst[0]);
}

/* Without data it waits for caches or for the whole device. */
static bool has_data(const struct amdgpu_inst *inst)
{
    return inst->row->flags & (AMDGPU_ROW_STORE | AMDGPU_ROW_ATOMIC | AMDGPU_ROW_TO_LDS) ||
           inst->lds || inst->row->dst[0] != AMDGPU_NOTYPE;
}

static enum sim_class class_of_memory(const struct amdgpu_inst *inst, enum sim_class load,
                                      enum sim_class without)
{
    if (inst->row->flags & AMDGPU_ROW_LANES)
        return SIM_CLASS_WARP;
    if (!has_data(inst))
        return without;
    if (inst->row->flags & AMDGPU_ROW_ATOMIC)
        return SIM_CLASS_ATOMIC;
    return inst->row->flags & AMDGPU_ROW_STORE ? load + 1 : load;
}

enum sim_class amdgpu_class_of(const struct amdgpu_inst *inst)
{
    _Static_assert(SIM_CLASS_GLOBAL_STORE == SIM_CLASS_GLOBAL_LOAD + 1 &&
                       SIM_CLASS_GENERIC_STORE == SIM_CLASS_GENERIC_LOAD + 1 &&
                       SIM_CLASS_SHARED_STORE == SIM_CLASS_SHARED_LOAD + 1 &&
                       SIM_CLASS_LOCAL_STORE == SIM_CLASS_LOCAL_LOAD + 1,
                   "a store is the class after its load");
    switch (inst->row->format) {
    case AMDGPU_SOP1:
    case AMDGPU_SOP2:
    case AMDGPU_SOPK:
    case AMDGPU_SOPC:
        return inst->row->flags & AMDGPU_ROW_BRANCH ? SIM_CLASS_CONTROL : SIM_CLASS_SCALAR;
    case AMDGPU_SOPP:
        return inst->row->id == AMDGPU_ID_S_BARRIER ? SIM_CLASS_BARRIER : SIM_CLASS_CONTROL;
    case AMDGPU_SMEM:
        return has_data(inst) ? SIM_CLASS_CONSTANT : SIM_CLASS_FENCE;
    case AMDGPU_DS:
        return class_of_memory(inst, SIM_CLASS_SHARED_LOAD, SIM_CLASS_BARRIER);
    case AMDGPU_GLOBAL:
        return class_of_memory(inst, SIM_CLASS_GLOBAL_LOAD, SIM_CLASS_FENCE);
    case AMDGPU_SCRATCH:
        return class_of_memory(inst, SIM_CLASS_LOCAL_LOAD, SIM_CLASS_FENCE);
    case AMDGPU_FLAT:
    case AMDGPU_MUBUF: /* whose descriptor may be that of scratch */
    case AMDGPU_MTBUF:
        return class_of_memory(inst, SIM_CLASS_GENERIC_LOAD, SIM_CLASS_FENCE);
    case AMDGPU_MIMG:
        return SIM_CLASS_TEXTURE;
    case AMDGPU_EXP:
        return SIM_CLASS_CONTROL;
    default:
        return class_of_vector(inst);
    }
}
