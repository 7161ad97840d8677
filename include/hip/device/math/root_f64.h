/* Roots of doubles, and lengths. */
#ifndef HIP_DEVICE_MATH_ROOT_F64_H
#define HIP_DEVICE_MATH_ROOT_F64_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* 1 / sqrt(x) for a normal x. Of the hardware's 20 bits are taken, whose square is exact; with
 * e = 1 - x r^2 what is missing is the factor 1 + e/2 + 3/8 e^2. */
__AH_FN double inverse_root(double x)
{
    __AH_EXACT
    double r = hw::rsq(x);
#if defined(__AMDGCN__)
    r = from_words(high_word(r), 0);
#endif
    double e = fma_f64(r * r, -x, 1.0);
    return fma_f64(r * e, fma_f64(e, 0.375, 0.5), r);
}
/* AMD's hardware has the special values, and takes and gives all numbers. */
__AH_FN double rsqrt_f64(double x) /* 0.6 ULP */
{
    __AH_EXACT
#if defined(__AMDGCN__)
    double r = hw::rsq(x), e = fma_f64(-x * r, r, 1.0);
    double better = fma_f64(r * e, fma_f64(e, 0.375, 0.5), r);
    return e < 0.5 ? better : r;
#else
    double r = inverse_root(x);
    if (__builtin_expect(high_word(x) - 0x00100000u >= 0x7fe00000u, 0)) {
        r = x > 0 ? inverse_root(x * 0x1p54) * 0x1p27 : __builtin_nan("");
        r = x == __builtin_inf() ? 0.0 : r;
        r = x == 0 ? __builtin_copysign(__builtin_inf(), x) : r;
    }
    return r;
#endif
}

/* x = 2^(3 k) m with m between 1 and 8: k, and m as a float's bits; *m gets m. */
__AH_FN int thirds(double x, double *m)
{
    unsigned int exponent = (high_word(x) & 0x7fffffffu) >> 20;
    int k = static_cast<int>(exponent * 0x5556u >> 16) - 341;
    *m = from_words(high_word(x) - (static_cast<unsigned int>(3 * k) << 20), low_word(x));
    return k;
}
/* c near 1 / cbrt(|m|), by the hardware's logarithm and power of floats, 21 bits */
__AH_FN double rough_inverse_cbrt(double m)
{
    float f = static_cast<float>(m);
    return static_cast<double>(hw::ex2(hw::lg2(__builtin_fabsf(f)) * -0x1.555556p-2f));
}
/* cbrt(m) is m c^2 (1 - h)^(-2/3) with h = 1 - m c^3, and 1 / cbrt(m) is c (1 - h)^(-1/3). */
__AH_FN double cbrt_f64(double x) /* 0.7 ULP */
{
    __AH_EXACT
    bool special = __builtin_expect((high_word(x) & 0x7fffffffu) - 0x00100000u >= 0x7fe00000u, 0);
    double m, y = special ? x * 0x1p54 : x;
    int k = thirds(y, &m);
    double c = rough_inverse_cbrt(m), r = c * c * m;
    double h = fma_f64(__builtin_fabs(r), -c, 1.0);
    r = fma_f64(r * h, fma_f64(h, 0x1.1c71c71c71c72p-1, 0x1.5555555555555p-1), r);
    r = times_power(r, k);
    if (special)
        r = x == 0 || !__builtin_isfinite(x) ? x + x : r * 0x1p-18;
    return r;
}
__AH_FN double rcbrt_f64(double x) /* 0.8 ULP */
{
    __AH_EXACT
    bool special = __builtin_expect((high_word(x) & 0x7fffffffu) - 0x00100000u >= 0x7fe00000u, 0);
    double m, y = special ? x * 0x1p54 : x;
    int k = thirds(y, &m);
    double c = rough_inverse_cbrt(m), h = fma_f64(c * c * __builtin_fabs(m), -c, 1.0);
    double r = fma_f64(c * h, fma_f64(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), c);
    r = times_power(r, -k);
    if (special) {
        r = __builtin_isfinite(x) ? r * 0x1p18 : x != x ? x : 0.0;
        r = x == 0 ? __builtin_inf() : r;
    }
    return __builtin_copysign(r, x);
}

/* Lengths: numbers are scaled by a power of two, so that the largest is between 1 and 2 (or above
 * 2^-90, if it is near the least). Sizes are high words without signs. */
__AH_FN unsigned int size_f64(double x) { return high_word(x) & 0x7fffffffu; }
__AH_FN unsigned int larger_size(unsigned int x, unsigned int y) { return x > y ? x : y; }
__AH_FN unsigned int size_of_scale(unsigned int largest)
{
    unsigned int e = largest & 0x7ff00000u;
    e = e < 0x7fc00000u ? e : 0x7fc00000u;
    return 0x7fe00000u - (e > 0x02000000u ? e : 0x02000000u);
}
/* sqrt(sum) and its inverse with the scale taken off. What is neither a number nor 0 is left to the
 * sum, which is a NaN if and only if there is one; infinite is whether a number was. */
__AH_FN double length_f64(double sum, unsigned int scale, unsigned int largest, bool infinite)
{
    __AH_EXACT
    double r = hw::rsq(sum), h = r * 0.5, s = sum * r, e = fma_f64(-s, h, 0.5);
    s = fma_f64(s, e, s);
    h = fma_f64(h, e, h);
    s = fma_f64(fma_f64(-s, s, sum), h, s);
    s *= from_words(0x7fe00000u - scale, 0);
    if (__builtin_expect(largest - 1u >= 0x7fefffffu, 0)) {
        s = sum == 0 ? 0.0 : largest >= 0x7ff00000u ? sum : s;
        s = infinite ? __builtin_inf() : s;
    }
    return s;
}
__AH_FN double inverse_length_f64(double sum, unsigned int scale, unsigned int largest,
                                  bool infinite)
{
    __AH_EXACT
    double s = inverse_root(sum) * from_words(scale, 0);
    if (__builtin_expect(largest - 1u >= 0x7fefffffu, 0)) {
        s = sum == 0 ? __builtin_inf() : largest >= 0x7ff00000u ? sum : s;
        s = infinite ? 0.0 : s;
    }
    return s;
}
__AH_FN bool is_infinite(double x) { return __builtin_fabs(x) == __builtin_inf(); }

struct squares_f64 {
    double sum;
    unsigned int scale, largest;
    bool infinite;
};
__AH_FN squares_f64 squares(double x, double y)
{
    __AH_EXACT
    squares_f64 q;
    q.largest = larger_size(size_f64(x), size_f64(y));
    q.scale = size_of_scale(q.largest);
    q.infinite = is_infinite(x) || is_infinite(y);
    double scale = from_words(q.scale, 0);
    x *= scale;
    y *= scale;
    q.sum = fma_f64(x, x, y * y);
    return q;
}
__AH_FN squares_f64 squares(double x, double y, double z)
{
    __AH_EXACT
    squares_f64 q;
    q.largest = larger_size(larger_size(size_f64(x), size_f64(y)), size_f64(z));
    q.scale = size_of_scale(q.largest);
    q.infinite = is_infinite(x) || is_infinite(y) || is_infinite(z);
    double scale = from_words(q.scale, 0);
    x *= scale;
    y *= scale;
    z *= scale;
    q.sum = fma_f64(x, x, fma_f64(y, y, z * z));
    return q;
}
__AH_FN squares_f64 squares(double x, double y, double z, double w)
{
    __AH_EXACT
    squares_f64 q;
    q.largest =
        larger_size(larger_size(size_f64(x), size_f64(y)), larger_size(size_f64(z), size_f64(w)));
    q.scale = size_of_scale(q.largest);
    q.infinite = is_infinite(x) || is_infinite(y) || is_infinite(z) || is_infinite(w);
    double scale = from_words(q.scale, 0);
    x *= scale;
    y *= scale;
    z *= scale;
    w *= scale;
    q.sum = fma_f64(x, x, fma_f64(y, y, fma_f64(z, z, w * w)));
    return q;
}
__AH_FN squares_f64 squares(int n, const double *v)
{
    __AH_EXACT
    squares_f64 q = {0.0, 0, 0, false};
    for (int i = 0; i < n; ++i) {
        q.largest = larger_size(q.largest, size_f64(v[i]));
        q.infinite |= is_infinite(v[i]);
    }
    q.scale = size_of_scale(q.largest);
    double scale = from_words(q.scale, 0);
    for (int i = 0; i < n; ++i)
        q.sum = fma_f64(v[i] * scale, v[i] * scale, q.sum);
    return q;
}
/* of n numbers; 1 ULP and n / 4 more */
__AH_FN double norm_f64(int n, const double *v)
{
    squares_f64 q = squares(n, v);
    return length_f64(q.sum, q.scale, q.largest, q.infinite);
}
__AH_FN double rnorm_f64(int n, const double *v)
{
    squares_f64 q = squares(n, v);
    return inverse_length_f64(q.sum, q.scale, q.largest, q.infinite);
}
__AH_FN double hypot_f64(double x, double y) /* 1.1 ULP */
{
    squares_f64 q = squares(x, y);
    return length_f64(q.sum, q.scale, q.largest, q.infinite);
}
__AH_FN double norm3d_f64(double x, double y, double z) /* 1.2 ULP */
{
    squares_f64 q = squares(x, y, z);
    return length_f64(q.sum, q.scale, q.largest, q.infinite);
}
__AH_FN double norm4d_f64(double x, double y, double z, double w) /* 1.4 ULP */
{
    squares_f64 q = squares(x, y, z, w);
    return length_f64(q.sum, q.scale, q.largest, q.infinite);
}
__AH_FN double rhypot_f64(double x, double y) /* 1.4 ULP */
{
    squares_f64 q = squares(x, y);
    return inverse_length_f64(q.sum, q.scale, q.largest, q.infinite);
}
__AH_FN double rnorm3d_f64(double x, double y, double z) /* 1.4 ULP */
{
    squares_f64 q = squares(x, y, z);
    return inverse_length_f64(q.sum, q.scale, q.largest, q.infinite);
}
__AH_FN double rnorm4d_f64(double x, double y, double z, double w) /* 1.6 ULP */
{
    squares_f64 q = squares(x, y, z, w);
    return inverse_length_f64(q.sum, q.scale, q.largest, q.infinite);
}
} // namespace __ah

#undef __AH_FN
#endif
