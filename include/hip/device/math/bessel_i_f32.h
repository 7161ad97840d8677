/* Single precision modified Bessel functions of the first kind, of order 0 and 1. The coefficients
 * are from tools/math/bessel_i_f32.sollya.
 *
 * Below 12 a polynomial in u = x x, from there on e^x / sqrt(x) times one in q = 1 / x. */
#ifndef HIP_DEVICE_MATH_BESSEL_I_F32_H
#define HIP_DEVICE_MATH_BESSEL_I_F32_H

#include "hip/device/math/exp_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* relative error 2^-25.2 */
__AH_FN float i0_near(float u)
{
    float p = 0x1.2c6e9p-71f;
    p = __builtin_fmaf(p, u, -0x1.e26e9p-65f);
    p = __builtin_fmaf(p, u, 0x1.d9bb16p-55f);
    p = __builtin_fmaf(p, u, 0x1.f72c28p-48f);
    p = __builtin_fmaf(p, u, 0x1.68c5eap-39f);
    p = __builtin_fmaf(p, u, 0x1.fe657ap-32f);
    p = __builtin_fmaf(p, u, 0x1.240538p-24f);
    p = __builtin_fmaf(p, u, 0x1.c6ef14p-18f);
    p = __builtin_fmaf(p, u, 0x1.c7222ep-12f);
    p = __builtin_fmaf(p, u, 0x1.ffff58p-7f);
    p = __builtin_fmaf(p, u, 0x1.000006p-2f);
    p = __builtin_fmaf(p, u, 0x1p0f);
    return p;
}
/* relative error 2^-27.2, divided by x */
__AH_FN float i1_near(float u)
{
    float p = 0x1.7bbeeap-76f;
    p = __builtin_fmaf(p, u, -0x1.e9e5a6p-70f);
    p = __builtin_fmaf(p, u, 0x1.5e8f9cp-59f);
    p = __builtin_fmaf(p, u, 0x1.e0df36p-52f);
    p = __builtin_fmaf(p, u, 0x1.62c8f4p-43f);
    p = __builtin_fmaf(p, u, 0x1.24fae8p-35f);
    p = __builtin_fmaf(p, u, 0x1.84ff86p-28f);
    p = __builtin_fmaf(p, u, 0x1.6c019ep-21f);
    p = __builtin_fmaf(p, u, 0x1.c71f6cp-15f);
    p = __builtin_fmaf(p, u, 0x1.555524p-9f);
    p = __builtin_fmaf(p, u, 0x1.000002p-4f);
    p = __builtin_fmaf(p, u, 0x1p-1f);
    return p;
}
/* relative error 2^-25.1 */
__AH_FN float i0_far(float q)
{
    float p = 0x1.474f1ep-4f;
    p = __builtin_fmaf(p, q, 0x1.a46638p-6f);
    p = __builtin_fmaf(p, q, 0x1.ce002cp-6f);
    p = __builtin_fmaf(p, q, 0x1.987f3p-5f);
    p = __builtin_fmaf(p, q, 0x1.988454p-2f);
    return p;
}
/* relative error 2^-25.1 */
__AH_FN float i1_far(float q)
{
    float p = -0x1.5dbe9ep-4f;
    p = __builtin_fmaf(p, q, -0x1.426132p-5f);
    p = __builtin_fmaf(p, q, -0x1.7f09f6p-5f);
    p = __builtin_fmaf(p, q, -0x1.3263c8p-3f);
    p = __builtin_fmaf(p, q, 0x1.988454p-2f);
    return p;
}

/* p, a polynomial at the rounded square of a, corrected for that rounding, whose effect grows with
 * a. The slope is that of log p near 10. */
__AH_FN float i_near(float a, float p, float slope)
{
    float u = a * a, lost = __builtin_fmaf(a, a, -u);
    return __builtin_fmaf(p, lost * slope, p);
}

/* e^r for |r| <= ln 2 / 2, relative error 2^-26.5 */
__AH_FN float exp_of_rest(float r)
{
    float p = 0x1.6d4e66p-10f;
    p = __builtin_fmaf(p, r, 0x1.120c18p-7f);
    p = __builtin_fmaf(p, r, 0x1.5554e8p-5f);
    p = __builtin_fmaf(p, r, 0x1.5554dcp-3f);
    p = __builtin_fmaf(p, r, 0x1p-1f);
    p = __builtin_fmaf(p, r, 0x1p0f);
    p = __builtin_fmaf(p, r, 0x1p0f);
    return p;
}
/* e^a r p for r = 1 / sqrt(a): 2^20 and 2^(n - 20) come last, because e^a overflows before the
 * result does. a is at most 100, where the result is infinity. */
__AH_FN float i_scaled(float a, float r, float p)
{
    float n = __builtin_fmaf(a, 0x1.715476p+0f, 0x1.8p23f + 107), whole = n - (0x1.8p23f + 107);
    float rest = __builtin_fmaf(whole, -0x1.62e43p-1f, a);
    rest = __builtin_fmaf(whole, 0x1.05c61p-29f, rest);
    return exp_of_rest(rest) * (r * p) * 0x1p20f * power_of(n);
}

/* 4.6 ulp */
__AH_FN float cyl_bessel_i0_f32(float x)
{
    float a = __builtin_fabsf(x);
    if (a < 12.0f)
        return i_near(a, i0_near(a * a), 0.045f);
    a = a > 100.0f ? 100.0f : a;
    float r = hw::rsq(a);
    return i_scaled(a, r, i0_far(r * r));
}

/* 4.6 ulp */
__AH_FN float cyl_bessel_i1_f32(float x)
{
    float a = __builtin_fabsf(x);
    if (a < 12.0f)
        return x * i_near(a, i1_near(a * a), 0.04f);
    a = a > 100.0f ? 100.0f : a;
    float r = hw::rsq(a);
    return __builtin_copysignf(i_scaled(a, r, i1_far(r * r)), x);
}
} // namespace __ah

#undef __AH_FN
#endif
