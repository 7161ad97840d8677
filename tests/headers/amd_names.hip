// What libraries of ROCm do with names of AMD's headers: rocPRIM includes two of them, and rocThrust
// takes the qualifiers away unless the guard of one says that nobody will define them again.
#include <hip/amd_detail/host_defines.h>

#ifndef HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
#undef __host__
#undef __device__
#endif
#include <hip/hip_runtime_api.h>

__host__ __device__ inline int both()
{
    return 1;
}

#include <hip/amd_detail/amd_hip_runtime.h>

__global__ void kernel(int *out)
{
    *out = both() + threadIdx.x;
}
