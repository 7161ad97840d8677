/* The results of vector instructions, one lane at a time, by the name of the instruction: integers
 * are computed in 128 bits, floats in wider ones or by the C library. */
#ifndef TESTS_SIM_AMDGPU_VALU_MODEL_H
#define TESTS_SIM_AMDGPU_VALU_MODEL_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;
typedef __float128 quad;

/* The expected result: bits of the type's width; any NaN if nan is set; at most ulps units in the
 * last place off. */
struct expected {
    uint64_t d, carry;
    bool nan;
    unsigned ulps;
};
struct given {
    uint64_t s[4];
    unsigned lane;
    bool saturate;
};

/* ---- floats from bits, and back -------------------------------------------------------- */

static inline float m_f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}
static inline double m_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static inline uint64_t m_bits32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static inline uint64_t m_bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
static inline double m_f16(uint64_t bits)
{
    unsigned exponent = bits >> 10 & 31, digits = bits & 1023;
    double size = exponent == 31  ? (digits ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(digits, -24)
                                  : ldexp(1024 + digits, (int)exponent - 25);
    return bits & 0x8000 ? -size : size;
}

/* x in units of 2^unit, rounded to nearest. */
static inline wide m_units(quad x, int unit)
{
    quad scaled = x;
    for (; unit < 0; unit++)
        scaled *= 2;
    for (; unit > 0; unit--)
        scaled /= 2;
    wide below = (wide)scaled;
    quad rest = scaled - (quad)below;
    if (rest > (quad)0.5 || (rest == (quad)0.5 && below & 1))
        below++;
    return below;
}
static inline uint64_t m_bits16(quad x)
{
    uint64_t sign = signbit((double)x) ? 0x8000 : 0;
    quad size = x < 0 ? -x : x;
    if (x != x)
        return 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    int exponent = -14;
    for (quad limit = ldexp(1, -13); size >= limit; limit *= 2)
        exponent++;
    wide units = m_units(size, exponent - 10);
    return sign | (uint64_t)(units + ((wide)(exponent + 14) << 10));
}

static inline bool m_is_nan(uint64_t bits, unsigned width)
{
    return width == 16   ? (bits & 0x7fff) > 0x7c00
           : width == 32 ? m_f32(bits) != m_f32(bits)
                         : m_f64(bits) != m_f64(bits);
}
/* Distance of two floats of the same kind. */
static inline uint64_t m_distance(uint64_t a, uint64_t b, unsigned width)
{
    uint64_t sign = (uint64_t)1 << (width - 1);
    int64_t x = (int64_t)(a & (sign - 1)), y = (int64_t)(b & (sign - 1));
    x = a & sign ? -x : x;
    y = b & sign ? -y : y;
    return (uint64_t)(x > y ? x - y : y - x);
}

/* ---- names --------------------------------------------------------------------------------- */

static inline bool m_is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}
static inline bool m_begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}
static inline bool m_ends(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);
    return n >= e && strcmp(name + n - e, end) == 0;
}

/* A value as a number of a width. */
static inline wide m_number(uint64_t x, unsigned width, bool is_signed)
{
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    uint64_t low = x & mask;
    return is_signed && low >> (width - 1) ? (wide)low - ((wide)mask + 1) : (wide)low;
}
/* An exact result, wrapped or saturated. */
static inline uint64_t m_fit(wide x, unsigned width, bool is_signed, bool saturate)
{
    wide span = (wide)1 << width, low = is_signed ? -span / 2 : 0;
    wide high = is_signed ? span / 2 - 1 : span - 1;
    if (saturate)
        x = x < low ? low : x > high ? high : x;
    return (uint64_t)(x & (span - 1));
}

/* ---- integers ---------------------------------------------------------------------------- */

static inline wide m_extreme(wide a, wide b, bool largest)
{
    return (a > b) == largest ? a : b;
}
static inline wide m_middle(wide a, wide b, wide c)
{
    wide low = m_extreme(m_extreme(a, b, false), c, false);
    wide high = m_extreme(m_extreme(a, b, true), c, true);
    return a + b + c - low - high;
}

/* Rows whose suffix is the type of all operands. */
static inline bool model_alike(const char *op, const struct given *g, struct expected *e)
{
    unsigned width = m_ends(op, "16") ? 16 : m_ends(op, "32") ? 32 : 64;
    const char *suffix = strrchr(op, '_');
    if (!suffix || strlen(suffix) != 4 || !strchr("UIB", suffix[1]))
        return false;
    bool sign = suffix[1] == 'I';
    wide a = m_number(g->s[0], width, sign), b = m_number(g->s[1], width, sign);
    wide c = m_number(g->s[2], width, sign), d;
    size_t length = (size_t)(suffix - op);
    char base[32] = "";
    if (length >= sizeof base)
        return false;
    memcpy(base, op, length);
    if (m_is(base, "ADD_NC"))
        d = a + b;
    else if (m_is(base, "SUB_NC"))
        d = a - b;
    else if (m_is(base, "SUBREV_NC") || m_is(base, "SUBREV"))
        d = b - a;
    else if (m_is(base, "MIN"))
        d = m_extreme(a, b, false);
    else if (m_is(base, "MAX"))
        d = m_extreme(a, b, true);
    else if (m_is(base, "MIN3"))
        d = m_extreme(m_extreme(a, b, false), c, false);
    else if (m_is(base, "MAX3"))
        d = m_extreme(m_extreme(a, b, true), c, true);
    else if (m_is(base, "MED3"))
        d = m_middle(a, b, c);
    else if (m_is(base, "MINMAX"))
        d = m_extreme(m_extreme(a, b, false), c, true);
    else if (m_is(base, "MAXMIN"))
        d = m_extreme(m_extreme(a, b, true), c, false);
    else if (m_is(base, "MUL_LO"))
        d = a * b;
    else if (m_is(base, "MUL_HI"))
        d = a * b >> width;
    else if (m_is(base, "MAD") || m_is(base, "MAD_LEGACY"))
        d = a * b + c;
    else if (m_is(base, "ADD3"))
        d = a + b + c;
    else if (m_is(base, "XAD"))
        d = (a ^ b) + c;
    else if (m_is(base, "AND"))
        d = a & b;
    else if (m_is(base, "OR"))
        d = a | b;
    else if (m_is(base, "XOR"))
        d = a ^ b;
    else if (m_is(base, "XNOR"))
        d = ~(a ^ b);
    else if (m_is(base, "NOT"))
        d = ~a;
    else if (m_is(base, "MOV") || m_begins(base, "ACCVGPR"))
        d = a;
    else if (m_is(base, "CNDMASK"))
        d = g->s[2] ? b : a;
    else if (m_is(base, "AND_OR"))
        d = (a & b) | c;
    else if (m_is(base, "OR3"))
        d = a | b | c;
    else if (m_is(base, "XOR3"))
        d = a ^ b ^ c;
    else if (m_is(base, "LSHL_ADD"))
        d = (a << (g->s[1] & (width == 64 ? 7 : 31))) + c;
    else if (m_is(base, "ADD_LSHL"))
        d = (a + b) << (c & 31);
    else if (m_is(base, "LSHL_OR"))
        d = (a << (b & 31)) | c;
    else if (m_is(base, "LSHLREV"))
        d = b << (g->s[0] & (width - 1));
    else if (m_is(base, "LSHRREV") || m_is(base, "ASHRREV"))
        d = b >> (g->s[0] & (width - 1));
    else
        return false;
    e->d = m_fit(d, width, sign, g->saturate);
    return true;
}

static inline uint64_t m_byte(uint64_t x, unsigned at)
{
    return x >> 8 * at & 0xff;
}
static inline uint64_t m_difference(uint64_t a, uint64_t b, bool masked)
{
    int sum = 0;
    for (unsigned k = 0; k < 4; k++)
        if (!masked || m_byte(b, k))
            sum += abs((int)m_byte(a, k) - (int)m_byte(b, k));
    return (uint64_t)sum;
}
static inline wide m_dot(uint64_t a, uint64_t b, unsigned width, bool sign)
{
    wide sum = 0;
    for (unsigned at = 0; at < 32; at += width)
        sum += m_number(a >> at, width, sign) * m_number(b >> at, width, sign);
    return sum;
}
static inline uint64_t m_permuted(uint64_t a, uint64_t b, uint64_t select)
{
    uint8_t bytes[8];
    for (unsigned k = 0; k < 4; k++) {
        bytes[k] = (uint8_t)m_byte(b, k);
        bytes[4 + k] = (uint8_t)m_byte(a, k);
    }
    if (select >= 13)
        return 0xff;
    if (select == 12)
        return 0;
    if (select >= 8)
        return bytes[2 * (select - 8) + 1] & 0x80 ? 0xff : 0;
    return bytes[select];
}

static inline bool model_bits(const char *op, const struct given *g, struct expected *e)
{
    uint32_t a = (uint32_t)g->s[0], b = (uint32_t)g->s[1], c = (uint32_t)g->s[2];
    uint64_t d = 0;
    if (m_is(op, "ALIGNBIT_B32")) {
        d = ((uint64_t)a << 32 | b) >> (c & 31);
    } else if (m_is(op, "ALIGNBYTE_B32")) {
        d = ((uint64_t)a << 32 | b) >> (c & 3) * 8;
    } else if (m_is(op, "BFE_U32")) {
        for (unsigned k = 0; k < (c & 31); k++)
            d |= (uint64_t)((uint64_t)a >> ((b & 31) + k) & 1) << k;
    } else if (m_is(op, "BFE_I32")) {
        unsigned width = c & 31;
        for (unsigned k = 0; width && k < 32; k++) {
            unsigned at = (b & 31) + (k < width ? k : width - 1);
            d |= (uint64_t)(a >> (at < 31 ? at : 31) & 1) << k;
        }
    } else if (m_is(op, "BFI_B32")) {
        for (unsigned k = 0; k < 32; k++)
            d |= (uint64_t)((a >> k & 1 ? b : c) >> k & 1) << k;
    } else if (m_is(op, "BFM_B32")) {
        for (unsigned k = 0; k < (a & 31); k++)
            d |= (uint64_t)1 << (k + (b & 31));
    } else if (m_is(op, "BFREV_B32")) {
        for (unsigned k = 0; k < 32; k++)
            d |= (uint64_t)(a >> k & 1) << (31 - k);
    } else if (m_is(op, "BCNT_U32_B32")) {
        d = (uint64_t)__builtin_popcount(a) + b;
    } else if (m_is(op, "CLZ_I32_U32")) {
        d = a ? (uint64_t)__builtin_clz(a) : UINT32_MAX;
    } else if (m_is(op, "CTZ_I32_B32")) {
        d = a ? (uint64_t)__builtin_ctz(a) : UINT32_MAX;
    } else if (m_is(op, "CLS_I32")) {
        d = a == 0 || a == UINT32_MAX ? UINT32_MAX : (uint64_t)__builtin_clrsb((int)a) + 1;
    } else if (m_begins(op, "MBCNT")) {
        unsigned first = m_begins(op, "MBCNT_HI") ? 32 : 0;
        d = b;
        for (unsigned k = 0; k < 32; k++)
            d += first + k < g->lane && a >> k & 1;
    } else if (m_is(op, "LERP_U8")) {
        for (unsigned k = 0; k < 4; k++)
            d |= (m_byte(a, k) + m_byte(b, k) + (m_byte(c, k) & 1)) / 2 << 8 * k;
    } else if (m_is(op, "PERM_B32")) {
        for (unsigned k = 0; k < 4; k++)
            d |= m_permuted(a, b, m_byte(c, k)) << 8 * k;
    } else if (m_is(op, "PACK_B32_F16")) {
        d = (a & 0xffff) | (uint64_t)b << 16;
    } else if (m_is(op, "CVT_I32_I16")) {
        d = (uint64_t)m_number(a, 16, true);
    } else if (m_is(op, "CVT_U32_U16")) {
        d = a & 0xffff;
    } else if (m_is(op, "SAT_PK_U8_I16")) {
        d = m_fit(m_number(a, 16, true), 8, false, true) |
            m_fit(m_number(a >> 16, 16, true), 8, false, true) << 8;
    } else if (m_is(op, "CVT_PK_I16_I32")) {
        d = m_fit((int32_t)a, 16, true, true) | m_fit((int32_t)b, 16, true, true) << 16;
    } else if (m_is(op, "CVT_PK_U16_U32")) {
        d = m_fit(a, 16, false, true) | m_fit(b, 16, false, true) << 16;
    } else {
        return false;
    }
    e->d = (uint32_t)d;
    return true;
}

static inline bool model_sums(const char *op, const struct given *g, struct expected *e)
{
    uint32_t a = (uint32_t)g->s[0], b = (uint32_t)g->s[1], c = (uint32_t)g->s[2];
    bool s = g->saturate, in = g->s[2] != 0, sub = true;
    wide x = 0;
    if (m_is(op, "ADD_CO_U32") || m_is(op, "ADD_CO_CI_U32")) {
        x = (wide)a + b + (m_ends(op, "CI_U32") && in);
        sub = false;
    } else if (m_is(op, "SUB_CO_U32") || m_is(op, "SUB_CO_CI_U32")) {
        x = (wide)a - b - (m_ends(op, "CI_U32") && in);
    } else if (m_is(op, "SUBREV_CO_U32") || m_is(op, "SUBREV_CO_CI_U32")) {
        x = (wide)b - a - (m_ends(op, "CI_U32") && in);
    } else if (m_is(op, "MAD_U64_U32")) {
        x = (wide)a * b + (wide)g->s[2];
        e->d = (uint64_t)x;
        e->carry = x >> 64 != 0;
        return true;
    } else if (m_is(op, "MAD_I64_I32")) {
        x = (wide)(int32_t)a * (int32_t)b + (int64_t)g->s[2];
        e->d = (uint64_t)x;
        e->carry = x != (int64_t)x;
        return true;
    } else if (m_ends(op, "_IU8") || m_ends(op, "_IU4")) {
        return false;
    } else {
        bool sign = strstr(op, "I32") != NULL;
        wide third = sign ? (wide)(int32_t)c : (wide)c;
        if (m_is(op, "MUL_U32_U24") || m_is(op, "MAD_U32_U24") || m_is(op, "MUL_HI_U32_U24"))
            x = m_number(a, 24, false) * m_number(b, 24, false);
        else if (m_is(op, "MUL_I32_I24") || m_is(op, "MAD_I32_I24") || m_is(op, "MUL_HI_I32_I24"))
            x = m_number(a, 24, true) * m_number(b, 24, true);
        else if (m_is(op, "MAD_U32_U16"))
            x = m_number(a, 16, false) * m_number(b, 16, false);
        else if (m_is(op, "MAD_I32_I16"))
            x = m_number(a, 16, true) * m_number(b, 16, true);
        else if (m_is(op, "SAD_U8"))
            x = m_difference(a, b, false);
        else if (m_is(op, "SAD_HI_U8"))
            x = (wide)m_difference(a, b, false) << 16;
        else if (m_is(op, "MSAD_U8"))
            x = m_difference(a, b, true);
        else if (m_is(op, "SAD_U16"))
            x = abs((int)(a & 0xffff) - (int)(b & 0xffff)) + abs((int)(a >> 16) - (int)(b >> 16));
        else if (m_is(op, "SAD_U32"))
            x = a > b ? a - b : b - a;
        else if (m_begins(op, "DOT2_I32") || m_begins(op, "DOT2C_I32"))
            x = m_dot(a, b, 16, true);
        else if (m_begins(op, "DOT2_U32"))
            x = m_dot(a, b, 16, false);
        else if (m_begins(op, "DOT4_I32") || m_begins(op, "DOT4C_I32"))
            x = m_dot(a, b, 8, true);
        else if (m_begins(op, "DOT4_U32"))
            x = m_dot(a, b, 8, false);
        else if (m_begins(op, "DOT8_I32") || m_begins(op, "DOT8C_I32"))
            x = m_dot(a, b, 4, true);
        else if (m_begins(op, "DOT8_U32"))
            x = m_dot(a, b, 4, false);
        else
            return false;
        if (m_begins(op, "MUL_HI"))
            x >>= 32;
        else if (!m_begins(op, "MUL"))
            x += third;
        e->d = m_fit(x, 32, sign, s);
        return true;
    }
    e->carry = sub ? x < 0 : x >> 32 != 0;
    e->d = m_fit(x, 32, false, s);
    return true;
}

static inline bool model_quad(const char *op, const struct given *g, struct expected *e)
{
    if (!m_is(op, "QSAD_PK_U16_U8") && !m_is(op, "MQSAD_PK_U16_U8"))
        return false;
    e->d = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint64_t sum = m_difference(g->s[0] >> 8 * k, g->s[1], op[0] == 'M');
        sum += g->s[2] >> 16 * k & 0xffff;
        e->d |= m_fit((wide)sum, 16, false, g->saturate) << 16 * k;
    }
    return true;
}

/* ---- comparisons --------------------------------------------------------------------------- */

static inline bool model_class(const char *op, const struct given *g, struct expected *e)
{
    unsigned width = m_ends(op, "16") ? 16 : m_ends(op, "32") ? 32 : 64;
    double x = width == 16 ? m_f16(g->s[0]) : width == 32 ? m_f32(g->s[0]) : m_f64(g->s[0]);
    unsigned quiet_bit = width == 16 ? 9 : width == 32 ? 22 : 51, bit;
    double normal = width == 16 ? 0x1p-14 : width == 32 ? 0x1p-126 : 0x1p-1022;
    bool negative = signbit(x);
    if (m_is_nan(g->s[0], width))
        bit = g->s[0] >> quiet_bit & 1 ? 1 : 0;
    else if (isinf(x))
        bit = negative ? 2 : 9;
    else if (x == 0)
        bit = negative ? 5 : 6;
    else if (fabs(x) < normal)
        bit = negative ? 4 : 7;
    else
        bit = negative ? 3 : 8;
    e->d = g->s[1] >> bit & 1;
    return true;
}

/* 1 less, 2 equal, 4 greater, 8 unordered. */
static inline unsigned m_relation(const char *type, const struct given *g)
{
    unsigned width = m_ends(type, "16") ? 16 : m_ends(type, "32") ? 32 : 64;
    if (type[0] == 'F') {
        double a = width == 16 ? m_f16(g->s[0]) : width == 32 ? m_f32(g->s[0]) : m_f64(g->s[0]);
        double b = width == 16 ? m_f16(g->s[1]) : width == 32 ? m_f32(g->s[1]) : m_f64(g->s[1]);
        return isunordered(a, b) ? 8 : isless(a, b) ? 1 : isgreater(a, b) ? 4 : 2;
    }
    wide a = m_number(g->s[0], width, type[0] == 'I'), b = m_number(g->s[1], width, type[0] == 'I');
    return a < b ? 1 : a > b ? 4 : 2;
}

static inline bool model_compare(const char *op, const struct given *g, struct expected *e)
{
    static const struct {
        const char *name;
        unsigned holds;
    } names[] = {
        {"F", 0},    {"LT", 1},   {"EQ", 2},   {"LE", 3},  {"GT", 4},   {"LG", 5},
        {"GE", 6},   {"O", 7},    {"U", 8},    {"NGE", 9}, {"NLG", 10}, {"NGT", 11},
        {"NLE", 12}, {"NEQ", 13}, {"NLT", 14}, {"T", 15},  {"NE", 5},
    };
    if (!m_begins(op, "CMP_") && !m_begins(op, "CMPX_"))
        return false;
    const char *name = strchr(op, '_') + 1, *type = strrchr(op, '_') + 1;
    if (m_begins(name, "CLASS"))
        return model_class(op, g, e);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == (size_t)(type - name - 1) && m_begins(name, names[i].name)) {
            e->d = (names[i].holds & m_relation(type, g)) != 0;
            return true;
        }
    return false;
}

/* ---- floats --------------------------------------------------------------------------------- */

/* -0 is less than +0; the other value wins over a quiet NaN, but not over a signalling one. */
static inline long double m_float_extreme(long double a, long double b, bool largest)
{
    if (isnan(a))
        return b;
    if (isnan(b))
        return a;
    if (a == 0 && b == 0)
        return (signbit(a) != 0) == largest ? b : a;
    return (a > b) == largest ? a : b;
}
static inline bool m_signals(uint64_t bits, unsigned width)
{
    unsigned quiet_bit = width == 16 ? 9 : width == 32 ? 22 : 51;
    return m_is_nan(bits, width) && !(bits >> quiet_bit & 1);
}
static inline long double m_wide_float(uint64_t bits, unsigned width)
{
    return width == 16   ? (long double)m_f16(bits)
           : width == 32 ? (long double)m_f32(bits)
                         : (long double)m_f64(bits);
}
static inline uint64_t m_round(quad x, unsigned width)
{
    return width == 16 ? m_bits16(x) : width == 32 ? m_bits32((float)x) : m_bits64((double)x);
}
static inline quad m_flush(quad x, unsigned width)
{
    quad least = width == 16 ? 0x1p-14 : width == 32 ? 0x1p-126 : 0x1p-1022;
    quad size = x < 0 ? -x : x;
    return size < least ? (quad)copysign(0, (double)x) : x;
}
static inline quad m_rounded(quad x, unsigned width)
{
    uint64_t bits = m_round(x, width);
    return (quad)m_wide_float(bits, width);
}

static inline bool m_float_result(quad x, unsigned width, struct expected *e)
{
    e->nan = x != x;
    e->d = m_round(x, width);
    return true;
}

static inline bool model_extremes(const char *base, const struct given *g, unsigned width,
                                  struct expected *e)
{
    long double a = m_wide_float(g->s[0], width), b = m_wide_float(g->s[1], width);
    long double c = m_wide_float(g->s[2], width), d;
    bool three = strchr(base, '3') || m_is(base, "MINMAX") || m_is(base, "MAXMIN");
    bool signals = m_signals(g->s[0], width) || m_signals(g->s[1], width) ||
                   (three && m_signals(g->s[2], width));
    if (m_is(base, "MIN"))
        d = m_float_extreme(a, b, false);
    else if (m_is(base, "MAX"))
        d = m_float_extreme(a, b, true);
    else if (m_is(base, "MIN3"))
        d = m_float_extreme(m_float_extreme(a, b, false), c, false);
    else if (m_is(base, "MAX3"))
        d = m_float_extreme(m_float_extreme(a, b, true), c, true);
    else if (m_is(base, "MINMAX"))
        d = m_float_extreme(m_float_extreme(a, b, false), c, true);
    else if (m_is(base, "MAXMIN"))
        d = m_float_extreme(m_float_extreme(a, b, true), c, false);
    else if (m_is(base, "MED3")) {
        long double low = m_float_extreme(m_float_extreme(a, b, false), c, false);
        long double high = m_float_extreme(m_float_extreme(a, b, true), c, true);
        long double values[3] = {a, b, c};
        d = low;
        if (!isnan(a) && !isnan(b) && !isnan(c)) {
            /* The value that is neither the chosen lowest nor the chosen highest. */
            int low_at = -1, high_at = -1;
            for (int k = 0; k < 3; k++)
                if (low_at < 0 && values[k] == low && signbit(values[k]) == signbit(low))
                    low_at = k;
            for (int k = 0; k < 3; k++)
                if (high_at < 0 && k != low_at && values[k] == high &&
                    signbit(values[k]) == signbit(high))
                    high_at = k;
            d = values[3 - low_at - high_at];
        }
    } else {
        return false;
    }
    e->d = m_round((quad)d, width);
    e->nan = isnan(d);
    if (signals) { /* one of two becomes quiet, or the result of two is used further: see the
                      separate test */
        e->d = UINT64_MAX;
        e->ulps = UINT32_MAX;
    }
    return true;
}

static inline bool model_float(const char *op, const struct given *g, struct expected *e)
{
    const char *type = strrchr(op, '_');
    if (!type || (!m_is(type, "_F16") && !m_is(type, "_F32") && !m_is(type, "_F64")))
        return false;
    unsigned width = m_ends(op, "16") ? 16 : m_ends(op, "32") ? 32 : 64;
    char base[32] = "";
    memcpy(base, op, (size_t)(type - op) < sizeof base - 1 ? (size_t)(type - op) : 0);
    long double a = m_wide_float(g->s[0], width), b = m_wide_float(g->s[1], width);
    long double c = m_wide_float(g->s[2], width);
    if (model_extremes(base, g, width, e))
        return true;
    if (m_is(base, "ADD"))
        return m_float_result((quad)a + (quad)b, width, e);
    if (m_is(base, "SUB"))
        return m_float_result((quad)a - (quad)b, width, e);
    if (m_is(base, "SUBREV"))
        return m_float_result((quad)b - (quad)a, width, e);
    if (m_is(base, "MUL"))
        return m_float_result((quad)a * (quad)b, width, e);
    if (m_is(base, "MUL_DX9_ZERO"))
        return m_float_result(a == 0 || b == 0 ? 0 : (quad)a * (quad)b, width, e);
    if (m_is(base, "FMA_DX9_ZERO") || m_is(base, "FMAC_DX9_ZERO"))
        return a == 0 || b == 0
                   ? m_float_result((quad)c + 0, width, e)
                   : m_float_result((quad)fmaf((float)a, (float)b, (float)c), width, e);
    if (m_begins(base, "FMA")) {
        if (width == 16) /* exact in 113 bits */
            return m_float_result((quad)a * (quad)b + (quad)c, 16, e);
        return width == 32 ? m_float_result((quad)fmaf((float)a, (float)b, (float)c), 32, e)
                           : m_float_result((quad)fma((double)a, (double)b, (double)c), 64, e);
    }
    if (m_begins(base, "MAD") || m_begins(base, "MAC")) {
        quad x = m_flush((quad)a, width), y = m_flush((quad)b, width), z = m_flush((quad)c, width);
        bool dx9 = m_ends(base, "_LEGACY") && width == 32 && (x == 0 || y == 0);
        quad product = dx9 ? 0 : m_flush(m_rounded(x * y, width), width);
        return m_float_result(m_flush(m_rounded(product + z, width), width), width, e);
    }
    if (m_is(base, "FLOOR"))
        return m_float_result((quad)floorl(a), width, e);
    if (m_is(base, "CEIL"))
        return m_float_result((quad)ceill(a), width, e);
    if (m_is(base, "TRUNC"))
        return m_float_result((quad)truncl(a), width, e);
    if (m_is(base, "RNDNE"))
        return m_float_result((quad)nearbyintl(a), width, e);
    if (m_is(base, "FRACT")) {
        quad rest = (quad)a - (quad)floorl(a);
        uint64_t most = width == 16 ? 0x3bff : width == 32 ? 0x3f7fffff : 0x3fefffffffffffff;
        m_float_result(rest, width, e);
        e->d = !e->nan && m_wide_float(e->d, width) >= 1 ? most : e->d;
        return true;
    }
    if (m_is(base, "FREXP_MANT")) {
        int exponent;
        return m_float_result((quad)(isfinite(a) ? frexpl(a, &exponent) : a), width, e);
    }
    if (m_is(base, "LDEXP")) {
        int by = width == 16 ? (int16_t)g->s[1] : (int32_t)g->s[1];
        by = by > 20000 ? 20000 : by < -20000 ? -20000 : by;
        if (width == 64) /* long double has more digits, but not enough for two roundings */
            return m_float_result((quad)ldexp((double)a, by), 64, e);
        return m_float_result((quad)ldexpl(a, by), width, e);
    }
    if (m_is(base, "MULLIT"))
        return m_float_result(
            b > -0x1.fffffep127L && c > 0 ? (quad)a * (quad)b : (quad)-0x1.fffffep127L, width, e);
    /* approximations: those of f32 flush subnormals */
    bool flushes = width == 32;
    long double x = flushes ? (long double)m_flush((quad)a, 32) : a, d;
    if (m_is(base, "RCP") || m_is(base, "RCP_IFLAG"))
        d = 1 / x;
    else if (m_is(base, "RSQ"))
        d = 1 / sqrtl(x);
    else if (m_is(base, "SQRT"))
        d = sqrtl(x);
    else if (m_is(base, "EXP") || m_is(base, "EXP_LEGACY"))
        d = exp2l(x);
    else if (m_is(base, "LOG") || m_is(base, "LOG_LEGACY"))
        d = log2l(x);
    else if (m_is(base, "SIN") || m_is(base, "COS")) {
        long double turn = a - rintl(a), pi = 3.14159265358979323846264338327950288L;
        bool cosine = m_is(base, "COS");
        /* Zeros are exact. */
        if (cosine ? fabsl(turn) == 0.25L : turn == 0 || fabsl(turn) == 0.5L)
            d = cosine ? 0 : copysignl(0, a);
        else
            d = cosine ? cosl(2 * pi * turn) : sinl(2 * pi * turn);
        e->ulps = 1;
        return m_float_result((quad)d, width, e);
    } else {
        return false;
    }
    e->ulps = m_is(base, "RSQ") && width == 64 ? 2 : 1;
    m_float_result((quad)d, width, e);
    if (flushes && !e->nan)
        e->d = m_round(m_flush((quad)m_f32(e->d), 32), 32);
    return true;
}

/* ---- conversions -------------------------------------------------------------------------- */

static inline uint64_t m_to_integer(long double x, unsigned width, bool is_signed)
{
    if (isnan(x))
        return 0;
    long double span = ldexpl(1, (int)width), low = is_signed ? -span / 2 : 0;
    long double high = is_signed ? span / 2 - 1 : span - 1;
    x = truncl(x);
    return m_fit((wide)(x < low ? low : x > high ? high : x), width, is_signed, true);
}
static inline uint64_t m_norm(long double x, bool is_signed)
{
    long double least = is_signed ? -1 : 0, scale = is_signed ? 32767 : 65535;
    x = isnan(x) ? 0 : x < least ? least : x > 1 ? 1 : x;
    return (uint64_t)(int64_t)nearbyintl((long double)((float)x * (float)scale)) & 0xffff;
}
static inline uint64_t m_cut_f16(float x)
{
    uint64_t near = m_bits16((quad)x);
    if (isnan(x) || isinf(x))
        return near;
    return fabs(m_f16(near)) > fabs((double)x) ? near - 1 : near;
}
static inline bool m_result(uint64_t d, struct expected *e)
{
    e->d = d;
    return true;
}

static inline bool model_convert(const char *op, const struct given *g, struct expected *e)
{
    uint32_t a = (uint32_t)g->s[0], b = (uint32_t)g->s[1], c = (uint32_t)g->s[2];
    float f = m_f32(a), h = m_f32(b);
    if (m_is(op, "CVT_F32_I32"))
        return m_float_result((quad)(int32_t)a, 32, e);
    if (m_is(op, "CVT_F32_U32"))
        return m_float_result((quad)a, 32, e);
    if (m_is(op, "CVT_F64_I32"))
        return m_float_result((quad)(int32_t)a, 64, e);
    if (m_is(op, "CVT_F64_U32"))
        return m_float_result((quad)a, 64, e);
    if (m_is(op, "CVT_F32_F64"))
        return m_float_result((quad)m_f64(g->s[0]), 32, e);
    if (m_is(op, "CVT_F64_F32"))
        return m_float_result((quad)f, 64, e);
    if (m_is(op, "CVT_F32_F16"))
        return m_float_result((quad)m_f16(a), 32, e);
    if (m_is(op, "CVT_F16_F32"))
        return m_float_result((quad)f, 16, e);
    if (m_is(op, "CVT_F16_I16"))
        return m_float_result((quad)(int16_t)a, 16, e);
    if (m_is(op, "CVT_F16_U16"))
        return m_float_result((quad)(uint16_t)a, 16, e);
    if (m_begins(op, "CVT_F32_UBYTE"))
        return m_float_result((quad)m_byte(a, (unsigned)(op[13] - '0')), 32, e);
    if (m_is(op, "CVT_OFF_F32_I4"))
        return m_float_result((quad)m_number(a, 4, true) / 16, 32, e);
    if (m_is(op, "CVT_I32_F32"))
        return m_result(m_to_integer(f, 32, true), e);
    if (m_is(op, "CVT_U32_F32"))
        return m_result(m_to_integer(f, 32, false), e);
    if (m_is(op, "CVT_I32_F64"))
        return m_result(m_to_integer(m_f64(g->s[0]), 32, true), e);
    if (m_is(op, "CVT_U32_F64"))
        return m_result(m_to_integer(m_f64(g->s[0]), 32, false), e);
    if (m_is(op, "CVT_I16_F16"))
        return m_result(m_to_integer(m_f16(a), 16, true), e);
    if (m_is(op, "CVT_U16_F16"))
        return m_result(m_to_integer(m_f16(a), 16, false), e);
    if (m_is(op, "CVT_FLOOR_I32_F32"))
        return m_result(m_to_integer(floorl(f), 32, true), e);
    if (m_is(op, "CVT_NEAREST_I32_F32"))
        return m_result(m_to_integer(floorl((long double)f + 0.5L), 32, true), e);
    if (m_is(op, "CVT_NORM_I16_F16"))
        return m_result(m_norm(m_f16(a), true), e);
    if (m_is(op, "CVT_NORM_U16_F16"))
        return m_result(m_norm(m_f16(a), false), e);
    if (m_is(op, "CVT_PK_NORM_I16_F16"))
        return m_result(m_norm(m_f16(a), true) | m_norm(m_f16(b), true) << 16, e);
    if (m_is(op, "CVT_PK_NORM_U16_F16"))
        return m_result(m_norm(m_f16(a), false) | m_norm(m_f16(b), false) << 16, e);
    if (m_is(op, "CVT_PK_NORM_I16_F32"))
        return m_result(m_norm(f, true) | m_norm(h, true) << 16, e);
    if (m_is(op, "CVT_PK_NORM_U16_F32"))
        return m_result(m_norm(f, false) | m_norm(h, false) << 16, e);
    if (m_is(op, "CVT_PK_I16_F32"))
        return m_result(m_to_integer(f, 16, true) | m_to_integer(h, 16, true) << 16, e);
    if (m_is(op, "CVT_PK_U16_F32"))
        return m_result(m_to_integer(f, 16, false) | m_to_integer(h, 16, false) << 16, e);
    if (m_is(op, "CVT_PK_RTZ_F16_F32")) {
        if (isnan(f) || isnan(h))
            e->ulps = UINT32_MAX;
        return m_result(m_cut_f16(f) | m_cut_f16(h) << 16, e);
    }
    if (m_is(op, "CVT_PK_U8_F32") || m_is(op, "CVT_PKACCUM_U8_F32")) {
        unsigned at = 8 * (b & 3);
        uint64_t byte = m_to_integer(isnan(f) ? f : nearbyintl(f), 8, false);
        return m_result((c & ~((uint64_t)0xff << at)) | byte << at, e);
    }
    bool single = m_is(op, "FREXP_EXP_I32_F32"), half = m_is(op, "FREXP_EXP_I16_F16");
    if (single || half || m_is(op, "FREXP_EXP_I32_F64")) {
        double x = single ? f : half ? m_f16(a) : m_f64(g->s[0]);
        int exponent = 0;
        if (isfinite(x))
            frexp(x, &exponent);
        return m_result((uint64_t)exponent & (half ? 0xffff : 0xffffffff), e);
    }
    return false;
}

/* ---- pairs, and rows of their own ----------------------------------------------------------- */

static inline bool model_one(const char *op, const struct given *g, struct expected *e);

static inline bool model_pair(const char *op, const struct given *g, struct expected *e)
{
    static const char *const names[][2] = {{"PK_ADD_U16", "ADD_NC_U16"},
                                           {"PK_ADD_I16", "ADD_NC_I16"},
                                           {"PK_SUB_U16", "SUB_NC_U16"},
                                           {"PK_SUB_I16", "SUB_NC_I16"}};
    if (!m_begins(op, "PK_"))
        return false;
    const char *single = op + 3;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (m_is(op, names[i][0]))
            single = names[i][1];
    unsigned width = m_ends(op, "F32") ? 32 : 16;
    for (unsigned h = 0; h < 2; h++) {
        struct given part = *g;
        struct expected result = {0};
        for (unsigned k = 0; k < 3; k++)
            part.s[k] = g->s[k] >> width * h & (width == 16 ? 0xffff : UINT32_MAX);
        if (!model_one(single, &part, &result))
            return false;
        e->d |= result.d << width * h;
        if (result.nan || result.ulps)
            e->ulps = UINT32_MAX; /* halves are tested in a test of their own */
    }
    return true;
}

static inline bool model_cube(const char *op, const struct given *g, struct expected *e)
{
    double x = m_f32(g->s[0]), y = m_f32(g->s[1]), z = m_f32(g->s[2]), d;
    if (!m_begins(op, "CUBE"))
        return false;
    if (isnan(x) || isnan(y) || isnan(z)) {
        e->ulps = UINT32_MAX;
        return true;
    }
    bool along_z = fabs(z) >= fabs(x) && fabs(z) >= fabs(y), along_y = fabs(y) >= fabs(x);
    if (m_is(op, "CUBEID_F32"))
        d = along_z ? (z < 0 ? 5 : 4) : along_y ? (y < 0 ? 3 : 2) : (x < 0 ? 1 : 0);
    else if (m_is(op, "CUBESC_F32"))
        d = along_z ? (z < 0 ? -x : x) : along_y ? x : (x < 0 ? z : -z);
    else if (m_is(op, "CUBETC_F32"))
        d = along_z ? -y : along_y ? (y < 0 ? -z : z) : -y;
    else
        d = 2 * (along_z ? z : along_y ? y : x);
    return m_float_result((quad)d, 32, e);
}

static inline bool model_dot_float(const char *op, const struct given *g, struct expected *e)
{
    bool brain = strstr(op, "_BF16") != NULL;
    if (!m_is(op, "DOT2_F32_F16") && !m_is(op, "DOT2ACC_F32_F16") && !m_is(op, "DOT2_F32_BF16") &&
        !m_is(op, "DOT2ACC_F32_BF16"))
        return false;
    float parts[2][2];
    for (unsigned k = 0; k < 2; k++)
        for (unsigned h = 0; h < 2; h++) {
            uint64_t bits = g->s[k] >> 16 * h & 0xffff;
            parts[k][h] = brain ? m_f32(bits << 16) : (float)m_f16(bits);
        }
    quad c = m_flush((quad)m_f32(g->s[2]), 32);
    float sum = fmaf(parts[0][0], parts[1][0], fmaf(parts[0][1], parts[1][1], (float)c));
    return m_float_result(m_flush((quad)sum, 32), 32, e);
}

static inline bool model_one(const char *op, const struct given *g, struct expected *e)
{
    return model_compare(op, g, e) || model_convert(op, g, e) || model_sums(op, g, e) ||
           model_bits(op, g, e) || model_quad(op, g, e) || model_cube(op, g, e) ||
           model_dot_float(op, g, e) || model_pair(op, g, e) || model_float(op, g, e) ||
           model_alike(op, g, e);
}

#endif
