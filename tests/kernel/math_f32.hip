// Single precision functions against the host's long double library. The limits are those of
// HIP, in units of the last place, rounded up to the next half.
#include "math_sweep.h"

#define FUNCTION(name)                                                                             \
    struct name##_op {                                                                             \
        template <typename... A> static __device__ float apply(A... x) { return name(x...); }      \
    };
#define SWEEP_1(name, reference, low, high, limit)                                                 \
    sweep_1<name##_op, float>(                                                                     \
        #name, [](long double x) -> long double { return reference(x); }, low, high, limit)
#define SWEEP_2(name, reference, low, high, limit)                                                 \
    sweep_2<name##_op, float>(                                                                     \
        #name, [](long double x, long double y) -> long double { return reference(x, y); }, low,   \
        high, limit)

FUNCTION(acosf)
FUNCTION(acoshf)
FUNCTION(asinf)
FUNCTION(asinhf)
FUNCTION(atanf)
FUNCTION(atan2f)
FUNCTION(atanhf)
FUNCTION(cosf)
FUNCTION(coshf)
FUNCTION(cospif)
FUNCTION(sinf)
FUNCTION(sinhf)
FUNCTION(sinpif)
FUNCTION(tanf)
FUNCTION(tanhf)

TEST("trigonometric functions of floats")
{
    SWEEP_1(sinf, std::sin, -200, 200, 2.5);
    SWEEP_1(cosf, std::cos, -200, 200, 2.5);
    SWEEP_1(tanf, std::tan, -200, 200, 4.5);
    SWEEP_1(asinf, std::asin, -1, 1, 2.5);
    SWEEP_1(acosf, std::acos, -1, 1, 2.5);
    SWEEP_1(atanf, std::atan, -20, 20, 2.5);
    SWEEP_2(atan2f, std::atan2, -10, 10, 3.5);
    SWEEP_1(sinpif, reference_sinpi, -10, 10, 2.5);
    SWEEP_1(cospif, reference_cospi, -10, 10, 2.5);
}
TEST("hyperbolic functions of floats")
{
    SWEEP_1(sinhf, std::sinh, -90, 90, 3.5);
    SWEEP_1(coshf, std::cosh, -90, 90, 2.5);
    SWEEP_1(tanhf, std::tanh, -10, 10, 2.5);
    SWEEP_1(asinhf, std::asinh, -100, 100, 3.5);
    SWEEP_1(acoshf, std::acosh, 1, 100, 4.5);
    SWEEP_1(atanhf, std::atanh, -1, 1, 3.5);
}

FUNCTION(expf)
FUNCTION(exp2f)
FUNCTION(exp10f)
FUNCTION(expm1f)
FUNCTION(logf)
FUNCTION(log10f)
FUNCTION(log1pf)
FUNCTION(log2f)
FUNCTION(powf)

TEST("exponentials of floats, down to subnormal results")
{
    SWEEP_1(expf, std::exp, -105, 90, 2.5);
    SWEEP_1(exp2f, std::exp2, -151, 129, 2.5);
    SWEEP_1(exp10f, reference_exp10, -46, 39, 2.5);
    SWEEP_1(expm1f, std::expm1, -20, 90, 1.5);
}
TEST("logarithms of floats")
{
    SWEEP_1(logf, std::log, 0, 100, 1.5);
    SWEEP_1(log10f, std::log10, 0, 100, 2.5);
    SWEEP_1(log2f, std::log2, 0, 100, 1.5);
    SWEEP_1(log1pf, std::log1p, -1, 10, 1.5);
}
TEST("powers of floats")
{
    SWEEP_2(powf, std::pow, 0, 60, 4.5);
}

FUNCTION(powif)
TEST("integer powers of floats")
{
    std::vector<float> x;
    std::vector<int> n;
    for (float base : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, 1.1f, -1.1f, 3e38f, 1e-40f})
        for (int k : {0, 1, -1, 2, -2, 3, -3, 10, -11, 127, -149, 1000, -1001}) {
            x.push_back(base);
            n.push_back(k);
        }
    std::vector<float> got = device_results<powif_op, float>(x, n);
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK_NEAR_ULP(got[i], std::pow(static_cast<long double>(x[i]), n[i]), 4.5);
}

FUNCTION(sqrtf)
FUNCTION(rsqrtf)
FUNCTION(cbrtf)
FUNCTION(rcbrtf)
FUNCTION(hypotf)
FUNCTION(rhypotf)

TEST("roots of floats; sqrtf is correctly rounded")
{
    SWEEP_1(sqrtf, std::sqrt, 0, 100, 0);
    SWEEP_1(rsqrtf, reference_rsqrt, 0, 100, 2.5);
    SWEEP_1(cbrtf, std::cbrt, -100, 100, 1.5);
    SWEEP_1(rcbrtf, reference_rcbrt, -100, 100, 1.5);
    SWEEP_2(hypotf, std::hypot, -100, 100, 3.5);
    SWEEP_2(rhypotf, reference_rhypot, -100, 100, 3.5);
}

__global__ void norms(float *out, const float *v)
{
    out[0] = norm3df(v[0], v[1], v[2]);
    out[1] = norm4df(v[0], v[1], v[2], v[3]);
    out[2] = normf(4, v);
    out[3] = rnorm3df(v[0], v[1], v[2]);
    out[4] = rnorm4df(v[0], v[1], v[2], v[3]);
    out[5] = rnormf(4, v);
    out[6] = normf(0, v);
}
TEST("norms of float vectors neither overflow nor vanish")
{
    largest_error largest[6];
    for (float s : {1.0f, 1e30f, 1e-30f, 1e-40f}) {
        ah_test::buffer<float> v({3 * s, -4 * s, 12 * s, 84 * s}), out(7);
        norms<<<1, 1>>>(out.device(), v.device());
        CHECK_LAUNCH();
        std::vector<float> &host = v.read();
        long double x = host[0], y = host[1], z = host[2], w = host[3];
        long double n3 = std::sqrt(x * x + y * y + z * z), n4 = std::sqrt(n3 * n3 + w * w);
        CHECK_NEAR_ULP(out.read()[0], n3, 2);
        largest[0].see(ah_test::ulps(out.host()[0], n3));
        CHECK_NEAR_ULP(out.read()[1], n4, 2);
        largest[1].see(ah_test::ulps(out.host()[1], n4));
        CHECK_NEAR_ULP(out.read()[2], n4, 2);
        largest[2].see(ah_test::ulps(out.host()[2], n4));
        CHECK_NEAR_ULP(out.read()[3], 1 / n3, 3);
        largest[3].see(ah_test::ulps(out.host()[3], 1 / n3));
        CHECK_NEAR_ULP(out.read()[4], 1 / n4, 3);
        largest[4].see(ah_test::ulps(out.host()[4], 1 / n4));
        CHECK_NEAR_ULP(out.read()[5], 1 / n4, 3);
        largest[5].see(ah_test::ulps(out.host()[5], 1 / n4));
        CHECK_EQ(out.read()[6], 0.0f);
    }
    const char *const names[] = {"norm3df", "norm4df", "normf", "rnorm3df", "rnorm4df", "rnormf"};
    for (int i = 0; i < 6; ++i)
        largest[i].print(names[i]);
}

FUNCTION(ceilf)
FUNCTION(floorf)
FUNCTION(truncf)
FUNCTION(rintf)
FUNCTION(nearbyintf)
FUNCTION(roundf)
FUNCTION(fabsf)
FUNCTION(logbf)
FUNCTION(copysignf)
FUNCTION(fmaxf)
FUNCTION(fminf)
FUNCTION(fdimf)
FUNCTION(fdividef)
FUNCTION(fmodf)
FUNCTION(remainderf)
FUNCTION(nextafterf)

TEST("rounding of floats is exact, signs of zero included")
{
    SWEEP_1(ceilf, std::ceil, -30, 30, 0);
    SWEEP_1(floorf, std::floor, -30, 30, 0);
    SWEEP_1(truncf, std::trunc, -30, 30, 0);
    SWEEP_1(rintf, std::rint, -30, 30, 0);
    SWEEP_1(nearbyintf, std::nearbyint, -30, 30, 0);
    SWEEP_1(roundf, std::round, -30, 30, 0);
    SWEEP_1(fabsf, std::fabs, -30, 30, 0);
    SWEEP_1(logbf, std::logb, -30, 30, 0);
}
TEST("minima, differences, quotients and remainders of floats are exact")
{
    SWEEP_2(copysignf, std::copysign, -30, 30, 0);
    SWEEP_2(fmaxf, std::fmax, -30, 30, 0);
    SWEEP_2(fminf, std::fmin, -30, 30, 0);
    SWEEP_2(fdimf, std::fdim, -30, 30, 0);
    SWEEP_2(
        fdividef, [](long double x, long double y) { return x / y; }, -30, 30, 0);
    SWEEP_2(fmodf, std::fmod, -30, 30, 0);
    SWEEP_2(remainderf, std::remainder, -30, 30, 0);
    SWEEP_2(
        nextafterf,
        [](long double x, long double y) {
            return std::nextafter(static_cast<float>(x), static_cast<float>(y));
        },
        -30, 30, 0);
}

struct ilogbf_op {
    static __device__ int apply(float x) { return ilogbf(x); }
};
struct lrintf_op {
    static __device__ long apply(float x) { return fabsf(x) < 1e18f ? lrintf(x) : 0; }
};
struct llrintf_op {
    static __device__ long long apply(float x) { return fabsf(x) < 1e18f ? llrintf(x) : 0; }
};
struct lroundf_op {
    static __device__ long apply(float x) { return fabsf(x) < 1e18f ? lroundf(x) : 0; }
};
struct llroundf_op {
    static __device__ long long apply(float x) { return fabsf(x) < 1e18f ? llroundf(x) : 0; }
};
struct classes_op {
    static __device__ int apply(float x)
    {
        return (isnan(x) ? 1 : 0) | (isinf(x) ? 2 : 0) | (isfinite(x) ? 4 : 0) |
               (signbit(x) ? 8 : 0) | (isnormal(x) ? 16 : 0) | fpclassify(x) << 8;
    }
};
TEST("floats become integers and classes")
{
    sweep_to<ilogbf_op, int, float>(
        "ilogbf", [](float x) { return std::ilogb(x); }, -30, 30);
    sweep_to<lrintf_op, long, float>(
        "lrintf", [](float x) { return std::fabs(x) < 1e18f ? std::lrint(x) : 0; }, -30, 30);
    sweep_to<llroundf_op, long long, float>(
        "llroundf", [](float x) { return std::fabs(x) < 1e18f ? std::llround(x) : 0; }, -30, 30);
    sweep_to<llrintf_op, long long, float>(
        "llrintf", [](float x) { return std::fabs(x) < 1e18f ? std::llrint(x) : 0; }, -30, 30);
    sweep_to<lroundf_op, long, float>(
        "lroundf", [](float x) { return std::fabs(x) < 1e18f ? std::lround(x) : 0; }, -30, 30);
    sweep_to<classes_op, int, float>(
        "isnan ...",
        [](float x) {
            return (std::isnan(x) ? 1 : 0) | (std::isinf(x) ? 2 : 0) | (std::isfinite(x) ? 4 : 0) |
                   (std::signbit(x) ? 8 : 0) | (std::isnormal(x) ? 16 : 0) |
                   std::fpclassify(x) << 8;
        },
        -30, 30);
}

struct parts {
    float mantissa, fraction, whole, sine, cosine, rest, scaled, sinepi, cosinepi, fused;
    int exponent, quotient;
};
__global__ void take_apart(parts *out, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    parts p;
    p.mantissa = frexpf(x[i], &p.exponent);
    p.fraction = modff(x[i], &p.whole);
    sincosf(x[i], &p.sine, &p.cosine);
    sincospif(x[i], &p.sinepi, &p.cosinepi);
    p.rest = remquof(x[i], y[i], &p.quotient);
    int shift = i % 300 - 150;
    p.scaled = i % 3 == 0   ? ldexpf(x[i], shift)
               : i % 3 == 1 ? scalbnf(x[i], shift)
                            : scalblnf(x[i], shift);
    p.fused = fmaf(x[i], y[i], 1.0f / 3);
    out[i] = p;
}
TEST("frexp, modf, ldexp, remquo, sincos and fma of floats")
{
    std::vector<float> x, y;
    pairs(x, y, -50, 50);
    int n = static_cast<int>(x.size());
    ah_test::buffer<float> in_x(x), in_y(y);
    ah_test::buffer<parts> out(n);
    take_apart<<<(n + 63) / 64, 64>>>(out.device(), in_x.device(), in_y.device(), n);
    CHECK_LAUNCH();
    largest_error of_sincos, of_sincospi;
    for (int i = 0; i < n; ++i) {
        const parts &p = out.read()[i];
        int e = 0, q = 0;
        float whole, m = std::frexp(x[i], &e), f = std::modf(x[i], &whole);
        CHECK_CASE(ah_test::identical(p.mantissa, m) && (!std::isfinite(x[i]) || p.exponent == e),
                   "frexpf(%a)", static_cast<double>(x[i]));
        CHECK_CASE(ah_test::identical(p.fraction, f) && ah_test::identical(p.whole, whole),
                   "modff(%a)", static_cast<double>(x[i]));
        of_sincos.see(ah_test::ulps(p.sine, std::sin(static_cast<long double>(x[i]))));
        of_sincos.see(ah_test::ulps(p.cosine, std::cos(static_cast<long double>(x[i]))));
        of_sincospi.see(ah_test::ulps(p.sinepi, reference_sinpi(x[i])));
        of_sincospi.see(ah_test::ulps(p.cosinepi, reference_cospi(x[i])));
        CHECK_CASE(ah_test::ulps(p.sine, std::sin(static_cast<long double>(x[i]))) <= 2.5 &&
                       ah_test::ulps(p.cosine, std::cos(static_cast<long double>(x[i]))) <= 2.5,
                   "sincosf(%a)", static_cast<double>(x[i]));
        CHECK_CASE(ah_test::ulps(p.sinepi, reference_sinpi(x[i])) <= 2.5 &&
                       ah_test::ulps(p.cosinepi, reference_cospi(x[i])) <= 2.5,
                   "sincospif(%a)", static_cast<double>(x[i]));
        float r = std::remquo(x[i], y[i], &q);
        CHECK_CASE(ah_test::equal(p.rest, r) && (std::isnan(r) || (p.quotient & 7) == (q & 7)),
                   "remquof(%a, %a) is %a, %d, not %a, %d", static_cast<double>(x[i]),
                   static_cast<double>(y[i]), static_cast<double>(p.rest), p.quotient,
                   static_cast<double>(r), q);
        CHECK_CASE(ah_test::identical(p.scaled, std::ldexp(x[i], i % 300 - 150)),
                   "ldexpf(%a, %d) is %a", static_cast<double>(x[i]), i % 300 - 150,
                   static_cast<double>(p.scaled));
        CHECK_CASE(ah_test::identical(p.fused, std::fma(x[i], y[i], 1.0f / 3)), "fmaf(%a, %a)",
                   static_cast<double>(x[i]), static_cast<double>(y[i]));
    }
    of_sincos.print("sincosf");
    of_sincospi.print("sincospif");
}

FUNCTION(erff)
FUNCTION(erfcf)
FUNCTION(erfinvf)
FUNCTION(erfcinvf)
FUNCTION(erfcxf)
FUNCTION(normcdff)
FUNCTION(normcdfinvf)
FUNCTION(tgammaf)
FUNCTION(lgammaf)

TEST("error functions of floats and their inverses")
{
    SWEEP_1(erff, std::erf, -5, 5, 2.5);
    SWEEP_1(erfcf, std::erfc, -5, 10.2, 4.5);
    SWEEP_1(erfinvf, reference_erfinv, -1, 1, 2.5);
    SWEEP_1(erfcinvf, reference_erfcinv, 0, 2, 4.5);
    SWEEP_1(erfcxf, reference_erfcx, -9, 40, 4.5);
    SWEEP_1(normcdff, reference_normcdf, -14, 6, 5.5);
    SWEEP_1(normcdfinvf, reference_normcdfinv, 0, 1, 5.5);
}
TEST("gamma functions of floats")
{
    /* glibc's gamma of a negative integer is a NaN, as ours */
    SWEEP_1(tgammaf, std::tgamma, -10, 36, 5.5);
    SWEEP_1(lgammaf, std::lgamma, 0, 1000, 6.5);
}

FUNCTION(j0f)
FUNCTION(j1f)
FUNCTION(y0f)
FUNCTION(y1f)
FUNCTION(cyl_bessel_i0f)
FUNCTION(cyl_bessel_i1f)
template <int order> struct jnf_op {
    static __device__ float apply(float x) { return jnf(order, x); }
};
template <int order> struct ynf_op {
    static __device__ float apply(float x) { return ynf(order, x); }
};
struct ordersf_op {
    static __device__ float apply(int n, float x) { return n >= 0 ? jnf(n, x) : ynf(-n, x); }
};

TEST("Bessel functions of floats")
{
    /* CUDA allows 9 and 2.2e-6 */
    sweep_bessel<j0f_op, float>("j0f", j0l, 5.5, 3e-07);
    sweep_bessel<j1f_op, float>("j1f", j1l, 5.5, 3e-07);
    sweep_bessel<y0f_op, float>("y0f", y0_or_nan, 5.5, 3e-07);
    sweep_bessel<y1f_op, float>("y1f", y1_or_nan, 6, 3e-07);
    /* orders of both signs, below and above the argument */
    std::vector<int> n;
    std::vector<float> x;
    for (int order : {0, 1, 2, 3, 5, 8, 20, 50})
        for (float v : {1e-4, 0.01, 0.5, 1.0, 2.5, 5.0, 7.75, 11.0, 25.0, 100.0})
            n.push_back(order), x.push_back(v), n.push_back(-order), x.push_back(v);
    std::vector<float> got = device_results<ordersf_op, float>(n, x);
    for (std::size_t i = 0; i < n.size(); ++i) {
        long double v = x[i], want = n[i] >= 0 ? jnl(n[i], v) : ynl(-n[i], v);
        int order = std::abs(n[i]);
        /* CUDA allows ynf 2 + 2.5 n ulp where x is below n, and both 2.2e-6 elsewhere */
        long double limit = v < order ? std::fabs(want) * (2 + 2.5L * order) * 0x1p-24L : 3e-7L;
        CHECK_CASE(std::fabs(got[i] - want) <= limit + 1e-37L ||
                       ah_test::equal(got[i], static_cast<float>(want)),
                   "%s(%d, %g) is %a, not %a", n[i] >= 0 ? "jnf" : "ynf", std::abs(n[i]),
                   static_cast<double>(x[i]), static_cast<double>(got[i]),
                   static_cast<double>(want));
    }
    largest_error of_j, of_y;
    for (std::size_t i = 0; i < n.size(); ++i)
        if (x[i] < 8 && got[i] != 0 && std::isfinite(got[i]) && std::fabs(n[i]) <= x[i] + 3)
            (n[i] >= 0 ? of_j : of_y)
                .see(ah_test::ulps(got[i], n[i] >= 0 ? jnl(n[i], x[i]) : ynl(-n[i], x[i])));
    of_j.print("jnf");
    of_y.print("ynf");
    /* jn of a negative order, and of a negative argument */
    std::vector<float> minus = {-3, 3, 0, -0.0F};
    std::vector<float> odd = device_results<jnf_op<-3>, float>(minus),
                       yodd = device_results<ynf_op<-3>, float>(minus);
    CHECK_NEAR_ULP(odd[0], jnl(3, 3.0L), 4);
    CHECK_NEAR_ULP(odd[1], -jnl(3, 3.0L), 4);
    CHECK(ah_test::identical(odd[2], -0.0F) && ah_test::identical(odd[3], 0.0F));
    CHECK(std::isnan(yodd[0]));
    CHECK_NEAR_ULP(yodd[1], -ynl(3, 3.0L), 4);
}
TEST("modified Bessel functions of floats")
{
    SWEEP_1(cyl_bessel_i0f, modified_bessel<0>, -100, 100, 5);
    SWEEP_1(cyl_bessel_i1f, modified_bessel<1>, -100, 100, 5);
}

// ---- the fast ones: right to a few digits where they are meant to be used ----

struct fast {
    float sine, cosine, tangent, e, ten, ln, log2, log10, power, quotient, saturated;
};
__global__ void approximate(fast *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s, c;
    __sincosf(x[i], &s, &c);
    float p = fabsf(x[i]) + 0.125f;
    out[i] = {__sinf(x[i]) + 0 * s, c,
              __tanf(x[i] / 4),     __expf(x[i]),
              __exp10f(x[i]),       __logf(p),
              __log2f(p),           __log10f(p),
              __powf(p, x[i]),      __fdividef(x[i], p),
              __saturatef(x[i])};
}
__global__ void fast_sines(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __sinf(x[i]);
}
TEST("the fast sine of a small number is right to 2^-21.41, whatever its sign")
{
    std::vector<float> x;
    for (int e = -149; e <= -10; ++e)
        for (float sign : {-1.0f, 1.0f})
            x.push_back(std::ldexp(sign, e));
    int n = static_cast<int>(x.size());
    ah_test::buffer<float> in(x), out(n);
    fast_sines<<<(n + 63) / 64, 64>>>(out.device(), in.device(), n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i)
        CHECK_CASE(std::fabs(out.read()[i] - std::sin(double(x[i]))) <= 0x1.81p-22,
                   "__sinf(%g) is %g", x[i], out.read()[i]);
}
TEST("fast functions of floats are right to about 2^-20")
{
    std::vector<float> x;
    for (int i = -1000; i <= 1000; ++i)
        x.push_back(static_cast<float>(i) * 3.14159f / 1000);
    int n = static_cast<int>(x.size());
    ah_test::buffer<float> in(x);
    ah_test::buffer<fast> out(n);
    approximate<<<(n + 63) / 64, 64>>>(out.device(), in.device(), n);
    CHECK_LAUNCH();
    /* as HIP measures them: the error in units of the last place where it is the largest number */
    struct worst {
        const char *name;
        double off, ulps;
    };
    std::vector<worst> largest;
    auto see = [&](const char *name, float got, double want) {
        worst here = {name, std::fabs(got - want), ah_test::ulps(got, want)};
        for (worst &w : largest)
            if (std::strcmp(w.name, name) == 0) {
                w = here.off > w.off ? here : w;
                return;
            }
        largest.push_back(here);
    };
    auto near = [](float got, double want, double scale) {
        return std::fabs(got - want) <= 2e-6 * scale;
    };
    for (int i = 0; i < n; ++i) {
        const fast &f = out.read()[i];
        double v = x[i], p = std::fabs(x[i]) + 0.125f;
        CHECK_CASE(near(f.sine, std::sin(v), 1), "__sinf(%g) is %g", v, f.sine);
        CHECK_CASE(near(f.cosine, std::cos(v), 1), "__cosf(%g) is %g", v, f.cosine);
        CHECK_CASE(near(f.tangent, std::tan(v / 4), 1), "__tanf(%g) is %g", v / 4, f.tangent);
        CHECK_CASE(near(f.e, std::exp(v), std::exp(v)), "__expf(%g) is %g", v, f.e);
        CHECK_CASE(near(f.ten, std::pow(10, v), 2 * std::pow(10, v)), "__exp10f(%g) is %g", v,
                   f.ten);
        CHECK_CASE(near(f.ln, std::log(p), 1), "__logf(%g) is %g", p, f.ln);
        CHECK_CASE(near(f.log2, std::log2(p), 1.5), "__log2f(%g) is %g", p, f.log2);
        CHECK_CASE(near(f.log10, std::log10(p), 1), "__log10f(%g) is %g", p, f.log10);
        CHECK_CASE(near(f.power, std::pow(p, v), 5 * std::pow(p, v)), "__powf(%g, %g) is %g", p, v,
                   f.power);
        CHECK_CASE(near(f.quotient, v / p, 1 + std::fabs(v / p)), "__fdividef(%g, %g) is %g", v, p,
                   f.quotient);
        CHECK_EQ(f.saturated, std::min(std::max(x[i], 0.0f), 1.0f));
        see("__sinf", f.sine, std::sin(v));
        see("__cosf", f.cosine, std::cos(v));
        see("__tanf", f.tangent, std::tan(v / 4));
        see("__expf", f.e, std::exp(v));
        see("__exp10f", f.ten, std::pow(10, v));
        see("__logf", f.ln, std::log(p));
        see("__log2f", f.log2, std::log2(p));
        see("__log10f", f.log10, std::log10(p));
        see("__powf", f.power, std::pow(p, v));
        see("__fdividef", f.quotient, v / p);
    }
    for (const worst &w : largest)
        std::printf("    ulp %s %.2f\n", w.name, w.ulps);
}

// ---- which function a name means ----

template <typename T, typename U> struct is_same {
    static constexpr int value = std::is_same<T, U>::value ? 1 : 0;
};
__global__ void choose(int *types, double *values, float f, double d, int i, long long l)
{
    int k = 0;
    types[k++] = is_same<decltype(sqrt(f)), float>::value;
    types[k++] = is_same<decltype(std::sqrt(f)), float>::value;
    types[k++] = is_same<decltype(sqrt(d)), double>::value;
    types[k++] = is_same<decltype(sqrt(i)), double>::value;
    types[k++] = is_same<decltype(std::sin(i)), double>::value;
    types[k++] = is_same<decltype(pow(f, f)), float>::value;
    types[k++] = is_same<decltype(pow(f, i)), float>::value;
    types[k++] = is_same<decltype(std::pow(f, d)), double>::value;
    types[k++] = is_same<decltype(pow(f, d)), double>::value;
    types[k++] = is_same<decltype(abs(f)), float>::value;
    types[k++] = is_same<decltype(std::abs(l)), long long>::value;
    types[k++] = is_same<decltype(abs(i)), int>::value;
    types[k++] = is_same<decltype(isnan(f)), bool>::value;
    types[k++] = is_same<decltype(std::fma(f, f, f)), float>::value;
    types[k++] = is_same<decltype(std::max(f, f)), const float &>::value;
    types[k++] = is_same<decltype(max(f, d)), double>::value;
    types[k++] = is_same<decltype(std::hypot(f, f)), float>::value;
    types[k++] = is_same<decltype(std::fmod(d, f)), double>::value;
    k = 0;
    values[k++] = sqrt(f) + std::sqrt(d) + sqrt(i);
    values[k++] = std::abs(-f) + abs(-d) + abs(-i) + static_cast<double>(std::abs(-l));
    values[k++] = pow(f, 2) + pow(d, 2) + std::pow(f, 2.0f) + pow(i, 2);
    values[k++] = std::min(f, 3.0f) + min(d, 3.0) + fmax(f, d) + std::max(i, 3);
    values[k++] = std::floor(f) + ceil(d) + std::round(f) + trunc(d) + std::rint(f);
    values[k++] = (isnan(f) ? 1 : 0) + (std::isnan(d) ? 1 : 0) + (isinf(d) ? 1 : 0) +
                  (std::isfinite(f) ? 10 : 0);
    values[k++] = std::copysign(f, -1.0f) + std::hypot(3.0f, 4.0f) + fmod(d, 2) + std::ldexp(f, 3);
}
TEST("every name finds the function of its argument's type, with std:: and without")
{
    ah_test::buffer<int> types(18);
    ah_test::buffer<double> values(7);
    choose<<<1, 1>>>(types.device(), values.device(), 2.25f, 6.25, 9, 16);
    CHECK_LAUNCH();
    for (int i = 0; i < 18; ++i)
        CHECK_CASE(types.read()[i] == 1, "row %d", i);
    const std::vector<double> &v = values.read();
    CHECK_EQ(v[0], 1.5 + 2.5 + 3);
    CHECK_EQ(v[1], 2.25 + 6.25 + 9 + 16);
    CHECK_EQ(v[2], 2.25 * 2.25 + 6.25 * 6.25 + 2.25 * 2.25 + 81);
    CHECK_EQ(v[3], 2.25 + 3 + 6.25 + 9);
    CHECK_EQ(v[4], 2.0 + 7 + 2 + 6 + 2);
    CHECK_EQ(v[5], 10.0);
    CHECK_EQ(v[6], -2.25 + 5 + 0.25 + 18);
}

__device__ float quiet_nan(const char *tag)
{
    return nanf(tag);
}
__global__ void make_nans(unsigned *out)
{
    out[0] = __float_as_uint(quiet_nan(""));
    out[1] = __float_as_uint(quiet_nan("5"));
    out[2] = __float_as_uint(quiet_nan("0x1f"));
    out[3] = __float_as_uint(quiet_nan("017"));
    out[4] = isnan(nan("1")) ? 1 : 0;
}
TEST("nanf reads a payload")
{
    ah_test::buffer<unsigned> out(5);
    make_nans<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    const unsigned want[5] = {0x7fc00000, 0x7fc00005, 0x7fc0001f, 0x7fc0000f, 1};
    for (int i = 0; i < 5; ++i)
        CHECK_EQ(out.read()[i], want[i]);
}

TEST("special values of floats")
{
#define SPECIAL_1(name, ...) special_1<name##f_op, float>(#name, {__VA_ARGS__});
#define SPECIAL_2(name, ...) special_2<name##f_op, float>(#name, {__VA_ARGS__});
#include "math_special.def"
}

HIP_TEST_MAIN
