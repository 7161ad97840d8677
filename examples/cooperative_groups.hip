// One kernel, from the numbers to their mean and their variance, which is computed with the mean:
// in between all blocks of the grid wait for each other, which an ordinary launch does not allow.
#include "check.h"

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <vector>

namespace cg = cooperative_groups;

static const int count = 100000, block_size = 128;

// The sum over all threads of the grid: tiles of 32 threads, which every device has, whatever the
// width of its warps; then the block; then the grid.
__device__ long long sum_of_all(cg::grid_group grid, cg::thread_block block, long long value,
                                long long *partial)
{
    __shared__ long long of_tile[block_size / 32];
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        value += tile.shfl_down(value, offset);
    if (tile.thread_rank() == 0)
        of_tile[block.thread_rank() / 32] = value;
    block.sync();

    if (block.thread_rank() == 0) {
        long long sum = 0;
        for (int i = 0; i < block_size / 32; i++)
            sum += of_tile[i];
        partial[blockIdx.x] = sum;
    }
    grid.sync(); // every block's sum is there

    long long sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
        sum += partial[i];
    grid.sync(); // every block has read them: they may be overwritten
    return sum;
}

__global__ void statistics(const int *numbers, long long *partial, long long *mean,
                           long long *squares)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    long long mine = 0;
    for (unsigned long long i = grid.thread_rank(); i < count; i += grid.size())
        mine += numbers[i];
    const long long average = sum_of_all(grid, block, mine, partial) / count;

    mine = 0;
    for (unsigned long long i = grid.thread_rank(); i < count; i += grid.size())
        mine += (numbers[i] - average) * (numbers[i] - average);
    const long long sum = sum_of_all(grid, block, mine, partial);
    if (grid.thread_rank() == 0) {
        *mean = average;
        *squares = sum;
    }
}

int main()
{
    int device, cooperative, units, per_unit;
    print_device();
    HIP_CHECK(hipGetDevice(&device));
    HIP_CHECK(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, device));
    if (!cooperative) {
        printf("this device has no cooperative launches\n");
        return 77;
    }
    // All blocks must have room on the device at the same time.
    HIP_CHECK(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device));
    HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, statistics, block_size, 0));
    const int blocks = std::min(units * per_unit, 48);

    std::vector<int> numbers(count);
    for (int i = 0; i < count; i++)
        numbers[i] = (int)(i * 7919LL % 10007);
    int *device_numbers;
    long long *partial, *results, mean, squares;
    HIP_CHECK(hipMalloc(&device_numbers, count * sizeof(int)));
    HIP_CHECK(hipMalloc(&partial, blocks * sizeof *partial));
    HIP_CHECK(hipMalloc(&results, 2 * sizeof *results));
    HIP_CHECK(
        hipMemcpy(device_numbers, numbers.data(), count * sizeof(int), hipMemcpyHostToDevice));

    long long *results_too = results + 1;
    void *arguments[] = {&device_numbers, &partial, &results, &results_too};
    HIP_CHECK(hipLaunchCooperativeKernel((const void *)statistics, dim3(blocks), dim3(block_size),
                                         arguments, 0, nullptr));
    HIP_CHECK(hipMemcpy(&mean, results, sizeof mean, hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpy(&squares, results_too, sizeof squares, hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(device_numbers));
    HIP_CHECK(hipFree(partial));
    HIP_CHECK(hipFree(results));

    long long expected_mean = 0, expected_squares = 0;
    for (int number : numbers)
        expected_mean += number;
    expected_mean /= count;
    for (int number : numbers)
        expected_squares += (number - expected_mean) * (number - expected_mean);
    if (mean != expected_mean || squares != expected_squares) {
        printf("FAILED: mean %lld, not %lld; sum of squares %lld, not %lld\n", mean, expected_mean,
               squares, expected_squares);
        return 1;
    }
    printf("PASSED: %d blocks met four times; mean %lld, variance %lld\n", blocks, mean,
           squares / count);
    return 0;
}
