/* Floating-point arithmetic on one lane, beyond the host's own operations. Included by
 * amdgpu_valu.c only. */
#ifndef AMDGPU_VALU_FLOAT_H
#define AMDGPU_VALU_FLOAT_H

#include "amdgpu_valu_lanes.h"
#include "sim_series.h"

#define INF_F32   UINT32_C(0x7f800000)
#define INF_F64   UINT64_C(0x7ff0000000000000)
#define QUIET_F32 UINT32_C(0x00400000)
#define QUIET_F64 UINT64_C(0x0008000000000000)
#define NAN_F32   UINT32_C(0x7fc00000)
#define NAN_F64   UINT64_C(0x7ff8000000000000)

LANE f32 with_sign_f32(f32 x, u32 sign)
{
    return f32_of((bits_f32(x) & ~SIGN_F32) | (sign & SIGN_F32));
}
LANE f64 with_sign_f64(f64 x, u64 sign)
{
    return f64_of((bits_f64(x) & ~SIGN_F64) | (sign & SIGN_F64));
}
LANE f32 quiet_f32(f32 x)
{
    return f32_of(bits_f32(x) | QUIET_F32);
}
LANE f64 quiet_f64(f64 x)
{
    return f64_of(bits_f64(x) | QUIET_F64);
}
/* For instructions that flush subnormals in every mode. */
LANE f32 flush_f32(f32 x)
{
    u32 bits = bits_f32(x);
    return f32_of(bits & INF_F32 ? bits : bits & SIGN_F32);
}
LANE f32 flush_f16(f32 x)
{
    return size_f32(x) < 0x1p-14f ? f32_of(bits_f32(x) & SIGN_F32) : x;
}

LANE f32 fma_f32(f32 a, f32 b, f32 c)
{
    return __builtin_fmaf(a, b, c);
}
LANE f64 fma_f64(f64 a, f64 b, f64 c)
{
    return __builtin_fma(a, b, c);
}
/* An inexact sum becomes odd. */
LANE f32 fma_f16(f32 a, f32 b, f32 c)
{
    return sim_odd_fma_half(a, b, c);
}
LANE f32 near_half(f32 x, u32 round)
{
    return widen_f16(narrow_f16(x, round));
}

/* Products where 0 times anything is 0. */
LANE f32 product_dx9(f32 a, f32 b)
{
    return a == 0 || b == 0 ? 0.0f : a * b;
}
LANE f32 fma_dx9(f32 a, f32 b, f32 c)
{
    return a == 0 || b == 0 ? 0.0f + c : fma_f32(a, b, c);
}

/* ---- smallest, largest ------------------------------------------------------------------- */

/* A number is preferred to a NaN; -0 is less than +0. In IEEE mode a signalling NaN is the result,
 * made quiet. f16 are wide here, and a signalling one still signals. Computed in integers, so that
 * loops can be vectorised. */
#define EXTREMES(T, S, U, SIGN, INF, QUIET)                                                        \
    LANE S order_##T(U bits)                                                                       \
    {                                                                                              \
        return (S)(bits ^ (U)((U)((S)bits >> (8 * sizeof(S) - 1)) & ~(SIGN)));                     \
    }                                                                                              \
    LANE T extreme_##T(U a, U b, U number, u32 mode)                                               \
    {                                                                                              \
        U signalling = (mode / AMDGPU_MODE_IEEE & 1) * (QUIET - 1); /* how many there are */       \
        U a_size = a & ~(SIGN), b_size = b & ~(SIGN);                                              \
        number = (S)b_size > (S)INF ? a : number;                                                  \
        number = (S)a_size > (S)INF ? b : number;                                                  \
        number = b_size - INF - 1 < signalling ? b | QUIET : number;                               \
        number = a_size - INF - 1 < signalling ? a | QUIET : number;                               \
        return T##_of(number);                                                                     \
    }                                                                                              \
    LANE T min_##T(T x, T y, u32 mode)                                                             \
    {                                                                                              \
        U a = bits_##T(x), b = bits_##T(y);                                                        \
        return extreme_##T(a, b, order_##T(a) < order_##T(b) ? a : b, mode);                       \
    }                                                                                              \
    LANE T max_##T(T x, T y, u32 mode)                                                             \
    {                                                                                              \
        U a = bits_##T(x), b = bits_##T(y);                                                        \
        return extreme_##T(a, b, order_##T(a) > order_##T(b) ? a : b, mode);                       \
    }
EXTREMES(f32, s32, u32, SIGN_F32, INF_F32, QUIET_F32)
EXTREMES(f64, s64, u64, SIGN_F64, INF_F64, QUIET_F64)
#undef EXTREMES

LANE f32 med3_f32(f32 a, f32 b, f32 c, u32 mode)
{
    f32 least = min_f32(min_f32(a, b, mode), c, mode);
    f32 between = max_f32(min_f32(a, b, mode), min_f32(max_f32(a, b, mode), c, mode), mode);
    bool none = (a != a) | (b != b) | (c != c);
    return none ? least : between;
}

/* ---- parts of numbers ------------------------------------------------------------------ */

/* The exponent and the fraction in [0.5, 1) of numbers, as of frexp. */
LANE s32 exponent_f64(f64 x)
{
    u64 bits = bits_f64(x) & ~SIGN_F64;
    bool subnormal = bits < 0x0010000000000000;
    u64 scaled = subnormal ? bits_f64(f64_of(bits) * 0x1p54) : bits;
    s32 exponent = (s32)(scaled >> 52) - 1022 - (subnormal ? 54 : 0);
    return bits == 0 || bits >= INF_F64 ? 0 : exponent;
}
LANE f64 fraction_f64(f64 x)
{
    u64 bits = bits_f64(x) & ~SIGN_F64;
    u64 scaled = bits < 0x0010000000000000 ? bits_f64(f64_of(bits) * 0x1p54) : bits;
    f64 result = f64_of((scaled & 0x000fffffffffffff) | 0x3fe0000000000000);
    return bits == 0 || bits >= INF_F64 ? x : with_sign_f64(result, bits_f64(x));
}
LANE f64 two_to(s32 exponent)
{
    return f64_of((u64)(u32)(exponent + 1023) << 52);
}
/* f32 and halves times a power of two, exact until they are rounded to their own size. */
LANE f64 scaled(f32 x, s32 exponent)
{
    s32 limited = exponent < -400 ? -400 : exponent > 400 ? 400 : exponent;
    return (f64)x * two_to(limited);
}
/* Rounded once: the first product is exact, and the last may be subnormal. */
LANE s32 within(s32 x, s32 low, s32 high)
{
    s32 least = x > low ? x : low;
    return least < high ? least : high;
}
LANE f64 scale_f64(f64 x, s32 exponent)
{
    s32 wanted = exponent_f64(x) - 1 + within(exponent, -5000, 5000);
    s32 first = within(wanted, -1022, 1023), rest = within(wanted - first, -100, 100);
    return fraction_f64(x) * 2 * two_to(first) * two_to(rest);
}

LANE f32 fract_f32(f32 x)
{
    f32 rest = x - __builtin_floorf(x);
    return rest >= 1 ? 0x1.fffffep-1f : rest;
}
LANE f64 fract_f64(f64 x)
{
    f64 rest = x - __builtin_floor(x);
    return rest >= 1 ? 0x1.fffffffffffffp-1 : rest;
}
LANE f32 fract_f16(f32 x)
{
    f32 rest = x - __builtin_floorf(x);
    return rest > 0x1.ffcp-1f ? 0x1.ffcp-1f : rest;
}

/* ---- classes ------------------------------------------------------------------------------ */

/* Bits: signalling NaN, quiet NaN, -inf, -normal, -subnormal, -0, +0, +subnormal, +normal,
 * +inf. */
LANE u32 class_of(bool nan, bool quiet, bool infinite, bool subnormal, bool zero, bool negative)
{
    u32 size = infinite ? 0 : zero ? 3 : subnormal ? 2 : 1;
    return nan ? (quiet ? 2 : 1) : negative ? 4u << size : 0x200u >> size;
}
LANE u32 class_f32(u32 x)
{
    u32 size = x & ~SIGN_F32;
    return class_of(size > INF_F32, x & QUIET_F32, size == INF_F32, size < 0x00800000, size == 0,
                    x >> 31);
}
LANE u32 class_f64(u64 x)
{
    u64 size = x & ~SIGN_F64;
    return class_of(size > INF_F64, (x & QUIET_F64) != 0, size == INF_F64,
                    size < 0x0010000000000000, size == 0, x >> 63);
}
LANE u32 class_f16(u32 x)
{
    u32 size = x & 0x7fff;
    return class_of(size > 0x7c00, x & 0x200, size == 0x7c00, size < 0x400, size == 0, x >> 15 & 1);
}

/* ---- to integers --------------------------------------------------------------------------- */

/* Rounds towards 0 and saturates; a NaN becomes 0. beyond: the maximum + 1. */
#define OF_FLOAT(T, C, F, low, high, beyond)                                                       \
    LANE T T##_of_##F(F x)                                                                         \
    {                                                                                              \
        T inside = (T)(C)(x >= (F)(low) && x < beyond ? x : (F)0);                                 \
        return x >= beyond ? (high) : x < (F)(low) ? (low) : inside;                               \
    }
OF_FLOAT(u8, s32, f32, 0, UINT8_MAX, 0x1p8f)
OF_FLOAT(u16, s32, f32, 0, UINT16_MAX, 0x1p16f)
OF_FLOAT(s16, s32, f32, INT16_MIN, INT16_MAX, 0x1p15f)
OF_FLOAT(u32, u32, f32, 0, UINT32_MAX, 0x1p32f)
OF_FLOAT(s32, s32, f32, INT32_MIN, INT32_MAX, 0x1p31f)
OF_FLOAT(u32, u32, f64, 0, UINT32_MAX, 0x1p32)
OF_FLOAT(s32, s32, f64, INT32_MIN, INT32_MAX, 0x1p31)
#undef OF_FLOAT
/* The fraction of a negative number above -1 is lost, not saturated. */
LANE s16 norm_s16(f32 x)
{
    f32 limited = x > 1 ? 1.0f : x < -1 ? -1.0f : x;
    return s16_of_f32(__builtin_rintf(limited * 32767.0f));
}
LANE u16 norm_u16(f32 x)
{
    f32 limited = x > 1 ? 1.0f : x < 0 ? 0.0f : x;
    return u16_of_f32(__builtin_rintf(limited * 65535.0f));
}

/* ---- approximations ------------------------------------------------------------------------- */

/* The sine of an angle in turns, with a quarter turn added for the cosine. Infinities give NaN. */
LANE f64 sine(f64 turns, bool of_cosine)
{
    f64 within = turns - __builtin_rint(turns);
    f64 angle = of_cosine ? size_f64(within) + 0.25 : within;
    f64 result = sine_of_turns(angle);
    return result == 0 ? with_sign_f64(result, of_cosine ? 0 : bits_f64(turns)) : result;
}
LANE f64 power(f32 x)
{
    f64 limited = x < -1000 ? -1000 : x > 1000 ? 1000 : x == x ? (f64)x : 0;
    return x == x ? power_of_two(limited) : (f64)x;
}
LANE f64 logarithm(f32 x)
{
    f64 result = binary_logarithm((f64)x);
    result = x == 0 ? -(f64)__builtin_inff() : x < 0 ? f64_of(NAN_F64) : result;
    return x == x && x < __builtin_inff() ? result : (f64)x;
}

/* Bits of 2 / pi after the point. */
static const u64 two_over_pi[] = {
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000,
    0,
    0,
};
/* 53 bits of it, which are those that matter for an angle with that exponent; segments count from
 * the highest. */
LANE f64 trig_preop(f64 x, u32 segment)
{
    s32 exponent = (s32)(bits_f64(x) >> 52 & 0x7ff);
    s32 shift = (s32)(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    u32 at = (u32)(shift < 1216 ? shift : 1216), word = at / 64, bit = at % 64;
    u64 bits = two_over_pi[word] << bit;
    bits |= bit ? two_over_pi[word + 1] >> (64 - bit) : 0;
    return scale_f64((f64)(bits >> 11), -53 - shift + (exponent >= 1968 ? 128 : 0));
}

/* ---- division -------------------------------------------------------------------------------- */

/* Quotients are computed by Newton's method, between these instructions: v_div_scale scales the
 * numerator (c) or the denominator (b), whichever a is, so that nothing overflows or loses digits,
 * and says whether v_div_fmas has to undo that before it rounds; v_div_fixup handles infinities,
 * NaNs and zeros. */
LANE s32 biased_f32(f32 x)
{
    return (s32)(bits_f32(x) >> 23 & 0xff);
}
LANE s32 biased_f64(f64 x)
{
    return (s32)(bits_f64(x) >> 52 & 0x7ff);
}
#define DIVISION(T, U, BIG, BITS, HALF_RANGE, TINY, NONE, MAX, SCALE, LAST)                        \
    LANE bool subnormal_##T(T x)                                                                   \
    {                                                                                              \
        return biased_##T(x) == 0 && x != 0;                                                       \
    }                                                                                              \
    LANE T div_scale_##T(T a, T b, T c, bool *out_undo)                                            \
    {                                                                                              \
        bool is_b = bits_##T(a) == bits_##T(b), is_c = bits_##T(a) == bits_##T(c);                 \
        bool inverse = subnormal_##T((T)1 / b), quotient = biased_##T(c / b) == 0;                 \
        bool zero = (b == 0) | (c == 0);                                                           \
        bool far = biased_##T(c) - biased_##T(b) >= BIG;                                           \
        bool small = subnormal_##T(b), tiny = biased_##T(c) <= TINY;                               \
        T up = a * (T)(SCALE), down = a * (T)(1 / (SCALE)), d = tiny ? up : a;                     \
        d = quotient ? (is_c ? up : a) : d;                                                        \
        d = inverse ? (quotient ? (is_b ? down : a) : down) : d;                                   \
        d = small ? up : d;                                                                        \
        d = far ? (is_b ? up : a) : d;                                                             \
        *out_undo = !zero && (far || (!small && quotient));                                        \
        return zero ? T##_of((U)NAN_##BITS) : d;                                                   \
    }                                                                                              \
    LANE T div_fmas_##T(T a, T b, T c, bool undo)                                                  \
    {                                                                                              \
        T d = fma_##T(a, b, c), rest = fma_##T(a, b, c - d);                                       \
        T up = d * (T)(SCALE), down = d * (T)(1 / (SCALE)), lost = d - down * (T)(SCALE);          \
        T half = (T)(LAST) * (T)(SCALE) / 2; /* of the last digit of a subnormal */                \
        down += ((lost == half) & (rest > 0))    ? (T)(LAST)                                       \
                : ((lost == -half) & (rest < 0)) ? -(T)(LAST)                                      \
                                                 : (T)0;                                           \
        return undo ? (biased_##T(c) > HALF_RANGE ? up : down) : d;                                \
    }                                                                                              \
    LANE T div_fixup_##T(T a, T b, T c)                                                            \
    {                                                                                              \
        U sign = bits_##T(b) ^ bits_##T(c);                                                        \
        T infinity = T##_of(INF_##BITS);                                                           \
        bool b_infinite = size_##T(b) == infinity, c_infinite = size_##T(c) == infinity;           \
        T d = a != a ? infinity : a;                                                               \
        d = biased_##T(b) == MAX ? infinity : d;                                                   \
        d = biased_##T(c) - biased_##T(b) < NONE ? (T)0 : d;                                       \
        d = (b_infinite | (c == 0)) ? (T)0 : d;                                                    \
        d = ((b == 0) | c_infinite) ? infinity : d;                                                \
        d = with_sign_##T(d, sign);                                                                \
        bool none = ((b == 0) & (c == 0)) | (b_infinite & c_infinite);                             \
        d = none ? T##_of((U)NAN_##BITS | SIGN_##BITS) : d;                                        \
        d = b != b ? quiet_##T(b) : d;                                                             \
        return c != c ? quiet_##T(c) : d;                                                          \
    }
DIVISION(f32, u32, 96, F32, 127, 23, -150, 255, 0x1p64f, 0x1p-149f)
DIVISION(f64, u64, 768, F64, 1023, 53, -1075, 2047, 0x1p128, 0x1p-1074)
#undef DIVISION
/* f16 values are wide here: underflow is detected when they are rounded. */
LANE f32 div_fixup_f16(f32 a, f32 b, f32 c)
{
    return div_fixup_f32(a, b, c);
}

/* ---- faces of cubes ----------------------------------------------------------------------- */

/* 0: x is the longest axis, 1: y, 2: z. */
LANE u32 longest(f32 x, f32 y, f32 z)
{
    f32 a = size_f32(x), b = size_f32(y), c = size_f32(z);
    return c >= a && c >= b ? 2 : b >= a ? 1 : 0;
}

#endif
