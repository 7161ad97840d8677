/* Graphs that NVIDIA's driver executes: which of its functions a launch calls, what happens to a
 * graph that the driver refuses a part of, and which of its objects are left. */
#include "graph_support.h"

#include "cuda_abi.h"

enum { COUNT = 16, BYTES = 4 * COUNT };

static hipStream_t stream;
static uint32_t *memory, *words; /* words: page-locked */

static int begin(void **state)
{
    int failed = before_each(state);
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc((void **)&memory, 2 * BYTES));
    ok(hipHostMalloc((void **)&words, 2 * BYTES, 0));
    memset(words, 0, 2 * BYTES);
    return failed;
}

static int end(void **state)
{
    ok(hipHostFree(words));
    ok(hipFree(memory));
    ok(hipStreamDestroy(stream));
    return after_each(state);
}

#define GRAPH_TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

/* Arguments of fake_fill. */
struct fill {
    uint32_t *out, value, count;
    void *arguments[3];
    hipKernelNodeParams params;
};

static const hipKernelNodeParams *fill(struct fill *f, uint32_t *out, uint32_t value)
{
    f->out = out;
    f->value = value;
    f->count = COUNT;
    f->arguments[0] = &f->out;
    f->arguments[1] = &f->value;
    f->arguments[2] = &f->count;
    f->params = (hipKernelNodeParams){.func = (void *)&fill_kernel,
                                      .gridDim = {1, 1, 1},
                                      .blockDim = {1, 1, 1},
                                      .kernelParams = f->arguments};
    return &f->params;
}

/* A kernel, then a fill behind it in memory, then a copy of both to words. */
enum { KERNEL, MEMSET, MEMCPY, NODES };

static hipGraph_t make_graph(hipGraphNode_t nodes[NODES])
{
    struct fill f;
    hipGraph_t graph = new_graph();
    const hipMemsetParams set = {
        .dst = memory + COUNT, .elementSize = 4, .height = 1, .value = 8, .width = COUNT};
    ok(hipGraphAddKernelNode(&nodes[KERNEL], graph, NULL, 0, fill(&f, memory, 7)));
    ok(hipGraphAddMemsetNode(&nodes[MEMSET], graph, &nodes[KERNEL], 1, &set));
    ok(hipGraphAddMemcpyNode1D(&nodes[MEMCPY], graph, &nodes[MEMSET], 1, words, memory, 2 * BYTES,
                               hipMemcpyDeviceToHost));
    return graph;
}

static void launch_and_check(hipGraphExec_t exec, uint32_t first, uint32_t second)
{
    memset(words, 0, 2 * BYTES);
    ok(hipGraphLaunch(exec, stream));
    ok(hipStreamSynchronize(stream));
    check_words(words, COUNT, first);
    check_words(words + COUNT, COUNT, second);
}

static unsigned calls(const char *function)
{
    return the_fake()->calls(function);
}

static void a_launch_is_one_call_of_the_driver(void **state)
{
    static const char *const others[] = {"cuLaunchKernelEx", "cuMemsetD32Async", "cuMemcpyAsync",
                                         "cuMemcpy3DAsync_v2", "cuStreamWaitEvent"};
    enum { OTHERS = sizeof others / sizeof *others };
    hipGraphNode_t nodes[NODES];
    hipGraphExec_t exec;
    struct fill f;
    hipGraph_t graph = make_graph(nodes);
    unsigned launches = calls("cuGraphLaunch"), updates = calls("cuGraphExecKernelNodeSetParams");
    unsigned before[OTHERS];
    (void)state;
    for (int i = 0; i < OTHERS; i++)
        before[i] = calls(others[i]);
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    launch_and_check(exec, 7, 8);
    ok(hipGraphExecKernelNodeSetParams(exec, nodes[KERNEL], fill(&f, memory, 9)));
    launch_and_check(exec, 9, 8);
    ok(hipGraphNodeSetEnabled(exec, nodes[MEMSET], 0));
    launch_and_check(exec, 9, 8);
    check(calls("cuGraphLaunch") == launches + 3);
    check(calls("cuGraphExecKernelNodeSetParams") == updates + 1);
    for (int i = 0; i < OTHERS; i++)
        check(calls(others[i]) == before[i]);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* Results and order are the same, and nobody is told, since nothing is wrong. */
static void works_without(const char *function)
{
    hipGraphNode_t nodes[NODES];
    hipGraphExec_t exec;
    struct fill f;
    hipGraph_t graph = make_graph(nodes);
    the_fake()->fail_call(function, 0, CUDA_ERROR_INVALID_VALUE);
    begin_log();
    hipError_t error = hipGraphInstantiate(&exec, graph, NULL, NULL, 0);
    char *log = end_log();
    check(!*log);
    free(log);
    ok(error);
    launch_and_check(exec, 7, 8);
    ok(hipGraphExecKernelNodeSetParams(exec, nodes[KERNEL], fill(&f, memory, 9)));
    launch_and_check(exec, 9, 8);
    ok(hipGraphNodeSetEnabled(exec, nodes[KERNEL], 0));
    ok(hipMemset(memory, 0, BYTES));
    ok(hipDeviceSynchronize());
    launch_and_check(exec, 0, 8);
    the_fake()->clear_faults();
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

static void a_graph_that_the_driver_refuses_is_done_in_pieces(void **state)
{
    (void)state;
    works_without("cuGraphAddKernelNode");
    works_without("cuGraphAddMemsetNode");
    works_without("cuGraphAddMemcpyNode");
    works_without("cuGraphInstantiateWithFlags");
    works_without("cuGraphExecKernelNodeSetParams");
    works_without("cuGraphNodeSetEnabled");
}

/* A kernel with all blocks resident, through an attribute of the driver's node. */
static void cooperative_kernels_are_nodes_of_the_driver(void **state)
{
    hipGraphNode_t nodes[NODES];
    hipGraphExec_t exec;
    hipGraph_t graph = make_graph(nodes);
    const hipLaunchAttributeValue value = {.cooperative = 1};
    unsigned launches = calls("cuLaunchCooperativeKernel");
    struct fake_launch launch;
    (void)state;
    ok(hipGraphKernelNodeSetAttribute(nodes[KERNEL], hipLaunchAttributeCooperative, &value));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    the_fake()->forget();
    launch_and_check(exec, 7, 8);
    check(the_fake()->launches() == 1 && the_fake()->launch_at(0, &launch) && launch.cooperative);
    check(calls("cuLaunchCooperativeKernel") == launches);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* The driver's objects must not be used after the reset of their device. */
static void a_reset_destroys_the_graphs_of_the_driver_first(void **state)
{
    hipGraphNode_t nodes[NODES];
    hipGraphExec_t exec;
    struct fill f;
    hipGraph_t graph;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc((void **)&memory, 2 * BYTES));
    ok(hipHostMalloc((void **)&words, 2 * BYTES, 0));
    graph = make_graph(nodes);
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    launch_and_check(exec, 7, 8);
    the_fake()->fail_call("cuDevicePrimaryCtxReset_v2", 1, CUDA_ERROR_NOT_PERMITTED);
    unsigned destroyed = calls("cuGraphExecDestroy");
    check(hipDeviceReset() != hipSuccess); /* so that what came before can be seen */
    check(calls("cuGraphExecDestroy") == destroyed + 1);
    ok(hipDeviceReset());
    unsigned updates = calls("cuGraphExecKernelNodeSetParams");
    check(hipGraphExecKernelNodeSetParams(exec, nodes[KERNEL], fill(&f, NULL, 9)) != hipSuccess);
    check(calls("cuGraphExecKernelNodeSetParams") == updates);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    check(calls("cuGraphExecDestroy") == destroyed + 1);
}

/* The function fails once. What it was called for is destroyed with the next executable graph. */
static void fails_to_destroy(const char *function, bool in_pieces)
{
    hipGraphNode_t nodes[NODES];
    hipGraphExec_t first, second;
    hipGraph_t graph = make_graph(nodes);
    if (in_pieces)
        the_fake()->fail_call("cuGraphAddMemsetNode", 0, CUDA_ERROR_INVALID_VALUE);
    ok(hipGraphInstantiate(&first, graph, NULL, NULL, 0));
    ok(hipGraphInstantiate(&second, graph, NULL, NULL, 0));
    the_fake()->clear_faults();
    the_fake()->fail_call(function, 1, CUDA_ERROR_NOT_PERMITTED);
    check(hipGraphExecDestroy(first) != hipSuccess);
    check(!the_fake()->has_faults());
    expect(hipGraphExecDestroy(first), hipErrorInvalidValue);
    ok(hipGraphExecDestroy(second));
    ok(hipGraphDestroy(graph));
}

static void what_the_driver_fails_to_destroy_is_destroyed_later(void **state)
{
    (void)state;
    fails_to_destroy("cuGraphExecDestroy", false);
    fails_to_destroy("cuGraphDestroy", false);
    fails_to_destroy("cuEventDestroy_v2", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(a_launch_is_one_call_of_the_driver),
        GRAPH_TEST(a_graph_that_the_driver_refuses_is_done_in_pieces),
        GRAPH_TEST(cooperative_kernels_are_nodes_of_the_driver),
        GRAPH_TEST(what_the_driver_fails_to_destroy_is_destroyed_later),
        TEST(a_reset_destroys_the_graphs_of_the_driver_first),
    };
    use_fake_cuda("80");
    setenv("AMD_LOG_LEVEL", "2", 1);
    return run_group("driver.graph_driver", tests);
}
