/* Double precision functions of C and of HIP. The limit after a name is the largest error
 * in units in the last place; functions without one are exact or correctly rounded. */
#ifndef HIP_DEVICE_MATH_F64_H
#define HIP_DEVICE_MATH_F64_H

#include "hip/device/math/arc_f64.h"
#include "hip/device/math/erf_f64.h"
#include "hip/device/math/erfinv_f64.h"
#include "hip/device/math/exp_f64.h"
#include "hip/device/math/gamma_f64.h"
#include "hip/device/math/hyperbolic_f64.h"
#include "hip/device/math/log_f64.h"
#include "hip/device/math/parts_f64.h"
#include "hip/device/math/pow_f64.h"
#include "hip/device/math/remainder.h"
#include "hip/device/math/root_f64.h"
#include "hip/device/math/trig_f64.h"
#include "hip/device/math_parts.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- trigonometric and hyperbolic ---- */

__AH_FN double acos(double x) { return __ah::acos_f64(x); }                /* 1 */
__AH_FN double acosh(double x) { return __ah::acosh_f64(x); }              /* 2 */
__AH_FN double asin(double x) { return __ah::asin_f64(x); }                /* 1 */
__AH_FN double asinh(double x) { return __ah::asinh_f64(x); }              /* 2 */
__AH_FN double atan(double x) { return __ah::atan_f64(x); }                /* 1 */
__AH_FN double atan2(double y, double x) { return __ah::atan2_f64(y, x); } /* 2 */
__AH_FN double atanh(double x) { return __ah::atanh_f64(x); }              /* 2 */
__AH_FN double cos(double x) { return __ah::cos_f64(x); }                  /* 2 */
__AH_FN double cospi(double x) { return __ah::cospi_f64(x); }              /* 2 */
__AH_FN double sin(double x) { return __ah::sin_f64(x); }                  /* 2 */
__AH_FN double sinpi(double x) { return __ah::sinpi_f64(x); }              /* 2 */
__AH_FN double tan(double x) { return __ah::tan_f64(x); }                  /* 2 */
__AH_FN double tanh(double x) { return __ah::tanh_f64(x); }                /* 1 */
__AH_FN double cosh(double x) { return __ah::cosh_f64(x); }                /* 1 */
__AH_FN double sinh(double x) { return __ah::sinh_f64(x); }                /* 2 */
__AH_FN void sincos(double x, double *s, double *c) { __ah::sincos_f64(x, s, c); }
__AH_FN void sincospi(double x, double *s, double *c) { __ah::sincospi_f64(x, s, c); }

/* ---- exponentials, logarithms, powers, roots ---- */

__AH_FN double exp(double x) { return __ah::exp_f64(x); }                          /* 1 */
__AH_FN double exp2(double x) { return __ah::exp2_f64(x); }                        /* 1 */
__AH_FN double exp10(double x) { return __ah::exp10_f64(x); }                      /* 1 */
__AH_FN double expm1(double x) { return __ah::expm1_f64(x); }                      /* 2 */
__AH_FN double log(double x) { return __ah::log_f64(x); }                          /* 2 */
__AH_FN double log10(double x) { return __ah::log10_f64(x); }                      /* 1 */
__AH_FN double log1p(double x) { return __ah::log1p_f64(x); }                      /* 1 */
__AH_FN double log2(double x) { return __ah::log2_f64(x); }                        /* 1 */
__AH_FN double pow(double x, double y) { return __ah::pow_f64(x, y); }             /* 1 */
__AH_FN double powi(double x, int n) { return __ah::pow_f64(x, __ah::to_f64(n)); } /* 1 */
__AH_FN double sqrt(double x) { return __builtin_sqrt(x); }
__AH_FN double rsqrt(double x) { return __ah::rsqrt_f64(x); }                /* 1 */
__AH_FN double cbrt(double x) { return __ah::cbrt_f64(x); }                  /* 1 */
__AH_FN double rcbrt(double x) { return __ah::rcbrt_f64(x); }                /* 1 */
__AH_FN double hypot(double x, double y) { return __ah::hypot_f64(x, y); }   /* 1 */
__AH_FN double rhypot(double x, double y) { return __ah::rhypot_f64(x, y); } /* 1 */
/* the lengths of vectors 1 and a quarter for each number, their inverses 1 more */
__AH_FN double norm(int n, const double *v) { return __ah::norm_f64(n, v); }
__AH_FN double rnorm(int n, const double *v) { return __ah::rnorm_f64(n, v); }
__AH_FN double norm3d(double x, double y, double z) { return __ah::norm3d_f64(x, y, z); }
__AH_FN double norm4d(double x, double y, double z, double w)
{
    return __ah::norm4d_f64(x, y, z, w);
}
__AH_FN double rnorm3d(double x, double y, double z) { return __ah::rnorm3d_f64(x, y, z); }
__AH_FN double rnorm4d(double x, double y, double z, double w)
{
    return __ah::rnorm4d_f64(x, y, z, w);
}

/* ---- rounding, remainders, parts ---- */

__AH_FN double ceil(double x) { return __builtin_ceil(x); }
__AH_FN double floor(double x) { return __builtin_floor(x); }
__AH_FN double trunc(double x) { return __builtin_trunc(x); }
__AH_FN double rint(double x) { return __builtin_rint(x); }
__AH_FN double nearbyint(double x) { return __builtin_rint(x); }
__AH_FN double round(double x) { return __ah::round_f64(x); }
__AH_FN long lrint(double x) { return static_cast<long>(__builtin_rint(x)); }
__AH_FN long lround(double x) { return static_cast<long>(__ah::beyond_half(x)); }
__AH_FN long long llrint(double x) { return static_cast<long long>(__builtin_rint(x)); }
__AH_FN long long llround(double x) { return static_cast<long long>(__ah::beyond_half(x)); }
__AH_FN double fabs(double x) { return __builtin_fabs(x); }
__AH_FN double copysign(double x, double y) { return __builtin_copysign(x, y); }
__AH_FN double fmax(double x, double y) { return __builtin_fmax(x, y); }
__AH_FN double fmin(double x, double y) { return __builtin_fmin(x, y); }
__AH_FN double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__AH_FN double fdim(double x, double y) { return __ah::positive_difference(x, y); }
__AH_FN double fmod(double x, double y) { return __ah::fmod_f64(x, y); }
__AH_FN double remainder(double x, double y) { return __ah::remainder_f64(x, y); }
__AH_FN double remquo(double x, double y, int *low) { return __ah::remquo_f64(x, y, low); }
__AH_FN double modf(double x, double *whole) { return __ah::split(x, whole); }
__AH_FN double frexp(double x, int *exponent) { return __ah::frexp_f64(x, exponent); }
__AH_FN double ldexp(double x, int n) { return __ah::ldexp_f64(x, n); }
__AH_FN double scalbn(double x, int n) { return __ah::ldexp_f64(x, n); }
__AH_FN double scalbln(double x, long n)
{
    return __ah::ldexp_f64(x, n > 5000 ? 5000 : n < -5000 ? -5000 : static_cast<int>(n));
}
__AH_FN int ilogb(double x) { return __ah::ilogb_f64(x); }
__AH_FN double logb(double x) { return __ah::logb_f64(x); }
__AH_FN double nextafter(double x, double y) { return __ah::nextafter_f64(x, y); }
__AH_FN double nan(const char *tag)
{
    return __builtin_bit_cast(double, 0x7ff8000000000000ull |
                                          (__ah::nan_payload(tag) & 0x7ffffffffffffull));
}

/* ---- error and gamma functions ---- */

__AH_FN double erf(double x) { return __ah::erf_f64(x); }   /* 1 */
__AH_FN double erfc(double x) { return __ah::erfc_f64(x); } /* 4 */
/* 3 for positive arguments; close to the zeros at negative ones only the absolute error,
 * about 1e-15, is small */
__AH_FN double lgamma(double x) { return __ah::lgamma_f64(x); }

/* e^(x*x) erfc(x), 4. Up to 10 a polynomial in (x - 4) / (x + 4), relative error 5e-19;
 * from there the asymptotic series in 1 / x^2. */
static __device__ inline double erfcx(double x)
{
    double a = __builtin_fabs(x), r;
    if (a < 10.0) {
        double t = (a - 4.0) / (a + 4.0);
        r = -1.2268427182333085e-09;
        r = __builtin_fma(r, t, -1.0007917311408971e-08);
        r = __builtin_fma(r, t, -2.2138594869320667e-08);
        r = __builtin_fma(r, t, 2.602801709408508e-08);
        r = __builtin_fma(r, t, 1.0149224086602376e-07);
        r = __builtin_fma(r, t, -2.8166186013553355e-07);
        r = __builtin_fma(r, t, -4.098931564783988e-07);
        r = __builtin_fma(r, t, 2.9433978697301791e-06);
        r = __builtin_fma(r, t, -1.9032119921156256e-06);
        r = __builtin_fma(r, t, -2.2555799821880581e-05);
        r = __builtin_fma(r, t, 7.8983222685832027e-05);
        r = __builtin_fma(r, t, -2.1761747399459644e-05);
        r = __builtin_fma(r, t, -0.00079912682103024525);
        r = __builtin_fma(r, t, 0.0040602636255581701);
        r = __builtin_fma(r, t, -0.012843946030763519);
        r = __builtin_fma(r, t, 0.031299056518628195);
        r = __builtin_fma(r, t, -0.063107815639759382);
        r = __builtin_fma(r, t, 0.10896317739890629);
        r = __builtin_fma(r, t, -0.16425781669730877);
        r = __builtin_fma(r, t, 0.21871967891826488);
        r = __builtin_fma(r, t, -0.25906804876017164);
        r = __builtin_fma(r, t, 0.13699945762506138);
    } else {
        double z = 0.5 / a / a, term = 1.0;
        r = 1.0;
        for (int k = 1; k <= 23; k += 2) { /* 1 - 1 z + 1 3 z^2 - 1 3 5 z^3 ... */
            term *= -k * z;
            r += term;
        }
        r *= 0.56418958354775629 / a; /* 1 / sqrt(pi) */
    }
    if (x >= 0 || x != x)
        return x != x ? x : r;
    if (x < -26.64) /* e^(x x) overflows not far from there, and its rest would make it a NaN */
        return __builtin_inf();
    /* erfc(-a) = 2 - erfc(a); the square in two parts, as its last bits count */
    double square = a * a, rest = __builtin_fma(a, a, -square);
    double e = exp(square);
    return 2.0 * (e + e * rest) - r;
}

__AH_FN double erfinv(double x) { return __ah::erfinv_f64(x); }         /* 4 */
__AH_FN double erfcinv(double y) { return __ah::erfcinv_f64(y); }       /* 5 */
__AH_FN double normcdfinv(double p) { return __ah::normcdfinv_f64(p); } /* 6 */

/* The normal distribution, 4. x / sqrt(2) is taken in two parts, since far out erfc multiplies the
 * error of its argument. */
static __device__ inline double normcdf(double x)
{
    constexpr double high = 0.70710678118654757, low = -4.8336466567264567e-17;
    double z = x * -high;
    double rest = __builtin_fma(x, -high, -z) - x * low;
    double r = erfc(z);
    if (z > 1.0 && z < 28.0)
        r -= rest * exp(-z * z) * 1.1283791670955126; /* 2 / sqrt(pi) */
    return 0.5 * r;
}
namespace __ah
{
/* Gamma for x >= 20 as the product of two factors, neither of which overflows before x
 * is 300: Stirling's formula with its correction as a polynomial in 1/x. */
static __device__ inline double stirling(double x, double *other)
{
    double z = 1.0 / x, zz = z * z;
    double s = 8.4175084175084175e-4;
    s = __builtin_fma(s, zz, -5.9523809523809524e-4);
    s = __builtin_fma(s, zz, 7.9365079365079365e-4);
    s = __builtin_fma(s, zz, -2.7777777777777778e-3);
    s = __builtin_fma(s, zz, 8.3333333333333333e-2);
    s *= z; /* ln Gamma(x) - (x - 1/2) ln x + x - ln sqrt(2 pi) */
    double half = pow(x, 0.5 * x - 0.25);
    *other = half;
    return half * exp(-x) * (2.5066282746310005 + 2.5066282746310005 * expm1(s));
}

/* Gamma for 2 <= x <= 3, relative error 1e-18. */
__AH_FN double gamma_2_to_3(double x)
{
    double t = x - 2.5, p = -8.6971348899063558e-08;
    p = __builtin_fma(p, t, 2.0569262970584909e-07);
    p = __builtin_fma(p, t, -4.1369822249013939e-07);
    p = __builtin_fma(p, t, 1.0657074880493357e-06);
    p = __builtin_fma(p, t, -2.5641264379280612e-06);
    p = __builtin_fma(p, t, 7.2580777485395712e-06);
    p = __builtin_fma(p, t, -1.2800897786627883e-05);
    p = __builtin_fma(p, t, 6.1329358288015855e-05);
    p = __builtin_fma(p, t, 3.9416974090509856e-06);
    p = __builtin_fma(p, t, 0.00075447418183817829);
    p = __builtin_fma(p, t, 0.0016074004908812399);
    p = __builtin_fma(p, t, 0.010392403423356887);
    p = __builtin_fma(p, t, 0.028360780594619404);
    p = __builtin_fma(p, t, 0.10967323400222137);
    p = __builtin_fma(p, t, 0.25387124684114654);
    p = __builtin_fma(p, t, 0.65455857798133621);
    p = __builtin_fma(p, t, 0.9347345216260855);
    return __builtin_fma(p, t, 1.329340388179137);
}
} // namespace __ah

/* The gamma function, 8. Small arguments are moved to [2, 3] by the recurrence with the
 * product in two doubles, large ones use Stirling's formula, negative ones far from 0 the
 * reflection at 0. */
static __device__ inline double tgamma(double x)
{
    if (x != x || x == __builtin_inf())
        return x;
    if (x == 0)
        return 1.0 / x;
    if (x < 0 && __builtin_trunc(x) == x)
        return __builtin_nan("");
    if (x >= 20.0) {
        double other, one = __ah::stirling(x < 180.0 ? x : 180.0, &other);
        return one * other;
    }
    if (x <= -20.0) {
        /* Gamma(-a) = -pi / (a sin(pi a) Gamma(a)), and 0 from where it underflows */
        double a = x > -190.0 ? -x : 190.5;
        double other, one = __ah::stirling(a, &other);
        double r = -3.1415926535897931 / (a * sinpi(a)) / one / other;
        return x > -190.0 ? r : __builtin_copysign(0.0, sinpi(__builtin_fmod(x, 2.0)));
    }
    double product = 1.0, tail = 0.0;
    double y = x;
    while (y > 3.0) {
        y -= 1.0;
        double p = product * y;
        tail = __builtin_fma(tail, y, __builtin_fma(product, y, -p));
        product = p;
    }
    if (y >= 2.0)
        return __builtin_fma(__ah::gamma_2_to_3(y), product, __ah::gamma_2_to_3(y) * tail);
    /* y < 2: divide by y (y + 1) ...; each sum y + k has an error of its own */
    while (y < 2.0) {
        double p = product * y;
        tail = __builtin_fma(tail, y, __builtin_fma(product, y, -p));
        product = p;
        y += 1.0;
    }
    return __ah::gamma_2_to_3(y) / (product + tail);
}

#undef __AH_FN
#endif
