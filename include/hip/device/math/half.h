/* Functions of floats that are half precision numbers, for results that become halves: their errors
 * are below 2^-17, so that the half is at most the next but one step of the exact result's, and
 * nearly always its nearest. Every half, subnormal ones included, is a normal float. */
#ifndef HIP_DEVICE_MATH_HALF_H
#define HIP_DEVICE_MATH_HALF_H

#include "hip/device/math/trig_f32.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* Powers and logarithms of a half become the half that is nearest to the nearest float, for every
 * half: on NVIDIA devices by measurement (H100), elsewhere where the hardware's ex2 and lg2 are the
 * nearest floats. The numbers that are added before ex2, and the last bits of factors, leave the
 * fewest halves with another result; each of those has a line. The product of a logarithm may be
 * rounded twice or once, as by v_fma_mixlo_f16. */
__AH_FN float unless(float x, float at, float value, float y) { return x == at ? value : y; }

__AH_FN float exp_of_half(float x) { return hw::ex2(__builtin_fmaf(x, 0x1.715476p+0f, 0x1p-24f)); }
__AH_FN float exp2_of_half(float x)
{
#ifdef __NVPTX__ /* a little nearer to 1 on both sides */
    float positive = hw::fma_sat(x, 0x1p40f, 0.0f);
    return hw::ex2(__builtin_fmaf(positive, -0x1p-23f, x + 0x1p-24f));
#else
    return hw::ex2(x);
#endif
}
__AH_FN float exp10_of_half(float x)
{
    float y = hw::ex2(__builtin_fmaf(x, 0x1.a934fp+1f, 0x1.8p-25f));
#ifdef __NVPTX__
    y = unless(x, 0x1.378p-2f, 0x1.01cp+1f, y);
#endif
    y = unless(x, -0x1.d98p-10f, 0x1.fdcp-1f, y);
    return unless(x, -0x1.c28p+0f, 0x1.1ccp-6f, y);
}

__AH_FN float log_of_half(float x)
{
#ifdef __NVPTX__
    float y = hw::lg2(x) * 0x1.62e432p-1f;
    y = unless(x, 0x1.4d4p-9f, -0x1.7e4p+2f, y);
    y = unless(x, 0x1.ff8p-1f, -0x1.004p-10f, y);
    y = unless(x, 0x1.02cp+0f, 0x1.5ep-7f, y);
    return unless(x, 0x1.8f8p+1f, 0x1.234p+0f, y);
#else
    float y = hw::lg2(x) * 0x1.62e43p-1f;
    y = unless(x, 0x1.4d4p-9f, -0x1.7e4p+2f, y);
    y = unless(x, 0x1.5ep-8f, -0x1.4fp+2f, y);
    y = unless(x, 0x1.17cp-3f, -0x1.fd8p+0f, y);
    return unless(x, 0x1.4c4p+1f, 0x1.e88p-1f, y);
#endif
}
__AH_FN float log2_of_half(float x)
{
    float y = hw::lg2(x);
#ifdef __NVPTX__
    y = unless(x, 0x1.224p-2f, -0x1.d1cp+0f, y);
    y = unless(x, 0x1.fb4p-1f, -0x1.b8cp-7f, y);
#endif
    return y;
}
__AH_FN float log10_of_half(float x)
{
#ifdef __NVPTX__
    float y = hw::lg2(x) * 0x1.344136p-2f;
    y = unless(x, 0x1.89p+1f, 0x1.f2cp-2f, y);
    return unless(x, 0x1.74p+11f, 0x1.bc8p+1f, y);
#else
    float y = hw::lg2(x) * 0x1.344134p-2f;
    y = unless(x, 0x1.e3cp-3f, -0x1.41p-1f, y);
    y = unless(x, 0x1.f84p+6f, 0x1.0dp+1f, y);
    return unless(x, 0x1.674p+13f, 0x1.04p+2f, y);
#endif
}

__AH_FN float sin_of_half(float x)
{
    unsigned int n;
    float r = usual_quarter_remainder(x, &n);
    return turned(n, sin_quarter(r), cos_quarter(r));
}
__AH_FN float cos_of_half(float x)
{
    unsigned int n;
    float r = usual_quarter_remainder(x, &n);
    return turned(n + 1, sin_quarter(r), cos_quarter(r));
}
} // namespace __ah

#undef __AH_FN
#endif
