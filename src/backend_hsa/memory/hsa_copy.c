/* Owns copies of bytes. Between memories that copy engines can access a copy is queued as it is;
 * copies of pageable memory go through staging areas, several of them at a time. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES_IN_FLIGHT = 3 };

/* ---- what lies where -------------------------------------------------------------------- */

/* Virtual memory may be accessible to a device while the device that has it is not allowed to
 * access it: then that device copies. */
__attribute__((noinline)) /* rare, with much on its stack */
static bool
copies_instead(const struct ah_backend_device *device, const struct ah_backend_device *owner,
               const void *pointer)
{
    struct ahhsa_allocation it;
    return ahhsa_memory_find(device->backend, pointer, &it) && it.origin == AHHSA_MAPPED &&
           !(it.accessible_by >> owner->index & 1) && it.accessible_by >> device->index & 1;
}

static inline struct ahhsa_location location_from_info(struct ah_backend_device *device,
                                                       const void *pointer,
                                                       const struct ah_pointer_info *info)
{
    struct ahhsa_location location = {.agent = device->host};
    location.pageable = info->kind == AH_MEMORY_UNKNOWN;
    location.pointer = location.pageable ? (char *)(uintptr_t)pointer : info->device_pointer;
    location.host = location.pageable ? location.pointer : info->host_pointer;
    if (info->kind == AH_MEMORY_DEVICE) {
        location.device = &device->backend->devices[info->device_index];
        if (location.device != device && copies_instead(device, location.device, pointer))
            location.device = device;
        location.agent = location.device->agent;
    }
    return location;
}

struct ahhsa_location ahhsa_location_of(struct ah_backend_device *device, const void *pointer)
{
    struct ah_pointer_info info;
    ahhsa_pointer_info(device, pointer, &info);
    return location_from_info(device, pointer, &info);
}

/* ---- into the stream -------------------------------------------------------------------- */

/* Has the buffer released when the copy has ended. Under the lock. */
static void attach(struct ahhsa_work *work, struct ahhsa_bounce_buffer *buffer,
                   struct ahhsa_signal **out_signal)
{
    if (out_signal)
        *out_signal = ahhsa_signal_retain(work->after);
    if (!buffer)
        return;
    ahhsa_stream_add_callback(work->stream, ahhsa_staging_release, buffer);
    ahhsa_staging_used(buffer, work->after);
}

hipError_t ahhsa_transfer_enqueue(struct ah_backend_stream *stream,
                                  const struct ahhsa_transfer *transfer,
                                  struct ahhsa_bounce_buffer *buffer,
                                  struct ahhsa_signal **out_signal)
{
    struct ahhsa_work work;
    hipError_t error = ahhsa_work_begin(stream, &work);
    if (error == hipSuccess && work.host_dependent) {
        struct ahhsa_job job = {.kind = AHHSA_JOB_COPY, .transfer = *transfer};
        error = ahhsa_host_enqueue_at(&work, &job);
        if (error != hipSuccess)
            ahhsa_work_cancel(&work);
    }
    if (error != hipSuccess) {
        if (buffer)
            ahhsa_staging_release(buffer);
        return error;
    }
    attach(&work, buffer, out_signal);
    work.kind = transfer->is_fill ? AH_TRACE_FILL : AH_TRACE_COPY;
    work.bytes = (uint64_t)transfer->size[0] * transfer->size[1] * transfer->size[2];
    /* Under the lock: a copy of another thread that waits for this one must come after it in the
     * engine, which would otherwise wait for a copy that is behind it. */
    if (!work.host_dependent)
        error = ahhsa_transfer_start(work.device, transfer, work.before, work.after);
    if (error != hipSuccess)
        work.traced = 0;
    ahhsa_work_end(&work);
    if (error == hipSuccess)
        return hipSuccess;
    ahhsa_work_abandon(&work);
    if (out_signal)
        ahhsa_signal_release(*out_signal);
    return error;
}

hipError_t ahhsa_copy_enqueue(struct ah_backend_stream *stream, const struct ahhsa_location *dst,
                              const struct ahhsa_location *src, size_t size,
                              struct ahhsa_bounce_buffer *buffer, struct ahhsa_signal **out_signal)
{
    struct ahhsa_transfer transfer = {
        .dst = {.location = *dst}, .src = {.location = *src}, .size = {size, 1, 1}};
    return ahhsa_transfer_enqueue(stream, &transfer, buffer, out_signal);
}

/* From pageable memory, which has been read when this returns. */
static hipError_t copy_from_pageable(struct ah_backend_stream *stream,
                                     const struct ahhsa_location *dst,
                                     const struct ahhsa_location *src, size_t size)
{
    hipError_t error = hipSuccess;
    for (size_t done = 0; done < size && error == hipSuccess;) {
        size_t now = size - done < AHHSA_BOUNCE_SIZE ? size - done : AHHSA_BOUNCE_SIZE;
        struct ahhsa_location to = ahhsa_location_offset(*dst, done);
        struct ahhsa_staging_area piece;
        error = ahhsa_staging_acquire(ahhsa_stream_device(stream), now, true, &piece);
        if (error != hipSuccess)
            return error;
        memcpy(piece.location.host, src->host + done, now);
        error = ahhsa_copy_enqueue(stream, &to, &piece.location, now, piece.buffer, NULL);
        done += now;
    }
    return error;
}

struct arrival { /* a piece on its way to the host */
    struct ahhsa_staging_area piece;
    struct ahhsa_signal *signal;
    char *to;
    size_t size;
};

static hipError_t receive(struct arrival *arrival)
{
    hipError_t error = ahhsa_signal_wait(arrival->signal);
    if (error == hipSuccess)
        memcpy(arrival->to, arrival->piece.location.host, arrival->size);
    ahhsa_signal_release(arrival->signal);
    ahhsa_staging_release(arrival->piece.buffer);
    return error;
}

static hipError_t send_piece(struct ah_backend_stream *stream, const struct ahhsa_location *src,
                             struct arrival *arrival)
{
    hipError_t error = ahhsa_copy_enqueue(stream, &arrival->piece.location, src, arrival->size,
                                          NULL, &arrival->signal);
    if (error != hipSuccess)
        ahhsa_staging_release(arrival->piece.buffer);
    return error;
}

/* To pageable memory, which has been written when this returns. */
static hipError_t copy_to_pageable(struct ah_backend_stream *stream,
                                   const struct ahhsa_location *dst,
                                   const struct ahhsa_location *src, size_t size)
{
    struct arrival arrivals[PIECES_IN_FLIGHT];
    unsigned first = 0, count = 0;
    hipError_t error = hipSuccess;
    size_t done = 0;
    while ((done < size && error == hipSuccess) || count > 0) {
        struct arrival *next = &arrivals[(first + count) % PIECES_IN_FLIGHT];
        bool full = count == PIECES_IN_FLIGHT || done == size || error != hipSuccess;
        size_t left = size - done;
        if (!full) { /* a thread that holds areas must not wait for another that does */
            next->size = left < AHHSA_BOUNCE_SIZE ? left : AHHSA_BOUNCE_SIZE;
            error = ahhsa_staging_acquire(ahhsa_stream_device(stream), next->size, count == 0,
                                          &next->piece);
            full = error == hipErrorNotReady;
            error = full ? hipSuccess : error;
        }
        if (full) {
            hipError_t received = receive(&arrivals[first]);
            error = error == hipSuccess ? received : error;
            first = (first + 1) % PIECES_IN_FLIGHT;
            count--;
        } else if (error == hipSuccess) {
            struct ahhsa_location from = ahhsa_location_offset(*src, done);
            next->to = dst->host + done;
            done += next->size;
            error = send_piece(stream, &from, next);
            count += error == hipSuccess;
        }
    }
    return error;
}

/* Both ends are host memory: this thread waits for the stream's earlier work and copies. */
static hipError_t copy_within_host(struct ah_backend_stream *stream,
                                   const struct ahhsa_location *dst,
                                   const struct ahhsa_location *src, size_t size)
{
    struct ahhsa_work work;
    hipError_t error = ahhsa_work_begin(stream, &work);
    if (error != hipSuccess)
        return error;
    struct ahhsa_signal *before = work.before ? ahhsa_signal_retain(work.before) : NULL;
    work.kind = AH_TRACE_COPY;
    work.bytes = size;
    ahhsa_work_end(&work);
    if (before)
        error = ahhsa_signal_wait(before);
    ahhsa_signal_release(before);
    ahhsa_signal_begin(work.after);
    if (error == hipSuccess)
        memmove(dst->host, src->host, size);
    ahhsa_signal_complete(work.after);
    return error;
}

/* Between devices without access to each other's memory. */
static hipError_t copy_through_host(struct ah_backend_stream *stream,
                                    const struct ahhsa_location *dst,
                                    const struct ahhsa_location *src, size_t size)
{
    size_t step =
        size < AHHSA_BOUNCE_SIZE * PIECES_IN_FLIGHT ? size : AHHSA_BOUNCE_SIZE * PIECES_IN_FLIGHT;
    char *memory = malloc(step);
    struct ahhsa_location between = {.pointer = memory, .host = memory, .pageable = true};
    hipError_t error = memory ? hipSuccess : hipErrorOutOfMemory;
    for (size_t done = 0; done < size && error == hipSuccess; done += step) {
        size_t now = size - done < step ? size - done : step;
        struct ahhsa_location to = ahhsa_location_offset(*dst, done),
                              from = ahhsa_location_offset(*src, done);
        error = copy_to_pageable(stream, &between, &from, now);
        if (error == hipSuccess)
            error = copy_from_pageable(stream, &to, &between, now);
    }
    free(memory);
    return error;
}

hipError_t ahhsa_copy_enqueue_any(struct ah_backend_stream *stream,
                                  const struct ahhsa_location *dst,
                                  const struct ahhsa_location *src, size_t size)
{
    if (!dst->device && !src->device && (dst->pageable || src->pageable))
        return copy_within_host(stream, dst, src, size);
    if (src->pageable)
        return copy_from_pageable(stream, dst, src, size);
    if (dst->pageable)
        return copy_to_pageable(stream, dst, src, size);
    if (dst->device && src->device && dst->device != src->device &&
        !ahhsa_peer_enable_copy(dst->device, dst->pointer, src->device, src->pointer))
        return copy_through_host(stream, dst, src, size);
    return ahhsa_copy_enqueue(stream, dst, src, size, NULL, NULL);
}

/* ---- entries of the backend ------------------------------------------------------------- */

/* Adjacent mappings are looked up only if the first is too small. */
static bool is_within(struct ah_backend_device *device, const void *pointer, size_t size,
                      const struct ah_pointer_info *info)
{
    return info->kind == AH_MEMORY_UNKNOWN ||
           size <= info->size - (size_t)((const char *)pointer - (char *)info->base) ||
           ahhsa_memory_contains(device, pointer, size);
}

static hipError_t copy_any(struct ah_backend_device *device, void *dst, const void *src,
                           size_t size, struct ah_backend_stream *stream, struct ahhsa_location *to,
                           struct ahhsa_location *from)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || size == 0)
        return error;
    struct ah_pointer_info infos[2];
    ahhsa_pointer_infos(device, (const void *const[]){dst, src}, 2, infos);
    *to = location_from_info(device, dst, &infos[0]);
    *from = location_from_info(device, src, &infos[1]);
    if (!is_within(device, dst, size, &infos[0]) || !is_within(device, src, size, &infos[1]))
        return hipErrorInvalidValue;
    if (to->device != device && to->device)
        error = ahhsa_stream_order_after_device(device, stream, to->device);
    if (error == hipSuccess && from->device != device && from->device)
        error = ahhsa_stream_order_after_device(device, stream, from->device);
    if (error != hipSuccess)
        return error;
    return ahhsa_copy_enqueue_any(stream, to, from, size);
}

hipError_t ahhsa_copy(struct ah_backend_device *device, void *dst, const void *src, size_t size)
{
    struct ahhsa_location to = {0}, from = {0};
    struct ah_backend_stream *legacy;
    hipError_t error = ahhsa_stream_legacy(device, &legacy);
    if (error == hipSuccess)
        error = copy_any(device, dst, src, size, legacy, &to, &from);
    if (error != hipSuccess || (to.device && from.device) || from.pageable)
        return error;
    if (!to.pageable) /* pageable memory has been written */
        return ahhsa_stream_synchronize(device, legacy);
    ahhsa_device_reap(device);
    return ahhsa_device_error(device);
}

hipError_t ahhsa_copy_async(struct ah_backend_device *device, void *dst, const void *src,
                            size_t size, struct ah_backend_stream *stream)
{
    struct ahhsa_location to, from;
    return copy_any(device, dst, src, size, stream, &to, &from);
}

/* ---- batches ---------------------------------------------------------------------------- */

/* A row that an engine can copy by itself. hipErrorNotSupported: it takes more than that. */
static hipError_t make_row(struct ah_backend_device *device, struct ah_backend_stream *stream,
                           const struct ah_copy_batch *batch, size_t i, struct ahhsa_row *out)
{
    struct ah_pointer_info infos[2];
    ahhsa_pointer_infos(device, (const void *const[]){batch->dsts[i], batch->srcs[i]}, 2, infos);
    *out =
        (struct ahhsa_row){location_from_info(device, batch->dsts[i], &infos[0]),
                           location_from_info(device, batch->srcs[i], &infos[1]), batch->sizes[i]};
    if (!is_within(device, batch->dsts[i], batch->sizes[i], &infos[0]) ||
        !is_within(device, batch->srcs[i], batch->sizes[i], &infos[1]))
        return hipErrorInvalidValue;
    if (out->dst.pageable || out->src.pageable ||
        (out->dst.device && out->src.device && out->dst.device != out->src.device &&
         !ahhsa_peer_enable_copy(out->dst.device, out->dst.pointer, out->src.device,
                                 out->src.pointer)))
        return hipErrorNotSupported;
    hipError_t error = ahhsa_stream_order_after_device(device, stream, out->dst.device);
    return error == hipSuccess ? ahhsa_stream_order_after_device(device, stream, out->src.device)
                               : error;
}

/* All of them start after the stream's earlier work, and none waits for another. */
static hipError_t enqueue_rows(struct ah_backend_stream *stream, const struct ahhsa_row *rows,
                               size_t count)
{
    struct ahhsa_work work;
    hipError_t error = ahhsa_work_begin(stream, &work);
    if (error != hipSuccess)
        return error;
    if (work.host_dependent) { /* no engine may wait for that */
        ahhsa_work_cancel(&work);
        return hipErrorNotSupported;
    }
    work.kind = AH_TRACE_COPY;
    for (size_t i = 0; i < count; i++)
        work.bytes += rows[i].size;
    error = ahhsa_rows_start(work.device, rows, count, work.before, work.after);
    if (error != hipSuccess)
        work.traced = 0;
    ahhsa_work_end(&work);
    if (error != hipSuccess)
        ahhsa_work_abandon(&work);
    return error;
}

static bool reads_now(const struct ah_copy_batch *batch)
{
    for (size_t i = 0; i < batch->attribute_count; i++)
        if (batch->attributes[i].srcAccessOrder == hipMemcpySrcAccessOrderDuringApiCall)
            return true;
    return false;
}

hipError_t ahhsa_copy_batch(struct ah_backend_device *device, const struct ah_copy_batch *batch,
                            struct ah_backend_stream *stream)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    struct ahhsa_row *rows = calloc(batch->count, sizeof *rows);
    if (!rows)
        return hipErrorOutOfMemory;
    for (size_t i = 0; i < batch->count && error == hipSuccess; i++)
        error = make_row(device, stream, batch, i, &rows[i]);
    if (error == hipSuccess)
        error = enqueue_rows(stream, rows, batch->count);
    free(rows);
    return error == hipSuccess && reads_now(batch) ? ahhsa_stream_synchronize(device, stream)
                                                   : error;
}

/* ---- between given devices -------------------------------------------------------------- */

/* The devices are looked up by address. */
hipError_t ahhsa_copy_peer(struct ah_backend_device *device, struct ah_backend_device *dst_device,
                           void *dst, struct ah_backend_device *src_device, const void *src,
                           size_t size, struct ah_backend_stream *stream)
{
    hipError_t error = ahhsa_enter(dst_device);
    if (error == hipSuccess)
        error = ahhsa_enter(src_device);
    return error == hipSuccess ? ahhsa_copy_async(device, dst, src, size, stream) : error;
}
