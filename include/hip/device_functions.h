/* The device's intrinsic functions by the name of an older header; all of HIP's runtime
 * comes with it, as programs expect. */
#ifndef HIP_INCLUDE_HIP_DEVICE_FUNCTIONS_H
#define HIP_INCLUDE_HIP_DEVICE_FUNCTIONS_H
#include <hip/hip_runtime.h>
#endif
