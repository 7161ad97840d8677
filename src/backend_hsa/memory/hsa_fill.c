/* Owns fills. The runtime's own fill is synchronous and in no stream: device memory is filled by
 * copies instead, which engines keep in order without a thread of the host. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 << 10 /* bytes of a pattern */, WORD = 4 };

/* The value, repeated in every element of a word. */
static uint32_t repeat_value(const struct ah_fill *fill)
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

/* ---- memory of the host ----------------------------------------------------------------- */

struct host_fill {
    char *to;
    uint32_t word;
    size_t pitch, width, height; /* bytes, bytes, rows */
};

static void do_fill(void *data, hipError_t status)
{
    struct host_fill *fill = data;
    for (size_t y = 0; y < fill->height && status == hipSuccess; y++)
        write_pattern(fill->to + y * fill->pitch, fill->word, fill->width);
    free(fill);
}

static hipError_t fill_host(struct ah_backend_stream *stream, const struct host_fill *what)
{
    struct host_fill *fill = malloc(sizeof *fill);
    if (!fill)
        return hipErrorOutOfMemory;
    *fill = *what;
    return ahhsa_host_run(stream, what->width <= AHHSA_INLINE_LIMIT / what->height, AH_TRACE_FILL,
                          do_fill, fill);
}

/* ---- memory of a device ----------------------------------------------------------------- */

/* Copies the pattern to the beginning. */
static hipError_t copy_pattern(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                               uint32_t word, size_t width, size_t height)
{
    struct ahhsa_staging_area piece;
    hipError_t error =
        ahhsa_staging_acquire(ahhsa_stream_device(stream), width * height, true, &piece);
    if (error != hipSuccess)
        return error;
    for (size_t y = 0; y < height; y++)
        write_pattern(piece.location.host + y * width, word, width);
    struct ahhsa_transfer transfer = {
        .dst = *dst,
        .src = {.location = piece.location, .pitch = width, .slice = width * height},
        .size = {width, height, 1},
        .is_fill = true,
    };
    return ahhsa_transfer_enqueue(stream, &transfer, piece.buffer, NULL);
}

/* Copies the part that is filled behind itself, until all of it is filled. */
static hipError_t replicate_bytes(struct ah_backend_stream *stream,
                                  const struct ahhsa_location *dst, size_t done, size_t size)
{
    hipError_t error = hipSuccess;
    while (done < size && error == hipSuccess) {
        size_t now = done < size - done ? done : size - done;
        struct ahhsa_transfer transfer = {
            .dst = {.location = ahhsa_location_offset(*dst, done)},
            .src = {.location = *dst},
            .size = {now, 1, 1},
            .is_fill = true,
        };
        error = ahhsa_transfer_enqueue(stream, &transfer, NULL, NULL);
        done += now;
    }
    return error;
}

static hipError_t replicate_rows(struct ah_backend_stream *stream, const struct ahhsa_box *dst,
                                 size_t width, size_t done, size_t height)
{
    hipError_t error = hipSuccess;
    while (done < height && error == hipSuccess) {
        size_t now = done < height - done ? done : height - done;
        struct ahhsa_transfer transfer = {
            .dst = *dst, .src = *dst, .size = {width, now, 1}, .is_fill = true};
        transfer.dst.location = ahhsa_location_offset(dst->location, done * dst->pitch);
        error = ahhsa_transfer_enqueue(stream, &transfer, NULL, NULL);
        done += now;
    }
    return error;
}

static hipError_t fill_bytes(struct ah_backend_stream *stream, const struct ahhsa_location *dst,
                             uint32_t word, size_t size)
{
    size_t first = size < SMALL ? size : SMALL;
    struct ahhsa_box box = {.location = *dst, .pitch = first, .slice = first};
    hipError_t error = copy_pattern(stream, &box, word, first, 1);
    return error == hipSuccess ? replicate_bytes(stream, dst, first, size) : error;
}

static hipError_t fill_rows(struct ah_backend_stream *stream, const struct ahhsa_location *dst,
                            uint32_t word, size_t pitch, size_t width, size_t height)
{
    size_t fit = SMALL / width, rows = height < fit ? height : fit;
    struct ahhsa_box box = {.location = *dst, .pitch = pitch, .slice = pitch * height};
    hipError_t error = rows > 0 ? copy_pattern(stream, &box, word, width, rows)
                                : fill_bytes(stream, dst, word, width);
    return error == hipSuccess ? replicate_rows(stream, &box, width, rows > 0 ? rows : 1, height)
                               : error;
}

/* ---- entries of the backend ------------------------------------------------------------- */

static hipError_t fill_device(struct ah_backend_stream *stream, const struct ahhsa_location *dst,
                              uint32_t word, size_t pitch, size_t width, size_t height)
{
    if (height == 1 || pitch == width)
        return fill_bytes(stream, dst, word, width * height);
    return fill_rows(stream, dst, word, pitch, width, height);
}

hipError_t ahhsa_fill(struct ah_backend_device *device, const struct ah_fill *fill,
                      struct ah_backend_stream *stream)
{
    size_t width = fill->width * fill->element_size;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || width == 0 || fill->height == 0)
        return error;
    struct ahhsa_location dst = ahhsa_location_of(device, fill->dst);
    if (!dst.pageable &&
        !ahhsa_memory_contains(device, fill->dst, (fill->height - 1) * fill->pitch + width))
        return hipErrorInvalidValue;
    if (dst.device)
        return fill_device(stream, &dst, repeat_value(fill), fill->pitch, width, fill->height);
    struct host_fill what = {
        .to = dst.host,
        .word = repeat_value(fill),
        .pitch = fill->pitch,
        .width = width,
        .height = fill->height,
    };
    return fill_host(stream, &what);
}
