/* Numbers of 6 bits. E2M3 has two bits of exponent and three of mantissa, E3M2 three and two.
 *
 *          bias   largest   smallest above 0
 *   E2M3      1       7.5   0.125
 *   E3M2      3        28   0.0625
 *
 * There is no infinity and no NaN. A number becomes the nearest of the format, to even, and one
 * above the largest, infinity and NaN become the largest, with their sign.
 *
 * __HIP_NO_FP6_CONVERSIONS__ leaves out the constructors from other types, and
 * __HIP_NO_FP6_CONVERSION_OPERATORS__ the conversions to them. */
#ifndef HIP_DEVICE_FP6_H
#define HIP_DEVICE_FP6_H

#include "hip/device/small_float_classes.h"

/* Each number lies in the low 6 bits of a byte, the first in the lowest byte. */
typedef __hip_fp8_storage_t __hip_fp6_storage_t;
typedef __hip_fp8x2_storage_t __hip_fp6x2_storage_t;
typedef __hip_fp8x4_storage_t __hip_fp6x4_storage_t;

typedef enum __hip_fp6_interpretation_t {
    __HIP_E3M2 = 0,
    __HIP_E2M3 = 1
} __hip_fp6_interpretation_t;

#if defined(__cplusplus)

#define __AH_FN __host__ __device__ inline

namespace __ah
{
struct fp6_storage {
    typedef __hip_fp6_storage_t storage;
    typedef __hip_fp6x2_storage_t storage2;
    typedef __hip_fp6x4_storage_t storage4;
    static constexpr int spacing = 8;
};
struct fp6_e2m3 : fp6_storage {
    static constexpr bool high_first = false;
    static __AH_FN small_format format() { return small_e2m3(); }
};
/* HIP's constructor of four E3M2 numbers takes the upper pair first; those of the other formats
 * take the lower. */
struct fp6_e3m2 : fp6_storage {
    static constexpr bool high_first = true;
    static __AH_FN small_format format() { return small_e3m2(); }
};
} // namespace __ah

/* ---- conversions of storage ---- */

#define __AH_TO_FP6(one, T, two, T2)                                                               \
    __AH_FN __hip_fp6_storage_t __hip_cvt_##one##_to_fp6(                                          \
        const T x, const __hip_fp6_interpretation_t interpretation, const enum hipRoundMode)       \
    {                                                                                              \
        return interpretation == __HIP_E2M3                                                        \
                   ? __ah::small_code<__ah::fp6_e2m3>(__ah::small_word(x))                         \
                   : __ah::small_code<__ah::fp6_e3m2>(__ah::small_word(x));                        \
    }                                                                                              \
    __AH_FN __hip_fp6x2_storage_t __hip_cvt_##two##_to_fp6x2(                                      \
        const T2 x, const __hip_fp6_interpretation_t interpretation, const enum hipRoundMode)      \
    {                                                                                              \
        return interpretation == __HIP_E2M3                                                        \
                   ? __ah::small_codes<__ah::fp6_e2m3>(__ah::small_word(x))                        \
                   : __ah::small_codes<__ah::fp6_e3m2>(__ah::small_word(x));                       \
    }
__AH_TO_FP6(float, float, float2, float2)
__AH_TO_FP6(double, double, double2, double2)
__AH_TO_FP6(halfraw, __half_raw, halfraw2, __half2_raw)
__AH_TO_FP6(bfloat16raw, __hip_bfloat16_raw, bfloat16raw2, __hip_bfloat162_raw)
#undef __AH_TO_FP6

__AH_FN __half_raw __hip_cvt_fp6_to_halfraw(const __hip_fp6_storage_t x,
                                            const __hip_fp6_interpretation_t interpretation)
{
    return interpretation == __HIP_E2M3 ? __ah::small_to_half<__ah::fp6_e2m3>(x)
                                        : __ah::small_to_half<__ah::fp6_e3m2>(x);
}
__AH_FN __half2_raw __hip_cvt_fp6x2_to_halfraw2(const __hip_fp6x2_storage_t x,
                                                const __hip_fp6_interpretation_t interpretation)
{
    return interpretation == __HIP_E2M3 ? __ah::small_to_half2<__ah::fp6_e2m3>(x)
                                        : __ah::small_to_half2<__ah::fp6_e3m2>(x);
}

/* ---- classes ---- */

#if defined(__HIP_NO_FP6_CONVERSIONS__)
#define __AH_FROM_OTHERS false
#else
#define __AH_FROM_OTHERS true
#endif
#if defined(__HIP_NO_FP6_CONVERSION_OPERATORS__)
#define __AH_TO_OTHERS false
#else
#define __AH_TO_OTHERS true
#endif
#define __AH_FP6(format)                                                                           \
    __AH_SMALL(__hip_fp6_##format, small_one, __ah::fp6_##format, __AH_FROM_OTHERS,                \
               __AH_TO_OTHERS)                                                                     \
    __AH_SMALL(__hip_fp6x2_##format, small_two, __ah::fp6_##format, __AH_FROM_OTHERS,              \
               __AH_TO_OTHERS)                                                                     \
    __AH_SMALL(__hip_fp6x4_##format, small_four, __ah::fp6_##format, __AH_FROM_OTHERS,             \
               __AH_TO_OTHERS)
__AH_FP6(e2m3)
__AH_FP6(e3m2)
#undef __AH_FP6
#undef __AH_FROM_OTHERS
#undef __AH_TO_OTHERS

#undef __AH_FN
#endif
#endif
