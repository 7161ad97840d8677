/* Owns the table of GPUs. */
#include "gpus.h"

#include <string.h>

const struct ah_gpu *ah_gpu_at(size_t index)
{
    static const struct ah_gpu gpus[] = {
#define AMD_GPU(processor, family, simulated, products) {processor, 0, family, products, simulated},
#define NVIDIA_GPU(sm, family, simulated, products)     {"sm_" #sm, sm, family, products, simulated},
#include "gpus.def"
#undef AMD_GPU
#undef NVIDIA_GPU
    };
    return index < sizeof gpus / sizeof *gpus ? &gpus[index] : NULL;
}

static bool generic_covers(const struct ah_image *image, const char *processor)
{
    static const struct {
        const char *generic, *processor;
        unsigned version;
    } rows[] = {
#define AMDGPU_GENERIC(generic, processor, version) {generic, processor, version},
#include "amdgpu_generic.def"
#undef AMDGPU_GENERIC
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].generic, image->processor) == 0 &&
            strcmp(rows[i].processor, processor) == 0)
            return image->generic_version >= rows[i].version;
    return false;
}

/* PTX runs on later GPUs, a cubin on those of the same generation with a greater second number. */
static bool nvidia_runs(unsigned sm, const struct ah_image *image)
{
    bool same_generation = sm / 10 == image->sm / 10;
    if (image->sm == 0 || image->sm_suffix == 'a')
        return sm == image->sm;
    if (image->kind == AH_IMAGE_CUBIN || image->sm_suffix == 'f')
        return same_generation && sm >= image->sm;
    return sm >= image->sm;
}

bool ah_gpu_runs(const struct ah_gpu *gpu, const struct ah_image *image)
{
    if (image->kind == AH_IMAGE_AMDGPU)
        return gpu->sm == 0 && (strcmp(gpu->architecture, image->processor) == 0 ||
                                generic_covers(image, gpu->architecture));
    if (image->kind == AH_IMAGE_PTX || image->kind == AH_IMAGE_CUBIN)
        return gpu->sm != 0 && nvidia_runs(gpu->sm, image);
    return false;
}

bool ah_gpu_is_simulated_for(const struct ah_image *image)
{
    const struct ah_gpu *gpu;
    for (size_t i = 0; image->kind != AH_IMAGE_CUBIN && (gpu = ah_gpu_at(i)); i++)
        if (gpu->simulated && ah_gpu_runs(gpu, image))
            return true;
    return false;
}
