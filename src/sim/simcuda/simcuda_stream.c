/* Owns streams: queues, each with a thread that executes its operations, and the dependencies
 * between them. */
#include "simcuda_driver.h"
#include "clocks.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- memory of work --------------------------------------------------------------- */

/* Precedes an op; its size keeps the op aligned. */
union block {
    struct {
        union block *next;
        bool pooled;
    };
    _Alignas(64) char space[64];
};

enum { UNUSED_MOST = 1024 }; /* the number that is kept: many streams may have had work at a time */

static union block *unused_blocks;
static unsigned unused_count;

void *simcuda_op_new(size_t size)
{
    enum { POOLED = 2048 };
    bool pooled = size <= POOLED - sizeof(union block);
    union block *block = pooled ? unused_blocks : NULL;
    if (block) {
        unused_blocks = block->next;
        unused_count--;
    } else {
        block = aligned_alloc(sizeof *block, pooled ? POOLED
                                                    : sizeof *block + (size + sizeof *block - 1) /
                                                                          sizeof *block *
                                                                          sizeof *block);
    }
    if (!block)
        return NULL;
    block->pooled = pooled;
    return memset(block + 1, 0, size);
}

void simcuda_op_free(struct simcuda_op *op)
{
    union block *block = (union block *)(void *)op - 1;
    if (!block->pooled || unused_count == UNUSED_MOST) {
        free(block);
        return;
    }
    unused_count++;
    block->next = unused_blocks;
    unused_blocks = block;
}

/* ---- waiting ---------------------------------------------------------------------- */

bool simcuda_op_wait_for(struct simcuda_op *op, struct simcuda_stream *stream, uint64_t ticket)
{
    if (stream->done >= ticket)
        return true;
    struct simcuda_wait *grown = realloc(op->waits, (op->wait_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    op->waits = grown;
    op->waits[op->wait_count++] = (struct simcuda_wait){stream, ticket};
    simcuda_object_retain(&stream->object);
    return true;
}

void simcuda_stream_wait(struct simcuda_stream *stream, uint64_t ticket)
{
    simcuda_object_retain(&stream->object);
    while (stream->done < ticket)
        pthread_cond_wait(&simcuda.changed, &simcuda.lock);
    simcuda_object_release(&stream->object);
}

static struct simcuda_stream *busy_stream(const struct simcuda_context *context)
{
    struct simcuda_stream *stream = context->streams;
    while (stream && stream->done == stream->queued)
        stream = stream->next;
    return stream;
}

void simcuda_contexts_wait(void)
{
    struct simcuda_context *context = simcuda.contexts;
    while (context) { /* the list may change while this waits */
        const struct simcuda_stream *busy = busy_stream(context);
        if (busy)
            simcuda_context_wait(context);
        context = busy ? simcuda.contexts : context->next;
    }
}

CUresult simcuda_context_wait(struct simcuda_context *context)
{
    struct simcuda_stream *stream;
    while ((stream = busy_stream(context)))
        simcuda_stream_wait(stream, stream->queued);
    simcuda_pools_reap(context->device);
    simcuda_print_flush(context);
    return simcuda_context_error(context);
}

bool simcuda_is_abandoned(struct simcuda_context *context)
{
    pthread_mutex_lock(&simcuda.lock);
    bool given = context->ending;
    pthread_mutex_unlock(&simcuda.lock);
    return given;
}

void simcuda_work_stop(void)
{
    simcuda.stops++;
    while (simcuda.running > 0)
        pthread_cond_wait(&simcuda.changed, &simcuda.lock);
}

void simcuda_work_resume(void)
{
    simcuda.stops--;
    pthread_cond_broadcast(&simcuda.changed);
}

/* ---- the thread of a stream --------------------------------------------------------- */

static bool may_start(const struct simcuda_op *op, const struct simcuda_context *context)
{
    if (context->aborting)
        return true;
    if (simcuda_script.held || (simcuda.stops > 0 && !op->leaves_memory))
        return false;
    for (size_t i = 0; i < op->wait_count; i++)
        if (op->waits[i].stream->done < op->waits[i].ticket)
            return false;
    return true;
}

/* Lasts as long as an injected delay; the destruction of the context cuts it short. */
static void delay(struct simcuda_context *context)
{
    enum { PIECE_NS = 1000000 };
    for (uint64_t left = sim_fault_delay(); left > 0 && !simcuda_is_abandoned(context);) {
        uint64_t now = left < PIECE_NS ? left : PIECE_NS;
        nanosleep(&(struct timespec){.tv_nsec = (long)now}, NULL);
        left -= now;
    }
}

static void run(struct simcuda_op *op, struct simcuda_context *context)
{
    uint64_t begin = simcuda_script.done ? ah_clock_now() : 0;
    if (context->aborting || (simcuda_context_error(context) != CUDA_SUCCESS && !op->after_errors))
        return;
    simcuda.running += !op->leaves_memory;
    pthread_mutex_unlock(&simcuda.lock);
    delay(context);
    CUresult result = op->run(op, context);
    pthread_mutex_lock(&simcuda.lock);
    simcuda.running -= !op->leaves_memory;
    if (simcuda_script.done)
        simcuda_script.done(&op->note, begin, ah_clock_now());
    if (result != CUDA_SUCCESS)
        simcuda_context_fail(context, result);
}

void simcuda_op_discard(struct simcuda_op *op)
{
    for (size_t i = 0; i < op->wait_count; i++)
        simcuda_object_release(&op->waits[i].stream->object);
    if (op->fini)
        op->fini(op);
    free(op->waits);
    simcuda_op_free(op);
}

static void *drain(void *data)
{
    struct simcuda_stream *stream = data;
    struct simcuda_context *context = stream->object.context;
    /* Whatever the host program set for its own arithmetic: this thread runs kernels, too. */
    fesetenv(FE_DFL_ENV);
    pthread_mutex_lock(&simcuda.lock);
    for (;;) {
        struct simcuda_op *op = stream->first;
        if (!op && stream->closing)
            break;
        if (!op || !may_start(op, context)) {
            pthread_cond_wait(op ? &simcuda.changed : &stream->wake, &simcuda.lock);
            continue;
        }
        run(op, context);
        stream->first = op->next;
        if (!stream->first)
            stream->last = NULL;
        simcuda_op_discard(op);
        stream->done++;
        pthread_cond_broadcast(&simcuda.changed);
    }
    simcuda_object_release(&stream->object);
    pthread_mutex_unlock(&simcuda.lock);
    return NULL;
}

static bool start_thread(struct simcuda_stream *stream)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    simcuda_object_retain(&stream->object);
    stream->worker = pthread_create(&thread, &attributes, drain, stream) == 0;
    if (!stream->worker)
        AH_LOG_ERR("simulated CUDA driver: no thread for a stream");
    pthread_attr_destroy(&attributes);
    if (!stream->worker)
        simcuda_object_release(&stream->object);
    return stream->worker;
}

/* ---- order ------------------------------------------------------------------------------ */

/* Work in the legacy default stream waits for all blocking streams and they for it, including
 * destroyed streams that still have work. */
static bool order(struct simcuda_stream *stream, struct simcuda_op *op)
{
    struct simcuda_stream *legacy = stream->object.context->legacy;
    bool good = true;
    if (stream != legacy && stream->flags == CU_STREAM_DEFAULT)
        good = simcuda_op_wait_for(op, legacy, legacy->queued);
    if (stream != legacy)
        return good;
    for (struct simcuda_stream *other = legacy->object.context->streams; other; other = other->next)
        if (other != legacy && other->flags == CU_STREAM_DEFAULT)
            good &= simcuda_op_wait_for(op, other, other->queued);
    return good;
}

CUresult simcuda_stream_push(struct simcuda_stream *stream, struct simcuda_op *op)
{
    if (!stream->worker && !start_thread(stream)) {
        simcuda_op_discard(op);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!order(stream, op)) {
        simcuda_op_discard(op);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (simcuda_script.number)
        op->note.number = simcuda_script.number();
    op->stream = stream;
    op->next = NULL;
    if (stream->last)
        stream->last->next = op;
    else
        stream->first = op;
    stream->last = op;
    stream->queued++;
    pthread_cond_signal(&stream->wake);
    return CUDA_SUCCESS;
}

/* ---- streams ------------------------------------------------------------------------------- */

static void unlink_stream(struct simcuda_object *object)
{
    struct simcuda_stream *stream = (struct simcuda_stream *)(void *)object;
    *stream->link = stream->next;
    if (stream->next)
        stream->next->link = stream->link;
    pthread_cond_destroy(&stream->wake);
    if (stream->green)
        simcuda_object_release(&stream->green->object);
    simcuda_object_release(&object->context->object);
}

CUresult simcuda_stream_new(struct simcuda_context *context, unsigned flags, int priority,
                            struct simcuda_stream **out)
{
    static uint64_t last_id;
    struct simcuda_stream *stream = simcuda_object_new(SIMCUDA_STREAM, sizeof *stream, context);
    if (!stream)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_cond_init(&stream->wake, NULL);
    stream->id = ++last_id;
    simcuda_object_retain(&context->object); /* its thread outlives a destroyed context */
    stream->object.fini = unlink_stream;
    stream->next = context->streams;
    stream->link = &context->streams;
    if (stream->next)
        stream->next->link = &stream->next;
    context->streams = stream;
    stream->flags = flags;
    stream->priority = priority;
    *out = stream;
    return CUDA_SUCCESS;
}

void simcuda_stream_close(struct simcuda_stream *stream)
{
    stream->closing = true;
    pthread_cond_signal(&stream->wake);
    simcuda_object_close(&stream->object);
}

/* A thread's default streams, one per context in which it has used them. */
struct own_stream {
    struct own_stream *next;
    uint64_t context, stream; /* handles */
};

static pthread_key_t own_key;
static bool has_own_key;

/* Default streams end with their thread. In the child of a fork they are the parent's, and a thread
 * that is not there may hold the lock. */
static void close_own_streams(void *data)
{
    if (atomic_load(&simcuda.forked))
        return;
    pthread_mutex_lock(&simcuda.lock);
    for (struct own_stream *at = data, *next; at; at = next) {
        struct simcuda_stream *stream =
            simcuda_object_peek((void *)(uintptr_t)at->stream, SIMCUDA_STREAM);
        next = at->next;
        if (stream)
            simcuda_stream_close(stream);
        free(at);
    }
    pthread_mutex_unlock(&simcuda.lock);
}

static void make_own_key(void)
{
    has_own_key = pthread_key_create(&own_key, close_own_streams) == 0;
}

/* The entry for a context; that of a destroyed one is reused. */
static struct own_stream *own_entry(const struct simcuda_context *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_own_key);
    if (!has_own_key)
        return NULL;
    struct own_stream *first = pthread_getspecific(own_key), *entry = first;
    while (entry && entry->context != context->object.handle)
        entry = entry->next;
    for (struct own_stream *at = first; at && !entry; at = at->next)
        if (!simcuda_object_peek((void *)(uintptr_t)at->context, SIMCUDA_CONTEXT))
            entry = at;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry)
            return NULL;
        entry->next = first;
        pthread_setspecific(own_key, entry);
    }
    if (entry->context != context->object.handle)
        *entry = (struct own_stream){entry->next, context->object.handle, 0};
    return entry;
}

static CUresult own_stream(struct simcuda_context *context, struct simcuda_stream **out)
{
    struct own_stream *entry = own_entry(context);
    if (!entry)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = simcuda_object_peek((void *)(uintptr_t)entry->stream, SIMCUDA_STREAM);
    if (*out)
        return CUDA_SUCCESS;
    CUresult result = simcuda_stream_new(context, CU_STREAM_DEFAULT, 0, out); /* the first use */
    if (result != CUDA_SUCCESS)
        return result;
    (*out)->is_default = true;
    entry->stream = (*out)->object.handle;
    return CUDA_SUCCESS;
}

static CUresult default_stream(CUstream handle, struct simcuda_stream **out)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (handle == CU_STREAM_PER_THREAD)
        return own_stream(context, out);
    *out = context->legacy;
    return CUDA_SUCCESS;
}

/* Drivers before CUDA 13 require the context of a stream to be current. */
static bool is_current(const struct simcuda_context *context)
{
    enum { HANDLES_SUFFICE_SINCE = 13000 };
    struct simcuda_context *current;
    (void)simcuda_current(&current); /* whatever its kernels did */
    return simcuda_script.version >= HANDLES_SUFFICE_SINCE || current == context;
}

CUresult simcuda_stream_get(CUstream handle, struct simcuda_stream **out)
{
    if (handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
        return default_stream(handle, out);
    *out = simcuda_object_get(handle, SIMCUDA_STREAM, "stream");
    if (!*out)
        return CUDA_ERROR_INVALID_HANDLE;
    if ((*out)->green && (*out)->green->object.handle == 0)
        return CUDA_ERROR_STREAM_DETACHED;
    if (simcuda_script.version && !is_current((*out)->object.context)) {
        simcuda_violation("a stream used while its context is not current");
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return simcuda_context_error((*out)->object.context);
}

CUresult simcuda_stream_open(struct simcuda_context *context, unsigned flags, int priority,
                             struct simcuda_stream **out)
{
    enum { GREATEST_PRIORITY = -5 };
    priority = priority > 0 ? 0 : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
    return simcuda_stream_new(context, flags, priority, out);
}

static CUresult create(CUstream *out, unsigned flags, int priority)
{
    struct simcuda_context *context;
    struct simcuda_stream *stream;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    result = simcuda_stream_open(context, flags, priority, &stream);
    if (result == CUDA_SUCCESS)
        *out = (CUstream)(uintptr_t)stream->object.handle;
    return result;
}

CUresult simcuda_cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
    SIMCUDA_ENTER(cuStreamCreateWithPriority);
    return simcuda_leave(create(out, flags, priority));
}

CUresult simcuda_cuStreamCreate(CUstream *out, unsigned flags)
{
    SIMCUDA_ENTER(cuStreamCreate);
    return simcuda_leave(create(out, flags, 0));
}

CUresult simcuda_cuStreamDestroy(CUstream handle)
{
    SIMCUDA_ENTER(cuStreamDestroy);
    struct simcuda_stream *stream = simcuda_object_get(handle, SIMCUDA_STREAM, "cuStreamDestroy");
    if (!stream || stream->is_default)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    simcuda_stream_close(stream);
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuStreamQuery(CUstream handle)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamQuery);
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS && stream->done < stream->queued)
        result = CUDA_ERROR_NOT_READY;
    return simcuda_leave(result);
}

/* The legacy default stream is idle when all blocking streams are. */
void simcuda_stream_finish(struct simcuda_stream *stream)
{
    struct simcuda_op order_of = {.waits = NULL};
    struct simcuda_context *context = stream->object.context;
    uint64_t ticket = stream->queued;
    if (stream == context->legacy)
        order(stream, &order_of);
    simcuda_stream_wait(stream, ticket);
    for (size_t i = 0; i < order_of.wait_count; i++) {
        simcuda_stream_wait(order_of.waits[i].stream, order_of.waits[i].ticket);
        simcuda_object_release(&order_of.waits[i].stream->object);
    }
    free(order_of.waits);
}

CUresult simcuda_cuStreamSynchronize(CUstream handle)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamSynchronize);
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    struct simcuda_context *context = stream->object.context;
    simcuda_object_retain(&context->object);
    simcuda_stream_finish(stream);
    simcuda_pools_reap(context->device);
    simcuda_print_flush(context);
    result = simcuda_context_error(context);
    simcuda_object_release(&context->object);
    return simcuda_leave(result);
}

/* ---- what streams are ---------------------------------------------------------------------- */

CUresult simcuda_cuStreamGetPriority(CUstream handle, int *priority)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamGetPriority);
    CUresult result = priority ? simcuda_stream_get(handle, &stream) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *priority = stream->priority;
    return simcuda_leave(result);
}

CUresult simcuda_cuStreamGetFlags(CUstream handle, unsigned *flags)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamGetFlags);
    CUresult result = flags ? simcuda_stream_get(handle, &stream) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *flags = stream->flags;
    return simcuda_leave(result);
}

CUresult simcuda_cuStreamGetCtx(CUstream handle, CUcontext *context)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamGetCtx);
    CUresult result = context ? simcuda_stream_get(handle, &stream) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *context = (CUcontext)(uintptr_t)stream->object.context->object.handle;
    return simcuda_leave(result);
}

CUresult simcuda_cuStreamGetId(CUstream handle, uint64_t *id)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamGetId);
    CUresult result = id ? simcuda_stream_get(handle, &stream) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *id = stream->id;
    return simcuda_leave(result);
}

/* Attributes have no effect here: nothing caches, and waits sleep. */
CUresult simcuda_cuStreamSetAttribute(CUstream handle, int attribute,
                                      const CUlaunchAttributeValue *value)
{
    enum {
        KNOWN = 1u << CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW |
                1u << CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY |
                1u << CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP |
                1u << CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN
    };
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamSetAttribute);
    CUresult result = value ? simcuda_stream_get(handle, &stream) : CUDA_ERROR_INVALID_VALUE;
    bool known = attribute >= 0 && attribute < 32 && (unsigned)KNOWN >> attribute & 1;
    if (result == CUDA_SUCCESS && !known)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && simcuda_script.stream_attribute)
        simcuda_script.stream_attribute(handle, attribute, value);
    return simcuda_leave(result);
}

/* No function can begin a capture, so no stream is ever capturing. */
CUresult simcuda_cuStreamIsCapturing(CUstream handle, int *status)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamIsCapturing);
    CUresult result = status ? simcuda_stream_get(handle, &stream) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *status = 0;
    return simcuda_leave(result);
}
