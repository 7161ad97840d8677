// Floating point numbers of 8 bits: the OCP formats E4M3 and E5M2, and those with one zero and
// no infinity (FNUZ); their conversions, alone, in pairs and in fours. C gets the storage types.
#ifndef HIP_INCLUDE_HIP_HIP_FP8_H
#define HIP_INCLUDE_HIP_HIP_FP8_H

#include "hip/hip_vector_types.h"
#include "hip/device/fp8.h"

#endif
