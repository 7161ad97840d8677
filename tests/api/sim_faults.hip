// What a program sees when something goes wrong that seldom does, on simulated devices, which fail
// on demand (ANYHIP_SIM_FAULTS). The demand holds for the whole process: one process per fault.
//     sim_faults allocation | memory | launch | kernel | lost | slow | slow_copy
#include "../support/device.h"

#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

__global__ void fill(int *p, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = value;
}
__global__ void other(int *p)
{
    *p += 1;
}

static int failures;

static void report(bool good, const char *what)
{
    std::printf("%s %s\n", good ? "ok    " : "FAILED", what);
    failures += !good;
}
static void gives(hipError_t want, hipError_t got, const char *what)
{
    std::printf("%s %s (%s)\n", got == want ? "ok    " : "FAILED", what, hipGetErrorName(got));
    failures += got != want;
}
static void works(hipError_t got, const char *what)
{
    gives(hipSuccess, got, what);
}

static const int count = 1000;

// Memory, a kernel and a copy do what they should.
static void a_program_works()
{
    int *p = nullptr;
    std::vector<int> back(count);
    works(hipMalloc(&p, count * sizeof *p), "memory");
    fill<<<(count + 127) / 128, 128>>>(p, 42, count);
    works(hipGetLastError(), "a launch");
    works(hipMemcpy(back.data(), p, count * sizeof *p, hipMemcpyDeviceToHost), "a copy");
    bool right = true;
    for (int value : back)
        right = right && value == 42;
    report(right, "the kernel has written what it should");
    works(hipFree(p), "memory is given back");
}

// ---- memory

static void allocation()
{
    int *first = nullptr, *second = nullptr, *third = reinterpret_cast<int *>(0x5a5a);
    works(hipMalloc(&first, 64), "the first allocation");
    works(hipMalloc(&second, 64), "the second");
    gives(hipErrorOutOfMemory, hipMalloc(&third, 64), "the third fails");
    report(third == reinterpret_cast<int *>(0x5a5a), "and gives no pointer");
    gives(hipErrorOutOfMemory, hipGetLastError(), "the thread's last error is that");
    works(hipGetLastError(), "and no longer, once it was returned");
    works(hipMalloc(&third, 64), "the fourth allocation");
    report(third != first && third != second, "is memory of its own");
    works(hipFree(first), "the first is given back");
    works(hipFree(second), "the second");
    works(hipFree(third), "the fourth");
    a_program_works();
}

static void memory()
{
    void *p = nullptr, *q = nullptr;
    gives(hipErrorOutOfMemory, hipMalloc(&p, 8 << 20), "more than there is");
    works(hipMalloc(&p, 3 << 20), "most of what there is");
    gives(hipErrorOutOfMemory, hipMalloc(&q, 3 << 20), "as much again");
    works(hipFree(p), "the first is given back");
    hipError_t error = hipSuccess;
    for (int i = 0; i < 100 && error == hipSuccess; i++) {
        error = hipMalloc(&p, 3 << 20);
        if (error == hipSuccess)
            error = hipFree(p);
    }
    works(error, "what was given back can be had again, and again");
    (void)hipGetLastError();
    a_program_works();
}

// ---- kernels

// After a kernel that failed: every call that needs the device says so, and none hangs.
static void the_device_is_unusable(hipError_t want)
{
    void *p = nullptr;
    char byte;
    gives(want, hipDeviceSynchronize(), "waiting for the device");
    gives(want, hipStreamSynchronize(nullptr), "waiting for a stream");
    gives(want, hipMalloc(&p, 64), "memory");
    gives(want, hipMemcpy(&byte, &byte, 1, hipMemcpyDefault), "a copy");
    hipStream_t stream = nullptr;
    gives(want, hipStreamCreate(&stream), "a stream");
    other<<<1, 1>>>(nullptr);
    gives(want, hipGetLastError(), "a launch");
    hipDeviceProp_t properties;
    works(hipGetDeviceProperties(&properties, 0), "properties of the device can still be queried");
}

static void failing_launch(bool by_name)
{
    int *p = nullptr;
    works(hipMalloc(&p, count * sizeof *p), "memory");
    works(hipMemset(p, 0, count * sizeof *p), "a fill");
    fill<<<8, 128>>>(p, 1, count);
    works(hipDeviceSynchronize(), "the first kernel");
    if (by_name) {
        fill<<<8, 128>>>(p, 2, count);
        works(hipDeviceSynchronize(), "and again");
    }
    other<<<1, 1>>>(p);
    works(hipGetLastError(), "the launch of the kernel that fails");
    gives(hipErrorLaunchFailure, hipDeviceSynchronize(), "waiting reports the failure");
    the_device_is_unusable(hipErrorLaunchFailure);
}

static void lost()
{
    int *p = nullptr;
    works(hipMalloc(&p, 64), "memory");
    other<<<1, 1>>>(p);
    (void)hipGetLastError();
    hipError_t error = hipDeviceSynchronize();
    report(error != hipSuccess, "waiting reports that the device is lost");
    the_device_is_unusable(error);
    report(hipDeviceReset() != hipSuccess || hipMalloc(&p, 64) != hipSuccess,
           "a reset does not bring it back");
    (void)hipGetLastError();
    // The other device is another one.
    int devices = 0;
    works(hipGetDeviceCount(&devices), "devices are counted");
    if (devices > 1) {
        works(hipSetDevice(1), "another device");
        a_program_works();
    }
}

// ---- slow streams

static double milliseconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

__global__ void wait_for(int *flag)
{
    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0)
        ;
}

// Each piece of work takes 30 ms longer.
static void slow()
{
    hipStream_t stream;
    int *p = nullptr, *flag = nullptr;
    works(hipHostMalloc(&flag, sizeof *flag, hipHostMallocMapped | hipHostMallocCoherent),
          "a flag of the host");
    *flag = 0;
    works(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "a stream");
    works(hipMalloc(&p, count * sizeof *p), "memory");
    fill<<<8, 128, 0, stream>>>(p, 1, count);
    works(hipStreamSynchronize(stream), "the kernel is loaded");
    wait_for<<<1, 1, 0, stream>>>(flag);
    for (int i = 0; i < 4; i++)
        fill<<<8, 128, 0, stream>>>(p, i, count);
    works(hipGetLastError(), "no launch waits for the kernels before it");
    gives(hipErrorNotReady, hipStreamQuery(stream), "the stream is busy");
    auto start = std::chrono::steady_clock::now();
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    works(hipStreamSynchronize(stream), "it ends");
    const double took = milliseconds_since(start);
    std::printf("       done in %.1f ms\n", took);
    report(took >= 4 * 30, "each takes as much longer as was requested");
    works(hipHostFree(flag), "the flag is given back");
    works(hipFree(p), "memory is given back");
    works(hipStreamDestroy(stream), "the stream is given back");
    a_program_works();
}

// A copy in another stream that does not wait for the kernels overtakes them, every time; one
// that waits never does. Where other processes delayed the copy until the last kernel may have
// begun, the round shows nothing and is repeated.
static void slow_copy()
{
    hipStream_t compute, transfer;
    hipEvent_t half, done;
    int *p = nullptr, *host = nullptr;
    works(hipStreamCreateWithFlags(&compute, hipStreamNonBlocking), "a stream for kernels");
    works(hipStreamCreateWithFlags(&transfer, hipStreamNonBlocking), "a stream for copies");
    works(hipEventCreateWithFlags(&done, hipEventDisableTiming), "an event");
    works(hipEventCreateWithFlags(&half, hipEventDisableTiming), "another event");
    works(hipMalloc(&p, count * sizeof *p), "memory");
    works(hipHostMalloc(&host, count * sizeof *host, 0), "memory of the host");
    bool overtaken = true, right = true;
    int counted = 0;
    for (int round = 0; counted < 5 && round < 100; round++) {
        works(hipMemset(p, 0, count * sizeof *p), "a fill");
        works(hipDeviceSynchronize(), "which ends");
        for (int i = 0; i < 3; i++)
            fill<<<8, 128, 0, compute>>>(p, 0, count);
        works(hipEventRecord(half, compute), "the end of all but the last kernel");
        fill<<<8, 128, 0, compute>>>(p, 7, count);
        works(hipEventRecord(done, compute), "the end of the kernels");
        works(hipMemcpyAsync(host, p, count * sizeof *p, hipMemcpyDeviceToHost, transfer),
              "a copy that does not wait");
        works(hipStreamSynchronize(transfer), "ends");
        if (hipEventQuery(half) == hipErrorNotReady) {
            overtaken = overtaken && host[0] == 0 && host[count - 1] == 0;
            counted++;
        }
        works(hipStreamWaitEvent(transfer, done, 0), "the copies wait");
        works(hipMemcpyAsync(host, p, count * sizeof *p, hipMemcpyDeviceToHost, transfer),
              "a copy that waits");
        works(hipStreamSynchronize(transfer), "ends");
        right = right && host[0] == 7 && host[count - 1] == 7;
    }
    report(counted == 5, "the kernels are slow enough to be overtaken");
    report(overtaken, "a missing wait shows every time");
    report(right, "a wait helps every time");
    works(hipFree(p), "memory is given back");
    works(hipHostFree(host), "memory of the host is given back");
    works(hipEventDestroy(done), "the event");
    works(hipEventDestroy(half), "the other event");
    works(hipStreamDestroy(compute), "the stream for kernels");
    works(hipStreamDestroy(transfer), "the stream for copies");
}

static const struct {
    const char *name, *faults;
    void (*run)();
} tests[] = {
    {"allocation", "alloc:3", allocation},
    {"memory", "memory:4MiB", memory},
    {"launch", "launch:2", [] { failing_launch(false); }},
    {"kernel", "kernel:other", [] { failing_launch(true); }},
    {"lost", "lost:1", lost},
    {"slow", "slow:30ms", slow},
    {"slow_copy", "slow:30ms", slow_copy},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (const auto &test : tests) {
        if (std::strcmp(test.name, name) != 0)
            continue;
        setenv("ANYHIP_SIM_FAULTS", test.faults, 1); // before the first call
        if (int status = status_without_device())
            return status;
        test.run();
        std::printf("%d failures\n", failures);
        return failures != 0;
    }
    std::printf("there is no fault \"%s\"\n", name);
    return 2;
}
