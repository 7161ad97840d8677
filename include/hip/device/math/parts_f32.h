/* Single precision remainders, rounding and exponents; all exact. */
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

/* Whether size / divisor is at most 2^21 and the divisor's reciprocal a normal number; no NaN is.
 */
__AH_FN bool is_near(float size, float divisor)
{
    return size <= divisor * 0x1p21f && divisor >= 0x1p-126f && divisor <= 0x1p125f;
}
/* size less the nearest multiple of the divisor, or one next to that, for a quotient of at most
 * 2^22. Exact: it is a multiple of the divisor's last place, and hardly more than half of the
 * divisor. */
__AH_FN float near_remainder(float size, float divisor, unsigned int *multiple)
{
    float place = __builtin_fmaf(size, hw::rcp(divisor), 0x1.8p23f);
    *multiple = bits_of(place) - 0x4b400000u;
    return __builtin_fmaf(-(place - 0x1.8p23f), divisor, size);
}
#if defined(__NVPTX__)
/* The mantissa of *x, and 127 more than its exponent. */
__AH_FN int take_exponent(float *x)
{
    int e = biased_exponent(x);
    *x = float_of((bits_of(*x) & 0x7fffffu) | 0x3f800000u);
    return e;
}
__AH_FN float times_power(float x, int n)
{
    return x * float_of(static_cast<unsigned int>(n + 127) << 23);
}
/* The mantissa's multiple with its exponent, which is exact; below 1 that of a subnormal number. */
__AH_FN float give_exponent(float x, int exponent)
{
    bool small = exponent < 1;
    x *= float_of(static_cast<unsigned int>(small ? exponent + 24 : exponent) << 23);
    return small ? x * 0x1p-24f : x;
}
#else
__AH_FN int take_exponent(float *x)
{
    int e = __builtin_amdgcn_frexp_expf(*x);
    *x = __builtin_amdgcn_frexp_mantf(*x);
    return e;
}
__AH_FN float times_power(float x, int n) { return __builtin_amdgcn_ldexpf(x, n); }
__AH_FN float give_exponent(float x, int exponent) { return __builtin_amdgcn_ldexpf(x, exponent); }
#endif
/* The same for any finite size that is at least half of the divisor, which is not 0: 20 digits of
 * the quotient at a time, of the mantissas; *divisor becomes its mantissa, and both need its
 * exponent again. */
__AH_FN float far_remainder(float size, float *divisor, unsigned int *multiple, int *exponent)
{
    int digits = take_exponent(&size);
    *exponent = take_exponent(divisor);
    digits -= *exponent;
    float rest = digits < 0 ? size * 0.5f : size;
    digits = digits < 0 ? 0 : digits;
    *multiple = 0;
    do {
        int step = digits > 20 ? 20 : digits;
        unsigned int m;
        rest = near_remainder(times_power(rest, step), *divisor, &m);
        *multiple = (*multiple << step) + m;
        digits -= 20;
    } while (digits > 0);
    return rest;
}
/* x, or a NaN, where one of these is the remainder */
__AH_FN float no_remainder(float x, float y)
{
    bool number = __builtin_fabsf(x) < __builtin_inff() && !(y == 0.0f) && y == y;
    return number ? x : __builtin_nanf("");
}

__AH_FN float fmod_f32(float x, float y)
{
    float size = __builtin_fabsf(x), divisor = __builtin_fabsf(y), rest;
    unsigned int multiple;
    int exponent;
    if (__builtin_expect(is_near(size, divisor), 1)) {
        rest = near_remainder(size, divisor, &multiple);
        rest = rest < 0.0f ? rest + divisor : rest;
    } else {
        if (!(size < __builtin_inff() && size >= divisor && divisor > 0.0f))
            return no_remainder(x, y);
        rest = far_remainder(size, &divisor, &multiple, &exponent);
        rest = give_exponent(rest < 0.0f ? rest + divisor : rest, exponent);
    }
    return __builtin_copysignf(rest, x);
}

/* The sign of x, and of the quotient for *low, are those of both sizes here. */
__AH_FN float nearest_of(float rest, float divisor, unsigned int *multiple)
{
    float twice = __builtin_fabsf(rest) * 2.0f;
    bool next = twice > divisor || (twice == divisor && *multiple & 1);
    *multiple += next ? (rest < 0.0f ? ~0u : 1u) : 0u;
    return next ? rest - __builtin_copysignf(divisor, rest) : rest;
}
__AH_FN float remquo_f32(float x, float y, int *low)
{
    float size = __builtin_fabsf(x), divisor = __builtin_fabsf(y), rest;
    unsigned int multiple;
    *low = 0;
    if (__builtin_expect(is_near(size, divisor), 1)) {
        rest = near_remainder(size, divisor, &multiple);
        rest = nearest_of(rest, divisor, &multiple);
    } else {
        int exponent;
        if (!(size < __builtin_inff() && size >= divisor * 0.5f && divisor > 0.0f))
            return no_remainder(x, y);
        rest = far_remainder(size, &divisor, &multiple, &exponent);
        rest = give_exponent(nearest_of(rest, divisor, &multiple), exponent);
    }
    int m = static_cast<int>(multiple & 7);
    *low = (bits_of(x) ^ bits_of(y)) >> 31 ? -m : m;
    return float_of(bits_of(rest) ^ (bits_of(x) & 0x80000000u));
}
__AH_FN float remainder_f32(float x, float y)
{
    int low;
    return remquo_f32(x, y, &low);
}
} // namespace __ah

#undef __AH_FN
#endif
