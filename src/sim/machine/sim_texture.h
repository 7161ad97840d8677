/* Images of arrays and of linear memory: texels, and what a texture unit makes of them.
 * Texels have device addresses, and each read of one is checked as any access is.
 *
 * Filtering is what CUDA documents ("Texture Fetching"): coordinates count in 1/256 of a
 * texel, and weights are those 8 bits. */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_channel_type {
    SIM_CHANNEL_U8,
    SIM_CHANNEL_S8,
    SIM_CHANNEL_U16,
    SIM_CHANNEL_S16,
    SIM_CHANNEL_U32,
    SIM_CHANNEL_S32,
    SIM_CHANNEL_F16,
    SIM_CHANNEL_F32,
};
size_t sim_channel_size(enum sim_channel_type type); /* bytes */

/* Tiles of 64 KiB one after the other, of which each has rows of bytes and slices of rows. */
enum { SIM_TILE_BYTES = 65536 };
struct sim_tiling {
    unsigned char shift[3]; /* a tile's bytes of a row, its rows and its slices, as powers of 2 */
    uint32_t count[2];      /* tiles beside and below each other */
};
static inline uint64_t sim_tiling_offset(const struct sim_tiling *tiling, uint64_t x, uint64_t y,
                                         uint64_t z)
{
    const unsigned char *shift = tiling->shift;
    uint64_t tile =
        ((z >> shift[2]) * tiling->count[1] + (y >> shift[1])) * tiling->count[0] + (x >> shift[0]);
    uint64_t slice = z & ((1u << shift[2]) - 1), row = y & ((1u << shift[1]) - 1);
    return tile * SIM_TILE_BYTES +
           (((slice << shift[1] | row) << shift[0]) | (x & ((1u << shift[0]) - 1)));
}

/* An array, a level of one, or linear memory. */
struct sim_image {
    uint64_t address;
    size_t row, slice; /* bytes */
    size_t size[3];    /* texels, rows, slices: 1 where there is no such dimension */
    enum sim_channel_type type;
    unsigned channels;               /* 1 to 4 */
    const struct sim_tiling *tiling; /* NULL: rows and slices lie as above */
};

/* Where a byte of a row of a slice is. */
static inline uint64_t sim_image_address(const struct sim_image *image, uint64_t x, uint64_t y,
                                         uint64_t z)
{
    return image->address + (image->tiling ? sim_tiling_offset(image->tiling, x, y, z)
                                           : x + y * image->row + z * image->slice);
}

enum sim_address_mode { SIM_WRAP, SIM_CLAMP, SIM_MIRROR, SIM_BORDER };
enum { SIM_LEVELS_MAX = 18 };

struct sim_texture {
    struct sim_image levels[SIM_LEVELS_MAX];
    unsigned level_count;
    bool layered; /* slices are layers, or faces of cubes */
    enum sim_address_mode modes[3];
    bool normalized;    /* coordinates run from 0 to 1 */
    bool linear;        /* filter within a level */
    bool linear_levels; /* filter between levels */
    bool as_float;      /* integers are scaled to [0,1] and [-1,1] */
    bool srgb;
    float bias, least_level, greatest_level;
    uint32_t border[4]; /* of the type a read gives */
};

/* Where a texture is read. Cubemaps are read as layers, see sim_cube_place. */
struct sim_place {
    unsigned dimensions; /* 1 to 3, without layers */
    double at[3];
    int64_t layer;
};

/* What reads give: four channels as a register holds them, floats or integers extended to 32
 * bits; those that the image lacks are 0, the fourth 1. False: the texel at *out_address is out
 * of the device's reach. */

/* A filtered read at a level of detail. */
bool sim_texture_sample(const struct sim_texture *texture, int device,
                        const struct sim_place *place, float level, uint32_t out[4],
                        uint64_t *out_address);
/* The texel at whole coordinates of the first level. beyond: 0s outside, whatever the mode. */
bool sim_texture_fetch(const struct sim_texture *texture, int device, const struct sim_place *place,
                       bool beyond, uint32_t out[4], uint64_t *out_address);
/* A channel of the four texels a linear filter would mix: (0,1) (1,1) (1,0) (0,0). */
bool sim_texture_gather(const struct sim_texture *texture, int device,
                        const struct sim_place *place, unsigned channel, uint32_t out[4],
                        uint64_t *out_address);
/* The level of detail for coordinates that change by dx and dy from pixel to pixel. */
float sim_texture_level(const struct sim_texture *texture, unsigned dimensions, const float dx[3],
                        const float dy[3]);

/* The face of a cubemap that a direction points to, and the position on it, from 0 to 1. */
unsigned sim_cube_place(const float direction[3], double out_at[2]);
/* How that changes with a change of the direction. */
void sim_cube_change(const float direction[3], const float change[3], float out_change[2]);

/* Writes channels, as registers hold them, as an element at where. */
void sim_image_pack(const struct sim_image *image, const uint32_t channels[4],
                    unsigned char *where);

#endif
