/* Owns the layouts of device binaries as tests need them. Written apart from the code under
 * test, from the formats' documents. */
#include "forge.h"
#include "support.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static struct ah_forged zeroed(size_t size)
{
    struct ah_forged made = {ah_test_alloc(size ? size : 1), size};
    return made;
}

static void store(unsigned char **at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *(*at)++ = (unsigned char)(value >> 8 * i);
}

static void store_bytes(unsigned char **at, const void *data, size_t size)
{
    if (size)
        memcpy(*at, data, size);
    *at += size;
}

static Elf64_Ehdr header_of(unsigned machine, unsigned osabi, unsigned abiversion, unsigned flags)
{
    return (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
                    (unsigned char)osabi, (unsigned char)abiversion},
        .e_type = ET_DYN,
        .e_machine = (Elf64_Half)machine,
        .e_version = EV_CURRENT,
        .e_flags = flags,
        .e_ehsize = sizeof(Elf64_Ehdr),
    };
}

struct ah_forged ah_forge_elf(unsigned machine, unsigned osabi, unsigned abiversion, unsigned flags)
{
    Elf64_Ehdr header = header_of(machine, osabi, abiversion, flags);
    struct ah_forged made = zeroed(sizeof header);
    memcpy(made.data, &header, sizeof header);
    return made;
}

struct ah_forged ah_forge_amdgpu(int version, unsigned flags)
{
    return ah_forge_elf(224, 64, (unsigned)version - 2, flags);
}

/* Header, contents at multiples of 4096, names, table: section 0, the given ones, the names. */
struct ah_forged ah_forge_sections(unsigned machine, const struct ah_forge_section *sections)
{
    enum { ALIGNMENT = 4096, SECTIONS_MAX = 16, NAMES_MAX = 512 };
    Elf64_Ehdr header = header_of(machine, 0, 0, 0);
    Elf64_Shdr table[SECTIONS_MAX] = {{0}};
    char names[NAMES_MAX] = "";
    size_t count = 1, names_size = 1, end = sizeof header;
    for (; sections->name; sections++, count++) {
        end = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        table[count] = (Elf64_Shdr){.sh_name = (Elf64_Word)names_size,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_flags = SHF_ALLOC,
                                    .sh_offset = end,
                                    .sh_size = sections->size};
        strcpy(names + names_size, sections->name);
        names_size += strlen(sections->name) + 1;
        end += sections->size;
    }
    const struct ah_forge_section *first = sections - (count - 1);
    table[count] =
        (Elf64_Shdr){.sh_name = (Elf64_Word)names_size, .sh_type = SHT_STRTAB, .sh_offset = end};
    strcpy(names + names_size, ".shstrtab");
    names_size += sizeof ".shstrtab";
    table[count++].sh_size = names_size;
    header.e_shoff = (end + names_size + 7) / 8 * 8;
    header.e_shentsize = sizeof *table;
    header.e_shnum = (Elf64_Half)count;
    header.e_shstrndx = (Elf64_Half)(count - 1);
    struct ah_forged made = zeroed(header.e_shoff + count * sizeof *table);
    memcpy(made.data, &header, sizeof header);
    for (size_t i = 1; i + 1 < count; i++)
        memcpy(made.data + table[i].sh_offset, first[i - 1].data, first[i - 1].size);
    memcpy(made.data + end, names, names_size);
    memcpy(made.data + header.e_shoff, table, count * sizeof *table);
    return made;
}

struct ah_forged ah_forge_text(const char *text)
{
    struct ah_forged made = zeroed(strlen(text));
    memcpy(made.data, text, made.size);
    return made;
}

static size_t aligned(size_t value, size_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

struct ah_forged ah_forge_cuda_container(struct ah_forged entries)
{
    struct ah_forged made = zeroed(16 + entries.size);
    unsigned char *at = made.data;
    store(&at, 0xba55ed50u, 4);
    store(&at, 1, 2);
    store(&at, 16, 2);
    store(&at, entries.size, 8);
    store_bytes(&at, entries.data, entries.size);
    return made;
}

struct ah_forged ah_forge_cuda_fatbin(size_t size)
{
    return ah_forge_cuda_container(zeroed(size));
}

struct ah_forged ah_forge_cuda_entry(bool ptx, unsigned sm, struct ah_forged image, bool packed)
{
    struct ah_forged payload = image;
    if (packed) {
        size_t room = ZSTD_compressBound(image.size);
        payload = zeroed(room);
        payload.size = ZSTD_compress(payload.data, room, image.data, image.size, 3);
    }
    size_t padded = aligned(payload.size, 8);
    struct ah_forged made = zeroed(64 + padded);
    unsigned char *at = made.data;
    store(&at, ptx ? 1 : 2, 2);
    store(&at, 0x101, 2);
    store(&at, 64, 4);
    store(&at, padded, 8);
    store(&at, packed ? payload.size : 0, 8);
    store(&at, 0, 4);
    store(&at, sm, 4);
    store(&at, 0, 8);
    store(&at, packed ? 0x8011 : 0x11, 8);
    store(&at, 0, 8);
    store(&at, packed ? image.size : 0, 8);
    store_bytes(&at, payload.data, payload.size);
    return made;
}

/* Header, entry, two pairs of texts, the texts, the image. */
struct ah_forged ah_forge_offload(const char *triple, const char *arch, struct ah_forged image)
{
    static const char keys[] = "triple\0arch";
    enum { ENTRY = 32, PAIRS = 72, TEXTS = 104 };
    size_t values = TEXTS + sizeof keys, triple_size = strlen(triple) + 1;
    size_t start = aligned(values + triple_size + strlen(arch) + 1, 8);
    struct ah_forged made = zeroed(aligned(start + image.size, 8));
    unsigned char *at = made.data;
    store(&at, 0xad10ff10u, 4);
    store(&at, 1, 4);
    store(&at, made.size, 8);
    store(&at, ENTRY, 8);
    store(&at, PAIRS - ENTRY, 8);
    store(&at, 2, 2); /* bitcode, of HIP */
    store(&at, 4, 2);
    store(&at, 0, 4);
    store(&at, PAIRS, 8);
    store(&at, 2, 8);
    store(&at, start, 8);
    store(&at, image.size, 8);
    store(&at, TEXTS, 8);
    store(&at, values, 8);
    store(&at, TEXTS + sizeof "triple", 8);
    store(&at, values + triple_size, 8);
    store_bytes(&at, keys, sizeof keys);
    store_bytes(&at, triple, triple_size);
    store_bytes(&at, arch, strlen(arch));
    memcpy(made.data + start, image.data, image.size);
    return made;
}

struct ah_forged ah_forge_bundle(const struct ah_forge_entry *entries, size_t count,
                                 size_t alignment)
{
    static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
    size_t table = sizeof magic - 1 + 8, end;
    for (size_t i = 0; i < count; i++)
        table += 24 + strlen(entries[i].label);
    end = table;
    for (size_t i = 0; i < count; i++)
        end = aligned(end, alignment) + entries[i].image.size;
    struct ah_forged made = zeroed(end);
    unsigned char *at = made.data;
    store_bytes(&at, magic, sizeof magic - 1);
    store(&at, count, 8);
    end = table;
    for (size_t i = 0; i < count; i++) {
        end = aligned(end, alignment);
        store(&at, end, 8);
        store(&at, entries[i].image.size, 8);
        store(&at, strlen(entries[i].label), 8);
        store_bytes(&at, entries[i].label, strlen(entries[i].label));
        unsigned char *image = made.data + end;
        store_bytes(&image, entries[i].image.data, entries[i].image.size);
        end += entries[i].image.size;
    }
    return made;
}

struct ah_forged ah_forge_compressed(struct ah_forged content, unsigned version,
                                     enum ah_forge_method method)
{
    size_t head = version == 1 ? 20 : version == 2 ? 24 : 32;
    uLongf room = compressBound(content.size) + ZSTD_compressBound(content.size);
    struct ah_forged made = zeroed(head + room);
    if (method == AH_FORGE_ZLIB) {
        compress2(made.data + head, &room, content.data, content.size, 9);
        made.size = head + room;
    } else {
        made.size = head + ZSTD_compress(made.data + head, room, content.data, content.size, 3);
    }
    size_t width = version == 3 ? 8 : 4;
    unsigned char *at = made.data;
    store_bytes(&at, "CCOB", 4);
    store(&at, version, 2);
    store(&at, method, 2);
    if (version > 1)
        store(&at, made.size, width);
    store(&at, content.size, width);
    store(&at, UINT64_C(0x0123456789abcdef), 8);
    return made;
}

struct ah_forged ah_forge_join(struct ah_forged a, struct ah_forged b, size_t alignment)
{
    size_t start = aligned(a.size, alignment);
    struct ah_forged made = zeroed(start + b.size);
    memcpy(made.data, a.data, a.size);
    memcpy(made.data + start, b.data, b.size);
    return made;
}
