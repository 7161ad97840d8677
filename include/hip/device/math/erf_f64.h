/* Double precision error functions. Coefficients: tools/math/erf_f64.py (erf)
 * and tools/math/erf_f64.sollya. */
#ifndef HIP_DEVICE_MATH_ERF_F64_H
#define HIP_DEVICE_MATH_ERF_F64_H

#include "hip/device/math/exp_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* log(erfc t) / t for t up to 5.93; with it the relative error of erf t is 2^-54.9. */
__AH_FN double log_erfc_ratio(double t)
{
    double p = 0x1.02b3673432e95p-48;
    p = fma_f64(p, t, -0x1.6b73dc2bcf135p-43);
    p = fma_f64(p, t, 0x1.d945bbf2dca06p-39);
    p = fma_f64(p, t, -0x1.7a3b03cf2d98p-35);
    p = fma_f64(p, t, 0x1.9d55d89124686p-32);
    p = fma_f64(p, t, -0x1.444f3c96187bap-29);
    p = fma_f64(p, t, 0x1.7209e4afd2e36p-27);
    p = fma_f64(p, t, -0x1.28f7d7f307701p-25);
    p = fma_f64(p, t, 0x1.1a2b23fe33444p-24);
    p = fma_f64(p, t, 0x1.94fa1b7e41c5p-27);
    p = fma_f64(p, t, -0x1.326daf4575cd8p-21);
    p = fma_f64(p, t, 0x1.1173a7927d8d2p-19);
    p = fma_f64(p, t, -0x1.a486c6a7c54e8p-19);
    p = fma_f64(p, t, -0x1.a966fd287f436p-19);
    p = fma_f64(p, t, 0x1.f03200e5ba6abp-16);
    p = fma_f64(p, t, -0x1.0e32e2dd931e9p-14);
    p = fma_f64(p, t, -0x1.b29b16dcf75fp-16);
    p = fma_f64(p, t, 0x1.35663c28b49dcp-11);
    p = fma_f64(p, t, -0x1.bca691e740c79p-10);
    p = fma_f64(p, t, 0x1.b6b6a1d2a0803p-13);
    p = fma_f64(p, t, 0x1.396685908bfb4p-6);
    p = fma_f64(p, t, -0x1.a4f4e2a1a9b1ap-4);
    p = fma_f64(p, t, -0x1.45f306dc9c8d9p-1);
    p = fma_f64(p, t, -0x1.20dd750429b6dp+0);
    return p;
}
/* 1 - e^(log erfc t), in which e^r - 1 keeps its digits. */
__AH_FN double erf_f64(double x) /* 2 ULP */
{
    __AH_EXACT
    double t = __builtin_fabs(x);
    t = t > 5.93 ? 5.93 : t;
    int n;
    double r = ln2_rest(t * log_erfc_ratio(t), &n), power = power_of_2(n);
    double result = fma_f64(exp_tail(r) * r * r, power, fma_f64(r, power, power - 1.0));
    return __builtin_copysign(result, x);
}

/* erfc(t) e^(t t) / q for 0 <= t <= 27.3, with q = 1 / (1 + 0.3 t) and u = t q - 3/2: relative
 * error 2^-54.3. This form does not multiply the error of q. */
__AH_FN double erfc_ratio(double u)
{
    double p = 0x1.5d49734725647p-48;
    p = fma_f64(p, u, 0x1.2779a97028428p-47);
    p = fma_f64(p, u, -0x1.30485e0debdf7p-43);
    p = fma_f64(p, u, -0x1.6acf11f7b77fap-42);
    p = fma_f64(p, u, 0x1.3aedee0e8b71cp-39);
    p = fma_f64(p, u, 0x1.1242c68bdf50ap-37);
    p = fma_f64(p, u, -0x1.1ed7540ff906dp-35);
    p = fma_f64(p, u, -0x1.5c57fb685b455p-33);
    p = fma_f64(p, u, 0x1.242d94d5d6607p-31);
    p = fma_f64(p, u, 0x1.9fa616ec7a551p-29);
    p = fma_f64(p, u, -0x1.855d5a3c62655p-27);
    p = fma_f64(p, u, -0x1.cef95aca53c59p-25);
    p = fma_f64(p, u, 0x1.504003f8afd66p-22);
    p = fma_f64(p, u, 0x1.5c27f3a5b58adp-21);
    p = fma_f64(p, u, -0x1.3b8bdf45b72fap-17);
    p = fma_f64(p, u, 0x1.1a2ac53a42076p-16);
    p = fma_f64(p, u, 0x1.8fc86f7501662p-13);
    p = fma_f64(p, u, -0x1.d3cb4fddb00bdp-10);
    p = fma_f64(p, u, 0x1.1ff42070c6758p-7);
    p = fma_f64(p, u, -0x1.fc4c229766325p-6);
    p = fma_f64(p, u, 0x1.5efb61be3ce1bp-4);
    p = fma_f64(p, u, -0x1.89505933c3403p-3);
    p = fma_f64(p, u, 0x1.6b42329951419p-2);
    return p;
}
__AH_FN double erfc_f64(double x) /* 4 ULP */
{
    __AH_EXACT
    double t = __builtin_fabs(x);
    t = t < 28.0 ? t : 28.0;
    double q = inverse_f64(fma_f64(t, 0.3, 1.0)), ratio = q * erfc_ratio(fma_f64(t, q, -1.5));
    int n;
    double s = t * t, r = ln2_rest(-s, &n) - fma_f64(t, t, -s);
    double p = fma_f64(fma_f64(exp_tail(r), r, 1.0), r, 1.0) * ratio;
    double result = times_power(p, n);
    if (__builtin_expect(t > 26.0, 0)) /* it may be subnormal */
        result = times_any_power(p, n);
    result = x < 0.0 ? 2.0 - result : result;
    return x != x ? x : result;
}
} // namespace __ah

#undef __AH_FN
#endif
