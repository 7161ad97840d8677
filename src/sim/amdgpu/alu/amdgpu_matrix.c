/* Products of matrices: which rows there are, and the choice of their handlers, which are in
 * amdgpu_matrix_run.c. */
#include "amdgpu_matrix.h"
#include "amdgpu_alu.h"
#include "sim_isa.h"

static const struct amdgpu_matrix_table *amdgpu_matrix_table(void)
{
#define TABLE(isa, name) [SIM_ISA_##isa] = &amdgpu_matrix_##name,
    static const struct amdgpu_matrix_table *const tables[SIM_ISA_COUNT] = {SIM_ISAS(TABLE)};
#undef TABLE
    return tables[sim_isa()];
}

static const struct amdgpu_matrix shapes[] = {
#define MATRIX(id, size, depth, blocks, element)                                                   \
    {AMDGPU_ID_##id, size, depth, blocks, AMDGPU_MATRIX_##element, RESULT_OF_##element},
#define RESULT_OF_F32  AMDGPU_MATRIX_F32
#define RESULT_OF_F16  AMDGPU_MATRIX_F32
#define RESULT_OF_BF16 AMDGPU_MATRIX_F32
#define RESULT_OF_I8   AMDGPU_MATRIX_I32
#define RESULT_OF_F64  AMDGPU_MATRIX_F64
#include "amdgpu_matrix.def"
};

#define TILE(id, element, result)                                                                  \
    {                                                                                              \
        AMDGPU_ID_V_WMMA_##id, 16, 16, 1, AMDGPU_MATRIX_##element, AMDGPU_MATRIX_##result          \
    }
static const struct amdgpu_matrix tiles[] = {
    TILE(F32_16X16X16_F16, F16, F32), TILE(F32_16X16X16_BF16, BF16, F32),
    TILE(F16_16X16X16_F16, F16, F16), TILE(BF16_16X16X16_BF16, BF16, BF16),
    TILE(I32_16X16X16_IU8, I8, I32),  TILE(I32_16X16X16_IU4, I4, I32),
};
#undef TILE

static bool is_constant_or_register(const struct amdgpu_operand *operand)
{
    return operand->kind == AMDGPU_VREG || operand->kind == AMDGPU_CONST;
}

/* Signs of doubles, which gfx942 has in the pattern's place, are not here. */
static bool emit_mfma(enum amdgpu_isa isa, const struct amdgpu_inst *inst,
                      const struct amdgpu_matrix *shape, struct amdgpu_op *op)
{
    if ((shape->element == AMDGPU_MATRIX_F64 && (inst->neg || inst->neg_hi)) ||
        1u << inst->neg_hi > shape->blocks)
        return false;
    op->effect = shape;
    op->bits = isa;
    op->run = amdgpu_matrix_table()->mfma;
    return true;
}

/* neg of integers: which are signed. Signs of floats are not here. */
static bool emit_wmma(const struct amdgpu_inst *inst, const struct amdgpu_matrix *tile,
                      struct amdgpu_op *op)
{
    bool integers = tile->result == AMDGPU_MATRIX_I32;
    if (inst->op_sel & 3 || inst->neg_hi || inst->neg & (integers ? 4 : 7) ||
        (inst->clamp && !integers))
        return false;
    op->effect = tile;
    op->run = amdgpu_matrix_table()->wmma;
    return true;
}

bool amdgpu_emit_matrix(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    if (inst->src[0].kind != AMDGPU_VREG || inst->src[1].kind != AMDGPU_VREG ||
        !is_constant_or_register(&inst->src[2]))
        return false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].id == inst->row->id)
            return emit_mfma(isa, inst, &shapes[i], op);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (tiles[i].id == inst->row->id)
            return emit_wmma(inst, &tiles[i], op);
    return false;
}
