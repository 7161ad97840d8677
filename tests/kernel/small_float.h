// Reference for numbers of 4, 6 and 8 bits: arithmetic in double from the definition of the
// formats, which shares nothing with the headers that are tested.
#ifndef AH_TESTS_SMALL_FLOAT_H
#define AH_TESTS_SMALL_FLOAT_H

#include "../support/hip_test.h"

struct small_format {
    const char *name;
    int exponent, mantissa, bias;
    int largest, infinity, nan; // codes without a sign; -1 for none

    int bits() const { return 1 + exponent + mantissa; }
    int codes() const { return 1 << bits(); }
    int sign_bit() const { return 1 << (bits() - 1); }
};
static const small_format e2m1 = {"E2M1", 2, 1, 1, 0x07, -1, -1};
static const small_format e2m3 = {"E2M3", 2, 3, 1, 0x1f, -1, -1};
static const small_format e3m2 = {"E3M2", 3, 2, 3, 0x1f, -1, -1};
static const small_format e4m3 = {"E4M3", 4, 3, 7, 0x7e, -1, 0x7f};
static const small_format e5m2 = {"E5M2", 5, 2, 15, 0x7b, 0x7c, 0x7e};

inline double small_value(const small_format &f, int code)
{
    int sign = code & f.sign_bit(), rest = code & (f.sign_bit() - 1);
    int exponent = rest >> f.mantissa, fraction = rest & ((1 << f.mantissa) - 1);
    double v = exponent == 0
                   ? std::ldexp(fraction, 1 - f.bias - f.mantissa)
                   : std::ldexp(fraction + (1 << f.mantissa), exponent - f.bias - f.mantissa);
    if (rest > f.largest)
        v = rest == f.infinity ? std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
    return sign ? -v : v;
}

// The code of the nearest number, to even, by looking at all of them; the largest for what is
// beyond it. NaN and infinity are given with their sign.
inline int small_code(const small_format &f, double x)
{
    int sign = std::signbit(x) ? f.sign_bit() : 0;
    if (std::isnan(x))
        return sign | (f.nan == -1 ? f.largest : f.nan);
    double a = std::fabs(x);
    int best = 0;
    for (int code = 1; code <= f.largest; ++code) {
        double off = std::fabs(small_value(f, code) - a),
               least = std::fabs(small_value(f, best) - a);
        if (off < least || (off == least && (code & 1) == 0))
            best = code;
    }
    return sign | (a > small_value(f, f.largest) ? f.largest : best);
}

inline float float_with_bits(std::uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
inline float value_of_bfloat(int bits)
{
    return float_with_bits(static_cast<unsigned>(bits) << 16);
}
inline double value_of_half(int bits)
{
    static const small_format half = {"half", 5, 10, 15, 0x7bff, 0x7c00, 0x7e00};
    return small_value(half, bits);
}

// A float near the i-th brain float, i < 65536: at it, at the middle to the next, or beside those.
inline float dense_float(int i)
{
    static const std::uint32_t low[7] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
    return float_with_bits(static_cast<std::uint32_t>(i) << 16 | low[i % 7]);
}

#endif
