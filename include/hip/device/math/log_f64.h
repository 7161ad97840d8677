/* Logarithms of doubles and the inverse hyperbolic functions. Coefficients:
 * tools/math/log_f64.sollya.
 *
 * The argument is 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). With s = f / (2 + f) is
 * log(1 + f) = 2 s + s^3 R(s^2) = f - s (f - s^2 R(s^2)). */
#ifndef HIP_DEVICE_MATH_LOG_F64_H
#define HIP_DEVICE_MATH_LOG_F64_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* R(w) for w <= 0.02945; with it the relative error of the logarithm is 2^-57.6. */
__AH_FN double log_series(double w)
{
    double p = 0x1.2b532p-3;
    p = fma_f64(p, w, 0x1.39feep-3);
    p = fma_f64(p, w, 0x1.7462bp-3);
    p = fma_f64(p, w, 0x1.c71c62f9ef0b7p-3);
    p = fma_f64(p, w, 0x1.2492492ddcbddp-2);
    p = fma_f64(p, w, 0x1.99999999953d7p-2);
    return fma_f64(p, w, 0x1.5555555555558p-1);
}

/* e, f and what is subtracted from f; log_parts takes them from a positive normal number. */
struct log_parts_f64 {
    double e, f, minus;
};
__AH_FN log_parts_f64 log_parts_from(double e, double f)
{
    __AH_EXACT
    double s = f * inverse_f64(f + 2.0), w = s * s;
    return log_parts_f64{e, f, s * fma_f64(-w, log_series(w), f)};
}
__AH_FN log_parts_f64 log_parts(double x, int add_to_e)
{
    __AH_EXACT
    unsigned int above = high_word(x) - 0x3fe6a09eu, power = above & 0xfff00000u;
    return log_parts_from(to_f64((static_cast<int>(above) >> 20) + add_to_e),
                          from_words(high_word(x) - power, low_word(x)) - 1.0);
}
/* the same for x + low, with x below 2^1023 and low below an ULP of it */
__AH_FN log_parts_f64 log_parts_of_sum(double x, double low, int add_to_e)
{
    __AH_EXACT
    unsigned int above = high_word(x) - 0x3fe6a09eu, power = above & 0xfff00000u;
    double f = from_words(high_word(x) - power, low_word(x)) - 1.0;
    return log_parts_from(to_f64((static_cast<int>(above) >> 20) + add_to_e),
                          fma_f64(low, from_words(0x3ff00000u - power, 0), f));
}
__AH_FN double log_of_parts(log_parts_f64 l)
{
    __AH_EXACT
    double rest = l.f - fma_f64(l.e, -0x1.abc9e3b39803fp-56, l.minus);
    return fma_f64(l.e, 0x1.62e42fefa39efp-1, rest);
}
/* The logarithm to another base, of which high and low are the inverse of the natural logarithm,
 * and unit and unit_low the logarithm of 2; unit has 42 bits. */
__AH_FN double log_of_parts(log_parts_f64 l, double high, double low, double unit, double unit_low)
{
    __AH_EXACT
    double whole = l.e * unit, r = fma_f64(l.f, high, whole);
    double rest = fma_f64(l.f, high, whole - r);
    rest = fma_f64(l.e, unit_low, fma_f64(l.f, low, rest));
    return r + fma_f64(-l.minus, high, rest);
}

/* Where no subnormal number, zero, infinity, NaN or negative number is, high words are between. */
__AH_FN bool special_for_log(double x)
{
    return __builtin_expect(high_word(x) - 0x00100000u >= 0x7fe00000u, 0);
}
__AH_FN double log_of_special(double x, double otherwise)
{
    double r = x == __builtin_inf() ? x : otherwise;
    r = x == 0 ? -__builtin_inf() : r;
    return x < 0 || x != x ? __builtin_nan("") : r;
}
__AH_FN log_parts_f64 log_parts_of_any(double x)
{
    bool special = special_for_log(x);
    return log_parts(special ? x * 0x1p54 : x, special ? -54 : 0);
}

__AH_FN double log_f64(double x) /* 1 ULP */
{
    double r = log_of_parts(log_parts_of_any(x));
    return special_for_log(x) ? log_of_special(x, r) : r;
}
__AH_FN double log2_f64(double x) /* 0.9 ULP */
{
    double r =
        log_of_parts(log_parts_of_any(x), 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1.0, 0.0);
    return special_for_log(x) ? log_of_special(x, r) : r;
}
__AH_FN double log10_f64(double x) /* 0.9 ULP */
{
    double r = log_of_parts(log_parts_of_any(x), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                            0x1.34413509f78p-2, 0x1.fef311f12b358p-46);
    return special_for_log(x) ? log_of_special(x, r) : r;
}

/* log((x + low) 2^n) for an x that is not below 2^-1000, with low below an ULP of x */
__AH_FN double log_of_sum(double x, double low, int n)
{
    bool special = __builtin_expect(high_word(x) - 0x00100000u >= 0x7fd00000u, 0);
    if (special) {
        x *= 0x1p-54;
        low = 0;
        n += 54;
    }
    double r = log_of_parts(log_parts_of_sum(x, low, n));
    return special ? log_of_special(x, r) : r;
}
__AH_FN double log1p_f64(double x) /* 1.3 ULP */
{
    __AH_EXACT
    double u = 1.0 + x;
    return __builtin_copysign(log_of_sum(u, x - (u - 1.0), 0), x);
}

/* a + a^2 / (1 + sqrt(1 + a^2)) is e^asinh a - 1. Above 2^500, e^asinh a is 2 a. */
__AH_FN double asinh_f64(double x) /* 1.7 ULP */
{
    __AH_EXACT
    double a = __builtin_fabs(x), square = a * a;
    double more = square * inverse_f64(1.0 + __builtin_sqrt(fma_f64(a, a, 1.0)));
    double t = a + more, u = 1.0 + t, low = t - (u - 1.0) + (more - (t - a));
    bool large = __builtin_expect(high_word(a) >= 0x5f300000u, 0);
    if (large) {
        u = a;
        low = 0;
    }
    return __builtin_copysign(log_of_sum(u, low, large), x);
}
/* With y = x - 1 is y + sqrt(y^2 + 2 y) e^acosh x - 1. Above 2^500, e^acosh x is 2 x. */
__AH_FN double acosh_f64(double x) /* 2 ULP */
{
    __AH_EXACT
    double y = x - 1.0, t = y + __builtin_sqrt(fma_f64(y, y, y + y));
    double u = 1.0 + t, low = t - (u - 1.0);
    bool large = __builtin_expect(high_word(x) >= 0x5f300000u, 0);
    if (large) {
        u = x < 1.0 ? __builtin_nan("") : x;
        low = 0;
    }
    return log_of_sum(u, low, large);
}
/* Half the logarithm of (1 + a) / (1 - a) = 2^e (1 + f), where f / (2 + f) comes from a and e. */
__AH_FN double atanh_f64(double x) /* 2 ULP */
{
    __AH_EXACT
    double a = __builtin_fabs(x);
    unsigned int above = high_word((1.0 + a) * hw::rcp(1.0 - a)) - 0x3fe6a09eu;
    double power = from_words((above & 0xfff00000u) + 0x3ff00000u, 0);
    double e = to_f64(static_cast<int>(above) >> 20);
    double plus = 1.0 + power, minus = 1.0 - power;
    double s = fma_f64(a, plus, minus) * inverse_f64(fma_f64(a, minus, plus)), w = s * s;
    double r = fma_f64(s * 0.5, w * log_series(w), e * 0x1.abc9e3b39803fp-57);
    r = fma_f64(e, 0x1.62e42fefa39efp-2, s + r);
    if (__builtin_expect(high_word(a) >= 0x3fefffffu, 0))
        r = log_f64((1.0 + a) / (1.0 - a)) * 0.5;
    return __builtin_copysign(r, x);
}
} // namespace __ah

#undef __AH_FN
#endif
