/* Single precision Bessel functions of the first and second kind. The coefficients are from
 * tools/math/bessel_f32.sollya.
 *
 * The first kind below 8: a polynomial in s = x x is multiplied by s - z z for the two zeros z
 * there, with z z in two parts, so that the result keeps its digits around them. Both kinds from 8
 * on: sqrt(2 / (pi x)) M cos(x + F / x - pi/4 - n pi/2), or the sine for the second kind, with M
 * and F as polynomials in 1 / (x x): an absolute error of some 2^-23 of that root. */
#ifndef HIP_DEVICE_MATH_BESSEL_F32_H
#define HIP_DEVICE_MATH_BESSEL_F32_H

#include "hip/device/math/bessel_orders.h"
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

/* The second kind. Below 2.25 for order 0 and 3.25 for order 1, with z the first zero and s = x x,
 * it is 2 / pi ln(x / z) J + (s - z z) T(s), divided by x for order 1: the terms have one sign, and
 * both keep their digits around z. From there to 8 a polynomial is multiplied by x - z for each
 * zero z. The relative errors of the polynomials are below 2^-24.5. */
__AH_FN float log1p_over_pi(float d) /* 2 / pi ln(1 + d) / d, for d from -0.3 to 0.42 */
{
    float p = -0x1.2a45cap-5f;
    p = __builtin_fmaf(p, d, 0x1.364d14p-4f);
    p = __builtin_fmaf(p, d, -0x1.6368e2p-4f);
    p = __builtin_fmaf(p, d, 0x1.77dc08p-4f);
    p = __builtin_fmaf(p, d, -0x1.b06f2ep-4f);
    p = __builtin_fmaf(p, d, 0x1.048d0cp-3f);
    p = __builtin_fmaf(p, d, -0x1.45fa5ap-3f);
    p = __builtin_fmaf(p, d, 0x1.b29b12p-3f);
    p = __builtin_fmaf(p, d, -0x1.45f3p-2f);
    p = __builtin_fmaf(p, d, 0x1.45f306p-1f);
    return p;
}
__AH_FN float j0_low(float s)
{
    float p = 0x1.d81fecp-32f;
    p = __builtin_fmaf(p, s, -0x1.220a0cp-24f);
    p = __builtin_fmaf(p, s, 0x1.c70bf2p-18f);
    p = __builtin_fmaf(p, s, -0x1.c71c08p-12f);
    p = __builtin_fmaf(p, s, 0x1.fffffep-7f);
    p = __builtin_fmaf(p, s, -0x1p-2f);
    p = __builtin_fmaf(p, s, 0x1p+0f);
    return p;
}
__AH_FN float y0_low(float s)
{
    float p = 0x1.276272p-34f;
    p = __builtin_fmaf(p, s, -0x1.fe09fcp-30f);
    p = __builtin_fmaf(p, s, 0x1.ec595cp-24f);
    p = __builtin_fmaf(p, s, -0x1.4cb9cap-17f);
    p = __builtin_fmaf(p, s, 0x1.268ef2p-11f);
    p = __builtin_fmaf(p, s, -0x1.125856p-6f);
    p = __builtin_fmaf(p, s, 0x1.750812p-3f);
    return p;
}
__AH_FN float y0_middle(float t)
{
    float p = -0x1.9c686ap-43f;
    p = __builtin_fmaf(p, t, 0x1.2fdcd6p-39f);
    p = __builtin_fmaf(p, t, -0x1.2948e6p-38f);
    p = __builtin_fmaf(p, t, 0x1.1d20aap-38f);
    p = __builtin_fmaf(p, t, -0x1.ee54bap-32f);
    p = __builtin_fmaf(p, t, -0x1.5096fap-30f);
    p = __builtin_fmaf(p, t, 0x1.dcbe5ap-25f);
    p = __builtin_fmaf(p, t, 0x1.049fb8p-22f);
    p = __builtin_fmaf(p, t, -0x1.90c5f2p-18f);
    p = __builtin_fmaf(p, t, -0x1.f529bp-17f);
    p = __builtin_fmaf(p, t, 0x1.791e04p-12f);
    p = __builtin_fmaf(p, t, 0x1.35ae16p-11f);
    p = __builtin_fmaf(p, t, -0x1.8d84ap-7f);
    p = __builtin_fmaf(p, t, -0x1.9a48ap-8f);
    p = __builtin_fmaf(p, t, 0x1.20f488p-3f);
    return p;
}
__AH_FN float j1_low(float s)
{
    float p = -0x1.31fa78p-43f;
    p = __builtin_fmaf(p, s, 0x1.26f872p-35f);
    p = __builtin_fmaf(p, s, -0x1.8465d8p-28f);
    p = __builtin_fmaf(p, s, 0x1.6c1842p-21f);
    p = __builtin_fmaf(p, s, -0x1.c71c8ep-15f);
    p = __builtin_fmaf(p, s, 0x1.555556p-9f);
    p = __builtin_fmaf(p, s, -0x1p-4f);
    p = __builtin_fmaf(p, s, 0x1p-1f);
    return p;
}
__AH_FN float y1_low(float s)
{
    float p = 0x1.5d10ap-41f;
    p = __builtin_fmaf(p, s, -0x1.efc3cap-35f);
    p = __builtin_fmaf(p, s, 0x1.a98b1cp-28f);
    p = __builtin_fmaf(p, s, -0x1.505cb6p-21f);
    p = __builtin_fmaf(p, s, 0x1.5bb768p-15f);
    p = __builtin_fmaf(p, s, -0x1.7c2e04p-10f);
    p = __builtin_fmaf(p, s, 0x1.069938p-6f);
    p = __builtin_fmaf(p, s, 0x1.0e14bep-3f);
    return p;
}
__AH_FN float y1_middle(float t)
{
    float p = 0x1.5c3ba4p-36f;
    p = __builtin_fmaf(p, t, -0x1.b464e2p-35f);
    p = __builtin_fmaf(p, t, -0x1.bc8a9p-31f);
    p = __builtin_fmaf(p, t, 0x1.b53fap-28f);
    p = __builtin_fmaf(p, t, 0x1.140ee4p-25f);
    p = __builtin_fmaf(p, t, -0x1.202574p-21f);
    p = __builtin_fmaf(p, t, -0x1.aa2bcp-19f);
    p = __builtin_fmaf(p, t, 0x1.797bfap-15f);
    p = __builtin_fmaf(p, t, 0x1.5bf9a8p-13f);
    p = __builtin_fmaf(p, t, -0x1.14b40cp-9f);
    p = __builtin_fmaf(p, t, -0x1.3811bp-8f);
    p = __builtin_fmaf(p, t, 0x1.99a78p-5f);
    p = __builtin_fmaf(p, t, 0x1.3ae4dp-5f);
    p = __builtin_fmaf(p, t, -0x1.59f9p-2f);
    return p;
}

/* 2 / pi ln(x / z) with z = high + low and x > 0, inverse = 1 / z */
__AH_FN float log_of_quotient(float x, float high, float low, float inverse)
{
    bool small = x < 0x1p-126f;
    int b = static_cast<int>(bits_of(small ? x * 0x1p+23f : x));
    int e = (b - static_cast<int>(bits_of(high * 0.7071f))) >> 23;
    float m = float_of(static_cast<unsigned int>(b) - (static_cast<unsigned int>(e) << 23));
    float d = ((m - high) - low) * inverse;
    float whole = static_cast<float>(small ? e - 23 : e);
    return __builtin_fmaf(whole, 0x1.c3dc98p-2f, d * log1p_over_pi(d));
}

__AH_FN float y0_near(float x)
{
    if (x < 2.25f) {
        float s = x * x, l = log_of_quotient(x, 0x1.c982ecp-1f, -0x1.cafa06p-27f, 0x1.1e7d32p+0f);
        float distance = __builtin_fmaf(x, x, -0x1.98d258p-1f) + 0x1.b2fed6p-31f;
        return __builtin_fmaf(l, j0_low(s), distance * y0_low(s));
    }
    float second = (x - 0x1.fa9534p+1f) - 0x1.b30ad4p-24f;
    float third = (x - 0x1.c581dcp+2f) - 0x1.39c84p-24f;
    return y0_middle(x - 5.25f) * second * third;
}
__AH_FN float y1_near(float x)
{
    if (x < 3.25f) {
        float s = x * x, l = log_of_quotient(x, 0x1.193beep+1f, -0x1.6401b8p-24f, 0x1.d20f66p-2f);
        float distance = __builtin_fmaf(x, x, -0x1.34f49cp+2f) - 0x1.f8f016p-23f;
        float scale = x < 0x1p-126f ? 0x1p+23f : 1.0f; /* 1 / x may be too large for a float */
        return __builtin_fmaf(l, x * j1_low(s), distance * y1_low(s) * hw::rcp(x * scale) * scale);
    }
    return y1_middle(x - 5.5f) * ((x - 0x1.5b7fe4p+2f) - 0x1.d0f606p-23f);
}
/* sin(t - pi/4) is (sin t - cos t) / sqrt 2, sin(t - 3 pi/4) is -(sin t + cos t) / sqrt 2 */
__AH_FN float y0_far(float x)
{
    float q = hw::rcp(x), w = q * q, s, c;
    sincos_of_sum(x, q * j0_phase(w), &s, &c);
    return 0x1.20dd76p-1f * hw::rsq(x) * j0_modulus(w) * (s - c);
}
__AH_FN float y1_far(float x)
{
    float q = hw::rcp(x), w = q * q, s, c;
    sincos_of_sum(x, q * j1_phase(w), &s, &c);
    return -0x1.20dd76p-1f * hw::rsq(x) * j1_modulus(w) * (s + c);
}
/* 6 ulp below 8 */
__AH_FN float y0_f32(float x)
{
    if (__builtin_expect(!(x > 0.0f && x < __builtin_inff()), 0))
        return y_special(x);
    return x < 8.0f ? y0_near(x) : y0_far(x);
}
__AH_FN float y1_f32(float x)
{
    if (__builtin_expect(!(x > 0.0f && x < __builtin_inff()), 0))
        return y_special(x);
    return x < 8.0f ? y1_near(x) : y1_far(x);
}

/* Of other orders both kinds are within 2.5 n + 2 ulp where x is below n, or as exact as orders 0
 * and 1, and elsewhere within 5e-7 up to order 50, 7e-7 up to order 128 and 2.6e-6 at order 500. */
template <> struct bessel_type<float> {
    static constexpr bool infinite_is_nothing = true;
    static constexpr float small = 0x1p-10f, scale = 0x1p+60f, start_factor = 4.0f;
    static constexpr unsigned int start = 3;
    __AH_FN float quotient(float x, float y) { return x * hw::rcp(y); }
    __AH_FN float y0_and_y1(float x, float *y1)
    {
        float y0;
        if (x < 8.0f) {
            y0 = y0_near(x);
            *y1 = y1_near(x);
        } else {
            y0 = y0_far(x);
            *y1 = y1_far(x);
        }
        return y0;
    }
    __AH_FN float j0_and_j1(float a, float *j1)
    {
        float j0 = j0_f32(a);
        *j1 = j1_f32(a);
        return j0;
    }
    __AH_FN bool is_nothing(float order, float a)
    {
        return a == __builtin_inff() || order * hw::lg2(1.36f * a * hw::rcp(order)) < -160.0f;
    }
};
__AH_FN float yn_f32(int n, float x) { return yn_of(n, x); }
__AH_FN float jn_f32(int n, float x) { return jn_of(n, x); }
} // namespace __ah

#undef __AH_FN
#endif
