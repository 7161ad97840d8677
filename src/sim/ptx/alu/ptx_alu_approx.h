/* The functions that devices approximate, for one lane: in f64, by polynomials that
 * the compiler turns into vectors, far more precise than f32. Included by
 * ptx_alu.c only. */
#ifndef PTX_ALU_APPROX_H
#define PTX_ALU_APPROX_H

#include "ptx_alu_float.h"

/* a * (1 / b), where 1 / b underflows for the largest b. */
LANE f32 divide_approx(f32 a, f32 b)
{
    f32 size = f32_of(bits_f32(b) & ~SIGN_F32);
    bool lost = size > 0x1p126f && size < __builtin_inff();
    return lost ? a * f32_of(bits_f32(b) & SIGN_F32) : a / b;
}

/* Operands and results of f64 that have only upper halves. */
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

/* Coefficients of the sine of x turns. */
static const f64 sine_series[] = {
    0x1.921fb54442d18p+2, -0x1.4abbce625be53p+5, 0x1.466bc6775aae2p+6, -0x1.32d2cce62bd86p+6,
    0x1.50783487ee782p+5, -0x1.e3074fde8871fp+3, 0x1.e8f434d018d63p+1, -0x1.6fadb9f155744p-1,
    0x1.aaec32af93359p-4, -0x1.8a404211f9547p-7,
};

/* The angle in turns, as devices count it: cut off to f32, then to 2^-25, so that
 * large angles have no fraction left. */
LANE f64 turns(f32 x)
{
    f64 exact = (f64)x * 0x1.45f306p-3;
    f64 cut = f64_of(bits_f64(exact) & ~UINT64_C(0x1fffffff));
    return trunc(cut * 0x1p25) * 0x1p-25;
}
/* Of an angle that holds whole turns; half of one changes the sign. */
LANE f64 sine_of(f64 angle)
{
    f64 halves = rint(angle * 2), rest = angle - halves * 0.5, square = rest * rest, sum = 0;
    for (int k = (int)(sizeof sine_series / sizeof *sine_series); k-- > 0;)
        sum = sum * square + sine_series[k];
    f64 odd = halves - rint(halves * 0.5) * 2;
    return odd != 0 ? -(sum * rest) : sum * rest;
}
LANE f32 sine(f32 x)
{
    f64 angle = turns(x), within = angle - rint(angle);
    f32 result = (f32)sine_of(within);
    return result == 0 ? f32_of((bits_f32(result) & ~SIGN_F32) | (bits_f32(x) & SIGN_F32)) : result;
}
LANE f32 cosine(f32 x)
{
    f64 angle = turns(x), within = angle - rint(angle);
    return (f32)sine_of(f64_of(bits_f64(within) & ~SIGN_F64) + 0.25);
}

/* ---- ex2, lg2, tanh -------------------------------------------------------------------- */

/* Coefficients of 2^x, and of the logarithm of (1 + x) / (1 - x). */
static const f64 power_series[] = {
    0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c0p-5,
    0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10, 0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17,
    0x1.62c0223a5c824p-20, 0x1.b5253d395e7c4p-24, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32,
};
static const f64 logarithm_series[] = {
    0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1,
    0x1.a61762a7aded9p-2, 0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2,
    0x1.c68f568d31760p-3, 0x1.89f3b1694cffep-3, 0x1.5b9ac9b743f0dp-3,
};

/* Of at most 2^1000 and at least 2^-1000. */
LANE f64 power_f64(f64 x)
{
    f64 limited = x < -1000 ? -1000 : x > 1000 ? 1000 : x == x ? x : 0;
    f64 whole = rint(limited), rest = limited - whole, sum = 0;
    for (int k = (int)(sizeof power_series / sizeof *power_series); k-- > 0;)
        sum = sum * rest + power_series[k];
    f64 scale = f64_of((u64)(s64)((s32)whole + 1023) << 52);
    return x == x ? sum * scale : x;
}
LANE f32 power(f32 x)
{
    return (f32)power_f64(x);
}
LANE f32 logarithm(f32 x)
{
    u64 bits = bits_f64((f64)x);
    /* The mantissa lies around 1. */
    u64 shifted = bits - UINT64_C(0x3fe6a09e667f3bcd);
    s32 exponent = (s32)(s64)(shifted >> 52) - (shifted >> 63 ? 4096 : 0);
    f64 mantissa = f64_of(bits - ((u64)(s64)exponent << 52));
    f64 ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio, sum = 0;
    for (int k = (int)(sizeof logarithm_series / sizeof *logarithm_series); k-- > 0;)
        sum = sum * square + logarithm_series[k];
    f32 result = (f32)(sum * ratio + (f64)exponent);
    result = x == 0 ? -__builtin_inff() : x < 0 ? f32_of(NAN_F32) : result;
    return x == x && x < __builtin_inff() ? result : x;
}
/* Small ones are their own. */
LANE f32 hyperbolic_tangent(f32 x)
{
    f32 size = f32_of(bits_f32(x) & ~SIGN_F32);
    f64 inverse = power_f64((f64)size * -2.8853900817779268);
    f32 result = (f32)((1 - inverse) / (1 + inverse));
    result = size < 0x1p-8f ? size : result;
    return x == x ? f32_of(bits_f32(result) | (bits_f32(x) & SIGN_F32)) : x;
}
/* As halves are computed: from the f32, cut off. */
LANE f32 power_for_f16(f32 x)
{
    f32 result = power(x);
    return result >= 0x1p16f ? __builtin_inff() : result;
}

#endif
