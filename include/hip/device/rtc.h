// What source text compiled at run time (hiprtc) finds without any #include, besides the
// kernel language: integer types, limits, assert, halves, bfloat16, cooperative groups, and
// __hip_internal, which there stands for <type_traits>. Included by hip_runtime.h.
#ifndef HIP_DEVICE_RTC_H
#define HIP_DEVICE_RTC_H

// As on Windows, for programs that ask for it.
#if defined(__HIPRTC_PTRDIFF_T_IS_LONG_LONG__) && __HIPRTC_PTRDIFF_T_IS_LONG_LONG__
typedef long long ptrdiff_t;
#define _PTRDIFF_T // clang's <stddef.h> leaves it alone
#endif

#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

namespace __hip_internal
{
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;

template <typename T, T v> struct integral_constant {
    typedef T value_type;
    typedef integral_constant type;
    static constexpr T value = v;
    constexpr operator T() const { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <typename T, typename U> struct is_same : bool_constant<__is_same(T, U)> {
};
template <typename B, typename D> struct is_base_of : bool_constant<__is_base_of(B, D)> {
};
template <typename F, typename T> struct is_convertible : bool_constant<__is_convertible(F, T)> {
};

#define AH_TRAIT(name)                                                                             \
    template <typename T> struct is_##name : bool_constant<__is_##name(T)> {                       \
    };
AH_TRAIT(arithmetic)
AH_TRAIT(array)
AH_TRAIT(class)
AH_TRAIT(const)
AH_TRAIT(empty)
AH_TRAIT(enum)
AH_TRAIT(floating_point)
AH_TRAIT(function)
AH_TRAIT(fundamental)
AH_TRAIT(integral)
AH_TRAIT(pointer)
AH_TRAIT(reference)
AH_TRAIT(scalar)
AH_TRAIT(signed)
AH_TRAIT(standard_layout)
AH_TRAIT(trivially_copyable)
AH_TRAIT(unsigned)
AH_TRAIT(void)
AH_TRAIT(volatile)
#undef AH_TRAIT

#define AH_TRANSFORMATION(name)                                                                    \
    template <typename T> struct name {                                                            \
        typedef __##name(T) type;                                                                  \
    };                                                                                             \
    template <typename T> using name##_t = typename name<T>::type;
AH_TRANSFORMATION(add_pointer)
AH_TRANSFORMATION(decay)
AH_TRANSFORMATION(make_signed)
AH_TRANSFORMATION(make_unsigned)
AH_TRANSFORMATION(remove_const)
AH_TRANSFORMATION(remove_cv)
AH_TRANSFORMATION(remove_extent)
AH_TRANSFORMATION(remove_pointer)
AH_TRANSFORMATION(remove_volatile)
AH_TRANSFORMATION(underlying_type)
#undef AH_TRANSFORMATION
template <typename T> struct remove_reference {
    typedef __remove_reference_t(T) type;
};
template <typename T> using remove_reference_t = typename remove_reference<T>::type;

template <bool condition, typename T = void> struct enable_if {
};
template <typename T> struct enable_if<true, T> {
    typedef T type;
};
template <bool condition, typename T = void>
using enable_if_t = typename enable_if<condition, T>::type;

template <bool condition, typename T, typename F> struct conditional {
    typedef T type;
};
template <typename T, typename F> struct conditional<false, T, F> {
    typedef F type;
};
template <bool condition, typename T, typename F>
using conditional_t = typename conditional<condition, T, F>::type;
} // namespace __hip_internal

#endif
