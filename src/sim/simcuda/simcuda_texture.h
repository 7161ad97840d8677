/* Arrays as textures and surfaces see them, and the objects that kernels name. */
#ifndef SIMCUDA_TEXTURE_H
#define SIMCUDA_TEXTURE_H

#include "simcuda_driver.h"

/* CUarray_format. False: the format is unknown. */
bool simcuda_channel_type(int format, enum sim_channel_type *out);

CUresult simcuda_array_new(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                           struct simcuda_array **out);

/* The same in memory that is made already, of which the array takes ownership; NULL: its own. */
CUresult simcuda_array_in(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                          struct sim_memory *memory, struct simcuda_array **out);
/* The bytes of such an array. CUDA_ERROR_INVALID_VALUE: no such array can be. */
CUresult simcuda_array_size(const CUDA_ARRAY3D_DESCRIPTOR *shape, size_t *out_size);
/* A mipmapped array whose levels make() creates, given their number, shape and data. */
typedef CUresult simcuda_make_level(struct simcuda_context *context,
                                    const CUDA_ARRAY3D_DESCRIPTOR *shape, void *data,
                                    struct simcuda_array **out);
CUresult simcuda_mipmap_new(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                            unsigned levels, simcuda_make_level *make, void *data,
                            CUmipmappedArray *out);

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
