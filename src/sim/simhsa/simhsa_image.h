/* Images and samplers of the simulated HSA runtime: the formats of devices, and the objects of
 * handles. */
#ifndef SIMHSA_IMAGE_H
#define SIMHSA_IMAGE_H

#include "amdgpu_image.h"
#include "simhsa_runtime.h"

enum { /* hsa_status_t of the extension */
       SIMHSA_IMAGE_FORMAT_UNSUPPORTED = 0x3000,
       SIMHSA_IMAGE_SIZE_UNSUPPORTED,
       SIMHSA_IMAGE_PITCH_UNSUPPORTED,
       SIMHSA_SAMPLER_UNSUPPORTED,
};

/* The representation of a format on a device. */
struct simhsa_format {
    struct amdgpu_texel_format texel;
    unsigned char selects[4];
    uint32_t capability; /* hsa_ext_image_capability_t, 0: none */
};
struct simhsa_format simhsa_image_format(const struct simhsa_agent *agent,
                                         hsa_ext_image_geometry_t geometry,
                                         const hsa_ext_image_format_t *format);
bool simhsa_has_images(const struct simhsa_agent *agent);

/* The maximum size of a geometry: width, height, depth, layers; all 0 if images are not
 * supported. */
void simhsa_image_limits(const struct simhsa_agent *agent, hsa_ext_image_geometry_t geometry,
                         uint32_t out_limits[4]);

struct simhsa_image { /* or a sampler, which has words only */
    bool live, sampler;
    const struct simhsa_agent *agent;
    struct amdgpu_image image;
    hsa_ext_image_descriptor_t descriptor;
};
/* A handle points to 12 words: the descriptor, then the channels' type and order and the width, as
 * in AMD's runtime; for a sampler only the first 4. */
enum { SIMHSA_IMAGE_HANDLE_WORDS = 12 };
/* 0: out of memory. */
uint64_t simhsa_image_add(const struct simhsa_image *image,
                          const uint32_t words[SIMHSA_IMAGE_HANDLE_WORDS]);
/* False: the handle does not belong to an object of that kind. */
bool simhsa_image_get(uint64_t handle, bool sampler, struct simhsa_image *out_image);
bool simhsa_image_remove(uint64_t handle, bool sampler);
void simhsa_images_close(void);
unsigned simhsa_images_left(bool samplers);

/* Writes the first size bytes of the extension's table; size 0: its first version. */
void simhsa_image_table(size_t size, void *table);

#endif
