// Launching kernels: every way to do it, and what is refused.
#include "../support/hip_test.h"

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>

struct mixed {
    char a;
    double b;
    short c[3];
};

__global__ void take(long long *out, char a, double b, short c, int *p, mixed m)
{
    out[0] = a;
    out[1] = static_cast<long long>(b * 4);
    out[2] = c;
    out[3] = *p;
    out[4] = m.a;
    out[5] = static_cast<long long>(m.b);
    out[6] = m.c[2];
}
__global__ void count(int *p)
{
    atomicAdd(p, 1);
}
__global__ void where(int *out)
{
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] = block * 1000 + thread;
}
__global__ void __launch_bounds__(64) bounded(int *p)
{
    atomicAdd(p, 1);
}
__global__ void reverse(int *p)
{
    extern __shared__ int dynamic[];
    int n = blockDim.x;
    dynamic[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = dynamic[n - 1 - threadIdx.x];
}
__global__ void last_shared(int *out, int words)
{
    extern __shared__ int dynamic[];
    dynamic[words - 1] = 12;
    __syncthreads();
    *out = dynamic[words - 1];
}
__global__ void all_blocks(int *sum, int *seen)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0)
        seen[blockIdx.x] = *sum;
}
template <typename T, int N> __global__ void fill(T *p, T value)
{
    if (threadIdx.x < N)
        p[threadIdx.x] = value;
}

TEST("arguments of all sizes arrive")
{
    ah_test::buffer<long long> out(7);
    ah_test::buffer<int> pointed({77});
    mixed m = {-3, 9.0, {1, 2, 3}};
    std::vector<long long> want = {-1, 10, -2, 77, -3, 9, 3};
    take<<<1, 1>>>(out.device(), char(-1), 2.5, short(-2), pointed.device(), m);
    CHECK_LAUNCH();
    CHECK(out.read() == want);

    long long *p = out.device();
    char a = -1;
    double b = 2.5;
    short c = -2;
    int *q = pointed.device();
    void *arguments[] = {&p, &a, &b, &c, &q, &m};
    CHECK_HIP(hipMemset(out.device(), 0, 56));
    CHECK_HIP(hipLaunchKernel(reinterpret_cast<const void *>(take), dim3(1), dim3(1), arguments, 0,
                              nullptr));
    CHECK(out.read() == want);
    CHECK_HIP(hipMemset(out.device(), 0, 56));
    hipLaunchKernelGGL(take, 1, 1, 0, nullptr, p, a, b, c, q, m);
    CHECK_LAUNCH();
    CHECK(out.read() == want);
}

TEST("templates, several threads of each dimension and blocks of each dimension")
{
    ah_test::buffer<double> values(8);
    fill<double, 6><<<1, 8>>>(values.device(), 1.5);
    fill<double, 2><<<1, 8>>>(values.device(), 2.5);
    CHECK_LAUNCH();
    CHECK(values.read() == std::vector<double>({2.5, 2.5, 1.5, 1.5, 1.5, 1.5, 0, 0}));

    dim3 grid(3, 4, 2), block(5, 2, 3);
    ah_test::buffer<int> out(24 * 30);
    where<<<grid, block>>>(out.device());
    CHECK_LAUNCH();
    out.read();
    for (int b = 0; b < 24; ++b)
        for (int t = 0; t < 30; ++t)
            CHECK_EQ(out.read()[b * 30 + t], b * 1000 + t);
}

TEST("events of an extended launch measure the kernel")
{
    ah_test::buffer<int> n({0});
    hipEvent_t start, stop;
    CHECK_HIP(hipEventCreate(&start));
    CHECK_HIP(hipEventCreate(&stop));
    hipExtLaunchKernelGGL(count, dim3(10), dim3(32), 0, nullptr, start, stop, 0, n.device());
    CHECK_LAUNCH();
    float ms = -1;
    CHECK_HIP(hipEventElapsedTime(&ms, start, stop));
    CHECK(ms >= 0);
    CHECK_EQ(n.read()[0], 320);
    CHECK_HIP(hipEventDestroy(start));
    CHECK_HIP(hipEventDestroy(stop));
}

TEST("dynamic shared memory may be as large as a block allows")
{
    std::vector<int> in(256), want(256);
    for (int i = 0; i < 256; ++i)
        in[i] = i, want[255 - i] = i;
    ah_test::buffer<int> p(in);
    reverse<<<1, 256, 256 * sizeof(int)>>>(p.device());
    CHECK_LAUNCH();
    CHECK(p.read() == want);

    int usual = 0, most = 0;
    CHECK_HIP(hipDeviceGetAttribute(&usual, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
    CHECK_HIP(hipDeviceGetAttribute(&most, hipDeviceAttributeSharedMemPerBlockOptin, 0));
    CHECK(most >= usual || most == 0);
    ah_test::buffer<int> out({0});
    int bytes = most > usual ? most : usual;
    CHECK_EQ(hipFuncSetAttribute(reinterpret_cast<const void *>(last_shared),
                                 hipFuncAttributeMaxDynamicSharedMemorySize, bytes),
             hipSuccess);
    last_shared<<<1, 32, bytes>>>(out.device(), bytes / 4);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 12);
    last_shared<<<1, 32, bytes + 4096>>>(out.device(), 1);
    CHECK_EQ(hipGetLastError(), hipErrorOutOfMemory);
}

TEST("launches that no device accepts are refused, and the device still works")
{
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    ah_test::buffer<int> n({0});
    count<<<0, 1>>>(n.device());
    CHECK_EQ(hipGetLastError(), hipErrorInvalidValue);
    count<<<1, 0>>>(n.device());
    CHECK_EQ(hipGetLastError(), hipErrorInvalidValue);
    count<<<1, p.maxThreadsPerBlock + 1>>>(n.device());
    CHECK_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
    count<<<1, dim3(1, 1, p.maxThreadsDim[2] + 1)>>>(n.device());
    CHECK_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
    count<<<dim3(1, 1u << 30, 1), 1>>>(n.device());
    CHECK(hipGetLastError() != hipSuccess);
    bounded<<<1, 65>>>(n.device());
    CHECK_EQ(hipGetLastError(), hipErrorLaunchFailure);
    CHECK_EQ(hipLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr),
             hipErrorInvalidDeviceFunction);
    int host = 0;
    CHECK_EQ(hipLaunchKernel(&host, dim3(1), dim3(1), nullptr, 0, nullptr),
             hipErrorInvalidDeviceFunction);
    (void)hipGetLastError();
    bounded<<<1, 64>>>(n.device());
    CHECK_LAUNCH();
    CHECK_EQ(n.read()[0], 64);
}

TEST("an error is seen once by hipGetLastError and stays for hipPeekAtLastError")
{
    (void)hipGetLastError();
    CHECK_EQ(hipSetDevice(1000), hipErrorInvalidDevice);
    CHECK_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    int device;
    CHECK_HIP(hipGetDevice(&device));
    CHECK_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    CHECK_EQ(hipGetLastError(), hipErrorInvalidDevice);
    CHECK_EQ(hipGetLastError(), hipSuccess);
}

TEST("the attributes of a kernel can be queried")
{
    hipFuncAttributes a;
    CHECK_HIP(hipFuncGetAttributes(&a, reinterpret_cast<const void *>(bounded)));
    CHECK_EQ(a.maxThreadsPerBlock, 64);
    CHECK(a.numRegs > 0);
    CHECK_HIP(hipFuncGetAttributes(&a, reinterpret_cast<const void *>(count)));
    CHECK(a.maxThreadsPerBlock >= 256);
    CHECK_EQ(a.sharedSizeBytes, size_t(0));
    CHECK_EQ(hipFuncGetAttributes(&a, nullptr), hipErrorInvalidDeviceFunction);
    hipFunction_t f = nullptr;
    CHECK_HIP(hipGetFuncBySymbol(&f, reinterpret_cast<const void *>(count)));
    int value = -1;
    CHECK_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CHECK(value >= 256);
    ah_test::buffer<int> n({0});
    int *p = n.device();
    void *arguments[] = {&p};
    CHECK_HIP(hipModuleLaunchKernel(f, 2, 1, 1, 16, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK_EQ(n.read()[0], 32);
    (void)hipGetLastError();
}

TEST("occupancy is within the limits of the device")
{
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    int blocks = 0, grid = 0, block = 0;
    CHECK_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 128, 0));
    CHECK(blocks > 0 && blocks * 128 <= p.maxThreadsPerMultiProcessor);
    CHECK_HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, count, 0, 0));
    CHECK(block > 0 && block <= p.maxThreadsPerBlock);
    CHECK(grid >= p.multiProcessorCount);
    CHECK_HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, count, 0, 96));
    CHECK(block > 0 && block <= 96);
    CHECK_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 0, 0),
             hipErrorInvalidValue);
    (void)hipGetLastError();
}

TEST("the blocks of a cooperative launch synchronize")
{
    int supported = 0;
    CHECK_HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
    if (!supported)
        SKIP("the device has no cooperative launches");
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    int per_processor = 0;
    CHECK_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, all_blocks, 128, 0));
    int blocks = per_processor * p.multiProcessorCount;
    ah_test::buffer<int> sum({0}), seen(blocks);
    int *a = sum.device(), *b = seen.device();
    void *arguments[] = {&a, &b};
    CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(all_blocks), dim3(blocks),
                                         dim3(128), arguments, 0, nullptr));
    CHECK(seen.read() == std::vector<int>(blocks, blocks));
    CHECK_EQ(hipLaunchCooperativeKernel(reinterpret_cast<void *>(all_blocks), dim3(blocks + 1),
                                        dim3(128), arguments, 0, nullptr),
             hipErrorCooperativeLaunchTooLarge);
    (void)hipGetLastError();
}

HIP_TEST_MAIN
