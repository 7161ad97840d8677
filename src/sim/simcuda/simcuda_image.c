/* Owns images: finds the PTX in images of all kinds, NVIDIA's containers included. */
#include "simcuda_driver.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MACHINE_CUDA = 190 };
enum { WRAPPER_MAGIC = 0x466243b1 };
#define FATBIN_MAGIC 0xba55ed50u

static uint64_t number(const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

/* ---- the first lines of PTX --------------------------------------------------------- */

/* Past white space and comments. */
static const char *skip_space(const char *at, const char *end)
{
    while (at < end) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n')
                at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            const char *close = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
            at = close ? close + 2 : end;
        } else {
            break;
        }
    }
    return at;
}

static bool skip_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    *at = skip_space(*at, end);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool read_number(const char **at, const char *end, unsigned *out)
{
    const char *start = *at;
    *out = 0;
    while (*at < end && isdigit((unsigned char)**at) && *at - start < 6)
        *out = *out * 10 + (unsigned)(*(*at)++ - '0');
    return *at > start;
}

bool simcuda_image_header(const char *text, size_t size, unsigned *out_version,
                          unsigned *out_target)
{
    const char *at = text, *end = text + size;
    unsigned major, minor;
    if (!skip_word(&at, end, ".version"))
        return false;
    at = skip_space(at, end);
    if (!read_number(&at, end, &major) || at == end || *at++ != '.' ||
        !read_number(&at, end, &minor) || !skip_word(&at, end, ".target") ||
        !skip_word(&at, end, "sm_") || !read_number(&at, end, out_target))
        return false;
    *out_version = major * 10 + minor;
    return true;
}

/* ---- containers ------------------------------------------------------------------------ */

/* One entry of a fatbin; the layout is that of CUDA's fatbinary, versions 9 to 13. */
struct entry {
    unsigned kind, sm, version;
    const unsigned char *payload;
    size_t size, packed_size, unpacked_size; /* packed_size 0: plain */
    bool lz4, zstd;
    const unsigned char *next;
};

enum { KIND_PTX = 1, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

static bool read_entry(const unsigned char *at, const unsigned char *end, struct entry *out)
{
    enum { HEADER_MIN = 0x40 };
    if ((size_t)(end - at) < HEADER_MIN)
        return false;
    size_t header = number(at + 4, 4), size = number(at + 8, 8);
    if (header < HEADER_MIN || header > (size_t)(end - at) || size > (size_t)(end - at) - header)
        return false;
    uint64_t flags = number(at + 0x28, 8);
    *out = (struct entry){
        .kind = (unsigned)number(at, 2),
        .sm = (unsigned)number(at + 0x1c, 4),
        .version = (unsigned)number(at + 0x1a, 2) * 10 + (unsigned)number(at + 0x18, 2),
        .payload = at + header,
        .size = size,
        .packed_size = number(at + 0x10, 4),
        .unpacked_size = number(at + 0x38, 8),
        .lz4 = (flags & FLAG_LZ4) != 0,
        .zstd = (flags & FLAG_ZSTD) != 0,
        .next = at + header + size,
    };
    return out->packed_size <= size;
}

static CUresult unpack(const struct entry *entry, struct simcuda_text *out, struct ptx_log *log)
{
    enum { UNPACKED_MAX = 1 << 30 };
    size_t size = 0;
    if (!entry->lz4 && !entry->zstd) {
        *out = (struct simcuda_text){.text = (const char *)entry->payload, .size = entry->size};
        return CUDA_SUCCESS;
    }
    if (entry->unpacked_size == 0 || entry->unpacked_size > UNPACKED_MAX)
        return CUDA_ERROR_INVALID_IMAGE;
    char *text = malloc(entry->unpacked_size);
    if (!text)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (entry->lz4)
        size = simcuda_lz4(entry->payload, entry->packed_size, (unsigned char *)text,
                           entry->unpacked_size);
    else
        size = ZSTD_decompress(text, entry->unpacked_size, entry->payload, entry->packed_size);
    if (size != entry->unpacked_size) {
        simcuda_log_line(log, "error: compressed PTX is damaged");
        free(text);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *out = (struct simcuda_text){.text = text, .size = size, .owned = text};
    return CUDA_SUCCESS;
}

/* The PTX for the newest architecture that the device can be. */
static CUresult read_fatbin(const unsigned char *image, unsigned sm, struct simcuda_text *out,
                            struct ptx_log *log)
{
    const unsigned char *at = image + number(image + 6, 2), *end = at + number(image + 8, 8);
    struct entry entry, best = {.kind = 0};
    unsigned others = 0;
    for (; at < end && read_entry(at, end, &entry); at = entry.next) {
        if (entry.kind == KIND_PTX && entry.sm <= sm && entry.version <= SIMCUDA_PTX_VERSION &&
            (best.kind == 0 || entry.sm > best.sm))
            best = entry;
        others++;
    }
    if (best.kind == KIND_PTX)
        return unpack(&best, out, log);
    simcuda_log_line(log,
                     "error: simulated devices run PTX only, and none of the %u images of the "
                     "fatbin is PTX for sm_%u or older",
                     others, sm);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult refuse_elf(const unsigned char *image, struct ptx_log *log)
{
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    if (header.e_machine != MACHINE_CUDA) {
        simcuda_log_line(log, "error: an ELF file for machine %u", header.e_machine);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    simcuda_log_line(log, "error: a cubin: simulated devices run PTX only");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult simcuda_image_text(const void *image, unsigned sm, struct simcuda_text *out,
                            struct ptx_log *log)
{
    const unsigned char *bytes = image;
    uint32_t magic = 0;
    for (int i = 0; i < 4 && (i == 0 || bytes[i - 1]); i++) /* text may be shorter */
        magic |= (uint32_t)bytes[i] << 8 * i;
    if (magic == WRAPPER_MAGIC) { /* magic, version, pointer to the fatbin */
        memcpy(&bytes, bytes + 8, sizeof bytes);
        if (!bytes)
            return CUDA_ERROR_INVALID_IMAGE;
        magic = (uint32_t)number(bytes, 4);
    }
    if (magic == FATBIN_MAGIC)
        return read_fatbin(bytes, sm, out, log);
    if (memcmp(&magic, ELFMAG, SELFMAG) == 0)
        return refuse_elf(bytes, log);
    *out = (struct simcuda_text){.text = (const char *)bytes, .size = strlen((const char *)bytes)};
    return CUDA_SUCCESS;
}
