/* Handlers of the rows that programs execute most, into which the effect is inlined: without
 * modifiers, for sources of 32 bits that are vector registers or one value for all lanes, which is
 * not expanded. Anything else, and waves of which some lanes are not live, is left to the handlers
 * of amdgpu_valu_run.c. Compiled once for each instruction set of the host (AMDGPU_ISA_NAME). */
#include "amdgpu_valu_float.h"
#include "amdgpu_valu_int.h"
#include "amdgpu_valu_lanes.h"

#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)

/* ---- which rows ----------------------------------------------------------------------------- */

#define FUSED_V_MOV_B32      ~, TEXT
#define FUSED_V_ADD_NC_U32   ~, TEXT
#define FUSED_V_SUB_NC_U32   ~, TEXT
#define FUSED_V_AND_B32      ~, TEXT
#define FUSED_V_OR_B32       ~, TEXT
#define FUSED_V_XOR_B32      ~, TEXT
#define FUSED_V_LSHLREV_B32  ~, TEXT
#define FUSED_V_LSHRREV_B32  ~, TEXT
#define FUSED_V_ASHRREV_I32  ~, TEXT
#define FUSED_V_MUL_LO_U32   ~, TEXT
#define FUSED_V_MUL_U32_U24  ~, TEXT
#define FUSED_V_ADD3_U32     ~, TEXT
#define FUSED_V_LSHL_ADD_U32 ~, TEXT
#define FUSED_V_ADD_LSHL_U32 ~, TEXT
#define FUSED_V_LSHL_OR_B32  ~, TEXT
#define FUSED_V_AND_OR_B32   ~, TEXT
#define FUSED_V_OR3_B32      ~, TEXT
#define FUSED_V_XOR3_B32     ~, TEXT
#define FUSED_V_BFI_B32      ~, TEXT
#define FUSED_V_BFE_U32      ~, TEXT
#define FUSED_V_ALIGNBIT_B32 ~, TEXT
#define FUSED_V_ADD_F32      ~, TEXT
#define FUSED_V_SUB_F32      ~, TEXT
#define FUSED_V_MUL_F32      ~, TEXT
#define FUSED_V_FMA_F32      ~, TEXT
#define FUSED_V_FMAC_F32     ~, TEXT
/* LISTED(id)(text) is text if the row is one of these. */
#define LISTED(id)        CHOOSE(FUSED_##id)
#define CHOOSE(...)       SECOND(__VA_ARGS__, NOTHING, )
#define SECOND(a, b, ...) b
#define TEXT(...)         __VA_ARGS__
#define NOTHING(...)

/* ---- the handlers -----------------------------------------------------------------------------
 */

/* A source of 32 bits; *out_bits has bit if it is one value for all lanes. False: it is neither a
 * register nor such a value. */
LANE bool find_source(const struct amdgpu_wave *wave, const struct amdgpu_source *source, u32 bit,
                      const u32 **out, u32 *out_bits)
{
    if (source->kind == AMDGPU_VREG) {
        *out = amdgpu_v(wave, source->reg);
        return true;
    }
    *out_bits |= bit;
    *out = source->kind == AMDGPU_SREG ? &wave->s[source->reg]
                                       : (const u32 *)(const void *)&source->value;
    return source->count == 1 && (source->kind == AMDGPU_SREG || source->kind == AMDGPU_CONST);
}

LANE bool is_usual(const struct amdgpu_wave *wave, unsigned n, bool floats)
{
    u64 all = n == 64 ? UINT64_MAX : UINT32_MAX;
    return amdgpu_exec_of(wave, n) == all &&
           !(floats && (wave->mode & AMDGPU_MODE_FLOATS) != AMDGPU_MODE_DEFAULT);
}

static const struct amdgpu_op *run_other(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                         unsigned n, unsigned sources, bool floats)
{
    unsigned kind = (floats ? AMDGPU_VALU_FLOAT1 : AMDGPU_VALU_PLAIN1) + sources - 1;
    return JOIN(amdgpu_valu_run_, AMDGPU_ISA_NAME)[kind][n == 64](wave, op);
}

#define IS_FLOAT_f32 true
#define IS_FLOAT_u32 false
#define IS_FLOAT_s32 false
#define IS_FLOAT_b32 false

/* Sources are step0, step1, step2 elements apart: 0 or 1. */
#undef TAKE
#define TAKE(T, name, k)                                                                           \
    T name = load_##T(in[k], i * step##k, n);                                                      \
    (void)name;
#define FUSE(id, D, sources, take, ...)                                                            \
    LANE void any_##id(const u32 *const in[3], u32 *out, const u32 mode, const unsigned n,         \
                       const unsigned step0, const unsigned step1, const unsigned step2)           \
    {                                                                                              \
        (void)mode, (void)step1, (void)step2;                                                      \
        INDEPENDENT for (unsigned i = 0; i < n; ++i)                                               \
        {                                                                                          \
            take D d;                                                                              \
            __VA_ARGS__;                                                                           \
            store_##D(out, i, n, 0, d);                                                            \
        }                                                                                          \
    }                                                                                              \
    RUN(id, sources, IS_FLOAT_##D, 32)                                                             \
    RUN(id, sources, IS_FLOAT_##D, 64)
#define RUN(id, sources, floats, n)                                                                \
    static const struct amdgpu_op *run_##id##_##n(struct amdgpu_wave *wave,                        \
                                                  const struct amdgpu_op *op)                      \
    {                                                                                              \
        const u32 *in[3] = {NULL, NULL, NULL};                                                     \
        u32 same = 0, *out = amdgpu_v(wave, op->dst);                                              \
        bool usual = is_usual(wave, n, floats);                                                    \
        for (unsigned k = 0; k < (sources); ++k)                                                   \
            usual &= find_source(wave, &op->src[k], 1u << k, &in[k], &same);                       \
        if (!usual)                                                                                \
            return run_other(wave, op, n, sources, floats);                                        \
        if (same == 0)                                                                             \
            any_##id(in, out, wave->mode, n, 1, 1, 1);                                             \
        else if (same == 1)                                                                        \
            any_##id(in, out, wave->mode, n, 0, 1, 1);                                             \
        else if ((sources) > 1 && same == 2)                                                       \
            any_##id(in, out, wave->mode, n, 1, 0, 1);                                             \
        else if ((sources) > 2 && same == 4)                                                       \
            any_##id(in, out, wave->mode, n, 1, 1, 0);                                             \
        else                                                                                       \
            return run_other(wave, op, n, sources, floats);                                        \
        return amdgpu_next(op);                                                                    \
    }

#define EACH_ROW(id, other) /* has no handler of its own */
#include "amdgpu_valu_forms.h"
#undef LANES1
#undef LANES2
#undef LANES3
#define LANES1(id, D, A, ...)       LISTED(id)(FUSE(id, D, 1, TAKE1(A), __VA_ARGS__))
#define LANES2(id, D, A, B, ...)    LISTED(id)(FUSE(id, D, 2, TAKE2(A, B), __VA_ARGS__))
#define LANES3(id, D, A, B, C, ...) LISTED(id)(FUSE(id, D, 3, TAKE3(A, B, C), __VA_ARGS__))
#include "amdgpu_valu.def"

/* ---- the table --------------------------------------------------------------------------------
 */

#undef EACH_ROW
#define EACH_ROW(id, other) LISTED(id)([AMDGPU_ID_##id] = {run_##id##_32, run_##id##_64}, )
#include "amdgpu_valu_forms.h"
const amdgpu_handler JOIN(amdgpu_valu_fused_, AMDGPU_ISA_NAME)[AMDGPU_ID_COUNT][2] = {
#include "amdgpu_valu.def"
};
