/* Numbers of 4 bits: E2M1, two bits of exponent and one of mantissa. They are 0, 0.5, 1, 1.5, 2, 3,
 * 4, 6 and the same negated; there is no infinity and no NaN. A number becomes the nearest of the
 * format, to even, and one above 6, infinity and NaN become 6, with their sign.
 *
 * __HIP_NO_FP4_CONVERSIONS__ leaves out the constructors from other types, and
 * __HIP_NO_FP4_CONVERSION_OPERATORS__ the conversions to them. */
#ifndef HIP_DEVICE_FP4_H
#define HIP_DEVICE_FP4_H

#include "hip/device/small_float_classes.h"

typedef __hip_fp8_storage_t __hip_fp4_storage_t;   /* in the low 4 bits */
typedef __hip_fp8_storage_t __hip_fp4x2_storage_t; /* the first number in the low bits */
typedef __hip_fp8x2_storage_t __hip_fp4x4_storage_t;

typedef enum __hip_fp4_interpretation_t { __HIP_E2M1 = 0 } __hip_fp4_interpretation_t;

#if defined(__cplusplus)

#define __AH_FN __host__ __device__ inline

namespace __ah
{
struct fp4_e2m1 {
    typedef __hip_fp4_storage_t storage;
    typedef __hip_fp4x2_storage_t storage2;
    typedef __hip_fp4x4_storage_t storage4;
    static constexpr int spacing = 4;
    static constexpr bool high_first = false;
    static __AH_FN small_format format() { return small_e2m1(); }
};
} // namespace __ah

/* ---- conversions of storage ---- */

#define __AH_TO_FP4(one, T, two, T2)                                                               \
    __AH_FN __hip_fp4_storage_t __hip_cvt_##one##_to_fp4(                                          \
        const T x, const __hip_fp4_interpretation_t, const enum hipRoundMode)                      \
    {                                                                                              \
        return __ah::small_code<__ah::fp4_e2m1>(__ah::small_word(x));                              \
    }                                                                                              \
    __AH_FN __hip_fp4x2_storage_t __hip_cvt_##two##_to_fp4x2(                                      \
        const T2 x, const __hip_fp4_interpretation_t, const enum hipRoundMode)                     \
    {                                                                                              \
        return __ah::small_codes<__ah::fp4_e2m1>(__ah::small_word(x));                             \
    }
__AH_TO_FP4(float, float, float2, float2)
__AH_TO_FP4(double, double, double2, double2)
__AH_TO_FP4(halfraw, __half_raw, halfraw2, __half2_raw)
__AH_TO_FP4(bfloat16raw, __hip_bfloat16_raw, bfloat16raw2, __hip_bfloat162_raw)
#undef __AH_TO_FP4

__AH_FN __half_raw __hip_cvt_fp4_to_halfraw(const __hip_fp4_storage_t x,
                                            const __hip_fp4_interpretation_t)
{
    return __ah::small_to_half<__ah::fp4_e2m1>(x);
}
__AH_FN __half2_raw __hip_cvt_fp4x2_to_halfraw2(const __hip_fp4x2_storage_t x,
                                                const __hip_fp4_interpretation_t)
{
    return __ah::small_to_half2<__ah::fp4_e2m1>(x);
}

/* ---- classes ---- */

#if defined(__HIP_NO_FP4_CONVERSIONS__)
#define __AH_FROM_OTHERS false
#else
#define __AH_FROM_OTHERS true
#endif
#if defined(__HIP_NO_FP4_CONVERSION_OPERATORS__)
#define __AH_TO_OTHERS false
#else
#define __AH_TO_OTHERS true
#endif
__AH_SMALL(__hip_fp4_e2m1, small_one, __ah::fp4_e2m1, __AH_FROM_OTHERS, __AH_TO_OTHERS)
__AH_SMALL(__hip_fp4x2_e2m1, small_two, __ah::fp4_e2m1, __AH_FROM_OTHERS, __AH_TO_OTHERS)
__AH_SMALL(__hip_fp4x4_e2m1, small_four, __ah::fp4_e2m1, __AH_FROM_OTHERS, __AH_TO_OTHERS)
#undef __AH_FROM_OTHERS
#undef __AH_TO_OTHERS

#undef __AH_FN
#endif
#endif
