#include "reference.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace
{
const long double pi = 3.14159265358979323846264338328L;

// ---- sweeps: double and long double, one template for both where the C library has one ----

#define SWEEP(name, expression)                                                                    \
    template <typename T> T quick_##name(T x, [[maybe_unused]] T y)                                \
    {                                                                                              \
        return expression;                                                                         \
    }
// Through long double for either: the function loses digits or is composed of several.
#define WIDE(name, expression)                                                                     \
    long double wide_##name(long double x, [[maybe_unused]] long double y)                         \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    template <typename T> T quick_##name(T x, T y)                                                 \
    {                                                                                              \
        return static_cast<T>(wide_##name(x, y));                                                  \
    }

template <typename T> T sin_pi(T x)
{
    T r = std::remainder(x, T(2)), a = std::fabs(r);
    a = a > T(0.5) ? 1 - a : a;
    if (a == 0)
        return std::copysign(T(0), x);
    return std::copysign(a <= T(0.25) ? std::sin(a * T(pi)) : std::cos((T(0.5) - a) * T(pi)), r);
}
template <typename T> T cos_pi(T x)
{
    T r = std::fabs(std::remainder(x, T(2)));
    return r == T(0.5) ? T(0) : sin_pi(T(0.5) - r);
}
long double scaled_erfc(long double x)
{
    if (!(x >= 5))
        return x < -110 ? std::numeric_limits<long double>::infinity()
                        : std::exp(x * x) * std::erfc(x);
    long double tail = 0;
    for (int k = 150; k > 0; --k)
        tail = k / 2.0L / (x + tail);
    return 0.56418958354775628694807945156077L / (x + tail);
}
const long double half_root_pi = 0.886226925452758013649083741670572591L;
long double inverse_erf_near(long double y)
{
    long double x = y * half_root_pi;
    for (int i = 0; i < 12; ++i) {
        const long double step = (std::erf(x) - y) * half_root_pi * std::exp(x * x);
        x -= step;
        if (std::fabs(step) < 1e-21L * std::fabs(x))
            break;
    }
    return x;
}
long double inverse_erfc_tail(long double q)
{
    if (q == 0)
        return std::numeric_limits<long double>::infinity();
    long double x = std::sqrt(-std::log(q));
    for (int i = 0; i < 40; ++i) {
        const long double step =
            (std::log(std::erfc(x)) - std::log(q)) * scaled_erfc(x) * half_root_pi;
        x += step;
        if (std::fabs(step) < 1e-20L * x)
            break;
    }
    return x;
}
long double inverse_erfc(long double y)
{
    if (!(y >= 0 && y <= 2))
        return std::numeric_limits<long double>::quiet_NaN();
    if (y <= 0.5L)
        return inverse_erfc_tail(y);
    return y < 1.5L ? inverse_erf_near(1 - y) : -inverse_erfc_tail(2 - y);
}
long double inverse_erf(long double y)
{
    if (std::fabs(y) < 0.5L)
        return y == 0 ? y : inverse_erf_near(y);
    return y < 0 ? -inverse_erfc(1 + y) : inverse_erfc(1 - y);
}
long double modified_bessel(long double x, int order)
{
    if (x != x)
        return x;
    if (std::fabs(x) > 760)
        return order && x < 0 ? -std::numeric_limits<long double>::infinity()
                              : std::numeric_limits<long double>::infinity();
    long double sum = 1, term = 1;
    for (int k = 1; term > sum * 1e-22L; ++k) {
        term *= x * x / (4.0L * k * (k + order));
        sum += term;
    }
    return order == 0 ? sum : x / 2 * sum;
}
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

SWEEP(exp, std::exp(x))
SWEEP(exp2, std::exp2(x))
WIDE(exp10, exp10l(x))
SWEEP(expm1, std::expm1(x))
SWEEP(log, std::log(x))
SWEEP(log2, std::log2(x))
SWEEP(log10, std::log10(x))
SWEEP(log1p, std::log1p(x))
SWEEP(sin, std::sin(x))
SWEEP(cos, std::cos(x))
SWEEP(tan, std::tan(x))
SWEEP(sincos_sin, std::sin(x))
SWEEP(sincos_cos, std::cos(x))
SWEEP(sinpi, sin_pi(x))
SWEEP(cospi, cos_pi(x))
SWEEP(sincospi_sin, sin_pi(x))
SWEEP(sincospi_cos, cos_pi(x))
SWEEP(asin, std::asin(x))
SWEEP(acos, std::acos(x))
SWEEP(atan, std::atan(x))
SWEEP(sinh, std::sinh(x))
SWEEP(cosh, std::cosh(x))
SWEEP(tanh, std::tanh(x))
SWEEP(asinh, std::asinh(x))
SWEEP(acosh, std::acosh(x))
SWEEP(atanh, std::atanh(x))
SWEEP(sqrt, std::sqrt(x))
SWEEP(rsqrt, 1 / std::sqrt(x))
SWEEP(cbrt, std::cbrt(x))
SWEEP(rcbrt, 1 / std::cbrt(x))
SWEEP(erf, std::erf(x))
SWEEP(erfc, std::erfc(x))
WIDE(erfcx, scaled_erfc(x))
WIDE(erfinv, inverse_erf(x))
WIDE(erfcinv, inverse_erfc(x))
WIDE(normcdf, std::erfc(x * -0.707106781186547524400844362104849L) / 2)
WIDE(normcdfinv, -1.4142135623730950488016887242097L * inverse_erfc(2 * x))
WIDE(tgamma, x < 0 && std::trunc(x) == x ? not_a_number : std::tgamma(x))
SWEEP(lgamma, std::lgamma(x))
WIDE(j0, j0l(x))
WIDE(j1, j1l(x))
WIDE(y0, x < 0 ? not_a_number : y0l(x))
WIDE(y1, x < 0 ? not_a_number : y1l(x))
WIDE(cyl_bessel_i0, modified_bessel(x, 0))
WIDE(cyl_bessel_i1, modified_bessel(x, 1))
WIDE(jn_5, jnl(5, x))
WIDE(jn_20, jnl(20, x))
WIDE(yn_5, x < 0 ? not_a_number : ynl(5, x))
WIDE(yn_20, x < 0 ? not_a_number : ynl(20, x))
SWEEP(pow, std::pow(x, y))
SWEEP(atan2, std::atan2(x, y))
SWEEP(hypot, std::hypot(x, y))
SWEEP(rhypot, 1 / std::hypot(x, y))
WIDE(norm3d_xyy, std::hypot(x, y * 1.41421356237309504880L))
WIDE(norm4d_xyyy, std::hypot(x, y * 1.73205080756887729353L))
WIDE(rnorm3d_xyy, 1 / std::hypot(x, y * 1.41421356237309504880L))
WIDE(rnorm4d_xyyy, 1 / std::hypot(x, y * 1.73205080756887729353L))
SWEEP(fmod, std::fmod(x, y))
SWEEP(remainder, std::remainder(x, y))
SWEEP(div, x / y)

// ---- where the error is measured by something larger than the result ----

double none(double)
{
    return 0;
}
/* Beyond 8 the vendors' limits are absolute: of the largest value that a Bessel function takes
 * there. */
double bessel_floor(double x)
{
    x = std::fabs(x);
    return x > 8 ? std::sqrt(0.63661977236758134308 / x) : 0;
}
/* Y of order 5 has a zero below 8. */
double bessel_y_floor(double x)
{
    return x > 5 ? std::sqrt(0.63661977236758134308 / x) : 0;
}
/* Around the zeros at negative arguments the vendors have no limit: there the logarithm is the
 * difference of two that are larger, by up to this. */
double lgamma_floor(double x)
{
    return x > -24 && x < -2.2 ? 16 : 0;
}
double (*floor_of(const char *name))(double)
{
    const bool bessel = (name[0] == 'j' || name[0] == 'y') && std::strchr("01n", name[1]);
    if (std::strncmp(name, "yn", 2) == 0)
        return bessel_y_floor;
    return bessel ? bessel_floor : name[0] == 'l' && name[1] == 'g' ? lgamma_floor : none;
}

// ---- MPFR ----

#define EXACT_1(name, function)                                                                    \
    void exact_##name(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)                                      \
    {                                                                                              \
        function(out, x, MPFR_RNDN);                                                               \
    }
#define EXACT_2(name, function)                                                                    \
    void exact_##name(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y)                                    \
    {                                                                                              \
        function(out, x, y, MPFR_RNDN);                                                            \
    }
#define EXACT(name) EXACT_1(name, mpfr_##name)

EXACT(exp)
EXACT(exp2)
EXACT(exp10)
EXACT(expm1)
EXACT(log)
EXACT(log2)
EXACT(log10)
EXACT(log1p)
EXACT(sin)
EXACT(cos)
EXACT(tan)
EXACT_1(sincos_sin, mpfr_sin)
EXACT_1(sincos_cos, mpfr_cos)
EXACT_1(sinpi, mpfr_sinpi)
EXACT_1(cospi, mpfr_cospi)
EXACT_1(sincospi_sin, mpfr_sinpi)
EXACT_1(sincospi_cos, mpfr_cospi)
EXACT(asin)
EXACT(acos)
EXACT(atan)
EXACT(sinh)
EXACT(cosh)
EXACT(tanh)
EXACT(asinh)
EXACT(acosh)
EXACT(atanh)
EXACT(sqrt)
EXACT_1(rsqrt, mpfr_rec_sqrt)
EXACT(cbrt)
EXACT(erf)
EXACT(erfc)
EXACT_1(tgamma, mpfr_gamma)
EXACT(j0)
EXACT(j1)
EXACT(y0)
EXACT(y1)
#define EXACT_ORDER(name, function, order)                                                         \
    void exact_##name##_##order(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)                            \
    {                                                                                              \
        function(out, order, x, MPFR_RNDN);                                                        \
    }
EXACT_ORDER(jn, mpfr_jn, 5)
EXACT_ORDER(jn, mpfr_jn, 20)
EXACT_ORDER(yn, mpfr_yn, 5)
EXACT_ORDER(yn, mpfr_yn, 20)
EXACT_2(pow, mpfr_pow)
EXACT_2(atan2, mpfr_atan2)
EXACT_2(hypot, mpfr_hypot)
EXACT_2(fmod, mpfr_fmod)
EXACT_2(remainder, mpfr_remainder)
EXACT_2(div, mpfr_div)

void exact_lgamma(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)
{
    int sign;
    mpfr_lgamma(out, &sign, x, MPFR_RNDN);
}
void exact_rcbrt(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)
{
    mpfr_cbrt(out, x, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
}
void exact_rhypot(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y)
{
    mpfr_hypot(out, x, y, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

// e^(x x) erfc(x), whose factors may be as far apart as 2^1100; an asymptotic series where erfc
// takes long.
void exact_erfcx(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)
{
    mpfr_t square, term;
    mpfr_inits2(mpfr_get_prec(out), square, term, static_cast<mpfr_ptr>(nullptr));
    if (mpfr_cmp_d(x, 2000) > 0) {
        /* (1 - 1/(2 x x) + 3/(4 x^4) - 15/(8 x^6) ...) / (x sqrt(pi)) */
        mpfr_sqr(square, x, MPFR_RNDN);
        mpfr_ui_div(square, 1, square, MPFR_RNDN);
        mpfr_set_ui(out, 1, MPFR_RNDN);
        for (int k = 17; k > 0; k -= 2) {
            mpfr_mul(out, out, square, MPFR_RNDN);
            mpfr_mul_d(out, out, -k / 2.0, MPFR_RNDN);
            mpfr_add_ui(out, out, 1, MPFR_RNDN);
        }
        mpfr_div(out, out, x, MPFR_RNDN);
        mpfr_const_pi(term, MPFR_RNDN);
        mpfr_sqrt(term, term, MPFR_RNDN);
        mpfr_div(out, out, term, MPFR_RNDN);
    } else if (mpfr_cmp_d(x, -1e4) < 0) {
        mpfr_set_inf(out, 1);
    } else {
        mpfr_t exact_square; /* x x has to be exact, as exp multiplies its error */
        mpfr_init2(exact_square, 2 * mpfr_get_prec(x));
        mpfr_sqr(exact_square, x, MPFR_RNDN);
        mpfr_exp(square, exact_square, MPFR_RNDN);
        mpfr_erfc(term, x, MPFR_RNDN);
        mpfr_mul(out, square, term, MPFR_RNDN);
        mpfr_clear(exact_square);
    }
    mpfr_clears(square, term, static_cast<mpfr_ptr>(nullptr));
}

// out = erfc(argument)'s inverse at q in (0, 1], or with `near`, erf's at q: Newton's steps from
// what long double gives, each doubling the digits.
void invert(mpfr_t out, mpfr_srcptr q, bool near)
{
    mpfr_t value, slope, pi_root;
    mpfr_inits2(mpfr_get_prec(out), value, slope, pi_root, static_cast<mpfr_ptr>(nullptr));
    mpfr_const_pi(pi_root, MPFR_RNDN);
    mpfr_sqrt(pi_root, pi_root, MPFR_RNDN);
    mpfr_div_2ui(pi_root, pi_root, 1, MPFR_RNDN);
    const long double start = mpfr_get_ld(q, MPFR_RNDN);
    mpfr_set_ld(out, near ? inverse_erf_near(start) : inverse_erfc_tail(start), MPFR_RNDN);
    for (int i = 0; i < 3; ++i) {
        (near ? mpfr_erf : mpfr_erfc)(value, out, MPFR_RNDN);
        mpfr_sub(value, value, q, MPFR_RNDN);
        mpfr_sqr(slope, out, MPFR_RNDN);
        mpfr_exp(slope, slope, MPFR_RNDN);
        mpfr_mul(slope, slope, pi_root, MPFR_RNDN);
        mpfr_mul(value, value, slope, MPFR_RNDN);
        (near ? mpfr_sub : mpfr_add)(out, out, value, MPFR_RNDN);
    }
    mpfr_clears(value, slope, pi_root, static_cast<mpfr_ptr>(nullptr));
}
void exact_erfcinv(mpfr_t out, mpfr_srcptr y, mpfr_srcptr)
{
    if (mpfr_nan_p(y) || !(mpfr_cmp_d(y, 0) > 0) || !(mpfr_cmp_d(y, 2) < 0)) {
        if (mpfr_nan_p(y))
            mpfr_set_nan(out);
        else if (mpfr_zero_p(y) || mpfr_cmp_d(y, 2) == 0)
            mpfr_set_inf(out, mpfr_zero_p(y) ? 1 : -1);
        else
            mpfr_set_nan(out);
        return;
    }
    mpfr_t q;
    mpfr_init2(q, mpfr_get_prec(out) + 1100);
    if (mpfr_cmp_d(y, 0.5) <= 0) {
        invert(out, y, false);
    } else if (mpfr_cmp_d(y, 1.5) < 0) {
        mpfr_ui_sub(q, 1, y, MPFR_RNDN);
        if (mpfr_zero_p(q))
            mpfr_set_zero(out, 1);
        else
            invert(out, q, true);
    } else {
        mpfr_ui_sub(q, 2, y, MPFR_RNDN);
        invert(out, q, false);
        mpfr_neg(out, out, MPFR_RNDN);
    }
    mpfr_clear(q);
}
void exact_erfinv(mpfr_t out, mpfr_srcptr y, mpfr_srcptr)
{
    if (mpfr_zero_p(y) || mpfr_nan_p(y)) {
        mpfr_set(out, y, MPFR_RNDN);
    } else if (mpfr_cmpabs_ui(y, 1) < 0 && mpfr_cmp_d(y, 0.5) < 0 && mpfr_cmp_d(y, -0.5) > 0) {
        invert(out, y, true);
    } else {
        mpfr_t q;
        mpfr_init2(q, mpfr_get_prec(out) + 1100);
        mpfr_ui_sub(q, 1, y, MPFR_RNDN);
        exact_erfcinv(out, q, nullptr);
        mpfr_clear(q);
    }
}
void exact_normcdf(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)
{
    mpfr_t root;
    mpfr_init2(root, mpfr_get_prec(out) + 64);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(root, x, root, MPFR_RNDN);
    mpfr_neg(root, root, MPFR_RNDN);
    mpfr_erfc(out, root, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    mpfr_clear(root);
}
void exact_normcdfinv(mpfr_t out, mpfr_srcptr p, mpfr_srcptr)
{
    mpfr_t twice;
    mpfr_init2(twice, mpfr_get_prec(out));
    mpfr_mul_2ui(twice, p, 1, MPFR_RNDN);
    exact_erfcinv(out, twice, nullptr);
    mpfr_sqrt_ui(twice, 2, MPFR_RNDN);
    mpfr_mul(out, out, twice, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_clear(twice);
}

// The series, whose terms are all of one sign.
void series(mpfr_t out, mpfr_srcptr x, unsigned long order)
{
    if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 2000) > 0) {
        if (mpfr_nan_p(x))
            mpfr_set_nan(out);
        else
            mpfr_set_inf(out, order && mpfr_signbit(x) ? -1 : 1);
        return;
    }
    mpfr_t term, square;
    mpfr_inits2(mpfr_get_prec(out), term, square, static_cast<mpfr_ptr>(nullptr));
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_div_2ui(square, square, 2, MPFR_RNDN);
    mpfr_set_ui(out, 1, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    for (unsigned long k = 1; !mpfr_zero_p(term); ++k) {
        mpfr_mul(term, term, square, MPFR_RNDN);
        mpfr_div_ui(term, term, k * (k + order), MPFR_RNDN);
        if (mpfr_zero_p(term) ||
            mpfr_get_exp(term) < mpfr_get_exp(out) - static_cast<mpfr_exp_t>(mpfr_get_prec(out)))
            break;
        mpfr_add(out, out, term, MPFR_RNDN);
    }
    if (order) {
        mpfr_mul(out, out, x, MPFR_RNDN);
        mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    }
    mpfr_clears(term, square, static_cast<mpfr_ptr>(nullptr));
}
/* the length of x and of `count` times y, or one over it */
void length(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y, unsigned long count, bool inverse)
{
    mpfr_t all;
    mpfr_init2(all, mpfr_get_prec(out) + 64);
    mpfr_sqrt_ui(all, count, MPFR_RNDN);
    mpfr_mul(all, all, y, MPFR_RNDN);
    mpfr_hypot(out, x, all, MPFR_RNDN);
    if (inverse)
        mpfr_ui_div(out, 1, out, MPFR_RNDN);
    mpfr_clear(all);
}
void exact_norm3d_xyy(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y)
{
    length(out, x, y, 2, false);
}
void exact_norm4d_xyyy(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y)
{
    length(out, x, y, 3, false);
}
void exact_rnorm3d_xyy(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y)
{
    length(out, x, y, 2, true);
}
void exact_rnorm4d_xyyy(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y)
{
    length(out, x, y, 3, true);
}
void exact_cyl_bessel_i0(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)
{
    series(out, x, 0);
}
void exact_cyl_bessel_i1(mpfr_t out, mpfr_srcptr x, mpfr_srcptr)
{
    series(out, x, 1);
}
} // namespace

const reference_function reference_functions[] = {
#define MATH_1(name, limit32, limit64, low, high)                                                  \
    {#name, 1, limit32,      limit64,      low,          high,                                     \
     0,     0, quick_##name, quick_##name, exact_##name, floor_of(#name)},
#define MATH_2(name, limit32, limit64, low, high, low_y, high_y)                                   \
    {#name, 2,      limit32,      limit64,      low,          high,                                \
     low_y, high_y, quick_##name, quick_##name, exact_##name, floor_of(#name)},
#include "functions.def"
    {nullptr, 0, 0, 0, 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr}};
