/* Integers and bits on one lane. Included by amdgpu_valu.c only. */
#ifndef AMDGPU_VALU_INT_H
#define AMDGPU_VALU_INT_H

#include "amdgpu_valu_lanes.h"

#define smaller(a, b) ((a) < (b) ? (a) : (b))
#define larger(a, b)  ((a) > (b) ? (a) : (b))
#define middle(a, b, c)                                                                            \
    larger(smaller(a, b), smaller(larger(a, b), c)) /* of three, by three comparisons */

LANE s32 limit_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}
LANE s16 limit_s16(s32 x)
{
    return (s16)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
}
LANE u16 limit_u16(s32 x)
{
    return (u16)(x > UINT16_MAX ? UINT16_MAX : x < 0 ? 0 : x);
}
LANE u32 limit_u32(u64 x)
{
    return x > UINT32_MAX ? UINT32_MAX : (u32)x;
}
LANE u32 limit_u8(s32 x)
{
    return x > UINT8_MAX ? UINT8_MAX : x < 0 ? 0 : (u32)x;
}

/* Shifts of two registers: in halves, because a vector of values of 64 bits is made of two vectors
 * of registers, and they of it, by more instructions than the shift takes. */
LANE u64 shift_left(u64 x, u32 by)
{
    u32 s = by & 31, low = (u32)x, high = (u32)(x >> 32), far = by & 32;
    u32 lower = low << s, upper = high << s | low >> 1 >> (31 - s);
    return (u64)(far ? lower : upper) << 32 | (far ? 0 : lower);
}
/* sign: what comes in from above. */
LANE u64 shift_right(u64 x, u32 by, u32 sign)
{
    u32 s = by & 31, low = (u32)x, high = (u32)(x >> 32), far = by & 32, in = sign << 1 << (31 - s);
    u32 lower = low >> s | high << 1 << (31 - s), upper = high >> s | in;
    return (u64)(far ? sign : upper) << 32 | (far ? upper : lower);
}

LANE u32 population(u32 x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}
LANE u32 reverse(u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
/* Of numbers but 0: the exponent of an exact f64 has it. */
LANE u32 highest_bit(u32 x)
{
    return (u32)(bits_f64((f64)x) >> 52) - 1023;
}

LANE u32 low_bits(u32 count)
{
    return (1u << (count & 31)) - 1;
}
LANE s32 field(s32 x, u32 offset, u32 width)
{
    u32 w = width & 31;
    u32 value = (u32)(x >> (offset & 31)) & low_bits(w), sign = w ? 1u << ((w - 1) & 31) : 0;
    return (s32)((value ^ sign) - sign);
}
LANE s32 signed24(u32 x)
{
    return (s32)(x << 8) >> 8;
}
LANE u32 unsigned24(u32 x)
{
    return x & 0xffffff;
}

/* Lanes below one, of a word of a mask. */
LANE u32 lanes_below(unsigned lane, unsigned word)
{
    unsigned first = 32 * word;
    return lane < first ? 0 : lane >= first + 32 ? UINT32_MAX : (1u << (lane & 31)) - 1;
}

/* Sums of differences of bytes; masked: bytes of b that are 0 do not count. */
LANE u32 byte_difference(u32 a, u32 b, u32 byte, bool masked)
{
    u32 x = a >> 8 * byte & 0xff, y = b >> 8 * byte & 0xff;
    u32 difference = x > y ? x - y : y - x;
    return masked && y == 0 ? 0 : difference;
}
LANE u32 differences(u32 a, u32 b, bool masked)
{
    return byte_difference(a, b, 0, masked) + byte_difference(a, b, 1, masked) +
           byte_difference(a, b, 2, masked) + byte_difference(a, b, 3, masked);
}
/* Four of them, for the words of a that begin at each byte, in 16 bits each. */
LANE u64 four_differences(u64 a, u32 b, u64 c, bool masked, bool limited)
{
    u64 d = 0;
    for (u32 k = 0; k < 4; ++k) {
        u32 sum = differences((u32)(a >> 8 * k), b, masked) + (u32)(c >> 16 * k & 0xffff);
        d |= (u64)((limited && sum > UINT16_MAX ? UINT16_MAX : sum) & 0xffff) << 16 * k;
    }
    return d;
}

LANE u32 permuted_byte(u64 bytes, u32 select)
{
    u32 sel = select & 0xff;
    u32 sign_of = sel == 8 ? 15 : sel == 9 ? 31 : sel == 10 ? 47 : 63;
    u32 sign = bytes >> sign_of & 1 ? 0xff : 0;
    u32 byte = (u32)(bytes >> 8 * (sel & 7)) & 0xff;
    return sel < 8 ? byte : sel < 12 ? sign : sel == 12 ? 0 : 0xff;
}
LANE u32 permuted(u32 a, u32 b, u32 c)
{
    u64 bytes = (u64)a << 32 | b;
    return permuted_byte(bytes, c) | permuted_byte(bytes, c >> 8) << 8 |
           permuted_byte(bytes, c >> 16) << 16 | permuted_byte(bytes, c >> 24) << 24;
}

/* Products of parts of words, signed or not. */
LANE s64 part(u32 x, u32 index, u32 width, bool is_signed)
{
    u32 value = x >> index * width & ((1u << width) - 1), sign = 1u << (width - 1);
    return is_signed ? (s64)(s32)((value ^ sign) - sign) : (s64)value;
}
LANE s64 dot(u32 a, u32 b, u32 width, bool a_signed, bool b_signed)
{
    s64 sum = 0;
    for (u32 k = 0; k < 32 / width; ++k)
        sum += part(a, k, width, a_signed) * part(b, k, width, b_signed);
    return sum;
}

#endif
