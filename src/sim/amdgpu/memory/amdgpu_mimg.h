/* What image instructions and typed buffers share; private to this room.
 *
 * Fields of these ops: inst, the whole instruction; bits, the instruction set; offset_bytes, for
 * atomics the row of the operation. */
#ifndef AMDGPU_MIMG_H
#define AMDGPU_MIMG_H

#include "amdgpu_access.h"
#include "amdgpu_image.h"

/* An image as an instruction accesses it, and the layout of the instruction's address, as word
 * numbers. */
struct amdgpu_view {
    struct amdgpu_image image; /* its first level */
    unsigned level_count;
    struct amdgpu_image levels[AMDGPU_LEVELS_MAX]; /* with one level, image is the only one */
    enum amdgpu_dim dim;
    unsigned offset, bias, reference, gradients, body;
    bool half_gradients;
};
/* Decodes the descriptor. False: it or the instruction is invalid, which was reported. */
bool amdgpu_view_open(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      struct amdgpu_view *out_view);
unsigned amdgpu_dim_coordinates(enum amdgpu_dim dim);
/* A word of a lane's address. */
uint32_t amdgpu_view_word(const struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                          unsigned word);
/* A component of the body of a lane's address: coordinates, then the level. With a16 components are
 * halves of words, returned in the lower 16 bits. */
uint32_t amdgpu_view_body(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          const struct amdgpu_view *view, unsigned lane, unsigned index);

/* Texels of the lanes in valid. */
struct amdgpu_texels {
    uint64_t valid;
    uint32_t x[AMDGPU_LANES_MAX], y[AMDGPU_LANES_MAX], z[AMDGPU_LANES_MAX];
    unsigned char level[AMDGPU_LANES_MAX];
    uint32_t components[AMDGPU_LANES_MAX][4];
};
static inline const struct amdgpu_image *amdgpu_view_level(const struct amdgpu_view *view,
                                                           unsigned level)
{
    return level ? &view->levels[level] : &view->image;
}
/* False: a texel is inaccessible, which was reported. */
bool amdgpu_texels_load(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                        const struct amdgpu_view *view, struct amdgpu_texels *texels);

/* Writes the components of a result that dmask selects, or all, to the lane's registers. */
void amdgpu_image_write_lane(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                             unsigned dmask, bool integer, const uint32_t result[4]);
/* Instructions that take a sampler; amdgpu_sample.c. */
const struct amdgpu_op *amdgpu_run_sample(struct amdgpu_wave *wave, const struct amdgpu_op *op);

/* The access of elements of 1, 2, 4, 8, 12 or 16 bytes of global memory, for
 * amdgpu_translate_lanes. */
const struct amdgpu_access *amdgpu_element_access(unsigned bytes, bool write);
/* Copies an element from or to memory that other threads may access. */
void amdgpu_element_copy(unsigned char *to, const unsigned char *from, unsigned bytes);
/* Reports why an instruction cannot be executed; returns NULL. */
const struct amdgpu_op *amdgpu_image_reject(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                            const char *what, const char *why);

/* ---- emitters --------------------------------------------------------------------------- */

bool amdgpu_emit_image(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
bool amdgpu_emit_image_atomic(const struct amdgpu_inst *inst, struct amdgpu_op *op);
/* Buffers with a data format. */
bool amdgpu_emit_typed(const struct amdgpu_inst *inst, struct amdgpu_op *op);

/* ---- elements of memory ------------------------------------------------------------------ */

/* Checks the accesses to elements that were translated. True: no finding. */
bool amdgpu_check_elements(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                           const struct amdgpu_places *places);
/* An image atomic on the lanes of exec. */
void amdgpu_atomic_at(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct amdgpu_places *places, uint64_t exec);

#endif
