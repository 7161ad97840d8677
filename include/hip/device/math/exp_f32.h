/* Single precision exponentials. The coefficients are from tools/math/exp_f32.sollya. */
#ifndef HIP_DEVICE_MATH_EXP_F32_H
#define HIP_DEVICE_MATH_EXP_F32_H

#include "hip/device/math/hw.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* The whole number n nearest to x `per`, at least -126 and at most 127, as a float that has n + 127
 * in its low bits. The limits are those of a saturated sum, which also makes a number of a NaN. */
__AH_FN float limited_power(float x, float per)
{
    float place = hw::fma_sat(x, per * (1.0f / 253), 126.0f / 253);
    return __builtin_fmaf(place, 253.0f, 0x1.8p23f + 1);
}
__AH_FN float power_of(float n) { return float_of(bits_of(n) << 23); }
__AH_FN float whole_of(float n) { return n - (0x1.8p23f + 127); }

/* base^x where the base's logarithm of base 2 is high + low, low > 0. What is left of x beyond the
 * limits of n goes to ex2, which overflows and vanishes as the result does; a subnormal result is
 * rounded once, by the last product. */
__AH_FN float power_f32(float x, float high, float low)
{
    float n = limited_power(x, high);
    float rest = __builtin_fmaf(x, high, -whole_of(n));
    return hw::ex2(__builtin_fmaf(x, low, rest)) * power_of(n);
}

/* The error of ex2 and 0.6 ulp. */
__AH_FN float exp_f32(float x) { return power_f32(x, 0x1.715476p+0f, 0x1.4ae0cp-26f); }
__AH_FN float exp10_f32(float x) { return power_f32(x, 0x1.a934fp+1f, 0x1.2f346ep-24f); }
/* The error of ex2. */
__AH_FN float exp2_f32(float x) { return hw::ex2_whole(x); }

/* e^x - 1 = 2^n p + (2^n - 1), p = e^r - 1 by a polynomial for -0.347 < r < 0.7: n is at most 127,
 * so that 2^n is a number. 1 ulp. */
__AH_FN float expm1_f32(float x)
{
    float n = limited_power(x, 0x1.715476p+0f), whole = whole_of(n), power = power_of(n);
    float r = __builtin_fmaf(whole, -0x1.62e43p-1f, x);
    r = __builtin_fmaf(whole, 0x1.05c61p-29f, r);
    float p = __builtin_fmaf(0x1.da1a98p-13f, r, 0x1.6bf4f8p-10f);
    p = __builtin_fmaf(p, r, 0x1.10e7eep-7f);
    p = __builtin_fmaf(p, r, 0x1.5555fep-5f);
    p = __builtin_fmaf(p, r, 0x1.55557p-3f);
    p = __builtin_fmaf(p, r, 0.5f);
    p = __builtin_fmaf(p, r * r, r);
    p = __builtin_fmaf(power, p, power - 1.0f);
    return __builtin_copysignf(x < -18.0f ? 1.0f : p, x);
}
} // namespace __ah

#undef __AH_FN
#endif
