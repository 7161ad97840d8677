// One program, compiled once, on every device at once, of whatever vendor: each computes a band of
// the same picture. The bands are collected on device 0, copied from device to device, and device 0
// counts what is in them after its stream has waited for events of all the others.
//   usage: both_vendors [MINIMUM], the number of vendors without which it fails
#include "check.h"

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstring>
#include <vector>

static const int width = 456, height = 336, limit = 48;

// How long a point of the plane stays near the origin. Fixed-point numbers (28 bits of fraction)
// are exact, so that every device and the host agree on every bit.
__host__ __device__ inline int steps_at(int column, int row)
{
    const long long one = 1 << 28;
    const long long cx = one * (column * 3 - width * 2) / width;
    const long long cy = one * (row * 5 - height * 5 / 2) / (2 * height);
    long long x = 0, y = 0;
    for (int step = 0; step < limit; step++) {
        const long long xx = (x * x) >> 28, yy = (y * y) >> 28;
        if (xx + yy > 4 * one)
            return step;
        y = ((2 * x * y) >> 28) + cy;
        x = xx - yy + cx;
    }
    return limit;
}

__global__ void draw(unsigned char *band, int first, int rows)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    if (column < width && row < rows)
        band[row * width + column] = (unsigned char)steps_at(column, first + row);
}

__global__ void count_inside(const unsigned char *picture, int size, unsigned *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size && picture[i] == limit)
        atomicAdd(count, 1u);
}

struct worker {
    hipDeviceProp_t properties;
    hipStream_t stream;
    hipEvent_t arrived;
    int first, rows;
    unsigned char *band;

    bool is_nvidia() const { return strncmp(properties.gcnArchName, "sm_", 3) == 0; }
};

// Everything that a device needs, made while it is the current one.
static worker hire(int device, int devices)
{
    worker w;
    HIP_CHECK(hipSetDevice(device));
    HIP_CHECK(hipGetDeviceProperties(&w.properties, device));
    HIP_CHECK(hipStreamCreate(&w.stream));
    HIP_CHECK(hipEventCreateWithFlags(&w.arrived, hipEventDisableTiming));
    w.first = height * device / devices;
    w.rows = height * (device + 1) / devices - w.first;
    HIP_CHECK(hipMalloc(&w.band, (size_t)w.rows * width));
    printf("device %d: %-26s %-6s draws rows %3d to %3d\n", device, w.properties.name,
           w.is_nvidia() ? "NVIDIA" : "AMD", w.first, w.first + w.rows - 1);
    return w;
}

// A character for each 6 by 12 pixels, and in front of each line the device that drew it.
static void show(const std::vector<unsigned char> &picture, const std::vector<worker> &workers)
{
    for (int row = 6; row < height; row += 12) {
        size_t device = 0;
        while (row >= workers[device].first + workers[device].rows)
            device++;
        char line[width / 6 + 1] = "";
        for (int i = 0; i < width / 6; i++)
            line[i] = " .:-=+*%@#"[std::min(picture[row * width + i * 6 + 3] / 5, 9)];
        printf("%2zu %s\n", device, line);
    }
}

int main(int argc, char **argv)
{
    int devices, vendors;
    HIP_CHECK(hipGetDeviceCount(&devices));
    std::vector<worker> workers;
    for (int device = 0; device < devices; device++)
        workers.push_back(hire(device, devices));
    const int nvidia = (int)std::count_if(workers.begin(), workers.end(),
                                          [](const worker &w) { return w.is_nvidia(); });
    vendors = (nvidia > 0) + (nvidia < devices);

    // All devices work at the same time: nothing waits here.
    for (int device = 0; device < devices; device++) {
        const worker &w = workers[device];
        HIP_CHECK(hipSetDevice(device));
        draw<<<dim3((width + 127) / 128, w.rows), 128, 0, w.stream>>>(w.band, w.first, w.rows);
        HIP_CHECK(hipGetLastError());
    }

    // Each band goes to device 0 as soon as it is drawn, and device 0 waits for all of them.
    unsigned char *picture;
    unsigned *inside;
    HIP_CHECK(hipSetDevice(0));
    HIP_CHECK(hipMalloc(&picture, width * height));
    HIP_CHECK(hipMalloc(&inside, sizeof *inside));
    for (int device = 0; device < devices; device++) {
        const worker &w = workers[device];
        HIP_CHECK(hipSetDevice(device));
        HIP_CHECK(hipMemcpyPeerAsync(picture + w.first * width, 0, w.band, device,
                                     (size_t)w.rows * width, w.stream));
        HIP_CHECK(hipEventRecord(w.arrived, w.stream));
    }
    HIP_CHECK(hipSetDevice(0));
    hipStream_t stream = workers[0].stream;
    for (const worker &w : workers)
        HIP_CHECK(hipStreamWaitEvent(stream, w.arrived, 0));
    HIP_CHECK(hipMemsetAsync(inside, 0, sizeof *inside, stream));
    count_inside<<<(width * height + 255) / 256, 256, 0, stream>>>(picture, width * height, inside);
    HIP_CHECK(hipGetLastError());

    std::vector<unsigned char> result(width * height);
    unsigned counted;
    HIP_CHECK(hipMemcpyAsync(result.data(), picture, result.size(), hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipMemcpyAsync(&counted, inside, sizeof counted, hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    HIP_CHECK(hipFree(picture));
    HIP_CHECK(hipFree(inside));
    for (const worker &w : workers) {
        HIP_CHECK(hipFree(w.band));
        HIP_CHECK(hipEventDestroy(w.arrived));
        HIP_CHECK(hipStreamDestroy(w.stream));
    }

    show(result, workers);
    unsigned expected = 0;
    for (int i = 0; i < width * height; i++) {
        const int steps = steps_at(i % width, i / width);
        expected += steps == limit;
        if (result[i] != steps) {
            printf("FAILED: column %d of row %d is %d, not %d\n", i % width, i / width, result[i],
                   steps);
            return 1;
        }
    }
    if (counted != expected) {
        printf("FAILED: %u points inside, not %u\n", counted, expected);
        return 1;
    }
    if (argc > 1 && vendors < atoi(argv[1])) {
        printf("FAILED: the devices are of %d vendor%s\n", vendors, vendors == 1 ? "" : "s");
        return 1;
    }
    printf("PASSED: one picture by %d device%s of %s\n", devices, devices == 1 ? "" : "s",
           vendors == 2 ? "both vendors" : "one vendor");
    return 0;
}
