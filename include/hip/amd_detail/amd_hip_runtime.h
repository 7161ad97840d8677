/* HIP's runtime by the name of a header of AMD's that programs include. */
#ifndef HIP_INCLUDE_HIP_AMD_DETAIL_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_HIP_RUNTIME_H
#include <hip/hip_runtime.h>
#endif
