/* The bits of brain floating point, which both of HIP's types of it (hip_bf16.h, and the older
 * hip_bfloat16.h) are made of. */
#ifndef HIP_DEVICE_BFLOAT_BITS_H
#define HIP_DEVICE_BFLOAT_BITS_H

#include "hip/device/qualifiers.h"

#define __AH_FN static __host__ __device__ inline

namespace __ah
{
__AH_FN float bfloat_to_float(unsigned short bits)
{
    unsigned int word = static_cast<unsigned int>(bits) << 16;
    float value;
    __builtin_memcpy(&value, &word, 4);
    return value;
}
/* NaN becomes a quiet one. */
__AH_FN unsigned short bfloat_from_float(float value)
{
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 800
    return __builtin_bit_cast(unsigned short, static_cast<__bf16>(value)); /* cvt.rn.bf16.f32 */
#else
    unsigned int word;
    __builtin_memcpy(&word, &value, 4);
    bool nan = (word & 0x7fffffff) > 0x7f800000;
    unsigned int rounded = (word + 0x7fff + (word >> 16 & 1)) >> 16;
    return static_cast<unsigned short>(nan ? word >> 16 | 0x40 : rounded);
#endif
}
__AH_FN unsigned short bfloat_truncated(float value)
{
    unsigned int word;
    __builtin_memcpy(&word, &value, 4);
    bool nan = (word & 0x7fffffff) > 0x7f800000;
    return static_cast<unsigned short>(word >> 16 | (nan ? 0x40 : 0));
}
__AH_FN unsigned short bfloat_from_double(double value)
{
    /* to float, rounded to odd where inexact, so that the second rounding is right */
    float f = static_cast<float>(value);
    double back = f;
    unsigned int word;
    __builtin_memcpy(&word, &f, 4);
    if (back != value && value == value && !(word & 1))
        word += (back < value) == (value > 0) ? 1u : -1u;
    __builtin_memcpy(&f, &word, 4);
    return bfloat_from_float(f);
}
} // namespace __ah

#undef __AH_FN

#endif
