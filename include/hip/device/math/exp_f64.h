/* Exponentials of doubles. Coefficients: tools/math/exp_f64.sollya; those of the highest degrees
 * have 21 bits, which are one immediate operand.
 *
 * The argument is n units and a rest of at most half of one, the unit being what doubles the
 * result; a polynomial of the rest is multiplied by 2^n. */
#ifndef HIP_DEVICE_MATH_EXP_F64_H
#define HIP_DEVICE_MATH_EXP_F64_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* p 2^n, where x is the argument that p and n came from: infinity above high, 0 below low, and
 * NaN for NaN. Below `certain`, the high word of |x|, the result is a normal number. */
__AH_FN double scaled_exp(double p, int n, double x, unsigned int certain, double low, double high)
{
#if defined(__AMDGCN__)
    (void)certain;
    double r = __builtin_ldexp(p, n);
    r = x > high ? __builtin_inf() : r;
    return x < low ? 0.0 : r;
#else
    double r = times_power(p, n);
    if (__builtin_expect((high_word(x) & 0x7fffffffu) >= certain, 0)) {
        r = times_any_power(p, n);
        r = x > high ? __builtin_inf() : r;
        r = x < low ? 0.0 : r;
        r = x != x ? x + x : r;
    }
    return r;
#endif
}

/* r and n of x = n ln 2 + r; *rest gets what the rounding of r left */
__AH_FN double ln2_rest(double x, int *n, double *rest)
{
    __AH_EXACT
    double k = nearest_f64(x, 0x1.71547652b82fep+0, n);
    double whole = fma_f64(k, -0x1.62e42fefa39efp-1, x);
    double r = fma_f64(k, -0x1.abc9e3b39803fp-56, whole);
    *rest = fma_f64(k, -0x1.abc9e3b39803fp-56, whole - r);
    return r;
}
__AH_FN double ln2_rest(double x, int *n)
{
    double rest;
    return ln2_rest(x, n, &rest);
}
/* (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2; with it the error of e^r is 2^-55.6. */
__AH_FN double exp_tail(double r)
{
    double p = 0x1.af6f6p-26;
    p = fma_f64(p, r, 0x1.2891dp-22);
    p = fma_f64(p, r, 0x1.71ddfp-19);
    p = fma_f64(p, r, 0x1.a019b8ba1f6aap-16);
    p = fma_f64(p, r, 0x1.a01a01b284361p-13);
    p = fma_f64(p, r, 0x1.6c16c178aaac3p-10);
    p = fma_f64(p, r, 0x1.111111110f29p-7);
    p = fma_f64(p, r, 0x1.5555555553cdbp-5);
    p = fma_f64(p, r, 0x1.5555555555559p-3);
    return fma_f64(p, r, 0x1.0000000000001p-1);
}

__AH_FN double exp_f64(double x) /* 0.95 ULP */
{
    __AH_EXACT
    int n;
    double r = ln2_rest(x, &n);
    double p = fma_f64(fma_f64(exp_tail(r), r, 1.0), r, 1.0);
    return scaled_exp(p, n, x, 0x40862000u, -0x1.74910d52d3052p+9, 0x1.62e42fefa39efp+9);
}

/* 2^r for |r| <= 1/2, relative error 2^-56.4 */
__AH_FN double exp2_of_rest(double r)
{
    double p = 0x1.ec755p-32;
    p = fma_f64(p, r, 0x1.e6059p-28);
    p = fma_f64(p, r, 0x1.b5233p-24);
    p = fma_f64(p, r, 0x1.62bfd4e230aa4p-20);
    p = fma_f64(p, r, 0x1.ffcbfd49ffaa8p-17);
    p = fma_f64(p, r, 0x1.4309130943158p-13);
    p = fma_f64(p, r, 0x1.5d87fe7874364p-10);
    p = fma_f64(p, r, 0x1.3b2ab6fba1ec7p-7);
    p = fma_f64(p, r, 0x1.c6b08d704a1d4p-5);
    p = fma_f64(p, r, 0x1.ebfbdff82c598p-3);
    p = fma_f64(p, r, 0x1.62e42fefa39efp-1);
    return fma_f64(p, r, 1.0);
}
__AH_FN double exp2_f64(double x) /* 0.9 ULP */
{
    __AH_EXACT
    int n;
    double r = x - nearest_f64(x, 1.0, &n);
    return scaled_exp(exp2_of_rest(r), n, x, 0x408ff000u, -1075.0, 0x1.fffffffffffffp+9);
}

__AH_FN double exp10_f64(double x) /* 1 ULP */
{
    __AH_EXACT
    int n;
    double k = nearest_f64(x, 0x1.a934f0979a371p+1, &n);
    double r = fma_f64(k, -0x1.34413509f79ffp-2, x);
    r = fma_f64(k, 0x1.9dc1da994fd21p-59, r);
    double p = 0x1.f4e5cp-13;
    p = fma_f64(p, r, 0x1.2f66ep-10);
    p = fma_f64(p, r, 0x1.489b1p-8);
    p = fma_f64(p, r, 0x1.41166a565bd31p-6);
    p = fma_f64(p, r, 0x1.16e4de866fba5p-4);
    p = fma_f64(p, r, 0x1.a7ed709a9ab9dp-3);
    p = fma_f64(p, r, 0x1.1429ffd23b1c9p-1);
    p = fma_f64(p, r, 0x1.2bd7609fd6b5p+0);
    p = fma_f64(p, r, 0x1.0470591de2af8p+1);
    p = fma_f64(p, r, 0x1.53524c73cea6fp+1);
    p = fma_f64(p, r, 0x1.26bb1bbb55516p+1);
    p = fma_f64(p, r, 1.0);
    return scaled_exp(p, n, x, 0x40733000u, -0x1.439b746e36b53p+8, 0x1.34413509f79fep+8);
}

/* e^x - 1: r 2^n + (2^n - 1), to which comes what e^r has beyond 1 + r */
__AH_FN double expm1_f64(double x) /* 1.2 ULP */
{
    __AH_EXACT
    int n;
    double rest, r = ln2_rest(x, &n, &rest), q = fma_f64(exp_tail(r) * r, r, rest);
    double power = power_of_2(n);
    double result = fma_f64(q, power, fma_f64(r, power, power - 1.0));
    if (__builtin_expect((high_word(x) & 0x7fffffffu) >= 0x40862000u, 0)) {
        /* 2^n may not be a number */
        result = (r + q + 1.0) * 0x1p1022 * power_of_2(n - 1022);
        result = x > 0x1.62e42fefa39efp+9 ? __builtin_inf() : result;
        result = x < 0 ? -1.0 : result;
        result = x != x ? x + x : result;
    }
    return __builtin_copysign(result, x);
}
} // namespace __ah

#undef __AH_FN
#endif
