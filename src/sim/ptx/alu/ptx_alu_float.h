/* Floating-point arithmetic on one lane: what devices do differently from the host. Included by
 * ptx_alu.c only. */
#ifndef PTX_ALU_FLOAT_H
#define PTX_ALU_FLOAT_H

#include "ptx_alu_lanes.h"

#define INF_F32    UINT32_C(0x7f800000)
#define INF_F64    UINT64_C(0x7ff0000000000000)
#define NORMAL_F32 UINT32_C(0x00800000) /* the smallest normal number */
#define NORMAL_F64 UINT64_C(0x0010000000000000)
#define NAN_F32    UINT32_C(0x7fffffff)
#define NAN_F64    UINT64_C(0xfff8000000000000) /* the result of an invalid operation */
#define QUIET_F64  UINT64_C(0x0008000000000000)

/* ---- .ftz, .sat, NaN ------------------------------------------------------------ */

LANE f32 flush_f32(f32 x, u64 mods)
{
    u32 bits = bits_f32(x), keep = mods & PTX_MOD_FTZ ? INF_F32 : UINT32_MAX;
    return f32_of(bits & keep ? bits : bits & SIGN_F32);
}
LANE f64 flush_f64(f64 x)
{
    u64 bits = bits_f64(x);
    return f64_of(bits & INF_F64 ? bits : bits & SIGN_F64);
}
LANE f32 canonical_f32(f32 x)
{
    return x == x ? x : f32_of(NAN_F32);
}
LANE f32 saturate_f32(f32 x, u64 mods)
{
    f32 limited = x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
    return mods & PTX_MOD_SAT ? limited : x;
}
LANE f64 saturate_f64(f64 x, u64 mods)
{
    f64 limited = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
    return mods & PTX_MOD_SAT ? limited : x;
}
LANE f32 with_nan_f32(f32 x, u64 mods)
{
    return mods & PTX_ALU_ANY_NAN ? x : canonical_f32(x);
}
LANE f32 finish_f32(f32 x, u64 mods)
{
    return saturate_f32(with_nan_f32(flush_f32(x, mods), mods), mods);
}

/* If operands are NaNs, the result is the second one, or else the third, or the first, made quiet;
 * an invalid operation without them has the default NaN. */
LANE f64 finish1_f64(f64 a, f64 result)
{
    u64 bits = a != a ? bits_f64(a) | QUIET_F64 : result != result ? NAN_F64 : bits_f64(result);
    return f64_of(bits);
}
LANE f64 finish2_f64(f64 a, f64 b, f64 result)
{
    u64 bits = a != a ? bits_f64(a) | QUIET_F64 : result != result ? NAN_F64 : bits_f64(result);
    return f64_of(b != b ? bits_f64(b) | QUIET_F64 : bits);
}
LANE f64 finish3_f64(f64 a, f64 b, f64 c, f64 result)
{
    u64 bits = a != a ? bits_f64(a) | QUIET_F64 : result != result ? NAN_F64 : bits_f64(result);
    bits = c != c ? bits_f64(c) | QUIET_F64 : bits;
    return f64_of(b != b ? bits_f64(b) | QUIET_F64 : bits);
}

/* Conversions between sizes keep the upper digits of a NaN, and quiet it. */
LANE f64 widen_f32(f32 x)
{
    u32 bits = bits_f32(x);
    u64 nan = INF_F64 | QUIET_F64 | (u64)(bits & 0x7fffff) << 29 | (u64)(bits >> 31) << 63;
    return x == x ? (f64)x : f64_of(nan);
}
LANE f32 narrow_f64(f64 x)
{
    u64 bits = bits_f64(x);
    u32 nan = INF_F32 | 0x400000 | (u32)(bits >> 29 & 0x7fffff) | (u32)(bits >> 63) << 31;
    return x == x ? (f32)x : f32_of(nan);
}

/* ---- operations ------------------------------------------------------------------- */

LANE f32 fma_f32(f32 a, f32 b, f32 c)
{
    return __builtin_fmaf(a, b, c);
}
LANE f64 fma_f64(f64 a, f64 b, f64 c)
{
    return __builtin_fma(a, b, c);
}
LANE f32 sqrt_f32(f32 x)
{
    return __builtin_sqrtf(x);
}
LANE f64 sqrt_f64(f64 x)
{
    return __builtin_sqrt(x);
}

LANE f32 absolute_f32(f32 x)
{
    return canonical_f32(size_f32(x));
}
LANE f32 unsigned_f32(f32 x, u64 mods)
{
    return mods & PTX_MOD_ABS ? absolute_f32(x) : x;
}

/* A number wins over a NaN, unless there is .NaN; -0 is less than +0, as in the order of the
 * integers. Without branches, for vectors. */
LANE s32 order_f32(f32 x)
{
    s32 bits = (s32)bits_f32(x);
    return bits ^ (bits >> 31 & INT32_MAX);
}
LANE f32 extreme_f32(f32 a, f32 b, f32 number, u64 mods)
{
    bool lost = a != a, other = b != b, strict = mods & PTX_MOD_NAN;
    number = other ? a : number;
    number = lost ? b : number;
    bool canonical = !(mods & PTX_ALU_ANY_NAN) & lost & other;
    return canonical || (strict & (lost | other)) ? f32_of(NAN_F32) : number;
}
LANE f32 minimum_f32(f32 a, f32 b, u64 mods)
{
    a = flush_f32(a, mods);
    b = flush_f32(b, mods);
    return extreme_f32(a, b, order_f32(a) < order_f32(b) ? a : b, mods);
}
LANE f32 maximum_f32(f32 a, f32 b, u64 mods)
{
    a = flush_f32(a, mods);
    b = flush_f32(b, mods);
    return extreme_f32(a, b, order_f32(a) > order_f32(b) ? a : b, mods);
}
LANE f32 with_xorsign_f32(f32 a, f32 b, f32 x)
{
    u32 sign = (bits_f32(a) ^ bits_f32(b)) & SIGN_F32;
    return x == x ? f32_of(bits_f32(x) | sign) : x;
}
LANE s64 order_f64(f64 x)
{
    s64 bits = (s64)bits_f64(x);
    return bits ^ (bits >> 63 & INT64_MAX);
}
LANE f64 extreme_f64(f64 a, f64 b, f64 number)
{
    number = b != b ? a : number;
    number = a != a ? b : number;
    return number == number ? number : f64_of(bits_f64(b) | QUIET_F64);
}
LANE f64 minimum_f64(f64 a, f64 b)
{
    return extreme_f64(a, b, order_f64(a) < order_f64(b) ? a : b);
}
LANE f64 maximum_f64(f64 a, f64 b)
{
    return extreme_f64(a, b, order_f64(a) > order_f64(b) ? a : b);
}

/* ---- from integers ------------------------------------------------------------------- */

/* Conversions in several steps may result in -0 for 0 when they round downwards. clang assumes that
 * one from an unsigned integer never does, which is true when it rounds to nearest, and would
 * remove this change of the sign: the compiler must not see where the bits come from. That takes
 * the lanes one by one, and is left out where nothing is rounded downwards. */
#ifdef __clang__
#define UNKNOWN(bits) __asm__("" : "+r"(bits))
#else
#define UNKNOWN(bits) ((void)0)
#endif
LANE f32 signed_f32(f32 x, bool negative, u64 mods)
{
    if (!(mods & DIRECTED))
        return x;
    u32 bits = bits_f32(x);
    UNKNOWN(bits);
    return f32_of((bits & ~SIGN_F32) | (negative ? SIGN_F32 : 0));
}
LANE f64 signed_f64(f64 x, bool negative, u64 mods)
{
    if (!(mods & DIRECTED))
        return x;
    u64 bits = bits_f64(x);
    UNKNOWN(bits);
    return f64_of((bits & ~SIGN_F64) | (negative ? SIGN_F64 : 0));
}
#undef UNKNOWN

/* ---- to integers --------------------------------------------------------------------- */

LANE f32 integral_f32(f32 x, u64 mods)
{
    return mods & PTX_MOD_RNI   ? __builtin_rintf(x)
           : mods & PTX_MOD_RMI ? __builtin_floorf(x)
           : mods & PTX_MOD_RPI ? __builtin_ceilf(x)
                                : __builtin_truncf(x);
}
LANE f64 integral_f64(f64 x, u64 mods)
{
    return mods & PTX_MOD_RNI   ? __builtin_rint(x)
           : mods & PTX_MOD_RMI ? __builtin_floor(x)
           : mods & PTX_MOD_RPI ? __builtin_ceil(x)
                                : __builtin_trunc(x);
}

/* Integral values in range are exact, others saturate. A NaN becomes 0, or only the highest bit if
 * either type has 64 bits. beyond: the maximum + 1. */
#define OF_FLOAT(T, C, F, low, high, beyond, nan)                                                  \
    LANE T T##_of_##F(F x)                                                                         \
    {                                                                                              \
        T inside = (T)(C)(x >= (F)(low) && x < beyond ? x : (F)0);                                 \
        return x >= beyond ? (high) : x < (F)(low) ? (low) : x == x ? inside : (T)(nan);           \
    }
OF_FLOAT(u8, s32, f32, 0, UINT8_MAX, 0x1p8f, 0)
OF_FLOAT(s8, s32, f32, INT8_MIN, INT8_MAX, 0x1p7f, 0)
OF_FLOAT(u16, s32, f32, 0, UINT16_MAX, 0x1p16f, 0)
OF_FLOAT(s16, s32, f32, INT16_MIN, INT16_MAX, 0x1p15f, 0)
OF_FLOAT(u32, u32, f32, 0, UINT32_MAX, 0x1p32f, 0)
OF_FLOAT(s32, s32, f32, INT32_MIN, INT32_MAX, 0x1p31f, 0)
OF_FLOAT(u64, u64, f32, 0, UINT64_MAX, 0x1p64f, INT64_MIN)
OF_FLOAT(s64, s64, f32, INT64_MIN, INT64_MAX, 0x1p63f, INT64_MIN)
OF_FLOAT(u8, s32, f64, 0, UINT8_MAX, 0x1p8, 0x80)
OF_FLOAT(s8, s32, f64, INT8_MIN, INT8_MAX, 0x1p7, 0x80)
OF_FLOAT(u16, s32, f64, 0, UINT16_MAX, 0x1p16, 0x8000)
OF_FLOAT(s16, s32, f64, INT16_MIN, INT16_MAX, 0x1p15, 0x8000)
OF_FLOAT(u32, u32, f64, 0, UINT32_MAX, 0x1p32, 0x80000000)
OF_FLOAT(s32, s32, f64, INT32_MIN, INT32_MAX, 0x1p31, 0x80000000)
OF_FLOAT(u64, u64, f64, 0, UINT64_MAX, 0x1p64, INT64_MIN)
OF_FLOAT(s64, s64, f64, INT64_MIN, INT64_MAX, 0x1p63, INT64_MIN)
#undef OF_FLOAT

#endif
