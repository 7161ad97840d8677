/* Conversions, of waves of 64. */
#define BITCODE_ROWS  "amdgpu_valu_convert.def"
#define BITCODE_LANES 64
#include "amdgpu_bitcode_vector.h"
