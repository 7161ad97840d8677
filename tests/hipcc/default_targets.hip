// A program that is compiled for hipcc's default targets: it computes the same on every device, of
// any model, and so does a module that is loaded from its bundle. Each device has code of its own or
// of the generic target that covers it.
#include "../support/hip_test.h"

#include <fstream>
#include <iterator>

namespace
{
constexpr int threads = 256, blocks = 4, count = threads * blocks;

// The sum of a value over the warp, for warps of either size.
__device__ unsigned int warp_sum(unsigned int value)
{
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
        value += __shfl_xor(value, distance);
    return value;
}
} // namespace

extern "C" __global__ void sum_squares(const unsigned int *in, unsigned int *out, double *roots)
{
    __shared__ unsigned int sums[threads];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = warp_sum(in[i] * in[i]);
    roots[i] = sqrt(double(in[i]));
    if (threadIdx.x % warpSize == 0)
        sums[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x < threads / warpSize)
        atomicAdd(out, sums[threadIdx.x]);
}

namespace
{
void check_results(ah_test::buffer<unsigned int> &out, ah_test::buffer<double> &roots)
{
    unsigned int sum = 0;
    const std::vector<double> &values = roots.read();
    for (unsigned int i = 0; i < count; ++i) {
        sum += i * i;
        CHECK_EQ(values[i], std::sqrt(double(i)));
    }
    CHECK_EQ(out.read()[0], sum);
}

std::vector<unsigned int> numbers()
{
    std::vector<unsigned int> all(count);
    for (unsigned int i = 0; i < count; ++i)
        all[i] = i;
    return all;
}

std::vector<char> own_bundle()
{
    std::ifstream file("/proc/self/exe", std::ios::binary);
    std::string all{std::istreambuf_iterator<char>(file), {}};
    // In two parts, so that the program does not hold it twice.
    size_t at = all.find(std::string("__CLANG_OFFLOAD_") + "BUNDLE__");
    return at == std::string::npos ? std::vector<char>()
                                   : std::vector<char>(all.begin() + at, all.end());
}
} // namespace

TEST("a program for the default targets runs on this device")
{
    ah_test::buffer<unsigned int> in(numbers()), out({0});
    ah_test::buffer<double> roots(count);
    sum_squares<<<blocks, threads>>>(in.device(), out.device(), roots.device());
    CHECK_LAUNCH();
    check_results(out, roots);
}

TEST("a module is loaded from a bundle for the default targets")
{
    ah_test::buffer<unsigned int> in(numbers()), out({0});
    ah_test::buffer<double> roots(count);
    std::vector<char> bundle = own_bundle();
    hipModule_t module;
    hipFunction_t function;
    CHECK(!bundle.empty());
    CHECK_HIP(hipModuleLoadData(&module, bundle.data()));
    CHECK_HIP(hipModuleGetFunction(&function, module, "sum_squares"));
    unsigned int *first = in.device(), *second = out.device();
    double *third = roots.device();
    void *arguments[] = {&first, &second, &third};
    CHECK_HIP(hipModuleLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments,
                                    nullptr));
    check_results(out, roots);
    CHECK_HIP(hipModuleUnload(module));
}

HIP_TEST_MAIN
