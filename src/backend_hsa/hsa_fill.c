/* Owns fills. The runtime's own fill is fast but knows no streams: a thread calls it when it is
 * the stream's turn. What is small is copied from a pattern instead, which the copy engines
 * keep in order; so are values that a stream writes. */
#include "hsa_memory.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 << 10, WORD = 4 };

/* The value in every element of a word. */
static uint32_t repeated(const struct ah_fill *fill)
{
    switch (fill->element_size) {
    case 1:
        return (fill->value & 0xff) * 0x01010101u;
    case 2:
        return (fill->value & 0xffff) * 0x00010001u;
    default:
        return fill->value;
    }
}

static void write_pattern(char *to, uint32_t word, size_t size)
{
    size_t done = size < WORD ? size : WORD;
    memcpy(to, &word, done);
    for (; done < size; done *= 2)
        memcpy(to + done, to, done <= size - done ? done : size - done);
}

/* ---- by a thread of the host ------------------------------------------------------------ */

struct host_fill {
    struct ah_backend_device *device;
    char *to;
    bool by_host; /* otherwise by the runtime */
    uint32_t word;
    size_t pitch, width, height; /* bytes, bytes, rows */
};

static void do_fill(void *data, hipError_t status)
{
    struct host_fill *fill = data;
    const struct ahhsa_api *api = fill->device->api;
    hsa_status_t result = HSA_STATUS_SUCCESS;
    if (status == hipSuccess && fill->by_host)
        for (size_t y = 0; y < fill->height; y++)
            write_pattern(fill->to + y * fill->pitch, fill->word, fill->width);
    else if (status == hipSuccess)
        result = api->hsa_amd_memory_fill(fill->to, fill->word, fill->width / WORD);
    if (result != HSA_STATUS_SUCCESS)
        ahhsa_fail(fill->device, ahhsa_report(fill->device, "hsa_amd_memory_fill", result),
                   "a fill that was queued cannot be done");
    free(fill);
}

static hipError_t fill_by_thread(struct ah_backend_stream *stream, const struct host_fill *what)
{
    struct host_fill *fill = malloc(sizeof *fill);
    if (!fill)
        return hipErrorOutOfMemory;
    *fill = *what;
    fill->device = stream->device;
    return ahhsa_host_run(stream, do_fill, fill);
}

/* ---- by copies -------------------------------------------------------------------------- */

static hipError_t fill_by_copy(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                               uint32_t word, size_t size)
{
    struct ahhsa_piece piece;
    if (size == 0)
        return hipSuccess;
    hipError_t error = ahhsa_staging_take(stream->device, size, true, &piece);
    if (error != hipSuccess)
        return error;
    write_pattern(piece.place.host, word, size);
    return ahhsa_copy_queue(stream, dst, &piece.place, size, piece.bounce, NULL);
}

/* The word that goes on where bytes of it were written. */
static uint32_t after_bytes(uint32_t word, size_t bytes)
{
    enum { BITS = 32, BYTE = 8 };
    return bytes == 0 ? word : word >> bytes * BYTE | word << (BITS - bytes * BYTE);
}

static hipError_t fill_bytes(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                             uint32_t word, size_t size)
{
    if (size <= SMALL)
        return fill_by_copy(stream, dst, word, size);
    size_t head = -(uintptr_t)dst->pointer & (WORD - 1), tail = (size - head) & (WORD - 1);
    uint32_t rest = after_bytes(word, head);
    struct ahhsa_place end = ahhsa_place_plus(*dst, size - tail);
    struct host_fill middle = {
        .to = dst->pointer + head, .word = rest, .width = size - head - tail, .height = 1};
    hipError_t error = fill_by_copy(stream, dst, word, head);
    if (error == hipSuccess)
        error = fill_by_thread(stream, &middle);
    return error == hipSuccess ? fill_by_copy(stream, &end, rest, tail) : error;
}

/* All rows are the same: a piece with some of them is copied as often as need be, and given
 * back with the last copy. */
static hipError_t fill_rows(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                            uint32_t word, size_t pitch, size_t width, size_t height)
{
    size_t fit = AHHSA_BOUNCE / width, rows = height < fit ? height : fit;
    struct ahhsa_piece piece;
    hipError_t error = ahhsa_staging_take(stream->device, width * rows, true, &piece);
    if (error != hipSuccess)
        return error;
    for (size_t y = 0; y < rows; y++)
        write_pattern(piece.place.host + y * width, word, width);
    struct ahhsa_box from = {.place = piece.place, .pitch = width, .slice = width * rows};
    for (size_t y = 0; y < height; y += rows) {
        size_t now = height - y < rows ? height - y : rows;
        bool last = y + rows >= height;
        struct ahhsa_transfer transfer = {
            .dst = {.place = ahhsa_place_plus(*dst, y * pitch),
                    .pitch = pitch,
                    .slice = pitch * now},
            .src = from,
            .size = {width, now, 1},
        };
        error = ahhsa_transfer_queue(stream, &transfer, last ? piece.bounce : NULL, NULL);
        if (error != hipSuccess && !last)
            ahhsa_staging_give(piece.bounce);
        if (error != hipSuccess)
            break;
    }
    return error;
}

/* ---- the door --------------------------------------------------------------------------- */

static hipError_t fill_device(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                              uint32_t word, size_t pitch, size_t width, size_t height)
{
    hipError_t error = hipSuccess;
    if (height == 1 || pitch == width)
        return fill_bytes(stream, dst, word, width * height);
    if (width <= AHHSA_BOUNCE)
        return fill_rows(stream, dst, word, pitch, width, height);
    for (size_t y = 0; y < height && error == hipSuccess; y++) {
        struct ahhsa_place row = ahhsa_place_plus(*dst, y * pitch);
        error = fill_bytes(stream, &row, word, width);
    }
    return error;
}

hipError_t ahhsa_fill(struct ah_backend_device *device, const struct ah_fill *fill,
                      struct ah_backend_stream *handle)
{
    size_t width = fill->width * fill->element_size;
    struct ah_backend_stream *stream;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_stream_of(device, handle, &stream);
    if (error != hipSuccess || width == 0 || fill->height == 0)
        return error;
    struct ahhsa_place dst = ahhsa_place_of(device, fill->dst);
    if (!dst.pageable &&
        !ahhsa_memory_holds(device, fill->dst, (fill->height - 1) * fill->pitch + width))
        return hipErrorInvalidValue;
    if (dst.device)
        return fill_device(stream, &dst, repeated(fill), fill->pitch, width, fill->height);
    struct host_fill what = {
        .to = dst.host,
        .by_host = true,
        .word = repeated(fill),
        .pitch = fill->pitch,
        .width = width,
        .height = fill->height,
    };
    return fill_by_thread(stream, &what);
}

hipError_t ahhsa_stream_write_value(struct ah_backend_device *device,
                                    struct ah_backend_stream *handle, void *pointer, uint64_t value,
                                    int bits)
{
    struct ah_backend_stream *stream;
    struct ahhsa_piece piece;
    size_t size = (size_t)bits / 8;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_stream_of(device, handle, &stream);
    if (error != hipSuccess)
        return error;
    struct ahhsa_place dst = ahhsa_place_of(device, pointer);
    if (dst.pageable) {
        AH_LOG_ERR("%p is no memory that the device reaches", pointer);
        return hipErrorInvalidValue;
    }
    error = ahhsa_staging_take(device, size, true, &piece);
    if (error != hipSuccess)
        return error;
    memcpy(piece.place.host, &value, size); /* its low bytes */
    return ahhsa_copy_queue(stream, &dst, &piece.place, size, piece.bounce, NULL);
}
