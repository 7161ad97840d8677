// The calls of bench.hip through NVIDIA's own runtime. Made where there is an nvcc:
//   nvcc -O2 -shared -Xcompiler -fPIC -cudart shared bench_cudart.cu -o libbench_cudart.so
// Streams and events are the driver's, which both sides share.
#include "bench.h"

#include <cuda_runtime.h>

#include <vector>

__global__ void empty(unsigned long long *) {}

static int launch(void *stream, void **arguments)
{
    return cudaLaunchKernel((const void *)empty, dim3(1), dim3(32), arguments, 0,
                            (cudaStream_t)stream);
}

static void launch_chevron(void *stream)
{
    empty<<<1, 32, 0, (cudaStream_t)stream>>>(nullptr);
}

static int copy(void *dst, const void *src, size_t size, void *stream)
{
    return cudaMemcpyAsync(dst, src, size, cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
}

static int record(void *event, void *stream)
{
    return cudaEventRecord((cudaEvent_t)event, (cudaStream_t)stream);
}

static int query(void *stream) { return cudaStreamQuery((cudaStream_t)stream); }

static int alloc_free(size_t size)
{
    void *pointer;
    int error = cudaMalloc(&pointer, size);
    return error ? error : cudaFree(pointer);
}

static int get_device(int *device) { return cudaGetDevice(device); }

static int get_last_error(void) { return cudaGetLastError(); }

// A line of nodes, or one, then all others but the last beside each other, then the last.
static cudaGraphNode_t add_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &nodes,
                                unsigned count, bool wide)
{
    unsigned long long *argument = nullptr;
    void *arguments[] = {&argument};
    cudaKernelNodeParams params = {};
    std::vector<cudaGraphNode_t> before;
    cudaGraphNode_t node;
    const size_t i = nodes.size();
    if (wide && i == count - 1)
        before.assign(nodes.begin() + 1, nodes.end());
    else if (i > 0)
        before.push_back(wide ? nodes[0] : nodes[i - 1]);
    params.func = (void *)empty;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = arguments;
    cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &params);
    return node;
}

static void *graph_make(unsigned count, int wide)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;
    std::vector<cudaGraphNode_t> nodes;
    if (cudaGraphCreate(&graph, 0) != cudaSuccess)
        return nullptr;
    for (unsigned i = 0; i < count; i++)
        nodes.push_back(add_node(graph, nodes, count, wide != 0));
    cudaGraphInstantiateWithFlags(&exec, graph, 0);
    return exec;
}

static int graph_launch(void *exec, void *stream)
{
    return cudaGraphLaunch((cudaGraphExec_t)exec, (cudaStream_t)stream);
}

extern "C" const bench_cudart *bench_cudart_functions()
{
    static const bench_cudart functions = {launch, launch_chevron, copy,       record,
                                           query,  alloc_free,     get_device, get_last_error,
                                           graph_make, graph_launch};
    return &functions;
}
