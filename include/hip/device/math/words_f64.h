/* Doubles by their halves and their exponents, and the conversions that the families of double
 * functions share. What differs between vendors: AMD has instructions that round to an integer and
 * that scale by a power of two, on NVIDIA additions of a large constant and of integers are faster.
 *
 * A function whose result depends on the order of its operations begins with __AH_EXACT. */
#ifndef HIP_DEVICE_MATH_WORDS_F64_H
#define HIP_DEVICE_MATH_WORDS_F64_H

#include "hip/device/math/hw.h"

#define __AH_FN    static __device__ inline __attribute__((always_inline))
#define __AH_EXACT _Pragma("clang fp contract(off) reassociate(off)")

namespace __ah
{
__AH_FN unsigned long long bits_of(double x) { return __builtin_bit_cast(unsigned long long, x); }
__AH_FN double double_of(unsigned long long b) { return __builtin_bit_cast(double, b); }
__AH_FN unsigned int high_word(double x) { return static_cast<unsigned int>(bits_of(x) >> 32); }
__AH_FN unsigned int low_word(double x) { return static_cast<unsigned int>(bits_of(x)); }
__AH_FN double from_words(unsigned int high, unsigned int low)
{
    return double_of(static_cast<unsigned long long>(high) << 32 | low);
}
/* The word with the sign and the exponent. */
__AH_FN unsigned int top_word(float x) { return bits_of(x); }
__AH_FN unsigned int top_word(double x) { return high_word(x); }
/* 2^n for an n between -1022 and 1023 */
__AH_FN double power_of_2(int n) { return from_words((n + 1023u) << 20, 0); }
__AH_FN double fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }

/* The integer next to x y and the same as a double; |x y| below 2^31. */
__AH_FN double nearest_f64(double x, double y, int *n)
{
    __AH_EXACT
#if defined(__AMDGCN__)
    double r = __builtin_rint(x * y);
    *n = static_cast<int>(r);
    return r;
#else
    double r = __builtin_fma(x, y, 0x1.8p52);
    *n = static_cast<int>(low_word(r));
    return r - 0x1.8p52;
#endif
}

__AH_FN double to_f64(int n)
{
    __AH_EXACT
#if defined(__AMDGCN__)
    return static_cast<double>(n);
#else
    return from_words(0x43300000u, static_cast<unsigned int>(n) ^ 0x80000000u) - 0x1.000008p52;
#endif
}

/* x 2^n, where that and x are normal numbers */
__AH_FN double times_power(double x, int n)
{
#if defined(__AMDGCN__)
    return __builtin_ldexp(x, n);
#else
    return from_words(high_word(x) + (static_cast<unsigned int>(n) << 20), low_word(x));
#endif
}

/* x 2^n, rounded once, for a normal x between 1/2 and 2 and an n between -1100 and 1100 */
__AH_FN double times_any_power(double x, int n)
{
#if defined(__AMDGCN__)
    return __builtin_ldexp(x, n);
#else
    int half = n >> 1;
    return x * power_of_2(half) * power_of_2(n - half);
#endif
}

/* 1 / x with an error of 2^-38 for the first and below 2^-52 for the second, for an x whose
 * exponent is far from the limits */
__AH_FN double rough_inverse(double x)
{
    double r = hw::rcp(x);
    return fma_f64(fma_f64(-x, r, 1.0), r, r);
}
__AH_FN double inverse_f64(double x)
{
    double r = hw::rcp(x), e = fma_f64(-x, r, 1.0);
    return fma_f64(fma_f64(e, e, e), r, r);
}
} // namespace __ah

#undef __AH_FN
#endif
