/* The logarithm of the gamma function in double precision. The coefficients are from
 * tools/math/gamma_f64.py. */
#ifndef HIP_DEVICE_MATH_GAMMA_F64_H
#define HIP_DEVICE_MATH_GAMMA_F64_H

#include "hip/device/math/log_f64.h"
#include "hip/device/math/trig_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* ln Gamma(1 + b) / (b (b - 1)) for b up to 3, relative error 2^-55.1. The coefficients are
 * positive, so that no digits are lost. */
__AH_FN double lgamma_ratio(double b)
{
    double p = 0x1.b8ce7f38fc298p-24;
    p = fma_f64(p, b, 0x1.3f72cfc10734p-14);
    p = fma_f64(p, b, 0x1.e3a364071008ep-9);
    p = fma_f64(p, b, 0x1.cb84e680700b1p-5);
    p = fma_f64(p, b, 0x1.7c622000cb9ddp-2);
    p = fma_f64(p, b, 0x1.393e0f76d1233p+0);
    p = fma_f64(p, b, 0x1.0b27f17cec642p+1);
    p = fma_f64(p, b, 0x1.c22f20aef84cbp+0);
    p = fma_f64(p, b, 0x1.2788cfc6fb619p-1);
    double q = 0x1.2c3209112612ap-16;
    q = fma_f64(q, b, 0x1.64b8bad5d8208p-10);
    q = fma_f64(q, b, 0x1.ea00bc82b9a83p-6);
    q = fma_f64(q, b, 0x1.2066f09057c71p-2);
    q = fma_f64(q, b, 0x1.562aa1622ab18p+0);
    q = fma_f64(q, b, 0x1.b7718c5e5eca9p+1);
    q = fma_f64(q, b, 0x1.34951a2a86db2p+2);
    q = fma_f64(q, b, 0x1.bc58e88f68976p+1);
    q = fma_f64(q, b, 0x1p+0);
    return p * inverse_f64(q);
}
/* What ln Gamma(x) - (x - 1/2) (ln x - 1) is for x >= 4: absolute error 2^-53.7. */
__AH_FN double stirling_rest(double x)
{
    double z = inverse_f64(__builtin_fmin(x, 0x1p200)), w = z * z;
    double p = -0x1.32951d8161cap-7;
    p = fma_f64(p, w, 0x1.423024442d0cep-8);
    p = fma_f64(p, w, -0x1.e5040af0a47ap-10);
    p = fma_f64(p, w, 0x1.b861545036e7ep-11);
    p = fma_f64(p, w, -0x1.380febdcbc1a2p-11);
    p = fma_f64(p, w, 0x1.a019facf8b7bap-11);
    p = fma_f64(p, w, -0x1.6c16c16ad865bp-9);
    p = fma_f64(p, w, 0x1.5555555555542p-4);
    return fma_f64(p, z, 0x1.acfe390c97d69p-2);
}
/* For x >= 0. Below 1 it is that of 1 + x, less ln x. */
__AH_FN double lgamma_positive(double x)
{
    __AH_EXACT
    double l = log_f64(x);
    if (x < 4.0) {
        bool below = x < 1.0;
        double b = below ? x : x - 1.0, r = b * (b - 1.0) * lgamma_ratio(b);
        return below ? r - l : r + 0.0; /* +0 at 1 */
    }
    return fma_f64(x - 0.5, l - 1.0, stirling_rest(x));
}
/* ln Gamma(-a) = ln(pi / |sin(pi a)|) - ln Gamma(1 + a). Near its zeros below -2 the absolute error
 * is some 2^-51. */
static __device__ inline double lgamma_negative(double a)
{
    bool least = a < 0x1p-60; /* sin(pi a) may not be a normal number */
    double sine = log_f64(least ? a : __builtin_fabs(sinpi_f64(a)));
    double r = (least ? 0.0 : 0x1.250d048e7a1bdp+0) - sine - lgamma_positive(a + 1.0);
    return a >= 0x1p+52 ? __builtin_inf() : r;
}
__AH_FN double lgamma_f64(double x) /* 3.5 ULP from 0 on */
{
    return __builtin_expect(x < 0.0, 0) ? lgamma_negative(-x) : lgamma_positive(x);
}
} // namespace __ah

#undef __AH_FN
#endif
