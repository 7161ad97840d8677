/* Rows of instructions by number; for the decoder. */
#ifndef AMDGPU_ROWS_H
#define AMDGPU_ROWS_H

#include "amdgpu_inst.h"

/* NULL: isa has no instruction of that number. */
const struct amdgpu_row *amdgpu_row_of(enum amdgpu_isa isa, enum amdgpu_format format,
                                       unsigned number);

#endif
