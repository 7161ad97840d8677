/* Containers of code for several sides. LLVM's offload binary, version 1, carries device bitcode of
 * relocatable device code inside a host object, in the section .llvm.offloading; several may follow
 * one another, as after a partial link. A bundle of text holds the assembly or LLVM text of the
 * host and of devices, one after the other between lines of comment. */
#ifndef AH_HIPCC_OFFLOAD_H
#define AH_HIPCC_OFFLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

struct ah_offload_image {
    const char *triple, *arch;
    const void *data;
    size_t size;
};

struct ah_offload_images {
    struct ah_offload_image *at;
    size_t count, capacity;
};

/* The container with these images, all of them LLVM bitcode of HIP. */
void *ah_offload_write(const struct ah_offload_images *images, size_t *out_size);

/* Pushes the images of every container in data (their bytes stay there). False when data is
 * damaged; what was read before the damage is kept. */
bool ah_offload_read(const void *data, size_t size, struct ah_offload_images *images);

/* What a bundle of text (NUL-terminated) has for the host, or NULL when text is no such bundle. */
const char *ah_offload_host_text(const char *text);

void ah_offload_push(struct ah_offload_images *images, struct ah_offload_image image);

#endif
