/* Memory that graphs allocate and free: addresses, parameters, how much it is, and when it ends. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096, CUDA_OUT_OF_MEMORY = 2 };

static hipGraph_t new_graph(void)
{
    hipGraph_t graph;
    ok(hipGraphCreate(&graph, 0));
    return graph;
}

static hipMemAllocNodeParams parameters_of(size_t size)
{
    hipMemAllocNodeParams params;
    memset(&params, 0, sizeof params);
    params.bytesize = size;
    params.poolProps.allocType = hipMemAllocationTypePinned;
    params.poolProps.location.type = hipMemLocationTypeDevice;
    return params;
}

static void *add_allocation(hipGraph_t graph, hipGraphNode_t *out_node)
{
    hipMemAllocNodeParams params = parameters_of(SIZE);
    ok(hipGraphAddMemAllocNode(out_node, graph, NULL, 0, &params));
    check(params.dptr != NULL);
    return params.dptr;
}

static uint64_t attribute(hipGraphMemAttributeType which)
{
    uint64_t value = UINT64_MAX;
    ok(hipDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

/* Runs the call, which fails with the code, and logs these words. */
#define fails(call, code, words)                                                                   \
    do {                                                                                           \
        begin_log();                                                                               \
        hipError_t got_ = (call);                                                                  \
        char *log_ = end_log();                                                                    \
        expect(got_, code);                                                                        \
        check(count_text(log_, words) == 1);                                                       \
        free(log_);                                                                                \
    } while (0)

static void an_address_is_known_before_any_launch(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t first, second;
    hipPointerAttribute_t attributes;
    hipMemAllocNodeParams params;
    (void)state;
    char *one = add_allocation(graph, &first), *other = add_allocation(graph, &second);
    check(other >= one + SIZE || one >= other + SIZE);
    ok(hipGraphMemAllocNodeGetParams(first, &params));
    check(params.dptr == one && params.bytesize == SIZE);
    ok(hipPointerGetAttributes(&attributes, one + 5));
    check(attributes.type == hipMemoryTypeDevice && attributes.device == 0);
    check(attribute(hipGraphMemAttrUsedMemCurrent) == 0);
    check(attribute(hipGraphMemAttrReservedMemCurrent) == 0);
    ok(hipGraphDestroy(graph));
    ok(hipPointerGetAttributes(&attributes, one));
    check(attributes.type == hipMemoryTypeUnregistered);
}

static void allocation_nodes_check_their_parameters(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node;
    hipMemAccessDesc access = {.location = {.type = hipMemLocationTypeDevice, .id = 0},
                               .flags = hipMemAccessFlagsProtReadWrite};
    hipMemAllocNodeParams good = parameters_of(SIZE), params;
    (void)state;
    expect(hipGraphAddMemAllocNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipGraphAddMemAllocNode(&node, graph, NULL, 3, &good), hipErrorInvalidValue);
    expect(hipGraphAddMemAllocNode(NULL, graph, NULL, 0, &good), hipErrorInvalidValue);
    expect(hipGraphAddMemAllocNode(&node, NULL, NULL, 0, &good), hipErrorInvalidValue);
    params = parameters_of(0);
    fails(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue,
          "a graph allocates pinned memory of a device");
    params = good;
    params.poolProps.allocType = hipMemAllocationTypeInvalid;
    expect(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
    params = good;
    params.poolProps.location.id = 2;
    expect(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
    params = parameters_of(SIZE_MAX);
    fails(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params), hipErrorOutOfMemory,
          "bytes are more than the device has");
    params = good;
    params.accessDescs = &access;
    params.accessDescCount = 3;
    fails(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue,
          "and there are 2 devices");
    params.accessDescCount = 1;
    access.location.id = 7;
    fails(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue,
          "is not of a device that can have it");
    ok(hipGraphDestroy(graph));
}

static void memory_has_one_free_node(void **state)
{
    hipGraph_t graph = new_graph(), other = new_graph();
    hipGraphNode_t allocation, node, second;
    void *pointer = add_allocation(graph, &allocation), *found, *plain;
    (void)state;
    ok(hipMalloc(&plain, SIZE));
    fails(hipGraphAddMemFreeNode(&node, graph, NULL, 0, plain), hipErrorInvalidValue,
          "is not memory of an allocation node, or another node frees it");
    ok(hipFree(plain));
    expect(hipGraphAddMemFreeNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipGraphAddMemFreeNode(&node, graph, NULL, 0, &node), hipErrorInvalidValue);
    expect(hipGraphAddMemFreeNode(NULL, graph, NULL, 0, pointer), hipErrorInvalidValue);
    ok(hipGraphAddMemFreeNode(&node, other, NULL, 0, pointer));
    expect(hipGraphAddMemFreeNode(&second, graph, &allocation, 1, pointer), hipErrorInvalidValue);
    ok(hipGraphMemFreeNodeGetParams(node, &found));
    check(found == pointer);
    expect(hipGraphMemFreeNodeGetParams(allocation, &found), hipErrorInvalidValue);
    expect(hipGraphMemFreeNodeGetParams(node, NULL), hipErrorInvalidValue);
    ok(hipGraphDestroy(other)); /* with the node */
    other = new_graph();
    ok(hipDrvGraphAddMemFreeNode(&node, other, NULL, 0, pointer));
    ok(hipGraphDestroy(graph)); /* the other graph still frees it */
    ok(hipGraphMemFreeNodeGetParams(node, &found));
    check(found == pointer);
    ok(hipGraphDestroy(other));
}

static void memory_of_a_graph_is_not_freed_before_it_is_allocated(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node;
    void *pointer = add_allocation(graph, &node);
    (void)state;
    fails(hipFree(pointer), hipErrorInvalidValue, "no launch has allocated it");
    expect(hipFreeAsync(pointer, NULL), hipErrorInvalidValue);
    ok(hipGraphDestroy(graph));
}

static void attributes_check_their_arguments(void **state)
{
    uint64_t value = 0, one = 1;
    (void)state;
    expect(hipDeviceGetGraphMemAttribute(2, hipGraphMemAttrUsedMemHigh, &value),
           hipErrorInvalidDevice);
    expect(hipDeviceGetGraphMemAttribute(0, 7, &value), hipErrorInvalidValue);
    expect(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, NULL),
           hipErrorInvalidValue);
    expect(hipDeviceSetGraphMemAttribute(-3, hipGraphMemAttrUsedMemHigh, &value),
           hipErrorInvalidDevice);
    expect(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &value),
           hipErrorInvalidValue);
    expect(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &one),
           hipErrorInvalidValue);
    ok(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrReservedMemHigh, &value));
    expect(hipDeviceGraphMemTrim(2), hipErrorInvalidDevice);
    ok(hipDeviceGraphMemTrim(1));
}

/* ---- launches ----------------------------------------------------------------------------- */

enum { FILL = 0x5a };

/* Allocates, fills, copies to back, and perhaps frees. */
struct user {
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipStream_t stream;
    unsigned char *pointer, back[SIZE];
};

static void build(struct user *user, bool frees, unsigned long long flags)
{
    hipGraphNode_t allocation, fill, copy, release;
    memset(user, 0, sizeof *user);
    user->graph = new_graph();
    user->pointer = add_allocation(user->graph, &allocation);
    hipMemsetParams params = {
        .dst = user->pointer, .elementSize = 1, .value = FILL, .width = SIZE, .height = 1};
    ok(hipGraphAddMemsetNode(&fill, user->graph, &allocation, 1, &params));
    ok(hipGraphAddMemcpyNode1D(&copy, user->graph, &fill, 1, user->back, user->pointer, SIZE,
                               hipMemcpyDeviceToHost));
    if (frees)
        ok(hipGraphAddMemFreeNode(&release, user->graph, &copy, 1, user->pointer));
    ok(hipGraphInstantiateWithFlags(&user->exec, user->graph, flags));
    ok(hipStreamCreate(&user->stream));
}

static void run(struct user *user)
{
    memset(user->back, 0, sizeof user->back);
    ok(hipGraphLaunch(user->exec, user->stream));
    ok(hipStreamSynchronize(user->stream));
    for (int i = 0; i < SIZE; i++)
        check(user->back[i] == FILL);
}

static void finish(struct user *user)
{
    ok(hipGraphExecDestroy(user->exec));
    ok(hipGraphDestroy(user->graph));
    ok(hipStreamDestroy(user->stream));
    ok(hipDeviceGraphMemTrim(0));
}

static void reset_high(void)
{
    uint64_t zero = 0;
    ok(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &zero));
    ok(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrReservedMemHigh, &zero));
}

static void a_launch_allocates_and_frees(void **state)
{
    struct user user;
    (void)state;
    reset_high();
    build(&user, true, 0);
    for (int i = 0; i < 3; i++)
        run(&user);
    check(attribute(hipGraphMemAttrUsedMemCurrent) == 0);
    check(attribute(hipGraphMemAttrUsedMemHigh) >= SIZE);
    check(attribute(hipGraphMemAttrReservedMemHigh) == attribute(hipGraphMemAttrUsedMemHigh));
    check(attribute(hipGraphMemAttrReservedMemCurrent) == 0); /* all of it is unused */
    run(&user);
    finish(&user);
    reset_high();
    check(attribute(hipGraphMemAttrUsedMemHigh) == 0);
    check(attribute(hipGraphMemAttrReservedMemHigh) == 0);
}

static void what_a_launch_allocates_is_freed_outside(void **state)
{
    struct user user;
    (void)state;
    build(&user, false, 0);
    run(&user);
    check(attribute(hipGraphMemAttrUsedMemCurrent) >= SIZE);
    check(attribute(hipGraphMemAttrReservedMemCurrent) >= SIZE);
    fails(hipGraphLaunch(user.exec, user.stream), hipErrorInvalidValue,
          "is still allocated by an earlier launch");
    ok(hipFree(user.pointer));
    expect(hipFree(user.pointer), hipErrorInvalidValue);
    check(attribute(hipGraphMemAttrUsedMemCurrent) == 0);
    run(&user);
    ok(hipFreeAsync(user.pointer, user.stream));
    expect(hipFreeAsync(user.pointer, user.stream), hipErrorInvalidValue);
    run(&user);
    ok(hipFree(user.pointer));
    finish(&user);
}

static void memory_is_freed_by_the_next_launch_if_the_graph_says_so(void **state)
{
    struct user user;
    (void)state;
    build(&user, false, hipGraphInstantiateFlagAutoFreeOnLaunch);
    run(&user);
    uint64_t used = attribute(hipGraphMemAttrUsedMemCurrent);
    run(&user);
    check(attribute(hipGraphMemAttrUsedMemCurrent) == used);
    ok(hipFree(user.pointer));
    finish(&user);
}

static void memory_outlives_its_graph_until_it_is_freed(void **state)
{
    struct user user;
    unsigned char back[SIZE];
    (void)state;
    build(&user, false, 0);
    run(&user);
    finish(&user);
    check(attribute(hipGraphMemAttrUsedMemCurrent) >= SIZE);
    ok(hipMemcpy(back, user.pointer, SIZE, hipMemcpyDeviceToHost));
    check(back[0] == FILL && back[SIZE - 1] == FILL);
    ok(hipFree(user.pointer));
    ok(hipDeviceGraphMemTrim(0));
    check(attribute(hipGraphMemAttrReservedMemCurrent) == 0);
}

static void another_graph_may_free(void **state)
{
    struct user user;
    hipGraph_t graph = new_graph();
    hipGraphNode_t node;
    hipGraphExec_t exec, second;
    (void)state;
    build(&user, false, 0);
    ok(hipGraphAddMemFreeNode(&node, graph, NULL, 0, user.pointer));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    fails(hipGraphInstantiate(&second, graph, NULL, NULL, 0), hipErrorNotSupported,
          "can have one executable graph at a time");
    fails(hipGraphLaunch(exec, user.stream), hipErrorInvalidValue, "is not allocated");
    run(&user);
    ok(hipGraphLaunch(exec, user.stream));
    expect(hipGraphLaunch(exec, user.stream), hipErrorInvalidValue);
    run(&user);
    ok(hipGraphLaunch(exec, user.stream));
    ok(hipStreamSynchronize(user.stream));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0)); /* now there is none */
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    finish(&user);
}

static void a_later_graph_gets_memory_that_nothing_needs(void **state)
{
    struct user user, other;
    (void)state;
    build(&user, true, 0);
    run(&user);
    ok(hipGraphExecDestroy(user.exec));
    ok(hipGraphDestroy(user.graph));
    build(&other, true, 0);
    check(other.pointer == user.pointer);
    run(&other);
    ok(hipStreamDestroy(user.stream));
    finish(&other);
}

static void a_graph_with_memory_is_not_cloned(void **state)
{
    hipGraph_t graph = new_graph(), copy;
    hipGraphNode_t node;
    (void)state;
    add_allocation(graph, &node);
    fails(hipGraphClone(&copy, graph), hipErrorNotSupported, "cannot be cloned, nor be a child");
    expect(hipGraphAddChildGraphNode(&node, graph, NULL, 0, graph), hipErrorNotSupported);
    ok(hipGraphDestroy(graph));
}

static void a_launch_of_a_graph_with_memory_is_not_captured(void **state)
{
    struct user user;
    hipGraph_t graph = NULL;
    (void)state;
    build(&user, true, 0);
    ok(hipStreamBeginCapture(user.stream, hipStreamCaptureModeRelaxed));
    fails(hipGraphLaunch(user.exec, user.stream), hipErrorStreamCaptureUnsupported,
          "a graph that allocates or frees memory cannot be part of another");
    (void)hipStreamEndCapture(user.stream, &graph);
    if (graph)
        ok(hipGraphDestroy(graph));
    finish(&user);
}

static void captured_allocations_are_nodes(void **state)
{
    unsigned char *pointer, back[SIZE] = {0};
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    size_t count = 0;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    ok(hipMallocAsync((void **)&pointer, SIZE, stream));
    ok(hipMemsetAsync(pointer, FILL, SIZE, stream));
    ok(hipMemcpyAsync(back, pointer, SIZE, hipMemcpyDeviceToHost, stream));
    ok(hipFreeAsync(pointer, stream));
    ok(hipStreamEndCapture(stream, &graph));
    ok(hipGraphGetNodes(graph, NULL, &count));
    check(count == 4 && back[0] == 0);
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 2; i++)
        ok(hipGraphLaunch(exec, stream));
    ok(hipStreamSynchronize(stream));
    check(back[0] == FILL && back[SIZE - 1] == FILL);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
    ok(hipDeviceGraphMemTrim(0));
}

/* The driver's calls that put memory behind an address. */
static void a_launch_without_memory_changes_nothing(void **state)
{
    static const char *const cuda[] = {"cuMemCreate", "cuMemMap", "cuMemSetAccess"};
    static const char *const hsa[] = {"hsa_amd_vmem_handle_create", "hsa_amd_vmem_map",
                                      "hsa_amd_vmem_set_access"};
    struct user user;
    (void)state;
    build(&user, true, 0);
    for (int i = 0; i < 3; i++) {
        the_fake()->fail_call(over_hsa() ? hsa[i] : cuda[i], 0,
                              over_hsa() ? HSA_OUT_OF_RESOURCES : CUDA_OUT_OF_MEMORY);
        expect(hipGraphLaunch(user.exec, user.stream), hipErrorOutOfMemory);
        the_fake()->clear_faults();
        check(attribute(hipGraphMemAttrUsedMemCurrent) == 0);
        ok(hipStreamSynchronize(user.stream));
        ok(hipDeviceGraphMemTrim(0));
    }
    run(&user);
    finish(&user);
}

static void a_device_without_virtual_memory_allocates_with_the_node(void **state)
{
    enum { NOT_SUPPORTED = 801 };
    struct user user;
    (void)state;
    reset_high();
    the_fake()->fail_call("cuMemGetAllocationGranularity", 1, NOT_SUPPORTED);
    build(&user, true, 0);
    check(attribute(hipGraphMemAttrReservedMemCurrent) == SIZE);
    for (int i = 0; i < 2; i++)
        run(&user);
    check(attribute(hipGraphMemAttrUsedMemHigh) == SIZE);
    finish(&user);
    check(attribute(hipGraphMemAttrReservedMemCurrent) == 0);
}

static void memory_is_lost_with_a_reset(void **state)
{
    struct user user;
    (void)state;
    build(&user, false, 0);
    run(&user);
    ok(hipDeviceReset());
    check(attribute(hipGraphMemAttrUsedMemCurrent) == 0);
    check(attribute(hipGraphMemAttrReservedMemCurrent) == 0);
    expect(hipFree(user.pointer), hipErrorInvalidValue);
    check(hipGraphLaunch(user.exec, NULL) != hipSuccess);
    ok(hipGraphExecDestroy(user.exec));
    ok(hipGraphInstantiate(&user.exec, user.graph, NULL, NULL, 0)); /* of nodes from before */
    fails(hipGraphLaunch(user.exec, NULL), hipErrorInvalidValue, "was lost with a reset");
    ok(hipGraphExecDestroy(user.exec));
    ok(hipGraphDestroy(user.graph));
    ok(hipDeviceGraphMemTrim(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_address_is_known_before_any_launch),
        TEST(allocation_nodes_check_their_parameters),
        TEST(memory_has_one_free_node),
        TEST(memory_of_a_graph_is_not_freed_before_it_is_allocated),
        TEST(attributes_check_their_arguments),
        TEST(a_launch_allocates_and_frees),
        TEST(what_a_launch_allocates_is_freed_outside),
        TEST(memory_is_freed_by_the_next_launch_if_the_graph_says_so),
        TEST(memory_outlives_its_graph_until_it_is_freed),
        TEST(another_graph_may_free),
        TEST(a_later_graph_gets_memory_that_nothing_needs),
        TEST(a_graph_with_memory_is_not_cloned),
        TEST(a_launch_of_a_graph_with_memory_is_not_captured),
        TEST(captured_allocations_are_nodes),
        TEST(a_launch_without_memory_changes_nothing),
        TEST_OVER("cuda", "every HSA runtime with these functions reports a granularity",
                  a_device_without_virtual_memory_allocates_with_the_node),
        TEST_UNCHECKED(memory_is_lost_with_a_reset),
    };
    use_fake("80,90");
    setenv("AMD_LOG_LEVEL", "1", 1);
    return run_group("graph_memory", tests);
}
