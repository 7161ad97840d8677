/* Accesses to memory in regions. */
#include "amdgpu_access.h"
#include "amdgpu_jit_region.h"

#include <string.h>

const struct amdgpu_jit_functions *amdgpu_jit_functions(void)
{
#define ROW(isa, name) [SIM_ISA_##isa] = &amdgpu_jit_functions_##name,
    static const struct amdgpu_jit_functions *const functions[] = {SIM_ISAS(ROW)};
#undef ROW
    return functions[sim_isa()];
}

static bool is_plain(const struct amdgpu_access *access)
{
    bool is_signed = access->element == AMDGPU_ELEMENT_I8 || access->element == AMDGPU_ELEMENT_I16;
    return access->element <= AMDGPU_ELEMENT_128 && !(access->write && is_signed);
}

static unsigned registers_of(const struct amdgpu_access *access)
{
    return access->bytes < 4 ? 1 : access->bytes / 4u;
}

static void change_lanes(struct amdgpu_describer *d, unsigned reg, unsigned count)
{
    if (!d->full)
        amdgpu_read_vectors(d, reg, count);
    amdgpu_write_vectors(d, reg, count);
}

/* The registers of the data of the access, or of both of its elements. */
static void use_data(struct amdgpu_describer *d, const struct amdgpu_access *access)
{
    const struct amdgpu_op *op = d->op;
    unsigned registers = registers_of(access);
    if (access->write)
        amdgpu_read_vectors(d, op->dst1, registers);
    if (access->write && access->scale)
        amdgpu_read_vectors(d, op->src[2].reg, registers);
    if (!access->write)
        change_lanes(d, op->dst, access->scale ? 2 * registers : registers);
}

static void argue_access(struct amdgpu_describer *d, const struct amdgpu_access *access,
                         uint64_t flags)
{
    const struct amdgpu_op *op = d->op;
    uint64_t base = flags & AMDGPU_ACCESS_BASE ? op->src[1].reg : 0;
    bool (*scattered)(const struct amdgpu_scattered *) =
        access->write ? amdgpu_jit_functions()->store : amdgpu_jit_functions()->load;
    const void *function;
    memcpy(&function, &scattered, sizeof function);
    if (access->write && access->scale)
        base = op->src[2].reg;
    if (d->full)
        flags |= AMDGPU_ACCESS_FULL;
    if (access->element == AMDGPU_ELEMENT_I8 || access->element == AMDGPU_ELEMENT_I16)
        flags |= AMDGPU_ACCESS_SIGNED;
    flags |= (uint64_t)access->bytes << AMDGPU_ACCESS_SIZE;
    flags |= (uint64_t)(unsigned)d->shape->device << AMDGPU_ACCESS_OF_DEVICE;
    amdgpu_read_mask(d, AMDGPU_EXEC);
    amdgpu_argue(d, flags);
    amdgpu_argue(d, access->write ? op->dst1 : op->dst);
    amdgpu_argue(d, op->src[0].reg);
    amdgpu_argue(d, base);
    amdgpu_argue(d, op->imm);
    amdgpu_argue_address(d, &sim_space);
    amdgpu_argue_address(d, function);
}

static bool describe_global(struct amdgpu_describer *d, const struct amdgpu_access *access)
{
    const struct amdgpu_op *op = d->op;
    bool has_base = op->src[1].kind != AMDGPU_NONE;
    if (has_base && op->src[1].kind != AMDGPU_SREG)
        return false;
    amdgpu_read_vectors(d, op->src[0].reg, has_base ? 1 : 2);
    if (has_base)
        amdgpu_read_scalars(d, op->src[1].reg, 2);
    use_data(d, access);
    argue_access(d, access, has_base ? AMDGPU_ACCESS_BASE : AMDGPU_ACCESS_WIDE);
    amdgpu_describe(d, WAVE_ATTEMPT, "amdgpu_wave_%s_%u_%u", access->write ? "store" : "load",
                    registers_of(access), d->shape->lanes);
    return true;
}

static bool describe_lds(struct amdgpu_describer *d, const struct amdgpu_access *access)
{
    const char *kind = access->write ? "store" : "load";
    if (access->scale && access->element != AMDGPU_ELEMENT_32 &&
        access->element != AMDGPU_ELEMENT_64)
        return false;
    amdgpu_read_vectors(d, d->op->src[0].reg, 1);
    use_data(d, access);
    argue_access(d, access, AMDGPU_ACCESS_LDS);
    amdgpu_describe(d, WAVE_ATTEMPT, "amdgpu_wave_%s_%s%u_%u", kind, access->scale ? "two_" : "",
                    registers_of(access), d->shape->lanes);
    return true;
}

/* Loads and stores of elements of whole registers, or extended to them. */
static bool describe_access(struct amdgpu_describer *d)
{
    const struct amdgpu_op *op = d->op;
    const struct amdgpu_access *access = amdgpu_plain_access(op->inst->row->id);
    if (!access || op->effect != access || op->src[0].kind != AMDGPU_VREG || op->bits & AMDGPU_TID)
        return false;
    if (!is_plain(access))
        return false;
    if (access->space == AMDGPU_SPACE_GLOBAL || access->space == AMDGPU_SPACE_FLAT)
        return describe_global(d, access);
    return access->space == AMDGPU_SPACE_LDS && describe_lds(d, access);
}

bool amdgpu_is_plain_store(const struct amdgpu_op *op)
{
    const struct amdgpu_access *access = amdgpu_plain_access(op->inst->row->id);
    return access && op->effect == access && access->write;
}

/* ---- scalar loads ------------------------------------------------------------------------ */

static bool is_scalar_load(unsigned id)
{
    return id == AMDGPU_ID_S_LOAD_B32 || id == AMDGPU_ID_S_LOAD_B64 ||
           id == AMDGPU_ID_S_LOAD_B128 || id == AMDGPU_ID_S_LOAD_B256 ||
           id == AMDGPU_ID_S_LOAD_B512;
}

static bool describe_scalar_load(struct amdgpu_describer *d)
{
    const struct amdgpu_op *op = d->op;
    bool has_index = op->src[2].kind == AMDGPU_SREG;
    if (!is_scalar_load(op->inst->row->id) || op->dst + op->count > AMDGPU_EXEC ||
        op->inst->dst[0].kind != AMDGPU_SREG || (op->src[2].kind != AMDGPU_NONE && !has_index))
        return false;
    amdgpu_read_scalars(d, op->src[0].reg, 2);
    if (has_index)
        amdgpu_read_scalars(d, op->src[2].reg, 1);
    amdgpu_write_scalars(d, op->dst, op->count);
    amdgpu_argue(d, (unsigned)d->shape->device);
    amdgpu_argue(d, op->dst);
    amdgpu_argue(d, op->src[0].reg);
    amdgpu_argue(d, op->imm);
    amdgpu_argue(d, has_index ? op->src[2].reg : AMDGPU_SREGS);
    amdgpu_argue_address(d, &sim_space);
    amdgpu_describe(d, WAVE_ATTEMPT, "amdgpu_wave_load_scalar_%u", op->count);
    return true;
}

/* Registers that operands do not name, or that are not known before it runs. */
static bool is_strange(const struct amdgpu_inst *inst)
{
    return inst->row->format == AMDGPU_MIMG || inst->row->format == AMDGPU_EXP ||
           strncmp(inst->row->name, "ds_gws", 6) == 0 ||
           (inst->dst[0].kind == AMDGPU_SREG &&
            inst->dst[0].reg + inst->dst[0].count > AMDGPU_EXEC);
}

bool amdgpu_describe_memory(struct amdgpu_describer *d)
{
    const struct amdgpu_inst *inst = d->op->inst;
    if (inst->row->format < AMDGPU_DS && inst->row->format != AMDGPU_SMEM)
        return false;
    if (is_strange(inst))
        return false;
    if (!describe_access(d) && !describe_scalar_load(d))
        amdgpu_describe_handler(d);
    return true;
}
