/* Bessel functions of any order, of floats and doubles, from those of order 0 and 1. What differs
 * is in bessel_type<T>, which bessel_f32.h and bessel_f64.h define:
 *
 *   T quotient(T x, T y)                as exact as the functions need it
 *   T y0_and_y1(T x, T *y1)             for finite x > 0
 *   T j0_and_j1(T a, T *j1)             for a >= 0
 *   bool is_nothing(T order, T a)       J is below the smallest number, being below e a / 2 n to
 * the power of n; for infinity too, if infinite_is_nothing infinite_is_nothing j0_and_j1 takes
 * infinity T small                             two terms of J's series are enough for smaller a
 *   start_factor, start, T scale        where the recurrence downwards begins, and its largest
 * number */
#ifndef HIP_DEVICE_MATH_BESSEL_ORDERS_H
#define HIP_DEVICE_MATH_BESSEL_ORDERS_H

#include "hip/device/math/words_f64.h"

namespace __ah
{
template <typename T> struct bessel_type;

/* at 0, infinity, NaN and below 0 */
template <typename T> static __device__ inline __attribute__((always_inline)) T y_special(T x)
{
    return x == 0 ? -T(__builtin_inff()) : x > 0 ? T(0) : T(__builtin_nanf(""));
}

/* Y of order n + 1 is 2 n / x times Y of order n, less Y of order n - 1. The errors grow no faster
 * than Y. */
template <typename T> static __device__ inline T yn_of(int n, T x)
{
    __AH_EXACT
    bool negative = (n & 1) && n < 0;
    unsigned int order = n < 0 ? 0u - static_cast<unsigned int>(n) : static_cast<unsigned int>(n);
    if (!(x > 0 && x < T(__builtin_inff())))
        return negative ? -y_special(x) : y_special(x);
    T r, before = bessel_type<T>::y0_and_y1(x, &r);
    if (order == 0)
        return before;
    T step = 2 / x, factor = 1;
    for (unsigned int k = 1; k < order && r > -T(__builtin_inff()); ++k, factor += 1) {
        T next = __builtin_elementwise_fma(factor * step, r, -before);
        before = r;
        r = next;
    }
    return negative ? -r : r;
}

/* J of order n > x by the same recurrence downwards, from an order where J is nothing beside that;
 * J of order 0 or 1, whichever is larger, gives the scale. */
template <typename T> static __device__ inline T jn_downwards(unsigned int n, T x, T j0, T j1)
{
    __AH_EXACT
    using type = bessel_type<T>;
    float root = hw::ex2(hw::lg2(static_cast<float>(n)) * 0.33333334f);
    unsigned int k = n + static_cast<unsigned int>(type::start_factor * root) + type::start;
    T step = 2 / x, factor = static_cast<T>(k), above = 0, here = 1, r = 0;
    for (; k > 0; --k, factor -= 1) {
        T below = __builtin_elementwise_fma(factor * step, here, -above);
        above = here;
        here = below;
        if (__builtin_elementwise_abs(here) > type::scale) {
            here *= 1 / type::scale;
            above *= 1 / type::scale;
            r *= 1 / type::scale;
        }
        r = k - 1 == n ? here : r;
    }
    bool even = __builtin_elementwise_abs(j0) > __builtin_elementwise_abs(j1);
    return r * type::quotient(even ? j0 : j1, even ? here : above);
}
/* The first two terms of its series. */
template <typename T> static __device__ inline T jn_of_small(unsigned int n, T x)
{
    using type = bessel_type<T>;
    T half = T(0.5) * x, r = 1;
    for (unsigned int k = n; k > 0; --k)
        r *= type::quotient(half, static_cast<T>(k));
    return r * (1 - type::quotient(half * half, static_cast<T>(n) + 1));
}
template <typename T> static __device__ inline T jn_of(int n, T x)
{
    __AH_EXACT
    using type = bessel_type<T>;
    bool negative = (n & 1) && ((n < 0) != (top_word(x) >> 31 != 0)); /* odd in n and in x */
    unsigned int order = n < 0 ? 0u - static_cast<unsigned int>(n) : static_cast<unsigned int>(n);
    T a = __builtin_elementwise_abs(x), whole = static_cast<T>(order), r;
    if (!type::infinite_is_nothing && a == T(__builtin_inff()))
        return 0;
    T before = type::j0_and_j1(a, &r);
    if (order == 0 || x != x)
        return before;
    if (order == 1)
        return negative ? -r : r;
    if (type::is_nothing(whole, a)) {
        r = 0;
    } else if (a < type::small) {
        r = jn_of_small(order, a);
    } else if (whole > a) {
        r = jn_downwards(order, a, before, r);
    } else {
        T step = 2 / a, factor = 1;
        for (unsigned int k = 1; k < order; ++k, factor += 1) {
            T next = __builtin_elementwise_fma(factor * step, r, -before);
            before = r;
            r = next;
        }
    }
    return negative ? -r : r;
}
} // namespace __ah

#endif
