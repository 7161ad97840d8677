// Brain floating point: __hip_bfloat16 and __hip_bfloat162, their conversions, arithmetic,
// comparisons and functions.
#ifndef HIP_INCLUDE_HIP_HIP_BF16_H
#define HIP_INCLUDE_HIP_HIP_BF16_H

#include "hip/hip_vector_types.h"
#include "hip/device/bf16.h"

#endif
