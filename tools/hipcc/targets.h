/* The GPU architectures images are made for: their spelling, what each needs of the
 * compiler, which ones are made when the command line names none. */
#ifndef AH_HIPCC_TARGETS_H
#define AH_HIPCC_TARGETS_H

#include <stdbool.h>

#include "request.h"
#include "text.h"
#include "toolchain.h"

struct ah_target {
    const char *arch; /* gfx90a:xnack+, sm_70 */
    bool nvidia;
    const char *ptx;    /* NVIDIA: the PTX level's feature, "+ptx70" */
    const char *triple; /* amdgcn-amd-amdhsa, nvptx64-nvidia-cuda */
    const char *bundle; /* its entry in a bundle: hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+ */
    const char *file;   /* for file names: hip-amdgcn-amd-amdhsa-gfx90a-xnack-on */
};

struct ah_targets {
    struct ah_target *at;
    size_t count;
};

/* The targets of the request: those named, or those of ANYHIP_OFFLOAD_ARCH, or the defaults;
 * "native" is replaced by the devices of this machine, "all" by what clang knows (toolchain; NULL:
 * clang 22). False after a message. */
bool ah_targets_choose(const struct ah_request *request, const struct ah_toolchain *toolchain,
                       struct ah_targets *out_targets);

/* One target by name; false, without a message, if it is not the name of an architecture. */
bool ah_target_named(const char *arch, struct ah_target *out_target);

/* Pushes the architectures of the devices of this machine, none when there is none or it cannot be
 * told. kfd is the folder of the AMD kernel driver's topology, NULL for the usual one. */
void ah_targets_of_machine(const char *kfd, struct ah_strings *out_archs);

#endif
