/* Owns what nodes of graphs do: the parameters as they were given, their checks, and the operations
 * that a launch makes of them. Addresses are looked up again at each launch, as hardware would. */
#include "simcuda_graph.h"

#include <stdlib.h>
#include <string.h>

static CUresult new_work(int type, struct simcuda_work **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*out)->references = 1;
    (*out)->type = type;
    return CUDA_SUCCESS;
}

struct simcuda_work *simcuda_work_retain(struct simcuda_work *work)
{
    work->references++;
    return work;
}

static void free_kernel(struct simcuda_kernel_work *kernel)
{
    if (kernel->function) {
        simcuda_object_release(&kernel->function->module->object);
        simcuda_object_release(&kernel->function->object);
    }
    free(kernel->arguments);
    free(kernel->params);
}

void simcuda_work_release(struct simcuda_work *work)
{
    if (!work || --work->references > 0)
        return;
    switch (work->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        free_kernel(&work->kernel);
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        if (work->event)
            simcuda_object_release(&work->event->object);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        free(work->batch.ops);
        break;
    default:
        break;
    }
    free(work);
}

/* Releases a work that was not finished. */
static CUresult give_up(struct simcuda_work **work, CUresult result)
{
    simcuda_work_release(*work);
    *work = NULL;
    return result;
}

/* Whether a launch could make the operations now. */
static CUresult dry_run(struct simcuda_work **work)
{
    struct simcuda_op *op = NULL;
    CUresult result = simcuda_work_ops(*work, 0, &op);
    for (struct simcuda_op *next; op; op = next) {
        next = op->next;
        simcuda_op_discard(op);
    }
    return result == CUDA_SUCCESS ? CUDA_SUCCESS : give_up(work, result);
}

/* ---- kernels ------------------------------------------------------------------------------ */

static CUresult fill_kernel(struct simcuda_kernel_work *kernel, struct simcuda_function *function,
                            const struct simcuda_shape *shape, const unsigned char *arguments)
{
    size_t offset, size;
    const struct ptx_kernel_info *info = &function->info;
    kernel->arguments = malloc(info->param_size + 1);
    kernel->params = calloc(info->param_count + 1, sizeof *kernel->params);
    if (!kernel->arguments || !kernel->params)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(kernel->arguments, arguments, info->param_size);
    for (unsigned i = 0; ptx_kernel_param(function->kernel, i, &offset, &size); i++)
        kernel->params[i] = kernel->arguments + offset;
    kernel->function = function;
    kernel->shape = *shape;
    simcuda_object_retain(&function->object);
    simcuda_object_retain(&function->module->object);
    return CUDA_SUCCESS;
}

static CUresult make_kernel(struct simcuda_function *function, const struct simcuda_shape *shape,
                            const unsigned char *arguments, bool packed, struct simcuda_work **out)
{
    CUresult result = new_work(CU_GRAPH_NODE_TYPE_KERNEL, out);
    if (result != CUDA_SUCCESS)
        return result;
    (*out)->context = function->object.context->object.handle;
    (*out)->kernel.packed = packed;
    result = fill_kernel(&(*out)->kernel, function, shape, arguments);
    return result == CUDA_SUCCESS ? CUDA_SUCCESS : give_up(out, result);
}

CUresult simcuda_work_kernel(const CUDA_KERNEL_NODE_PARAMS *params, struct simcuda_work **out)
{
    struct simcuda_op *op;
    struct simcuda_function *function =
        params ? simcuda_object_get(params->func, SIMCUDA_FUNCTION, "a kernel node") : NULL;
    if (!function)
        return params && params->func ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    const struct simcuda_shape shape = {
        {params->gridDimX, params->gridDimY, params->gridDimZ},
        {params->blockDimX, params->blockDimY, params->blockDimZ},
        .shared = params->sharedMemBytes,
    };
    CUresult result =
        simcuda_launch_op(function, &shape, 0, params->kernelParams, params->extra, &op);
    if (result != CUDA_SUCCESS)
        return result;
    result =
        make_kernel(function, &shape, simcuda_launch_arguments(op), params->extra != NULL, out);
    simcuda_op_discard(op);
    return result;
}

/* Arguments in a buffer are not for cooperative kernels. */
CUresult simcuda_work_reshape(const struct simcuda_work *work, const struct simcuda_shape *shape,
                              struct simcuda_work **out)
{
    const struct simcuda_kernel_work *kernel = &work->kernel;
    if (shape->cooperative && kernel->packed)
        return CUDA_ERROR_INVALID_VALUE;
    return make_kernel(kernel->function, shape, kernel->arguments, kernel->packed, out);
}

/* ---- memory ------------------------------------------------------------------------------- */

/* A context, NULL: the current one. */
static CUresult named_context(CUcontext handle, struct simcuda_context **out)
{
    return handle ? simcuda_context_of(handle, out) : simcuda_current(out);
}

CUresult simcuda_work_copy(const CUDA_MEMCPY3D *params, CUcontext handle, struct simcuda_work **out)
{
    struct simcuda_context *context;
    CUresult result = named_context(handle, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!params || params->WidthInBytes == 0 || params->Height == 0 || params->Depth == 0)
        return CUDA_ERROR_INVALID_VALUE;
    result = new_work(CU_GRAPH_NODE_TYPE_MEMCPY, out);
    if (result != CUDA_SUCCESS)
        return result;
    (*out)->context = context->object.handle;
    (*out)->copy = *params;
    return dry_run(out);
}

CUresult simcuda_work_fill(const CUDA_MEMSET_NODE_PARAMS *params, CUcontext handle,
                           struct simcuda_work **out)
{
    struct simcuda_context *context;
    CUresult result = named_context(handle, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!params || params->width == 0 || params->height == 0 ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return CUDA_ERROR_INVALID_VALUE;
    result = new_work(CU_GRAPH_NODE_TYPE_MEMSET, out);
    if (result != CUDA_SUCCESS)
        return result;
    (*out)->context = context->object.handle;
    (*out)->fill = *params;
    return dry_run(out);
}

CUresult simcuda_work_batch(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params, struct simcuda_work **out)
{
    struct simcuda_context *context;
    if (!params || !simcuda_batch_is_known(params->paramArray, params->count, params->flags))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = simcuda_context_of(params->ctx, &context);
    if (result == CUDA_SUCCESS)
        result = new_work(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, out);
    if (result != CUDA_SUCCESS)
        return result;
    (*out)->context = context->object.handle;
    (*out)->batch.ops = calloc(params->count, sizeof *params->paramArray);
    if (!(*out)->batch.ops)
        return give_up(out, CUDA_ERROR_OUT_OF_MEMORY);
    (*out)->batch.count = params->count;
    memcpy((*out)->batch.ops, params->paramArray, params->count * sizeof *params->paramArray);
    return dry_run(out);
}

/* ---- others --------------------------------------------------------------------------------- */

CUresult simcuda_work_host(const CUDA_HOST_NODE_PARAMS *params, struct simcuda_work **out)
{
    if (!params || !params->fn)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = new_work(CU_GRAPH_NODE_TYPE_HOST, out);
    if (result == CUDA_SUCCESS)
        (*out)->host = *params;
    return result;
}

CUresult simcuda_work_event(int type, CUevent handle, struct simcuda_work **out)
{
    struct simcuda_event *event =
        handle ? simcuda_object_get(handle, SIMCUDA_EVENT, "an event node") : NULL;
    if (!event)
        return handle ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    CUresult result = new_work(type, out);
    if (result != CUDA_SUCCESS)
        return result;
    simcuda_object_retain(&event->object);
    (*out)->event = event;
    if (type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
        (*out)->context = event->object.context->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_work_empty(struct simcuda_work **out)
{
    return new_work(CU_GRAPH_NODE_TYPE_EMPTY, out);
}

/* ---- operations ------------------------------------------------------------------------------ */

static CUresult gone(const char *what)
{
    simcuda_violation("%s of a graph does not exist any more", what);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult simcuda_work_ops(const struct simcuda_work *work, int priority, struct simcuda_op **out)
{
    struct simcuda_context *context = NULL;
    const struct simcuda_kernel_work *kernel = &work->kernel;
    CUresult result = work->context
                          ? simcuda_context_of((CUcontext)(uintptr_t)work->context, &context)
                          : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return result;
    switch (work->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return !kernel->function->object.handle
                   ? gone("a kernel")
                   : simcuda_launch_op(kernel->function, &kernel->shape, priority, kernel->params,
                                       NULL, out);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return simcuda_copy_op(context, &work->copy, out);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return simcuda_fill_op(context, &work->fill, out);
    case CU_GRAPH_NODE_TYPE_HOST:
        return simcuda_call_op(work->host.fn, work->host.userData, out);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return work->event->object.handle ? simcuda_event_wait_op(work->event, out)
                                          : gone("an event");
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return work->event->object.handle ? simcuda_record_op(work->event, out) : gone("an event");
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return simcuda_batch_ops(work->batch.ops, work->batch.count, context, out);
    default:
        return simcuda_empty_op(out);
    }
}

/* ---- updates -----------------------------------------------------------------------------------
 */

/* Whether both addresses are of the same kind of memory of the same context. */
static bool same_memory(CUdeviceptr first, CUdeviceptr second)
{
    const struct simcuda_memory *a = simcuda_memory_find(first), *b = simcuda_memory_find(second);
    if (!a || !b)
        return !a && !b;
    return a->kind == b->kind && a->context == b->context;
}

static CUdeviceptr end_address(int type, const void *host, CUdeviceptr device)
{
    return type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : device;
}

static bool may_copy(const CUDA_MEMCPY3D *old, const CUDA_MEMCPY3D *now)
{
    bool flat = old->Height == 1 && old->Depth == 1 && now->Height == 1 && now->Depth == 1;
    return flat && old->srcMemoryType == now->srcMemoryType &&
           old->dstMemoryType == now->dstMemoryType &&
           (old->srcMemoryType == CU_MEMORYTYPE_ARRAY ||
            same_memory(end_address(old->srcMemoryType, old->srcHost, old->srcDevice),
                        end_address(now->srcMemoryType, now->srcHost, now->srcDevice))) &&
           (old->dstMemoryType == CU_MEMORYTYPE_ARRAY ||
            same_memory(end_address(old->dstMemoryType, old->dstHost, old->dstDevice),
                        end_address(now->dstMemoryType, now->dstHost, now->dstDevice)));
}

static bool may_fill(const CUDA_MEMSET_NODE_PARAMS *old, const CUDA_MEMSET_NODE_PARAMS *now)
{
    bool same_row = old->width == now->width && old->pitch == now->pitch;
    return old->height == now->height && old->elementSize == now->elementSize &&
           (old->height == 1 || same_row) && same_memory(old->dst, now->dst);
}

static bool may_batch(const struct simcuda_work *old, const struct simcuda_work *work)
{
    bool same = old->batch.count == work->batch.count;
    for (unsigned i = 0; i < work->batch.count && same; i++)
        same = old->batch.ops[i].operation == work->batch.ops[i].operation;
    return same;
}

CUresult simcuda_work_may_replace(const struct simcuda_work *old, const struct simcuda_work *work)
{
    bool may = old->type == work->type;
    if (may && old->type != CU_GRAPH_NODE_TYPE_EVENT_RECORD)
        may = old->context == work->context;
    if (may && old->type == CU_GRAPH_NODE_TYPE_MEMCPY)
        may = may_copy(&old->copy, &work->copy);
    if (may && old->type == CU_GRAPH_NODE_TYPE_MEMSET)
        may = may_fill(&old->fill, &work->fill);
    if (may && old->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
        may = may_batch(old, work);
    return may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
