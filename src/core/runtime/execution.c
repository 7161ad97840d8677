/* Owns execution contexts, the streams of each, and their order with each other. */
#include "execution.h"
#include "capture.h"
#include "log.h"
#include "submit.h"

#include <stdlib.h>
#include <string.h>

/* Guards the streams of all contexts, and their events. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- contexts --------------------------------------------------------------------------- */

static void free_context(struct ah_execution_context *context)
{
    free(context->mask);
    ah_handle_destroy(context);
}

hipError_t ah_execution_create(enum ah_handle_type type, struct ah_device *device,
                               const uint32_t *mask, unsigned words,
                               struct ah_execution_context **out_context)
{
    static _Atomic(unsigned long long) last_id;
    hipError_t error = hipSuccess;
    struct ah_execution_context *context = ah_handle_create(type, device);
    if (!context)
        return hipErrorOutOfMemory;
    if (mask) {
        context->words = words;
        context->mask = malloc(words * sizeof *mask);
        if (context->mask)
            memcpy(context->mask, mask, words * sizeof *mask);
        error = context->mask
                    ? device->ops->context_create(device->native, mask, words, &context->native)
                    : hipErrorOutOfMemory;
    }
    if (error != hipSuccess) {
        free_context(context);
        return error;
    }
    context->id = atomic_fetch_add(&last_id, 1) + 1;
    *out_context = context;
    return hipSuccess;
}

hipError_t ah_execution_discard(struct ah_execution_context *context)
{
    const struct ah_device *device = context->handle.device;
    hipError_t error = device->ops->context_destroy(device->native, context->native);
    free_context(context);
    return error;
}

hipError_t ah_execution_of_device(struct ah_device *device, hipExecutionCtx_t *out_handle)
{
    struct ah_execution_context *context;
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&lock);
    if (!device->execution_context) {
        error = ah_execution_create(AH_HANDLE_EXECUTION_CONTEXT, device, NULL, 0, &context);
        if (error == hipSuccess)
            device->execution_context = (hipExecutionCtx_t)(void *)context;
    }
    *out_handle = device->execution_context;
    pthread_mutex_unlock(&lock);
    return error;
}

/* Only destroying it and questions are left. The handle changes before the capture ends, so that no
 * other thread adds to it. */
static void detach(struct ah_stream *stream)
{
    (void)ah_handle_change(stream, AH_HANDLE_STREAM, AH_HANDLE_DETACHED_STREAM);
    if (atomic_load(&stream->state) & AH_STREAM_CAPTURING)
        (void)ah_capture_check_stream(stream, "hipExecutionCtxDestroy");
}

static void free_joint_stream(struct ah_execution_context *context)
{
    struct ah_stream *joint = context->joint;
    context->joint = NULL;
    ah_stream_free_owned(joint);
    ah_handle_destroy(joint);
}

/* What the driver fails to destroy, the context keeps. */
static hipError_t end_joint_stream(struct ah_execution_context *context)
{
    const struct ah_device *device = context->handle.device;
    hipError_t error = hipSuccess;
    if (context->mark)
        error = device->ops->event_destroy(device->native, context->mark);
    if (ah_free_failed(error))
        return error;
    context->mark = NULL;
    if (!context->joint)
        return error;
    hipError_t ended =
        device->ops->stream_destroy(device->native, atomic_load(&context->joint->native));
    if (!ah_free_failed(ended))
        free_joint_stream(context);
    return error == hipSuccess ? ended : error;
}

/* Under the lock. */
static void detach_all(struct ah_execution_context *context)
{
    for (struct ah_stream *stream = context->streams, *next; stream; stream = next) {
        next = stream->next_of_context;
        stream->context = NULL;
        stream->next_of_context = NULL;
        detach(stream);
    }
    context->streams = NULL;
}

/* Where the driver fails, the handle stays valid, so that the application can try once more. */
hipError_t ah_execution_destroy(hipExecutionCtx_t handle)
{
    struct ah_execution_context *context = (struct ah_execution_context *)(void *)handle;
    if (!ah_handle_is(handle, AH_HANDLE_EXECUTION_CONTEXT) || !context->native ||
        !ah_handle_retire(context, AH_HANDLE_EXECUTION_CONTEXT))
        return hipErrorInvalidValue;
    const struct ah_device *device = context->handle.device;
    uint32_t *mask = context->mask;
    pthread_mutex_lock(&lock);
    hipError_t joint = end_joint_stream(context);
    if (!ah_free_failed(joint))
        detach_all(context);
    pthread_mutex_unlock(&lock);
    hipError_t error = ah_free_failed(joint)
                           ? joint
                           : device->ops->context_destroy(device->native, context->native);
    if (!ah_free_failed(error))
        free(mask);
    (void)ah_handle_finish_destroy(context, AH_HANDLE_EXECUTION_CONTEXT, error);
    return joint != hipSuccess ? joint : error;
}

/* ---- streams ---------------------------------------------------------------------------- */

static hipError_t clamp(const struct ah_device *device, int *priority)
{
    int least = 0, greatest = 0;
    hipError_t error = device->ops->device_priority_range(device->native, &least, &greatest);
    *priority = *priority > least ? least : *priority < greatest ? greatest : *priority;
    return error;
}

/* Where the driver has no such streams that are ordered with the legacy default stream, submission
 * orders them. */
static hipError_t open_stream(const struct ah_execution_context *context, unsigned flags,
                              int priority, bool *out_ordered,
                              struct ah_backend_stream **out_native)
{
    const struct ah_device *device = context->handle.device;
    *out_ordered = false;
    if (!context->native)
        return device->ops->stream_create(device->native, flags, priority, out_native);
    hipError_t error = device->ops->context_stream_create(device->native, context->native, flags,
                                                          priority, out_native);
    if (error != hipErrorNotSupported || flags != hipStreamDefault)
        return error;
    *out_ordered = true;
    return device->ops->context_stream_create(device->native, context->native, hipStreamNonBlocking,
                                              priority, out_native);
}

static uint32_t *copy_mask(const struct ah_execution_context *context)
{
    uint32_t *mask = malloc(context->words * sizeof *mask);
    return mask ? memcpy(mask, context->mask, context->words * sizeof *mask) : NULL;
}

static hipError_t destroy_half_made(struct ah_stream *stream, hipError_t error)
{
    const struct ah_device *device = stream->handle.device;
    (void)ah_stream_end_order(stream);
    (void)device->ops->stream_destroy(device->native, atomic_load(&stream->native));
    ah_stream_free_owned(stream);
    ah_handle_destroy(stream);
    return error;
}

/* The events by which submission orders the stream. */
static hipError_t make_events(struct ah_stream *stream)
{
    const struct ah_device *device = stream->handle.device;
    hipError_t error =
        device->ops->event_create(device->native, hipEventDisableTiming, &stream->before);
    if (error == hipSuccess)
        error = device->ops->event_create(device->native, hipEventDisableTiming, &stream->after);
    if (error != hipSuccess)
        return destroy_half_made(stream, error);
    atomic_fetch_or(&stream->state, AH_STREAM_ORDERED);
    return hipSuccess;
}

static hipError_t make_stream(enum ah_handle_type type, struct ah_execution_context *context,
                              unsigned flags, int priority, struct ah_stream **out_stream)
{
    bool ordered;
    struct ah_stream *stream;
    struct ah_backend_stream *native;
    struct ah_device *device = context->handle.device;
    uint32_t *mask = context->mask ? copy_mask(context) : NULL;
    if (context->mask && !mask)
        return hipErrorOutOfMemory;
    hipError_t error = clamp(device, &priority);
    if (error == hipSuccess)
        error = open_stream(context, flags, priority, &ordered, &native);
    if (error == hipSuccess)
        error = ah_stream_wrap(type, device, native, flags, priority, &stream);
    if (error != hipSuccess) {
        free(mask);
        return error;
    }
    stream->mask = mask;
    stream->mask_words = mask ? context->words : 0;
    if (ordered)
        error = make_events(stream);
    *out_stream = stream;
    return error;
}

hipError_t ah_execution_stream(struct ah_execution_context *context, unsigned flags, int priority,
                               struct ah_stream **out_stream)
{
    hipError_t error = make_stream(AH_HANDLE_STREAM, context, flags, priority, out_stream);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&lock);
    (*out_stream)->context = context;
    (*out_stream)->next_of_context = context->streams;
    context->streams = *out_stream;
    pthread_mutex_unlock(&lock);
    return hipSuccess;
}

static void unlink_stream(struct ah_stream *stream)
{
    struct ah_stream **link = &stream->context->streams;
    while (*link != stream)
        link = &(*link)->next_of_context;
    *link = stream->next_of_context;
    stream->context = NULL;
    stream->next_of_context = NULL;
}

hipError_t ah_execution_leave(struct ah_stream *stream)
{
    pthread_mutex_lock(&lock);
    struct ah_execution_context *context = stream->context;
    if (context)
        unlink_stream(stream);
    pthread_mutex_unlock(&lock);
    return context && ah_handle_retire(context, AH_HANDLE_HIDDEN_CONTEXT)
               ? ah_execution_discard(context)
               : hipSuccess;
}

/* ---- order ------------------------------------------------------------------------------ */

/* Lets the stream for joint events wait for the work that another has now. */
static hipError_t join(struct ah_execution_context *context, const struct ah_stream *stream)
{
    const struct ah_device *device = context->handle.device;
    struct ah_backend_stream *joint = atomic_load(&context->joint->native);
    hipError_t error =
        device->ops->event_record(device->native, context->mark, atomic_load(&stream->native));
    return error == hipSuccess
               ? device->ops->stream_wait_event(device->native, joint, context->mark)
               : error;
}

static hipError_t begin_joint_stream(struct ah_execution_context *context)
{
    const struct ah_device *device = context->handle.device;
    hipError_t error = hipSuccess;
    if (!context->joint)
        error =
            make_stream(AH_HANDLE_HIDDEN_STREAM, context, hipStreamNonBlocking, 0, &context->joint);
    if (error == hipSuccess && !context->mark)
        error = device->ops->event_create(device->native, hipEventDisableTiming, &context->mark);
    return error;
}

/* Under the lock: lets the stream for joint events wait for all others. */
static hipError_t join_all(struct ah_execution_context *context, const char *call)
{
    hipError_t error = hipSuccess;
    for (struct ah_stream *stream = context->streams; stream && error == hipSuccess;
         stream = stream->next_of_context)
        if (atomic_load(&stream->state) & AH_STREAM_CAPTURING)
            error = ah_capture_check_stream(stream, call);
    if (error == hipSuccess)
        error = begin_joint_stream(context);
    for (struct ah_stream *stream = context->streams; stream && error == hipSuccess;
         stream = stream->next_of_context)
        error = join(context, stream);
    return error;
}

hipError_t ah_execution_record(struct ah_execution_context *context, struct ah_event *event)
{
    pthread_mutex_lock(&lock);
    hipError_t error = join_all(context, "hipExecutionCtxRecordEvent");
    struct ah_stream *joint = context->joint;
    if (error == hipSuccess)
        error =
            ah_submit(joint, &(struct ah_command){.kind = AH_COMMAND_EVENT_RECORD, .event = event});
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t ah_execution_wait(struct ah_execution_context *context, struct ah_event *event)
{
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&lock);
    for (struct ah_stream *stream = context->streams; stream && error == hipSuccess;
         stream = stream->next_of_context)
        error =
            ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_EVENT_WAIT, .event = event});
    pthread_mutex_unlock(&lock);
    return error;
}

/* The lock is not held while this waits. */
hipError_t ah_execution_synchronize(struct ah_execution_context *context)
{
    const struct ah_device *device = context->handle.device;
    if (!context->native) {
        hipError_t refused = ah_capture_check_device(device, "hipExecutionCtxSynchronize");
        return refused == hipSuccess ? device->ops->device_synchronize(device->native) : refused;
    }
    pthread_mutex_lock(&lock);
    hipError_t error = join_all(context, "hipExecutionCtxSynchronize");
    struct ah_stream *joint = context->joint;
    pthread_mutex_unlock(&lock);
    return error == hipSuccess ? ah_stream_synchronize(joint) : error;
}

/* ---- reset ------------------------------------------------------------------------------ */

/* The streams are released afterwards, with all others of the device. */
static void release_context(void *handle, void *data)
{
    struct ah_execution_context *context = handle;
    const struct ah_device *device = data;
    if (context->handle.device != device)
        return;
    for (struct ah_stream *stream = context->streams, *next; stream; stream = next) {
        next = stream->next_of_context;
        stream->context = NULL;
        stream->next_of_context = NULL;
    }
    context->streams = NULL;
    (void)end_joint_stream(context); /* if the driver fails, the reset ends both */
    context->mark = NULL;
    if (context->joint)
        free_joint_stream(context);
    if (!context->native)
        return;
    (void)device->ops->context_destroy(device->native, context->native);
    if (ah_handle_retire(context, AH_HANDLE_EXECUTION_CONTEXT) ||
        ah_handle_retire(context, AH_HANDLE_HIDDEN_CONTEXT))
        free_context(context);
}

void ah_execution_release_device(struct ah_device *device)
{
    pthread_mutex_lock(&lock);
    ah_handle_each(AH_HANDLE_EXECUTION_CONTEXT, release_context, device);
    ah_handle_each(AH_HANDLE_HIDDEN_CONTEXT, release_context, device);
    pthread_mutex_unlock(&lock);
}
