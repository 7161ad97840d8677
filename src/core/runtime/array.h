/* Arrays and mipmapped arrays: their handles and their formats. */
#ifndef AH_ARRAY_H
#define AH_ARRAY_H

#include "handle.h"
#include "registry.h"

/* hipArray_t */
struct ah_array {
    struct ah_handle handle;
    struct ah_backend_array *native;
    struct ah_array_shape shape;
    hipChannelFormatDesc description;
    struct ah_mipmap *level_of; /* NULL: not a level */
    bool lent;                  /* its memory is another object's, and it ends with that */
};
/* hipMipmappedArray_t */
struct ah_mipmap {
    struct ah_handle handle;
    struct ah_backend_mipmap *native;
    struct ah_array_shape shape; /* of level 0 */
    hipChannelFormatDesc description;
    unsigned levels;
    struct ah_array **arrays; /* of the levels that were requested; otherwise NULL */
};
bool ah_array_shape_valid(const struct ah_array_shape *shape);
/* The driver API's format as the runtime API's. hipErrorInvalidValue: no such format. */
hipError_t ah_array_describe(hipArray_Format format, unsigned channels, hipChannelFormatDesc *out);
hipError_t ah_array_check(hipArray_const_t array, struct ah_array **out_array);
/* Fills in format, channels and element only. hipErrorInvalidValue: no such format. */
hipError_t ah_array_format(const hipChannelFormatDesc *description, struct ah_array_shape *out);
size_t ah_array_element_size(const struct ah_array *array);
void ah_array_release_device(struct ah_device *device);

#endif
