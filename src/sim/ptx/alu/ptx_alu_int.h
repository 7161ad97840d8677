/* Integer arithmetic on one lane. Included by ptx_alu.c only. */
#ifndef PTX_ALU_INT_H
#define PTX_ALU_INT_H

#include "ptx_alu_lanes.h"

/* ---- limits: values of s64 into the range of a type --------------------------- */

#define LIMIT(T, low, high)                                                                        \
    LANE T limit_##T(s64 x)                                                                        \
    {                                                                                              \
        return (T)(x < (low) ? (low) : x > (high) ? (high) : x);                                   \
    }
LIMIT(u8, 0, UINT8_MAX)
LIMIT(s8, INT8_MIN, INT8_MAX)
LIMIT(u16, 0, UINT16_MAX)
LIMIT(s16, INT16_MIN, INT16_MAX)
LIMIT(u32, 0, (s64)UINT32_MAX)
LIMIT(s32, INT32_MIN, INT32_MAX)
#undef LIMIT
LANE s64 limit_s64(s64 x)
{
    return x;
}
LANE u64 limit_u64(s64 x)
{
    return x < 0 ? 0 : (u64)x;
}

/* As s64; only values of u64 may be out of its range. */
#define WIDE(T)                                                                                    \
    LANE s64 wide_##T(T x)                                                                         \
    {                                                                                              \
        return x;                                                                                  \
    }                                                                                              \
    LANE bool below_zero_##T(T x)                                                                  \
    {                                                                                              \
        return wide_##T(x) < 0;                                                                    \
    }
WIDE(u8)
WIDE(s8)
WIDE(u16)
WIDE(s16)
WIDE(u32)
WIDE(s32)
WIDE(s64)
#undef WIDE
LANE s64 wide_u64(u64 x)
{
    return x > INT64_MAX ? INT64_MAX : (s64)x;
}
LANE bool below_zero_u64(u64 x)
{
    (void)x;
    return false;
}

/* x, limited to low and high, in a field of that many bits. */
LANE u32 clamp_field(s32 x, s32 low, s32 high, unsigned bits)
{
    return (u32)(x < low ? low : x > high ? high : x) & ((1u << bits) - 1);
}

/* ---- products and carries -------------------------------------------------------- */

LANE u16 high_u16(u16 a, u16 b)
{
    return (u16)((u32)a * b >> 16);
}
LANE s16 high_s16(s16 a, s16 b)
{
    return (s16)(a * b >> 16);
}
LANE u32 high_u32(u32 a, u32 b)
{
    return (u32)((u64)a * b >> 32);
}
LANE s32 high_s32(s32 a, s32 b)
{
    return (s32)((s64)a * b >> 32);
}
LANE u64 high_u64(u64 a, u64 b)
{
    return (u64)((unsigned __int128)a * b >> 64);
}
LANE s64 high_s64(s64 a, s64 b)
{
    return (s64)((__int128)a * b >> 64);
}

LANE u64 product24_u32(u32 a, u32 b)
{
    return (u64)(a & 0xffffff) * (b & 0xffffff);
}
LANE s64 product24_s32(s32 a, s32 b)
{
    return (s64)((s32)((u32)a << 8) >> 8) * ((s32)((u32)b << 8) >> 8);
}

#define ADD_CARRY(T, U)                                                                            \
    LANE U add_carry_##T(U a, T b, U in, bool *out)                                                \
    {                                                                                              \
        U sum = a + (U)b, d = sum + in;                                                            \
        *out = sum < a || d < sum;                                                                 \
        return d;                                                                                  \
    }
ADD_CARRY(u32, u32)
ADD_CARRY(s32, u32)
ADD_CARRY(u64, u64)
ADD_CARRY(s64, u64)
#undef ADD_CARRY

/* ---- division ----------------------------------------------------------------------- */

/* Division by zero: all ones, the remainder too. A quotient computed in f64 is exact for 32 bits,
 * since it is closer to the true one than any other integer can be; the same is true of f32 and 16
 * bits. Integers are converted to f64 and back through the bits of its mantissa, which, unlike
 * conversion instructions, is fast for all types. */
LANE f64 f64_of_u32(u32 x)
{
    union {
        u64 bits;
        f64 value;
    } sum = {.bits = UINT64_C(0x4330000000000000) | x};
    return sum.value - 0x1p52;
}
LANE u32 low_of_f64(f64 x)
{
    union {
        f64 value;
        u64 bits;
    } sum = {.value = trunc(x) + 0x1.8p52};
    return (u32)sum.bits;
}
LANE u32 divide_u32(u32 a, u32 b)
{
    u32 quotient = low_of_f64(f64_of_u32(a) / f64_of_u32(b ? b : 1));
    return b ? quotient : UINT32_MAX;
}
LANE s32 divide_s32(s32 a, s32 b)
{
    s32 quotient = (s32)low_of_f64((f64)a / (f64)(b ? b : 1));
    return b ? quotient : -1;
}
LANE u32 remainder_u32(u32 a, u32 b)
{
    u32 rest = a - divide_u32(a, b) * b;
    return b ? rest : UINT32_MAX;
}
LANE s32 remainder_s32(s32 a, s32 b)
{
    u32 rest = (u32)a - (u32)divide_s32(a, b) * (u32)b;
    return b ? (s32)rest : -1;
}
LANE u16 divide_u16(u16 a, u16 b)
{
    s32 quotient = (s32)((f32)a / (f32)(b ? b : 1));
    return b ? (u16)quotient : UINT16_MAX;
}
LANE s16 divide_s16(s16 a, s16 b)
{
    s32 quotient = (s32)((f32)a / (f32)(b ? b : 1));
    return b ? (s16)quotient : -1;
}
LANE u16 remainder_u16(u16 a, u16 b)
{
    return b ? (u16)(a - divide_u16(a, b) * b) : UINT16_MAX;
}
LANE s16 remainder_s16(s16 a, s16 b)
{
    return b ? (s16)(a - divide_s16(a, b) * b) : -1;
}
LANE u64 divide_u64(u64 a, u64 b)
{
    return b ? a / b : UINT64_MAX;
}
LANE u64 remainder_u64(u64 a, u64 b)
{
    return b ? a % b : UINT64_MAX;
}
LANE s64 divide_s64(s64 a, s64 b)
{
    return b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b;
}
LANE s64 remainder_s64(s64 a, s64 b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

/* ---- bits ----------------------------------------------------------------------------- */

/* Not in a form that compilers turn into a scalar instruction. */
LANE u32 ones_u32(u32 a)
{
    a = (a & 0x55555555) + (a >> 1 & 0x55555555);
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a & 0x0f0f0f0f) + (a >> 4 & 0x0f0f0f0f);
    a += a >> 8;
    a += a >> 16;
    return a & 0x3f;
}
LANE u32 ones_u64(u64 a)
{
    return ones_u32((u32)a) + ones_u32((u32)(a >> 32));
}

/* The number of leading zeros; 32 for 0. */
LANE u32 zeros_u32(u32 a)
{
    a |= a >> 1;
    a |= a >> 2;
    a |= a >> 4;
    a |= a >> 8;
    a |= a >> 16;
    return ones_u32(~a);
}
LANE u32 zeros_u64(u64 a)
{
    u32 high = (u32)(a >> 32);
    return high ? zeros_u32(high) : 32 + zeros_u32((u32)a);
}

LANE u32 reverse_u32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

/* The nth set bit of mask from base on, upwards or downwards. */
LANE u32 nth_set(u32 mask, u32 base, s32 nth)
{
    if (base > 31)
        return UINT32_MAX;
    if (nth == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    s64 left = nth < 0 ? -(s64)nth : nth;
    for (s32 at = (s32)base; at >= 0 && at < 32; at += nth < 0 ? -1 : 1)
        if ((mask >> at & 1) && --left == 0)
            return (u32)at;
    return UINT32_MAX;
}

/* length bits from position on; the signed ones extend the highest bit. */
LANE u32 field_u32(u32 a, u32 position, u32 length)
{
    u32 field = position > 31 ? 0 : a >> (position & 31);
    return length > 31 ? field : field & ((1u << (length & 31)) - 1);
}
LANE s32 field_s32(s32 a, u32 position, u32 length)
{
    s32 field = a >> (position > 31 ? 31 : position);
    u32 unused = length > 31 ? 0 : 32 - length;
    s32 narrow = (s32)((u32)field << (unused & 31)) >> (unused & 31);
    return length == 0 ? 0 : narrow;
}
LANE u64 field_u64(u64 a, u32 position, u32 length)
{
    u64 field = position > 63 ? 0 : a >> (position & 63);
    return length > 63 ? field : field & (((u64)1 << (length & 63)) - 1);
}
LANE s64 field_s64(s64 a, u32 position, u32 length)
{
    s64 field = a >> (position > 63 ? 63 : position);
    u32 unused = length > 63 ? 0 : 64 - length;
    s64 narrow = (s64)((u64)field << (unused & 63)) >> (unused & 63);
    return length == 0 ? 0 : narrow;
}

LANE u32 insert_u32(u32 a, u32 b, u32 position, u32 length)
{
    u32 field = length > 31 ? UINT32_MAX : (1u << (length & 31)) - 1;
    u32 mask = position > 31 ? 0 : field << (position & 31);
    return (b & ~mask) | (a << (position & 31) & mask);
}
LANE u64 insert_u64(u64 a, u64 b, u32 position, u32 length)
{
    u64 field = length > 63 ? UINT64_MAX : ((u64)1 << (length & 63)) - 1;
    u64 mask = position > 63 ? 0 : field << (position & 63);
    return (b & ~mask) | (a << (position & 63) & mask);
}

/* Ones from bit position up to, not including, position + length; both at most 32. */
LANE u32 bits_from(u32 position, u32 length)
{
    return (u32)((((u64)1 << length) - 1) << position);
}

LANE s32 byte_of(u32 a, unsigned index, bool is_signed)
{
    u32 byte = a >> (8 * index) & 0xff;
    return is_signed ? (s8)byte : (s32)byte;
}
LANE s32 half_of(u32 a, unsigned index, bool is_signed)
{
    u32 half = a >> (16 * index) & 0xffff;
    return is_signed ? (s16)half : (s32)half;
}
LANE u32 dot4(u32 a, u32 b, bool signed_a, bool signed_b)
{
    s32 sum = 0;
    for (unsigned i = 0; i < 4; ++i)
        sum += byte_of(a, i, signed_a) * byte_of(b, i, signed_b);
    return (u32)sum;
}
LANE u32 dot2(u32 a, u32 b, bool signed_a, bool signed_b)
{
    return (u32)(half_of(a, 0, signed_a) * byte_of(b, 0, signed_b)) +
           (u32)(half_of(a, 1, signed_a) * byte_of(b, 1, signed_b));
}

/* Each bit of the result is the bit of table whose index consists of the bits of a, b and c. */
LANE u32 lookup(u32 a, u32 b, u32 c, u32 table)
{
    u32 all[8];
    for (unsigned i = 0; i < 8; ++i)
        all[i] = 0 - (table >> i & 1);
    u32 low = (b & ((c & all[3]) | (~c & all[2]))) | (~b & ((c & all[1]) | (~c & all[0])));
    u32 high = (b & ((c & all[7]) | (~c & all[6]))) | (~b & ((c & all[5]) | (~c & all[4])));
    return (a & high) | (~a & low);
}

LANE u32 funnel_left(u32 low, u32 high, u32 by)
{
    return (u32)((((u64)high << 32 | low) << by) >> 32);
}
/* by: below 32. Elements of 32 bits throughout make fewer vectors. */
LANE u32 funnel_left_wrap(u32 low, u32 high, u32 by)
{
    return high << by | low >> 1 >> (31 - by);
}
LANE u32 funnel_right_wrap(u32 low, u32 high, u32 by)
{
    return high << 1 << (31 - by) | low >> by;
}
LANE u32 funnel_right(u32 low, u32 high, u32 by)
{
    return (u32)(((u64)high << 32 | low) >> by);
}

/* Four bytes of b:a; a selector's high bit replicates the byte's sign instead. */
LANE u32 permute(u32 a, u32 b, u32 selectors)
{
    u64 bytes = (u64)b << 32 | a;
    u32 result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        u32 selector = selectors >> (4 * i);
        u32 byte = (u32)(bytes >> (8 * (selector & 7))) & 0xff;
        byte = selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
        result |= byte << (8 * i);
    }
    return result;
}
LANE u32 edge_left(u32 c)
{
    return c == 0 ? 0x3210 : c == 1 ? 0x3211 : c == 2 ? 0x3222 : 0x3333;
}
LANE u32 edge_right(u32 c)
{
    return c == 0 ? 0x0000 : c == 1 ? 0x1110 : c == 2 ? 0x2210 : 0x3210;
}

#endif
