/* What a code object's file holds, checked; private to the loader. */
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

    Elf64_Phdr *segments; /* those to be loaded, all within the file and within span */
    size_t segment_count;
    size_t span, end; /* up to its last page, and to its last byte */

    Elf64_Shdr *sections; /* contents within the file, unless they have none */
    size_t section_count;
    size_t symbol_section; /* 0: none */

    Elf64_Sym *entries; /* of the symbol table, as they are */
    size_t entry_count;
    const char *names; /* ends in 0 */
    size_t names_size;

    struct amdgpu_code_symbol *symbols; /* kernels, variables, and what others define */
    size_t symbol_count;

    Elf64_Rela *relocations;
    size_t relocation_count;
};

/* Reads all of it into an object that has bytes and size. NULL, or what is wrong: the object
 * may be half read then. */
const char *amdgpu_elf_read(struct amdgpu_code_object *object);

/* The name of an entry of the symbol table; NULL: outside of the names. */
const char *amdgpu_elf_name(const struct amdgpu_code_object *object, const Elf64_Sym *entry);

#endif
