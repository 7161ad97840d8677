/* Scalar instructions and branches in regions. */
#include "amdgpu_jit_region.h"

/* ---- arithmetic: amdgpu_scalar.def ------------------------------------------------------- */

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

static const struct row {
    const char *name;
    unsigned char dst, src[2]; /* bytes */
    bool reads_dst, exec;
} rows[] = {
#define ROW(id, ...)                        [AMDGPU_ID_##id] = {#id, __VA_ARGS__},
#define TWO(id, td, ta, tb, ...)            ROW(id, sizeof(td), {sizeof(ta), sizeof(tb)}, false, false)
#define ONE(id, td, ta, ...)                ROW(id, sizeof(td), {sizeof(ta), 0}, false, false)
#define CHANGE(id, td, ta, ...)             ROW(id, sizeof(td), {sizeof(ta), 0}, true, false)
#define CONSTANT(id, ...)                   ROW(id, 4, {0, 0}, true, false)
#define COMPARE(id, ta, tb, condition)      ROW(id, 0, {sizeof(ta), sizeof(tb)}, false, false)
#define COMPARE_CONSTANT(id, ta, condition) ROW(id, 0, {sizeof(ta), 0}, false, false)
#define SAVE(id, type, effect)              ROW(id, sizeof(type), {sizeof(type), 0}, false, true)
#define WRITE(id, type, effect)             ROW(id, sizeof(type), {sizeof(type), 0}, false, true)
#include "amdgpu_scalar.def"
};

static bool describe_arithmetic(struct amdgpu_describer *d)
{
    const struct amdgpu_op *op = d->op;
    unsigned id = op->inst->row->id;
    if (id >= sizeof rows / sizeof *rows || !rows[id].name)
        return false;
    const struct row *row = &rows[id];
    for (unsigned k = 0; k < 2 && row->src[k]; k++) {
        struct amdgpu_source source = op->src[k];
        source.count = row->src[k] / 4;
        amdgpu_read_source(d, &source);
    }
    if (row->reads_dst)
        amdgpu_read_scalars(d, op->dst, row->dst / 4u);
    amdgpu_read_scc(d);
    amdgpu_write_scc(d);
    amdgpu_write_scalars(d, op->dst, row->dst / 4u);
    amdgpu_use_exec(d);
    if (row->exec) {
        amdgpu_read_mask(d, AMDGPU_EXEC);
        amdgpu_write_scalars(d, AMDGPU_EXEC, row->dst / 4u);
    }
    amdgpu_argue(d, op->dst);
    for (unsigned k = 0; k < 2; k++)
        amdgpu_argue_source(d, &op->src[k]);
    amdgpu_argue(d, op->imm);
    amdgpu_argue(d, d->full ? d->shape->lanes : 0);
    amdgpu_describe(d, WAVE_EFFECT, "amdgpu_wave_%s", row->name);
    return true;
}

/* ---- others ------------------------------------------------------------------------------ */

static bool describe_program_counter(struct amdgpu_describer *d)
{
    const struct amdgpu_op *op = d->op;
    if (op->inst->row->id != AMDGPU_ID_S_GETPC_B64)
        return false;
    amdgpu_write_scalars(d, op->dst, 2);
    amdgpu_argue(d, op->dst);
    amdgpu_argue_address(d, amdgpu_page_of(op));
    amdgpu_argue(d, op->offset + op->length);
    amdgpu_describe(d, WAVE_EFFECT, "amdgpu_wave_get_pc");
    return true;
}

bool amdgpu_describe_scalar(struct amdgpu_describer *d)
{
    return describe_arithmetic(d) || describe_program_counter(d);
}

/* ---- flow -------------------------------------------------------------------------------- */

enum amdgpu_flow amdgpu_flow_of(unsigned id, const char **out_condition)
{
    switch (id) {
    case AMDGPU_ID_S_BRANCH:
        *out_condition = "always";
        return AMDGPU_FLOW_BRANCH;
    case AMDGPU_ID_S_CBRANCH_SCC0:
        *out_condition = "scc0";
        return AMDGPU_FLOW_BRANCH;
    case AMDGPU_ID_S_CBRANCH_SCC1:
        *out_condition = "scc1";
        return AMDGPU_FLOW_BRANCH;
    case AMDGPU_ID_S_CBRANCH_VCCZ:
        *out_condition = "vccz";
        return AMDGPU_FLOW_BRANCH;
    case AMDGPU_ID_S_CBRANCH_VCCNZ:
        *out_condition = "vccnz";
        return AMDGPU_FLOW_BRANCH;
    case AMDGPU_ID_S_CBRANCH_EXECZ:
        *out_condition = "execz";
        return AMDGPU_FLOW_BRANCH;
    case AMDGPU_ID_S_CBRANCH_EXECNZ:
        *out_condition = "execnz";
        return AMDGPU_FLOW_BRANCH;
#define BRANCH(id, condition)
#define NOTHING(id)                                                                                \
    case AMDGPU_ID_##id:                                                                           \
        return AMDGPU_FLOW_NOTHING;
#define CONTROL(id, prepare)
#include "amdgpu_control.def"
    default:
        return AMDGPU_FLOW_NONE;
    }
}

bool amdgpu_comes_back(unsigned id)
{
    switch (id) {
    case AMDGPU_ID_S_ENDPGM:
    case AMDGPU_ID_S_ENDPGM_SAVED:
    case AMDGPU_ID_S_SETPC_B64: /* what follows is another function */
    case AMDGPU_ID_S_RFE_B64:
        return false;
    default:
        return true;
    }
}
