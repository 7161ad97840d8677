// Kernels for the tests of processes and for the stress tests, behind functions of C: a shared
// library of its own, so that a program can close it. Every function returns the launch's result.
#include <hip/hip_runtime.h>

#include "kernels.h"

__global__ void set(int *p, int value)
{
    *p = value;
}
__global__ void add(int *p, int value)
{
    atomicAdd(p, value);
}
__global__ void fill(int *p, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += 64)
        p[i] = value;
}
__global__ void count_other(const int *p, int n, int value, int *wrong)
{
    for (int i = threadIdx.x; i < n; i += 64)
        if (p[i] != value)
            atomicAdd(wrong, 1);
}
__global__ void hold(volatile int *started, volatile int *flag)
{
    *started = 1;
    while (*flag == 0) {
    }
}

// Which of the list are not done yet counts in *wrong; then it is done itself.
__global__ void step(volatile int *done, const int *list, int count, int rounds, int self,
                     int *wrong)
{
    int missing = 0;
    for (int i = 0; i < count; i++)
        missing += done[list[i]] != 1;
    volatile int waste = 0;
    for (int i = 0; i < rounds; i++)
        waste = waste + 1;
    if (missing)
        atomicAdd(wrong, missing);
    __threadfence_system();
    done[self] = 1;
}

template <typename... A, typename... B>
static hipError_t launch(void (*kernel)(A...), int threads, hipStream_t stream, B... arguments)
{
    kernel<<<1, threads, 0, stream>>>(arguments...);
    return hipGetLastError();
}

hipError_t kernels_set(int *p, int value, hipStream_t stream)
{
    return launch(set, 1, stream, p, value);
}
hipError_t kernels_add(int *p, int value, hipStream_t stream)
{
    return launch(add, 1, stream, p, value);
}
hipError_t kernels_fill(int *p, int n, int value, hipStream_t stream)
{
    return launch(fill, 64, stream, p, n, value);
}
hipError_t kernels_count_other(const int *p, int n, int value, int *wrong, hipStream_t stream)
{
    return launch(count_other, 64, stream, p, n, value, wrong);
}
hipError_t kernels_hold(int *started, int *flag, hipStream_t stream)
{
    return launch(hold, 1, stream, started, flag);
}
hipError_t kernels_step(int *done, const int *list, int count, int rounds, int self, int *wrong,
                        hipStream_t stream)
{
    return launch(step, 1, stream, done, list, count, rounds, self, wrong);
}
