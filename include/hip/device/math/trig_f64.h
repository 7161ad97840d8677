/* Sine, cosine and tangent of doubles. Coefficients: tools/math/trig_f64.sollya.
 *
 * An argument below 2^29 is reduced by three fused operations: x - n pi/2 with pi/2 in three
 * doubles, of which the first difference is exact. Larger ones are multiplied by 2 / pi (Payne and
 * Hanek): of that number's bits some 200 count that follow the multiples of 4. On NVIDIA the
 * product is one of integers, AMD has an instruction for these bits. */
#ifndef HIP_DEVICE_MATH_TRIG_F64_H
#define HIP_DEVICE_MATH_TRIG_F64_H

#include "hip/device/math/words_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* An argument less n parts of a turn; `rest` is what the rounding of r left, where r is not much
 * smaller than the argument. */
struct turned_f64 {
    double r, rest;
    int n;
};

#if defined(__NVPTX__)
/* the bits of 2 / pi after 64 zeros */
constexpr unsigned long long two_over_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

__AH_FN unsigned long long product_high(unsigned long long x, unsigned long long y)
{
    return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}

/* Any x in quarters; n modulo 4. NaN for what is not finite. */
static __device__ __attribute__((noinline, cold)) turned_f64 quarters_large(double x)
{
    __AH_EXACT
    unsigned long long b = bits_of(x), m = (b & 0xfffffffffffffull) | 0x10000000000000ull;
    int e = static_cast<int>(b >> 52) & 0x7ff;
    if (e == 0x7ff)
        return turned_f64{x - x, 0, 0};
    /* x = m 2^(e - 1075); the bits of 2 / pi from 2^(1077 - e) on, and 64 more for the zeros */
    unsigned int from = static_cast<unsigned int>(e) - 1077u + 64u, at = from >> 6, by = from & 63;
    unsigned long long t0 = two_over_pi[at], t1 = two_over_pi[at + 1], t2 = two_over_pi[at + 2],
                       t3 = two_over_pi[at + 3];
    unsigned long long w0 = t0 << by | (t1 >> 1) >> (63 - by);
    unsigned long long w1 = t1 << by | (t2 >> 1) >> (63 - by);
    unsigned long long w2 = t2 << by | (t3 >> 1) >> (63 - by);
    unsigned long long middle = w1 * m, low = product_high(w2, m) + middle;
    unsigned long long high = w0 * m + product_high(w1, m) + (low < middle);
    /* high and low are the product modulo 4, in 2 + 126 bits: the nearest integer, and the rest */
    unsigned int quarters = static_cast<unsigned int>(high >> 62) + ((high >> 61) & 1);
    bool above = (high >> 61) & 1, negative = (b >> 63) != 0;
    high = high << 2 | low >> 62;
    low <<= 2;
    high = above ? ~high + (low == 0) : high;
    low = above ? 0 - low : low;
    int zeros = __builtin_clzll(high | 1);
    high = high << zeros | (low >> 1) >> (63 - zeros);
    /* times pi / 2 */
    unsigned long long angle = product_high(high, 0xc90fdaa22168c235ull);
    double r = static_cast<double>(angle);
    double rest =
        static_cast<double>(static_cast<long long>(angle - static_cast<unsigned long long>(r)));
    double scale = power_of_2(-63 - zeros);
    scale = above != negative ? -scale : scale;
    return turned_f64{r * scale, rest * scale,
                      static_cast<int>(negative ? 0 - quarters : quarters)};
}
/* The same as the function halves, below. */
__AH_FN turned_f64 halves_large(double x, int offset)
{
    __AH_EXACT
    turned_f64 t = quarters_large(x);
    int odd = (t.n - offset) & 1;
    t.n = ((t.n - offset) >> 1) + (odd && t.r >= 0);
    double quarter = __builtin_copysign(0x1.921fb54442d18p+0, t.r);
    t.r = odd ? t.r - (quarter - t.rest) : t.r;
    return t;
}
#else
/* Any x in quarters for a unit of 1, in halves for 1/2, less `offset` times one half of those; n
 * modulo 4. NaN for what is not finite. v_trig_preop gives 53 bits of 2 / pi at a time, of those
 * that follow the multiples of 4 in the product. Below 2^54 the first of them have fewer bits, so
 * that for every x the product of the first is a multiple of 2^-51 and that of the second of
 * 2^-104: these are reduced without rounding. */
__AH_FN turned_f64 large_parts(double x, double unit, int offset)
{
    __AH_EXACT
    unsigned int exponent = high_word(x) >> 20 & 2047u;
    unsigned int below = __builtin_elementwise_sub_sat(1077u, exponent);
    double p0 = __builtin_amdgcn_trig_preop(x, 0);
    p0 = from_words(high_word(p0), low_word(p0) & ~0u << (below & 31));
    double y = __builtin_ldexp(x, below ? 53 : 0);
    int next = below ? 0 : 1;
    double p1 = __builtin_amdgcn_trig_preop(y, next), p2 = __builtin_amdgcn_trig_preop(y, next + 1);
    double p3 = __builtin_amdgcn_trig_preop(y, next + 2);
    /* from 2^945 on these are multiplied by 2^128 */
    double a = __builtin_ldexp(__builtin_fabs(x) * unit, exponent < 1968 ? 0 : -128);
    double half = 0.5 * offset;
    double eights = fma_f64(a, p0, unit * 0x1p55) - unit * 0x1p55;
    double first = fma_f64(a, p0, -eights), n = __builtin_ceil(first);
    double second = fma_f64(a, p1, unit * 4.0) - unit * 4.0, third = fma_f64(a, p1, -second);
    double s = (first - n) + second, m = __builtin_rint(s - half);
    s -= m + half;
    /* s is 0 or not smaller than `third`; the sum of all in two parts */
    double fourth = a * p2, rest = fma_f64(a, p3, fma_f64(a, p2, -fourth));
    double sum = s + third;
    rest += third - (sum - s);
    double whole = sum + fourth;
    rest += fourth - (whole - sum);
    double part = __builtin_copysign(0x1.921fb54442d18p+0 / unit, x);
    double part_low = __builtin_copysign(0x1.1a62633145c07p-54 / unit, x);
    double low = fma_f64(whole, part_low, rest * part), r = fma_f64(whole, part, low);
    int turns = static_cast<int>(n + m);
    return turned_f64{r, fma_f64(whole, part, -r) + low, bits_of(x) >> 63 ? -turns : turns};
}
__AH_FN turned_f64 quarters_large(double x) { return large_parts(x, 1.0, 0); }
/* The same as the function halves, below; an offset is that of the cosine, which has no sign. */
__AH_FN turned_f64 halves_large(double x, int offset)
{
    return large_parts(offset ? __builtin_fabs(x) : x, 0.5, offset);
}
#endif

/* nearest_f64, and 0 for -0: x less a product of -0 would lose the sign of x = -0. On NVIDIA it is
 * 0. */
__AH_FN double multiple_f64(double x, double y, int *n)
{
    double k = nearest_f64(x, y, n);
#if defined(__AMDGCN__)
    k += 0.0;
#endif
    return k;
}
/* x - n pi/2, at most pi/4 and little more */
__AH_FN turned_f64 quarters(double x)
{
    __AH_EXACT
    turned_f64 t;
    double k = multiple_f64(x, 0x1.45f306dc9c883p-1, &t.n);
    double whole = fma_f64(k, -0x1.921fb54442d18p+0, x);
    double r = fma_f64(k, -0x1.1a62633145c06p-54, whole);
    t.rest = fma_f64(k, -0x1.1a62633145c06p-54, -(r - whole));
    t.r = fma_f64(k, -0x1.c1cd129024e09p-107, r);
    if (__builtin_expect((high_word(x) & 0x7fffffffu) >= 0x41c00000u, 0))
        t = quarters_large(x);
    return t;
}
/* x - (n + offset / 2) pi for an offset of 0 or 1, at most pi/2 and little more; no rest */
__AH_FN turned_f64 halves(double x, int offset)
{
    __AH_EXACT
    turned_f64 t;
    double k = offset ? nearest_f64(fma_f64(x, 0x1.45f306dc9c883p-2, -0.5), 1.0, &t.n) + 0.5
                      : multiple_f64(x, 0x1.45f306dc9c883p-2, &t.n);
    t.r = fma_f64(k, -0x1.921fb54442d18p+1, x);
    t.r = fma_f64(k, -0x1.1a62633145c06p-53, t.r);
    t.r = fma_f64(k, -0x1.c1cd129024e09p-106, t.r);
    if (__builtin_expect((high_word(x) & 0x7fffffffu) >= 0x41c00000u, 0))
        t = halves_large(x, offset);
    return t;
}

/* Sine and cosine of |r| <= pi/4, relative error 2^-55.9 and 2^-60.3. */
__AH_FN double sine_part(double r, double z)
{
    double p = 0x1.5e114p-33;
    p = fma_f64(p, z, -0x1.ae602p-26);
    p = fma_f64(p, z, 0x1.71de37b0a3495p-19);
    p = fma_f64(p, z, -0x1.a01a019ea022ap-13);
    p = fma_f64(p, z, 0x1.1111111110c7ep-7);
    p = fma_f64(p, z, -0x1.5555555555555p-3);
    return fma_f64(fma_f64(p, z, 0.0), r, r); /* the sum with 0 keeps the sign of a zero */
}
__AH_FN double cosine_part(double z)
{
    double p = -0x1.9078ep-37;
    p = fma_f64(p, z, 0x1.1eeb6p-29);
    p = fma_f64(p, z, -0x1.27e4fa0b8aaefp-22);
    p = fma_f64(p, z, 0x1.a01a019f3f80fp-16);
    p = fma_f64(p, z, -0x1.6c16c16c168e9p-10);
    p = fma_f64(p, z, 0x1.5555555555555p-5);
    p = fma_f64(p, z, -0.5);
    return fma_f64(p, z, 1.0);
}
/* the one or the other, by the lowest bit of n, with the sign of its second */
__AH_FN double by_quarter(double sine, double cosine, int n)
{
    double v = n & 1 ? cosine : sine;
    return from_words(high_word(v) ^ ((static_cast<unsigned int>(n) << 30) & 0x80000000u),
                      low_word(v));
}

/* sin r for |r| <= pi/2, relative error 2^-59.8. What the rounding of the square leaves is
 * counted, so that the result never exceeds 1. */
__AH_FN double half_turn_sine(turned_f64 t)
{
    __AH_EXACT
    double z = t.r * t.r, low = fma_f64(-t.r, t.r, z);
    double p = 0x1.8747dp-49;
    p = fma_f64(p, z, -0x1.ae3b5p-41);
    p = fma_f64(p, z, 0x1.6123bp-33);
    p = fma_f64(p, z, -0x1.ae64546db9f11p-26);
    p = fma_f64(p, z, 0x1.71de3a51e4422p-19);
    p = fma_f64(p, z, -0x1.a01a01a0138c1p-13);
    p = fma_f64(p, z, 0x1.11111111110bbp-7);
    p = fma_f64(p, z, -0x1.5555555555555p-3);
    return fma_f64(fma_f64(p, z, low * 0x1.55555p-3), t.r, t.r);
}
__AH_FN double with_sign_of(double v, int n)
{
    return from_words(high_word(v) ^ (static_cast<unsigned int>(n) << 31), low_word(v));
}

__AH_FN double sin_f64(double x) /* 1.6 ULP */
{
    turned_f64 t = halves(x, 0);
    return with_sign_of(half_turn_sine(t), t.n);
}
__AH_FN double cos_f64(double x) /* 1.6 ULP */
{
    turned_f64 t = halves(x, 1);
    return with_sign_of(half_turn_sine(t), t.n + 1);
}
__AH_FN void sincos_f64(double x, double *sine, double *cosine) /* 1.45 ULP */
{
    turned_f64 t = quarters(x);
    double z = t.r * t.r, s = sine_part(t.r, z), c = cosine_part(z);
    *sine = by_quarter(s, c, t.n);
    *cosine = by_quarter(s, c, t.n + 1);
}

/* tan r for |r| <= pi/4 by a polynomial, relative error 2^-54.6, and where n is odd -1 over it.
 * What r's rounding left is multiplied by some 1 + tan^2 r where r is large; what the sum leaves
 * counts in the quotient. */
__AH_FN double tan_f64(double x) /* 1.5 ULP */
{
    __AH_EXACT
    turned_f64 from = quarters(x);
    double r = from.r, z = r * r;
    double p = 0x1.34e22p-16;
    p = fma_f64(p, z, -0x1.2139ap-15);
    p = fma_f64(p, z, 0x1.24ce1p-14);
    p = fma_f64(p, z, -0x1.34372p-18);
    p = fma_f64(p, z, 0x1.fa8282b27e8dep-14);
    p = fma_f64(p, z, 0x1.e2b988d98ddcp-13);
    p = fma_f64(p, z, 0x1.36925907f8422p-11);
    p = fma_f64(p, z, 0x1.7d86f23ccb067p-10);
    p = fma_f64(p, z, 0x1.d6d58e3ac8faep-9);
    p = fma_f64(p, z, 0x1.226e2c936a243p-7);
    p = fma_f64(p, z, 0x1.664f48b7e0bf2p-6);
    p = fma_f64(p, z, 0x1.ba1ba1b97464fp-5);
    p = fma_f64(p, z, 0x1.111111111178bp-3);
    p = fma_f64(p, z, 0x1.5555555555554p-2);
    double t = fma_f64(p, r, 3.25 * from.rest) * z, u = r + t, rest = t - (u - r);
    double v = rough_inverse(-u);
    v = fma_f64(v, fma_f64(rest, v, fma_f64(u, v, 1.0)), v);
    return from.n & 1 ? v : u;
}

/* x = n / 2 + the result, which is at most 1/4. From 2^50 on the multiple of 2 is taken off before.
 */
__AH_FN double half_turns(double x, int *n)
{
    __AH_EXACT
    if (__builtin_expect((high_word(x) & 0x7fffffffu) >= 0x41c00000u, 0))
        x = fma_f64(__builtin_trunc(x * 0.5), -2.0, x);
    return fma_f64(nearest_f64(x, 2.0, n), -0.5, x);
}
/* Sine and cosine of pi r, relative error 2^-55.9 and 2^-58.8. */
__AH_FN double sinpi_part(double r, double z)
{
    __AH_EXACT
    double p = 0x1.e4aacp-12;
    p = fma_f64(p, z, -0x1.e3028p-8);
    p = fma_f64(p, z, 0x1.5078320a1364ep-4);
    p = fma_f64(p, z, -0x1.32d2cce500f2ep-1);
    p = fma_f64(p, z, 0x1.466bc6775a474p+1);
    p = fma_f64(p, z, -0x1.4abbce625be52p+2);
    p = fma_f64(p, z, 0x1.1a62633145c07p-53);
    return fma_f64(r, 0x1.921fb54442d18p+1, r * p);
}
__AH_FN double cospi_part(double z)
{
    double p = -0x1.ac05dp-14;
    p = fma_f64(p, z, 0x1.f9b7ap-10);
    p = fma_f64(p, z, -0x1.a6d1d2d15e122p-6);
    p = fma_f64(p, z, 0x1.e1f50664c8cb6p-3);
    p = fma_f64(p, z, -0x1.55d3c7e3b777p+0);
    p = fma_f64(p, z, 0x1.03c1f081b5a23p+2);
    p = fma_f64(p, z, -0x1.3bd3cc9be45dep+2);
    return fma_f64(p, z, 1.0);
}
/* x - n - offset / 2 for an offset of 0 or 1, at most 1/2 */
__AH_FN double turns_and_half(double x, int *n, int offset)
{
    __AH_EXACT
    if (__builtin_expect((high_word(x) & 0x7fffffffu) >= 0x41c00000u, 0))
        x = fma_f64(__builtin_trunc(x * 0.5), -2.0, x);
    return offset ? x - (nearest_f64(x - 0.5, 1.0, n) + 0.5) : x - nearest_f64(x, 1.0, n);
}
/* sin(pi r) for |r| <= 1/2, relative error 2^-58.1. What the rounding of the square leaves is
 * counted, so that the result never exceeds 1. */
__AH_FN double half_turn_sinpi(double r)
{
    __AH_EXACT
    double z = r * r, low = fma_f64(-r, r, z);
    double p = 0x1.a0e1bp-21;
    p = fma_f64(p, z, -0x1.6f965p-16);
    p = fma_f64(p, z, 0x1.e8f41p-12);
    p = fma_f64(p, z, -0x1.e307500d4f8fp-8);
    p = fma_f64(p, z, 0x1.50783488d9a62p-4);
    p = fma_f64(p, z, -0x1.32d2cce62e1a3p-1);
    p = fma_f64(p, z, 0x1.466bc6775ab24p+1);
    p = fma_f64(p, z, -0x1.4abbce625be53p+2);
    p = fma_f64(p, z, fma_f64(low, 0x1.4abbcp+2, 0x1.1a62633145c07p-53));
    return fma_f64(r, 0x1.921fb54442d18p+1, r * p);
}
/* zeros have the sign of the argument for the sine, and none for the cosine */
__AH_FN double sinpi_f64(double x) /* 1.8 ULP */
{
    int n;
    double r = turns_and_half(x, &n, 0);
    double v = with_sign_of(half_turn_sinpi(r), n);
    return v == 0 ? __builtin_copysign(v, x) : v;
}
__AH_FN double cospi_f64(double x) /* 1.9 ULP */
{
    __AH_EXACT
    int n;
    double v = half_turn_sinpi(turns_and_half(x, &n, 1));
    return with_sign_of(v, n + 1) + 0.0;
}
__AH_FN void sincospi_f64(double x, double *sine, double *cosine) /* 0.9 ULP */
{
    __AH_EXACT
    int n;
    double r = half_turns(x, &n), z = r * r, s = sinpi_part(r, z), c = cospi_part(z);
    double v = by_quarter(s, c, n);
    *sine = v == 0 ? __builtin_copysign(v, x) : v;
    *cosine = by_quarter(s, c, n + 1) + 0.0;
}
} // namespace __ah

#undef __AH_FN
#endif
