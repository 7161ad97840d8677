/* Owns semaphores of other APIs as the work of nodes: signals and waits. A node names its
 * semaphores by their handles, and a launch finds out whether one was destroyed since. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* A wait has the same form, with other parameters. */
_Static_assert(sizeof(hipExternalSemaphoreSignalNodeParams) ==
                       sizeof(hipExternalSemaphoreWaitNodeParams) &&
                   offsetof(hipExternalSemaphoreSignalNodeParams, paramsArray) ==
                       offsetof(hipExternalSemaphoreWaitNodeParams, paramsArray) &&
                   offsetof(hipExternalSemaphoreSignalNodeParams, numExtSems) ==
                       offsetof(hipExternalSemaphoreWaitNodeParams, numExtSems),
               "parameters of nodes of semaphores");
_Static_assert(sizeof(hipExternalSemaphoreSignalParams) == sizeof(hipExternalSemaphoreWaitParams),
               "parameters of semaphores");

/* ---- making ---------------------------------------------------------------------------- */

/* Both arrays in one piece of memory, which extSemArray points to. */
static hipError_t copy_arrays(struct ah_work *work)
{
    hipExternalSemaphoreSignalNodeParams *given = &work->semaphores.signal;
    size_t list_size = given->numExtSems * sizeof(*given->extSemArray);
    size_t params_size = given->numExtSems * sizeof *given->paramsArray;
    char *storage = malloc(params_size + list_size + 1);
    if (!storage)
        return hipErrorOutOfMemory;
    memcpy(storage, given->paramsArray, params_size);
    memcpy(storage + params_size, given->extSemArray, list_size);
    given->paramsArray = (const hipExternalSemaphoreSignalParams *)(const void *)storage;
    given->extSemArray = (hipExternalSemaphore_t *)(void *)(storage + params_size);
    return hipSuccess;
}

/* The device of all semaphores; without any, the current one. */
static hipError_t device_of(const hipExternalSemaphore_t *list, unsigned count,
                            struct ah_device **out_device)
{
    hipError_t error = ah_semaphores_check(list, count);
    if (error != hipSuccess)
        return error;
    *out_device =
        count > 0 ? ((const struct ah_semaphore *)list[0])->handle.device : ah_device_current();
    for (unsigned i = 1; i < count; i++)
        if (((const struct ah_semaphore *)list[i])->handle.device != *out_device) {
            AH_LOG_ERR("the semaphores of a node were imported on several devices");
            return hipErrorInvalidValue;
        }
    return *out_device ? hipSuccess : hipErrorNoDevice;
}

static hipError_t make(const struct ah_work_type *type,
                       const hipExternalSemaphoreSignalNodeParams *params,
                       struct ah_work **out_work)
{
    struct ah_device *device;
    if (!params->extSemArray || !params->paramsArray)
        return hipErrorInvalidValue;
    hipError_t error = device_of(params->extSemArray, params->numExtSems, &device);
    if (error != hipSuccess)
        return error;
    struct ah_work *work = ah_work_create(type, device);
    if (!work)
        return hipErrorOutOfMemory;
    work->semaphores.signal = *params;
    error = copy_arrays(work);
    if (error == hipSuccess)
        *out_work = work;
    else
        free(work);
    return error;
}

hipError_t ah_work_make_signal(const hipExternalSemaphoreSignalNodeParams *params, const char *call,
                               struct ah_work **out_work)
{
    (void)call;
    return params ? make(&ah_work_signal, params, out_work) : hipErrorInvalidValue;
}

hipError_t ah_work_make_wait(const hipExternalSemaphoreWaitNodeParams *params, const char *call,
                             struct ah_work **out_work)
{
    hipExternalSemaphoreSignalNodeParams same;
    (void)call;
    if (!params)
        return hipErrorInvalidValue;
    memcpy(&same, params, sizeof same);
    return make(&ah_work_semaphore_wait, &same, out_work);
}

hipError_t ah_work_capture_semaphores(const struct ah_stream *stream,
                                      const struct ah_command *command, struct ah_work **out_work)
{
    bool signals = command->kind == AH_COMMAND_SIGNAL;
    const hipExternalSemaphoreSignalNodeParams params = {
        .extSemArray = (hipExternalSemaphore_t *)(uintptr_t)command->semaphores.list,
        .paramsArray =
            signals ? command->semaphores.signals : (const void *)command->semaphores.waits,
        .numExtSems = command->semaphores.count,
    };
    (void)stream;
    return make(signals ? &ah_work_signal : &ah_work_semaphore_wait, &params, out_work);
}

/* ---- the rows -------------------------------------------------------------------------- */

static hipError_t copy(const struct ah_work *from, struct ah_work *to)
{
    (void)from; /* to has its bytes */
    return copy_arrays(to);
}

static void free_arrays(struct ah_work *work)
{
    free((void *)(uintptr_t)work->semaphores.signal.paramsArray);
}

/* A node of a driver's graph would have the semaphores of its making. */
static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    (void)work, (void)out_node;
    return hipErrorNotSupported;
}

static hipError_t submit_signal(const struct ah_work *work, struct ah_stream *stream)
{
    const hipExternalSemaphoreSignalNodeParams *given = &work->semaphores.signal;
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_SIGNAL,
                                                  .semaphores = {.list = given->extSemArray,
                                                                 .signals = given->paramsArray,
                                                                 .count = given->numExtSems}});
}

static hipError_t submit_wait(const struct ah_work *work, struct ah_stream *stream)
{
    const hipExternalSemaphoreWaitNodeParams *given = &work->semaphores.wait;
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_SEMAPHORE_WAIT,
                                                  .semaphores = {.list = given->extSemArray,
                                                                 .waits = given->paramsArray,
                                                                 .count = given->numExtSems}});
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    const hipExternalSemaphoreSignalNodeParams *given = &work->semaphores.signal;
    unsigned flag = work->type == &ah_work_signal ? hipGraphDebugDotFlagsExtSemasSignalNodeParams
                                                  : hipGraphDebugDotFlagsExtSemasWaitNodeParams;
    if (!(flags & (hipGraphDebugDotFlagsVerbose | flag)))
        return;
    for (unsigned i = 0; i < given->numExtSems; i++)
        fprintf(out, "semaphore|%p, %llu\n", given->extSemArray[i],
                given->paramsArray[i].params.fence.value);
}

const struct ah_work_type ah_work_signal = {
    .type = hipGraphNodeTypeExtSemaphoreSignal,
    .name = "semaphore signal",
    .copy = copy,
    .free = free_arrays,
    .view = view,
    .submit = submit_signal,
    .describe = describe,
};

const struct ah_work_type ah_work_semaphore_wait = {
    .type = hipGraphNodeTypeExtSemaphoreWait,
    .name = "semaphore wait",
    .copy = copy,
    .free = free_arrays,
    .view = view,
    .submit = submit_wait,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------ */

hipError_t
hipGraphAddExternalSemaphoresSignalNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                        const hipGraphNode_t *pDependencies, size_t numDependencies,
                                        const hipExternalSemaphoreSignalNodeParams *nodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddExternalSemaphoresSignalNode);
    hipError_t error = ah_work_make_signal(nodeParams, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t
hipGraphAddExternalSemaphoresWaitNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t *pDependencies, size_t numDependencies,
                                      const hipExternalSemaphoreWaitNodeParams *nodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddExternalSemaphoresWaitNode);
    hipError_t error = ah_work_make_wait(nodeParams, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t
hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t hNode,
                                              hipExternalSemaphoreSignalNodeParams *params_out)
{
    AH_ENTER(hipGraphExternalSemaphoresSignalNodeGetParams);
    return AH_LEAVE(
        AH_NODE_GET(hNode, hipGraphNodeTypeExtSemaphoreSignal, semaphores.signal, params_out));
}

hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(
    hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams *nodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphExternalSemaphoresSignalNodeSetParams);
    hipError_t error = ah_work_make_signal(nodeParams, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, hNode, work, __func__));
}

hipError_t
hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t hNode,
                                            hipExternalSemaphoreWaitNodeParams *params_out)
{
    AH_ENTER(hipGraphExternalSemaphoresWaitNodeGetParams);
    return AH_LEAVE(
        AH_NODE_GET(hNode, hipGraphNodeTypeExtSemaphoreWait, semaphores.wait, params_out));
}

hipError_t
hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t hNode,
                                            const hipExternalSemaphoreWaitNodeParams *nodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphExternalSemaphoresWaitNodeSetParams);
    hipError_t error = ah_work_make_wait(nodeParams, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, hNode, work, __func__));
}
