/* What the tests of graphs share. */
#ifndef GRAPH_SUPPORT_H
#define GRAPH_SUPPORT_H

#include "support.h"

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

static inline hipGraph_t new_graph(void)
{
    hipGraph_t graph;
    ok(hipGraphCreate(&graph, 0));
    return graph;
}

static inline hipGraphNode_t empty_after(hipGraph_t graph, const hipGraphNode_t *dependencies,
                                         size_t count)
{
    hipGraphNode_t node;
    ok(hipGraphAddEmptyNode(&node, graph, dependencies, count));
    return node;
}

static inline hipGraphNode_t an_empty(hipGraph_t graph)
{
    return empty_after(graph, NULL, 0);
}

#endif
