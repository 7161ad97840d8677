/* Encodes and decodes descriptors of images and samplers. */
#include "amdgpu_image.h"

static uint32_t field(uint32_t word, unsigned from, unsigned bits)
{
    return word >> from & ((1u << bits) - 1);
}

static bool is_array(enum amdgpu_image_type type)
{
    return type == AMDGPU_IMAGE_1D_ARRAY || type == AMDGPU_IMAGE_2D_ARRAY;
}

static bool has_layers(enum amdgpu_image_type type)
{
    return type == AMDGPU_IMAGE_3D || is_array(type);
}

static bool is_flat(enum amdgpu_image_type type)
{
    return type == AMDGPU_IMAGE_1D || type == AMDGPU_IMAGE_1D_ARRAY;
}

/* ---- images --------------------------------------------------------------------------- */

enum { SIDE_MOST = 16384, LAYERS_MOST = 8192, GFX11_PITCH_MOST = 16384, GFX9_PITCH_MOST = 65536 };

static bool encode_format(enum amdgpu_isa isa, struct amdgpu_texel_format format,
                          uint32_t *out_word1)
{
    enum amdgpu_family family = amdgpu_family_of(isa);
    int number = amdgpu_texel_number(family, format);
    if (family == AMDGPU_GFX9)
        *out_word1 |= (uint32_t)format.parts << 20 | (uint32_t)format.number << 26;
    else if (number > 0)
        *out_word1 |= (uint32_t)number << 20;
    return family == AMDGPU_GFX9 || number > 0;
}

static bool fits(enum amdgpu_isa isa, const struct amdgpu_image *image, unsigned bytes)
{
    bool gfx9 = amdgpu_family_of(isa) == AMDGPU_GFX9;
    bool pitch_is_given = gfx9 || !has_layers(image->type);
    uint32_t most = gfx9 ? GFX9_PITCH_MOST : GFX11_PITCH_MOST;
    return bytes && image->address % AMDGPU_IMAGE_ALIGN == 0 && image->address >> 48 == 0 &&
           image->width - 1 < SIDE_MOST && image->height - 1 < SIDE_MOST &&
           image->depth - 1 < LAYERS_MOST && image->first < LAYERS_MOST &&
           image->row_pitch % bytes == 0 && image->row_pitch / bytes >= image->width &&
           (pitch_is_given ? image->row_pitch / bytes <= most
                           : image->row_pitch == amdgpu_image_pitch(image->width, bytes));
}

static uint32_t shifted_up(uint32_t size, unsigned level)
{
    return (size + (1u << level) - 1) >> level;
}

static uint32_t shifted(uint32_t size, unsigned level)
{
    return size >> level ? size >> level : 1;
}

/* Bytes of a level of one slice, which is padded as if halves were rounded up. */
static uint64_t level_size(const struct amdgpu_image *image, unsigned level, uint32_t *out_pitch)
{
    *out_pitch =
        amdgpu_image_pitch(shifted_up(image->width, level), amdgpu_texel_bytes(image->format));
    return (uint64_t)*out_pitch * shifted_up(image->height, level);
}

struct amdgpu_image amdgpu_image_level(const struct amdgpu_image *image, unsigned level)
{
    struct amdgpu_image one = *image;
    unsigned at = image->first_level + level;
    uint32_t pitch;
    if (image->levels == 1)
        return one;
    one.slice_pitch = 0;
    for (unsigned i = image->levels; i-- > 0;) {
        if (i == at)
            one.address += one.slice_pitch;
        one.slice_pitch += level_size(image, i, &pitch);
    }
    (void)level_size(image, at, &one.row_pitch);
    one.width = shifted(image->width, at);
    one.height = shifted(image->height, at);
    if (image->type == AMDGPU_IMAGE_3D)
        one.depth = shifted(image->depth, at);
    one.levels = 1;
    one.first_level = one.last_level = 0;
    return one;
}

bool amdgpu_image_encode(enum amdgpu_isa isa, const struct amdgpu_image *image,
                         uint32_t out_words[AMDGPU_IMAGE_WORDS])
{
    unsigned bytes = amdgpu_texel_bytes(image->format);
    uint32_t *words = out_words, last = image->first + image->depth - 1;
    enum amdgpu_family family = amdgpu_family_of(isa);
    for (unsigned i = 0; i < AMDGPU_IMAGE_WORDS; i++)
        words[i] = 0;
    words[1] = (uint32_t)(image->address >> 40);
    if (family == AMDGPU_GFX10 || (family != AMDGPU_GFX11 && image->levels > 1) ||
        !fits(isa, image, bytes) ||
        !encode_format(isa, image->format, &words[1]))
        return false;
    words[0] = (uint32_t)(image->address >> 8);
    for (unsigned i = 0; i < 4; i++)
        words[3] |= (uint32_t)image->selects[i] << 3 * i;
    words[3] |= (uint32_t)image->type << 28;
    words[4] = has_layers(image->type) ? last : 0;
    if (family == AMDGPU_GFX9) {
        words[2] = (image->width - 1) | (image->height - 1) << 14;
        words[4] |= (image->row_pitch / bytes - 1) << 13;
        words[5] = image->first;
        return true;
    }
    words[1] |= (image->width - 1) << 30 | (image->levels - 1u) << 16;
    words[3] |= (uint32_t)image->first_level << 12 | (uint32_t)image->last_level << 16;
    words[2] = (image->width - 1) >> 2 | (image->height - 1) << 14;
    words[4] |= image->first << 16;
    if (!has_layers(image->type))
        words[4] |= image->row_pitch / bytes - 1;
    return true;
}

static const char *decode_format(enum amdgpu_isa isa, uint32_t word1,
                                 struct amdgpu_texel_format *out_format)
{
    enum amdgpu_family family = amdgpu_family_of(isa);
    *out_format = (struct amdgpu_texel_format){(unsigned char)field(word1, 20, 6),
                                               (unsigned char)field(word1, 26, 4)};
    if (family != AMDGPU_GFX9 && !amdgpu_texel_numbered(family, field(word1, 20, 8), out_format))
        return "is of a format that is not simulated";
    return amdgpu_texel_bytes(*out_format) ? NULL : "is of a format that is not simulated";
}

/* What descriptors can contain that is not simulated. */
static const char *unsupported(enum amdgpu_isa isa, const uint32_t *words)
{
    bool levels = amdgpu_family_of(isa) == AMDGPU_GFX11;
    switch (words[3] >> 28) {
    case AMDGPU_IMAGE_1D:
    case AMDGPU_IMAGE_2D:
    case AMDGPU_IMAGE_3D:
    case AMDGPU_IMAGE_1D_ARRAY:
    case AMDGPU_IMAGE_2D_ARRAY:
        break;
    case 11:
        return "is a cube, which is not simulated";
    case 14:
    case 15:
        return "has several samples per texel, which is not simulated";
    default:
        return "has a descriptor of another type";
    }
    if (field(words[3], 20, 5))
        return "is tiled: only linear images are simulated";
    if (field(words[3], 12, 8) && !levels)
        return "has mipmap levels, which are not simulated";
    return field(words[6], 21, 1) ? "is compressed, which is not simulated" : NULL;
}

const char *amdgpu_image_decode(enum amdgpu_isa isa, const uint32_t words[AMDGPU_IMAGE_WORDS],
                                struct amdgpu_image *out_image)
{
    struct amdgpu_image *image = out_image;
    bool gfx9 = amdgpu_family_of(isa) == AMDGPU_GFX9;
    const char *wrong = unsupported(isa, words);
    *image = (struct amdgpu_image){.type = words[3] >> 28,
                                   .levels = 1,
                                   .first_level = (unsigned char)field(words[3], 12, 4),
                                   .last_level = (unsigned char)field(words[3], 16, 4)};
    if (amdgpu_family_of(isa) == AMDGPU_GFX11)
        image->levels = (unsigned char)(1 + field(words[1], 16, 4));
    if (!wrong && (image->first_level > image->last_level || image->last_level >= image->levels))
        wrong = "shows levels that it does not have";
    if (!wrong)
        wrong = decode_format(isa, words[1], &image->format);
    if (wrong)
        return wrong;
    unsigned bytes = amdgpu_texel_bytes(image->format);
    image->address = (uint64_t)words[0] << 8 | (uint64_t)field(words[1], 0, 8) << 40;
    for (unsigned i = 0; i < 4; i++)
        image->selects[i] = (unsigned char)field(words[3], 3 * i, 3);
    image->width =
        1 + (gfx9 ? field(words[2], 0, 14) : words[1] >> 30 | field(words[2], 0, 12) << 2);
    image->height = is_flat(image->type) ? 1 : 1 + field(words[2], 14, 14);
    image->depth = has_layers(image->type) ? 1 + field(words[4], 0, 13) : 1;
    image->first = is_array(image->type) ? field(gfx9 ? words[5] : words[4] >> 16, 0, 13) : 0;
    if (image->first >= image->depth)
        return "has no layers: the first one is after the last one";
    image->depth -= image->first;
    if (gfx9)
        image->row_pitch = (1 + field(words[4], 13, 16)) * bytes;
    else if (has_layers(image->type))
        image->row_pitch = amdgpu_image_pitch(image->width, bytes);
    else
        image->row_pitch = (1 + field(words[4], 0, 14)) * bytes;
    image->slice_pitch = (uint64_t)image->row_pitch * image->height;
    return image->row_pitch < image->width * bytes ? "has a pitch that is less than its width"
                                                   : NULL;
}

/* ---- samplers -------------------------------------------------------------------------- */

static uint32_t fixed_lod(float lod)
{
    return lod <= 0 ? 0 : lod >= 0xfff / 256.0f ? 0xfff : (uint32_t)(lod * 256);
}

void amdgpu_sampler_encode(enum amdgpu_isa isa, const struct amdgpu_sampler *sampler,
                           uint32_t out_words[AMDGPU_SAMPLER_WORDS])
{
    uint32_t *words = out_words;
    words[0] = (uint32_t)sampler->unnormalized << 15 | (uint32_t)sampler->compare << 12;
    for (unsigned i = 0; i < 3; i++)
        words[0] |= (uint32_t)sampler->clamp[i] << 3 * i;
    words[1] = fixed_lod(sampler->least_lod) | fixed_lod(sampler->most_lod) << 12;
    (void)isa;
    words[2] = (uint32_t)sampler->magnify_linear << 20 | (uint32_t)sampler->minify_linear << 22 |
               (uint32_t)sampler->levels << 26;
    words[2] |= (uint32_t)(int32_t)(sampler->bias * 256) & 0x3fff;
    words[3] = (uint32_t)sampler->border << 30;
}

/* Fields that affect the result and are not simulated unless they have their usual value. */
static const char *unusual(enum amdgpu_isa isa, const uint32_t *words)
{
    bool skips_degamma =
        amdgpu_family_of(isa) == AMDGPU_GFX9 ? field(words[3], 12, 1) : words[0] >> 31;
    if (field(words[0], 9, 3) && (field(words[2], 21, 1) || field(words[2], 23, 1)))
        return "is anisotropic, which is not simulated";
    if (field(words[0], 20, 1) || skips_degamma)
        return "changes the conversion of sRGB, which is not simulated";
    if (field(words[0], 29, 2))
        return "uses a minimum or maximum filter, which is not simulated";
    if (words[3] >> 30 == 3)
        return "has a custom border colour, which is not simulated";
    return NULL;
}

const char *amdgpu_sampler_decode(enum amdgpu_isa isa, const uint32_t words[AMDGPU_SAMPLER_WORDS],
                                  struct amdgpu_sampler *out_sampler)
{
    struct amdgpu_sampler *sampler = out_sampler;
    *sampler = (struct amdgpu_sampler){.border = (unsigned char)(words[3] >> 30),
                                       .compare = (unsigned char)field(words[0], 12, 3),
                                       .unnormalized = field(words[0], 15, 1),
                                       .magnify_linear = field(words[2], 20, 1),
                                       .minify_linear = field(words[2], 22, 1),
                                       .least_lod = (float)field(words[1], 0, 12) / 256,
                                       .most_lod = (float)field(words[1], 12, 12) / 256};
    for (unsigned i = 0; i < 3; i++)
        sampler->clamp[i] = (unsigned char)field(words[0], 3 * i, 3);
    sampler->bias = (float)((int32_t)(field(words[2], 0, 14) << 18) >> 18) / 256;
    sampler->levels = (unsigned char)field(words[2], 26, 2);
    if (sampler->levels > AMDGPU_BETWEEN_LEVELS)
        return "chooses levels for an anisotropic filter, which is not simulated";
    return unusual(isa, words);
}
