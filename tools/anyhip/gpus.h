/* Which GPUs an image is for, by family and product. */
#ifndef AH_ANYHIP_GPUS_H
#define AH_ANYHIP_GPUS_H

#include "image.h"

/* A row of gpus.def. */
struct ah_gpu {
    const char *architecture; /* "gfx90a", "sm_80" */
    unsigned sm;              /* 80; 0: AMD's */
    const char *family;       /* "CDNA 2" */
    const char *products; /* "Instinct MI210, MI250": separated by ", "; "" where none is known */
    bool simulated;       /* there is a simulated device of this kind */
};

const struct ah_gpu *ah_gpu_at(size_t index); /* NULL past the last */

/* Whether the GPU runs the image. A driver may still refuse it, for features such as xnack or a
 * version of PTX. */
bool ah_gpu_runs(const struct ah_gpu *gpu, const struct ah_image *image);

/* Whether a simulated device runs the image; these do not execute cubins. */
bool ah_gpu_is_simulated_for(const struct ah_image *image);

#endif
