/* Sines, powers of two and logarithms of one lane, in f64 by polynomials that the compiler turns
 * into vectors, more precise than f32. For the .c files that sim_lane.h is for; what is special
 * (infinities, NaNs, signs of zero) is the instruction set's. */
#ifndef SIM_SERIES_H
#define SIM_SERIES_H

#include "sim_lane.h"

/* Coefficients of the sine of x turns, of 2^x, and of the logarithm of (1 + x) / (1 - x). */
static const f64 sine_series[] = {
    0x1.921fb54442d18p+2, -0x1.4abbce625be53p+5, 0x1.466bc6775aae2p+6, -0x1.32d2cce62bd86p+6,
    0x1.50783487ee782p+5, -0x1.e3074fde8871fp+3, 0x1.e8f434d018d63p+1, -0x1.6fadb9f155744p-1,
    0x1.aaec32af93359p-4, -0x1.8a404211f9547p-7,
};
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
/* What still has a loop when clang makes vectors of lanes is computed lane by lane. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED
#endif
#define SERIES(name, x)                                                                            \
    f64 sum = 0;                                                                                   \
    UNROLLED for (int k = (int)(sizeof name / sizeof *name); k-- > 0;) sum = sum * (x) + name[k];

/* The sine of an angle in turns, which may hold whole ones. */
LANE f64 sine_of_turns(f64 angle)
{
    f64 halves = __builtin_rint(angle * 2), rest = angle - halves * 0.5, square = rest * rest;
    SERIES(sine_series, square)
    f64 odd = halves - __builtin_rint(halves * 0.5) * 2;
    return odd != 0 ? -(sum * rest) : sum * rest;
}

/* 2^x, of x between -1000 and 1000. */
LANE f64 power_of_two(f64 x)
{
    f64 whole = __builtin_rint(x), rest = x - whole;
    SERIES(power_series, rest)
    return sum * f64_of((u64)(s64)((s32)whole + 1023) << 52);
}

/* The binary logarithm of a positive number. The mantissa lies around 1. */
LANE f64 binary_logarithm(f64 x)
{
    u64 bits = bits_f64(x), shifted = bits - UINT64_C(0x3fe6a09e667f3bcd);
    s32 exponent = (s32)(s64)(shifted >> 52) - (shifted >> 63 ? 4096 : 0);
    f64 mantissa = f64_of(bits - ((u64)(s64)exponent << 52));
    f64 ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio;
    SERIES(logarithm_series, square)
    return sum * ratio + (f64)exponent;
}
#undef SERIES
#undef UNROLLED

#endif
