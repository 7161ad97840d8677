// Arguments for sweeps, by their number: the same in every run.
#ifndef AH_TESTS_MATH_POINTS_H
#define AH_TESTS_MATH_POINTS_H

#include <cmath>
#include <cstdint>
#include <vector>

namespace points
{
inline std::uint64_t mixed(std::uint64_t i)
{
    i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 31) * 0x94d049bb133111ebu;
    return i ^ i >> 29;
}
template <typename T> T of_bits(std::uint64_t bits)
{
    if constexpr (sizeof(T) == 4)
        return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits >> 32));
    else
        return __builtin_bit_cast(double, bits);
}

// By turns: any bits, an exponent near 0, and from low to high.
template <typename T> T any(double low, double high, std::uint64_t i)
{
    const std::uint64_t random = mixed(i);
    const double part = static_cast<double>(mixed(random) >> 11) * 0x1p-53;
    if (i % 8 == 0)
        return of_bits<T>(random);
    if (i % 8 < 3) {
        const double m = std::ldexp(1 + part, static_cast<int>(random % 80) - 60);
        return static_cast<T>(low < 0 && random >> 63 ? -m : m);
    }
    return static_cast<T>(low + (high - low) * part);
}

// Numbers at which functions are hard: zeros, infinities, limits, and with their neighbours powers
// of two, integers and halves, and those closest to a multiple of pi/2 (points.cpp).
template <typename T> const std::vector<T> &hard();
extern template const std::vector<float> &hard<float>();
extern template const std::vector<double> &hard<double>();
} // namespace points

#endif
