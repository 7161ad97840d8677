/* Owns stream-ordered waits for values in memory, writes of them, and batches of these with
 * barriers: operations of a stream are done one after the other, and each sees what those before it
 * wrote. */
#include "simcuda_ops.h"

#include <stdlib.h>
#include <unistd.h>

enum { POLL_US = 50 };

struct value_op {
    struct simcuda_op op;
    unsigned char *view;
    uint64_t address, value;
    unsigned condition;
    bool wide;
};

static bool met(const struct value_op *op)
{
    uint64_t now = op->wide ? __atomic_load_n((uint64_t *)(void *)op->view, __ATOMIC_ACQUIRE)
                            : __atomic_load_n((uint32_t *)(void *)op->view, __ATOMIC_ACQUIRE);
    switch (op->condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
        return op->wide ? (int64_t)(now - op->value) >= 0 : (int32_t)(now - op->value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return now == op->value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (now & op->value) != 0;
    default:
        return op->wide ? ~(now | op->value) != 0 : (uint32_t) ~(now | op->value) != 0;
    }
}

static CUresult run_wait_value(struct simcuda_op *op, struct simcuda_context *context)
{
    while (!met((struct value_op *)(void *)op)) {
        if (simcuda_is_abandoned(context))
            return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        usleep(POLL_US);
    }
    return CUDA_SUCCESS;
}

static CUresult run_write_value(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct value_op *write = (const struct value_op *)(const void *)op;
    (void)context;
    if (sim_memory_tracking)
        sim_memory_wrote(write->address, write->wide ? 8 : 4);
    if (write->wide)
        __atomic_store_n((uint64_t *)(void *)write->view, write->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)(void *)write->view, (uint32_t)write->value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

CUresult simcuda_value_op(const struct simcuda_context *context, CUdeviceptr pointer,
                          uint64_t value, unsigned flags, bool wide, bool wait,
                          struct simcuda_op **out)
{
    struct simcuda_memory *memory;
    unsigned char *view;
    size_t size = wide ? 8 : 4;
    CUresult result = simcuda_translate(context, pointer, size, !wait, &view, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    if (!memory || pointer % size != 0 || flags > (wait ? CU_STREAM_WAIT_VALUE_NOR : 1u))
        return CUDA_ERROR_INVALID_VALUE;
    struct value_op *op = simcuda_op_new(sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct value_op){
        .op = {.run = wait ? run_wait_value : run_write_value, .leaves_memory = wait},
        .view = view,
        .address = pointer,
        .value = value,
        .condition = flags,
        .wide = wide,
    };
    *out = &op->op;
    return CUDA_SUCCESS;
}

static CUresult push_value(CUstream handle, CUdeviceptr pointer, uint64_t value, unsigned flags,
                           bool wide, bool wait)
{
    struct simcuda_stream *stream;
    struct simcuda_op *op;
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = simcuda_value_op(stream->object.context, pointer, value, flags, wide, wait, &op);
    return result == CUDA_SUCCESS ? simcuda_stream_push(stream, op) : result;
}

CUresult simcuda_cuStreamWaitValue32(CUstream stream, CUdeviceptr pointer, uint32_t value,
                                     unsigned flags)
{
    SIMCUDA_ENTER(cuStreamWaitValue32);
    return simcuda_leave(push_value(stream, pointer, value, flags, false, true));
}

CUresult simcuda_cuStreamWaitValue64(CUstream stream, CUdeviceptr pointer, uint64_t value,
                                     unsigned flags)
{
    SIMCUDA_ENTER(cuStreamWaitValue64);
    return simcuda_leave(push_value(stream, pointer, value, flags, true, true));
}

CUresult simcuda_cuStreamWriteValue32(CUstream stream, CUdeviceptr pointer, uint32_t value,
                                      unsigned flags)
{
    SIMCUDA_ENTER(cuStreamWriteValue32);
    return simcuda_leave(push_value(stream, pointer, value, flags, false, false));
}

CUresult simcuda_cuStreamWriteValue64(CUstream stream, CUdeviceptr pointer, uint64_t value,
                                      unsigned flags)
{
    SIMCUDA_ENTER(cuStreamWriteValue64);
    return simcuda_leave(push_value(stream, pointer, value, flags, true, false));
}

/* ---- batches ------------------------------------------------------------------------------ */

static bool is_value_wait(const CUstreamBatchMemOpParams *op)
{
    return op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
           op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static bool is_value_wide(const CUstreamBatchMemOpParams *op)
{
    return op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
           op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

static bool is_barrier(const CUstreamBatchMemOpParams *op)
{
    return op->operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES ||
           op->operation == CU_STREAM_MEM_OP_BARRIER;
}

bool simcuda_batch_is_known(const CUstreamBatchMemOpParams *operations, unsigned count,
                            unsigned flags)
{
    enum { OPERATIONS_MAX = 255 };
    if (!operations || count == 0 || count > OPERATIONS_MAX || flags != 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (operations[i].operation < CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
            operations[i].operation > CU_STREAM_MEM_OP_BARRIER ||
            (is_barrier(&operations[i]) &&
             operations[i].barrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU))
            return false;
    return true;
}

CUresult simcuda_batch_ops(const CUstreamBatchMemOpParams *operations, unsigned count,
                           const struct simcuda_context *context, struct simcuda_op **out)
{
    CUresult result = CUDA_SUCCESS;
    struct simcuda_op **link = out;
    *out = NULL;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        const CUstreamBatchMemOpParams *op = &operations[i];
        result = is_barrier(op) ? simcuda_empty_op(link)
                                : simcuda_value_op(context, op->value.address, op->value.value,
                                                   op->value.flags, is_value_wide(op),
                                                   is_value_wait(op), link);
        if (result == CUDA_SUCCESS)
            link = &(*link)->next;
    }
    for (struct simcuda_op *next; result != CUDA_SUCCESS && *out; *out = next) {
        next = (*out)->next;
        simcuda_op_discard(*out);
    }
    return result;
}

static CUresult push_batch(CUstream handle, unsigned count,
                           const CUstreamBatchMemOpParams *operations, unsigned flags)
{
    struct simcuda_stream *stream;
    struct simcuda_op *op = NULL, *next;
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS && !simcuda_batch_is_known(operations, count, flags))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = simcuda_batch_ops(operations, count, stream->object.context, &op);
    for (; op; op = next) {
        next = op->next;
        op->next = NULL;
        if (result == CUDA_SUCCESS)
            result = simcuda_stream_push(stream, op);
        else
            simcuda_op_discard(op);
    }
    return result;
}

CUresult simcuda_cuStreamBatchMemOp(CUstream stream, unsigned count,
                                    CUstreamBatchMemOpParams *operations, unsigned flags)
{
    SIMCUDA_ENTER(cuStreamBatchMemOp);
    return simcuda_leave(push_batch(stream, count, operations, flags));
}

/* No other device writes to simulated memory but by functions of this driver. */
CUresult simcuda_cuFlushGPUDirectRDMAWrites(int target, int scope)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuFlushGPUDirectRDMAWrites);
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS && (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX ||
                                   (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
                                    scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES)))
        result = CUDA_ERROR_INVALID_VALUE;
    return simcuda_leave(result);
}
