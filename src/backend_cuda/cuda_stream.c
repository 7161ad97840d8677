/* Owns streams and events. Their handles are the driver's own. */
#include "cuda_backend.h"

#include <stdlib.h>

static CUevent native(struct ah_backend_event *event)
{
    return (CUevent)(void *)event;
}

hipError_t ahcuda_stream_create(struct ah_backend_device *device, unsigned flags, int priority,
                                struct ah_backend_stream **out_stream)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuStreamCreateWithPriority",
        device->api->cuStreamCreateWithPriority((CUstream *)(void *)out_stream, flags, priority));
}

/* The driver has names for the default streams of whatever context and thread is current. */

hipError_t ahcuda_stream_legacy(struct ah_backend_device *device,
                                struct ah_backend_stream **out_stream)
{
    (void)device;
    *out_stream = (struct ah_backend_stream *)(void *)CU_STREAM_LEGACY;
    return hipSuccess;
}

hipError_t ahcuda_stream_per_thread(struct ah_backend_device *device,
                                    struct ah_backend_stream **out_stream)
{
    (void)device;
    *out_stream = (struct ah_backend_stream *)(void *)CU_STREAM_PER_THREAD;
    return hipSuccess;
}

hipError_t ahcuda_stream_destroy(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    if (ahcuda_stream(stream) == CU_STREAM_PER_THREAD)
        return hipSuccess; /* it is destroyed with its thread */
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuStreamDestroy",
                       device->api->cuStreamDestroy(ahcuda_stream(stream)));
}

hipError_t ahcuda_stream_query(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter_stream(device, stream);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuStreamQuery", device->api->cuStreamQuery(ahcuda_stream(stream)));
}

hipError_t ahcuda_stream_synchronize(struct ah_backend_device *device,
                                     struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuStreamSynchronize",
                       device->api->cuStreamSynchronize(ahcuda_stream(stream)));
}

hipError_t ahcuda_stream_wait_event(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream,
                                    struct ah_backend_event *event)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuStreamWaitEvent",
                       device->api->cuStreamWaitEvent(ahcuda_stream(stream), native(event), 0));
}

hipError_t ahcuda_stream_host_function(struct ah_backend_device *device,
                                       struct ah_backend_stream *stream,
                                       void (*function)(void *data), void *data)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuLaunchHostFunc",
                       device->api->cuLaunchHostFunc(ahcuda_stream(stream), function, data));
}

/* Carries a callback through the driver, which calls it exactly once. */
struct callback {
    void (*function)(void *data, hipError_t status);
    void *data;
};

static void run_callback(CUstream stream, CUresult status, void *data)
{
    struct callback callback = *(struct callback *)data;
    (void)stream;
    free(data);
    callback.function(callback.data, ahcuda_error(status));
}

hipError_t ahcuda_stream_callback(struct ah_backend_device *device,
                                  struct ah_backend_stream *stream,
                                  void (*function)(void *data, hipError_t status), void *data)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    struct callback *callback = malloc(sizeof *callback);
    if (!callback)
        return hipErrorOutOfMemory;
    *callback = (struct callback){function, data};
    error = ahcuda_done(
        device, "cuStreamAddCallback",
        device->api->cuStreamAddCallback(ahcuda_stream(stream), run_callback, callback, 0));
    if (error != hipSuccess)
        free(callback);
    return error;
}

unsigned ahcuda_wait_flag(enum ah_wait_condition condition)
{
    static const unsigned flags[] = {
        [AH_WAIT_GEQUAL] = CU_STREAM_WAIT_VALUE_GEQ,
        [AH_WAIT_EQUAL] = CU_STREAM_WAIT_VALUE_EQ,
        [AH_WAIT_AND] = CU_STREAM_WAIT_VALUE_AND,
        [AH_WAIT_NOR] = CU_STREAM_WAIT_VALUE_NOR,
    };
    return flags[condition];
}

hipError_t ahcuda_stream_wait_value(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                    uint64_t mask, enum ah_wait_condition condition, int bits)
{
    const struct ahcuda_api *api = device->api;
    unsigned flag = ahcuda_wait_flag(condition);
    uint64_t all = bits == 32 ? UINT32_MAX : UINT64_MAX;
    if ((mask & all) != all)
        return ahcuda_stream_wait_masked(device, stream, pointer, value, mask, condition, bits);
    if (!api->cuStreamWaitValue32 || !api->cuStreamWaitValue64)
        return ahcuda_missing(device, "cuStreamWaitValue32_v2");
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    CUresult result =
        bits == 32
            ? api->cuStreamWaitValue32(ahcuda_stream(stream), ahcuda_pointer(pointer),
                                       (uint32_t)value, flag)
            : api->cuStreamWaitValue64(ahcuda_stream(stream), ahcuda_pointer(pointer), value, flag);
    return ahcuda_done(device, "cuStreamWaitValue", result);
}

hipError_t ahcuda_stream_write_value(struct ah_backend_device *device,
                                     struct ah_backend_stream *stream, void *pointer,
                                     uint64_t value, int bits)
{
    const struct ahcuda_api *api = device->api;
    if (!api->cuStreamWriteValue32 || !api->cuStreamWriteValue64)
        return ahcuda_missing(device, "cuStreamWriteValue32_v2");
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    CUresult result =
        bits == 32 ? api->cuStreamWriteValue32(ahcuda_stream(stream), ahcuda_pointer(pointer),
                                               (uint32_t)value, CU_STREAM_WRITE_VALUE_DEFAULT)
                   : api->cuStreamWriteValue64(ahcuda_stream(stream), ahcuda_pointer(pointer),
                                               value, CU_STREAM_WRITE_VALUE_DEFAULT);
    return ahcuda_done(device, "cuStreamWriteValue", result);
}

hipError_t ahcuda_stream_barrier(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 enum ah_barrier barrier)
{
    bool flush = barrier == AH_BARRIER_REMOTE_WRITES;
    CUstreamBatchMemOpParams operation = {
        .barrier = {.operation =
                        flush ? CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES : CU_STREAM_MEM_OP_BARRIER,
                    .flags = barrier == AH_BARRIER_DEVICE ? CU_STREAM_MEMORY_BARRIER_TYPE_GPU
                                                          : CU_STREAM_MEMORY_BARRIER_TYPE_SYS}};
    if (!device->api->cuStreamBatchMemOp)
        return ahcuda_missing(device, "cuStreamBatchMemOp_v2");
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuStreamBatchMemOp",
                       device->api->cuStreamBatchMemOp(ahcuda_stream(stream), 1, &operation, 0));
}

/* HIP's blocking-sync, no-timing and interprocess bits are CUDA's; the release scopes set how far
 * AMD's caches are flushed, which are always flushed completely on NVIDIA devices. */
hipError_t ahcuda_event_create(struct ah_backend_device *device, unsigned flags,
                               struct ah_backend_event **out_event)
{
    unsigned kept =
        flags & (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuEventCreate",
                       device->api->cuEventCreate((CUevent *)(void *)out_event, kept));
}

hipError_t ahcuda_event_destroy(struct ah_backend_device *device, struct ah_backend_event *event)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuEventDestroy", device->api->cuEventDestroy(native(event)));
}

hipError_t ahcuda_event_record(struct ah_backend_device *device, struct ah_backend_event *event,
                               struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter_stream(device, stream);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuEventRecord",
                       device->api->cuEventRecord(native(event), ahcuda_stream(stream)));
}

hipError_t ahcuda_event_query(struct ah_backend_device *device, struct ah_backend_event *event)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuEventQuery", device->api->cuEventQuery(native(event)));
}

hipError_t ahcuda_event_synchronize(struct ah_backend_device *device,
                                    struct ah_backend_event *event)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuEventSynchronize",
                       device->api->cuEventSynchronize(native(event)));
}

hipError_t ahcuda_event_elapsed(struct ah_backend_device *device, struct ah_backend_event *start,
                                struct ah_backend_event *stop, float *out_milliseconds)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuEventElapsedTime",
        device->api->cuEventElapsedTime(out_milliseconds, native(start), native(stop)));
}

/* The driver's handles are used as they are. */

hipError_t ahcuda_stream_native(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                uint64_t *out_native)
{
    (void)device;
    *out_native = (uintptr_t)stream;
    return hipSuccess;
}

hipError_t ahcuda_event_native(struct ah_backend_device *device, struct ah_backend_event *event,
                               uint64_t *out_native)
{
    (void)device;
    *out_native = (uintptr_t)event;
    return hipSuccess;
}
