// Compiled by the clang that compiles device code, once for each vendor. device_headers.h is
// generated: it includes every header of include/hip/device/math/.
#include <cstddef>

#include "device_functions.h"
#include "emulate.h"

// What a row finds that has no function: any other candidate is better than an ellipsis.
namespace __ah
{
struct missing {
};
#define MATH_1(name, ...)                                                                          \
    missing name##_f32(...);                                                                       \
    missing name##_f64(...);
#define MATH_2 MATH_1
#include "functions.def"
missing sincos_f32(...);
missing sincos_f64(...);
missing sincospi_f32(...);
missing sincospi_f64(...);

template <typename T> struct is_missing {
    static constexpr bool value = false;
};
template <> struct is_missing<missing> {
    static constexpr bool value = true;
};
} // namespace __ah

#include "hip/device/qualifiers.h"

#include "device_headers.h"

// Both results of sincos and sincospi, as functions of their own.
namespace __ah
{
#define PART(name, part, suffix)                                                                   \
    template <typename T> auto name##_##part##_##suffix(T x)                                       \
    {                                                                                              \
        T sin = 0, cos = 0;                                                                        \
        if constexpr (is_missing<decltype(name##_##suffix(x, &sin, &cos))>::value) {               \
            return missing();                                                                      \
        } else {                                                                                   \
            name##_##suffix(x, &sin, &cos);                                                        \
            return part;                                                                           \
        }                                                                                          \
    }
PART(sincos, sin, f32)
PART(sincos, cos, f32)
PART(sincos, sin, f64)
PART(sincos, cos, f64)
PART(sincospi, sin, f32)
PART(sincospi, cos, f32)
PART(sincospi, sin, f64)
PART(sincospi, cos, f64)
#undef PART

// Functions of an order, and of more arguments, as functions of one and of two.
#define WITH_ARGUMENTS(suffix, T)                                                                  \
    static T jn_5_##suffix(T x)                                                                    \
    {                                                                                              \
        return jn_##suffix(5, x);                                                                  \
    }                                                                                              \
    static T jn_20_##suffix(T x)                                                                   \
    {                                                                                              \
        return jn_##suffix(20, x);                                                                 \
    }                                                                                              \
    static T yn_5_##suffix(T x)                                                                    \
    {                                                                                              \
        return yn_##suffix(5, x);                                                                  \
    }                                                                                              \
    static T yn_20_##suffix(T x)                                                                   \
    {                                                                                              \
        return yn_##suffix(20, x);                                                                 \
    }                                                                                              \
    static T norm3d_xyy_##suffix(T x, T y)                                                         \
    {                                                                                              \
        return norm3d_##suffix(x, y, y);                                                           \
    }                                                                                              \
    static T norm4d_xyyy_##suffix(T x, T y)                                                        \
    {                                                                                              \
        return norm4d_##suffix(x, y, y, y);                                                        \
    }                                                                                              \
    static T rnorm3d_xyy_##suffix(T x, T y)                                                        \
    {                                                                                              \
        return rnorm3d_##suffix(x, y, y);                                                          \
    }                                                                                              \
    static T rnorm4d_xyyy_##suffix(T x, T y)                                                       \
    {                                                                                              \
        return rnorm4d_##suffix(x, y, y, y);                                                       \
    }
WITH_ARGUMENTS(f32, float)
WITH_ARGUMENTS(f64, double)
} // namespace __ah

namespace
{
template <typename Op, typename T> void apply(T *out, const T *x, const T *y, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = Op::call(x[i], Op::arguments == 2 ? y[i] : T(0));
}
// A null pointer if Op's result is `missing`.
template <typename Op, typename T>
constexpr void (*pointer())(T *out, const T *x, const T *y, std::size_t n)
{
    if constexpr (__ah::is_missing<decltype(Op::call(T(0), T(0)))>::value)
        return nullptr;
    else
        return apply<Op, T>;
}

#define ROW(name, suffix, T, n, ...)                                                               \
    struct name##_##suffix##_row {                                                                 \
        static constexpr int arguments = n;                                                        \
        static __attribute__((always_inline)) auto call(T x, [[maybe_unused]] T y)                 \
        {                                                                                          \
            return __ah::name##_##suffix(__VA_ARGS__);                                             \
        }                                                                                          \
    };
#define MATH_1(name, ...)                                                                          \
    ROW(name, f32, float, 1, x)                                                                    \
    ROW(name, f64, double, 1, x)
#define MATH_2(name, ...)                                                                          \
    ROW(name, f32, float, 2, x, y)                                                                 \
    ROW(name, f64, double, 2, x, y)
#include "functions.def"
} // namespace

#if defined(EMULATE_NVIDIA)
const device_function nvidia_functions[] = {
#else
const device_function amd_functions[] = {
#endif
#define MATH_1(name, ...)                                                                          \
    {#name, pointer<name##_f32_row, float>(), pointer<name##_f64_row, double>()},
#define MATH_2 MATH_1
#include "functions.def"
    {nullptr, nullptr, nullptr}};
