/* Integers, bits and moves, of waves of 64. */
#define BITCODE_ROWS  "amdgpu_valu_int.def"
#define BITCODE_LANES 64
#include "amdgpu_bitcode_vector.h"
