// Memory that graphs allocate and free, as kernels use it: within a launch, behind it, in other
// graphs, from other devices, and captured.
#include "../support/hip_test.h"

#include <vector>

__global__ void fill(int *out, int value, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = value + i;
}
__global__ void add(int *out, const int *a, const int *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}

namespace
{

constexpr int count = 3000, threads = 256, blocks = (count + threads - 1) / threads;

struct stream {
    hipStream_t handle;
    stream() { CHECK_HIP(hipStreamCreate(&handle)); }
    ~stream() { (void)hipStreamDestroy(handle); }
    operator hipStream_t() const { return handle; }
};

struct pinned {
    int *data;
    pinned()
    {
        CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&data), count * sizeof(int)));
        std::fill(data, data + count, 0);
    }
    ~pinned() { (void)hipHostFree(data); }
    bool begins_with(int value, int step) const
    {
        for (int i = 0; i < count; ++i)
            if (data[i] != value + step * i)
                return false;
        return true;
    }
};

// Nodes one after the other.
struct line {
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    hipGraphNode_t last = nullptr;
    line() { CHECK_HIP(hipGraphCreate(&graph, 0)); }
    ~line()
    {
        if (exec)
            (void)hipGraphExecDestroy(exec);
        (void)hipGraphDestroy(graph);
    }
    template <class F> void append(F make)
    {
        hipGraphNode_t node;
        CHECK_HIP(make(&node, last ? &last : nullptr, last ? 1 : 0));
        last = node;
    }
    int *allocate(int device = 0, const hipMemAccessDesc *access = nullptr, size_t accesses = 0)
    {
        hipMemAllocNodeParams params = {};
        params.poolProps.allocType = hipMemAllocationTypePinned;
        params.poolProps.location = {hipMemLocationTypeDevice, device};
        params.accessDescs = access;
        params.accessDescCount = accesses;
        params.bytesize = count * sizeof(int);
        append([&](hipGraphNode_t *node, const hipGraphNode_t *before, size_t n) {
            return hipGraphAddMemAllocNode(node, graph, before, n, &params);
        });
        return static_cast<int *>(params.dptr);
    }
    void release(void *pointer)
    {
        append([&](hipGraphNode_t *node, const hipGraphNode_t *before, size_t n) {
            return hipGraphAddMemFreeNode(node, graph, before, n, pointer);
        });
    }
    void run_kernel(void *kernel, void **arguments)
    {
        hipKernelNodeParams params = {};
        params.func = kernel;
        params.gridDim = dim3(blocks);
        params.blockDim = dim3(threads);
        params.kernelParams = arguments;
        append([&](hipGraphNode_t *node, const hipGraphNode_t *before, size_t n) {
            return hipGraphAddKernelNode(node, graph, before, n, &params);
        });
    }
    void fill_with(int *out, int value)
    {
        int n = count;
        void *arguments[] = {&out, &value, &n};
        run_kernel(reinterpret_cast<void *>(fill), arguments);
    }
    void add_up(int *out, int *a, int *b)
    {
        int n = count;
        void *arguments[] = {&out, &a, &b, &n};
        run_kernel(reinterpret_cast<void *>(add), arguments);
    }
    void copy(int *out, const int *in)
    {
        append([&](hipGraphNode_t *node, const hipGraphNode_t *before, size_t n) {
            return hipGraphAddMemcpyNode1D(node, graph, before, n, out, in, count * sizeof(int),
                                           hipMemcpyDefault);
        });
    }
    void instantiate(unsigned long long flags = 0)
    {
        CHECK_HIP(hipGraphInstantiateWithFlags(&exec, graph, flags));
    }
    void launch(hipStream_t in) { CHECK_HIP(hipGraphLaunch(exec, in)); }
};

} // namespace

TEST("kernels of a graph use what it allocates, launch after launch")
{
    stream s;
    pinned back;
    line graph;
    int *a = graph.allocate(), *b = graph.allocate(), *sum = graph.allocate();
    CHECK(a != b && b != sum && a != sum);
    graph.fill_with(a, 5);
    graph.fill_with(b, 7);
    graph.add_up(sum, a, b);
    graph.copy(back.data, sum);
    graph.release(a);
    graph.release(b);
    graph.release(sum);
    graph.instantiate();
    for (int i = 0; i < 3; ++i) {
        std::fill(back.data, back.data + count, 0);
        graph.launch(s);
        CHECK_HIP(hipStreamSynchronize(s));
        CHECK(back.begins_with(12, 2));
    }
}

TEST("work behind a launch uses what it allocated, until that is freed")
{
    stream s;
    pinned back;
    line graph;
    int *memory = graph.allocate();
    graph.fill_with(memory, 3);
    graph.instantiate();
    for (int i = 0; i < 2; ++i) {
        graph.launch(s);
        add<<<blocks, threads, 0, s>>>(memory, memory, memory, count);
        CHECK_HIP(hipMemcpyAsync(back.data, memory, count * sizeof(int), hipMemcpyDeviceToHost, s));
        CHECK_HIP(hipFreeAsync(memory, s));
        CHECK_HIP(hipStreamSynchronize(s));
        CHECK(back.begins_with(6, 2));
    }
    graph.launch(s);
    CHECK_HIP(hipStreamSynchronize(s));
    CHECK_HIP(hipFree(memory));
}

TEST("one graph allocates, another uses, a third frees")
{
    stream s;
    pinned back;
    line first, second, third;
    int *memory = first.allocate();
    first.fill_with(memory, 20);
    second.copy(back.data, memory);
    third.release(memory);
    first.instantiate();
    second.instantiate();
    third.instantiate();
    for (int i = 0; i < 2; ++i) {
        std::fill(back.data, back.data + count, 0);
        first.launch(s);
        second.launch(s);
        third.launch(s);
        CHECK_HIP(hipStreamSynchronize(s));
        CHECK(back.begins_with(20, 1));
    }
    CHECK_EQ(hipGraphLaunch(third.exec, s), hipErrorInvalidValue); // nothing is allocated
}

TEST("a graph that frees at its launch may leave memory allocated")
{
    stream s;
    pinned back;
    line graph;
    int *memory = graph.allocate();
    graph.fill_with(memory, 1);
    graph.instantiate(hipGraphInstantiateFlagAutoFreeOnLaunch);
    for (int i = 0; i < 4; ++i)
        graph.launch(s);
    CHECK_HIP(hipMemcpyAsync(back.data, memory, count * sizeof(int), hipMemcpyDeviceToHost, s));
    CHECK_HIP(hipStreamSynchronize(s));
    CHECK(back.begins_with(1, 1));
    CHECK_HIP(hipFree(memory));
}

TEST("a captured allocation belongs to the graph")
{
    stream s;
    pinned back;
    line graph;
    int *memory = nullptr;
    CHECK_HIP(hipGraphDestroy(graph.graph));
    CHECK_HIP(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
    CHECK_HIP(hipMallocAsync(reinterpret_cast<void **>(&memory), count * sizeof(int), s));
    fill<<<blocks, threads, 0, s>>>(memory, 9, count);
    CHECK_HIP(hipMemcpyAsync(back.data, memory, count * sizeof(int), hipMemcpyDeviceToHost, s));
    CHECK_HIP(hipFreeAsync(memory, s));
    CHECK_HIP(hipStreamEndCapture(s, &graph.graph));
    graph.instantiate();
    graph.launch(s);
    graph.launch(s);
    CHECK_HIP(hipStreamSynchronize(s));
    CHECK(back.begins_with(9, 1));
}

TEST("memory is used after unused memory was given back")
{
    stream s;
    pinned back;
    line graph;
    uint64_t used = 1, reserved = 1;
    int is_virtual = 0; // otherwise the memory is there as long as the node
    CHECK_HIP(
        hipDeviceGetAttribute(&is_virtual, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
    int *memory = graph.allocate();
    graph.fill_with(memory, 2);
    graph.copy(back.data, memory);
    graph.release(memory);
    graph.instantiate();
    for (int i = 0; i < 2; ++i) {
        std::fill(back.data, back.data + count, 0);
        graph.launch(s);
        CHECK_HIP(hipStreamSynchronize(s));
        CHECK(back.begins_with(2, 1));
        CHECK_HIP(hipDeviceGraphMemTrim(0));
        CHECK_HIP(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &used));
        CHECK_HIP(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrReservedMemCurrent, &reserved));
        CHECK(used == 0 && (reserved == 0) == (is_virtual != 0));
    }
}

HIP_TEST_MAIN
