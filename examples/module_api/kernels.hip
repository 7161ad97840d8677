// Device code of its own, made into a module by `hipcc --genco` and loaded by main.c.
#include <hip/hip_runtime.h>

extern "C" {

__constant__ int offset;
__device__ unsigned launches;

__global__ void shift(int *data, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] += offset;
    if (i == 0)
        atomicAdd(&launches, 1u);
}
}
