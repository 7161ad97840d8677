// A deliberate bug, and how to find it: threads read what their neighbours write to shared memory
// without waiting for them. On a GPU the result is wrong now and then; a simulated device that
// watches for races (ANYHIP_SIM_CHECK=races) stops the kernel and names both accesses.
//   usage: missing_barrier [fixed], with the barrier that is missing otherwise
#include "check.h"

#include <hip/hip_runtime.h>

#include <cstring>
#include <vector>

static const int block = 256, blocks = 8, count = block * blocks;

template <bool fixed> __global__ void reverse_blocks(const int *from, int *to)
{
    __shared__ int cells[block];
    const int first = blockIdx.x * block;
    cells[threadIdx.x] = from[first + threadIdx.x];
    if (fixed)
        __syncthreads();
    to[first + threadIdx.x] = cells[block - 1 - threadIdx.x];
}

int main(int argc, char **argv)
{
    const bool fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;
    std::vector<int> numbers(count), result(count);
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    print_device();

    int *from, *to;
    HIP_CHECK(hipMalloc(&from, count * sizeof *from));
    HIP_CHECK(hipMalloc(&to, count * sizeof *to));
    HIP_CHECK(hipMemcpy(from, numbers.data(), count * sizeof *from, hipMemcpyHostToDevice));
    if (fixed)
        reverse_blocks<true><<<blocks, block>>>(from, to);
    else
        reverse_blocks<false><<<blocks, block>>>(from, to);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), to, count * sizeof *to, hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(from));
    HIP_CHECK(hipFree(to));

    for (int i = 0; i < count; i++) {
        const int expected = i / block * block + (block - 1 - i % block);
        if (result[i] != expected) {
            printf("FAILED: element %d is %d, not %d\n", i, result[i], expected);
            return 1;
        }
    }
    printf("PASSED: %d blocks reversed%s\n", blocks, fixed ? "" : ", this time");
    return 0;
}
