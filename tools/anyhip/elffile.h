/* Sections and symbols of 64-bit little-endian ELF files, each read within bounds: the bytes may
 * be anything at all. Nothing is allocated. */
#ifndef AH_ANYHIP_ELFFILE_H
#define AH_ANYHIP_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ah_elf {
    const unsigned char *data;
    size_t size;
    Elf64_Ehdr header;
    uint64_t section_count;
    uint64_t names; /* the section that holds the names of sections */
};

struct ah_elf_section {
    const char *name; /* "" where it cannot be read */
    uint32_t type, link;
    const unsigned char *data;
    size_t size;
};

struct ah_elf_symbol {
    const char *name;
    unsigned type, other;
    bool defined;
};

/* False: not such a file. */
bool ah_elf_open(struct ah_elf *elf, const void *data, size_t size);

/* False beyond the last section, and for one that is damaged or not in the file (.bss). */
bool ah_elf_section(const struct ah_elf *elf, uint64_t index, struct ah_elf_section *out);

/* How many bytes the file needs for its tables and sections, or for its segments where it has no
 * sections; UINT64_MAX: more than any file has. More than size: it is truncated or damaged. */
uint64_t ah_elf_extent(const struct ah_elf *elf);

/* The index-th symbol of a symbol table, false beyond the last. */
bool ah_elf_symbol(const struct ah_elf *elf, const struct ah_elf_section *table, uint64_t index,
                   struct ah_elf_symbol *out);

/* What such a file is called: "program", "shared library", "object". */
const char *ah_elf_kind(const struct ah_elf *elf);

#endif
