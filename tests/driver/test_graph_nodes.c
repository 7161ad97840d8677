/* Nodes of the types that need no device code: their parameters, and what they own. Nothing is
 * launched. */
#include "graph_support.h"

#include <stdlib.h>
#include <string.h>

static hipGraphNodeType type_of(hipGraphNode_t node)
{
    hipGraphNodeType type;
    ok(hipGraphNodeGetType(node, &type));
    return type;
}

/* ---- host functions ------------------------------------------------------------------------ */

static void count_call(void *data)
{
    ++*(int *)data;
}

static void a_host_node_has_a_function(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node, empty = an_empty(graph);
    hipHostNodeParams params = {count_call, &node}, got = {NULL, NULL};
    (void)state;
    ok(hipGraphAddHostNode(&node, graph, &empty, 1, &params));
    check(type_of(node) == hipGraphNodeTypeHost);
    ok(hipGraphHostNodeGetParams(node, &got));
    check(got.fn == count_call && got.userData == &node);
    params.userData = NULL;
    ok(hipGraphHostNodeSetParams(node, &params));
    ok(hipGraphHostNodeGetParams(node, &got));
    check(!got.userData);
    refused(hipGraphHostNodeSetParams(empty, &params), hipErrorInvalidValue,
            "hipGraphHostNodeSetParams: this is an empty node");
    refused(hipGraphHostNodeGetParams(empty, &got), hipErrorInvalidValue, "this is a");
    expect(hipGraphHostNodeGetParams(node, NULL), hipErrorInvalidValue);
    refused(hipGraphHostNodeSetParams(NULL, &params), hipErrorInvalidValue, "the node is NULL");
    expect(hipGraphHostNodeSetParams(node, NULL), hipErrorInvalidValue);
    params.fn = NULL;
    refused(hipGraphHostNodeSetParams(node, &params), hipErrorInvalidValue,
            "there is no function to call");
    refused(hipGraphAddHostNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue,
            "hipGraphAddHostNode: there is no function");
    expect(hipGraphAddHostNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    ok(hipGraphDestroy(graph));
}

/* ---- memset --------------------------------------------------------------------------------- */

static hipMemsetParams four_rows(void *memory)
{
    return (hipMemsetParams){
        .dst = memory, .elementSize = 4, .height = 4, .pitch = 64, .value = 7, .width = 8};
}

static void a_memset_node_has_rows(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node;
    hipCtx_t context;
    void *memory;
    (void)state;
    ok(hipMalloc(&memory, 256));
    hipMemsetParams params = four_rows(memory), got;
    ok(hipGraphAddMemsetNode(&node, graph, NULL, 0, &params));
    check(type_of(node) == hipGraphNodeTypeMemset);
    memset(&got, 0, sizeof got);
    ok(hipGraphMemsetNodeGetParams(node, &got));
    check(got.dst == memory && got.elementSize == 4 && got.height == 4 && got.pitch == 64 &&
          got.value == 7 && got.width == 8);
    params.height = 1;
    params.pitch = 0;
    ok(hipGraphMemsetNodeSetParams(node, &params));
    ok(hipGraphMemsetNodeGetParams(node, &got));
    check(got.height == 1 && got.pitch == 0);
    ok(hipDevicePrimaryCtxRetain(&context, 0));
    ok(hipDrvGraphAddMemsetNode(&node, graph, &node, 1, &params, context));
    ok(hipDrvGraphAddMemsetNode(&node, graph, &node, 1, &params, NULL));
    expect(hipDrvGraphAddMemsetNode(&node, graph, NULL, 0, &params, (hipCtx_t)(void *)&node),
           hipErrorInvalidContext);
    ok(hipDevicePrimaryCtxRelease(0));
    ok(hipGraphDestroy(graph));
    ok(hipFree(memory));
}

static void a_memset_node_refuses_rows_that_cannot_be_filled(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node, empty = an_empty(graph);
    void *memory;
    (void)state;
    ok(hipMalloc(&memory, 256));
    hipMemsetParams good = four_rows(memory);
    ok(hipGraphAddMemsetNode(&node, graph, NULL, 0, &good));
    const struct {
        hipMemsetParams params;
        const char *words;
    } bad[] = {
        {{.dst = memory, .elementSize = 3, .height = 1, .width = 8}, "1 rows of 8 elements of 3"},
        {{.dst = memory, .elementSize = 8, .height = 1, .width = 8}, "sizes are not 0"},
        {{.dst = memory, .elementSize = 4, .height = 0, .width = 8}, "sizes are not 0"},
        {{.dst = memory, .elementSize = 4, .height = 1, .width = 0}, "sizes are not 0"},
        {{.dst = memory, .elementSize = 4, .height = 2, .pitch = 28, .width = 8}, "do not overlap"},
        {{.dst = memory, .elementSize = 4, .height = 2, .pitch = 34, .width = 8}, "are aligned"},
        {{.dst = (char *)memory + 1, .elementSize = 2, .height = 1, .width = 8}, "are aligned"},
        {{.dst = memory, .elementSize = 4, .height = 1, .width = 65}, "reaches past the end"},
        {{.dst = memory, .elementSize = 4, .height = 5, .pitch = 64, .width = 8}, "reaches past"},
        {{.dst = memory, .elementSize = 4, .height = 1, .width = SIZE_MAX / 2}, "do not overlap"},
        {{.dst = &good, .elementSize = 4, .height = 1, .width = 1}, "not memory that a device can"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refused(hipGraphAddMemsetNode(&node, graph, NULL, 0, &bad[i].params), hipErrorInvalidValue,
                bad[i].words);
        refused(hipGraphMemsetNodeSetParams(node, &bad[i].params), hipErrorInvalidValue,
                bad[i].words);
    }
    good.dst = NULL;
    expect(hipGraphAddMemsetNode(&node, graph, NULL, 0, &good), hipErrorInvalidValue);
    good.dst = memory;
    expect(hipGraphAddMemsetNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipGraphMemsetNodeGetParams(node, NULL), hipErrorInvalidValue);
    refused(hipGraphMemsetNodeGetParams(empty, &good), hipErrorInvalidValue, "this is a");
    refused(hipGraphMemsetNodeSetParams(empty, &good), hipErrorInvalidValue, "this is a");
    ok(hipGraphDestroy(graph));
    ok(hipFree(memory));
}

/* ---- events ---------------------------------------------------------------------------------- */

static void event_nodes_have_an_event(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t record, wait;
    hipEvent_t event, other, got = NULL;
    (void)state;
    ok(hipEventCreate(&event));
    ok(hipEventCreate(&other));
    ok(hipGraphAddEventRecordNode(&record, graph, NULL, 0, event));
    ok(hipGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    check(type_of(record) == hipGraphNodeTypeEventRecord);
    check(type_of(wait) == hipGraphNodeTypeWaitEvent);
    ok(hipGraphEventRecordNodeSetEvent(record, other));
    ok(hipGraphEventRecordNodeGetEvent(record, &got));
    check(got == other);
    ok(hipGraphEventWaitNodeGetEvent(wait, &got));
    check(got == event);
    ok(hipGraphEventWaitNodeSetEvent(wait, other));
    ok(hipGraphEventWaitNodeGetEvent(wait, &got));
    check(got == other);
    refused(hipGraphEventWaitNodeGetEvent(record, &got), hipErrorInvalidValue, "this is a");
    refused(hipGraphEventRecordNodeSetEvent(wait, event), hipErrorInvalidValue, "this is a");
    expect(hipGraphEventRecordNodeGetEvent(record, NULL), hipErrorInvalidValue);
    refused(hipGraphEventRecordNodeSetEvent(record, NULL), hipErrorInvalidValue, "is not an event");
    ok(hipEventDestroy(event));
    refused(hipGraphAddEventRecordNode(&record, graph, NULL, 0, event), hipErrorInvalidValue,
            "hipGraphAddEventRecordNode: ");
    refused(hipGraphAddEventWaitNode(&wait, graph, NULL, 0, NULL), hipErrorInvalidValue,
            "is not an event");
    ok(hipGraphDestroy(graph));
    ok(hipEventDestroy(other));
}

/* after_each fails if the driver still has the event at the end. */
static void a_graph_keeps_the_events_of_its_nodes(void **state)
{
    hipGraph_t graph = new_graph(), clone;
    hipGraphNode_t node;
    hipEvent_t event;
    (void)state;
    ok(hipEventCreate(&event));
    ok(hipGraphAddEventRecordNode(&node, graph, NULL, 0, event));
    ok(hipEventDestroy(event));
    expect(hipEventQuery(event), hipErrorInvalidHandle);
    expect(hipEventDestroy(event), hipErrorContextIsDestroyed);
    ok(hipGraphClone(&clone, graph));
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(clone));
}

static void a_graph_outlives_the_reset_of_its_events_device(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node;
    hipEvent_t kept, destroyed;
    (void)state;
    ok(hipEventCreate(&kept));
    ok(hipEventCreate(&destroyed));
    ok(hipGraphAddEventRecordNode(&node, graph, NULL, 0, kept));
    ok(hipGraphAddEventWaitNode(&node, graph, NULL, 0, destroyed));
    ok(hipEventDestroy(destroyed));
    ok(hipDeviceReset());
    expect(hipEventQuery(kept), hipErrorInvalidHandle);
    ok(hipGraphDestroy(graph));
}

/* ---- child graphs ------------------------------------------------------------------------------
 */

static size_t node_count(hipGraph_t graph)
{
    size_t count;
    ok(hipGraphGetNodes(graph, NULL, &count));
    return count;
}

static hipGraph_t child_of(hipGraphNode_t node)
{
    hipGraph_t graph;
    ok(hipGraphChildGraphNodeGetGraph(node, &graph));
    return graph;
}

static void a_child_is_a_copy_that_belongs_to_its_node(void **state)
{
    hipGraph_t graph = new_graph(), child = new_graph(), clone;
    hipGraphNode_t inner = an_empty(child), node, copy;
    (void)state;
    ok(hipGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    check(type_of(node) == hipGraphNodeTypeGraph);
    hipGraph_t owned = child_of(node);
    check(owned != child && node_count(owned) == 1);
    ok(hipGraphNodeFindInClone(&copy, inner, owned));
    (void)an_empty(child);
    ok(hipGraphDestroy(child));
    check(node_count(owned) == 1);
    (void)an_empty(owned); /* it can be changed, but not destroyed */
    refused(hipGraphDestroy(owned), hipErrorInvalidValue, "belongs to a child graph node");
    ok(hipGraphClone(&clone, graph));
    ok(hipGraphNodeFindInClone(&copy, node, clone));
    check(child_of(copy) != owned && node_count(child_of(copy)) == 2);
    ok(hipGraphDestroyNode(node));
    refused(hipGraphDestroy(owned), hipErrorIllegalState, "is not a graph");
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(clone));
}

static void a_graph_may_be_its_own_child(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node;
    (void)state;
    (void)an_empty(graph);
    for (size_t i = 1; i < 4; i++) {
        ok(hipGraphAddChildGraphNode(&node, graph, NULL, 0, graph));
        check(node_count(graph) == i + 1 && node_count(child_of(node)) == i);
    }
    ok(hipGraphDestroy(graph));
}

static void child_graph_nodes_check_their_arguments(void **state)
{
    hipGraph_t graph = new_graph(), child = new_graph();
    hipGraphNode_t node = NULL, empty = an_empty(graph);
    (void)state;
    expect(hipGraphAddChildGraphNode(NULL, graph, NULL, 0, child), hipErrorInvalidValue);
    refused(hipGraphAddChildGraphNode(&node, NULL, NULL, 0, child), hipErrorInvalidValue,
            "hipGraphAddChildGraphNode: the graph is NULL");
    refused(hipGraphAddChildGraphNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue,
            "hipGraphAddChildGraphNode: the graph is NULL");
    expect(hipGraphAddChildGraphNode(&node, graph, NULL, 1, child), hipErrorInvalidValue);
    refused(hipGraphChildGraphNodeGetGraph(empty, &child), hipErrorInvalidValue, "this is a");
    expect(hipGraphChildGraphNodeGetGraph(empty, NULL), hipErrorInvalidValue);
    refused(hipGraphChildGraphNodeGetGraph(NULL, &child), hipErrorInvalidValue, "is NULL");
    check(!node && node_count(graph) == 1);
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(child));
}

static void a_child_has_references_to_user_objects(void **state)
{
    int calls = 0;
    hipUserObject_t object;
    hipGraph_t graph = new_graph(), child = new_graph();
    hipGraphNode_t node;
    (void)state;
    ok(hipUserObjectCreate(&object, &calls, count_call, 1, hipUserObjectNoDestructorSync));
    ok(hipGraphRetainUserObject(child, object, 1, hipGraphUserObjectMove));
    ok(hipGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    ok(hipGraphDestroy(child));
    check(calls == 0);
    ok(hipGraphDestroyNode(node));
    check(calls == 1);
    ok(hipGraphDestroy(graph));
}

/* ---- any type ----------------------------------------------------------------------------------
 */

static hipGraphNode_t add_any(hipGraph_t graph, hipGraphNodeParams params)
{
    hipGraphNode_t node;
    ok(hipGraphAddNode(&node, graph, NULL, 0, &params));
    check(type_of(node) == params.type);
    return node;
}

static void one_function_adds_and_changes_nodes_of_any_type(void **state)
{
    hipGraph_t graph = new_graph(), child = new_graph();
    hipEvent_t event, got_event = NULL;
    hipMemsetParams got_rows;
    hipHostNodeParams got_host;
    void *memory;
    (void)state;
    (void)an_empty(child);
    ok(hipEventCreate(&event));
    ok(hipMalloc(&memory, 256));
    (void)add_any(graph, (hipGraphNodeParams){.type = hipGraphNodeTypeEmpty});
    hipGraphNodeParams params = {.type = hipGraphNodeTypeMemset, .memset = four_rows(memory)};
    hipGraphNode_t node = add_any(graph, params);
    params.memset.value = 9;
    ok(hipGraphNodeSetParams(node, &params));
    ok(hipGraphMemsetNodeGetParams(node, &got_rows));
    check(got_rows.value == 9);
    params = (hipGraphNodeParams){.type = hipGraphNodeTypeHost, .host = {count_call, NULL}};
    node = add_any(graph, params);
    params.host.userData = &node;
    ok(hipGraphNodeSetParams(node, &params));
    ok(hipGraphHostNodeGetParams(node, &got_host));
    check(got_host.userData == &node);
    params = (hipGraphNodeParams){.type = hipGraphNodeTypeEventRecord, .eventRecord = {event}};
    ok(hipGraphNodeSetParams(add_any(graph, params), &params));
    params = (hipGraphNodeParams){.type = hipGraphNodeTypeWaitEvent, .eventWait = {event}};
    node = add_any(graph, params);
    ok(hipGraphEventWaitNodeGetEvent(node, &got_event));
    check(got_event == event);
    params = (hipGraphNodeParams){.type = hipGraphNodeTypeGraph, .graph = {child}};
    node = add_any(graph, params);
    (void)an_empty(child);
    check(node_count(child_of(node)) == 1);
    ok(hipGraphNodeSetParams(node, &params));
    check(node_count(child_of(node)) == 2);
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(child));
    ok(hipEventDestroy(event));
    ok(hipFree(memory));
}

static void memory_nodes_are_added_and_stay_as_they_are(void **state)
{
    hipGraph_t graph = new_graph(), clone;
    hipGraphNode_t node;
    hipGraphNodeParams params = {
        .type = hipGraphNodeTypeMemAlloc,
        .alloc = {.bytesize = 256,
                  .poolProps = {.allocType = hipMemAllocationTypePinned,
                                .location = {.type = hipMemLocationTypeDevice}}}};
    (void)state;
    ok(hipGraphAddNode(&node, graph, NULL, 0, &params));
    check(type_of(node) == hipGraphNodeTypeMemAlloc && params.alloc.dptr);
    refused(hipGraphNodeSetParams(node, &params), hipErrorNotSupported, "do not change");
    refused(hipGraphDestroyNode(node), hipErrorNotSupported, "goes with its graph only");
    refused(hipGraphClone(&clone, graph), hipErrorNotSupported, "cannot be cloned");
    refused(hipGraphAddChildGraphNode(&node, graph, NULL, 0, graph), hipErrorNotSupported,
            "nor be a child");
    params.free.dptr = params.alloc.dptr;
    params.type = hipGraphNodeTypeMemFree;
    ok(hipGraphAddNode(&node, graph, &node, 1, &params));
    refused(hipGraphDestroyNode(node), hipErrorNotSupported, "goes with its graph only");
    ok(hipGraphDestroy(graph));
}

static void any_node_checks_its_arguments(void **state)
{
    hipGraph_t graph = new_graph();
    hipGraphNode_t node, empty = an_empty(graph);
    hipGraphNodeParams params = {.type = hipGraphNodeTypeHost, .host = {count_call, NULL}};
    (void)state;
    expect(hipGraphAddNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipGraphAddNode(NULL, graph, NULL, 0, &params), hipErrorInvalidValue);
    expect(hipGraphAddNode(&node, graph, NULL, 1, &params), hipErrorInvalidValue);
    refused(hipGraphAddNode(&node, NULL, NULL, 0, &params), hipErrorInvalidValue,
            "hipGraphAddNode: the graph is NULL");
    expect(hipGraphNodeSetParams(empty, NULL), hipErrorInvalidValue);
    refused(hipGraphNodeSetParams(empty, &params), hipErrorInvalidValue,
            "hipGraphNodeSetParams: this is an empty node");
    refused(hipGraphNodeSetParams(NULL, &params), hipErrorInvalidValue, "the node is NULL");
    params.type = (hipGraphNodeType)32;
    refused(hipGraphAddNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue,
            "there are no nodes of type 32");
    params = (hipGraphNodeParams){.type = hipGraphNodeTypeGraph};
    refused(hipGraphAddNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue, "is NULL");
    params = (hipGraphNodeParams){.type = hipGraphNodeTypeEventRecord};
    refused(hipGraphAddNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue, "not an event");
    check(node_count(graph) == 1);
    ok(hipGraphDestroy(graph));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_host_node_has_a_function),
        TEST(a_memset_node_has_rows),
        TEST(a_memset_node_refuses_rows_that_cannot_be_filled),
        TEST(event_nodes_have_an_event),
        TEST(a_graph_keeps_the_events_of_its_nodes),
        TEST(a_graph_outlives_the_reset_of_its_events_device),
        TEST(a_child_is_a_copy_that_belongs_to_its_node),
        TEST(a_graph_may_be_its_own_child),
        TEST(child_graph_nodes_check_their_arguments),
        TEST(a_child_has_references_to_user_objects),
        TEST(one_function_adds_and_changes_nodes_of_any_type),
        TEST(memory_nodes_are_added_and_stay_as_they_are),
        TEST(any_node_checks_its_arguments),
    };
    use_fake("80,90");
    setenv("AMD_LOG_LEVEL", "2", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
