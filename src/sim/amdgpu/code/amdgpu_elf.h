/* The validated contents of a code object's file; private to this room. */
#ifndef AMDGPU_ELF_H
#define AMDGPU_ELF_H

#include "amdgpu_code.h"

#include <elf.h>

struct amdgpu_code_object {
    const unsigned char *bytes; /* the caller's */
    size_t size;
    unsigned version, flags;
    const char *target; /* NULL: unknown */
    enum amdgpu_feature xnack, sramecc;
    bool generic;
    unsigned generic_version;

    Elf64_Phdr *segments; /* loadable segments, all within the file and within span */
    size_t segment_count;
    size_t span, end; /* up to its last page, and to its last byte */

    Elf64_Shdr *sections; /* within the file, unless they have no contents */
    size_t section_count;
    size_t symbol_section; /* 0: none */

    Elf64_Sym *entries; /* the symbol table's, as they are in the file */
    size_t entry_count;
    const char *names; /* ends in 0 */
    size_t names_size;

    struct amdgpu_code_symbol *symbols; /* kernels, variables, and undefined symbols */
    size_t symbol_count;

    Elf64_Rela *relocations;
    size_t relocation_count;
};

/* Parses a file into an object that has bytes and size. Returns NULL, or an error message; the
 * object may be incomplete then. */
const char *amdgpu_elf_read(struct amdgpu_code_object *object);

/* The name of an entry of the symbol table; NULL: it lies outside of the string table. */
const char *amdgpu_elf_name(const struct amdgpu_code_object *object, const Elf64_Sym *entry);

#endif
