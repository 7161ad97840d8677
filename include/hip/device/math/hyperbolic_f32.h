/* Single precision hyperbolic functions and their inverses. The coefficients are from
 * tools/math/hyperbolic_f32.sollya. */
#ifndef HIP_DEVICE_MATH_HYPERBOLIC_F32_H
#define HIP_DEVICE_MATH_HYPERBOLIC_F32_H

#include "hip/device/math/exp_f32.h"
#include "hip/device/math/log_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* e^x / 2 for x >= 0, as power_f32 computes e^x: n is at most 128, so that the half of e^x is a
 * number wherever cosh is. */
__AH_FN float half_exp(float x)
{
    float place = hw::fma_sat(x, 0x1.715476p-7f, 0.0f);
    float n = __builtin_fmaf(place, 128.0f, 0x1.8p23f + 126);
    float rest = __builtin_fmaf(x, 0x1.715476p+0f, (0x1.8p23f + 126) - n);
    return hw::ex2(__builtin_fmaf(x, 0x1.4ae0cp-26f, rest)) * power_of(n);
}

/* The error of ex2 and 1 ulp. */
__AH_FN float cosh_f32(float x)
{
    float e = half_exp(__builtin_fabsf(x));
    return __builtin_fmaf(hw::rcp(e), 0.25f, e);
}
__AH_FN float sinh_f32(float x)
{
    float e = half_exp(__builtin_fabsf(x)), z = x * x;
    float large = __builtin_copysignf(__builtin_fmaf(hw::rcp(e), -0.25f, e), x);
    float p = __builtin_fmaf(0x1.ab3fdp-13f, z, 0x1.10f768p-7f);
    p = __builtin_fmaf(p, z, 0x1.555598p-3f);
    p = __builtin_fmaf(p, x * z, x);
    return __builtin_fabsf(x) < 1.0f ? p : large;
}

/* From 0.55 on 1 - 2 / (e^2x + 1). 2 ulp */
__AH_FN float tanh_f32(float x)
{
    float size = __builtin_fabsf(x), z = x * x;
    float large = __builtin_fmaf(hw::rcp(hw::ex2(size * 0x1.715476p+1f) + 1.0f), -2.0f, 1.0f);
    float p = __builtin_fmaf(0x1.0d5184p-6f, z, -0x1.af7d38p-5f);
    p = __builtin_fmaf(p, z, 0x1.10cefcp-3f);
    p = __builtin_fmaf(p, z, -0x1.555452p-2f);
    p = __builtin_fmaf(p, size * z, size);
    return __builtin_copysignf(size < 0.55f ? p : large, x);
}

/* sqrt(w) for w >= 0 that is 0 or not close to the smallest numbers, 2 ulp */
__AH_FN float rough_root(float w) { return w * hw::rsq(w + 0x1p-100f); }

/* log(1 + x + x^2 / (1 + sqrt(1 + x^2))); for large x log(2 x). 3 ulp */
__AH_FN float asinh_f32(float x)
{
    float size = __builtin_fabsf(x), square = x * x, more = square + 1.0f;
    float w = __builtin_fmaf(square, hw::rcp(__builtin_fmaf(more, hw::rsq(more), 1.0f)), size);
    bool large = size > 0x1p20f;
    float result = log_of_1_and(large ? size : w, large ? 1.0f : 0.0f);
    return __builtin_copysignf(result, x);
}
/* log(1 + t + sqrt(2 t + t^2)) with t = x - 1; for large x log(2 x). 3 ulp */
__AH_FN float acosh_f32(float x)
{
    float t = x - 1.0f, square = __builtin_fmaf(t, t, t + t);
    bool large = x > 0x1p20f;
    float result = log_of_1_and(large ? x : t + rough_root(square), large ? 1.0f : 0.0f);
    return x < 1.0f ? __builtin_nanf("") : result;
}
/* log(1 + 2 x / (1 - x)) / 2. 3 ulp */
__AH_FN float atanh_f32(float x)
{
    float size = __builtin_fabsf(x);
    float w = (size + size) * hw::rcp(1.0f - size);
    float result = __builtin_copysignf(log_of_1_and(w, 0.0f) * 0.5f, x);
    return size > 1.0f ? __builtin_nanf("") : result;
}
} // namespace __ah

#undef __AH_FN
#endif
