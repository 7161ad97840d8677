/* Owns the loading of object files that LLVM wrote: what a linker and a loader would do for a file
 * without data, for x86-64.
 *
 * Sections of code and constants, and behind them an address and a stub (a jump through the
 * address) for each function of others, are one mapping, which is made executable when all is in
 * place. */
#include "jit_object.h"

#include "jit_symbols.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EXTERNAL = 24, STUB_AT = 8 }; /* an address of 8 bytes, and the stub */

struct loader {
    const unsigned char *file;
    size_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names; /* of symbols */
    size_t names_size;
    size_t *places;    /* of sections in the mapping; SIZE_MAX: not loaded */
    size_t *externals; /* by symbol: place of its address, or SIZE_MAX */
    size_t used;       /* bytes of the mapping */
    unsigned char *memory;
    const struct wave_machine *machine;
    const struct jit_addresses *addresses;
    char *reason;
    size_t reason_size;
};

static bool refuse(const struct loader *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(const struct loader *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(l->reason, l->reason_size, format, arguments);
    va_end(arguments);
    return false;
}

static bool inside(const struct loader *l, uint64_t offset, uint64_t size)
{
    return offset <= l->size && size <= l->size - offset;
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static bool read_header(struct loader *l)
{
    l->header = (const void *)l->file;
    if (l->size < sizeof *l->header || memcmp(l->header->e_ident, ELFMAG, SELFMAG) != 0 ||
        l->header->e_ident[EI_CLASS] != ELFCLASS64 || l->header->e_type != ET_REL ||
        l->header->e_machine != EM_X86_64)
        return refuse(l, "not an object file for x86-64");
    if (l->header->e_shentsize != sizeof *l->sections || l->header->e_shnum == 0 ||
        l->header->e_shoff % 8 != 0 ||
        !inside(l, l->header->e_shoff, (uint64_t)l->header->e_shnum * sizeof *l->sections))
        return refuse(l, "an object file without sections");
    l->sections = (const void *)(l->file + l->header->e_shoff);
    for (unsigned i = 0; i < l->header->e_shnum; i++)
        if (l->sections[i].sh_type != SHT_NOBITS &&
            !inside(l, l->sections[i].sh_offset, l->sections[i].sh_size))
            return refuse(l, "section %u is outside of the object file", i);
    return true;
}

static bool read_symbols(struct loader *l)
{
    for (unsigned i = 0; i < l->header->e_shnum; i++) {
        const Elf64_Shdr *section = &l->sections[i];
        if (section->sh_type != SHT_SYMTAB)
            continue;
        if (section->sh_link >= l->header->e_shnum || section->sh_offset % 8 != 0)
            break;
        const Elf64_Shdr *names = &l->sections[section->sh_link];
        l->symbols = (const void *)(l->file + section->sh_offset);
        l->symbol_count = section->sh_size / sizeof *l->symbols;
        l->names = (const char *)l->file + names->sh_offset;
        l->names_size = names->sh_size;
        if (names->sh_type == SHT_STRTAB && l->names_size && !l->names[l->names_size - 1])
            return true;
    }
    return refuse(l, "an object file without symbols");
}

static const char *name_of(const struct loader *l, size_t symbol)
{
    size_t name = l->symbols[symbol].st_name;
    return name < l->names_size ? l->names + name : "";
}

/* ---- the mapping
 * ----------------------------------------------------------------------------------- */

static const char *section_name(const struct loader *l, const Elf64_Shdr *section)
{
    unsigned table = l->header->e_shstrndx;
    if (table >= l->header->e_shnum)
        return "";
    const Elf64_Shdr *names = &l->sections[table];
    const char *text = (const char *)l->file + names->sh_offset;
    bool good = names->sh_type == SHT_STRTAB && section->sh_name < names->sh_size &&
                text[names->sh_size - 1] == '\0';
    return good ? text + section->sh_name : "";
}

static bool is_loaded(const struct loader *l, const Elf64_Shdr *section)
{
    /* Nothing unwinds through a region. */
    return section->sh_flags & SHF_ALLOC && section->sh_size &&
           strcmp(section_name(l, section), ".eh_frame") != 0;
}

/* Constants that hold addresses are writable until they have been relocated. */
static bool has_variables(const struct loader *l, const Elf64_Shdr *section)
{
    static const char constants[] = ".data.rel.ro";
    return section->sh_type == SHT_NOBITS || section->sh_flags & SHF_TLS ||
           (section->sh_flags & SHF_WRITE &&
            strncmp(section_name(l, section), constants, sizeof constants - 1) != 0);
}

static bool place_sections(struct loader *l)
{
    for (unsigned i = 0; i < l->header->e_shnum; i++) {
        const Elf64_Shdr *section = &l->sections[i];
        l->places[i] = SIZE_MAX;
        if (!is_loaded(l, section))
            continue;
        if (has_variables(l, section))
            return refuse(l, "code with variables of its own, in %s", section_name(l, section));
        size_t align = section->sh_addralign ? section->sh_addralign : 1;
        if (align > 4096 || (align & (align - 1)) != 0 || section->sh_size > INT32_MAX)
            return refuse(l, "section %u is aligned at %zu", i, align);
        l->places[i] = (l->used + align - 1) & ~(align - 1);
        l->used = l->places[i] + section->sh_size;
    }
    l->used = (l->used + 15) & ~(size_t)15;
    return true;
}

/* What a symbol that the file does not define is; NULL: nothing. */
static const void *external(const struct loader *l, size_t symbol)
{
    const char *name = name_of(l, symbol);
    const void *address = jit_address_named(l->addresses, name);
    return address ? address : jit_symbol(l->machine, name);
}

static bool place_externals(struct loader *l)
{
    for (size_t i = 1; i < l->symbol_count; i++) {
        const Elf64_Sym *symbol = &l->symbols[i];
        l->externals[i] = SIZE_MAX;
        if (symbol->st_shndx != SHN_UNDEF)
            continue;
        if (!external(l, i))
            return refuse(l, "nothing has the function %s", name_of(l, i));
        l->externals[i] = l->used;
        l->used += EXTERNAL;
    }
    return l->used <= INT32_MAX || refuse(l, "more than 2 GiB of code");
}

static void put_external(const struct loader *l, size_t symbol)
{
    /* jmp *-14(%rip): the address lies before it. */
    static const unsigned char stub[] = {0xff, 0x25, 0xf2, 0xff, 0xff, 0xff};
    unsigned char *at = l->memory + l->externals[symbol];
    const void *address = external(l, symbol);
    memcpy(at, &address, sizeof address);
    memcpy(at + STUB_AT, stub, sizeof stub);
}

static bool map(struct loader *l)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    l->used = (l->used + page - 1) & ~(page - 1);
    if (l->used == 0)
        return refuse(l, "an object file without code");
    void *memory = mmap(NULL, l->used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return refuse(l, "no memory for %zu bytes of code", l->used);
    l->memory = memory;
    for (unsigned i = 0; i < l->header->e_shnum; i++)
        if (l->places[i] != SIZE_MAX)
            memcpy(l->memory + l->places[i], l->file + l->sections[i].sh_offset,
                   l->sections[i].sh_size);
    for (size_t i = 1; i < l->symbol_count; i++)
        if (l->externals[i] != SIZE_MAX)
            put_external(l, i);
    return true;
}

/* ---- relocations
 * ------------------------------------------------------------------------------------ */

/* Where a symbol is in memory; NULL: refused. */
static unsigned char *address_of(const struct loader *l, size_t symbol)
{
    const Elf64_Sym *row = &l->symbols[symbol];
    if (l->externals[symbol] != SIZE_MAX)
        return l->memory + l->externals[symbol] + STUB_AT;
    if (row->st_shndx >= l->header->e_shnum || l->places[row->st_shndx] == SIZE_MAX ||
        row->st_value > l->sections[row->st_shndx].sh_size) {
        refuse(l, "symbol %s is in no section that is loaded", name_of(l, symbol));
        return NULL;
    }
    return l->memory + l->places[row->st_shndx] + row->st_value;
}

static bool relocate(const struct loader *l, const Elf64_Rela *row, unsigned char *at, size_t room)
{
    size_t symbol = ELF64_R_SYM(row->r_info);
    unsigned type = ELF64_R_TYPE(row->r_info);
    if (symbol == 0 || symbol >= l->symbol_count)
        return refuse(l, "a relocation without a symbol");
    unsigned char *to = address_of(l, symbol);
    if (!to)
        return false;
    size_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
    if (room < width)
        return refuse(l, "a relocation beyond its section");
    int64_t value;
    switch (type) {
    case R_X86_64_64:
        value = (int64_t)(uintptr_t)to + row->r_addend;
        break;
    case R_X86_64_PC64:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        value = to - at + row->r_addend;
        break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        if (l->externals[symbol] == SIZE_MAX)
            return refuse(l, "%s is addressed through a table", name_of(l, symbol));
        value = to - STUB_AT - at + row->r_addend;
        break;
    default:
        return refuse(l, "unknown relocation %u", type);
    }
    memcpy(at, &value, width);
    return true;
}

static bool relocate_section(const struct loader *l, const Elf64_Shdr *rows)
{
    size_t place = rows->sh_info < l->header->e_shnum ? l->places[rows->sh_info] : SIZE_MAX;
    if (place == SIZE_MAX)
        return true;
    uint64_t size = l->sections[rows->sh_info].sh_size;
    for (size_t i = 0; i < rows->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela row;
        memcpy(&row, l->file + rows->sh_offset + i * sizeof row, sizeof row);
        if (row.r_offset >= size)
            return refuse(l, "a relocation beyond its section");
        if (!relocate(l, &row, l->memory + place + row.r_offset, size - row.r_offset))
            return false;
    }
    return true;
}

static bool relocate_all(const struct loader *l)
{
    for (unsigned i = 0; i < l->header->e_shnum; i++)
        if (l->sections[i].sh_type == SHT_RELA && !relocate_section(l, &l->sections[i]))
            return false;
    return true;
}

/* ---- interface
 * -------------------------------------------------------------------------------------- */

static void *find_entry(const struct loader *l, const char *entry)
{
    for (size_t i = 1; i < l->symbol_count; i++)
        if (l->symbols[i].st_shndx != SHN_UNDEF && strcmp(name_of(l, i), entry) == 0)
            return address_of(l, i);
    refuse(l, "the object file has no %s", entry);
    return NULL;
}

static bool load(struct loader *l, const char *entry, void **out_entry)
{
    if (!read_header(l) || !read_symbols(l))
        return false;
    l->places = calloc(l->header->e_shnum, sizeof *l->places);
    l->externals = calloc(l->symbol_count + 1, sizeof *l->externals);
    if (!l->places || !l->externals)
        return refuse(l, "no memory");
    if (!place_sections(l) || !place_externals(l) || !map(l) || !relocate_all(l))
        return false;
    *out_entry = find_entry(l, entry);
    if (*out_entry && mprotect(l->memory, l->used, PROT_READ | PROT_EXEC) != 0)
        return refuse(l, "memory cannot be made executable");
    return *out_entry != NULL;
}

bool jit_object_load(struct jit_object *out_object, const void *file, size_t size,
                     const struct wave_machine *machine, const struct jit_addresses *addresses,
                     char *out_reason, size_t reason_size)
{
    struct loader l = {.file = file,
                       .size = size,
                       .machine = machine,
                       .addresses = addresses,
                       .reason = out_reason,
                       .reason_size = reason_size};
    void *found = NULL;
    bool loaded = load(&l, JIT_ENTRY, &found);
    *out_object = (struct jit_object){.memory = l.memory, .size = l.used, .entry = found};
    if (!loaded && l.memory)
        munmap(l.memory, l.used);
    if (!loaded)
        *out_object = (struct jit_object){0};
    free(l.places);
    free(l.externals);
    return loaded;
}

void jit_object_unload(struct jit_object *object)
{
    if (object->memory)
        munmap(object->memory, object->size);
    *object = (struct jit_object){0};
}
