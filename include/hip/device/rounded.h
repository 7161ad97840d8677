/* Arithmetic with a stated rounding: __fadd_rn, __dmul_ru, __fsqrt_rd ... _rn to nearest
 * even, _rd down, _ru up, _rz toward zero. None is ever fused with a neighbour.
 *
 * NVIDIA: the instruction with the rounding as a modifier. AMD: the rounding bits of the
 * MODE register are set around one instruction; quotients and square roots, which are
 * sequences of instructions there, are taken to nearest and corrected by the sign of what
 * is left over, which is exact for subnormal results too. */
#ifndef HIP_DEVICE_ROUNDED_H
#define HIP_DEVICE_ROUNDED_H

#include "hip/device/conversion.h"
#include "hip/device/math_parts.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

#if defined(__NVPTX__)

#define __AH_ROUNDED(FN, T, f, fma, letter, mode, r)                                               \
    FN T __##f##add_##mode(T x, T y) { return __nvvm_add_##r##_##letter(x, y); }                   \
    FN T __##f##sub_##mode(T x, T y) { return __nvvm_add_##r##_##letter(x, -y); }                  \
    FN T __##f##mul_##mode(T x, T y) { return __nvvm_mul_##r##_##letter(x, y); }                   \
    FN T __##f##div_##mode(T x, T y) { return __nvvm_div_##r##_##letter(x, y); }                   \
    FN T __##f##rcp_##mode(T x) { return __nvvm_rcp_##r##_##letter(x); }                           \
    FN T __##f##sqrt_##mode(T x) { return __nvvm_sqrt_##r##_##letter(x); }                         \
    FN T fma##mode(T x, T y, T z) { return __nvvm_fma_##r##_##letter(x, y, z); }
__AH_ROUNDED(__AH_FN, float, f, __fmaf_, f, rn, rn)
__AH_ROUNDED(__AH_YIELDING __AH_FN, float, f, __fmaf_, f, rd, rm)
__AH_ROUNDED(__AH_YIELDING __AH_FN, float, f, __fmaf_, f, ru, rp)
__AH_ROUNDED(__AH_YIELDING __AH_FN, float, f, __fmaf_, f, rz, rz)
__AH_ROUNDED(__AH_FN, double, d, __fma_, d, rn, rn)
__AH_ROUNDED(__AH_YIELDING __AH_FN, double, d, __fma_, d, rd, rm)
__AH_ROUNDED(__AH_YIELDING __AH_FN, double, d, __fma_, d, ru, rp)
__AH_ROUNDED(__AH_YIELDING __AH_FN, double, d, __fma_, d, rz, rz)
#undef __AH_ROUNDED

#else

/* Without contraction the compiler may not fuse what these return; what follows them is
 * compiled as the command line says. */
#pragma clang fp contract(off)

__AH_FN float __fadd_rn(float x, float y) { return x + y; }
__AH_FN float __fsub_rn(float x, float y) { return x - y; }
__AH_FN float __fmul_rn(float x, float y) { return x * y; }
__AH_FN float __fdiv_rn(float x, float y) { return x / y; }
__AH_FN float __frcp_rn(float x) { return 1.0f / x; }
__AH_FN float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
__AH_FN float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__AH_FN double __dadd_rn(double x, double y) { return x + y; }
__AH_FN double __dsub_rn(double x, double y) { return x - y; }
__AH_FN double __dmul_rn(double x, double y) { return x * y; }
__AH_FN double __ddiv_rn(double x, double y) { return x / y; }
__AH_FN double __drcp_rn(double x) { return 1.0 / x; }
__AH_FN double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
__AH_FN double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }

/* One instruction under a rounding: MODE bits 0..1 round float, bits 2..3 double; 1 is up,
 * 2 down, 3 toward zero, and 0, to nearest, is what the compiler expects afterwards. */
#if defined(__HIP_DEVICE_COMPILE__)
#define __AH_UNDER_2(bits, mode, instruction)                                                      \
    asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, " bits ", 2), " mode "\n\t" instruction    \
                 " %0, %1, %2\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, " bits ", 2), 0"            \
                 : "=&v"(r)                                                                        \
                 : "v"(x), "v"(y))
#define __AH_UNDER_3(bits, mode, instruction)                                                      \
    asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, " bits ", 2), " mode "\n\t" instruction    \
                 " %0, %1, %2, %3\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, " bits ", 2), 0"        \
                 : "=&v"(r)                                                                        \
                 : "v"(x), "v"(y), "v"(z))
#else
#define __AH_UNDER_2(bits, mode, instruction) r = x + y
#define __AH_UNDER_3(bits, mode, instruction) r = x + y + z
#endif
#define __AH_DIRECTED(T, f, fma, size, bits, suffix, mode)                                         \
    __AH_YIELDING __AH_FN T __##f##add_##suffix(T x, T y)                                          \
    {                                                                                              \
        T r;                                                                                       \
        __AH_UNDER_2(bits, mode, "v_add_" size);                                                   \
        return r;                                                                                  \
    }                                                                                              \
    __AH_YIELDING __AH_FN T __##f##sub_##suffix(T x, T y) { return __##f##add_##suffix(x, -y); }   \
    __AH_YIELDING __AH_FN T __##f##mul_##suffix(T x, T y)                                          \
    {                                                                                              \
        T r;                                                                                       \
        __AH_UNDER_2(bits, mode, "v_mul_" size);                                                   \
        return r;                                                                                  \
    }                                                                                              \
    __AH_YIELDING __AH_FN T fma##suffix(T x, T y, T z)                                             \
    {                                                                                              \
        T r;                                                                                       \
        __AH_UNDER_3(bits, mode, "v_fma_" size);                                                   \
        return r;                                                                                  \
    }
__AH_DIRECTED(float, f, __fmaf_, "f32", "0", rd, "2")
__AH_DIRECTED(float, f, __fmaf_, "f32", "0", ru, "1")
__AH_DIRECTED(float, f, __fmaf_, "f32", "0", rz, "3")
__AH_DIRECTED(double, d, __fma_, "f64", "2", rd, "2")
__AH_DIRECTED(double, d, __fma_, "f64", "2", ru, "1")
__AH_DIRECTED(double, d, __fma_, "f64", "2", rz, "3")
#undef __AH_DIRECTED
#undef __AH_UNDER_2
#undef __AH_UNDER_3

namespace __ah
{
/* r is the nearest number to an exact result that lies above r (rest > 0), at r or below. */
template <typename T> __AH_FN T down_by(T r, T rest) { return rest < 0 ? step_down(r) : r; }
template <typename T> __AH_FN T up_by(T r, T rest) { return rest > 0 ? step_up(r) : r; }

/* What x / y is above its nearest number q: the sign of (x - q y) / y. An infinite q is
 * above every finite quotient. */
template <typename T> __AH_FN T quotient_rest(T x, T y, T q)
{
    constexpr T infinity = T(__builtin_inff());
    if (absolute(q) == infinity)
        return absolute(x) < infinity && y != 0 ? -q : T(0);
    if (absolute(y) == infinity || y == 0)
        return T(0);
    /* scaled so that the difference is not lost below the normal range */
    int e = x == 0 ? 0 : -exponent(x), g = -exponent(y);
    T rest = fused(-scaled(q, e - g), scaled(y, g), scaled(x, e));
    return y < 0 ? -rest : rest;
}
template <typename T> __AH_FN T root_rest(T x, T r)
{
    if (!(x > 0) || absolute(x) == T(__builtin_inff()))
        return T(0);
    int e = -(exponent(x) & ~1);
    return fused(-scaled(r, e / 2), scaled(r, e / 2), scaled(x, e));
}
} // namespace __ah

#define __AH_QUOTIENTS(T, f, sqrt_)                                                                \
    __AH_YIELDING __AH_FN T __##f##div_rd(T x, T y)                                                \
    {                                                                                              \
        T q = x / y;                                                                               \
        return __ah::down_by(q, __ah::quotient_rest(x, y, q));                                     \
    }                                                                                              \
    __AH_YIELDING __AH_FN T __##f##div_ru(T x, T y)                                                \
    {                                                                                              \
        T q = x / y;                                                                               \
        return __ah::up_by(q, __ah::quotient_rest(x, y, q));                                       \
    }                                                                                              \
    __AH_YIELDING __AH_FN T __##f##div_rz(T x, T y)                                                \
    {                                                                                              \
        return (x < 0) == (y < 0) ? __##f##div_rd(x, y) : __##f##div_ru(x, y);                     \
    }                                                                                              \
    __AH_YIELDING __AH_FN T __##f##rcp_rd(T x) { return __##f##div_rd(T(1), x); }                  \
    __AH_YIELDING __AH_FN T __##f##rcp_ru(T x) { return __##f##div_ru(T(1), x); }                  \
    __AH_YIELDING __AH_FN T __##f##rcp_rz(T x) { return __##f##div_rz(T(1), x); }                  \
    __AH_YIELDING __AH_FN T __##f##sqrt_rd(T x)                                                    \
    {                                                                                              \
        T r = sqrt_(x);                                                                            \
        return __ah::down_by(r, __ah::root_rest(x, r));                                            \
    }                                                                                              \
    __AH_YIELDING __AH_FN T __##f##sqrt_ru(T x)                                                    \
    {                                                                                              \
        T r = sqrt_(x);                                                                            \
        return __ah::up_by(r, __ah::root_rest(x, r));                                              \
    }                                                                                              \
    __AH_YIELDING __AH_FN T __##f##sqrt_rz(T x) { return __##f##sqrt_rd(x); }
__AH_QUOTIENTS(float, f, __builtin_sqrtf)
__AH_QUOTIENTS(double, d, __builtin_sqrt)
#undef __AH_QUOTIENTS

#pragma STDC FP_CONTRACT DEFAULT
#endif

/* 1 / sqrt(x) to nearest, by way of double: of no float is the exact result so close to the middle
 * between two floats that the rounding of the double shows. On NVIDIA a step of Newton's, of which
 * only the last sum is rounded, starts from the approximation; for what is not a positive number
 * that is right already, and the error is no number, or 1. */
__AH_FN float __frsqrt_rn(float x)
{
#if defined(__NVPTX__)
    double wide = static_cast<double>(x), r = static_cast<double>(__nvvm_rsqrt_approx_f(x));
    double error = __builtin_fma(-wide * r, r, 1.0);
    double better = __builtin_fma(r * error, __builtin_fma(error, 0.375, 0.5), r);
    return static_cast<float>(__builtin_fabs(error) < 0.5 ? better : r);
#else
    return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
#endif
}

#undef __AH_FN
#endif
