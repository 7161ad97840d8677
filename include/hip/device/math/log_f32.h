/* Single precision logarithms. The coefficients are from tools/math/log_f32.sollya.
 *
 * log2, log and log10 of AMD are the hardware's, whose relative error is small near 1 too; that of
 * NVIDIA's lg2 is not, so there x = 2^e m with m between sqrt(1/2) and sqrt(2), f = m - 1, and
 * log m = f + s (z p(z) - f), s = f / (2 + f), z = s s. The error of the reciprocal in s counts for
 * less than a fifth. */
#ifndef HIP_DEVICE_MATH_LOG_F32_H
#define HIP_DEVICE_MATH_LOG_F32_H

#include "hip/device/math/hw.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* log(1 + f) - f, without the last rounding: the product of its two results, for f from -0.3 to
 * 1/2. The error of the polynomial is below 2^-27.8 f. */
__AH_FN float log_curve(float f, float *factor)
{
    float s = f * hw::rcp(f + 2.0f), z = s * s;
    float p = __builtin_fmaf(0x1.32d4acp-2f, z, 0x1.99619cp-2f);
    p = __builtin_fmaf(p, z, 0x1.555566p-1f);
    *factor = __builtin_fmaf(p, z, -f);
    return s;
}

/* The bits of 2^e for x = 2^e m, less those of 1. */
__AH_FN unsigned int log_exponent(float x) { return (bits_of(x) - 0x3f3504f3u) & 0xff800000u; }
__AH_FN float number_of(unsigned int exponent) /* e 2^23 */
{
    return static_cast<float>(static_cast<int>(exponent));
}

/* log(1 + x) + twos ln 2: with u = 1 + x = 2^e m before rounding, f = x 2^-e + (2^-e - 1). Since m
 * is between 3/4 and 3/2 here, f is x below 1/2, and exact above. Where u is 0, no number, or so
 * large that 2^-e is none, the hardware's logarithm is right. */
__AH_FN float log_of_1_and(float x, float twos)
{
    float u = 1.0f + x;
    unsigned int e = (bits_of(u) - 0x3f400000u) & 0xff800000u;
    float power = float_of(0x3f800000u - e), factor;
    float f = __builtin_fmaf(x, power, power - 1.0f), s = log_curve(f, &factor);
    float whole = number_of(e) + twos * 0x1p23f;
    float result = __builtin_fmaf(whole, 0x1.62e43p-24f, __builtin_fmaf(s, factor, f));
    bool usual = bits_of(u) - 0x33800000u < 0x7e800000u - 0x33800000u;
    return usual ? result : (hw::lg2(u * 0x1p-100f) + (twos + 100.0f)) * 0x1.62e43p-1f;
}
/* 1 ulp */
__AH_FN float log1p_f32(float x) { return __builtin_copysignf(log_of_1_and(x, 0.0f), x); }

#if defined(__NVPTX__)
/* x = 2^e m: e 2^23 as a number, f = m - 1. A subnormal x is multiplied by 2^24 before. */
__AH_FN float log_parts(float *x, float *f)
{
    bool small = *x < 0x1p-126f;
    *x = small ? *x * 0x1p24f : *x;
    unsigned int e = log_exponent(*x);
    *f = float_of(bits_of(*x) - e) - 1.0f;
    return small ? number_of(e) - 0x1.8p27f : number_of(e);
}
/* the result for 0, infinity, NaN and negative x is the hardware's */
__AH_FN float log_or_special(float x, float result)
{
    return bits_of(x) - 1 < 0x7f7fffffu ? result : hw::lg2(x);
}

/* 1 ulp */
__AH_FN float log_f32(float x)
{
    float f, factor, e = log_parts(&x, &f), s = log_curve(f, &factor);
    float m = __builtin_fmaf(s, factor, f);
    return log_or_special(x, __builtin_fmaf(e, 0x1.62e43p-24f, m));
}
/* 1 ulp */
__AH_FN float log2_f32(float x)
{
    float f, factor, e = log_parts(&x, &f), s = log_curve(f, &factor);
    float low = __builtin_fmaf(f, 0x1.4ae0cp-26f, s * factor * 0x1.715476p+0f);
    float m = __builtin_fmaf(f, 0x1.715476p+0f, low);
    return log_or_special(x, __builtin_fmaf(e, 0x1p-23f, m));
}
/* 2 ulp */
__AH_FN float log10_f32(float x)
{
    float f, factor, e = log_parts(&x, &f), s = log_curve(f, &factor);
    float m = __builtin_fmaf(s, factor, f) * 0x1.bcb7b2p-2f;
    return log_or_special(x, __builtin_fmaf(e, 0x1.344136p-25f, m));
}
#else
/* The error of v_log_f32, and as much for log and log10. */
__AH_FN float log2_f32(float x) { return hw::lg2_whole(x); }
/* Of a subnormal number 2^-32 times another's, whose logarithm is taken off in the same operation.
 */
__AH_FN float log_f32(float x)
{
    bool small = x < 0x1p-126f;
    return __builtin_fmaf(__builtin_amdgcn_logf(small ? x * 0x1p32f : x), 0x1.62e43p-1f,
                          small ? -0x1.62e43p+4f : 0.0f);
}
__AH_FN float log10_f32(float x) { return hw::lg2_whole(x) * 0x1.344136p-2f; }
#endif
} // namespace __ah

#undef __AH_FN
#endif
