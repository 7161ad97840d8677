/* Comparisons, of waves of 32. */
#define BITCODE_ROWS  "amdgpu_valu_compare.def"
#define BITCODE_LANES 32
#include "amdgpu_bitcode_vector.h"
