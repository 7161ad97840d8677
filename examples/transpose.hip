// A matrix transposed twice: reading or writing down a column, and through a tile of shared memory,
// with which neighbouring threads read and write neighbouring elements.
#include "check.h"

#include <hip/hip_runtime.h>

#include <vector>

static const int rows = 389, columns = 1003; // deliberately no multiples of the tile
static const int tile = 32, block_rows = 8;  // each thread moves four elements

__global__ void transpose_plainly(const float *from, float *to)
{
    const int column = blockIdx.x * tile + threadIdx.x;
    for (int i = threadIdx.y; i < tile; i += block_rows) {
        const int row = blockIdx.y * tile + i;
        if (row < rows && column < columns)
            to[column * rows + row] = from[row * columns + column]; // `rows` elements apart
    }
}

__global__ void transpose_in_tiles(const float *from, float *to)
{
    // One more column than needed: the elements of a column then lie in different banks.
    __shared__ float cells[tile][tile + 1];

    const int column = blockIdx.x * tile + threadIdx.x;
    for (int i = threadIdx.y; i < tile; i += block_rows) {
        const int row = blockIdx.y * tile + i;
        if (row < rows && column < columns)
            cells[i][threadIdx.x] = from[row * columns + column];
    }
    __syncthreads(); // every thread now reads what another one wrote

    const int to_column = blockIdx.y * tile + threadIdx.x;
    for (int i = threadIdx.y; i < tile; i += block_rows) {
        const int to_row = blockIdx.x * tile + i;
        if (to_row < columns && to_column < rows)
            to[to_row * rows + to_column] = cells[threadIdx.x][i];
    }
}

// Milliseconds that a kernel takes.
template <typename Kernel> static float measure(Kernel kernel, const float *from, float *to)
{
    const dim3 grid((columns + tile - 1) / tile, (rows + tile - 1) / tile), block(tile, block_rows);
    hipEvent_t start, stop;
    float milliseconds = 0;
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&stop));
    kernel<<<grid, block>>>(from, to); // once to warm up
    HIP_CHECK(hipEventRecord(start));
    kernel<<<grid, block>>>(from, to);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipEventRecord(stop));
    HIP_CHECK(hipEventSynchronize(stop));
    HIP_CHECK(hipEventElapsedTime(&milliseconds, start, stop));
    HIP_CHECK(hipEventDestroy(start));
    HIP_CHECK(hipEventDestroy(stop));
    return milliseconds;
}

static bool is_transposed(const std::vector<float> &matrix, const float *device_result)
{
    std::vector<float> result(matrix.size());
    HIP_CHECK(hipMemcpy(result.data(), device_result, result.size() * sizeof(float),
                        hipMemcpyDeviceToHost));
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const float is = result[column * rows + row], must_be = matrix[row * columns + column];
            if (is != must_be) {
                printf("FAILED: row %d, column %d is %g, not %g\n", column, row, is, must_be);
                return false;
            }
        }
    }
    return true;
}

int main()
{
    const size_t bytes = sizeof(float) * rows * columns;
    std::vector<float> matrix(rows * columns);
    for (size_t i = 0; i < matrix.size(); i++)
        matrix[i] = (float)i;
    print_device();

    float *from, *to;
    HIP_CHECK(hipMalloc(&from, bytes));
    HIP_CHECK(hipMalloc(&to, bytes));
    HIP_CHECK(hipMemcpy(from, matrix.data(), bytes, hipMemcpyHostToDevice));

    HIP_CHECK(hipMemset(to, 0xff, bytes)); // not what the kernel before left there
    const float plain = measure(transpose_plainly, from, to);
    bool right = is_transposed(matrix, to);
    HIP_CHECK(hipMemset(to, 0xff, bytes));
    const float tiled = measure(transpose_in_tiles, from, to);
    right = right && is_transposed(matrix, to);

    HIP_CHECK(hipFree(from));
    HIP_CHECK(hipFree(to));
    if (!right)
        return 1;
    printf("  plainly %.3f ms, in tiles of shared memory %.3f ms\n", plain, tiled);
    printf("PASSED: a matrix of %d x %d, transposed in two ways\n", rows, columns);
    return 0;
}
