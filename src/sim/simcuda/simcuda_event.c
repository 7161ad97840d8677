/* Owns events. */
#include "simcuda_driver.h"

#include <stdlib.h>
#include <time.h>

struct simcuda_event {
    struct simcuda_object object;
    unsigned flags;
    struct simcuda_stream *stream; /* of the last record, NULL: never recorded; retained */
    uint64_t ticket;
    double milliseconds;
};

static void forget_record(struct simcuda_object *object)
{
    struct simcuda_event *event = (struct simcuda_event *)(void *)object;
    if (event->stream)
        simcuda_object_release(&event->stream->object);
    event->stream = NULL;
}

static CUresult get(CUevent handle, const char *what, struct simcuda_event **out)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    *out = simcuda_object_get(handle, SIMCUDA_EVENT, what);
    return *out ? simcuda_context_error((*out)->object.context) : CUDA_ERROR_INVALID_HANDLE;
}

static bool complete(const struct simcuda_event *event)
{
    return !event->stream || event->stream->done >= event->ticket;
}

static CUresult create(CUevent *out, unsigned flags)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (result != CUDA_SUCCESS)
        return result;
    if ((flags & ~known) != 0 ||
        ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    struct simcuda_event *event = simcuda_object_new(SIMCUDA_EVENT, sizeof *event, context);
    if (!event)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->object.fini = forget_record;
    event->flags = flags;
    *out = (CUevent)(uintptr_t)event->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuEventCreate(CUevent *out, unsigned flags)
{
    SIMCUDA_ENTER(cuEventCreate);
    return simcuda_leave(create(out, flags));
}

CUresult simcuda_cuEventDestroy(CUevent handle)
{
    SIMCUDA_ENTER(cuEventDestroy);
    struct simcuda_object *event = simcuda_object_get(handle, SIMCUDA_EVENT, "cuEventDestroy");
    if (!event)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    simcuda_object_close(event);
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- records ----------------------------------------------------------------------- */

struct record_op {
    struct simcuda_op op;
    struct simcuda_event *event; /* retained */
};

static CUresult run_record(struct simcuda_op *op, struct simcuda_context *context)
{
    struct simcuda_event *event = ((struct record_op *)(void *)op)->event;
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&simcuda.lock);
    event->milliseconds = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    pthread_mutex_unlock(&simcuda.lock);
    return CUDA_SUCCESS;
}

static void fini_record(struct simcuda_op *op)
{
    simcuda_object_release(&((struct record_op *)(void *)op)->event->object);
}

static CUresult record(CUevent handle, CUstream stream_handle)
{
    struct simcuda_event *event;
    struct simcuda_stream *stream;
    CUresult result = get(handle, "cuEventRecord", &event);
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_get(stream_handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (event->object.context != stream->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    struct record_op *op = simcuda_op_new(sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct record_op){.op = {.run = run_record, .fini = fini_record}, .event = event};
    simcuda_object_retain(&event->object);
    result = simcuda_stream_push(stream, &op->op);
    if (result != CUDA_SUCCESS)
        return result;
    forget_record(&event->object);
    simcuda_object_retain(&stream->object);
    event->stream = stream;
    event->ticket = stream->queued;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuEventRecord(CUevent event, CUstream stream)
{
    SIMCUDA_ENTER(cuEventRecord);
    return simcuda_leave(record(event, stream));
}

CUresult simcuda_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    SIMCUDA_ENTER(cuEventRecordWithFlags);
    return simcuda_leave(flags > 1 ? CUDA_ERROR_INVALID_VALUE : record(event, stream));
}

CUresult simcuda_cuEventQuery(CUevent handle)
{
    struct simcuda_event *event;
    SIMCUDA_ENTER(cuEventQuery);
    CUresult result = get(handle, "cuEventQuery", &event);
    if (result == CUDA_SUCCESS && !complete(event))
        result = CUDA_ERROR_NOT_READY;
    return simcuda_leave(result);
}

CUresult simcuda_cuEventSynchronize(CUevent handle)
{
    struct simcuda_event *event;
    SIMCUDA_ENTER(cuEventSynchronize);
    CUresult result = get(handle, "cuEventSynchronize", &event);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    struct simcuda_context *context = event->object.context;
    simcuda_object_retain(&context->object);
    if (event->stream)
        simcuda_stream_wait(event->stream, event->ticket);
    simcuda_print_flush(context);
    result = simcuda_context_error(context);
    simcuda_object_release(&context->object);
    return simcuda_leave(result);
}

CUresult simcuda_cuEventElapsedTime(float *milliseconds, CUevent start_handle, CUevent stop_handle)
{
    struct simcuda_event *start, *stop;
    SIMCUDA_ENTER(cuEventElapsedTime);
    CUresult result = get(start_handle, "cuEventElapsedTime", &start);
    if (result == CUDA_SUCCESS)
        result = get(stop_handle, "cuEventElapsedTime", &stop);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    if (!milliseconds)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!start->stream || !stop->stream || start->object.context != stop->object.context ||
        ((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING))
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!complete(start) || !complete(stop))
        return simcuda_leave(CUDA_ERROR_NOT_READY);
    *milliseconds = (float)(stop->milliseconds - start->milliseconds);
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult run_nothing(struct simcuda_op *op, struct simcuda_context *context)
{
    (void)op, (void)context;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuStreamWaitEvent(CUstream stream_handle, CUevent handle, unsigned flags)
{
    struct simcuda_event *event;
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamWaitEvent);
    CUresult result =
        flags > 1 ? CUDA_ERROR_INVALID_VALUE : get(handle, "cuStreamWaitEvent", &event);
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_get(stream_handle, &stream);
    if (result != CUDA_SUCCESS || complete(event))
        return simcuda_leave(result);
    struct simcuda_op *op = simcuda_op_new(sizeof *op);
    if (!op)
        return simcuda_leave(CUDA_ERROR_OUT_OF_MEMORY);
    op->run = run_nothing;
    if (!simcuda_op_wait_for(op, event->stream, event->ticket)) {
        simcuda_op_free(op);
        return simcuda_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    return simcuda_leave(simcuda_stream_push(stream, op));
}
