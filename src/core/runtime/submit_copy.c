/* Owns copies of linear memory: the checks of both ends, and the choice of the driver that
 * copies. */
#include "memory.h"
#include "submit_kinds.h"

#include <stdlib.h>

const char *ah_name_copy_kind(hipMemcpyKind kind)
{
    switch ((int)kind) {
    case hipMemcpyHostToHost:
        return "hipMemcpyHostToHost";
    case hipMemcpyHostToDevice:
        return "hipMemcpyHostToDevice";
    case hipMemcpyDeviceToHost:
        return "hipMemcpyDeviceToHost";
    case hipMemcpyDeviceToDevice:
        return "hipMemcpyDeviceToDevice";
    case hipMemcpyDefault:
        return "hipMemcpyDefault";
    case hipMemcpyDeviceToDeviceNoCU:
        return "hipMemcpyDeviceToDeviceNoCU";
    default:
        return "<invalid kind>";
    }
}

static bool is_pageable(const void *pointer)
{
    struct ah_pointer_info info;
    return ah_memory_describe(pointer, &info) == NULL;
}

/* A copy that names a device must have a device's memory at one end. */
hipError_t ah_copy_check(const void *dst, const void *src, size_t size, hipMemcpyKind kind)
{
    bool known;
    if (!dst || !src || size > SIZE_MAX - (uintptr_t)dst || size > SIZE_MAX - (uintptr_t)src)
        return hipErrorInvalidValue;
    if (!ah_memory_holds(dst, src, size, &known)) {
        AH_LOG_ERR("a copy of %zu bytes from %p to %p reaches past the end of an allocation", size,
                   src, dst);
        return hipErrorInvalidValue;
    }
    if (!known && kind != hipMemcpyHostToHost && kind != hipMemcpyDefault && is_pageable(dst) &&
        is_pageable(src)) {
        AH_LOG_ERR("%s from %p to %p: neither is memory of a device", ah_name_copy_kind(kind), src,
                   dst);
        return hipErrorInvalidValue;
    }
    return hipSuccess;
}

/* The source may be pageable: the backend then only waits until it has read the data. */
static bool from_host(const void *src, hipMemcpyKind kind)
{
    struct ah_allocation allocation;
    return kind == hipMemcpyHostToDevice ||
           (kind == hipMemcpyDefault && !ah_memory_find(src, &allocation));
}

hipError_t ah_check_copy(const struct ah_stream *stream, struct ah_command *command)
{
    (void)stream;
    return ah_copy_check(command->copy.dst, command->copy.src, command->copy.size,
                         command->copy.kind);
}

hipError_t ah_device_wait_both(struct ah_device *one, struct ah_device *other)
{
    hipError_t error = one->ops->device_synchronize(one->native);
    return error == hipSuccess && other != one ? other->ops->device_synchronize(other->native)
                                               : error;
}

/* Copies on another device than the stream's, in its legacy stream; finished on return. */
static hipError_t copy_on(struct ah_device *device, void *dst, const void *src, size_t size)
{
    return ah_submit(&device->legacy,
                     &(struct ah_command){.kind = AH_COMMAND_COPY,
                                          .blocking = AH_BLOCKING,
                                          .copy = {dst, src, size, hipMemcpyDefault, NULL, NULL}});
}

/* Between memories of two drivers: through host memory, finished on return. */
static hipError_t copy_staged(struct ah_device *dst_device, char *dst, struct ah_device *src_device,
                              const char *src, size_t size)
{
    hipError_t error = hipSuccess;
    size_t step = size < AH_STAGING_SIZE ? size : AH_STAGING_SIZE;
    char *staging = malloc(step);
    if (!staging)
        return hipErrorOutOfMemory;
    for (size_t done = 0; done < size && error == hipSuccess; done += step) {
        size_t now = size - done < step ? size - done : step;
        error = copy_on(src_device, staging, src + done, now);
        if (error == hipSuccess)
            error = copy_on(dst_device, dst + done, staging, now);
    }
    free(staging);
    return error;
}

/* If there are several drivers, the addresses determine which one copies. A copy by another driver
 * than the stream's is finished on return, since the stream cannot wait for it. */
static hipError_t run_routed(struct ah_stream *stream, struct ah_backend_stream *native,
                             const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    void *dst = command->copy.dst;
    const void *src = command->copy.src;
    size_t size = command->copy.size;
    struct ah_device *dst_owner = ah_memory_owner(dst), *src_owner = ah_memory_owner(src);
    struct ah_device *owner = dst_owner ? dst_owner : src_owner ? src_owner : device;
    bool one_driver = (!dst_owner || dst_owner->driver == owner->driver) &&
                      (!src_owner || src_owner->driver == owner->driver);
    if (one_driver && owner->driver == device->driver) {
        hipError_t error = device->ops->copy_async(device->native, dst, src, size, native);
        return error == hipSuccess && command->blocking == AH_BLOCKING
                   ? ah_stream_synchronize(stream)
                   : error;
    }
    hipError_t error = ah_stream_synchronize(stream);
    if (error != hipSuccess)
        return error;
    if (one_driver)
        return copy_on(owner, dst, src, size);
    error = ah_device_wait_both(src_owner, dst_owner);
    return error == hipSuccess ? copy_staged(dst_owner, dst, src_owner, src, size) : error;
}

hipError_t ah_run_copy(struct ah_stream *stream, struct ah_backend_stream *native,
                       const struct ah_command *command)
{
    hipError_t error;
    struct ah_device *device = stream->handle.device;
    void *dst = command->copy.dst;
    const void *src = command->copy.src;
    size_t size = command->copy.size;
    bool wait = command->blocking == AH_BLOCKING;
    if (__builtin_expect(ah_registry.mixed_drivers, 0))
        return run_routed(stream, native, command);
    if (wait && stream == &device->legacy) {
        error = device->ops->copy(device->native, dst, src, size);
        wait = from_host(src, command->copy.kind) || ah_memory_is_synchronous(dst) ||
               ah_memory_is_synchronous(src);
    } else {
        error = device->ops->copy_async(device->native, dst, src, size, native);
    }
    return error == hipSuccess && wait ? ah_stream_synchronize(stream) : error;
}

/* ---- batches ---------------------------------------------------------------------------- */

static bool is_known(const void *pointer)
{
    struct ah_allocation allocation;
    return ah_memory_find(pointer, &allocation);
}

/* Whether the driver may be given all of the batch at once: memory of its own. */
static bool is_for_driver(const struct ah_copy_batch *batch)
{
    bool known = !ah_registry.mixed_drivers;
    for (size_t i = 0; i < batch->count && known; i++)
        known = is_known(batch->dsts[i]) && is_known(batch->srcs[i]);
    return known;
}

/* Pageable sources have been read anyway. */
static bool reads_now(const struct ah_copy_batch *batch)
{
    for (size_t i = 0; i < batch->attribute_count; i++)
        if (batch->attributes[i].srcAccessOrder == hipMemcpySrcAccessOrderDuringApiCall)
            return true;
    return false;
}

static hipError_t copy_one_by_one(struct ah_stream *stream, struct ah_backend_stream *native,
                                  const struct ah_command *command)
{
    const struct ah_copy_batch *batch = command->batch.copies;
    for (size_t i = 0; i < batch->count; i++) {
        const struct ah_command copy = {
            .kind = AH_COMMAND_COPY,
            .copy = {batch->dsts[i], batch->srcs[i], batch->sizes[i], hipMemcpyDefault}};
        hipError_t error = ah_run_copy(stream, native, &copy);
        if (error != hipSuccess) {
            *command->batch.out_failed = i;
            return error;
        }
    }
    return reads_now(batch) ? ah_stream_synchronize(stream) : hipSuccess;
}

hipError_t ah_run_copy_batch(struct ah_stream *stream, struct ah_backend_stream *native,
                             const struct ah_command *command)
{
    struct ah_device *device = stream->handle.device;
    hipError_t error = hipErrorNotSupported;
    if (is_for_driver(command->batch.copies))
        error = device->ops->copy_batch(device->native, command->batch.copies, native);
    return error == hipErrorNotSupported ? copy_one_by_one(stream, native, command) : error;
}

/* ---- between given devices ----------------------------------------------------------------- */

hipError_t ah_run_copy_peer(struct ah_stream *stream, struct ah_backend_stream *native,
                            const struct ah_command *command)
{
    hipError_t error = hipSuccess;
    struct ah_device *device = stream->handle.device;
    struct ah_device *dst = command->copy.dst_device, *src = command->copy.src_device;
    bool blocking = command->blocking == AH_BLOCKING;
    if (blocking)
        error = ah_device_wait_both(src, dst);
    if (error != hipSuccess)
        return error;
    if (dst->driver != src->driver || dst->driver != device->driver) {
        error = ah_stream_synchronize(stream);
        return error == hipSuccess
                   ? copy_staged(dst, command->copy.dst, src, command->copy.src, command->copy.size)
                   : error;
    }
    error = device->ops->copy_peer(device->native, dst->native, command->copy.dst, src->native,
                                   command->copy.src, command->copy.size, native);
    return error == hipSuccess && blocking ? ah_stream_synchronize(stream) : error;
}
