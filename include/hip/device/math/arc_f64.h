/* Inverse trigonometric functions of doubles. Coefficients: tools/math/arc_f64.sollya. */
#ifndef HIP_DEVICE_MATH_ARC_F64_H
#define HIP_DEVICE_MATH_ARC_F64_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* The arc tangent of a / b for 0 <= a <= b with b between 2^-1000 and 2^1000, subtracted from
 * base where that is not 0. Above tan(pi/8) it is pi/4 and the arc tangent of (a - b) / (a + b);
 * the polynomial's relative error is 2^-57.3. */
__AH_FN double arc_of_quotient(double a, double b, bool from_quarter_turn)
{
    __AH_EXACT
    bool eighth = fma_f64(b, -0x1.a827ap-2, a) > 0;
    double over = eighth ? a - b : a, under = eighth ? a + b : b;
    double inverse = rough_inverse(under), t = over * inverse;
    t = fma_f64(fma_f64(-t, under, over), inverse, t);
    double z = t * t, p = -0x1.3b70ap-6;
    p = fma_f64(p, z, 0x1.41edep-5);
    p = fma_f64(p, z, -0x1.a0cd6p-5);
    p = fma_f64(p, z, 0x1.dff1p-5);
    p = fma_f64(p, z, -0x1.10fb245167889p-4);
    p = fma_f64(p, z, 0x1.3b12709ae7c98p-4);
    p = fma_f64(p, z, -0x1.745d0bd1b56dp-4);
    p = fma_f64(p, z, 0x1.c71c718a1611dp-4);
    p = fma_f64(p, z, -0x1.249249243f9fcp-3);
    p = fma_f64(p, z, 0x1.9999999999451p-3);
    p = fma_f64(p, z, -0x1.5555555555555p-2);
    p = z * p;
    /* base +- (t + t p), with base 0, pi/4 or pi/2: on AMD a product takes less than a choice */
    t = from_quarter_turn ? -t : t;
#if defined(__NVPTX__)
    double high = eighth ? 0x1.921fb54442d18p-1 : from_quarter_turn ? 0x1.921fb54442d18p+0 : 0.0;
    double low = eighth ? 0x1.1a62633145c07p-55 : from_quarter_turn ? 0x1.1a62633145c07p-54 : 0.0;
    return high + (t + fma_f64(p, t, low));
#else
    double base = eighth ? 0.5 : from_quarter_turn ? 1.0 : 0.0;
    double low = t + fma_f64(p, t, base * 0x1.1a62633145c07p-54);
    return fma_f64(base, 0x1.921fb54442d18p+0, low);
#endif
}

__AH_FN double atan_f64(double x) /* 1.7 ULP */
{
    __AH_EXACT
    double a = __builtin_fabs(x);
    bool above = a > 1.0;
    a = a > 0x1p60 ? 0x1p60 : a;
    double r = arc_of_quotient(above ? 1.0 : a, above ? a : 1.0, above);
    return __builtin_copysign(r, x);
}

/* What a and b are instead where b is above 2^768 or a below 2^-767; true if their quotient is to
 * be multiplied by 2^-300. */
__AH_FN bool rescaled_quotient(double *a, double *b)
{
    if (*b == __builtin_inf() || *b == 0) {
        *a = *a == __builtin_inf() ? 1.0 : 0.0;
        *b = 1.0;
        return false;
    }
    bool large = *b > 0x1p700, small = *b < 0x1p-200;
    *a *= large ? 0x1p-400 : small ? 0x1p800 : 0x1p300;
    *b *= large ? 0x1p-400 : small ? 0x1p800 : 1.0;
    return !large && !small;
}

/* The smaller by the larger of |y| and |x|, in the right octant. */
__AH_FN double atan2_f64(double y, double x) /* 1.7 ULP */
{
    __AH_EXACT
    double ay = __builtin_fabs(y), ax = __builtin_fabs(x);
    bool steep = ay > ax;
    double a = steep ? ax : ay, b = steep ? ay : ax;
    bool tiny = false;
    if (__builtin_expect(high_word(b) >= 0x6ff00000u || high_word(a) < 0x10000000u, 0)) {
        tiny = rescaled_quotient(&a, &b);
        if (x != x || y != y)
            b = __builtin_nan("");
    }
    double r = arc_of_quotient(a, b, steep);
    if (__builtin_expect(tiny && !steep, 0))
        r *= 0x1p-300;
    if (bits_of(x) >> 63)
        r = 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53);
    return __builtin_copysign(r, y);
}

/* (asin sqrt(z) - sqrt(z)) / sqrt(z) for z <= 1/4; with it the relative error is 2^-54.2. */
__AH_FN double asin_tail(double z)
{
    double p = 0x1.d14fp-6;
    p = fma_f64(p, z, -0x1.6a9c8p-7);
    p = fma_f64(p, z, 0x1.09cd8p-6);
    p = fma_f64(p, z, 0x1.fb413p-8);
    p = fma_f64(p, z, 0x1.859069e87ef44p-7);
    p = fma_f64(p, z, 0x1.c863c912ed174p-7);
    p = fma_f64(p, z, 0x1.1c59dc98034e6p-6);
    p = fma_f64(p, z, 0x1.6e8b22b1c098bp-6);
    p = fma_f64(p, z, 0x1.f1c71fd9035acp-6);
    p = fma_f64(p, z, 0x1.6db6db67c17c1p-5);
    p = fma_f64(p, z, 0x1.333333333746dp-4);
    p = fma_f64(p, z, 0x1.555555555554ep-3);
    return fma_f64(p, z, 0.0);
}
/* The root of z, in two parts. NaN for a negative number; 2^-500 stands for 0. */
__AH_FN double root_in_two(double z, double *low)
{
    __AH_EXACT
    z += 0x1p-1000;
    double inverse = hw::rsq(z), half = inverse * 0.5, r = z * inverse;
    double e = fma_f64(-r, half, 0.5);
    r = fma_f64(r, e, r);
    half = fma_f64(half, e, half);
    double rest = fma_f64(-r, r, z), high = fma_f64(rest, half, r);
    *low = fma_f64(-high, high, z) * half;
    return high;
}

/* With a = |x|, up to 1/2 the polynomial, above pi/2 - 2 asin sqrt((1 - a) / 2). */
__AH_FN double asin_f64(double x) /* 1 ULP */
{
    __AH_EXACT
    double a = __builtin_fabs(x), low;
    bool far = a > 0.5;
    double z = far ? fma_f64(a, -0.5, 0.5) : a * a;
    double s = root_in_two(z, &low), tail = asin_tail(z);
    double near_zero = fma_f64(a, tail, a);
    double near_one = fma_f64(s, -2.0, 0x1.921fb54442d18p+0);
    double rest = fma_f64(s, -2.0, 0x1.921fb54442d18p+0 - near_one) + 0x1.1a62633145c07p-54;
    near_one += fma_f64(fma_f64(s, tail, low), -2.0, rest);
    double r = far ? near_one : near_zero;
    r = a <= 1.0 ? r : __builtin_nan("");
    return __builtin_copysign(r, x);
}
/* Between -1/2 and 1/2 pi/2 - asin x, outside 2 asin sqrt((1 - a) / 2), below pi minus that. */
__AH_FN double acos_f64(double x) /* 1 ULP */
{
    __AH_EXACT
    double a = __builtin_fabs(x), low;
    bool far = a > 0.5;
    double z = far ? fma_f64(a, -0.5, 0.5) : x * x;
    double s = root_in_two(z, &low), tail = asin_tail(z);
    double angle = far ? fma_f64(s, tail, low) : x * tail;
    double near_one = s + angle,
           near_minus_one = 0x1.921fb54442d18p+0 - (s - 0x1.1a62633145c07p-54 + angle);
    double middle = 0x1.921fb54442d18p+0 - (x - (0x1.1a62633145c07p-54 - angle));
    double r = x > 0 ? near_one : near_minus_one;
    r = far ? r + r : middle;
    r = x == 1.0 ? 0.0 : r;
    return a <= 1.0 ? r : __builtin_nan("");
}
} // namespace __ah

#undef __AH_FN
#endif
