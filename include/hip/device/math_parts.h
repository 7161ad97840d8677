/* Pieces that the float and the double functions share: exponents, differences, the parts of a
 * number. Exact unless something else is said. */
#ifndef HIP_DEVICE_MATH_PARTS_H
#define HIP_DEVICE_MATH_PARTS_H

#include "hip/device/conversion.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* the bits of a floating point number, and where its parts are */
template <typename T> struct number;
template <> struct number<float> {
    typedef int bits;
    static constexpr int fraction = 23, bias = 127;
    static constexpr int infinity = 0x7f800000;
};
template <> struct number<double> {
    typedef long long bits;
    static constexpr int fraction = 52, bias = 1023;
    static constexpr long long infinity = 0x7ff0000000000000;
};

__AH_FN float absolute(float x) { return __builtin_fabsf(x); }
__AH_FN double absolute(double x) { return __builtin_fabs(x); }
__AH_FN float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__AH_FN double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }
__AH_FN float scaled(float x, int n) { return __builtin_ldexpf(x, n); }
__AH_FN double scaled(double x, int n) { return __builtin_ldexp(x, n); }
__AH_FN float truncated(float x) { return __builtin_truncf(x); }
__AH_FN double truncated(double x) { return __builtin_trunc(x); }

/* The exponent of a finite number other than 0, subnormal ones included. */
template <typename T> __AH_FN int exponent(T x)
{
    typedef number<T> N;
    typename N::bits b = __builtin_bit_cast(typename N::bits, absolute(x));
    int e = static_cast<int>(b >> N::fraction);
    if (e == 0) {
        int zeros = sizeof(T) == 4 ? __builtin_clz(static_cast<unsigned int>(b))
                                   : __builtin_clzll(static_cast<unsigned long long>(b));
        e = static_cast<int>(sizeof(T) * 8) - N::fraction - zeros;
    }
    return e - N::bias;
}

template <typename T> __AH_FN T positive_difference(T x, T y)
{
    return x <= y ? T(0) : x - y; /* NaN where one is a NaN */
}

template <typename T> __AH_FN T split(T x, T *whole)
{
    T w = truncated(x);
    *whole = w;
    return __builtin_copysign(absolute(x) == __builtin_inff() ? T(0) : x - w, x);
}

/* The payload C's nan() makes of a string: a decimal, octal or hexadecimal number. */
static __device__ inline unsigned long long nan_payload(const char *tag)
{
    unsigned long long value = 0;
    unsigned int base = 10;
    if (*tag == '0') {
        base = 8;
        if (*++tag == 'x' || *tag == 'X') {
            base = 16;
            ++tag;
        }
    }
    for (; *tag; ++tag) {
        unsigned int c = static_cast<unsigned char>(*tag), lower = c | 0x20;
        unsigned int digit = c >= '0' && c <= '9'           ? c - '0'
                             : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                            : 16;
        if (digit >= base)
            return 0;
        value = value * base + digit;
    }
    return value;
}
} // namespace __ah

#undef __AH_FN
#endif
