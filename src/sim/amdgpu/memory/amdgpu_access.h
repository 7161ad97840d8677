/* What the files of memory instructions share; private to this room.
 *
 * Fields of these ops: effect, the row (struct amdgpu_access); src[0], the VGPRs of the address
 * (AMDGPU_NONE: none); src[1], the SGPRs of the address or of the resource descriptor; src[2], the
 * scalar offset, or (DS) the second data; offset_bytes; dst, the destination of a load or an
 * atomic; dst1, the data. With checks, src[0].value is the handler that runs after the check. */
#ifndef AMDGPU_ACCESS_H
#define AMDGPU_ACCESS_H

#include "amdgpu_exec.h"
#include "amdgpu_memory.h"

enum amdgpu_space {
    AMDGPU_SPACE_GLOBAL,
    AMDGPU_SPACE_FLAT, /* global, or LDS or scratch through a window */
    AMDGPU_SPACE_LDS,
    AMDGPU_SPACE_SCRATCH,
    AMDGPU_SPACE_BUFFER, /* according to a resource descriptor; may be scratch */
    AMDGPU_SPACE_COUNT,
};

/* The layout of an element in memory and in a lane's registers. */
enum amdgpu_element {
    AMDGPU_ELEMENT_U8, /* zero-extended by loads; stores take the low bits */
    AMDGPU_ELEMENT_I8,
    AMDGPU_ELEMENT_U16,
    AMDGPU_ELEMENT_I16,
    AMDGPU_ELEMENT_32,
    AMDGPU_ELEMENT_64,
    AMDGPU_ELEMENT_96,
    AMDGPU_ELEMENT_128,
    AMDGPU_ELEMENT_LOW_U8, /* into the low half of a register; the other half is kept */
    AMDGPU_ELEMENT_LOW_I8,
    AMDGPU_ELEMENT_LOW_16,
    AMDGPU_ELEMENT_HIGH_U8, /* into the high half; stores take that half's low bits */
    AMDGPU_ELEMENT_HIGH_I8,
    AMDGPU_ELEMENT_HIGH_16,
    AMDGPU_ELEMENT_COUNT,
};

/* An atomic, on all lanes of exec, at where[lane], which is aligned. */
struct amdgpu_halves {    /* of one operand: the lower half of each lane's value, and the upper */
    uint32_t *low, *high; /* NULL: there is none */
};
struct amdgpu_atomic_lanes {
    uint64_t exec;
    unsigned char *const *where;
    struct amdgpu_halves b, c,
        dst;        /* the data; the value to compare with, or more data; the old value */
    bool plain;     /* the memory is not shared with other threads of the host */
    bool one_place; /* all lanes have one address; false where plain ones use the old value */
    bool flush_in, flush_out; /* subnormal 32-bit floats */
};
typedef void (*amdgpu_atomic)(const struct amdgpu_atomic_lanes *lanes);

/* A row: the access that an instruction makes for each lane. */
struct amdgpu_access {
    unsigned short id;     /* enum amdgpu_id */
    unsigned char space;   /* enum amdgpu_space */
    unsigned char element; /* enum amdgpu_element */
    unsigned char bytes;   /* of the element */
    unsigned char
        scale; /* DS read2 and similar instructions: elements per unit of their offsets, else 0 */
    bool write;
    amdgpu_atomic atomic; /* NULL: a load or a store */
};

enum {
    AMDGPU_RETURNS = 1, /* flags in op->bits */
    AMDGPU_OFFEN = 2,
    AMDGPU_IDXEN = 4,
    AMDGPU_TID = 8,            /* adds 4 bytes for each lane before: addtid */
    AMDGPU_TWO_DATA = 16,      /* an atomic with a value to compare with, or other second data */
    AMDGPU_SWAPS_DATA = 32,    /* which is the first of them */
    AMDGPU_FLUSHES = 64,       /* an atomic of floats in memory */
    AMDGPU_COARSE_ONLY = 128,  /* an atomic that does nothing to fine-grained memory */
    AMDGPU_GFX10_BUFFER = 256, /* the layout of resource descriptors; neither: gfx9's */
    AMDGPU_GFX11_BUFFER = 512,
};

/* The addresses of the live lanes' elements, translated. */
struct amdgpu_places {
    unsigned char *where[AMDGPU_LANES_MAX];
    uint64_t at[AMDGPU_LANES_MAX]; /* flat addresses; not set if they are not needed */
    bool windows;                  /* whether those may be in LDS and scratch */
    /* Elements that are not contiguous or do not exist completely: where[l] is copies[l]; present
     * has a bit for each byte that exists. */
    uint64_t copied;
    _Alignas(16) unsigned char copies[AMDGPU_LANES_MAX][16];
    uint16_t present[AMDGPU_LANES_MAX];
    /* Swizzled buffers: pieces of piece bytes are step bytes apart, and lane l's element begins
     * into[l] bytes into its first piece. 0: elements are contiguous. */
    unsigned piece, step;
    unsigned char into[AMDGPU_LANES_MAX];
};

/* The flat address of a byte of a lane's element. */
static inline uint64_t amdgpu_byte_address(const struct amdgpu_places *places, unsigned lane,
                                           unsigned byte)
{
    if (!places->piece)
        return places->at[lane] + byte;
    unsigned into = places->into[lane], at = into + byte;
    return places->at[lane] - into + at / places->piece * (uint64_t)places->step +
           at % places->piece;
}

/* Functions that are compiled once for each instruction set of the host (amdgpu_access.c). */
struct amdgpu_access_functions {
    /* Of a load or a store, and of a DS load or store with two elements. */
    amdgpu_handler (*handler)(const struct amdgpu_access *access, unsigned lanes);
    amdgpu_handler (*handler_of_two)(const struct amdgpu_access *access, unsigned lanes);
    /* Translates the addresses of the live lanes' elements. False: an element is inaccessible,
     * which was reported. */
    bool (*translate)(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      struct amdgpu_places *out_places);
    /* ds_bpermute_b32, index 1 for waves of 64; and in halves of those. */
    amdgpu_handler permute[2], permute_halves;
};
extern const struct amdgpu_access_functions amdgpu_access_base, amdgpu_access_avx2,
    amdgpu_access_avx512;
const struct amdgpu_access_functions *amdgpu_access_functions(void); /* for this host */

/* ---- amdgpu_memory.c ------------------------------------------------------------------ */

/* DS instructions with two elements: the upper half of offset_bytes is the distance of the second
 * from the first. */
static inline uint32_t amdgpu_second(const struct amdgpu_op *op)
{
    return (uint32_t)((uint64_t)op->offset_bytes >> 32);
}
static inline void amdgpu_set_offsets(const struct amdgpu_inst *inst,
                                      const struct amdgpu_access *access, struct amdgpu_op *op)
{
    uint32_t unit = (uint32_t)access->scale * access->bytes, first = (uint32_t)inst->offset;
    op->imm = first * unit | (uint64_t)((inst->offset1 - first) * unit) << 32;
}

/* The row of a load or a store; NULL: it is neither. */
const struct amdgpu_access *amdgpu_plain_access(unsigned id);

/* Computes the flat addresses of the live lanes' (first) elements, windows, and copied with present
 * for elements that do not exist completely. */
void amdgpu_addresses(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      struct amdgpu_places *out_places);

/* Translates each lane's address separately, given places->at, windows, and copied with present.
 * False: an element is inaccessible, which was reported. */
bool amdgpu_translate_lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                            struct amdgpu_places *places);
/* Writes the copies of a store to memory. */
void amdgpu_write_copies(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                         struct amdgpu_places *places);

/* ---- amdgpu_scratch.c ----------------------------------------------------------------- */

/* Whether op's resource descriptor is that of scratch; *out_offset: added to each lane's offset. */
bool amdgpu_buffer_is_scratch(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                              uint32_t *out_offset);
/* Whether live lanes' elements are all in bounds at a base and each lane's offset, which are
 * returned. Also false if the addresses cannot be described in this way. */
bool amdgpu_buffer_offsets(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t *out_base,
                           uint32_t out_offsets[AMDGPU_LANES_MAX]);
void amdgpu_buffer_addresses(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                             struct amdgpu_places *out_places);

/* ---- emitters, by group of rows ------------------------------------------------------- */

/* Each sets the fields of its group of ops; false: the row does not belong to the group, or the
 * instruction is invalid. */
bool amdgpu_emit_lanes(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                       struct amdgpu_op *op);
bool amdgpu_emit_smem(const struct amdgpu_inst *inst, struct amdgpu_op *op);
bool amdgpu_emit_atomic(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);
bool amdgpu_emit_to_lds(const struct amdgpu_inst *inst, struct amdgpu_op *op);
/* Inserts the check of an op's accesses before its handler, if checks are on or launches are
 * profiled. */
void amdgpu_emit_check(struct amdgpu_op *op);
/* Checks a write of an op to LDS other than its accesses. False: a finding, which was reported. */
bool amdgpu_check_lds_write(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                            uint32_t offset, size_t size);

/* Counts the accesses of a launch that is profiled (amdgpu_count.c). */
void amdgpu_count_accesses(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                           const struct amdgpu_places *places);

/* ---- windows -------------------------------------------------------------------------- */

static inline bool amdgpu_is_lds(uint64_t address)
{
    return address >> 32 == SIM_SHARED_WINDOW >> 32;
}
static inline bool amdgpu_is_scratch(uint64_t address)
{
    return address >> 32 == SIM_LOCAL_WINDOW >> 32;
}

#endif
