/* Half precision and bfloat16, as bits, to and from float. */
#ifndef SIM_HALF_H
#define SIM_HALF_H

#include "sim_bits.h"

static inline float sim_widen_half(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 0x1f;
    uint32_t fraction = bits & 0x3ff;
    if (exponent == 0)
        return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    if (exponent == 0x1f)
        return sim_float_of(sign | 0x7f800000 | fraction << 13);
    return sim_float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

/* To nearest, ties to even; of NaNs the upper bits stay, and they are quiet. */
static inline uint16_t sim_narrow_half(float value)
{
    uint32_t bits = sim_bits_of(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (size >> 13 & 0x3ff));
    if (size >= 0x477ff000) /* 65520 rounds up to what half precision has not */
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x38800000) /* subnormal: adding 0.5 rounds to multiples of 2^-24 */
        return (uint16_t)(sign | (sim_bits_of(sim_float_of(size) + 0.5f) - 0x3f000000));
    size += 0xfff + (size >> 13 & 1);
    return (uint16_t)(sign | (size - 0x38000000) >> 13);
}

static inline float sim_widen_bfloat(uint16_t bits)
{
    return sim_float_of((uint32_t)bits << 16);
}

static inline uint16_t sim_narrow_bfloat(float value)
{
    uint32_t bits = sim_bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
