/* Functions of floats that are half precision numbers, for results that become halves: their errors
 * are below 2^-17, so that the half is at most the next but one step of the exact result's, and
 * nearly always its nearest. Every half, subnormal ones included, is a normal float. */
#ifndef HIP_DEVICE_MATH_HALF_H
#define HIP_DEVICE_MATH_HALF_H

#include "hip/device/math/trig_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* base^x, `log` being the base's logarithm of base 2 */
__AH_FN float half_power(float x, float log) { return hw::ex2(x * log); }

/* The logarithm of x of which that of 2 is `of_2`. Near 1 a series, since lg2 has an absolute
 * error. */
__AH_FN float half_log(float x, float of_2)
{
    float f = x - 1.0f;
    float p = __builtin_fmaf(f, 0x1.ec709ep-2f, -0x1.715476p-1f); /* log2(1 + f) / f */
    p = __builtin_fmaf(p, f, 0x1.715476p+0f) * f;
    return (__builtin_fabsf(f) < 0x1p-5f ? p : hw::lg2(x)) * of_2;
}

__AH_FN float half_sin(float x)
{
    unsigned int n;
    float r = usual_quarter_remainder(x, &n);
    return turned(n, sin_quarter(r), cos_quarter(r));
}
__AH_FN float half_cos(float x)
{
    unsigned int n;
    float r = usual_quarter_remainder(x, &n);
    return turned(n + 1, sin_quarter(r), cos_quarter(r));
}
} // namespace __ah

#undef __AH_FN
#endif
