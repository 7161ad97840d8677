// Streams, events and callbacks: what waits for what.
#include "../support/hip_test.h"

#include <atomic>
#include <chrono>
#include <thread>

// Holds a stream until the host says so, or for some minutes at most.
class gate
{
  public:
    gate()
    {
        CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&flag_), sizeof *flag_,
                                hipHostMallocMapped | hipHostMallocCoherent));
        *flag_ = 0;
    }
    ~gate()
    {
        open();
        (void)hipDeviceSynchronize();
        (void)hipHostFree(flag_);
    }
    void close(hipStream_t stream);
    void open() { __atomic_store_n(flag_, 1, __ATOMIC_RELEASE); }

  private:
    int *flag_ = nullptr;
};

__global__ void wait_for(int *flag)
{
    for (long i = 0; i < 400000000; ++i)
        if (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 0)
            return;
}
__global__ void set(int *p, int value)
{
    *p = value;
}
__global__ void copy(int *to, const int *from)
{
    *to = *from;
}

void gate::close(hipStream_t stream)
{
    wait_for<<<1, 1, 0, stream>>>(flag_);
    CHECK_HIP(hipGetLastError());
}

TEST("a stream is busy until its work is done")
{
    gate g;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_EQ(hipStreamQuery(stream), hipSuccess);
    g.close(stream);
    CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
    CHECK_EQ(hipGetLastError(), hipSuccess);
    g.open();
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_EQ(hipStreamQuery(stream), hipSuccess);
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("the default stream waits for blocking streams and not for others")
{
    ah_test::buffer<int> value({0, 0});
    hipStream_t blocking, free_running;
    CHECK_HIP(hipStreamCreate(&blocking));
    CHECK_HIP(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));
    {
        gate g;
        g.close(free_running);
        // runs though the other stream is stuck
        set<<<1, 1>>>(value.device(), 1);
        CHECK_HIP(hipStreamSynchronize(nullptr));
        CHECK_EQ(hipStreamQuery(free_running), hipErrorNotReady);
    }
    {
        gate g;
        g.close(blocking);
        set<<<1, 1>>>(value.device(), 2);
        CHECK_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
        g.open();
        CHECK_HIP(hipStreamSynchronize(nullptr));
        CHECK_EQ(hipStreamQuery(blocking), hipSuccess);
    }
    CHECK_EQ(value.read()[0], 2);
    unsigned flags = 9;
    CHECK_HIP(hipStreamGetFlags(blocking, &flags));
    CHECK_EQ(flags, unsigned(hipStreamDefault));
    CHECK_HIP(hipStreamGetFlags(free_running, &flags));
    CHECK_EQ(flags, unsigned(hipStreamNonBlocking));
    CHECK_HIP(hipStreamDestroy(blocking));
    CHECK_HIP(hipStreamDestroy(free_running));
}

TEST("the per-thread stream is a stream of its own")
{
    gate g;
    ah_test::buffer<int> value({0});
    hipStream_t other;
    CHECK_HIP(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    g.close(other);
    set<<<1, 1, 0, hipStreamPerThread>>>(value.device(), 3);
    CHECK_HIP(hipStreamSynchronize(hipStreamPerThread));
    CHECK_EQ(hipStreamQuery(hipStreamPerThread), hipSuccess);
    CHECK_EQ(hipStreamQuery(other), hipErrorNotReady);
    g.open();
    CHECK_HIP(hipStreamDestroy(other));
    CHECK_EQ(value.read()[0], 3);
    CHECK(hipStreamDestroy(hipStreamPerThread) != hipSuccess);
    (void)hipGetLastError();
}

TEST("streams have priorities within a range")
{
    int least = 0, greatest = 0, got = 0;
    CHECK_HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least >= greatest);
    hipStream_t stream;
    CHECK_HIP(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, greatest));
    CHECK_HIP(hipStreamGetPriority(stream, &got));
    CHECK_EQ(got, greatest);
    CHECK_HIP(hipStreamDestroy(stream));
    // out of range is brought into it
    CHECK_HIP(hipStreamCreateWithPriority(&stream, hipStreamDefault, greatest - 100));
    CHECK_HIP(hipStreamGetPriority(stream, &got));
    CHECK_EQ(got, greatest);
    hipDevice_t device = -1;
    CHECK_HIP(hipStreamGetDevice(stream, &device));
    CHECK_EQ(device, 0);
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a stream without a single compute unit in its mask has all of them")
{
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    unsigned words = (unsigned(p.multiProcessorCount) + 31) / 32;
    std::vector<uint32_t> none(words), two(words), all(words), got(words);
    two[0] = 3; // of gfx10 and later, and of NVIDIA's devices, they come in pairs
    CHECK_HIP(hipExtStreamGetCUMask(nullptr, words, all.data()));
    hipStream_t stream;
    CHECK_HIP(hipExtStreamCreateWithCUMask(&stream, words, two.data()));
    CHECK_HIP(hipExtStreamGetCUMask(stream, words, got.data()));
    CHECK(got == two);
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipExtStreamCreateWithCUMask(&stream, words, none.data()));
    CHECK_HIP(hipExtStreamGetCUMask(stream, words, got.data()));
    CHECK(got == all);
    ah_test::buffer<int> out({0});
    set<<<1, 1, 0, stream>>>(out.device(), 1);
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_EQ(out.read()[0], 1);
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a stream waits for an event of another")
{
    gate g;
    ah_test::buffer<int> value({0, 0});
    hipStream_t first, second;
    hipEvent_t done;
    CHECK_HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    CHECK_HIP(hipEventCreateWithFlags(&done, hipEventDisableTiming));
    g.close(first);
    set<<<1, 1, 0, first>>>(value.device(), 17);
    CHECK_HIP(hipEventRecord(done, first));
    CHECK_HIP(hipStreamWaitEvent(second, done, 0));
    copy<<<1, 1, 0, second>>>(value.device() + 1, value.device());
    CHECK_EQ(hipEventQuery(done), hipErrorNotReady);
    CHECK_EQ(hipStreamQuery(second), hipErrorNotReady);
    g.open();
    CHECK_HIP(hipStreamSynchronize(second));
    CHECK_EQ(hipEventQuery(done), hipSuccess);
    CHECK_EQ(value.read()[1], 17);
    CHECK_HIP(hipEventDestroy(done));
    CHECK_HIP(hipStreamDestroy(first));
    CHECK_HIP(hipStreamDestroy(second));
}

TEST("events measure the time between them")
{
    hipEvent_t start, stop;
    float ms = -1;
    CHECK_HIP(hipEventCreate(&start));
    CHECK_HIP(hipEventCreate(&stop));
    CHECK_EQ(hipEventElapsedTime(&ms, start, stop), hipErrorInvalidHandle);
    (void)hipGetLastError();
    auto begun = std::chrono::steady_clock::now();
    CHECK_HIP(hipEventRecord(start));
    CHECK_HIP(hipEventSynchronize(start));
    {
        gate g;
        g.close(nullptr);
        CHECK_HIP(hipEventRecord(stop));
        CHECK_EQ(hipEventElapsedTime(&ms, start, stop), hipErrorNotReady);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    CHECK_HIP(hipEventSynchronize(stop));
    std::chrono::duration<double, std::milli> whole = std::chrono::steady_clock::now() - begun;
    CHECK_HIP(hipEventElapsedTime(&ms, start, stop));
    CHECK_CASE(ms >= 29 && ms <= whole.count() + 1, "%f ms of %f", double(ms), whole.count());
    hipEvent_t untimed;
    CHECK_HIP(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    CHECK_HIP(hipEventRecord(untimed));
    CHECK_HIP(hipEventSynchronize(untimed));
    CHECK_EQ(hipEventElapsedTime(&ms, start, untimed), hipErrorInvalidHandle);
    CHECK_EQ(hipEventElapsedTime(nullptr, start, stop), hipErrorInvalidValue);
    CHECK_EQ(hipEventCreateWithFlags(&untimed, 0x800000), hipErrorInvalidValue);
    CHECK_HIP(hipEventDestroy(start));
    CHECK_HIP(hipEventDestroy(stop));
    (void)hipGetLastError();
}

struct order {
    std::atomic<int> next{0};
    int function = -1, callback = -1, second = -1;
    hipError_t status = hipErrorUnknown;
    hipStream_t stream = nullptr;
};

TEST("functions of the host run in stream order")
{
    gate g;
    order o;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    g.close(stream);
    CHECK_HIP(hipLaunchHostFunc(
        stream,
        [](void *p) {
            order *o = static_cast<order *>(p);
            o->function = o->next++;
        },
        &o));
    CHECK_HIP(hipStreamAddCallback(
        stream,
        [](hipStream_t s, hipError_t status, void *p) {
            order *o = static_cast<order *>(p);
            o->callback = o->next++;
            o->status = status;
            o->stream = s;
        },
        &o, 0));
    CHECK_HIP(hipLaunchHostFunc(
        stream,
        [](void *p) {
            order *o = static_cast<order *>(p);
            o->second = o->next++;
        },
        &o));
    CHECK_EQ(o.next.load(), 0);
    g.open();
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_EQ(o.function, 0);
    CHECK_EQ(o.callback, 1);
    CHECK_EQ(o.second, 2);
    CHECK_EQ(o.status, hipSuccess);
    CHECK(o.stream == stream);
    CHECK_EQ(hipLaunchHostFunc(stream, nullptr, nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipStreamAddCallback(stream, nullptr, nullptr, 0), hipErrorInvalidValue);
    CHECK_HIP(hipStreamDestroy(stream));
    (void)hipGetLastError();
}

TEST("a stream can wait for a value in memory and write one")
{
    int supported = 0;
    CHECK_HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCanUseStreamWaitValue, 0));
    if (!supported)
        SKIP("streams of the device wait for no values");
    ah_test::buffer<uint32_t> word({0, 0});
    hipStream_t waiting, writing;
    CHECK_HIP(hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&writing, hipStreamNonBlocking));
    CHECK_HIP(hipStreamWaitValue32(waiting, word.device(), 3, hipStreamWaitValueGte, ~0u));
    CHECK_HIP(hipStreamWriteValue32(waiting, word.device() + 1, 9, 0));
    CHECK_EQ(hipStreamQuery(waiting), hipErrorNotReady);
    CHECK_HIP(hipStreamWriteValue32(writing, word.device(), 5, 0));
    CHECK_HIP(hipStreamSynchronize(waiting));
    CHECK_EQ(word.read()[1], 9u);
    // some of the bits
    CHECK_HIP(hipStreamWaitValue32(waiting, word.device(), 0x70, hipStreamWaitValueEq, 0xf0));
    CHECK_HIP(hipStreamWriteValue32(waiting, word.device() + 1, 10, 0));
    CHECK_EQ(hipStreamQuery(waiting), hipErrorNotReady);
    CHECK_HIP(hipStreamWriteValue32(writing, word.device(), 0xfffff37f, 0));
    CHECK_HIP(hipStreamSynchronize(waiting));
    CHECK_EQ(word.read()[1], 10u);
    CHECK_HIP(hipStreamDestroy(waiting));
    CHECK_HIP(hipStreamDestroy(writing));
}

TEST("destroyed streams and events are recognised")
{
    hipStream_t stream;
    hipEvent_t event;
    float ms;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipEventDestroy(event));
    CHECK_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
    CHECK_EQ(hipStreamQuery(stream), hipErrorContextIsDestroyed);
    CHECK_EQ(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
    CHECK_EQ(hipEventQuery(event), hipErrorInvalidHandle);
    CHECK_EQ(hipEventRecord(event, nullptr), hipErrorInvalidHandle);
    CHECK_EQ(hipEventElapsedTime(&ms, event, event), hipErrorInvalidHandle);
    CHECK_EQ(hipEventDestroy(event), hipErrorContextIsDestroyed);
    int not_a_stream[16] = {};
    CHECK_EQ(hipStreamQuery(reinterpret_cast<hipStream_t>(not_a_stream)),
             hipErrorContextIsDestroyed);
    set<<<1, 1, 0, stream>>>(nullptr, 0);
    CHECK_EQ(hipGetLastError(), hipErrorContextIsDestroyed);
    CHECK_EQ(hipGetLastError(), hipSuccess);
}

TEST("a destroyed stream finishes its work")
{
    ah_test::buffer<int> value({0});
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    {
        gate g;
        g.close(stream);
        set<<<1, 1, 0, stream>>>(value.device(), 44);
        std::thread opener([&g] {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            g.open();
        });
        CHECK_HIP(hipStreamDestroy(stream));
        opener.join();
    }
    CHECK_EQ(value.read()[0], 44);
}

HIP_TEST_MAIN
