// Kernels for the tests of processes and for the stress tests, behind functions of C: a shared
// library of its own, so that a program can close it. Every function returns the launch's result.
#include <hip/hip_runtime.h>

#include "kernels.h"

extern "C" __global__ void kernel_set(int *p, int value)
{
    *p = value;
}
extern "C" __global__ void kernel_add(int *p, int value)
{
    atomicAdd(p, value);
}
extern "C" __global__ void kernel_fill(int *p, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += 64)
        p[i] = value;
}
extern "C" __global__ void kernel_count_other(const int *p, int n, int value, int *wrong)
{
    for (int i = threadIdx.x; i < n; i += 64)
        if (p[i] != value)
            atomicAdd(wrong, 1);
}
extern "C" __global__ void kernel_hold(volatile int *started, volatile int *flag)
{
    *started = 1;
    while (*flag == 0) {
    }
}

// One of the list that is not done yet, and 1, becomes *missed; then the step is done itself,
// which the word on the device says as well.
extern "C" __global__ void kernel_step(volatile int *done, const int *list, int count, int rounds,
                                       int self, int *missed, int *mirror)
{
    int missing = 0;
    for (int i = 0; i < count; i++)
        if (done[list[i]] != 1)
            missing = list[i] + 1;
    volatile int waste = 0;
    for (int i = 0; i < rounds; i++)
        waste = waste + 1;
    if (missing)
        *missed = missing;
    __threadfence_system();
    *mirror = 1;
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
    return launch(kernel_set, 1, stream, p, value);
}
hipError_t kernels_add(int *p, int value, hipStream_t stream)
{
    return launch(kernel_add, 1, stream, p, value);
}
hipError_t kernels_fill(int *p, int n, int value, hipStream_t stream)
{
    return launch(kernel_fill, 64, stream, p, n, value);
}
hipError_t kernels_count_other(const int *p, int n, int value, int *wrong, hipStream_t stream)
{
    return launch(kernel_count_other, 64, stream, p, n, value, wrong);
}
hipError_t kernels_hold(int *started, int *flag, hipStream_t stream)
{
    return launch(kernel_hold, 1, stream, started, flag);
}
hipError_t kernels_step(int *done, const int *list, int count, int rounds, int self, int *missed,
                        int *mirror, hipStream_t stream)
{
    return launch(kernel_step, 1, stream, done, list, count, rounds, self, missed, mirror);
}
