/* The contents of device binaries: containers are unpacked, images are recognised by content.
 *
 * Understood containers: clang's offload bundle (plain, and compressed "CCOB"
 * versions 1 to 3 with zlib or zstd). Understood images: AMDGPU ELF, CUDA ELF
 * (cubin), PTX text, CUDA fatbin. The label in a bundle is kept for people to
 * read, never believed: clang labels a cubin "hip-amdgcn-amd-amdhsa--sm_80". */
#ifndef AH_IMAGE_H
#define AH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ah_image_kind {
    AH_IMAGE_UNKNOWN,
    AH_IMAGE_HOST, /* the empty entry every bundle starts with */
    AH_IMAGE_AMDGPU,
    AH_IMAGE_CUBIN,
    AH_IMAGE_PTX,
    AH_IMAGE_CUDA_FATBIN,
    AH_IMAGE_SPIRV,
};

/* A target feature of an AMDGPU code object (xnack, sramecc). */
enum ah_image_feature {
    AH_FEATURE_UNSUPPORTED, /* the processor does not have it */
    AH_FEATURE_ANY,         /* runs with it on or off */
    AH_FEATURE_OFF,
    AH_FEATURE_ON,
};

struct ah_image {
    enum ah_image_kind kind;
    const unsigned char *data; /* inside the container or its decompressed copy */
    size_t size;               /* bytes; of PTX without its final NUL */
    bool unbounded;  /* an ELF file of unknown size with false tables: all memory there is */
    char label[128]; /* the entry's name in the bundle, "" outside one */
    char target[48]; /* "gfx90a:sramecc+:xnack-", "sm_70", "" when unknown */

    /* AMDGPU */
    char processor[24]; /* "gfx90a", "gfx9-4-generic" */
    enum ah_image_feature xnack, sramecc;
    int code_object_version;  /* 2 to 6 */
    unsigned generic_version; /* of the generic target that the code is for, from 1; else 0 */

    /* CUDA */
    unsigned sm;          /* 70, 90, 100 */
    char sm_suffix;       /* 'a' or 'f' for a target of one architecture, else 0 */
    unsigned ptx_version; /* 70 for PTX 7.0 */
};

struct ah_images {
    struct ah_image *items;
    size_t count;
    void *decompressed; /* owned; what items point into when the container was compressed */
};

enum { AH_IMAGE_ERROR_SIZE = 160 };

/* Unpacks data. size may be SIZE_MAX when the caller does not know it: it is then bounded by the
 * memory that can be read at data. The images point into data, which must outlive them. On failure
 * returns false with the reason, in words for a log line, in out_error; out is zeroed. */
bool ah_images_open(struct ah_images *out, const void *data, size_t size,
                    char out_error[AH_IMAGE_ERROR_SIZE]);

/* Frees the results of ah_images_open; accepts a zeroed struct. */
void ah_images_close(struct ah_images *images);

/* Identifies one image that is not a container. Never fails: what is not
 * recognised is AH_IMAGE_UNKNOWN. size as for ah_images_open. */
void ah_image_identify(struct ah_image *out, const void *data, size_t size);

/* The size of a CUDA fatbin as its header has it, which may be more than size; UINT64_MAX: it does
 * not fit. False: data does not begin as a fatbin. */
bool ah_read_fatbin_size(const void *data, size_t size, uint64_t *out_size);

/* Finds the next managed variable that the image defines, from *at (first 0) on: a name with a
 * companion `name.managed`. A name may come several times, and one that only looks so may come.
 * False: there is no other. Reads PTX and AMDGPU code objects. */
bool ah_image_next_managed(const struct ah_image *image, size_t *at, const char **out_name,
                           size_t *out_length);

const char *ah_image_kind_name(enum ah_image_kind kind);

/* A line for people: each image's kind and target. To be freed; NULL without memory. */
char *ah_images_describe(const struct ah_images *images);

#endif
