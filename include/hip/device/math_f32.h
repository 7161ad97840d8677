/* Single precision functions of C and of HIP. The limit after a name is the largest distance from
 * the correctly rounded result in units in the last place; functions without one have none, or a
 * length's of 2. Subnormal numbers are kept, unless the program is compiled to flush them. With
 * -ffast-math or -fgpu-approx-transcendentals the functions that have a fast form (fast.h) use it.
 */
#ifndef HIP_DEVICE_MATH_F32_H
#define HIP_DEVICE_MATH_F32_H

#include "hip/device/fast.h"
#include "hip/device/math/arc_f32.h"
#include "hip/device/math/erf_f32.h"
#include "hip/device/math/erfinv_f32.h"
#include "hip/device/math/exp_f32.h"
#include "hip/device/math/gamma_f32.h"
#include "hip/device/math/hyperbolic_f32.h"
#include "hip/device/math/log_f32.h"
#include "hip/device/math/parts_f32.h"
#include "hip/device/math/pow_f32.h"
#include "hip/device/math/remainder.h"
#include "hip/device/math/root_f32.h"
#include "hip/device/math/trig_f32.h"
#include "hip/device/math_f64.h"
#include "hip/device/math_parts.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

#if defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#define __AH_FAST_OR(fast, precise) fast
#else
#define __AH_FAST_OR(fast, precise) precise
#endif

/* ---- trigonometric and hyperbolic ---- */

__AH_FN float acosf(float x) { return __ah::acos_f32(x); }                        /* 2 */
__AH_FN float acoshf(float x) { return __ah::acosh_f32(x); }                      /* 3 */
__AH_FN float asinf(float x) { return __ah::asin_f32(x); }                        /* 2 */
__AH_FN float asinhf(float x) { return __ah::asinh_f32(x); }                      /* 3 */
__AH_FN float atanf(float x) { return __ah::atan_f32(x); }                        /* 2 */
__AH_FN float atan2f(float y, float x) { return __ah::atan2_f32(y, x); }          /* 2 */
__AH_FN float atanhf(float x) { return __ah::atanh_f32(x); }                      /* 3 */
__AH_FN float cosf(float x) { return __AH_FAST_OR(__cosf(x), __ah::cos_f32(x)); } /* 2 */
__AH_FN float coshf(float x) { return __ah::cosh_f32(x); }                        /* 2 */
__AH_FN float cospif(float x) { return __ah::cospi_f32(x); }                      /* 1 */
__AH_FN float sinf(float x) { return __AH_FAST_OR(__sinf(x), __ah::sin_f32(x)); } /* 2 */
__AH_FN float sinhf(float x) { return __ah::sinh_f32(x); }                        /* 3 */
__AH_FN float sinpif(float x) { return __ah::sinpi_f32(x); }                      /* 1 */
__AH_FN float tanf(float x) { return __ah::tan_f32(x); }                          /* 3 */
__AH_FN float tanhf(float x) { return __ah::tanh_f32(x); }                        /* 2 */
__AH_FN void sincosf(float x, float *s, float *c)
{
#if defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
    __sincosf(x, s, c);
#else
    __ah::sincos_f32(x, s, c);
#endif
}
__AH_FN void sincospif(float x, float *s, float *c) { __ah::sincospi_f32(x, s, c); }

/* ---- exponentials, logarithms, powers, roots ---- */

__AH_FN float expf(float x) { return __AH_FAST_OR(__expf(x), __ah::exp_f32(x)); }       /* 2 */
__AH_FN float exp2f(float x) { return __ah::exp2_f32(x); }                              /* 2 */
__AH_FN float exp10f(float x) { return __AH_FAST_OR(__exp10f(x), __ah::exp10_f32(x)); } /* 2 */
__AH_FN float expm1f(float x) { return __ah::expm1_f32(x); }                            /* 1 */
__AH_FN float logf(float x) { return __AH_FAST_OR(__logf(x), __ah::log_f32(x)); }       /* 2 */
__AH_FN float log10f(float x) { return __AH_FAST_OR(__log10f(x), __ah::log10_f32(x)); } /* 2 */
__AH_FN float log1pf(float x) { return __ah::log1p_f32(x); }                            /* 1 */
__AH_FN float log2f(float x) { return __AH_FAST_OR(__log2f(x), __ah::log2_f32(x)); }    /* 1 */
__AH_FN float powf(float x, float y)
{
    return __AH_FAST_OR(__powf(x, y), __ah::pow_f32(x, y)); /* 4 */
}
__AH_FN float powif(float x, int n) { return __ah::powi_f32(x, n); } /* 4 */
__AH_FN float sqrtf(float x) { return __builtin_sqrtf(x); }
__AH_FN float cbrtf(float x) { return __ah::cbrt_f32(x); } /* 1 */
/* 2; rsqrt.approx.f32. v_rsq_f32 takes no subnormal numbers, so those are scaled. */
__AH_FN float rsqrtf(float x)
{
#if defined(__NVPTX__)
    return __nvvm_rsqrt_approx_f(x);
#else
    bool small = x < 0x1p-126f;
    return __builtin_amdgcn_rsqf(small ? x * 0x1p24f : x) * (small ? 0x1p12f : 1.0f);
#endif
}
__AH_FN float rcbrtf(float x) { return __ah::rcbrt_f32(x); }                  /* 1 */
__AH_FN float hypotf(float x, float y) { return __ah::hypot_f32(x, y); }      /* 2 */
__AH_FN float rhypotf(float x, float y) { return __ah::rhypot_f32(x, y); }    /* 2 */
__AH_FN float normf(int n, const float *v) { return __ah::norm_f32(n, v); }   /* 2 */
__AH_FN float rnormf(int n, const float *v) { return __ah::rnorm_f32(n, v); } /* 2 */
__AH_FN float norm3df(float x, float y, float z) { return __ah::norm3d_f32(x, y, z); }
__AH_FN float norm4df(float x, float y, float z, float w) { return __ah::norm4d_f32(x, y, z, w); }
__AH_FN float rnorm3df(float x, float y, float z) { return __ah::rnorm3d_f32(x, y, z); }
__AH_FN float rnorm4df(float x, float y, float z, float w) { return __ah::rnorm4d_f32(x, y, z, w); }

/* ---- rounding, remainders, parts ---- */

__AH_FN float ceilf(float x) { return __builtin_ceilf(x); }
__AH_FN float floorf(float x) { return __builtin_floorf(x); }
__AH_FN float truncf(float x) { return __builtin_truncf(x); }
__AH_FN float rintf(float x) { return __builtin_rintf(x); }
__AH_FN float nearbyintf(float x) { return __builtin_rintf(x); }
__AH_FN float roundf(float x) { return __ah::round_f32(x); }
__AH_FN long lrintf(float x) { return static_cast<long>(__builtin_rintf(x)); }
__AH_FN long lroundf(float x) { return static_cast<long>(__builtin_roundf(x)); }
__AH_FN long long llrintf(float x) { return static_cast<long long>(__builtin_rintf(x)); }
__AH_FN long long llroundf(float x) { return static_cast<long long>(__builtin_roundf(x)); }
__AH_FN float fabsf(float x) { return __builtin_fabsf(x); }
__AH_FN float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
__AH_FN float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
__AH_FN float fminf(float x, float y) { return __builtin_fminf(x, y); }
__AH_FN float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__AH_FN float fdimf(float x, float y) { return __ah::positive_difference(x, y); }
__AH_FN float fdividef(float x, float y) { return x / y; }
__AH_FN float fmodf(float x, float y) { return __ah::fmod_f32(x, y); }
__AH_FN float remainderf(float x, float y) { return __ah::remainder_f32(x, y); }
__AH_FN float remquof(float x, float y, int *low) { return __ah::remquo_f32(x, y, low); }
__AH_FN float modff(float x, float *whole) { return __ah::split(x, whole); }
__AH_FN float frexpf(float x, int *exponent) { return __ah::frexp_f32(x, exponent); }
__AH_FN float ldexpf(float x, int n) { return __ah::ldexp_f32(x, n); }
__AH_FN float scalbnf(float x, int n) { return __ah::ldexp_f32(x, n); }
__AH_FN float scalblnf(float x, long n)
{
    return __ah::ldexp_f32(x, n > 1000 ? 1000 : n < -1000 ? -1000 : static_cast<int>(n));
}
__AH_FN int ilogbf(float x) { return __ah::ilogb_f32(x); }
__AH_FN float logbf(float x) { return __ah::logb_f32(x); }
__AH_FN float nextafterf(float x, float y) { return __ah::nextafter_f32(x, y); }
__AH_FN float nanf(const char *tag)
{
    return __builtin_bit_cast(
        float, 0x7fc00000u | static_cast<unsigned int>(__ah::nan_payload(tag) & 0x3fffff));
}

/* ---- error and gamma functions; most by way of double ---- */

namespace __ah
{
/* The logarithm of the gamma function has zeros here, at which a difference of floats has no digits
 * left. */
static __device__ __attribute__((noinline)) float lgamma_at_zeros(float x)
{
    return static_cast<float>(lgamma_f64(static_cast<double>(x)));
}
} // namespace __ah

__AH_FN float erff(float x) { return __ah::erf_f32(x); }               /* 2 */
__AH_FN float erfcf(float x) { return __ah::erfc_f32(x); }             /* 4 */
__AH_FN float erfinvf(float x) { return __ah::erfinv_f32(x); }         /* 2 */
__AH_FN float erfcinvf(float x) { return __ah::erfcinv_f32(x); }       /* 4 */
__AH_FN float erfcxf(float x) { return __ah::erfcx_f32(x); }           /* 4 */
__AH_FN float normcdff(float x) { return __ah::normcdf_f32(x); }       /* 5 */
__AH_FN float normcdfinvf(float x) { return __ah::normcdfinv_f32(x); } /* 5 */
/* 4; at negative arguments close to zeros only the absolute error is small */
__AH_FN float lgammaf(float x) /* 6 */
{
    return x < -2.0f && x > -16.0f ? __ah::lgamma_at_zeros(x) : __ah::lgamma_f32(x);
}
__AH_FN float tgammaf(float x) { return __ah::tgamma_f32(x); } /* 5 */

#undef __AH_FAST_OR
#undef __AH_FN
#endif
