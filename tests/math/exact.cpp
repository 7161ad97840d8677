// The functions that have no error: remainders, exponents, scaling and rounding, against the C
// library's, signs of zero and quotients included. Arguments are bits of all kinds: subnormal,
// huge, powers of two, numbers of similar size, halves of multiples.
//
//   exact [N]     N arguments for each of the four places where approximations may lie (100000)
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "emulate.h"
#include "emulation_mode.h"

#include "hip/device/qualifiers.h"

#include "hip/device/math/parts_f32.h"
#include "hip/device/math/parts_f64.h"
#include "hip/device/math/remainder.h"

emulation emulation_mode = nearest;

namespace
{
long failures;

template <typename T> void compare(const char *name, T x, T y, T got, T want)
{
    bool same = __ah::bits_of(got) == __ah::bits_of(want) || (got != got && want != want);
    if (!same && ++failures <= 20)
        printf("%s(%a, %a) is %a, not %a\n", name, static_cast<double>(x), static_cast<double>(y),
               static_cast<double>(got), static_cast<double>(want));
}
template <typename T> void compare(const char *name, T x, T y, int got, int want)
{
    if (got != want && ++failures <= 20)
        printf("%s(%a, %a) gives %d, not %d\n", name, static_cast<double>(x),
               static_cast<double>(y), got, want);
}

std::uint64_t random_bits()
{
    static std::uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
float argument()
{
    std::uint32_t b = static_cast<std::uint32_t>(random_bits() >> 32);
    switch (random_bits() >> 40 & 7) {
    case 0:
        return __ah::float_of(b & 0x807fffffu); /* subnormal */
    case 1:
        return __ah::float_of((b & 0x807fffffu) | 0x7f000000u); /* huge */
    case 2:
        return __ah::float_of(b & 0xff800000u); /* a power of two, 0 or infinity */
    case 3:
        return __ah::float_of(b & 0x80000007u);
    case 4:
        return __ah::float_of((b & 0x80ffffffu) | 0x3f000000u);
    default:
        return __ah::float_of(b);
    }
}
/* a multiple of half of y times a power of two, or as it is */
float related(float x, float y)
{
    int steps = static_cast<int>(random_bits() >> 40) % 60 - 5;
    float multiple = 1.0f + static_cast<float>(random_bits() >> 51) * 0.5f;
    return std::isfinite(y) && y != 0 ? std::ldexp(std::fabs(y) * multiple, steps) : x;
}

void of_two(float x, float y)
{
    compare("fmod", x, y, __ah::fmod_f32(x, y), std::fmod(x, y));
    compare("remainder", x, y, __ah::remainder_f32(x, y), std::remainder(x, y));
    compare("nextafter", x, y, __ah::nextafter_f32(x, y), std::nextafter(x, y));
    compare("nextafter", x, x, __ah::nextafter_f32(x, x), x);
    compare("nextafter", x, -x, __ah::nextafter_f32(x, -x), std::nextafter(x, -x));
    int low, wanted_low;
    float rest = __ah::remquo_f32(x, y, &low), wanted = std::remquo(x, y, &wanted_low);
    compare("remquo", x, y, rest, wanted);
    if (wanted == wanted)
        compare("remquo", x, y, low & 7, wanted_low & 7);
}
void of_one(float x, int n)
{
    compare("ldexp", x, static_cast<float>(n), __ah::ldexp_f32(x, n), std::ldexp(x, n));
    int e, wanted_e;
    float m = __ah::frexp_f32(x, &e), wanted_m = std::frexp(x, &wanted_e);
    compare("frexp", x, 0.0f, m, wanted_m);
    compare("frexp", x, 0.0f, e, std::isfinite(x) ? wanted_e : 0);
    compare("round", x, 0.0f, __ah::round_f32(x), std::round(x));
    compare("logb", x, 0.0f, __ah::logb_f32(x), std::logb(x));
    compare("ilogb", x, 0.0f, __ah::ilogb_f32(x), std::ilogb(x));
}

double argument_f64()
{
    std::uint64_t b = random_bits();
    switch (random_bits() >> 40 & 7) {
    case 0:
        return __ah::double_of(b & 0x800fffffffffffffu); /* subnormal */
    case 1:
        return __ah::double_of((b & 0x800fffffffffffffu) | 0x7fe0000000000000u); /* huge */
    case 2:
        return __ah::double_of(b & 0xfff0000000000000u); /* a power of two, 0 or infinity */
    case 3:
        return __ah::double_of(b & 0x8000000000000007u);
    case 4:
        return __ah::double_of((b & 0x803fffffffffffffu) | 0x3fc0000000000000u);
    default:
        return __ah::double_of(b);
    }
}
double related_f64(double x, double y)
{
    int steps = static_cast<int>(random_bits() >> 40) % 120 - 5;
    double multiple = 1.0 + static_cast<double>(random_bits() >> 33) * 0.5;
    return std::isfinite(y) && y != 0 ? std::ldexp(std::fabs(y) * multiple, steps) : x;
}
void of_two_f64(double x, double y)
{
    compare("fmod of doubles", x, y, __ah::fmod_f64(x, y), std::fmod(x, y));
    /* glibc gives -0 for some positive numbers and subnormal divisors */
    double remainder = std::remainder(x, y);
    remainder = remainder == 0 ? std::copysign(remainder, x) : remainder;
    compare("remainder of doubles", x, y, __ah::remainder_f64(x, y), remainder);
    compare("nextafter of doubles", x, y, __ah::nextafter_f64(x, y), std::nextafter(x, y));
    compare("nextafter of doubles", x, x, __ah::nextafter_f64(x, x), x);
    int low, wanted_low;
    double rest = __ah::remquo_f64(x, y, &low), wanted = std::remquo(x, y, &wanted_low);
    compare("remquo of doubles", x, y, rest, wanted);
    if (wanted == wanted)
        compare("remquo of doubles", x, y, low & 7, wanted_low & 7);
}
void of_one_f64(double x, int n)
{
    compare("ldexp of doubles", x, static_cast<double>(n), __ah::ldexp_f64(x, n), std::ldexp(x, n));
    int e, wanted_e;
    double m = __ah::frexp_f64(x, &e), wanted_m = std::frexp(x, &wanted_e);
    compare("frexp of doubles", x, 0.0, m, wanted_m);
    compare("frexp of doubles", x, 0.0, e, std::isfinite(x) ? wanted_e : 0);
    compare("round of doubles", x, 0.0, __ah::round_f64(x), std::round(x));
    compare("logb of doubles", x, 0.0, __ah::logb_f64(x), std::logb(x));
    compare("ilogb of doubles", x, 0.0, __ah::ilogb_f64(x), std::ilogb(x));
}
} // namespace

int main(int argc, char **argv)
{
    const long count = argc > 1 ? std::atol(argv[1]) : 100000;
    for (emulation mode : {nearest, lowest, highest, hashed}) {
        emulation_mode = mode;
        for (long i = 0; i < count; ++i) {
            float x = argument(), y = argument();
            of_two(i % 3 ? x : related(x, y), y);
            int n = static_cast<int>(random_bits() >> 32);
            of_one(x, i % 64 ? n % 300 : n);
            double z = argument_f64(), w = argument_f64();
            of_two_f64(i % 3 ? z : related_f64(z, w), w);
            of_one_f64(z, i % 64 ? n % 2200 : n);
        }
    }
    for (float x : {0.5f, 0x1.fffffep-2f, 1.5f, 2.5f, 0x1.fffffep+21f, 0x1.fffffep+22f, 0x1p+23f,
                    0x1.000002p+23f, 0x1.000002p+24f}) {
        of_one(x, 0);
        of_one(-x, 0);
    }
    printf("%ld differences\n", failures);
    return failures != 0;
}
