/* Owns what is the same for nodes of any type: hipGraphAddNode and hipGraphNodeSetParams. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

static hipError_t make_empty(struct ah_work **out_work)
{
    struct ah_device *device;
    hipError_t error = ah_work_device(NULL, &device);
    if (error != hipSuccess)
        return error;
    *out_work = ah_work_create(&ah_work_empty, device);
    return *out_work ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t ah_work_make(hipGraphNodeParams *params, const char *call, struct ah_work **out_work)
{
    switch ((int)params->type) {
    case hipGraphNodeTypeKernel:
        return ah_work_make_kernel(&params->kernel, call, out_work);
    case hipGraphNodeTypeMemcpy:
        return ah_work_make_memcpy(&params->memcpy.copyParams, call, out_work);
    case hipGraphNodeTypeMemset:
        return ah_work_make_memset(&params->memset, call, out_work);
    case hipGraphNodeTypeHost:
        return ah_work_make_host(&params->host, call, out_work);
    case hipGraphNodeTypeGraph:
        return ah_work_make_child_of(params->graph.graph, call, out_work);
    case hipGraphNodeTypeEmpty:
        return make_empty(out_work);
    case hipGraphNodeTypeWaitEvent:
        return ah_work_make_event(&ah_work_event_wait, params->eventWait.event, call, out_work);
    case hipGraphNodeTypeEventRecord:
        return ah_work_make_event(&ah_work_event_record, params->eventRecord.event, call, out_work);
    case hipGraphNodeTypeExtSemaphoreSignal:
        return ah_work_make_signal(&params->extSemSignal, call, out_work);
    case hipGraphNodeTypeExtSemaphoreWait:
        return ah_work_make_wait(&params->extSemWait, call, out_work);
    case hipGraphNodeTypeMemAlloc:
        return ah_work_make_alloc(&params->alloc, call, out_work);
    case hipGraphNodeTypeMemFree:
        return ah_work_make_free(params->free.dptr, call, out_work);
    default:
        AH_LOG_ERR("%s: there are no nodes of type %d, or they have functions of their own", call,
                   (int)params->type);
        return hipErrorInvalidValue;
    }
}

static hipError_t add(hipGraphNode_t *out_node, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count, hipGraphNodeParams *params)
{
    struct ah_work *work = NULL;
    if (!params)
        return hipErrorInvalidValue;
    hipError_t error = ah_work_make(params, "hipGraphAddNode", &work);
    return ah_graph_add_work(error, graph, dependencies, count, work, "hipGraphAddNode", out_node);
}

hipError_t hipGraphAddNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                           const hipGraphNode_t *pDependencies, size_t numDependencies,
                           hipGraphNodeParams *nodeParams)
{
    AH_ENTER(hipGraphAddNode);
    return AH_LEAVE(add(pGraphNode, graph, pDependencies, numDependencies, nodeParams));
}

/* The type is checked before the work is made, since making it may allocate. */
static hipError_t check_type(hipGraphNode_t handle, const hipGraphNodeParams *params)
{
    struct ah_node *node;
    if (!params)
        return hipErrorInvalidValue;
    if (params->type == hipGraphNodeTypeMemAlloc || params->type == hipGraphNodeTypeMemFree) {
        AH_LOG_ERR("hipGraphNodeSetParams: nodes that allocate or free memory do not change");
        return hipErrorNotSupported;
    }
    ah_graph_lock();
    hipError_t error = ah_node_of_type(handle, params->type, "hipGraphNodeSetParams", &node);
    ah_graph_unlock();
    return error;
}

static hipError_t set(hipGraphNode_t node, hipGraphNodeParams *params)
{
    struct ah_work *work = NULL;
    hipError_t error = check_type(node, params);
    if (error == hipSuccess)
        error = ah_work_make(params, "hipGraphNodeSetParams", &work);
    return ah_node_set_work(error, node, work, "hipGraphNodeSetParams");
}

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *nodeParams)
{
    AH_ENTER(hipGraphNodeSetParams);
    return AH_LEAVE(set(node, nodeParams));
}
