/* Owns the containers: clang's offload bundle and its compressed form. */
#include "image.h"
#include "image_read.h"
#include "readable.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char compressed_magic[] = "CCOB";
enum {
    BUNDLE_MAGIC_SIZE = sizeof bundle_magic - 1,
    COMPRESSED_MAGIC_SIZE = sizeof compressed_magic - 1,
    ENTRY_COUNT_MAX = 4096,
    ENTRY_SIZE_MIN = 24, /* without its name */
    METHOD_ZLIB = 0,
    METHOD_ZSTD = 1,
};
static const uint64_t decompressed_size_max = UINT64_C(4) << 30;

__attribute__((format(printf, 2, 3))) static bool refuse(char *out_error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out_error, AH_IMAGE_ERROR_SIZE, format, args);
    va_end(args);
    return false;
}

static bool starts_with(const void *data, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(data, magic, length) == 0;
}

/* One entry: offset, size, length of the name, name. */
static bool read_entry(struct ah_reader *reader, struct ah_image *out)
{
    uint64_t offset = ah_read_u64(reader);
    uint64_t size = ah_read_u64(reader);
    uint64_t name_size = ah_read_u64(reader);
    const unsigned char *name = ah_read_bytes(reader, name_size);
    if (reader->failed || offset > reader->size || size > reader->size - offset)
        return false;
    ah_image_identify(out, reader->data + offset, (size_t)size);
    snprintf(out->label, sizeof out->label, "%.*s", (int)(name_size < 127 ? name_size : 127), name);
    return true;
}

static bool read_bundle(struct ah_images *out, const void *data, size_t size, char *out_error)
{
    struct ah_reader reader = {data, size, BUNDLE_MAGIC_SIZE, false};
    uint64_t count = ah_read_u64(&reader);
    if (reader.failed || count == 0 || count > ENTRY_COUNT_MAX ||
        count > (reader.size - reader.at) / ENTRY_SIZE_MIN)
        return refuse(out_error, "the offload bundle's table of contents is damaged");
    out->items = calloc((size_t)count, sizeof *out->items);
    if (!out->items)
        return refuse(out_error, "no memory for %llu images", (unsigned long long)count);
    for (uint64_t i = 0; i < count; i++) {
        if (!read_entry(&reader, &out->items[i]))
            return refuse(out_error,
                          "entry %llu of the offload bundle lies outside it: the file "
                          "is truncated or damaged",
                          (unsigned long long)i);
        out->count++;
    }
    return true;
}

struct compressed_header {
    unsigned version, method;
    uint64_t uncompressed_size;
    const unsigned char *payload;
    size_t payload_size;
};

static bool read_compressed_header(struct compressed_header *header, const void *data, size_t size,
                                   char *out_error)
{
    struct ah_reader reader = {data, size, COMPRESSED_MAGIC_SIZE, false};
    uint64_t total = 0;
    header->version = ah_read_u16(&reader);
    header->method = ah_read_u16(&reader);
    if (header->version == 2)
        total = ah_read_u32(&reader);
    else if (header->version == 3)
        total = ah_read_u64(&reader);
    header->uncompressed_size = header->version == 3 ? ah_read_u64(&reader) : ah_read_u32(&reader);
    ah_read_u64(&reader); /* a hash for people's caches; the payload has its own checks */
    if (reader.failed)
        return refuse(out_error, "the compressed offload bundle is shorter than its header");
    if (header->version < 1 || header->version > 3)
        return refuse(out_error, "compressed offload bundle of unknown version %u",
                      header->version);
    if (total > size || (total && total < reader.at))
        return refuse(out_error, "the compressed offload bundle is truncated: %llu of %llu bytes",
                      (unsigned long long)size, (unsigned long long)total);
    if (header->uncompressed_size > decompressed_size_max)
        return refuse(out_error, "the compressed offload bundle declares %llu bytes of content",
                      (unsigned long long)header->uncompressed_size);
    header->payload = reader.data + reader.at;
    header->payload_size = (total ? (size_t)total : size) - reader.at;
    return true;
}

static bool inflate_zlib(const struct compressed_header *header, void *out)
{
    z_stream stream = {0};
    if (inflateInit(&stream) != Z_OK)
        return false;
    size_t in_left = header->payload_size, out_left = (size_t)header->uncompressed_size;
    stream.next_in = (Bytef *)header->payload;
    stream.next_out = out;
    int status = Z_OK;
    while (status == Z_OK) {
        uInt in_now = in_left > UINT_MAX ? UINT_MAX : (uInt)in_left;
        uInt out_now = out_left > UINT_MAX ? UINT_MAX : (uInt)out_left;
        stream.avail_in = in_now;
        stream.avail_out = out_now;
        status = inflate(&stream, Z_NO_FLUSH);
        in_left -= in_now - stream.avail_in;
        out_left -= out_now - stream.avail_out;
        if (in_now == stream.avail_in && out_now == stream.avail_out)
            break;
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END && out_left == 0;
}

static bool inflate_zstd(const struct compressed_header *header, void *out)
{
    size_t frame = ZSTD_findFrameCompressedSize(header->payload, header->payload_size);
    if (ZSTD_isError(frame))
        return false;
    size_t got = ZSTD_decompress(out, (size_t)header->uncompressed_size, header->payload, frame);
    return !ZSTD_isError(got) && got == header->uncompressed_size;
}

/* Whether the payload can have the declared size; checked before memory is allocated. */
static bool is_plausible(const struct compressed_header *header)
{
    enum { ZLIB_RATIO_MAX = 1032, ZSTD_RATIO_MAX = (128 << 10) / 4 }; /* a block in four bytes */
    if (header->method == METHOD_ZLIB)
        return header->uncompressed_size / ZLIB_RATIO_MAX <= header->payload_size;
    unsigned long long size = ZSTD_getFrameContentSize(header->payload, header->payload_size);
    return (size == ZSTD_CONTENTSIZE_UNKNOWN || size == header->uncompressed_size) &&
           header->uncompressed_size / ZSTD_RATIO_MAX <= header->payload_size;
}

static bool read_compressed(struct ah_images *out, const void *data, size_t size, char *out_error)
{
    struct compressed_header header = {0};
    if (!read_compressed_header(&header, data, size, out_error))
        return false;
    if (header.method != METHOD_ZLIB && header.method != METHOD_ZSTD)
        return refuse(out_error, "compressed offload bundle with unknown method %u", header.method);
    bool good = is_plausible(&header);
    if (good) {
        out->decompressed = malloc((size_t)header.uncompressed_size + 1);
        if (!out->decompressed)
            return refuse(out_error, "no memory to decompress %llu bytes",
                          (unsigned long long)header.uncompressed_size);
        good = header.method == METHOD_ZLIB ? inflate_zlib(&header, out->decompressed)
                                            : inflate_zstd(&header, out->decompressed);
    }
    if (!good)
        return refuse(out_error, "the compressed offload bundle is damaged (%s)",
                      header.method == METHOD_ZLIB ? "zlib" : "zstd");
    if (!starts_with(out->decompressed, (size_t)header.uncompressed_size, bundle_magic,
                     BUNDLE_MAGIC_SIZE))
        return refuse(out_error, "the compressed offload bundle does not hold a bundle");
    return read_bundle(out, out->decompressed, (size_t)header.uncompressed_size, out_error);
}

static bool read_single(struct ah_images *out, const void *data, size_t size, char *out_error)
{
    out->items = calloc(1, sizeof *out->items);
    if (!out->items)
        return refuse(out_error, "no memory for an image");
    ah_image_identify(out->items, data, size);
    if (out->items->kind == AH_IMAGE_UNKNOWN || out->items->kind == AH_IMAGE_HOST)
        return refuse(out_error,
                      "this is not an offload bundle, AMDGPU or CUDA ELF, PTX text or CUDA "
                      "fatbin");
    out->count = 1;
    return true;
}

bool ah_images_open(struct ah_images *out, const void *data, size_t size,
                    char out_error[AH_IMAGE_ERROR_SIZE])
{
    size_t readable = size == SIZE_MAX ? ah_memory_readable(data) : size;
    bool good;
    *out = (struct ah_images){0};
    *out_error = '\0';
    if (!data || readable == 0)
        return refuse(out_error, "there is no data at %p", data);
    if (starts_with(data, readable, bundle_magic, BUNDLE_MAGIC_SIZE))
        good = read_bundle(out, data, readable, out_error);
    else if (starts_with(data, readable, compressed_magic, COMPRESSED_MAGIC_SIZE))
        good = read_compressed(out, data, readable, out_error);
    else
        good = read_single(out, data, size, out_error);
    if (!good)
        ah_images_close(out);
    return good;
}

void ah_images_close(struct ah_images *images)
{
    free(images->items);
    free(images->decompressed);
    *images = (struct ah_images){0};
}
