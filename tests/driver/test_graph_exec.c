/* Executable graphs: what instantiation, launch, update and destruction refuse, what they leave
 * behind, and what becomes of them when a device is reset or a module unloaded. */
#include "support.h"

#include <hip/api/per_thread_default_stream.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The call returns the code, and writes a line to the log that has words in it. */
#define refused(call, code, words)                                                                 \
    do {                                                                                           \
        begin_log();                                                                               \
        hipError_t refused_error = (call);                                                         \
        char *refused_log = end_log();                                                             \
        if (!strstr(refused_log, words))                                                           \
            print_error("%s is not in \"%s\"\n", words, refused_log);                              \
        check(strstr(refused_log, words));                                                         \
        free(refused_log);                                                                         \
        expect(refused_error, code);                                                               \
    } while (0)

/* ---- graphs of the tests ------------------------------------------------------------------ */

static hipGraph_t graph;
static hipGraphExec_t exec;
static uint32_t *words; /* page-locked */

static int begin(void **state)
{
    int failed = before_each(state);
    ok(hipGraphCreate(&graph, 0));
    ok(hipHostMalloc((void **)&words, 4096, hipHostMallocPortable));
    memset(words, 0, 4096);
    exec = NULL;
    return failed;
}

static int end(void **state)
{
    if (exec)
        ok(hipGraphExecDestroy(exec));
    if (graph)
        ok(hipGraphDestroy(graph));
    ok(hipHostFree(words));
    return after_each(state);
}

#define GRAPH_TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

static hipKernelNodeParams fill_params(uint32_t **out, uint32_t *value, uint32_t *count,
                                       void *arguments[3])
{
    arguments[0] = out;
    arguments[1] = value;
    arguments[2] = count;
    return (hipKernelNodeParams){.func = (void *)&fill_kernel,
                                 .gridDim = {1, 1, 1},
                                 .blockDim = {1, 1, 1},
                                 .kernelParams = arguments};
}

static hipGraphNode_t add_fill(hipGraph_t to, const hipGraphNode_t *after, size_t after_count,
                               uint32_t *out, uint32_t value)
{
    hipGraphNode_t node;
    uint32_t one = 1;
    void *arguments[3];
    hipKernelNodeParams params = fill_params(&out, &value, &one, arguments);
    ok(hipGraphAddKernelNode(&node, to, after, after_count, &params));
    return node;
}

static void count_call(void *counter)
{
    __atomic_fetch_add((uint32_t *)counter, 1, __ATOMIC_RELAXED);
}

static hipGraphNode_t add_host(hipGraph_t to, const hipGraphNode_t *after, size_t after_count,
                               hipHostFn_t function, void *data)
{
    hipGraphNode_t node;
    hipHostNodeParams params = {function, data};
    ok(hipGraphAddHostNode(&node, to, after, after_count, &params));
    return node;
}

static hipGraphNode_t add_empty(hipGraph_t to, const hipGraphNode_t *after, size_t count)
{
    hipGraphNode_t node;
    ok(hipGraphAddEmptyNode(&node, to, after, count));
    return node;
}

/* A kernel, a wide part of functions and kernels, and a kernel. Word 0 counts functions. */
enum { WIDE = 6 };
static void make_wide_graph(void)
{
    hipGraphNode_t first = add_fill(graph, NULL, 0, words + 1, 1), wide[WIDE];
    for (int i = 0; i < WIDE; i++)
        wide[i] = i % 2 ? add_fill(graph, &first, 1, words + 2 + i, 2)
                        : add_host(graph, &first, 1, count_call, words);
    add_fill(graph, wide, WIDE, words + 2 + WIDE, 3);
}

static void instantiate(void)
{
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
}

/* ---- parameters --------------------------------------------------------------------------- */

static void instantiation_checks_its_parameters(void **state)
{
    hipGraphExec_t made;
    hipGraphInstantiateParams params = {.flags = 10};
    (void)state;
    expect(hipGraphInstantiate(NULL, graph, NULL, NULL, 0), hipErrorInvalidValue);
    refused(hipGraphInstantiate(&made, NULL, NULL, NULL, 0), hipErrorInvalidValue,
            "hipGraphInstantiate: the graph is NULL");
    expect(hipGraphInstantiateWithFlags(NULL, graph, 0), hipErrorInvalidValue);
    expect(hipGraphInstantiateWithFlags(&made, graph, hipGraphInstantiateFlagUpload),
           hipErrorInvalidValue);
    expect(hipGraphInstantiateWithFlags(&made, graph, 16), hipErrorInvalidValue);
    expect(hipGraphInstantiateWithParams(&made, graph, NULL), hipErrorInvalidValue);
    expect(hipGraphInstantiateWithParams(&made, graph, &params), hipErrorInvalidValue);
    check(params.result_out == hipGraphInstantiateError && !params.errNode_out);
    params.flags = 0;
    expect(hipGraphInstantiateWithParams(NULL, graph, &params), hipErrorInvalidValue);
    expect(hipGraphInstantiateWithParams(&made, NULL, &params), hipErrorInvalidValue);
}

static void every_flag_of_hip_is_taken_and_told(void **state)
{
    const unsigned long long flags[] = {
        0, hipGraphInstantiateFlagAutoFreeOnLaunch, hipGraphInstantiateFlagUpload,
        hipGraphInstantiateFlagDeviceLaunch, hipGraphInstantiateFlagUseNodePriority};
    (void)state;
    add_fill(graph, NULL, 0, words, 4);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        hipGraphInstantiateParams params = {.flags = flags[i],
                                            .result_out = hipGraphInstantiateError};
        unsigned long long told = 99;
        ok(hipGraphInstantiateWithParams(&exec, graph, &params));
        check(params.result_out == hipGraphInstantiateSuccess && !params.errNode_out);
        ok(hipGraphExecGetFlags(exec, &told));
        check(told == flags[i]);
        ok(hipGraphLaunch(exec, NULL));
        ok(hipGraphExecDestroy(exec));
    }
    exec = NULL;
    ok(hipDeviceSynchronize());
    check(words[0] == 4);
}

static void what_is_no_executable_graph_is_refused_everywhere(void **state)
{
    hipGraphNode_t node = add_empty(graph, NULL, 0), blamed;
    hipGraphExecUpdateResult result;
    hipHostNodeParams host = {count_call, words};
    unsigned long long flags;
    unsigned enabled;
    (void)state;
    instantiate();
    hipGraphExec_t gone = exec;
    ok(hipGraphExecDestroy(exec));
    exec = NULL;
    const hipGraphExec_t wrong[] = {NULL, gone, (hipGraphExec_t)(void *)graph,
                                    (hipGraphExec_t)(void *)&gone};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refused(hipGraphExecDestroy(wrong[i]), hipErrorInvalidValue, "is not an executable graph");
        refused(hipGraphLaunch(wrong[i], NULL), hipErrorInvalidValue, "is not an executable graph");
        expect(hipGraphLaunch_spt(wrong[i], NULL), hipErrorInvalidValue);
        expect(hipGraphUpload(wrong[i], NULL), hipErrorInvalidValue);
        expect(hipGraphExecGetFlags(wrong[i], &flags), hipErrorInvalidValue);
        expect(hipGraphExecUpdate(wrong[i], graph, &blamed, &result), hipErrorInvalidValue);
        expect(hipGraphExecHostNodeSetParams(wrong[i], node, &host), hipErrorInvalidValue);
        expect(hipGraphNodeSetEnabled(wrong[i], node, 1), hipErrorInvalidValue);
        expect(hipGraphNodeGetEnabled(wrong[i], node, &enabled), hipErrorInvalidValue);
    }
}

static void launches_check_their_stream(void **state)
{
    hipStream_t stream;
    (void)state;
    add_fill(graph, NULL, 0, words, 1);
    instantiate();
    ok(hipStreamCreate(&stream));
    ok(hipStreamDestroy(stream));
    expect(hipGraphLaunch(exec, stream), hipErrorContextIsDestroyed);
    expect(hipGraphUpload(exec, stream), hipErrorContextIsDestroyed);
    expect(hipGraphExecGetFlags(exec, NULL), hipErrorInvalidValue);
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check(words[0] == 1);
}

/* ---- nodes that are changed --------------------------------------------------------------- */

static void only_nodes_that_were_there_are_changed_and_only_as_their_kind(void **state)
{
    hipGraph_t other;
    hipHostNodeParams host = {count_call, words};
    unsigned enabled;
    (void)state;
    hipGraphNode_t kernel = add_fill(graph, NULL, 0, words + 1, 1);
    hipGraphNode_t function = add_host(graph, &kernel, 1, count_call, words);
    instantiate();
    hipGraphNode_t later = add_host(graph, NULL, 0, count_call, words);
    ok(hipGraphClone(&other, graph));
    hipGraphNode_t cloned;
    ok(hipGraphNodeFindInClone(&cloned, function, other));
    refused(hipGraphExecHostNodeSetParams(exec, later, &host), hipErrorInvalidValue,
            "was not in the graph");
    refused(hipGraphExecHostNodeSetParams(exec, cloned, &host), hipErrorInvalidValue,
            "was not in the graph");
    refused(hipGraphExecHostNodeSetParams(exec, kernel, &host), hipErrorInvalidValue,
            "hipGraphExecHostNodeSetParams is not for a kernel node");
    expect(hipGraphExecHostNodeSetParams(exec, NULL, &host), hipErrorInvalidValue);
    expect(hipGraphExecHostNodeSetParams(exec, function, NULL), hipErrorInvalidValue);
    expect(hipGraphExecNodeSetParams(exec, function, NULL), hipErrorInvalidValue);
    refused(hipGraphNodeSetEnabled(exec, function, 0), hipErrorInvalidValue, "is always enabled");
    expect(hipGraphNodeGetEnabled(exec, function, &enabled), hipErrorInvalidValue);
    expect(hipGraphNodeGetEnabled(exec, kernel, NULL), hipErrorInvalidValue);
    refused(hipGraphNodeGetEnabled(exec, cloned, &enabled), hipErrorInvalidValue,
            "was not in the graph");
    hipGraphNodeParams any = {.type = hipGraphNodeTypeHost, .host = {count_call, words + 4}};
    ok(hipGraphExecNodeSetParams(exec, function, &any));
    any.type = hipGraphNodeTypeMemFree;
    refused(hipGraphExecNodeSetParams(exec, function, &any), hipErrorNotSupported,
            "cannot be changed");
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check(words[0] == 0 && words[1] == 1 && words[4] == 1);
    ok(hipGraphDestroy(other));
}

static void an_update_names_the_first_difference_and_changes_nothing(void **state)
{
    hipGraphNode_t blamed = (hipGraphNode_t)(void *)words;
    hipGraphExecUpdateResult result;
    hipGraph_t other;
    (void)state;
    hipGraphNode_t first = add_fill(graph, NULL, 0, words + 1, 1);
    add_host(graph, &first, 1, count_call, words);
    instantiate();
    expect(hipGraphExecUpdate(exec, graph, NULL, &result), hipErrorInvalidValue);
    expect(hipGraphExecUpdate(exec, graph, &blamed, NULL), hipErrorInvalidValue);
    expect(hipGraphExecUpdate(exec, NULL, &blamed, &result), hipErrorInvalidValue);
    ok(hipGraphCreate(&other, 0));
    first = add_fill(other, NULL, 0, words + 2, 1);
    refused(hipGraphExecUpdate(exec, other, &blamed, &result), hipErrorGraphExecUpdateFailure,
            "has 1 nodes, and the executable graph 2");
    check(result == hipGraphExecUpdateErrorTopologyChanged && !blamed);
    hipGraphNode_t second = add_host(other, NULL, 0, count_call, words);
    refused(hipGraphExecUpdate(exec, other, &blamed, &result), hipErrorGraphExecUpdateFailure,
            "the edges of the graphs differ");
    check(result == hipGraphExecUpdateErrorTopologyChanged && blamed == second);
    ok(hipGraphDestroyNode(second));
    second = add_empty(other, &first, 1);
    refused(hipGraphExecUpdate(exec, other, &blamed, &result), hipErrorGraphExecUpdateFailure,
            "the types of nodes of the graphs differ");
    check(result == hipGraphExecUpdateErrorNodeTypeChanged && blamed == second);
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check(words[0] == 1 && words[1] == 1 && words[2] == 0);
    ok(hipGraphDestroyNode(second));
    add_host(other, &first, 1, count_call, words + 3);
    ok(hipGraphExecUpdate(exec, other, &blamed, &result));
    check(result == hipGraphExecUpdateSuccess && !blamed);
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check(words[0] == 1 && words[2] == 1 && words[3] == 1);
    ok(hipGraphDestroy(other));
}

/* Its device is the kernel's, which cannot change. */
static void a_kernel_of_another_device_is_no_update(void **state)
{
    hipGraphNode_t blamed;
    hipGraphExecUpdateResult result;
    hipGraph_t other;
    (void)state;
    add_fill(graph, NULL, 0, words, 1);
    instantiate();
    ok(hipGraphCreate(&other, 0));
    ok(hipSetDevice(1));
    hipGraphNode_t node = add_fill(other, NULL, 0, words, 2);
    ok(hipSetDevice(0));
    refused(hipGraphExecUpdate(exec, other, &blamed, &result), hipErrorGraphExecUpdateFailure,
            "cannot run on device 1");
    check(result == hipGraphExecUpdateErrorUnsupportedFunctionChange && blamed == node);
    ok(hipGraphDestroy(other));
}

/* An event is recorded on its own device, which may be another one after an update. */
static void an_event_of_another_device_may_be_recorded(void **state)
{
    hipEvent_t events[2];
    hipGraphNode_t node;
    float time;
    (void)state;
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok(hipEventCreate(&events[i]));
    }
    ok(hipSetDevice(0));
    ok(hipGraphAddEventRecordNode(&node, graph, NULL, 0, events[0]));
    instantiate();
    ok(hipGraphLaunch(exec, NULL));
    ok(hipGraphExecEventRecordNodeSetEvent(exec, node, events[1]));
    ok(hipGraphLaunch(exec, NULL));
    ok(hipEventSynchronize(events[1]));
    for (int i = 0; i < 2; i++) {
        ok(hipEventElapsedTime(&time, events[i], events[i])); /* both were recorded */
        ok(hipEventDestroy(events[i]));
    }
}

/* ---- ends ---------------------------------------------------------------------------------- */

static void count_release(void *counter)
{
    ++*(uint32_t *)counter;
}

static void user_objects_live_as_long_as_launches_may_use_them(void **state)
{
    hipUserObject_t object;
    hipStream_t stream;
    uint32_t released = 0;
    (void)state;
    add_fill(graph, NULL, 0, words, 1);
    ok(hipUserObjectCreate(&object, &released, count_release, 1, hipUserObjectNoDestructorSync));
    ok(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
    instantiate();
    ok(hipGraphDestroy(graph));
    graph = NULL;
    check(released == 0);
    ok(hipStreamCreate(&stream));
    struct gate gate = close_gate(stream);
    ok(hipGraphLaunch(exec, stream));
    ok(hipGraphExecDestroy(exec));
    exec = NULL;
    check(released == 0);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    ok(hipGraphCreate(&graph, 0)); /* the end of another one gives back what has ended */
    instantiate();
    check(released == 1 && words[0] == 1);
    free_gate(&gate);
    ok(hipStreamDestroy(stream));
}

static void executable_graphs_survive_a_reset_as_such_and_cannot_run(void **state)
{
    hipGraphNode_t blamed;
    hipGraphExecUpdateResult result;
    hipStream_t stream;
    (void)state;
    make_wide_graph();
    instantiate();
    ok(hipStreamCreate(&stream));
    ok(hipGraphLaunch(exec, stream));
    ok(hipStreamSynchronize(stream));
    check(words[0] == WIDE / 2 && words[2 + WIDE] == 3);
    ok(hipDeviceReset());
    words = NULL;
    refused(hipGraphLaunch(exec, NULL), hipErrorInvalidValue, "one of its devices was reset");
    refused(hipGraphUpload(exec, NULL), hipErrorInvalidValue, "one of its devices was reset");
    refused(hipGraphExecUpdate(exec, graph, &blamed, &result), hipErrorInvalidValue,
            "one of its devices was reset");
    ok(hipGraphExecDestroy(exec));
    exec = NULL;
    ok(hipHostMalloc((void **)&words, 4096, hipHostMallocPortable));
}

static void a_graph_whose_module_was_unloaded_cannot_run(void **state)
{
    hipModule_t module;
    hipFunction_t function;
    hipGraphNode_t node;
    hipGraphExec_t made;
    uint32_t value = 2, count = 1;
    void *arguments[3];
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_fill"));
    hipKernelNodeParams params = fill_params(&words, &value, &count, arguments);
    params.func = function;
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    instantiate();
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check(words[0] == 2);
    ok(hipModuleUnload(module));
    refused(hipGraphLaunch(exec, NULL), hipErrorInvalidDeviceFunction, "was unloaded");
    refused(hipGraphNodeSetEnabled(exec, node, 0), hipErrorInvalidDeviceFunction, "was unloaded");
    params.func = (void *)&fill_kernel;
    refused(hipGraphExecKernelNodeSetParams(exec, node, &params), hipErrorInvalidDeviceFunction,
            "was unloaded");
    refused(hipGraphInstantiate(&made, graph, &node, NULL, 0), hipErrorInvalidDeviceFunction,
            "was unloaded");
}

/* ---- capture ------------------------------------------------------------------------------ */

static void the_legacy_stream_takes_no_launch_beside_a_capture(void **state)
{
    hipStream_t stream;
    hipGraph_t captured;
    (void)state;
    add_fill(graph, NULL, 0, words, 1);
    instantiate();
    ok(hipStreamCreate(&stream));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    expect(hipGraphLaunch(exec, NULL), hipErrorStreamCaptureImplicit);
    expect(hipStreamEndCapture(stream, &captured), hipErrorStreamCaptureInvalidated);
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check(words[0] == 1);
    ok(hipStreamDestroy(stream));
}

/* ---- lanes -------------------------------------------------------------------------------- */

static void a_wide_graph_of_many_kinds_runs_in_every_stream(void **state)
{
    hipStream_t streams[] = {NULL, hipStreamPerThread, NULL, NULL};
    (void)state;
    make_wide_graph();
    instantiate();
    ok(hipStreamCreate(&streams[2]));
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&streams[3]));
    ok(hipSetDevice(0));
    for (uint32_t i = 0; i < 4; i++) {
        words[2 + WIDE] = 0;
        ok(hipGraphUpload(exec, streams[i]));
        ok(hipGraphLaunch(exec, streams[i]));
        ok(hipStreamSynchronize(streams[i]));
        check(words[0] == (i + 1) * WIDE / 2 && words[2 + WIDE] == 3);
    }
    ok(hipStreamDestroy(streams[2]));
    ok(hipStreamDestroy(streams[3]));
}

static void a_graph_without_nodes_is_launched_in_a_stream_of_any_device(void **state)
{
    hipStream_t stream;
    (void)state;
    instantiate();
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    ok(hipSetDevice(0));
    ok(hipGraphUpload(exec, stream));
    for (int i = 0; i < 3; i++)
        ok(hipGraphLaunch(exec, i % 2 ? NULL : stream));
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
}

static void nodes_of_two_devices_run_in_one_graph(void **state)
{
    hipGraphNode_t node = NULL;
    (void)state;
    for (int i = 0; i < 6; i++) {
        ok(hipSetDevice(i % 2));
        node = i % 3 ? add_fill(graph, &node, node != NULL, words + i, 1)
                     : add_host(graph, &node, node != NULL, count_call, words + i);
    }
    ok(hipSetDevice(0));
    instantiate();
    for (int i = 0; i < 3; i++)
        ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    for (int i = 0; i < 6; i++)
        check(words[i] == (i % 3 ? 1 : 3));
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { THREADS = 4, LAUNCHES = 30 };

static void *launch_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < LAUNCHES; i++)
        ok(hipGraphLaunch(exec, hipStreamPerThread));
    ok(hipStreamSynchronize(hipStreamPerThread));
    return NULL;
}

static void threads_launch_one_executable_graph(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    make_wide_graph();
    instantiate();
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, launch_often, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check(words[0] == THREADS * LAUNCHES * WIDE / 2);
}

/* Eight threads use one graph and one executable graph at a time, each in its own way, and captures
 * beside that. An argument of the program is how often they do it. */
static int rounds = 20;
static _Atomic(unsigned) captured_runs;

static void *update_often(void *unused)
{
    hipGraphNode_t blamed;
    hipGraphExecUpdateResult result;
    (void)unused;
    for (int i = 0; i < rounds; i++)
        ok(hipGraphExecUpdate(exec, graph, &blamed, &result));
    return NULL;
}

static hipGraphNode_t changed;

static void *set_often(void *unused)
{
    uint32_t *out = words + 100, one = 1;
    void *arguments[3];
    (void)unused;
    for (uint32_t i = 0; i < (uint32_t)rounds; i++) {
        hipKernelNodeParams params = fill_params(&out, &i, &one, arguments);
        ok(hipGraphExecKernelNodeSetParams(exec, changed, &params));
        ok(hipGraphNodeSetEnabled(exec, changed, i % 2));
    }
    ok(hipGraphNodeSetEnabled(exec, changed, 1));
    return NULL;
}

static void *launch_rounds(void *unused)
{
    (void)unused;
    for (int i = 0; i < rounds; i++)
        ok(hipGraphLaunch(exec, hipStreamPerThread));
    ok(hipStreamSynchronize(hipStreamPerThread));
    return NULL;
}

static void count_captured(void *unused)
{
    (void)unused;
    captured_runs++;
}

static void *capture_often(void *unused)
{
    hipStream_t stream;
    (void)unused;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (int i = 0; i < rounds; i++) {
        hipGraph_t made;
        hipGraphExec_t own;
        ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
        ok(hipGraphLaunch(exec, stream));
        ok(hipLaunchHostFunc(stream, count_captured, NULL));
        ok(hipStreamEndCapture(stream, &made));
        ok(hipGraphInstantiate(&own, made, NULL, NULL, 0));
        ok(hipGraphDestroy(made));
        ok(hipGraphLaunch(own, stream));
        ok(hipGraphExecDestroy(own));
    }
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
    return NULL;
}

static void *instantiate_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        hipGraphExec_t own;
        hipGraph_t clone;
        ok(hipGraphClone(&clone, graph));
        ok(hipGraphInstantiate(&own, clone, NULL, NULL, 0));
        ok(hipGraphLaunch(own, hipStreamPerThread));
        ok(hipGraphExecDestroy(own));
        ok(hipGraphDestroy(clone));
    }
    ok(hipStreamSynchronize(hipStreamPerThread));
    return NULL;
}

static void threads_launch_update_and_capture_at_once(void **state)
{
    void *(*const jobs[])(void *) = {launch_rounds, launch_rounds, update_often,      set_often,
                                     capture_often, capture_often, instantiate_often, update_often};
    enum { JOBS = sizeof jobs / sizeof *jobs };
    pthread_t threads[JOBS];
    (void)state;
    captured_runs = 0;
    make_wide_graph();
    changed = add_fill(graph, NULL, 0, words + 100, 1);
    instantiate();
    for (int i = 0; i < JOBS; i++)
        check(pthread_create(&threads[i], NULL, jobs[i], NULL) == 0);
    for (int i = 0; i < JOBS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    ok(hipDeviceSynchronize());
    check(captured_runs == 2 * (unsigned)rounds);
    check(words[0] == 5 * (unsigned)rounds * WIDE / 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(instantiation_checks_its_parameters),
        GRAPH_TEST(every_flag_of_hip_is_taken_and_told),
        GRAPH_TEST(what_is_no_executable_graph_is_refused_everywhere),
        GRAPH_TEST(launches_check_their_stream),
        GRAPH_TEST(only_nodes_that_were_there_are_changed_and_only_as_their_kind),
        GRAPH_TEST(an_update_names_the_first_difference_and_changes_nothing),
        GRAPH_TEST(a_kernel_of_another_device_is_no_update),
        GRAPH_TEST(an_event_of_another_device_may_be_recorded),
        GRAPH_TEST(user_objects_live_as_long_as_launches_may_use_them),
        GRAPH_TEST(executable_graphs_survive_a_reset_as_such_and_cannot_run),
        GRAPH_TEST(a_graph_whose_module_was_unloaded_cannot_run),
        GRAPH_TEST(the_legacy_stream_takes_no_launch_beside_a_capture),
        GRAPH_TEST(a_wide_graph_of_many_kinds_runs_in_every_stream),
        GRAPH_TEST(a_graph_without_nodes_is_launched_in_a_stream_of_any_device),
        GRAPH_TEST(nodes_of_two_devices_run_in_one_graph),
        GRAPH_TEST(threads_launch_one_executable_graph),
        GRAPH_TEST(threads_launch_update_and_capture_at_once),
    };
    if (argc > 1)
        rounds = atoi(argv[1]);
    use_fake("80,90");
    setenv("AMD_LOG_LEVEL", "1", 1);
    return run_group("driver.graph_exec", tests);
}
