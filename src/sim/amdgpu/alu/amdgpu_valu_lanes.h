/* Values of one lane, and the forms of rows of amdgpu_valu.def. Included by amdgpu_valu.c
 * only, compiled once per instruction set of the host; everything is static. */
#ifndef AMDGPU_VALU_LANES_H
#define AMDGPU_VALU_LANES_H

#include "amdgpu_valu.h"

#include "sim_lane.h"

typedef float f16;  /* wide, and rounded when it is stored */
typedef float bf16; /* likewise */
typedef bool mask;
typedef uint32_t pk16, pkf16, pkbf16; /* two, with modifiers of each */

/* ---- halves ---------------------------------------------------------------------------- */

LANE f32 widen_f16(u32 x)
{
    return sim_widen_half(x);
}

LANE u32 near_f16(f32 x)
{
    return sim_narrow_half(x);
}

/* Rounded as a field of the mode says: 0 nearest, 1 up, 2 down, 3 towards 0. */
LANE u32 narrow_f16(f32 x, u32 round)
{
    if (round == 0)
        return near_f16(x);
    u32 bits = bits_f32(x), size = bits & INT32_MAX, negative = bits >> 31;
    u32 exponent = size >> 23, digits = (size & 0x7fffff) | (exponent ? 0x800000u : 0);
    u32 excess = exponent < 113 ? 126 - (exponent ? exponent : 1) : 13;
    excess = excess < 25 ? excess : 25;
    bool outwards = round == (negative ? 2u : 1u);
    u32 base = exponent < 113 ? 0 : (exponent - 113) << 10;
    u32 result = base + ((digits + (outwards ? (1u << excess) - 1 : 0)) >> excess);
    u32 largest = outwards ? 0x7c00u : 0x7bffu;
    result = size == 0x7f800000u ? 0x7c00u : result > largest ? largest : result;
    u32 nan = 0x7e00u | (size >> 13 & 0x3ff);
    return (size > 0x7f800000u ? nan : result) | negative << 15;
}

/* Cut off: a subnormal counts 2^-24. */
LANE u32 cut_f16(f32 x)
{
    u32 bits = bits_f32(x), size = bits & INT32_MAX;
    u32 subnormal = (u32)(s32)(f32_of(size < 0x38800000u ? size : 0) * 0x1p24f);
    u32 normal = size >= 0x47800000u ? 0x7bffu : (size - (112u << 23)) >> 13;
    u32 nan = 0x7e00u | (size >> 13 & 0x3ff);
    u32 result = size < 0x38800000u ? subnormal : size == 0x7f800000u ? 0x7c00u : normal;
    return (size > 0x7f800000u ? nan : result) | (bits >> 16 & 0x8000u);
}

/* To f32, the inexact ones odd, from which rounding again is always exact. */
LANE f32 odd_f32(f64 x)
{
    return sim_odd_float(x);
}

LANE f32 widen_bf16(u32 x)
{
    return sim_widen_bfloat(x);
}
LANE u32 near_bf16(f32 x)
{
    return sim_narrow_bfloat(x);
}

/* ---- loading and storing --------------------------------------------------------------- */

#define LOADS(T, value)                                                                            \
    LANE T load_##T(const u32 *s, unsigned i, unsigned n)                                          \
    {                                                                                              \
        (void)n;                                                                                   \
        return value;                                                                              \
    }
LOADS(u32, s[i])
LOADS(b32, s[i])
LOADS(pk16, s[i])
LOADS(pkf16, s[i])
LOADS(pkbf16, s[i])
LOADS(s32, (s32)s[i])
LOADS(f32, f32_of(s[i]))
LOADS(u16, (u16)s[i])
LOADS(b16, (u16)s[i])
LOADS(s16, (s16)s[i])
LOADS(f16, widen_f16(s[i] & 0xffff))
LOADS(bf16, widen_bf16(s[i]))
LOADS(u64, s[i] | (u64)(s + n)[i] << 32)
LOADS(b64, s[i] | (u64)(s + n)[i] << 32)
LOADS(s64, (s64)(s[i] | (u64)(s + n)[i] << 32))
LOADS(f64, f64_of(s[i] | (u64)(s + n)[i] << 32))
LOADS(mask, s[i] != 0)
#undef LOADS

#define STORES(T, value)                                                                           \
    LANE void store_##T(u32 *d, unsigned i, unsigned n, u32 round, T x)                            \
    {                                                                                              \
        (void)n, (void)round;                                                                      \
        d[i] = value;                                                                              \
    }
STORES(u32, x)
STORES(b32, x)
STORES(pk16, x)
STORES(s32, (u32)x)
STORES(f32, bits_f32(x))
STORES(u16, x)
STORES(b16, x)
STORES(s16, (u16)x)
STORES(f16, narrow_f16(x, round))
STORES(bf16, near_bf16(x))
STORES(mask, x ? UINT32_MAX : 0)
#undef STORES
#define STORES64(T, bits)                                                                          \
    LANE void store_##T(u32 *d, unsigned i, unsigned n, u32 round, T x)                            \
    {                                                                                              \
        (void)round;                                                                               \
        u64 wide = bits;                                                                           \
        d[i] = (u32)wide;                                                                          \
        (d + n)[i] = (u32)(wide >> 32);                                                            \
    }
STORES64(u64, x)
STORES64(b64, x)
STORES64(s64, (u64)x)
STORES64(f64, bits_f64(x))
#undef STORES64

/* ---- forms ----------------------------------------------------------------------------- */

#define OPEN const u32 *const in[4] = {l->s[0], l->s[1], l->s[2], l->s[3]};
#define TAKE(T, name, k)                                                                           \
    T name = load_##T(in[k], i, n);                                                                \
    (void)name;
#define TAKE1(A)          TAKE(A, a, 0)
#define TAKE2(A, B)       TAKE1(A) TAKE(B, b, 1)
#define TAKE3(A, B, C)    TAKE2(A, B) TAKE(C, c, 2)
#define TAKE4(A, B, C, E) TAKE3(A, B, C) TAKE(E, e, 3)

/* An effect: the body for count lanes, of which the wave's lane first is the first. Registers of
 * one value are n lanes apart; round: how halves are rounded. WHOLE, and ROUNDED, of halves, are
 * what the file that includes this makes of it, by the name NAME. */
#define DEFINE(id, ...)                                                                            \
    LANE void NAME(id, any)(const struct amdgpu_lanes *l, const unsigned first,                    \
                            const unsigned count, const unsigned n, const u32 round)               \
    {                                                                                              \
        const u32 mode = l->mode;                                                                  \
        (void)mode, (void)round, (void)first, (void)n;                                             \
        __VA_ARGS__                                                                                \
    }

#define EACH(D, take, ...)                                                                         \
    OPEN u32 *const out = l->d;                                                                    \
    INDEPENDENT for (unsigned i = 0; i < count; ++i)                                               \
    {                                                                                              \
        take D d;                                                                                  \
        __VA_ARGS__;                                                                               \
        store_##D(out, i, n, round, d);                                                            \
    }

#define LANES1(id, D, A, ...)          WHOLE(id, EACH(D, TAKE1(A), __VA_ARGS__))
#define LANES2(id, D, A, B, ...)       WHOLE(id, EACH(D, TAKE2(A, B), __VA_ARGS__))
#define LANES3(id, D, A, B, C, ...)    WHOLE(id, EACH(D, TAKE3(A, B, C), __VA_ARGS__))
#define LANES4(id, D, A, B, C, E, ...) WHOLE(id, EACH(D, TAKE4(A, B, C, E), __VA_ARGS__))
#define NEAR1(id, D, A, ...)           LANES1(id, D, A, __VA_ARGS__)
#define NEAR2(id, D, A, B, ...)        LANES2(id, D, A, B, __VA_ARGS__)
#define HALF1(id, A, ...)              ROUNDED(id, EACH(f16, TAKE1(A), __VA_ARGS__))
#define HALF2(id, A, B, ...)           ROUNDED(id, EACH(f16, TAKE2(A, B), __VA_ARGS__))
#define HALF3(id, A, B, C, ...)        ROUNDED(id, EACH(f16, TAKE3(A, B, C), __VA_ARGS__))
#define MIX32(id, ...)                 WHOLE(id, EACH(f32, TAKE3(f32, f32, f32), __VA_ARGS__))
#define MIX16(id, ...)                 ROUNDED(id, EACH(f16, TAKE3(f32, f32, f32), __VA_ARGS__))

/* Two results: registers, and a mask. */
#define EACH_OUT(D, take, ...)                                                                     \
    OPEN u32 *const out = l->d, *const outs = l->d1;                                               \
    INDEPENDENT for (unsigned i = 0; i < count; ++i)                                               \
    {                                                                                              \
        take D d;                                                                                  \
        bool carry;                                                                                \
        __VA_ARGS__;                                                                               \
        store_##D(out, i, n, round, d);                                                            \
        outs[i] = carry ? UINT32_MAX : 0;                                                          \
    }
#define CARRY2(id, D, A, B, ...)    WHOLE(id, EACH_OUT(D, TAKE2(A, B), __VA_ARGS__))
#define CARRY3(id, D, A, B, C, ...) WHOLE(id, EACH_OUT(D, TAKE3(A, B, C), __VA_ARGS__))

#define TEST2(id, A, B, ...)        WHOLE(id, EACH(mask, TAKE2(A, B), __VA_ARGS__))

/* Pairs of 16 bits in each lane, as twice as many lanes. */
typedef u16 half_of_pair __attribute__((may_alias));
#define load_pair_u16(s, j) ((u16)(s)[j])
#define load_pair_s16(s, j) ((s16)(s)[j])
#define load_pair_f16(s, j) widen_f16((s)[j])
#define store_pair_u16(x)   ((u16)(x))
#define store_pair_s16(x)   ((u16)(x))
#define store_pair_f16(x)   ((u16)narrow_f16(x, round))
#define TAKE_PAIR(T, name, k)                                                                      \
    T name = load_pair_##T((const half_of_pair *)in[k], j);                                        \
    (void)name;
#define EACH_PAIR(T, take, ...)                                                                    \
    OPEN half_of_pair *const out = (half_of_pair *)l->d;                                           \
    INDEPENDENT for (unsigned j = 0; j < 2 * count; ++j)                                           \
    {                                                                                              \
        take T d;                                                                                  \
        __VA_ARGS__;                                                                               \
        out[j] = store_pair_##T(d);                                                                \
    }
#define TAKE_PAIR2(T)      TAKE_PAIR(T, a, 0) TAKE_PAIR(T, b, 1)
#define TAKE_PAIR3(T)      TAKE_PAIR2(T) TAKE_PAIR(T, c, 2)
#define PAIRS2(id, T, ...) WHOLE(id, EACH_PAIR(T, TAKE_PAIR2(T), __VA_ARGS__))
#define PAIRS3(id, T, ...) WHOLE(id, EACH_PAIR(T, TAKE_PAIR3(T), __VA_ARGS__))
#define HALVES2(id, ...)   ROUNDED(id, EACH_PAIR(f16, TAKE_PAIR2(f16), __VA_ARGS__))
#define HALVES3(id, ...)   ROUNDED(id, EACH_PAIR(f16, TAKE_PAIR3(f16), __VA_ARGS__))

/* Pairs of f32: both are read before either is written, as sources may lie one register
 * beside the result. There is no loop over the two, within which the host's compiler would look for
 * vectors. */
#define TAKE_FLOAT(name, k, h) f32 name = f32_of((in[k] + (h)*n)[i]);
#define TAKE_FLOATS2(h)        TAKE_FLOAT(a, 0, h) TAKE_FLOAT(b, 1, h)
#define TAKE_FLOATS3(h)        TAKE_FLOATS2(h) TAKE_FLOAT(c, 2, h)
#define ONE_FLOAT(result, take, ...)                                                               \
    f32 result;                                                                                    \
    {                                                                                              \
        take f32 d;                                                                                \
        __VA_ARGS__;                                                                               \
        result = d;                                                                                \
    }
#define EACH_FLOATS(take, ...)                                                                     \
    OPEN u32 *const out = l->d;                                                                    \
    INDEPENDENT for (unsigned i = 0; i < count; ++i)                                               \
    {                                                                                              \
        ONE_FLOAT(low, take(0), __VA_ARGS__)                                                       \
        ONE_FLOAT(high, take(1), __VA_ARGS__)                                                      \
        out[i] = bits_f32(low);                                                                    \
        (out + n)[i] = bits_f32(high);                                                             \
    }
#define FLOATS2(id, ...) WHOLE(id, EACH_FLOATS(TAKE_FLOATS2, __VA_ARGS__))
#define FLOATS3(id, ...) WHOLE(id, EACH_FLOATS(TAKE_FLOATS3, __VA_ARGS__))

/* Any other form: types for the table, and a body. */
#define RAW(id, D, flags, count, A, B, C, ...) WHOLE(id, __VA_ARGS__)

#endif
