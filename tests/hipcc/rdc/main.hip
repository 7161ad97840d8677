// Relocatable device code that runs: functions and variables of other sources, equal names of
// static kernels, static variables that the host names, a managed variable, constants that only
// together exceed NVIDIA's constant memory. Prints what is wrong.
#include "../../support/device.h"

#include <hip/hip_runtime.h>

#include <cstdio>

extern __device__ int in_other(int);
extern __device__ int shared_counter;
int run_other(int *out, int n);

__managed__ int managed = 5;
static __constant__ int scale = 2;
__constant__ int table[10000] = {0, 0, 0, 4};
static __device__ int last_written;

static __global__ void kernel(int *out)
{
    out[threadIdx.x] = in_other(threadIdx.x) * scale + managed + table[3] - 4;
    atomicAdd(&shared_counter, 1);
    last_written = 7;
}

enum { COUNT = 64 };

static bool fails(hipError_t error, const char *what)
{
    if (error != hipSuccess)
        printf("%s: %s\n", what, hipGetErrorString(error));
    return error != hipSuccess;
}

static bool differs(int got, int want, const char *what)
{
    if (got != want)
        printf("%s: %d, not %d\n", what, got, want);
    return got != want;
}

static bool run_here(int *out)
{
    int host[COUNT], three = 3, last = 0;
    managed = 6;
    if (fails(hipMemcpyToSymbol(HIP_SYMBOL(scale), &three, sizeof(three)), "set a constant"))
        return false;
    kernel<<<1, COUNT>>>(out);
    if (fails(hipGetLastError(), "launch") ||
        fails(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost), "copy"))
        return false;
    for (int i = 0; i < COUNT; i++)
        if (differs(host[i], (i + 1) * 3 + 6, "result"))
            return false;
    return !fails(hipMemcpyFromSymbol(&last, HIP_SYMBOL(last_written), sizeof(last)), "read") &&
           !differs(last, 7, "static variable");
}

static bool run_there(int *out)
{
    int host[COUNT];
    if (differs(run_other(out, COUNT), 3 + COUNT, "counter of the other source") ||
        fails(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost), "copy"))
        return false;
    for (int i = 0; i < COUNT; i++)
        if (differs(host[i], i + 1 + 1000, "result of the other source"))
            return false;
    return true;
}

int main()
{
    int *out = nullptr;
    if (int status = status_without_device())
        return status;
    if (fails(hipMalloc((void **)&out, COUNT * sizeof(int)), "hipMalloc"))
        return 1;
    return run_here(out) && run_there(out) ? 0 : 1;
}
