// More constant variables than the 64 KiB of NVIDIA's constant memory: what does not fit is in
// global memory there, and no program can tell.
#include "../support/hip_test.h"

namespace
{
constexpr int table_length = 20000;
struct squares {
    unsigned long long at[table_length];
    constexpr squares() : at()
    {
        for (int i = 0; i < table_length; ++i)
            at[i] = 1ull * i * i;
    }
};
} // namespace

__constant__ unsigned int written[table_length];
__constant__ unsigned int preset[table_length] = {5, 6, 7};
static __constant__ unsigned int hidden[30000] = {8};
__constant__ int small = 3;
__constant__ const unsigned int *inside = &preset[2];
constexpr squares computed; // constant memory without a word of the program

__device__ unsigned int read_through_a_pointer(const unsigned int *p, int i)
{
    return p[i];
}

__global__ void read(unsigned long long *out, int i)
{
    out[0] = written[i];
    out[1] = preset[i];
    out[2] = read_through_a_pointer(i ? hidden : written, 0);
    out[3] = small + *inside;
    out[4] = computed.at[i * 1000];
}

TEST("constant variables beyond 64 KiB have their values")
{
    ah_test::buffer<unsigned long long> out(5);
    unsigned int value = 77, values[3] = {};
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(written), &value, sizeof value, 2 * sizeof value));
    read<<<1, 1>>>(out.device(), 2);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 77u);
    CHECK_EQ(out.read()[1], 7u);
    CHECK_EQ(out.read()[2], 8u);
    CHECK_EQ(out.read()[3], 10u);
    CHECK_EQ(out.read()[4], 4000000u);
    CHECK_HIP(hipMemcpyFromSymbol(values, HIP_SYMBOL(preset), sizeof values));
    CHECK_EQ(values[0], 5u);
    CHECK_EQ(values[2], 7u);
}

TEST("constant variables beyond 64 KiB have an address and a size")
{
    void *address = nullptr;
    size_t size = 0;
    unsigned int value = 9, read_back = 0;
    CHECK_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(hidden)));
    CHECK_EQ(size, sizeof hidden);
    CHECK_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(small)));
    CHECK_EQ(size, sizeof small);
    CHECK_HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(hidden)));
    CHECK_HIP(hipMemcpy(address, &value, sizeof value, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpyFromSymbol(&read_back, HIP_SYMBOL(hidden), sizeof read_back));
    CHECK_EQ(read_back, 9u);
    ah_test::buffer<unsigned long long> out(5);
    read<<<1, 1>>>(out.device(), 1);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[2], 9u);
}

HIP_TEST_MAIN
