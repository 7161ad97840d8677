/* Conversions with a stated rounding, and the bits of floating point numbers as integers.
 * _rn to nearest even, _rd down, _ru up, _rz toward zero.
 *
 * NVIDIA: cvt with the rounding as a modifier. AMD converts to nearest and truncates;
 * the rest is corrected by comparing with what was converted. A value that the integer
 * cannot hold becomes the nearest one it can. */
#ifndef HIP_DEVICE_CONVERSION_H
#define HIP_DEVICE_CONVERSION_H

#include "hip/device/prelude.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- bits ---- */

__AH_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__AH_FN unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__AH_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__AH_FN float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__AH_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__AH_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__AH_YIELDING __AH_FN unsigned long long __double_as_ulonglong(double x)
{
    return __builtin_bit_cast(unsigned long long, x);
}
__AH_YIELDING __AH_FN double __ulonglong_as_double(unsigned long long x) { return __builtin_bit_cast(double, x); }
__AH_FN int __double2hiint(double x) { return static_cast<int>(__double_as_ulonglong(x) >> 32); }
__AH_FN int __double2loint(double x) { return static_cast<int>(__double_as_ulonglong(x)); }
__AH_FN double __hiloint2double(int hi, int lo)
{
    return __ulonglong_as_double(static_cast<unsigned long long>(static_cast<unsigned int>(hi))
                                     << 32 |
                                 static_cast<unsigned int>(lo));
}

namespace __ah
{
/* The neighbours of a number on its own grid; zero has both signs' least as neighbours. */
__AH_FN float step_up(float x)
{
    int bits = __builtin_bit_cast(int, x);
    return __builtin_bit_cast(float, x == 0 ? 1 : x > 0 ? bits + 1 : bits - 1);
}
__AH_FN double step_up(double x)
{
    long long bits = __builtin_bit_cast(long long, x);
    return __builtin_bit_cast(double, x == 0 ? 1 : x > 0 ? bits + 1 : bits - 1);
}
template <typename T> __AH_FN T step_down(T x) { return -step_up(-x); }

/* A double as a float, rounded as requested. */
__AH_FN float narrow_down(double x)
{
    float r = static_cast<float>(x);
    return static_cast<double>(r) > x ? step_down(r) : r;
}
__AH_FN float narrow_up(double x)
{
    float r = static_cast<float>(x);
    return static_cast<double>(r) < x ? step_up(r) : r;
}
__AH_FN float narrow_zero(double x) { return x < 0 ? narrow_up(x) : narrow_down(x); }
} // namespace __ah

#if defined(__NVPTX__)

#define __AH_CONVERT(from, to, From, To, builtin)                                                  \
    __AH_FN To __##from##2##to##_rd(From x) { return __nvvm_##builtin##_rm(x); }                   \
    __AH_FN To __##from##2##to##_rn(From x) { return __nvvm_##builtin##_rn(x); }                   \
    __AH_FN To __##from##2##to##_ru(From x) { return __nvvm_##builtin##_rp(x); }                   \
    __AH_FN To __##from##2##to##_rz(From x) { return __nvvm_##builtin##_rz(x); }
__AH_CONVERT(float, int, float, int, f2i)
__AH_CONVERT(float, uint, float, unsigned int, f2ui)
__AH_CONVERT(float, ll, float, long long, f2ll)
__AH_CONVERT(float, ull, float, unsigned long long, f2ull)
__AH_CONVERT(double, int, double, int, d2i)
__AH_CONVERT(double, uint, double, unsigned int, d2ui)
__AH_CONVERT(double, ll, double, long long, d2ll)
__AH_CONVERT(double, ull, double, unsigned long long, d2ull)
__AH_CONVERT(double, float, double, float, d2f)
__AH_CONVERT(int, float, int, float, i2f)
__AH_CONVERT(uint, float, unsigned int, float, ui2f)
__AH_CONVERT(ll, float, long long, float, ll2f)
__AH_CONVERT(ull, float, unsigned long long, float, ull2f)
__AH_CONVERT(ll, double, long long, double, ll2d)
__AH_CONVERT(ull, double, unsigned long long, double, ull2d)
#undef __AH_CONVERT

#else

namespace __ah
{
/* A rounded number as an integer. 32 bits: the hardware's conversion gives the ends of the
 * range for what lies outside and 0 for NaN, which a cast in C++ does not promise. 64 bits:
 * there is no such instruction. */
__AH_FN int to_int(float x)
{
    int r;
    __asm__("v_cvt_i32_f32 %0, %1" : "=v"(r) : "v"(x));
    return r;
}
__AH_FN int to_int(double x)
{
    int r;
    __asm__("v_cvt_i32_f64 %0, %1" : "=v"(r) : "v"(x));
    return r;
}
__AH_FN unsigned int to_uint(float x)
{
    unsigned int r;
    __asm__("v_cvt_u32_f32 %0, %1" : "=v"(r) : "v"(x));
    return r;
}
__AH_FN unsigned int to_uint(double x)
{
    unsigned int r;
    __asm__("v_cvt_u32_f64 %0, %1" : "=v"(r) : "v"(x));
    return r;
}
template <typename I, typename F> __AH_FN I to_integer(F x)
{
    constexpr bool is_signed = I(-1) < I(0);
    if (sizeof(I) == 4)
        return is_signed ? static_cast<I>(to_int(x)) : static_cast<I>(to_uint(x));
    constexpr F end = is_signed ? F(0x1p63) : F(0x1p64);
    constexpr I top = is_signed ? I(~0ull >> 1) : I(~0ull);
    if (x >= end)
        return top;
    if (x <= (is_signed ? -end : F(0)))
        return is_signed ? I(1ull << 63) : I(0);
    return x == x ? static_cast<I>(x) : I(0);
}

/* An integer as a float or double. The nearest one is an integer too, so whether it is
 * above or below can be told exactly. */
template <typename F, typename I> __AH_FN bool is_above(F r, I x)
{
    constexpr F end =
        (I(-1) < I(0) ? F(1ull << (sizeof(I) * 8 - 2)) : F(1ull << (sizeof(I) * 8 - 1))) * F(2);
    return r >= end || static_cast<I>(r) > x;
}
template <typename F, typename I> __AH_FN bool is_below(F r, I x)
{
    return !is_above(r, x) && static_cast<I>(r) < x;
}
template <typename F, typename I> __AH_FN F integer_down(I x)
{
    F r = static_cast<F>(x);
    return is_above(r, x) ? step_down(r) : r;
}
template <typename F, typename I> __AH_FN F integer_up(I x)
{
    F r = static_cast<F>(x);
    return is_below(r, x) ? step_up(r) : r;
}
template <typename F, typename I> __AH_FN F integer_zero(I x)
{
    return x < I(0) ? integer_up<F>(x) : integer_down<F>(x);
}
} // namespace __ah

#define __AH_TO_INTEGER(from, to, From, To)                                                        \
    __AH_FN To __##from##2##to##_rd(From x)                                                        \
    {                                                                                              \
        return __ah::to_integer<To>(__builtin_elementwise_floor(x));                               \
    }                                                                                              \
    __AH_FN To __##from##2##to##_rn(From x)                                                        \
    {                                                                                              \
        return __ah::to_integer<To>(__builtin_elementwise_roundeven(x));                           \
    }                                                                                              \
    __AH_FN To __##from##2##to##_ru(From x)                                                        \
    {                                                                                              \
        return __ah::to_integer<To>(__builtin_elementwise_ceil(x));                                \
    }                                                                                              \
    __AH_FN To __##from##2##to##_rz(From x)                                                        \
    {                                                                                              \
        return __ah::to_integer<To>(__builtin_elementwise_trunc(x));                               \
    }
__AH_TO_INTEGER(float, int, float, int)
__AH_TO_INTEGER(float, uint, float, unsigned int)
__AH_TO_INTEGER(float, ll, float, long long)
__AH_TO_INTEGER(float, ull, float, unsigned long long)
__AH_TO_INTEGER(double, int, double, int)
__AH_TO_INTEGER(double, uint, double, unsigned int)
__AH_TO_INTEGER(double, ll, double, long long)
__AH_TO_INTEGER(double, ull, double, unsigned long long)
#undef __AH_TO_INTEGER

#define __AH_FROM_INTEGER(from, to, From, To)                                                      \
    __AH_FN To __##from##2##to##_rd(From x) { return __ah::integer_down<To>(x); }                  \
    __AH_FN To __##from##2##to##_rn(From x) { return static_cast<To>(x); }                         \
    __AH_FN To __##from##2##to##_ru(From x) { return __ah::integer_up<To>(x); }                    \
    __AH_FN To __##from##2##to##_rz(From x) { return __ah::integer_zero<To>(x); }
__AH_FROM_INTEGER(int, float, int, float)
__AH_FROM_INTEGER(uint, float, unsigned int, float)
__AH_FROM_INTEGER(ll, float, long long, float)
__AH_FROM_INTEGER(ull, float, unsigned long long, float)
__AH_FROM_INTEGER(ll, double, long long, double)
__AH_FROM_INTEGER(ull, double, unsigned long long, double)
#undef __AH_FROM_INTEGER

__AH_FN float __double2float_rd(double x) { return __ah::narrow_down(x); }
__AH_FN float __double2float_rn(double x) { return static_cast<float>(x); }
__AH_FN float __double2float_ru(double x) { return __ah::narrow_up(x); }
__AH_FN float __double2float_rz(double x) { return __ah::narrow_zero(x); }

#endif

/* exact, whatever the rounding */
__AH_FN double __int2double_rn(int x) { return x; }
__AH_FN double __uint2double_rn(unsigned int x) { return x; }

#undef __AH_FN
#endif
