/* Owns the layouts of containers, as far as inspecting goes. */
#include "pieces.h"
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char compressed_magic[] = "CCOB";
static const char fatbin_magic[] = "\x50\xed\x55\xba";
static const char offload_magic[] = "\x10\xff\x10\xad";
static const char bitcode_magic[] = "BC\xc0\xde";

enum {
    FATBIN_HEADER = 16,
    CUDA_ENTRY_HEADER = 64,
    OFFLOAD_HEADER = 32,
    OFFLOAD_ENTRY = 40,
    UNPACKED_MAX = 1 << 30,
};

static uint64_t number_at(const unsigned char *data, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)data[i] << 8 * i;
    return value;
}

static uint16_t u16_at(const unsigned char *data)
{
    return (uint16_t)number_at(data, 2);
}
static uint32_t u32_at(const unsigned char *data)
{
    return (uint32_t)number_at(data, 4);
}
static uint64_t u64_at(const unsigned char *data)
{
    return number_at(data, 8);
}

static bool starts(const void *data, size_t size, const char *magic)
{
    return size >= strlen(magic) && memcmp(data, magic, strlen(magic)) == 0;
}

bool ah_is_bitcode(const void *data, size_t size)
{
    return starts(data, size, bitcode_magic);
}

enum ah_piece ah_piece_container_at(const void *data, size_t size)
{
    if (starts(data, size, bundle_magic))
        return AH_PIECE_BUNDLE;
    if (starts(data, size, compressed_magic))
        return AH_PIECE_COMPRESSED;
    if (starts(data, size, fatbin_magic))
        return AH_PIECE_CUDA_FATBIN;
    if (starts(data, size, offload_magic))
        return AH_PIECE_OFFLOAD;
    return AH_PIECE_UNKNOWN;
}

enum ah_piece ah_piece_at(const void *data, size_t size)
{
    struct ah_image image;
    enum ah_piece container = ah_piece_container_at(data, size);
    if (container != AH_PIECE_UNKNOWN)
        return container;
    ah_image_identify(&image, data, size);
    if (ah_is_bitcode(data, size) ||
        (image.kind != AH_IMAGE_UNKNOWN && image.kind != AH_IMAGE_HOST))
        return AH_PIECE_IMAGE;
    return AH_PIECE_UNKNOWN;
}

/* The end of the last entry. */
static uint64_t bundle_extent(const unsigned char *data, size_t size)
{
    const size_t start = sizeof bundle_magic - 1;
    if (size < start + 8)
        return 0;
    uint64_t count = u64_at(data + start), end = 0;
    size_t at = start + 8;
    for (uint64_t i = 0; i < count; i++) {
        if (size - at < 24)
            return 0;
        uint64_t offset = u64_at(data + at), length = u64_at(data + at + 8);
        uint64_t label = u64_at(data + at + 16);
        at += 24;
        if (offset > size || length > size - offset || label > size - at)
            return 0;
        at += (size_t)label;
        end = offset + length > end ? offset + length : end;
    }
    return end > at ? end : at;
}

static uint64_t compressed_extent(const unsigned char *data, size_t size)
{
    if (size < 16)
        return 0;
    unsigned version = u16_at(data + 4);
    return version == 2 ? u32_at(data + 8) : version == 3 ? u64_at(data + 8) : 0;
}

size_t ah_piece_extent(enum ah_piece piece, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t extent = 0;
    switch (piece) {
    case AH_PIECE_BUNDLE:
        extent = bundle_extent(bytes, size);
        break;
    case AH_PIECE_COMPRESSED:
        extent = compressed_extent(bytes, size);
        break;
    case AH_PIECE_CUDA_FATBIN:
        if (size >= FATBIN_HEADER && u64_at(bytes + 8) <= size)
            extent = u16_at(bytes + 6) + u64_at(bytes + 8);
        break;
    case AH_PIECE_OFFLOAD:
        if (size >= OFFLOAD_HEADER)
            extent = u64_at(bytes + 8);
        break;
    case AH_PIECE_IMAGE:
        extent = size;
        break;
    case AH_PIECE_UNKNOWN:
        break;
    }
    return extent > size ? 0 : (size_t)extent;
}

/* ---- NVIDIA's container -------------------------------------------------- */

bool ah_cuda_entry_next(const void *fatbin, size_t size, size_t *at, struct ah_cuda_entry *out,
                        bool *out_damaged)
{
    enum { PTX = 1, LZ4 = 0x2000, ZSTD = 0x8000 };
    const unsigned char *data = fatbin;
    size_t end = ah_piece_extent(AH_PIECE_CUDA_FATBIN, fatbin, size);
    if (*at == 0 && end != 0)
        *at = u16_at(data + 6);
    *out_damaged = end == 0 || (*at != end && (*at > end || end - *at < CUDA_ENTRY_HEADER));
    if (*out_damaged || *at == end)
        return false;
    const unsigned char *entry = data + *at;
    uint64_t header = u32_at(entry + 4), padded = u64_at(entry + 8), flags = u64_at(entry + 40);
    uint64_t packed = u32_at(entry + 16);
    bool compressed = flags & (LZ4 | ZSTD);
    *out_damaged = header < CUDA_ENTRY_HEADER || header > end - *at ||
                   padded > end - *at - header || (compressed && packed > padded);
    if (*out_damaged)
        return false;
    *out = (struct ah_cuda_entry){
        .ptx = u16_at(entry) == PTX,
        .sm = u32_at(entry + 28),
        .packing = flags & ZSTD  ? "zstd"
                   : flags & LZ4 ? "LZ4"
                                 : "",
        .data = entry + header,
        .size = (size_t)(compressed ? packed : padded),
        .unpacked_size = compressed ? (size_t)u64_at(entry + 56) : 0,
    };
    *at += (size_t)(header + padded);
    return true;
}

void *ah_cuda_entry_unpack(const struct ah_cuda_entry *entry)
{
    if (entry->unpacked_size > UNPACKED_MAX ||
        ZSTD_getFrameContentSize(entry->data, entry->size) != entry->unpacked_size)
        return NULL;
    void *unpacked = malloc(entry->unpacked_size + 1);
    size_t got =
        unpacked ? ZSTD_decompress(unpacked, entry->unpacked_size, entry->data, entry->size) : 0;
    if (unpacked && !ZSTD_isError(got) && got == entry->unpacked_size)
        return unpacked;
    free(unpacked);
    return NULL;
}

/* ---- LLVM's container ----------------------------------------------------- */

/* The text at an offset of the container, NULL when it does not end inside. */
static const char *text_at(const unsigned char *data, size_t size, uint64_t offset)
{
    return offset < size && memchr(data + offset, '\0', size - offset) ? (const char *)data + offset
                                                                       : NULL;
}

/* Pairs of offsets of a key and its value. */
static bool read_strings(const unsigned char *data, size_t size, uint64_t at, uint64_t count,
                         struct ah_offload_entry *out)
{
    const char *triple = "", *arch = "";
    if (at > size || count > (size - at) / 16)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const char *key = text_at(data, size, u64_at(data + at + i * 16));
        const char *value = text_at(data, size, u64_at(data + at + i * 16 + 8));
        if (!key || !value)
            return false;
        if (strcmp(key, "triple") == 0)
            triple = value;
        if (strcmp(key, "arch") == 0)
            arch = value;
    }
    snprintf(out->label, sizeof out->label, "%s %s", triple, arch);
    return true;
}

bool ah_offload_entry_read(const void *data, size_t size, struct ah_offload_entry *out)
{
    const unsigned char *bytes = data;
    size = ah_piece_extent(AH_PIECE_OFFLOAD, data, size);
    if (size < OFFLOAD_HEADER)
        return false;
    uint64_t entry = u64_at(bytes + 16);
    if (entry > size || size - entry < OFFLOAD_ENTRY)
        return false;
    const unsigned char *fields = bytes + entry;
    uint64_t offset = u64_at(fields + 24), length = u64_at(fields + 32);
    if (offset > size || length > size - offset)
        return false;
    out->data = bytes + offset;
    out->size = (size_t)length;
    return read_strings(bytes, size, u64_at(fields + 8), u64_at(fields + 16), out);
}
