/* Functions that HIP's documents list for the host too and that a C library does not have. They
 * compute in long double and round once. Templates, so that a program's own functions of the
 * same names are others and come first. */
#ifndef HIP_DEVICE_MATH_HOST_H
#define HIP_DEVICE_MATH_HOST_H

#include "hip/device/qualifiers.h"

#define __AH_FN template <int = 0> inline __host__

namespace __ah
{
namespace host
{
/* x pi from [-1/4, 1/4] or its complement, so that zeros and halves are exact */
inline __host__ long double sin_pi(long double x)
{
    constexpr long double pi = 3.14159265358979323846264338328L;
    long double r = __builtin_remainderl(x, 2.0L), a = __builtin_fabsl(r);
    a = a > 0.5L ? 1 - a : a;
    if (a == 0)
        return __builtin_copysignl(0.0L, x);
    long double s = a <= 0.25L ? __builtin_sinl(a * pi) : __builtin_cosl((0.5L - a) * pi);
    return __builtin_copysignl(s, r);
}
inline __host__ long double cos_pi(long double x)
{
    long double r = __builtin_fabsl(__builtin_remainderl(x, 2.0L));
    return r == 0.5L ? 0.0L : sin_pi(0.5L - r);
}

/* e^(x x) erfc(x); far out by its continued fraction */
inline __host__ long double scaled_erfc(long double x)
{
    if (!(x >= 5))
        return x < -110 ? __builtin_infl() : __builtin_expl(x * x) * __builtin_erfcl(x);
    long double tail = 0;
    for (int k = 200; k > 0; --k)
        tail = k / 2.0L / (x + tail);
    return 0.56418958354775628694807945156077L / (x + tail);
}

/* The x with erf(x) = y, and with erfc(x) = q for q <= 1/2, by Newton's steps; 0.886... is half
 * the root of pi. */
inline __host__ long double inverse_erf_near(long double y)
{
    long double x = y * 0.886226925452758013649L;
    for (int i = 0; i < 30; ++i)
        x -= (__builtin_erfl(x) - y) * 0.886226925452758013649L * __builtin_expl(x * x);
    return x;
}
inline __host__ long double inverse_erfc_tail(long double q)
{
    if (q == 0)
        return __builtin_infl();
    long double x = __builtin_sqrtl(-__builtin_logl(q));
    for (int i = 0; i < 40; ++i)
        x += (__builtin_logl(__builtin_erfcl(x)) - __builtin_logl(q)) * scaled_erfc(x) *
             0.886226925452758013649L;
    return x;
}
inline __host__ long double inverse_erfc(long double y)
{
    if (!(y >= 0 && y <= 2))
        return __builtin_nanl("");
    if (y <= 0.5L)
        return inverse_erfc_tail(y);
    return y < 1.5L ? inverse_erf_near(1 - y) : -inverse_erfc_tail(2 - y);
}
inline __host__ long double inverse_erf(long double y)
{
    if (__builtin_fabsl(y) < 0.5L)
        return y == 0 ? y : inverse_erf_near(y);
    return y < 0 ? -inverse_erfc(1 + y) : inverse_erfc(1 - y);
}

template <typename T> inline __host__ long double norm(const T *v, int n)
{
    long double sum = 0;
    bool infinite = false;
    for (int i = 0; i < n; ++i) {
        infinite = infinite || __builtin_isinf(v[i]);
        sum += static_cast<long double>(v[i]) * static_cast<long double>(v[i]);
    }
    return infinite ? __builtin_infl() : __builtin_sqrtl(sum);
}
} // namespace host
} // namespace __ah

/* T and the letter after the name of its functions; norm3d and norm4d have theirs as well. */
#define __AH_HOST_FUNCTIONS(T, f)                                                                  \
    __AH_FN T rsqrt##f(T x) { return static_cast<T>(1 / __builtin_sqrtl(x)); }                     \
    __AH_FN T rcbrt##f(T x) { return static_cast<T>(1 / __builtin_cbrtl(x)); }                     \
    __AH_FN T rhypot##f(T x, T y) { return static_cast<T>(1 / __builtin_hypotl(x, y)); }           \
    __AH_FN T norm##f(int n, const T *v) { return static_cast<T>(__ah::host::norm(v, n)); }        \
    __AH_FN T rnorm##f(int n, const T *v) { return static_cast<T>(1 / __ah::host::norm(v, n)); }   \
    __AH_FN T norm3d##f(T x, T y, T z)                                                             \
    {                                                                                              \
        const T v[3] = {x, y, z};                                                                  \
        return static_cast<T>(__ah::host::norm(v, 3));                                             \
    }                                                                                              \
    __AH_FN T norm4d##f(T x, T y, T z, T w)                                                        \
    {                                                                                              \
        const T v[4] = {x, y, z, w};                                                               \
        return static_cast<T>(__ah::host::norm(v, 4));                                             \
    }                                                                                              \
    __AH_FN T rnorm3d##f(T x, T y, T z)                                                            \
    {                                                                                              \
        const T v[3] = {x, y, z};                                                                  \
        return static_cast<T>(1 / __ah::host::norm(v, 3));                                         \
    }                                                                                              \
    __AH_FN T rnorm4d##f(T x, T y, T z, T w)                                                       \
    {                                                                                              \
        const T v[4] = {x, y, z, w};                                                               \
        return static_cast<T>(1 / __ah::host::norm(v, 4));                                         \
    }                                                                                              \
    __AH_FN T powi##f(T x, int n) { return static_cast<T>(__builtin_powl(x, n)); }                 \
    __AH_FN T sinpi##f(T x) { return static_cast<T>(__ah::host::sin_pi(x)); }                      \
    __AH_FN T cospi##f(T x) { return static_cast<T>(__ah::host::cos_pi(x)); }                      \
    __AH_FN void sincospi##f(T x, T *s, T *c)                                                      \
    {                                                                                              \
        *s = static_cast<T>(__ah::host::sin_pi(x));                                                \
        *c = static_cast<T>(__ah::host::cos_pi(x));                                                \
    }                                                                                              \
    __AH_FN T erfcx##f(T x) { return static_cast<T>(__ah::host::scaled_erfc(x)); }                 \
    __AH_FN T erfinv##f(T x) { return static_cast<T>(__ah::host::inverse_erf(x)); }                \
    __AH_FN T erfcinv##f(T x) { return static_cast<T>(__ah::host::inverse_erfc(x)); }              \
    __AH_FN T normcdf##f(T x)                                                                      \
    {                                                                                              \
        return static_cast<T>(__builtin_erfcl(x * -0.707106781186547524400844362104849L) / 2);     \
    }                                                                                              \
    __AH_FN T normcdfinv##f(T x)                                                                   \
    {                                                                                              \
        return static_cast<T>(-1.4142135623730950488016887242097L *                                \
                              __ah::host::inverse_erfc(2 * static_cast<long double>(x)));          \
    }
__AH_HOST_FUNCTIONS(float, f)
__AH_HOST_FUNCTIONS(double, )
#undef __AH_HOST_FUNCTIONS
__AH_FN float fdividef(float x, float y) { return x / y; }

#undef __AH_FN
#endif
