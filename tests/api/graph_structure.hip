// Graphs as they are built, launched to see that their nodes do what they should, in an order that
// their dependencies allow: edges, clones, child graphs, and nodes of the types that need no
// kernel.
#include "../support/hip_test.h"

#include <fstream>
#include <iterator>
#include <unistd.h>

// What every launch of a graph below works on: node i is done when done[i] is not 0.
__global__ void do_node(int *done, int *wrong, int node, const int *before, int count)
{
    for (int i = 0; i < count; ++i)
        if (!done[before[i]])
            atomicAdd(wrong, 1);
    done[node]++;
}
__global__ void put(int *p, int value)
{
    *p = value;
}
__global__ void append(int *log, int *count, int value)
{
    log[(*count)++] = value;
}
template <typename T> __global__ void put_any(T *p, T value)
{
    *p = value;
}

template <typename... T>
static hipGraphNode_t add_kernel(hipGraph_t graph, const std::vector<hipGraphNode_t> &after,
                                 void (*kernel)(T...),
                                 typename std::common_type<T>::type... arguments)
{
    void *pointers[] = {&arguments...};
    hipKernelNodeParams params{};
    params.func = reinterpret_cast<void *>(kernel);
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = pointers;
    hipGraphNode_t node;
    CHECK_HIP(hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

static hipGraph_t new_graph()
{
    hipGraph_t graph;
    CHECK_HIP(hipGraphCreate(&graph, 0));
    return graph;
}

// Launches the graph so often, and waits for it.
static void run(hipGraph_t graph, int launches = 1)
{
    hipGraphExec_t exec;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int i = 0; i < launches; ++i)
        CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipStreamDestroy(stream));
}

static void count_call(void *count)
{
    ++*static_cast<int *>(count);
}

static hipGraphNode_t add_host(hipGraph_t graph, const std::vector<hipGraphNode_t> &after,
                               int *count)
{
    hipHostNodeParams params = {count_call, count};
    hipGraphNode_t node;
    CHECK_HIP(hipGraphAddHostNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

TEST("each node of a graph is done once, after all that it depends on")
{
    const int n = 40;
    std::mt19937 random(7);
    std::vector<int> places(1, 0), starts;
    ah_test::buffer<int> done{std::vector<int>(n)}, wrong({0});
    // Edges lead from lower to higher numbers; node numbers are not the order of addition.
    std::vector<std::vector<int>> before(n);
    for (int i = 1; i < n; ++i)
        for (int k = 0; k < i; ++k)
            if (random() % 8 == 0)
                before[i].push_back(k);
    for (auto &list : before) {
        starts.push_back(static_cast<int>(places.size()));
        places.insert(places.end(), list.begin(), list.end());
    }
    ah_test::buffer<int> lists(places);
    hipGraph_t graph = new_graph();
    std::vector<hipGraphNode_t> nodes(n);
    for (int k = 0; k < n; ++k) {
        int i = (k * 13 + 5) % n;
        nodes[i] = add_kernel(graph, {}, do_node, done.device(), wrong.device(), i,
                              lists.device() + starts[i], static_cast<int>(before[i].size()));
    }
    for (int i = 0; i < n; ++i)
        for (int k : before[i])
            CHECK_HIP(hipGraphAddDependencies(graph, &nodes[k], &nodes[i], 1));
    run(graph);
    CHECK_EQ(wrong.read()[0], 0);
    done.read();
    for (int i = 0; i < n; ++i)
        CHECK_EQ(done.host()[i], 1);
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("what is destroyed or cut off in a graph is neither done nor waited for")
{
    ah_test::buffer<int> log{std::vector<int>(4)}, count({0});
    hipGraph_t graph = new_graph();
    auto first = add_kernel(graph, {}, append, log.device(), count.device(), 1);
    auto second = add_kernel(graph, {first}, append, log.device(), count.device(), 2);
    auto third = add_kernel(graph, {second}, append, log.device(), count.device(), 3);
    CHECK_HIP(hipGraphDestroyNode(second));
    CHECK_HIP(hipGraphAddDependencies(graph, &third, &first, 1));
    run(graph);
    CHECK_EQ(count.read()[0], 2);
    CHECK_EQ(log.read()[0], 3);
    CHECK_EQ(log.host()[1], 1);
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("a graph with a cycle cannot be instantiated until the cycle is open")
{
    ah_test::buffer<int> log{std::vector<int>(4)}, count({0});
    hipGraph_t graph = new_graph();
    hipGraphExec_t exec = nullptr;
    auto first = add_kernel(graph, {}, append, log.device(), count.device(), 1);
    auto second = add_kernel(graph, {first}, append, log.device(), count.device(), 2);
    CHECK_HIP(hipGraphAddDependencies(graph, &second, &first, 1));
    CHECK_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
    CHECK_HIP(hipGraphRemoveDependencies(graph, &first, &second, 1));
    run(graph);
    CHECK_EQ(log.read()[0], 2);
    CHECK_EQ(log.host()[1], 1);
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("a clone does what its original did when it was cloned")
{
    ah_test::buffer<int> values{std::vector<int>(3)};
    hipGraph_t graph = new_graph(), clone;
    auto node = add_kernel(graph, {}, put, values.device(), 5);
    CHECK_HIP(hipGraphClone(&clone, graph));
    add_kernel(graph, {node}, put, values.device() + 1, 6);
    hipGraphNode_t copy;
    CHECK_HIP(hipGraphNodeFindInClone(&copy, node, clone));
    add_kernel(clone, {copy}, put, values.device() + 2, 7);
    CHECK_HIP(hipGraphDestroy(graph));
    run(clone);
    CHECK_EQ(values.read()[0], 5);
    CHECK_EQ(values.host()[1], 0);
    CHECK_EQ(values.host()[2], 7);
    CHECK_HIP(hipGraphDestroy(clone));
}

TEST("a child graph comes as a whole between the nodes before and after it")
{
    const int n = 8;
    ah_test::buffer<int> log{std::vector<int>(n)}, count({0});
    auto add = [&](hipGraph_t graph, std::vector<hipGraphNode_t> after, int value) {
        return add_kernel(graph, after, append, log.device(), count.device(), value);
    };
    hipGraph_t inner = new_graph(), outer = new_graph(), graph = new_graph();
    hipGraphNode_t child;
    add(inner, {add(inner, {}, 3)}, 4);
    auto before = add(outer, {}, 2);
    CHECK_HIP(hipGraphAddChildGraphNode(&child, outer, &before, 1, inner));
    add(outer, {child}, 5);
    auto first = add(graph, {}, 1);
    CHECK_HIP(hipGraphAddChildGraphNode(&child, graph, &first, 1, outer));
    add(graph, {child}, 6);
    CHECK_HIP(hipGraphDestroy(inner));
    CHECK_HIP(hipGraphDestroy(outer));
    run(graph);
    CHECK_EQ(count.read()[0], 6);
    log.read();
    for (int i = 0; i < 6; ++i)
        CHECK_EQ(log.host()[i], i + 1);
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("a graph that is its own child does its work twice")
{
    ah_test::buffer<int> log{std::vector<int>(4)}, count({0});
    hipGraph_t graph = new_graph();
    auto node = add_kernel(graph, {}, append, log.device(), count.device(), 1);
    hipGraphNode_t child;
    CHECK_HIP(hipGraphAddChildGraphNode(&child, graph, &node, 1, graph));
    run(graph);
    CHECK_EQ(count.read()[0], 2);
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("empty nodes and empty graphs only order what is before and after them")
{
    ah_test::buffer<int> log{std::vector<int>(4)}, count({0});
    hipGraph_t graph = new_graph(), nothing = new_graph();
    hipGraphNode_t empty, child;
    run(nothing);
    auto first = add_kernel(graph, {}, append, log.device(), count.device(), 1);
    CHECK_HIP(hipGraphAddEmptyNode(&empty, graph, &first, 1));
    CHECK_HIP(hipGraphAddChildGraphNode(&child, graph, &empty, 1, nothing));
    add_kernel(graph, {child}, append, log.device(), count.device(), 2);
    run(graph);
    CHECK_EQ(count.read()[0], 2);
    CHECK_EQ(log.read()[0], 1);
    CHECK_EQ(log.host()[1], 2);
    CHECK_HIP(hipGraphDestroy(nothing));
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("a host node calls its function in each launch, in order with work of the device")
{
    struct seen {
        volatile int *value;
        int sum;
    } seen{nullptr, 0};
    int *value;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&value), sizeof *value, 0));
    seen.value = value;
    hipGraph_t graph = new_graph();
    auto first = add_kernel(graph, {}, put, value, 3);
    hipHostNodeParams params = {[](void *data) {
                                    auto *what = static_cast<struct seen *>(data);
                                    what->sum += *what->value;
                                },
                                &seen};
    hipGraphNode_t node;
    CHECK_HIP(hipGraphAddHostNode(&node, graph, &first, 1, &params));
    add_kernel(graph, {node}, put, value, 100);
    run(graph, 4);
    CHECK_EQ(seen.sum, 12);
    CHECK_EQ(*value, 100);
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipHostFree(value));
}

template <typename T> static void fill_rows()
{
    const size_t width = 5, height = 3, pitch = 8 * sizeof(T);
    ah_test::buffer<T> memory{std::vector<T>(8 * height, T(1))};
    hipGraph_t graph = new_graph();
    hipMemsetParams params{};
    params.dst = memory.device();
    params.elementSize = sizeof(T);
    params.width = width;
    params.height = height;
    params.pitch = pitch;
    params.value = T(0x12345678);
    hipGraphNode_t node;
    CHECK_HIP(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &params));
    run(graph);
    memory.read();
    for (size_t i = 0; i < 8 * height; ++i)
        CHECK_EQ(memory.host()[i], i % 8 < width ? T(0x12345678) : T(1));
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("a memset node fills rows of elements of each size")
{
    fill_rows<unsigned char>();
    fill_rows<unsigned short>();
    fill_rows<unsigned>();
}

TEST("event nodes order graphs of several streams, and measure what is between them")
{
    ah_test::buffer<int> values{std::vector<int>(2)};
    hipEvent_t event, start, stop;
    hipStream_t producer, consumer;
    hipGraphExec_t first, second;
    hipGraphNode_t node;
    float milliseconds = -1;
    for (hipEvent_t *e : {&event, &start, &stop})
        CHECK_HIP(hipEventCreate(e));
    CHECK_HIP(hipStreamCreate(&producer));
    CHECK_HIP(hipStreamCreate(&consumer));
    hipGraph_t produces = new_graph(), consumes = new_graph();
    CHECK_HIP(hipGraphAddEventRecordNode(&node, produces, nullptr, 0, start));
    node = add_kernel(produces, {node}, put, values.device(), 8);
    hipGraphNode_t recorded;
    CHECK_HIP(hipGraphAddEventRecordNode(&recorded, produces, &node, 1, stop));
    CHECK_HIP(hipGraphAddEventRecordNode(&recorded, produces, &node, 1, event));
    CHECK_HIP(hipGraphAddEventWaitNode(&node, consumes, nullptr, 0, event));
    hipMemcpy3DParms copy{};
    hipGraphNode_t copied;
    CHECK_HIP(hipGraphAddMemcpyNode1D(&copied, consumes, &node, 1, values.device() + 1,
                                      values.device(), sizeof(int), hipMemcpyDeviceToDevice));
    CHECK_HIP(hipGraphInstantiate(&first, produces, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphInstantiate(&second, consumes, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphLaunch(first, producer));
    CHECK_HIP(hipGraphLaunch(second, consumer));
    CHECK_HIP(hipStreamSynchronize(consumer));
    CHECK_EQ(values.read()[1], 8);
    CHECK_HIP(hipEventSynchronize(stop));
    CHECK_HIP(hipEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds >= 0);
    CHECK_HIP(hipGraphExecDestroy(first));
    CHECK_HIP(hipGraphExecDestroy(second));
    CHECK_HIP(hipGraphDestroy(produces));
    CHECK_HIP(hipGraphDestroy(consumes));
    for (hipEvent_t e : {event, start, stop})
        CHECK_HIP(hipEventDestroy(e));
    CHECK_HIP(hipStreamDestroy(producer));
    CHECK_HIP(hipStreamDestroy(consumer));
}

TEST("a graph still records and waits for events that were destroyed")
{
    ah_test::buffer<int> value({0});
    hipEvent_t event;
    hipGraphExec_t exec;
    hipGraphNode_t node;
    CHECK_HIP(hipEventCreate(&event));
    hipGraph_t graph = new_graph();
    CHECK_HIP(hipGraphAddEventRecordNode(&node, graph, nullptr, 0, event));
    CHECK_HIP(hipGraphAddEventWaitNode(&node, graph, &node, 1, event));
    add_kernel(graph, {node}, put, value.device(), 4);
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipGraphLaunch(exec, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(value.read()[0], 4);
    CHECK_HIP(hipGraphExecDestroy(exec));
}

TEST("nodes fill memory and record events of other devices than the current one")
{
    int devices, value = 5;
    CHECK_HIP(hipGetDeviceCount(&devices));
    if (devices < 2)
        SKIP("there is one device");
    int *memory[2], got;
    hipEvent_t event[2];
    for (int i = 0; i < 2; ++i) {
        CHECK_HIP(hipSetDevice(i));
        CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&memory[i]), sizeof(int)));
        CHECK_HIP(hipEventCreate(&event[i]));
    }
    for (int here = 0; here < 2; ++here) {
        const int there = 1 - here;
        hipGraphNode_t node;
        hipMemsetParams fill{};
        CHECK_HIP(hipSetDevice(here));
        hipGraph_t graph = new_graph();
        fill.dst = memory[there];
        fill.elementSize = sizeof(int);
        fill.width = fill.height = 1;
        fill.value = 70u + here;
        CHECK_HIP(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
        CHECK_HIP(hipGraphAddEventRecordNode(&node, graph, &node, 1, event[there]));
        CHECK_HIP(hipGraphAddEventWaitNode(&node, graph, &node, 1, event[there]));
        CHECK_HIP(hipGraphAddEventRecordNode(&node, graph, &node, 1, event[here]));
        add_kernel(graph, {node}, put, memory[here], value);
        run(graph, 2);
        CHECK_HIP(hipMemcpy(&got, memory[there], sizeof got, hipMemcpyDeviceToHost));
        CHECK_EQ(got, 70 + here);
        CHECK_HIP(hipMemcpy(&got, memory[here], sizeof got, hipMemcpyDeviceToHost));
        CHECK_EQ(got, value);
        CHECK_HIP(hipEventQuery(event[here]));
        CHECK_HIP(hipEventQuery(event[there]));
        CHECK_HIP(hipGraphDestroy(graph));
    }
    for (int i = 0; i < 2; ++i) {
        CHECK_HIP(hipFree(memory[i]));
        CHECK_HIP(hipEventDestroy(event[i]));
    }
    CHECK_HIP(hipSetDevice(0));
}

TEST("nodes of any type are added and changed by one function")
{
    ah_test::buffer<int> values({1, 2});
    int results[2] = {}, value = 7, other = 9;
    int *first = values.device(), *second = values.device() + 1;
    hipGraph_t graph = new_graph();
    hipGraphNode_t kernel, copy;
    void *arguments[] = {&first, &value}, *changed[] = {&second, &other};
    hipGraphNodeParams params{};
    params.type = hipGraphNodeTypeKernel;
    params.kernel.func = reinterpret_cast<void *>(put);
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = arguments;
    CHECK_HIP(hipGraphAddNode(&kernel, graph, nullptr, 0, &params));
    hipGraphNodeParams copying{};
    copying.type = hipGraphNodeTypeMemcpy;
    copying.memcpy.copyParams.srcPtr = make_hipPitchedPtr(first, sizeof results, 2, 1);
    copying.memcpy.copyParams.dstPtr = make_hipPitchedPtr(results, sizeof results, 2, 1);
    copying.memcpy.copyParams.extent = make_hipExtent(sizeof results, 1, 1);
    copying.memcpy.copyParams.kind = hipMemcpyDeviceToHost;
    CHECK_HIP(hipGraphAddNode(&copy, graph, &kernel, 1, &copying));
    run(graph);
    CHECK_EQ(results[0], 7);
    CHECK_EQ(results[1], 2);
    params.kernel.kernelParams = changed;
    CHECK_HIP(hipGraphNodeSetParams(kernel, &params));
    run(graph);
    CHECK_EQ(results[1], 9);
    CHECK_EQ(hipGraphNodeSetParams(copy, &params), hipErrorInvalidValue);
    CHECK_HIP(hipGraphDestroy(graph));
}

TEST("user objects last as long as the graph and its executable graphs")
{
    int calls = 0;
    hipUserObject_t object;
    hipGraphExec_t exec;
    hipGraph_t graph = new_graph();
    add_host(graph, {}, &calls);
    CHECK_HIP(hipUserObjectCreate(&object, &calls, count_call, 1, hipUserObjectNoDestructorSync));
    CHECK_HIP(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipGraphLaunch(exec, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(calls, 1);
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(calls, 2);
}

TEST("a picture names kernels, and copies by their ends")
{
    char path[] = "/tmp/graph-XXXXXX";
    float value = 0;
    ah_test::buffer<float> memory({0});
    hipGraph_t graph = new_graph();
    hipGraphNode_t node = add_kernel(graph, {}, put_any<float>, memory.device(), 1.0f);
    CHECK_HIP(hipGraphAddMemcpyNode1D(&node, graph, &node, 1, &value, memory.device(), sizeof value,
                                      hipMemcpyDeviceToHost));
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    CHECK_HIP(hipGraphDebugDotPrint(graph, path, hipGraphDebugDotFlagsKernelNodeParams));
    std::ifstream in(path);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    unlink(path);
    CHECK(text.find("put_any\\<float\\>") != std::string::npos);
    CHECK(text.find("{grid|1 x 1 x 1}") != std::string::npos);
    CHECK(text.find("{kind|DtoH}") != std::string::npos);
    CHECK_HIP(hipGraphDestroy(graph));
}

HIP_TEST_MAIN
