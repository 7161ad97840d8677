/* Owns the refusal of links: the HSA runtime loads code objects and links none, hence the caller
 * links with the compiler. */
#include "hsa_module.h"

hipError_t ahhsa_link_create(struct ah_backend_device *device, unsigned option_count,
                             const hipJitOption *options, void **option_values,
                             struct ah_backend_link **out_link)
{
    (void)device;
    (void)option_count;
    (void)options;
    (void)option_values;
    (void)out_link;
    return hipErrorNotSupported;
}

hipError_t ahhsa_link_add(struct ah_backend_device *device, struct ah_backend_link *link,
                          const struct ah_link_input *input)
{
    (void)device;
    (void)link;
    (void)input;
    return hipErrorNotSupported;
}

hipError_t ahhsa_link_complete(struct ah_backend_device *device, struct ah_backend_link *link,
                               void **out_image, size_t *out_size)
{
    (void)device;
    (void)link;
    (void)out_image;
    (void)out_size;
    return hipErrorNotSupported;
}

hipError_t ahhsa_link_destroy(struct ah_backend_device *device, struct ah_backend_link *link,
                              bool ends)
{
    (void)device;
    (void)link;
    (void)ends;
    return hipErrorNotSupported;
}
