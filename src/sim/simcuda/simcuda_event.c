/* Owns events. */
#include "simcuda_ops.h"
#include "clocks.h"

#include <stdlib.h>

static void discard_record(struct simcuda_event *event)
{
    if (event->stream)
        simcuda_object_release(&event->stream->object);
    event->stream = NULL;
}

static void fini_event(struct simcuda_object *object)
{
    struct simcuda_event *event = (struct simcuda_event *)(void *)object;
    discard_record(event);
    simcuda_event_unshare(event);
}

CUresult simcuda_event_get(CUevent handle, const char *what, struct simcuda_event **out)
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
    if (event->state)
        return simcuda_event_state_complete(event->state);
    return !event->stream || event->stream->done >= event->ticket;
}

CUresult simcuda_event_new(struct simcuda_context *context, unsigned flags,
                           struct simcuda_event **out)
{
    struct simcuda_event *event = simcuda_object_new(SIMCUDA_EVENT, sizeof *event, context);
    if (!event)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->object.fini = fini_event;
    event->flags = flags;
    *out = event;
    return CUDA_SUCCESS;
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
    struct simcuda_event *event;
    result = simcuda_event_new(context, flags, &event);
    if (result != CUDA_SUCCESS)
        return result;
    if ((flags & CU_EVENT_INTERPROCESS) && !simcuda_event_share(event)) {
        simcuda_object_close(&event->object);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
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
    uint64_t number;             /* in the event's state, if it has one */
};

static CUresult run_record(struct simcuda_op *op, struct simcuda_context *context)
{
    struct simcuda_event *event = ((struct record_op *)(void *)op)->event;
    (void)context;
    uint64_t now = ah_clock_now();
    pthread_mutex_lock(&simcuda.lock);
    event->milliseconds = (double)now * 1e-6;
    pthread_mutex_unlock(&simcuda.lock);
    return CUDA_SUCCESS;
}

/* A record that did not run because of an error is done too. */
static void fini_record(struct simcuda_op *op)
{
    const struct record_op *record = (const struct record_op *)(const void *)op;
    if (record->event->state)
        simcuda_event_state_done(record->event->state, record->number);
    simcuda_object_release(&record->event->object);
}

CUresult simcuda_record_op(struct simcuda_event *event, struct simcuda_op **out)
{
    struct record_op *op = simcuda_op_new(sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct record_op){.op = {.run = run_record, .fini = fini_record}, .event = event};
    if (event->state)
        op->number = simcuda_event_state_record(event->state);
    simcuda_object_retain(&event->object);
    *out = &op->op;
    return CUDA_SUCCESS;
}

void simcuda_event_recorded(struct simcuda_event *event, struct simcuda_stream *stream)
{
    discard_record(event);
    simcuda_object_retain(&stream->object);
    event->stream = stream;
    event->ticket = stream->queued;
}

/* The stream's handle determines the context; none has to be current (as in a driver of CUDA 13 on
 * an H100). */
static CUresult record(CUevent handle, CUstream stream_handle)
{
    struct simcuda_stream *stream;
    struct simcuda_op *op;
    CUresult result = simcuda_stream_get(stream_handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct simcuda_event *event = simcuda_object_get(handle, SIMCUDA_EVENT, "cuEventRecord");
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (event->object.context != stream->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    result = simcuda_record_op(event, &op);
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_push(stream, op);
    if (result == CUDA_SUCCESS)
        simcuda_event_recorded(event, stream);
    return result;
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
    CUresult result = simcuda_event_get(handle, "cuEventQuery", &event);
    if (result == CUDA_SUCCESS && !complete(event))
        result = event->state && simcuda_event_state_abandoned(event->state,
                                                               atomic_load(&event->state->recorded))
                     ? CUDA_ERROR_ILLEGAL_STATE
                     : CUDA_ERROR_NOT_READY;
    return simcuda_leave(result);
}

/* For the last record of any process. */
static CUresult wait_for_state(struct simcuda_event *event)
{
    uint64_t number = atomic_load(&event->state->recorded);
    simcuda_object_retain(&event->object);
    pthread_mutex_unlock(&simcuda.lock);
    CUresult result = simcuda_event_state_wait(event->state, number, event->object.context);
    pthread_mutex_lock(&simcuda.lock);
    simcuda_object_release(&event->object);
    return result;
}

CUresult simcuda_cuEventSynchronize(CUevent handle)
{
    struct simcuda_event *event;
    SIMCUDA_ENTER(cuEventSynchronize);
    CUresult result = simcuda_event_get(handle, "cuEventSynchronize", &event);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    struct simcuda_context *context = event->object.context;
    simcuda_object_retain(&context->object);
    if (event->state)
        result = wait_for_state(event);
    else if (event->stream)
        simcuda_stream_wait(event->stream, event->ticket);
    simcuda_print_flush(context);
    if (simcuda_context_error(context) != CUDA_SUCCESS)
        result = simcuda_context_error(context);
    simcuda_object_release(&context->object);
    return simcuda_leave(result);
}

CUresult simcuda_cuEventElapsedTime(float *milliseconds, CUevent start_handle, CUevent stop_handle)
{
    struct simcuda_event *start, *stop;
    SIMCUDA_ENTER(cuEventElapsedTime);
    CUresult result = simcuda_event_get(start_handle, "cuEventElapsedTime", &start);
    if (result == CUDA_SUCCESS)
        result = simcuda_event_get(stop_handle, "cuEventElapsedTime", &stop);
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

struct state_op { /* waits for a record that may be another process's */
    struct simcuda_op op;
    struct simcuda_event *event; /* retained */
    uint64_t number;
};

static CUresult run_state_wait(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct state_op *wait = (const struct state_op *)(const void *)op;
    return simcuda_event_state_wait(wait->event->state, wait->number, context);
}

static void fini_state_wait(struct simcuda_op *op)
{
    simcuda_object_release(&((struct state_op *)(void *)op)->event->object);
}

static CUresult state_wait_op(struct simcuda_event *event, struct simcuda_op **out)
{
    struct state_op *op = simcuda_op_new(sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct state_op){
        .op = {.run = run_state_wait, .fini = fini_state_wait, .leaves_memory = true},
        .event = event,
        .number = atomic_load(&event->state->recorded),
    };
    simcuda_object_retain(&event->object);
    *out = &op->op;
    return CUDA_SUCCESS;
}

CUresult simcuda_empty_op(struct simcuda_op **out)
{
    *out = simcuda_op_new(sizeof **out);
    if (!*out)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*out)->run = run_nothing;
    (*out)->leaves_memory = true;
    return CUDA_SUCCESS;
}

CUresult simcuda_event_wait_op(struct simcuda_event *event, struct simcuda_op **out)
{
    if (event->state && !complete(event))
        return state_wait_op(event, out);
    CUresult result = simcuda_empty_op(out);
    if (result != CUDA_SUCCESS || complete(event) ||
        simcuda_op_wait_for(*out, event->stream, event->ticket))
        return result;
    simcuda_op_discard(*out);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult simcuda_cuStreamWaitEvent(CUstream stream_handle, CUevent handle, unsigned flags)
{
    struct simcuda_event *event;
    struct simcuda_stream *stream;
    struct simcuda_op *op;
    SIMCUDA_ENTER(cuStreamWaitEvent);
    CUresult result = flags > 1 ? CUDA_ERROR_INVALID_VALUE
                                : simcuda_event_get(handle, "cuStreamWaitEvent", &event);
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_get(stream_handle, &stream);
    if (result != CUDA_SUCCESS || complete(event))
        return simcuda_leave(result);
    result = simcuda_event_wait_op(event, &op);
    return simcuda_leave(result == CUDA_SUCCESS ? simcuda_stream_push(stream, op) : result);
}
