/* Owns the creation and the destruction of streams, and of what a device has of them. */
#include "hsa_stream.h"
#include "env.h"

#include <stdlib.h>
#include <string.h>

enum { PRIORITY_LEAST = 1, PRIORITY_GREATEST = -1, QUEUES_DEFAULT = 4 };

hipError_t ahhsa_device_priority_range(struct ah_backend_device *device, int *out_least,
                                       int *out_greatest)
{
    bool has = device->api->hsa_amd_queue_set_priority != NULL;
    *out_least = has ? PRIORITY_LEAST : 0;
    *out_greatest = has ? PRIORITY_GREATEST : 0;
    return hipSuccess;
}

static hsa_amd_queue_priority_t native_priority(int priority)
{
    return priority < 0   ? HSA_AMD_QUEUE_PRIORITY_HIGH
           : priority > 0 ? HSA_AMD_QUEUE_PRIORITY_LOW
                          : HSA_AMD_QUEUE_PRIORITY_NORMAL;
}

/* Under the lock. */
static hipError_t open_stream(struct ah_backend_device *device, bool blocking, int priority,
                              bool exclusive, struct ah_backend_stream **out_stream)
{
    static _Atomic uint64_t last_id;
    struct ah_backend_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return hipErrorOutOfMemory;
    stream->device = device;
    stream->blocking = blocking;
    stream->priority = priority;
    stream->id = atomic_fetch_add(&last_id, 1) + 1;
    hipError_t error =
        ahhsa_queue_assign(device, native_priority(priority), exclusive, &stream->queue);
    if (error != hipSuccess) {
        free(stream);
        return error;
    }
    stream->next = device->queues->streams;
    stream->link = &device->queues->streams;
    if (stream->next)
        stream->next->link = &stream->next;
    device->queues->streams = stream;
    *out_stream = stream;
    return hipSuccess;
}

hipError_t ahhsa_stream_create(struct ah_backend_device *device, unsigned flags, int priority,
                               struct ah_backend_stream **out_stream)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    error = open_stream(device, !(flags & hipStreamNonBlocking), priority, false, out_stream);
    ahhsa_unlock(device);
    return error;
}

hipError_t ahhsa_stream_legacy(struct ah_backend_device *device,
                               struct ah_backend_stream **out_stream)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        *out_stream = device->queues->legacy;
    return error;
}

hipError_t ahhsa_stream_per_thread(struct ah_backend_device *device,
                                   struct ah_backend_stream **out_stream)
{
    return ahhsa_stream_create(device, hipStreamDefault, 0, out_stream);
}

/* ---- contexts --------------------------------------------------------------------------- */

struct ah_backend_context {
    unsigned words;
    uint32_t mask[];
};

static bool has_unit(const uint32_t *mask, unsigned unit)
{
    return mask[unit / 32] >> unit % 32 & 1;
}

static bool is_in_groups(const uint32_t *mask, unsigned units, unsigned group)
{
    for (unsigned i = 0; i < units; i++)
        if (has_unit(mask, i) != has_unit(mask, i - i % group))
            return false;
    return true;
}

hipError_t ahhsa_context_create(struct ah_backend_device *device, const uint32_t *mask,
                                unsigned words, struct ah_backend_context **out_context)
{
    unsigned units, group;
    hipError_t error = ahhsa_device_units(device, &units, &group);
    if (error != hipSuccess)
        return error;
    words = words < (units + 31) / 32 ? words : (units + 31) / 32;
    units = units < 32 * words ? units : 32 * words;
    if (!is_in_groups(mask, units, group))
        return ahhsa_refuse(device, "a mask of compute units",
                            "two units of this device share a work-group processor, so that both "
                            "bits of each pair have to be equal");
    struct ah_backend_context *context = malloc(sizeof *context + words * sizeof *mask);
    if (!context)
        return hipErrorOutOfMemory;
    context->words = words;
    memcpy(context->mask, mask, words * sizeof *mask);
    *out_context = context;
    return hipSuccess;
}

hipError_t ahhsa_context_destroy(struct ah_backend_device *device,
                                 struct ah_backend_context *context)
{
    (void)device; /* streams have queues with masks of their own */
    free(context);
    return hipSuccess;
}

hipError_t ahhsa_context_stream_create(struct ah_backend_device *device,
                                       struct ah_backend_context *context, unsigned flags,
                                       int priority, struct ah_backend_stream **out_stream)
{
    enum { BITS = 32 };
    struct ah_backend_stream *stream = NULL;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    error = open_stream(device, !(flags & hipStreamNonBlocking), priority, true, &stream);
    if (error == hipSuccess) {
        hsa_status_t status = device->api->hsa_amd_queue_cu_set_mask(
            stream->queue->hsa, context->words * BITS, context->mask);
        if (status != (hsa_status_t)HSA_STATUS_CU_MASK_REDUCED)
            error = ahhsa_done(device, "hsa_amd_queue_cu_set_mask", status);
        stream->queue->masked = true;
    }
    ahhsa_unlock(device);
    if (error == hipSuccess)
        *out_stream = stream;
    else if (stream)
        ahhsa_stream_destroy(device, stream);
    return error;
}

/* ---- attributes ------------------------------------------------------------------------- */

hipError_t ahhsa_stream_set_attribute(struct ah_backend_device *device,
                                      struct ah_backend_stream *stream,
                                      hipLaunchAttributeID attribute,
                                      const hipLaunchAttributeValue *value)
{
    if (attribute == hipLaunchAttributeSynchronizationPolicy) {
        atomic_store(&stream->policy, (int)value->syncPolicy);
        return hipSuccess;
    }
    (void)ahhsa_refuse(device, "an attribute of a stream",
                       "AMD's devices have no windows of their L2 cache and no memory domains");
    return hipErrorInvalidValue; /* as in AMD's HIP */
}

hipError_t ahhsa_stream_default_attribute(struct ah_backend_device *device,
                                          hipLaunchAttributeID attribute,
                                          hipLaunchAttributeValue *out_value)
{
    (void)device;
    if (attribute != hipLaunchAttributeSynchronizationPolicy)
        return hipErrorInvalidValue;
    out_value->syncPolicy = hipSyncPolicyAuto;
    return hipSuccess;
}

/* ---- destruction ------------------------------------------------------------------------ */

/* Takes the stream out of the device's lists and frees it. Its work has ended. */
static void free_stream(struct ah_backend_stream *stream)
{
    *stream->link = stream->next;
    if (stream->next)
        stream->next->link = stream->link;
    ahhsa_stream_deactivate(stream);
    stream->device->queues->destroyed -= stream->destroyed;
    for (unsigned i = 0; i < stream->dependency_count; i++)
        ahhsa_signal_release(stream->dependencies[i]);
    ahhsa_queue_detach(stream->queue);
    if (stream->chunk)
        ahhsa_argument_chunk_release(stream->chunk);
    free(stream->dependencies);
    free(stream->callbacks);
    free(stream);
}

/* A stream that threads wait for, or whose callbacks have not run, is freed later. */
static bool is_finished(const struct ah_backend_stream *stream)
{
    return stream->destroyed && stream->pins == 0 && stream->callback_count == 0 &&
           ahhsa_stream_is_idle(stream);
}

void ahhsa_device_reap(struct ah_backend_device *device)
{
    ahhsa_lock(device);
    for (struct ah_backend_stream *stream = device->queues->streams, *next; stream; stream = next) {
        ahhsa_stream_run_callbacks(stream);
        next = stream->next;
        if (is_finished(stream))
            free_stream(stream);
    }
    device->queues->destroyed_at_last_reap = device->queues->destroyed;
    ahhsa_unlock(device);
}

hipError_t ahhsa_stream_destroy(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    enum { FEW = 16 };
    ahhsa_lock(device);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_insert_marker(stream, false);
    if (error != hipSuccess) {
        ahhsa_unlock(device);
        return error;
    }
    if (stream->worker)
        ahhsa_worker_stop(stream->worker);
    stream->worker = NULL;
    stream->destroyed = true;
    device->queues->destroyed++;
    ahhsa_stream_run_callbacks(stream);
    if (is_finished(stream))
        free_stream(stream);
    bool many = device->queues->destroyed > 2 * device->queues->destroyed_at_last_reap + FEW;
    ahhsa_unlock(device);
    if (many) /* the work of some may have ended by now */
        ahhsa_device_reap(device);
    return hipSuccess;
}

/* ---- devices ---------------------------------------------------------------------------- */

static unsigned queue_limit(void)
{
    long long limit = ah_env_integer("GPU_MAX_HW_QUEUES", QUEUES_DEFAULT);
    return limit < 1 ? 1 : limit > AHHSA_QUEUES_MAX / 2 ? AHHSA_QUEUES_MAX / 2 : (unsigned)limit;
}

static void destroy_queues(struct ahhsa_device_queues *queues)
{
    ahhsa_workers_fini(&queues->workers);
    ahhsa_trace_destroy(queues->trace); /* which holds signals */
    ahhsa_signals_destroy(queues->signals);
    ahhsa_argument_pool_destroy(queues->arguments);
    free(queues);
}

static hipError_t create_queues(struct ah_backend_device *device)
{
    struct ahhsa_device_queues *queues = calloc(1, sizeof *queues);
    if (!queues)
        return hipErrorOutOfMemory;
    ahhsa_workers_init(&queues->workers);
    queues->signals = ahhsa_signals_create(device);
    queues->arguments = ahhsa_argument_pool_create(device);
    if (!queues->signals || !queues->arguments) {
        destroy_queues(queues);
        return hipErrorOutOfMemory;
    }
    device->queues = queues;
    return hipSuccess;
}

hipError_t ahhsa_device_queues_start(struct ah_backend_device *device)
{
    hipError_t error = device->queues ? hipSuccess : create_queues(device);
    if (error != hipSuccess || device->queues->legacy)
        return error;
    device->queues->queue_limit = queue_limit();
    ahhsa_lock(device);
    error = open_stream(device, false, 0, false, &device->queues->legacy);
    if (error == hipSuccess)
        device->queues->legacy->legacy = true;
    ahhsa_unlock(device);
    return error;
}

static void destroy_streams(struct ah_backend_device *device)
{
    ahhsa_device_stop_workers(device);
    ahhsa_lock(device);
    while (device->queues->streams) {
        struct ah_backend_stream *stream = device->queues->streams;
        ahhsa_stream_run_all_callbacks(stream);
        free_stream(stream);
    }
    device->queues->legacy = NULL;
    ahhsa_unlock(device);
}

void ahhsa_device_queues_stop(struct ah_backend_device *device)
{
    if (!device->queues)
        return;
    destroy_streams(device);
    ahhsa_events_destroy(device);
    ahhsa_lock(device);
    ahhsa_queues_destroy(device);
    device->queues->legacy_work = 0;
    ahhsa_unlock(device);
    ahhsa_argument_pool_clear(device->queues->arguments);
}

void ahhsa_device_queues_destroy(struct ah_backend_device *device)
{
    if (device->queues)
        destroy_queues(device->queues);
    device->queues = NULL;
}

void ahhsa_device_complete_signals(struct ah_backend_device *device)
{
    if (device->queues)
        ahhsa_signals_complete_all(device->queues->signals);
}

void ahhsa_device_wait_for_copies(struct ah_backend_device *device)
{
    if (device->queues)
        ahhsa_signals_wait_for_copies(device->queues->signals);
}
