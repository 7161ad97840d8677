/* Owns reading ELF files that may be damaged. */
#include "elffile.h"

#include <string.h>

static bool read_at(const struct ah_elf *elf, uint64_t offset, void *out, size_t size)
{
    if (offset > elf->size || size > elf->size - offset)
        return false;
    memcpy(out, elf->data + offset, size);
    return true;
}

/* The section headers for which the file has room. */
static uint64_t room_for_headers(const struct ah_elf *elf)
{
    uint64_t table = elf->header.e_shoff;
    return elf->header.e_shentsize == sizeof(Elf64_Shdr) && table != 0 && table < elf->size
               ? (elf->size - table) / sizeof(Elf64_Shdr)
               : 0;
}

static bool read_header(const struct ah_elf *elf, uint64_t index, Elf64_Shdr *out)
{
    return index < room_for_headers(elf) &&
           read_at(elf, elf->header.e_shoff + index * sizeof *out, out, sizeof *out);
}

bool ah_elf_open(struct ah_elf *elf, const void *data, size_t size)
{
    Elf64_Shdr first;
    *elf = (struct ah_elf){.data = data, .size = size};
    if (!read_at(elf, 0, &elf->header, sizeof elf->header) ||
        memcmp(elf->header.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf->header.e_ident[EI_CLASS] != ELFCLASS64 || elf->header.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    elf->section_count = elf->header.e_shnum;
    elf->names = elf->header.e_shstrndx;
    if (!read_header(elf, 0, &first))
        elf->section_count = 0;
    else if (elf->section_count == 0) /* too many for the field: the first section has the count */
        elf->section_count = first.sh_size;
    if (elf->names == SHN_XINDEX && elf->section_count > 0)
        elf->names = first.sh_link;
    if (elf->section_count > room_for_headers(elf))
        elf->section_count = room_for_headers(elf);
    return true;
}

/* The text at an offset of a section of texts; "" where there is none. */
static const char *text_at(const struct ah_elf *elf, uint64_t section, uint64_t offset)
{
    Elf64_Shdr header;
    if (!read_header(elf, section, &header) || header.sh_type == SHT_NOBITS ||
        header.sh_offset > elf->size || header.sh_size > elf->size - header.sh_offset ||
        offset >= header.sh_size)
        return "";
    const char *text = (const char *)elf->data + header.sh_offset + offset;
    return memchr(text, '\0', header.sh_size - offset) ? text : "";
}

bool ah_elf_section(const struct ah_elf *elf, uint64_t index, struct ah_elf_section *out)
{
    Elf64_Shdr header;
    if (index >= elf->section_count || !read_header(elf, index, &header) ||
        header.sh_type == SHT_NOBITS || header.sh_offset > elf->size ||
        header.sh_size > elf->size - header.sh_offset)
        return false;
    *out = (struct ah_elf_section){
        .name = text_at(elf, elf->names, header.sh_name),
        .type = header.sh_type,
        .link = header.sh_link,
        .data = elf->data + header.sh_offset,
        .size = header.sh_size,
    };
    return true;
}

static uint64_t end_of(uint64_t offset, uint64_t count, uint64_t size)
{
    uint64_t bytes, end;
    bool too_large =
        __builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(offset, bytes, &end);
    return count == 0 ? 0 : too_large ? UINT64_MAX : end;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t end_of_sections(const struct ah_elf *elf)
{
    uint64_t end = 0;
    Elf64_Shdr header;
    for (uint64_t i = 0; i < elf->section_count && read_header(elf, i, &header); i++)
        if (header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL)
            end = larger(end, end_of(header.sh_offset, header.sh_size, 1));
    return end;
}

static uint64_t end_of_segments(const struct ah_elf *elf)
{
    uint64_t end = 0;
    Elf64_Phdr header;
    for (uint64_t i = 0; i < elf->header.e_phnum; i++)
        if (elf->header.e_phoff < elf->size &&
            read_at(elf, elf->header.e_phoff + i * sizeof header, &header, sizeof header))
            end = larger(end, end_of(header.p_offset, header.p_filesz, 1));
    return end;
}

uint64_t ah_elf_extent(const struct ah_elf *elf)
{
    const Elf64_Ehdr *header = &elf->header;
    /* Where there are more sections than fit, the first one tells how many. */
    uint64_t sections = header->e_shnum      ? header->e_shnum
                        : !header->e_shoff   ? 0
                        : elf->section_count ? elf->section_count
                                             : 1;
    uint64_t end = larger(end_of(header->e_shoff, sections, sizeof(Elf64_Shdr)),
                          end_of(header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr)));
    return larger(end, sections ? end_of_sections(elf) : end_of_segments(elf));
}

bool ah_elf_symbol(const struct ah_elf *elf, const struct ah_elf_section *table, uint64_t index,
                   struct ah_elf_symbol *out)
{
    Elf64_Sym symbol;
    if (index >= table->size / sizeof symbol)
        return false;
    memcpy(&symbol, table->data + index * sizeof symbol, sizeof symbol);
    *out = (struct ah_elf_symbol){
        .name = text_at(elf, table->link, symbol.st_name),
        .type = ELF64_ST_TYPE(symbol.st_info),
        .other = symbol.st_other,
        .defined = symbol.st_shndx != SHN_UNDEF,
    };
    return true;
}

const char *ah_elf_kind(const struct ah_elf *elf)
{
    switch (elf->header.e_type) {
    case ET_REL:
        return "object";
    case ET_EXEC:
        return "program";
    case ET_DYN:
        for (uint64_t i = 0; i < elf->section_count; i++) {
            struct ah_elf_section section;
            if (ah_elf_section(elf, i, &section) && strcmp(section.name, ".interp") == 0)
                return "program";
        }
        return "shared library";
    default:
        return "file";
    }
}
