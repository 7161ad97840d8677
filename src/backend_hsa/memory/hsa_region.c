/* Owns copies of rectangles and boxes: by copy engines, or packed into staging areas where one
 * end is pageable. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <string.h>

enum { X, Y, Z };

/* ---- neither end is pageable ------------------------------------------------------------ */

static hipError_t enqueue_box(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                              const struct ahhsa_box *src, const size_t size[3],
                              struct ahhsa_bounce_buffer *buffer, struct ahhsa_signal **out_signal)
{
    struct ahhsa_transfer transfer = {
        .dst = *dst, .src = *src, .size = {size[X], size[Y], size[Z]}};
    return ahhsa_transfer_enqueue(stream, &transfer, buffer, out_signal);
}

/* ---- by the host ------------------------------------------------------------------------ */

static void copy_rows(const struct ahhsa_box *dst, const struct ahhsa_box *src,
                      const size_t size[3])
{
    for (size_t z = 0; z < size[Z]; z++)
        for (size_t y = 0; y < size[Y]; y++)
            memmove(dst->location.host + z * dst->slice + y * dst->pitch,
                    src->location.host + z * src->slice + y * src->pitch, size[X]);
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
    *copy = (struct ahhsa_transfer){
        .dst = *dst, .src = *src, .size = {size[X], size[Y], size[Z]}};
    bool synchronous = dst->location.pageable || src->location.pageable;
    hipError_t error =
        ahhsa_host_run(stream, synchronous || size[X] * size[Y] * size[Z] <= AHHSA_INLINE_LIMIT,
                       AH_TRACE_COPY, do_host_copy, copy);
    if (error == hipSuccess && synchronous)
        error = ahhsa_stream_synchronize(ahhsa_stream_device(stream), stream);
    return error;
}

/* ---- one end is pageable ---------------------------------------------------------------- */

static struct ahhsa_box box_at(const struct ahhsa_box *box, size_t y, size_t z)
{
    struct ahhsa_box part = *box;
    part.location = ahhsa_location_offset(box->location, z * box->slice + y * box->pitch);
    return part;
}

/* Rows of one slice, through an area that holds them packed. */
static hipError_t copy_rows_staged(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                                   const struct ahhsa_box *src, size_t width, size_t rows)
{
    const size_t size[3] = {width, rows, 1};
    struct ahhsa_signal *signal;
    struct ahhsa_staging_area piece;
    hipError_t error =
        ahhsa_staging_acquire(ahhsa_stream_device(stream), width * rows, true, &piece);
    if (error != hipSuccess)
        return error;
    struct ahhsa_box packed = {.location = piece.location, .pitch = width, .slice = width * rows};
    if (src->location.pageable) {
        copy_rows(&packed, src, size);
        return enqueue_box(stream, dst, &packed, size, piece.buffer, NULL);
    }
    ahhsa_staging_retain(
        piece.buffer); /* for the copy, of which rows may be in flight if it fails */
    error = enqueue_box(stream, &packed, src, size, piece.buffer, &signal);
    if (error == hipSuccess) {
        error = ahhsa_signal_wait(signal);
        ahhsa_signal_release(signal);
    }
    if (error == hipSuccess)
        copy_rows(dst, &packed, size);
    ahhsa_staging_release(piece.buffer);
    return error;
}

static hipError_t copy_pageable(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                                const struct ahhsa_box *src, const size_t size[3])
{
    size_t step = AHHSA_BOUNCE_SIZE / size[X];
    hipError_t error = hipSuccess;
    for (size_t z = 0; z < size[Z]; z++)
        for (size_t y = 0; y < size[Y] && error == hipSuccess;) {
            struct ahhsa_box to = box_at(dst, y, z), from = box_at(src, y, z);
            size_t rows = size[Y] - y < step ? size[Y] - y : step;
            if (step == 0) {
                error = ahhsa_copy_enqueue_any(stream, &to.location, &from.location, size[X]);
                y++;
                continue;
            }
            error = copy_rows_staged(stream, &to, &from, size[X], rows);
            y += rows;
        }
    return error;
}

/* ---- any two ends ----------------------------------------------------------------------- */

static hipError_t copy_box(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                           const struct ahhsa_box *src, const size_t size[3]);

/* Between devices without access to each other's memory. */
static hipError_t copy_through_host(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                                    const struct ahhsa_box *src, const size_t size[3])
{
    char *memory = malloc(size[X] * size[Y] * size[Z]);
    if (!memory)
        return hipErrorOutOfMemory;
    struct ahhsa_box between = {
        .location = {.pointer = memory, .host = memory, .pageable = true},
        .pitch = size[X],
        .slice = size[X] * size[Y],
    };
    hipError_t error = copy_box(stream, &between, src, size);
    if (error == hipSuccess)
        error = copy_box(stream, dst, &between, size);
    free(memory);
    return error;
}

static bool is_packed(const struct ahhsa_box *box, const size_t size[3])
{
    return (box->pitch == size[X] || size[Y] * size[Z] == 1) &&
           (box->slice == size[X] * size[Y] || size[Z] == 1);
}

static hipError_t copy_box(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                           const struct ahhsa_box *src, const size_t size[3])
{
    const struct ahhsa_location *to = &dst->location, *from = &src->location;
    if (is_packed(dst, size) && is_packed(src, size))
        return ahhsa_copy_enqueue_any(stream, to, from, size[X] * size[Y] * size[Z]);
    if (!to->device && !from->device)
        return copy_within_host(stream, dst, src, size);
    if (to->pageable || from->pageable)
        return copy_pageable(stream, dst, src, size);
    if (to->device && from->device && to->device != from->device &&
        !ahhsa_peer_enable_copy(to->device, to->pointer, from->device, from->pointer))
        return copy_through_host(stream, dst, src, size);
    return enqueue_box(stream, dst, src, size, NULL, NULL);
}

/* ---- entries of the backend ------------------------------------------------------------- */

static struct ahhsa_box box_of(struct ah_backend_device *device, const struct ah_copy_end *end)
{
    struct ahhsa_box box;
    if (end->kind == AH_END_ARRAY) {
        box.location = (struct ahhsa_location){.pointer = end->array->memory,
                                               .agent = end->array->device->agent,
                                               .device = end->array->device};
        box.pitch = end->array->pitch;
        box.slice = end->array->slice;
    } else {
        box.location = ahhsa_location_of(device, end->pointer);
        box.pitch = end->pitch;
        box.slice = end->pitch * end->rows;
    }
    box.location =
        ahhsa_location_offset(box.location, end->z * box.slice + end->y * box.pitch + end->x);
    return box;
}

/* The runtime does not check: a copy past the end of an allocation is refused here. */
static bool is_within(struct ah_backend_device *device, const struct ah_copy_end *end,
                      const struct ahhsa_box *box, const size_t size[3])
{
    size_t rows, slices, bytes;
    if (end->kind == AH_END_ARRAY || box->location.pageable)
        return true;
    bool wraps = __builtin_mul_overflow(end->y + size[Y] - 1, box->pitch, &rows) ||
                 __builtin_mul_overflow(end->z + size[Z] - 1, box->slice, &slices) ||
                 __builtin_add_overflow(rows, slices, &bytes) ||
                 __builtin_add_overflow(bytes, end->x, &bytes) ||
                 __builtin_add_overflow(bytes, size[X], &bytes) || end->y > SIZE_MAX - size[Y] ||
                 end->z > SIZE_MAX - size[Z];
    return !wraps && ahhsa_memory_contains(device, end->pointer, bytes);
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
    error = ahhsa_stream_order_after_device(device, stream, dst.location.device);
    if (error == hipSuccess)
        error = ahhsa_stream_order_after_device(device, stream, src.location.device);
    if (error != hipSuccess)
        return error;
    return copy_box(stream, &dst, &src, size);
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
