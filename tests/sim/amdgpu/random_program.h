/* Random programs of AMDGPU code: arithmetic with all its forms, branches, loops, parts that some
 * lanes execute, accesses to LDS and to global memory. Every program ends, and accesses only the
 * memory that is described here. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include "amdgpu_inst.h"

/* Registers that only certain instructions write; a wave begins with these values. All others may
 * have any. */
enum {
    RANDOM_VGPRS = 48,
    RANDOM_LANE = 32,   /* VGPR: the number of the lane */
    RANDOM_OFFSET = 33, /* VGPR: 0 */
    RANDOM_BASE = 80,   /* two SGPRs: the address of RANDOM_BYTES of memory */
    RANDOM_BYTES = 8192 /* of that memory, and of LDS */
};

struct random_program {
    enum amdgpu_isa isa;
    unsigned lanes;
    uint64_t state; /* of random_state_below */
    uint32_t *code;
    unsigned room, length; /* words */
    unsigned depth;        /* of loops and parts */
};

/* Appends so many statements and s_endpgm to an empty program. */
void random_program(struct random_program *program, unsigned statements);

#endif
