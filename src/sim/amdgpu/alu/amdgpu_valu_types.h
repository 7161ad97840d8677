/* Makes every form of amdgpu_valu.def but SAME the types and flags of its row, as in struct
 * amdgpu_valu_row:
 *     TYPED_ROW(id, d, d1, count, types of four sources, flags)
 * which the file that includes this has defined. Included once in a file. */
#include "amdgpu_valu_forms.h"

#include "amdgpu_valu.h"

/* The names that rows have for types. */
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
    PAIR_u16 = AMDGPU_PK16,
    PAIR_s16 = AMDGPU_PK16,
};
enum { NO = AMDGPU_NOTYPE, NEAR = AMDGPU_VALU_OWN_ROUNDING, MIX = AMDGPU_VALU_MIX };

#define ROW1(id, D, A, flags) TYPED_ROW(id, TYPE_##D, NO, 1, TYPE_##A, NO, NO, NO, flags)
#define ROW2(id, D, d1, A, B, flags)                                                               \
    TYPED_ROW(id, TYPE_##D, d1, 2, TYPE_##A, TYPE_##B, NO, NO, flags)
#define ROW3(id, D, d1, A, B, C, flags)                                                            \
    TYPED_ROW(id, TYPE_##D, d1, 3, TYPE_##A, TYPE_##B, TYPE_##C, NO, flags)
#define ALIKE2(id, type)            TYPED_ROW(id, type, NO, 2, type, type, NO, NO, 0)
#define ALIKE3(id, type)            TYPED_ROW(id, type, NO, 3, type, type, type, NO, 0)
#define LANES1(id, D, A, ...)       ROW1(id, D, A, 0)
#define LANES2(id, D, A, B, ...)    ROW2(id, D, NO, A, B, 0)
#define LANES3(id, D, A, B, C, ...) ROW3(id, D, NO, A, B, C, 0)
#define LANES4(id, D, A, B, C, E, ...)                                                             \
    TYPED_ROW(id, TYPE_##D, NO, 4, TYPE_##A, TYPE_##B, TYPE_##C, TYPE_##E, 0)
#define NEAR1(id, D, A, ...)        ROW1(id, D, A, NEAR)
#define NEAR2(id, D, A, B, ...)     ROW2(id, D, NO, A, B, NEAR)
#define HALF1(id, A, ...)           ROW1(id, f16, A, 0)
#define HALF2(id, A, B, ...)        ROW2(id, f16, NO, A, B, 0)
#define HALF3(id, A, B, C, ...)     ROW3(id, f16, NO, A, B, C, 0)
#define CARRY2(id, D, A, B, ...)    ROW2(id, D, AMDGPU_MASK, A, B, 0)
#define CARRY3(id, D, A, B, C, ...) ROW3(id, D, AMDGPU_MASK, A, B, C, 0)
#define TEST2(id, A, B, ...)        ROW2(id, mask, NO, A, B, 0)
#define PAIRS2(id, T, ...)          ALIKE2(id, PAIR_##T)
#define PAIRS3(id, T, ...)          ALIKE3(id, PAIR_##T)
#define HALVES2(id, ...)            ALIKE2(id, AMDGPU_PKF16)
#define HALVES3(id, ...)            ALIKE3(id, AMDGPU_PKF16)
#define FLOATS2(id, ...)            ALIKE2(id, AMDGPU_PKF32)
#define FLOATS3(id, ...)            ALIKE3(id, AMDGPU_PKF32)
#define MIX32(id, ...)              ROW3(id, f32, NO, f32, f32, f32, MIX)
#define MIX16(id, ...)              ROW3(id, f16, NO, f32, f32, f32, MIX)
#define RAW(id, D, flags, count, A, B, C, ...)                                                     \
    TYPED_ROW(id, AMDGPU_##D, NO, count, AMDGPU_##A, AMDGPU_##B, AMDGPU_##C, NO, flags)
