/* The gamma function and its logarithm in single precision. The coefficients are from
 * tools/math/gamma_f32.sollya. */
#ifndef HIP_DEVICE_MATH_GAMMA_F32_H
#define HIP_DEVICE_MATH_GAMMA_F32_H

#include "hip/device/math/pow_f32.h"
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

/* log2 Gamma(y) - (y - 1/2) log2 y + y log2 e - log2 sqrt(2 pi), times y, for y >= 2 and z = 1 / y:
 * error 2^-25.7 of the logarithm. */
__AH_FN float gamma_exponent(float z)
{
    float p = 0x1.2d5b9ep-11f;
    p = __builtin_fmaf(p, z, 0x1.410fa8p-12f);
    p = __builtin_fmaf(p, z, -0x1.0a82ccp-8f);
    p = __builtin_fmaf(p, z, 0x1.0b9e28p-18f);
    p = __builtin_fmaf(p, z, 0x1.ec709p-4f);
    return p;
}
/* 2^f for -0.51 <= f <= 0.58, relative error 2^-26.98; it grows beyond. */
__AH_FN float exp2_near_0(float f)
{
    float p = 0x1.464ef2p-13f;
    p = __builtin_fmaf(p, f, 0x1.5fc06ap-10f);
    p = __builtin_fmaf(p, f, 0x1.3b28bp-7f);
    p = __builtin_fmaf(p, f, 0x1.c6ad9ap-5f);
    p = __builtin_fmaf(p, f, 0x1.ebfbep-3f);
    p = __builtin_fmaf(p, f, 0x1.62e432p-1f);
    p = __builtin_fmaf(p, f, 1.0f);
    return p;
}
/* Gamma(y) / sqrt(2 pi) for 2 <= y <= 43, as the product of the result and *power, or 2^48 over it,
 * so that the power is a normal number. y_low is a small part of the argument that y lacks. The
 * hardware's ex2, which has an error of two units itself, would leave six of them. */
__AH_FN float gamma_in_two(float y, float y_low, bool inverse, float *power)
{
#pragma clang fp reassociate(off)
    float low, l = log2_in_two(y, &low), z = hw::rcp(y), above = y - 0.5f;
    float high = product(above, l),
          rest = __builtin_fmaf(above, low, __builtin_fmaf(above, l, -high));
    float less = product(y, 0x1.715476p+0f), tail = __builtin_fmaf(y, 0x1.715476p+0f, -less);
    rest -= __builtin_fmaf(y, 0x1.4ae0cp-26f, tail);
    rest = __builtin_fmaf(z, gamma_exponent(z), rest);
    rest = __builtin_fmaf(y_low, __builtin_fmaf(z, -0.72f, l), rest);
    float sign = inverse ? -1.0f : 1.0f, whole = high - less;
    rest += (high - whole) - less; /* what the difference was rounded by */
    float more = inverse ? 48.0f : 0.0f;
    float n = limited_power(__builtin_fmaf(sign, whole, more), 1.0f);
    *power = power_of(n);
    float left = __builtin_fmaf(sign, whole, more - whole_of(n));
    return exp2_near_0(__builtin_fmaf(sign, rest, left));
}
/* 4 ulp. Below 2 it is Gamma(x + 2) / (x (x + 1)), and Gamma(-a) is -pi / (a sin(pi a) Gamma(a)).
 * It is infinite before 43, and 0 before -43. */
__AH_FN float tgamma_f32(float x)
{
    float a = __builtin_fabsf(x), below = 1.0f, factor = 0x1.40d932p+1f;
    bool small = a < 2.0f, negative = x < 0.0f;
    float y = small ? a + 2.0f : __builtin_fminf(a, 43.0f);
    if (negative) {
        float sine = sinpi_f32(a);
        below = small ? sine : a * sine;
        below = sine == 0.0f ? __builtin_nanf("") : below;
        factor = -0x1.40d932p-48f;
        factor = small ? __builtin_fmaf(factor, a, factor) : factor;
    } else {
        below = small ? __builtin_fmaf(a, a, a) : 1.0f;
    }
    float power, r = gamma_in_two(y, small ? a - (y - 2.0f) : 0.0f, negative, &power);
    float scale = small ? 0x1p+24f : 1.0f; /* for one over a subnormal number */
    below *= scale;
    float q = hw::rcp(below);
    r *= factor;
    float quotient = r * q;
    quotient = __builtin_fmaf(__builtin_fmaf(-below, quotient, r), q, quotient);
    r = quotient * (power * scale);
    r = x == 0.0f ? __builtin_copysignf(__builtin_inff(), x) : r;
    return x != x ? x : r;
}
} // namespace __ah

#undef __AH_FN
#endif
