/* Parses code objects: every offset and count of the file is validated here. */
#include "amdgpu_elf.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, SEGMENTS_MAX = 256, XNACK = 1, SRAMECC = 2, GENERIC_VERSION_SHIFT = 24 };
/* Features in version 3: one bit each, without "any". */
enum { XNACK_V3 = 0x100, SRAMECC_V3 = 0x200 };
#define SPAN_MAX (UINT64_C(1) << 40)

static bool within(const struct amdgpu_code_object *object, uint64_t offset, uint64_t size)
{
    return offset <= object->size && size <= object->size - offset;
}

/* Copies count entries, for alignment; *out is NULL if there are none. */
static const char *copy_table(const struct amdgpu_code_object *object, uint64_t offset,
                              uint64_t count, size_t entry_size, void *out_table)
{
    void *table = NULL;
    if (count > object->size / entry_size || !within(object, offset, count * entry_size))
        return "a table lies outside of the file";
    if (count > 0) {
        table = malloc(count * entry_size);
        if (!table)
            return "out of memory";
        memcpy(table, object->bytes + offset, count * entry_size);
    }
    memcpy(out_table, &table, sizeof table);
    return NULL;
}

/* ---- the header -------------------------------------------------------------------------- */

static const char *processor(unsigned mach, unsigned *out_features)
{
    switch (mach) {
#define AMDGPU_PROCESSOR(value, name, features)                                                    \
    case value:                                                                                    \
        *out_features = features;                                                                  \
        return name;
#include "amdgpu_processors.def"
#undef AMDGPU_PROCESSOR
    default:
        *out_features = 0;
        return NULL;
    }
}

static enum amdgpu_feature feature_of_bit(bool has, unsigned bit)
{
    return !has ? AMDGPU_FEATURE_UNSUPPORTED : bit ? AMDGPU_FEATURE_ON : AMDGPU_FEATURE_OFF;
}

static void read_target(struct amdgpu_code_object *object)
{
    unsigned flags = object->flags, features;
    object->target = processor(flags & AMDGPU_EF_MACH, &features);
    object->generic = object->target && strstr(object->target, "-generic");
    object->generic_version = flags >> GENERIC_VERSION_SHIFT;
    if (object->version == 3) {
        object->xnack = feature_of_bit(features & XNACK, flags & XNACK_V3);
        object->sramecc = feature_of_bit(features & SRAMECC, flags & SRAMECC_V3);
    } else { /* the fields use the values of enum amdgpu_feature */
        object->xnack = (enum amdgpu_feature)((flags & AMDGPU_EF_XNACK) / AMDGPU_EF_XNACK_ANY);
        object->sramecc =
            (enum amdgpu_feature)((flags & AMDGPU_EF_SRAMECC) / AMDGPU_EF_SRAMECC_ANY);
    }
}

static const char *read_header(struct amdgpu_code_object *object, Elf64_Ehdr *header)
{
    if (!within(object, 0, sizeof *header))
        return "it is too short";
    memcpy(header, object->bytes, sizeof *header);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return "it is not an ELF file";
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != AMDGPU_EM || header->e_ident[EI_OSABI] != AMDGPU_ELFOSABI_HSA)
        return "it is not for AMDGPU and HSA";
    unsigned abi = header->e_ident[EI_ABIVERSION];
    if (abi < AMDGPU_ABI_V3 || abi > AMDGPU_ABI_V6)
        return "its code object version is not one of 3 to 6";
    if (header->e_type != ET_DYN)
        return "it is not linked";
    object->version = abi - AMDGPU_ABI_V3 + 3;
    object->flags = header->e_flags;
    read_target(object);
    return NULL;
}

/* ---- segments and sections ------------------------------------------------------------------ */

static const char *check_segment(struct amdgpu_code_object *object, const Elf64_Phdr *segment)
{
    if (!within(object, segment->p_offset, segment->p_filesz))
        return "a segment lies outside of the file";
    if (segment->p_filesz > segment->p_memsz || segment->p_vaddr > SPAN_MAX ||
        segment->p_memsz > SPAN_MAX)
        return "a segment has an invalid size";
    size_t end = segment->p_vaddr + segment->p_memsz;
    if (end > object->end)
        object->end = end;
    if (end > object->span)
        object->span = (end + PAGE - 1) / PAGE * PAGE;
    return NULL;
}

static const char *read_segments(struct amdgpu_code_object *object, const Elf64_Ehdr *header)
{
    if (header->e_phnum > 0 && header->e_phentsize != sizeof(Elf64_Phdr))
        return "its program headers are invalid";
    const char *why =
        copy_table(object, header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr), &object->segments);
    for (size_t i = 0; i < header->e_phnum && !why; i++) {
        Elf64_Phdr segment = object->segments[i];
        if (segment.p_type != PT_LOAD)
            continue;
        if (object->segment_count == SEGMENTS_MAX)
            return "it has too many segments";
        why = check_segment(object, &segment);
        object->segments[object->segment_count++] = segment;
    }
    return why || object->segment_count > 0 ? why : "it has no segments to load";
}

static const char *read_sections(struct amdgpu_code_object *object, const Elf64_Ehdr *header)
{
    if (header->e_shnum > 0 && header->e_shentsize != sizeof(Elf64_Shdr))
        return "its section headers are invalid";
    const char *why =
        copy_table(object, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr), &object->sections);
    if (why)
        return why;
    object->section_count = header->e_shnum;
    for (size_t i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
            !within(object, section->sh_offset, section->sh_size))
            return "a section lies outside of the file";
    }
    return NULL;
}

/* ---- symbols ----------------------------------------------------------------------- */

/* The dynamic symbols, or all symbols in files without any. */
static size_t find_symbol_section(const struct amdgpu_code_object *object)
{
    static const unsigned types[] = {SHT_DYNSYM, SHT_SYMTAB};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 1; i < object->section_count; i++)
            if (object->sections[i].sh_type == types[t])
                return i;
    return 0;
}

static const char *read_names(struct amdgpu_code_object *object, size_t index)
{
    const Elf64_Shdr *section = &object->sections[index];
    if (index >= object->section_count || section->sh_type != SHT_STRTAB || section->sh_size == 0 ||
        object->bytes[section->sh_offset + section->sh_size - 1] != '\0')
        return "its symbol table has no string table";
    object->names = (const char *)object->bytes + section->sh_offset;
    object->names_size = section->sh_size;
    return NULL;
}

const char *amdgpu_elf_name(const struct amdgpu_code_object *object, const Elf64_Sym *entry)
{
    return entry->st_name < object->names_size ? object->names + entry->st_name : NULL;
}

/* The descriptor's bytes in the file; NULL: they are not all there. */
static const unsigned char *bytes_at(const struct amdgpu_code_object *object, uint64_t value,
                                     size_t size)
{
    for (size_t i = 0; i < object->segment_count; i++) {
        const Elf64_Phdr *segment = &object->segments[i];
        uint64_t offset = value - segment->p_vaddr;
        if (value >= segment->p_vaddr && offset <= segment->p_filesz &&
            size <= segment->p_filesz - offset)
            return object->bytes + segment->p_offset + offset;
    }
    return NULL;
}

static bool is_constant(const struct amdgpu_code_object *object, uint64_t value)
{
    for (size_t i = 0; i < object->segment_count; i++) {
        const Elf64_Phdr *segment = &object->segments[i];
        if (value >= segment->p_vaddr && value - segment->p_vaddr < segment->p_memsz)
            return !(segment->p_flags & PF_W);
    }
    return false;
}

static uint64_t alignment_of(const struct amdgpu_code_object *object, const Elf64_Sym *entry)
{
    uint64_t align = entry->st_shndx < object->section_count
                         ? object->sections[entry->st_shndx].sh_addralign
                         : 1;
    return align > 0 && align <= PAGE && (align & (align - 1)) == 0 ? align : 1;
}

static bool is_descriptor(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".kd") == 0;
}

static const char *read_defined(const struct amdgpu_code_object *object, const Elf64_Sym *entry,
                                struct amdgpu_code_symbol *symbol)
{
    if (entry->st_value > object->span || entry->st_size > object->span - entry->st_value)
        return "a symbol lies outside of all segments";
    symbol->value = entry->st_value;
    symbol->size = entry->st_size;
    symbol->align = alignment_of(object, entry);
    symbol->constant = is_constant(object, entry->st_value);
    if (symbol->kernel) {
        const unsigned char *bytes = bytes_at(object, entry->st_value, sizeof symbol->descriptor);
        if (!bytes)
            return "a kernel has no descriptor";
        memcpy(&symbol->descriptor, bytes, sizeof symbol->descriptor);
    }
    return NULL;
}

static const char *read_symbol(struct amdgpu_code_object *object, const Elf64_Sym *entry)
{
    struct amdgpu_code_symbol symbol = {.name = amdgpu_elf_name(object, entry)};
    const char *why = NULL;
    if (!symbol.name)
        return "a symbol's name lies outside of the string table";
    symbol.kernel = is_descriptor(symbol.name);
    symbol.defined = entry->st_shndx != SHN_UNDEF;
    symbol.global = ELF64_ST_BIND(entry->st_info) != STB_LOCAL;
    if (symbol.defined) {
        if (entry->st_shndx >= SHN_LORESERVE || ELF64_ST_TYPE(entry->st_info) != STT_OBJECT)
            return NULL; /* functions, sections and absolute symbols */
        why = read_defined(object, entry, &symbol);
    }
    if (!why)
        object->symbols[object->symbol_count++] = symbol;
    return why;
}

static const char *read_symbols(struct amdgpu_code_object *object)
{
    const Elf64_Shdr *section = &object->sections[find_symbol_section(object)];
    object->symbol_section = find_symbol_section(object);
    if (object->symbol_section == 0)
        return NULL;
    if (section->sh_entsize != sizeof(Elf64_Sym))
        return "its symbol table is invalid";
    size_t count = section->sh_size / sizeof(Elf64_Sym);
    const char *why =
        copy_table(object, section->sh_offset, count, sizeof(Elf64_Sym), &object->entries);
    if (!why)
        why = read_names(object, section->sh_link);
    if (why || count == 0)
        return why;
    object->entry_count = count;
    object->symbols = calloc(count, sizeof *object->symbols);
    if (!object->symbols)
        return "out of memory";
    for (size_t i = 1; i < count && !why; i++) /* the first entry is always undefined */
        why = read_symbol(object, &object->entries[i]);
    return why;
}

/* ---- relocations ------------------------------------------------------------------- */

static bool relocates(const Elf64_Shdr *section)
{
    return (section->sh_flags & SHF_ALLOC) && section->sh_size > 0 &&
           (section->sh_type == SHT_RELA || section->sh_type == SHT_REL ||
            section->sh_type == SHT_RELR);
}

static const char *append_relocations(struct amdgpu_code_object *object, const Elf64_Shdr *section)
{
    if (section->sh_type != SHT_RELA || section->sh_entsize != sizeof(Elf64_Rela) ||
        section->sh_link != object->symbol_section)
        return "its relocation table is invalid";
    size_t count = section->sh_size / sizeof(Elf64_Rela);
    size_t total = object->relocation_count + count;
    if (total > object->size / sizeof(Elf64_Rela))
        return "it has too many relocations";
    if (count == 0)
        return NULL;
    Elf64_Rela *grown = realloc(object->relocations, total * sizeof *grown);
    if (!grown)
        return "out of memory";
    object->relocations = grown;
    memcpy(grown + object->relocation_count, object->bytes + section->sh_offset,
           count * sizeof *grown);
    object->relocation_count = total;
    return NULL;
}

static const char *read_relocations(struct amdgpu_code_object *object)
{
    const char *why = NULL;
    for (size_t i = 0; i < object->section_count && !why; i++)
        if (relocates(&object->sections[i]))
            why = append_relocations(object, &object->sections[i]);
    return why;
}

const char *amdgpu_elf_read(struct amdgpu_code_object *object)
{
    Elf64_Ehdr header;
    const char *why = read_header(object, &header);
    if (!why)
        why = read_segments(object, &header);
    if (!why)
        why = read_sections(object, &header);
    if (!why && object->section_count > 0)
        why = read_symbols(object);
    return why ? why : read_relocations(object);
}
