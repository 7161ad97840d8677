// Devices of several drivers in one process: one program runs on all, copies go between any two,
// and streams wait for events of other drivers.
#include "../support/hip_test.h"

#include <hip/anyhip.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

static int device_count()
{
    int count = 0;
    CHECK_HIP(hipGetDeviceCount(&count));
    return count;
}

static anyhipBackend backend_of(int device)
{
    anyhipBackend backend = anyhipBackendNone;
    CHECK_HIP(anyhipDeviceGetBackend(device, &backend, nullptr));
    return backend;
}

// Numbers in memory of one device.
class numbers
{
  public:
    numbers(int device, int count, int first) : device_(device), count_(count)
    {
        std::vector<int> values(count);
        for (int i = 0; i < count; ++i)
            values[i] = first + i;
        CHECK_HIP(hipSetDevice(device));
        CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&memory_), bytes()));
        CHECK_HIP(hipMemcpy(memory_, values.data(), bytes(), hipMemcpyHostToDevice));
    }
    ~numbers()
    {
        (void)hipSetDevice(device_);
        (void)hipFree(memory_);
    }
    numbers(const numbers &) = delete;
    numbers &operator=(const numbers &) = delete;

    std::size_t bytes() const { return count_ * sizeof(int); }
    int *get() { return memory_; }
    std::vector<int> read() const
    {
        std::vector<int> values(count_);
        CHECK_HIP(hipSetDevice(device_));
        CHECK_HIP(hipMemcpy(values.data(), memory_, bytes(), hipMemcpyDeviceToHost));
        return values;
    }
    void expect(int first) const
    {
        std::vector<int> values = read();
        for (int i = 0; i < count_; ++i)
            CHECK_EQ(values[i], first + i);
    }

  private:
    int device_, count_;
    int *memory_ = nullptr;
};

// Calls f for every ordered pair of different devices.
template <typename F> static void for_pairs(F f)
{
    int count = device_count();
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b)
            if (a != b)
                f(a, b);
}

__global__ void add(int *p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += value;
}
__global__ void tell_width(int *p)
{
    if (threadIdx.x == 0)
        *p = warpSize;
}

TEST("there are devices of several drivers")
{
    std::set<int> backends;
    for (int i = 0; i < device_count(); ++i)
        backends.insert(backend_of(i));
    CHECK(backends.size() > 1);
}

TEST("one program runs on every device")
{
    const int count = 1000;
    for (int device = 0; device < device_count(); ++device) {
        numbers n(device, count, 5), width(device, 1, 0);
        add<<<(count + 63) / 64, 64>>>(n.get(), count, 100);
        tell_width<<<1, 64>>>(width.get());
        CHECK_LAUNCH();
        n.expect(105);
        hipDeviceProp_t properties;
        CHECK_HIP(hipGetDeviceProperties(&properties, device));
        CHECK_EQ(width.read()[0], properties.warpSize);
    }
}

TEST("memory belongs to the device that allocated it")
{
    for (int device = 0; device < device_count(); ++device) {
        numbers n(device, 16, 0);
        for (int current = 0; current < device_count(); ++current) {
            hipPointerAttribute_t attributes;
            CHECK_HIP(hipSetDevice(current));
            CHECK_HIP(hipPointerGetAttributes(&attributes, n.get() + 3));
            CHECK_EQ(attributes.device, device);
            CHECK_EQ(int(attributes.type), int(hipMemoryTypeDevice));
        }
    }
}

TEST("copies go between any two devices, whichever is current")
{
    for_pairs([](int from, int to) {
        for (int current = 0; current < device_count(); ++current) {
            numbers source(from, 5000, 7), target(to, 5000, 0);
            CHECK_HIP(hipSetDevice(current));
            CHECK_HIP(hipMemcpy(target.get(), source.get(), source.bytes(), hipMemcpyDefault));
            target.expect(7);
        }
    });
}

TEST("a copy between devices comes after what was queued on both")
{
    for_pairs([](int from, int to) {
        numbers source(from, 5000, 7), target(to, 5000, 0);
        CHECK_HIP(hipSetDevice(to));
        add<<<79, 64>>>(target.get(), 5000, 1); // is overwritten
        if (backend_of(from) == backend_of(to)) // where the stream is all that orders
            CHECK_HIP(hipDeviceSynchronize());
        CHECK_HIP(hipSetDevice(from));
        add<<<79, 64>>>(source.get(), 5000, 1);
        CHECK_HIP(hipMemcpyAsync(target.get(), source.get(), source.bytes(), hipMemcpyDefault, 0));
        CHECK_HIP(hipDeviceSynchronize());
        target.expect(8);
        CHECK_HIP(hipMemcpyPeer(target.get(), to, source.get(), from, 400));
        CHECK_HIP(hipMemcpyPeerAsync(source.get(), from, target.get(), to, 400, 0));
        CHECK_HIP(hipDeviceSynchronize());
        source.expect(8);
    });
}

TEST("rectangles are copied between devices")
{
    for_pairs([](int from, int to) {
        const int width = 13, height = 7, pitch = 32;
        numbers source(from, pitch * height, 0), target(to, pitch * height, 1000);
        for (int current = 0; current < device_count(); ++current) {
            CHECK_HIP(hipSetDevice(current));
            CHECK_HIP(hipMemcpy2D(target.get() + 2, pitch * sizeof(int), source.get() + 5,
                                  pitch * sizeof(int), width * sizeof(int), height,
                                  hipMemcpyDefault));
        }
        std::vector<int> got = target.read();
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < pitch; ++x)
                CHECK_EQ(got[y * pitch + x],
                         x >= 2 && x < 2 + width ? y * pitch + x + 3 : 1000 + y * pitch + x);
    });
}

TEST("memory of a device is filled whichever is current")
{
    for_pairs([](int owner, int current) {
        numbers n(owner, 100, 0);
        CHECK_HIP(hipSetDevice(current));
        CHECK_HIP(hipMemset(n.get(), 0x11, n.bytes()));
        CHECK_HIP(hipDeviceSynchronize());
        CHECK_HIP(hipSetDevice(owner));
        CHECK_HIP(hipDeviceSynchronize());
        for (int value : n.read())
            CHECK_EQ(value, 0x11111111);
    });
}

TEST("page-locked memory of one driver serves copies of the other")
{
    for_pairs([](int owner, int other) {
        int *host = nullptr;
        CHECK_HIP(hipSetDevice(owner));
        CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&host), 4000, hipHostMallocDefault));
        for (int i = 0; i < 1000; ++i)
            host[i] = i + 3;
        {
            numbers n(other, 1000, 0);
            CHECK_HIP(hipMemcpy(n.get(), host, 4000, hipMemcpyHostToDevice));
            n.expect(3);
            add<<<16, 64>>>(n.get(), 1000, 1);
            CHECK_HIP(hipMemcpy(host, n.get(), 4000, hipMemcpyDeviceToHost));
        }
        for (int i = 0; i < 1000; ++i)
            CHECK_EQ(host[i], i + 4);
        CHECK_HIP(hipHostFree(host));
    });
}

TEST("devices of two drivers are no peers")
{
    for_pairs([](int a, int b) {
        int can = 1;
        if (backend_of(a) == backend_of(b))
            return;
        CHECK_HIP(hipDeviceCanAccessPeer(&can, a, b));
        CHECK_EQ(can, 0);
        CHECK_HIP(hipSetDevice(a));
        CHECK(hipDeviceEnablePeerAccess(b, 0) != hipSuccess);
    });
}

// What host functions in streams did, in order.
struct record {
    std::mutex lock;
    std::vector<int> steps;
    std::atomic<bool> open{false};

    void add(int step)
    {
        std::lock_guard<std::mutex> hold(lock);
        steps.push_back(step);
    }
    std::size_t count()
    {
        std::lock_guard<std::mutex> hold(lock);
        return steps.size();
    }
};
static void wait_until_open(void *data)
{
    record *r = static_cast<record *>(data);
    while (!r->open)
        std::this_thread::yield();
    r->add(1);
}
static void second(void *data)
{
    static_cast<record *>(data)->add(2);
}

TEST("a stream waits for an event of another driver, and the host does not")
{
    for_pairs([](int first, int then) {
        record r;
        hipStream_t a, b;
        hipEvent_t reached;
        CHECK_HIP(hipSetDevice(first));
        CHECK_HIP(hipStreamCreate(&a));
        CHECK_HIP(hipEventCreateWithFlags(&reached, hipEventDisableTiming));
        CHECK_HIP(hipLaunchHostFunc(a, wait_until_open, &r));
        CHECK_HIP(hipEventRecord(reached, a));
        CHECK_HIP(hipSetDevice(then));
        CHECK_HIP(hipStreamCreate(&b));
        CHECK_HIP(hipStreamWaitEvent(b, reached, 0));
        CHECK_HIP(hipLaunchHostFunc(b, second, &r));
        CHECK_EQ(hipStreamQuery(b), hipErrorNotReady);
        CHECK_EQ(r.count(), 0u);
        r.open = true;
        CHECK_HIP(hipStreamSynchronize(b));
        CHECK_EQ(r.count(), 2u);
        CHECK(r.steps == (std::vector<int>{1, 2}));
        CHECK_HIP(hipStreamDestroy(b));
        CHECK_HIP(hipSetDevice(first));
        CHECK_HIP(hipEventDestroy(reached));
        CHECK_HIP(hipStreamDestroy(a));
    });
}

TEST("a chain of kernels goes through all devices")
{
    const int count = 2000, rounds = 3;
    int devices = device_count();
    std::vector<hipStream_t> streams(devices);
    std::vector<hipEvent_t> done(devices);
    std::vector<numbers *> parts;
    for (int i = 0; i < devices; ++i) {
        parts.push_back(new numbers(i, count, 0));
        CHECK_HIP(hipStreamCreate(&streams[i]));
        CHECK_HIP(hipEventCreate(&done[i]));
    }
    int last = 0;
    for (int step = 0; step < rounds * devices; ++step) {
        int i = step % devices;
        CHECK_HIP(hipSetDevice(i));
        if (step > 0) {
            CHECK_HIP(hipStreamWaitEvent(streams[i], done[last], 0));
            CHECK_HIP(hipMemcpyAsync(parts[i]->get(), parts[last]->get(), parts[i]->bytes(),
                                     hipMemcpyDefault, streams[i]));
        }
        add<<<(count + 63) / 64, 64, 0, streams[i]>>>(parts[i]->get(), count, 1);
        CHECK_HIP(hipEventRecord(done[i], streams[i]));
        last = i;
    }
    CHECK_HIP(hipEventSynchronize(done[last]));
    parts[last]->expect(rounds * devices);
    for (int i = 0; i < devices; ++i) {
        CHECK_HIP(hipSetDevice(i));
        CHECK_HIP(hipEventDestroy(done[i]));
        CHECK_HIP(hipStreamDestroy(streams[i]));
        delete parts[i];
    }
}

HIP_TEST_MAIN
