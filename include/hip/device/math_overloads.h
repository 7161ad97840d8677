/* The names that C++ shares between types: sqrt(float) beside sqrt(double), abs, pow with
 * an integer, isnan and its kin as functions, and HIP's min and max. The forms for
 * integer and mixed arguments are in prelude.h. */
#ifndef HIP_DEVICE_MATH_OVERLOADS_H
#define HIP_DEVICE_MATH_OVERLOADS_H

#include "hip/device/bessel.h"
#include "hip/device/math_f32.h"
#include "hip/device/math_f64.h"
#include "hip/device/math_host.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

#define AH_MATH_F(name)                                                                            \
    __AH_FN float name(float x) { return name##f(x); }
#define AH_MATH_FF(name)                                                                           \
    __AH_FN float name(float x, float y) { return name##f(x, y); }
#define AH_MATH_FI(name, kind)                                                                     \
    __AH_FN float name(float x, kind n) { return name##f(x, n); }
#define AH_MATH_TO(name, kind)                                                                     \
    __AH_FN kind name(float x) { return name##f(x); }
#define AH_MATH_IS(name)                                                                           \
    __AH_FN bool name(float x) { return __builtin_##name(x); }                                     \
    __AH_FN bool name(double x) { return __builtin_##name(x); }
#define AH_MATH_CMP(name)                                                                          \
    __AH_FN bool name(float x, float y) { return __builtin_##name(x, y); }                         \
    __AH_FN bool name(double x, double y) { return __builtin_##name(x, y); }
#include "hip/device/math_names.def"

__AH_FN int abs(int x) { return __builtin_abs(x); }
__AH_FN long abs(long x) { return __builtin_labs(x); }
__AH_FN long long abs(long long x) { return __builtin_llabs(x); }
__AH_FN float abs(float x) { return __builtin_fabsf(x); }
__AH_FN double abs(double x) { return __builtin_fabs(x); }
__AH_FN long labs(long x) { return __builtin_labs(x); }
__AH_FN long long llabs(long long x) { return __builtin_llabs(x); }
/* the numbers of glibc: FP_NAN 0, FP_INFINITE 1, FP_ZERO 2, FP_SUBNORMAL 3, FP_NORMAL 4 */
__AH_FN int fpclassify(float x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
__AH_FN int fpclassify(double x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
/* names of the C library's own that programs know */
__AH_FN bool __finite(double x) { return __builtin_isfinite(x); }
__AH_FN bool __finitef(float x) { return __builtin_isfinite(x); }
__AH_FN bool __isinf(double x) { return __builtin_isinf(x); }
__AH_FN bool __isinff(float x) { return __builtin_isinf(x); }
__AH_FN bool __isnan(double x) { return __builtin_isnan(x); }
__AH_FN bool __isnanf(float x) { return __builtin_isnan(x); }
__AH_FN bool __signbit(double x) { return __builtin_signbit(x); }
__AH_FN bool __signbitf(float x) { return __builtin_signbit(x); }
__AH_FN float fma(float x, float y, float z) { return fmaf(x, y, z); }
__AH_FN float frexp(float x, int *exponent) { return frexpf(x, exponent); }
__AH_FN float hypot(float x, float y, float z) { return norm3df(x, y, z); }
__AH_FN double hypot(double x, double y, double z) { return norm3d(x, y, z); }
__AH_FN float modf(float x, float *whole) { return modff(x, whole); }
__AH_FN float pow(float x, int n) { return powif(x, n); }
__AH_FN double pow(double x, int n) { return powi(x, n); }
__AH_FN float remquo(float x, float y, int *low) { return remquof(x, y, low); }

/* ---- min and max ---- */

/* Of two floating point numbers the one that is a number. */
__AH_FN float min(float x, float y) { return __builtin_fminf(x, y); }
__AH_FN float max(float x, float y) { return __builtin_fmaxf(x, y); }
__AH_FN double min(double x, double y) { return __builtin_fmin(x, y); }
__AH_FN double max(double x, double y) { return __builtin_fmax(x, y); }
__AH_FN int min(int x, int y) { return y < x ? y : x; }
__AH_FN int max(int x, int y) { return x < y ? y : x; }
template <typename T> __AH_FN T min(T x, T y) { return y < x ? y : x; }
template <typename T> __AH_FN T max(T x, T y) { return x < y ? y : x; }

namespace __ah
{
/* What min and max of two types are. Where the two signs differ, min(-1, 2u) is -1 and
 * max(-1, 2u) is 2u: the smaller value always fits the signed type, the larger one the
 * unsigned type, of the wider operand. A floating point operand makes it double. */
template <typename T, typename U, bool integers = __is_integral(T) && __is_integral(U)>
struct mixed {
    typedef double smaller, larger;
    template <typename A, typename B> static __device__ bool less(A a, B b)
    {
        return static_cast<double>(a) < static_cast<double>(b);
    }
};
template <typename T, typename U> struct mixed<T, U, true> {
    typedef decltype(true ? T() : U()) common; /* of the usual conversions */
    static constexpr bool T_signed = T(-1) < T(0), U_signed = U(-1) < U(0);
    template <bool wide, typename Narrow, typename Wide> struct pick {
        typedef Narrow type;
    };
    template <typename Narrow, typename Wide> struct pick<true, Narrow, Wide> {
        typedef Wide type;
    };
    static constexpr bool wide = sizeof(common) == 8;
    static constexpr bool differ = T_signed != U_signed;
    typedef typename pick<differ, common, typename pick<wide, int, long long>::type>::type smaller;
    typedef typename pick<differ, common,
                          typename pick<wide, unsigned int, unsigned long long>::type>::type larger;
    template <typename A, typename B> static __device__ bool less(A a, B b)
    {
        return T_signed == U_signed ? static_cast<common>(a) < static_cast<common>(b)
               : A(-1) < A(0)       ? a < A(0) || static_cast<larger>(a) < static_cast<larger>(b)
                              : !(b < B(0)) && static_cast<larger>(a) < static_cast<larger>(b);
    }
};
} // namespace __ah

template <typename T, typename U>
__AH_FN typename __ah::if_mixed<T, U, typename __ah::mixed<T, U>::smaller>::type min(T x, U y)
{
    typedef __ah::mixed<T, U> M;
    typedef typename M::smaller R;
    return M::less(y, x) ? static_cast<R>(y) : static_cast<R>(x);
}
template <typename T, typename U>
__AH_FN typename __ah::if_mixed<T, U, typename __ah::mixed<T, U>::larger>::type max(T x, U y)
{
    typedef __ah::mixed<T, U> M;
    typedef typename M::larger R;
    return M::less(x, y) ? static_cast<R>(y) : static_cast<R>(x);
}

/* HIP's global min and max for host code: of int always, more on request. */
#if !defined(__HIP_NO_HOST_MIN_MAX_IN_GLOBAL_NAMESPACE__)
#define __AH_HOST_MIN_MAX(R, T, U)                                                                 \
    inline __host__ R min(const T x, const U y) { return x < y ? x : y; }                          \
    inline __host__ R max(const T x, const U y) { return x > y ? x : y; }
__AH_HOST_MIN_MAX(int, int, int)
#if __HIP_DEFINE_EXTENDED_HOST_MIN_MAX__
__AH_HOST_MIN_MAX(unsigned int, unsigned int, unsigned int)
__AH_HOST_MIN_MAX(long, long, long)
__AH_HOST_MIN_MAX(unsigned long, unsigned long, unsigned long)
__AH_HOST_MIN_MAX(long long, long long, long long)
__AH_HOST_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
inline __host__ float min(const float x, const float y) { return __builtin_fminf(x, y); }
inline __host__ float max(const float x, const float y) { return __builtin_fmaxf(x, y); }
inline __host__ double min(const double x, const double y) { return __builtin_fmin(x, y); }
inline __host__ double max(const double x, const double y) { return __builtin_fmax(x, y); }
inline __host__ double min(const float x, const double y) { return __builtin_fmin(x, y); }
inline __host__ double max(const float x, const double y) { return __builtin_fmax(x, y); }
inline __host__ double min(const double x, const float y) { return __builtin_fmin(x, y); }
inline __host__ double max(const double x, const float y) { return __builtin_fmax(x, y); }
#endif
#if __HIP_DEFINE_MIXED_HOST_MIN_MAX__
/* compared as unsigned numbers */
__AH_HOST_MIN_MAX(unsigned int, int, unsigned int)
__AH_HOST_MIN_MAX(unsigned int, unsigned int, int)
__AH_HOST_MIN_MAX(unsigned long, long, unsigned long)
__AH_HOST_MIN_MAX(unsigned long, unsigned long, long)
__AH_HOST_MIN_MAX(unsigned long long, long long, unsigned long long)
__AH_HOST_MIN_MAX(unsigned long long, unsigned long long, long long)
#endif
#undef __AH_HOST_MIN_MAX
#endif

#undef __AH_FN
#endif
