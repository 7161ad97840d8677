/* Owns the way into a stream: the kinds of commands, and the checks before each. */
#include "submit_kinds.h"
#include "capture.h"
#include "launch_data.h"
#include "observe.h"
#include "relay.h"
#include "thread.h"

AH_LAUNCH_DATA _Atomic(unsigned) ah_unusual;

void ah_submit_update(void)
{
    const struct ah_settings *settings = &ah_registry.settings;
    unsigned unusual = 0;
    if (settings->serialize_kernel || settings->serialize_copy)
        unusual |= AH_UNUSUAL_SERIALIZED;
    if (ah_log_on(AH_LOG_DEBUG, AH_LOG_KERN) || ah_log_on(AH_LOG_DEBUG, AH_LOG_CMD) ||
        ah_observe_commands())
        unusual |= AH_UNUSUAL_TRACED;
    atomic_store_explicit(&ah_unusual, unusual, memory_order_relaxed);
}

/* ---- the kinds that are one call of the backend ----------------------------------- */

static hipError_t run_launch(struct ah_stream *stream, struct ah_backend_stream *native,
                             const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    AH_LOG(AH_LOG_DEBUG, AH_LOG_KERN, "ShaderName : %s", command->launch.function->name);
    return device->launch(device->native, command->launch.function->native, command->launch.sizes,
                          native);
}

static hipError_t run_host(struct ah_stream *stream, struct ah_backend_stream *native,
                           const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->stream_host_function(device->native, native, command->host.function,
                                             command->host.data);
}

static hipError_t run_callback(struct ah_stream *stream, struct ah_backend_stream *native,
                               const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->stream_callback(device->native, native, command->callback.function,
                                        command->callback.data);
}

static hipError_t check_record(const struct ah_stream *stream, struct ah_command *command)
{
    const struct ah_device *device = stream->handle.device;
    const struct ah_device *other = command->event->handle.device;
    if (__builtin_expect(other == device, 1))
        return hipSuccess;
    AH_LOG_ERR("an event of device %d cannot be recorded in a stream of device %d", other->ordinal,
               device->ordinal);
    return hipErrorInvalidHandle;
}

static hipError_t run_record(struct ah_stream *stream, struct ah_backend_stream *native,
                             const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    struct ah_event *event = command->event;
    hipError_t error = device->ops->event_record(device->native, event->native, native);
    if (error == hipSuccess && !atomic_load_explicit(&event->recorded, memory_order_relaxed))
        ah_event_recorded(event);
    return error;
}

static hipError_t run_event_wait(struct ah_stream *stream, struct ah_backend_stream *native,
                                 const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    const struct ah_event *event = command->event;
    if (event->handle.device->driver != device->driver)
        return ah_relay_wait(device, native, event);
    return device->ops->stream_wait_event(device->native, native, event->native);
}

static hipError_t run_value_wait(struct ah_stream *stream, struct ah_backend_stream *native,
                                 const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->stream_wait_value(device->native, native, command->value.pointer,
                                          command->value.value, command->value.mask,
                                          command->value.condition, command->value.bits);
}

static hipError_t run_value_write(struct ah_stream *stream, struct ah_backend_stream *native,
                                  const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->stream_write_value(device->native, native, command->value.pointer,
                                           command->value.value, command->value.bits);
}

static hipError_t run_value_add(struct ah_stream *stream, struct ah_backend_stream *native,
                                const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->stream_add_value(device->native, native, command->value.pointer,
                                         command->value.value, command->value.bits);
}

static hipError_t run_barrier(struct ah_stream *stream, struct ah_backend_stream *native,
                              const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->stream_barrier(device->native, native, command->barrier);
}

static hipError_t run_pool_alloc(struct ah_stream *stream, struct ah_backend_stream *native,
                                 const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->pool_alloc(device->native, command->pool_alloc.pool,
                                   command->pool_alloc.size, native,
                                   command->pool_alloc.out_pointer);
}

static hipError_t run_pool_free(struct ah_stream *stream, struct ah_backend_stream *native,
                                const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->pool_free(device->native, command->pool_free, native);
}

static hipError_t run_prefetch(struct ah_stream *stream, struct ah_backend_stream *native,
                               const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->managed_prefetch(device->native, command->prefetch.pointer,
                                         command->prefetch.size, command->prefetch.location,
                                         native);
}

static hipError_t run_managed_batch(struct ah_stream *stream, struct ah_backend_stream *native,
                                    const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->managed_batch(device->native, command->managed, native);
}

static hipError_t run_attach(struct ah_stream *stream, struct ah_backend_stream *native,
                             const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->managed_attach(device->native, native, command->attach.pointer,
                                       command->attach.size, command->attach.flags);
}

static hipError_t run_map_arrays(struct ah_stream *stream, struct ah_backend_stream *native,
                                 const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->array_map(device->native, native, command->map_arrays.count,
                                  command->map_arrays.mappings);
}

static hipError_t run_graphics(struct ah_stream *stream, struct ah_backend_stream *native,
                               const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    __typeof__(device->ops->graphics_map) change =
        command->graphics.map ? device->ops->graphics_map : device->ops->graphics_unmap;
    return change(device->native, native, command->graphics.count, command->graphics.objects);
}

static hipError_t run_graph(struct ah_stream *stream, struct ah_backend_stream *native,
                            const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    return device->ops->graph_launch(device->native, command->graph.native, native);
}

/* ---- submission --------------------------------------------------------------------- */

/* Which of the settings makes the host wait before and after a command. */
enum serialized { NEVER, AS_KERNEL, AS_COPY };

static const struct kind {
    const char *name;
    ah_command_check *check; /* NULL: the caller has checked all */
    ah_command_run *run;
    enum serialized serialized;
} kinds[] = {
    [AH_COMMAND_LAUNCH] = {"launch", ah_check_launch, run_launch, AS_KERNEL},
    [AH_COMMAND_COPY] = {"copy", ah_check_copy, ah_run_copy, AS_COPY},
    [AH_COMMAND_COPY_PEER] = {"copy between devices", ah_check_copy, ah_run_copy_peer, AS_COPY},
    [AH_COMMAND_COPY_REGION] = {"copy of a region", ah_check_region, ah_run_region, AS_COPY},
    [AH_COMMAND_COPY_BATCH] = {"batch of copies", NULL, ah_run_copy_batch, AS_COPY},
    [AH_COMMAND_FILL] = {"fill", ah_check_fill, ah_run_fill, NEVER},
    [AH_COMMAND_HOST_FUNCTION] = {"host function", NULL, run_host, NEVER},
    [AH_COMMAND_CALLBACK] = {"callback", NULL, run_callback, NEVER},
    [AH_COMMAND_EVENT_RECORD] = {"event record", check_record, run_record, NEVER},
    [AH_COMMAND_EVENT_WAIT] = {"event wait", NULL, run_event_wait, NEVER},
    [AH_COMMAND_VALUE_WAIT] = {"value wait", NULL, run_value_wait, NEVER},
    [AH_COMMAND_VALUE_WRITE] = {"value write", NULL, run_value_write, NEVER},
    [AH_COMMAND_VALUE_ADD] = {"value addition", NULL, run_value_add, NEVER},
    [AH_COMMAND_BARRIER] = {"barrier", NULL, run_barrier, NEVER},
    [AH_COMMAND_SIGNAL] = {"semaphore signal", ah_check_semaphores, ah_run_semaphores, NEVER},
    [AH_COMMAND_SEMAPHORE_WAIT] = {"semaphore wait", ah_check_semaphores, ah_run_semaphores, NEVER},
    [AH_COMMAND_POOL_ALLOC] = {"allocation", NULL, run_pool_alloc, NEVER},
    [AH_COMMAND_POOL_FREE] = {"free", NULL, run_pool_free, NEVER},
    [AH_COMMAND_PREFETCH] = {"prefetch", NULL, run_prefetch, NEVER},
    [AH_COMMAND_MANAGED_BATCH] = {"batch of managed memory", NULL, run_managed_batch, NEVER},
    [AH_COMMAND_ATTACH] = {"attach", NULL, run_attach, NEVER},
    [AH_COMMAND_MAP_ARRAYS] = {"mapping of arrays", NULL, run_map_arrays, NEVER},
    [AH_COMMAND_GRAPHICS] = {"mapping of graphics resources", NULL, run_graphics, NEVER},
    [AH_COMMAND_GRAPH] = {"graph", NULL, run_graph, AS_KERNEL},
};

static int serialization(const struct kind *kind)
{
    return kind->serialized == AS_KERNEL ? ah_registry.settings.serialize_kernel
           : kind->serialized == AS_COPY ? ah_registry.settings.serialize_copy
                                         : 0;
}

static hipError_t run_observed(struct ah_stream *stream, struct ah_backend_stream *native,
                               const struct kind *kind, const struct ah_command *command)
{
    struct ah_observed_command observed;
    if (!ah_observe_commands() || ah_thread.unobserved)
        return kind->run(stream, native, command);
    ah_observe_command_begin(stream, native, command, kind->name, &observed);
    hipError_t error = kind->run(stream, native, command);
    ah_observe_command_end(&observed, native, error);
    return error;
}

/* Later work of one stream waits for what the other has now. */
static hipError_t order_after(const struct ah_device *device, struct ah_backend_event *event,
                              struct ah_backend_stream *later, struct ah_backend_stream *earlier)
{
    if (!event) /* the stream is being destroyed, and the driver has failed to do it */
        return hipErrorContextIsDestroyed;
    hipError_t error = device->ops->event_record(device->native, event, earlier);
    return error == hipSuccess ? device->ops->stream_wait_event(device->native, later, event)
                               : error;
}

/* The command of a stream that the driver does not order with the legacy default stream. */
static hipError_t run_ordered(struct ah_stream *stream, struct ah_backend_stream *native,
                              const struct kind *kind, const struct ah_command *command)
{
    struct ah_backend_stream *legacy;
    struct ah_device *device = stream->handle.device;
    hipError_t error = ah_stream_native(&device->legacy, &legacy);
    if (error == hipSuccess)
        error = order_after(device, stream->before, native, legacy);
    if (error == hipSuccess)
        error = run_observed(stream, native, kind, command);
    return error == hipSuccess ? order_after(device, stream->after, legacy, native) : error;
}

static hipError_t submit_unusual(struct ah_stream *stream, const struct kind *kind,
                                 const struct ah_command *command)
{
    struct ah_backend_stream *native;
    int serialize = serialization(kind);
    hipError_t error;
    if (ah_capture_take(stream, command, kind->name, &error))
        return error;
    error = ah_stream_native(stream, &native);
    if (error == hipSuccess && (serialize & AH_SERIALIZE_BEFORE))
        error = ah_stream_synchronize(stream);
    if (error != hipSuccess)
        return error;
    AH_LOG(AH_LOG_DEBUG, AH_LOG_CMD, "%s in stream %llu of device %d", kind->name, stream->id,
           stream->handle.device->ordinal);
    bool ordered = atomic_load(&stream->state) & AH_STREAM_ORDERED;
    error = ordered ? run_ordered(stream, native, kind, command)
                    : run_observed(stream, native, kind, command);
    if (error == hipSuccess && (serialize & AH_SERIALIZE_AFTER))
        error = ah_stream_synchronize(stream);
    return error;
}

hipError_t ah_submit(struct ah_stream *stream, struct ah_command *command)
{
    const struct kind *kind = &kinds[command->kind];
    hipError_t error = kind->check ? kind->check(stream, command) : hipSuccess;
    if (__builtin_expect(error != hipSuccess, 0))
        return error;
    if (__builtin_expect(ah_submit_is_unusual(stream) | ah_capture_concerns(command), 0))
        return submit_unusual(stream, kind, command);
    return kind->run(stream, atomic_load_explicit(&stream->native, memory_order_relaxed), command);
}
