/* Owns the layout of host objects with device code, and of LLVM's offload binary:
 *   header  magic(4) version(u32) size(u64) entry offset(u64) entry size(u64)
 *   entry   image kind(u16) offload kind(u16) flags(u32) strings offset(u64) strings(u64)
 *           image offset(u64) image size(u64)
 *   string  key offset(u64) value offset(u64)
 * where offsets count from the header. */
#include "object.h"

#include "image_read.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

enum { MACHINE_CUDA = 190, MACHINE_AMDGPU = 224 };

bool ah_object_open(struct ah_object *object, const void *data, size_t size)
{
    Elf64_Ehdr header;
    *object = (struct ah_object){.data = data, .size = size};
    if (size < sizeof header || memcmp(data, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&header, data, sizeof header);
    return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine != MACHINE_CUDA &&
           header.e_machine != MACHINE_AMDGPU;
}

static bool is_inside(const struct ah_object *object, uint64_t offset, uint64_t size)
{
    return offset <= object->size && size <= object->size - offset;
}

static bool read_section(const struct ah_object *object, size_t index, Elf64_Shdr *out)
{
    Elf64_Ehdr header;
    memcpy(&header, object->data, sizeof header);
    uint64_t at = header.e_shoff + index * sizeof *out;
    if (index >= header.e_shnum || header.e_shentsize != sizeof *out || at < header.e_shoff ||
        !is_inside(object, at, sizeof *out))
        return false;
    memcpy(out, object->data + at, sizeof *out);
    return true;
}

/* NULL: it does not end inside the file. */
static const char *section_name(const struct ah_object *object, const Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;
    memcpy(&header, object->data, sizeof header);
    if (!read_section(object, header.e_shstrndx, &names) ||
        !is_inside(object, names.sh_offset, names.sh_size) || section->sh_name >= names.sh_size)
        return NULL;
    const char *name = (const char *)object->data + names.sh_offset + section->sh_name;
    return memchr(name, 0, names.sh_size - section->sh_name) ? name : NULL;
}

/* ---- offload binaries ------------------------------------------------------------------ */

static const char *text_at(const unsigned char *base, uint64_t size, uint64_t offset)
{
    return offset < size && memchr(base + offset, 0, (size_t)(size - offset))
               ? (const char *)base + offset
               : NULL;
}

static bool read_strings(struct ah_reader *entry, uint64_t at, uint64_t count,
                         struct ah_object_part *out)
{
    enum { PAIR = 16 };
    if (at > entry->size || count > (entry->size - at) / PAIR)
        return false;
    struct ah_reader pairs = {entry->data, entry->size, (size_t)at, false};
    for (uint64_t i = 0; i < count; i++) {
        const char *key = text_at(entry->data, entry->size, ah_read_u64(&pairs));
        const char *value = text_at(entry->data, entry->size, ah_read_u64(&pairs));
        if (!key || !value)
            return false;
        if (strcmp(key, "arch") == 0)
            snprintf(out->label, sizeof out->label, "%s", value);
    }
    return true;
}

/* One binary of that whole size at data. */
static bool read_binary(const unsigned char *data, uint64_t size, struct ah_object_part *out)
{
    enum { ENTRY_OFFSET_AT = 16, KINDS = 8 };
    struct ah_reader reader = {data, (size_t)size, ENTRY_OFFSET_AT, false};
    uint64_t entry = ah_read_u64(&reader);
    if (entry > size)
        return false;
    reader.at = (size_t)entry;
    ah_read_bytes(&reader, KINDS);
    uint64_t strings = ah_read_u64(&reader), count = ah_read_u64(&reader);
    uint64_t image = ah_read_u64(&reader), image_size = ah_read_u64(&reader);
    if (reader.failed || image > size || image_size > size - image)
        return false;
    out->data = data + image;
    out->size = (size_t)image_size;
    return read_strings(&reader, strings, count, out);
}

static bool next_packed(struct ah_object *object, struct ah_object_part *out)
{
    enum { HEADER = 32, VERSION = 1 };
    static const unsigned char magic[] = {0x10, 0xff, 0x10, 0xad};
    while (object->packed_size > 0 && !*object->packed) { /* padding */
        object->packed++;
        object->packed_size--;
    }
    if (object->packed_size == 0)
        return false;
    struct ah_reader reader = {object->packed, object->packed_size, sizeof magic, false};
    uint32_t version = ah_read_u32(&reader);
    uint64_t size = ah_read_u64(&reader);
    bool good = !reader.failed && memcmp(object->packed, magic, sizeof magic) == 0 &&
                version == VERSION && size >= HEADER && size <= object->packed_size &&
                read_binary(object->packed, size, out);
    object->damaged |= !good;
    object->packed += good ? size : object->packed_size;
    object->packed_size -= good ? (size_t)size : object->packed_size;
    return good;
}

/* ---- sections -------------------------------------------------------------------------- */

/* Whether the section is a part by itself; offload binaries are kept for next_packed. */
static bool read_part(struct ah_object *object, const Elf64_Shdr *section,
                      struct ah_object_part *out)
{
    static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";
    const char *name = section_name(object, section);
    bool is_bundle = name && strncmp(name, bundle, sizeof bundle - 1) == 0;
    bool is_packed = name && strcmp(name, ".llvm.offloading") == 0;
    if ((!is_bundle && !is_packed) || section->sh_type == SHT_NOBITS)
        return false;
    if (!is_inside(object, section->sh_offset, section->sh_size)) {
        object->damaged = true;
        return false;
    }
    out->data = object->data + section->sh_offset;
    out->size = (size_t)section->sh_size;
    if (is_packed) {
        object->packed = out->data;
        object->packed_size = out->size;
        return false;
    }
    snprintf(out->label, sizeof out->label, "%s", name + sizeof bundle - 1);
    return strncmp(out->label, "host", 4) != 0;
}

bool ah_object_next(struct ah_object *object, struct ah_object_part *out)
{
    Elf64_Shdr section;
    for (;;) {
        *out = (struct ah_object_part){0};
        if (next_packed(object, out))
            return true;
        *out = (struct ah_object_part){0};
        if (!read_section(object, object->section, &section))
            return false;
        object->section++;
        if (read_part(object, &section, out))
            return true;
    }
}

bool ah_object_section(const struct ah_object *object, const char *name, const void **out_data,
                       size_t *out_size)
{
    Elf64_Shdr section;
    for (size_t i = 0; read_section(object, i, &section); i++) {
        const char *found = section_name(object, &section);
        if (!found || strcmp(found, name) != 0 || section.sh_type == SHT_NOBITS)
            continue;
        *out_data = object->data + section.sh_offset;
        *out_size = (size_t)section.sh_size;
        return is_inside(object, section.sh_offset, section.sh_size);
    }
    return false;
}
