/* Recognises an image from its bytes, and describes images. */
#include "image.h"
#include "image_read.h"
#include "readable.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MACHINE_CUDA = 190,
    MACHINE_AMDGPU = 224,
    ABI_CUDA_V2 = 8, /* cubins of CUDA 13 keep the architecture in bits 8 to 15 */
    SPIRV_MAGIC = 0x07230203,
    PTX_HEADER_MAX = 4096, /* comments and directives before .target */
};

enum { XNACK = 1, SRAMECC = 2, VERSION_6 = 4, GENERIC_VERSION_SHIFT = 24 };

static const char *amdgpu_processor(unsigned mach, unsigned *out_features)
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
        return "";
    }
}

/* Of code objects of version 3: one bit each, no "any". */
static enum ah_image_feature feature_of_bit(bool has, unsigned bit)
{
    return !has ? AH_FEATURE_UNSUPPORTED : bit ? AH_FEATURE_ON : AH_FEATURE_OFF;
}

static const char *feature_suffix(enum ah_image_feature feature, const char *on, const char *off)
{
    return feature == AH_FEATURE_ON ? on : feature == AH_FEATURE_OFF ? off : "";
}

static void identify_amdgpu(struct ah_image *image, const Elf64_Ehdr *header)
{
    unsigned abi = header->e_ident[EI_ABIVERSION], features;
    image->kind = AH_IMAGE_AMDGPU;
    image->code_object_version = (int)abi + 2;
    if (abi == 0) /* version 2 has the processor in another place */
        return;
    snprintf(image->processor, sizeof image->processor, "%s",
             amdgpu_processor(header->e_flags & 0xff, &features));
    if (abi >= VERSION_6)
        image->generic_version = header->e_flags >> GENERIC_VERSION_SHIFT;
    if (abi == 1) {
        image->xnack = feature_of_bit(features & XNACK, header->e_flags & 0x100);
        image->sramecc = feature_of_bit(features & SRAMECC, header->e_flags & 0x200);
    } else {
        image->xnack = (enum ah_image_feature)(header->e_flags >> 8 & 3);
        image->sramecc = (enum ah_image_feature)(header->e_flags >> 10 & 3);
    }
    snprintf(image->target, sizeof image->target, "%s%s%s", image->processor,
             feature_suffix(image->sramecc, ":sramecc+", ":sramecc-"),
             feature_suffix(image->xnack, ":xnack+", ":xnack-"));
}

static void identify_cubin(struct ah_image *image, const Elf64_Ehdr *header)
{
    image->kind = AH_IMAGE_CUBIN;
    image->sm = header->e_ident[EI_ABIVERSION] >= ABI_CUDA_V2 ? header->e_flags >> 8 & 0xff
                                                              : header->e_flags & 0xff;
    snprintf(image->target, sizeof image->target, "sm_%u", image->sm);
}

/* Extends *end to count bytes at offset, if these are within size bytes. */
static void extend(uint64_t *end, uint64_t offset, uint64_t count, uint64_t size)
{
    if (offset <= size && count <= size - offset && offset + count > *end)
        *end = offset + count;
}

/* The end of the contents that the headers of an ELF file list. */
static size_t elf_size(const unsigned char *data, size_t size, bool *out_unbounded)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    Elf64_Phdr segment;
    memcpy(&header, data, sizeof header);
    uint64_t end = sizeof header;
    uint64_t sections = header.e_shentsize == sizeof section ? header.e_shnum : 0;
    uint64_t segments = header.e_phentsize == sizeof segment ? header.e_phnum : 0;
    *out_unbounded = (sections == 0 && segments == 0) || header.e_shoff > size ||
                     header.e_phoff > size || sections * sizeof section > size - header.e_shoff ||
                     segments * sizeof segment > size - header.e_phoff;
    if (*out_unbounded)
        return size;
    extend(&end, header.e_shoff, sections * sizeof section, size);
    extend(&end, header.e_phoff, segments * sizeof segment, size);
    for (uint64_t i = 0; i < sections; i++) {
        memcpy(&section, data + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS)
            extend(&end, section.sh_offset, section.sh_size, size);
    }
    for (uint64_t i = 0; i < segments; i++) {
        memcpy(&segment, data + header.e_phoff + i * sizeof segment, sizeof segment);
        extend(&end, segment.p_offset, segment.p_filesz, size);
    }
    return (size_t)end;
}

static bool identify_elf(struct ah_image *image, bool size_known)
{
    Elf64_Ehdr header;
    if (image->size < sizeof header || memcmp(image->data, ELFMAG, SELFMAG) != 0 ||
        image->data[EI_CLASS] != ELFCLASS64)
        return false;
    memcpy(&header, image->data, sizeof header);
    if (header.e_machine == MACHINE_AMDGPU)
        identify_amdgpu(image, &header);
    else if (header.e_machine == MACHINE_CUDA)
        identify_cubin(image, &header);
    if (!size_known)
        image->size = elf_size(image->data, image->size, &image->unbounded);
    return true;
}

/* PTX starts with comments and blank lines, then ".version M.m", then ".target sm_NN[af]". */
static bool identify_ptx(struct ah_image *image)
{
    char head[PTX_HEADER_MAX + 1];
    size_t length = strnlen((const char *)image->data,
                            image->size < PTX_HEADER_MAX ? image->size : PTX_HEADER_MAX);
    memcpy(head, image->data, length);
    head[length] = '\0';

    const char *at = ah_skip_ptx_space(head);
    char major[4], minor[4], sm[5], suffix = 0;
    int used = 0;
    if (sscanf(at, ".version %3[0-9].%3[0-9]%n", major, minor, &used) < 2 || used == 0)
        return false;
    image->kind = AH_IMAGE_PTX;
    image->ptx_version = (unsigned)(atoi(major) * 10 + atoi(minor));
    at = ah_skip_ptx_space(at + used);
    if (sscanf(at, ".target sm_%4[0-9]%c", sm, &suffix) >= 1) {
        image->sm = (unsigned)atoi(sm);
        image->sm_suffix = suffix == 'a' || suffix == 'f' ? suffix : 0;
        snprintf(image->target, sizeof image->target, "sm_%u%.1s", image->sm,
                 image->sm_suffix ? &suffix : "");
    }
    image->size = strnlen((const char *)image->data, image->size);
    return true;
}

static bool identify_cuda_fatbin(struct ah_image *image, bool size_known)
{
    uint64_t whole;
    if (!ah_read_fatbin_size(image->data, image->size, &whole))
        return false;
    image->kind = AH_IMAGE_CUDA_FATBIN;
    if (!size_known && whole <= image->size)
        image->size = (size_t)whole;
    return true;
}

void ah_image_identify(struct ah_image *out, const void *data, size_t size)
{
    bool size_known = size != SIZE_MAX;
    *out = (struct ah_image){.data = data, .size = size};
    if (!size_known)
        out->size = ah_memory_readable(data);
    uint32_t word = 0;
    if (out->size >= sizeof word)
        memcpy(&word, data, sizeof word);
    if (out->size == 0)
        out->kind = AH_IMAGE_HOST;
    else if (word == SPIRV_MAGIC)
        out->kind = AH_IMAGE_SPIRV;
    else if (!identify_elf(out, size_known) && !identify_cuda_fatbin(out, size_known))
        identify_ptx(out);
}

const char *ah_image_kind_name(enum ah_image_kind kind)
{
    switch (kind) {
    case AH_IMAGE_HOST:
        return "host";
    case AH_IMAGE_AMDGPU:
        return "AMDGPU code object";
    case AH_IMAGE_CUBIN:
        return "cubin";
    case AH_IMAGE_PTX:
        return "PTX";
    case AH_IMAGE_CUDA_FATBIN:
        return "CUDA fatbin";
    case AH_IMAGE_SPIRV:
        return "SPIR-V";
    case AH_IMAGE_UNKNOWN:
        break;
    }
    return "unknown";
}

char *ah_images_describe(const struct ah_images *images)
{
    char *text = NULL;
    size_t size = 0, shown = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < images->count; i++) {
        const struct ah_image *image = &images->items[i];
        if (image->kind == AH_IMAGE_HOST)
            continue;
        fprintf(out, "%s%s", shown++ ? ", " : "", ah_image_kind_name(image->kind));
        if (*image->target)
            fprintf(out, " %s", image->target);
        if (image->kind == AH_IMAGE_PTX)
            fprintf(out, " (PTX %u.%u)", image->ptx_version / 10, image->ptx_version % 10);
    }
    if (!shown)
        fputs("no device image", out);
    fclose(out);
    return text;
}
