/* Accesses of waves of 64. */
#define BITCODE_LANES 64
#include "amdgpu_bitcode_access.h"
