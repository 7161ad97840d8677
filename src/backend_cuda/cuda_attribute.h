/* The driver's form of what a launch asks for besides its sizes. */
#ifndef AHCUDA_ATTRIBUTE_H
#define AHCUDA_ATTRIBUTE_H

#include "cuda_backend.h"

enum { AHCUDA_ATTRIBUTES_MAX = 8 };

/* The attributes of a launch, those of its flags included. Returns their number. */
unsigned ahcuda_attributes(const struct ah_launch *launch,
                           CUlaunchAttribute out[AHCUDA_ATTRIBUTES_MAX]);

#endif
