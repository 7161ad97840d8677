/* Texels: the layout of up to four components in memory, and their values in registers. For image
 * instructions and for those who create descriptors. */
#ifndef AMDGPU_TEXEL_H
#define AMDGPU_TEXEL_H

#include "amdgpu_inst.h"

/* Bits of the parts, the last named is the lowest; numbers are gfx9's. */
enum amdgpu_parts {
    AMDGPU_PARTS_NONE = 0,
    AMDGPU_PARTS_8 = 1,
    AMDGPU_PARTS_16 = 2,
    AMDGPU_PARTS_8_8 = 3,
    AMDGPU_PARTS_32 = 4,
    AMDGPU_PARTS_16_16 = 5,
    AMDGPU_PARTS_10_11_11 = 6,
    AMDGPU_PARTS_11_11_10 = 7,
    AMDGPU_PARTS_10_10_10_2 = 8,
    AMDGPU_PARTS_2_10_10_10 = 9,
    AMDGPU_PARTS_8_8_8_8 = 10,
    AMDGPU_PARTS_32_32 = 11,
    AMDGPU_PARTS_16_16_16_16 = 12,
    AMDGPU_PARTS_32_32_32 = 13,
    AMDGPU_PARTS_32_32_32_32 = 14,
    AMDGPU_PARTS_5_6_5 = 16,
    AMDGPU_PARTS_1_5_5_5 = 17,
    AMDGPU_PARTS_5_5_5_1 = 18,
    AMDGPU_PARTS_4_4_4_4 = 19,
    AMDGPU_PARTS_COUNT
};

/* How a part is read; numbers are gfx9's. */
enum amdgpu_number {
    AMDGPU_NUMBER_UNORM = 0,
    AMDGPU_NUMBER_SNORM = 1,
    AMDGPU_NUMBER_USCALED = 2,
    AMDGPU_NUMBER_SSCALED = 3,
    AMDGPU_NUMBER_UINT = 4,
    AMDGPU_NUMBER_SINT = 5,
    AMDGPU_NUMBER_FLOAT = 7,
    AMDGPU_NUMBER_SRGB = 9,
    AMDGPU_NUMBER_COUNT
};

struct amdgpu_texel_format {
    unsigned char parts, number; /* enum amdgpu_parts, enum amdgpu_number */
};

/* What a component of the result is taken from; as encoded. */
enum amdgpu_select {
    AMDGPU_SELECT_0 = 0,
    AMDGPU_SELECT_1 = 1,
    AMDGPU_SELECT_X = 4,
    AMDGPU_SELECT_Y,
    AMDGPU_SELECT_Z,
    AMDGPU_SELECT_W
};

/* Bytes of a texel, 0: no such format, or one that is not simulated. */
unsigned amdgpu_texel_bytes(struct amdgpu_texel_format format);
unsigned amdgpu_texel_components(struct amdgpu_texel_format format);
/* Whether components are integers, not floats. */
static inline bool amdgpu_texel_is_integer(struct amdgpu_texel_format format)
{
    return format.number == AMDGPU_NUMBER_UINT || format.number == AMDGPU_NUMBER_SINT;
}
/* Components as 32 bits each, floats or integers; those that the format has not are 0, the fourth
 * is 1. */
void amdgpu_texel_load(struct amdgpu_texel_format format, const unsigned char *texel,
                       uint32_t out_components[4]);
/* The reverse; what is out of range becomes the nearest that is in. */
void amdgpu_texel_store(struct amdgpu_texel_format format, const uint32_t components[4],
                        unsigned char *out_texel);
/* Out of the components of a texel those that selects say, and for stores the reverse: a
 * component of the texel is the first that is taken from it. */
void amdgpu_texel_select(const unsigned char selects[4], bool integer, const uint32_t texel[4],
                         uint32_t out_result[4]);
void amdgpu_texel_unselect(const unsigned char selects[4], const uint32_t result[4],
                           uint32_t out_texel[4]);

/* Formats by the number of gfx10 and gfx11, and back. False, -1: there is none. */
bool amdgpu_texel_numbered(enum amdgpu_family family, unsigned number,
                           struct amdgpu_texel_format *out_format);
int amdgpu_texel_number(enum amdgpu_family family, struct amdgpu_texel_format format);

#endif
