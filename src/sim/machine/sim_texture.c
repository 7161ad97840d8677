/* Owns what a texture unit computes: addressing modes, formats, filters, levels, cubemaps. */
#include "sim_texture.h"

#include "sim_half.h"
#include "sim_memory.h"

#include <math.h>

size_t sim_channel_size(enum sim_channel_type type)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 2, 4};
    return sizes[type];
}

/* ---- texels --------------------------------------------------------------------------- */

static float from_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

/* A channel as a float from 0 or -1 to 1. */
static float scaled(enum sim_channel_type type, uint32_t bits)
{
    int32_t value = (int32_t)bits;
    switch (type) {
    case SIM_CHANNEL_U8:
        return (float)bits / 255.0f;
    case SIM_CHANNEL_U16:
        return (float)bits / 65535.0f;
    case SIM_CHANNEL_S8:
        return value <= -127 ? -1.0f : (float)value / 127.0f;
    case SIM_CHANNEL_S16:
        return value <= -32767 ? -1.0f : (float)value / 32767.0f;
    default:
        return sim_float_of(bits);
    }
}

/* A channel as a register holds it: extended to 32 bits, halves as floats. */
static uint32_t load_channel(enum sim_channel_type type, const unsigned char *from)
{
    uint16_t half;
    uint32_t word;
    switch (type) {
    case SIM_CHANNEL_U8:
        return *from;
    case SIM_CHANNEL_S8:
        return (uint32_t)(int8_t)*from;
    case SIM_CHANNEL_U16:
    case SIM_CHANNEL_S16:
    case SIM_CHANNEL_F16:
        memcpy(&half, from, sizeof half);
        if (type == SIM_CHANNEL_F16)
            return sim_bits_of(sim_widen_half(half));
        return type == SIM_CHANNEL_S16 ? (uint32_t)(int16_t)half : half;
    default:
        memcpy(&word, from, sizeof word);
        return word;
    }
}

static bool is_float(const struct sim_texture *texture)
{
    enum sim_channel_type type = texture->levels[0].type;
    return texture->as_float || type == SIM_CHANNEL_F16 || type == SIM_CHANNEL_F32;
}

static void unpack(const struct sim_texture *texture, const struct sim_image *image,
                   const unsigned char *from, uint32_t out[4])
{
    size_t size = sim_channel_size(image->type);
    for (unsigned i = 0; i < 4; i++)
        out[i] = i < 3 ? 0 : is_float(texture) ? 0x3f800000 : 1;
    for (unsigned i = 0; i < image->channels; i++) {
        out[i] = load_channel(image->type, from + i * size);
        if (!texture->as_float)
            continue;
        float value = scaled(image->type, out[i]);
        if (texture->srgb && i < 3 && image->type == SIM_CHANNEL_U8)
            value = from_srgb(value);
        out[i] = sim_bits_of(value);
    }
}

void sim_image_pack(const struct sim_image *image, const uint32_t channels[4], unsigned char *where)
{
    size_t size = sim_channel_size(image->type);
    for (unsigned i = 0; i < image->channels; i++) {
        uint32_t value = channels[i];
        if (image->type == SIM_CHANNEL_F16)
            value = sim_narrow_half(sim_float_of(value));
        memcpy(where + i * size, &value, size); /* little endian: the low bytes */
    }
}

/* ---- coordinates ------------------------------------------------------------------------ */

/* The index of a texel within size; -1: outside, the border. */
static int64_t address(enum sim_address_mode mode, int64_t index, int64_t size)
{
    if (index >= 0 && index < size)
        return index;
    switch (mode) {
    case SIM_WRAP:
        return (index % size + size) % size;
    case SIM_MIRROR:
        index = (index % (2 * size) + 2 * size) % (2 * size);
        return index < size ? index : 2 * size - 1 - index;
    case SIM_BORDER:
        return -1;
    default:
        return index < 0 ? 0 : size - 1;
    }
}

/* Repeating needs a period, which only normalized coordinates have. */
static enum sim_address_mode mode_of(const struct sim_texture *texture, unsigned dimension)
{
    enum sim_address_mode mode = texture->modes[dimension];
    return texture->normalized || mode == SIM_BORDER ? mode : SIM_CLAMP;
}

static bool read_texel(const struct sim_texture *texture, const struct sim_image *image, int device,
                       const struct sim_place *place, const int64_t index[3], uint32_t out[4],
                       uint64_t *out_address)
{
    size_t element = sim_channel_size(image->type) * image->channels;
    uint64_t steps[3] = {0};
    for (unsigned d = 0; d < place->dimensions; d++) {
        int64_t i = address(mode_of(texture, d), index[d], (int64_t)image->size[d]);
        if (i < 0) {
            memcpy(out, texture->border, sizeof texture->border);
            return true;
        }
        steps[d] = (uint64_t)i;
    }
    if (texture->layered)
        steps[2] = (uint64_t)address(SIM_CLAMP, place->layer, (int64_t)image->size[2]);
    uint64_t at = sim_image_address(image, steps[0] * element, steps[1], steps[2]);
    const unsigned char *texel = sim_translate(device, at, element, false);
    *out_address = at;
    if (texel)
        unpack(texture, image, texel, out);
    return texel;
}

/* A coordinate in texels, within what an index can count. */
static double in_texels(const struct sim_texture *texture, const struct sim_image *image,
                        const struct sim_place *place, unsigned d)
{
    double at = place->at[d] * (texture->normalized ? (double)image->size[d] : 1.0);
    return at >= -0x1p40 && at <= 0x1p40 ? at : at > 0 ? 0x1p40 : at < 0 ? -0x1p40 : 0;
}

/* The first of two texels in each dimension, and the weight of the other in 1/256. */
static void split(const struct sim_texture *texture, const struct sim_image *image,
                  const struct sim_place *place, int64_t out_first[3], unsigned out_weight[3])
{
    for (unsigned d = 0; d < place->dimensions; d++) {
        double at = in_texels(texture, image, place, d);
        int64_t fixed = (int64_t)nearbyint((at - 0.5) * 256);
        out_first[d] = fixed >> 8;
        out_weight[d] = fixed & 0xff;
    }
}

/* ---- filters ---------------------------------------------------------------------------- */

static bool sample_linear(const struct sim_texture *texture, const struct sim_image *image,
                          int device, const struct sim_place *place, uint32_t out[4],
                          uint64_t *out_address)
{
    int64_t first[3] = {0}, index[3] = {0};
    unsigned weight[3] = {0};
    double sum[4] = {0};
    split(texture, image, place, first, weight);
    for (unsigned corner = 0; corner < 1u << place->dimensions; corner++) {
        double share = 1;
        for (unsigned d = 0; d < place->dimensions; d++) {
            unsigned second = corner >> d & 1;
            index[d] = first[d] + second;
            share *= (second ? weight[d] : 256 - weight[d]) / 256.0;
        }
        uint32_t texel[4];
        if (share == 0)
            continue;
        if (!read_texel(texture, image, device, place, index, texel, out_address))
            return false;
        for (unsigned i = 0; i < 4; i++)
            sum[i] += share * (double)sim_float_of(texel[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        out[i] = sim_bits_of((float)sum[i]);
    return true;
}

static bool sample_image(const struct sim_texture *texture, const struct sim_image *image,
                         int device, const struct sim_place *place, uint32_t out[4],
                         uint64_t *out_address)
{
    int64_t index[3] = {0};
    if (texture->linear && is_float(texture))
        return sample_linear(texture, image, device, place, out, out_address);
    for (unsigned d = 0; d < place->dimensions; d++)
        index[d] = (int64_t)floor(in_texels(texture, image, place, d));
    return read_texel(texture, image, device, place, index, out, out_address);
}

/* The level of detail that is read: within the clamp and what levels there are. */
static float level_read(const struct sim_texture *texture, float level)
{
    float last = (float)(texture->level_count - 1);
    level += texture->bias;
    if (!(level >= texture->least_level)) /* NaN too */
        level = texture->least_level;
    if (level > texture->greatest_level)
        level = texture->greatest_level;
    return level < 0 ? 0 : level > last ? last : level;
}

bool sim_texture_sample(const struct sim_texture *texture, int device,
                        const struct sim_place *place, float level, uint32_t out[4],
                        uint64_t *out_address)
{
    if (texture->level_count == 1)
        return sample_image(texture, &texture->levels[0], device, place, out, out_address);
    level = level_read(texture, level);
    bool mix = texture->linear_levels && is_float(texture);
    unsigned first = (unsigned)floorf(mix ? level : level + 0.5f);
    float share = mix ? nearbyintf((level - (float)first) * 256) / 256 : 0;
    uint32_t next[4];
    if (!sample_image(texture, &texture->levels[first], device, place, out, out_address))
        return false;
    if (share == 0)
        return true;
    if (!sample_image(texture, &texture->levels[first + 1], device, place, next, out_address))
        return false;
    for (unsigned i = 0; i < 4; i++)
        out[i] = sim_bits_of((1 - share) * sim_float_of(out[i]) + share * sim_float_of(next[i]));
    return true;
}

bool sim_texture_fetch(const struct sim_texture *texture, int device, const struct sim_place *place,
                       bool beyond, uint32_t out[4], uint64_t *out_address)
{
    const struct sim_image *image = &texture->levels[0];
    int64_t index[3] = {0};
    for (unsigned d = 0; d < place->dimensions; d++) {
        index[d] = (int64_t)place->at[d];
        if (beyond && (index[d] < 0 || index[d] >= (int64_t)image->size[d])) {
            memset(out, 0, 4 * sizeof *out);
            return true;
        }
    }
    return read_texel(texture, image, device, place, index, out, out_address);
}

bool sim_texture_gather(const struct sim_texture *texture, int device,
                        const struct sim_place *place, unsigned channel, uint32_t out[4],
                        uint64_t *out_address)
{
    static const unsigned char order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    int64_t first[3] = {0};
    unsigned weight[3];
    split(texture, &texture->levels[0], place, first, weight);
    for (unsigned i = 0; i < 4; i++) {
        int64_t index[3] = {first[0] + order[i][0], first[1] + order[i][1], 0};
        uint32_t texel[4];
        if (!read_texel(texture, &texture->levels[0], device, place, index, texel, out_address))
            return false;
        out[i] = texel[channel];
    }
    return true;
}

static float length(const struct sim_texture *texture, unsigned dimensions, const float d[3])
{
    double sum = 0;
    for (unsigned i = 0; i < dimensions; i++) {
        double change =
            (double)d[i] * (texture->normalized ? (double)texture->levels[0].size[i] : 1.0);
        sum += change * change;
    }
    return (float)sqrt(sum);
}

float sim_texture_level(const struct sim_texture *texture, unsigned dimensions, const float dx[3],
                        const float dy[3])
{
    float x = length(texture, dimensions, dx), y = length(texture, dimensions, dy);
    return log2f(x > y ? x : y);
}

/* ---- cubemaps ---------------------------------------------------------------------------- */

/* Across a face, down it and towards it. */
static void on_face(unsigned face, const float v[3], float out[3])
{
    float x = v[0], y = v[1], z = v[2];
    const float places[6][3] = {{-z, -y, x}, {z, -y, -x}, {x, z, y},
                                {x, -z, -y}, {x, -y, z},  {-x, -y, -z}};
    memcpy(out, places[face], sizeof places[face]);
}

static unsigned face_of(const float v[3])
{
    float x = fabsf(v[0]), y = fabsf(v[1]), z = fabsf(v[2]);
    unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return 2 * axis + (v[axis] < 0);
}

unsigned sim_cube_place(const float direction[3], double out_at[2])
{
    unsigned face = face_of(direction);
    float at[3];
    on_face(face, direction, at);
    for (unsigned i = 0; i < 2; i++)
        out_at[i] = ((double)at[i] / (double)at[2] + 1) / 2;
    return face;
}

void sim_cube_change(const float direction[3], const float change[3], float out_change[2])
{
    unsigned face = face_of(direction);
    float at[3], by[3];
    on_face(face, direction, at);
    on_face(face, change, by);
    for (unsigned i = 0; i < 2; i++)
        out_change[i] = (by[i] * at[2] - at[i] * by[2]) / (at[2] * at[2]) / 2;
}
