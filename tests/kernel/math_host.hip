// The functions of math_f32.hip and math_f64.hip as the host has them: those of its C library, and
// the header's own for the rest; and which one a function of both sides calls.
#include "math_sweep.h"

// As sweep_1 and sweep_2, on the host: the functions are right to so many units, or exact.
template <typename T, typename F, typename R>
void host_sweep_1(const char *name, F f, R reference, double low, double high, double limit)
{
    largest_error largest;
    for (T x : numbers<T>(low, high)) {
        long double want = reference(static_cast<long double>(x));
        double off = ah_test::ulps(f(x), want);
        CHECK_CASE(off <= limit, "%s(%a) is %a: %g ULP", name, static_cast<double>(x),
                   static_cast<double>(f(x)), off);
        largest.see(off);
    }
    largest.print(name);
}
template <typename T, typename F, typename R>
void host_sweep_2(const char *name, F f, R reference, double low, double high, double limit)
{
    largest_error largest;
    std::vector<T> x, y;
    pairs(x, y, low, high);
    for (std::size_t i = 0; i < x.size(); ++i) {
        long double want =
            reference(static_cast<long double>(x[i]), static_cast<long double>(y[i]));
        double off = ah_test::ulps(f(x[i], y[i]), want);
        CHECK_CASE(off <= limit, "%s(%a, %a) is %a: %g ULP", name, static_cast<double>(x[i]),
                   static_cast<double>(y[i]), static_cast<double>(f(x[i], y[i])), off);
        largest.see(off);
    }
    largest.print(name);
}
#define SWEEP_1(name, reference, low, high, limit)                                                 \
    host_sweep_1<T>(                                                                               \
        "host:" #name, [](T x) -> T { return name(x); },                                           \
        [](long double x) -> long double { return reference(x); }, low, high, limit)
#define SWEEP_2(name, reference, low, high, limit)                                                 \
    host_sweep_2<T>(                                                                               \
        "host:" #name, [](T x, T y) -> T { return name(x, y); },                                   \
        [](long double x, long double y) -> long double { return reference(x, y); }, low, high,    \
        limit)

TEST("functions of floats on the host")
{
#define T float
    SWEEP_1(acosf, std::acos, -1, 1, 4);
    SWEEP_1(acoshf, std::acosh, 1, 100, 4);
    SWEEP_1(asinf, std::asin, -1, 1, 4);
    SWEEP_1(asinhf, std::asinh, -100, 100, 4);
    SWEEP_1(atanf, std::atan, -20, 20, 4);
    SWEEP_1(atanhf, std::atanh, -1, 1, 4);
    SWEEP_1(cbrtf, std::cbrt, -100, 100, 4);
    SWEEP_1(cosf, std::cos, -200, 200, 4);
    SWEEP_1(coshf, std::cosh, -90, 90, 4);
    SWEEP_1(cospif, reference_cospi, -10, 10, 4);
    SWEEP_1(erff, std::erf, -5, 5, 4);
    SWEEP_1(erfcf, std::erfc, -5, 10, 4);
    SWEEP_1(erfinvf, reference_erfinv, -1, 1, 4);
    SWEEP_1(erfcinvf, reference_erfcinv, 0, 2, 4);
    SWEEP_1(erfcxf, reference_erfcx, -9, 40, 4);
    SWEEP_1(expf, std::exp, -105, 90, 4);
    SWEEP_1(exp2f, std::exp2, -151, 129, 4);
    SWEEP_1(exp10f, reference_exp10, -46, 39, 4);
    SWEEP_1(expm1f, std::expm1, -20, 90, 4);
    SWEEP_1(lgammaf, std::lgamma, 0, 1000, 6);
    SWEEP_1(logf, std::log, 0, 100, 4);
    SWEEP_1(log10f, std::log10, 0, 100, 4);
    SWEEP_1(log1pf, std::log1p, -1, 10, 4);
    SWEEP_1(log2f, std::log2, 0, 100, 4);
    SWEEP_1(normcdff, reference_normcdf, -14, 6, 4);
    SWEEP_1(normcdfinvf, reference_normcdfinv, 0, 1, 4);
    SWEEP_1(rcbrtf, reference_rcbrt, -100, 100, 4);
    SWEEP_1(rsqrtf, reference_rsqrt, 0, 100, 4);
    SWEEP_1(sinf, std::sin, -200, 200, 4);
    SWEEP_1(sinhf, std::sinh, -90, 90, 4);
    SWEEP_1(sinpif, reference_sinpi, -10, 10, 4);
    SWEEP_1(sqrtf, std::sqrt, 0, 100, 4);
    SWEEP_1(tanf, std::tan, -200, 200, 4);
    SWEEP_1(tanhf, std::tanh, -10, 10, 4);
    SWEEP_1(tgammaf, std::tgamma, -10, 36, 10);
    SWEEP_1(ceilf, std::ceil, -30, 30, 0);
    SWEEP_1(floorf, std::floor, -30, 30, 0);
    SWEEP_1(truncf, std::trunc, -30, 30, 0);
    SWEEP_1(rintf, std::rint, -30, 30, 0);
    SWEEP_1(nearbyintf, std::nearbyint, -30, 30, 0);
    SWEEP_1(roundf, std::round, -30, 30, 0);
    SWEEP_1(fabsf, std::fabs, -30, 30, 0);
    SWEEP_1(logbf, std::logb, -30, 30, 0);
    SWEEP_2(atan2f, std::atan2, -30, 30, 4);
    SWEEP_2(hypotf, std::hypot, -30, 30, 4);
    SWEEP_2(rhypotf, reference_rhypot, -30, 30, 4);
    SWEEP_2(powf, std::pow, 0, 60, 4);
    SWEEP_2(fmodf, std::fmod, -30, 30, 4);
    SWEEP_2(remainderf, std::remainder, -30, 30, 4);
    SWEEP_2(copysignf, std::copysign, -30, 30, 4);
    SWEEP_2(fmaxf, std::fmax, -30, 30, 4);
    SWEEP_2(fminf, std::fmin, -30, 30, 4);
    SWEEP_2(fdimf, std::fdim, -30, 30, 4);
#undef T
    for (float s : {float(1), std::numeric_limits<float>::max() / 200,
                    std::numeric_limits<float>::min() / 4}) {
        const float v[4] = {3 * s, -4 * s, 12 * s, 84 * s};
        long double x = v[0], y = v[1], z = v[2], w = v[3];
        long double n3 = std::sqrt(x * x + y * y + z * z), n4 = std::sqrt(n3 * n3 + w * w);
        CHECK_NEAR_ULP(norm3df(v[0], v[1], v[2]), n3, 1);
        CHECK_NEAR_ULP(norm4df(v[0], v[1], v[2], v[3]), n4, 1);
        CHECK_NEAR_ULP(normf(4, v), n4, 1);
        CHECK_NEAR_ULP(rnorm3df(v[0], v[1], v[2]), 1 / n3, 1);
        CHECK_NEAR_ULP(rnorm4df(v[0], v[1], v[2], v[3]), 1 / n4, 1);
        CHECK_NEAR_ULP(rnormf(4, v), 1 / n4, 1);
    }
    float sine, cosine, whole;
    int exponent, low;
    sincosf(float(0.5), &sine, &cosine);
    CHECK_NEAR_ULP(sine, std::sin(0.5L), 1);
    CHECK_NEAR_ULP(cosine, std::cos(0.5L), 1);
    sincospif(float(0.125), &sine, &cosine);
    CHECK_NEAR_ULP(sine, reference_sinpi(0.125L), 1);
    CHECK_NEAR_ULP(cosine, reference_cospi(0.125L), 1);
    CHECK_EQ(frexpf(float(12), &exponent) * float(16), float(12));
    CHECK_EQ(exponent, 4);
    CHECK_EQ(modff(float(-2.25), &whole), float(-0.25));
    CHECK_EQ(whole, float(-2));
    CHECK_EQ(remquof(float(7), float(2), &low), float(-1));
    CHECK_EQ(low & 7, 4);
    CHECK_EQ(ldexpf(float(3), 4) + scalbnf(float(1), 3) + scalblnf(float(1), 2L), float(60));
    CHECK_EQ(fmaf(float(2), float(3), float(4)), float(10));
    CHECK_EQ(ilogbf(float(9)), 3);
    CHECK_EQ(lrintf(float(2.5)) + llrintf(float(3.5)) + lroundf(float(2.5)) + llroundf(float(-2.5)),
             6);
    CHECK_EQ(nextafterf(float(1), float(2)), float(1) + std::numeric_limits<float>::epsilon());
    CHECK_EQ(powif(float(-3), 3), float(-27));
    CHECK_NEAR_ULP(j0f(float(1)) + j1f(float(1)) + jnf(2, float(1)), j0l(1) + j1l(1) + jnl(2, 1),
                   4);
    CHECK_NEAR_ULP(y0f(float(1)) + y1f(float(1)) + ynf(2, float(1)), y0l(1) + y1l(1) + ynl(2, 1),
                   4);
}

TEST("functions of doubles on the host")
{
#define T double
    SWEEP_1(acos, std::acos, -1, 1, 4);
    SWEEP_1(acosh, std::acosh, 1, 100, 4);
    SWEEP_1(asin, std::asin, -1, 1, 4);
    SWEEP_1(asinh, std::asinh, -100, 100, 4);
    SWEEP_1(atan, std::atan, -20, 20, 4);
    SWEEP_1(atanh, std::atanh, -1, 1, 4);
    SWEEP_1(cbrt, std::cbrt, -100, 100, 4);
    SWEEP_1(cos, std::cos, -200, 200, 4);
    SWEEP_1(cosh, std::cosh, -720, 720, 4);
    SWEEP_1(cospi, reference_cospi, -10, 10, 4);
    SWEEP_1(erf, std::erf, -5, 5, 4);
    SWEEP_1(erfc, std::erfc, -6, 27, 4);
    SWEEP_1(erfinv, reference_erfinv, -1, 1, 4);
    SWEEP_1(erfcinv, reference_erfcinv, 0, 2, 4);
    SWEEP_1(erfcx, reference_erfcx, -9, 40, 4);
    SWEEP_1(exp, std::exp, -746, 711, 4);
    SWEEP_1(exp2, std::exp2, -1076, 1026, 4);
    SWEEP_1(exp10, reference_exp10, -325, 310, 4);
    SWEEP_1(expm1, std::expm1, -40, 711, 4);
    SWEEP_1(lgamma, std::lgamma, 0, 1000, 6);
    SWEEP_1(log, std::log, 0, 100, 4);
    SWEEP_1(log10, std::log10, 0, 100, 4);
    SWEEP_1(log1p, std::log1p, -1, 10, 4);
    SWEEP_1(log2, std::log2, 0, 100, 4);
    SWEEP_1(normcdf, reference_normcdf, -38, 9, 4);
    SWEEP_1(normcdfinv, reference_normcdfinv, 0, 1, 4);
    SWEEP_1(rcbrt, reference_rcbrt, -100, 100, 4);
    SWEEP_1(rsqrt, reference_rsqrt, 0, 100, 4);
    SWEEP_1(sin, std::sin, -200, 200, 4);
    SWEEP_1(sinh, std::sinh, -720, 720, 4);
    SWEEP_1(sinpi, reference_sinpi, -10, 10, 4);
    SWEEP_1(sqrt, std::sqrt, 0, 100, 4);
    SWEEP_1(tan, std::tan, -200, 200, 4);
    SWEEP_1(tanh, std::tanh, -10, 10, 4);
    SWEEP_1(tgamma, std::tgamma, -30, 172, 10);
    SWEEP_1(ceil, std::ceil, -30, 30, 0);
    SWEEP_1(floor, std::floor, -30, 30, 0);
    SWEEP_1(trunc, std::trunc, -30, 30, 0);
    SWEEP_1(rint, std::rint, -30, 30, 0);
    SWEEP_1(nearbyint, std::nearbyint, -30, 30, 0);
    SWEEP_1(round, std::round, -30, 30, 0);
    SWEEP_1(fabs, std::fabs, -30, 30, 0);
    SWEEP_1(logb, std::logb, -30, 30, 0);
    SWEEP_2(atan2, std::atan2, -30, 30, 4);
    SWEEP_2(hypot, std::hypot, -30, 30, 4);
    SWEEP_2(rhypot, reference_rhypot, -30, 30, 4);
    SWEEP_2(pow, std::pow, 0, 60, 4);
    SWEEP_2(fmod, std::fmod, -30, 30, 4);
    SWEEP_2(remainder, std::remainder, -30, 30, 4);
    SWEEP_2(copysign, std::copysign, -30, 30, 4);
    SWEEP_2(fmax, std::fmax, -30, 30, 4);
    SWEEP_2(fmin, std::fmin, -30, 30, 4);
    SWEEP_2(fdim, std::fdim, -30, 30, 4);
#undef T
    for (double s : {double(1), std::numeric_limits<double>::max() / 200,
                     std::numeric_limits<double>::min() / 4}) {
        const double v[4] = {3 * s, -4 * s, 12 * s, 84 * s};
        long double x = v[0], y = v[1], z = v[2], w = v[3];
        long double n3 = std::sqrt(x * x + y * y + z * z), n4 = std::sqrt(n3 * n3 + w * w);
        CHECK_NEAR_ULP(norm3d(v[0], v[1], v[2]), n3, 1);
        CHECK_NEAR_ULP(norm4d(v[0], v[1], v[2], v[3]), n4, 1);
        CHECK_NEAR_ULP(norm(4, v), n4, 1);
        CHECK_NEAR_ULP(rnorm3d(v[0], v[1], v[2]), 1 / n3, 1);
        CHECK_NEAR_ULP(rnorm4d(v[0], v[1], v[2], v[3]), 1 / n4, 1);
        CHECK_NEAR_ULP(rnorm(4, v), 1 / n4, 1);
    }
    double sine, cosine, whole;
    int exponent, low;
    sincos(double(0.5), &sine, &cosine);
    CHECK_NEAR_ULP(sine, std::sin(0.5L), 1);
    CHECK_NEAR_ULP(cosine, std::cos(0.5L), 1);
    sincospi(double(0.125), &sine, &cosine);
    CHECK_NEAR_ULP(sine, reference_sinpi(0.125L), 1);
    CHECK_NEAR_ULP(cosine, reference_cospi(0.125L), 1);
    CHECK_EQ(frexp(double(12), &exponent) * double(16), double(12));
    CHECK_EQ(exponent, 4);
    CHECK_EQ(modf(double(-2.25), &whole), double(-0.25));
    CHECK_EQ(whole, double(-2));
    CHECK_EQ(remquo(double(7), double(2), &low), double(-1));
    CHECK_EQ(low & 7, 4);
    CHECK_EQ(ldexp(double(3), 4) + scalbn(double(1), 3) + scalbln(double(1), 2L), double(60));
    CHECK_EQ(fma(double(2), double(3), double(4)), double(10));
    CHECK_EQ(ilogb(double(9)), 3);
    CHECK_EQ(lrint(double(2.5)) + llrint(double(3.5)) + lround(double(2.5)) + llround(double(-2.5)),
             6);
    CHECK_EQ(nextafter(double(1), double(2)), double(1) + std::numeric_limits<double>::epsilon());
    CHECK_EQ(powi(double(-3), 3), double(-27));
    CHECK_NEAR_ULP(j0(double(1)) + j1(double(1)) + jn(2, double(1)), j0l(1) + j1l(1) + jnl(2, 1),
                   4);
    CHECK_NEAR_ULP(y0(double(1)) + y1(double(1)) + yn(2, double(1)), y0l(1) + y1l(1) + ynl(2, 1),
                   4);
}

TEST("fdividef divides on the host")
{
    CHECK_EQ(fdividef(1.0f, 3.0f), 1.0f / 3.0f);
}

__host__ __device__ float of_both_sides(float x)
{
    return rsqrtf(x) + normcdff(x) + erfinvf(x / 8) + j0f(x) + sinpif(x);
}
__global__ void call_on_the_device(float *out, float x)
{
    *out = of_both_sides(x);
}
TEST("a function of both sides finds the function of its side")
{
    ah_test::buffer<float> out(1);
    call_on_the_device<<<1, 1>>>(out.device(), 1.75f);
    CHECK_LAUNCH();
    CHECK_NEAR_ULP(out.read()[0], of_both_sides(1.75f), 8);
}

HIP_TEST_MAIN
