/* Accesses of waves of 32. */
#define BITCODE_LANES 32
#include "amdgpu_bitcode_access.h"
