// What the log (AMD_LOG_LEVEL) says of launches that are refused and of text that is lost: a line
// that names the kernel, what was requested and what is available.
#include "../support/hip_test.h"
#include "../support/output.h"

#include <cstdlib>

#include <hip/hip_ext.h>

__global__ void __launch_bounds__(64) bounded(int *out)
{
    extern __shared__ int shared[];
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        shared[0] = 7;
        *out = shared[0];
    }
}
__global__ void unbounded(int *out)
{
    *out = 1;
}

// What the log says during run().
template <typename F> static std::string log_of(F run)
{
    return ah_test::output_of(stderr, run);
}

static void has(const std::string &text, const std::vector<std::string> &parts)
{
    for (const std::string &part : parts)
        CHECK_CASE(text.find(part) != std::string::npos, "%s is not in: %.300s", part.c_str(),
                   text.c_str());
}

// The launch fails with want, as every way to learn of it says, and the device goes on.
template <typename K>
static std::string refused(K kernel, dim3 grid, dim3 block, std::size_t shared, hipError_t want)
{
    ah_test::buffer<int> out({0});
    int *p = out.device();
    std::string text = log_of([&] {
        kernel<<<grid, block, shared>>>(p);
        CHECK_EQ(hipPeekAtLastError(), want);
        CHECK_EQ(hipGetLastError(), want);
        CHECK_EQ(hipGetLastError(), hipSuccess);
    });
    void *arguments[] = {&p};
    (void)log_of([&] {
        CHECK_EQ(hipLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments,
                                 shared, nullptr),
                 want);
        CHECK_EQ(hipExtLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments,
                                    shared, nullptr, nullptr, nullptr, 0),
                 want);
    });
    (void)hipGetLastError();
    CHECK_EQ(out.read()[0], 0);
    unbounded<<<1, 1>>>(p);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 1);
    return text;
}

TEST("more threads than the launch bounds: kernel, block and bound")
{
    has(refused(bounded, 1, 65, 4, hipErrorLaunchFailure), {"bounded", "(65, 1, 1)", "(64)"});
    has(refused(bounded, 2, dim3(8, 8, 2), 4, hipErrorLaunchFailure),
        {"bounded", "(8, 8, 2)", "(64)"});
    ah_test::buffer<int> out({-1});
    bounded<<<1, dim3(8, 8), 4>>>(out.device()); // as many as the bounds
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 7);
}

TEST("more threads than a block has: kernel, block and what the device allows")
{
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    has(refused(unbounded, 1, unsigned(p.maxThreadsPerBlock) + 1, 0, hipErrorInvalidConfiguration),
        {"unbounded", "(" + std::to_string(p.maxThreadsPerBlock + 1) + ", 1, 1)",
         std::to_string(p.maxThreadsPerBlock) + " threads"});
    has(refused(unbounded, 1, dim3(1, 1, unsigned(p.maxThreadsDim[2]) + 1), 0,
                hipErrorInvalidConfiguration),
        {"unbounded", "(1, 1, " + std::to_string(p.maxThreadsDim[2] + 1) + ")"});
}

TEST("a dimension of 0: kernel, grid and block")
{
    has(refused(unbounded, dim3(1, 0, 1), 32, 0, hipErrorInvalidValue),
        {"unbounded", "(1, 0, 1)", "(32, 1, 1)"});
    has(refused(unbounded, 1, dim3(1, 1, 0), 0, hipErrorInvalidValue), {"unbounded", "(1, 1, 0)"});
    has(refused(unbounded, 0, 0, 0, hipErrorInvalidValue), {"unbounded", "(0, 1, 1)"});
}

TEST("more blocks than a grid has: kernel, grid and what the device allows")
{
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    unsigned most = unsigned(p.maxGridSize[1]);
    has(refused(unbounded, dim3(1, most + 1, 1), 1, 0, hipErrorInvalidConfiguration),
        {"unbounded", "(1, " + std::to_string(most + 1) + ", 1)"});
}

TEST("more shared memory than a block has: kernel, bytes requested and available")
{
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    has(refused(bounded, 1, 64, p.sharedMemPerBlockOptin + 1, hipErrorOutOfMemory),
        {"bounded", std::to_string(p.sharedMemPerBlockOptin + 1) + " bytes",
         std::to_string(p.sharedMemPerBlockOptin)});
}

__global__ void print_much(int lines)
{
    for (int i = 0; i < lines; ++i)
        printf("a line that needs room, number %d\n", i);
}

TEST("text that does not fit is lost, and the log says how much")
{
    std::size_t limit = 0;
    if (!ah_test::is_amd())
        SKIP("NVIDIA's driver says nothing");
    CHECK_HIP(hipDeviceGetLimit(&limit, hipLimitPrintfFifoSize));
    CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, 4096));
    std::string printed, text = log_of([&] {
                             printed = ah_test::output_of(stdout, [] {
                                 print_much<<<1, 64>>>(10);
                                 CHECK_LAUNCH();
                             });
                         });
    CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, limit));
    CHECK(!printed.empty());
    has(text, {"bytes that a kernel printed are lost", "hipLimitPrintfFifoSize is 4096"});
}

int main(int argc, char **argv)
{
    setenv("AMD_LOG_LEVEL", "2", 1); // before the library reads it
    return ah_test::run(argc, argv);
}
