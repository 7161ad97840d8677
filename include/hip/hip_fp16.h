// Half precision: __half and __half2, their conversions, arithmetic, comparisons and
// functions. C and compilers without a half type get the storage types and, in C++, the
// conversions and operators by way of float.
#ifndef HIP_INCLUDE_HIP_HIP_FP16_H
#define HIP_INCLUDE_HIP_HIP_FP16_H

#include "hip/hip_vector_types.h"
#include "hip/device/fp16.h"

#endif
