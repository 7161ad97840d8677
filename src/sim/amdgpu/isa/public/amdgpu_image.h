/* Descriptors of images and samplers of gfx9 and gfx11, of eight and four dwords. Only what is
 * simulated can be encoded or decoded: linear images, on gfx11 also with levels, which have half the
 * size of the level before them. */
#ifndef AMDGPU_IMAGE_H
#define AMDGPU_IMAGE_H

#include "amdgpu_texel.h"

enum { AMDGPU_IMAGE_WORDS = 8, AMDGPU_SAMPLER_WORDS = 4, AMDGPU_IMAGE_ALIGN = 256 };
enum { AMDGPU_LEVELS_MAX = 16 };

enum amdgpu_image_type { /* as encoded */
                         AMDGPU_IMAGE_1D = 8,
                         AMDGPU_IMAGE_2D = 9,
                         AMDGPU_IMAGE_3D = 10,
                         AMDGPU_IMAGE_1D_ARRAY = 12,
                         AMDGPU_IMAGE_2D_ARRAY = 13,
};

struct amdgpu_image {
    uint64_t address; /* a multiple of AMDGPU_IMAGE_ALIGN */
    enum amdgpu_image_type type;
    struct amdgpu_texel_format format;
    unsigned char selects[4]; /* enum amdgpu_select */
    uint32_t width, height,
        depth;          /* depth: of 3D, or layers; dimensions that a type does not have are 1 */
    uint32_t first;     /* the layer with number 0; not counted in depth */
    uint32_t row_pitch; /* bytes */
    uint64_t slice_pitch;
    /* Levels in memory, at least 1, and those that the descriptor shows. Of several, the sizes and
     * pitches above are those of level 0; see amdgpu_image_level. */
    unsigned char levels, first_level, last_level;
};

/* The row pitch of images whose descriptors do not contain one: gfx11's 3D images and arrays. */
static inline uint32_t amdgpu_image_pitch(uint32_t width, unsigned texel_bytes)
{
    return (width * texel_bytes + 255u) / 256u * 256u;
}

/* A level that the descriptor shows, 0 the first of them, as an image with one level. Every slice has
 * all levels, the smallest first, whose rows have the pitch of amdgpu_image_pitch. */
struct amdgpu_image amdgpu_image_level(const struct amdgpu_image *image, unsigned level);

/* False: a descriptor cannot express the image. slice_pitch is not encoded. */
bool amdgpu_image_encode(enum amdgpu_isa isa, const struct amdgpu_image *image,
                         uint32_t out_words[AMDGPU_IMAGE_WORDS]);
/* Returns NULL, or an error message: "is tiled". */
const char *amdgpu_image_decode(enum amdgpu_isa isa, const uint32_t words[AMDGPU_IMAGE_WORDS],
                                struct amdgpu_image *out_image);

enum amdgpu_clamp { /* as encoded */
                    AMDGPU_CLAMP_WRAP,
                    AMDGPU_CLAMP_MIRROR,
                    AMDGPU_CLAMP_EDGE,
                    AMDGPU_CLAMP_MIRROR_ONCE_EDGE,
                    AMDGPU_CLAMP_HALF_BORDER,
                    AMDGPU_CLAMP_MIRROR_ONCE_HALF_BORDER,
                    AMDGPU_CLAMP_BORDER,
                    AMDGPU_CLAMP_MIRROR_ONCE_BORDER,
};
enum amdgpu_border { AMDGPU_BORDER_NOTHING, AMDGPU_BORDER_BLACK, AMDGPU_BORDER_WHITE };

/* What is read of several levels, as encoded. */
enum amdgpu_between { AMDGPU_FIRST_LEVEL, AMDGPU_NEAREST_LEVEL, AMDGPU_BETWEEN_LEVELS };

struct amdgpu_sampler {
    unsigned char clamp[3]; /* enum amdgpu_clamp: of x, y, z */
    unsigned char border;   /* enum amdgpu_border */
    unsigned char compare;  /* 0 never, 1 <, 2 ==, 3 <=, 4 >, 5 !=, 6 >=, 7 always */
    bool unnormalized, magnify_linear, minify_linear;
    unsigned char levels; /* enum amdgpu_between */
    float least_lod, most_lod, bias;
};
void amdgpu_sampler_encode(enum amdgpu_isa isa, const struct amdgpu_sampler *sampler,
                           uint32_t out_words[AMDGPU_SAMPLER_WORDS]);
const char *amdgpu_sampler_decode(enum amdgpu_isa isa, const uint32_t words[AMDGPU_SAMPLER_WORDS],
                                  struct amdgpu_sampler *out_sampler);

#endif
