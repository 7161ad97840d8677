/* The inverses of the double precision error functions and of the normal distribution. The
 * coefficients are from tools/math/erfinv_f64.py.
 *
 * With z the result for x, z / x is a quotient of polynomials in 1 / sqrt(1 - x x) - 1 where |x| is
 * at most 0.999, and z one in sqrt(-log(1 - x x)) beyond. The coefficients are positive, so that no
 * digits are lost. */
#ifndef HIP_DEVICE_MATH_ERFINV_F64_H
#define HIP_DEVICE_MATH_ERFINV_F64_H

#include "hip/device/math/log_f64.h"
#include "hip/device/math/root_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* z / x for u = 1 / sqrt(1 - x x) - 1 up to 21.4, relative error 2^-53.8 */
__AH_FN double erfinv_near(double u)
{
    double p = 0x1.105c67eb707dbp-34;
    p = fma_f64(p, u, 0x1.48ea5e20e0a94p-25);
    p = fma_f64(p, u, 0x1.5ee7484cd439dp-18);
    p = fma_f64(p, u, 0x1.150f8d95a11cp-12);
    p = fma_f64(p, u, 0x1.91651b63accacp-8);
    p = fma_f64(p, u, 0x1.2b9931a838296p-4);
    p = fma_f64(p, u, 0x1.edc6614ecef35p-2);
    p = fma_f64(p, u, 0x1.d326c3ea41acbp+0);
    p = fma_f64(p, u, 0x1.00f37c977a264p+2);
    p = fma_f64(p, u, 0x1.42074168d0615p+2);
    p = fma_f64(p, u, 0x1.a80de4a1be2f3p+1);
    p = fma_f64(p, u, 0x1.c5bf891b4ef6bp-1);
    double q = 0x1.1d2807fb63a25p-36;
    q = fma_f64(q, u, 0x1.984b0801a93e6p-27);
    q = fma_f64(q, u, 0x1.ecf06b63972d5p-20);
    q = fma_f64(q, u, 0x1.b321ab0320efp-14);
    q = fma_f64(q, u, 0x1.5fd53fb1e20ccp-9);
    q = fma_f64(q, u, 0x1.262fbe48fe2bep-5);
    q = fma_f64(q, u, 0x1.116ad4b334f7ap-2);
    q = fma_f64(q, u, 0x1.263a75b6ead3fp+0);
    q = fma_f64(q, u, 0x1.736a8da1c8131p+1);
    q = fma_f64(q, u, 0x1.0d10c861c0aabp+2);
    q = fma_f64(q, u, 0x1.9b792e28de98dp+1);
    q = fma_f64(q, u, 0x1p+0);
    return p * inverse_f64(q);
}
/* z for u = sqrt(-log(1 - x x)) - 2.5 up to 2.75, relative error 2^-53.3 */
__AH_FN double erfinv_middle(double u)
{
    double p = 0x1.4ae6e871d5646p-12;
    p = fma_f64(p, u, 0x1.abd9d62b082eap-9);
    p = fma_f64(p, u, 0x1.519ff655c7261p-6);
    p = fma_f64(p, u, 0x1.630b92311625cp-4);
    p = fma_f64(p, u, 0x1.28b2766152adp-2);
    p = fma_f64(p, u, 0x1.7b0608d738ba5p-1);
    p = fma_f64(p, u, 0x1.87b68f1de60afp+0);
    p = fma_f64(p, u, 0x1.3ed653d18674ap+1);
    p = fma_f64(p, u, 0x1.65781271037f9p+1);
    p = fma_f64(p, u, 0x1.2ab656e2f769cp+1);
    double q = 0x1.a234ebfe37f3ap-27;
    q = fma_f64(q, u, 0x1.4a4b1e12e5211p-12);
    q = fma_f64(q, u, 0x1.46b0216c2b57fp-9);
    q = fma_f64(q, u, 0x1.e2acd906a303dp-7);
    q = fma_f64(q, u, 0x1.a6c1a5485ff5ep-5);
    q = fma_f64(q, u, 0x1.5a05973762321p-3);
    q = fma_f64(q, u, 0x1.5df1ed6ff8a5dp-2);
    q = fma_f64(q, u, 0x1.777566d78bb35p-1);
    q = fma_f64(q, u, 0x1.8aefdd85df264p-1);
    q = fma_f64(q, u, 0x1p+0);
    return p * inverse_f64(q);
}
/* z for u = sqrt(-log(1 - x x)) - 5.25 up to 22.1, relative error 2^-52.5 */
__AH_FN double erfinv_far(double u)
{
    double p = 0x1.3e9e7d04b3765p-24;
    p = fma_f64(p, u, 0x1.69a1a918451ddp-17);
    p = fma_f64(p, u, 0x1.17cad0880bc0ap-11);
    p = fma_f64(p, u, 0x1.987ac624bf0bcp-7);
    p = fma_f64(p, u, 0x1.41334e65f5047p-3);
    p = fma_f64(p, u, 0x1.1fffadcfdee39p+0);
    p = fma_f64(p, u, 0x1.28413a3252a6fp+2);
    p = fma_f64(p, u, 0x1.4e1dbc14428afp+3);
    p = fma_f64(p, u, 0x1.70d6559307feap+3);
    p = fma_f64(p, u, 0x1.468edd59fd4cbp+2);
    double q = 0x1.e5d8f833af0c7p-51;
    q = fma_f64(q, u, 0x1.3e9e07c3e651dp-24);
    q = fma_f64(q, u, 0x1.5c919d42648e4p-17);
    q = fma_f64(q, u, 0x1.f69d7c07a4b17p-12);
    q = fma_f64(q, u, 0x1.46b3b34a34f3ep-7);
    q = fma_f64(q, u, 0x1.aee369841a31cp-4);
    q = fma_f64(q, u, 0x1.2a7d7d993debfp-1);
    q = fma_f64(q, u, 0x1.a368645af4cc2p+0);
    q = fma_f64(q, u, 0x1.07cd6ce98c116p+1);
    q = fma_f64(q, u, 0x1p+0);
    return p * inverse_f64(q);
}
/* |z| for v = 1 - x x that is not above 0.002; NaN below 0 */
static __device__ inline double erfinv_tail(double v)
{
    if (v == 0)
        return __builtin_inf();
    double w = -log_f64(v), s = w * inverse_root(w);
    return s < 5.25 ? erfinv_middle(s - 2.5) : erfinv_far(s - 5.25);
}
/* from x and v = 1 - x x */
__AH_FN double erfinv_of(double x, double v)
{
    if (v > 0.002)
        return x * erfinv_near(inverse_root(v) - 1.0);
    return __builtin_copysign(erfinv_tail(v), x);
}

__AH_FN double erfinv_f64(double x) /* 4 ULP */ { return erfinv_of(x, fma_f64(-x, x, 1.0)); }
__AH_FN double erfcinv_f64(double y) /* 4.6 ULP */
{
    __AH_EXACT
    return erfinv_of(1.0 - y, y * (2.0 - y));
}
__AH_FN double normcdfinv_f64(double p) /* 6 ULP */
{
    __AH_EXACT
    return 0x1.6a09e667f3bcdp+0 * erfinv_of(fma_f64(p, 2.0, -1.0), 4.0 * p * (1.0 - p));
}
} // namespace __ah

#undef __AH_FN
#endif
