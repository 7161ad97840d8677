// Copies and kernels that overlap: the data goes through the device in pieces, each in one of
// several streams, so that a piece is copied in while another is computed and a third copied out.
#include "check.h"

#include <hip/hip_runtime.h>

#include <chrono>

static const int pieces = 12, most_streams = 3;
static const int piece = 1 << 15, count = pieces * piece;
static const int rounds = 20;

__host__ __device__ inline unsigned scramble(unsigned value)
{
    for (int i = 0; i < rounds; i++)
        value = value * 1664525u + 1013904223u;
    return value;
}

__global__ void scramble_all(unsigned *values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = scramble(values[i]);
}

// Milliseconds from the first copy to the last, with the pieces dealt out to some streams. Work
// within a stream keeps its order, so that a piece needs no event between its three steps.
static double run(const unsigned *input, unsigned *output, unsigned *device, int streams)
{
    hipStream_t stream[most_streams];
    for (int i = 0; i < streams; i++)
        HIP_CHECK(hipStreamCreateWithFlags(&stream[i], hipStreamNonBlocking));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < pieces; i++) {
        const hipStream_t s = stream[i % streams];
        const size_t at = (size_t)i * piece, bytes = piece * sizeof(unsigned);
        HIP_CHECK(hipMemcpyAsync(device + at, input + at, bytes, hipMemcpyHostToDevice, s));
        scramble_all<<<(piece + 255) / 256, 256, 0, s>>>(device + at, piece);
        HIP_CHECK(hipGetLastError());
        HIP_CHECK(hipMemcpyAsync(output + at, device + at, bytes, hipMemcpyDeviceToHost, s));
    }
    for (int i = 0; i < streams; i++)
        HIP_CHECK(hipStreamSynchronize(stream[i]));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    for (int i = 0; i < streams; i++)
        HIP_CHECK(hipStreamDestroy(stream[i]));
    return took.count();
}

int main()
{
    unsigned *input, *output, *device;
    print_device();
    // Page-locked host memory: a copy from other memory may make the host wait for it.
    HIP_CHECK(hipHostMalloc(&input, count * sizeof *input));
    HIP_CHECK(hipHostMalloc(&output, count * sizeof *output));
    HIP_CHECK(hipMalloc(&device, count * sizeof *device));
    for (int i = 0; i < count; i++)
        input[i] = (unsigned)i;

    int wrong = 0;
    double one = 0;
    for (int streams = 1; streams <= most_streams; streams++) {
        for (int i = 0; i < count; i++)
            output[i] = 0;
        run(input, output, device, streams); // once to warm up
        const double took = run(input, output, device, streams);
        one = streams == 1 ? took : one;
        printf("  %d stream%s %8.3f ms, %.2f times as fast as one\n", streams,
               streams == 1 ? ": " : "s:", took, one / took);
        for (int i = 0; i < count; i++)
            wrong += output[i] != scramble((unsigned)i);
    }
    HIP_CHECK(hipHostFree(input));
    HIP_CHECK(hipHostFree(output));
    HIP_CHECK(hipFree(device));
    if (wrong) {
        printf("FAILED: %d numbers are wrong\n", wrong);
        return 1;
    }
    printf("PASSED: %d numbers in %d pieces, in one to %d streams\n", count, pieces, most_streams);
    return 0;
}
