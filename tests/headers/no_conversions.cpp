// The macros that leave out what converts numbers of 4 and 6 bits, each by itself, in C++11.
#if defined(NO_CONSTRUCTORS)
#define __HIP_NO_FP4_CONVERSIONS__
#define __HIP_NO_FP6_CONVERSIONS__
#endif
#if defined(NO_OPERATORS)
#define __HIP_NO_FP4_CONVERSION_OPERATORS__
#define __HIP_NO_FP6_CONVERSION_OPERATORS__
#endif
#include <hip/hip_fp4.h>
#include <hip/hip_fp6.h>

#include <type_traits>

#if defined(NO_CONSTRUCTORS)
constexpr bool from_others = false;
#else
constexpr bool from_others = true;
#endif
#if defined(NO_OPERATORS)
constexpr bool to_others = false;
#else
constexpr bool to_others = true;
#endif

template <typename T, typename Other> constexpr bool converts()
{
    return std::is_constructible<T, Other>::value == from_others &&
           std::is_convertible<T, Other>::value == to_others &&
           !std::is_convertible<Other, T>::value && std::is_trivially_copyable<T>::value &&
           std::is_default_constructible<T>::value;
}
static_assert(converts<__hip_fp4_e2m1, float>() && converts<__hip_fp4_e2m1, double>(), "fp4");
static_assert(converts<__hip_fp4x2_e2m1, float2>() && converts<__hip_fp4x4_e2m1, float4>(), "fp4");
static_assert(converts<__hip_fp6_e2m3, float>() && converts<__hip_fp6_e3m2, double>(), "fp6");
static_assert(converts<__hip_fp6x2_e2m3, float2>() && converts<__hip_fp6x4_e3m2, double4>(), "fp6");

__hip_fp4_storage_t storage_converts_anyway(float x)
{
    return __hip_cvt_float_to_fp4(x, __HIP_E2M1, hipRoundNearest);
}
