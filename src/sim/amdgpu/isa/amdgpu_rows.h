/* Rows of instructions by opcode; for the decoder. */
#ifndef AMDGPU_ROWS_H
#define AMDGPU_ROWS_H

#include "amdgpu_inst.h"

enum { AMDGPU_MIMG_OTHER = 1023 }; /* the opcode of MIMG instructions without a row */

/* NULL: isa has no instruction with that opcode. */
const struct amdgpu_row *amdgpu_row_of(enum amdgpu_isa isa, enum amdgpu_format format,
                                       unsigned number);

#endif
