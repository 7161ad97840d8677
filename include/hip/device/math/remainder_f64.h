/* Remainders of doubles, exact: as those of floats in parts_f32.h. */
#ifndef HIP_DEVICE_MATH_REMAINDER_F64_H
#define HIP_DEVICE_MATH_REMAINDER_F64_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* Whether size / divisor is below 2^34 and the divisor and its reciprocal are normal numbers, by
 * high words; no infinite or NaN size is. */
__AH_FN bool is_near(double size, double divisor)
{
    unsigned int d = high_word(divisor);
    return high_word(size) < d + (33u << 20) && d - 0x00100000u < 0x7be00000u;
}
/* 1 / divisor, too small by 2^-36 of it: so the multiple of what is below half of the divisor is 0.
 */
__AH_FN double inverse_below(double divisor)
{
    double r = hw::rcp(divisor);
    return fma_f64(fma_f64(-divisor, r, 0x1.ffffffffep-1), r, r);
}
/* size less the nearest multiple of the divisor, or one next to that, for a quotient below 2^34;
 * the low bits of the multiple. Exact: it is a multiple of the divisor's last place, and at most
 * three quarters of the divisor. */
__AH_FN double near_remainder(double size, double divisor, double inverse, unsigned int *multiple)
{
    __AH_EXACT
    double place = fma_f64(size, inverse, 0x1.8p52);
    *multiple = low_word(place);
    return fma_f64(-(place - 0x1.8p52), divisor, size);
}
#if defined(__NVPTX__)
/* The mantissa of *x, and 1023 more than its exponent. */
__AH_FN int take_exponent(double *x)
{
    bool small = high_word(*x) < 0x00100000u;
    double m = small ? *x * 0x1p54 : *x;
    *x = from_words((high_word(m) & 0xfffffu) | 0x3ff00000u, low_word(m));
    return static_cast<int>(high_word(m) >> 20) - (small ? 54 : 0);
}
/* The mantissa's multiple with its exponent, which is exact; below 1 that of a subnormal number. */
__AH_FN double give_exponent(double x, int exponent)
{
    bool small = exponent < 1;
    x *= from_words(static_cast<unsigned int>(small ? exponent + 54 : exponent) << 20, 0);
    return small ? x * 0x1p-54 : x;
}
__AH_FN double times_step(double x, int n) { return x * power_of_2(n); }
#else
__AH_FN int take_exponent(double *x)
{
    int e = __builtin_amdgcn_frexp_exp(*x);
    *x = __builtin_amdgcn_frexp_mant(*x);
    return e;
}
__AH_FN double give_exponent(double x, int exponent) { return __builtin_ldexp(x, exponent); }
__AH_FN double times_step(double x, int n) { return __builtin_ldexp(x, n); }
#endif
/* The same for any finite size that is at least half of the divisor, which is not 0: 31 digits of
 * the quotient at a time, of the mantissas; *divisor becomes its mantissa, and both need its
 * exponent again. */
__AH_FN double far_remainder(double size, double *divisor, unsigned int *multiple, int *exponent)
{
    int digits = take_exponent(&size);
    *exponent = take_exponent(divisor);
    digits -= *exponent;
    double rest = digits < 0 ? size * 0.5 : size, inverse = inverse_below(*divisor);
    digits = digits < 0 ? 0 : digits;
    *multiple = 0;
    do {
        int step = digits > 31 ? 31 : digits;
        unsigned int m;
        rest = near_remainder(times_step(rest, step), *divisor, inverse, &m);
        *multiple = (*multiple << step) + m;
        digits -= 31;
    } while (digits > 0);
    return rest;
}
/* x, or a NaN, where one of these is the remainder */
__AH_FN double no_remainder(double x, double y)
{
    bool number = __builtin_fabs(x) < __builtin_inf() && !(y == 0) && y == y;
    return number ? x : __builtin_nan("");
}

__AH_FN double fmod_f64(double x, double y)
{
    double size = __builtin_fabs(x), divisor = __builtin_fabs(y), rest;
    unsigned int multiple;
    if (__builtin_expect(is_near(size, divisor), 1)) {
        rest = near_remainder(size, divisor, inverse_below(divisor), &multiple);
        rest = rest < 0 ? rest + divisor : rest;
    } else {
        int exponent;
        if (!(size < __builtin_inf() && size >= divisor && divisor > 0))
            return no_remainder(x, y);
        rest = far_remainder(size, &divisor, &multiple, &exponent);
        rest = give_exponent(rest < 0 ? rest + divisor : rest, exponent);
    }
    return __builtin_copysign(rest, x);
}

/* The sign of x, and of the quotient for *low, are those of both sizes here. */
__AH_FN double nearest_of(double rest, double divisor, unsigned int *multiple)
{
    double twice = __builtin_fabs(rest) * 2.0;
    bool next = twice > divisor || (twice == divisor && *multiple & 1);
    *multiple += next ? (rest < 0 ? ~0u : 1u) : 0u;
    return next ? rest - __builtin_copysign(divisor, rest) : rest;
}
__AH_FN double remquo_f64(double x, double y, int *low)
{
    double size = __builtin_fabs(x), divisor = __builtin_fabs(y), rest;
    unsigned int multiple;
    *low = 0;
    if (__builtin_expect(is_near(size, divisor), 1)) {
        rest = near_remainder(size, divisor, inverse_below(divisor), &multiple);
        rest = nearest_of(rest, divisor, &multiple);
    } else {
        int exponent;
        if (!(size < __builtin_inf() && size >= divisor * 0.5 && divisor > 0))
            return no_remainder(x, y);
        rest = far_remainder(size, &divisor, &multiple, &exponent);
        rest = give_exponent(nearest_of(rest, divisor, &multiple), exponent);
    }
    int m = static_cast<int>(multiple & 7);
    *low = (high_word(x) ^ high_word(y)) >> 31 ? -m : m;
    return from_words(high_word(rest) ^ (high_word(x) & 0x80000000u), low_word(rest));
}
__AH_FN double remainder_f64(double x, double y)
{
    int low;
    return remquo_f64(x, y, &low);
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
