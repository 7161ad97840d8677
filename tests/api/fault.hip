// Kernels that go wrong: the error arrives at the host, which goes on. One fault per process:
//     fault address | trap | assert | stream
#include "../support/device.h"

#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void write_to(int *p)
{
    *p = 1;
}
__global__ void stop()
{
    __builtin_trap();
}
__global__ void insist(int n)
{
    assert(n == 3 && "n is three");
}

static int failures;

static void report(bool good, const char *what, hipError_t got)
{
    std::printf("%s %s (%s)\n", good ? "ok    " : "FAILED", what, hipGetErrorName(got));
    failures += !good;
}
static void gives(hipError_t want, hipError_t got, const char *what)
{
    report(got == want, what, got);
}
static void fails(hipError_t got, const char *what)
{
    report(got != hipSuccess, what, got);
}

static void launch(const char *fault, hipStream_t stream)
{
    if (std::strcmp(fault, "trap") == 0)
        stop<<<1, 1, 0, stream>>>();
    else if (std::strcmp(fault, "assert") == 0)
        insist<<<1, 1, 0, stream>>>(4);
    else
        write_to<<<1, 1, 0, stream>>>(reinterpret_cast<int *>(0x10));
}

int main(int argc, char **argv)
{
    const char *fault = argc > 1 ? argv[1] : "address";
    hipError_t want = hipErrorIllegalAddress;
    if (std::strcmp(fault, "trap") == 0)
        want = hipErrorLaunchFailure;
    else if (std::strcmp(fault, "assert") == 0)
        want = hipErrorAssert;

    if (int status = status_without_device())
        return status;
    int *p = nullptr;
    hipStream_t stream = nullptr;
    hipEvent_t event;
    gives(hipSuccess, hipMalloc(&p, 64), "memory before the fault");
    gives(hipSuccess, hipEventCreate(&event), "an event before the fault");
    if (std::strcmp(fault, "stream") == 0)
        gives(hipSuccess, hipStreamCreate(&stream), "a stream");
    launch(fault, stream);
    gives(hipSuccess, hipGetLastError(), "the launch itself is good");
    hipError_t error = hipStreamSynchronize(stream);
    report(error == want || (want == hipErrorAssert && error == hipErrorLaunchFailure),
           "waiting tells of the fault", error);
    // from here on every call that needs the device says so, and none hangs or crashes
    char host[64];
    gives(error, hipDeviceSynchronize(), "and again");
    gives(error, hipMemcpy(host, p, 64, hipMemcpyDeviceToHost), "a copy");
    fails(hipEventRecord(event, stream), "an event");
    write_to<<<1, 1, 0, stream>>>(p);
    fails(hipGetLastError(), "a launch");
    void *q = nullptr;
    fails(hipMalloc(&q, 64), "memory");
    (void)hipFree(p);
    (void)hipEventDestroy(event);
    if (stream)
        (void)hipStreamDestroy(stream);
    int device = -1;
    gives(hipSuccess, hipGetDevice(&device), "the device is known");
    return failures != 0;
}
