/* Integers, bits and moves, of waves of 32. */
#define BITCODE_ROWS  "amdgpu_valu_int.def"
#define BITCODE_LANES 32
#include "amdgpu_bitcode_vector.h"
