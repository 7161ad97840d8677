/* The effects of vector instructions, each for AMDGPU_BITCODE_CHUNK lanes, as
 * amdgpu_bitcode_operands.h declares them. */
#include "amdgpu_bitcode_operands.h"
#include "amdgpu_valu_float.h"
#include "amdgpu_valu_int.h"
#include "amdgpu_valu_lanes.h"

/* Waves whose mode is not the default are in no region: halves are rounded to nearest. */
#define NAME(id, any) any_##id
#define ROUNDED       WHOLE
#define WHOLE(id, ...)                                                                             \
    DEFINE(id, __VA_ARGS__)                                                                        \
    AMDGPU_EFFECT(id)                                                                              \
    {                                                                                              \
        const struct amdgpu_lanes lanes = {                                                        \
            .d = d, .d1 = d1, .s = {a, b, c, e}, .mode = (u32)mode, .bits = (u32)bits};            \
        NAME(id, any)(&lanes, (unsigned)first, AMDGPU_BITCODE_CHUNK, (unsigned)n, 0);              \
    }
#define SAME(id, other, ...) /* described with the other's function */
#include "amdgpu_valu.def"
