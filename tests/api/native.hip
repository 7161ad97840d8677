// HIP and the driver's own API in one process: one context, each other's handles and memory.
#include "../support/hip_test.h"

#include <hip/anyhip.h>

#include <dlfcn.h>

__global__ void add(int *p, int n)
{
    p[threadIdx.x] += n;
}

// The driver's functions that this test calls, as their header declares them.
struct driver {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*release)(int);
    int (*get_current)(void **);
    int (*allocate)(uint64_t *, size_t);
    int (*release_memory)(uint64_t);
    int (*fill)(uint64_t, unsigned, size_t, void *);
    int (*launch)(uint64_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*event_query)(uint64_t);
    bool found = false;

    template <typename F> void bind(void *library, F &f, const char *name)
    {
        f = reinterpret_cast<F>(dlsym(library, name));
        found = found && f;
    }
    driver()
    {
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        if (!library)
            return;
        found = true;
        bind(library, init, "cuInit");
        bind(library, retain, "cuDevicePrimaryCtxRetain");
        bind(library, release, "cuDevicePrimaryCtxRelease_v2");
        bind(library, get_current, "cuCtxGetCurrent");
        bind(library, allocate, "cuMemAlloc_v2");
        bind(library, release_memory, "cuMemFree_v2");
        bind(library, fill, "cuMemsetD32Async");
        bind(library, launch, "cuLaunchKernel");
        bind(library, event_query, "cuEventQuery");
    }
};

static bool on_cuda(int device)
{
    anyhipBackend backend = anyhipBackendNone;
    const char *name = nullptr;
    CHECK_HIP(anyhipDeviceGetBackend(device, &backend, &name));
    CHECK(name != nullptr);
    return backend == anyhipBackendCuda;
}

TEST("HIP works on the primary context that CUDA libraries use")
{
    if (!on_cuda(0))
        SKIP("the device is not behind a CUDA driver");
    driver cuda;
    CHECK(cuda.found);
    CHECK_HIP(hipFree(nullptr));
    uint64_t device = 99;
    void *context = nullptr, *primary = nullptr, *current = nullptr;
    CHECK_HIP(anyhipDeviceGetNative(0, &device, &context));
    CHECK_EQ(cuda.retain(&primary, int(device)), 0);
    CHECK(primary == context);
    CHECK_EQ(cuda.get_current(&current), 0);
    CHECK(current == context);
    CHECK_EQ(cuda.release(int(device)), 0);
}

TEST("memory of the driver is memory of HIP, and the other way round")
{
    if (!on_cuda(0))
        SKIP("the device is not behind a CUDA driver");
    driver cuda;
    CHECK_HIP(hipFree(nullptr));
    uint64_t address = 0;
    CHECK_EQ(cuda.allocate(&address, 4096), 0);
    int *p = reinterpret_cast<int *>(address);
    CHECK_HIP(hipMemset(p, 0, 4096));
    add<<<1, 32>>>(p, 5);
    CHECK_LAUNCH();
    int values[32];
    CHECK_HIP(hipMemcpy(values, p, sizeof values, hipMemcpyDeviceToHost));
    CHECK_EQ(values[31], 5);
    hipPointerAttribute_t a;
    CHECK_HIP(hipPointerGetAttributes(&a, p));
    CHECK_EQ(a.type, hipMemoryTypeDevice);
    CHECK_EQ(cuda.release_memory(address), 0);

    ah_test::buffer<int> own(32);
    uint64_t native = 0;
    int ordinal = -1;
    CHECK_HIP(anyhipPointerGetNative(own.device(), &ordinal, &native));
    CHECK_EQ(ordinal, 0);
    CHECK_EQ(cuda.fill(native, 77, 32, nullptr), 0);
    CHECK_EQ(own.read()[31], 77);
}

TEST("streams, events and functions are the driver's")
{
    if (!on_cuda(0))
        SKIP("the device is not behind a CUDA driver");
    driver cuda;
    hipStream_t stream;
    hipEvent_t event;
    hipFunction_t function;
    void *native_stream = nullptr;
    uint64_t native_event = 0, native_function = 0;
    ah_test::buffer<int> p(32);
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipGetFuncBySymbol(&function, reinterpret_cast<const void *>(add)));
    CHECK_HIP(anyhipStreamGetNative(stream, &native_stream));
    CHECK_HIP(anyhipEventGetNative(event, &native_event));
    CHECK_HIP(anyhipFunctionGetNative(function, &native_function));
    int *memory = p.device(), n = 3;
    void *arguments[] = {&memory, &n};
    add<<<1, 32, 0, stream>>>(memory, 1);
    CHECK_EQ(cuda.launch(native_function, 1, 1, 1, 32, 1, 1, 0, native_stream, arguments, nullptr),
             0);
    CHECK_HIP(hipEventRecord(event, stream));
    CHECK_HIP(hipEventSynchronize(event));
    CHECK_EQ(cuda.event_query(native_event), 0);
    CHECK(p.read() == std::vector<int>(32, 4));
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK(anyhipStreamGetNative(stream, &native_stream) != hipSuccess);
    CHECK(anyhipDeviceGetNative(1000, &native_event, nullptr) == hipErrorInvalidDevice);
    (void)hipGetLastError();
}

TEST("the report is JSON that names the devices")
{
    char *report = nullptr;
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    CHECK_HIP(anyhipGetReport(&report));
    CHECK(report && report[0] == '{');
    CHECK(report && std::strstr(report, p.name));
    std::free(report);
    CHECK_EQ(anyhipGetReport(nullptr), hipErrorInvalidValue);
    (void)hipGetLastError();
}

HIP_TEST_MAIN
