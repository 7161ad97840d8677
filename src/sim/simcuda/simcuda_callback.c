/* Owns functions of the host in stream order. */
#include "simcuda_driver.h"

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

static CUresult push_call(CUstream handle, CUhostFn function, CUstreamCallback callback, void *data)
{
    struct simcuda_stream *stream;
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!function && !callback)
        return CUDA_ERROR_INVALID_VALUE;
    struct call_op *call = simcuda_op_new(sizeof *call);
    if (!call)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *call = (struct call_op){
        .op = {.run = run_call, .after_errors = callback != NULL, .leaves_memory = true},
        .function = function,
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
    return simcuda_leave(flags ? CUDA_ERROR_INVALID_VALUE
                               : push_call(stream, NULL, function, data));
}

CUresult simcuda_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    SIMCUDA_ENTER(cuLaunchHostFunc);
    return simcuda_leave(push_call(stream, function, NULL, data));
}
