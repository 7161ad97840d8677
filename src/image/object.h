/* Device code inside host objects, as clang puts it there for relocatable device code: LLVM's
 * offload binaries in the section .llvm.offloading, or parts of a bundle in sections of their own
 * (__CLANG_OFFLOAD_BUNDLE__ and the label). The bytes may be anything at all. */
#ifndef AH_OBJECT_H
#define AH_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct ah_object {
    const unsigned char *data;
    size_t size;
    size_t section;              /* the next one */
    const unsigned char *packed; /* offload binaries that are not read yet */
    size_t packed_size;
    bool damaged; /* by what was read so far */
};

struct ah_object_part {
    const void *data;
    size_t size;
    char label[128]; /* ends with the architecture: "gfx90a:xnack-", "sm_70" */
};

/* False: not an ELF file for a host. */
bool ah_object_open(struct ah_object *object, const void *data, size_t size);

/* The next part. False: there are no more. */
bool ah_object_next(struct ah_object *object, struct ah_object_part *out);

/* The section of that name. False: there is none, or it does not lie inside the file. */
bool ah_object_section(const struct ah_object *object, const char *name, const void **out_data,
                       size_t *out_size);

#endif
