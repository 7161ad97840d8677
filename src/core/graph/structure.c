/* Public functions that make graphs and change what they are made of, whatever the nodes do. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

/* ---- graphs ---------------------------------------------------------------------------- */

static hipError_t create(hipGraph_t *out_graph, unsigned flags)
{
    struct ah_graph *graph;
    if (!out_graph || flags != 0)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_graph_create(&graph);
    ah_graph_unlock();
    if (error == hipSuccess)
        *out_graph = ah_graph_handle(graph);
    return error;
}

hipError_t hipGraphCreate(hipGraph_t *pGraph, unsigned int flags)
{
    AH_ENTER(hipGraphCreate);
    return AH_LEAVE(create(pGraph, flags));
}

/* hipErrorIllegalState is HIP's answer to a graph that was destroyed before. */
static hipError_t destroy_locked(hipGraph_t handle)
{
    struct ah_graph *graph;
    hipError_t error = ah_graph_of(handle, "hipGraphDestroy", &graph);
    if (error != hipSuccess)
        return handle ? hipErrorIllegalState : error;
    if (graph->owner) {
        AH_LOG_ERR("hipGraphDestroy: the graph belongs to a child graph node, and goes with it");
        return hipErrorInvalidValue;
    }
    if (graph->capture) {
        AH_LOG_ERR("hipGraphDestroy: a stream is being captured into the graph; end the capture "
                   "first");
        return hipErrorIllegalState;
    }
    ah_graph_destroy(graph);
    return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    AH_ENTER(hipGraphDestroy);
    ah_graph_lock();
    hipError_t error = destroy_locked(graph);
    ah_graph_unlock();
    return AH_LEAVE(error);
}
