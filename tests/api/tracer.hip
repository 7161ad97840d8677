// What AMD's tracer library is told, by a tracer that plays its part: it registers one function,
// which is asked about every call and every kind of work, and which takes the records of work. The
// structures and numbers are those of roctracer's public headers prof_protocol.h and
// hip_prof_str.h.
#include "../support/hip_test.h"

#include <hip/api/registration.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

__global__ void store(int *p, int value)
{
    *p = value;
}
__global__ void add(int *p, int value)
{
    *p += value;
}

namespace
{

// ---- the protocol -------------------------------------------------------------------------------

enum domain : unsigned { hip_work = 2, hip_api = 3 };
enum operation : uint32_t { dispatch, copy, barrier };
enum number : uint32_t {
    n_synchronize = 48,
    n_free = 69,
    n_launch = 107,
    n_malloc = 108,
    n_memcpy = 125,
    n_memset_async = 159,
    n_stream_create_with_flags = 193,
    n_graph_launch = 215,
};

struct call_data {
    uint64_t correlation;
    uint32_t phase;
    union {
        struct {
            void **ptr;
            void *ptr_value;
            size_t size;
        } malloc_;
        struct {
            void *dst;
            const void *src;
            size_t bytes;
            hipMemcpyKind kind;
        } memcpy_;
        struct {
            const void *function;
            dim3 blocks, threads;
            void **args;
            void *args_value;
            size_t shared;
            hipStream_t stream;
        } launch;
        struct {
            hipStream_t *stream;
            hipStream_t stream_value;
            unsigned flags;
        } stream_create;
        alignas(8) unsigned char bytes[1496];
    } args;
    uint64_t *phase_data;
    uint64_t enter_time, data;
    void (*enter)(uint32_t number, call_data *data);
    void (*exit)(uint32_t number, call_data *data);
};

struct work_record {
    uint32_t domain, kind, operation;
    uint64_t correlation, begin, end;
    int device;
    uint64_t queue;
    union {
        size_t bytes;
        const char *kernel;
    };
};
static_assert(sizeof(call_data) == 1552 && sizeof(work_record) == 64, "roctracer's structures");

// ---- a tracer -----------------------------------------------------------------------------------

struct call {
    uint32_t number;
    bool is_exit;
    call_data data;
};

struct work {
    work_record record;
    std::string kernel;
};

struct tracer {
    std::mutex lock;
    std::vector<std::unique_ptr<call>> calls; // a record is large
    std::vector<work> works;
    std::vector<uint32_t> wanted; // empty: all
    bool wants_work = true, has_enter = true, has_exit = true, calls_hip = false;
    bool ends_in_enter = false, ends_in_record = false;
    std::atomic<uint64_t> entered{0}, exited{0}, delivered{0}, foreign{0};
    std::atomic<bool> records{true};

    bool wants(uint32_t number) const
    {
        for (uint32_t one : wanted)
            if (one == number)
                return true;
        return wanted.empty();
    }
    std::vector<const call *> of(uint32_t number)
    {
        std::vector<const call *> found;
        for (const auto &one : calls)
            if (one->number == number)
                found.push_back(one.get());
        return found;
    }
    std::vector<work> of(operation what)
    {
        std::vector<work> found;
        for (const work &one : works)
            if (one.record.operation == what)
                found.push_back(one);
        return found;
    }
};
tracer *the_tracer;
std::atomic<uint64_t> last_correlation{1000};

void note(uint32_t number, call_data *data, bool is_exit)
{
    std::lock_guard<std::mutex> guard(the_tracer->lock);
    if (the_tracer->records)
        the_tracer->calls.emplace_back(new call{number, is_exit, *data});
}

void enters(uint32_t number, call_data *data)
{
    data->phase = 0;
    data->data = data->correlation; // kept until the exit
    the_tracer->entered++;
    note(number, data, false);
    if (the_tracer->calls_hip) {
        int count;
        (void)hipGetDeviceCount(&count);
        (void)hipDeviceSynchronize();
    }
    if (the_tracer->ends_in_enter)
        hipRegisterTracerCallback(nullptr);
}

void exits(uint32_t number, call_data *data)
{
    data->phase = 1;
    the_tracer->exited++;
    if (the_tracer->has_enter && data->data != data->correlation)
        the_tracer->foreign++;
    note(number, data, true);
}

int ask_about_call(uint32_t number, call_data *data)
{
    if (!the_tracer->wants(number))
        return -1;
    if (!data)
        return 0;
    data->correlation = ++last_correlation;
    data->enter = the_tracer->has_enter ? enters : nullptr;
    data->exit = the_tracer->has_exit ? exits : nullptr;
    return 0;
}

int take(const work_record *record)
{
    the_tracer->delivered++;
    if (the_tracer->ends_in_record)
        hipRegisterTracerCallback(nullptr);
    std::lock_guard<std::mutex> guard(the_tracer->lock);
    if (the_tracer->records)
        the_tracer->works.push_back(
            {*record, record->operation == dispatch && record->kernel ? record->kernel : ""});
    return 0;
}

int ask(unsigned domain, uint32_t operation, void *data)
{
    if (domain == hip_api)
        return ask_about_call(operation, static_cast<call_data *>(data));
    if (domain != hip_work || !the_tracer->wants_work)
        return -1;
    return data ? take(static_cast<work_record *>(data)) : 0;
}

// Registered as long as the object lives. Calls of HIP that are under way elsewhere may still
// report to the tracer for a while, so that it stays.
struct registered {
    registered()
    {
        static std::vector<std::unique_ptr<tracer>> tracers;
        tracers.emplace_back(the_tracer = new tracer);
        CHECK_HIP(hipInit(0));
    }
    void begin() { hipRegisterTracerCallback(ask); }
    void end() { hipRegisterTracerCallback(nullptr); }
    ~registered() { end(); }
    tracer *operator->() { return the_tracer; }
};

uint64_t system_clock()
{
    timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace

// ---- calls --------------------------------------------------------------------------------------

TEST("a call is reported when it begins and when it ends, with its arguments")
{
    registered one;
    void *memory = nullptr;
    one->wanted = {n_malloc, n_free};
    one.begin();
    CHECK_HIP(hipMalloc(&memory, 4096));
    CHECK_HIP(hipFree(memory));
    one.end();
    auto mallocs = one->of(n_malloc), frees = one->of(n_free);
    CHECK_EQ(mallocs.size(), 2u);
    CHECK_EQ(frees.size(), 2u);
    CHECK_EQ(one->calls.size(), 4u);
    if (mallocs.size() != 2)
        return;
    CHECK(!mallocs[0]->is_exit && mallocs[1]->is_exit);
    CHECK_EQ(mallocs[0]->data.correlation, mallocs[1]->data.correlation);
    CHECK(mallocs[1]->data.data == mallocs[0]->data.correlation);
    for (const call *each : mallocs) {
        CHECK_EQ(each->data.args.malloc_.ptr, &memory);
        CHECK_EQ(each->data.args.malloc_.size, 4096u);
    }
}

TEST("arguments have the places that roctracer's structures have")
{
    registered one;
    int host = 7, *device = nullptr, value = 9;
    hipStream_t stream = nullptr;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), sizeof(int)));
    one.begin();
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipMemcpy(device, &host, sizeof host, hipMemcpyHostToDevice));
    void *args[] = {&device, &value};
    CHECK_HIP(hipLaunchKernel(reinterpret_cast<const void *>(store), dim3(1, 2, 3), dim3(4, 5, 6),
                              args, 16, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    one.end();
    auto creations = one->of(n_stream_create_with_flags), copies = one->of(n_memcpy),
         launches = one->of(n_launch);
    CHECK(creations.size() == 2 && copies.size() == 2 && launches.size() == 2);
    if (creations.size() == 2) {
        CHECK_EQ(creations[0]->data.args.stream_create.stream, &stream);
        CHECK_EQ(creations[0]->data.args.stream_create.flags, unsigned(hipStreamNonBlocking));
    }
    if (copies.size() == 2) {
        CHECK_EQ(copies[0]->data.args.memcpy_.dst, static_cast<void *>(device));
        CHECK_EQ(copies[0]->data.args.memcpy_.src, static_cast<const void *>(&host));
        CHECK_EQ(copies[0]->data.args.memcpy_.bytes, sizeof host);
        CHECK_EQ(int(copies[0]->data.args.memcpy_.kind), int(hipMemcpyHostToDevice));
    }
    if (launches.size() == 2) {
        const auto &launch = launches[0]->data.args.launch;
        CHECK_EQ(launch.function, reinterpret_cast<const void *>(store));
        CHECK(launch.blocks.x == 1 && launch.blocks.y == 2 && launch.blocks.z == 3);
        CHECK(launch.threads.x == 4 && launch.threads.y == 5 && launch.threads.z == 6);
        CHECK_EQ(launch.args, args);
        CHECK_EQ(launch.shared, 16u);
        CHECK_EQ(launch.stream, stream);
    }
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipFree(device));
}

TEST("calls have correlation ids of their own, and names by their numbers")
{
    registered one;
    void *memory[8];
    one.begin();
    for (void *&each : memory)
        CHECK_HIP(hipMalloc(&each, 64));
    for (void *each : memory)
        CHECK_HIP(hipFree(each));
    one.end();
    uint64_t last = 0;
    for (const auto &each : one->calls) {
        if (!each->is_exit)
            CHECK(each->data.correlation > last);
        last = each->data.correlation;
    }
    CHECK_EQ(std::string(hipApiName(n_malloc)), "hipMalloc");
    CHECK_EQ(std::string(hipApiName(n_graph_launch)), "hipGraphLaunch");
    CHECK_EQ(std::string(hipApiName(n_memset_async)), "hipMemsetAsync");
    CHECK_EQ(std::string(hipApiName(n_synchronize)), "hipDeviceSynchronize");
}

TEST("a call that fails is reported too")
{
    registered one;
    one->wanted = {n_malloc};
    one.begin();
    CHECK_EQ(hipMalloc(nullptr, 64), hipErrorInvalidValue);
    one.end();
    CHECK_EQ(one->calls.size(), 2u);
    (void)hipGetLastError();
}

TEST("a tracer may leave out either phase")
{
    void *memory = nullptr;
    for (int phases = 0; phases < 4; phases++) {
        registered one;
        one->wanted = {n_malloc};
        one->has_enter = phases & 1;
        one->has_exit = phases & 2;
        one.begin();
        CHECK_HIP(hipMalloc(&memory, 64));
        one.end();
        CHECK_EQ(one->entered.load(), phases & 1 ? 1u : 0u);
        CHECK_EQ(one->exited.load(), phases & 2 ? 1u : 0u);
        CHECK_HIP(hipFree(memory));
    }
}

TEST("what a tracer's function calls is not reported")
{
    registered one;
    void *memory = nullptr;
    one->calls_hip = true;
    one.begin();
    CHECK_HIP(hipMalloc(&memory, 64));
    one.end();
    CHECK_EQ(one->calls.size(), 2u);
    CHECK_EQ(one->of(n_malloc).size(), 2u);
    CHECK_HIP(hipFree(memory));
}

// ---- work ---------------------------------------------------------------------------------------

TEST("kernels, copies and fills are reported with the correlation ids of their calls")
{
    registered one;
    int host = 0, *device = nullptr;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), 1 << 16));
    CHECK_HIP(hipDeviceSynchronize());
    one.begin();
    uint64_t before = system_clock();
    CHECK_HIP(hipMemsetAsync(device, 1, 1 << 16, nullptr));
    store<<<1, 1>>>(device, 5);
    add<<<1, 1>>>(device, 6);
    CHECK_LAUNCH();
    CHECK_HIP(hipMemcpy(&host, device, sizeof host, hipMemcpyDeviceToHost));
    CHECK_HIP(hipDeviceSynchronize());
    uint64_t after = system_clock();
    one.end();
    CHECK_EQ(host, 11);
    auto kernels = one->of(dispatch), copies = one->of(copy);
    auto launches = one->of(n_launch), fills = one->of(n_memset_async), reads = one->of(n_memcpy);
    CHECK_EQ(kernels.size(), 2u);
    CHECK_EQ(copies.size(), 2u);
    CHECK(launches.size() == 4 && fills.size() == 2 && reads.size() == 2);
    if (kernels.size() != 2 || copies.size() != 2 || launches.size() != 4 || fills.size() != 2 ||
        reads.size() != 2)
        return;
    CHECK(kernels[0].kernel.find("store") != std::string::npos);
    CHECK(kernels[1].kernel.find("add") != std::string::npos);
    CHECK_EQ(kernels[0].record.correlation, launches[0]->data.correlation);
    CHECK_EQ(kernels[1].record.correlation, launches[2]->data.correlation);
    CHECK_EQ(copies[0].record.correlation, fills[0]->data.correlation);
    CHECK_EQ(copies[1].record.correlation, reads[0]->data.correlation);
    CHECK_EQ(std::string(hipGetCmdName(kernels[0].record.kind)), "KernelExecution");
    CHECK_EQ(std::string(hipGetCmdName(copies[0].record.kind)), "FillBuffer");
    CHECK_EQ(std::string(hipGetCmdName(copies[1].record.kind)), "CopyDeviceToHost");
    CHECK_EQ(copies[0].record.bytes, size_t(1 << 16));
    CHECK_EQ(copies[1].record.bytes, sizeof host);
    const uint64_t tolerance = 1000000000; // of the device's clock on a machine that is busy
    for (const work &each : one->works) {
        CHECK_EQ(each.record.domain, unsigned(hip_work));
        CHECK_EQ(each.record.device, 0);
        CHECK(each.record.begin <= each.record.end);
        CHECK(each.record.begin + tolerance >= before && each.record.end <= after + tolerance);
    }
    CHECK(kernels[0].record.begin <= kernels[1].record.begin);
    CHECK_HIP(hipFree(device));
}

TEST("copies are told apart by their direction")
{
    registered one;
    char *a = nullptr, *b = nullptr, host[256] = {};
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&a), 4096));
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&b), 4096));
    CHECK_HIP(hipMemset(a, 0, 4096));
    CHECK_HIP(hipDeviceSynchronize());
    one.begin();
    CHECK_HIP(hipMemcpy(a, host, sizeof host, hipMemcpyDefault));
    CHECK_HIP(hipMemcpy(b, a, 128, hipMemcpyDefault));
    CHECK_HIP(hipMemcpy(host, b, 64, hipMemcpyDefault));
    CHECK_HIP(hipMemcpy2D(b, 64, a, 64, 16, 4, hipMemcpyDeviceToDevice));
    CHECK_HIP(hipDeviceSynchronize());
    one.end();
    auto copies = one->of(copy);
    CHECK_EQ(copies.size(), 4u);
    const char *const names[] = {"CopyHostToDevice", "CopyDeviceToDevice", "CopyDeviceToHost",
                                 "CopyDeviceToDevice2D"};
    const size_t sizes[] = {sizeof host, 128, 64, 64};
    for (size_t i = 0; i < 4 && copies.size() == 4; i++) {
        CHECK_EQ(std::string(hipGetCmdName(copies[i].record.kind)), names[i]);
        CHECK_EQ(copies[i].record.bytes, sizes[i]);
    }
    CHECK_HIP(hipFree(a));
    CHECK_HIP(hipFree(b));
}

TEST("a batch of copies is one call")
{
    registered one;
    char *device = nullptr, *host = nullptr;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), 4096));
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&host), 4096, 0));
    void *dsts[] = {device, device + 1024}, *srcs[] = {host, host + 512};
    size_t sizes[] = {256, 128}, failed = 0, first = 0, bytes = 0;
    hipMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = hipMemcpySrcAccessOrderStream;
    one.begin();
    CHECK_HIP(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, &first, 1, &failed, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    one.end();
    for (const work &each : one->of(copy)) {
        CHECK_EQ(std::string(hipGetCmdName(each.record.kind)), "CopyHostToDevice");
        bytes += each.record.bytes;
    }
    CHECK_EQ(bytes, 384u);
    CHECK_HIP(hipHostFree(host));
    CHECK_HIP(hipFree(device));
}

TEST("kernels of a graph are reported by name, as work of its launch")
{
    registered one;
    int *device = nullptr, host = 0;
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), sizeof(int)));
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    store<<<1, 1, 0, stream>>>(device, 1);
    add<<<1, 1, 0, stream>>>(device, 2);
    add<<<1, 1, 0, stream>>>(device, 3);
    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    one.begin();
    for (int i = 0; i < 2; i++)
        CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipDeviceSynchronize());
    one.end();
    auto kernels = one->of(dispatch);
    auto launches = one->of(n_graph_launch);
    CHECK_EQ(launches.size(), 4u);
    CHECK(!kernels.empty());
    for (const work &each : kernels) {
        bool of_launch = false;
        for (const call *launch : launches)
            of_launch = of_launch || launch->data.correlation == each.record.correlation;
        CHECK(of_launch);
    }
    if (kernels.size() == 2) // a driver without times of the nodes reports a launch as a whole
        for (const work &each : kernels)
            CHECK_EQ(each.kernel, std::string("graph"));
    else
        CHECK_EQ(kernels.size(), 6u);
    for (size_t i = 0; i < kernels.size() && kernels.size() == 6; i++)
        CHECK_CASE(kernels[i].kernel.find(i % 3 ? "add" : "store") != std::string::npos,
                   "kernel %zu is %s", i, kernels[i].kernel.c_str());
    CHECK_HIP(hipMemcpy(&host, device, sizeof host, hipMemcpyDeviceToHost));
    CHECK_EQ(host, 6);
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipFree(device));
}

TEST("work has the number of its device")
{
    registered one;
    int count = 0;
    CHECK_HIP(hipGetDeviceCount(&count));
    if (count < 2)
        SKIP("there is one device");
    one->wanted = {n_launch};
    one.begin();
    for (int device = 0; device < count; device++) {
        int *memory = nullptr;
        CHECK_HIP(hipSetDevice(device));
        CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&memory), sizeof(int)));
        store<<<1, 1>>>(memory, device);
        CHECK_LAUNCH();
        CHECK_HIP(hipFree(memory));
    }
    one.end();
    CHECK_HIP(hipSetDevice(0));
    auto kernels = one->of(dispatch);
    auto launches = one->of(n_launch);
    CHECK_EQ(kernels.size(), size_t(count));
    for (size_t i = 0; i < kernels.size() && launches.size() == 2 * kernels.size(); i++) {
        CHECK_EQ(kernels[i].record.device, int(i));
        CHECK_EQ(kernels[i].record.correlation, launches[2 * i]->data.correlation);
    }
}

TEST("a tracer that wants no calls gets work without correlation ids")
{
    registered one;
    int *device = nullptr;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), sizeof(int)));
    one->wanted = {0};
    one.begin();
    store<<<1, 1>>>(device, 5);
    CHECK_LAUNCH();
    one.end();
    CHECK_EQ(one->calls.size(), 0u);
    CHECK_EQ(one->of(dispatch).size(), 1u);
    for (const work &each : one->works)
        CHECK_EQ(each.record.correlation, 0u);
    CHECK_HIP(hipFree(device));
}

TEST("a tracer that wants no work gets none")
{
    registered one;
    int *device = nullptr;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), sizeof(int)));
    one->wants_work = false;
    one.begin();
    store<<<1, 1>>>(device, 5);
    CHECK_LAUNCH();
    one.end();
    CHECK_EQ(one->delivered.load(), 0u);
    CHECK_EQ(one->of(n_launch).size(), 2u);
    CHECK_HIP(hipFree(device));
}

TEST("work is delivered now and then to a program that never waits")
{
    registered one;
    int *device = nullptr;
    hipStream_t stream;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), sizeof(int)));
    CHECK_HIP(hipStreamCreate(&stream));
    one->wanted = {0};
    one.begin();
    // A simulated device of a busy host may not have begun after the first thousands; it gets time.
    int launched = 0;
    for (; launched < 9000 || (one->delivered.load() == 0 && launched < 200000); launched++) {
        if (launched >= 9000 && launched % 64 == 0)
            usleep(1000);
        store<<<1, 1, 0, stream>>>(device, launched);
    }
    CHECK_HIP(hipGetLastError());
    CHECK(one->delivered.load() > 0);
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(one->delivered.load(), static_cast<unsigned>(launched));
    one.end();
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipFree(device));
}

// ---- registration -------------------------------------------------------------------------------

TEST("nothing is reported before the registration and after it")
{
    registered one;
    void *memory = nullptr;
    CHECK_HIP(hipMalloc(&memory, 64));
    hipRegisterTracerCallback(nullptr);
    hipRegisterTracerCallback(nullptr);
    CHECK_HIP(hipFree(memory));
    one.begin();
    one.begin();
    one.end();
    CHECK_HIP(hipMalloc(&memory, 64));
    CHECK_HIP(hipFree(memory));
    CHECK_EQ(one->entered + one->exited + one->delivered, 0u);
}

TEST("a tracer may unregister itself while it is told of a call, and register itself again")
{
    registered one;
    void *memory = nullptr;
    one->wanted = {n_malloc};
    one->ends_in_enter = true;
    one.begin();
    CHECK_HIP(hipMalloc(&memory, 64));
    CHECK_EQ(one->entered.load(), 1u);
    uint64_t exited = one->exited;
    CHECK_HIP(hipFree(memory));
    one->ends_in_enter = false;
    one->wanted = {n_free};
    one.begin();
    CHECK_HIP(hipMalloc(&memory, 64)); // has the place of the call that did not end
    CHECK_EQ(one->exited.load(), exited);
    CHECK_HIP(hipFree(memory));
    one.end();
    CHECK_EQ(one->entered.load(), 2u);
    CHECK_EQ(one->exited.load(), exited + 1);
}

TEST("a tracer gets the work that has been done when it ends, and may end while it gets it")
{
    registered one;
    int *device = nullptr;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&device), sizeof(int)));
    one->wanted = {0};
    one->ends_in_record = true;
    one.begin();
    for (int i = 0; i < 5; i++)
        store<<<1, 1>>>(device, i);
    CHECK_HIP(hipGetLastError());
    one.end();
    CHECK(one->delivered.load() > 0);
    CHECK_HIP(hipFree(device));
}

TEST("tracers come and go while calls run in other threads")
{
    registered one;
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    std::atomic<int> failures{0}, rounds{0};
    one->records = false;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            int *memory = nullptr;
            hipStream_t stream;
            failures += hipStreamCreate(&stream) != hipSuccess;
            while (!done) {
                failures += hipMalloc(reinterpret_cast<void **>(&memory), 64) != hipSuccess;
                store<<<1, 1, 0, stream>>>(memory, 1);
                failures += hipStreamSynchronize(stream) != hipSuccess;
                failures += hipFree(memory) != hipSuccess;
                rounds++;
            }
            failures += hipStreamDestroy(stream) != hipSuccess;
        });
    for (int i = 0; i < 40; i++) {
        one.begin();
        for (int until = rounds + 3; rounds < until && failures == 0;)
            std::this_thread::yield();
        one.end();
    }
    done = true;
    for (std::thread &each : threads)
        each.join();
    CHECK_EQ(failures.load(), 0);
    CHECK(one->entered > 0 && one->delivered > 0);
    CHECK(one->exited <= one->entered);
    CHECK_EQ(one->foreign.load(), 0u);
    uint64_t entered = one->entered;
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(one->entered.load(), entered);
}

TEST("numbers that nobody has are unknown")
{
    CHECK_EQ(std::string(hipApiName(0)), "unknown");
    CHECK_EQ(std::string(hipApiName(100000)), "unknown");
    CHECK_EQ(std::string(hipApiName(0xffffffffu)), "unknown");
    CHECK_EQ(std::string(hipGetCmdName(0x11ef)), "Unknown command kind");
    CHECK_EQ(std::string(hipGetCmdName(0xffffffffu)), "Unknown command kind");
}

HIP_TEST_MAIN
