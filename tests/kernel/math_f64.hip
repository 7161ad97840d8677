// Double precision functions against the host's long double library. The limits are those of
// HIP, in units of the last place, rounded up to the next half.
#include "math_sweep.h"

#define FUNCTION(name)                                                                             \
    struct name##_op {                                                                             \
        template <typename... A> static __device__ double apply(A... x) { return name(x...); }     \
    };
#define SWEEP_1(name, reference, low, high, limit)                                                 \
    sweep_1<name##_op, double>(                                                                    \
        #name, [](long double x) -> long double { return reference(x); }, low, high, limit)
#define SWEEP_2(name, reference, low, high, limit)                                                 \
    sweep_2<name##_op, double>(                                                                    \
        #name, [](long double x, long double y) -> long double { return reference(x, y); }, low,   \
        high, limit)

FUNCTION(acos)
FUNCTION(acosh)
FUNCTION(asin)
FUNCTION(asinh)
FUNCTION(atan)
FUNCTION(atan2)
FUNCTION(atanh)
FUNCTION(cos)
FUNCTION(cosh)
FUNCTION(cospi)
FUNCTION(sin)
FUNCTION(sinh)
FUNCTION(sinpi)
FUNCTION(tan)
FUNCTION(tanh)

TEST("trigonometric functions of doubles")
{
    SWEEP_1(sin, std::sin, -200, 200, 2.5);
    SWEEP_1(cos, std::cos, -200, 200, 2.5);
    SWEEP_1(tan, std::tan, -200, 200, 2.5);
    SWEEP_1(asin, std::asin, -1, 1, 2.5);
    SWEEP_1(acos, std::acos, -1, 1, 2.5);
    SWEEP_1(atan, std::atan, -20, 20, 2.5);
    SWEEP_2(atan2, std::atan2, -10, 10, 2.5);
    SWEEP_1(sinpi, reference_sinpi, -10, 10, 2.5);
    SWEEP_1(cospi, reference_cospi, -10, 10, 2.5);
}
TEST("hyperbolic functions of doubles, past where they overflow")
{
    SWEEP_1(sinh, std::sinh, -720, 720, 2.5);
    SWEEP_1(cosh, std::cosh, -720, 720, 1.5);
    SWEEP_1(tanh, std::tanh, -10, 10, 1.5);
    SWEEP_1(asinh, std::asinh, -100, 100, 2.5);
    SWEEP_1(acosh, std::acosh, 1, 100, 2.5);
    SWEEP_1(atanh, std::atanh, -1, 1, 2.5);
}

FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(exp10)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log10)
FUNCTION(log1p)
FUNCTION(log2)
FUNCTION(pow)

TEST("exponentials of doubles, down to subnormal results")
{
    SWEEP_1(exp, std::exp, -746, 711, 1.5);
    SWEEP_1(exp2, std::exp2, -1076, 1026, 1.5);
    SWEEP_1(exp10, reference_exp10, -325, 310, 1.5);
    SWEEP_1(expm1, std::expm1, -40, 711, 1.5);
}
TEST("logarithms of doubles")
{
    SWEEP_1(log, std::log, 0, 100, 1.5);
    SWEEP_1(log10, std::log10, 0, 100, 1.5);
    SWEEP_1(log2, std::log2, 0, 100, 1.5);
    SWEEP_1(log1p, std::log1p, -1, 10, 1.5);
}
TEST("powers of doubles, of the largest exponents too")
{
    SWEEP_2(pow, std::pow, 0, 200, 2.5);
    std::vector<double> x, y;
    for (double base : {0.99, 1.01, -0.99, -1.01, 1.0, -1.0, 1 - 1e-15, 1e300, 1e-300, -3.0})
        for (double e : {1e18, 1e19, 1e20, 1e36, 1e100, 1e300, 3.0, 9007199254740991.0})
            for (double sign : {1.0, -1.0}) {
                x.push_back(base);
                y.push_back(e * sign);
            }
    std::vector<double> got = device_results<pow_op, double>(x, y);
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK_CASE(ah_test::ulps(got[i], std::pow(static_cast<long double>(x[i]), y[i])) <= 2.5,
                   "pow(%g, %g) is %g", x[i], y[i], got[i]);
}

FUNCTION(powi)
TEST("integer powers of doubles")
{
    std::vector<double> x;
    std::vector<int> n;
    for (double base : {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1.1, -1.1, 1e308, 1e-310})
        for (int k : {0, 1, -1, 2, -2, 3, -3, 10, -11, 1023, -1074, 5000, -5001}) {
            x.push_back(base);
            n.push_back(k);
        }
    std::vector<double> got = device_results<powi_op, double>(x, n);
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK_NEAR_ULP(got[i], std::pow(static_cast<long double>(x[i]), n[i]), 2.5);
}

FUNCTION(sqrt)
FUNCTION(rsqrt)
FUNCTION(cbrt)
FUNCTION(rcbrt)
FUNCTION(hypot)
FUNCTION(rhypot)

TEST("roots of doubles; sqrt is correctly rounded")
{
    SWEEP_1(sqrt, std::sqrt, 0, 100, 0.5005);
    SWEEP_1(rsqrt, reference_rsqrt, 0, 100, 1.5);
    SWEEP_1(cbrt, std::cbrt, -100, 100, 1.5);
    SWEEP_1(rcbrt, reference_rcbrt, -100, 100, 2);
    SWEEP_2(hypot, std::hypot, -100, 100, 2.5);
    SWEEP_2(rhypot, reference_rhypot, -100, 100, 3);
}

__global__ void norms(double *out, const double *v)
{
    out[0] = norm3d(v[0], v[1], v[2]);
    out[1] = norm4d(v[0], v[1], v[2], v[3]);
    out[2] = norm(4, v);
    out[3] = rnorm3d(v[0], v[1], v[2]);
    out[4] = rnorm4d(v[0], v[1], v[2], v[3]);
    out[5] = rnorm(4, v);
}
TEST("norms of double vectors neither overflow nor vanish")
{
    largest_error largest[6];
    for (double s : {1.0, 1e300, 1e-300, 1e-310}) {
        ah_test::buffer<double> v({3 * s, -4 * s, 12 * s, 84 * s}), out(6);
        norms<<<1, 1>>>(out.device(), v.device());
        CHECK_LAUNCH();
        std::vector<double> &host = v.read();
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
    }
    const char *const names[] = {"norm3d", "norm4d", "norm", "rnorm3d", "rnorm4d", "rnorm"};
    for (int i = 0; i < 6; ++i)
        largest[i].print(names[i]);
}

FUNCTION(ceil)
FUNCTION(floor)
FUNCTION(trunc)
FUNCTION(rint)
FUNCTION(nearbyint)
FUNCTION(round)
FUNCTION(fabs)
FUNCTION(logb)
FUNCTION(copysign)
FUNCTION(fmax)
FUNCTION(fmin)
FUNCTION(fdim)
FUNCTION(fmod)
FUNCTION(remainder)
FUNCTION(nextafter)

TEST("rounding of doubles is exact, signs of zero included")
{
    SWEEP_1(ceil, std::ceil, -30, 30, 0);
    SWEEP_1(floor, std::floor, -30, 30, 0);
    SWEEP_1(trunc, std::trunc, -30, 30, 0);
    SWEEP_1(rint, std::rint, -30, 30, 0);
    SWEEP_1(nearbyint, std::nearbyint, -30, 30, 0);
    SWEEP_1(round, std::round, -30, 30, 0);
    SWEEP_1(fabs, std::fabs, -30, 30, 0);
    SWEEP_1(logb, std::logb, -30, 30, 0);
}
TEST("minima, differences and remainders of doubles are exact")
{
    SWEEP_2(copysign, std::copysign, -30, 30, 0);
    SWEEP_2(fmax, std::fmax, -30, 30, 0);
    SWEEP_2(fmin, std::fmin, -30, 30, 0);
    SWEEP_2(
        fdim,
        [](long double x, long double y) {
            return std::fdim(static_cast<double>(x), static_cast<double>(y));
        },
        -30, 30, 0);
    SWEEP_2(fmod, std::fmod, -30, 30, 0);
    SWEEP_2(remainder, std::remainder, -30, 30, 0);
    SWEEP_2(
        nextafter,
        [](long double x, long double y) {
            return std::nextafter(static_cast<double>(x), static_cast<double>(y));
        },
        -30, 30, 0);
}

struct ilogb_op {
    static __device__ int apply(double x) { return ilogb(x); }
};
struct lrint_op {
    static __device__ long apply(double x) { return fabs(x) < 1e18 ? lrint(x) : 0; }
};
struct llround_op {
    static __device__ long long apply(double x) { return fabs(x) < 1e18 ? llround(x) : 0; }
};
struct llrint_op {
    static __device__ long long apply(double x) { return fabs(x) < 1e18 ? llrint(x) : 0; }
};
struct lround_op {
    static __device__ long apply(double x) { return fabs(x) < 1e18 ? lround(x) : 0; }
};
struct classes_op {
    static __device__ int apply(double x)
    {
        return (isnan(x) ? 1 : 0) | (isinf(x) ? 2 : 0) | (isfinite(x) ? 4 : 0) |
               (signbit(x) ? 8 : 0) | (isnormal(x) ? 16 : 0) | fpclassify(x) << 8;
    }
};
TEST("doubles become integers and classes")
{
    sweep_to<ilogb_op, int, double>(
        "ilogb", [](double x) { return std::ilogb(x); }, -30, 30);
    sweep_to<llrint_op, long long, double>(
        "llrint", [](double x) { return std::fabs(x) < 1e18 ? std::llrint(x) : 0; }, -30, 30);
    sweep_to<lround_op, long, double>(
        "lround", [](double x) { return std::fabs(x) < 1e18 ? std::lround(x) : 0; }, -30, 30);
    sweep_to<lrint_op, long, double>(
        "lrint", [](double x) { return std::fabs(x) < 1e18 ? std::lrint(x) : 0; }, -30, 30);
    sweep_to<llround_op, long long, double>(
        "llround", [](double x) { return std::fabs(x) < 1e18 ? std::llround(x) : 0; }, -30, 30);
    sweep_to<classes_op, int, double>(
        "isnan ...",
        [](double x) {
            return (std::isnan(x) ? 1 : 0) | (std::isinf(x) ? 2 : 0) | (std::isfinite(x) ? 4 : 0) |
                   (std::signbit(x) ? 8 : 0) | (std::isnormal(x) ? 16 : 0) |
                   std::fpclassify(x) << 8;
        },
        -30, 30);
}

struct parts {
    double mantissa, fraction, whole, sine, cosine, rest, scaled, sinepi, cosinepi, fused;
    int exponent, quotient;
};
__global__ void take_apart(parts *out, const double *x, const double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    parts p;
    p.mantissa = frexp(x[i], &p.exponent);
    p.fraction = modf(x[i], &p.whole);
    sincos(x[i], &p.sine, &p.cosine);
    sincospi(x[i], &p.sinepi, &p.cosinepi);
    p.rest = remquo(x[i], y[i], &p.quotient);
    int shift = i % 2200 - 1100;
    p.scaled = i % 3 == 0   ? ldexp(x[i], shift)
               : i % 3 == 1 ? scalbn(x[i], shift)
                            : scalbln(x[i], static_cast<long>(shift));
    p.fused = fma(x[i], y[i], 1.0 / 3);
    out[i] = p;
}
TEST("frexp, modf, scalbln, remquo, sincos and fma of doubles")
{
    std::vector<double> x, y;
    pairs(x, y, -50, 50);
    int n = static_cast<int>(x.size());
    ah_test::buffer<double> in_x(x), in_y(y);
    ah_test::buffer<parts> out(n);
    take_apart<<<(n + 63) / 64, 64>>>(out.device(), in_x.device(), in_y.device(), n);
    CHECK_LAUNCH();
    largest_error of_sincos, of_sincospi;
    for (int i = 0; i < n; ++i) {
        const parts &p = out.read()[i];
        int e = 0, q = 0;
        double whole, m = std::frexp(x[i], &e), f = std::modf(x[i], &whole);
        CHECK_CASE(ah_test::identical(p.mantissa, m) && (!std::isfinite(x[i]) || p.exponent == e),
                   "frexp(%a)", x[i]);
        CHECK_CASE(ah_test::identical(p.fraction, f) && ah_test::identical(p.whole, whole),
                   "modf(%a)", x[i]);
        of_sincos.see(ah_test::ulps(p.sine, std::sin(static_cast<long double>(x[i]))));
        of_sincos.see(ah_test::ulps(p.cosine, std::cos(static_cast<long double>(x[i]))));
        of_sincospi.see(ah_test::ulps(p.sinepi, reference_sinpi(x[i])));
        of_sincospi.see(ah_test::ulps(p.cosinepi, reference_cospi(x[i])));
        CHECK_CASE(ah_test::ulps(p.sine, std::sin(static_cast<long double>(x[i]))) <= 2.5 &&
                       ah_test::ulps(p.cosine, std::cos(static_cast<long double>(x[i]))) <= 2.5,
                   "sincos(%a)", x[i]);
        CHECK_CASE(ah_test::ulps(p.sinepi, reference_sinpi(x[i])) <= 2.5 &&
                       ah_test::ulps(p.cosinepi, reference_cospi(x[i])) <= 2.5,
                   "sincospi(%a)", x[i]);
        double r = std::remquo(x[i], y[i], &q);
        CHECK_CASE(ah_test::equal(p.rest, r) && (std::isnan(r) || (p.quotient & 7) == (q & 7)),
                   "remquo(%a, %a) is %a, %d, not %a, %d", x[i], y[i], p.rest, p.quotient, r, q);
        CHECK_CASE(ah_test::identical(p.scaled, std::scalbln(x[i], i % 2200 - 1100)),
                   "scalbln(%a, %d) is %a", x[i], i % 2200 - 1100, p.scaled);
        CHECK_CASE(ah_test::identical(p.fused, std::fma(x[i], y[i], 1.0 / 3)), "fma(%a, %a)", x[i],
                   y[i]);
    }
    of_sincos.print("sincos");
    of_sincospi.print("sincospi");
}

FUNCTION(erf)
FUNCTION(erfc)
FUNCTION(erfinv)
FUNCTION(erfcinv)
FUNCTION(erfcx)
FUNCTION(normcdf)
FUNCTION(normcdfinv)
FUNCTION(tgamma)
FUNCTION(lgamma)

TEST("error functions of doubles and their inverses")
{
    SWEEP_1(erf, std::erf, -6, 6, 2.5);
    SWEEP_1(erfc, std::erfc, -6, 27.3, 5.5);
    SWEEP_1(erfinv, reference_erfinv, -1, 1, 5.5);
    SWEEP_1(erfcinv, reference_erfcinv, 0, 2, 6.5);
    SWEEP_1(erfcx, reference_erfcx, -26, 60, 4.5);
    SWEEP_1(normcdf, reference_normcdf, -38.5, 9, 5.5);
    SWEEP_1(normcdfinv, reference_normcdfinv, 0, 1, 5.5);
}
TEST("gamma functions of doubles")
{
    SWEEP_1(tgamma, std::tgamma, -30, 172, 10.5);
    /* for negative arguments only close to zero: elsewhere lgamma has zeros of its own */
    std::vector<double> x = numbers<double>(0, 1000);
    for (double &v : x)
        v = v < 0 && v > -1e300 ? std::fmod(v, 1.0) : std::fabs(v);
    std::vector<double> got = device_results<lgamma_op, double>(x);
    largest_error largest;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double off = ah_test::ulps(got[i], std::lgamma(static_cast<long double>(x[i])));
        CHECK_CASE(off <= 5, "lgamma(%a) is %a", x[i], got[i]);
        largest.see(off);
    }
    largest.print("lgamma");
}

FUNCTION(j0)
FUNCTION(j1)
FUNCTION(y0)
FUNCTION(y1)
FUNCTION(cyl_bessel_i0)
FUNCTION(cyl_bessel_i1)
template <int order> struct jn_op {
    static __device__ double apply(double x) { return jn(order, x); }
};
template <int order> struct yn_op {
    static __device__ double apply(double x) { return yn(order, x); }
};
struct orders_op {
    static __device__ double apply(int n, double x) { return n >= 0 ? jn(n, x) : yn(-n, x); }
};

TEST("Bessel functions of doubles")
{
    sweep_bessel<j0_op, double>("j0", j0l, 8, 3e-16);
    sweep_bessel<j1_op, double>("j1", j1l, 8, 3e-16);
    sweep_bessel<y0_op, double>("y0", y0_or_nan, 8, 3e-16);
    sweep_bessel<y1_op, double>("y1", y1_or_nan, 8, 3e-16);
    /* orders of both signs, below and above the argument */
    std::vector<int> n;
    std::vector<double> x;
    for (int order : {0, 1, 2, 3, 5, 8, 20, 50})
        for (double v : {0.01, 0.5, 1.0, 2.5, 5.0, 7.75, 11.0, 25.0, 100.0})
            n.push_back(order), x.push_back(v), n.push_back(-order), x.push_back(v);
    std::vector<double> got = device_results<orders_op, double>(n, x);
    for (std::size_t i = 0; i < n.size(); ++i) {
        long double v = x[i], want = n[i] >= 0 ? jnl(n[i], v) : ynl(-n[i], v);
        CHECK_CASE(std::fabs(got[i] - want) <= std::fabs(want) * 1e-14L + 3e-16L ||
                       ah_test::equal(got[i], static_cast<double>(want)),
                   "%s(%d, %g) is %a, not %a", n[i] >= 0 ? "jn" : "yn", std::abs(n[i]),
                   static_cast<double>(x[i]), static_cast<double>(got[i]),
                   static_cast<double>(want));
    }
    largest_error of_j, of_y;
    for (std::size_t i = 0; i < n.size(); ++i)
        if (x[i] < 8 && got[i] != 0 && std::isfinite(got[i]) && std::fabs(n[i]) <= x[i] + 3)
            (n[i] >= 0 ? of_j : of_y)
                .see(ah_test::ulps(got[i], n[i] >= 0 ? jnl(n[i], x[i]) : ynl(-n[i], x[i])));
    of_j.print("jn");
    of_y.print("yn");
    /* jn of a negative order, and of a negative argument */
    std::vector<double> minus = {-3, 3};
    std::vector<double> odd = device_results<jn_op<-3>, double>(minus),
                        yodd = device_results<yn_op<-3>, double>(minus);
    CHECK_NEAR_ULP(odd[0], jnl(3, 3.0L), 4);
    CHECK_NEAR_ULP(odd[1], -jnl(3, 3.0L), 4);
    CHECK(std::isnan(yodd[0]));
    CHECK_NEAR_ULP(yodd[1], -ynl(3, 3.0L), 4);
}
TEST("modified Bessel functions of doubles")
{
    SWEEP_1(cyl_bessel_i0, modified_bessel<0>, -750, 750, 5);
    SWEEP_1(cyl_bessel_i1, modified_bessel<1>, -750, 750, 5);
}

TEST("special values of doubles")
{
#define SPECIAL_1(name, ...) special_1<name##_op, double>(#name, {__VA_ARGS__});
#define SPECIAL_2(name, ...) special_2<name##_op, double>(#name, {__VA_ARGS__});
#include "math_special.def"
}

HIP_TEST_MAIN
