#include "points.h"

#include <mpfr.h>

#include <limits>

namespace points
{
namespace
{
template <typename T> void add_near(std::vector<T> &v, T x, int neighbours)
{
    T up = x, down = x;
    v.push_back(x);
    for (int i = 0; i < neighbours; ++i) {
        v.push_back(up = std::nextafter(up, std::numeric_limits<T>::infinity()));
        v.push_back(down = std::nextafter(down, -std::numeric_limits<T>::infinity()));
    }
}

// The m below 2^digits for which m 2^e is closest to a multiple of pi/2 are the denominators of the
// convergents of the continued fraction of 2^e / (pi/2).
template <typename T> void add_near_multiples_of_half_pi(std::vector<T> &v, int e)
{
    mpfr_t r;
    mpfr_init2(r, 1400);
    mpfr_const_pi(r, MPFR_RNDN);
    mpfr_ui_div(r, 2, r, MPFR_RNDN);
    mpfr_mul_2si(r, r, e, MPFR_RNDN);
    mpfr_frac(r, r, MPFR_RNDN);
    double before = 0, denominator = 1;
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    for (int i = 0; i < 60 && !mpfr_zero_p(r); ++i) {
        mpfr_ui_div(r, 1, r, MPFR_RNDN);
        const double whole = std::floor(mpfr_get_d(r, MPFR_RNDD));
        const double next = whole * denominator + before;
        if (!(next < end))
            break;
        mpfr_frac(r, r, MPFR_RNDN);
        before = denominator;
        denominator = next;
        v.push_back(std::ldexp(static_cast<T>(denominator), e));
    }
    mpfr_clear(r);
}

template <typename T> std::vector<T> make_hard()
{
    typedef std::numeric_limits<T> limits;
    std::vector<T> v = {T(0), limits::infinity(), limits::quiet_NaN(), limits::max(),
                        limits::denorm_min(),
                        // where errors of the gamma function add up
                        T(0x1.5f5638p+1), T(0x1.4f7552p-1), T(0x1.a4136ap+3), T(0x1.103166p+4),
                        // where the next result is infinite, and the last one that is not 0
                        T(0x1.18521ep+5), T(0x1.4fffffp+5)};
    for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; ++e)
        add_near(v, std::ldexp(T(1), e), 2);
    for (int i = 1; i < 400; ++i)
        add_near(v, T(i) / 2, 2);
    for (int i = 1; i < 400; ++i)
        add_near(v, static_cast<T>(i * 0.78539816339744830961566L), 1);
    for (int e = -limits::digits; e <= limits::max_exponent - limits::digits; ++e)
        add_near_multiples_of_half_pi(v, e);
    const std::size_t n = v.size();
    for (std::size_t i = 0; i < n; ++i)
        v.push_back(-v[i]);
    return v;
}
} // namespace

template <typename T> const std::vector<T> &hard()
{
    static const std::vector<T> v = make_hard<T>();
    return v;
}
template const std::vector<float> &hard<float>();
template const std::vector<double> &hard<double>();
} // namespace points
