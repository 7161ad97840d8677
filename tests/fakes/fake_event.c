/* Owns events, and waiting for and writing values in memory. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POLL_US = 50 };

struct fake_event {
    struct fake_object object;
    unsigned flags;
    struct fake_stream *stream; /* of the last record, NULL: never recorded; retained */
    uint64_t ticket;
    double milliseconds;
};

static void forget_record(struct fake_object *object)
{
    struct fake_event *event = (struct fake_event *)(void *)object;
    if (event->stream)
        fake_object_release(&event->stream->object);
    event->stream = NULL;
}

static CUresult get(CUevent handle, const char *what, struct fake_event **out)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    *out = fake_object_get(handle, FAKE_EVENT, what);
    return *out ? (*out)->object.context->error : CUDA_ERROR_INVALID_HANDLE;
}

static bool complete(const struct fake_event *event)
{
    return !event->stream || event->stream->done >= event->ticket;
}

static CUresult create(CUevent *out, unsigned flags)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (result != CUDA_SUCCESS)
        return result;
    if ((flags & ~known) != 0 ||
        ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    struct fake_event *event = fake_object_new(FAKE_EVENT, sizeof *event, context);
    event->object.fini = forget_record;
    event->flags = flags;
    *out = (CUevent)(uintptr_t)event->object.handle;
    return CUDA_SUCCESS;
}

CUresult fake_cuEventCreate(CUevent *out, unsigned flags)
{
    FAKE_ENTER(cuEventCreate);
    return fake_leave(create(out, flags));
}

CUresult fake_cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle)
{
    FAKE_ENTER(cuIpcOpenEventHandle);
    uint64_t named;
    memcpy(&named, &handle, sizeof named);
    if (named == 0)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    return fake_leave(create(out, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
}

CUresult fake_cuEventDestroy(CUevent handle)
{
    FAKE_ENTER(cuEventDestroy);
    struct fake_object *event = fake_object_get(handle, FAKE_EVENT, "cuEventDestroy");
    if (!event)
        return fake_leave(CUDA_ERROR_INVALID_HANDLE);
    fake_object_close(event);
    return fake_leave(CUDA_SUCCESS);
}

/* ---- records ----------------------------------------------------------------------- */

struct record_op {
    struct fake_op op;
    struct fake_event *event; /* retained */
};

static CUresult run_record(struct fake_op *op, struct fake_context *context)
{
    struct fake_event *event = ((struct record_op *)(void *)op)->event;
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&fake.lock);
    event->milliseconds = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    pthread_mutex_unlock(&fake.lock);
    return CUDA_SUCCESS;
}

static void fini_record(struct fake_op *op)
{
    fake_object_release(&((struct record_op *)(void *)op)->event->object);
}

static CUresult record(CUevent handle, CUstream stream_handle)
{
    struct fake_event *event;
    struct fake_stream *stream;
    CUresult result = get(handle, "cuEventRecord", &event);
    if (result == CUDA_SUCCESS)
        result = fake_stream_get(stream_handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (event->object.context != stream->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    struct record_op *op = calloc(1, sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct record_op){.op = {.run = run_record, .fini = fini_record}, .event = event};
    fake_object_retain(&event->object);
    result = fake_stream_push(stream, &op->op);
    if (result != CUDA_SUCCESS)
        return result;
    forget_record(&event->object);
    fake_object_retain(&stream->object);
    event->stream = stream;
    event->ticket = stream->queued;
    return CUDA_SUCCESS;
}

CUresult fake_cuEventRecord(CUevent event, CUstream stream)
{
    FAKE_ENTER(cuEventRecord);
    return fake_leave(record(event, stream));
}

CUresult fake_cuEventQuery(CUevent handle)
{
    struct fake_event *event;
    FAKE_ENTER(cuEventQuery);
    CUresult result = get(handle, "cuEventQuery", &event);
    if (result == CUDA_SUCCESS && !complete(event))
        result = CUDA_ERROR_NOT_READY;
    return fake_leave(result);
}

CUresult fake_cuEventSynchronize(CUevent handle)
{
    struct fake_event *event;
    FAKE_ENTER(cuEventSynchronize);
    CUresult result = get(handle, "cuEventSynchronize", &event);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    struct fake_context *context = event->object.context;
    if (event->stream)
        fake_stream_wait(event->stream, event->ticket);
    return fake_leave(context->error);
}

CUresult fake_cuEventElapsedTime(float *milliseconds, CUevent start_handle, CUevent stop_handle)
{
    struct fake_event *start, *stop;
    FAKE_ENTER(cuEventElapsedTime);
    CUresult result = get(start_handle, "cuEventElapsedTime", &start);
    if (result == CUDA_SUCCESS)
        result = get(stop_handle, "cuEventElapsedTime", &stop);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    if (!start->stream || !stop->stream || start->object.context != stop->object.context ||
        ((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING))
        return fake_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!complete(start) || !complete(stop))
        return fake_leave(CUDA_ERROR_NOT_READY);
    *milliseconds = (float)(stop->milliseconds - start->milliseconds);
    return fake_leave(CUDA_SUCCESS);
}

static CUresult run_nothing(struct fake_op *op, struct fake_context *context)
{
    (void)op, (void)context;
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamWaitEvent(CUstream stream_handle, CUevent handle, unsigned flags)
{
    struct fake_event *event;
    struct fake_stream *stream;
    FAKE_ENTER(cuStreamWaitEvent);
    CUresult result = flags ? CUDA_ERROR_INVALID_VALUE : get(handle, "cuStreamWaitEvent", &event);
    if (result == CUDA_SUCCESS)
        result = fake_stream_get(stream_handle, &stream);
    if (result != CUDA_SUCCESS || complete(event))
        return fake_leave(result);
    struct fake_op *op = calloc(1, sizeof *op);
    if (!op)
        return fake_leave(CUDA_ERROR_OUT_OF_MEMORY);
    op->run = run_nothing;
    fake_op_wait_for(op, event->stream, event->ticket);
    return fake_leave(fake_stream_push(stream, op));
}

/* ---- values in memory ------------------------------------------------------------------ */

struct value_op {
    struct fake_op op;
    unsigned char *view;
    uint64_t value;
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

static bool given_up(struct fake_context *context)
{
    pthread_mutex_lock(&fake.lock);
    bool given = context->aborting;
    pthread_mutex_unlock(&fake.lock);
    return given;
}

static CUresult run_wait_value(struct fake_op *op, struct fake_context *context)
{
    while (!met((struct value_op *)(void *)op) && !given_up(context))
        usleep(POLL_US);
    return CUDA_SUCCESS;
}

static CUresult run_write_value(struct fake_op *op, struct fake_context *context)
{
    const struct value_op *write = (const struct value_op *)(const void *)op;
    (void)context;
    if (write->wide)
        __atomic_store_n((uint64_t *)(void *)write->view, write->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)(void *)write->view, (uint32_t)write->value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

static CUresult push_value(CUstream handle, CUdeviceptr pointer, uint64_t value, unsigned flags,
                           bool wide, bool wait)
{
    struct fake_stream *stream;
    struct fake_memory *memory;
    unsigned char *view;
    size_t size = wide ? 8 : 4;
    CUresult result = fake_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = fake_reach(stream->object.context, pointer, size, &view, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    if (!memory || pointer % size != 0 || flags > (wait ? CU_STREAM_WAIT_VALUE_NOR : 1u))
        return CUDA_ERROR_INVALID_VALUE;
    struct value_op *op = calloc(1, sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = (struct value_op){
        .op = {.run = wait ? run_wait_value : run_write_value},
        .view = view,
        .value = value,
        .condition = flags,
        .wide = wide,
    };
    return fake_stream_push(stream, &op->op);
}

CUresult fake_cuStreamWaitValue32(CUstream stream, CUdeviceptr pointer, uint32_t value,
                                  unsigned flags)
{
    FAKE_ENTER(cuStreamWaitValue32);
    return fake_leave(push_value(stream, pointer, value, flags, false, true));
}

CUresult fake_cuStreamWaitValue64(CUstream stream, CUdeviceptr pointer, uint64_t value,
                                  unsigned flags)
{
    FAKE_ENTER(cuStreamWaitValue64);
    return fake_leave(push_value(stream, pointer, value, flags, true, true));
}

CUresult fake_cuStreamWriteValue32(CUstream stream, CUdeviceptr pointer, uint32_t value,
                                   unsigned flags)
{
    FAKE_ENTER(cuStreamWriteValue32);
    return fake_leave(push_value(stream, pointer, value, flags, false, false));
}

CUresult fake_cuStreamWriteValue64(CUstream stream, CUdeviceptr pointer, uint64_t value,
                                   unsigned flags)
{
    FAKE_ENTER(cuStreamWriteValue64);
    return fake_leave(push_value(stream, pointer, value, flags, true, false));
}
