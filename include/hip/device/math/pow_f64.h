/* Powers of doubles. Coefficients: tools/math/pow_f64.sollya.
 *
 * x^y = 2^(y log2 x), where the logarithm has 65 bits or more: a sum of two doubles, from s = f /
 * (2 + f) in two doubles for x = 2^e (1 + f) and the first two terms of the series in s. */
#ifndef HIP_DEVICE_MATH_POW_F64_H
#define HIP_DEVICE_MATH_POW_F64_H

#include "hip/device/math/exp_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* log2(x) + add_to_e for a positive normal number, as the sum of the result and *low; relative
 * error 2^-66 */
__AH_FN double log2_in_two(double x, int add_to_e, double *low)
{
    __AH_EXACT
    unsigned int above = high_word(x) - 0x3fe6a09eu;
    double e = to_f64((static_cast<int>(above) >> 20) + add_to_e);
    double f = from_words(high_word(x) - (above & 0xfff00000u), low_word(x)) - 1.0;
    double inverse = inverse_f64(f + 2.0), s = f * inverse;
    double s_low = fma_f64(-s, f, fma_f64(-2.0, s, f)) * inverse;
    double w = s * s, w_low = fma_f64(s + s, s_low, fma_f64(s, s, -w));
    double p = 0x1.603c4p-3;
    p = fma_f64(p, w, 0x1.593b1p-3);
    p = fma_f64(p, w, 0x1.8a062p-3);
    p = fma_f64(p, w, 0x1.c68f04fe4250fp-3);
    p = fma_f64(p, w, 0x1.0c9a850007561p-2);
    p = fma_f64(p, w, 0x1.484b13d735e91p-2);
    p = fma_f64(p, w, 0x1.a61762a7ae41dp-2);
    p = fma_f64(p, w, 0x1.2776c50ef9bfep-1);
    /* the coefficient of s^3, of which the first part is the first of 2 / (3 ln 2) */
    p *= w;
    double third = p + 0x1.ec709dc3a03fdp-1;
    double third_low = p - (third - 0x1.ec709dc3a03fdp-1) + 0x1.d27f05548af0cp-55;
    double cube = s * w, cube_low = fma_f64(s, w, -cube);
    cube_low = fma_f64(s_low, w, fma_f64(s, w_low, cube_low));
    double more = cube * third, more_low = fma_f64(cube, third, -more);
    more_low = fma_f64(cube_low, third, fma_f64(cube, third_low, more_low));
    double first = s * 0x1.71547652b82fep+1, first_low = fma_f64(s, 0x1.71547652b82fep+1, -first);
    first_low = fma_f64(s, 0x1.777d0ffda0d24p-55, fma_f64(s_low, 0x1.71547652b82fep+1, first_low));
    double sum = first + more, sum_low = more - (sum - first) + (first_low + more_low);
    double result = e + sum;
    *low = sum - (result - e) + sum_low;
    return result;
}

/* x^y where x is no positive normal number or y is above 2^64, if r is |x|^y for a number |x|. */
__AH_FN double special_power(double x, double y, double r)
{
    double a = __builtin_fabs(x), size = __builtin_fabs(y);
    bool whole = __builtin_trunc(y) == y;
    bool odd = whole && size < 0x1p53 && (static_cast<long long>(size) & 1);
    if (a == 0 || a == __builtin_inf())
        r = (y < 0) == (a == 0) ? __builtin_inf() : 0.0;
    else if (x < 0 && !whole)
        r = __builtin_nan("");
    r = odd ? __builtin_copysign(r, x) : r;
    r = x != x || y != y ? x + y : r;
    return x == 1.0 || y == 0 ? 1.0 : r;
}

__AH_FN double pow_f64(double x, double y) /* 0.9 ULP */
{
    __AH_EXACT
    unsigned int size = high_word(y) & 0x7fffffffu;
    bool special =
        __builtin_expect(high_word(x) - 0x00100000u >= 0x7fe00000u || size >= 0x43f00000u, 0);
    double a = x, b = y;
    int more = 0;
    if (special) {
        a = __builtin_fabs(x);
        bool subnormal = a < 0x1p-1022;
        a = subnormal ? a * 0x1p54 : a;
        more = subnormal ? -54 : 0;
        b = size >= 0x43f00000u ? __builtin_copysign(0x1p64, y) : y;
    }
    double log_low, log = log2_in_two(a, more, &log_low);
    /* A sum, so that no compiler makes the product part of the next one: what it lacks is in low.
     */
    double power = fma_f64(log, b, 0x1p-1000);
    double low = fma_f64(b, log_low, fma_f64(log, b, -power));
    int n;
    double r = power - nearest_f64(power, 1.0, &n) + low;
    double v = scaled_exp(exp2_of_rest(r), n, power, 0x408fe000u, -1076.0, 1025.0);
    return special ? special_power(x, y, v) : v;
}
} // namespace __ah

#undef __AH_FN
#endif
