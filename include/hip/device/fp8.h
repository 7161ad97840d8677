/* Numbers of 8 bits. E4M3 has four bits of exponent and three of mantissa, E5M2 five and two.
 *
 *                 bias   largest   infinity   NaN
 *   E4M3             7       448   none       x1111111
 *   E5M2            15     57344   x1111100   those above
 *   E4M3_FNUZ        8       240   none       10000000, in the place of -0
 *   E5M2_FNUZ       16     57344   none       10000000
 *
 * A number becomes the nearest of the format, to even. One above the largest becomes the
 * largest (__HIP_SATFINITE), or infinity where there is one and NaN where not (__HIP_NOSAT). All
 * of it is alike on the host and on every device, NaNs included: integer arithmetic on the host,
 * conversions of half and, from sm_90 on, of these formats on devices. */
#ifndef HIP_DEVICE_FP8_H
#define HIP_DEVICE_FP8_H

#include "hip/device/bf16.h"
#include "hip/device/fp16.h"

/* Which formats there are in device code: both. */
#define HIP_FP8_TYPE_OCP  1
#define HIP_FP8_TYPE_FNUZ 1

typedef enum __hip_fp8_interpretation_t {
    __HIP_E4M3 = 0,
    __HIP_E5M2 = 1,
    __HIP_E4M3_FNUZ = 2,
    __HIP_E5M2_FNUZ = 3
} __hip_fp8_interpretation_t;

typedef enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 } __hip_saturation_t;

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t; /* the first number in the low bits */
typedef unsigned int __hip_fp8x4_storage_t;

#if defined(__cplusplus)

#define __AH_FN __host__ __device__ inline

namespace __ah
{
struct fp8_format {
    int mantissa, bias;
    unsigned char largest, overflow, nan;
    bool one_zero;
};
__AH_FN fp8_format fp8_format_of(__hip_fp8_interpretation_t interpretation)
{
    switch (interpretation) {
    case __HIP_E4M3:
        return {3, 7, 0x7e, 0x7f, 0x7f, false};
    case __HIP_E5M2:
        return {2, 15, 0x7b, 0x7c, 0x7f, false};
    case __HIP_E4M3_FNUZ:
        return {3, 8, 0x7f, 0x80, 0x80, true};
    default:
        return {2, 16, 0x7f, 0x80, 0x80, true};
    }
}

__AH_FN float float_of_bits(unsigned int bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
__AH_FN unsigned int bits_of_float(float value)
{
    unsigned int bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 2^n, -126 <= n <= 127 */
__AH_FN float power_of_two(int n)
{
    return float_of_bits(static_cast<unsigned int>(n + 127) << 23);
}

#if defined(__HIP_DEVICE_COMPILE__)
/* As the bits of a half a number is its value times 2^(bias - 15), infinity included. */
static __device__ inline float fp8_to_float_by_half(unsigned char x, fp8_format f)
{
    unsigned int sign = x & 0x80u, rest = x & 0x7fu;
    unsigned short bits = static_cast<unsigned short>(sign << 8 | rest << (10 - f.mantissa));
    bool nan = f.one_zero ? x == 0x80 : rest > (f.mantissa == 3 ? 0x7eu : 0x7cu);
    return nan ? float_of_bits(sign << 24 | 0x7fc00000u)
               : static_cast<float>(__builtin_bit_cast(_Float16, bits)) * power_of_two(15 - f.bias);
}
#endif

__AH_FN float fp8_to_float(unsigned char x, __hip_fp8_interpretation_t interpretation)
{
    fp8_format f = fp8_format_of(interpretation);
    unsigned int sign = x & 0x80u, rest = x & 0x7fu;
    unsigned int above = static_cast<unsigned int>(f.largest) + 1; /* E5M2's infinity */
#if defined(__HIP_DEVICE_COMPILE__)
    if (interpretation != __HIP_E5M2_FNUZ) /* its largest numbers would be NaNs of half */
        return fp8_to_float_by_half(x, f);
#endif
    if (f.one_zero ? x == 0x80 : rest >= above)
        return float_of_bits(interpretation == __HIP_E5M2 && rest == above
                                 ? sign << 24 | 0x7f800000u
                                 : sign << 24 | 0x7fc00000u);
    int exponent = static_cast<int>(rest >> f.mantissa);
    unsigned int fraction = rest & ((1u << f.mantissa) - 1);
    float magnitude = static_cast<float>(exponent == 0 ? fraction : fraction | 1u << f.mantissa) *
                      power_of_two((exponent == 0 ? 1 : exponent) - f.bias - f.mantissa);
    return sign ? -magnitude : magnitude;
}

#if defined(__NVPTX__) && __CUDA_ARCH__ >= 900
#define __AH_FP8_INSTRUCTIONS 1
/* E4M3 or E5M2, two at once; too large numbers become the largest, NaN loses its sign. Formats of
 * one zero count exponents from one less: there a number below one is converted as its double,
 * others as themselves, and fp8_finish counts the exponent of their codes up. */
static __device__ inline float fp8_prepared(float x, fp8_format f)
{
    return f.one_zero && __builtin_fabsf(x) < 1 ? x + x : x;
}
static __device__ inline unsigned int fp8_convert(float low, float high, fp8_format f)
{
    unsigned short codes;
    low = fp8_prepared(low, f);
    high = fp8_prepared(high, f);
    if (f.mantissa == 3)
        __asm__("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(high), "f"(low));
    else
        __asm__("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(high), "f"(low));
    return codes;
}
static __device__ inline unsigned int fp8_finish(unsigned int code, float x, fp8_format f)
{
    if (!f.one_zero)
        return code & 0xffu;
    unsigned int rest = (code & 0x7fu) + (__builtin_fabsf(x) < 1 ? 0 : 1u << f.mantissa);
    rest = rest < f.largest ? rest : f.largest;
    return rest == 0 ? 0 : (code & 0x80u) | rest;
}
#endif

/* The code of a number whose magnitude is at most the largest. */
__AH_FN unsigned int fp8_nearest(float x, fp8_format f)
{
#if defined(__AH_FP8_INSTRUCTIONS)
    return fp8_finish(fp8_convert(x, 0, f), x, f);
#else
    unsigned int bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
    int exponent = static_cast<int>(magnitude >> 23) - 127, least = 1 - f.bias;
    exponent = exponent < least ? least : exponent;
    /* in units of the last place; adding 2^23 rounds to a whole number */
    float units = float_of_bits(magnitude) * power_of_two(f.mantissa - exponent);
    unsigned int whole = bits_of_float(units + 8388608.0f) - 0x4b000000u;
    unsigned int code = (static_cast<unsigned int>(exponent - least) << f.mantissa) + whole;
    return code == 0 && f.one_zero ? 0 : (bits >> 24 & 0x80u) | code;
#endif
}

/* The code of a number of which the nearest code is known, unless it is NaN or too large. */
__AH_FN unsigned char fp8_checked(unsigned int nearest, float x, __hip_saturation_t saturation,
                                  __hip_fp8_interpretation_t interpretation)
{
    fp8_format f = fp8_format_of(interpretation);
    unsigned int bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
    unsigned int sign = bits >> 24 & 0x80u, kept = f.one_zero ? 0 : sign;
    if (magnitude > 0x7f800000u)
        return static_cast<unsigned char>(kept | f.nan);
    bool beyond = magnitude > bits_of_float(fp8_to_float(f.largest, interpretation));
    if (beyond && saturation != __HIP_SATFINITE)
        return static_cast<unsigned char>(kept | f.overflow);
#if !defined(__AH_FP8_INSTRUCTIONS) /* which saturate */
    if (beyond)
        return static_cast<unsigned char>(sign | f.largest);
#endif
    return static_cast<unsigned char>(nearest);
}

__AH_FN unsigned char fp8_from_float(float x, __hip_saturation_t saturation,
                                     __hip_fp8_interpretation_t interpretation)
{
    return fp8_checked(fp8_nearest(x, fp8_format_of(interpretation)), x, saturation,
                       interpretation);
}

/* Two, the first in the low bits. */
__AH_FN __hip_fp8x2_storage_t fp8_from_floats(float x, float y, __hip_saturation_t saturation,
                                              __hip_fp8_interpretation_t interpretation)
{
#if defined(__AH_FP8_INSTRUCTIONS)
    fp8_format f = fp8_format_of(interpretation);
    unsigned int codes = fp8_convert(x, y, f);
    unsigned int low = fp8_finish(codes, x, f), high = fp8_finish(codes >> 8, y, f);
    low = fp8_checked(low, x, saturation, interpretation);
    high = fp8_checked(high, y, saturation, interpretation);
#else
    unsigned int low = fp8_from_float(x, saturation, interpretation);
    unsigned int high = fp8_from_float(y, saturation, interpretation);
#endif
    return static_cast<__hip_fp8x2_storage_t>(high << 8 | low);
}

/* A double as a float that is odd where digits were lost, so that rounding it further is as good
 * as rounding the double. */
__AH_FN float odd_float(double x)
{
    unsigned long long bits, lost = (1ull << 29) - 1;
    __builtin_memcpy(&bits, &x, sizeof bits);
    bool nan = x != x;
    bits = (bits & ~lost) | ((bits & lost) != 0 && !nan ? 1ull << 29 : 0);
    double odd;
    __builtin_memcpy(&odd, &bits, sizeof odd);
    return static_cast<float>(nan ? x : odd);
}
} // namespace __ah

/* ---- conversions of storage ---- */

__AH_FN __hip_fp8_storage_t __hip_cvt_float_to_fp8(const float f, const __hip_saturation_t sat,
                                                   const __hip_fp8_interpretation_t interp)
{
    return __ah::fp8_from_float(f, sat, interp);
}
__AH_FN __hip_fp8_storage_t __hip_cvt_double_to_fp8(const double d, const __hip_saturation_t sat,
                                                    const __hip_fp8_interpretation_t interp)
{
    return __ah::fp8_from_float(__ah::odd_float(d), sat, interp);
}
__AH_FN __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(const __half_raw x,
                                                     const __hip_saturation_t sat,
                                                     const __hip_fp8_interpretation_t interp)
{
    return __ah::fp8_from_float(static_cast<float>(__half(x)), sat, interp);
}
__AH_FN __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(const __hip_bfloat16_raw x,
                                                         const __hip_saturation_t sat,
                                                         const __hip_fp8_interpretation_t interp)
{
    return __ah::fp8_from_float(static_cast<float>(__hip_bfloat16(x)), sat, interp);
}
__AH_FN __half_raw __hip_cvt_fp8_to_halfraw(const __hip_fp8_storage_t x,
                                            const __hip_fp8_interpretation_t interp)
{
    return static_cast<__half_raw>(__half(__ah::fp8_to_float(x, interp)));
}

__AH_FN __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(const float2 f,
                                                        const __hip_saturation_t sat,
                                                        const __hip_fp8_interpretation_t interp)
{
    return __ah::fp8_from_floats(f.x, f.y, sat, interp);
}
__AH_FN __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(const double2 d,
                                                         const __hip_saturation_t sat,
                                                         const __hip_fp8_interpretation_t interp)
{
    return __ah::fp8_from_floats(__ah::odd_float(d.x), __ah::odd_float(d.y), sat, interp);
}
__AH_FN __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(const __half2_raw x,
                                                          const __hip_saturation_t sat,
                                                          const __hip_fp8_interpretation_t interp)
{
    __half_raw first, second;
    first.x = x.x;
    second.x = x.y;
    return __ah::fp8_from_floats(static_cast<float>(__half(first)),
                                 static_cast<float>(__half(second)), sat, interp);
}
__AH_FN __hip_fp8x2_storage_t
__hip_cvt_bfloat16raw2_to_fp8x2(const __hip_bfloat162_raw x, const __hip_saturation_t sat,
                                const __hip_fp8_interpretation_t interp)
{
    __hip_bfloat16_raw first = {x.x}, second = {x.y};
    return __ah::fp8_from_floats(static_cast<float>(__hip_bfloat16(first)),
                                 static_cast<float>(__hip_bfloat16(second)), sat, interp);
}
__AH_FN __half2_raw __hip_cvt_fp8x2_to_halfraw2(const __hip_fp8x2_storage_t x,
                                                const __hip_fp8_interpretation_t interp)
{
    __half2_raw pair;
    pair.x = __hip_cvt_fp8_to_halfraw(static_cast<__hip_fp8_storage_t>(x & 0xff), interp).x;
    pair.y = __hip_cvt_fp8_to_halfraw(static_cast<__hip_fp8_storage_t>(x >> 8), interp).x;
    return pair;
}

/* ---- classes ---- */

namespace __ah
{
template <bool condition> struct fp8_only_if {
};
template <> struct fp8_only_if<true> {
    typedef int type;
};
/* The integers and floating point numbers of the language, distinguished without a library. */
template <typename T> struct fp8_kind {
    static constexpr bool number = false, integer = false;
};
#define __AH_KIND(T, is_integer)                                                                   \
    template <> struct fp8_kind<T> {                                                               \
        static constexpr bool number = true, integer = is_integer;                                 \
    };
__AH_KIND(char, true)
__AH_KIND(signed char, true)
__AH_KIND(unsigned char, true)
__AH_KIND(short, true)
__AH_KIND(unsigned short, true)
__AH_KIND(int, true)
__AH_KIND(unsigned int, true)
__AH_KIND(long, true)
__AH_KIND(unsigned long, true)
__AH_KIND(long long, true)
__AH_KIND(unsigned long long, true)
__AH_KIND(float, false)
__AH_KIND(double, false)
#undef __AH_KIND

/* What a float is as an integer: the nearest toward zero, the end of the range beyond it, 0 for
 * NaN. */
template <typename T> __AH_FN T fp8_integer(float x)
{
    constexpr bool is_signed = T(-1) < T(0);
    constexpr int bits = static_cast<int>(sizeof(T)) * 8 - (is_signed ? 1 : 0);
    constexpr T most = static_cast<T>(~0ull >> (64 - bits));
    if (x != x)
        return T(0);
    if (x >= power_of_two(bits))
        return most;
    if (x < 0 && (!is_signed || x <= -power_of_two(bits)))
        return is_signed ? static_cast<T>(-most - 1) : T(0);
    return static_cast<T>(x);
}

template <__hip_fp8_interpretation_t interpretation> struct fp8_defaults {
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;
    static constexpr __hip_fp8_interpretation_t __default_interpret = interpretation;
    static constexpr unsigned int __we =
        interpretation == __HIP_E4M3 || interpretation == __HIP_E4M3_FNUZ ? 4 : 5;
    static constexpr unsigned int __wm = 7 - __we;
};

template <__hip_fp8_interpretation_t interpretation>
struct fp8_number : fp8_defaults<interpretation> {
    __hip_fp8_storage_t __x;

    fp8_number() = default;
    template <typename T, typename fp8_only_if<fp8_kind<T>::number>::type = 0>
    __host__ __device__ fp8_number(T value)
        : __x(__hip_cvt_double_to_fp8(static_cast<double>(value), __HIP_SATFINITE, interpretation))
    {
    }
    __host__ __device__ fp8_number(float value)
        : __x(fp8_from_float(value, __HIP_SATFINITE, interpretation))
    {
    }
    __host__ __device__ fp8_number(__half value)
        : __x(fp8_from_float(static_cast<float>(value), __HIP_SATFINITE, interpretation))
    {
    }
    __host__ __device__ fp8_number(__hip_bfloat16 value)
        : __x(fp8_from_float(static_cast<float>(value), __HIP_SATFINITE, interpretation))
    {
    }

    __host__ __device__ operator float() const { return fp8_to_float(__x, interpretation); }
    __host__ __device__ operator double() const
    {
        return static_cast<double>(fp8_to_float(__x, interpretation));
    }
    __host__ __device__ operator __half() const
    {
        return __half(fp8_to_float(__x, interpretation));
    }
    __host__ __device__ operator __hip_bfloat16() const
    {
        return __hip_bfloat16(fp8_to_float(__x, interpretation));
    }
    __host__ __device__ operator bool() const { return fp8_to_float(__x, interpretation) != 0; }
    template <typename T, typename fp8_only_if<fp8_kind<T>::integer>::type = 0>
    __host__ __device__ operator T() const
    {
        return fp8_integer<T>(fp8_to_float(__x, interpretation));
    }
};

template <__hip_fp8_interpretation_t interpretation>
struct fp8_pair_of : fp8_defaults<interpretation> {
    __hip_fp8x2_storage_t __x;

    fp8_pair_of() = default;
    __host__ __device__ fp8_pair_of(float2 v)
        : __x(__hip_cvt_float2_to_fp8x2(v, __HIP_SATFINITE, interpretation))
    {
    }
    __host__ __device__ fp8_pair_of(double2 v)
        : __x(__hip_cvt_double2_to_fp8x2(v, __HIP_SATFINITE, interpretation))
    {
    }
    __host__ __device__ fp8_pair_of(__half2 v)
        : __x(__hip_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(v), __HIP_SATFINITE,
                                          interpretation))
    {
    }
    __host__ __device__ fp8_pair_of(__hip_bfloat162 v)
        : __x(__hip_cvt_bfloat16raw2_to_fp8x2(static_cast<__hip_bfloat162_raw>(v), __HIP_SATFINITE,
                                              interpretation))
    {
    }
    __host__ __device__ operator __half2() const
    {
        return __half2(__hip_cvt_fp8x2_to_halfraw2(__x, interpretation));
    }
    __host__ __device__ operator float2() const
    {
        float2 v;
        v.x = fp8_to_float(static_cast<unsigned char>(__x & 0xff), interpretation);
        v.y = fp8_to_float(static_cast<unsigned char>(__x >> 8), interpretation);
        return v;
    }
};

template <__hip_fp8_interpretation_t interpretation>
struct fp8_four_of : fp8_defaults<interpretation> {
    __hip_fp8x4_storage_t __x;

    fp8_four_of() = default;
    __host__ __device__ fp8_four_of(float4 v)
        : __x(two(fp8_from_floats(v.x, v.y, __HIP_SATFINITE, interpretation),
                  fp8_from_floats(v.z, v.w, __HIP_SATFINITE, interpretation)))
    {
    }
    __host__ __device__ fp8_four_of(double4 v)
        : fp8_four_of(make_float4(odd_float(v.x), odd_float(v.y), odd_float(v.z), odd_float(v.w)))
    {
    }
    __host__ __device__ fp8_four_of(__half2 low, __half2 high)
        : __x(two(fp8_pair_of<interpretation>(low).__x, fp8_pair_of<interpretation>(high).__x))
    {
    }
    __host__ __device__ fp8_four_of(__hip_bfloat162 low, __hip_bfloat162 high)
        : __x(two(fp8_pair_of<interpretation>(low).__x, fp8_pair_of<interpretation>(high).__x))
    {
    }
    __host__ __device__ operator float4() const
    {
        float4 v;
        v.x = get(0);
        v.y = get(1);
        v.z = get(2);
        v.w = get(3);
        return v;
    }

  private:
    static __host__ __device__ __hip_fp8x4_storage_t two(__hip_fp8x2_storage_t low,
                                                         __hip_fp8x2_storage_t high)
    {
        return static_cast<__hip_fp8x4_storage_t>(high) << 16 | low;
    }
    __host__ __device__ float get(int i) const
    {
        return fp8_to_float(static_cast<unsigned char>(__x >> 8 * i & 0xff), interpretation);
    }
};
} // namespace __ah

#define __AH_FP8(format, interpretation)                                                           \
    struct __hip_fp8_##format : __ah::fp8_number<interpretation> {                                 \
        using __ah::fp8_number<interpretation>::fp8_number;                                        \
        __hip_fp8_##format() = default;                                                            \
    };                                                                                             \
    struct __hip_fp8x2_##format : __ah::fp8_pair_of<interpretation> {                              \
        using __ah::fp8_pair_of<interpretation>::fp8_pair_of;                                      \
        __hip_fp8x2_##format() = default;                                                          \
    };                                                                                             \
    struct __hip_fp8x4_##format : __ah::fp8_four_of<interpretation> {                              \
        using __ah::fp8_four_of<interpretation>::fp8_four_of;                                      \
        __hip_fp8x4_##format() = default;                                                          \
    };
__AH_FP8(e4m3, __HIP_E4M3)
__AH_FP8(e5m2, __HIP_E5M2)
__AH_FP8(e4m3_fnuz, __HIP_E4M3_FNUZ)
__AH_FP8(e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef __AH_FP8

#undef __AH_FN
#endif
#endif
