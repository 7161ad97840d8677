// Kernels that go wrong: the error arrives at the host, which goes on, and a reset makes the device
// usable again. One fault per process:
//     fault address | trap | assert | stream | together
#include "../support/device.h"
#include "../support/output.h"

#include <hip/anyhip.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <vector>

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
    assert(n == 3 || blockIdx.y != 2 || threadIdx.x != 5);
}
__global__ void fail_first(unsigned *out)
{
    cooperative_groups::multi_grid_group all = cooperative_groups::this_multi_grid();
    all.sync(); // all are launched
    if (all.grid_rank() == 0)
        __builtin_trap();
    all.sync();
    *out = 1;
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
        insist<<<dim3(1, 4), 8, 0, stream>>>(4);
    else
        write_to<<<1, 1, 0, stream>>>(reinterpret_cast<int *>(0x10));
}

// File, line, function, block, thread and expression, each as the compiler of the device writes it.
static void names_the_assertion(const std::string &text)
{
    const char *const parts[] = {"fault.hip:", "insist(int)", "0,2,0", "5,0,0",
                                 "n == 3 || blockIdx.y != 2 || threadIdx.x != 5"};
    for (const char *part : parts)
        report(text.find(part) != std::string::npos, part, hipErrorAssert);
}

static bool is_nvidia_driver()
{
    anyhipBackend backend = anyhipBackendNone;
    gives(hipSuccess, anyhipDeviceGetBackend(0, &backend, nullptr), "which driver it is");
    return backend == anyhipBackendCuda;
}

// What a reset leaves of the device: everything, as before the first call. NVIDIA's driver needs a
// new process.
static void begin_anew()
{
    if (is_nvidia_driver())
        return;
    int *p = nullptr, value = 0;
    gives(hipSuccess, hipDeviceReset(), "a reset");
    (void)hipGetLastError();
    gives(hipSuccess, hipMalloc(&p, sizeof *p), "memory after it");
    write_to<<<1, 1>>>(p);
    gives(hipSuccess, hipGetLastError(), "a launch");
    gives(hipSuccess, hipMemcpy(&value, p, sizeof value, hipMemcpyDeviceToHost), "a copy");
    report(value == 1, "the kernel has run", hipSuccess);
    gives(hipSuccess, hipFree(p), "memory is given back");
}

// Of grids on several devices one fails: the others do not wait for it.
static int fail_together()
{
    int count = 0;
    unsigned *passed = nullptr;
    gives(hipSuccess, hipGetDeviceCount(&count), "how many devices there are");
    gives(hipSuccess,
          hipHostMalloc(reinterpret_cast<void **>(&passed), sizeof *passed,
                        hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent),
          "memory before the fault");
    *passed = 0;
    void *arguments[] = {&passed};
    std::vector<hipLaunchParams> list(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        list[i] = {reinterpret_cast<void *>(fail_first), dim3(2), dim3(64), arguments, 0, nullptr};
        gives(hipSuccess, hipSetDevice(i), "a device");
        gives(hipSuccess, hipStreamCreate(&list[i].stream), "its stream");
    }
    gives(hipErrorLaunchFailure, hipLaunchCooperativeKernelMultiDevice(list.data(), count, 0),
          "the launch reports the fault");
    bool lost = is_nvidia_driver(); // which gives up all devices of the process with one
    for (int i = 1; i < count; ++i)
        gives(lost ? hipErrorLaunchFailure : hipSuccess, hipStreamSynchronize(list[i].stream),
              "another device");
    report(count == 1 || lost || *passed == 1, "the other grids have passed the barrier",
           hipSuccess);
    std::printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
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
    if (std::strcmp(fault, "together") == 0)
        return fail_together();
    int *p = nullptr;
    hipStream_t stream = nullptr;
    hipEvent_t event;
    gives(hipSuccess, hipMalloc(&p, 64), "memory before the fault");
    gives(hipSuccess, hipEventCreate(&event), "an event before the fault");
    if (std::strcmp(fault, "stream") == 0)
        gives(hipSuccess, hipStreamCreate(&stream), "a stream");
    hipError_t error = hipSuccess;
    std::string text = ah_test::output_of(stderr, [&] {
        launch(fault, stream);
        gives(hipSuccess, hipGetLastError(), "the launch itself is good");
        error = hipStreamSynchronize(stream);
    });
    std::fputs(text.c_str(), stderr);
    if (want == hipErrorAssert)
        names_the_assertion(text);
    report(error == want || (want == hipErrorAssert && error == hipErrorLaunchFailure),
           "waiting reports the fault", error);
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
    begin_anew();
    return failures != 0;
}
