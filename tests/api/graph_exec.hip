// Executable graphs: nodes of every kind run in the order of their edges, launches one after the
// other; what changes an executable graph holds from its next launch on.
#include "../support/hip_test.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

// Sets its flag if the flags that it depends on are set; -1: no flag.
__global__ void visit(int *flags, int a, int b, int c, int self, int *errors)
{
    volatile int *seen = flags;
    if ((a >= 0 && seen[a] != 1) || (b >= 0 && seen[b] != 1) || (c >= 0 && seen[c] != 1))
        atomicAdd(errors, 1);
    seen[self] = 1;
}
// Loses additions if it runs beside itself.
__global__ void slow_add(int *p, int value)
{
    volatile int *sum = p;
    int before = *sum;
    for (int i = 0; i < 200; ++i)
        (void)*sum;
    *sum = before + value;
}
__global__ void store(int *p, int value)
{
    *p = value;
}
__global__ void store_at(int *p, int value, int index)
{
    p[index] = value;
}

namespace
{

// Page-locked memory, which kernels, copies and the host see.
struct pinned {
    int *data = nullptr;
    explicit pinned(int count)
    {
        CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&data), count * sizeof(int),
                                hipHostMallocPortable));
        std::fill(data, data + count, 0);
    }
    ~pinned() { (void)hipHostFree(data); }
    int &operator[](int i) { return data[i]; }
};

struct graph {
    hipGraph_t handle = nullptr;
    hipGraphExec_t exec = nullptr;
    graph() { CHECK_HIP(hipGraphCreate(&handle, 0)); }
    ~graph()
    {
        if (exec)
            (void)hipGraphExecDestroy(exec);
        (void)hipGraphDestroy(handle);
    }
    void instantiate() { CHECK_HIP(hipGraphInstantiate(&exec, handle, nullptr, nullptr, 0)); }
    void run(hipStream_t stream = nullptr)
    {
        CHECK_HIP(hipGraphLaunch(exec, stream));
        CHECK_HIP(hipStreamSynchronize(stream));
    }
};

typedef std::vector<hipGraphNode_t> nodes;

template <typename... Parameters, typename... Arguments>
hipKernelNodeParams kernel_params(void **arguments, void (*kernel)(Parameters...))
{
    hipKernelNodeParams params = {};
    params.func = reinterpret_cast<void *>(kernel);
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    return params;
}

hipGraphNode_t add_visit(hipGraph_t graph, const nodes &after, int *flags,
                         const std::vector<int> &deps, int self, int *errors)
{
    int d[3] = {-1, -1, -1};
    for (size_t i = 0; i < deps.size() && i < 3; ++i)
        d[i] = deps[i];
    void *arguments[] = {&flags, &d[0], &d[1], &d[2], &self, &errors};
    hipKernelNodeParams params = kernel_params(arguments, visit);
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

hipGraphNode_t add_add(hipGraph_t graph, const nodes &after, int *p, int value)
{
    void *arguments[] = {&p, &value};
    hipKernelNodeParams params = kernel_params(arguments, slow_add);
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

hipGraphNode_t add_store(hipGraph_t graph, const nodes &after, int *p, int value)
{
    void *arguments[] = {&p, &value};
    hipKernelNodeParams params = kernel_params(arguments, store);
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

hipGraphNode_t add_host(hipGraph_t graph, const nodes &after, hipHostFn_t function, void *data)
{
    hipHostNodeParams params = {function, data};
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddHostNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

hipGraphNode_t add_set(hipGraph_t graph, const nodes &after, int *p, int value)
{
    hipMemsetParams params = {};
    params.dst = p;
    params.elementSize = sizeof(int);
    params.width = params.height = 1;
    params.value = static_cast<unsigned>(value);
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddMemsetNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

hipGraphNode_t add_copy(hipGraph_t graph, const nodes &after, int *dst, const int *src)
{
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), dst, src,
                                      sizeof(int), hipMemcpyDefault));
    return node;
}

hipGraphNode_t add_empty(hipGraph_t graph, const nodes &after)
{
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddEmptyNode(&node, graph, after.data(), after.size()));
    return node;
}

// What a node of the host does in place of visit.
struct host_visit {
    volatile int *flags;
    std::vector<int> deps;
    int self;
    int *errors;
};
void visit_on_host(void *data)
{
    auto *v = static_cast<host_visit *>(data);
    for (int dep : v->deps)
        if (v->flags[dep] != 1)
            __atomic_fetch_add(v->errors, 1, __ATOMIC_RELAXED);
    v->flags[v->self] = 1;
}

// A random graph whose nodes notice if one of those before them has not run.
struct random_graph {
    int count;
    pinned flags, errors;
    graph g;
    std::vector<host_visit> visits;
    std::vector<bool> marks;

    random_graph(int n, unsigned seed, unsigned kinds)
        : count(n), flags(n + 1), errors(1), marks(static_cast<size_t>(n))
    {
        std::mt19937 random(seed);
        nodes made;
        std::vector<std::vector<int>> stands_for; // of empty nodes: what they come after
        visits.reserve(static_cast<size_t>(n));
        for (int i = 0; i < n; ++i) {
            nodes after;
            std::vector<int> deps;
            for (unsigned k = random() % 4; k > 0 && i > 0; --k) {
                size_t dep = random() % static_cast<unsigned>(i);
                if (std::find(after.begin(), after.end(), made[dep]) != after.end())
                    continue;
                after.push_back(made[dep]);
                deps.insert(deps.end(), stands_for[dep].begin(), stands_for[dep].end());
            }
            made.push_back(add_one(random() % kinds, i, after, deps));
            stands_for.push_back(marks[static_cast<size_t>(i)] ? std::vector<int>{i} : deps);
        }
        flags[n] = 1;
        g.instantiate();
    }

    hipGraphNode_t add_one(unsigned kind, int i, const nodes &after, const std::vector<int> &deps)
    {
        marks[static_cast<size_t>(i)] = kind != 4;
        switch (kind) {
        case 1:
            visits.push_back({flags.data, deps, i, errors.data});
            return add_host(g.handle, after, visit_on_host, &visits.back());
        case 2:
            return add_set(g.handle, after, &flags[i], 1);
        case 3: // copies a flag that has to be set
            return add_copy(g.handle, after, &flags[i], &flags[deps.empty() ? count : deps[0]]);
        case 4:
            return add_empty(g.handle, after);
        default:
            return add_visit(g.handle, after, flags.data, deps, i, errors.data);
        }
    }

    void run_and_check(hipStream_t stream)
    {
        std::fill(flags.data, flags.data + count, 0);
        g.run(stream);
        CHECK_EQ(errors[0], 0);
        for (int i = 0; i < count; ++i)
            if (marks[static_cast<size_t>(i)])
                CHECK_EQ(flags[i], 1);
    }
};

// A function of the host that waits until it may go on.
struct held {
    std::atomic<bool> go{false};
};
void wait_to_go(void *data)
{
    while (!static_cast<held *>(data)->go)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void add_on_host(void *data)
{
    ++*static_cast<volatile int *>(data);
}

int device_count()
{
    int devices = 0;
    CHECK_HIP(hipGetDeviceCount(&devices));
    return devices;
}

} // namespace

TEST("kernel nodes run after those that they depend on, in random graphs")
{
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    for (unsigned seed = 1; seed <= 4; ++seed) {
        random_graph r(40, seed, 1);
        r.run_and_check(stream);
        r.run_and_check(stream);
    }
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("nodes of every kind run after those that they depend on, in random graphs")
{
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    for (unsigned seed = 1; seed <= 12; ++seed) {
        random_graph r(10 + 5 * static_cast<int>(seed), seed, 5);
        for (hipStream_t s : {stream, hipStream_t(nullptr), hipStreamPerThread})
            r.run_and_check(s);
    }
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a graph without nodes can be launched")
{
    graph g;
    g.instantiate();
    g.run();
    CHECK_EQ(hipGraphUpload(g.exec, nullptr), hipSuccess);
}

TEST("child graphs run between what their node depends on and what depends on it")
{
    // before 0, 1; in the child 2, 3 -> 4, 5; after 6, 7; an empty child; 8
    pinned flags(9), errors(1);
    graph child, empty, g;
    nodes roots = {add_visit(child.handle, {}, flags.data, {0, 1}, 2, errors.data),
                   add_visit(child.handle, {}, flags.data, {0, 1}, 3, errors.data)};
    add_visit(child.handle, roots, flags.data, {2, 3}, 4, errors.data);
    add_visit(child.handle, {roots[1]}, flags.data, {3}, 5, errors.data);
    nodes before = {add_visit(g.handle, {}, flags.data, {}, 0, errors.data),
                    add_set(g.handle, {}, &flags[1], 1)};
    hipGraphNode_t node = nullptr, nothing = nullptr;
    CHECK_HIP(hipGraphAddChildGraphNode(&node, g.handle, before.data(), 2, child.handle));
    nodes after = {add_visit(g.handle, {node}, flags.data, {4, 5}, 6, errors.data),
                   add_visit(g.handle, {node}, flags.data, {4, 5}, 7, errors.data)};
    CHECK_HIP(hipGraphAddChildGraphNode(&nothing, g.handle, after.data(), 2, empty.handle));
    add_visit(g.handle, {nothing}, flags.data, {6, 7}, 8, errors.data);
    g.instantiate();
    for (int round = 0; round < 3; ++round) {
        std::fill(flags.data, flags.data + 9, 0);
        g.run();
        CHECK_EQ(errors[0], 0);
        for (int i = 0; i < 9; ++i)
            CHECK_EQ(flags[i], 1);
    }
}

TEST("launches of one executable graph are done one after the other in all streams")
{
    const int rounds = 20;
    hipStream_t streams[2];
    for (hipStream_t &stream : streams)
        CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (bool mixed : {false, true}) {
        pinned sums(2);
        graph g;
        hipGraphNode_t first = add_add(g.handle, {}, &sums[0], 1);
        if (mixed)
            first = add_host(g.handle, {first}, add_on_host, &sums[1]);
        add_add(g.handle, {first}, &sums[0], 1);
        g.instantiate();
        for (int i = 0; i < rounds; ++i)
            CHECK_HIP(hipGraphLaunch(g.exec, streams[i % 2]));
        for (hipStream_t stream : streams)
            CHECK_HIP(hipStreamSynchronize(stream));
        CHECK_EQ(sums[0], 2 * rounds);
        CHECK_EQ(sums[1], mixed ? rounds : 0);
    }
    for (hipStream_t stream : streams)
        CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a graph comes after earlier work of its stream and before later work")
{
    hipStream_t streams[] = {nullptr, hipStreamPerThread, nullptr};
    CHECK_HIP(hipStreamCreateWithFlags(&streams[2], hipStreamNonBlocking));
    for (hipStream_t stream : streams) {
        pinned sum(1);
        graph g; // wide, and not of kernels alone
        hipGraphNode_t first = add_add(g.handle, {}, &sum[0], 1);
        nodes wide;
        for (int i = 0; i < 3; ++i)
            wide.push_back(add_host(
                g.handle, {first}, [](void *) {}, nullptr));
        add_add(g.handle, wide, &sum[0], 1);
        g.instantiate();
        for (int i = 0; i < 10; ++i) {
            slow_add<<<1, 1, 0, stream>>>(&sum[0], 1);
            CHECK_HIP(hipGraphLaunch(g.exec, stream));
        }
        slow_add<<<1, 1, 0, stream>>>(&sum[0], 1);
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK_EQ(sum[0], 31);
    }
    CHECK_HIP(hipStreamDestroy(streams[2]));
}

TEST("queued launches are done although the executable graph is destroyed")
{
    for (bool mixed : {false, true}) {
        held h;
        pinned value(2);
        hipStream_t stream;
        CHECK_HIP(hipStreamCreate(&stream));
        {
            graph g;
            hipGraphNode_t first = add_store(g.handle, {}, &value[0], 5);
            if (mixed)
                first = add_host(g.handle, {first}, add_on_host, &value[1]);
            add_add(g.handle, {first}, &value[0], 1);
            g.instantiate();
            CHECK_HIP(hipLaunchHostFunc(stream, wait_to_go, &h));
            CHECK_HIP(hipGraphLaunch(g.exec, stream));
        }
        CHECK_EQ(value[0], 0);
        h.go = true;
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK_EQ(value[0], 6);
        CHECK_EQ(value[1], mixed ? 1 : 0);
        CHECK_HIP(hipStreamDestroy(stream));
    }
}

TEST("new parameters of a node hold from the next launch on, not for queued ones")
{
    for (bool mixed : {false, true}) {
        held h;
        pinned values(3);
        graph g;
        hipStream_t stream;
        CHECK_HIP(hipStreamCreate(&stream));
        hipGraphNode_t node = add_store(g.handle, {}, &values[0], 1);
        if (mixed)
            add_host(g.handle, {node}, add_on_host, &values[2]);
        g.instantiate();
        CHECK_HIP(hipLaunchHostFunc(stream, wait_to_go, &h));
        CHECK_HIP(hipGraphLaunch(g.exec, stream));
        int *to = &values[1], value = 7;
        void *arguments[] = {&to, &value};
        hipKernelNodeParams params = kernel_params(arguments, store);
        CHECK_HIP(hipGraphExecKernelNodeSetParams(g.exec, node, &params));
        value = 8; // the parameters were copied
        CHECK_HIP(hipGraphLaunch(g.exec, stream));
        h.go = true;
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK_EQ(values[0], 1);
        CHECK_EQ(values[1], 7);
        CHECK_EQ(values[2], mixed ? 2 : 0);
        CHECK_HIP(hipStreamDestroy(stream));
    }
}

TEST("a node gets another kernel, and parameters of copies, fills and functions")
{
    pinned v(8);
    graph g;
    hipGraphNode_t kernel = add_store(g.handle, {}, &v[0], 1);
    hipGraphNode_t copy = add_copy(g.handle, {kernel}, &v[1], &v[0]);
    hipGraphNode_t set = add_set(g.handle, {copy}, &v[2], 3);
    hipGraphNode_t host = add_host(g.handle, {set}, add_on_host, &v[3]);
    g.instantiate();
    g.run();
    CHECK_EQ(v[0], 1);
    CHECK_EQ(v[1], 1);
    CHECK_EQ(v[2], 3);
    CHECK_EQ(v[3], 1);
    int *to = v.data, value = 9, index = 4;
    void *arguments[] = {&to, &value, &index};
    hipKernelNodeParams params = kernel_params(arguments, store_at);
    CHECK_HIP(hipGraphExecKernelNodeSetParams(g.exec, kernel, &params));
    CHECK_HIP(hipGraphExecMemcpyNodeSetParams1D(g.exec, copy, &v[5], &v[4], sizeof(int),
                                                hipMemcpyDefault));
    hipMemsetParams fill = {};
    fill.dst = &v[6];
    fill.elementSize = sizeof(int);
    fill.width = fill.height = 1;
    fill.value = 11;
    CHECK_HIP(hipGraphExecMemsetNodeSetParams(g.exec, set, &fill));
    hipHostNodeParams function = {add_on_host, &v[7]};
    CHECK_HIP(hipGraphExecHostNodeSetParams(g.exec, host, &function));
    g.run();
    CHECK_EQ(v[4], 9);
    CHECK_EQ(v[5], 9);
    CHECK_EQ(v[6], 11);
    CHECK_EQ(v[7], 1);
    CHECK_EQ(v[3], 1);
}

TEST("an executable graph takes the nodes of a graph of the same shape, and of no other")
{
    pinned v(4);
    graph g, same, other, kind;
    hipGraphNode_t first = add_store(g.handle, {}, &v[0], 1);
    add_copy(g.handle, {first}, &v[1], &v[0]);
    g.instantiate();
    first = add_store(same.handle, {}, &v[2], 5);
    add_copy(same.handle, {first}, &v[3], &v[2]);
    add_store(other.handle, {}, &v[2], 6);
    hipGraphNode_t loose = add_copy(other.handle, {}, &v[3], &v[2]);
    first = add_store(kind.handle, {}, &v[2], 6);
    hipGraphNode_t set = add_set(kind.handle, {first}, &v[3], 6);

    hipGraphNode_t blamed = nullptr;
    hipGraphExecUpdateResult result;
    CHECK_HIP(hipGraphExecUpdate(g.exec, same.handle, &blamed, &result));
    CHECK_EQ(result, hipGraphExecUpdateSuccess);
    CHECK(blamed == nullptr);
    CHECK_EQ(hipGraphExecUpdate(g.exec, other.handle, &blamed, &result),
             hipErrorGraphExecUpdateFailure);
    CHECK_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    CHECK(blamed == loose);
    CHECK_EQ(hipGraphExecUpdate(g.exec, kind.handle, &blamed, &result),
             hipErrorGraphExecUpdateFailure);
    CHECK_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
    CHECK(blamed == set);
    (void)hipGetLastError();
    g.run();
    CHECK_EQ(v[0], 0);
    CHECK_EQ(v[2], 5);
    CHECK_EQ(v[3], 5);
}

TEST("a child graph's nodes are replaced by those of a graph of the same shape")
{
    pinned v(4);
    graph child, same, longer, g;
    add_add(child.handle, {add_store(child.handle, {}, &v[0], 1)}, &v[0], 1);
    add_add(same.handle, {add_store(same.handle, {}, &v[1], 5)}, &v[1], 1);
    add_add(longer.handle,
            {add_add(longer.handle, {add_store(longer.handle, {}, &v[1], 5)}, &v[1], 1)}, &v[1], 1);
    nodes before = {add_store(g.handle, {}, &v[2], 1), add_store(g.handle, {}, &v[3], 1)};
    hipGraphNode_t node = nullptr;
    CHECK_HIP(hipGraphAddChildGraphNode(&node, g.handle, before.data(), 2, child.handle));
    g.instantiate();
    CHECK_EQ(hipGraphExecChildGraphNodeSetParams(g.exec, node, longer.handle),
             hipErrorGraphExecUpdateFailure);
    CHECK_EQ(hipGraphExecChildGraphNodeSetParams(g.exec, before[0], same.handle),
             hipErrorInvalidValue);
    (void)hipGetLastError();
    g.run();
    CHECK_EQ(v[0], 2);
    CHECK_HIP(hipGraphExecChildGraphNodeSetParams(g.exec, node, same.handle));
    v[0] = 0;
    g.run();
    CHECK_EQ(v[0], 0);
    CHECK_EQ(v[1], 6);
}

TEST("a node of a child graph is changed by its own handle")
{
    pinned v(2);
    graph child, g;
    add_store(child.handle, {}, &v[0], 1);
    hipGraphNode_t node = nullptr, inner = nullptr;
    hipGraph_t copy = nullptr;
    size_t count = 1;
    CHECK_HIP(hipGraphAddChildGraphNode(&node, g.handle, nullptr, 0, child.handle));
    CHECK_HIP(hipGraphChildGraphNodeGetGraph(node, &copy));
    CHECK_HIP(hipGraphGetNodes(copy, &inner, &count));
    g.instantiate();
    int *to = &v[1], value = 4;
    void *arguments[] = {&to, &value};
    hipKernelNodeParams params = kernel_params(arguments, store);
    CHECK_HIP(hipGraphExecKernelNodeSetParams(g.exec, inner, &params));
    g.run();
    CHECK_EQ(v[0], 0);
    CHECK_EQ(v[1], 4);
}

TEST("a disabled node does nothing until it is enabled again, and its order stays")
{
    for (bool mixed : {false, true}) {
        pinned v(4);
        graph g;
        hipGraphNode_t first = add_add(g.handle, {}, &v[0], 1);
        hipGraphNode_t kernel = add_add(g.handle, {first}, &v[0], 10);
        hipGraphNode_t set = mixed ? add_set(g.handle, {kernel}, &v[1], 1) : kernel;
        hipGraphNode_t copy = mixed ? add_copy(g.handle, {set}, &v[2], &v[0]) : kernel;
        if (mixed)
            copy = add_host(g.handle, {copy}, add_on_host, &v[3]);
        add_add(g.handle, {copy}, &v[0], 100);
        g.instantiate();
        unsigned enabled = 2;
        CHECK_HIP(hipGraphNodeGetEnabled(g.exec, kernel, &enabled));
        CHECK_EQ(enabled, 1u);
        CHECK_HIP(hipGraphNodeSetEnabled(g.exec, kernel, 0));
        if (mixed)
            CHECK_HIP(hipGraphNodeSetEnabled(g.exec, set, 0));
        CHECK_HIP(hipGraphNodeGetEnabled(g.exec, kernel, &enabled));
        CHECK_EQ(enabled, 0u);
        g.run();
        CHECK_EQ(v[0], 101);
        CHECK_EQ(v[1], 0);
        CHECK_EQ(v[2], mixed ? 1 : 0);
        CHECK_HIP(hipGraphNodeSetEnabled(g.exec, kernel, 1));
        if (mixed)
            CHECK_HIP(hipGraphNodeSetEnabled(g.exec, set, 1));
        g.run();
        CHECK_EQ(v[0], 212);
        CHECK_EQ(v[1], mixed ? 1 : 0);
    }
}

TEST("an executable graph outlives the graph that it was made of")
{
    pinned v(1);
    hipGraphExec_t exec = nullptr;
    {
        graph g;
        add_add(g.handle, {}, &v[0], 3);
        CHECK_HIP(
            hipGraphInstantiateWithFlags(&exec, g.handle, hipGraphInstantiateFlagUseNodePriority));
    }
    unsigned long long flags = 0;
    CHECK_HIP(hipGraphExecGetFlags(exec, &flags));
    CHECK_EQ(flags, static_cast<unsigned long long>(hipGraphInstantiateFlagUseNodePriority));
    CHECK_HIP(hipGraphUpload(exec, nullptr));
    CHECK_HIP(hipGraphLaunch(exec, nullptr));
    CHECK_HIP(hipStreamSynchronize(nullptr));
    CHECK_EQ(v[0], 3);
    CHECK_HIP(hipGraphExecDestroy(exec));
}

TEST("event nodes record and wait in every launch")
{
    pinned v(2);
    graph g;
    hipEvent_t start, stop;
    float milliseconds = -1;
    CHECK_HIP(hipEventCreate(&start));
    CHECK_HIP(hipEventCreate(&stop));
    hipGraphNode_t first = nullptr, last = nullptr;
    CHECK_HIP(hipGraphAddEventRecordNode(&first, g.handle, nullptr, 0, start));
    hipGraphNode_t kernel = add_add(g.handle, {first}, &v[0], 1);
    CHECK_HIP(hipGraphAddEventRecordNode(&last, g.handle, &kernel, 1, stop));
    g.instantiate();
    for (int i = 1; i <= 2; ++i) {
        CHECK_HIP(hipGraphLaunch(g.exec, nullptr));
        CHECK_HIP(hipEventSynchronize(stop));
        CHECK_EQ(v[0], i);
        CHECK_HIP(hipEventElapsedTime(&milliseconds, start, stop));
        CHECK(milliseconds >= 0);
    }
    CHECK_HIP(hipEventDestroy(start));
    CHECK_HIP(hipEventDestroy(stop));
}

TEST("a launch into a stream that is captured becomes part of the new graph")
{
    pinned v(2);
    graph inner, outer;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    add_host(inner.handle, {add_add(inner.handle, {}, &v[0], 1)}, add_on_host, &v[1]);
    inner.instantiate();
    CHECK_HIP(hipGraphDestroy(outer.handle));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    slow_add<<<1, 1, 0, stream>>>(&v[0], 10);
    CHECK_HIP(hipGraphLaunch(inner.exec, stream));
    slow_add<<<1, 1, 0, stream>>>(&v[0], 100);
    CHECK_HIP(hipStreamEndCapture(stream, &outer.handle));
    size_t count = 0;
    CHECK_HIP(hipGraphGetNodes(outer.handle, nullptr, &count));
    CHECK_EQ(count, 3u);
    outer.instantiate();
    CHECK_EQ(v[0], 0);
    outer.run(stream);
    CHECK_EQ(v[0], 111);
    CHECK_EQ(v[1], 1);
    CHECK_HIP(hipStreamDestroy(stream));
}

// Devices of different drivers have no memory in common, but functions of the host see all of it.
TEST("a graph of one device is launched in a stream of another, after and before its work")
{
    if (device_count() < 2)
        SKIP("there is one device");
    CHECK_HIP(hipSetDevice(0));
    pinned v(2);
    for (bool mixed : {false, true}) {
        v[0] = v[1] = 0;
        graph g;
        hipStream_t stream;
        CHECK_HIP(hipSetDevice(0));
        hipGraphNode_t first = add_add(g.handle, {}, &v[0], 1);
        if (mixed)
            first = add_host(g.handle, {first}, add_on_host, &v[1]);
        add_add(g.handle, {first}, &v[0], 1);
        g.instantiate();
        CHECK_HIP(hipSetDevice(1));
        CHECK_HIP(hipStreamCreate(&stream));
        for (int i = 0; i < 5; ++i) {
            CHECK_HIP(hipLaunchHostFunc(stream, add_on_host, &v[0]));
            CHECK_HIP(hipGraphLaunch(g.exec, stream));
            CHECK_HIP(hipLaunchHostFunc(stream, add_on_host, &v[0]));
        }
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK_EQ(v[0], 20);
        CHECK_EQ(v[1], mixed ? 5 : 0);
        CHECK_HIP(hipStreamDestroy(stream));
        CHECK_HIP(hipSetDevice(0));
    }
}

TEST("nodes of several devices run in one graph")
{
    if (device_count() < 2)
        SKIP("there is one device");
    graph g;
    nodes last;
    std::vector<std::unique_ptr<pinned>> sums;
    for (int i = 0; i < 2; ++i) {
        CHECK_HIP(hipSetDevice(i));
        sums.push_back(std::make_unique<pinned>(1));
    }
    struct hand_over {
        int *from, *to;
    } hands[] = {{sums[0]->data, sums[1]->data}, {sums[1]->data, sums[0]->data}};
    auto give = [](void *data) {
        auto *hand = static_cast<hand_over *>(data);
        *hand->to = *hand->from;
    };
    for (int i = 0; i < 6; ++i) { // one sum, which goes from one device's memory to the other's
        CHECK_HIP(hipSetDevice(i % 2));
        last = {add_add(g.handle, last, sums[static_cast<size_t>(i % 2)]->data, 1)};
        last = {add_host(g.handle, last, give, &hands[i % 2])};
    }
    CHECK_HIP(hipSetDevice(0));
    g.instantiate();
    for (int i = 0; i < 5; ++i)
        CHECK_HIP(hipGraphLaunch(g.exec, nullptr));
    CHECK_HIP(hipStreamSynchronize(nullptr));
    CHECK_EQ((*sums[0])[0], 30);
    CHECK_EQ((*sums[1])[0], 30);
}

HIP_TEST_MAIN
