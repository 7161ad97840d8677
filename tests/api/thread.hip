// Threads of the host: their own device, last error and default stream, and many at once.
#include "../support/hip_test.h"

#include <atomic>
#include <thread>

__global__ void scale(float *p, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= by;
}
template <int N> __global__ void first_use(int *p)
{
    atomicAdd(p, N);
}

TEST("each thread has its own last error and device")
{
    CHECK_EQ(hipSetDevice(999), hipErrorInvalidDevice);
    hipError_t seen = hipErrorUnknown;
    int device = -1;
    std::thread([&] {
        seen = hipGetLastError();
        (void)hipGetDevice(&device);
        (void)hipMalloc(static_cast<void **>(nullptr), 8);
    }).join();
    CHECK_EQ(seen, hipSuccess);
    CHECK_EQ(device, 0);
    CHECK_EQ(hipGetLastError(), hipErrorInvalidDevice);
}

TEST("many threads load a kernel for the first time together")
{
    const int threads = 16;
    ah_test::buffer<int> sum({0});
    std::atomic<int> failed{0}, ready{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            ++ready;
            while (ready < threads) {
            }
            first_use<3><<<1, 2>>>(sum.device());
            first_use<5><<<1, 1, 0, hipStreamPerThread>>>(sum.device());
            if (hipGetLastError() != hipSuccess ||
                hipStreamSynchronize(hipStreamPerThread) != hipSuccess)
                ++failed;
        });
    for (std::thread &t : all)
        t.join();
    CHECK_EQ(failed.load(), 0);
    CHECK_EQ(sum.read()[0], threads * 11);
}

TEST("threads with streams of their own do not disturb one another")
{
    const int threads = 8, rounds = 60, n = 5000;
    std::atomic<int> failed{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&failed, t] {
            for (int r = 0; r < rounds; ++r) {
                std::vector<float> v(n, float(t + 1)), out(n);
                float *p = nullptr;
                hipStream_t stream;
                hipEvent_t event;
                bool good = hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) == hipSuccess;
                good = good && hipEventCreate(&event) == hipSuccess;
                good = good && hipMalloc(&p, n * sizeof *p) == hipSuccess;
                good = good && hipMemcpyAsync(p, v.data(), n * sizeof *p, hipMemcpyHostToDevice,
                                              stream) == hipSuccess;
                scale<<<(n + 255) / 256, 256, 0, stream>>>(p, n, float(r + 1));
                good = good && hipGetLastError() == hipSuccess;
                good = good && hipMemcpyAsync(out.data(), p, n * sizeof *p, hipMemcpyDeviceToHost,
                                              stream) == hipSuccess;
                good = good && hipEventRecord(event, stream) == hipSuccess;
                good = good && hipEventSynchronize(event) == hipSuccess;
                for (float f : out)
                    good = good && f == float(t + 1) * float(r + 1);
                good = good && hipFree(p) == hipSuccess;
                good = good && hipEventDestroy(event) == hipSuccess;
                good = good && hipStreamDestroy(stream) == hipSuccess;
                if (!good)
                    ++failed;
            }
        });
    for (std::thread &t : all)
        t.join();
    CHECK_EQ(failed.load(), 0);
}

TEST("what one thread makes another may use and destroy")
{
    hipStream_t stream = nullptr;
    float *p = nullptr;
    hipError_t made = hipErrorUnknown, freed = hipErrorUnknown;
    std::thread([&] {
        made = hipStreamCreate(&stream);
        if (made == hipSuccess)
            made = hipMalloc(&p, 400);
    }).join();
    CHECK_HIP(made);
    CHECK_HIP(hipMemsetAsync(p, 0, 400, stream));
    scale<<<1, 100, 0, stream>>>(p, 100, 2.0f);
    CHECK_HIP(hipGetLastError());
    std::thread([&] {
        freed = hipStreamSynchronize(stream);
        if (freed == hipSuccess)
            freed = hipFree(p);
        if (freed == hipSuccess)
            freed = hipStreamDestroy(stream);
    }).join();
    CHECK_HIP(freed);
}

HIP_TEST_MAIN
