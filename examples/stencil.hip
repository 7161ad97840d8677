// Heat spreading over a plate: a five-point stencil with tiles in shared memory, two streams of
// work ordered by events, checked against the same computation on the host.
#include "check.h"

#include <hip/hip_runtime.h>

#include <cmath>
#include <utility>
#include <vector>

static const int width = 517, height = 389, steps = 40; // deliberately no multiples of the tile
static const int tile = 16;

__global__ void spread(const float *from, float *to, int width, int height)
{
    __shared__ float cells[tile + 2][tile + 2];
    const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;

    // Every thread loads cells of the tile and its border; outside the plate it is cold.
    for (int i = threadIdx.y * tile + threadIdx.x; i < (tile + 2) * (tile + 2); i += tile * tile) {
        const int cx = blockIdx.x * tile + i % (tile + 2) - 1;
        const int cy = blockIdx.y * tile + i / (tile + 2) - 1;
        const bool inside = cx >= 0 && cx < width && cy >= 0 && cy < height;
        cells[i / (tile + 2)][i % (tile + 2)] = inside ? from[cy * width + cx] : 0.0f;
    }
    __syncthreads();
    if (x >= width || y >= height)
        return;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const float around =
        (cells[ty][tx - 1] + cells[ty][tx + 1]) + (cells[ty - 1][tx] + cells[ty + 1][tx]);
    to[y * width + x] = fmaf(0.125f, around, 0.5f * cells[ty][tx]);
}

static float at(const std::vector<float> &plate, int x, int y)
{
    return x >= 0 && x < width && y >= 0 && y < height ? plate[y * width + x] : 0.0f;
}

static std::vector<float> on_host(std::vector<float> plate)
{
    std::vector<float> next(plate.size());
    for (int step = 0; step < steps; step++) {
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                const float around = (at(plate, x - 1, y) + at(plate, x + 1, y)) +
                                     (at(plate, x, y - 1) + at(plate, x, y + 1));
                next[y * width + x] = std::fma(0.125f, around, 0.5f * at(plate, x, y));
            }
        plate.swap(next);
    }
    return plate;
}

int main()
{
    const size_t bytes = sizeof(float) * width * height;
    std::vector<float> plate(width * height), result(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            plate[y * width + x] = (x / 32 + y / 32) % 2 ? 100.0f : 1.0f;
    print_device();

    float *a, *b;
    hipStream_t compute, transfer;
    hipEvent_t arrived, computed;
    HIP_CHECK(hipMalloc(&a, bytes));
    HIP_CHECK(hipMalloc(&b, bytes));
    HIP_CHECK(hipStreamCreateWithFlags(&compute, hipStreamNonBlocking));
    HIP_CHECK(hipStreamCreateWithFlags(&transfer, hipStreamNonBlocking));
    HIP_CHECK(hipEventCreateWithFlags(&arrived, hipEventDisableTiming));
    HIP_CHECK(hipEventCreateWithFlags(&computed, hipEventDisableTiming));

    HIP_CHECK(hipMemcpyAsync(a, plate.data(), bytes, hipMemcpyHostToDevice, transfer));
    HIP_CHECK(hipEventRecord(arrived, transfer));
    HIP_CHECK(hipStreamWaitEvent(compute, arrived, 0));
    const dim3 block(tile, tile), grid((width + tile - 1) / tile, (height + tile - 1) / tile);
    for (int step = 0; step < steps; step++) {
        spread<<<grid, block, 0, compute>>>(a, b, width, height);
        HIP_CHECK(hipGetLastError());
        std::swap(a, b);
    }
    HIP_CHECK(hipEventRecord(computed, compute));
    HIP_CHECK(hipStreamWaitEvent(transfer, computed, 0));
    HIP_CHECK(hipMemcpyAsync(result.data(), a, bytes, hipMemcpyDeviceToHost, transfer));
    HIP_CHECK(hipStreamSynchronize(transfer));

    HIP_CHECK(hipFree(a));
    HIP_CHECK(hipFree(b));
    HIP_CHECK(hipStreamDestroy(compute));
    HIP_CHECK(hipStreamDestroy(transfer));
    HIP_CHECK(hipEventDestroy(arrived));
    HIP_CHECK(hipEventDestroy(computed));

    const std::vector<float> expected = on_host(plate);
    for (size_t i = 0; i < expected.size(); i++) {
        // The compiler may fuse a multiplication and an addition differently on the two sides.
        if (!(std::fabs(result[i] - expected[i]) <= 1e-4f * (1 + std::fabs(expected[i])))) {
            printf("FAILED: cell %zu is %g, not %g\n", i, result[i], expected[i]);
            return 1;
        }
    }
    printf("PASSED: %d steps over %d x %d cells\n", steps, width, height);
    return 0;
}
