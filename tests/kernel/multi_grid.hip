// Grids on several devices that wait for each other: on as many devices as there are, and on
// one.
#include "../support/hip_test.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

namespace
{
int device_count()
{
    int count = 0;
    CHECK_HIP(hipGetDeviceCount(&count));
    return count;
}

// One stream on each device, and memory that all of them and the host see.
struct devices {
    std::vector<hipStream_t> streams;
    unsigned *shared = nullptr;
    size_t words;

    explicit devices(size_t n) : streams(size_t(device_count())), words(n)
    {
        CHECK_HIP(
            hipHostMalloc(reinterpret_cast<void **>(&shared), words * sizeof *shared,
                          hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent));
        std::fill_n(shared, words, 0u);
        for (size_t i = 0; i < streams.size(); ++i) {
            CHECK_HIP(hipSetDevice(int(i)));
            CHECK_HIP(hipStreamCreate(&streams[i]));
        }
        CHECK_HIP(hipSetDevice(0));
    }
    ~devices()
    {
        for (hipStream_t stream : streams)
            (void)hipStreamDestroy(stream);
        (void)hipHostFree(shared);
    }
    unsigned count() const { return unsigned(streams.size()); }

    // The first n devices, each with a grid of its own size.
    template <typename... Arguments>
    hipError_t launch(unsigned n, unsigned flags, void (*kernel)(Arguments...),
                      Arguments... arguments)
    {
        void *pointers[] = {&arguments...};
        std::vector<hipLaunchParams> list(n);
        for (unsigned i = 0; i < n; ++i)
            list[i] = {reinterpret_cast<void *>(kernel),
                       dim3(2 + i, 1 + i % 2),
                       dim3(32, 2),
                       pointers,
                       0,
                       streams[i]};
        return hipLaunchCooperativeKernelMultiDevice(list.data(), int(n), flags);
    }
    void wait()
    {
        for (hipStream_t stream : streams)
            CHECK_HIP(hipStreamSynchronize(stream));
    }
};

unsigned blocks_of(unsigned device)
{
    return (2 + device) * (1 + device % 2);
}
} // namespace

// Eight words of each grid; ranks are checked on the device, where all of them are.
__global__ void describe(unsigned *out)
{
    cg::multi_grid_group all = cg::this_multi_grid();
    cg::thread_group base = all;
    unsigned *own = out + all.grid_rank() * 8;
    unsigned rank = cg::this_grid().thread_rank();
    if (rank == 0) {
        own[0] = all.is_valid() && base.is_valid() && cg::is_valid(all);
        own[1] = all.num_grids();
        own[2] = all.size();
        own[3] = base.size();
        own[4] = cg::group_size(all);
        own[5] = all.thread_rank();
    }
    bool right = all.thread_rank() == base.thread_rank() &&
                 all.thread_rank() == cg::thread_rank(all) && all.thread_rank() >= rank;
    if (!right)
        atomicAdd(&own[6], 1u);
}
TEST("every grid has its rank, the number of grids and the number of threads in all of them")
{
    for (unsigned n : {1u, unsigned(device_count())}) {
        devices all(8 * n);
        CHECK_HIP(all.launch(n, 0, describe, all.shared));
        unsigned threads = 0, before = 0;
        for (unsigned i = 0; i < n; ++i)
            threads += blocks_of(i) * 64;
        for (unsigned i = 0; i < n; ++i) {
            const unsigned *own = all.shared + 8 * i;
            CHECK_EQ(own[0], 1u);
            CHECK_EQ(own[1], n);
            CHECK(own[2] == threads && own[3] == threads && own[4] == threads);
            CHECK_EQ(own[5], before);
            CHECK_EQ(own[6], 0u);
            before += blocks_of(i) * 64;
        }
    }
}

// In each round the last thread of a grid writes the round, and all threads of the next grid
// must read it after the barrier. Two barriers keep rounds apart.
__global__ void pass_round(unsigned *words, unsigned *wrong, unsigned rounds)
{
    cg::multi_grid_group all = cg::this_multi_grid();
    cg::thread_group base = all;
    cg::grid_group grid = cg::this_grid();
    volatile unsigned *own = words + all.grid_rank();
    volatile unsigned *next = words + (all.grid_rank() + 1) % all.num_grids();
    for (unsigned round = 1; round <= rounds; ++round) {
        if (grid.thread_rank() == grid.size() - 1)
            *own = round;
        all.sync();
        if (*next != round)
            *wrong = round;
        base.sync();
    }
}
TEST("no thread leaves the barrier before every thread of every grid has come")
{
    devices all(64);
    for (unsigned n : {1u, all.count()}) {
        for (unsigned again = 0; again < 3; ++again) {
            std::fill_n(all.shared, 64, 0u);
            CHECK_HIP(all.launch(n, 0, pass_round, all.shared + 1, all.shared, 20u));
            CHECK_EQ(all.shared[0], 0u);
            for (unsigned i = 0; i < n; ++i)
                CHECK_EQ(all.shared[1 + i], 20u);
        }
    }
}

TEST("any device may be the current one")
{
    devices all(64);
    for (unsigned i = 0; i < all.count(); ++i) {
        CHECK_HIP(hipSetDevice(int(i)));
        std::fill_n(all.shared, 64, 0u);
        CHECK_HIP(all.launch(all.count(), 0, pass_round, all.shared + 1, all.shared, 2u));
        CHECK(all.shared[0] == 0 && all.shared[1] == 2);
    }
    CHECK_HIP(hipSetDevice(0));
}

TEST("launches that do not wait for one another are queued on every device in one order")
{
    const unsigned free_of_order =
        hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
    devices some(64), others(64);
    for (unsigned again = 0; again < 8; ++again) {
        CHECK_HIP(
            some.launch(some.count(), free_of_order, pass_round, some.shared + 1, some.shared, 4u));
        CHECK_HIP(others.launch(1 + again % others.count(), free_of_order, pass_round,
                                others.shared + 1, others.shared, 4u));
    }
    some.wait();
    others.wait();
    CHECK(some.shared[0] == 0 && some.shared[1] == 4);
    CHECK(others.shared[0] == 0 && others.shared[1] == 4);
}

__global__ void is_alone(unsigned *out)
{
    cg::multi_grid_group all = cg::this_multi_grid();
    *out = 1 + all.is_valid() + all.num_grids() + all.size() + all.thread_rank() + all.grid_rank();
}
TEST("a kernel launched on one device has no multi-grid, after one that had it too")
{
    devices all(64);
    is_alone<<<1, 1, 0, all.streams[0]>>>(all.shared);
    all.wait();
    CHECK_EQ(all.shared[0], 1u);
    CHECK_HIP(all.launch(all.count(), 0, pass_round, all.shared + 1, all.shared, 2u));
    void *arguments[] = {&all.shared};
    CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(is_alone), dim3(1), dim3(1),
                                         arguments, 0, all.streams[0]));
    all.wait();
    CHECK_EQ(all.shared[0], 1u);
}

TEST("functions are launched as kernels are")
{
    devices all(64);
    unsigned rounds = 3, *words = all.shared + 1;
    void *arguments[] = {&words, &all.shared, &rounds};
    std::vector<hipFunctionLaunchParams> list(all.count());
    for (unsigned i = 0; i < all.count(); ++i) {
        CHECK_HIP(hipSetDevice(int(i)));
        hipFunctionLaunchParams params = {};
        CHECK_HIP(hipGetFuncBySymbol(&params.function, reinterpret_cast<void *>(pass_round)));
        params.gridDimX = params.gridDimY = params.gridDimZ = 1;
        params.blockDimX = 40;
        params.blockDimY = params.blockDimZ = 1;
        params.hStream = all.streams[i];
        params.kernelParams = arguments;
        list[i] = params;
    }
    CHECK_HIP(hipSetDevice(0));
    CHECK_HIP(hipModuleLaunchCooperativeKernelMultiDevice(list.data(), all.count(), 0));
    CHECK(all.shared[0] == 0 && all.shared[1] == 3);
}

TEST("where one grid cannot be launched the others do not wait for it")
{
    devices all(64);
    unsigned rounds = 3, *words = all.shared + 1;
    void *arguments[] = {&words, &all.shared, &rounds};
    std::vector<hipLaunchParams> list(all.count());
    for (unsigned i = 0; i < all.count(); ++i)
        list[i] = {
            reinterpret_cast<void *>(pass_round), dim3(1), dim3(32), arguments, 0, all.streams[i]};
    list.back().gridDim = dim3(1 << 20);
    CHECK(hipLaunchCooperativeKernelMultiDevice(list.data(), int(all.count()), 0) ==
          hipErrorCooperativeLaunchTooLarge);
    all.wait();
    (void)hipGetLastError();
    std::fill_n(all.shared, 64, 0u);
    CHECK_HIP(all.launch(all.count(), 0, pass_round, words, all.shared, 2u));
    CHECK(all.shared[0] == 0 && all.shared[1] == 2);
}

__global__ void come_once_less(unsigned *out)
{
    cg::multi_grid_group all = cg::this_multi_grid();
    all.sync();
    if (all.grid_rank() == 0)
        return;
    all.sync();
    out[all.grid_rank()] = 1;
}
TEST("a barrier of several grids does not wait for a grid that has ended")
{
    devices all(64);
    CHECK_HIP(all.launch(all.count(), 0, come_once_less, all.shared));
    for (unsigned i = 1; i < all.count(); ++i)
        CHECK_EQ(all.shared[i], 1u);
}

TEST("invalid launches on several devices are refused")
{
    devices all(64);
    hipStream_t second;
    CHECK_HIP(hipStreamCreate(&second));
    hipLaunchParams one = {
        reinterpret_cast<void *>(describe), dim3(1), dim3(1), nullptr, 0, all.streams[0]};
    int devices = int(all.count());
    std::vector<hipLaunchParams> list(size_t(devices) + 1, one);
    auto gives = [&](hipError_t want, const hipLaunchParams *from, int count, unsigned flags) {
        CHECK_EQ(hipLaunchCooperativeKernelMultiDevice(const_cast<hipLaunchParams *>(from), count,
                                                       flags),
                 want);
        (void)hipGetLastError();
    };
    gives(hipErrorInvalidValue, nullptr, 1, 0);
    gives(hipErrorInvalidValue, list.data(), 0, 0);
    gives(hipErrorInvalidValue, list.data(), -1, 0);
    gives(hipErrorInvalidValue, list.data(), devices + 1, 0);
    gives(hipErrorInvalidValue, list.data(), 1, 4);
    list[0].stream = nullptr;
    gives(hipErrorInvalidResourceHandle, list.data(), 1, 0);
    list[0].stream = second;
    if (devices > 1)
        gives(hipErrorInvalidDevice, list.data(), 2, 0);
    list[0].func = nullptr;
    gives(hipErrorInvalidDeviceFunction, list.data(), 1, 0);
    hipFunctionLaunchParams function = {};
    function.gridDimX = function.gridDimY = function.gridDimZ = 1;
    function.blockDimX = function.blockDimY = function.blockDimZ = 1;
    function.hStream = second;
    CHECK_EQ(hipModuleLaunchCooperativeKernelMultiDevice(&function, 1, 0),
             hipErrorInvalidResourceHandle);
    (void)hipGetLastError();
    CHECK_HIP(hipStreamDestroy(second));
}

TEST("a device that launches cooperatively does so together with others")
{
    for (int i = 0; i < device_count(); ++i) {
        hipDeviceProp_t properties;
        int together = -1;
        CHECK_HIP(hipGetDeviceProperties(&properties, i));
        CHECK_HIP(
            hipDeviceGetAttribute(&together, hipDeviceAttributeCooperativeMultiDeviceLaunch, i));
        CHECK_EQ(together, properties.cooperativeLaunch);
        CHECK_EQ(properties.cooperativeMultiDeviceLaunch, properties.cooperativeLaunch);
        CHECK_EQ(properties.cooperativeMultiDeviceUnmatchedGridDim, properties.cooperativeLaunch);
    }
}

HIP_TEST_MAIN
