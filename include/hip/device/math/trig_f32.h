/* Single precision sine, cosine and tangent, of radians and of half turns. The coefficients are
 * from tools/math/trig_f32.sollya.
 *
 * The nearest multiple of pi / 2 is subtracted in three parts. From 2^17 on, infinity and NaN
 * included, what remains comes from a product with the digits of 1 / pi. */
#ifndef HIP_DEVICE_MATH_TRIG_F32_H
#define HIP_DEVICE_MATH_TRIG_F32_H

#include "hip/device/math/hw.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* 1 / pi behind 32 zeros */
constexpr unsigned int inverse_pi[] = {0,          0x517cc1b7, 0x27220a94, 0xfe13abe8,
                                       0xfa9a6ee0, 0x6db14acc, 0x9e21c820, 0xff28b1d5};

/* x / pi modulo 2, times 2^63, for |x| >= 2^-6: the mantissa times those 96 bits of 1 / pi of which
 * the first is worth 1 there. */
__AH_FN unsigned long long half_turns(float x)
{
    unsigned int b = bits_of(x), from = (b >> 23 & 255) - 119, low = from & 31;
    const unsigned int *word = inverse_pi + (from >> 5);
    unsigned long long two = static_cast<unsigned long long>(word[0]) << 32 | word[1];
    unsigned long long next = static_cast<unsigned long long>(word[2]) << 32 | word[3];
    unsigned long long between = two << 32 | next >> 32;
    unsigned long long m = (b & 0x7fffffu) | 0x800000u;
    unsigned long long product = (m * (two << low >> 32) << 32) + m * (between << low >> 32) +
                                 (m * (next << low >> 32) >> 32);
    return b >> 31 ? -product : product;
}

/* For any large x its distance from the nearest multiple of pi / 2; *n receives the low bits of the
 * multiple. NaN for infinity and NaN. */
__AH_FN float large_remainder(float x, unsigned int *n)
{
    unsigned long long turns = half_turns(x);
    *n = static_cast<unsigned int>((turns >> 61) + 1) >> 1;
    double fraction = static_cast<double>(static_cast<long long>(turns << 2));
    float r = static_cast<float>(fraction * 0x1.921fb54442d18p-64);
    return __builtin_fabsf(x) < __builtin_inff() ? r : __builtin_nanf("");
}

/* For |x| < 2^17; NaN for infinity and NaN. */
__AH_FN float usual_quarter_remainder(float x, unsigned int *n)
{
    float place = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f), whole = place - 0x1.8p23f;
    float r = __builtin_fmaf(whole, -0x1.921fb4p+0f, x); /* all parts of one sign: -0 stays -0 */
    r = __builtin_fmaf(whole, -0x1.4442dp-24f, r);
    *n = bits_of(place);
    return __builtin_fmaf(whole, -0x1.846988p-48f, r);
}
__AH_FN float quarter_remainder(float x, unsigned int *n)
{
    float r = usual_quarter_remainder(x, n);
    return __builtin_expect(!(__builtin_fabsf(x) < 0x1p17f), 0) ? large_remainder(x, n) : r;
}

/* for |r| <= pi / 4 */
__AH_FN float sin_quarter(float r)
{
    float z = r * r;
    float p = __builtin_fmaf(-0x1.99258p-13f, z, 0x1.1106d8p-7f);
    p = __builtin_fmaf(p, z, -0x1.555544p-3f);
    return __builtin_fmaf(__builtin_fmaf(p, z, 0.0f), r, r); /* the sum with 0 keeps -0 */
}
__AH_FN float cos_quarter(float r)
{
    float z = r * r;
    float p = __builtin_fmaf(0x1.99e42cp-16f, z, -0x1.6c0c2p-10f);
    p = __builtin_fmaf(p, z, 0x1.55554ap-5f);
    p = __builtin_fmaf(p, z, -0.5f);
    return __builtin_fmaf(p, z, 1.0f);
}
/* sin(n pi / 2 + r), r of a number of which s and c are sine and cosine */
__AH_FN float turned(unsigned int n, float s, float c)
{
    return float_of(bits_of(n & 1 ? c : s) ^ (n << 30 & 0x80000000u));
}

/* 1 ulp */
__AH_FN float sin_f32(float x)
{
    unsigned int n;
    float r = quarter_remainder(x, &n);
    return turned(n, sin_quarter(r), cos_quarter(r));
}
__AH_FN float cos_f32(float x)
{
    unsigned int n;
    float r = quarter_remainder(x, &n);
    return turned(n + 1, sin_quarter(r), cos_quarter(r));
}
__AH_FN void sincos_f32(float x, float *sine, float *cosine)
{
    unsigned int n;
    float r = quarter_remainder(x, &n), s = sin_quarter(r), c = cos_quarter(r);
    *sine = turned(n, s, c);
    *cosine = turned(n + 1, s, c);
}

/* 3 ulp; tan(pi / 2 + r) = -1 / tan r */
__AH_FN float tan_f32(float x)
{
    unsigned int n;
    float r = quarter_remainder(x, &n), z = r * r;
    float p = __builtin_fmaf(0x1.36e50cp-7f, z, 0x1.8286fcp-9f);
    p = __builtin_fmaf(p, z, 0x1.91fd18p-6f);
    p = __builtin_fmaf(p, z, 0x1.b54e76p-5f);
    p = __builtin_fmaf(p, z, 0x1.112f8cp-3f);
    p = __builtin_fmaf(p, z, 0x1.5554d6p-2f);
    float t = __builtin_fmaf(p, r * z, r);
    return n & 1 ? -hw::rcp(t) : t;
}

/* x = 2 k + n / 2 + r with |r| <= 1/4, exactly */
__AH_FN float quarter_of_half_turns(float x, unsigned int *n)
{
    float t = __builtin_fmaf(-2.0f, __builtin_rintf(x * 0.5f), x);
    float place = __builtin_fmaf(t, 2.0f, 0x1.8p23f);
    *n = bits_of(place);
    return __builtin_fmaf(place - 0x1.8p23f, -0.5f, t);
}
__AH_FN float sinpi_quarter(float r)
{
    float z = r * r;
    float p = __builtin_fmaf(-0x1.2dbd92p-1f, z, 0x1.465fc4p+1f);
    p = __builtin_fmaf(p, z, -0x1.4abbbep+2f);
    p = __builtin_fmaf(p, z, -0x1.777a5cp-24f);
    return __builtin_fmaf(r, 0x1.921fb6p+1f, r * p);
}
__AH_FN float cospi_quarter(float r)
{
    float z = r * r;
    float p = __builtin_fmaf(0x1.d684aap-3f, z, -0x1.55b7cep+0f);
    p = __builtin_fmaf(p, z, 0x1.03c1b8p+2f);
    p = __builtin_fmaf(p, z, -0x1.3bd3ccp+2f);
    return __builtin_fmaf(p, z, 1.0f);
}
/* 1 ulp; a whole number gives 0 of its sign */
__AH_FN float sinpi_f32(float x)
{
    unsigned int n;
    float r = quarter_of_half_turns(x, &n);
    float result = turned(n, sinpi_quarter(r), cospi_quarter(r));
    return result == 0.0f ? x * 0.0f : result;
}
/* 1 ulp; the sum makes a positive 0 */
__AH_FN float cospi_f32(float x)
{
    unsigned int n;
    float r = quarter_of_half_turns(x, &n);
    return turned(n + 1, sinpi_quarter(r), cospi_quarter(r)) + 0.0f;
}
__AH_FN void sincospi_f32(float x, float *sine, float *cosine)
{
    unsigned int n;
    float r = quarter_of_half_turns(x, &n), s = sinpi_quarter(r), c = cospi_quarter(r);
    float result = turned(n, s, c);
    *sine = result == 0.0f ? x * 0.0f : result;
    *cosine = turned(n + 1, s, c) + 0.0f;
}
} // namespace __ah

#undef __AH_FN
#endif
