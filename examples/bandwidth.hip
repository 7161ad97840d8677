// How fast memory moves: host to device, device to host and within the device, timed with events;
// and that what arrives is what was sent.
#include "check.h"

#include <hip/hip_runtime.h>

#include <cstring>
#include <vector>

static const size_t bytes = 64u << 20;
static const int repeats = 10;

__global__ void copy(const uint4 *from, uint4 *to, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * (size_t)blockDim.x)
        to[i] = from[i];
}

// Gigabytes per second of one repetition of work in a stream.
template <typename Work> static double measure(hipStream_t stream, double moved, Work work)
{
    hipEvent_t start, stop;
    float milliseconds = 0;
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&stop));
    work(); // once to warm up
    HIP_CHECK(hipEventRecord(start, stream));
    for (int i = 0; i < repeats; i++)
        work();
    HIP_CHECK(hipEventRecord(stop, stream));
    HIP_CHECK(hipEventSynchronize(stop));
    HIP_CHECK(hipEventElapsedTime(&milliseconds, start, stop));
    HIP_CHECK(hipEventDestroy(start));
    HIP_CHECK(hipEventDestroy(stop));
    return moved * repeats / (milliseconds * 1e-3) * 1e-9;
}

static void report(const char *what, double rate) { printf("  %-34s %8.1f GB/s\n", what, rate); }

int main()
{
    void *pinned, *device_a, *device_b;
    hipStream_t stream;
    std::vector<unsigned char> pageable(bytes), back(bytes);
    for (size_t i = 0; i < bytes; i++)
        pageable[i] = (unsigned char)(i * 31 + i / 251);
    print_device();
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipHostMalloc(&pinned, bytes));
    HIP_CHECK(hipMalloc(&device_a, bytes));
    HIP_CHECK(hipMalloc(&device_b, bytes));
    memcpy(pinned, pageable.data(), bytes);

    report("pageable host to device", measure(stream, bytes, [&] {
               HIP_CHECK(hipMemcpyAsync(device_a, pageable.data(), bytes, hipMemcpyHostToDevice,
                                        stream));
           }));
    report("page-locked host to device", measure(stream, bytes, [&] {
               HIP_CHECK(hipMemcpyAsync(device_a, pinned, bytes, hipMemcpyHostToDevice, stream));
           }));
    report("device to device, read and write", measure(stream, 2.0 * bytes, [&] {
               HIP_CHECK(hipMemcpyAsync(device_b, device_a, bytes, hipMemcpyDeviceToDevice,
                                        stream));
           }));
    HIP_CHECK(hipMemsetAsync(device_b, 0, bytes, stream));
    report("kernel copy, read and write", measure(stream, 2.0 * bytes, [&] {
               copy<<<1024, 256, 0, stream>>>((const uint4 *)device_a, (uint4 *)device_b,
                                              bytes / sizeof(uint4));
               HIP_CHECK(hipGetLastError());
           }));
    memset(pinned, 0, bytes);
    report("device to page-locked host", measure(stream, bytes, [&] {
               HIP_CHECK(hipMemcpyAsync(pinned, device_b, bytes, hipMemcpyDeviceToHost, stream));
           }));
    report("device to pageable host", measure(stream, bytes, [&] {
               HIP_CHECK(hipMemcpyAsync(back.data(), device_b, bytes, hipMemcpyDeviceToHost,
                                        stream));
           }));
    HIP_CHECK(hipStreamSynchronize(stream));

    bool same = memcmp(pinned, pageable.data(), bytes) == 0 && back == pageable;
    HIP_CHECK(hipFree(device_a));
    HIP_CHECK(hipFree(device_b));
    HIP_CHECK(hipHostFree(pinned));
    HIP_CHECK(hipStreamDestroy(stream));
    if (!same) {
        printf("FAILED: what came back is not what was sent\n");
        return 1;
    }
    printf("PASSED: %zu MiB moved unchanged\n", bytes >> 20);
    return 0;
}
