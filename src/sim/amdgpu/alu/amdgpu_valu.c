/* The effects of vector instructions: every row of amdgpu_valu.def over the lanes of a wave.
 *
 * Compiled once per instruction set of the host (AMDGPU_ISA_NAME). Loops over a constant
 * number of lanes are what the compiler turns into vectors. */
#include "amdgpu_valu_float.h"
#include "amdgpu_valu_int.h"
#include "amdgpu_valu_lanes.h"

/* ---- effects ----------------------------------------------------------------------------- */

#define WHOLE(id, ...)                                                                             \
    DEFINE(id, __VA_ARGS__)                                                                        \
    static void NAME(id, 32)(const struct amdgpu_lanes *l)                                         \
    {                                                                                              \
        NAME(id, any)(l, 0, 32, 32, 0);                                                            \
    }                                                                                              \
    static void NAME(id, 64)(const struct amdgpu_lanes *l)                                         \
    {                                                                                              \
        NAME(id, any)(l, 0, 64, 64, 0);                                                            \
    }
#define ROUNDED(id, ...)                                                                           \
    DEFINE(id, __VA_ARGS__)                                                                        \
    static void NAME(id, 32)(const struct amdgpu_lanes *l)                                         \
    {                                                                                              \
        if (l->mode & 12)                                                                          \
            NAME(id, any)(l, 0, 32, 32, l->mode >> 2 & 3);                                         \
        else                                                                                       \
            NAME(id, any)(l, 0, 32, 32, 0);                                                        \
    }                                                                                              \
    static void NAME(id, 64)(const struct amdgpu_lanes *l)                                         \
    {                                                                                              \
        if (l->mode & 12)                                                                          \
            NAME(id, any)(l, 0, 64, 64, l->mode >> 2 & 3);                                         \
        else                                                                                       \
            NAME(id, any)(l, 0, 64, 64, 0);                                                        \
    }
#define SAME(id, other, ...)

#define NAME(id, lanes) effect_##id##_##lanes
#include "amdgpu_valu.def"
#undef NAME
#define NAME(id, lanes) clamped_##id##_##lanes
#include "amdgpu_valu_clamp.def"
#undef NAME

/* ---- tables ------------------------------------------------------------------------------ */

#define PASTE(a, b)         a##b
#define JOIN(a, b)          PASTE(a, b)

#define EACH_ROW(id, other) [AMDGPU_ID_##id] = {NAME(other, 32), NAME(other, 64)},
#include "amdgpu_valu_forms.h"

#define NAME(id, lanes) effect_##id##_##lanes
const amdgpu_effect JOIN(amdgpu_effects_, AMDGPU_ISA_NAME)[AMDGPU_ID_COUNT][2] = {
#include "amdgpu_valu.def"
};
#undef NAME
#define NAME(id, lanes) clamped_##id##_##lanes
const amdgpu_effect JOIN(amdgpu_clamped_, AMDGPU_ISA_NAME)[AMDGPU_ID_COUNT][2] = {
#include "amdgpu_valu_clamp.def"
};
