/* To be written. */
#include "amdgpu_exec.h"
