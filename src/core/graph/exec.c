/* Owns executable graphs: their life, and the public functions that make, launch and destroy them.
 */
#include "exec.h"
#include "api.h"
#include "api_arguments.h"
#include "graph_memory.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- the life of a body -------------------------------------------------------------- */

/* Bodies whose last launch may use their memory or user objects yet. */
static struct ah_exec_body *waiting;
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;

/* The driver's error, which left something of the plan. */
static hipError_t free_body(struct ah_exec_body *body)
{
    hipError_t error = ah_plan_destroy(body->plan);
    ah_exec_list_free(&body->list);
    ah_graph_objects_release(body->objects);
    free(body->memory);
    free(body);
    return error;
}

/* Destructors of the application run here. */
static void free_ended(void)
{
    struct ah_exec_body *ended = NULL;
    pthread_mutex_lock(&waiting_lock);
    for (struct ah_exec_body **link = &waiting; *link;) {
        struct ah_exec_body *body = *link;
        if (!ah_plan_is_idle(body->plan)) {
            link = &body->next;
            continue;
        }
        *link = body->next;
        body->next = ended;
        ended = body;
    }
    pthread_mutex_unlock(&waiting_lock);
    while (ended) {
        struct ah_exec_body *next = ended->next;
        (void)free_body(ended);
        ended = next;
    }
}

/* What the driver has is freed by it when running launches end. */
static hipError_t free_when_ended(struct ah_exec_body *body)
{
    if (!ah_exec_outlives(body)) {
        hipError_t error = free_body(body);
        free_ended();
        return error;
    }
    pthread_mutex_lock(&waiting_lock);
    body->next = waiting;
    waiting = body;
    pthread_mutex_unlock(&waiting_lock);
    free_ended();
    return hipSuccess;
}

/* ---- handles ------------------------------------------------------------------------- */

hipError_t ah_exec_refuse(hipGraphExec_t handle, const char *call)
{
    AH_LOG_ERR("%s: %p is not an executable graph: it was destroyed, or was never one", call,
               (void *)handle);
    return hipErrorInvalidValue;
}

hipError_t ah_exec_check(const struct ah_exec_body *body, const char *call)
{
    if (__builtin_expect(!body->lost, 1))
        return hipSuccess;
    AH_LOG_ERR("%s: the executable graph cannot run any more: %s; instantiate a graph again", call,
               body->lost);
    return body->lost_error;
}

void ah_exec_settle(struct ah_exec *exec)
{
    const struct ah_exec_body *body = exec->body;
    const struct ah_exec_plan *plan = body->plan;
    bool whole = !body->lost && !body->replanned && body->memory_count == 0 &&
                 ah_plan_is_whole(plan) && !plan->records_end && plan->record_count == 0;
    exec->whole = whole ? plan->graphs[0].native : NULL;
    exec->whole_device = plan->device;
}

/* ---- instantiation -------------------------------------------------------------------- */

static bool function_is_gone(const struct ah_work *work)
{
    return work && work->type->type == hipGraphNodeTypeKernel &&
           !ah_handle_is(work->kernel.function, AH_HANDLE_FUNCTION);
}

static hipError_t check_functions(const struct ah_exec_list *list, struct ah_node **out_error_node)
{
    for (unsigned i = 0; i < list->count; i++)
        if (function_is_gone(list->nodes[i].work)) {
            AH_LOG_ERR("the kernel of a node is gone: its module was unloaded");
            *out_error_node = list->graph_nodes[i];
            return hipErrorInvalidDeviceFunction;
        }
    return hipSuccess;
}

static hipError_t claim_memory(struct ah_exec_body *body)
{
    const struct ah_exec_list *list = &body->list;
    body->memory = malloc((list->count + 1) * sizeof(struct ah_work *));
    if (!body->memory)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < list->count; i++)
        if (list->nodes[i].work && ah_graph_memory_is(list->nodes[i].work))
            body->memory[body->memory_count++] = list->nodes[i].work;
    return body->memory_count ? ah_graph_memory_claim(body->memory, body->memory_count)
                              : hipSuccess;
}

static hipError_t fill_body(struct ah_exec_body *body, struct ah_graph *graph, const char *call,
                            struct ah_node **out_error_node)
{
    hipError_t error = ah_exec_list_make(graph, call, &body->list, out_error_node);
    if (error == hipSuccess)
        error = check_functions(&body->list, out_error_node);
    if (error == hipSuccess)
        error = ah_graph_objects_copy(graph->objects, &body->objects);
    if (error == hipSuccess)
        error = claim_memory(body);
    if (error == hipSuccess)
        error = ah_plan_create(&body->list, ah_exec_outlives(body), &body->plan);
    free(body->list.graph_nodes);
    body->list.graph_nodes = NULL;
    return error;
}

/* The lock of graphs is held. After an error *out_body may be something to be freed. */
static hipError_t make_body(hipGraph_t handle, unsigned long long flags, const char *call,
                            struct ah_exec_body **out_body, struct ah_node **out_error_node)
{
    struct ah_graph *graph;
    hipError_t error = ah_graph_of(handle, call, &graph);
    if (error != hipSuccess)
        return error;
    struct ah_exec_body *body = *out_body = calloc(1, sizeof *body);
    if (!body)
        return hipErrorOutOfMemory;
    body->flags = flags;
    return fill_body(body, graph, call, out_error_node);
}

static hipError_t make_exec(struct ah_exec_body *body, hipGraphExec_t *out_handle)
{
    struct ah_exec *exec = ah_handle_create(AH_HANDLE_GRAPH_EXEC, NULL);
    if (!exec)
        return hipErrorOutOfMemory;
    ah_exec_lock_take(&exec->lock);
    exec->body = body;
    ah_exec_settle(exec);
    ah_exec_unlock(exec);
    *out_handle = (hipGraphExec_t)(void *)exec;
    return hipSuccess;
}

static hipError_t instantiate(hipGraphExec_t *out_handle, hipGraph_t handle,
                              unsigned long long flags, hipGraphNode_t *out_error_node,
                              const char *call)
{
    struct ah_exec_body *body = NULL;
    struct ah_node *error_node = NULL;
    free_ended();
    ah_graph_lock();
    hipError_t error = make_body(handle, flags, call, &body, &error_node);
    ah_graph_unlock();
    if (out_error_node)
        *out_error_node = error == hipSuccess ? NULL : ah_node_handle(error_node);
    if (error == hipSuccess)
        error = make_exec(body, out_handle);
    if (error != hipSuccess && body)
        (void)free_body(body);
    return error;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                               hipGraphNode_t *pErrorNode, char *pLogBuffer, size_t bufferSize)
{
    AH_ENTER(hipGraphInstantiate);
    if (!pGraphExec)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(instantiate(pGraphExec, graph, 0, pErrorNode, "hipGraphInstantiate"));
}

/* HIP takes one flag at a time. */
static bool flag_valid(unsigned long long flags, unsigned long long known)
{
    return (flags & (flags - 1)) == 0 && (flags & ~known) == 0;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                                        unsigned long long flags)
{
    AH_ENTER(hipGraphInstantiateWithFlags);
    unsigned long long known =
        hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUseNodePriority;
    if (!pGraphExec || !flag_valid(flags, known))
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(instantiate(pGraphExec, graph, flags, NULL, "hipGraphInstantiateWithFlags"));
}

static hipError_t instantiate_with(hipGraphExec_t *out_handle, hipGraph_t graph,
                                   hipGraphInstantiateParams *params, const char *call)
{
    unsigned long long known = hipGraphInstantiateFlagAutoFreeOnLaunch |
                               hipGraphInstantiateFlagUpload | hipGraphInstantiateFlagDeviceLaunch |
                               hipGraphInstantiateFlagUseNodePriority;
    params->result_out = hipGraphInstantiateError;
    params->errNode_out = NULL;
    if (!flag_valid(params->flags, known))
        return hipErrorInvalidValue;
    hipError_t error = instantiate(out_handle, graph, params->flags, &params->errNode_out, call);
    if (error == hipErrorNotSupported)
        params->result_out = hipGraphInstantiateNodeOperationNotSupported;
    if (error != hipSuccess)
        return error;
    params->result_out = hipGraphInstantiateSuccess;
    return params->flags & hipGraphInstantiateFlagUpload
               ? ah_exec_upload(*out_handle, params->uploadStream, call)
               : hipSuccess;
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                                         hipGraphInstantiateParams *instantiateParams)
{
    AH_ENTER(hipGraphInstantiateWithParams);
    if (!pGraphExec || !graph || !instantiateParams)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(
        instantiate_with(pGraphExec, graph, instantiateParams, "hipGraphInstantiateWithParams"));
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long *flags)
{
    AH_ENTER(hipGraphExecGetFlags);
    struct ah_exec *exec;
    if (!flags)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = ah_exec_lock(graphExec, "hipGraphExecGetFlags", &exec);
    if (error != hipSuccess)
        return AH_LEAVE(error);
    *flags = exec->body->flags;
    ah_exec_unlock(exec);
    return AH_LEAVE(hipSuccess);
}

/* ---- the end -------------------------------------------------------------------------- */

static hipError_t destroy(hipGraphExec_t handle)
{
    struct ah_exec *exec = (struct ah_exec *)(void *)handle;
    if (!ah_handle_retire(handle, AH_HANDLE_GRAPH_EXEC))
        return ah_exec_refuse(handle, "hipGraphExecDestroy");
    ah_exec_lock_take(&exec->lock);
    struct ah_exec_body *body = exec->body;
    exec->body = NULL;
    exec->whole = NULL;
    ah_exec_unlock(exec);
    ah_handle_destroy(exec);
    return free_when_ended(body);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec)
{
    AH_ENTER(hipGraphExecDestroy);
    return AH_LEAVE(destroy(graphExec));
}

/* What a device had of executable graphs goes with its reset. */
static void forget_device(struct ah_exec_body *body, const struct ah_device *device)
{
    if (ah_plan_forget_device(body->plan, device)) {
        body->lost = "one of its devices was reset";
        body->lost_error = hipErrorInvalidValue;
    }
}

static void device_resets_exec(void *handle, void *device)
{
    struct ah_exec *exec = handle;
    ah_exec_lock_take(&exec->lock);
    if (exec->last_device == device)
        exec->last = NULL;
    if (exec->body) {
        forget_device(exec->body, device);
        ah_exec_settle(exec);
    }
    ah_exec_unlock(exec);
}

static void device_resets(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_GRAPH_EXEC, device_resets_exec, device);
    pthread_mutex_lock(&waiting_lock);
    for (struct ah_exec_body *body = waiting; body; body = body->next)
        forget_device(body, device);
    pthread_mutex_unlock(&waiting_lock);
    ah_plan_device_resets(device);
}

static void functions_end_exec(void *handle, void *unused)
{
    struct ah_exec *exec = handle;
    (void)unused;
    ah_exec_lock_take(&exec->lock);
    struct ah_exec_body *body = exec->body;
    for (unsigned i = 0; body && i < body->list.count; i++)
        if (function_is_gone(body->list.nodes[i].work)) {
            body->lost = "the module of one of its kernels was unloaded";
            body->lost_error = hipErrorInvalidDeviceFunction;
        }
    if (body)
        ah_exec_settle(exec);
    ah_exec_unlock(exec);
}

static void functions_end(void)
{
    ah_handle_each(AH_HANDLE_GRAPH_EXEC, functions_end_exec, NULL);
}

/* Before the first device is used, since the library is loaded before. */
__attribute__((constructor)) static void register_dependent(void)
{
    static const struct ah_dependent dependent = {.device_resets = device_resets,
                                                  .functions_end = functions_end};
    ah_lifetime_add(&dependent);
}
