/* Nodes that signal semaphores of other APIs or wait for them. No such semaphore can be imported
 * yet, so that no node is ever made: parameters are checked, and what passes is refused. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

static hipError_t refuse(bool has_arrays, unsigned count, const char *call)
{
    if (count > 0 && !has_arrays)
        return hipErrorInvalidValue;
    AH_LOG_ERR("%s: external semaphores are not implemented yet", call);
    return hipErrorNotSupported;
}

hipError_t ah_work_make_signal(const hipExternalSemaphoreSignalNodeParams *params, const char *call,
                               struct ah_work **out_work)
{
    (void)out_work;
    return params ? refuse(params->extSemArray && params->paramsArray, params->numExtSems, call)
                  : hipErrorInvalidValue;
}

hipError_t ah_work_make_wait(const hipExternalSemaphoreWaitNodeParams *params, const char *call,
                             struct ah_work **out_work)
{
    (void)out_work;
    return params ? refuse(params->extSemArray && params->paramsArray, params->numExtSems, call)
                  : hipErrorInvalidValue;
}

/* The error of a handle that is not a graph, or the one of the parameters. */
static hipError_t check_graph(hipGraph_t handle, const hipGraphNode_t *out_node, const char *call,
                              hipError_t of_parameters)
{
    struct ah_graph *graph;
    if (!out_node)
        return hipErrorInvalidValue;
    ah_graph_lock();
    hipError_t error = ah_graph_of(handle, call, &graph);
    ah_graph_unlock();
    return error == hipSuccess ? of_parameters : error;
}

/* No node has the type: the message says so. */
static hipError_t check_node(hipGraphNode_t handle, hipGraphNodeType type, const char *call)
{
    struct ah_node *node;
    ah_graph_lock();
    hipError_t error = ah_node_of_type(handle, type, call, &node);
    ah_graph_unlock();
    return error;
}

hipError_t
hipGraphAddExternalSemaphoresSignalNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                        const hipGraphNode_t *pDependencies, size_t numDependencies,
                                        const hipExternalSemaphoreSignalNodeParams *nodeParams)
{
    struct ah_work *none;
    AH_ENTER(hipGraphAddExternalSemaphoresSignalNode);
    hipError_t error = numDependencies > 0 && !pDependencies
                           ? hipErrorInvalidValue
                           : ah_work_make_signal(nodeParams, __func__, &none);
    return AH_LEAVE(check_graph(graph, pGraphNode, __func__, error));
}

hipError_t
hipGraphAddExternalSemaphoresWaitNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t *pDependencies, size_t numDependencies,
                                      const hipExternalSemaphoreWaitNodeParams *nodeParams)
{
    struct ah_work *none;
    AH_ENTER(hipGraphAddExternalSemaphoresWaitNode);
    hipError_t error = numDependencies > 0 && !pDependencies
                           ? hipErrorInvalidValue
                           : ah_work_make_wait(nodeParams, __func__, &none);
    return AH_LEAVE(check_graph(graph, pGraphNode, __func__, error));
}

hipError_t
hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t hNode,
                                              hipExternalSemaphoreSignalNodeParams *params_out)
{
    AH_ENTER(hipGraphExternalSemaphoresSignalNodeGetParams);
    return AH_LEAVE(params_out ? check_node(hNode, hipGraphNodeTypeExtSemaphoreSignal, __func__)
                               : hipErrorInvalidValue);
}

hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(
    hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams *nodeParams)
{
    AH_ENTER(hipGraphExternalSemaphoresSignalNodeSetParams);
    return AH_LEAVE(nodeParams ? check_node(hNode, hipGraphNodeTypeExtSemaphoreSignal, __func__)
                               : hipErrorInvalidValue);
}

hipError_t
hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t hNode,
                                            hipExternalSemaphoreWaitNodeParams *params_out)
{
    AH_ENTER(hipGraphExternalSemaphoresWaitNodeGetParams);
    return AH_LEAVE(params_out ? check_node(hNode, hipGraphNodeTypeExtSemaphoreWait, __func__)
                               : hipErrorInvalidValue);
}

hipError_t
hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t hNode,
                                            const hipExternalSemaphoreWaitNodeParams *nodeParams)
{
    AH_ENTER(hipGraphExternalSemaphoresWaitNodeSetParams);
    return AH_LEAVE(nodeParams ? check_node(hNode, hipGraphNodeTypeExtSemaphoreWait, __func__)
                               : hipErrorInvalidValue);
}
