// The smallest whole HIP program: copy two vectors to the device, add them, copy the sum back.
#include "check.h"

#include <hip/hip_runtime.h>

#include <vector>

__global__ void add(const float *a, const float *b, float *sum, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count)
        sum[i] = a[i] + b[i];
}

int main()
{
    const size_t count = 1000003; // not a multiple of the block size
    const size_t bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), sum(count);
    for (size_t i = 0; i < count; i++) {
        a[i] = float(i % 1024);
        b[i] = 2 * a[i];
    }
    print_device();

    float *device_a, *device_b, *device_sum;
    HIP_CHECK(hipMalloc(&device_a, bytes));
    HIP_CHECK(hipMalloc(&device_b, bytes));
    HIP_CHECK(hipMalloc(&device_sum, bytes));
    HIP_CHECK(hipMemcpy(device_a, a.data(), bytes, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(device_b, b.data(), bytes, hipMemcpyHostToDevice));

    const unsigned block = 256;
    add<<<(count + block - 1) / block, block>>>(device_a, device_b, device_sum, count);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(sum.data(), device_sum, bytes, hipMemcpyDeviceToHost));

    HIP_CHECK(hipFree(device_a));
    HIP_CHECK(hipFree(device_b));
    HIP_CHECK(hipFree(device_sum));

    for (size_t i = 0; i < count; i++) {
        if (sum[i] != a[i] + b[i]) {
            printf("FAILED: element %zu is %g, not %g\n", i, sum[i], a[i] + b[i]);
            return 1;
        }
    }
    printf("PASSED: %zu sums\n", count);
    return 0;
}
