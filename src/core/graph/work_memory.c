/* Owns nodes that allocate and free memory: their work, and the order of allocations and frees in
 * launches. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"
#include "graph_allocation.h"
#include "graph_memory.h"

#include <stdlib.h>

/* Of one work. */
struct ah_graph_memory {
    struct ah_graph_allocation *allocation; /* retained */
    hipMemAllocNodeParams given;            /* with the application's own pointer to accesses */
    bool frees;
    bool is_copy;       /* of an executable graph */
    bool claimed;       /* by it */
    bool was_allocated; /* before the launch that is under way */
};

bool ah_graph_memory_is(const struct ah_work *work)
{
    return work->type == &ah_work_mem_alloc || work->type == &ah_work_mem_free;
}

/* ---- making works ------------------------------------------------------------------------- */

static hipError_t make(const struct ah_work_type *type, struct ah_graph_allocation *allocation,
                       struct ah_work **out_work)
{
    struct ah_graph_memory *memory = calloc(1, sizeof *memory);
    struct ah_work *work = memory ? ah_work_create(type, allocation->device) : NULL;
    if (!work) {
        free(memory);
        ah_graph_allocation_release(allocation);
        return hipErrorOutOfMemory;
    }
    memory->allocation = allocation;
    memory->frees = type == &ah_work_mem_free;
    work->memory = memory;
    *out_work = work;
    return hipSuccess;
}

static hipError_t check_access(const struct ah_device *device, const hipMemAllocNodeParams *params,
                               const char *call)
{
    if (params->accessDescCount > (size_t)ah_registry.device_count ||
        (params->accessDescCount > 0 && !params->accessDescs)) {
        AH_LOG_ERR("%s: %zu accesses are described at %p, and there are %d devices", call,
                   params->accessDescCount, (const void *)params->accessDescs,
                   ah_registry.device_count);
        return hipErrorInvalidValue;
    }
    for (size_t i = 0; i < params->accessDescCount; i++) {
        const hipMemLocation *location = &params->accessDescs[i].location;
        const struct ah_device *other =
            location->type == hipMemLocationTypeDevice ? ah_device_at(location->id) : NULL;
        if (!other || other->driver != device->driver) {
            AH_LOG_ERR("%s: access %zu is not of a device that can have it", call, i);
            return hipErrorInvalidValue;
        }
    }
    return hipSuccess;
}

hipError_t ah_work_make_alloc(hipMemAllocNodeParams *params, const char *call,
                              struct ah_work **out_work)
{
    struct ah_graph_allocation *allocation;
    if (!params)
        return hipErrorInvalidValue;
    params->dptr = NULL;
    struct ah_device *device = params->poolProps.allocType == hipMemAllocationTypePinned &&
                                       params->poolProps.location.type == hipMemLocationTypeDevice
                                   ? ah_device_at(params->poolProps.location.id)
                                   : NULL;
    if (!device || params->bytesize == 0) {
        AH_LOG_ERR("%s: %zu bytes of type %d at location %d of type %d: a graph allocates pinned "
                   "memory of a device",
                   call, params->bytesize, (int)params->poolProps.allocType,
                   params->poolProps.location.id, (int)params->poolProps.location.type);
        return hipErrorInvalidValue;
    }
    hipError_t error = check_access(device, params, call);
    if (error == hipSuccess)
        error = ah_graph_allocation_create(device, params->bytesize, params->accessDescs,
                                           params->accessDescCount, &allocation);
    if (error == hipSuccess)
        error = make(&ah_work_mem_alloc, allocation, out_work);
    if (error != hipSuccess)
        return error;
    params->dptr = allocation->address;
    (*out_work)->memory->given = *params;
    return hipSuccess;
}

hipError_t ah_work_make_free(void *pointer, const char *call, struct ah_work **out_work)
{
    struct ah_graph_allocation *allocation =
        pointer ? ah_graph_allocation_find(pointer, true) : NULL;
    if (!allocation) {
        AH_LOG_ERR("%s: %p is not memory of an allocation node, or another node frees it", call,
                   pointer);
        return hipErrorInvalidValue;
    }
    return make(&ah_work_mem_free, allocation, out_work);
}

hipError_t ah_work_capture_alloc(const struct ah_stream *stream, const struct ah_command *command,
                                 struct ah_work **out_work)
{
    const struct ah_device *device =
        command->pool_alloc.device ? command->pool_alloc.device : stream->handle.device;
    hipMemAllocNodeParams params = {
        .poolProps = {.allocType = hipMemAllocationTypePinned,
                      .location = {.type = hipMemLocationTypeDevice, .id = device->ordinal}},
        .bytesize = command->pool_alloc.size,
    };
    hipError_t error = ah_work_make_alloc(&params, "hipMallocAsync", out_work);
    if (error == hipSuccess)
        *command->pool_alloc.out_pointer = params.dptr;
    return error;
}

hipError_t ah_work_capture_free(const struct ah_stream *stream, const struct ah_command *command,
                                struct ah_work **out_work)
{
    (void)stream;
    return ah_work_make_free(command->pool_free, "hipFreeAsync", out_work);
}

/* ---- the rows ------------------------------------------------------------------------------ */

static hipError_t copy(const struct ah_work *from, struct ah_work *to)
{
    struct ah_graph_memory *memory = malloc(sizeof *memory);
    if (!memory)
        return hipErrorOutOfMemory;
    *memory = *from->memory;
    memory->is_copy = true;
    memory->claimed = false;
    ah_graph_allocation_retain(memory->allocation);
    to->memory = memory;
    return hipSuccess;
}

static bool *claim_of(const struct ah_graph_memory *memory)
{
    return memory->frees ? &memory->allocation->free_claimed : &memory->allocation->alloc_claimed;
}

static void free_memory(struct ah_work *work)
{
    struct ah_graph_memory *memory = work->memory;
    ah_graph_allocations_lock();
    if (memory->claimed)
        *claim_of(memory) = false;
    if (memory->frees && !memory->is_copy)
        memory->allocation->has_free_node = false;
    ah_graph_allocations_unlock();
    ah_graph_allocation_release(memory->allocation);
    free(memory);
}

static hipGraphExecUpdateResult update(const struct ah_work *old, const struct ah_work *work)
{
    if (old->memory->allocation == work->memory->allocation)
        return hipGraphExecUpdateSuccess;
    AH_LOG_ERR("the memory of a %s node cannot be changed", old->type->name);
    return hipGraphExecUpdateErrorNotSupported;
}

static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    (void)work;
    out_node->kind = AH_GRAPH_EMPTY;
    return hipSuccess;
}

/* ah_graph_memory_begin has done it for the whole launch. */
static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    (void)work, (void)stream;
    return hipSuccess;
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    (void)flags;
    fprintf(out, "address|%p\n", work->memory->allocation->address);
    if (!work->memory->frees)
        fprintf(out, "bytes|%zu\n", work->memory->allocation->size);
}

const struct ah_work_type ah_work_mem_alloc = {
    .type = hipGraphNodeTypeMemAlloc,
    .name = "memory allocation",
    .copy = copy,
    .free = free_memory,
    .update = update,
    .view = view,
    .submit = submit,
    .describe = describe,
};

const struct ah_work_type ah_work_mem_free = {
    .type = hipGraphNodeTypeMemFree,
    .name = "memory free",
    .copy = copy,
    .free = free_memory,
    .update = update,
    .view = view,
    .submit = submit,
    .describe = describe,
};

/* ---- launches ------------------------------------------------------------------------------ */

hipError_t ah_graph_memory_claim(struct ah_work *const *works, size_t count)
{
    size_t done = 0;
    ah_graph_allocations_lock();
    while (done < count && !*claim_of(works[done]->memory)) {
        *claim_of(works[done]->memory) = true;
        works[done++]->memory->claimed = true;
    }
    bool all_done = done == count;
    while (!all_done && done > 0) {
        *claim_of(works[--done]->memory) = false;
        works[done]->memory->claimed = false;
    }
    ah_graph_allocations_unlock();
    if (all_done)
        return hipSuccess;
    AH_LOG_ERR("a graph that allocates or frees memory can have one executable graph at a time");
    return hipErrorNotSupported;
}

/* Under the lock of allocations. */
static hipError_t begin_alloc(struct ah_graph_memory *memory, bool auto_free)
{
    struct ah_graph_allocation *allocation = memory->allocation;
    if (allocation->allocated && !auto_free) {
        AH_LOG_ERR("%p is still allocated by an earlier launch: free it, or instantiate the graph "
                   "with hipGraphInstantiateFlagAutoFreeOnLaunch",
                   allocation->address);
        return hipErrorInvalidValue;
    }
    hipError_t error = ah_graph_allocation_map(allocation);
    if (error == hipSuccess)
        ah_graph_allocation_set(allocation, true);
    return error;
}

static hipError_t begin_free(struct ah_graph_memory *memory)
{
    struct ah_graph_allocation *allocation = memory->allocation;
    if (!allocation->allocated) {
        AH_LOG_ERR("%p, which the graph frees, is not allocated", allocation->address);
        return hipErrorInvalidValue;
    }
    ah_graph_allocation_set(allocation, false);
    return hipSuccess;
}

/* Under the lock of allocations: from the last one back. */
static void undo(struct ah_work *const *works, size_t count)
{
    while (count-- > 0)
        ah_graph_allocation_set(works[count]->memory->allocation,
                                works[count]->memory->was_allocated);
}

hipError_t ah_graph_memory_begin(struct ah_work *const *works, size_t count, bool auto_free)
{
    hipError_t error = hipSuccess;
    size_t done = 0;
    if (count == 0)
        return hipSuccess;
    ah_graph_allocations_lock();
    while (done < count) {
        struct ah_graph_memory *memory = works[done]->memory;
        memory->was_allocated = memory->allocation->allocated;
        error = memory->frees ? begin_free(memory) : begin_alloc(memory, auto_free);
        if (error != hipSuccess)
            break;
        done++;
    }
    if (error != hipSuccess)
        undo(works, done);
    ah_graph_allocations_unlock();
    return error;
}

void ah_graph_memory_end(struct ah_work *const *works, size_t count, struct ah_stream *stream,
                         hipError_t error)
{
    if (count == 0)
        return;
    ah_graph_allocations_lock();
    if (error != hipSuccess)
        undo(works, count);
    for (size_t i = 0; i < count; i++)
        if (error == hipSuccess && works[i]->memory->frees)
            ah_graph_allocation_used(works[i]->memory->allocation, stream);
    ah_graph_allocations_unlock();
}

/* ---- public functions ---------------------------------------------------------------------- */

static hipError_t add_alloc(hipGraphNode_t *out_node, hipGraph_t graph,
                            const hipGraphNode_t *dependencies, size_t count,
                            hipMemAllocNodeParams *params)
{
    struct ah_work *work = NULL;
    hipError_t error = ah_work_make_alloc(params, "hipGraphAddMemAllocNode", &work);
    return ah_graph_add_work(error, graph, dependencies, count, work, "hipGraphAddMemAllocNode",
                             out_node);
}

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t *pDependencies, size_t numDependencies,
                                   hipMemAllocNodeParams *pNodeParams)
{
    AH_ENTER(hipGraphAddMemAllocNode);
    return AH_LEAVE(add_alloc(pGraphNode, graph, pDependencies, numDependencies, pNodeParams));
}

static hipError_t add_free(hipGraphNode_t *out_node, hipGraph_t graph,
                           const hipGraphNode_t *dependencies, size_t count, void *pointer,
                           const char *call)
{
    struct ah_work *work = NULL;
    hipError_t error = ah_work_make_free(pointer, call, &work);
    return ah_graph_add_work(error, graph, dependencies, count, work, call, out_node);
}

hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                  const hipGraphNode_t *pDependencies, size_t numDependencies,
                                  void *dev_ptr)
{
    AH_ENTER(hipGraphAddMemFreeNode);
    return AH_LEAVE(add_free(pGraphNode, graph, pDependencies, numDependencies, dev_ptr, __func__));
}

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                     const hipGraphNode_t *dependencies, size_t numDependencies,
                                     hipDeviceptr_t dptr)
{
    AH_ENTER(hipDrvGraphAddMemFreeNode);
    return AH_LEAVE(add_free(phGraphNode, hGraph, dependencies, numDependencies, dptr, __func__));
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *pNodeParams)
{
    struct ah_node *found;
    AH_ENTER(hipGraphMemAllocNodeGetParams);
    if (!pNodeParams)
        return AH_LEAVE(hipErrorInvalidValue);
    ah_graph_lock();
    hipError_t error = ah_node_of_type(node, hipGraphNodeTypeMemAlloc, __func__, &found);
    if (error == hipSuccess)
        *pNodeParams = found->work->memory->given;
    ah_graph_unlock();
    return AH_LEAVE(error);
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *dev_ptr)
{
    struct ah_node *found;
    AH_ENTER(hipGraphMemFreeNodeGetParams);
    if (!dev_ptr)
        return AH_LEAVE(hipErrorInvalidValue);
    ah_graph_lock();
    hipError_t error = ah_node_of_type(node, hipGraphNodeTypeMemFree, __func__, &found);
    if (error == hipSuccess)
        *(void **)dev_ptr = found->work->memory->allocation->address;
    ah_graph_unlock();
    return AH_LEAVE(error);
}
