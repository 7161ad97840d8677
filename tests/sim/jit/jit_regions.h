/* Regions of the test's machine: built by hand or at random, and executed by functions as they are.
 */
#ifndef JIT_REGIONS_H
#define JIT_REGIONS_H

#include "jit_machine.h"

enum { FRAME_WORDS = 12, FRAME_WIDE = 4, FRAME_SIZE = FRAME_WORDS * 128 + FRAME_WIDE * 256 };
enum { BLOCKS_MAX = 12, INSTS_MAX = 120, ENTRIES_MAX = 4 };

struct op {
    const struct op *(*handler)(struct state *s, const struct op *op);
    struct wave_inst *inst; /* NULL: a branch or an end */
    const struct op *other; /* what the handler returns at its n-th call, if n is not 0 */
    unsigned block, index, n, row;
};

/* A region with its memory. */
struct program {
    struct wave_region region;
    struct wave_block blocks[BLOCKS_MAX];
    struct wave_inst insts[BLOCKS_MAX][INSTS_MAX];
    struct wave_slot slots[BLOCKS_MAX][INSTS_MAX + 1][6];
    uint64_t arguments[BLOCKS_MAX][INSTS_MAX + 1][4];
    struct op ops[BLOCKS_MAX][INSTS_MAX + 1];
    unsigned entries[ENTRIES_MAX]; /* of a random program */
};

/* A state with what it refers to. */
struct world {
    struct state state;
    uint32_t memory[WORDS];
    _Alignas(64) unsigned char frame[FRAME_SIZE];
};

extern const struct wave_machine machine_without_bitcode;

/* Appends an instruction to a block. Operands in the order of its function's arguments. */
struct wave_inst *program_add(struct program *program, unsigned block, enum wave_kind kind,
                              const char *function, const uint64_t *arguments);
void program_jump(struct program *program, unsigned block, unsigned to);
void program_branch(struct program *program, unsigned block, const char *function, uint64_t a,
                    unsigned target, unsigned other);
void program_leave(struct program *program, unsigned block);
/* All but the instructions. */
void program_init(struct program *program, const struct wave_machine *machine, unsigned blocks);
/* A program that ends; the same for the same seed. */
void program_random(struct program *program, const struct wave_machine *machine, uint64_t seed);

void world_init(struct world *world, uint64_t seed);
/* What begins at an op of the program, by functions as they are. until_left: until a compiled
 * region would be left; returns the op, or NULL where a handler did. Otherwise until the program
 * ends, a stop is passed, and the op at its end is returned. */
const struct op *program_run(const struct program *program, struct state *state,
                             const struct op *op, bool until_left);
/* Names the first difference, or returns NULL. */
const char *world_difference(const struct world *a, const struct world *b);

#endif
