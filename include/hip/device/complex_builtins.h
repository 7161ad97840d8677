/* Products and quotients of C's complex types, which std::complex<float> and <double> are
 * made of. clang calls these by name where a compiler's run-time library would have them. */
#ifndef HIP_DEVICE_COMPLEX_BUILTINS_H
#define HIP_DEVICE_COMPLEX_BUILTINS_H

#include "hip/device/math_overloads.h"

namespace __ah
{
/* (a + i b)(c + i d), and where both parts came out as NaN the infinity that C's annex G
 * asks for if an operand was infinite. */
template <typename T, typename C> static __device__ inline C complex_product(T a, T b, T c, T d)
{
    T real = a * c - b * d, imaginary = a * d + b * c;
    if (::isnan(real) && ::isnan(imaginary)) {
        bool recalculate = false;
        if (::isinf(a) || ::isinf(b)) {
            a = ::copysign(::isinf(a) ? T(1) : T(0), a);
            b = ::copysign(::isinf(b) ? T(1) : T(0), b);
            c = ::isnan(c) ? ::copysign(T(0), c) : c;
            d = ::isnan(d) ? ::copysign(T(0), d) : d;
            recalculate = true;
        }
        if (::isinf(c) || ::isinf(d)) {
            c = ::copysign(::isinf(c) ? T(1) : T(0), c);
            d = ::copysign(::isinf(d) ? T(1) : T(0), d);
            a = ::isnan(a) ? ::copysign(T(0), a) : a;
            b = ::isnan(b) ? ::copysign(T(0), b) : b;
            recalculate = true;
        }
        if (!recalculate &&
            (::isinf(a * c) || ::isinf(b * d) || ::isinf(a * d) || ::isinf(b * c))) {
            a = ::isnan(a) ? ::copysign(T(0), a) : a;
            b = ::isnan(b) ? ::copysign(T(0), b) : b;
            c = ::isnan(c) ? ::copysign(T(0), c) : c;
            d = ::isnan(d) ? ::copysign(T(0), d) : d;
            recalculate = true;
        }
        if (recalculate) {
            T infinity = T(__builtin_inff());
            real = infinity * (a * c - b * d);
            imaginary = infinity * (a * d + b * c);
        }
    }
    C z;
    __real__(z) = real;
    __imag__(z) = imaginary;
    return z;
}

/* (a + i b) / (c + i d), the divisor scaled by a power of two against over- and underflow;
 * NaN results corrected as for products. */
template <typename T, typename C> static __device__ inline C complex_quotient(T a, T b, T c, T d)
{
    int scale = 0;
    T larger = ::fmax(::fabs(c), ::fabs(d));
    if (larger > 0 && ::isfinite(larger)) {
        scale = -exponent(larger);
        c = scaled(c, scale);
        d = scaled(d, scale);
    }
    T norm = c * c + d * d;
    T real = scaled((a * c + b * d) / norm, scale);
    T imaginary = scaled((b * c - a * d) / norm, scale);
    if (::isnan(real) && ::isnan(imaginary)) {
        T infinity = T(__builtin_inff());
        if (norm == 0 && (!::isnan(a) || !::isnan(b))) {
            real = ::copysign(infinity, c) * a;
            imaginary = ::copysign(infinity, c) * b;
        } else if ((::isinf(a) || ::isinf(b)) && ::isfinite(c) && ::isfinite(d)) {
            a = ::copysign(::isinf(a) ? T(1) : T(0), a);
            b = ::copysign(::isinf(b) ? T(1) : T(0), b);
            real = infinity * (a * c + b * d);
            imaginary = infinity * (b * c - a * d);
        } else if (::isinf(larger) && ::isfinite(a) && ::isfinite(b)) {
            c = ::copysign(::isinf(c) ? T(1) : T(0), c);
            d = ::copysign(::isinf(d) ? T(1) : T(0), d);
            real = T(0) * (a * c + b * d);
            imaginary = T(0) * (b * c - a * d);
        }
    }
    C z;
    __real__(z) = real;
    __imag__(z) = imaginary;
    return z;
}
} // namespace __ah

extern "C" {
__device__ inline _Complex float __mulsc3(float a, float b, float c, float d)
{
    return __ah::complex_product<float, _Complex float>(a, b, c, d);
}
__device__ inline _Complex double __muldc3(double a, double b, double c, double d)
{
    return __ah::complex_product<double, _Complex double>(a, b, c, d);
}
__device__ inline _Complex float __divsc3(float a, float b, float c, float d)
{
    return __ah::complex_quotient<float, _Complex float>(a, b, c, d);
}
__device__ inline _Complex double __divdc3(double a, double b, double c, double d)
{
    return __ah::complex_quotient<double, _Complex double>(a, b, c, d);
}
}

#endif
