// The approximate instructions of GPUs for the host, so that device math can be compiled for it.
// Each returns the exact value moved by at most the error that the vendor documents; emulation_mode
// says where to. Values that are exact in the format stay as they are, as they do in hardware.
//
// EMULATE_NVIDIA or EMULATE_AMD says whose builtins are defined; the macro by which device headers
// know their target is defined with them. Include system headers before this one.
#ifndef AH_TESTS_MATH_EMULATE_H
#define AH_TESTS_MATH_EMULATE_H

#include <cmath>
#include <cstdint>
#include <cstring>

#include "emulation_mode.h"

namespace emulate
{
// -1, 0 or 1: where an approximation of that exact value lies within its error.
inline double side(double exact)
{
    if (emulation_mode != hashed)
        return emulation_mode == lowest ? -1.0 : emulation_mode == highest ? 1.0 : 0.0;
    const std::uint64_t h = __builtin_bit_cast(std::uint64_t, exact) * 0x9e3779b97f4a7c15u;
    return static_cast<double>(static_cast<std::int64_t>(h >> 62)) * 0.5 - 0.75 < 0 ? -1.0 : 1.0;
}

// The float farthest from an exact value that is no more than `error` from it, on one side.
inline float within(double exact, double error)
{
    const float nearest = static_cast<float>(exact);
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, nearest);
    const std::uint32_t exponent = bits >> 23 & 255;
    const double s = side(exact);
    if (exponent == 255 || exponent == 0 || s == 0 || nearest == exact)
        return nearest;
    const double ulp =
        __builtin_bit_cast(double, (std::uint64_t{exponent} - 127 - 23 + 1023) << 52);
    const double steps = (exact + s * error) / ulp;
    return static_cast<float>((s < 0 ? std::ceil(steps) : std::floor(steps)) * ulp);
}
inline float within_ulps(double exact, double ulps)
{
    const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, exact) & 0x7ff0000000000000u;
    return within(exact, ulps * 0x1p-23 * __builtin_bit_cast(double, bits));
}
inline float within_relative(double exact, double error)
{
    return within(exact, std::fabs(exact) * error);
}
// The same for an approximation of a double whose error hides the rounding.
inline double wide_within_relative(double exact, double error)
{
    return exact + exact * error * side(exact);
}
inline float flushed(float x)
{
    return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}
inline double flushed(double x)
{
    return std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x;
}
inline double high_word(double x)
{
    return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) & 0xffffffff00000000u);
}
} // namespace emulate

#define BUILTIN static inline __attribute__((always_inline, unused))

#if defined(EMULATE_NVIDIA)

// Errors: PTX ISA, floating point instructions.
BUILTIN float __nvvm_ex2_approx_f(float x)
{
    return emulate::within_ulps(std::exp2(double(x)), 2);
}
BUILTIN float __nvvm_ex2_approx_ftz_f(float x)
{
    return emulate::flushed(__nvvm_ex2_approx_f(emulate::flushed(x)));
}
BUILTIN float __nvvm_lg2_approx_f(float x)
{
    const double exact = std::log2(double(x));
    return x > 0.5f && x < 2.0f ? emulate::within(exact, 0x1p-22)
                                : emulate::within_relative(exact, 0x1p-22);
}
BUILTIN float __nvvm_lg2_approx_ftz_f(float x)
{
    return __nvvm_lg2_approx_f(emulate::flushed(x));
}
BUILTIN float __nvvm_rcp_approx_f(float x)
{
    return emulate::within_ulps(1 / double(x), 1);
}
BUILTIN float __nvvm_rcp_approx_ftz_f(float x)
{
    return emulate::flushed(emulate::within_ulps(1 / double(emulate::flushed(x)), 1));
}
BUILTIN float __nvvm_rsqrt_approx_f(float x)
{
    return emulate::within_relative(1 / std::sqrt(double(x)), 0x1.125fbep-23); /* 2^-22.9 */
}
BUILTIN float __nvvm_rsqrt_approx_ftz_f(float x)
{
    return __nvvm_rsqrt_approx_f(emulate::flushed(x));
}
BUILTIN float __nvvm_sqrt_approx_f(float x)
{
    return emulate::within_relative(std::sqrt(double(x)), 0x1p-23);
}
BUILTIN float __nvvm_sqrt_approx_ftz_f(float x)
{
    return __nvvm_sqrt_approx_f(emulate::flushed(x));
}
BUILTIN float __nvvm_sin_approx_f(float x)
{
    return emulate::within(std::sin(double(x)), 0x1p-20);
}
BUILTIN float __nvvm_sin_approx_ftz_f(float x)
{
    return __nvvm_sin_approx_f(emulate::flushed(x));
}
BUILTIN float __nvvm_cos_approx_f(float x)
{
    return emulate::within(std::cos(double(x)), 0x1p-20);
}
BUILTIN float __nvvm_cos_approx_ftz_f(float x)
{
    return __nvvm_cos_approx_f(emulate::flushed(x));
}
BUILTIN float __nvvm_tanh_approx_f(float x)
{
    return emulate::within_relative(std::tanh(double(x)), 0x1p-11);
}
BUILTIN float __nvvm_div_approx_f(float x, float y)
{
    return emulate::within_ulps(double(x) / double(y), 2);
}
BUILTIN float __nvvm_div_approx_ftz_f(float x, float y)
{
    return emulate::flushed(__nvvm_div_approx_f(emulate::flushed(x), emulate::flushed(y)));
}
BUILTIN float __nvvm_rcp_rn_f(float x)
{
    return 1.0f / x;
}
BUILTIN float __nvvm_sqrt_rn_f(float x)
{
    return __builtin_sqrtf(x);
}
BUILTIN float __nvvm_div_rn_f(float x, float y)
{
    return x / y;
}
BUILTIN double __nvvm_rcp_rn_d(double x)
{
    return 1.0 / x;
}
BUILTIN double __nvvm_sqrt_rn_d(double x)
{
    return __builtin_sqrt(x);
}
BUILTIN double __nvvm_div_rn_d(double x, double y)
{
    return x / y;
}
// These see and give the high words of doubles.
BUILTIN double __nvvm_rcp_approx_ftz_d(double x)
{
    const double r = 1 / emulate::flushed(emulate::high_word(x));
    return std::isfinite(r)
               ? emulate::high_word(emulate::flushed(emulate::wide_within_relative(r, 0x1p-20)))
               : r;
}
BUILTIN double __nvvm_rsqrt_approx_ftz_d(double x)
{
    const double r = 1 / std::sqrt(emulate::flushed(emulate::high_word(x)));
    return std::isfinite(r) ? emulate::high_word(emulate::wide_within_relative(r, 0x1p-20)) : r;
}
BUILTIN double __nvvm_rsqrt_approx_d(double x)
{
    return emulate::wide_within_relative(1 / std::sqrt(x), 0x1p-51);
}
BUILTIN float __nvvm_fma_rn_f(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
BUILTIN double __nvvm_fma_rn_d(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
BUILTIN float __nvvm_add_rn_f(float x, float y)
{
#pragma clang fp contract(off)
    return x + y;
}
BUILTIN float __nvvm_mul_rn_f(float x, float y)
{
#pragma clang fp contract(off)
    return x * y;
}
BUILTIN double __nvvm_add_rn_d(double x, double y)
{
#pragma clang fp contract(off)
    return x + y;
}
BUILTIN double __nvvm_mul_rn_d(double x, double y)
{
#pragma clang fp contract(off)
    return x * y;
}
BUILTIN float __nvvm_saturate_f(float x)
{
    return x > 0 ? x < 1 ? x : 1.0f : 0.0f;
}
BUILTIN int __nvvm_d2i_hi(double x)
{
    return static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 32);
}
BUILTIN int __nvvm_d2i_lo(double x)
{
    return static_cast<int>(__builtin_bit_cast(std::uint64_t, x));
}
BUILTIN double __nvvm_lohi_i2d(int low, int high)
{
    return __builtin_bit_cast(double, std::uint64_t{static_cast<std::uint32_t>(high)} << 32 |
                                          static_cast<std::uint32_t>(low));
}
// Conversions saturate, and NaN becomes 0.
BUILTIN int __nvvm_f2i_rn(float x)
{
    return x != x          ? 0
           : x >= 0x1p31f  ? 2147483647
           : x <= -0x1p31f ? -2147483647 - 1
                           : static_cast<int>(__builtin_rintf(x));
}
BUILTIN int __nvvm_d2i_rn(double x)
{
    return x != x              ? 0
           : x >= 2147483647.0 ? 2147483647
           : x <= -0x1p31      ? -2147483647 - 1
                               : static_cast<int>(__builtin_rint(x));
}
BUILTIN int __nvvm_mulhi_i(int x, int y)
{
    return static_cast<int>(static_cast<std::int64_t>(x) * y >> 32);
}
BUILTIN unsigned int __nvvm_mulhi_ui(unsigned int x, unsigned int y)
{
    return static_cast<unsigned int>(std::uint64_t{x} * y >> 32);
}
BUILTIN unsigned long long __nvvm_mulhi_ull(unsigned long long x, unsigned long long y)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
#define __NVPTX__ 1

#elif defined(EMULATE_AMD)

// Errors: AMD's instruction set documents; 1 ULP in float, where subnormal numbers are flushed, and
// 2^29 ULP in double.
BUILTIN float __builtin_amdgcn_exp2f(float x)
{
    return emulate::flushed(emulate::within_ulps(std::exp2(double(emulate::flushed(x))), 1));
}
BUILTIN float __builtin_amdgcn_logf(float x)
{
    return emulate::within_ulps(std::log2(double(emulate::flushed(x))), 1);
}
BUILTIN float __builtin_amdgcn_rcpf(float x)
{
    return emulate::flushed(emulate::within_ulps(1 / double(emulate::flushed(x)), 1));
}
BUILTIN float __builtin_amdgcn_rsqf(float x)
{
    return emulate::within_ulps(1 / std::sqrt(double(emulate::flushed(x))), 1);
}
BUILTIN float __builtin_amdgcn_sqrtf(float x)
{
    return emulate::within_ulps(std::sqrt(double(emulate::flushed(x))), 1);
}
BUILTIN float __builtin_amdgcn_sinf(float x)
{
    return emulate::within(std::sin(double(x) * 6.283185307179586), 0x1p-20);
}
BUILTIN float __builtin_amdgcn_cosf(float x)
{
    return emulate::within(std::cos(double(x) * 6.283185307179586), 0x1p-20);
}
BUILTIN double __builtin_amdgcn_rcp(double x)
{
    const double r = 1 / emulate::flushed(x);
    return std::isfinite(r) ? emulate::flushed(emulate::wide_within_relative(r, 0x1p-24)) : r;
}
BUILTIN double __builtin_amdgcn_rsq(double x)
{
    const double r = 1 / std::sqrt(x); /* of subnormal numbers too */
    return std::isfinite(r) ? emulate::wide_within_relative(r, 0x1p-23) : r;
}
BUILTIN double __builtin_amdgcn_sqrt(double x)
{
    const double r = std::sqrt(emulate::flushed(x));
    return std::isfinite(r) ? emulate::wide_within_relative(r, 0x1p-24) : r;
}
BUILTIN float __builtin_amdgcn_fractf(float x)
{
    return std::fmin(x - std::floor(x), 0x1.fffffep-1f);
}
BUILTIN double __builtin_amdgcn_fract(double x)
{
    return std::fmin(x - std::floor(x), 0x1.fffffffffffffp-1);
}
// 53 bits of 2 / pi, of those that count for an angle with that exponent.
BUILTIN double __builtin_amdgcn_trig_preop(double x, int segment)
{
    static const std::uint64_t bits[] = {
        0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
        0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
        0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
        0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
        0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000, 0};
    const int exponent = static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52 & 0x7ff);
    const int shift = segment * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    const unsigned __int128 both =
        static_cast<unsigned __int128>(bits[shift / 64]) << 64 | bits[shift / 64 + 1];
    const auto first = static_cast<std::uint64_t>(both << shift % 64 >> 75);
    return std::ldexp(static_cast<double>(first), -53 - shift + (exponent >= 1968 ? 128 : 0));
}
BUILTIN float __builtin_amdgcn_ldexpf(float x, int n)
{
    return std::ldexp(x, n);
}
BUILTIN double __builtin_amdgcn_ldexp(double x, int n)
{
    return std::ldexp(x, n);
}
BUILTIN float __builtin_amdgcn_frexp_mantf(float x)
{
    int e;
    return std::isfinite(x) ? std::frexp(x, &e) : x;
}
BUILTIN double __builtin_amdgcn_frexp_mant(double x)
{
    int e;
    return std::isfinite(x) ? std::frexp(x, &e) : x;
}
BUILTIN int __builtin_amdgcn_frexp_expf(float x)
{
    int e = 0;
    return std::isfinite(x) ? (void)std::frexp(x, &e), e : 0;
}
BUILTIN int __builtin_amdgcn_frexp_exp(double x)
{
    int e = 0;
    return std::isfinite(x) ? (void)std::frexp(x, &e), e : 0;
}
BUILTIN float __builtin_amdgcn_fmed3f(float x, float y, float z)
{
    return std::fmax(std::fmin(x, y), std::fmin(std::fmax(x, y), z));
}
namespace emulate
{
// Bits: 0 and 1 NaN, 2 -infinity, 3 -normal, 4 -subnormal, 5 -0, 6 +0 ... 9 +infinity.
template <typename T> inline bool of_class(T x, int mask)
{
    const bool negative = std::signbit(x);
    switch (std::fpclassify(x)) {
    case FP_NAN:
        return mask & 3;
    case FP_INFINITE:
        return mask & (negative ? 4 : 512);
    case FP_NORMAL:
        return mask & (negative ? 8 : 256);
    case FP_SUBNORMAL:
        return mask & (negative ? 16 : 128);
    default:
        return mask & (negative ? 32 : 64);
    }
}
} // namespace emulate
BUILTIN bool __builtin_amdgcn_classf(float x, int mask)
{
    return emulate::of_class(x, mask);
}
BUILTIN bool __builtin_amdgcn_class(double x, int mask)
{
    return emulate::of_class(x, mask);
}
BUILTIN unsigned int __builtin_amdgcn_alignbit(unsigned int high, unsigned int low,
                                               unsigned int shift)
{
    return static_cast<unsigned int>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
BUILTIN unsigned int __builtin_amdgcn_ubfe(unsigned int x, unsigned int from, unsigned int n)
{
    return n == 0 ? 0 : x >> (from & 31) & (n >= 32 ? ~0u : (1u << n) - 1);
}
#define __AMDGCN__ 1

#else
#error "EMULATE_NVIDIA or EMULATE_AMD"
#endif

#undef BUILTIN
#endif
