/* Double precision modified Bessel functions of the first kind, of order 0 and 1. The coefficients
 * are from tools/math/bessel_i_f64.sollya.
 *
 * Below 12 a polynomial in u = x x, from there on e^x / sqrt(x) times one in t = 24 / x - 1. */
#ifndef HIP_DEVICE_MATH_BESSEL_I_F64_H
#define HIP_DEVICE_MATH_BESSEL_I_F64_H

#include "hip/device/math/exp_f64.h"
#include "hip/device/math/root_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* relative error 2^-54.0 */
__AH_FN double i0_near(double u)
{
    double p = 0x1.7d3814b7cd158p-130;
    p = fma_f64(p, u, 0x1.b5e8d16ac86a4p-123);
    p = fma_f64(p, u, 0x1.bb0aa8881c39p-111);
    p = fma_f64(p, u, 0x1.2d23543956e94p-101);
    p = fma_f64(p, u, 0x1.ec20582f64dfep-92);
    p = fma_f64(p, u, 0x1.41107e75c9e74p-82);
    p = fma_f64(p, u, 0x1.69dfb7e46bb63p-73);
    p = fma_f64(p, u, 0x1.55ff17114381ep-64);
    p = fma_f64(p, u, 0x1.0b31680d1bc08p-55);
    p = fma_f64(p, u, 0x1.522a3d42281b9p-47);
    p = fma_f64(p, u, 0x1.522a4490c7adap-39);
    p = fma_f64(p, u, 0x1.02e85bfee4d15p-31);
    p = fma_f64(p, u, 0x1.2345678a7c9acp-24);
    p = fma_f64(p, u, 0x1.c71c71c706646p-18);
    p = fma_f64(p, u, 0x1.c71c71c71dc55p-12);
    p = fma_f64(p, u, 0x1.ffffffffffec6p-7);
    p = fma_f64(p, u, 0x1.0000000000006p-2);
    p = fma_f64(p, u, 0x1p0);
    return p;
}
/* relative error 2^-56.3, divided by x */
__AH_FN double i1_near(double u)
{
    double p = 0x1.4a38c0000b44cp-135;
    p = fma_f64(p, u, 0x1.e58ecc5b9f29p-128);
    p = fma_f64(p, u, 0x1.b23ab31711be3p-116);
    p = fma_f64(p, u, 0x1.43bea0a92100bp-106);
    p = fma_f64(p, u, 0x1.18bb00363e217p-96);
    p = fma_f64(p, u, 0x1.8b496ccd33f6p-87);
    p = fma_f64(p, u, 0x1.e27919a09c7c3p-78);
    p = fma_f64(p, u, 0x1.f173f98cf3a9fp-69);
    p = fma_f64(p, u, 0x1.ab8226d651e75p-60);
    p = fma_f64(p, u, 0x1.2c9754d8fd435p-51);
    p = fma_f64(p, u, 0x1.522a4458faa54p-43);
    p = fma_f64(p, u, 0x1.27e4fb70da1a8p-35);
    p = fma_f64(p, u, 0x1.845c8a0d8241bp-28);
    p = fma_f64(p, u, 0x1.6c16c16c0d8c3p-21);
    p = fma_f64(p, u, 0x1.c71c71c71d124p-15);
    p = fma_f64(p, u, 0x1.55555555554ffp-9);
    p = fma_f64(p, u, 0x1.0000000000002p-4);
    p = fma_f64(p, u, 0x1p-1);
    return p;
}
/* relative error 2^-53.9 */
__AH_FN double i0_far(double t)
{
    double p = 0x1.341ffb7ebad6cp-41;
    p = fma_f64(p, t, -0x1.306c4bbc9fd5ap-42);
    p = fma_f64(p, t, -0x1.31b8d87f9a599p-38);
    p = fma_f64(p, t, -0x1.9cf7cb0251511p-39);
    p = fma_f64(p, t, 0x1.195b8115ede62p-37);
    p = fma_f64(p, t, 0x1.0d46b7638584ep-36);
    p = fma_f64(p, t, 0x1.5438b0a00eac4p-36);
    p = fma_f64(p, t, 0x1.94953158f9339p-35);
    p = fma_f64(p, t, 0x1.56db7a6ce982ep-33);
    p = fma_f64(p, t, 0x1.64963054a417fp-31);
    p = fma_f64(p, t, 0x1.d9464a61da7aap-29);
    p = fma_f64(p, t, 0x1.96f67646db4b8p-26);
    p = fma_f64(p, t, 0x1.d2593dbbf6c79p-23);
    p = fma_f64(p, t, 0x1.77807b3d2acf8p-19);
    p = fma_f64(p, t, 0x1.d5a27f379c307p-15);
    p = fma_f64(p, t, 0x1.1e0569de02a25p-9);
    p = fma_f64(p, t, 0x1.9ab25f8f56038p-2);
    return p;
}
/* relative error 2^-54.2 */
__AH_FN double i1_far(double t)
{
    double p = -0x1.a04b1055d95f3p-41;
    p = fma_f64(p, t, 0x1.6621a79704f39p-42);
    p = fma_f64(p, t, 0x1.72c4a2edd1414p-38);
    p = fma_f64(p, t, 0x1.9997e8ff83e7cp-39);
    p = fma_f64(p, t, -0x1.5883dcdd65395p-37);
    p = fma_f64(p, t, -0x1.1ac54bf461a7ep-36);
    p = fma_f64(p, t, -0x1.56587b9f93453p-36);
    p = fma_f64(p, t, -0x1.b7bdc59cb84cdp-35);
    p = fma_f64(p, t, -0x1.7b324b72e2cc9p-33);
    p = fma_f64(p, t, -0x1.90a44432e4c75p-31);
    p = fma_f64(p, t, -0x1.10a485471b547p-28);
    p = fma_f64(p, t, -0x1.e564b6a533e4fp-26);
    p = fma_f64(p, t, -0x1.24caf60008b61p-22);
    p = fma_f64(p, t, -0x1.00e3b420b8ddp-18);
    p = fma_f64(p, t, -0x1.7eb850889976fp-14);
    p = fma_f64(p, t, -0x1.a3c9adbe355aap-8);
    p = fma_f64(p, t, 0x1.920c27c8dc633p-2);
    return p;
}

/* p, a polynomial at the rounded square of a, corrected for that rounding, whose effect grows with
 * a: 6.5 ULP without it. The slope is that of log p near 10. */
__AH_FN double i_near(double a, double p, double slope)
{
    __AH_EXACT
    double u = a * a, lost = fma_f64(a, a, -u);
    return fma_f64(p, lost * slope, p);
}
/* e^a r p for r = 1 / sqrt(a): 2^20 and 2^(n - 20) come last, because e^a overflows before the
 * result does. a is at most 720, where the result is infinity. */
__AH_FN double i_scaled(double a, double r, double p)
{
    __AH_EXACT
    int n;
    double e = ln2_rest(a, &n);
    e = fma_f64(fma_f64(exp_tail(e), e, 1.0), e, 1.0);
    return e * (r * p) * 0x1p20 * power_of_2(n - 20);
}

__AH_FN double cyl_bessel_i0_f64(double x) /* 3.8 ULP */
{
    double a = __builtin_fabs(x);
    if (a < 12.0)
        return i_near(a, i0_near(a * a), 0.045);
    a = a > 720.0 ? 720.0 : a;
    double r = inverse_root(a);
    return i_scaled(a, r, i0_far(fma_f64(r * r, 24.0, -1.0)));
}
__AH_FN double cyl_bessel_i1_f64(double x) /* 4.2 ULP */
{
    double a = __builtin_fabs(x);
    if (a < 12.0)
        return x * i_near(a, i1_near(a * a), 0.04);
    a = a > 720.0 ? 720.0 : a;
    double r = inverse_root(a);
    return __builtin_copysign(i_scaled(a, r, i1_far(fma_f64(r * r, 24.0, -1.0))), x);
}
} // namespace __ah

#undef __AH_FN
#endif
