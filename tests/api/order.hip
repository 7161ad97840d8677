// What HIP's programming model says of streams: work of one stream is in order and sees what came
// before it, whoever put it there; events order streams, of several devices too; the stream waits
// for functions of the host.
#include "../support/hip_test.h"

#include <atomic>
#include <chrono>
#include <thread>

__global__ void append(int *log, int *count, int value)
{
    log[(*count)++] = value;
}
__global__ void spin_then_add(int *p, int value, int rounds)
{
    volatile int waste = 0;
    for (int i = 0; i < rounds; ++i)
        waste = waste + i;
    *p += value + (waste == -1);
}
__global__ void twice(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2;
}

static int device_count()
{
    int devices = 0;
    CHECK_HIP(hipGetDeviceCount(&devices));
    return devices;
}

TEST("work that one thread puts into a stream is done in its order")
{
    const int n = 200;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    ah_test::buffer<int> log{std::vector<int>(n)}, count({0});
    for (int i = 0; i < n; ++i)
        append<<<1, 1, 0, stream>>>(log.device(), count.device(), i);
    CHECK_HIP(hipStreamSynchronize(stream));
    log.read();
    for (int i = 0; i < n; ++i)
        CHECK_EQ(log.host()[i], i);
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("several threads feed one stream, and nothing is lost or torn")
{
    const int threads = 4, each = 50;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    ah_test::buffer<int> log{std::vector<int>(threads * each)}, count({0});
    std::vector<std::thread> feeders;
    std::atomic<int> failed{0};
    for (int t = 0; t < threads; ++t)
        feeders.emplace_back([&, t] {
            for (int i = 0; i < each; ++i) {
                append<<<1, 1, 0, stream>>>(log.device(), count.device(), t * each + i);
                failed += hipGetLastError() != hipSuccess;
            }
        });
    for (std::thread &feeder : feeders)
        feeder.join();
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_EQ(failed.load(), 0);
    CHECK_EQ(count.read()[0], threads * each);
    std::vector<int> next(threads, 0);
    for (int value : log.read()) // those of each thread in its order
        CHECK_EQ(value % each, next[value / each]++);
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("kernels, copies and fills of one stream see what came before")
{
    const int n = 1000;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    ah_test::buffer<int> a{std::vector<int>(n)}, b{std::vector<int>(n)};
    int *host = nullptr;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&host), n * sizeof(int), 0));
    for (int round = 1; round <= 20; ++round) {
        for (int i = 0; i < n; ++i)
            host[i] = i + round;
        CHECK_HIP(hipMemsetAsync(a.device(), 0, n * sizeof(int), stream));
        CHECK_HIP(
            hipMemcpyAsync(a.device(), host, n / 2 * sizeof(int), hipMemcpyHostToDevice, stream));
        twice<<<(n + 63) / 64, 64, 0, stream>>>(a.device(), n);
        CHECK_HIP(hipMemcpyAsync(b.device(), a.device(), n * sizeof(int), hipMemcpyDeviceToDevice,
                                 stream));
        twice<<<(n + 63) / 64, 64, 0, stream>>>(b.device(), n);
        CHECK_HIP(hipMemcpyAsync(host, b.device(), n * sizeof(int), hipMemcpyDeviceToHost, stream));
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK_EQ(host[1], 4 * (1 + round));
        CHECK_EQ(host[n / 2 - 1], 4 * (n / 2 - 1 + round));
        CHECK_EQ(host[n - 1], 0);
    }
    CHECK_HIP(hipHostFree(host));
    CHECK_HIP(hipStreamDestroy(stream));
}

struct held {
    std::atomic<bool> entered{false}, go{false};
    const int *seen;
    int value = -1;
};

static void wait_to_go(void *data)
{
    held *h = static_cast<held *>(data);
    h->value = *h->seen;
    h->entered = true;
    while (!h->go)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
static void wait_in_callback(hipStream_t, hipError_t status, void *data)
{
    if (status == hipSuccess)
        wait_to_go(data);
}

// What is before the function has been done when it runs, and what is behind waits for it.
static void holds_up(bool callback)
{
    hipStream_t stream;
    int *shared = nullptr;
    held h;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&shared), sizeof *shared, 0));
    *shared = 0;
    h.seen = shared;
    spin_then_add<<<1, 1, 0, stream>>>(shared, 1, 2000);
    if (callback)
        CHECK_HIP(hipStreamAddCallback(stream, wait_in_callback, &h, 0));
    else
        CHECK_HIP(hipLaunchHostFunc(stream, wait_to_go, &h));
    spin_then_add<<<1, 1, 0, stream>>>(shared, 10, 1);
    while (!h.entered)
        std::this_thread::yield();
    CHECK_EQ(h.value, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_EQ(*const_cast<volatile int *>(shared), 1);
    CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
    (void)hipGetLastError();
    h.go = true;
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_EQ(*shared, 11);
    CHECK_HIP(hipHostFree(shared));
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a stream continues only when the host's function has returned")
{
    holds_up(false);
}

TEST("a stream continues only when the callback has returned")
{
    holds_up(true);
}

TEST("a function of the host that waits holds up no other stream")
{
    hipStream_t held_up, other;
    held h;
    int zero = 0;
    ah_test::buffer<int> sum({0});
    h.seen = &zero;
    CHECK_HIP(hipStreamCreateWithFlags(&held_up, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    CHECK_HIP(hipLaunchHostFunc(held_up, wait_to_go, &h));
    spin_then_add<<<1, 1, 0, other>>>(sum.device(), 5, 1);
    CHECK_HIP(hipStreamSynchronize(other));
    h.go = true;
    CHECK_HIP(hipStreamSynchronize(held_up));
    CHECK_EQ(sum.read()[0], 5);
    CHECK_HIP(hipStreamDestroy(held_up));
    CHECK_HIP(hipStreamDestroy(other));
}

TEST("an event orders streams of several devices, and what was written is seen")
{
    if (device_count() < 2)
        SKIP("there is one device");
    const int rounds = 20;
    hipStream_t streams[2];
    hipEvent_t events[2];
    int *shared = nullptr;
    CHECK_HIP(
        hipHostMalloc(reinterpret_cast<void **>(&shared), sizeof *shared, hipHostMallocPortable));
    *shared = 0;
    for (int device = 0; device < 2; ++device) {
        CHECK_HIP(hipSetDevice(device));
        CHECK_HIP(hipStreamCreateWithFlags(&streams[device], hipStreamNonBlocking));
        CHECK_HIP(hipEventCreateWithFlags(&events[device], hipEventDisableTiming));
    }
    for (int i = 0; i < rounds; ++i)
        for (int device = 0; device < 2; ++device) {
            CHECK_HIP(hipSetDevice(device));
            if (i + device > 0)
                CHECK_HIP(hipStreamWaitEvent(streams[device], events[1 - device], 0));
            // as fast as the other device, the sum would lose additions
            spin_then_add<<<1, 1, 0, streams[device]>>>(shared, 1, 500);
            CHECK_HIP(hipEventRecord(events[device], streams[device]));
        }
    CHECK_HIP(hipStreamSynchronize(streams[1]));
    CHECK_EQ(*shared, 2 * rounds);
    for (int device = 0; device < 2; ++device) {
        CHECK_HIP(hipEventSynchronize(events[device]));
        CHECK_HIP(hipStreamDestroy(streams[device]));
        CHECK_HIP(hipEventDestroy(events[device]));
    }
    CHECK_HIP(hipHostFree(shared));
    CHECK_HIP(hipSetDevice(0));
}

TEST("an event that was never recorded is waited for at once")
{
    hipStream_t stream;
    hipEvent_t event;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipStreamWaitEvent(stream, event, 0));
    CHECK_HIP(hipEventQuery(event));
    CHECK_HIP(hipEventSynchronize(event));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(stream));
}

// Whether the default stream waits for the stream, and the stream for it.
static void default_stream_orders(unsigned flags, bool orders)
{
    hipStream_t stream;
    held h;
    int zero = 0;
    ah_test::buffer<int> sum({0});
    h.seen = &zero;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, flags));
    CHECK_HIP(hipLaunchHostFunc(stream, wait_to_go, &h));
    spin_then_add<<<1, 1>>>(sum.device(), 1, 1); // the default stream
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (orders)
        CHECK_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
    else
        CHECK_HIP(hipStreamSynchronize(nullptr));
    (void)hipGetLastError();
    h.go = true;
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(sum.read()[0], 1);

    held before; // the other way round
    before.seen = &zero;
    CHECK_HIP(hipLaunchHostFunc(nullptr, wait_to_go, &before));
    spin_then_add<<<1, 1, 0, stream>>>(sum.device(), 1, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (orders)
        CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
    else
        CHECK_HIP(hipStreamSynchronize(stream));
    (void)hipGetLastError();
    before.go = true;
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(sum.read()[0], 2);
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("the default stream and blocking streams wait for one another")
{
    default_stream_orders(hipStreamDefault, true);
}

TEST("the default stream and non-blocking streams do not wait for one another")
{
    default_stream_orders(hipStreamNonBlocking, false);
}

HIP_TEST_MAIN
