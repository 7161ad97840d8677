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
    /* Four bits for each of two sources: how far its part is before AMDGPU_SDWA_DWORD; 8: the part
     * is extended by its sign. */
    AMDGPU_BITCODE_SDWA = 49,
};

/* The first argument of vector instructions: destinations, and flags. */
enum {
    AMDGPU_BITCODE_DST = 0, /* 16 bits */
    AMDGPU_BITCODE_DST1 = 16,
    AMDGPU_BITCODE_FULL = 32, /* one bit: all lanes are live */
};

/* Flags of accesses. */
enum {
    AMDGPU_ACCESS_FULL = 1,   /* all lanes are live */
    AMDGPU_ACCESS_WIDE = 2,   /* addresses have an upper half in registers */
    AMDGPU_ACCESS_BASE = 4,   /* and a base in scalar registers */
    AMDGPU_ACCESS_LDS = 8,    /* offsets in LDS */
    AMDGPU_ACCESS_SIGNED = 16 /* elements of less than a word are extended by their sign */
};
/* From a bit on: bytes of an element, the number of the device. */
enum { AMDGPU_ACCESS_SIZE = 8, AMDGPU_ACCESS_OF_DEVICE = 32 };
#define AMDGPU_ACCESS_BYTES(flags)  ((unsigned)((flags) >> AMDGPU_ACCESS_SIZE & 0xff))
#define AMDGPU_ACCESS_DEVICE(flags) ((int)((flags) >> AMDGPU_ACCESS_OF_DEVICE))

/* What accesses that are not a row of words call, with the address of a struct amdgpu_scattered.
 * False: a lane's element cannot be accessed in this way. Loads have changed nothing but data
 * then; stores may have written elements, which are written again. */
struct amdgpu_scattered {
    const uint32_t *low, *high; /* addresses, or offsets in LDS, by lane; high: NULL: none */
    uint64_t base;              /* which is added */
    uint64_t exec;
    uint32_t *data; /* by register and lane; of lanes that are not live it keeps what it is */
    uint64_t flags;
    unsigned lanes;
    unsigned char *lds; /* NULL: global memory */
    uint64_t lds_size;
};

#endif
