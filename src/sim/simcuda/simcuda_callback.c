/* Owns functions of the host in stream order. */
#include "simcuda_ops.h"

#include <stdlib.h>

struct call_op {
    struct simcuda_op op;
    CUhostFn function;
    CUstreamCallback callback;
    CUstream stream;
    void *data;
};

static pthread_mutex_t host_thread = PTHREAD_MUTEX_INITIALIZER; /* if there is one thread for all */

static CUresult run_call(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct call_op *call = (const struct call_op *)(const void *)op;
    CUresult status;
    pthread_mutex_lock(&simcuda.lock);
    status = simcuda_context_error(context);
    pthread_mutex_unlock(&simcuda.lock);
    if (simcuda_script.one_host_thread)
        pthread_mutex_lock(&host_thread);
    simcuda_thread.in_callback = true;
    if (call->callback)
        call->callback(call->stream, status, call->data);
    else
        call->function(call->data);
    simcuda_thread.in_callback = false;
    if (simcuda_script.one_host_thread)
        pthread_mutex_unlock(&host_thread);
    return CUDA_SUCCESS;
}

CUresult simcuda_call_op(CUhostFn function, void *data, struct simcuda_op **out)
{
    struct call_op *call = function ? simcuda_op_new(sizeof *call) : NULL;
    if (!call)
        return function ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    *call = (struct call_op){
        .op = {.run = run_call, .leaves_memory = true},
        .function = function,
        .data = data,
    };
    *out = &call->op;
    return CUDA_SUCCESS;
}

static CUresult push_callback(CUstream handle, CUstreamCallback callback, void *data)
{
    struct simcuda_stream *stream;
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!callback)
        return CUDA_ERROR_INVALID_VALUE;
    struct call_op *call = simcuda_op_new(sizeof *call);
    if (!call)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *call = (struct call_op){
        .op = {.run = run_call, .after_errors = true, .leaves_memory = true},
        .callback = callback,
        .stream = handle,
        .data = data,
    };
    return simcuda_stream_push(stream, &call->op);
}

CUresult simcuda_cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data,
                                     unsigned flags)
{
    SIMCUDA_ENTER(cuStreamAddCallback);
    return simcuda_leave(flags ? CUDA_ERROR_INVALID_VALUE : push_callback(stream, function, data));
}

static CUresult push_call(CUstream handle, CUhostFn function, void *data)
{
    struct simcuda_stream *stream;
    struct simcuda_op *op;
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = simcuda_call_op(function, data, &op);
    return result == CUDA_SUCCESS ? simcuda_stream_push(stream, op) : result;
}

CUresult simcuda_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    SIMCUDA_ENTER(cuLaunchHostFunc);
    return simcuda_leave(push_call(stream, function, data));
}
