/* Products of matrices that lie in the registers of a whole wave: MFMA of CDNA, WMMA of RDNA3. The
 * handlers are compiled once for each instruction set of the host; amdgpu_matrix.c chooses. */
#ifndef AMDGPU_MATRIX_H
#define AMDGPU_MATRIX_H

#include "amdgpu_exec.h"
#include "sim_isa.h"

enum amdgpu_matrix_element {
    AMDGPU_MATRIX_F32,
    AMDGPU_MATRIX_F16,
    AMDGPU_MATRIX_BF16,
    AMDGPU_MATRIX_I8,
    AMDGPU_MATRIX_I4,
    AMDGPU_MATRIX_F64,
    AMDGPU_MATRIX_I32, /* of results only */
};

/* A row: D = A * B + C, of blocks of them side by side. Ops have it as their effect, and as bits,
 * if it is MFMA, enum amdgpu_isa. */
struct amdgpu_matrix {
    unsigned short id;
    unsigned char size, depth, blocks; /* of D: size by size; of A: size by depth */
    unsigned char element, result;     /* enum amdgpu_matrix_element */
};

struct amdgpu_matrix_table {
    amdgpu_handler mfma, wmma;
};
#define AMDGPU_MATRIX_ISA(isa, name) extern const struct amdgpu_matrix_table amdgpu_matrix_##name;
SIM_ISAS(AMDGPU_MATRIX_ISA)
#undef AMDGPU_MATRIX_ISA

#endif
