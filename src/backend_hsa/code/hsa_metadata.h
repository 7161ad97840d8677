/* Private to the code room: the metadata of an AMDGPU code object (versions 3 and later), which
 * the compiler writes as a MessagePack note of the ELF file. Any bytes can be parsed safely. */
#ifndef AHHSA_METADATA_H
#define AHHSA_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ahhsa_value {
#define HSA_VALUE(kind, name) AHHSA_VALUE_##kind,
#include "hsa_values.def"
#undef HSA_VALUE
    AHHSA_VALUE_UNKNOWN, /* not in the table */
};

/* Whether the runtime supplies it, and not the caller. */
static inline bool ahhsa_value_is_hidden(enum ahhsa_value value)
{
    return value >= AHHSA_VALUE_BLOCK_COUNT_X;
}

struct ahhsa_argument {
    uint32_t offset, size; /* bytes, inside of kernarg_size */
    enum ahhsa_value value;
};

struct ahhsa_kernel_metadata {
    char *name, *symbol;              /* "kernel", "kernel.kd" */
    struct ahhsa_argument *arguments; /* explicit ones first, as the metadata orders them */
    size_t argument_count, explicit_count;
    uint32_t kernarg_size, group_size, private_size; /* bytes */
    uint32_t max_threads;                            /* of a work-group */
    uint32_t required[3];                            /* work-items of a work-group; 0: any */
    uint32_t lanes;                                  /* of a wave */
    uint32_t sgprs, vgprs, agprs;                    /* vgprs: with the agprs where they share */
    bool dynamic_stack;
};

/* A constant format of printf. */
struct ahhsa_format {
    uint64_t id;
    char *text;
};

/* The formats of a code object. Reference-counted: records of its kernels may be formatted after
 * the code is unloaded. */
struct ahhsa_formats {
    _Atomic unsigned references;
    size_t count;
    struct ahhsa_format *list;
};

struct ahhsa_metadata {
    unsigned major, minor; /* amdhsa.version */
    struct ahhsa_kernel_metadata *kernels;
    size_t kernel_count;
    struct ahhsa_formats *formats;
};

/* Reads the metadata of an ELF file. On failure returns false, *out_reason says why, and out is
 * zeroed. The result does not point into the file. */
bool ahhsa_metadata_read(struct ahhsa_metadata *out, const void *elf, size_t size,
                         const char **out_reason);

/* The same from the MessagePack of the note. */
bool ahhsa_metadata_parse(struct ahhsa_metadata *out, const void *note, size_t size,
                          const char **out_reason);

struct ahhsa_formats *ahhsa_formats_retain(struct ahhsa_formats *formats);
void ahhsa_formats_release(struct ahhsa_formats *formats); /* accepts NULL */

/* Accepts a zeroed struct. */
void ahhsa_metadata_fini(struct ahhsa_metadata *metadata);

/* NULL: there is no such kernel. */
const struct ahhsa_kernel_metadata *ahhsa_metadata_kernel(const struct ahhsa_metadata *metadata,
                                                          const char *name);

#endif
