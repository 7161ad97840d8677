/* The effects of vector instructions: every row of amdgpu_valu.def over the lanes of a wave.
 *
 * Compiled once per instruction set of the host (AMDGPU_ISA_NAME). Loops over a constant
 * number of lanes are what the compiler turns into vectors. */
#include "amdgpu_valu_float.h"
#include "amdgpu_valu_int.h"
#include "amdgpu_valu_lanes.h"

#define SAME(id, other, ...)

#define NAME(id, lanes) effect_##id##_##lanes
#include "amdgpu_valu.def"
#undef NAME
#define NAME(id, lanes) clamped_##id##_##lanes
#include "amdgpu_valu_clamp.def"
#undef NAME

#if !defined(AMDGPU_BITCODE) /* of which nothing has a table */
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
#define LANES1(id, ...)      ROW(id, id)
#define LANES2(id, ...)      ROW(id, id)
#define LANES3(id, ...)      ROW(id, id)
#define LANES4(id, ...)      ROW(id, id)
#define NEAR1(id, ...)       ROW(id, id)
#define NEAR2(id, ...)       ROW(id, id)
#define HALF1(id, ...)       ROW(id, id)
#define HALF2(id, ...)       ROW(id, id)
#define HALF3(id, ...)       ROW(id, id)
#define MIX32(id, ...)       ROW(id, id)
#define MIX16(id, ...)       ROW(id, id)
#define CARRY2(id, ...)      ROW(id, id)
#define CARRY3(id, ...)      ROW(id, id)
#define TEST2(id, ...)       ROW(id, id)
#define PAIRS2(id, ...)      ROW(id, id)
#define PAIRS3(id, ...)      ROW(id, id)
#define HALVES2(id, ...)     ROW(id, id)
#define HALVES3(id, ...)     ROW(id, id)
#define FLOATS2(id, ...)     ROW(id, id)
#define FLOATS3(id, ...)     ROW(id, id)
#define RAW(id, ...)         ROW(id, id)
#define SAME(id, other, ...) ROW(id, other)

#define PASTE(a, b)          a##b
#define JOIN(a, b)           PASTE(a, b)

#define ROW(id, other)       [AMDGPU_ID_##id] = {effect_##other##_32, effect_##other##_64},
const amdgpu_effect JOIN(amdgpu_effects_, AMDGPU_ISA_NAME)[AMDGPU_ID_COUNT][2] = {
#include "amdgpu_valu.def"
};
#undef ROW
#define ROW(id, other) [AMDGPU_ID_##id] = {clamped_##other##_32, clamped_##other##_64},
const amdgpu_effect JOIN(amdgpu_clamped_, AMDGPU_ISA_NAME)[AMDGPU_ID_COUNT][2] = {
#include "amdgpu_valu_clamp.def"
};
#undef ROW
#endif
