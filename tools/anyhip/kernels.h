/* The kernels in a device image, if its format lists them. */
#ifndef AH_ANYHIP_KERNELS_H
#define AH_ANYHIP_KERNELS_H

#include "image.h"

/* Calls visit with the name of each kernel, which need not end in a zero. */
void ah_kernels_each(const struct ah_image *image,
                     void (*visit)(void *data, const char *name, size_t length), void *data);

#endif
