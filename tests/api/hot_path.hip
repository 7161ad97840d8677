// What is called all the time allocates nothing on the host.
#include "../support/hip_test.h"

#include <dlfcn.h>
#include <malloc.h>

// Counts the allocations of this thread, those of the library included: these definitions
// take the place of the C library's for every shared object of the process.
static thread_local bool counting;
static thread_local int allocations;
extern "C" void *__libc_malloc(size_t);
extern "C" void *__libc_calloc(size_t, size_t);
extern "C" void *__libc_realloc(void *, size_t);
extern "C" __attribute__((visibility("default"))) void *malloc(size_t n)
{
    allocations += counting;
    return __libc_malloc(n);
}
extern "C" __attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
    allocations += counting;
    return __libc_calloc(n, size);
}
extern "C" __attribute__((visibility("default"))) void *realloc(void *p, size_t n)
{
    allocations += counting;
    return __libc_realloc(p, n);
}

__global__ void nothing(int *, float, double) {}

// How many allocations a call makes of itself: the driver may make some too, now and then,
// so the least of many rounds is what counts.
template <typename F> static int least_allocations(F call)
{
    int least = 1 << 30;
    for (int round = 0; round < 50; ++round) {
        allocations = 0;
        counting = true;
        call();
        counting = false;
        least = allocations < least ? allocations : least;
        if (round % 10 == 9) // the driver may need memory for more work than ever was under way
            CHECK_HIP(hipDeviceSynchronize());
    }
    CHECK_HIP(hipDeviceSynchronize());
    return least;
}

TEST("the counter counts")
{
    CHECK_EQ(least_allocations([] { std::free(std::malloc(64)); }), 1);
}

TEST("no allocation is made per launch, copy, event or query")
{
    ah_test::buffer<int> p(64);
    hipStream_t stream;
    hipEvent_t event;
    hipFunction_t function;
    int device;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipGetFuncBySymbol(&function, reinterpret_cast<const void *>(nothing)));
    int *q = p.device();
    float f = 0;
    double d = 0;
    void *arguments[] = {&q, &f, &d};
    CHECK_EQ(least_allocations([&] { nothing<<<1, 1, 0, stream>>>(q, f, d); }), 0);
    CHECK_EQ(least_allocations([&] { nothing<<<1, 1>>>(q, f, d); }), 0);
    CHECK_EQ(least_allocations([&] {
                 (void)hipLaunchKernel(reinterpret_cast<const void *>(nothing), dim3(1), dim3(1),
                                       arguments, 0, stream);
             }),
             0);
    CHECK_EQ(least_allocations([&] {
                 (void)hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments,
                                             nullptr);
             }),
             0);
    CHECK_EQ(least_allocations([&] { (void)hipMemsetAsync(q, 0, 64, stream); }), 0);
    CHECK_EQ(least_allocations(
                 [&] { (void)hipMemcpyAsync(q, q + 32, 64, hipMemcpyDeviceToDevice, stream); }),
             0);
    CHECK_EQ(least_allocations([&] { (void)hipEventRecord(event, stream); }), 0);
    CHECK_EQ(least_allocations([&] { (void)hipStreamWaitEvent(stream, event, 0); }), 0);
    CHECK_EQ(least_allocations([&] { (void)hipStreamQuery(stream); }), 0);
    CHECK_EQ(least_allocations([&] { (void)hipGetDevice(&device); }), 0);
    CHECK_EQ(least_allocations([&] { (void)hipGetLastError(); }), 0);
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(stream));
}

HIP_TEST_MAIN
