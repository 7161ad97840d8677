/* Owns stream-ordered waits for values in memory and writes of them. */
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
