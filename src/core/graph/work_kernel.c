/* Owns launches as the work of nodes: the copies of their arguments, and their update. What
 * attributes are is kernel_attributes.c's. */
#include "api.h"
#include "api_arguments.h"
#include "demangle.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- arguments ------------------------------------------------------------------------- */

enum {
    ALIGNMENT = 16, /* of each argument: that of the largest vector */
    EXTRA_COUNT = 5 /* of a HIP_LAUNCH_PARAM_* list */
};

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static hipError_t allocate(struct ah_kernel_work *kernel, unsigned pointers, size_t bytes)
{
    kernel->pointer_count = pointers;
    kernel->storage_size = aligned(pointers * sizeof(void *)) + bytes;
    kernel->storage = kernel->storage_size ? malloc(kernel->storage_size) : NULL;
    return kernel->storage || kernel->storage_size == 0 ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t copy_params(struct ah_kernel_work *kernel, void **params,
                              const struct ah_parameter_list *list)
{
    size_t size = 0;
    for (unsigned i = 0; i < list->count; i++) {
        if (!params[i])
            return hipErrorInvalidValue;
        size += aligned(list->at[i].size);
    }
    hipError_t error = allocate(kernel, list->count, size);
    if (error != hipSuccess || !kernel->storage)
        return error;
    char *next = (char *)kernel->storage + aligned(list->count * sizeof(void *));
    for (unsigned i = 0; i < list->count; i++) {
        kernel->storage[i] = memcpy(next, params[i], list->at[i].size);
        next += aligned(list->at[i].size);
    }
    return hipSuccess;
}

/* The list is valid: ah_launch_check has seen it. */
static hipError_t copy_extra(struct ah_kernel_work *kernel, void **extra)
{
    size_t size = *(const size_t *)extra[3];
    if (size > 0 && !extra[1])
        return hipErrorInvalidValue;
    hipError_t error = allocate(kernel, EXTRA_COUNT, aligned(sizeof size) + size);
    if (error != hipSuccess || !kernel->storage)
        return error;
    char *own = (char *)kernel->storage + aligned(EXTRA_COUNT * sizeof(void *));
    memcpy(kernel->storage, extra, EXTRA_COUNT * sizeof(void *));
    kernel->storage[1] = own + aligned(sizeof size);
    kernel->storage[3] = memcpy(own, &size, sizeof size);
    if (size > 0)
        memcpy(kernel->storage[1], extra[1], size);
    return hipSuccess;
}

static hipError_t copy_arguments(struct ah_kernel_work *kernel, const struct ah_launch *launch,
                                 const char *call)
{
    const struct ah_parameter_list *list;
    if (launch->extra)
        return copy_extra(kernel, launch->extra);
    hipError_t error = ah_function_parameters(kernel->function, &list);
    if (error == hipSuccess && list->count > 0 && !launch->params) {
        AH_LOG_ERR("%s: kernel %s has %u parameters, but neither kernelParams nor extra is given",
                   call, ah_demangle(kernel->function->name), list->count);
        return hipErrorInvalidValue;
    }
    return error == hipSuccess ? copy_params(kernel, launch->params, list) : error;
}

/* Lets the launch, and what the application is shown, point to the work's own copies. */
static void point_to_storage(struct ah_kernel_work *kernel, bool extra)
{
    kernel->launch.params = kernel->given.kernelParams = extra ? NULL : kernel->storage;
    kernel->launch.extra = kernel->given.extra = extra ? kernel->storage : NULL;
}

static hipError_t copy(const struct ah_work *from, struct ah_work *to)
{
    const struct ah_kernel_work *original = &from->kernel;
    struct ah_kernel_work *kernel = &to->kernel;
    ah_launch_attributes_use(&kernel->launch, &kernel->attributes);
    if (!original->storage)
        return hipSuccess;
    kernel->storage = malloc(kernel->storage_size);
    if (!kernel->storage)
        return hipErrorOutOfMemory;
    memcpy(kernel->storage, original->storage, kernel->storage_size);
    for (unsigned i = 0; i < kernel->pointer_count; i++) {
        uintptr_t offset = (uintptr_t)original->storage[i] - (uintptr_t)original->storage;
        if (offset < kernel->storage_size) /* else a constant of an extra list */
            kernel->storage[i] = (char *)kernel->storage + offset;
    }
    point_to_storage(kernel, original->launch.extra != NULL);
    return hipSuccess;
}

static void free_storage(struct ah_work *work)
{
    free(work->kernel.storage);
}

/* ---- making ---------------------------------------------------------------------------- */

static hipError_t make(struct ah_function *function, const struct ah_launch *launch,
                       const char *call, struct ah_work **out_work)
{
    hipError_t error = ah_launch_check(function, launch);
    if (error != hipSuccess)
        return error;
    struct ah_work *work = ah_work_create(&ah_work_kernel, function->handle.device);
    if (!work)
        return hipErrorOutOfMemory;
    struct ah_kernel_work *kernel = &work->kernel;
    kernel->function = function;
    kernel->launch = *launch;
    if (launch->flags & AH_LAUNCH_ATTRIBUTES)
        kernel->attributes = *launch->attributes;
    ah_launch_attributes_use(&kernel->launch, &kernel->attributes);
    kernel->cooperative = (launch->flags & AH_LAUNCH_COOPERATIVE) != 0;
    error = copy_arguments(kernel, launch, call);
    if (error != hipSuccess) {
        ah_work_free(work);
        return error;
    }
    point_to_storage(kernel, launch->extra != NULL);
    kernel->given.func = function->host ? (void *)(uintptr_t)function->host : (void *)function;
    kernel->given.gridDim = (dim3){launch->grid[0], launch->grid[1], launch->grid[2]};
    kernel->given.blockDim = (dim3){launch->block[0], launch->block[1], launch->block[2]};
    kernel->given.sharedMemBytes = launch->shared;
    *out_work = work;
    return hipSuccess;
}

hipError_t ah_work_make_kernel(const hipKernelNodeParams *params, const char *call,
                               struct ah_work **out_work)
{
    struct ah_function *function;
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    if (!params || !params->func)
        return hipErrorInvalidValue;
    hipError_t error = ah_function_of_any(params->func, device, &function);
    if (error != hipSuccess)
        return error;
    const struct ah_launch launch = {
        .grid = {params->gridDim.x, params->gridDim.y, params->gridDim.z},
        .block = {params->blockDim.x, params->blockDim.y, params->blockDim.z},
        .shared = params->sharedMemBytes,
        .params = params->kernelParams,
        .extra = params->extra,
    };
    error = make(function, &launch, call, out_work);
    if (error == hipSuccess)
        (*out_work)->kernel.given.func = params->func;
    return error;
}

/* A node runs in whatever stream its graph is launched, so that what the launch has of its stream
 * becomes the node's. */
static void take_from_stream(struct ah_kernel_work *kernel, const struct ah_stream *stream)
{
    static const hipLaunchAttributeID shared[] = {hipLaunchAttributeAccessPolicyWindow,
                                                  hipLaunchAttributeMemSyncDomainMap,
                                                  hipLaunchAttributeMemSyncDomain};
    hipLaunchAttributeValue value = {.priority = stream->priority};
    unsigned given = kernel->attributes.given;
    if (stream->priority != 0 && !(given >> hipLaunchAttributePriority & 1))
        ah_launch_attribute_add(&kernel->attributes, hipLaunchAttributePriority, &value);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (!(given >> shared[i] & 1) && ah_stream_attribute_was_set(stream, shared[i], &value))
            ah_launch_attribute_add(&kernel->attributes, shared[i], &value);
    ah_launch_attributes_use(&kernel->launch, &kernel->attributes);
}

/* Launches on several devices are refused before. */
hipError_t ah_work_capture_launch(const struct ah_stream *stream, const struct ah_command *command,
                                  struct ah_work **out_work)
{
    hipError_t error =
        make(command->launch.function, command->launch.sizes, "a captured launch", out_work);
    if (error == hipSuccess)
        take_from_stream(&(*out_work)->kernel, stream);
    return error;
}

/* ---- the row --------------------------------------------------------------------------- */

static void inherit(const struct ah_work *old, struct ah_work *work)
{
    const struct ah_kernel_work *from = &old->kernel;
    struct ah_kernel_work *to = &work->kernel;
    to->attributes = from->attributes;
    to->cooperative = from->cooperative;
    to->launch.flags = from->launch.flags;
    ah_launch_attributes_use(&to->launch, &to->attributes);
}

static hipGraphExecUpdateResult update(const struct ah_work *old, const struct ah_work *work)
{
    const struct ah_kernel_work *from = &old->kernel, *to = &work->kernel;
    if ((from->launch.flags ^ to->launch.flags) & AH_LAUNCH_COOPERATIVE) {
        AH_LOG_ERR("a kernel node cannot be made cooperative, or be no longer so");
        return hipGraphExecUpdateErrorParametersChanged;
    }
    return hipGraphExecUpdateSuccess;
}

static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    out_node->kind = AH_GRAPH_LAUNCH;
    out_node->launch.function = work->kernel.function->native;
    out_node->launch.sizes = &work->kernel.launch;
    return hipSuccess;
}

static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    return ah_submit_launch(stream, work->kernel.function, &work->kernel.launch);
}

static const char *function_name(const struct ah_kernel_work *kernel)
{
    const char *name = ah_handle_is(kernel->function, AH_HANDLE_FUNCTION)
                           ? kernel->function->name
                           : ah_kernel_name(kernel->given.func);
    return name ? ah_demangle(name) : "of a module that was unloaded";
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    const struct ah_kernel_work *kernel = &work->kernel;
    const unsigned *grid = kernel->launch.grid, *block = kernel->launch.block;
    const hipAccessPolicyWindow *window = &kernel->attributes.window;
    fprintf(out, "function|%s\n", function_name(kernel));
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsKernelNodeParams))
        fprintf(out, "symbol|%s\ngrid|%u x %u x %u\nblock|%u x %u x %u\nshared|%u\n",
                kernel->function->name, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                kernel->launch.shared);
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsKernelNodeAttributes))
        fprintf(out, "cooperative|%d\npriority|%d\naccess policy|%p, %zu bytes\n",
                kernel->cooperative, kernel->attributes.priority, window->base_ptr,
                window->num_bytes);
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsHandles))
        fprintf(out, "function handle|%p\n", kernel->given.func);
}

const struct ah_work_type ah_work_kernel = {
    .type = hipGraphNodeTypeKernel,
    .name = "kernel",
    .can_disable = true,
    .copy = copy,
    .free = free_storage,
    .inherit = inherit,
    .update = update,
    .view = view,
    .submit = submit,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------ */

hipError_t hipGraphAddKernelNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t *pDependencies, size_t numDependencies,
                                 const hipKernelNodeParams *pNodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddKernelNode);
    hipError_t error = ah_work_make_kernel(pNodeParams, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *pNodeParams)
{
    AH_ENTER(hipGraphKernelNodeGetParams);
    return AH_LEAVE(AH_NODE_GET(node, hipGraphNodeTypeKernel, kernel.given, pNodeParams));
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *pNodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphKernelNodeSetParams);
    hipError_t error = ah_work_make_kernel(pNodeParams, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}
