/* What can be told of LLVM bitcode without LLVM. The bytes may be anything at all. */
#ifndef AH_BITCODE_H
#define AH_BITCODE_H

#include <stdbool.h>
#include <stddef.h>

/* What data is, by its first bytes. */
enum ah_container {
    AH_CONTAINER_NONE,
    AH_CONTAINER_BITCODE,
    AH_CONTAINER_BUNDLE,  /* clang's offload bundle, compressed or not */
    AH_CONTAINER_ARCHIVE, /* ar */
};
enum ah_container ah_bitcode_container(const void *data, size_t size);

/* Whether the bitcode, or its text, names the target: "nvptx", "amdgcn". */
bool ah_bitcode_names_target(const void *data, size_t size, const char *target);

#endif
