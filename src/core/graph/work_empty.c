/* Owns empty nodes, which do nothing and order others. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    (void)work;
    out_node->kind = AH_GRAPH_EMPTY;
    return hipSuccess;
}

static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    (void)work;
    (void)stream;
    return hipSuccess;
}

const struct ah_work_type ah_work_empty = {
    .type = hipGraphNodeTypeEmpty,
    .name = "empty",
    .view = view,
    .submit = submit,
};

static hipError_t add(hipGraphNode_t *out_node, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count)
{
    struct ah_device *device = ah_device_current();
    struct ah_work *work = device ? ah_work_create(&ah_work_empty, device) : NULL;
    hipError_t error = work ? hipSuccess : device ? hipErrorOutOfMemory : hipErrorNoDevice;
    return ah_graph_add_work(error, graph, dependencies, count, work, "hipGraphAddEmptyNode",
                             out_node);
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                const hipGraphNode_t *pDependencies, size_t numDependencies)
{
    AH_ENTER(hipGraphAddEmptyNode);
    return AH_LEAVE(add(pGraphNode, graph, pDependencies, numDependencies));
}
