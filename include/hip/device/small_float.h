/* Conversions of floating point formats of 4 to 16 bits by integer arithmetic, with the same bits
 * on the host and on every device, NaNs included. Numbers come and go as the bits of a float, which
 * holds every number of these formats exactly. C gets the rounding modes alone. */
#ifndef HIP_DEVICE_SMALL_FLOAT_H
#define HIP_DEVICE_SMALL_FLOAT_H

#include "hip/device/fp8.h"

/* HIP's functions take a mode and round to nearest even whatever it is. */
typedef enum hipRoundMode {
    hipRoundNearest = 0,
    hipRoundZero = 1,
    hipRoundPosInf = 2,
    hipRoundMinInf = 3
} hipRoundMode;

#if defined(__cplusplus)

#define __AH_FN __host__ __device__ inline

namespace __ah
{
/* A format: the place of its sign, which is its width less one, the bits of its mantissa, the bias
 * of its exponent, and some codes without a sign. Codes above the largest number are NaNs, except
 * infinity (0: none). overflow is what too large numbers and infinity become, nan what NaN does. */
struct small_format {
    int sign, mantissa, bias;
    unsigned int largest, infinity, overflow, nan;
};
__AH_FN small_format small_e2m1() { return {3, 1, 1, 0x07, 0, 0x07, 0x07}; }
__AH_FN small_format small_e2m3() { return {5, 3, 1, 0x1f, 0, 0x1f, 0x1f}; }
__AH_FN small_format small_e3m2() { return {5, 2, 3, 0x1f, 0, 0x1f, 0x1f}; }
__AH_FN small_format small_e4m3() { return {7, 3, 7, 0x7e, 0, 0x7e, 0x7f}; }
__AH_FN small_format small_e5m2() { return {7, 2, 15, 0x7b, 0x7c, 0x7b, 0x7e}; }
__AH_FN small_format small_half() { return {15, 10, 15, 0x7bff, 0x7c00, 0x7c00, 0x7e00}; }
__AH_FN small_format small_bfloat() { return {15, 7, 127, 0x7f7f, 0x7f80, 0x7f80, 0x7fc0}; }

/* The exponent of a scale that is NaN; others are -127 to 127. */
constexpr int small_scale_nan = -128;

/* How digits are dropped. To nearest even where digits is 0; else so many of them are kept, the
 * topmost bits of the seed are added to them, and they are cut off. */
struct small_rounding {
    int digits;
    unsigned int seed;
};
__AH_FN small_rounding small_nearest() { return {0, 0}; }

/* x < 2^24 without its lowest digits, at least one of them. */
__AH_FN unsigned int small_rounded(unsigned int x, int dropped, small_rounding rounding)
{
    if (rounding.digits != 0) {
        int cut = dropped - rounding.digits;
        unsigned int kept = cut < 24 ? x >> cut : 0;
        return (kept + (rounding.seed >> (32 - rounding.digits))) >> rounding.digits;
    }
    if (dropped > 25)
        return 0;
    return (x + (1u << (dropped - 1)) - 1 + (x >> dropped & 1)) >> dropped;
}

/* The code of a float divided by 2^scale. */
__AH_FN unsigned int small_from_float(unsigned int word, small_format f, int scale,
                                      small_rounding rounding)
{
    unsigned int magnitude = word & 0x7fffffffu, sign = word >> 31 << f.sign;
    if (magnitude > 0x7f800000u || scale == small_scale_nan)
        return sign | f.nan;
    if (magnitude == 0x7f800000u)
        return sign | f.overflow;
    if (magnitude == 0)
        return sign;
    /* significand * 2^(exponent - 23), subnormal or not */
    int exponent = static_cast<int>(magnitude >> 23) - 127;
    unsigned int significand = (magnitude & 0x7fffffu) | 0x800000u;
    if (exponent == -127) {
        int shift = __builtin_clz(magnitude) - 8;
        significand = magnitude << shift;
        exponent = -126 - shift;
    }
    exponent -= scale;
    int least = 1 - f.bias, place = exponent < least ? least : exponent;
    unsigned int whole = small_rounded(significand, 23 - f.mantissa + place - exponent, rounding);
    /* the leading bit of a normal number, or a carry, counts the exponent up by one */
    unsigned int code = (static_cast<unsigned int>(place - least) << f.mantissa) + whole;
    return sign | (code < f.overflow ? code : f.overflow);
}

/* The bits of a float: the number of a code multiplied by 2^scale. Exact, or infinity. */
__AH_FN unsigned int small_to_float(unsigned int code, small_format f, int scale)
{
    unsigned int magnitude = code & ((1u << f.sign) - 1), sign = (code >> f.sign & 1) << 31;
    if (scale == small_scale_nan || (magnitude > f.largest && magnitude != f.infinity))
        return sign | 0x7fc00000u;
    if (magnitude > f.largest)
        return sign | 0x7f800000u;
    if (magnitude == 0)
        return sign;
    int exponent = static_cast<int>(magnitude >> f.mantissa);
    unsigned int significand = magnitude & ((1u << f.mantissa) - 1);
    significand |= exponent == 0 ? 0 : 1u << f.mantissa;
    exponent = (exponent == 0 ? 1 : exponent) - f.bias - f.mantissa + scale;
    int leading = 31 - __builtin_clz(significand), power = exponent + leading;
    if (power > 127)
        return sign | 0x7f800000u;
    if (power < -126)
        return sign | significand << (exponent + 149);
    return sign | static_cast<unsigned int>(power + 127) << 23 |
           (significand << (23 - leading) & 0x7fffffu);
}

/* The bits of the float that has a number's value. Of a double, those of a float that is odd where
 * digits were lost, so that rounding it to one of the formats of up to 8 bits is as good as
 * rounding the double; it is finite where the double is. */
__AH_FN unsigned int small_word(float x) { return bits_of_float(x); }
__AH_FN unsigned int small_word(__half_raw x) { return small_to_float(x.x, small_half(), 0); }
__AH_FN unsigned int small_word(__hip_bfloat16_raw x)
{
    return static_cast<unsigned int>(x.x) << 16;
}
__AH_FN unsigned int small_word(double x)
{
    unsigned long long bits, magnitude, infinity = 0x7ffull << 52, lost = (1ull << 29) - 1;
    __builtin_memcpy(&bits, &x, sizeof bits);
    unsigned int sign = static_cast<unsigned int>(bits >> 63) << 31;
    magnitude = bits & ~(1ull << 63);
    if (magnitude >= infinity)
        return sign | (magnitude == infinity ? 0x7f800000u : 0x7fc00000u);
    int exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (exponent > 127)
        return sign | 0x7f7fffffu;
    if (exponent < -126)
        return sign | (magnitude != 0 ? 1u : 0u);
    return sign | static_cast<unsigned int>(exponent + 127) << 23 |
           (static_cast<unsigned int>(magnitude >> 29) & 0x7fffffu) |
           ((magnitude & lost) != 0 ? 1u : 0u);
}

struct small_words {
    unsigned int x, y;
};
__AH_FN small_words small_word(float2 v) { return {small_word(v.x), small_word(v.y)}; }
__AH_FN small_words small_word(double2 v) { return {small_word(v.x), small_word(v.y)}; }
__AH_FN small_words small_word(__half2_raw v)
{
    return {small_to_float(v.x, small_half(), 0), small_to_float(v.y, small_half(), 0)};
}
__AH_FN small_words small_word(__hip_bfloat162_raw v)
{
    return {static_cast<unsigned int>(v.x) << 16, static_cast<unsigned int>(v.y) << 16};
}

__AH_FN unsigned short small_half_bits(unsigned int word)
{
    return static_cast<unsigned short>(small_from_float(word, small_half(), 0, small_nearest()));
}
__AH_FN unsigned short small_bfloat_bits(unsigned int word)
{
    return static_cast<unsigned short>(small_from_float(word, small_bfloat(), 0, small_nearest()));
}
} // namespace __ah

#undef __AH_FN
#endif
#endif
