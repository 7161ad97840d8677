/* Regions of a kernel's code as they are compiled: what the front ends (PTX, AMDGPU) describe, and
 * jit turns into code of the host.
 *
 * Both interpreters have one structure: an op is executed by a handler, which reads and writes the
 * state of a wave (a PTX warp or an AMDGPU wavefront) and returns the op to continue with. A region
 * is a set of ops that is compiled as a whole; it begins at one op, or at one of several.
 * Semantics are not written twice: each instruction of a region names a function that was compiled
 * from the interpreter's own source to bitcode at build time. The compiler inlines it with the op's
 * operands as constants, and with a local copy of the state, whose fields and registers LLVM then
 * keeps in registers of the host.
 *
 * wave owns this description, its printer and its verifier. It knows nothing of PTX, of AMDGPU and
 * of LLVM, allocates with malloc only, and takes no lock. */
#ifndef WAVE_H
#define WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------ */

/* Where a value is. FRAME: registers of lanes, addressed from the pointer that is the state's frame
 * field; STATE: in the state itself (scalar registers, masks, counters). */
enum wave_base { WAVE_FRAME, WAVE_STATE };

/* A slot: size bytes at an offset. Slots of one base are equal or do not overlap. */
struct wave_slot {
    enum wave_base base;
    uint32_t offset, size;
};

/* ---- instructions ----------------------------------------------------------------------------
 *
 * A function of the bitcode has the type
 *     uint32_t function(state *, uint64_t argument0, uint64_t argument1, ...)
 * with as many arguments as the instruction has; what the result means depends on the kind. It gets
 * the copy of the state, may access only the slots that the instruction names and the machine's
 * fields, and must not let the copy's address escape: to a function that is not inlined with it, it
 * passes neither the state nor the address of a slot. It is global (not static), so that clang
 * keeps it.
 *
 * It is inlined, and slots stay in registers if it accesses them at constant offsets once its
 * arguments are known: loops over lanes that clang unrolls or makes vectors of do, an index that is
 * a lane's value does not. A function that has the attribute noinline is called, on a copy of the
 * slots that it reads: for what is large, indexes slots by lane, or changes the rounding of the
 * host (without memory between them, nothing keeps an addition behind the instruction that sets
 * MXCSR). So is that of a WAVE_EFFECT that still has a loop. */
enum wave_kind {
    WAVE_EFFECT,  /* always succeeds; the result is ignored */
    WAVE_ATTEMPT, /* 1: done. 0: it has changed nothing, and the op's handler executes it (an
                     access to memory that is not in a row, or fails). next is the op's only
                     successor */
    WAVE_HANDLER, /* no function: the op's handler executes it, with the state in place */
    WAVE_GUARD, /* 1: go on. 0: it has changed nothing, and the region is left before op, which the
                   interpreter executes */
};

struct wave_inst {
    enum wave_kind kind;
    /* ATTEMPT and HANDLER: the handler accesses no slots but those below, and returns next, or NULL
     * after which the wave goes on nowhere. Nothing else has to be in place. */
    bool plain;
    const char *function;      /* NULL for WAVE_HANDLER */
    const uint64_t *arguments; /* constants */
    unsigned argument_count;
    /* A bit for each argument that is an address in this process, and another one in the next:
     * code that is kept for that must not depend on it. */
    uint64_t addresses;
    /* What the interpreter executes instead: ATTEMPT and HANDLER call its handler, which must
     * return next if all is well; GUARD leaves the region there. EFFECT: for reports. */
    const void *op;
    const void *next;
    /* Slots that the op, by its function or by its handler, may read and may write. A slot that is
     * written only in part is read, too. */
    const struct wave_slot *reads, *writes;
    unsigned read_count, write_count;
};

/* How a block ends. */
enum wave_end {
    WAVE_JUMP,   /* to targets[0] */
    WAVE_BRANCH, /* function's result k < target_count: to targets[k]; otherwise the region is left
                    at op, which the interpreter executes: the lanes differ, or the budget is
                    spent. The function has then changed nothing. Two targets or more are all that
                    can follow op; one may be one of several. */
    WAVE_LEAVE,  /* the interpreter goes on at op. It accesses no slots there but reads, and then
                    comes to block comes_to, if comes_back: a barrier */
};

enum { WAVE_TARGETS_MAX = 16 };

struct wave_block {
    const struct wave_inst *insts;
    unsigned inst_count;
    enum wave_end end;
    bool stays;           /* WAVE_BRANCH: the result is always one of the targets */
    bool all;             /* WAVE_BRANCH: nothing but its one target can follow op, either */
    bool comes_back;      /* WAVE_LEAVE */
    const char *function; /* WAVE_BRANCH: as of instructions */
    const uint64_t *arguments;
    unsigned argument_count;
    uint64_t addresses;
    const struct wave_slot *reads; /* WAVE_BRANCH: of the function. WAVE_LEAVE: of op */
    unsigned read_count;
    unsigned comes_to; /* WAVE_LEAVE: the number of a block */
    const void *op;
    /* Numbers of blocks; block 0 is the entry and may be a target, too. */
    unsigned targets[WAVE_TARGETS_MAX], target_count;
};

/* ---- machines ---------------------------------------------------------------------------- */

/* A field of the state that functions of the bitcode use. */
enum wave_field_kind {
    WAVE_CONSTANT, /* the same for each wave that enters; size 1, 2, 4 or 8. repeat: elements */
    WAVE_COPIED,   /* read from the state at the entry, and never written in the region */
    WAVE_KEPT,     /* read at the entry, and written back where the region is left and before a
                      handler is called; read again after that: counters, budgets */
};

struct wave_field {
    enum wave_field_kind kind;
    uint32_t offset, size;
    uint64_t value;  /* WAVE_CONSTANT */
    uint32_t repeat; /* WAVE_CONSTANT: so many elements of size bytes; 0 is 1 */
};

/* Bitcode of a front end for an instruction set of the host, from ah_wave_bitcode()
 * (cmake/AnyHIPSim.cmake). */
struct wave_bitcode {
    const char *name; /* for the log: "sim_ptx_bitcode, avx2" */
    const unsigned char *bytes, *end;
    unsigned version; /* of the clang that wrote it: 22. An older LLVM cannot read it */
    unsigned vector;  /* bytes of the host's vectors: 16, 32, 64 */
};

/* A function that those of the bitcode call and that is not in the bitcode. */
struct wave_symbol {
    const char *name;
    void (*address)(void);
};

struct wave_machine {
    const char *name;     /* "ptx", "gfx9" */
    uint32_t state_size;  /* bytes of the state up to the last field that functions use */
    uint32_t frame_field; /* offset in the state of the pointer to the frame */
    /* offset in the state of a uint32_t, of no field and no slot: at which of several entries a
     * region begins, as an index in wave_region.entries */
    uint32_t entry_field;
    const struct wave_field *fields;
    unsigned field_count;
    const struct wave_bitcode *bitcode; /* NULL: none for this host, and nothing is compiled */
    const struct wave_symbol *symbols;  /* besides memcpy, memmove, memset and those of libm */
    unsigned symbol_count;
    /* offset in an op of the pointer to its handler, of the type
     * const op *handler(state *, const op *) */
    uint32_t handler_offset;
    /* NULL: handlers are called. Otherwise this is, and calls the handler: for what has to be in
     * place then and is not a field. The region is left where the result is not the op's next. */
    const void *(*call)(void *state, const void *op);
    bool compares_live; /* JIT_COMPARE: slots that nothing reads are not compared */
    /* Writes what an op is, for printed regions and the log: "add.s32 %r1, %r2, %r3; (line 42)". */
    void (*describe)(const void *op, const void *data, char *out, size_t out_size);
};

/* ---- regions -------------------------------------------------------------------------------- */

/* All of its memory belongs to the front end until jit has freed the region (jit.h). */
struct wave_region {
    const struct wave_machine *machine;
    const char *name; /* "vector_add, op 17" */
    uint32_t frame_size;
    const struct wave_block *blocks;
    unsigned block_count;
    /* Numbers of the blocks at which it may begin. 0 of them: at block 0. */
    const unsigned *entries;
    unsigned entry_count;
    const void *data; /* for describe and live */
    /* Whether the interpreter may read what the slot holds now when it continues at op, which is
     * somewhere in the region or where it is left. Slots that are not are not written back. NULL:
     * all are, except those that the region itself writes before it reads them. */
    bool (*live)(const void *data, const void *op, const struct wave_slot *slot);
};

/* Whether an argument is an address; NULL is a number. */
static inline bool wave_is_address(uint64_t addresses, const uint64_t *arguments, unsigned argument)
{
    return addresses >> argument & 1 && arguments[argument];
}

/* What is called where an op is left to the interpreter: the machine's function, or the op's
 * handler. */
static inline const void *wave_handler(const struct wave_machine *machine, const void *op)
{
    const void *handler;
    if (machine->call)
        memcpy(&handler, &machine->call, sizeof handler);
    else
        memcpy(&handler, (const char *)op + machine->handler_offset, sizeof handler);
    return handler;
}

/* How many entries a region has, and the block of one. */
static inline unsigned wave_entry_count(const struct wave_region *region)
{
    return region->entry_count ? region->entry_count : 1;
}
static inline unsigned wave_entry(const struct wave_region *region, unsigned entry)
{
    return region->entry_count ? region->entries[entry] : 0;
}

/* ---- tools ----------------------------------------------------------------------------------- */

/* Writes the region as text, one line for each instruction:
 *     block 1:
 *       f24:4x32 = fma_f32(640, 384, 512)            ; fma.rn.f32 %f3, %f1, %f2, %f3; (line 42)
 *       branch branch_back(128, 0, 7) -> 1, 2        ; @%p1 bra $L_2; (line 45) */
void wave_print(const struct wave_region *region, FILE *out);

/* Checks what this page requires: slots that overlap partly or lie outside of the frame or the
 * state, targets and entries that do not exist, instructions without an op or a function, blocks
 * that cannot be reached, fields that overlap. False: out_reason says what, with the block and the
 * instruction. */
bool wave_verify(const struct wave_region *region, char *out_reason, size_t reason_size);

/* Instructions in all blocks. */
size_t wave_inst_count(const struct wave_region *region);

/* The slots that some path reads before it writes them in the region (in), and those that the
 * region writes (out), each once, sorted by base and offset; the caller frees *out_slots. False:
 * no memory. */
bool wave_slots_in(const struct wave_region *region, struct wave_slot **out_slots,
                   unsigned *out_count);
bool wave_slots_out(const struct wave_region *region, struct wave_slot **out_slots,
                    unsigned *out_count);

#endif
