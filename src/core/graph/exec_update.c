/* Owns the changes of executable graphs: new works of their nodes, one by one or all of them, and
 * whether nodes are enabled. */
#include "exec.h"
#include "api.h"
#include "api_arguments.h"

#include <stdlib.h>

/* ---- replacing works ------------------------------------------------------------------- */

static void swap_works(struct ah_exec_list *list, unsigned first, unsigned count,
                       struct ah_work **works)
{
    for (unsigned i = 0; i < count; i++) {
        struct ah_exec_node *node = &list->nodes[first + i];
        struct ah_work *work = node->work;
        if (!works[i])
            continue;
        node->work = works[i];
        works[i] = work;
    }
}

static hipError_t make_new_plan(struct ah_exec_body *body)
{
    struct ah_exec_plan *plan;
    hipError_t error = ah_plan_create(&body->list, ah_exec_outlives(body), &plan);
    if (error != hipSuccess)
        return error;
    (void)ah_plan_destroy(body->plan);
    body->plan = plan;
    body->replanned = true;
    return hipSuccess;
}

/* works: the old ones. *out_changed: the plan is not what it was. */
static hipError_t update_plan(struct ah_exec_body *body, unsigned first, unsigned count,
                              struct ah_work *const *works, bool *out_changed)
{
    for (unsigned i = 0; i < count; i++) {
        if (!works[i])
            continue;
        hipError_t error = works[i]->device == body->list.nodes[first + i].work->device
                               ? ah_plan_update(body->plan, &body->list, first + i)
                               : hipErrorNotSupported;
        if (error == hipErrorNotSupported)
            return make_new_plan(body);
        if (error != hipSuccess)
            return error;
        *out_changed = true;
    }
    return hipSuccess;
}

static void lose(struct ah_exec_body *body, hipError_t error)
{
    body->lost = "an update failed in the middle";
    body->lost_error = error;
}

hipError_t ah_exec_replace(struct ah_exec *exec, unsigned first, unsigned count,
                           struct ah_work **works)
{
    struct ah_exec_body *body = exec->body;
    bool changed = false;
    swap_works(&body->list, first, count, works);
    hipError_t error = update_plan(body, first, count, works, &changed);
    if (error != hipSuccess) {
        swap_works(&body->list, first, count, works);
        if (changed && make_new_plan(body) != hipSuccess)
            lose(body, error);
    }
    ah_exec_settle(exec);
    return error;
}

/* ---- one node ------------------------------------------------------------------------------ */

/* Both locks are held. */
static hipError_t find_node(struct ah_exec *exec, const struct ah_node *node, const char *call,
                            struct ah_exec_node **out_node)
{
    *out_node = ah_exec_list_find(&exec->body->list, node->id);
    if (*out_node)
        return hipSuccess;
    AH_LOG_ERR("%s: the node was not in the graph that the executable graph was made of", call);
    return hipErrorInvalidValue;
}

static hipError_t begin(hipGraphExec_t exec_handle, hipGraphNode_t node_handle, const char *call,
                        struct ah_exec **out_exec, struct ah_exec_node **out_node)
{
    struct ah_node *node;
    hipError_t error = ah_exec_lock(exec_handle, call, out_exec);
    if (error != hipSuccess)
        return error;
    ah_graph_lock();
    error = ah_node_of(node_handle, call, &node);
    if (error == hipSuccess)
        error = ah_exec_check((*out_exec)->body, call);
    if (error == hipSuccess)
        error = find_node(*out_exec, node, call, out_node);
    if (error != hipSuccess) {
        ah_graph_unlock();
        ah_exec_unlock(*out_exec);
    }
    return error;
}

static void end(struct ah_exec *exec)
{
    ah_graph_unlock();
    ah_exec_unlock(exec);
}

/* Where a kernel, copy or fill runs cannot change; HIP gives the same reason for all of them. */
static hipGraphExecUpdateResult check_work(const struct ah_work *old, const struct ah_work *work)
{
    if (work->type->can_disable && work->device != old->device) {
        AH_LOG_ERR("a %s node of an executable graph runs on device %d, and cannot run on device "
                   "%d",
                   work->type->name, old->device->ordinal, work->device->ordinal);
        return hipGraphExecUpdateErrorUnsupportedFunctionChange;
    }
    return work->type->update ? work->type->update(old, work) : hipGraphExecUpdateSuccess;
}

static hipError_t set_in_node(struct ah_exec *exec, struct ah_exec_node *node,
                              struct ah_work **work, const char *call)
{
    if (!node->work || node->work->type != (*work)->type) {
        AH_LOG_ERR("%s is not for a %s node", call,
                   node->work ? node->work->type->name : ah_work_child.name);
        return hipErrorInvalidValue;
    }
    if ((*work)->type->inherit)
        (*work)->type->inherit(node->work, *work);
    if (check_work(node->work, *work) != hipGraphExecUpdateSuccess)
        return hipErrorInvalidValue;
    return ah_exec_replace(exec, (unsigned)(node - exec->body->list.nodes), 1, work);
}

/* error: of making the work, which is freed in any case. */
static hipError_t set_work(hipGraphExec_t exec_handle, hipGraphNode_t node_handle, hipError_t error,
                           struct ah_work *work, const char *call)
{
    struct ah_exec *exec;
    struct ah_exec_node *node;
    if (error != hipSuccess)
        return error;
    error = begin(exec_handle, node_handle, call, &exec, &node);
    if (error == hipSuccess) {
        error = set_in_node(exec, node, &work, call);
        end(exec);
    }
    ah_work_free(work);
    return error;
}

/* Before the parameters are looked at. */
static hipError_t check_handles(hipGraphExec_t exec, hipGraphNode_t node, const char *call)
{
    if (ah_handle_is(exec, AH_HANDLE_GRAPH_EXEC) && ah_handle_is(node, AH_HANDLE_GRAPH_NODE))
        return hipSuccess;
    AH_LOG_ERR("%s: the executable graph %p or the node %p does not exist", call, (void *)exec,
               (void *)node);
    return hipErrorInvalidValue;
}

/* Defines what the functions that set parameters have in common: make is an expression that makes
 * the work. */
#define SET_WORK(name, exec, node, make)                                                           \
    AH_ENTER(name);                                                                                \
    struct ah_work *work = NULL;                                                                   \
    hipError_t error = check_handles(exec, node, #name);                                           \
    if (error == hipSuccess)                                                                       \
        error = make;                                                                              \
    return AH_LEAVE(set_work(exec, node, error, work, #name))

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipKernelNodeParams *pNodeParams)
{
    SET_WORK(hipGraphExecKernelNodeSetParams, hGraphExec, node,
             ah_work_make_kernel(pNodeParams, __func__, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           hipMemcpy3DParms *pNodeParams)
{
    SET_WORK(hipGraphExecMemcpyNodeSetParams, hGraphExec, node,
             ah_work_make_memcpy(pNodeParams, __func__, &work));
}

static hipError_t make_driver_copy(const HIP_MEMCPY3D *params, hipCtx_t context, const char *call,
                                   struct ah_work **out_work)
{
    struct ah_device *device;
    hipError_t error = ah_work_device(context, &device);
    return error == hipSuccess ? ah_work_make_memcpy_driver(params, device, call, out_work) : error;
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const HIP_MEMCPY3D *copyParams, hipCtx_t ctx)
{
    SET_WORK(hipDrvGraphExecMemcpyNodeSetParams, hGraphExec, hNode,
             make_driver_copy(copyParams, ctx, __func__, &work));
}

/* HIP takes a copy of memory onto itself when a node is added, and not when it is changed. */
static hipError_t make_copy(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                            const char *call, struct ah_work **out_work)
{
    if (dst && dst == src) {
        AH_LOG_ERR("%s: source and destination are the same (%p)", call, dst);
        return hipErrorInvalidValue;
    }
    return ah_work_make_memcpy_1d(dst, src, size, kind, call, out_work);
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                             void *dst, const void *src, size_t count,
                                             hipMemcpyKind kind)
{
    SET_WORK(hipGraphExecMemcpyNodeSetParams1D, hGraphExec, node,
             make_copy(dst, src, count, kind, __func__, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                     void *dst, const void *symbol, size_t count,
                                                     size_t offset, hipMemcpyKind kind)
{
    SET_WORK(hipGraphExecMemcpyNodeSetParamsFromSymbol, hGraphExec, node,
             ah_work_make_memcpy_from_symbol(dst, symbol, count, offset, kind, __func__, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                   const void *symbol, const void *src,
                                                   size_t count, size_t offset, hipMemcpyKind kind)
{
    SET_WORK(hipGraphExecMemcpyNodeSetParamsToSymbol, hGraphExec, node,
             ah_work_make_memcpy_to_symbol(symbol, src, count, offset, kind, __func__, &work));
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipMemsetParams *pNodeParams)
{
    SET_WORK(hipGraphExecMemsetNodeSetParams, hGraphExec, node,
             ah_work_make_memset(pNodeParams, __func__, &work));
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const hipMemsetParams *memsetParams, hipCtx_t ctx)
{
    SET_WORK(hipDrvGraphExecMemsetNodeSetParams, hGraphExec, hNode,
             ah_work_make_memset_in(memsetParams, ctx, __func__, &work));
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                         const hipHostNodeParams *pNodeParams)
{
    SET_WORK(hipGraphExecHostNodeSetParams, hGraphExec, node,
             ah_work_make_host(pNodeParams, __func__, &work));
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                               hipEvent_t event)
{
    SET_WORK(hipGraphExecEventRecordNodeSetEvent, hGraphExec, hNode,
             ah_work_make_event(&ah_work_event_record, event, __func__, &work));
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                             hipEvent_t event)
{
    SET_WORK(hipGraphExecEventWaitNodeSetEvent, hGraphExec, hNode,
             ah_work_make_event(&ah_work_event_wait, event, __func__, &work));
}

hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                               const hipBatchMemOpNodeParams *nodeParams)
{
    SET_WORK(hipGraphExecBatchMemOpNodeSetParams, hGraphExec, hNode,
             ah_work_make_batch(nodeParams, __func__, &work));
}

hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
    const hipExternalSemaphoreSignalNodeParams *nodeParams)
{
    SET_WORK(hipGraphExecExternalSemaphoresSignalNodeSetParams, hGraphExec, hNode,
             ah_work_make_signal(nodeParams, __func__, &work));
}

hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
    const hipExternalSemaphoreWaitNodeParams *nodeParams)
{
    SET_WORK(hipGraphExecExternalSemaphoresWaitNodeSetParams, hGraphExec, hNode,
             ah_work_make_wait(nodeParams, __func__, &work));
}

/* ---- child graphs ---------------------------------------------------------------------------- */

/* Whether each node can do what that of other does. */
static hipGraphExecUpdateResult check_works(const struct ah_exec_list *list, unsigned first,
                                            const struct ah_exec_list *other,
                                            unsigned *out_different)
{
    for (unsigned i = 0; i < other->count; i++) {
        *out_different = i;
        if (!other->nodes[i].work)
            continue;
        hipGraphExecUpdateResult result =
            check_work(list->nodes[first + i].work, other->nodes[i].work);
        if (result != hipGraphExecUpdateSuccess)
            return result;
    }
    return hipGraphExecUpdateSuccess;
}

/* Compares the nodes one by one, so that the first one that differs is blamed for all. */
static hipGraphExecUpdateResult compare(const struct ah_exec_list *list, unsigned first,
                                        unsigned count, const struct ah_exec_list *other,
                                        struct ah_node **out_error_node)
{
    unsigned different;
    hipGraphExecUpdateResult result = ah_exec_list_compare(list, first, count, other, &different);
    if (result == hipGraphExecUpdateSuccess)
        result = check_works(list, first, other, &different);
    else
        AH_LOG_ERR("the %s of the graphs differ",
                   result == hipGraphExecUpdateErrorNodeTypeChanged ? "types of nodes" : "edges");
    *out_error_node = result != hipGraphExecUpdateSuccess && different < other->count
                          ? other->graph_nodes[different]
                          : NULL;
    return result;
}

/* The works of all nodes of the list become those of the executable graph from first on. */
static hipError_t take_works(struct ah_exec *exec, unsigned first, struct ah_exec_list *list)
{
    struct ah_work **works = malloc((list->count + 1) * sizeof(struct ah_work *));
    if (!works)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < list->count; i++)
        works[i] = list->nodes[i].work;
    hipError_t error = ah_exec_replace(exec, first, list->count, works);
    for (unsigned i = 0; i < list->count; i++)
        list->nodes[i].work = works[i];
    free(works);
    return error;
}

static hipError_t set_child(struct ah_exec *exec, struct ah_exec_node *node, struct ah_graph *graph,
                            const char *call)
{
    struct ah_exec_list other;
    struct ah_node *error_node;
    struct ah_exec_list *list = &exec->body->list;
    unsigned first = node->first, count = (unsigned)(node - list->nodes) - first;
    if (!ah_exec_node_is_child(node)) {
        AH_LOG_ERR("%s is not for a %s node", call, node->work->type->name);
        return hipErrorInvalidValue;
    }
    hipError_t error = ah_exec_list_make(graph, call, &other, &error_node);
    if (error == hipSuccess &&
        compare(list, first, count, &other, &error_node) != hipGraphExecUpdateSuccess)
        error = hipErrorGraphExecUpdateFailure;
    if (error == hipSuccess)
        error = take_works(exec, first, &other);
    ah_exec_list_free(&other);
    return error;
}

static hipError_t set_child_of(hipGraphExec_t exec_handle, hipGraphNode_t node_handle,
                               hipGraph_t child, const char *call)
{
    struct ah_exec *exec;
    struct ah_exec_node *node;
    struct ah_graph *graph;
    hipError_t error = begin(exec_handle, node_handle, call, &exec, &node);
    if (error != hipSuccess)
        return error;
    error = ah_graph_of(child, call, &graph);
    if (error == hipSuccess)
        error = set_child(exec, node, graph, call);
    end(exec);
    return error;
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               hipGraph_t childGraph)
{
    AH_ENTER(hipGraphExecChildGraphNodeSetParams);
    return AH_LEAVE(
        set_child_of(hGraphExec, node, childGraph, "hipGraphExecChildGraphNodeSetParams"));
}

/* ---- any type -------------------------------------------------------------------------------- */

static hipError_t set_any(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams *params,
                          const char *call)
{
    struct ah_work *work = NULL;
    hipError_t error = params ? check_handles(exec, node, call) : hipErrorInvalidValue;
    if (error != hipSuccess)
        return error;
    if (params->type == hipGraphNodeTypeGraph)
        return set_child_of(exec, node, params->graph.graph, call);
    if (params->type == hipGraphNodeTypeMemAlloc || params->type == hipGraphNodeTypeMemFree) {
        AH_LOG_ERR("%s: what a node allocates or frees cannot be changed", call);
        return hipErrorNotSupported;
    }
    error = ah_work_make(params, call, &work);
    return set_work(exec, node, error, work, call);
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
                                     hipGraphNodeParams *nodeParams)
{
    AH_ENTER(hipGraphExecNodeSetParams);
    return AH_LEAVE(set_any(graphExec, node, nodeParams, "hipGraphExecNodeSetParams"));
}

/* ---- the whole graph ------------------------------------------------------------------------- */

static hipError_t update_with(struct ah_exec *exec, struct ah_exec_list *list,
                              struct ah_node **out_error_node, hipGraphExecUpdateResult *out_result)
{
    const struct ah_exec_list *own = &exec->body->list;
    *out_result = hipGraphExecUpdateErrorTopologyChanged;
    if (list->top_count != own->top_count) {
        AH_LOG_ERR("hipGraphExecUpdate: the graph has %u nodes, and the executable graph %u",
                   list->top_count, own->top_count);
        return hipErrorGraphExecUpdateFailure;
    }
    *out_result = compare(own, 0, own->count, list, out_error_node);
    if (*out_result != hipGraphExecUpdateSuccess)
        return hipErrorGraphExecUpdateFailure;
    hipError_t error = take_works(exec, 0, list);
    if (error != hipSuccess)
        *out_result = hipGraphExecUpdateError;
    return error;
}

/* The lock of the executable graph is held. */
static hipError_t update(struct ah_exec *exec, hipGraph_t handle, struct ah_node **out_error_node,
                         hipGraphExecUpdateResult *out_result)
{
    struct ah_graph *graph;
    struct ah_exec_list list;
    ah_graph_lock();
    hipError_t error = ah_graph_of(handle, "hipGraphExecUpdate", &graph);
    if (error == hipSuccess)
        error = ah_exec_check(exec->body, "hipGraphExecUpdate");
    if (error == hipSuccess) {
        error = ah_exec_list_make(graph, "hipGraphExecUpdate", &list, out_error_node);
        if (error == hipSuccess)
            error = update_with(exec, &list, out_error_node, out_result);
        ah_exec_list_free(&list);
    }
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph,
                              hipGraphNode_t *hErrorNode_out,
                              hipGraphExecUpdateResult *updateResult_out)
{
    AH_ENTER(hipGraphExecUpdate);
    struct ah_exec *exec;
    struct ah_node *error_node = NULL;
    if (!hErrorNode_out || !updateResult_out)
        return AH_LEAVE(hipErrorInvalidValue);
    *updateResult_out = hipGraphExecUpdateError;
    hipError_t error = ah_exec_lock(hGraphExec, "hipGraphExecUpdate", &exec);
    if (error == hipSuccess) {
        error = update(exec, hGraph, &error_node, updateResult_out);
        ah_exec_unlock(exec);
    }
    *hErrorNode_out = ah_node_handle(error_node);
    return AH_LEAVE(error);
}

/* ---- enabling -------------------------------------------------------------------------------- */

static hipError_t check_can_disable(const struct ah_exec_node *node, const char *call)
{
    const struct ah_work_type *type = node->work ? node->work->type : &ah_work_child;
    if (type->can_disable)
        return hipSuccess;
    AH_LOG_ERR("%s: a %s node is always enabled; kernel, copy and fill nodes can be disabled", call,
               type->name);
    return hipErrorInvalidValue;
}

static hipError_t enable(struct ah_exec *exec, struct ah_exec_node *node, bool enabled)
{
    struct ah_exec_body *body = exec->body;
    bool was_disabled = node->disabled;
    hipError_t error = check_can_disable(node, "hipGraphNodeSetEnabled");
    if (error != hipSuccess || was_disabled == !enabled)
        return error;
    node->disabled = !enabled;
    error = ah_plan_update(body->plan, &body->list, (unsigned)(node - body->list.nodes));
    if (error == hipErrorNotSupported)
        error = make_new_plan(body);
    if (error != hipSuccess)
        node->disabled = was_disabled;
    ah_exec_settle(exec);
    return error;
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                  unsigned int isEnabled)
{
    AH_ENTER(hipGraphNodeSetEnabled);
    struct ah_exec *exec;
    struct ah_exec_node *node;
    hipError_t error = begin(hGraphExec, hNode, "hipGraphNodeSetEnabled", &exec, &node);
    if (error == hipSuccess) {
        error = enable(exec, node, isEnabled != 0);
        end(exec);
    }
    return AH_LEAVE(error);
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                  unsigned int *isEnabled)
{
    AH_ENTER(hipGraphNodeGetEnabled);
    struct ah_exec *exec;
    struct ah_exec_node *node;
    if (!isEnabled)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = begin(hGraphExec, hNode, "hipGraphNodeGetEnabled", &exec, &node);
    if (error == hipSuccess) {
        error = check_can_disable(node, "hipGraphNodeGetEnabled");
        if (error == hipSuccess)
            *isEnabled = !node->disabled;
        end(exec);
    }
    return AH_LEAVE(error);
}
