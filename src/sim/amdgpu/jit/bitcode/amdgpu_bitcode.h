/* What the functions of compiled regions are called, and their arguments; shared by the bitcode and
 * by what describes regions (amdgpu_jit_*.c). All arguments are constants of a region.
 *
 * A function of a row is amdgpu_wave_<id>_<lanes> (vector instructions), or amdgpu_wave_<id>
 * (scalar ones). */
#ifndef AMDGPU_BITCODE_H
#define AMDGPU_BITCODE_H

#include <stdbool.h>
#include <stdint.h>

/* A source: the fields of struct amdgpu_source but for its value, which is an argument of its
 * own. */
#define AMDGPU_BITCODE_KIND(word)  ((word)&0xff)
#define AMDGPU_BITCODE_COUNT(word) ((word) >> 8 & 0xff)
#define AMDGPU_BITCODE_REG(word)   ((word) >> 16 & 0xffff)

/* Fields of struct amdgpu_inst that modify sources: the first bit of each, of eight. */
enum {
    AMDGPU_BITCODE_NEG = 0,
    AMDGPU_BITCODE_ABS = 8,
    AMDGPU_BITCODE_NEG_HI = 16,
    AMDGPU_BITCODE_OP_SEL = 24,
    AMDGPU_BITCODE_OP_SEL_HI = 32,
    AMDGPU_BITCODE_FORMAT = 40,
    AMDGPU_BITCODE_ACCUMULATES = 48, /* one bit: AMDGPU_ROW_ACCUMULATES */
};

/* The first argument of vector instructions: destinations, and flags. */
enum {
    AMDGPU_BITCODE_DST = 0, /* 16 bits */
    AMDGPU_BITCODE_DST1 = 16,
    AMDGPU_BITCODE_FULL = 32, /* one bit: all lanes are live */
};

/* Flags of accesses. */
enum {
    AMDGPU_ACCESS_FULL = 1,    /* all lanes are live */
    AMDGPU_ACCESS_WIDE = 2,    /* addresses have an upper half in registers */
    AMDGPU_ACCESS_BASE = 4,    /* and a base in scalar registers */
    AMDGPU_ACCESS_WINDOWS = 8, /* they may be in the windows of LDS and scratch */
};

/* What accesses that are not in a row call, with the address of a struct amdgpu_scattered: false: a
 * lane's element cannot be accessed in this way, and nothing was. */
struct amdgpu_scattered {
    const uint64_t *at; /* addresses, or offsets in LDS */
    uint64_t exec;
    uint32_t *data; /* by register and lane */
    unsigned lanes, bytes;
    int device;
    unsigned char *lds; /* NULL: global memory */
    uint64_t lds_size;
};

#endif
