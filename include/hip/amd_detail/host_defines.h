/* The qualifiers by the name of a header of AMD's that programs include. */
#ifndef HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H_
#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H_
#include <hip/device/qualifiers.h>
#endif
