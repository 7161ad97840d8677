/* Rounding and the parts of doubles, all exact. */
#ifndef HIP_DEVICE_MATH_PARTS_F64_H
#define HIP_DEVICE_MATH_PARTS_F64_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* x with the largest number below 1/2 added away from zero: what is behind its point does not count
 * in rounding to the nearest integer, halves away from zero. */
__AH_FN double beyond_half(double x)
{
    __AH_EXACT
    return x + __builtin_copysign(0x1.fffffffffffffp-2, x);
}
__AH_FN double round_f64(double x) { return __builtin_trunc(beyond_half(x)); }

/* The exponent is added to as an integer, where it is one before and after. */
__AH_FN double ldexp_f64(double x, int n)
{
#if !defined(__AMDGCN__)
    unsigned int high = high_word(x), e = high >> 20 & 0x7ff, more = static_cast<unsigned int>(n);
    if (__builtin_expect(e - 1 < 2046 && e + more - 1 < 2046, 1))
        return from_words(high + (more << 20), low_word(x));
#endif
    return __builtin_ldexp(x, n);
}

__AH_FN double frexp_f64(double x, int *exponent)
{
#if defined(__AMDGCN__)
    int e = 0;
    double m = __builtin_frexp(x, &e);
    bool finite = __builtin_isfinite(x);
    *exponent = finite ? e : 0;
    return finite ? m : x;
#else
    unsigned int high = high_word(x), e = high >> 20 & 0x7ff;
    int n = static_cast<int>(e) - 1022;
    if (__builtin_expect(e - 1 >= 2046, 0)) {
        if (x == 0 || e != 0) {
            *exponent = 0;
            return x;
        }
        x *= 0x1p54;
        high = high_word(x);
        n = static_cast<int>(high >> 20 & 0x7ff) - 1022 - 54;
    }
    *exponent = n;
    return from_words((high & 0x800fffffu) | 0x3fe00000u, low_word(x));
#endif
}

/* By high words without signs: whether a number is normal, and else whether it has an exponent. */
__AH_FN bool is_normal(unsigned int high) { return high - 0x00100000u < 0x7fe00000u; }
#if defined(__AMDGCN__)
__AH_FN int exponent_of_number(double x) { return __builtin_amdgcn_frexp_exp(x) - 1; }
__AH_FN double logb_f64(double x)
{
    double size = __builtin_fabs(x), e = to_f64(exponent_of_number(x));
    e = size < __builtin_inf() ? e : size;
    return x == 0 ? -__builtin_inf() : e;
}
#else
__AH_FN int exponent_of_number(double x)
{
    unsigned int high = high_word(x) & 0x7fffffffu;
    if (__builtin_expect(is_normal(high), 1))
        return static_cast<int>(high >> 20) - 1023;
    return static_cast<int>(high_word(x * 0x1p54) >> 20 & 0x7ff) - 1023 - 54;
}
__AH_FN double logb_f64(double x)
{
    __AH_EXACT
    unsigned int high = high_word(x) & 0x7fffffffu;
    double r = from_words(0x43300000u, high >> 20) - 0x1.00000000003ffp52;
    if (__builtin_expect(!is_normal(high), 0)) {
        r = to_f64(exponent_of_number(x));
        r = high < 0x7ff00000u ? r : x * x;
        r = x == 0 ? -__builtin_inf() : r;
    }
    return r;
}
#endif
/* For what has no exponent the values of glibc. */
__AH_FN int ilogb_f64(double x)
{
    if (__builtin_expect(is_normal(high_word(x) & 0x7fffffffu), 1))
        return exponent_of_number(x);
    int special = __builtin_fabs(x) == __builtin_inf() ? 2147483647 : -2147483647 - 1;
    return x == 0 || !(__builtin_fabs(x) < __builtin_inf()) ? special : exponent_of_number(x);
}

__AH_FN double nextafter_f64(double x, double y)
{
    long long away = (x < y) == (x > 0) ? 1 : -1;
    double next = double_of(bits_of(x) + static_cast<unsigned long long>(away));
    next = x == 0 ? __builtin_copysign(0x1p-1074, y) : next;
    next = x == y ? y : next;
    return __builtin_isunordered(x, y) ? x + y : next;
}
} // namespace __ah

#undef __AH_FN
#endif
