/* Bessel functions: j0, j1, jn of the first kind and y0, y1, yn of the second for double. Those of
 * floats are in math/bessel_f32.h, the modified ones, cyl_bessel_i0 and cyl_bessel_i1, in
 * math/bessel_i_f32.h and math/bessel_i_f64.h.
 *
 * Below 8 by polynomials on pieces: around a zero z the function is (x - z) p(x - z) with z in
 * two parts, so that the result keeps its digits there; near 0 a series in x x. From 8 on
 * sqrt(2 / (pi x)) (P cos w - Q sin w), w = x - pi/4 - n pi/2, with P and Q as polynomials in
 * 64 / (x x): an absolute error of about 2^-52 of that root. Other orders by recurrence. The
 * coefficients are fits of the functions in 60 digits, with a relative error below 2^-56. */
#ifndef HIP_DEVICE_BESSEL_H
#define HIP_DEVICE_BESSEL_H

#include "hip/device/math/bessel_f32.h"
#include "hip/device/math/bessel_i_f32.h"
#include "hip/device/math/bessel_i_f64.h"
#include "hip/device/math_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
namespace bessel
{
constexpr double j0_near_0[] = {
    0x1.0000000000000p+0,   -0x1.0000000000000p-2,  0x1.ffffffffffff9p-7,
    -0x1.c71c71c71c0eap-12, 0x1.c71c71c6c3dbfp-18,  -0x1.2345675d37abbp-24,
    0x1.02e841d13e067p-31,  -0x1.52183b7dda7ebp-39, 0x1.4b771fe6efa81p-47};
constexpr double j0_at_2[] = {
    -0x1.09cdb36551280p-1,  0x1.ba1deea029494p-4,  0x1.cfae864368d70p-5,  -0x1.1bb1cbe1a407fp-7,
    -0x1.1f992590d1219p-9,  0x1.15382ba06d7c9p-12, 0x1.6ed3b9f071ca9p-15, -0x1.232c77d2afe99p-18,
    -0x1.1cce301fe5138p-21, 0x1.7ff991c70880ep-25, 0x1.2951b76e82169p-28, -0x1.5c2c5883245e2p-32,
    -0x1.bdbfb88b96ef1p-36, 0x1.cd46df02490dcp-40, 0x1.f50c1dc9cef28p-44, -0x1.ce342676c0643p-48,
    -0x1.5ed93b7ee79acp-52};
constexpr double j0_at_2_zero[] = {0x1.33d152e971b40p+1, -0x1.0f539d7da258ep-53};
constexpr double j0_at_5[] = {
    0x1.5c6e60a097823p-2,  -0x1.f8f72e7a848dfp-6,  -0x1.b2150cb41e8c1p-5,  0x1.2f7ffe9025676p-8,
    0x1.27e31fe9a97c7p-9,  -0x1.6f641f4192120p-13, -0x1.863f481a47739p-15, 0x1.ad77d74643805p-19,
    0x1.32e6d99e55697p-21, -0x1.2da37d56c6db4p-25, -0x1.41d72e6b2309cp-28, 0x1.1d03d460a0a03p-32,
    0x1.e2f391bdabe0ap-36, -0x1.846ae0c47fed1p-40, -0x1.104b25594996fp-43, 0x1.853eb0aa61ffbp-48,
    0x1.d8a6521e62af4p-52};
constexpr double j0_at_5_zero[] = {0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54};
constexpr double j0_at_7[] = {
    0x1.10bb57e0e56e6p-2,  -0x1.14fd20aa52739p-3,  -0x1.fc8822de4866fp-4,  0x1.c5288a7bc428fp-6,
    0x1.29a1c87794cd2p-7,  -0x1.8f884bd3b2ca6p-10, -0x1.0ccd71b51a04dp-12, 0x1.34486cc6b44efp-15,
    0x1.06ff2555c6059p-18, -0x1.0c8550d46d86bp-21, -0x1.4625881584354p-25, 0x1.2cc88ccbfd3cep-28,
    0x1.1779e46fa4c6cp-32};
constexpr double j1_near_0[] = {
    0x1.0000000000000p-1,  -0x1.0000000000000p-4,  0x1.555555555554fp-9,  -0x1.c71c71c71c249p-15,
    0x1.6c16c16bf75dap-21, -0x1.845c89fe3bc75p-28, 0x1.27e4f74bdcc34p-35, -0x1.5228cbbd491ecp-43,
    0x1.2c471d99040a3p-51, -0x1.987e233304c04p-60};
constexpr double j1_at_3[] = {
    -0x1.9c6cf582cbf7fp-2,  0x1.ae8a39f51ad03p-5,  0x1.b589d1da13904p-5,  -0x1.537544c331d89p-8,
    -0x1.24b3409959046p-9,  0x1.6e4c2d5352dbbp-13, 0x1.83a06e30c2105p-15, -0x1.9799d4c929fb1p-19,
    -0x1.33825cd1c78bfp-21, 0x1.170691f2836fep-25, 0x1.4569b17718216p-28, -0x1.03b9d10cc0ef7p-32,
    -0x1.ec61a9d482e2dp-36, 0x1.5ebde58345bcdp-40, 0x1.178674ed630c7p-43, -0x1.6564811cb2e11p-48,
    -0x1.e093d04c995c7p-52, 0x1.c8c03ea570e55p-57};
constexpr double j1_at_3_zero[] = {0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53};
constexpr double j1_at_7[] = {
    0x1.33518b3874e8ap-2,  -0x1.5e70dc60362c2p-6,  -0x1.80c83bdeee5b8p-5,  0x1.9a4b292e3e042p-9,
    0x1.13fbc7d698940p-9,  -0x1.07358bbdcd8b1p-13, -0x1.796a752028e4cp-15, 0x1.4255b01e59683p-19,
    0x1.3026e13c520eep-21, -0x1.d48dd10bc7e39p-26, -0x1.4463eb8c96fe0p-28, 0x1.c62b2d7019301p-33,
    0x1.ece41d0351438p-36, -0x1.3a1dc15685f25p-40, -0x1.1e221fdcc38f7p-43, 0x1.3da388575ef83p-49};
constexpr double j1_at_7_zero[] = {0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54};
constexpr double y0_near_0[] = {
    -0x1.2e4d699cbd01fp-4,  0x1.6bbcb41034286p-3,  -0x1.075b1bbf41285p-6, 0x1.1a6206b78fbccp-11,
    -0x1.3e9978cace765p-17, 0x1.bce3483520658p-24, -0x1.a4f151e5803e4p-31};
constexpr double y0_at_0[] = {
    0x1.c24371844b88ap-1, -0x1.f7e38a46d7102p-2, 0x1.c3b1338af3e82p-3, -0x1.cf18e6a4b38a2p-3,
    0x1.c068086c2b0bep-3, -0x1.a396a805a000bp-3, 0x1.9424b9300b6a9p-3, -0x1.8d35b4802b71ep-3,
    0x1.8c08d07cba639p-3, -0x1.8f7e33c8282c4p-3, 0x1.96de9497ff3ffp-3, -0x1.a1b6b993e1b11p-3,
    0x1.afc3ae5c13005p-3, -0x1.c0e2b3cbef811p-3, 0x1.d4fbb19abf408p-3, -0x1.ec0f9d4957fd0p-3,
    0x1.036b68f2c75abp-2, -0x1.13082e8f5cf43p-2, 0x1.22526ff2abfb1p-2, -0x1.2db27f6c8f7b9p-2,
    0x1.442bda414cd62p-2, -0x1.82158da97e7e8p-2, 0x1.b292aaecc63d1p-2, -0x1.4cb0602598fb7p-2,
    0x1.6607d9079c363p-3, -0x1.84f0f30ac3751p-2, 0x1.de35d1bb9d619p-1, -0x1.226e71a2d47d2p+0,
    0x1.5cccc1ba8b77cp-1, -0x1.52ef9eb61f6f2p-3};
constexpr double y0_at_0_zero[] = {0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56};
constexpr double y0_at_2[] = {
    0x1.054ff5cd68c8dp-1,   0x1.b667a39146648p-4,  -0x1.20b670067d2f1p-2,  0x1.1359572455458p-5,
    0x1.a57be2ff6bf00p-8,   0x1.6e6a04c520045p-9,  -0x1.fc6550b7195b0p-10, 0x1.68bad9b430670p-11,
    -0x1.317f424b18d04p-12, 0x1.17c1b802c0e7bp-13, -0x1.fc78c01207b0dp-15, 0x1.d01d19682057dp-16,
    -0x1.aafa7e17e0f1bp-17, 0x1.8b640a67c34d8p-18, -0x1.70318f445f9b0p-19, 0x1.56b767ecd0bfcp-20,
    -0x1.3d7f7c243c717p-21, 0x1.34ae6dff4248fp-22, -0x1.4b24d3d46cf75p-23, 0x1.32f2718618774p-24,
    -0x1.23fe11713b847p-26};
constexpr double y0_at_3[] = {
    -0x1.9c34256a12a0cp-2,  0x1.a09c9290367f0p-5,   0x1.df6d59bf50ec4p-5,  -0x1.c116fdc598245p-8,
    -0x1.1e32bc4ef93e6p-9,  0x1.998276519267ep-13,  0x1.ab2c1fee0ada0p-15, -0x1.486372081b187p-18,
    -0x1.3b216a8cf7466p-22, -0x1.776fe92505675p-26, 0x1.452ef010a3b49p-26, -0x1.f69a7c6203c13p-29,
    0x1.a59556fddff06p-31,  -0x1.98c362b95e42fp-33, 0x1.893c256e1f788p-35, -0x1.7c02e65b298b0p-37,
    0x1.61877efdd1a18p-39,  -0x1.21b79a9b60ccep-41, 0x1.4221c98a94165p-43, -0x1.062c23ddd855dp-44,
    0x1.a112d1e0ae9fep-47};
constexpr double y0_at_3_zero[] = {0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54};
constexpr double y0_at_7[] = {
    0x1.334cca0697a5bp-2,  -0x1.5aef611fc4d57p-6,  -0x1.8969c64cbf451p-5,  0x1.b2f14a9552767p-9,
    0x1.1d35e85fde16ap-9,  -0x1.26dd71e38ed71p-13, -0x1.8177e4fe32b5fp-15, 0x1.6a92273322633p-19,
    0x1.34aa755af194fp-21, -0x1.0a28147601030p-25, -0x1.442a28f1c5282p-28, 0x1.fa6cfdd21815fp-33,
    0x1.f13f481c4064dp-36, -0x1.71f0c7be74cf3p-40, -0x1.05425156e254fp-43, 0x1.7c5de0c95fba0p-48,
    0x1.008c3e0820f95p-50};
constexpr double y0_at_7_zero[] = {0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54};
constexpr double y1_near_0[] = {
    -0x1.91866143cbc8ap-3,  0x1.bd3975c75b4a7p-5,   -0x1.835b97894be58p-9,
    0x1.2c7dbffcde71fp-14,  -0x1.0a780ac7551aep-20, 0x1.32e5a4bbff968p-27,
    -0x1.f0ce0ccc54d8bp-35, 0x1.2a405772c10b7p-42,  -0x1.0f57df1e39d8ep-50};
constexpr double y1_at_2[] = {
    0x1.0aa48442f014bp-1,  -0x1.e56f82217b8f1p-4,  -0x1.0d2af4e932385p-5,  -0x1.3a6dec3729607p-8,
    0x1.e671c7d11963ep-8,  -0x1.5429dc5a2983ep-9,  0x1.17ab4afabcc3ep-10,  -0x1.0b2d8785c9294p-11,
    0x1.eea7bbbecd366p-13, -0x1.c3fae0ce86c9bp-14, 0x1.9d174b4082be5p-15,  -0x1.7956fc473e08cp-16,
    0x1.5865fd79f865cp-17, -0x1.3a22503906033p-18, 0x1.1e70a3100406ap-19,  -0x1.0563fb332cb69p-20,
    0x1.dc4aee9a98732p-22, -0x1.acb9dec68d5d1p-23, 0x1.877fe6eb7d2e1p-24,  -0x1.8681fa484d2e5p-25,
    0x1.5f02d0f1c607ep-26, -0x1.496a709628992p-28, 0x1.4c535474c45f6p-29,  -0x1.40c2ae918baf2p-28,
    0x1.11cf21efe4580p-29, 0x1.04b2d15753309p-30,  -0x1.aa2c706c9e72bp-32, -0x1.b1f6ce3bc9909p-32,
    0x1.7cb8d3b19a38fp-33};
constexpr double y1_at_2_zero[] = {0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55};
constexpr double y1_at_3[] = {
    0x1.a9d9815adc5afp-2,   -0x1.a41c995e8079dp-6,  -0x1.8490ac36aa1e5p-3,  0x1.254e042dcf78bp-6,
    0x1.85aa42f27dc76p-7,   -0x1.6b749f5fb1747p-11, -0x1.ae5f3f5a095f0p-12, 0x1.288dc954b9f71p-15,
    0x1.d6a6ee3be3749p-20,  0x1.a215280fb8c40p-21,  -0x1.7271b3571c432p-22, 0x1.587352b633468p-24,
    -0x1.5f0a797870361p-26, 0x1.7f529d7de5849p-28,  -0x1.c4110201cdf38p-30, 0x1.e3dbb2128f9c4p-32};
constexpr double y1_at_5[] = {
    -0x1.5c7c556f0c19ap-2,  0x1.00b9f8571ca1fp-5,   0x1.a15d92dfe3e24p-5,  -0x1.10a329e2c2482p-8,
    -0x1.1be6db992383bp-9,  0x1.337c7e139a911p-13,  0x1.85b940eb1080bp-15, -0x1.8061915508d0fp-19,
    -0x1.255e6ca8794b0p-21, 0x1.b62ce08f84e1cp-26,  0x1.80b15356b767fp-28, -0x1.a7f3a35316990p-32,
    0x1.43fb559de8286p-39,  -0x1.373db074f50b6p-38, 0x1.4407da8643a28p-40, -0x1.cb2fe64ff69dcp-43,
    0x1.872eb6d82e33bp-45,  -0x1.d8b56a14f4225p-48};
constexpr double y1_at_5_zero[] = {0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52};
constexpr double y1_at_7[] = {
    -0x1.1adaf3f61957ep-2,  0x1.f0b6ddd9c37bfp-4,  0x1.04d12b779d2bcp-3,  -0x1.99832b3703523p-6,
    -0x1.300d904bbde37p-7,  0x1.63a606010b7edp-10, 0x1.17805799fc81dp-12, -0x1.109bba816b2a3p-15,
    -0x1.18e9596625527p-18, 0x1.de123245c4c54p-22, 0x1.620f787310bdbp-25, -0x1.0c334dea1e9e7p-28,
    -0x1.3865e0a376c22p-32, 0x1.a7d242d286b2ap-36};
constexpr double p0_far[] = {0x1.0000000000000p+0,   -0x1.1ffffffffe5fbp-10, 0x1.cb5fffe8ced26p-16,
                             -0x1.251ed77e459fdp-19, 0x1.84b6e1ac85bdep-22,  -0x1.b75a457f865c8p-24,
                             0x1.74be8a2fde700p-25,  -0x1.9f8175e09f1e0p-26, 0x1.fe16d5457b051p-27,
                             -0x1.1d9db2333be9ep-27, 0x1.ed51b593c205cp-29,  -0x1.13ad48ecc8f38p-30,
                             0x1.22b44c20d0316p-33};
constexpr double q0_far[] = {-0x1.ffffffffffffdp-4,  0x1.2bfffffff1ae2p-10,  -0x1.d11dff99bdda2p-15,
                             0x1.ba4c1087d2f4fp-18,  -0x1.8608d6e0123ddp-20, 0x1.12de5741fb7adp-21,
                             -0x1.155e2692aee0ep-22, 0x1.5ef5a80c8308ap-23,  -0x1.d39db8567c07ap-24,
                             0x1.12e9806e38a74p-24,  -0x1.e8aae3a2cdcbep-26, 0x1.15e8ffa1561d5p-27,
                             -0x1.28620b17b9cccp-30};
constexpr double p1_far[] = {0x1.0000000000000p+0,   0x1.dffffffffe47ep-10,  -0x1.274ffff3bd687p-15,
                             0x1.5a6a468cdbcffp-19,  -0x1.b88b7980b86cfp-22, 0x1.e5a2972c2dbc8p-24,
                             -0x1.955f98cefc9bcp-25, 0x1.bf32407aeede0p-26,  -0x1.10cee152b48afp-26,
                             0x1.3074e873ea25dp-27,  -0x1.066be6e626b36p-28, 0x1.24f56427a91cbp-30,
                             -0x1.34b5237c76148p-33};
constexpr double q1_far[] = {0x1.7ffffffffffffp-2,   -0x1.a3fffffff0e37p-10, 0x1.1c3cffca0c5fdp-14,
                             -0x1.fe57cb8339423p-18, 0x1.b3eca103fbb00p-20,  -0x1.2d143b67f9bf6p-21,
                             0x1.2bc344983abe6p-22,  -0x1.780a19ab1a6c9p-23, 0x1.f27d88f5bf3fdp-24,
                             -0x1.243a04356ccf4p-24, 0x1.034cc26d10254p-25,  -0x1.26a542d5e8ca1p-27,
                             0x1.3a095187deeccp-30};

/* c[0] + c[1] x + c[2] x x ... */
template <int n> __AH_FN double polynomial(double x, const double (&c)[n])
{
    double sum = c[n - 1];
#pragma unroll
    for (int i = n - 2; i >= 0; --i)
        sum = __builtin_fma(sum, x, c[i]);
    return sum;
}
/* around a zero, whose two parts are given */
template <int n> __AH_FN double around(double x, const double (&zero)[2], const double (&c)[n])
{
    double t = (x - zero[0]) - zero[1];
    return t * polynomial(t, c);
}

/* x >= 8: the first kind, or the second, of order 0 or 1. cos(x - pi/4) is (cos x + sin x) /
 * sqrt 2, and so on. */
template <int n, int m>
__AH_FN double far(double x, int order, bool second, const double (&p)[n], const double (&q)[m])
{
    if (x == __builtin_inf())
        return 0;
    double s, c, u = 8 / x, amplitude = 0.56418958354775628 / ::sqrt(x);
    sincos(x, &s, &c);
    /* cosine and sine of w, times the root of 2 */
    double cw = order == 0 ? c + s : s - c, sw = order == 0 ? s - c : -c - s;
    double big = polynomial(u * u, p), small = polynomial(u * u, q) / x;
    return amplitude * (second ? big * sw + small * cw : big * cw - small * sw);
}
} // namespace bessel
} // namespace __ah

static __device__ inline double j0(double x)
{
    using namespace __ah::bessel;
    x = __builtin_fabs(x);
    if (x < 1.2)
        return polynomial(x * x, j0_near_0);
    if (x < 4)
        return around(x, j0_at_2_zero, j0_at_2);
    if (x < 7)
        return around(x, j0_at_5_zero, j0_at_5);
    if (x < 8)
        return polynomial(x - 7.5, j0_at_7);
    return far(x, 0, false, p0_far, q0_far);
}
static __device__ inline double j1(double x)
{
    using namespace __ah::bessel;
    double a = __builtin_fabs(x), r;
    if (a < 2)
        r = a * polynomial(a * a, j1_near_0);
    else if (a < 5.4)
        r = around(a, j1_at_3_zero, j1_at_3);
    else if (a < 8)
        r = around(a, j1_at_7_zero, j1_at_7);
    else
        r = far(a, 1, false, p1_far, q1_far);
    return x < 0 ? -r : x == 0 ? x : r;
}
/* -infinity at 0, NaN below */
static __device__ inline double y0(double x)
{
    using namespace __ah::bessel;
    if (!(x > 0))
        return x == 0 ? -__builtin_inf() : __builtin_nan("");
    if (x < 0.5)
        return 0.63661977236758134 * log(x) * j0(x) + polynomial(x * x, y0_near_0);
    if (x < 1.5)
        return around(x, y0_at_0_zero, y0_at_0);
    if (x < 2.7)
        return polynomial(x - 2, y0_at_2);
    if (x < 5.3)
        return around(x, y0_at_3_zero, y0_at_3);
    if (x < 8)
        return around(x, y0_at_7_zero, y0_at_7);
    return far(x, 0, true, p0_far, q0_far);
}
static __device__ inline double y1(double x)
{
    using namespace __ah::bessel;
    if (!(x > 0))
        return x == 0 ? -__builtin_inf() : __builtin_nan("");
    if (x < 1.2)
        return 0.63661977236758134 * log(x) * j1(x) - 0.63661977236758134 / x +
               x * polynomial(x * x, y1_near_0);
    if (x < 3.2)
        return around(x, y1_at_2_zero, y1_at_2);
    if (x < 4.3)
        return polynomial(x - 3.75, y1_at_3);
    if (x < 6.7)
        return around(x, y1_at_5_zero, y1_at_5);
    if (x < 8)
        return polynomial(x - 7.375, y1_at_7);
    return far(x, 1, true, p1_far, q1_far);
}

/* J of order n + 1 is 2 n / x times J of order n, less J of order n - 1: upwards while n is below
 * x. Above x that loses everything, and downwards from an order where J is nothing gives the
 * ratios; their scale is that J0 + 2 J2 + 2 J4 ... is 1. */
static __device__ inline double jn(int n, double x)
{
    if (x != x)
        return x;
    bool negative = (n & 1) && ((n < 0) != (x < 0)); /* odd orders are odd in n and in x */
    double order = __builtin_fabs(static_cast<double>(n)), a = __builtin_fabs(x);
    n = static_cast<int>(order > 2147483647.0 ? 2147483647.0 : order);
    double r = 0;
    if (n == 0)
        return j0(a);
    if (n == 1) {
        r = j1(a);
    } else if (a == 0 || a == __builtin_inf() || order * log2(1.36 * a / order) < -1100) {
        r = 0; /* below e a / 2 n to the power of n */
    } else if (order <= a) {
        double before = j0(a);
        r = j1(a);
        for (int k = 1; k < n; ++k) {
            double next = 2.0 * k / a * r - before;
            before = r;
            r = next;
        }
    } else {
        double above = 0, here = 1, sum = 0;
        for (int k = 2 * ((n + static_cast<int>(::sqrt(60.0 * n)) + 20) / 2); k > 0; --k) {
            double below = 2.0 * k / a * here - above;
            above = here;
            here = below;
            if (__builtin_fabs(here) > 0x1p+500) {
                here *= 0x1p-500;
                above *= 0x1p-500;
                r *= 0x1p-500;
                sum *= 0x1p-500;
            }
            if (k - 1 == n)
                r = here;
            if ((k & 1) && k > 1) /* an even order above 0 */
                sum += here;
        }
        r /= 2 * sum + here;
    }
    return negative ? -r : r;
}
static __device__ inline double yn(int n, double x)
{
    if (!(x > 0))
        return x == 0 ? ((n & 1) && n < 0 ? __builtin_inf() : -__builtin_inf()) : __builtin_nan("");
    bool negative = (n & 1) && n < 0;
    n = n < 0 ? -n : n;
    double before = y0(x), r = n == 0 ? before : y1(x);
    for (int k = 1; k < n && r > -__builtin_inf(); ++k) {
        double next = 2.0 * k / x * r - before;
        before = r;
        r = next;
    }
    return negative ? -r : r;
}

__AH_FN double cyl_bessel_i0(double x) { return __ah::cyl_bessel_i0_f64(x); }
__AH_FN double cyl_bessel_i1(double x) { return __ah::cyl_bessel_i1_f64(x); }

__AH_FN float j0f(float x) { return __ah::j0_f32(x); }
__AH_FN float j1f(float x) { return __ah::j1_f32(x); }
__AH_FN float jnf(int n, float x) { return __ah::jn_f32(n, x); }
__AH_FN float y0f(float x) { return __ah::y0_f32(x); }
__AH_FN float y1f(float x) { return __ah::y1_f32(x); }
__AH_FN float ynf(int n, float x) { return __ah::yn_f32(n, x); }
__AH_FN float cyl_bessel_i0f(float x) { return __ah::cyl_bessel_i0_f32(x); }
__AH_FN float cyl_bessel_i1f(float x) { return __ah::cyl_bessel_i1_f32(x); }

#undef __AH_FN
#endif
