// A block reduction that is right on every device: warps of 32 and of 64 lanes, masks of 64 bits
// everywhere, the warp's size asked for at run time.
#include "check.h"

#include <hip/hip_runtime.h>

#include <numeric>
#include <vector>

// The sum over the lanes of a warp ends up in its first lane.
__device__ unsigned long long warp_sum(unsigned long long value)
{
    // All lanes take part; the mask has 64 bits, of which a warp of 32 lanes uses the lower half.
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(~0ull, value, offset);
    return value;
}

// Each block writes the sum of its part of the input.
__global__ void block_sums(const unsigned *input, size_t count, unsigned long long *sums)
{
    // One element per warp: at most 1024 threads in warps of at least 32 lanes.
    __shared__ unsigned long long partial[32];
    const int lane = threadIdx.x % warpSize;
    const int warp = threadIdx.x / warpSize;
    const int warps = (blockDim.x + warpSize - 1) / warpSize;

    unsigned long long value = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * (size_t)blockDim.x)
        value += input[i];

    value = warp_sum(value);
    if (lane == 0)
        partial[warp] = value;
    __syncthreads();

    // The first warp adds up the partial sums of all warps.
    if (warp == 0) {
        value = lane < warps ? partial[lane] : 0;
        value = warp_sum(value);
        if (lane == 0)
            sums[blockIdx.x] = value;
    }
}

// How many threads of the block found an odd number: a vote with a mask as wide as the warp.
__global__ void count_odd(const unsigned *input, unsigned *count)
{
    const unsigned long long votes = __ballot(input[threadIdx.x] % 2);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(count, (unsigned)__popcll(votes));
}

int main()
{
    const size_t count = (1u << 22) + 77;
    const unsigned blocks = 64, block = 512;
    std::vector<unsigned> input(count);
    for (size_t i = 0; i < count; i++)
        input[i] = unsigned(i * 2654435761u) >> 8;
    const unsigned long long expected =
        std::accumulate(input.begin(), input.end(), 0ull);
    unsigned expected_odd = 0;
    for (unsigned i = 0; i < block; i++)
        expected_odd += input[i] % 2;
    print_device();

    unsigned *device_input, *device_odd;
    unsigned long long *device_sums;
    HIP_CHECK(hipMalloc(&device_input, count * sizeof *device_input));
    HIP_CHECK(hipMalloc(&device_sums, blocks * sizeof *device_sums));
    HIP_CHECK(hipMalloc(&device_odd, sizeof *device_odd));
    HIP_CHECK(hipMemcpy(device_input, input.data(), count * sizeof *device_input,
                        hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(device_odd, 0, sizeof *device_odd));

    block_sums<<<blocks, block>>>(device_input, count, device_sums);
    HIP_CHECK(hipGetLastError());
    count_odd<<<1, block>>>(device_input, device_odd);
    HIP_CHECK(hipGetLastError());

    std::vector<unsigned long long> sums(blocks);
    unsigned odd = 0;
    HIP_CHECK(hipMemcpy(sums.data(), device_sums, blocks * sizeof *device_sums,
                        hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpy(&odd, device_odd, sizeof odd, hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(device_input));
    HIP_CHECK(hipFree(device_sums));
    HIP_CHECK(hipFree(device_odd));

    const unsigned long long sum = std::accumulate(sums.begin(), sums.end(), 0ull);
    if (sum != expected || odd != expected_odd) {
        printf("FAILED: sum %llu, not %llu; odd %u, not %u\n", sum, expected, odd, expected_odd);
        return 1;
    }
    printf("PASSED: the sum of %zu numbers is %llu\n", count, sum);
    return 0;
}
