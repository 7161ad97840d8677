/* What the files of image instructions and typed buffers share; nobody else but the emitter of
 * memory instructions includes it.
 *
 * An op of these has: inst, all of the instruction; bits, the instruction set; offset_bytes,
 * for atomics the row of what they do. */
#ifndef AMDGPU_MIMG_H
#define AMDGPU_MIMG_H

#include "amdgpu_access.h"
#include "amdgpu_image.h"

/* An image as an instruction sees it, and where its address has what: numbers of words. */
struct amdgpu_view {
    struct amdgpu_image image;
    enum amdgpu_dim dim;
    unsigned offset, bias, reference, gradients, body;
    bool half_gradients;
};
/* Reads the descriptor. False: it, or the instruction, cannot be; that was reported. */
bool amdgpu_view_open(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      struct amdgpu_view *out_view);
unsigned amdgpu_dim_coordinates(enum amdgpu_dim dim);
/* A word of a lane's address. */
uint32_t amdgpu_view_word(const struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                          unsigned word);
/* The part of the body of a lane's address: coordinates, then the level. Halves of words with a16,
 * then in the lower 16 bits. */
uint32_t amdgpu_view_body(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          const struct amdgpu_view *view, unsigned lane, unsigned index);

/* Texels of lanes, of those in valid. */
struct amdgpu_texels {
    uint64_t valid;
    uint32_t x[AMDGPU_LANES_MAX], y[AMDGPU_LANES_MAX], z[AMDGPU_LANES_MAX];
    uint32_t components[AMDGPU_LANES_MAX][4];
};
/* False: out of reach, which was reported. */
bool amdgpu_texels_load(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                        const struct amdgpu_image *image, struct amdgpu_texels *texels);

/* Writes those components of a result that dmask names, or all, to the lane's registers. */
void amdgpu_image_give(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                       unsigned dmask, bool integer, const uint32_t result[4]);
/* Instructions that take a sampler; amdgpu_sample.c. */
const struct amdgpu_op *amdgpu_run_sample(struct amdgpu_wave *wave, const struct amdgpu_op *op);

/* An access of elements of 1, 2, 4, 8, 12 or 16 bytes of global memory, for amdgpu_reach_each. */
const struct amdgpu_access *amdgpu_element_access(unsigned bytes, bool write);
/* Copies an element from or to memory that others may be at. */
void amdgpu_element_copy(unsigned char *to, const unsigned char *from, unsigned bytes);
/* Reports what an instruction cannot be executed for; returns NULL. */
const struct amdgpu_op *amdgpu_image_refuse(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                            const char *what, const char *why);

/* ---- emitters --------------------------------------------------------------------------- */

bool amdgpu_emit_image(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
bool amdgpu_emit_image_atomic(const struct amdgpu_inst *inst, struct amdgpu_op *op);
/* Buffers whose elements have a format. */
bool amdgpu_emit_typed(const struct amdgpu_inst *inst, struct amdgpu_op *op);

/* ---- elements of memory ------------------------------------------------------------------ */

/* What a check has to say of elements that were found; true where none is on. */
bool amdgpu_check_elements(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                           const struct amdgpu_places *places);
/* An image's atomic on lanes of exec. */
void amdgpu_atomic_at(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct amdgpu_places *places, uint64_t exec);

#endif
