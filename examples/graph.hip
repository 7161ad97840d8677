// A graph: the work of two streams is captured once and launched many times. A rod is heated at one
// end, and the graph computes how heat spreads in some steps, and how much the last step changed.
#include "check.h"

#include <hip/hip_runtime.h>

#include <chrono>
#include <vector>

static const int count = 1 << 10, steps = 20, launches = 50; // steps: an even number

__global__ void spread(const float *from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = i == 0 || i == n - 1 ? from[i] : 0.25f * (from[i - 1] + 2 * from[i] + from[i + 1]);
}

__global__ void compare(const float *a, const float *b, float *change, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(change, a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]);
}

struct rod {
    float *a, *b, *change; // of the device
    float *result;         // of the host
};

// What one launch does. The change is set to 0 in a second stream, since the steps do not need it;
// an event forks it from the first stream, and another joins it again.
static void enqueue(const rod &rod, hipStream_t stream, hipStream_t other, hipEvent_t event)
{
    const dim3 grid((count + 255) / 256), block(256);
    HIP_CHECK(hipEventRecord(event, stream));
    HIP_CHECK(hipStreamWaitEvent(other, event, 0));
    HIP_CHECK(hipMemsetAsync(rod.change, 0, sizeof(float), other));
    HIP_CHECK(hipEventRecord(event, other));
    for (int i = 0; i < steps; i++)
        spread<<<grid, block, 0, stream>>>(i % 2 ? rod.b : rod.a, i % 2 ? rod.a : rod.b, count);
    HIP_CHECK(hipStreamWaitEvent(stream, event, 0));
    compare<<<grid, block, 0, stream>>>(rod.a, rod.b, rod.change, count);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpyAsync(rod.result, rod.change, sizeof(float), hipMemcpyDeviceToHost, stream));
}

static std::vector<float> heat(const rod &rod)
{
    std::vector<float> values(count);
    values[0] = 1000;
    HIP_CHECK(hipMemcpy(rod.a, values.data(), count * sizeof(float), hipMemcpyHostToDevice));
    return values;
}

// Heats the rod anew, calls launch as often as it says above, and returns the temperatures.
template <typename F>
static std::vector<float> run(const char *name, const rod &rod, hipStream_t stream, F launch)
{
    std::vector<float> values = heat(rod);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++)
        launch();
    HIP_CHECK(hipStreamSynchronize(stream));
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    HIP_CHECK(hipMemcpy(values.data(), rod.a, count * sizeof(float), hipMemcpyDeviceToHost));
    printf("  %s %7.2f us for each of %d kernels, the last change is %g\n", name,
           took.count() / (launches * (steps + 1)), launches * (steps + 1), *rod.result);
    return values;
}

int main(int argc, char **argv)
{
    rod rod;
    hipStream_t stream, other;
    hipEvent_t event;
    hipGraph_t graph;
    hipGraphExec_t exec;
    print_device();
    HIP_CHECK(hipMalloc(&rod.a, count * sizeof(float)));
    HIP_CHECK(hipMalloc(&rod.b, count * sizeof(float)));
    HIP_CHECK(hipMalloc(&rod.change, sizeof(float)));
    HIP_CHECK(hipHostMalloc(&rod.result, sizeof(float)));
    HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    HIP_CHECK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    HIP_CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));

    // Between begin and end nothing runs: the calls become nodes of a graph.
    HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    enqueue(rod, stream, other, event);
    HIP_CHECK(hipStreamEndCapture(stream, &graph));
    if (argc > 1) // a picture, for Graphviz
        HIP_CHECK(hipGraphDebugDotPrint(graph, argv[1], 0));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    HIP_CHECK(hipGraphDestroy(graph));

    const auto by_streams =
        run("two streams:", rod, stream, [&] { enqueue(rod, stream, other, event); });
    const auto by_graph =
        run("a graph:    ", rod, stream, [&] { HIP_CHECK(hipGraphLaunch(exec, stream)); });

    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipEventDestroy(event));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipStreamDestroy(other));
    HIP_CHECK(hipFree(rod.a));
    HIP_CHECK(hipFree(rod.b));
    HIP_CHECK(hipFree(rod.change));
    HIP_CHECK(hipHostFree(rod.result));
    if (by_streams != by_graph || by_graph[0] != 1000 || !(by_graph[10] > 0)) {
        printf("FAILED: the graph computes other temperatures than its streams\n");
        return 1;
    }
    printf("PASSED: %d steps, the same temperatures both ways\n", launches * steps);
    return 0;
}
