/* f16, bf16, tf32 and 8-bit floats on one lane. Included by ptx_alu.c only.
 *
 * They are computed as f32 or wider: sums, differences, products and roots of f32 are precise
 * enough that a second rounding does no harm; other results are first rounded to odd (inexact ones
 * get an odd last bit), after which a second rounding is always correct. */
#ifndef PTX_ALU_HALF_H
#define PTX_ALU_HALF_H

#include "ptx_alu_float.h"

#define NAN_HALF      0x7fffu
#define OUT_OF_BOUNDS 0x7ff7u /* .oob ignores this value, of either sign */

/* ---- to f32 ------------------------------------------------------------------------ */

LANE f32 widen_f16(f16 x)
{
    return sim_widen_half(x);
}
LANE f32 widen_bf16(bf16 x)
{
    return sim_widen_bfloat(x);
}
LANE f32 widen_e5m2(u32 x)
{
    return widen_f16((u16)(x << 8));
}
LANE f32 widen_e4m3(u32 x)
{
    u32 size = x & 0x7f, sign = (x & 0x80) << 24;
    u32 bits = size < 8 ? bits_f32((f32)(s32)size * 0x1p-9f) : (size << 20) + (120u << 23);
    return f32_of(size == 0x7f ? NAN_F32 : bits | sign);
}

/* The types in which halves are compared. */
typedef float f16w, bf16w;
typedef slot_f16 slot_f16w;
typedef slot_bf16 slot_bf16w;
SOURCE(f16w)
SOURCE(bf16w)
LANE f32 load_f16w(source_f16w source, unsigned lane)
{
    return widen_f16(source[lane]);
}
LANE f32 load_bf16w(source_bf16w source, unsigned lane)
{
    return widen_bf16(source[lane]);
}
LANE f32 flush_f16w(f32 x, u64 mods)
{
    f32 size = f32_of(bits_f32(x) & ~SIGN_F32);
    return mods & PTX_MOD_FTZ && size < 0x1p-14f ? f32_of(bits_f32(x) & SIGN_F32) : x;
}
LANE f32 flush_bf16w(f32 x, u64 mods)
{
    (void)mods;
    return x;
}
LANE u32 relation_f16(f16 a, f16 b, u64 mods)
{
    return relation_float(flush_f16w(widen_f16(a), mods), flush_f16w(widen_f16(b), mods));
}
LANE u32 relation_bf16(bf16 a, bf16 b, u64 mods)
{
    (void)mods;
    return relation_float(widen_bf16(a), widen_bf16(b));
}

/* ---- to f32, inexact ones odd ---------------------------------------------------------- */

LANE f32 odd_f32_of_f64(f64 x)
{
    return sim_odd_float(x);
}

#define ODD_OF_SMALL(T)                                                                            \
    LANE f32 odd_f32_of_##T(T x)                                                                   \
    {                                                                                              \
        return (f32)x;                                                                             \
    }
ODD_OF_SMALL(u8)
ODD_OF_SMALL(s8)
ODD_OF_SMALL(u16)
ODD_OF_SMALL(s16)
#undef ODD_OF_SMALL
LANE f32 odd_f32_of_u64(u64 x)
{
    u32 excess = x >> 24 ? 40 - (u32)__builtin_clzll(x) : 0;
    u64 kept = x >> excess, lost = x & (((u64)1 << excess) - 1);
    return (f32)(s32)(kept | (lost != 0)) * f32_of((127 + excess) << 23);
}
LANE f32 odd_f32_of_s64(s64 x)
{
    return x < 0 ? -odd_f32_of_u64(0 - (u64)x) : odd_f32_of_u64((u64)x);
}
LANE f32 odd_f32_of_u32(u32 x)
{
    return odd_f32_of_f64(x);
}
LANE f32 odd_f32_of_s32(s32 x)
{
    return odd_f32_of_f64(x);
}

LANE f32 fma_odd_f16(f32 a, f32 b, f32 c)
{
    return sim_odd_fma_half(a, b, c);
}
LANE f32 fma_odd_bf16(f32 a, f32 b, f32 c)
{
    f64 product = (f64)a * (f64)b, sum = product + (f64)c;
    f64 part = sum - product, error = (product - (sum - part)) + ((f64)c - part);
    u64 bits = bits_f64(sum), out = bits + 1, in = bits - 1;
    bool outwards = (error > 0) == (sum > 0), exact = !(error < 0 || error > 0);
    return odd_f32_of_f64(f64_of(exact || bits & 1 ? bits : outwards ? out : in));
}

/* ---- from f32 ------------------------------------------------------------------------- */

/* The absolute value of an f32, rounded to a number of mantissa bits, in the encoding of a format
 * with that bias; it may be beyond the largest number. */
LANE u32 shrink(u32 size, bool negative, u64 mods, unsigned mantissa, s32 bias)
{
    s32 exponent = (s32)(size >> 23);
    u32 digits = (size & 0x7fffff) | (exponent ? 0x800000u : 0);
    s32 target = (exponent ? exponent : 1) - 127 + bias;
    s32 excess = 23 - (s32)mantissa + (target < 1 ? 1 - target : 0);
    u32 shift = (u32)(excess < 25 ? excess : 25);
    u32 last = 1u << (shift & 31);
    u32 nearest = mods & PTX_MOD_RNA ? last / 2 : last / 2 - 1 + (digits >> (shift & 31) & 1);
    u32 up = mods & PTX_MOD_RZ   ? 0
             : mods & PTX_MOD_RM ? (negative ? last - 1 : 0)
             : mods & PTX_MOD_RP ? (negative ? 0 : last - 1)
                                 : nearest;
    u32 base = target < 1 ? 0 : (u32)(target - 1) << mantissa;
    return base + ((digits + up) >> (shift & 31));
}

/* x rounded according to mods, in a format whose infinity follows its largest number; nan: its
 * NaN. */
LANE u32 narrow(f32 x, u64 mods, unsigned mantissa, s32 bias, u32 infinity, u32 sign, u32 nan)
{
    u32 bits = bits_f32(x), size = bits & ~SIGN_F32;
    bool negative = bits >> 31;
    bool inwards = mods & PTX_MOD_RZ   ? true
                   : mods & PTX_MOD_RM ? !negative
                   : mods & PTX_MOD_RP ? negative
                                       : false;
    u32 result = shrink(size, negative, mods, mantissa, bias);
    u32 largest = size < INF_F32 && inwards ? infinity - 1 : infinity;
    largest = mods & PTX_MOD_SATFINITE ? infinity - 1 : largest;
    result = result > largest || size == INF_F32 ? largest : result;
    result |= negative ? sign : 0;
    result = mods & PTX_MOD_RELU && negative ? 0 : result;
    return size > INF_F32 ? nan : result;
}

LANE u16 narrow_f16(f32 x, u64 mods)
{
    return (u16)narrow(x, mods, 10, 15, 0x7c00, 0x8000, NAN_HALF);
}
/* From f64, whose NaNs keep their upper digits. */
LANE u16 narrow_nan_f64(f64 x, unsigned mantissa, u32 infinity)
{
    u64 bits = bits_f64(x) | QUIET_F64;
    u32 digits = (u32)(bits >> (52 - mantissa)) & ((1u << mantissa) - 1);
    return (u16)((u32)(bits >> 63) << 15 | infinity | digits);
}
LANE u16 narrow_bf16(f32 x, u64 mods)
{
    return (u16)narrow(x, mods, 7, 127, 0x7f80, 0x8000, NAN_HALF);
}
LANE u32 narrow_tf32(f32 x, u64 mods)
{
    u32 result = narrow(x, mods, 10, 127, 0x3fc00, 0x40000, 0x3ffff) << 13;
    u32 cut = bits_f32(x) & ~0x1fffu;
    cut -= mods & PTX_MOD_SATFINITE ? 0x2000 : 0; /* the NaN counts as an infinity */
    return mods & PTX_MOD_RNA && x != x ? cut : result;
}
/* Without infinities: always .satfinite. */
LANE u32 narrow_e4m3(f32 x, u64 mods)
{
    return narrow(x, mods | PTX_MOD_SATFINITE, 3, 7, 0x7f, 0x80, 0x7f);
}
LANE u32 narrow_e5m2(f32 x, u64 mods)
{
    return narrow(x, mods | PTX_MOD_SATFINITE, 2, 15, 0x7c, 0x80, 0x7f);
}

/* ---- arithmetic ----------------------------------------------------------------------- */

LANE f16 flush_f16(f16 x, u64 mods)
{
    return mods & PTX_MOD_FTZ && !(x & 0x7c00) ? (f16)(x & 0x8000) : x;
}
/* .ftz flushes results that would not round to a normal number with the precision of one. */
LANE f16 finish_f16(f32 x, u64 mods)
{
    f32 size = f32_of(bits_f32(x) & ~SIGN_F32);
    f32 flushed = size < 0x1.ffep-15f ? f32_of(bits_f32(x) & SIGN_F32) : x;
    return narrow_f16(saturate_f32(mods & PTX_MOD_FTZ ? flushed : x, mods), mods);
}

/* Many at once, as rows without modifiers do: what widen_f16 and finish_f16 do, except that NaNs
 * become quiet on the way. count: a multiple of 16. */
LANE void widen_halves(f32 *to, const slot_f16 *from, unsigned count)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < count; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from + i))));
#elif defined(__F16C__)
    for (unsigned i = 0; i < count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#else
    INDEPENDENT for (unsigned i = 0; i < count; ++i) to[i] = widen_f16(from[i]);
#endif
}
/* The host's conversion keeps the digits of a NaN, of which this one has all. */
LANE f32 with_nan_half(f32 x)
{
    return x == x ? x : f32_of(~SIGN_F32);
}
LANE void narrow_halves(slot_f16 *to, const f32 *from, unsigned count)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < count; i += 16)
        _mm256_storeu_si256((void *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), 0));
#elif defined(__F16C__)
    for (unsigned i = 0; i < count; i += 8)
        _mm_storeu_si128((void *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
#else
    INDEPENDENT for (unsigned i = 0; i < count; ++i) to[i] = narrow_f16(from[i], 0);
#endif
}
LANE bf16 finish_bf16(f32 x, u64 mods)
{
    return narrow_bf16(x, mods);
}

#define SIGNS(T, infinity)                                                                         \
    LANE T negative_##T(T x)                                                                       \
    {                                                                                              \
        return (x & 0x7fff) > infinity ? NAN_HALF : (T)(x ^ 0x8000);                               \
    }                                                                                              \
    LANE T absolute_##T(T x)                                                                       \
    {                                                                                              \
        return (x & 0x7fff) > infinity ? NAN_HALF : (T)(x & 0x7fff);                               \
    }
SIGNS(f16, 0x7c00)
SIGNS(bf16, 0x7f80)
#undef SIGNS

LANE bf16 flush_bf16(bf16 x, u64 mods)
{
    (void)mods;
    return x;
}
LANE s16 order_half(u16 x)
{
    return (s16)(x ^ ((s16)x >> 15 & INT16_MAX));
}
LANE u16 extreme_half(u16 a, u16 b, u16 number, u16 infinity, u64 mods)
{
    bool lost = (a & INT16_MAX) > infinity, other = (b & INT16_MAX) > infinity;
    bool strict = mods & PTX_MOD_NAN;
    number = other ? a : number;
    number = lost ? b : number;
    return (strict & (lost | other)) | (lost & other) ? NAN_HALF : number;
}
#define EXTREME(T, infinity)                                                                       \
    LANE T minimum_##T(T a, T b, u64 mods)                                                         \
    {                                                                                              \
        a = flush_##T(a, mods);                                                                    \
        b = flush_##T(b, mods);                                                                    \
        return extreme_half(a, b, order_half(a) < order_half(b) ? a : b, infinity, mods);          \
    }                                                                                              \
    LANE T maximum_##T(T a, T b, u64 mods)                                                         \
    {                                                                                              \
        a = flush_##T(a, mods);                                                                    \
        b = flush_##T(b, mods);                                                                    \
        return extreme_half(a, b, order_half(a) > order_half(b) ? a : b, infinity, mods);          \
    }
EXTREME(f16, 0x7c00)
EXTREME(bf16, 0x7f80)
#undef EXTREME
LANE u16 with_xorsign_half(u16 a, u16 b, u16 x)
{
    return x == NAN_HALF ? x : (u16)(x | ((a ^ b) & 0x8000));
}

#endif
