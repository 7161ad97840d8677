/* Double precision error functions. Coefficients: tools/math/erf_f64.sollya. */
#ifndef HIP_DEVICE_MATH_ERF_F64_H
#define HIP_DEVICE_MATH_ERF_F64_H

#include "hip/device/math/exp_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* Below 1 x + x p(x x), relative error 2^-55.8. */
__AH_FN double erf_near(double x)
{
    double s = x * x;
    double p = -0x1.a09c2fdfea94ep-31;
    p = fma_f64(p, s, 0x1.d3545417cc044p-27);
    p = fma_f64(p, s, -0x1.5b791a9b15a81p-23);
    p = fma_f64(p, s, 0x1.b9684dafb6c5dp-20);
    p = fma_f64(p, s, -0x1.f4c7e4262f8e5p-17);
    p = fma_f64(p, s, 0x1.f9a29229e295ep-14);
    p = fma_f64(p, s, -0x1.c02dae8ae75dep-11);
    p = fma_f64(p, s, 0x1.565bccedd94bdp-8);
    p = fma_f64(p, s, -0x1.b82ce311a315p-6);
    p = fma_f64(p, s, 0x1.ce2f21a03f78ep-4);
    p = fma_f64(p, s, -0x1.812746b03799cp-2);
    p = fma_f64(p, s, 0x1.06eba8214db68p-3);
    return fma_f64(x, p, x);
}
/* 1 - e^p(t - 2) for t from 1 to 5.93, absolute error 2^-56.7. */
__AH_FN double erf_far(double t)
{
    __AH_EXACT
    double u = t - 2.0;
    double p = -0x1.292bd5933cdp-44;
    p = fma_f64(p, u, 0x1.3e4a4cae131ap-43);
    p = fma_f64(p, u, 0x1.65474c87e9c33p-39);
    p = fma_f64(p, u, -0x1.01eec1081e205p-36);
    p = fma_f64(p, u, 0x1.1dda4bfe4a234p-35);
    p = fma_f64(p, u, -0x1.6bd1ee7adcfdcp-36);
    p = fma_f64(p, u, -0x1.25d1fcb47a23ap-32);
    p = fma_f64(p, u, 0x1.56038142f3265p-29);
    p = fma_f64(p, u, -0x1.dfa8440597d18p-27);
    p = fma_f64(p, u, 0x1.f103d7082033dp-25);
    p = fma_f64(p, u, -0x1.73ecc185d14f4p-23);
    p = fma_f64(p, u, 0x1.b539b4a9e3d58p-23);
    p = fma_f64(p, u, 0x1.060468a25e5f2p-19);
    p = fma_f64(p, u, -0x1.5b6562576bcfap-16);
    p = fma_f64(p, u, 0x1.1bc3a6333b616p-13);
    p = fma_f64(p, u, -0x1.7ffcfb5adf2cdp-11);
    p = fma_f64(p, u, 0x1.d406b3729d9b6p-9);
    p = fma_f64(p, u, -0x1.0dc3b5fb06524p-6);
    p = fma_f64(p, u, -0x1.d8f5dece9224fp-1);
    p = fma_f64(p, u, -0x1.1ac3258a8dc2dp+2);
    p = fma_f64(p, u, -0x1.575b329b1f516p+2);
    int n;
    double r = ln2_rest(p, &n);
    return 1.0 - times_power(fma_f64(fma_f64(exp_tail(r), r, 1.0), r, 1.0), n);
}
__AH_FN double erf_f64(double x) /* 1 ULP */
{
    double t = __builtin_fabs(x);
    double far = __builtin_copysign(erf_far(t < 5.93 ? t : 5.93), x);
    return t > 1.0 ? far : erf_near(x);
}

/* erfc(t) e^(t t) / q for 0 <= t <= 27.3, with q = 1 / (1 + 0.3 t) and u = t q - 3/2: relative
 * error 2^-54.3. This form does not multiply the error of q. */
__AH_FN double erfc_ratio(double u)
{
    double p = 0x1.5d49734725647p-48;
    p = fma_f64(p, u, 0x1.2779a97028428p-47);
    p = fma_f64(p, u, -0x1.30485e0debdf7p-43);
    p = fma_f64(p, u, -0x1.6acf11f7b77fap-42);
    p = fma_f64(p, u, 0x1.3aedee0e8b71cp-39);
    p = fma_f64(p, u, 0x1.1242c68bdf50ap-37);
    p = fma_f64(p, u, -0x1.1ed7540ff906dp-35);
    p = fma_f64(p, u, -0x1.5c57fb685b455p-33);
    p = fma_f64(p, u, 0x1.242d94d5d6607p-31);
    p = fma_f64(p, u, 0x1.9fa616ec7a551p-29);
    p = fma_f64(p, u, -0x1.855d5a3c62655p-27);
    p = fma_f64(p, u, -0x1.cef95aca53c59p-25);
    p = fma_f64(p, u, 0x1.504003f8afd66p-22);
    p = fma_f64(p, u, 0x1.5c27f3a5b58adp-21);
    p = fma_f64(p, u, -0x1.3b8bdf45b72fap-17);
    p = fma_f64(p, u, 0x1.1a2ac53a42076p-16);
    p = fma_f64(p, u, 0x1.8fc86f7501662p-13);
    p = fma_f64(p, u, -0x1.d3cb4fddb00bdp-10);
    p = fma_f64(p, u, 0x1.1ff42070c6758p-7);
    p = fma_f64(p, u, -0x1.fc4c229766325p-6);
    p = fma_f64(p, u, 0x1.5efb61be3ce1bp-4);
    p = fma_f64(p, u, -0x1.89505933c3403p-3);
    p = fma_f64(p, u, 0x1.6b42329951419p-2);
    return p;
}
__AH_FN double erfc_f64(double x) /* 4 ULP */
{
    __AH_EXACT
    double t = __builtin_fabs(x);
    t = t < 28.0 ? t : 28.0;
    double q = inverse_f64(fma_f64(t, 0.3, 1.0)), ratio = q * erfc_ratio(fma_f64(t, q, -1.5));
    int n;
    double s = t * t, r = ln2_rest(-s, &n) - fma_f64(t, t, -s);
    double p = fma_f64(fma_f64(exp_tail(r), r, 1.0), r, 1.0) * ratio;
    double result = times_power(p, n);
    if (__builtin_expect(t > 26.0, 0)) /* it may be subnormal */
        result = times_any_power(p, n);
    result = x < 0.0 ? 2.0 - result : result;
    return x != x ? x : result;
}
} // namespace __ah

#undef __AH_FN
#endif
