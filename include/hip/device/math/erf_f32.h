/* Single precision error functions and the normal distribution. The coefficients are from
 * tools/math/erf_f32.sollya. */
#ifndef HIP_DEVICE_MATH_ERF_F32_H
#define HIP_DEVICE_MATH_ERF_F32_H

#include "hip/device/math/exp_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* Below 0.92 x + x p(x x), relative error 2^-25.9, and above it 1 - 2^p(|x|), absolute error
 * 2^-29.3. 1.2 ulp. */
__AH_FN float erf_near(float x)
{
    float s = x * x;
    float p = -0x1.3bb414p-11f;
    p = __builtin_fmaf(p, s, 0x1.47a03p-8f);
    p = __builtin_fmaf(p, s, -0x1.b69c1p-6f);
    p = __builtin_fmaf(p, s, 0x1.ce1b86p-4f);
    p = __builtin_fmaf(p, s, -0x1.8126ecp-2f);
    p = __builtin_fmaf(p, s, 0x1.06eba6p-3f);
    return __builtin_fmaf(x, p, x);
}
__AH_FN float erf_far(float t)
{
    float p = 0x1.26e654p-12f;
    p = __builtin_fmaf(p, t, -0x1.1ed362p-8f);
    p = __builtin_fmaf(p, t, 0x1.063fcap-5f);
    p = __builtin_fmaf(p, t, -0x1.32db7ep-3f);
    p = __builtin_fmaf(p, t, -0x1.d6b908p-1f);
    p = __builtin_fmaf(p, t, -0x1.a0776ep+0f);
    p = __builtin_fmaf(p, t, -0x1.392bfp-12f);
    return 1.0f - hw::ex2(p);
}
__AH_FN float erf_f32(float x)
{
    float t = __builtin_fabsf(x);
    float far = __builtin_copysignf(erf_far(__builtin_fminf(t, 4.0f)), x);
    return t > 0.92f ? far : erf_near(x);
}

/* base^(t t) as a product of two factors, one of which is returned: the exponent is high s + low s,
 * where the square is s and a rest, and none of its digits may be lost. */
__AH_FN float power_of_square(float t, float high, float low, float *other)
{
    float s = t * t, rest = __builtin_fmaf(t, t, -s);
    float n = limited_power(s, high);
    float f = __builtin_fmaf(s, high, -whole_of(n));
    f = __builtin_fmaf(s, low, f);
    *other = power_of(n);
    return hw::ex2(__builtin_fmaf(rest, high, f));
}

/* erfc(t) e^(t t) / q for 0 <= t <= 10.1, with q = 1 / (1 + 3/8 t) and u = t q - 1: relative
 * error 2^-26. This form does not multiply the error of q. */
__AH_FN float erfc_ratio(float u)
{
    float p = 0x1.95542cp-16f;
    p = __builtin_fmaf(p, u, -0x1.6734dp-16f);
    p = __builtin_fmaf(p, u, -0x1.ba2cb6p-12f);
    p = __builtin_fmaf(p, u, 0x1.e0a03ap-11f);
    p = __builtin_fmaf(p, u, 0x1.7b0f58p-8f);
    p = __builtin_fmaf(p, u, -0x1.6023cep-5f);
    p = __builtin_fmaf(p, u, 0x1.2914bep-3f);
    p = __builtin_fmaf(p, u, -0x1.4591d8p-2f);
    p = __builtin_fmaf(p, u, 0x1.f545fcp-2f);
    return p;
}
/* 4 ulp. */
__AH_FN float erfc_f32(float x)
{
    float t = __builtin_fabsf(x), near = __builtin_fminf(t, 11.0f);
    /* a step of Newton that sees what the rounding of 1 + 3/8 t lost */
    float q = hw::rcp(__builtin_fmaf(near, 0.375f, 1.0f));
    q = __builtin_fmaf(__builtin_fmaf(-near, 0.375f * q, 1.0f - q), q, q);
    float power, e = power_of_square(near, -0x1.715476p+0f, -0x1.4ae0cp-26f, &power);
    float r = e * (q * erfc_ratio(__builtin_fmaf(near, q, -1.0f))) * power;
    r = x < 0.0f ? 2.0f - r : r;
    return x != x ? x : r;
}

/* The same for the normal distribution at -t, up to 14.3, with q = 1 / (1 + 0.265 t) and
 * u = t q - 3/2. */
__AH_FN float normcdf_ratio(float u)
{
    float p = 0x1.929546p-21f;
    p = __builtin_fmaf(p, u, -0x1.a7a74ep-22f);
    p = __builtin_fmaf(p, u, -0x1.c0a8eep-16f);
    p = __builtin_fmaf(p, u, 0x1.173846p-14f);
    p = __builtin_fmaf(p, u, 0x1.8d57f4p-11f);
    p = __builtin_fmaf(p, u, -0x1.e1b974p-8f);
    p = __builtin_fmaf(p, u, 0x1.19550cp-5f);
    p = __builtin_fmaf(p, u, -0x1.b38f2ep-4f);
    p = __builtin_fmaf(p, u, 0x1.e205ccp-3f);
    return p;
}
/* 4 ulp. */
__AH_FN float normcdf_f32(float x)
{
    float t = __builtin_fabsf(x), near = __builtin_fminf(t, 15.0f);
    float q = hw::rcp(__builtin_fmaf(t, 0.265f, 1.0f));
    float power, e = power_of_square(near, -0x1.715476p-1f, -0x1.4ae0cp-27f, &power);
    float r = e * (q * normcdf_ratio(__builtin_fmaf(near, q, -1.5f))) * power;
    return x > 0.0f ? 1.0f - r : r;
}

/* erfc(t) e^(t t) / q for all t >= 0, with q = 1 / (1 + 2/5 t) and u = t q - 5/4:
 * relative error 2^-25.1. */
__AH_FN float erfcx_ratio(float u)
{
    float p = -0x1.d6635p-19f;
    p = __builtin_fmaf(p, u, 0x1.755fdep-20f);
    p = __builtin_fmaf(p, u, 0x1.84967ep-15f);
    p = __builtin_fmaf(p, u, -0x1.223ab8p-15f);
    p = __builtin_fmaf(p, u, -0x1.095a7ep-11f);
    p = __builtin_fmaf(p, u, 0x1.200802p-10f);
    p = __builtin_fmaf(p, u, 0x1.309992p-8f);
    p = __builtin_fmaf(p, u, -0x1.1f4f28p-5f);
    p = __builtin_fmaf(p, u, 0x1.dbf656p-4f);
    p = __builtin_fmaf(p, u, -0x1.07ab18p-2f);
    p = __builtin_fmaf(p, u, 0x1.afbb4p-2f);
    return p;
}
/* The quotient is taken of a quarter of its argument, so that neither is subnormal. 4 ulp. */
__AH_FN float erfcx_f32(float x)
{
    float t = __builtin_fabsf(x), q = hw::rcp(__builtin_fmaf(t, 0.1f, 0.25f)) * 0.25f;
    float r = q * erfcx_ratio(__builtin_fmaf(__builtin_fminf(t, 0x1.fffffep+127f), q, -1.25f));
    float power,
        e = power_of_square(__builtin_fminf(t, 9.4f), 0x1.715476p+0f, 0x1.4ae0cp-26f, &power);
    return x < 0.0f ? __builtin_fmaf(e + e, power, -r) : r;
}
} // namespace __ah

#undef __AH_FN
#endif
