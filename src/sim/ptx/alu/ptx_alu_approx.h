/* The functions that devices approximate, for one lane, by arithmetic whose results are the same on
 * all hosts. They are as exact as those of devices or more so. Included by ptx_alu.c only. */
#ifndef PTX_ALU_APPROX_H
#define PTX_ALU_APPROX_H

#include "ptx_alu_float.h"
#include "sim_series.h"

/* a * (1 / b), where 1 / b underflows for the largest b. */
LANE f32 divide_approx(f32 a, f32 b)
{
    f32 size = size_f32(b);
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

/* The angle in turns, of at most half a turn: as on devices truncated to f32, then to 2^-25, so
 * that large angles have no fraction. */
LANE f32 turns(f32 x)
{
    f64 exact = (f64)x * 0x1.45f306p-3;
    f32 cut = (f32)f64_of(bits_f64(exact) & ~UINT64_C(0x1fffffff));
    f32 within = cut - __builtin_rintf(cut); /* exact; bits below 2^-25 are those of small cuts */
    return __builtin_truncf(within * 0x1p25f) * 0x1p-25f;
}
/* Of at most a quarter of a turn. The error is at most 2^-22.4; no result is greater than 1, and
 * that of a quarter is 1. */
LANE f32 sine_of_quarter(f32 angle)
{
    f32 square = angle * angle, sum = 0x1.3e142p+5f;
    sum = sum * square - 0x1.3252eep+6f;
    sum = sum * square + 0x1.4669p+6f;
    sum = sum * square - 0x1.4abbc8p+5f;
    sum = sum * square + 0x1.921fb6p+2f;
    return sum * angle;
}
LANE f32 sine(f32 x)
{
    f32 angle = turns(size_f32(x)), size = size_f32(angle);
    f32 result = sine_of_quarter(size > 0.25f ? 0.5f - size : size);
    return f32_of(bits_f32(result) ^ ((bits_f32(angle) ^ bits_f32(x)) & SIGN_F32));
}
LANE f32 cosine(f32 x)
{
    return sine_of_quarter(0.25f - size_f32(turns(x)));
}

/* ---- ex2, lg2, tanh -------------------------------------------------------------------- */

/* 2^x by a polynomial of what is left of the nearest integer, with errors of at most 1.15 units in
 * the last place. With .ftz the integer is added to the exponent: no result is subnormal then. */
LANE f32 power(f32 x, u64 mods)
{
    const bool flush = mods & PTX_MOD_FTZ;
    const f32 round = 0x1.8p23f, least = flush ? -126 : -149;
    f32 limited = x < least ? least : x > 128 ? 128 : x == x ? x : 0;
    f32 rounded = limited + round, rest = limited - (rounded - round);
    f32 sum = 0x1.44138ap-13f;
    sum = sum * rest + 0x1.5f089p-10f;
    sum = sum * rest + 0x1.3b2a54p-7f;
    sum = sum * rest + 0x1.c6af6cp-5f;
    sum = sum * rest + 0x1.ebfbep-3f;
    sum = sum * rest + 0x1.62e43p-1f;
    sum = sum * rest + 1;
    u32 whole = bits_f32(rounded) - bits_f32(round), half = (u32)((s32)whole >> 1);
    f32 result = flush ? f32_of(bits_f32(sum) + (whole << 23))
                       : sum * f32_of((half + 127) << 23) * f32_of((whole - half + 127) << 23);
    bool lost = flush ? x < least : x <= -150;
    result = lost ? 0 : result;
    return x == x ? result : x;
}
/* The binary logarithm, by a polynomial of (m - 1) / (m + 1) for a mantissa around 1. Errors are at
 * most 2^-23 between a half and 2, three units in the last place elsewhere. */
LANE f32 logarithm(f32 x)
{
    bool subnormal = bits_f32(x) < NORMAL_F32;
    u32 bits = bits_f32(subnormal ? x * 0x1p24f : x);
    s32 exponent = (s32)(bits - 0x3f3504f3) >> 23;
    f32 mantissa = f32_of(bits - ((u32)exponent << 23));
    f32 ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio, sum = 0x1.ba1434p-2f;
    sum = sum * square + 0x1.274736p-1f;
    sum = sum * square + 0x1.ec70e6p-1f;
    sum = sum * square + 0x1.715476p+1f;
    f32 result = sum * ratio + (f32)(exponent - (subnormal ? 24 : 0));
    result = x == 0 ? -__builtin_inff() : x < 0 ? f32_of(NAN_F32) : result;
    return x == x && x < __builtin_inff() ? result : x;
}
/* The result for small x is x. */
LANE f32 hyperbolic_tangent(f32 x)
{
    f32 size = size_f32(x);
    f64 exponent = (f64)size * -2.8853900817779268;
    f64 inverse = power_of_two(exponent > -1000 ? exponent : -1000);
    f32 result = (f32)((1 - inverse) / (1 + inverse));
    result = size < 0x1p-8f ? size : result;
    return x == x ? f32_of(bits_f32(result) | (bits_f32(x) & SIGN_F32)) : x;
}
/* As devices compute it for halves: the f32, truncated. */
LANE f32 power_for_f16(f32 x)
{
    f32 result = power(x, 0);
    return result >= 0x1p16f ? __builtin_inff() : result;
}

#endif
