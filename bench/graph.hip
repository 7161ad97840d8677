// What a launch of an executable graph costs. Its nodes are the same kernel with one argument, in a
// line or beside each other between a first and a last one.
//
// On NVIDIA's driver: against the same graph through the raw driver and through NVIDIA's own
// runtime, in one process and interleaved; a figure is the median over many rounds of the time that
// a launch takes the host, a ratio the median of the rounds' ratios. The rounds take the ways in
// every order, as in bench.hip. "raw again" is the raw driver's ratio to itself, with two
// executable graphs: their distance from 1 is what another place in memory does. On other devices:
// processor time of the calling thread per node, against launching the same kernels one by one.
// Both tell what instantiation costs, and what memory it takes from malloc.
//
//   bench_graph [rounds]
//
// The comparison with cudart needs libbench_cudart.so beside this program, as bench.hip does.
#include "bench.h"
#include "raw_graph.h"
#include "../examples/check.h"

#include <hip/anyhip.h>
#include <hip/hip_runtime.h>

#include <dlfcn.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

__global__ void empty(unsigned long long *) {}

namespace
{

double nanoseconds(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

double median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

struct Graph {
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    double instantiation = 0; // nanoseconds
    double memory = 0;        // bytes

    Graph(GraphShape shape, unsigned count, void **arguments)
    {
        hipKernelNodeParams params = {};
        params.func = reinterpret_cast<void *>(empty);
        params.gridDim = dim3(1);
        params.blockDim = dim3(32);
        params.kernelParams = arguments;
        std::vector<hipGraphNode_t> nodes(count);
        HIP_CHECK(hipGraphCreate(&graph, 0));
        for (unsigned i = 0; i < count; i++) {
            std::vector<hipGraphNode_t> before;
            for (unsigned k : graph_dependencies(shape, i, count))
                before.push_back(nodes[k]);
            HIP_CHECK(
                hipGraphAddKernelNode(&nodes[i], graph, before.data(), before.size(), &params));
        }
        const double used = static_cast<double>(mallinfo2().uordblks);
        const double start = nanoseconds(CLOCK_MONOTONIC);
        HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
        instantiation = nanoseconds(CLOCK_MONOTONIC) - start;
        memory = static_cast<double>(mallinfo2().uordblks) - used;
    }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    ~Graph()
    {
        HIP_CHECK(hipGraphExecDestroy(exec));
        HIP_CHECK(hipGraphDestroy(graph));
    }
};

const char *name_of(GraphShape shape)
{
    return shape == GraphShape::line ? "line" : "wide";
}

const bench_cudart *open_cudart(const char *program)
{
    std::string path(program);
    path = path.substr(0, path.rfind('/') + 1) + "libbench_cudart.so";
    void *library = dlopen(path.c_str(), RTLD_NOW);
    auto get =
        library
            ? reinterpret_cast<const bench_cudart *(*)()>(dlsym(library, "bench_cudart_functions"))
            : nullptr;
    if (!get)
        printf("(no comparison with cudart: %s)\n", dlerror());
    return get ? get() : nullptr;
}

// ---- against NVIDIA's driver

struct Ways {
    hipGraphExec_t exec;
    hipStream_t stream;
    const RawGraphs &raw;
    void *raw_exec, *other_raw_exec, *native_stream;
    const bench_cudart *cudart;
    void *cudart_exec;

    void launch(int way) const
    {
        if (way == 0)
            (void)hipGraphLaunch(exec, stream);
        else if (way == 1)
            raw.cuGraphLaunch(raw_exec, native_stream);
        else if (way == 2)
            raw.cuGraphLaunch(other_raw_exec, native_stream);
        else
            cudart->graph_launch(cudart_exec, native_stream);
    }
};

void compare(GraphShape shape, unsigned count, int rounds, const RawGraphs &raw,
             const bench_cudart *cudart)
{
    hipStream_t stream;
    hipFunction_t function;
    void *native_stream;
    uint64_t native_function;
    unsigned long long *argument = nullptr;
    void *arguments[] = {&argument};
    HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    HIP_CHECK(hipGetFuncBySymbol(&function, reinterpret_cast<const void *>(empty)));
    HIP_CHECK(anyhipStreamGetNative(stream, &native_stream));
    HIP_CHECK(anyhipFunctionGetNative(function, &native_function));
    {
        // One raw graph is made before HIP's and one after: the driver launches what was made later
        // a little faster or slower.
        RawGraph raw_graph(raw, reinterpret_cast<void *>(native_function), arguments);
        if (!raw_graph.build(shape, count))
            exit(EXIT_FAILURE);
        const double start = nanoseconds(CLOCK_MONOTONIC);
        if (!raw_graph.instantiate())
            exit(EXIT_FAILURE);
        const double raw_instantiation = nanoseconds(CLOCK_MONOTONIC) - start;
        Graph graph(shape, count, arguments);
        RawGraph other_raw(raw, reinterpret_cast<void *>(native_function), arguments);
        if (!other_raw.build(shape, count) || !other_raw.instantiate())
            exit(EXIT_FAILURE);
        const Ways ways = {graph.exec,
                           stream,
                           raw,
                           raw_graph.exec(),
                           other_raw.exec(),
                           native_stream,
                           cudart,
                           cudart ? cudart->graph_make(count, shape == GraphShape::wide) : nullptr};
        const int batch = count >= 1000 ? 2 : 10;
        std::vector<double> samples[4];
        std::vector<int> order = {0, 1, 2};
        if (cudart)
            order.push_back(3);
        for (int round = -24; round < rounds; round++) { // the first rounds warm up
            std::next_permutation(order.begin(), order.end());
            for (int way : order) {
                const double begin = nanoseconds(CLOCK_MONOTONIC);
                for (int i = 0; i < batch; i++)
                    ways.launch(way);
                const double each = (nanoseconds(CLOCK_MONOTONIC) - begin) / batch;
                HIP_CHECK(hipStreamSynchronize(stream));
                if (round >= 0)
                    samples[way].push_back(each);
            }
        }
        const auto ratio = [&](int way, const std::vector<double> &other) {
            std::vector<double> of_rounds;
            for (size_t i = 0; i < other.size(); i++)
                of_rounds.push_back(samples[way][i] / other[i]);
            return median(of_rounds);
        };
        std::vector<double> both_raw;
        for (size_t i = 0; i < samples[1].size(); i++)
            both_raw.push_back((samples[1][i] + samples[2][i]) / 2);
        printf("%-5s %5u %10.0f %12.0f %10.0f %9.3f %10.3f %10.3f %14.0f %12.0f %12.0f\n",
               name_of(shape), count, median(samples[0]), median(both_raw), median(samples[3]),
               ratio(0, both_raw), ratio(0, samples[3]), ratio(2, samples[1]),
               graph.instantiation / count, raw_instantiation / count, graph.memory / count);
    }
    HIP_CHECK(hipStreamDestroy(stream));
}

// ---- against launches one by one

void replay(GraphShape shape, unsigned count, int rounds)
{
    hipStream_t stream;
    unsigned long long *argument = nullptr;
    void *arguments[] = {&argument};
    HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    {
        Graph graph(shape, count, arguments);
        const unsigned batch = count >= 100 ? 1 : 20; // small ones are shorter than the clock
        std::vector<double> launches, graphs;
        for (int round = -2; round < rounds; round++) {
            double start = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
            for (unsigned i = 0; i < count * batch; i++)
                (void)hipLaunchKernel(reinterpret_cast<const void *>(empty), dim3(1), dim3(32),
                                      arguments, 0, stream);
            const double by_one = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start;
            HIP_CHECK(hipStreamSynchronize(stream));
            start = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
            for (unsigned i = 0; i < batch; i++)
                (void)hipGraphLaunch(graph.exec, stream);
            const double at_once = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start;
            HIP_CHECK(hipStreamSynchronize(stream));
            if (round >= 0) {
                launches.push_back(by_one / (count * batch));
                graphs.push_back(at_once / (count * batch));
            }
        }
        printf("%-5s %5u %14.1f %14.1f %8.3f %14.0f %12.0f\n", name_of(shape), count,
               median(graphs), median(launches), median(graphs) / median(launches),
               graph.instantiation / count, graph.memory / count);
    }
    HIP_CHECK(hipStreamDestroy(stream));
}

} // namespace

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    anyhipBackend backend = anyhipBackendNone;
    print_device();
    HIP_CHECK(anyhipDeviceGetBackend(0, &backend, nullptr));
    if (backend == anyhipBackendCuda) {
        RawGraphs raw;
        if (!raw.open()) {
            printf("there is no libcuda.so.1 to compare with\n");
            return 77;
        }
        const bench_cudart *cudart = open_cudart(argv[0]);
        printf("%-5s %5s %10s %12s %10s %9s %10s %10s %14s %12s %12s\n", "shape", "nodes",
               "HIP, ns", "raw, ns", "cudart, ns", "HIP/raw", "HIP/cudart", "raw again",
               "inst. ns/node", "raw inst.", "bytes/node");
        for (GraphShape shape : {GraphShape::line, GraphShape::wide})
            for (unsigned count : {10u, 100u, 1000u})
                compare(shape, count, rounds ? rounds : 480, raw, cudart);
    } else {
        printf("%-5s %5s %14s %14s %8s %14s %12s\n", "shape", "nodes", "replay ns/node",
               "launch ns/node", "ratio", "inst. ns/node", "bytes/node");
        for (GraphShape shape : {GraphShape::line, GraphShape::wide})
            for (unsigned count : {10u, 100u, 1000u})
                replay(shape, count, rounds ? rounds : 60);
    }
    return 0;
}
