/* The functions of half precision numbers in device code; fp16.h has the types. */
#ifndef HIP_DEVICE_FP16_FUNCTIONS_H
#define HIP_DEVICE_FP16_FUNCTIONS_H

#include "hip/device/atomics.h"
#include "hip/device/atomics_16.h"
#include "hip/device/conversion.h"
#include "hip/device/fp16.h"
#include "hip/device/math/half.h"
#include "hip/device/math_f32.h"
#include "hip/device/warp.h"

#define __AH_FN  static __device__ inline __attribute__((always_inline))
#define __AH_HDN static __host__ __device__ inline

/* ---- conversions from and to integers ---- */

/* An integer that float cannot hold is far beyond the largest half, so going by way of
 * float with the same rounding rounds once. */
#define __AH_HALF_FROM(name, T, wide, W)                                                           \
    __AH_FN __half __##name##2half_rn(T x) { return __float2half_rn(__##wide##2float_rn((W)x)); }  \
    __AH_FN __half __##name##2half_rd(T x) { return __float2half_rd(__##wide##2float_rd((W)x)); }  \
    __AH_FN __half __##name##2half_ru(T x) { return __float2half_ru(__##wide##2float_ru((W)x)); }  \
    __AH_FN __half __##name##2half_rz(T x) { return __float2half_rz(__##wide##2float_rz((W)x)); }
__AH_HALF_FROM(int, int, int, int)
__AH_HALF_FROM(uint, unsigned int, uint, unsigned int)
__AH_HALF_FROM(short, short, int, int)
__AH_HALF_FROM(ushort, unsigned short, int, int)
__AH_HALF_FROM(ll, long long, ll, long long)
__AH_HALF_FROM(ull, unsigned long long, ull, unsigned long long)
#undef __AH_HALF_FROM

#define __AH_HALF_TO(name, T, suffix)                                                              \
    __AH_FN T __half2##name##_##suffix(__half h)                                                   \
    {                                                                                              \
        return __float2##name##_##suffix(__half2float(h));                                         \
    }
#define __AH_HALF_TO_SHORT(name, T, low, high, suffix)                                             \
    __AH_FN T __half2##name##_##suffix(__half h)                                                   \
    {                                                                                              \
        int i = __float2int_##suffix(__half2float(h));                                             \
        return static_cast<T>(i < (low) ? (low) : i > (high) ? (high) : i);                        \
    }
#define __AH_HALF_TO_ALL(suffix)                                                                   \
    __AH_HALF_TO(int, int, suffix)                                                                 \
    __AH_HALF_TO(uint, unsigned int, suffix)                                                       \
    __AH_HALF_TO(ll, long long, suffix)                                                            \
    __AH_HALF_TO(ull, unsigned long long, suffix)                                                  \
    __AH_HALF_TO_SHORT(short, short, -32768, 32767, suffix)                                        \
    __AH_HALF_TO_SHORT(ushort, unsigned short, 0, 65535, suffix)
__AH_HALF_TO_ALL(rn)
__AH_HALF_TO_ALL(rd)
__AH_HALF_TO_ALL(ru)
__AH_HALF_TO_ALL(rz)
#undef __AH_HALF_TO_ALL
#undef __AH_HALF_TO_SHORT
#undef __AH_HALF_TO

/* ---- arithmetic ---- */

namespace __ah
{
__AH_HDN _Float16 half_data(__half h) { return __builtin_bit_cast(_Float16, half_bits(h)); }
__AH_HDN __half half_of_data(_Float16 x) { return half_of(__builtin_bit_cast(unsigned short, x)); }
__AH_HDN __half half_saturated(_Float16 x)
{
    return half_of_data(x > (_Float16)0 ? x < (_Float16)1 ? x : (_Float16)1 : (_Float16)0);
}
} // namespace __ah

__AH_HDN __half __hadd(__half a, __half b)
{
    return __ah::half_of_data(__ah::half_data(a) + __ah::half_data(b));
}
__AH_HDN __half __hsub(__half a, __half b)
{
    return __ah::half_of_data(__ah::half_data(a) - __ah::half_data(b));
}
__AH_HDN __half __hmul(__half a, __half b)
{
    return __ah::half_of_data(__ah::half_data(a) * __ah::half_data(b));
}
__AH_HDN __half __hdiv(__half a, __half b)
{
    return __ah::half_of_data(__ah::half_data(a) / __ah::half_data(b));
}
__AH_HDN __half __hfma(__half a, __half b, __half c)
{
    return __ah::half_of_data(
        __builtin_fmaf16(__ah::half_data(a), __ah::half_data(b), __ah::half_data(c)));
}
/* _sat: to [0, 1], a NaN to 0 */
__AH_HDN __half __hadd_sat(__half a, __half b)
{
    return __ah::half_saturated(__ah::half_data(__hadd(a, b)));
}
__AH_HDN __half __hsub_sat(__half a, __half b)
{
    return __ah::half_saturated(__ah::half_data(__hsub(a, b)));
}
__AH_HDN __half __hmul_sat(__half a, __half b)
{
    return __ah::half_saturated(__ah::half_data(__hmul(a, b)));
}
__AH_HDN __half __hfma_sat(__half a, __half b, __half c)
{
    return __ah::half_saturated(__ah::half_data(__hfma(a, b, c)));
}
__AH_HDN __half __hneg(__half a)
{
    return __ah::half_of(static_cast<unsigned short>(__ah::half_bits(a) ^ 0x8000));
}
__AH_HDN __half __habs(__half a)
{
    return __ah::half_of(static_cast<unsigned short>(__ah::half_bits(a) & 0x7fff));
}

__AH_HDN __half2 __hadd2(__half2 a, __half2 b) { return __half2(a.data + b.data); }
__AH_HDN __half2 __hsub2(__half2 a, __half2 b) { return __half2(a.data - b.data); }
__AH_HDN __half2 __hmul2(__half2 a, __half2 b) { return __half2(a.data * b.data); }
__AH_HDN __half2 __h2div(__half2 a, __half2 b) { return __half2(a.data / b.data); }
__AH_HDN __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__builtin_elementwise_fma(a.data, b.data, c.data));
}
__AH_HDN __half2 __hadd2_sat(__half2 a, __half2 b)
{
    return __half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
__AH_HDN __half2 __hsub2_sat(__half2 a, __half2 b)
{
    return __half2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
__AH_HDN __half2 __hmul2_sat(__half2 a, __half2 b)
{
    return __half2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
__AH_HDN __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
/* the nearest number from 0 to 1; a NaN stays one */
__AH_HDN __half __clamp_01(__half a)
{
    return float(a) < 0 ? __half(0) : float(a) > 1 ? __half(1) : a;
}
__AH_HDN __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
__AH_HDN __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }

/* c plus the products of both pairs, in float; saturated to [0, 1] on request */
__AH_FN float amd_mixed_dot(__half2 a, __half2 b, float c, bool saturate)
{
    float r = fmaf(__low2float(a), __low2float(b), fmaf(__high2float(a), __high2float(b), c));
    return saturate ? __saturatef(r) : r;
}

/* ---- comparisons ---- */

__AH_HDN bool __hisnan(__half a) { return (__ah::half_bits(a) & 0x7fff) > 0x7c00; }
/* 1 for either infinity */
__AH_HDN int __hisinf(__half a) { return (__ah::half_bits(a) & 0x7fff) == 0x7c00; }

/* __heq(a, b) is false where one is a NaN, __hequ(a, b) true. For pairs __heq2 gives 1.0 or
 * 0.0 in each component, __hbeq2 whether it holds for both. */
#define __AH_HALF_COMPARE(name, op)                                                                \
    __AH_HDN bool __h##name(__half a, __half b)                                                    \
    {                                                                                              \
        return !__hisnan(a) && !__hisnan(b) && __ah::half_data(a) op __ah::half_data(b);           \
    }                                                                                              \
    __AH_HDN bool __h##name##u(__half a, __half b)                                                 \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || __ah::half_data(a) op __ah::half_data(b);             \
    }                                                                                              \
    __AH_HDN __half2 __h##name##2(__half2 a, __half2 b)                                            \
    {                                                                                              \
        return __half2(__ah::half_of(__h##name(a.x, b.x) ? 0x3c00 : 0),                            \
                       __ah::half_of(__h##name(a.y, b.y) ? 0x3c00 : 0));                           \
    }                                                                                              \
    __AH_HDN __half2 __h##name##u2(__half2 a, __half2 b)                                           \
    {                                                                                              \
        return __half2(__ah::half_of(__h##name##u(a.x, b.x) ? 0x3c00 : 0),                         \
                       __ah::half_of(__h##name##u(a.y, b.y) ? 0x3c00 : 0));                        \
    }                                                                                              \
    __AH_HDN bool __hb##name##2(__half2 a, __half2 b)                                              \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    __AH_HDN bool __hb##name##u2(__half2 a, __half2 b)                                             \
    {                                                                                              \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                   \
    }
__AH_HALF_COMPARE(eq, ==)
__AH_HALF_COMPARE(ne, !=)
__AH_HALF_COMPARE(lt, <)
__AH_HALF_COMPARE(le, <=)
__AH_HALF_COMPARE(gt, >)
__AH_HALF_COMPARE(ge, >=)
#undef __AH_HALF_COMPARE

__AH_HDN __half2 __hisnan2(__half2 a)
{
    return __half2(__ah::half_of(__hisnan(a.x) ? 0x3c00 : 0),
                   __ah::half_of(__hisnan(a.y) ? 0x3c00 : 0));
}
__AH_HDN __half2 __hisinf2(__half2 a)
{
    return __half2(__ah::half_of(__hisinf(a.x) ? 0x3c00 : 0),
                   __ah::half_of(__hisinf(a.y) ? 0x3c00 : 0));
}

/* of two the one that is a number; with _nan a NaN where one is */
__AH_HDN __half __hmax(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) || __ah::half_data(a) > __ah::half_data(b) ? a : b;
}
__AH_HDN __half __hmin(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) || __ah::half_data(a) < __ah::half_data(b) ? a : b;
}
__AH_HDN __half __hmax_nan(__half a, __half b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
__AH_HDN __half __hmin_nan(__half a, __half b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
__AH_HDN __half2 __hmax2(__half2 a, __half2 b)
{
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__AH_HDN __half2 __hmin2(__half2 a, __half2 b)
{
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

/* ---- functions ---- */

#define __AH_HALF_FUNCTION(FN, name, expression)                                                   \
    FN __half h##name(__half h)                                                                    \
    {                                                                                              \
        float x = __half2float(h);                                                                 \
        return __float2half_rn(expression);                                                        \
    }                                                                                              \
    FN __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
__AH_HALF_FUNCTION(__AH_FN, ceil, ceilf(x))
__AH_HALF_FUNCTION(__AH_FN, floor, floorf(x))
__AH_HALF_FUNCTION(__AH_FN, rint, rintf(x))
__AH_HALF_FUNCTION(__AH_FN, trunc, truncf(x))
__AH_HALF_FUNCTION(__AH_FN, sqrt, __ah::hw::root(x))
__AH_HALF_FUNCTION(__AH_FN, rsqrt, __ah::hw::rsq(x))
__AH_HALF_FUNCTION(__AH_FN, rcp, __ah::hw::rcp(x))
__AH_HALF_FUNCTION(__AH_FN, exp, __ah::exp_of_half(x))
__AH_HALF_FUNCTION(__AH_FN, exp2, __ah::exp2_of_half(x))
__AH_HALF_FUNCTION(__AH_FN, exp10, __ah::exp10_of_half(x))
__AH_HALF_FUNCTION(__AH_FN, log, __ah::log_of_half(x))
__AH_HALF_FUNCTION(__AH_FN, log2, __ah::log2_of_half(x))
__AH_HALF_FUNCTION(__AH_FN, log10, __ah::log10_of_half(x))
__AH_HALF_FUNCTION(__AH_FN, sin, __ah::sin_of_half(x))
__AH_HALF_FUNCTION(__AH_FN, cos, __ah::cos_of_half(x))
__AH_HALF_FUNCTION(__AH_YIELDING __AH_FN, tanh, tanhf(x))
#undef __AH_HALF_FUNCTION

/* ---- across lanes, in memory ---- */

#define __AH_HALF_SHUFFLES(T)                                                                      \
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
__AH_HALF_SHUFFLES(__half)
__AH_HALF_SHUFFLES(__half2)
#undef __AH_HALF_SHUFFLES

__AH_FN __half atomicAdd(__half *address, __half value)
{
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 700
    return __ah::half_of(__ah::atomic_add_f16(address, __ah::half_bits(value)));
#else
    return __ah::half_of(__ah::atomic_add_16(address, [value](unsigned short bits) {
        return __ah::half_bits(__hadd(__ah::half_of(bits), value));
    }));
#endif
}
__AH_FN __half2 atomicAdd(__half2 *address, __half2 value)
{
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 600
    unsigned int old =
        __ah::atomic_add_f16x2(address, __builtin_bit_cast(unsigned int, value.data));
    return __half2(__builtin_bit_cast(__ah_float16_2, old));
#else
    __ah_float16_2 old =
        __ah::atomic_add_pair(reinterpret_cast<__ah_float16_2 *>(address), value.data);
    return __half2(old);
#endif
}
__AH_FN __half2 unsafeAtomicAdd(__half2 *address, __half2 value)
{
    return atomicAdd(address, value);
}

#undef __AH_HDN
#undef __AH_FN
#endif
