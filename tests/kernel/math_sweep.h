// Sweeps of mathematical functions for math_f32.hip and math_f64.hip: numbers to try, kernels
// that apply a function to them, and the comparison with the host's long double library.
#ifndef AH_TESTS_MATH_SWEEP_H
#define AH_TESTS_MATH_SWEEP_H

#include "../support/hip_test.h"

template <typename T> struct bits_type;
template <> struct bits_type<float> {
    typedef std::uint32_t type;
};
template <> struct bits_type<double> {
    typedef std::uint64_t type;
};

// Special values, numbers of every exponent, and a dense sweep from low to high.
template <typename T> std::vector<T> numbers(double low, double high, int n = 6000)
{
    typedef std::numeric_limits<T> limits;
    std::vector<T> v = {T(0),
                        T(-0.0),
                        T(1),
                        T(-1),
                        T(0.5),
                        T(-0.5),
                        T(2),
                        T(-2),
                        T(1.5),
                        T(2.5),
                        T(-2.5),
                        T(3),
                        T(10),
                        limits::infinity(),
                        -limits::infinity(),
                        limits::quiet_NaN(),
                        limits::max(),
                        limits::lowest(),
                        limits::min(),
                        -limits::min(),
                        limits::denorm_min(),
                        -limits::denorm_min(),
                        std::nextafter(T(1), T(0)),
                        std::nextafter(T(1), T(2)),
                        limits::min() / 4,
                        T(low),
                        T(high)};
    std::mt19937_64 random(20);
    for (int i = 0; i < n; ++i)
        v.push_back(static_cast<T>(low + (high - low) * i / n));
    for (int i = 0; i < n / 2; ++i) {
        auto b = static_cast<typename bits_type<T>::type>(random());
        T x;
        std::memcpy(&x, &b, sizeof x);
        v.push_back(x);
    }
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int i = 0; i < n / 4; ++i) {
        v.push_back(static_cast<T>(unit(random)));
        v.push_back(static_cast<T>(1 + unit(random) * 1e-3));
        v.push_back(static_cast<T>(unit(random) * static_cast<double>(limits::min()) * 8));
    }
    return v;
}

template <typename Op, typename R, typename T> __global__ void apply_1(R *out, const T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = Op::apply(x[i]);
}
template <typename Op, typename R, typename T, typename U>
__global__ void apply_2(R *out, const T *x, const U *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = Op::apply(x[i], y[i]);
}

template <typename Op, typename R, typename T>
std::vector<R> device_results(const std::vector<T> &x)
{
    int n = static_cast<int>(x.size());
    ah_test::buffer<T> in(x);
    ah_test::buffer<R> out(n);
    apply_1<Op, R, T><<<(n + 127) / 128, 128>>>(out.device(), in.device(), n);
    CHECK_LAUNCH();
    return out.read();
}
template <typename Op, typename R, typename T, typename U>
std::vector<R> device_results(const std::vector<T> &x, const std::vector<U> &y)
{
    int n = static_cast<int>(x.size());
    ah_test::buffer<T> in_x(x);
    ah_test::buffer<U> in_y(y);
    ah_test::buffer<R> out(n);
    apply_2<Op, R, T, U><<<(n + 127) / 128, 128>>>(out.device(), in_x.device(), in_y.device(), n);
    CHECK_LAUNCH();
    return out.read();
}

// The largest error of a function over a sweep, for docs/kernel-language.md.
struct largest_error {
    double ulps = 0;
    void see(double off) { ulps = off > ulps ? off : ulps; }
    void print(const char *name) const { std::printf("    ulp %s %.2f\n", name, ulps); }
};

// One argument. limit 0 requires equal bits, the sign of zero included.
template <typename Op, typename T, typename F>
void sweep_1(const char *name, F reference, double low, double high, double limit)
{
    std::vector<T> x = numbers<T>(low, high);
    std::vector<T> got = device_results<Op, T>(x);
    largest_error largest;
    for (std::size_t i = 0; i < x.size(); ++i) {
        long double want = reference(static_cast<long double>(x[i]));
        largest.see(limit == 0 ? ah_test::ulps(got[i], static_cast<T>(want))
                               : ah_test::ulps(got[i], want));
        bool right = limit == 0 ? ah_test::identical(got[i], static_cast<T>(want))
                                : ah_test::ulps(got[i], want) <= limit;
        CHECK_CASE(right, "%s(%a = %.9g) is %a, not %a: %g ULP", name, static_cast<double>(x[i]),
                   static_cast<double>(x[i]), static_cast<double>(got[i]),
                   static_cast<double>(want), ah_test::ulps(got[i], want));
    }
    largest.print(name);
}

// Two arguments: all pairs of the special values, and random pairs of the others.
template <typename T> void pairs(std::vector<T> &x, std::vector<T> &y, double low, double high)
{
    std::vector<T> v = numbers<T>(low, high, 4000);
    const std::size_t special = 27;
    for (std::size_t i = 0; i < special; ++i)
        for (std::size_t j = 0; j < special; ++j) {
            x.push_back(v[i]);
            y.push_back(v[j]);
        }
    std::mt19937 random(31);
    for (int i = 0; i < 8000; ++i) {
        /* half of them from the dense sweep alone */
        std::size_t from = i % 2 ? special : 0, span = i % 2 ? 4000 : v.size();
        x.push_back(v[from + random() % span]);
        y.push_back(v[from + random() % span]);
    }
}
template <typename Op, typename T, typename F>
void sweep_2(const char *name, F reference, double low, double high, double limit)
{
    std::vector<T> x, y;
    pairs(x, y, low, high);
    std::vector<T> got = device_results<Op, T>(x, y);
    largest_error largest;
    for (std::size_t i = 0; i < x.size(); ++i) {
        long double want =
            reference(static_cast<long double>(x[i]), static_cast<long double>(y[i]));
        largest.see(limit == 0 ? ah_test::ulps(got[i], static_cast<T>(want))
                               : ah_test::ulps(got[i], want));
        bool right = limit == 0 ? ah_test::equal(got[i], static_cast<T>(want))
                                : ah_test::ulps(got[i], want) <= limit;
        CHECK_CASE(right, "%s(%a, %a) is %a, not %a: %g ULP", name, static_cast<double>(x[i]),
                   static_cast<double>(y[i]), static_cast<double>(got[i]),
                   static_cast<double>(want), ah_test::ulps(got[i], want));
    }
    largest.print(name);
}

// One argument and a result that is compared as it is.
template <typename Op, typename R, typename T, typename F>
void sweep_to(const char *name, F reference, double low, double high)
{
    std::vector<T> x = numbers<T>(low, high);
    std::vector<R> got = device_results<Op, R>(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        R want = reference(x[i]);
        CHECK_CASE(got[i] == want, "%s(%a) is %s, not %s", name, static_cast<double>(x[i]),
                   ah_test::show(got[i]).c_str(), ah_test::show(want).c_str());
    }
}

// A Bessel function: so many units of the last place below 8, and beyond that, where the zeros
// are too close for it, so much of the largest value that it takes there.
template <typename Op, typename T, typename F>
void sweep_bessel(const char *name, F reference, double limit, double far_limit)
{
    std::vector<T> x = numbers<T>(0, 60);
    std::vector<T> got = device_results<Op, T>(x);
    largest_error largest;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::fabs(x[i]) > T(1e5))
            continue; /* the host's long double sine would have to be of a longer argument */
        long double want = reference(static_cast<long double>(x[i]));
        bool near = std::fabs(x[i]) < 8;
        double off =
            near ? ah_test::ulps(got[i], want) : static_cast<double>(std::fabs(got[i] - want));
        bool same = std::isnan(want) && std::isnan(got[i]);
        CHECK_CASE(same || off <= (near ? limit : far_limit), "%s(%a = %.9g) is %a, not %a: %g",
                   name, static_cast<double>(x[i]), static_cast<double>(x[i]),
                   static_cast<double>(got[i]), static_cast<double>(want), off);
        if (near)
            largest.see(off);
    }
    largest.print(name);
}

// Rows of math_special.def: the results have to be these, signs of zero included.
template <typename T> struct special_row_1 {
    T x, want;
};
template <typename T> struct special_row_2 {
    T x, y, want;
};
template <typename Op, typename T>
void special_1(const char *name, std::vector<special_row_1<T>> rows)
{
    rows.push_back({std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()});
    std::vector<T> x;
    for (const special_row_1<T> &row : rows)
        x.push_back(row.x);
    std::vector<T> got = device_results<Op, T>(x);
    for (std::size_t i = 0; i < rows.size(); ++i)
        CHECK_CASE(ah_test::identical(got[i], rows[i].want), "%s(%g) is %g, not %g", name,
                   static_cast<double>(x[i]), static_cast<double>(got[i]),
                   static_cast<double>(rows[i].want));
}
template <typename Op, typename T>
void special_2(const char *name, const std::vector<special_row_2<T>> &rows)
{
    std::vector<T> x, y;
    for (const special_row_2<T> &row : rows)
        x.push_back(row.x), y.push_back(row.y);
    std::vector<T> got = device_results<Op, T>(x, y);
    for (std::size_t i = 0; i < rows.size(); ++i)
        CHECK_CASE(ah_test::identical(got[i], rows[i].want), "%s(%g, %g) is %g, not %g", name,
                   static_cast<double>(x[i]), static_cast<double>(y[i]),
                   static_cast<double>(got[i]), static_cast<double>(rows[i].want));
}

// ---- functions the host's library does not have ----

/* I of order 0 or 1, by its series */
template <int order> long double modified_bessel(long double x)
{
    long double sum = 1, term = 1;
    for (int k = 1; term > sum * 1e-22L; ++k) {
        term *= x * x / (4.0L * k * (k + order));
        sum += term;
    }
    return order == 0 ? sum : x / 2 * sum;
}

inline long double y0_or_nan(long double x)
{
    return x < 0 ? std::numeric_limits<long double>::quiet_NaN() : y0l(x);
}
inline long double y1_or_nan(long double x)
{
    return x < 0 ? std::numeric_limits<long double>::quiet_NaN() : y1l(x);
}
inline long double reference_exp10(long double x)
{
    return std::pow(10.0L, x);
}
// The argument is folded, which is exact, before it is multiplied by pi.
inline long double reference_sinpi(long double x)
{
    const long double pi = 3.14159265358979323846264338328L;
    long double r = std::remainder(x, 2.0L), a = std::fabs(r);
    a = a > 0.5L ? 1 - a : a;
    if (a == 0)
        return std::copysign(0.0L, x);
    return std::copysign(a <= 0.25L ? std::sin(a * pi) : std::cos((0.5L - a) * pi), r);
}
inline long double reference_cospi(long double x)
{
    long double r = std::fabs(std::remainder(x, 2.0L));
    return r == 0.5L ? 0.0L : reference_sinpi(0.5L - r);
}
inline long double reference_rsqrt(long double x)
{
    return 1 / std::sqrt(x);
}
inline long double reference_rcbrt(long double x)
{
    return 1 / std::cbrt(x);
}
inline long double reference_rhypot(long double x, long double y)
{
    return 1 / std::hypot(x, y);
}
inline long double reference_normcdf(long double x)
{
    return std::erfc(x * -0.70710678118654752440084436210485L) / 2;
}
// e^(x*x) erfc(x); for large x by its continued fraction
inline long double reference_erfcx(long double x)
{
    if (std::isnan(x) || x < 5)
        return x < -110 ? std::numeric_limits<long double>::infinity()
                        : std::exp(x * x) * std::erfc(x);
    long double tail = 0;
    for (int k = 200; k > 0; --k)
        tail = k / 2.0L / (x + tail);
    return 0.56418958354775628694807945156077L / (x + tail);
}
// Newton for the inverses, in a form that keeps its accuracy near 0 and far out
inline long double reference_erfcinv(long double y)
{
    const long double infinity = std::numeric_limits<long double>::infinity();
    if (!(y >= 0 && y <= 2))
        return std::numeric_limits<long double>::quiet_NaN();
    if (y == 0 || y == 2)
        return y == 0 ? infinity : -infinity;
    long double q = y > 1 ? 2 - y : y, x;
    if (q > 0.5L) {
        long double t = 1 - q;
        x = t * 0.886226925452758013649083741670572591L;
        for (int i = 0; i < 40; ++i)
            x -= (std::erf(x) - t) * 0.886226925452758013649083741670572591L * std::exp(x * x);
    } else {
        x = std::sqrt(-std::log(q));
        for (int i = 0; i < 60; ++i)
            x += (std::log(std::erfc(x)) - std::log(q)) * std::erfc(x) *
                 0.886226925452758013649083741670572591L * std::exp(x * x);
    }
    return y > 1 ? -x : x;
}
inline long double reference_erfinv(long double y)
{
    if (std::fabs(y) >= 0.5L || std::isnan(y))
        return y > 0 ? reference_erfcinv(1 - y) : -reference_erfcinv(1 + y);
    long double x = y * 0.886226925452758013649083741670572591L;
    for (int i = 0; i < 40; ++i)
        x -= (std::erf(x) - y) * 0.886226925452758013649083741670572591L * std::exp(x * x);
    return x;
}
inline long double reference_normcdfinv(long double p)
{
    return -1.4142135623730950488016887242097L * reference_erfcinv(2 * p);
}

#endif
