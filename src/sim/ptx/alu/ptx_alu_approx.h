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
#ifdef __FMA__
#define STEP(sum, x, term) __builtin_fma(sum, x, term)
#else
#define STEP(sum, x, term) ((sum) * (x) + (term))
#endif
/* The same by a shorter series of x up to a quarter, whose relative error is 2^-41. *doubt is not 0
 * where the f32 may be another one: where that of 2^-40 would change it, and for subnormals. */
LANE f32 power_soon(f32 x, u64 *doubt)
{
    const u64 half = UINT64_C(1) << 28, most = UINT64_C(1) << 13;
    const f64 whole = 0x1.8p52;
    f32 limited = x < -200 ? -200 : x > 200 ? 200 : x;
    f64 halves = STEP((f64)limited, 2.0, whole), rest = (f64)limited - (halves - whole) * 0.5;
    f64 sum = power_series[8];
    sum = STEP(sum, rest, power_series[7]);
    sum = STEP(sum, rest, power_series[6]);
    sum = STEP(sum, rest, power_series[5]);
    sum = STEP(sum, rest, power_series[4]);
    sum = STEP(sum, rest, power_series[3]);
    sum = STEP(sum, rest, power_series[2]);
    sum = STEP(sum, rest, power_series[1]);
    sum = STEP(sum, rest, power_series[0]);
    u64 count = bits_f64(halves) + 2 * 1023; /* its upper bits are shifted out */
    u64 root = (0 - (count & 1)) & UINT64_C(0x6a09e667f3bcd);
    sum *= f64_of(count >> 1 << 52 | root);
    bool near = ((bits_f64(sum) - half + most) & (2 * half - 1)) <= 2 * most;
    *doubt = near || (sum < 0x1p-126 && sum > 0x1p-151);
    return x == x ? (f32)sum : x;
}
#undef STEP
static __attribute__((noinline)) void exact_powers(f32 *to, const f32 *from)
{
    INDEPENDENT for (unsigned i = 0; i < PTX_LANES; ++i)
    {
        to[i] = power(from[i]);
    }
}
LANE void powers(f32 *to, const f32 *from)
{
    u64 doubts = 0;
    for (unsigned i = 0; i < PTX_LANES; ++i) {
        u64 doubt;
        to[i] = power_soon(from[i], &doubt);
        doubts |= doubt;
    }
    if (__builtin_expect(doubts != 0, 0))
        exact_powers(to, from);
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
