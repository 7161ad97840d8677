// Device code for module.hip.
#include <hip/hip_runtime.h>

extern "C" __device__ int table[4] = {1, 2, 3, 4};
extern "C" __constant__ float factor = 2.0f;
extern "C" __managed__ int managed_word = 6;

extern "C" __global__ void scale(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= factor;
}
extern "C" __global__ void add_table(int *p)
{
    p[threadIdx.x] += table[threadIdx.x % 4];
}
extern "C" __global__ void add_managed(int *p)
{
    *p += managed_word;
}
extern "C" __global__ void __launch_bounds__(32) small_blocks(int *p)
{
    *p = 1;
}

extern "C" __global__ void say(int n)
{
    printf("module %d\n", n);
}

// A struct between other arguments, for the padding of packed buffers.
struct three {
    char c[3];
};
extern "C" __global__ void pack(long *out, char a, three b, double c, short d)
{
    out[0] = a;
    out[1] = b.c[0] + 10 * b.c[1] + 100 * b.c[2];
    out[2] = static_cast<long>(c);
    out[3] = d;
}
