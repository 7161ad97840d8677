/* Rows of instructions by number; for the decoder. */
#ifndef AMDGPU_ROWS_H
#define AMDGPU_ROWS_H

#include "amdgpu_inst.h"

enum { AMDGPU_MIMG_OTHER = 1023 }; /* the number of MIMG instructions that are no rows */

/* NULL: isa has no instruction of that number. */
const struct amdgpu_row *amdgpu_row_of(enum amdgpu_isa isa, enum amdgpu_format format,
                                       unsigned number);

#endif
