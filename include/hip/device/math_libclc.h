/* The function of libclc, LLVM's library of OpenCL functions, that the math families call. The
 * compile driver links the bitcode into every device program; here it is declared under its OpenCL
 * name. */
#ifndef HIP_DEVICE_MATH_LIBCLC_H
#define HIP_DEVICE_MATH_LIBCLC_H

#include "hip/device/prelude.h"

namespace __ah
{
namespace clc
{
__device__ __attribute__((const)) double lgamma(double) __asm("_Z6lgammad");
} // namespace clc
} // namespace __ah

#endif
