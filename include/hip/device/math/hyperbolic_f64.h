/* Hyperbolic functions of doubles. Coefficients: tools/math/hyperbolic_f64.sollya. */
#ifndef HIP_DEVICE_MATH_HYPERBOLIC_F64_H
#define HIP_DEVICE_MATH_HYPERBOLIC_F64_H

#include "hip/device/math/exp_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* |x| = n ln 2 + r; what cosh r has beyond 1 and sinh r beyond r, relative errors of the sums
 * 2^-56.3 and 2^-59.4; and 2^n / 2 and
 * 2^-n / 2, whose sum and difference are cosh and sinh of n ln 2. */
struct hyperbolic_f64 {
    double r, more_cosh, more_sinh, up, down;
    int n;
};
__AH_FN hyperbolic_f64 hyperbolic(double x)
{
    __AH_EXACT
    hyperbolic_f64 h;
    h.r = ln2_rest(__builtin_fabs(x), &h.n);
    double z = h.r * h.r, p = 0x1.af32cp-26;
    p = fma_f64(p, z, 0x1.71de1p-19);
    p = fma_f64(p, z, 0x1.a01a01a75d319p-13);
    p = fma_f64(p, z, 0x1.1111111110935p-7);
    p = fma_f64(p, z, 0x1.5555555555556p-3);
    h.more_sinh = z * p * h.r;
    p = 0x1.2891dp-22;
    p = fma_f64(p, z, 0x1.a019b8ba1f6abp-16);
    p = fma_f64(p, z, 0x1.6c16c178aaac3p-10);
    p = fma_f64(p, z, 0x1.5555555553cdbp-5);
    p = fma_f64(p, z, 0x1.0000000000001p-1);
    h.more_cosh = z * p;
    h.up = power_of_2(h.n - 1);
    h.down = power_of_2(-1 - (h.n < 60 ? h.n : 60));
    return h;
}
/* where 2^n is no number, sinh and cosh are half of e^|x| */
__AH_FN bool overflows_cosh(double x)
{
    return __builtin_expect((high_word(x) & 0x7fffffffu) >= 0x40862000u, 0);
}
__AH_FN double large_cosh(double x, hyperbolic_f64 h)
{
    __AH_EXACT
    double a = __builtin_fabs(x);
    double v = (1.0 + (h.r + (h.more_sinh + h.more_cosh))) * power_of_2(h.n - 2) * 2.0;
    v = a > 711.0 ? __builtin_inf() : v;
    return x != x ? x + x : v;
}

__AH_FN double sinh_f64(double x) /* 2 ULP */
{
    __AH_EXACT
    hyperbolic_f64 h = hyperbolic(x);
    double cosh_n = h.up + h.down, sinh_n = h.up - h.down;
    double v = fma_f64(h.more_sinh, cosh_n, h.more_cosh * sinh_n);
    v = fma_f64(h.r, cosh_n, sinh_n) + v;
    if (overflows_cosh(x))
        v = large_cosh(x, h);
    return __builtin_copysign(v, x);
}
__AH_FN double cosh_f64(double x) /* 1.4 ULP */
{
    __AH_EXACT
    hyperbolic_f64 h = hyperbolic(x);
    double v = fma_f64(h.r + h.more_sinh, h.up - h.down, h.down);
    v = h.up + fma_f64(h.more_cosh, h.up + h.down, v);
    if (overflows_cosh(x))
        v = large_cosh(x, h);
    return v;
}

/* With p = e^2|x| - 1 it is p / (p + 2), in which what the sums leave is counted. From 22 on it
 * is 1. */
__AH_FN double tanh_f64(double x) /* 0.9 ULP */
{
    __AH_EXACT
    int n;
    double a = __builtin_fabs(x);
    a = a > 22.0 ? 22.0 : a;
    double rest, r = ln2_rest(a + a, &n, &rest), q = fma_f64(exp_tail(r) * r, r, rest);
    double power = power_of_2(n), less = power - 1.0, high = fma_f64(r, power, less);
    double more = fma_f64(q, power, fma_f64(r, power, less - high));
    double p = high + more, left = more - (p - high);
    double under = p + 2.0, low = p - (under - 2.0) + left, inverse = rough_inverse(under);
    double v = p * inverse;
    v = fma_f64(fma_f64(-v, low, fma_f64(-v, under, p) + left), inverse, v);
    return __builtin_copysign(v, x);
}
} // namespace __ah

#undef __AH_FN
#endif
