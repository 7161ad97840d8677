/* Owns operations on values in memory as the work of nodes: waits and writes, one or several in a
 * row, as hipStreamBatchMemOp does them. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"
#include "parameters.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------- */

static hipError_t copy_operations(const hipBatchMemOpNodeParams *params,
                                  struct ah_batch_work *batch)
{
    size_t size = params->count * sizeof *params->paramArray;
    batch->given.paramArray = malloc(size);
    if (!batch->given.paramArray)
        return hipErrorOutOfMemory;
    memcpy(batch->given.paramArray, params->paramArray, size);
    return hipSuccess;
}

static hipError_t create(const hipBatchMemOpNodeParams *params, struct ah_device *device,
                         struct ah_work **out_work)
{
    struct ah_work *work = ah_work_create(&ah_work_batch, device);
    if (!work)
        return hipErrorOutOfMemory;
    work->batch.given = *params;
    hipError_t error = copy_operations(params, &work->batch);
    if (error == hipSuccess)
        *out_work = work;
    else
        free(work);
    return error;
}

static hipError_t check(const hipBatchMemOpNodeParams *params)
{
    struct ah_command command;
    hipError_t error = ah_batch_check(params->paramArray, params->count, params->flags);
    for (unsigned i = 0; i < params->count && error == hipSuccess; i++)
        error = ah_batch_command(&params->paramArray[i], &command);
    return error;
}

hipError_t ah_work_make_batch(const hipBatchMemOpNodeParams *params, const char *call,
                              struct ah_work **out_work)
{
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    if (!params)
        return hipErrorInvalidValue;
    if (params->ctx && !ah_handle_is(params->ctx, AH_HANDLE_CONTEXT)) {
        AH_LOG_ERR("%s: %p is not a context", call, (void *)params->ctx);
        return hipErrorInvalidContext;
    }
    if (params->ctx)
        device = ((const struct ah_handle *)(const void *)params->ctx)->device;
    hipError_t error = check(params);
    return error == hipSuccess ? create(params, device, out_work) : error;
}

/* The operation of which ah_batch_command makes this command, but for the mask. */
static hipStreamBatchMemOpParams operation_of(const struct ah_command *command)
{
    bool wide = command->value.bits == 64;
    hipStreamBatchMemOpParams operation = {.pad = {0}};
    if (command->kind == AH_COMMAND_BARRIER) {
        bool flush = command->barrier == AH_BARRIER_REMOTE_WRITES;
        operation.memoryBarrier.operation =
            flush ? hipStreamMemOpFlushRemoteWrites : hipStreamMemOpBarrier;
        operation.memoryBarrier.flags = command->barrier == AH_BARRIER_DEVICE;
    } else if (command->kind == AH_COMMAND_VALUE_WAIT) {
        operation.waitValue.operation =
            wide ? hipStreamMemOpWaitValue64 : hipStreamMemOpWaitValue32;
        operation.waitValue.address = command->value.pointer;
        operation.waitValue.value64 = command->value.value;
        operation.waitValue.flags = (unsigned)command->value.condition;
    } else {
        operation.writeValue.operation =
            wide ? hipStreamMemOpWriteValue64 : hipStreamMemOpWriteValue32;
        operation.writeValue.address = command->value.pointer;
        operation.writeValue.value64 = command->value.value;
        operation.writeValue.flags = command->kind == AH_COMMAND_VALUE_ADD
                                         ? hipExtStreamWriteValueIncrement
                                         : hipStreamWriteValueDefault;
    }
    return operation;
}

hipError_t ah_work_capture_value(const struct ah_stream *stream, const struct ah_command *command,
                                 struct ah_work **out_work)
{
    hipStreamBatchMemOpParams operation = operation_of(command);
    const hipBatchMemOpNodeParams params = {.count = 1, .paramArray = &operation};
    hipError_t error = create(&params, stream->handle.device, out_work);
    if (error == hipSuccess) {
        (*out_work)->batch.has_mask = command->kind == AH_COMMAND_VALUE_WAIT;
        (*out_work)->batch.mask = command->value.mask;
    }
    return error;
}

/* ---- the row --------------------------------------------------------------------------- */

static hipError_t copy(const struct ah_work *from, struct ah_work *to)
{
    return copy_operations(&from->batch.given, &to->batch);
}

static void free_operations(struct ah_work *work)
{
    free(work->batch.given.paramArray);
}

static hipError_t command_at(const struct ah_batch_work *batch, unsigned index,
                             struct ah_command *out_command)
{
    hipError_t error = ah_batch_command(&batch->given.paramArray[index], out_command);
    if (error == hipSuccess && batch->has_mask)
        out_command->value.mask = batch->mask;
    return error;
}

static bool has_same_operations(const hipBatchMemOpNodeParams *one,
                                const hipBatchMemOpNodeParams *other)
{
    bool same = one->count == other->count;
    for (unsigned i = 0; i < one->count && same; i++)
        same = one->paramArray[i].operation == other->paramArray[i].operation;
    return same;
}

static hipGraphExecUpdateResult update(const struct ah_work *old, const struct ah_work *work)
{
    if (old->device == work->device && has_same_operations(&old->batch.given, &work->batch.given))
        return hipGraphExecUpdateSuccess;
    AH_LOG_ERR("the device of a node of memory operations, their number and what each does cannot "
               "be changed");
    return hipGraphExecUpdateErrorParametersChanged;
}

/* Backends have nodes of one wait or write. */
static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    struct ah_command command;
    if (work->batch.given.count != 1)
        return hipErrorNotSupported;
    hipError_t error = command_at(&work->batch, 0, &command);
    if (error != hipSuccess)
        return error;
    if (command.kind != AH_COMMAND_VALUE_WAIT && command.kind != AH_COMMAND_VALUE_WRITE)
        return hipErrorNotSupported;
    out_node->kind =
        command.kind == AH_COMMAND_VALUE_WAIT ? AH_GRAPH_VALUE_WAIT : AH_GRAPH_VALUE_WRITE;
    out_node->value.pointer = command.value.pointer;
    out_node->value.value = command.value.value;
    out_node->value.mask = command.value.mask;
    out_node->value.condition = command.value.condition;
    out_node->value.bits = command.value.bits;
    return hipSuccess;
}

static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    struct ah_command command;
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < work->batch.given.count && error == hipSuccess; i++) {
        error = command_at(&work->batch, i, &command);
        if (error == hipSuccess)
            error = ah_submit(stream, &command);
    }
    return error;
}

static void describe_operation(const struct ah_command *command, FILE *out)
{
    static const char *const barriers[] = {[AH_BARRIER_SYSTEM] = "system",
                                           [AH_BARRIER_DEVICE] = "device",
                                           [AH_BARRIER_REMOTE_WRITES] = "remote writes"};
    if (command->kind == AH_COMMAND_BARRIER) {
        fprintf(out, "barrier|%s\n", barriers[command->barrier]);
        return;
    }
    fprintf(out, "%s|%p, %llu, %d bits\n",
            command->kind == AH_COMMAND_VALUE_WAIT    ? "wait"
            : command->kind == AH_COMMAND_VALUE_WRITE ? "write"
                                                      : "add",
            command->value.pointer, (unsigned long long)command->value.value, command->value.bits);
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    const hipBatchMemOpNodeParams *batch = &work->batch.given;
    struct ah_command command;
    fprintf(out, "operations|%u\n", batch->count);
    for (unsigned i = 0; i < batch->count && (flags & hipGraphDebugDotFlagsVerbose); i++)
        if (command_at(&work->batch, i, &command) == hipSuccess)
            describe_operation(&command, out);
}

const struct ah_work_type ah_work_batch = {
    .type = hipGraphNodeTypeBatchMemOp,
    .name = "memory operations",
    .copy = copy,
    .free = free_operations,
    .update = update,
    .view = view,
    .submit = submit,
    .describe = describe,
};

/* ---- public functions ------------------------------------------------------------------ */

hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                     const hipGraphNode_t *dependencies, size_t numDependencies,
                                     const hipBatchMemOpNodeParams *nodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddBatchMemOpNode);
    hipError_t error = ah_work_make_batch(nodeParams, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, hGraph, dependencies, numDependencies, work, __func__,
                                      phGraphNode));
}

hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t hNode,
                                           hipBatchMemOpNodeParams *nodeParams_out)
{
    AH_ENTER(hipGraphBatchMemOpNodeGetParams);
    return AH_LEAVE(AH_NODE_GET(hNode, hipGraphNodeTypeBatchMemOp, batch.given, nodeParams_out));
}

hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t hNode,
                                           hipBatchMemOpNodeParams *nodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphBatchMemOpNodeSetParams);
    hipError_t error = ah_work_make_batch(nodeParams, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, hNode, work, __func__));
}
