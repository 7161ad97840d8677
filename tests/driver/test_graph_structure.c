/* Graphs as they are built: handles, nodes, edges, clones, user objects. Nothing is launched. */
#include "support.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
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

static hipGraph_t new_graph(void)
{
    hipGraph_t graph;
    ok(hipGraphCreate(&graph, 0));
    return graph;
}

static hipGraphNode_t empty_after(hipGraph_t graph, const hipGraphNode_t *dependencies,
                                  size_t count)
{
    hipGraphNode_t node;
    ok(hipGraphAddEmptyNode(&node, graph, dependencies, count));
    return node;
}

static hipGraphNode_t an_empty(hipGraph_t graph)
{
    return empty_after(graph, NULL, 0);
}

/* ---- graphs and nodes ------------------------------------------------------------------- */

static void graphs_are_made_and_destroyed_once(void **state)
{
    hipGraph_t graph;
    (void)state;
    expect(hipGraphCreate(NULL, 0), hipErrorInvalidValue);
    expect(hipGraphCreate(&graph, 1), hipErrorInvalidValue);
    refused(hipGraphDestroy(NULL), hipErrorInvalidValue, "hipGraphDestroy: the graph is NULL");
    graph = new_graph();
    ok(hipGraphDestroy(graph));
    refused(hipGraphDestroy(graph), hipErrorIllegalState,
            "is not a graph: it was destroyed, or was never one");
    refused(hipGraphDestroy((hipGraph_t)(void *)&graph), hipErrorIllegalState, "is not a graph");
}

static void a_new_node_names_each_of_its_dependencies_once(void **state)
{
    hipGraph_t graph = new_graph(), other = new_graph();
    hipGraphNode_t node, first = an_empty(graph), foreign = an_empty(other);
    hipGraphNode_t twice[] = {first, first}, stray[] = {first, foreign}, none[] = {first, NULL};
    (void)state;
    refused(hipGraphAddEmptyNode(&node, graph, twice, 2), hipErrorInvalidValue, "is named twice");
    refused(hipGraphAddEmptyNode(&node, graph, stray, 2), hipErrorInvalidValue,
            "is a node of another graph");
    refused(hipGraphAddEmptyNode(&node, graph, none, 2), hipErrorInvalidValue, "is not a node");
    refused(hipGraphAddEmptyNode(&node, NULL, NULL, 0), hipErrorInvalidValue,
            "hipGraphAddEmptyNode: the graph is NULL");
    expect(hipGraphAddEmptyNode(NULL, graph, NULL, 0), hipErrorInvalidValue);
    expect(hipGraphAddEmptyNode(&node, graph, NULL, 1), hipErrorInvalidValue);
    ok(hipGraphDestroy(other));
    refused(hipGraphAddEmptyNode(&node, graph, stray, 2), hipErrorInvalidValue, "is not a node");
    ok(hipGraphAddEmptyNode(&node, graph, twice, 1));
    ok(hipGraphDestroy(graph));
}

/* ---- user objects ------------------------------------------------------------------------ */

static void count_call(void *data)
{
    ++*(int *)data;
}

static hipUserObject_t new_object(int *calls, unsigned references)
{
    hipUserObject_t object;
    *calls = 0;
    ok(hipUserObjectCreate(&object, calls, count_call, references, hipUserObjectNoDestructorSync));
    return object;
}

static void a_user_object_is_destroyed_with_its_last_reference(void **state)
{
    int calls;
    hipUserObject_t object = new_object(&calls, 2);
    (void)state;
    ok(hipUserObjectRetain(object, 3));
    ok(hipUserObjectRelease(object, 4));
    check(calls == 0);
    ok(hipUserObjectRelease(object, 1));
    check(calls == 1);
}

static void user_objects_check_their_arguments(void **state)
{
    int calls;
    hipUserObject_t object;
    hipGraph_t graph = new_graph();
    const unsigned flags = hipUserObjectNoDestructorSync, many = (unsigned)INT_MAX + 1;
    (void)state;
    expect(hipUserObjectCreate(NULL, &calls, count_call, 1, flags), hipErrorInvalidValue);
    expect(hipUserObjectCreate(&object, &calls, NULL, 1, flags), hipErrorInvalidValue);
    expect(hipUserObjectCreate(&object, &calls, count_call, 0, flags), hipErrorInvalidValue);
    expect(hipUserObjectCreate(&object, &calls, count_call, many, flags), hipErrorInvalidValue);
    expect(hipUserObjectCreate(&object, &calls, count_call, 1, 0), hipErrorInvalidValue);
    object = new_object(&calls, 1);
    expect(hipUserObjectRetain(NULL, 1), hipErrorInvalidValue);
    expect(hipUserObjectRetain(object, 0), hipErrorInvalidValue);
    expect(hipUserObjectRelease(NULL, 1), hipErrorInvalidValue);
    expect(hipUserObjectRelease(object, many), hipErrorInvalidValue);
    expect(hipGraphRetainUserObject(NULL, object, 1, 0), hipErrorInvalidValue);
    expect(hipGraphRetainUserObject(graph, NULL, 1, 0), hipErrorInvalidValue);
    expect(hipGraphRetainUserObject(graph, object, 0, 0), hipErrorInvalidValue);
    expect(hipGraphRetainUserObject(graph, object, 1, 2), hipErrorInvalidValue);
    expect(hipGraphReleaseUserObject(NULL, object, 1), hipErrorInvalidValue);
    expect(hipGraphReleaseUserObject(graph, NULL, 1), hipErrorInvalidValue);
    expect(hipGraphReleaseUserObject(graph, object, 0), hipErrorInvalidValue);
    check(calls == 0);
    ok(hipUserObjectRelease(object, 1));
    check(calls == 1);
    ok(hipGraphDestroy(graph));
}

static void a_graph_drops_its_references_when_it_is_destroyed(void **state)
{
    int calls;
    hipUserObject_t object = new_object(&calls, 2);
    hipGraph_t graph = new_graph(), other = new_graph();
    (void)state;
    ok(hipGraphRetainUserObject(graph, object, 2, hipGraphUserObjectMove));
    ok(hipGraphRetainUserObject(other, object, 3, 0));
    ok(hipGraphReleaseUserObject(graph, object, 1));
    ok(hipGraphDestroy(graph));
    check(calls == 0);
    ok(hipGraphReleaseUserObject(other, object, 1));
    check(calls == 0);
    ok(hipGraphDestroy(other));
    check(calls == 1);
}

/* HIP gives no error for these, so that the log is the only place that tells of them. */
static void more_references_than_there_are_stand_for_all_of_them(void **state)
{
    int calls;
    hipUserObject_t object = new_object(&calls, 2);
    hipGraph_t graph = new_graph();
    (void)state;
    ok(hipGraphRetainUserObject(graph, object, 1, 0));
    refused(hipUserObjectRelease(object, 3), hipSuccess,
            "hipUserObjectRelease of 3 references to a user object of which the application has 2");
    check(calls == 0);
    refused(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove), hipSuccess,
            "hipGraphRetainUserObject of 1 references");
    refused(hipGraphReleaseUserObject(graph, object, 4), hipSuccess, "the graph has 1");
    check(calls == 1);
    refused(hipUserObjectRetain(object, 1), hipSuccess, "does not exist (any more)");
    refused(hipUserObjectRelease(object, 1), hipSuccess, "hipUserObjectRelease does nothing");
    refused(hipGraphRetainUserObject(graph, object, 1, 0), hipSuccess, "does nothing");
    refused(hipGraphReleaseUserObject(graph, object, 1), hipSuccess, "the graph has 0");
    check(calls == 1);
    ok(hipGraphDestroy(graph));
}

/* The destructor calls HIP, which would wait for ever if a lock were held. */
static void call_back(void *data)
{
    hipGraph_t graph;
    ++*(int *)data;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphDestroy(graph));
}

static void destructors_run_without_a_lock(void **state)
{
    int calls = 0;
    hipUserObject_t object;
    hipGraph_t graph = new_graph();
    (void)state;
    ok(hipUserObjectCreate(&object, &calls, call_back, 1, hipUserObjectNoDestructorSync));
    ok(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
    ok(hipGraphDestroy(graph));
    check(calls == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(graphs_are_made_and_destroyed_once),
        TEST(a_new_node_names_each_of_its_dependencies_once),
        TEST(a_user_object_is_destroyed_with_its_last_reference),
        TEST(user_objects_check_their_arguments),
        TEST(a_graph_drops_its_references_when_it_is_destroyed),
        TEST(more_references_than_there_are_stand_for_all_of_them),
        TEST(destructors_run_without_a_lock),
    };
    use_fake("80,90");
    setenv("AMD_LOG_LEVEL", "2", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
