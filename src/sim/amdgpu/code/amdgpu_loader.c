/* Owns code objects as callers see them, and their loading into memory. */
#include "amdgpu_elf.h"

#include <stdlib.h>
#include <string.h>

struct amdgpu_code_object *amdgpu_code_object_read(const void *elf, size_t size,
                                                   const char **out_reason)
{
    struct amdgpu_code_object *object = calloc(1, sizeof *object);
    *out_reason = "out of memory";
    if (!object)
        return NULL;
    object->bytes = elf;
    object->size = size;
    *out_reason = amdgpu_elf_read(object);
    if (!*out_reason)
        return object;
    amdgpu_code_object_destroy(object);
    return NULL;
}

void amdgpu_code_object_destroy(struct amdgpu_code_object *object)
{
    if (!object)
        return;
    free(object->segments);
    free(object->sections);
    free(object->entries);
    free(object->symbols);
    free(object->relocations);
    free(object);
}

/* ---- target --------------------------------------------------------------------------------- */

const char *amdgpu_code_object_target(const struct amdgpu_code_object *object)
{
    return object->target;
}

enum amdgpu_feature amdgpu_code_object_xnack(const struct amdgpu_code_object *object)
{
    return object->xnack;
}

enum amdgpu_feature amdgpu_code_object_sramecc(const struct amdgpu_code_object *object)
{
    return object->sramecc;
}

unsigned amdgpu_code_object_version(const struct amdgpu_code_object *object)
{
    return object->version;
}

static bool generic_runs(const struct amdgpu_code_object *object, const char *name)
{
    static const struct {
        const char *generic, *name;
        unsigned version;
    } rows[] = {
#define AMDGPU_GENERIC(generic, processor, version) {generic, processor, version},
#include "amdgpu_generic.def"
#undef AMDGPU_GENERIC
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(object->target, rows[i].generic) == 0 && strcmp(name, rows[i].name) == 0)
            return object->version >= 6 && object->generic_version >= rows[i].version;
    return false;
}

static bool agrees(enum amdgpu_feature feature, bool on)
{
    return feature == AMDGPU_FEATURE_UNSUPPORTED || feature == AMDGPU_FEATURE_ANY ||
           (feature == AMDGPU_FEATURE_ON) == on;
}

bool amdgpu_code_object_fits(const struct amdgpu_code_object *object,
                             const struct amdgpu_model *model)
{
    if (!object->target || !agrees(object->xnack, model->xnack) ||
        !agrees(object->sramecc, model->sramecc))
        return false;
    return object->generic ? generic_runs(object, model->name)
                           : strcmp(object->target, model->name) == 0;
}

/* ---- symbols --------------------------------------------------------------------------------- */

size_t amdgpu_code_object_symbol_count(const struct amdgpu_code_object *object)
{
    return object->symbol_count;
}

const struct amdgpu_code_symbol *amdgpu_code_object_symbol(const struct amdgpu_code_object *object,
                                                           size_t index)
{
    return index < object->symbol_count ? &object->symbols[index] : NULL;
}

size_t amdgpu_code_object_span(const struct amdgpu_code_object *object)
{
    return object->span;
}

size_t amdgpu_code_object_end(const struct amdgpu_code_object *object)
{
    return object->end;
}

/* ---- loading ----------------------------------------------------------------------- */

struct image {
    const struct amdgpu_code_object *object;
    unsigned char *view;
    uint64_t address;
    bool (*define)(void *data, const char *name, uint64_t *out_address);
    void *data;
};

static void copy_segments(const struct image *image)
{
    const struct amdgpu_code_object *object = image->object;
    memset(image->view, 0, object->span);
    for (size_t i = 0; i < object->segment_count; i++) {
        const Elf64_Phdr *segment = &object->segments[i];
        memcpy(image->view + segment->p_vaddr, object->bytes + segment->p_offset,
               segment->p_filesz);
    }
}

/* The address of entry number index of the symbol table; the first one stands for no symbol. */
static const char *resolve(const struct image *image, size_t index, uint64_t *out_address)
{
    const struct amdgpu_code_object *object = image->object;
    *out_address = 0;
    if (index == 0)
        return NULL;
    if (index >= object->entry_count)
        return "a relocation refers to a symbol that does not exist";
    const Elf64_Sym *entry = &object->entries[index];
    if (entry->st_shndx == SHN_ABS) {
        *out_address = entry->st_value;
    } else if (entry->st_shndx != SHN_UNDEF) {
        *out_address = image->address + entry->st_value;
    } else if (!image->define ||
               !image->define(image->data, amdgpu_elf_name(object, entry), out_address)) {
        *out_address = 0; /* allowed for weak symbols */
        return ELF64_ST_BIND(entry->st_info) == STB_WEAK ? NULL : "a symbol is not defined";
    }
    return NULL;
}

/* Bytes that a relocation writes; 0: code objects do not have relocations of its type. */
static size_t width_of(unsigned type)
{
    switch (type) {
    case R_AMDGPU_ABS32_LO:
    case R_AMDGPU_ABS32_HI:
    case R_AMDGPU_ABS32:
    case R_AMDGPU_REL32:
        return 4;
    case R_AMDGPU_ABS64:
    case R_AMDGPU_REL64:
    case R_AMDGPU_RELATIVE64:
        return 8;
    default:
        return 0;
    }
}

static uint64_t value_of(unsigned type, uint64_t symbol, uint64_t place, uint64_t base)
{
    switch (type) {
    case R_AMDGPU_ABS32_HI:
        return symbol >> 32;
    case R_AMDGPU_REL32:
    case R_AMDGPU_REL64:
        return symbol - place;
    case R_AMDGPU_RELATIVE64:
        return symbol + base;
    default:
        return symbol;
    }
}

static const char *relocate(const struct image *image, const Elf64_Rela *relocation)
{
    unsigned type = (unsigned)ELF64_R_TYPE(relocation->r_info);
    size_t width = width_of(type), span = image->object->span;
    uint64_t symbol;
    if (type == R_AMDGPU_NONE)
        return NULL;
    if (width == 0)
        return "a relocation has an unknown type";
    if (relocation->r_offset > span || width > span - relocation->r_offset)
        return "a relocation lies outside of all segments";
    const char *why = resolve(image, ELF64_R_SYM(relocation->r_info), &symbol);
    if (why)
        return why;
    uint64_t value = value_of(type, symbol + (uint64_t)relocation->r_addend,
                              image->address + relocation->r_offset, image->address);
    memcpy(image->view + relocation->r_offset, &value, width); /* little-endian, like the host */
    return NULL;
}

bool amdgpu_code_object_load(const struct amdgpu_code_object *object, unsigned char *view,
                             uint64_t address,
                             bool (*define)(void *data, const char *name, uint64_t *out_address),
                             void *data, const char **out_reason)
{
    struct image image = {object, view, address, define, data};
    *out_reason = NULL;
    copy_segments(&image);
    for (size_t i = 0; i < object->relocation_count && !*out_reason; i++)
        *out_reason = relocate(&image, &object->relocations[i]);
    return !*out_reason;
}
