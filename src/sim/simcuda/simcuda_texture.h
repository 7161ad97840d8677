/* Arrays as textures and surfaces see them, and the objects that kernels name. */
#ifndef SIMCUDA_TEXTURE_H
#define SIMCUDA_TEXTURE_H

#include "simcuda_driver.h"

/* CUarray_format. False: the format is unknown. */
bool simcuda_channel_type(int format, enum sim_channel_type *out);

CUresult simcuda_array_new(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                           struct simcuda_array **out);

/* Of struct ptx_context. */
const struct sim_texture *simcuda_texture(struct ptx_context *context, uint64_t handle);
const struct sim_image *simcuda_surface(struct ptx_context *context, uint64_t handle);

/* ---- sparse arrays (simcuda_sparse.c) ---- */

/* Sets array->tiles, with memory for none of them. */
CUresult simcuda_tiles_create(struct simcuda_array *array);
void simcuda_tiles_destroy(struct simcuda_tiles *tiles); /* accepts NULL */
uint64_t simcuda_tiles_base(const struct simcuda_tiles *tiles);
const struct sim_tiling *simcuda_tiles_tiling(const struct simcuda_tiles *tiles);

#endif
