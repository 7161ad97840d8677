/* Single precision rounding and exponents; all exact. */
#ifndef HIP_DEVICE_MATH_PARTS_F32_H
#define HIP_DEVICE_MATH_PARTS_F32_H

#include "hip/device/math/hw.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* The whole number of the sum with what is next below a half, towards 0. */
__AH_FN float round_f32(float x)
{
    return __builtin_truncf(x + __builtin_copysignf(0x1.fffffep-2f, x));
}

/* The biased exponent of a finite size other than 0, and with *x a number of the same digits that
 * is normal. */
__AH_FN int biased_exponent(float *x)
{
    bool small = __builtin_fabsf(*x) < 0x1p-126f;
    *x = small ? *x * 0x1p24f : *x;
    int e = static_cast<int>(bits_of(*x) >> 23 & 255);
    return small ? e - 24 : e;
}
__AH_FN bool has_exponent(float x) { return (bits_of(x) & 0x7fffffffu) - 1 < 0x7f7fffffu; }

#if defined(__NVPTX__)
__AH_FN float frexp_f32(float x, int *exponent)
{
    float m = x;
    int e = biased_exponent(&m) - 126;
    bool usual = has_exponent(x);
    *exponent = usual ? e : 0;
    return usual ? float_of((bits_of(m) & 0x807fffffu) | 0x3f000000u) : x + x;
}
/* The bits of a normal number's size. */
__AH_FN bool are_normal(unsigned int bits) { return bits - 0x00800000u < 0x7f000000u; }
__AH_FN int exponent_of_subnormal(unsigned int bits) { return -118 - __builtin_clz(bits); }
__AH_FN float logb_f32(float x)
{
    unsigned int bits = bits_of(x) & 0x7fffffffu;
    if (__builtin_expect(are_normal(bits), 1))
        return static_cast<float>(static_cast<int>(bits >> 23) - 127);
    return has_exponent(x) ? static_cast<float>(exponent_of_subnormal(bits))
                           : hw::lg2(float_of(bits));
}
__AH_FN int ilogb_of_number(float x)
{
    unsigned int bits = bits_of(x) & 0x7fffffffu;
    return __builtin_expect(are_normal(bits), 1) ? static_cast<int>(bits >> 23) - 127
                                                 : exponent_of_subnormal(bits);
}
#else
__AH_FN float frexp_f32(float x, int *exponent)
{
    bool finite = __builtin_fabsf(x) < __builtin_inff();
    *exponent = finite ? __builtin_amdgcn_frexp_expf(x) : 0;
    return finite ? __builtin_amdgcn_frexp_mantf(x) : x + x;
}
__AH_FN int ilogb_of_number(float x) { return __builtin_amdgcn_frexp_expf(x) - 1; }
__AH_FN float logb_f32(float x)
{
    float size = __builtin_fabsf(x), e = static_cast<float>(ilogb_of_number(x));
    e = size < __builtin_inff() ? e : size;
    return x == 0.0f ? -__builtin_inff() : e;
}
#endif
/* with the values of glibc for what has no exponent */
__AH_FN int ilogb_f32(float x)
{
#if defined(__NVPTX__) /* one test for the usual case */
    if (__builtin_expect(are_normal(bits_of(x) & 0x7fffffffu), 1))
        return ilogb_of_number(x);
#endif
    int special = __builtin_fabsf(x) == __builtin_inff() ? 2147483647 : -2147483647 - 1;
    return has_exponent(x) ? ilogb_of_number(x) : special;
}

/* x 2^n by three products, of which only the last can round: where an earlier one is subnormal, the
 * result is 0. */
__AH_FN float ldexp_f32(float x, int n)
{
#if defined(__NVPTX__)
    n = n < -280 ? -280 : n > 280 ? 280 : n;
    int part = static_cast<unsigned int>(n + 126) > 253u ? n * 3 >> 3 : 0;
    float power = float_of(static_cast<unsigned int>(part + 127) << 23);
    x *= float_of(static_cast<unsigned int>(n - 2 * part + 127) << 23);
    return x * power * power;
#else
    return __builtin_ldexpf(x, n);
#endif
}

__AH_FN float nextafter_f32(float x, float y)
{
    unsigned int away = (x < y) == (x > 0.0f) ? 1u : ~0u;
    float next = float_of(bits_of(x) + away);
    next = x == 0.0f ? __builtin_copysignf(0x1p-149f, y) : next;
    next = x == y ? y : next;
    return __builtin_isunordered(x, y) ? x + y : next;
}
} // namespace __ah

#undef __AH_FN
#endif
