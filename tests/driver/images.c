/* Owns images made by hand: bundles, compressed bundles, ELF headers. */
#include "support.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
enum { MAGIC_SIZE = sizeof magic - 1, ALIGNMENT = 4096 };

static unsigned char *put(unsigned char *at, uint64_t value, size_t size)
{
    memcpy(at, &value, size);
    return at + size;
}

static unsigned char *put_entry(unsigned char *at, uint64_t offset, uint64_t size,
                                const char *label)
{
    at = put(at, offset, 8);
    at = put(at, size, 8);
    at = put(at, strlen(label), 8);
    memcpy(at, label, strlen(label));
    return at + strlen(label);
}

static size_t aligned(size_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *make_bundle(const struct entry *entries, size_t count, size_t *out_size)
{
    size_t size = ALIGNMENT, offset = ALIGNMENT;
    for (size_t i = 0; i < count; i++)
        size = aligned(size) + entries[i].size;
    unsigned char *bundle = calloc(1, size), *at = bundle;
    memcpy(at, magic, MAGIC_SIZE);
    at = put(at + MAGIC_SIZE, count + 1, 8);
    at = put_entry(at, ALIGNMENT, 0, "host-x86_64-unknown-linux--");
    for (size_t i = 0; i < count; i++) {
        offset = aligned(offset);
        at = put_entry(at, offset, entries[i].size, entries[i].label);
        memcpy(bundle + offset, entries[i].data, entries[i].size);
        offset += entries[i].size;
    }
    *out_size = size;
    return bundle;
}

/* "CCOB", version 2, method, total size, uncompressed size, hash, payload. */
void *compress_bundle(const void *bundle, size_t size, enum compression method, size_t *out_size)
{
    enum { HEADER = 4 + 2 + 2 + 4 + 4 + 8 };
    uLongf zlib_size = compressBound(size);
    size_t room = zlib_size > ZSTD_compressBound(size) ? zlib_size : ZSTD_compressBound(size);
    unsigned char *out = calloc(1, HEADER + room), *at = out;
    if (method == ZLIB)
        compress(out + HEADER, &zlib_size, bundle, size);
    size_t packed = method == ZLIB ? zlib_size : ZSTD_compress(out + HEADER, room, bundle, size, 1);
    memcpy(at, "CCOB", 4);
    at = put(at + 4, 2, 2);
    at = put(at, method == ZLIB ? 0 : 1, 2);
    at = put(at, HEADER + packed, 4);
    put(at, size, 4);
    *out_size = HEADER + packed;
    return out;
}

void *make_elf(unsigned machine, unsigned flags, const char *text, size_t *out_size)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = (Elf64_Half)machine,
        .e_version = EV_CURRENT,
        .e_flags = flags,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
    };
    if (machine == MACHINE_AMDGPU) {
        header.e_ident[EI_OSABI] = 64; /* ELFOSABI_AMDGPU_HSA */
        header.e_ident[EI_ABIVERSION] = 2;
    }
    *out_size = sizeof header + strlen(text) + 1;
    char *elf = malloc(*out_size);
    memcpy(elf, &header, sizeof header);
    strcpy(elf + sizeof header, text);
    return elf;
}
