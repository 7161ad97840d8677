/* Names of kernels and functions, and their source lines, by the address at which code objects were
 * loaded. Everything that an ELF file says is validated against its size. */
#include "amdgpu_code.h"
#include "amdgpu_lines.h"
#include "ranges.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct section {
    const unsigned char *bytes;
    size_t size;
};

struct amdgpu_symbols {
    struct ah_range range; /* the addresses that it is loaded at */
    bool listed;           /* false: another code object is registered at these addresses */
    unsigned char *elf;    /* a copy */
    size_t size;
    uint64_t base;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ah_ranges loaded; /* struct amdgpu_symbols */

/* ---- the file -------------------------------------------------------------------------- */

static bool within(const struct amdgpu_symbols *symbols, uint64_t offset, uint64_t size)
{
    return offset <= symbols->size && size <= symbols->size - offset;
}

static bool read_header(const struct amdgpu_symbols *symbols, Elf64_Ehdr *out_header)
{
    if (symbols->size < sizeof *out_header)
        return false;
    memcpy(out_header, symbols->elf, sizeof *out_header);
    return memcmp(out_header->e_ident, ELFMAG, SELFMAG) == 0 &&
           out_header->e_ident[EI_CLASS] == ELFCLASS64 &&
           out_header->e_ident[EI_DATA] == ELFDATA2LSB &&
           out_header->e_shentsize == sizeof(Elf64_Shdr) &&
           within(symbols, out_header->e_shoff, (uint64_t)out_header->e_shnum * sizeof(Elf64_Shdr));
}

static bool read_section(const struct amdgpu_symbols *symbols, const Elf64_Ehdr *header,
                         unsigned index, Elf64_Shdr *out_section, struct section *out_bytes)
{
    if (index >= header->e_shnum)
        return false;
    memcpy(out_section, symbols->elf + header->e_shoff + index * sizeof *out_section,
           sizeof *out_section);
    if (out_section->sh_type == SHT_NOBITS ||
        !within(symbols, out_section->sh_offset, out_section->sh_size))
        return false;
    *out_bytes = (struct section){symbols->elf + out_section->sh_offset, out_section->sh_size};
    return true;
}

/* A string of a section, "" if it is not terminated. */
static const char *string_at(const struct section *strings, uint64_t offset)
{
    if (offset >= strings->size || !memchr(strings->bytes + offset, 0, strings->size - offset))
        return "";
    return (const char *)strings->bytes + offset;
}

static struct section find_section(const struct amdgpu_symbols *symbols, const char *name)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    struct section names, bytes;
    if (!read_header(symbols, &header) ||
        !read_section(symbols, &header, header.e_shstrndx, &section, &names))
        return (struct section){0};
    for (unsigned i = 0; i < header.e_shnum; i++)
        if (read_section(symbols, &header, i, &section, &bytes) &&
            !(section.sh_flags & SHF_COMPRESSED) &&
            strcmp(string_at(&names, section.sh_name), name) == 0)
            return bytes;
    return (struct section){0};
}

/* ---- names -------------------------------------------------------------------------------- */

/* Finds the function that contains address (relative to the file). */
static bool search_table(const struct section *table, const struct section *strings,
                         uint64_t address, char *out, size_t out_size)
{
    Elf64_Sym symbol;
    for (size_t i = 0; i < table->size / sizeof symbol; i++) {
        memcpy(&symbol, table->bytes + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            address - symbol.st_value >= symbol.st_size)
            continue;
        const char *name = string_at(strings, symbol.st_name);
        if (address == symbol.st_value)
            snprintf(out, out_size, "%s", name);
        else
            snprintf(out, out_size, "%s+0x%llx", name,
                     (unsigned long long)(address - symbol.st_value));
        return name[0];
    }
    return false;
}

static bool search_names(const struct amdgpu_symbols *symbols, uint64_t address, char *out,
                         size_t out_size)
{
    Elf64_Ehdr header;
    if (!read_header(symbols, &header))
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section, strings_section;
        struct section table, strings;
        if (read_section(symbols, &header, i, &section, &table) &&
            (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
            read_section(symbols, &header, section.sh_link, &strings_section, &strings) &&
            search_table(&table, &strings, address, out, out_size))
            return true;
    }
    return false;
}

/* ---- loaded code objects --------------------------------------------------------------------- */

struct amdgpu_symbols *amdgpu_symbols_add(const void *elf, size_t size, uint64_t base,
                                          uint64_t span)
{
    struct amdgpu_symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols || !(symbols->elf = malloc(size ? size : 1))) {
        free(symbols);
        return NULL;
    }
    memcpy(symbols->elf, elf, size);
    symbols->size = size;
    symbols->base = base;
    symbols->range.start = base;
    symbols->range.size = span;
    pthread_mutex_lock(&lock);
    symbols->listed = ah_ranges_insert(&loaded, &symbols->range);
    pthread_mutex_unlock(&lock);
    return symbols;
}

void amdgpu_symbols_remove(struct amdgpu_symbols *symbols)
{
    if (!symbols)
        return;
    pthread_mutex_lock(&lock);
    if (symbols->listed)
        ah_ranges_remove(&loaded, &symbols->range);
    pthread_mutex_unlock(&lock);
    free(symbols->elf);
    free(symbols);
}

static const struct amdgpu_symbols *find(uint64_t address)
{
    return (const struct amdgpu_symbols *)(const void *)ah_ranges_find(&loaded, address);
}

void amdgpu_symbols_name(uint64_t address, char *out, size_t out_size)
{
    out[0] = 0;
    pthread_mutex_lock(&lock);
    const struct amdgpu_symbols *symbols = find(address);
    if (symbols && !search_names(symbols, address - symbols->base, out, out_size))
        out[0] = 0;
    pthread_mutex_unlock(&lock);
}

void amdgpu_symbols_line(uint64_t address, char *out, size_t out_size)
{
    out[0] = 0;
    pthread_mutex_lock(&lock);
    const struct amdgpu_symbols *symbols = find(address);
    if (symbols) {
        struct section lines = find_section(symbols, ".debug_line");
        struct section line_strings = find_section(symbols, ".debug_line_str");
        struct section strings = find_section(symbols, ".debug_str");
        const struct amdgpu_line_sections sections = {
            .lines = lines.bytes,
            .lines_size = lines.size,
            .line_strings = line_strings.bytes,
            .line_strings_size = line_strings.size,
            .strings = strings.bytes,
            .strings_size = strings.size,
        };
        amdgpu_find_line(&sections, address - symbols->base, out, out_size);
    }
    pthread_mutex_unlock(&lock);
}
