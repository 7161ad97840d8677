// What kernels need from the host while it is not waiting for them: text, memory of their own,
// stacks, room for all blocks at once.
#include "../support/hip_test.h"
#include "../support/output.h"

#include <hip/hip_cooperative_groups.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <sstream>
#include <thread>

// Standard output of a piece of the program.
template <typename F> static std::string printed_by(F run)
{
    return ah_test::output_of(stdout, run);
}

TEST("limits are set before kernels use what they limit")
{
    for (hipLimit_t limit : {hipLimitPrintfFifoSize, hipLimitMallocHeapSize, hipLimitStackSize}) {
        std::size_t value = 0, want = limit == hipLimitMallocHeapSize ? 4 << 20 : 65536;
        CHECK_HIP(hipDeviceGetLimit(&value, limit));
        CHECK(value > 0);
        CHECK_HIP(hipDeviceSetLimit(limit, want));
        CHECK_HIP(hipDeviceGetLimit(&value, limit));
        CHECK(value >= want);
    }
    CHECK_HIP(hipDeviceSetLimit(hipLimitStackSize, 1024));
}

__global__ void print_number(int n)
{
    printf("%d ", n);
}

TEST("kernels of one stream print in their order, however many there are")
{
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    std::string want;
    std::string got = printed_by([&] {
        for (int i = 0; i < 100; ++i) {
            print_number<<<1, 1, 0, stream>>>(i);
            want += std::to_string(i) + " ";
        }
        CHECK_HIP(hipStreamSynchronize(stream));
    });
    CHECK_EQ(got, want);
    CHECK_HIP(hipStreamDestroy(stream));
}

// Holds a stream until the host opens it; after a minute by itself, so that a launch that waits is
// a failure and does not end the run.
class gate
{
  public:
    explicit gate(hipStream_t stream);
    ~gate()
    {
        open();
        watch_.join();
        (void)hipDeviceSynchronize();
        (void)hipHostFree(flag_);
    }
    // Whether it had not opened by itself.
    bool open()
    {
        std::lock_guard<std::mutex> guard(lock_);
        bool closed = __atomic_exchange_n(flag_, 1, __ATOMIC_RELEASE) == 0;
        opened_.notify_all();
        return closed;
    }

  private:
    int *flag_ = nullptr;
    std::mutex lock_;
    std::condition_variable opened_;
    std::thread watch_;
};

__global__ void wait_for(int *flag)
{
    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0)
        ;
}

gate::gate(hipStream_t stream)
{
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&flag_), sizeof *flag_,
                            hipHostMallocMapped | hipHostMallocCoherent));
    *flag_ = 0;
    wait_for<<<1, 1, 0, stream>>>(flag_);
    CHECK_HIP(hipGetLastError());
    watch_ = std::thread([this] {
        std::unique_lock<std::mutex> guard(lock_);
        opened_.wait_for(guard, std::chrono::minutes(1), [this] { return *flag_ != 0; });
        __atomic_store_n(flag_, 1, __ATOMIC_RELEASE);
    });
}

__global__ void assert_equal(int a, int b)
{
    assert(a == b);
}
__global__ void add_size(int *sum)
{
    atomicAdd(sum, int(blockDim.x));
}

TEST("kernels are launched while those before them run, also where they print or assert")
{
    // NVIDIA's driver has room for some 1000 launches
    const int launches = ah_test::is_amd() ? 10000 : 300;
    std::string want;
    ah_test::buffer<int> sum({0});
    bool waited = true;
    hipStream_t stream;
    if (!ah_test::is_nvidia_driver()) // which has that much, and takes no limit once kernels print
        CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, 1 << 20));
    CHECK_HIP(hipStreamCreate(&stream));
    std::string got = printed_by([&] {
        gate g(stream);
        for (int i = 0; i < launches; ++i) {
            if (i % 3 == 0) {
                print_number<<<1, 1, 0, stream>>>(i);
                want += std::to_string(i) + " ";
            } else if (i % 3 == 1) {
                assert_equal<<<1, 1, 0, stream>>>(i, i);
            } else {
                add_size<<<1, 2, 0, stream>>>(sum.device());
            }
        }
        CHECK_HIP(hipGetLastError());
        waited = !g.open();
        CHECK_HIP(hipStreamSynchronize(stream));
    });
    CHECK(!waited);
    CHECK(got == want);
    CHECK_EQ(sum.read()[0], launches / 3 * 4);
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("kernels of many streams print, each stream's in their order")
{
    const int count = 80, launches = 5; // more than there is room of full size for
    std::vector<hipStream_t> streams(count);
    hipEvent_t opened;
    CHECK_HIP(hipEventCreateWithFlags(&opened, hipEventDisableTiming));
    for (hipStream_t &stream : streams)
        CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    std::string got = printed_by([&] {
        gate g(streams[0]);
        CHECK_HIP(hipEventRecord(opened, streams[0]));
        for (int i = 0; i < count; ++i) {
            CHECK_HIP(hipStreamWaitEvent(streams[i], opened, 0));
            for (int k = 0; k < launches; ++k)
                print_number<<<1, 1, 0, streams[i]>>>(1000 * (i + 1) + k);
        }
        CHECK_HIP(hipGetLastError());
        g.open();
        CHECK_HIP(hipDeviceSynchronize());
    });
    std::vector<int> next(count, 0);
    std::istringstream numbers(got);
    for (int n; numbers >> n;) {
        int stream = n / 1000 - 1;
        CHECK(stream >= 0 && stream < count && n % 1000 == next[stream]++);
    }
    CHECK_EQ(std::count(next.begin(), next.end(), launches), count);
    for (hipStream_t stream : streams)
        CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipEventDestroy(opened));
}

TEST("the output of kernels in several streams is written when their streams are waited for")
{
    hipStream_t a, b;
    CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    std::string got = printed_by([&] {
        for (int i = 0; i < 10; ++i) {
            print_number<<<1, 1, 0, a>>>(i);
            print_number<<<1, 1, 0, b>>>(100 + i);
        }
        CHECK_HIP(hipDeviceSynchronize());
    });
    for (int i = 0; i < 10; ++i) {
        CHECK(got.find(" " + std::to_string(100 + i)) != std::string::npos ||
              got.find(std::to_string(100 + i)) == 0);
        if (i > 0)
            CHECK(got.find(std::to_string(100 + i)) > got.find(std::to_string(99 + i)));
    }
    CHECK_HIP(hipStreamDestroy(a));
    CHECK_HIP(hipStreamDestroy(b));
}

TEST("the output of a kernel is written when the host has waited for it, in whichever way")
{
    hipStream_t stream;
    hipEvent_t event;
    ah_test::buffer<int> memory(1);
    int *p = memory.device(), value = 0;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipEventCreate(&event));
    const std::vector<std::function<void()>> ways = {
        [&] { CHECK_HIP(hipDeviceSynchronize()); },
        [&] { CHECK_HIP(hipStreamSynchronize(stream)); },
        [&] {
            CHECK_HIP(hipEventRecord(event, stream));
            CHECK_HIP(hipEventSynchronize(event));
        },
        [&] { CHECK_HIP(hipMemcpy(&value, p, sizeof value, hipMemcpyDeviceToHost)); },
        [&] {
            hipError_t error;
            while ((error = hipStreamQuery(stream)) == hipErrorNotReady)
                ;
            CHECK_HIP(error);
            CHECK_HIP(hipStreamSynchronize(stream)); // NVIDIA's driver prints in no query
        },
    };
    for (std::size_t i = 0; i < ways.size(); ++i) {
        std::string got = printed_by([&] {
            print_number<<<1, 1, 0, stream>>>(int(i));
            ways[i]();
        });
        CHECK_EQ(got, std::to_string(i) + " ");
        (void)hipDeviceSynchronize();
    }
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(stream));
}

__global__ void print_much(int lines)
{
    for (int i = 0; i < lines; ++i)
        printf("block %d thread %d line %d of many\n", int(blockIdx.x), int(threadIdx.x), i);
}

TEST("printed lines are whole, also at the end of the buffer")
{
    std::string got = printed_by([] {
        print_much<<<4, 64>>>(100); // the buffer may have less
        CHECK_LAUNCH();
    });
    CHECK(got.size() > 1000);
    int lines = 0;
    for (std::size_t at = 0; at < got.size(); ++lines) {
        std::size_t end = got.find('\n', at);
        int block, thread, line, used = 0;
        CHECK(end != std::string::npos);
        CHECK(std::sscanf(got.c_str() + at, "block %d thread %d line %d of many%n", &block, &thread,
                          &line, &used) == 3);
        CHECK_EQ(at + used, end);
        at = end + 1;
    }
    CHECK(lines > 100 && lines <= 4 * 64 * 100);
    got = printed_by([] {
        print_much<<<1, 1>>>(3);
        CHECK_LAUNCH();
    });
    CHECK_EQ(std::count(got.begin(), got.end(), '\n'), 3);
}

__global__ void allocate(int **out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *p = static_cast<int *>(malloc(count * sizeof(int)));
    if (p)
        for (int k = 0; k < count; ++k)
            p[k] = i + k;
    out[i] = p;
}
__global__ void check_and_free(int **in, int count, int *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; in[i] && k < count; ++k)
        if (in[i][k] != i + k)
            atomicAdd(wrong, 1);
    free(in[i]);
}

TEST("memory that kernels allocate outlives them, and other kernels free it")
{
    const int threads = 128, count = 100;
    ah_test::buffer<int *> pointers{std::vector<int *>(threads)};
    ah_test::buffer<int> wrong({0});
    for (int round = 0; round < 300; ++round) { // more than the heap holds at once
        allocate<<<threads / 64, 64>>>(pointers.device(), count);
        check_and_free<<<threads / 64, 64>>>(pointers.device(), count, wrong.device());
    }
    CHECK_LAUNCH();
    std::vector<int *> got = pointers.read();
    CHECK_EQ(std::count(got.begin(), got.end(), nullptr), 0);
    CHECK_EQ(wrong.read()[0], 0);
}

// Each thread allocates, writes, checks and frees blocks of many sizes, all at once.
__global__ void allocate_and_free(int rounds, int *wrong, int *refused)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 2654435761u + 1;
    for (int round = 0; round < rounds; ++round) {
        state = state * 1664525u + 1013904223u;
        unsigned size = 4 + (state >> 16) % 300;
        unsigned char *p = static_cast<unsigned char *>(malloc(size));
        if (!p) {
            atomicAdd(refused, 1);
            continue;
        }
        if (reinterpret_cast<unsigned long long>(p) % 16)
            atomicAdd(wrong, 1);
        p[0] = p[size - 1] = static_cast<unsigned char>(i);
        if (p[0] != static_cast<unsigned char>(i) || p[size - 1] != static_cast<unsigned char>(i))
            atomicAdd(wrong, 1);
        free(p);
    }
    free(nullptr);
}

TEST("many threads allocate and free at once")
{
    ah_test::buffer<int> wrong({0}), refused({0});
    allocate_and_free<<<16, 128>>>(10, wrong.device(), refused.device());
    CHECK_LAUNCH();
    CHECK_EQ(wrong.read()[0], 0);
    CHECK_EQ(refused.read()[0], 0);
}

struct list {
    int value;
    list *next;
    __device__ list(int v, list *n) : value(v), next(n) {}
    __device__ ~list() { value = -1; }
};
__global__ void build(list **out, int n)
{
    for (int i = 0; i < n; ++i)
        *out = new list(i, *out);
}
__global__ void tear_down(list **in, int *sum)
{
    while (*in) {
        list *first = *in;
        *sum += first->value;
        *in = first->next;
        delete first;
    }
    int *array = new int[100];
    for (int i = 0; i < 100; ++i)
        array[i] = i;
    *sum += array[99];
    delete[] array;
}

TEST("what one kernel made with new another deletes")
{
    ah_test::buffer<list *> head({nullptr});
    ah_test::buffer<int> sum({0});
    build<<<1, 1>>>(head.device(), 50);
    CHECK_LAUNCH();
    CHECK(head.read()[0] != nullptr);
    tear_down<<<1, 1>>>(head.device(), sum.device());
    CHECK_LAUNCH();
    CHECK_EQ(sum.read()[0], 49 * 50 / 2 + 99);
    CHECK(head.read()[0] == nullptr);
}

TEST("the host cannot copy or free memory that a kernel allocated")
{
    ah_test::buffer<int *> pointer({nullptr});
    int value = 0;
    allocate<<<1, 1>>>(pointer.device(), 4);
    CHECK_LAUNCH();
    int *p = pointer.read()[0];
    CHECK(p != nullptr);
    CHECK_EQ(hipMemcpy(&value, p, sizeof value, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_EQ(hipFree(p), hipErrorInvalidValue);
    hipPointerAttribute_t attributes;
    CHECK(hipPointerGetAttributes(&attributes, p) != hipSuccess ||
          attributes.type == hipMemoryTypeUnregistered);
    (void)hipGetLastError();
}

TEST("limits have bounds, and some devices have more of them than others")
{
    std::size_t value = 0, before = 0;
    CHECK_EQ(hipDeviceGetLimit(nullptr, hipLimitStackSize), hipErrorInvalidValue);
    CHECK_EQ(hipDeviceSetLimit(hipLimitStackSize, std::size_t(1) << 40), hipErrorInvalidValue);
    CHECK_EQ(hipDeviceGetLimit(&value, hipLimit_t(99)), hipErrorUnsupportedLimit);
    CHECK_EQ(hipDeviceSetLimit(hipLimit_t(99), 1), hipErrorUnsupportedLimit);
    for (hipLimit_t limit : {hipExtLimitScratchMin, hipExtLimitScratchMax})
        CHECK_EQ(hipDeviceSetLimit(limit, 4096), hipErrorUnsupportedLimit);
    // a heap that kernels use is as large as it is; that of simulated NVIDIA devices grows
    CHECK_HIP(hipDeviceGetLimit(&before, hipLimitMallocHeapSize));
    if (ah_test::is_amd()) {
        CHECK_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, before * 2), hipErrorInvalidValue);
        CHECK_HIP(hipDeviceSetLimit(hipLimitMallocHeapSize, before));
    }
    (void)hipGetLastError();
}

__global__ void exhaust(int *got, int *refused)
{
    for (int i = 0; i < 64; ++i)
        atomicAdd(malloc(1 << 20) ? got : refused, 1);
}

TEST("an exhausted heap is a null pointer")
{
    std::size_t limit = 0;
    CHECK_HIP(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize));
    CHECK(limit < (std::size_t(64) << 20));
    ah_test::buffer<int> got({0}), refused({0});
    exhaust<<<1, 1>>>(got.device(), refused.device());
    CHECK_LAUNCH();
    if (ah_test::is_amd()) // NVIDIA's driver and its simulation have more than the limit
        CHECK(refused.read()[0] > 0);
    CHECK_EQ(refused.read()[0] + got.read()[0], 64);
}

__device__ __attribute__((noinline)) int depth_sum(int n, const int *values)
{
    volatile int local[8];
    for (int i = 0; i < 8; ++i)
        local[i] = values[n % 4] + i;
    return n == 0 ? 0 : local[n % 8] + depth_sum(n - 1, values);
}
__global__ void recurse(int *out, const int *values, int depth)
{
    out[threadIdx.x] = depth_sum(depth, values) + threadIdx.x;
}

TEST("recursion has the stack that the limit says")
{
    std::size_t limit = 0;
    CHECK_HIP(hipDeviceGetLimit(&limit, hipLimitStackSize));
    CHECK_HIP(hipDeviceSetLimit(hipLimitStackSize, 32768));
    ah_test::buffer<int> values({1, 2, 3, 4}), out{std::vector<int>(64)};
    int want = 0;
    for (int n = 100; n > 0; --n)
        want += values.host()[n % 4] + n % 8;
    recurse<<<1, 64>>>(out.device(), values.device(), 100);
    CHECK_LAUNCH();
    std::vector<int> got = out.read();
    for (int i = 0; i < 64; ++i)
        CHECK_EQ(got[i], want + i);
    CHECK_HIP(hipDeviceSetLimit(hipLimitStackSize, limit));
}

__global__ void take_stack(int *out, int n)
{
#if defined(__NVPTX__)
    int local[1000]; // alloca needs PTX 7.3
#else
    int *local = static_cast<int *>(__builtin_alloca(n * sizeof(int)));
#endif
    for (int i = 0; i < n; ++i)
        local[i] = i * int(threadIdx.x + 1);
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += local[(i * 7) % n];
    out[threadIdx.x] = sum;
}

TEST("a kernel has a stack of dynamic size")
{
    std::size_t limit = 0;
    ah_test::buffer<int> out{std::vector<int>(64)};
    CHECK_HIP(hipDeviceGetLimit(&limit, hipLimitStackSize));
    CHECK_HIP(hipDeviceSetLimit(hipLimitStackSize, 8192));
    for (int n : {1, 100, 1000}) {
        take_stack<<<1, 64>>>(out.device(), n);
        CHECK_LAUNCH();
        out.read();
        for (int i = 0; i < 64; ++i)
            CHECK_EQ(out.host()[i], n * (n - 1) / 2 * (i + 1));
    }
    CHECK_HIP(hipDeviceSetLimit(hipLimitStackSize, limit));
}

__global__ void synchronize_often(int *arrived, int *wrong, int rounds)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int round = 1; round <= rounds; ++round) {
        if (threadIdx.x == 0)
            atomicAdd(arrived, 1);
        grid.sync();
        if (__hip_atomic_load(arrived, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) !=
            int(gridDim.x) * round)
            atomicAdd(wrong, 1);
        grid.sync();
    }
}

TEST("all blocks of a cooperative launch synchronize, in every launch and stream")
{
    hipStream_t streams[2];
    ah_test::buffer<int> wrong({0});
    std::vector<ah_test::buffer<int> *> counters;
    for (hipStream_t &stream : streams)
        CHECK_HIP(hipStreamCreate(&stream));
    int rounds = 3;
    for (int i = 0; i < 6; ++i) {
        counters.push_back(new ah_test::buffer<int>({0}));
        int *arrived = counters.back()->device(), *w = wrong.device();
        void *args[] = {&arrived, &w, &rounds};
        CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void *>(synchronize_often),
                                             dim3(5 + i), dim3(64), args, 0, streams[i % 2]));
    }
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(wrong.read()[0], 0);
    for (int i = 0; i < 6; ++i) {
        CHECK_EQ(counters[i]->read()[0], (5 + i) * rounds);
        delete counters[i];
    }
    for (hipStream_t stream : streams)
        CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a cooperative launch that does not fit is refused, one that just fits is not")
{
    hipDeviceProp_t properties;
    int blocks = 0, device = 0, rounds = 1;
    CHECK_HIP(hipGetDevice(&device));
    CHECK_HIP(hipGetDeviceProperties(&properties, device));
    CHECK_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, reinterpret_cast<const void *>(synchronize_often), 1024, 0));
    CHECK(blocks > 0);
    ah_test::buffer<int> arrived({0}), wrong({0});
    int *a = arrived.device(), *w = wrong.device();
    void *args[] = {&a, &w, &rounds};
    unsigned most = unsigned(blocks) * unsigned(properties.multiProcessorCount);
    CHECK_EQ(hipLaunchCooperativeKernel(reinterpret_cast<const void *>(synchronize_often),
                                        dim3(most + 1), dim3(1024), args, 0, 0),
             hipErrorCooperativeLaunchTooLarge);
    (void)hipGetLastError();
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(arrived.read()[0], 0);
}

__global__ void fill_shared(unsigned *out, int n)
{
    extern __shared__ int shared[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        shared[i] = i;
    __syncthreads();
    unsigned sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += unsigned(shared[n - 1 - i]);
    atomicAdd(out, sum);
}

TEST("a block may use all of the shared memory that there is")
{
    hipDeviceProp_t properties;
    int device = 0;
    CHECK_HIP(hipGetDevice(&device));
    CHECK_HIP(hipGetDeviceProperties(&properties, device));
    std::size_t bytes = properties.sharedMemPerBlockOptin;
    CHECK(bytes >= properties.sharedMemPerBlock);
    int n = int(bytes / sizeof(int));
    ah_test::buffer<unsigned> out({0});
    fill_shared<<<1, 256, bytes>>>(out.device(), n);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], unsigned(std::size_t(n) * (n - 1) / 2));
    fill_shared<<<1, 256, bytes + 1>>>(out.device(), n);
    CHECK(hipGetLastError() != hipSuccess);
}

HIP_TEST_MAIN
