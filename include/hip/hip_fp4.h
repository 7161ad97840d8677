// Floating point numbers of 4 bits: the OCP format E2M1; their conversions, alone, in pairs and in
// fours. C gets the storage types.
#ifndef HIP_INCLUDE_HIP_HIP_FP4_H
#define HIP_INCLUDE_HIP_HIP_FP4_H

#include "hip/hip_vector_types.h"
#include "hip/device/fp4.h"

#endif
