/* Single precision Bessel functions of the first kind, of order 0 and 1. The coefficients are from
 * tools/math/bessel_f32.sollya.
 *
 * Below 8 a polynomial in s = x x is multiplied by s - z z for the two zeros z there, with z z in
 * two parts, so that the result keeps its digits around them. From 8 on the function is sqrt(2 /
 * (pi x)) M cos(x + F / x - pi/4 - n pi/2) with M and F as polynomials in 1 / (x x): an absolute
 * error of some 2^-23 of that root. */
#ifndef HIP_DEVICE_MATH_BESSEL_F32_H
#define HIP_DEVICE_MATH_BESSEL_F32_H

#include "hip/device/math/trig_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* relative error 2^-24.9 */
__AH_FN float j0_near(float a)
{
    float u = __builtin_fmaf(a, a, -64.0f);
    float p = -0x1.fffd76p-75f;
    p = __builtin_fmaf(p, u, 0x1.8c8524p-66f);
    p = __builtin_fmaf(p, u, -0x1.d4061cp-58f);
    p = __builtin_fmaf(p, u, 0x1.11b784p-49f);
    p = __builtin_fmaf(p, u, -0x1.bbff08p-42f);
    p = __builtin_fmaf(p, u, 0x1.0a8426p-34f);
    p = __builtin_fmaf(p, u, -0x1.ae4da8p-28f);
    p = __builtin_fmaf(p, u, 0x1.a1ff58p-22f);
    p = __builtin_fmaf(p, u, -0x1.86c896p-17f);
    p = __builtin_fmaf(p, u, 0x1.70d78p-14f);
    float first = __builtin_fmaf(a, a, -0x1.721fb8p+2f) - 0x1.18aeeep-28f;
    float second = __builtin_fmaf(a, a, -0x1.e78a4ap+4f) - 0x1.88775cp-22f;
    return p * first * second;
}
/* relative error 2^-24.7, divided by a */
__AH_FN float j1_near(float a)
{
    float u = __builtin_fmaf(a, a, -64.0f);
    float p = -0x1.28a09cp-78f;
    p = __builtin_fmaf(p, u, 0x1.5b9018p-71f);
    p = __builtin_fmaf(p, u, -0x1.d2513cp-62f);
    p = __builtin_fmaf(p, u, 0x1.021eccp-53f);
    p = __builtin_fmaf(p, u, -0x1.f393aap-46f);
    p = __builtin_fmaf(p, u, 0x1.60578cp-38f);
    p = __builtin_fmaf(p, u, -0x1.5dc494p-31f);
    p = __builtin_fmaf(p, u, 0x1.bdc36p-25f);
    p = __builtin_fmaf(p, u, -0x1.3848bcp-19f);
    p = __builtin_fmaf(p, u, 0x1.517f3p-15f);
    float first = __builtin_fmaf(a, a, -0x1.d5d2b4p+3f) - 0x1.89822cp-25f;
    float second = __builtin_fmaf(a, a, -0x1.89bf66p+5f) - 0x1.ca90c8p-25f;
    return p * first * second;
}

/* M, error 2^-29, and F, error 2^-27, for order 0; w = 1 / (x x) */
__AH_FN float j0_modulus(float w)
{
    float p = -0x1.a87cdcp-2f;
    p = __builtin_fmaf(p, w, 0x1.a3beeep-4f);
    p = __builtin_fmaf(p, w, -0x1.fffabcp-5f);
    p = __builtin_fmaf(p, w, 0x1p+0f);
    return p;
}
__AH_FN float j0_phase(float w)
{
    float p = 0x1.1c6196p+0f;
    p = __builtin_fmaf(p, w, -0x1.a357c6p-3f);
    p = __builtin_fmaf(p, w, 0x1.0a9ae8p-4f);
    p = __builtin_fmaf(p, w, -0x1.fffffep-4f);
    return p;
}
/* the same for order 1, errors 2^-28.5 and 2^-26.7 */
__AH_FN float j1_modulus(float w)
{
    float p = 0x1.43c35ep-1f;
    p = __builtin_fmaf(p, w, -0x1.891c56p-3f);
    p = __builtin_fmaf(p, w, 0x1.7ffe34p-3f);
    p = __builtin_fmaf(p, w, 0x1p+0f);
    return p;
}
__AH_FN float j1_phase(float w)
{
    float p = -0x1.ba4636p+0f;
    p = __builtin_fmaf(p, w, 0x1.7691fep-2f);
    p = __builtin_fmaf(p, w, -0x1.4ff996p-3f);
    p = __builtin_fmaf(p, w, 0x1.8p-2f);
    return p;
}

/* sine and cosine of a + phase, for a >= 8 and a small phase */
__AH_FN void sincos_of_sum(float a, float phase, float *sine, float *cosine)
{
    unsigned int n;
    float r = quarter_remainder(a, &n) + phase, s = sin_quarter(r), c = cos_quarter(r);
    *sine = turned(n, s, c);
    *cosine = turned(n + 1, s, c);
}

/* cos(t - pi/4) is (cos t + sin t) / sqrt 2. 4 ulp below 8. */
__AH_FN float j0_f32(float x)
{
    float a = __builtin_fabsf(x), q = hw::rcp(a), w = q * q, s, c;
    sincos_of_sum(a, q * j0_phase(w), &s, &c);
    float far = 0x1.20dd76p-1f * hw::rsq(a) * j0_modulus(w) * (c + s);
    far = a < __builtin_inff() ? far : 0.0f;
    return a >= 8.0f ? far : j0_near(a);
}
/* cos(t - 3 pi/4) is (sin t - cos t) / sqrt 2. 4 ulp below 8. */
__AH_FN float j1_f32(float x)
{
    float a = __builtin_fabsf(x), q = hw::rcp(a), w = q * q, s, c;
    sincos_of_sum(a, q * j1_phase(w), &s, &c);
    float far = 0x1.20dd76p-1f * hw::rsq(a) * j1_modulus(w) * (s - c);
    far = a < __builtin_inff() ? far : 0.0f;
    far = x < 0.0f ? -far : far;
    return a >= 8.0f ? far : x * j1_near(a);
}
} // namespace __ah

#undef __AH_FN
#endif
