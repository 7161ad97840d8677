// Floating point numbers of 6 bits: the OCP formats E2M3 and E3M2; their conversions, alone, in
// pairs and in fours. C gets the storage types.
#ifndef HIP_INCLUDE_HIP_HIP_FP6_H
#define HIP_INCLUDE_HIP_HIP_FP6_H

#include "hip/hip_vector_types.h"
#include "hip/device/fp6.h"

#endif
