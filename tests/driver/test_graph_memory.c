/* Memory that graphs allocate and free: addresses, parameters, how much it is, and when it ends. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096 };

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_address_is_known_before_any_launch),
        TEST(allocation_nodes_check_their_parameters),
        TEST(memory_has_one_free_node),
        TEST(memory_of_a_graph_is_not_freed_before_it_is_allocated),
        TEST(attributes_check_their_arguments),
    };
    use_fake("80,90");
    setenv("AMD_LOG_LEVEL", "1", 1);
    return run_group("graph_memory", tests);
}
