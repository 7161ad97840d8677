// The functions of include/hip/device/math/half.h for every half precision number, rounded to one,
// against the C library's: at most the next number but the nearest, and nearly always the nearest,
// or always, for powers and logarithms from approximations that are the nearest floats.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

#include "emulate.h"
#include "emulation_mode.h"

#include "hip/device/qualifiers.h"

#include "hip/device/math/half.h"

emulation emulation_mode = nearest;

namespace
{
int failures;

/* The place of a half among all, negative ones below 0. */
int place(_Float16 h)
{
    std::uint16_t b = __builtin_bit_cast(std::uint16_t, h);
    return b & 0x8000 ? -(b & 0x7fff) : b;
}
double nearest_float(double x)
{
    return static_cast<float>(x);
}
/* `exact`: every half has to be the nearest. */
template <typename F, typename G> void sweep(const char *name, bool exact, F function, G reference)
{
    int not_nearest = 0, furthest = 0;
    for (unsigned int b = 0; b < 0x10000; ++b) {
        _Float16 h = __builtin_bit_cast(_Float16, static_cast<std::uint16_t>(b));
        _Float16 got = static_cast<_Float16>(function(static_cast<float>(h)));
        _Float16 want = static_cast<_Float16>(reference(static_cast<double>(h)));
        bool a_nan = got != got, want_nan = want != want;
        int distance = a_nan && want_nan   ? 0
                       : a_nan != want_nan ? 0x10000
                                           : place(got) - place(want);
        distance = distance < 0 ? -distance : distance;
        not_nearest += distance != 0;
        furthest = distance > furthest ? distance : furthest;
    }
    printf("%s: %d not nearest, by %d\n", name, not_nearest, furthest);
    failures += furthest > 1 || not_nearest > (exact ? 0 : 50);
}
} // namespace

int main()
{
    using namespace __ah;
    for (emulation mode : {nearest, lowest, highest, hashed}) {
        emulation_mode = mode;
#ifdef EMULATE_AMD
        bool made_for = mode == nearest;
#else
        bool made_for = false; /* but for the hardware's own approximations */
#endif
        sweep(
            "exp", made_for, [](float x) { return exp_of_half(x); },
            [](double x) { return nearest_float(std::exp(x)); });
        sweep(
            "exp2", made_for, [](float x) { return exp2_of_half(x); },
            [](double x) { return nearest_float(std::exp2(x)); });
        sweep(
            "exp10", made_for, [](float x) { return exp10_of_half(x); },
            [](double x) { return nearest_float(std::pow(10.0, x)); });
        sweep(
            "log", made_for, [](float x) { return log_of_half(x); },
            [](double x) { return nearest_float(std::log(x)); });
        sweep(
            "log2", made_for, [](float x) { return log2_of_half(x); },
            [](double x) { return nearest_float(std::log2(x)); });
        sweep(
            "log10", made_for, [](float x) { return log10_of_half(x); },
            [](double x) { return nearest_float(std::log10(x)); });
        sweep(
            "sin", false, [](float x) { return sin_of_half(x); },
            [](double x) { return std::sin(x); });
        sweep(
            "cos", false, [](float x) { return cos_of_half(x); },
            [](double x) { return std::cos(x); });
        sweep(
            "sqrt", false, [](float x) { return hw::root(x); },
            [](double x) { return std::sqrt(x); });
        sweep(
            "rsqrt", false, [](float x) { return hw::rsq(x); },
            [](double x) { return 1 / std::sqrt(x); });
        sweep(
            "rcp", false, [](float x) { return hw::rcp(x); }, [](double x) { return 1 / x; });
    }
    return failures != 0;
}
