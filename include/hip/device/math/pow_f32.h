/* Single precision powers. The coefficients are from tools/math/pow_f32.sollya. */
#ifndef HIP_DEVICE_MATH_POW_F32_H
#define HIP_DEVICE_MATH_POW_F32_H

#include "hip/device/math/exp_f32.h"
#include "hip/device/math/log_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* x y, which a compiler must not make part of a sum: what the product lacks is computed. */
__AH_FN float product(float x, float y) { return __builtin_fmaf(x, y, 0.0f); }

/* log2 x for a positive number x, as the sum of the result and *low, with a relative error of about
 * 2^-30. With x = 2^e m and s = (m - 1) / (m + 1), whose rest is `rest`,
 * log2 m = c s + s^3 q(s^2). */
__AH_FN float log2_in_two(float x, float *low)
{
#pragma clang fp reassociate(off)
    bool small = x < 0x1p-126f;
    x = small ? x * 0x1p24f : x;
    unsigned int exponent = log_exponent(x);
    float e = __builtin_fmaf(number_of(exponent), 0x1p-23f, small ? -24.0f : 0.0f);
    float f = float_of(bits_of(x) - exponent) - 1.0f;

    float divisor = f + 2.0f, divisor_low = f - (divisor - 2.0f), r = hw::rcp(divisor);
    float s = f * r;
    float rest = __builtin_fmaf(-s, divisor_low, __builtin_fmaf(-s, divisor, f)) * r;
    float z = s * s;
    float q = __builtin_fmaf(0x1.558cb8p-2f, z, 0x1.a5f2aap-2f);
    q = __builtin_fmaf(q, z, 0x1.2776b2p-1f);
    q = __builtin_fmaf(q, z, 0x1.ec709ep-1f);

    float high = product(s, 0x1.715476p+1f), l = __builtin_fmaf(s, 0x1.715476p+1f, -high);
    l = __builtin_fmaf(rest, 0x1.715476p+1f, __builtin_fmaf(s, 0x1.4ae0cp-25f, l));
    l = __builtin_fmaf(s * z, q, l);
    float sum = e + high;
    l += (e - sum) + high;
    float result = sum + l;
    *low = (sum - result) + l;
    return result;
}

/* 2^(high + low) for |high| < 2^100 */
__AH_FN float exp2_of_two(float high, float low)
{
#pragma clang fp reassociate(off)
    float n = limited_power(high, 1.0f);
    return hw::ex2((high - whole_of(n)) + low) * power_of(n);
}

/* What pow is where x is no positive number or y none, r being |x|^y if that is a number. */
__AH_FN float pow_special(float x, float y, float r)
{
    float size = __builtin_fabsf(x), half = y * 0.5f;
    bool whole = __builtin_rintf(y) == y, odd = whole && __builtin_rintf(half) != half;
    if (size == 0.0f || size == __builtin_inff())
        r = (size == 0.0f) != (y < 0.0f) ? 0.0f : __builtin_inff();
    else if (x < 0.0f && !whole)
        r = __builtin_nanf("");
    r = odd && bits_of(x) >> 31 ? -r : r;
    r = x != x || y != y ? x + y : r;
    return x == 1.0f || y == 0.0f ? 1.0f : r;
}

/* 2 ulp; y beyond 2^40 gives what infinity does. */
__AH_FN float pow_f32(float x, float y)
{
    float low, l = log2_in_two(__builtin_fabsf(x), &low);
    float limited = __builtin_fminf(__builtin_fmaxf(y, -0x1p40f), 0x1p40f);
    float high = product(limited, l);
    float rest = __builtin_fmaf(limited, low, __builtin_fmaf(limited, l, -high));
    float r = exp2_of_two(high, rest);
    bool usual = bits_of(x) - 1 < 0x7f7fffffu && y == y;
    return __builtin_expect(usual, 1) ? r : pow_special(x, y, r);
}

/* n as two floats */
__AH_FN float powi_f32(float x, int n)
{
    float size = __builtin_fabsf(x), y = static_cast<float>(n);
    float y_low = static_cast<float>(n - static_cast<long long>(y));
    float low, l = log2_in_two(size, &low), high = product(y, l);
    float rest = __builtin_fmaf(y, low, __builtin_fmaf(y, l, -high));
    float r = exp2_of_two(high, __builtin_fmaf(y_low, l, rest));
    if (size == 0.0f || size == __builtin_inff())
        r = (size == 0.0f) != (n < 0) ? 0.0f : __builtin_inff();
    r = n & 1 ? __builtin_copysignf(r, x) : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0f : r;
}
} // namespace __ah

#undef __AH_FN
#endif
