/* Half precision and bfloat16, as bits, to and from float. Without branches, so that loops over
 * lanes become vectors. */
#ifndef SIM_HALF_H
#define SIM_HALF_H

#include "sim_bits.h"

#define SIM_CAST static inline __attribute__((always_inline, unused))

SIM_CAST float sim_widen_half(uint32_t bits)
{
    uint32_t size = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
    uint32_t normal = (size << 13) + (size >= 0x7c00 ? 224u << 23 : 112u << 23);
    uint32_t subnormal = sim_bits_of((float)(int32_t)size * 0x1p-24f);
    return sim_float_of((size < 0x400 ? subnormal : normal) | sign);
}

/* To nearest, ties to even; of NaNs the upper bits stay, and they are quiet. A subnormal's last
 * digit is that of a number in [0.5, 1). */
SIM_CAST uint16_t sim_narrow_half(float value)
{
    uint32_t bits = sim_bits_of(value), size = bits & INT32_MAX;
    uint32_t subnormal = sim_bits_of(sim_float_of(size) + 0.5f) - 0x3f000000u;
    uint32_t normal = (size + 0xfffu + (size >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t nan = 0x7e00u | (size >> 13 & 0x3ff);
    uint32_t result = size < 0x38800000u ? subnormal : size >= 0x47800000u ? 0x7c00u : normal;
    return (uint16_t)((size > 0x7f800000u ? nan : result) | (bits >> 16 & 0x8000u));
}

SIM_CAST float sim_widen_bfloat(uint32_t bits)
{
    return sim_float_of(bits << 16);
}

/* To nearest, ties to even; NaNs as above. */
SIM_CAST uint16_t sim_narrow_bfloat(float value)
{
    uint32_t bits = sim_bits_of(value), near = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(value == value ? near : (bits >> 16 | 0x40));
}

/* To float, to an odd last bit when that is inexact: rounding the result again, to fewer bits, is
 * then exact. */
SIM_CAST float sim_odd_float(double value)
{
    float near = (float)value;
    uint32_t bits = sim_bits_of(near);
    double size = sim_double_of(sim_bits_of_double(value) & INT64_MAX);
    double found = sim_float_of(bits & INT32_MAX);
    uint32_t odd = bits & 1 ? bits : found > size ? bits - 1 : found < size ? bits + 1 : bits;
    return sim_float_of(odd);
}

/* a * b + c of halves, to an odd last bit when that is inexact: the product is exact, and the error
 * of the rounded sum is a number too. */
SIM_CAST float sim_odd_fma_half(float a, float b, float c)
{
    float product = a * b, sum = product + c;
    float part = sum - product, error = (product - (sum - part)) + (c - part);
    uint32_t bits = sim_bits_of(sum), out = bits + 1, in = bits - 1;
    int outwards = (error > 0) == (sum > 0), inexact = (error < 0) | (error > 0);
    uint32_t odd = (bits & 1) != 0 ? bits : outwards ? out : in;
    return sim_float_of(inexact ? odd : bits);
}

#undef SIM_CAST

#endif
