/* Owns the conversion of code for generic targets to code for one processor. */
#include "hsa_generic.h"

#include "amdgpu_abi.h"

#include <elf.h>
#include <string.h>

enum { XNACK = 1, SRAMECC = 2, GENERIC_VERSION_SHIFT = 24 };

struct processor {
    const char *name;
    unsigned mach, features;
};

static const struct processor *find(const char *name)
{
    static const struct processor processors[] = {
#define AMDGPU_PROCESSOR(mach, name, features) {name, mach, features},
#include "amdgpu_processors.def"
#undef AMDGPU_PROCESSOR
    };
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
        if (strcmp(processors[i].name, name) == 0)
            return &processors[i];
    return NULL;
}

/* A generic target lacks a feature that some of its processors do not have. On those that have it
 * the code runs with it on or off. */
static unsigned complete_features(unsigned flags, unsigned features)
{
    if ((features & XNACK) && (flags & AMDGPU_EF_XNACK) == AMDGPU_EF_XNACK_UNSUPPORTED)
        flags |= AMDGPU_EF_XNACK_ANY;
    if ((features & SRAMECC) && (flags & AMDGPU_EF_SRAMECC) == AMDGPU_EF_SRAMECC_UNSUPPORTED)
        flags |= AMDGPU_EF_SRAMECC_ANY;
    return flags;
}

bool ahhsa_make_specific(unsigned char *elf, size_t size, const char *processor)
{
    Elf64_Ehdr header;
    const struct processor *found = find(processor);
    if (!found || size < sizeof header)
        return false;
    memcpy(&header, elf, sizeof header);
    if (header.e_ident[EI_ABIVERSION] != AMDGPU_ABI_V6 ||
        header.e_flags >> GENERIC_VERSION_SHIFT == 0)
        return false;
    unsigned features = header.e_flags & (AMDGPU_EF_XNACK | AMDGPU_EF_SRAMECC);
    header.e_ident[EI_ABIVERSION] = AMDGPU_ABI_V5;
    header.e_flags = found->mach | complete_features(features, found->features);
    memcpy(elf, &header, sizeof header);
    return true;
}
