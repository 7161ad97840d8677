/* Images and samplers of the simulated HSA runtime: what a format is to a device, and what is
 * behind a handle. */
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

/* How a device keeps a format. */
struct simhsa_format {
    struct amdgpu_texel_format texel;
    unsigned char selects[4];
    uint32_t capability; /* hsa_ext_image_capability_t, 0: none */
};
struct simhsa_format simhsa_image_format(const struct simhsa_agent *agent,
                                         hsa_ext_image_geometry_t geometry,
                                         const hsa_ext_image_format_t *format);
bool simhsa_has_images(const struct simhsa_agent *agent);

/* The most of a geometry: width, height, depth, layers; all 0 where there are no images. */
void simhsa_image_limits(const struct simhsa_agent *agent, hsa_ext_image_geometry_t geometry,
                         uint32_t out_limits[4]);

struct simhsa_image { /* or a sampler: then words alone */
    bool live, sampler;
    const struct simhsa_agent *agent;
    struct amdgpu_image image;
    hsa_ext_image_descriptor_t descriptor;
};
/* The words that a handle points to are 12: the descriptor, then the channels' type and order and
 * the width, as AMD's runtime has them; of a sampler the first 4. */
enum { SIMHSA_IMAGE_HANDLE_WORDS = 12 };
/* 0: no memory. */
uint64_t simhsa_image_add(const struct simhsa_image *image,
                          const uint32_t words[SIMHSA_IMAGE_HANDLE_WORDS]);
/* False: the handle does not belong to an object of that kind. */
bool simhsa_image_get(uint64_t handle, bool sampler, struct simhsa_image *out_image);
bool simhsa_image_remove(uint64_t handle, bool sampler);
void simhsa_images_close(void);
unsigned simhsa_images_left(bool samplers);

/* Writes as much of the extension's table as size bytes hold; size 0: the first version of it. */
void simhsa_image_table(size_t size, void *table);

#endif
