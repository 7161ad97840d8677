/* To be written. */
#include "amdgpu_queue.h"
