/* Owns the byte layout of LLVM's offload binary:
 *   header  magic(4) version(u32) size(u64) entry offset(u64) entry size(u64)
 *   entry   image kind(u16) offload kind(u16) flags(u32) strings offset(u64) strings(u64)
 *           image offset(u64) image size(u64)
 *   string  key offset(u64) value offset(u64)
 * Offsets count from the header; every container and every image begins on 8 bytes. */
#include "offload.h"

#include <stdint.h>
#include <string.h>

enum {
    HEADER_SIZE = 32,
    ENTRY_SIZE = 40,
    PAIR_SIZE = 16,
    IMAGE_BITCODE = 2,
    KIND_HIP = 4,
};

static const unsigned char magic[4] = {0x10, 0xff, 0x10, 0xad};

void ah_offload_push(struct ah_offload_images *images, struct ah_offload_image image)
{
    if (images->count == images->capacity) {
        size_t capacity = images->capacity ? images->capacity * 2 : 8;
        struct ah_offload_image *at = ah_text_alloc(capacity * sizeof(*at));
        if (images->count)
            memcpy(at, images->at, images->count * sizeof(*at));
        images->at = at;
        images->capacity = capacity;
    }
    images->at[images->count++] = image;
}

static size_t up(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* header, entry, two string pairs, then "triple\0...\0arch\0...\0", then the image. */
static size_t texts_size(const struct ah_offload_image *image)
{
    return sizeof("triple") + strlen(image->triple) + 1 + sizeof("arch") + strlen(image->arch) + 1;
}

static size_t container_size(const struct ah_offload_image *image)
{
    return up(up(HEADER_SIZE + ENTRY_SIZE + 2 * PAIR_SIZE + texts_size(image)) + image->size);
}

static size_t put_text(unsigned char *base, size_t at, const char *text)
{
    memcpy(base + at, text, strlen(text) + 1);
    return at + strlen(text) + 1;
}

static void write_one(unsigned char *base, const struct ah_offload_image *image)
{
    unsigned char *entry = base + HEADER_SIZE, *pairs = entry + ENTRY_SIZE;
    const char *texts[] = {"triple", image->triple, "arch", image->arch};
    size_t at = HEADER_SIZE + ENTRY_SIZE + 2 * PAIR_SIZE;
    memcpy(base, magic, sizeof(magic));
    put(base + 4, 1, 4);
    put(base + 8, container_size(image), 8);
    put(base + 16, HEADER_SIZE, 8);
    put(base + 24, ENTRY_SIZE, 8);
    put(entry, IMAGE_BITCODE, 2);
    put(entry + 2, KIND_HIP, 2);
    put(entry + 8, HEADER_SIZE + ENTRY_SIZE, 8);
    put(entry + 16, 2, 8);
    for (size_t i = 0; i < 4; i++) {
        put(pairs + 8 * i, at, 8);
        at = put_text(base, at, texts[i]);
    }
    at = up(at);
    put(entry + 24, at, 8);
    put(entry + 32, image->size, 8);
    memcpy(base + at, image->data, image->size);
}

void *ah_offload_write(const struct ah_offload_images *images, size_t *out_size)
{
    size_t size = 0;
    for (size_t i = 0; i < images->count; i++)
        size += container_size(&images->at[i]);
    unsigned char *data = ah_text_alloc(size + 1), *at = data;
    for (size_t i = 0; i < images->count; i++) {
        write_one(at, &images->at[i]);
        at += container_size(&images->at[i]);
    }
    *out_size = size;
    return data;
}

/* The text at offset in base, or NULL when it does not end inside. */
static const char *text_at(const unsigned char *base, size_t size, uint64_t offset)
{
    if (offset >= size || !memchr(base + offset, 0, size - (size_t)offset))
        return NULL;
    return (const char *)base + offset;
}

static bool read_one(const unsigned char *base, size_t size, struct ah_offload_images *images)
{
    uint64_t entry_at = get(base + 16, 8);
    if (entry_at > size || size - entry_at < ENTRY_SIZE)
        return false;
    const unsigned char *entry = base + entry_at;
    uint64_t pairs_at = get(entry + 8, 8), pairs = get(entry + 16, 8);
    uint64_t image_at = get(entry + 24, 8), image_size = get(entry + 32, 8);
    if (pairs_at > size || pairs > (size - pairs_at) / PAIR_SIZE || image_at > size ||
        image_size > size - image_at)
        return false;
    struct ah_offload_image image = {"", "", base + image_at, (size_t)image_size};
    for (uint64_t i = 0; i < pairs; i++) {
        const unsigned char *pair = base + pairs_at + i * PAIR_SIZE;
        const char *key = text_at(base, size, get(pair, 8));
        const char *value = text_at(base, size, get(pair + 8, 8));
        if (!key || !value)
            return false;
        if (!strcmp(key, "triple"))
            image.triple = value;
        else if (!strcmp(key, "arch"))
            image.arch = value;
    }
    if (get(entry, 2) == IMAGE_BITCODE && get(entry + 2, 2) == KIND_HIP)
        ah_offload_push(images, image);
    return true;
}

bool ah_offload_read(const void *data, size_t size, struct ah_offload_images *images)
{
    const unsigned char *base = data;
    while (size) {
        if (!*base) { /* padding between containers */
            base++;
            size--;
            continue;
        }
        if (size < HEADER_SIZE || memcmp(base, magic, sizeof(magic)) || get(base + 4, 4) != 1)
            return false;
        uint64_t whole = get(base + 8, 8);
        if (whole < HEADER_SIZE || whole > size || !read_one(base, (size_t)whole, images))
            return false;
        base += whole;
        size -= (size_t)whole;
    }
    return true;
}

const char *ah_offload_host_text(const char *text)
{
    static const char start[] = " __CLANG_OFFLOAD_BUNDLE____START__ host-";
    static const char end[] = " __CLANG_OFFLOAD_BUNDLE____END__ host-";
    /* The lines are comments, which start with another character in LLVM's text (;) than here (#).
     */
    const char *from = strstr(text, start), *to = from ? strstr(from, end) : NULL;
    if (!to || (from - 1 != text && from[-2] != '\n'))
        return NULL;
    from = strchr(from, '\n') + 1;
    return ah_text_copy(from, (size_t)(to - 1 - from));
}
