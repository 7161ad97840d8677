// Half of main.hip's program: defines what it calls, with a static kernel of the same name.
#include <hip/hip_runtime.h>

extern __device__ int plus_one(int);

__device__ int shared_counter = 3;
__constant__ int other_table[10000] = {1000};

__device__ int in_other(int x)
{
    return plus_one(x);
}

static __global__ void kernel(int *out)
{
    out[threadIdx.x] = in_other(threadIdx.x) + other_table[out ? 0 : threadIdx.x];
}

// The value of shared_counter after the launch, or -1.
int run_other(int *out, int n)
{
    int count = 0;
    kernel<<<1, n>>>(out);
    if (hipGetLastError() != hipSuccess || hipDeviceSynchronize() != hipSuccess ||
        hipMemcpyFromSymbol(&count, HIP_SYMBOL(shared_counter), sizeof(count)) != hipSuccess)
        return -1;
    return count;
}
