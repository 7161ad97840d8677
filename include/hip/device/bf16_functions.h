/* The functions of brain floating point numbers that exist in device code alone; bf16.h has
 * the types. Computed in float and rounded: at most 1 ULP. */
#ifndef HIP_DEVICE_BF16_FUNCTIONS_H
#define HIP_DEVICE_BF16_FUNCTIONS_H

#include "hip/device/atomics.h"
#include "hip/device/atomics_16.h"
#include "hip/device/bf16.h"
#include "hip/device/math_f32.h"
#include "hip/device/warp.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

#define __AH_BFLOAT_FUNCTION(name, expression)                                                     \
    __AH_FN __hip_bfloat16 h##name(__hip_bfloat16 h)                                               \
    {                                                                                              \
        float x = __bfloat162float(h);                                                             \
        return __hip_bfloat16(expression);                                                         \
    }                                                                                              \
    __AH_FN __hip_bfloat162 h2##name(__hip_bfloat162 a)                                            \
    {                                                                                              \
        return __hip_bfloat162(h##name(a.x), h##name(a.y));                                        \
    }
__AH_BFLOAT_FUNCTION(ceil, ceilf(x))
__AH_BFLOAT_FUNCTION(floor, floorf(x))
__AH_BFLOAT_FUNCTION(rint, rintf(x))
__AH_BFLOAT_FUNCTION(trunc, truncf(x))
__AH_BFLOAT_FUNCTION(sqrt, sqrtf(x))
__AH_BFLOAT_FUNCTION(rsqrt, rsqrtf(x))
__AH_BFLOAT_FUNCTION(rcp, 1.0f / x)
__AH_BFLOAT_FUNCTION(exp, __ah::hw::ex2_whole(x * 0x1.715476p+0f))
__AH_BFLOAT_FUNCTION(exp2, exp2f(x))
__AH_BFLOAT_FUNCTION(exp10, __ah::hw::ex2_whole(x * 0x1.a934fp+1f))
__AH_BFLOAT_FUNCTION(log, logf(x))
__AH_BFLOAT_FUNCTION(log2, log2f(x))
__AH_BFLOAT_FUNCTION(log10, log10f(x))
__AH_BFLOAT_FUNCTION(sin, sinf(x))
__AH_BFLOAT_FUNCTION(cos, cosf(x))
__AH_BFLOAT_FUNCTION(tanh, tanhf(x))
#undef __AH_BFLOAT_FUNCTION

#define __AH_BFLOAT_SHUFFLES(T)                                                                    \
    __AH_FN T __shfl(T var, int srcLane, int width = __ah::lanes())                                \
    {                                                                                              \
        return __ah::shuffle(__ah::active(), var, srcLane, width);                                 \
    }                                                                                              \
    __AH_FN T __shfl_up(T var, unsigned int delta, int width = __ah::lanes())                      \
    {                                                                                              \
        return __ah::shuffle_up(__ah::active(), var, delta, width);                                \
    }                                                                                              \
    __AH_FN T __shfl_down(T var, unsigned int delta, int width = __ah::lanes())                    \
    {                                                                                              \
        return __ah::shuffle_down(__ah::active(), var, delta, width);                              \
    }                                                                                              \
    __AH_FN T __shfl_xor(T var, int laneMask, int width = __ah::lanes())                           \
    {                                                                                              \
        return __ah::shuffle_xor(__ah::active(), var, laneMask, width);                            \
    }
__AH_BFLOAT_SHUFFLES(__hip_bfloat16)
__AH_BFLOAT_SHUFFLES(__hip_bfloat162)
#undef __AH_BFLOAT_SHUFFLES

__AH_FN __hip_bfloat16 atomicAdd(__hip_bfloat16 *address, __hip_bfloat16 value)
{
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 900
    return __ah::bfloat_of(__ah::atomic_add_bf16(address, __ah::bfloat_bits(value)));
#else
    return __ah::bfloat_of(__ah::atomic_add_16(address, [value](unsigned short bits) {
        return __ah::bfloat_bits(__hadd(__ah::bfloat_of(bits), value));
    }));
#endif
}
__AH_FN __hip_bfloat162 atomicAdd(__hip_bfloat162 *address, __hip_bfloat162 value)
{
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 900
    return __builtin_bit_cast(
        __hip_bfloat162, __ah::atomic_add_bf16x2(address, __builtin_bit_cast(unsigned int, value)));
#else
    return __ah::atomic_add_pair(address, value);
#endif
}
__AH_FN __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162 *address, __hip_bfloat162 value)
{
    return atomicAdd(address, value);
}

#undef __AH_FN
#endif
