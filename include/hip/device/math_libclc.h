/* The functions of libclc, LLVM's library of OpenCL functions, that the math families
 * call. The compile driver links the bitcode into every device program; here they are
 * declared under their OpenCL names. Their bodies are additions, multiplications and table
 * look-ups, so that both vendors give the same results; only the float logarithms of AMD
 * start from the hardware's. */
#ifndef HIP_DEVICE_MATH_LIBCLC_H
#define HIP_DEVICE_MATH_LIBCLC_H

#include "hip/device/prelude.h"

namespace __ah
{
namespace clc
{
#define __AH_CLC_F(name, length)                                                                   \
    __device__ __attribute__((const)) float name(float) __asm("_Z" length #name "f");              \
    __device__ __attribute__((const)) double name(double) __asm("_Z" length #name "d");
#define __AH_CLC_FF(name, length)                                                                  \
    __device__ __attribute__((const)) float name(float, float) __asm("_Z" length #name "ff");      \
    __device__ __attribute__((const)) double name(double, double) __asm("_Z" length #name "dd");
__AH_CLC_F(acos, "4")
__AH_CLC_F(acosh, "5")
__AH_CLC_F(asin, "4")
__AH_CLC_F(asinh, "5")
__AH_CLC_F(atan, "4")
__AH_CLC_F(atanh, "5")
__AH_CLC_F(cbrt, "4")
__AH_CLC_F(cos, "3")
__AH_CLC_F(cosh, "4")
__AH_CLC_F(cospi, "5")
__AH_CLC_F(erf, "3")
__AH_CLC_F(erfc, "4")
__AH_CLC_F(exp, "3")
__AH_CLC_F(exp2, "4")
__AH_CLC_F(exp10, "5")
__AH_CLC_F(expm1, "5")
__AH_CLC_F(lgamma, "6")
__AH_CLC_F(log, "3")
__AH_CLC_F(log10, "5")
__AH_CLC_F(log1p, "5")
__AH_CLC_F(log2, "4")
__AH_CLC_F(rsqrt, "5")
__AH_CLC_F(sin, "3")
__AH_CLC_F(sinh, "4")
__AH_CLC_F(sinpi, "5")
__AH_CLC_F(tan, "3")
__AH_CLC_F(tanh, "4")
__AH_CLC_FF(atan2, "5")
__AH_CLC_FF(fmod, "4")
__AH_CLC_FF(hypot, "5")
__AH_CLC_FF(pow, "3")
#undef __AH_CLC_F
#undef __AH_CLC_FF
__device__ __attribute__((const)) float pown(float, int) __asm("_Z4pownfi");
__device__ __attribute__((const)) double pown(double, int) __asm("_Z4powndi");
__device__ float sincos(float, float *) __asm("_Z6sincosfPf");
__device__ double sincos(double, double *) __asm("_Z6sincosdPd");
} // namespace clc
} // namespace __ah

#endif
