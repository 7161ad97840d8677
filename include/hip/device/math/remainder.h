/* Remainders of floats and doubles, exact. A step takes some digits of the quotient: size less the
 * nearest multiple of the divisor, or one next to that, which is a multiple of the divisor's last
 * place and at most three quarters of the divisor. */
#ifndef HIP_DEVICE_MATH_REMAINDER_H
#define HIP_DEVICE_MATH_REMAINDER_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* A step gives so many digits of the quotient and one more. A divisor between the limits has a
 * reciprocal that is a normal number; others do when multiplied or divided by the scale. */
template <typename T> struct remainder_limits;
template <> struct remainder_limits<float> {
    static constexpr int mantissa = 23, digits = 20;
    static constexpr float low = 0x1p-126f, high = 0x1p125f, scale = 0x1p24f;
};
template <> struct remainder_limits<double> {
    static constexpr int mantissa = 20, digits = 31; /* the mantissa's in the high word */
    static constexpr double low = 0x1p-1022, high = 0x1.fffffffffffffp959, scale = 0x1p54;
};

/* Whether one step is enough, and the divisor between the limits; no infinite or NaN size is. */
__AH_FN bool is_near(float size, float divisor)
{
    return size <= divisor * 0x1p21f && divisor >= 0x1p-126f && divisor <= 0x1p125f;
}
__AH_FN bool is_near(double size, double divisor)
{
    unsigned int d = high_word(divisor);
    return high_word(size) < d + (33u << 20) && d - 0x00100000u < 0x7be00000u;
}
/* 1 / divisor; that of a double is too small by 2^-36 of it: so the multiple of what is below half
 * of the divisor is 0. */
__AH_FN float step_inverse(float divisor) { return hw::rcp(divisor); }
__AH_FN double step_inverse(double divisor)
{
    double r = hw::rcp(divisor);
    return fma_f64(fma_f64(-divisor, r, 0x1.ffffffffep-1), r, r);
}
/* The step, and the low bits of the multiple. */
__AH_FN float step_remainder(float size, float divisor, float inverse, unsigned int *multiple)
{
    float place = __builtin_fmaf(size, inverse, 0x1.8p23f);
    *multiple = bits_of(place) - 0x4b400000u;
    return __builtin_fmaf(-(place - 0x1.8p23f), divisor, size);
}
__AH_FN double step_remainder(double size, double divisor, double inverse, unsigned int *multiple)
{
    __AH_EXACT
    double place = fma_f64(size, inverse, 0x1.8p52);
    *multiple = low_word(place);
    return fma_f64(-(place - 0x1.8p52), divisor, size);
}
__AH_FN float with_top_word(float, unsigned int word) { return float_of(word); }
__AH_FN double with_top_word(double x, unsigned int word) { return from_words(word, low_word(x)); }
#if defined(__NVPTX__)
/* x 2^n, where that and x are normal numbers */
__AH_FN float times_power(float x, int n)
{
    return float_of(bits_of(x) + (static_cast<unsigned int>(n) << 23));
}
/* x 2^n for any x and an n of a step's digits */
__AH_FN float times_step(float x, int n) { return x * times_power(1.0f, n); }
__AH_FN double times_step(double x, int n) { return x * power_of_2(n); }
#else
__AH_FN float times_step(float x, int n) { return __builtin_amdgcn_ldexpf(x, n); }
__AH_FN double times_step(double x, int n) { return __builtin_ldexp(x, n); }
__AH_FN int exponent_of(float x) { return __builtin_amdgcn_frexp_expf(x); }
__AH_FN int exponent_of(double x) { return __builtin_amdgcn_frexp_exp(x); }
__AH_FN float mantissa_of(float x) { return __builtin_amdgcn_frexp_mantf(x); }
__AH_FN double mantissa_of(double x) { return __builtin_amdgcn_frexp_mant(x); }
#endif

/* size 2^power less a multiple of a divisor between the limits */
template <typename T>
__AH_FN T remainder_by_steps(T size, int power, T divisor, unsigned int *multiple)
{
    constexpr int most = remainder_limits<T>::digits;
    T inverse = step_inverse(divisor);
    unsigned int above = 0;
#pragma clang loop unroll(disable)
    while (true) {
        size = step_remainder(size, divisor, inverse, multiple);
        *multiple += above;
        if (power <= 0)
            return size;
        int digits = power < most ? power : most;
        size = times_step(size, digits);
        above = *multiple << digits;
        power -= most;
    }
}
#if defined(__NVPTX__)
/* The same for a size >= 0, whose exponent is larger than the divisor's by a step's digits or more
 * if it is large. */
template <typename T>
__AH_FN T remainder_of_size(T size, T divisor, bool large, unsigned int *multiple)
{
    using limits = remainder_limits<T>;
    int power = static_cast<int>((top_word(size) >> limits::mantissa) -
                                 (top_word(divisor) >> limits::mantissa)) -
                limits::digits;
    power = large || power > 0 ? power : 0;
    __builtin_assume(power >= 0);
    return remainder_by_steps(times_power(size, -power), power, divisor, multiple);
}
/* The remainder of a size that is not near, or false if it is x or a NaN: where the size is below
 * `least`, or one of both is not a finite number or the divisor 0. */
template <typename T>
__AH_FN bool far_remainder(T size, T divisor, T least, T *rest, unsigned int *multiple)
{
    using limits = remainder_limits<T>;
    bool finite = size < T(__builtin_inff());
    if (__builtin_expect(finite && divisor >= limits::low && divisor <= limits::high, 1)) {
        *rest = remainder_of_size(size, divisor, true, multiple);
        return true;
    }
    if (!(finite && size >= least && divisor > 0))
        return false;
    bool large = divisor > 1;
    T scale = large ? 1 / limits::scale : limits::scale;
    divisor *= scale;
    if (!large) { /* the size may be too large to be multiplied */
        size = remainder_of_size(size, divisor, false, multiple);
        size = size < 0 ? size + divisor : size;
    }
    size = remainder_of_size(size * scale, divisor, false, multiple);
    *rest = size * (large ? limits::scale : 1 / limits::scale);
    return true;
}
#else
template <typename T>
__AH_FN bool far_remainder(T size, T divisor, T least, T *rest, unsigned int *multiple)
{
    if (!(size < T(__builtin_inff()) && size >= least && divisor > 0))
        return false;
    int exponent = exponent_of(divisor);
    int power = exponent_of(size) - exponent - remainder_limits<T>::digits;
    power = power < 0 ? 0 : power;
    size = times_step(size, -exponent - power);
    size = remainder_by_steps(size, power, mantissa_of(divisor), multiple);
    *rest = times_step(size, exponent);
    return true;
}
#endif
/* x, or a NaN, where one of these is the remainder */
template <typename T> __AH_FN T no_remainder(T x, T y)
{
    bool number = __builtin_elementwise_abs(x) < T(__builtin_inff()) && !(y == 0) && y == y;
    return number ? x : T(__builtin_nanf(""));
}

template <typename T> __AH_FN T fmod_of(T x, T y)
{
    T size = __builtin_elementwise_abs(x), divisor = __builtin_elementwise_abs(y), rest;
    unsigned int multiple;
    if (__builtin_expect(is_near(size, divisor), 1)) {
        rest = step_remainder(size, divisor, step_inverse(divisor), &multiple);
    } else if (!far_remainder(size, divisor, divisor, &rest, &multiple)) {
        return no_remainder(x, y);
    }
    return __builtin_elementwise_copysign(rest < 0 ? rest + divisor : rest, x);
}

/* The nearest remainder of x and y by one of their sizes: the sign of x, and of the quotient for
 * *low, are those of both sizes in it. */
template <typename T>
__AH_FN T nearest_of(T rest, T divisor, unsigned int multiple, T x, T y, int *low)
{
    T twice = __builtin_elementwise_abs(rest) * 2;
    bool odd = (multiple & 1) != 0, next = (twice > divisor) | ((twice == divisor) & odd);
    multiple += next ? (rest < 0 ? ~0u : 1u) : 0u;
    rest = next ? rest - __builtin_elementwise_copysign(divisor, rest) : rest;
    int m = static_cast<int>(multiple & 7);
    *low = (top_word(x) ^ top_word(y)) >> 31 ? -m : m;
    return with_top_word(rest, top_word(rest) ^ (top_word(x) & 0x80000000u));
}
template <typename T> __AH_FN T remquo_of(T x, T y, int *low)
{
    T size = __builtin_elementwise_abs(x), divisor = __builtin_elementwise_abs(y), rest;
    unsigned int multiple;
    if (__builtin_expect(is_near(size, divisor), 1)) {
        rest = step_remainder(size, divisor, step_inverse(divisor), &multiple);
        return nearest_of(rest, divisor, multiple, x, y, low);
    }
    *low = 0;
    if (!far_remainder(size, divisor, divisor * T(0.5), &rest, &multiple))
        return no_remainder(x, y);
    return nearest_of(rest, divisor, multiple, x, y, low);
}

__AH_FN float fmod_f32(float x, float y) { return fmod_of(x, y); }
__AH_FN double fmod_f64(double x, double y) { return fmod_of(x, y); }
__AH_FN float remquo_f32(float x, float y, int *low) { return remquo_of(x, y, low); }
__AH_FN double remquo_f64(double x, double y, int *low) { return remquo_of(x, y, low); }
__AH_FN float remainder_f32(float x, float y)
{
    int low;
    return remquo_of(x, y, &low);
}
__AH_FN double remainder_f64(double x, double y)
{
    int low;
    return remquo_of(x, y, &low);
}
} // namespace __ah

#undef __AH_FN
#endif
