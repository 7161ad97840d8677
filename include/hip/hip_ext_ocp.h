// AMD's extension for the OCP's microscaling formats: numbers of 4, 6 and 8 bits, alone and packed,
// converted with a scale and with stochastic rounding. C gets the storage types.
#ifndef HIP_INCLUDE_HIP_HIP_EXT_OCP_H
#define HIP_INCLUDE_HIP_HIP_EXT_OCP_H

#include "hip/hip_vector_types.h"
#include "hip/device/ocp.h"

#endif
