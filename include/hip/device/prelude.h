/* What must be in place before the first line of a HIP translation unit. The compile
 * driver includes this file ahead of everything, so a program may include <cmath>,
 * <cstdio>, <cassert>, <new> ... before or after hip/hip_runtime.h.
 *
 * The C++ library marks its float overloads constexpr, and clang makes constexpr
 * functions callable from device code unless a __device__ function of the same
 * signature was declared before. The library's bodies call C functions that do not
 * exist on a GPU; hence the declarations below, at global scope and in std. The math,
 * memory and printf families, included at the end, define them: a source may use them that
 * includes no header of HIP. This file includes no system header, so that feature macros a program
 * defines still take effect. */
#ifndef HIP_DEVICE_PRELUDE_H
#define HIP_DEVICE_PRELUDE_H

/* clang accepts constexpr functions beside these only if these are of a system header. */
#if defined(__clang__)
#pragma clang system_header
#endif

#include "hip/device/qualifiers.h"

/* CMake's target hip::device with a C++ compiler that is neither hipcc nor clang. */
#if defined(ANYHIP_HIP_DEVICE) && !defined(__HIP__)
#error "hip::device needs hipcc or clang as the C++ compiler (CMAKE_CXX_COMPILER)"
#endif

#if defined(__HIP__) && defined(__clang__) && defined(__cplusplus)

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- <cmath> ---- */

#define AH_MATH_F(name)                                                                            \
    __AH_FN float name(float);                                                                     \
    __AH_FN double name(double);
#define AH_MATH_FF(name)                                                                           \
    __AH_FN float name(float, float);                                                              \
    __AH_FN double name(double, double);
#define AH_MATH_FI(name, kind)                                                                     \
    __AH_FN float name(float, kind);                                                               \
    __AH_FN double name(double, kind);
#define AH_MATH_TO(name, kind)                                                                     \
    __AH_FN kind name(float);                                                                      \
    __AH_FN kind name(double);
#define AH_MATH_IS(name)                                                                           \
    __AH_FN bool name(float);                                                                      \
    __AH_FN bool name(double);
#define AH_MATH_CMP(name)                                                                          \
    __AH_FN bool name(float, float);                                                               \
    __AH_FN bool name(double, double);
#include "hip/device/math_names.def"

__AH_FN int abs(int);
__AH_FN long abs(long);
__AH_FN long long abs(long long);
__AH_FN float abs(float);
__AH_FN double abs(double);
__AH_FN long labs(long);
__AH_FN long long llabs(long long);
__AH_FN int fpclassify(float);
__AH_FN int fpclassify(double);
__AH_FN float fma(float, float, float);
__AH_FN double fma(double, double, double);
__AH_FN float frexp(float, int *);
__AH_FN double frexp(double, int *);
__AH_FN float hypot(float, float, float);
__AH_FN double hypot(double, double, double);
__AH_FN float modf(float, float *);
__AH_FN double modf(double, double *);
__AH_FN double nan(const char *);
__AH_FN float nanf(const char *);
__AH_FN float pow(float, int);
__AH_FN double pow(double, int);
__AH_FN float remquo(float, float, int *);
__AH_FN double remquo(double, double, int *);

/* Integer and mixed arguments compute in double, as <cmath> defines them. */
namespace __ah
{
template <bool condition, typename T> struct enable_if {
};
template <typename T> struct enable_if<true, T> {
    typedef T type;
};
template <typename T, typename R> struct if_integral : enable_if<__is_integral(T), R> {
};
template <typename T, typename U> struct same {
    static constexpr bool value = false;
};
template <typename T> struct same<T, T> {
    static constexpr bool value = true;
};
/* names R for two arithmetic types of which not both are float or both double */
template <typename T, typename U, typename R>
struct if_mixed : enable_if<__is_arithmetic(T) && __is_arithmetic(U) &&
                                !(same<T, U>::value && __is_floating_point(T)),
                            R> {
};
} // namespace __ah

#define AH_MATH_F(name)                                                                            \
    template <typename T> __AH_FN typename __ah::if_integral<T, double>::type name(T x)            \
    {                                                                                              \
        return ::name(static_cast<double>(x));                                                     \
    }
#define AH_MATH_FF(name)                                                                           \
    template <typename T, typename U>                                                              \
    __AH_FN typename __ah::if_mixed<T, U, double>::type name(T x, U y)                             \
    {                                                                                              \
        return ::name(static_cast<double>(x), static_cast<double>(y));                             \
    }
#define AH_MATH_FI(name, kind)                                                                     \
    template <typename T> __AH_FN typename __ah::if_integral<T, double>::type name(T x, kind n)    \
    {                                                                                              \
        return ::name(static_cast<double>(x), n);                                                  \
    }
#define AH_MATH_TO(name, kind)                                                                     \
    template <typename T> __AH_FN typename __ah::if_integral<T, kind>::type name(T x)              \
    {                                                                                              \
        return ::name(static_cast<double>(x));                                                     \
    }
#define AH_MATH_IS(name)                                                                           \
    template <typename T> __AH_FN typename __ah::if_integral<T, bool>::type name(T x)              \
    {                                                                                              \
        return ::name(static_cast<double>(x));                                                     \
    }
#define AH_MATH_CMP(name)                                                                          \
    template <typename T, typename U>                                                              \
    __AH_FN typename __ah::if_mixed<T, U, bool>::type name(T x, U y)                               \
    {                                                                                              \
        return ::name(static_cast<double>(x), static_cast<double>(y));                             \
    }
#include "hip/device/math_names.def"

template <typename T> __AH_FN typename __ah::if_integral<T, double>::type frexp(T x, int *exponent)
{
    return ::frexp(static_cast<double>(x), exponent);
}
template <typename T> __AH_FN typename __ah::if_integral<T, int>::type fpclassify(T x)
{
    return ::fpclassify(static_cast<double>(x));
}
template <typename T, typename U>
__AH_FN typename __ah::if_mixed<T, U, double>::type remquo(T x, U y, int *quotient)
{
    return ::remquo(static_cast<double>(x), static_cast<double>(y), quotient);
}
template <typename T, typename U, typename V>
__AH_FN typename __ah::enable_if<__is_arithmetic(T) && __is_arithmetic(U) && __is_arithmetic(V),
                                 double>::type
fma(T x, U y, V z)
{
    return ::fma(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
}

namespace std
{
#define AH_MATH_F(name)        using ::name;
#define AH_MATH_FF(name)       using ::name;
#define AH_MATH_FI(name, kind) using ::name;
#define AH_MATH_TO(name, kind) using ::name;
#define AH_MATH_IS(name)       using ::name;
#define AH_MATH_CMP(name)      using ::name;
#include "hip/device/math_names.def"
using ::abs;
using ::fma;
using ::fpclassify;
using ::frexp;
using ::labs;
using ::llabs;
using ::modf;
using ::nan;
using ::nanf;
using ::remquo;
} // namespace std

/* ---- <cstdlib>, <new>: device memory from the device's heap, see memory.h ---- */

extern "C" {
__device__ void *malloc(__SIZE_TYPE__ size);
__device__ void free(void *pointer);
}

namespace std
{
struct nothrow_t;
}

/* Objects placed where the program says; nothing to allocate. */
__device__ inline void *operator new(__SIZE_TYPE__, void *place) noexcept { return place; }
__device__ inline void *operator new[](__SIZE_TYPE__, void *place) noexcept { return place; }
__device__ inline void operator delete(void *, void *) noexcept {}
__device__ inline void operator delete[](void *, void *) noexcept {}

/* Without exceptions a failed new gives a null pointer, as in HIP. */
__device__ inline void *operator new(__SIZE_TYPE__ size) { return ::malloc(size ? size : 1); }
__device__ inline void *operator new[](__SIZE_TYPE__ size) { return ::malloc(size ? size : 1); }
__device__ inline void *operator new(__SIZE_TYPE__ size, const std::nothrow_t &) noexcept
{
    return ::malloc(size ? size : 1);
}
__device__ inline void *operator new[](__SIZE_TYPE__ size, const std::nothrow_t &) noexcept
{
    return ::malloc(size ? size : 1);
}
__device__ inline void operator delete(void *pointer) noexcept { ::free(pointer); }
__device__ inline void operator delete[](void *pointer) noexcept { ::free(pointer); }
__device__ inline void operator delete(void *pointer, __SIZE_TYPE__) noexcept { ::free(pointer); }
__device__ inline void operator delete[](void *pointer, __SIZE_TYPE__) noexcept { ::free(pointer); }
__device__ inline void operator delete(void *pointer, const std::nothrow_t &) noexcept
{
    ::free(pointer);
}
__device__ inline void operator delete[](void *pointer, const std::nothrow_t &) noexcept
{
    ::free(pointer);
}

/* ---- <cstring> ---- */

__AH_FN void *memcpy(void *to, const void *from, __SIZE_TYPE__ n);
__AH_FN void *memmove(void *to, const void *from, __SIZE_TYPE__ n);
__AH_FN void *memset(void *to, int value, __SIZE_TYPE__ n);

namespace std
{
using ::memcpy;
using ::memmove;
using ::memset;
} // namespace std

/* ---- <cstdio>, <cassert>: see printf.h ---- */

extern "C" {
__device__ int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
__device__ __attribute__((noreturn)) void __assert_fail(const char *expression, const char *file,
                                                        unsigned int line, const char *function);
}

/* ---- what the C++ run time would provide ---- */

/* Ends the kernel with an error. A function of its own, never inlined: for gfx11 clang 22
 * compiles a function wrongly in which code follows a trap (SelectionDAG leaves its
 * V_ADD_U64_PSEUDO where they are). */
__AH_YIELDING __device__ inline __attribute__((noreturn, noinline, cold)) void __trap()
{
    __builtin_trap();
}

extern "C" {
__device__ inline __attribute__((noreturn, noinline)) void abort(void) { __trap(); }
/* The slot of a pure or deleted virtual function: calling it is an error. */
__device__ inline __attribute__((noreturn, noinline)) void __cxa_pure_virtual(void) { __trap(); }
__device__ inline __attribute__((noreturn, noinline)) void __cxa_deleted_virtual(void) { __trap(); }
}

#undef __AH_FN

/* A fence for the compiler alone, which clang cannot compile for NVPTX. */
#if defined(__NVPTX__)
#define __atomic_signal_fence(order)     ((void)(order), __ah_signal_fence())
#define __c11_atomic_signal_fence(order) ((void)(order), __ah_signal_fence())
static __device__ __host__ inline __attribute__((always_inline)) void __ah_signal_fence()
{
    asm volatile("" ::: "memory");
}
#endif

#include "hip/device/math_overloads.h"
#include "hip/device/math_std.h"
#include "hip/device/memory.h"
#include "hip/device/printf.h"
#include "hip/device/rounded.h"

#endif
#endif
