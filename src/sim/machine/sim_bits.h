/* Floats by their bits, and bits by their float. */
#ifndef SIM_BITS_H
#define SIM_BITS_H

#include <stdint.h>
#include <string.h>

#define SIM_CAST static inline __attribute__((always_inline, unused))

SIM_CAST float sim_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
SIM_CAST uint32_t sim_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
SIM_CAST double sim_double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
SIM_CAST uint64_t sim_bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#undef SIM_CAST

#endif
