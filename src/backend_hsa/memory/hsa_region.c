/* Owns copies of rectangles and boxes: by the engine's own way where it can, row by row where
 * it cannot, and packed into pieces of page-locked memory where one end is pageable. */
#include "hsa_memory.h"

#include <stdlib.h>
#include <string.h>

enum { X, Y, Z };

/* ---- neither end is pageable ------------------------------------------------------------ */

static hsa_amd_copy_direction_t direction(const struct ahhsa_place *dst,
                                          const struct ahhsa_place *src)
{
    return dst->device ? (src->device ? hsaDeviceToDevice : hsaHostToDevice)
                       : (src->device ? hsaDeviceToHost : hsaHostToHost);
}

/* False: the engine or its driver cannot do this one. */
static bool start_box(struct ah_backend_device *device, const struct ahhsa_transfer *transfer,
                      uint32_t count, const hsa_signal_t *before, hsa_signal_t after)
{
    const struct ahhsa_box *dst = &transfer->dst, *src = &transfer->src;
    const size_t *size = transfer->size;
    hsa_pitched_ptr_t to = {dst->place.pointer, dst->pitch, dst->slice};
    hsa_pitched_ptr_t from = {src->place.pointer, src->pitch, src->slice};
    const hsa_dim3_t start = {0, 0, 0};
    if (!device->api->hsa_amd_memory_async_copy_rect || size[X] > UINT32_MAX ||
        size[Y] > UINT32_MAX || size[Z] > UINT32_MAX || (!dst->place.device && !src->place.device))
        return false;
    hsa_dim3_t range = {(uint32_t)size[X], (uint32_t)size[Y], (uint32_t)size[Z]};
    return device->api->hsa_amd_memory_async_copy_rect(
               &to, &start, &from, &start, &range,
               dst->place.device ? dst->place.agent : src->place.agent,
               direction(&dst->place, &src->place), count, before, after) == HSA_STATUS_SUCCESS;
}

/* Every row takes one from the signal, which none has begun to do. */
static hipError_t start_rows(struct ah_backend_device *device,
                             const struct ahhsa_transfer *transfer, uint32_t count,
                             const hsa_signal_t *before, struct ahhsa_signal *after)
{
    const struct ahhsa_box *dst = &transfer->dst, *src = &transfer->src;
    const size_t *size = transfer->size;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    size_t rows = size[Y] * size[Z], started = 0;
    __atomic_store_n(&ahhsa_signal_memory(after)->value, (int64_t)rows, __ATOMIC_RELEASE);
    while (started < rows) {
        size_t y = started % size[Y], z = started / size[Y];
        status = device->api->hsa_amd_memory_async_copy(
            dst->place.pointer + z * dst->slice + y * dst->pitch, dst->place.agent,
            src->place.pointer + z * src->slice + y * src->pitch, src->place.agent, size[X], count,
            before, after->hsa);
        if (status != HSA_STATUS_SUCCESS)
            break;
        started++;
    }
    if (status == HSA_STATUS_SUCCESS)
        return hipSuccess;
    if (rows - started > 1)
        ahhsa_signal_subtract(after, rows - started - 1);
    return ahhsa_report(device, "hsa_amd_memory_async_copy", status);
}

hipError_t ahhsa_transfer_start(struct ah_backend_device *device,
                                const struct ahhsa_transfer *transfer,
                                const struct ahhsa_signal *before, struct ahhsa_signal *after)
{
    const hsa_signal_t *native = before ? &before->hsa : NULL;
    bool rows = transfer->size[Y] * transfer->size[Z] > 1;
    atomic_store_explicit(&after->copying, true, memory_order_release);
    if (rows && start_box(device, transfer, before != NULL, native, after->hsa))
        return hipSuccess;
    return start_rows(device, transfer, before != NULL, native, after);
}

static hipError_t queue_box(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                            const struct ahhsa_box *src, const size_t size[3],
                            struct ahhsa_bounce *bounce, struct ahhsa_signal **out_signal)
{
    struct ahhsa_transfer transfer = {*dst, *src, {size[X], size[Y], size[Z]}};
    return ahhsa_transfer_queue(stream, &transfer, bounce, out_signal);
}

/* ---- by the host ------------------------------------------------------------------------ */

static void copy_rows(const struct ahhsa_box *dst, const struct ahhsa_box *src,
                      const size_t size[3])
{
    for (size_t z = 0; z < size[Z]; z++)
        for (size_t y = 0; y < size[Y]; y++)
            memmove(dst->place.host + z * dst->slice + y * dst->pitch,
                    src->place.host + z * src->slice + y * src->pitch, size[X]);
}

static void do_host_copy(void *data, hipError_t status)
{
    struct ahhsa_transfer *copy = data;
    if (status == hipSuccess)
        copy_rows(&copy->dst, &copy->src, copy->size);
    free(copy);
}

static hipError_t copy_within_host(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                                   const struct ahhsa_box *src, const size_t size[3])
{
    struct ahhsa_transfer *copy = malloc(sizeof *copy);
    if (!copy)
        return hipErrorOutOfMemory;
    *copy = (struct ahhsa_transfer){*dst, *src, {size[X], size[Y], size[Z]}};
    bool waits = dst->place.pageable || src->place.pageable;
    hipError_t error = ahhsa_host_run(stream, waits || size[X] * size[Y] * size[Z] <= AHHSA_BRIEF,
                                      do_host_copy, copy);
    if (error == hipSuccess && waits)
        error = ahhsa_stream_synchronize(stream->device, stream);
    return error;
}

/* ---- one end is pageable ---------------------------------------------------------------- */

static struct ahhsa_box box_at(const struct ahhsa_box *box, size_t y, size_t z)
{
    struct ahhsa_box part = *box;
    part.place = ahhsa_place_plus(box->place, z * box->slice + y * box->pitch);
    return part;
}

/* Rows of one slice, through a piece that holds them packed. */
static hipError_t pass_rows(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                            const struct ahhsa_box *src, size_t width, size_t rows)
{
    const size_t size[3] = {width, rows, 1};
    struct ahhsa_signal *signal;
    struct ahhsa_piece piece;
    hipError_t error = ahhsa_staging_take(stream->device, width * rows, true, &piece);
    if (error != hipSuccess)
        return error;
    struct ahhsa_box packed = {.place = piece.place, .pitch = width, .slice = width * rows};
    if (src->place.pageable) {
        copy_rows(&packed, src, size);
        return queue_box(stream, dst, &packed, size, piece.bounce, NULL);
    }
    ahhsa_staging_hold(piece.bounce); /* for the copy, of which rows may be under way if it fails */
    error = queue_box(stream, &packed, src, size, piece.bounce, &signal);
    if (error == hipSuccess) {
        error = ahhsa_signal_wait(signal);
        ahhsa_signal_release(signal);
    }
    if (error == hipSuccess)
        copy_rows(dst, &packed, size);
    ahhsa_staging_give(piece.bounce);
    return error;
}

static hipError_t copy_pageable(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                                const struct ahhsa_box *src, const size_t size[3])
{
    size_t step = AHHSA_BOUNCE / size[X];
    hipError_t error = hipSuccess;
    for (size_t z = 0; z < size[Z]; z++)
        for (size_t y = 0; y < size[Y] && error == hipSuccess;) {
            struct ahhsa_box to = box_at(dst, y, z), from = box_at(src, y, z);
            size_t rows = size[Y] - y < step ? size[Y] - y : step;
            if (step == 0) {
                error = ahhsa_copy_put(stream, &to.place, &from.place, size[X]);
                y++;
                continue;
            }
            error = pass_rows(stream, &to, &from, size[X], rows);
            y += rows;
        }
    return error;
}

/* ---- any two ends ----------------------------------------------------------------------- */

static hipError_t put_box(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                          const struct ahhsa_box *src, const size_t size[3]);

/* Between devices that do not reach one another. */
static hipError_t copy_through_host(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                                    const struct ahhsa_box *src, const size_t size[3])
{
    char *memory = malloc(size[X] * size[Y] * size[Z]);
    if (!memory)
        return hipErrorOutOfMemory;
    struct ahhsa_box between = {
        .place = {.pointer = memory, .host = memory, .pageable = true},
        .pitch = size[X],
        .slice = size[X] * size[Y],
    };
    hipError_t error = put_box(stream, &between, src, size);
    if (error == hipSuccess)
        error = put_box(stream, dst, &between, size);
    free(memory);
    return error;
}

static bool is_packed(const struct ahhsa_box *box, const size_t size[3])
{
    return (box->pitch == size[X] || size[Y] * size[Z] == 1) &&
           (box->slice == size[X] * size[Y] || size[Z] == 1);
}

static hipError_t put_box(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                          const struct ahhsa_box *src, const size_t size[3])
{
    const struct ahhsa_place *to = &dst->place, *from = &src->place;
    if (is_packed(dst, size) && is_packed(src, size))
        return ahhsa_copy_put(stream, to, from, size[X] * size[Y] * size[Z]);
    if (!to->device && !from->device)
        return copy_within_host(stream, dst, src, size);
    if (to->pageable || from->pageable)
        return copy_pageable(stream, dst, src, size);
    if (to->device && from->device && to->device != from->device &&
        !ahhsa_peer_reaches(to->device, to->pointer, from->device, from->pointer))
        return copy_through_host(stream, dst, src, size);
    return queue_box(stream, dst, src, size, NULL, NULL);
}

/* ---- entries of the backend ------------------------------------------------------------- */

static struct ahhsa_box box_of(struct ah_backend_device *device, const struct ah_copy_end *end)
{
    struct ahhsa_box box;
    if (end->kind == AH_END_ARRAY) {
        box.place = (struct ahhsa_place){.pointer = end->array->memory,
                                         .agent = end->array->device->agent,
                                         .device = end->array->device};
        box.pitch = end->array->pitch;
        box.slice = end->array->slice;
    } else {
        box.place = ahhsa_place_of(device, end->pointer);
        box.pitch = end->pitch;
        box.slice = end->pitch * end->rows;
    }
    box.place = ahhsa_place_plus(box.place, end->z * box.slice + end->y * box.pitch + end->x);
    return box;
}

/* The runtime does not look: a copy past the end of an allocation is refused here. */
static bool is_within(struct ah_backend_device *device, const struct ah_copy_end *end,
                      const struct ahhsa_box *box, const size_t size[3])
{
    size_t rows, slices, bytes;
    if (end->kind == AH_END_ARRAY || box->place.pageable)
        return true;
    bool wraps = __builtin_mul_overflow(end->y + size[Y] - 1, box->pitch, &rows) ||
                 __builtin_mul_overflow(end->z + size[Z] - 1, box->slice, &slices) ||
                 __builtin_add_overflow(rows, slices, &bytes) ||
                 __builtin_add_overflow(bytes, end->x, &bytes) ||
                 __builtin_add_overflow(bytes, size[X], &bytes) || end->y > SIZE_MAX - size[Y] ||
                 end->z > SIZE_MAX - size[Z];
    return !wraps && ahhsa_memory_holds(device, end->pointer, bytes);
}

hipError_t ahhsa_copy_region(struct ah_backend_device *device, const struct ah_copy_region *region,
                             struct ah_backend_stream *stream)
{
    const size_t size[3] = {region->width, region->height, region->depth};
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || size[X] == 0 || size[Y] == 0 || size[Z] == 0)
        return error;
    struct ahhsa_box dst = box_of(device, &region->dst), src = box_of(device, &region->src);
    if (!is_within(device, &region->dst, &dst, size) ||
        !is_within(device, &region->src, &src, size))
        return hipErrorInvalidValue;
    error = ahhsa_stream_follow(device, stream, dst.place.device);
    if (error == hipSuccess)
        error = ahhsa_stream_follow(device, stream, src.place.device);
    if (error != hipSuccess)
        return error;
    return put_box(stream, &dst, &src, size);
}

hipError_t ahhsa_copy_region_peer(struct ah_backend_device *device,
                                  struct ah_backend_device *dst_device,
                                  struct ah_backend_device *src_device,
                                  const struct ah_copy_region *region,
                                  struct ah_backend_stream *stream)
{
    hipError_t error = ahhsa_enter(dst_device);
    if (error == hipSuccess)
        error = ahhsa_enter(src_device);
    return error == hipSuccess ? ahhsa_copy_region(device, region, stream) : error;
}
