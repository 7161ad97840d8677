/* Single precision inverse trigonometric functions. The coefficients are from
 * tools/math/arc_f32.sollya. */
#ifndef HIP_DEVICE_MATH_ARC_F32_H
#define HIP_DEVICE_MATH_ARC_F32_H

#include "hip/device/math/hw.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* atan t for |t| <= 1, relative error 2^-25.8 */
__AH_FN float atan_unit(float t)
{
    float z = t * t;
    float p = __builtin_fmaf(0x1.7ec1c4p-9f, z, -0x1.0c23fep-6f);
    p = __builtin_fmaf(p, z, 0x1.61f756p-5f);
    p = __builtin_fmaf(p, z, -0x1.3553f4p-4f);
    p = __builtin_fmaf(p, z, 0x1.b4dfdcp-4f);
    p = __builtin_fmaf(p, z, -0x1.230abp-3f);
    p = __builtin_fmaf(p, z, 0x1.9978eep-3f);
    p = __builtin_fmaf(p, z, -0x1.5554dcp-2f);
    return __builtin_fmaf(p, t * z, t);
}

/* 2 ulp */
__AH_FN float atan_f32(float x)
{
    float size = __builtin_fabsf(x);
    bool large = size > 1.0f;
    float t = atan_unit(large ? hw::rcp(size) : size);
    return __builtin_copysignf(large ? 0x1.921fb6p+0f - (t + 0x1.777a5cp-25f) : t, x);
}

/* The smaller size over the larger one by a division that is right to 0.6 ulp: both are scaled by
 * the larger one's exponent, so that its reciprocal and the remainder are normal; what is added to
 * it counts only for 0. Then the octant: with the sizes exchanged pi / 2 - t, for a negative x pi -
 * t. 1 ulp. */
__AH_FN float atan2_f32(float y, float x)
{
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
    bool steep = ay > ax, left = bits_of(x) >> 31;
    float more = steep ? ay : ax, less = steep ? ax : ay;
    unsigned int exponent = bits_of(more) & 0x7f800000u;
    float scale = float_of(0x7f000000u - (exponent < 0x7e800000u ? exponent : 0x7e800000u));
    float a = __builtin_fmaf(more, scale, 0x1p-100f), b = less * scale, r = hw::rcp(a);
    float t = b * r, of_infinity = less == __builtin_inff() ? 1.0f : 0.0f;
    t = __builtin_fmaf(__builtin_fmaf(-t, a, b), r, t);
    t = more == __builtin_inff() ? of_infinity : t;
    t = atan_unit(t);
    float high = left ? 0x1.921fb6p+1f : 0.0f, low = left ? -0x1.777a5cp-24f : 0.0f;
    high = steep ? 0x1.921fb6p+0f : high;
    low = steep ? -0x1.777a5cp-25f : low;
    t = high + ((steep != left ? -t : t) + low);
    t = __builtin_copysignf(t, y);
    return __builtin_isunordered(x, y) ? x + y : t;
}

/* asin s for s <= 9/16 with z = s s; relative error 2^-25.2 */
__AH_FN float asin_half(float s, float z)
{
    float p = __builtin_fmaf(0x1.a36f12p-5f, z, 0x1.2f5412p-6f);
    p = __builtin_fmaf(p, z, 0x1.7e75b6p-5f);
    p = __builtin_fmaf(p, z, 0x1.3296fcp-4f);
    p = __builtin_fmaf(p, z, 0x1.555728p-3f);
    return __builtin_fmaf(p, s * z, s);
}
/* The root of w by one step of Newton's; w is 0, at least 2^-25, or negative, which gives NaN. */
__AH_FN float root_of_rest(float w)
{
    float r = hw::rsq(w + 0x1p-60f), s = w * r;
    return __builtin_fmaf(__builtin_fmaf(-s, s, w), 0.5f * r, s);
}
/* asin x = pi / 2 - 2 asin sqrt((1 - x) / 2) from 9/16 on. 2 ulp */
__AH_FN float asin_f32(float x)
{
    float size = __builtin_fabsf(x), rest = __builtin_fmaf(size, -0.5f, 0.5f);
    bool large = size > 0.5625f;
    float r = asin_half(large ? root_of_rest(rest) : size, large ? rest : x * x);
    float end = 0x1.921fb6p+0f - __builtin_fmaf(r, 2.0f, 0x1.777a5cp-25f);
    return __builtin_copysignf(large ? end : r, x);
}
/* 1 ulp */
__AH_FN float acos_f32(float x)
{
    float size = __builtin_fabsf(x), rest = __builtin_fmaf(size, -0.5f, 0.5f);
    bool large = size > 0.5625f;
    float r = asin_half(large ? root_of_rest(rest) : size, large ? rest : x * x);
    r = __builtin_copysignf(r, x);
    float middle = 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f);
    float end = __builtin_fmaf(r, 2.0f, x > 0.0f ? 0.0f : 0x1.921fb6p+1f);
    return large ? end : middle;
}
} // namespace __ah

#undef __AH_FN
#endif
