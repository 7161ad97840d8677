/* Single precision roots other than sqrt: cube roots, and lengths of vectors. */
#ifndef HIP_DEVICE_MATH_ROOT_F32_H
#define HIP_DEVICE_MATH_ROOT_F32_H

#include "hip/device/math/hw.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* y near |x|^(-1/3), root = x y^2, and what x y^3 lacks to 1: the relative error of y, of 2^-18,
 * times -3. One step of Newton's from there makes it vanish. */
__AH_FN float cube_parts(float x, float *y, float *root)
{
    *y = hw::ex2(hw::lg2_whole(__builtin_fabsf(x)) * -0x1.555556p-2f);
    *root = x * *y * *y;
    return __builtin_fmaf(-__builtin_fabsf(*root), *y, 1.0f);
}
__AH_FN bool is_positive_number(float size) { return bits_of(size) - 1 < 0x7f7fffffu; }

/* 1 ulp */
__AH_FN float cbrt_f32(float x)
{
    float y, root, lack = cube_parts(x, &y, &root);
    root = __builtin_fmaf(root * 0x1.555556p-1f, lack, root);
    return is_positive_number(__builtin_fabsf(x)) ? root : x;
}
/* 1 ulp */
__AH_FN float rcbrt_f32(float x)
{
    float y, root, lack = cube_parts(x, &y, &root);
    float result = __builtin_fmaf(y * 0x1.555556p-2f, lack, y);
    return __builtin_copysignf(is_positive_number(__builtin_fabsf(x)) ? result : y, x);
}

/* 2^-e for a size 2^e m, so that products of scaled sizes neither overflow nor vanish. */
__AH_FN float length_scale(float size)
{
    unsigned int e = bits_of(size) & 0x7f800000u;
    e = e < 0x7e800000u ? e : 0x7e800000u;
    return float_of(0x7f000000u - (e > 0x00800000u ? e : 0x00800000u));
}
/* sqrt(sum), scaled back, for the sum of scaled squares with 2^-100 added, which a sum other than 0
 * does not notice: the root for 0 is lost in the last product. 1 ulp and half of the sum's error.
 */
__AH_FN float length_of(float sum, float scale, float largest)
{
    float r = hw::rsq(sum), h = sum * r;
    h = __builtin_fmaf(__builtin_fmaf(-h, h, sum), 0.5f * r, h);
    h *= float_of(0x7f000000u - bits_of(scale));
    return largest == __builtin_inff() ? largest : h;
}
/* 1 / sqrt(sum), scaled back: the error of rsq and 1 ulp. */
__AH_FN float inverse_length_of(float sum, float scale, float largest)
{
    return largest == __builtin_inff() ? 0.0f : hw::rsq(sum) * scale;
}
__AH_FN float largest_of(float x, float y)
{
    return __builtin_fmaxf(__builtin_fabsf(x), __builtin_fabsf(y));
}

/* The sums are of two, three and four squares. */
__AH_FN float hypot_f32(float x, float y)
{
    float largest = largest_of(x, y), scale = length_scale(largest);
    x *= scale, y *= scale;
    return length_of(__builtin_fmaf(x, x, __builtin_fmaf(y, y, 0x1p-100f)), scale, largest);
}
__AH_FN float rhypot_f32(float x, float y)
{
    float largest = largest_of(x, y), scale = length_scale(largest);
    x *= scale, y *= scale;
    return inverse_length_of(__builtin_fmaf(x, x, y * y), scale, largest);
}
__AH_FN float norm3d_f32(float x, float y, float z)
{
    float largest = __builtin_fmaxf(largest_of(x, y), __builtin_fabsf(z));
    float scale = length_scale(largest);
    x *= scale, y *= scale, z *= scale;
    float sum = __builtin_fmaf(y, y, __builtin_fmaf(z, z, 0x1p-100f));
    return length_of(__builtin_fmaf(x, x, sum), scale, largest);
}
__AH_FN float rnorm3d_f32(float x, float y, float z)
{
    float largest = __builtin_fmaxf(largest_of(x, y), __builtin_fabsf(z));
    float scale = length_scale(largest);
    x *= scale, y *= scale, z *= scale;
    float sum = __builtin_fmaf(y, y, z * z);
    return inverse_length_of(__builtin_fmaf(x, x, sum), scale, largest);
}
__AH_FN float norm4d_f32(float x, float y, float z, float w)
{
    float largest = __builtin_fmaxf(largest_of(x, y), largest_of(z, w));
    float scale = length_scale(largest);
    x *= scale, y *= scale, z *= scale, w *= scale;
    float sum = __builtin_fmaf(z, z, __builtin_fmaf(w, w, 0x1p-100f));
    return length_of(__builtin_fmaf(x, x, __builtin_fmaf(y, y, sum)), scale, largest);
}
__AH_FN float rnorm4d_f32(float x, float y, float z, float w)
{
    float largest = __builtin_fmaxf(largest_of(x, y), largest_of(z, w));
    float scale = length_scale(largest);
    x *= scale, y *= scale, z *= scale, w *= scale;
    float sum = __builtin_fmaf(z, z, w * w);
    return inverse_length_of(__builtin_fmaf(x, x, __builtin_fmaf(y, y, sum)), scale, largest);
}

/* The sum of the scaled squares of a vector. */
static __device__ inline float sum_of_squares(int n, const float *v, float *scale, float *largest)
{
    *largest = 0.0f;
    for (int i = 0; i < n; ++i)
        *largest = __builtin_fmaxf(*largest, __builtin_fabsf(v[i]));
    *scale = length_scale(*largest);
    float sum = 0x1p-100f;
    for (int i = 0; i < n; ++i)
        sum = __builtin_fmaf(v[i] * *scale, v[i] * *scale, sum);
    return sum;
}
__AH_FN float norm_f32(int n, const float *v)
{
    float scale, largest, sum = sum_of_squares(n, v, &scale, &largest);
    return length_of(sum, scale, largest);
}
__AH_FN float rnorm_f32(int n, const float *v)
{
    float scale, largest, sum = sum_of_squares(n, v, &scale, &largest);
    float result = inverse_length_of(sum, scale, largest);
    return largest == 0.0f && sum == sum ? __builtin_inff() : result;
}
} // namespace __ah

#undef __AH_FN
#endif
