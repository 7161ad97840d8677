/* Streams: creation, order, callbacks, values in memory. */
#include "api.h"
#include "api_arguments.h"
#include "api_ids.h"
#include "api_shared.h"
#include "parameters.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* ---- creation ----------------------------------------------------------- */

static hipError_t create(hipStream_t *out_stream, unsigned flags, int priority)
{
    int least = 0, greatest = 0;
    struct ah_backend_stream *native;
    struct ah_stream *stream;
    struct ah_device *device = ah_device_current();
    if (!out_stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->device_priority_range(device->native, &least, &greatest);
    if (error != hipSuccess)
        return error;
    priority = priority > least ? least : priority < greatest ? greatest : priority;
    error = device->ops->stream_create(device->native, flags, priority, &native);
    if (error == hipSuccess)
        error = ah_stream_wrap(AH_HANDLE_STREAM, device, native, flags, priority, &stream);
    if (error == hipSuccess)
        *out_stream = (hipStream_t)(void *)stream;
    return error;
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
    AH_ENTER(hipStreamCreate);
    return AH_LEAVE(create(stream, hipStreamDefault, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags)
{
    AH_ENTER(hipStreamCreateWithFlags);
    return AH_LEAVE(create(stream, flags, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority)
{
    AH_ENTER(hipStreamCreateWithPriority);
    return AH_LEAVE(create(stream, flags, priority));
}

static hipError_t destroy(hipStream_t stream)
{
    struct ah_stream *object = (struct ah_stream *)(void *)stream;
    if ((uintptr_t)stream <= (uintptr_t)hipStreamPerThread)
        return hipErrorInvalidHandle;
    enum ah_handle_type type = ah_handle_is(stream, AH_HANDLE_DETACHED_STREAM)
                                   ? AH_HANDLE_DETACHED_STREAM
                                   : AH_HANDLE_STREAM;
    if (!ah_handle_retire(stream, type))
        return hipErrorContextIsDestroyed;
    struct ah_device *device = object->handle.device;
    ah_capture_leave(object, "hipStreamDestroy");
    hipError_t ordered = ah_stream_end_order(object);
    hipError_t error =
        ah_free_failed(ordered)
            ? ordered
            : device->ops->stream_destroy(device->native, atomic_load(&object->native));
    if (ah_free_failed(error))
        return ah_handle_finish_destroy(object, type, error);
    hipError_t left = ah_execution_leave(object);
    ah_stream_free_owned(object);
    ah_handle_destroy(object);
    return ordered != hipSuccess ? ordered : error != hipSuccess ? error : left;
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    AH_ENTER(hipStreamDestroy);
    return AH_LEAVE(destroy(stream));
}

static hipError_t priority_range(int *out_least, int *out_greatest)
{
    int least, greatest;
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->device_priority_range(device->native, &least, &greatest);
    if (error == hipSuccess && out_least)
        *out_least = least;
    if (error == hipSuccess && out_greatest)
        *out_greatest = greatest;
    return error;
}

hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    AH_ENTER(hipDeviceGetStreamPriorityRange);
    return AH_LEAVE(priority_range(leastPriority, greatestPriority));
}

/* ---- questions ---------------------------------------------------------- */

hipError_t ah_stream_get_flags(hipStream_t handle, unsigned *out_flags)
{
    struct ah_stream *stream;
    if (!out_flags || !handle)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_any(handle, &stream);
    if (error == hipSuccess)
        *out_flags = stream->flags;
    return error;
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags)
{
    AH_ENTER(hipStreamGetFlags);
    return AH_LEAVE(ah_stream_get_flags(stream, flags));
}

hipError_t ah_stream_get_priority(hipStream_t handle, int *out_priority)
{
    struct ah_stream *stream;
    if (!out_priority)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_any(handle, &stream);
    if (error == hipSuccess)
        *out_priority = stream->priority;
    return error;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority)
{
    AH_ENTER(hipStreamGetPriority);
    return AH_LEAVE(ah_stream_get_priority(stream, priority));
}

static hipError_t device_of(hipStream_t handle, int *out_ordinal)
{
    struct ah_stream *stream;
    if (!out_ordinal)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_any(handle, &stream);
    if (error == hipSuccess)
        *out_ordinal = stream->handle.device->ordinal;
    return error;
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device)
{
    AH_ENTER(hipStreamGetDevice);
    return AH_LEAVE(device_of(stream, device));
}

int hipGetStreamDeviceId(hipStream_t stream)
{
    int ordinal = -1; /* not hipInvalidDeviceId */
    AH_CALL_INSTEAD(hipGetStreamDeviceId);
    AH_ENTER_ELSE(ordinal, stream);
    device_of(stream, &ordinal);
    AH_LEAVE_SILENTLY();
    return ordinal;
}

static hipError_t id_of(hipStream_t handle, unsigned long long *out_id)
{
    struct ah_stream *stream;
    if (!out_id)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_any(handle, &stream);
    if (error == hipSuccess)
        *out_id = stream->id;
    return error;
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId)
{
    AH_ENTER(hipStreamGetId);
    return AH_LEAVE(id_of(stream, streamId));
}

/* ---- attributes --------------------------------------------------------- */

static hipError_t resolve_for_attribute(hipStream_t handle, struct ah_stream **out_stream)
{
    hipError_t error = ah_stream_resolve_any(handle, out_stream);
    return error == hipErrorContextIsDestroyed ? hipErrorInvalidResourceHandle : error;
}

static hipError_t set_attribute(hipStream_t handle, hipLaunchAttributeID attribute,
                                const hipLaunchAttributeValue *value)
{
    struct ah_stream *stream;
    if (!value)
        return hipErrorInvalidValue;
    hipError_t error = resolve_for_attribute(handle, &stream);
    if (error != hipSuccess)
        return error;
    if (atomic_load(&stream->state) & AH_STREAM_CAPTURING)
        return hipErrorStreamCaptureUnsupported;
    return ah_stream_attribute_set(stream, attribute, value);
}

hipError_t hipStreamSetAttribute(hipStream_t stream, hipStreamAttrID attr,
                                 const hipStreamAttrValue *value)
{
    AH_ENTER(hipStreamSetAttribute);
    return AH_LEAVE(set_attribute(stream, attr, value));
}

static hipError_t get_attribute(hipStream_t handle, hipLaunchAttributeID attribute,
                                hipLaunchAttributeValue *out_value)
{
    struct ah_stream *stream;
    if (!out_value)
        return hipErrorInvalidValue;
    hipError_t error = resolve_for_attribute(handle, &stream);
    return error == hipSuccess ? ah_stream_attribute_get(stream, attribute, out_value) : error;
}

hipError_t hipStreamGetAttribute(hipStream_t stream, hipStreamAttrID attr,
                                 hipStreamAttrValue *value_out)
{
    AH_ENTER(hipStreamGetAttribute);
    return AH_LEAVE(get_attribute(stream, attr, value_out));
}

static hipError_t copy_attributes(hipStream_t dst, hipStream_t src)
{
    struct ah_stream *to, *from;
    hipError_t error = resolve_for_attribute(src, &from);
    if (error == hipSuccess)
        error = resolve_for_attribute(dst, &to);
    return error == hipSuccess ? ah_stream_attributes_copy(to, from) : error;
}

hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src)
{
    AH_ENTER(hipStreamCopyAttributes);
    return AH_LEAVE(copy_attributes(dst, src));
}

/* ---- order -------------------------------------------------------------- */

hipError_t ah_stream_query_handle(hipStream_t handle)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error == hipSuccess && ah_capture_any())
        error = ah_capture_check_stream(stream, "hipStreamQuery");
    return error == hipSuccess ? ah_stream_query(stream) : error;
}

hipError_t hipStreamQuery(hipStream_t stream)
{
    AH_ENTER(hipStreamQuery);
    return AH_LEAVE(ah_stream_query_handle(stream));
}

hipError_t ah_stream_synchronize_handle(hipStream_t handle)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error == hipSuccess && ah_capture_any())
        error = ah_capture_check_stream(stream, "hipStreamSynchronize");
    return error == hipSuccess ? ah_stream_synchronize(stream) : error;
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    AH_ENTER(hipStreamSynchronize);
    return AH_LEAVE(ah_stream_synchronize_handle(stream));
}

hipError_t ah_stream_wait_event(hipStream_t handle, hipEvent_t event_handle, unsigned flags)
{
    struct ah_stream *stream;
    struct ah_event *event;
    if (flags != hipEventWaitDefault && flags != hipEventWaitExternal)
        return hipErrorInvalidValue;
    hipError_t error = ah_event_check(event_handle, &event);
    if (error == hipSuccess)
        error = ah_stream_resolve_handle(handle, &stream);
    if (error != hipSuccess)
        return error;
    bool external = flags == hipEventWaitExternal;
    if (external && !(atomic_load(&stream->state) & AH_STREAM_CAPTURING))
        return hipErrorInvalidValue;
    return ah_submit(
        stream,
        &(struct ah_command){.kind = AH_COMMAND_EVENT_WAIT, .external = external, .event = event});
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags)
{
    AH_ENTER(hipStreamWaitEvent);
    return AH_LEAVE(ah_stream_wait_event(stream, event, flags));
}

struct callback {
    hipStream_t stream;
    hipStreamCallback_t function;
    void *data;
};

static void call_back(void *data, hipError_t status)
{
    struct callback callback = *(struct callback *)data;
    free(data);
    callback.function(callback.stream, status, callback.data);
}

hipError_t ah_stream_add_callback(hipStream_t handle, hipStreamCallback_t function, void *data,
                                  unsigned flags)
{
    struct ah_stream *stream;
    if (!function || flags != 0)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess)
        return error;
    struct callback *callback = malloc(sizeof *callback);
    if (!callback)
        return hipErrorOutOfMemory;
    *callback = (struct callback){handle, function, data};
    error = ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_CALLBACK,
                                                   .callback = {call_back, callback}});
    if (error != hipSuccess)
        free(callback);
    return error;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData,
                                unsigned int flags)
{
    AH_ENTER(hipStreamAddCallback);
    return AH_LEAVE(ah_stream_add_callback(stream, callback, userData, flags));
}

hipError_t ah_stream_host_function(hipStream_t handle, hipHostFn_t function, void *data)
{
    struct ah_stream *stream;
    if (!function)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(handle, &stream);
    return error == hipSuccess
               ? ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_HOST_FUNCTION,
                                                        .host = {function, data}})
               : error;
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData)
{
    AH_ENTER(hipLaunchHostFunc);
    return AH_LEAVE(ah_stream_host_function(stream, fn, userData));
}

/* ---- values in memory --------------------------------------------------- */

static hipError_t make_wait(void *pointer, uint64_t value, unsigned flags, uint64_t mask, int bits,
                            struct ah_command *out_command)
{
    if (!pointer || flags > hipStreamWaitValueNor)
        return hipErrorInvalidValue;
    *out_command =
        (struct ah_command){.kind = AH_COMMAND_VALUE_WAIT,
                            .value = {pointer, value, mask, (enum ah_wait_condition)flags, bits}};
    return hipSuccess;
}

static hipError_t make_write(void *pointer, uint64_t value, unsigned flags, int bits,
                             struct ah_command *out_command)
{
    bool adds = flags == hipExtStreamWriteValueIncrement,
         takes = flags == hipExtStreamWriteValueDecrement;
    if (!pointer || (flags != hipStreamWriteValueDefault && !adds && !takes))
        return hipErrorInvalidValue;
    *out_command = (struct ah_command){
        .kind = adds || takes ? AH_COMMAND_VALUE_ADD : AH_COMMAND_VALUE_WRITE,
        .value = {.pointer = pointer, .value = takes ? 0 - value : value, .bits = bits}};
    return hipSuccess;
}

/* The scopes are CUDA's, which HIP has no names for. */
static hipError_t make_barrier(unsigned scope, struct ah_command *out_command)
{
    enum { SYSTEM, DEVICE };
    *out_command =
        (struct ah_command){.kind = AH_COMMAND_BARRIER,
                            .barrier = scope == DEVICE ? AH_BARRIER_DEVICE : AH_BARRIER_SYSTEM};
    return scope == SYSTEM || scope == DEVICE ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t make_flush(unsigned flags, struct ah_command *out_command)
{
    *out_command =
        (struct ah_command){.kind = AH_COMMAND_BARRIER, .barrier = AH_BARRIER_REMOTE_WRITES};
    return flags == 0 ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t submit_to(hipStream_t handle, struct ah_command *command)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    return error == hipSuccess ? ah_submit(stream, command) : error;
}

static hipError_t wait_value(hipStream_t handle, void *pointer, uint64_t value, unsigned flags,
                             uint64_t mask, int bits)
{
    struct ah_command command;
    hipError_t error = make_wait(pointer, value, flags, mask, bits, &command);
    return error == hipSuccess ? submit_to(handle, &command) : error;
}

static hipError_t write_value(hipStream_t handle, void *pointer, uint64_t value, unsigned flags,
                              int bits)
{
    struct ah_command command;
    hipError_t error = make_write(pointer, value, flags, bits, &command);
    return error == hipSuccess ? submit_to(handle, &command) : error;
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags,
                                uint32_t mask)
{
    AH_ENTER(hipStreamWaitValue32);
    return AH_LEAVE(wait_value(stream, ptr, value, flags, mask, 32));
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
                                uint64_t mask)
{
    AH_ENTER(hipStreamWaitValue64);
    return AH_LEAVE(wait_value(stream, ptr, value, flags, mask, 64));
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags)
{
    AH_ENTER(hipStreamWriteValue32);
    return AH_LEAVE(write_value(stream, ptr, value, flags, 32));
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags)
{
    AH_ENTER(hipStreamWriteValue64);
    return AH_LEAVE(write_value(stream, ptr, value, flags, 64));
}

hipError_t ah_batch_check(const hipStreamBatchMemOpParams *operations, unsigned count,
                          unsigned flags)
{
    enum { COUNT_MAX = 256 };
    return !operations || count == 0 || count > COUNT_MAX || flags != 0 ? hipErrorInvalidValue
                                                                        : hipSuccess;
}

hipError_t ah_batch_command(const hipStreamBatchMemOpParams *params, struct ah_command *out_command)
{
    switch ((int)params->operation) {
    case hipStreamMemOpWaitValue32:
        return make_wait(params->waitValue.address, params->waitValue.value,
                         params->waitValue.flags, UINT32_MAX, 32, out_command);
    case hipStreamMemOpWaitValue64:
        return make_wait(params->waitValue.address, params->waitValue.value64,
                         params->waitValue.flags, UINT64_MAX, 64, out_command);
    case hipStreamMemOpWriteValue32:
        return make_write(params->writeValue.address, params->writeValue.value,
                          params->writeValue.flags, 32, out_command);
    case hipStreamMemOpWriteValue64:
        return make_write(params->writeValue.address, params->writeValue.value64,
                          params->writeValue.flags, 64, out_command);
    case hipStreamMemOpBarrier:
        return make_barrier(params->memoryBarrier.flags, out_command);
    case hipStreamMemOpFlushRemoteWrites:
        return make_flush(params->flushRemoteWrites.flags, out_command);
    default:
        return hipErrorInvalidValue;
    }
}

static hipError_t memory_operations(hipStream_t stream, unsigned count,
                                    const hipStreamBatchMemOpParams *params, unsigned flags)
{
    struct ah_command command;
    hipError_t error = ah_batch_check(params, count, flags);
    for (unsigned i = 0; i < count && error == hipSuccess; i++) /* all, before any is submitted */
        error = ah_batch_command(&params[i], &command);
    for (unsigned i = 0; i < count && error == hipSuccess; i++) {
        error = ah_batch_command(&params[i], &command);
        if (error == hipSuccess)
            error = submit_to(stream, &command);
    }
    return error;
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count,
                               hipStreamBatchMemOpParams *paramArray, unsigned int flags)
{
    AH_ENTER(hipStreamBatchMemOp);
    return AH_LEAVE(memory_operations(stream, count, paramArray, flags));
}
