/* Owns streams: queues that a thread each drains, and who waits for whom. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

/* ---- waiting ---------------------------------------------------------------------- */

bool fake_op_wait_for(struct fake_op *op, struct fake_stream *stream, uint64_t ticket)
{
    if (stream->done >= ticket)
        return true;
    struct fake_wait *grown = realloc(op->waits, (op->wait_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    op->waits = grown;
    op->waits[op->wait_count++] = (struct fake_wait){stream, ticket};
    fake_object_retain(&stream->object);
    return true;
}

void fake_stream_wait(struct fake_stream *stream, uint64_t ticket)
{
    fake_object_retain(&stream->object);
    while (stream->done < ticket)
        pthread_cond_wait(&fake.changed, &fake.lock);
    fake_object_release(&stream->object);
}

static struct fake_stream *busy_stream(const struct fake_context *context)
{
    struct fake_stream *stream = context->streams;
    while (stream && stream->done == stream->queued)
        stream = stream->next;
    return stream;
}

CUresult fake_context_wait(struct fake_context *context)
{
    struct fake_stream *stream;
    while ((stream = busy_stream(context)))
        fake_stream_wait(stream, stream->queued);
    fake_pools_settle(context->device);
    return context->error;
}

/* ---- the thread of a stream --------------------------------------------------------- */

static bool may_start(const struct fake_op *op, const struct fake_context *context)
{
    if (context->aborting)
        return true;
    if (fake.held)
        return false;
    for (size_t i = 0; i < op->wait_count; i++)
        if (op->waits[i].stream->done < op->waits[i].ticket)
            return false;
    return true;
}

static void run(struct fake_op *op, struct fake_context *context)
{
    if (context->aborting || (context->error != CUDA_SUCCESS && !op->after_errors))
        return;
    pthread_mutex_unlock(&fake.lock);
    CUresult result = op->run(op, context);
    pthread_mutex_lock(&fake.lock);
    if (result != CUDA_SUCCESS && context->error == CUDA_SUCCESS)
        context->error = result;
}

static void finish(struct fake_op *op)
{
    for (size_t i = 0; i < op->wait_count; i++)
        fake_object_release(&op->waits[i].stream->object);
    if (op->fini)
        op->fini(op);
    free(op->waits);
    free(op);
}

static void *drain(void *data)
{
    struct fake_stream *stream = data;
    struct fake_context *context = stream->object.context;
    pthread_mutex_lock(&fake.lock);
    for (;;) {
        struct fake_op *op = stream->first;
        if (!op && stream->closing)
            break;
        if (!op || !may_start(op, context)) {
            pthread_cond_wait(&fake.changed, &fake.lock);
            continue;
        }
        run(op, context);
        stream->first = op->next;
        if (!stream->first)
            stream->last = NULL;
        finish(op);
        stream->done++;
        pthread_cond_broadcast(&fake.changed);
    }
    fake_object_release(&stream->object);
    pthread_mutex_unlock(&fake.lock);
    return NULL;
}

static bool start_thread(struct fake_stream *stream)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    fake_object_retain(&stream->object);
    stream->worker = pthread_create(&thread, &attributes, drain, stream) == 0;
    pthread_attr_destroy(&attributes);
    if (!stream->worker)
        fake_object_release(&stream->object);
    return stream->worker;
}

/* ---- order ------------------------------------------------------------------------------ */

/* Work in the legacy default stream waits for all blocking streams, and they for
 * it, destroyed streams that still have work included. */
static void order(struct fake_stream *stream, struct fake_op *op)
{
    struct fake_stream *legacy = stream->object.context->legacy;
    if (stream != legacy && stream->flags == CU_STREAM_DEFAULT)
        fake_op_wait_for(op, legacy, legacy->queued);
    if (stream != legacy)
        return;
    for (struct fake_stream *other = legacy->object.context->streams; other; other = other->next)
        if (other != legacy && other->flags == CU_STREAM_DEFAULT)
            fake_op_wait_for(op, other, other->queued);
}

CUresult fake_stream_push(struct fake_stream *stream, struct fake_op *op)
{
    if (!stream->worker && !start_thread(stream)) {
        finish(op);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    order(stream, op);
    op->next = NULL;
    if (stream->last)
        stream->last->next = op;
    else
        stream->first = op;
    stream->last = op;
    stream->queued++;
    pthread_cond_broadcast(&fake.changed);
    return CUDA_SUCCESS;
}

/* ---- streams ------------------------------------------------------------------------------- */

static void unlink_stream(struct fake_object *object)
{
    struct fake_stream **link = &object->context->streams;
    while (*link != (struct fake_stream *)(void *)object)
        link = &(*link)->next;
    *link = (*link)->next;
}

CUresult fake_stream_new(struct fake_context *context, unsigned flags, int priority,
                         struct fake_stream **out)
{
    struct fake_stream *stream = fake_object_new(FAKE_STREAM, sizeof *stream, context);
    stream->object.fini = unlink_stream;
    stream->next = context->streams;
    context->streams = stream;
    stream->flags = flags;
    stream->priority = priority;
    *out = stream;
    return CUDA_SUCCESS;
}

void fake_stream_close(struct fake_stream *stream)
{
    stream->closing = true;
    pthread_cond_broadcast(&fake.changed);
    fake_object_close(&stream->object);
}

static pthread_key_t thread_key;

/* The end of a thread is the end of its default streams. */
static void close_thread_streams(void *data)
{
    uint64_t *streams = data;
    pthread_mutex_lock(&fake.lock);
    for (int i = 0; i < FAKE_DEVICES_MAX; i++) {
        struct fake_stream *stream = fake_object_peek((void *)(uintptr_t)streams[i], FAKE_STREAM);
        if (stream)
            fake_stream_close(stream);
    }
    pthread_mutex_unlock(&fake.lock);
    free(streams);
}

static void make_thread_key(void)
{
    pthread_key_create(&thread_key, close_thread_streams);
}

static uint64_t *thread_streams(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_thread_key);
    uint64_t *streams = pthread_getspecific(thread_key);
    if (!streams) {
        streams = calloc(FAKE_DEVICES_MAX, sizeof *streams);
        pthread_setspecific(thread_key, streams);
    }
    return streams;
}

static struct fake_stream *per_thread_stream(struct fake_context *context)
{
    uint64_t *handle = &thread_streams()[context->device->ordinal];
    struct fake_stream *stream = fake_object_peek((void *)(uintptr_t)*handle, FAKE_STREAM);
    if (!stream) { /* the first use, or it went with a reset */
        fake_stream_new(context, CU_STREAM_DEFAULT, 0, &stream);
        stream->is_default = true;
        *handle = stream->object.handle;
    }
    return stream;
}

static CUresult default_stream(CUstream handle, struct fake_stream **out)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        *out = handle == CU_STREAM_PER_THREAD ? per_thread_stream(context) : context->legacy;
    return result;
}

/* Up to CUDA 12 a stream's context has to be the current one. */
CUresult fake_stream_get(CUstream handle, struct fake_stream **out)
{
    enum { HANDLES_SUFFICE_SINCE = 13000 };
    if (handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
        return default_stream(handle, out);
    *out = fake_object_get(handle, FAKE_STREAM, "stream");
    if (!*out)
        return CUDA_ERROR_INVALID_HANDLE;
    struct fake_context *context = (*out)->object.context;
    if (fake.version < HANDLES_SUFFICE_SINCE && fake_thread.context != context) {
        fake_violation("a stream used while its context is not current");
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return context->error;
}

CUresult fake_cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
    struct fake_context *context;
    struct fake_stream *stream;
    FAKE_ENTER(cuStreamCreateWithPriority);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS && flags > CU_STREAM_NON_BLOCKING)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = fake_stream_new(context, flags, priority, &stream);
    if (result == CUDA_SUCCESS)
        *out = (CUstream)(uintptr_t)stream->object.handle;
    return fake_leave(result);
}

CUresult fake_cuStreamDestroy(CUstream handle)
{
    FAKE_ENTER(cuStreamDestroy);
    struct fake_stream *stream = fake_object_get(handle, FAKE_STREAM, "cuStreamDestroy");
    if (!stream || stream->is_default)
        return fake_leave(CUDA_ERROR_INVALID_HANDLE);
    fake_stream_close(stream);
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuStreamQuery(CUstream handle)
{
    struct fake_stream *stream;
    FAKE_ENTER(cuStreamQuery);
    CUresult result = fake_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS && stream->done < stream->queued)
        result = CUDA_ERROR_NOT_READY;
    return fake_leave(result);
}

/* The legacy default stream ends when all blocking streams have. */
void fake_stream_finish(struct fake_stream *stream)
{
    struct fake_op order_of = {.waits = NULL};
    struct fake_context *context = stream->object.context;
    uint64_t ticket = stream->queued;
    if (stream == context->legacy)
        order(stream, &order_of);
    fake_stream_wait(stream, ticket);
    for (size_t i = 0; i < order_of.wait_count; i++) {
        fake_stream_wait(order_of.waits[i].stream, order_of.waits[i].ticket);
        fake_object_release(&order_of.waits[i].stream->object);
    }
    free(order_of.waits);
}

CUresult fake_cuStreamSynchronize(CUstream handle)
{
    struct fake_stream *stream;
    FAKE_ENTER(cuStreamSynchronize);
    CUresult result = fake_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    struct fake_context *context = stream->object.context;
    fake_stream_finish(stream);
    fake_pools_settle(context->device);
    return fake_leave(context->error);
}

/* ---- callbacks --------------------------------------------------------------------------------
 */

struct call_op {
    struct fake_op op;
    CUhostFn function;
    CUstreamCallback callback;
    CUstream stream;
    void *data;
};

static CUresult run_call(struct fake_op *op, struct fake_context *context)
{
    const struct call_op *call = (const struct call_op *)(const void *)op;
    CUresult status;
    pthread_mutex_lock(&fake.lock);
    status = context->error;
    pthread_mutex_unlock(&fake.lock);
    fake_thread.in_callback = true;
    if (call->callback)
        call->callback(call->stream, status, call->data);
    else
        call->function(call->data);
    fake_thread.in_callback = false;
    return CUDA_SUCCESS;
}

static CUresult push_call(CUstream handle, CUhostFn function, CUstreamCallback callback, void *data)
{
    struct fake_stream *stream;
    CUresult result = fake_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!function && !callback)
        return CUDA_ERROR_INVALID_VALUE;
    struct call_op *call = calloc(1, sizeof *call);
    if (!call)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *call = (struct call_op){
        .op = {.run = run_call, .after_errors = callback != NULL},
        .function = function,
        .callback = callback,
        .stream = handle,
        .data = data,
    };
    return fake_stream_push(stream, &call->op);
}

CUresult fake_cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data,
                                  unsigned flags)
{
    FAKE_ENTER(cuStreamAddCallback);
    return fake_leave(flags ? CUDA_ERROR_INVALID_VALUE : push_call(stream, NULL, function, data));
}

CUresult fake_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    FAKE_ENTER(cuLaunchHostFunc);
    return fake_leave(push_call(stream, function, NULL, data));
}
