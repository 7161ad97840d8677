/* Owns the reading of 64-bit little-endian ELF objects and ar archives. The bytes are
 * not trusted: every offset is checked before it is followed. */
#include "objfile.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

struct bytes {
    const unsigned char *at;
    size_t size;
};

struct section {
    const char *name;
    struct bytes data;
    uint32_t type, link;
    uint64_t entry_size;
};

static struct bytes map_file(const char *path)
{
    struct bytes none = {NULL, 0};
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return none;
    void *data = MAP_FAILED;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return data == MAP_FAILED ? none : (struct bytes){data, (size_t)info.st_size};
}

static struct bytes slice(struct bytes whole, uint64_t offset, uint64_t size)
{
    if (offset > whole.size || size > whole.size - offset)
        return (struct bytes){NULL, 0};
    return (struct bytes){whole.at + offset, (size_t)size};
}

static bool read_header(struct bytes file, Elf64_Ehdr *out)
{
    if (file.size < sizeof(*out))
        return false;
    memcpy(out, file.at, sizeof(*out));
    return !memcmp(out->e_ident, ELFMAG, SELFMAG) && out->e_ident[EI_CLASS] == ELFCLASS64 &&
           out->e_ident[EI_DATA] == ELFDATA2LSB && out->e_shentsize == sizeof(Elf64_Shdr);
}

static bool raw_section(struct bytes file, const Elf64_Ehdr *header, uint64_t index,
                        Elf64_Shdr *out)
{
    struct bytes at = slice(file, header->e_shoff, file.size - header->e_shoff);
    if (header->e_shoff > file.size || index >= at.size / sizeof(*out))
        return false;
    memcpy(out, at.at + index * sizeof(*out), sizeof(*out));
    return true;
}

/* The text at offset, or "" when it is not inside. */
static const char *text_at(struct bytes texts, uint64_t offset)
{
    if (offset >= texts.size || !memchr(texts.at + offset, 0, texts.size - offset))
        return "";
    return (const char *)texts.at + offset;
}

/* All sections; objects compiled for thousands of functions keep their number in section 0. */
static struct section *read_sections(struct bytes file, size_t *out_count)
{
    Elf64_Ehdr header;
    Elf64_Shdr raw;
    *out_count = 0;
    if (!read_header(file, &header) || !raw_section(file, &header, 0, &raw))
        return NULL;
    uint64_t count = header.e_shnum ? header.e_shnum : raw.sh_size;
    uint64_t names_index = header.e_shstrndx == SHN_XINDEX ? raw.sh_link : header.e_shstrndx;
    if (count > file.size / sizeof(raw) || !raw_section(file, &header, names_index, &raw))
        return NULL;
    struct bytes names = slice(file, raw.sh_offset, raw.sh_size);
    struct section *sections = ah_text_alloc((size_t)(count + 1) * sizeof(*sections));
    uint64_t i = 0;
    for (; i < count && raw_section(file, &header, i, &raw); i++) {
        sections[i] = (struct section){.name = text_at(names, raw.sh_name),
                                       .type = raw.sh_type,
                                       .link = raw.sh_link,
                                       .entry_size = raw.sh_entsize};
        if (raw.sh_type != SHT_NOBITS)
            sections[i].data = slice(file, raw.sh_offset, raw.sh_size);
    }
    *out_count = (size_t)i;
    return sections;
}

static void read_units(const struct section *sections, size_t count, struct ah_strings *units)
{
    for (size_t i = 0; i < count; i++) {
        if (sections[i].type != SHT_SYMTAB || sections[i].link >= count)
            continue;
        struct bytes names = sections[sections[i].link].data;
        for (size_t k = 0; k < sections[i].data.size / sizeof(Elf64_Sym); k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, sections[i].data.at + k * sizeof(symbol), sizeof(symbol));
            const char *unit = ah_text_after(text_at(names, symbol.st_name), "__hip_fatbin_");
            if (unit && symbol.st_shndx == SHN_UNDEF && !ah_strings_contain(units, unit))
                ah_strings_push(units, ah_text_copy(unit, strlen(unit)));
        }
    }
}

static void push_object(struct ah_objects *objects, const struct ah_object *object)
{
    if (objects->count == objects->capacity) {
        size_t capacity = objects->capacity ? objects->capacity * 2 : 16;
        struct ah_object *at = ah_text_alloc(capacity * sizeof(*at));
        if (objects->count)
            memcpy(at, objects->at, objects->count * sizeof(*at));
        objects->at = at;
        objects->capacity = capacity;
    }
    objects->at[objects->count++] = *object;
}

static bool scan_object(struct bytes file, const char *path, const char *member,
                        struct ah_objects *objects)
{
    size_t count;
    struct section *sections = read_sections(file, &count);
    struct ah_object object = {.path = path, .member = member, .data = file.at, .size = file.size};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sections[i].name, ".llvm.offloading"))
            continue;
        if (!ah_offload_read(sections[i].data.at, sections[i].data.size, &object.images)) {
            ah_report_error("the device code in %s%s%s%s is damaged", path, member ? "(" : "",
                            member ? member : "", member ? ")" : "");
            return false;
        }
    }
    if (object.images.count) {
        read_units(sections, count, &object.units);
        push_object(objects, &object);
    }
    return true;
}

enum { AR_HEADER = 60, AR_NAME = 16, AR_SIZE_AT = 48, AR_SIZE = 10 };

static uint64_t decimal(const unsigned char *text, size_t length)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        value = value * 10 + (uint64_t)(text[i] - '0');
    return value;
}

/* "name/" as it is, "/123" from the table of long names; "" for the archive's own members. */
static const char *member_name(const unsigned char *header, struct bytes long_names)
{
    struct bytes text = {header, AR_NAME};
    if (header[0] == '/') {
        if (header[1] < '0' || header[1] > '9')
            return "";
        uint64_t offset = decimal(header + 1, AR_NAME - 1);
        if (offset >= long_names.size)
            return "";
        text = slice(long_names, offset, long_names.size - offset);
    }
    size_t n = 0;
    while (n < text.size && text.at[n] != '\n' && text.at[n] != '\0' &&
           !(text.at[n] == '/' &&
             (n + 1 == text.size || text.at[n + 1] == '\n' || text.at[n + 1] == ' ')))
        n++;
    if (header[0] != '/') /* names without the slash are padded with spaces */
        while (n && text.at[n - 1] == ' ')
            n--;
    return ah_text_copy((const char *)text.at, n);
}

static bool scan_member(struct bytes data, const char *path, const char *name, bool thin,
                        struct ah_objects *objects)
{
    if (thin) {
        const char *file = *name == '/' ? name : ah_text_print("%s/%s", ah_path_folder(path), name);
        data = map_file(file);
    }
    return scan_object(data, path, name, objects);
}

static bool scan_archive(struct bytes file, const char *path, bool thin, struct ah_objects *objects)
{
    struct bytes long_names = {NULL, 0};
    for (size_t at = 8; at + AR_HEADER <= file.size;) {
        const unsigned char *header = file.at + at;
        uint64_t size = decimal(header + AR_SIZE_AT, AR_SIZE);
        bool special = header[0] == '/' && (header[1] < '0' || header[1] > '9');
        bool inside = !thin || special;
        struct bytes data = slice(file, at + AR_HEADER, inside ? size : 0);
        if (header[58] != '`' || header[59] != '\n' || (inside && size && !data.at))
            return true; /* not our business: the linker will say what is wrong */
        if (header[0] == '/' && header[1] == '/')
            long_names = data;
        const char *name = member_name(header, long_names);
        if (*name && !scan_member(data, path, name, thin, objects))
            return false;
        at += AR_HEADER + (inside ? (size_t)size + (size & 1) : 0);
    }
    return true;
}

bool ah_objfile_scan(const char *path, struct ah_objects *objects)
{
    struct bytes file = map_file(path);
    if (file.size >= 8 && !memcmp(file.at, "!<arch>\n", 8))
        return scan_archive(file, path, false, objects);
    if (file.size >= 8 && !memcmp(file.at, "!<thin>\n", 8))
        return scan_archive(file, path, true, objects);
    return scan_object(file, path, NULL, objects);
}

void ah_objfile_sections(const char *path, const char *prefix, struct ah_strings *out_names)
{
    size_t count;
    struct section *sections = read_sections(map_file(path), &count);
    for (size_t i = 0; i < count; i++)
        if (ah_text_starts(sections[i].name, prefix))
            ah_strings_push(out_names, sections[i].name);
}
