/* Graphs as they are built: handles, nodes, edges, clones, user objects. Nothing is launched. */
#include "graph_support.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    refused(hipGraphAddEmptyNode(&node, graph, NULL, 1), hipErrorInvalidValue,
            "the new node has 1 dependencies and no list of them");
    ok(hipGraphDestroy(other));
    refused(hipGraphAddEmptyNode(&node, graph, stray, 2), hipErrorInvalidValue, "is not a node");
    ok(hipGraphAddEmptyNode(&node, graph, twice, 1));
    ok(hipGraphDestroy(graph));
}

/* ---- edges ------------------------------------------------------------------------------- */

static size_t edge_count(hipGraph_t graph)
{
    size_t count = 77;
    ok(hipGraphGetEdges(graph, NULL, NULL, &count));
    return count;
}

/* 0 and 1 before 2, 2 before 3; 4 by itself. */
static hipGraph_t five_nodes(hipGraphNode_t *nodes)
{
    hipGraph_t graph = new_graph();
    nodes[0] = an_empty(graph);
    nodes[1] = an_empty(graph);
    nodes[2] = empty_after(graph, nodes, 2);
    nodes[3] = empty_after(graph, nodes + 2, 1);
    nodes[4] = an_empty(graph);
    return graph;
}

static void lists_fill_the_places_that_there_are(void **state)
{
    hipGraphNode_t nodes[5], got[7];
    hipGraph_t graph = five_nodes(nodes);
    size_t count = 0;
    (void)state;
    ok(hipGraphGetNodes(graph, NULL, &count));
    check(count == 5);
    count = 2;
    ok(hipGraphGetNodes(graph, got, &count));
    check(count == 2 && got[0] == nodes[0] && got[1] == nodes[1]);
    count = 7;
    ok(hipGraphGetNodes(graph, got, &count));
    check(count == 5 && memcmp(got, nodes, sizeof nodes) == 0 && !got[5] && !got[6]);
    count = 7;
    ok(hipGraphGetRootNodes(graph, got, &count));
    check(count == 3 && got[0] == nodes[0] && got[1] == nodes[1] && got[2] == nodes[4] && !got[3]);
    count = 1;
    ok(hipGraphNodeGetDependencies(nodes[2], got, &count));
    check(count == 1 && got[0] == nodes[0]);
    count = 3;
    ok(hipGraphNodeGetDependencies(nodes[2], got, &count));
    check(count == 2 && got[1] == nodes[1] && !got[2]);
    ok(hipGraphNodeGetDependentNodes(nodes[2], NULL, &count));
    check(count == 1);
    ok(hipGraphNodeGetDependentNodes(nodes[2], got, &count));
    check(got[0] == nodes[3]);
    ok(hipGraphDestroy(graph));
}

static void edges_are_listed_by_their_first_node(void **state)
{
    hipGraphNode_t nodes[5], from[4], to[4];
    hipGraph_t graph = five_nodes(nodes);
    size_t count = 4;
    (void)state;
    check(edge_count(graph) == 3);
    ok(hipGraphGetEdges(graph, from, to, &count));
    check(count == 3 && from[0] == nodes[0] && to[0] == nodes[2] && from[1] == nodes[1] &&
          to[1] == nodes[2] && from[2] == nodes[2] && to[2] == nodes[3] && !from[3] && !to[3]);
    count = 1;
    from[1] = to[1] = NULL;
    ok(hipGraphGetEdges(graph, from, to, &count));
    check(count == 1 && from[0] == nodes[0] && !from[1] && !to[1]);
    expect(hipGraphGetEdges(graph, from, NULL, &count), hipErrorInvalidValue);
    expect(hipGraphGetEdges(graph, NULL, to, &count), hipErrorInvalidValue);
    expect(hipGraphGetEdges(graph, from, to, NULL), hipErrorInvalidValue);
    refused(hipGraphGetEdges(NULL, from, to, &count), hipErrorInvalidValue, "the graph is NULL");
    ok(hipGraphDestroy(graph));
    refused(hipGraphGetEdges(graph, from, to, &count), hipErrorInvalidValue, "is not a graph");
}

static void queries_check_their_arguments(void **state)
{
    hipGraphNode_t nodes[5];
    hipGraph_t graph = five_nodes(nodes);
    hipGraphNodeType type;
    size_t count = 1;
    (void)state;
    ok(hipGraphNodeGetType(nodes[0], &type));
    check(type == hipGraphNodeTypeEmpty);
    expect(hipGraphNodeGetType(nodes[0], NULL), hipErrorInvalidValue);
    refused(hipGraphNodeGetType(NULL, &type), hipErrorInvalidValue, "the node is NULL");
    expect(hipGraphGetNodes(graph, nodes, NULL), hipErrorInvalidValue);
    expect(hipGraphGetRootNodes(graph, nodes, NULL), hipErrorInvalidValue);
    expect(hipGraphNodeGetDependencies(nodes[0], NULL, NULL), hipErrorInvalidValue);
    expect(hipGraphNodeGetDependentNodes(nodes[0], NULL, NULL), hipErrorInvalidValue);
    refused(hipGraphGetNodes(NULL, NULL, &count), hipErrorInvalidValue, "hipGraphGetNodes");
    refused(hipGraphGetRootNodes(NULL, NULL, &count), hipErrorInvalidValue, "hipGraphGetRootNodes");
    ok(hipGraphDestroy(graph));
    refused(hipGraphNodeGetDependencies(nodes[0], NULL, &count), hipErrorInvalidValue,
            "is not a node: it was destroyed, or was never one");
    refused(hipGraphNodeGetDependentNodes(nodes[0], NULL, &count), hipErrorInvalidValue,
            "hipGraphNodeGetDependentNodes");
}

static void edges_are_added_and_removed_all_or_none(void **state)
{
    hipGraphNode_t nodes[5];
    hipGraph_t graph = five_nodes(nodes), other = new_graph();
    hipGraphNode_t foreign = an_empty(other);
    hipGraphNode_t from[] = {nodes[3], nodes[0]}, to[] = {nodes[4], nodes[2]};
    hipGraphNode_t stray[] = {nodes[4], foreign};
    (void)state;
    refused(hipGraphAddDependencies(graph, from, to, 2), hipErrorInvalidValue, "already");
    check(edge_count(graph) == 3);
    refused(hipGraphAddDependencies(graph, from, stray, 2), hipErrorInvalidValue,
            "is of another graph");
    refused(hipGraphAddDependencies(graph, from, from, 1), hipErrorInvalidValue,
            "cannot depend on itself");
    refused(hipGraphRemoveDependencies(graph, from, to, 1), hipErrorInvalidValue,
            "does not depend on node");
    ok(hipGraphAddDependencies(graph, from, to, 1));
    ok(hipGraphRemoveDependencies(graph, from, to, 2));
    check(edge_count(graph) == 2);
    ok(hipGraphAddDependencies(graph, NULL, NULL, 0));
    ok(hipGraphRemoveDependencies(graph, NULL, NULL, 0));
    refused(hipGraphAddDependencies(graph, NULL, to, 1), hipErrorInvalidValue,
            "a list of their ends is NULL");
    refused(hipGraphRemoveDependencies(graph, from, NULL, 1), hipErrorInvalidValue,
            "hipGraphRemoveDependencies: there are 1 dependencies");
    refused(hipGraphAddDependencies(NULL, from, to, 1), hipErrorInvalidValue, "the graph is NULL");
    ok(hipGraphDestroy(other));
    ok(hipGraphDestroy(graph));
}

/* HIP lets an application close a cycle and open it again. */
static void a_cycle_is_found_by_those_who_need_an_order(void **state)
{
    hipGraphNode_t nodes[5], got[5];
    hipGraph_t graph = five_nodes(nodes);
    size_t count = 5;
    (void)state;
    ok(hipGraphAddDependencies(graph, &nodes[3], &nodes[0], 1));
    refused(hipGraphGetNodes(graph, got, &count), hipErrorInvalidValue,
            "the dependencies of 3 nodes of the graph form a cycle or follow one");
    ok(hipGraphRemoveDependencies(graph, &nodes[0], &nodes[2], 1));
    ok(hipGraphGetNodes(graph, got, &count));
    const hipGraphNode_t order[] = {nodes[1], nodes[2], nodes[3], nodes[0], nodes[4]};
    check(memcmp(got, order, sizeof got) == 0);
    ok(hipGraphDestroy(graph));
}

static void a_destroyed_node_takes_its_edges_along(void **state)
{
    hipGraphNode_t nodes[5], got[5];
    hipGraph_t graph = five_nodes(nodes);
    size_t count = 5;
    (void)state;
    ok(hipGraphDestroyNode(nodes[2]));
    refused(hipGraphDestroyNode(nodes[2]), hipErrorInvalidValue, "is not a node");
    refused(hipGraphDestroyNode(NULL), hipErrorInvalidValue,
            "hipGraphDestroyNode: the node is NULL");
    check(edge_count(graph) == 0);
    ok(hipGraphNodeGetDependencies(nodes[3], NULL, &count));
    check(count == 0);
    ok(hipGraphGetNodes(graph, got, &count));
    ok(hipGraphGetNodes(graph, NULL, &count));
    check(count == 4);
    ok(hipGraphDestroy(graph));
}

/* ---- clones ------------------------------------------------------------------------------ */

static hipGraphNode_t copy_of(hipGraphNode_t node, hipGraph_t clone)
{
    hipGraphNode_t copy;
    ok(hipGraphNodeFindInClone(&copy, node, clone));
    return copy;
}

static void a_clone_has_copies_of_nodes_and_edges(void **state)
{
    hipGraphNode_t nodes[5], got[5];
    hipGraph_t graph = five_nodes(nodes), clone;
    size_t count = 5;
    (void)state;
    ok(hipGraphClone(&clone, graph));
    check(edge_count(clone) == 3);
    hipGraphNode_t copy = copy_of(nodes[2], clone);
    check(copy != nodes[2]);
    ok(hipGraphNodeGetDependencies(copy, got, &count));
    check(count == 2 && got[0] == copy_of(nodes[0], clone) && got[1] == copy_of(nodes[1], clone));
    ok(hipGraphDestroyNode(copy_of(nodes[0], clone)));
    (void)an_empty(clone);
    check(copy_of(nodes[2], clone) == copy); /* its place in the clone is another now */
    check(copy_of(nodes[1], clone) != copy && copy_of(nodes[4], clone) != copy);
    check(edge_count(graph) == 3 && edge_count(clone) == 2);
    ok(hipGraphDestroy(graph));
    check(edge_count(clone) == 2);
    ok(hipGraphDestroy(clone));
}

static void finding_a_copy_checks_its_arguments(void **state)
{
    hipGraphNode_t nodes[5], found;
    hipGraph_t graph = five_nodes(nodes), clone;
    (void)state;
    expect(hipGraphClone(NULL, graph), hipErrorInvalidValue);
    refused(hipGraphClone(&clone, NULL), hipErrorInvalidValue, "hipGraphClone: the graph is NULL");
    ok(hipGraphClone(&clone, graph));
    hipGraphNode_t later = an_empty(graph);
    refused(hipGraphNodeFindInClone(&found, later, clone), hipErrorInvalidValue,
            "the graph has no copy of node");
    refused(hipGraphNodeFindInClone(&found, nodes[0], graph), hipErrorInvalidValue, "no copy");
    expect(hipGraphNodeFindInClone(NULL, nodes[0], clone), hipErrorInvalidValue);
    refused(hipGraphNodeFindInClone(&found, NULL, clone), hipErrorInvalidValue, "the node is NULL");
    refused(hipGraphNodeFindInClone(&found, nodes[0], NULL), hipErrorInvalidValue, "is NULL");
    ok(hipGraphDestroyNode(nodes[0]));
    refused(hipGraphNodeFindInClone(&found, nodes[0], clone), hipErrorInvalidValue,
            "is not a node");
    ok(hipGraphDestroy(clone));
    ok(hipGraphDestroy(graph));
}

/* ---- pictures ------------------------------------------------------------------------------ */

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    check(file);
    if (getdelim(&text, &size, 0, file) < 0)
        check(feof(file));
    fclose(file);
    return text;
}

/* What hipGraphDebugDotPrint writes with these flags, to be freed. */
static char *dot_of(hipGraph_t graph, unsigned flags)
{
    char path[] = "/tmp/graph-XXXXXX";
    int file = mkstemp(path);
    check(file >= 0);
    close(file);
    ok(hipGraphDebugDotPrint(graph, path, flags));
    char *text = read_file(path);
    unlink(path);
    return text;
}

static void do_nothing(void *data)
{
    (void)data;
}

static void a_picture_has_every_node_and_edge_once(void **state)
{
    hipGraphNode_t nodes[5], node;
    hipGraph_t graph = five_nodes(nodes), child = new_graph();
    hipHostNodeParams host = {do_nothing, NULL};
    (void)state;
    ok(hipGraphAddHostNode(&node, child, NULL, 0, &host));
    ok(hipGraphAddChildGraphNode(&node, graph, nodes, 2, child));
    char *text = dot_of(graph, 0);
    check(strncmp(text, "digraph", 7) == 0);
    check(count_text(text, "EMPTY") == 5 && count_text(text, "HOST") == 1);
    check(count_text(text, "CHILD_GRAPH") == 1 && count_text(text, "subgraph") == 2);
    check(count_text(text, "->") == 5 && count_text(text, "function|") == 0);
    free(text);
    text = dot_of(graph, hipGraphDebugDotFlagsHostNodeParams);
    check(count_text(text, "{function|0x") == 1 && count_text(text, "node handle") == 0);
    free(text);
    text = dot_of(graph, hipGraphDebugDotFlagsVerbose);
    check(count_text(text, "{function|0x") == 1 && count_text(text, "{node handle|0x") == 7);
    free(text);
    ok(hipGraphDestroy(child));
    ok(hipGraphDestroy(graph));
}

static void a_picture_needs_a_graph_and_a_file(void **state)
{
    hipGraph_t graph = new_graph();
    (void)state;
    refused(hipGraphDebugDotPrint(NULL, "/tmp/never", 0), hipErrorInvalidValue,
            "hipGraphDebugDotPrint: the graph is NULL");
    expect(hipGraphDebugDotPrint(graph, NULL, 0), hipErrorInvalidValue);
    refused(hipGraphDebugDotPrint(graph, "", 0), hipErrorOperatingSystem,
            "cannot write a file without a name: No such file");
    refused(hipGraphDebugDotPrint(graph, "/dev/full", 0), hipErrorOperatingSystem,
            "cannot write /dev/full: No space left");
    char *text = dot_of(graph, ~0U); /* flags that do not exist mean nothing */
    check(strstr(text, "subgraph"));
    free(text);
    ok(hipGraphDestroy(graph));
    refused(hipGraphDebugDotPrint(graph, "/tmp/never", 0), hipErrorInvalidValue, "is not a graph");
}

/* ---- large graphs ------------------------------------------------------------------------- */

/* A hub before 10,000 nodes and another after them, and a chain through them that was linked from
 * its end: what takes quadratic time in any of the calls would take minutes under a sanitizer. */
static void ten_thousand_nodes_are_no_effort(void **state)
{
    enum { COUNT = 10000 };
    hipGraphNode_t *nodes = malloc(COUNT * sizeof *nodes), *got = malloc(COUNT * sizeof *got);
    hipGraph_t graph = new_graph(), clone;
    hipGraphNode_t first = an_empty(graph);
    size_t count = COUNT;
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        nodes[i] = empty_after(graph, &first, 1);
    hipGraphNode_t last = empty_after(graph, nodes, COUNT);
    for (size_t i = 0; i + 1 < COUNT; i++)
        ok(hipGraphAddDependencies(graph, &nodes[COUNT - 1 - i], &nodes[COUNT - 2 - i], 1));
    check(edge_count(graph) == 3 * COUNT - 1);
    ok(hipGraphGetNodes(graph, got, &count));
    check(got[0] == first && got[1] == nodes[COUNT - 1] && got[2] == nodes[COUNT - 2]);
    ok(hipGraphClone(&clone, graph));
    for (size_t i = 0; i < COUNT; i++)
        (void)copy_of(nodes[i], clone);
    check(edge_count(clone) == 3 * COUNT - 1);
    for (size_t i = 0; i < COUNT; i++)
        ok(hipGraphDestroyNode(nodes[i]));
    ok(hipGraphGetNodes(graph, got, &count));
    check(count == 2 && got[0] == first && got[1] == last);
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(clone));
    free(nodes);
    free(got);
}

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

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 20 };

struct shared {
    hipGraph_t graph;
    hipGraphNode_t node;
    hipUserObject_t object;
};

/* What a thread does with a graph that others use too; nothing here checks with cmocka. */
static void *use_graph(void *data)
{
    const struct shared *shared = data;
    hipGraphNode_t node, copy;
    hipGraph_t clone;
    size_t count;
    bool good = true;
    for (int i = 0; i < ROUNDS && good; i++) {
        good = hipGraphAddEmptyNode(&node, shared->graph, &shared->node, 1) == hipSuccess &&
               hipGraphRetainUserObject(shared->graph, shared->object, 1, 0) == hipSuccess &&
               hipGraphClone(&clone, shared->graph) == hipSuccess &&
               hipGraphNodeFindInClone(&copy, node, clone) == hipSuccess &&
               hipGraphGetNodes(clone, NULL, &count) == hipSuccess && count > 1 &&
               hipGraphDestroyNode(node) == hipSuccess && hipGraphDestroy(clone) == hipSuccess &&
               hipGraphReleaseUserObject(shared->graph, shared->object, 1) == hipSuccess;
    }
    return good ? data : NULL;
}

static void threads_may_use_one_graph(void **state)
{
    int calls;
    struct shared shared = {.graph = new_graph(), .object = new_object(&calls, 1)};
    pthread_t threads[THREADS];
    size_t count;
    (void)state;
    shared.node = an_empty(shared.graph);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, use_graph, &shared) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        check(pthread_join(threads[i], &result) == 0 && result == &shared);
    }
    ok(hipGraphGetNodes(shared.graph, NULL, &count));
    check(count == 1 && edge_count(shared.graph) == 0);
    ok(hipUserObjectRelease(shared.object, 1));
    check(calls == 1);
    ok(hipGraphDestroy(shared.graph));
}

static void *destroy_graph(void *graph)
{
    return hipGraphDestroy(graph) == hipSuccess ? graph : NULL;
}

static void one_of_several_threads_destroys_a_graph(void **state)
{
    int calls, destroyed = 0;
    hipUserObject_t object = new_object(&calls, 1);
    hipGraph_t graph = new_graph();
    pthread_t threads[THREADS];
    (void)state;
    ok(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, destroy_graph, graph) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        check(pthread_join(threads[i], &result) == 0);
        destroyed += result != NULL;
    }
    check(destroyed == 1 && calls == 1);
}

/* ---- user objects ------------------------------------------------------------------------ */

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

static void clones_have_references_of_their_own(void **state)
{
    int calls;
    hipUserObject_t object = new_object(&calls, 1);
    hipGraph_t graph = new_graph(), clone, second;
    (void)state;
    ok(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
    ok(hipGraphClone(&clone, graph));
    ok(hipGraphDestroy(graph));
    ok(hipGraphClone(&second, clone));
    ok(hipGraphDestroy(clone));
    check(calls == 0);
    ok(hipGraphDestroy(second));
    check(calls == 1);
}

static void user_objects_check_their_arguments(void **state)
{
    int calls;
    hipUserObject_t object;
    hipGraph_t graph = new_graph();
    const unsigned flags = hipUserObjectNoDestructorSync, many = (unsigned)INT_MAX + 1;
    (void)state;
    refused(hipUserObjectCreate(NULL, &calls, count_call, 1, flags), hipErrorInvalidValue,
            "needs a place for the object");
    refused(hipUserObjectCreate(&object, &calls, NULL, 1, flags), hipErrorInvalidValue,
            "needs a place for the object, a destructor");
    refused(hipUserObjectCreate(&object, &calls, count_call, 0, flags), hipErrorInvalidValue,
            "hipUserObjectCreate: 0 references");
    refused(hipUserObjectCreate(&object, &calls, count_call, many, flags), hipErrorInvalidValue,
            "a count is from 1 to 2147483647");
    refused(hipUserObjectCreate(&object, &calls, count_call, 1, 0), hipErrorInvalidValue,
            "hipUserObjectNoDestructorSync alone");
    object = new_object(&calls, 1);
    refused(hipUserObjectRetain(NULL, 1), hipErrorInvalidValue,
            "hipUserObjectRetain: the user object is NULL");
    refused(hipUserObjectRetain(object, 0), hipErrorInvalidValue,
            "hipUserObjectRetain: 0 references");
    refused(hipUserObjectRelease(NULL, 1), hipErrorInvalidValue, "the user object is NULL");
    refused(hipUserObjectRelease(object, many), hipErrorInvalidValue,
            "hipUserObjectRelease: 2147483648 references");
    refused(hipGraphRetainUserObject(NULL, object, 1, 0), hipErrorInvalidValue,
            "the graph is NULL");
    refused(hipGraphRetainUserObject(graph, NULL, 1, 0), hipErrorInvalidValue,
            "the user object is NULL");
    refused(hipGraphRetainUserObject(graph, object, 0, 0), hipErrorInvalidValue,
            "hipGraphRetainUserObject: 0 references");
    refused(hipGraphRetainUserObject(graph, object, 1, 2), hipErrorInvalidValue,
            "unknown flags 0x2");
    refused(hipGraphReleaseUserObject(NULL, object, 1), hipErrorInvalidValue, "the graph is NULL");
    refused(hipGraphReleaseUserObject(graph, NULL, 1), hipErrorInvalidValue,
            "the user object is NULL");
    refused(hipGraphReleaseUserObject(graph, object, 0), hipErrorInvalidValue,
            "hipGraphReleaseUserObject: 0 references");
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
        TEST(lists_fill_the_places_that_there_are),
        TEST(edges_are_listed_by_their_first_node),
        TEST(queries_check_their_arguments),
        TEST(edges_are_added_and_removed_all_or_none),
        TEST(a_cycle_is_found_by_those_who_need_an_order),
        TEST(a_destroyed_node_takes_its_edges_along),
        TEST(a_clone_has_copies_of_nodes_and_edges),
        TEST(finding_a_copy_checks_its_arguments),
        TEST(a_picture_has_every_node_and_edge_once),
        TEST(a_picture_needs_a_graph_and_a_file),
        TEST(ten_thousand_nodes_are_no_effort),
        TEST(threads_may_use_one_graph),
        TEST(one_of_several_threads_destroys_a_graph),
        TEST(a_user_object_is_destroyed_with_its_last_reference),
        TEST(clones_have_references_of_their_own),
        TEST(user_objects_check_their_arguments),
        TEST(a_graph_drops_its_references_when_it_is_destroyed),
        TEST(more_references_than_there_are_stand_for_all_of_them),
        TEST(destructors_run_without_a_lock),
    };
    use_fake("80,90");
    setenv("AMD_LOG_LEVEL", "2", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
