/* Complex numbers for host and device, in C and C++: hipFloatComplex is a float2 and
 * hipDoubleComplex a double2, real part in x, imaginary part in y, with functions for what
 * the vectors' own operators, which work by component, do not say. */
#ifndef HIP_INCLUDE_HIP_HIP_COMPLEX_H
#define HIP_INCLUDE_HIP_HIP_COMPLEX_H

#include "hip/device/prelude.h"
#include "hip/hip_vector_types.h"

#if defined(__HIPCC_RTC__)
/* the prelude declares what <cmath> would */
#elif defined(__cplusplus)
#include <cmath>
#else
#include <math.h>
#endif
#if defined(__clang__) && defined(__HIP__)
#include "hip/device/math_overloads.h"
#endif

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#define __HIP_COMPLEX_FN static inline __host__ __device__

/* f is the suffix of the names, T the type of a part. Products and quotients are the
 * schoolbook formulas; a quotient is scaled by the divisor's larger part, so that no square
 * of it over- or underflows, and |z| comes from hypot for the same reason. */
#define __HIP_COMPLEX(f, C, T, fabs_, hypot_)                                                      \
    __HIP_COMPLEX_FN C make_##C(T real, T imaginary)                                               \
    {                                                                                              \
        return make_##T##2(real, imaginary);                                                       \
    }                                                                                              \
    __HIP_COMPLEX_FN T hipCreal##f(C z)                                                            \
    {                                                                                              \
        return z.x;                                                                                \
    }                                                                                              \
    __HIP_COMPLEX_FN T hipCimag##f(C z)                                                            \
    {                                                                                              \
        return z.y;                                                                                \
    }                                                                                              \
    __HIP_COMPLEX_FN C hipConj##f(C z)                                                             \
    {                                                                                              \
        return make_##C(z.x, -z.y);                                                                \
    }                                                                                              \
    /* |z| squared */                                                                              \
    __HIP_COMPLEX_FN T hipCsqabs##f(C z)                                                           \
    {                                                                                              \
        return z.x * z.x + z.y * z.y;                                                              \
    }                                                                                              \
    __HIP_COMPLEX_FN T hipCabs##f(C z)                                                             \
    {                                                                                              \
        return hypot_(z.x, z.y);                                                                   \
    }                                                                                              \
    __HIP_COMPLEX_FN C hipCadd##f(C a, C b)                                                        \
    {                                                                                              \
        return make_##C(a.x + b.x, a.y + b.y);                                                     \
    }                                                                                              \
    __HIP_COMPLEX_FN C hipCsub##f(C a, C b)                                                        \
    {                                                                                              \
        return make_##C(a.x - b.x, a.y - b.y);                                                     \
    }                                                                                              \
    __HIP_COMPLEX_FN C hipCmul##f(C a, C b)                                                        \
    {                                                                                              \
        return make_##C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                             \
    }                                                                                              \
    __HIP_COMPLEX_FN C hipCdiv##f(C a, C b)                                                        \
    {                                                                                              \
        if (fabs_(b.x) >= fabs_(b.y)) {                                                            \
            T r = b.x == 0 && b.y == 0 ? (T)0 : b.y / b.x;                                         \
            T d = b.x + b.y * r;                                                                   \
            return make_##C((a.x + a.y * r) / d, (a.y - a.x * r) / d);                             \
        }                                                                                          \
        T r = b.x / b.y;                                                                           \
        T d = b.x * r + b.y;                                                                       \
        return make_##C((a.x * r + a.y) / d, (a.y * r - a.x) / d);                                 \
    }                                                                                              \
    /* a b + c */                                                                                  \
    __HIP_COMPLEX_FN C hipCfma##f(C a, C b, C c)                                                   \
    {                                                                                              \
        return make_##C(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);                 \
    }

__HIP_COMPLEX(f, hipFloatComplex, float, fabsf, hypotf)
__HIP_COMPLEX(, hipDoubleComplex, double, fabs, hypot)
#undef __HIP_COMPLEX

__HIP_COMPLEX_FN hipComplex make_hipComplex(float real, float imaginary)
{
    return make_hipFloatComplex(real, imaginary);
}
__HIP_COMPLEX_FN hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z)
{
    return make_hipFloatComplex((float)z.x, (float)z.y);
}
__HIP_COMPLEX_FN hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z)
{
    return make_hipDoubleComplex(z.x, z.y);
}
#undef __HIP_COMPLEX_FN

#endif
