// Variables of the device that the host names, in this file and in templates.
#include "../support/hip_test.h"

__device__ int counters[8];
__device__ int preset = 41;
__constant__ float weights[4];
static __device__ double hidden;
__managed__ int shared_by_both = 5;
namespace outer
{
template <typename T> __device__ T of_template = T(7);
}

__global__ void use()
{
    int i = threadIdx.x;
    if (i < 8)
        counters[i] += preset + static_cast<int>(weights[i % 4]);
    if (i == 0) {
        hidden += 0.5;
        shared_by_both += 1;
        outer::of_template<int> += 1;
    }
}

TEST("symbols can be written, read and used by a kernel")
{
    int zero[8] = {};
    float w[4] = {1, 2, 3, 4};
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(counters), zero, sizeof zero));
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(weights), w, sizeof w));
    use<<<1, 32>>>();
    CHECK_LAUNCH();
    int got[8];
    CHECK_HIP(hipMemcpyFromSymbol(got, HIP_SYMBOL(counters), sizeof got));
    for (int i = 0; i < 8; ++i)
        CHECK_EQ(got[i], 41 + i % 4 + 1);
    // a part of it, at an offset
    int two[2] = {-1, -2};
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(counters), two, sizeof two, 3 * sizeof(int),
                                hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpyFromSymbolAsync(got, HIP_SYMBOL(counters), sizeof got, 0,
                                       hipMemcpyDeviceToHost, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(got[3], -1);
    CHECK_EQ(got[4], -2);
    CHECK_EQ(got[5], 41 + 2);
}

TEST("a symbol has an address and a size")
{
    void *p = nullptr;
    size_t size = 0;
    CHECK_HIP(hipGetSymbolAddress(&p, HIP_SYMBOL(weights)));
    CHECK_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(weights)));
    CHECK_EQ(size, sizeof weights);
    float w[4] = {};
    CHECK_HIP(hipMemcpy(w, p, sizeof w, hipMemcpyDeviceToHost));
    CHECK_EQ(w[3], 4.0f);
    hipFuncAttributes attributes;
    CHECK_HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(use)));
    CHECK_EQ(attributes.constSizeBytes, sizeof weights);
    CHECK_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(hidden)));
    CHECK_EQ(size, sizeof(double));
    double d = 0;
    CHECK_HIP(hipMemcpyFromSymbol(&d, HIP_SYMBOL(hidden), sizeof d));
    CHECK_EQ(d, 0.5);
    int t = 0;
    CHECK_HIP(hipMemcpyFromSymbol(&t, HIP_SYMBOL(outer::of_template<int>), sizeof t));
    CHECK_EQ(t, 8);
}

TEST("a managed variable is the same on both sides")
{
    int before = shared_by_both;
    use<<<1, 32>>>();
    CHECK_LAUNCH();
    CHECK_EQ(shared_by_both, before + 1);
    shared_by_both = 100;
    use<<<1, 32>>>();
    CHECK_LAUNCH();
    CHECK_EQ(shared_by_both, 101);
}

TEST("what is not a symbol, or does not fit in it, is refused")
{
    int host = 0, large[9] = {};
    void *p = nullptr;
    size_t size = 0;
    CHECK_EQ(hipGetSymbolAddress(&p, &host), hipErrorInvalidSymbol);
    CHECK_EQ(hipGetSymbolSize(&size, nullptr), hipErrorInvalidSymbol);
    CHECK_EQ(hipMemcpyToSymbol(&host, &host, sizeof host), hipErrorInvalidSymbol);
    CHECK_EQ(hipMemcpyToSymbol(HIP_SYMBOL(counters), large, sizeof large), hipErrorInvalidValue);
    CHECK_EQ(hipMemcpyToSymbol(HIP_SYMBOL(counters), large, 8, 7 * sizeof(int)),
             hipErrorInvalidValue);
    CHECK_EQ(hipMemcpyFromSymbol(large, HIP_SYMBOL(counters), sizeof large), hipErrorInvalidValue);
    CHECK_EQ(hipMemcpyToSymbol(HIP_SYMBOL(counters), large, 4, 0, hipMemcpyDeviceToHost),
             hipErrorInvalidMemcpyDirection);
    (void)hipGetLastError();
}

HIP_TEST_MAIN
