/* The functions that devices approximate, for one lane, with much more precision than f32
 * (sim_series.h). Included by ptx_alu.c only. */
#ifndef PTX_ALU_APPROX_H
#define PTX_ALU_APPROX_H

#include "ptx_alu_float.h"
#include "sim_series.h"

/* a * (1 / b), where 1 / b underflows for the largest b. */
LANE f32 divide_approx(f32 a, f32 b)
{
    f32 size = f32_of(bits_f32(b) & ~SIGN_F32);
    bool lost = size > 0x1p126f && size < __builtin_inff();
    return lost ? a * f32_of(bits_f32(b) & SIGN_F32) : a / b;
}

/* Operands and results of f64 of which only the upper half is used. */
LANE f64 upper_f64(f64 x)
{
    return f64_of(bits_f64(flush_f64(x)) & UINT64_C(0xffffffff00000000));
}
LANE f64 gross_f64(f64 result)
{
    f64 upper = upper_f64(result);
    return result == result ? upper : f64_of(UINT64_C(0x7fffffff00000000));
}

/* ---- sin, cos ---------------------------------------------------------------------- */

/* The angle in turns, as on devices: truncated to f32, then to 2^-25, so that large angles have no
 * fraction. */
LANE f64 turns(f32 x)
{
    f64 exact = (f64)x * 0x1.45f306p-3;
    f64 cut = f64_of(bits_f64(exact) & ~UINT64_C(0x1fffffff));
    return trunc(cut * 0x1p25) * 0x1p-25;
}
LANE f32 sine(f32 x)
{
    f64 angle = turns(x), within = angle - rint(angle);
    f32 result = (f32)sine_of_turns(within);
    return result == 0 ? f32_of((bits_f32(result) & ~SIGN_F32) | (bits_f32(x) & SIGN_F32)) : result;
}
LANE f32 cosine(f32 x)
{
    f64 angle = turns(x), within = angle - rint(angle);
    return (f32)sine_of_turns(f64_of(bits_f64(within) & ~SIGN_F64) + 0.25);
}

/* ---- ex2, lg2, tanh -------------------------------------------------------------------- */

/* For results of at most 2^1000 and at least 2^-1000. */
LANE f64 power_f64(f64 x)
{
    f64 limited = x < -1000 ? -1000 : x > 1000 ? 1000 : x == x ? x : 0;
    return x == x ? power_of_two(limited) : x;
}
LANE f32 power(f32 x)
{
    return (f32)power_f64(x);
}
LANE f32 logarithm(f32 x)
{
    f32 result = (f32)binary_logarithm((f64)x);
    result = x == 0 ? -__builtin_inff() : x < 0 ? f32_of(NAN_F32) : result;
    return x == x && x < __builtin_inff() ? result : x;
}
/* The result for small x is x. */
LANE f32 hyperbolic_tangent(f32 x)
{
    f32 size = f32_of(bits_f32(x) & ~SIGN_F32);
    f64 inverse = power_f64((f64)size * -2.8853900817779268);
    f32 result = (f32)((1 - inverse) / (1 + inverse));
    result = size < 0x1p-8f ? size : result;
    return x == x ? f32_of(bits_f32(result) | (bits_f32(x) & SIGN_F32)) : x;
}
/* As devices compute it for halves: the f32, truncated. */
LANE f32 power_for_f16(f32 x)
{
    f32 result = power(x);
    return result >= 0x1p16f ? __builtin_inff() : result;
}

#endif
