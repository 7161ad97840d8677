/* Vector arithmetic: the effects of rows of amdgpu_valu.def, and their handlers.
 *
 * An effect (amdgpu_valu.c) computes all lanes of a wave, live or not, from sources in arrays over
 * lanes; handlers (amdgpu_valu_run.c) fetch sources, call the effect, and write the results of live
 * lanes. The most frequent rows have handlers of their own (amdgpu_valu_fused.c). Both are compiled
 * once for each instruction set of the host; amdgpu_valu_emit.c chooses. */
#ifndef AMDGPU_VALU_H
#define AMDGPU_VALU_H

#include "amdgpu_exec.h"
#include "sim_isa.h"

/* What an effect is given. Values of 64 bits are two registers, one after the other;
 * masks are 0 and ~0 per lane, results too. Results may lie where sources do. */
struct amdgpu_lanes {
    uint32_t *d, *d1;
    const uint32_t *s[4];
    uint32_t mode; /* wave->mode */
    uint32_t bits; /* inst->neg, for rows that use it differently */
};
typedef void (*amdgpu_effect)(const struct amdgpu_lanes *lanes);

/* A row of amdgpu_valu.def: the types of an effect. */
enum amdgpu_valu_flags {
    AMDGPU_VALU_OWN_ROUNDING = 1, /* rounds to nearest in every mode */
    AMDGPU_VALU_MIX = 2,          /* sources are f32 or halves, as op_sel and op_sel_hi say */
    AMDGPU_VALU_RAW_NEG = 4,      /* neg is not the sign of sources: struct amdgpu_lanes.bits */
    AMDGPU_VALU_RAW_OP_SEL = 8,   /* op_sel selects words of sources, both: v_pk_mov_b32 */
};
struct amdgpu_valu_row {
    unsigned char d, d1; /* enum amdgpu_type; AMDGPU_NOTYPE: none */
    unsigned char count; /* sources */
    unsigned char s[4];
    unsigned char flags;
};
/* NULL: no effect. */
const struct amdgpu_valu_row *amdgpu_valu_row(unsigned id);

/* Of a type of a row: how many registers a value has, and whether it is one or two floats. */
static inline unsigned amdgpu_valu_registers(unsigned type)
{
    switch (type) {
    case AMDGPU_B64:
    case AMDGPU_I64:
    case AMDGPU_U64:
    case AMDGPU_F64:
    case AMDGPU_PKF32:
        return 2;
    case AMDGPU_B128:
        return 4;
    default:
        return 1;
    }
}
static inline bool amdgpu_valu_is_float(unsigned type)
{
    return type == AMDGPU_F32 || type == AMDGPU_F64 || type == AMDGPU_F16 || type == AMDGPU_PKF16 ||
           type == AMDGPU_PKF32;
}

/* How an op is handled; each for waves of 32 and of 64. */
enum amdgpu_valu_kind {
    AMDGPU_VALU_PLAIN1, /* so many sources, one result in registers */
    AMDGPU_VALU_PLAIN2,
    AMDGPU_VALU_PLAIN3,
    AMDGPU_VALU_FLOAT1, /* the same, in the default mode of floats only */
    AMDGPU_VALU_FLOAT2,
    AMDGPU_VALU_FLOAT3,
    AMDGPU_VALU_EDITED1, /* the same, with neg and abs, and with halves of registers */
    AMDGPU_VALU_EDITED2,
    AMDGPU_VALU_EDITED3,
    AMDGPU_VALU_TEST,  /* two sources, a mask */
    AMDGPU_VALU_CARRY, /* up to four sources, a result in registers and a mask */
    AMDGPU_VALU_MODIFIED,
    AMDGPU_VALU_DUAL,
    AMDGPU_VALU_KINDS,
};
/* Of struct amdgpu_op.bits. */
enum {
    AMDGPU_VALU_TO_EXEC = 2, /* v_cmpx */
    AMDGPU_VALU_NO_MASK = 4, /* a mask as result is discarded, unless it goes to EXEC */
    AMDGPU_VALU_VCC = 8,     /* a fourth source: VCC, as a mask */
    AMDGPU_VALU_HIGH = 32,   /* the result goes to the upper halves */
    AMDGPU_VALU_KEEP = 64,   /* halves that are not written keep their value */
    AMDGPU_VALU_APART = 128, /* the second component does not read what the first writes */
};
/* From a bit on: of each source, and of the result, whether it is f32; of each source, whether it
 * is a half; which bits of AMDGPU_MODE_FLOATS matter. */
enum {
    AMDGPU_VALU_F32 = 8,
    AMDGPU_VALU_F32_RESULT = 1 << 11,
    AMDGPU_VALU_HALF = 12,
    AMDGPU_VALU_MODE = 16,
    AMDGPU_VALU_EDITABLE = 1 << 24, /* of those kinds, or would be if f32 subnormals were kept */
};
/* The same of components of VOPD: from a bit on for each, how many sources there are, and
 * whether the third is VCC. */
enum {
    AMDGPU_VALU_X = 8,
    AMDGPU_VALU_Y = 12,
    AMDGPU_VALU_SOURCES = 3,
    AMDGPU_VALU_MASKED = 4,
};
/* A value of struct amdgpu_source.kind besides the kinds of operands: a mask. */
enum { AMDGPU_LANE_MASK = 100 };

/* Default mode of floats: round to nearest, keep denormals. */
enum { AMDGPU_MODE_FLOATS = 0xff, AMDGPU_MODE_DEFAULT = 0xf0 };
/* Subnormals of f32 that are kept, and the bits that affect f32 and other floats. */
enum { AMDGPU_MODE_F32_SOURCES = 0x10, AMDGPU_MODE_F32_RESULTS = 0x20 };
enum { AMDGPU_MODE_F32 = 0x33, AMDGPU_MODE_F64_F16 = 0xcc };
enum { AMDGPU_MODE_DX10_CLAMP = 1 << 8, AMDGPU_MODE_IEEE = 1 << 9 };

/* What is compiled for an instruction set of the host; [1]: waves of 64. */
struct amdgpu_valu_table {
    const amdgpu_handler (*run)[2];    /* by enum amdgpu_valu_kind */
    const amdgpu_effect (*effects)[2]; /* by enum amdgpu_id */
    const amdgpu_effect (*clamped)[2]; /* of integers, where clamp changes the effect */
    /* By enum amdgpu_id, for the kinds without modifiers whose result is in registers: a handler
     * with the effect in it; NULL: run and effects have to do. */
    const amdgpu_handler (*fused)[2];
};
#define AMDGPU_VALU_ISA(isa, name)                                                                 \
    extern const amdgpu_handler amdgpu_valu_run_##name[AMDGPU_VALU_KINDS][2];                      \
    extern const amdgpu_effect amdgpu_effects_##name[AMDGPU_ID_COUNT][2];                          \
    extern const amdgpu_effect amdgpu_clamped_##name[AMDGPU_ID_COUNT][2];                          \
    extern const amdgpu_handler amdgpu_valu_fused_##name[AMDGPU_ID_COUNT][2];
SIM_ISAS(AMDGPU_VALU_ISA)
#undef AMDGPU_VALU_ISA
/* By enum sim_isa; NULL: not compiled for this host. */
extern const struct amdgpu_valu_table *const amdgpu_valu_tables[SIM_ISA_COUNT];
const struct amdgpu_valu_table *amdgpu_valu_table(void); /* the host's, or that of ANYHIP_SIM_ISA */
/* amdgpu_emit_vector with a table. */
bool amdgpu_valu_emit(const struct amdgpu_valu_table *table, enum amdgpu_isa isa, unsigned lanes,
                      const struct amdgpu_inst *inst, struct amdgpu_op *op);

/* Emits instructions that move values between lanes, index registers, or do nothing
 * (amdgpu_lanes.c). False: the instruction is none of these. */
bool amdgpu_lanes_emit(const struct amdgpu_inst *inst, struct amdgpu_op *op);

/* The lane that lane reads from in an instruction with DPP: *out_lane; false: it is outside of the
 * row. */
bool amdgpu_dpp_lane(const struct amdgpu_dpp *dpp, unsigned lanes, unsigned lane,
                     unsigned *out_lane);

/* Whether source k is the upper half of its register. An accumulator is in the destination's
 * half. */
static inline bool amdgpu_valu_upper(const struct amdgpu_inst *inst, unsigned k)
{
    unsigned bit = k == 2 && inst->row->flags & AMDGPU_ROW_ACCUMULATES ? 3 : k;
    return inst->op_sel >> bit & 1;
}

#endif
