/* The logarithm of the gamma function in single precision. The coefficients are from
 * tools/math/gamma_f32.sollya. */
#ifndef HIP_DEVICE_MATH_GAMMA_F32_H
#define HIP_DEVICE_MATH_GAMMA_F32_H

#include "hip/device/math/log_f32.h"
#include "hip/device/math/trig_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* ln Gamma(y) / ((y - 1) (y - 2)) for 1 <= y <= 4 and u = (y - 2) / (y + 1): relative error
 * 2^-25.9. */
__AH_FN float lgamma_ratio(float u)
{
    float p = -0x1.447306p-8f;
    p = __builtin_fmaf(p, u, -0x1.ac88cp-8f);
    p = __builtin_fmaf(p, u, -0x1.8e5964p-8f);
    p = __builtin_fmaf(p, u, -0x1.83b10ep-8f);
    p = __builtin_fmaf(p, u, -0x1.af4ddap-7f);
    p = __builtin_fmaf(p, u, -0x1.2c86fcp-7f);
    p = __builtin_fmaf(p, u, -0x1.57b394p-5f);
    p = __builtin_fmaf(p, u, -0x1.178bd4p-8f);
    p = __builtin_fmaf(p, u, -0x1.342cbcp-2f);
    p = __builtin_fmaf(p, u, 0x1.b0ee6p-2f);
    return p;
}
/* What ln Gamma(y) - (y - 1/2) (ln y - 1) is for y >= 4 and z = 1 / y: absolute error 2^-26. */
__AH_FN float stirling_rest(float z)
{
    float p = -0x1.5a5c06p-9f;
    p = __builtin_fmaf(p, z, -0x1.e004e2p-16f);
    p = __builtin_fmaf(p, z, 0x1.555716p-4f);
    p = __builtin_fmaf(p, z, 0x1.acfe38p-2f);
    return p;
}
/* ln Gamma(-a) = ln(pi / |sin(pi a)|) - ln Gamma(1 + a). Between -2.26 and -10 the logarithm has
 * zeros of its own, and an absolute error of some 2^-23 close to them. */
__AH_FN float lgamma_negative(float a)
{
    bool near = a < 3.0f;
    float y = a + 1.0f, q = hw::rcp(near ? a + 2.0f : y);
    float r = lgamma_ratio((a - 1.0f) * q) * (a * (a - 1.0f));
    float far = __builtin_fmaf(a + 0.5f, log_f32(y) - 1.0f, stirling_rest(q));
    bool least = a < 0x1p-60f; /* pi a may not be a normal number, and sin(pi a) / pi is a */
    float sine = log_f32(least ? a : __builtin_fabsf(sinpi_f32(a)));
    r = (least ? 0.0f : 0x1.250d04p+0f) - sine - (near ? r : far);
    return a >= 0x1p+23f ? __builtin_inff() : r;
}
/* 4 ulp. Below 1 it is that of 1 + x, less ln x. */
__AH_FN float lgamma_f32(float x)
{
    if (x < 0.0f)
        return lgamma_negative(-x);
    bool below = x < 1.0f, near = x < 4.0f;
    float b = below ? x : x - 1.0f;
    float q = hw::rcp(near ? b + 2.0f : x), l = log_f32(x);
    float r = lgamma_ratio((b - 1.0f) * q) * __builtin_fmaf(b, b - 1.0f, 0.0f); /* +0 at 1 */
    r = below ? r - l : r;
    float far = __builtin_fmaf(x - 0.5f, l - 1.0f, stirling_rest(q));
    return near ? r : far;
}
} // namespace __ah

#undef __AH_FN
#endif
