// Stream capture: work of every form, given to streams that capture, is done when the graph is
// launched, each time, in the order in which the streams would have done it.
#include "../support/hip_test.h"
#include "../support/output.h"

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <thread>

__global__ void add(int *p, int value)
{
    *p += value;
}
__global__ void times(int *p, int value)
{
    *p *= value;
}
__global__ void sum(int *to, const int *a, const int *b)
{
    *to = *a + *b;
}
__global__ void print(const int *p)
{
    printf("captured: %d\n", *p);
}

static __device__ int variable[4];
__global__ void double_variable()
{
    for (int &element : variable)
        element *= 2;
}

__global__ void all_blocks(int *counters)
{
    atomicAdd(&counters[0], 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0)
        counters[1 + blockIdx.x] = counters[0];
}

// A stream that captures, until end().
class capture
{
  public:
    explicit capture(hipStreamCaptureMode mode = hipStreamCaptureModeGlobal)
    {
        CHECK_HIP(hipStreamCreate(&stream_));
        CHECK_HIP(hipStreamBeginCapture(stream_, mode));
    }
    ~capture()
    {
        if (exec_)
            (void)hipGraphExecDestroy(exec_);
        if (graph_)
            (void)hipGraphDestroy(graph_);
        (void)hipStreamDestroy(stream_);
    }
    operator hipStream_t() const { return stream_; }
    hipGraph_t end()
    {
        CHECK_HIP(hipStreamEndCapture(stream_, &graph_));
        return graph_;
    }
    hipGraphExec_t instantiate()
    {
        if (!graph_)
            end();
        CHECK_HIP(hipGraphInstantiate(&exec_, graph_, nullptr, nullptr, 0));
        return exec_;
    }
    // Launches the graph so often, and waits.
    void run(int launches = 1)
    {
        if (!exec_)
            instantiate();
        for (int i = 0; i < launches; ++i)
            CHECK_HIP(hipGraphLaunch(exec_, stream_));
        CHECK_HIP(hipStreamSynchronize(stream_));
    }
    std::size_t nodes() const
    {
        std::size_t count = 0;
        CHECK_HIP(hipGraphGetNodes(graph_, nullptr, &count));
        return count;
    }

  private:
    hipStream_t stream_{};
    hipGraph_t graph_{};
    hipGraphExec_t exec_{};
};

// The first test: no kernel of this program was loaded before.
TEST("a kernel that is not loaded yet can be captured")
{
    ah_test::buffer<int> value({1});
    capture c;
    add<<<1, 1, 0, c>>>(value.device(), 2);
    CHECK_HIP(hipGetLastError());
    double_variable<<<1, 1, 0, c>>>();
    CHECK_HIP(hipGetLastError());
    c.end();
    CHECK_EQ(value.read()[0], 1);
    c.run();
    CHECK_EQ(value.read()[0], 3);
}

TEST("captured work is done at each launch, in the order of the stream")
{
    ah_test::buffer<int> value({1});
    capture c;
    int operand = 3;
    add<<<1, 1, 0, c>>>(value.device(), operand);
    operand = 100; // arguments are those of the call
    times<<<1, 1, 0, c>>>(value.device(), 2);
    CHECK_EQ(value.host()[0], 1);
    c.end();
    c.run(3); // ((1 + 3) * 2 + 3) * 2 ...
    CHECK_EQ(value.read()[0], 50);
    CHECK_EQ(c.nodes(), 2u);
}

TEST("copies and fills of every form are captured")
{
    enum { N = 64 };
    std::vector<int> from(N), back(N), rows(N), words(N);
    std::iota(from.begin(), from.end(), 1);
    ah_test::buffer<int> a(N), b(N), d(N);
    capture c;
    hipStream_t s = c;
    const std::size_t bytes = N * sizeof(int);
    CHECK_HIP(hipMemcpyAsync(a.device(), from.data(), bytes, hipMemcpyHostToDevice, s));
    CHECK_HIP(hipMemcpyDtoDAsync(b.device(), a.device(), bytes, s));
    CHECK_HIP(hipMemcpy2DAsync(b.device(), 32, from.data(), 32, 16, 4, hipMemcpyDefault, s));
    CHECK_HIP(hipMemsetAsync(a.device(), 0, bytes, s));
    CHECK_HIP(hipMemset2DAsync(a.device(), 32, 1, 16, 4, s));
    CHECK_HIP(hipMemset3DAsync(make_hipPitchedPtr(a.device() + 32, 16, 16, 4), 2,
                               make_hipExtent(8, 2, 2), s));
    CHECK_HIP(hipMemsetD32Async(d.device(), 7, N, s));
    CHECK_HIP(hipMemsetD16Async(d.device(), 5, 2, s));
    CHECK_HIP(hipMemcpyDtoHAsync(back.data(), b.device(), bytes, s));
    CHECK_HIP(hipMemcpyAsync(rows.data(), a.device(), bytes, hipMemcpyDeviceToHost, s));
    CHECK_HIP(hipMemcpyWithStream(words.data(), d.device(), 0, hipMemcpyDeviceToHost, s));
    CHECK_HIP(hipMemcpyAsync(words.data(), d.device(), bytes, hipMemcpyDeviceToHost, s));
    c.end();
    for (int launch = 0; launch < 2; ++launch) {
        for (int &element : from)
            element += 10; // host memory is read when the graph runs
        std::fill(back.begin(), back.end(), 0);
        c.run();
        CHECK(back == from);
        CHECK_EQ(rows[0], 0x01010101);
        CHECK_EQ(rows[4], 0);
        CHECK_EQ(rows[8], 0x01010101);
        CHECK_EQ(rows[32], 0x02020202);
        CHECK_EQ(rows[34], 0);
        CHECK_EQ(rows[48], 0x02020202);
        CHECK_EQ(words[0], 0x00050005);
        CHECK_EQ(words[1], 7);
    }
}

TEST("variables of the program are captured")
{
    const int first[4] = {1, 2, 3, 4};
    int last[4] = {};
    capture c;
    CHECK_HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(variable), first, sizeof first, 0,
                                     hipMemcpyHostToDevice, c));
    double_variable<<<1, 1, 0, c>>>();
    CHECK_HIP(hipMemcpyFromSymbolAsync(last, HIP_SYMBOL(variable), sizeof last, 0,
                                       hipMemcpyDeviceToHost, c));
    c.end();
    c.run(2);
    for (int i = 0; i < 4; ++i)
        CHECK_EQ(last[i], 2 * first[i]);
}

TEST("forks and joins keep the order of streams")
{
    ah_test::buffer<int> left({0}), right({0}), result({0});
    hipStream_t side, third;
    hipEvent_t fork, join, last;
    CHECK_HIP(hipStreamCreate(&side));
    CHECK_HIP(hipStreamCreateWithFlags(&third, hipStreamNonBlocking));
    CHECK_HIP(hipEventCreate(&fork));
    CHECK_HIP(hipEventCreate(&join));
    CHECK_HIP(hipEventCreate(&last));
    {
        capture c;
        add<<<1, 1, 0, c>>>(left.device(), 1);
        add<<<1, 1, 0, c>>>(right.device(), 2);
        CHECK_HIP(hipEventRecord(fork, c));
        CHECK_HIP(hipStreamWaitEvent(side, fork, 0));
        CHECK_HIP(hipStreamWaitEvent(third, fork, 0));
        times<<<1, 1, 0, side>>>(left.device(), 3);
        times<<<1, 1, 0, third>>>(right.device(), 5);
        CHECK_HIP(hipEventRecord(join, side));
        CHECK_HIP(hipEventRecord(last, third));
        CHECK_HIP(hipStreamWaitEvent(c, join, 0));
        CHECK_HIP(hipStreamWaitEvent(c, last, 0));
        sum<<<1, 1, 0, c>>>(result.device(), left.device(), right.device());
        c.end();
        c.run(2);
        CHECK_EQ(left.read()[0], (1 * 3 + 1) * 3);
        CHECK_EQ(right.read()[0], (2 * 5 + 2) * 5);
        CHECK_EQ(result.read()[0], 12 + 60);
        add<<<1, 1, 0, side>>>(left.device(), 1); // a stream as before
        CHECK_EQ(left.read()[0], 13);
    }
    for (hipEvent_t event : {fork, join, last})
        CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(side));
    CHECK_HIP(hipStreamDestroy(third));
}

static void count_call(void *data)
{
    ++*static_cast<std::atomic<int> *>(data);
}

TEST("host functions are called in their place at each launch")
{
    static std::atomic<int> calls;
    ah_test::buffer<int> value({0});
    calls = 0;
    capture c;
    add<<<1, 1, 0, c>>>(value.device(), 1);
    CHECK_HIP(hipLaunchHostFunc(c, count_call, &calls));
    add<<<1, 1, 0, c>>>(value.device(), 1);
    c.end();
    CHECK_EQ(calls.load(), 0);
    c.run(3);
    CHECK_EQ(calls.load(), 3);
    CHECK_EQ(value.read()[0], 6);
}

TEST("a cooperative launch is captured")
{
    int supported = 0;
    CHECK_HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
    if (!supported)
        SKIP("the device has no cooperative launches");
    enum { BLOCKS = 4, THREADS = 32 };
    ah_test::buffer<int> counters(1 + BLOCKS);
    int *pointer = counters.device();
    void *arguments[] = {&pointer};
    capture c;
    CHECK_HIP(hipMemsetAsync(counters.device(), 0, (1 + BLOCKS) * sizeof(int), c));
    CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(all_blocks), dim3(BLOCKS),
                                         dim3(THREADS), arguments, 0, c));
    c.end();
    c.run(2);
    counters.read();
    for (int i = 0; i <= BLOCKS; ++i)
        CHECK_EQ(counters.host()[i], BLOCKS * THREADS);
}

TEST("what a captured kernel prints appears at each launch")
{
    ah_test::buffer<int> value({4});
    capture c;
    print<<<1, 1, 0, c>>>(value.device());
    times<<<1, 1, 0, c>>>(value.device(), 2);
    c.end();
    const std::string text = ah_test::output_of(stdout, [&] { c.run(2); });
    CHECK_EQ(text, std::string("captured: 4\ncaptured: 8\n"));
}

TEST("the launch of a graph is captured as a child")
{
    ah_test::buffer<int> value({1});
    capture inner;
    add<<<1, 1, 0, inner>>>(value.device(), 1);
    hipGraphExec_t exec = inner.instantiate();
    capture outer;
    times<<<1, 1, 0, outer>>>(value.device(), 10);
    CHECK_HIP(hipGraphLaunch(exec, outer));
    times<<<1, 1, 0, outer>>>(value.device(), 2);
    outer.end();
    CHECK_EQ(outer.nodes(), 3u);
    CHECK_EQ(value.read()[0], 1);
    outer.run();
    CHECK_EQ(value.read()[0], 22);
}

TEST("memory that is allocated in a capture is there at each launch")
{
    int supported = 0;
    CHECK_HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
    if (!supported)
        SKIP("the device has no pools of memory");
    ah_test::buffer<int> value({5});
    int *temporary = nullptr;
    capture c;
    CHECK_HIP(hipMallocAsync(reinterpret_cast<void **>(&temporary), 64, c));
    CHECK_HIP(hipMemcpyAsync(temporary, value.device(), 4, hipMemcpyDeviceToDevice, c));
    add<<<1, 1, 0, c>>>(temporary, 2);
    CHECK_HIP(hipMemcpyAsync(value.device(), temporary, 4, hipMemcpyDeviceToDevice, c));
    CHECK_HIP(hipFreeAsync(temporary, c));
    c.end();
    c.run(3);
    CHECK_EQ(value.read()[0], 11);
}

TEST("events of a launch, and external ones, are recorded when the graph runs")
{
    ah_test::buffer<int> value({0});
    hipEvent_t start, stop, outside;
    for (hipEvent_t *event : {&start, &stop, &outside})
        CHECK_HIP(hipEventCreate(event));
    {
        int *pointer = value.device(), one = 1;
        void *arguments[] = {&pointer, &one};
        capture c;
        CHECK_HIP(hipExtLaunchKernel(reinterpret_cast<void *>(add), dim3(1), dim3(1), arguments, 0,
                                     c, start, stop, 0));
        CHECK_HIP(hipEventRecordWithFlags(outside, c, hipEventRecordExternal));
        c.end();
        c.run();
        float time = -1;
        CHECK_HIP(hipEventElapsedTime(&time, start, stop));
        CHECK(time >= 0);
        CHECK_HIP(hipEventQuery(outside));
        CHECK_EQ(value.read()[0], 1);
    }
    for (hipEvent_t event : {start, stop, outside})
        CHECK_HIP(hipEventDestroy(event));
}

TEST("a captured wait for a value in memory ends when it is written")
{
    int supported = 0;
    CHECK_HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCanUseStreamWaitValue, 0));
    if (!supported)
        SKIP("the device's streams cannot wait for values");
    ah_test::buffer<int> value({0});
    std::uint32_t *flag;
    CHECK_HIP(hipExtMallocWithFlags(reinterpret_cast<void **>(&flag), 8, hipMallocSignalMemory));
    CHECK_HIP(hipMemset(flag, 0, 8));
    CHECK_HIP(hipStreamSynchronize(nullptr));
    {
        capture c;
        CHECK_HIP(hipStreamWriteValue32(c, flag, 3, 0));
        CHECK_HIP(hipStreamWaitValue32(c, flag, 3, hipStreamWaitValueEq));
        add<<<1, 1, 0, c>>>(value.device(), 1);
        c.end();
        c.run(2);
        CHECK_EQ(value.read()[0], 2);
    }
    CHECK_HIP(hipFree(flag));
}

TEST("a thread's default stream is captured")
{
    ah_test::buffer<int> value({0});
    std::thread([&] {
        hipGraph_t graph;
        hipGraphExec_t exec;
        CHECK_HIP(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeThreadLocal));
        add<<<1, 1, 0, hipStreamPerThread>>>(value.device(), 1);
        CHECK_HIP(hipStreamEndCapture(hipStreamPerThread, &graph));
        CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
        CHECK_HIP(hipGraphLaunch(exec, hipStreamPerThread));
        CHECK_HIP(hipStreamSynchronize(hipStreamPerThread));
        CHECK_HIP(hipGraphExecDestroy(exec));
        CHECK_HIP(hipGraphDestroy(graph));
    }).join();
    CHECK_EQ(value.read()[0], 1);
}

TEST("a capture spans devices")
{
    int devices = 0;
    CHECK_HIP(hipGetDeviceCount(&devices));
    if (devices < 2)
        SKIP("there is one device");
    ah_test::buffer<int> here({1});
    hipEvent_t fork, join;
    hipStream_t elsewhere;
    CHECK_HIP(hipEventCreate(&fork));
    CHECK_HIP(hipSetDevice(1));
    {
        ah_test::buffer<int> there({2});
        CHECK_HIP(hipEventCreate(&join));
        CHECK_HIP(hipStreamCreate(&elsewhere));
        CHECK_HIP(hipSetDevice(0));
        capture c;
        add<<<1, 1, 0, c>>>(here.device(), 1);
        CHECK_HIP(hipEventRecord(fork, c));
        CHECK_HIP(hipStreamWaitEvent(elsewhere, fork, 0));
        CHECK_HIP(hipSetDevice(1));
        add<<<1, 1, 0, elsewhere>>>(there.device(), 1);
        CHECK_HIP(hipEventRecord(join, elsewhere));
        CHECK_HIP(hipSetDevice(0));
        CHECK_HIP(hipStreamWaitEvent(c, join, 0));
        times<<<1, 1, 0, c>>>(here.device(), 2);
        c.end();
        CHECK_EQ(c.nodes(), 3u);
        c.run(2);
        CHECK_EQ(here.read()[0], 10);
        CHECK_HIP(hipSetDevice(1));
        CHECK_EQ(there.read()[0], 4);
    }
    CHECK_HIP(hipEventDestroy(join));
    CHECK_HIP(hipStreamDestroy(elsewhere));
    CHECK_HIP(hipSetDevice(0));
    CHECK_HIP(hipEventDestroy(fork));
}

HIP_TEST_MAIN
