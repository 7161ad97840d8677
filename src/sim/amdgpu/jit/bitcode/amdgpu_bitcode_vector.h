/* The functions of vector instructions: the rows of BITCODE_ROWS for waves of BITCODE_LANES. */
#include "amdgpu_bitcode_common.h"

/* Names of types, as amdgpu_valu_emit.c has them. */
enum {
    TYPE_u16 = AMDGPU_U16,
    TYPE_s16 = AMDGPU_I16,
    TYPE_b16 = AMDGPU_B16,
    TYPE_f16 = AMDGPU_F16,
    TYPE_bf16 = AMDGPU_BF16,
    TYPE_u32 = AMDGPU_U32,
    TYPE_s32 = AMDGPU_I32,
    TYPE_b32 = AMDGPU_B32,
    TYPE_f32 = AMDGPU_F32,
    TYPE_u64 = AMDGPU_U64,
    TYPE_s64 = AMDGPU_I64,
    TYPE_b64 = AMDGPU_B64,
    TYPE_f64 = AMDGPU_F64,
    TYPE_mask = AMDGPU_MASK,
    TYPE_pk16 = AMDGPU_PK16,
    TYPE_pkf16 = AMDGPU_PKF16,
    TYPE_pkbf16 = AMDGPU_PKBF16,
};
enum { NO = AMDGPU_NOTYPE };

#define VECTOR_OF(id, n, D, D1, flags_, count_, ...)                                               \
    uint32_t amdgpu_wave_##id##_##n(struct amdgpu_wave *wave, u64 head, u64 bits, u64 edits,       \
                                    u64 word0, u64 value0, u64 word1, u64 value1, u64 word2,       \
                                    u64 value2)                                                    \
    {                                                                                              \
        const u64 words[] = {word0, word1, word2}, values[] = {value0, value1, value2};            \
        const struct effect effect = {effect_##id##_##n, D, D1, count_, {__VA_ARGS__}, flags_};    \
        run_row(wave, &effect, n, head, bits, edits, words, values);                               \
        return 1;                                                                                  \
    }
#define VECTOR_FOR(id, n, ...)       VECTOR_OF(id, n, __VA_ARGS__)
#define VECTOR(id, ...)              VECTOR_FOR(id, BITCODE_LANES, __VA_ARGS__)
#define ROW1(id, D, D1, flags, A)    VECTOR(id, TYPE_##D, D1, flags, 1, TYPE_##A)
#define ROW2(id, D, D1, flags, A, B) VECTOR(id, TYPE_##D, D1, flags, 2, TYPE_##A, TYPE_##B)
#define ROW3(id, D, D1, flags, A, B, C)                                                            \
    VECTOR(id, TYPE_##D, D1, flags, 3, TYPE_##A, TYPE_##B, TYPE_##C)
#define ALIKE2(id, T) VECTOR(id, T, NO, 0, 2, T, T)
#define ALIKE3(id, T) VECTOR(id, T, NO, 0, 3, T, T, T)

#undef LANES1
#undef LANES2
#undef LANES3
#undef LANES4
#undef NEAR1
#undef NEAR2
#undef HALF1
#undef HALF2
#undef HALF3
#undef MIX32
#undef MIX16
#undef CARRY2
#undef CARRY3
#undef TEST2
#undef PAIRS2
#undef PAIRS3
#undef HALVES2
#undef HALVES3
#undef FLOATS2
#undef FLOATS3
#undef RAW
#undef SAME
#define LANES1(id, D, A, ...)       ROW1(id, D, NO, 0, A)
#define LANES2(id, D, A, B, ...)    ROW2(id, D, NO, 0, A, B)
#define LANES3(id, D, A, B, C, ...) ROW3(id, D, NO, 0, A, B, C)
#define LANES4(id, D, A, B, C, E, ...)                                                             \
    VECTOR(id, TYPE_##D, NO, 0, 4, TYPE_##A, TYPE_##B, TYPE_##C, TYPE_##E)
#define NEAR1(id, D, A, ...)        ROW1(id, D, NO, 0, A)
#define NEAR2(id, D, A, B, ...)     ROW2(id, D, NO, 0, A, B)
#define HALF1(id, A, ...)           ROW1(id, f16, NO, 0, A)
#define HALF2(id, A, B, ...)        ROW2(id, f16, NO, 0, A, B)
#define HALF3(id, A, B, C, ...)     ROW3(id, f16, NO, 0, A, B, C)
#define MIX32(id, ...)              ROW3(id, f32, NO, AMDGPU_VALU_MIX, f32, f32, f32)
#define MIX16(id, ...)              ROW3(id, f16, NO, AMDGPU_VALU_MIX, f32, f32, f32)
#define CARRY2(id, D, A, B, ...)    ROW2(id, D, AMDGPU_MASK, 0, A, B)
#define CARRY3(id, D, A, B, C, ...) ROW3(id, D, AMDGPU_MASK, 0, A, B, C)
#define TEST2(id, A, B, ...)        ROW2(id, mask, NO, 0, A, B)
#define PAIRS2(id, ...)             ALIKE2(id, AMDGPU_PK16)
#define PAIRS3(id, ...)             ALIKE3(id, AMDGPU_PK16)
#define HALVES2(id, ...)            ALIKE2(id, AMDGPU_PKF16)
#define HALVES3(id, ...)            ALIKE3(id, AMDGPU_PKF16)
#define FLOATS2(id, ...)            ALIKE2(id, AMDGPU_PKF32)
#define FLOATS3(id, ...)            ALIKE3(id, AMDGPU_PKF32)
#define RAW(id, D, flags, count, A, B, C, ...)                                                     \
    VECTOR(id, AMDGPU_##D, NO, flags, count, AMDGPU_##A, AMDGPU_##B, AMDGPU_##C)
#define SAME(id, other, ...) /* described with the other's function */
#include BITCODE_ROWS
