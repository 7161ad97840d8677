/* The inverses of the single precision error functions and of the normal distribution. The
 * coefficients are from tools/math/erfinv_f32.sollya. */
#ifndef HIP_DEVICE_MATH_ERFINV_F32_H
#define HIP_DEVICE_MATH_ERFINV_F32_H

#include "hip/device/math/hw.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* The inverse of erf at x divided by x, as a function of w = -log2(1 - x x) up to 9. Relative error
 * 2^-25.3. */
__AH_FN float erfinv_near(float w)
{
    float u = w - 3.0f;
    float p = 0x1.4a0586p-36f;
    p = __builtin_fmaf(p, u, -0x1.fa0336p-32f);
    p = __builtin_fmaf(p, u, 0x1.8daf62p-29f);
    p = __builtin_fmaf(p, u, 0x1.e27538p-26f);
    p = __builtin_fmaf(p, u, -0x1.1726e2p-21f);
    p = __builtin_fmaf(p, u, 0x1.c5953ep-21f);
    p = __builtin_fmaf(p, u, 0x1.a739dcp-15f);
    p = __builtin_fmaf(p, u, -0x1.1b6512p-11f);
    p = __builtin_fmaf(p, u, -0x1.29a84cp-10f);
    p = __builtin_fmaf(p, u, 0x1.6212c8p-3f);
    p = __builtin_fmaf(p, u, 0x1.65a4acp+0f);
    return p;
}
/* The inverse itself for w from 7 to 150. Relative error 2^-25.3 and 2 ulp. */
__AH_FN float erfinv_far(float w)
{
    float v = hw::rsq(w), s = w * v;
    s = __builtin_fmaf(__builtin_fmaf(-s, s, w), 0.5f * v, s);
    float p = 0x1.bc344cp+7f;
    p = __builtin_fmaf(p, v, -0x1.b37036p+8f);
    p = __builtin_fmaf(p, v, 0x1.821a02p+8f);
    p = __builtin_fmaf(p, v, -0x1.a6a676p+7f);
    p = __builtin_fmaf(p, v, 0x1.469bp+6f);
    p = __builtin_fmaf(p, v, -0x1.8bca44p+4f);
    p = __builtin_fmaf(p, v, 0x1.b1d07p+2f);
    p = __builtin_fmaf(p, v, -0x1.6e4ea4p+0f);
    p = __builtin_fmaf(p, v, -0x1.ec269cp-6f);
    p = __builtin_fmaf(p, v, 0x1.aa6edep-1f);
    return w > 200.0f ? w : s * p;
}

/* 2 ulp. */
__AH_FN float erfinv_f32(float x)
{
    float w = -hw::lg2(__builtin_fmaf(-x, x, 1.0f));
    if (w > 9.0f)
        return __builtin_copysignf(erfinv_far(w), x);
    return x * erfinv_near(w);
}
/* 3 ulp. */
__AH_FN float erfcinv_f32(float y)
{
    float x = 1.0f - y, both = y * (2.0f - y), w = -hw::lg2(both);
    if (w > 9.0f)
        return __builtin_copysignf(erfinv_far(-hw::lg2_whole(both)), x);
    return x * erfinv_near(w);
}
/* 4 ulp; root is the square root of 2. */
__AH_FN float normcdfinv_f32(float p)
{
    constexpr float root = 0x1.6a09e6p+0f;
    float x = __builtin_fmaf(p, 2 * root, -root), both = p * (1.0f - p), w = -2.0f - hw::lg2(both);
    if (w > 9.0f)
        return __builtin_copysignf(root * erfinv_far(-2.0f - hw::lg2_whole(both)), x);
    return x * erfinv_near(w);
}
} // namespace __ah

#undef __AH_FN
#endif
